"""What people do on the pages. Every form becomes the same request the API takes and goes through the same desk (P97).

A form answers with a redirect and a note: done, or refused with who, when and why, and with the text that was typed.
"""

from collections.abc import Callable, Sequence
from typing import Any
from uuid import UUID

from pydantic import ValidationError
from starlette.responses import RedirectResponse, Response

from api.acts import (
    ApproveBody,
    ArchiveBody,
    Asked,
    EditBody,
    RejectBody,
    ReleaseBody,
    RequestDraftBody,
    ResolveBody,
    RestoreBody,
    RetryBody,
    UndoBody,
    WriteReplyBody,
)
from api.bulk import BulkAnswer, BulkBody, bulk
from api.dashboard.forms import Form, safe_path
from api.dashboard.refusals import why
from api.dashboard.visit import KEPT_FIELDS, Visit
from api.desk import Desk
from api.errors import ApiError, not_found
from api.follow_ups import SettleBody
from api.follow_ups import UndoBody as UndoReplyBody
from api.follow_ups import resolve_delivery as settle_reply
from api.follow_ups import undo_send as undo_reply
from api.messages import RevisionBody, save
from api.threads import WriteBody, write_reply

Fields = dict[str, Any]


def _approval(form: Form) -> Fields:
    return {
        "seen_message_id": form.get("seen_message_id"),
        "recipients_hash": form.get("recipients_hash") or None,
        "confirmed_findings": form.all("confirm"),
        "reason": form.get("reason") or None,
        "resolve": form.get("resolve") == "yes",
    }


def _edit(form: Form) -> Fields:
    return {**_approval(form), "base_revision": form.get("base_revision") or None, "text": form.get("text")}


MAKERS: dict[str, tuple[type[Asked], Callable[[Form], Fields]]] = {
    "approve": (ApproveBody, lambda f: {**_approval(f), "revision": f.get("revision")}),
    "edit_and_approve": (EditBody, _edit),
    "reject": (RejectBody, lambda f: {"note": f.get("note") or None}),
    "release_quarantine": (ReleaseBody, lambda f: {}),
    "retry": (RetryBody, lambda f: {"from": f.get("from") or "failed_step"}),
    "restore": (RestoreBody, lambda f: {}),
    "undo_send": (UndoBody, lambda f: {}),
    "request_draft": (RequestDraftBody, lambda f: {"instructions": f.get("instructions") or None}),
    "write_reply": (WriteReplyBody, lambda f: {"text": f.get("text")}),
    "archive": (ArchiveBody, lambda f: {"block_sender": f.get("block_sender") == "yes"}),
    "resolve_delivery": (ResolveBody, lambda f: {"how": f.get("how")}),
}
APPROVALS = frozenset({"approve", "edit_and_approve"})


async def act(visit: Visit) -> Response:
    """One action on one message."""
    action, message_id = visit.request.path_params["action"], visit.path_id("message_id")
    if action not in MAKERS:
        raise not_found("action")
    body_type, fields = MAKERS[action]

    async def work(desk: Desk) -> None:
        body = body_type(**fields(visit.form), request_id=visit.form.get("request_id") or None)
        await desk.act(message_id, action, body)
        await _remember_undo(visit, [message_id] if action in APPROVALS else None, action)

    offer = {"rule_from": str(message_id)} if action == "reject" else {}
    return await carried_out(visit, action, work, **offer)


async def check(visit: Visit) -> Response:
    """Saves a text without sending it, and shows what the scan of outgoing text finds in it (P98a)."""
    message_id, text = visit.path_id("message_id"), visit.form.get("text")
    try:
        saved = await save(message_id, RevisionBody(text=text), _desk(visit))
    except ApiError as error:
        return await refused(visit, "check", error)
    except ValidationError:
        return await refused(visit, "check", ApiError(422, "invalid", ""))
    await visit.note(
        kind="checked", revision=saved.revision, n=len(saved.findings), fields={"text": text}, action="edit_and_approve"
    )
    return RedirectResponse(safe_path(visit.form.get("stay")), 303)


async def follow_up(visit: Visit) -> Response:
    """A reply on a conversation that holds nothing open (P97a)."""
    thread_id = visit.path_id("thread_id")

    async def work(desk: Desk) -> None:
        request_id = visit.form.get("request_id") or None
        body = WriteBody(
            text=visit.form.get("text"), confirmed_findings=visit.form.all("confirm"), request_id=request_id
        )
        await write_reply(thread_id, body, desk)

    return await carried_out(visit, "follow_up", work)


async def act_on_reply(visit: Visit) -> Response:
    """Undo or settle a reply on a closed conversation."""
    outbox_id, action = visit.path_id("outbox_id"), visit.request.path_params["action"]
    if action not in ("undo_send", "resolve_delivery"):
        raise not_found("action")

    async def work(desk: Desk) -> None:
        request_id = visit.form.get("request_id") or None
        if action == "undo_send":
            await undo_reply(outbox_id, desk, UndoReplyBody(request_id=request_id))
        else:
            how: Any = visit.form.get("how")
            await settle_reply(outbox_id, SettleBody(how=how, request_id=request_id), desk)

    return await carried_out(visit, action, work)


async def carried_out(visit: Visit, action: str, work: Callable[[Desk], Any], **more: str) -> Response:
    """Does it, and leaves a note about how it went, with `more` in it; a refusal stays where it was asked."""
    try:
        await work(_desk(visit))
    except ValidationError:
        return await refused(visit, action, ApiError(422, "invalid", ""))
    except ApiError as error:
        return await refused(visit, action, error)
    await visit.note(kind="done", action=action, **more)
    return visit.back()


async def refused(visit: Visit, action: str, error: ApiError) -> Response:
    """Back to the same place with the reason; what was typed is kept, and the request id where it may be repeated
    (P100)."""
    kept = {name: visit.form.get(name) for name in KEPT_FIELDS if visit.form.get(name)}
    await visit.note(
        kind="refused", action=action, error=error.error, message=_reason(visit, error),
        by=error.extra.get("by_name") or "", at=str(error.extra.get("at") or ""),
        status=error.extra.get("status") or "", fields=kept,
        request_id=visit.form.get("request_id") if error.code == 503 else "",
    )  # fmt: skip
    return RedirectResponse(safe_path(visit.form.get("stay") or visit.form.get("back")), 303)


def _reason(visit: Visit, error: ApiError) -> str:
    """In the language of the page; a sentence of our own is in it already."""
    return error.message if error.extra.get("own") else why(visit.words, error.error, error.message)


async def in_bulk(visit: Visit) -> Response:
    """The same action on up to 50 messages, with one result for each (P118, HU9)."""
    action, picked = visit.form.get("action"), visit.form.all("item")
    request_id = visit.form.get("request_id") or None
    unseen = await _not_looked_at(visit, picked) if action == "approve" else []
    items = [_item(text, action) for text in picked if text not in unseen]
    try:
        body: Any = BulkBody.model_validate({"action": action, "items": items or [{}], "request_id": request_id})
        answer = await bulk(body, _desk(visit))
    except ValidationError:
        key = "refused.unseen" if unseen and not items else "refused.bulk"
        error = ApiError(422, "invalid", visit.words(key, n=len(picked)), own=True)
        return await refused(visit, f"bulk_{action}", error)
    except ApiError as refusal:
        return await refused(visit, f"bulk_{action}", refusal)
    unseen_too = [
        {"id": text.split("|")[0], "result": "skipped", "message": visit.words("bulk.unseen")} for text in unseen
    ]
    await tell_bulk(visit, action, answer, unseen_too)
    return visit.back()


async def tell_bulk(visit: Visit, action: str, answer: BulkAnswer, more: Sequence[Fields] = ()) -> None:
    """How each of them went, to be told on the next page."""
    done = [r.message_id for r in answer.results if r.result == "ok"]
    bad = [
        {"id": str(r.message_id), "result": r.result, "message": why(visit.words, r.result, r.message)}
        for r in answer.results
        if r.result != "ok"
    ]
    await _remember_undo(visit, done if action == "approve" else None, action)
    await visit.note(kind="bulk", action=action, n=len(done), refused=[*bad, *more])


def _item(text: str, action: str) -> Fields:
    """What the page showed of one message when it was picked."""
    message_id, revision, seen, digest = (text.split("|") + ["", "", "", ""])[:4]
    named = {"revision": revision, "seen_message_id": seen, "recipients_hash": digest} if action == "approve" else {}
    return {"message_id": message_id, **{k: v for k, v in named.items() if v}}


async def _not_looked_at(visit: Visit, picked: list[str]) -> list[str]:
    """Drafts whose conversation this person did not open since they changed are not approved by the dozen (HU9)."""
    ids = [UUID(text.split("|")[0]) for text in picked if len(text.split("|")) == 4][:1000]
    async with visit.services.database.transaction(visit.who.mailboxes) as tx:
        looked = {str(row["id"]) for row in await tx.rows("dashboard_looked_at", visit.who.user_id, ids)}
    return [text for text in picked if text.split("|")[0] not in looked]


async def undo_last(visit: Visit) -> Response:
    """Takes back the last approval, or the last batch of them."""
    ids = [UUID(i) for i in (visit.session.undo or {}).get("ids", ())]
    desk, results = _desk(visit), []
    for message_id in ids:
        try:
            await desk.act(message_id, "undo_send", UndoBody())
        except ApiError as error:
            results.append({"id": str(message_id), "result": error.error, "message": error.message})
    await _remember_undo(visit, None, "undo_send")
    await visit.note(kind="bulk", action="undo_send", n=len(ids) - len(results), refused=results)
    return visit.back()


async def _remember_undo(visit: Visit, ids: list[UUID] | None, action: str) -> None:
    """The one thing that Ctrl+Z takes back; other actions leave it alone."""
    if ids is None and action != "undo_send":
        return
    async with visit.services.database.transaction(()) as tx:
        note = {"ids": [str(i) for i in ids]} if ids else None
        await tx.run("dashboard_undo_note", visit.session.id_hash, note)


def _desk(visit: Visit) -> Desk:
    return Desk(visit.services, visit.who, None)
