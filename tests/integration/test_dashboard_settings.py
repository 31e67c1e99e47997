"""The settings of a mailbox by plain forms: every field, its range, who may, what is kept of a change (P112, P113)."""

import json
from datetime import date
from typing import Any

import pytest

from api.dashboard.settings.fields import SECTIONS, fields_of, meant, shown
from api.dashboard.settings.hours import next_holidays
from api.settings_body import ConfigBody
from tests.integration.running import Running
from tests.integration.settings_forms import ROOT, box, config, form_of, last_change, person, save, texts


async def test_every_setting_stands_on_a_page_once(api_only: Running) -> None:  # P112
    """Each field of the API's model is a field of one form."""
    admin = await person(api_only)
    names: list[str] = []
    for section in SECTIONS:
        await admin.get(box(api_only, section))
        names += [n for n in form_of(admin.page, box(api_only, section)) if n not in ("csrf", "seen", "back")]
    assert sorted(names) == sorted(ConfigBody.model_fields)


def test_what_is_shown_means_the_same() -> None:  # P113
    """Each default goes out to the form and comes back as it was, through its unit."""
    fields = [f for section in SECTIONS for f in fields_of(section)]
    back = ConfigBody(**{f.name: meant(f, shown(f, f.default)) for f in fields})
    assert back.model_dump() == ConfigBody.model_construct().model_dump()


@pytest.mark.parametrize("section", SECTIONS)
async def test_saving_what_is_there_changes_nothing(api_only: Running, section: str) -> None:  # P113
    """No audit row, and the values stay."""
    admin = await person(api_only)
    counted = "SELECT count(*) FROM audit_log WHERE action = 'config'"
    before, rows = await config(api_only), await api_only.value(counted)
    assert (await save(admin, box(api_only, section))).status_code == 303
    assert await config(api_only) == before
    assert await api_only.value(counted) == rows


async def test_a_change_is_saved_told_and_audited(api_only: Running) -> None:  # P112
    """In the unit people see, with a comma as well; who, before and after stand in the log and in the history."""
    admin = await person(api_only, name="Ada")
    changed = {"human_undo_ms": "7,5", "confidence_threshold": "85", "require_sender_auth": []}
    answer = await save(admin, box(api_only, "sending"), **changed)
    assert answer.status_code == 303 and "Saved." in (await admin.get(answer.headers["location"])).text
    saved = await config(api_only)
    assert (saved["human_undo_ms"], saved["confidence_threshold"], saved["require_sender_auth"]) == (7500, 0.85, False)
    row = await last_change(api_only)
    assert json.loads(row["before"])["human_undo_ms"] == "15000" and json.loads(row["after"])["human_undo_ms"] == "7500"
    history = (await admin.get(f"{ROOT}/history")).text
    assert texts(history, ".history > li:first-child .small bdi") == ["Ada"]
    before, after = (set(texts(history, f".history > li:first-child {tag}")) for tag in ("del", "ins"))
    assert before == {"15 s", "80 %", "yes"} and after == {"7.5 s", "85 %", "no"}


WRONG = {
    "sending": {
        "human_undo_ms": ("120.001", "-1", "soon", "", "1e5", "9" * 40),
        "confidence_threshold": ("101", "80.55", "NaN"), "audit_rate": ("4", "11"),
        "max_daily_auto_replies": ("-1", "2.5"),
    },
    "arrival": {"coalesce_window_ms": ("601",), "sender_burst": ("0", "100001")},
    "hours": {
        "working_hours_zone": ("Mars/Olympus",), "working_hours_start": ("25:00", "noon"),
        "working_hours_days": (["0"], ["8"], ["1", "1"], ["Mon"]), "holidays_region": ("XX", "DE-XX", "<b>"),
    },
    "spending": {"daily_budget_usd": ("-0.01", "much"), "monthly_budget_usd": ("0.00001",)},
    "steps": {"retry_after_s": ("9",), "review_due_after_s": ("0.5",), "thread_close_after_days": ("0", "3651")},
    "replies": {"tone_description": ("x" * 2001, "a\x00b"), "signature_template": ("x" * 2001,)},
}  # fmt: skip


@pytest.mark.parametrize(
    ("section", "name", "value"), [(s, n, v) for s, names in WRONG.items() for n, vs in names.items() for v in vs]
)
async def test_a_value_out_of_range_is_refused_by_name(
    api_only: Running, section: str, name: str, value: Any
) -> None:  # A106, P113
    """422; the field says why and keeps what was typed; the other fields of the form are not saved either."""
    admin = await person(api_only)
    before = await config(api_only)
    other = next(f for f in fields_of(section) if f.name != name and f.kind in ("number", "text", "yes_no"))
    touched = {"number": "61", "text": "touched", "yes_no": "on"}[other.kind]
    answer = await save(admin, box(api_only, section), **{name: value, other.name: touched})
    assert answer.status_code == 422 and await config(api_only) == before
    assert len(texts(answer.text, f"#problem-{name}")) == 1
    assert f'href="#f-{name}"' in answer.text
    if isinstance(value, str):
        assert form_of(answer.text, box(api_only, section))[name] == [value.replace("\x00", "\ufffd")]


async def test_a_form_from_before_is_refused_with_both_texts(api_only: Running) -> None:
    """Two open the same page: the second is told what is saved now, keeps what they typed, and may save again."""
    ada, ben = await person(api_only), await person(api_only)
    path = box(api_only, "arrival")
    await ben.get(path)
    old = form_of(ben.page, path)
    assert (await save(ada, path, sender_burst="33")).status_code == 303
    late = await ben.post(path, {**old, "sender_burst": ["44"]})
    assert late.status_code == 409 and (await config(api_only))["sender_burst"] == 33
    assert "33" in " ".join(texts(late.text, ".state.warn li"))
    again = form_of(late.text, path)
    assert again["sender_burst"] == ["44"]
    assert (await ben.post(path, again)).status_code == 303 and (await config(api_only))["sender_burst"] == 44


async def test_only_an_administrator_is_offered_changes(api_only: Running) -> None:  # P97
    """Viewers and reviewers read everything; no form is offered, and one made up is refused."""
    pages = [ROOT, f"{ROOT}/sources", f"{ROOT}/model", f"{ROOT}/history", box(api_only), box(api_only, "flags")]
    pages += [box(api_only, section) for section in SECTIONS]
    for role in ("viewer", "reviewer"):
        reader = await person(api_only, role)
        for path in pages:
            assert (await reader.get(path)).status_code == 200, path
            assert reader.forms() == {"preferences", "sign-out"}, path
        before = await config(api_only)
        made_up = (f"{box(api_only)}/pause", f"{ROOT}/sources/default/rotate", f"{box(api_only)}/flags/ai")
        for path in (*pages[:3], box(api_only), box(api_only, "sending"), *made_up):
            assert (await reader.post(path, {"human_undo_ms": "1"})).status_code == 403, path
        assert await config(api_only) == before


async def test_the_preview_is_rendered_by_the_server_and_escaped(api_only: Running) -> None:  # HU3
    """By the button or while typing, nothing is saved; markup stays text; the lines are those of the prompt."""
    admin = await person(api_only)
    path, tone, signature = box(api_only, "replies"), "<b>dry</b>", "Yours\n<script>alert(1)</script>\u202e"
    shown_page = await save(admin, path, preview="yes", tone_description=tone, signature_template=signature)
    live = await admin.post(f"{path}/preview", {"tone_description": tone, "signature_template": signature})
    for page in (shown_page.text, live.text):
        assert "<script>alert" not in page and "<b>dry" not in page
        assert "Yours <script>alert(1)</script>⟦RLO⟧" in texts(page, ".preview .body")[0]
        assert texts(page, ".told")[0] == "Tone: <b>dry</b>"
    assert (await config(api_only))["tone_description"] == ""
    assert form_of(shown_page.text, path)["signature_template"] == [signature]


async def test_what_was_typed_survives_an_ended_session(api_only: Running) -> None:  # issue: bad input
    """After signing in again the texts stand in their fields, not saved."""
    admin = await person(api_only)
    path = box(api_only, "replies")
    await admin.get(path)
    fields = form_of(admin.page, path)
    await api_only.sql("UPDATE sessions SET ended_at = now()")
    lost = await admin.post(path, {**fields, "tone_description": ["warm and brief"]})
    kept = {n: v for n, v in form_of(lost.text, "/dashboard/sign-in").items() if n not in ("email", "password", "csrf")}
    back = await person(api_only)
    await back.get("/dashboard/sign-in")
    email = await api_only.value("SELECT email FROM users WHERE role = 'admin' ORDER BY created_at DESC LIMIT 1")
    answer = await back.post("/dashboard/sign-in", {**kept, "email": email, "password": "correct horse battery staple"})
    assert answer.headers["location"] == path
    await back.get(path)
    assert form_of(back.page, path)["tone_description"] == ["warm and brief"]
    assert (await config(api_only))["tone_description"] == ""


async def test_unknown_places_are_not_found(api_only: Running) -> None:  # P97
    """Another id, the mailbox of nobody, a section that is none: 404 with a way back."""
    admin = await person(api_only)
    nobody = await api_only.value("SELECT id FROM mailboxes WHERE kind = 'unassigned'")
    for path in (box(api_only, "nonsense"), f"{ROOT}/mailboxes/{nobody}", f"{ROOT}/mailboxes/x"):
        answer = await admin.get(path)
        assert answer.status_code == 404 and "/dashboard/inbox" in answer.text, path
    assert (await admin.post(f"{ROOT}/sources/none/rotate")).status_code == 404


@pytest.mark.parametrize("region", ["", "XX", "DE-XX", "DE-BY-", "<b>", "-", "de"])
def test_a_region_that_is_none_has_no_holidays(region: str) -> None:
    """Whatever stands in the field while somebody types."""
    assert next_holidays(region, "en") == []


def test_the_next_holidays_show_what_a_region_means() -> None:
    """From today on, in the reader's language where it is known, else in that of the country."""
    day = date(2026, 12, 1)
    assert next_holidays("DE-BY", "de", day)[0] == (date(2026, 12, 25), "Erster Weihnachtstag")
    assert next_holidays("DE-BY", "en", day)[0] == (date(2026, 12, 25), "Christmas Day")
    assert next_holidays("FR", "de", day)[0] == (date(2026, 12, 25), "Noël")


async def test_pages_speak_german(api_only: Running) -> None:
    """Words, units and problems."""
    admin = await person(api_only)
    await admin.post("/dashboard/preferences", {"language": "de", "scheme": "", "back": ROOT})
    answer = await save(admin, box(api_only, "sending"), human_undo_ms="121")
    assert texts(answer.text, "#problem-human_undo_ms") == ["Von 0 bis 120 s."] and "Speichern" in answer.text
