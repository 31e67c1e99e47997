"""Earlier mail read by the real workflow, over REST and on the page: begun once, steered, seen (P108)."""

from uuid import UUID

from tests.integration.running import Running, mail
from tests.integration.settings_forms import form_of, person, texts
from tests.integration.test_api_knowledge import at

WORK = "/dashboard/knowledge/backfill"
CLAIM = {"type": "fact", "title": "Lamps", "content": "The sender owns a Fjord lamp.", "confidence": 0.7}


async def toggle(running: Running, name: str, on: bool) -> None:
    """One switch of the mailbox."""
    answer = await running.request("PUT", f"/api/mailboxes/{running.mailbox_id}/flags/{name}", json={"on": on})
    assert answer.status_code == 200, answer.text


async def newest(running: Running) -> dict[str, object]:
    """The newest pass as the API shows it."""
    jobs: list[dict[str, object]] = (await running.get(at(running, "/backfills"))).json()
    return jobs[0]


async def test_the_first_moment_of_both_flags_reads_history_once(pipeline: Running) -> None:
    """P108: mail that came before the flag is read by the workflow; the second toggle starts none."""
    pipeline.model.answer("extract_answer", {"claims": [CLAIM]})
    await toggle(pipeline, "ai.knowledge", False)
    message_id = await pipeline.arrive(mail(body="Hello, I own a Fjord lamp. When do you open? Regards, Anna"))
    await pipeline.until(message_id, "draft_ready")
    assert await pipeline.value("SELECT count(*) FROM knowledge_entries WHERE source_message_id = $1", message_id) == 0
    await toggle(pipeline, "ai.knowledge", True)
    await pipeline.eventually(lambda: _is_done(pipeline))
    assert await pipeline.value("SELECT count(*) FROM knowledge_entries WHERE source_message_id = $1", message_id) == 1
    await toggle(pipeline, "ai.agent", False)
    await toggle(pipeline, "ai.agent", True)
    assert await pipeline.value("SELECT count(*) FROM knowledge_backfill_jobs WHERE automatic") == 1
    job = await newest(pipeline)
    assert job["scanned"] == job["total"] and int(str(job["extracted"])) >= 1


async def _is_done(running: Running) -> bool:
    return (await newest(running))["status"] == "done"


async def test_a_pass_by_hand_is_steered_over_rest(pipeline: Running) -> None:
    """P108: begun by hand, cancelled once at most, refused for what is unknown; and the page shows it."""
    started = await pipeline.request("POST", at(pipeline, "/backfills"))
    assert started.status_code == 202 and not started.json()["automatic"]
    job_id = UUID(started.json()["id"])
    await pipeline.eventually(lambda: _is_done(pipeline))
    assert (await pipeline.request("POST", at(pipeline, f"/backfills/{job_id}/cancel"))).status_code == 409
    unknown = at(pipeline, f"/backfills/{pipeline.mailbox_id}/pause")
    assert (await pipeline.request("POST", unknown)).status_code == 404
    assert (await pipeline.get(at(pipeline, "/contradictions"))).json() == []


async def test_the_page_shows_and_steers_it(pipeline: Running) -> None:
    """P108: numbers and buttons on the page of knowledge; what cannot be done now is said there."""
    admin = await person(pipeline)
    page = (await admin.get("/dashboard/knowledge")).text
    assert texts(page, "#backfill-title") == ["Earlier mail"]
    form = {**form_of(page, WORK), "act": ["begin"], "job": [""]}
    assert (await admin.post(WORK, form)).status_code == 303
    await pipeline.eventually(lambda: _is_done(pipeline))
    shown = (await admin.get("/dashboard/knowledge")).text
    assert "mails read" in " ".join(texts(shown, "#backfill .card"))
    job = str((await newest(pipeline))["id"])
    assert (await admin.post(WORK, {**form, "act": ["pause"], "job": [job]})).status_code == 409
    assert (await admin.post(WORK, {**form, "act": ["dance"], "job": [job]})).status_code == 404
    viewer = await person(pipeline, "viewer")
    assert 'id="backfill"' not in (await viewer.get("/dashboard/knowledge")).text


PAIR = """WITH a AS (INSERT INTO knowledge_entries (mailbox_id, type, trust, said_by, title, content, content_sha256)
        VALUES ($1, 'fact', 'verified', 'team', 'Rooms', 'The house has twelve rooms.', 'pair-1') RETURNING id),
    b AS (INSERT INTO knowledge_entries (mailbox_id, type, trust, said_by, title, content, content_sha256)
        VALUES ($1, 'fact', 'verified', 'team', 'Rooms', 'The house has twenty rooms.', 'pair-2') RETURNING id)
    INSERT INTO knowledge_edges (mailbox_id, from_entry, to_entry, relation, provenance)
    SELECT $1, a.id, b.id, 'contradicts', 'upkeep' FROM a, b RETURNING id"""


async def test_a_contradiction_is_shown_and_settled(pipeline: Running) -> None:
    """P107: both sides stand on the page and in the API until a person lets them stand."""
    pair = await pipeline.value(PAIR, pipeline.mailbox_id)
    admin = await person(pipeline)
    page = (await admin.get("/dashboard/knowledge")).text
    (listed,) = (await pipeline.get(at(pipeline, "/contradictions"))).json()
    assert {listed["one"]["content"], listed["other"]["content"]} == {
        "The house has twelve rooms.", "The house has twenty rooms.",
    }  # fmt: skip
    assert "twelve rooms" in page and "twenty rooms" in page
    form = form_of(page, "/dashboard/knowledge/contradiction")
    assert form["pair"] == [str(pair)]
    assert (await admin.post("/dashboard/knowledge/contradiction", form)).status_code == 303
    assert (await pipeline.get(at(pipeline, "/contradictions"))).json() == []
