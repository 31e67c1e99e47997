"""When may a rule send alone, and when must it stop? Answered from its own record, with bounds that hold however often
one looks."""

from domain.autonomy.adjustment import Adjustment, Change, Review, weekly_adjustment
from domain.autonomy.certifying import (
    SHOWN_FROM_CLEAN,
    Certificate,
    GridPoint,
    certificate,
    certified_thresholds,
    clean_samples_needed,
)
from domain.autonomy.demotion import AuditVerdict, AuditWatch, DropReason, watch
from domain.autonomy.exact_bounds import lower_bound, upper_bound
from domain.autonomy.forecasting import Forecast, PastDecision, forecast
from domain.autonomy.observation import Observation, settled
from domain.autonomy.record import Record
from domain.autonomy.vigilance import Vigilance

__all__ = [
    "SHOWN_FROM_CLEAN",
    "Adjustment",
    "AuditVerdict",
    "AuditWatch",
    "Certificate",
    "Change",
    "DropReason",
    "Forecast",
    "GridPoint",
    "Observation",
    "PastDecision",
    "Record",
    "Review",
    "Vigilance",
    "certificate",
    "certified_thresholds",
    "clean_samples_needed",
    "forecast",
    "lower_bound",
    "settled",
    "upper_bound",
    "watch",
    "weekly_adjustment",
]
