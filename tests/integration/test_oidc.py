"""Signing in through an identity provider: who gets in, as whom, and everything that keeps others out (HU7)."""

from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
import pytest_asyncio
from pydantic import SecretStr
from selectolax.lexbor import LexborHTMLParser

from tests.browser.visitors import Reader, new_person
from tests.integration.running import Running
from tests.peers.oidc_peer import CLIENT_ID, SECRET, OidcPeer, Person, new_key

INBOX = "/dashboard/inbox"


@pytest_asyncio.fixture
async def peer(api_only: Running) -> AsyncIterator[OidcPeer]:
    """A provider that the running API is set up for."""
    async with OidcPeer() as started:
        configure(api_only, started)
        yield started


def configure(running: Running, peer: OidcPeer, **changes: Any) -> None:
    """Settings of the API from now on; the provider of before is forgotten."""
    values = {
        "oidc_issuer": peer.issuer, "oidc_client_id": CLIENT_ID, "oidc_client_secret": SecretStr(SECRET),
        "oidc_name": "Team ID", "public_url": running.url, "oidc_email_domains": (), "oidc_role_claim": "",
        "oidc_roles": {}, "oidc_default_role": "", **changes,
    }  # fmt: skip
    services = running.app.state.services
    services.settings = services.settings.model_copy(update=values)


async def leave(reader: Reader, **form: str) -> str:
    """Presses the button of the sign-in page; the address of the provider."""
    await reader.get("/dashboard/sign-in")
    answer = await reader.post("/dashboard/oidc/start", form)
    assert answer.status_code == 200, answer.text
    link = LexborHTMLParser(answer.text).css_first("a.primary")
    assert link is not None
    return str(link.attributes["href"])


async def come_back(reader: Reader, address: str) -> str:
    """What the provider sends the browser to, as a path of ours."""
    async with httpx2.AsyncClient(trust_env=False) as client:
        answer = await client.get(address)
    assert answer.status_code == 302, answer.text
    target = answer.headers["location"]
    assert target.startswith(reader.running.url)
    return str(target.removeprefix(reader.running.url))


async def through(reader: Reader, **form: str) -> httpx2.Response:
    """The whole way there and back."""
    return await reader.get(await come_back(reader, await leave(reader, **form)))


async def refusal(reader: Reader) -> str:
    """The words with which the way back ends at the sign-in page; nobody is signed in then."""
    answer = await through(reader)
    assert answer.status_code in (403, 503), answer.status_code
    note = LexborHTMLParser(answer.text).css_first("[role=alert]")
    assert note is not None and "deskhand" not in reader.cookies
    assert (await reader.get(INBOX)).status_code == 303
    return note.text(strip=True)


async def user_of(running: Running, email: str) -> Any:
    """The row of a person."""
    rows = await running.rows("SELECT * FROM users WHERE email = $1", email)
    return rows[0] if rows else None


async def test_a_known_person_is_found_by_verified_address_and_then_by_subject(
    api_only: Running, peer: OidcPeer
) -> None:  # HU7
    """The first time joins the identity to the person; afterwards the address may change at the provider."""
    email = await new_person(api_only, "reviewer")
    peer.person = Person("sub-known", email.upper())
    reader = Reader(api_only)
    welcome = await through(reader, next="/dashboard/inbox/review")
    assert welcome.status_code == 303 and welcome.headers["location"] == "/dashboard/inbox/review"
    assert (await reader.get(INBOX)).status_code == 200
    peer.person = Person("sub-known", "renamed@team.example")
    again = Reader(api_only)
    assert (await through(again)).status_code == 303
    user = await user_of(api_only, email)
    assert user["role"] == "reviewer"
    assert await api_only.value("SELECT count(DISTINCT user_id) FROM sessions WHERE user_id = $1", user["id"]) == 1
    actions = [r["action"] for r in await api_only.rows(
        "SELECT action FROM audit_log WHERE subject = $1 ORDER BY id", f"user/{user['id']}")]  # fmt: skip
    assert actions == ["identity_linked", "sign_in", "sign_in"]


async def test_a_password_still_works_beside_it(api_only: Running, peer: OidcPeer) -> None:
    """The page offers both, and neither switches the other off."""
    email = await new_person(api_only, "viewer")
    peer.person = Person("sub-both", email)
    reader = Reader(api_only)
    assert (await through(reader)).status_code == 303
    other = Reader(api_only)
    page = await other.get("/dashboard/sign-in")
    assert "Sign in with Team ID" in page.text and (await other.sign_in(email)).status_code == 303


@pytest.mark.parametrize(
    ("claims", "words"),
    [
        ({"nonce": "x" * 64}, "belongs to another sign-in"),
        ({"nonce": None}, "belongs to another sign-in"),
        ({"aud": "another-program"}, "meant for another program"),
        ({"aud": [CLIENT_ID, "another-program"]}, "meant for another program"),
        ({"aud": [CLIENT_ID, "b"], "azp": "b"}, "meant for another program"),
        ({"aud": None}, "meant for another program"),
        ({"azp": "another-program"}, "meant for another program"),
        ({"iss": "https://elsewhere.example"}, "another identity provider"),
        ({"exp": 1_700_000_000}, "had run out"),
        ({"exp": None}, "had run out"),
        ({"exp": True}, "had run out"),
        ({"iat": 9_000_000_000}, "comes from the future"),
        ({"nbf": 9_000_000_000}, "comes from the future"),
        ({"sub": ""}, "names nobody"),
        ({"sub": ["a"]}, "names nobody"),
        ({"email_verified": False}, "has not verified your mail address"),
        ({"email_verified": "false"}, "has not verified your mail address"),
        ({"email_verified": 1}, "has not verified your mail address"),
        ({"email": "no address"}, "does not say your mail address"),
    ],
)
async def test_a_token_that_is_not_exactly_right_lets_nobody_in(
    api_only: Running, peer: OidcPeer, claims: dict[str, Any], words: str
) -> None:  # HU7
    """Each wrong claim has its own sentence, and no identity is joined to anybody."""
    email = await new_person(api_only, "admin")
    peer.person = Person(f"sub-{words[:8]}-{len(str(claims))}", email, claims)
    assert words in await refusal(Reader(api_only))
    user = await user_of(api_only, email)
    assert not await api_only.value("SELECT count(*) FROM user_identities WHERE user_id = $1", user["id"])


@pytest.mark.parametrize(
    ("mode", "words"),
    [
        ("other-key", "not signed with one of its keys"),
        ("hmac", "not signed with one of its keys"),
        ("unsigned", "not signed with one of its keys"),
        ("no-token", "holds no identity"),
        ("deny", "broken off"),
    ],
)
async def test_a_forged_or_missing_token_lets_nobody_in(
    api_only: Running, peer: OidcPeer, mode: str, words: str
) -> None:  # HU7
    """Another key, the public key as an HMAC secret, no signature at all, no token, or a refusal."""
    peer.person = Person("sub-forged", await new_person(api_only, "admin"))
    peer.modes = {mode}
    assert words in await refusal(Reader(api_only))


@pytest.mark.parametrize("mode", ["away", "garbage", "other-issuer"])
async def test_a_provider_that_does_not_answer_leaves_the_password(
    api_only: Running, peer: OidcPeer, mode: str
) -> None:
    """Its trouble is said in words at the form that still works; what was typed before stays with it."""
    email = await new_person(api_only, "reviewer")
    peer.modes = {mode}
    reader = Reader(api_only)
    await reader.get("/dashboard/sign-in")
    answer = await reader.post("/dashboard/oidc/start", {"kept_text": "A long answer", "typed_for": "write_reply"})
    assert answer.status_code in (403, 503) and "kept_text" in answer.text and "identity provider" in answer.text
    assert (await reader.sign_in(email)).status_code == 303


async def test_a_state_works_once_and_only_in_its_browser(api_only: Running, peer: OidcPeer) -> None:  # HU7
    """A repeated, a foreign, a made-up and an old state end at the sign-in page, before the provider is asked."""
    peer.person = Person("sub-state", await new_person(api_only, "reviewer"))
    reader, thief = Reader(api_only), Reader(api_only)
    back = await come_back(reader, await leave(reader))
    await thief.get("/dashboard/sign-in")
    asked = len(peer.asked)
    assert (await thief.get(back)).status_code == 403
    assert (await reader.get(back.replace("state=", "state=x"))).status_code == 403
    assert (await reader.get("/dashboard/oidc/callback")).status_code == 403
    assert len(peer.asked) == asked
    assert (await reader.get(back)).status_code == 303
    reader.cookies.pop("deskhand")
    replayed = await reader.get(back)
    assert replayed.status_code == 403 and "used already" in replayed.text and "deskhand" not in reader.cookies
    late = await come_back(reader, await leave(reader))
    await api_only.sql("UPDATE oidc_attempts SET created_at = now() - interval '11 minutes'")
    assert (await reader.get(late)).status_code == 403


async def test_nothing_that_helps_a_thief_is_in_the_database(api_only: Running, peer: OidcPeer) -> None:  # HU7
    """State, nonce and verifier of a sign-in under way stand nowhere in its row."""
    reader = Reader(api_only)
    asked = parse_qs(urlsplit(await leave(reader)).query)
    rows = str(await api_only.rows("SELECT * FROM oidc_attempts"))
    assert rows and asked["state"][0] not in rows and asked["nonce"][0] not in rows
    assert asked["code_challenge_method"] == ["S256"] and "verifier" not in asked


async def test_a_form_of_another_site_starts_nothing(api_only: Running, peer: OidcPeer) -> None:  # HU5
    """Without the token of the form, or from elsewhere: 403, and no state is made."""
    reader = Reader(api_only)
    await reader.get("/dashboard/sign-in")
    before = await api_only.value("SELECT count(*) FROM oidc_attempts")
    for headers in ({"sec-fetch-site": "cross-site"}, {"origin": "https://evil.example"}):
        assert (await reader.post("/dashboard/oidc/start", **headers)).status_code == 403
    assert (await reader.post("/dashboard/oidc/start", {"csrf": "0" * 64})).status_code == 403
    assert await api_only.value("SELECT count(*) FROM oidc_attempts") == before
    assert (await reader.get("/dashboard/oidc/start")).status_code == 405


async def test_new_people_come_in_by_their_domain_with_the_role_of_their_group(
    api_only: Running, peer: OidcPeer
) -> None:
    """An allowed domain and a mapped value make an account; without a role or with another domain there is none."""
    configure(
        api_only, peer, oidc_email_domains=("team.example",), oidc_role_claim="realm.groups",
        oidc_roles={"leads": "admin", "agents": "reviewer"},
    )  # fmt: skip
    peer.person = Person("sub-new", "new@team.example", {"realm": {"groups": ["agents", "leads", "cooks"]}})
    assert (await through(Reader(api_only))).status_code == 303
    assert (await user_of(api_only, "new@team.example"))["role"] == "admin"
    peer.person = Person("sub-cook", "cook@team.example", {"realm": {"groups": ["cooks"]}})
    assert "gives you no role" in await refusal(Reader(api_only))
    peer.person = Person("sub-far", "far@elsewhere.example", {"realm": {"groups": ["leads"]}})
    assert "mail domain" in await refusal(Reader(api_only))
    for email in ("cook@team.example", "far@elsewhere.example"):
        assert await user_of(api_only, email) is None


async def test_the_group_decides_at_every_sign_in_but_leaves_an_administrator(
    api_only: Running, peer: OidcPeer
) -> None:
    """A changed group changes the role; the last administrator who can sign in keeps it."""
    configure(api_only, peer, oidc_role_claim="groups", oidc_roles={"leads": "admin"}, oidc_default_role="viewer")
    email, other = await new_person(api_only, "admin"), await new_person(api_only, "admin")
    await api_only.sql("UPDATE users SET role = 'viewer' WHERE role = 'admin' AND email NOT IN ($1, $2)", email, other)
    peer.person = Person("sub-group", email, {"groups": []})
    reader = Reader(api_only)
    assert (await through(reader)).status_code == 303
    assert (await user_of(api_only, email))["role"] == "viewer" and (await reader.get(INBOX)).status_code == 200
    peer.person = Person("sub-last", other, {"groups": "cooks"})
    assert (await through(Reader(api_only))).status_code == 303
    assert (await user_of(api_only, other))["role"] == "admin"


async def test_without_an_allowed_domain_only_invited_people_come_in(api_only: Running, peer: OidcPeer) -> None:
    """A default role alone opens the door to nobody."""
    configure(api_only, peer, oidc_default_role="reviewer")
    peer.person = Person("sub-nobody", "nobody@team.example")
    assert "Nobody here has this mail address" in await refusal(Reader(api_only))


async def test_an_address_that_changed_hands_does_not_open_the_account(api_only: Running, peer: OidcPeer) -> None:
    """Another subject with the address of a joined person is refused, until an administrator undoes the link."""
    email = await new_person(api_only, "reviewer")
    peer.person = Person("sub-first", email)
    assert (await through(Reader(api_only))).status_code == 303
    peer.person = Person("sub-second", email)
    assert "belongs to another account" in await refusal(Reader(api_only))
    admin, user = Reader(api_only), await user_of(api_only, email)
    await admin.sign_in(await new_person(api_only, "admin"))
    await admin.get("/dashboard/settings/people")
    undone = await admin.post("/dashboard/settings/people", {"act": "unlink", "person": str(user["id"])})
    assert undone.status_code == 303
    assert (await through(Reader(api_only))).status_code == 303


async def test_a_disabled_person_stays_out(api_only: Running, peer: OidcPeer) -> None:
    """Joined or not."""
    email = await new_person(api_only, "reviewer")
    peer.person = Person("sub-off", email)
    await api_only.sql("UPDATE users SET disabled_at = now() WHERE email = $1", email)
    assert "switched off" in await refusal(Reader(api_only))
    await api_only.sql("UPDATE users SET disabled_at = NULL WHERE email = $1", email)
    assert (await through(Reader(api_only))).status_code == 303
    await api_only.sql("UPDATE users SET disabled_at = now() WHERE email = $1", email)
    assert "switched off" in await refusal(Reader(api_only))


async def test_keys_may_change_and_secrets_may_go_in_the_form(api_only: Running, peer: OidcPeer) -> None:
    """A new signing key is looked for once; `client_secret_post`, an issuer with a path, and userinfo work too."""
    email = await new_person(api_only, "reviewer")
    peer.person, peer.methods, peer.path = Person("sub-keys", email), ["client_secret_post"], "/realms/team"
    configure(api_only, peer)
    assert (await through(Reader(api_only))).status_code == 303
    peer.key = new_key()
    assert (await through(Reader(api_only))).status_code == 303
    peer.modes = {"email-at-userinfo"}
    assert (await through(Reader(api_only))).status_code == 303
    peer.modes = {"email-at-userinfo", "foreign-userinfo"}
    assert "did not say who you are" in await refusal(Reader(api_only))


async def test_a_wrong_secret_is_said(api_only: Running, peer: OidcPeer) -> None:
    """The provider refuses us, and the page names what to look at."""
    configure(api_only, peer, oidc_client_secret=SecretStr("wrong"))
    peer.person = Person("sub-wrong", await new_person(api_only, "reviewer"))
    assert "client id and secret" in await refusal(Reader(api_only))


async def test_text_typed_before_goes_the_whole_way(api_only: Running, peer: OidcPeer) -> None:
    """An expired session, a sign-in through the provider, and the text is told on the page it was typed at."""
    peer.person = Person("sub-text", await new_person(api_only, "reviewer"))
    reader = Reader(api_only)
    form = {"kept_text": "A long <b>answer</b>", "typed_for": "write_reply", "next": "/dashboard/inbox/review"}
    back = await through(reader, **form)
    assert back.headers["location"] == "/dashboard/inbox/review"
    assert "A long &lt;b&gt;answer&lt;/b&gt;" in (await reader.get("/dashboard/inbox/review")).text


async def test_without_a_provider_nothing_is_offered(api_only: Running, peer: OidcPeer) -> None:
    """No button, and its addresses say so in words."""
    configure(api_only, peer, oidc_issuer="")
    reader = Reader(api_only)
    assert "oidc" not in (await reader.get("/dashboard/sign-in")).text
    answer = await reader.get("/dashboard/oidc/callback?code=a&state=b")
    assert answer.status_code == 404 and "no identity provider" in answer.text
