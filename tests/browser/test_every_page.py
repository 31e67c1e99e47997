"""No page is left out: each is readable for all, in light at a desk and in dark on a phone, and none is too wide."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest
import pytest_asyncio
from playwright.async_api import Page

from tests.browser.chromium import chromium_of_tests
from tests.browser.every_page import NO_PAGES, House, addresses, lived_in, paths_of_the_table
from tests.browser.readable import flaws
from tests.browser.visitors import Visitors
from tests.integration.running import Running

LOOKS: dict[str, dict[str, Any]] = {
    "a desk in light": {"color_scheme": "light", "viewport": {"width": 1400, "height": 900}},
    "a phone in dark": {"color_scheme": "dark", "viewport": {"width": 360, "height": 740}},
}
WITHOUT_SESSION = ("/dashboard/sign-in", "/dashboard/invitation/{token}")
# What lies outside the window to the right, inside the page: the name of the widest helps to mend it.
STICKS_OUT = """() => {
  const inner = [...document.querySelectorAll("main, .list, .rows, .talk, .side")];
  const edge = n => Math.floor(n.getBoundingClientRect().left + n.scrollWidth);
  const wide = Math.max(document.documentElement.scrollWidth, ...inner.map(edge));
  if (wide <= innerWidth) return "";
  const far = [...document.querySelectorAll("body *")].filter(n => n.getBoundingClientRect().right > innerWidth + 1);
  return `${wide} px: ` + far.slice(0, 3).map(n => n.outerHTML.slice(0, 120)).join(" | ");
}"""


@pytest_asyncio.fixture
async def house(api_only: Running) -> House:
    """Filled once for the module."""
    if not hasattr(api_only, "lived_in"):
        api_only.lived_in = await lived_in(api_only)  # type: ignore[attr-defined]
    found: House = api_only.lived_in  # type: ignore[attr-defined]
    return found


async def test_every_address_of_the_table_is_looked_at(house: House) -> None:
    """A page that is added to the table and to no list here fails; so does a list that names a page which is gone."""
    assert paths_of_the_table() - NO_PAGES == set(addresses(house))


async def flaws_at(page: Page, url: str) -> list[str]:
    """Serious findings of axe with everything unfolded, and what sticks out."""
    await page.goto(url)
    await page.evaluate("document.querySelectorAll('main details').forEach(d => { d.open = true })")
    told = await flaws(page)
    wide = await page.evaluate(STICKS_OUT)
    return [*told, *([f"too wide, {wide}"] if wide else [])]


@pytest.mark.parametrize("look", LOOKS)
async def test_every_page_is_readable_for_all(house: House, look: str) -> None:
    """No serious or critical finding, nothing wider than the window, and nothing asked of anybody else."""
    asked: list[str] = []
    async with chromium_of_tests() as browser:
        signed_in = await Visitors(house.running, browser).arrive("admin", **LOOKS[look])
        stranger = await (await browser.new_context(locale="en-GB", **LOOKS[look])).new_page()
        for page in (signed_in, stranger):
            page.on("request", lambda request: asked.append(request.url))
        found = {}
        for path, places in addresses(house).items():
            page = stranger if path in WITHOUT_SESSION else signed_in
            found |= {place: await flaws_at(page, house.running.url + place) for place in places}
    assert {place: told for place, told in found.items() if told} == {}
    assert [url for url in asked if not url.startswith((f"{house.running.url}/", "data:"))] == []
    assert len(found) >= len(addresses(house))


@pytest.fixture(scope="module")
def new_house(run_deskhand: Callable[..., Running]) -> Running:
    """Nothing has happened there yet."""
    return run_deskhand(with_worker=False)


async def test_empty_pages_are_readable_for_all(new_house: Running) -> None:
    """What is said where nothing is fits a phone, and no empty state is cut off."""
    running, empty = new_house, House(new_house, "", {}, "/dashboard/invitation/unknown", str(UUID(int=0)))
    async with chromium_of_tests() as browser:
        page = await Visitors(running, browser).arrive("admin", **LOOKS["a phone in dark"])
        places = [place for path, some in addresses(empty).items() if path not in WITHOUT_SESSION for place in some]
        found = {place: await flaws_at(page, running.url + place) for place in places}
    assert {place: told for place, told in found.items() if told} == {}


PANES = """() => ["list", "talk", "side"].map(name => {
  const box = document.querySelector(`main > .${name}`).getBoundingClientRect();
  return [Math.round(box.left), Math.round(box.right), Math.round(box.top)];
})"""


@pytest.mark.parametrize("clicked", [False, True], ids=["as it opens", "after a click"])
async def test_three_panes_stand_side_by_side(house: House, clicked: bool) -> None:
    """On a wide screen list, conversation and evidence share one line, also for a message that the address names."""
    async with chromium_of_tests() as browser:
        page = await Visitors(house.running, browser).arrive("admin", viewport={"width": 1400, "height": 900})
        await page.goto(f"{house.running.url}/dashboard/inbox/review")
        if clicked:
            await page.locator("[data-row]").first.click()
            await page.wait_for_url("**at=*")
        await page.wait_for_selector("main > .side")
        (left, talk, side) = await page.evaluate(PANES)
        assert left[1] <= talk[0] and talk[1] <= side[0] and left[2] == talk[2] == side[2]


async def test_nothing_lies_over_anything_in_the_head_of_the_list(house: House) -> None:
    """At 360 px the filters and the order of the list do not share a line."""
    async with chromium_of_tests() as browser:
        page = await Visitors(house.running, browser).arrive(viewport={"width": 360, "height": 740})
        filters, order = await page.locator(".filters").bounding_box(), await page.locator(".sort").bounding_box()
        assert filters is not None and order is not None and filters["y"] + filters["height"] <= order["y"] + 1
