"""Knowledge out of a mailbox's history, as a run that can be seen, and that survives every restart (P108)."""

from datetime import timedelta

from pydantic import ValidationError
from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from contracts.knowledge import BackfillChunk, BackfillStart
    from workflows import policies
    from workflows.calls import start


@workflow.defn(name="KnowledgeBackfillWorkflow", failure_exception_types=[ValidationError])
class KnowledgeBackfillWorkflow:
    """Chunk after chunk until the job's row says that this run is over: done, paused, stopped, cancelled, replaced."""

    @workflow.run
    async def run(self, begin: BackfillStart) -> None:
        """The job keeps the cursor, so a new run goes on where this one ends."""
        while True:
            chunk: BackfillChunk = await start("knowledge_backfill", begin, BackfillChunk, policies.BACKFILL, "a chunk")
            if not chunk.more:
                return
            if chunk.wait_s:
                await workflow.sleep(timedelta(seconds=chunk.wait_s), summary="no model may be asked now")
            if workflow.info().is_continue_as_new_suggested():
                workflow.continue_as_new(begin)
