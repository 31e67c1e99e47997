"""Looks at processes that a test started, from outside."""

import os
from pathlib import Path

import psutil


def is_running(pid: int) -> bool:
    """Whether the process runs; a zombie that nobody reaped does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return _state_of(pid) != "Z"


def _state_of(pid: int) -> str:
    try:
        status = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    return status.rsplit(")", 1)[1].split()[0]


def command_lines() -> list[str]:
    """The command lines of all processes that we may see."""
    return [" ".join(process.info["cmdline"] or []) for process in psutil.process_iter(["cmdline"])]
