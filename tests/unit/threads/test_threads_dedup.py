"""When two deliveries are one mail, and when they only pretend to be (DK1-DK5)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain import dedup
from domain.dedup import Delivery, DeliveryFacts, body_digest, body_digest_generic, dedup_key, judge_delivery

KEY = b"organisation-key"
FIELDS = {
    "message_id": "1@customer.example",
    "from_address": "anna@customer.example",
    "date": "Mon, 2 Mar 2026 10:00:00 +0100",
    "to": "support@example.org",
    "cc": "",
    "subject": "Rechnung",
    "body_digest": "ab" * 32,
}
WITHOUT_ID = {**FIELDS, "message_id": ""}


def raw(headers: str, body: str) -> bytes:
    """A mail with CRLF line ends."""
    return f"{headers}\n\n{body}".replace("\n", "\r\n").encode()


def test_the_key_is_hex_and_belongs_to_one_organisation() -> None:
    """64 hex digits; another organisation's key gives another one."""  # DK1
    key = dedup_key(KEY, **FIELDS)
    assert len(key) == 64 and int(key, 16)
    assert key == dedup_key(KEY, **FIELDS) != dedup_key(b"other", **FIELDS)


@pytest.mark.parametrize("field", ["message_id", "from_address", "date", "body_digest"])
def test_with_a_message_id_four_fields_make_the_key(field: str) -> None:
    """Each of Message-ID, From, Date and body digest counts."""  # DK1, C11, RS-13
    assert dedup_key(KEY, **{**FIELDS, field: "x"}) != dedup_key(KEY, **FIELDS)


@pytest.mark.parametrize("field", ["to", "cc", "subject"])
def test_with_a_message_id_rewritten_headers_do_not_count(field: str) -> None:
    """A gateway that touches To, Cc or Subject does not make a second mail."""  # DK1
    assert dedup_key(KEY, **{**FIELDS, field: "x"}) == dedup_key(KEY, **FIELDS)


@pytest.mark.parametrize("field", ["from_address", "to", "cc", "subject", "date", "body_digest"])
def test_without_a_message_id_the_canonical_headers_make_the_key(field: str) -> None:
    """Without an id From, To, Cc, Subject, Date and body count, each."""  # DK1, C9
    assert dedup_key(KEY, **{**WITHOUT_ID, field: "x"}) != dedup_key(KEY, **WITHOUT_ID)


def test_two_mails_of_one_second_without_ids_are_two_and_stay_two() -> None:
    """Different bodies give different keys; the same mail again gives the same key."""  # C9
    first, second = ({**WITHOUT_ID, "body_digest": body_digest(raw("A: b", text))} for text in ("eins", "zwei"))
    assert dedup_key(KEY, **first) != dedup_key(KEY, **second)
    assert dedup_key(KEY, **first) == dedup_key(KEY, **first)


def test_folding_and_address_case_do_not_make_a_second_mail() -> None:
    """Headers are compared unfolded, the sender's address without regard to case."""  # DK1
    folded = {**WITHOUT_ID, "date": "Mon, 2 Mar 2026\r\n 10:00:00 +0100", "from_address": "Anna@Customer.example"}
    assert dedup_key(KEY, **folded) == dedup_key(KEY, **WITHOUT_ID)


@given(st.lists(st.text(alphabet="ab\x00|", max_size=3), min_size=5, max_size=5))
def test_no_shift_between_fields_makes_equal_keys(values: list[str]) -> None:
    """Text moved from one field into the next gives another key: fields are framed, not joined."""  # DK1
    one = dict(zip(["from_address", "to", "cc", "subject", "date"], values, strict=True))
    moved = ({**one, "to": one["to"] + "a"}, {**one, "cc": "a" + one["cc"]})
    assert len({dedup_key(KEY, message_id="", body_digest="", **each) for each in moved}) == 2


@given(st.text(max_size=30))
def test_any_header_text_has_a_key(text: str) -> None:
    """Lone surrogates, as raw 8-bit headers give them, are no obstacle."""  # DK1
    assert dedup_key(KEY, **{**WITHOUT_ID, "subject": text + "\udcff"})


def test_only_the_bytes_after_the_header_block_count() -> None:
    """Received, DKIM, ARC and X-headers of a second way in change nothing."""  # DK2
    plain = raw("From: anna@customer.example", "Hallo\n")
    passed = raw("Received: by mx\nDKIM-Signature: v=1;\n b=x\nX-Spam: no\nFrom: anna@customer.example", "Hallo\n")
    assert body_digest(plain) == body_digest(passed) != body_digest(raw("From: a@b", "Hallo!"))


@pytest.mark.parametrize("line_end", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("tail", [0, 1, 3])
def test_line_ends_and_trailing_blank_lines_do_not_count(line_end: bytes, tail: int) -> None:
    """Every line end is LF to the digest; blank lines at the end are dropped, those within are kept."""  # DK2
    body = line_end.join([b"A: b", b"", b"eins", b"", b"zwei"]) + line_end * tail
    assert body_digest(body) == body_digest(b"C: d\n\neins\n\nzwei")
    assert body_digest(body) != body_digest(b"C: d\n\neins\nzwei")


def test_a_mail_without_a_blank_line_keeps_its_body_in_the_digest() -> None:
    """The header block also ends at the first line that is no header, so two malformed mails stay two."""  # DK2
    one, other = (b"From: a@customer.example\n" + text for text in (b"Das erste Anliegen", b"Das zweite Anliegen"))
    assert body_digest(one) != body_digest(other)
    assert body_digest(b"From anna Mon Mar  2\nA: b\n\neins") == body_digest(b"A: b\n\neins")


@pytest.mark.parametrize("empty", [b"", b"\n", b"A: b", b"A: b\r\n", b"A: b\r\n\r\n", b"\r\n\r\n\r\n"])
def test_mail_without_a_body_has_the_digest_of_nothing(empty: bytes) -> None:
    """Header-only and empty mail are no error."""  # DK2
    assert body_digest(empty) == body_digest(b"")


@given(st.lists(st.sampled_from([b"a", b"\r", b"\n", b"\r\n", b" "]), max_size=40), st.integers(1, 5))
def test_the_digest_does_not_depend_on_how_it_is_read(pieces: list[bytes], chunk_bytes: int) -> None:
    """Read in pieces of any size, also through the middle of CRLF, the digest is that of the whole."""  # DK2
    body = b"".join(pieces)
    whole = body_digest(b"A: b\n\n" + body)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dedup, "CHUNK_BYTES", chunk_bytes)
        assert body_digest(b"A: b\n\n" + body) == whole
    unified = body.replace(b"\r\n", b"\n").replace(b"\r", b"\n").rstrip(b"\n")
    assert whole == body_digest(b"\n" + unified)


PAYLOAD = {
    "textBody": "Hallo\r\nWelt\r\n",
    "htmlBody": None,
    "attachments": [{"filename": "a.pdf", "contentType": "application/pdf", "size": 3, "redisKey": "k1"}],
}


def test_a_json_mail_is_its_two_bodies_and_its_attachments() -> None:
    """Headers, ids and the source's own storage key change nothing; bodies and attachments do."""  # DK2, AD2
    digest = body_digest_generic(PAYLOAD)
    moved = [{**PAYLOAD["attachments"][0], "redisKey": "k2"}]
    assert body_digest_generic({**PAYLOAD, "attachments": moved, "headers": {"X-A": "b"}}) == digest
    assert body_digest_generic({**PAYLOAD, "textBody": "Hallo\nWelt"}) == digest
    for change in ({"textBody": "x"}, {"htmlBody": "x"}, {"attachments": []}):
        assert body_digest_generic({**PAYLOAD, **change}) != digest


def test_the_content_of_a_json_attachment_counts_and_not_its_line_breaks() -> None:
    """Two files of one name differ by content; base64 wrapped differently is the same content."""  # DK2
    def digest(content: str) -> str:
        return body_digest_generic({"attachments": [{"filename": "a", "contentBase64": content}]})

    assert digest("aGFsbG8=") == digest("aGFs\nbG8=") != digest("d2VsdA==")
    assert digest("\u00e4") != digest("")


json_values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from(["textBody", "htmlBody", "attachments", "x"]), json_values))
def test_odd_json_never_raises(payload: dict) -> None:
    """Wrong types in a payload are hashed as they are."""  # AD2, RC2
    assert len(body_digest_generic(payload)) == 64


@pytest.mark.parametrize(
    ("facts", "delivery", "flags"),
    [
        (DeliveryFacts(), Delivery.NEW, ()),
        (DeliveryFacts(key_known=True), Delivery.DUPLICATE, ()),
        (DeliveryFacts(key_known=True, same_id_other_key=True), Delivery.DUPLICATE, ()),
        (DeliveryFacts(same_id_other_key=True), Delivery.VARIANT, ("same_id_other_body",)),
        (DeliveryFacts(key_deleted=True, same_id_other_key=True), Delivery.DUPLICATE_OF_DELETED, ()),
        (DeliveryFacts(event_id_known=True, event_content_same=True), Delivery.DUPLICATE, ()),
        (DeliveryFacts(event_id_known=True), Delivery.NEW, ("event_id_reused",)),
        (DeliveryFacts(event_id_known=True, key_known=True), Delivery.DUPLICATE, ("event_id_reused",)),
    ],
)
def test_deliveries_are_judged_by_content(facts: DeliveryFacts, delivery: Delivery, flags: tuple[str, ...]) -> None:
    """A repeat is a repeat under any event id; a known id around other content is a new, flagged mail."""
    verdict = judge_delivery(facts)  # DK3, DK4, DK5, RS-13, RS-14, C11
    assert (verdict.delivery, verdict.flags) == (delivery, flags)
    assert verdict.autonomy_off is (delivery is Delivery.VARIANT)
