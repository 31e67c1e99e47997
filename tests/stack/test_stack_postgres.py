"""The embedded Postgres: roles without power, survival of `kill -9`, and a log without mail."""

import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg
import pytest
import pytest_asyncio

from cli.stack.embedded import EmbeddedServices
from cli.stack.faults import StackFault
from cli.stack.ports import StackPorts
from cli.stack.postgres import APP, OWNER, SUPERUSER, Postgres
from cli.stack.state import StateDir

PLANTED = "Kaltenbrunner-Zwiebelmeier"


@pytest_asyncio.fixture
async def postgres(state: StateDir, ports: StackPorts) -> AsyncIterator[Postgres]:
    """A cluster of its own, since these tests kill it."""
    server = Postgres(state, ports.postgres_port, durable=False)
    await server.start()
    yield server
    await server.stop()


async def value(server: Postgres, sql: str, role: str = APP) -> object:
    """One value from the database `deskhand`."""
    connection = await server.connect(role, "deskhand")
    try:
        return await connection.fetchval(sql)
    finally:
        await connection.close()


async def kill(server: Postgres) -> None:
    """`kill -9` of the server process itself."""
    assert server.child.pid is not None
    os.kill(server.child.pid, signal.SIGKILL)
    await server.child.ended()


@pytest.mark.parametrize("role", [APP, OWNER])  # HB1
async def test_our_roles_have_no_power(services: EmbeddedServices, role: str) -> None:
    """Neither role is a superuser, passes row-level security, or makes roles or databases."""
    connection = await services.postgres.connect(SUPERUSER)
    powers = "rolsuper OR rolbypassrls OR rolcreaterole OR rolcreatedb OR rolreplication"
    row = await connection.fetchrow(f"SELECT {powers} AS power, rolcanlogin FROM pg_roles WHERE rolname = $1", role)
    await connection.close()
    assert (row["power"], row["rolcanlogin"]) == (False, True)


async def test_the_app_role_owns_nothing(database_url: str) -> None:  # HB1
    """Row-level security binds it, for an owner would pass it."""
    connection = await asyncpg.connect(database_url)
    owned = await connection.fetchval("SELECT count(*) FROM pg_tables WHERE tableowner = current_user")
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await connection.execute("CREATE TABLE deskhand.mine (x int)")
    await connection.close()
    assert owned == 0


async def test_a_query_without_the_setting_sees_nothing(database_url: str) -> None:  # HB1
    """The second wall holds for the role the product connects as."""
    connection = await asyncpg.connect(database_url)
    async with connection.transaction():
        await connection.execute("SET LOCAL deskhand.mailbox = '*'")
        organisation = await connection.fetchval("INSERT INTO organisations (name) VALUES ('O') RETURNING id")
        mailbox = await connection.fetchval(
            "INSERT INTO mailboxes (organisation_id, address) VALUES ($1, 'a@example.org') RETURNING id", organisation
        )
        await connection.execute("INSERT INTO agent_config (mailbox_id) VALUES ($1)", mailbox)
        assert await connection.fetchval("SELECT count(*) FROM agent_config") == 1
    assert await connection.fetchval("SELECT count(*) FROM agent_config") == 0
    await connection.close()


async def test_a_wrong_password_opens_nothing(services: EmbeddedServices) -> None:
    """The loopback port is no open door for other users of the machine."""
    right = services.postgres.url(APP)
    with pytest.raises(asyncpg.InvalidPasswordError):
        await asyncpg.connect(right.replace(services.state.password(APP), "guess"))


async def test_the_extensions_are_there(services: EmbeddedServices, database_url: str) -> None:
    """Vectors and trigrams work for the app role without any set-up of its own."""
    connection = await asyncpg.connect(database_url)
    distance = await connection.fetchval("SELECT '[1,0]'::vector <-> '[0,0]'::vector")
    alike = await connection.fetchval("SELECT similarity('invoice', 'invoices') > 0.5")
    await connection.close()
    assert (distance, alike) == (1.0, True)


async def test_letters_beyond_ascii_fold(database_url: str) -> None:
    """The locale of the cluster knows Unicode, whatever the machine has installed."""
    connection = await asyncpg.connect(database_url)
    assert await connection.fetchval("SELECT lower('ÄÖÜ ŁÓDŹ')") == "äöü łódź"
    await connection.close()


async def test_what_was_committed_survives_kill_9(postgres: Postgres) -> None:
    """Killed twice under the same data, it comes back by itself each time."""
    await value(postgres, "CREATE TABLE public.kept (x int)", OWNER)
    for round_number in (1, 2):
        await value(postgres, f"INSERT INTO public.kept VALUES ({round_number})", OWNER)
        await kill(postgres)
        await postgres.start()
        assert await value(postgres, "SELECT count(*) FROM public.kept", OWNER) == round_number


async def test_a_pid_file_that_names_a_stranger_blocks_nothing(postgres: Postgres) -> None:
    """After a restart of a container the old number often belongs to another living process."""
    await kill(postgres)
    pid_file = postgres.state.postgres_data / "postmaster.pid"
    lines = pid_file.read_text(encoding="utf-8").splitlines()
    # Our own parent, for Postgres itself forgives a file that names its parent or itself.
    pid_file.write_text("\n".join([str(os.getppid()), *lines[1:]]) + "\n", encoding="utf-8")
    await postgres.start()
    assert await value(postgres, "SELECT 1") == 1


async def test_an_orphaned_server_is_ended_first(postgres: Postgres) -> None:
    """A server that a lost parent left running makes room for the next one."""
    orphan = postgres.child.pid
    second = Postgres(postgres.state, postgres.port)
    await second.start()
    assert second.child.pid != orphan
    assert not postgres.child.is_alive()
    assert await value(second, "SELECT 1") == 1
    await second.stop()


async def test_a_cluster_half_made_is_made_anew(state: StateDir, ports: StackPorts) -> None:
    """A start broken off during initdb leaves nothing that could stop the next."""
    half = state.path / "postgres.new"
    half.mkdir()
    (half / "PG_VERSION").write_text("18\n", encoding="utf-8")
    server = Postgres(state, ports.postgres_port)
    await server.start()
    assert await value(server, "SELECT 1") == 1
    await server.stop()


async def test_lost_secrets_are_told_not_waited_for(postgres: Postgres) -> None:
    """The message names both sides that do not fit."""
    await postgres.stop()
    postgres.state.secrets_file.unlink()
    with pytest.raises(StackFault, match=r"secrets\.json does not fit the data"):
        await postgres.start()


async def test_the_log_holds_no_values_of_statements(postgres: Postgres) -> None:  # HU10
    """Failing statements with mail in them leave no trace of it in the log."""
    connection = await postgres.connect(OWNER, "deskhand")
    await connection.execute("CREATE TABLE public.u (name text PRIMARY KEY); INSERT INTO public.u VALUES ($$x$$)")
    for sql in ("SELECT $1::text::int", "INSERT INTO public.u SELECT $1::text FROM generate_series(1, 2)"):
        with pytest.raises(asyncpg.PostgresError):
            await connection.fetch(sql, PLANTED)
    with pytest.raises(asyncpg.PostgresError):
        await connection.execute(f"SELECT '{PLANTED}'::int")
    await connection.close()
    await postgres.stop()
    log = postgres.state.log("postgres").read_text(encoding="utf-8")
    assert "database system is ready" in log
    assert PLANTED not in log


async def test_it_listens_on_loopback_and_in_its_own_folder_only(services: EmbeddedServices) -> None:
    """No other machine reaches it, and its socket lies where nobody else may enter."""
    connection = await services.postgres.connect(SUPERUSER)
    shown = [await connection.fetchval(f"SHOW {name}") for name in ("listen_addresses", "unix_socket_directories")]
    await connection.close()
    data = services.state.postgres_data
    assert shown == ["127.0.0.1", str(data)]
    assert (data / f".s.PGSQL.{services.postgres.port}").is_socket() and data.stat().st_mode & 0o077 == 0


def test_a_folder_too_deep_for_a_socket_is_reached_by_tcp(tmp_path: Path) -> None:
    """A socket's address holds 103 bytes; a state folder may lie deeper than that."""
    deep = StateDir(tmp_path / ("d" * 120))
    deep.create()
    assert "@127.0.0.1:5/" in Postgres(deep, 5).url(APP)
    deep.unlock()
