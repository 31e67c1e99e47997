"""The send activity and its sweeper: claim, one try, truthful report; a doubt is never answered by sending again
(OB8-OB10)."""

import asyncio
from datetime import datetime, timedelta
from typing import Any

from temporalio import activity

from activities.faults import named_faults
from activities.ports import Channel, Database
from activities.send_ceiling import stop_if_refused
from activities.sending.claim import Claimed, claim
from activities.sending.rendering import stored_mail
from activities.steps.frame import heartbeats
from contracts.barriers import barrier
from contracts.delivery import HandOver, HandOverReport
from contracts.errors import DatabaseFault, PermanentFault
from contracts.status import OutboxState
from contracts.workflow import DeliverRequest, DeliverResult, DeliverState
from domain.keys import Keyring

MOST_SAFE_RETRIES = 5
BACK_OFF_S = (5, 30, 120, 600, 1800)
BOOK_AGAIN_S = (0.5, 1, 2, 4, 8)


class Delivery:
    """Sends decided replies through one channel."""

    def __init__(self, database: Database, channel: Channel, keyring: Keyring, build_id: str) -> None:
        self.database = database
        self.channel = channel
        self.keyring = keyring
        self.build_id = build_id

    @activity.defn(name="deliver")
    async def deliver(self, request: DeliverRequest) -> DeliverResult:
        """At most one hand-over; whatever cannot be proved is ambiguous."""
        async with named_faults("deliver"), heartbeats():
            await barrier("before_claim", request.message_id)
            try:
                claimed = await self._claim(request)
            except PermanentFault as fault:
                return await self._unsendable(request, fault)
            if isinstance(claimed, DeliverResult):
                if claimed.state is DeliverState.WITHDRAWN:
                    await stop_if_refused(self.database, request.mailbox_id)
                return claimed
            await barrier("after_claim", request.message_id)
            report = await self.channel.hand_over(claimed.mail, deadline=claimed.deadline)
            await barrier("after_hand_over", request.message_id)
            return await self._book(request, claimed.attempt, report)

    async def _claim(self, request: DeliverRequest) -> Claimed | DeliverResult:
        async with self.database.transaction(lifecycle=True) as tx:
            return await claim(tx, request, self.keyring, self.build_id)

    async def _unsendable(self, request: DeliverRequest, fault: PermanentFault) -> DeliverResult:
        async with self.database.transaction(lifecycle=True) as tx:
            await tx.run("send_refused", request.outbox_id, str(fault)[:400])
        return DeliverResult(state=DeliverState.FAILED_PERMANENT)

    async def _book(self, request: DeliverRequest, attempt: int, report: HandOverReport) -> DeliverResult:
        """What is proved must not turn into a doubt because the database was away for a moment."""
        for pause in BOOK_AGAIN_S:
            try:
                return await self._book_once(request, attempt, report)
            except DatabaseFault:
                await asyncio.sleep(pause)
        return await self._book_once(request, attempt, report)

    async def _book_once(self, request: DeliverRequest, attempt: int, report: HandOverReport) -> DeliverResult:
        async with self.database.transaction(lifecycle=True) as tx:
            match report.result:
                case HandOver.SENT:
                    await self._book_sent(tx, request, report)
                    return DeliverResult(state=DeliverState.SENT)
                case HandOver.REFUSED_TEMPORARY if attempt <= MOST_SAFE_RETRIES:
                    wait = BACK_OFF_S[min(attempt, len(BACK_OFF_S)) - 1]
                    await tx.run("send_again_later", request.outbox_id, timedelta(seconds=wait), report.detail)
                    return DeliverResult(state=DeliverState.FAILED_SAFE, retry_in_s=wait)
                case HandOver.REFUSED_TEMPORARY | HandOver.REFUSED_PERMANENT:
                    await tx.run("send_refused", request.outbox_id, report.detail)
                    return DeliverResult(state=DeliverState.FAILED_PERMANENT)
                case _:
                    await tx.run("send_ambiguous", request.outbox_id, report.detail)
                    return DeliverResult(state=DeliverState.AMBIGUOUS)

    async def _book_sent(self, tx: Any, request: DeliverRequest, report: HandOverReport) -> None:
        await tx.run("send_sent", request.outbox_id, report.detail, report.provider_id or None)
        if report.assigned_message_id:
            await tx.run("send_alias", request.outbox_id, report.assigned_message_id.strip("<>"))

    @activity.defn(name="reconcile")
    async def reconcile(self, request: DeliverRequest) -> DeliverResult:
        """Looks for proof; only a channel that recognises the same bytes may be asked by repeating them (SE6, OB10)."""
        async with named_faults("reconcile"):
            return await self._reconcile(request)

    async def _reconcile(self, request: DeliverRequest) -> DeliverResult:
        async with self.database.transaction(lifecycle=True) as tx:
            row = await tx.one("review_outbox", request.outbox_id)
        if row is None or row["state"] != OutboxState.AMBIGUOUS:
            return DeliverResult(state=_state(row))
        if not self._may_repeat(row):
            return DeliverResult(state=DeliverState.AMBIGUOUS)
        deadline = datetime.now(tz=row["claimed_at"].tzinfo) + timedelta(seconds=45)
        report = await self.channel.hand_over(
            stored_mail(row), deadline=deadline, unproven_since=row["first_handed_over_at"] or row["claimed_at"]
        )
        if report.result is not HandOver.SENT:
            return DeliverResult(state=DeliverState.AMBIGUOUS)
        async with self.database.transaction(lifecycle=True) as tx:
            await self._book_sent(tx, request, report)
        return DeliverResult(state=DeliverState.SENT)

    def _may_repeat(self, row: Any) -> bool:
        return bool(self.channel.recognises_repeats and row["rendered"] is not None)


def _state(row: Any) -> DeliverState:
    if row is None:
        return DeliverState.WITHDRAWN
    went_out = {OutboxState.SENT: DeliverState.SENT, OutboxState.BOUNCED: DeliverState.SENT}
    states = {**went_out, OutboxState.FAILED_SAFE: DeliverState.FAILED_PERMANENT}
    return states.get(row["state"], DeliverState.AMBIGUOUS)
