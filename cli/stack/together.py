"""Runs several pieces of work at once with plain errors, since a group of exceptions is no message for a person."""

import asyncio
from collections.abc import Coroutine
from typing import Any


async def together(*work: Coroutine[Any, Any, None]) -> None:
    """Wait for all; the first failure cancels the rest and is raised by itself."""
    try:
        async with asyncio.TaskGroup() as group:
            for piece in work:
                group.create_task(piece)
    except BaseExceptionGroup as failures:
        raise failures.exceptions[0] from None
