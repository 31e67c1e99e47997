"""What a call cost. A low guess would pass a spending ceiling unseen: an unknown model counts as the dearest (P110)."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import ROUND_UP, Decimal, InvalidOperation
from typing import NamedTuple

from contracts.errors import SettingsFault

_PER_MILLION = Decimal(1_000_000)
_GRAIN_USD = Decimal("0.00000001")
_SHAPE = 'LLM_PRICES must be JSON like {"model-name": {"in": 0.15, "out": 0.60}}, USD per million tokens'


class Price(NamedTuple):
    """USD per million tokens; without a price of their own, tokens out cost what tokens in do."""

    tokens_in: Decimal
    tokens_out: Decimal


class Cost(NamedTuple):
    """`usd` is None only if no price is configured at all; `unpriced` flags a model that has no price of its own."""

    usd: Decimal | None
    unpriced: bool


@dataclass(frozen=True, slots=True)
class Prices:
    """The configured price table, by the model name that is asked for."""

    table: Mapping[str, Price] = field(default_factory=dict)

    def cost(self, model: str, tokens_in: int, tokens_out: int) -> Cost:
        """The cost of one call, rounded up to 1e-8 USD; an unpriced model counts at the highest configured price."""
        own = self.table.get(model)
        price = own or self._highest()
        if price is None:
            return Cost(None, unpriced=True)
        usd = (price.tokens_in * tokens_in + price.tokens_out * tokens_out) / _PER_MILLION
        return Cost(usd.quantize(_GRAIN_USD, rounding=ROUND_UP), unpriced=own is None)

    def _highest(self) -> Price | None:
        if not self.table:
            return None
        return Price(max(p.tokens_in for p in self.table.values()), max(p.tokens_out for p in self.table.values()))


def prices_from(setting: object) -> Prices:
    """Read LLM_PRICES: JSON text or an already parsed mapping; empty means no prices. Raises SettingsFault."""
    table = _parsed(setting)
    if not isinstance(table, Mapping):
        raise SettingsFault(_SHAPE)
    return Prices({str(model): _price(str(model), entry) for model, entry in table.items()})


def _parsed(setting: object) -> object:
    if not isinstance(setting, str):
        return {} if setting is None else setting
    try:
        return json.loads(setting, parse_float=Decimal) if setting.strip() else {}
    except ValueError:
        raise SettingsFault(_SHAPE) from None


def _price(model: str, entry: object) -> Price:
    if isinstance(entry, Mapping):
        return Price(_usd(model, entry.get("in")), _usd(model, entry.get("out", entry.get("in"))))
    raise SettingsFault(f"{_SHAPE}; the entry of {model!r} is no object")


def _usd(model: str, value: object) -> Decimal:
    try:
        usd = Decimal(str(value))
    except InvalidOperation:
        raise SettingsFault(f"{_SHAPE}; a price of {model!r} is no number") from None
    if not usd.is_finite() or usd < 0:
        raise SettingsFault(f"{_SHAPE}; a price of {model!r} is negative or not finite")
    return usd
