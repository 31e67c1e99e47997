"""Rows of the rollup as the plots of the health page: which metrics, in which order, in which unit (15.1)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, ClassVar

from api.dashboard.plots import Plot, Point
from domain.metrics import Metric

# Metric, part, unit, least height of the scale.
SHOWN: tuple[tuple[Metric, str, str, float], ...] = (
    (Metric.QUEUE_DEPTH, "", "mails", 5),
    (Metric.HELD_DEPTH, "", "mails", 5),
    (Metric.PROCESSING_LATENCY, "p50", "ms", 100),
    (Metric.PROCESSING_LATENCY, "p95", "ms", 100),
    (Metric.ERROR_RATE, "", "share", 0.1),
    (Metric.CLASSIFICATION_ACCURACY, "", "share", 1),
    (Metric.AUTO_APPROVE_RATIO, "", "share", 1),
    (Metric.REJECTION_RATE, "", "share", 0.5),
    (Metric.LLM_COST, "", "usd", 0.01),
)
ADDED_UP = frozenset({Metric.LLM_COST})


@dataclass(frozen=True)
class Measure:
    """One plot with its words; `samples` and `basis` belong to the last value."""

    NEEDED: ClassVar[list[str]] = sorted({str(metric) for metric, *_ in SHOWN})

    metric: Metric
    part: str
    unit: str
    plot: Plot
    samples: int
    basis: str
    total: float | None

    @property
    def name(self) -> str:
        """How the catalogues call it."""
        return f"{self.metric}.{self.part}" if self.part else str(self.metric)


def measures(
    rows: Sequence[Any], since: datetime, until: datetime, every: timedelta, rejection_limit: float | None
) -> list[Measure]:
    """Every plot, those without a value too."""
    made = []
    for metric, part, unit, least in SHOWN:
        mine = [row for row in rows if row["metric"] == metric and row["part"] == part and row["value"] is not None]
        points = [Point(row["at"], row["value"]) for row in mine]
        line = rejection_limit if metric is Metric.REJECTION_RATE else None
        made.append(
            Measure(
                metric=metric,
                part=part,
                unit=unit,
                plot=Plot(points, since, until, every, least, line),
                samples=mine[-1]["samples"] if mine else 0,
                basis=mine[-1]["basis"] if mine else "",
                total=sum(p.value for p in points) if metric in ADDED_UP and points else None,
            )
        )
    return made
