"""The Temporal server: reachable, with our namespace, a retention of 30 days or more, and our search attributes."""

import asyncio

from temporalio.client import Client
from temporalio.service import RPCError

from adapters.settings import Settings
from cli.checks.finding import Finding, fine, wrong
from cli.stack.faults import StackFault
from cli.stack.namespace import MINIMUM_RETENTION, missing_attributes, registered_attributes, retention_of

CONNECT_TIMEOUT_S = 5


async def check_temporal(settings: Settings) -> list[Finding]:
    """Findings on reachability, namespace with retention (P31a), and search attributes (P31)."""
    address, namespace = settings.temporal_address, settings.temporal_namespace
    try:
        async with asyncio.timeout(CONNECT_TIMEOUT_S):
            client = await Client.connect(address, namespace=namespace)
            return [fine("Temporal", f"reachable at {address}"), *await _check_namespace(client, namespace)]
    except (RuntimeError, RPCError, TimeoutError) as error:
        return [_unreachable(address, error)]


def _unreachable(address: str, error: Exception) -> Finding:
    return wrong(
        "Temporal", f"not reachable at {address} ({type(error).__name__})",
        "Start it (`make run`, or docker compose) or correct TEMPORAL_ADDRESS.",
    )  # fmt: skip


async def _check_namespace(client: Client, namespace: str) -> list[Finding]:
    kept = await retention_of(client, namespace)
    if kept is None:
        return [wrong("Temporal namespace", f"there is no {namespace}", "Run `deskhand setup`.")]
    what, detail = "Temporal namespace", f"{namespace} keeps closed runs {kept.days} days"
    retention = fine(what, detail) if kept >= MINIMUM_RETENTION else wrong(what, detail, "Run `deskhand setup`.")
    return [retention, await _check_attributes(client, namespace)]


async def _check_attributes(client: Client, namespace: str) -> Finding:
    try:
        missing = missing_attributes(await registered_attributes(client, namespace))
    except StackFault as fault:
        return wrong("Search attributes", str(fault), "Set TEMPORAL_NAMESPACE to a namespace of Deskhand alone.")
    if missing:
        return wrong("Search attributes", f"missing: {', '.join(missing)}", "Run `deskhand setup`.")
    return fine("Search attributes", "all registered")
