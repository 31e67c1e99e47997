"""`python -m bench.autonomy [--quick]`: what a certificate is worth, one `name: value` a line."""

import argparse
import sys
from collections.abc import Callable, Sequence

from bench.autonomy.measuring import clean_samples, on_postgres, simulate
from bench.autonomy.sizes import FULL, QUICK
from bench.outcome import BenchFailed
from bench.report import shown


def main(arguments: Sequence[str] | None = None) -> int:
    """0 if every promise held, else 1; what was measured is printed either way."""
    parser = argparse.ArgumentParser(prog="python -m bench.autonomy", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes: proves that everything works, no more")
    sizes = QUICK if parser.parse_args(arguments).quick else FULL
    parts = (clean_samples, lambda: on_postgres(sizes), lambda: simulate(sizes, _progress))
    return max([_print(part) for part in parts])


def _print(part: Callable[[], dict[str, float]]) -> int:
    try:
        measured, reason = part(), ""
    except BenchFailed as failure:
        measured, reason = failure.measured, str(failure)
    for name, value in measured.items():
        print(f"{name}: {shown(value)}", flush=True)
    if reason:
        print(f"failed: {reason}", file=sys.stderr, flush=True)
    return 1 if reason else 0


def _progress(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
