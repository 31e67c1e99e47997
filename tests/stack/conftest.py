"""A state folder, ports and a way to wait, for tests that start servers or whole stacks of their own."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from adapters.settings import Settings
from cli.stack.ports import StackPorts, spare_ports
from cli.stack.state import StateDir

PATIENCE_S = 60


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No setting of the developer's own shell leaks in."""
    for name in [*Settings.model_fields, *StackPorts.model_fields, "DESKHAND_ENV_FILE", "DESKHAND_STATE_DIR"]:
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.fixture
def state(tmp_path: Path) -> Iterator[StateDir]:
    """An empty state folder."""
    folder = StateDir(tmp_path / "state")
    folder.create()
    yield folder
    folder.unlock()


@pytest.fixture
def ports() -> StackPorts:
    """Free ports for every part."""
    return spare_ports()


@pytest.fixture
def eventually() -> Callable[[Callable[[], bool], str], None]:
    """Waits until a condition holds, or fails with what was hoped for."""

    def wait(condition: Callable[[], bool], hope: str) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while not condition():
            assert time.monotonic() < deadline, f"still not so: {hope}"
            time.sleep(0.02)

    return wait
