"""`deskhand doctor` sends mail to itself and finds out where it stays (AD8, SE8)."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import httpx2
import pytest

from adapters.accounts import read_accounts
from adapters.postgres import Database
from cli.access import Access
from cli.checks.finding import Finding
from cli.checks.own_door import SKEW_S, _refused, _skew, _speed, check_own_door
from cli.checks.sending_domain import check_sending_domains
from tests.integration.running import Running


def wrong_ones(findings: list[Finding]) -> list[Finding]:
    """What is wrong, each with advice."""
    found = [finding for finding in findings if not finding.is_ok]
    assert all(finding.advice for finding in found)
    return found


async def no_wait(seconds: float) -> None:
    """Patience that costs nothing."""


async def test_a_sample_comes_in_through_each_source_and_goes_again(pipeline: Running) -> None:  # AD8
    """Held as automatic, no model asked, archived again; a customer's mail of that moment stays as it is."""
    waiting = await pipeline.arrive()
    await pipeline.until(waiting, "draft_ready")
    calls = await pipeline.value("SELECT count(*) FROM llm_usage")
    findings = await check_own_door(pipeline.settings, Access(pipeline.url, {}))
    assert wrong_ones(findings) == []
    sources = await pipeline.value("SELECT count(*) FROM sources")
    told = [finding for finding in findings if "archived again" in finding.detail]
    assert sources >= 2 and len(told) == sources
    samples = await pipeline.rows("SELECT * FROM inbound_messages WHERE subject LIKE 'Deskhand doctor%'")
    assert [(m["processing_status"], m["archive_reason"]) for m in samples] == [("archived", "dismissed")] * sources
    assert (await pipeline.message(waiting))["status"] == "draft_ready"
    assert await pipeline.value("SELECT count(*) FROM llm_usage") == calls
    database = await Database.connect(pipeline.database_url, most=1)
    accounts = await read_accounts(database)
    await database.close()
    assert accounts.balances


async def test_mail_that_nobody_takes_up_is_told(api_only: Running) -> None:  # AD8
    """The door is open, but no worker runs: the mail is safe, and the line says where to look."""
    findings = await check_own_door(api_only.settings, Access(api_only.url, {}), no_wait)
    found = wrong_ones(findings)
    assert found and all("nobody took it up" in one.detail and "worker" in one.advice for one in found)


async def test_a_door_that_is_shut_is_told(api_only: Running) -> None:  # AD8
    """Nothing listens there."""
    found = wrong_ones(await check_own_door(api_only.settings, Access("http://127.0.0.1:1", {}), no_wait))
    assert found and all("nothing answers at http://127.0.0.1:1" in one.detail for one in found)


async def test_a_key_that_opens_no_secret_is_told(api_only: Running) -> None:  # AD8, RC15
    """Another ORGANISATION_KEY than the installation's; no secret is in the line."""
    key = type(api_only.settings.organisation_key)("ab" * 32)
    other = api_only.settings.model_copy(update={"organisation_key": key})
    found = wrong_ones(await check_own_door(other, Access(api_only.url, {}), no_wait))
    assert found and all("ORGANISATION_KEY" in one.advice for one in found)
    assert api_only.login.raw_secret not in str(found)


@pytest.mark.parametrize(("code", "words"), [(401, "clocks"), (413, "proxy"), (503, "database"), (404, "address")])
def test_every_wrong_code_has_its_advice(code: int, words: str) -> None:  # AD8
    """What to look at depends on who said no."""
    finding = _refused("Source x", httpx2.Response(code))
    assert not finding.is_ok and str(code) in finding.detail and words in finding.advice


def test_slow_answers_and_skewed_clocks_are_told() -> None:  # AD8
    """More than two seconds, more than a minute; a server that names no time is no fault."""
    assert _speed("x", 0.4).is_ok and not _speed("x", 2.5).is_ok
    for seconds, told in ((0.0, 0), (SKEW_S + 30, 1), (-SKEW_S - 30, 1)):
        date = format_datetime(datetime.now(UTC) + timedelta(seconds=seconds))
        assert len(_skew(httpx2.Response(200, headers={"date": date}))) == told
    assert _skew(httpx2.Response(200)) == []
    assert _skew(httpx2.Response(200, headers={"date": "soon"})) == []


async def test_the_sending_domain_is_named_with_the_records_to_look_for(api_only: Running) -> None:  # SE8
    """Nothing is called right that was not looked up; files need no records."""
    assert "files" in (await check_sending_domains(api_only.settings))[0].detail
    smtp = api_only.settings.model_copy(update={"delivery_channel": "smtp", "smtp_host": "relay.example"})
    (finding,) = await check_sending_domains(smtp)
    assert finding.what == "Sending domain shop.example" and "not checked" in finding.detail
    for record in ("TXT shop.example", "v=spf1", "relay.example", "_domainkey.shop.example", "_dmarc.shop.example"):
        assert record in finding.advice


async def test_without_a_database_the_doctor_says_nothing_more(api_only: Running) -> None:  # AD8
    """The database has a line of its own."""
    url = type(api_only.settings.database_url)("postgresql://app:pw@127.0.0.1:1/deskhand")
    away = api_only.settings.model_copy(update={"database_url": url, "delivery_channel": "resend"})
    assert await check_own_door(away, Access(api_only.url, {}), no_wait) == []
    assert await check_sending_domains(away) == []
