"""Mail as it was designed, behind glass: cleaned with a short allow-list, in a frame that may run, load and reach
nothing (HU2).

Links lose their target and show its host in A-label form instead (HL5); remote images become their alternative text,
and pictures the mail brought along come from our own address.
"""

import re
from collections.abc import Mapping
from urllib.parse import unquote, urlsplit

import nh3
from selectolax.lexbor import LexborHTMLParser, LexborNode
from starlette.responses import HTMLResponse, Response

from api.dashboard.pictures import picture_addresses
from api.dashboard.visit import Visit
from api.errors import not_found
from domain.text.hosts import parse_host

POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:{}; frame-ancestors 'self'; base-uri 'none'; "
    "form-action 'none'; sandbox"
)
LARGEST_CHARACTERS = 2_000_000
TAGS = frozenset(
    "p div span br hr b strong i em u s small sub sup blockquote pre code ul ol li dl dt dd table thead tbody tfoot tr"
    " td th caption h1 h2 h3 h4 h5 h6 center font img".split()
)
GONE = frozenset(
    "script style title head iframe object embed noscript template svg math form select textarea button".split()
)  # fmt: skip
ATTRIBUTES = {
    "*": {"style", "dir", "align"},
    "td": {"colspan", "rowspan", "width", "valign", "bgcolor"},
    "th": {"colspan", "rowspan", "width", "valign", "bgcolor"},
    "table": {"width", "cellpadding", "cellspacing", "border", "bgcolor"},
    "font": {"color", "size"},
    "img": {"src", "alt", "width", "height"},
}
STYLES = frozenset(
    "color background-color font-weight font-style font-size font-family text-align text-decoration line-height"
    " padding padding-left padding-right padding-top padding-bottom margin margin-left margin-right"
    " margin-top margin-bottom border border-collapse width max-width vertical-align white-space"
    # What a reader of the mail would not see stays unseen; the page lists it as hidden (HV1).
    " display visibility opacity height max-height overflow".split()
)
INLINE_IMAGE = re.compile(r"data:image/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=\s]{1,2000000}")
DANGEROUS_STYLE = ("url(", "@import", "expression", "\\", "image(", "image-set(", "var(", "attr(")
NO_PICTURES: Mapping[str, str] = {}
FRAME = (
    "<!doctype html><html><head><meta charset='utf-8'><meta name='referrer' content='no-referrer'><style>"
    "body{{font:15px/1.5 system-ui,sans-serif;margin:12px;color:#1d2024;background:#fff;overflow-wrap:anywhere}}"
    "img{{max-width:100%}}table{{max-width:100%}}</style></head><body>{}</body></html>"
)


async def mail_html(visit: Visit) -> Response:
    """The cleaned HTML of one mail, for the frame of its conversation."""
    message_id = visit.path_id("message_id")
    async with visit.services.database.transaction(visit.who.mailboxes) as tx:
        found = await tx.value("dashboard_html", message_id)
        pictures = await picture_addresses(visit, tx, message_id) if found and "cid:" in found.lower() else {}
    if not found:
        raise not_found()
    headers = {
        "content-security-policy": POLICY.format(" 'self'" if pictures else ""), "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff", "cache-control": "no-store", "x-dns-prefetch-control": "off",
    }  # fmt: skip
    return HTMLResponse(FRAME.format(cleaned(found[:LARGEST_CHARACTERS], pictures)), headers=headers)


def cleaned(html: str, pictures: Mapping[str, str] = NO_PICTURES) -> str:
    """HTML that shows and does nothing else; the cleaning comes last, after every change of our own.

    `pictures` names our address of each picture that the mail calls by its Content-ID.
    """
    ours = frozenset(pictures.values())
    return nh3.clean(
        _without_targets(html, pictures), tags=set(TAGS), clean_content_tags=set(GONE), attributes=ATTRIBUTES,
        attribute_filter=lambda tag, name, value: _attribute(name, value, ours), url_schemes={"data"}, link_rel=None,
        filter_style_properties=set(STYLES),
    )  # fmt: skip


def _without_targets(html: str, pictures: Mapping[str, str]) -> str:
    tree = LexborHTMLParser(html)
    for link in tree.css("a"):
        host = _host(link.attributes.get("href") or "")
        if host:
            link.insert_after(f" [{host}]")
    for image in tree.css("img"):
        source = (image.attributes.get("src") or "").strip()
        called = pictures.get(unquote(source[4:]).strip("<> ")) if source[:4].lower() == "cid:" else None
        if called:
            image.attrs["src"] = called
        elif not INLINE_IMAGE.fullmatch(source):
            _as_words(image)
    return tree.html or ""


def _as_words(image: LexborNode) -> None:
    words = (image.attributes.get("alt") or "").strip()
    image.replace_with(f"[{words[:200]}]" if words else "")


def _host(href: str) -> str:
    """Where a link leads, as its registrar would write it."""
    try:
        parts = urlsplit(href.strip())
        raw = parts.hostname or ""
    except ValueError:
        return "?"
    if parts.scheme.lower() == "mailto":
        return href.strip()[7:207].partition("?")[0]
    return (parse_host(raw).name or "?") if raw else ""


def _attribute(name: str, value: str, ours: frozenset[str]) -> str | None:
    if name == "src":
        return value if value in ours or INLINE_IMAGE.fullmatch(value) else None
    if name == "style" and any(word in value.lower() for word in DANGEROUS_STYLE):
        return None
    return value
