"""The receiver contract, situation by situation for every adapter, over real HTTP and real Postgres (section 1)."""

import asyncio
import time
import uuid
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest
import pytest_asyncio

from api.webhooks.flood import FloodGuard
from tests.integration.running import Running, mail
from tests.integration.senders import MTA_SECRET, RAW_SECRET, SENDERS, Sender

NEVER = {403, 404, 406, 410, 422, 429, *range(300, 400)}


@pytest_asyncio.fixture(autouse=True)
async def sources(api_only: Running) -> AsyncIterator[None]:
    """Both sources with known secrets, and a flood guard that has seen nothing."""
    await api_only.source("mta", "mta", MTA_SECRET)
    await api_only.source("shop", "raw", RAW_SECRET)
    api_only.app.state.reader.flood = FloodGuard()
    yield


@pytest.fixture(params=sorted(SENDERS))
def sender(request: pytest.FixtureRequest) -> Sender:
    """Each adapter in turn."""
    return SENDERS[request.param]


async def send(there: Running, sender: Sender, body: bytes, **signing: Any) -> httpx2.Response:
    """One signed delivery."""
    return await there.request("POST", sender.path, token="", content=body, headers=sender.headers(body, **signing))


async def stored(there: Running) -> tuple[int, int]:
    """Mails and events so far."""
    return (
        await there.value("SELECT count(*) FROM accepted_mail"),
        await there.value("SELECT count(*) FROM inbound_events"),
    )


async def test_every_kind_of_source_has_its_rows(api_only: Running) -> None:  # RC21
    """An adapter without a line in this table fails the build; `ingest` has no route."""
    definition = await api_only.value(
        "SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'sources'::regclass AND contype = 'c'"
    )
    kinds = {word for word in definition.replace("'", " ").replace(",", " ").split() if word in (*SENDERS, "ingest")}
    assert kinds == {*SENDERS, "ingest"} and definition.count("::text") == len(kinds)


async def test_a_good_delivery_is_stored_and_a_repeat_is_known(api_only: Running, sender: Sender) -> None:  # RC6, RC7
    """200 both times, with the same id, one mail and one workflow to start."""
    body = sender.good()
    first, again = await send(api_only, sender, body), await send(api_only, sender, body)
    assert (first.status_code, again.status_code) == (200, 200)
    assert first.json()["duplicate"] is False and again.json()["duplicate"] is True
    message_id = first.json()["message_id"]
    assert again.json()["message_id"] == message_id
    starts = await api_only.value("SELECT count(*) FROM start_queue WHERE workflow_id = $1", f"message/{message_id}")
    assert starts == 1


async def test_a_redelivery_of_a_deleted_mail_meets_its_tombstone(
    api_only: Running, sender: Sender
) -> None:  # DK5, RS-14
    """200, counted apart, and nothing comes back."""
    body = sender.good()
    message_id = (await send(api_only, sender, body)).json()["message_id"]
    await api_only.sql(
        "UPDATE accepted_mail SET account = 'deleted', blob_sha256 = NULL WHERE message_id = $1::uuid", message_id
    )
    again = await send(api_only, sender, body)
    assert again.status_code == 200 and again.json() == {"message_id": message_id, "duplicate": True}
    last = await api_only.value("SELECT outcome FROM deliveries ORDER BY id DESC LIMIT 1")
    assert last == "duplicate_of_deleted"
    assert (
        await api_only.value("SELECT account FROM accepted_mail WHERE message_id = $1::uuid", message_id) == "deleted"
    )


async def test_unreadable_mail_is_kept_in_the_poison_lane(api_only: Running, sender: Sender) -> None:  # RC11, RS-04
    """200, because a retry heals nothing; the bytes are kept as they came."""
    answer = await send(api_only, sender, sender.unreadable)
    assert answer.status_code == 200 and answer.json()["poison"] in ("bad_json", "empty")
    raw = await api_only.get(f"/api/messages/{answer.json()['message_id']}/raw")
    assert raw.content == sender.unreadable


@pytest.mark.parametrize("sender", [s for s in SENDERS.values() if s.unknown_event], ids=lambda s: s.kind)
async def test_an_unknown_event_is_counted_and_ignored(api_only: Running, sender: Sender) -> None:  # AD2, RS-05
    """200, no mail."""
    before = await stored(api_only)
    assert sender.unknown_event is not None
    answer = await send(api_only, sender, sender.unknown_event)
    assert answer.status_code == 200 and answer.json()["message_id"] is None
    assert await stored(api_only) == before
    assert await api_only.value("SELECT outcome FROM deliveries ORDER BY id DESC LIMIT 1") == "ignored"


async def test_mail_for_nobody_of_ours_is_kept_apart(api_only: Running, sender: Sender) -> None:  # RC11a, RS-05
    """200, poison lane, mailbox "unassigned"."""
    answer = await send(api_only, sender, sender.good(to="nobody@elsewhere.example"))
    assert answer.status_code == 200
    row = (await api_only.rows(
        "SELECT a.account, a.poison_reason, b.kind FROM accepted_mail a JOIN mailboxes b ON b.id = a.mailbox_id "
        "WHERE message_id = $1::uuid", answer.json()["message_id"],
    ))[0]  # fmt: skip
    assert tuple(row) == ("poison", "unknown_recipient", "unassigned")


STALE = {"301 s old": -301, "301 s ahead": 301}
ODD_TIMES = {"scientific": "+1e9", "negative": "-5", "arabic": "١٧٠٠٠٠٠٠٠٠", "too long": "1" * 16}


@pytest.mark.parametrize("case", ["altered body", "wrong secret", "missing header", *STALE, *ODD_TIMES])
async def test_what_cannot_be_verified_is_401_and_leaves_no_trace(
    api_only: Running, sender: Sender, case: str
) -> None:  # RC3, RC16, RS-02
    """The sender learns that its key or clock is wrong."""
    before, body = await stored(api_only), sender.good()
    headers: dict[str, Any] = sender.headers(body, at=int(time.time()) + STALE.get(case, 0))
    if case == "wrong secret":
        headers = sender.headers(body, secret=sender.other_secret)
    if case == "missing header":
        del headers[sender.missing_header]
    if case in ODD_TIMES:
        headers[sender.time_header] = ODD_TIMES[case].encode()
    sent = body.replace(b"order", b"offer") if case == "altered body" else body
    answer = await api_only.request("POST", sender.path, token="", content=sent, headers=headers)
    assert answer.status_code == 401
    assert await stored(api_only) == before


async def test_a_clock_that_is_nearly_right_passes(api_only: Running, sender: Sender) -> None:  # RS-02
    """Five minutes both ways."""
    for skew in (-295, 295):
        body = sender.good()
        assert (await send(api_only, sender, body, at=int(time.time()) + skew)).status_code == 200


async def test_while_keys_rotate_both_pass_and_a_removed_one_fails(
    api_only: Running, sender: Sender
) -> None:  # RC15, RS-03
    """Up to two secrets are active; the third retires the first."""
    third = sender.other_secret[:-4] + "AAA=" if sender.kind == "raw" else "77" * 32
    await api_only.source(sender.source, sender.kind, sender.secret, sender.other_secret)
    for secret in (sender.secret, sender.other_secret):
        assert (await send(api_only, sender, sender.good(), secret=secret)).status_code == 200
    await api_only.source(sender.source, sender.kind, third)
    assert (await send(api_only, sender, sender.good(), secret=third)).status_code == 200
    assert (await send(api_only, sender, sender.good(), secret=sender.secret)).status_code == 401


@pytest.mark.parametrize("fault", ["no secret", "paused"])
async def test_a_source_that_is_not_ready_answers_503(api_only: Running, sender: Sender, fault: str) -> None:  # RC15
    """Never "open", never a refusal the sender would take as final."""
    undo = {
        "no secret": "UPDATE webhook_secrets SET retired_at = NULL WHERE source = $1",
        "paused": "UPDATE sources SET paused = false WHERE name = $1",
    }
    do = {
        "no secret": "UPDATE webhook_secrets SET retired_at = now() WHERE source = $1",
        "paused": "UPDATE sources SET paused = true WHERE name = $1",
    }
    body = sender.good()
    await api_only.sql(do[fault], sender.source)
    api_only.app.state.services.sources._kept.clear()
    try:
        answer = await send(api_only, sender, body)
        assert answer.status_code == 503 and answer.headers["retry-after"] == "30"
    finally:
        await api_only.sql(undo[fault], sender.source)
        api_only.app.state.services.sources._kept.clear()
    assert (await send(api_only, sender, body)).status_code == 200


@pytest.mark.parametrize(
    "path",
    ["/webhooks", "/webhooks/", "/webhooks/mtb", "/webhooks/mta/", "/webhooks/raw", "/webhooks/raw/",
     "/webhooks/raw/nope", "/webhooks/raw/a/b", "/webhooks/raw/%00", "/webhooks/a%0Ab", "/webhooks/%E2%98%83",
     "/webhooks/../webhooks/x"],
)  # fmt: skip
async def test_an_unknown_path_is_a_fault_of_ours(api_only: Running, path: str) -> None:  # RS-05
    """503, so that the mail waits at the sender until somebody corrects the address."""
    answer = await api_only.request("POST", path, token="", content=b"x")
    assert answer.status_code == 503 and answer.headers["retry-after"] == "30"


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"])
async def test_other_methods_are_405(api_only: Running, sender: Sender, method: str) -> None:  # RC3
    """Also for addresses nobody knows."""
    for path in (sender.path, "/webhooks/nope"):
        answer = await api_only.request(method, path, token="")
        assert answer.status_code == 405 and answer.headers["allow"] == "POST"


async def test_a_mail_above_the_cap_is_kept_as_a_stub(api_only: Running, sender: Sender) -> None:  # RC20, RS-24
    """200, poison lane; its head is kept. The cap is 256 KiB here instead of 64 MiB."""
    fields = {"textBody": "x" * 300_000} if sender.kind == "mta" else {"body": "x" * 300_000}
    body = sender.good(**fields)
    answer = await send(api_only, sender, body)
    assert answer.status_code == 200 and answer.json()["poison"] == "over_size"
    raw = await api_only.get(f"/api/messages/{answer.json()['message_id']}/raw")
    assert raw.content == body[: 256 * 1024 // (64 * 1024) * 64 * 1024][: len(raw.content)]
    assert 64 * 1024 < len(raw.content) <= 256 * 1024


async def test_a_body_above_the_ceiling_is_413(api_only: Running, sender: Sender) -> None:  # RC20, RS-24
    """Nothing of it is kept. The ceiling is 512 KiB here instead of 128 MiB."""
    before = await stored(api_only)
    fields = {"textBody": "x" * 600_000} if sender.kind == "mta" else {"body": "x" * 600_000}
    assert (await send(api_only, sender, sender.good(**fields))).status_code == 413
    assert await stored(api_only) == before


async def test_a_dead_database_is_503_and_the_retry_is_one_mail(api_only: Running, sender: Sender) -> None:  # RS-06
    """The sender's retry after the database came back brings it in once."""
    body = sender.good()
    await api_only.call(api_only.gate.shut())
    try:
        answer = await send(api_only, sender, body)
        assert answer.status_code == 503 and answer.headers["retry-after"] == "30"
    finally:
        await api_only.call(api_only.gate.open())
    answers = [await send(api_only, sender, body) for _ in range(2)]
    assert [a.status_code for a in answers] == [200, 200]
    assert [a.json()["duplicate"] for a in answers] == [False, True]


async def test_a_commit_in_doubt_is_503_and_the_retry_is_known(api_only: Running, sender: Sender) -> None:  # RC6, RS-07
    """The server committed, the answer was lost: the retry is a duplicate, not a second mail."""
    body, before = sender.good(), await stored(api_only)
    await send(api_only, sender, sender.good())
    api_only.gate.cut_next_commit = True
    assert (await send(api_only, sender, body)).status_code == 503
    again = await send(api_only, sender, body)
    assert again.status_code == 200 and again.json()["duplicate"] is True
    mails, _ = await stored(api_only)
    assert mails == before[0] + 2


async def test_a_full_pool_and_a_statement_that_hangs_are_503(api_only: Running, sender: Sender) -> None:  # RS-10
    """Within the time a sender waits, and never 4xx."""
    blocker = await api_only.call(api_only._sql.acquire())
    transaction = blocker.transaction()
    await api_only.call(transaction.start())
    await api_only.call(blocker.execute("LOCK TABLE deskhand.inbound_events IN ACCESS EXCLUSIVE MODE"))
    try:
        bodies = [sender.good() for _ in range(14)]
        answers = await asyncio.gather(*(send(api_only, sender, body) for body in bodies))
    finally:
        await api_only.call(transaction.rollback())
        await api_only.call(api_only._sql.release(blocker))
    assert {a.status_code for a in answers} == {503}
    assert (await send(api_only, sender, bodies[0])).status_code == 200


async def test_a_full_disk_is_503(api_only: Running, sender: Sender) -> None:  # RS-10
    """The database says so in the middle of the transaction, and nothing of it stays."""
    await api_only.sql(
        "CREATE FUNCTION deskhand.full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        "RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$"
    )
    await api_only.sql(
        "CREATE TRIGGER full_disk BEFORE INSERT ON deskhand.blob_chunks EXECUTE FUNCTION deskhand.full_disk()"
    )
    body, before = sender.good(), await stored(api_only)
    try:
        assert (await send(api_only, sender, body)).status_code == 503
        assert await stored(api_only) == before
    finally:
        await api_only.sql("DROP FUNCTION deskhand.full_disk CASCADE")
    assert (await send(api_only, sender, body)).status_code == 200


async def test_fifty_equal_deliveries_at_once_are_one_mail(api_only: Running, sender: Sender) -> None:  # C8, RS-01, P40
    """All are answered 200 with one id; one event, one mail, one workflow."""
    body = sender.good()
    headers = sender.headers(body, event="evt-fifty")
    before = await stored(api_only)
    answers = await asyncio.gather(
        *(api_only.request("POST", sender.path, token="", content=body, headers=headers) for _ in range(50))
    )
    assert {a.status_code for a in answers} == {200}
    assert len({a.json()["message_id"] for a in answers}) == 1
    assert sum(not a.json()["duplicate"] for a in answers) == 1
    assert await stored(api_only) == (before[0] + 1, before[1] + 1)


async def test_a_flood_without_signature_does_not_keep_signed_mail_out(
    api_only: Running, sender: Sender
) -> None:  # RS-11
    """Beyond 120 a minute the unsigned get 503; 400 here instead of 10,000. Signed mail from that address passes."""
    unsigned = [await api_only.request("POST", sender.path, token="", content=b"x") for _ in range(400)]
    statuses = [a.status_code for a in unsigned]
    assert statuses[:120] == [401] * 120 and set(statuses[120:]) == {503}
    assert (await send(api_only, sender, sender.good())).status_code == 200


async def test_the_same_mail_under_a_new_event_id_is_a_duplicate(api_only: Running) -> None:  # DK4, RS-13
    """An event id never identifies a mail."""
    sender, body = SENDERS["raw"], mail()
    first = await send(api_only, sender, body, event="evt-one")
    again = await send(api_only, sender, body, event="evt-two")
    assert again.json() == {"message_id": first.json()["message_id"], "duplicate": True}


async def test_a_known_event_id_with_other_content_is_a_new_event(api_only: Running) -> None:  # DK4
    """Stored and flagged, not swallowed as a repeat."""
    sender = SENDERS["raw"]
    event = f"evt-{uuid.uuid4()}"
    first = await send(api_only, sender, mail(), event=event)
    other = await send(api_only, sender, mail(), event=event)
    assert other.json()["duplicate"] is False and other.json()["message_id"] != first.json()["message_id"]
    flags = await api_only.value("SELECT flags FROM inbound_events WHERE provider_event_id LIKE $1", f"{event}#%")
    assert flags == ["event_id_reused"]


async def test_one_message_id_with_another_body_is_kept_and_flagged(
    api_only: Running, sender: Sender
) -> None:  # DK3, RS-13
    """Both stay, the later one marked so that it is never answered by itself."""
    rfc_id = f"<{uuid.uuid4()}@kunde.example>"
    named = {"messageId": rfc_id} if sender.kind == "mta" else {"message_id": rfc_id}
    text = "textBody" if sender.kind == "mta" else "body"
    first = await send(api_only, sender, sender.good(**named, **{text: "one"}))
    second = await send(api_only, sender, sender.good(**named, **{text: "two"}))
    row = (await api_only.rows("SELECT variant_of, flags FROM accepted_mail WHERE message_id = $1::uuid",
                               second.json()["message_id"]))[0]  # fmt: skip
    assert str(row["variant_of"]) == first.json()["message_id"] and row["flags"] == ["same_id_other_body"]


async def test_one_mail_to_two_mailboxes_is_two_linked_messages(api_only: Running) -> None:  # RC9, RS-15
    """One event, one blob; only the message of the first mailbox in To owns the reply."""
    await api_only.mailbox("billing@shop.example")
    body = mail(to="billing@shop.example, support@shop.example")
    answer = (await send(api_only, SENDERS["raw"], body)).json()
    rows = await api_only.rows(
        "SELECT a.message_id, a.answered_by, a.blob_sha256, a.event_id, b.address FROM accepted_mail a "
        "JOIN mailboxes b ON b.id = a.mailbox_id WHERE a.message_id = ANY ($1::uuid[])", answer["message_ids"],
    )  # fmt: skip
    by_address = {row["address"]: row for row in rows}
    assert set(by_address) == {"billing@shop.example", "support@shop.example"}
    assert len({row["blob_sha256"] for row in rows}) == 1 and len({row["event_id"] for row in rows}) == 1
    assert by_address["billing@shop.example"]["answered_by"] is None
    assert by_address["support@shop.example"]["answered_by"] == by_address["billing@shop.example"]["message_id"]


async def test_two_aliases_of_one_mailbox_are_one_message(api_only: Running) -> None:  # RC9, RS-15
    """It records both envelope recipients."""
    await api_only.sql(
        "INSERT INTO mailbox_addresses SELECT organisation_id, 'help@shop.example', mailbox_id FROM mailbox_addresses "
        "WHERE address = 'support@shop.example' ON CONFLICT DO NOTHING"
    )
    body = mail(to="help@shop.example, support@shop.example")
    answer = (await send(api_only, SENDERS["raw"], body)).json()
    assert "message_ids" not in answer
    recipients = await api_only.value(
        "SELECT envelope_recipients FROM accepted_mail WHERE message_id = $1::uuid", answer["message_id"]
    )
    assert sorted(recipients) == ["help@shop.example", "support@shop.example"]


async def test_a_reply_token_reaches_its_mailbox(api_only: Running) -> None:  # TH4
    """The plus part is not part of the address that is looked up."""
    answer = await send(api_only, SENDERS["raw"], mail(to="support+r.abc.def@shop.example"))
    mailbox = await api_only.value(
        "SELECT mailbox_id FROM accepted_mail WHERE message_id = $1::uuid", answer.json()["message_id"]
    )
    assert mailbox == api_only.mailbox_id


async def test_mail_in_latin_1_is_taken_as_it_is(api_only: Running) -> None:  # RS-16, AD3
    """Bytes above 127 in header and body, and a NUL among them, are no reason to refuse or to change anything."""
    body = mail(subject="Gr\u00fc\u00dfe").replace(b"Gr\xc3\xbc\xc3\x9fe", b"Gr\xfc\xdfe") + b"\xff\xfe\x00\x80"
    answer = await send(api_only, SENDERS["raw"], body)
    assert answer.status_code == 200 and "poison" not in answer.json()
    raw = await api_only.get(f"/api/messages/{answer.json()['message_id']}/raw")
    assert raw.content == body


@pytest.mark.parametrize("listed", ["garbage", "v1,a,b", "v1,%%%", "v1,", "v1a,AAAA", "v2,abc", "v1," + "A" * 5000])
async def test_a_malformed_signature_list_is_401(api_only: Running, listed: str) -> None:  # RS-16, AD3
    """Never an exception."""
    body = mail()
    headers = {**SENDERS["raw"].headers(body), "webhook-signature": listed}
    answer = await api_only.request("POST", SENDERS["raw"].path, token="", content=body, headers=headers)
    assert answer.status_code == 401 and answer.json() == {"error": "bad signature"}


async def test_half_an_emoji_costs_a_character_and_not_the_mail(api_only: Running) -> None:  # AD2
    """JavaScript senders cut texts in the middle of a surrogate pair and escape what is left."""
    body = SENDERS["mta"].good(subject="A long subject \ud83d")
    answer = await send(api_only, SENDERS["mta"], body)
    assert answer.status_code == 200 and "poison" not in answer.json()


async def test_news_about_a_mail_we_never_sent_is_counted_only(api_only: Running) -> None:  # AD2, RS-69
    """200 and no effect."""
    before = await stored(api_only)
    body = b'{"event": "bounced", "messageId": "nothing@shop.example", "inboundPayload": {"to": "a@b.example"}}'
    answer = await send(api_only, SENDERS["mta"], body)
    assert answer.status_code == 200
    assert await api_only.value("SELECT outcome FROM deliveries ORDER BY id DESC LIMIT 1") == "delivery_event"
    assert await stored(api_only) == before
    assert await api_only.value("SELECT count(*) FROM address_blocks") == 0


async def test_the_accounts_balance_after_all_of_this(api_only: Running) -> None:  # GL2
    """accepted = sum of accounts, and the door's own count agrees."""
    accounts = (await api_only.get("/api/accounts")).json()
    assert accounts["balanced"] and accounts["lost"] == 0
    assert accounts["accepted"] == await api_only.value("SELECT count(*) FROM accepted_mail")
    assert sum(d["messages"] for d in accounts["door"] if d["outcome"] == "stored") == accounts["accepted"]
