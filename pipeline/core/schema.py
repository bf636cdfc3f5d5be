"""The words of the dataset: the table of fields, and what a claim, a result and a price are."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from datetime import date
from difflib import get_close_matches
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from pipeline.core import makers, units

VENDORS = tuple(makers.load())
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

# What is multiplied, and the types in which a chip can sum such products.
SUMS: Mapping[str, tuple[str, ...]] = {
    "fp64": ("fp64",),
    "fp32": ("fp32",),
    "tf32": ("fp32",),
    "bf16": ("fp32",),
    "fp16": ("fp16", "fp32"),
    "fp8": ("fp16", "fp32"),
    "int8": ("int32",),
    "fp6": ("fp16", "fp32"),
    "fp4": ("fp16", "fp32"),
}
INPUTS = tuple(SUMS)
ACCUMULATES = ("fp64", "fp32", "fp16", "int32")
SPARSITIES = ("dense", "sparse")
ENGINES = ("vector", "tensor")

# What a price is for; `system` is a machine sold whole: a DGX Spark, a Mac, a server of eight.
PRICE_KINDS = ("launch", "retail", "used", "system", "on_demand", "spot", "reserved")
RENT_KINDS = ("on_demand", "spot", "reserved")
# What a source saw: what sellers ask, what buyers paid, or only the lowest that is asked (one listing, or the few
# cheapest), which says where prices begin and not what is usual.
BASES = ("asked", "sold", "floor")
CONDITIONS = ("new", "used", "refurbished", "open box")


class SchemaError(ValueError):
    """A field, word or value that the schema does not know."""


@dataclass(frozen=True, slots=True)
class Field:
    """What is known of a field of a GPU: how it is called, what it means, its unit, its range and its tolerance."""

    label: str
    meaning: str
    unit: str = ""
    low: float | None = None
    high: float | None = None
    tolerance: float = 0.0  # relative: how far two sources may differ and still agree
    name: str = ""
    type: str = ""  # number, integer, text, date, flag: by the annotation of the attribute


# A date as far as it is known: 2022, 2022-10 or 2022-10-12; "" where it is not known.
Day = Annotated[str, "date"]
# What the annotation of an attribute makes of a column.
TYPES: Mapping[object, str] = {
    float: "number",
    float | None: "number",
    int: "integer",
    int | None: "integer",
    str: "text",
    Day: "date",
    bool: "flag",
    bool | None: "flag",
    tuple[str, ...]: "text",  # joined by semicolons
}


# fmt: off
@dataclass(frozen=True, kw_only=True)
class Figures:
    """What sources state of a GPU: each field is declared here and nowhere else.

    A number that no source states is None, a text or date is "". To add a field, add an attribute; the tables,
    checks, pages and downloads take it from FIELDS.
    """

    launch_date: Annotated[Day, Field(
        "Launch", "Day, month or year in which the maker released it")] = ""
    launch_price_usd: Annotated[float | None, Field(
        "Launch price", "Price in US dollars that the maker announced at launch", "USD", 30, 500_000, 0.02)] = None
    memory_gb: Annotated[float | None, Field(
        "Memory", "Memory of the whole board as the maker states it (a maker's GB of memory is 2^30 bytes)",
        "GB", 0.25, 4096, 0.01)] = None
    memory_type: Annotated[str, Field("Memory type", "Kind of memory chips")] = ""
    memory_bus_bit: Annotated[int | None, Field(
        "Memory bus", "Width of the memory interface of the whole board", "bit", 32, 32768)] = None
    memory_data_rate_gbps: Annotated[float | None, Field(
        "Memory data rate", "Bits a second and pin", "Gbps", 0.5, 64, 0.03)] = None
    memory_bandwidth_gb_s: Annotated[float | None, Field(
        "Memory bandwidth", "Peak rate between GPU and its memory, of the whole board",
        "GB/s", 8, 60_000, 0.02)] = None
    shader_cores: Annotated[int | None, Field(
        "Shader cores", "CUDA cores, stream processors or shading units of the whole board", "", 16, 400_000)] = None
    tensor_cores: Annotated[int | None, Field(
        "Tensor or matrix cores", "Units for matrix multiplication", "", 4, 20_000)] = None
    base_clock_mhz: Annotated[float | None, Field(
        "Base clock", "Clock the maker guarantees under load", "MHz", 100, 5000, 0.01)] = None
    boost_clock_mhz: Annotated[float | None, Field(
        "Boost clock", "Clock to which the peak rates refer", "MHz", 100, 5000, 0.01)] = None
    board_power_w: Annotated[float | None, Field(
        "Board power", "Power limit of the board as delivered (TDP, TGP, TBP: the maker's word)",
        "W", 5, 5000, 0.02)] = None
    link_gb_s: Annotated[float | None, Field(
        "GPU-to-GPU link", "NVLink, Infinity Fabric, Xe Link or ICI rate of one GPU, total of both directions",
        "GB/s", 10, 20_000, 0.02)] = None
    pcie_gen: Annotated[float | None, Field(
        "PCIe generation", "Generation of the PCI Express interface", "", 1, 7)] = None
    pcie_lanes: Annotated[int | None, Field(
        "PCIe lanes", "Lanes of the PCI Express interface that the card uses", "", 1, 32)] = None
    link_type: Annotated[str, Field(
        "Link", "Kind of direct link to other GPUs, none where the product has no other way than PCI Express")] = ""
    process_nm: Annotated[float | None, Field(
        "Process", "Name of the manufacturing process in nm", "nm", 1, 200)] = None
    die_size_mm2: Annotated[float | None, Field(
        "Die size", "Area of the GPU die or dies", "mm2", 20, 5000, 0.03)] = None
    transistors_millions: Annotated[float | None, Field(
        "Transistors", "Transistors of the GPU, in millions", "million", 100, 2_000_000, 0.03)] = None
    l2_cache_mb: Annotated[float | None, Field(
        "L2 cache", "Level-2 cache of the whole board", "MB", 0.1, 1024, 0.01)] = None
    ecc: Annotated[bool | None, Field("ECC memory", "Whether the memory can correct errors")] = None
    compute_capability: Annotated[str, Field(
        "CUDA compute capability", "NVIDIA's number for what the chip can run")] = ""
    compute_units: Annotated[int | None, Field(
        "Compute units", "Streaming multiprocessors, compute units or Xe cores of the whole board",
        "", 1, 2000)] = None
    llvm_target: Annotated[str, Field("LLVM target", "AMD's name of the instruction set, as ROCm lists it")] = ""
    slot_width: Annotated[float | None, Field("Slots", "Slots that the card takes in a case", "", 0.5, 5, 0.1)] = None
    length_mm: Annotated[float | None, Field("Length", "Length of the reference card", "mm", 50, 500, 0.02)] = None
    power_connectors: Annotated[str, Field("Power connectors", "Plugs the card needs from the power supply")] = ""
    cooling: Annotated[str, Field(
        "Cooling", "active (own fan), passive (needs the server's air) or liquid")] = ""
    recommended_psu_w: Annotated[float | None, Field(
        "Recommended power supply", "Power supply the maker recommends for the whole machine",
        "W", 100, 3000)] = None
    power_limit_min_w: Annotated[float | None, Field(
        "Lowest power limit",
        "Lowest board power that can be set, as read on a board or stated by the maker; "
        "of a laptop GPU, the lowest it is built with",
        "W", 3, 5000, 0.02)] = None
    power_limit_max_w: Annotated[float | None, Field(
        "Highest power limit",
        "Highest board power that can be set; boards of other makers may allow more or less; "
        "of a laptop GPU, the highest it is built with",
        "W", 3, 5000, 0.02)] = None
    idle_power_w: Annotated[float | None, Field(
        "Idle power", "Board power with nothing running, as somebody measured it; boards and displays make it differ",
        "W", 0.5, 300, 0.5)] = None
    pcie_peer_to_peer: Annotated[bool | None, Field(
        "Peer to peer over PCIe", "Whether the maker's driver lets one card read another's memory over PCI Express")
    ] = None
    native_formats: Annotated[str, Field(
        "Native low-precision formats",
        "Floating-point formats of 16 bits and fewer that its matrix units multiply in hardware, as the maker lists "
        "them")] = ""
    partitions: Annotated[str, Field(
        "Partitions", "Ways in which several users share the card in hardware, and its parts: MIG, SR-IOV"
    )] = ""
    video_engines: Annotated[str, Field("Video engines", "Units that encode and decode video")] = ""
    warranty: Annotated[str, Field("Warranty", "How long the maker stands by the product, and what ends it")] = ""
    licence_terms: Annotated[str, Field(
        "Licence terms", "What the licences of the maker's driver and software allow, forbid or include for it")] = ""
    driver_support: Annotated[str, Field(
        "Driver support", "Whether the maker's new drivers still support it, and until when fixes are promised")] = ""
    software_support: Annotated[str, Field("Software", "Compute stacks that run on it (CUDA, ROCm, oneAPI …)")] = ""
    last_supported_driver_or_toolkit: Annotated[str, Field(
        "Last supported software", "Last driver or toolkit release that supports it, where support has ended")] = ""
    status: Annotated[str, Field(
        "Status", "announced, shipping, end-of-life, cancelled, or modified by others than the maker")] = ""
# fmt: on


def _fields_of(record: type) -> dict[str, Field]:
    """The fields that a record declares, by name; KeyError for an annotation that TYPES does not know."""
    declared = get_type_hints(record, include_extras=True)
    types = _types_of(record)
    return {name: replace(get_args(hint)[-1], name=name, type=types[name]) for name, hint in declared.items()}


def _types_of(record: type) -> dict[str, str]:
    """What kind of column each attribute of a record makes."""
    declared = get_type_hints(record, include_extras=True)
    return {name: _type(hint) for name, hint in declared.items()}


def _type(hint: Any) -> str:  # noqa: ANN401 - an annotation
    if get_origin(hint) is Literal:
        return "text"
    if get_origin(hint) is not Annotated:
        return TYPES[hint]
    plain, *marks = get_args(hint)
    return "date" if "date" in marks else TYPES[plain]


FIELDS: dict[str, Field] = _fields_of(Figures)

# A claim on a peak rate names its four words in the field: peak:<input>:<accumulate>:<sparsity>:<engine>.
PEAK = Field(
    "Peak rate",
    "Peak arithmetic rate at boost clock, TFLOPS (TOPS for integers)",
    "TFLOPS",
    0.001,
    200_000,
    0.02,
    "peak",
    "number",
)


@dataclass(frozen=True, kw_only=True)
class Identity:
    """What a GPU is, in our words: what stands in its file in `data/gpus` and no source states."""

    id: str
    name: str
    aliases: tuple[str, ...] = ()
    vendor: str
    segment: str
    line: str = ""
    architecture: str = ""
    form_factor: str = ""
    dies: int = 1
    note: str = ""


# A text field with a closed list of words.
WORDS = {
    "cooling": ("active", "passive", "liquid"),
    "status": ("announced", "shipping", "end-of-life", "cancelled", "modified"),
    "link_type": (
        "NVLink",
        "NVLink bridge",
        "Infinity Fabric",
        "UALink",
        "chip-to-chip",
        "Xe Link",
        "ICI",
        "NeuronLink",
        "RoCE",
        "HCCS",
        "Ethernet",
        "none",
    ),
}


# A text field that begins with one of a closed list of words and goes on as its document does.
BEGINNINGS = {
    "driver_support": ("ongoing", "fixes in a branch", "security fixes until", "last branch", "ended"),
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
    key = PeakKey(*words)
    if key.accumulate not in SUMS[key.input]:
        raise SchemaError(
            f"{field!r}: products of {key.input} are summed in {' or '.join(SUMS[key.input])}, "
            f"never in {key.accumulate}; correct one of the two"
        )
    return key


@dataclass(frozen=True, slots=True)
class PeakRow:
    """A peak rate of data/clean: of which card, and whether a source states it or theory gives it."""

    gpu: str
    input: str
    accumulate: str
    sparsity: str
    engine: str
    tflops: float
    computed: bool

    @property
    def key(self) -> PeakKey:
        """Its four words; SchemaError when one is not in the schema."""
        return parse_peak(PeakKey(self.input, self.accumulate, self.sparsity, self.engine).field)


def field_of(name: str) -> Field:
    """Look a field up by name, peaks included; SchemaError for a name that does not exist."""
    if name.startswith("peak:"):
        parse_peak(name)
        return PEAK
    if name not in FIELDS:
        near = get_close_matches(name, FIELDS, n=3, cutoff=0.6)
        guess = f"; did you mean {' or '.join(near)}?" if near else "; the data dictionary of the site lists all"
        raise SchemaError(f"unknown field {name!r}{guess}")
    return FIELDS[name]


# "8.9", and what people write for it: sm_89, SM 8.9, compute_89, 8,9.
CAPABILITY = re.compile(r"\d{1,2}\.\d", re.ASCII)
CAPABILITY_MEANT = re.compile(r"(?:sm|cc|compute)?[_ ]?(\d{1,2})[.,]?(\d)[a-f]?", re.ASCII | re.IGNORECASE)


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
    if field_name in BEGINNINGS and not text.startswith(BEGINNINGS[field_name]):
        begins = ", ".join(map(repr, BEGINNINGS[field_name]))
        raise SchemaError(f"{field_name}: {text!r} must begin with one of {begins}; what the document adds goes behind")
    if field_name == "compute_capability" and not CAPABILITY.fullmatch(text):
        told = CAPABILITY_MEANT.fullmatch(text)
        step = f"write {told[1]}.{told[2]}" if told else "write two numbers with a point, as 8.9"
        raise SchemaError(f"{field_name}: {text!r} is no compute capability; {step}")
    return text


def _number(field: Field, value: object, unit: str | None) -> str:
    if isinstance(value, str) and unit is None:
        number = units.read(value, field.unit)
    else:
        try:
            plain = float(str(value))
        except ValueError:
            raise SchemaError(f"{field.name}: {value!r} is not a number") from None
        number = units.convert(plain, field.unit if unit is None else unit, field.unit)
    if not math.isfinite(number):
        raise SchemaError(f"{field.name}: {value!r} is not a finite number; leave an unknown value out")
    if field.type == "integer" and abs(number - round(number)) > 1e-6:
        raise SchemaError(f"{field.name}: {value!r} is not a whole number")
    return units.text_of(number)


def _flag(field: Field, value: object) -> str:
    text = str(value).strip().lower()
    if field.type != "flag" or text not in ("yes", "no", "true", "false"):
        raise SchemaError(f"{field.name}: {value!r} is not yes or no")
    return "true" if text in ("yes", "true") else "false"


def _partial_date(field: Field, text: str) -> str:
    if not re.fullmatch(r"\d{4}(-\d{2}(-\d{2})?)?", text, re.ASCII):
        raise SchemaError(f"{field.name}: {text!r} is not a date as 2022, 2022-10 or 2022-10-12")
    try:
        date.fromisoformat(whole_day(text)[0])
    except ValueError as error:
        raise SchemaError(f"{field.name}: {text!r} is not a date: {error}") from None
    return text


def whole_day(known: str) -> tuple[str, str]:
    """A date as far as it is known as a whole day, the first it can be, and how much of it is known."""
    return (known + "-01-01"[: 10 - len(known)] if known else "", PRECISIONS.get(len(known), ""))


def known_part(day: str, precision: str) -> Day:
    """The part of a whole day that is known."""
    length = next((size for size, word in PRECISIONS.items() if word == precision), 0)
    return Day(day[:length])


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
    retrieved: Day
    licence: str


Verdict = Literal["chosen", "agrees", "differs", "withdrawn"]


@dataclass(frozen=True, slots=True)
class DecidedClaim(Claim):
    """A claim of data/clean with what became of it: whether its value is shown, and why."""

    chosen: bool
    verdict: Verdict
    reason: str  # in words, the verdict first
    independent_sources: int | None  # of a chosen claim: those that agree, shared ancestry counted once
    source_title: str

    @property
    def why(self) -> str:
        """The reason without the verdict before it."""
        return self.reason.removeprefix(f"{self.verdict}: ")


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
    date: Day
    source: str
    flag: str
    url: str
    locator: str
    retrieved: Day
    licence: str
    # What kind of run it was, read by `record.results` out of the source's own words; "" where they do not say.
    division: str = ""  # closed, open: the rules of MLPerf under which it was handed in
    entered_as: str = ""  # the model that the benchmark asks for, where another one ran in its place
    sparsity: str = ""  # dense, or sparse: two of four weights zero
    quantisation: str = ""  # how the weights are packed, where `precision` does not say it all: q4_k_m, mxfp4, awq
    engine: str = ""  # the program that ran it, without its version

    @property
    def format(self) -> str:
        """How the numbers were held in one word: the packing of the weights, else their format."""
        return self.quantisation or self.precision

    @property
    def number(self) -> float:
        """The value of a run that did not fail; ValueError for one that did."""
        return _known(self.value, self.locator)


@dataclass(frozen=True, slots=True)
class Price:
    """One dated price observation, per GPU-hour and machine-hour (rent) or per unit (buy).

    `date` is the day or month on which somebody saw it asked or sold, `retrieved` the day on which we read of it.
    The columns from `amount` on may be missing in a machine file: then they are unknown, and what the source says of
    all its prices (`Source.prices`) holds.
    """

    gpu: str
    kind: str
    provider: str
    region: str
    gpus: float | None
    usd_per_gpu_hour: float | None
    usd_per_machine_hour: float | None
    usd_per_unit: float | None
    currency: str
    date: Day
    source: str
    flag: str
    offer: str
    includes: str
    url: str
    locator: str
    retrieved: Day
    licence: str
    snapshot: str  # which bytes it was read from: parsing them again replaces their rows
    amount: float | None = None  # in `currency`, as asked: a unit, or an hour of one GPU; USD rows leave it out
    country: str = ""  # where it was asked, as ISO 3166 has it (US, GR, GB); empty for what has no country
    tax: float | None = None  # per cent of sales tax in the price: 0 is without, empty is unknown
    basis: str = ""  # asked or sold
    condition: str = ""  # new, used, refurbished, open box; empty is what the kind says
    product: str = ""  # the maker's or board partner's product: listed by five shops, it counts once

    @property
    def unit_usd(self) -> float:
        """The price of a card to buy; ValueError for an offer of another kind."""
        return _known(self.usd_per_unit, self.locator)

    @property
    def gpu_hour_usd(self) -> float:
        """The price of one GPU for an hour; ValueError for an offer of another kind."""
        return _known(self.usd_per_gpu_hour, self.locator)

    @property
    def machine_hour_usd(self) -> float:
        """The price of a whole machine for an hour; ValueError for an offer of another kind."""
        return _known(self.usd_per_machine_hour, self.locator)


@dataclass(frozen=True, slots=True)
class Skipped:
    """A row of a source that leads to no claim, and why: nothing is dropped in silence."""

    name: str
    file: str
    locator: str
    reason: str


Row = Claim | Result | Price | Skipped
Rows = Iterator[Row]


def _known(number: float | None, locator: str) -> float:
    if number is None:
        raise ValueError(f"{locator}: holds no such number; leave out the rows without it first")
    return number


def columns(record: type) -> list[str]:
    """Name the columns of a record's CSV, in order."""
    return [f.name for f in fields(record)]


# Columns of gpus.csv that say what a thing is (ours), before those that sources state.
IDENTITY_COLUMNS = tuple(columns(Identity))
# `launch_date` of gpus.csv is always a whole day, so that every one parses; this column says how much of it is known.
PRECISION = "launch_date_precision"
PRECISIONS = {4: "year", 7: "month", 10: "day"}  # by the length of the date as far as it is known
# The tables of data/clean, each with its columns and what they hold: the interface that others build on.
TABLES: Mapping[str, Mapping[str, str]] = {
    "gpus": _types_of(Identity) | _types_of(Figures) | {PRECISION: "text"},
    "peaks": _types_of(PeakRow),
    "claims": _types_of(DecidedClaim),
    "benchmarks": _types_of(Result),
    "prices": _types_of(Price),
}
