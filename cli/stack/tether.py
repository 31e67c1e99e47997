"""Ties a child to its parent and, for root, to an unprivileged identity, then becomes the child by exec.

A stack that dies from `kill -9` cannot stop its children; on Linux the kernel does it for us if each child asks for a
signal at its parent's death. Postgres refuses to run as root, so root gives it a user namespace or, where that is
forbidden, an unprivileged account. Runs as a plain script with `python -I -S`: the standard library only, and nothing
imported after the change of identity, which may no longer reach it.
"""

import ctypes
import os
import sys

PR_SET_PDEATHSIG = 1
CLONE_NEWUSER = 0x10000000
USAGE = "tether.py SIGNAL PARENT_PID keep|namespace|UID:GID ABSOLUTE_COMMAND..."


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def enter_user_namespace(inside_id: int = 1000) -> None:
    """Become `inside_id` in a namespace of our own; files stay owned by the outer user. OSError where forbidden."""
    outer_uid, outer_gid = os.geteuid(), os.getegid()
    if _libc().unshare(CLONE_NEWUSER) != 0:
        raise OSError(ctypes.get_errno(), "user namespace refused")
    _write("/proc/self/uid_map", f"{inside_id} {outer_uid} 1")
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/gid_map", f"{inside_id} {outer_gid} 1")


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


def become(identity: str) -> None:
    """Take on `keep` (no change), `namespace` or a numeric `UID:GID`."""
    if identity == "namespace":
        enter_user_namespace()
    elif identity != "keep":
        uid, gid = (int(part) for part in identity.split(":"))
        os.setgroups([])
        os.setgid(gid)
        os.setuid(uid)


def die_with_parent(signal_number: int, parent_pid: int) -> None:
    """Ask for `signal_number` at the parent's death. Must follow `become`: a change of identity clears the wish."""
    if sys.platform != "linux":
        return
    _libc().prctl(PR_SET_PDEATHSIG, signal_number, 0, 0, 0)
    if os.getppid() != parent_pid:
        sys.exit("the parent has gone already")


def main(arguments: list[str]) -> None:
    """Entry point; exits 2 with the usage when called wrongly, otherwise never returns."""
    if len(arguments) < 4:
        sys.exit(USAGE)
    signal_number, parent_pid, identity, *command = arguments
    become(identity)
    die_with_parent(int(signal_number), int(parent_pid))
    os.execv(command[0], command)


if __name__ == "__main__":
    main(sys.argv[1:])
