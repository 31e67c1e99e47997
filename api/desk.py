"""One action of one person, from the request to its answer: known outcome, stored texts, one Update, audit (P97, P100).

The request id is the thread through all of it. Whatever fails on the way, the same id finds out what became of it.
"""

import asyncio
import hashlib
import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any
from uuid import UUID, uuid4

from fastapi import Depends, Header

from activities.lifecycle.writer import digest_of
from adapters.postgres import Transaction
from adapters.reviews import NoAnswer, NoOpenWorkflow, RefusedByState
from api.acts import Asked, EditBody, Ids, RequestId
from api.answers import ActionAnswer, answer_of, checked, late_click, objection
from api.auth import Principal, Who
from api.errors import ApiError, invalid, not_found, unavailable
from api.services import Deskhand, Services
from api.texts import check_seen, known_edit, save_revision, store_notes
from contracts.errors import LostRace
from contracts.lifecycle import Act, Command, Outcome, Receive, WriteReply
from contracts.status import Result
from contracts.workflow import HumanRequest, MessageStart
from workflows.review_handlers import ALLOWED

NEEDS_ADMIN = frozenset({"release_quarantine"})
LOOK_EVERY_S = 0.15
PATIENCE_S = 8.0
AUDIT_OVERLAP = timedelta(minutes=10)
NO_ANSWER = "Nothing answered in time, and nothing is half done. Repeat the request with the same request id."


@dataclass(frozen=True)
class Prepared:
    """A request ready to be sent, or its outcome where that is known."""

    subject: Any
    act: Act
    known: Outcome | None = None
    known_at: datetime | None = None


class Desk:
    """What one person may do with messages; made anew for each request."""

    def __init__(self, services: Services, who: Principal, header_id: str | None) -> None:
        self.services = services
        self.who = who
        self.header_id = header_id

    def request_id(self, given: str | None) -> str:
        """Header, else body, else a new one, which the answer carries."""
        if self.header_id and given and self.header_id != given:
            raise invalid("request_id", "it differs from the header Idempotency-Key")
        return self.header_id or given or str(uuid4())

    async def act(self, message_id: UUID, action: str, body: Asked) -> ActionAnswer:
        """Carries out one action; refusals are raised as 409 with the same fields."""
        self.who.require("review", role="admin" if action in NEEDS_ADMIN else "reviewer")
        request_id = self.request_id(body.request_id)
        prepared = await self._prepared(message_id, action, body, request_id)
        if prepared.known is not None:
            return await self._answer(prepared, request_id, action, prepared.known, repeated=True)
        outcome = await self._carry_out(prepared, action, request_id)
        return await self._answer(prepared, request_id, action, outcome, repeated=outcome.repeated)

    async def _prepared(self, message_id: UUID, action: str, body: Asked, request_id: str) -> Prepared:
        """Two people may save a text at the same moment; the second takes the next number."""
        for _ in range(3):
            try:
                return await self._prepare(message_id, action, body, request_id)
            except LostRace:
                continue
        raise unavailable("Others are writing here at the same moment. Try again.", request_id=request_id)

    async def _prepare(self, message_id: UUID, action: str, body: Asked, request_id: str) -> Prepared:
        ids = Ids(message_id, request_id)
        async with self.services.database.transaction(self.who.mailboxes) as tx:
            subject = await self.subject(tx, message_id)
            edit = await known_edit(tx, message_id, self.who.actor, body) if isinstance(body, EditBody) else None
            act = body.act(ids, edit)
            known = await self.known(tx, subject, request_id, act)
            if known is not None:
                return Prepared(subject, act, *known)
            early = await objection(tx, subject, action)
            if early is not None:
                return Prepared(subject, act, early)
            await check_seen(tx, subject, body)
            await store_notes(tx, subject, self.who.actor, body.notes(ids))
            if isinstance(body, EditBody) and edit is None:
                edit, _ = await save_revision(tx, subject, self.who.actor, _edited_text(body))
            if getattr(body, "block_sender", False):
                await tx.run("api_block_sender", subject["mailbox_id"], subject["from_identity"], self.who.actor)
        return Prepared(subject, body.act(ids, edit))

    async def subject(self, tx: Transaction, message_id: UUID) -> Any:
        """The message as it is now; 404 for what never was, is deleted, or belongs to others."""
        row = await tx.one("api_subject", message_id)
        if row is None or row["account"] == "deleted":
            raise not_found()
        return row

    async def known(self, tx: Transaction, subject: Any, request_id: str, act: Act) -> tuple[Outcome, datetime] | None:
        """The stored outcome of this request; 409 if the id was used for something else."""
        row = await tx.one("api_known_request", subject["mailbox_id"], request_id)
        if row is None:
            return None
        if row["message_id"] != subject["message_id"] or row["digest"] not in self._digests(subject, act):
            raise ApiError(
                409, "conflict", "The same request id was used before for another action.", request_id=request_id
            )
        return Outcome.model_validate(row["outcome"]), row["at"]

    def _digests(self, subject: Any, act: Act) -> set[str]:
        """Answering poison by hand is recorded as the arrival it makes (P97)."""
        acts: list[Act] = [act]
        if isinstance(act, WriteReply):
            acts.append(Receive(reply_note_id=act.note_id))
        return {digest_of(self._command(subject["message_id"], "", a)) for a in acts}

    def _command(self, message_id: UUID, request_id: str, act: Act) -> Command:
        return Command(
            message_id=message_id,
            cause_key=f"req:{request_id}",
            actor=self.who.actor,
            request_id=request_id or None,
            act=act,
        )

    async def _carry_out(self, p: Prepared, action: str, request_id: str) -> Outcome:
        """Asks the open workflow; where none is open, looks again until there is an outcome or patience ends."""
        until, subject = time.monotonic() + PATIENCE_S, p.subject
        if action == "restore":
            await self._start_restore(p, request_id)
        while time.monotonic() < until:
            if action != "restore" and subject["workflow_id"] is not None:
                outcome = await self._ask(p, subject, action, request_id)
                if outcome is not None:
                    return outcome
            await asyncio.sleep(LOOK_EVERY_S)
            found, subject = await self._look(p, action, request_id)
            if found is not None:
                return found
        raise unavailable(NO_ANSWER, request_id=request_id)

    async def _ask(self, p: Prepared, subject: Any, action: str, request_id: str) -> Outcome | None:
        """The outcome; None where the workflow is not open, or does not know yet what the database knows."""
        request = HumanRequest(request_id=request_id, actor=self.who.actor, act=p.act)
        try:
            return await self.services.desk.ask(subject["workflow_id"], action, request, Outcome, request_id)
        except NoOpenWorkflow:
            return None
        except NoAnswer as fault:
            raise unavailable(NO_ANSWER, request_id=request_id) from fault
        except RefusedByState as refusal:
            async with self.services.database.transaction(self.who.mailboxes) as tx:
                now = await self.subject(tx, subject["message_id"])
                if now["status"] in ALLOWED[p.act.kind]:
                    return None  # the row moved, and the wake that tells the workflow is on its way (P20a)
                return await late_click(tx, now, Result.CONFLICT, _sentence(refusal))

    async def _look(self, p: Prepared, action: str, request_id: str) -> tuple[Outcome | None, Any]:
        async with self.services.database.transaction(self.who.mailboxes) as tx:
            subject = await self.subject(tx, p.subject["message_id"])
            known = await self.known(tx, subject, request_id, p.act)
            found = known[0] if known is not None else await objection(tx, subject, action)
        return found, subject

    async def _start_restore(self, p: Prepared, request_id: str) -> None:
        """Orders `message/<id>/run/<n>` with the command in its input; only the relay starts it (P29, RC14)."""
        message_id, run = p.subject["message_id"], p.subject["run_no"] + 1
        begin = MessageStart(message_id=message_id, restore=self._command(message_id, request_id, p.act))
        async with self.services.database.transaction(self.who.mailboxes) as tx:
            await tx.value(
                "api_start", f"message/{message_id}/run/{run}", "InboundMessageWorkflow", begin.model_dump(mode="json"),
                "restored by a person", True,
            )  # fmt: skip

    async def _answer(
        self, p: Prepared, request_id: str, action: str, outcome: Outcome, *, repeated: bool
    ) -> ActionAnswer:
        async with self.services.database.transaction(self.who.mailboxes) as tx:
            subject = await self.subject(tx, p.subject["message_id"])
            answer = await answer_of(tx, subject, request_id, action, outcome, repeated and p.known_at is not None)
            if not repeated and outcome.ok:
                await self.known(tx, subject, request_id, p.act)
            await self.audit(tx, subject["mailbox_id"], f"message/{answer.message_id}", action, answer, p.known_at)
        return checked(answer)

    async def audit(
        self, tx: Transaction, mailbox_id: UUID, subject: str, action: str, answer: Any, since: datetime | None = None
    ) -> None:
        """One row per request, refusals included, however often it is repeated."""
        after = {"request_id": answer.request_id, "result": answer.result, "status": getattr(answer, "status", None)}
        at = (since or datetime.now(UTC)) - AUDIT_OVERLAP
        await tx.run("api_audit_once", mailbox_id, self.who.actor, action, subject, after, at)


def _edited_text(body: EditBody) -> str:
    if body.text is None:
        raise invalid("text", "an edit needs `text`, or the number of a saved `revision`")
    return body.text


def _sentence(refusal: RefusedByState) -> str:
    return f"{str(refusal)[:1].upper()}{str(refusal)[1:]}."


def digest(*parts: object) -> str:
    """What makes two requests without a lifecycle command the same."""
    return hashlib.sha256("|".join(map(str, parts)).encode()).hexdigest()


HeaderId = Annotated[RequestId | None, Header(alias="Idempotency-Key")]


async def _desk(services: Deskhand, who: Who, idempotency_key: HeaderId = None) -> Desk:
    return Desk(services, who, idempotency_key)


AtDesk = Annotated[Desk, Depends(_desk)]
