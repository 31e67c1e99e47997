"""`deskhand ingest` through the real door: what is stored, what is a repeat, and what it says when things go wrong."""

import tracemalloc
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from cli.mail_files import find_mails
from tests.integration.cli_house import MAILBOX, House, new_house, webhook_of


@pytest.fixture
def house(database_url: str, owner_database_url: str, tmp_path: Path) -> Iterator[House]:
    """An installation with its webhook open."""
    house = new_house(database_url, owner_database_url, tmp_path / "state")
    with webhook_of(house):
        yield house


def mail(number: int, to: str = MAILBOX, body: str = "Is it in stock?") -> bytes:
    """One of many different mails."""
    return (
        f"From: Ana Ruiz <ana@customer.example>\nTo: {to}\nSubject: Lamp {number}\n"
        f"Message-ID: <{number}@customer.example>\nDate: Mon, 2 Feb 2026 10:15:01 +0000\n\n{body}\n"
    ).encode()


def mbox(folder: Path, count: int, body: str = "Is it in stock?") -> Path:
    """An mbox file with `count` mails."""
    file = folder / "archive.mbox"
    with file.open("wb") as box:
        for number in range(count):
            box.write(b"From ana@customer.example Mon Feb  2 10:15:01 2026\n" + mail(number, body=body) + b"\n")
    return file


def stored(house: House) -> int:
    """Rows of accepted mail."""
    return int(house.sql("SELECT count(*) FROM accepted_mail")[0][0])


def test_an_mbox_is_stored_once_however_often_it_is_handed_in(house: House, tmp_path: Path) -> None:
    """C8: the second run finds duplicates only, and both runs are a success."""
    file = mbox(tmp_path, 30)
    first, second = house.deskhand("ingest", str(file)), house.deskhand("ingest", str(file))
    assert first.output == "30 stored, 0 duplicate, 0 poison, 0 failed\n"
    assert second.output == "0 stored, 30 duplicate, 0 poison, 0 failed\n"
    assert (first.exit_code, second.exit_code, stored(house)) == (0, 0, 30)


def test_two_mails_without_a_message_id_stay_two(house: House, tmp_path: Path) -> None:
    """C9: two different mails in one second are two; the same ones again are still two."""
    for name, text in (("one", "first"), ("two", "second")):
        (tmp_path / f"{name}.eml").write_bytes(b"From: a@b.example\nTo: support@example.org\n\n" + text.encode())
    assert house.deskhand("ingest", str(tmp_path)).output.startswith("2 stored")
    assert house.deskhand("ingest", str(tmp_path)).output.startswith("0 stored, 2 duplicate")
    assert stored(house) == 2


def test_poison_is_accepted_and_named(house: House, tmp_path: Path) -> None:
    """RC11: a mail nobody can read is kept, said to be poison, and no failure."""
    file = tmp_path / "blank.eml"
    file.write_bytes(b"\r\n\r\n")
    result = house.deskhand("ingest", str(file))
    assert (result.exit_code, stored(house)) == (0, 1)
    assert "1 poison" in result.output and "blank.eml: empty" in result.output


def test_what_cannot_be_read_fails_alone_and_fails_the_command(house: House, tmp_path: Path) -> None:
    """Exit code 1 if anything was not accepted; the rest is in, and what is not is named."""
    (tmp_path / "good.eml").write_bytes(mail(1))
    (tmp_path / "late.eml").write_bytes(mail(2))
    files = [tmp_path / "good.eml", tmp_path / "late.eml"]

    def vanish(paths: Sequence[Path]) -> int:
        files[1].unlink()
        return 0

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("cli.ingest.find_mails", lambda paths: (vanish(paths), find_mails(paths))[1])
        result = house.deskhand("ingest", *map(str, files))
    assert result.exit_code == 1
    assert result.output.startswith("1 stored, 0 duplicate, 0 poison, 1 failed")
    assert f"failed: {files[1]}: cannot be read (No such file or directory)" in result.output


def test_a_wrong_secret_is_said_at_once(house: House, tmp_path: Path) -> None:
    """No hundred tries with a secret that does not fit (RC17)."""
    result = house.deskhand("ingest", str(mbox(tmp_path, 100)), environment={"DESKHAND_RAW_SECRET": "whsec_d3Jvbmc="})
    assert result.exit_code == 1
    assert "refuses the signature" in result.output and stored(house) == 0


def test_without_a_secret_it_says_where_it_should_be(house: House, tmp_path: Path) -> None:
    """A message that names the variable and the file."""
    result = house.deskhand("ingest", str(mbox(tmp_path, 1)), environment={"DESKHAND_RAW_SECRET": ""})
    assert result.exit_code == 1
    assert "DESKHAND_RAW_SECRET" in result.output and "secrets.env" in result.output


def test_the_secret_is_found_in_the_state_folder(house: House, tmp_path: Path) -> None:
    """What the first start wrote is enough; nothing need be typed."""
    state = Path(house.environment["DESKHAND_STATE_DIR"])
    state.mkdir(parents=True, exist_ok=True)
    (state / "secrets.env").write_text(f"DESKHAND_RAW_SECRET={house.login.raw_secret}\n")
    result = house.deskhand("ingest", str(mbox(tmp_path, 2)), environment={"DESKHAND_RAW_SECRET": ""})
    assert result.output.startswith("2 stored")


def test_limit_stops_early(house: House, tmp_path: Path) -> None:
    """`--limit 3` hands in three of ten."""
    assert house.deskhand("ingest", "--limit", "3", str(mbox(tmp_path, 10))).output.startswith("3 stored")
    assert stored(house) == 3


def test_a_large_mbox_needs_the_memory_of_a_few_mails(house: House, tmp_path: Path) -> None:
    """Memory stays flat: 40 MB in mails of 100 kB never hold more than the few that are on their way."""
    file = mbox(tmp_path, 400, "x" * 100_000)
    tracemalloc.start()
    try:
        assert house.deskhand("ingest", str(file)).output.startswith("400 stored")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 20_000_000 < file.stat().st_size
