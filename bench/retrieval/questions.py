"""The questions of the help centre, each with the passage that answers it, checked to be far from its words."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from domain.knowledge.chunking import PARTED_BY

FOLDER: Final = Path(__file__).with_name("corpus")
MOST_SHARED: Final = 0.30
_WORD = re.compile(r"\w+")
# Words that bear no content; what is not in this list counts as content.
_EMPTY: Final = frozenset(
    """a an and any are as at be by can could did do does for from get got had has have how i if in into is it its me
    my no not of off on one or our out so than that the their them then there they this to up was we what when where
    which who will with you your am been before after
    aber als am an auf aus bei bin bis da das dass dem den der des die dies doch du ein eine einem einen einer er es
    euch eurem eure für geht habe haben hat ich ihr ihre im in ist ja kann können man mein meine meinem meinen meiner
    mich mir mit muss nach nicht noch oder schon sein selbst sich sie sind so um und uns von vor wann was weil welche
    welches wenn wer wie wir wo wohin wurde zu zum zur über ihn dabei mehr
    à au aux avec ce ces combien comment dans de des du elle en est et il j je l la le les ma me mes mon n ne nos notre
    nous on ou où par pas peut plus pour puis qu que quel quelle quelles qui quoi s sa se ses si sont sur un une vos
    votre vous y a ai
    al con cuál cuándo cuánto cuesta de del dónde el en es está estoy ha hay he la las lo los me mi mis no o os para
    por puedo qué quién se ser si sin su te tu un una uno y ya cómo mas más""".split()
)


@dataclass(frozen=True)
class Asked:
    """A question, its language, and the heading of the passage that answers it. `page_language` is the passage's."""

    heading: str
    language: str
    text: str
    page_language: str

    @property
    def crosses(self) -> bool:
        """Whether it is in another language than the page."""
        return self.language != self.page_language


def questions() -> list[Asked]:
    """All questions. Raises ValueError for one that shares too many words with its passage, or has no passage."""
    places = passages_by_heading()
    asked = []
    for line in (FOLDER / "questions.tsv").read_text(encoding="utf-8").splitlines():
        heading, language, text = line.split("\t")
        page_language, content = places[heading]
        share = shared(text, f"{heading} {content}")
        if share > MOST_SHARED:
            raise ValueError(f"{text!r} shares {share:.0%} of its words with {heading!r}")
        asked.append(Asked(heading, language, text, page_language))
    return asked


def passages_by_heading() -> dict[str, tuple[str, str]]:
    """Language and text of each passage by its heading."""
    found = {}
    for page in sorted(FOLDER.glob("*.md")):
        for section in page.read_text(encoding="utf-8").split("\n## ")[1:]:
            heading, _, content = section.partition("\n")
            found[heading.strip()] = (page.suffixes[0][1:], content.strip())
    return found


def shared(question: str, passage: str) -> float:
    """The share of the question's content words that the passage holds, 0 to 1; word for word, case aside."""
    words = set(_WORD.findall(question.lower())) - _EMPTY
    return len(words & set(_WORD.findall(passage.lower()))) / max(len(words), 1)


def heading_of(title: str) -> str:
    """The heading of an entry by its title."""
    return title.split(PARTED_BY)[-1]
