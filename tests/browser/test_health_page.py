"""The health page as people see it: what stopped, on what evidence, what it costs, who may close a breaker (P120)."""

import re
from collections.abc import Callable

import pytest
from selectolax.lexbor import LexborHTMLParser

from tests.browser.health_rows import a_day, trip
from tests.browser.visitors import Reader, Visitors, new_person
from tests.integration.running import Running

PAGE = "/dashboard/health"


@pytest.fixture(scope="module")
def quiet(run_deskhand: Callable[..., Running]) -> Running:
    """A Deskhand that has just been started and whose worker does nothing."""
    return run_deskhand(with_worker=False)


async def reader(running: Running, role: str) -> Reader:
    """Somebody signed in, without a script."""
    one = Reader(running)
    await one.sign_in(await new_person(running, role))
    return one


def words(page: str) -> str:
    """The text of a page."""
    body = LexborHTMLParser(page).css_first("main")
    return re.sub(r"\s+", " ", body.text() if body else "")


async def test_a_new_mailbox_says_what_is_not_known_yet(quiet: Running) -> None:  # P120, 15.1
    """No data is no value and never a zero; three closed breakers that nobody has looked at."""
    one = await reader(quiet, "viewer")
    assert (await one.get(PAGE)).status_code == 200
    text = words(one.page)
    assert text.count("No data yet") == 9 and "Not looked at yet" in text and text.count("closed") >= 3
    assert "No model was called in this time." in text and "No ceiling is set." in text
    assert 'd=""' in one.page and "reset" not in one.forms()


async def test_the_page_shows_evidence_cost_and_ceilings(quiet: Running) -> None:  # P120, P93, P110, P111
    """Counted from the rows: state with evidence, cost by step and by model, the ceiling that warns."""
    await a_day(quiet)
    one = await reader(quiet, "viewer")
    await one.get(PAGE)
    text = words(one.page)
    assert "open: nothing is sent alone" in text and "7 of 24 calls failed (29 %)." in text
    assert "half open: a few on trial" in text and "1 of 3 trial approvals used" in text
    assert "Fewer than 5 decide nothing." in text
    assert "Opens above 20 % of at least 10, within 15 minutes" in text
    assert "0.4640 USD of 0.5500 USD" in text and "84 % of the ceiling: automatic work stops at 100 %" in text
    costs = LexborHTMLParser(one.page).css("table.figures")
    assert [re.sub(r"\s+", " ", c.css_first("tbody tr").text()).strip() for c in costs] == [
        "Draft no price: counted at the highest40432000 / 48000.4400 USD",
        "new-and-capable no price: counted at the highest40432000 / 48000.4400 USD",
    ]  # fmt: skip
    assert "only the model's own confidence" in text and "reset" not in one.forms()


async def test_a_gap_is_drawn_as_a_gap(quiet: Running) -> None:  # 15.1
    """The curve is broken where no rollup ran."""
    one = await reader(quiet, "viewer")
    await one.get(PAGE)
    curves = [c.attributes["d"] or "" for c in LexborHTMLParser(one.page).css("path.curve")]
    assert len(curves) == 9 and all(c.count("M") >= 2 for c in curves)
    assert len(LexborHTMLParser(one.page).css("path.limit")) == 1
    await one.get(f"{PAGE}?span=week")
    assert "in 7 days" in words(one.page)
    assert (await one.get(f"{PAGE}?span=nonsense&mailbox=nobody")).status_code == 200


async def test_an_admin_closes_a_breaker_with_a_note(quiet: Running) -> None:  # P96
    """Without a note nothing changes and the page says why; with one it is closed, audited, and told."""
    await trip(quiet)
    one = await reader(quiet, "admin")
    await one.get(PAGE)
    assert (await one.submit("llm_failure/reset", note="  ")).status_code == 303
    await one.get(PAGE)
    assert "say why automation may be trusted again" in one.page.lower() and "Close by hand" in one.page
    await one.submit("llm_failure/reset", note="The endpoint answers again <b>")
    await one.get(PAGE)
    assert "The breaker is closed." in one.page and "The endpoint answers again &lt;b&gt;" in one.page
    row = await quiet.rows(
        "SELECT * FROM agent_circuit_breakers WHERE kind = 'llm_failure' AND mailbox_id = $1", quiet.mailbox_id
    )
    assert row[0]["state"] == "closed" and row[0]["recovered_at"] is not None
    audit = await quiet.rows("SELECT actor, subject FROM audit_log WHERE action = 'breaker'")
    assert [(a["actor"][:5], a["subject"]) for a in audit] == [("user:", "breaker/llm_failure")]
    again = f"{PAGE}/breakers/{quiet.mailbox_id}/llm_failure/reset"
    await one.post(again, {"note": "x"})
    await one.get(PAGE)
    assert "the breaker is closed already" in one.page


async def test_only_an_admin_closes_a_breaker(quiet: Running) -> None:  # P96, P97
    """No button for others, and the address refuses them; an unknown breaker is not found."""
    await trip(quiet)
    one = await reader(quiet, "reviewer")
    await one.get(PAGE)
    assert "reset" not in one.forms()
    assert (await one.post(f"{PAGE}/breakers/{quiet.mailbox_id}/llm_failure/reset", {"note": "x"})).status_code == 403
    state = "SELECT state FROM agent_circuit_breakers WHERE kind = 'llm_failure' AND mailbox_id = $1"
    assert await quiet.value(state, quiet.mailbox_id) == "open"
    admin = await reader(quiet, "admin")
    await admin.get(PAGE)
    assert (await admin.post(f"{PAGE}/breakers/{quiet.mailbox_id}/nothing/reset", {"note": "x"})).status_code == 404
    assert (
        await admin.post(f"{PAGE}/breakers/{'0' * 8}-0000-0000-0000-{'0' * 12}/llm_failure/reset", {"note": "x"})
    ).status_code == 404


async def test_a_thrown_switch_is_the_first_thing_to_see(quiet: Running) -> None:  # P92, P120
    """Who, when and why, and the way back for an admin."""
    await quiet.post(f"/api/mailboxes/{quiet.mailbox_id}/kill_switch", {"cause": "wrong prices"})
    one = await reader(quiet, "admin")
    await one.get(PAGE)
    assert "wrong prices" in words(one.page) and "Stopped" in words(one.page)
    await one.submit("kill-switch/lift")
    await one.get(PAGE)
    assert "Not stopped" in words(one.page)


@pytest.mark.parametrize("width", [360, 1400])
async def test_nothing_is_cut_off(visitors: Visitors, width: int) -> None:
    """No part of the page is wider than the screen, in either language."""
    await a_day(visitors.running)
    for locale in ("en-GB", "de-DE"):
        page = await visitors.arrive("admin", locale=locale)
        await page.set_viewport_size({"width": width, "height": 800})
        await page.goto(f"{visitors.running.url}{PAGE}")
        await page.wait_for_selector(".plots .curve")
        wide = await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        inside = await page.evaluate("(m => m.scrollWidth - m.clientWidth)(document.querySelector('main'))")
        assert (wide, inside) == (0, 0)
    assert all(url.startswith(visitors.running.url) for url in visitors.asked)
