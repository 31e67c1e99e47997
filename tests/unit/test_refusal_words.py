"""Every refusal has words in both languages: its own word, and the sentence that says why (P100)."""

import ast
import re
from pathlib import Path

import pytest

from api.dashboard.refusals import SENTENCES, SILENT, named, why
from api.dashboard.words import LANGUAGES, Words, catalogue
from api.thread_desk import UNSOUND
from contracts.status import Result

ROOT = Path(__file__).resolve().parents[2]
# What a page can be refused with comes from here; settings and tokens have fields with words of their own.
SOURCES = [
    *(ROOT / "api" / f"{name}.py" for name in (
        "acts", "answers", "auth", "breakers", "bulk", "desk", "failures", "follow_ups", "incidents",
        "messages", "poison", "reviews", "senders", "texts", "thread_desk", "threads",
    )),
    *(ROOT / "activities" / "lifecycle").glob("*.py"),
]  # fmt: skip
CALLS = {"ApiError": 2, "unavailable": 0, "Refused": 1, "refused": 1, "late_click": 3, "Refusal": 0, "wrong_status": 1}
# Answers to programs and steps only: a page has a session and no token, and its role is told by one word. The page of
# health tells of a breaker in words of its own.
NOT_ON_A_PAGE = re.compile(
    r"This needs a valid API token|This token lacks|This takes the role|The database does not answer|x, but the message"
    r"|This breaker is closed|note: say why automation"
)


def sentences() -> set[tuple[str, str]]:
    """Where a refusal stands, and its sentence with X for what varies."""
    found: set[tuple[str, str]] = set()
    for file in SOURCES:
        tree = ast.parse(file.read_text(encoding="utf-8"))
        constants = {t.id: n.value for n in ast.walk(tree) if isinstance(n, ast.Assign) for t in n.targets
                     if isinstance(t, ast.Name) and _text(n.value)}  # fmt: skip
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in CALLS:
                found |= {(file.name, text) for text in _said(node, constants)}
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "invalid":
                field, words = (_text(part) for part in node.args[:2])
                found |= {(file.name, f"{field}: {words}")} if words else set()
    return {(name, text) for name, text in found if text and not NOT_ON_A_PAGE.match(text)}


def _said(call: ast.Call, constants: dict[str, ast.expr]) -> list[str]:
    place = CALLS[getattr(call.func, "id", "")]
    given = next((k.value for k in call.keywords if k.arg == "message"), None)
    node = given or (call.args[place] if len(call.args) > place else None)
    if isinstance(node, ast.Name) and node.id in constants:
        node = constants[node.id]
    text = _text(node)
    if text and getattr(call.func, "id", "") == "wrong_status":
        text = f"This message is X now; {text}."
    return [text] if text else []


def _text(node: ast.expr | None) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(part) if isinstance(part, ast.Constant) else "x" for part in node.values)
    return ""


def _as_said(text: str) -> str:
    """A status, a number or a word in place of what varies."""
    return text.replace("X", "sent").replace("revision x", "revision 3")


def test_every_sentence_of_a_refusal_has_a_name() -> None:
    """A sentence that is added to the API or the lifecycle needs words in every language, and this says so."""
    said = {(name, _as_said(text)) for name, text in sentences()}
    fields = {kind: "preset" if kind == "too_late_today" else "until" for kind in UNSOUND}
    said |= {("UNSOUND", f"{fields[kind]}: {text}") for kind, text in UNSOUND.items()}
    assert len(said) > 35
    assert sorted(f"{name}: {text}" for name, text in said if named(text)[0] is None) == []


def test_every_name_has_words_and_every_result_too() -> None:
    """In each language; the fields are those that the sentence gives."""
    for language in LANGUAGES:
        known = catalogue(language)
        assert {f"why.{name}" for name in SENTENCES} == {key for key in known if key.startswith("why.")}
        assert [r for r in Result if f"refused.{r}" not in known] == []
        for name, pattern in SENTENCES.items():
            given, wanted = set(re.compile(pattern).groupindex), set(re.findall(r"\{(\w+)\}", known[f"why.{name}"]))
            assert wanted <= given, (language, name)


@pytest.mark.parametrize(
    ("sentence", "german"),
    [
        ("This message is sent now; only a draft in review can be approved.", "Stand jetzt: gesendet."),
        ("The draft changed meanwhile: revision 4 is current.", "Der Entwurf hat sich geändert: Fassung 4 gilt."),
        ("A sentence that nobody gave words.", ""),
        ("", ""),
    ],
)
def test_a_german_page_says_it_in_german(sentence: str, german: str) -> None:
    """What has no words is left out there; an English page shows it as it is."""
    assert why(Words("de"), "conflict", sentence) == german
    assert bool(why(Words("en"), "conflict", sentence)) == bool(sentence)


def test_words_that_say_everything_stand_alone() -> None:
    """A missing role needs no second sentence."""
    assert {why(Words("de"), word, "This takes the role admin; yours is viewer.") for word in SILENT} == {""}


def test_a_hostile_sentence_takes_no_time_to_name() -> None:
    """No pattern looks back over what varies."""
    assert named("Cannot resume at " + "no stored output of " * 20_000)[0] is None
