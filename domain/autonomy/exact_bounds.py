"""The bound people see. Clopper-Pearson is exact for one look at a fixed sample; it is shown, and certifies nothing
(P91)."""

import math
from collections.abc import Callable

CONFIDENCE = 0.95
_STEPS = 200
_TINY = 1e-300


def upper_bound(errors: int, n: int, confidence: float = CONFIDENCE) -> float:
    """One-sided Clopper-Pearson upper bound on an error rate; 1.0 without data or without a clean one."""
    _check(errors, n)
    if n == errors:
        return 1.0
    return _root(lambda rate: at_most(errors, n, rate), 1 - confidence)


def lower_bound(errors: int, n: int, confidence: float = CONFIDENCE) -> float:
    """One-sided Clopper-Pearson lower bound on an error rate; 0.0 without data or without an error."""
    _check(errors, n)
    return 1.0 - upper_bound(n - errors, n, confidence) if errors else 0.0


def at_most(k: int, n: int, rate: float) -> float:
    """P(X <= k) for X binomial (n, rate)."""
    if k >= n or rate <= 0:
        return 1.0
    return 0.0 if k < 0 or rate >= 1 else _incomplete_beta(n - k, k + 1, 1 - rate)


def _check(errors: int, n: int) -> None:
    if not 0 <= errors <= n:
        raise ValueError(f"{errors} errors of {n} is no sample")


def _root(falling: Callable[[float], float], level: float) -> float:
    """Where a function that falls over [0, 1] reaches `level`, from above: never below the true root."""
    low, high = 0.0, 1.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        low, high = (middle, high) if falling(middle) > level else (low, middle)
    return high


def _incomplete_beta(a: float, b: float, x: float) -> float:
    """The regularised incomplete beta function, by the continued fraction on the side where it converges fast."""
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x))
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(a, b, x) / a
    return 1.0 - front * _fraction(b, a, 1 - x) / b


def _fraction(a: float, b: float, x: float) -> float:
    """Lentz's method; needs about sqrt(max(a, b)) rounds."""
    c, d = 1.0, 1.0 / _away(1 - (a + b) * x / (a + 1))
    total = d
    for m in range(1, 50 + 10 * int(math.sqrt(max(a, b)))):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for step in (even, odd):
            d = 1.0 / _away(1 + step * d)
            c = _away(1 + step / c)
            total *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return total


def _away(value: float) -> float:
    return value if abs(value) > _TINY else _TINY
