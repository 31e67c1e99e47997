"""An automatic reply that went wrong counts against the agent and stops it for that sender (P89)."""

from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest

from contracts.classification import Category, Classification, Sentiment
from contracts.lifecycle import SendResult
from contracts.outputs import ClassifyOutput
from contracts.status import Status, StepKind
from tests.activities.conftest import World, classify_output, context_output, mail_bytes, scan_output
from tests.activities.test_bounced import REPORT
from tests.activities.test_core_sending import approved, automatic, put

ANNA = "anna@kunde.example"


async def sent_automatically(world: World, **mail: Any) -> tuple[UUID, UUID]:
    """An automatic reply that went out."""
    message, outbox = await automatic(world, **mail)
    await put(world, outbox, "sent")
    await world.do(message, SendResult(outbox_id=outbox))
    return message, outbox


async def tell(world: World, outbox: UUID, kind: str) -> None:
    """News of the provider."""
    await world.reception.news("default", SimpleNamespace(ids=(str(outbox),), kind=kind, recipient=""))


async def incidents(world: World) -> list[tuple[str, str]]:
    """Kind and sender of all of them."""
    rows = await world.sql.fetch("SELECT kind, sender FROM incidents ORDER BY id")
    return [(row["kind"], row["sender"]) for row in rows]


async def outcomes(world: World) -> list[tuple[UUID, str]]:
    """Outcome rows: message and action."""
    rows = await world.sql.fetch("SELECT message_id, action FROM autonomy_feedback WHERE source = 'outcome'")
    return [(row["message_id"], row["action"]) for row in rows]


async def rules(world: World) -> dict[tuple[str, str], str]:
    """(category, sender) -> mode."""
    return {(r["category"], r["sender"]): r["mode"] for r in await world.sql.fetch("SELECT * FROM autonomy_rules")}


async def rule(world: World, category: str, sender: str = "", mode: str = "on") -> None:
    """A rule of the mailbox."""
    await world.sql.execute(
        "INSERT INTO autonomy_rules (mailbox_id, category, sender, mode) VALUES ($1, $2, $3, $4)",
        world.mailbox_id, category, sender, mode,
    )  # fmt: skip


@pytest.mark.parametrize("kind", ["bounced", "complained"])
async def test_bad_news_of_an_automatic_reply(world: World, kind: str) -> None:
    """P89: incident, outcome row, this sender's rules off in every category; the category's own rule stays."""
    await rule(world, "support")
    await rule(world, "billing", ANNA)
    message, outbox = await sent_automatically(world)
    for _ in range(2):
        await tell(world, outbox, kind)
    assert await incidents(world) == [(kind, ANNA)]
    assert await outcomes(world) == [(message, "rejected")]
    off = {("support", ""): "on", ("billing", ANNA): "off", ("support", ANNA): "off"}
    assert await rules(world) == off


async def test_news_told_again_undoes_no_decision_of_a_person(world: World) -> None:
    """P89: acknowledged is not switched on; switched on by a person stays on, also when the provider repeats itself."""
    await rule(world, "support", ANNA)
    _, outbox = await sent_automatically(world)
    await tell(world, outbox, "bounced")
    async with world.database.transaction() as tx:
        incident = await world.sql.fetchval("SELECT id FROM incidents")
        assert (await tx.must("incidents_acknowledge", incident, "user:1"))["is_first"]
    assert await rules(world) == {("support", ANNA): "off"}
    async with world.database.transaction() as tx:
        assert not (await tx.must("incidents_acknowledge", incident, "user:2"))["is_first"]
    await world.sql.execute("UPDATE autonomy_rules SET mode = 'on'")
    await tell(world, outbox, "bounced")
    assert await rules(world) == {("support", ANNA): "on"}
    assert await world.sql.fetchval("SELECT acknowledged_by FROM incidents") == "user:1"


async def test_a_bounce_of_a_persons_reply_is_no_incident(world: World) -> None:
    """P89: only what nobody had looked at."""
    _, outbox = await approved(world)
    await put(world, outbox, "sent")
    await tell(world, outbox, "bounced")
    assert (await incidents(world), await outcomes(world), await rules(world)) == ([], [], {})


async def test_proof_of_delivery_is_no_incident(world: World) -> None:
    """P89, BO2."""
    _, outbox = await sent_automatically(world)
    await tell(world, outbox, "delivered")
    assert await incidents(world) == []


async def test_a_bounce_by_mail_names_its_cause(world: World) -> None:
    """P89, BO2: the report that came as a mail is named by the incident."""
    _, outbox = await sent_automatically(world)
    ours = await world.sql.fetchval("SELECT rfc_message_id FROM outbox WHERE id = $1", outbox)
    report = await world.arrive(REPORT.format(ours=ours).replace("\n", "\r\n").encode(), **{"x-envelope-from": ""})
    assert await world.sql.fetchval("SELECT caused_by FROM incidents WHERE kind = 'bounced'") == report


async def answer(world: World, said: ClassifyOutput, headers: str = "", **mail: Any) -> UUID:
    """A mail of the customer, as far as its classification."""
    message = await world.arrive(mail_bytes(body="That was no help at all.", headers=headers, **mail))
    await world.enter(message)
    await world.end(
        message, StepKind.SECURITY_SCAN, scan_output(), to=Status.CLASSIFYING, next_step=StepKind.CONTEXT_RETRIEVAL
    )
    await world.end(message, StepKind.CONTEXT_RETRIEVAL, context_output(), next_step=StepKind.CLASSIFY)
    await world.end(message, StepKind.CLASSIFY, said, to=Status.DRAFTING, next_step=StepKind.DRAFT)
    return message


def angry(said: ClassifyOutput) -> ClassifyOutput:
    """The same with a bad temper."""
    c: Classification = said.classification.model_copy(update={"sentiment": Sentiment.NEGATIVE})
    return said.model_copy(update={"classification": c})


@pytest.mark.parametrize("said", [angry(classify_output()), classify_output(Category.COMPLAINT)])
async def test_an_angry_answer_to_an_automatic_reply(world: World, said: ClassifyOutput) -> None:
    """P89: found by the Message-ID it names; the outcome belongs to the message that was answered badly."""
    message, outbox = await sent_automatically(world)
    ours = await world.sql.fetchval("SELECT rfc_message_id FROM outbox WHERE id = $1", outbox)
    anger = await answer(world, said, f"In-Reply-To: <{ours}>\r\n")
    assert await incidents(world) == [("negative_answer", ANNA)]
    assert await world.sql.fetchval("SELECT caused_by FROM incidents") == anger
    assert await outcomes(world) == [(message, "rejected")]
    assert (await rules(world))[("support", ANNA)] == "off"


async def test_anger_about_something_else_is_no_incident(world: World) -> None:
    """P89: a first mail in anger, a friendly answer, and an angry answer to a person's reply."""
    await answer(world, angry(classify_output()), sender="other@kunde.example", subject="You are slow")
    _, outbox = await sent_automatically(world)
    ours = await world.sql.fetchval("SELECT rfc_message_id FROM outbox WHERE id = $1", outbox)
    await answer(world, classify_output(), f"In-Reply-To: <{ours}>\r\n")
    _, by_hand = await approved(world, sender="c@kunde.example", subject="Invoice")
    await put(world, by_hand, "sent")
    theirs = await world.sql.fetchval("SELECT rfc_message_id FROM outbox WHERE id = $1", by_hand)
    await answer(world, angry(classify_output()), f"In-Reply-To: <{theirs}>\r\n", sender="c@kunde.example")
    assert await incidents(world) == []
