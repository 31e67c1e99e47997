"""What counts as a result: a strict document with substance, and one digest over one canonical form (M103-M105)."""

import hashlib
import json
import re
from typing import Any, Final

from pydantic import ValidationError

from contracts.missions_results import ResultDocument

MOST_BYTES: Final = 256 * 1024
_PROGRESS: Final = re.compile(
    r"^\W*(?:(?:i am|i'm|we are|am)\s+)?(?:still\s+)?"
    r"(?:working|in progress|processing|pending|on it|not done yet|to be continued|one moment|please wait)\b",
    re.IGNORECASE,
)
_SHORT: Final = 80


class NoResult(Exception):  # noqa: N818 - a verdict, not a crash
    """Not a result; `reason` is a code for the agent and the log."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def canonical(document: ResultDocument) -> str:
    """The one JSON form: sorted keys, no spaces, UTF-8 as it is."""
    body = document.model_dump(mode="json")
    return json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def digest_of(text: str) -> str:
    """SHA-256 of a canonical form, hex."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def read_result(arguments: dict[str, Any]) -> ResultDocument:
    """The document in what an agent submitted. Raises NoResult."""
    raw = json.dumps(arguments, ensure_ascii=False)
    if "\\u0000" in raw:
        raise NoResult("nul_character")
    if len(raw.encode("utf-8", "surrogatepass")) > MOST_BYTES:
        raise NoResult("too_large")
    try:
        document = ResultDocument.model_validate(arguments)
    except ValidationError as fault:
        raise NoResult(_code(fault)) from None
    objection = substance_objection(document)
    if objection:
        raise NoResult(objection)
    return document


def _code(fault: ValidationError) -> str:
    kinds = {error["type"] for error in fault.errors()}
    if "extra_forbidden" in kinds:
        return "unknown_field"
    return "too_large" if kinds & {"string_too_long", "too_long"} else "wrong_shape"


def substance_objection(document: ResultDocument) -> str | None:
    """Why a well-formed document is no result yet: empty, progress only, or cut off (M105)."""
    text = document.summary.strip()
    if not text:
        return "empty"
    bare = not (document.fragments or document.blockers or document.checks)
    if bare and len(text) <= _SHORT and _PROGRESS.match(text):
        return "progress_only"
    if any(looks_cut(part) for part in (text, *(fragment.text for fragment in document.fragments))):
        return "truncated"
    return "empty" if any(not fragment.text.strip() for fragment in document.fragments) else None


def looks_cut(text: str) -> bool:
    """Does the text visibly stop in the middle: an open code fence, a dangling comma, an ellipsis of a cut?"""
    tail = text.rstrip()
    return tail.count("```") % 2 == 1 or tail.endswith((",", "[...]", "[truncated]", " -", "("))


def incomplete_document(reason: str) -> ResultDocument:
    """What stands in for a result that never came; it claims nothing (M66)."""
    return ResultDocument(summary=f"No result: {reason}.")
