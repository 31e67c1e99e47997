"""Keeps the parts of a running stack alive: what dies by itself is started again, with longer and longer pauses."""

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import Final

from cli.stack.faults import StackFault
from cli.stack.parts import Part
from cli.stack.together import together

WATCH_EVERY_S: Final = 0.2
FIRST_PAUSE_S: Final = 0.5
LONGEST_PAUSE_S: Final = 30.0
STEADY_AFTER_S: Final = 60.0


async def keep_all(parts: Sequence[Part], say: Callable[[str], None], restarted: Callable[[], None]) -> None:
    """Watch every part until cancelled; `restarted` is called after each restart."""
    await together(*(_keep(part, say, restarted) for part in parts))


async def _keep(part: Part, say: Callable[[str], None], restarted: Callable[[], None]) -> None:
    pause_s = FIRST_PAUSE_S
    while True:
        await part.child.ended(WATCH_EVERY_S)
        pause_s = FIRST_PAUSE_S if _was_steady(part) else pause_s
        say(f"{part.name} ended unexpectedly ({part.child.ending()}); it starts again in {pause_s:g} s.")
        await asyncio.sleep(pause_s)
        await _start_again(part, say)
        restarted()
        pause_s = min(pause_s * 2, LONGEST_PAUSE_S)


def _was_steady(part: Part) -> bool:
    return time.monotonic() - part.child.started_at > STEADY_AFTER_S


async def _start_again(part: Part, say: Callable[[str], None]) -> None:
    try:
        await part.start()
    except StackFault as fault:
        say(str(fault))
        await part.stop(True)
    else:
        say(f"{part.name} runs again.")
