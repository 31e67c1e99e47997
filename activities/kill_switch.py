"""After a kill switch: every pending send of the mailbox goes back to review, one thread per transaction (P92, OB7)."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from activities.lifecycle.writer import apply_in
from activities.ports import Database, Row
from contracts.barriers import barrier
from contracts.errors import DatabaseFault
from contracts.lifecycle import Command, Withdraw
from domain.keys import Keyring


class SwitchedOff:
    """Withdraws what the switch found pending; safe to repeat."""

    def __init__(self, database: Database, keyring: Keyring) -> None:
        self.database = database
        self.keyring = keyring

    async def withdraw_pending(self, switch: Any) -> None:
        """One pass over what was decided before the switch; a locked thread is left to the next and delays no other."""
        after, left = UUID(int=0), 0
        while rows := await self._pending(switch, after):
            for row in rows:
                left += not await self._withdrawn(row, switch)
            after = rows[-1]["id"]
        if not left:
            async with self.database.transaction() as tx:
                await tx.run("relay_switch_done", switch["id"])

    async def _pending(self, switch: Any, after: UUID) -> Sequence[Row]:
        async with self.database.transaction() as tx:
            return await tx.rows("relay_switch_pending", switch["mailbox_id"], switch["thrown_at"], after)

    async def _withdrawn(self, row: Any, switch: Any) -> bool:
        try:
            await self._withdraw(row, switch)
        except DatabaseFault:
            return False
        return True

    async def _withdraw(self, row: Any, switch: Any) -> None:
        command = Command(
            message_id=row["message_id"],
            cause_key=f"kill_switch/{switch['id']}/{row['id']}",
            actor="kill_switch",
            act=Withdraw(outbox_id=row["id"], reason="kill_switch"),
        )
        async with self.database.transaction(lifecycle=True) as tx:
            await apply_in(tx, command, self.keyring)
            await tx.run("review_cancel_outbox", row["id"], "kill_switch")
            cause = f"{row['message_id']}:kill_switch/{switch['id']}"
            await tx.run("wake", f"message/{row['message_id']}", "wake", {"cause": cause}, cause)
        await barrier("after_withdraw", row["message_id"])
