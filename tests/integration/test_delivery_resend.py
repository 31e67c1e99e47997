"""Sending through a stand-in for Resend that fails on purpose: one accepted mail for each row, or an open question.

Waiting times are shortened by injection: where the product waits 600 s for the final dot (or 60 s for an HTTP answer)
the tests let it wait a fraction of a second, against peers that do not answer before they are told to.
"""

import json
from datetime import timedelta

import pytest
from pydantic import SecretStr

from adapters.delivery.resend import ResendChannel, ResendTimeouts
from adapters.delivery.resend_body import resend_body
from contracts.delivery import HandOver
from contracts.errors import PermanentFault
from domain.reply.parts import ReplyAttachment
from tests.peers import resend_peer as rp
from tests.peers.outgoing_mail import HOSTILE, LATER, NOW, Clock, mail
from tests.peers.resend_peer import ResendPeer

pytestmark = pytest.mark.asyncio

SENT, TEMPORARY, PERMANENT, AMBIGUOUS = (
    HandOver.SENT, HandOver.REFUSED_TEMPORARY, HandOver.REFUSED_PERMANENT, HandOver.AMBIGUOUS
)  # fmt: skip


def resend(peer: ResendPeer, clock: Clock | None = None) -> ResendChannel:
    """A channel to `peer` that waits 300 ms for an answer."""
    waits = ResendTimeouts(answer=timedelta(milliseconds=300))
    return ResendChannel(SecretStr("re_test"), peer.url, timeouts=waits, now=clock or Clock())


async def test_resend_accepts() -> None:
    """An accepted mail is sent once, with the provider's id, the outbox id as key and all our fields."""  # SE6
    files = (ReplyAttachment(name="R\u00fcckgabe.pdf", media_type="application/pdf", content=b"%PDF"),)
    async with ResendPeer() as peer:
        found = await resend(peer).hand_over(mail(attachments=files, human_approved=False), deadline=LATER)
    assert (found.result, found.provider_id) == (SENT, "mail-1")
    assert peer.asked[0].key == "ob-1"
    [got] = peer.accepted
    assert got["from"] == '"M\u00fcller \\"Desk\\"" <support@desk.example>'
    assert (got["to"], got["cc"]) == (["ada@customer.example"], ["ben@customer.example"])
    assert (got["subject"], got["reply_to"]) == ("Re: R\u00fcckgabe", ["support+r.abc.def@desk.example"])
    assert got["text"] == "Dear Ada,\n\nit leaves today.\n"
    assert got["attachments"] == [
        {"filename": "R\u00fcckgabe.pdf", "content": "JVBERg==", "content_type": "application/pdf"}
    ]
    assert got["tags"] == [{"name": "outbox_id", "value": "ob-1"}]
    assert got["headers"] == {
        "Message-ID": "<ob-1.k7Qp@desk.example>",
        "In-Reply-To": "<p@customer.example>",
        "References": " ".join([*(f"<{number}@customer.example>" for number in range(30)), "<p@customer.example>"]),
        "Auto-Submitted": "auto-replied",
        "X-Auto-Response-Suppress": "All",
        "X-Deskhand-Id": "v1.ob-1.mac",
    }


async def test_resend_approved_mail_is_not_marked_automatic() -> None:
    """The switch of the header reaches the provider: approved replies carry no automatic marks, none a Precedence."""
    fields = json.loads(resend_body(mail(human_approved=True)))["headers"]  # RS-63
    assert not {"Auto-Submitted", "X-Auto-Response-Suppress", "Precedence"} & set(fields)


@pytest.mark.parametrize("mode", [rp.ACCEPT_500, rp.ACCEPT_HANG, rp.ACCEPT_CUT, rp.ACCEPT_HTML])
async def test_resend_accepted_but_not_said(mode: str) -> None:
    """Accepted, then 500, silence, a cut line or a stranger's page: ambiguous, and the same bytes give one mail.

    The silence of 30 s is shortened to 300 ms by injection.
    """  # RS-61
    async with ResendPeer([mode]) as peer:
        channel = resend(peer)
        first = await channel.hand_over(mail(), deadline=LATER)
        second = await channel.hand_over(mail(), deadline=LATER, unproven_since=NOW)
    assert (first.result, first.safe_to_retry_same_bytes, first.provider_id) == (AMBIGUOUS, True, "")
    assert (second.result, second.provider_id) == (SENT, "mail-1")
    assert len(peer.accepted) == 1 and peer.asked[0] == peer.asked[1]


async def test_resend_answers_twice() -> None:
    """Two answers to one request are one mail."""  # RS-61
    async with ResendPeer([rp.ACCEPT_TWICE]) as peer:
        assert (await resend(peer).hand_over(mail(), deadline=LATER)).result is SENT
    assert len(peer.accepted) == 1


@pytest.mark.parametrize(
    ("mode", "expected", "retry"),
    [
        ("429", TEMPORARY, False),
        ("400", PERMANENT, False),
        ("401", PERMANENT, False),
        ("403", PERMANENT, False),
        ("422", PERMANENT, False),
        ("408", AMBIGUOUS, True),
        ("500", AMBIGUOUS, True),
        ("503", AMBIGUOUS, True),
        ("409", AMBIGUOUS, False),
        (rp.BUSY, AMBIGUOUS, True),
        (rp.CUT, AMBIGUOUS, True),
        (rp.HANG, AMBIGUOUS, True),
    ],
)
async def test_resend_answers(mode: str, expected: HandOver, retry: bool) -> None:
    """Each answer of a first try means what it proves."""  # SE6, RS-61
    async with ResendPeer([mode]) as peer:
        found = await resend(peer).hand_over(mail(), deadline=LATER)
    assert (found.result, found.safe_to_retry_same_bytes) == (expected, retry)
    assert not peer.accepted and len(peer.asked) == 1


async def test_resend_rate_limit_then_accepted() -> None:
    """After 429 the row may be tried again like new, and one mail goes out."""  # RS-61
    async with ResendPeer(["429"]) as peer:
        results = [(await resend(peer).hand_over(mail(), deadline=LATER)).result for _ in range(2)]
    assert results == [TEMPORARY, SENT] and len(peer.accepted) == 1


@pytest.mark.parametrize("mode", ["429", "401", "422"])
async def test_resend_refusal_proves_nothing_of_an_earlier_try(mode: str) -> None:
    """If an earlier try may have been accepted, a refusal now leaves it open: ambiguous, not refused."""  # OB4
    async with ResendPeer([rp.ACCEPT_500, mode]) as peer:
        channel = resend(peer)
        await channel.hand_over(mail(), deadline=LATER)
        found = await channel.hand_over(mail(), deadline=LATER, unproven_since=NOW)
    assert (found.result, found.safe_to_retry_same_bytes) == (AMBIGUOUS, True)
    unreachable = await resend(peer).hand_over(mail(), deadline=LATER, unproven_since=NOW)
    assert unreachable.result is AMBIGUOUS


async def test_resend_other_payload_under_the_same_key() -> None:
    """The same key with another body is for a person: ambiguous, and no repetition is called safe."""  # SE6
    async with ResendPeer() as peer:
        channel = resend(peer)
        await channel.hand_over(mail(), deadline=LATER)
        found = await channel.hand_over(mail(body="other"), deadline=LATER, unproven_since=NOW)
    assert (found.result, found.safe_to_retry_same_bytes) == (AMBIGUOUS, False)
    assert len(peer.accepted) == 1


async def test_resend_key_is_not_used_after_its_time() -> None:
    """From 23 hours on nothing is repeated, for the provider may have forgotten the key: still one mail."""  # RS-61
    clock = Clock()
    async with ResendPeer([rp.ACCEPT_500]) as peer:
        channel = resend(peer, clock)
        await channel.hand_over(mail(), deadline=LATER)
        peer.forget_keys()
        clock.moment = NOW + timedelta(hours=23)
        found = await channel.hand_over(mail(), deadline=clock.moment + timedelta(minutes=1), unproven_since=NOW)
    assert (found.result, found.safe_to_retry_same_bytes) == (AMBIGUOUS, False)
    assert len(peer.asked) == len(peer.accepted) == 1


async def test_resend_unreachable() -> None:
    """A provider that cannot be reached got nothing."""  # OB9
    async with ResendPeer() as peer:
        channel = resend(peer)
    assert (await channel.hand_over(mail(), deadline=LATER)).result is TEMPORARY


async def test_resend_envelope_must_match_the_header() -> None:
    """Resend would send to the header's addresses, so a differing envelope stops the mail."""  # OB11
    async with ResendPeer() as peer:
        wrong = mail().model_copy(update={"recipients": ("ada@customer.example",)})
        assert (await resend(peer).hand_over(wrong, deadline=LATER)).result is PERMANENT
    assert not peer.asked


async def test_resend_hostile_text_is_only_text() -> None:
    """Header lines and dots in a text reach the provider as text and nothing else."""  # RS-65
    body = json.loads(resend_body(mail(body=HOSTILE, subject="Re: x\r\nBcc: eve@evil.example")))
    assert body["text"] == HOSTILE.replace("\r\n", "\n")
    assert (body["to"], body["subject"]) == (["ada@customer.example"], "Re: x Bcc: eve@evil.example")
    assert "bcc" not in body and not any("\n" in value for value in body["headers"].values())


async def test_resend_addresses_beyond_ascii() -> None:
    """A non-ASCII local part survives the way through the stored bytes."""  # AM7
    address = "j\u00fcrgen@customer.example"
    assert json.loads(resend_body(mail(to=(address,), cc=())))["to"] == [address]


async def test_resend_body_needs_a_usable_key() -> None:
    """An outbox id that cannot be a key stops the mail before the request."""  # SE6
    async with ResendPeer() as peer:
        odd = mail().model_copy(update={"outbox_id": "ob 1\r\nX: y"})
        assert (await resend(peer).hand_over(odd, deadline=LATER)).result is PERMANENT
    assert not peer.asked
    with pytest.raises(PermanentFault):
        resend_body(mail().model_copy(update={"recipients": ()}))
