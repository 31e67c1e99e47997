"""One row per call that left for a model, failed ones too, so that budgets and breakers trust one table (P110, A94)."""

import time
from collections.abc import Callable, Sequence
from decimal import Decimal
from enum import StrEnum
from typing import NamedTuple, Protocol

from adapters.llm.prices import Cost, Prices
from contracts.llm import ModelTask, Usage, UsageContext

OFFLINE_FINGERPRINT = "deskhand-offline"


class CallOutcome(StrEnum):
    """How one call ended. UNSUPPORTED: the endpoint declined a parameter, after which the call is made without it."""

    OK = "ok"
    CUT = "cut"
    SCHEMA_INVALID = "schema_invalid"
    REFUSED = "refused"
    BAD_KEY = "bad_key"
    UNKNOWN_MODEL = "unknown_model"
    RATE_LIMITED = "rate_limited"
    TIMEOUT = "timeout"
    UNREACHABLE = "unreachable"
    SERVER_ERROR = "server_error"
    MALFORMED = "malformed"
    UNSUPPORTED = "unsupported"
    REJECTED = "rejected"
    CANCELLED = "cancelled"


class MeteredUsage(Usage):
    """A ledger row that also says how far its cost can be trusted.

    `unpriced`: no price of its own, counted at the highest; `estimated`: the endpoint reported no token counts.
    """

    unpriced: bool = False
    estimated: bool = False


class UsageSink(Protocol):
    """Where rows go. An empty `context.mailbox_id` means a call of the installation, such as a probe."""

    async def record(self, usage: MeteredUsage, context: UsageContext) -> None: ...


class Tokens(NamedTuple):
    """Token counts of one call, as reported or as estimated."""

    tokens_in: int = 0
    tokens_out: int = 0
    estimated: bool = False


def estimated_tokens(text: str) -> int:
    """A count that errs on the high side for every script: one token per three UTF-8 bytes."""
    return (len(text.encode("utf-8", "replace")) + 2) // 3


class Meter:
    """Times one call and turns its end into its row."""

    def __init__(
        self, task: ModelTask, model: str, prices: Prices, clock_s: Callable[[], float] = time.monotonic
    ) -> None:
        self._task, self._model, self._prices, self._clock_s = task, model, prices, clock_s
        self._started_s = clock_s()

    def row(self, outcome: CallOutcome, tokens: Tokens, *, offline: bool = False) -> MeteredUsage:
        """The row of this call; what the offline endpoint does costs nothing and is never flagged as unpriced."""
        usd, unpriced = (Decimal(0), False) if offline else self._price(tokens)
        return MeteredUsage(
            task=self._task,
            model=self._model,
            tokens_in=tokens.tokens_in,
            tokens_out=tokens.tokens_out,
            cost_usd=usd,
            latency_ms=round((self._clock_s() - self._started_s) * 1000),
            outcome=outcome,
            offline=offline,
            unpriced=unpriced,
            estimated=tokens.estimated,
        )

    def _price(self, tokens: Tokens) -> Cost:
        return self._prices.cost(self._model, tokens.tokens_in, tokens.tokens_out)


def total(rows: Sequence[MeteredUsage]) -> MeteredUsage:
    """What an answer took in all its calls; None as cost if one of theirs is; outcome and origin of the last."""
    costs = [row.cost_usd for row in rows]
    known = [cost for cost in costs if cost is not None]
    return rows[-1].model_copy(
        update={
            "tokens_in": sum(row.tokens_in for row in rows),
            "tokens_out": sum(row.tokens_out for row in rows),
            "cost_usd": sum(known, Decimal(0)) if len(known) == len(costs) else None,
            "latency_ms": sum(row.latency_ms for row in rows),
            "unpriced": any(row.unpriced for row in rows),
            "estimated": any(row.estimated for row in rows),
        }
    )
