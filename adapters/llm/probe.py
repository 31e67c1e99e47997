"""Is the endpoint there, does it know our models, does it enforce a form? For `deskhand doctor` and the start."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from adapters.llm.client import Models
from adapters.llm.dialect import Dialect
from adapters.llm.faults import CALL_ERRORS, failure_of
from adapters.llm.ledger import CallOutcome, MeteredUsage, UsageSink
from adapters.llm.structured import Structured
from adapters.llm.tasks import ModelChoice, ModelSettings, model_for
from adapters.llm.transport import Clients
from contracts.classification import GuardVerdict
from contracts.errors import DeskhandError, SchemaInvalid
from contracts.llm import ModelTask, UsageContext
from domain.prompts.guard import guard_prompt

PROBE_CONTEXT = UsageContext(mailbox_id="", step="probe")
_HARMLESS_MAIL = "Good morning, at what time do you open on Saturday?"
_TIERS = (ModelTask.GUARD, ModelTask.DRAFT)
_ORDER = tuple(Structured)
_ABSENT = (CallOutcome.UNREACHABLE, CallOutcome.TIMEOUT)


@dataclass(frozen=True, slots=True)
class ProbeReport:
    """What a probe found. `structured` is the weakest of the configured models, `detail` a sentence for a person.

    `known` goes into `Models(known=...)`, so that the first mail need not find out again.
    """

    reachable: bool
    models: tuple[str, ...]
    structured: Structured
    detail: str
    known: Mapping[str, Dialect] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Tried:
    """One model's answer to the trial question; `problem` is empty if it fitted."""

    model: str
    dialect: Dialect
    problem: str = ""


async def probe(settings: ModelSettings, sink: UsageSink | None = None) -> ProbeReport:
    """List the models and put one harmless question to each configured one; costs at most a few hundred tokens a model.

    Never raises for what the endpoint does. Pass the ledger as `sink`, so that its rows equal the calls (A94).
    """
    choice = model_for(ModelTask.GUARD, settings)
    if not choice.endpoint.configured:
        return ProbeReport(False, (), Structured.NONE, "No model endpoint is configured (LLM_BASE_URL, LLM_API_KEY).")
    models, absent = await _listed(choice)
    if absent:
        return ProbeReport(False, (), Structured.NONE, absent)
    return _report(models, await _tried_models(settings, sink or _Discard()))


async def _listed(choice: ModelChoice) -> tuple[tuple[str, ...], str]:
    """The model names the endpoint offers, none if it keeps no list; and why it cannot be reached, if so."""
    clients = Clients()
    try:
        page = await clients.of(choice.endpoint).models.list(timeout=choice.limits.timeout_s)
    except CALL_ERRORS as error:
        failure = failure_of(error, choice)
        return (), str(failure.error) if failure.outcome in _ABSENT else ""
    finally:
        await clients.close()
    entries = getattr(page, "data", None)
    names = [getattr(entry, "id", None) for entry in entries] if isinstance(entries, list) else []
    return tuple(name for name in names if isinstance(name, str)), ""


async def _tried_models(settings: ModelSettings, sink: UsageSink) -> list[_Tried]:
    by_model = {model_for(task, settings).model: task for task in reversed(_TIERS)}
    async with Models(settings, sink) as models:
        return [await _tried(models, model, task) for model, task in by_model.items()]


async def _tried(models: Models, model: str, task: ModelTask) -> _Tried:
    problem = ""
    try:
        await models.ask(task, guard_prompt(_HARMLESS_MAIL, hidden=False), GuardVerdict, PROBE_CONTEXT)
    except SchemaInvalid as fault:
        return _Tried(model, Dialect(structured=Structured.NONE), str(fault))
    except DeskhandError as fault:
        problem = str(fault)
    return _Tried(model, models.dialect_of(task, GuardVerdict), problem)


def _report(models: tuple[str, ...], tried: list[_Tried]) -> ProbeReport:
    answered = [one for one in tried if not one.problem]
    weakest = max((one.dialect.structured for one in answered), key=_ORDER.index, default=Structured.NONE)
    lines = [one.problem or f"{one.model} answers with {one.dialect.structured.value}." for one in tried]
    lines += [f"{one.model} is not in the endpoint's list." for one in tried if models and one.model not in models]
    known = {one.model: one.dialect for one in answered}
    return ProbeReport(True, models, Structured.NONE if len(answered) < len(tried) else weakest, " ".join(lines), known)


class _Discard:
    """A sink for a probe that runs where there is no ledger."""

    async def record(self, usage: MeteredUsage, context: UsageContext) -> None:
        """Keep nothing."""
