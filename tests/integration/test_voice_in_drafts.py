"""How people of the mailbox wrote stands in the draft prompt, in its scope, and can be switched off (P73a, HW11)."""

from typing import Any
from uuid import UUID

from tests.integration.running import Running, mail
from tests.integration.test_api_knowledge import at

HELLO = "Hello, is the lamp of my order broken again? Regards"


async def examples_of(running: Running, sender: str) -> str:
    """The voice block of the prompt that drafted an answer to a fresh mail."""
    before = len(running.model.calls_of("draft_answer"))
    message_id = await running.arrive(mail(sender=sender, subject="Another question", body=HELLO))
    await running.until(message_id, "draft_ready")
    text = str(running.model.calls_of("draft_answer")[before].body["messages"])
    return text.partition("name=voice_examples")[2].partition("<<<END")[0]


async def answered(running: Running, sender: str, text: str) -> UUID:
    """A mail that a person answered with this text, as it was drafted."""
    usual = running.model.answer("draft_answer")
    running.model.answer("draft_answer", {"reply": text, "language": "en"})
    message_id = await running.arrive(mail(sender=sender, body=HELLO))
    await running.until(message_id, "draft_ready")
    saved: Any = await running.approve(message_id)
    assert saved.status_code == 200, saved.text
    await running.until(message_id, "sent")
    running.model.answer("draft_answer", usual)
    return message_id


async def test_the_voice_keeps_to_its_scope_and_its_switch(pipeline: Running) -> None:
    """P73a: to the same contact, to others only once released; off means off."""
    await pipeline.config(human_undo_ms=0)
    anna, ben = "anna.voice@kunde.example", "ben.voice@kunde.example"
    message_id = await answered(pipeline, anna, "Ahoy Anna, we look at the lamp.")
    assert "Ahoy Anna" in await examples_of(pipeline, anna)
    assert "Ahoy Anna" not in await examples_of(pipeline, ben)
    released = at(pipeline, f"/voice/{message_id}")
    assert (await pipeline.request("PUT", released)).json() == {"released": True}
    assert "Ahoy Anna" in await examples_of(pipeline, ben)
    await pipeline.config(voice_examples=False)
    assert "Ahoy Anna" not in await examples_of(pipeline, anna)
    await pipeline.config(voice_examples=True)
    await pipeline.request("DELETE", released)
    assert "Ahoy Anna" not in await examples_of(pipeline, ben)


async def test_only_what_a_person_sent_can_be_released(pipeline: Running) -> None:
    """P73a: a message without such a reply is refused."""
    message_id = await pipeline.arrive(mail())
    assert (await pipeline.request("PUT", at(pipeline, f"/voice/{message_id}"))).status_code == 409
