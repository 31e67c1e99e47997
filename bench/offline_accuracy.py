"""How good the offline model is, by the evaluation that belongs to it, so that one command reports everything."""

import importlib
import importlib.util

from bench.outcome import BenchFailed
from bench.sizes import Sizes

MODULE = "bench.offline_model"
WANTED = ("offline_accuracy", "offline_coverage")


def run(sizes: Sizes) -> dict[str, float]:
    """Everything the evaluation measures, `offline_accuracy` and `offline_coverage` among it."""
    if importlib.util.find_spec(MODULE) is None:
        raise BenchFailed("there is no evaluation of the offline model in this checkout")
    measured: dict[str, float] = importlib.import_module(MODULE).run()
    if missing := [name for name in WANTED if name not in measured]:
        raise BenchFailed(f"the evaluation of the offline model says nothing of {', '.join(missing)}", measured)
    return measured
