"""What the reviewer reads, and that an approval covers exactly that."""

import io
from collections.abc import Mapping
from typing import Any

import pytest
from rich.console import Console

from cli.review_pages import NotToApprove, approval_of, show_message, show_waiting
from cli.trust import LOOK, NEEDS_YOU, READY, current_findings, flags_of, trust_word, word_of
from tests.unit.cli.api_stand_in import detail

DRAFT = detail()["draft"]
FINDING = {"revision": 0, "finding_id": "f1", "detector": "link", "snippet": "http://evil.example", "confirmable": True}


def printed(show: Any, *arguments: Any) -> str:
    """What a page writes into a pipe."""
    console = Console(file=io.StringIO(), soft_wrap=True)
    show(console, *arguments)
    return console.file.getvalue()  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("confidence", "flagged", "has_draft", "word"),
    [
        (0.80, False, True, READY), (0.80, True, True, LOOK), (0.7999, False, True, LOOK), (0.60, True, True, LOOK),
        (0.5999, False, True, NEEDS_YOU), (None, False, True, NEEDS_YOU), (0.99, False, False, NEEDS_YOU),
    ],
)  # fmt: skip
def test_the_three_words_of_trust(confidence: float | None, flagged: bool, has_draft: bool, word: str) -> None:
    """P116: 0.80 and no flag ready; 0.60 to 0.80 or any flag worth a look; lower, unknown or no draft needs you."""
    assert trust_word(confidence, flagged, has_draft) == word


@pytest.mark.parametrize(
    ("changed", "flag"),
    [
        ({"flags": {"content_flags": ["parts_differ"]}}, "parts_differ"),
        ({"flags": {"automatic_class": "B"}}, "maybe automatic mail"),
        ({"draft": DRAFT | {"quality": {"flags": ["tone"]}}}, "tone"),
        ({"work": detail()["work"] | {"context_gaps": ["knowledge"]}}, "without knowledge"),
        ({"recipients": {"to": [], "cc": [], "confirm": ["own_address"]}}, "own_address"),
        ({"findings": [FINDING]}, "link"),
    ],
)
def test_any_flag_makes_a_good_draft_worth_a_look(changed: Mapping[str, Any], flag: str) -> None:
    """P116: whoever raised it; a finding of an earlier revision is none."""
    assert flags_of(detail(**changed)) == (flag,)
    assert (word_of(detail()), word_of(detail(**changed))) == (READY, LOOK)
    assert current_findings(detail(findings=[FINDING | {"revision": 3}])) == []


def test_a_draft_without_quality_and_a_message_without_draft() -> None:
    """P75: a failed self-check leaves no quality; a complaint has no draft."""
    assert word_of(detail(draft=DRAFT | {"quality": None, "confidence": 0.0})) == NEEDS_YOU
    assert word_of(detail(draft=None, to_approve=None)) == NEEDS_YOU


def test_the_list_is_one_line_per_draft() -> None:
    """Id, sender, subject, age, trust word, category, offline label: tab-separated in pipes."""
    offline = detail(draft=DRAFT | {"offline_model": True, "confidence": 0.7})
    lines = printed(show_waiting, [detail(), offline]).splitlines()
    assert lines[0] == "id\tfrom\tsubject\tage\tlook\tcategory\tnote"
    cells = [line.split("\t") for line in lines[1:]]
    assert [cell[:3] + cell[4:] for cell in cells] == [
        ["0000aaaa", "Ana Ruiz", "Lamp", READY, "support", ""],
        ["0000aaaa", "Ana Ruiz", "Lamp", LOOK, "support", "offline"],
    ]


def test_other_statuses_show_their_reason_instead() -> None:
    """CO4: quarantined mail shows what was found in it."""
    held = detail(status="quarantined", flags={"security_flags": {"injection_type": "override"}})
    assert "\tquarantined: override\t" in printed(show_waiting, [held])


def test_a_message_shows_mail_draft_findings_and_the_next_step() -> None:
    """P115, P98a: recipients and findings stand there before the approval."""
    page = printed(show_message, detail(findings=[FINDING, FINDING | {"finding_id": "f2", "confirmable": False}]))
    for words in (
        "Reply to:   ana@customer.example", "Is it in stock?", "Draft, revision 0: Re: Lamp", "Yes, it is.",
        "finding f1: link: http://evil.example\n", "f2: link: http://evil.example (cannot be confirmed; edit the text)",
        "deskhand review approve 0000aaaa --revision 0",
    ):  # fmt: skip
        assert words in page


def test_an_offline_draft_says_so() -> None:
    """A template filled in is never taken for a model's draft."""
    assert "written offline from templates" in printed(show_message, detail(draft=DRAFT | {"offline_model": True}))


def test_no_escape_sequence_of_a_stranger_is_printed() -> None:
    """A body and a name may hold what a terminal would obey."""
    mail = detail()["message"] | {"text_body": "\x1b[2Jgone\x07", "from_name": "\x9b31mred\u202e"}
    page = printed(show_message, detail(message=mail)) + printed(show_waiting, [detail(message=mail)])
    assert not set(page) & set("\x1b\x07\x9b\u202e")


def test_an_approval_covers_what_was_shown() -> None:
    """OB1: revision, newest mail and recipients as the API showed them."""
    shown = detail()
    assert approval_of(shown, [], [], None) == shown["to_approve"] | {"confirmed_findings": []}


def test_an_open_finding_stops_the_approval() -> None:
    """P98a: findings are confirmed one by one, with a reason; otherwise nothing is sent to the API."""
    two = [FINDING, FINDING | {"finding_id": "f2"}]
    with pytest.raises(NotToApprove, match="f2: link"):
        approval_of(detail(), two, ["f1"], "known link")
    body = approval_of(detail(), two, ["f1", "f2"], "known link")
    assert (body["confirmed_findings"], body["reason"]) == (["f1", "f2"], "known link")


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"draft": None}, "review write"),
        ({"status": "sent"}, "is sent"),
        ({"status": None, "account": "poison"}, "is poison"),
    ],
)
def test_without_a_draft_there_is_nothing_to_approve(changed: Mapping[str, Any], words: str) -> None:
    """The message says what to do instead."""
    with pytest.raises(NotToApprove, match=words):
        approval_of(detail(**changed, to_approve=None), [], [], None)
