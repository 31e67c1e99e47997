"""What must hold of every thread decision, whatever a mail claims and whatever the store found (TH1-TH8)."""

from datetime import UTC, datetime, timedelta
from random import Random
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from domain.threads import ThreadCandidates, ThreadFacts, ThreadingFacts, ThreadRule, decide_thread

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
WINDOW = timedelta(days=30)
MAILBOX, OTHER_MAILBOX = UUID(int=1), UUID(int=2)
SUPPORT = "support@example.org"
ANNA, BORIS, MALLORY = "anna@customer.example", "boris@customer.example", "mallory@evil.example"
IDS = [f"{n}@example.org" for n in range(6)]
PEOPLE = [ANNA, BORIS, MALLORY, SUPPORT, ""]
SUBJECTS = ["", "frage", "rechnung 77", "lieferung"]

threads = st.builds(
    ThreadFacts,
    thread_id=st.integers(10, 15).map(lambda number: UUID(int=number)),
    mailbox_id=st.sampled_from([MAILBOX, MAILBOX, OTHER_MAILBOX]),
    participants=st.frozensets(st.sampled_from(PEOPLE)),
    status=st.sampled_from(["open", "waiting", "resolved", "closed"]),
    last_message_at=st.integers(-2, 40).map(lambda days: NOW - timedelta(days=days)),
    normalized_subject=st.sampled_from(SUBJECTS),
    contact_identifier=st.sampled_from(PEOPLE),
)
mails = st.builds(
    ThreadingFacts,
    mailbox_id=st.just(MAILBOX),
    mailbox_addresses=st.just(frozenset({SUPPORT})),
    sender=st.sampled_from(PEOPLE),
    contact_identifier=st.sampled_from(PEOPLE),
    normalized_subject=st.sampled_from(SUBJECTS),
    in_reply_to=st.lists(st.sampled_from(IDS), max_size=3).map(tuple),
    references=st.lists(st.sampled_from(IDS), max_size=5).map(tuple),
    token_thread_id=st.none() | st.just(UUID(int=10)),
    reply_like=st.booleans(),
    dmarc=st.sampled_from(["pass", "fail", ""]),
    ambiguous_sender=st.booleans(),
)
candidate_sets = st.builds(
    ThreadCandidates,
    by_message_id=st.dictionaries(st.sampled_from(IDS), threads),
    by_token=st.none() | threads,
    by_subject=st.lists(threads, max_size=5).map(tuple),
)


def _all_threads(found: ThreadCandidates) -> list[ThreadFacts]:
    return [*found.by_message_id.values(), *found.by_subject, *([found.by_token] if found.by_token else [])]


@given(mails, candidate_sets)
def test_nobody_joins_a_thread_he_takes_no_part_in(facts: ThreadingFacts, found: ThreadCandidates) -> None:
    """Whatever ids and subjects are forged, only participants (or holders of a token, flagged) join; never across
    mailboxes, and never on the strength of our own address."""  # TH3, TH4, TH7, P42
    decision = decide_thread(facts, found, NOW, WINDOW)
    if decision.thread_id is None:
        return
    joined = [t for t in _all_threads(found) if t.thread_id == decision.thread_id and t.mailbox_id == MAILBOX]
    assert joined
    if decision.rule is not ThreadRule.TOKEN:
        assert any(facts.sender in t.participants for t in joined) and facts.sender != SUPPORT
    elif not any(facts.sender in t.participants for t in joined):
        assert "new_participant" in decision.flags and decision.autonomy_off


@given(mails, candidate_sets)
def test_mail_without_a_trusted_sender_gets_neither_history_nor_autonomy(
    facts: ThreadingFacts, found: ThreadCandidates
) -> None:
    """A contradicted or ambiguous sender never sees history, never runs alone and never reopens."""  # TH3, C17
    decision = decide_thread(facts, found, NOW, WINDOW)
    if facts.dmarc == "fail" or facts.ambiguous_sender:
        assert decision.autonomy_off and not decision.history_allowed and not decision.reopens
        assert decision.rule is not ThreadRule.SUBJECT


@given(mails, candidate_sets, st.randoms(use_true_random=False))
def test_the_order_of_candidates_does_not_matter(
    facts: ThreadingFacts, found: ThreadCandidates, random: Random
) -> None:
    """The store may list candidates in any order; the decision is the same."""  # P41
    ids, subjects = list(found.by_message_id.items()), list(dict.fromkeys(found.by_subject))
    unique = {t.thread_id: t for t in subjects}
    plain = ThreadCandidates(dict(ids), found.by_token, tuple(unique.values()))
    random.shuffle(ids)
    shuffled = list(unique.values())
    random.shuffle(shuffled)
    other = ThreadCandidates(dict(ids), found.by_token, tuple(shuffled))
    assert decide_thread(facts, plain, NOW, WINDOW) == decide_thread(facts, other, NOW, WINDOW)


@given(mails, candidate_sets)
def test_a_new_thread_names_the_skipped_one_exactly_if_a_hit_was_skipped(
    facts: ThreadingFacts, found: ThreadCandidates
) -> None:
    """`maybe related`, the third-party flag and a skipped hit come together or not at all."""  # TH3
    decision = decide_thread(facts, found, NOW, WINDOW)
    if decision.thread_id is None:
        offered = decision.maybe_related_thread_id is not None
        assert offered == ("third_party" in decision.flags) == bool(decision.skipped)
