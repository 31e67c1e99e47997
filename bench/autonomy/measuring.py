"""All simulations over all processors, and what they come to in numbers."""

import asyncio
import os
import statistics
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from functools import reduce
from operator import add
from typing import Any

from bench.autonomy.caps import cap_overruns
from bench.autonomy.drift import DRIFTS, DriftResult, run_drift
from bench.autonomy.ground import own_postgres, prepared
from bench.autonomy.kill_switch import kill_switch_ms
from bench.autonomy.sizes import FULL, AutonomySizes
from bench.autonomy.still import SCENARIOS, StillResult, run_scenario
from bench.outcome import BenchFailed
from domain.autonomy import clean_samples_needed, lower_bound

SEED = 20_261_201
TARGETS = (0.05, 0.02, 0.01)
ALLOWED_SHARE = 0.05
_CHUNKS = 8

Say = Callable[[str], None]


def clean_samples() -> dict[str, float]:
    """Clean decisions in a row, from nothing, that certify even the grid point for which it takes longest."""
    return {
        f"clean_samples_for_target_{round(target * 100)}pct": float(clean_samples_needed(target)) for target in TARGETS
    }


def simulate(sizes: AutonomySizes, say: Say) -> dict[str, float]:
    """Every scenario; BenchFailed if a promise did not hold, or if nothing was certified and so nothing was shown."""
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        still = {one.name: _spread(pool, run_scenario, one, sizes.deployments, sizes.decisions) for one in SCENARIOS}
        drift = {
            one.name: _spread(pool, run_drift, one, sizes.drift_deployments, sizes.drift_decisions) for one in DRIFTS
        }
        stills = [_told(_joined(parts), say) for parts in still.values()]
        drifts = [_told(_joined(parts), say) for parts in drift.values()]
    return judged(stills, drifts)


def judged(still: Sequence[StillResult], drift: Sequence[DriftResult]) -> dict[str, float]:
    """The worst of each, by name."""
    measured = {
        "share_of_certified_rules_above_target": max(one.share for one in still),
        "rules_certified": float(sum(one.certified for one in still)),
        "drift_demoted_share": min(one.demoted_share for one in drift),
        "excess_errors_before_demotion_median": max(_median(one.excess) for one in drift),
        "dropped_without_drift_share": sum(one.early for one in drift) / max(sum(one.switched_on for one in drift), 1),
    }
    measured |= {f"share_above_target_{one.name}": one.share for one in still}
    over_cap = sum(one.over_cap for one in still)
    if any(_too_often(one) for one in still):
        raise BenchFailed("more certified rules exceed their target than the certificate allows", measured)
    if not measured["rules_certified"] or not any(one.switched_on for one in drift):
        raise BenchFailed("no rule was certified, so nothing was shown", measured)
    if over_cap:
        raise BenchFailed(f"{over_cap} replies were sent beyond a daily cap", measured)
    return measured


def _too_often(result: StillResult) -> bool:
    """A small run proves a broken promise only beyond chance; a full one has to keep it to the letter."""
    least = result.share if result.deployments >= FULL.deployments else lower_bound(result.wrong, result.deployments)
    return least > ALLOWED_SHARE


def on_postgres(sizes: AutonomySizes) -> dict[str, float]:
    """Caps and kill switch on the real statements."""
    return asyncio.run(_on_postgres(sizes))


async def _on_postgres(sizes: AutonomySizes) -> dict[str, float]:
    async with own_postgres() as url, prepared(url) as ground:
        measured = await cap_overruns(ground, sizes.charges)
        try:
            return measured | await kill_switch_ms(ground, sizes.switch_rounds)
        except BenchFailed as failure:
            raise BenchFailed(str(failure), measured | failure.measured) from failure


def _spread(
    pool: ProcessPoolExecutor, run: Callable[..., Any], what: Any, deployments: int, decisions: int
) -> list[Any]:
    return [pool.submit(run, what, numbers, decisions, SEED) for numbers in _chunks(deployments)]


def _chunks(deployments: int) -> Iterator[range]:
    step = -(-deployments // _CHUNKS)
    return (range(start, min(start + step, deployments)) for start in range(0, deployments, step))


def _joined(parts: Sequence[Future[Any]]) -> Any:
    return reduce(add, (part.result() for part in parts))


def _told(result: Any, say: Say) -> Any:
    say(f"# {result.told}")
    return result


def _median(values: Sequence[float]) -> float:
    return statistics.median(values) if values else float("inf")
