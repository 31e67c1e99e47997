"""Writing a reply without a language model: our phrases around our knowledge, and an honest word about what is open.

Nothing in a reply comes from the mail but a name-like first name; nothing comes from us but phrases without any
number, date or promise. So a reply can be poor, but not wrong by invention.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from offline.briefing import Briefing
from offline.classify import Classifier
from offline.embedder import Embedder
from offline.intents import kind_of
from offline.knowledge import Support, support_for
from offline.language import language_of
from offline.sentences import is_farewell, message_sentences
from offline.wishes import Wishes
from offline.words import data_of

PHRASES = "phrases.json"
_MOST_QUESTIONS = 8
_FALLBACK_CATEGORY = "other"
_NOTHING_KNOWN = Support(open_questions=("the message",))


@dataclass(frozen=True, slots=True)
class Plan:
    """What a reply will say, before it has words: `asks_back` adds the clarifying question of the category."""

    language: str
    category: str
    first_name: str
    support: Support
    asks_back: bool = False
    asked_anything: bool = True
    defers: bool = True
    checks_back: bool = False


class Writer:
    """Plans and words replies."""

    def __init__(self, embedder: Embedder, classifier: Classifier) -> None:
        self._embedder = embedder
        self._classifier = classifier

    def plan(self, briefing: Briefing, wishes: Wishes) -> Plan:
        """The best supported reply to a message."""
        mail = briefing.mail
        questions = questions_in(briefing)
        support = support_for(questions, briefing.knowledge, self._embedder)
        vague = not any(sign.isdigit() for sign in mail.body)
        return Plan(
            language=reply_language(briefing, wishes),
            category=self._classifier.category(mail)[0],
            first_name=briefing.first_name,
            support=support,
            asks_back=bool(questions) and not support.passages and vague,
            asked_anything=bool(questions),
        )

    def reply(self, briefing: Briefing, wishes: Wishes) -> dict[str, Any]:
        """The fields of a draft answer."""
        plan = self.plan(briefing, wishes)
        return {"reply": worded(plan, wishes), "language": plan.language}

    def options(self, briefing: Briefing, wishes: Wishes, draft: str) -> dict[str, Any]:
        """The fields of draft options: two replies that do something else than the draft and than each other."""
        plan = self.plan(briefing, wishes)
        texts = dict.fromkeys(worded(variant, wishes) for variant in variants(plan))
        return {"options": [text for text in texts if text.strip() != draft.strip()][:2]}


def variants(plan: Plan) -> Iterable[Plan]:
    """Say only what is certain and check whether it helped; ask back; leave it to a colleague."""
    silent = replace(plan, support=_NOTHING_KNOWN)
    if plan.support.passages:
        certain = replace(plan.support, passages=plan.support.passages[:1])
        yield replace(plan, support=certain, defers=False, asks_back=False, checks_back=True)
    yield replace(silent, asks_back=True, defers=False, asked_anything=True)
    yield replace(silent, asks_back=False, defers=True, asked_anything=True)


def questions_in(briefing: Briefing) -> list[str]:
    """What the sender asks, at most eight sentences; of a message that states no wish its subject or text."""
    sentences = message_sentences(briefing.mail.body)
    asked = [sentence for sentence in sentences if kind_of(sentence)]
    if asked:
        return asked[:_MOST_QUESTIONS]
    subject = briefing.mail.subject
    return [subject] if kind_of(subject) else []


def reply_language(briefing: Briefing, wishes: Wishes) -> str:
    """The language of the message; a short one is judged by what the prompt and the contact say."""
    mail = briefing.mail
    known = wishes.language or briefing.language[:2].lower()
    fallback = known if known in data_of_phrases() else "en"
    return wishes.language or language_of(f"{mail.subject}\n{mail.body}", fallback)


def data_of_phrases() -> dict[str, Any]:
    """The phrase book by language."""
    return data_of(PHRASES)


def worded(plan: Plan, wishes: Wishes) -> str:
    """The reply as plain text; the signature closes it once, in place of our own closing where it has one."""
    book = data_of_phrases()[plan.language]
    hello = book["hello_name"].format(name=plan.first_name) if plan.first_name else book["hello"]
    paragraphs = [hello, *_body(plan, book), _farewell(book, wishes)]
    return "\n\n".join(paragraph for paragraph in paragraphs if paragraph)


def _body(plan: Plan, book: dict[str, Any]) -> Iterable[str]:
    category = plan.category if plan.category in book["thanks"] else _FALLBACK_CATEGORY
    thanks = book["thanks"][category]
    if not plan.asked_anything:
        yield f"{thanks} {book['nothing_asked']}"
        return
    yield thanks
    if plan.support.passages:
        yield _known(plan, book)
    if plan.support.open_questions and plan.defers:
        yield book["open_part"] if plan.support.passages else book["open_all"]
    if plan.asks_back:
        yield book["ask"][category]
    if plan.checks_back:
        yield book["helpful"]


def _known(plan: Plan, book: dict[str, Any]) -> str:
    """Our passages, introduced as foreign words where they are in another language than the reply."""
    passages = plan.support.passages
    own = all(language_of(passage, plan.language) == plan.language for passage in passages)
    return "\n".join([book["known"] if own else book["known_foreign"], *passages])


def _farewell(book: dict[str, Any], wishes: Wishes) -> str:
    closing = str(book["farewell_friendly" if wishes.friendly else "farewell"])
    if not wishes.signature:
        return closing
    first_line = wishes.signature.split("\n")[0]
    return wishes.signature if is_farewell(first_line) else f"{closing}\n{wishes.signature}"
