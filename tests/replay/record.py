"""Records the histories of the replay tests: `python -m tests.replay.record` tells every story to a real Deskhand.

Run it again when a workflow changed on purpose, and read the diff: a history that no longer replays is a run of a
customer that would be stuck after the upgrade.
"""

import asyncio
import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

from cli.stack.embedded import EmbeddedServices
from cli.stack.ports import spare_ports
from cli.stack.postgres import APP, OWNER
from cli.stack.schema import apply_schema
from cli.stack.state import StateDir
from tests.integration.running import Running
from tests.replay.stories import STORIES, answers
from workflows.policies import TASK_QUEUE

HISTORIES = Path(__file__).with_name("histories")
# Who did it and on which machine is nobody's business, and replay needs neither.
DROPPED = frozenset(
    {"identity", "requestId", "binaryChecksum", "workerVersion", "meteringMetadata", "taskId", "version", "stackTrace"}
)
CLOSES_WITHIN_S = 30


async def main() -> None:
    """Starts everything, tells every story, writes one file for each workflow."""
    with tempfile.TemporaryDirectory() as folder:
        state = StateDir(Path(folder) / "state")
        async with EmbeddedServices(state, spare_ports(), durable=False, web_ui=False) as services:
            await apply_schema(services.postgres.url(OWNER))
            urls = (services.postgres.url(APP), services.postgres.url(OWNER))
            temporal = (services.temporal.address, services.temporal.namespace)
            desk = Running(*urls, temporal, Path(folder))
            await asyncio.to_thread(desk.start)
            try:
                await _record_all(desk)
            finally:
                await asyncio.to_thread(desk.stop)


async def _record_all(desk: Running) -> None:
    answers(desk)
    await desk.config(human_undo_ms=0)
    recorded: dict[str, str] = {}
    for story in STORIES:
        workflows = await story(desk)
        for name, workflow_id in workflows.items():
            recorded[name] = workflow_id
            print(f"{name}: {workflow_id}")
    shutil.rmtree(HISTORIES, ignore_errors=True)
    HISTORIES.mkdir()
    for name, workflow_id in recorded.items():
        await _write(desk, name, workflow_id)


async def _write(desk: Running, name: str, workflow_id: str) -> None:
    handle = desk.client.get_workflow_handle(workflow_id)
    await asyncio.wait_for(desk.call(handle.result()), CLOSES_WITHIN_S)
    history = cleaned((await desk.call(handle.fetch_history())).to_json_dict())
    kept = {"workflow_id": workflow_id, **history}
    (HISTORIES / f"{name}.json").write_text(json.dumps(kept, separators=(",", ":")) + "\n")


def cleaned(value: Any) -> Any:
    """The same history without names of machines, processes and requests."""
    if isinstance(value, list):
        return [cleaned(item) for item in value]
    if not isinstance(value, dict):
        return value
    if str(value.get("kind")).startswith("TASK_QUEUE_KIND"):
        return {"name": TASK_QUEUE}
    return {key: cleaned(item) for key, item in value.items() if key not in DROPPED and item not in ({}, [])}


if __name__ == "__main__":
    asyncio.run(main())
