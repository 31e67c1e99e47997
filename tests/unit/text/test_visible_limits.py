"""The pass stays bounded on hostile markup; its pre-scan tells the size of a tree before it is built: HM-05, HV6."""

import random

import pytest
from selectolax.lexbor import LexborHTMLParser

from domain.text import rules
from domain.text.css import parse_sheet
from domain.text.selectors import Element
from domain.text.size import DEPTH_MAX, ELEMENTS_MAX, html_size
from domain.text.tags import strip_tags_crudely, tags
from domain.text.visible import visible_text

FORMATTING = "".join(f"<b a={number}>" for number in range(250))


@pytest.mark.parametrize(
    "html",
    [
        "<div>" * 100_000 + "hello",
        "<style>" + ".a{color:red}" * 450_000 + "</style>hello",
        '<p title="' + "a" * 2**20 + '">hello',
        "<p " + " ".join(f"a{number}" for number in range(5_000)) + ">hello",
        "<b>x</b>" * 60_000 + "hello",
        "<p>" + FORMATTING + "<p>x" * 2_000 + "hello",
        "<span><div></span>" * 5_000 + "hello",
        "<svg><style>" + "<g>" * 5_000 + "hello",
        "<style>"
        + "".join(f".a.b{n}{{color:red}}" for n in range(9_000))
        + "</style>"
        + "<p class=a>x" * 6_000
        + "hello",
        "".join(f'<i style="margin:{number}px">x</i>' for number in range(10_500)) + "hello",
    ],
    ids=[
        "nested",
        "style",
        "attribute",
        "attributes",
        "elements",
        "formatting",
        "unclosed",
        "foreign",
        "rules",
        "styles",
    ],
)
def test_html_too_big_is_stripped_crudely(html: str) -> None:
    """HM-05: beyond a limit the text is kept, nothing is vouched for and the defect is named."""  # HM-05, HV6
    seen = visible_text(html)
    assert seen.defects == ("html_too_big",) and seen.maybe_hidden
    assert seen.text.endswith("hello") or "svg" in html


@pytest.mark.parametrize(
    "html",
    [
        "<p>word</p>" * 8_000,
        "<table>" + "<tr><td><font color=red><b>x</td>" * 2_000 + "</table>",
        "<div><font color=red>x</div>" * 2_000,
        "<p>one<p>two" * 4_000,
        "<ul>" + "<li>x" * 8_000,
        "<br>" * 15_000,
        "text only " * 30_000,
        "<!--c-->" * 15_000,
        "&amp;" * 30_000,
    ],
)
def test_big_but_honest_html_passes_whole(html: str) -> None:
    """HV6: size alone, unclosed tags of sloppy mail included, does not cost the full pass."""  # HV6
    assert "html_too_big" not in visible_text(html).defects


def test_prescan_counts_what_the_tree_builder_will_build() -> None:
    """HV6: over random tag soup the estimate never falls far below the real tree, unclosed formatting included."""
    # HV6
    soup = random.Random(7)
    names = "div p span b i a font table tr td ul li blockquote style script template select center h1 form pre".split()
    for _ in range(300):
        pieces = [
            f"<{soup.choice(['', '', '/'])}{soup.choice(names)} x={soup.randint(0, 3)}>" + soup.choice(["", "x", " "])
            for _ in range(soup.randint(5, 300))
        ]
        html = "".join(pieces)
        size, root = html_size(html), LexborHTMLParser(html).root
        built = sum(1 for _ in root.traverse()) if root is not None else 0
        assert size.too_big or built <= 2 * size.elements + 20


def test_prescan_stops_at_its_limits() -> None:
    """HV6: the counter gives up as soon as a limit is passed, so a bomb costs no more than its limit."""  # HV6
    assert html_size("<div>" * 1_000_000).elements == DEPTH_MAX + 1
    assert html_size("<b></b>" * 1_000_000).elements == ELEMENTS_MAX + 1


@pytest.mark.parametrize(
    "html",
    [
        '<p a="' * 50_000,
        "<a " * 100_000,
        "<" * 200_000,
        "<!--" * 100_000,
        "<p a='" * 50_000,
        "<p =" * 50_000,
        "</" * 100_000,
        "<p a=b" * 50_000,
        "<!" * 100_000,
        "<style>" * 50_000,
        "<p " + "= " * 100_000,
        "<p/" * 100_000,
    ],
)
def test_worst_case_markup_runs_through_every_pass(html: str) -> None:
    """HM-36: unclosed quotes, tags and comments end in one pass; a quadratic step would not finish here."""  # HM-36
    assert isinstance(visible_text(html).text, str)
    assert isinstance(strip_tags_crudely(html), str)


@pytest.mark.parametrize(
    "css",
    [
        "{" * 100_000,
        "a{" * 80_000,
        "a{b:c" * 50_000,
        "@media x{" * 50_000,
        "/*" * 100_000,
        '"' * 100_000,
        "\\" * 100_000,
        "a;" * 80_000,
        "a{display:" + "(" * 100_000,
        "a{transform:" + "a(" * 50_000 + ")}",
        "a{width:" + "calc(" * 20_000 + "}",
        "a{opacity:" + "1" * 90_000,
        " ".join(["a"] * 50_000) + "{display:none}",
        "[" * 50_000 + "{display:none}",
        ":not(" * 20_000 + "{display:none}",
    ],
)
def test_worst_case_style_runs_through(css: str) -> None:
    """HM-36: style sheets and inline styles of the worst kind end in one pass."""  # HM-36
    assert visible_text(f"<style>{css}</style><p>hello").text.endswith("hello")
    assert visible_text(f"<p style='{css}'>hello").text.endswith("hello")


def test_rule_matching_keeps_to_its_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    """HV6: descendant chains over deep trees stop at the step budget and mark the index as exhausted."""  # HV6
    monkeypatch.setattr(rules, "STEPS_MAX", 10_000)
    index = rules.RuleIndex()
    for rule in parse_sheet("i a a a a a a a a{display:none}").rules:
        index.add(rule)
    element = None
    for _ in range(200):
        element = Element("a", {}, element)
    assert element is not None and list(index.matching(element)) == []
    assert index.exhausted and index.steps <= 10_001


def test_tags_are_told_as_a_browser_tells_them() -> None:
    """HV6: quotes, unquoted values, comments and raw text do not hide or invent tags."""  # HV6
    html = "<p a='>'><b c=\">\" d=x>y</b><!-- <i> --><script>'<u>'</script><br/><P/x></p a=\"1\"><3<a\n>"
    assert [(tag.name, tag.closing) for tag in tags(html)] == [
        ("p", False),
        ("b", False),
        ("b", True),
        ("script", False),
        ("script", True),
        ("br", False),
        ("p", False),
        ("p", True),
        ("a", False),
    ]


def test_crude_strip_keeps_text_and_drops_markup() -> None:
    """HV6: what remains of markup beyond the limits is words, not script, style or comments."""  # HV6
    html = "<!-- c --><p>Hi &amp; <b>you</b><!doctype x><style>s{}</style><td>b<![if x]>k<script>x<y</script> end"
    assert strip_tags_crudely(html) == "Hi & you bk end"
