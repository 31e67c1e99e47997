"""From stored decisions to evidence: which row is what kind of observation, and since when it counts (P87, P91)."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from domain.autonomy.certifying import Certificate, certificate
from domain.autonomy.demotion import AuditWatch, watch
from domain.autonomy.observation import Observation, settled

AUDITED = "audit_sample"
SHADOW = "shadow"


def observation_of(row: Mapping[str, Any], audit_rate: float) -> Observation:
    """One row of `autonomy_observations`.

    In shadow every decision was seen, so it carries full weight. A decision seen by draw had its draw's probability. One
    seen because its sender was new, while others of the rule were not, weighs only as much as one that was drawn.
    """
    propensity = float(row["propensity"])
    full = row["reason"] == SHADOW or row["gate"] == AUDITED
    floor = propensity if full else min(audit_rate, propensity)
    return Observation(
        score=float(row["score"]),
        clean=row["clean"],
        propensity=propensity,
        floor=floor,
        gates_silent=bool(row["gates_silent"]),
        at=row["at"],
    )


def certificate_of(rows: Iterable[Mapping[str, Any]], target: float, audit_rate: float, now: datetime) -> Certificate:
    """What the rows prove for a target error rate."""
    return certificate(settled([observation_of(row, audit_rate) for row in rows], now), target)


def audits_of(
    rows: Iterable[Mapping[str, Any]],
    target: float,
    threshold: float,
    since: datetime,
    audit_rate: float,
    now: datetime,
) -> AuditWatch:
    """The watch over what was drawn for a person since the rule was switched on as it is."""
    drawn = [observation_of(row, audit_rate) for row in rows if row["gate"] == AUDITED and row["at"] >= since]
    return watch(settled(drawn, now), target, threshold)
