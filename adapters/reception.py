"""The one door for mail: bytes, event, message key, start order and ledger in one transaction, then success (RC1,
RC5-RC7)."""

import hashlib
from email.utils import getaddresses
from typing import Any
from uuid import UUID

from adapters.blobs import BlobStore
from adapters.postgres import Database, Transaction
from contracts.barriers import barrier
from contracts.reception import Accepted, Delivery, DoorOutcome, PoisonReason
from domain.dedup import dedup_key
from domain.keys import Keyring
from domain.mail.address_list import identity

Place = tuple[UUID, tuple[str, ...]]


class Reception:
    """`accept` is idempotent: any number of equal deliveries gives the same message ids (P40, RC7)."""

    def __init__(self, database: Database, keyring: Keyring) -> None:
        self.database = database
        self.keyring = keyring
        self.blobs = BlobStore()

    async def accept(self, delivery: Delivery) -> Accepted:
        """Stores one verified delivery; raises DatabaseFault where the source must try again."""
        async with self.database.transaction() as tx:
            accepted = await self._accept(tx, delivery)
        await barrier("after_accept_commit", *accepted.message_ids[:1])
        return accepted

    async def ignore(self, delivery: Delivery, outcome: DoorOutcome = DoorOutcome.IGNORED) -> Accepted:
        """Counts a delivery that makes no message: another event type, or news about a mail of ours."""
        async with self.database.transaction() as tx:
            await tx.run("door_delivery", delivery.source, None, outcome, 0)
        return Accepted(outcome=outcome)

    async def news(self, source: str, news: Any) -> Accepted:
        """What became of a mail we sent: proof, bounce or complaint; without a match it is only counted (AD2)."""
        async with self.database.transaction(lifecycle=True) as tx:
            await tx.run("door_delivery", source, None, DoorOutcome.DELIVERY_EVENT, 0)
            row = await tx.one("news_outbox", list(news.ids), source)
            if row is not None:
                await _apply_news(tx, row, news)
        return Accepted(outcome=DoorOutcome.DELIVERY_EVENT)

    async def _accept(self, tx: Transaction, delivery: Delivery) -> Accepted:
        sha256 = hashlib.sha256(delivery.raw).hexdigest()
        organisation = await tx.value("door_organisation", delivery.source)
        event_id, known = await self._event(tx, delivery, sha256)
        if known:
            return await self._known_event(tx, delivery, event_id)
        await self.blobs.put(tx, organisation, sha256, delivery.raw)
        places, ours = await self._places(tx, organisation, delivery)
        if not ours and delivery.poison is None:
            delivery = delivery.model_copy(update={"poison": PoisonReason.UNKNOWN_RECIPIENT})
        stored, repeated = await self._messages(tx, delivery, organisation, event_id, sha256, places)
        return await self._answer(tx, delivery, event_id, stored, repeated)

    async def _event(self, tx: Transaction, d: Delivery, sha256: str) -> tuple[UUID, bool]:
        """The event's row; an id that came before with other content is a new event, flagged (DK4)."""
        provider_id = d.provider_event_id or f"sha256:{sha256}"
        new = await tx.value("door_event", d.source, provider_id, sha256, d.event_type, [])
        if new is not None:
            return new, False
        row = await tx.must("door_event_known", d.source, provider_id)
        if row["body_sha256"] == sha256:
            return row["id"], True
        again = await tx.value(
            "door_event", d.source, f"{provider_id}#{sha256}", sha256, d.event_type, ["event_id_reused"]
        )
        if again is not None:
            return again, False
        row = await tx.must("door_event_known", d.source, f"{provider_id}#{sha256}")
        return row["id"], True

    async def _known_event(self, tx: Transaction, d: Delivery, event_id: UUID) -> Accepted:
        rows = await tx.rows("door_messages_of_event", event_id) or await self._first_messages(tx, d, event_id)
        deleted = bool(rows) and all(r["account"] == "deleted" for r in rows)
        outcome = DoorOutcome.DUPLICATE_OF_DELETED if deleted else DoorOutcome.DUPLICATE
        await tx.run("door_delivery", d.source, event_id, outcome, 0)
        return Accepted(outcome=outcome, message_ids=tuple(r["message_id"] for r in rows))

    async def _first_messages(self, tx: Transaction, d: Delivery, event_id: UUID) -> list[Any]:
        """The event was a repeat itself when it first came: what it repeats is found by the mail's own key (RC7)."""
        event = await tx.must("door_event_place", event_id)
        key = self._key(d, event["body_sha256"])
        places, _ = await self._places(tx, event["organisation_id"], d)
        found = [await tx.one("door_message_known", mailbox, key) for mailbox, _ in places]
        return [row for row in found if row is not None]

    async def _places(self, tx: Transaction, organisation: UUID, d: Delivery) -> tuple[list[Place], bool]:
        """Each mailbox concerned with the envelope recipients that named it, the first in To first (RC9).

        False: the mail is for nobody of ours and belongs to "unassigned" (RC11a).
        """
        wanted = _identities(d.envelope_recipients or _header_addresses(d.to, d.cc))
        rows = await tx.rows("door_mailboxes", organisation, [_plain(a) for a in wanted])
        found = {row["address"]: row["mailbox_id"] for row in rows}
        places: dict[UUID, list[str]] = {}
        for address in _in_header_order(wanted, d.to):
            if (mailbox := found.get(_plain(address))) is not None:
                places.setdefault(mailbox, []).append(address)
        if places:
            return [(mailbox, tuple(addresses)) for mailbox, addresses in places.items()], True
        return [(await tx.value("door_unassigned", organisation), tuple(wanted))], False

    async def _messages(
        self,
        tx: Transaction,
        d: Delivery,
        organisation: UUID,
        event_id: UUID,
        sha256: str,
        places: list[Place],
    ) -> tuple[list[UUID], list[Any]]:
        key = self._key(d, sha256)
        stored: list[UUID] = []
        repeated: list[Any] = []
        for mailbox, recipients in places:
            row = await tx.one(
                "door_message",
                mailbox,
                key,
                event_id,
                d.source,
                organisation,
                sha256,
                d.raw_kind,
                "poison" if d.poison else "accepted",
                d.poison,
                d.detail or None,
                d.envelope_sender,
                list(recipients),
                d.message_id,
                d.verdicts,
                self._summary(d),
            )
            if row is None:
                repeated.append(await tx.one("door_message_known", mailbox, key))
                continue
            stored.append(row["message_id"])
        for message_id in stored:
            await self._link(tx, message_id, stored, key, organisation)
        return stored, repeated

    async def _link(self, tx: Transaction, message_id: UUID, stored: list[UUID], key: str, organisation: UUID) -> None:
        """Copies in other mailboxes are answered by the first one; other mail under the same id is a variant (DK3)."""
        await tx.run("door_link_copy", message_id, stored[0], key, organisation)
        await tx.run("door_link_variant", message_id)

    async def _answer(
        self, tx: Transaction, d: Delivery, event_id: UUID, stored: list[UUID], repeated: list[Any]
    ) -> Accepted:
        ids = tuple(stored) or tuple(r["message_id"] for r in repeated)
        outcome = DoorOutcome.STORED
        if not stored:
            deleted = all(r["account"] == "deleted" for r in repeated)
            outcome = DoorOutcome.DUPLICATE_OF_DELETED if deleted else DoorOutcome.DUPLICATE
        await tx.run("door_delivery", d.source, event_id, outcome, len(stored))
        return Accepted(outcome=outcome, message_ids=ids, poison=d.poison)

    def _key(self, d: Delivery, sha256: str) -> str:
        """DK1; what could not be read at all is known by its bytes."""
        return dedup_key(
            self.keyring.dedup,
            message_id=d.message_id,
            from_address=d.from_address,
            date=d.date,
            to=d.to,
            cc=d.cc,
            subject=d.subject,
            body_digest=d.body_digest or sha256,
        )

    def _summary(self, d: Delivery) -> str:
        """What the Temporal UI shows of a mail: hashes of sender and subject, never their text (P31)."""
        secret = self.keyring.derive("summary")
        sender = hashlib.blake2b(d.from_address.encode("utf-8", "replace"), key=secret, digest_size=4).hexdigest()
        subject = hashlib.blake2b(d.subject.encode("utf-8", "replace"), key=secret, digest_size=4).hexdigest()
        return f"sender {sender} · subject {subject} · via {d.source}"


def _header_addresses(to: str, cc: str) -> list[str]:
    return [address for _, address in getaddresses([to, cc]) if "@" in address][:200]


def _identities(addresses: Any) -> list[str]:
    return list(dict.fromkeys(identity(a) for a in addresses))


def _plain(address: str) -> str:
    """The address without its plus part, so that a reply token reaches its mailbox."""
    local, _, domain = address.rpartition("@")
    return f"{local.split('+', 1)[0]}@{domain}"


def _in_header_order(addresses: list[str], to: str) -> list[str]:
    """Addresses named in To first, in its order."""
    named = _identities(_header_addresses(to, ""))
    return sorted(addresses, key=lambda a: named.index(a) if a in named else len(named))


async def _apply_news(tx: Transaction, row: Any, news: Any) -> None:
    """The outbox row learns it; a bounce or complaint also stops further mail to that address, and counts
    against the agent where nobody had looked (BO2, BO3, P89)."""
    await tx.run(f"news_{news.kind}", row["id"])
    if news.kind != "delivered":
        await tx.run("outcome_rejected", row["id"], news.kind, None)
        for address in [identity(news.recipient)] if news.recipient else list(row["recipients"]):
            await tx.run("news_suppress", row["mailbox_id"], address, news.kind)
    cause = f"{row['message_id']}:{news.kind}/{row['id']}"
    await tx.run("wake", f"message/{row['message_id']}", "wake", {"cause": cause}, cause)
