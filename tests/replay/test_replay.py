"""Recorded runs against today's workflows: what was begun by an older build must go on under this one (P23, A9).

`python -m tests.replay.record` makes the recordings.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from temporalio.client import WorkflowHistory
from temporalio.contrib.pydantic import pydantic_data_converter
from temporalio.worker import Replayer

from tests.replay.history_texts import texts_in
from tests.replay.record import HISTORIES
from tests.replay.stories import PLANTED, WHERE
from tests.sandbox import sandboxed
from workflows.inbound_message import InboundMessageWorkflow
from workflows.reply import ReplyWorkflow
from workflows.schedules import SweepWorkflow

FILES = sorted(HISTORIES.glob("*.json"))
MOST_BYTES = 120_000
# What a history must hold to be the run it is named after.
SIGNS = {
    "automatic": ["automatic", "archived"],
    "coalesced_newer": ["coalescing", "sent"],
    "coalesced_older": ["wake", "archived"],
    "doubtful": ["reconcile", "ambiguous", "resolve_delivery"],
    "edited": ["edit_and_approve", "approved", "sent"],
    "followed_up": ["replyworkflow", "place", "sent"],
    "plain": ["draft_ready", "approve", "deliver", "sent"],
    "poisoned": ["parser_error", "parse_again", "sent"],
    "quarantined": ["quarantined", "release_quarantine", "sent"],
    "rejected": ["reject", "note_id", "rejected"],
    "requested": ["request_draft", "instructions_id", "reassign", "archive"],
    "restored": ["restore", "run/2", "archived"],
    "retried": ["badapikey", "failed", "retry", "sent"],
    "signalled": ["signalled-1", "approved", "sent"],
    "slowly_parsed": ["parse (slow)", "timeout_type_start_to_close", "sent"],
    "swept": ["sweepworkflow"],
    "switched_off": ["wake", "kill_switch", "approved", "sent"],
    "undone": ["undo_send", "write_reply", "sent"],
}


def history_of(file: Path) -> tuple[WorkflowHistory, dict[str, Any]]:
    """A recording as the replayer wants it, and as JSON."""
    kept: dict[str, Any] = json.loads(file.read_text())
    workflow_id = kept.pop("workflow_id")
    return WorkflowHistory.from_json(workflow_id, kept), kept


def replayer() -> Replayer:
    """Today's workflows in today's sandbox."""
    return Replayer(
        workflows=[InboundMessageWorkflow, ReplyWorkflow, SweepWorkflow],
        workflow_runner=sandboxed(),
        data_converter=pydantic_data_converter,
    )


def test_every_story_is_recorded() -> None:
    """Each recording is there, and none that nobody knows."""
    assert {file.stem for file in FILES} == set(SIGNS)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
async def test_a_recorded_run_replays(file: Path) -> None:
    """Today's code takes every decision of the run again, in its order; one that does not would strand open runs."""
    await replayer().replay_workflow(history_of(file)[0])


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_recorded_run_is_what_it_is_named_after(file: Path) -> None:
    """A recording that missed its point would pin nothing."""
    texts = texts_in(history_of(file)[1])
    assert [sign for sign in SIGNS[file.stem] if sign not in texts] == []


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_no_word_of_mail_draft_or_note_is_in_a_history(file: Path) -> None:
    """A9, P23, HM-38: sender, subject, body, draft, edit, note, instructions and provider's words stay in Postgres."""
    texts = texts_in(history_of(file)[1])
    assert [word for word in (*PLANTED, WHERE, "quilla ", "@") if word in texts] == []


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_recording_is_small_and_names_no_machine(file: Path) -> None:
    """What is committed holds no identity of a worker, no host and no path."""
    text = file.read_text()
    assert len(text) < MOST_BYTES
    assert [word for word in ('"identity"', "/home", "/tmp", "/work", "localhost", "127.0.0.1") if word in text] == []
