"""What a benchmark hands back when not everything went well: the reason, and what was measured before."""

import math
from collections.abc import Mapping, Sequence


class BenchFailed(Exception):
    """A benchmark whose promise did not hold; `measured` is printed all the same."""

    def __init__(self, reason: str, measured: Mapping[str, float] | None = None) -> None:
        super().__init__(reason)
        self.measured = dict(measured or {})


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least `share` of all do not exceed (nearest rank); ValueError without values."""
    if not values:
        raise ValueError("no values to take a percentile of")
    return sorted(values)[max(math.ceil(share * len(values)) - 1, 0)]


def spread_ms(name: str, seconds: Sequence[float]) -> dict[str, float]:
    """Median and 99th percentile in milliseconds under `<name>_p50_ms` and `<name>_p99_ms`."""
    return {f"{name}_p{rank}_ms": percentile(seconds, rank / 100) * 1000 for rank in (50, 99)}
