"""The state folder: where the embedded stack keeps its data, passwords, logs and the dotenv file between two starts.

Everything in it is for its owner's eyes. Passwords are made at the first start and never change afterwards, so that a
second start finds its data again; the dotenv file belongs to the operator, of whose lines we change only our own.
"""

import fcntl
import json
import os
import secrets
from collections.abc import Mapping
from pathlib import Path

from dotenv import dotenv_values

from adapters.settings import env_file_path, state_path
from cli.stack.faults import AlreadyRunning, StackFault

PASSWORD_BYTES = 24
HEADER = (
    "# Settings of Deskhand. Variables of the environment win over this file.\n"
    "# `deskhand run` rewrites the ports, addresses and database URLs it uses and leaves every other line alone.\n"
)


def write_private(path: Path, text: str) -> None:
    """Replace a file as a whole, readable by its owner only; a crash leaves the old or the new one."""
    draft = path.with_name(path.name + ".new")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)


class StateDir:
    """Paths of one stack. `create()` makes the folders; `lock()` keeps a second stack out."""

    def __init__(self, path: Path, env_file: Path | None = None) -> None:
        self.path = path
        self.logs = path / "logs"
        self.postgres_data = path / "postgres"
        self.temporal_file = path / "temporal.db"
        self.secrets_file = path / "secrets.json"
        self.env_file = env_file or path / "deskhand.env"
        self.webhook_secrets_file = path / "secrets.env"
        self.children_file = path / "children.json"
        self.lock_file = path / "run.lock"
        self._lock_descriptor: int | None = None

    def create(self) -> None:
        """Make the folders; StackFault with the reason when they cannot be made."""
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.logs.mkdir(mode=0o700, exist_ok=True)
        except OSError as error:
            raise StackFault(
                f"The state folder {self.path} cannot be made ({error.strerror}). "
                "Set DESKHAND_STATE_DIR to a folder you may write."
            ) from None

    def log(self, name: str) -> Path:
        """The log file of one child."""
        return self.logs / f"{name}.log"

    def lock(self) -> None:
        """Hold the folder until this process ends; AlreadyRunning names the holder. The kernel frees it at death."""
        descriptor = os.open(self.lock_file, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(descriptor)
            raise AlreadyRunning(_already_running(self)) from None
        os.ftruncate(descriptor, 0)
        os.write(descriptor, str(os.getpid()).encode())
        self._lock_descriptor = descriptor

    def unlock(self) -> None:
        """Let go of the folder."""
        if self._lock_descriptor is not None:
            os.close(self._lock_descriptor)
            self._lock_descriptor = None

    def holder_pid(self) -> int | None:
        """The process id of the stack that runs on this folder, None when none does."""
        try:
            descriptor = os.open(self.lock_file, os.O_RDONLY)
        except OSError:
            return None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
            return None
        except OSError:
            return int(os.read(descriptor, 20) or b"0")
        finally:
            os.close(descriptor)

    def password(self, name: str) -> str:
        """The password of one role, made at first use; hex, so that it fits SQL and URLs as it is."""
        kept = self._secrets()
        if name not in kept:
            kept[name] = secrets.token_hex(PASSWORD_BYTES)
            write_private(self.secrets_file, json.dumps(kept, indent=1))
        return kept[name]

    def _secrets(self) -> dict[str, str]:
        try:
            kept: dict[str, str] = json.loads(self.secrets_file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except ValueError:
            raise StackFault(f"{self.secrets_file} is damaged. Restore it from a backup of the state folder.") from None
        return kept

    def environment(self) -> dict[str, str]:
        """What the dotenv file says now."""
        values = dotenv_values(self.env_file, interpolate=False) if self.env_file.is_file() else {}
        return {name: value for name, value in values.items() if value is not None}

    def write_environment(self, values: Mapping[str, str | None]) -> None:
        """Set these names in the dotenv file, drop those that are None, keep every other line as it is."""
        text = self.env_file.read_text(encoding="utf-8") if self.env_file.is_file() else HEADER
        changed = _with_values(text, values)
        if changed != text or not self.env_file.is_file():
            write_private(self.env_file, changed)


    def keep_secret(self, name: str, value: str) -> bool:
        """Put one secret into the file that people and `deskhand demo` read; False where there is no such file."""
        if not self.webhook_secrets_file.is_file():
            return False
        text = self.webhook_secrets_file.read_text(encoding="utf-8")
        write_private(self.webhook_secrets_file, _with_values(text, {name: value}))
        return True


def default_state() -> StateDir:
    """The state folder and dotenv file that the environment names (`DESKHAND_STATE_DIR`, `DESKHAND_ENV_FILE`)."""
    return StateDir(state_path(), env_file_path())


def _already_running(state: StateDir) -> str:
    return (
        f"A Deskhand stack runs on {state.path} already (process {state.holder_pid() or 'unknown'}). "
        "Stop it first, or set DESKHAND_STATE_DIR and other ports for a second one."
    )


def _name_in(line: str) -> str:
    return line.removeprefix("export ").partition("=")[0].strip()


def _line(name: str, value: str) -> str:
    plain = all(character.isalnum() or character in "_./:@%+,-?=&" for character in value)
    return f"{name}={value}" if plain else f"{name}='{value}'"


def _with_values(text: str, values: Mapping[str, str | None]) -> str:
    wanted = {name: _line(name, value) for name, value in values.items() if value is not None}
    names = [(line, _name_in(line)) for line in text.splitlines()]
    lines = [wanted.pop(name, None) if name in values else line for line, name in names]
    return "\n".join(line for line in [*lines, *wanted.values()] if line is not None) + "\n"
