"""Named points at which a fault test holds this process before it kills it; without the variable they cost one look-up.

They stand among the contracts because activities and adapters both pass them and may not know each other.
"""

import asyncio
import os

VARIABLE = "DESKHAND_BARRIER"


async def barrier(name: str, about: object = "") -> None:
    """Holds the first caller at a point of DESKHAND_BARRIER (`<name>:<file>[,<name>:<file>...]`) until it is killed.

    The file is made then and says what the caller works on; everybody else passes.
    """
    points = os.environ.get(VARIABLE)
    if points:
        await _hold(dict(point.split(":", 1) for point in points.split(",")).get(name), about)


async def _hold(file: str | None, about: object) -> None:
    if file is None:
        return
    try:
        with open(file, "x", encoding="utf-8") as mark:
            mark.write(str(about))
    except FileExistsError:
        return
    await asyncio.Event().wait()
