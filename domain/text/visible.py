"""The visible-text pass: what a reader of the mail would see, and everything that hides, from one walk of the tree."""

from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser

from contracts.mail import HiddenPassage
from domain.text.characters import clean_characters, without_surrogates
from domain.text.readable import PUSHED_DOWN_LINES
from domain.text.size import HTML_CHARACTERS_MAX, html_size
from domain.text.tags import strip_tags_crudely
from domain.text.walk import PageWalk

BLANKS_IN_LINE = 1_000
TAGS_WITHOUT_PRESCAN = 200
CHARACTERS_WITHOUT_PRESCAN = 20_000


@dataclass(frozen=True, slots=True)
class VisibleText:
    """The result of the pass; `hidden_share` is hidden / (hidden + visible) characters without blanks, 0 to 1.

    Comments, scripts and other markup that no client renders are listed in `hidden` but do not count for the share.
    """

    text: str
    hidden: tuple[HiddenPassage, ...] = ()
    hidden_share: float = 0.0
    maybe_hidden: bool = False
    attribute_text: tuple[HiddenPassage, ...] = ()
    defects: tuple[str, ...] = ()


def visible_text(html: str) -> VisibleText:
    """Readable text of an HTML part with hidden passages set apart (HV1-HV6); never raises on any input."""
    html = without_surrogates(html)
    if _is_too_big(html):
        return _crude(html)
    walk = PageWalk(html)
    walk.run(LexborHTMLParser(html))
    if walk.exhausted:
        return _crude(html)
    clean = clean_characters(walk.writer.result())
    hidden = (*walk.hidden.passages(), *clean.hidden)
    return VisibleText(
        text=clean.text,
        hidden=hidden,
        hidden_share=_share(hidden, clean.text),
        maybe_hidden=walk.maybe_hidden,
        attribute_text=walk.attribute_passages(),
        defects=_named(hidden_truncated=walk.hidden.truncated, pushed_down=walk.writer.pushed_down),
    )


def clean_plain(text: str) -> VisibleText:
    """A plain-text part without invisible characters, which are listed as hidden; nothing else is removed (HV5)."""
    clean = clean_characters(without_surrogates(text).replace("\r\n", "\n").replace("\r", "\n"))
    return VisibleText(
        text=clean.text,
        hidden=clean.hidden,
        hidden_share=_share(clean.hidden, clean.text),
        defects=_named(pushed_down=_is_pushed_down(clean.text)),
    )


def _is_too_big(html: str) -> bool:
    if len(html) <= CHARACTERS_WITHOUT_PRESCAN and html.count("<") <= TAGS_WITHOUT_PRESCAN:
        return False
    return len(html) > HTML_CHARACTERS_MAX or html_size(html).too_big


def _crude(html: str) -> VisibleText:
    """Text of HTML beyond the limits: nothing is known to be visible, so all of it is doubtful (HV6)."""
    clean = clean_characters(strip_tags_crudely(html[:HTML_CHARACTERS_MAX]))
    return VisibleText(clean.text, clean.hidden, 0.0, True, (), ("html_too_big",))


def _named(**defects: bool) -> tuple[str, ...]:
    return tuple(name for name, present in defects.items() if present)


def _share(hidden: tuple[HiddenPassage, ...], text: str) -> float:
    out_of_sight = sum(_weight(passage.text) for passage in hidden if passage.reason != "never_shown")
    return round(out_of_sight / (out_of_sight + _weight(text)), 4) if out_of_sight else 0.0


def _weight(text: str) -> int:
    return len(text) - sum(map(text.count, " \n\t\xa0"))


def _is_pushed_down(text: str) -> bool:
    """Text below 40 blank lines, or behind 1,000 blanks in its line."""
    blank_lines = 0
    for line in text.split("\n"):
        if not line.strip():
            blank_lines += 1
            continue
        if blank_lines >= PUSHED_DOWN_LINES or _has_wide_blank(line):
            return True
        blank_lines = 0
    return False


def _has_wide_blank(line: str) -> bool:
    if len(line) < BLANKS_IN_LINE:
        return False
    run = 0
    for character in line.rstrip():
        run = run + 1 if character.isspace() else 0
        if run >= BLANKS_IN_LINE:
            return True
    return False
