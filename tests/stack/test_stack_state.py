"""The state folder: secrets, the dotenv file and the lock."""

import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cli.stack.faults import AlreadyRunning, StackFault
from cli.stack.state import StateDir


def mode_of(path: Path) -> int:
    """Permission bits."""
    return stat.S_IMODE(path.stat().st_mode)


def test_a_password_is_made_once_and_kept(state: StateDir) -> None:
    """A second start opens the cluster of the first."""
    first = state.password("deskhand_app")
    assert StateDir(state.path).password("deskhand_app") == first
    assert state.password("deskhand_owner") != first
    assert len(bytes.fromhex(first)) >= 16


def test_nobody_else_can_read_secrets(state: StateDir) -> None:
    """Folder and files are their owner's alone, whatever the umask says."""
    state.password("postgres")
    state.write_environment({"DATABASE_URL": "postgresql://x"})
    assert mode_of(state.path) == 0o700
    assert [mode_of(path) for path in (state.secrets_file, state.env_file)] == [0o600, 0o600]


def test_a_damaged_secrets_file_is_not_replaced(state: StateDir) -> None:
    """New passwords would lock us out of the data for good."""
    state.secrets_file.write_text('{"postgres": "ab', encoding="utf-8")
    with pytest.raises(StackFault, match="damaged"):
        state.password("postgres")
    assert state.secrets_file.read_text(encoding="utf-8") == '{"postgres": "ab'


def test_our_lines_change_and_the_operators_stay(state: StateDir) -> None:
    """The file belongs to the operator: comments, order and foreign lines survive, a dropped line goes."""
    state.env_file.write_text("# mine\nSMTP_HOST=relay\nAPI_PORT=1\nLLM_API_KEY=x\nNOTE='a b'\n", encoding="utf-8")
    state.write_environment({"API_PORT": "8300", "LLM_API_KEY": None, "BUILD_ID": "b1"})
    assert state.env_file.read_text(encoding="utf-8") == (
        "# mine\nSMTP_HOST=relay\nAPI_PORT=8300\nNOTE='a b'\nBUILD_ID=b1\n"
    )


def test_a_name_given_twice_is_left_once(state: StateDir) -> None:
    """Otherwise the later, older line would win over ours."""
    state.env_file.write_text("export API_PORT=1\nX=1\nAPI_PORT=2\n", encoding="utf-8")
    state.write_environment({"API_PORT": "8300"})
    assert state.environment() == {"API_PORT": "8300", "X": "1"}


@pytest.mark.parametrize("value", ["/plain/path", "/with a blank/x", "a#b", "dollar$HOME", 'quote"d'])
def test_what_is_written_is_read_back(state: StateDir, value: str) -> None:
    """Folders with blanks and signs of the shell come back as they were."""
    state.write_environment({"FILE_CHANNEL_DIR": value})
    assert state.environment()["FILE_CHANNEL_DIR"] == value


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    """The message names the folder and the variable to set."""
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(StackFault, match=r"file/state.*DESKHAND_STATE_DIR"):
        StateDir(tmp_path / "file" / "state").create()


HOLD = "import sys; from pathlib import Path; from cli.stack.state import StateDir; s = StateDir(Path(sys.argv[1])); "
HOLD += "s.lock(); print('held', flush=True); sys.stdin.read()"


def test_a_second_stack_on_the_same_folder_is_kept_out(
    state: StateDir, eventually: Callable[[Callable[[], bool], str], None], project_root: Path
) -> None:
    """The message names the process; a killed holder blocks nobody."""
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(state.path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=project_root
    )
    assert holder.stdout is not None and holder.stdout.readline() == b"held\n"
    assert state.holder_pid() == holder.pid
    with pytest.raises(AlreadyRunning, match=f"process {holder.pid}"):
        state.lock()
    holder.kill()
    holder.communicate()
    assert state.holder_pid() is None
    state.lock()
