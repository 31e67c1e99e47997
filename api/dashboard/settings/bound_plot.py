"""The bound against the threshold as a small drawing made on the server: what the record shows, and what it proves."""

from dataclasses import dataclass

from domain.autonomy import Certificate

WIDTH, HEIGHT = 560, 180
LEFT, RIGHT, TOP, BOTTOM = 44, 12, 10, 28
HIGHEST_SHOWN = 0.5


@dataclass(frozen=True)
class Dot:
    """One threshold: where its two bounds lie, in pixels, and what they are."""

    x: float
    shown_y: float
    proven_y: float
    threshold: str
    shown: str
    proven: str
    certified: bool


@dataclass(frozen=True)
class Plot:
    """Everything the template draws; `target_y` is the line of the target error rate."""

    width: int
    height: int
    left: int
    right: int
    bottom: int
    dots: tuple[Dot, ...]
    target_y: float
    target: str
    grid: tuple[tuple[float, str], ...]

    @property
    def shown_line(self) -> str:
        """The points of the line of shown bounds."""
        return " ".join(f"{dot.x:.1f},{dot.shown_y:.1f}" for dot in self.dots)

    @property
    def proven_line(self) -> str:
        """The points of the line of proven bounds."""
        return " ".join(f"{dot.x:.1f},{dot.proven_y:.1f}" for dot in self.dots)


def plot_of(proof: Certificate) -> Plot:
    """Thresholds from left to right; the scale ends at 50 %, or a little above a higher target."""
    top = max(HIGHEST_SHOWN, proof.target * 1.2)
    step = (WIDTH - LEFT - RIGHT) / (len(proof.points) - 1)
    dots = tuple(
        Dot(
            x=LEFT + index * step,
            shown_y=_y(point.displayed_upper, top),
            proven_y=_y(point.certified_upper, top),
            threshold=f"{point.threshold:.2f}",
            shown=percent(point.displayed_upper),
            proven=percent(point.certified_upper),
            certified=point.is_certified,
        )
        for index, point in enumerate(proof.points)
    )
    marks = tuple((_y(share, top), percent(share)) for share in (0.0, 0.1, 0.2, 0.3, 0.4, 0.5))
    return Plot(
        WIDTH, HEIGHT, LEFT, WIDTH - RIGHT, HEIGHT - BOTTOM, dots, _y(proof.target, top), percent(proof.target), marks
    )


def percent(share: float) -> str:
    """0.0495 as `5.0 %`."""
    return f"{share * 100:.1f} %"


def _y(share: float, top: float) -> float:
    return TOP + (HEIGHT - TOP - BOTTOM) * (1 - min(share, top) / top)
