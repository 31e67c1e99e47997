"""`deskhand ledger check` on real rows: quiet while everything adds up, loud about each thing that does not."""

import asyncio
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

from adapters.accounts import CHECKS, DELIVERIES, IDENTITY, RECIPIENTS, account_of
from contracts.status import ArchiveReason, HoldReason, OutboxState, Status
from tests.integration.cli_house import House, new_house, webhook_of
from tests.integration.cli_rows import event, force, ids, put_back, receive, send, take_away

MAIL = "From: Ana <ana@customer.example>\nTo: support@example.org\nSubject: Lamp {}\n\nIs it in stock?\n"


@pytest.fixture
def house(database_url: str, owner_database_url: str, tmp_path: Path) -> Iterator[House]:
    """An installation that accepted three mails, of which one came twice."""
    house = new_house(database_url, owner_database_url, tmp_path / "state")
    for number in range(3):
        (tmp_path / f"{number}.eml").write_text(MAIL.format(number))
    with webhook_of(house):
        house.deskhand("ingest", str(tmp_path))
        house.deskhand("ingest", str(tmp_path / "0.eml"))
    yield house


def check(house: House) -> tuple[int, str]:
    """Exit code and output of the command."""
    result = house.deskhand("ledger", "check")
    return result.exit_code, result.output


def failures(house: House) -> dict[str, str]:
    """The checks that failed, with what they say."""
    _, output = check(house)
    rows = [line.split("\t") for line in output.splitlines()]
    return {row[0]: row[1] for row in rows if len(row) == 2 and row[1].endswith(" wrong")}


def test_sums_of_a_healthy_house(house: House) -> None:
    """GL2, GL3: accepted = sum of accounts, per mailbox and in total; deliveries = stored + duplicates."""
    receive(house, ids(house)[0])
    code, output = check(house)
    lines = output.splitlines()
    assert code == 0
    assert [line.rsplit("\t", 1)[0] for line in lines if line.startswith("support@example.org")] == [
        "support@example.org\taccepted\t2", "support@example.org\treceived\t1", "support@example.org\t3 = accepted\t3",
    ]  # fmt: skip
    assert {"stored\t3\t3", "duplicate\t1\t0", "all\t4\t3"} <= set(lines)
    assert lines[-1] == "The accounts balance. 3 accepted · 0 lost · 0 ambiguous"


def test_one_message_row_deleted_by_hand_is_found_and_its_return_too(house: House) -> None:
    """RS-67: a row deleted by the owner makes the check exit 1; restored, it is green again."""
    lost = ids(house)[1]
    receive(house, lost)
    take_away(house, lost)
    code, output = check(house)
    assert code == 1
    assert f"every mail in the pipeline has a message\t{lost}" in output
    assert "accepted 3, found 2, difference -1" in output and "1 lost" in output
    put_back(house)
    assert check(house)[0] == 0


def test_a_mail_deleted_by_hand_is_missed_by_the_ledger(house: House) -> None:
    """RS-67: the ledger remembers what was accepted, whatever became of the row."""
    house.sql("DELETE FROM accepted_mail WHERE message_id = $1", ids(house)[2])
    found = failures(house)
    assert found["every mail of the ledger has its row"] == "1 wrong"
    assert found["accepted = sum of accounts"] == "1 wrong"


def test_bytes_that_are_gone_or_cut_are_found(house: House) -> None:
    """GL3: every accepted mail has its blob, whole."""
    first, second, _ = [row[0] for row in house.sql("SELECT blob_sha256 FROM accepted_mail ORDER BY message_id")]
    house.sql("DELETE FROM blobs WHERE sha256 = $1", first)
    house.sql("UPDATE blob_chunks SET bytes = '\\x00' WHERE sha256 = $1", second)
    assert failures(house) == {"every mail has its bytes": "2 wrong"}


def test_a_mail_nobody_will_ever_look_at_is_found(house: House) -> None:
    """RC13: without its row in the start queue no workflow would begin."""
    house.sql("DELETE FROM start_queue WHERE workflow_id = 'message/' || $1::text", str(ids(house)[0]))
    assert failures(house) == {"every mail has its workflow order": "1 wrong"}


def test_an_account_changed_behind_the_ledger_is_found(house: House) -> None:
    """GL2: a move without its ledger row is a difference."""
    change = "UPDATE accepted_mail SET account = 'poison', poison_reason = 'empty' WHERE message_id = $1"
    house.sql(change, ids(house)[0])
    assert failures(house) == {"every account is the ledger's": "1 wrong"}


def test_a_message_whose_mail_is_still_at_the_door_is_in_two_accounts(house: House) -> None:
    """GL1: each mail is in exactly one account."""
    receive(house, ids(house)[0])
    house.sql("UPDATE accepted_mail SET account = 'accepted' WHERE message_id = $1", ids(house)[0])
    assert failures(house) == {"no mail is in two accounts": "1 wrong", "every account is the ledger's": "1 wrong"}


def test_a_status_written_past_the_lifecycle_is_found(house: House) -> None:
    """P18: the last accepted event says what the status is."""
    receive(house, ids(house)[0])
    force(house, ids(house)[0], "draft_ready")
    assert failures(house) == {"every status is the last event's": "1 wrong"}


def sent(house: House, *sends: dict[str, object]) -> dict[str, str]:
    """What the check says of a message marked sent, with these orders to send."""
    message = ids(house)[0]
    receive(house, message, "approved")
    event(house, message, 3, "sent")
    force(house, message, "sent")
    for one in sends:
        send(house, message, **one)
    return failures(house)


def test_one_decided_send_is_in_order(house: House) -> None:
    """GL5: one send, one decision, the approved recipients."""
    assert sent(house, {}) == {}


def test_sent_without_a_send_order_is_found(house: House) -> None:
    """GL5: a message is not sent because a row says so."""
    assert sent(house) == {"every sent message has its send order": "1 wrong"}


def test_a_second_send_of_one_slot_is_found(house: House) -> None:
    """GL5: at most one accepted send per slot; a bounced one was accepted too."""
    assert sent(house, {}, {"state": "bounced"}) == {"no reply went out twice": "1 wrong"}


def test_follow_ups_are_slots_of_their_own(house: House) -> None:
    """P97a: an answer written later on a closed thread is no second send."""
    assert sent(house, {}, {"slot": "followup:1"}) == {}


def test_an_automatic_send_without_its_decision_is_found(house: House) -> None:
    """GL5, P87: no send without a decision record."""
    assert sent(house, {"automatic": True}) == {"no send without a decision": "1 wrong"}


def test_a_send_nobody_decided_is_found(house: House) -> None:
    """GL5: a person's send names the person."""
    assert sent(house, {"decided_by": ""}) == {"no send without a decision": "1 wrong"}


def test_other_recipients_than_approved_are_found(house: House) -> None:
    """GL5, OB11: sent recipients = approved recipients."""
    found = sent(house, {"recipients": ["mallory@evil.example"]})
    assert found == {"recipients are those approved": "1 wrong"}


@pytest.mark.parametrize(
    ("lifted", "wrong"), [("NULL", True), ("now()", True), ("now() - interval '3 minutes'", False)]
)
def test_a_claim_after_the_kill_switch_is_found(house: House, lifted: str, wrong: bool) -> None:
    """GL5, OB7: nothing decided before the switch is handed over after it, and nothing automatic until it is lifted."""
    house.sql(
        "INSERT INTO kill_switches (mailbox_id, thrown_at, thrown_by, cause, lifted_at) "
        f"SELECT id, now() - interval '4 minutes', 'test', 'test', {lifted} FROM mailboxes WHERE is_default"
    )
    found = sent(house, {"automatic": True})
    assert ("no send after a kill switch" in found) is wrong


def test_a_reply_that_went_out_while_its_message_waits_is_found(house: House) -> None:
    """GL5: a draft in review whose reply went out would be answered twice."""
    message = ids(house)[0]
    receive(house, message, "approved")
    event(house, message, 3, "draft_ready")
    force(house, message, "draft_ready")
    send(house, message)
    assert failures(house) == {"every reply that went out is marked sent": "1 wrong"}


def test_a_reply_that_just_went_out_is_given_a_minute(house: House) -> None:
    """The hand-over commits before the status; a check in between raises no alarm."""
    message = ids(house)[0]
    receive(house, message, "approved")
    send(house, message, ago_s=5)
    assert failures(house) == {}


def test_a_delivery_that_was_answered_and_not_counted_is_found(house: House) -> None:
    """GL2: deliveries answered with success = mails made + duplicates + events + ignored."""
    house.sql("DELETE FROM deliveries WHERE id = (SELECT id FROM deliveries WHERE outcome = 'stored' LIMIT 1)")
    assert failures(house) == {"stored deliveries made the mails of the ledger": "1 wrong"}


def test_every_check_has_a_case_here(project_root: Path) -> None:
    """A check that never failed in a test may be one that cannot."""
    text = Path(__file__).read_text()
    checks = (*CHECKS.values(), RECIPIENTS, IDENTITY, DELIVERIES)
    assert [words for words in checks if f'"{words}' not in text and f"{words}\\t" not in text] == []


def test_every_status_hold_and_reason_has_an_account() -> None:
    """GL1: a status, hold or reason without an account fails here; no two statuses share one."""
    seen: dict[str, set[Status]] = {}
    for status, hold, archived, sending in product(
        Status, [None, *HoldReason], [None, *ArchiveReason], [None, *OutboxState]
    ):
        if (status is Status.ARCHIVED) != (archived is not None) or (sending and status is not Status.APPROVED):
            continue
        if sending is OutboxState.CANCELLED:
            continue
        seen.setdefault(account_of("pipeline", status, hold, archived, sending), set()).add(status)
    assert {status for names in seen.values() for status in names} == set(Status)
    assert all(len(statuses) == 1 for statuses in seen.values())
    assert {"archived: spam", "received: automatic", "drafting: mission", "approved: ambiguous"} <= set(seen)
    assert account_of("poison", None, None, None, None) == "poison"


def test_the_snapshot_writes_nothing(house: House) -> None:
    """The check runs as the app role in a read-only transaction."""
    from adapters.postgres import Database

    async def attempt() -> str:
        database = await Database.connect(house.database_url, most=1)
        try:
            async with database.transaction() as tx:
                await tx.run("accounts_snapshot")
                return str(await tx.connection.fetchval("SHOW transaction_read_only"))
        finally:
            await database.close()

    assert asyncio.run(attempt()) == "on"
