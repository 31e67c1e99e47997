"""The parent's side of a sandbox: a child with bounded CPU and memory, without our credentials, asked in frames (MI2,
HW12)."""

import asyncio
import json
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from typing import Any

from adapters.sandbox_child import FRAME, READY

WALL_PER_CPU = 4
# What an exchange with a child that has died, or writes nonsense, ends in.
CHILD_FAULTS = (asyncio.IncompleteReadError, ConnectionError, ValueError)


async def spawn(module: str, cpu_s: int, address_space_bytes: int) -> Process:
    """A child that is ready for its first order; OSError or IncompleteReadError where it could not be started."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", module, str(cpu_s), str(address_space_bytes)),
        stdin=PIPE, stdout=PIPE, stderr=DEVNULL, env=_environment(), start_new_session=True,
    )  # fmt: skip
    assert process.stdout is not None
    await process.stdout.readexactly(len(READY))
    return process


async def exchange(process: Process, order: bytes, raw: bytes, most_bytes: int) -> tuple[dict[str, Any], bytes] | None:
    """Send one order; head and body of the answer, None for an answer above `most_bytes`, which is left unread."""
    stdin, stdout = process.stdin, process.stdout
    assert stdin is not None and stdout is not None
    stdin.write(FRAME.pack(len(order), len(raw)) + order)
    stdin.write(raw)
    await stdin.drain()
    head_size, body_size = FRAME.unpack(await stdout.readexactly(FRAME.size))
    if head_size + body_size > most_bytes:
        return None
    return json.loads(await stdout.readexactly(head_size)), await stdout.readexactly(body_size)


def _environment() -> dict[str, str]:
    """Nothing of ours but where the code lies; one thread for linear algebra keeps the address space small."""
    path = os.pathsep.join(os.path.abspath(entry) for entry in sys.path)
    return {"PYTHONPATH": path, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONUTF8": "1"}
