"""What a certificate may count: decisions whose review did not depend on what they said, and how likely that review
was. Everything else, such as a reply a person happened to look at, says nothing about the replies nobody looked at
(P91)."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from pydantic import AwareDatetime, Field, model_validator

from contracts.base import Contract

PATIENCE = timedelta(days=14)


class Observation(Contract):
    """One stored routing decision with what the review made of it.

    `clean` True: sent unchanged or nearly so (P83); False: rejected or materially edited; None: not decided yet.
    `propensity` is the probability with which a person was to see it, `floor` the lowest probability that any decision
    of the rule could have had at that moment: 1 in shadow mode, the audit rate in mode on. `gates_silent` is the
    verdict of gates 1 to 14. `is_shown`: part of what people are shown and told the plain bound of; what was seen for
    its low score alone is not, because there it would outnumber what was drawn (P91).
    """

    score: float = Field(ge=0, le=1)
    clean: bool | None
    propensity: float = Field(default=1.0, gt=0, le=1)
    floor: float = Field(default=1.0, gt=0, le=1)
    gates_silent: bool = True
    is_shown: bool = True
    at: AwareDatetime

    @model_validator(mode="after")
    def _floor_is_lowest(self) -> "Observation":
        if self.floor > self.propensity:
            raise ValueError("the floor is the lowest propensity possible, so it cannot exceed this one")
        return self

    @property
    def weight(self) -> float:
        """floor / propensity in (0, 1]: how much of the full stake this decision may carry."""
        return self.floor / self.propensity


def settled(observations: Iterable[Observation], now: datetime, patience: timedelta = PATIENCE) -> list[Observation]:
    """In order of decision, everything before the first review that is still open.

    Hard mails are decided late; counting only what is decided would count the easy ones first. A review open for
    longer than `patience` counts as an error, so that one forgotten mail does not stop the count.
    """
    kept: list[Observation] = []
    for one in sorted(observations, key=lambda item: item.at):
        if one.clean is None and now - one.at <= patience:
            break
        kept.append(one if one.clean is not None else one.model_copy(update={"clean": False}))
    return kept
