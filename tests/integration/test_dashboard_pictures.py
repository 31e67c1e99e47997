"""Pictures that a mail brought along: only they, only as pictures, only for a while and for one session (HU2, HU4)."""

import base64
from uuid import UUID

import pytest_asyncio
from selectolax.lexbor import LexborHTMLParser

from tests.browser.test_without_script import reader_as
from tests.browser.visitors import Reader
from tests.integration.running import Running

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
)
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>fetch("https://outside.example/")</script></svg>'
HTML = (
    '<p>Look: <img src="cid:logo@mail" alt="our logo"> <img src="CID:%6Cogo%40mail">'
    '<img src="cid:drawing@mail" alt="a drawing"><img src="cid:page@mail" alt="a page">'
    '<img src="cid:none" alt="nothing">'
    '<img src="https://outside.example/pixel.png" alt="outside"><img src="/dashboard/sign-out" alt="ours"></p>'
)


def part(content: bytes, kind: str, content_id: str, name: str) -> str:
    """One related part."""
    coded = base64.b64encode(content).decode()
    return (
        f"--b\r\nContent-Type: {kind}; name={name}\r\nContent-ID: <{content_id}>\r\nContent-Disposition: inline\r\n"
        f"Content-Transfer-Encoding: base64\r\n\r\n{coded}\r\n"
    )


def designed(sender: str) -> bytes:
    """A mail with HTML, a picture, an SVG, and a page that claims to be a picture."""
    head = (
        f"From: {sender}\r\nTo: support@shop.example\r\nSubject: With pictures\r\nMessage-ID: <{sender}-1>\r\n"
        "Date: Mon, 30 Nov 2026 20:00:00 +0000\r\nMIME-Version: 1.0\r\n"
        "Content-Type: multipart/related; boundary=b\r\n\r\n"
    )
    html = f"--b\r\nContent-Type: text/html; charset=utf-8\r\n\r\n{HTML}\r\n"
    parts = (
        part(PNG, "image/png", "logo@mail", "logo.png"), part(SVG, "image/svg+xml", "drawing@mail", "drawing.svg"),
        part(b"<html><script>1</script>", "image/png", "page@mail", "page.png"),
    )  # fmt: skip
    return f"{head}{html}{''.join(parts)}--b--\r\n".encode()


@pytest_asyncio.fixture
async def reviewer(pipeline: Running) -> Reader:
    """A reviewer without a script."""
    return await reader_as(pipeline, "reviewer")


async def pictures(pipeline: Running, reader: Reader, message_id: UUID) -> tuple[str, list[str]]:
    """The framed page of a mail, and the addresses of its pictures."""
    await pipeline.until(message_id, "draft_ready", "archived", "quarantined")
    page = await reader.get(f"/dashboard/messages/{message_id}/html")
    addresses = [str(i.attributes["src"]) for i in LexborHTMLParser(page.text).css("img")]
    assert page.status_code == 200
    assert ("img-src data: 'self';" in page.headers["content-security-policy"]) == bool(addresses)
    return page.text, addresses


async def test_only_pictures_of_the_mail_itself_are_shown(pipeline: Running, reviewer: Reader) -> None:  # HU2
    """By Content-ID, quoted or not; SVG, a page in disguise, what is missing and what is elsewhere become words."""
    message_id = await pipeline.arrive(designed("one@kunde.example"))
    page, addresses = await pictures(pipeline, reviewer, message_id)
    assert len(addresses) == 2 and addresses[0] == addresses[1]
    assert addresses[0].startswith(f"/dashboard/pictures/{message_id}/")
    assert all(word in page for word in ("[a drawing]", "[a page]", "[nothing]", "[outside]", "[ours]"))
    shown = await pipeline.get(addresses[0], token="")
    assert (shown.status_code, shown.content, shown.headers["content-type"]) == (200, PNG, "image/png")
    assert shown.headers["x-content-type-options"] == "nosniff"
    assert shown.headers["content-security-policy"] == "sandbox; default-src 'none'"
    assert "no-store" in shown.headers["cache-control"]


async def test_an_address_is_good_for_one_picture_only(pipeline: Running, reviewer: Reader) -> None:  # HU4
    """Another number, a longer time, another session or another mark is nothing; so is one whose session ended."""
    message_id = await pipeline.arrive(designed("two@kunde.example"))
    other = await reader_as(pipeline, "reviewer")
    _, (address, *_) = await pictures(pipeline, reviewer, message_id)
    _, (others, *_) = await pictures(pipeline, other, message_id)
    *_, n, until, session, mark = address.split("/")
    base = f"/dashboard/pictures/{message_id}"
    for wrong in (
        f"{base}/{int(n) + 1}/{until}/{session}/{mark}", f"{base}/{n}/{int(until) + 9}/{session}/{mark}",
        f"{base}/{n}/{until}/{others.split('/')[-2]}/{mark}", f"{base}/{n}/{until}/{session}/{'0' * 64}",
        f"/dashboard/pictures/{UUID(int=1)}/{n}/{until}/{session}/{mark}",
        f"/dashboard/pictures/x/{n}/{until}/{session}/{mark}",
        f"{base}/{n}/{until}/{session}/é",
    ):  # fmt: skip
        assert (await pipeline.get(wrong, token="")).status_code == 404, wrong
    assert (await pipeline.get(address, token="")).status_code == 200
    await reviewer.get("/dashboard/inbox")
    await reviewer.post("/dashboard/sign-out")
    assert (await pipeline.get(address, token="")).status_code == 404
    assert (await pipeline.get(others, token="")).status_code == 200


async def test_what_is_too_large_stays_a_file(pipeline: Running, reviewer: Reader) -> None:
    """Neither named in the page nor served at an address from before."""
    message_id = await pipeline.arrive(designed("three@kunde.example"))
    _, (address, *_) = await pictures(pipeline, reviewer, message_id)
    await pipeline.sql("UPDATE attachments SET size_bytes = 9000000 WHERE message_id = $1", message_id)
    page, addresses = await pictures(pipeline, reviewer, message_id)
    assert addresses == [] and "[our logo]" in page
    assert (await pipeline.get(address, token="")).status_code == 404
