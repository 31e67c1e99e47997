"""`deskhand doctor`: looks at everything Deskhand needs and says, line by line, what is wrong and what to do."""

import asyncio
from collections.abc import Iterable

import typer
from rich.console import Console

from adapters.settings import Settings
from cli.checks.database import check_database
from cli.checks.finding import Finding, fine, wrong
from cli.checks.machine import check_env_file, check_ports, check_state_folder
from cli.checks.mail_relay import check_mail_relay
from cli.checks.model_endpoint import check_model
from cli.checks.own_door import check_own_door
from cli.checks.sending_domain import check_sending_domains
from cli.checks.temporal_server import check_temporal
from cli.stack.ports import load_ports
from cli.stack.state import StateDir, default_state
from contracts.errors import SettingsFault

NEIGHBOURS = (check_database, check_temporal, check_model, check_mail_relay, check_sending_domains, check_own_door)

app = typer.Typer(help="Check ports, keys, database, Temporal, model endpoint and mail relay.")


@app.command()
def doctor() -> None:
    """Check everything and exit 1 when something is wrong."""
    findings = asyncio.run(diagnose(default_state()))
    show(findings, Console(highlight=False, soft_wrap=True))
    if not all(finding.is_ok for finding in findings):
        raise typer.Exit(1)


async def diagnose(state: StateDir) -> list[Finding]:
    """All findings: the machine first, then, if the settings can be read, every neighbour at once."""
    findings = [check_state_folder(state), check_env_file(state)]
    try:
        findings += check_ports(state, load_ports(state.env_file))
        settings = Settings()
    except SettingsFault as fault:
        return [*findings, wrong("Settings", str(fault), "Correct the variable, or run `make run` once to make them.")]
    answers = await asyncio.gather(*(check(settings) for check in NEIGHBOURS))
    return [*findings, fine("Settings", "complete and in range"), *(one for answer in answers for one in answer)]


def show(findings: Iterable[Finding], console: Console) -> None:
    """One line per finding, and under a wrong one what to do."""
    for finding in findings:
        mark = "[green]ok   [/]" if finding.is_ok else "[red]wrong[/]"
        console.print(f"{mark} [bold]{finding.what}[/]: ", end="")
        console.print(finding.detail, markup=False)
        if finding.advice:
            console.print(f"      -> {finding.advice}", markup=False)
