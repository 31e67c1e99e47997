"""The seam to a chat model: which task wants which tier, what a call returns, and how it can fail."""

from decimal import Decimal
from enum import StrEnum

from contracts.base import Contract


class ModelTask(StrEnum):
    """What a model is asked for. The task alone decides tier, temperature and limits (P109)."""

    CLASSIFY = "classify"
    EXTRACT = "extract"
    GUARD = "guard"
    SUMMARIZE = "summarize"
    SELF_CHECK = "self_check"
    DRAFT = "draft"
    SUPERVISE = "supervise"
    EMBED = "embed"


class Tier(StrEnum):
    FAST = "fast"
    CAPABLE = "capable"


class Prompt(Contract):
    """A prompt in two voices: `trusted` is ours, `untrusted` maps a block name to third-party text.

    The adapter wraps every untrusted block in a marker that is fresh per call and cannot be closed by its content (HW1,
    P67).
    """

    trusted: str
    untrusted: tuple[tuple[str, str], ...] = ()


class UsageContext(Contract):
    """Whom a call is charged to in the ledger (P110)."""

    mailbox_id: str
    message_id: str | None = None
    run_no: int | None = None
    step: str | None = None


class Usage(Contract):
    """One row of the usage ledger; `cost_usd` is None where no price is known."""

    task: ModelTask
    model: str
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: Decimal | None = None
    latency_ms: int = 0
    outcome: str = "ok"
    offline: bool = False


class Completion(Contract):
    """The text of one answer and what it cost."""

    text: str
    usage: Usage
