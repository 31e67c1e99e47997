"""What a reader makes of a file: blocks of text under the headings that lead to them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, list, table or answer. `way` holds the headings above it, `page` its page in a paged file.

    `opens` marks the first block below a heading: two headings of the same words are two sections.
    """

    text: str
    way: tuple[str, ...] = ()
    page: int | None = None
    opens: bool = False


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """A file as text. `kind` is what it was read as, `notes` what a person should know about the reading."""

    title: str
    kind: str
    blocks: tuple[Block, ...]
    notes: tuple[str, ...] = ()
