"""The loopback ports of the embedded stack: one block by default, each with a setting of its own."""

import random
import socket

from pydantic import Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from cli.stack.faults import PortTaken
from contracts.errors import SettingsFault

LOOPBACK = "127.0.0.1"
# Below the range from which systems hand out ports for outgoing connections, so that none is lost to one.
TEST_PORTS = range(20_000, 32_000)


class StackPorts(BaseSettings):
    """One port per part; each is read from the variable of the same name in capitals (`API_PORT=9000`)."""

    model_config = SettingsConfigDict(frozen=True, extra="ignore", env_ignore_empty=True)

    api_port: int = Field(default=8300, ge=1, le=65535)
    postgres_port: int = Field(default=8301, ge=1, le=65535)
    temporal_port: int = Field(default=8302, ge=1, le=65535)
    temporal_ui_port: int = Field(default=8303, ge=1, le=65535)
    offline_port: int = Field(default=8304, ge=1, le=65535)
    metrics_port: int = Field(default=8305, ge=1, le=65535)

    def named(self) -> dict[str, int]:
        """The ports by the name of their setting."""
        return {name.upper(): port for name, port in self}


def load_ports(env_file: object = None) -> StackPorts:
    """Read the ports from the environment over a dotenv file; SettingsFault names the variable at fault."""
    try:
        return StackPorts(_env_file=env_file)  # type: ignore[call-arg, arg-type]
    except ValidationError as error:
        names = ", ".join(f"{str(fault['loc'][0]).upper()}={fault['input']!r}" for fault in error.errors())
        raise SettingsFault(f"{names}: allowed is a port from 1 to 65535.") from None


def is_free(port: int) -> bool:
    """Whether a server could listen on the loopback port now."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return False
    return True


def require_free(ports: dict[str, int]) -> None:
    """Raise PortTaken naming every port that is in use, or wanted twice, and its setting."""
    twice = {name: port for name, port in ports.items() if list(ports.values()).count(port) > 1}
    if twice:
        raise PortTaken(f"One port for two parts: {_listed(twice)}. Give each its own.")
    taken = {name: port for name, port in ports.items() if not is_free(port)}
    if taken:
        raise PortTaken(f"In use by another program: {_listed(taken)}. {_advice(taken)}")


def _listed(ports: dict[str, int]) -> str:
    return ", ".join(f"port {port} ({name})" for name, port in ports.items())


def _advice(taken: dict[str, int]) -> str:
    example = " ".join(f"{name}={port + 1000 if port < 64000 else port - 1000}" for name, port in taken.items())
    return f"Stop that program or choose other ports, for example `{example} make run`."


def spare_ports() -> StackPorts:
    """Random free ports for tests, one for each part."""
    candidates = (port for port in random.sample(TEST_PORTS, len(TEST_PORTS)) if is_free(port))
    return StackPorts(_env_file=None, **{name: next(candidates) for name in StackPorts.model_fields})  # type: ignore
