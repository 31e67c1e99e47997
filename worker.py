"""Composition root of the worker: settings, then clients, then activities, then one Worker and a graceful stop."""

import asyncio
import os
import signal
from collections.abc import Callable
from contextlib import AsyncExitStack
from datetime import timedelta
from typing import Any

import structlog
import uvloop
from temporalio.client import Client
from temporalio.runtime import PrometheusConfig, Runtime, TelemetryConfig
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from activities.breakers import Breakers
from activities.earning import Earning
from activities.follow_up import FollowUp
from activities.kill_switch import SwitchedOff
from activities.knowledge.backfill import Backfill
from activities.knowledge.files import FileIndex
from activities.knowledge.mining import Mining
from activities.knowledge.upkeep import KnowledgeUpkeep
from activities.lifecycle import Lifecycle
from activities.missions.effects import Effects
from activities.missions.endings import Endings
from activities.missions.recording import Recording
from activities.missions.sweeping import MissionSweep
from activities.missions.turns import Agent, Turns
from activities.parsing import Parsing
from activities.retention import Retention
from activities.rollup import Rollup
from activities.sending import Delivery
from activities.steps import classify, context_retrieval, draft, route, security_scan
from activities.steps.frame import StepTools, step_activity
from activities.sweep import Sweep
from adapters.blobs import BlobStore
from adapters.delivery.choose import channel_from
from adapters.engine import Engine, connect, keep_schedule
from adapters.importing.reader import SandboxedReader
from adapters.knowledge import knowledge_embedder
from adapters.llm.client import Models
from adapters.llm.tool_calls import ModelAgent
from adapters.logging import set_up_logging
from adapters.missions import MissionUsage, Teller
from adapters.parsing import SandboxedParser
from adapters.postgres import Database
from adapters.relay import Relay
from adapters.settings import Settings
from adapters.usage import UsageLedger
from contracts.autonomy import RulesRequest
from contracts.knowledge import MiningRequest, UpkeepRequest
from contracts.missions_agent import AgentStep, Role, Seat
from contracts.sweep import SweepRequest
from domain.briefing.tokens import count_tokens
from domain.detect.parts import TextPart
from domain.detect.scan import scan
from domain.keys import Keyring
from domain.metrics import RetentionRequest, RollupRequest
from domain.missions import scripted
from workflows import policies
from workflows.inbound_message import InboundMessageWorkflow
from workflows.knowledge_backfill import KnowledgeBackfillWorkflow
from workflows.missions.mission import MissionWorkflow
from workflows.missions.sweep import MissionSweepWorkflow
from workflows.missions.task import TaskWorkflow
from workflows.reply import ReplyWorkflow
from workflows.schedules import (
    KnowledgeMiningWorkflow,
    KnowledgeUpkeepWorkflow,
    RetentionWorkflow,
    RollupWorkflow,
    RulesWorkflow,
    SweepWorkflow,
)

WORKFLOWS = (
    InboundMessageWorkflow, ReplyWorkflow, SweepWorkflow, RollupWorkflow, RetentionWorkflow, RulesWorkflow,
    MissionWorkflow, TaskWorkflow, MissionSweepWorkflow, KnowledgeBackfillWorkflow, KnowledgeMiningWorkflow,
    KnowledgeUpkeepWorkflow,
)  # fmt: skip
STEPS = (security_scan, context_retrieval, classify, draft, route)
CACHED_WORKFLOWS = 600
# Reception answers senders; the pipeline can wait a moment.
NICENESS = 5
SLOTS = 12
# How long news for a workflow wait for the worker that has it in memory, should that one be dead; the default is 10 s.
STICKY_FOR = timedelta(seconds=5)


async def main() -> None:
    """Runs until SIGTERM or SIGINT, then lets running activities finish for up to 30 s."""
    set_up_logging("worker")
    os.nice(NICENESS)
    settings = Settings()
    async with AsyncExitStack() as stack:
        database = await Database.connect(settings.database_url.get_secret_value(), most=16, name="deskhand-worker")
        stack.push_async_callback(database.close)
        client = await connect(settings.temporal_address, settings.temporal_namespace, _runtime(settings))
        worker, relay = await _build(settings, database, client, stack)
        await _keep_schedules(client)
        await asyncio.to_thread(_warm_up)
        await _run_until_stopped(worker, relay)


def _runtime(settings: Settings) -> Runtime:
    """Prometheus metrics of the SDK on the worker's port."""
    metrics = PrometheusConfig(bind_address=f"{settings.metrics_host}:{settings.metrics_port}")
    return Runtime(telemetry=TelemetryConfig(metrics=metrics))


async def _build(
    settings: Settings, database: Database, client: Client, stack: AsyncExitStack, queue: str = policies.TASK_QUEUE
) -> tuple[Worker, Relay]:
    keyring = Keyring(settings.organisation_key_bytes())
    breakers = Breakers(database)
    ledger = UsageLedger(database, breakers.model_call_failed)
    models = await stack.enter_async_context(Models(settings, ledger))
    embedder = knowledge_embedder(settings, ledger)
    if embedder is not None:
        stack.push_async_callback(embedder.close)
    parser = SandboxedParser()
    stack.push_async_callback(parser.close)
    tools = StepTools(database=database, models=models, embedder=embedder)
    delivery = Delivery(database, channel_from(settings), keyring, settings.build_id)
    switched_off = SwitchedOff(database, keyring)
    activities: list[Callable[..., Any]] = [
        Lifecycle(database, keyring).apply,
        FollowUp(database).apply,
        Parsing(database, parser, BlobStore(), keyring).parse,
        delivery.deliver,
        delivery.reconcile,
        Sweep(database, Engine(client, database)).sweep,
        Rollup(database, breakers).rollup,
        Earning(database).look,
        Retention(database, settings.retention()).retention,
        *_knowledge(database, models, embedder, stack),
        *(step_activity(module, tools) for module in STEPS),
        *_missions(settings, database, client, keyring, embedder, stack),
    ]
    worker = Worker(
        client,
        task_queue=queue,
        workflows=WORKFLOWS,
        activities=activities,
        # Tests run every workflow in the sandbox; here it would cost a tenth of a message's CPU (ADR 0016).
        workflow_runner=UnsandboxedWorkflowRunner(),
        max_cached_workflows=CACHED_WORKFLOWS,
        max_concurrent_activities=SLOTS,
        max_concurrent_local_activities=SLOTS,
        graceful_shutdown_timeout=timedelta(seconds=30),
        sticky_queue_schedule_to_start_timeout=STICKY_FOR,
    )
    relay = Relay(database, client, queue, withdraw=switched_off.withdraw_pending)
    return worker, relay


def _knowledge(
    database: Database, models: Models, embedder: Any, stack: AsyncExitStack
) -> list[Callable[..., Any]]:
    """Claims and files from mail, new and old, and the upkeep of all knowledge."""
    reader = SandboxedReader()
    stack.push_async_callback(reader.close)
    mining = Mining(database, models, FileIndex(database, BlobStore(), reader, models))
    backfill = Backfill(database, mining)
    return [mining.run, backfill.chunk, KnowledgeUpkeep(database, embedder, backfill).run]


def _missions(
    settings: Settings, database: Database, client: Client, keyring: Keyring, embedder: Any, stack: AsyncExitStack
) -> list[Callable[..., Any]]:
    """Supervisors and tasks think with the model, or by fixed rules where only the offline endpoint is there."""
    agent: Agent = _by_rule
    if not settings.deskhand_offline_model:
        model = ModelAgent(settings, MissionUsage(database))
        stack.push_async_callback(model.close)
        agent = model
    turns = Turns(database, dict.fromkeys(Role, agent), settings.build_id, embedder)
    endings = Endings(database)
    return [
        turns.run, turns.reclaim, Recording(database).record, Effects(database, keyring, settings.build_id).apply,
        endings.ended, endings.look, endings.give_up, MissionSweep(database, Teller(client)).sweep,
    ]  # fmt: skip


async def _by_rule(seat: Seat) -> AgentStep:
    return scripted.decide(seat)


def _warm_up() -> None:
    """Loads patterns and the tokenizer, so that the first mail does not wait for them."""
    scan([TextPart(place="warm-up", text="warm up")])
    count_tokens("warm up")


async def _keep_schedules(client: Client) -> None:
    for name, full, every in (
        ("deskhand-sweep", False, policies.SWEEP_EVERY),
        ("deskhand-sweep-full", True, policies.FULL_SWEEP_EVERY),
    ):
        await keep_schedule(client, name, "SweepWorkflow", SweepRequest(full=full), every, policies.TASK_QUEUE)
    for name, workflow, request, span in (
        ("deskhand-mission-sweep", "MissionSweepWorkflow", SweepRequest(), policies.SWEEP_EVERY),
        ("deskhand-rollup", "RollupWorkflow", RollupRequest(), policies.ROLLUP_EVERY),
        ("deskhand-rules", "RulesWorkflow", RulesRequest(), policies.RULES_EVERY),
        ("deskhand-rules-weekly", "RulesWorkflow", RulesRequest(weekly=True), policies.ADJUST_EVERY),
        ("deskhand-knowledge", "KnowledgeUpkeepWorkflow", UpkeepRequest(), policies.KNOWLEDGE_EVERY),
        ("deskhand-knowledge-mail", "KnowledgeMiningWorkflow", MiningRequest(), policies.KNOWLEDGE_EVERY),
        ("deskhand-retention", "RetentionWorkflow", RetentionRequest(), policies.RETENTION_EVERY),
    ):
        await keep_schedule(client, name, workflow, request, span, policies.TASK_QUEUE)


async def _run_until_stopped(worker: Worker, relay: Relay) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    relaying = asyncio.create_task(relay.run())
    async with worker:
        structlog.get_logger("worker").info("worker is up", task_queue=policies.TASK_QUEUE)
        await stop.wait()
        relaying.cancel()


if __name__ == "__main__":
    uvloop.run(main())
