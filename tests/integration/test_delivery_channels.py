"""Sending into files, and the choice of a channel by the settings."""

import asyncio
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from pydantic import SecretStr

from adapters.delivery.choose import channel_from
from adapters.delivery.file_channel import FileChannel
from adapters.settings import SmtpTls
from contracts.delivery import HandOver
from contracts.errors import SettingsFault
from tests.peers.outgoing_mail import LATER, NOW, Clock, mail

pytestmark = pytest.mark.asyncio

SENT, TEMPORARY, PERMANENT, AMBIGUOUS = (
    HandOver.SENT, HandOver.REFUSED_TEMPORARY, HandOver.REFUSED_PERMANENT, HandOver.AMBIGUOUS
)  # fmt: skip

ROOT = Path(__file__).parents[2]


async def test_file_once(tmp_path: Path) -> None:
    """The same row twice is one whole file and nothing else in the directory."""  # RS-66
    channel = FileChannel(tmp_path / "out", now=Clock())
    results = [(await channel.hand_over(mail(), deadline=LATER, unproven_since=since)).result for since in (None, NOW)]
    assert results == [SENT, SENT]
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["ob-1.eml"]
    assert (tmp_path / "out" / "ob-1.eml").read_bytes() == mail().raw


async def test_file_many_at_once(tmp_path: Path) -> None:
    """The same row from several hands at once is one whole file."""  # RS-66
    channel = FileChannel(tmp_path, now=Clock())
    reports = await asyncio.gather(*(channel.hand_over(mail(), deadline=LATER) for _ in range(8)))
    assert {found.result for found in reports} == {SENT}
    assert [path.name for path in tmp_path.iterdir()] == ["ob-1.eml"]


CRASH = """
import asyncio, os, pathlib, pickle, sys
from datetime import datetime, UTC
from adapters.delivery.file_channel import FileChannel
from adapters.settings import SmtpTls
from contracts.delivery import Outgoing
directory, moment = pathlib.Path(sys.argv[1]), sys.argv[2]
def die(*_): os._exit(9)
setattr(os, moment, die)
mail = Outgoing(outbox_id="ob-1", envelope_sender="a@x", recipients=("b@x",), message_id="<m@x>", raw=b"x" * 100_000)
asyncio.run(FileChannel(directory).hand_over(mail, deadline=datetime.max.replace(tzinfo=UTC)))
"""


@pytest.mark.parametrize("moment", ["fsync", "rename"])
async def test_file_crash_in_the_middle(tmp_path: Path, moment: str) -> None:
    """A process that dies while writing leaves no mail under the final name, and the next try delivers it whole."""
    process = await asyncio.create_subprocess_exec(  # RS-66
        sys.executable, "-c", CRASH, str(tmp_path), moment, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    assert await process.wait() == 9
    assert list(tmp_path.glob("*.eml")) == [] and len(list(tmp_path.iterdir())) == 1
    assert (await FileChannel(tmp_path, now=Clock()).hand_over(mail(), deadline=LATER)).result is SENT
    assert [path.read_bytes() for path in tmp_path.glob("*.eml")] == [mail().raw]


async def test_file_never_replaces_another_mail(tmp_path: Path) -> None:
    """Another content under the same id is left as it is and reported for a person."""  # SE7
    channel = FileChannel(tmp_path, now=Clock())
    await channel.hand_over(mail(), deadline=LATER)
    found = await channel.hand_over(mail(body="other"), deadline=LATER)
    assert found.result is AMBIGUOUS and (tmp_path / "ob-1.eml").read_bytes() == mail().raw


@pytest.mark.parametrize("bad", ["../ob-1", "", ".ob", "a/b", "a\0b", "x" * 200])
async def test_file_id_stays_in_the_directory(tmp_path: Path, bad: str) -> None:
    """An outbox id that is no plain file name is refused and nothing is written."""  # SE7
    odd = mail().model_copy(update={"outbox_id": bad})
    assert (await FileChannel(tmp_path, now=Clock()).hand_over(odd, deadline=LATER)).result is PERMANENT
    assert list(tmp_path.iterdir()) == []


async def test_file_directory_in_the_way(tmp_path: Path) -> None:
    """Where no directory can be made the refusal is temporary and says why, without the mail's text."""  # OB9
    (tmp_path / "out").write_text("a file")
    found = await FileChannel(tmp_path / "out", now=Clock()).hand_over(mail(), deadline=LATER)
    assert found.result is TEMPORARY and "Error" in found.detail


async def test_file_past_the_deadline(tmp_path: Path) -> None:
    """A claim that is over writes nothing."""  # OB8
    assert (await FileChannel(tmp_path, now=Clock()).hand_over(mail(), deadline=NOW)).result is TEMPORARY
    assert list(tmp_path.iterdir()) == []


def settings(**changes: object) -> SimpleNamespace:
    """Complete settings for every channel with `changes` applied."""
    values: dict[str, object] = {
        "delivery_channel": "file",
        "file_channel_dir": Path("out"),
        "smtp_host": "relay.example",
        "smtp_port": 587,
        "smtp_user": "desk",
        "smtp_password": SecretStr("s3cret"),
        "smtp_tls": "starttls",
        "resend_api_key": SecretStr("re_test"),
        "resend_base_url": "https://api.resend.com",
    }
    return SimpleNamespace(**(values | changes))


@pytest.mark.parametrize("word", [*SmtpTls])
async def test_choose_understands_the_settings(word: SmtpTls) -> None:
    """Every word the settings allow for the encryption of the line is a mode of the channel."""  # SE5
    assert channel_from(settings(delivery_channel="smtp", smtp_host="localhost", smtp_tls=word)).name == "smtp"


@pytest.mark.parametrize("name", ["file", "smtp", "resend"])
async def test_choose(name: str) -> None:
    """The setting names the channel."""  # SE7
    assert channel_from(settings(delivery_channel=name)).name == name


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"delivery_channel": "pigeon"}, "delivery_channel"),
        ({"file_channel_dir": None}, "file_channel_dir"),
        ({"delivery_channel": "smtp", "smtp_host": ""}, "smtp_host"),
        ({"delivery_channel": "smtp", "smtp_tls": "loopback"}, "smtp_tls"),
        ({"delivery_channel": "smtp", "smtp_tls": "maybe"}, "smtp_tls"),
        ({"delivery_channel": "resend", "resend_api_key": None}, "resend_api_key"),
        ({"delivery_channel": "resend", "resend_api_key": SecretStr("re_test\n")}, "resend_api_key"),
        ({"delivery_channel": "resend", "resend_base_url": "http://api.example"}, "resend_base_url"),
        ({"delivery_channel": "resend", "resend_base_url": "http://[::bad"}, "resend_base_url"),
    ],
)
async def test_choose_names_the_faulty_setting(changes: dict[str, object], named: str) -> None:
    """A missing or impossible setting is named, and no secret is repeated."""  # SE5
    with pytest.raises(SettingsFault, match=named) as caught:
        channel_from(settings(**changes))
    assert "re_test" not in str(caught.value) and "s3cret" not in str(caught.value)
