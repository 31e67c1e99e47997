"""A mailbox that lives through days of mail on the product's own lifecycle, route step, caps, claims and weekly look;
only the model's quality and the reviewer's answers are scripted."""

import asyncio
import random
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, cast
from uuid import UUID, uuid4

import pytest

from activities.earning import Earning
from activities.kill_switch import SwitchedOff
from activities.steps import route
from activities.steps.frame import StepTools, step_activity
from api.auth import Principal
from api.autonomy import RuleBody, save_rule
from contracts.autonomy import RulesReport, RulesRequest
from contracts.classification import Category
from contracts.lifecycle import Approve, EndStep, Reject, SendResult
from contracts.status import Status, StepKind
from contracts.steps import Route, RunContext, StepInput
from contracts.workflow import DeliverState
from domain.keys import Keyring
from tests.activities.conftest import World, classify_output, context_output, draft_output, mail_bytes, scan_output
from tests.activities.test_automation_limits import deliver

WORDS = (
    "parcel blue chair window invoice Tuesday garden lamp kettle broken missing colour sofa delivery driver neighbour"
    " box screw table green shelf corner cable house paint brush carpet summer autumn branch river button pocket"
).split()
REVIEWER = "user:1"
AGED = (
    "UPDATE outbox SET claimed_at = claimed_at - interval '1 day', decided_at = decided_at - interval '1 day',"
    " sent_at = sent_at - interval '1 day'",
    "UPDATE inbound_messages SET received_at = received_at - interval '1 day'",
    "UPDATE autonomy_decisions SET created_at = created_at - interval '1 day'",
    "UPDATE autonomy_feedback SET created_at = created_at - interval '1 day'",
    "UPDATE kill_switches SET thrown_at = thrown_at - interval '1 day', lifted_at = lifted_at - interval '1 day'",
    "UPDATE autonomy_rules SET mode_since = mode_since - interval '1 day', daily_count_reset_at = now(),"
    " evidence_since = evidence_since - interval '1 day'",
)


@dataclass
class Life:
    """`faulty` remembers which drafts were; `sent` which replies left with nobody's approval, in order."""

    world: World
    rng: random.Random
    senders: int
    faulty: dict[UUID, bool] = field(default_factory=dict)
    sent: list[UUID] = field(default_factory=list)
    number: int = 0

    async def begin(self, *, audit_rate: float) -> None:
        """Everything a rule needs to be allowed to send, with no waiting times."""
        await self.world.configure(
            require_sender_auth=False, auto_send_delay_ms=0, human_undo_ms=0, audit_rate=audit_rate,
            sender_rate_per_min=100_000, sender_burst=100_000, mailbox_rate_per_min=100_000, mailbox_burst=100_000,
        )  # fmt: skip
        await self.flag("ai.autonomy", True)

    async def flag(self, name: str, on: bool) -> None:
        """Sets a flag as the API does."""
        async with self.world.database.transaction(self.world.mailbox_id) as tx:
            await tx.run("api_flag_set", self.world.mailbox_id, name, on, REVIEWER)

    async def save(self, category: Category, **body: Any) -> None:
        """Saves a rule as an admin does; ApiError if it may not be switched on."""
        box = self.world.mailbox_id
        admin = Principal(uuid4(), uuid4(), uuid4(), "Ada", "admin", frozenset({"admin"}), (box,))
        async with self.world.database.transaction(box) as tx:
            await save_rule(tx, admin, box, category, "", RuleBody(**body))

    async def rule(self, category: Category) -> Any:
        """The rule's row."""
        asked = "SELECT * FROM autonomy_rules WHERE category = $1 AND sender = ''"
        return await self.world.sql.fetchrow(asked, category)

    def words(self) -> str:
        """A sentence that resembles no other, or the mails would look like those of a machine."""
        return " ".join(self.rng.choices(WORDS, k=20))

    async def drafted(self, category: Category, error_rate: float) -> UUID:
        """One mail up to its route step; the draft is faulty with this probability."""
        self.number += 1
        w, n = self.world, self.number
        sender, subject = f"c{n % self.senders}@kunde.example", f"Question {n}"
        message = await w.arrive(mail_bytes(sender=sender, subject=subject, body=f"Hello, {self.words()}?"))
        await w.enter(message)
        await w.end(message, StepKind.SECURITY_SCAN, scan_output(), to=Status.CLASSIFYING,
                    next_step=StepKind.CONTEXT_RETRIEVAL)  # fmt: skip
        context = context_output(history_found=True)
        await w.end(message, StepKind.CONTEXT_RETRIEVAL, context, next_step=StepKind.CLASSIFY)
        classified = classify_output(category)
        await w.end(message, StepKind.CLASSIFY, classified, to=Status.DRAFTING, next_step=StepKind.DRAFT)
        draft = draft_output(text=f"Thank you, {self.words()}.", confidence=round(self.rng.uniform(0.7, 1.0), 4))
        await w.end(message, StepKind.DRAFT, draft, next_step=StepKind.ROUTE)
        self.faulty[message] = self.rng.random() < error_rate
        return message

    async def routed(self, message: UUID) -> Route:
        """The real route step, with a draw from this life's chance."""
        row = await self.world.row(message)
        run = RunContext(message_id=message, mailbox_id=row["mailbox_id"], thread_id=row["thread_id"], run_no=1)
        tools = StepTools(database=self.world.database, models=cast(Any, None))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(route.random, "random", self.rng.random)
            return await step_activity(route, tools)(StepInput(run=run, step=StepKind.ROUTE))

    async def end_route(self, message: UUID, said: Route) -> bool:
        """The end of the route step; True if the reply was approved by nobody."""
        act = EndStep(step=StepKind.ROUTE, to=said.to, reason=said.reason)
        return (await self.world.do(message, act, "1.0:route:end")).to_status is Status.APPROVED

    async def day(self, category: Category, mails: int, error_rate: float) -> int:
        """So many mails at once, what may leave leaves, people decide the rest; the number that left alone."""
        messages = [await self.drafted(category, error_rate) for _ in range(mails)]
        said = [await self.routed(message) for message in messages]
        alone = await asyncio.gather(*(self.end_route(*pair) for pair in zip(messages, said, strict=True)))
        left = [m for m, is_alone in zip(messages, alone, strict=True) if is_alone and await self.send(m)]
        for message in messages:
            if await self.world.status(message) == Status.DRAFT_READY:
                await self.review(message)
        return len(left)

    async def waiting(self, message: UUID) -> UUID | None:
        """The reply that waits to be sent, on a connection of its own."""
        async with self.world.database.transaction(self.world.mailbox_id) as tx:
            row = await tx.one("review_live_outbox", message, "reply")
        return row["id"] if row is not None and row["state"] == "ready" else None

    async def send(self, message: UUID) -> bool:
        """The claim and the hand-over of an approved reply; False if the claim refused it."""
        outbox = await self.waiting(message)
        if outbox is None or await deliver(self.world, message, outbox) is not DeliverState.SENT:
            return False
        await self.world.do(message, SendResult(outbox_id=outbox))
        self.sent.append(message)
        return True

    async def review(self, message: UUID) -> None:
        """The scripted reviewer rejects what is faulty and sends what is not."""
        if self.faulty[message]:
            await self.world.do(message, Reject(), actor=REVIEWER)
            return
        await self.world.do(message, Approve(), actor=REVIEWER)
        outbox = await self.waiting(message)
        await deliver(self.world, message, outbox)
        await self.world.do(message, SendResult(outbox_id=outbox))

    async def night(self, *, weekly: bool = False) -> RulesReport:
        """The look at the rules, and then a day passes for all that has a time."""
        report = await Earning(self.world.database).look(RulesRequest(weekly=weekly))
        for statement in AGED:
            await self.world.sql.execute(statement)
        return report

    async def throw_switch(self) -> Any:
        """The kill switch as the API throws it; its row."""
        box = self.world.mailbox_id
        async with self.world.database.transaction(box) as tx:
            await tx.one("switch_lock", box)
            await tx.one("api_settings_lock", box)
            thrown = await tx.must("api_switch_throw", box, REVIEWER, "test")
            await tx.run("api_flag_set", box, "ai.autonomy", False, REVIEWER)
            await tx.run("api_auto_reply_off", box)
        return {"id": thrown["id"], "mailbox_id": box, "thrown_at": thrown["thrown_at"]}

    async def withdraw(self, switch: Any) -> None:
        """What the worker does after a switch."""
        await SwitchedOff(self.world.database, Keyring(b"k" * 32)).withdraw_pending(switch)

    async def left_alone(self, messages: Iterable[UUID]) -> int:
        """How many of these were ever claimed without a person's approval."""
        return int(await self.world.sql.fetchval(
            "SELECT count(*) FROM outbox WHERE automatic AND claimed_at IS NOT NULL AND message_id = ANY ($1)",
            list(messages),
        ))  # fmt: skip
