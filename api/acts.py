"""What a person can ask of a message: the body of each action, field by field, and the command it becomes.

Ids of stored texts come from the request id, so that a repeated request is the same command and not a second one.
"""

from dataclasses import dataclass
from typing import Annotated, Literal
from uuid import UUID, uuid5

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from contracts.lifecycle import (
    Approve,
    Archive,
    Reassign,
    Reject,
    Release,
    RequestDraft,
    ResolveDelivery,
    Restore,
    Retry,
    UndoSend,
    WriteReply,
)
from contracts.status import ArchiveReason
from contracts.workflow import HumanAct

NAMESPACE = UUID("8c7a6b0e-3f1d-5d1a-9f57-6d6573736167")
MOST_TEXT = 100_000
MOST_NOTE = 4_000


def _storable(text: str) -> str:
    if "\x00" in text:
        raise ValueError("a text cannot hold NUL")
    if not text.strip():
        raise ValueError("a text cannot be empty")
    return text


RequestId = Annotated[
    str, Field(pattern=r"^[\x21-\x7e]{8,100}$", description="Repeat it to get the same answer again.")
]
Text = Annotated[str, Field(min_length=1, max_length=MOST_TEXT), AfterValidator(_storable)]
NoteText = Annotated[str, Field(min_length=1, max_length=MOST_NOTE), AfterValidator(_storable)]
RevisionNumber = Annotated[int, Field(ge=0, le=1_000_000)]
FindingIds = Annotated[list[Annotated[str, Field(min_length=1, max_length=200)]], Field(max_length=100)]


@dataclass(frozen=True)
class Ids:
    """The ids of the texts one request brings along."""

    message_id: UUID
    request_id: str

    def of(self, kind: str) -> UUID:
        """The same for every repeat of the request."""
        return uuid5(NAMESPACE, f"{self.message_id}/{self.request_id}/{kind}")


@dataclass(frozen=True)
class Note:
    """A text to store before it is named: `kind` is note, instructions or reply."""

    id: UUID
    kind: str
    text: str


class Asked(BaseModel):
    """What every action has in common. Unknown fields are refused."""

    model_config = ConfigDict(extra="forbid")

    request_id: RequestId | None = None

    def notes(self, ids: Ids) -> tuple[Note, ...]:
        """Texts to store first."""
        return ()

    def act(self, ids: Ids, revision: int | None) -> HumanAct:
        """The command; `revision` is the stored edit, where there is one."""
        raise NotImplementedError


class Approval(Asked):
    """What an approver saw: the newest mail of the thread, the recipients, the findings (P97, P98, P98a)."""

    seen_message_id: UUID
    recipients_hash: str | None = Field(default=None, pattern=r"^[0-9a-f]{64}$")
    confirmed_findings: FindingIds = []
    reason: NoteText | None = None
    resolve: bool = False

    def notes(self, ids: Ids) -> tuple[Note, ...]:
        """The reason for confirming findings."""
        return (Note(ids.of("reason"), "note", self.reason),) if self.reason else ()

    def _approve(self, ids: Ids, *, revision: int | None, base: int | None, edited: bool) -> Approve:
        return Approve(
            revision=revision,
            base_revision=base,
            edited=edited,
            seen_message_id=self.seen_message_id,
            recipients_hash=self.recipients_hash,
            confirmed_findings=tuple(self.confirmed_findings),
            reason_note_id=ids.of("reason") if self.reason else None,
            resolve=self.resolve,
        )


class ApproveBody(Approval):
    """Approve the revision seen."""

    revision: RevisionNumber

    def act(self, ids: Ids, revision: int | None) -> HumanAct:
        """E15."""
        return self._approve(ids, revision=self.revision, base=None, edited=False)


class EditBody(Approval):
    """Approve an edited text: `text`, or the number of a revision saved before."""

    base_revision: RevisionNumber | None = None
    text: Text | None = None
    revision: RevisionNumber | None = None

    def act(self, ids: Ids, revision: int | None) -> HumanAct:
        """E15 with the edit named by its revision."""
        return self._approve(ids, revision=revision, base=self.base_revision, edited=True)


class RejectBody(Asked):
    """Say no, with an optional note."""

    note: NoteText | None = None

    def notes(self, ids: Ids) -> tuple[Note, ...]:
        """The note."""
        return (Note(ids.of("note"), "note", self.note),) if self.note else ()

    def act(self, ids: Ids, revision: int | None) -> HumanAct:
        """E16."""
        return Reject(note_id=ids.of("note") if self.note else None)


class ReassignBody(Asked):
    """Set or clear the owner."""

    to_user: UUID | None

    def act(self, ids: Ids, revision: int | None) -> HumanAct:
        """No transition."""
        return Reassign(to_user=self.to_user)


class ReleaseBody(Asked):
    """Let a quarantined message through."""

    def act(self, ids: Ids, revision: int | None) -> HumanAct:
        """E22."""
        return Release()


class RetryBody(Asked):
    """Try a failed message again, from the step that failed or from the scan."""

    start_at: Literal["failed_step", "security_scan"] = Field(default="failed_step", alias="from")

    def act(self, ids: Ids, revision: int | None) -> HumanAct:
        """E23 or E24."""
        return Retry(from_=self.start_at)


class RestoreBody(Asked):
    """Bring archived mail back."""

    def act(self, ids: Ids, revision: int | None) -> HumanAct:
        """E25."""
        return Restore()


class UndoBody(Asked):
    """Take an approved reply back."""

    def act(self, ids: Ids, revision: int | None) -> HumanAct:
        """E20."""
        return UndoSend()


class RequestDraftBody(Asked):
    """Ask the agent for a draft, with optional instructions."""

    instructions: NoteText | None = None

    def notes(self, ids: Ids) -> tuple[Note, ...]:
        """The instructions."""
        return (Note(ids.of("instructions"), "instructions", self.instructions),) if self.instructions else ()

    def act(self, ids: Ids, revision: int | None) -> HumanAct:
        """E17, or the end of a hold."""
        return RequestDraft(instructions_id=ids.of("instructions") if self.instructions else None)


class WriteReplyBody(Asked):
    """Make this text the current reply."""

    text: Text

    def notes(self, ids: Ids) -> tuple[Note, ...]:
        """The reply."""
        return (Note(ids.of("reply"), "reply", self.text),)

    def act(self, ids: Ids, revision: int | None) -> HumanAct:
        """E28."""
        return WriteReply(note_id=ids.of("reply"))


class ArchiveBody(Asked):
    """Close without a reply; `block_sender` also keeps the agent from drafting for this sender from now on."""

    block_sender: bool = False

    def act(self, ids: Ids, revision: int | None) -> HumanAct:
        """E27."""
        return Archive(reason=ArchiveReason.SENDER_BLOCKED if self.block_sender else ArchiveReason.DISMISSED)


class ResolveBody(Asked):
    """Settle a doubtful delivery."""

    how: Literal["went_out", "send_again", "close"]

    def act(self, ids: Ids, revision: int | None) -> HumanAct:
        """E19, a new generation, or E27."""
        return ResolveDelivery(how=self.how)
