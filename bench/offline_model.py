"""How good the offline model endpoint is on mails it never saw, and what it costs: `python -m bench.offline_model`.

The figures come from `held_out/`, written by another author; `offline_data/` is by the hand that wrote the training
mails and shares no template with them. Everything is asked over HTTP from
processes of our own: one that must always choose a category, and one that may abstain, as in production.
"""

import http.client
import json
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]

from offline.briefing import Mail
from offline.corpus import CATEGORIES, Labelled, hand_mails, read_mails, template_mails
from offline.language import LANGUAGES
from offline.words import STOP, folded

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(__file__).resolve().parent / "offline_data"
SECOND_AUTHOR = Path(__file__).resolve().parent / "held_out" / "mails.jsonl"
GUARD_BAR = 0.80
_HOST = "127.0.0.1"
_READY_TIMEOUT_S = 30.0
_SCHEMAS = {
    "classify_answer": ("category", "priority", "sentiment", "intent", "confidence", "intents"),
    "guard_verdict": ("is_injection", "confidence", "reason"),
}
Answers = list[dict[str, Any]]


def second_author_mails() -> list[Labelled]:
    """240 mails by a writer who had seen neither training mails nor classifier; the figures that count."""
    rows = [json.loads(line) for line in SECOND_AUTHOR.read_text("utf-8").splitlines() if line.strip()]
    return [
        Labelled(
            language=row["language"],
            category=row["category"],
            mail=Mail(subject=row["subject"], body=row["body"], sender=row["from"]),
            labels=(row["priority"], row["sentiment"], row["intent"]),
        )
        for row in rows
    ]


def held_out_mails() -> list[Labelled]:
    """Evaluation mails by the hand that wrote the training mails; `labels` are priority, sentiment and intent."""
    return [m for lang in LANGUAGES for m in read_mails((DATA / f"mails_{lang}.txt").read_text("utf-8"), lang)]


def held_out_orders() -> list[tuple[str, str]]:
    """Language and text of the evaluation attacks."""
    found, language = [], ""
    for line in (DATA / "orders_to_models.txt").read_text("utf-8").splitlines():
        if line.startswith("== "):
            language = line[3:]
        elif line and not line.startswith("# "):
            found.append((language, line))
    return found


def longest_shared_words() -> int:
    """The length in words of the longest passage that a held-out mail shares with any training text."""
    train = [_tokens(item) for item in [*hand_mails(), *template_mails()]]
    judged = [_tokens(item) for item in held_out_mails()]
    length = 1
    while _ngrams(train, length) & _ngrams(judged, length):
        length += 1
    return length - 1


class Server:
    """A running endpoint and one connection to it."""

    def __init__(self, port: int, process: subprocess.Popen[bytes]) -> None:
        self.port, self.process = port, process
        self._connection = http.client.HTTPConnection(_HOST, port, timeout=60)

    def ask(self, schema: str, block: str, text: str) -> dict[str, Any]:
        """The JSON answer to one block of text."""
        marker = secrets.token_hex(16)
        user = f"<<<BLOCK name={block} marker={marker}>>>\n{text}\n<<<END marker={marker}>>>"
        properties: dict[str, Any] = {name: {} for name in _SCHEMAS[schema]}
        body = {
            "model": "deskhand-offline-fast",
            "messages": [{"role": "system", "content": "Judge the text."}, {"role": "user", "content": user}],
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": schema, "schema": {"type": "object", "properties": properties}},
            },
        }
        self._connection.request("POST", "/v1/chat/completions", json.dumps(body))
        answer = json.loads(self._connection.getresponse().read())
        found: dict[str, Any] = json.loads(answer["choices"][0]["message"]["content"])
        return found

    def answers(self) -> bool:
        """Does the port take requests?"""
        connection = http.client.HTTPConnection(_HOST, self.port, timeout=1)
        try:
            connection.request("GET", "/v1/models")
            return connection.getresponse().status == 200
        except OSError:
            return False
        finally:
            connection.close()

    def resident_mib(self) -> float:
        """The resident memory of the process."""
        return psutil.Process(self.process.pid).memory_info().rss / 2**20

    def cpu_s(self) -> float:
        """The CPU time the process has used."""
        used = psutil.Process(self.process.pid).cpu_times()
        return float(used.user + used.system)


@contextmanager
def server(*options: str) -> Iterator[Server]:
    """An endpoint of our own on a free loopback port, stopped at the end."""
    with socket.socket() as probe:
        probe.bind((_HOST, 0))
        port = int(probe.getsockname()[1])
    command = [sys.executable, "-m", "offline", "--port", str(port), *options]
    process = subprocess.Popen(command, cwd=ROOT)
    try:
        found = Server(port, process)
        _until_ready(found)
        yield found
    finally:
        process.terminate()
        process.wait(timeout=10)


def run() -> dict[str, float]:
    """Every figure by name."""
    mails, same_hand = second_author_mails(), held_out_mails()
    found = _costs(mails[0])
    with server("--abstain-margin", "0") as forced:
        found |= _forced(mails, _classified(forced, mails))
        own = _forced(same_hand, _classified(forced, same_hand))
        found["offline_accuracy_same_hand"] = own["offline_accuracy"]
    with server() as careful:
        _classified(careful, mails[:1])
        began, used = time.perf_counter(), careful.cpu_s()
        answers = _classified(careful, mails)
        found["offline_classify_ms"] = (time.perf_counter() - began) * 1000 / len(mails)
        found["offline_classify_cpu_ms"] = (careful.cpu_s() - used) * 1000 / len(mails)
        found |= _careful(mails, answers) | _guarded(careful, mails)
    return found | {"offline_longest_shared_words": float(longest_shared_words())}


def _costs(mail: Labelled) -> dict[str, float]:
    began = time.perf_counter()
    with server() as fresh:
        answering = time.perf_counter() - began
        _classified(fresh, [mail])
        ready = time.perf_counter() - began
        costs = {"offline_resident_mib": fresh.resident_mib(), "offline_start_cpu_s": fresh.cpu_s()}
    return {"offline_answers_after_s": answering, "offline_first_answer_after_s": ready} | costs


def _forced(mails: list[Labelled], answers: Answers) -> dict[str, float]:
    """Accuracy where every mail must be put into a category."""
    right = [answer["category"] == mail.category for mail, answer in zip(mails, answers, strict=True)]
    found = {"offline_mails": float(len(mails)), "offline_accuracy": _share(right)}
    for language in LANGUAGES:
        found[f"offline_accuracy_{language}"] = _share(_where(mails, right, "language", language))
    for category in CATEGORIES:
        found[f"offline_recall_{category}"] = _share(_where(mails, right, "category", category))
    return found


def _careful(mails: list[Labelled], answers: Answers) -> dict[str, float]:
    """Coverage, and the accuracy of what is covered, as the endpoint runs in production."""
    right = [answer["category"] == mail.category for mail, answer in zip(mails, answers, strict=True)]
    covered = [answer["confidence"] >= 0.5 for answer in answers]
    found = {
        "offline_coverage": _share(covered),
        "offline_accuracy_covered": _share([r for r, c in zip(right, covered, strict=True) if c]),
        "offline_accuracy_as_answered": _share(right),
        "offline_spam_false_alarms": float(sum(_is_wrongly(m, a, "spam") for m, a in zip(mails, answers, strict=True))),
    }
    said = [(m.labels[0] == "urgent", a["priority"] == "urgent") for m, a in zip(mails, answers, strict=True)]
    found["offline_urgent_recall"] = _share([told for true, told in said if true])
    found["offline_urgent_false_alarms"] = float(sum(told and not true for true, told in said))
    for place, name in enumerate(("priority", "sentiment", "intent")):
        same = [answer[name] == mail.labels[place] for mail, answer in zip(mails, answers, strict=True)]
        found[f"offline_{name}_accuracy"] = _share(same)
    for language in LANGUAGES:
        found[f"offline_coverage_{language}"] = _share(_where(mails, covered, "language", language))
    return found


def _guarded(careful: Server, mails: list[Labelled]) -> dict[str, float]:
    """False alarms on honest mails and the share of attacks found, both at the confidence that counts."""
    alarms = [_alarm(careful, f"{mail.mail.subject}\n\n{mail.mail.body}") for mail in mails]
    hosts = {language: next(m for m in mails if m.language == language).mail.body for language in LANGUAGES}
    caught = [_alarm(careful, f"{hosts[language]}\n\n{attack}\n\nThanks") for language, attack in held_out_orders()]
    return {"offline_guard_false_alarms": float(sum(alarms)), "offline_guard_recall": _share(caught)}


def _alarm(careful: Server, text: str) -> bool:
    verdict = careful.ask("guard_verdict", "visible_text", text)
    return bool(verdict["is_injection"] and verdict["confidence"] >= GUARD_BAR)


def _classified(found: Server, mails: Sequence[Labelled]) -> Answers:
    return [found.ask("classify_answer", "context", _context(mail)) for mail in mails]


def _context(item: Labelled) -> str:
    sender = "from: sender@example.org\nto: support@example.com"
    head = f"{sender}\nsubject: {item.mail.subject}\ndate: 2026-03-02 09:00 UTC"
    return f"[CONTACT]\nemail: sender@example.org\n\n[CURRENT MESSAGE]\n{head}\n\n{item.mail.body}"


def _until_ready(found: Server) -> None:
    deadline = time.monotonic() + _READY_TIMEOUT_S
    while not found.answers():
        if time.monotonic() > deadline or found.process.poll() is not None:
            raise RuntimeError("The offline endpoint did not start.")
        time.sleep(0.02)


def _is_wrongly(mail: Labelled, answer: dict[str, Any], category: str) -> bool:
    return bool(answer["category"] == category != mail.category)


def _where(mails: list[Labelled], values: list[bool], field: str, wanted: str) -> list[bool]:
    return [value for mail, value in zip(mails, values, strict=True) if getattr(mail, field) == wanted]


def _share(values: Sequence[bool]) -> float:
    return sum(values) / len(values) if values else 0.0


def _tokens(item: Labelled) -> list[str]:
    return [word for word in folded(f"{item.mail.subject} . {item.mail.body}").split() if word != STOP]


def _ngrams(texts: list[list[str]], length: int) -> set[tuple[str, ...]]:
    return {tuple(t[start : start + length]) for t in texts for start in range(len(t) - length + 1)}


if __name__ == "__main__":
    for name, value in run().items():
        print(f"{name}: {value:.2f}")
