"""Signature vectors: our byte-level check against the reference package, public keys, clocks and cuts (AD1, AD3)."""

import base64
import time
from datetime import UTC, datetime

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from standardwebhooks import Webhook

from api.webhooks.signatures import BodyCheck, is_fresh, mta_claim, sign_mta, sign_standard, standard_claim
from tests.integration.senders import MTA_SECRET, OTHER_RAW_SECRET, RAW_SECRET

BODY = b"Subject: Hello\r\n\r\nWhere is it?"
NOW = 1_700_000_000
BODIES = {
    "plain": BODY, "empty": b"", "8-bit": bytes(range(256)) * 3, "utf-8": "Grüße ☃".encode(),
    "5 MB": b"01234" * 1_000_000,
}  # fmt: skip


def passes(body: bytes, headers: dict[str, str], *secrets: str) -> bool:
    """Standard Webhooks, fed in pieces of uneven size as a network does."""
    claim = standard_claim(headers)
    if claim is None:
        return False
    check = BodyCheck(claim, secrets)
    for start in range(0, len(body), 65_521):
        check.feed(body[start : start + 65_521])
    return check.passes_standard(body)


def signed(body: bytes, secret: str = RAW_SECRET, event: str = "evt-1") -> dict[str, str]:
    """Headers of a good delivery."""
    return {
        "webhook-id": event,
        "webhook-timestamp": str(NOW),
        "webhook-signature": sign_standard(secret, event, NOW, body),
    }


@pytest.mark.parametrize("name", BODIES)
def test_good_bodies_pass_and_altered_ones_do_not(name: str) -> None:  # AD1
    """Also empty, 8-bit and large ones; the body, the id and the time are all under the signature."""
    body = BODIES[name]
    assert passes(body, signed(body), RAW_SECRET)
    assert not passes(body + b" ", signed(body), RAW_SECRET)
    assert not passes(body, {**signed(body), "webhook-id": "evt-2"}, RAW_SECRET)
    assert not passes(body, {**signed(body), "webhook-timestamp": str(NOW + 1)}, RAW_SECRET)
    stamp = {"x-mta-timestamp": str(NOW), "x-mta-signature": sign_mta(MTA_SECRET, NOW, body)}
    claim = mta_claim(stamp)
    assert claim is not None
    check = BodyCheck(claim, [MTA_SECRET])
    check.feed(body)
    assert check.passes_hex()
    check.feed(b" ")
    assert not check.passes_hex()


@pytest.mark.parametrize("name", ["plain", "utf-8", "empty"])
def test_the_reference_package_agrees(name: str) -> None:  # AD3
    """It signs what we accept and verifies what we sign, wherever it can read the body at all."""
    reference, text = Webhook(RAW_SECRET), BODIES[name].decode()
    at = datetime.fromtimestamp(NOW, UTC)
    assert reference.sign("evt-1", at, text) == sign_standard(RAW_SECRET, "evt-1", NOW, BODIES[name])
    now = int(time.time())
    headers = {**signed(b'{"a": 1}'), "webhook-timestamp": str(now)}
    headers["webhook-signature"] = sign_standard(RAW_SECRET, "evt-1", now, b'{"a": 1}')
    assert reference.verify('{"a": 1}', headers) == {"a": 1}


def test_any_entry_of_the_list_and_any_active_secret_may_fit() -> None:  # RC15
    """Rotation on either side."""
    good = signed(BODY)["webhook-signature"]
    for listed in (f"v1,AAAA {good}", f"{good} v1,AAAA", f"v2,x {good}"):
        assert passes(BODY, {**signed(BODY), "webhook-signature": listed}, OTHER_RAW_SECRET, RAW_SECRET)
    assert not passes(BODY, signed(BODY), OTHER_RAW_SECRET)
    assert not passes(BODY, signed(BODY))


def test_a_public_key_verifies_v1a() -> None:  # AD3
    """ed25519: only the sender holds the secret; a public key never works as an HMAC secret."""
    key = Ed25519PrivateKey.generate()
    public = "whpk_" + base64.b64encode(key.public_key().public_bytes_raw()).decode()
    signature = base64.b64encode(key.sign(f"evt-1.{NOW}.".encode() + BODY)).decode()
    headers = {**signed(BODY), "webhook-signature": f"v1a,{signature}"}
    assert passes(BODY, headers, public)
    assert not passes(BODY + b".", headers, public)
    forged = sign_standard(public, "evt-1", NOW, BODY)
    assert not passes(BODY, {**headers, "webhook-signature": forged}, public)


def test_the_id_is_signed_as_the_bytes_it_came_in() -> None:  # AD3
    """A header value above ASCII reaches us as latin-1; the signature covers the bytes."""
    event = "ev\u00fc"
    import hashlib
    import hmac

    key = base64.b64decode(RAW_SECRET.removeprefix("whsec_"))
    mac = hmac.new(key, f"{event}.{NOW}.".encode("latin-1") + BODY, hashlib.sha256).digest()
    headers = {**signed(BODY), "webhook-id": event, "webhook-signature": "v1," + base64.b64encode(mac).decode()}
    assert passes(BODY, headers, RAW_SECRET)


@pytest.mark.parametrize(("skew", "fresh"), [(0, True), (300, True), (-300, True), (301, False), (-301, False)])
def test_five_minutes_both_ways(skew: int, fresh: bool) -> None:  # RS-02
    """A replay after that is refused, and so is a clock that runs ahead."""
    claim = standard_claim(signed(BODY))
    assert claim is not None and is_fresh(claim, NOW + skew) is fresh
