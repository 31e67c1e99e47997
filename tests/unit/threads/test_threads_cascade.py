"""Which thread a mail joins: the cascade rule by rule, and what no forgery may achieve (TH1-TH8)."""

from datetime import UTC, datetime, timedelta
from itertools import permutations
from uuid import UUID

import pytest

from contracts.mail import Address, ParsedMail
from domain.threads import (
    MessageParties,
    ThreadCandidates,
    ThreadDecision,
    ThreadFacts,
    ThreadingFacts,
    ThreadRule,
    decide_thread,
    participants,
    threading_facts,
)

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
WINDOW = timedelta(days=30)
MAILBOX, OTHER_MAILBOX = UUID(int=1), UUID(int=2)
SUPPORT = "support@example.org"
ANNA, BORIS, MALLORY = "anna@customer.example", "boris@customer.example", "mallory@evil.example"
OURS = "out-1@example.org"


def thread(number: int = 10, **changed: object) -> ThreadFacts:
    """Anna's thread about an invoice, answered yesterday."""
    facts: dict[str, object] = {
        "thread_id": UUID(int=number),
        "mailbox_id": MAILBOX,
        "participants": frozenset({ANNA, SUPPORT}),
        "status": "waiting",
        "last_message_at": NOW - timedelta(days=1),
        "normalized_subject": "rechnung 77",
        "contact_identifier": ANNA,
    }
    return ThreadFacts(**{**facts, **changed})  # type: ignore[arg-type]


def mail(**changed: object) -> ThreadingFacts:
    """A mail of Anna, who answers nothing yet."""
    facts: dict[str, object] = {
        "mailbox_id": MAILBOX,
        "sender": ANNA,
        "contact_identifier": ANNA,
        "normalized_subject": "rechnung 77",
        "dmarc": "pass",
        "mailbox_addresses": frozenset({SUPPORT}),
    }
    return ThreadingFacts(**{**facts, **changed})  # type: ignore[arg-type]


def decide(facts: ThreadingFacts, window: timedelta = WINDOW, **found: object) -> ThreadDecision:
    """The decision at NOW over the candidates named."""
    return decide_thread(facts, ThreadCandidates(**found), NOW, window)  # type: ignore[arg-type]


def test_an_answer_to_our_reply_joins_its_thread() -> None:
    """In-Reply-To names an id of ours (or an alias the provider assigned): same thread, rule and evidence kept."""
    known = {OURS: thread(), "assigned@ses.example": thread()}  # TH1, TH2, RS-39, A22
    for id_ in known:
        decision = decide(mail(in_reply_to=(id_,)), by_message_id=known)
        assert (decision.thread_id, decision.rule, decision.evidence) == (UUID(int=10), ThreadRule.IN_REPLY_TO, id_)
        assert not decision.autonomy_off and decision.history_allowed and decision.reopens


def test_an_unknown_parent_with_our_id_in_references_joins() -> None:
    """A colleague's mail that we never saw was answered: our id in References leads home."""  # C12
    facts = mail(in_reply_to=("unseen@customer.example",), references=(OURS, "unseen@customer.example"))
    decision = decide(facts, by_message_id={OURS: thread()})
    assert (decision.thread_id, decision.rule) == (UUID(int=10), ThreadRule.REFERENCES)


def test_references_are_tried_from_the_end() -> None:
    """The last known reference wins over an older one."""  # TH1, P41, C13
    known = {"old@example.org": thread(10), OURS: thread(11)}
    decision = decide(mail(references=("old@example.org", OURS)), by_message_id=known)
    assert decision.thread_id == UUID(int=11)


def test_in_reply_to_wins_over_references_and_token_over_subject() -> None:
    """The order of the cascade decides if several rules would hit."""  # TH1, P41
    known = {"a@example.org": thread(11), "b@example.org": thread(12)}
    both = mail(in_reply_to=("a@example.org",), references=("b@example.org",))
    assert decide(both, by_message_id=known).thread_id == UUID(int=11)
    token = mail(token_thread_id=UUID(int=13), reply_like=True)
    decision = decide(token, by_token=thread(13), by_subject=(thread(14),))
    assert (decision.thread_id, decision.rule) == (UUID(int=13), ThreadRule.TOKEN)


@pytest.mark.parametrize("header", ["in_reply_to", "references"])
def test_a_stranger_who_copies_our_message_id_gets_his_own_thread(header: str) -> None:
    """A forged reference opens a new thread with badge third party and no autonomy; the other one is only offered."""
    facts = mail(sender=MALLORY, contact_identifier=MALLORY, reply_like=True, **{header: (OURS,)})
    decision = decide(facts, by_message_id={OURS: thread()}, by_subject=(thread(),))  # TH3, P42, C14, C15, RS-40, A23
    assert decision.thread_id is None and decision.rule is ThreadRule.NEW
    assert decision.maybe_related_thread_id == UUID(int=10)
    assert decision.flags == ("third_party",) and decision.autonomy_off
    assert not decision.history_allowed and not decision.reopens


def test_a_colleague_in_cc_joins() -> None:
    """Whoever was in From, To or Cc of a message of the thread takes part in it."""  # TH3, RS-41
    parties = participants([MessageParties(ANNA, (SUPPORT, BORIS))])
    facts = mail(sender=BORIS, contact_identifier=BORIS, in_reply_to=(OURS,))
    decision = decide(facts, by_message_id={OURS: thread(participants=parties)})
    assert decision.thread_id == UUID(int=10) and decision.flags == ()


def test_our_own_address_is_no_ticket_into_every_thread() -> None:
    """Our mailbox takes part in all its threads, so mail that claims to come from it joins none by reference."""  # C3
    facts = mail(sender=SUPPORT, contact_identifier=SUPPORT, in_reply_to=(OURS,))
    assert decide(facts, by_message_id={OURS: thread()}).thread_id is None


def test_a_forged_copy_cannot_smuggle_its_author_into_the_thread() -> None:
    """To and Cc of unauthenticated mail make nobody a participant; its From does."""  # TH3
    parties = participants([MessageParties(ANNA, (SUPPORT,)), MessageParties(ANNA, (MALLORY,), authenticated=False)])
    assert parties == {ANNA, SUPPORT}
    assert participants([MessageParties(BORIS, (MALLORY, ""), authenticated=False), MessageParties("")]) == {BORIS}


def test_mail_that_fails_dmarc_is_shown_in_the_thread_but_trusted_with_nothing() -> None:
    """With DMARC fail the mail joins as unauthenticated: no history, no autonomy, no reopening."""  # TH3
    for facts in (mail(in_reply_to=(OURS,), dmarc="fail"), mail(in_reply_to=(OURS,), ambiguous_sender=True)):
        decision = decide(facts, by_message_id={OURS: thread()})
        assert decision.thread_id == UUID(int=10) and decision.flags == ("unauthenticated",)
        assert decision.autonomy_off and not decision.history_allowed and not decision.reopens


@pytest.mark.parametrize("dmarc", ["pass", "none", "unknown", "", "temperror"])
def test_an_absent_verdict_is_unknown_and_not_a_failure(dmarc: str) -> None:
    """Only `fail` marks a mail as unauthenticated."""  # AD2, TH3
    assert decide(mail(in_reply_to=(OURS,), dmarc=dmarc), by_message_id={OURS: thread()}).flags == ()


def test_a_valid_token_lets_a_new_address_join_under_a_flag() -> None:
    """A new address with a token joins, flagged and without autonomy; a known one without a flag."""  # TH4, RS-41
    stranger = mail(sender=BORIS, contact_identifier=BORIS, token_thread_id=UUID(int=10))
    decision = decide(stranger, by_token=thread())
    assert decision.thread_id == UUID(int=10) and decision.flags == ("new_participant",) and decision.autonomy_off
    assert decide(mail(token_thread_id=UUID(int=10)), by_token=thread()).flags == ()


def test_a_token_of_a_thread_that_is_gone_joins_nothing() -> None:
    """A verified token without a thread behind it is passed over."""  # TH4
    assert decide(mail(token_thread_id=UUID(int=10))).thread_id is None


def test_a_token_of_a_merged_thread_leads_to_the_merged_one() -> None:
    """Ids and tokens keep resolving after a merge: the candidate says where they lead now."""  # TH11
    assert decide(mail(token_thread_id=UUID(int=10)), by_token=thread(20)).thread_id == UUID(int=20)


def test_a_reference_passed_over_is_flagged_even_if_another_rule_hits() -> None:
    """The cascade goes on after a foreign reference, and the mail keeps a flag of it."""  # P42
    foreign = thread(30, participants=frozenset({MALLORY}))
    facts = mail(in_reply_to=("theirs@example.org",), references=(OURS,))
    decision = decide(facts, by_message_id={"theirs@example.org": foreign, OURS: thread()})
    assert decision.thread_id == UUID(int=10) and decision.flags == ("ignored_reference",)
    assert [skip.thread_id for skip in decision.skipped] == [UUID(int=30)]
    assert decision.maybe_related_thread_id is None and not decision.autonomy_off


def test_another_mailbox_is_another_world() -> None:
    """Ids, tokens and subjects of another mailbox's threads count for nothing, not even as a hint."""  # TH7, C19
    foreign = thread(mailbox_id=OTHER_MAILBOX)
    facts = mail(in_reply_to=(OURS,), token_thread_id=UUID(int=10), reply_like=True)
    decision = decide(facts, by_message_id={OURS: foreign}, by_token=foreign, by_subject=(foreign,))
    assert decision == ThreadDecision(thread_id=None, rule=ThreadRule.NEW, evidence="")


def test_an_answer_without_ids_joins_by_subject_and_contact() -> None:
    """Same contact, same subject, a sign of an answer and recent activity are enough together."""  # TH5, P41
    decision = decide(mail(reply_like=True), by_subject=(thread(),))
    assert (decision.thread_id, decision.rule, decision.evidence) == (UUID(int=10), ThreadRule.SUBJECT, "rechnung 77")


def test_an_unresolved_reference_is_a_sign_of_an_answer() -> None:
    """A reference that nobody knows makes a mail reply-like; a resolved one of a stranger's thread does not."""  # TH5
    assert decide(mail(references=("lost@customer.example",)), by_subject=(thread(),)).rule is ThreadRule.SUBJECT
    foreign = thread(30, participants=frozenset({MALLORY}))
    known = {"theirs@example.org": foreign}
    decision = decide(mail(references=("theirs@example.org",)), by_message_id=known, by_subject=(thread(),))
    assert decision.rule is ThreadRule.NEW


@pytest.mark.parametrize(
    ("changes", "other"),
    [
        ({"reply_like": False}, {}),
        ({"dmarc": "fail"}, {}),
        ({"ambiguous_sender": True}, {}),
        ({"contact_identifier": BORIS}, {}),
        ({"contact_identifier": ""}, {"contact_identifier": ""}),
        ({"normalized_subject": ""}, {"normalized_subject": ""}),
        ({"normalized_subject": "abc"}, {"normalized_subject": "abc"}),
        ({"normalized_subject": "frage"}, {"normalized_subject": "frage"}),
        ({"normalized_subject": "rechnung 78"}, {}),
        ({}, {"last_message_at": NOW - timedelta(days=31)}),
        ({}, {"participants": frozenset({BORIS})}),
    ],
)
def test_each_condition_of_the_subject_rule_is_needed(changes: dict, other: dict) -> None:
    """Take one condition away, and the same subject opens a new thread."""  # TH5, TH7, RS-42, RS-43, A25, C19
    facts = mail(**{"reply_like": True, **changes})
    assert decide(facts, by_subject=(thread(**other),)).thread_id is None


def test_the_subject_window_is_inclusive_and_can_be_switched_off() -> None:
    """Thirty days exactly still count; a window of zero switches the rule off."""  # TH5
    edge = thread(last_message_at=NOW - WINDOW)
    assert decide(mail(reply_like=True), by_subject=(edge,)).thread_id == UUID(int=10)
    fresh = thread(last_message_at=NOW)
    assert decide(mail(reply_like=True), timedelta(0), by_subject=(fresh,)).thread_id is None


def test_the_subject_rule_takes_the_latest_thread_in_any_order() -> None:
    """Of several fitting threads the most recently active wins, however the store listed them."""  # TH5
    listed = [thread(n, last_message_at=NOW - timedelta(days=days)) for n, days in ((10, 3), (11, 1), (12, 1), (13, 9))]
    found = {decide(mail(reply_like=True), by_subject=order).thread_id for order in permutations(listed)}
    assert found == {UUID(int=12)}


@pytest.mark.parametrize(
    ("status", "reopens"), [("open", False), ("waiting", True), ("resolved", True), ("closed", True)]
)
def test_mail_reopens_only_threads_that_are_not_open(status: str, reopens: bool) -> None:
    """The decision carries whether the thread must be opened again after screening."""  # TH8
    decision = decide(mail(in_reply_to=(OURS,)), by_message_id={OURS: thread(status=status)})
    assert decision.reopens is reopens


def test_facts_are_taken_from_a_parsed_mail() -> None:
    """The key, the ids and the signs of an answer come from the parser's result."""  # P41
    parsed = ParsedMail(
        parser_version="1",
        from_=Address(address=ANNA, identity=ANNA),
        subject="AW: Rechnung 77",
        in_reply_to=(OURS,),
        references=("a@example.org", OURS),
    )
    facts = threading_facts(parsed, mailbox_id=MAILBOX, sender=ANNA, contact_identifier=ANNA, dmarc="pass")
    assert facts.normalized_subject == "rechnung 77" and facts.reply_like
    assert decide(facts, by_message_id={OURS: thread()}).thread_id == UUID(int=10)
