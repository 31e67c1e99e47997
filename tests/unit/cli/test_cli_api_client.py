"""What the API's answers become in the terminal, and which requests are safe to repeat."""

from typing import Any

import httpx2
import pytest

from cli.access import NotThere, find_access
from cli.api_client import ApiRefused
from cli.message_ids import UnclearId, find_message, short_id
from contracts.errors import SettingsFault
from tests.unit.cli.api_stand_in import api_that

FIRST = "01a22e5a-e9c0-7b9d-9a27-56fb9f88d411"
SECOND = "01a22e5a-e9c0-7b9d-9a27-56fb9f88d499"
OTHER = "01a22e5b-0000-7b9d-9a27-0123456789ab"


async def refusal(status: int, body: Any) -> str:
    """The sentence for an error answer."""
    content = {"content": body} if isinstance(body, bytes) else {"json": body}
    answer = httpx2.Response(status, **content)
    async with api_that(lambda request: answer) as api:
        with pytest.raises(ApiRefused) as refused:
            await api.act(FIRST, "approve", {})
    return str(refused.value)


async def test_a_conflict_names_who_and_what_is_current() -> None:
    """P98: the loser of two clicks reads who was first and what is there now."""
    body = {
        "error": "conflict", "message": "The draft changed meanwhile: revision 2 is current.", "by": "user:1",
        "by_name": "Kim", "at": "2026-02-02T10:15:01+00:00", "status": "draft_ready", "current_revision": 2,
    }  # fmt: skip
    words = await refusal(409, body)
    assert words.startswith("The draft changed meanwhile: revision 2 is current. By Kim at 2026-02-02 ")
    assert words.endswith("Now: draft_ready. Current revision: 2.")


async def test_a_newer_mail_is_named() -> None:
    """P98: approving over a newer mail names that mail."""
    words = await refusal(409, {"message": "A newer mail arrived.", "newer_message_id": OTHER})
    assert words == f"A newer mail arrived. Newer mail: {OTHER}."


@pytest.mark.parametrize("body", [b"<html>", b"[]", b"{}", b"\xff"])
async def test_an_answer_of_a_stranger_is_said_to_be_one(body: bytes) -> None:
    """An error page of a proxy does not end in a traceback."""
    assert "Is that the API of Deskhand?" in await refusal(404, body)


async def test_a_503_is_repeated_with_the_same_request_id() -> None:
    """P100: the client repeats with the same request id, so that one click stays one action."""
    keys: list[str] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        keys.append(request.headers["idempotency-key"])
        if len(keys) < 3:
            return httpx2.Response(503, json={"message": "Nothing answered in time."})
        return httpx2.Response(200, json={"message": "Approved."})

    async with api_that(answer) as api:
        assert await api.act(FIRST, "approve", {}) == {"message": "Approved."}
        await api.act(FIRST, "approve", {})
    assert len(set(keys[:3])) == 1 and keys[3] != keys[0]


async def test_a_refusal_is_not_repeated() -> None:
    """A 409 stays a 409."""
    calls: list[httpx2.Request] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        calls.append(request)
        return httpx2.Response(409, json={"message": "No."})

    async with api_that(answer) as api:
        with pytest.raises(ApiRefused, match="No."):
            await api.act(FIRST, "reject", {})
    assert len(calls) == 1


async def test_nobody_at_the_address_says_how_to_start() -> None:
    """`make demo` and `deskhand review` without a stack say so and how to start it."""

    def answer(request: httpx2.Request) -> httpx2.Response:
        raise httpx2.ConnectError("refused")

    async with api_that(answer) as api:
        with pytest.raises(NotThere, match="make run"):
            await api.get("/api/messages")


async def found(given: str) -> str:
    """The id that a piece stands for, among three messages on two pages."""

    def answer(request: httpx2.Request) -> httpx2.Response:
        if "cursor" in request.url.params:
            return httpx2.Response(200, json={"messages": [{"id": OTHER}], "next_cursor": None})
        return httpx2.Response(200, json={"messages": [{"id": FIRST}, {"id": SECOND}], "next_cursor": SECOND})

    async with api_that(answer) as api:
        return await find_message(api, given)


@pytest.mark.parametrize(
    "given", [OTHER, OTHER.upper(), f" {OTHER} ", short_id(OTHER), "89ab", "01a22e5b", OTHER.replace("-", "")]
)
async def test_a_piece_that_names_one_message_is_enough(given: str) -> None:
    """Beginning or end, any case, also from the second page."""
    assert await found(given) == OTHER


@pytest.mark.parametrize(
    ("given", "words"),
    [("01a22e5a", "2 messages"), ("ffff", "No message"), ("9ab", "no message id"), ("../x", "no message"), ("", "id")],
)
async def test_an_unclear_piece_is_refused(given: str, words: str) -> None:
    """No guess between two messages, and nothing of a path reaches the URL."""
    with pytest.raises(UnclearId, match=words):
        await found(given)


@pytest.mark.parametrize("url", ["ftp://x.example", "deskhand.example", "http://", "http://x.example:0", "http://[x"])
def test_a_wrong_address_is_named(url: str) -> None:
    """A typing error in DESKHAND_URL is a sentence."""
    with pytest.raises(SettingsFault, match="DESKHAND_URL"):
        find_access(url)


def test_the_address_of_this_machine_follows_its_ports(monkeypatch: pytest.MonkeyPatch) -> None:
    """API_PORT and API_HOST move the address; any-address is reached over loopback, IPv6 in brackets."""
    monkeypatch.delenv("DESKHAND_URL", raising=False)
    monkeypatch.setenv("API_PORT", "9123")
    for host, shown in (("", "127.0.0.1"), ("0.0.0.0", "127.0.0.1"), ("::1", "[::1]"), ("192.0.2.7", "192.0.2.7")):
        monkeypatch.setenv("API_HOST", host)
        assert find_access().url == f"http://{shown}:9123"


def test_secrets_stay_out_of_the_repr(monkeypatch: pytest.MonkeyPatch) -> None:
    """A traceback with locals shows no token."""
    monkeypatch.setenv("DESKHAND_API_TOKEN", "dh_secret")
    access = find_access("http://x.example")
    assert access.secret("DESKHAND_API_TOKEN") == "dh_secret" and "dh_secret" not in repr(access)
