"""People, tokens and invitations in a browser: by click and by keyboard, on a phone, in both languages; and typed text
that outlives a session."""

from typing import Any

from playwright.async_api import Page, expect

from tests.browser.readable import fits, flaws
from tests.browser.visitors import PASSWORD, Visitors

PEOPLE = "/dashboard/settings/people"
ACCESS = "/dashboard/settings/access"
PHONE: Any = {"width": 360, "height": 740}
NEW = "four quiet words here"


async def test_somebody_is_invited_and_comes_in(visitors: Visitors) -> None:  # HU7
    """The administrator makes a link, the new person opens it elsewhere, chooses a password and is at the inbox."""
    admin = await visitors.arrive("admin")
    await admin.goto(visitors.running.url + PEOPLE)
    assert await flaws(admin) == []
    await admin.get_by_label("Mail address").fill("nora@team.example")
    await admin.get_by_label("Name", exact=True).fill("Nora")
    await admin.get_by_role("button", name="Make the invitation").click()
    link = await admin.locator("#link").inner_text()
    assert "/dashboard/invitation/" in link and await flaws(admin) == []
    await admin.reload()
    await expect(admin.get_by_text("nora@team.example")).to_be_visible()
    assert await admin.locator("#link").count() == 0
    context = await visitors.browser.new_context(locale="de-DE", viewport=PHONE)
    nora = await context.new_page()
    await nora.goto(visitors.running.url + link[link.index("/dashboard") :])
    assert await flaws(nora) == [] and await fits(nora)
    await nora.keyboard.type(NEW)
    await nora.keyboard.press("Tab")
    await nora.keyboard.type("something else")
    await nora.keyboard.press("Enter")
    await expect(nora.get_by_role("alert")).to_contain_text("nicht gleich")
    await nora.locator("[name=password]").fill(NEW)
    await nora.locator("[name=again]").fill(NEW)
    await nora.keyboard.press("Enter")
    await nora.wait_for_selector(".rail")
    await nora.goto(visitors.running.url + link[link.index("/dashboard") :])
    await expect(nora.get_by_text("Dieser Link gilt nicht mehr.")).to_be_visible()


async def test_a_role_is_changed_without_a_script_on_a_phone(visitors: Visitors) -> None:
    """The same forms work without JavaScript at 360 px, and nothing sticks out; the last administrator stays."""
    admin = await visitors.arrive("admin", name="Zoe", java_script_enabled=False)
    await admin.set_viewport_size(PHONE)
    await admin.goto(visitors.running.url + PEOPLE)
    row = admin.locator("li.card", has_text="(you)")
    await row.locator("summary").click()
    await visitors.running.sql("UPDATE users SET role = 'viewer' WHERE role = 'admin' AND name <> 'Zoe'")
    await row.get_by_label("Role").select_option("viewer")
    await row.get_by_role("button", name="Set role").click()
    await expect(admin.get_by_role("alert")).to_contain_text("last administrator")
    await admin.goto(visitors.running.url + PEOPLE)
    await expect(admin.get_by_role("heading", name="People", exact=True)).to_be_visible()


async def test_pages_fit_a_phone(visitors: Visitors) -> None:
    """People, tokens and one's own account at 360 px, in German and dark, with everything open."""
    admin = await visitors.arrive("admin", locale="de-DE", color_scheme="dark")
    await admin.set_viewport_size(PHONE)
    for place in (PEOPLE, ACCESS, "/dashboard/account"):
        await admin.goto(visitors.running.url + place)
        await admin.evaluate("document.querySelectorAll('main details').forEach((d) => { d.open = true; })")
        assert await fits(admin), place
        assert await flaws(admin) == [], place


async def test_a_token_is_made_and_revoked(visitors: Visitors) -> None:  # HU8
    """Shown once; a reload asks for the page, not for another token."""
    admin = await visitors.arrive("admin")
    await admin.goto(visitors.running.url + ACCESS)
    await admin.get_by_label("What it is for").fill("night report")
    await admin.get_by_role("button", name="Make the token").click()
    token = await admin.locator("#token").inner_text()
    assert token.startswith("dh_") and await flaws(admin) == []
    assert (await visitors.running.get("/api/messages", token=token)).status_code == 200
    await admin.reload()
    assert await admin.locator("#token").count() == 0
    assert await visitors.running.value("SELECT count(*) FROM api_tokens WHERE name = 'night report'") == 1
    row = admin.locator("li.card", has_text="night report")
    await row.locator("summary").click()
    await row.get_by_role("button", name="Revoke it now").click()
    await expect(admin.locator(".note", has_text="The token is revoked.")).to_be_visible()
    assert (await visitors.running.get("/api/messages", token=token)).status_code == 401


async def ended(visitors: Visitors, page: Page) -> str:
    """Ends the session of a page on the server; the address to sign in with."""
    cookie = next(c for c in await page.context.cookies() if c["name"] == "deskhand")
    email: str = await visitors.running.value(
        "UPDATE sessions s SET ended_at = now() FROM users u WHERE u.id = s.user_id "
        "AND s.id_hash = encode(sha256($1::bytea), 'hex') RETURNING u.email",
        cookie["value"].encode(),
    )
    return email


async def sign_in_again(page: Page, email: str) -> None:
    """At the form that came instead; a wrong password first, as people do."""
    for password, words in (("wrong words entirely", "what you typed is kept"), (PASSWORD, "password is wrong")):
        await expect(page.get_by_role("alert")).to_contain_text(words)
        await page.locator("input[name=email]").fill(email)
        await page.locator("input[name=password]").fill(password)
        await page.keyboard.press("Enter")
    await page.wait_for_selector(".rail")


async def test_a_reply_typed_into_an_expired_session_is_there_after_signing_in(visitors: Visitors) -> None:
    """Back at the same page with the text in the same editor; nothing was sent meanwhile."""
    message_id = await visitors.running.arrive()
    await visitors.running.until(message_id, "draft_ready")
    page = await visitors.arrive("reviewer")
    await page.goto(f"{visitors.running.url}/dashboard/inbox/review?at={message_id}")
    address = page.url
    for action, field, text in (
        ("edit_and_approve", "textarea[name=text]", "Dear customer,\n<b>bold</b> words & more"),
        ("reject", "input[name=note]", "Not our tone"),
    ):
        box = page.locator("details.act-box", has=page.locator(f"form[action$={action}]"))
        await box.locator("summary").first.click()
        await box.locator(field).fill(text)
        email = await ended(visitors, page)
        await box.locator("form button").first.click()
        await sign_in_again(page, email)
        assert page.url == address
        await expect(box.locator(field)).to_be_visible()
        await expect(box.locator(field)).to_have_value(text)
        await page.goto(address)
    assert await visitors.running.value("SELECT processing_status FROM inbound_messages WHERE id = $1", message_id) == (
        "draft_ready"
    )


async def test_an_invitation_typed_into_an_expired_session_is_kept(visitors: Visitors) -> None:
    """The same for a form of the settings, and a reload of the sign-in page leads to the page as well."""
    page = await visitors.arrive("admin")
    await page.goto(visitors.running.url + PEOPLE)
    await page.get_by_label("Mail address").fill("ida@team.example")
    email = await ended(visitors, page)
    await page.get_by_role("button", name="Make the invitation").click()
    await expect(page.get_by_role("alert")).to_be_visible()
    assert "/dashboard/sign-in?next=" in page.url
    await sign_in_again(page, email)
    assert page.url == visitors.running.url + PEOPLE
    await expect(page.locator("#f-email")).to_have_value("ida@team.example")
