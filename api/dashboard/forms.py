"""What a form sent: read with a bound, before anything else is done with it."""

from urllib.parse import parse_qsl

from starlette.requests import Request

LARGEST_FORM_BYTES = 1024 * 1024
MOST_FIELDS = 1000


class Form:
    """The fields of a form; a name may come more than once."""

    def __init__(self, pairs: list[tuple[str, str]]) -> None:
        self.pairs = pairs

    def get(self, name: str, otherwise: str = "") -> str:
        """The last value of that name."""
        return next((value for key, value in reversed(self.pairs) if key == name), otherwise)

    def all(self, name: str) -> list[str]:
        """Every value of that name, in order."""
        return [value for key, value in self.pairs if key == name]


async def read_form(request: Request) -> Form | None:
    """The fields, or None where there is too much of it."""
    content = b""
    async for piece in request.stream():
        content += piece
        if len(content) > LARGEST_FORM_BYTES:
            return None
    try:
        pairs = parse_qsl(content.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=MOST_FIELDS)
    except ValueError:
        return None
    return Form([(name, value.replace("\r\n", "\n")) for name, value in pairs])


def safe_path(path: str, otherwise: str = "/dashboard/inbox") -> str:
    """A place of ours to go back to; anything that could lead elsewhere is replaced."""
    sound = path.startswith("/dashboard/") and len(path) <= 2000 and path.isprintable() and path.isascii()
    return path if sound and "\\" not in path and "//" not in path.split("?")[0] else otherwise
