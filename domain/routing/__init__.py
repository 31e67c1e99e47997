"""May this reply leave without a person? Rules, gates and the order in which they are asked; when in doubt, no."""

from domain.routing.decision import Outcome, RouteDecision, RouteFacts, Stage, decide, undo_window
from domain.routing.gates import GATES, GateFacts, Objection, Verdict, all_verdicts, first_objection
from domain.routing.rules import AutonomyRule, GlobalFallback, RuleMode
from domain.routing.working_hours import HoursOverride, WorkingHours

__all__ = [
    "GATES",
    "AutonomyRule",
    "GateFacts",
    "GlobalFallback",
    "HoursOverride",
    "Objection",
    "Outcome",
    "RouteDecision",
    "RouteFacts",
    "RuleMode",
    "Stage",
    "Verdict",
    "WorkingHours",
    "all_verdicts",
    "decide",
    "first_objection",
    "undo_window",
]
