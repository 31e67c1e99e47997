"""Every setting of Deskhand in one place, read from the environment over one dotenv file.

The embedded stack and docker-compose share the file format. A wrong value stops the program at start with a message
that names the variable, what was read and what is allowed; secrets are never part of a message or a repr.
"""

import json
import os
import re
from decimal import Decimal
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Final, Literal
from urllib.parse import parse_qs, urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr, ValidationError
from pydantic_settings import NoDecode, SettingsConfigDict

from adapters.llm.tasks import OFF, model_for
from adapters.oidc_settings import OidcSettings
from adapters.retention_settings import RetentionSettings
from contracts.errors import SettingsFault
from contracts.llm import ModelTask

PROJECT_ROOT: Final = Path(__file__).resolve().parent.parent
ORGANISATION_KEY_BYTES: Final = 32
USER_INFO: Final = re.compile(r"//[^/@\s]*@")


class DeliveryChannel(StrEnum):
    """How replies leave: into files (the safe default), over SMTP, or through the Resend API."""

    FILE = "file"
    SMTP = "smtp"
    RESEND = "resend"


class SmtpTls(StrEnum):
    """Encryption of the SMTP line: none (loopback only), STARTTLS (RFC 3207) or implicit TLS (RFC 8314)."""

    NONE = "none"
    STARTTLS = "starttls"
    IMPLICIT = "implicit"


def state_path() -> Path:
    """The folder for what is kept between two starts: `DESKHAND_STATE_DIR`, else `.deskhand` beside the code."""
    return Path(os.environ.get("DESKHAND_STATE_DIR") or PROJECT_ROOT / ".deskhand").absolute()


def env_file_path() -> Path:
    """The dotenv file in force: `DESKHAND_ENV_FILE`, else `deskhand.env` in the state folder."""
    return Path(os.environ.get("DESKHAND_ENV_FILE") or state_path() / "deskhand.env").absolute()


def _postgres_url(secret: SecretStr) -> SecretStr:
    parts = urlsplit(secret.get_secret_value())
    somewhere = parts.hostname or parse_qs(parts.query).get("host")
    if parts.scheme not in ("postgresql", "postgres") or not somewhere or parts.path in ("", "/"):
        raise ValueError("this is no Postgres address")
    return secret


def _web_url(value: str) -> str:
    parts = urlsplit(value)
    if value and (parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.port == 0):
        raise ValueError("this is no web address without credentials")
    return value.rstrip("/")


def _organisation_key(secret: SecretStr) -> SecretStr:
    if len(bytes.fromhex(secret.get_secret_value())) < ORGANISATION_KEY_BYTES:
        raise ValueError("the key is too short")
    return secret


def _mail_address(value: str) -> str:
    local, at, domain = value.rpartition("@")
    if not (local and at and domain) or any(character.isspace() for character in value):
        raise ValueError("this is no mail address")
    return value


def _host_and_port(value: str) -> str:
    host, colon, port = value.rpartition(":")
    if not (host and colon and port.isascii() and port.isdigit() and 0 < int(port) < 65536):
        raise ValueError("this is no HOST:PORT")
    return value


def _prices(value: Any) -> Any:
    try:
        return json.loads(value, parse_float=Decimal) if isinstance(value, str) else value
    except ValueError:
        raise ValueError("this is no JSON") from None


PostgresUrl = Annotated[SecretStr, AfterValidator(_postgres_url)]
WebUrl = Annotated[str, AfterValidator(_web_url)]
Port = Annotated[int, Field(ge=1, le=65535)]
Usd = Annotated[Decimal, Field(ge=0, allow_inf_nan=False)]
Prices = Annotated[dict[str, dict[Literal["in", "out"], Usd]], NoDecode, BeforeValidator(_prices)]


class Settings(OidcSettings, RetentionSettings):
    """All settings; each field is read from the variable of the same name in capitals, and empty counts as unset.

    Raises SettingsFault from the constructor, never pydantic's own error, which would quote secrets.
    """

    model_config = SettingsConfigDict(
        frozen=True, extra="ignore", env_ignore_empty=True, env_file_encoding="utf-8",
        hide_input_in_errors=True, use_attribute_docstrings=True,
    )  # fmt: skip

    database_url: PostgresUrl
    """postgresql://USER:PASSWORD@HOST:PORT/NAME of the app role, which row-level security binds"""
    database_owner_url: PostgresUrl | None = None
    """postgresql://USER:PASSWORD@HOST:PORT/NAME of the owner role; applying the schema alone needs it"""
    temporal_address: Annotated[str, AfterValidator(_host_and_port)] = "127.0.0.1:8302"
    """HOST:PORT of the Temporal frontend"""
    temporal_namespace: str = Field(default="deskhand", pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,254}$")
    """a Temporal namespace: letters, digits, dot, dash and underscore"""
    temporal_ui_url: WebUrl = "http://127.0.0.1:8303"
    """http(s)://HOST[:PORT] of the Temporal Web UI, for links"""

    api_host: str = "127.0.0.1"
    """the address the API binds to"""
    api_port: Port = 8300
    """a port from 1 to 65535"""
    public_url: WebUrl = ""
    """http(s)://HOST[:PORT] under which people reach the dashboard; unset means http://API_HOST:API_PORT"""
    metrics_host: str = "127.0.0.1"
    """the address the worker's metrics bind to; 0.0.0.0 inside a container"""
    metrics_port: Port = 8305
    """a port from 1 to 65535, for the metrics of the worker"""

    llm_base_url: WebUrl = ""
    """http(s)://HOST[:PORT]/PATH of a chat-completions endpoint, without credentials"""
    llm_api_key: SecretStr = SecretStr("")
    """the key of the model endpoint"""
    llm_model: str = ""
    """a model name for every task that has none of its own"""
    llm_model_fast: str = ""
    """a model name for classify, extract, guard, summarize and self_check"""
    llm_model_capable: str = ""
    """a model name for draft and supervise"""
    llm_embedding_model: str = ""
    """a model name, `off` for no embeddings, or unset for the offline embedder"""
    llm_prices: Prices = Field(default_factory=dict)
    """JSON such as {"some-model": {"in": 0.15, "out": 0.60}}, in USD per million tokens"""
    deskhand_offline_model: bool = False
    """true or false: whether LLM_BASE_URL is the offline endpoint of the embedded stack"""

    delivery_channel: DeliveryChannel = DeliveryChannel.FILE
    """file, smtp or resend"""
    file_channel_dir: Path = Field(default_factory=lambda: state_path() / "outbox")
    """a folder for the mail files of DELIVERY_CHANNEL=file"""
    smtp_host: str = ""
    """the host name of the SMTP relay"""
    smtp_port: Port = 587
    """a port from 1 to 65535"""
    smtp_user: str = ""
    """the user name at the relay, if it wants one"""
    smtp_password: SecretStr = SecretStr("")
    """the password at the relay"""
    smtp_tls: SmtpTls = SmtpTls.STARTTLS
    """none, starttls or implicit"""
    resend_api_key: SecretStr = SecretStr("")
    """the key of the Resend account"""
    resend_base_url: WebUrl = "https://api.resend.com"
    """http(s)://HOST[:PORT] of the Resend API"""

    organisation_key: Annotated[SecretStr, AfterValidator(_organisation_key)]
    """at least 64 hex digits, the master key of every HMAC; changing it voids reply tokens and links"""
    build_id: str = Field(default="development", pattern=r"^[A-Za-z0-9][A-Za-z0-9_.+-]{0,99}$")
    """a name of this build: up to 100 letters, digits and _ . + -"""
    default_mailbox_address: Annotated[str, AfterValidator(_mail_address)] = "support@example.org"
    """the mail address of the mailbox `default`"""

    def __init__(self, **values: Any) -> None:
        """Read the settings; `_env_file=None` leaves the dotenv file out, keyword arguments win over everything."""
        values.setdefault("_env_file", _existing_env_file())
        try:
            super().__init__(**values)
        except ValidationError as error:
            raise SettingsFault(_explain(error)) from None
        except (UnicodeDecodeError, OSError) as error:
            raise SettingsFault(f"{values['_env_file']}: the file cannot be read ({type(error).__name__}).") from None
        _require_channel(self)
        _require_client(self)

    def model_for(self, task: ModelTask) -> str:
        """The model that answers a task, by the one rule of `adapters.llm.tasks` (P109)."""
        return model_for(task, self).model

    def embeddings_off(self) -> bool:
        """Whether embeddings are switched off on purpose (P38)."""
        return self.llm_embedding_model.lower() == OFF

    def embeddings_are_local(self) -> bool:
        """Whether the offline embedder makes the embeddings: no model is named for them (P109)."""
        return not self.llm_embedding_model

    def dashboard_base_url(self) -> str:
        """Where people reach the dashboard, without a closing slash."""
        return self.public_url or f"http://{self.api_host}:{self.api_port}"

    def organisation_key_bytes(self) -> bytes:
        """The HMAC master key, at least 32 bytes."""
        return bytes.fromhex(self.organisation_key.get_secret_value())


def _existing_env_file() -> Path | None:
    path = env_file_path()
    if path.is_file():
        return path
    if os.environ.get("DESKHAND_ENV_FILE"):
        raise SettingsFault(f"DESKHAND_ENV_FILE: read {str(path)!r}, but there is no such file.")
    return None


def _require_channel(settings: Settings) -> None:
    if settings.delivery_channel is DeliveryChannel.SMTP and not settings.smtp_host:
        raise SettingsFault("SMTP_HOST: nothing was read, but DELIVERY_CHANNEL=smtp needs a host name.")
    if settings.delivery_channel is DeliveryChannel.RESEND and not settings.resend_api_key.get_secret_value():
        raise SettingsFault("RESEND_API_KEY: nothing was read, but DELIVERY_CHANNEL=resend needs a key.")


def _require_client(settings: Settings) -> None:
    if settings.oidc_issuer and not settings.oidc_client_id:
        raise SettingsFault("OIDC_CLIENT_ID: nothing was read, but OIDC_ISSUER needs a client id.")


def _explain(error: ValidationError) -> str:
    return "\n".join(_explain_one(str(fault["loc"][0]), fault) for fault in error.errors())


def _explain_one(field: str, fault: Any) -> str:
    allowed = Settings.model_fields[field].description
    name = ".".join([field.upper(), *(str(part) for part in fault["loc"][1:])])
    return f"{name}: {_what_was_read(field, fault)}. Allowed: {allowed}."


def _what_was_read(field: str, fault: Any) -> str:
    if fault["type"] == "missing":
        return "nothing was read, but it is required"
    if "Secret" in str(Settings.model_fields[field].annotation):
        return "what was read is wrong (not shown, it is a secret)"
    return f"read {USER_INFO.sub('//***@', repr(fault['input']))}, but {fault['msg'].removeprefix('Value error, ')}"
