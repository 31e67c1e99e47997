"""Which channel the settings ask for, and a clear word about the setting that is missing."""

from pathlib import Path
from typing import Protocol

from pydantic import SecretStr

from adapters.delivery import Channel
from adapters.delivery.file_channel import FileChannel
from adapters.delivery.resend import ResendChannel
from adapters.delivery.smtp import SmtpChannel
from adapters.delivery.smtp_session import SmtpServer, TlsMode
from contracts.errors import SettingsFault

_TLS_MODES: dict[str, TlsMode] = {
    "starttls": "starttls",
    "tls": "tls",
    "implicit": "tls",
    "loopback": "loopback",
    "none": "loopback",
}


class DeliverySettings(Protocol):
    """The settings that concern sending."""

    @property
    def delivery_channel(self) -> str:
        """`file`, `smtp` or `resend`."""

    @property
    def file_channel_dir(self) -> Path | str | None:
        """Where the file channel puts mails."""

    @property
    def smtp_host(self) -> str | None:
        """The relay to send mail through."""

    @property
    def smtp_port(self) -> int:
        """The relay's port; 587 for STARTTLS and 465 for TLS are usual."""

    @property
    def smtp_user(self) -> str | None:
        """The name to log in with; none for a relay that asks for none."""

    @property
    def smtp_password(self) -> SecretStr | None:
        """The password that goes with it."""

    @property
    def smtp_tls(self) -> str:
        """`starttls`, `tls` (or `implicit`), or `loopback` (or `none`) for no encryption on this machine."""

    @property
    def resend_api_key(self) -> SecretStr | None:
        """The API key of the Resend account."""

    @property
    def resend_base_url(self) -> str | None:
        """Another base address than Resend's own."""


def channel_from(settings: DeliverySettings) -> Channel:
    """The configured channel. Raises SettingsFault naming the setting that is missing or not understood."""
    makers = {"file": _file, "smtp": _smtp, "resend": _resend}
    maker = makers.get(settings.delivery_channel)
    if maker is None:
        raise SettingsFault(f"delivery_channel must be one of {', '.join(makers)}.")
    return maker(settings)


def _file(settings: DeliverySettings) -> Channel:
    if not settings.file_channel_dir:
        raise SettingsFault("file_channel_dir is missing: the directory where the file channel puts mails.")
    return FileChannel(Path(settings.file_channel_dir))


def _tls_mode(word: str) -> TlsMode:
    mode = _TLS_MODES.get(word)
    if mode is None:
        raise SettingsFault(f"smtp_tls must be one of {', '.join(_TLS_MODES)}.")
    return mode


def _smtp(settings: DeliverySettings) -> Channel:
    if not settings.smtp_host:
        raise SettingsFault("smtp_host is missing: the relay to send mail through.")
    return SmtpChannel(
        SmtpServer(
            host=settings.smtp_host,
            port=settings.smtp_port,
            tls=_tls_mode(settings.smtp_tls),
            user=settings.smtp_user or "",
            password=settings.smtp_password,
        )
    )


def _resend(settings: DeliverySettings) -> Channel:
    if not settings.resend_api_key:
        raise SettingsFault("resend_api_key is missing: the API key of your Resend account.")
    return ResendChannel(settings.resend_api_key, settings.resend_base_url or "https://api.resend.com")
