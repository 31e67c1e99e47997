"""The texts the heads are trained on: mails from a template generator and mails written by hand, all of our own."""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files

from offline.briefing import Mail
from offline.language import LANGUAGES

CATEGORIES = ("support", "sales", "billing", "feature_request", "complaint", "spam", "internal", "other")
_SECTION = re.compile(r"\[([a-z_ ]+)\]")
_SLOT = re.compile(r"\{([a-z]+)\}")
_STRANGER_SHARE = 0.3


@dataclass(frozen=True, slots=True)
class Labelled:
    """A mail and what it is; `labels` are the further words of its title line."""

    language: str
    category: str
    mail: Mail
    labels: tuple[str, ...] = ()


def read_mails(text: str, language: str = "") -> list[Labelled]:
    """Mails in the plain format of the data files: `== [language] category ...`, `Subject: ...`, then the body."""
    return [_read(block, language) for block in re.split(r"(?m)^== ", text)[1:]]


def hand_mails() -> list[Labelled]:
    """The hand-written training mails."""
    return read_mails(_text("hand_mails.txt"))


def template_mails(per_line: int = 4) -> list[Labelled]:
    """`per_line` mails around every key sentence of every language; the same ones every time."""
    return [mail for language in LANGUAGES for mail in _Templates(language).mails(per_line)]


def order_sentences() -> list[tuple[str, bool]]:
    """Sentences and whether they give orders to a language model."""
    lines = _text("orders_to_models.txt").splitlines()
    return [(line[2:], line.startswith("+")) for line in lines if line[:2] in ("+ ", "- ")]


def _text(name: str) -> str:
    return files("offline").joinpath("data", name).read_text("utf-8")


def _read(block: str, language: str) -> Labelled:
    title, subject, *body = block.split("\n")
    words = title.split() if not language else [language, *title.split()]
    mail = Mail(subject.removeprefix("Subject:").strip(), "\n".join(body).strip())
    return Labelled(words[0], words[1], mail, tuple(words[2:]))


class _Templates:
    """One language's sentences; combines key sentence, further sentences, greeting and closing."""

    def __init__(self, language: str) -> None:
        self.language = language
        self._random = random.Random(f"templates {language}")
        self._lines: dict[str, list[str]] = {}
        current: list[str] = []
        for line in _text(f"templates_{language}.txt").splitlines():
            section = _SECTION.fullmatch(line)
            if section:
                current = self._lines.setdefault(section[1], [])
            elif line:
                current.append(line)

    def mails(self, per_line: int) -> Iterator[Labelled]:
        for category in CATEGORIES:
            for key in self._lines[category]:
                for _ in range(per_line):
                    yield Labelled(self.language, category, self._mail(category, key))

    def _mail(self, category: str, key: str) -> Mail:
        chosen, sentence = self._random, self._filled(key)
        sentences = [sentence, *map(self._filled, self._further(category, key))]
        chosen.shuffle(sentences)
        closing = chosen.choice([*self._lines["close"], ""])
        farewell = f"{closing}\n{self._filled('{name}')}" if closing else ""
        opening = chosen.choice([*self._lines["open"], ""])
        subject = chosen.choice(["", " ".join(sentence.split()[: chosen.randint(2, 6)])])
        return Mail(subject, "\n".join(part for part in (opening, " ".join(sentences), farewell) if part))

    def _further(self, category: str, key: str) -> list[str]:
        lines = self._random.sample(self._lines[f"{category} more"], self._random.choice([0, 1, 1, 2]))
        others = [line for line in self._lines[category] if line != key]
        return [*lines, self._random.choice(others)] if self._random.random() < _STRANGER_SHARE else lines

    def _filled(self, line: str) -> str:
        return _SLOT.sub(lambda slot: self._random.choice(self._lines[f"slot {slot[1]}"]), line)
