"""Breakers stop automation when the numbers turn bad, and trust it again only on evidence: time alone opens the door a
crack, never wide (P93-P96)."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from enum import StrEnum

from pydantic import AwareDatetime, Field, model_validator

from contracts.base import Contract


class BreakerKind(StrEnum):
    """What a breaker watches."""

    LLM_FAILURE = "llm_failure"
    CONFIDENCE_DEGRADATION = "confidence_degradation"
    REJECTION_SPIKE = "rejection_spike"


class BreakerState(StrEnum):
    """closed: all is well; open: no automation; half_open: a few probes."""

    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half_open"


LOW_CONFIDENCE = 0.5


class Breaker(Contract):
    """One row of `breakers`: its own threshold, window, sample and cool-down are the ones used (P93, A93)."""

    kind: BreakerKind
    threshold: float = Field(ge=0, le=1)
    window: timedelta
    min_sample: int = Field(ge=1)
    cool_down: timedelta = timedelta(seconds=900)
    probe_limit: int = Field(default=3, ge=0)
    state: BreakerState = BreakerState.CLOSED
    tripped_at: AwareDatetime | None = None
    half_open_at: AwareDatetime | None = None
    recovered_at: AwareDatetime | None = None
    probes_used: int = Field(default=0, ge=0)
    reason: str = ""

    @model_validator(mode="after")
    def _stamped(self) -> "Breaker":
        if self.state is BreakerState.OPEN and self.tripped_at is None:
            raise ValueError("an open breaker needs the time at which it tripped")
        if self.state is BreakerState.HALF_OPEN and self.half_open_at is None:
            raise ValueError("a half-open breaker needs the time at which it opened its door")
        return self


class Sample(Contract):
    """`bad` of `total` finished events, counted since `sample_since`."""

    bad: int = Field(ge=0)
    total: int = Field(ge=0)

    @model_validator(mode="after")
    def _possible(self) -> "Sample":
        if self.bad > self.total:
            raise ValueError("a sample cannot hold more bad events than events")
        return self

    @property
    def share(self) -> float:
        """The bad share in [0, 1]; 0 for an empty sample."""
        return self.bad / self.total if self.total else 0.0


class CallOutcome(StrEnum):
    """How a model call ended. Refused transitions and human cancellations say nothing about the model (P94)."""

    OK = "ok"
    FAILED = "failed"
    REFUSED_TRANSITION = "refused_transition"
    CANCELLED = "cancelled"


def default_breakers() -> tuple[Breaker, ...]:
    """The three breakers of a new mailbox with the values of P93."""
    minutes, hours = (lambda count: timedelta(minutes=count)), (lambda count: timedelta(hours=count))
    return (
        Breaker(kind=BreakerKind.LLM_FAILURE, threshold=0.20, window=minutes(15), min_sample=10),
        Breaker(kind=BreakerKind.CONFIDENCE_DEGRADATION, threshold=0.30, window=minutes(60), min_sample=10),
        Breaker(kind=BreakerKind.REJECTION_SPIKE, threshold=0.40, window=hours(24), min_sample=5),
    )


def calls_sample(outcomes: Iterable[CallOutcome]) -> Sample:
    """The sample of `llm_failure`: failed among finished calls, refusals and cancellations left out."""
    finished = [outcome for outcome in outcomes if outcome in (CallOutcome.OK, CallOutcome.FAILED)]
    return Sample(bad=finished.count(CallOutcome.FAILED), total=len(finished))


def confidence_sample(confidences: Iterable[float]) -> Sample:
    """The sample of `confidence_degradation`: classify confidences below 0.5."""
    values = list(confidences)
    return Sample(bad=sum(not value >= LOW_CONFIDENCE for value in values), total=len(values))


def sample_since(breaker: Breaker, now: datetime) -> datetime:
    """From which instant the sample counts: the window, or everything since a half-open breaker opened its door.

    What a closed one has recovered from is not held against it again, though a long window still holds it.
    """
    if breaker.state is BreakerState.HALF_OPEN and breaker.half_open_at is not None:
        return breaker.half_open_at
    return max(filter(None, (now - breaker.window, breaker.recovered_at)))


def evaluate(breaker: Breaker, sample: Sample, now: datetime) -> Breaker:
    """The breaker after one look at its sample; the same object where nothing changes."""
    if breaker.state is BreakerState.OPEN:
        return _after_cool_down(breaker, now)
    if sample.total < breaker.min_sample:
        return breaker
    if sample.share > breaker.threshold:
        return _tripped(breaker, sample, now)
    return _recovered(breaker, sample, now) if breaker.state is BreakerState.HALF_OPEN else breaker


def _after_cool_down(breaker: Breaker, now: datetime) -> Breaker:
    if breaker.tripped_at is None or now < breaker.tripped_at + breaker.cool_down:
        return breaker
    seconds = int(breaker.cool_down.total_seconds())
    reason = f"cooled down for {seconds} s; up to {breaker.probe_limit} automatic approvals"
    return breaker.model_copy(
        update={"state": BreakerState.HALF_OPEN, "half_open_at": now, "probes_used": 0, "reason": reason}
    )


def _tripped(breaker: Breaker, sample: Sample, now: datetime) -> Breaker:
    reason = f"{_words(sample)} is above {breaker.threshold:.2f}"
    return breaker.model_copy(
        update={
            "state": BreakerState.OPEN,
            "tripped_at": now,
            "half_open_at": None,
            "recovered_at": None,
            "reason": reason,
        }
    )


def _recovered(breaker: Breaker, sample: Sample, now: datetime) -> Breaker:
    return _closed(breaker, f"{_words(sample)} is not above {breaker.threshold:.2f}", now)


def _closed(breaker: Breaker, reason: str, now: datetime) -> Breaker:
    update = {"state": BreakerState.CLOSED, "recovered_at": now, "half_open_at": None, "probes_used": 0}
    return breaker.model_copy(update={**update, "reason": reason})


def _words(sample: Sample) -> str:
    return f"{sample.bad} of {sample.total} bad ({sample.share:.2f})"


def blocks_automation(breaker: Breaker) -> bool:
    """True while open, and half-open once its probes are used up (P79, P95)."""
    used_up = breaker.state is BreakerState.HALF_OPEN and breaker.probes_used >= breaker.probe_limit
    return breaker.state is BreakerState.OPEN or used_up


def take_probe(breaker: Breaker) -> Breaker | None:
    """The breaker after one automatic approval, or None if none may pass; the reference for one atomic statement."""
    if blocks_automation(breaker):
        return None
    if breaker.state is BreakerState.CLOSED:
        return breaker
    return breaker.model_copy(update={"probes_used": breaker.probes_used + 1})


def serialises_model_steps(breaker: Breaker) -> bool:
    """True while `llm_failure` is open: one model step per mailbox at a time, the others hold (P96)."""
    return breaker.kind is BreakerKind.LLM_FAILURE and breaker.state is BreakerState.OPEN


def reset(breaker: Breaker, admin: str, note: str, now: datetime) -> Breaker:
    """Closed by hand; both the name and a note are needed and kept as the reason, else ValueError (P96)."""
    if not admin.strip() or not note.strip():
        raise ValueError("resetting a breaker needs the admin's name and a note")
    return _closed(breaker, f"reset by {admin.strip()}: {note.strip()}", now)
