"""Parts that are no text of the sender: files, invitations, attached mails, and the wrappers of Outlook and S/MIME."""

from domain.mail.attached_mails import read_attached_mail
from domain.mail.calendar import read_calendar
from domain.mail.charsets import decode_bytes
from domain.mail.findings import Findings
from domain.mail.limits import MAX_CALENDAR_BYTES, MAX_DEPTH
from domain.mail.smime import SmimeKind, signed_content, smime_kind
from domain.mail.structure import ATTACHED_MAIL_TYPES, Part, read_structure
from domain.mail.text_parts import html_text, part_bytes, plain_text
from domain.mail.tnef import Tnef, read_tnef

_TNEF_TYPES = frozenset({"application/ms-tnef", "application/vnd.ms-tnef"})
_SMIME_TYPES = frozenset({"application/pkcs7-mime", "application/x-pkcs7-mime"})
_SIGNATURE_TYPES = frozenset(
    {"application/pgp-signature", "application/pkcs7-signature", "application/x-pkcs7-signature"}
)
_CALENDAR_TYPES = frozenset({"text/calendar", "application/ics", "text/x-vcalendar"})
_OCTETS = "application/octet-stream"


def file_name(part: Part) -> str:
    """The name the sender gave to a part, decoded; "" if there is none."""
    return part.disposition.parameters.get("filename") or part.content_header.parameters.get("name") or ""


def read_other(part: Part, findings: Findings) -> Part | None:
    """Take a leaf into `findings`; the content of an opaque signature is returned to be read (MI15)."""
    kind, name = part.content_type, file_name(part).lower()
    if part.opaque or part.children:
        findings.attach(part.body, _OCTETS, flags=("opaque_excess",) if part.opaque else ())
    elif kind in ATTACHED_MAIL_TYPES:
        read_attached_mail(part, file_name(part), findings)
    elif kind in _SMIME_TYPES or name.endswith((".p7m", ".p7z")):
        return _open_smime(part, findings)
    elif kind in _TNEF_TYPES or name == "winmail.dat":
        _open_tnef(part, findings)
    else:
        _keep(part, part_bytes(part, findings), findings)
    return None


def _keep(part: Part, data: bytes, findings: Findings) -> None:
    kind = part.content_type
    if kind in _CALENDAR_TYPES or file_name(part).lower().endswith(".ics"):
        _note_calendar(part, data, findings)
    if kind == "application/pgp-encrypted":
        findings.encrypted = True
    flags = ("signature",) if kind in _SIGNATURE_TYPES else ()
    findings.attach(data, kind, file_name(part), part.content_id, flags)


def _note_calendar(part: Part, data: bytes, findings: Findings) -> None:
    parameters = part.content_header.parameters
    text = findings.note_charset(decode_bytes(data[:MAX_CALENDAR_BYTES], parameters.get("charset", "")))
    facts = read_calendar(text, parameters.get("method", ""))
    findings.calendar += facts.lines
    findings.calendar_method = findings.calendar_method or facts.method


def _open_smime(part: Part, findings: Findings) -> Part | None:
    """Open an opaque signature; anything encrypted or unknown is kept as the file it is."""
    data = part_bytes(part, findings)
    kind = smime_kind(data, part.content_header.parameters.get("smime-type", ""))
    findings.signed = findings.signed or kind is SmimeKind.SIGNED
    findings.encrypted = findings.encrypted or kind is SmimeKind.ENCRYPTED
    inner = signed_content(data) if kind is SmimeKind.SIGNED else None
    findings.attach(data, part.content_type, file_name(part), flags=(kind.value,))
    if kind is SmimeKind.SIGNED and inner is None:
        findings.note("smime_unreadable")
    if inner is None or part.depth + 1 > MAX_DEPTH or findings.parts_left <= 0:
        return None
    return read_inner(inner, part.depth + 1, findings)


def read_inner(data: bytes, depth: int, findings: Findings) -> Part:
    """The structure of a mail or entity inside another one, under the same budget of parts (MI3)."""
    structure = read_structure(data, depth, findings.parts_left)
    findings.parts_left -= sum(1 for _ in structure.root.walk())
    findings.note(*structure.defects)
    if structure.rest:
        findings.attach(structure.rest, _OCTETS, flags=("opaque_excess",))
    return structure.root


def _open_tnef(part: Part, findings: Findings) -> None:
    """Body and files of a winmail.dat; what cannot be read is shown as the file it came as (MI14)."""
    data = part_bytes(part, findings)
    found = read_tnef(data)
    if found is None or not found.complete:
        findings.note("tnef_unreadable" if found is None else "tnef_incomplete")
        findings.attach(data, part.content_type, file_name(part) or "winmail.dat")
    if found is not None:
        _take_tnef(found, findings)


def _take_tnef(found: Tnef, findings: Findings) -> None:
    for file in found.files:
        findings.attach(file.data, file.content_type, file.name, file.content_id)
    if found.html:
        text = html_text(findings.note_charset(decode_bytes(found.html, found.charset)), findings)
    else:
        text = plain_text(found.text, findings)
    findings.fallback_text = findings.fallback_text or text
