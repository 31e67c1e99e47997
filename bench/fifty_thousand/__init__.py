"""How long the pages take in a house that holds 50,000 messages: `python -m bench --only pages`.

The messages are filled in by the lifecycle itself, so that every row, event, step and ledger entry is there.
"""

import asyncio
import sys

from bench.fifty_thousand.measuring import run as _run
from bench.sizes import Sizes


def run(sizes: Sizes) -> dict[str, float]:
    """The part of `python -m bench`; what was filled in is said on stderr."""
    return asyncio.run(_run(sizes.filled, lambda line: print(f"# {line}", file=sys.stderr, flush=True)))
