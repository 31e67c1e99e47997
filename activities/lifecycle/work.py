"""What every lifecycle handler works with: the locked rows, the command, and the two answers it may give."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from activities.ports import Transaction
from contracts.lifecycle import Command
from contracts.status import ArchiveReason, Result, Status


@dataclass(frozen=True)
class Change:
    """The command was carried out; `to` is empty where no status changed. `reason` goes into the event.

    `nothing` says that nothing was there to do: such a call is not remembered, so that its cause may act later.
    """

    to: Status | None = None
    reason: str = ""
    nothing: bool = False


NOTHING = Change(nothing=True)


@dataclass(frozen=True)
class Refused:
    """The command was not carried out, and why, in words for a person."""

    result: Result
    message: str
    reason: str = ""
    by: str = ""
    at: datetime | None = None
    current_revision: int | None = None
    newer_message_id: UUID | None = None


Answer = Change | Refused


@dataclass
class Work:
    """One command on one locked message inside one transaction."""

    tx: Transaction
    command: Command
    message: Any
    thread: Any

    @property
    def config(self) -> Any:
        """The mailbox's agent_config, address and zone, read with the message."""
        return self.message

    @property
    def id(self) -> UUID:
        """The message id."""
        return self.message["id"]

    @property
    def mailbox_id(self) -> UUID:
        """The mailbox the message belongs to."""
        return self.message["mailbox_id"]

    @property
    def thread_id(self) -> UUID:
        """The thread the message stands in."""
        return self.message["thread_id"]

    @property
    def status(self) -> Status:
        """Status as locked, before this command."""
        return Status(self.message["processing_status"])

    @property
    def run_no(self) -> int:
        """Run as locked."""
        return self.message["run_no"]

    async def move(
        self, to: Status, *, step: str | None = None, archived: ArchiveReason | None = None, by: UUID | None = None
    ) -> None:
        """Writes the new status with what always goes with it: hold cleared, deadlines, processed_at (P27)."""
        await self.tx.run("lifecycle_move", self.id, to, step, archived, by)

    async def hold(self, reason: str, until: datetime | None) -> None:
        """Sets a hold; the status stays (P9)."""
        await self.tx.run("lifecycle_hold", self.id, reason, until)

    async def wake(self, message_id: UUID, cause: str) -> None:
        """Queues a wake for another message's workflow in this transaction (P20a)."""
        await self.tx.run("wake", f"message/{message_id}", "wake", {"cause": cause}, f"{message_id}:{cause}")
