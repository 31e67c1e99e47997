"""`deskhand run` as people start it: the installed command with the offline model, in a folder of its own."""

import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import asyncpg
from dotenv import dotenv_values

from bench.house import open_pool
from bench.outcome import BenchFailed
from bench.posting import Poster
from cli.access import RAW_SECRET
from cli.stack.children import Child
from cli.stack.parts import answers_http
from cli.stack.ports import LOOPBACK, StackPorts, spare_ports
from cli.stack.postgres import DATABASE, OWNER
from cli.stack.state import StateDir

READY_WITHIN_S = 180.0
STOP_WITHIN_S = 90.0
DEMO_MAIL = Path(__file__).resolve().parent.parent / "cli" / "demo_mails" / "01-password.eml"


@dataclass(frozen=True)
class WholeStack:
    """A running `deskhand run`; `began` is the clock at its start, in seconds since the epoch."""

    child: Child
    state: StateDir
    ports: StackPorts
    began: float

    def poster(self) -> Poster:
        """A sender with the secret that the first start wrote down."""
        secret = dotenv_values(self.state.webhook_secrets_file, interpolate=False)[RAW_SECRET]
        return Poster(self.ports.api_port, str(secret))

    async def open_sql(self) -> asyncpg.Pool:
        """A pool of the owner, for looking."""
        password = self.state.password(OWNER)
        url = f"postgresql://{OWNER}:{password}@{LOOPBACK}:{self.ports.postgres_port}/{DATABASE}"
        return await open_pool(url, "deskhand", 1)


@asynccontextmanager
async def whole_stack() -> AsyncIterator[WholeStack]:
    """Started when the context opens, taking mail when it is entered, stopped and gone afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="deskhand-bench-"))
    state, ports = StateDir(folder / "state"), spare_ports()
    child = _child(folder, state, ports)
    try:
        began = time.time()
        child.start()
        await child.until(lambda: _takes_mail(state, ports), READY_WITHIN_S)
        yield WholeStack(child, state, ports, began)
    finally:
        await child.stop()
        shutil.rmtree(folder, ignore_errors=True)


def _child(folder: Path, state: StateDir, ports: StackPorts) -> Child:
    program = Path(sys.executable).parent / "deskhand"
    if not program.is_file():
        raise BenchFailed(f"there is no {program}; run `make setup`")
    own = {"DESKHAND_STATE_DIR": str(state.path)} | {name: str(port) for name, port in ports.named().items()}
    return Child(
        "deskhand run", [str(program), "run"], folder / "run.log", {**os.environ, **own}, folder,
        stop_signal=signal.SIGINT, death_signal=signal.SIGINT, stop_timeout_s=STOP_WITHIN_S,
    )  # fmt: skip


async def _takes_mail(state: StateDir, ports: StackPorts) -> bool:
    return state.webhook_secrets_file.is_file() and await answers_http(ports.api_port, "/healthz")
