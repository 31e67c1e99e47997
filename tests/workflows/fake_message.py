"""One message in memory behind the same activity names, so that workflows can be told time without a database."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from temporalio import activity
from temporalio.exceptions import ApplicationError

from contracts.lifecycle import Command, Outcome, View
from contracts.status import TERMINAL, ArchiveReason, HoldReason, Result, Status, StepKind
from contracts.steps import Route, StepInput, in_state, transition
from contracts.workflow import DeliverRequest, DeliverResult, DeliverState, ParseRequest, ParseResult

EPOCH = datetime(2026, 1, 1, tzinfo=UTC)
ROUTES = {
    StepKind.SECURITY_SCAN: transition(Status.CLASSIFYING, next_step=StepKind.CONTEXT_RETRIEVAL),
    StepKind.CONTEXT_RETRIEVAL: in_state(StepKind.CLASSIFY),
    StepKind.CLASSIFY: transition(Status.DRAFTING, next_step=StepKind.DRAFT),
    StepKind.DRAFT: in_state(StepKind.ROUTE),
    StepKind.ROUTE: transition(Status.DRAFT_READY, "auto_reply_off"),
}


@dataclass
class FakeMessage:
    """Applies commands the plain way. Its clock stands still: the workflow works with distances from the view's
    `now`."""

    message_id: UUID = field(default_factory=uuid4)
    status: Status | None = None
    step: StepKind | None = None
    hold: HoldReason | None = None
    hold_until: datetime | None = None
    send_at: datetime | None = None
    review_due_at: datetime | None = None
    overdue: bool = False
    seq: int = 0
    run_no: int = 1
    restart_no: int = 0
    retries: int = 0
    failed_step: str = ""
    archive_reason: ArchiveReason | None = None
    outbox_id: UUID = field(default_factory=uuid4)
    parse_answers: list[str] = field(default_factory=list)
    faults: dict[StepKind, list[BaseException]] = field(default_factory=dict)
    deliveries: list[DeliverState] = field(default_factory=list)
    proofs: list[DeliverState] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)
    hold_on_arrival: tuple[HoldReason, timedelta] | None = None
    undo: timedelta = timedelta(seconds=15)

    async def now(self) -> datetime:
        """The moment every view was taken at."""
        return EPOCH

    async def view(self) -> View | None:
        """As the lifecycle would show it."""
        if self.status is None:
            return None
        return View(
            message_id=self.message_id,
            mailbox_id=self.message_id,
            thread_id=self.message_id,
            status=self.status,
            seq=self.seq,
            run_no=self.run_no,
            restart_no=self.restart_no,
            step=self.step,
            hold_reason=self.hold,
            hold_until=self.hold_until,
            send_at=self.send_at,
            outbox_id=self.outbox_id if self.status is Status.APPROVED else None,
            review_due_at=self.review_due_at,
            review_overdue=self.overdue,
            archive_reason=self.archive_reason,
            failed_step=self.failed_step,
            now=await self.now(),
        )

    @activity.defn(name="parse")
    async def parse(self, request: ParseRequest) -> ParseResult:
        """Answers what the test laid out; parsed if nothing is left."""
        self.calls.append("parse")
        reason = self.parse_answers.pop(0) if self.parse_answers and not request.deliver_to else ""
        return ParseResult(message_id=self.message_id, mailbox_id=self.message_id, poison_reason=reason)

    @activity.defn(name="lifecycle")
    async def lifecycle(self, command: Command) -> Outcome:
        """The few transitions the tests need."""
        kind = command.act.kind
        if kind != "look":
            self.calls.append(kind)
        if self.status in TERMINAL and kind not in ("look", "restore", "send_result"):
            return Outcome(result=Result.TERMINAL, view=await self.view())
        before = self.status
        await getattr(self, f"_{kind}")(command.act)
        return Outcome(result=Result.OK, from_status=before, to_status=self.status, view=await self.view())

    def _to(self, status: Status, step: StepKind | None = None) -> None:
        self.status, self.step, self.hold, self.hold_until = status, step, None, None
        self.seq += 1

    async def _look(self, act: Any) -> None:
        return None

    async def _receive(self, act: Any) -> None:
        self._to(Status.RECEIVED)
        if self.hold_on_arrival:
            self.hold, wait = self.hold_on_arrival
            self.hold_until = await self.now() + wait

    async def _enter(self, act: Any) -> None:
        step = StepKind(self.failed_step or StepKind.SECURITY_SCAN)
        working = {StepKind.DRAFT: Status.DRAFTING, StepKind.CLASSIFY: Status.CLASSIFYING}
        self.failed_step = ""
        self._to(working.get(step, Status.SECURITY_CHECK), step)

    async def _end_step(self, act: Any) -> None:
        if act.to is None:
            self.step = act.next_step
            self.seq += 1
            return
        self._to(act.to, act.next_step)
        if act.to is Status.DRAFT_READY:
            self.review_due_at = await self.now() + timedelta(hours=4)

    async def _fail_step(self, act: Any) -> None:
        self._to(Status.FAILED)
        self.failed_step = act.step
        if not act.permanent and self.retries < 3:
            self.hold, self.hold_until = HoldReason.RETRY_TIMER, await self.now() + timedelta(seconds=300)

    async def _due(self, act: Any) -> None:
        if act.what == "retry":
            self.retries += 1
            self.restart_no += 1
            self._to(Status.RECEIVED)
        elif act.what == "automatic":
            self.archive_reason = ArchiveReason.AUTOMATIC
            self._to(Status.ARCHIVED)
        else:
            self.overdue = True
            self.seq += 1

    async def _approve(self, act: Any) -> None:
        self._to(Status.APPROVED)
        self.send_at = await self.now() + self.undo

    async def _undo_send(self, act: Any) -> None:
        self.send_at = None
        self._to(Status.DRAFT_READY)

    async def _reject(self, act: Any) -> None:
        self._to(Status.REJECTED)

    async def _archive(self, act: Any) -> None:
        self.archive_reason = act.reason
        self._to(Status.ARCHIVED)

    async def _write_reply(self, act: Any) -> None:
        self._to(Status.DRAFT_READY)

    async def _send_result(self, act: Any) -> None:
        last = (
            (self.proofs_used or self.delivered)[-1] if (self.proofs_used or self.delivered) else DeliverState.AMBIGUOUS
        )
        if last is DeliverState.SENT:
            self._to(Status.SENT)
        elif last is DeliverState.FAILED_PERMANENT:
            self._to(Status.FAILED)
            self.failed_step = "send"
        elif self.hold is None:
            self.hold = HoldReason.DELIVERY_AMBIGUOUS
            self.seq += 1

    delivered: list[DeliverState] = field(default_factory=list)
    proofs_used: list[DeliverState] = field(default_factory=list)

    @activity.defn(name="deliver")
    async def deliver(self, request: DeliverRequest) -> DeliverResult:
        """The next laid-out result; sent if nothing is left."""
        self.calls.append("deliver")
        state = self.deliveries.pop(0) if self.deliveries else DeliverState.SENT
        self.delivered.append(state)
        return DeliverResult(state=state, retry_in_s=5 if state is DeliverState.FAILED_SAFE else None)

    @activity.defn(name="reconcile")
    async def reconcile(self, request: DeliverRequest) -> DeliverResult:
        """The next laid-out proof; none if nothing is left."""
        self.calls.append("reconcile")
        state = self.proofs.pop(0) if self.proofs else DeliverState.AMBIGUOUS
        if state is not DeliverState.AMBIGUOUS:
            self.proofs_used.append(state)
        return DeliverResult(state=state)

    def steps(self) -> list[Any]:
        """The five step activities."""
        return [self._step(kind) for kind in StepKind]

    def _step(self, kind: StepKind) -> Any:
        @activity.defn(name=str(kind))
        async def run(step: StepInput) -> Route:
            self.calls.append(str(kind))
            faults = self.faults.get(kind, [])
            if faults:
                raise faults.pop(0)
            return ROUTES[kind]

        return run

    def activities(self) -> list[Any]:
        """Everything a worker needs."""
        return [self.parse, self.lifecycle, self.deliver, self.reconcile, *self.steps()]


def transient(times: int) -> list[BaseException]:
    """That many faults worth another try."""
    return [ApplicationError("x", type="TransientFault") for _ in range(times)]


def permanent() -> list[BaseException]:
    """One fault that no retry heals."""
    return [ApplicationError("x", type="BadApiKey", non_retryable=True)]
