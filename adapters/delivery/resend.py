"""Mail through Resend's HTTP API, with the outbox id as idempotency key.

Resend keeps a key for 24 hours and answers the same body under the same key without sending again. So within 23 hours
of the first try the same bytes may be repeated; afterwards, or if the key is known with another body, only a person or
a delivery event can tell (SE6).
"""

import asyncio
import re
import ssl
from datetime import datetime, timedelta

import httpx2
import orjson
from pydantic import SecretStr

from adapters.delivery import DataStarted, Now, is_loopback, report, short, utc_now
from adapters.delivery.resend_body import resend_body
from contracts.base import Contract
from contracts.delivery import HandOver, HandOverReport, Outgoing
from contracts.errors import PermanentFault, SettingsFault

KEY_IS_SAFE_FOR = timedelta(hours=23)

_KEY = re.compile(r"[A-Za-z0-9_-]{1,256}")
_TOKEN = re.compile(r"[!-~]{1,512}")
_IN_PROGRESS = "concurrent_idempotent_requests"
_UNREACHED = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout)


class ResendTimeouts(Contract):
    """How long to wait for the connection and for each octet after it."""

    connect: timedelta = timedelta(seconds=10)
    answer: timedelta = timedelta(seconds=60)


class ResendChannel:
    """Hands mail to Resend, one request for each try and no retries inside."""

    name = "resend"
    recognises_repeats = True

    def __init__(
        self,
        api_key: SecretStr,
        base_url: str = "https://api.resend.com",
        *,
        timeouts: ResendTimeouts | None = None,
        now: Now = utc_now,
    ) -> None:
        self._local = _is_local(base_url)
        if not _TOKEN.fullmatch(api_key.get_secret_value()):
            raise SettingsFault("resend_api_key must be one word of printable ASCII, without blanks or line breaks.")
        self._endpoint = base_url.rstrip("/") + "/emails"
        self._api_key = api_key
        self._context = ssl.create_default_context()
        self._timeouts = timeouts or ResendTimeouts()
        self._now = now

    async def hand_over(
        self,
        mail: Outgoing,
        *,
        deadline: datetime,
        unproven_since: datetime | None = None,
        on_data_started: DataStarted | None = None,
    ) -> HandOverReport:
        """See Channel. A repetition after 23 hours sends nothing."""
        started = self._now()
        doubt = _Doubt(unproven_since, until=(unproven_since or started) + KEY_IS_SAFE_FOR, now=self._now)
        if not doubt.key_is_known():
            return report(HandOver.AMBIGUOUS, "The idempotency key is too old to repeat this mail safely.")
        if started >= deadline:
            return doubt.refused(HandOver.REFUSED_TEMPORARY, "The time for this try was over before it began.")
        try:
            body = _checked_body(mail)
        except PermanentFault as fault:
            return doubt.refused(HandOver.REFUSED_PERMANENT, str(fault))
        if on_data_started:
            on_data_started()
        return await self._post(mail.outbox_id, body, deadline - started, doubt)

    async def _post(self, key: str, body: bytes, left: timedelta, doubt: "_Doubt") -> HandOverReport:
        try:
            answer = await asyncio.wait_for(self._request(key, body), left.total_seconds())
        except _UNREACHED as fault:
            return doubt.refused(HandOver.REFUSED_TEMPORARY, f"Not reached: {type(fault).__name__}: {fault}")
        except (httpx2.HTTPError, TimeoutError) as fault:
            return doubt.unknown(f"No whole answer after the request left ({type(fault).__name__}).")
        return _judged(answer, doubt)

    async def _request(self, key: str, body: bytes) -> httpx2.Response:
        headers = {
            "Authorization": f"Bearer {self._api_key.get_secret_value()}",
            "Content-Type": "application/json",
            "Idempotency-Key": key,
        }
        limits = httpx2.Timeout(
            self._timeouts.answer.total_seconds(), connect=self._timeouts.connect.total_seconds()
        )
        async with httpx2.AsyncClient(verify=self._context, timeout=limits, trust_env=not self._local) as client:
            return await client.post(self._endpoint, content=body, headers=headers)


class _Doubt:
    """What may still be unknown of these bytes: whether an earlier try was accepted, and how long the key is kept."""

    def __init__(self, unproven_since: datetime | None, *, until: datetime, now: Now) -> None:
        self._unproven = unproven_since is not None
        self._until = until
        self._now = now

    def key_is_known(self) -> bool:
        """True while Resend must still recognise the key."""
        return self._now() < self._until

    def unknown(self, detail: str) -> HandOverReport:
        """This try may have been accepted."""
        return report(HandOver.AMBIGUOUS, detail, retry_same_bytes=self.key_is_known())

    def refused(self, result: HandOver, detail: str) -> HandOverReport:
        """This try was not accepted; that proves a refusal only if no earlier one is open."""
        return self.unknown(detail) if self._unproven else report(result, detail)


def _is_local(base_url: str) -> bool:
    try:
        url = httpx2.URL(base_url)
    except httpx2.InvalidURL:
        url = httpx2.URL()
    local = is_loopback(url.host)
    if url.scheme != "https" and not (url.scheme == "http" and local):
        raise SettingsFault("resend_base_url must begin with https:// unless it is this machine.")
    return local


def _checked_body(mail: Outgoing) -> bytes:
    if not _KEY.fullmatch(mail.outbox_id):
        raise PermanentFault("The outbox id cannot be an idempotency key.")
    return resend_body(mail)


def _judged(answer: httpx2.Response, doubt: _Doubt) -> HandOverReport:
    fields = _fields(answer)
    words = f"{answer.status_code} {fields.get('name', '')} {fields.get('message', '')}"
    if answer.is_success:
        return _accepted(words, fields.get("id", ""), doubt)
    if answer.status_code == httpx2.codes.CONFLICT and fields.get("name") != _IN_PROGRESS:
        return report(HandOver.AMBIGUOUS, words)
    if answer.status_code == httpx2.codes.TOO_MANY_REQUESTS:
        return doubt.refused(HandOver.REFUSED_TEMPORARY, words)
    if answer.is_client_error and answer.status_code not in (httpx2.codes.REQUEST_TIMEOUT, httpx2.codes.CONFLICT):
        return doubt.refused(HandOver.REFUSED_PERMANENT, words)
    return doubt.unknown(words)


def _accepted(words: str, provider_id: str, doubt: _Doubt) -> HandOverReport:
    """Only an answer with an id is Resend's word; a page of some proxy may say 200 as well."""
    if not provider_id:
        return doubt.unknown(f"{words} without an id")
    return HandOverReport(result=HandOver.SENT, detail=short(words), provider_id=provider_id[:200])


def _fields(answer: httpx2.Response) -> dict[str, str]:
    try:
        loaded = orjson.loads(answer.content)
    except orjson.JSONDecodeError:
        return {}
    return {key: value for key, value in loaded.items() if isinstance(value, str)} if isinstance(loaded, dict) else {}
