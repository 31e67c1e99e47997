"""Whether a page can be read by everybody: what axe finds, and what sticks out."""

from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Page


async def flaws(page: Page) -> list[str]:
    """Serious and critical findings of axe on this page."""
    found = (await Axe().run(page)).response["violations"]
    return [f"{v['id']}: {v['nodes'][0]['html'][:200]}" for v in found if v["impact"] in ("serious", "critical")]


async def fits(page: Page) -> bool:
    """Whether nothing sticks out to the right."""
    wide: bool = await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    return wide
