"""From stored bytes to a parsed mail, or to the poison lane with a reason; never to a lost mail (RC8, RC11)."""

import asyncio
import json
from typing import Any

from temporalio import activity
from temporalio.exceptions import ApplicationError

from activities.bounced import apply_report, report_in
from activities.faults import named_faults, tries
from activities.ports import Blobs, Database, Parser, Transaction
from contracts.barriers import barrier
from contracts.errors import LostRace, MalformedMessage, TransientFault
from contracts.mail import ParsedMail
from contracts.reception import PoisonReason
from contracts.workflow import ParseRequest, ParseResult
from domain.bounces import BounceReport
from domain.keys import Keyring
from domain.mail.stub import stub_of

MOST_TRIES = 3
POISON_AT_THE_DOOR = frozenset({PoisonReason.UNKNOWN_RECIPIENT, PoisonReason.OVER_SIZE})


class Parsing:
    """The parse activity; local while it is quick, remote with its own deadline where it is not."""

    def __init__(self, database: Database, parser: Parser, blobs: Blobs, keyring: Keyring) -> None:
        self.database = database
        self.keyring = keyring
        self.parser = parser
        self.blobs = blobs

    @activity.defn(name="parse")
    async def parse(self, request: ParseRequest) -> ParseResult:
        """Parses once; a poison reason in the result means that a person must look."""
        async with named_faults("parse"):
            result = await self._parse(request)
        await barrier("after_parse", request.message_id)
        return result

    async def _parse(self, request: ParseRequest) -> ParseResult:
        async with self.database.transaction() as tx:
            row = await tx.one("parse_accepted", request.message_id)
            if row is None:
                raise ApplicationError("the mail does not exist", type="MessageNotFound", non_retryable=True)
            if row["parsed_already"] and row["account"] == "pipeline":
                return ParseResult(message_id=request.message_id, mailbox_id=row["mailbox_id"])
            raw = await self.blobs.get(tx, row["organisation_id"], row["blob_sha256"])
        if not request.stub and _waits_for_a_person(row, request):
            return _result(row, row["poison_reason"])
        try:
            return await self._read_and_keep(row, raw, request)
        except MalformedMessage as error:
            return await self._poison(row, error, request)
        except (TransientFault, ApplicationError):
            raise
        except Exception as fault:
            if not _hopeless():
                raise
            kind = type(fault).__name__
            return await self._poison(row, MalformedMessage(f"parser_error: {kind}"), request)

    async def _read_and_keep(self, row: Any, raw: bytes | None, request: ParseRequest) -> ParseResult:
        parsed, files = await self._read(row, raw, request)
        report = await asyncio.to_thread(report_in, raw or b"") if _may_report(parsed) else None
        return await self._keep(row, parsed, files, request, report)

    async def _read(self, row: Any, raw: bytes | None, request: ParseRequest) -> tuple[ParsedMail, dict[str, bytes]]:
        if raw is None:
            raise MalformedMessage("parser_error: the stored bytes are gone")
        if request.stub:
            return stub_of(raw, row["raw_kind"], row["envelope_sender"]), {}
        return await self.parser.parse(
            raw,
            row["raw_kind"],
            received_at=row["received_at"],
            envelope_sender=row["envelope_sender"],
            envelope_recipients=tuple(row["envelope_recipients"]),
            our_names=(row["mailbox_name"],) if row["mailbox_name"] else (),
        )

    async def _poison(self, row: Any, error: MalformedMessage, request: ParseRequest) -> ParseResult:
        known = _reason(str(error))
        async with self.database.transaction() as tx:
            await _book_poison(tx, row, known, str(error)[:400], request)
        return _result(row, known)

    async def _keep(
        self,
        row: Any,
        parsed: ParsedMail,
        files: dict[str, bytes],
        request: ParseRequest,
        report: BounceReport | None,
    ) -> ParseResult:
        mailbox_id = request.deliver_to or row["mailbox_id"]
        try:
            async with self.database.transaction() as tx:
                for sha256, content in sorted(files.items()):
                    await self.blobs.put(tx, row["organisation_id"], sha256, content)
                if request.deliver_to is not None:
                    await _move_mailbox(tx, row, request)
                if report is not None:
                    await apply_report(tx, row, report, self.keyring)
                await tx.run(
                    "parse_keep", request.message_id, mailbox_id, parsed.parser_version, parsed.model_dump_json()
                )
                if not request.stub:
                    await tx.run("parse_leave_lane", request.message_id, _cause(request))
        except LostRace:
            if request.deliver_to is None:
                raise
            return await self._poison(
                row, MalformedMessage("duplicate_there: that mailbox has this mail already"), request
            )
        return ParseResult(message_id=request.message_id, mailbox_id=mailbox_id)


def _cause(request: ParseRequest) -> str:
    return "parse_again" if request.deliver_to is None else "deliver_to"


def _hopeless() -> bool:
    """A fault of ours that the slow, repeated way met again: a person must look, not the engine for ever (RC11)."""
    return tries() >= MOST_TRIES and not (activity.in_activity() and activity.info().is_local)


def _may_report(parsed: ParsedMail) -> bool:
    """A cheap look before the report reader: only machine mail carries reports."""
    content_type = next((value.lower() for name, value in parsed.headers if name == "content-type"), "")
    sender = parsed.from_.identity.partition("@")[0] if parsed.from_ else ""
    robots = ("mailer-daemon", "postmaster", "bounce")
    return parsed.envelope_sender == "" or "report" in content_type or sender.startswith(robots)


def _reason(code: str) -> PoisonReason:
    """The lane's reason for a parser's code; the code itself is kept as the detail."""
    first = code.partition(":")[0].strip()
    if first in set(PoisonReason):
        return PoisonReason(first)
    slow = first in ("parser_cpu", "parser_timeout")
    return PoisonReason.PARSER_TIMEOUT if slow else PoisonReason.PARSER_ERROR


def _waits_for_a_person(row: Any, request: ParseRequest) -> bool:
    """Poisoned mail is parsed again only when a person asks; mail for nobody also needs a mailbox."""
    if row["account"] != "poison":
        return False
    if request.deliver_to is not None:
        return False
    return not request.request_id or row["poison_reason"] in POISON_AT_THE_DOOR


def _result(row: Any, reason: str) -> ParseResult:
    return ParseResult(message_id=row["message_id"], mailbox_id=row["mailbox_id"], poison_reason=reason)


async def _book_poison(tx: Transaction, row: Any, reason: str, detail: str, request: ParseRequest) -> None:
    await tx.run("parse_poison", row["message_id"], reason, detail)
    if row["account"] != "poison":
        await tx.run("ledger_entry", row["mailbox_id"], row["message_id"], row["account"], "poison", reason)
    if request.request_id:
        await _audit(tx, row, "parse_again", request, {"reason": reason})


async def _move_mailbox(tx: Transaction, row: Any, request: ParseRequest) -> None:
    await tx.run("parse_move_mailbox", request.message_id, request.deliver_to)
    await _audit(tx, row, "deliver_to", request, {"mailbox_id": str(request.deliver_to)})


async def _audit(tx: Transaction, row: Any, action: str, request: ParseRequest, after: dict[str, str]) -> None:
    subject = f"message/{row['message_id']}"
    await tx.run("audit", row["mailbox_id"], request.actor, action, subject, None, json.dumps(after))
