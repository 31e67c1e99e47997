"""Mail as files in a directory, for demos and tests: one `<outbox_id>.eml` for each outbox row, however often tried.

The file appears under its name only when it is whole and on disk, so a crash leaves either no mail or the mail (SE7).
"""

import asyncio
import os
import re
import secrets
from datetime import datetime
from pathlib import Path

from adapters.delivery import DataStarted, Now, report, utc_now
from contracts.delivery import HandOver, HandOverReport, Outgoing

_SAFE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,127}")


class FileChannel:
    """Writes each mail to `directory`, which is made if it is missing. Trying the same mail again is always safe."""

    name = "file"
    recognises_repeats = True

    def __init__(self, directory: Path, now: Now = utc_now) -> None:
        self._directory = directory
        self._now = now

    async def hand_over(
        self,
        mail: Outgoing,
        *,
        deadline: datetime,
        unproven_since: datetime | None = None,
        on_data_started: DataStarted | None = None,
    ) -> HandOverReport:
        """See Channel. An earlier try of unknown outcome needs no care here: the file is there or it is not."""
        if not _SAFE_NAME.fullmatch(mail.outbox_id):
            return report(HandOver.REFUSED_PERMANENT, "The outbox id cannot be a file name.")
        if self._now() >= deadline:
            return report(HandOver.REFUSED_TEMPORARY, "The time for this try was over before it began.")
        if on_data_started:
            on_data_started()
        return await asyncio.to_thread(self._deliver, mail)

    def _deliver(self, mail: Outgoing) -> HandOverReport:
        target = self._directory / f"{mail.outbox_id}.eml"
        try:
            self._directory.mkdir(parents=True, exist_ok=True)
            if not target.exists():
                _write_whole(target, mail.raw)
            _sync_directory(self._directory)
            same = target.read_bytes() == mail.raw
        except OSError as fault:
            return _fault(target, fault)
        if not same:
            return report(HandOver.AMBIGUOUS, f"{target.name} exists with another content.")
        return report(HandOver.SENT, f"Written as {target.name}.")


def _write_whole(target: Path, raw: bytes) -> None:
    """Write beside `target`, sync, then rename: nobody ever sees half a file under its final name."""
    draft = target.with_name(f".{target.stem}.{secrets.token_hex(8)}.part")
    try:
        with open(draft, "xb") as file:
            file.write(raw)
            file.flush()
            os.fsync(file.fileno())
        os.rename(draft, target)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def _sync_directory(directory: Path) -> None:
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _may_exist(target: Path) -> bool:
    try:
        return target.exists()
    except OSError:
        return True


def _fault(target: Path, fault: OSError) -> HandOverReport:
    words = f"{type(fault).__name__}: {fault.strerror or fault}"
    if _may_exist(target):
        return report(HandOver.AMBIGUOUS, words, retry_same_bytes=True)
    return report(HandOver.REFUSED_TEMPORARY, words)
