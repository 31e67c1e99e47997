"""Parsing in a process of its own. The bytes of a mail are chosen by an attacker, so they meet the parser in a child
that has a bounded CPU time and address space, no credentials in its environment, and no file or socket it could open;
whatever becomes of the child, the caller gets a named error (MI2, HW12).

The child stays warm between mails: starting an interpreter with the language model costs a second, asking it costs a
millisecond.
"""

import asyncio
import contextlib
import json
from asyncio.subprocess import Process
from datetime import datetime, timedelta
from signal import SIGXCPU
from typing import Any

from adapters.sandbox import CHILD_FAULTS, WALL_PER_CPU, exchange, spawn
from adapters.sandbox_child import OUT_OF_MEMORY
from contracts.errors import MalformedMessage, TransientFault
from contracts.mail import ParsedMail

MIB = 1024 * 1024
CPU_LIMIT = timedelta(seconds=10)
ADDRESS_SPACE_BYTES = 512 * MIB
MAX_ANSWER_BYTES = 512 * MIB
MAILS_PER_CHILD = 500
LARGE_MAIL_BYTES = 4 * MIB


class SandboxedParser:
    """Parses mails in `processes` warm children. Safe for concurrent use within one event loop.

    A child is replaced after a crash, after a large mail (its memory would count against the next), and now and then.
    """

    def __init__(
        self,
        processes: int = 2,
        cpu_limit: timedelta = CPU_LIMIT,
        address_space_bytes: int = ADDRESS_SPACE_BYTES,
    ) -> None:
        self._cpu_s = max(int(cpu_limit.total_seconds()), 1)
        self._address_space_bytes = address_space_bytes
        self._slots = [_Slot(self._spawn) for _ in range(processes)]
        self._idle: asyncio.LifoQueue[_Slot] = asyncio.LifoQueue()
        for slot in reversed(self._slots):
            self._idle.put_nowait(slot)

    async def start(self) -> None:
        """Warm the first child, so that the first mail does not wait for it. Optional."""
        await self._slots[0].child()

    async def parse(
        self,
        raw: bytes,
        raw_kind: str,
        *,
        received_at: datetime,
        envelope_sender: str | None = None,
        envelope_recipients: tuple[str, ...] = (),
        our_names: tuple[str, ...] = (),
        languages: tuple[str, ...] = ("en", "de", "fr", "es"),
    ) -> tuple[ParsedMail, dict[str, bytes]]:
        """The parsed mail and the bytes of its attachments by SHA-256. `raw_kind` is `rfc822` or `provider_json`.

        Raises `MalformedMessage` whose text is a reason code: `parser_cpu`, `parser_memory`, `parser_recursion`,
        `parser_timeout`, `parser_killed`, `parser_error_<fault>`, `payload_unreadable`, `unknown_raw_kind`; and
        `TransientFault` if no child can be started.
        """
        order = {
            "raw_kind": raw_kind,
            "received_at": received_at.isoformat(),
            "envelope_sender": envelope_sender,
            "envelope_recipients": envelope_recipients,
            "our_names": our_names,
            "languages": languages,
        }
        slot = await self._idle.get()
        try:
            return await slot.ask(json.dumps(order).encode(), raw, self._cpu_s * WALL_PER_CPU)
        finally:
            self._idle.put_nowait(slot)

    async def close(self) -> None:
        """End all children and wait for them."""
        await asyncio.gather(*(slot.close() for slot in self._slots))

    async def _spawn(self) -> "_Child":
        try:
            return _Child(await spawn("adapters.parsing_child", self._cpu_s, self._address_space_bytes))
        except (OSError, asyncio.IncompleteReadError) as fault:
            raise TransientFault("The mail parser's process could not be started.") from fault


class _Child:
    """One child process and the frames exchanged with it."""

    def __init__(self, process: Process) -> None:
        self.process = process
        self.served = 0

    async def exchange(self, order: bytes, raw: bytes) -> tuple[dict[str, Any], bytes, dict[str, bytes]]:
        """Send one mail; the head of the answer, the parsed mail as JSON, and the attachments."""
        answer = await exchange(self.process, order, raw, MAX_ANSWER_BYTES)
        if answer is None:
            raise MalformedMessage("parser_answer")
        head, body = answer
        stdout = self.process.stdout
        assert stdout is not None
        contents = {digest: await stdout.readexactly(size) for digest, size in head.get("contents", ())}
        self.served += 1
        return head, body, contents

    def is_spent(self, raw: bytes) -> bool:
        return self.served >= MAILS_PER_CHILD or len(raw) >= LARGE_MAIL_BYTES

    async def end(self) -> int:
        """Kill the process if it still runs; its exit code, negative for a signal."""
        with contextlib.suppress(ProcessLookupError):
            self.process.kill()
        return await self.process.wait()

    async def cause_of_death(self) -> str:
        """The reason code of a child that closed its end."""
        try:
            code = await asyncio.wait_for(self.process.wait(), timeout=5)
        except TimeoutError:
            code = await self.end()
        return {-SIGXCPU: "parser_cpu", OUT_OF_MEMORY: "parser_memory"}.get(code, "parser_killed")


class _Slot:
    """A place for one child, which is started when first needed and again as soon as one has ended."""

    def __init__(self, spawn: Any) -> None:
        self._spawn = spawn
        self._child: asyncio.Task[_Child] | None = None

    async def child(self) -> _Child:
        """The warm child; a start that failed is tried again by the next caller."""
        if self._child is None:
            self._child = asyncio.create_task(self._spawn())
        try:
            return await asyncio.shield(self._child)
        except TransientFault:
            self._child = None
            raise

    async def ask(self, order: bytes, raw: bytes, wall_s: int) -> tuple[ParsedMail, dict[str, bytes]]:
        child = await self.child()
        is_sound = False
        try:
            async with asyncio.timeout(wall_s):
                head, body, contents = await child.exchange(order, raw)
            is_sound = not head.get("worn") and not child.is_spent(raw)
        except TimeoutError:
            raise MalformedMessage("parser_timeout") from None
        except CHILD_FAULTS:
            raise MalformedMessage(await child.cause_of_death()) from None
        finally:
            if not is_sound:
                await asyncio.shield(self._replace(child))
        if "error" in head:
            raise MalformedMessage(str(head["error"]))
        return ParsedMail.model_validate_json(body), contents

    async def _replace(self, child: _Child) -> None:
        self._child = asyncio.create_task(self._spawn())
        self._child.add_done_callback(lambda task: task.cancelled() or task.exception())
        await child.end()

    async def close(self) -> None:
        task, self._child = self._child, None
        if task is not None:
            with contextlib.suppress(TransientFault):
                await (await task).end()
