"""Invented text whose words are spread as in real text: few are frequent, most are rare."""

import random
from functools import cache
from typing import Final

_BEGIN: Final = "b br d dr f fl g gl h k kl l m n p pl r s st t tr v w z sh ch".split()
_MIDDLE: Final = "a e i o u ai ea ou ie oo".split()
_END: Final = "n r l s t m nd rt ck st ng x".split()
VOCABULARY: Final = 30_000


@cache
def word(rank: int) -> str:
    """A word by its rank; the same rank is the same word."""
    rng = random.Random(rank)
    syllables = 1 + min(2, rank // 400)
    return "".join(rng.choice(_BEGIN) + rng.choice(_MIDDLE) for _ in range(syllables)) + rng.choice(_END)


def ranks(rng: random.Random, count: int) -> list[int]:
    """Ranks drawn roughly by Zipf's law."""
    return [int(VOCABULARY ** rng.random()) for _ in range(count)]


def paragraph(rng: random.Random, count: int) -> str:
    """Sentences of twelve words."""
    words = [word(rank) for rank in ranks(rng, count)]
    sentences = (words[start : start + 12] for start in range(0, count, 12))
    return " ".join(" ".join(one).capitalize() + "." for one in sentences)
