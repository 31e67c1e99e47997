"""The same work on DBOS Transact: an async workflow per message, an async step per step, checkpoints in Postgres.

Run as `python -m bench.dbos_way` with BENCH_DATABASE_URL and BENCH_SCHEMA. The settings give nothing up and were the
fastest of those tried: workflows start directly, since its queue writes and polls more; there are enough connections
for all that run at once, without a check before each use. Steps write by statements that may be repeated and so need no
datasource, which would add a second checkpoint to each. After a crash DBOS itself recovers what was under way.
"""

import asyncio
import os
from collections.abc import Awaitable, Callable
from typing import Final

from dbos import DBOS, DBOSConfig, SetWorkflowID

from bench.serving import serve
from bench.step_work import StepWork

SYSTEM_CONNECTIONS: Final = 18
_work: list[StepWork] = []


@DBOS.step()
async def receive(message_id: str) -> str | None:
    """Parse and enter."""
    return await _work[0].receive(message_id)


@DBOS.step()
async def step(message_id: str, kind: str) -> str | None:
    """One of the five steps."""
    return await _work[0].step(message_id, kind)


@DBOS.workflow()
async def inbound_message(message_id: str) -> None:
    """The story of one message."""
    due = await receive(message_id)
    while due is not None:
        due = await step(message_id, due)


def configuration(database_url: str, schema: str) -> DBOSConfig:
    """The system tables live beside the scratch schema, in the same Postgres as everything else."""
    return DBOSConfig(
        name="bench",
        system_database_url=database_url,
        dbos_system_schema=f"{schema}_dbos",
        db_engine_kwargs={"pool_size": SYSTEM_CONNECTIONS, "pool_pre_ping": False},
        application_version="bench",
        log_level="WARNING",
    )


async def begin(work: StepWork) -> Callable[[str], Awaitable[None]]:
    """Launches DBOS, which recovers unfinished workflows by itself; then the function that does one message."""
    _work.append(work)
    DBOS(config=configuration(os.environ["BENCH_DATABASE_URL"], os.environ["BENCH_SCHEMA"]))
    DBOS.launch()

    async def one(message_id: str) -> None:
        with SetWorkflowID(message_id):
            handle = await DBOS.start_workflow_async(inbound_message, message_id)
        await handle.get_result()

    return one


if __name__ == "__main__":
    asyncio.run(serve(begin))
