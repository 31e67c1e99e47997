"""The spam score and who may be archived by it: P58, A47-A49."""

import pytest

from domain.detect.lures import lures_in
from domain.detect.packs.lures import LISTS
from domain.detect.spam import SpamFacts, is_dangerous_name, spam_score
from domain.text.visible import visible_text
from tests.unit.detect.corpus import LANGUAGES, lines

SCAM = "You have won the lottery. Claim your prize of two million dollars by Western Union."


def points(facts: SpamFacts) -> dict[str, int]:
    """Points by family."""
    families: dict[str, int] = {}
    for item in spam_score(facts)[1]:
        families[item.family] = families.get(item.family, 0) + item.points
    return families


def test_rage_is_not_spam() -> None:
    """A47: a furious mail in capitals with twenty marks and much pressure gets at most 40 points."""  # A47
    facts = SpamFacts(
        subject="WHERE IS MY ORDER",
        text="I WANT IT NOW" + "!" * 20 + " Urgent! Answer immediately, at once, without delay. Last warning!",
    )
    score, evidence, may_archive = spam_score(facts)
    assert score == 40 and not may_archive
    assert points(facts) == {"tone": 40} and sum(item.points for item in evidence) == 40


@pytest.mark.parametrize(
    ("facts", "family", "expected"),
    [
        (SpamFacts(subject="CHEAP LAMPS"), "tone", 15),
        (SpamFacts(subject="HELLO"), "tone", 0),
        (SpamFacts(subject="4711 / 4712"), "tone", 0),
        (SpamFacts(text="Hi!!!!"), "tone", 10),
        (SpamFacts(text="Hi!!!"), "tone", 0),
        (SpamFacts(text="Urgent, answer immediately"), "tone", 20),
        (SpamFacts(text="urgent urgent URGENT"), "tone", 10),
        (SpamFacts(text="You have won the lottery"), "scam", 40),
        (SpamFacts(text="Sie haben gewonnen, eine Erbschaft"), "scam", 40),
        (SpamFacts(text="Vous avez gagn\u00e9 \u00e0 la loterie"), "scam", 40),
        (SpamFacts(text="Ha ganado la loter\u00eda"), "scam", 40),
        (SpamFacts(links=11), "link", 15),
        (SpamFacts(links=10), "link", 0),
        (SpamFacts(link_mismatch=True), "link", 25),
        (SpamFacts(suspicious_host=True), "link", 10),
        (SpamFacts(text="Buy now, special offer, unsubscribe here"), "bulk", 30),
        (SpamFacts(dmarc_failed=True), "sender", 20),
        (SpamFacts(display_name_spoof=True), "sender", 20),
        (SpamFacts(first_contact=True), "sender", 5),
        (SpamFacts(attachment_names=("invoice.pdf.exe", "b.exe")), "file", 30),
        (SpamFacts(answered_before=True), "credit", -40),
        (SpamFacts(in_existing_thread=True), "credit", -20),
    ],
)
def test_points_of_each_reason(facts: SpamFacts, family: str, expected: int) -> None:
    """P58: the table of points, each named reason once."""  # P58
    assert points(facts).get(family, 0) == expected


def test_score_is_clamped_and_every_point_is_named() -> None:
    """P58: 0 to 100; the evidence adds up to the score before clamping."""  # P58
    assert spam_score(SpamFacts(answered_before=True))[0] == 0
    score, evidence, _ = spam_score(SpamFacts(text=SCAM + " Buy now", links=20, link_mismatch=True, dmarc_failed=True))
    assert score == 100 and all(item.name and item.points for item in evidence)


def test_archiving_needs_80_points_from_two_families_but_tone() -> None:
    """A48: 79 goes on, 80 from two families is archived, one family or a known correspondent never is."""  # A48, P58
    four_scams = "You have won. Lottery. Inheritance. Western Union."
    below = SpamFacts(text="You have won. Lottery. Inheritance.", links=11)
    assert spam_score(below)[0] == 75 and not spam_score(below)[2]
    assert spam_score(SpamFacts(text="You have won. Lottery. Inheritance.", link_mismatch=True))[::2] == (85, True)
    assert spam_score(SpamFacts(text=four_scams))[::2] == (80, False)
    assert spam_score(SpamFacts(text=four_scams, subject="URGENT REPLY"))[2] is False
    assert spam_score(SpamFacts(text=four_scams, first_contact=True))[::2] == (85, True)
    known = SpamFacts(text=four_scams + " Million dollars. Next of kin.", link_mismatch=True, answered_before=True)
    assert spam_score(known)[::2] == (100, False)


def test_an_html_only_scam_scores_like_its_text() -> None:
    """A49: markup, styles and hidden words change nothing."""  # A49
    seen = visible_text(f"<div><b>{SCAM.replace('. ', '.</b><br><b>')}</b></div><p hidden>buy now</p>")
    assert spam_score(SpamFacts(text=seen.text))[0] == spam_score(SpamFacts(text=SCAM))[0] == 100


@pytest.mark.parametrize("language", LANGUAGES)
def test_support_language_stays_far_below(language: str) -> None:
    """HF2: no ordinary line earns more than 30 points by its words."""  # HF2
    assert max(spam_score(SpamFacts(text=line))[0] for line in lines("benign", language)) <= 30


@pytest.mark.parametrize(
    ("name", "dangerous"),
    [
        ("setup.exe", True),
        ("invoice.pdf.exe", True),
        ("rechnung.pdf      .scr", True),
        ("a.JPG.js", True),
        ("x.lnk", True),
        ("scan.jpg.html", True),
        ("invoice.pdf", False),
        ("report.pdf.p7s", False),
        ("data.csv.gz", False),
        ("v1.2.docx", False),
        ("photo.jpg.jpg", False),
        ("Dr. Miller.pdf", False),
        ("", False),
        ("archive.tar.gz", False),
    ],
)
def test_dangerous_names(name: str, dangerous: bool) -> None:
    """P58: programs and names that hide their true ending, but not signed, packed or twice-named documents."""  # P58
    assert is_dangerous_name(name) is dangerous


def test_lures_are_told_in_the_words_of_the_mail() -> None:
    """P58: the evidence names what stood there, once each, through case and accents."""  # P58
    assert lures_in("YOU HAVE  WON!! you have won. Lottery", "scam") == {"scam": ("you have won", "lottery")}


@pytest.mark.parametrize("name", sorted(LISTS))
def test_lure_lists_hold_every_phrase_once(name: str) -> None:
    """P58: distinct phrases, so that none is paid twice."""  # P58
    assert len(LISTS[name]) == len(set(LISTS[name]))
