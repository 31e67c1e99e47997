"""The parent's side of reading: files go to a child with bounded CPU, memory and time, and no network (HW12)."""

import asyncio
import contextlib
import json
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from datetime import timedelta
from signal import SIGXCPU
from typing import Any, Final

from adapters.importing.limits import MIB, FileRefused
from adapters.parsing import _child_environment
from adapters.parsing_child import FRAME, OUT_OF_MEMORY, READY
from contracts.errors import TransientFault
from domain.knowledge.blocks import Block, ReadDocument

CPU_LIMIT: Final = timedelta(seconds=30)
ADDRESS_SPACE_BYTES: Final = 768 * MIB
MOST_ANSWER_BYTES: Final = 64 * MIB
FILES_PER_CHILD: Final = 500
_WALL_PER_CPU: Final = 4
_FAULTS: Final = (asyncio.IncompleteReadError, ConnectionError, ValueError)


class SandboxedReader:
    """Reads files one after another in a child, which is replaced after a crash and now and then.

    Close it when done; it starts its child when first asked.
    """

    def __init__(self, cpu_limit: timedelta = CPU_LIMIT, address_space_bytes: int = ADDRESS_SPACE_BYTES) -> None:
        self._cpu_s = max(int(cpu_limit.total_seconds()), 1)
        self._address_space_bytes = address_space_bytes
        self._process: Process | None = None
        self._served = 0
        self._opened: bytes | None = None
        self._turn = asyncio.Lock()

    async def read(self, raw: bytes, name: str) -> tuple[ReadDocument, str, int]:
        """The document in a file, the SHA-256 of its bytes and their number. Raises FileRefused, TransientFault."""
        async with self._turn:
            return _document(await self._ask({"do": "read", "name": name}, raw))

    async def open_archive(self, raw: bytes) -> list[str] | None:
        """Names of the pages in an archive; None for a file that is no archive of pages. Raises FileRefused."""
        async with self._turn:
            return await self._open(raw)

    async def read_member(self, archive: bytes, name: str) -> tuple[ReadDocument, str, int]:
        """A page of an archive, as `read` gives it; the archive stays open in the child. Raises FileRefused."""
        async with self._turn:
            if self._opened is not archive:
                await self._open(archive)
            return _document(await self._ask({"do": "member", "name": name}, b""))

    async def close(self) -> None:
        """End the child."""
        await self._end()

    async def _open(self, raw: bytes) -> list[str] | None:
        names: list[str] | None = await self._ask({"do": "open"}, raw)
        self._opened = raw if names is not None else None
        return names

    async def _ask(self, order: dict[str, Any], raw: bytes) -> Any:
        process = await self._ready()
        is_sound = False
        try:
            async with asyncio.timeout(self._cpu_s * _WALL_PER_CPU):
                head, body = await _exchange(process, json.dumps(order).encode(), raw)
            is_sound = not head.get("worn")
        except TimeoutError:
            raise FileRefused("reader_timeout") from None
        except _FAULTS:
            raise FileRefused(await self._cause_of_death(process)) from None
        finally:
            if not is_sound:
                await asyncio.shield(self._end())
        if "error" in head:
            raise FileRefused(str(head["error"]))
        return json.loads(body)

    async def _ready(self) -> Process:
        if self._process is not None and self._served >= FILES_PER_CHILD and self._opened is None:
            await self._end()
        if self._process is None:
            self._process, self._served, self._opened = await self._spawn(), 0, None
        self._served += 1
        return self._process

    async def _spawn(self) -> Process:
        limits = [str(self._cpu_s), str(self._address_space_bytes)]
        try:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "adapters.importing.reading_child", *limits),
                stdin=PIPE, stdout=PIPE, stderr=DEVNULL, env=_child_environment(), start_new_session=True,
            )  # fmt: skip
            assert process.stdout is not None
            await process.stdout.readexactly(len(READY))
        except (OSError, asyncio.IncompleteReadError) as fault:
            raise TransientFault("The process that reads files could not be started.") from fault
        return process

    async def _end(self) -> None:
        process, self._process, self._opened = self._process, None, None
        if process is not None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()

    async def _cause_of_death(self, process: Process) -> str:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), timeout=5)
        deaths = {-SIGXCPU: "reader_cpu", OUT_OF_MEMORY: "reader_memory"}
        return deaths.get(process.returncode or 0, "reader_killed")


async def _exchange(process: Process, order: bytes, raw: bytes) -> tuple[dict[str, Any], bytes]:
    stdin, stdout = process.stdin, process.stdout
    assert stdin is not None and stdout is not None
    stdin.write(FRAME.pack(len(order), len(raw)) + order)
    stdin.write(raw)
    await stdin.drain()
    head_size, body_size = FRAME.unpack(await stdout.readexactly(FRAME.size))
    if head_size + body_size > MOST_ANSWER_BYTES:
        raise ValueError("the answer is too long")
    return json.loads(await stdout.readexactly(head_size)), await stdout.readexactly(body_size)


def _document(shown: dict[str, Any]) -> tuple[ReadDocument, str, int]:
    blocks = tuple(Block(one["text"], tuple(one["way"]), one["page"], one["opens"]) for one in shown["blocks"])
    document = ReadDocument(shown["title"], shown["kind"], blocks, tuple(shown["notes"]))
    return document, shown["sha256"], shown["bytes"]
