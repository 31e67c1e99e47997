"""Tiers at their borders, the order in which entries go, and that nothing is ever cut in half."""

import re
from typing import Any

import pytest
from briefing_samples import activity, claim, current, facts, file, knowledge, mail
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.briefing import Briefing, BriefingFacts, ContextTier, build_briefing
from domain.briefing.compaction import DEFAULT_BUDGET_TOKENS
from domain.briefing.facts import Trust
from domain.briefing.sections import Section, briefing_entries, render
from domain.briefing.tokens import count_tokens


def of_size(tokens: int, **fields: Any) -> BriefingFacts:
    """Facts whose whole context counts exactly `tokens`, by padding the oldest history entry."""
    bare = count_tokens(render(briefing_entries(facts(history=(mail(1, body="pad"),), **fields))))
    made = facts(history=(mail(1, body="pad" + " word" * (tokens - bare)),), **fields)
    assert count_tokens(render(briefing_entries(made))) == tokens
    return made


@pytest.mark.parametrize(
    ("tokens", "tier"),
    [
        (4_000, ContextTier.NORMAL),
        (4_001, ContextTier.COMPACTED),
        (12_000, ContextTier.COMPACTED),
        (12_001, ContextTier.EMERGENCY),
    ],
)
def test_tiers_turn_at_the_budget_and_at_three_times_the_budget(tokens: int, tier: ContextTier) -> None:
    """4,000 tokens are normal, 4,001 compacted, 12,001 an emergency."""
    # P65, A56
    assert build_briefing(of_size(tokens)).tier is tier


def test_normal_is_verbatim_and_counted() -> None:
    """Within the budget nothing is dropped and the stored count is that of the text."""
    # P65
    made = build_briefing(of_size(4_000, knowledge=(knowledge(1),)))
    assert (made.token_count, made.dropped, made.context_truncated) == (4_000, (), False)
    assert count_tokens(made.text) == made.token_count


def rich(budget: int) -> BriefingFacts:
    return facts(
        activities=(activity(1), activity(2)),
        history=(mail(1), mail(2), mail(3, coalesced=True)),
        knowledge=(knowledge(1, Trust.POLICY), knowledge(2), claim(3)),
        files=(file(1), file(2)),
        budget_tokens=budget,
    )


def test_entries_go_in_the_stated_order() -> None:
    """Oldest history, files, lowest-ranked knowledge, oldest activity; the mail answered together goes last of all."""
    # P65
    order = ("h-1", "h-2", "f-2", "f-1", "k-3", "k-2", "k-1", "a-1", "a-2", "h-3")
    whole = count_tokens(render(briefing_entries(rich(4_000))))
    for budget in range(whole // 3 + 1, whole):
        dropped = build_briefing(rich(budget)).dropped
        assert dropped == order[: len(dropped)]
    assert build_briefing(rich(whole // 3 + 1)).dropped[:4] == order[:4]


def test_dropping_stops_as_soon_as_the_text_fits() -> None:
    """One token too much costs one entry, the oldest of the history."""
    # P65, A58
    made = build_briefing(of_size(4_001, knowledge=(knowledge(1),), files=(file(1),)))
    assert made.dropped == ("h-1",)
    assert {source.id for source in made.sources} == {"c-1", "k-1", "f-1", "m-now"}


def test_emergency_keeps_contact_and_current_message_only() -> None:
    """Above three budgets nothing else stays, and a mail answered together that had to go is a gap."""
    # P65
    made = build_briefing(
        facts(history=(mail(1, body="word " * 13_000), mail(2, coalesced=True)), knowledge=(knowledge(1),))
    )
    assert made.tier is ContextTier.EMERGENCY
    assert [source.id for source in made.sources] == ["c-1", "m-now"]
    assert made.context_gaps == ("coalesced_dropped",)
    assert not (made.knowledge_found or made.files_found or made.history_found)


def test_dropped_sources_ground_nothing() -> None:
    """What is no longer in the text is no source, and what was found is judged by what is left."""
    # P66, A58
    made = build_briefing(of_size(4_001))
    assert "h-1" in made.dropped and "h-1" not in {source.id for source in made.sources}
    assert not made.history_found


def test_a_current_message_above_the_budget_keeps_both_ends() -> None:
    """Beginning and end stay with a visible mark between them; the flag is set and the budget honoured."""
    # P66
    body = "The beginning matters. " + "filler words here " * 4_000 + " The end matters as well."
    made = build_briefing(facts(current=current(body), knowledge=(knowledge(1),)))
    assert made.context_truncated and made.token_count <= DEFAULT_BUDGET_TOKENS
    assert "The beginning matters." in made.text and made.text.endswith("The end matters as well.")
    left_out = re.search(r"\[\.\.\. (\d+) characters left out here \.\.\.\]", made.text)
    assert left_out and 40_000 < int(left_out.group(1)) < len(body)
    assert made.token_count > DEFAULT_BUDGET_TOKENS * 0.95


@pytest.mark.parametrize("budget", range(100, 130))
def test_truncation_never_leaves_half_a_number(budget: int) -> None:
    """A cut order number would look like another order, so a cut falls between words, wherever the budget ends."""
    # P66
    made = build_briefing(facts(current=current("order 12345678 " * 500), budget_tokens=budget))
    body = re.sub(r"\[\.\.\. \d+ characters left out here \.\.\.\]", " ", made.text.partition("UTC\n\n")[2])
    assert made.context_truncated and set(body.split()) == {"order", "12345678"}


def test_a_truncated_message_grounds_only_what_is_left_of_it() -> None:
    """The source of a truncated message is the truncated text."""
    # P66
    made = build_briefing(facts(current=current("start " + "x " * 9_000 + "middlemost " + "y " * 9_000)))
    assert "middlemost" not in next(source.text for source in made.sources if source.id == "m-now")


def test_a_mail_without_a_blank_is_truncated_as_well() -> None:
    """A megabyte in one word, and one in Chinese, end within the budget."""
    # P66, A57
    for body in ("a" * 1_000_000, "订单" * 500_000):
        made = build_briefing(facts(current=current(body)))
        assert made.context_truncated and made.token_count <= DEFAULT_BUDGET_TOKENS


def test_chinese_is_not_counted_as_a_quarter_of_its_characters() -> None:
    """4,000 Chinese characters are far more than the 1,000 tokens that a ratio for English gives."""
    # P65, A57
    assert count_tokens("您好我想问一下订单的情况" * 334) > 2_000


def test_counting_survives_text_no_encoding_knows() -> None:
    """Lone surrogates and the names of special tokens are counted as plain text."""
    # P65
    assert count_tokens("\ud800") == 1
    assert count_tokens("<|endoftext|>") > 1
    assert count_tokens("") == 0


WORDS = st.lists(st.sampled_from("alpha beta 42 größe 订单 [KNOWLEDGE] ... order-77 \n\n".split(" ")), max_size=60).map(
    " ".join
)


@st.composite
def any_facts(draw: st.DrawFn) -> BriefingFacts:
    history = tuple(
        mail(
            number,
            body=draw(WORDS),
            coalesced=draw(st.booleans()),
            pattern_score=draw(st.sampled_from([0.0, 0.9, None])),
        )
        for number in range(draw(st.integers(0, 8)))
    )
    return facts(
        current=current(draw(WORDS) * draw(st.integers(1, 20))),
        history=history,
        activities=tuple(activity(number, summary=draw(WORDS)) for number in range(draw(st.integers(0, 3)))),
        knowledge=tuple(
            knowledge(number, draw(st.sampled_from(Trust)), text=draw(WORDS))
            for number in range(draw(st.integers(0, 5)))
        ),
        files=tuple(file(number, summary=draw(WORDS)) for number in range(draw(st.integers(0, 3)))),
        budget_tokens=draw(st.integers(1, 1_500)),
    )


def entries_left(made: Briefing, given_facts: BriefingFacts) -> str:
    """The text again, from the whole entries that were not dropped."""
    gone = list(made.dropped)
    return render(entry for entry in briefing_entries(given_facts) if entry.id not in gone)


@settings(max_examples=150, deadline=None)
@given(any_facts())
def test_no_entry_is_ever_cut(given_facts: BriefingFacts) -> None:
    """Unless the current message is truncated, the text is exactly the entries that were not dropped, each whole."""
    # P66
    made = build_briefing(given_facts)
    if not made.context_truncated:
        assert made.text == entries_left(made, given_facts)
    else:
        assert entries_left(made, given_facts).startswith(made.text.split("[CURRENT MESSAGE]")[0])


@settings(max_examples=150, deadline=None)
@given(any_facts())
def test_budget_is_honoured_or_only_protected_entries_are_left(given_facts: BriefingFacts) -> None:
    """Above the budget nothing expendable remains; contact and current message are always there."""
    # P65
    made = build_briefing(given_facts)
    gone = set(made.dropped)
    left = [entry.section for entry in briefing_entries(given_facts) if entry.id not in gone]
    assert Section.CURRENT in left and Section.CONTACT in left
    assert made.token_count <= given_facts.budget_tokens or set(left) == {Section.CONTACT, Section.CURRENT}
    assert made.token_count == count_tokens(made.text)


@settings(max_examples=150, deadline=None)
@given(any_facts())
def test_tier_tells_what_happened(given_facts: BriefingFacts) -> None:
    """Normal drops nothing, compacted drops no more than it must, every source still stands in the text."""
    # P65, P66
    made = build_briefing(given_facts)
    if made.tier is ContextTier.NORMAL:
        assert not made.dropped and not made.context_truncated
    if made.tier is ContextTier.COMPACTED and made.dropped:
        spared = made.model_copy(update={"dropped": made.dropped[:-1]})
        assert count_tokens(entries_left(spared, given_facts)) > given_facts.budget_tokens
    assert not {source.id for source in made.sources} & set(made.dropped)
