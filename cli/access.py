"""Where the API of a stack is and with which secrets to speak to it: the environment first, then the state folder."""

import ipaddress
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

import httpx2
from dotenv import dotenv_values

from cli.stack.ports import LOOPBACK, load_ports
from cli.stack.state import StateDir, default_state
from contracts.errors import DeskhandError, SettingsFault

API_TOKEN: Final = "DESKHAND_API_TOKEN"
RAW_SECRET: Final = "DESKHAND_RAW_SECRET"
URL: Final = "DESKHAND_URL"
ANY_ADDRESS: Final = frozenset({"", "0.0.0.0", "::"})
TIMEOUT: Final = httpx2.Timeout(60, connect=5)


class NotThere(DeskhandError):
    """Nothing answers where the API should be; the message says how to start it."""


@dataclass(frozen=True)
class Access:
    """A base URL and what the state folder and the environment know; secrets stay out of the repr."""

    url: str
    values: Mapping[str, str]

    def __repr__(self) -> str:
        return f"Access({self.url!r})"

    def secret(self, name: str, given: str | None = None) -> str:
        """A secret by its name; SettingsFault says where it was looked for."""
        found = given or self.values.get(name)
        if not found:
            raise SettingsFault(
                f"{name}: nothing was read. `make run` writes it to {default_state().webhook_secrets_file} at first "
                "start; for another machine set the variable."
            )
        return found

    def client(self, headers: Mapping[str, str] | None = None) -> httpx2.AsyncClient:
        """An HTTP client for this address; no proxy stands between us and our own machine."""
        return httpx2.AsyncClient(
            base_url=self.url, headers=dict(headers or {}), timeout=TIMEOUT, trust_env=not _is_loopback(self.url)
        )

    def not_there(self) -> NotThere:
        """The fault to raise when nothing answers."""
        return NotThere(f"Nothing answers at {self.url}. Start Deskhand with `make run` and leave it running.")


def find_access(url: str | None = None, state: StateDir | None = None) -> Access:
    """The API at `url`, else at DESKHAND_URL, else on this machine."""
    state = state or default_state()
    kept = dotenv_values(state.webhook_secrets_file, interpolate=False)
    # Empty counts as unset, as everywhere in the settings.
    values = {name: value for each in (state.environment(), kept, os.environ) for name, value in each.items() if value}
    base = url or values.get(URL) or _local_url(state, values.get("API_HOST", ""))
    return Access(_checked(base), values)


def _local_url(state: StateDir, host: str) -> str:
    shown = LOOPBACK if host in ANY_ADDRESS else f"[{host}]" if ":" in host else host
    return f"http://{shown}:{load_ports(state.env_file).api_port}"


def _checked(url: str) -> str:
    try:
        parts = urlsplit(url)
        sound = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        sound = False
    if not sound:
        raise SettingsFault(f"{URL}: read {url!r}, but this is no http(s) address.")
    return url.rstrip("/")


def _is_loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
