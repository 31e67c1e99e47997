"""What a person sees of a run in the Temporal Web UI: the stage as details, and search attributes at four points
(P31)."""

from typing import TYPE_CHECKING

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from temporalio.common import SearchAttributeKey

    from contracts import search_attributes as names
    from contracts.lifecycle import View
    from contracts.status import TERMINAL, Status

if TYPE_CHECKING:
    from workflows.inbound_message import InboundMessageWorkflow

STAGE = SearchAttributeKey.for_keyword(names.STAGE)
THREAD_ID = SearchAttributeKey.for_keyword(names.THREAD_ID)
CATEGORY = SearchAttributeKey.for_keyword(names.CATEGORY)
PRIORITY = SearchAttributeKey.for_keyword(names.PRIORITY)
NEEDS_REVIEW = SearchAttributeKey.for_bool(names.NEEDS_REVIEW)
REVIEW_DUE_AT = SearchAttributeKey.for_datetime(names.REVIEW_DUE_AT)
SHOWN = frozenset({Status.DRAFT_READY, Status.QUARANTINED, Status.FAILED, *TERMINAL})


def announce(story: "InboundMessageWorkflow") -> None:
    """Current details always, search attributes only where the stage is one people look for."""
    view = story.view
    if view is None:
        return
    workflow.set_current_details(_details(view))
    if view.status not in SHOWN or story.announced is view.status:
        return
    story.announced = view.status
    workflow.upsert_search_attributes(_attributes(view))


def _details(view: View) -> str:
    lines = [f"**{view.status}**", f"run {view.run_no}, restart {view.restart_no}"]
    lines += [f"step {view.step}"] if view.step else []
    lines += [f"held: {view.hold_reason}"] if view.hold_reason else []
    lines += [f"{view.category}, {view.priority}"] if view.category else []
    return "  \n".join(lines)


def _attributes(view: View) -> list:  # type: ignore[type-arg]
    needs = view.status in (Status.DRAFT_READY, Status.QUARANTINED, Status.FAILED)
    updates = [
        STAGE.value_set(view.status),
        THREAD_ID.value_set(str(view.thread_id)),
        NEEDS_REVIEW.value_set(needs),
    ]
    if view.category:
        updates += [CATEGORY.value_set(view.category), PRIORITY.value_set(view.priority)]
    if view.review_due_at is not None:
        updates.append(REVIEW_DUE_AT.value_set(view.review_due_at))
    return updates
