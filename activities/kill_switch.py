"""After a kill switch: every pending send of the mailbox goes back to review, one thread per transaction (P92, OB7)."""

from typing import Any

from activities.lifecycle.writer import apply_in
from activities.ports import Database
from contracts.barriers import barrier
from contracts.lifecycle import Command, Withdraw
from domain.keys import Keyring


class SwitchedOff:
    """Withdraws what the switch found pending; safe to repeat."""

    def __init__(self, database: Database, keyring: Keyring) -> None:
        self.database = database
        self.keyring = keyring

    async def withdraw_pending(self, switch: Any) -> None:
        """Until nothing decided before the switch is pending any more."""
        while True:
            async with self.database.transaction() as tx:
                rows = await tx.rows("relay_switch_pending", switch["mailbox_id"], switch["thrown_at"])
            if not rows:
                break
            for row in rows:
                await self._withdraw(row, switch)
        async with self.database.transaction() as tx:
            await tx.run("relay_switch_done", switch["id"])

    async def _withdraw(self, row: Any, switch: Any) -> None:
        command = Command(
            message_id=row["message_id"],
            cause_key=f"kill_switch/{switch['id']}/{row['id']}",
            actor="kill_switch",
            act=Withdraw(outbox_id=row["id"], reason="kill_switch"),
        )
        async with self.database.transaction(lifecycle=True) as tx:
            await tx.run("review_cancel_outbox", row["id"], "kill_switch")
            await apply_in(tx, command, self.keyring)
            cause = f"{row['message_id']}:kill_switch/{switch['id']}"
            await tx.run("wake", f"message/{row['message_id']}", "wake", {"cause": cause}, cause)
        await barrier("after_withdraw", row["message_id"])
