"""The flood guard: it acts on requests that failed verification, never on verified mail (RC17)."""

import time
from collections import OrderedDict

PER_MINUTE = 120
ADDRESSES = 4096


class FloodGuard:
    """Counts failures per remote address in a sliding minute; memory is bounded."""

    def __init__(self, per_minute: int = PER_MINUTE) -> None:
        self.per_minute = per_minute
        self._seen: OrderedDict[str, tuple[float, int]] = OrderedDict()

    def failed(self, address: str) -> bool:
        """Counts one failure; True if this address floods."""
        now = time.monotonic()
        began, count = self._seen.pop(address, (now, 0))
        if now - began > 60:
            began, count = now, 0
        self._seen[address] = (began, count + 1)
        if len(self._seen) > ADDRESSES:
            self._seen.popitem(last=False)
        return count + 1 > self.per_minute
