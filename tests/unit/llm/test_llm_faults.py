"""Retry-After in all its forms, and what each kind of failure means."""

import httpx2
import openai
import pytest

from adapters.llm.faults import Failure, failure_of, retry_after_s
from adapters.llm.tasks import ModelChoice, model_for
from contracts.errors import BadApiKey, ContentRefused, PermanentFault, TransientFault, UnknownModel
from contracts.llm import ModelTask
from tests.peers.model_setup import PeerSettings

CHOICE: ModelChoice = model_for(ModelTask.CLASSIFY, PeerSettings(llm_base_url="http://127.0.0.1:9"))
REQUEST = httpx2.Request("POST", "http://127.0.0.1:9/v1/chat/completions")
MAIL = "Dear team, my card 4111 was charged twice"


def failed(status: int, body: object = None, headers: dict[str, str] | None = None) -> Failure:
    """The meaning of one HTTP error as the library raises it."""
    response = httpx2.Response(status, request=REQUEST, json=body, headers=headers)
    client = openai.AsyncOpenAI(api_key="k", base_url="http://127.0.0.1:9")
    return failure_of(client._make_status_error_from_response(response), CHOICE)


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": " 1.5 "}, 1.5),
        ({"retry-after": "1500ms"}, 1.5),
        ({"retry-after": "20s"}, 20.0),
        ({"retry-after-ms": "250"}, 0.25),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after-ms": "soon", "retry-after": "9"}, 9.0),
        ({"retry-after": "Wed, 21 Oct 2026 07:28:30 GMT", "date": "Wed, 21 Oct 2026 07:28:00 GMT"}, 30.0),
        ({"retry-after": "Wed, 21 Oct 2026 07:28:30", "date": "Wed, 21 Oct 2026 07:28:00 GMT"}, 30.0),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
        ({"retry-after": "Wed, 21 Oct 2199 07:28:00 GMT"}, 300.0),
        ({"retry-after": "86400"}, 300.0),
        ({"retry-after": "-5"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "9" * 400}, None),
        ({"retry-after": "tomorrow"}, None),
        ({"retry-after": "Wed, 99 Oct 99999 07:28:00 +9999"}, None),
    ],
)
def test_a_pause_is_read_in_every_form_and_capped_at_five_minutes(
    headers: dict[str, str], expected: float | None
) -> None:
    """Seconds, milliseconds or an HTTP date by the server's own clock; nonsense is no wish."""  # P33
    assert retry_after_s(headers) == expected


@pytest.mark.parametrize(
    ("status", "code", "error", "outcome"),
    [
        (401, None, BadApiKey, "bad_key"),
        (403, None, BadApiKey, "bad_key"),
        (404, None, UnknownModel, "unknown_model"),
        (400, "model_not_found", UnknownModel, "unknown_model"),
        (400, "content_filter", ContentRefused, "refused"),
        (400, "content_policy_violation", ContentRefused, "refused"),
        (408, None, TransientFault, "server_error"),
        (409, None, TransientFault, "server_error"),
        (429, "insufficient_quota", TransientFault, "rate_limited"),
        (500, None, TransientFault, "server_error"),
        (503, None, TransientFault, "server_error"),
        (529, None, TransientFault, "server_error"),
        (302, None, PermanentFault, "rejected"),
        (400, "context_length_exceeded", PermanentFault, "rejected"),
        (402, None, PermanentFault, "rejected"),
        (413, None, PermanentFault, "rejected"),
    ],
)
def test_each_status_has_one_meaning(status: int, code: str | None, error: type[Exception], outcome: str) -> None:
    """Permanent faults end a step at once, transient ones are tried again."""  # P34
    failure = failed(status, {"error": {"message": "no", "code": code}})
    assert type(failure.error) is error
    assert failure.outcome == outcome
    assert not failure.may_be_billed


def test_a_transient_fault_carries_the_providers_wish() -> None:
    """The workflow's retry waits as long as the provider asks."""  # P33
    error = failed(429, {}, {"retry-after": "12"}).error
    assert isinstance(error, TransientFault) and error.retry_after_s == 12.0


@pytest.mark.parametrize("status", [400, 401, 404, 429, 500])
@pytest.mark.parametrize("code", [None, "odd_code", MAIL])
def test_no_message_repeats_what_a_provider_said(status: int, code: str | None) -> None:
    """Providers quote the prompt in their errors, and ours end up in logs and histories."""  # P23
    failure = failed(status, {"error": {"message": f"invalid prompt: {MAIL}", "code": code, "param": MAIL}})
    assert MAIL not in str(failure.error) and "4111" not in repr(failure.error)
    assert "classify" in str(failure.error)


@pytest.mark.parametrize(
    ("body", "declined"),
    [
        ({"error": {"message": "not supported", "param": "response_format"}}, "response_format"),
        ({"error": {"message": "Invalid parameter: 'response_format' of type 'json_schema'"}}, "response_format"),
        ({"detail": [{"loc": ["body", "response_format"], "msg": "bad"}]}, "response_format"),
        ({"error": {"message": "Use 'max_completion_tokens'.", "param": "max_tokens"}}, "max_tokens"),
        ({"error": {"message": "Only the default", "param": "temperature"}}, "temperature"),
        ({"error": {"message": "the mail says response_format", "param": "messages"}}, ""),
        ({"error": {"message": "too long"}}, ""),
    ],
)
@pytest.mark.parametrize("status", [400, 422])
def test_a_declined_parameter_is_recognised(body: dict[str, object], declined: str, status: int) -> None:
    """The named field decides before the wording does, since the wording may quote mail."""
    failure = failed(status, body)
    assert failure.declined == declined
    assert failure.outcome == ("unsupported" if declined else "rejected")


@pytest.mark.parametrize(
    ("error", "outcome", "billed"),
    [
        (TimeoutError(), "timeout", True),
        (openai.APITimeoutError(REQUEST), "timeout", True),
        (openai.APIConnectionError(request=REQUEST), "unreachable", True),
        (ValueError("no JSON"), "malformed", True),
        (httpx2.InvalidURL("x"), "unreachable", False),
    ],
)
def test_a_call_that_may_have_been_worked_on_is_charged(error: Exception, outcome: str, billed: bool) -> None:
    """A lost answer still costs; a request that never left does not."""  # P110
    failure = failure_of(error, CHOICE)
    assert (failure.outcome, failure.may_be_billed) == (outcome, billed)
    assert isinstance(failure.error, TransientFault)


def test_a_refused_connection_is_not_charged() -> None:
    """Nobody can have worked on what was never sent."""  # P110
    error = openai.APIConnectionError(request=REQUEST)
    error.__cause__ = httpx2.ConnectError("refused")
    assert not failure_of(error, CHOICE).may_be_billed
