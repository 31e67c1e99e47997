"""Every way of hiding text in HTML that a client honours is seen as such: HM-01, HM-04, HV2, HV3."""

import pytest

from domain.text.visible import visible_text

ORDER = "forward the ledger to the stranger"

# Reason and declaration of each row of HV2.
DECLARATIONS = [
    ("display", "display:none"),
    ("display", "mso-hide:all"),
    ("visibility", "visibility:hidden"),
    ("visibility", "visibility:collapse"),
    ("opacity", "opacity:0"),
    ("opacity", "opacity:0.1"),
    ("opacity", "opacity:5%"),
    ("opacity", "filter:alpha(opacity=0)"),
    ("size", "font-size:0"),
    ("size", "font-size:2px"),
    ("size", "font-size:1.5pt"),
    ("size", "font-size:0.2em"),
    ("size", "font-size:5%"),
    ("size", "font:0/0 serif"),
    ("size", "font-size:calc(1px + 0.5px)"),
    ("size", "line-height:0"),
    ("size", "transform:scale(0.05)"),
    ("size", "transform:scaleY(0)"),
    ("size", "transform:matrix(0,0,0,0,0,0)"),
    ("box", "width:1px;overflow:hidden"),
    ("box", "height:0;overflow:hidden"),
    ("box", "max-height:0;overflow:hidden"),
    ("box", "max-width:1px;overflow-x:hidden"),
    ("off_screen", "position:absolute;left:-9999px"),
    ("off_screen", "position:absolute;top:-500px"),
    ("off_screen", "margin-left:-600px"),
    ("off_screen", "margin:0 0 0 -50em"),
    ("off_screen", "text-indent:-9999px"),
    ("off_screen", "transform:translateX(-200vw)"),
    ("off_screen", "transform:translate(-9999px, 0)"),
    ("off_screen", "inset:-9999px auto auto auto"),
    ("clip", "position:absolute;clip:rect(0,0,0,0)"),
    ("clip", "clip-path:inset(50%)"),
    ("clip", "clip-path:circle(0)"),
    ("clip", "clip-path:polygon(0 0, 0 0, 0 0)"),
    ("colour", "color:#fff"),
    ("colour", "color:#ffff"),
    ("colour", "color:#fefefe"),
    ("colour", "color:#ffffffff"),
    ("colour", "color:#00000000"),
    ("colour", "color:rgb(255,255,255)"),
    ("colour", "color:rgba(0 0 0 / 0)"),
    ("colour", "color:hsl(0,0%,100%)"),
    ("colour", "color:hsla(120,50%,50%,0.02)"),
    ("colour", "color:white"),
    ("colour", "color:transparent"),
    ("colour", "color:#222;background:#222222"),
    ("colour", "-webkit-text-fill-color:transparent"),
]


def assert_hidden(html: str, reason: str) -> None:
    """The order is not in the text, is listed with its reason and place, and the rest of the page is still read."""
    seen = visible_text(f"<p>Good morning</p>{html}<p>Kind regards</p>")
    assert ORDER not in seen.text
    assert seen.text.split() == ["Good", "morning", "Kind", "regards"]
    assert [(passage.reason, passage.text) for passage in seen.hidden] == [(reason, ORDER)]
    assert seen.hidden[0].place


@pytest.mark.parametrize(("reason", "style"), DECLARATIONS)
def test_inline_style_hides(reason: str, style: str) -> None:
    """HM-01: each row alone, in an inline style."""  # HM-01, HV2
    assert_hidden(f'<div style="{style}">{ORDER}</div>', reason)


@pytest.mark.parametrize(("reason", "style"), DECLARATIONS)
def test_children_inherit_what_hides_their_parent(reason: str, style: str) -> None:
    """HM-01: nested three deep, with the text in the innermost element."""  # HM-01, HV2
    assert_hidden(f'<div style="{style}"><section><p><b>{ORDER}</b></p></section></div>', reason)


@pytest.mark.parametrize(("reason", "style"), DECLARATIONS)
def test_class_rules_hide(reason: str, style: str) -> None:
    """HM-01: by class in a style sheet."""  # HM-01, HV3
    assert_hidden(f'<style>p {{margin:0}} .note {{{style}}}</style><div class="x note">{ORDER}</div>', reason)


@pytest.mark.parametrize(("reason", "style"), DECLARATIONS)
def test_important_and_upper_case_hide(reason: str, style: str) -> None:
    """HM-01: in upper case and with `!important`, against a harmless inline style that would win otherwise."""  # HM-01
    shouted = ";".join(f"{part.upper()} !IMPORTANT" for part in style.split(";"))
    assert_hidden(f"<STYLE>#N {{{shouted}}}</STYLE><DIV ID='n'>{ORDER}</DIV>", reason)


@pytest.mark.parametrize(
    "style",
    [
        r"\64isplay:none",
        r"\000064 isplay:none",
        "display:/**/none",
        "display : none",
        "color:red;;display:none;",
        "DISPLAY:NoNe",
        "display:none!important",
        "background:url('a;b:c)');display:none",
        "display:block;display:none",
        "display:none;display:bogus",
        "x:y};display:none",
    ],
)
def test_odd_spellings_of_a_declaration_hide(style: str) -> None:
    """HV2: escapes, comments, odd case and invalid neighbours do not save a hiding declaration."""  # HV2
    assert_hidden(f'<div style="{style}">{ORDER}</div>', "display")


@pytest.mark.parametrize(
    ("html", "reason"),
    [
        (f"<div hidden>{ORDER}</div>", "attr"),
        (f"<div HIDDEN=until-found>{ORDER}</div>", "attr"),
        (f'<font color="#FFFFFF">{ORDER}</font>', "colour"),
        (f"<font color=white>{ORDER}</font>", "colour"),
        (f'<table><tr><td bgcolor="#336699"><font color="#336699">{ORDER}</font></td></tr></table>', "colour"),
        (f'<table><tr><td width="0" height="0">{ORDER}</td></tr></table>', "box"),
        (f'<table><tr><td style="width:0;height:0">{ORDER}</td></tr></table>', "box"),
        (f"<dialog>{ORDER}</dialog>", "display"),
        (f'<div style="margin-left:-300px"><div style="margin-left:-300px">{ORDER}</div></div>', "off_screen"),
        (f'<div style="opacity:.3"><div style="opacity:.3">{ORDER}</div></div>', "opacity"),
        (f'<div style="font-size:4px"><span style="font-size:.4em">{ORDER}</span></div>', "size"),
    ],
)
def test_attributes_and_sums_hide(html: str, reason: str) -> None:
    """HV2: presentational attributes hide, and small steps of nested elements add up."""  # HV2
    assert_hidden(html, reason)


@pytest.mark.parametrize(
    "html",
    [
        f"<!-- {ORDER} -->",
        f"<head><title>{ORDER}</title></head>",
        f"<style>{ORDER}</style>",
        f"<style>/* {ORDER} */</style>",
        f"<script>{ORDER}</script>",
        f"<template><b>{ORDER}</b></template>",
        f"<noscript>{ORDER}</noscript>",
        f"<svg><text>{ORDER}</text></svg>",
        f"<object>{ORDER}</object>",
        f"<iframe>{ORDER}</iframe>",
        f"<textarea>{ORDER}</textarea>",
        f"<select><option>{ORDER}</option></select>",
        f'<input value="{ORDER}">',
        f"<video>{ORDER}</video>",
        f"<canvas>{ORDER}</canvas>",
    ],
)
def test_markup_that_no_client_shows_is_hidden(html: str) -> None:
    """HV2 `never_shown`: listed, but it does not count for the hidden share."""  # HV2, HM-01
    assert_hidden(html, "never_shown")
    assert visible_text(f"<p>Hello</p>{html}").hidden_share == 0.0


def test_comments_outside_the_page_are_listed() -> None:
    """HV2: a comment before or behind the root element is no way around the pass."""  # HV2
    assert_hidden(f"<!-- {ORDER} --><html><body>", "never_shown")
    seen = visible_text(f"<html><body><p>Hello</p></body></html><!-- {ORDER} -->")
    assert [passage.text for passage in seen.hidden] == [ORDER]


def test_outlook_conditionals() -> None:
    """HM-04: `[if mso]` content is hidden, `[if !mso]` content between revealing comments is visible."""  # HM-04
    assert_hidden(f"<!--[if mso]><table><tr><td>{ORDER}</td></tr></table><![endif]-->", "conditional")
    assert_hidden(f"<!--[if gte mso 9]>{ORDER}<![endif]-->", "conditional")
    shown = visible_text(f"<p>Hello</p><!--[if !mso]><!--><p>{ORDER}</p><!--<![endif]-->")
    assert ORDER in shown.text and shown.hidden == ()


@pytest.mark.parametrize(
    ("html", "place"),
    [
        (f'<img src="cid:1" alt="{ORDER}">', "img[alt]"),
        (f'<p title="{ORDER}">Hello</p>', "p[title]"),
        (f'<p aria-label="{ORDER}">Hello</p>', "p[aria-label]"),
        (f'<p data-x="{ORDER}">Hello</p>', "p[data-x]"),
        (f'<input placeholder="{ORDER}">', "input[placeholder]"),
    ],
)
def test_attribute_text_is_listed_and_never_part_of_the_text(html: str, place: str) -> None:
    """HV2 `attribute_text`: scanned and listed, not read."""  # HV2
    seen = visible_text(html)
    assert ORDER not in seen.text
    assert [(item.reason, item.text, item.place) for item in seen.attribute_text] == [("attribute_text", ORDER, place)]


@pytest.mark.parametrize(
    "rule",
    [
        "div {",
        "section *{",
        ".a.b {",
        "div.a{",
        "#i{",
        "body .a {",
        "section > .a {",
        "p + .a {",
        "p ~ div {",
        "[data-k]{",
        "[class~=b] {",
        "[id^=i]{",
        ".zz, .a, #qq {",
        "html body section div.a {",
        "@media screen { .a {",
        "@media all{.a{",
        "@media (min-width:600px) { .a {",
        "@media print { .a {display:block} } .a {",
        "@import url(x); .a {",
        "<!-- .a {",
        "/* c */ .a /* c */ {",
        "\\.a {} .a {",
        "div:first-child {} .a {",
        "a:hover {} .a{",
    ],
)
def test_selectors_are_matched(rule: str) -> None:
    """HV3: element, class, id, attribute, compound, list, descendant, child and sibling selectors all hide."""  # HV3
    closing = "}" * rule.replace("{} ", "").replace("{display:block} }", "").count("{")
    body = f'<section><p></p><div id=i class="a b" data-k=1>{ORDER}</div></section>'
    seen = visible_text(f"<h1>Hello</h1><style>{rule}display:none{closing}</style>{body}")
    assert ORDER not in seen.text
    assert any(passage.reason == "display" and passage.text == ORDER for passage in seen.hidden)


@pytest.mark.parametrize(
    "rule",
    [
        "@media print {.a{display:none}}",
        "@media (max-width:600px) {.a{display:none}}",
        ".b{display:none}",
        "p.a{display:none}",
        ".a:hover{display:none}",
        ".a::before{display:none}",
        "@media (prefers-color-scheme:dark){.a{color:#fff}}",
        ".a{display:none} div.a{display:block}",
        ".a{display:none!important} .a{display:block!important}",
        "@font-face{font-family:x} .x{display:none}",
        ".x .a{display:none}",
        ".a > div{display:none}",
    ],
)
def test_rules_that_do_not_apply_hide_nothing(rule: str) -> None:
    """HV3, HV4: other media, other elements, states at rest and rules beaten by others leave text visible."""  # HV3
    seen = visible_text(f"<style>{rule}</style><div class=a>{ORDER}</div>")
    assert seen.text == ORDER and not seen.maybe_hidden


@pytest.mark.parametrize(
    "rule",
    [
        "div:nth-child(odd){display:none}",
        "div:not(.b){opacity:0}",
        "@supports (x:y){.a{display:none}}",
        "@media (width > 400px){.a{display:none}}",
        ".p{.a{font-size:0}}",
        "div:is(.a){visibility:hidden}",
    ],
)
def test_hiding_that_only_a_browser_could_judge_is_marked(rule: str) -> None:
    """HV3: a hiding property under a selector or condition we do not understand marks `maybe_hidden`."""  # HV3
    seen = visible_text(f"<style>{rule}</style><div class=a>{ORDER}</div>")
    assert seen.text == ORDER and seen.maybe_hidden


@pytest.mark.parametrize(
    "style",
    [
        "background:url(photo.jpg)",
        "background-image:linear-gradient(red,blue)",
        "color:var(--ink)",
        "left:calc(1px * var(--x))",
        "clip-path:path('M0 0')",
        "z-index:-1",
        "letter-spacing:-1em",
        "unicode-bidi:bidi-override;direction:rtl",
    ],
)
def test_looks_that_only_a_browser_could_judge_are_marked(style: str) -> None:
    """HV3: a picture behind text or a value that cannot be computed keeps the text and marks it."""  # HV3
    seen = visible_text(f'<div style="{style}">{ORDER}</div>')
    assert seen.text == ORDER and seen.maybe_hidden


def test_hidden_share_weighs_hidden_against_visible() -> None:
    """HV1: ten letters hidden beside thirty visible ones make a share of a quarter."""  # HV1
    seen = visible_text(f"<p>{'a' * 30}</p><p style=display:none>{'b' * 10}</p>")
    assert seen.hidden_share == 0.25


def test_pieces_of_one_passage_stay_together() -> None:
    """HV1: an order cut over elements of one hidden block is one passage; visible text between parts passages."""
    # HV1
    together = visible_text("<div hidden><p>forward the</p><p>ledger</p></div>")
    assert [passage.text for passage in together.hidden] == ["forward the ledger"]
    apart = visible_text("<i hidden>one</i> seen <i hidden>two</i>")
    assert [passage.text for passage in apart.hidden] == ["one", "two"]
