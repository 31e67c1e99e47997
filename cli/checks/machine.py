"""This machine: the state folder, the dotenv file and the ports of the embedded stack."""

import os
import stat

from cli.checks.finding import Finding, fine, wrong
from cli.stack.ports import StackPorts, is_free
from cli.stack.state import StateDir


def check_state_folder(state: StateDir) -> Finding:
    """Whether the state folder can be written, or made."""
    place = state.path
    while not place.exists() and place != place.parent:
        place = place.parent
    if place.is_dir() and os.access(place, os.W_OK | os.X_OK):
        return fine("State folder", f"{state.path} is writable")
    return wrong("State folder", f"{state.path} is not writable", "Set DESKHAND_STATE_DIR to a folder you may write.")


def check_env_file(state: StateDir) -> Finding:
    """Whether nobody else can read the secrets in the dotenv file."""
    if not state.env_file.is_file():
        return fine("Settings file", f"{state.env_file} is not there; the environment alone counts")
    if state.env_file.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        return wrong("Settings file", f"others may read {state.env_file}", f"Run: chmod 600 {state.env_file}")
    return fine("Settings file", f"{state.env_file} is readable by you alone")


def check_ports(state: StateDir, ports: StackPorts) -> list[Finding]:
    """Ports in use while a stack runs, free while none does."""
    holder = state.holder_pid()
    return [_check_port(name, port, holder) for name, port in ports.named().items()]


def _check_port(name: str, port: int, holder: int | None) -> Finding:
    what = f"Port {port} ({name})"
    if holder is not None:
        return fine(what, f"the stack runs (process {holder})")
    if is_free(port):
        return fine(what, "free")
    return wrong(what, "in use by another program", f"Stop that program or set {name} to another port.")
