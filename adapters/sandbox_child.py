"""The child's side of a sandbox: one order and its bytes after another, with all rights given up before the first byte
of a stranger arrives (MI2, HW12). Frames: sizes of head and body, head as JSON, body; more may follow an answer."""

import contextlib
import importlib
import json
import os
import pkgutil
import struct
import sys
from collections.abc import Callable, Iterable
from typing import Any

FRAME = struct.Struct(">IQ")
READY = b"ready\n"
OUT_OF_MEMORY = 77

Answer = Callable[[dict[str, Any], bytes], list[bytes]]


def run(warm_up: Callable[[], object], answer: Answer) -> None:
    """The child's whole life; CPU seconds an order and bytes of address space are its two arguments."""
    try:
        _serve(warm_up, answer, int(sys.argv[1]), int(sys.argv[2]))
    except MemoryError:
        os._exit(OUT_OF_MEMORY)


def _serve(warm_up: Callable[[], object], answer: Answer, cpu_s: int, address_space_bytes: int) -> None:
    """Read an order and its bytes, answer, until the other end closes."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    orders = os.fdopen(0, "rb")
    warm_up()
    _give_up_rights(address_space_bytes)
    answers.write(READY)
    answers.flush()
    while len(head := orders.read(FRAME.size)) == FRAME.size:
        order_size, raw_size = FRAME.unpack(head)
        order, raw = json.loads(orders.read(order_size)), orders.read(raw_size)
        _allow_cpu(cpu_s)
        for piece in answer(order, raw):
            answers.write(piece)
        answers.flush()
        del raw


def framed(head: dict[str, Any], body: bytes) -> list[bytes]:
    """An answer as the pieces to write."""
    shown = json.dumps(head).encode()
    return [FRAME.pack(len(shown), len(body)), shown, body]


def load_whole(packages: Iterable[str]) -> None:
    """Load every module of the packages: afterwards no file can be opened any more."""
    for package in packages:
        for module in pkgutil.iter_modules(importlib.import_module(package).__path__):
            if module.name != "__main__":
                with contextlib.suppress(ImportError):
                    importlib.import_module(f"{package}.{module.name}")


def _give_up_rights(address_space_bytes: int) -> None:
    """No more address space than allowed, no new file descriptor, no file growth, no core."""
    import resource

    limits = {
        resource.RLIMIT_AS: address_space_bytes,
        resource.RLIMIT_NOFILE: 0,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_CORE: 0,
    }
    for kind, limit in limits.items():
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(kind, (limit, limit))


def _allow_cpu(cpu_s: int) -> None:
    """`cpu_s` more seconds of CPU for the next order; past them the kernel ends the process with SIGXCPU."""
    import resource

    used = resource.getrusage(resource.RUSAGE_SELF)
    soft = int(used.ru_utime + used.ru_stime) + cpu_s + 1
    resource.setrlimit(resource.RLIMIT_CPU, (soft, resource.RLIM_INFINITY))
