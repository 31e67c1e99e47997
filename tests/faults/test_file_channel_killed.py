"""A channel that recognises its own mail settles the doubt of a lost send by itself: one file, however often tried."""

import pytest

from tests.faults.conftest import Build
from tests.faults.promise import check_promise

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_a_lost_send_into_files_is_proved_and_sent_once(build: Build) -> None:
    """RS-66, OB10: killed before and after the file was written; both are reconciled to `sent`, one file each."""
    house = await build("file")
    await house.start_worker("after_claim", "after_hand_over")
    unsent, written = await house.accept_many(2)
    await house.until_all("draft_ready", 2)
    await house.approve_by_signal(unsent)
    assert await house.held("after_claim") == str(unsent)
    await house.approve_by_signal(written)
    assert await house.held("after_hand_over") == str(written)
    await house.kill(house.worker)
    assert len(list(house.outbox.glob("*.eml"))) == 1
    await house.start_worker()
    await house.until_all("sent", 2)
    ids = {f"{row['id']}.eml" for row in await house.rows("SELECT id FROM outbox")}
    assert {file.name for file in house.outbox.iterdir()} == ids
    await check_promise(house, [unsent, written])
