"""All statements of a text that must be right, each found once: what one extractor took, the next one leaves alone."""

from collections.abc import Iterator

from domain.draft.codes import codes_in
from domain.draft.dates import date_at
from domain.draft.links import links_in
from domain.draft.mentions import ItemKind, Match, Mention, Parser, Taken, Token, tokens_of
from domain.draft.names import names_in
from domain.draft.promises import promises_in
from domain.draft.quantities import amount_at, identifier_at, number_at, percent_match_at, quantity_at
from domain.draft.times import time_at
from domain.draft.units import CURRENCIES

_LIST_MARKS = frozenset({".", ")"})
_MAX_LIST_DIGITS = 2
_MAX_INDENT = 12
_BAR = "\0"

# The first parser that reads something wins, so the more telling form stands before the plainer one.
_PARSERS: tuple[Parser, ...] = (date_at, time_at, amount_at, percent_match_at, identifier_at, quantity_at, number_at)


def mentions_in(text: str) -> list[Mention]:
    """Dates, times, amounts, percentages, quantities, numbers, identifiers, links, names and promises by their
    place."""
    taken = Taken(text)
    found = [mention for mention in (*links_in(text), *codes_in(text)) if taken.claim(mention.start, mention.end)]
    found.extend(_parsed(text, taken))
    found.extend(names_in(text, taken))
    found.extend(promises_in(text))
    return sorted(found, key=lambda mention: (mention.start, mention.end, mention.kind))


def facts_in(text: str) -> list[Mention]:
    """The same without names and promises, which sources prove in other ways."""
    taken = Taken(text)
    found = [mention for mention in (*links_in(text), *codes_in(text)) if taken.claim(mention.start, mention.end)]
    return [*found, *_parsed(text, taken)]


def _parsed(text: str, taken: Taken) -> Iterator[Mention]:
    tokens = [_barred(token) if taken.touches(token.start, token.end) else token for token in tokens_of(text)]
    index = 0
    while index < len(tokens):
        match = None if _is_list_mark(text, tokens, index) else _first_match(tokens, index)
        if match is None:
            index += 1
            continue
        yield _claimed(text, tokens[index].start, tokens[match.after - 1].end, match, taken)
        index = match.after


def _barred(token: Token) -> Token:
    """A token no parser reads, left in its place so that the words on both sides of a link do not become neighbours."""
    return token._replace(text=_BAR, low=_BAR, is_number=False)


def _first_match(tokens: list[Token], index: int) -> Match | None:
    token = tokens[index]
    if not token.text[0].isalnum() and token.low not in CURRENCIES:
        return None
    return next((found for parser in _PARSERS if (found := parser(tokens, index))), None)


def _claimed(text: str, start: int, end: int, match: Match, taken: Taken) -> Mention:
    taken.claim(start, end)
    return Mention(ItemKind(match.kind), text[start:end], start, end, match.offers, match.accepts)


def _is_list_mark(text: str, tokens: list[Token], index: int) -> bool:
    """`1.` or `2)` at the start of a line, with a blank after it, numbers a list and states nothing."""
    token = tokens[index]
    mark = tokens[index + 1] if index + 1 < len(tokens) else None
    if not (token.is_number and token.text.isdecimal() and len(token.text) <= _MAX_LIST_DIGITS and mark):
        return False
    if mark.text not in _LIST_MARKS or mark.start != token.end or text[mark.end : mark.end + 1] not in (" ", "\t"):
        return False
    indent = text[max(token.start - _MAX_INDENT, 0) : token.start].rpartition("\n")
    return not indent[2].strip() and (bool(indent[1]) or token.start < _MAX_INDENT)
