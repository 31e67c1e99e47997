"""What reviewers may ask of a message's workflow: Updates with validators on workflow state, and the twin signals
(P97, P99)."""

from collections.abc import Awaitable, Callable

from temporalio import workflow
from temporalio.exceptions import ApplicationError, FailureError

with workflow.unsafe.imports_passed_through():
    from contracts.lifecycle import Act, Approve, Outcome, Reject, View
    from contracts.status import TERMINAL, Status
    from contracts.workflow import HumanRequest, SignalDecision, Wake

OPEN = frozenset(s for s in Status if s not in TERMINAL)
ALLOWED: dict[str, frozenset[Status]] = {
    "approve": frozenset({Status.DRAFT_READY}),
    "reject": frozenset({Status.DRAFT_READY}),
    "reassign": OPEN,
    "release_quarantine": frozenset({Status.QUARANTINED}),
    "retry": frozenset({Status.FAILED}),
    "restore": frozenset({Status.ARCHIVED}),
    "undo_send": frozenset({Status.APPROVED, Status.SENT}),
    "request_draft": frozenset({Status.DRAFT_READY, Status.RECEIVED}),
    "write_reply": OPEN,
    "archive": OPEN,
    "resolve_delivery": frozenset({Status.APPROVED}),
}


class ReviewHandlers:
    """Mixed into the message workflow, which provides `view`, `poisoned` and `human`."""

    view: View | None
    human: Callable[[HumanRequest], Awaitable[Outcome]]
    lifecycle: Callable[[Act, str, str, str | None], Awaitable[Outcome]]
    poisoned: Callable[[], bool]
    woken: bool
    signals: int

    def refuse(self, request: HumanRequest) -> None:
        """Validator of every Update: refuses what the present status does not allow; adds nothing to the history."""
        kind = request.act.kind
        if self.poisoned() and kind != "write_reply":
            raise ApplicationError("not received yet", type="WrongStatus")
        if self.view is not None and self.view.status not in ALLOWED[kind]:
            raise ApplicationError(f"{kind} is not possible in {self.view.status}", type="WrongStatus")

    @workflow.update(name="approve")
    async def approve(self, request: HumanRequest) -> Outcome:
        """Approve the revision seen."""
        return await self.human(request)

    @workflow.update(name="edit_and_approve")
    async def edit_and_approve(self, request: HumanRequest) -> Outcome:
        """Approve an edited text already stored as a revision."""
        return await self.human(request)

    @workflow.update(name="reject")
    async def reject(self, request: HumanRequest) -> Outcome:
        """Reject the draft."""
        return await self.human(request)

    @workflow.update(name="reassign")
    async def reassign(self, request: HumanRequest) -> Outcome:
        """Set or clear the owner."""
        return await self.human(request)

    @workflow.update(name="release_quarantine")
    async def release_quarantine(self, request: HumanRequest) -> Outcome:
        """Let a quarantined message through, exempting exactly what was found."""
        return await self.human(request)

    @workflow.update(name="retry")
    async def retry(self, request: HumanRequest) -> Outcome:
        """Try a failed message again."""
        return await self.human(request)

    @workflow.update(name="restore")
    async def restore(self, request: HumanRequest) -> Outcome:
        """Bring archived mail back."""
        return await self.human(request)

    @workflow.update(name="archive")
    async def archive(self, request: HumanRequest) -> Outcome:
        """Close without a reply."""
        return await self.human(request)

    @workflow.update(name="undo_send")
    async def undo_send(self, request: HumanRequest) -> Outcome:
        """Take an approved reply back before hand-over."""
        return await self.human(request)

    @workflow.update(name="request_draft")
    async def request_draft(self, request: HumanRequest) -> Outcome:
        """Ask the agent for a draft."""
        return await self.human(request)

    @workflow.update(name="write_reply")
    async def write_reply(self, request: HumanRequest) -> Outcome:
        """Make a person's stored text the current reply."""
        return await self.human(request)

    @workflow.update(name="resolve_delivery")
    async def resolve_delivery(self, request: HumanRequest) -> Outcome:
        """Settle a doubtful delivery."""
        return await self.human(request)

    @approve.validator
    def _may_approve(self, request: HumanRequest) -> None:
        self.refuse(request)

    @edit_and_approve.validator
    def _may_edit(self, request: HumanRequest) -> None:
        self.refuse(request)

    @reject.validator
    def _may_reject(self, request: HumanRequest) -> None:
        self.refuse(request)

    @reassign.validator
    def _may_reassign(self, request: HumanRequest) -> None:
        self.refuse(request)

    @release_quarantine.validator
    def _may_release(self, request: HumanRequest) -> None:
        self.refuse(request)

    @retry.validator
    def _may_retry(self, request: HumanRequest) -> None:
        self.refuse(request)

    @restore.validator
    def _may_restore(self, request: HumanRequest) -> None:
        self.refuse(request)

    @archive.validator
    def _may_archive(self, request: HumanRequest) -> None:
        self.refuse(request)

    @undo_send.validator
    def _may_undo(self, request: HumanRequest) -> None:
        self.refuse(request)

    @request_draft.validator
    def _may_request(self, request: HumanRequest) -> None:
        self.refuse(request)

    @write_reply.validator
    def _may_write(self, request: HumanRequest) -> None:
        self.refuse(request)

    @resolve_delivery.validator
    def _may_resolve(self, request: HumanRequest) -> None:
        self.refuse(request)

    @workflow.signal(name="approve")
    async def approve_by_signal(self, decision: SignalDecision) -> None:
        """The same as the Update, for the command line and the Web UI; harmless where it does not apply."""
        act = Approve(
            revision=decision.revision,
            seen_message_id=decision.seen_message_id,
            confirmed_findings=decision.confirmed_findings,
            source="signal",
        )
        await self._by_signal(act, decision)

    @workflow.signal(name="reject")
    async def reject_by_signal(self, decision: SignalDecision) -> None:
        """Reject from the command line or the Web UI."""
        await self._by_signal(Reject(), decision)

    async def _by_signal(self, act: Act, decision: SignalDecision) -> None:
        self.signals += 1
        cause = f"req:{decision.request_id}" if decision.request_id else f"{workflow.info().run_id}:{self.signals}"
        await workflow.wait_condition(lambda: self.view is not None)
        try:
            await self.lifecycle(act, cause, "signal", decision.request_id or None)
        except FailureError:
            workflow.logger.warning("a signal could not be carried out")

    @workflow.signal(name="wake")
    async def wake(self, wake: Wake) -> None:
        """Something outside changed this message; re-read it (P20a)."""
        self.woken = True
