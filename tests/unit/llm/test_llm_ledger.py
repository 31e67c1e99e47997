"""Ledger rows: what is counted, what is estimated, and how the calls of one answer add up."""

from decimal import Decimal
from itertools import count

import pytest

from adapters.llm.ledger import CallOutcome, Meter, MeteredUsage, Tokens, estimated_tokens, total
from adapters.llm.prices import Prices, prices_from
from adapters.llm.replies import reply_of
from contracts.llm import ModelTask, Usage

PRICES = prices_from({"m": {"in": 1, "out": 2}})


def meter(prices: Prices = PRICES, model: str = "m") -> Meter:
    """A meter whose clock moves a quarter of a second per look."""
    ticks = count()
    return Meter(ModelTask.DRAFT, model, prices, clock_s=lambda: next(ticks) * 0.25)


def test_a_row_says_what_was_asked_and_what_it_took() -> None:
    """Task, model, tokens, cost, latency and outcome stand in one row."""  # P110
    row = meter().row(CallOutcome.OK, Tokens(1_000_000, 500_000))
    assert (row.task, row.model, row.tokens_in, row.tokens_out) == (ModelTask.DRAFT, "m", 1_000_000, 500_000)
    assert (row.cost_usd, row.latency_ms, row.outcome, row.unpriced) == (Decimal(2), 250, "ok", False)


def test_the_offline_endpoint_is_free_and_needs_no_price() -> None:
    """No ceiling is touched by what this machine does itself."""  # P110
    row = meter(Prices(), "deskhand-offline").row(CallOutcome.OK, Tokens(10, 10), offline=True)
    assert (row.cost_usd, row.unpriced, row.offline) == (Decimal(0), False, True)


def test_a_row_is_a_usage_of_the_contract() -> None:
    """Whoever knows `Usage` can take a row."""
    row = meter().row(CallOutcome.OK, Tokens(1, 1))
    assert Usage.model_validate(row.model_dump(include=set(Usage.model_fields))).tokens_in == 1


def rows(*costs: Decimal | None) -> list[MeteredUsage]:
    """One row per cost, the last of them repaired."""
    return [MeteredUsage(task=ModelTask.DRAFT, model="m", tokens_in=10, latency_ms=5, cost_usd=cost) for cost in costs]


def test_an_answer_costs_all_its_calls() -> None:
    """A repair is paid for as well."""  # P110
    sum_of_two = total(rows(Decimal("0.1"), Decimal("0.2")))
    assert (sum_of_two.cost_usd, sum_of_two.tokens_in, sum_of_two.latency_ms) == (Decimal("0.3"), 20, 10)


def test_an_unknown_cost_makes_the_sum_unknown() -> None:
    """Nothing unknown is counted as nothing."""  # P110
    assert total(rows(Decimal("0.1"), None)).cost_usd is None


@pytest.mark.parametrize("text", ["plain words in a row", "お問い合わせありがとうございます", "Größe " * 9, ""])
def test_estimates_err_on_the_high_side(text: str) -> None:
    """No script is counted below one token per three bytes."""  # P65
    assert estimated_tokens(text) * 3 >= len(text.encode())


class Shape:
    """A bag of attributes, like a completion of an endpoint with ideas of its own."""

    def __init__(self, **parts: object) -> None:
        self.__dict__.update(parts)


def completion(content: object, usage: object = None) -> Shape:
    """A completion with one choice."""
    message = Shape(content=content, refusal=None)
    return Shape(choices=[Shape(message=message, finish_reason="stop")], usage=usage)


@pytest.mark.parametrize(
    "usage", [None, Shape(), Shape(prompt_tokens=None, completion_tokens=3), Shape(prompt_tokens=-1), {"x": 1}]
)
def test_missing_counts_are_estimated(usage: object) -> None:
    """An endpoint that reports nothing cannot spend unseen."""  # P110
    tokens = reply_of(completion("abcdef", usage), "a" * 30).tokens
    assert tokens == Tokens(10, 2, estimated=True)


def test_content_in_parts_is_joined_without_the_thinking() -> None:
    """Some endpoints send a list of parts."""
    parts = [{"type": "thinking", "thinking": []}, {"type": "text", "text": "Hel"}, {"type": "text", "text": "lo"}, 7]
    assert reply_of(completion(parts), "").text == "Hello"


@pytest.mark.parametrize("shape", [None, "<html>", Shape(), Shape(choices=None), Shape(choices=[]), Shape(choices=[1])])
def test_what_is_no_completion_is_malformed(shape: object) -> None:
    """A proxy's page or an error with status 200 is no empty answer."""
    with pytest.raises(ValueError):
        reply_of(shape, "")
