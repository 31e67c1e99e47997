"""Children of a mission: started once under an id that is the launch key, followed to their result, recovered in place.

The engine's own word is the only proof that a child ended; the tables are asked before anything is started again.
"""

import asyncio
from datetime import timedelta
from typing import Any
from uuid import UUID

from temporalio import workflow
from temporalio.exceptions import ChildWorkflowError, FailureError, WorkflowAlreadyStartedError, is_cancelled_exception
from temporalio.workflow import ChildWorkflowCancellationType, ParentClosePolicy

with workflow.unsafe.imports_passed_through():
    from temporalio.common import WorkflowIDReusePolicy

    from contracts.missions import EffectState, ResultStatus
    from contracts.missions_calls import EffectAnswer, EffectOrder, EndedAnswer, EndedRequest, TaskEnd, TaskStart
    from domain.missions.children import Child, ChildState
    from domain.missions.state import MissionState
    from workflows import policies
    from workflows.calls import cause_of, start

LOOK_EVERY = timedelta(seconds=15)


class Delegating:
    """Mixed into the mission, which provides `state`, `effect` and `extra`."""

    state: MissionState
    extra: dict[str, list[UUID]]
    fault: str
    effect: Any

    def __init__(self) -> None:
        self.handles: dict[UUID, Any] = {}
        self.following: dict[UUID, asyncio.Task[None]] = {}
        self.retried_at: float = 0.0

    def launched(self, order: EffectOrder, answer: EffectAnswer) -> Child | None:
        """A claimed launch becomes a child; one without room waits in line as a child too (M15, D1)."""
        attempt = answer.attempt
        if attempt is None:
            return None
        waits = answer.state is EffectState.NOT_ADMITTED
        child = self.state.tasks.launched(
            Child(
                attempt_id=attempt.attempt_id,
                task_key=attempt.task_key,
                attempt_no=attempt.attempt_no,
                mode=attempt.mode,
                workflow_id=attempt.workflow_id,
                state=ChildState.WAITING if waits else ChildState.LIVE,
            )
        )
        if attempt.supersedes is not None:
            self.cancel_child(attempt.supersedes)
        if waits:
            self.state.waiting_launches[str(attempt.attempt_id)] = order
        else:
            self.state.waiting_launches.pop(str(attempt.attempt_id), None)
            self.follow(child)
        return child

    async def retry_waiting(self) -> None:
        """The identical launch once more, for every child that waits for room (M16)."""
        for attempt_id, order in list(self.state.waiting_launches.items()):
            child = self.state.tasks.find(UUID(attempt_id))
            if child is None or child.state is not ChildState.WAITING:
                self.state.waiting_launches.pop(attempt_id, None)
                continue
            self.launched(order, await self.effect(order))

    def follow(self, child: Child) -> None:
        """Starts the child and listens; once per attempt."""
        if child.attempt_id not in self.following:
            self.following[child.attempt_id] = asyncio.create_task(self._follow(child))

    async def _follow(self, child: Child) -> None:
        try:
            begin = TaskStart(mission_id=self.state.mission_id, mailbox_id=self.state.mailbox_id,
                              attempt_id=child.attempt_id, scope=child.workflow_id)  # fmt: skip
            status = await self._until_ended(child, begin)
        except asyncio.CancelledError:
            raise
        except Exception as fault:
            # Nothing that goes wrong with one child may hang the mission; it is told at a gate (V15).
            self.fault = f"following {child.task_key}: {type(fault).__name__}"
            return
        if status is not None and self.state.tasks.ended(child.attempt_id, status):
            self.state.book.progress()
            self.state.offer(child)

    async def _until_ended(self, child: Child, begin: TaskStart) -> ResultStatus | None:
        """Same attempt, same result id, through every recovery cycle; None if it was given up meanwhile."""
        while child.state is ChildState.LIVE:
            try:
                end = await self._execution(child, begin)
                return end.status
            except WorkflowAlreadyStartedError:
                child.elsewhere = True
                return await self._look(child)
            except ChildWorkflowError as error:
                found = await self._ended(child, error)
            if found.status is not None:
                return found.status
            child.suffix += 1
            begin = begin.model_copy(
                update={
                    "suffix": child.suffix,
                    "last_turn_no": found.last_turn_no,
                    "last_seq": found.last_seq,
                    "recovery_used": found.recovery_used,
                    "interrupted_turn_no": found.interrupted_turn_no,
                }
            )
        return None

    async def _execution(self, child: Child, begin: TaskStart) -> TaskEnd:
        suffix = f"/r{begin.suffix}" if begin.suffix else ""
        handle = await workflow.start_child_workflow(
            "TaskWorkflow",
            begin,
            id=f"{child.workflow_id}{suffix}",
            result_type=TaskEnd,
            id_reuse_policy=WorkflowIDReusePolicy.REJECT_DUPLICATE,
            parent_close_policy=ParentClosePolicy.REQUEST_CANCEL,
            cancellation_type=ChildWorkflowCancellationType.TRY_CANCEL,
            static_summary=f"task {child.task_key}, attempt {child.attempt_no}",
        )
        self.handles[child.attempt_id] = handle
        self.extra["launched"].append(child.attempt_id)
        end: TaskEnd = await handle
        return end

    async def _ended(self, child: Child, error: FailureError) -> EndedAnswer:
        """The stored result first, then the budget, then `incomplete` (M64-M67, M90)."""
        cause = cause_of(error)
        inner = getattr(cause, "cause", None) or cause
        request = EndedRequest(
            mission_id=self.state.mission_id,
            mailbox_id=self.state.mailbox_id,
            attempt_id=child.attempt_id,
            suffix=child.suffix,
            failure=type(inner).__name__,
            cancelled=is_cancelled_exception(error) or child.state is not ChildState.LIVE,
        )
        found: EndedAnswer = await start("mission_ended", request, EndedAnswer, policies.MISSION_LOCAL, "how it ended")
        return found

    async def _look(self, child: Child) -> ResultStatus | None:
        """A child started elsewhere under this id is admitted and followed by its stored result, never doubled (D5)."""
        self.extra["launched"].append(child.attempt_id)
        request = EndedRequest(mission_id=self.state.mission_id, mailbox_id=self.state.mailbox_id,
                               attempt_id=child.attempt_id, suffix=child.suffix)  # fmt: skip
        while child.state is ChildState.LIVE:
            found = await start("mission_look", request, EndedAnswer, policies.MISSION_LOCAL, "has it ended?")
            if found.status is not None:
                return ResultStatus(found.status)
            await workflow.sleep(LOOK_EVERY, summary=f"looks at {child.task_key} again")
        return None

    def cancel_child(self, attempt_id: UUID) -> None:
        """Explicitly given up: out of the barrier, and its execution is asked to end (D1)."""
        child = self.state.tasks.find(attempt_id)
        if child is None or child.state in (ChildState.ACKNOWLEDGED, ChildState.CANCELLED, ChildState.FENCED):
            return
        child.state = ChildState.CANCELLED
        self.end_execution(attempt_id)

    def end_execution(self, attempt_id: UUID) -> None:
        """The attempt is cancelled on record and in the engine."""
        self.extra["cancelled"].append(attempt_id)
        self.state.waiting_launches.pop(str(attempt_id), None)
        handle = self.handles.get(attempt_id)
        if handle is not None:
            handle.cancel()
