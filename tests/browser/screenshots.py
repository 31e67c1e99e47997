"""Every page of the dashboard as pictures, light and dark, desktop and phone, from the demo.

Called as `python -m tests.browser.screenshots`.
Starts a Deskhand of its own in a temporary folder, unless DESKHAND_URL and DESKHAND_PASSWORD name one that runs.
"""

import os
import re
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page

from api.dashboard.settings.fields import SECTIONS
from cli.stack.ports import spare_ports
from tests.browser.chromium import chromium, sign_in
from tests.browser.every_page import NO_PAGES, paths_of_the_table

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "screenshots"
ADMIN = "admin@localhost"
SIZES = {"desktop": (1400, 900), "phone": (360, 740)}
PATIENCE_S = 120
SIGN_IN = "/dashboard/sign-in"
DEEPER = ("/dashboard/settings/autonomy/support", "/dashboard/settings/sources/default/rotate")
# A picture is taken of what stands still.
UNHURRIED = "() => document.fonts.ready.then(() => true)"
@contextmanager
def demo() -> Iterator[tuple[str, str]]:
    """URL and password of a Deskhand that has the demo mails."""
    if "DESKHAND_URL" in os.environ:
        yield os.environ["DESKHAND_URL"], os.environ["DESKHAND_PASSWORD"]
        return
    with tempfile.TemporaryDirectory() as folder:
        ports = spare_ports()
        env = {**os.environ, "DESKHAND_STATE_DIR": f"{folder}/state", **{k: str(v) for k, v in ports.named().items()}}
        log = Path(folder, "run.log")
        deskhand = str(Path(sys.executable).with_name("deskhand"))
        with log.open("wb") as out:
            running = subprocess.Popen([deskhand, "run"], env=env, stdout=out, stderr=out, cwd=ROOT)
        try:
            link = _until(log, r"(http\S+/dashboard/invitation/\S+)")
            _until(log, r"Data and logs")
            subprocess.run([deskhand, "demo"], env=env, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
            yield f"http://127.0.0.1:{ports.api_port}", _chosen(link)
        finally:
            running.send_signal(signal.SIGINT)
            running.wait(60)


def _until(log: Path, pattern: str) -> str:
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        match = re.search(pattern, log.read_text("utf-8", "replace"))
        if match:
            return match[match.lastindex or 0]
        time.sleep(0.2)
    raise SystemExit(f"Deskhand did not start:\n{log.read_text('utf-8', 'replace')}")


def _chosen(link: str) -> str:
    """Chooses the password of the administrator through the link of the first start."""
    password = secrets.token_urlsafe(16)
    with chromium() as browser:
        page = browser.new_page()
        page.goto(link)
        page.locator("[name=password]").fill(password)
        page.locator("[name=again]").fill(password)
        page.keyboard.press("Enter")
        page.wait_for_selector(".rail")
    return password


def main() -> None:
    """Writes all pictures and prints how many."""
    FOLDER.mkdir(exist_ok=True)
    with demo() as (url, password), chromium() as browser:
        for scheme in ("light", "dark"):
            for size in SIZES:
                _shoot(browser, url, password, scheme, size)
    print(f"{len(list(FOLDER.glob('*.png')))} pictures in {FOLDER}")


def _shoot(browser: Browser, url: str, password: str, scheme: str, size: str) -> None:
    width, height = SIZES[size]
    context = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": height}, locale="en-GB")  # type: ignore[arg-type]
    page = context.new_page()

    def keep(name: str) -> None:
        page.screenshot(path=FOLDER / f"{name}-{size}-{scheme}.png", full_page=True)

    page.goto(f"{url}/dashboard/sign-in")
    keep("sign-in")
    sign_in(page, url, ADMIN, password)
    for place in _places(page, url):
        page.goto(url + place)
        page.evaluate(UNHURRIED)
        keep(_name_of(place))
    _conversations(page, url, keep)
    context.close()


def _places(page: Page, url: str) -> list[str]:
    """Every page whose address has no hole, and those of the first mailbox."""
    alone = sorted(path for path in paths_of_the_table() - NO_PAGES if "{" not in path and path != SIGN_IN)
    page.goto(f"{url}/dashboard/settings")
    box = page.locator("main a[href*='/settings/mailboxes/']").first.get_attribute("href")
    parts = ("", "/flags", "/addresses/add", *(f"/{section}" for section in SECTIONS))
    return [*alone, *DEEPER, *(f"{box}{part}" for part in parts)]


def _name_of(place: str) -> str:
    """The address without what differs from one installation to the next."""
    return re.sub(r"mailboxes-[0-9a-f-]{36}", "mailbox", place.removeprefix("/dashboard/").replace("/", "-"))


def _conversations(page: Page, url: str, keep) -> None:  # type: ignore[no-untyped-def]
    for place, name in (("inbox", "thread"), ("inbox/review", "review-item"), ("inbox/quarantine", "quarantine-item")):
        page.goto(f"{url}/dashboard/{place}")
        rows = page.locator("[data-row]")
        if rows.count():
            _open_first(page)
            keep(name)
    page.goto(f"{url}/dashboard/inbox/review")
    if page.locator("[data-row]").count():
        _open_first(page)
        page.keyboard.press("e")
        page.wait_for_timeout(200)
        keep("review-edit")
    page.goto(f"{url}/dashboard/inbox/{'0' * 8}-0000-0000-0000-{'0' * 12}")
    keep("not-found")


def _open_first(page: Page) -> None:
    before = page.url
    page.locator("[data-row]").first.click()
    page.wait_for_function("before => location.href !== before", arg=before)
    page.wait_for_timeout(400)


if __name__ == "__main__":
    main()
