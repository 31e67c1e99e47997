"""Children: logs, stopping, and the tie to the parent."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cli.stack import children
from cli.stack.children import Child
from cli.stack.faults import StackFault
from tests.stack.processes import is_running

Eventually = Callable[[Callable[[], bool], str], None]
DEAF = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('deaf', flush=True); time.sleep(600)"


def python(code: str, log: Path, **options: object) -> Child:
    """A child that runs a line of Python."""
    return Child("Sample", [sys.executable, "-c", code], log, **options)  # type: ignore[arg-type]


async def test_output_goes_to_its_own_log(tmp_path: Path) -> None:
    """Both streams land in the file, and more than a pipe holds does not freeze the child."""
    child = python("import sys; print('o' * 200_000); print('last words', file=sys.stderr)", tmp_path / "log")
    child.start()
    assert await child.ended() == 0
    assert child.last_words(1).endswith("last words")
    assert (tmp_path / "log").stat().st_size > 200_000


async def test_a_long_log_is_put_aside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Logs do not grow for ever; one older file is kept."""
    monkeypatch.setattr(children, "LOG_LIMIT_BYTES", 10)
    (tmp_path / "log").write_text("old and long enough\n", encoding="utf-8")
    child = python("print('new')", tmp_path / "log")
    child.start()
    await child.ended()
    assert (tmp_path / "log").read_text(encoding="utf-8") == "new\n"
    assert (tmp_path / "log.1").read_text(encoding="utf-8") == "old and long enough\n"


async def test_a_death_at_the_start_tells_code_and_last_words(tmp_path: Path) -> None:
    """The reason is in the message, not only in a file."""

    async def never() -> bool:
        return False

    child = python("import sys; print('no such table'); sys.exit(3)", tmp_path / "log")
    child.start()
    with pytest.raises(StackFault, match=r"Sample ended at its start \(exit code 3\)(?s:.*)no such table"):
        await child.until(never, 30)


async def test_a_child_that_does_not_listen_is_killed(tmp_path: Path) -> None:
    """A stop always comes to an end."""
    child = python(DEAF, tmp_path / "log", stop_timeout_s=0.2)
    child.start()
    await child.until(_says(child, "deaf"), 30)
    await child.stop()
    assert child.ending() == "signal SIGKILL"


def _says(child: Child, word: str) -> Callable[[], object]:
    async def said() -> bool:
        return word in child.last_words()

    return said


async def test_a_child_stays_out_of_the_terminals_group(tmp_path: Path) -> None:
    """Ctrl-C reaches the parent alone, which then stops its children in order."""
    child = python("import os; print(os.getpgrp() == os.getpid(), flush=True)", tmp_path / "log")
    child.start()
    await child.ended()
    assert child.last_words() == "True"


PARENT = """
import sys, time
from pathlib import Path
from cli.stack.children import Child
child = Child("Sample", [sys.executable, "-c", "import time; time.sleep(600)"], Path(sys.argv[1]), identity=sys.argv[2])
child.start()
print(child.pid, flush=True)
time.sleep(600)
"""


@pytest.mark.parametrize("identity", ["keep", *(["namespace", "65534:65534"] if os.geteuid() == 0 else [])])
def test_a_child_dies_with_a_killed_parent(tmp_path: Path, eventually: Eventually, identity: str) -> None:
    """`kill -9` of the stack leaves no orphan, whatever identity the child took on."""
    command = [sys.executable, "-c", PARENT, str(tmp_path / "log"), identity]
    parent = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    assert is_running(child)
    parent.send_signal(signal.SIGKILL)
    parent.communicate()
    eventually(lambda: not is_running(child), "the child is gone")


def test_a_child_whose_parent_is_gone_already_does_not_start(tmp_path: Path) -> None:
    """Between fork and the request to the kernel the parent may die; then nobody would ever end the child."""
    prefix = children.tether(signal.SIGTERM, "keep")
    prefix[5] = "1"
    done = subprocess.run([*prefix, sys.executable, "-c", "print('ran')"], capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "ran" not in done.stdout
