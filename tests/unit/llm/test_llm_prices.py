"""What a call costs, and what is assumed where nobody said."""

import json
from decimal import Decimal

import pytest

from adapters.llm.prices import Cost, Prices, prices_from
from contracts.errors import SettingsFault

TABLE = {"small": {"in": 0.15, "out": 0.60}, "deep": {"in": "2.50", "out": "10"}, "wide": {"in": 3, "out": 1}}


def test_a_priced_model_costs_its_own_price_per_million() -> None:
    """Money is exact decimal, never a float."""  # P110
    assert prices_from(TABLE).cost("small", 1_000, 500) == Cost(Decimal("0.00045000"), unpriced=False)


def test_an_unpriced_model_counts_at_the_highest_price_in_each_direction_and_is_flagged() -> None:
    """A forgotten price cannot slip under a ceiling."""  # P110
    assert prices_from(TABLE).cost("unknown", 1_000_000, 1_000_000) == Cost(Decimal("13"), unpriced=True)


def test_without_any_price_the_cost_is_unknown_and_flagged() -> None:
    """None is no zero: a ceiling must be able to tell."""  # P110
    assert Prices().cost("small", 10, 10) == Cost(None, unpriced=True)


def test_a_fraction_of_a_grain_is_rounded_up() -> None:
    """A call that cost something never counts as nothing."""  # P111
    assert prices_from({"tiny": {"in": "0.0001"}}).cost("tiny", 1, 0).usd == Decimal("0.00000001")


def test_tokens_out_without_a_price_cost_what_tokens_in_do() -> None:
    """Leaving one half out does not make it free."""  # P110
    assert prices_from({"m": {"in": 2}}).cost("m", 0, 1_000_000).usd == Decimal(2)


def test_json_text_and_parsed_mapping_mean_the_same() -> None:
    """The setting may arrive in either form; empty text means no prices."""  # P110
    assert prices_from(json.dumps(TABLE)) == prices_from(json.loads(json.dumps(TABLE), parse_float=Decimal))
    assert prices_from("  ") == prices_from(None) == prices_from({}) == Prices()


@pytest.mark.parametrize(
    "wrong",
    ["{", "[1]", '{"m": 1}', '{"m": {"in": "cheap"}}', '{"m": {"out": 1}}', '{"m": {"in": -1}}', {"m": {"in": "NaN"}}],
)
def test_a_wrong_table_is_refused_by_name(wrong: object) -> None:
    """A person learns which variable to correct and how it should look."""
    with pytest.raises(SettingsFault, match="LLM_PRICES"):
        prices_from(wrong)
