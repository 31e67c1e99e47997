"""`deskhand demo`: a dozen invented mails through the real webhook of a running stack, each followed to its end."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Annotated

import httpx2
import typer
from rich.console import Console

from adapters.settings import DeliveryChannel, Settings
from cli.access import RAW_SECRET, Access, find_access
from cli.api_client import open_api
from cli.demo_cases import new_mark
from cli.demo_pages import live_table, show_end
from cli.demo_run import DemoRun, add_demo_knowledge
from cli.door import Door
from cli.follow import Follower
from cli.knowledge_import import added_words
from cli.sent_mails import sent_mails
from cli.stack.first_access import RAW_SOURCE
from cli.tables import plain_console, safe_line, safe_text, say
from contracts.errors import DeskhandError

app = typer.Typer(help="Send a few real-looking mails through and follow each to its end.", invoke_without_command=True)


class NoDemoHere(DeskhandError):
    """This installation sends real mail; the demo would write invented knowledge into it."""


@app.callback()
def demo(
    context: typer.Context,
    again: Annotated[bool, typer.Option("--again", help="Send them as new mails, also after an earlier demo.")] = False,
) -> None:
    """Send a dozen invented mails through the running stack and follow each to its end. Exit code 1 if one strays."""
    if context.invoked_subcommand is None and not asyncio.run(_demo(find_access(), plain_console(), again)):
        raise typer.Exit(1)


@app.command()
def outbox() -> None:
    """The mails that left through the file channel, as a customer would have received them."""
    console, mails = plain_console(), sent_mails(_demo_settings().file_channel_dir)
    for mail in mails:
        say(console, f"=== {mail.file}", "bold")
        for name, value in (("To", mail.to), ("Subject", mail.subject), ("In-Reply-To", mail.in_reply_to)):
            say(console, f"{name}: {safe_line(value, 500)}")
        say(console, f"\n{safe_text(mail.body)}\n")
    say(console, f"Mails sent: {len(mails)}." if mails else "No mail was sent yet. Approve a draft first.")


async def _demo(access: Access, console: Console, again: bool) -> bool:
    await _require_running(access)
    settings = _demo_settings()
    say(console, f"Knowledge of the invented shop: {added_words(await add_demo_knowledge(settings))}")
    async with access.client() as http, open_api(access) as api:
        run: DemoRun
        with live_table(console, lambda: run.watched) as changed:
            run = DemoRun(Door(http, RAW_SOURCE, access.secret(RAW_SECRET)), Follower(api), changed)
            yesterday = datetime.now(UTC).date() - timedelta(days=1)
            await run.send(settings.default_mailbox_address, yesterday, new_mark() if again else b"")
            await run.watch()
    show_end(console, run.watched)
    return run.as_expected == len(run.watched)


def _demo_settings() -> Settings:
    """The settings of the stack; refused where replies would really leave (SE7)."""
    settings = Settings()
    if settings.delivery_channel is not DeliveryChannel.FILE:
        raise NoDemoHere(
            f"DELIVERY_CHANNEL is {settings.delivery_channel}: here replies really leave. The demo runs only where "
            "they become files, for instance on a state folder of its own: DESKHAND_STATE_DIR=.deskhand-demo make run"
        )
    return settings


async def _require_running(access: Access) -> None:
    try:
        async with access.client() as http:
            response = await http.get("/healthz")
    except httpx2.TransportError:
        raise access.not_there() from None
    if not response.is_success:
        raise NoDemoHere(f"{access.url} answers, but is not well (HTTP {response.status_code}). See `deskhand doctor`.")
