"""What became of a mail we sent, as told by mail servers, complaint desks and mail programs."""

from domain.bounces.reader import read_bounce
from domain.bounces.report import BounceReport, ReportedRecipient, ReportKind

__all__ = ["BounceReport", "ReportKind", "ReportedRecipient", "read_bounce"]
