"""Mail that came through is read once more for what its sender claims, beside the message and never in its way (P106).

Nothing here can fail a message: a call that fails is marked and tried again later, three times at most.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

from temporalio import activity

from activities.faults import named_faults, unexpected
from activities.knowledge.files import FileIndex
from activities.model_turns import ModelHeld, model_turn
from activities.ports import Database, Models, Row, Transaction
from activities.steps.frame import heartbeats
from contracts.errors import DeskhandError
from contracts.knowledge import MiningReport, MiningRequest
from contracts.llm import ModelTask, UsageContext
from domain.knowledge.claims import Claim, claims_of, readable_text, why_not
from domain.knowledge.languages import stemmed
from domain.prompts.extract import ExtractAnswer, extract_prompt

EXTRACTED, SKIPPED, FAILED = "extracted", "skipped", "failed"
# The flag went off while the model thought: nothing is kept and nothing marked.
WITHDRAWN = "withdrawn"
STEP: Final = "extract"
MOST_FILES: Final = 20


class Mining:
    """Claims out of mail. One message at a time, so that a round can be stopped anywhere."""

    def __init__(self, database: Database, models: Models, files: FileIndex | None = None) -> None:
        self.database, self.models, self.files = database, models, files

    @activity.defn(name="knowledge_mining")
    async def run(self, request: MiningRequest) -> MiningReport:
        """One round over the mailboxes that want it."""
        report = MiningReport()
        async with named_faults("knowledge_mining"), heartbeats():
            async with self.database.transaction() as tx:
                mailboxes = await tx.rows("mining_mailboxes")
            for mailbox in mailboxes:
                left = request.most - report.scanned
                if left > 0:
                    report = await self._mailbox(mailbox["id"], mailbox["on_since"], left, report)
                if self.files is not None:
                    await self.files.run(mailbox["id"], mailbox["on_since"], MOST_FILES)
        return report

    async def _mailbox(self, mailbox_id: UUID, since: datetime, most: int, report: MiningReport) -> MiningReport:
        async with self.database.transaction(mailbox_id) as tx:
            due = await tx.rows("mining_due", mailbox_id, since, most)
        for row in due:
            try:
                report = counted(report, await self.mine(mailbox_id, row["id"]))
            except ModelHeld:
                break
        return report

    async def mine(self, mailbox_id: UUID, message_id: UUID) -> str:
        """Reads one message; what came of it. Raises ModelHeld where no model may be asked now, DatabaseFault."""
        async with self.database.transaction(mailbox_id) as tx:
            message = await tx.one("mining_message", message_id, mailbox_id)
            facts = await tx.must("turn_facts", mailbox_id)
        if message is None or message["outcome"] in (EXTRACTED, SKIPPED):
            return SKIPPED
        text = readable_text(message)
        if reason := why_not(message, text):
            return await self._mark(message, SKIPPED, reason)
        try:
            async with model_turn(self.database, facts, message, STEP):
                answer = await self._asked(message, text)
            return await self._keep(message, claims_of(answer.claims, message["received_at"]))
        except ModelHeld:
            raise
        except DeskhandError as fault:
            return await self._mark(message, FAILED, type(fault).__name__)
        except Exception as fault:
            unexpected("knowledge_mining", fault, final=False)
            return await self._mark(message, FAILED, "Unexpected")

    async def _asked(self, message: Row, text: str) -> ExtractAnswer:
        context = UsageContext(mailbox_id=str(message["mailbox_id"]), message_id=str(message["id"]), step=STEP)
        answer = await self.models.ask(ModelTask.EXTRACT, extract_prompt(text), ExtractAnswer, context)
        return answer.value

    async def _keep(self, message: Row, claims: Sequence[Claim]) -> str:
        """Claims and mark in one transaction; the flag is asked once more, it may have gone while the model thought."""
        async with self.database.transaction(message["mailbox_id"]) as tx:
            flags = await tx.must("mining_flags", message["mailbox_id"])
            if not flags["knowledge"]:
                return WITHDRAWN
            outcome = EXTRACTED if claims else SKIPPED
            reason = "" if claims else "nothing"
            if await _marked(tx, message, outcome, reason, len(claims)) and claims:
                await _put(tx, message, claims)
        return outcome

    async def _mark(self, message: Row, outcome: str, reason: str) -> str:
        async with self.database.transaction(message["mailbox_id"]) as tx:
            await _marked(tx, message, outcome, reason, 0)
        return outcome


def counted(report: MiningReport, outcome: str) -> MiningReport:
    """The report with one message more."""
    return MiningReport(
        scanned=report.scanned + 1,
        extracted=report.extracted + (outcome == EXTRACTED),
        skipped=report.skipped + (outcome == SKIPPED),
        errors=report.errors + (outcome == FAILED),
    )


async def _marked(tx: Transaction, message: Row, outcome: str, reason: str, claims: int) -> bool:
    return bool(await tx.rows("mining_mark", message["id"], message["mailbox_id"], outcome, reason, claims))


async def _put(tx: Transaction, message: Row, claims: Sequence[Claim]) -> None:
    columns = [list(column) for column in zip(*claims, strict=True)]
    said_by = message["contact_address"] or message["from_address"]
    language = stemmed((message["language"] or "")[:2].lower())
    await tx.run(
        "mining_put", message["mailbox_id"], message["contact_id"], said_by, message["id"], language, *columns
    )
