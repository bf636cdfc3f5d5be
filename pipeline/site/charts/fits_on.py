"""Which language models a card holds in each number format, for its page: the picture and the words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pipeline.advise.estimate.engines import find
from pipeline.advise.estimate.inputs import card
from pipeline.advise.estimate.memory import usable_gib
from pipeline.advise.estimate.types import Request
from pipeline.advise.holding import CONTEXT, is_tight
from pipeline.core.networks import Model
from pipeline.core.wording import number
from pipeline.dataset import GpuRecord
from pipeline.derive import metrics
from pipeline.site.charts.svg import Scale, Size, Tick, pixel
from pipeline.site.charts.what_fits import Fit, rows

FRAME = Size("fits", 440, 128, left=44, right=30, top=24, bottom=24)
LOW, HIGH = 1.0, 1000.0  # GB
TICKS = (1, 3, 10, 30, 100, 300, 1000)
# Their makers' own software is the only one; the estimator's engines do not run there.
OTHER_SOFTWARE = ("TPU", "Trainium", "Inferentia", "Gaudi")
# The formats of the estimator under the names of the weights alone.
SHORT = {"f16": "16 bit", "q8_0": "8 bit", "q4_k_m": "4 bit"}


@dataclass(frozen=True, slots=True)
class FormatRow:
    """One number format: the largest model that fits, the next that does not, and the marks of all."""

    name: str
    weights: float  # billions, alone
    largest: Model | None
    spare: float
    tight: bool
    next: Model | None
    short: float
    y: str
    inside: str
    outside: str


@dataclass(frozen=True, slots=True)
class FitsOn:
    """The picture and its numbers."""

    size: Size
    right: int
    bottom: int
    limit: str
    anchor: str
    usable: float
    context: int
    x_ticks: tuple[Tick, ...]
    rows: tuple[FormatRow, ...]
    title: str


class FitsOnCards:
    """What each model needs, and where its mark stands, is worked out once for all cards."""

    def __init__(self, models: Mapping[str, Model]) -> None:
        self._x = Scale(LOW, HIGH, FRAME.left, FRAME.width - FRAME.right, True)
        self._engine = find(Request().engine)
        step = (FRAME.height - FRAME.bottom - FRAME.top) / len(SHORT)
        heights = {quant: pixel(FRAME.top + step * (index + 0.5)) for index, quant in enumerate(SHORT)}
        self._lines: dict[str, _Line] = {quant: _Line(SHORT[quant], heights[quant], []) for quant in SHORT}
        for fit in rows(models):
            mark = f"M{pixel(self._x(_inside(fit.needed)))} {heights[fit.quant]}h0"
            self._lines[fit.quant].models.append((fit, mark))

    def of(self, gpu: GpuRecord) -> FitsOn | None:
        """What fits on one card; None where its memory is not known or no engine of the estimator runs."""
        usable = usable_gib(card(gpu), Request(), self._engine)
        weights = metrics.weights_that_fit(gpu)
        if not usable or not weights or gpu.architecture.startswith(OTHER_SOFTWARE):
            return None
        made = tuple(_row(line, weights[line.name], usable) for line in self._lines.values())
        ticks = tuple(Tick(pixel(self._x(value)), number(value)) for value in TICKS)
        limit = self._x(_inside(usable))
        return FitsOn(
            FRAME,
            FRAME.width - FRAME.right,
            FRAME.height - FRAME.bottom,
            pixel(limit),
            "start" if limit < FRAME.width / 2 else "end",
            usable,
            CONTEXT,
            ticks,
            made,
            _title(made),
        )


@dataclass(frozen=True, slots=True)
class _Line:
    """One number format: its models with their marks, the smallest first."""

    name: str
    y: str
    models: list[tuple[Fit, str]]


def _row(line: _Line, weights: float, usable: float) -> FormatRow:
    held = sum(fit.needed <= usable for fit, _ in line.models)
    largest = line.models[held - 1][0] if held else None
    following = line.models[held][0] if held < len(line.models) else None
    spare = usable - largest.needed if largest else 0.0
    return FormatRow(
        line.name,
        weights,
        largest.model if largest else None,
        spare,
        is_tight(spare, usable),
        following.model if following else None,
        following.needed - usable if following else 0.0,
        line.y,
        _marks(line.models[:held]),
        _marks(line.models[held:]),
    )


def _marks(models: Sequence[tuple[Fit, str]]) -> str:
    """Points without length: their shape and size are the stroke's."""
    return "".join(dict.fromkeys(mark for _, mark in models))


def _inside(gib: float) -> float:
    """A size as far as the scale reaches."""
    return min(max(gib, LOW), HIGH)


def _title(made: Sequence[FormatRow]) -> str:
    four = made[-1]
    if not four.largest:
        return f"None of our language models fits, not even at {four.name}"
    return f"Holds {four.largest.name} at {four.name} with {number(four.spare, 2)} GB to spare"
