"""One number for how sure we are, and when the reviewer gets a choice."""

import pytest

from domain.draft import confidence_score, needs_options, options_with_draft

NAN = float("nan")


@pytest.mark.parametrize(
    ("classifier", "self_check", "grounding", "score"),
    [
        (0.95, 0.90, 0.60, 0.60),
        (0.50, 0.90, 1.00, 0.50),
        (0.95, None, 0.60, 0.0),
        (None, 0.90, 1.00, 0.0),
        (0.95, 0.90, None, 0.0),
        (0.95, NAN, 1.00, 0.0),
        (1.00, 1.00, 1.00, 1.0),
        (7.00, 0.90, 1.00, 0.90),
    ],
)
def test_the_weakest_counts_and_unknown_is_zero(
    classifier: float | None, self_check: float | None, grounding: float | None, score: float
) -> None:
    """The least of classifier, self-check and grounding; a failed check leaves nothing to trust."""
    # P76, A69
    assert confidence_score(classifier, self_check, grounding) == score


@pytest.mark.parametrize(("score", "needed"), [(0.79, True), (0.80, False), (0.0, True), (1.0, False), (NAN, True)])
def test_options_are_wanted_below_eighty(score: float, needed: bool) -> None:
    """0.80 itself needs none."""
    # P77
    assert needs_options(score) is needed


def test_options_start_with_the_draft_and_hold_three_at_most() -> None:
    """The draft is first; repeats, blanks and a fourth text are left out."""
    # P77
    assert options_with_draft("a", [" a ", "b", "", "b ", "c", "d"]) == ("a", "b", "c")


def test_failed_options_leave_the_single_draft() -> None:
    """No alternative that differs means no options at all."""
    # P77
    assert options_with_draft("a", ["a", " "]) == ()
