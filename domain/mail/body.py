"""Which of the parts of a mail is what the sender said. The choice follows what a reader would see, and where two parts
say different things both are shown and the machine is kept out (MI9-MI12)."""

import re
from collections.abc import Callable
from typing import NamedTuple

from domain.mail.findings import Findings
from domain.mail.limits import MAX_HTML_BYTES
from domain.mail.other_parts import read_other
from domain.mail.structure import Part
from domain.mail.text_parts import read_html, read_plain

STUB_SHARE = 0.1
SAME_OVERLAP = 0.5
_PLAIN_TYPES = frozenset({"text/plain", "text/enriched", "text/richtext", "text/markdown", "text/x-markdown"})
_LINKS = re.compile(r"(?:https?://|www\.)[^\s<>\")\]]{1,2000}", re.IGNORECASE)
_WORD = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|\w+")


class Rendered(NamedTuple):
    """The text of one part and everything below it; `html` if any of it came from HTML."""

    text: str = ""
    html: bool = False


def render(part: Part, findings: Findings) -> Rendered:
    """The readable text of `part`; what is not text goes to `findings`. The tree is at most `MAX_DEPTH` deep."""
    reader = _CONTAINERS.get(part.content_type)
    if part.children and reader is not None:
        return reader(part, findings)
    if part.children:
        return _in_order(part, findings)
    if part.content_type.startswith("text/") and not part.opaque and not _is_file(part, findings):
        if findings.may_read_text(min(part.size_bytes, MAX_HTML_BYTES)):
            return _text(part, findings)
    inner = read_other(part, findings)
    return render(inner, findings) if inner is not None else Rendered()


def _text(part: Part, findings: Findings) -> Rendered:
    if part.content_type == "text/html":
        return Rendered(read_html(part, findings), html=True)
    return Rendered(read_plain(part, findings))


def _is_file(part: Part, findings: Findings) -> bool:
    """Text that is sent as a file: other types, and named or `attachment` parts once there is a text to read."""
    if part.content_type not in _PLAIN_TYPES and part.content_type != "text/html":
        return True
    named = "filename" in part.disposition.parameters or "name" in part.content_header.parameters
    if part.disposition.value == "attachment":
        return named or findings.has_text
    return named and findings.has_text


def _in_order(part: Part, findings: Findings) -> Rendered:
    """`mixed` and every container we do not know: inline texts in order (RFC 2046 5.1.3)."""
    return _joined([render(child, findings) for child in part.children])


def _joined(rendered: list[Rendered]) -> Rendered:
    texts = [each.text.strip("\n") for each in rendered if each.text.strip()]
    return Rendered("\n\n".join(texts), any(each.html for each in rendered))


def _alternative(part: Part, findings: Findings) -> Rendered:
    """Plain text, unless it is empty or a stub of the HTML; both, if they say different things (MI9, MI10)."""
    rendered = [render(child, findings) for child in part.children]
    plain = _joined(list(dict.fromkeys(each for each in rendered if not each.html)))
    html = _joined(list(dict.fromkeys(each for each in rendered if each.html)))
    verdict = compare_texts(plain.text, html.text)
    if verdict.differ:
        findings.parts_differ = True
        return _joined([plain, html])
    return html if verdict.stub else plain


class Comparison(NamedTuple):
    """How a plain text stands to the visible text of its HTML twin."""

    stub: bool
    differ: bool


def compare_texts(plain: str, html: str) -> Comparison:
    """`stub`: the plain text has under a tenth of the words, or none; `differ`: under half of the words are shared."""
    plain_words, html_words = _words(plain), _words(html)
    if not html_words:
        return Comparison(stub=not plain.strip() and bool(html.strip()), differ=False)
    if len(plain_words) < STUB_SHARE * len(html_words) or not plain_words:
        return Comparison(stub=True, differ=False)
    first, second = set(plain_words), set(html_words)
    return Comparison(stub=False, differ=len(first & second) < SAME_OVERLAP * max(len(first), len(second)))


def _words(text: str) -> list[str]:
    return _WORD.findall(_LINKS.sub(" ", text).casefold())


def _related(part: Part, findings: Findings) -> Rendered:
    """The root, by the `start` parameter or the first; everything else belongs to it as files (RFC 2387)."""
    start = part.content_header.parameters.get("start", "").strip("<> ")
    root = next((child for child in part.children if start and child.content_id == start), part.children[0])
    rendered = [render(root, findings)]
    rendered += [render(child, findings) for child in part.children if child is not root]
    return _joined(rendered)


def _signed(part: Part, findings: Findings) -> Rendered:
    """The body is read; that the signature is true is not judged (MI15)."""
    findings.signed = True
    return _in_order(part, findings)


def _encrypted(part: Part, findings: Findings) -> Rendered:
    """Nothing in it is read: the parts are kept as files, a person decides (MI15)."""
    findings.encrypted = True
    for child in part.children:
        read_other(child, findings)
    return Rendered()


_CONTAINERS: dict[str, Callable[[Part, Findings], Rendered]] = {
    "multipart/alternative": _alternative,
    "multipart/related": _related,
    "multipart/signed": _signed,
    "multipart/encrypted": _encrypted,
}
