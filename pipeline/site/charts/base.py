"""Charts with a point for each GPU: the static picture, the CSV, and Plotly's JSON of the same numbers."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pipeline.core.schema import VENDORS
from pipeline.core.wording import number, short, slug
from pipeline.dataset import Dataset, GpuRecord
from pipeline.derive import metrics
from pipeline.derive.prices.rules import MARKETS
from pipeline.site.charts.chart import Chart, Drawn
from pipeline.site.charts.measures import CHOICES
from pipeline.site.charts.svg import LETTER_PX, Scale, Size, Tick, frame_of, pixel

# One hue a maker (told apart by colour-blind readers, 3:1 on white) and one shape a segment, the same on all pages.
# The hues stand in docs/stylesheets/almanac.css too, where dark mode has its own; a test holds both together.
HUES = {
    "NVIDIA": "#00845f",
    "AMD": "#d1480b",
    "Intel": "#0068b5",
    "Google": "#a87400",
    "Apple": "#68707c",
    "Amazon": "#8f4fa3",
}
# A maker without a hue of its own, as every maker is that a line in data/makers.yml adds, is drawn in this one.
OTHER_HUE = "#5f6b60"
SYMBOLS = {
    "consumer": "circle",
    "workstation": "square",
    "datacenter": "triangle-up",
    "edge": "diamond",
    "integrated": "x",
}
SHAPES = {
    "consumer": "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0",
    "workstation": "M-3.6-3.6h7.2v7.2h-7.2z",
    "datacenter": "M0-4.8L4.6 3.4H-4.6z",
    "edge": "M0-5L5 0L0 5L-5 0z",
    "integrated": "M-4-2.4L-2.4-4L0-1.6L2.4-4L4-2.4L1.6 0L4 2.4L2.4 4L0 1.6L-2.4 4L-4 2.4L-1.6 0z",
}
LINE_PX, DOT_PX, BAR_PX = 13, 6, 5
# What all interactive charts have in common.
LAYOUT = {"hovermode": "closest", "showlegend": False, "margin": {"l": 56, "r": 16, "t": 24, "b": 48}}
# Whence a speed: at least three results; one or two, which have no spread; none.
MEASURED, SELDOM, ESTIMATED = "measured", "measured once or twice", "estimated"


Trace = dict[str, object]  # of a Plotly figure


@dataclass(frozen=True, slots=True)
class Axis:
    """What an axis shows."""

    column: str  # in the chart's CSV
    title: str  # with unit, and "log" where so
    log: bool


# Axes that several charts share.
BANDWIDTH = Axis("memory_bandwidth_gb_s", "Memory bandwidth, GB/s (log)", True)
# What charts of these figures leave out, as each says below itself.
BANDWIDTH_HIDES = (
    "What a program really reaches, which is less; caches, which help some work and not other; chips whose only memory "
    "is SRAM."
)
LAUNCH_PRICE_HIDES = "What the card costs now: a launch price is history. Inflation is not taken out."
# Of charts that the switch of markets leaves as they are.
IN_DOLLARS = (
    "Amounts are in US dollars without tax, whatever market is chosen: rents are asked in dollars, and one exchange "
    "rate for all of them changes no order."
)
SIXTEEN_BIT = Axis("sixteen_bit_tflops", "Dense 16-bit peak, TFLOPS (log)", True)


@dataclass(frozen=True, slots=True)
class Spec:
    """The two axes of a scatter chart, and how many points get their name beside them."""

    x: Axis
    y: Axis
    labels: int = 14
    band: bool = False  # whether points have a spread along x
    y_band: bool = False  # and along y, measured or estimated
    reached: str = ""  # the column of what was measured beside a peak; "" where the chart has no such mark
    trend: bool = False  # whether the doubling that the finding speaks of is drawn as a line
    each: str = ""  # what a point's weight is, where the table shows it: TFLOPS for a watt


@dataclass(frozen=True, slots=True)
class ChartPoint:
    """One GPU of a chart; the texts are what a table shows in place of the numbers."""

    gpu: str
    name: str
    vendor: str
    segment: str
    x: float
    y: float
    x_text: str
    y_text: str
    weight: float = 0.0  # the heavier is labelled first
    band: metrics.Band | None = None  # the spread of x, 10 to 90 %
    y_band: metrics.Band | None = None
    basis: str = ""  # of y: measured or estimated; "" where it is neither
    reached: float | None = None  # what somebody measured, where y is a peak


WIDE = Size("wide", 860, 480)
NARROW = Size("narrow", 360, 400, left=60, labels=0.5)


@dataclass(frozen=True, slots=True)
class Dot:
    """A point in pixels; `label` is empty where there is no room for one."""

    point: ChartPoint
    x: str
    y: str
    path: str
    label: str
    label_x: str
    label_y: str
    anchor: str
    band: str = ""  # the path of its spread
    y_band: str = ""
    reached: str = ""  # a bar where it was measured, and a line from the peak down to it


@dataclass(frozen=True, slots=True)
class Picture:
    """A static picture: everything in pixels, nothing left to compute."""

    size: Size
    right: int
    bottom: int
    middle_x: str
    middle_y: str
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    dots: tuple[Dot, ...]
    spec: Spec
    frame: str  # svg.frame_of
    trend: str  # the path of the record's doubling, "" where the chart has none


@dataclass(frozen=True, kw_only=True)
class PointsChart(Chart):
    """A chart with a point for each GPU: a module says what its points are and what they show together."""

    spec: Spec
    rows: Callable[[Dataset], list[ChartPoint]] = field(repr=False)  # in the order of the ids
    finding: Callable[[Sequence[ChartPoint]], str] = field(repr=False)
    more: Callable[[Dataset, Sequence[ChartPoint]], Mapping[str, Any]] | None = None  # what else its page shows

    @property
    def template(self) -> str:
        """One for all of them."""
        return "chart.html.j2"

    def draw(self, dataset: Dataset) -> Drawn:
        """Its points as pictures, CSV and Plotly's JSON."""
        points = self.rows(dataset)
        context = {"ranking": [], "machines": [], "about": "", "per_dollar": "", "spec": self.spec}
        context |= {**shown(points, self.spec), **(self.more(dataset, points) if self.more else {})}
        rows = csv_rows(points, self.spec)
        return Drawn(self.finding(points), context, csv_heads(self.spec), rows, plotly_json(points, self.spec))


def shown(points: Sequence[ChartPoint], spec: Spec) -> dict[str, Any]:
    """The points with their static pictures and the legend that these need."""
    return {
        "points": points,
        "pictures": [picture(points, spec, size) for size in (WIDE, NARROW)] if points else [],
        "vendors": [name for name in VENDORS if any(p.vendor == name for p in points)],
        "shapes": {name: path for name, path in SHAPES.items() if any(p.segment == name for p in points)},
        "bases": list(dict.fromkeys(p.basis for p in points if p.basis)),
        "reached": any(p.reached for p in points),
        "trend": bool(spec.trend and record(points)),
        "measures": CHOICES,
        "currencies": {id: market.currency for id, market in MARKETS.items()},
    }


def point(
    gpu: GpuRecord,
    x: float,
    y: float,
    x_text: str = "",
    y_text: str = "",
    weight: float = 0.0,
    band: metrics.Band | None = None,
) -> ChartPoint:
    """A GPU as a point."""
    return ChartPoint(
        gpu.id,
        gpu.name,
        gpu.vendor,
        gpu.segment,
        x,
        y,
        x_text or number(x),
        y_text or number(y),
        weight,
        band,
    )


def plotly_json(points: Sequence[ChartPoint], spec: Spec) -> str:
    """The interactive chart as JSON; the browser puts in the page's colours."""
    return as_json(_traces(points, spec), _layout(points, spec))


def as_json(traces: Iterable[Trace], layout: Mapping[str, object]) -> str:
    """A figure as JSON that is the same each time. Each trace says which columns of the chart's CSV it draws.

    Plotly's own objects would say the same in ten times the time, and a test has Plotly read every figure of the site.
    No template: the default look is larger than most charts, and the page has its own.
    """
    figure = {"data": list(traces), "layout": {**LAYOUT, **layout}}
    return json.dumps(figure, sort_keys=True, separators=(",", ":")) + "\n"


def scatter(**attributes: object) -> Trace:
    """A trace of points or lines."""
    return {"type": "scatter", **attributes}


def html_page(points: Sequence[ChartPoint], spec: Spec) -> str:
    """The chart as Plotly's own page, library and all: what the site's budgets are measured against."""
    import plotly.graph_objects as go  # takes longer to import than all charts to draw

    figure = go.Figure(json.loads(plotly_json(points, spec)))
    return str(figure.to_html(include_plotlyjs=True, full_html=True, div_id="chart"))


def picture(points: Sequence[ChartPoint], spec: Spec, size: Size) -> Picture:
    """The static picture at one size."""
    right, bottom = size.width - size.right, size.height - size.bottom
    x = _scale([p.x for p in points] + _ends(p.band for p in points), spec.x, size.left, right)
    reached = [p.reached for p in points if p.reached]
    y = _scale([p.y for p in points] + _ends(p.y_band for p in points) + reached, spec.y, bottom, size.top)
    return Picture(
        size,
        right,
        bottom,
        pixel((size.left + right) / 2),
        pixel((size.top + bottom) / 2),
        tuple(Tick(pixel(x(v)), _tick_text(v, spec.x)) for v in x.ticks(8 if size is WIDE else 5)),
        tuple(Tick(pixel(y(v)), _tick_text(v, spec.y)) for v in y.ticks(8)),
        tuple(_dots(points, x, y, size, round(spec.labels * size.labels))),
        spec,
        frame_of(size, x, y),
        _trend(points, x, y) if spec.trend else "",
    )


def csv_rows(points: Iterable[ChartPoint], spec: Spec) -> Iterator[tuple[object, ...]]:
    """The numbers that the chart draws; a spread that is not known is blank."""
    for p in points:
        spread = _two(p.band) if spec.band else ()
        y_spread = (*_two(p.y_band), p.basis) if spec.y_band else ()
        reached = ("" if p.reached is None else p.reached,) if spec.reached else ()
        yield (p.gpu, p.name, p.vendor, p.segment, p.x, p.y, *spread, *y_spread, *reached)


def csv_heads(spec: Spec) -> tuple[str, ...]:
    """The columns of the chart's CSV."""
    spread = (f"{spec.x.column}_p10", f"{spec.x.column}_p90") if spec.band else ()
    y_spread = (f"{spec.y.column}_p10", f"{spec.y.column}_p90", f"{spec.y.column}_basis") if spec.y_band else ()
    reached = (spec.reached,) if spec.reached else ()
    return ("gpu", "name", "vendor", "segment", spec.x.column, spec.y.column, *spread, *y_spread, *reached)


def record(points: Sequence[ChartPoint]) -> list[tuple[str, float]]:
    """The first and the last record by launch month and the value of each; empty where nothing grew."""
    records = metrics.records_over_time((f"{int(p.x)}-{min(12, int(p.x % 1 * 12) + 1):02d}", p.y) for p in points)
    return [records[0], records[-1]] if metrics.doubling_years(records) is not None else []


def growth(points: Sequence[ChartPoint], what: str) -> str:
    """How fast a record grew with the launch dates, as a sentence; "" where nothing can be said."""
    ends = record(points)
    years = metrics.doubling_years(ends)
    if years is None:
        return ""
    return f"From {ends[0][0][:4]} to {ends[1][0][:4]} {what} doubled every {number(years, 2)} years"


def _trend(points: Sequence[ChartPoint], x: Scale, y: Scale) -> str:
    """The doubling of the record: straight on a logarithmic axis, from the first record to the last."""
    return "L".join(f"{pixel(x(metrics.year_of(month)))} {pixel(y(value))}" for month, value in record(points))


def _traces(points: Sequence[ChartPoint], spec: Spec) -> Iterator[Trace]:
    """A trace for each maker and basis: an estimate is hollow, its interval thin."""
    for vendor in VENDORS:
        hue = HUES.get(vendor, OTHER_HUE)
        for basis in dict.fromkeys(p.basis for p in points):
            own = [p for p in points if (p.vendor, p.basis) == (vendor, basis)]
            if own:
                yield _trace(own, spec, vendor, hue)
        measured = [p for p in points if p.vendor == vendor and p.reached]
        if measured:
            yield _reached(measured, spec, vendor, hue)


def _trace(own: Sequence[ChartPoint], spec: Spec, vendor: str, hue: str) -> Trace:
    hollow, faint = own[0].basis == ESTIMATED, own[0].basis in (SELDOM, ESTIMATED)
    return scatter(
        x=[p.x for p in own],
        y=[p.y for p in own],
        name=vendor,
        mode="markers",
        text=[_plotly_text(f"{p.name}: {p.y_text} at {p.x_text}" + (f" ({p.basis})" if p.basis else "")) for p in own],
        customdata=[p.gpu for p in own],
        meta={
            "colour": f"ga-v-{slug(vendor)}",
            "x": spec.x.column,
            "y": spec.y.column,
            "key": "gpu",
            "segments": [p.segment for p in own],
        },
        hovertemplate="%{text}<extra></extra>",
        marker={"size": 9, "color": hue, "symbol": [SYMBOLS[p.segment] + "-open" * hollow for p in own]},
        **_spread("error_x", [(p.x, p.band) for p in own], False),
        **_spread("error_y", [(p.y, p.y_band) for p in own], faint),
    )


def _reached(own: Sequence[ChartPoint], spec: Spec, vendor: str, hue: str) -> Trace:
    """A bar under a peak, as far away as the measurement lies."""
    return scatter(
        x=[p.x for p in own],
        y=[p.reached for p in own],
        name=f"{vendor}, measured",
        mode="markers",
        text=[_plotly_text(f"{p.name}: {number(p.reached)} measured, {p.y_text} at {p.x_text}") for p in own],
        customdata=[p.gpu for p in own],
        hovertemplate="%{text}<extra></extra>",
        meta={"colour": f"ga-v-{slug(vendor)}", "x": spec.x.column, "y": spec.reached, "key": "gpu"},
        marker={"size": 10, "color": hue, "symbol": "line-ew-open", "line": {"width": 2}},
        **_spread("error_y", [(p.reached or 0, metrics.Band(p.reached or 0, p.y)) for p in own], True),
    )


def _spread(name: str, ends: Sequence[tuple[float, metrics.Band | None]], faint: bool) -> dict[str, object]:
    if not any(band for _, band in ends):
        return {}
    up = [band.high - middle if band else 0 for middle, band in ends]
    down = [middle - band.low if band else 0 for middle, band in ends]
    return {name: {"array": up, "arrayminus": down, "thickness": 0.6 if faint else 1.4, "width": 0 if faint else 3}}


def _ends(bands: Iterable[metrics.Band | None]) -> list[float]:
    return [end for band in bands if band for end in (band.low, band.high)]


def _two(band: metrics.Band | None) -> tuple[object, object]:
    return (band.low, band.high) if band else ("", "")


def _layout(points: Sequence[ChartPoint], spec: Spec) -> dict[str, object]:
    axes = {
        name: {"title": {"text": axis.title}, "type": "log" if axis.log else "linear", "automargin": True}
        | ({"dtick": 1} if axis.log else {})
        for name, axis in (("xaxis", spec.x), ("yaxis", spec.y))
    }
    line = _trend_line(points) if spec.trend else []
    return {**axes, "shapes": line} if line else {**axes}


def _trend_line(points: Sequence[ChartPoint]) -> list[dict[str, object]]:
    ends = [(round(metrics.year_of(month), 4), value) for month, value in record(points)]
    if not ends:
        return []
    (x0, y0), (x1, y1) = ends
    line = {"dash": "dash", "width": 1.4}
    return [{"type": "line", "x0": x0, "y0": y0, "x1": x1, "y1": y1, "line": line, "name": "ga-faint"}]


def _plotly_text(text: str) -> str:
    """Plotly reads a few tags in texts; a name must not."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _scale(values: Sequence[float], axis: Axis, start: float, end: float) -> Scale:
    low, high = min(values), max(values)
    if axis.log:
        return Scale(low / 1.25, high * 1.25, start, end, True)
    room = (high - low) * 0.04 or 1.0
    return Scale(low - room, high + room, start, end, False)


def _dots(points: Sequence[ChartPoint], x: Scale, y: Scale, size: Size, labels: int) -> Iterator[Dot]:
    """Every point; the heaviest get their name where it hides nothing."""
    places = {p.gpu: (x(p.x), y(p.y)) for p in points}
    taken = [(px - DOT_PX, py - DOT_PX, px + DOT_PX, py + DOT_PX) for px, py in places.values()]
    taken += [(x(p.x) - BAR_PX, y(p.y), x(p.x) + BAR_PX, y(p.reached) + 2) for p in points if p.reached]
    named: dict[str, tuple[str, float, float, str]] = {}
    for p in sorted(points, key=lambda p: (-p.weight, p.gpu)):
        if len(named) == labels:
            break
        place = _free_place(short(p.name), *places[p.gpu], taken, size)
        if place:
            named[p.gpu] = place
    for p in points:
        text, lx, ly, anchor = named.get(p.gpu, ("", 0.0, 0.0, "start"))
        px, py = places[p.gpu]
        band = f"M{pixel(x(p.band.low))} {pixel(py)}H{pixel(x(p.band.high))}" if p.band else ""
        y_band = f"M{pixel(px)} {pixel(y(p.y_band.low))}V{pixel(y(p.y_band.high))}" if p.y_band else ""
        low = p.reached and pixel(y(p.reached))
        reached = f"M{pixel(px)} {pixel(py)}V{low}M{pixel(px - BAR_PX)} {low}H{pixel(px + BAR_PX)}" if low else ""
        yield Dot(p, pixel(px), pixel(py), SHAPES[p.segment], text, pixel(lx), pixel(ly), anchor, band, y_band, reached)


def _free_place(
    text: str, px: float, py: float, taken: list[tuple[float, float, float, float]], size: Size
) -> tuple[str, float, float, str] | None:
    """Right of, left of, above or below the point, where no dot and no other label stands."""
    wide = len(text) * LETTER_PX
    for anchor, lx, ly in (
        ("start", px + 8, py + 4),
        ("end", px - 8, py + 4),
        ("middle", px, py - 9),
        ("middle", px, py + 17),
    ):
        left = lx - {"start": 0.0, "end": wide, "middle": wide / 2}[anchor]
        box = (left, ly - LINE_PX + 3, left + wide, ly + 3)
        if _inside(box, size) and not any(_overlap(box, other) for other in taken):
            taken.append(box)
            return text, lx, ly, anchor
    return None


def _inside(box: tuple[float, float, float, float], size: Size) -> bool:
    return box[0] >= size.left and box[2] <= size.width - DOT_PX and box[1] >= 0 and box[3] <= size.height - size.bottom


def _overlap(a: tuple[float, float, float, float], b: tuple[float, float, float, float]) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _tick_text(value: float, axis: Axis) -> str:
    return str(round(value)) if axis.column == "launch_date" else number(value)
