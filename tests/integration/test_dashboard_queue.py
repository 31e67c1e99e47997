"""The review queue with filters, what is overdue, and failures by equal error (P101, P116, P118, P119)."""

import asyncio
from uuid import UUID

import pytest
import pytest_asyncio
from selectolax.lexbor import LexborHTMLParser

from api.dashboard.sifting import Sieve
from tests.browser.test_without_script import drafted, reader_as, status
from tests.browser.visitors import Reader
from tests.integration.running import Running, mail
from tests.peers.model_behaviour import Fails
from tests.peers.model_peer import DEFAULT_ANSWERS

QUEUE = "/dashboard/inbox/review"


@pytest_asyncio.fixture
async def reviewer(pipeline: Running) -> Reader:
    """A reviewer without a script."""
    return await reader_as(pipeline, "reviewer", "Rita")


async def listed(reader: Reader, address: str) -> set[str]:
    """The subjects that a list shows."""
    page = await reader.get(address)
    assert page.status_code == 200
    return {part.split("</bdi>")[0] for part in page.text.split('class="subject"><bdi>')[1:]}


def back_of(reader: Reader) -> str:
    """Where the form of a batch leads back to."""
    back = LexborHTMLParser(reader.page).css_first("form#bulk input[name=back]")
    assert back is not None
    return str(back.attributes["value"])


@pytest_asyncio.fixture
async def queue(pipeline: Running) -> dict[str, UUID]:
    """Four drafts that differ in everything one can ask for; whatever was in review before is rejected."""
    for row in await pipeline.rows("SELECT id FROM inbound_messages WHERE processing_status = 'draft_ready'"):
        await pipeline.act(row["id"], "reject")
    names = ("sure", "flagged", "weak", "late")
    ids = dict(zip(names, await asyncio.gather(*(drafted(pipeline, subject=name) for name in names)), strict=True))
    billing, support = '{"category": "billing"}', '{"category": "support"}'
    scores = {"sure": (0.9, billing), "flagged": (0.9, support), "weak": (0.3, support), "late": (0.7, billing)}
    for name, (score, kind) in scores.items():
        await pipeline.sql(
            "UPDATE inbound_messages SET confidence_score = $2, classification = classification || $3::text::jsonb, "
            "content_flags = CASE WHEN subject = 'flagged' THEN ARRAY['homoglyphs'] ELSE '{}'::text[] END "
            "WHERE id = $1",
            ids[name], score, kind,
        )  # fmt: skip
    await pipeline.sql("DELETE FROM outbound_findings")
    late = "UPDATE inbound_messages SET review_due_at = now() - interval '1 hour' WHERE id = $1"
    await pipeline.sql(late, ids["late"])
    return ids


async def test_the_queue_is_filtered_by_its_address(
    pipeline: Running, reviewer: Reader, queue: dict[str, UUID]
) -> None:
    """Category, trust word, owner, overdue, mailbox, alone and together; what means nothing is not asked (P116)."""
    me = await pipeline.value("SELECT max(id::text) FROM users WHERE name = 'Rita'")
    await pipeline.sql(
        "UPDATE conversation_threads t SET assigned_to = $2::text::uuid FROM inbound_messages m "
        "WHERE m.id = $1 AND t.id = m.thread_id",
        queue["weak"], me,
    )  # fmt: skip
    for query, expected in {
        "": {"sure", "flagged", "weak", "late"},
        "category=billing": {"sure", "late"},
        "trust=ready": {"sure"},
        "trust=look": {"flagged", "late"},
        "trust=you": {"weak"},
        f"owner={me}": {"weak"},
        "owner=me": {"weak"},
        "owner=nobody": {"sure", "flagged", "late"},
        "overdue=yes": {"late"},
        "category=billing&trust=look&owner=nobody&overdue=yes": {"late"},
        "category=billing&trust=you": set(),
        "category=nonsense&trust=x&owner=y&overdue=z": {"sure", "flagged", "weak", "late"},
        f"mailbox={pipeline.mailbox_id}&category=billing": {"sure", "late"},
    }.items():
        assert await listed(reviewer, f"{QUEUE}?{query}") == expected, query
    assert "Nothing in review fits these filters." in (await reviewer.get(f"{QUEUE}?category=billing&trust=you")).text


async def test_a_decision_stays_within_the_filter(pipeline: Running, reviewer: Reader, queue: dict[str, UUID]) -> None:
    """The next message shown is one that fits too, and a batch comes back to the same list (P116, P117)."""
    address = f"{QUEUE}?category=billing"
    await reviewer.get(f"{address}&at={queue['late']}")
    answer = await reviewer.submit(f"{queue['late']}/reject")
    assert answer.headers["location"] == f"{address}&at={queue['sure']}"
    await reviewer.get(address)
    sent = {"action": "reject", "item": str(queue["sure"]), "back": back_of(reviewer)}
    answer = await reviewer.post("/dashboard/bulk", sent)
    assert answer.headers["location"] == address and await status(pipeline, queue["sure"]) == "rejected"
    assert await listed(reviewer, QUEUE) == {"flagged", "weak"}


async def test_what_is_overdue_is_told_quietly(pipeline: Running, queue: dict[str, UUID]) -> None:  # P101
    """Counted for the owner, or for everybody where nobody owns it; marked in list and page; nothing is decided."""
    anna, ben = await reader_as(pipeline, "reviewer", "Anna O"), await reader_as(pipeline, "reviewer", "Ben O")
    for reader in (anna, ben):
        assert 'class="late-mine"' in (await reader.get(QUEUE)).text
    await pipeline.sql(
        "UPDATE inbound_messages SET assigned_to = (SELECT id FROM users WHERE name = 'Anna O') WHERE id = $1",
        queue["late"],
    )
    assert "1 overdue" in (await anna.get(QUEUE)).text.split('class="late-mine"')[1][:400]
    assert 'class="late-mine"' not in (await ben.get(QUEUE)).text
    page = (await ben.get(f"{QUEUE}?at={queue['late']}")).text
    assert "overdue since" in page and "1 overdue" in page
    assert await status(pipeline, queue["late"]) == "draft_ready"


def test_a_sieve_keeps_only_what_means_something() -> None:  # P116
    """Unknown words are left out, and the statement gets nothing but enums, an id and a truth value."""
    one = UUID(int=7)
    sieve = Sieve.of({"category": "billing' OR 1=1", "trust": "you", "owner": str(one), "overdue": "yes", "x": "y"})
    assert sieve.chosen() == {"trust": "you", "owner": str(one), "overdue": "yes"}
    assert sieve.values(UUID(int=1)) == (None, "you", "one", one, True)
    assert Sieve.of({"owner": "me"}).values(one) == (None, None, "one", one, False)
    assert Sieve.of({"owner": "nobody"}).values(one)[2:4] == ("nobody", None)


async def test_equal_failures_are_tried_again_by_one_press(pipeline: Running) -> None:  # P118, P119
    """Listed as one group with its count and step; each message has its own result, and the group is gone."""
    pipeline.model.answer("classify_answer", Fails(401))
    try:
        ids = [await pipeline.arrive(mail(subject=f"equal {n}")) for n in range(3)]
        for message_id in ids:
            await pipeline.until(message_id, "failed")
    finally:
        pipeline.model.answer("classify_answer", DEFAULT_ANSWERS["classify_answer"])
    (group,) = (await pipeline.get("/api/failures")).json()["groups"]
    assert (group["failed_step"], group["error_type"], group["mails"]) == ("classify", "BadApiKey", 3)
    reader = await reader_as(pipeline, "reviewer")
    page = (await reader.get("/dashboard/inbox/failed")).text
    assert "BadApiKey" in page and "Retry all 3" in page
    assert (await reader.submit("/failed/retry")).headers["location"] == "/dashboard/inbox/failed"
    assert "3 are tried again." in (await reader.get("/dashboard/inbox/failed")).text
    for message_id in ids:
        await pipeline.until(message_id, "draft_ready")
    again = await pipeline.post("/api/failures/retry", {"failed_step": "classify", "error_type": "BadApiKey"})
    assert again.status_code == 409 and again.json()["error"] == "conflict"
    assert (await pipeline.get("/api/failures")).json()["groups"] == []


@pytest.mark.parametrize("language", ["de", "en"])
async def test_a_refusal_is_told_in_the_language_of_the_page(pipeline: Running, language: str) -> None:  # P98
    """A late click on a German page holds no English sentence of the API."""
    message_id = await drafted(pipeline)
    reader = await reader_as(pipeline, "reviewer")
    await reader.get(QUEUE)
    await reader.post("/dashboard/preferences", {"language": language, "scheme": "", "back": QUEUE})
    await reader.get(f"{QUEUE}?at={message_id}")
    await pipeline.act(message_id, "reject")
    answer = await reader.submit(f"{message_id}/approve")
    page = (await reader.get(answer.headers["location"])).text
    assert ("Nicht getan: Es ist schon abgeschlossen." in page) == (language == "de")
    assert ("nichts wurde geändert" in page) == (language == "de")
    assert ("nothing was changed" in page) == (language == "en")
