"""One child process of the stack: it logs into a file of its own, dies with its parent and stops when asked.

A child never writes into a pipe, which would fill and freeze it, and never shares our terminal's process group, so that
Ctrl-C reaches us alone and the order of stopping stays ours.
"""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from cli.stack.faults import StackFault

TETHER = Path(__file__).with_name("tether.py")
POLL_S = 0.02
LONGEST_POLL_S = 0.25
LOG_LIMIT_BYTES = 10_000_000


@dataclass
class Child:
    """A process to start, watch and stop.

    The kernel sends `death_signal` when the thread that started the child ends, so start children from the main thread.
    """

    name: str
    command: Sequence[str]
    log: Path
    environment: Mapping[str, str] | None = None
    folder: Path | None = None
    identity: str = "keep"
    stop_signal: signal.Signals = signal.SIGTERM
    death_signal: signal.Signals = signal.SIGTERM
    stop_timeout_s: float = 10.0
    started_at: float = field(default=0.0, init=False)
    _process: subprocess.Popen[bytes] | None = field(default=None, init=False)

    def start(self) -> None:
        """Start the process; StackFault when the program does not exist."""
        rotate(self.log)
        with self.log.open("ab") as log:
            self._process = self._spawn(log.fileno())
        self.started_at = time.monotonic()

    def _spawn(self, output: int) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [*tether(self.death_signal, self.identity), *self.command],
            stdin=subprocess.DEVNULL, stdout=output, stderr=output,
            cwd=self.folder, env=self.environment, start_new_session=True,
        )  # fmt: skip

    @property
    def pid(self) -> int | None:
        """The process id while it runs."""
        return self._process.pid if self._process and self.is_alive() else None

    def is_alive(self) -> bool:
        """Whether the process runs."""
        return self._process is not None and self._process.poll() is None

    def exit_code(self) -> int | None:
        """How the process ended: its code, or minus the signal; None while it runs or before it started."""
        return self._process.poll() if self._process else None

    def ending(self) -> str:
        """How the process ended, in words."""
        code = self.exit_code()
        return f"signal {signal.Signals(-code).name}" if code is not None and code < 0 else f"exit code {code}"

    async def ended(self, poll_s: float = POLL_S) -> int:
        """Wait for the end and return the exit code."""
        while self.is_alive():
            await asyncio.sleep(poll_s)
        return self.exit_code() or 0

    async def stop(self, hurry: bool = False) -> None:
        """Ask it to stop, wait, and kill it when it does not listen or when there is no time."""
        if not self.is_alive():
            return
        self.send(signal.SIGKILL if hurry else self.stop_signal)
        try:
            await asyncio.wait_for(self.ended(), self.stop_timeout_s)
        except TimeoutError:
            self.send(signal.SIGKILL)
            await self.ended()

    def send(self, number: signal.Signals) -> None:
        """Send a signal if it still runs."""
        if self._process and self.is_alive():
            self._process.send_signal(number)

    def last_words(self, lines: int = 8) -> str:
        """The end of its log."""
        with self.log.open("rb") as log:
            log.seek(max(0, log.seek(0, os.SEEK_END) - 8_000))
            return "\n".join(log.read().decode("utf-8", "replace").splitlines()[-lines:])

    def _log_excerpt(self) -> str:
        return f"Its log {self.log} ends with:\n{self.last_words()}"

    async def until(self, ready: Callable[[], Awaitable[bool]], timeout_s: float) -> None:
        """Wait until `ready`; StackFault when the child dies first or the time is over."""
        deadline, pause_s = time.monotonic() + timeout_s, POLL_S
        while not await ready():
            if not self.is_alive():
                raise StackFault(f"{self.name} ended at its start ({self.ending()}).\n{self._log_excerpt()}")
            if time.monotonic() > deadline:
                raise StackFault(f"{self.name} did not get ready within {timeout_s:g} s. See its log {self.log}.")
            await asyncio.sleep(pause_s)
            pause_s = min(pause_s * 1.2, LONGEST_POLL_S)


def tether(death_signal: signal.Signals, identity: str) -> list[str]:
    """The command prefix that ties a child to this process (see tether.py)."""
    return [sys.executable, "-I", "-S", str(TETHER), str(int(death_signal)), str(os.getpid()), identity]


def rotate(log: Path) -> None:
    """Put a long log aside as `.1`, replacing the one before."""
    if log.is_file() and log.stat().st_size > LOG_LIMIT_BYTES:
        log.replace(log.with_name(log.name + ".1"))
