"""From stored rows to evidence: what they prove, and what the audits since a rule was switched on say (P87, P91)."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from domain.autonomy.certifying import Certificate, certificate
from domain.autonomy.counting import Judged, observation_of, stored
from domain.autonomy.demotion import AuditWatch, watch
from domain.autonomy.observation import Observation, settled

Rows = Iterable[Mapping[str, Any]]


def certificate_of(rows: Rows, target: float, now: datetime) -> Certificate:
    """What the rows of `autonomy_observations` prove for a target error rate."""
    return certificate(settled([one for _, one in _observed(rows)], now), target)


def audits_of(rows: Rows, target: float, threshold: float, since: datetime, now: datetime) -> AuditWatch:
    """The watch over what was drawn for a person since the rule was switched on as it is."""
    drawn = [one for judged, one in _observed(rows) if judged.audited and judged.at >= since]
    return watch(settled(drawn, now), target, threshold)


def _observed(rows: Rows) -> Iterable[tuple[Judged, Observation]]:
    """What a gate held counts nowhere, so a review of it that is still open must not hold up the count either."""
    for row in rows:
        judged = stored(row)
        found = observation_of(judged, row["clean"])
        if found is not None and found.gates_silent:
            yield judged, found
