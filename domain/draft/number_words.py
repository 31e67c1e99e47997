"""`within fourteen days` promises as much as `within 14 days`; number words of en, de, fr and es up to 999,999."""

from collections.abc import Iterable, Sequence
from functools import lru_cache

from domain.draft.mentions import Token, low_at, touches

_HUNDRED, _THOUSAND, _SKIP = 100, 1_000, -1


def _table(words: str, first: int, step: int = 1) -> dict[str, int]:
    groups = words.split()
    return {word: first + at * step for at, group in enumerate(groups) for word in group.split("|")}


_WORDS: dict[str, int] = {
    **_table("zero one two three four five six seven eight nine ten eleven twelve", 0),
    **_table("thirteen fourteen fifteen sixteen seventeen eighteen nineteen", 13),
    **_table("twenty thirty forty fifty sixty seventy eighty ninety", 20, 10),
    **_table("null ein|eins|eine|einem|einen|einer|eines zwei drei vier fünf|fuenf sechs sieben acht neun zehn", 0),
    **_table("elf zwölf|zwoelf", 11),
    **_table("dreizehn vierzehn fünfzehn|fuenfzehn sechzehn siebzehn achtzehn neunzehn", 13),
    **_table("zwanzig dreissig vierzig fünfzig|fuenfzig sechzig siebzig achtzig neunzig", 20, 10),
    **_table("zéro un|une deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize", 0),
    **_table("vingt|vingts trente quarante cinquante soixante", 20, 10),
    **_table("cero uno|una dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince", 0),
    **_table("dieciséis diecisiete dieciocho diecinueve veinte veintiuno|veintiún|veintiuna veintidós veintitrés", 16),
    **_table("veinticuatro veinticinco veintiséis veintisiete veintiocho veintinueve", 24),
    **_table("treinta cuarenta cincuenta sesenta setenta ochenta noventa", 30, 10),
    **_table("doscientos|doscientas trescientos|trescientas cuatrocientos|cuatrocientas", 200, 100),
    **_table("quinientos|quinientas seiscientos|seiscientas setecientos|setecientas", 500, 100),
    **_table("ochocientos|ochocientas novecientos|novecientas", 800, 100),
}
_HUNDREDS = frozenset({"hundred", "hundert", "cent", "cents", "cien", "ciento"})
_THOUSANDS = frozenset({"thousand", "tausend", "mille", "mil"})
_LINKS = frozenset({"and", "und", "et", "y", "-"})
_ARTICLES = frozenset({"a", "an"})
_DE_PIECES = tuple(
    sorted(
        "ein eins zwei drei vier fünf fuenf sechs sieben acht neun zehn elf zwölf zwoelf dreizehn vierzehn fünfzehn "
        "fuenfzehn sechzehn siebzehn achtzehn neunzehn zwanzig dreissig vierzig fünfzig fuenfzig sechzig siebzig "
        "achtzig neunzig hundert tausend und".split(),
        key=len,
        reverse=True,
    )
)
_MAX_WORD_CHARS = 60
_MAX_RUN = 24


def value_of_words(tokens: Sequence[Token], index: int) -> tuple[int, int] | None:
    """The value of the number words from `index` and the index after them, or None; articles (`a week`) count as 1."""
    if low_at(tokens, index) in _ARTICLES:
        nested = value_of_words(tokens, index + 1) if low_at(tokens, index + 1) in _HUNDREDS | _THOUSANDS else None
        return nested or (1, index + 1)
    pieces: list[str] = []
    after = index
    for at in range(index, min(index + _MAX_RUN, len(tokens))):
        word = tokens[at].low
        if found := _pieces(word):
            pieces.extend(found)
            after = at + 1
        elif not (pieces and word in _LINKS and (word != "-" or touches(tokens, at))):
            break
    return (_evaluate(pieces), after) if pieces else None


def is_number_word(word: str) -> bool:
    """True if a case-folded word is a number, or part of one, in any of the four languages."""
    return bool(_pieces(word))


@lru_cache(maxsize=4_096)
def _pieces(word: str) -> tuple[str, ...]:
    if word in _WORDS or word in _HUNDREDS or word in _THOUSANDS:
        return (word,)
    return _german(word) if 6 < len(word) <= _MAX_WORD_CHARS else ()


def _german(word: str) -> tuple[str, ...]:
    """`zweitausendfünfhundert` taken apart from the left, longest piece first; empty if anything is left over."""
    pieces: list[str] = []
    while word:
        piece = next((candidate for candidate in _DE_PIECES if word.startswith(candidate)), None)
        if piece is None:
            return ()
        pieces.append(piece)
        word = word[len(piece) :]
    return tuple(piece for piece in pieces if piece != "und")


def _evaluate(pieces: Iterable[str]) -> int:
    total = current = 0
    for piece in pieces:
        if piece in _THOUSANDS:
            total, current = total + max(current, 1) * _THOUSAND, 0
        elif piece in _HUNDREDS:
            current = max(current, 1) * _HUNDRED
        elif piece in ("vingt", "vingts") and current % 100 == 4:
            current += 76
        else:
            current += _WORDS[piece]
    return total + current
