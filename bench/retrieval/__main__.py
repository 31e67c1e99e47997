"""`python -m bench.retrieval [part ...]`: one `name: value` a line. Parts: recall, speed, pages, leaks, facts."""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from typing import Final

from bench.retrieval import facts, leaks, pages, recall, speed
from bench.retrieval.house import House, house

PARTS: Final[dict[str, Callable[[House], Awaitable[dict[str, float]]]]] = {
    "recall": recall.measure,
    "leaks": leaks.measure,
    "facts": facts.measure,
    "pages": pages.measure,
    "speed": speed.measure,
}


async def main(wanted: list[str]) -> None:
    """Each part on a database of its own."""
    for name in wanted or PARTS:
        async with house() as open_house:
            numbers = await PARTS[name](open_house)
        for number, value in numbers.items():
            print(f"{number}: {value:g}", flush=True)


if __name__ == "__main__":
    asyncio.run(main([name for name in sys.argv[1:] if not name.startswith("-")]))
