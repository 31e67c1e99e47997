"""What the first start leaves for the door and the API: sealed secrets, a hashed token, breakers (HU8, RC15, P93)."""

from adapters.sealing import unseal
from cli.stack.first_access import secrets_file_text
from cli.stack.first_start import set_up
from domain.keys import Keyring
from tests.integration.running import BUILD, Running, mail


async def test_token_and_secrets_work_and_are_stored_unreadable(api_only: Running) -> None:  # HU8, RC15
    """Both sources take signed mail, the token reads and decides; the database holds a hash and sealed bytes only."""
    login = api_only.login
    assert (await api_only.deliver(mail())).status_code == 200
    assert (await api_only.get("/api/messages", token=login.api_token)).status_code == 200
    kinds = await api_only.rows("SELECT name, kind FROM sources ORDER BY name")
    assert [tuple(row) for row in kinds] == [("default", "raw"), ("mta", "mta")]
    rows = await api_only.rows("SELECT source, sealed FROM webhook_secrets")
    sealed = {row["source"]: bytes(row["sealed"]) for row in rows}
    assert login.mta_secret.encode() not in sealed["mta"]
    keyring = Keyring(api_only.key)
    assert unseal(keyring, sealed["mta"]) == login.mta_secret and unseal(keyring, sealed["default"]) == login.raw_secret
    token = (await api_only.rows("SELECT token_hash, scopes, expires_at FROM api_tokens"))[0]
    assert login.api_token not in token["token_hash"] and token["expires_at"] is not None
    assert sorted(token["scopes"]) == ["admin", "read", "review"]
    assert login.api_token not in repr(login) and login.mta_secret not in repr(login)


async def test_the_secrets_file_names_all_three(api_only: Running) -> None:
    """The names that the command line looks for."""
    lines = dict(x.split("=", 1) for x in secrets_file_text(api_only.login.access).splitlines() if "=" in x)
    assert lines == {
        "DESKHAND_API_TOKEN": api_only.login.api_token,
        "DESKHAND_MTA_SECRET": api_only.login.mta_secret,
        "DESKHAND_RAW_SECRET": api_only.login.raw_secret,
    }


async def test_every_mailbox_has_its_breakers(api_only: Running) -> None:  # P93, P5
    """Closed, with the numbers of the specification."""
    rows = await api_only.rows(
        "SELECT kind, state, threshold, window_s, min_sample, cool_down_s, probe_limit FROM agent_circuit_breakers "
        "ORDER BY mailbox_id, kind"
    )
    wanted = [
        ("confidence_degradation", "closed", 0.3, 3600, 10, 900, 3),
        ("llm_failure", "closed", 0.2, 900, 10, 900, 3),
        ("rejection_spike", "closed", 0.4, 86400, 5, 900, 3),
    ]
    assert [(*row[:2], float(row[2]), *row[3:]) for row in rows] == wanted * 2


async def test_a_second_start_adds_no_way_in(api_only: Running) -> None:  # A108
    """Neither a source nor a secret nor a token."""
    counts = "SELECT (SELECT count(*) FROM webhook_secrets) * 100 + (SELECT count(*) FROM api_tokens)"
    before = await api_only.value(counts)
    again = await set_up(api_only.database_url, "x@example.org", BUILD, agent_on=True, organisation_key=api_only.key)
    assert again is None and await api_only.value(counts) == before
