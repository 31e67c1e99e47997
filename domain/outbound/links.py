"""Links as receiving clients make them, and the allow-list of a mailbox they are held against (HL2-HL5)."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from urllib.parse import unquote

from domain.outbound.allow import LinkRule
from domain.text.hosts import has_invisible, has_public_suffix, parse_host
from domain.text.normalise import RAW, Form, unwrapped

_URL_END = r"[^\s<>\"`{}|^]"
_SCHEMED = re.compile(rf"(?<![A-Za-z0-9])[A-Za-z][A-Za-z0-9+.-]{{1,30}}:[/\\]{{2,}}{_URL_END}*+")
_OPAQUE = re.compile(
    r"(?<![A-Za-z0-9])(?:mailto|tel|sms|smsto|callto|facetime|data|javascript|vbscript|file|blob|cid|mid|view-source|skype"
    rf"|whatsapp|tg|intent|magnet|geo|maps|webcal|market|ms-[a-z]{{2,20}}|about|ftp|https?):(?![/\\]{{2}}){_URL_END}++",
    re.IGNORECASE,
)
_RELATIVE = re.compile(rf"(?<![:\w/\\])(?://|\\\\){_URL_END}{{2,}}+")
_ADDRESS = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@(?:[\w-]{1,63}[.\u3002\uff0e\uff61])++[\w-]{2,63}")
_BARE = re.compile(
    rf"(?<![\w@./\\-])(?:[\w-]{{1,63}}[.\u3002\uff0e\uff61])++[\w-]{{2,63}}\.?(?::\d{{1,5}})?(?:[/?#]{_URL_END}*+)?+(?![\w@])"
)
_BARE_NUMBER = re.compile(rf"(?<![\w@./\\-])(?:\d{{1,3}}\.){{3}}\d{{1,3}}(?::\d{{1,5}})?[/?#]{_URL_END}*+")
_TRAILING = ".,;:!?)]}>'\"\u00bb\u201c\u201d\u2019*_"
_MARKDOWN = re.compile(
    r"!?\[[^\[\]\n]{0,300}\]\(\s{0,4}<?([^\s()<>]{1,2000})"
    r"|(?:^|\n)[ \t]{0,3}\[[^\[\]\n]{1,300}\]:[ \t]*\n?[ \t]*<?([^\s<>]{1,2000})"
)
_PARTS = re.compile(r"(?s)(?:([A-Za-z][A-Za-z0-9+.-]*+):)?[/\\]*([^/\\?#]*+)([^?#]*+)(\?[^#]*+)?(#.*)?")



@dataclass(frozen=True, slots=True)
class Link:
    """A link as written at `start` to `end` of a text; `host` in A-label form, `defects` say why it is refused."""

    start: int
    end: int
    written: str
    scheme: str
    host: str
    path: str = "/"
    query: str = ""
    address: str = ""
    defects: tuple[str, ...] = ()

    def is_allowed(self, rules: Iterable[LinkRule], participants: frozenset[str]) -> bool:
        """Whether this link may go out unseen: on the allow-list, or an address of a participant."""
        if self.defects:
            return False
        if self.address:
            return self.address in participants
        return self.scheme == "https" and any(rule.covers(self.host, self.path, self.query) for rule in rules)


def find_links(text: str, *, limit: int | None = None) -> tuple[Link, ...]:
    """Every link a receiving client might make of `text`, also of its unwrapped form, by place (HL3).

    `limit` ends the search early in text that is only judged, not released.
    """
    raw = Form(RAW, text)
    plain = unwrapped(raw)
    found: dict[tuple[int, int, str, str], Link] = {}
    for form in (raw,) if plain is raw else (raw, plain):
        for start, end in _spans(form.text, limit):
            link = _read(form.text[start:end], *form.origin(start, end), text)
            found.setdefault((link.start, link.end, link.host, link.query), link)
    return tuple(sorted(found.values(), key=lambda link: (link.start, link.end)))


def _spans(text: str, limit: int | None) -> Iterator[tuple[int, int]]:
    """Spans of links, the surest patterns first; none overlaps an earlier one."""
    starts: list[int] = []
    ends: list[int] = []
    for pattern in (_SCHEMED, _OPAQUE, _RELATIVE, _ADDRESS, _BARE, _BARE_NUMBER):
        fresh: list[tuple[int, int]] = []
        for match in islice(pattern.finditer(text), limit):
            start, end = match.start(), match.start() + len(_trimmed(match[0]))
            before = bisect_right(starts, start) - 1
            overlaps = (before >= 0 and ends[before] > start) or (before + 1 < len(starts) and starts[before + 1] < end)
            if end > start and not overlaps and (pattern is not _BARE or _is_host(text[start:end])):
                fresh.append((start, end))
        merged = sorted([*zip(starts, ends, strict=True), *fresh])
        starts, ends = [start for start, _ in merged], [end for _, end in merged]
    yield from zip(starts, ends, strict=True)


def _trimmed(written: str) -> str:
    """A link without the punctuation of the sentence around it; a closing bracket stays if it was opened inside."""
    unopened = written.count(")") - written.count("(")
    end = len(written)
    while end and written[end - 1] in _TRAILING and (written[end - 1] != ")" or unopened > 0):
        unopened -= written[end - 1] == ")"
        end -= 1
    return written[:end]


def _is_host(written: str) -> bool:
    host = re.split(r"[/?#:]", written, maxsplit=1)[0]
    name = parse_host(host).name
    return bool(name) and (has_public_suffix(name) or host.lower().startswith("www."))


def _read(written: str, start: int, end: int, text: str) -> Link:
    """One link, strictly parsed; `text` is the original, in which disguises still show."""
    disguise = ("invisible_characters",) if has_invisible(text[start:end]) else ()
    scheme, authority, path, query, _ = (part or "" for part in _parts(written))
    scheme = scheme.lower()
    if scheme == "mailto" or (not scheme and _ADDRESS.fullmatch(written)):
        return _mail_link(written, start, end, disguise)
    if scheme not in ("", "https", "http", "ftp", "ws", "wss"):
        return Link(start, end, written, scheme, "", path, query, "", ("scheme", *disguise))
    defects = list(disguise)
    if "\\" in written.partition("?")[0]:
        defects.append("backslash")
    userinfo, at, hostport = authority.rpartition("@")
    if at:
        defects.append("userinfo")
    host_text, port = _port(hostport)
    if port and (scheme, port) not in (("https", "443"), ("http", "80")):
        defects.append("port")
    host = parse_host(host_text)
    return Link(start, end, written, scheme or "https", host.name, path or "/", query, "", (*defects, *host.defects))


def _parts(written: str) -> tuple[str | None, ...]:
    """Scheme, authority, path, query and fragment; a bare `host:port` is not taken for a scheme."""
    match = _PARTS.fullmatch(written)
    if match is None:
        return None, written, None, None, None
    scheme, authority, path, query, fragment = match.groups()
    if scheme and "." in scheme and not written[len(scheme) + 1:].startswith(("/", "\\")):
        return None, f"{scheme}:{authority}", path, query, fragment
    return scheme, authority, path, query, fragment


def _port(hostport: str) -> tuple[str, str]:
    if hostport.startswith("["):
        host, _, rest = hostport.partition("]")
        return host + "]", rest.removeprefix(":")
    host, _, port = hostport.partition(":")
    return host, port


def _mail_link(written: str, start: int, end: int, disguise: tuple[str, ...]) -> Link:
    """An address or mailto link; more than one address or any parameter is refused."""
    target, mark, query = written.partition(":")[2].partition("?") if ":" in written else (written, "", "")
    local, _, host = unquote(target).rpartition("@")
    read = parse_host(host)
    defects = (*disguise, *(("parameters",) if mark or "," in target else ()), *read.defects)
    return Link(start, end, written, "mailto", read.name, "", f"?{query}" if mark else "",
                f"{local.casefold()}@{read.name}", defects)


def markdown_targets(text: str) -> Iterator[tuple[int, int, str]]:
    """Targets of Markdown links, images, references and footnotes, which a client may render though we never do."""
    for match in _MARKDOWN.finditer(text):
        yield match.start(), match.end(), match[1] or match[2]


def foreign_links(text: str, rules: Sequence[LinkRule], participants: frozenset[str]) -> tuple[Link, ...]:
    """The links of `text` that may not go out unseen; Markdown targets that are no address at all count as such."""
    links = find_links(text)
    foreign = [link for link in links if not link.is_allowed(rules, participants)]
    for start, end, target in markdown_targets(text):
        inside = [link for link in links if start <= link.start and link.end <= end + 1]
        if not inside:
            foreign.append(Link(start, end, target, "", "", target, "", "", ("markdown_target",)))
    return tuple(sorted(foreign, key=lambda link: (link.start, link.end)))
