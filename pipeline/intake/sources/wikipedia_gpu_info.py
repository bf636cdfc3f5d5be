"""Wikipedia's lists of GPUs, as one JSON object a GPU: claims, each value checked against the others of its row.

What a row leaves out of its die is taken from the rows of other cards with the same die.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from pipeline.core.schema import Claim, Rows, SchemaError, canonical, field_of, peak
from pipeline.core.units import UnitError
from pipeline.intake.sources import table
from pipeline.intake.sources.base import Snapshot, Snapshots, Source, SourceError, SourceFile

FILE = "gpu.json"
SOURCE = Source(
    id="wikipedia-gpu-info",
    title="Wikipedia: lists of NVIDIA, AMD and Intel GPUs (as JSON)",
    publisher="Wikipedia authors; extracted by gpu-info-api",
    home="https://en.wikipedia.org/wiki/List_of_Nvidia_graphics_processing_units",
    licence="not stated for the file; the Wikipedia tables it is made from are CC BY-SA 4.0",
    kind="reference",
    gives="launch, memory, clocks, shader cores, chip, power, price and peak rates of GPUs since 2012",
    files=(
        SourceFile(
            FILE, "https://raw.githubusercontent.com/voidful/gpu-info-api/gpu-data/gpu.json", "original", floor=6000
        ),
    ),
)
FIRST_YEAR = 2012  # Kepler and GCN; older chips run no framework of today
OLD_BUS = re.compile(r"AGP|PCI(?!e)|PCIe? x|HyperTransport|FSB|HT$|Integrated")  # in rows without a launch

# Where a name stands; a missing one is the text "nan".
NAME_KEYS = (
    "Model name",
    "Model",
    "Model (Codename)",
    "Model (Code name)",
    "Model (Code name) Model (Code name) Model (Code name)",
    "Model name (Architecture)",
    "Model (codename)",
)
WITH_CODE_NAME = NAME_KEYS[2:]  # "Radeon RX 7900 XTX (Navi 31)"
INTEL_SERIES, INTEL_MODEL = "Branding and Model", "Branding and Model Branding and Model.1"
INTEL_MODELS = {"A7708GB": "A770 8GB", "A77016GB": "A770 16GB"}  # a lost line break
CODE_KEYS = ("Code name", "Code name(s)", "Codename")
DIE_KEYS = (*CODE_KEYS, "Core")
CONSOLE_KEY = "Code name (console model)"
CONSOLES = re.compile(r"\((Xbox|PS3|Nintendo Switch)")
# Two tables of laptop parts repeat the desktop names without a word that tells them apart. AMD's alone gives RX cards
# in this column; of the GeForce 20 series the desktop table counts TFLOPS and the laptop table GFLOPS.
AMD_LAPTOP_KEY = "Architecture (Fab)"
LAPTOP_SERIES, LAPTOP_KEY = "GeForce RTX 20", "Processing power (GFLOPS) Single precision"
TESLA_NAME = re.compile(r"(\S+) GPU accelerator(?: \((.+)\))?")
# "mezzanine" is the SXM2 module of P100 and V100; their other cards are PCIe cards.
FORM_OF = {
    "mezzanine": "SXM2",
    "SXM card": "SXM",
    "PCIe card": "PCIe",
    "PCIe FHHL card": "PCIe FHHL",
    "16 GB card": "PCIe",
    "12 GB card": "PCIe",
    None: "",
}
SEVERAL_FORMS = ("P100", "V100", "A100", "H100", "H200", "H800")
# Sold under one name with GDDR5 and, from 2020, with GDDR6 and other clocks: two cards of the guide.
SEVERAL_MEMORY_TYPES = ("GeForce GTX 1650",)
# One row for two memory sizes of one chip, with one kind and one width of memory: what follows from the chip holds for
# both. Launch, price, clocks, power and rates stay with the name of the row, which tells no size. A100 PCIe stands not
# here (NVIDIA gives HBM2 for 40 GB and HBM2e for 80 GB), nor H100 SXM, whose 64 GB board has a narrower bus.
SIZES_OF_ONE_ROW: dict[str, tuple[str, ...]] = {
    "AMD Radeon Instinct MI50": ("16GB", "32GB"),
    "AMD Radeon RX 5500 XT": ("4GB", "8GB"),
    "AMD Radeon RX 9060 XT": ("8GB", "16GB"),
    "NVIDIA M40": ("12GB", "24GB"),
    "NVIDIA Quadro M6000": ("12GB", "24GB"),
    "NVIDIA T1000": ("4GB", "8GB"),
    "NVIDIA V100 PCIe": ("16GB", "32GB"),
    "NVIDIA V100 SXM2": ("16GB", "32GB"),
}
OF_THE_CHIP = (
    "memory_type",
    "memory_bus_bit",
    "pcie_gen",
    "pcie_lanes",
    "compute_capability",
    "software_support",
    "shader_cores",
    "tensor_cores",
    "compute_units",
    "process_nm",
    "die_size_mm2",
    "transistors_millions",
)

# What a row leaves out of its die stands in the rows of other cards with the same die: the lists of workstation, laptop
# and Tesla cards name the die, and only the GeForce lists describe it. Where those differ by more than the field's
# tolerance (AD107 has 158.7 or 146 mm²) nothing is taken.
OF_THE_DIE = ("die_size_mm2", "transistors_millions", "process_nm", "compute_capability", "software_support")
DIE = re.compile(r"(?:1x )?((?:G[KMPVAB]|TU|AD)\d{3})(?:[ -].*)?")

UNKNOWN = frozenset(
    (
        "",
        "nan",
        "?",
        "-",
        "–",
        "TBD",
        "TBA",
        "Unknown",
        "No",
        "N/A",
        "n/a",
        "n/a n/a",
        "None",
        "OEM",
        "Retail",
        "$",
        "System memory",
        "Integrated",
        "Multiple",
    )
)

GFLOPS, TFLOPS = "Processing power (GFLOPS)", "Processing power (TFLOPS)"
SINGLE = (
    f"{GFLOPS} Single precision",
    f"{TFLOPS} Single precision",
    f"{GFLOPS} Single",
    f"{TFLOPS} Single",
    f"{TFLOPS} Single precision (MAD or FMA)",
    f"{TFLOPS} Single precision (base)",
    "Processing power TFLOPS Single",
)
DOUBLE = (
    f"{GFLOPS} Double precision",
    f"{TFLOPS} Double precision",
    f"{GFLOPS} Double",
    f"{TFLOPS} Double",
    f"{TFLOPS} Double precision (FMA)",
    f"{TFLOPS} Double precision (base)",
    "Processing power TFLOPS Double",
)
HALF = (
    f"{GFLOPS} Half precision",
    f"{TFLOPS} Half precision",
    f"{GFLOPS} Half",
    f"{TFLOPS} Half",
    f"{TFLOPS} Half precision (base)",
    "Processing power TFLOPS Half",
)
BANDWIDTH = ("Memory Bandwidth (GB/s)", "Memory configuration Bandwidth (GB/s)", "Memory Bandwidth")
BUS = (
    "Memory Bus width (bit)",
    "Memory configuration Bus width (bit)",
    "Memory Bus width",
    "Memory Bus width (Bit)",
)
BUS_AND_TYPE = ("Memory Bus type & width", "Memory Bus type & width (bit)")
CORES = ("Core config", "Core Config", "Core config,", "Core Config (CU)")
INTERFACE = ("Bus interface", "Bus Interface", "Bus interface Bus interface Bus interface", "Interface Host")
PROCESS = (
    "Fab (nm)",
    "Process",
    "Architecture & fab",
    AMD_LAPTOP_KEY,
    "Architecture & Fab",
    "Architecture Fab",
    "Architecture & fab Architecture & fab Architecture & fab",
)
LAUNCH = (
    "Launch",
    "Release Date & Price",
    "Release Date & Price Release Date & Price Release Date & Price",
)
PRICE = ("Release price (USD) MSRP", "Release price (USD)", "Release Price (USD)", "MSRP (USD)")
CAPABILITY = ("CUDA compute capability", "Supported API version CUDA", "Supported API version CUDA Compute Capability")
NO_CAPABILITY = {"11.6": "no compute capability; RTX PRO Blackwell is 12.0 in NVIDIA's own table"}

L2_CACHE = ("L2 Cache (MiB)", "Cache L2 (MiB)", "L2 Cache(MiB)", "L2 cache", "Cache L2")
BASE_CLOCK = (
    "Clock speeds Base core clock (MHz)",
    "Clock speeds Base core (MHz)",
    "Clock Speeds Base (MHz)",
    "Shaders Base clock (MHz)",
)
BOOST_CLOCK = (
    "Clock speeds Boost core clock (MHz)",
    "Clock speeds Boost core (MHz)",
    "Clock Speeds Boost (MHz)",
    "Shaders Max boost clock (MHz)",
    "Boost clock (MHz)",
)

# Columns with one number: their key → our field, the unit of the column.
MEMORY = {
    "Memory Size (GiB)": "GiB",
    "Memory Size (GB)": "GiB",
    "Memory Size (MiB)": "MiB",
    "Memory Size (MB)": "MiB",
    "Memory Size": "GiB",
    "Memory": "GiB",
    "Memory configuration Size (GiB)": "GiB",
    "Memory configuration Size (MiB)": "MiB",
}
ONE_NUMBER: dict[str, tuple[str, str]] = {
    **{key: ("memory_gb", unit) for key, unit in MEMORY.items()},
    **dict.fromkeys(BANDWIDTH, ("memory_bandwidth_gb_s", "GB/s")),
    **dict.fromkeys(BUS, ("memory_bus_bit", "bit")),
    **dict.fromkeys(("TDP (Watts)", "TDP (W)", "TDP", "TBP", "TBP (W)"), ("board_power_w", "W")),
    **dict.fromkeys(L2_CACHE, ("l2_cache_mb", "MiB")),
    "Die size (mm)": ("die_size_mm2", "mm2"),  # the exponent of mm² is lost
    "Transistors (billion)": ("transistors_millions", "billion"),
    "Transistors (million)": ("transistors_millions", "million"),
    "Shaders CUDA cores (total)": ("shader_cores", ""),
    "SM count": ("compute_units", ""),
    **dict.fromkeys(BASE_CLOCK, ("base_clock_mhz", "MHz")),
    **dict.fromkeys(BOOST_CLOCK, ("boost_clock_mhz", "MHz")),
}
SLOT_KEYS = ("Size Slots", "Notes, form factor")
SLOTS = {"single": 1, "double": 2, "dual": 2}
TEXT = dict.fromkeys(("Memory Bus type", "Memory Type", "Memory configuration DRAM type"), "memory_type")
DATA_RATE = {
    "Clock speeds Memory (GT/s)": "GT/s",
    "Clock Speeds Memory (GT/s)": "GT/s",
    "Clock speed Memory (GT/s)": "GT/s",
    "Clock rate Memory (GT/s)": "GT/s",
    "Memory (GT/s)": "GT/s",
    "Memory Clock (MT/s)": "MT/s",
}
CORE_CLOCK = ("Core Clock (MHz)", "Core clock (MHz)", "Clock rate (MHz)")  # "base boost", or one of them
# "57.7×10 529 mm": the exponent is lost; it was 9 in the first two spellings of the heading and 6 in the others.
CHIP = {
    "Transistors & die size": "billion",
    "Transistors & die size Transistors & die size Transistors & die size": "billion",
    "Transistors & Die Size": "million",
    "Transistors Die Size": "million",
}


# Tensor rates. Which accumulate type and which sparsity a column holds follows from the ratio to the vector FP32
# rate of the same row, because NVIDIA's tensor cores have fixed ratios (Epoch and GPU Poet give the same cards):
#   8  GeForce 20 and Titan RTX   dense, FP16 accumulate   RTX 2080 Ti 107.6 / 13.45; with FP32 it is half, 53.8
#   4  GeForce 30, 40, 50         dense, FP16 accumulate   RTX 4090 330 / 82.6; with FP32 it is 165.2, ratio 2
#   8  GeForce 30, no brackets    sparse, FP16 accumulate  RTX 3090 285.5 / 35.58; dense is 142
#   8  RTX A workstation          sparse, FP32 accumulate  RTX A6000 309.7 / 38.71; dense is 154.8 with either
#  16  RTX Ada workstation        neither: 1457 of RTX 6000 Ada is its sparse FP8 rate (Epoch: 729 dense); not taken
#  16  GeForce 50, FP4            dense, FP32 accumulate   RTX 5090 1676 / 104.8
# The column of the Tesla list names its accumulate type, and data-centre boards are equally fast with both.
class TensorColumn(NamedTuple):
    """What a tensor column holds when its rate has the given ratio to vector FP32."""

    ratio: float
    input: str
    accumulate: str
    sparsity: str  # of a figure without brackets; in "330 (661)" the first is dense, the second sparse


TENSOR: dict[str, TensorColumn] = {
    f"{TFLOPS} Tensor compute (FP16)": TensorColumn(8, "fp16", "fp16", "dense"),
    f"{TFLOPS} Tensor compute (FP16) (2:1 sparse)": TensorColumn(4, "fp16", "fp16", "sparse"),
    f"{TFLOPS} Tensor compute FP16 (2:1 sparse)": TensorColumn(4, "fp16", "fp16", "sparse"),
    f"{TFLOPS} Tensor compute FP4 (2:1 sparse)": TensorColumn(16, "fp4", "fp32", "sparse"),
    f"{TFLOPS} Tensor compute (FP16) (sparse)": TensorColumn(4, "fp16", "fp32", "sparse"),
}
# Columns that say themselves what they hold.
STATED = {
    f"{TFLOPS} Half precision Tensor Core FP32 Accumulate": peak("fp16", "fp32"),
    f"{TFLOPS} Bfloat16": peak("bf16", "fp32"),
    "Processing power AI TOPS INT8": peak("int8", "int32"),  # RX 9070 XT 389 = 8 times vector FP32, dense
}
NOT_STATED = {
    "L40 GPU accelerator": "362.1 is twice the 181 of Epoch's row, which cites the data sheet: the sparse rate"
}
SUM = f"{GFLOPS} Tensor compute + Single precision"
SUM_REASON = "the sum of tensor and vector rate (Titan V: 8 + 1 times the single precision)"
VECTOR_FP16 = (1 / 64, 1, 2, 4)  # Pascal GeForce; Ampere, Ada; Volta, Turing, RDNA, GP100; A100
MATRIX_FP16 = 8  # CDNA: MI100 184.6 / 23.07
NEAR = 0.06

# Keys that are not read, by how they begin, and why.
IGNORED = {
    "graphics": ("Fillrate", "Supported API", "API ", "Latest", "Ray-tracing", "Graphic", "Hardware T&L"),
    "text": ("Notes", "Comments", "Features", "Size Profile"),
    "part of the name or the locator": ("Code", "Model", "Branding", "Vendor"),
    "stands in data/gpus": ("Micro", "Architecture", "GPU"),
    "not a field of the schema": (
        "Infinity Cache",
        "SLI",
        "Cross",
        "NVLink",
        "Nvidia Optimus",
        "Chiplets",
        "Cache",
        "Processing power AI TOPS INT4",
    ),
    "the price of one edition; MSRP is taken": ("Release price (USD) Founders Edition",),
    "not the data rate": ("Memory clock",),
    "vector or matrix is not said": ("Performance", GFLOPS),
    "read for desktop cards under another spelling; this one is of laptops, consoles or before 2012": (
        TFLOPS,
        "Core",
        "Memory",
        "Clock",
        "TDP",
        "Combined TDP",
        "APU",
        "Stream",
        "Config",
        "Transistors",
        "Die size",
        "Shader",
        "SMX",
        "Execution",
        "Shading",
        "Streaming",
        "Fab",
        "Shared",
        "ML Performance",
        "Deep Learning",
    ),
}
IGNORED_KEYS = tuple(prefix for prefixes in IGNORED.values() for prefix in prefixes)

Object = dict[str, str]
Found = tuple[str, object, str | None]  # field, value, unit


class UnreadError(ValueError):
    """A cell whose content does not determine the figure; the message is the reason."""


def parse(snapshots: Snapshots) -> Rows:
    """Yield the claims of every GPU since 2012, and for each object the cells that are not taken."""
    snapshot = snapshots.get(FILE)
    if snapshot is None:
        return
    objects = _objects(snapshot)
    cards = _Cards(objects)
    strange = {
        key
        for entry in objects
        for key in entry
        if not (key in READERS or key in NAME_KEYS or key.startswith(IGNORED_KEYS))
    }
    for key in sorted(strange):
        yield snapshot.skip("", f"key {key}", "unknown key; add it to a table of wikipedia_gpu_info.py")
    for entry in objects:
        yield from _object(snapshot, entry, cards)


def _objects(snapshot: Snapshot) -> list[Object]:
    try:
        content = json.loads(table.text_of(snapshot))
        return [{key: _clean(value) for key, value in entry.items()} for entry in content.values()]
    except (ValueError, AttributeError) as error:
        raise SourceError(f"{SOURCE.id}/{FILE}: not one JSON object a GPU: {error}; fetch it again") from None


def _clean(value: object) -> str:
    """Take out soft hyphens; spaces become plain ones, the times sign an x, a dash a hyphen."""
    return " ".join(str(value).replace("\u00ad", "").replace("×", "x").replace("–", "-").split())


def _object(snapshot: Snapshot, entry: Object, cards: _Cards) -> Rows:
    name = _name(entry)
    code = next((entry[key] for key in CODE_KEYS if entry.get(key, "nan") not in UNKNOWN), "no code name")
    memory = next((entry[key] for key in MEMORY if entry.get(key, "nan") not in UNKNOWN), "")
    where = f"{name or 'no name'} ({code}, memory {memory or 'not stated'})"
    full = cards.name(entry)
    reason = _out_of_scope(entry, name) or cards.out_of_scope(entry)
    if reason:
        yield snapshot.skip(full, where, reason)
        return
    found, reasons = set[tuple[str, str]](), []
    for key in entry:
        for claim in _cell(snapshot, full, entry, key, where):
            if not isinstance(claim, Claim):
                reasons.append(f"{key} {entry[key]!r}: {claim}")
            elif (claim.field, claim.value) not in found:  # some tables print the launch twice
                found.add((claim.field, claim.value))
                yield from _of_every_size(claim)
    for stated in cards.of_the_die(entry, {field for field, _ in found}):
        claim = snapshot.claim(full, stated.field, stated.value, f"{where}, {stated.where}", stated.unit)
        yield from _of_every_size(claim)
    if reasons or not found:
        yield snapshot.skip(full, where, "; ".join(reasons) or "no figures that the guide reads")


def _cell(snapshot: Snapshot, name: str, entry: Object, key: str, where: str) -> Iterator[Claim | str]:
    """Yield the claims of one cell, or the reason why there is none."""
    if key not in READERS or entry[key] in UNKNOWN:
        return
    try:
        for field, value, unit in READERS[key](entry, key):
            claim = snapshot.claim(name, field, value, f"{where}, key {key}", unit)
            yield claim if _in_range(claim) else f"{claim.value} {claim.unit} is outside the range of {field}"
    except (UnreadError, UnitError, SchemaError) as error:
        yield str(error)


def _of_every_size(claim: Claim) -> Iterator[Claim]:
    """Yield a claim on the chip once for each memory size that the row stands for; any other claim as it is."""
    sizes = SIZES_OF_ONE_ROW.get(claim.gpu, ()) if claim.field in OF_THE_CHIP else ()
    for name in [f"{claim.gpu} {size}" for size in sizes] or [claim.gpu]:
        yield replace(claim, gpu=name)


def _in_range(claim: Claim) -> bool:
    field = field_of(claim.field)
    if field.low is None or field.high is None:
        return True
    return field.low <= float(claim.value) <= field.high


# ---------------------------------------------------------------- names


def _name(entry: Object) -> str:
    """Give the name as the list prints it, without code name, "Nvidia" kept; "" where there is none."""
    for key in NAME_KEYS:
        name = entry.get(key, "nan")
        if name == "nan":
            continue
        if key in WITH_CODE_NAME:
            name = re.sub(r" ?\([^)]*\)$", "", name)
        if name.startswith(LAPTOP_SERIES) and entry.get(LAPTOP_KEY, "nan") != "nan":
            return f"{name} Mobile"
        match = TESLA_NAME.fullmatch(name)
        if match:
            form = FORM_OF[match[2]] if match[1] in SEVERAL_FORMS else ""
            return f"{match[1]} {form}".strip()
        return name
    if INTEL_MODEL in entry:
        series = "Arc Pro" if entry.get(INTEL_SERIES) == "Arc Pro" else "Arc"
        return f"{series} {INTEL_MODELS.get(entry[INTEL_MODEL], entry[INTEL_MODEL])}"
    return ""


def _out_of_scope(entry: Object, name: str) -> str:
    heading = next((key for key in (*NAME_KEYS, *CODE_KEYS) if entry.get(key, "").casefold() == key.casefold()), "")
    year = re.match(r"\d{4}", entry.get("Launch", ""))
    if heading or name.casefold() in ("model", "model name"):
        return "a heading repeated as a row"
    if CONSOLE_KEY in entry or CONSOLES.search(name):
        return "a game console"
    if not name:
        return "no name"
    if name.startswith("Radeon RX") and entry.get(AMD_LAPTOP_KEY, "nan") != "nan":
        return "laptop part: the row stands in a table of laptop parts"
    if year and int(year[0]) < FIRST_YEAR:
        return f"launched {year[0]}, before {FIRST_YEAR}"
    bus = "" if year else next((entry[key] for key in INTERFACE if OLD_BUS.match(entry.get(key, ""))), "")
    return f"no launch, and the bus of an older card or a chipset: {bus}" if bus else ""


def _size(entry: Object) -> str:
    """Give the one memory size in GB as the name would carry it, "" where it is not one."""
    for key, unit in MEMORY.items():
        if entry.get(key, "nan") not in UNKNOWN:
            try:
                return f"{_product(entry[key]) / (1024 if unit == 'MiB' else 1):g}"
            except UnreadError:
                return ""
    return ""


def _day(entry: Object) -> str:
    """Give the launch as a date, a bare year as such, "" where there is none."""
    for key in LAUNCH:
        if entry.get(key, "nan") not in UNKNOWN:
            with contextlib.suppress(UnreadError):
                return next(str(value) for _, value, _ in _launch(entry, key))
    return ""


class _Cards:
    """What only all rows together tell: which names need their memory size, and which row of a name is the card."""

    def __init__(self, objects: list[Object]) -> None:
        self._sizes: dict[str, set[str]] = {}
        for entry in objects:
            self._sizes.setdefault(_name(entry), set()).add(_size(entry))
        # A bare year that is the year of the newest row is a card not yet out: its figures are rumours (RTX 5050:
        # 120 W and 199 dollars in the list of June 2025; it came in July with 130 W for 249).
        self._running_year = max((_day(entry)[:4] for entry in objects), default="")
        self._first: dict[str, Object] = {}
        for entry in sorted(objects, key=lambda entry: _day(entry) or "9999"):
            if not _out_of_scope(entry, _name(entry)):
                self._first.setdefault(self.name(entry).casefold(), entry)

        self._dies = _dies(objects)

    def name(self, entry: Object) -> str:
        """Name maker and variant: the lists use one name for several sizes (RTX 3080 10 and 12) or forms."""
        name, maker, size = _name(entry), entry.get("Vendor", ""), _size(entry)
        if not name:
            return ""
        several = len(self._sizes[name] - {""}) > 1 or name.split(maxsplit=1)[0] in SEVERAL_FORMS
        with_size = f"{name} {size}GB" if several and size and not name.endswith(f"{size}GB") else name
        if name in SEVERAL_MEMORY_TYPES:
            with_size = f"{name} {entry.get('Memory Bus type', '')}".strip()
        said = with_size.casefold().startswith(maker.casefold())
        return with_size if said else f"{maker} {with_size}"

    def out_of_scope(self, entry: Object) -> str:
        """Say why a row is not the card of its name; "" for the one that is."""
        if _day(entry) == self._running_year:
            return f"launch stated as {self._running_year} only, the year of the list: figures from before the release"
        if self._first.get(self.name(entry).casefold()) is not entry:
            return "a later revision of the same name; the first release is the card"
        return ""

    def of_the_die(self, entry: Object, known: Collection[str]) -> Iterator[Stated]:
        """What other rows state of the die of this one, for the fields that are not known."""
        die = _die(entry)
        yield from (self._dies[die, field] for field in OF_THE_DIE if field not in known and (die, field) in self._dies)


class Stated(NamedTuple):
    """A fact of a die: the row that states it is part of `where`."""

    field: str
    value: object
    unit: str | None
    where: str


def _dies(objects: list[Object]) -> dict[tuple[str, str], Stated]:
    """What the rows of one die state alike, by die and field."""
    told: dict[tuple[str, str], list[Stated]] = {}
    for entry in objects:
        die = _die(entry)
        for key in entry:
            if die and READERS.get(key) in (_one_number, _process, _capability) and entry[key] not in UNKNOWN:
                with contextlib.suppress(UnreadError):
                    for field, value, unit in READERS[key](entry, key):
                        where = f"die {die} as in the row of {_name(entry)}, key {key}"
                        told.setdefault((die, field), []).append(Stated(field, value, unit, where))
    return {
        (die, field): Counter(facts).most_common(1)[0][0]
        for (die, field), facts in told.items()
        if field in OF_THE_DIE and _alike(field, facts)
    }


def _alike(field: str, facts: list[Stated]) -> bool:
    """Whether all rows state the same, within the field's tolerance."""
    stated = {canonical(field, fact.value, fact.unit) for fact in facts}
    if len(stated) == 1:
        return True
    values = [float(value) for value in stated] if field_of(field).type == "number" else []
    return bool(values) and max(values) - min(values) <= field_of(field).tolerance * max(values)


def _die(entry: Object) -> str:
    """The one die of a card: "AD107" of "AD107-875-A1" or "1x AD107"; "" where it has several, or none is named."""
    named = next((entry[key] for key in DIE_KEYS if entry.get(key, "nan") not in UNKNOWN), "")
    match = DIE.fullmatch(named)
    return match[1] if match else ""


# ---------------------------------------------------------------- cells


def _product(text: str) -> float:
    """Read one number, with its unit or a count of chips before it ("2x 12", "575 W", "17,888"); else UnreadError."""
    match = re.fullmatch(r"(?:(\d+) ?x ?)?(\d[\d,]*(?:\.\d+)?)(?: ?(?:W|GB|MB|nm|mm|-?bit))?", text)
    if not match:
        raise UnreadError("not one figure")
    return int(match[1] or 1) * float(match[2].replace(",", ""))


def _pair(text: str) -> list[float]:
    """Read "base boost", "base-boost" or one figure."""
    match = re.fullmatch(r"(\d[\d,]*(?:\.\d+)?)(?:[ -](\d[\d,]*(?:\.\d+)?))?", text)
    if not match:
        return [_product(text)]
    return [float(part.replace(",", "")) for part in match.groups() if part]


def _one_number(entry: Object, key: str) -> Iterator[Found]:
    field, unit = ONE_NUMBER[key]
    yield field, _product(entry[key]), unit


def _text(entry: Object, key: str) -> Iterator[Found]:
    if not re.fullmatch(r"(?:LP|G)?DDR\d?\w*|HBM\w*", entry[key]):
        raise UnreadError("not one kind of memory")
    yield TEXT[key], entry[key], None


def _bus_and_type(entry: Object, key: str) -> Iterator[Found]:
    match = re.fullmatch(r"(\S+) ((?:\d+ ?x ?)?\d+)-bit", entry[key])
    if not match:
        raise UnreadError("not one kind of memory and one width")
    yield "memory_type", match[1], None
    yield "memory_bus_bit", _product(match[2]), "bit"


def _data_rate(entry: Object, key: str) -> Iterator[Found]:
    """Take a rate only where bus width times rate gives the bandwidth of the row (the Tesla list prints clocks)."""
    rate = _product(entry[key])
    gigabits = rate / 1000 if DATA_RATE[key] == "MT/s" else rate
    expected = _bus_width(entry) * gigabits / 8
    bandwidth = next((_product(entry[k]) for k in BANDWIDTH if entry.get(k, "nan") not in UNKNOWN), 0.0)
    if not expected or not bandwidth:
        raise UnreadError("no bus width and bandwidth in the row to check it")
    if abs(bandwidth / expected - 1) > 0.03:
        raise UnreadError(f"bus width times this rate gives {expected:.4g} GB/s, the row says {bandwidth:g}")
    yield "memory_data_rate_gbps", gigabits, "Gbps"


def _bus_width(entry: Object) -> float:
    for key in (*BUS, *BUS_AND_TYPE):
        if entry.get(key, "nan") not in UNKNOWN:
            return _product(re.sub(r"^[A-Z]\S* |-bit$", "", entry[key]))
    return 0.0


def _core_clock(entry: Object, key: str) -> Iterator[Found]:
    *base, boost = _pair(entry[key])
    if base:
        yield "base_clock_mhz", base[0], "MHz"
    has_boost_column = entry.get("Boost clock (MHz)", "nan") not in UNKNOWN
    yield "base_clock_mhz" if has_boost_column else "boost_clock_mhz", boost, "MHz"


def _cores(entry: Object, key: str) -> Iterator[Found]:
    """Read "16384:512:176:512:128 (128) (11)", "6144:384:192 96 CU", "32 Xe cores 4096:…", "2x 1536:128:32"."""
    match = re.match(r"(?:(\d+) Xe cores )?(?:(\d+) ?x ?)?(\d+)(?: ?:| |$)", entry[key])
    if not match or len(re.findall(r"\d+:\d+", entry[key])) > 4:
        raise UnreadError("not one core configuration")
    chips = int(match[2] or 1)
    yield "shader_cores", chips * int(match[3]), ""
    units = match[1] or _first(r"(\d+) CU", entry[key]) or _first(r"[:\d] ?\((\d+)\)? ?(?:SM[XM])?\)? ?\(", entry[key])
    if units or (units := _units_by_place(entry[key])):
        yield "compute_units", chips * int(units), ""
    tensor = _tensor_cores(entry[key])
    if tensor:
        yield "tensor_cores", chips * tensor, ""


def _units_by_place(config: str) -> int:
    """The multiprocessors of NVIDIA's workstation lists, which give them as a number among the others; 0 where not.

    "1792:112:64:14" has them last, "9728:76:304" (laptops, with the tensor cores after them) second, and of five
    numbers they are the ray-tracing cores. A multiprocessor has 64 or 128 shader cores: "1280:80:40:9" is a misprint.
    """
    if not re.fullmatch(r"\d+(?: ?: ?\d+){2,4}", config):
        return 0
    numbers = [int(number) for number in config.split(":")]
    units = min(numbers[1:2] if len(numbers) == 3 else numbers[3:])
    if not units or numbers[0] / units not in (64, 128) or (len(numbers) == 3 and numbers[2] != 4 * units):
        return 0
    return units


def _tensor_cores(config: str) -> int:
    """The tensor cores of "shaders:texture units:raster units:tensor:ray tracing"; 0 where none can be told.

    The workstation lists have the last two the other way round, those of laptops only units and tensor cores. A unit
    has one ray-tracing core, and eight (Turing) or four tensor cores; the GeForce 16 series has FP16 cores in that
    place and no ray-tracing core.
    """
    if config.count(":") == 2:
        return 4 * _units_by_place(config)
    match = re.match(r"\d+:\d+ ?: ?\d+:(\d+):(\d+)(?: |$)", config)
    fewer, more = sorted(map(int, match.groups())) if match else (0, 0)
    return more if fewer and more in (4 * fewer, 8 * fewer) else 0


def _first(pattern: str, text: str) -> str:
    match = re.search(pattern, text)
    return match[1] if match else ""


def _interface(entry: Object, key: str) -> Iterator[Found]:
    match = re.fullmatch(r"PCIe (\d\.\d)(?: x(\d+))?", entry[key])
    if not match:
        raise UnreadError("not one generation of PCI Express")
    yield "pcie_gen", float(match[1]), ""
    if match[2]:
        yield "pcie_lanes", int(match[2]), ""


def _slots(entry: Object, key: str) -> Iterator[Found]:
    """Read "Double" of a column of slots, "dual-slot" in a note on the form factor; a note may say nothing of it."""
    words = {width for word, width in SLOTS.items() if re.search(rf"\b{word}(?:[- ]slot|$)", entry[key], re.IGNORECASE)}
    if words:
        (width,) = words
        yield "slot_width", width, ""


def _process(entry: Object, key: str) -> Iterator[Found]:
    """Read "28", "TSMC 28 nm", "TSMC N6", "Samsung 8LPP", "TSMC 4N", "GCN 4 GloFo 14LPP"."""
    text = entry[key]
    maker = r"(?:TSMC|Samsung|GloFo|GF|UMC|Intel|&) N?(\d+)"
    sizes = {text} if text.isdigit() else set(re.findall(maker, text)) or set(re.findall(r"(\d+) nm", text))
    if len(sizes) != 1:
        raise UnreadError("not one process")
    yield "process_nm", float(sizes.pop()), "nm"


def _launch(entry: Object, key: str) -> Iterator[Found]:
    """Turn a time into a day; the extraction filled a bare year or month up with 1 January or the first."""
    text = entry[key]
    if re.fullmatch(r"(?:19|20)\d{2}", text):
        yield "launch_date", text, None
        return
    for pattern in ("%Y-%m-%d %H:%M:%S", "%b %d, %Y", "%B %d, %Y"):
        try:
            day = datetime.strptime(text, pattern).date()  # noqa: DTZ007 (a day has no time zone)
        except ValueError:
            continue
        filled_up = pattern.startswith("%Y") and day.day == 1
        yield "launch_date", day.isoformat()[: 4 if filled_up and day.month == 1 else 7 if filled_up else 10], None
        return
    raise UnreadError("not one date")


def _price(entry: Object, key: str) -> Iterator[Found]:
    if entry[key].startswith("¥"):
        raise UnreadError("not US dollars, and no dated rate")
    match = re.fullmatch(r"\$?(\d[\d,]*(?:\.\d\d)?)", entry[key])
    if not match:
        raise UnreadError("not one price in US dollars")
    yield "launch_price_usd", float(match[1].replace(",", "")), "USD"


def _capability(entry: Object, key: str) -> Iterator[Found]:
    if entry[key] in NO_CAPABILITY:
        raise UnreadError(NO_CAPABILITY[entry[key]])
    if not re.fullmatch(r"\d+\.\d", entry[key]):
        raise UnreadError("not one compute capability")
    yield "compute_capability", entry[key], None
    yield "software_support", "CUDA", None  # what has a CUDA compute capability runs CUDA


def _chip(entry: Object, key: str) -> Iterator[Found]:
    match = re.fullmatch(r"(\d+(?:\.\d+)?) ?(?:x ?10|billion) (~?)(\d+(?:\.\d+)?) ?mm", entry[key])
    if not match:
        raise UnreadError("not one number of transistors and one area")
    yield "transistors_millions", float(match[1]), CHIP[key]
    if match[2]:
        raise UnreadError("area only roughly known")
    yield "die_size_mm2", float(match[3]), "mm2"


# ---------------------------------------------------------------- peak rates


def _unit(key: str) -> str:
    return "GFLOPS" if "GFLOPS" in key else "TFLOPS"


def _single_tflops(entry: Object) -> float:
    for key in SINGLE:
        if entry.get(key, "nan") not in UNKNOWN:
            return _pair(entry[key])[-1] / (1000 if _unit(key) == "GFLOPS" else 1)
    raise UnreadError("no single precision in the row to compare it with")


def _single(entry: Object, key: str) -> Iterator[Found]:
    yield peak("fp32", "fp32", engine="vector"), _pair(entry[key])[-1], _unit(key)


def _double(entry: Object, key: str) -> Iterator[Found]:
    both = re.fullmatch(r"([\d.]+) ([\d.]+) \(FP64 Matrix\)", entry[key])
    if both:
        yield peak("fp64", "fp64", engine="vector"), float(both[1]), _unit(key)
        yield peak("fp64", "fp64"), float(both[2]), _unit(key)
    else:
        yield peak("fp64", "fp64", engine="vector"), _pair(entry[key])[-1], _unit(key)


def _half(entry: Object, key: str) -> Iterator[Found]:
    """Half precision is the vector rate, but in AMD's Instinct list from MI100 on the matrix rate."""
    both = re.fullmatch(r"([\d.]+) ([\d.]+) \(With Sparsity\)", entry[key])
    rate = float(both[1]) if both else _pair(entry[key])[-1]
    ratio = rate / (1000 if _unit(key) == "GFLOPS" else 1) / _single_tflops(entry)
    if _is(ratio, MATRIX_FP16):
        yield peak("fp16", "fp32"), rate, _unit(key)
        if both:
            yield peak("fp16", "fp32", "sparse"), float(both[2]), _unit(key)
    elif _is(ratio, 1) and any("RDNA" in entry.get(k, "") for k in PROCESS):
        raise UnreadError("RDNA runs FP16 at twice the FP32 rate, this is the FP32 rate")
    elif any(_is(ratio, known) for known in VECTOR_FP16):
        yield peak("fp16", "fp16", engine="vector"), rate, _unit(key)
    else:
        raise UnreadError(f"{ratio:.2f} times single precision is no vector rate")


def _is(ratio: float, expected: float) -> bool:
    return abs(ratio / expected - 1) < NEAR


def _tensor(entry: Object, key: str) -> Iterator[Found]:
    """Read "330 (661)", "292 (585) 330 (661)" (the second pair at boost), "285.48" or "235.08 285.48"."""
    rule = TENSOR[key]
    with_sparse = re.fullmatch(r"(?:[\d.]+ \([\d.]+\) )?([\d.]+) \(([\d.]+)\)", entry[key])
    rate = float(with_sparse[1]) if with_sparse else _pair(entry[key])[-1]
    dense = not with_sparse and rule.sparsity == "sparse"
    ratio = rate / (2 if dense else 1) / _single_tflops(entry)
    if not _is(ratio, rule.ratio):
        raise UnreadError(f"{ratio:.1f} times the vector FP32 rate where this column has {rule.ratio:g}")
    if with_sparse:
        yield peak(rule.input, rule.accumulate), rate, "TFLOPS"
        yield peak(rule.input, rule.accumulate, "sparse"), float(with_sparse[2]), "TFLOPS"
    else:
        yield peak(rule.input, rule.accumulate, rule.sparsity), rate, "TFLOPS"


def _stated(entry: Object, key: str) -> Iterator[Found]:
    if entry.get("Model") in NOT_STATED:
        raise UnreadError(NOT_STATED[entry["Model"]])
    yield STATED[key], _product(entry[key]) if "x" in entry[key] else _pair(entry[key])[-1], "TFLOPS"


def _sum(_: Object, __: str) -> Iterator[Found]:
    raise UnreadError(SUM_REASON)


READERS: dict[str, Callable[[Object, str], Iterator[Found]]] = {
    **dict.fromkeys(ONE_NUMBER, _one_number),
    **dict.fromkeys(TEXT, _text),
    **dict.fromkeys(BUS_AND_TYPE, _bus_and_type),
    **dict.fromkeys(DATA_RATE, _data_rate),
    **dict.fromkeys(CORE_CLOCK, _core_clock),
    **dict.fromkeys(CORES, _cores),
    **dict.fromkeys(INTERFACE, _interface),
    **dict.fromkeys(SLOT_KEYS, _slots),
    **dict.fromkeys(PROCESS, _process),
    **dict.fromkeys(LAUNCH, _launch),
    **dict.fromkeys(PRICE, _price),
    **dict.fromkeys(CAPABILITY, _capability),
    **dict.fromkeys(CHIP, _chip),
    **dict.fromkeys(SINGLE, _single),
    **dict.fromkeys(DOUBLE, _double),
    **dict.fromkeys(HALF, _half),
    **dict.fromkeys(TENSOR, _tensor),
    **dict.fromkeys(STATED, _stated),
    SUM: _sum,
}
