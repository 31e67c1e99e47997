"""One line of `deskhand doctor`: what was looked at, whether it is right, and what to do when it is not."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """`advice` is for a person and stays empty when all is well."""

    what: str
    is_ok: bool
    detail: str
    advice: str = ""


def fine(what: str, detail: str) -> Finding:
    """All is well."""
    return Finding(what, True, detail)


def wrong(what: str, detail: str, advice: str) -> Finding:
    """Something needs a person."""
    return Finding(what, False, detail, advice)
