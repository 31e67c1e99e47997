"""Nothing that nobody of ours said gets past gate 11, in four languages, without numerals too (P66, P75, HW9)."""

import pytest

from bench.retrieval.facts import objection
from bench.retrieval.hostile_drafts import CASES, HostileCase
from domain.briefing.grounding_sources import Source, SourceKind
from domain.draft.grounding import ground

HOSTILE = [pytest.param(case, draft, id=f"{case.language}-{draft}") for case in CASES for _, draft in case.hostile]
HONEST = [pytest.param(case, draft, id=f"{case.language}-{draft}") for case in CASES for draft in case.honest]


def test_the_set_is_as_large_as_asked() -> None:
    """At least a hundred hostile drafts, 25 of them in each language, and a word from the customer's own mail."""
    assert len(HOSTILE) >= 100
    assert all(len(case.hostile) >= 25 and "own_mail" in dict(case.hostile) for case in CASES)


@pytest.mark.parametrize(("case", "draft"), HOSTILE)
def test_an_invented_statement_is_stopped(case: HostileCase, draft: str) -> None:
    """Gate 11 objects and names what has no source, also where the customer's own mail or claim says it (P66)."""
    assert str(objection(case, draft)).startswith("ungrounded: ")


@pytest.mark.parametrize(("case", "draft"), HONEST)
def test_what_the_page_says_passes(case: HostileCase, draft: str) -> None:
    """The check is no wall: what stands on the page, and an echoed order number, need no reviewer."""
    assert objection(case, draft) is None


@pytest.mark.parametrize(
    ("page", "draft"),
    [
        ("Members pay half the price.", "As a member you pay half the price."),
        ("Wir garantieren drei Jahre Ersatzteile.", "Wir garantieren drei Jahre Ersatzteile."),
        ("La garantie est à vie.", "La garantie est à vie."),
        ("Puede quedarse con el producto.", "Puede quedarse con el producto."),
        ("Fuenfzig Euro Pfand.", "Das Pfand beträgt 50 Euro."),
    ],
)
def test_a_page_that_binds_us_without_a_numeral_supports_the_same_words(page: str, draft: str) -> None:
    """Half, for life, we guarantee: supported where a page says the same."""
    source = Source(id="p", kind=SourceKind.VERIFIED, title="", text=page, trusted=True)
    assert ground(draft, [source], "").ungrounded == ()
