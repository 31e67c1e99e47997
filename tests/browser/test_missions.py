"""Missions on the pages: start one, see it work without a reload, answer its gate, look at a result, stop it; on a
phone, in German, and without a script."""

from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Page, expect

from tests.browser.chromium import chromium_of_tests
from tests.browser.readable import fits, flaws
from tests.browser.visitors import Reader, Visitors, new_person
from tests.integration.mission_seats import MODEL, seats
from tests.integration.running import Running

PLACE = "/dashboard/missions"
PHONE: Any = {"width": 360, "height": 740}


@pytest.fixture(scope="module")
def house(run_deskhand: Callable[..., Running]) -> Iterator[Running]:
    """Everything, with rules in the seats of missions."""
    with seats():
        yield run_deskhand()


@pytest_asyncio.fixture
async def people(house: Running) -> AsyncIterator[Visitors]:
    """Browsers of people of that house."""
    async with chromium_of_tests() as browser:
        yield Visitors(house, browser)


async def begin(page: Page, url: str, goal: str) -> None:
    """Through the composer, to the page of the mission."""
    await page.goto(url + PLACE)
    await page.locator("#goal").fill(goal)
    await page.locator("form.goal button.primary").click()
    await page.wait_for_url("**/dashboard/missions/*-*")


async def test_a_mission_is_started_watched_and_answered(people: Visitors) -> None:
    """By keyboard and click, without one reload: tasks appear, the gate asks, a result shows its source, it ends."""
    # M5 M18 M53 M132 6.4
    page = await people.arrive("reviewer")
    await begin(page, people.running.url, "delegate the billing threads")
    await expect(page.locator("#tree .branch", has_text="reply-one")).to_contain_text("finished")
    await expect(page.locator("#gate .question")).to_have_text("Which week?")
    assert "Replies are late." in await page.locator("#gate").inner_text() and await flaws(page) == []
    await page.locator("#tree .branch", has_text="reply-two").click()
    panel = page.locator("#panel")
    await expect(panel).to_contain_text("the invoice is corrected.")
    told = await panel.inner_text()
    assert all(words in told for words in ("kb/7", MODEL, "$0.0021", "The amount is from a quote."))
    assert await flaws(page) == []
    await page.locator("#gate-text").fill("last week")
    await page.keyboard.press("Control+Enter")
    await expect(page.locator("#mission-head")).to_contain_text("All replies are prepared.")
    await expect(page.locator("#gate .gate")).to_have_count(0)
    await expect(page.locator("#tree")).to_contain_text("answered and used")


async def test_what_is_being_typed_is_left_alone(people: Visitors) -> None:
    """A gate that changes under somebody's hands keeps their words, and the tree beside it goes on."""
    # M118
    page = await people.arrive("reviewer")
    await begin(page, people.running.url, "ask while I type")
    await page.locator("#gate-text").fill("half a sent")
    mission_id = page.url.rpartition("/")[2]
    gate = await people.running.value("SELECT gate_id FROM mission_gates WHERE mission_id::text = $1", mission_id)
    body = {"gate_id": gate, "text": "somebody else was quicker"}
    assert (await people.running.post(f"/api/missions/{mission_id}/owner-input", body)).status_code == 200
    await expect(page.locator("#mission-head")).to_contain_text("completed")
    await expect(page.locator("#gate-text")).to_have_value("half a sent")
    await page.locator("#gate button.primary").click()
    note = page.get_by_role("alert")
    await expect(note).to_contain_text("the mission is closed")
    await expect(note.locator("textarea")).to_have_value("half a sent")


async def test_the_list_tells_who_waits(people: Visitors) -> None:
    """A gated mission shows its question; cancelled from its page it moves to the ended ones."""
    # M37
    page = await people.arrive("reviewer")
    await begin(page, people.running.url, "ask and be stopped")
    mission_id = page.url.rpartition("/")[2]
    await expect(page.locator("#gate .question")).to_be_visible()
    await page.goto(f"{people.running.url}{PLACE}?show=waits")
    await expect(page.locator(f"#mission-{mission_id}")).to_contain_text("Which week?")
    assert await flaws(page) == []
    await page.locator(f"#mission-{mission_id}").click()
    await page.locator("#stop-it summary").click()
    await page.get_by_label("Why, for colleagues").fill("no longer needed")
    await page.get_by_role("button", name="Cancel it").click()
    await expect(page.locator("#mission-head")).to_contain_text("cancelled")
    await page.goto(f"{people.running.url}{PLACE}?show=ended")
    await expect(page.locator(f"#mission-{mission_id}")).to_contain_text("no longer needed")


async def test_on_a_phone_in_german(people: Visitors) -> None:
    """Everything fits at 360 pixels, the words are German, and the contrast holds in the dark."""
    page = await people.arrive("admin", locale="de-DE", viewport=PHONE, color_scheme="dark")
    await begin(page, people.running.url, "delegate auf Deutsch")
    await expect(page.locator("#gate")).to_contain_text("Warten kostet")
    assert await fits(page) and await flaws(page) == []
    await page.locator("#tree .branch", has_text="reply-one").click()
    await expect(page.locator("#panel")).to_contain_text("Entwurf von Deskhand")
    assert await fits(page) and await flaws(page) == []
    await page.goto(people.running.url + PLACE)
    await expect(page.locator("h1")).to_have_text("Aufträge")
    assert await fits(page) and await flaws(page) == []


async def test_without_a_script_and_without_the_right(people: Visitors) -> None:
    """Forms alone start, answer and refuse; a viewer reads and finds no form, and cannot send one either."""
    # HU5 HU8 M118
    running = people.running
    reader = Reader(running)
    await reader.sign_in(await new_person(running, "reviewer"))
    await reader.get(PLACE)
    made = await reader.submit(PLACE, text="ask plainly")
    path = made.headers["location"]
    assert made.status_code == 303 and path.startswith(PLACE + "/")

    async def asks() -> bool:
        return 'id="gate-text"' in (await reader.get(path)).text

    await running.eventually(asks)
    empty = await reader.submit("/answer", kind="instruct", text="")
    assert empty.status_code == 303 and 'role="alert"' in (await reader.get(path)).text
    await reader.submit("/answer", kind="approve")

    async def done() -> bool:
        return "All replies are prepared." in (await reader.get(path)).text

    await running.eventually(done)
    long = await reader.get(PLACE)
    before = await running.value("SELECT count(*) FROM missions")
    assert long.status_code == 200 and (await reader.submit(PLACE, text="x" * 20_001)).status_code == 303
    assert await running.value("SELECT count(*) FROM missions") == before
    viewer = Reader(running)
    await viewer.sign_in(await new_person(running, "viewer"))
    seen = await viewer.get(path)
    assert seen.status_code == 200 and not {"answer", "cancel"} & viewer.forms()
    await viewer.post(f"{path}/cancel", {"back": path})
    box = str(running.mailbox_id)
    assert (await viewer.post(PLACE, {"text": "ask", "mailbox": box, "back": PLACE})).status_code == 303
    assert await running.value("SELECT count(*) FROM missions") == before


async def test_what_an_agent_writes_is_only_text(people: Visitors) -> None:
    """Markup in a goal stands there as it was typed, and nothing of it runs or is asked for."""
    # HU3
    page = await people.arrive("reviewer")
    nasty = 'ask <img src="http://x.example/p.gif" onerror="document.title=1"> <b>bold</b>'
    await begin(page, people.running.url, nasty)
    await expect(page.locator("#gate .question")).to_be_visible()
    assert nasty in await page.locator("#mission-head h1").inner_text()
    assert not [address for address in people.asked if "x.example" in address]
