"""Colours, lengths, media queries and sheets are read as a browser reads them: HV2, HV3."""

import pytest

from domain.text.colour import BLACK, UNKNOWN, WHITE, Colour, contrast, over, parse_colour
from domain.text.css import declarations, media_applies, parse_sheet
from domain.text.hiding import cascade
from domain.text.lengths import UNSURE, Length, parse_length
from domain.text.selectors import NotUnderstood, parse_selector


@pytest.mark.parametrize(
    ("written", "colour"),
    [
        ("#fff", WHITE),
        ("#FFFFFF".lower(), WHITE),
        ("#000f", BLACK),
        ("rgb(0, 0, 0)", BLACK),
        ("rgb(0 0 0)", BLACK),
        ("rgb(100%,100%,100%)", WHITE),
        ("hsl(0, 0%, 100%)", WHITE),
        ("hsl(120deg 100% 50%)", Colour(0, 255, 0)),
        ("black", BLACK),
        ("windowtext", BLACK),
        ("transparent", Colour(0, 0, 0, 0)),
        ("rgba(255,255,255,0.5)", Colour(255, 255, 255, 0.5)),
        ("rgb(300,-5,0)", Colour(255, 0, 0)),
        ("#ff", None),
        ("#ggg", None),
        ("banana", None),
        ("rgb(1,2)", None),
        ("var(--x)", UNKNOWN),
        ("oklch(1 0 0)", UNKNOWN),
    ],
)
def test_colours(written: str, colour: Colour | None) -> None:
    """HV2 `colour`: hex of 3, 4, 6 and 8 digits, rgb, hsl, names; what only a browser knows is unknown."""  # HV2
    found = parse_colour(written)
    assert found == colour or (found and colour and max(abs(a - b) for a, b in zip(found, colour, strict=True)) < 0.01)


def test_contrast_follows_wcag_and_composites() -> None:
    """HV2 `colour`: 21 for black on white, 1 for equals, half-transparent text in between."""  # HV2
    assert round(contrast(BLACK, WHITE), 1) == 21.0 and contrast(WHITE, WHITE) == 1.0
    assert over(Colour(0, 0, 0, 0.5), WHITE)[:3] == (127.5, 127.5, 127.5)
    assert contrast(Colour(0, 0, 0, 0.01), WHITE) < 1.25 < contrast(Colour(119, 119, 119), WHITE)


@pytest.mark.parametrize(
    ("written", "pixels"),
    [
        ("0", 0),
        ("12px", 12),
        ("9pt", 12),
        ("1in", 96),
        ("2em", 40),
        ("50%", 500),
        ("10vw", 100),
        ("1rem", 16),
        ("-9999px", -9999),
        ("calc(10px + 2em)", 50),
        ("calc(100% - 20px)", 980),
        ("min(5px, 1px)", 1),
        ("max(5px, 1px)", 5),
        ("clamp(1px, 50%, 9px)", 9),
        ("1e1px", 10),
        (".5em", 10),
    ],
)
def test_lengths(written: str, pixels: float) -> None:
    """HV2: units, percent and sums come to pixels at a font size of 20 on a screen of 1,000."""  # HV2
    length = parse_length(written)
    assert isinstance(length, Length) and length.pixels(font_px=20) == pytest.approx(pixels)


@pytest.mark.parametrize(
    ("written", "read"),
    [("var(--x)", UNSURE), ("calc(1px * 2)", UNSURE), ("auto", None), ("5apples", None), ("", None)],
)
def test_lengths_beyond_us(written: str, read: object) -> None:
    """HV3: no length is None, one that only a browser could compute is UNSURE."""  # HV3
    assert parse_length(written) is read


@pytest.mark.parametrize(
    ("query", "applies"),
    [
        ("", True),
        ("all", True),
        ("screen", True),
        ("print", False),
        ("only screen and (max-width: 600px)", False),
        ("(min-width:600px)", True),
        ("not print", True),
        ("not all and (max-width:600px)", True),
        ("screen, print", True),
        ("(prefers-color-scheme: dark)", False),
        ("(prefers-color-scheme:light)", True),
        ("(width > 5px)", None),
        ("yahoo", None),
        ("print and (odd-thing: 1)", False),
        ("(-webkit-min-device-pixel-ratio: 0)", None),
    ],
)
def test_media_queries(query: str, applies: bool | None) -> None:
    """HV3: judged for a light screen of 1,000 px; None if we do not understand."""  # HV3
    assert media_applies(query) is applies


def test_sheet_keeps_rules_and_what_is_none() -> None:
    """HV3: rules of media that never hold are dropped, comments and loose words come back as leftover."""  # HV3
    sheet = parse_sheet(
        "/* say hello there */ .a, b > c {COLOR:red} @media print{.p{display:none}} @charset 'x';"
        " @font-face{font-family:q}"
        " @media (odd:1){.o{display:none}} loose words stay"
    )
    assert [(rule.selectors, rule.applies) for rule in sheet.rules] == [(".a, b > c", True), (".o", None)]
    assert sheet.leftover == ["say hello there", "loose words stay"]


def test_invalid_values_do_not_replace_valid_ones() -> None:
    """HV2: `display: bogus` behind `display: none` changes nothing, as in a browser."""  # HV2
    assert cascade([((0,), declarations("display:none;display:bogus;color:#12;color:red"))])["display"] == "none"


def test_cascade_ranks_importance_over_place_over_order() -> None:
    """HV3: important beats inline beats specificity beats order."""  # HV3
    style = cascade(
        [
            ((0, 1, 0, 0, 1), declarations("display:block!important;color:red")),
            ((0, 0, 1, 0, 2), declarations("color:blue;opacity:0")),
            ((1,), declarations("display:none;opacity:1")),
        ]
    )
    assert style["display"] == "block" and style["opacity"] == 1.0 and style["color"] == Colour(255, 0, 0)


@pytest.mark.parametrize(
    "selector", ["a:not(b)", "a:nth-child(2)", "a && b", "> a", "a,", "@x", "a:has(b)", "::slotted(x)", "a" + " a" * 20]
)
def test_selectors_beyond_us_are_told(selector: str) -> None:
    """HV3: what we cannot judge raises, it is never taken for something else."""  # HV3
    with pytest.raises(NotUnderstood):
        parse_selector(selector.rstrip(",") if selector != "a," else "")


@pytest.mark.parametrize("selector", ["a:hover", "a:focus b", "p::first-line", "a:visited"])
def test_selectors_of_states_never_match_a_resting_page(selector: str) -> None:
    """HV4: hover and other states hide nothing."""  # HV4
    assert parse_selector(selector) is None
