"""A text a person wrote is scanned when it is saved: its findings can be seen and confirmed before sending (P98a)."""

from activities.lifecycle import results
from activities.lifecycle.work import Work
from activities.steps.draft import findings_in


async def add_person_text(work: Work, author: str, text: str) -> int:
    """The next revision with what the scan of outgoing text finds in it."""
    revision = await results.add_revision(work, author, text)
    message = {**work.message, "mailbox_address": work.config["mailbox_address"]}
    for finding in findings_in(message, text):
        await results.add_finding(work, revision, finding)
    return revision
