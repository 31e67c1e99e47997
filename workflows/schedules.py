"""What runs by the clock: each is one short workflow around one activity, started by a Temporal Schedule."""

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from contracts.sweep import SweepReport, SweepRequest
    from workflows import policies
    from workflows.calls import start


@workflow.defn(name="SweepWorkflow")
class SweepWorkflow:
    """Every minute the small sweep; the hourly one compares all open messages with the engine (P30)."""

    @workflow.run
    async def run(self, request: SweepRequest) -> SweepReport:
        """One sweep."""
        return await start("sweep", request, SweepReport, policies.SWEEP, "full" if request.full else "recent")
