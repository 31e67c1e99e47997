"""One run of the demo: knowledge in, mails through the real door, each watched until it is where it stays."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Final

from adapters.settings import Settings
from cli.demo_cases import KNOWLEDGE, MAILS, POLICY_PREFIX, DemoMail
from cli.door import Door, Fate, Receipt
from cli.follow import Follower, Standing
from cli.knowledge_import import EntryType, ImportRun, import_paths, open_knowledge
from domain.knowledge.renewal import Added

LOOK_EVERY_S: Final = 0.5
PATIENCE_S: Final = 240.0
REST_WITHIN_S: Final = 60.0
# A message that rests somewhere else than expected may still move on, as an older draft does when a newer one is ready.
CALM_LOOKS: Final = 20
NOT_SENT: Final = "not sent yet"


@dataclass
class Watched:
    """One mail of the run: what the door said, and where its message was last seen."""

    mail: DemoMail
    receipt: Receipt | None = None
    standing: Standing = field(default_factory=lambda: Standing("", NOT_SENT))
    looks_unchanged: int = 0

    @property
    def known_before(self) -> bool:
        """Whether an earlier demo sent it; then people may have decided about it since."""
        return self.receipt is not None and self.receipt.fate is Fate.DUPLICATE

    @property
    def as_expected(self) -> bool:
        """Whether it ended where it should."""
        return self.mail.ended_as_expected(self.standing) or (self.known_before and self.standing.rests)

    @property
    def is_calm(self) -> bool:
        """Whether it rests and has not moved for a while."""
        return self.standing.rests and self.looks_unchanged >= CALM_LOOKS

    def seen(self, standing: Standing) -> bool:
        """Note where it is now; True if that is new."""
        changed = standing != self.standing
        self.looks_unchanged = 0 if changed else self.looks_unchanged + 1
        self.standing = standing
        return changed


Changed = Callable[[], None]


async def add_demo_knowledge(settings: Settings) -> Added:
    """The help pages of the invented shop, once; pages whose name says so are policies."""
    pages = sorted(KNOWLEDGE.glob("*.md"))
    policies = [page for page in pages if page.name.startswith(POLICY_PREFIX)]
    async with open_knowledge(settings) as known:
        first = await import_paths(known, policies, ImportRun(EntryType.POLICY))
        second = await import_paths(known, [page for page in pages if page not in policies], ImportRun(EntryType.FAQ))
    return first.added + second.added


class DemoRun:
    """All mails of one run. `changed` is called whenever there is something new to show."""

    def __init__(
        self, door: Door, follower: Follower, changed: Changed, *, mails: Sequence[DemoMail] = MAILS,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:  # fmt: skip
        self.watched = [Watched(mail) for mail in mails]
        self._door = door
        self._follower = follower
        self._changed = changed
        self._sleep = sleep

    async def send(self, mailbox: str, day: date, again: bytes = b"") -> None:
        """Hand in every mail in its order, as they were written."""
        for before, one in zip([None, *self.watched], self.watched, strict=False):
            if before is not None and one.mail.after_draft:
                await self._until_rest(before)
            one.receipt = await self._door.send(one.mail.content(mailbox, day, again))
            one.seen(_first_standing(one.receipt))
            self._changed()
            await self._look_at([one])

    async def _until_rest(self, one: Watched, patience_s: float = REST_WITHIN_S) -> None:
        while not one.standing.rests and patience_s > 0:
            await self._sleep(LOOK_EVERY_S)
            patience_s -= LOOK_EVERY_S
            await self._look_at([one])

    async def watch(self, patience_s: float = PATIENCE_S) -> None:
        """Look until every message is where it should end, or nothing moves any more, or patience ends."""
        while (strays := [one for one in self.watched if not one.as_expected]) and patience_s > 0:
            if all(one.is_calm for one in strays):
                return
            await self._look_at(strays)
            await self._sleep(LOOK_EVERY_S)
            patience_s -= LOOK_EVERY_S

    async def _look_at(self, some: Sequence[Watched]) -> None:
        stored = [one for one in some if one.standing.message_id]
        found = await asyncio.gather(*(self._follower.look(one.standing.message_id) for one in stored))
        if any([one.seen(standing) for one, standing in zip(stored, found, strict=True)]):
            self._changed()

    @property
    def as_expected(self) -> int:
        """How many ended where they should."""
        return sum(one.as_expected for one in self.watched)


def _first_standing(receipt: Receipt) -> Standing:
    if receipt.message_ids:
        return Standing(receipt.message_ids[0])
    return Standing("", receipt.fate, reason=receipt.detail)
