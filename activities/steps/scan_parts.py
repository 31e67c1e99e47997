"""The mails one scan covers (a leader and what was coalesced into it), each with its parts and its spam and phishing
facts (P51, P53)."""

from dataclasses import dataclass

from activities.ports import Row
from activities.steps.frame import StepContext
from contracts.mail import AutomaticHit, ParsedMail
from contracts.security import SpamEvidence
from domain.detect.parts import TextPart, parts_of
from domain.detect.phishing import PhishingFacts, PhishingVerdict, phishing
from domain.detect.spam import SpamFacts, spam_score

LIST_CODES = frozenset({"list"})


@dataclass(frozen=True)
class Scanned:
    """One mail, read for the scan."""

    parts: tuple[TextPart, ...]
    spam: tuple[int, tuple[SpamEvidence, ...], bool]
    phishing: PhishingVerdict


async def read_mails(context: StepContext, bypassed: frozenset[tuple[str, str]]) -> list[Scanned]:
    """The message itself first, then its coalesced siblings, whose evidence names them."""
    m = context.message
    async with context.tools.database.transaction(context.run.mailbox_id) as tx:
        parsed = await tx.one("scan_parsed", context.run.message_id)
        siblings = await tx.rows("scan_siblings", context.run.message_id)
    own = ParsedMail.model_validate(parsed["parsed"]) if parsed else _from_columns(m)
    mails = [_scanned(own, m, None, bypassed)]
    for row in siblings:
        if row["parsed"] is not None:
            mails.append(_scanned(ParsedMail.model_validate(row["parsed"]), m, str(row["id"]), bypassed))
    return mails


def _from_columns(m: Row) -> ParsedMail:
    """A message made from headers alone, for mail answered by hand out of the poison lane."""
    return ParsedMail(parser_version="stub", subject=m["subject"], text=m["text_body"], new_text=m["new_text"])


def _scanned(mail: ParsedMail, m: Row, source: str | None, bypassed: frozenset[tuple[str, str]]) -> Scanned:
    verdict = phishing(_phishing_facts(mail, m), bypassed=bypassed)
    return Scanned(parts=parts_of(mail, source), spam=spam_score(_spam_facts(mail, m, verdict)), phishing=verdict)


def _phishing_facts(mail: ParsedMail, m: Row) -> PhishingFacts:
    hits = [AutomaticHit.model_validate(h) for h in m["automatic_hits"]]
    return PhishingFacts(
        text=mail.text,
        html=mail.html,
        subject=mail.subject,
        own_hosts=frozenset({m["mailbox_address"].rpartition("@")[2]}),
        known_hosts=frozenset({m["from_identity"].rpartition("@")[2]}) if m["contact_answered_at"] else frozenset(),
        is_list_mail=any(hit.code in LIST_CODES for hit in hits),
        reported=mail.forwarded,
    )


def _spam_facts(mail: ParsedMail, m: Row, verdict: PhishingVerdict) -> SpamFacts:
    return SpamFacts(
        subject=mail.subject,
        text=mail.text,
        links=verdict.links,
        link_mismatch=verdict.link_mismatch,
        suspicious_host=verdict.suspicious_host,
        dmarc_failed=(m["auth_verdicts"].get("dmarc") or {}).get("value") == "fail",
        display_name_spoof=mail.display_name_spoof,
        first_contact=not m["contact_permanent"],
        answered_before=m["contact_answered_at"] is not None,
        in_existing_thread=m["message_count"] > 1,
        attachment_names=tuple(a.name for a in mail.attachments),
    )
