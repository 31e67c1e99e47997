"""recall@5 on the help centre: by both legs together, by vectors alone and by words alone."""

import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from activities.knowledge.importing import Importer, ImportOrder
from activities.knowledge.retrieval import Asked as Embedded
from activities.knowledge.retrieval import Question, embed_question, ranked_entries
from adapters.importing.reader import SandboxedReader
from adapters.importing.sources import files_below
from bench.retrieval.house import House
from bench.retrieval.questions import FOLDER, Asked, heading_of, questions
from contracts.llm import UsageContext

FIRST: Final = 5


async def import_corpus(house: House) -> None:
    """The pages of the help centre, through the real import."""
    reader = SandboxedReader()
    try:
        importer = Importer(house.database, house.mailbox_id, reader, house.embedder)
        files = [file for file in await files_below(FOLDER, reader) if file.name.endswith(".md")]
        order = ImportOrder("faq", "bench")
        async for outcome in importer.run(files, order):
            if outcome.reason:
                raise ValueError(f"{outcome.name}: {outcome.words}")
        await importer.finish(files, order)
    finally:
        await reader.close()


async def measure(house: House) -> dict[str, float]:
    """The share of questions whose passage is among the first five."""
    await import_corpus(house)
    hits: dict[str, list[bool]] = {}
    for asked in questions():
        for way, found in (await _ways(house, asked)).items():
            hit = asked.heading in [heading_of(row["title"]) for row in found[:FIRST]]
            hits.setdefault(way, []).append(hit)
            hits.setdefault(f"{way}_{'other' if asked.crosses else 'same'}_language", []).append(hit)
            if not hit and way == "hybrid" and "-v" in sys.argv:
                print(f"missed: {asked.text} ({asked.heading})", file=sys.stderr)
    return {
        "recall_questions": len(hits["hybrid"]),
        **{f"recall_at_5_{way}": sum(found) / len(found) for way, found in hits.items()},
    }


async def _ways(house: House, asked: Asked) -> dict[str, Sequence[Mapping[str, Any]]]:
    """The ranking by each way, each with the real retrieval."""
    question = Question(asked.text, house.mailbox_id)
    context = UsageContext(mailbox_id=str(house.mailbox_id))
    embedded = await embed_question(house.database, house.embedder, question, context)
    now = datetime.now(UTC)
    async with house.database.transaction(house.mailbox_id) as tx:
        return {
            "hybrid": await ranked_entries(tx, embedded, now),
            "vector": await ranked_entries(tx, embedded, now, words=False),
            "text": await ranked_entries(tx, Embedded(question), now),
        }
