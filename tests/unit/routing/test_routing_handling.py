"""Rules of the team that hold replies back, and nothing else."""

import pytest
from pydantic import ValidationError

from contracts.classification import Category, IntentKind
from domain.routing.handling import HandledMessage, HandlingKind, HandlingRule, Predicate, handling_objection

MESSAGE = HandledMessage(
    category=Category.BILLING,
    intents=(IntentKind.REQUEST,),
    sender="Mara@Example.org",
    text="My LAWYER will write to you.\nThe law-yer said so.",
)


def never(predicate: Predicate) -> HandlingRule:
    return HandlingRule(id="r-1", kind=HandlingKind.NEVER_AUTOMATIC, predicate=predicate)


@pytest.mark.parametrize(
    ("predicate", "holds"),
    [
        (Predicate(words=("lawyer",)), True),
        (Predicate(words=("will  Write",)), True),
        (Predicate(words=("law",)), True),
        (Predicate(words=("lawy",)), False),
        (Predicate(words=("judge", "lawyer")), True),
        (Predicate(categories=(Category.BILLING,)), True),
        (Predicate(categories=(Category.SALES,)), False),
        (Predicate(intents=(IntentKind.REQUEST,)), True),
        (Predicate(senders=("mara@example.org",)), True),
        (Predicate(senders=("tom@example.org",)), False),
        (Predicate(categories=(Category.BILLING,), words=("judge",)), False),
        (Predicate(), True),
    ],
)
def test_never_automatic_follows_its_predicate(predicate: Predicate, holds: bool) -> None:
    """Words are found whole and in any case; every field that is set must match, one value of it is enough."""
    # P86a, A79a
    assert (handling_objection([never(predicate)], MESSAGE, "draft") is not None) is holds


@pytest.mark.parametrize(("draft", "held"), [("Send it to Return Street 7!", False), ("Send it back.", True)])
def test_must_mention_is_checked_on_the_draft(draft: str, held: bool) -> None:
    """A draft on returns without the return address is held."""
    # P86a, A79a
    rule = HandlingRule(id="r-2", kind=HandlingKind.MUST_MENTION, text="return street 7")
    assert (handling_objection([rule], MESSAGE, draft) is not None) is held


def test_a_rule_that_cannot_restrict_is_refused() -> None:
    """A must_mention without a text would never hold anything back."""
    # P86a
    with pytest.raises(ValidationError, match="needs the text"):
        HandlingRule(id="r-3", kind=HandlingKind.MUST_MENTION, text=" . ")


def test_the_first_rule_that_holds_is_named() -> None:
    """The evidence carries the id of the rule, so that a person can find it."""
    # P86a
    rules = [HandlingRule(id="a", kind=HandlingKind.MUST_MENTION, text="hello"), never(Predicate())]
    assert "rule a" in (handling_objection(rules, MESSAGE, "bye") or "")
    assert "rule r-1" in (handling_objection(rules, MESSAGE, "hello") or "")
