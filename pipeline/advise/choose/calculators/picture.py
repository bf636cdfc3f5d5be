"""Where two straight lines of cost cross, as a picture: coordinates only, the page draws them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pipeline.advise.choose.calculators.sheet import AnswerPicture, PictureLine, PictureText
from pipeline.advise.choose.calculators.words import figure

WIDTH, HEIGHT = 480, 270
LEFT, RIGHT, TOP, BOTTOM = 58, 468, 16, 232  # of the field between the axes
MOST_TICKS = 5
STEPS = (0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
# The picture ends a little behind the crossing, or behind the hours that are used, whichever is later; a crossing that
# lies further off than this many times those hours is not shown.
BEHIND, FAR = 1.25, 4.0
HEAD_ROOM = 1.08  # above the higher line


@dataclass(frozen=True, slots=True)
class CostLine:
    """A cost: dollars at the start, and dollars an hour."""

    look: str
    name: str
    start: float
    slope: float

    def at(self, hours: float) -> float:
        """The cost after some hours."""
        return self.start + self.slope * hours


def drawn(title: str, rent: CostLine, buy: CostLine, cross: float | None, used: float) -> AnswerPicture:
    """Both lines from the first hour on, their crossing, and the hours that are used."""
    seen = cross if cross is not None and cross <= FAR * used else None
    far = BEHIND * max(used, seen if seen is not None else 0.0)
    high = HEAD_ROOM * max(line.at(hours) for line in (rent, buy) for hours in (0.0, far))
    at = _Scale(far, max(high, 1e-9))
    shapes = [PictureLine("grid", f"M{LEFT} {at.y(usd)}H{RIGHT}") for usd in ticks(at.high)]
    shapes.append(PictureLine("used", f"M{at.x(used)} {TOP}V{BOTTOM}"))
    shapes += [
        PictureLine(one.look, f"M{at.x(0)} {at.y(one.at(0))}L{at.x(far)} {at.y(one.at(far))}") for one in (rent, buy)
    ]
    if seen is not None:
        shapes.append(PictureLine("cross", _circle(at.x(seen), at.y(rent.at(seen)))))
    return AnswerPicture(title, WIDTH, HEIGHT, shapes, list(_labels(at, rent, buy, used, far)))


def ticks(most: float) -> list[float]:
    """Round numbers from 0 to the most, at most six of them."""
    unit = 1.0
    while unit * 10 <= most:
        unit *= 10
    while unit > most:
        unit /= 10
    step = next(unit * part for part in STEPS if most / (unit * part) <= MOST_TICKS)
    found = [0.0]
    while step * len(found) <= most:
        found.append(step * len(found))
    return found


@dataclass(frozen=True, slots=True)
class _Scale:
    far: float
    high: float

    def x(self, hours: float) -> str:
        return f"{LEFT + (RIGHT - LEFT) * hours / self.far:.1f}"

    def y(self, usd: float) -> str:
        return f"{BOTTOM - (BOTTOM - TOP) * usd / self.high:.1f}"


def _circle(x: str, y: str) -> str:
    return f"M{x} {y}m-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0"


def _labels(at: _Scale, rent: CostLine, buy: CostLine, used: float, far: float) -> Iterator[PictureText]:
    for usd in ticks(at.high):
        yield PictureText("axis", str(LEFT - 6), f"{float(at.y(usd)) + 4:.1f}", "end", figure(usd))
    for hours in ticks(far):
        yield PictureText("axis", at.x(hours), str(BOTTOM + 16), "middle", figure(hours))
    yield PictureText("title", str(LEFT), "11", "start", "dollars")
    yield PictureText("title", str(RIGHT), str(BOTTOM + 32), "end", "hours of use")
    yield PictureText("title", at.x(used), str(BOTTOM + 32), "middle" if used < 0.7 * far else "end", "your hours")
    above, below = (rent, buy) if rent.at(far) >= buy.at(far) else (buy, rent)
    for line, shift in ((above, -6), (below, 26)):
        yield PictureText(line.look, str(RIGHT - 4), f"{float(at.y(line.at(far))) + shift:.1f}", "end", line.name)
