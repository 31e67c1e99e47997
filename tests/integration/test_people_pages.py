"""People and their ways in: invitations, one-time links, roles, sessions, and the administrator who is always left
(HU7)."""

import asyncio
import re
from typing import Any

from tests.browser.visitors import PASSWORD, Reader, new_person
from tests.integration.running import Running

PLACE = "/dashboard/settings/people"
INBOX = "/dashboard/inbox"
LINK = re.compile(r"(/dashboard/invitation/[\w-]+)")
NEW = "four quiet words here"


async def admin_at(running: Running, name: str = "") -> Reader:
    """An administrator at the page of people."""
    reader = Reader(running)
    await reader.sign_in(await new_person(running, "admin", name))
    assert (await reader.get(PLACE)).status_code == 200
    return reader


async def change(reader: Reader, act: str, person: Any = "", **fields: str) -> Any:
    """One change, as the form of the page makes it."""
    return await reader.post(PLACE, {"act": act, "person": str(person), "back": PLACE, **fields})


async def invite(reader: Reader, email: str, role: str = "reviewer", name: str = "") -> str:
    """Invites somebody; the path of their link."""
    answer = await change(reader, "invite", email=email, role=role, name=name)
    assert answer.status_code == 200, answer.text
    found = LINK.search(answer.text)
    assert found
    return found[1]


async def accept(running: Running, link: str, password: str = NEW, again: str | None = None) -> tuple[Reader, Any]:
    """Opens a link and chooses a password."""
    reader = Reader(running)
    await reader.get(link)
    return reader, await reader.post(link, {"password": password, "again": password if again is None else again})


async def id_of(running: Running, email: str) -> Any:
    """The id of a person."""
    return await running.value("SELECT id FROM users WHERE email = $1", email)


async def audited(running: Running, user_id: Any) -> list[str]:
    """What was noted about a person, in order."""
    rows = await running.rows("SELECT action FROM audit_log WHERE subject = $1 ORDER BY id", f"user/{user_id}")
    return [row["action"] for row in rows]


async def test_an_invitation_becomes_a_person_who_signs_in(api_only: Running) -> None:  # HU7
    """The link is shown once and hashed at rest; it sets the password, signs in, and is used up by that."""
    admin = await admin_at(api_only)
    link = await invite(admin, " Nora@Team.example ", "reviewer", "Nora")
    token = link.rpartition("/")[2]
    assert token not in str(await api_only.rows("SELECT * FROM password_links"))
    assert token not in str(await api_only.rows("SELECT * FROM sessions"))
    assert token not in (await admin.get(PLACE)).text
    nora, welcome = await accept(api_only, link)
    assert welcome.status_code == 303 and (await nora.get(INBOX)).status_code == 200
    user = (await api_only.rows("SELECT * FROM users WHERE email = 'nora@team.example'"))[0]
    assert user["role"] == "reviewer" and user["password_hash"].startswith("$argon2id$")
    assert (await Reader(api_only).sign_in("Nora@team.example", NEW)).status_code == 303
    again, answer = await accept(api_only, link, "another four quiet words")
    assert answer.status_code == 410 and "deskhand" not in again.cookies
    assert (await Reader(api_only).sign_in("nora@team.example", NEW)).status_code == 303
    assert await audited(api_only, user["id"]) == [
        "user_invited", "link_made", "password_set", "sign_in", "sign_in", "sign_in",
    ]  # fmt: skip


async def test_looking_at_a_link_uses_nothing_up(api_only: Running) -> None:  # HU5
    """Scanners follow every link; HEAD and GET leave it as it is, and refused passwords do too."""
    link = await invite(await admin_at(api_only), "looked@team.example")
    scanner = Reader(api_only)
    for _ in range(3):
        assert (await scanner.get(link)).status_code == 200
    for password, again, words in (
        ("short", "short", "at least 12"),
        ("aaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaa", "too easy"),
        ("looked@team.example", "looked@team.example", "too easy"),
        (NEW, NEW + "!", "not the same"),
        ("x y z w" * 200, "x y z w" * 200, "longer than"),
    ):
        _, answer = await accept(api_only, link, password, again)
        assert answer.status_code == 422 and words in answer.text, words
    assert (await accept(api_only, link))[1].status_code == 303


async def test_a_link_ends_by_time_by_a_newer_one_and_by_switching_off(api_only: Running) -> None:  # HU7
    """Each shows the same plain page, with status 410, and sets no password."""
    admin = await admin_at(api_only)
    old = await invite(admin, "late@team.example")
    user_id = await id_of(api_only, "late@team.example")
    newer = LINK.search((await change(admin, "link", user_id)).text)
    assert newer and newer[1] != old
    assert (await accept(api_only, old))[1].status_code == 410
    await api_only.sql("UPDATE password_links SET expires_at = now() WHERE user_id = $1", user_id)
    assert (await accept(api_only, newer[1]))[1].status_code == 410
    third = LINK.search((await change(admin, "link", user_id)).text)
    assert third and (await change(admin, "disable", user_id)).status_code == 303
    assert (await accept(api_only, third[1]))[1].status_code == 410
    assert (await change(admin, "link", user_id)).status_code == 409
    await change(admin, "enable", user_id)
    assert (await accept(api_only, third[1]))[1].status_code == 410
    assert await api_only.value("SELECT password_hash FROM users WHERE id = $1", user_id) is None
    for wrong in ("x", "x" * 43, "ä" * 43, "x" * 500):
        assert (await Reader(api_only).get(f"/dashboard/invitation/{wrong}")).status_code == 410


async def test_two_who_use_one_link_at_once_are_one(api_only: Running) -> None:  # HU7
    """The second is told that the link is gone."""
    link = await invite(await admin_at(api_only), "twice@team.example")
    answers = await asyncio.gather(accept(api_only, link), accept(api_only, link, "other four quiet words"))
    assert sorted(answer.status_code for _, answer in answers) == [303, 410]


async def test_a_link_of_another_site_or_without_its_token_sets_nothing(api_only: Running) -> None:  # HU5
    """403 without the token of the form or from elsewhere; the link still works."""
    link = await invite(await admin_at(api_only), "elsewhere@team.example")
    reader, form = Reader(api_only), {"password": NEW, "again": NEW}
    await reader.get(link)
    assert (await reader.post(link, form, **{"sec-fetch-site": "cross-site"})).status_code == 403
    assert (await reader.post(link, {**form, "csrf": "0" * 64})).status_code == 403
    assert (await accept(api_only, link))[1].status_code == 303


async def test_a_new_password_ends_the_sessions_and_the_old_password(api_only: Running) -> None:  # HU7
    """A link for a lost password leaves the old one until it is used."""
    email = await new_person(api_only, "reviewer")
    person, admin = Reader(api_only), await admin_at(api_only)
    await person.sign_in(email)
    link = LINK.search((await change(admin, "link", await id_of(api_only, email))).text)
    assert link and (await person.get(INBOX)).status_code == 200
    assert (await accept(api_only, link[1]))[1].status_code == 303
    assert (await person.get(INBOX)).status_code == 303
    assert (await Reader(api_only).sign_in(email, PASSWORD)).status_code == 401
    assert (await Reader(api_only).sign_in(email, NEW)).status_code == 303


async def test_a_link_ends_the_wait_after_wrong_guesses(api_only: Running) -> None:  # HU7
    """Whoever was locked out by guessing gets in again through a link."""
    email, reader = await new_person(api_only, "reviewer"), Reader(api_only)
    for _ in range(6):
        await reader.sign_in(email, "wrong")
    assert (await reader.sign_in(email)).status_code == 429
    admin = await admin_at(api_only)
    link = LINK.search((await change(admin, "link", await id_of(api_only, email))).text)
    assert link and (await accept(api_only, link[1]))[1].status_code == 303
    assert (await Reader(api_only).sign_in(email, NEW)).status_code == 303


async def test_roles_and_sessions_change_at_once(api_only: Running) -> None:  # HU7
    """A new role and `end sessions` end them; switching off also stops API tokens, and on again does not lose them."""
    admin, email = await admin_at(api_only), "moved@team.example"
    token = await api_only.person("reviewer", "read", email=email)
    user_id = await id_of(api_only, email)
    moved = (await accept(api_only, LINK.search((await change(admin, "link", user_id)).text)[1]))[0]  # type: ignore[index]
    assert (await change(admin, "role", user_id, role="viewer")).status_code == 303
    assert "The role is changed." in (await admin.get(PLACE)).text
    assert (await moved.get(INBOX)).status_code == 303
    await moved.sign_in(email, NEW)
    assert (await change(admin, "end_sessions", user_id)).status_code == 303
    assert (await moved.get(INBOX)).status_code == 303
    await moved.sign_in(email, NEW)
    assert (await change(admin, "disable", user_id)).status_code == 303
    assert (await moved.get(INBOX)).status_code == 303 and (await moved.sign_in(email, NEW)).status_code == 401
    assert (await api_only.get("/api/messages", token=token)).status_code == 401
    assert (await change(admin, "enable", user_id)).status_code == 303
    assert (await moved.sign_in(email, NEW)).status_code == 303
    assert (await api_only.get("/api/messages", token=token)).status_code == 200
    assert [a for a in await audited(api_only, user_id) if a not in ("sign_in", "link_made", "password_set")] == [
        "role_changed", "sessions_ended", "user_disabled", "user_enabled",
    ]  # fmt: skip


async def only_admins(running: Running, *emails: str) -> None:
    """Everybody else is a viewer."""
    await running.sql("UPDATE users SET role = 'viewer' WHERE role = 'admin' AND NOT email = ANY ($1)", list(emails))


async def test_the_last_administrator_who_can_sign_in_stays(api_only: Running) -> None:
    """Neither a lesser role nor switching off; invited administrators without a password do not count."""
    email = await new_person(api_only, "admin")
    admin = Reader(api_only)
    await admin.sign_in(email)
    await only_admins(api_only, email)
    await admin.get(PLACE)
    link = await invite(admin, "second@team.example", "admin")
    me = await id_of(api_only, email)
    for act, fields in (("role", {"role": "viewer"}), ("disable", {})):
        answer = await change(admin, act, me, **fields)
        assert answer.status_code == 409 and "last administrator" in answer.text
    assert (await admin.get(PLACE)).status_code == 200
    await accept(api_only, link)
    assert (await change(admin, "role", me, role="viewer")).status_code == 303
    assert await api_only.value("SELECT role FROM users WHERE id = $1", me) == "viewer"


async def test_two_administrators_cannot_remove_each_other(api_only: Running) -> None:
    """At the same moment one of them wins, and one is left."""
    emails = [await new_person(api_only, "admin") for _ in range(2)]
    await only_admins(api_only, *emails)
    readers = [Reader(api_only), Reader(api_only)]
    for reader, email in zip(readers, emails, strict=True):
        await reader.sign_in(email)
        await reader.get(PLACE)
    ids = [await id_of(api_only, email) for email in emails]
    answers = await asyncio.gather(*(change(r, "disable", o) for r, o in zip(readers, reversed(ids), strict=True)))
    left = await api_only.value("SELECT count(*) FROM users WHERE role = 'admin' AND disabled_at IS NULL")
    assert left == 1 and 303 in [a.status_code for a in answers]


async def test_only_administrators_see_and_change_people(api_only: Running) -> None:  # HU8
    """403 for others, on the page and on every change; the settings show them no way there."""
    user_id = await id_of(api_only, await new_person(api_only, "viewer"))
    for role in ("viewer", "reviewer"):
        reader = Reader(api_only)
        await reader.sign_in(await new_person(api_only, role))
        assert (await reader.get(PLACE)).status_code == 403
        assert PLACE not in (await reader.get("/dashboard/settings")).text
        for act in ("invite", "link", "role", "disable", "enable", "end_sessions", "unlink"):
            answer = await change(reader, act, user_id, role="admin", email="evil@team.example")
            assert answer.status_code == 403, act
    assert await api_only.value("SELECT role FROM users WHERE id = $1", user_id) == "viewer"
    assert await id_of(api_only, "evil@team.example") is None and await audited(api_only, user_id) == []


async def test_people_of_others_and_unknown_acts_are_not_there(api_only: Running) -> None:  # HU8
    """404, whatever the act; an id that is none as well."""
    other = await api_only.value(
        "WITH o AS (INSERT INTO organisations (name) VALUES ('Other') RETURNING id) "
        "INSERT INTO users (organisation_id, email, role) SELECT id, 'far@other.example', 'viewer' FROM o RETURNING id"
    )
    admin = await admin_at(api_only)
    assert "far@other.example" not in admin.page
    for person in (other, "nonsense", ""):
        for act in ("link", "role", "disable", "unlink"):
            assert (await change(admin, act, person, role="admin")).status_code == 404
    assert (await change(admin, "promote_everybody", other)).status_code == 404


async def test_what_cannot_be_an_invitation_is_said_and_kept(api_only: Running) -> None:
    """A bad address, a known one in other letters, a role that is none; the form keeps what was typed."""
    email, admin = await new_person(api_only, "viewer"), await admin_at(api_only)
    for fields, words in (
        ({"email": "no address", "role": "viewer"}, "no mail address"),
        ({"email": "a b@team.example", "role": "viewer"}, "no mail address"),
        ({"email": email.upper(), "role": "viewer"}, "is here already"),
        ({"email": "x@team.example", "role": "owner"}, "no such role"),
        ({"email": "x@team.example", "role": "viewer", "name": "x" * 101}, "longer than 100"),
        ({"email": "x@team.example", "role": "viewer", "name": "a\u202eb"}, "cannot be shown"),
    ):
        answer = await change(admin, "invite", **fields)
        assert answer.status_code == 422 and words in answer.text and fields["email"] in answer.text, words
    assert await id_of(api_only, "x@team.example") is None


async def test_a_person_changes_their_own_password(api_only: Running) -> None:  # HU7
    """With the old one; other sessions end, this browser goes on, and guessing is slowed down."""
    email = await new_person(api_only, "viewer")
    here, there = Reader(api_only), Reader(api_only)
    for reader in (here, there):
        await reader.sign_in(email)
    assert "2 open sessions" in (await here.get("/dashboard/account")).text
    path, good = "/dashboard/account/password", {"password": PASSWORD, "new_password": NEW, "again_password": NEW}
    assert "is wrong" in (await here.post(path, {**good, "password": "guess"})).text
    assert "at least 12" in (await here.post(path, {**good, "new_password": "short"})).text
    assert (await there.get(INBOX)).status_code == 200
    assert (await here.post(path, good)).status_code == 303
    assert "password is changed" in (await here.get("/dashboard/account")).text
    assert (await there.get(INBOX)).status_code == 303
    assert (await Reader(api_only).sign_in(email, NEW)).status_code == 303
    for _ in range(6):
        answer = await here.post(path, {**good, "password": "guess"})
    assert answer.status_code == 429


async def test_a_person_ends_their_other_sessions(api_only: Running) -> None:
    """And keeps this one."""
    email = await new_person(api_only, "viewer")
    here, there = Reader(api_only), Reader(api_only)
    for reader in (here, there):
        await reader.sign_in(email)
    await here.get("/dashboard/account")
    assert (await here.post("/dashboard/account/sessions")).status_code == 303
    assert (await there.get(INBOX)).status_code == 303 and (await here.get(INBOX)).status_code == 200


async def test_text_survives_a_sign_in_in_another_window(api_only: Running) -> None:
    """A form from before a new sign-in is not carried out; its text comes back at the page it was typed at."""
    email, reader = await new_person(api_only, "reviewer"), Reader(api_only)
    await reader.sign_in(email)
    await reader.get(INBOX)
    old = reader.page
    await reader.sign_in(email)
    reader.page = old
    path = "/dashboard/messages/00000000-0000-7000-8000-000000000000/reject"
    answer = await reader.post(path, {"note": "Not our <tone>", "back": "/dashboard/inbox/review", "stay": INBOX})
    assert answer.status_code == 303 and answer.headers["location"] == INBOX
    assert "Not our &lt;tone&gt;" in (await reader.get(INBOX)).text


async def test_text_survives_a_dead_database(api_only: Running) -> None:
    """The page that says so holds what was typed; secrets and marks of the form are not repeated."""
    reader = Reader(api_only)
    await reader.sign_in(await new_person(api_only, "reviewer"))
    await reader.get(INBOX)
    path = "/dashboard/messages/00000000-0000-7000-8000-000000000000/write_reply"
    form = {"text": "A long <b>answer</b>", "password": "hush hush", "seen_message_id": "0" * 32}
    await api_only.call(api_only.gate.shut())
    try:
        answer = await reader.post(path, form)
        assert answer.status_code == 503 and "A long &lt;b&gt;answer&lt;/b&gt;" in answer.text
        assert "hush hush" not in answer.text and "0" * 32 not in answer.text
        stranger = await reader.post(path, form, **{"sec-fetch-site": "cross-site"})
        assert "A long" not in stranger.text
    finally:
        await api_only.call(api_only.gate.open())
