"""The payload of the generic JSON event (AD2)."""

import base64
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.mail import ParsedMail
from domain.mail.generic import parse_generic
from tests.unit.mail.mail_corpus import PDF, RECEIVED

PAYLOAD: dict[str, Any] = {
    "from": "ada@customer.example",
    "to": "support@shop.example",
    "subject": "Where is my parcel?",
    "textBody": "Guten Tag, wo ist mein Paket?\r\n\r\n> We sent it\r\n",
    "headers": {"From": "Ada <ada@customer.example>", "Reply-To": "orders@customer.example", "X-Loop": "1"},
    "date": "Mon, 1 Jun 2026 10:00:00 +0200",
    "messageId": "m1@Customer.example",
    "inReplyTo": "a@B",
    "references": "x@y a@B",
    "spfResult": "pass",
}


def read(**changes: Any) -> ParsedMail:
    """The payload above with changes; `None` removes a field."""
    fields = {name: value for name, value in {**PAYLOAD, **changes}.items() if value is not None}
    return parse_generic(fields, received_at=RECEIVED, envelope_sender=None, envelope_recipients=())[0]


def test_the_fields_of_the_event_become_the_mail() -> None:
    """Sender with the name of its header, ids without brackets, body split, language, headers in lower case (AD2)."""
    shown = read()
    assert shown.raw_kind == "provider_json"
    assert shown.from_ is not None
    assert (shown.from_.address, shown.from_.name) == ("ada@customer.example", "Ada")
    assert shown.message_id == "m1@customer.example"
    assert (shown.in_reply_to, shown.references) == (("a@b",), ("x@y", "a@b"))
    assert shown.new_text == "Guten Tag, wo ist mein Paket?"
    assert shown.language == "de"
    assert shown.date is not None and shown.date.hour == 8
    assert [each.address for each in shown.reply_to] == ["orders@customer.example"]
    assert ("x-loop", "1") in shown.headers
    assert shown.envelope_recipients == ("support@shop.example",)
    assert not shown.ambiguous_sender


def test_envelope_facts_of_the_caller_go_first() -> None:
    """What the receiver knows of the envelope is not overwritten by the payload (AD2)."""
    shown, _ = parse_generic(
        PAYLOAD, received_at=RECEIVED, envelope_sender="bounce@x.example", envelope_recipients=("b@shop.example",)
    )
    assert (shown.envelope_sender, shown.envelope_recipients) == ("bounce@x.example", ("b@shop.example",))


def test_a_header_that_names_another_sender_is_ambiguous() -> None:
    """The bare address is used, and the contradiction is flagged (AD2, AM1)."""
    shown = read(headers={"From": "Eve <eve@evil.example>"})
    assert shown.from_ is not None and shown.from_.address == "ada@customer.example"
    assert shown.ambiguous_sender


@pytest.mark.parametrize("value", ["unknown-1717230000", "<unknown-17@host>", "", None, 17, {}])
def test_an_invented_message_id_is_absent(value: Any) -> None:
    """`unknown-<digits>` is no id (AD2)."""
    assert read(messageId=value).message_id == ""


@pytest.mark.parametrize("value", ["(no subject)", "(No Subject)", "", None])
def test_an_invented_subject_is_absent(value: Any) -> None:
    """`(no subject)` is no subject (AD2)."""
    assert read(subject=value).subject == ""


def test_a_line_break_in_a_field_is_gone() -> None:
    """JSON can carry raw CR and LF and encoded words into a header field (MI6, C21)."""
    assert read(subject="x\r\nBcc: v@evil.example").subject == "x Bcc: v@evil.example"
    assert read(subject="=?utf-8?q?x=0ABcc:_v?=").subject == "x Bcc: v"


def test_attachments_without_content_are_listed_as_not_delivered() -> None:
    """Metadata is shown as such and never as an empty file (AD2)."""
    shown = read(attachments=[{"filename": "..\\a.pdf", "contentType": "application/pdf", "size": 77, "redisKey": "k"}])
    (attachment,) = shown.attachments
    assert (attachment.name, attachment.size_bytes, attachment.delivered) == ("a.pdf", 77, False)
    assert (attachment.sha256, attachment.flags) == ("", ("not_delivered",))


def test_content_that_came_along_is_kept() -> None:
    """`contentBase64` makes an ordinary attachment, also if it is damaged (AD2, MI5)."""
    entry = {"filename": "a.pdf", "contentType": "application/pdf", "contentBase64": base64.b64encode(PDF).decode()}
    fields = {**PAYLOAD, "attachments": [entry, {"filename": "b.txt", "contentBase64": "aGVsbG8*"}]}
    shown, kept = parse_generic(fields, received_at=RECEIVED, envelope_sender=None, envelope_recipients=())
    assert [each.delivered for each in shown.attachments] == [True, True]
    assert list(kept.values()) == [PDF, b"hello"]
    assert "base64_broken" in shown.defects


@pytest.mark.parametrize(
    ("plain", "rich", "text", "differ"),
    [
        (None, "<p>Hello <b>there</b></p>", "Hello there", False),
        ("Hello there", "<p>Hello there</p>", "Hello there", False),
        ("pay nothing now", "<p>wire all money</p>", "pay nothing now\n\nwire all money", True),
        (None, None, "Where is my parcel?", False),
    ],
)
def test_the_body_follows_the_rules_of_raw_mail(plain: str | None, rich: str | None, text: str, differ: bool) -> None:
    """Plain before HTML, both if they differ, the subject if there is neither (MI9-MI12, AD2)."""
    shown = read(textBody=plain, htmlBody=rich)
    assert (shown.text, shown.parts_differ) == (text, differ)


@pytest.mark.parametrize(
    ("value", "found"), [(1780300800000, True), ("2026-06-01T08:00:00Z", True), ("soon", False), ([], False)]
)
def test_dates_of_the_payload(value: Any, found: bool) -> None:
    """Milliseconds and ISO dates are understood, anything else is unknown (AD2, MI20)."""
    assert (read(date=value).date is not None) is found


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
NAMES = st.sampled_from([*PAYLOAD, "htmlBody", "attachments", "unheardOf"])


@given(st.dictionaries(NAMES, JSON, max_size=8))
@settings(max_examples=80)
def test_any_payload_is_a_mail(fields: dict[str, Any]) -> None:
    """Fields of any type, missing and unknown ones: never an error, always storable (AD2, MI2)."""
    shown, _ = parse_generic(fields, received_at=RECEIVED, envelope_sender=None, envelope_recipients=())
    assert "\\u0000" not in shown.model_dump_json()


def test_lone_surrogates_of_json_are_replaced() -> None:
    """JSON can spell what no text may hold (MI2)."""
    fields = json.loads('{"subject": "a\\ud800b\\u0000", "textBody": "\\udfff", "from": "\\ud800@x"}')
    shown, _ = parse_generic(fields, received_at=RECEIVED, envelope_sender=None, envelope_recipients=())
    assert shown.subject == "a\ufffdb"
    shown.model_dump_json().encode("utf-8")
