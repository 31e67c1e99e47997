"""Ports: read by name, and a message a person can act on when one is taken."""

import socket

import pytest

from cli.stack.faults import PortTaken
from cli.stack.ports import StackPorts, is_free, load_ports, require_free, spare_ports
from contracts.errors import SettingsFault


def test_a_taken_port_is_named_with_its_setting() -> None:
    """The message names port and setting, and shows a call that works."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with pytest.raises(PortTaken, match=rf"port {port} \(API_PORT\).*API_PORT=\d+ make run"):
            require_free({"API_PORT": port})


def test_a_server_on_every_address_counts_as_taken() -> None:
    """A program that listens on 0.0.0.0 holds the loopback port too."""
    with socket.create_server(("0.0.0.0", 0)) as server:
        assert not is_free(server.getsockname()[1])


def test_all_taken_ports_are_told_at_once() -> None:
    """A person changes them in one go."""
    with socket.create_server(("127.0.0.1", 0)) as one, socket.create_server(("127.0.0.1", 0)) as two:
        taken = {"API_PORT": one.getsockname()[1], "POSTGRES_PORT": two.getsockname()[1]}
        with pytest.raises(PortTaken) as caught:
            require_free(taken | {"METRICS_PORT": spare_ports().metrics_port})
    assert "API_PORT" in str(caught.value) and "POSTGRES_PORT" in str(caught.value)
    assert "METRICS_PORT" not in str(caught.value)


def test_one_port_for_two_parts_is_refused() -> None:
    """The second part would fail later with a message nobody understands."""
    port = spare_ports().api_port
    with pytest.raises(PortTaken, match=r"\(API_PORT\).*\(METRICS_PORT\)"):
        require_free({"API_PORT": port, "METRICS_PORT": port})


def test_a_port_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """`API_PORT=9000 make run` is all it takes."""
    monkeypatch.setenv("API_PORT", "9000")
    assert load_ports().named() == StackPorts(_env_file=None).named() | {"API_PORT": 9000}


@pytest.mark.parametrize("value", ["0", "65536", "web"])
def test_a_value_that_is_no_port_is_named(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    """The message names the variable and what was read."""
    monkeypatch.setenv("TEMPORAL_PORT", value)
    with pytest.raises(SettingsFault, match=f"TEMPORAL_PORT='{value}'"):
        load_ports()


def test_spare_ports_differ_and_are_free() -> None:
    """Tests of one run never meet on a port."""
    ports = list(spare_ports().named().values())
    assert len(set(ports)) == len(ports)
    assert all(is_free(port) for port in ports)
