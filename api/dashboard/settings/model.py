"""The model endpoint as it is set, never its key, and a button that tries it (P109)."""

from dataclasses import dataclass
from typing import Any

from starlette.responses import Response

from adapters.llm.tasks import OPENAI_URL
from adapters.settings import Settings
from api.dashboard.frame import show
from api.dashboard.settings.trial import Trial
from api.dashboard.visit import Visit
from contracts.llm import ModelTask


@dataclass(frozen=True)
class Endpoint:
    """What the environment says; `url` and `has_key` may both be empty, and then no call leaves."""

    url: str
    has_key: bool
    fast: str
    capable: str
    embedding: str
    offline: bool

    @property
    def configured(self) -> bool:
        """Whether there is anything to ask."""
        return bool(self.url or self.has_key)


def endpoint_of(settings: Settings) -> Endpoint:
    """The endpoint of this installation."""
    embedding = "off" if settings.embeddings_off() else "local" if settings.embeddings_are_local() else "model"
    has_key = bool(settings.llm_api_key.get_secret_value())
    return Endpoint(
        settings.llm_base_url or (OPENAI_URL if has_key else ""), has_key, settings.model_for(ModelTask.CLASSIFY),
        settings.model_for(ModelTask.DRAFT), settings.llm_embedding_model if embedding == "model" else embedding,
        settings.deskhand_offline_model,
    )  # fmt: skip


async def model_page(visit: Visit) -> Response:
    """What is set."""
    return await _show(visit)


async def _show(visit: Visit, trial: Trial | None = None, **values: Any) -> Response:
    return await show(
        visit, "settings_model.html", endpoint=endpoint_of(visit.services.settings), trial=trial, **values
    )


async def try_it(visit: Visit) -> Response:
    """One question to each model, and what came of it."""
    visit.who.require("admin", role="admin")
    trial = await visit.services.model_trial()
    after = {"reachable": trial.reachable, "calls": len(trial.calls)}
    async with visit.services.database.transaction(()) as tx:
        await tx.run("api_audit", None, visit.who.actor, "model_tried", "model", None, after)
    return await _show(visit, trial)
