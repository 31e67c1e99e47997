"""Around every call: whatever happens inside, exactly one row is written before anyone hears of it (A94)."""

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Generic, TypeVar

from adapters.llm.faults import CALL_ERRORS, Failure, failure_of
from adapters.llm.ledger import CallOutcome, Meter, MeteredUsage, Tokens, UsageSink
from adapters.llm.tasks import ModelChoice
from contracts.llm import UsageContext

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Ended(Generic[R]):
    """How one call ended: a value, or the error to raise; `declined` names a parameter to go without."""

    outcome: CallOutcome
    tokens: Tokens
    value: R | None = None
    error: Exception | None = None
    declined: str = ""
    offline: bool = False


async def metered(
    call: Awaitable[Ended[R]], choice: ModelChoice, meter: Meter, sent: Tokens, sink: UsageSink, context: UsageContext
) -> tuple[Ended[R], MeteredUsage]:
    """Await one call and write its row; outside faults come back as `Ended.error`, cancelling still cancels.

    `sent` is charged where the endpoint may have done the work although no answer came.
    """
    try:
        ended = await call
    except CALL_ERRORS as error:
        ended = _failed(failure_of(error, choice), sent)
    except asyncio.CancelledError:
        await asyncio.shield(sink.record(meter.row(CallOutcome.CANCELLED, sent), context))
        raise
    row = meter.row(ended.outcome, ended.tokens, offline=ended.offline)
    await sink.record(row, context)
    return ended, row


def _failed(failure: Failure, sent: Tokens) -> Ended[R]:
    tokens = sent if failure.may_be_billed else Tokens()
    return Ended(failure.outcome, tokens, error=failure.error, declined=failure.declined)
