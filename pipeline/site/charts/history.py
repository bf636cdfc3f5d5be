"""What a card cost to buy over time, for its page: a static picture, a CSV, and Plotly's JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pipeline.core.schema import Price
from pipeline.core.wording import MONTHS, day, dollars
from pipeline.derive.metrics import year_of
from pipeline.derive.prices.history import unbroken, with_gaps
from pipeline.derive.prices.observe import is_module, memory_bought
from pipeline.derive.prices.quote import Quote
from pipeline.site.charts.base import Trace, as_json, scatter
from pipeline.site.charts.svg import LETTER_PX, Scale, Size, Tick, frame_of, pixel

# One size serves phone and desk: the table beneath holds what small text cannot.
FRAME = Size("history", 440, 250, left=54, right=100, top=16, bottom=26)
SHAPES = {
    "launch": "M0-5.5L5.5 0L0 5.5L-5.5 0z",
    "retail": "M-3.8-3.8h7.6v7.6h-7.6z",
    "used": "M-4.2 0a4.2 4.2 0 1 0 8.4 0a4.2 4.2 0 1 0-8.4 0",
    "system": "M0-4.6L4.8 3.8H-4.8z",
}
# As in docs/stylesheets/explore.css: the variable of each kind's colour, and its mark.
COLOURS = {"launch": "ga-flag", "retail": "ga-ink", "used": "md-typeset-a-color", "system": "ga-ink"}
SYMBOLS = {"launch": "diamond", "retail": "square", "used": "circle", "system": "triangle-up"}
HEADS = (
    "kind",
    "date",
    "usd_per_unit",
    "currency",
    "provider",
    "includes",
    "source",
    "url",
    "locator",
    "retrieved",
    "licence",
    "flag",
)
NAMES = {"launch": "launch", "retail": "new", "used": "used", "system": "whole machine"}
LABEL_PX = 13
BESIDE_PX = 6  # between the plot and a label
MONTH_LENGTH = len("2026-11")  # a year alone is in no month
ROOM = 0.03  # of the span, left and right


@dataclass(frozen=True, slots=True)
class Mark:
    """One price in pixels, with the words of its tooltip."""

    kind: str
    x: str
    y: str
    path: str
    flagged: bool
    row: Price


@dataclass(frozen=True, slots=True)
class EdgeLabel:
    """A text beside the picture's right edge."""

    kind: str
    y: str
    text: str


@dataclass(frozen=True, slots=True)
class HistoryPicture:
    """The static picture: everything in pixels, nothing left to compute."""

    size: Size
    right: int
    bottom: int
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    marks: tuple[Mark, ...]
    joins: tuple[tuple[str, str], ...]  # kind, path: prices of one kind from one source
    launch: str  # height of the line of the launch price, "" where none is known
    twice: str
    labels: tuple[EdgeLabel, ...]
    frame: str  # svg.frame_of


def history(
    rows: Sequence[Price], launch_usd: float | None, newest: str, now: Mapping[str, Quote] | None = None
) -> HistoryPicture:
    """The picture of dated prices, oldest first; the axis of money begins at zero. `now` is the quote of each kind."""
    times = [year_of(row.date) for row in rows]
    top = max([row.unit_usd for row in rows] + [launch_usd or 0.0]) * 1.08
    bottom = FRAME.height - FRAME.bottom
    y = Scale(0, top, bottom, FRAME.top, False)
    labels = tuple(_labels(rows, launch_usd, now or {}, y))
    beside = max((len(label.text) for label in labels), default=0) * LETTER_PX + BESIDE_PX
    size = replace(FRAME, right=max(FRAME.right, beside))
    right = size.width - size.right
    first, last = min(times), max(*times, year_of(newest))
    room = (last - first) * ROOM or 0.1
    x = Scale(first - room, last + room, size.left, right, False)
    return HistoryPicture(
        size,
        right,
        bottom,
        tuple(Tick(pixel(x(at)), text) for at, text in _date_ticks(x.low, x.high, right - size.left)),
        tuple(Tick(pixel(y(value)), dollars(value).removesuffix(".00")) for value in [0.0, *y.ticks(6)] if value < top),
        tuple(_mark(row, x, y) for row in _drawn(rows)),
        tuple(_joins(rows, x, y)),
        pixel(y(launch_usd)) if launch_usd else "",
        pixel(y(2 * launch_usd)) if launch_usd and 2 * launch_usd < top else "",
        labels,
        frame_of(size, x, y),
    )


def csv_rows(rows: Sequence[Price]) -> Iterator[tuple[object, ...]]:
    """Every dated price, flagged ones with their reason."""
    for row in rows:
        yield tuple(getattr(row, name) for name in HEADS)


def figure(rows: Sequence[Price], launch_usd: float | None) -> str:
    """The prices as Plotly's JSON: a line for the unflagged prices of one kind and source, flagged ones hollow."""
    groups: dict[tuple[str, str, bool], list[Price]] = {}
    for row in rows:
        groups.setdefault((row.kind, "" if row.flag else row.source, bool(row.flag)), []).append(row)
    traces = [_trace(kind, flagged, own) for (kind, _, flagged), own in sorted(groups.items())]
    line = {
        "type": "line",
        "xref": "paper",
        "x0": 0,
        "x1": 1,
        "y0": launch_usd,
        "y1": launch_usd,
        "line": {"dash": "dash", "width": 1.2},
        "name": COLOURS["launch"],
    }
    axes = {
        "xaxis": {"type": "date", "automargin": True},
        "yaxis": {"title": {"text": "USD"}, "rangemode": "tozero", "automargin": True},
    }
    return as_json(traces, {**axes, "shapes": [line]} if launch_usd else axes)


def _trace(kind: str, flagged: bool, own: Sequence[Price]) -> Trace:
    joined = kind != "launch" and not flagged
    dated = all(len(row.date) >= MONTH_LENGTH for row in own)
    drawn = with_gaps(own, _date_of) if joined and dated else list(own)
    said = [f"{called(row)}, {day(row.date)}: {dollars(row.unit_usd)}" if row else "" for row in drawn]
    return scatter(
        x=[row.date if row else None for row in drawn],
        y=[row.unit_usd if row else None for row in drawn],
        name=NAMES[kind],
        mode="lines+markers" if joined else "markers",
        line={"width": 1.3},
        text=[f"{text} ({row.flag})" if row and flagged else text for text, row in zip(said, drawn, strict=True)],
        customdata=[kind] * len(drawn),
        hovertemplate="%{text}<extra></extra>",
        marker={"size": 8, "symbol": SYMBOLS[kind] + "-open" * flagged},
        meta={"colour": COLOURS[kind], "x": "date", "y": "usd_per_unit", "key": "kind"},
    )


def _date_of(row: Price) -> str:
    return row.date


def _drawn(rows: Sequence[Price]) -> Iterator[Price]:
    """All but later repetitions of the launch price: its line runs on by itself."""
    launched = [row for row in rows if row.kind == "launch"]
    yield from (row for row in rows if row.kind != "launch" or row is launched[0])


def _mark(row: Price, x: Scale, y: Scale) -> Mark:
    at, usd = year_of(row.date), row.unit_usd
    return Mark(row.kind, pixel(x(at)), pixel(y(usd)), SHAPES[row.kind], bool(row.flag), row)


def _joins(rows: Sequence[Price], x: Scale, y: Scale) -> Iterator[tuple[str, str]]:
    """A line through the unflagged prices of one kind and source (another may count another way), open where a month is
    missing.
    """
    groups: dict[tuple[str, str], list[Price]] = {}
    for row in rows:
        if not row.flag and row.kind != "launch" and len(row.date) >= MONTH_LENGTH:
            groups.setdefault((row.kind, row.source), []).append(row)
    for (kind, _), own in sorted(groups.items()):
        for run in unbroken(own, _date_of):
            if len(run) > 1:
                yield kind, f"M{'L'.join(f'{pixel(x(year_of(r.date)))} {pixel(y(r.unit_usd))}' for r in run)}"


def _labels(rows: Sequence[Price], launch_usd: float | None, now: Mapping[str, Quote], y: Scale) -> Iterator[EdgeLabel]:
    """The price of each kind by name at the right edge, as the page quotes it; moved apart where they would touch."""
    wanted = [("launch", launch_usd, NAMES["launch"], "")] if launch_usd else []
    for kind in ("retail", "used", "system"):
        of_kind = [row for row in rows if row.kind == kind and not row.flag]
        quoted = now.get(kind)
        if of_kind and quoted and quoted.value is not None:
            wanted.append((kind, quoted.value, called(quoted.seen[0].price), "from " * quoted.begins))
        elif of_kind:
            last = of_kind[-1]
            wanted.append((kind, last.unit_usd, called(last), "from " * (last.basis == "floor")))
    before = -math.inf
    for kind, usd, name, begins in sorted(wanted, key=lambda entry: -entry[1]):
        before = max(y(usd) + 4, before + LABEL_PX)
        yield EdgeLabel(kind, pixel(before), f"{name} {begins}{dollars(round(usd))}")


def called(price: Price) -> str:
    """What was priced, in a few words: of a machine which one, and a module is called one."""
    if price.kind != "system":
        return NAMES[price.kind]
    memory = memory_bought(price)
    return "module" if is_module(price) else f"{memory:g} GB machine" if memory else NAMES[price.kind]


def _date_ticks(first: float, last: float, wide: float) -> Iterator[tuple[float, str]]:
    """Years, as many as fit into a plot so `wide`; in a short history months of its quarters."""
    if last - first >= 2:
        step = 1 + int((last - first) * LETTER_PX * 5 / wide)
        yield from ((year, str(year)) for year in range(math.ceil(first), math.floor(last) + 1, step))
        return
    step = 6 if last - first > 0.8 else 3
    for month in range(math.ceil(first * 12), math.floor(last * 12) + 1):
        if month % step == 0:
            yield month / 12, f"{MONTHS[month % 12][:3]} {month // 12}"
