"""Rows made by hand, as the product makes them or as only a hand could, for tests of the ledger check."""

from uuid import UUID

from domain.reply.recipients import recipients_hash
from tests.integration.cli_house import House


def ids(house: House) -> list[UUID]:
    """The accepted mails in order."""
    return [row["message_id"] for row in house.sql("SELECT message_id FROM accepted_mail ORDER BY message_id")]


def receive(house: House, message_id: UUID, status: str = "received", archived: str | None = None) -> None:
    """Do by hand what the lifecycle does in one transaction: thread, message row, account, ledger entry, event."""
    house.sql(
        """
        WITH mail AS (UPDATE accepted_mail SET account = 'pipeline' WHERE message_id = $1 RETURNING *),
        booked AS (INSERT INTO ledger_entries (mailbox_id, message_id, from_account, to_account, cause)
            SELECT mailbox_id, message_id, 'accepted', 'pipeline', 'receive' FROM mail),
        thread AS (INSERT INTO conversation_threads (mailbox_id) SELECT mailbox_id FROM mail RETURNING id, mailbox_id)
        INSERT INTO inbound_messages (id, mailbox_id, thread_id, received_at, processing_status)
        SELECT $1, mailbox_id, id, now(), 'received' FROM thread
        """,
        message_id,
    )
    event(house, message_id, 1, "received")
    if status != "received":
        force(house, message_id, status, archived)
        event(house, message_id, 2, status)


def force(house: House, message_id: UUID, status: str, archived: str | None = None) -> None:
    """Set a status past the guard, which is what no program of ours can do."""
    house.sql("ALTER TABLE inbound_messages DISABLE TRIGGER guard_status")
    change = "UPDATE inbound_messages SET processing_status = $2, archive_reason = $3 WHERE id = $1"
    house.sql(change, message_id, status, archived)
    house.sql("ALTER TABLE inbound_messages ENABLE TRIGGER guard_status")


def event(house: House, message_id: UUID, seq: int, status: str) -> None:
    """One accepted transition."""
    house.sql(
        "INSERT INTO lifecycle_events (message_id, mailbox_id, seq, cause_key, actor, from_status, to_status, "
        "accepted) SELECT id, mailbox_id, $2, 'test', 'test', '', $3, true FROM inbound_messages WHERE id = $1",
        message_id, seq, status,
    )  # fmt: skip


def send(house: House, message_id: UUID, **changed: object) -> None:
    """An order to send, handed over two minutes ago and decided by a person, unless `changed` says otherwise."""
    usual = {"state": "sent", "automatic": False, "decided_by": "user:1", "slot": "reply", "ago_s": 120}
    values = usual | {"recipients": ["ana@customer.example"]} | changed
    digest = recipients_hash(("ana@customer.example",), (), ())
    house.sql(
        "INSERT INTO outbox (mailbox_id, message_id, thread_id, reply_slot, generation, state, automatic, decided_by, "
        "revision, sender, recipients, recipients_hash, subject, body_sha256, rfc_message_id, send_at, claimed_at, "
        "sent_at) SELECT mailbox_id, id, thread_id, $2, 1 + (SELECT count(*) FROM outbox WHERE message_id = $1), $3, "
        "$4, $5, 0, 'support@example.org', $6, $7, 'Re: Lamp', 'x', gen_random_uuid()::text, now(), "
        "now() - make_interval(secs => $8), now() - make_interval(secs => $8) FROM inbound_messages WHERE id = $1",
        message_id, values["slot"], values["state"], values["automatic"], values["decided_by"], values["recipients"],
        digest, values["ago_s"],
    )  # fmt: skip


def take_away(house: House, message_id: UUID) -> None:
    """Delete a message row as only the owner could: past the foreign keys, and kept aside for `put_back`."""
    keys = house.sql(
        "SELECT conname, conrelid::regclass::text AS place FROM pg_constraint "
        "WHERE confrelid = 'inbound_messages'::regclass AND contype = 'f' AND conparentid = 0"
    )
    for key in keys:
        house.sql(f"ALTER TABLE {key['place']} DROP CONSTRAINT {key['conname']}")
    house.sql(f"CREATE TABLE kept AS SELECT * FROM inbound_messages WHERE id = '{message_id}'")
    house.sql("DELETE FROM inbound_messages WHERE id = $1", message_id)


def put_back(house: House) -> None:
    """Restore the row; what hangs on it was never touched."""
    house.sql("ALTER TABLE inbound_messages DISABLE TRIGGER USER")
    house.sql("INSERT INTO inbound_messages SELECT * FROM kept")
    house.sql("ALTER TABLE inbound_messages ENABLE TRIGGER USER")
