"""The words of the dataset: the table of fields, and what a claim, a result and a price are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, fields
from datetime import date

from pipeline import units

VENDORS = ("NVIDIA", "AMD", "Intel", "Google", "Apple", "Amazon")
SEGMENTS = ("consumer", "workstation", "datacenter", "edge", "integrated")
# What was really read, best first: the order in which claims win.
KINDS = ("vendor", "first-party", "datasheet-copy", "press", "reference", "community")
KIND_MEANING = {
    "vendor": "the maker's own page, data sheet or documentation",
    "first-party": "measured by this project",
    "datasheet-copy": "a shop's or a mirror's copy of the maker's sheet",
    "press": "a report of the trade press",
    "reference": "a curated table that cites its sources",
    "community": "a list kept by users, approximate or unreviewed",
}

INPUTS = ("fp64", "fp32", "tf32", "bf16", "fp16", "fp8", "int8", "fp6", "fp4")
ACCUMULATES = ("fp64", "fp32", "fp16", "int32")
SPARSITIES = ("dense", "sparse")
ENGINES = ("vector", "tensor")

PRICE_KINDS = ("launch", "retail", "used", "on_demand", "spot", "reserved")


class SchemaError(ValueError):
    """A field, word or value that the schema does not know."""


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a GPU: its type, unit, meaning, range, and how far two sources may differ and still agree."""

    name: str
    type: str  # number, integer, text, date, flag
    unit: str
    label: str
    meaning: str
    low: float | None = None
    high: float | None = None
    tolerance: float = 0.0  # relative


FIELDS: dict[str, Field] = {
    f.name: f
    for f in (
        Field("launch_date", "date", "", "Launch", "Day, month or year in which the maker released it"),
        Field("launch_price_usd", "number", "USD", "Launch price",
              "Price in US dollars that the maker announced at launch", 30, 500_000, 0.02),
        Field("memory_gb", "number", "GB", "Memory",
              "Memory of the whole board as the maker states it (a maker's GB of memory is 2^30 bytes)",
              0.25, 4096, 0.01),
        Field("memory_type", "text", "", "Memory type", "Kind of memory chips"),
        Field("memory_bus_bit", "integer", "bit", "Memory bus", "Width of the memory interface of the whole board",
              32, 32768, 0.0),
        Field("memory_data_rate_gbps", "number", "Gbps", "Memory data rate", "Bits a second and pin", 0.5, 64, 0.03),
        Field("memory_bandwidth_gb_s", "number", "GB/s", "Memory bandwidth",
              "Peak rate between GPU and its memory, of the whole board", 8, 60_000, 0.02),
        Field("shader_cores", "integer", "", "Shader cores",
              "CUDA cores, stream processors or shading units of the whole board", 16, 400_000, 0.0),
        Field("tensor_cores", "integer", "", "Tensor or matrix cores",
              "Units for matrix multiplication", 4, 20_000, 0.0),
        Field("base_clock_mhz", "number", "MHz", "Base clock",
              "Clock the maker guarantees under load", 100, 5000, 0.01),
        Field("boost_clock_mhz", "number", "MHz", "Boost clock",
              "Clock to which the peak rates refer", 100, 5000, 0.01),
        Field("board_power_w", "number", "W", "Board power",
              "Power limit of the board as delivered (TDP, TGP, TBP: the maker's word)", 5, 5000, 0.02),
        Field("link_gb_s", "number", "GB/s", "GPU-to-GPU link",
              "NVLink, Infinity Fabric, Xe Link or ICI rate of one GPU, total of both directions", 10, 20_000, 0.02),
        Field("pcie_gen", "number", "", "PCIe generation", "Generation of the PCI Express interface", 1, 7, 0.0),
        Field("process_nm", "number", "nm", "Process", "Name of the manufacturing process in nm", 1, 200, 0.0),
        Field("die_size_mm2", "number", "mm2", "Die size", "Area of the GPU die or dies", 20, 5000, 0.03),
        Field("transistors_millions", "number", "million", "Transistors", "Transistors of the GPU, in millions",
              100, 2_000_000, 0.03),
        Field("l2_cache_mb", "number", "MB", "L2 cache", "Level-2 cache of the whole board", 0.1, 1024, 0.01),
        Field("ecc", "flag", "", "ECC memory", "Whether the memory can correct errors"),
        Field("compute_capability", "text", "", "CUDA compute capability", "NVIDIA's number for what the chip can run"),
        Field("compute_units", "integer", "", "Compute units",
              "Streaming multiprocessors, compute units or Xe cores of the whole board", 1, 2000, 0.0),
        Field("llvm_target", "text", "", "LLVM target", "AMD's name of the instruction set, as ROCm lists it"),
        Field("slot_width", "number", "", "Slots", "Slots that the card takes in a case", 0.5, 5, 0.1),
        Field("length_mm", "number", "mm", "Length", "Length of the reference card", 50, 500, 0.02),
        Field("power_connectors", "text", "", "Power connectors", "Plugs the card needs from the power supply"),
        Field("cooling", "text", "", "Cooling", "active (own fan), passive (needs the server's air) or liquid"),
        Field("recommended_psu_w", "number", "W", "Recommended power supply",
              "Power supply the maker recommends for the whole machine", 100, 3000, 0.0),
        Field("software_support", "text", "", "Software", "Compute stacks that run on it (CUDA, ROCm, oneAPI …)"),
        Field("last_supported_driver_or_toolkit", "text", "", "Last supported software",
              "Last driver or toolkit release that supports it, where support has ended"),
        Field("status", "text", "", "Status", "announced, shipping or end-of-life"),
    )
}  # fmt: skip

# A claim on a peak rate names its four words in the field: peak:<input>:<accumulate>:<sparsity>:<engine>.
PEAK = Field("peak", "number", "TFLOPS", "Peak rate",
             "Peak arithmetic rate at boost clock, TFLOPS (TOPS for integers)", 0.001, 200_000, 0.02)  # fmt: skip

# A text field with a closed list of words.
WORDS = {
    "cooling": ("active", "passive", "liquid"),
    "status": ("announced", "shipping", "end-of-life"),
}


@dataclass(frozen=True, slots=True)
class PeakKey:
    """The four words that make two peak rates comparable."""

    input: str
    accumulate: str
    sparsity: str
    engine: str

    @property
    def field(self) -> str:
        """The name of the claim's field."""
        return f"peak:{self.input}:{self.accumulate}:{self.sparsity}:{self.engine}"


def peak(input: str, accumulate: str, sparsity: str = "dense", engine: str = "tensor") -> str:
    """Name the field of a peak rate; SchemaError when a word is not in the schema."""
    key = PeakKey(input, accumulate, sparsity, engine)
    parse_peak(key.field)
    return key.field


def parse_peak(field: str) -> PeakKey:
    """Take a peak field apart; SchemaError names the word that is wrong."""
    _, *words = field.split(":")
    allowed = (INPUTS, ACCUMULATES, SPARSITIES, ENGINES)
    if len(words) != len(allowed):
        raise SchemaError(f"{field!r} needs four words: peak:<input>:<accumulate>:<sparsity>:<engine>")
    for word, known in zip(words, allowed, strict=True):
        if word not in known:
            raise SchemaError(f"{field!r}: {word!r} is not one of {', '.join(known)}")
    return PeakKey(*words)


def field_of(name: str) -> Field:
    """Look a field up by name, peaks included; SchemaError for a name that does not exist."""
    if name.startswith("peak:"):
        parse_peak(name)
        return PEAK
    if name not in FIELDS:
        raise SchemaError(f"unknown field {name!r}; fields: {', '.join(FIELDS)}")
    return FIELDS[name]


def canonical(field_name: str, value: object, unit: str | None = None) -> str:
    """Bring a value into the one written form of its field; SchemaError or units.UnitError when it has none.

    `value` is a number in `unit`, or the text as printed (its unit behind the number); None as `unit` means
    the field's own.
    """
    field = field_of(field_name)
    if isinstance(value, bool) or field.type == "flag":
        return _flag(field, value)
    if field.type in ("number", "integer"):
        return _number(field, value, unit)
    text = re.sub(r"\s+", " ", str(value)).strip()
    if field.type == "date":
        return _partial_date(field, text)
    if field_name in WORDS and text not in WORDS[field_name]:
        raise SchemaError(f"{field_name}: {text!r} is not one of {', '.join(WORDS[field_name])}")
    if not text:
        raise SchemaError(f"{field_name}: empty text; leave the value out instead")
    return text


def _number(field: Field, value: object, unit: str | None) -> str:
    if isinstance(value, str) and unit is None:
        number = units.read(value, field.unit)
    else:
        number = units.convert(float(str(value)), field.unit if unit is None else unit, field.unit)
    if field.type == "integer" and abs(number - round(number)) > 1e-6:
        raise SchemaError(f"{field.name}: {value!r} is not a whole number")
    return units.text_of(number)


def _flag(field: Field, value: object) -> str:
    text = str(value).strip().lower()
    if field.type != "flag" or text not in ("yes", "no", "true", "false"):
        raise SchemaError(f"{field.name}: {value!r} is not yes or no")
    return "yes" if text in ("yes", "true") else "no"


def _partial_date(field: Field, text: str) -> str:
    if not re.fullmatch(r"\d{4}(-\d{2}(-\d{2})?)?", text):
        raise SchemaError(f"{field.name}: {text!r} is not a date as 2022, 2022-10 or 2022-10-12")
    padded = text + "-01-01"[len(text) - 4 :] if len(text) < 10 else text
    try:
        date.fromisoformat(padded)
    except ValueError as error:
        raise SchemaError(f"{field.name}: {text!r} is not a date: {error}") from None
    return text


@dataclass(frozen=True, slots=True)
class Claim:
    """Source S says that field F of GPU G is V: here, read on that day.

    `gpu` is the source's own name until `identity` has resolved it, then our id. `value` is canonical text
    in the field's unit.
    """

    gpu: str
    field: str
    value: str
    unit: str
    source: str
    kind: str
    url: str
    locator: str
    retrieved: str
    licence: str


@dataclass(frozen=True, slots=True)
class Result:
    """One benchmark result; `value` is None for a run that failed (then `flag` says why)."""

    gpu: str
    gpu_count: int
    set: str
    workload: str
    model: str
    precision: str
    batch: str
    metric: str
    value: float | None
    unit: str
    higher_is_better: bool
    software: str
    date: str
    source: str
    flag: str
    url: str
    locator: str
    retrieved: str
    licence: str


@dataclass(frozen=True, slots=True)
class Price:
    """One dated price observation, per GPU-hour and machine-hour (rent) or per unit (buy)."""

    gpu: str
    kind: str
    provider: str
    region: str
    gpus: float | None
    usd_per_gpu_hour: float | None
    usd_per_machine_hour: float | None
    usd_per_unit: float | None
    currency: str
    date: str
    source: str
    flag: str
    offer: str
    includes: str
    url: str
    locator: str
    retrieved: str
    licence: str
    snapshot: str  # which bytes it was read from: parsing them again replaces their rows


@dataclass(frozen=True, slots=True)
class Skipped:
    """A row of a source that leads to no claim, and why: nothing is dropped in silence."""

    name: str
    file: str
    locator: str
    reason: str


Row = Claim | Result | Price | Skipped
Rows = Iterator[Row]


def columns(record: type) -> list[str]:
    """Name the columns of a record's CSV, in order."""
    return [f.name for f in fields(record)]
