"""Where a passage stands, in words a reader can follow: document, heading, page."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID


@dataclass(frozen=True, slots=True)
class Citation:
    """A place in a document of the team's own."""

    entry_id: UUID
    document_id: UUID
    source: str
    number: int
    page: int | None = None

    def words(self) -> str:
        """`handbook.pdf, p. 12`; the heading stands in the entry's title already."""
        return f"{self.source}, p. {self.page}" if self.page else self.source


def citations_of(rows: Iterable[Mapping[str, Any]]) -> dict[UUID, list[Citation]]:
    """The places of each entry, in the order of the rows."""
    found: dict[UUID, list[Citation]] = {}
    for row in rows:
        place = Citation(row["entry_id"], row["document_id"], row["source"], row["number"], row["page"])
        found.setdefault(place.entry_id, []).append(place)
    return found
