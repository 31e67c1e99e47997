"""What an activity says of a fault: a type, and never a text that came from outside.

Messages and causes of failed activities stand in workflow history and in logs, where no word of mail may be (P23).
"""

import traceback
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from temporalio import activity
from temporalio.exceptions import ApplicationError

from contracts.errors import DeskhandError, PermanentFault

TRIES = 5


@asynccontextmanager
async def named_faults(what: str) -> AsyncIterator[None]:
    """Our own faults keep their words; anything else becomes `Unexpected.<type>`, tried five times and not for ever."""
    try:
        yield
    except ApplicationError:
        raise
    except DeskhandError as fault:
        final = isinstance(fault, PermanentFault)
        raise ApplicationError(str(fault), type=type(fault).__name__, non_retryable=final) from None
    except Exception as fault:
        raise unexpected(what, fault, final=tries() >= TRIES) from None


def unexpected(what: str, fault: Exception, *, final: bool) -> ApplicationError:
    """The failure to raise `from None`; the log gets the place in our code, without the fault's own words."""
    kind = type(fault).__name__
    activity.logger.error(
        "unexpected fault", extra={"activity": what, "fault": kind, "at": traceback.format_tb(fault.__traceback__)[-3:]}
    )
    return ApplicationError(f"{what} failed", type=f"Unexpected.{kind}", non_retryable=final)


def tries() -> int:
    """How often this call was tried, this time included; outside an activity nothing will try again."""
    return activity.info().attempt if activity.in_activity() else TRIES
