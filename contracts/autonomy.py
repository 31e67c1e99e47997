"""What the clock asks of the autonomy rules."""

from pydantic import Field

from contracts.base import Contract


class RulesRequest(Contract):
    """`weekly` also adjusts thresholds (P90); without it only the audits are read (P91)."""

    weekly: bool = False


class RulesReport(Contract):
    """How many rules were looked at, and what became of them."""

    looked_at: int = Field(default=0, ge=0)
    demoted: int = Field(default=0, ge=0)
    tightened: int = Field(default=0, ge=0)
    loosened: int = Field(default=0, ge=0)
    suggested: int = Field(default=0, ge=0)
    skipped: int = Field(default=0, ge=0)
