"""Argument and result of the minute's sweep."""

from contracts.base import Contract


class SweepRequest(Contract):
    """`full` compares every non-terminal message with the engine, once an hour."""

    full: bool = False


class SweepReport(Contract):
    """What was found; all zero is a quiet minute."""

    woken: int = 0
    restarted: int = 0
    doubtful: int = 0
