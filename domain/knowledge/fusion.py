"""One ranking made of several: vector, full text and graph, by reciprocal ranks, authoritative entries first (P107)."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from domain.briefing.facts import Trust
from domain.knowledge.entries import AUTHORITY, is_past, weight_at

RRF_K: Final = 60

Entry = Mapping[str, Any]


def fused_scores(legs: Sequence[Sequence[UUID]], k: int = RRF_K) -> dict[UUID, float]:
    """The sum of 1/(k + rank) over the legs that found an entry, ranks from 1. A leg names an entry once."""
    scores: dict[UUID, float] = {}
    for leg in legs:
        for rank, entry_id in enumerate(dict.fromkeys(leg), start=1):
            scores[entry_id] = scores.get(entry_id, 0.0) + 1 / (k + rank)
    return scores


def fused(legs: Sequence[Sequence[Entry]], now: datetime) -> list[Entry]:
    """The entries of all legs by fused score, claims weighed by age, past entries last; ties by id."""
    found = {entry["id"]: entry for leg in legs for entry in leg}
    scores = fused_scores([[entry["id"] for entry in leg] for leg in legs])

    def place(entry: Entry) -> tuple[bool, float, str]:
        return is_past(entry, now), -scores[entry["id"]] * weight_at(entry, now), str(entry["id"])

    return sorted(found.values(), key=place)


def authoritative_first(ranked: Sequence[Entry], most: int) -> list[Entry]:
    """The best `most` entries: policies, then verified ones, then claims; within each as they were ranked."""
    return sorted(ranked[:most], key=lambda entry: AUTHORITY[Trust(entry["trust"])])
