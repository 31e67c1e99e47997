"""Handling rules: what people know that no statistic does. They only ever hold a reply back (P86a)."""

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from adapters.postgres import Transaction
from api.auth import Principal, Who
from api.docs import GUARDED
from api.errors import invalid, not_found
from api.mailboxes import known_mailbox
from api.services import Deskhand
from contracts.classification import Category, IntentKind
from domain.routing.handling import HandledMessage, HandlingKind, HandlingRule, Predicate, applies

router = APIRouter(prefix="/api/mailboxes/{mailbox_id}/handling", tags=["autonomy"], responses=GUARDED)

Phrase = Annotated[str, Field(min_length=1, max_length=200, pattern=r"\w")]


class PredicateBody(BaseModel):
    """When the rule applies: every field that is set must match, one value of it is enough; all empty: always."""

    model_config = ConfigDict(extra="forbid")

    categories: Annotated[list[Category], Field(max_length=8)] = []
    intents: Annotated[list[IntentKind], Field(max_length=20)] = []
    senders: Annotated[list[Phrase], Field(max_length=50)] = []
    words: Annotated[list[Phrase], Field(max_length=50)] = []


class HandlingBody(BaseModel):
    """`never_automatic`: mails like this are never answered automatically. `must_mention`: a reply must hold `text`.

    `examples` are ids of mails the rule must speak about; one it does not is refused on save.
    """

    model_config = ConfigDict(extra="forbid")

    kind: HandlingKind
    predicate: PredicateBody = PredicateBody()
    text: Annotated[str, Field(max_length=500)] = ""
    examples: Annotated[list[UUID], Field(max_length=20)] = []

    @model_validator(mode="after")
    def _is_a_rule(self) -> "HandlingBody":
        if self.kind is HandlingKind.NEVER_AUTOMATIC and self.text:
            raise ValueError("text belongs to must_mention rules")
        try:
            as_rule("new", self)
        except ValidationError as error:
            raise ValueError(error.errors()[0]["msg"].removeprefix("Value error, ")) from None
        return self


class Miss(BaseModel):
    """A rule that no longer speaks about one of its examples; `gone`: the mail was deleted."""

    rule_id: UUID
    message_id: UUID
    gone: bool


class Check(BaseModel):
    """What `deskhand rules check` prints; no misses means every rule still does what it was made for."""

    rules: int
    examples: int
    misses: list[Miss]


class Handling(HandlingBody):
    """A stored rule."""

    id: UUID
    by: str
    version: int


def as_rule(name: str, body: HandlingBody) -> HandlingRule:
    """The rule as gate 14 reads it; ValidationError where it makes no sense."""
    return HandlingRule(
        id=name, kind=body.kind, predicate=Predicate(**body.predicate.model_dump()), text=body.text
    )


@router.get("")
async def handling_rules(mailbox_id: UUID, services: Deskhand, who: Who) -> list[Handling]:
    """All of a mailbox, oldest first."""
    who.require("read")
    async with services.database.transaction(who.mailboxes) as tx:
        await known_mailbox(tx, who, mailbox_id)
        return await stored(tx, mailbox_id)


@router.get("/check")
async def check(mailbox_id: UUID, services: Deskhand, who: Who) -> Check:
    """Ask every rule about its examples again."""
    who.require("read")
    async with services.database.transaction(who.mailboxes) as tx:
        await known_mailbox(tx, who, mailbox_id)
        rules = await stored(tx, mailbox_id)
        misses = [miss for rule in rules for miss in await _misses(tx, mailbox_id, rule.id, rule)]
    return Check(rules=len(rules), examples=sum(len(rule.examples) for rule in rules), misses=misses)


@router.post("", status_code=201)
async def add(mailbox_id: UUID, body: HandlingBody, services: Deskhand, who: Who) -> Handling:
    """Add a rule; it holds from the next decision on."""
    who.require("review", "admin", role="reviewer")
    async with services.database.transaction(who.mailboxes) as tx:
        await known_mailbox(tx, who, mailbox_id)
        return await add_rule(tx, who, mailbox_id, body)


@router.put("/{rule_id}")
async def change(mailbox_id: UUID, rule_id: UUID, body: HandlingBody, services: Deskhand, who: Who) -> Handling:
    """Change a rule."""
    who.require("admin", role="admin")
    async with services.database.transaction(who.mailboxes) as tx:
        before = await _one(tx, who, mailbox_id, rule_id)
        await _hold_examples(tx, mailbox_id, body)
        predicate = body.predicate.model_dump(mode="json")
        row = await tx.must(
            "handling_rule_set", mailbox_id, rule_id, body.kind, predicate, body.text, who.actor, body.examples
        )
        await _audit(tx, who, mailbox_id, rule_id, before.model_dump(mode="json"), body.model_dump(mode="json"))
    return _handling(row)


@router.delete("/{rule_id}", status_code=204)
async def remove(mailbox_id: UUID, rule_id: UUID, services: Deskhand, who: Who) -> None:
    """Remove a rule; what it held is not decided anew."""
    who.require("admin", role="admin")
    async with services.database.transaction(who.mailboxes) as tx:
        await remove_rule(tx, who, mailbox_id, rule_id)


async def stored(tx: Transaction, mailbox_id: UUID) -> list[Handling]:
    """All rules of a mailbox."""
    return [_handling(row) for row in await tx.rows("handling_rules", mailbox_id)]


async def add_rule(tx: Transaction, who: Principal, mailbox_id: UUID, body: HandlingBody) -> Handling:
    """Writes and audits a new rule."""
    await _hold_examples(tx, mailbox_id, body)
    predicate = body.predicate.model_dump(mode="json")
    row = await tx.must("handling_rule_add", mailbox_id, body.kind, predicate, body.text, who.actor, body.examples)
    await _audit(tx, who, mailbox_id, row["id"], None, body.model_dump(mode="json"))
    return _handling(row)


async def remove_rule(tx: Transaction, who: Principal, mailbox_id: UUID, rule_id: UUID) -> None:
    """Deletes and audits; 404 if there is none."""
    before = await _one(tx, who, mailbox_id, rule_id)
    await tx.one("handling_rule_delete", mailbox_id, rule_id)
    await _audit(tx, who, mailbox_id, rule_id, before.model_dump(mode="json"), None)


async def _hold_examples(tx: Transaction, mailbox_id: UUID, body: HandlingBody) -> None:
    misses = await _misses(tx, mailbox_id, UUID(int=0), body)
    if misses:
        wrong = ", ".join(str(miss.message_id) for miss in misses)
        raise invalid("examples", f"the rule does not speak about {wrong}")


async def _misses(tx: Transaction, mailbox_id: UUID, rule_id: UUID, body: HandlingBody) -> list[Miss]:
    if not body.examples:
        return []
    rows = {row["id"]: row for row in await tx.rows("handling_examples", mailbox_id, body.examples)}
    rule = as_rule(str(rule_id), body)
    gone = [Miss(rule_id=rule_id, message_id=id_, gone=True) for id_ in body.examples if id_ not in rows]
    unheld = [id_ for id_, row in rows.items() if not applies(rule, handled(row))]
    return gone + [Miss(rule_id=rule_id, message_id=id_, gone=False) for id_ in unheld]


def handled(row: Any) -> HandledMessage:
    """A stored mail as a predicate sees it."""
    classified = row["classification"] or {}
    return HandledMessage(
        category=Category(classified.get("category", Category.OTHER)),
        intents=tuple(IntentKind(intent["intent"]) for intent in row["intents"] or ()),
        sender=row["from_identity"],
        text=f"{row['subject']}\n{row['text_body']}",
    )


async def _one(tx: Transaction, who: Principal, mailbox_id: UUID, rule_id: UUID) -> Handling:
    await known_mailbox(tx, who, mailbox_id)
    row = await tx.one("handling_rule", mailbox_id, rule_id)
    if row is None:
        raise not_found("handling rule")
    return _handling(row)


def _handling(row: Any) -> Handling:
    return Handling(**{name: row[name] for name in Handling.model_fields})


async def _audit(tx: Transaction, who: Principal, mailbox_id: UUID, rule_id: UUID, before: Any, after: Any) -> None:
    await tx.run("api_audit", mailbox_id, who.actor, "handling_rule", f"handling/{rule_id}", before, after)
