"""One text part of a mail as readable text: transfer encoding, charset, flowed lines, armour and invisible characters
are undone here, in that order (MI4, MI5, MI11, MI15)."""

import re

from domain.mail.charsets import decode_bytes
from domain.mail.cleaning import body_text
from domain.mail.encoded_words import decode_header
from domain.mail.findings import Findings
from domain.mail.inline_files import split_inline_files
from domain.mail.limits import MAX_HTML_BYTES, MAX_TEXT_BYTES
from domain.mail.pgp import read_inline_pgp
from domain.mail.structure import Part
from domain.mail.transfer import decode_transfer
from domain.text.visible import clean_plain, visible_text

_META_CHARSET = re.compile(rb"""<meta[^>]{0,200}?charset\s{0,5}=\s{0,5}["']?([\w-]{1,40})""", re.IGNORECASE)
_MARKUP = re.compile(r"<[^<>]{0,200}>")
_META_SEARCHED_BYTES = 4_096


def part_bytes(part: Part, findings: Findings) -> bytes:
    """The content of a leaf with its transfer encoding undone (MI5)."""
    encoding = part.headers.first("content-transfer-encoding").decode("ascii", "replace")
    content = decode_transfer(part.body, encoding)
    findings.note(*content.defects)
    return content.data


def read_plain(part: Part, findings: Findings) -> str:
    """The readable text of a plain part; files written into it become attachments."""
    data, files = split_inline_files(_bounded(part_bytes(part, findings), MAX_TEXT_BYTES, part, findings))
    for file in files:
        findings.attach(file.data, "", decode_header(file.name).text)
    parameters = part.content_header.parameters
    text = body_text(findings.note_charset(decode_bytes(data, parameters.get("charset", ""))))
    if part.content_type in ("text/enriched", "text/richtext"):
        text = _MARKUP.sub("", text)
    if parameters.get("format", "").lower() == "flowed":
        text = unflow(text, parameters.get("delsp", "").lower() == "yes")
    return plain_text(text, findings)


def plain_text(text: str, findings: Findings) -> str:
    """Decoded plain text as a reader sees it: without invisible characters, PGP armour and cipher text."""
    seen = findings.note_visible(clean_plain(text))
    armoured = read_inline_pgp(seen)
    findings.signed = findings.signed or armoured.signed
    findings.encrypted = findings.encrypted or armoured.encrypted
    findings.has_text = findings.has_text or bool(armoured.text.strip())
    return armoured.text


def read_html(part: Part, findings: Findings) -> str:
    """The visible text of an HTML part; its source is kept beside (MI11)."""
    data = _bounded(part_bytes(part, findings), MAX_HTML_BYTES, part, findings)
    declared = part.content_header.parameters.get("charset", "")
    return html_text(findings.note_charset(decode_bytes(data, declared or _meta_charset(data))), findings)


def html_text(html: str, findings: Findings) -> str:
    """The visible text of decoded HTML, which is kept in `findings` as it came."""
    source = body_text(html)
    if not findings.may_render(source):
        findings.attach(html.encode("utf-8", "replace"), "text/html", flags=("opaque_excess",))
        return ""
    findings.html.append(source)
    armoured = read_inline_pgp(findings.note_visible(visible_text(source)))
    findings.signed = findings.signed or armoured.signed
    findings.encrypted = findings.encrypted or armoured.encrypted
    findings.has_text = findings.has_text or bool(armoured.text.strip())
    return armoured.text


def _bounded(data: bytes, limit: int, part: Part, findings: Findings) -> bytes:
    """Beyond the limit the whole part is kept as one attachment, and its beginning is read (MI3)."""
    if len(data) <= limit:
        return data
    findings.note("text_too_big")
    findings.attach(data, part.content_type, "", flags=("opaque_excess",))
    return data[:limit]


def _meta_charset(data: bytes) -> str:
    found = _META_CHARSET.search(data[:_META_SEARCHED_BYTES])
    return found[1].decode("ascii") if found else ""


def unflow(text: str, delete_space: bool = False) -> str:
    """Lines of format=flowed joined into paragraphs within one quote depth (RFC 3676); `-- ` stays a line."""
    paragraphs: list[list[str]] = []
    open_depth = -1
    for line in text.split("\n"):
        depth, content = _quote_depth(line)
        flows = content.endswith(" ") and content != "-- "
        kept = content[:-1] if flows and delete_space else content
        if depth == open_depth and content != "-- ":
            paragraphs[-1].append(kept)
        else:
            paragraphs.append([">" * depth + " " * bool(depth), kept])
        open_depth = depth if flows else -1
    return "\n".join("".join(paragraph) for paragraph in paragraphs)


def _quote_depth(line: str) -> tuple[int, str]:
    content = line.lstrip(">")
    return len(line) - len(content), content.removeprefix(" ")
