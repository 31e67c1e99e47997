"""`deskhand demo` against a whole stack as `make run` starts it: Postgres, Temporal, API, worker, offline endpoint."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from adapters.settings import Settings
from cli.demo_cases import MAILS, DemoMail
from cli.stack.ports import StackPorts, spare_ports

READY = "Deskhand runs."
PATIENCE_S = 180


class House:
    """One `deskhand run` on a folder and ports of its own."""

    def __init__(self, folder: Path, root: Path) -> None:
        names = [*Settings.model_fields, *StackPorts.model_fields]
        kept = {name: value for name, value in os.environ.items() if name.lower() not in names}
        ports = {name: str(port) for name, port in spare_ports().named().items()}
        self.environment = {**kept, **ports, "DESKHAND_STATE_DIR": str(folder / "state"), "PYTHONPATH": str(root)}
        self.root = root
        self.output = folder / "output"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it and wait until it says that it runs."""
        with self.output.open("wb") as output:
            self.process = subprocess.Popen(
                self._command("run"), env=self.environment, cwd=self.root, stdout=output, stderr=output
            )
        until = time.monotonic() + PATIENCE_S
        while READY not in self.output.read_text():
            assert self.process.poll() is None and time.monotonic() < until, self.output.read_text()
            time.sleep(0.1)

    def stop(self) -> None:
        """Stop it as Ctrl-C does."""
        if self.process and self.process.poll() is None:
            self.process.terminate()
            self.process.wait(90)

    def deskhand(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run the command as a person does in another terminal."""
        return subprocess.run(
            self._command(*arguments), env=self.environment, cwd=self.root, capture_output=True, text=True, timeout=400
        )

    def _command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "cli.main", *arguments]


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory, project_root: Path) -> Iterator[House]:
    """A stack that is not started yet."""
    house = House(tmp_path_factory.mktemp("demo"), project_root)
    yield house
    house.stop()


def rows(output: str) -> dict[str, list[str]]:
    """The table of a demo by file."""
    cells = [line.split("\t") for line in output.splitlines()]
    return {row[0]: row[1:] for row in cells if row[0].endswith(".eml") and len(row) == 6}


def test_the_demo_from_the_first_start_to_the_reply(house: House) -> None:
    """RS-66, SE7: without a stack it says how to start one; with it every mail ends where it should, an approved draft
    stands in the sink, a second demo finds duplicates, and the accounts balance."""
    alone = house.deskhand("demo")
    assert alone.returncode == 1
    assert "make run" in alone.stderr and "Traceback" not in alone.stderr
    house.start()

    first = house.deskhand("demo")
    found = rows(first.stdout)
    assert [mail.file for mail in MAILS if not _ended_well(mail, found[mail.file])] == [], first.stdout
    assert first.returncode == 0, first.stderr
    assert all("/namespaces/deskhand/workflows/message%2F" in row[4] for row in found.values())
    assert "12 of 12 mails ended where they should." in first.stdout

    approve = next(line for line in first.stdout.splitlines() if "review approve" in line).split()[-1]
    assert "No mail was sent yet" in house.deskhand("demo", "outbox").stdout
    assert "Now: approved." in house.deskhand("review", "approve", approve).stdout
    sent = _eventually(lambda: house.deskhand("demo", "outbox").stdout, "Mails sent: 1.")
    assert "To: maya.lindqvist@customer.example" in sent and "Subject: Re: How do I reset my password?" in sent
    assert "In-Reply-To: <password.demo@customer.example>" in sent
    assert "60 minutes" in sent, "the reply was to be answered from the help pages"

    second = house.deskhand("demo")
    assert second.returncode == 0 and "0 entries stored, 17 known already" in second.stdout
    assert [row[4] for row in rows(second.stdout).values()] == [row[4] for row in found.values()]
    assert house.deskhand("ledger", "check").returncode == 0


def _ended_well(mail: DemoMail, row: list[str]) -> bool:
    """By the printed row alone: shows, status, category, why, run."""
    hold = ", on hold" if mail.hold else ""
    return row[1] == f"{mail.status}{hold}" and (not mail.reasons or row[3] in mail.reasons)


def _eventually(look: Callable[[], str], words: str) -> str:
    until = time.monotonic() + PATIENCE_S
    while words not in (seen := look()):
        assert time.monotonic() < until, seen
        time.sleep(1)
    return seen
