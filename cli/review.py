"""`deskhand review`: what waits for a person, and what the person says to it, over the REST API (P97-P100)."""

import asyncio
import sys
from collections.abc import Awaitable, Callable, Mapping
from typing import Annotated, Any, TypeVar

import typer

from cli.access import find_access
from cli.api_client import Api, open_api
from cli.editing import text_from
from cli.message_ids import find_message, short_id
from cli.review_pages import approval_of, show_message, show_waiting, waiting
from cli.tables import moment_words, plain_console, say
from cli.trust import current_findings
from contracts.status import Status

T = TypeVar("T")
Id = Annotated[str, typer.Argument(metavar="ID", help="A message id, or the end or beginning of one.")]
From = Annotated[str | None, typer.Option("--from", metavar="FILE", help="Take the text from a file, - from a pipe.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Approve without asking.")]
Confirmed = Annotated[list[str] | None, typer.Option("--confirm", metavar="FINDING", help="A finding you looked at.")]
Reason = Annotated[str | None, typer.Option(help="Why the confirmed findings are in order.")]
Resolve = Annotated[bool, typer.Option("--resolve", help="The conversation is resolved once the reply is sent.")]
Note = Annotated[str | None, typer.Option(help="A note for your colleagues.")]
Instructions = Annotated[str | None, typer.Option(help="What the draft should do.")]
FromScan = Annotated[bool, typer.Option("--from-scan", help="Begin again with the scan.")]
Block = Annotated[bool, typer.Option("--block-sender", help="And draft nothing for this sender from now on.")]

app = typer.Typer(help="List, approve and reject drafts.", invoke_without_command=True)


@app.callback()
def review(
    context: typer.Context,
    status: Annotated[list[Status] | None, typer.Option(help="Other statuses, such as quarantined or failed.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=100, help="At most so many.")] = 25,
) -> None:
    """What waits for a person, newest first; without a sub-command, the drafts in review."""
    if context.invoked_subcommand is None:
        wanted = status or [Status.DRAFT_READY]
        details = _call(lambda api: waiting(api, wanted, limit))
        show_waiting(plain_console(), details)


@app.command()
def show(message: Id) -> None:
    """The mail, its draft and everything to know before approving."""
    show_message(plain_console(), _call(lambda api: _detail(api, message)))


@app.command()
def approve(
    message: Id,
    revision: Annotated[int | None, typer.Option(min=0, help="The revision you saw, if not the current one.")] = None,
    confirm: Confirmed = None,
    reason: Reason = None,
    resolve: Resolve = False,
) -> None:
    """Approve the draft; it leaves after the undo window. Refused if the draft is not the revision you saw."""

    async def work(api: Api) -> Any:
        detail = await _detail(api, message)
        body = approval_of(detail, current_findings(detail), confirm or [], reason) | {"resolve": resolve}
        return await api.act(detail["id"], "approve", body if revision is None else body | {"revision": revision})

    _answer(_call(work))


@app.command()
def edit(
    message: Id, source: From = None, yes: Yes = False, confirm: Confirmed = None, reason: Reason = None,
    resolve: Resolve = False,
) -> None:  # fmt: skip
    """Change the draft in $EDITOR, then approve it, or keep it as the current text."""

    async def work(api: Api) -> Any:
        detail = await _detail(api, message)
        before = (detail["draft"] or {}).get("text") or ""
        text = text_from(source, before, _answered(detail))
        if text == before.strip("\r\n"):
            return {"message": "The text is as it was; nothing was done."}
        if not (yes or _agreed("Approve and send this text?")):
            return await api.act(detail["id"], "write_reply", {"text": text})
        saved = await api.act(detail["id"], "revisions", {"text": text})
        body = approval_of(detail, saved["findings"], confirm or [], reason) | {"resolve": resolve}
        body |= {"base_revision": body["revision"], "revision": saved["revision"]}
        return await api.act(detail["id"], "edit_and_approve", body)

    _answer(_call(work))


@app.command()
def write(message: Id, source: From = None) -> None:
    """Write a reply of your own in $EDITOR; it becomes the current text, to be approved."""

    async def work(api: Api) -> Any:
        detail = await _detail(api, message)
        text = text_from(source, "", _answered(detail))
        return await api.act(detail["id"], "write_reply", {"text": text})

    _answer(_call(work))


@app.command()
def reject(message: Id, note: Note = None) -> None:
    """Say no; this ends the message."""
    _act(message, "reject", {"note": note})


@app.command()
def draft(message: Id, instructions: Instructions = None) -> None:
    """Ask the agent for a new draft, in review or on held mail."""
    _act(message, "request_draft", {"instructions": instructions})


@app.command()
def release(message: Id) -> None:
    """Let quarantined mail through; it runs again from the scan."""
    _act(message, "release_quarantine", {})


@app.command()
def retry(message: Id, from_scan: FromScan = False) -> None:
    """Try a failed message again, from the step that failed."""
    _act(message, "retry", {"from": "security_scan" if from_scan else "failed_step"})


@app.command()
def restore(message: Id) -> None:
    """Bring archived mail back; it runs again from the scan."""
    _act(message, "restore", {})


@app.command()
def archive(message: Id, block: Block = False) -> None:
    """Close without a reply."""
    _act(message, "archive", {"block_sender": block})


@app.command()
def undo(message: Id) -> None:
    """Take an approved reply back before it leaves."""
    _act(message, "undo_send", {})


def _call(work: Callable[[Api], Awaitable[T]]) -> T:
    """Run something against the API."""

    async def run() -> T:
        async with open_api(find_access()) as api:
            return await work(api)

    return asyncio.run(run())


def _act(message: str, action: str, body: Mapping[str, Any]) -> None:
    given = {name: value for name, value in body.items() if value is not None}

    async def work(api: Api) -> Any:
        return await api.act(await find_message(api, message), action, given)

    _answer(_call(work))


async def _detail(api: Api, message: str) -> dict[str, Any]:
    detail: dict[str, Any] = await api.get(f"/api/messages/{await find_message(api, message)}")
    return detail


def _answered(detail: Mapping[str, Any]) -> str:
    mail = detail["message"] or {}
    return f"From: {mail.get('from_address', '')}\nSubject: {mail.get('subject', '')}\n\n{mail.get('text_body', '')}"


def _agreed(question: str) -> bool:
    """A yes from the terminal; in pipes nobody says yes."""
    return sys.stdin.isatty() and typer.confirm(question)


def _answer(answer: Mapping[str, Any]) -> None:
    """The API's sentence, the status now, and how to take a send back while that is possible."""
    console = plain_console()
    say(console, answer["message"] + (f" Now: {answer['status']}." if answer.get("status") else ""))
    if answer.get("send_at"):
        undo_line = f"deskhand review undo {short_id(str(answer['message_id']))}"
        say(console, f"It leaves at {moment_words(answer['send_at'])}. Until then `{undo_line}` takes it back.")
