"""What can go wrong with the embedded stack, as errors whose message says what a person can do."""

from contracts.errors import DeskhandError


class StackFault(DeskhandError):
    """A part of the embedded stack cannot start or died; the message ends with what to do."""


class PortTaken(StackFault):
    """A port is in use; the message names it and the setting that changes it."""


class AlreadyRunning(StackFault):
    """Another process runs a stack on the same state folder."""


class SchemaMismatch(StackFault):
    """The database holds another schema than this version brings."""
