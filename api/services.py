"""What the endpoints work with, opened once per process by the composition root."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from adapters.postgres import Database
from adapters.reviews import ReviewDesk
from adapters.settings import Settings
from adapters.sources import Sources
from api.dashboard.settings.trial import ModelTrial
from domain.keys import Keyring


@dataclass
class Services:
    """`database` serves people, `door` serves mail: no shared connections, so that neither starves the other."""

    settings: Settings
    keyring: Keyring
    database: Database
    door: Database
    sources: Sources
    desk: ReviewDesk
    model_trial: ModelTrial


def _services(request: Request) -> Services:
    services: Services = request.app.state.services
    return services


Deskhand = Annotated[Services, Depends(_services)]
