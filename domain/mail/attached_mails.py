"""Mails inside a mail. Each is listed with its own sender and kept as a file; its words are never the sender's, and its
headers decide nothing (MI16)."""

from domain.mail.findings import Findings
from domain.mail.header_scan import scan_headers
from domain.mail.limits import MAX_DEPTH
from domain.mail.structure import ATTACHED_MAIL_TYPES, Part, read_structure
from domain.mail.text_parts import part_bytes

MAX_FIELD_CHARS = 200


def mail_line(data: bytes) -> str:
    """`From ... | Subject ... | Date ...` of a raw mail, each field at most 200 characters."""
    scan = scan_headers(data)
    fields = (("From", scan.from_), ("Subject", scan.subject), ("Date", scan.date))
    return " | ".join(f"{name} {value[:MAX_FIELD_CHARS] or '-'}" for name, value in fields)


def read_attached_mail(part: Part, name: str, findings: Findings) -> None:
    """Keep the attached mail as a file and list it and every mail inside it; those lie in the outer file's bytes."""
    data = part_bytes(part, findings)
    findings.list_mail(mail_line(data))
    findings.attach(data, part.content_type, name or _name_by_subject(data), part.content_id)
    waiting = [(data, part.depth + 1)]
    while waiting:
        inner, depth = waiting.pop(0)
        for nested in _mails_inside(inner, depth, findings):
            content = part_bytes(nested, findings)
            findings.list_mail(mail_line(content))
            findings.list_only(
                nested.content_type, _name_by_subject(content), len(content), True, ("inside_attached_mail",)
            )
            waiting.append((content, nested.depth + 1))


def _mails_inside(data: bytes, depth: int, findings: Findings) -> list[Part]:
    if depth > MAX_DEPTH:
        findings.note("too_deep")
        return []
    if findings.parts_left <= 0:
        findings.note("too_many_parts")
        return []
    structure = read_structure(data, depth, findings.parts_left)
    parts = list(structure.root.walk())
    findings.parts_left -= len(parts)
    findings.note(*(defect for defect in structure.defects if defect in ("too_deep", "too_many_parts")))
    return [part for part in parts if part.content_type in ATTACHED_MAIL_TYPES and not part.opaque]


def _name_by_subject(data: bytes) -> str:
    subject = scan_headers(data).subject.replace("/", " ").replace("\\", " ")[:80].strip(" .")
    return f"{subject}.eml" if subject else ""
