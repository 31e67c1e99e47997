"""The API keeps to its own description under generated requests, the door to its contract under any bytes at all."""

import asyncio
import contextlib
import json
import time
from typing import Any

import httpx2
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_schema_conformance,
    status_code_conformance,
)

from api.webhooks.flood import FloodGuard
from tests.integration.running import Running
from tests.integration.senders import MTA_SECRET, RAW_SECRET, SENDERS

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
    negative_data_rejection,
]
PATIENT = settings(
    max_examples=120, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck), print_blob=False
)
FEW = settings(PATIENT, max_examples=12)
EVER = {200, 401, 405, 413, 503}


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE], ids=lambda m: m.value)
def test_generated_requests_are_answered_as_described(api_only: Running, mode: GenerationMode) -> None:
    """No 5xx, no undocumented status or shape; wrong data is refused."""
    headers = Running.bearer(api_only.login.api_token)
    schema = schemathesis.openapi.from_url(f"{api_only.url}/openapi.json")
    tried = 0
    for found in schema.get_all_operations():
        operation = found.ok()

        @FEW
        @given(case=operation.as_strategy(generation_mode=mode))
        def one(case: schemathesis.Case) -> None:
            nonlocal tried
            tried += 1
            case.call_and_validate(checks=CHECKS, headers=headers)

        with contextlib.suppress(Unsatisfiable):
            one()
    assert tried > 100


def _paths() -> st.SearchStrategy[str]:
    known = st.sampled_from([sender.path for sender in SENDERS.values()])
    anything = st.binary(max_size=20).map(lambda raw: "/webhooks/" + "".join(f"%{byte:02x}" for byte in raw))
    return known | known | anything | st.text("abcz/.-_%20", max_size=12).map(lambda tail: f"/webhooks/raw/{tail}")


HEADER_VALUES = st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E), min_size=1, max_size=40)
HEADERS = st.dictionaries(
    st.sampled_from(["content-type", "webhook-id", "webhook-timestamp", "webhook-signature", "x-mta-signature",
                     "x-mta-timestamp", "x-envelope-from", "x-envelope-to", "content-encoding", "expect"]),
    HEADER_VALUES, max_size=6,
)  # fmt: skip
BODIES = st.binary(max_size=3000) | st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
).map(lambda value: repr(value).encode("utf-8", "surrogatepass"))


@PATIENT
@given(method=st.sampled_from(["POST"] * 6 + ["GET", "PUT", "PATCH"]), path=_paths(), headers=HEADERS, body=BODIES)
async def test_no_request_gets_an_answer_that_loses_mail(
    api_only: Running, method: str, path: str, headers: dict[str, str], body: bytes
) -> None:  # RS-12
    """Whatever is sent below /webhooks: never 403, 404, 406, 410, 422, 429 or a redirect."""
    headers.pop("expect", None)
    answer = await api_only.request(method, path, token="", content=body, headers=headers)
    assert answer.status_code in EVER, (method, path, answer.status_code)


PAYLOADS = st.fixed_dictionaries(
    {},
    optional={
        name: st.none() | st.integers() | st.text(max_size=60) | st.lists(st.text(max_size=5), max_size=3)
        | st.dictionaries(st.text(max_size=8), st.text(max_size=40), max_size=4)
        for name in ("from", "to", "subject", "textBody", "htmlBody", "headers", "date", "messageId", "inReplyTo",
                     "references", "spfResult", "dkimResult", "dmarcResult", "attachments")
    },
)  # fmt: skip
HEADER_LINES = st.lists(
    st.tuples(
        st.sampled_from([b"From", b"To", b"Cc", b"Subject", b"Date", b"Message-ID", b"X-Odd"]), st.binary(max_size=80)
    ),
    max_size=8,
).map(lambda lines: b"".join(name + b": " + value + b"\r\n" for name, value in lines))


@PATIENT
@given(payload=PAYLOADS, event=st.sampled_from(["inbound.received", "delivered", "bounced", "other", 5, None]))
async def test_every_signed_event_is_taken_in(
    api_only: Running, payload: dict[str, Any], event: Any
) -> None:  # RC11, AD2
    """Fields that are missing or of any type end in a message, the poison lane or a count: always 200."""
    await api_only.source("mta", "mta", MTA_SECRET)
    body = json.dumps({"event": event, "inboundPayload": payload}).encode()
    answer = await _signed(api_only, "mta", body)
    assert answer.status_code == 200, body


@PATIENT
@given(head=HEADER_LINES, rest=st.binary(max_size=300), hint=HEADER_VALUES)
async def test_every_signed_mail_is_taken_in(
    api_only: Running, head: bytes, rest: bytes, hint: str
) -> None:  # RC8, RC11
    """Any bytes, NUL and broken headers included, with any envelope hints: always 200, and the bytes are kept."""
    await api_only.source("shop", "raw", RAW_SECRET)
    body = head + b"\r\n" + rest
    answer = await _signed(
        api_only, "raw", body, {"x-envelope-from": hint, "x-envelope-to": f"{hint}, support@shop.example"}
    )
    assert answer.status_code == 200, body
    if not answer.json()["duplicate"]:
        raw = await api_only.get(f"/api/messages/{answer.json()['message_id']}/raw")
        assert raw.content == body


async def _signed(api_only: Running, kind: str, body: bytes, more: dict[str, str] | None = None) -> httpx2.Response:
    api_only.app.state.reader.flood = FloodGuard()
    headers = {**SENDERS[kind].headers(body, at=int(time.time())), **(more or {})}
    return await api_only.request("POST", SENDERS[kind].path, token="", content=body, headers=headers)


async def test_fifty_slow_bodies_leave_room_for_the_next(api_only: Running) -> None:  # RC17
    """32 bodies are read at a time; a sender who dawdles holds a place for a while, not for ever."""
    host, port = api_only.url.removeprefix("http://").split(":")
    body = SENDERS["mta"].good()
    await api_only.source("mta", "mta", MTA_SECRET)
    signed = "".join(f"{name}: {value}\r\n" for name, value in SENDERS["mta"].headers(body).items())
    head = f"POST /webhooks/mta HTTP/1.1\r\nHost: x\r\n{signed}Content-Length: 1000\r\n\r\nab".encode()
    lines = [await asyncio.open_connection(host, int(port)) for _ in range(32)]
    for _, writer in lines:
        writer.write(head)
    await asyncio.sleep(0.5)
    busy = await _signed(api_only, "mta", SENDERS["mta"].good())
    assert busy.status_code == 503 and busy.headers["retry-after"] == "30"
    for _, writer in lines:
        writer.close()

    async def free() -> bool:
        return (await _signed(api_only, "mta", SENDERS["mta"].good())).status_code == 200

    await api_only.eventually(free)
