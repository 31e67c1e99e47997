"""What every part of a message's story stands on: the newest view, the one way to change it, and rest (P10, P15)."""

from datetime import datetime, timedelta

from temporalio import workflow
from temporalio.exceptions import ApplicationError

with workflow.unsafe.imports_passed_through():
    from contracts.lifecycle import Act, Command, Look, Outcome, View
    from contracts.status import Result, Status
    from contracts.workflow import MessageStart
    from workflows import policies
    from workflows.calls import start


class StoryFrame:
    """Base of the message workflow and of its parts."""

    def __init__(self, begin: MessageStart) -> None:
        self.message_id = begin.message_id
        self.view: View | None = None
        self.skew = timedelta()
        self.woken = False
        self.rested = False
        self.step_call: workflow.ActivityHandle | None = None  # type: ignore[type-arg]

    async def lifecycle(self, act: Act, cause: str, actor: str, request_id: str | None) -> Outcome:
        """One call of the only writer of status."""
        command = Command(
            message_id=self.message_id,
            cause_key=cause,
            actor=actor,
            workflow_run_id=workflow.info().run_id,
            request_id=request_id,
            act=act,
        )
        return await self._apply(command)

    async def _apply(self, command: Command) -> Outcome:
        outcome: Outcome = await start("lifecycle", command, Outcome, policies.LIFECYCLE, command.act.kind)
        if outcome.result is Result.MESSAGE_NOT_FOUND:
            raise ApplicationError("the message does not exist", type="MessageNotFound", non_retryable=True)
        self._adopt(outcome.view)
        return outcome

    async def _look(self) -> None:
        await self.lifecycle(Look(), "look", "workflow", None)

    def _adopt(self, view: View | None) -> None:
        """Keeps the newest view; a step overtaken by a person is cancelled."""
        if view is None or (self.view is not None and view.seq < self.view.seq):
            return
        self.view, self.skew = view, workflow.now() - view.now
        if self.step_call is not None and view.status is Status.DRAFT_READY:
            self.step_call.cancel()

    async def _rest(self, until: datetime | None, summary: str) -> bool:
        """Waits for a change, a wake or the time; True if the time came first, or there was none to wait for."""
        if until is None and summary == "undo window":
            return True
        return await self._rest_for(None if until is None else until - (workflow.now() - self.skew), summary)

    async def _rest_for(self, pause: timedelta | None, summary: str) -> bool:
        seq = self._now().seq
        if pause is not None and pause <= timedelta():
            return True
        self.rested = True
        try:
            await workflow.wait_condition(
                lambda: self.woken or self._now().seq != seq, timeout=pause, timeout_summary=summary
            )
        except TimeoutError:
            return True
        if self.woken:
            self.woken = False
            await self._look()
        return False

    def _now(self) -> View:
        assert self.view is not None
        return self.view

    def _status(self) -> Status:
        return self._now().status


def run_of(view: View) -> str:
    """Run and restart, as they stand in cause keys."""
    return f"{view.run_no}.{view.restart_no}"
