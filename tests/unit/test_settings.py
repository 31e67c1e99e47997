"""Settings: where they come from, what they refuse, and that no secret shows in a message or a repr."""

from decimal import Decimal
from pathlib import Path

import pytest

from adapters.settings import DeliveryChannel, Settings, SmtpTls, env_file_path
from contracts.errors import SettingsFault
from contracts.llm import ModelTask

SECRET = "s3cr3t-w0rd"
DATABASE = f"postgresql://app:{SECRET}@127.0.0.1:8301/deskhand"
KEY = "ab" * 32


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No setting of the developer's own shell or state folder leaks in."""
    for name in [*Settings.model_fields, "DESKHAND_ENV_FILE"]:
        monkeypatch.delenv(name.upper(), raising=False)
    monkeypatch.setenv("DESKHAND_STATE_DIR", str(tmp_path / "state"))


def settings(**values: object) -> Settings:
    """Complete settings with some values changed."""
    return Settings(_env_file=None, **{"database_url": DATABASE, "organisation_key": KEY, **values})


def fault(**values: object) -> str:
    """The message with which the values are refused."""
    with pytest.raises(SettingsFault) as caught:
        settings(**values)
    return str(caught.value)


def write_env(path: Path, *lines: str) -> Path:
    """A dotenv file with the required settings and these lines."""
    path.write_text("\n".join([f"DATABASE_URL={DATABASE}", f"ORGANISATION_KEY={KEY}", *lines]), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("own", "task", "model"),
    [
        ({}, ModelTask.CLASSIFY, "gpt-4o-mini"),
        ({}, ModelTask.DRAFT, "gpt-4o"),
        ({"llm_model": "one"}, ModelTask.GUARD, "one"),
        ({"llm_model": "one"}, ModelTask.SUPERVISE, "one"),
        ({"llm_model": "one", "llm_model_fast": "small"}, ModelTask.SUMMARIZE, "small"),
        ({"llm_model": "one", "llm_model_fast": "small"}, ModelTask.DRAFT, "one"),
        ({"llm_model": "one", "llm_model_capable": "big"}, ModelTask.DRAFT, "big"),
        ({"llm_model_capable": "big"}, ModelTask.SELF_CHECK, "gpt-4o-mini"),
        ({"llm_model": "", "llm_model_fast": ""}, ModelTask.EXTRACT, "gpt-4o-mini"),
    ],
)  # P109
def test_a_task_runs_on_the_model_of_its_tier(own: dict[str, str], task: ModelTask, model: str) -> None:
    """Own tier, then LLM_MODEL, then the built-in default; empty counts as unset."""
    assert settings(**own).model_for(task) == model


@pytest.mark.parametrize(
    ("value", "is_off", "is_local"), [("", False, True), ("off", True, False), ("embed-3", False, False)]
)  # P109, P38
def test_embeddings_are_local_remote_or_off(value: str, is_off: bool, is_local: bool) -> None:
    """Unset means the offline embedder, `off` none at all, anything else a model of the endpoint."""
    chosen = settings(llm_embedding_model=value)
    assert (chosen.embeddings_off(), chosen.embeddings_are_local()) == (is_off, is_local)


def test_the_environment_wins_over_the_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """One dotenv file gives the ground, a variable of the environment the last word."""
    monkeypatch.setenv("DESKHAND_ENV_FILE", str(write_env(tmp_path / "d.env", "API_PORT=9001", "SMTP_HOST=relay")))
    monkeypatch.setenv("API_PORT", "9002")
    read = Settings()
    assert (read.api_port, read.smtp_host) == (9002, "relay")


def test_an_empty_variable_counts_as_unset(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:  # P109
    """`LLM_API_KEY=` in the environment does not hide the key of the file, nor does an empty line of the file count."""
    lines = ("LLM_API_KEY=from-file", "API_PORT=", "DELIVERY_CHANNEL=")
    monkeypatch.setenv("DESKHAND_ENV_FILE", str(write_env(tmp_path / "d.env", *lines)))
    monkeypatch.setenv("LLM_API_KEY", "")
    read = Settings()
    assert read.llm_api_key.get_secret_value() == "from-file"
    assert (read.api_port, read.delivery_channel) == (8300, DeliveryChannel.FILE)


def test_the_state_folder_holds_the_file_unless_another_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The embedded stack and every other command read the same file without being told."""
    assert env_file_path() == tmp_path / "state" / "deskhand.env"
    monkeypatch.setenv("DESKHAND_ENV_FILE", str(tmp_path / "other.env"))
    assert env_file_path() == tmp_path / "other.env"


def test_a_named_file_must_exist(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A typing error in DESKHAND_ENV_FILE is not silently a start without settings."""
    monkeypatch.setenv("DESKHAND_ENV_FILE", str(tmp_path / "typo.env"))
    with pytest.raises(SettingsFault, match=r"DESKHAND_ENV_FILE: .*typo\.env"):
        Settings()


def test_a_file_that_is_no_text_is_refused_by_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A binary file ends in a message, not in a traceback."""
    (tmp_path / "d.env").write_bytes(b"API_PORT=\xff\xfe\x00")
    monkeypatch.setenv("DESKHAND_ENV_FILE", str(tmp_path / "d.env"))
    with pytest.raises(SettingsFault, match=r"d\.env: the file cannot be read"):
        Settings()


def test_lines_for_others_in_the_file_are_left_alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """docker-compose keeps its own variables in the same file."""
    monkeypatch.setenv("DESKHAND_ENV_FILE", str(write_env(tmp_path / "d.env", "COMPOSE_PROFILES=full")))
    assert Settings().api_port == 8300


@pytest.mark.parametrize("name", ["DATABASE_URL", "ORGANISATION_KEY"])
def test_a_missing_required_setting_is_named(name: str) -> None:
    """What has no sensible default is asked for by name."""
    given = {"database_url": DATABASE, "organisation_key": KEY}
    del given[name.lower()]
    with pytest.raises(SettingsFault, match=f"^{name}: nothing was read"):
        Settings(_env_file=None, **given)


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("API_PORT", "99999", "1 to 65535"),
        ("METRICS_PORT", "web", "1 to 65535"),
        ("DELIVERY_CHANNEL", "pigeon", "file, smtp or resend"),
        ("SMTP_TLS", "yes", "none, starttls or implicit"),
        ("TEMPORAL_ADDRESS", "localhost", "HOST:PORT"),
        ("TEMPORAL_ADDRESS", "localhost:0", "HOST:PORT"),
        ("TEMPORAL_NAMESPACE", "a b", "namespace"),
        ("LLM_BASE_URL", "api.example.org/v1", "http(s)://"),
        ("LLM_BASE_URL", "ftp://api.example.org", "http(s)://"),
        ("PUBLIC_URL", "http://", "http(s)://"),
        ("DESKHAND_OFFLINE_MODEL", "perhaps", "true or false"),
        ("DEFAULT_MAILBOX_ADDRESS", "support", "mail address"),
        ("BUILD_ID", "a build", "100 letters"),
        ("LLM_PRICES", "{", "JSON such as"),
        ("LLM_PRICES", '{"m": {"per_call": 1}}', "JSON such as"),
        ("LLM_PRICES", '{"m": {"in": -1}}', "JSON such as"),
    ],
)
def test_a_wrong_value_is_named_shown_and_what_is_allowed_told(name: str, value: str, allowed: str) -> None:
    """The message holds the variable, what was read and what it may be."""
    message = fault(**{name.lower(): value})
    assert message.startswith(name)
    assert allowed in message
    assert "read " in message


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("database_url", f"mysql://app:{SECRET}@host/db"),
        ("database_url", f"postgresql://app:{SECRET}@/db"),
        ("database_url", f"postgresql://app:{SECRET}@host"),
        ("database_owner_url", f"{SECRET}"),
        ("organisation_key", SECRET),
        ("organisation_key", "ab" * 31),
        ("llm_base_url", f"https://user:{SECRET}@api.example.org"),
        ("public_url", f"https://{SECRET}@desk.example.org"),
    ],
)
def test_a_refusal_never_shows_a_secret(name: str, value: str) -> None:
    """Passwords and keys stay out of the message, also when they are what is wrong."""
    message = fault(**{name: value})
    assert name.upper() in message
    assert SECRET not in message and "ab" * 31 not in message


def test_the_repr_never_shows_a_secret() -> None:
    """Settings may end up in a log."""
    shown = repr(
        settings(database_owner_url=DATABASE, llm_api_key=SECRET, smtp_password=SECRET, resend_api_key=SECRET)
    )
    assert SECRET not in shown and KEY not in shown


@pytest.mark.parametrize(
    ("channel", "missing"), [("smtp", "SMTP_HOST"), ("resend", "RESEND_API_KEY")]
)
def test_a_channel_asks_for_what_it_needs(channel: str, missing: str) -> None:
    """A channel that cannot work stops the start, not the first reply."""
    assert fault(delivery_channel=channel).startswith(missing)


def test_a_complete_smtp_channel_is_read() -> None:
    """All parts of the relay arrive typed."""
    read = settings(delivery_channel="smtp", smtp_host="relay.example.org", smtp_port="465", smtp_tls="implicit")
    assert (read.smtp_host, read.smtp_port, read.smtp_tls) == ("relay.example.org", 465, SmtpTls.IMPLICIT)


def test_prices_are_exact_decimals(monkeypatch: pytest.MonkeyPatch) -> None:  # P110
    """Prices come as JSON in one variable and lose no digit to floating point."""
    monkeypatch.setenv("LLM_PRICES", '{"small": {"in": 0.15, "out": 0.6}, "big": {"in": 2.5}}')
    prices = settings().llm_prices
    assert prices["small"] == {"in": Decimal("0.15"), "out": Decimal("0.6")}
    assert prices["big"]["in"] == Decimal("2.5")


def test_all_faults_are_told_at_once() -> None:
    """A person corrects the file once, not once per start."""
    message = fault(api_port=0, smtp_port=70_000, delivery_channel="pigeon")
    assert [line.split(":")[0] for line in message.splitlines()] == ["API_PORT", "DELIVERY_CHANNEL", "SMTP_PORT"]


def test_the_dashboard_address_follows_the_public_one() -> None:
    """Links in mails and pages point where people can reach the dashboard."""
    assert settings().dashboard_base_url() == "http://127.0.0.1:8300"
    assert settings(public_url="https://desk.example.org/").dashboard_base_url() == "https://desk.example.org"


def test_the_organisation_key_is_at_least_32_bytes() -> None:
    """The HMAC master key comes out as bytes of full length."""
    assert settings().organisation_key_bytes() == bytes.fromhex(KEY)
