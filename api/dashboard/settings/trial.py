"""Trying the model endpoint from a page, through a port: the page knows what was found, not how it was asked."""

import asyncio
import importlib
from dataclasses import dataclass
from decimal import Decimal
from typing import Protocol

from adapters.llm.ledger import MeteredUsage, UsageSink
from adapters.settings import Settings
from contracts.llm import UsageContext

PATIENCE_S = 25.0


@dataclass(frozen=True)
class Call:
    """One question put to a model."""

    task: str
    model: str
    outcome: str
    latency_ms: int
    tokens: int
    cost_usd: Decimal | None


@dataclass(frozen=True)
class Trial:
    """What was found. `able` is what each model that answered can be held to; `detail` is a sentence in English."""

    reachable: bool
    in_time: bool
    offered: tuple[str, ...]
    able: dict[str, str]
    detail: str
    calls: tuple[Call, ...]

    @property
    def failed(self) -> bool:
        """Whether a model gave no answer that can be used."""
        return any(call.model not in self.able for call in self.calls)

    @property
    def unlisted(self) -> tuple[str, ...]:
        """Models that were asked although the endpoint's own list lacks them."""
        asked = dict.fromkeys(call.model for call in self.calls)
        return tuple(model for model in asked if self.offered and model not in self.offered)


class ModelTrial(Protocol):
    """Asks every configured model one harmless question. Never raises for what the endpoint does."""

    async def __call__(self) -> Trial: ...


class EndpointTrial:
    """The port on the real endpoint; the ledger gets a row per call (A94). One trial at a time in this process."""

    def __init__(self, settings: Settings, ledger: UsageSink, patience_s: float = PATIENCE_S) -> None:
        self._settings, self._ledger, self._patience_s = settings, ledger, patience_s
        self._one = asyncio.Lock()

    async def __call__(self) -> Trial:
        """Bounded in time, whatever the endpoint does."""
        async with self._one:
            # The client library takes a second to load, and only a trial needs it in this process.
            probing = await asyncio.to_thread(importlib.import_module, "adapters.llm.probe")
            rows = _Rows(self._ledger)
            try:
                async with asyncio.timeout(self._patience_s):
                    report = await probing.probe(self._settings, rows)
            except TimeoutError:
                return Trial(False, False, (), {}, "", tuple(rows.calls))
        able = {model: dialect.structured.value for model, dialect in report.known.items()}
        return Trial(report.reachable, True, report.models, able, report.detail, tuple(rows.calls))


class _Rows:
    """Hands each row on to the ledger and remembers it."""

    def __init__(self, ledger: UsageSink) -> None:
        self._ledger = ledger
        self.calls: list[Call] = []

    async def record(self, usage: MeteredUsage, context: UsageContext) -> None:
        """One call."""
        tokens = usage.tokens_in + usage.tokens_out
        self.calls.append(
            Call(str(usage.task), usage.model, str(usage.outcome), usage.latency_ms, tokens, usage.cost_usd)
        )
        await self._ledger.record(usage, context)
