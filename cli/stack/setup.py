"""`deskhand setup`: what the embedded stack does for its own servers, done once for servers that somebody else runs."""

import asyncio
from typing import Annotated

import typer
from temporalio.client import Client

from adapters.settings import Settings
from cli.stack.first_access import secrets_file_text
from cli.stack.first_start import FirstLogin, set_up
from cli.stack.namespace import ensure_namespace, ensure_search_attributes
from cli.stack.schema import SchemaOutcome, apply_schema
from cli.stack.temporal import RETENTION
from contracts.errors import SettingsFault

app = typer.Typer(help="Apply the schema and make the first rows on servers of your own.")


@app.command()
def setup(
    agent_on: Annotated[bool, typer.Option("--agent-on", help="Turn the agent on for the default mailbox.")] = False,
) -> None:
    """Apply the schema and make the first rows on servers of your own; running it again changes nothing."""
    settings = Settings()
    outcome, login = asyncio.run(_set_up(settings, agent_on))
    typer.echo(f"Schema {outcome.value}; Temporal namespace and search attributes are there.")
    if login:
        typer.echo(f"First login: {login.address}, set the password within a day at")
        typer.echo(f"  {settings.dashboard_base_url()}{login.link}")
        typer.echo(secrets_file_text(login.access), nl=False)


async def _set_up(settings: Settings, agent_on: bool) -> tuple[SchemaOutcome, FirstLogin | None]:
    if settings.database_owner_url is None:
        raise SettingsFault("DATABASE_OWNER_URL: nothing was read, but applying the schema needs the owner role.")
    outcome = await apply_schema(settings.database_owner_url.get_secret_value())
    login = await set_up(
        settings.database_url.get_secret_value(),
        settings.default_mailbox_address,
        settings.build_id,
        agent_on,
        settings.organisation_key_bytes(),
    )
    await _set_up_temporal(settings)
    return outcome, login


async def _set_up_temporal(settings: Settings) -> None:
    try:
        client = await Client.connect(settings.temporal_address, namespace=settings.temporal_namespace)
    except RuntimeError:
        raise SettingsFault(f"TEMPORAL_ADDRESS: nothing answers at {settings.temporal_address}.") from None
    await ensure_namespace(client, settings.temporal_namespace, RETENTION)
    await ensure_search_attributes(client, settings.temporal_namespace)
