"""Whether others will believe that our replies are ours: SPF, DKIM and DMARC of every domain we write from (SE8).

These stand in the public name service, and Python's own resolver cannot ask for TXT records; so what cannot be looked
up here is not called right, but said with the exact questions to ask and answers to look for.
"""

from adapters.postgres import Database
from adapters.settings import DeliveryChannel, Settings
from cli.checks.database import NO_ANSWER
from cli.checks.finding import Finding, fine


async def check_sending_domains(settings: Settings) -> list[Finding]:
    """One finding per From domain; one in all where no reply leaves this machine."""
    if settings.delivery_channel is DeliveryChannel.FILE:
        return [fine("Sending domains", "SPF, DKIM and DMARC do not matter yet: replies become files")]
    try:
        return [_not_checked(domain, settings) for domain in await _domains(settings)]
    except NO_ANSWER:
        return []


async def _domains(settings: Settings) -> list[str]:
    database = await Database.connect(settings.database_url.get_secret_value(), most=1, name="deskhand-doctor")
    try:
        async with database.transaction() as tx:
            return [row["domain"] for row in await tx.rows("doctor_domains")]
    finally:
        await database.close()


def _not_checked(domain: str, settings: Settings) -> Finding:
    """Not wrong, for nothing is known to be; the advice stands there before the first real mail leaves."""
    resend = settings.delivery_channel is DeliveryChannel.RESEND
    relay = "Resend" if resend else settings.smtp_host
    selector = "resend" if resend else "<selector your relay signs with>"
    advice = (
        f"run: dig +short TXT {domain} (exactly one record that begins v=spf1 and names {relay}) · "
        f"dig +short TXT {selector}._domainkey.{domain} (v=DKIM1 with a key p=…; the relay signs with d={domain}) · "
        f"dig +short TXT _dmarc.{domain} (v=DMARC1; without it, or if neither SPF nor DKIM is aligned with {domain}, "
        "many receivers refuse our replies)"
    )
    return Finding(f"Sending domain {domain}", True, "SPF, DKIM and DMARC are not checked here", advice)
