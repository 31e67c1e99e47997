"""The way out for replies: the folder, the SMTP relay or the Resend key. Nothing is sent."""

import os

import aiosmtplib

from adapters.settings import DeliveryChannel, Settings, SmtpTls
from cli.checks.finding import Finding, fine, wrong

TIMEOUT_S = 10


async def check_mail_relay(settings: Settings) -> list[Finding]:
    """One finding on the configured channel."""
    if settings.delivery_channel is DeliveryChannel.SMTP:
        return [await _check_smtp(settings)]
    if settings.delivery_channel is DeliveryChannel.RESEND:
        return [fine("Delivery", f"Resend, key set, at {settings.resend_base_url}")]
    return [_check_folder(settings)]


def _check_folder(settings: Settings) -> Finding:
    place = settings.file_channel_dir
    while not place.exists() and place != place.parent:
        place = place.parent
    if os.access(place, os.W_OK | os.X_OK):
        return fine("Delivery", f"replies become files in {settings.file_channel_dir}; none leaves this machine")
    return wrong("Delivery", f"{settings.file_channel_dir} is not writable", "Set FILE_CHANNEL_DIR to another folder.")


async def _check_smtp(settings: Settings) -> Finding:
    where = f"{settings.smtp_host}:{settings.smtp_port} ({settings.smtp_tls.value})"
    client = aiosmtplib.SMTP(
        hostname=settings.smtp_host, port=settings.smtp_port, timeout=TIMEOUT_S,
        use_tls=settings.smtp_tls is SmtpTls.IMPLICIT, start_tls=settings.smtp_tls is SmtpTls.STARTTLS,
        username=settings.smtp_user or None, password=settings.smtp_password.get_secret_value() or None,
    )  # fmt: skip
    try:
        async with client:
            return fine("SMTP relay", f"reachable at {where}" + (", login accepted" if settings.smtp_user else ""))
    except (aiosmtplib.SMTPException, OSError, ValueError) as error:
        return wrong(
            "SMTP relay", f"{where}: {type(error).__name__}",
            "Correct SMTP_HOST, SMTP_PORT, SMTP_TLS, SMTP_USER and SMTP_PASSWORD.",
        )  # fmt: skip
