"""The model endpoint: set, reachable, knows our models, and gives structured answers."""

from adapters.llm.probe import ProbeReport, probe
from adapters.settings import Settings
from cli.checks.finding import Finding, fine, wrong


async def check_model(settings: Settings) -> list[Finding]:
    """Findings on the endpoint; costs one or two short model calls."""
    where = settings.llm_base_url or "the OpenAI API"
    if settings.deskhand_offline_model:
        where = f"the offline endpoint at {where}"
    report = await probe(settings)
    if not report.reachable:
        return [wrong("Model endpoint", report.detail, "Set LLM_BASE_URL and LLM_API_KEY, or start the stack.")]
    return [fine("Model endpoint", f"reachable: {where}"), _check_structure(report)]


def _check_structure(report: ProbeReport) -> Finding:
    level = str(getattr(report.structured, "value", report.structured))
    if level == "none":
        return wrong("Structured answers", report.detail, "Correct LLM_MODEL, LLM_MODEL_FAST or LLM_MODEL_CAPABLE.")
    return fine("Structured answers", f"{level}. {report.detail}".rstrip(". ") + ".")
