"""Texts that say the same in nearly the same words, found by a 64-bit fingerprint of their word pairs (SimHash)."""

import hashlib
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Final, TypeVar

MOST_WORDS: Final = 2000
BITS: Final = 64
NEAR_BITS: Final = 3
_BANDS: Final = 4
_BAND_BITS: Final = BITS // _BANDS
_WORD = re.compile(r"\w{1,60}")
K = TypeVar("K")


def fingerprint(text: str) -> int:
    """A signed 64-bit number; texts that share most of their word pairs differ in few bits. Linear in the text."""
    words = _WORD.findall(text.lower())[:MOST_WORDS]
    features = [f"{a} {b}" for a, b in pairwise(words)] or words
    counts = [0] * BITS
    for feature in features:
        bits = _feature_bits(feature)
        for place in range(BITS):
            counts[place] += 1 if bits >> place & 1 else -1
    unsigned = sum(1 << place for place, count in enumerate(counts) if count > 0)
    return unsigned - (1 << BITS) if unsigned >> (BITS - 1) else unsigned


@lru_cache(maxsize=20_000)
def _feature_bits(feature: str) -> int:
    return int.from_bytes(hashlib.blake2b(feature.encode("utf-8", "replace"), digest_size=8).digest(), "big")


def distance(one: int, other: int) -> int:
    """How many of the 64 bits differ."""
    return ((one ^ other) & ((1 << BITS) - 1)).bit_count()


def near_pairs(fingerprints: Mapping[K, int], most_bits: int = NEAR_BITS) -> list[tuple[K, K, int]]:
    """Pairs that differ in at most `most_bits` (below 4) bits. Only entries that share a whole band are compared."""
    found: dict[tuple[K, K], int] = {}
    for bucket in _buckets(fingerprints):
        for place, one in enumerate(bucket):
            for other in bucket[place + 1 :]:
                bits = distance(fingerprints[one], fingerprints[other])
                if bits <= most_bits:
                    found[one, other] = bits
    return [(one, other, bits) for (one, other), bits in found.items()]


def _buckets(fingerprints: Mapping[K, int]) -> Iterable[list[K]]:
    for band in range(_BANDS):
        buckets: dict[int, list[K]] = {}
        for key, bits in fingerprints.items():
            buckets.setdefault(bits >> (band * _BAND_BITS) & ((1 << _BAND_BITS) - 1), []).append(key)
        yield from (bucket for bucket in buckets.values() if len(bucket) > 1)
