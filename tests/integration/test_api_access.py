"""Who gets in, and who may what: tokens, scopes, roles, other people's rows, and what never shows (HU8, HU10, HB1)."""

import ast
import uuid
from pathlib import Path
from typing import Any

import pytest
import structlog

from tests.integration.running import Running, mail

OPEN = {"/healthz", "/docs", "/openapi.json"}


async def operations(there: Running) -> list[tuple[str, str]]:
    """Every method and path of the API, with ids filled in."""
    schema = (await there.get("/openapi.json", token="")).json()
    found = []
    for path, methods in schema["paths"].items():
        filled = path.replace("{flag}", "ai").replace("{category}", "support").replace("{kind}", "llm_failure")
        filled = filled.replace("{act}", "pause").replace("knowledge/imports", "knowledge/imports?name=x.md")
        while "{" in filled:
            filled = filled[: filled.index("{")] + str(uuid.uuid4()) + filled[filled.index("}") + 1 :]
        found += [(method.upper(), filled) for method in methods]
    return found


async def test_nothing_is_open_without_a_token(api_only: Running) -> None:  # HU8, A115
    """401 with a plain error, also for a wrong, mangled or foreign kind of token, and for paths that do not exist."""
    paths = [*await operations(api_only), ("GET", "/metrics"), ("GET", "/api/nothing"), ("POST", "/api/")]
    for method, path in paths:
        answer = await api_only.request(method, path, token="", json={})
        assert answer.status_code == 401 and answer.json()["error"] == "unauthenticated", path
    good = api_only.login.api_token
    for header in ("Bearer", f"Basic {good}", f"Bearer {good}x", f"Bearer {good[:-1]}", "Bearer dh_" + "x" * 43, good):
        answer = await api_only.request("GET", "/api/messages", token="", headers={"authorization": header})
        assert answer.status_code == 401 and answer.headers["www-authenticate"] == "Bearer"
    for path in OPEN:
        assert (await api_only.get(path, token="")).status_code == 200


async def test_scope_and_role_are_asked_for_every_operation(api_only: Running) -> None:  # HU8, P97
    """403 without the scope, 403 without the role; whoever has both gets past (here to 404 or 422)."""
    viewer = await api_only.person("viewer", "read")
    reviewer = await api_only.person("reviewer", "read", "review")
    blind = await api_only.person("reviewer", "review")
    for method, path in await operations(api_only):
        if method != "GET":
            answer = await api_only.request(method, path, token=viewer, json=_body(path))
            assert answer.status_code == 403 and answer.json()["error"] == "scope_missing", (path, answer.text)
        else:
            answer = await api_only.request(method, path, token=blind)
            assert answer.status_code == 403, path
        admin_only = (
            "/mailboxes/" in path and method != "GET" or "/tokens" in path or path.endswith("release_quarantine")
        ) and not (method == "POST" and path.endswith("/handling"))
        answer = await api_only.request(method, path, token=reviewer, json=_body(path) if method != "GET" else None)
        assert (answer.status_code == 403) == admin_only, (method, path, answer.text)


def _body(path: str) -> dict[str, Any]:
    """A body that passes validation, so that only rights decide."""
    ids = {"seen_message_id": str(uuid.uuid4())}
    bodies: dict[str, dict[str, Any]] = {
        "approve": {"revision": 0, **ids},
        "edit_and_approve": {"text": "x", "base_revision": 0, **ids},
        "reassign": {"to_user": None},
        "write_reply": {"text": "x"},
        "revisions": {"text": "x"},
        "resolve_delivery": {"how": "close"},
        "deliver_to": {"mailbox_id": str(uuid.uuid4())},
        "bulk": {"action": "reject", "items": [{"message_id": str(uuid.uuid4())}]},
        "tokens": {"name": "x", "scopes": ["read"]},
        "config": {"max_retries": 3},
        "ai": {"on": True},
        "status": {"status": "open"},
        "snooze": {"preset": "tomorrow"},
        "assign": {"to_user": None},
        "notes": {"text": "x"},
        "block": {"reason": "x", "message_id": str(uuid.uuid4())},
        "unblock": {"mailbox_id": str(uuid.uuid4()), "address": "a@kunde.example"},
        "missions": {"mailbox_id": str(uuid.uuid4()), "goal": "x"},
        "promote": {"trust": "verified"},
        "reset": {"note": "x"},
        "category": {"category": "support"},
        "handling": {"kind": "never_automatic"},
    }
    if path.endswith("failures/retry"):
        return {"failed_step": "draft", "error_type": "Timeout"}
    if "/handling/" in path:
        return bodies["handling"]
    return bodies.get(path.rsplit("/", 1)[-1], {})


async def test_a_role_without_its_scope_and_a_scope_without_its_role(api_only: Running) -> None:  # HU8
    """A viewer whose role was taken down keeps no rights through an old token."""
    token = await api_only.person("reviewer", "read", "review", email="was-reviewer@team.example")
    await api_only.sql("UPDATE users SET role = 'viewer' WHERE email = 'was-reviewer@team.example'")
    answer = await api_only.act(uuid.uuid4(), "reject", token)
    assert (answer.status_code, answer.json()["error"]) == (403, "role_missing")


async def test_tokens_are_hashed_shown_once_and_end(api_only: Running) -> None:  # HU8
    """At rest only a hash; use is noted; expired, revoked and disabled ones are refused at once."""
    made = (await api_only.post("/api/tokens", {"name": "robot", "scopes": ["read"], "expires_in_days": 1})).json()
    token = made["token"]
    assert token.startswith("dh_") and made["expires_at"]
    stored = await api_only.rows("SELECT t::text AS row FROM api_tokens t")
    assert not any(token in row["row"] for row in stored)
    assert (await api_only.get("/api/messages", token=token)).status_code == 200
    listed = (await api_only.get("/api/tokens")).json()
    row = next(t for t in listed if t["id"] == made["id"])
    assert row["last_used_at"] and "token" not in row and "token_hash" not in row
    await api_only.sql("UPDATE api_tokens SET expires_at = now() - interval '1 s' WHERE id = $1::uuid", made["id"])
    assert (await api_only.get("/api/messages", token=token)).status_code == 401
    other = (await api_only.post("/api/tokens", {"name": "robot", "scopes": ["read"]})).json()
    assert (await api_only.request("DELETE", f"/api/tokens/{other['id']}")).status_code == 200
    assert (await api_only.get("/api/messages", token=other["token"])).status_code == 401
    gone = await api_only.person("viewer", "read", email="gone@team.example")
    await api_only.sql("UPDATE users SET disabled_at = now() WHERE email = 'gone@team.example'")
    assert (await api_only.get("/api/messages", token=gone)).status_code == 401


@pytest.mark.parametrize(
    "body",
    [
        {"name": "both", "scopes": ["propose", "review"]},
        {"name": "odd", "scopes": ["root"]},
        {"name": "none", "scopes": []},
        {"name": "", "scopes": ["read"]},
        {"name": "for ever", "scopes": ["read"], "expires_in_days": 100_000},
        {"name": "extra", "scopes": ["read"], "token_hash": "x"},
        {"name": "nobody", "scopes": ["read"], "user_id": str(uuid.uuid4())},
    ],
    ids=lambda b: b["name"] or "empty",
)
async def test_tokens_that_must_not_be(api_only: Running, body: dict[str, Any]) -> None:  # HU8
    """No token both proposes and approves; no unknown field is taken over."""
    assert (await api_only.post("/api/tokens", body)).status_code == 422


async def test_a_token_gives_no_more_than_the_persons_role(api_only: Running) -> None:  # HU8
    """A viewer cannot be given a reviewing token."""
    user = await api_only.value(
        "INSERT INTO users (organisation_id, email, role) SELECT id, 'v@team.example', 'viewer' FROM organisations "
        "RETURNING id"
    )
    answer = await api_only.post("/api/tokens", {"name": "x", "scopes": ["review"], "user_id": str(user)})
    assert answer.status_code == 422 and answer.json()["fields"][0]["field"] == "scopes"


async def test_rows_of_others_are_not_there(api_only: Running) -> None:  # HB1, HU8
    """Another organisation's mail, mailbox and people: 404 by id, absent from lists, and no count gives them away."""
    await api_only.arrive()
    foreign = await api_only.value(
        """WITH o AS (INSERT INTO organisations (name) VALUES ('Other') RETURNING id),
                b AS (INSERT INTO mailboxes (organisation_id, address) SELECT id, 'x@other.example' FROM o
                      RETURNING id, organisation_id),
                e AS (INSERT INTO inbound_events (source, provider_event_id, body_sha256)
                      VALUES ('other', 'x', 'x') RETURNING id)
           INSERT INTO accepted_mail (mailbox_id, dedup_key, event_id, source, organisation_id, raw_kind, account,
                poison_reason)
           SELECT b.id, 'x', e.id, 'other', b.organisation_id, 'rfc822', 'poison', 'parser_error' FROM b, e
           RETURNING message_id"""
    )
    mailbox = await api_only.value("SELECT id FROM mailboxes WHERE address = 'x@other.example'")
    for path in (f"/api/messages/{foreign}", f"/api/messages/{foreign}/raw", f"/api/mailboxes/{mailbox}"):
        assert (await api_only.get(path)).status_code == 404, path
    assert (await api_only.act(foreign, "parse_again")).status_code == 404
    assert (await api_only.put(f"/api/mailboxes/{mailbox}/flags/ai", {"on": True})).status_code == 404
    assert str(foreign) not in (await api_only.get("/api/poison?limit=100")).text
    accounts = (await api_only.get("/api/accounts")).json()
    assert str(mailbox) not in str(accounts)
    assert accounts["accepted"] == await api_only.value(
        "SELECT count(*) FROM accepted_mail a JOIN mailboxes b ON b.id = a.mailbox_id "
        "WHERE b.address <> 'x@other.example'"
    )


async def test_errors_and_logs_repeat_nothing_that_was_sent(api_only: Running) -> None:  # HU10, RC18
    """Planted names in body, subject, text, token and secret appear in no error answer and in no log line."""
    planted = ("Zanzibar", "zulu@kunde.example", "dh_planted-token-planted-token")
    with structlog.testing.capture_logs() as lines:
        await api_only.deliver(mail(sender=planted[1], subject=planted[0], body=planted[0]))
        await api_only.deliver_json(b'{"event": "inbound.received", "x": "Zanzibar"')
        answers = [
            await api_only.act(uuid.uuid4(), "write_reply", text=planted[0], subject=planted[0]),
            await api_only.act(uuid.uuid4(), "write_reply", text=[planted[0]]),
            await api_only.get("/api/messages", token=planted[2]),
            await api_only.request(
                "POST", "/api/bulk", content=b'{"action": "Zanzibar', headers={"content-type": "application/json"}
            ),
        ]
    assert [a.status_code for a in answers] == [422, 422, 401, 422]
    shown = " ".join(a.text for a in answers) + str(lines)
    assert not [name for name in (*planted, api_only.login.raw_secret, api_only.login.mta_secret) if name in shown]


async def test_a_request_of_two_mib_is_413(api_only: Running) -> None:
    """A reply is no place for a film; what is refused is not read to its end."""
    answer = await api_only.act(uuid.uuid4(), "write_reply", text="x" * (2 * 1024 * 1024))
    assert answer.status_code == 413 and answer.json()["error"] == "too_large"


def test_only_the_relay_starts_workflows(project_root: Path) -> None:  # RS-71, RC13
    """No call that starts one in the API, the command line or any adapter but the relay; schedules are the engine's."""
    allowed = {"adapters/relay.py", "adapters/engine.py"}
    starting = {"start_workflow", "execute_workflow", "signal_with_start", "start_update_with_start_workflow",
                "execute_update_with_start_workflow"}  # fmt: skip
    found = set()
    for folder in ("api", "adapters", "cli"):
        for file in (project_root / folder).rglob("*.py"):
            names = {n.attr for n in ast.walk(ast.parse(file.read_text())) if isinstance(n, ast.Attribute)}
            if names & starting:
                found.add(file.relative_to(project_root).as_posix())
    assert found == {"adapters/relay.py"} <= allowed


def test_the_api_writes_no_status_step_or_hold(project_root: Path) -> None:  # P21
    """Its statements name no such column on the left of an assignment, and it never claims to be the lifecycle."""
    block = (project_root / "adapters" / "queries" / "api.sql").read_text()
    writes = [s for s in block.split("-- name: ") if "UPDATE inbound_messages" in s or "agent_actions SET" in s]
    assert writes == [] and "INSERT INTO lifecycle" not in block and "INSERT INTO inbound_messages" not in block
    for file in (project_root / "api").rglob("*.py"):
        if "webhooks" not in file.parts:
            assert "lifecycle=True" not in file.read_text(), file
