"""A stand-in for an identity provider over real HTTP: discovery, authorization, token, keys and userinfo, all strict.

It checks what a careful provider checks (redirect address, client secret, PKCE, one use of a code) and answers as told:
`claims` changes what the identity token says, `modes` what goes wrong.
"""

import asyncio
import base64
import hashlib
import hmac
import json
import secrets
import time
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, parse_qsl, unquote, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

CLIENT_ID = "deskhand client"
SECRET = "s3cret/with+signs"


@dataclass
class Granted:
    """A code that was given away, with what it is bound to."""

    nonce: str
    challenge: str
    redirect_uri: str


@dataclass
class Person:
    """Who signs in at the provider next."""

    subject: str
    email: str
    claims: dict[str, Any] = field(default_factory=dict)


def new_key() -> RSAKey:
    """A signing key with a name of its own."""
    return RSAKey.generate_key(2048, {"kid": secrets.token_hex(4), "use": "sig", "alg": "RS256"})


def _packed(part: dict[str, Any]) -> str:
    return base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode()


class OidcPeer:
    """The server. `person` signs in at once; a claim of None is left out of the token.

    `modes` may hold: `deny`, `other-key`, `hmac`, `unsigned`, `away`, `garbage`, `no-token`, `other-issuer`,
    `email-at-userinfo`, `foreign-userinfo`.
    """

    def __init__(self) -> None:
        self.person = Person("subject-1", "ada@team.example")
        self.modes: set[str] = set()
        self.asked: list[str] = []
        self.key = new_key()
        self.methods = ["client_secret_basic"]
        self.path = ""
        self.url = ""
        self._codes: dict[str, Granted] = {}
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def issuer(self) -> str:
        """How the provider names itself."""
        return f"{self.url}{self.path}"

    async def __aenter__(self) -> "OidcPeer":
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._server:
            self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            await self._serve(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            writer.transport.abort()
        finally:
            self._tasks.discard(task)
            writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        request, *lines = head.split("\r\n")
        fields = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
        body = (await reader.readexactly(int(fields.get("content-length", "0")))).decode()
        method, target, _ = request.split(" ")
        place = urlsplit(target)
        self.asked.append(f"{method} {place.path}")
        status, answer, more = self._answer(place.path.removeprefix(self.path), place.query, fields, body)
        content = json.dumps(answer).encode() if not isinstance(answer, bytes) else answer
        header = "".join(f"{k}: {v}\r\n" for k, v in more.items())
        writer.write(
            f"HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {len(content)}\r\n"
            f"Connection: close\r\n{header}\r\n".encode() + content
        )
        await writer.drain()

    def _answer(self, path: str, query: str, fields: dict[str, str], body: str) -> tuple[int, Any, dict[str, str]]:
        if "away" in self.modes:
            return 503, {"error": "unavailable"}, {}
        if "garbage" in self.modes:
            return 200, b"<html>hello</html>", {}
        match path:
            case "/.well-known/openid-configuration":
                return 200, self._about(), {}
            case "/authorize":
                return self._authorize(dict(parse_qsl(query)))
            case "/token":
                return self._token(fields, {k: v[0] for k, v in parse_qs(body).items()})
            case "/keys":
                odd = {"kty": "oct", "k": "AAAA", "kid": "symmetric"}
                return 200, {"keys": [odd, self.key.as_dict(private=False)]}, {}
            case "/userinfo":
                return self._userinfo(fields)
        return 404, {}, {}

    def _about(self) -> dict[str, Any]:
        issuer = "https://elsewhere.example" if "other-issuer" in self.modes else self.issuer
        ends = {"authorization_endpoint": "authorize", "token_endpoint": "token", "jwks_uri": "keys"}
        return {
            "issuer": issuer, "userinfo_endpoint": f"{self.issuer}/userinfo",
            "token_endpoint_auth_methods_supported": self.methods,
            **{name: f"{self.issuer}/{end}" for name, end in ends.items()},
        }  # fmt: skip

    def _authorize(self, asked: dict[str, str]) -> tuple[int, Any, dict[str, str]]:
        sound = (
            asked["client_id"] == CLIENT_ID and asked["response_type"] == "code" and "openid" in asked["scope"].split()
            and asked["code_challenge_method"] == "S256" and len(asked["state"]) >= 32 and len(asked["nonce"]) >= 32
        )  # fmt: skip
        if not sound:
            return 400, {"error": "invalid_request"}, {}
        if "deny" in self.modes:
            back = {"error": "access_denied", "state": asked["state"]}
        else:
            code = secrets.token_urlsafe(16)
            self._codes[code] = Granted(asked["nonce"], asked["code_challenge"], asked["redirect_uri"])
            back = {"code": code, "state": asked["state"], "iss": self.issuer}
        return 302, {}, {"Location": f"{asked['redirect_uri']}?{urlencode(back)}"}

    def _token(self, fields: dict[str, str], form: dict[str, str]) -> tuple[int, Any, dict[str, str]]:
        granted = self._codes.pop(form.get("code", ""), None)
        if not self._is_client(fields, form):
            return 401, {"error": "invalid_client"}, {}
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        if granted is None or granted.challenge != challenge or granted.redirect_uri != form["redirect_uri"]:
            return 400, {"error": "invalid_grant"}, {}
        answer = {"access_token": "opaque", "token_type": "Bearer", "id_token": self._identity(granted.nonce)}
        if "no-token" in self.modes:
            del answer["id_token"]
        return 200, answer, {}

    def _is_client(self, fields: dict[str, str], form: dict[str, str]) -> bool:
        if self.methods == ["client_secret_post"]:
            return (form.get("client_id"), form.get("client_secret")) == (CLIENT_ID, SECRET)
        given = fields.get("authorization", "")
        pair = base64.b64decode(given.removeprefix("Basic ")).decode().partition(":")
        return given.startswith("Basic ") and (unquote(pair[0]), unquote(pair[2])) == (CLIENT_ID, SECRET)

    def _identity(self, nonce: str) -> str:
        now, at_userinfo = int(time.time()), "email-at-userinfo" in self.modes
        said = {
            "iss": self.issuer, "aud": CLIENT_ID, "sub": self.person.subject, "nonce": nonce, "iat": now,
            "exp": now + 300, "email": None if at_userinfo else self.person.email,
            "email_verified": None if at_userinfo else True, "name": "Ada", **self.person.claims,
        }  # fmt: skip
        claims = {k: v for k, v in said.items() if v is not None}
        header = {"alg": "RS256", "kid": self.key.kid}
        if "hmac" in self.modes:
            text = f"{_packed({**header, 'alg': 'HS256'})}.{_packed(claims)}"
            mark = hmac.new(self.key.as_pem(private=False), text.encode(), hashlib.sha256).digest()
            return f"{text}.{base64.urlsafe_b64encode(mark).rstrip(b'=').decode()}"
        if "unsigned" in self.modes:
            return f"{_packed({'alg': 'none'})}.{_packed(claims)}."
        return jwt.encode(header, claims, new_key() if "other-key" in self.modes else self.key)

    def _userinfo(self, fields: dict[str, str]) -> tuple[int, Any, dict[str, str]]:
        if fields.get("authorization") != "Bearer opaque":
            return 401, {}, {}
        subject = "somebody-else" if "foreign-userinfo" in self.modes else self.person.subject
        return 200, {"sub": subject, "email": self.person.email, "email_verified": True}, {}
