"""Ordinary mail loses nothing in the visible-text pass and stays readable: HM-02, HV4, HV5, MI11."""

import pytest

from domain.text.visible import clean_plain, visible_text

LETTER = "Your parcel leaves our house on Monday."


@pytest.mark.parametrize(
    "html",
    [
        f'<table bgcolor="#1a1a2e"><tr><td><font color="#ffffff">{LETTER}</font></td></tr></table>',
        f'<div style="background:#1a1a2e"><h1 style="color:#fff">{LETTER}</h1></div>',
        f'<style>.dark{{background-color:#111;color:white}}</style><div class="dark"><p>{LETTER}</p></div>',
        f'<body style="background:black" text="white"><p>{LETTER}</p></body>',
        f'<table><td bgcolor=#0066cc><a href="https://shop.example" style="color:#fff">{LETTER}</a></td></table>',
        f'<div style="color:white"><a href="https://shop.example">{LETTER}</a></div>',
        f'<div style="font-size:0"><span style="font-size:14px">{LETTER}</span></div>',
        f'<td style="line-height:0"><p style="line-height:20px">{LETTER}</p></td>',
        f'<div style="visibility:hidden"><p style="visibility:visible">{LETTER}</p></div>',
        f"<style>.m{{display:none}} @media (min-width:600px){{.m{{display:block}}}}</style><p class=m>{LETTER}</p>",
        f'<p style="color:windowtext;background:window;font:11pt Calibri, sans-serif">{LETTER}</p>',
        f'<p style="mso-hide:none;mso-line-height-rule:exactly;line-height:120%">{LETTER}</p>',
        f'<div style="margin-left:-20px;text-indent:-18pt;padding-left:36pt">{LETTER}</div>',
        f'<div style="max-height:0">{LETTER}</div>',
        f'<div style="overflow:hidden;max-width:600px;width:100%">{LETTER}</div>',
        f'<p style="font-size:80%;opacity:.8;letter-spacing:-0.3px">{LETTER}</p>',
        f'<p style="font:italic 700 12px/1.4 Arial">{LETTER}</p>',
        f'<div style="width:calc(100% - 20px);overflow:hidden">{LETTER}</div>',
        f"<p align=center width=1 height=1>{LETTER}</p>",
        f"<details open><p>{LETTER}</p></details>",
        f"<!--[if mso]><table><tr><td><![endif]--><p>{LETTER}</p><!--[if mso]></td></tr></table><![endif]-->",
        f'<div style="display:none"></div><p>{LETTER}</p><img src="https://t.example/p.gif" width="1">',
    ],
)
def test_benign_twins_stay_visible(html: str) -> None:
    """HM-02: dark headers, reset wrappers, responsive classes and Outlook habits hide no word and raise no doubt."""
    # HM-02, HV4
    seen = visible_text(html)
    assert seen.text.splitlines()[0] == LETTER
    assert seen.hidden == () and seen.hidden_share == 0.0 and not seen.maybe_hidden and seen.defects == ()


def test_preheader_is_listed_and_the_letter_complete() -> None:
    """HM-02: a preheader with zero-width filler is one hidden passage, without invisible characters in the text."""
    # HM-02
    filler = "\u200c\u00a0" * 40
    seen = visible_text(
        f'<div style="display:none;max-height:0;overflow:hidden">News of May{filler}</div><p>{LETTER}\u200b</p>'
    )
    assert seen.text == LETTER
    assert [passage.reason for passage in seen.hidden] == ["display"]


def test_tables_of_figures_read_in_rows_and_layout_tables_in_lines() -> None:
    """MI11: short cells stand side by side, long or nested ones below each other."""  # MI11
    figures = visible_text("<table><tr><th>Item<th>Price<tr><td>Lamp<td>19,90 \u20ac<tr><td><td>free</table>")
    assert figures.text == "Item | Price\nLamp | 19,90 \u20ac\nfree"
    menu = "<table><tr><td>Menu</td></tr></table>"
    layout = visible_text(f"<table><tr><td><p>{LETTER}</p><p>Bye</p></td><td>{menu}</td></tr></table>")
    assert layout.text == f"{LETTER}\n\nBye\nMenu"


def test_structure_becomes_lines() -> None:
    """MI11: paragraphs, breaks, lists, quotes, rules and preformatted text read as a person expects."""  # MI11
    html = (
        "<h1>Hello</h1><p>One<br>two</p><ul><li>a</li><li>b<br>c</li></ul><blockquote>said <b>so</b>"
        "<blockquote>before</blockquote></blockquote><pre>x  y\n z</pre><div>end</div><div>last</div>"
    )
    assert visible_text(html).text == (
        "Hello\n\nOne\ntwo\n\n- a\n- b\n  c\n\n> said so\n>\n> > before\n\nx  y\n z\n\nend\nlast"
    )


def test_words_keep_their_borders() -> None:
    """MI11: blocks part words, inline elements do not, whatever `display` says."""  # MI11
    assert visible_text("<b>ig</b><i>nore</i>").text == "ignore"
    assert visible_text("<div style=display:inline>ig</div><div style=display:inline>nore</div>").text == "ignore"
    assert visible_text("<span style=display:block>one</span><span style=display:block>two</span>").text == "one\ntwo"
    assert visible_text("<p>a\n   b&nbsp;&nbsp;c\t d</p>").text == "a b c d"


@pytest.mark.parametrize(
    "html", ["", " ", "plain words", "<", "<p", "</p>", "<!-- open", "<!doctype html>", "\x00", "&#0;&#x110000;"]
)
def test_scraps_of_html_never_raise(html: str) -> None:
    """HV1: any string is an HTML part."""  # HV1
    assert visible_text(html).text == html.strip() or visible_text(html).text in ("", "<", "\ufffd", "\ufffd\ufffd")


def test_plain_text_keeps_everything_but_invisible_characters() -> None:
    """HV5: no collapsing in plain parts; line ends become newlines."""  # HV5
    seen = clean_plain("Dear team,\r\n\r\n  two  blanks\u200b kept\rend")
    assert seen.text == "Dear team,\n\n  two  blanks kept\nend"
    assert seen.hidden == () and seen.defects == ()


@pytest.mark.parametrize(
    ("text", "pushed"),
    [
        ("Hello" + "\n" * 41 + "order", True),
        ("Hello" + "\n" * 20 + "order", False),
        ("Hello" + " \t\n" * 60 + "order", True),
        ("Hello" + " " * 1000 + "order", True),
        ("Hello" + " " * 900 + "order", False),
        ("Hello" + "\n" * 100, False),
        ("Hello" + "\u00a0" * 1200 + "order", True),
    ],
)
def test_pushed_down_text_is_flagged_and_still_shown(text: str, pushed: bool) -> None:
    """HV5: text below 40 blank lines or behind 1,000 blanks is flagged, not removed."""  # HV5
    seen = clean_plain(text)
    assert seen.defects == (("pushed_down",) if pushed else ())
    assert seen.text == text


def test_html_breaks_can_push_down_too() -> None:
    """HV5: forty `<br>` in a row are as good as forty blank lines."""  # HV5
    assert visible_text("Hello" + "<br>" * 60 + "order").defects == ("pushed_down",)
    assert visible_text("Hello" + "<br>x" * 60 + "order").defects == ()
