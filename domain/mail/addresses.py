"""The door to everything about addresses: reading a list, comparing, naming the organisation, choosing the
recipient."""

from domain.mail.address_list import AddressList, display_name, identity, read_address_list
from domain.mail.display_names import is_spoofed_name
from domain.mail.domains import ascii_domain, has_mixed_scripts, organisational_domain, shown_domain

parse_address_list = read_address_list

__all__ = [
    "AddressList",
    "ascii_domain",
    "display_name",
    "has_mixed_scripts",
    "identity",
    "is_spoofed_name",
    "organisational_domain",
    "parse_address_list",
    "shown_domain",
]
