"""How many workflows the relay may start, and when the next (RC13)."""

from adapters.relay import Pace


class Clock:
    """A clock that stands still until it is told otherwise."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_burst_starts_at_once_and_then_the_pace_rules() -> None:
    """Twenty at once, then one every tenth of a second at ten a second."""
    clock = Clock()
    pace = Pace(10.0, burst=20, clock=clock)
    assert pace.room() == 20
    pace.take(20)
    assert pace.room() == 0
    assert abs(pace.one_more_in_s - 0.1) < 1e-9
    clock.now += 0.31
    assert pace.room() == 3


def test_a_long_rest_saves_no_more_than_the_burst() -> None:
    """An idle hour does not allow a flood."""
    clock = Clock()
    pace = Pace(10.0, burst=20, clock=clock)
    clock.now += 3600
    assert pace.room() == 20


def test_mail_that_comes_in_takes_part_of_the_pace() -> None:
    """RC19: fifty mails in a second take five starts of ten; a flood leaves the least there is."""
    clock = Clock()
    pace = Pace(10.0, burst=20, least=2.0, clock=clock)
    pace.take(20)
    clock.now += 1
    for _ in range(50):
        pace.arrived()
    assert pace.room() == 5
    pace.take(5)
    clock.now += 1
    for _ in range(5_000):
        pace.arrived()
    assert pace.room() == 2
    clock.now += 1
    assert pace.room() == 12
