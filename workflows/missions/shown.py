"""What a person sees of a mission in the Temporal Web UI: the state as details, the stage where people search (P31)."""

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from temporalio.common import SearchAttributeKey

    from contracts import search_attributes as names
    from contracts.missions import CLOSED, MissionStatus
    from domain.missions.state import MissionState

STAGE = SearchAttributeKey.for_keyword(names.STAGE)


def announce(state: MissionState) -> None:
    """Details always; the search attribute only at a gate and at the end."""
    workflow.set_current_details(_details(state))
    if state.status not in {MissionStatus.OWNER_GATE, *CLOSED}:
        return
    if workflow.info().typed_search_attributes.get(STAGE) != str(state.status):
        workflow.upsert_search_attributes([STAGE.value_set(str(state.status))])


def _details(state: MissionState) -> str:
    lines = [f"**{state.status}**, turn {state.book.current_no}"]
    lines += [f"{child.task_key}: {child.state}" for child in state.tasks.children]
    lines += [f"gate {gate.gate_id}: {gate.reason} ({gate.state})" for gate in state.gates.gates[-3:]]
    lines += [f"waits: {state.wait_reason}"] if state.wait_reason else []
    return "  \n".join(lines)
