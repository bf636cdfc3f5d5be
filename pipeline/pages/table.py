"""All GPUs as one table, and the names that the look-up boxes know."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pipeline import metrics
from pipeline.dataset import Dataset, GpuRecord
from pipeline.pages import addresses
from pipeline.render import Asset, Page, exact, number


@dataclass(frozen=True, slots=True)
class Column:
    """One column of the table: what its cells hold and whether it shows before anybody chooses."""

    key: str
    label: str
    unit: str
    shown: bool
    value: Callable[[GpuRecord, str], float | str | None]  # of a card, on the newest reading's day


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell as shown; `exact` is the number behind a rounded one, "" where the text is the number."""

    key: str
    text: str
    exact: str
    numeric: bool


def _field(name: str) -> Callable[[GpuRecord, str], float | str | None]:
    return lambda gpu, _: gpu.text(name)


def _sixteen_bit(gpu: GpuRecord, _: str) -> float | None:
    rate = metrics.sixteen_bit(gpu)
    return rate.tflops if rate else None


def _rent(gpu: GpuRecord, newest: str) -> float | None:
    rent = metrics.rent(gpu, newest)
    return rent.median_usd if rent else None


def _newest(kind: str) -> Callable[[GpuRecord, str], float | str | None]:
    def read(gpu: GpuRecord, _: str) -> str | None:
        row = metrics.newest_price(gpu, kind)
        return row["usd_per_unit"] if row else None

    return read


# The handful that answers the commonest question shows first; the rest is one tap away.
COLUMNS = (
    Column("year", "Launch", "", True, lambda gpu, _: gpu.text("launch_date")[:4]),
    Column("segment", "Class", "", True, _field("segment")),
    Column("memory", "Memory", "GB", True, lambda gpu, _: gpu.number("memory_gb")),
    Column("bandwidth", "Bandwidth", "GB/s", True, lambda gpu, _: gpu.number("memory_bandwidth_gb_s")),
    Column("peak16", "16-bit peak", "TFLOPS", True, _sixteen_bit),
    Column("power", "Power", "W", True, lambda gpu, _: gpu.number("board_power_w")),
    Column("rent", "Rent, median", "USD/h", True, _rent),
    Column("launch", "Launch price", "USD", True, lambda gpu, _: gpu.number("launch_price_usd")),
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
TEXT_COLUMNS = frozenset(("segment", "memtype", "arch", "line", "form", "software", "ecc"))


def pages(dataset: Dataset) -> Iterator[Page | Asset]:
    """The table of all GPUs, and names.json for the look-up boxes."""
    records = sorted(dataset.gpus.values(), key=_newest_first)
    context = {
        "columns": COLUMNS,
        "text_columns": TEXT_COLUMNS,
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


def names(dataset: Dataset) -> str:
    """Every name of every card, for look-up boxes and short addresses."""
    entries = [[gpu.id, gpu.name, *gpu.aliases] for gpu in dataset.gpus.values()]
    return json.dumps(entries, ensure_ascii=False, separators=(",", ":")) + "\n"


def _cell(column: Column, value: float | str | None) -> Cell:
    if value is None or value == "":
        return Cell(column.key, "", "", column.key not in TEXT_COLUMNS)
    if column.key in TEXT_COLUMNS or column.key == "year":
        return Cell(column.key, exact(str(value)), "", column.key == "year")
    text, full = number(value), f"{float(value):.7g}"
    return Cell(column.key, text, "" if text.replace(",", "") == full else full, True)


def _newest_first(gpu: GpuRecord) -> tuple[float, str]:
    launched = gpu.text("launch_date")
    return (-metrics.year_of(launched) if launched else 0.0, gpu.id)
