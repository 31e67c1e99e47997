"""What runs by the clock: each is one short workflow around one activity, started by a Temporal Schedule."""

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from contracts.autonomy import RulesReport, RulesRequest
    from contracts.knowledge import MiningReport, MiningRequest, UpkeepReport, UpkeepRequest
    from contracts.sweep import SweepReport, SweepRequest
    from domain.metrics import RetentionReport, RetentionRequest, RollupReport, RollupRequest
    from workflows import policies
    from workflows.calls import start


@workflow.defn(name="SweepWorkflow")
class SweepWorkflow:
    """Every minute the small sweep; the hourly one compares all open messages with the engine (P30)."""

    @workflow.run
    async def run(self, request: SweepRequest) -> SweepReport:
        """One sweep."""
        return await start("sweep", request, SweepReport, policies.SWEEP, "full" if request.full else "recent")


@workflow.defn(name="RollupWorkflow")
class RollupWorkflow:
    """Every five minutes: metrics, breakers, counters of a day that is over (15.1, P93)."""

    @workflow.run
    async def run(self, request: RollupRequest) -> RollupReport:
        """One rollup."""
        return await start("rollup", request, RollupReport, policies.ROLLUP, "metrics and breakers")


@workflow.defn(name="RetentionWorkflow")
class RetentionWorkflow:
    """Once a day: what serves nobody any more is deleted."""

    @workflow.run
    async def run(self, request: RetentionRequest) -> RetentionReport:
        """One clean-up."""
        return await start("retention", request, RetentionReport, policies.RETENTION, "old rows")


@workflow.defn(name="RulesWorkflow")
class RulesWorkflow:
    """Every five minutes the audits of rules that are on; once a week their thresholds (P90, P91)."""

    @workflow.run
    async def run(self, request: RulesRequest) -> RulesReport:
        """One look at all rules."""
        summary = "thresholds" if request.weekly else "audits"
        return await start("look_at_rules", request, RulesReport, policies.RULES, summary)


@workflow.defn(name="KnowledgeUpkeepWorkflow")
class KnowledgeUpkeepWorkflow:
    """Every two minutes: vectors, word counts, what ran out, what was said twice, what contradicts (P107)."""

    @workflow.run
    async def run(self, request: UpkeepRequest) -> UpkeepReport:
        """One round."""
        return await start("knowledge_upkeep", request, UpkeepReport, policies.KNOWLEDGE, "knowledge in order")


@workflow.defn(name="KnowledgeMiningWorkflow")
class KnowledgeMiningWorkflow:
    """Every two minutes: claims out of mail that came through, apart from the message's own run (P106)."""

    @workflow.run
    async def run(self, request: MiningRequest) -> MiningReport:
        """One round."""
        return await start("knowledge_mining", request, MiningReport, policies.KNOWLEDGE, "claims from mail")
