"""Any bytes give a mail (MI2, MI21, RS-27)."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import domain.mail.parse
from contracts.mail import ParsedMail
from domain.mail.parse import PARSER_VERSION, parse_rfc822
from tests.unit.mail.mail_corpus import CORPUS, RECEIVED

NAMES = sorted(set(CORPUS) - {"many parts", "deep", "many headers", "long header"})
SPLICES = (
    *(
        b"\r\n",
        b"\r\n\r\n",
        b"\n",
        b"\x00",
        b"--=_b1\r\n",
        b"--=_b1--\r\n",
        b'"',
        b";",
        b"=?utf-8?q?",
        b"?=",
        b"=",
        b"\xff",
    ),
    *(
        b"Content-Type: multipart/mixed; boundary==_b1\r\n",
        b"Content-Type: message/rfc822\r\n",
        b"charset=utf-7",
        b"<>",
    ),
    *(
        b"Content-Transfer-Encoding: base64\r\n",
        b"begin 644 x\n",
        b"\x1b$B",
        b"Subject: ",
        b"\t",
        b"(",
        b"\xe2\x80\xae",
    ),
)


def read(raw: bytes) -> tuple[ParsedMail, dict[str, bytes]]:
    """`raw` through the door that never raises."""
    return parse_rfc822(raw, received_at=RECEIVED, envelope_sender=None, envelope_recipients=())


def check(raw: bytes) -> None:
    """No fault of the parser, nothing that cannot be stored, every listed file there."""
    shown, contents = read(raw)
    assert "parser_error" not in shown.defects, shown.defects
    assert "\\u0000" not in shown.model_dump_json()
    assert {each.sha256 for each in shown.attachments if each.sha256} == set(contents)
    assert shown.parser_version == PARSER_VERSION
    assert shown.text or not shown.subject


def mutated(raw: bytes, seed: int) -> bytes:
    """`raw` with one to six cuts, insertions, repetitions and changed bytes, the same for the same seed."""
    chance, data = random.Random(seed), bytearray(raw)
    for _ in range(chance.randint(1, 6)):
        place = chance.randrange(len(data) + 1)
        kind = chance.randrange(5)
        if kind == 0:
            del data[place : place + chance.randint(1, 60)]
        elif kind == 1:
            data[place:place] = chance.choice(SPLICES)
        elif kind == 2:
            start = chance.randrange(len(data) + 1)
            data[place:place] = data[start : start + 200]
        elif kind == 3 and place < len(data):
            data[place] = chance.randrange(256)
        else:
            del data[place:]
    return bytes(data)


@pytest.mark.parametrize("name", sorted(CORPUS))
def test_the_corpus_is_parsed(name: str) -> None:
    """Every mail of the corpus gives a storable result with all its files (RS-27)."""
    check(CORPUS[name])


@given(st.binary(max_size=400))
@settings(max_examples=60)
def test_random_bytes_are_parsed(raw: bytes) -> None:
    """Noise is a mail too (MI2)."""
    check(raw)


@given(st.sampled_from(NAMES), st.integers(0, 2**32))
@settings(max_examples=250)
def test_mutated_mails_are_parsed(name: str, seed: int) -> None:
    """Cuts, insertions and repetitions in real structures raise nothing and lose nothing (MI21, RS-27)."""
    check(mutated(CORPUS[name], seed))


@pytest.mark.long
@pytest.mark.parametrize("block", range(20))
def test_a_hundred_thousand_mutations_are_parsed(block: int) -> None:
    """The release bar: 1,500 mails and 100,000 mutations, 0 exceptions (MI21, RS-27)."""
    mails = [mutated(CORPUS[name], seed) for seed in range(1_500 // len(NAMES) + 1) for name in NAMES]
    for seed in range(5_000 * block, 5_000 * (block + 1)):
        check(mutated(mails[seed % len(mails)], seed))


def test_the_same_bytes_give_the_same_mail() -> None:
    """Parsing is a function of its input, so a mail can be parsed again at any time (MI21)."""
    for name in NAMES:
        assert read(CORPUS[name]) == read(CORPUS[name])


@pytest.mark.parametrize("fault", [RecursionError, ValueError, MemoryError])
def test_a_fault_of_ours_gives_headers_and_the_whole_mail(
    fault: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever breaks inside, the result has the headers, the raw mail as a file, and a defect (MI2)."""

    def broken(*_: object) -> None:
        raise fault

    monkeypatch.setattr(domain.mail.parse, "render", broken)
    raw = CORPUS["plain"]
    shown, contents = read(raw)
    assert shown.defects == ("parser_error", f"parser_error_{fault.__name__}")
    assert (shown.subject, shown.message_id) == ("Order 4711", "m1@customer.example")
    assert shown.from_ is not None and shown.from_.identity == "ada@customer.example"
    assert shown.ambiguous_sender, "a mail that was not read whole is never answered by the machine"
    assert list(contents.values()) == [raw]
