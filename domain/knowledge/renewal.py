"""What an import changes: which passages are known, which are new, and which old entries make way for which (P104)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from domain.knowledge.chunking import Passage

# Above this many characters an equal text under another title is the same text; below, a title may be all that differs.
TELLING_CHARACTERS: Final = 200


@dataclass(frozen=True, slots=True)
class Held:
    """A stored entry: of this document, or of another one (`document_id`)."""

    id: UUID
    title: str
    sha256: str
    type: str
    document_id: UUID | None = None


@dataclass(frozen=True)
class Added:
    """What an import did: entries new or changed, known already, and older texts superseded or retired."""

    stored: int = 0
    known: int = 0
    superseded: int = 0

    def __add__(self, other: "Added") -> "Added":
        return Added(self.stored + other.stored, self.known + other.known, self.superseded + other.superseded)


@dataclass
class Renewal:
    """The plan for one document. `kept` maps a passage to the entry it already is."""

    kept: dict[tuple[str, str], UUID] = field(default_factory=dict)
    new: list[Passage] = field(default_factory=list)
    gone: list[Held] = field(default_factory=list)


def plan_renewal(
    wanted: Sequence[Passage], held: Iterable[Held], elsewhere: Sequence[Held], entry_type: str
) -> Renewal:
    """Compares the passages of a document with its former entries and with those of other documents.

    An entry of another type is stored anew, so that its trust follows.
    """
    own = list(held)
    known = {(one.title, one.sha256): one for one in (*elsewhere, *own) if one.type == entry_type}
    alike = {one.sha256: one for one in elsewhere if one.type == entry_type}
    plan = Renewal()
    for passage in wanted:
        match = known.get(passage.key) or _same_text(passage, alike)
        if match is None:
            plan.new.append(passage)
        else:
            plan.kept[passage.key] = match.id
    used = set(plan.kept.values())
    keys = {passage.key for passage in plan.new}
    plan.gone = [one for one in own if one.id not in used and (one.title, one.sha256) not in keys]
    return plan


def _same_text(passage: Passage, alike: dict[str, Held]) -> Held | None:
    return alike.get(passage.sha256) if len(passage.content) >= TELLING_CHARACTERS else None


def successors(gone: Iterable[Held], stored: dict[tuple[str, str], UUID]) -> list[tuple[UUID, UUID]]:
    """Old entry and the new one of the same title that takes its place; the rest is retired without a successor."""
    by_title = {title: entry_id for (title, _), entry_id in stored.items()}
    return [(one.id, by_title[one.title]) for one in gone if one.title in by_title]
