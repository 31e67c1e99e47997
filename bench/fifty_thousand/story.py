"""One mail through door, parser and lifecycle to the end that the plan gives it, in one transaction of its own.

What a step would have found out is stored as the step stores it; every status is written by the lifecycle alone.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from activities.lifecycle import Lifecycle
from activities.parsing import Parsing
from adapters.blobs import BlobStore
from adapters.postgres import Transaction
from adapters.reception import Reception
from api.webhooks import raw
from bench.fifty_thousand.plan import Ending
from bench.fifty_thousand.results import CLASSIFIED, CONTEXT, draft, quarantined, routed, scanned
from cli.stack.first_access import RAW_SOURCE
from contracts.base import Contract
from contracts.lifecycle import Act, Approve, Archive, Command, EndStep, Enter, FailStep, Receive, Reject, SendResult
from contracts.status import ArchiveReason, Status, StepKind
from contracts.workflow import ParseRequest
from domain.keys import Keyring
from domain.mail.parse import parse_rfc822

WALKED = frozenset(
    {Ending.REVIEW, Ending.SENDING, Ending.AMBIGUOUS, Ending.SENT, Ending.REJECTED}
)
HAND_OVER_WITHIN = timedelta(minutes=5)


class OneTransaction:
    """A database that hands out the transaction that is open already, so that a whole story commits once."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx

    @asynccontextmanager
    async def transaction(self, *_: Any, **__: Any) -> AsyncIterator[Transaction]:
        """The same one each time."""
        yield self._tx


class InProcessParser:
    """The real parser without the sandbox around it: these mails are our own."""

    async def parse(self, content: bytes, _: str, *, received_at: datetime, **more: Any) -> Any:
        """Parses here."""
        return parse_rfc822(content, received_at=received_at, **more)


class Story:
    """One mail, told inside a transaction that the caller opens with the lifecycle's writer mark."""

    def __init__(self, tx: Transaction, keyring: Keyring, person: UUID) -> None:
        database = OneTransaction(tx)
        self._tx, self._person = tx, f"user:{person}"
        self._reception = Reception(database, keyring)  # type: ignore[arg-type]
        self._parsing = Parsing(database, InProcessParser(), BlobStore(), keyring)  # type: ignore[arg-type]
        self._lifecycle = Lifecycle(database, keyring)
        self._mailbox_id: UUID
        self._id: UUID
        self._causes = 0

    async def tell(self, content: bytes, ending: Ending, number: int) -> UUID:
        """Takes the mail in and brings it to its end; its message id."""
        delivery = raw.translate(RAW_SOURCE, content, f"fill-{uuid4()}", {})
        self._id = (await self._reception.accept(delivery)).message_ids[0]
        await self._tx.run("relay_started", f"message/{self._id}", 0)
        if ending is Ending.POISON:
            return self._id
        self._mailbox_id = (await self._parsing.parse(ParseRequest(message_id=self._id))).mailbox_id
        await self._do(Receive(), "receive")
        await self._walk(ending, number)
        return self._id

    async def thread_id(self) -> UUID:
        """The conversation it went to."""
        found: UUID = await self._tx.value("dashboard_thread_of", self._id)
        return found

    async def _walk(self, ending: Ending, number: int) -> None:
        if ending is Ending.RECEIVED:
            return
        if ending is Ending.DISMISSED:
            return await self._do(Archive())
        await self._do(Enter())
        if ending is Ending.QUARANTINED:
            return await self._end(StepKind.SECURITY_SCAN, quarantined(), to=Status.QUARANTINED)
        await self._end(StepKind.SECURITY_SCAN, scanned(), to=Status.CLASSIFYING, next_step=StepKind.CONTEXT_RETRIEVAL)
        await self._end(StepKind.CONTEXT_RETRIEVAL, CONTEXT, next_step=StepKind.CLASSIFY)
        if ending in WALKED:
            return await self._decide(ending, number)
        await self._stop_at_classifying(ending)

    async def _stop_at_classifying(self, ending: Ending) -> None:
        if ending is Ending.SPAM:
            reason = ArchiveReason.CLASSIFIER_SPAM.value
            return await self._end(StepKind.CLASSIFY, CLASSIFIED, to=Status.ARCHIVED, reason=reason)
        if ending is Ending.FAILED:
            await self._do(FailStep(step=StepKind.CLASSIFY, error_type="ModelOutputInvalid", permanent=True))

    async def _decide(self, ending: Ending, number: int) -> None:
        await self._end(StepKind.CLASSIFY, CLASSIFIED, to=Status.DRAFTING, next_step=StepKind.DRAFT)
        await self._end(StepKind.DRAFT, draft(number), next_step=StepKind.ROUTE)
        await self._end(StepKind.ROUTE, routed(), to=Status.DRAFT_READY, reason="auto_reply_off")
        if ending is Ending.REVIEW:
            return
        if ending is Ending.REJECTED:
            return await self._do(Reject(), actor=self._person)
        await self._do(Approve(resolve=number % 2 == 0), actor=self._person)
        if ending is not Ending.SENDING:
            await self._send(ending)

    async def _send(self, ending: Ending) -> None:
        order = await self._tx.must("review_live_outbox", self._id, "reply")
        await self._tx.value("claim_take", order["id"], b"", datetime.now(UTC) + HAND_OVER_WITHIN)
        if ending is Ending.SENT:
            await self._tx.run("send_sent", order["id"], "250 taken", None)
        else:
            await self._tx.run("send_ambiguous", order["id"], "the connection ended before the answer")
        await self._do(SendResult(outbox_id=order["id"]))

    async def _end(self, kind: StepKind, output: Contract, **route: Any) -> None:
        stored = output.model_dump_json()
        await self._tx.run("step_store_output", self._id, self._mailbox_id, 1, kind, stored, {}, 1, 5, None, None)
        await self._do(EndStep(step=kind, **route), f"1.0:{kind}:end")

    async def _do(self, act: Act, cause: str = "", actor: str = "workflow") -> None:
        self._causes += 1
        key = cause or f"fill/{self._causes}"
        command = Command(message_id=self._id, cause_key=key, actor=actor, act=act, workflow_run_id="fill")
        outcome = await self._lifecycle.apply(command)
        if not outcome.ok:
            raise RuntimeError(f"{act.kind}: {outcome.refusal}")
