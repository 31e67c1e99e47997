"""How much an import takes, and the reasons for which it refuses a file, each with a sentence a person can act on."""

from typing import Final

from contracts.errors import DeskhandError

MIB: Final = 1024 * 1024
FILE_BYTES: Final = 32 * MIB
ARCHIVE_BYTES: Final = 128 * MIB
ARCHIVE_MEMBERS: Final = 20_000
UNPACKED_BYTES: Final = 1024 * MIB
# What compresses better than this is no text anybody wrote; below a megabyte it does no harm.
MOST_RATIO: Final = 100
HARMLESS_BYTES: Final = MIB
OFFICE_UNPACKED_BYTES: Final = 128 * MIB
TEXT_CHARACTERS: Final = 8 * MIB
PAGES: Final = 2_000
ROWS: Final = 20_000
BLOCKS: Final = 50_000

REASONS: Final = {
    "too_large": f"It is larger than {FILE_BYTES // MIB} MiB. Cut it into smaller files.",
    "archive_too_large": f"The archive is larger than {ARCHIVE_BYTES // MIB} MiB. Unpack it and import the folder.",
    "too_many_members": f"The archive holds more than {ARCHIVE_MEMBERS} files. Import it in parts.",
    "zip_bomb": "It unpacks to far more than its size, as a zip bomb does. It was not unpacked.",
    "broken_archive": "The archive is damaged. Make it anew.",
    "nested_archive": "It is an archive inside an archive. Unpack it first.",
    "unsafe_name": "Its name leads out of the archive. It was not read.",
    "password": "It is protected by a password. Save it without one.",
    "binary": "It holds no text, whatever its name says.",
    "unknown_kind": "Files of this kind cannot be read. Save it as Markdown, text, HTML, PDF, DOCX or CSV.",
    "old_office": "It is in an old Office format. Save it as DOCX or PDF.",
    "empty": "There is no text in it.",
    "no_text_layer": "Its pages are images without text. Run text recognition (OCR) on it first.",
    "too_many_pages": f"It has more than {PAGES} pages. Cut it into smaller files.",
    "too_many_rows": f"It has more than {ROWS} rows. Cut it into smaller files.",
    "too_much_text": "It holds more text than is taken from one file. Cut it into smaller files.",
    "no_question_column": "No columns for question and answer were found. Name them `question` and `answer`.",
    "broken_file": "It is damaged and cannot be read. Save it anew.",
    "reader_cpu": "Reading it took too long. Cut it into smaller files, or save it anew.",
    "reader_timeout": "Reading it took too long. Cut it into smaller files, or save it anew.",
    "reader_memory": "Reading it took more memory than is allowed. Cut it into smaller files.",
    "reader_killed": "The reader broke down over it. Save it anew, or in another format.",
    "cannot_open": "It cannot be opened. Check that it exists and may be read.",
}


class FileRefused(DeskhandError):
    """A file that is not imported. `reason` is a stable word, the message a sentence for people."""

    def __init__(self, reason: str) -> None:
        super().__init__(REASONS.get(reason, REASONS["broken_file"]))
        self.reason = reason
