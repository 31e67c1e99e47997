"""Token counts without a vocabulary in memory: an estimate by script that follows what common tokenizers do."""

import re

# Runs of letters, of digits, of other scripts, and single signs; no run overlaps another, so reading stays linear.
_PIECES = re.compile(
    r"[A-Za-z]+|[0-9]+|[\u00c0-\u024f]+|[\u0370-\u05ff\u0600-\u06ff]+|[\u3040-\u9fff\uac00-\ud7af]+|\S"
)
_LETTERS_PER_TOKEN = 4.8
_DIGITS_PER_TOKEN = 3
_LETTERS_PER_TOKEN_ELSEWHERE = 2.5


def token_count(text: str) -> int:
    """About how many tokens a text has; at least 1 unless it is empty."""
    return max(1, round(sum(map(_cost, _PIECES.findall(text))))) if text else 0


def _cost(piece: str) -> float:
    first = piece[0]
    if first.isascii():
        if first.isalpha():
            return max(1.0, len(piece) / _LETTERS_PER_TOKEN)
        return max(1.0, len(piece) / _DIGITS_PER_TOKEN) if first.isdigit() else 0.8
    if "\u00c0" <= first <= "\u024f":
        return 0.8 * len(piece)
    return len(piece) / _LETTERS_PER_TOKEN_ELSEWHERE if "\u0370" <= first <= "\u06ff" else float(len(piece))
