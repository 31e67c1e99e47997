"""Languages of knowledge: those that can be told apart, and those whose words Postgres stems (`knowledge_stemmer`)."""

from typing import Final

from domain.text.characters import clean_characters, without_surrogates

STEMMED: Final = ("en", "de", "fr", "es", "it", "nl", "pt")
KNOWN: Final = (
    *STEMMED, "pl", "cs", "da", "sv", "no", "fi", "hu", "ro", "tr", "el", "ru", "uk", "ar", "he", "ja", "ko", "zh",
)  # fmt: skip


def stemmed(language: str) -> str:
    """The language an entry's words are stemmed in; "" takes them as they are."""
    return language if language in STEMMED else ""


def storable(text: str) -> str:
    """The text without invisible characters and without what Postgres stores in no text: NUL and lone surrogates."""
    return clean_characters(without_surrogates(text).replace("\x00", "")).text
