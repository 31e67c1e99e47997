"""From import to briefing: the page that answers a mail stands in its context with an id, and without it nothing."""

import json
from typing import Any
from uuid import UUID

from tests.activities.knowledge_samples import PAGE
from tests.integration.running import Running, mail
from tests.integration.test_api_knowledge import at, upload


async def briefing_of(running: Running, body: str) -> dict[str, Any]:
    """The stored context of a fresh mail that came to its draft."""
    message_id = await running.arrive(mail(subject="A question", body=body))
    await running.until(message_id, "draft_ready")
    found = await running.value(
        "SELECT output FROM step_outputs WHERE message_id = $1 AND kind = 'context_retrieval'", message_id
    )
    context: dict[str, Any] = json.loads(found) if isinstance(found, str) else found
    return context


async def test_an_imported_page_is_a_source_of_the_draft_until_it_is_taken_back(pipeline: Running) -> None:
    """P62, P104, P107: verified knowledge with its id in the briefing; retired, it is gone from the next one."""
    assert (await upload(pipeline, "delivery.md", PAGE.encode()))["stored"] == 2
    entry = await pipeline.value("SELECT id FROM knowledge_entries WHERE title = 'Delivery > Costs'")
    question = "Hello, what does the delivery cost in euros? Regards, Anna"
    first = await briefing_of(pipeline, question)
    assert "Delivery costs 4.90 euros." in first["text"] and first["gaps"] == []
    assert any(str(entry) in source["id"] for source in first["sources"])
    documents = (await pipeline.get(at(pipeline, "/documents"))).json()
    await pipeline.request("DELETE", at(pipeline, f"/documents/{UUID(documents[0]['id'])}"))
    second = await briefing_of(pipeline, question)
    assert "4.90" not in second["text"] and "[KNOWLEDGE]" not in second["text"]
