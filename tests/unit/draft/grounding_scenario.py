"""The shape of one invented support case with right and wrong answers."""

from typing import NamedTuple


class Scenario(NamedTuple):
    """`known` is trusted, `mail` the customer's text, `drafts` are right answers, `slips` are (right, wrong) parts."""

    language: str
    known: str
    mail: str
    drafts: tuple[str, ...]
    slips: tuple[tuple[str, str], ...]
