"""No link off the allow-list leaves unseen, however it is written: HL2-HL5, HM-20, HM-21, HW4."""

import pytest

from domain.outbound.allow import LinkRule, QueryRule
from domain.outbound.links import find_links, foreign_links

pytestmark = pytest.mark.walls

RULES = (
    LinkRule("shop.example", "/help"),
    LinkRule("*.docs.example", query=QueryRule.LISTED, names=frozenset({"page"})),
    LinkRule("open.example", query=QueryRule.ANY),
    LinkRule("b\u00fccher.example"),
)
PARTICIPANTS = frozenset({"anna@kunde.example"})


@pytest.mark.parametrize(
    "text",
    [
        "https://shop.example/help",
        "See https://shop.example/help/returns.",
        "(https://shop.example/help)",
        "shop.example/help",
        "HTTPS://SHOP.EXAMPLE/help",
        "https://shop.example:443/help",
        "https://a.docs.example/x?page=2",
        "https://open.example/a?x=1&y=2#part",
        "https://b\u00fccher.example/",
        "https://xn--bcher-kva.example/",
        "Write to anna@kunde.example, please",
        "mailto:Anna@Kunde.example",
        "Total 12.50 EUR, v1.2.3, e.g. this, z.B. das, 10:30, a/b, file.pdf, 3.4.2025",
        "Order #4711 (2 items): done",
        "[1] see below",
        "Dear Ms Miller,\n\nthank you.\n\n- item\n- item\n\nKind regards",
        "https://shop.example/help#top",
    ],
)
def test_allowed_text_has_no_foreign_link(text: str) -> None:
    """HL2, HM-21: links on the list, participants' addresses and ordinary words pass."""  # HL2, HM-21
    assert foreign_links(text, RULES, PARTICIPANTS) == ()


@pytest.mark.parametrize(
    "text",
    [
        "[help](https://evil.example/a)",
        "[help][1]\n\n[1]: https://evil.example",
        "Note[^1]\n\n[^1]: https://evil.example",
        "<https://evil.example>",
        "![pixel](https://evil.example/p.png)",
        "//evil.example/x",
        "https://shop.example@evil.example/help",
        "https://user:pw@shop.example/help",
        "https://sh\u043ep.example/help",
        "https://shop\u200b.example/help",
        "https://ev\u00ad\u200bil.example",
        "https://ev%69l.example",
        "https://2130706433/",
        "http://0x7f.1/",
        "https://127.0.0.1/",
        "https://[::1]/",
        "192.168.0.1/x",
        "data:text/html,hi",
        "cid:part1",
        "javascript:alert(1)",
        "vbscript:x",
        "file:///etc/passwd",
        "blob:https://shop.example/1",
        "https&#58;//evil.example",
        "https&colon;//evil.example",
        "https://evil\uff0eexample",
        "https://evil\u3002example",
        "evil.example",
        "EVIL.EXAMPLE",
        "evil\u3002example",
        "www.evil.example",
        "http://shop.example/help",
        "ftp://shop.example/help",
        "https:evil.example",
        "https:/evil.example/x",
        "https:\\\\evil.example",
        "https://shop.example\\@evil.example/help",
        "\uff28\uff34\uff34\uff30\uff33://evil.example",
        "hxxps://evil.example",
        "tel:+49123456",
        "https://localhost/help",
        "https://shop.example./help",
        "xn--80ak6aa92e.com",
        "x@evil.example",
        "mailto:x@evil.example",
        "mailto:anna@kunde.example?bcc=x@evil.example",
        "mailto:anna@kunde.example,x@evil.example",
        "[x](/relative/path)",
        "ev\u0456l.example/a",
        "https://shop.example%2fevil.example/",
        "https://shop.example/help https://evil.example",
        "https://evil.example/https://shop.example/help",
    ],
)
def test_link_corpus_has_no_escape(text: str) -> None:
    """HM-20: Markdown forms, images, //host, userinfo, IDN, zero-width, percent, IP, schemes, entities, dots."""
    # HM-20, HL3, HL4
    assert foreign_links(f"Hello, {text} and more", RULES, PARTICIPANTS) or foreign_links(text, RULES, PARTICIPANTS)


@pytest.mark.parametrize(
    "text",
    [
        "https://shop.example.evil.test/help",
        "https://evilshop.example/help",
        "https://shop.example:8443/help",
        "https://shop.example/redirect?url=x",
        "https://shop.example/help?d=4711",
        "https://shop.example/helpful",
        "https://shop.example/help/../admin",
        "https://shop.example/help/%2e%2e/admin",
        "https://shop.example/help//evil",
        "https://shop.example/",
        "https://docs.example/x",
        "https://a.docs.example/x?d=4711",
        "https://a.docs.example/x?page=1&d=2",
        "https://open.example/?next=https://evil.example",
        "https://open.example/?u=%2F%2Fevil.example",
        "https://sub.shop.example/help",
        "https://docs.example.evil.test/",
    ],
)
def test_near_misses_of_the_list_are_refused(text: str) -> None:
    """HM-21: label borders, ports, paths, queries and redirects."""  # HM-21, HL2
    assert foreign_links(text, RULES, PARTICIPANTS)


def test_links_show_their_host_in_a_label_form() -> None:
    """HL5: a person sees the host as the net does, with what is wrong about it."""  # HL5
    (link,) = foreign_links("https://sh\u043ep.example/help", RULES, frozenset())
    assert link.host == "xn--shp-ted.example" and "mixed_scripts" in link.defects
    assert (link.start, link.end) == (0, 25)


def test_spans_point_at_the_link_without_the_sentence_around_it() -> None:
    """P98a: offsets are those of the written link, brackets and full stops left out."""  # P98a
    text = "Look (at https://evil.example/a_(b)), or evil.example!"
    assert [text[link.start : link.end] for link in find_links(text)] == ["https://evil.example/a_(b)", "evil.example"]


@pytest.mark.parametrize(
    ("rule", "warnings"),
    [
        (LinkRule("shop.example", "/help"), ()),
        (LinkRule("shop.example", "/redirect"), ("redirector",)),
        (LinkRule("shop.example", query=QueryRule.LISTED, names=frozenset({"url"})), ("redirector",)),
        (LinkRule("shop.example", query=QueryRule.ANY), ("any_query",)),
        (LinkRule("*.example"), ("whole_suffix",)),
    ],
)
def test_risky_rules_are_warned_about(rule: LinkRule, warnings: tuple[str, ...]) -> None:
    """HL2: redirector paths, open queries and whole suffixes are told when entered."""  # HL2
    assert rule.warnings() == warnings


@pytest.mark.parametrize(
    "worst",
    [
        "a." * 60_000,
        "://" * 60_000,
        "http://" * 30_000,
        "[" * 100_000,
        "a@" * 60_000,
        "a@a." * 40_000,
        "[x](" * 20_000,
        "x.de " * 10_000,
        "a:" * 60_000,
        "data:" * 30_000,
        "/" * 200_000,
        "-." * 60_000,
        "(" * 100_000,
        "https://x.example/" + ")" * 50_000,
    ],
)
def test_worst_case_text_is_searched_in_one_pass(worst: str) -> None:
    """HM-36: the search comes to an end on floods of half links."""  # HM-36
    assert isinstance(find_links(worst), tuple)
