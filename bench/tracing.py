"""What each mail left behind in Postgres and in Temporal, counted, so that "exactly once" is a matter of numbers."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from bench.house import House

ROWS = """
SELECT btrim(a.rfc_message_id, '<>') AS mail, a.message_id::text AS message_id,
    (SELECT count(*) FROM lifecycle_events e WHERE e.message_id = a.message_id AND e.accepted
        AND e.from_status = '' AND e.to_status = 'received') AS entries,
    (SELECT count(*) FROM lifecycle_events e WHERE e.message_id = a.message_id AND e.accepted
        AND e.to_status = 'draft_ready') AS drafts
FROM accepted_mail a WHERE btrim(a.rfc_message_id, '<>') = ANY ($1)
"""
MESSAGES = "WorkflowType = 'InboundMessageWorkflow'"
VISIBLE_TRIES = 30


@dataclass(frozen=True)
class Trace:
    """How often one mail is there: as accepted mail, as workflow, as entry event E1 and as `draft_ready` event."""

    accepted: int = 0
    workflows: int = 0
    entries: int = 0
    drafts: int = 0

    def counts(self) -> tuple[int, ...]:
        """All four."""
        return self.accepted, self.workflows, self.entries, self.drafts

    @property
    def is_missing(self) -> bool:
        """Whether it is nowhere to be found in one of the four places."""
        return 0 in self.counts()

    @property
    def is_doubled(self) -> bool:
        """Whether it is in one of the four places more than once."""
        return max(self.counts()) > 1

    def words(self) -> str:
        """The four counts, for a report."""
        return "accepted {}, workflows {}, entered {}, draft_ready {}".format(*self.counts())


async def traces_of(house: House, mails: Sequence[str]) -> dict[str, Trace]:
    """The trace of each Message-ID that left any."""
    rows = await house.sql.fetch(ROWS, list(mails))
    workflows = await _workflows(house, len(rows))
    found: dict[str, Trace] = {}
    for row in rows:
        so_far = found.get(row["mail"], Trace())
        found[row["mail"]] = Trace(
            accepted=so_far.accepted + 1,
            workflows=so_far.workflows + workflows[row["message_id"]],
            entries=so_far.entries + row["entries"],
            drafts=so_far.drafts + row["drafts"],
        )
    return found


async def _workflows(house: House, expected: int) -> Counter[str]:
    """Executions per message id. Visibility may lag, so it is asked again until it shows as many as are expected."""
    for _ in range(VISIBLE_TRIES):
        found: Counter[str] = Counter()
        async for execution in house.client.list_workflows(MESSAGES):
            found[execution.id.split("/")[1]] += 1
        if found.total() >= expected:
            break
        await asyncio.sleep(1)
    return found
