"""Who Postgres runs as: itself for an ordinary user, somebody unprivileged for root, whom Postgres refuses to serve.

Root gets a user namespace, in which the files stay root's own. Some containers forbid it; there the data folder goes to
the account `nobody` instead, which must then be able to reach it and the programs.
"""

import os
import pwd
import signal
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path

from cli.stack.children import tether
from cli.stack.faults import StackFault

KEEP = "keep"
NAMESPACE = "namespace"
Say = Callable[[str], None]


def choose_identity(program: Path, say: Say) -> str:
    """The identity under which `program --version` runs; StackFault when root finds none."""
    if os.geteuid() != 0:
        return KEEP
    if _runs(program, NAMESPACE):
        return NAMESPACE
    fallback = _unprivileged_account()
    say(f"User namespaces are forbidden here; Postgres runs as the account {fallback} instead.")
    if _runs(program, fallback):
        return fallback
    raise StackFault(
        f"Postgres does not run as root, user namespaces are forbidden here, and the account {fallback} cannot reach "
        f"{program}. Start Deskhand as an ordinary user, or move it out of a folder only root may enter."
    )


def _runs(program: Path, identity: str) -> bool:
    command = [*tether(signal.SIGKILL, identity), str(program), "--version"]
    return subprocess.run(command, capture_output=True, check=False, cwd="/").returncode == 0


def _unprivileged_account() -> str:
    try:
        account = pwd.getpwnam("nobody")
    except KeyError:
        return "65534:65534"
    return f"{account.pw_uid}:{account.pw_gid}"


def owner_of(identity: str) -> tuple[int, int]:
    """User and group id that must own what the identity writes."""
    if ":" not in identity:
        return os.geteuid(), os.getegid()
    uid, gid = identity.split(":")
    return int(uid), int(gid)


def give(path: Path, identity: str) -> None:
    """Hand a file or a folder with all its content to the identity, unless it is there already (root only)."""
    owner = owner_of(identity)
    if os.geteuid() != 0 or (path.stat().st_uid, path.stat().st_gid) == owner:
        return
    for folder, _, files in os.walk(path):
        for name in files:
            os.chown(os.path.join(folder, name), *owner, follow_symlinks=False)
        os.chown(folder, *owner)
    os.chown(path, *owner)


def open_way(path: Path, identity: str) -> None:
    """Let a foreign account pass through (not list) the state folder; StackFault when it cannot even come that far."""
    if ":" not in identity:
        return
    path.chmod(path.stat().st_mode | 0o011)
    closed = [parent for parent in path.parents if not parent.stat().st_mode & stat.S_IXOTH]
    if closed:
        raise StackFault(
            f"Postgres runs as the account {identity} here, which cannot pass through {closed[-1]} to {path}. "
            "Set DESKHAND_STATE_DIR to a folder elsewhere, for example /var/lib/deskhand."
        )
