"""All GPUs as one table, and the names that the look-up boxes know."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Container, Iterator
from dataclasses import dataclass

from pipeline import metrics, theory
from pipeline.dataset import Dataset, GpuRecord, Row
from pipeline.pages import addresses
from pipeline.render import Asset, Page, exact, number

BOUGHT = {"retail": "new", "used": "used"}
TODAY = ("fresh", "ageing")  # states of an offer at which it counts as one of today


@dataclass(frozen=True, slots=True)
class Noted:
    """A number and, in a few words, what kind it is and when it was seen; "" where that goes without saying."""

    value: float
    note: str


Value = float | str | Noted | None


@dataclass(frozen=True, slots=True)
class Column:
    """One column of the table: what its cells hold and whether it shows before anybody chooses."""

    key: str
    label: str
    unit: str
    shown: bool
    value: Callable[[GpuRecord, str], Value]  # of a card, on the newest reading's day


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell as shown; `exact` is the number behind a rounded or dated one, "" where the text is the number."""

    key: str
    text: str
    exact: str
    numeric: bool
    note: str = ""


def _field(name: str) -> Callable[[GpuRecord, str], Value]:
    return lambda gpu, _: gpu.text(name)


def _sixteen_bit(gpu: GpuRecord, _: str) -> Noted | None:
    rate = metrics.sixteen_bit(gpu)
    if rate:
        return Noted(rate.tflops, "")
    worked = theory.theory(gpu, theory.load())
    key = next((key for key in metrics.SIXTEEN_BIT if key in worked), None)
    return Noted(worked[key].tflops, "computed") if key else None


def _rent(gpu: GpuRecord, newest: str) -> Noted | None:
    rent = metrics.rent(gpu, newest)
    if not rent:
        return None
    return Noted(rent.median_usd, f"{rent.month}{'' if rent.state in TODAY else ', old'}")


def _now(gpu: GpuRecord, newest: str) -> Noted | None:
    row = metrics.price_to_buy(gpu, newest)
    return _dated(row, newest, f"{BOUGHT[row['kind']]}, ") if row else None


def _newest(kind: str) -> Callable[[GpuRecord, str], Value]:
    def read(gpu: GpuRecord, newest: str) -> Noted | None:
        row = metrics.newest_price(gpu, kind)
        return _dated(row, newest) if row else None

    return read


def _dated(row: Row, newest: str, kind: str = "") -> Noted:
    tax = "" if row["currency"] == "USD" else ", with tax"
    old = ", old" if metrics.is_old(row["date"], newest) else ""
    return Noted(float(row["usd_per_unit"]), f"{kind}{row['date'][:7]}{tax}{old}")


# The handful that answers the commonest question shows first; the rest is one tap away. Memory and bandwidth decide
# what a card can do, the price whether it can be had: on a phone these are the columns in view.
COLUMNS = (
    Column("year", "Launch", "", False, lambda gpu, _: gpu.text("launch_date")[:4]),
    Column("segment", "Class", "", False, _field("segment")),
    Column("memory", "Memory", "GB", True, lambda gpu, _: gpu.number("memory_gb")),
    Column("bandwidth", "Bandwidth", "GB/s", True, lambda gpu, _: gpu.number("memory_bandwidth_gb_s")),
    Column("buy", "Price now", "USD", True, _now),
    Column("rent", "Rent, median", "USD/h", True, _rent),
    Column("peak16", "16-bit peak", "TFLOPS", True, _sixteen_bit),
    Column("power", "Power", "W", True, lambda gpu, _: gpu.number("board_power_w")),
    Column("launch", "Launch price", "USD", False, lambda gpu, _: gpu.number("launch_price_usd")),
    Column("retail", "New", "USD", False, _newest("retail")),
    Column("used", "Used", "USD", False, _newest("used")),
    Column("fp32", "FP32 vector", "TFLOPS", False, lambda gpu, _: gpu.peak("fp32", "fp32", engine="vector")),
    Column("fp8", "FP8 peak", "TFLOPS", False, lambda gpu, _: gpu.peak("fp8", "fp32")),
    Column("int8", "INT8 peak", "TOPS", False, lambda gpu, _: gpu.peak("int8", "int32")),
    Column("memtype", "Memory type", "", False, _field("memory_type")),
    Column("bus", "Bus", "bit", False, lambda gpu, _: gpu.number("memory_bus_bit")),
    Column("cores", "Cores", "", False, lambda gpu, _: gpu.number("shader_cores")),
    Column("boost", "Boost", "MHz", False, lambda gpu, _: gpu.number("boost_clock_mhz")),
    Column("arch", "Architecture", "", False, _field("architecture")),
    Column("line", "Line", "", False, _field("line")),
    Column("form", "Form factor", "", False, _field("form_factor")),
    Column("slots", "Slots", "", False, lambda gpu, _: gpu.number("slot_width")),
    Column("software", "Software", "", False, _field("software_support")),
    Column("ecc", "ECC", "", False, _field("ecc")),
)
PRICES = tuple(column for column in COLUMNS if column.key in ("buy", "rent"))
TEXT_COLUMNS = frozenset(("segment", "memtype", "arch", "line", "form", "software", "ecc"))
# Their cells say more than a number; the CSV of a view has it in a column of its own, under this name.
NOTED_COLUMNS = {"buy": "seen", "rent": "seen", "retail": "seen", "used": "seen", "peak16": "kind"}


def pages(dataset: Dataset) -> Iterator[Page | Asset]:
    """The table of all GPUs, and names.json for the look-up boxes."""
    today = {gpu.id for gpu in dataset.gpus.values() if to_have(gpu, dataset.newest_reading)}
    records = in_order(dataset.gpus.values(), today, dataset.newest_reading)
    context = {
        "columns": COLUMNS,
        "text_columns": TEXT_COLUMNS,
        "noted_columns": NOTED_COLUMNS,
        "today": len(today),
        "newest": dataset.newest_reading,
        "rows": [(gpu, cells(gpu, dataset.newest_reading)) for gpu in records],
        "vendors": sorted({gpu.text("vendor") for gpu in records}),
        "segments": sorted({gpu.text("segment") for gpu in records}),
        "forms": sorted({gpu.text("form_factor") for gpu in records}),
        "addresses": addresses,
    }
    yield Page("gpus/index", "table.html.j2", context, "All GPUs",
               f"{len(records)} GPUs and accelerators in one table: memory, bandwidth, peak rates, power and price.",
               "pipeline/pages/table.py")  # fmt: skip
    yield Asset("gpus/names.json", names(dataset))


def cells(gpu: GpuRecord, newest: str) -> list[Cell]:
    """The cells of one card, in the order of the columns."""
    return [_cell(column, column.value(gpu, newest)) for column in COLUMNS]


def price_cells(gpu: GpuRecord, newest: str) -> list[Cell]:
    """What the card costs now to buy and to rent, as the table shows it."""
    return [_cell(column, column.value(gpu, newest)) for column in PRICES]


def to_have(gpu: GpuRecord, newest: str) -> bool:
    """Whether somebody sold the card, new or used, or rented it out in the last half-year."""
    bought, rent = metrics.price_to_buy(gpu, newest), metrics.rent(gpu, newest)
    return bool(bought and not metrics.is_old(bought["date"], newest)) or bool(rent and rent.state in TODAY)


def known_by(gpu: GpuRecord, newest: str) -> int:
    """How many of our sources priced the card in the last half-year or measured it: what many have, many ask for."""
    prices = (row for row in gpu.prices if row["kind"] != "launch" and row["date"] and not row["flag"])
    fresh = {row["source"] for row in prices if not metrics.is_old(row["date"], newest)}
    return len(fresh | {row["source"] for row in gpu.benchmarks if not row["flag"]})


def in_order(gpus: Collection[GpuRecord], today: Container[str], newest: str) -> list[GpuRecord]:
    """What can be had today first, the best known on top; cards for a desk and for a data centre by turns."""
    turns: Counter[bool] = Counter()
    places: dict[str, tuple[bool, int, bool]] = {}
    for gpu in sorted(gpus, key=lambda gpu: _best_known_first(gpu, today, newest)):
        in_rack = gpu.text("segment") == "datacenter"
        places[gpu.id] = (gpu.id not in today, turns[in_rack], in_rack)
        turns[in_rack] += 1
    return sorted(gpus, key=lambda gpu: places[gpu.id])


def names(dataset: Dataset) -> str:
    """Every name of every card, for look-up boxes and short addresses."""
    entries = [[gpu.id, gpu.name, *gpu.aliases] for gpu in dataset.gpus.values()]
    return json.dumps(entries, ensure_ascii=False, separators=(",", ":")) + "\n"


def _cell(column: Column, value: Value) -> Cell:
    if value is None or value == "":
        return Cell(column.key, "", "", column.key not in TEXT_COLUMNS)
    if column.key in TEXT_COLUMNS or column.key == "year":
        return Cell(column.key, exact(str(value)), "", column.key == "year")
    if isinstance(value, Noted) and value.note:
        # The note stands in the cell, so the number is told apart for sorting and export.
        return Cell(column.key, number(value.value), f"{value.value:.7g}", True, value.note)
    value = value.value if isinstance(value, Noted) else value
    text, full = number(value), f"{float(value):.7g}"
    return Cell(column.key, text, "" if text.replace(",", "") == full else full, True)


def _best_known_first(gpu: GpuRecord, today: Container[str], newest: str) -> tuple[bool, int, float, str]:
    launched = gpu.text("launch_date")
    return (gpu.id not in today, -known_by(gpu, newest), -metrics.year_of(launched) if launched else 0.0, gpu.id)
