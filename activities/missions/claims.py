"""A claimed effect on its way through its one transaction."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from activities.ports import Row, Transaction
from contracts.missions import EffectState
from contracts.missions_calls import EffectAnswer, EffectOrder
from domain.keys import Keyring


@dataclass(frozen=True)
class Claim:
    """The rows of mission and attempt are locked until the transaction ends."""

    tx: Transaction
    order: EffectOrder
    effect_id: UUID
    mission: Row
    attempt: Row | None
    body: dict[str, Any]
    keyring: Keyring
    build_id: str

    def rejected(self, code: str) -> EffectAnswer:
        """By rule: nothing happened and nothing will."""
        return EffectAnswer(state=EffectState.REJECTED, code=code)

    def not_admitted(self, code: str) -> EffectAnswer:
        """For now: the identical effect may be claimed again (M16)."""
        return EffectAnswer(state=EffectState.NOT_ADMITTED, code=code)

    def completed(self, code: str) -> EffectAnswer:
        """Done."""
        return EffectAnswer(state=EffectState.COMPLETED, code=code)
