"""What a file is by its first bytes. Names and declared types are the sender's word; a contradiction is flagged
(MI19)."""

import re
from pathlib import PurePosixPath

_MAGIC: tuple[tuple[int, bytes, str], ...] = (
    (0, b"%PDF-", "application/pdf"),
    (0, b"\x89PNG\r\n\x1a\n", "image/png"),
    (0, b"\xff\xd8\xff", "image/jpeg"),
    (0, b"GIF87a", "image/gif"),
    (0, b"GIF89a", "image/gif"),
    (8, b"WEBP", "image/webp"),
    (8, b"WAVE", "audio/wav"),
    (4, b"ftypheic", "image/heic"),
    (4, b"ftypmif1", "image/heic"),
    (4, b"ftypavif", "image/avif"),
    (4, b"ftypM4A", "audio/mp4"),
    (4, b"ftyp", "video/mp4"),
    (0, b"II*\x00", "image/tiff"),
    (0, b"MM\x00*", "image/tiff"),
    (0, b"PK\x03\x04", "application/zip"),
    (0, b"PK\x05\x06", "application/zip"),
    (0, b"Rar!\x1a\x07", "application/vnd.rar"),
    (0, b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (0, b"\x1f\x8b", "application/gzip"),
    (0, b"BZh", "application/x-bzip2"),
    (0, b"\xfd7zXZ\x00", "application/x-xz"),
    (257, b"ustar", "application/x-tar"),
    (0, b"MZ", "application/x-msdownload"),
    (0, b"\x7fELF", "application/x-executable"),
    (0, b"\xcf\xfa\xed\xfe", "application/x-mach-binary"),
    (0, b"\xca\xfe\xba\xbe", "application/java-vm"),
    (0, b"#!", "text/x-script"),
    (0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/x-ole-storage"),
    (0, b"L\x00\x00\x00\x01\x14\x02\x00", "application/x-ms-shortcut"),
    (32769, b"CD001", "application/x-iso9660-image"),
    (0, b"{\\rtf", "application/rtf"),
    (0, b"ID3", "audio/mpeg"),
    (0, b"OggS", "application/ogg"),
    (0, b"BEGIN:VCALENDAR", "text/calendar"),
    (0, b"BEGIN:VCARD", "text/vcard"),
)
_MARKUP = (
    (
        re.compile(rb"\s{0,200}(?:<\?xml[^>]{0,200}>\s{0,200})?(?:<!--.{0,200}-->\s{0,50})?<svg", re.I | re.S),
        "image/svg+xml",
    ),
    (re.compile(rb"\s{0,200}<(?:!doctype\s{1,10}html|html|head|body|script|iframe)\b", re.I), "text/html"),
    (re.compile(rb"\s{0,200}<\?xml"), "application/xml"),
)
_INSIDE_ZIP = (
    (b"word/", "docx"),
    (b"xl/", "xlsx"),
    (b"ppt/", "pptx"),
    (b"META-INF/MANIFEST.MF", "jar"),
    (b"AndroidManifest.xml", "apk"),
    (b"mimetypeapplication/vnd.oasis.opendocument", "odf"),
    (b"mimetypeapplication/epub+zip", "epub"),
)
_FAMILIES = {
    "pdf": {"application/pdf", "application/x-pdf", ".pdf"},
    "png": {"image/png", ".png"},
    "jpeg": {"image/jpeg", "image/jpg", "image/pjpeg", ".jpg", ".jpeg", ".jpe"},
    "gif": {"image/gif", ".gif"},
    "webp": {"image/webp", ".webp"},
    "heic": {"image/heic", "image/heif", "image/avif", ".heic", ".heif", ".avif"},
    "tiff": {"image/tiff", ".tif", ".tiff"},
    "bmp": {"image/bmp", "image/x-ms-bmp", ".bmp"},
    "svg": {"image/svg+xml", ".svg"},
    "docx": {".docx", ".docm", ".dotx", ".dotm"},
    "xlsx": {".xlsx", ".xlsm", ".xltx", ".xlsb"},
    "pptx": {".pptx", ".pptm", ".ppsx"},
    "odf": {".odt", ".ods", ".odp"},
    "epub": {"application/epub+zip", ".epub"},
    "jar": {"application/java-archive", ".jar"},
    "apk": {"application/vnd.android.package-archive", ".apk"},
    "zip": {"application/zip", "application/x-zip-compressed", "application/x-zip", ".zip"},
    "rar": {"application/vnd.rar", "application/x-rar-compressed", "application/x-rar", ".rar"},
    "7z": {"application/x-7z-compressed", ".7z"},
    "gzip": {"application/gzip", "application/x-gzip", ".gz", ".tgz"},
    "bzip2": {"application/x-bzip2", ".bz2"},
    "xz": {"application/x-xz", ".xz"},
    "tar": {"application/x-tar", ".tar"},
    "iso": {"application/x-iso9660-image", ".iso", ".img"},
    "ole": {
        "application/x-ole-storage",
        "application/msword",
        "application/vnd.ms-excel",
        ".doc",
        ".xls",
        ".ppt",
        ".msg",
    },
    "rtf": {"application/rtf", "text/rtf", ".rtf"},
    "audio": {"audio/mpeg", "audio/wav", "audio/mp4", "audio/x-wav", ".mp3", ".wav", ".m4a"},
    "video": {"video/mp4", "video/quicktime", ".mp4", ".mov"},
    "html": {"text/html", "application/xhtml+xml", ".html", ".htm", ".xhtml", ".shtml"},
    "calendar": {"text/calendar", ".ics"},
    "text": {"text/plain", "text/csv", "text/markdown", ".txt", ".csv", ".log", ".md"},
    "program": {
        *("application/x-msdownload", "application/x-executable", "application/x-mach-binary", "application/java-vm"),
        *("application/x-ms-shortcut", "application/x-dosexec", "application/hta", "text/x-script", "application/x-sh"),
        *(
            ".exe",
            ".scr",
            ".com",
            ".pif",
            ".dll",
            ".msi",
            ".bat",
            ".cmd",
            ".ps1",
            ".vbs",
            ".vbe",
            ".js",
            ".jse",
            ".wsf",
        ),
        *(".hta", ".lnk", ".cpl", ".reg", ".sh", ".app", ".deb", ".rpm", ".class", ".wsh", ".msc"),
    },
}
_FAMILY_OF = {token: family for family, tokens in _FAMILIES.items() for token in tokens}
_OFFICE_TYPES = {
    "application/vnd.openxmlformats-officedocument.wordprocessingml": "docx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml": "xlsx",
    "application/vnd.openxmlformats-officedocument.presentationml": "pptx",
    "application/vnd.oasis.opendocument": "odf",
}
_ARCHIVES = frozenset({"zip", "rar", "7z", "gzip", "bzip2", "xz", "tar", "iso", "jar", "apk"})
_ZIP_BASED = frozenset({"docx", "xlsx", "pptx", "odf", "epub", "jar", "apk", "zip"})
_PROVABLE = frozenset(_FAMILIES) - {
    "program",
    "text",
    "audio",
    "video",
    "html",
    "calendar",
    "bmp",
    "svg",
    "tar",
    "iso",
    "rtf",
    "ole",
}
_MACRO_MARKS = (b"vbaProject.bin", b"_VBA_PROJECT", b"_\x00V\x00B\x00A\x00_\x00P\x00R\x00O\x00J\x00E\x00C\x00T")
SEARCHED_BYTES = 16 * 1024 * 1024


def sniff_type(data: bytes) -> str:
    """The media type by content, or "" if it has no mark that we know."""
    if data.startswith(b"BM") and data[6:10] == b"\x00\x00\x00\x00":
        return "image/bmp"
    for offset, magic, found in _MAGIC:
        if data.startswith(magic, offset):
            return found
    head = data[:1_000].removeprefix(b"\xef\xbb\xbf")
    if b"%PDF-" in head:
        return "application/pdf"
    return next((found for pattern, found in _MARKUP if pattern.match(head)), "")


def file_flags(data: bytes, name: str, declared: str, sniffed: str) -> tuple[str, ...]:
    """What a person should know before opening it: `type_mismatch`, `executable`, `archive`, `encrypted`, `macros`."""
    by_content = _content_family(data, sniffed)
    by_name = _FAMILY_OF.get(PurePosixPath(name.lower()).suffix, "")
    by_type = _declared_family(declared)
    families = {family for family in (by_content, by_name, by_type) if family}
    claimed = {family for family in (by_name, by_type) if family}
    unproven = bool(data) and not by_content and bool(claimed & _PROVABLE)
    flags = {
        "type_mismatch": unproven or not _agree(families),
        "executable": "program" in families,
        "archive": bool(_ARCHIVES & families),
        "encrypted": _is_encrypted(data, by_content),
        "macros": _has_macros(data, by_content),
    }
    return tuple(flag for flag, is_set in flags.items() if is_set)


def _content_family(data: bytes, sniffed: str) -> str:
    if sniffed != "application/zip":
        return _FAMILY_OF.get(sniffed, "")
    return next((family for mark, family in _INSIDE_ZIP if _is_inside(data, mark)), "zip")


def _is_inside(data: bytes, mark: bytes) -> bool:
    return mark in data[:4096] or mark in data[-65_536:]


def _declared_family(declared: str) -> str:
    office = next((family for prefix, family in _OFFICE_TYPES.items() if declared.startswith(prefix)), "")
    return office or _FAMILY_OF.get(declared, "")


def _agree(families: set[str]) -> bool:
    """One family, or a generic container beside one of the formats built on it."""
    if len(families) <= 1 or families == {"text", "calendar"}:
        return True
    if "zip" in families and families <= _ZIP_BASED and len(families) == 2:
        return True
    return families <= {"ole", "docx", "xlsx", "pptx"} and "ole" in families and len(families) == 2


def _is_encrypted(data: bytes, family: str) -> bool:
    if family in _ZIP_BASED:
        return len(data) > 7 and bool(data[6] & 1)
    if family == "ole":
        return "EncryptedPackage".encode("utf-16-le") in data[:SEARCHED_BYTES]
    return family == "pdf" and b"/Encrypt" in data[:SEARCHED_BYTES]


def _has_macros(data: bytes, family: str) -> bool:
    return family in _ZIP_BASED | {"ole"} and any(mark in data[:SEARCHED_BYTES] for mark in _MACRO_MARKS)
