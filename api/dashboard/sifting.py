"""What of the review queue somebody wants to see: every choice stands in the address, so that it can be kept, shared
and gone back to (P116)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from contracts.classification import Category

TRUST = ("ready", "look", "you")
NAMES = ("category", "trust", "owner", "overdue")
CATEGORIES = tuple(c.value for c in Category)


@dataclass(frozen=True)
class Sieve:
    """The choices of one address; what means nothing there is left out, as if it were not asked."""

    category: str = ""
    trust: str = ""
    owner: str = ""
    overdue: str = ""

    @classmethod
    def of(cls, query: Mapping[str, str]) -> "Sieve":
        """Reads an address."""
        asked = {name: query.get(name, "") for name in NAMES}
        return cls(
            category=asked["category"] if asked["category"] in CATEGORIES else "",
            trust=asked["trust"] if asked["trust"] in TRUST else "",
            owner=asked["owner"] if asked["owner"] in ("me", "nobody") or _uuid(asked["owner"]) else "",
            overdue="yes" if asked["overdue"] == "yes" else "",
        )

    def chosen(self) -> dict[str, str]:
        """The choices that were made, by name."""
        return {name: getattr(self, name) for name in NAMES if getattr(self, name)}

    def values(self, me: UUID) -> tuple[Any, ...]:
        """As the statement `desk_queue` takes them: category, trust, whose, the person, overdue."""
        whose = None if not self.owner else "nobody" if self.owner == "nobody" else "one"
        person = me if self.owner == "me" else _uuid(self.owner)
        return (self.category or None, self.trust or None, whose, person, bool(self.overdue))


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
