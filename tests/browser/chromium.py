"""Debian's chromium under playwright: how it is started, and what every visitor of the pages needs."""

from collections.abc import Iterator
from contextlib import contextmanager

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
