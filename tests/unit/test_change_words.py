"""The page of changes has words in every language for every change anybody can make: found in the code, not listed."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from api.dashboard.words import LANGUAGES, catalogue

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("api", "activities", "cli", "adapters")
WRITERS = frozenset({"api_audit", "audit", "knowledge_audit", "rollup_audit_once"})
PLACES = {"rollup_audit_once": 2}
# These write about messages and conversations, which have trails of their own, or about coming and going.
NOT_SETTINGS = frozenset({"api/thread_desk.py", "api/desk.py", "activities/parsing.py", "activities/follow_up.py"})
NOT_SHOWN = frozenset({"sign_in", "sign_out", "category", "lift_loop", "voice_released", "voice_withdrawn"})


def words_of(node: ast.AST | None, tree: ast.Module) -> set[str]:
    """The actions an expression can be: itself, either side of a choice, or what a variable of that name is given."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return {node.value}
    if isinstance(node, ast.IfExp):
        return words_of(node.body, tree) | words_of(node.orelse, tree)
    if isinstance(node, ast.Name):
        given = [n.value for n in ast.walk(tree) if isinstance(n, ast.Assign)
                 and any(isinstance(t, ast.Name) and t.id == node.id for t in n.targets)]  # fmt: skip
        return {word for value in given if not isinstance(value, ast.Name) for word in words_of(value, tree)}
    return set()


def passed(call: ast.Call, place: int) -> ast.expr | None:
    """The expression of the action in a call."""
    return call.args[place] if len(call.args) > place else None


def functions(tree: ast.Module) -> Iterator[tuple[ast.FunctionDef | ast.AsyncFunctionDef, list[ast.Call]]]:
    """Every function with the calls in it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node, [inner for inner in ast.walk(node) if isinstance(inner, ast.Call)]


def place_in(call: ast.Call, wrappers: dict[str, int]) -> int | None:
    """Where the action stands, if the call writes the log by itself or through a function that does."""
    first = call.args[0] if call.args else None
    if isinstance(first, ast.Constant) and first.value in WRITERS:
        return PLACES.get(str(first.value), 3)
    return wrappers.get(getattr(call.func, "id", getattr(call.func, "attr", "")))


def wrappers_in(tree: ast.Module, known: dict[str, int]) -> dict[str, int]:
    """Functions that write an action they were given, and the place of it among their arguments."""
    found = {}
    for function, calls in functions(tree):
        names = [argument.arg for argument in function.args.args if argument.arg != "self"]
        for call in calls:
            place = place_in(call, known)
            action = passed(call, place) if place is not None else None
            if isinstance(action, ast.Name) and action.id in names:
                found[function.name] = names.index(action.id)
    return found


def actions_in(tree: ast.Module, shared: dict[str, int]) -> set[str]:
    """Every action that a module writes; through its own functions and those that others offer as well."""
    known = wrappers_in(tree, shared)
    known = {**shared, **known, **wrappers_in(tree, {**shared, **known})}
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    places = [(call, place_in(call, known)) for call in calls]
    return {word for call, place in places if place is not None for word in words_of(passed(call, place), tree)}


def shown_actions() -> set[str]:
    """The actions of every module that writes about settings."""
    files = [file for folder in FOLDERS for file in (ROOT / folder).rglob("*.py")]
    trees = [ast.parse(f.read_text(encoding="utf-8")) for f in files if str(f.relative_to(ROOT)) not in NOT_SETTINGS]
    offered = [wrappers_in(tree, {}) for tree in trees]
    shared = {name: place for one in offered for name, place in one.items() if not name.startswith("_")}
    return {action for tree in trees for action in actions_in(tree, shared)} - NOT_SHOWN


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_change_has_words(language: str) -> None:
    """An action that is added to the log needs a sentence, and this says so."""
    actions = shown_actions()
    assert {"config", "password_set", "user_invited", "address_added", "breaker", "knowledge_retired"} <= actions
    assert sorted(a for a in actions if f"change.{a}" not in catalogue(language)) == []
