"""CPU time of processes, which says what work costs even where other programs take turns on the same cores."""

from collections.abc import Iterable

import psutil


def cpu_seconds(pids: Iterable[int | None]) -> float:
    """What these processes and their children have used so far, those that have ended included."""
    return sum(_family(pid) for pid in pids if pid is not None)


def _family(pid: int) -> float:
    try:
        root = psutil.Process(pid)
        return sum(_own(process) for process in (root, *root.children(recursive=True)))
    except psutil.NoSuchProcess:
        return 0.0


def _own(process: psutil.Process) -> float:
    try:
        used = process.cpu_times()
    except psutil.NoSuchProcess:
        return 0.0
    return float(used.user + used.system + used.children_user + used.children_system)
