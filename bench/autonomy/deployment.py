"""One rule's life: shadow, certified, switched on, audited, adjusted every week, and dropped when it has to be. Every
decision is the product's own: routing, gates, cap, record, certificate, watch and adjustment are called, not copied."""

from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

from bench.autonomy.truth import Draws
from contracts.classification import Category, IntentKind, Priority
from contracts.status import Status
from domain.autonomy import AuditWatch, Change, Observation, Record, Review, certified_thresholds, weekly_adjustment
from domain.autonomy.counting import judged, observation_of
from domain.briefing.compaction import ContextTier
from domain.budget.calendar_day import DailyCount
from domain.budget.spend import SpendLevel, SpendVerdict
from domain.routing.decision import Outcome, RouteDecision, RouteFacts, decide
from domain.routing.gate_facts import (
    AuditFacts,
    AuthVerdict,
    ClassFacts,
    ContextFacts,
    FreshnessFacts,
    GateFacts,
    HandlingFacts,
    HoursFacts,
    InboundFacts,
    LoopFacts,
    MessageFacts,
    SenderFacts,
)
from domain.routing.handling import HandledMessage
from domain.routing.rules import AutonomyRule, RuleMode
from domain.routing.working_hours import WorkingHours

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
ZONE = ZoneInfo("Europe/Berlin")
WEEK = timedelta(days=7)
SENDER = "mara@example.org"
AUDIT_RATE = 0.05
_HELD_SCORE = 0.9

SILENT = GateFacts(
    now=START,
    run_began_at=START,
    message=MessageFacts(exists=True, status=Status.DRAFTING, draft_text="Your parcel leaves tomorrow."),
    kill_switches=(),
    spend=SpendVerdict(level=SpendLevel.OK),
    hours=HoursFacts(mailbox=WorkingHours(zone=ZONE.key, enabled=False, start=time(0), end=time(0))),
    classes=ClassFacts(model_category=Category.SUPPORT, model_priority=Priority.NORMAL),
    inbound=InboundFacts(guard_unavailable=False, combined_score=0.0, bypass_used=False),
    sender=SenderFacts(dmarc=AuthVerdict.PASS, from_addresses=(SENDER,), from_count=1, recipients=(SENDER,)),
    loop=LoopFacts(class_b=False, loop_suspected=False, thread_cap_reached=False, sender_cap_reached=False),
    freshness=FreshnessFacts(),
    context=ContextFacts(tier=ContextTier.NORMAL, truncated=False, gaps=(), anything_found=True, ungrounded=()),
    outbound_score=0.0,
    leaks=(),
    handling=HandlingFacts(
        rules=(),
        message=HandledMessage(
            category=Category.SUPPORT, intents=(IntentKind.QUESTION,), sender=SENDER, text="When does it leave?"
        ),
    ),
)
FACTS = RouteFacts(
    breakers=(),
    offline_model=False,
    requested_by_person=False,
    proposed_by_mission=False,
    is_case=False,
    intents=1,
    autonomy_on=True,
    category=Category.SUPPORT,
    sender=SENDER,
    sender_identified=True,
    score=0.0,
    gates=SILENT,
)


def new_rule(mode: RuleMode, threshold: float, target: float, cap: int = 1000) -> AutonomyRule:
    """A category rule with a warm-up of one matched reply a sender."""
    return AutonomyRule(
        id="rule",
        mode=mode,
        category=Category.SUPPORT,
        auto_approve_threshold=threshold,
        max_daily_auto_actions=cap,
        warmup_required=1,
        target_error_rate=target,
    )


@dataclass
class Deployment:
    """One mailbox category. `every` is the time between two mails; `on_certificate` False leaves the mode alone."""

    rule: AutonomyRule
    every: timedelta
    now: datetime = START
    record: Record = field(default_factory=Record)
    certified: tuple[float, ...] = ()
    ever_certified: set[float] = field(default_factory=set)
    on_certificate: bool = True
    dropped_at: int | None = None
    sent: int = 0
    faulty_sent: int = 0
    sent_over_cap: int = 0

    def __post_init__(self) -> None:
        self._begin_watch()
        self._matched: Counter[int] = Counter()
        self._reviews: list[Review] = []
        self._next_adjustment = self.now + WEEK
        self._count = DailyCount(count=0, reset_at=self.now, cap=self.rule.max_daily_auto_actions)
        self._day_counts: Counter[object] = Counter()

    def live(self, draws: Draws) -> None:
        """All decisions in turn, until the rule drops."""
        for index in range(len(draws)):
            if self.dropped_at is None:
                self.step(draws, index)

    def step(self, draws: Draws, index: int) -> None:
        """One mail: decide, send or review, learn, look at the certificate, adjust."""
        self.now += self.every
        rate = self._audit_rate
        decision = self._decide(draws, index, rate)
        faulty, sender = bool(draws.faulty[index]), int(draws.senders[index])
        if decision.outcome is Outcome.AUTO_APPROVE and self._charged():
            self._sent(faulty)
        elif decision.outcome is Outcome.HUMAN_REVIEW:
            self._reviewed(decision, faulty, sender)
        if self._drops:
            self._drop(index)
        elif self.now >= self._next_adjustment:
            self._adjust()

    def _decide(self, draws: Draws, index: int, rate: float) -> RouteDecision:
        gates = SILENT.model_copy(
            update={
                "now": self.now,
                "run_began_at": self.now,
                "outbound_score": _HELD_SCORE if draws.held[index] else 0.0,
                "audit": AuditFacts(draw=draws.audit[index], rate=rate),
            }
        )
        return decide(
            FACTS.model_copy(
                update={
                    "score": float(draws.scores[index]),
                    "gates": gates,
                    "rules": (self.rule,),
                    "matched_observations": self._matched[int(draws.senders[index])],
                    "daily_count": self._count.cap - self._count.left(self.now),
                }
            )
        )

    def _charged(self) -> bool:
        charged = self._count.charged(self.now, ZONE)
        self._count = charged or self._count
        return charged is not None

    def _sent(self, faulty: bool) -> None:
        self.sent += 1
        self.faulty_sent += faulty
        day = self.now.astimezone(ZONE).date()
        self._day_counts[day] += 1
        self.sent_over_cap += self._day_counts[day] > self.rule.max_daily_auto_actions

    def _reviewed(self, decision: RouteDecision, faulty: bool, sender: int) -> None:
        self._reviews.append(Review(rejected=faulty, at=self.now))
        self._matched[sender] += decision.would_have_sent and not faulty
        one = judged(decision, self.now)
        observation = observation_of(one, not faulty)
        if observation is not None:
            self._learn(observation, audited=one.audited)

    def _learn(self, observation: Observation, *, audited: bool) -> None:
        self.record.add(observation)
        if self.rule.mode is RuleMode.ON and audited:
            self._watched(observation)
        self.certified = certified_thresholds(self.record, self.rule.target_error_rate)
        self.ever_certified.update(self.certified)
        if self.certified and self.rule.mode is RuleMode.SHADOW and self.on_certificate:
            self._set(RuleMode.ON, self.certified[0])

    def _watched(self, observation: Observation) -> None:
        self._watch.add(observation)
        self._drops, self._audit_rate = self._watch.drops is not None, self._watch.audit_rate(AUDIT_RATE)

    def _adjust(self) -> None:
        made = weekly_adjustment(self.rule.auto_approve_threshold, self._reviews, self.certified, self.now)
        self._reviews, self._next_adjustment = [], self.now + WEEK
        if made.change in (Change.TIGHTEN, Change.LOOSEN) and self.on_certificate:
            self._set(self.rule.mode, made.threshold)

    def _drop(self, index: int) -> None:
        self.dropped_at = index
        self._set(RuleMode.SHADOW, self.rule.auto_approve_threshold)

    def _set(self, mode: RuleMode, threshold: float) -> None:
        changed = {"mode": mode, "auto_approve_threshold": threshold, "version": self.rule.version + 1}
        self.rule = self.rule.model_copy(update=changed)
        self._begin_watch()

    def _begin_watch(self) -> None:
        self._watch = AuditWatch(self.rule.target_error_rate, self.rule.auto_approve_threshold)
        self._drops, self._audit_rate = False, AUDIT_RATE
