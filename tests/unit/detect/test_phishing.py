"""Links that lie are phishing, links of ordinary mail are not: A50, P55, HS4."""

import pytest

from domain.detect.phishing import PhishingFacts, PhishingVerdict, phishing
from domain.detect.scan import evidence_hash

OWN = frozenset({"deskhand.example"})
KNOWN = frozenset({"kunde.example", "kundschaft.example"})


def judge(**facts: object) -> PhishingVerdict:
    """The verdict with our domain and one contact's known."""
    return phishing(PhishingFacts(own_hosts=OWN, known_hosts=KNOWN, **facts))  # type: ignore[arg-type]


def link(target: str, text: str) -> str:
    """One anchor."""
    return f'<p>Dear customer,</p><a href="{target}">{text}</a>'


@pytest.mark.parametrize(
    "facts",
    [
        {"html": link("https://evil.example/login", "https://www.bank.example/login")},
        {"html": link("https://evil.example/", "https://www.bank.example")},
        {"html": link("https://evil.example/x", "paypal.com")},
        {"html": link("https://evil.example/x", "<b>www.desk</b>hand.example")},
        {"html": link("https://www.bank.example@evil.example/", "Your statement")},
        {"html": link("javascript:steal()", "Open")},
        {"html": '<form action="https://evil.example"><input type="password"></form>'},
        {"text": "See http://paypal.com.secure-login.example/verify"},
        {"text": "See https://deskhamd.example/order"},
        {"text": "See https://p\u0430ypal.example"},
        {"text": "See http://192.0.2.7/login"},
        {"text": "Your mailbox will be suspended. Please verify your account: https://evil.example/x"},
        {"text": "Ihr Konto wird gesperrt. Bitte best\u00e4tigen Sie Ihre Daten: https://evil.example/x"},
        {"text": "Votre compte sera bloqu\u00e9 : confirmez votre identit\u00e9 https://evil.example/x"},
        {"text": "Su cuenta ser\u00e1 bloqueada: confirme sus datos en https://evil.example/x"},
    ],
)
def test_one_clear_phishing_link_quarantines(facts: dict[str, str]) -> None:
    """A50: alone it is enough, with a confidence above 0 and evidence that shows the link."""  # A50
    verdict = judge(**facts)
    assert verdict.detected and verdict.confidence >= 0.70
    assert verdict.evidence and all(item.family == "phishing" and item.snippet for item in verdict.evidence)


@pytest.mark.parametrize(
    "facts",
    [
        {"html": link("https://shop.example/news", "Read more")},
        {"html": link("https://www.shop.example/news", "shop.example")},
        {"html": link("https://shop.example/a", "https://shop.example/very/long/...")},
        {
            "html": "".join(
                link(f"https://click.mailer.example/{n}", t)
                for n, t in enumerate(["www.shop.example", "Sale", "Unsubscribe"])
            ),
            "text": "News of May. Unsubscribe",
        },
        {
            "html": link(
                "https://eur01.safelinks.protection.outlook.com/?url=https%3A%2F%2Fshop.example", "https://shop.example"
            )
        },
        {"html": link("https://firma-gruppe.example/", "www.firma.example")},
        {"html": link("mailto:a@kunde.example", "a@kunde.example")},
        {"html": link("https://shop.co.uk/", "https://shop.com")},
        {"text": "How do I verify my account? I read https://www.deskhand.example/help"},
        {"text": "I clicked https://shop.example/login and it fails, see https://bit.ly/3x"},
        {"text": "My router is at http://192.168.0.1/ and does not answer"},
        {"text": "Track it: https://www.dhl.de/track and https://www.amazon.de/order and https://kunde.example"},
        {"text": "Please confirm your e-mail address: https://news.example/c/1"},
        {"text": ""},
    ],
)
def test_ordinary_links_do_not(facts: dict[str, str]) -> None:
    """A50: newsletters, gateways, signatures, support questions and parcel links stay below the verdict."""  # A50
    assert not judge(**facts).detected


def test_a_reported_phish_is_no_verdict() -> None:
    """HM-10: mail that forwards an attack for our attention is flagged by its evidence, not held."""  # HM-10
    html = link("https://evil.example/login", "https://www.bank.example/login")
    verdict = judge(html=html, reported=True)
    assert not verdict.detected and 0 < verdict.confidence < 0.70 and verdict.evidence


def test_a_neighbour_of_a_contact_only_flags() -> None:
    """HS4: a host one letter from a contact's may be honest; one letter from ours is not."""  # HS4
    assert judge(text="https://kundschaff.example").confidence == 0.5
    assert judge(text="https://deskhnd.example").detected


def test_facts_for_the_spam_score() -> None:
    """P58: how many links, whether one lies, whether a host is a shortener or a look-alike."""  # P58
    lying = judge(html=link("https://evil.example/", "https://www.bank.example") + link("https://bit.ly/x", "here"))
    assert (lying.links, lying.link_mismatch, lying.suspicious_host) == (2, True, True)
    plain = judge(text="https://shop.example/a and https://shop.example/b")
    assert (plain.links, plain.link_mismatch, plain.suspicious_host) == (2, False, False)


def test_release_exempts_the_overruled_link() -> None:
    """P61: the same link does not stop the mail again, another one does."""  # P61
    facts = PhishingFacts(text="See https://deskhamd.example/order", own_hosts=OWN)
    overruled = frozenset((item.detector, evidence_hash(item)) for item in phishing(facts).evidence)
    assert not phishing(facts, bypassed=overruled).detected
    other = PhishingFacts(text=facts.text + " https://dekshand.example", own_hosts=OWN)
    assert phishing(other, bypassed=overruled).detected


@pytest.mark.parametrize(
    "facts",
    [
        {"text": "x.de " * 100_000},
        {"text": "verify your account " * 20_000},
        {"html": link("https://e.example/login", "https://b.example") * 3_000},
        {"html": "<div>" * 50_000},
        {"html": f'<a href="{"x." * 50_000}">{"y." * 50_000}</a>'},
        {"text": "http://" * 50_000},
    ],
)
def test_worst_case_links_are_judged_in_one_pass(facts: dict[str, str]) -> None:
    """HM-36: floods of links and giant links come to an end."""  # HM-36
    assert 0.0 <= judge(**facts).confidence <= 1.0
