"""The allow-list of a mailbox: which hosts, paths and query parameters its mail may point to (HL2)."""

import re
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import parse_qsl, unquote

from domain.text.hosts import a_label

_NESTED = re.compile(r"(?i)(?:[a-z][a-z0-9+.-]{1,20}:)?//|\bwww\.|%2f%2f")
_REDIRECTING = re.compile(r"(?i)redirect|redir\b|/out/|/away|/goto|/click|/track|/link\b|[?&](?:url|u|target|next|to"
                          r"|dest|destination|continue|return(?:_?(?:to|url))?|redirect(?:_?(?:to|url|uri))?)=")


class QueryRule(StrEnum):
    """Which query parameters an allowed link may carry."""

    NONE = "none"
    LISTED = "listed"
    ANY = "any"


@dataclass(frozen=True, slots=True)
class LinkRule:
    """One entry of a mailbox's allow-list; `host` is a name or `*.name`, `names` counts for `listed` only (HL2)."""

    host: str
    path_prefix: str = "/"
    query: QueryRule = QueryRule.NONE
    names: frozenset[str] = frozenset()

    def warnings(self) -> tuple[str, ...]:
        """What a person should know when entering this rule."""
        names = "&".join(f"{name}=" for name in sorted(self.names))
        found = []
        if _REDIRECTING.search(f"{self.path_prefix}?{names}"):
            found.append("redirector")
        if self.query is QueryRule.ANY:
            found.append("any_query")
        if self.host.count(".") < (2 if self.host.startswith("*.") else 1):
            found.append("whole_suffix")
        return tuple(found)

    def covers(self, host: str, path: str, query: str) -> bool:
        """Whether this entry allows an https link to `host` (A-label), matched on label and segment borders."""
        wanted = self.host.lower()
        base = a_label(wanted.removeprefix("*."))
        if not base or not (host.endswith("." + base) if wanted.startswith("*.") else host == base):
            return False
        return _path_fits(path, self.path_prefix or "/") and _query_fits(query, self)


def _path_fits(path: str, prefix: str) -> bool:
    """Whether the path lies at or below the prefix, on segment borders, with no way out of it."""
    decoded = unquote(path)
    if "//" in decoded or "\\" in decoded or any(part in (".", "..") for part in decoded.split("/")):
        return False
    bare = prefix.rstrip("/")
    return path == bare or path.startswith(bare + "/") or prefix == "/"


def _query_fits(query: str, rule: LinkRule) -> bool:
    if not query or query == "?":
        return True
    if rule.query is QueryRule.NONE:
        return False
    pairs = parse_qsl(query[1:], keep_blank_values=True)
    if rule.query is QueryRule.LISTED and not all(name in rule.names for name, _ in pairs):
        return False
    return not any(_NESTED.search(value) for pair in pairs for value in pair)
