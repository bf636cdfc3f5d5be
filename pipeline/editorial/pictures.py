"""Pictures of the guide: bound figures laid out as bars, curves, time lines and maps, to be drawn by a template.

A chapter names its figures (`{{ bars(…) }}`, `{{ curve(…) }}` …), so a picture changes when the dataset does. This
module only works out where each mark stands; `docs/templates/picture_*.html.j2` hold the markup.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol


class PictureError(ValueError):
    """Figures that cannot be drawn; the message says which."""


class BoundFigure(Protocol):
    """What a picture needs of a bound figure: its number, and the words in which the prose shows it."""

    @property
    def number(self) -> float:
        """The figure's number."""

    @property
    def shown(self) -> str:
        """The figure as prose shows it, unit included."""


WIDTH = 420.0  # of every picture, in its own units: a phone shows it at nearly full size
_LETTER = 8.0  # of a figure on an axis, at most
_LEAF_LETTERS, _LEAF_LONG = 58, 366.0  # so many letters fill the room of a leaf
SHADES = (0.8, 0.5, 0.28, 0.12)  # parts of a bar differ in shade, so that they read in one colour
MAX_CELLS = 2000

_BAR, _BAR_ROW, _KEY_ROW = 15.0, 42.0, 18.0
_LINE_OF_TEXT = 16.0
_LEFT, _RIGHT, _TOP, _BOTTOM, _HIGH = 44.0, 12.0, 26.0, 42.0, 250.0


@dataclass(frozen=True, slots=True)
class Segment:
    """One part of a bar."""

    x: float
    width: float
    shade: float
    shown: str


@dataclass(frozen=True, slots=True)
class BarRow:
    """One row of a bar picture: its name, its parts and its sum in words."""

    y: float
    name: str
    segments: tuple[Segment, ...]
    total: str


@dataclass(frozen=True, slots=True)
class Key:
    """What a shade means."""

    x: float
    y: float
    name: str
    shade: float


@dataclass(frozen=True, slots=True)
class Limit:
    """An upright line across all bars, for instance the memory of a card."""

    x: float
    name: str
    anchor: str


@dataclass(frozen=True, slots=True)
class Bars:
    """Bars below one another on one scale."""

    height: float
    bars: tuple[BarRow, ...]
    keys: tuple[Key, ...]
    limits: tuple[Limit, ...]
    first: float  # where the limits' lines begin and end
    last: float


def bars(
    rows: Sequence[tuple[str, Sequence[BoundFigure], str]],
    parts: Sequence[str],
    limits: Sequence[tuple[str, BoundFigure]],
    log: bool,
) -> Bars:
    """Lay rows of (name, parts, sum in words) out; `log` gives each factor of ten the same length."""
    if not rows or any(len(figures) > max(len(parts), 1) for _, figures, _ in rows):
        raise PictureError("bars need at least one row, and a name for each part of a row")
    if log and any(len(figures) != 1 or figures[0].number <= 0 for _, figures, _ in rows):
        raise PictureError("bars on a logarithmic scale have one positive part each")
    sums = [sum(figure.number for figure in figures) for _, figures, _ in rows]
    longest = max([*sums, *(figure.number for _, figure in limits)])
    floor = min(sums) / 3 if log else 0.0

    def long(number: float) -> float:
        share = math.log(number / floor) / math.log(longest / floor) if log else number / longest
        return round((WIDTH - 8) * share, 1)

    keys = _keys(parts) if len(parts) > 1 else ()
    top = (max(key.y for key in keys) + 10 if keys else 4.0) + (16.0 if limits else 0.0)
    laid = []
    for at, (name, figures, total) in enumerate(rows):
        x, segments = 1.0, []
        for shade, figure in zip(SHADES, figures, strict=False):
            segments.append(Segment(round(x, 1), long(figure.number), shade, figure.shown))
            x += long(figure.number)
        laid.append(BarRow(round(top + at * _BAR_ROW, 1), name, tuple(segments), total))
    marks = tuple(
        Limit(1 + long(figure.number), name, "end" if figure.number > longest / 2 else "start")
        for name, figure in limits
    )
    return Bars(round(top + len(rows) * _BAR_ROW, 1), tuple(laid), keys, marks, round(top - 12, 1), round(top, 1))


def _keys(parts: Sequence[str]) -> tuple[Key, ...]:
    """The shades' names, as many beside one another as fit."""
    keys, x, y = [], 1.0, 13.0
    for shade, name in zip(SHADES, parts, strict=False):
        wide = 26 + 6.4 * len(name)
        if x > 1 and x + wide > WIDTH:
            x, y = 1.0, y + _KEY_ROW
        keys.append(Key(round(x, 1), y, name, shade))
        x += wide
    return tuple(keys)


@dataclass(frozen=True, slots=True)
class AxisMark:
    """A mark on an axis."""

    at: float
    name: str

    @property
    def middle(self) -> float:
        """The middle of its name below a level axis: the last one ends within the picture."""
        return min(self.at, WIDTH - _LETTER / 2 * len(self.name))


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """One point of a curve."""

    x: float
    y: float
    shown: str


@dataclass(frozen=True, slots=True)
class NamedCurve:
    """A curve with its name beside it."""

    name: str
    points: str
    dots: tuple[CurvePoint, ...]
    x: float
    y: float
    anchor: str
    dashes: str


@dataclass(frozen=True, slots=True)
class Curve:
    """Curves over two axes."""

    height: float
    x_name: str
    y_name: str
    x_ticks: tuple[AxisMark, ...]
    y_ticks: tuple[AxisMark, ...]
    lines: tuple[NamedCurve, ...]
    left: float
    right: float
    top: float
    bottom: float


DASHES = ("", "7 4", "2 4")


def curve(
    lines: Sequence[tuple[str, Sequence[tuple[float, BoundFigure]]]],
    x_name: str,
    y_name: str,
    log_x: bool,
    names: Sequence[float] = (),
) -> Curve:
    """Lay curves of (x, figure) points out from zero upwards; the names of the curves stand at their last point."""
    xs = sorted({x for _, points in lines for x, _ in points})
    if len(xs) < 2 or (log_x and xs[0] <= 0):
        raise PictureError("a curve needs two places on its axis, positive ones on a logarithmic scale")
    top_value, step = _round_up(max(figure.number for _, points in lines for _, figure in points))
    right, bottom = WIDTH - _RIGHT, _HIGH - _BOTTOM

    def place(x: float) -> float:
        low, high, at = (math.log(n) if log_x else n for n in (xs[0], xs[-1], x))
        return round(_LEFT + (right - _LEFT) * (at - low) / (high - low), 1)

    def height(number: float) -> float:
        return round(bottom - (bottom - _TOP) * number / top_value, 1)

    dotted = [
        tuple(CurvePoint(place(x), height(figure.number), figure.shown) for x, figure in sorted(points, key=_first))
        for _, points in lines
    ]
    drawn = []
    for at, (name, _) in enumerate(lines):
        others = [dot for one, dots in enumerate(dotted) for dot in dots if one != at]
        joined = " ".join(f"{dot.x:g},{dot.y:g}" for dot in dotted[at])
        drawn.append(NamedCurve(name, joined, dotted[at], *_label(dotted[at], others), DASHES[at % len(DASHES)]))
    return Curve(
        _HIGH,
        x_name,
        y_name,
        tuple(AxisMark(place(x), f"{x:,g}") for x in (names or xs)),
        tuple(AxisMark(height(at * step), f"{at * step:,g}") for at in range(round(top_value / step) + 1)),
        tuple(drawn),
        _LEFT,
        right,
        _TOP,
        bottom,
    )


def _label(dots: Sequence[CurvePoint], others: Sequence[CurvePoint]) -> tuple[float, float, str]:
    """Where the name of a curve stands: at its end, or, where another ends there too, beside its steepest stretch.

    There the name of the upper curve has room on the one side and that of the lower curve on the other.
    """
    end = dots[-1]
    rivals = {dot.x: dot.y for dot in others}
    if abs(rivals.get(end.x, math.inf) - end.y) < _LINE_OF_TEXT:
        first, last = max(pairwise(dots), key=lambda pair: abs(pair[1].y - pair[0].y))
        rises, above = last.y < first.y, last.y <= rivals.get(last.x, last.y)
        return (last.x - 8, last.y + 4, "end") if rises == above else (first.x + 8, first.y + 4, "start")
    return (end.x, end.y - 9, "end") if end.x > WIDTH / 2 else (end.x + 8, end.y + 4, "start")


def _first(point: tuple[float, BoundFigure]) -> float:
    return point[0]


def _round_up(number: float) -> tuple[float, float]:
    """The next round number above, and the step of its ticks."""
    power = 10.0 ** math.floor(math.log10(number))
    for factor, step in ((1, 0.25), (2, 0.5), (3, 1), (4, 1), (5, 1), (6, 2), (8, 2), (10, 2.5)):
        if number <= factor * power * 1.0001:
            return factor * power, step * power
    return 10 * power, 2.5 * power


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of time on a lane."""

    x: float
    width: float
    shade: float
    name: str


@dataclass(frozen=True, slots=True)
class Lane:
    """What one worker or request does, from left to right."""

    y: float
    name: str
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class TimeLine:
    """Lanes below one another on one clock."""

    height: float
    lanes: tuple[Lane, ...]
    keys: tuple[Key, ...]
    end: str


def time_line(
    lanes: Sequence[tuple[str, Sequence[tuple[float, float, int]]]], parts: Sequence[str], end: str
) -> TimeLine:
    """Lay lanes of (start, length, kind) out; `parts` names the kinds, `end` is the length of the clock in words."""
    last = max(start + length for _, spans in lanes for start, length, _ in spans)
    scale = (WIDTH - 4) / last
    keys = _keys(parts)
    top = max(key.y for key in keys) + 24
    laid = tuple(
        Lane(
            top + at * 40,
            name,
            tuple(
                Span(round(1 + start * scale, 2), round(max(length * scale - 1, 0.8), 2), SHADES[kind], parts[kind])
                for start, length, kind in spans
            ),
        )
        for at, (name, spans) in enumerate(lanes)
    )
    return TimeLine(top + len(lanes) * 40 + 12, laid, keys, end)


@dataclass(frozen=True, slots=True)
class Wave:
    """The processors of a GPU in one turn: those that have a tile, and those that have none."""

    y: float
    busy: str
    idle: str
    name: str


@dataclass(frozen=True, slots=True)
class Waves:
    """A matrix cut into tiles, and the turns in which a GPU works through them."""

    height: float
    waves: tuple[Wave, ...]


def waves(cases: Sequence[tuple[str, int]], processors: int, a_row: int = 36) -> Waves:
    """Draw the last turn of each case (name, tiles): every square is a processor, full if a tile is left for it."""
    if processors > MAX_CELLS or any(tiles < 1 for _, tiles in cases):
        raise PictureError("waves need at least one tile, and no more processors than can be drawn")
    side, gap = 9.0, 2.5
    rows = math.ceil(processors / a_row)
    drawn, y = [], 18.0
    for name, tiles in cases:
        left = (tiles - 1) % processors + 1
        cells = [(1 + at % a_row * (side + gap), y + at // a_row * (side + gap)) for at in range(processors)]
        turns = math.ceil(tiles / processors)
        words = f"{name}: {tiles:,} tiles, wave {turns} of {turns}"
        drawn.append(Wave(y - 6, _squares(cells[:left], side), _squares(cells[left:], side), words))
        y += rows * (side + gap) + 32
    return Waves(y - 22, tuple(drawn))


@dataclass(frozen=True, slots=True)
class Leaf:
    """An end of the decision path: the question that the chooser opens with, and its budget in words."""

    y: float
    words: str
    note: str
    address: str

    @property
    def length(self) -> float | None:
        """To which its words are drawn together, where they would leave the picture."""
        return _LEAF_LONG if len(self.words) > _LEAF_LETTERS else None


@dataclass(frozen=True, slots=True)
class Branch:
    """One answer to the first question, with what follows from it."""

    y: float
    words: str
    compare: str
    leaves: tuple[Leaf, ...]

    @property
    def last(self) -> float:
        """Where the line to its leaves ends."""
        return self.leaves[-1].y


@dataclass(frozen=True, slots=True)
class DecisionPath:
    """A path from what someone wants to do to a question that the chooser answers."""

    height: float
    branches: tuple[Branch, ...]


def decision(branches: Sequence[tuple[str, str, Sequence[tuple[str, str, str]]]]) -> DecisionPath:
    """Lay branches of (words, figure to compare, leaves of words, note and address) out below one another."""
    if not all(leaves for _, _, leaves in branches):
        raise PictureError("every branch of a decision needs a leaf")
    y, laid = 62.0, []
    for words, compare, leaves in branches:
        top = y
        y += 40
        ends = []
        for leaf in leaves:
            ends.append(Leaf(y, *leaf))
            y += 38
        laid.append(Branch(top, words, compare, tuple(ends)))
        y += 14
    return DecisionPath(y - 14, tuple(laid))


def _squares(corners: Sequence[tuple[float, float]], side: float) -> str:
    return "".join(f"M{x:g} {y:g}h{side:g}v{side:g}h-{side:g}z" for x, y in corners)
