"""Attachments become text that later answers to the same contact can name: title, summary, chunks (P62, P64).

A file that cannot be read, or that carries orders, is marked with the reason and is in no prompt.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from activities.faults import unexpected
from activities.knowledge.ports import Reader
from activities.model_turns import ModelHeld, model_turn
from activities.ports import Blobs, Database, Models, Row
from contracts.errors import DatabaseFault, DeskhandError, TransientFault
from contracts.llm import ModelTask, UsageContext
from domain.detect.parts import TextPart
from domain.detect.scan import scan
from domain.knowledge.chunking import passages
from domain.knowledge.claims import CLEAN_BELOW
from domain.knowledge.languages import storable
from domain.prompts.summarize import summarize_prompt

MOST_CHUNKS: Final = 200
SUMMARIZED_CHARS: Final = 12_000
SUMMARY_CHARS: Final = 800
STEP: Final = "summarize"


@dataclass(frozen=True)
class FileText:
    """What is kept of a file; `refused` is empty for one that was read."""

    title: str = ""
    summary: str = ""
    chunks: tuple[str, ...] = ()
    refused: str = ""


class FileIndex:
    """Reads attachments of mail that came through, one at a time."""

    def __init__(self, database: Database, blobs: Blobs, reader: Reader, models: Models) -> None:
        self.database, self.blobs, self.reader, self.models = database, blobs, reader, models

    async def run(self, mailbox_id: UUID, since: datetime, most: int) -> int:
        """What is due in one mailbox; how many files were looked at. Raises DatabaseFault."""
        async with self.database.transaction(mailbox_id) as tx:
            due = await tx.rows("files_due", mailbox_id, since, most)
        for done, row in enumerate(due):
            try:
                await self._store(row, await self._read(row))
            except (ModelHeld, TransientFault):
                return done
        return len(due)

    async def _read(self, row: Row) -> FileText:
        async with self.database.transaction(row["mailbox_id"]) as tx:
            raw = await self.blobs.get(tx, row["organisation_id"], row["sha256"])
        if raw is None:
            return FileText(refused="gone")
        try:
            document, _, _ = await self.reader.read(raw, row["name"])
        except TransientFault:
            raise
        except DeskhandError as refusal:
            return FileText(refused=str(getattr(refusal, "reason", type(refusal).__name__)))
        except Exception as fault:
            unexpected("knowledge_files", fault, final=False)
            return FileText(refused="Unexpected")
        chunks = tuple(passage.content for passage in passages(document, row["name"]))[:MOST_CHUNKS]
        if not chunks:
            return FileText(refused="empty")
        if scan([TextPart(place="file", text="\n".join((document.title, *chunks)))]).combined_score >= CLEAN_BELOW:
            return FileText(refused="injection")
        return FileText(storable(document.title)[:300], await self._summary(row, chunks), chunks)

    async def _summary(self, row: Row, chunks: Sequence[str]) -> str:
        """The model's words, or the beginning of the file where it cannot be asked."""
        text = "\n\n".join(chunks)[:SUMMARIZED_CHARS]
        message = {**row, "contact_answered_at": None, "requested_by_person": False}
        context = UsageContext(mailbox_id=str(row["mailbox_id"]), message_id=str(row["message_id"]), step=STEP)
        async with self.database.transaction(row["mailbox_id"]) as tx:
            facts = await tx.must("turn_facts", row["mailbox_id"])
        try:
            async with model_turn(self.database, facts, message, STEP):
                made = (await self.models.write(ModelTask.SUMMARIZE, summarize_prompt(text), context)).text
        except DatabaseFault:
            raise
        except DeskhandError:
            made = text
        clean = scan([TextPart(place="summary", text=made)]).combined_score < CLEAN_BELOW
        return " ".join(storable(made if clean else text).split())[:SUMMARY_CHARS]

    async def _store(self, row: Row, text: FileText) -> None:
        async with self.database.transaction(row["mailbox_id"]) as tx:
            file_id = await tx.value(
                "files_put", row["mailbox_id"], row["contact_id"], row["message_id"], row["n"], row["sha256"],
                row["name"], text.title, text.summary, text.refused,
            )  # fmt: skip
            if file_id is not None and text.chunks:
                await tx.run("files_put_chunks", file_id, row["mailbox_id"], list(text.chunks))
