"""Missions on a terminal: the list, the tree, and the steps as they happen."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from rich.console import Console

from cli.tables import moment_words, safe_line, safe_text, say, show_table

GATE: Final = (
    ("why it asks", "why_not_derived"), ("finished", "finished_meanwhile"), ("waiting costs", "cost_of_waiting"),
    ("safe next", "safe_next_step"),
)  # fmt: skip


def show_list(console: Console, missions: Sequence[Mapping[str, Any]]) -> None:
    """One line per mission."""
    rows = [
        (one["id"], status_words(one), budget(one["turns"], one["turn_limit"]), money(one), one["tasks"],
         one["decision_wanted"] or one["goal"])
        for one in missions
    ]  # fmt: skip
    show_table(console, ("mission", "status", "turns", "cost", "tasks", "goal or question"), rows)


def show_mission(console: Console, found: Mapping[str, Any]) -> None:
    """Head, gate, tasks, turns, effects that nobody can prove, and the end."""
    say(console, f"{found['id']}  {status_words(found)}")
    say(console, safe_text(found["goal"]))
    turns = budget(found["turns_used"], found["turn_limit"])
    say(console, f"turns {turns} · cost {money(found)} · since {moment_words(found['created_at'])}")
    _gate(console, found)
    if found["tasks"]:
        say(console)
        show_table(console, ("task", "stage", "result", "turns", "cost", "summary"), list(_tasks(found["tasks"])))
    if found["turns"]:
        say(console)
        show_table(console, ("turn", "kind", "state", "model", "seconds", "cost", "said"), _turns(found["turns"]))
    for effect in found["effects"]:
        if effect["state"] == "indeterminate":
            say(console, f"Nobody can prove whether it happened: {effect['kind']} {safe_line(effect['stable_key'])}")
    if found["summary"]:
        say(console)
        say(console, safe_text(found["summary"]))


def _gate(console: Console, found: Mapping[str, Any]) -> None:
    gate = found["gate"]
    if not gate:
        return
    say(console)
    say(console, f"Gate {gate['gate_id']} ({gate['reason'].replace('_', ' ')}): {safe_line(gate['decision_wanted'])}")
    for word, name in GATE:
        if gate[name]:
            say(console, f"  {word}: {safe_line(gate[name], 2000)}")
    for mail in found["missed_mail"][:1]:
        say(console, f"  mail came meanwhile: answer with --seen {mail['message_id']}")
    say(console, f"  deskhand mission answer {found['id'][-8:]} --gate {gate['gate_id']} --instruct TEXT")


def _tasks(tasks: Sequence[Mapping[str, Any]], depth: int = 0) -> Iterator[tuple[object, ...]]:
    for task in tasks:
        result = task["result"] or {}
        key = f"{'· ' * depth}{task['task_key']}" + (f" #{task['attempt_no']}" if task["attempt_no"] > 1 else "")
        yield (key, task["stage"].replace("_", " "), result.get("status", ""), len(task["turns"]),
               dollars(task["cost_usd"]), result.get("summary", ""))  # fmt: skip
        yield from _tasks(task["children"], depth + 1)


def _turns(turns: Sequence[Mapping[str, Any]]) -> list[tuple[object, ...]]:
    return [
        (turn["turn_no"], turn["kind"].replace("_", " "), turn["state"], turn["model"] or "",
         f"{(turn['model_ms'] or 0) / 1000:.1f}", dollars(turn["cost_usd"] or 0), turn["said"])
        for turn in turns
    ]  # fmt: skip


def show_steps(console: Console, found: Mapping[str, Any], before: Mapping[str, str]) -> dict[str, str]:
    """A line for what changed since `before`; returns what to compare with next."""
    now = dict(_steps(found))
    for name, words in now.items():
        if before.get(name) != words:
            say(console, f"{name}: {words}")
    return now


def _steps(found: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield "mission", status_words(found)
    for turn in found["turns"]:
        yield f"turn {turn['turn_no']}", f"{turn['kind'].replace('_', ' ')}, {turn['state']}"
    for task in _flat(found["tasks"]):
        yield f"task {safe_line(task['task_key'])} #{task['attempt_no']}", task["stage"].replace("_", " ")


def _flat(tasks: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    for task in tasks:
        yield task
        yield from _flat(task["children"])


def status_words(found: Mapping[str, Any]) -> str:
    """Status and what it waits for."""
    words = str(found["status"]).replace("_", " ")
    return f"{words} ({safe_line(found['wait_reason'])})" if found["wait_reason"] else words


def budget(used: int, limit: int | None) -> str:
    """`3` or `3/50`."""
    return f"{used}/{limit}" if limit else str(used)


def money(found: Mapping[str, Any]) -> str:
    """What was used, and of how much."""
    limit = found["cost_limit_usd"]
    return dollars(found["cost_usd"]) + (f" of {dollars(limit)}" if limit else "")


def dollars(amount: float) -> str:
    """US dollars; small sums with the digits that say something."""
    return f"${amount:.2f}" if amount >= 1 or not amount else f"${amount:.4f}"
