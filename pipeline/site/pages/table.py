"""All GPUs as one table, and the names that the look-up boxes know."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Container, Iterator, Mapping
from dataclasses import dataclass, field

from pipeline.advise import comparison
from pipeline.core import theory
from pipeline.core.schema import FIELDS
from pipeline.core.wording import exact, number
from pipeline.dataset import Dataset, GpuRecord
from pipeline.derive import metrics
from pipeline.derive.prices import staleness
from pipeline.derive.prices.quote import Book, Quote, quotes
from pipeline.derive.prices.rules import MARKETS, WORDS, Kind, Market
from pipeline.site.charts.spark import Spark, spark
from pipeline.site.pages import addresses
from pipeline.site.render import Asset, Page

MARKETPLACE: Mapping[Kind, str] = {"marketplace": "marketplace"}  # beside the clouds' prices it is said

BEST_KNOWN = 48  # about as many as people ask for by name


@dataclass(frozen=True, slots=True)
class Noted:
    """A number and, in a few words, what kind it is and when it was seen; "" where that goes without saying."""

    value: float
    note: str
    spark: Spark | None = None


ByMarket = Mapping[Market, Noted | None]
Value = float | str | Noted | ByMarket | None
CURRENCY = "{currency}"  # in a unit: that of the reader's market


@dataclass(frozen=True, slots=True)
class Column:
    """One column of the table: what its cells hold and whether it shows before anybody chooses."""

    key: str
    label: str
    unit: str
    shown: bool
    value: Callable[[GpuRecord, Book], Value]  # of a card, with the book of all prices

    @property
    def units(self) -> dict[Market, str]:
        """The unit in each market; empty where it is the same in all."""
        if CURRENCY not in self.unit:
            return {}
        return {market: self.unit.replace(CURRENCY, rule.currency) for market, rule in MARKETS.items()}


@dataclass(frozen=True, slots=True)
class CardCell:
    """A cell as shown; `exact` is the number behind a rounded or dated one, "" where the text is the number.

    A price holds in `markets` one cell for each market and nothing of its own.
    """

    key: str
    text: str
    exact: str
    numeric: bool
    note: str = ""
    spark: Spark | None = None
    markets: Mapping[Market, CardCell] = field(default_factory=dict)


def sixteen_bit(gpu: GpuRecord, _: Book) -> Noted | None:
    """The dense matrix peak at 16 bit: what a source states, else what theory gives, noted as computed."""
    rate = metrics.sixteen_bit(gpu)
    if rate:
        return Noted(rate.tflops, "")
    worked = theory.theory(gpu, theory.load())
    key = next((key for key in metrics.SIXTEEN_BIT if key in worked), None)
    return Noted(worked[key].tflops, "computed") if key else None


def _rent(gpu: GpuRecord, book: Book) -> ByMarket:
    return {market: _noted(book.to_rent(gpu.id, market), book) for market in MARKETS}


def _now(gpu: GpuRecord, book: Book) -> ByMarket:
    return {market: _noted(book.to_buy(gpu.id, market), book, WORDS) for market in MARKETS}


def _quoted(kind: Kind) -> Callable[[GpuRecord, Book], Value]:
    return lambda gpu, book: {market: _noted(book.quote(gpu.id, kind, market), book, {}) for market in MARKETS}


def _noted(quote: Quote, book: Book, words: Mapping[Kind, str] = MARKETPLACE) -> Noted | None:
    """A price of now with its kind and month; what is no price of now stands on the card's page.

    That of a machine says which one it buys, since the memory beside it is the most with which the chip is sold.
    """
    if quote.value is None:
        return None
    kind = quote.configuration or words.get(quote.kind)
    note = ", ".join(filter(None, (kind, quote.day[:7], *quote.cautions)))
    return Noted(quote.value, note, spark(book.months(quote.gpu, quote.kind, quote.market), book.newest))


# The handful that answers the commonest question shows first; the rest is one tap away. Memory and bandwidth decide
# what a card can do, the price whether it can be had: on a phone these are the columns in view.
COLUMNS = (
    Column("year", "Launch", "", False, lambda gpu, _: gpu.launch_date[:4]),
    Column("segment", "Class", "", False, lambda gpu, _: gpu.segment),
    Column("memory", "Memory", "GB", True, lambda gpu, _: gpu.memory_gb),
    Column("bandwidth", "Bandwidth", "GB/s", True, lambda gpu, _: gpu.memory_bandwidth_gb_s),
    Column("buy", "Price now", CURRENCY, True, _now),
    Column("rent", "Rent, median", f"{CURRENCY}/h", True, _rent),
    Column("peak16", "16-bit peak", "TFLOPS", True, sixteen_bit),
    Column("power", "Power", "W", True, lambda gpu, _: gpu.board_power_w),
    Column("launch", "Launch price", "USD", False, lambda gpu, _: gpu.launch_price_usd),
    Column("retail", "New", CURRENCY, False, _quoted("new")),
    Column("used", "Used", CURRENCY, False, _quoted("used")),
    Column("system", "Whole machine", CURRENCY, False, _quoted("system")),
    Column("fp32", "FP32 vector", "TFLOPS", False, lambda gpu, _: gpu.peak("fp32", "fp32", engine="vector")),
    Column("fp8", "FP8 peak", "TFLOPS", False, lambda gpu, _: gpu.peak("fp8", "fp32")),
    Column("int8", "INT8 peak", "TOPS", False, lambda gpu, _: gpu.peak("int8", "int32")),
    Column("memtype", "Memory type", "", False, lambda gpu, _: gpu.memory_type),
    Column("bus", "Bus", "bit", False, lambda gpu, _: gpu.memory_bus_bit),
    Column("cores", "Cores", "", False, lambda gpu, _: gpu.shader_cores),
    Column("boost", "Boost", "MHz", False, lambda gpu, _: gpu.boost_clock_mhz),
    Column("arch", "Architecture", "", False, lambda gpu, _: gpu.architecture),
    Column("line", "Line", "", False, lambda gpu, _: gpu.line),
    Column("form", "Form factor", "", False, lambda gpu, _: gpu.form_factor),
    Column("slots", "Slots", "", False, lambda gpu, _: gpu.slot_width),
    Column("software", "Software", "", False, lambda gpu, _: gpu.software_support),
    Column("ecc", "ECC", "", False, lambda gpu, _: gpu.written(FIELDS["ecc"])),
)
PRICES = tuple(column for column in COLUMNS if column.key in ("buy", "rent"))
TEXT_COLUMNS = frozenset(("segment", "memtype", "arch", "line", "form", "software", "ecc"))
# The first click on their head brings what most people look for: the cheapest, the card that needs least power.
LEAST_FIRST = frozenset(("buy", "rent", "launch", "retail", "used", "power"))
LISTED_FIRST = 60  # cards on top of the table whose sources are counted by themselves
# Their cells say more than a number; the CSV of a view has it in a column of its own, under this name.
SEEN = ("buy", "rent", "retail", "used", "system")
NOTED_COLUMNS = {**dict.fromkeys(SEEN, "seen"), "peak16": "kind"}


def pages(dataset: Dataset) -> Iterator[Page | Asset]:
    """The table of all GPUs, and names.json for the look-up boxes."""
    book = quotes(dataset)
    today = _to_have_today(dataset, book)
    records = in_order(dataset.gpus.values(), today, dataset.newest_reading)
    context = {
        "columns": COLUMNS,
        "compared_most": comparison.MOST,
        "currencies": {market: rule.currency for market, rule in MARKETS.items()},
        "text_columns": TEXT_COLUMNS,
        "noted_columns": NOTED_COLUMNS,
        "least_first": LEAST_FIRST,
        "today": len(today),
        "newest": dataset.newest_reading,
        "rows": [(gpu, cells(gpu, book)) for gpu in records],
        "vendors": sorted({gpu.vendor for gpu in records}),
        "segments": sorted({gpu.segment for gpu in records}),
        "forms": sorted({gpu.form_factor for gpu in records}),
        "addresses": addresses,
    }
    yield Page(
        "gpus/index",
        "table.html.j2",
        context,
        "All GPUs",
        f"{len(records)} GPUs and accelerators in one table: memory, bandwidth, peak rates, power and price.",
        "pipeline/site/pages/table.py",
    )
    yield Asset("gpus/names.json", names(dataset))


def listed_first(dataset: Dataset) -> list[GpuRecord]:
    """The cards on top of the table, which people buy and rent first."""
    today = _to_have_today(dataset, quotes(dataset))
    return in_order(dataset.gpus.values(), today, dataset.newest_reading)[:LISTED_FIRST]


def _to_have_today(dataset: Dataset, book: Book) -> set[str]:
    return {gpu.id for gpu in dataset.gpus.values() if to_have(gpu, book)}


def cells(gpu: GpuRecord, book: Book) -> list[CardCell]:
    """The cells of one card, in the order of the columns."""
    return [_cell(column, column.value(gpu, book)) for column in COLUMNS]


def price_cells(gpu: GpuRecord, book: Book) -> list[CardCell]:
    """What the card costs now to buy and to rent, as the table shows it."""
    return [_cell(column, column.value(gpu, book)) for column in PRICES]


def to_have(gpu: GpuRecord, book: Book) -> bool:
    """Whether somebody sold the card in some market, new or used, or rented it out in the last half-year."""
    bought = any(book.to_buy(gpu.id, market).value is not None for market in MARKETS)
    return bought or book.to_rent(gpu.id).value is not None


def known_by(gpu: GpuRecord, newest: str) -> int:
    """How many of our sources priced the card in the last half-year or measured it: what many have, many ask for."""
    prices = (row for row in gpu.prices if row.kind != "launch" and row.date and not row.flag)
    fresh = {row.source for row in prices if staleness.state(row.kind, row.date, newest) in staleness.NOW}
    return len(fresh | {row.source for row in gpu.benchmarks if not row.flag})


def known_first(dataset: Dataset) -> list[GpuRecord]:
    """All cards, the best known first."""
    newest = dataset.newest_reading
    return sorted(dataset.gpus.values(), key=lambda gpu: (-known_by(gpu, newest), gpu.id))


def best_known(dataset: Dataset) -> list[GpuRecord]:
    """The cards that people ask for by name."""
    return known_first(dataset)[:BEST_KNOWN]


def in_order(gpus: Collection[GpuRecord], today: Container[str], newest: str) -> list[GpuRecord]:
    """What can be had today first, the best known on top; cards for a desk and for a data centre by turns."""
    turns: Counter[bool] = Counter()
    places: dict[str, tuple[bool, int, bool]] = {}
    for gpu in sorted(gpus, key=lambda gpu: _best_known_first(gpu, today, newest)):
        in_rack = gpu.segment == "datacenter"
        places[gpu.id] = (gpu.id not in today, turns[in_rack], in_rack)
        turns[in_rack] += 1
    return sorted(gpus, key=lambda gpu: places[gpu.id])


def names(dataset: Dataset) -> str:
    """Every name of every card, the best-known card first, for look-up boxes and short addresses."""
    entries = [[gpu.id, gpu.name, *gpu.aliases] for gpu in known_first(dataset)]
    return json.dumps(entries, ensure_ascii=False, separators=(",", ":")) + "\n"


def _cell(column: Column, value: Value) -> CardCell:
    if isinstance(value, Mapping):
        known = any(one is not None for one in value.values())
        markets = {market: _cell(column, one) for market, one in value.items()} if known else {}
        return CardCell(column.key, "", "", True, markets=markets)
    if value is None or value == "":
        return CardCell(column.key, "", "", column.key not in TEXT_COLUMNS)
    if column.key in TEXT_COLUMNS or column.key == "year":
        return CardCell(column.key, exact(str(value)), "", column.key == "year")
    if isinstance(value, Noted) and value.note:
        # The note stands in the cell, so the number is told apart for sorting and export.
        return CardCell(column.key, number(value.value), f"{value.value:.7g}", True, value.note, value.spark)
    value = value.value if isinstance(value, Noted) else value
    text, full = number(value), f"{float(value):.7g}"
    return CardCell(column.key, text, "" if text.replace(",", "") == full else full, True)


def _best_known_first(gpu: GpuRecord, today: Container[str], newest: str) -> tuple[bool, int, float, str]:
    launched = gpu.launch_date
    return (gpu.id not in today, -known_by(gpu, newest), -metrics.year_of(launched) if launched else 0.0, gpu.id)
