"""Message ids as people type them: whole, or a piece of the beginning or the end.

Ids made in one minute begin alike, so lists show the end; whatever piece names one message only is accepted.
"""

import re
from typing import Any, Final
from uuid import UUID

from cli.api_client import PAGE, Api
from contracts.errors import DeskhandError

SHORT: Final = 8
LEAST: Final = 4
NEWEST: Final = 5000
_PIECE = re.compile(r"[0-9a-f-]+")


class UnclearId(DeskhandError):
    """No message, or more than one, goes by that id."""


def short_id(message_id: str) -> str:
    """The end of an id, which tells messages apart."""
    return message_id[-SHORT:]


async def find_message(api: Api, given: str) -> str:
    """The whole id of a message. Raises UnclearId."""
    piece = given.strip().lower()
    try:
        return str(UUID(piece))
    except ValueError:
        pass
    if len(piece) < LEAST or not _PIECE.fullmatch(piece):
        raise UnclearId(f"{given!r} is no message id. `deskhand review` shows them; type {LEAST} characters or more.")
    found = [each for each in await _newest(api) if each.startswith(piece) or each.endswith(piece)]
    if len(found) != 1:
        raise UnclearId(_unclear(given, found))
    return found[0]


async def _newest(api: Api) -> list[str]:
    ids: list[str] = []
    cursor = None
    while len(ids) < NEWEST:
        page: dict[str, Any] = await api.get("/api/messages", limit=PAGE, cursor=cursor)
        ids += [str(row["id"]) for row in page["messages"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    return ids


def _unclear(given: str, found: list[str]) -> str:
    if not found:
        return f"No message among the newest {NEWEST} goes by {given!r}."
    return f"{len(found)} messages go by {given!r}: {', '.join(found[:5])}. Type more of it."
