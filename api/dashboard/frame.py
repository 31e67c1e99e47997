"""The frame around every page: the rail with its counts, the accounting line, and what is to be told or can be
undone."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

from starlette.responses import HTMLResponse

from api.dashboard import ledger_line, times
from api.dashboard.rendering import respond
from api.dashboard.visit import Visit


async def show(visit: Visit, name: str, status: int = 200, **values: Any) -> HTMLResponse:
    """A page inside the frame; what was to be told once is told now."""
    line = await ledger_line.read(visit)
    flash, undo = await visit.take_notes()
    now = datetime.now(UTC)
    return respond(
        name, visit.words, status, visit=visit, who=visit.who, csrf=visit.session.csrf, scheme=visit.session.scheme,
        line=line, flash=flash, undo=undo, now=now, when=times.Clock(visit.words, now, line.timezone),
        duration=times.duration, offline=visit.offline, here=visit.here, with_query=lambda **c: with_query(visit, c),
        **values,
    )  # fmt: skip


def with_query(visit: Visit, changes: Mapping[str, Any]) -> str:
    """This page with some of its query changed; an empty value takes one out."""
    query = {**dict(visit.request.query_params), **{k: str(v) if v else "" for k, v in changes.items()}}
    kept = {k: v for k, v in query.items() if v}
    return f"{visit.request.url.path}?{urlencode(kept)}" if kept else visit.request.url.path
