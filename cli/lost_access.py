"""`deskhand access`: whoever may read the settings of this installation gets back in when a password, an API token or a
webhook secret is lost. Everything it makes is shown once, and noted in the audit log."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Final, TypeVar

import typer

from adapters.password_links import LINK_HOURS, link_path, make_link
from adapters.postgres import Database, Transaction
from adapters.sealing import seal
from adapters.settings import Settings
from cli.stack.first_access import SCOPES, TOKEN_DAYS, TOKEN_NAME, new_secret, new_token, token_hash
from cli.stack.first_start import ADMIN_ADDRESS
from cli.stack.state import default_state
from contracts.errors import DeskhandError
from domain.keys import Keyring

ACTOR: Final = "deskhand access"
KEPT_IN: Final = {"mta": "DESKHAND_MTA_SECRET", "default": "DESKHAND_RAW_SECRET"}
T = TypeVar("T")

app = typer.Typer(help="Replace a lost password, API token or webhook secret.", no_args_is_help=True)
Person = Annotated[str, typer.Argument(help="The mail address of the person.")]


class NobodyThere(DeskhandError):
    """There is no such person or source, or it is switched off; the message names it."""


@app.callback()
def access() -> None:
    """Ways back in."""


@app.command()
def link(email: Person = ADMIN_ADDRESS) -> None:
    """Print a one-time link, where the person chooses a new password. The old one works until then."""
    settings = Settings()
    token = asyncio.run(_work(settings, lambda tx: _new_link(tx, email)))
    typer.echo(f"{email} chooses a password here, once, within {LINK_HOURS} hours:")
    typer.echo(settings.dashboard_base_url() + link_path(token))


@app.command()
def token(
    email: Person = ADMIN_ADDRESS,
    name: Annotated[str, typer.Option(help="Its name; older tokens of this name and person are revoked.")] = TOKEN_NAME,
) -> None:
    """Make an API token with the scopes read, review and admin in place of a lost one."""
    fresh = asyncio.run(_work(Settings(), lambda tx: _new_token(tx, email, name)))
    _show("DESKHAND_API_TOKEN", fresh)


@app.command()
def secret(
    source: Annotated[str, typer.Argument(help="The name of the source, such as `mta` or `default`.")],
    retire_old: Annotated[
        bool, typer.Option("--retire-old", help="Refuse older secrets at once; else the last one works too.")
    ] = False,
) -> None:
    """Make a webhook secret for a source. The API knows it within three seconds."""
    settings = Settings()
    fresh = asyncio.run(_work(settings, lambda tx: _new_secret(tx, settings, source, 1 if retire_old else 2)))
    _show(KEPT_IN.get(source, "secret"), fresh)


def _show(name: str, value: str) -> None:
    typer.echo(f"{name}={value}")
    state = default_state()
    if name.startswith("DESKHAND_") and state.keep_secret(name, value):
        typer.echo(f"It stands in {state.webhook_secrets_file} now.", err=True)


async def _work(settings: Settings, work: Callable[[Transaction], Awaitable[T]]) -> T:
    database = await Database.connect(settings.database_url.get_secret_value(), most=1, name="deskhand-access")
    try:
        async with database.transaction() as tx:
            return await work(tx)
    finally:
        await database.close()


async def _person(tx: Transaction, email: str) -> Any:
    row = await tx.one("people_named", email.strip().lower())
    if row is None:
        raise NobodyThere(f"Nobody has the mail address {email}. `deskhand access --help` says how it is used.")
    if row["disabled_at"] is not None:
        raise NobodyThere(f"{email} is switched off. An administrator switches people on under Settings, People.")
    return row


async def _new_link(tx: Transaction, email: str) -> str:
    person = await _person(tx, email)
    await _audit(tx, "link_made", f"user/{person['id']}")
    return await make_link(tx, person["id"], ACTOR)


async def _new_token(tx: Transaction, email: str, name: str) -> str:
    person, fresh = await _person(tx, email), new_token()
    if person["role"] != "admin":
        raise NobodyThere(f"{email} is no administrator. The dashboard makes tokens with fewer scopes.")
    for row in await tx.rows("people_tokens_named", person["id"], name):
        await _audit(tx, "token_revoked", f"token/{row['id']}")
    made = await tx.must(
        "api_token_add", person["id"], person["organisation_id"], name, token_hash(fresh), list(SCOPES), TOKEN_DAYS
    )
    await _audit(tx, "token_made", f"token/{made['id']}", {"user_id": str(person["id"]), "scopes": list(SCOPES)})
    return fresh


async def _new_secret(tx: Transaction, settings: Settings, source: str, most: int) -> str:
    kind = await tx.value("people_source_kind", source)
    if kind is None:
        names = ", ".join(row["name"] for row in await tx.rows("people_source_names"))
        raise NobodyThere(f"There is no source {source}; there are: {names or 'none'}.")
    fresh = new_secret(kind)
    await tx.run("source_add_secret", source, seal(Keyring(settings.organisation_key_bytes()), fresh))
    retired = await tx.run("source_retire", source, most)
    await _audit(tx, "secret_made", f"source/{source}", {"retired": retired})
    return fresh


async def _audit(tx: Transaction, action: str, subject: str, after: Any = None) -> None:
    await tx.run("api_audit", None, ACTOR, action, subject, None, after)
