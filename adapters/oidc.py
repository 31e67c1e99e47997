"""The identity provider behind four calls: what it is, its keys, a code for a token, and the person behind the token.

Everything it says is checked: endpoints over https, the signature by an asymmetric key of its own, the claims by
`domain.identity`. Answers are capped, redirects are not followed (HK1).
"""

import base64
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from urllib.parse import quote, urlencode

import httpx2
import orjson
from authlib.oauth2.rfc7636 import create_s256_code_challenge  # type: ignore[import-untyped]
from authlib.oidc.discovery import get_well_known_url  # type: ignore[import-untyped]
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from adapters.oidc_settings import OidcSettings
from contracts.errors import TransientFault
from domain.identity import IdentityRefused, check_claims, is_loopback_url

SCOPE: Final = "openid email profile"
ALGORITHMS: Final = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
KEY_TYPES: Final = frozenset({"RSA", "EC", "OKP"})
TIMEOUT: Final = httpx2.Timeout(10, connect=5)
LARGEST_ANSWER_BYTES: Final = 1024 * 1024
KEPT_S: Final = 3600
ADDRESS: Final = frozenset({"email", "email_verified"})
NEEDED: Final = ("authorization_endpoint", "token_endpoint", "jwks_uri")


class ProviderAway(TransientFault):
    """The identity provider does not answer, or answers with something else than it should."""


@dataclass(frozen=True)
class Question:
    """One sign-in under way: what only we and the provider know of it."""

    redirect_uri: str
    state: str
    nonce: str
    verifier: str


class Provider:
    """One provider; its description and keys are kept for an hour, and keys are read anew when none fits."""

    def __init__(self, settings: OidcSettings) -> None:
        self.issuer = settings.oidc_issuer
        self.client_id = settings.oidc_client_id
        self._secret = settings.oidc_client_secret.get_secret_value()
        self._about: Mapping[str, Any] = {}
        self._keys: KeySet | None = None
        self._read_at = 0.0

    async def address(self, question: Question) -> str:
        """Where the browser goes to sign in (OIDC Core 3.1.2.1, PKCE by RFC 7636)."""
        about = await self._description()
        query = {
            "response_type": "code", "client_id": self.client_id, "redirect_uri": question.redirect_uri,
            "scope": SCOPE, "state": question.state, "nonce": question.nonce,
            "code_challenge": create_s256_code_challenge(question.verifier), "code_challenge_method": "S256",
        }  # fmt: skip
        endpoint = str(about["authorization_endpoint"])
        return f"{endpoint}{'&' if '?' in endpoint else '?'}{urlencode(query)}"

    async def claims(self, code: str, question: Question, now: datetime) -> Mapping[str, Any]:
        """Everything the provider says about the person who came back with this code; IdentityRefused, ProviderAway."""
        answer = await self._redeem(code, question)
        token = answer.get("id_token")
        if not isinstance(token, str):
            raise IdentityRefused("token")
        claims = await self._verified(token)
        check_claims(claims, issuer=self.issuer, client_id=self.client_id, nonce=question.nonce, now=now)
        if claims.keys() >= ADDRESS:
            return claims
        # Address and verification belong together: both from here, or both from there.
        more = await self._more(answer, claims)
        return {**more, **{k: v for k, v in claims.items() if k not in ADDRESS}} if more else claims

    async def _redeem(self, code: str, question: Question) -> Mapping[str, Any]:
        about = await self._description()
        form = {
            "grant_type": "authorization_code", "code": code, "redirect_uri": question.redirect_uri,
            "code_verifier": question.verifier,
        }  # fmt: skip
        methods = about.get("token_endpoint_auth_methods_supported") or ["client_secret_basic"]
        headers: dict[str, str] = {}
        if not self._secret:
            form["client_id"] = self.client_id
        elif "client_secret_basic" in methods:
            headers["authorization"] = _basic(self.client_id, self._secret)
        else:
            form |= {"client_id": self.client_id, "client_secret": self._secret}
        return await _ask("POST", str(about["token_endpoint"]), headers, form, refusal="code")

    async def _verified(self, token: str) -> dict[str, Any]:
        """The claims, if one of the provider's keys signed them; a new key is looked for once."""
        for fresh in (False, True):
            keys = await self._key_set(fresh)
            try:
                claims = jwt.decode(token, keys, algorithms=list(ALGORITHMS)).claims
                if isinstance(claims, dict):
                    return claims
            except (JoseError, ValueError, TypeError):
                continue
        raise IdentityRefused("signature")

    async def _more(self, answer: Mapping[str, Any], claims: Mapping[str, Any]) -> dict[str, Any]:
        """What the userinfo endpoint adds, if it speaks of the same person (OIDC Core 5.3.2)."""
        endpoint, access = (await self._description()).get("userinfo_endpoint"), answer.get("access_token")
        if not isinstance(endpoint, str) or not isinstance(access, str) or not _is_safe(endpoint):
            return {}
        found = await _ask("GET", endpoint, {"authorization": f"Bearer {access}"}, refusal="userinfo")
        if found.get("sub") != claims["sub"]:
            raise IdentityRefused("userinfo")
        return dict(found)

    async def _description(self) -> Mapping[str, Any]:
        if not self._about or time.monotonic() - self._read_at > KEPT_S:
            about = await _ask("GET", get_well_known_url(self.issuer, external=True), {})
            if about.get("issuer") != self.issuer:
                raise IdentityRefused("issuer")
            if not all(isinstance(about.get(n), str) and _is_safe(about[n]) for n in NEEDED):
                raise ProviderAway("The identity provider names no endpoints that could be used.")
            self._about, self._keys, self._read_at = about, None, time.monotonic()
        return self._about

    async def _key_set(self, fresh: bool) -> KeySet:
        if self._keys is None or fresh:
            found = (await _ask("GET", str((await self._description())["jwks_uri"]), {})).get("keys")
            keys = [k for k in found if _signs(k)] if isinstance(found, list) else []
            try:
                self._keys = KeySet.import_key_set({"keys": keys})
            except (JoseError, ValueError, TypeError, KeyError):
                raise ProviderAway("The identity provider shows keys that cannot be read.") from None
        return self._keys


def _signs(key: Any) -> bool:
    return isinstance(key, dict) and key.get("kty") in KEY_TYPES and key.get("use", "sig") == "sig"


def _is_safe(url: str) -> bool:
    return url.startswith("https://") or is_loopback_url(url)


def _basic(client_id: str, secret: str) -> str:
    """Both are form-encoded first (RFC 6749 2.3.1)."""
    pair = f"{quote(client_id, safe='')}:{quote(secret, safe='')}"
    return f"Basic {base64.b64encode(pair.encode()).decode()}"


async def _ask(
    method: str, url: str, headers: Mapping[str, str], form: Mapping[str, str] | None = None, refusal: str = ""
) -> Mapping[str, Any]:
    """A JSON object; a 4xx is IdentityRefused(refusal) where there is such a word, all else ProviderAway."""
    asked = {"accept": "application/json", **headers}
    try:
        async with (
            httpx2.AsyncClient(timeout=TIMEOUT, trust_env=not is_loopback_url(url)) as client,
            client.stream(method, url, headers=asked, data=dict(form) if form else None) as answer,
        ):
            status, content = answer.status_code, await _capped(answer)
    except httpx2.HTTPError as fault:
        raise ProviderAway(f"The identity provider does not answer ({type(fault).__name__}).") from None
    if refusal and 400 <= status < 500 and status not in (408, 429):
        raise IdentityRefused(refusal)
    try:
        found = orjson.loads(content) if status == 200 else None
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise ProviderAway(f"The identity provider answered {status} and nothing that can be read.")
    return found


async def _capped(answer: httpx2.Response) -> bytes:
    content = b""
    async for piece in answer.aiter_bytes():
        content += piece
        if len(content) > LARGEST_ANSWER_BYTES:
            raise ProviderAway("The identity provider answers without end.")
    return content
