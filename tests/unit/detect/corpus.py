"""The texts that detectors are judged by, one a line: ordinary support mail full of trigger words, and attacks."""

from pathlib import Path

DATA = Path(__file__).parent / "data"
LANGUAGES = ("en", "de", "fr", "es")


def lines(kind: str, language: str) -> list[str]:
    """The lines of `benign` or `attack` in one language."""
    return (DATA / f"{kind}_{language}.txt").read_text(encoding="utf-8").splitlines()
