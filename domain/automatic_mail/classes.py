"""All automatic-mail rules run over one mail, and what their hits add up to: held (A), never sent automatically (B)."""

from collections.abc import Iterable

from contracts.mail import AutomaticClass, AutomaticHit, ParsedMail
from domain.automatic_mail.facts import AutomaticFacts, hit
from domain.automatic_mail.header_rules import HEADER_RULES
from domain.automatic_mail.phrases import machine_subject
from domain.automatic_mail.senders import not_addressed, own_loop, robot

SUBJECT = "subject"
SPAM_SCORES = range(50, 80)
_NEVER_EXEMPT = frozenset({"null_sender", "report", "own_loop"})
_ONE_STEP_DOWN = {AutomaticClass.A: AutomaticClass.B, AutomaticClass.B: AutomaticClass.NONE}


def automatic_hits(mail: ParsedMail, facts: AutomaticFacts) -> tuple[AutomaticHit, ...]:
    """Every rule of AU1-AU10 and AU14 (verdict of the source) that hit, one hit per code, in the order of the codes.

    For a sender the mailbox exempts, each hit counts one step less: a hold becomes "never automatic", that becomes
    nothing (P45). Bounces, reports and our own mail cannot be exempted, since answering them makes a loop.
    """
    found = [rule(mail) for rule in HEADER_RULES]
    found += [rule(mail, facts) for rule in (own_loop, robot)]
    found += [_subject(mail), not_addressed(mail, facts), _source_spam(facts)]
    hits = tuple(item for item in found if item is not None)
    return tuple(_lowered(item) for item in hits) if _is_exempt(mail, facts) else hits


def automatic_class(hits: Iterable[AutomaticHit]) -> AutomaticClass:
    """The class of a mail: the strongest of its hits; a telling subject is B alone and A beside any other hit (AU9)."""
    counting = [item for item in hits if item.mail_class is not AutomaticClass.NONE]
    codes = {item.code for item in counting}
    if any(item.mail_class is AutomaticClass.A for item in counting) or (SUBJECT in codes and len(codes) > 1):
        return AutomaticClass.A
    return AutomaticClass.B if counting else AutomaticClass.NONE


def spam_score_hit(score: int) -> AutomaticHit | None:
    """AU14 for a spam score of 50 to 79 points; what is higher gets archived instead (P58)."""
    return hit("spam", AutomaticClass.B, f"spam score {score}") if score in SPAM_SCORES else None


def _subject(mail: ParsedMail) -> AutomaticHit | None:
    phrase = machine_subject(mail.subject)
    return hit(SUBJECT, AutomaticClass.B, f"subject: {phrase}") if phrase else None


def _source_spam(facts: AutomaticFacts) -> AutomaticHit | None:
    return hit("spam", AutomaticClass.B, "spam verdict of the source") if facts.source_spam else None


def _is_exempt(mail: ParsedMail, facts: AutomaticFacts) -> bool:
    if mail.from_ is None:
        return False
    identity = mail.from_.identity
    return not facts.exempt_senders.isdisjoint({identity, "@" + identity.rpartition("@")[2]})


def _lowered(item: AutomaticHit) -> AutomaticHit:
    if item.code in _NEVER_EXEMPT:
        return item
    mail_class = _ONE_STEP_DOWN.get(item.mail_class, item.mail_class)
    return hit(item.code, mail_class, "sender exempted by rule", item.evidence)
