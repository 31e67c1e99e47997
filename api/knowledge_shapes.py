"""What the API says and takes about knowledge (P104)."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict


class Place(BaseModel):
    """Where an entry stands in a document of the team's own."""

    document_id: UUID
    source: str
    number: int
    page: int | None = None


class EntryShown(BaseModel):
    """One entry. `contact` is the address it is limited to; `past` says why it is in no prompt any more."""

    id: UUID
    type: str
    trust: str
    said_by: str
    title: str
    content: str
    contact: str | None
    past: str = ""
    embedded: bool
    created_at: datetime
    places: list[Place] = []


class Found(BaseModel):
    """Entries, and what could not be asked: `embeddings` means that words alone were matched."""

    entries: list[EntryShown]
    gaps: list[str] = []
    next: str = ""


class ImportShown(BaseModel):
    """One import: how far it is, and every file it refused with the reason."""

    id: UUID
    name: str
    state: Literal["running", "done", "failed", "interrupted"]
    total: int
    seen: int
    stored: int
    known: int
    retired: int
    refused: list[dict[str, str]]
    started_by: str
    started_at: datetime
    ended_at: datetime | None


class PromoteBody(BaseModel):
    """What a claim becomes. A policy is for everybody; a verified claim only if this says so."""

    model_config = ConfigDict(extra="forbid")

    trust: Literal["verified", "policy"]
    for_everybody: bool = False


class BackfillShown(BaseModel):
    """One pass through earlier mail: how far it is, and what it found."""

    id: UUID
    status: Literal["running", "paused", "stopped", "cancelled", "done"]
    automatic: bool
    started_by: str
    total: int
    scanned: int
    extracted: int
    skipped: int
    errors: int
    created_at: datetime
    changed_at: datetime
    ended_at: datetime | None


class SideShown(BaseModel):
    """One of two entries that contradict each other."""

    id: UUID
    title: str
    content: str
    trust: str
    said_by: str


class ContradictionShown(BaseModel):
    """Two entries for a person to look at."""

    id: UUID
    one: SideShown
    other: SideShown
