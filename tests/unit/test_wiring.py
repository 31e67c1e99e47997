"""What is named in one place and lives in another: activities, steps, policies, workflows and their handlers."""

import ast
import re
from contextlib import AsyncExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from temporalio import activity, workflow

import worker
from adapters import relay
from adapters.postgres import QUERIES
from adapters.settings import Settings
from api import reviews
from contracts.status import StepKind
from workflows import policies
from workflows.inbound_message import InboundMessageWorkflow
from workflows.reply import ReplyWorkflow
from workflows.review_handlers import ALLOWED

ROOT = Path(__file__).resolve().parents[2]


class RecordingWorker:
    """Takes what the builder gives a Worker."""

    given: dict[str, Any] = {}

    def __init__(self, client: object, **options: Any) -> None:
        type(self).given = options


@pytest.fixture
async def built(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The options worker.py builds its Worker with; neither database nor server is touched."""
    monkeypatch.setattr(worker, "Worker", RecordingWorker)
    settings = Settings(
        _env_file=None,
        database_url="postgresql://app:x@127.0.0.1:1/deskhand",
        organisation_key="ab" * 32,
        llm_base_url="http://127.0.0.1:1/v1",
        llm_api_key="peer",
    )
    async with AsyncExitStack() as stack:
        await worker._build(settings, cast(Any, SimpleNamespace()), cast(Any, SimpleNamespace()), stack)
    return RecordingWorker.given


def names_started() -> set[str]:
    """First arguments of every `start(...)` in workflows/: names, or step kinds where a variable stands there."""
    found: set[str] = set()
    for file in (ROOT / "workflows").glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "start":
                first = node.args[0]
                found |= {str(first.value)} if isinstance(first, ast.Constant) else {str(kind) for kind in StepKind}
    return found


def named_in(folder: str, pattern: str) -> set[str]:
    """What a pattern finds in the modules of a package."""
    texts = "\n".join(file.read_text() for file in (ROOT / folder).rglob("*.py"))
    return set(re.findall(pattern, texts))


async def test_every_activity_a_workflow_names_is_registered(built: dict[str, Any]) -> None:
    """P12: a name nobody registered would keep a message waiting for ever; each is registered once."""
    registered = [activity._Definition.must_from_callable(function).name for function in built["activities"]]
    assert len(registered) == len(set(registered))
    assert names_started() <= set(registered)
    assert {"parse", "lifecycle", "deliver", "sweep", *StepKind} <= names_started()


async def test_every_workflow_that_is_started_by_name_is_registered(built: dict[str, Any]) -> None:
    """RC13, P30: the relay's types, the start orders in SQL and the schedules all name workflows the worker runs."""
    registered = {workflow._Definition.must_from_class(kind).name for kind in built["workflows"]}
    in_sql = {name for text in QUERIES.values() for name in re.findall(r"'(\w+Workflow)'", text)}
    assert in_sql == set(relay.INPUTS)
    scheduled = set(re.findall(r'"(\w+Workflow)"', (ROOT / "worker.py").read_text()))
    assert scheduled and set(relay.INPUTS) | scheduled <= registered


def test_every_step_has_a_module_and_a_policy() -> None:
    """P12: the step table, the steps the worker builds and the policy table are the same five."""
    assert {module.KIND for module in worker.STEPS} == set(StepKind) == set(policies.STEPS)
    assert all(policy.schedule_to_close for policy in policies.STEPS.values())


def test_a_remote_activity_that_may_take_long_beats() -> None:
    """A lost worker is noticed by its missing heartbeat long before a start-to-close of minutes."""
    remote = [policy for policy in policies.STEPS.values() if not policy.local]
    assert {policy.heartbeat for policy in (*remote, policies.DELIVER)} == {policies.HEARTBEAT_TIMEOUT}
    assert policies.DELIVER.retry.maximum_attempts == 1


def updates_of(kind: type) -> set[str]:
    """Names of a workflow's Updates."""
    return {str(name) for name in workflow._Definition.must_from_class(kind).updates}


def test_every_update_the_api_asks_for_exists() -> None:
    """P97: an endpoint whose action no workflow knows would fail at the first click."""
    asked = named_in("api", r'desk\.act\(message_id, "(\w+)"') | set(reviews.ACTIONS)
    poison = named_in("api", r'_act\(desk, message_id, "(\w+)"')
    replies = named_in("api", r'_act\(desk, outbox_id, "(\w+)"')
    assert len(asked) >= 12 and poison == {"parse_again", "deliver_to"} and replies
    assert asked | poison == updates_of(InboundMessageWorkflow)
    assert replies == updates_of(ReplyWorkflow)


def test_every_update_has_a_validator_that_knows_its_act() -> None:
    """P97: what may be asked in which status is in one table, and every reviewer's Update looks there first."""
    updates = workflow._Definition.must_from_class(InboundMessageWorkflow).updates
    assert [name for name, update in updates.items() if update.validator is None] == []
    assert set(ALLOWED) == {str(name) for name in updates} - {"edit_and_approve", "parse_again", "deliver_to"}


def test_every_signal_that_is_queued_or_typed_exists() -> None:
    """P20a, P99: the wake of the queue and the twin signals of the command line."""
    queued = named_in("activities", r'tx\.run\("wake", [^,]+, "(\w+)"') | {"wake"}
    signals = {str(name) for name in workflow._Definition.must_from_class(InboundMessageWorkflow).signals}
    assert queued | {"approve", "reject"} == signals
    assert "wake" in workflow._Definition.must_from_class(ReplyWorkflow).signals
