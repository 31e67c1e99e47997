"""The scan of a text before it leaves: findings a person must confirm, and a few that nobody can (HW4, HW5, P98a)."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from domain.detect.families import WEIGHTS, Band
from domain.detect.parts import TextPart
from domain.detect.scan import scan
from domain.outbound.allow import LinkRule
from domain.outbound.leaks import find_leaks
from domain.outbound.links import Link, foreign_links
from domain.text.characters import without_surrogates
from domain.text.decode import decoded_runs
from domain.text.fold import fold
from domain.text.normalise import RAW, Form, undisguised

SNIPPET_CHARACTERS_MAX = 120
OVERLAP_WORDS = 8
SQUEEZED_LENGTH_MIN = 8
_WORD = re.compile(r"\w++")
_NOT_WORD = re.compile(r"[\W_]++")


@dataclass(frozen=True, slots=True)
class Finding:
    """Something in an outgoing text that stops a machine.

    `id` stays the same while the text at its place does, wherever that moves; `start` and `end` are character offsets;
    `detail` says what it is, a host in A-label form for links. Unless `confirmable`, no person can let it pass either.
    """

    id: str
    detector: str
    start: int
    end: int
    snippet: str
    confirmable: bool = True
    detail: str = ""


@dataclass(frozen=True, slots=True)
class _Raw:
    detector: str
    start: int
    end: int
    detail: str = ""
    confirmable: bool = True


def outbound_findings(
    text: str,
    *,
    allow_links: Sequence[LinkRule] = (),
    participants: frozenset[str] = frozenset(),
    canaries: Sequence[str] = (),
    foreign_identifiers: Sequence[str] = (),
    prompts: Sequence[str] = (),
) -> tuple[Finding, ...]:
    """All findings of `text`, by place.

    `participants` are the addresses of the conversation, `foreign_identifiers` names, addresses and numbers of other
    contacts that retrieval returned, `prompts` our own prompts, of which eight words in a row are a finding.
    """
    text = without_surrogates(text)
    allowed = frozenset(_address(address) for address in participants)
    found = [
        *_planted(text, canaries, "canary"),
        *_planted(text, foreign_identifiers, "foreign_identifier"),
        *_leaks(text),
        *(_link(link) for link in foreign_links(text, allow_links, allowed)),
        *_orders(text),
        *(_Raw("prompt_overlap", start, end) for start, end in _overlaps(text, prompts)),
    ]
    return tuple(_numbered(text, sorted(set(found), key=lambda raw: (raw.start, raw.end, raw.detector))))


def unconfirmed(findings: Iterable[Finding], confirmed_ids: frozenset[str]) -> tuple[Finding, ...]:
    """The findings that still stop a person's send: not confirmed, or beyond confirming (P98a, P103)."""
    return tuple(finding for finding in findings if not finding.confirmable or finding.id not in confirmed_ids)


def _address(address: str) -> str:
    local, _, host = address.rpartition("@")
    return f"{local.casefold()}@{host.lower()}"


def _numbered(text: str, raws: list[_Raw]) -> Iterator[Finding]:
    """Findings with their ids: detector, text and count of the same before it, so that edits elsewhere change none."""
    seen: Counter[tuple[str, str]] = Counter()
    for raw in raws:
        written = text[raw.start:raw.end]
        key = (raw.detector, written)
        digest = hashlib.sha256("\x1f".join((*key, str(seen[key]))).encode(errors="replace")).hexdigest()[:20]
        seen[key] += 1
        snippet = " ".join(written.split())[:SNIPPET_CHARACTERS_MAX]
        yield Finding(digest, raw.detector, raw.start, raw.end, snippet, raw.confirmable, raw.detail)


def _forms(text: str) -> Iterator[Form]:
    raw = Form(RAW, text)
    plain = undisguised(raw, mail_encoding=False)
    yield from (raw,) if plain is raw else (raw, plain)


def _leaks(text: str) -> Iterator[_Raw]:
    for form in _forms(text):
        for leak in find_leaks(form.text):
            yield _Raw(leak.detector, *form.origin(leak.start, leak.end))


def _link(link: Link) -> _Raw:
    detail = link.address or link.host or link.scheme
    reasons = f" ({', '.join(dict.fromkeys(link.defects))})" if link.defects else ""
    return _Raw("address" if link.address else "link", link.start, link.end, detail + reasons)


def _orders(text: str) -> Iterator[_Raw]:
    """Phrases that would give orders to a machine at the other end (HD8)."""
    for hit in scan([TextPart("outgoing text", text)]).hits:
        if hit.evidence.weight >= WEIGHTS[Band.MEDIUM]:
            yield _Raw("orders_to_machine", hit.start, hit.end, hit.evidence.detector)


def _planted(text: str, values: Sequence[str], detector: str) -> Iterator[_Raw]:
    """Places of canaries and identifiers, through case, accents, blanks, punctuation and one layer of encoding."""
    wanted = {value: _squeezed(value) for value in values if _squeezed(value)}
    if not wanted:
        return
    bordered = detector != "canary"
    spans = {span for form in _forms(text) for value in wanted for span in _places(form, value, bordered)}
    long = [letters for letters in wanted.values() if len(letters) >= SQUEEZED_LENGTH_MIN]
    for run in decoded_runs(text)[0]:
        if any(letters in _squeezed(run.text) for letters in long):
            spans.add((run.start, run.end))
    for start, end in sorted(spans):
        yield _Raw(detector, start, end, confirmable=False)


def _squeezed(text: str) -> str:
    return _NOT_WORD.sub("", fold(text))


def _places(form: Form, value: str, bordered: bool) -> Iterator[tuple[int, int]]:
    """Where `value` stands in a form; a long one also with blanks or signs between its letters."""
    letters = _squeezed(value)
    if len(letters) >= SQUEEZED_LENGTH_MIN:
        body = r"[\W_]{0,3}".join(map(re.escape, letters))
    else:
        body = r"[\W_]{1,3}".join(re.escape(fold(word[0])) for word in _WORD.finditer(value))
    pattern = re.compile(rf"(?<!\w){body}(?!\w)" if bordered else body)
    folded = form.text if form.text.isascii() else "".join(map(_one_letter, form.text))
    for match in pattern.finditer(folded.lower()):
        yield form.origin(match.start(), match.end())


def _one_letter(character: str) -> str:
    """A folded character that keeps offsets; what folds to several stays."""
    plain = fold(character)
    return plain if len(plain) == 1 else character


def _overlaps(text: str, prompts: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Runs of eight or more words that stand in one of our prompts in the same order (HW5)."""
    known = {run for prompt in prompts for run in _runs([fold(word) for word in _WORD.findall(prompt)])}
    if not known:
        return
    words = [(fold(word[0]), word.start(), word.end()) for word in _WORD.finditer(text)]
    start = end = -1
    for index, run in enumerate(_runs([word for word, _, _ in words])):
        if run not in known:
            continue
        if end >= 0 and words[index][1] > end:
            yield start, end
            start = -1
        start = words[index][1] if start < 0 else start
        end = words[index + OVERLAP_WORDS - 1][2]
    if end >= 0:
        yield start, end


def _runs(words: list[str]) -> list[tuple[str, ...]]:
    return [tuple(words[index:index + OVERLAP_WORDS]) for index in range(len(words) - OVERLAP_WORDS + 1)]
