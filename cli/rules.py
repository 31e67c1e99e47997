"""`deskhand rules`: which categories may be answered without a person, what they have earned, and whether the rules of
the team still hold what they were made for (P80-P91a)."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Annotated, Any

import typer

from cli.access import find_access
from cli.api_client import Api, open_api
from cli.tables import plain_console, say, show_table
from contracts.classification import Category
from domain.routing.rules import RuleMode

Mailbox = Annotated[str | None, typer.Option(help="Address of the mailbox; the default one if not named.")]
CHANGES = ("mode", "auto_approve_threshold", "max_daily_auto_actions", "target_error_rate", "override_reason")

app = typer.Typer(help="What may be answered without a person.", invoke_without_command=True)


@app.callback()
def rules(context: typer.Context, mailbox: Mailbox = None) -> None:
    """Every category with its rule and its record."""
    if context.invoked_subcommand is None:
        _call(lambda api: _overview(api, mailbox))


@app.command("set")
def set_rule(
    category: Category,
    mailbox: Mailbox = None,
    mode: Annotated[RuleMode | None, typer.Option(help="off, shadow or on.")] = None,
    threshold: Annotated[float | None, typer.Option(help="0.50 to 0.95 in steps of 0.05, or 0.99.")] = None,
    cap: Annotated[int | None, typer.Option(help="Automatic replies a day at most.")] = None,
    target: Annotated[float | None, typer.Option(help="The error rate you accept.")] = None,
    reason: Annotated[str | None, typer.Option(help="Why it is switched on without a certificate.")] = None,
) -> None:
    """Change the rule of a category."""
    given = dict(zip(CHANGES, (mode, threshold, cap, target, reason), strict=True))
    body = {name: value for name, value in given.items() if value is not None}
    _call(lambda api: _set(api, mailbox, category, body))


@app.command()
def check(mailbox: Mailbox = None) -> None:
    """Ask every handling rule about its examples again; exit code 1 if one no longer holds."""
    if not _call(lambda api: _check(api, mailbox)):
        raise typer.Exit(1)


def _call(work: Callable[[Api], Awaitable[Any]]) -> Any:
    async def run() -> Any:
        async with open_api(find_access()) as api:
            return await work(api)

    return asyncio.run(run())


async def _mailbox(api: Api, address: str | None) -> str:
    found = await api.get("/api/mailboxes")
    for box in found:
        if box["address"] == address or (address is None and box["is_default"]):
            return str(box["id"])
    raise typer.BadParameter(f"there is no mailbox {address}", param_hint="--mailbox")


async def _overview(api: Api, mailbox: str | None) -> None:
    box = await _mailbox(api, mailbox)
    reports = [await api.get(f"/api/mailboxes/{box}/rules/{category}") for category in Category]
    columns = ("category", "mode", "threshold", "errors", "at most", "certificate", "today")
    show_table(plain_console(), columns, [_row(report) for report in reports])


def _row(report: dict[str, Any]) -> tuple[object, ...]:
    rule = report["rule"]
    point = next(p for p in report["certificate"]["points"] if p["threshold"] == rule["auto_approve_threshold"])
    seen = point["n"] > 0
    proof = "yes" if point["is_certified"] else f"{point['more_clean_needed']} clean ones missing"
    return (
        rule["category"],
        rule["mode"] + (" (override)" if rule["mode_basis"] == "override" else ""),
        f"{rule['auto_approve_threshold']:.2f}",
        f"{point['errors']} of {point['n']}" if seen else "",
        f"{point['displayed_upper']:.1%}" if seen else "",
        proof if seen else "nothing recorded yet",
        f"{rule['current_daily_count']} of {rule['max_daily_auto_actions']}",
    )


async def _set(api: Api, mailbox: str | None, category: Category, body: dict[str, Any]) -> None:
    box = await _mailbox(api, mailbox)
    report = await api.put(f"/api/mailboxes/{box}/rules/{category}", body)
    forecast = report["forecast"]
    say(plain_console(), f"{category} is {report['rule']['mode']} at {report['rule']['auto_approve_threshold']:.2f}.")
    if forecast:
        say(plain_console(), f"About {forecast['replies_a_month']} a month, {forecast['usd_a_month']} USD.")


async def _check(api: Api, mailbox: str | None) -> bool:
    found = await api.get(f"/api/mailboxes/{await _mailbox(api, mailbox)}/handling/check")
    console = plain_console()
    rows = [(m["rule_id"], m["message_id"], "mail is gone" if m["gone"] else "no longer held") for m in found["misses"]]
    if rows:
        show_table(console, ("rule", "example", "what"), rows, "Rules that miss an example")
    say(console, f"{found['rules']} rules, {found['examples']} examples, {len(rows)} missed.")
    return not rows
