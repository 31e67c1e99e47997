"""What a killed stack leaves behind is ended by the next one, and nothing else is."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cli.stack.leftovers import command_line, end_orphans, remember_children

COMMAND = [sys.executable, "-c", "import time; time.sleep(600)"]


@pytest.fixture
def lingering(eventually: Callable[[Callable[[], bool], str], None]) -> Iterator[subprocess.Popen[bytes]]:
    """A process that a stack could have left."""
    process = subprocess.Popen(COMMAND)
    # For a moment after its start the system shows no command line.
    eventually(lambda: bool(command_line(process.pid)), "the process shows its command line")
    yield process
    process.kill()
    process.wait()


async def test_a_remembered_child_is_ended(tmp_path: Path, lingering: subprocess.Popen[bytes]) -> None:
    """Where the kernel cannot do it, the next start ends what the last one left."""
    remember_children(tmp_path / "children", {lingering.pid: COMMAND})
    await end_orphans(tmp_path / "children")
    assert lingering.wait(30) != 0
    assert not (tmp_path / "children").exists()


async def test_a_stranger_with_the_number_is_left_alone(tmp_path: Path, lingering: subprocess.Popen[bytes]) -> None:
    """A number that another program has by now is no reason to end it."""
    remember_children(tmp_path / "children", {lingering.pid: [sys.executable, "worker.py"]})
    await end_orphans(tmp_path / "children")
    assert lingering.poll() is None


@pytest.mark.parametrize("content", [None, "", "[]", "{", '{"x": []}'])
async def test_a_missing_or_damaged_list_stops_nothing(tmp_path: Path, content: str | None) -> None:
    """A start after a power cut goes on."""
    if content is not None:
        (tmp_path / "children").write_text(content, encoding="utf-8")
    await end_orphans(tmp_path / "children")
    assert not (tmp_path / "children").exists()


def test_the_list_is_replaced_as_a_whole(tmp_path: Path) -> None:
    """Whoever reads it while it is written finds the old or the new one: it is another file, never a changed one."""
    file = tmp_path / "children"
    remember_children(file, {1: COMMAND})
    with file.open(encoding="utf-8") as opened:
        remember_children(file, {2: COMMAND})
        assert json.load(opened) == {"1": COMMAND}
    assert json.loads(file.read_text(encoding="utf-8")) == {"2": COMMAND}
