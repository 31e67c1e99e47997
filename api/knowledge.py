"""Knowledge over REST: list, search, import, promote, retire (P104, P107)."""

from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import APIRouter, Query, Request

from activities.knowledge.curation import Curation, NoSuchEntry, NotAllowed
from activities.knowledge.importing import ImportOrder
from activities.knowledge.retrieval import Question, embed_question
from activities.knowledge.storing import Shelf
from api.auth import Principal, Who
from api.docs import GUARDED
from api.errors import ApiError, invalid, not_found, unavailable
from api.knowledge_desk import KnowledgeDesk, TooBusy
from api.knowledge_shapes import EntryShown, Found, ImportShown, Place, PromoteBody
from api.mailboxes import known_mailbox
from api.services import Deskhand, Services
from contracts.llm import UsageContext
from domain.briefing.facts import Trust
from domain.knowledge.languages import storable

LONGEST_NAME = 200
MOST = 50

router = APIRouter(prefix="/api/mailboxes/{mailbox_id}/knowledge", tags=["knowledge"], responses=GUARDED)
EntryType = Literal["faq", "policy", "fact"]


async def seen_mailbox(services: Services, who: Principal, mailbox_id: UUID) -> UUID:
    """The mailbox, if this person sees it; 404 otherwise."""
    async with services.database.transaction(who.mailboxes) as tx:
        await known_mailbox(tx, who, mailbox_id)
    if mailbox_id not in who.mailboxes:
        raise not_found("mailbox")
    return mailbox_id


def desk_of(request: Request) -> KnowledgeDesk:
    """What this process imports and embeds with."""
    desk: KnowledgeDesk = request.app.state.knowledge_desk
    return desk


def shown(entry: dict[str, Any]) -> EntryShown:
    """An entry as the API gives it."""
    past = next((word for word in ("superseded", "retired", "expired") if entry[word]), "")
    places = [Place(document_id=p.document_id, source=p.source, number=p.number, page=p.page) for p in entry["places"]]
    return EntryShown(**{**entry, "past": past, "places": places})


@router.get("")
async def entries(
    mailbox_id: UUID, services: Deskhand, who: Who, request: Request, q: Annotated[str, Query(max_length=2000)] = "",
    trust: Literal["", "unverified", "verified", "policy"] = "", past: bool = False, after: UUID | None = None,
    most: Annotated[int, Query(ge=1, le=MOST)] = MOST,
) -> Found:  # fmt: skip
    """Entries by title, or with `q` what would be found for a question, best first."""
    who.require("read")
    await seen_mailbox(services, who, mailbox_id)
    curation = Curation(services.database, mailbox_id)
    if q.strip():
        return await _search(request, curation, q, most)
    rows = await curation.page(await _start(services, mailbox_id, after), trust=trust, past=past, most=most)
    return Found(entries=[shown(row) for row in rows], next=str(rows[-1]["id"]) if len(rows) == most else "")


async def _start(services: Services, mailbox_id: UUID, after: UUID | None) -> tuple[str, UUID]:
    if after is None:
        return "", UUID(int=0)
    async with services.database.transaction(mailbox_id) as tx:
        row = await tx.one("knowledge_entry", mailbox_id, after)
    if row is None:
        raise invalid("after", "there is no such entry")
    return row["title"], row["id"]


async def _search(request: Request, curation: Curation, text: str, most: int) -> Found:
    question = Question(text, curation.mailbox_id, past=True)
    context = UsageContext(mailbox_id=str(curation.mailbox_id))
    asked = await embed_question(curation.database, desk_of(request).embedder, question, context)
    rows = await curation.search(asked, datetime.now(UTC), most)
    return Found(entries=[shown(row) for row in rows], gaps=list(asked.gaps))


@router.post("/imports", status_code=202)
async def start_import(
    mailbox_id: UUID, services: Deskhand, who: Who, request: Request,
    name: Annotated[str, Query(max_length=LONGEST_NAME)],
    type: EntryType = "faq", collection: Annotated[str, Query(max_length=LONGEST_NAME)] = "",
) -> ImportShown:  # fmt: skip
    """Import the body: a file, or a site export (.zip), at most 128 MiB. It runs on; ask for it to see how far."""
    who.require("admin", role="admin")
    await seen_mailbox(services, who, mailbox_id)
    order = ImportOrder(type, who.actor, file_name(collection) if collection else "", retire=bool(collection))
    try:
        import_id = await desk_of(request).begin(mailbox_id, file_name(name), await request.body(), order)
    except TooBusy as busy:
        raise unavailable(str(busy)) from None
    return await one_import(mailbox_id, import_id, services, who)


def file_name(name: str) -> str:
    """The last part of a path, in visible characters. Raises ApiError for nothing."""
    clean = " ".join(storable(PurePosixPath(name.replace("\\", "/")).name).split())[:LONGEST_NAME]
    if clean in ("", ".", "..") or not clean.isprintable():
        raise invalid("name", "this is no file name")
    return clean


@router.get("/imports")
async def imports(mailbox_id: UUID, services: Deskhand, who: Who) -> list[ImportShown]:
    """The last imports, newest first."""
    who.require("read")
    await seen_mailbox(services, who, mailbox_id)
    async with services.database.transaction(mailbox_id) as tx:
        return [ImportShown(**dict(row)) for row in await tx.rows("knowledge_imports_list", mailbox_id, 20)]


@router.get("/imports/{import_id}")
async def one_import(mailbox_id: UUID, import_id: UUID, services: Deskhand, who: Who) -> ImportShown:
    """How far an import is, and what it refused."""
    who.require("read", "admin")
    await seen_mailbox(services, who, mailbox_id)
    async with services.database.transaction(mailbox_id) as tx:
        row = await tx.one("knowledge_import_one", mailbox_id, import_id)
    if row is None:
        raise not_found("import")
    return ImportShown(**dict(row))


@router.get("/documents")
async def documents(
    mailbox_id: UUID, services: Deskhand, who: Who, after: Annotated[str, Query(max_length=1000)] = ""
) -> list[dict[str, Any]]:
    """The team's documents by name, 50 from `after` on."""
    who.require("read")
    await seen_mailbox(services, who, mailbox_id)
    async with services.database.transaction(mailbox_id) as tx:
        return [dict(row) for row in await tx.rows("knowledge_documents_list", mailbox_id, storable(after), MOST)]


@router.delete("/documents/{document_id}")
async def retire_document(mailbox_id: UUID, document_id: UUID, services: Deskhand, who: Who) -> dict[str, int]:
    """Take a document back: what it alone holds is in no prompt any more."""
    who.require("admin", role="admin")
    await seen_mailbox(services, who, mailbox_id)
    return {"retired": await Shelf(services.database, mailbox_id).retire_document(document_id)}


@router.post("/{entry_id}/promote")
async def promote(mailbox_id: UUID, entry_id: UUID, body: PromoteBody, services: Deskhand, who: Who) -> dict[str, str]:
    """Vouch for a claim. On the record, and can be taken back."""
    who.require("admin", role="admin")
    curation = await _curation(services, who, mailbox_id)
    await _refusing(curation.promote(entry_id, Trust(body.trust), who.actor, for_everybody=body.for_everybody))
    return {"trust": body.trust}


@router.post("/{entry_id}/demote")
async def demote(mailbox_id: UUID, entry_id: UUID, services: Deskhand, who: Who) -> dict[str, str]:
    """Take a promotion back: a claim of its contact again."""
    who.require("admin", role="admin")
    await _refusing((await _curation(services, who, mailbox_id)).demote(entry_id, who.actor))
    return {"trust": "unverified"}


@router.post("/{entry_id}/retire")
async def retire(mailbox_id: UUID, entry_id: UUID, services: Deskhand, who: Who) -> dict[str, bool]:
    """Keep an entry out of every prompt."""
    who.require("admin", role="admin")
    await _refusing((await _curation(services, who, mailbox_id)).retire(entry_id, who.actor))
    return {"retired": True}


@router.post("/{entry_id}/restore")
async def restore(mailbox_id: UUID, entry_id: UUID, services: Deskhand, who: Who) -> dict[str, bool]:
    """Undo `retire`."""
    who.require("admin", role="admin")
    await _refusing((await _curation(services, who, mailbox_id)).restore(entry_id, who.actor))
    return {"retired": False}


async def _curation(services: Services, who: Principal, mailbox_id: UUID) -> Curation:
    return Curation(services.database, await seen_mailbox(services, who, mailbox_id))


async def _refusing(work: Any) -> None:
    try:
        await work
    except NoSuchEntry:
        raise not_found("entry") from None
    except NotAllowed as refusal:
        raise ApiError(409, "not_allowed", str(refusal)) from None
