"""Two hundred hostile mails opened in their conversations, while a server listens where they would call (HU1, HU2)."""

import asyncio
from uuid import UUID

import pytest
from playwright.async_api import Dialog, Page, expect

from adapters.postgres import Database
from bench.fifty_thousand.plan import Ending
from bench.fifty_thousand.story import Story
from domain.keys import Keyring
from tests.browser.chromium import chromium_of_tests
from tests.browser.hostile_mails import HOST, MARK, bodies, hostile_mail
from tests.browser.visitors import Visitors
from tests.integration.running import MAILBOX, Running

EARLIER_TOO = "document.querySelectorAll('.letters > details, details.earlier').forEach(d => { d.open = true })"
A_CONVERSATION, CONVERSATIONS = 20, 10


async def delivered(running: Running, mails: list[str], thread: int) -> UUID:
    """These through door, parser and lifecycle, each an answer to the one before; their conversation."""
    await running.sql("UPDATE agent_config SET coalesce_window_ms = 0")
    person = await running.value("SELECT id FROM users LIMIT 1")
    database = await Database.connect(running.database_url, most=2)
    threads = set()
    for number, html in enumerate(mails):
        async with database.transaction(lifecycle=True) as tx:
            story = Story(tx, Keyring(running.key), person)
            await story.tell(hostile_mail(MAILBOX, html, thread, number), Ending.DISMISSED, number)
            threads.add(await story.thread_id())
    await database.close()
    (thread_id,) = threads
    return thread_id


async def open_every_mail(page: Page, url: str) -> None:
    """Unfolds each mail, then its designed form, waits until that is drawn, and clicks into it."""
    await page.goto(url)
    await expect(page.locator(".letter")).to_have_count(A_CONVERSATION)
    await page.evaluate(EARLIER_TOO)
    folds = page.locator(".letter details.fold:has(iframe.mail)")
    await expect(folds).to_have_count(A_CONVERSATION)
    for n in range(A_CONVERSATION):
        async with page.expect_event("requestfinished", lambda request: request.url.endswith("/html")):
            await folds.nth(n).evaluate("fold => { fold.open = true; fold.scrollIntoView(); }")
        drawn = folds.nth(n).frame_locator("iframe.mail").locator("body")
        await expect(drawn).to_contain_text(MARK)
        await drawn.click(position={"x": 20, "y": 40}, force=True)


def test_there_are_two_hundred() -> None:
    """Each is another attempt."""
    assert len(set(bodies())) == A_CONVERSATION * CONVERSATIONS == 200


@pytest.mark.parametrize("thread", range(CONVERSATIONS))
async def test_hostile_mails_reach_nobody(api_only: Running, thread: int) -> None:  # HU1, HU2
    """Twenty of two hundred, opened and clicked: nobody else is asked, nobody calls the listener, no script runs."""
    called: list[str] = []

    async def note(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        called.append((await reader.read(200)).decode("latin-1"))
        writer.close()

    mails = bodies()[thread * A_CONVERSATION :][:A_CONVERSATION]
    thread_id = await delivered(api_only, mails, thread)
    listener = await asyncio.start_server(note, "127.0.0.1", 0)
    port = listener.sockets[0].getsockname()[1]
    async with listener, chromium_of_tests(f"--host-resolver-rules=MAP {HOST} 127.0.0.1:{port}") as browser:
        visitors = Visitors(api_only, browser)
        page = await visitors.arrive()
        spoken: list[str] = []

        async def dismiss(dialog: Dialog) -> None:
            spoken.append(dialog.message)
            await dialog.dismiss()

        page.on("dialog", dismiss)
        page.context.on("page", lambda other: spoken.append(other.url))
        page.context.on("request", lambda request: visitors.asked.append(request.url))
        await open_every_mail(page, f"{api_only.url}/dashboard/inbox/{thread_id}")
        assert page.url == f"{api_only.url}/dashboard/inbox/{thread_id}"
    assert [url for url in visitors.asked if not url.startswith((f"{api_only.url}/", "data:"))] == []
    assert called == [] and spoken == []
    assert len({url for url in visitors.asked if url.endswith("/html")}) == len(mails)


async def test_the_listener_would_hear_it() -> None:
    """The same browser asked to go there does reach the server that listens, so that silence means something."""
    heard = asyncio.Event()

    async def note(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.set()
        writer.write(b"HTTP/1.1 204 No Content\r\n\r\n")
        writer.close()

    listener = await asyncio.start_server(note, "127.0.0.1", 0)
    port = listener.sockets[0].getsockname()[1]
    async with listener, chromium_of_tests(f"--host-resolver-rules=MAP {HOST} 127.0.0.1:{port}") as browser:
        page = await browser.new_page()
        await page.set_content(f'<img src="http://{HOST}/seen">')
        await asyncio.wait_for(heard.wait(), 30)
