"""Learning what an endpoint accepts, one declined parameter at a time."""

import pytest

from adapters.llm.dialect import Dialect, Dialects
from adapters.llm.structured import Structured


def test_a_form_weakens_step_by_step_and_then_no_further() -> None:
    """Schema, then JSON, then prose; a fourth refusal is a fault."""
    dialects, levels = Dialects(), []
    while True:
        used = dialects.of("m", "guard_verdict")
        levels.append(used.structured)
        if not dialects.learn("m", "guard_verdict", used, "response_format"):
            break
    assert levels == list(Structured)


def test_a_call_beside_the_one_that_learned_does_not_weaken_twice() -> None:
    """Ten calls declined at once cost one level, not ten."""
    dialects = Dialects()
    used = dialects.of("m", "s")
    assert all(dialects.learn("m", "s", used, "response_format") for _ in range(10))
    assert dialects.of("m", "s").structured is Structured.JSON_OBJECT


def test_a_late_answer_does_not_undo_what_was_learned_since() -> None:
    """A call made in an old dialect and declined only now changes nothing."""
    dialects, oldest = Dialects(), Dialect()
    for _ in range(2):
        dialects.learn("m", "s", dialects.of("m", "s"), "response_format")
    assert dialects.learn("m", "s", oldest, "response_format")
    assert dialects.of("m", "s").structured is Structured.NONE


def test_what_one_schema_learned_leaves_others_and_other_models_alone() -> None:
    """An endpoint may decline one schema and take the next."""
    dialects = Dialects()
    dialects.learn("m", "odd", Dialect(), "response_format")
    assert dialects.of("m", "plain") == dialects.of("other", "odd") == Dialect()


def test_a_probe_sets_where_a_model_starts() -> None:
    """What start-up found out need not be found out again."""
    known = Dialect(structured=Structured.NONE)
    assert Dialects({"m": known}).of("m", "any") == known


@pytest.mark.parametrize("parameter", ["max_tokens", "temperature"])
def test_a_parameter_is_given_up_once(parameter: str) -> None:
    """Reasoning models want another length parameter and no temperature; a second refusal is a fault."""
    dialects = Dialects()
    assert dialects.learn("m", "s", Dialect(), parameter)
    assert not dialects.learn("m", "s", dialects.of("m", "s"), parameter)


def test_an_unknown_parameter_teaches_nothing() -> None:
    """Only what we can go without is given up."""
    assert not Dialects().learn("m", "s", Dialect(), "messages")
