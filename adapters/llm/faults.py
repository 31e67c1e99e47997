"""What a failed call means: wait, change a setting or give up (P34). A provider's words may quote mail and stay out."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import NamedTuple

import httpx2
import openai

from adapters.llm.ledger import CallOutcome
from adapters.llm.tasks import ModelChoice
from contracts.errors import (
    BadApiKey,
    ContentRefused,
    DeskhandError,
    PermanentFault,
    TransientFault,
    UnknownModel,
)

RETRY_AFTER_MOST_S = 300.0
_RETRY_AFTER = re.compile(r"\s*(\d{1,12}(?:\.\d{1,6})?)\s*(ms|s)?\s*", re.IGNORECASE)
_REFUSAL_CODES = {"content_filter", "content_policy_violation", "responsibleaipolicyviolation", "invalid_prompt"}
_MODEL_CODES = {"model_not_found", "invalid_model", "unknown_model"}
_PARAMETERS = ("response_format", "max_tokens", "temperature")
_UNSENT = (
    httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout, httpx2.UnsupportedProtocol, httpx2.InvalidURL
)  # fmt: skip
_CODE = re.compile(r"[A-Za-z0-9_.-]{1,64}")


class Failure(NamedTuple):
    """A failed call: the word for its row, the error for the caller, and what may be given up to try at once again.

    `may_be_billed` is True where the endpoint may have done the work although no answer came.
    """

    outcome: CallOutcome
    error: DeskhandError
    declined: str = ""
    may_be_billed: bool = False


class MalformedCompletion(ValueError):
    """A body with status 200 that is no chat completion."""


CALL_ERRORS = (openai.OpenAIError, httpx2.HTTPError, httpx2.InvalidURL, TimeoutError, ValueError, RecursionError)
"""Everything a call can raise for reasons outside this program."""


def failure_of(error: BaseException, choice: ModelChoice) -> Failure:
    """The meaning of what a call raised."""
    if isinstance(error, openai.APIStatusError):
        return _status_failure(error, choice)
    if isinstance(error, openai.APITimeoutError | TimeoutError):
        text = f"{_who(choice)} gave no answer within {choice.limits.timeout_s:g} s."
        return Failure(CallOutcome.TIMEOUT, TransientFault(text), may_be_billed=not _never_sent(error))
    if isinstance(error, openai.APIConnectionError | httpx2.HTTPError | httpx2.InvalidURL):
        text = f"{_who(choice)} cannot be reached; check LLM_BASE_URL and the network."
        return Failure(CallOutcome.UNREACHABLE, TransientFault(text), may_be_billed=not _never_sent(error))
    text = f"{_who(choice)} answered with something that is no chat completion; check LLM_BASE_URL."
    return Failure(CallOutcome.MALFORMED, TransientFault(text), may_be_billed=True)


def refusal(choice: ModelChoice) -> ContentRefused:
    """The model declined the content."""
    return ContentRefused(f"{_who(choice)} declined to answer this message; a person must.")


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """The pause a provider wants, 0 to 300 s: `retry-after-ms`; `Retry-After` as seconds, `…ms` or HTTP date (P33)."""
    wish = _amount_s(headers.get("retry-after-ms"), "ms")
    if wish is None:
        wish = _amount_s(headers.get("retry-after"), "s")
    if wish is None:
        wish = _until_s(headers.get("retry-after"), headers.get("date"))
    return None if wish is None else min(max(wish, 0.0), RETRY_AFTER_MOST_S)


def _status_failure(error: openai.APIStatusError, choice: ModelChoice) -> Failure:
    status, who = error.status_code, _who(choice)
    if status in (401, 403):
        return Failure(CallOutcome.BAD_KEY, BadApiKey(f"{who} refused the key (HTTP {status}); check LLM_API_KEY."))
    if status == 404 or _code(error) in _MODEL_CODES:
        text = f"{who} is not known there (HTTP {status}); check the LLM_MODEL settings and LLM_BASE_URL."
        return Failure(CallOutcome.UNKNOWN_MODEL, UnknownModel(text))
    if status in (408, 409, 429) or status >= 500:
        return _transient(error, choice)
    if _code(error) in _REFUSAL_CODES:
        return Failure(CallOutcome.REFUSED, refusal(choice))
    return _rejected(error, choice)


def _transient(error: openai.APIStatusError, choice: ModelChoice) -> Failure:
    outcome = CallOutcome.RATE_LIMITED if error.status_code == 429 else CallOutcome.SERVER_ERROR
    text = f"{_who(choice)} is busy or failing (HTTP {error.status_code})."
    return Failure(outcome, TransientFault(text, retry_after_s(error.response.headers)))


def _rejected(error: openai.APIStatusError, choice: ModelChoice) -> Failure:
    declined = _declined(error)
    text = f"{_who(choice)} rejected the request (HTTP {error.status_code}{_named(error)})."
    outcome = CallOutcome.UNSUPPORTED if declined else CallOutcome.REJECTED
    return Failure(outcome, PermanentFault(text), declined)


def _declined(error: openai.APIStatusError) -> str:
    """The parameter of ours that a 400 or 422 names; the named field counts before the wording."""
    if error.status_code not in (400, 422):
        return ""
    said = error.param if isinstance(error.param, str) and error.param else f"{error.message} {error.body}"
    return next((name for name in _PARAMETERS if name in said), "")


def _code(error: openai.APIStatusError) -> str:
    return (error.code or "").lower()


def _named(error: openai.APIStatusError) -> str:
    """The provider's error code where it is a plain word."""
    code = error.code or ""
    return f", {code}" if _CODE.fullmatch(code) else ""


def _who(choice: ModelChoice) -> str:
    return f"The model {choice.model!r} for task {choice.task.value}"


def _never_sent(error: BaseException) -> bool:
    """True if the connection was never made, so that nobody can have worked on the request."""
    return isinstance(error, _UNSENT) or isinstance(error.__cause__, _UNSENT)


def _amount_s(value: str | None, unit: str) -> float | None:
    found = _RETRY_AFTER.fullmatch(value or "")
    if not found:
        return None
    return float(found[1]) / (1000 if (found[2] or unit).lower() == "ms" else 1)


def _until_s(date: str | None, server_now: str | None) -> float | None:
    """Seconds to an HTTP date by the server's own clock where it shows one, since ours may differ from it."""
    until = _http_date(date)
    return None if until is None else (until - (_http_date(server_now) or datetime.now(UTC))).total_seconds()


def _http_date(value: str | None) -> datetime | None:
    try:
        date = parsedate_to_datetime(value or "")
    except (ValueError, OverflowError):
        return None
    return date if date.tzinfo else date.replace(tzinfo=UTC)
