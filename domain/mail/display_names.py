"""What a display name pretends. A name is data of the sender's choice: one that looks like an address, a host or one of
us is kept for people to see and never used in a greeting (AM3)."""

import re
import unicodedata
from collections.abc import Iterable

from contracts.mail import Address
from domain.mail.cleaning import seen_text, word_text
from domain.mail.domains import has_known_suffix, is_valid_domain, organisational_domain

_HOST = re.compile(r"[^\s@/:,;()<>\[\]\"']+\.[^\s@/:,;()<>\[\]\"'.]{2,63}")
MAX_HOSTS_LOOKED_AT = 20


def is_spoofed_name(sender: Address, our_names: Iterable[str] = ()) -> bool:
    """True if the name holds an `@`, a host of another organisation than the address, or one of our names (AM3)."""
    name = unicodedata.normalize("NFKC", seen_text(sender.name))
    return "@" in name or _names_other_host(name, sender.identity) or _is_ours(name, our_names)


def _names_other_host(name: str, address: str) -> bool:
    own = organisational_domain(address.rpartition("@")[2])
    hosts = _HOST.findall(name)[:MAX_HOSTS_LOOKED_AT]
    return any(organisational_domain(host) != own for host in hosts if is_valid_domain(host) and has_known_suffix(host))


def _is_ours(name: str, our_names: Iterable[str]) -> bool:
    """One of our names stands in it as whole words, whatever the case, width or blanks."""
    shown = f" {word_text(name)} "
    return any(f" {ours} " in shown for ours in map(word_text, our_names) if ours)
