"""The model endpoint: set, reachable, knows our models, and gives structured answers."""

from adapters.llm.probe import ProbeReport, probe
from adapters.settings import Settings
from cli.checks.finding import Finding, fine, wrong
from contracts.llm import ModelTask


async def check_model(settings: Settings) -> list[Finding]:
    """Findings on the endpoint; costs one or two short model calls."""
    where = settings.llm_base_url or "the OpenAI API"
    if settings.deskhand_offline_model:
        where = f"the offline endpoint at {where}"
    report = await probe(settings)
    if not report.reachable:
        return [wrong("Model endpoint", report.detail, "Set LLM_BASE_URL and LLM_API_KEY, or start the stack.")]
    return [fine("Model endpoint", f"reachable: {where}"), _check_models(report, settings)]


def _check_models(report: ProbeReport, settings: Settings) -> Finding:
    """A model that can enforce no form is fine as long as its answers fit."""
    wanted = {settings.model_for(task) for task in (ModelTask.GUARD, ModelTask.DRAFT)}
    if wanted <= set(report.known):
        return fine("Models", report.detail)
    return wrong("Models", report.detail, "Correct LLM_MODEL, LLM_MODEL_FAST or LLM_MODEL_CAPABLE.")
