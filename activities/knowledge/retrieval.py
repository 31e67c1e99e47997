"""Finding what bears on a question: by meaning, by words and, where switched on, along one edge of the graph (P107).

Scope and validity stand in every statement; each entry is checked again here after every leg and hop. A leg that fails
leaves the others, and the gap is named.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from activities.knowledge.ports import embedder_of, literal
from activities.ports import Database, Embedder, Transaction
from contracts.errors import DeskhandError
from contracts.llm import UsageContext
from domain.briefing.query import wants_semantic_search
from domain.knowledge.entries import is_in_scope, is_past
from domain.knowledge.fusion import authoritative_first, fused
from domain.knowledge.languages import STEMMED, storable
from domain.mail.language import detect_language

LEG: Final = 30
HOP_FROM: Final = 10
# Of the weight of a question's words, what a single word has to bear for an entry to be found by it alone.
LEAST_SHARE: Final = 0.5
GAP_EMBEDDINGS: Final = "embeddings"

Entry = Mapping[str, Any]


@dataclass(frozen=True)
class Question:
    """What is asked, for whom. Without a contact only what is for everybody; `past` also finds what does not hold."""

    text: str
    mailbox_id: UUID
    contact_id: UUID | None = None
    past: bool = False


@dataclass
class Asked:
    """A question with its vectors by model, the serving model first; `gaps` says what could not be asked."""

    question: Question
    vectors: dict[str, Sequence[float]] = field(default_factory=dict)
    gaps: tuple[str, ...] = ()


async def embed_question(
    database: Database, embedder: Embedder | None, question: Question, context: UsageContext
) -> Asked:
    """The vectors of a question for every model that has made some here; without any, words alone are matched (A19)."""
    question = replace(question, text=storable(question.text))
    asked = Asked(question)
    if embedder is None or not wants_semantic_search(question.text):
        return asked
    async with database.transaction(question.mailbox_id) as tx:
        models = [row["model"] for row in await tx.rows("knowledge_models", question.mailbox_id)]
    for model in models:
        vector = await _embedded(embedder_of(embedder, model), question.text, context)
        if vector is None:
            asked.gaps = (GAP_EMBEDDINGS,)
        else:
            asked.vectors[model] = vector
    return asked


async def _embedded(embedder: Embedder | None, text: str, context: UsageContext) -> Sequence[float] | None:
    """The vector, or None if the model cannot be asked; a broken optional part never stops a message (P38)."""
    if embedder is None:
        return None
    try:
        vectors = await embedder.embed([text], context)
    except DeskhandError:
        return None
    return vectors[0] if vectors else None


async def retrieve(tx: Transaction, asked: Asked, now: datetime, most: int) -> list[Entry]:
    """The best `most` entries for a prompt: nothing past, nothing of another contact, authoritative ones first."""
    ranked = await ranked_entries(tx, asked, now)
    return authoritative_first([entry for entry in ranked if not is_past(entry, now)], most)


async def ranked_entries(tx: Transaction, asked: Asked, now: datetime, *, words: bool = True) -> list[Entry]:
    """Everything found, best first; what no longer holds comes last, if the question asks for it at all.

    Without `words` the vectors stand alone, as a measurement wants it.
    """
    question = asked.question
    way = await tx.must("knowledge_search_way", question.mailbox_id)
    legs = [await _by_words(tx, question, now)] if words else []
    legs += await _by_vectors(tx, asked, now)
    if way["graph"]:
        legs.append(await _by_graph(tx, question, fused(legs, now)[:HOP_FROM], now))
    return fused(legs, now)


async def _by_words(tx: Transaction, question: Question, now: datetime) -> list[Entry]:
    spoken = detect_language(question.text, STEMMED)
    least = 0.0 if question.past else LEAST_SHARE
    rows = await tx.rows(
        "knowledge_leg_words", question.mailbox_id, question.contact_id, question.text, spoken, question.past, least,
        LEG,
    )  # fmt: skip
    return _checked(rows, question, now)


async def _by_vectors(tx: Transaction, asked: Asked, now: datetime) -> list[list[Entry]]:
    """One leg per model; a later model is asked only for what the earlier ones have no vector of."""
    question, legs, covered = asked.question, [], list[str]()
    for model, vector in asked.vectors.items():
        rows = await tx.rows(
            "knowledge_leg_vector", question.mailbox_id, question.contact_id, model, literal(vector), question.past,
            covered, LEG,
        )  # fmt: skip
        legs.append(_checked(rows, question, now))
        covered.append(model)
    return legs


async def _by_graph(tx: Transaction, question: Question, found: Sequence[Entry], now: datetime) -> list[Entry]:
    ids = [entry["id"] for entry in found]
    rows = await tx.rows("knowledge_leg_graph", question.mailbox_id, question.contact_id, ids, question.past, LEG)
    return _checked(rows, question, now)


def _checked(rows: Sequence[Entry], question: Question, now: datetime) -> list[Entry]:
    """The second wall, after each leg and hop."""
    return [
        row
        for row in rows
        if is_in_scope(row, question.mailbox_id, question.contact_id) and (question.past or not is_past(row, now))
    ]
