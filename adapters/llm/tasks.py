"""Which task runs on which model, how warm, how long and at what length: one table, one function (P109)."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol

from contracts.llm import ModelTask, Tier

OPENAI_URL = "https://api.openai.com/v1"
OFFLINE_EMBEDDER = "use-multilingual-v3"
OFF = "off"
_NO_KEY = "unused"
_DEFAULT_MODELS = {Tier.FAST: "gpt-4o-mini", Tier.CAPABLE: "gpt-4o"}


class ModelSettings(Protocol):
    """The settings this package reads; empty text counts as unset, secrets may be wrapped in `SecretStr`."""

    @property
    def llm_base_url(self) -> object: ...
    @property
    def llm_api_key(self) -> object: ...
    @property
    def llm_model(self) -> object: ...
    @property
    def llm_model_fast(self) -> object: ...
    @property
    def llm_model_capable(self) -> object: ...
    @property
    def llm_embedding_model(self) -> object: ...
    @property
    def llm_prices(self) -> object: ...


@dataclass(frozen=True, slots=True)
class Limits:
    """How one task is asked; `timeout_s` bounds one HTTP call from connect to the last byte."""

    tier: Tier
    temperature: float
    max_output_tokens: int
    timeout_s: float


TASKS: Mapping[ModelTask, Limits] = MappingProxyType(
    {
        ModelTask.CLASSIFY: Limits(Tier.FAST, 0.2, 2000, 30),
        ModelTask.EXTRACT: Limits(Tier.FAST, 0.1, 3000, 60),
        ModelTask.GUARD: Limits(Tier.FAST, 0.0, 800, 20),
        ModelTask.SUMMARIZE: Limits(Tier.FAST, 0.2, 1500, 60),
        ModelTask.SELF_CHECK: Limits(Tier.FAST, 0.1, 800, 30),
        ModelTask.DRAFT: Limits(Tier.CAPABLE, 0.4, 4000, 90),
        ModelTask.SUPERVISE: Limits(Tier.CAPABLE, 0.2, 4000, 120),
        ModelTask.EMBED: Limits(Tier.FAST, 0.0, 0, 30),
    }
)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where calls go; `configured` is False if neither address nor key is set, and then no call may leave."""

    base_url: str
    api_key: str
    configured: bool = True


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """All that a call of one task needs to know before it has a prompt."""

    task: ModelTask
    model: str
    endpoint: Endpoint
    limits: Limits


def model_for(task: ModelTask, settings: ModelSettings) -> ModelChoice:
    """The endpoint, model and limits of a task; the only place that decides any of them (P109)."""
    limits = TASKS[task]
    if task is ModelTask.EMBED:
        name = _text(settings.llm_embedding_model) or OFFLINE_EMBEDDER
    else:
        name = _tier_model(limits.tier, settings)
    return ModelChoice(task, name, _endpoint(settings), limits)


def _tier_model(tier: Tier, settings: ModelSettings) -> str:
    own = settings.llm_model_fast if tier is Tier.FAST else settings.llm_model_capable
    return _text(own) or _text(settings.llm_model) or _DEFAULT_MODELS[tier]


def _endpoint(settings: ModelSettings) -> Endpoint:
    url, key = _text(settings.llm_base_url), _text(settings.llm_api_key)
    return Endpoint(url or OPENAI_URL, key or _NO_KEY, configured=bool(url or key))


def _text(value: object) -> str:
    """A setting as stripped text; None and empty text are both unset."""
    reveal = getattr(value, "get_secret_value", None)
    return str(reveal() if reveal else "" if value is None else value).strip()
