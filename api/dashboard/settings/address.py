"""What people type for a mailbox: an address that mail can be sent from, a name, a zone; refused by field, in words."""

from typing import Any
from zoneinfo import available_timezones

from api.dashboard.words import Words
from domain.reply.recipients import UnsendableReply, wire_address

LONGEST_NAME = 100


class Refused(Exception):  # noqa: N818 - an answer to a person, not a fault
    """A field that was not taken, and why, as a key of the catalogues."""

    def __init__(self, field: str, why: str, **fields: Any) -> None:
        super().__init__(field, why)
        self.field, self.why, self.fields = field, why, fields

    def said(self, words: Words) -> dict[str, str]:
        """The sentence, by the name of the field."""
        return {self.field: words(f"settings.refused.{self.why}", **self.fields)}


def address_of(text: str) -> str:
    """A mail address without its surrounding space."""
    address = text.strip()
    try:
        wire_address(address)
    except UnsendableReply:
        raise Refused("address", "no_address") from None
    return address


def name_of(text: str) -> str:
    """A name of at most 100 printable characters; it may be empty."""
    name = " ".join(text.split())
    if len(name) > LONGEST_NAME or not name.isprintable():
        raise Refused("name", "name", n=LONGEST_NAME)
    return name


def zone_of(text: str) -> str:
    """An IANA zone."""
    if text not in available_timezones():
        raise Refused("timezone", "zone")
    return text
