"""A refusal in the language of the page. The API says why in one plain English sentence; here each sentence has a name,
and the catalogues have the words for it.

A sentence without a name is never shown in another language's page: there the stable word of the refusal speaks alone.
"""

import re
from collections.abc import Mapping

from api.dashboard.words import Words

STATUS = r"(?P<status>[a-z_]{1,20})"
ANY = r".{1,300}"
SENTENCES: Mapping[str, str] = {
    "wrong_status": rf"This message is {STATUS} now; {ANY}",
    "closed_already": rf"This message is already {STATUS}; nothing was changed\.",
    "not_restorable": rf"This message is {STATUS} and cannot be restored\.",
    "closed_for_good": r"Mail archived as (?P<archived>[a-z_]{1,20}) is closed for good\.",
    "in_review_only": rf"This message is {STATUS}; a text can be saved in review only\.",
    "not_possible_in": rf"[a-z_]{{1,40}} is not possible in {STATUS}\.",
    "not_received": r"Not received yet\.|This mail was not read yet; try again in a moment\.",
    "unreadable": r"This mail could not be read; parse it again, deliver it or answer it by hand\.",
    "no_mailbox": r"This mail belongs to no mailbox; deliver it to one first\.",
    "not_poison": r"This mail is not in the poison lane\.",
    "stale_revision": r"The draft changed meanwhile: revision (?P<revision>\d{1,9}|None) is current\.",
    "stale_recipients": r"The recipients changed after you looked\.",
    "newer_mail": r"A newer mail arrived on this thread; look at it first\.",
    "answered_there": rf"This mail also reached another mailbox of ours and is answered there \({STATUS}\)\.",
    "no_address": r"(?:This mail|The newest mail of this thread) has no address to reply to\.",
    "no_person": r"This thread holds no mail of a person to answer\.",
    "still_open": r"A message of this thread is still open; write the reply on it\.",
    "no_text": r"There is no text to send\.|The text to send was not stored\.",
    "no_draft": r"There is no draft to approve; write a reply or request one\.",
    "typing": r"Somebody else is writing a reply on this thread\.",
    "unsettled": r"Nobody knows yet whether the approved reply went out; settle that first\.",
    "handing_over": r"(?:The|The approved) reply is being handed over (?:already|right now)\.",
    "handed_over": r"The reply was handed over; it cannot be (?:undone|changed any more)\.",
    "went_out": r"A reply to this mail went out already; nothing is sent twice\.|The approved reply went out already\."
    r"|It is proved meanwhile that the reply went out\.",
    "no_member": r"That person is not a member here\.|to_user: there is no such member",
    "steps_missing": rf"Not prepared for a draft: {ANY} did not run\.",
    "cannot_resume": rf"Cannot resume at {ANY}: no stored output of {ANY}\.",
    "gone": r"There is no such [a-z ]{1,30}\.",
    "id_used": r"The same request id was used before (?:for another action|with another text)\.",
    "look_yourself": r"This one carries a flag or a finding; look at it by itself\.",
    "no_answer": r"Nothing answered in time, and nothing is half done\. Repeat the request with the same request id\."
    r"|Others are writing here at the same moment\. Try again\.",
    "over": r"This conversation is (?P<state>[a-z_]{1,20}); open it before you put it off\.",
    "no_equal": r"No message failed with this error any more\.",
    "past": r"until: that moment has passed; name one ahead",
    "too_far": r"until: that is more than a year away",
    "too_late": r"preset: there is no later today; name tomorrow",
    "no_moment": r"until: that is no moment",
    "no_mail_address": r"address: this is no mail address",
    "no_sender": r"message_id: this mail names no sender",
    "not_in_state": r"This reply is not in a state in which that is possible\.",
    "no_such_mailbox": r"mailbox_id: there is no such mailbox to deliver to",
    "not_classified": r"The model has not said yet what this mail is about\.",
    "stale_form": r"(?:request_id|seen_message_id|base_revision|recipients_hash|text): .{1,200}",
    "incomplete": r"[a-z_]{1,40} does not fit these fields: .{0,200}\.",
}
PATTERNS = {name: re.compile(pattern) for name, pattern in SENTENCES.items()}
KINDS = {"status": "status", "archived": "archived", "state": "chip"}
# These say everything by their word alone.
SILENT = frozenset({"scope_missing", "role_missing", "unavailable"})


def why(words: Words, error: str, sentence: str) -> str:
    """The reason of a refusal for this reader; empty where the word of the refusal says it all."""
    if error in SILENT or not sentence:
        return ""
    name, fields = named(sentence)
    if name is None:
        return sentence if words.language == "en" else ""
    return words(f"why.{name}", **{key: words.named(KINDS.get(key, ""), value) for key, value in fields.items()})


def named(sentence: str) -> tuple[str | None, dict[str, str]]:
    """The name of a sentence of the API, and what varies in it; None where it has no name."""
    for name, pattern in PATTERNS.items():
        match = pattern.fullmatch(sentence)
        if match:
            return name, match.groupdict()
    return None, {}
