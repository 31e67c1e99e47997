"""The only writer of status, step rows, holds and the thread's draft status (P15)."""

from activities.lifecycle.writer import Lifecycle

__all__ = ["Lifecycle"]
