"""The minute's sweep of missions: one short workflow around one activity (M70)."""

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from contracts.sweep import SweepReport, SweepRequest
    from workflows import policies
    from workflows.calls import start


@workflow.defn(name="MissionSweepWorkflow")
class MissionSweepWorkflow:
    """Started by a schedule."""

    @workflow.run
    async def run(self, request: SweepRequest) -> SweepReport:
        """One sweep."""
        report: SweepReport = await start("mission_sweep", request, SweepReport, policies.MISSION_SWEEP)
        return report
