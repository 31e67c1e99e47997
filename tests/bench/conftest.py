"""A database as the first start leaves it and an instant model endpoint: what the other ways of our work stand on."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio

from bench.house import open_pool
from bench.variants import Ground
from cli.stack.first_start import set_up
from cli.stack.state import StateDir
from tests.peers.model_peer import ModelPeer


@pytest_asyncio.fixture
async def ground(database_url: str, owner_database_url: str, tmp_path: Path) -> AsyncIterator[Ground]:
    """A fresh database with one mailbox, the agent on, and a model that answers at once."""
    await set_up(database_url, "support@example.org", "bench-test", agent_on=True)
    state = StateDir(tmp_path / "state")
    state.create()
    async with ModelPeer(keep_calls=False) as peer:
        sql = await open_pool(owner_database_url, "deskhand", 2)
        yield Ground(owner_database_url, sql, peer.base_url, state)
        await sql.close()
