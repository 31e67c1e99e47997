"""The settings in a browser: typed and saved by keyboard, a preview while typing, narrow, dark, and nothing from
elsewhere."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import Page, expect

from api.dashboard.settings.fields import SECTIONS
from tests.browser.chromium import chromium_of_tests
from tests.browser.readable import flaws
from tests.browser.visitors import Visitors
from tests.integration.running import Running
from tests.integration.settings_forms import ROOT

NARROW = {"width": 360, "height": 740}


@pytest_asyncio.fixture
async def people(api_only: Running) -> AsyncIterator[Visitors]:
    """Browsers of people of an installation without a worker."""
    async with chromium_of_tests() as browser:
        yield Visitors(api_only, browser)


def box(running: Running, part: str = "") -> str:
    """The address of a page of the default mailbox."""
    return f"{running.url}{ROOT}/mailboxes/{running.mailbox_id}{f'/{part}' if part else ''}"


def all_pages(running: Running) -> list[str]:
    """Every page of the settings."""
    places = [f"{running.url}{ROOT}{place}" for place in ("", "/sources", "/model", "/history")]
    return [*places, box(running), box(running, "flags"), *(box(running, section) for section in SECTIONS)]


async def opened(page: Page, url: str) -> None:
    """A page with all its folds open."""
    await page.goto(url)
    await page.evaluate("document.querySelectorAll('main details').forEach(d => { d.open = true })")


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_every_page_is_readable_for_all(api_only: Running, people: Visitors, scheme: str) -> None:
    """No serious finding of axe, narrow as well; nothing is wider than a phone; nobody else is asked for anything."""
    page = await people.arrive("admin", color_scheme=scheme, locale="de-DE")
    await page.set_viewport_size(NARROW)
    for url in all_pages(api_only):
        await opened(page, url)
        assert await flaws(page) == [], url
        assert await page.evaluate("document.querySelector('main').scrollWidth") <= NARROW["width"], url
    assert [url for url in people.asked if not url.startswith(f"{api_only.url}/")] == []


async def test_a_setting_is_changed_by_keyboard_alone(api_only: Running, people: Visitors) -> None:
    """From the rail to the saved word; a wrong value is led to by its link, and what was typed still stands there."""
    page = await people.arrive("admin")
    await page.locator(".places a[href='/dashboard/settings']").focus()
    await page.keyboard.press("Enter")
    await expect(page.locator(".card h2 a").first).to_be_visible()
    await page.locator(".card h2 a").first.focus()
    await page.keyboard.press("Enter")
    await page.locator(".parts a", has_text="Sending").focus()
    await page.keyboard.press("Enter")
    field = page.get_by_label("Undo after an approval")
    await field.focus()
    await page.keyboard.press("Control+a")
    await page.keyboard.type("500")
    await page.keyboard.press("Enter")
    await page.locator("#wrong a").focus()
    await page.keyboard.press("Enter")
    await expect(field).to_be_focused()
    await expect(field).to_have_value("500")
    await page.keyboard.press("Control+a")
    await page.keyboard.type("20")
    await page.keyboard.press("Enter")
    await expect(page.locator(".corner .note")).to_contain_text("Saved.")
    saved = "SELECT human_undo_ms FROM agent_config WHERE mailbox_id = $1"
    assert await api_only.value(saved, api_only.mailbox_id) == 20_000


async def test_the_preview_follows_the_typing(api_only: Running, people: Visitors) -> None:
    """Without a click and without losing the place; markup stays text, and nothing is saved."""
    page = await people.arrive("admin")
    await page.goto(box(api_only, "replies"))
    field = page.get_by_label("Signature")
    await field.focus()
    await page.keyboard.type("Yours, <b>Ada</b>")
    await expect(page.locator(".preview .body")).to_contain_text("Yours, <b>Ada</b>")
    await expect(field).to_be_focused()
    await page.keyboard.type("!")
    await expect(page.locator(".preview .body")).to_contain_text("Yours, <b>Ada</b>!")
    await expect(field).to_have_value("Yours, <b>Ada</b>!")
    assert await page.locator(".preview b").count() == 0
    assert await api_only.value("SELECT max(signature_template) FROM agent_config") == ""


async def test_a_secret_is_copied_and_gone(api_only: Running, people: Visitors) -> None:  # RC15
    """The button copies the shell text as it stands; after a reload the secret is nowhere on the page."""
    page = await people.arrive("admin", permissions=["clipboard-read", "clipboard-write"])
    await page.goto(f"{api_only.url}{ROOT}/sources")
    await page.get_by_text("Add a source").first.click()
    await page.locator("#f-name").fill("copied")
    await page.locator(".more-box button.primary").click()
    secret = await page.locator("#secret").inner_text()
    shell = page.locator("#source-copied pre.shell")
    await page.locator("#source-copied details.fold [data-copy]").click()
    await expect(page.locator("#spoken")).to_contain_text("Copy")
    copied = await page.evaluate("navigator.clipboard.readText()")
    assert copied == await shell.text_content() and secret in copied
    await page.reload()
    assert secret not in await page.content()
