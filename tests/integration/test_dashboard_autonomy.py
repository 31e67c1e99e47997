"""Autonomy on the pages of every day: why a reply was held, a rule made of a rejection, and the banner of a mailbox
that checks no sender (P80-P87)."""

from uuid import UUID

from tests.browser.visitors import Reader, new_person
from tests.integration.running import Running, mail
from tests.integration.settings_forms import texts

PLACE = "/dashboard/settings/autonomy"


async def reviewer(pipeline: Running) -> Reader:
    """A reviewer, signed in."""
    reader = Reader(pipeline)
    assert (await reader.sign_in(await new_person(pipeline, "reviewer"))).status_code == 303
    return reader


async def drafted(pipeline: Running, **fields: str) -> UUID:
    """A message in review."""
    message_id = await pipeline.arrive(mail(**fields))
    await pipeline.until(message_id, "draft_ready")
    return message_id


async def test_the_decision_is_told_beside_the_conversation(pipeline: Running) -> None:  # P87
    """Gate with its number, evidence, rule with its version, and the chance that a person saw it."""
    message_id = await drafted(pipeline)
    await pipeline.sql(
        """UPDATE autonomy_decisions SET stage = 'gates', gate = 'audit_sample', rule_version = 7,
            evidence = '{"text": "drawn <b>now</b>"}', rule_id = gen_random_uuid(), propensity = 0.05,
            category = 'support' WHERE message_id = $1""",
        message_id,
    )
    reader = await reviewer(pipeline)
    page = (await reader.get(f"/dashboard/inbox/review?at={message_id}")).text
    assert texts(page, ".decision dd") == ["gate 15 audit_sample", "drawn <b>now</b>", "support, version 7", "5 %"]


async def test_a_rejection_offers_to_become_a_rule(pipeline: Running) -> None:  # P86a
    """The note leads to a form with the category and the mail as example; a rule that misses it is refused."""
    message_id = await drafted(pipeline, subject="My notary will write to you")
    reader = await reviewer(pipeline)
    await reader.get(f"/dashboard/inbox/review?at={message_id}")
    answer = await reader.submit(f"{message_id}/reject")
    note = (await reader.get(answer.headers["location"])).text
    assert f'href="{PLACE}?from={message_id}#handling"' in note
    page = (await reader.get(f"{PLACE}?from={message_id}")).text
    assert "My notary will write to you" in page
    asked = "SELECT classification ->> 'category' FROM inbound_messages WHERE id = $1"
    category = await pipeline.value(asked, message_id)
    assert f'<option value="{category}" selected>' in page
    form = {"mailbox": str(pipeline.mailbox_id), "from": str(message_id), "kind": "never_automatic", "text": ""}
    wrong = await reader.post(f"{PLACE}/handling", {**form, "category": "", "words": "lawyer"})
    assert wrong.status_code == 422 and "does not speak about the mail" in wrong.text and str(message_id) in wrong.text
    right = await reader.post(f"{PLACE}/handling", {**form, "category": str(category), "words": "notary"})
    assert right.status_code == 303
    stored = "SELECT examples, predicate FROM handling_rules WHERE mailbox_id = $1"
    rule = await pipeline.rows(stored, pipeline.mailbox_id)
    assert [row["examples"] for row in rule] == [[message_id]] and "notary" in str(rule[0]["predicate"])


async def test_a_mailbox_that_checks_no_sender_says_so_on_every_page(pipeline: Running) -> None:  # P86
    """The banner stands while `require_sender_auth` is off, names the mailbox, and is gone once it is on."""
    reader = await reviewer(pipeline)
    for value, banners in ((False, 1), (True, 0)):
        await pipeline.config(require_sender_auth=value)
        for path in ("/dashboard/inbox", "/dashboard/health", "/dashboard/settings"):
            found = texts((await reader.get(path)).text, ".open-door")
            assert len(found) == banners and all("senders nobody verified" in text and "@" in text for text in found)
