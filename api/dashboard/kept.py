"""What a person typed outlives the form it stood in: an ended session, a form from before, a database that is away."""

import re
from dataclasses import dataclass, field
from typing import Any

from api.dashboard.forms import Form

# What forms say by themselves, and what nobody may find again.
TECHNICAL = frozenset({
    "csrf", "request_id", "back", "stay", "next", "revision", "base_revision", "seen_message_id", "recipients_hash",
    "confirm", "item", "action", "act", "how", "from", "mailbox", "mailbox_id", "to_user", "person", "resolve",
    "block_sender", "mode", "status", "preset", "until", "archive", "failed_step", "error_type", "message_id",
    "language", "scheme", "role", "scopes", "days", "typed_for",
})  # fmt: skip
SECRET = ("password", "secret", "token", "key")
IDENTIFIER = re.compile(r"[0-9a-f-]{32,64}")
PREFIX = "kept_"
MOST = 60


@dataclass(frozen=True)
class Kept:
    """Typed fields by name, and the word of the action they were meant for; empty where nothing was typed."""

    action: str = ""
    fields: dict[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.fields)

    def hidden(self) -> dict[str, str]:
        """The same as hidden fields of the sign-in form."""
        return {"typed_for": self.action, **{PREFIX + k: v for k, v in self.fields.items()}} if self else {}

    def flash(self) -> dict[str, Any]:
        """The same as the one thing that the next page tells."""
        return {"kind": "kept", "action": self.action, "fields": self.fields}


def typed(form: Form, path: str) -> Kept:
    """What a person typed into this form for this address."""
    fields = {k: v for k, v in form.pairs if v.strip() and not _is_technical(k, v)}
    return Kept(_action_of(path), dict(list(fields.items())[:MOST])) if fields else Kept()


def carried(form: Form) -> Kept:
    """What the sign-in form carries along."""
    fields = {k.removeprefix(PREFIX): v for k, v in form.pairs if k.startswith(PREFIX) and v}
    return Kept(form.get("typed_for")[:40], dict(list(fields.items())[:MOST])) if fields else Kept()


def from_row(row: dict[str, Any]) -> Kept:
    """What was kept in the database meanwhile; the shape of `flash`."""
    return Kept(str(row.get("action", "")), dict(row.get("fields", {})))


def _is_technical(name: str, value: str) -> bool:
    return name in TECHNICAL or any(s in name for s in SECRET) or bool(IDENTIFIER.fullmatch(value))


def _action_of(path: str) -> str:
    """As the notes of `actions` name it."""
    if path.startswith("/dashboard/threads/") and path.endswith("/write_reply"):
        return "follow_up"
    return path.rpartition("/")[2][:40]
