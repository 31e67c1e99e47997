"""Who Postgres runs as: never root, by a user namespace or, where that is forbidden, as an unprivileged account."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.stack import identity
from cli.stack.faults import StackFault
from cli.stack.identity import choose_identity, open_way
from cli.stack.ports import StackPorts
from cli.stack.postgres import Postgres, programs
from cli.stack.roles import SUPERUSER
from cli.stack.state import StateDir

IS_ROOT = os.geteuid() == 0
ACCOUNT = "65534:65534"


def refuse(monkeypatch: pytest.MonkeyPatch, *refused: str) -> None:
    """Let the system forbid some identities, as containers do."""
    really = identity._runs
    monkeypatch.setattr(identity, "_runs", lambda program, who: who not in refused and really(program, who))


def silent(text: str) -> None:
    """Says nothing."""


def test_an_ordinary_user_stays_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """No namespace and no other account where none is needed."""
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert choose_identity(programs() / "postgres", silent) == "keep"


def test_root_without_any_way_is_told_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """The message names the program that could not be reached."""
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(identity, "_runs", lambda program, who: False)
    said: list[str] = []
    with pytest.raises(StackFault, match="ordinary user"):
        choose_identity(programs() / "postgres", said.append)
    assert "User namespaces are forbidden" in said[0]


def test_a_closed_folder_on_the_way_is_named(tmp_path: Path) -> None:
    """A state folder below /root is out of reach for another account; the message says where."""
    closed = tmp_path / "closed"
    (closed / "state").mkdir(parents=True)
    closed.chmod(0o700)
    with pytest.raises(StackFault, match=r"cannot pass through .*DESKHAND_STATE_DIR"):
        open_way(closed / "state", ACCOUNT)


@pytest.fixture
def reachable_state() -> Iterator[StateDir]:
    """A state folder that other accounts can come to, unlike the folders of pytest."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        state = StateDir(Path(folder) / "state")
        state.create()
        yield state


def possible_ways() -> list[str]:
    """The identities this machine allows: for root the namespace, and `nobody` where it can reach the programs."""
    if not IS_ROOT:
        return ["keep"]
    return [way for way in ("namespace", ACCOUNT) if identity._runs(programs() / "postgres", way)]


@pytest.mark.parametrize("way", possible_ways())
async def test_data_opens_under_each_identity(
    reachable_state: StateDir, ports: StackPorts, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    """What was made under one identity opens under the next: containers and machines take turns on one folder."""
    for expected in (way, *possible_ways(), way):
        with monkeypatch.context() as patched:
            refuse(patched, *({"namespace", ACCOUNT} - {expected}))
            server = Postgres(reachable_state, ports.postgres_port, durable=False, say=silent)
            await server.start()
        connection = await server.connect(SUPERUSER)
        owner = (reachable_state.postgres_data / "PG_VERSION").stat().st_uid
        assert await connection.fetchval("SELECT count(*) FROM pg_database WHERE datname = 'deskhand'") == 1
        assert server.child.identity == expected
        assert owner == (65534 if expected == ACCOUNT else os.geteuid())
        await connection.close()
        await server.stop()
