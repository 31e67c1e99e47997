"""Every number here rests on people who read. Planted faulty drafts, which can never be sent, measure how many faults
they catch, and what a certificate is worth with reviewers like these."""

from pydantic import Field, model_validator

from contracts.base import Contract
from domain.autonomy.exact_bounds import lower_bound


class Vigilance(Contract):
    """Of `planted` faulty drafts that were reviewed, `caught` were rejected or edited."""

    planted: int = Field(ge=0)
    caught: int = Field(ge=0)

    @model_validator(mode="after")
    def _no_more_than_planted(self) -> "Vigilance":
        if self.caught > self.planted:
            raise ValueError("no more can be caught than were planted")
        return self

    @property
    def catch_rate_lower(self) -> float:
        """One-sided 95 % Clopper-Pearson lower bound on the share of faults that reviewers catch; 0.0 without data."""
        return lower_bound(self.caught, self.planted)

    def honest_upper(self, upper: float) -> float:
        """An upper limit of the errors seen, turned into one of the errors made; 1.0 if nobody can tell."""
        caught = self.catch_rate_lower
        return min(1.0, upper / caught) if caught > 0 else 1.0
