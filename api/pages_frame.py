"""The frame of every page: one style sheet of our own, no script, and headers that let nothing else in (HU1)."""

from html import escape

from starlette.responses import HTMLResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-store",
}
STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 72rem; padding: 1rem 1.5rem; color: #1c1e21 }
a { color: #0b57d0 }
h1 { font-size: 1.4rem }
h2 { font-size: 1.05rem; margin: 1.6rem 0 .3rem }
table { border-collapse: collapse; width: 100%; margin: .4rem 0 }
th, td { text-align: left; padding: .28rem .6rem; border-bottom: 1px solid #e3e5e8; vertical-align: top }
.number { text-align: right; font-variant-numeric: tabular-nums }
.banner { background: #fff4ce; border: 1px solid #e2c36b; padding: .5rem .8rem; border-radius: .4rem }
.bad { color: #b3261e; font-weight: 600 }
.good { color: #146c2e; font-weight: 600 }
input { font: inherit; padding: .35rem .5rem; width: 32rem; max-width: 100% }
button { font: inherit; padding: .35rem .9rem }
@media (prefers-color-scheme: dark) {
  body { background: #16181b; color: #e4e6e9 }
  a { color: #8ab4f8 }
  th, td { border-color: #33373c }
  .banner { background: #3a3218; border-color: #6b5a22 }
  .bad { color: #f2b8b5 }
  .good { color: #81c995 }
}
"""


def page(title: str, body: str, status: int = 200) -> HTMLResponse:
    """A whole page; `body` is HTML whose values are escaped already."""
    return HTMLResponse(
        "<!doctype html><html lang='en'><head><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width, initial-scale=1'>"
        f"<title>{escape(title)} · Deskhand</title><link rel='stylesheet' href='/style.css'></head>"
        f"<body>{body}</body></html>",
        status,
    )


async def style(request: object) -> Response:
    """The style sheet."""
    return Response(STYLE, media_type="text/css")


class SafeHeaders:
    """Adds the headers to every answer but those below /webhooks."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.pairs = [(name.encode(), value.encode()) for name, value in HEADERS.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                named = {name.lower() for name, _ in message.get("headers", [])}
                message["headers"] = [*message.get("headers", []), *(p for p in self.pairs if p[0] not in named)]
            await send(message)

        await self.app(scope, receive, with_headers if scope["type"] == "http" else send)
