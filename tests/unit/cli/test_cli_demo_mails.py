"""The mails of the demo as files, and what a run does with what it sees."""

import asyncio
import os
import re
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from adapters.importing.markdown_reader import read_markdown
from adapters.parsing import SandboxedParser
from cli.demo_cases import FOLDER, KNOWLEDGE, MAILS, DemoMail, mail_day
from cli.demo_run import CALM_LOOKS, DemoRun
from cli.door import Fate, Receipt
from cli.follow import Standing
from cli.sent_mails import sent_mails
from contracts.mail import ParsedMail
from contracts.status import Status

MAILBOX = "help@team.example"
DAY = date(2026, 11, 29)


@pytest.fixture(scope="module")
def parsed() -> dict[str, ParsedMail]:
    """Every mail of the demo as the product's own parser reads it."""

    async def parse() -> dict[str, ParsedMail]:
        parser = SandboxedParser(processes=1)
        now = datetime.combine(DAY, datetime.min.time(), UTC) + timedelta(days=1)
        try:
            found = [await parser.parse(m.content(MAILBOX, DAY), "rfc822", received_at=now) for m in MAILS]
        finally:
            await parser.close()
        return {mail.file: each for mail, (each, _) in zip(MAILS, found, strict=True)}

    return asyncio.run(parse())


def test_every_file_has_its_expected_end_and_the_other_way_round() -> None:
    """No mail lies in the folder unused, and none of the table is missing."""
    assert sorted(mail.file for mail in MAILS) == sorted(file.name for file in FOLDER.glob("*.eml"))
    assert len(MAILS) == 12


def test_mails_reach_the_mailbox_of_the_stack_and_look_fresh(parsed: dict[str, ParsedMail]) -> None:
    """The operator's own mailbox address, and a date near enough to be believed (MI20)."""
    for file, mail in parsed.items():
        assert [each.identity for each in mail.to] == [MAILBOX], file
        assert mail.date is not None and mail.date.date() == DAY, file
        assert set(mail.defects) <= {"body_empty"}, file


def test_all_people_live_at_example_domains() -> None:
    """RFC 2606: nobody real is named, and no link leaves the reserved names."""
    for mail in MAILS:
        hosts = re.findall(rb"@([\w.-]+)|https?://([\w.-]+)", (FOLDER / mail.file).read_bytes())
        named = {(a or b).decode().rstrip(".") for a, b in hosts}
        assert {host for host in named if not host.endswith((".example", "example.org"))} == set(), mail.file


def test_each_mail_is_what_it_shows(parsed: dict[str, ParsedMail]) -> None:
    """HTML alone, subject alone, automatic, German: the parser sees what the table says."""
    assert parsed["11-html-only.eml"].html and "return it" in parsed["11-html-only.eml"].text
    assert parsed["12-subject-only.eml"].new_text.strip() in ("", parsed["12-subject-only.eml"].subject)
    german = {file for file, mail in parsed.items() if mail.language == "de"}
    assert german == {"03-lieferzeit.eml", "04-beschwerde.eml"}
    assert ("auto-submitted", "auto-replied") in parsed["10-out-of-office.eml"].headers
    assert "verärgert" in parsed["04-beschwerde.eml"].text


def test_three_mails_are_one_thread(parsed: dict[str, ParsedMail]) -> None:
    """Same sender; each answers the one before and names all of them, also in a second run with new ids."""
    first, second, third = (parsed[f"0{n}-bulb{tail}.eml"] for n, tail in ((7, ""), (8, "-dimmer"), (9, "-box")))
    assert first.from_ and second.from_ and third.from_
    assert first.from_.identity == second.from_.identity == third.from_.identity
    assert (second.in_reply_to, third.in_reply_to) == ((first.message_id,), (second.message_id,))
    raw = [next(m for m in MAILS if m.file.startswith(n)).content(MAILBOX, DAY, b"abcd") for n in ("07", "08", "09")]
    assert b"In-Reply-To: <bulb-1.demo-abcd@customer.example>" in raw[1]
    assert b"Message-ID: <bulb-1.demo-abcd@customer.example>" in raw[0]


def test_a_repeat_on_the_same_day_is_the_same_mail() -> None:
    """C8: a second demo finds duplicates; `--again` and another day make other mails."""
    mail = MAILS[0]
    assert mail.content(MAILBOX, DAY) == mail.content(MAILBOX, DAY)
    earlier = mail.content(MAILBOX, DAY - timedelta(days=1))
    assert len({mail.content(MAILBOX, DAY), mail.content(MAILBOX, DAY, b"x"), earlier}) == 3


def test_days_are_written_in_english() -> None:
    """RFC 5322 3.3, whatever the locale."""
    assert (mail_day(date(2026, 3, 2)), mail_day(date(2026, 12, 31))) == ("Mon, 2 Mar 2026", "Thu, 31 Dec 2026")


def test_knowledge_of_the_shop_is_complete() -> None:
    """English and German pages; policies by their name."""
    pages = sorted(KNOWLEDGE.glob("*.md"))
    assert {page.name for page in pages if page.name.startswith("policy-")} == {
        "policy-returns.md", "policy-rueckgabe.md",
    }  # fmt: skip
    assert all(read_markdown(page.read_text(encoding="utf-8")).blocks for page in pages)


class Scripted:
    """A door that stores everything, and a follower that shows scripted standings per mail, the last for ever."""

    def __init__(self, *stories: list[tuple[str, str]], fate: Fate = Fate.STORED) -> None:
        self.stories = {str(n): list(story) for n, story in enumerate(stories)}
        self.sent: list[bytes] = []
        self.fate = fate
        self.looks = 0

    async def send(self, content: bytes) -> Receipt:
        self.sent.append(content)
        return Receipt(self.fate, (str(len(self.sent) - 1),))

    async def look(self, message_id: str) -> Standing:
        self.looks += 1
        story = self.stories[message_id]
        status, reason = story.pop(0) if len(story) > 1 else story[0]
        return Standing(message_id, status, reason=reason)


async def run(mails: list[DemoMail], scripted: Scripted) -> DemoRun:
    """A run to its end without pauses."""

    async def no_pause(seconds: float) -> None:
        pass

    demo = DemoRun(scripted, scripted, lambda: None, mails=mails, sleep=no_pause)  # type: ignore[arg-type]
    await demo.send(MAILBOX, DAY)
    await demo.watch()
    return demo


READY = ("draft_ready", "")
WORKING = ("drafting", "")
GONE = ("archived", "superseded")


def mails(*ends: Status, after_draft: bool = False) -> list[DemoMail]:
    """Mails of the demo with other expected ends."""
    return [DemoMail(mail.file, "", end, after_draft=after_draft) for mail, end in zip(MAILS, ends, strict=False)]


async def test_a_run_waits_for_the_expected_end_beyond_the_first_rest() -> None:
    """P52: an older draft rests in review until the newer one supersedes it."""
    scripted = Scripted([WORKING, READY, READY, READY, GONE])
    demo = await run(mails(Status.ARCHIVED), scripted)
    assert (demo.as_expected, demo.watched[0].standing.reason) == (1, "superseded")


async def test_a_mail_that_stays_elsewhere_ends_the_run_and_is_counted_as_astray() -> None:
    """Not for ever: after a calm while it is said to be where it is."""
    scripted = Scripted([("failed", "BadApiKey")], [READY])
    demo = await run(mails(Status.DRAFT_READY, Status.DRAFT_READY), scripted)
    assert [one.as_expected for one in demo.watched] == [False, True]
    assert scripted.looks < CALM_LOOKS + 10


async def test_a_mail_known_before_may_be_anywhere_people_put_it() -> None:
    """A draft approved since an earlier demo is sent, which is no failure of this one."""
    demo = await run(mails(Status.DRAFT_READY), Scripted([("sent", "handed_over")], fate=Fate.DUPLICATE))
    assert demo.as_expected == 1


async def test_somebody_who_writes_again_waits_for_the_draft() -> None:
    """C30: the second mail is sent only when the first rests."""
    order: list[str] = []

    class Watching(Scripted):
        async def send(self, content: bytes) -> Receipt:
            order.append("sent")
            return await super().send(content)

        async def look(self, message_id: str) -> Standing:
            standing = await super().look(message_id)
            order.append(standing.status)
            return standing

    two = mails(Status.DRAFT_READY, Status.DRAFT_READY, after_draft=True)
    await run(two, Watching([WORKING, WORKING, READY], [READY]))
    assert order[:5] == ["sent", "drafting", "drafting", "draft_ready", "sent"]


async def test_what_the_door_did_not_store_has_no_message() -> None:
    """A poison receipt is shown as it is, and nothing is followed."""

    class Refusing(Scripted):
        async def send(self, content: bytes) -> Receipt:
            return Receipt(Fate.FAILED, detail="larger than the door takes (413)")

    scripted = Refusing()
    demo = DemoRun(scripted, scripted, lambda: None, mails=mails(Status.DRAFT_READY))  # type: ignore[arg-type]
    await demo.send(MAILBOX, DAY)
    standing = demo.watched[0].standing
    assert (standing.status, standing.reason, scripted.looks) == ("failed", "larger than the door takes (413)", 0)


def test_sent_mails_are_shown_as_a_customer_receives_them(tmp_path: Path) -> None:
    """SE7: oldest first; encoded subjects and bodies are readable; half-written files stay out."""
    mail = (
        "To: ana@customer.example\nSubject: =?utf-8?q?Re=3A_Gr=C3=B6=C3=9Fe?=\nIn-Reply-To: <[1@x]>\n"
        "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\nR3LDvMOfZQo=\n"
    )
    (tmp_path / "b.eml").write_text(mail)
    (tmp_path / "a.eml").write_text(mail.replace("ana", "bea"))
    (tmp_path / ".c.0123.part").write_text(mail)
    for name, seconds in (("b.eml", 1), ("a.eml", 2)):
        os.utime(tmp_path / name, (seconds, seconds))
    shown = sent_mails(tmp_path)
    assert [each.to for each in shown] == ["ana@customer.example", "bea@customer.example"]
    assert (shown[0].subject, shown[0].in_reply_to, shown[0].body) == ("Re: Größe", "<[1@x]>", "Grüße\n")
    assert sent_mails(tmp_path / "nowhere") == []
