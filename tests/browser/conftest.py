"""Fixtures of tests that look at the pages: a running Deskhand, and visitors with or without a browser."""

from collections.abc import AsyncIterator

import pytest_asyncio
from playwright.async_api import expect

from tests.browser.chromium import chromium_of_tests
from tests.browser.visitors import Visitors
from tests.integration.conftest import api_only, pipeline, run_deskhand
from tests.integration.running import Running

# A machine shared with others answers when it can.
expect.set_options(timeout=20_000)

__all__ = ["api_only", "pipeline", "run_deskhand"]


@pytest_asyncio.fixture
async def visitors(pipeline: Running) -> AsyncIterator[Visitors]:  # noqa: F811 - the fixture imported above
    """Browsers of people of the running Deskhand."""
    async with chromium_of_tests() as browser:
        yield Visitors(pipeline, browser)
