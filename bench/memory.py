"""What an idle stack of `deskhand run` holds in memory, all processes together, before and after its first mail."""

import asyncio
from collections.abc import Sequence

import psutil

from bench.sizes import Sizes
from bench.watching import until_draft_ready
from bench.whole_stack import DEMO_MAIL, WholeStack, whole_stack

PATIENCE_S = 180.0
MIB = 1024 * 1024


def run(sizes: Sizes) -> dict[str, float]:
    """`idle_stack_mib` after a start and nothing else, `idle_stack_after_mail_mib` with parser and embedder loaded.

    `idle_stack_is_pss` is 1 where memory shared by several processes counts once (PSS), 0 where only the sum of
    resident sizes could be read, which counts it once for each of them.
    """
    return asyncio.run(_run(sizes))


async def _run(sizes: Sizes) -> dict[str, float]:
    async with whole_stack() as stack:
        await asyncio.sleep(sizes.idle_stack_s)
        processes = _processes(stack)
        fresh, is_pss = memory_mib(processes)
        await _one_mail(stack)
        await asyncio.sleep(sizes.idle_stack_s)
        used, _ = memory_mib(_processes(stack))
    return {
        "idle_stack_mib": fresh,
        "idle_stack_after_mail_mib": used,
        "idle_stack_processes": float(len(processes)),
        "idle_stack_is_pss": float(is_pss),
    }


def _processes(stack: WholeStack) -> list[psutil.Process]:
    root = psutil.Process(stack.child.pid)
    return [root, *root.children(recursive=True)]


def memory_mib(processes: Sequence[psutil.Process]) -> tuple[float, bool]:
    """The memory of these processes and whether it is PSS; processes that ended meanwhile hold none."""
    try:
        return sum(_bytes(process, "pss") for process in processes) / MIB, True
    except (psutil.AccessDenied, AttributeError):
        return sum(_bytes(process, "rss") for process in processes) / MIB, False


def _bytes(process: psutil.Process, kind: str) -> int:
    try:
        found = process.memory_full_info() if kind == "pss" else process.memory_info()
    except psutil.NoSuchProcess:
        return 0
    return int(getattr(found, kind))


async def _one_mail(stack: WholeStack) -> None:
    sql = await stack.open_sql()
    try:
        async with stack.poster() as poster:
            message_id, _ = await poster.accepted(DEMO_MAIL.read_bytes())
        await until_draft_ready(sql, [message_id], PATIENCE_S)
    finally:
        await sql.close()
