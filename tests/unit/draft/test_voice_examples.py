"""The examples of the voice: the nearest replies, few, each once (P73a)."""

from datetime import UTC, datetime, timedelta

from domain.draft.voice import MOST_CHARS, PastReply, best_examples

NOW = datetime(2026, 11, 30, tzinfo=UTC)


def past(asked: str, reply: str, days: int = 1) -> PastReply:
    """A reply sent some days ago."""
    return PastReply(asked, reply, NOW - timedelta(days=days))


def test_the_nearest_question_comes_first_and_the_newer_of_equals() -> None:
    """At most three, ordered by the words both mails use."""
    replies = [
        past("parking near the shop", "Parking"),
        past("lamp broken in the parcel", "Old lamp", 9),
        past("lamp broken in the parcel", "New lamp", 2),
        past("invoice of the lamp", "Invoice"),
    ]
    assert best_examples("my lamp is broken", replies) == ("New lamp", "Old lamp", "Invoice")


def test_the_same_text_is_shown_once_and_a_long_one_never() -> None:
    """Canned answers and essays show no voice; blank ones do not count."""
    replies = [past("lamp", "Hello"), past("lamp", " Hello "), past("lamp", "x" * (MOST_CHARS + 1)), past("lamp", " ")]
    assert best_examples("lamp", replies) == ("Hello",)
    assert best_examples("lamp", []) == ()
