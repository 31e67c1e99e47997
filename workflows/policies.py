"""Every timeout, retry policy and queue name, in one table."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from temporalio.common import RetryPolicy

from contracts.status import StepKind

TASK_QUEUE = "deskhand"
EXECUTION_GRACE = timedelta(seconds=30)
HEARTBEAT_EVERY = timedelta(seconds=3)
HEARTBEAT_TIMEOUT = timedelta(seconds=10)
SWEEP_EVERY = timedelta(minutes=1)
FULL_SWEEP_EVERY = timedelta(hours=1)
ROLLUP_EVERY = timedelta(minutes=5)
RETENTION_EVERY = timedelta(days=1)
RULES_EVERY = timedelta(minutes=5)
ADJUST_EVERY = timedelta(days=7)
KNOWLEDGE_EVERY = timedelta(minutes=2)

_SECOND = timedelta(seconds=1)
_STEP_RETRY = RetryPolicy(
    initial_interval=_SECOND, backoff_coefficient=2, maximum_interval=timedelta(seconds=60), maximum_attempts=5
)
_DATABASE_RETRY = RetryPolicy(
    initial_interval=timedelta(milliseconds=200), backoff_coefficient=2, maximum_interval=timedelta(seconds=10)
)
_ONCE = RetryPolicy(maximum_attempts=1)


@dataclass(frozen=True)
class Policy:
    """How one activity is called; `local` ones cost a marker instead of six events."""

    local: bool
    start_to_close: timedelta
    retry: RetryPolicy
    schedule_to_close: timedelta | None = None
    heartbeat: timedelta | None = None

    def options(self) -> dict[str, Any]:
        """Keyword arguments of start_activity or start_local_activity."""
        options: dict[str, Any] = {
            "start_to_close_timeout": self.start_to_close,
            "retry_policy": self.retry,
            "schedule_to_close_timeout": self.schedule_to_close,
        }
        if not self.local:
            options["heartbeat_timeout"] = self.heartbeat
        return {key: value for key, value in options.items() if value is not None}


def _step(seconds: int) -> Policy:
    return Policy(
        local=False,
        start_to_close=timedelta(seconds=seconds),
        retry=_STEP_RETRY,
        schedule_to_close=timedelta(minutes=10),
        heartbeat=HEARTBEAT_TIMEOUT,
    )


LIFECYCLE = Policy(local=True, start_to_close=timedelta(seconds=5), retry=_DATABASE_RETRY)
PARSE_LOCAL = Policy(local=True, start_to_close=timedelta(seconds=5), retry=_ONCE)
PARSE_REMOTE = Policy(local=False, start_to_close=timedelta(seconds=30), retry=_STEP_RETRY)
DELIVER = Policy(local=False, start_to_close=timedelta(seconds=660), retry=_ONCE, heartbeat=HEARTBEAT_TIMEOUT)
RECONCILE = Policy(local=False, start_to_close=timedelta(seconds=60), retry=_DATABASE_RETRY)
SWEEP = Policy(local=False, start_to_close=timedelta(minutes=5), retry=_STEP_RETRY)
ROLLUP = Policy(local=False, start_to_close=timedelta(minutes=5), retry=_STEP_RETRY)
RULES = Policy(local=False, start_to_close=timedelta(minutes=10), retry=_STEP_RETRY)
RETENTION = Policy(local=False, start_to_close=timedelta(minutes=30), retry=_STEP_RETRY)
KNOWLEDGE = Policy(local=False, start_to_close=timedelta(minutes=30), retry=_STEP_RETRY, heartbeat=HEARTBEAT_TIMEOUT)
BACKFILL = Policy(
    local=False, start_to_close=timedelta(minutes=30), retry=_DATABASE_RETRY, heartbeat=HEARTBEAT_TIMEOUT
)
MISSION_TURN = Policy(
    local=False, start_to_close=timedelta(minutes=15), retry=_ONCE, heartbeat=timedelta(seconds=30)
)
MISSION_LOCAL = Policy(local=True, start_to_close=timedelta(seconds=5), retry=_DATABASE_RETRY)
MISSION_SWEEP = Policy(local=False, start_to_close=timedelta(minutes=5), retry=_STEP_RETRY)
MISSION_REMOTE = Policy(local=False, start_to_close=timedelta(seconds=30), retry=_DATABASE_RETRY)
RECONCILE_AFTER = (timedelta(seconds=2), timedelta(seconds=30), timedelta(minutes=5), timedelta(minutes=25))

STEPS: dict[StepKind, Policy] = {
    StepKind.SECURITY_SCAN: _step(90),
    StepKind.CONTEXT_RETRIEVAL: _step(20),
    StepKind.CLASSIFY: _step(80),
    StepKind.DRAFT: _step(240),
    StepKind.ROUTE: Policy(
        local=True, start_to_close=timedelta(seconds=5), retry=_STEP_RETRY, schedule_to_close=timedelta(minutes=10)
    ),
}
