"""What an hour of each GPU cost on demand, month by month: rows, picture and Plotly's JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pipeline.core.wording import MONTHS, day, dollars, short, slug
from pipeline.dataset import Dataset
from pipeline.derive import metrics
from pipeline.derive.prices.history import on_demand, unbroken, with_gaps
from pipeline.site.charts.base import HUES, IN_DOLLARS, OTHER_HUE, as_json, scatter
from pipeline.site.charts.chart import Drawn, OwnChart
from pipeline.site.charts.svg import Scale, Size, Tick, frame_of, pixel

AXIS = "USD per GPU-hour, median over providers (log)"
HOW = (
    "For each card and month the median over clouds and marketplaces (hyperscalers where nobody else lets it) of the "
    "cheapest whole GPU that each asked for on demand when it was last seen in that month. Drawn are months with at "
    "least three providers, of the ten cards with the most such months; the file holds all months of all cards. "
    f"{IN_DOLLARS}"
)
NOT_SHOWN = (
    "The same offers month after month: sources come and go, so a step may be another source and not another "
    "price. Spot and reserved prices, network, disk and tax."
)
HEADS = ("gpu", "name", "vendor", "month", "median_usd_per_gpu_hour", "providers")
ENOUGH_MONTHS, ENOUGH_PROVIDERS = 3, 3
MOST = 10  # cards drawn: those with the most months, then with the most providers
WIDE = Size("wide", 860, 420, left=56, right=150, top=14, bottom=34)
NARROW = Size("narrow", 360, 400, left=44, right=128, top=14, bottom=34)
LABEL_PX = 13


@dataclass(frozen=True, slots=True)
class RentMonth:
    """One card's median in one month."""

    gpu: str
    name: str
    vendor: str
    month: str
    usd: float
    providers: int


@dataclass(frozen=True, slots=True)
class RentLine:
    """One card's line in pixels, with its name at the right end."""

    gpu: str
    vendor: str
    path: str
    dots: tuple[tuple[str, str, str], ...]  # x, y, words
    label: str
    label_y: str
    leader: str


@dataclass(frozen=True, slots=True)
class LinePicture:
    """The static picture: everything in pixels, nothing left to compute."""

    size: Size
    right: int
    bottom: int
    middle_y: str
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    lines: tuple[RentLine, ...]
    frame: str  # svg.frame_of


def rows(dataset: Dataset) -> list[RentMonth]:
    """Every month of every card, in the order of ids and months."""
    return [
        RentMonth(gpu.id, gpu.name, gpu.vendor, month.month, month.value, month.count)
        for gpu in dataset.gpus.values()
        for month in on_demand(gpu.prices, "us")
    ]


def drawn(months: Sequence[RentMonth]) -> dict[str, list[RentMonth]]:
    """The cards with enough months of enough providers, by id."""
    cards: dict[str, list[RentMonth]] = {}
    for entry in months:
        if entry.providers >= ENOUGH_PROVIDERS:
            cards.setdefault(entry.gpu, []).append(entry)
    enough = [own for own in cards.values() if len(own) >= ENOUGH_MONTHS]
    enough.sort(key=lambda own: (-len(own), -sum(entry.providers for entry in own), own[0].gpu))
    return {own[0].gpu: own for own in sorted(enough[:MOST], key=lambda own: own[0].gpu)}


def finding(months: Sequence[RentMonth]) -> str:
    """The cheapest and the dearest hour of the newest month; no change over time, for the sources change too."""
    cards = drawn(months)
    if not cards:
        return "Rental prices over time: no card has three months of offers yet"
    newest = max(own[-1].month for own in cards.values())
    now = [own[-1] for own in cards.values() if own[-1].month == newest]
    cheap, dear = min(now, key=lambda e: (e.usd, e.gpu)), max(now, key=lambda e: (e.usd, e.gpu))
    return (
        f"An hour on demand in {day(newest)}: {dollars(cheap.usd)} for the {short(cheap.name)}, "
        f"{dollars(dear.usd)} for the {short(dear.name)}, in the middle of the providers"
    )


def csv_rows(months: Sequence[RentMonth]) -> Iterator[tuple[object, ...]]:
    """The numbers that the chart draws, and those of the cards with too few months to draw."""
    for entry in months:
        yield (entry.gpu, entry.name, entry.vendor, entry.month, round(entry.usd, 6), entry.providers)


def figure(months: Sequence[RentMonth]) -> str:
    """The chart as Plotly's JSON."""
    cards = [(own, with_gaps(own, _month_of)) for own in drawn(months).values()]
    traces = [
        scatter(
            x=[e.month if e else None for e in line],
            y=[round(e.usd, 6) if e else None for e in line],
            name=short(own[0].name),
            mode="lines+markers",
            text=[f"{short(e.name)}: {dollars(e.usd)} in {day(e.month)}" if e else "" for e in line],
            customdata=[own[0].gpu] * len(line),
            meta={"colour": f"ga-v-{slug(own[0].vendor)}", "x": "month", "y": HEADS[4], "key": "gpu"},
            hovertemplate="%{text}<extra></extra>",
            marker={"size": 7, "color": HUES.get(own[0].vendor, OTHER_HUE)},
            line={"width": 1.6},
        )
        for own, line in cards
    ]
    layout = {
        "xaxis": {"type": "date", "automargin": True},
        "yaxis": {"title": {"text": AXIS}, "type": "log", "automargin": True},
    }
    return as_json(traces, layout)


def picture(months: Sequence[RentMonth], size: Size) -> LinePicture:
    """The static picture at one size."""
    cards = drawn(months)
    every = [entry for own in cards.values() for entry in own]
    right, bottom = size.width - size.right, size.height - size.bottom
    times, amounts = [metrics.year_of(e.month) for e in every], [e.usd for e in every]
    x = Scale(min(times) - 0.05, max(times) + 0.05, size.left, right, False)
    y = Scale(min(amounts) / 1.2, max(amounts) * 1.2, bottom, size.top, True)
    return LinePicture(
        size,
        right,
        bottom,
        pixel((size.top + bottom) / 2),
        tuple(_quarters(x, size)),
        tuple(Tick(pixel(y(v)), dollars(v).removesuffix(".00").replace("0.50", "0.5")) for v in y.ticks(8)),
        tuple(_lines(cards, x, y)),
        frame_of(size, x, y),
    )


def _quarters(x: Scale, size: Size) -> Iterator[Tick]:
    step = 3 if size is WIDE else 6
    for month in range(math.ceil(x.low * 12), math.floor(x.high * 12) + 1):
        if month % step == 0:
            yield Tick(pixel(x(month / 12)), f"{MONTHS[month % 12][:3]} {month // 12}")


def _lines(cards: dict[str, list[RentMonth]], x: Scale, y: Scale) -> Iterator[RentLine]:
    """Lines from the dearest end down, their names moved apart; the lowest stay inside the frame."""
    order = sorted(cards.values(), key=lambda own: (-own[-1].usd, own[0].gpu))
    places = _apart([y(own[-1].usd) for own in order], y.end, y.start)
    for own, label_y in zip(order, places, strict=True):
        dots = [(pixel(x(metrics.year_of(e.month))), pixel(y(e.usd)), f"{day(e.month)}: {dollars(e.usd)}") for e in own]
        end_x, end_y = x(metrics.year_of(own[-1].month)), y(own[-1].usd)
        leader = f"M{pixel(end_x)} {pixel(end_y)}L{pixel(x.end + 6)} {pixel(label_y)}"
        yield RentLine(
            own[0].gpu,
            own[0].vendor,
            "".join(_path(run, x, y) for run in unbroken(own, _month_of)),
            tuple(dots),
            short(own[0].name).removesuffix(" Generation"),
            pixel(label_y + 4),
            leader,
        )


def _path(run: Sequence[RentMonth], x: Scale, y: Scale) -> str:
    places = [f"{pixel(x(metrics.year_of(entry.month)))} {pixel(y(entry.usd))}" for entry in run]
    return f"M{'L'.join(places)}" if len(places) > 1 else ""


def _month_of(entry: RentMonth) -> str:
    return entry.month


def _apart(heights: Sequence[float], top: float, bottom: float) -> list[float]:
    """Heights from above, moved down until no two labels touch, then up again from the bottom."""
    step = min(LABEL_PX, (bottom - top) / max(1, len(heights) - 1))
    placed: list[float] = []
    for height in heights:
        placed.append(max(height, placed[-1] + step if placed else top))
    limit = bottom
    for i in reversed(range(len(placed))):
        placed[i] = min(placed[i], limit)
        limit = placed[i] - step
    return placed


def draw(dataset: Dataset) -> Drawn:
    """The lines, and a table of the cards that are drawn."""
    months = rows(dataset)
    cards = drawn(months)
    known = {(entry.gpu, entry.month): entry.usd for own in cards.values() for entry in own}
    heads = sorted({entry.month for own in cards.values() for entry in own})
    context = {
        "pictures": [picture(months, size) for size in (WIDE, NARROW)] if cards else [],
        "axis": AXIS,
        "months": heads,
        "cards": [(own[0], [known.get((own[0].gpu, month)) for month in heads]) for own in cards.values()],
    }
    return Drawn(finding(months), context, HEADS, csv_rows(months), figure(months))


CHART = OwnChart(
    id="rent-over-time",
    name="Rental price over time",
    menu="Rent over time",
    kind="lines",
    how=HOW,
    not_shown=NOT_SHOWN,
    edit="pipeline/site/charts/rent_over_time.py",
    says="the median on-demand price of each card, month by month",
    drawing=draw,
)
