"""Whether a machine wrote a mail: rules AU1-AU14, the class they add up to, and the marker that finds our own mail."""

from domain.automatic_mail.classes import automatic_class, automatic_hits, spam_score_hit
from domain.automatic_mail.facts import AutomaticFacts, FormSender
from domain.automatic_mail.loops import LoopFacts, gram_similarity, loop_hits
from domain.automatic_mail.marker import sent_marker, verify_marker
from domain.automatic_mail.phrases import machine_subject
from domain.automatic_mail.senders import form_customer, form_sender_offer, is_ours

__all__ = [
    "AutomaticFacts",
    "FormSender",
    "LoopFacts",
    "automatic_class",
    "automatic_hits",
    "form_customer",
    "form_sender_offer",
    "gram_similarity",
    "is_ours",
    "loop_hits",
    "machine_subject",
    "sent_marker",
    "spam_score_hit",
    "verify_marker",
]
