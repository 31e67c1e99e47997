"""The HTTP clients below `openai`: one request per call, no retry, no redirect, no address or key from elsewhere."""

import ipaddress

import httpx2
from openai import AsyncOpenAI

from adapters.llm.tasks import Endpoint
from contracts.errors import BadApiKey

_CONNECT_S = 10.0


class Clients:
    """The open clients, one per endpoint, opened at the first call."""

    def __init__(self) -> None:
        self._open: dict[Endpoint, AsyncOpenAI] = {}

    def of(self, endpoint: Endpoint) -> AsyncOpenAI:
        """The client of an endpoint. Raises BadApiKey if no endpoint is configured at all."""
        if not endpoint.configured:
            raise BadApiKey("No model endpoint is configured: set LLM_BASE_URL, LLM_API_KEY or both.")
        if endpoint not in self._open:
            self._open[endpoint] = _open_client(endpoint)
        return self._open[endpoint]

    async def close(self) -> None:
        """Close all connections."""
        while self._open:
            await self._open.popitem()[1].close()


def _open_client(endpoint: Endpoint) -> AsyncOpenAI:
    """A client for one endpoint. A redirect would carry mail text to a host nobody configured, so none is followed."""
    http = httpx2.AsyncClient(
        timeout=httpx2.Timeout(None, connect=_CONNECT_S),
        limits=httpx2.Limits(max_connections=100, max_keepalive_connections=20),
        follow_redirects=False,
        trust_env=not _is_loopback(endpoint.base_url),
    )
    client = AsyncOpenAI(api_key=endpoint.api_key, base_url=endpoint.base_url, max_retries=0, http_client=http)
    client.organization = client.project = client.admin_api_key = None
    return client


def _is_loopback(base_url: str) -> bool:
    """A proxy named by the environment must not stand between us and our own machine."""
    try:
        host = httpx2.URL(base_url).host
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except (ValueError, httpx2.InvalidURL):
        return False
