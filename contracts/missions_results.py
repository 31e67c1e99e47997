"""The strict document a task ends with, and the bodies of what a supervisor proposes (M19, M104, M120, M132).

These stand in Postgres and are named by id; none of them passes through workflow history.
"""

from typing import Annotated
from uuid import UUID

from pydantic import Field

from contracts.base import Contract
from contracts.missions import Capability

Words = Annotated[str, Field(max_length=65_536)]
Line = Annotated[str, Field(max_length=2_000)]
Key = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_.-]{0,63}$")]
Lines = Annotated[tuple[Line, ...], Field(max_length=1024)]


class Citation(Contract):
    """Where a statement comes from: the id of a message, a knowledge entry or a result."""

    source: Line
    quote: Line = ""


class Fragment(Contract):
    """A text that was asked for. `message_id` is the mail it would answer."""

    text: Words
    message_id: UUID | None = None
    citations: Annotated[tuple[Citation, ...], Field(max_length=1024)] = ()


class Blocker(Contract):
    """A task decides nothing for the mission; this is how it reports that it cannot go on (M120)."""

    kind: Line
    proof: Line = ""
    consequence: Line = ""
    tried: Lines = ()
    choices: Lines = ()
    advice: Line = ""
    owner_needed: bool = False


class ResultDocument(Contract):
    """What a task found and made. Everything but the summary may be empty."""

    summary: Annotated[str, Field(min_length=1, max_length=4_000)]
    records: Lines = ()
    fragments: Annotated[tuple[Fragment, ...], Field(max_length=1024)] = ()
    checks: Lines = ()
    risks: Lines = ()
    blockers: Annotated[tuple[Blocker, ...], Field(max_length=1024)] = ()
    citations: Annotated[tuple[Citation, ...], Field(max_length=1024)] = ()


class Delegation(Contract):
    """`assign` and `handoff`: one bounded job. `contact_id` binds it to one person's mail (M14a)."""

    task_key: Key
    goal: Annotated[str, Field(min_length=1, max_length=20_000)]
    contact_id: UUID | None = None
    message_id: UUID | None = None
    capabilities: tuple[Capability, ...] = (Capability.READ, Capability.RETRIEVE, Capability.DRAFT)
    supersedes: Key | None = None


class GateRequest(Contract):
    """`request_owner_gate` with the five things an owner is told (M132)."""

    reason: Line
    decision_wanted: Line
    why_not_derived: Line
    finished_meanwhile: Line
    cost_of_waiting: Line
    safe_next_step: Line
    subject_digest: Line = ""


class Acknowledgement(Contract):
    """`acknowledge`: this result was inspected and used, or deliberately not."""

    result_id: UUID
    digest: Annotated[str, Field(max_length=64)]
    use: Annotated[str, Field(pattern="^(used|discarded)$")] = "used"


class Completion(Contract):
    """`complete`: the only way to the end a supervisor has."""

    outcome: Annotated[str, Field(pattern="^(done|not_needed)$")]
    summary: Annotated[str, Field(min_length=1, max_length=8_000)]


class DraftProposal(Contract):
    """`propose_draft`: the text is taken from the result, never from the proposal (M14a)."""

    message_id: UUID
    result_id: UUID
    base_revision: int | None = None
