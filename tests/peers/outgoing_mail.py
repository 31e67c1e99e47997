"""A finished reply, a moment in time and a clock that stands still: what every test of sending starts from."""

from datetime import UTC, datetime, timedelta

from contracts.delivery import Outgoing
from domain.reply.compose import ReplyOrder, outgoing

NOW = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)
LATER = NOW + timedelta(minutes=20)
HOSTILE = "To: eve@evil.example\r\nBcc: eve@evil.example\r\n\r\n.\r\nMAIL FROM:<eve@evil.example>\r\n..\n.dot\n"


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.moment = NOW

    def __call__(self) -> datetime:
        return self.moment


def mail(**changes: object) -> Outgoing:
    """A rendered reply to two customers with `changes` applied to its order."""
    values: dict[str, object] = {
        "outbox_id": "ob-1",
        "message_id": "<ob-1.k7Qp@desk.example>",
        "date": NOW,
        "from_address": "support@desk.example",
        "from_name": 'M\u00fcller "Desk"',
        "reply_to": "support+r.abc.def@desk.example",
        "deskhand_id": "v1.ob-1.mac",
        "to": ("ada@customer.example",),
        "cc": ("ben@customer.example",),
        "subject": "Re: R\u00fcckgabe",
        "parent_message_id": "<p@customer.example>",
        "parent_references": tuple(f"<{number}@customer.example>" for number in range(30)),
        "body": "Dear Ada,\n\nit leaves today.\n",
        "human_approved": True,
    }
    return outgoing(ReplyOrder.model_validate(values | changes), "bounces@desk.example")
