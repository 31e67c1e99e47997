"""Links that lie about where they lead, and mail that asks for credentials: the phishing verdict (P55, A50)."""

import re
from collections import Counter
from dataclasses import dataclass, field, replace

from contracts.security import Evidence
from domain.detect.anchors import Anchor, page_links
from domain.detect.families import QUARANTINE_MIN, SNIPPET_CHARACTERS_MAX, combined
from domain.detect.lures import lures_in
from domain.detect.packs.lures import BRANDS, REWRITERS, SHORTENERS
from domain.detect.scan import evidence_hash
from domain.outbound.links import Link, find_links
from domain.text.characters import without_surrogates
from domain.text.hosts import lookalike_of, main_label, organisational_domain

FAMILY = "phishing"
LINKS_MAX = 500
TEXT_CHARACTERS_MAX = 256 * 1024
TARGET_CHARACTERS_MAX = 4_000
BULK_ANCHORS_MIN = 3
REPORTED_MAX = 0.60
MISMATCH_COUNTS_MIN = 0.30
_LOGIN = re.compile(
    r"(?i)log-?in|sign-?in|verif|account|secur|passw|credential|auth|konto|anmeld|compte|connexion|cuenta|acceso|wallet"
    r"|unlock|billing|webmail"
)
_BULK = re.compile(
    r"(?i)unsubscribe|abmelden|abbestellen|d\u00e9sabonn|d\u00e9sinscri|darse de baja|cancelar suscripci|opt.out"
    r"|view in browser|im browser"
)


@dataclass(frozen=True, slots=True)
class PhishingFacts:
    """What the verdict is made of; `own_hosts` and `known_hosts` (of contacts) are the domains worth imitating here."""

    text: str = ""
    html: str = ""
    subject: str = ""
    own_hosts: frozenset[str] = frozenset()
    known_hosts: frozenset[str] = frozenset()
    is_list_mail: bool = False
    reported: bool = False


@dataclass(frozen=True, slots=True)
class PhishingVerdict:
    """The verdict with its evidence, and the link facts the spam score asks for."""

    detected: bool = False
    confidence: float = 0.0
    evidence: tuple[Evidence, ...] = ()
    links: int = 0
    link_mismatch: bool = False
    suspicious_host: bool = False


@dataclass(slots=True)
class _Case:
    facts: PhishingFacts
    anchors: tuple[Anchor, ...]
    links: list[Link]
    asks: bool = False
    bulk: bool = False
    found: list[Evidence] = field(default_factory=list)

    def add(self, name: str, weight: float, snippet: str) -> None:
        """Notes one reason."""
        self.found.append(Evidence(detector=f"phishing.{name}", family=FAMILY, weight=weight, place="link",
                                   snippet=" ".join(snippet.split())[:SNIPPET_CHARACTERS_MAX]))


def phishing(facts: PhishingFacts, *, bypassed: frozenset[tuple[str, str]] = frozenset()) -> PhishingVerdict:
    """Judges the links and the wording of a mail; `bypassed` holds (detector, evidence hash) pairs (P61)."""
    facts = replace(facts, text=without_surrogates(facts.text), html=without_surrogates(facts.html))
    page = page_links(facts.html)
    case = _Case(facts, page.anchors, _links(facts, page.anchors))
    words = f"{facts.subject}\n{facts.text}"
    lures = lures_in(words, "credential", "threat")
    credentials, threats = lures["credential"], lures["threat"]
    case.asks = bool(credentials)
    case.bulk = facts.is_list_mail or _BULK.search(words) is not None
    if page.password_form:
        case.add("password_form", 0.85, "form with a password field")
    for anchor in case.anchors:
        _judge_anchor(case, anchor)
    for link in case.links:
        _judge_host(case, link)
    foreign = [link for link in case.links if not _is_own(link.host, facts.own_hosts)]
    if credentials and foreign:
        case.add("asks_for_credentials", 0.45, credentials[0])
        if threats:
            case.add("threat", 0.46, threats[0])
    return _verdict(case, bypassed)


def _links(facts: PhishingFacts, anchors: tuple[Anchor, ...]) -> list[Link]:
    """Distinct links of text and HTML, by host and path."""
    found = list(find_links(facts.text[:TEXT_CHARACTERS_MAX], limit=LINKS_MAX))
    for anchor in anchors[:LINKS_MAX]:
        found += find_links(anchor.target[:TARGET_CHARACTERS_MAX], limit=LINKS_MAX)[:1]
    distinct = {(link.scheme, link.host, link.path, link.query): link for link in found if not link.address}
    return list(distinct.values())


def _is_own(host: str, own_hosts: frozenset[str]) -> bool:
    return bool(host) and organisational_domain(host) in {organisational_domain(own) for own in own_hosts}


def _judge_anchor(case: _Case, anchor: Anchor) -> None:
    """A link whose words name one host while it leads to another."""
    named, target = _only_link(anchor.text), _only_link(anchor.target)
    if named is None or target is None or not named.host or not target.host:
        return
    shown, real = organisational_domain(named.host), organisational_domain(target.host)
    if shown == real or any(target.host == host or target.host.endswith(f".{host}") for host in REWRITERS):
        return
    case.add("link_text_lies", _mismatch_weight(case, anchor, named, target), f"{anchor.text} \u2192 {target.host}")


def _only_link(written: str) -> Link | None:
    """The one web link that a text consists of; None if it is anything else."""
    stripped = written.strip()
    links = [link for link in find_links(stripped[:TARGET_CHARACTERS_MAX]) if not link.address]
    if len(links) != 1 or links[0].end - links[0].start < len(stripped) - 2:
        return None
    return links[0]


def _mismatch_weight(case: _Case, anchor: Anchor, named: Link, target: Link) -> float:
    """From a tracking newsletter (0.30) to a bank's name on a stranger's host (0.85)."""
    if main_label(named.host) == main_label(target.host):
        return 0.20
    hosts = Counter(organisational_domain(link.host) for link in case.links if link.host)
    tracked = case.bulk and hosts[organisational_domain(target.host)] >= BULK_ANCHORS_MIN
    if tracked or "://" in target.query or "%3a%2f%2f" in f"{target.path}{target.query}".lower():
        return 0.30
    guarded = {organisational_domain(host) for host in case.facts.own_hosts | BRANDS}
    if organisational_domain(named.host) in guarded or _LOGIN.search(f"{anchor.target} {anchor.text}") or case.asks:
        return 0.85
    return 0.75 if "://" in anchor.text and not case.bulk else 0.50


def _judge_host(case: _Case, link: Link) -> None:
    """Hosts that no honest link has."""
    if link.scheme in ("javascript", "data", "vbscript"):
        case.add("script_link", 0.85, link.written)
    if "userinfo" in link.defects:
        case.add("userinfo", 0.85, link.written)
    if "mixed_scripts" in link.defects:
        case.add("mixed_scripts", 0.85, link.written)
    if "ip_host" in link.defects:
        case.add("ip_host", 0.75 if _LOGIN.search(link.path) or case.asks else 0.40, link.written)
    if link.host and "ip_host" not in link.defects:
        _judge_likeness(case, link.host)
    if organisational_domain(link.host) in SHORTENERS:
        case.add("shortener", 0.30, link.host)


def _judge_likeness(case: _Case, host: str) -> None:
    """A host that imitates us, a big firm or a contact; a contact's neighbour may be honest, so that only flags."""
    facts = case.facts
    if organisational_domain(host) in {organisational_domain(known) for known in facts.known_hosts}:
        return
    imitated = lookalike_of(host, facts.own_hosts, near=True) or lookalike_of(host, BRANDS)
    neighbour = "" if imitated else lookalike_of(host, facts.known_hosts, near=True)
    if imitated or neighbour:
        case.add("lookalike_host", 0.85 if imitated else 0.50, f"{host} \u2192 {imitated or neighbour}")


def _verdict(case: _Case, bypassed: frozenset[tuple[str, str]]) -> PhishingVerdict:
    unique = tuple({(item.detector, item.snippet): item for item in case.found}.values())
    counted = [item for item in unique if (item.detector, evidence_hash(item)) not in bypassed]
    weights: dict[str, float] = {}
    for item in counted:
        weights[item.detector] = max(weights.get(item.detector, 0.0), item.weight)
    confidence = combined(weights)
    if case.facts.reported:
        confidence = min(confidence, REPORTED_MAX)
    names = {item.detector for item in unique if item.weight >= MISMATCH_COUNTS_MIN}
    return PhishingVerdict(
        detected=confidence >= QUARANTINE_MIN, confidence=confidence, evidence=unique,
        links=len(case.anchors) or len(case.links), link_mismatch="phishing.link_text_lies" in names,
        suspicious_host=bool(names & {"phishing.shortener", "phishing.lookalike_host", "phishing.mixed_scripts"}),
    )
