"""The receiver contract: method, body under a cap, signature, replay check, one transaction, then exactly 200
(RC2-RC20)."""

import asyncio
import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

import structlog
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from api.webhooks import mta, raw
from api.webhooks.body import Body, Caps, TooLarge, read_body
from api.webhooks.flood import FloodGuard
from api.webhooks.metrics import BODY_BYTES, OUTCOMES, SECONDS
from api.webhooks.news import OutboundNews
from api.webhooks.room import Room
from api.webhooks.signatures import BodyCheck, Claim, is_fresh, mta_claim, standard_claim
from contracts.errors import DeskhandError
from contracts.reception import Accepted, Delivery, DoorOutcome, PoisonReason

RETRY_AFTER_S = 30
ANSWER_WITHIN_S = 7.5
AT_A_TIME = 32
WAIT_FOR_A_SLOT_S = 2.0
LARGE_BYTES = 1024 * 1024
# Reading JSON holds the text three times: as it came, copied by the reader, and decoded.
JSON_TAKES = 3

log = structlog.get_logger("webhook")


class Door(Protocol):
    """Where verified deliveries go."""

    async def accept(self, delivery: Delivery) -> Accepted: ...
    async def ignore(self, delivery: Delivery, outcome: DoorOutcome = ...) -> Accepted: ...
    async def news(self, source: str, news: Any) -> Accepted: ...


class Registry(Protocol):
    """Where sources are looked up."""

    async def get(self, name: str) -> Any: ...


@dataclass
class Reader:
    """Everything a webhook route needs; one instance for the process."""

    door: Door
    sources: Registry
    caps: Caps = field(default_factory=Caps)
    flood: FloodGuard = field(default_factory=FloodGuard)
    clock: Callable[[], float] = time.time
    bodies: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(AT_A_TIME))
    room: Room = field(default_factory=Room)

    async def receive(self, request: Request, source_name: str, kind: str) -> Response:
        """One delivery to its answer; nothing that happens here can become a 4xx that loses mail."""
        started = time.monotonic()
        try:
            response, facts = await self._receive(request, source_name, kind)
        except (DeskhandError, ClientDisconnect, OSError, TimeoutError) as fault:
            response, facts = unavailable(), {"outcome": type(fault).__name__}
        except Exception:
            log.exception("webhook failed", source=source_name)
            response, facts = unavailable(), {"outcome": "unforeseen"}
        seconds = time.monotonic() - started
        SECONDS.labels(kind).observe(seconds)
        OUTCOMES.labels(kind, str(response.status_code), facts["outcome"]).inc()
        log.info("delivery", source=source_name, status=response.status_code, ms=round(seconds * 1000, 1), **facts)
        return response

    async def _receive(self, request: Request, name: str, kind: str) -> tuple[Response, dict[str, Any]]:
        if request.method != "POST":
            return Response(status_code=405, headers={"Allow": "POST"}), {"outcome": "method"}
        claim = (mta_claim if kind == "mta" else standard_claim)(request.headers)
        source = await self.sources.get(name)
        if source is None or source.kind != kind or source.paused or not source.secrets:
            return unavailable(), {"outcome": "no_source"}
        if claim is None or not is_fresh(claim, self.clock()):
            return self._unverified(request), {"outcome": "unverified"}
        return await self._read(request, name, kind, claim, source.secrets)

    async def _read(
        self, request: Request, name: str, kind: str, claim: Claim, secrets: tuple[str, ...]
    ) -> tuple[Response, dict[str, Any]]:
        check = BodyCheck(claim, secrets)
        try:
            body = await self._body(request, check)
        except TooLarge:
            log.warning("body above the ceiling", source=name, ceiling=self.caps.ceiling)
            return Response(status_code=413), {"outcome": "above_ceiling"}
        if body is None:
            return unavailable(), {"outcome": "busy"}
        try:
            BODY_BYTES.labels(kind).observe(body.size)
            return await self._verified_or_not(request, name, kind, claim, check, body)
        finally:
            body.close()

    async def _body(self, request: Request, check: BodyCheck) -> Body | None:
        """The body, read while one of a bounded number of places is held; None if none came free in time (RC17)."""
        try:
            await asyncio.wait_for(self.bodies.acquire(), WAIT_FOR_A_SLOT_S)
        except TimeoutError:
            return None
        try:
            return await read_body(request.stream(), check, self.caps)
        finally:
            self.bodies.release()

    async def _verified_or_not(
        self, request: Request, name: str, kind: str, claim: Claim, check: BodyCheck, body: Body
    ) -> tuple[Response, dict[str, Any]]:
        if body.size > LARGE_BYTES and body.whole:
            async with self.room.hold(body.size * (JSON_TAKES if kind == "mta" else 1)):
                return await self._judge(request, name, kind, claim, check, body)
        return await self._judge(request, name, kind, claim, check, body)

    async def _judge(
        self, request: Request, name: str, kind: str, claim: Claim, check: BodyCheck, body: Body
    ) -> tuple[Response, dict[str, Any]]:
        content = body.read()
        genuine = check.passes_hex() if kind == "mta" else check.passes_standard(content if body.whole else None)
        if not genuine:
            return self._unverified(request), {"outcome": "unverified"}
        facts = {"event_id": claim.event_id, "digest": hashlib.sha256(content).hexdigest()[:16], "bytes": body.size}
        accepted = await asyncio.wait_for(self._hand_in(request, name, kind, claim, body, content), ANSWER_WITHIN_S)
        answer = _answer(accepted)
        if accepted.poison:
            log.warning("mail waits in the poison lane", source=name, reason=accepted.poison.value)
        return JSONResponse(answer), {**facts, "outcome": accepted.outcome.value, "message_id": answer["message_id"]}

    async def _hand_in(
        self, request: Request, name: str, kind: str, claim: Claim, body: Body, content: bytes
    ) -> Accepted:
        if not body.whole:
            return await self.door.accept(_stub(name, kind, claim, body, content))
        if kind == "raw":
            return await self.door.accept(raw.translate(name, content, claim.event_id, request.headers))
        translated = await _translated(name, content)
        if isinstance(translated, Delivery):
            return await self.door.accept(translated)
        if isinstance(translated, OutboundNews):
            return await self.door.news(name, translated)
        return await self.door.ignore(Delivery(source=name, raw=b"", event_type=translated))

    def _unverified(self, request: Request) -> Response:
        """401 tells an honest sender to look at its key; a flood gets 503."""
        address = request.client.host if request.client else ""
        return unavailable() if self.flood.failed(address) else JSONResponse({"error": "bad signature"}, 401)


def _answer(accepted: Accepted) -> dict[str, Any]:
    ids = [str(i) for i in accepted.message_ids]
    answer: dict[str, Any] = {"message_id": ids[0] if ids else None, "duplicate": accepted.duplicate}
    answer |= {"message_ids": ids} if len(ids) > 1 else {}
    return answer | ({"poison": accepted.poison.value} if accepted.poison else {})


async def _translated(name: str, content: bytes) -> Delivery | OutboundNews | str:
    """Large JSON is read in a thread, so that other deliveries go on."""
    if len(content) > LARGE_BYTES:
        return await asyncio.to_thread(mta.translate, name, content)
    return mta.translate(name, content)


def _stub(name: str, kind: str, claim: Claim, body: Body, content: bytes) -> Delivery:
    """Headers and the first MiB of a mail that is too large to keep (RC20)."""
    raw_kind = "provider_json" if kind == "mta" else "rfc822"
    base = raw.translate(name, content, claim.event_id, {}) if kind == "raw" else Delivery(source=name, raw=content)
    detail = f"{body.size} bytes arrived; the first {len(content)} were kept"
    return base.model_copy(update={"raw_kind": raw_kind, "poison": PoisonReason.OVER_SIZE, "detail": detail})


def unavailable() -> Response:
    """503 with Retry-After: the one answer to every fault of ours."""
    return JSONResponse({"error": "try again"}, 503, headers={"Retry-After": str(RETRY_AFTER_S)})
