"""The pure rules of knowledge: cutting, renewal, ranking, scope, duplicates (P104, P107)."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.knowledge.blocks import Block, ReadDocument
from domain.knowledge.chunking import MOST_CHARACTERS, Passage, normalised, passages
from domain.knowledge.duplicates import distance, fingerprint, near_pairs
from domain.knowledge.entries import confidence_at, imported_trust, is_in_scope, is_past
from domain.knowledge.fusion import authoritative_first, fused, fused_scores
from domain.knowledge.renewal import Held, plan_renewal, successors

NOW = datetime(2026, 12, 1, tzinfo=UTC)
MAILBOX, ANNA, BERT = UUID(int=1), UUID(int=2), UUID(int=3)


def entry(**more: Any) -> dict[str, Any]:
    """A verified entry for everybody that holds now."""
    return {
        "id": uuid4(), "mailbox_id": MAILBOX, "contact_id": None, "trust": "verified", "confidence": 1.0,
        "created_at": NOW, "superseded_by": None, "retired_at": None, "expires_at": None, "valid_from": None, **more,
    }  # fmt: skip


def document(*blocks: Block) -> ReadDocument:
    """A document without a title."""
    return ReadDocument("", "markdown", blocks)


@given(st.lists(st.text(min_size=1, max_size=3000), max_size=8))
def test_no_passage_is_too_long_and_no_letter_is_lost(texts: list[str]) -> None:
    """P104: whatever the text, each passage fits and together they hold all of it."""
    found = passages(document(*(Block(text, (str(n),)) for n, text in enumerate(texts))), "page")
    assert all(len(one.content) <= MOST_CHARACTERS for one in found)
    letters = "".join("".join(one.content.split()) for one in found)
    assert letters == "".join("".join(text.split()) for text in texts)


def test_two_sections_of_one_heading_are_two_passages() -> None:
    """A heading that comes twice opens a section twice; the second is numbered."""
    found = passages(document(Block("One.", ("Note",), opens=True), Block("Two.", ("Note",), opens=True)), "page")
    assert [(one.title, one.content) for one in found] == [("Note", "One."), ("Note (2)", "Two.")]


def test_a_passage_of_a_paged_file_knows_its_page() -> None:
    """A citation names the page on which the passage begins."""
    found = passages(document(Block("a" * 900, page=1), Block("b" * 900, page=2)), "handbook")
    assert [(one.title, one.page) for one in found] == [("handbook", 1), ("handbook (2)", 2)]


def test_blanks_do_not_make_a_new_passage() -> None:
    """Re-wrapped text is the same text."""
    assert Passage("A", "one two\nthree").sha256 == Passage("A", "one  two three ").sha256
    assert normalised(" a\u00a0b\n\nc ") == "a b c"


def test_renewal_keeps_what_is_known_and_names_what_makes_way() -> None:
    """P104: unchanged passages keep their entry, changed ones have a successor, vanished ones do not."""
    kept, changed, vanished = Passage("A", "same"), Passage("B", "new text"), Passage("C", "gone")
    old = Held(UUID(int=11), "B", "old-digest", "faq")
    held = [Held(UUID(int=10), "A", kept.sha256, "faq"), old, Held(UUID(int=12), "C", vanished.sha256, "faq")]
    plan = plan_renewal([kept, changed], held, [], "faq")
    assert plan.kept == {kept.key: UUID(int=10)} and plan.new == [changed]
    assert {one.id for one in plan.gone} == {UUID(int=11), UUID(int=12)}
    assert successors(plan.gone, {changed.key: UUID(int=20)}) == [(UUID(int=11), UUID(int=20))]


def test_a_long_text_of_another_document_is_not_stored_twice() -> None:
    """Deduplication by content: a title may differ where the text itself tells enough."""
    long, short = Passage("Mine", "words " * 60), Passage("Mine", "Yes.")
    elsewhere = [Held(UUID(int=1), "Theirs", one.sha256, "faq", UUID(int=9)) for one in (long, short)]
    plan = plan_renewal([long, short], [], elsewhere, "faq")
    assert plan.kept == {long.key: UUID(int=1)} and plan.new == [short]


def test_a_new_type_stores_anew() -> None:
    """P104: trust follows the type, so a policy is no kept faq."""
    passage = Passage("A", "text")
    plan = plan_renewal([passage], [Held(UUID(int=1), "A", passage.sha256, "faq")], [], "policy")
    assert plan.new == [passage] and plan.gone == []
    assert (imported_trust("policy"), imported_trust("faq")) == ("policy", "verified")


def test_fusion_adds_reciprocal_ranks() -> None:
    """P107: 1/(60 + rank), ranks from one, a repeat in one leg counts once."""
    a, b = UUID(int=1), UUID(int=2)
    assert fused_scores([[a, b, a], [b]]) == {a: 1 / 61, b: 1 / 62 + 1 / 61}


def test_past_entries_rank_last_and_claims_fade() -> None:
    """P107: superseded ones are last in a search; an old claim makes way for a fresh one of the same rank."""
    gone = entry(superseded_by=uuid4())
    old = entry(trust="unverified", created_at=NOW - timedelta(days=400))
    fresh = entry(trust="unverified")
    assert fused([[gone], [old], [fresh]], NOW) == [fresh, old, gone]


def test_authority_orders_the_best_and_lets_nothing_worse_in() -> None:
    """P62: policies first among those that fit, but a policy that hardly fits pushes no answer out."""
    answer, claim, far = entry(), entry(trust="unverified"), entry(trust="policy")
    assert authoritative_first([claim, answer, far], 2) == [answer, claim]
    assert authoritative_first([claim, answer, far], 3) == [far, answer, claim]


def test_age_is_counted_once() -> None:
    """P107: half after 180 days, a quarter after 360; a moment ahead of the clock changes nothing."""
    assert confidence_at(0.8, NOW - timedelta(days=180), NOW) == pytest.approx(0.4)
    assert confidence_at(0.8, NOW - timedelta(days=360), NOW) == pytest.approx(0.2)
    assert confidence_at(0.8, NOW + timedelta(days=1), NOW) == 0.8


def test_the_second_wall() -> None:
    """HW8, HW11: an entry of others never passes, and without a contact only what is for everybody."""
    assert is_in_scope(entry(), MAILBOX, None) and is_in_scope(entry(contact_id=ANNA), MAILBOX, ANNA)
    assert not is_in_scope(entry(contact_id=ANNA), MAILBOX, BERT)
    assert not is_in_scope(entry(contact_id=ANNA), MAILBOX, None)
    assert not is_in_scope(entry(mailbox_id=UUID(int=9)), MAILBOX, ANNA)


@pytest.mark.parametrize(
    "more", [{"superseded_by": ANNA}, {"retired_at": NOW}, {"expires_at": NOW}, {"valid_from": NOW + timedelta(1)}]
)
def test_what_does_not_hold_is_past(more: dict[str, Any]) -> None:
    """P107: superseded, taken back, expired, not valid yet."""
    assert is_past(entry(**more), NOW) and not is_past(entry(), NOW)


def test_near_duplicates_are_found_and_others_are_not() -> None:
    """A word changed in a long text is nearly the same; another text is not."""
    text = " ".join(f"word{n} stands here" for n in range(120))
    prints = {"a": fingerprint(text), "b": fingerprint(text.replace("word60 ", "other ")), "c": fingerprint("x " * 99)}
    assert [(one, other) for one, other, _ in near_pairs(prints)] == [("a", "b")]
    assert distance(prints["a"], prints["c"]) > 10 and -(2**63) <= prints["a"] < 2**63
