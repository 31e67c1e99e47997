"""What drafts are answered from, as people see it: list, search, import, promote, retire (P104)."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from activities.knowledge.backfill import BackfillDesk
from activities.knowledge.curation import Curation, NoSuchEntry, NotAllowed
from activities.knowledge.importing import ImportOrder
from activities.knowledge.retrieval import Question, embed_question
from api.auth import LARGEST_UPLOAD_BYTES, Principal, bounded
from api.dashboard import sessions
from api.dashboard.frame import show
from api.dashboard.visit import Visit, as_id
from api.errors import ApiError, not_found
from api.knowledge import desk_of, file_name
from api.knowledge_desk import TooBusy
from contracts.llm import UsageContext
from domain.briefing.facts import Trust

PLACE = "/dashboard/knowledge"
MOST_FILES = 200
MOST_FIELDS = 20
FOUND = 20
TYPES = ("faq", "policy", "fact")
TRUSTS = ("", "unverified", "verified", "policy")


async def knowledge_page(visit: Visit) -> Response:
    """Entries by title, or what would be found for a question, and the last imports."""
    return await page_with(visit)


async def page_with(visit: Visit, status: int = 200, problem: str = "") -> Response:
    """The page; `problem` says what could not be done."""
    mailbox_id = await _mailbox(visit)
    curation, query = Curation(visit.services.database, mailbox_id), visit.request.query_params
    asked = query.get("q", "").strip()[:2000]
    trust = query.get("trust", "") if query.get("trust", "") in TRUSTS else ""
    gaps: tuple[str, ...] = ()
    if asked:
        entries, gaps = await _found(visit, curation, asked)
    else:
        entries = await curation.page(await _start(visit, mailbox_id), trust=trust, past=query.get("past") == "1")
    more = entries[-1]["id"] if not asked and len(entries) == 50 else None
    async with visit.services.database.transaction(mailbox_id) as tx:
        imports = [dict(row) for row in await tx.rows("knowledge_imports_list", mailbox_id, 5)]
    jobs = await BackfillDesk(visit.services.database, mailbox_id).jobs(3)
    return await show(
        visit, "knowledge.html", status, entries=entries, counts=await curation.counts(), imports=imports, asked=asked,
        gaps=gaps, jobs=jobs,
        pairs=await curation.contradictions(20), trust=trust, trusts=TRUSTS, types=TYPES, more=more,
        mailbox_id=mailbox_id, problem=problem,
    )  # fmt: skip


async def _found(visit: Visit, curation: Curation, text: str) -> tuple[list[dict[str, Any]], tuple[str, ...]]:
    question = Question(text, curation.mailbox_id, past=True)
    context = UsageContext(mailbox_id=str(curation.mailbox_id))
    asked = await embed_question(curation.database, desk_of(visit.request).embedder, question, context)
    return await curation.search(asked, datetime.now(UTC), FOUND), asked.gaps


async def _start(visit: Visit, mailbox_id: UUID) -> tuple[str, UUID]:
    after = visit.request.query_params.get("after", "")
    if not after:
        return "", UUID(int=0)
    async with visit.services.database.transaction(mailbox_id) as tx:
        row = await tx.one("knowledge_entry", mailbox_id, as_id(after))
    return (row["title"], row["id"]) if row else ("", UUID(int=0))


async def _mailbox(visit: Visit) -> UUID:
    """The mailbox that is shown: the one chosen, else the default one."""
    async with visit.services.database.transaction(visit.who.mailboxes) as tx:
        rows = [r for r in await tx.rows("api_mailboxes", visit.who.organisation_id) if r["kind"] == "inbox"]
    seen = [row for row in rows if row["id"] in visit.mailboxes]
    chosen = next((row for row in seen if row["is_default"]), seen[0] if seen else None)
    if chosen is None:
        raise not_found("mailbox")
    mailbox_id: UUID = chosen["id"]
    return mailbox_id


async def change_entry(visit: Visit) -> Response:
    """Promote, take a promotion back, retire or restore one entry."""
    visit.who.require("admin", role="admin")
    mailbox_id = as_id(visit.form.get("mailbox"))
    if mailbox_id not in visit.who.mailboxes:
        raise not_found("mailbox")
    curation, entry_id = Curation(visit.services.database, mailbox_id), visit.path_id("entry_id")
    act = visit.form.get("act")
    try:
        await _change(curation, entry_id, act, visit)
    except NoSuchEntry:
        raise not_found("entry") from None
    except NotAllowed:
        return await page_with(visit, 409, visit.words("knowledge.not_allowed"))
    await visit.note(kind="done", action=f"knowledge.{act}")
    return visit.back(PLACE)


async def _change(curation: Curation, entry_id: UUID, act: str, visit: Visit) -> None:
    actor = visit.who.actor
    if act in ("promote", "promote_policy"):
        trust = Trust.POLICY if act == "promote_policy" else Trust.VERIFIED
        await curation.promote(entry_id, trust, actor, for_everybody=visit.form.get("everybody") == "1")
    elif act in ("demote", "retire", "restore"):
        await getattr(curation, act)(entry_id, actor)
    else:
        raise not_found("action")


async def upload(request: Request) -> Response:
    """Files from the form of the page. It stands beside the door of the other pages, because files are larger than any
    form there may be; session, form token and role are asked for all the same."""
    services = request.app.state.services
    session = await sessions.find(services, request) if sessions.from_here(request, services) else None
    if session is None:
        return RedirectResponse(f"/dashboard/sign-in?next={PLACE}", 303)
    if not session.may("admin"):
        return RedirectResponse(PLACE, 303)
    limited = Request(request.scope, bounded(request.receive, LARGEST_UPLOAD_BYTES))
    async with limited.form(max_files=MOST_FILES, max_fields=MOST_FIELDS) as form:
        if not sessions.same_token(str(form.get("csrf", "")), session.csrf):
            return RedirectResponse(PLACE, 303)
        mailbox_id = as_id(str(form.get("mailbox", "")))
        if mailbox_id not in session.who.mailboxes:
            raise ApiError(404, "not_found", "")
        kind = str(form.get("type", ""))
        sent = [file for file in form.getlist("files") if not isinstance(file, str)]
        files = [(file.filename or "", await file.read()) for file in sent]
    await _begin(request, session.who, mailbox_id, kind if kind in TYPES else "faq", files)
    return RedirectResponse(f"{PLACE}?mailbox={mailbox_id}", 303)


async def _begin(request: Request, who: Principal, mailbox_id: UUID, kind: str, files: list[tuple[str, bytes]]) -> None:
    try:
        for name, content in files:
            if name:
                await desk_of(request).begin(mailbox_id, file_name(name), content, ImportOrder(kind, who.actor))
    except TooBusy:
        return
