"""What the REST API says about a message, as tests of the command line need it; its real shape is checked elsewhere."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx2

from cli.access import Access
from cli.api_client import Api

URL = "http://deskhand.example"
Answers = Callable[[httpx2.Request], httpx2.Response]


def detail(message_id: str = "01a22e5a-0000-7000-8000-00000000aaaa", **changed: Any) -> dict[str, Any]:
    """A draft in review that nothing is wrong with; `changed` replaces parts."""
    usual = {
        "id": message_id, "mailbox_id": "m", "account": "pipeline", "status": "draft_ready", "poison": None,
        "message": {
            "from_address": "ana@customer.example", "from_name": "Ana Ruiz", "to_addresses": ["support@example.org"],
            "subject": "Lamp", "text_body": "Is it in stock?", "received_at": "2026-02-02T10:15:01Z",
        },
        "attachments": [], "flags": {"security_flags": {}, "content_flags": [], "automatic_class": "none"},
        "classification": {"category": "support", "priority": "normal", "sentiment": "neutral", "intent": "question"},
        "draft": {
            "text": "Yes, it is.", "subject": "Re: Lamp", "revision": 0, "quality": {"flags": []}, "confidence": 0.91,
            "offline_model": False,
        },
        "findings": [], "recipients": {"to": ["ana@customer.example"], "cc": [], "confirm": []},
        "to_approve": {"revision": 0, "seen_message_id": message_id, "recipients_hash": "ab" * 32},
        "work": {
            "hold_reason": None, "archive_reason": None, "error_type": None, "context_gaps": [],
            "review_overdue_at": None,
        },
        "events": [{"accepted": True, "to_status": "draft_ready", "reason": "no_rule"}],
        "links": {"temporal": "http://127.0.0.1:8303/namespaces/deskhand/workflows/message%2F01a2"},
    }  # fmt: skip
    return {**usual, **changed}


@asynccontextmanager
async def api_that(answers: Answers) -> AsyncIterator[Api]:
    """A client whose other side is a function."""
    async with httpx2.AsyncClient(base_url=URL, transport=httpx2.MockTransport(answers)) as http:
        yield Api(Access(URL, {}), http)
