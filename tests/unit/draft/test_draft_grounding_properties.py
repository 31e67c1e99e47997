"""Properties of grounding that no wording may break."""

from hypothesis import given, settings
from hypothesis import strategies as st

from domain.briefing import Source, SourceKind
from domain.draft.grounding import ground
from domain.draft.mentions import ItemKind


def source(text: str) -> Source:
    return Source(id="s-1", kind=SourceKind.VERIFIED, title="", text=text, trusted=True)


PIECES = st.sampled_from(
    [
        "It costs 5 EUR.",
        "We refund 20 %.",
        "Wir liefern am 3. Mai 2026.",
        "Order 104233.",
        "See shop.example.org/a.",
        "Dear Mara,",
    ]
)
DRAFTS = st.lists(PIECES, max_size=6).map(" ".join)


@settings(deadline=None)
@given(DRAFTS)
def test_a_draft_out_of_a_trusted_text_is_grounded(draft: str) -> None:
    """Repeating a trusted source word for word leaves nothing open."""
    # P75
    assert ground(draft, [source(draft)], "").score == 1.0


@settings(deadline=None)
@given(DRAFTS, DRAFTS, DRAFTS)
def test_more_trusted_sources_never_prove_less(draft: str, one: str, two: str) -> None:
    """The score is monotone in the trusted sources, lies in [0, 1] and agrees with the list of ungrounded items."""
    # P75
    fewer, more = ground(draft, [source(one)], ""), ground(draft, [source(one), source(two)], "")
    assert 0 <= fewer.score <= more.score <= 1
    assert (more.score == 1.0) is (not more.ungrounded)


@settings(deadline=None)
@given(DRAFTS, DRAFTS)
def test_the_customer_can_only_help_with_echoes(draft: str, mail: str) -> None:
    """Whatever the mail says, nothing but identifiers and names becomes grounded by it."""
    # P66, HW9
    echoed = [item for item in ground(draft, [], mail).items if item.grounded]
    assert {item.kind for item in echoed} <= {ItemKind.IDENTIFIER, ItemKind.NAME}
