"""Mail that could not be read, or is for nobody of ours: it waits here until a person acts on it (RC11, RC11a)."""

import asyncio

from temporalio import workflow
from temporalio.exceptions import ApplicationError, FailureError

with workflow.unsafe.imports_passed_through():
    from contracts.lifecycle import Act, Outcome, Receive
    from contracts.workflow import HumanRequest, MessageStart, ParseRequest, ParseResult, PoisonRequest, WriteReply
    from workflows import policies
    from workflows.calls import start
    from workflows.story_frame import StoryFrame


class PoisonHandlers(StoryFrame):
    """Reading the mail, and what people may do where that failed."""

    def __init__(self, begin: MessageStart) -> None:
        super().__init__(begin)
        self.parsed: ParseResult | None = None
        self.parsing = asyncio.Lock()

    async def _read(self) -> None:
        """Parses the stored bytes; unreadable mail waits here for a person (RC11, RC14)."""
        self.parsed = await self._parse(ParseRequest(message_id=self.message_id))
        if self.parsed.poison_reason:
            workflow.set_current_details(f"**poison**: {self.parsed.poison_reason}; waits for a person")
            await workflow.wait_condition(lambda: not self.poisoned() or self.view is not None)

    def poisoned(self) -> bool:
        """Is this mail in the poison lane?"""
        return self.view is None and self.parsed is not None and bool(self.parsed.poison_reason)

    async def _parse(self, request: ParseRequest) -> ParseResult:
        try:
            return await start("parse", request, ParseResult, policies.PARSE_LOCAL, "parse")
        except FailureError:
            return await start("parse", request, ParseResult, policies.PARSE_REMOTE, "parse (slow)")

    async def human(self, request: HumanRequest) -> Outcome:
        """One reviewer's action: the lifecycle decides, the main loop follows."""
        cause = f"req:{request.request_id}"
        async with self.parsing:
            await workflow.wait_condition(lambda: self.view is not None or self.poisoned())
            if self.view is None:
                act = await self._by_hand(request.act)
                return await self.lifecycle(act, cause, request.actor, request.request_id)
        return await self.lifecycle(request.act, cause, request.actor, request.request_id)

    async def _by_hand(self, act: Act) -> Receive:
        """Poisoned mail is answered from a stub of its headers (RC11)."""
        if not isinstance(act, WriteReply):
            raise ApplicationError("this mail was not received", type="WrongStatus")
        await self._parse(ParseRequest(message_id=self.message_id, stub=True))
        return Receive(reply_note_id=act.note_id)

    @workflow.update(name="parse_again")
    async def parse_again(self, request: PoisonRequest) -> ParseResult:
        """Parse poisoned mail anew, by a newer parser."""
        return await self._reparse(request)

    @workflow.update(name="deliver_to")
    async def deliver_to(self, request: PoisonRequest) -> ParseResult:
        """Give mail for nobody of ours to a mailbox."""
        return await self._reparse(request)

    @parse_again.validator
    def _may_parse_again(self, request: PoisonRequest) -> None:
        self._refuse_unless_poison()

    @deliver_to.validator
    def _may_deliver_to(self, request: PoisonRequest) -> None:
        self._refuse_unless_poison()

    def _refuse_unless_poison(self) -> None:
        if not self.poisoned():
            raise ApplicationError("this mail is not in the poison lane", type="WrongStatus")

    async def _reparse(self, request: PoisonRequest) -> ParseResult:
        again = ParseRequest(
            message_id=self.message_id,
            deliver_to=request.mailbox_id,
            actor=request.actor,
            request_id=request.request_id,
        )
        async with self.parsing:
            if self.poisoned() or self.parsed is None:
                self.parsed = await self._parse(again)
        return self.parsed
