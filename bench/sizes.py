"""How much each benchmark does; `--quick` proves that everything works, the full sizes give numbers worth keeping."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Sizes:
    """Numbers of messages unless the name says otherwise."""

    quick: bool
    warm_up: int
    counted: int
    sequential: int
    saturated: int
    rounds: int
    idle: int
    killed: int
    webhook_s: float
    distinct: int
    idle_stack_s: float
    filled: int


FULL = Sizes(
    quick=False, warm_up=20, counted=10, sequential=100, saturated=300, rounds=3, idle=45, killed=60,
    webhook_s=20.0, distinct=5_000, idle_stack_s=20.0,
    filled=50_000,
)  # fmt: skip
QUICK = Sizes(
    quick=True, warm_up=5, counted=3, sequential=15, saturated=60, rounds=2, idle=10, killed=24,
    webhook_s=5.0, distinct=300, idle_stack_s=5.0,
    filled=500,
)  # fmt: skip


def per_round(total: int, rounds: int) -> list[int]:
    """`total` split over the rounds as evenly as it goes."""
    return [total // rounds + (1 if n < total % rounds else 0) for n in range(rounds)]
