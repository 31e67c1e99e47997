"""Mailboxes by plain forms: added, named, paused, their addresses and their flags (P112, P113, RC11a)."""

import json

import pytest

from tests.integration.running import Running, mail
from tests.integration.settings_forms import ROOT, box, form_of, last_change, person, save, texts


async def test_flags_form_a_tree(api_only: Running) -> None:  # P112
    """Turning on pulls what is above; turning off takes effect below at once, and the page says so."""
    admin = await person(api_only)
    path = box(api_only, "flags")
    assert (await save(admin, path, f"{path}/ai.autonomy")).status_code == 303
    assert (await save(admin, path, f"{path}/ai.agent")).status_code == 303
    chips = dict(zip(texts((await admin.get(path)).text, ".flag b"), texts(admin.page, ".flag .chip"), strict=True))
    assert chips == {"Model": "on", "Agent": "off", "Autonomy": "on, but something above is off", "Knowledge": "on"}
    await save(admin, path, f"{path}/ai.autonomy")
    await save(admin, path, f"{path}/ai.autonomy")
    await admin.get(path)
    assert texts(admin.page, ".flag .chip") == ["on", "on", "on", "on"]
    await save(admin, path, f"{path}/ai.autonomy")
    assert (await admin.post(f"{path}/ai.everything", {"on": "yes"})).status_code == 404


async def test_a_pause_turns_the_agent_off_and_says_so(api_only: Running) -> None:  # P60
    """The list and the page say it; the end of the pause turns it on again."""
    admin = await person(api_only)
    await save(admin, box(api_only), f"{box(api_only)}/pause")
    assert "paused" in texts((await admin.get(ROOT)).text, ".card .chip")
    assert (await last_change(api_only))["action"] == "flag_off"
    await save(admin, box(api_only), f"{box(api_only)}/pause")
    assert "agent on" in texts((await admin.get(ROOT)).text, ".card .chip")


async def test_a_mailbox_is_added_with_everything_off(api_only: Running) -> None:  # P112, RC11a
    """Defaults, breakers and no flag; mail to its address belongs to it from then on."""
    admin = await person(api_only)
    answer = await save(admin, ROOT, address="Sales@Shop.example", name="Sales", timezone="Europe/Berlin")
    path = answer.headers["location"]
    mailbox_id = path.rpartition("/")[2]
    assert (await admin.get(path)).status_code == 200 and "Sales" in admin.page
    message_id = await api_only.arrive(mail(to="sales@shop.example"), x_envelope_to="sales@shop.example")
    found = await api_only.value("SELECT mailbox_id::text FROM accepted_mail WHERE message_id = $1", message_id)
    assert found == mailbox_id
    count = "SELECT count(*) FROM agent_circuit_breakers WHERE mailbox_id = $1::text::uuid"
    assert await api_only.value(count, mailbox_id) == 3
    assert await api_only.value(count.replace("agent_circuit_breakers", "feature_flags"), mailbox_id) == 0
    assert (await last_change(api_only))["action"] == "mailbox_added"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("address", "support@shop.example"), ("address", "no address"), ("address", "a@b\r\nBcc: x@y.example"),
        ("address", ""), ("name", "x" * 101), ("timezone", "Mars/Olympus"),
    ],
)  # fmt: skip
async def test_a_mailbox_that_cannot_be_is_refused(api_only: Running, field: str, value: str) -> None:
    """The field says why, what was typed stays, and no half of a mailbox is left."""
    admin = await person(api_only)
    before = await api_only.value("SELECT count(*) FROM mailboxes")
    fields = {"address": "new@shop.example", "name": "New", "timezone": "UTC", field: value}
    answer = await save(admin, ROOT, **fields)
    assert answer.status_code == 422 and texts(answer.text, f"#problem-{field}")
    assert await api_only.value("SELECT count(*) FROM mailboxes") == before
    assert form_of(answer.text, ROOT)["name"] == [fields["name"]]


async def test_addresses_come_and_go(api_only: Running) -> None:  # AM7, AM8
    """Kept in comparison form; one of another mailbox is refused by its name; the one replies leave from stays."""
    admin = await person(api_only)
    path = box(api_only)
    assert (await save(admin, path, f"{path}/addresses/add", address="Hilfe@BÜCHER.example")).status_code == 303
    assert "hilfe@xn--bcher-kva.example" in texts((await admin.get(path)).text, ".lines bdi")
    row = await last_change(api_only)
    assert (row["action"], json.loads(row["after"])) == ("address_added", {"address": "hilfe@xn--bcher-kva.example"})
    taken = await save(admin, path, f"{path}/addresses/add", address="hilfe@xn--bcher-kva.example")
    assert taken.status_code == 422 and "belongs to support@shop.example already" in taken.text
    gone = await admin.post(f"{path}/addresses/remove", {"address": "hilfe@xn--bcher-kva.example"})
    assert gone.status_code == 303 and "kva" not in (await admin.get(path)).text
    assert (await admin.post(f"{path}/addresses/remove", {"address": "support@shop.example"})).status_code == 422


async def test_name_and_zone_are_changed_and_audited(api_only: Running) -> None:  # P113
    """Only what differs is in the log."""
    admin = await person(api_only)
    assert (await save(admin, box(api_only), timezone="Asia/Kathmandu")).status_code == 303
    row = await last_change(api_only)
    assert row["action"] == "mailbox_changed" and json.loads(row["after"]) == {"timezone": "Asia/Kathmandu"}
    await save(admin, box(api_only), timezone=json.loads(row["before"])["timezone"])
    assert (await save(admin, box(api_only), timezone="Mars/Olympus")).status_code == 422
