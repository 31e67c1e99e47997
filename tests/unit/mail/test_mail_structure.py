"""The tree of parts, against the standard library and at its limits (MI1, MI3, RS-26, C24)."""

import email
from email import policy
from email.message import Message
from hashlib import sha256

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.mail.limits import MAX_DEPTH, MAX_PARTS
from domain.mail.structure import Part, read_structure
from tests.unit.mail.mail_corpus import CORPUS, deep, mail, multipart, parsed, part, text, whole

BEYOND_LIMITS = {"deep", "many parts", "long header", "many headers"}
WITHIN_LIMITS = sorted(set(CORPUS) - BEYOND_LIMITS - {"bare cr"})


def our_shape(tree: Part) -> tuple:  # type: ignore[type-arg]
    """Types and bodies of a tree of ours; an attached mail counts as a leaf."""
    if tree.children:
        return tree.content_type, [our_shape(child) for child in tree.children]
    return ("message",) if tree.content_type.startswith("message/") else (tree.body,)


def library_shape(message: Message) -> tuple:  # type: ignore[type-arg]
    """The same of a message of the standard library."""
    if message.get_content_maintype() == "multipart" and message.is_multipart():
        return message.get_content_type(), [library_shape(child) for child in message.get_payload()]
    if message.get_content_maintype() == "message":
        return ("message",)
    return (message._payload.encode("ascii", "surrogateescape"),)


def library(raw: bytes) -> tuple:  # type: ignore[type-arg]
    """What `email` with `policy=compat32` makes of it."""
    return library_shape(email.message_from_bytes(raw, policy=policy.compat32))


@pytest.mark.parametrize("name", WITHIN_LIMITS)
def test_the_tree_is_that_of_the_standard_library(name: str) -> None:
    """On every mail of the corpus within limits, `email` with compat32 finds the same parts (MI1)."""
    assert our_shape(read_structure(CORPUS[name]).root) == library(CORPUS[name])


SAFE_TEXT = st.text(st.sampled_from("ab -=\n\u00fc"), max_size=40).map(lambda s: s.replace("\n", "\r\n").encode())
LEAVES = SAFE_TEXT.map(lambda body: (b"Content-Type: text/plain", body))


def _pack(children: list[tuple[bytes, bytes]]) -> tuple[bytes, bytes]:
    parts = [part(body, header) for header, body in children]
    return multipart(b"mixed", *parts, boundary=sha256(b"".join(parts)).hexdigest()[:12].encode())


TREES = st.recursive(
    LEAVES,
    lambda inner: st.builds(_pack, st.lists(inner, min_size=1, max_size=4)),
    max_leaves=12,
)


@given(TREES)
@settings(max_examples=60)
def test_any_tree_is_that_of_the_standard_library(tree: tuple[bytes, bytes]) -> None:
    """Nested containers with any texts, also such that look like delimiters, give the same parts (MI1)."""
    raw = tree[0] + b"\r\n\r\n" + tree[1]
    assert our_shape(read_structure(raw).root) == library(raw)


@pytest.mark.parametrize("levels", [MAX_DEPTH + 1, 200, 2_000])
def test_depth_is_cut_and_the_rest_kept_in_one_piece(levels: int) -> None:
    """Below level 50 nothing is parsed: one opaque attachment and one defect (MI3, RS-26)."""
    shown = parsed(deep(levels))
    assert "too_deep" in shown.defects
    assert [each.flags for each in shown.attachments] == [("opaque_excess",)]


def test_the_deepest_allowed_text_is_read() -> None:
    """A mail at the limit is read whole (MI3)."""
    shown = parsed(deep(MAX_DEPTH - 1))
    assert shown.text == "The innermost text"
    assert "too_deep" not in shown.defects


@pytest.mark.parametrize("count", [1_200, 100_000])
def test_parts_are_cut_and_the_rest_kept_in_one_piece(count: int) -> None:
    """Beyond a thousand parts the rest of the mail is one opaque attachment (MI3, RS-26, C24)."""
    raw = whole(b"mixed", *[part(b"")] * count)
    structure = read_structure(raw)
    assert len(list(structure.root.walk())) == MAX_PARTS
    assert structure.rest and raw.endswith(structure.rest)
    assert "too_many_parts" in parsed(raw).defects


def test_limits_count_through_attached_mails() -> None:
    """A mail in a mail has no budget of its own (MI3)."""
    header, body = multipart(b"mixed", *[part(b"")] * 700, boundary=b"inner")
    inner = mail(body, header)
    shown = parsed(whole(b"mixed", *[part(inner, b"Content-Type: message/rfc822")] * 3))
    assert "too_many_parts" in shown.defects


def test_a_container_without_a_boundary_is_shown_as_text() -> None:
    """A multipart that cannot be taken apart is not lost: its text is the body (MI1)."""
    for name in ("no boundary", "boundary never seen"):
        assert parsed(CORPUS[name]).text == "text in a container"


def test_a_cut_mail_keeps_what_arrived() -> None:
    """Without a closing delimiter the last part reaches to the end (MI1)."""
    shown = parsed(CORPUS["missing end"])
    assert shown.text == "still here"
    assert "multipart_not_closed" in shown.defects


def test_an_outer_delimiter_ends_inner_containers() -> None:
    """A container whose end was lost ends with the one around it (RFC 2046 5.1.2)."""
    header, body = multipart(b"mixed", text("inner"), boundary=b"in")
    cut = part(body.replace(b"--in--\r\n", b""), header)
    root = read_structure(whole(b"mixed", cut, text("outer"))).root
    assert [child.content_type for child in root.children] == ["multipart/mixed", "text/plain"]


def test_a_boundary_used_twice_loses_no_part() -> None:
    """If inner and outer container share a boundary, the texts of both are read (MI1)."""
    header, body = multipart(b"mixed", text("inner one"), text("inner two"))
    assert parsed(whole(b"mixed", part(body, header), text("outer"))).text == "inner one\n\ninner two\n\nouter"


def test_a_mail_with_bare_carriage_returns_is_read() -> None:
    """Line ends of old Macintosh mail count if there are no others (MI1)."""
    assert parsed(CORPUS["bare cr"]).text == "line one\nline two"


@given(st.binary(max_size=500))
def test_any_bytes_are_a_tree(raw: bytes) -> None:
    """No bytes raise, and every span lies inside them (MI2)."""
    for each in read_structure(b"Content-Type: multipart/mixed; boundary=b\n\n--b\n" + raw).root.walk():
        assert each.headers.body_start <= each.end <= len(each.raw)
