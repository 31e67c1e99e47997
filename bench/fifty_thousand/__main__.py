"""`python -m bench.fifty_thousand [--size N]`: fills N messages in and times the pages, one `name: value` a line."""

import argparse
import asyncio
import sys
from collections.abc import Sequence

from bench.fifty_thousand.measuring import run
from bench.house import forget_own_settings
from bench.outcome import BenchFailed

SIZE = 50_000


def main(arguments: Sequence[str] | None = None) -> int:
    """0 if every page kept to the bar, else 1."""
    parser = argparse.ArgumentParser(prog="python -m bench.fifty_thousand", description=__doc__)
    parser.add_argument("--size", type=int, default=SIZE, metavar="N", help=f"messages, {SIZE} unless told otherwise")
    parser.add_argument("--processes", type=int, metavar="N", help="at once; one a core unless told otherwise")
    chosen = parser.parse_args(arguments)
    forget_own_settings()
    try:
        found, code = asyncio.run(run(chosen.size, _say, chosen.processes)), 0
    except BenchFailed as failure:
        found, code = failure.measured, 1
        print(f"# {failure}")
    for name, value in found.items():
        print(f"{name}: {value:.1f}")
    return code


def _say(line: str) -> None:
    print(f"# {line}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
