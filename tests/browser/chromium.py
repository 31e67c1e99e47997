"""Debian's chromium under playwright: how it is started, and what every visitor of the pages needs."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

from playwright.async_api import Browser as AsyncBrowser
from playwright.async_api import async_playwright
from playwright.sync_api import Browser, Page, sync_playwright

PROGRAM = "/usr/bin/chromium"
ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update",
    "--disable-sync",
]  # fmt: skip


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser of its own, gone at the end."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=PROGRAM, args=ARGUMENTS)
        try:
            yield browser
        finally:
            browser.close()


def sign_in(page: Page, url: str, email: str, password: str) -> None:
    """Through the form, as people do."""
    page.goto(f"{url}/dashboard/inbox")
    page.get_by_label("Mail address").or_(page.get_by_label("Mailadresse")).fill(email)
    page.locator("input[type=password]").fill(password)
    page.locator("input[type=password]").press("Enter")
    page.wait_for_selector(".rail")


@asynccontextmanager
async def chromium_of_tests(*more: str) -> AsyncIterator[AsyncBrowser]:
    """The same for tests, which are coroutines; `more` are further arguments of the program."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=PROGRAM, args=[*ARGUMENTS, *more])
        try:
            yield browser
        finally:
            await browser.close()
