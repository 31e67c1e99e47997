"""A thinking seat for missions on the real stack: rules in the place of a model, charged to the ledger like one."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

import worker
from adapters.llm.ledger import MeteredUsage
from contracts.llm import UsageContext
from contracts.missions import TurnKind
from contracts.missions_agent import AgentStep, Seat
from tests.missions.script import DONE, GATE, called, delegation, result, say, use, use_results

MODEL = "seat-model"


class Seats:
    """Stands where the worker would build its model agent. Goals choose the rule by their first word."""

    def __init__(self, _settings: Any, sink: Any) -> None:
        self._sink = sink

    async def close(self) -> None:
        """Nothing is open."""

    async def __call__(self, seat: Seat) -> AgentStep:
        """The rule of the seat's goal; one call in the ledger."""
        usage = MeteredUsage(
            task="supervise", model=MODEL, tokens_in=120, tokens_out=30, cost_usd=0.0021, latency_ms=40, outcome="ok"
        )
        step = f"mission/{seat.mission_id}/{seat.scope}#{seat.turn_no}"
        await self._sink.record(usage, UsageContext(mailbox_id=str(seat.mailbox_id), step=step))
        return RULES.get(seat.goal.split(" ", 1)[0], worked)(seat)


def asks(seat: Seat) -> AgentStep:
    """A gate on the goal; complete on the answer."""
    return use(DONE) if _answered(seat) else use(("request_owner_gate", GATE))


def delegates(seat: Seat) -> AgentStep:
    """Two tasks; the gate when both results are used; complete on the answer."""
    if _answered(seat):
        return use(DONE)
    if seat.turn_kind is TurnKind.CONTINUATION:
        return use(("request_owner_gate", GATE))
    if any(given.kind.endswith("_result") for given in seat.inputs):
        return use_results(seat)
    if not called(seat, "assign"):
        return use(("assign", delegation("reply-one")), ("assign", delegation("reply-two")))
    return say("Both are delegated.")


def worked(_: Seat) -> AgentStep:
    """What a task finds."""
    fragment = {"text": "Dear Anna,\n\nthe invoice is corrected.", "citations": [{"source": "kb/7", "quote": "5 days"}]}
    return result("The invoice has to be corrected.", fragments=[fragment], risks=["The amount is from a quote."])


def _answered(seat: Seat) -> bool:
    return bool(seat.inputs) and seat.inputs[0].kind in ("instruct", "approve", "edit")


RULES = {"ask": asks, "delegate": delegates}


@contextmanager
def seats() -> Iterator[None]:
    """Workers built inside have rules in their seats."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(worker, "ModelAgent", Seats)
        yield
