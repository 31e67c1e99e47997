"""Loops by count, repetition and speed, and the marker that knows our own mail (AU7, AU11-AU13)."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.automatic_mail import LoopFacts, gram_similarity, loop_hits, sent_marker, verify_marker

ROBOT = "Thank you for your message. Your ticket {} was received and will be answered within two working days. " * 2


def codes(**facts: object) -> list[str]:
    """The codes that hit for these counts and texts."""
    return [item.code for item in loop_hits(LoopFacts(**facts))]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("sent", "cap", "hits"), [(1, 2, []), (2, 2, ["thread_cap"]), (0, 0, ["thread_cap"]), (0, 1, [])]
)
def test_the_thread_cap_hits_when_it_is_reached(sent: int, cap: int, hits: list[str]) -> None:
    """Two automatic replies since the last human action are the end; a cap of 0 allows none."""  # AU11, LO1, RS-48
    assert codes(thread_automatic_replies=sent, thread_cap=cap) == hits


@pytest.mark.parametrize(("sent", "hits"), [(4, []), (5, ["sender_cap"]), (6, ["sender_cap"])])
def test_the_sender_cap_hits_at_five_a_day(sent: int, hits: list[str]) -> None:
    """Five automatic replies to one sender in 24 hours are the end."""  # AU11, RS-48, C1
    assert codes(sender_automatic_replies_24h=sent) == hits


def test_a_robot_that_repeats_itself_is_near_same() -> None:
    """A text that differs by a ticket number is near the same; another question is not."""  # AU12, RS-48, RS-51
    assert codes(new_text=ROBOT.format(4711, 4711), sender_previous_text=ROBOT.format(4712, 4712)) == ["near_same"]
    question = "Where is my invoice of March? I need it for my taxes, and it should carry our new address."
    assert codes(new_text=ROBOT.format(4711, 4711), sender_previous_text=question) == []


def test_a_draft_that_repeats_our_last_automatic_reply_is_near_same() -> None:
    """We notice ourselves saying the same again."""  # AU12
    ours = "Hello Anna, you find your invoice under Account, Invoices."
    assert codes(draft_text=ours, last_automatic_reply_text=ours.upper()) == ["near_same"]
    assert codes(draft_text=ours, last_automatic_reply_text="Hello Boris, the parcel left us today.") == []
    assert codes(draft_text="", last_automatic_reply_text="") == []


def test_three_quick_answers_are_a_reflex() -> None:
    """Three mails within 60 s of a send each; two quick and a slow one are a busy person."""  # AU13, RS-48
    def reflexes(*seconds: int) -> list[str]:
        return codes(answer_delays=tuple(timedelta(seconds=each) for each in seconds))

    assert reflexes(5, 60, 30) == ["reflex"]
    assert reflexes(5, 61, 30) == reflexes(5, -1, 30) == reflexes(5, 5) == []


def test_several_rules_may_hit_at_once() -> None:
    """Each rule reports for itself."""  # AU11-AU13
    found = codes(
        thread_automatic_replies=2,
        sender_automatic_replies_24h=5,
        new_text=ROBOT,
        sender_previous_text=ROBOT,
        answer_delays=(timedelta(seconds=1),) * 3,
    )
    assert found == ["thread_cap", "sender_cap", "near_same", "reflex"]


@given(st.text(max_size=60), st.text(max_size=60))
def test_similarity_is_symmetric_and_between_zero_and_one(left: str, right: str) -> None:
    """Order does not matter; a text is wholly similar to itself unless it is empty."""  # AU12
    assert gram_similarity(left, right) == gram_similarity(right, left)
    assert 0.0 <= gram_similarity(left, right) <= 1.0
    assert gram_similarity(left, left) == (1.0 if left.split() else 0.0)


def test_short_texts_are_similar_only_if_equal() -> None:
    """Below five characters there are no grams to share."""  # AU12
    assert gram_similarity("ok", " OK\n") == 1.0
    assert gram_similarity("ok", "no") == 0.0 and gram_similarity("ok", "okay, thank you") == 0.0


KEYS = (b"new", b"old")


def test_our_marker_is_known_again_with_either_key() -> None:
    """Marked with one of the keys in use, also if a gateway changed the letter case of the MAC."""  # AU7, SE1
    for key in KEYS:
        marker = sent_marker(key, "0198-ab")
        assert verify_marker(KEYS, f" {marker}\r\n") == "0198-ab"
        outbox_id, _, mac = marker.partition(".")
        assert verify_marker(KEYS, f"{outbox_id}.{mac.upper()}") == "0198-ab"


def test_a_forged_or_foreign_marker_is_nobody() -> None:
    """Another installation's marker, one changed letter or another id: not ours."""  # AU7, RS-48
    marker = sent_marker(b"foreign", "0198-ab")
    assert verify_marker(KEYS, marker) is None
    genuine = sent_marker(KEYS[0], "0198-ab")
    assert verify_marker(KEYS, genuine.replace("0198", "0199")) is None
    assert verify_marker(KEYS, genuine[:-2] + ("aa" if not genuine.endswith("aa") else "bb")) is None
    assert verify_marker((), genuine) is None


@given(st.text(max_size=80))
def test_no_marker_text_raises(value: str) -> None:
    """Whatever stands in the header, reading it gives a value."""  # AU7
    assert verify_marker(KEYS, value) is None
