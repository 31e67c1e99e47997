"""Sixty automatic sends in an hour are a loop or a mistake: the sixty-first stops the automation of its mailbox, as the
kill switch does, until a person switches it on (LO2)."""

from uuid import UUID

from temporalio import activity

from activities.breakers import ACTOR
from activities.ports import Database, Transaction

SENDS_PER_HOUR = 60
OBJECTION = "hourly_ceiling"
CANCEL_REASON = f"presend_check:{OBJECTION}"
CAUSE = f"more than {SENDS_PER_HOUR} automatic replies within an hour"


async def ceiling_objection(tx: Transaction, mailbox_id: UUID) -> str | None:
    """The claim's question; the caller holds the mailbox's budget row, so that two claims cannot both be the last."""
    return OBJECTION if await tx.value("ceiling_sends", mailbox_id) >= SENDS_PER_HOUR else None


async def stop_if_refused(database: Database, mailbox_id: UUID) -> bool:
    """Throws the switch if a send was refused for the ceiling and none was thrown since; whether it did.

    In a transaction of its own: a claim holds the switch shared and could not take it exclusively.
    """
    async with database.transaction(mailbox_id) as tx:
        await tx.one("switch_lock", mailbox_id)
        await tx.one("api_settings_lock", mailbox_id)
        if not await tx.value("ceiling_refused", mailbox_id, CANCEL_REASON):
            return False
        thrown = await tx.must("api_switch_throw", mailbox_id, ACTOR, CAUSE)
        await tx.run("ceiling_flag_off", mailbox_id, ACTOR)
        await tx.run("api_auto_reply_off", mailbox_id)
        after = {"id": str(thrown["id"]), "cause": CAUSE}
        await tx.run("audit", mailbox_id, ACTOR, "kill_switch", f"mailbox/{mailbox_id}", None, after)
    activity.logger.error("automatic replies stopped", extra={"mailbox_id": str(mailbox_id), "cause": CAUSE})
    return True
