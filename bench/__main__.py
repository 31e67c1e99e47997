"""`python -m bench [--quick] [--only NAME]`: every benchmark on a stack of its own, one `name: value` a line."""

import argparse
import importlib
import sys
from collections.abc import Sequence

from bench.house import forget_own_settings
from bench.outcome import BenchFailed
from bench.report import Report
from bench.sizes import FULL, QUICK, Sizes

# In this order: what counts comes before what is timed, and the long one last.
PARTS = {
    "cost": "bench.cost",
    "latency": "bench.latency",
    "compare": "bench.compare",
    "webhook": "bench.webhook",
    "memory": "bench.memory",
    "first_answer": "bench.first_answer",
    "offline": "bench.offline_accuracy",
    "accounting": "bench.accounting",
}
# Only by name: they take longer than all the others together.
LONG = {"pages": "bench.fifty_thousand"}
EVERY = PARTS | LONG


def main(arguments: Sequence[str] | None = None) -> int:
    """0 if everything was measured and every promise held, else 1."""
    chosen = _arguments(arguments)
    forget_own_settings()
    sizes = QUICK if chosen.quick else FULL
    report = Report(chosen.quick, lambda line: print(line, flush=True))
    for name in chosen.only or PARTS:
        measure(report, name, sizes)
    return 1 if report.failed else 0


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes: proves that everything works, no more")
    parser.add_argument("--only", action="append", choices=EVERY, metavar="NAME", help=f"one of {', '.join(EVERY)}")
    return parser.parse_args(arguments)


def measure(report: Report, name: str, sizes: Sizes) -> None:
    """Run one part; a failure is reported and does not keep the others from running."""
    try:
        report.add(importlib.import_module(EVERY[name]).run(sizes))
    except BenchFailed as failure:
        report.add(failure.measured)
        report.fail(name, str(failure))
    except Exception as fault:  # noqa: BLE001 - whatever breaks one part must not hide the numbers of the others
        report.fail(name, f"{type(fault).__name__}: {_words(fault)}")


def _words(fault: BaseException) -> str:
    """The text of a fault; of a group, that of its first one."""
    while isinstance(fault, BaseExceptionGroup):
        fault = fault.exceptions[0]
    return " ".join(str(fault).split())[:2000]


if __name__ == "__main__":
    sys.exit(main())
