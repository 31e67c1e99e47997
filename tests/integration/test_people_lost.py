"""`deskhand access`: ways back in for whoever has the settings of the installation, when a secret is lost."""

import hashlib
import re
from pathlib import Path

import pytest
from argon2 import PasswordHasher

from adapters.sealing import unseal
from cli.stack.state import StateDir
from domain.keys import Keyring
from tests.integration.cli_house import KEY, House, new_house

LINK = re.compile(r"^http://127\.0\.0\.1:\d+/dashboard/invitation/([\w-]{40,})$", re.MULTILINE)


@pytest.fixture
def house(database_url: str, owner_database_url: str, tmp_path: Path) -> House:
    """An installation whose state folder has the secrets of the first start."""
    made = new_house(database_url, owner_database_url, tmp_path / "state")
    state = StateDir(tmp_path / "state")
    state.create()
    state.webhook_secrets_file.write_text(
        f"# kept\nDESKHAND_API_TOKEN={made.login.api_token}\nDESKHAND_RAW_SECRET={made.login.raw_secret}\n"
    )
    return made


def kept(house: House) -> dict[str, str]:
    """What the secrets file says now."""
    lines = Path(house.environment["DESKHAND_STATE_DIR"], "secrets.env").read_text().splitlines()
    assert lines[0] == "# kept"
    return dict(line.split("=", 1) for line in lines if "=" in line)


def hashed(text: str) -> str:
    """How links and tokens are kept."""
    return hashlib.sha256(text.encode()).hexdigest()


def open_secrets(house: House, source: str) -> list[str]:
    """The secrets that the door takes for a source, newest first."""
    rows = house.sql(
        "SELECT sealed FROM webhook_secrets WHERE source = $1 AND retired_at IS NULL ORDER BY created_at DESC", source
    )
    return [unseal(Keyring(KEY), bytes(row["sealed"])) for row in rows]


def test_a_link_for_the_administrator_or_for_somebody(house: House) -> None:  # HU7
    """One line to open; only its hash is kept, the link before it is void, and no password is touched."""
    house.sql("UPDATE users SET password_hash = $1", PasswordHasher(1, 1024, 1).hash("old words of mine"))
    before = house.sql("SELECT password_hash FROM users")
    first, second = (LINK.search(house.deskhand("access", "link").output) for _ in range(2))
    assert first and second
    rows = {row["token_hash"]: row["voided_at"] for row in house.sql("SELECT * FROM password_links")}
    assert rows[hashed(first[1])] is not None and rows[hashed(second[1])] is None
    house.sql(
        "INSERT INTO users (organisation_id, email, role) SELECT id, 'nora@team.example', 'viewer' FROM organisations"
    )
    assert LINK.search(house.deskhand("access", "link", "Nora@Team.example").output)
    assert house.sql("SELECT password_hash FROM users WHERE role = 'admin'") == before
    actors = house.sql("SELECT DISTINCT actor FROM audit_log WHERE action = 'link_made'")
    assert [row["actor"] for row in actors] == ["deskhand access"]


def test_whoever_is_not_there_or_switched_off_gets_nothing(house: House) -> None:
    """Exit code 1 and a sentence; no link and no token is made."""
    house.sql("UPDATE users SET disabled_at = now()")
    for command in ("link", "token"):
        for person, words in (("nobody@team.example", "Nobody has"), ("admin@localhost", "switched off")):
            result = house.deskhand("access", command, person)
            assert result.exit_code == 1 and words in result.output
    links = house.sql("SELECT count(*) AS n FROM password_links WHERE made_by = 'deskhand access'")
    assert links[0]["n"] == 0 and len(house.sql("SELECT 1 FROM api_tokens")) == 1


def test_a_lost_token_is_replaced_and_kept_where_the_commands_look(house: House) -> None:  # HU8
    """The old one of that name is revoked; the file for `deskhand demo` names the new one."""
    old = house.login.api_token
    assert house.deskhand("access", "token").exit_code == 0
    new = kept(house)["DESKHAND_API_TOKEN"]
    rows = {row["token_hash"]: row for row in house.sql("SELECT * FROM api_tokens")}
    assert rows[hashed(old)]["revoked_at"] is not None and rows[hashed(new)]["revoked_at"] is None
    assert sorted(rows[hashed(new)]["scopes"]) == ["admin", "read", "review"]
    assert kept(house)["DESKHAND_RAW_SECRET"] == house.login.raw_secret


def test_a_lost_webhook_secret_is_replaced_without_closing_the_door(house: House) -> None:  # RC15
    """The old one still works, unless it is told to be retired; there are never more than two."""
    assert house.deskhand("access", "secret", "default").exit_code == 0
    second = kept(house)["DESKHAND_RAW_SECRET"]
    assert second.startswith("whsec_") and open_secrets(house, "default") == [second, house.login.raw_secret]
    assert house.deskhand("access", "secret", "default").exit_code == 0
    third = kept(house)["DESKHAND_RAW_SECRET"]
    assert open_secrets(house, "default") == [third, second]
    assert house.deskhand("access", "secret", "default", "--retire-old").exit_code == 0
    assert open_secrets(house, "default") == [kept(house)["DESKHAND_RAW_SECRET"]]
    mta = house.deskhand("access", "secret", "mta")
    assert f"DESKHAND_MTA_SECRET={open_secrets(house, 'mta')[0]}" in mta.output
    unknown = house.deskhand("access", "secret", "nowhere")
    assert unknown.exit_code == 1 and "there are: default, mta" in unknown.output


def test_without_a_state_folder_it_only_prints(house: House, tmp_path: Path) -> None:
    """On servers of one's own there is no file to change, and none is made."""
    elsewhere = {"DESKHAND_STATE_DIR": str(tmp_path / "none")}
    result = house.deskhand("access", "token", environment=elsewhere)
    assert result.exit_code == 0 and re.search(r"^DESKHAND_API_TOKEN=dh_", result.output, re.MULTILINE)
    assert not (tmp_path / "none").exists()
