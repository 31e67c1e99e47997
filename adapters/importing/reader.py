"""The parent's side of reading: files go to a child with bounded CPU, memory and time, and no network (HW12)."""

import asyncio
import contextlib
import json
from asyncio.subprocess import Process
from datetime import timedelta
from signal import SIGXCPU
from typing import Any, Final

from adapters.importing.limits import MIB, FileRefused
from adapters.sandbox import CHILD_FAULTS, WALL_PER_CPU, exchange, spawn
from adapters.sandbox_child import OUT_OF_MEMORY
from contracts.errors import TransientFault
from domain.knowledge.blocks import Block, ReadDocument

CPU_LIMIT: Final = timedelta(seconds=30)
ADDRESS_SPACE_BYTES: Final = 768 * MIB
MOST_ANSWER_BYTES: Final = 64 * MIB
FILES_PER_CHILD: Final = 500


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
            async with asyncio.timeout(self._cpu_s * WALL_PER_CPU):
                head, body = await _exchange(process, json.dumps(order).encode(), raw)
            is_sound = not head.get("worn")
        except TimeoutError:
            raise FileRefused("reader_timeout") from None
        except CHILD_FAULTS:
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
        try:
            return await spawn("adapters.importing.reading_child", self._cpu_s, self._address_space_bytes)
        except (OSError, asyncio.IncompleteReadError) as fault:
            raise TransientFault("The process that reads files could not be started.") from fault

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
    answer = await exchange(process, order, raw, MOST_ANSWER_BYTES)
    if answer is None:
        raise ValueError("the answer is too long")
    return answer


def _document(shown: dict[str, Any]) -> tuple[ReadDocument, str, int]:
    blocks = tuple(Block(one["text"], tuple(one["way"]), one["page"], one["opens"]) for one in shown["blocks"])
    document = ReadDocument(shown["title"], shown["kind"], blocks, tuple(shown["notes"]))
    return document, shown["sha256"], shown["bytes"]
