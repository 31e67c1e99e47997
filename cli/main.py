"""The `deskhand` command. Each sub-command lives in a module of its own, imported only when it is called.

To add one, write a module with a typer app named `app` and register it below in one line.
"""

import importlib
import sys
from typing import Any, Final, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup

from contracts.errors import DeskhandError


class Entry(NamedTuple):
    """The module that holds a sub-command, and its line in the help."""

    module: str
    summary: str


COMMANDS: Final[dict[str, Entry]] = {
    "run": Entry("cli.stack.command", "Start everything on this machine and keep it running until Ctrl-C."),
    "setup": Entry("cli.stack.setup", "Apply the schema and make the first rows on servers of your own."),
    "doctor": Entry("cli.doctor", "Check ports, keys, database, Temporal, model endpoint and mail relay."),
    "demo": Entry("cli.demo", "Send a few real-looking mails through the webhook and follow each to its end."),
    "review": Entry("cli.review", "List, approve and reject drafts."),
    "ingest": Entry("cli.ingest", "Hand mail files to the webhook."),
    "access": Entry("cli.lost_access", "Replace a lost password, API token or webhook secret."),
    "knowledge": Entry("cli.knowledge", "Import and search what drafts are answered from."),
    "mission": Entry("cli.mission", "Give the agent a goal and watch it work."),
    "rules": Entry("cli.rules", "What may be answered without a person, and what it has earned."),
    "ledger": Entry("cli.ledger", "Account for every mail that came in."),
}


class LazyGroup(TyperGroup):
    """Shows the help from the table above and imports a module only to run its command."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The sub-commands in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """A stand-in with the name and the summary, enough for the help."""
        entry = COMMANDS.get(cmd_name)
        return entry and TyperCommand(cmd_name, help=entry.summary)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The real command of the first argument."""
        name, stand_in, rest = super().resolve_command(ctx, args)
        return name, stand_in and load(str(name)), rest

    def invoke(self, ctx: Any) -> Any:
        """Run the sub-command; what we raise on purpose becomes a message and exit code 1."""
        try:
            return super().invoke(ctx)
        except DeskhandError as fault:
            typer.secho(str(fault), fg="red", err=True)
            raise typer.Exit(1) from None


def load(name: str) -> Any:
    """Import the module of a sub-command and build its command."""
    command: Any = typer.main.get_command(importlib.import_module(COMMANDS[name].module).app)
    command.name = name
    command.params = [option for option in command.params if not option.name.endswith("_completion")]
    return command


app = typer.Typer(cls=LazyGroup, no_args_is_help=True, pretty_exceptions_show_locals=False, add_completion=False)


@app.callback()
def root() -> None:
    """Deskhand: a durable AI hand for a shared mail inbox."""


if __name__ == "__main__":
    sys.exit(app())
