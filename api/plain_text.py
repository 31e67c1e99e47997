"""What no database stores is refused at one place, in any field of any body: NUL, and half of a surrogate pair.

A field that forgets its own check is otherwise a 500 that a client can cause.
"""

from collections.abc import Iterator
from json import JSONDecodeError
from typing import Any

from fastapi import Request

from api.errors import invalid

WORDS = "a text cannot hold NUL or half of a surrogate pair"


def is_storable(text: str) -> bool:
    """Whether Postgres can hold it as text."""
    return "\x00" not in text and not any("\ud800" <= character <= "\udfff" for character in text)


def unstorable_fields(body: Any) -> Iterator[str]:
    """Paths such as `items.0.note` of the texts that cannot be stored; of keys too. Without recursion."""
    waiting: list[tuple[str, Any]] = [("", body)]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, str) and not is_storable(value):
            yield path or "body"
        elif isinstance(value, dict):
            waiting += ((f"{path}.{_key(key)}".strip("."), inner) for key, inner in value.items())
            if not all(map(is_storable, value)):
                yield path or "body"
        elif isinstance(value, list):
            waiting += ((f"{path}.{place}".strip("."), inner) for place, inner in enumerate(value))


def _key(name: str) -> str:
    return name[:100].encode("utf-8", "replace").decode()


async def storable_body(request: Request) -> None:
    """A dependency of the whole API; FastAPI has read the JSON of a route that takes some, so nothing is read twice."""
    if request.scope["route"].body_field is None:
        return
    try:
        body = await request.json()
    except (JSONDecodeError, UnicodeDecodeError, RecursionError):
        return
    field = next(unstorable_fields(body), None)
    if field is not None:
        raise invalid(field, WORDS)
