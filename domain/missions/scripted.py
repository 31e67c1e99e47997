"""A supervisor and a task agent without any model: a few fixed rules, so that missions run offline and say so.

It prepares replies for conversations that wait for one. What it writes is made of the team's own knowledge; it judges
nothing and never asks the owner anything.
"""

import json
import re
from typing import Any, Final

from contracts.missions_agent import AgentStep, Role, Seat, StepEnd, ToolCall

CATEGORIES: Final = ("support", "sales", "billing", "feature_request", "complaint", "other")
MOST_TASKS: Final = 20
SETTLED: Final = frozenset({"acknowledged", "retired", "fenced", "cancelled"})
OFFERED: Final = frozenset({"delivered", "read"})
NOTE: Final = "Prepared without a model, by fixed rules."
_WORD: Final = re.compile(r"\w{4,30}")


def decide(seat: Seat) -> AgentStep:
    """The next answer for this seat; the same seat always gets the same one."""
    return _work(seat) if seat.role is Role.TASK else _lead(seat)


def _lead(seat: Seat) -> AgentStep:
    if any(given.kind.endswith("_result") for given in seat.inputs):
        return _use(seat)
    if any(given.from_owner for given in seat.inputs) and not _called(seat, "list_tasks"):
        return _delegate(seat)
    return _finish(seat)


def _delegate(seat: Seat) -> AgentStep:
    found = _answers(seat, "search_threads")
    if not found:
        return _calls(("search_threads", _query(seat)))
    if not _called(seat, "assign"):
        threads = [t for t in found[0] if t.get("contact_id") and t.get("message_id")][:MOST_TASKS]
        if threads:
            return _calls(*[("assign", _job(thread)) for thread in threads])
        return _calls(("complete", {"outcome": "not_needed", "summary": f"No conversation waits. {NOTE}"}))
    return AgentStep(end=StepEnd.STOP, text="Every conversation has its task.")


def _query(seat: Seat) -> dict[str, Any]:
    """Category and time from the owner's own words, where they name one."""
    words = " ".join([seat.goal, *(given.text for given in seat.inputs if given.from_owner)]).lower()
    category = next((name for name in CATEGORIES if name.replace("_", " ") in words), "")
    days = 7 if "week" in words else 31 if "month" in words else 30
    return {"category": category, "last_days": days, "unanswered_only": True}


def _job(thread: dict[str, Any]) -> dict[str, Any]:
    return {
        "task_key": f"reply-{str(thread['message_id'])[-12:]}",
        "goal": "Prepare a reply to the message you are bound to.",
        "contact_id": thread["contact_id"],
        "message_id": thread["message_id"],
    }


def _use(seat: Seat) -> AgentStep:
    """Read, look at the text, acknowledge, propose; then see whether anything is left."""
    wanted = [given.ref for given in seat.inputs if given.kind.endswith("_result")]
    if not _called(seat, "read_result"):
        return _calls(*[("read_result", {"result_id": ref}) for ref in wanted])
    if not _called(seat, "acknowledge"):
        return _calls(*[call for result in _answers(seat, "read_result") for call in _inspected(result)])
    return _finish(seat)


def _inspected(result: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    fragments = [f for f in result["document"].get("fragments", []) if f.get("message_id")]
    good = result["status"] == "complete"
    made: list[tuple[str, dict[str, Any]]] = [
        ("propose_draft", {"message_id": f["message_id"], "result_id": result["result_id"]}) for f in fragments if good
    ]
    use = "used" if made else "discarded"
    return [*made, ("acknowledge", {"result_id": result["result_id"], "digest": result["digest"], "use": use})]


def _finish(seat: Seat) -> AgentStep:
    tasks = _answers(seat, "list_tasks")
    if not tasks:
        return _calls(("list_tasks", {}))
    open_tasks = [task for task in tasks[-1] if task["stage"] not in SETTLED]
    unread = [task["attempt_id"] for task in open_tasks if task["result"] and task["stage"] in OFFERED]
    if unread and not _called(seat, "read_result"):
        return _calls(*[("read_result", {"result_id": ref}) for ref in unread])
    if unread and not _called(seat, "acknowledge"):
        return _calls(*[call for result in _answers(seat, "read_result") for call in _inspected(result)])
    if _called(seat, "acknowledge") and len(tasks) == 1 and open_tasks:
        return _calls(("list_tasks", {}))
    if open_tasks or _called(seat, "complete"):
        return AgentStep(end=StepEnd.STOP, text=f"{len(open_tasks)} tasks are open.")
    used = sum(task.get("used") == "used" for task in tasks[-1])
    return _calls(("complete", {"outcome": "done", "summary": f"{used} replies are before the reviewers. {NOTE}"}))


def _work(seat: Seat) -> AgentStep:
    if seat.message_id is None:
        return _submit("There is no message to answer.", blockers=[{"kind": "no_message"}])
    read = _answers(seat, "read_message")
    if not _called(seat, "read_message"):
        return _calls(("read_message", {"message_id": str(seat.message_id)}))
    if not read:
        return _submit("The message cannot be read.", blockers=[{"kind": "unreadable_message"}])
    if not _called(seat, "search_knowledge"):
        words = " ".join(_WORD.findall(f"{read[0]['subject']} {read[0]['body']}")[:12]) or "help"
        return _calls(("search_knowledge", {"words": words}))
    known = (_answers(seat, "search_knowledge") or [[]])[0]
    return _reply(seat, read[0], [entry for entry in known if entry["trust"] in ("policy", "verified")][:1])


def _reply(seat: Seat, message: dict[str, Any], known: list[dict[str, Any]]) -> AgentStep:
    if not known:
        return _submit("Nothing the team has written down answers this.", blockers=[{"kind": "no_knowledge"}])
    fragment = {
        "text": known[0]["content"],
        "message_id": str(seat.message_id),
        "citations": [{"source": str(known[0]["id"]), "quote": known[0]["title"]}],
    }
    return _submit(f"A reply to {message['id']}. {NOTE}", fragments=[fragment], records=[str(message["id"])])


def _submit(summary: str, **more: Any) -> AgentStep:
    return _calls(("submit_result", {"summary": summary, "checks": ["fixed rules"], **more}))


def _calls(*calls: tuple[str, dict[str, Any]]) -> AgentStep:
    made = tuple(ToolCall(call_id=f"s{n}", tool=tool, arguments=json.dumps(a)) for n, (tool, a) in enumerate(calls))
    return AgentStep(end=StepEnd.CALLS, calls=made)


def _called(seat: Seat, tool: str) -> bool:
    """A call without an answer was cut off with its turn: nobody knows, so it does not count as made."""
    answered = {entry.call_id for entry in seat.entries if entry.kind == "answer"}
    return any(entry.kind == "call" and entry.tool == tool and entry.call_id in answered for entry in seat.entries)


def _answers(seat: Seat, tool: str) -> list[Any]:
    """Parsed answers of a tool that only looks; a refusal is no answer."""
    ids = {entry.call_id for entry in seat.entries if entry.kind == "call" and entry.tool == tool}
    bodies = [entry.body for entry in seat.entries if entry.kind == "answer" and entry.call_id in ids]
    return [json.loads(body) for body in bodies if body[:1] in "[{"]
