"""People in front of the pages: over plain HTTP, or in a browser that notes every address it asks for."""

import itertools
import re
from typing import Any

import httpx2
from argon2 import PasswordHasher
from playwright.async_api import Browser, Page
from selectolax.lexbor import LexborHTMLParser

from tests.integration.running import Running

DESK = {"width": 1400, "height": 900}
PASSWORD = "correct horse battery staple"
FAST = PasswordHasher(time_cost=1, memory_cost=1024, parallelism=1)
TOKEN = re.compile(r'name="csrf" value="(\w+)"')
_numbers = itertools.count(1)


async def new_person(running: Running, role: str, name: str = "") -> str:
    """A person who can sign in with PASSWORD; their mail address."""
    email = f"{role}{next(_numbers)}@team.example"
    await running.value(
        "INSERT INTO users (organisation_id, email, name, role, password_hash) "
        "SELECT id, $1, $2, $3, $4 FROM organisations RETURNING id",
        email, name or role.capitalize(), role, FAST.hash(PASSWORD),
    )  # fmt: skip
    return email


class Reader:
    """One person over plain HTTP, with cookies and without a script."""

    def __init__(self, running: Running) -> None:
        self.running = running
        self.cookies: dict[str, str] = {}
        self.page = ""

    async def ask(self, method: str, path: str, form: Any = None, **headers: str) -> httpx2.Response:
        """One request; cookies are kept, redirects are not followed."""
        sent = {"cookie": "; ".join(f"{k}={v}" for k, v in self.cookies.items()), **headers}
        answer = await self.running.request(method, path, token="", data=form, headers=sent)
        for name, value in answer.cookies.items():
            self.cookies[name] = value
        if answer.status_code == 200:
            self.page = answer.text
        return answer

    async def get(self, path: str, **headers: str) -> httpx2.Response:
        """Opens a page."""
        return await self.ask("GET", path, **headers)

    async def post(self, path: str, form: dict[str, Any] | None = None, **headers: str) -> httpx2.Response:
        """Sends a form with the token of the page that was opened last."""
        token = TOKEN.search(self.page)
        fields = {"csrf": token[1] if token else "", **(form or {})}
        return await self.ask("POST", path, fields, **{"sec-fetch-site": "same-origin", **headers})

    async def submit(self, action: str, **fields: str) -> httpx2.Response:
        """Fills in the form whose address ends with `action` and sends it, as a browser without a script does."""
        form = next(
            f for f in LexborHTMLParser(self.page).css("form") if (f.attributes.get("action") or "").endswith(action)
        )
        filled: dict[str, Any] = {}
        for node in form.css("input, textarea, select"):
            name, kind = node.attributes.get("name"), node.attributes.get("type")
            if name and kind not in ("checkbox", "submit"):
                filled[name] = node.text() if node.tag == "textarea" else node.attributes.get("value") or ""
        return await self.post(str(form.attributes["action"]), {**filled, **fields})

    def forms(self) -> set[str]:
        """The last word of the address of every form on the page."""
        found = LexborHTMLParser(self.page).css("form[method=post]")
        return {str(f.attributes["action"]).rpartition("/")[2] for f in found}

    async def sign_in(self, email: str, password: str = PASSWORD) -> httpx2.Response:
        """Through the form."""
        await self.get("/dashboard/sign-in")
        return await self.post("/dashboard/sign-in", {"email": email, "password": password})


class Visitors:
    """People with a browser; `asked` holds every address that any page asked for."""

    def __init__(self, running: Running, browser: Browser) -> None:
        self.running = running
        self.browser = browser
        self.asked: list[str] = []

    async def arrive(self, role: str = "reviewer", *, name: str = "", locale: str = "en-GB", **options: Any) -> Page:
        """Somebody new, signed in and at the inbox."""
        email = await new_person(self.running, role, name)
        context = await self.browser.new_context(**{"locale": locale, "viewport": DESK, **options})
        page = await context.new_page()
        page.on("request", lambda request: self.asked.append(request.url))
        await page.goto(f"{self.running.url}/dashboard/inbox")
        await page.locator("input[name=email]").fill(email)
        await page.locator("input[name=password]").fill(PASSWORD)
        await page.keyboard.press("Enter")
        await page.wait_for_selector(".rail")
        return page
