"""How much of a draft a person kept."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.draft.similarity import is_materially_edited, word_similarity

TEXT = " ".join(f"word{number}" for number in range(100))


@pytest.mark.parametrize(("changed", "edited"), [(0, False), (4, False), (5, False), (6, True), (10, True)])
def test_five_words_in_a_hundred_are_still_the_same_text(changed: int, edited: bool) -> None:
    """0.96 is approved and matched, 0.95 as well, 0.94 and 0.90 are edited."""
    # P83, P88, A86
    sent = " ".join(["other"] * changed + TEXT.split()[changed:])
    assert word_similarity(TEXT, sent) == pytest.approx(1 - changed / 100)
    assert is_materially_edited(TEXT, sent) is edited


def test_blanks_and_line_breaks_do_not_count() -> None:
    """Re-wrapping a reply changes no word."""
    # P83
    assert word_similarity("Dear Mara,\n\nthank  you.", "Dear Mara, thank you.") == 1.0


def test_texts_without_blanks_are_compared_by_letters() -> None:
    """One changed letter in twenty of a Chinese reply is no new text."""
    # P83
    text = "您好感谢您的来信我们会在两天内处理您的请求"
    assert 0.9 < word_similarity(text, text.replace("两", "三")) < 1.0


@pytest.mark.parametrize(("left", "right", "similarity"), [("", "", 1.0), ("", "a", 0.0), ("a b", "c d", 0.0)])
def test_borders(left: str, right: str, similarity: float) -> None:
    """Two empty texts are equal, a text and nothing are not."""
    # P83
    assert word_similarity(left, right) == similarity


@given(st.text(max_size=200), st.text(max_size=200))
def test_similarity_is_symmetric_and_bounded(left: str, right: str) -> None:
    """In [0, 1], the same both ways, and 1 for a text and itself."""
    # P83
    assert 0 <= word_similarity(left, right) <= 1
    assert word_similarity(left, right) == word_similarity(right, left)
    assert word_similarity(left, left) == 1
