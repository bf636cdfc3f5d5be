"""Epoch AI's table of machine learning hardware: claims about GPUs and TPUs from its CSV."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipeline.core.schema import Rows, peak
from pipeline.intake.sources import table
from pipeline.intake.sources.base import Snapshot, Snapshots, Source, SourceError, SourceFile, refuse_unknown_columns

FILE = "ml_hardware.csv"
SOURCE = Source(
    id="epoch-ml-hardware",
    title="Data on Machine Learning Hardware",
    publisher="Epoch AI",
    home="https://epoch.ai/data/machine-learning-hardware",
    licence="CC BY 4.0 (Epoch AI data hub)",
    kind="reference",
    gives="launch, memory, bandwidth, power, clocks, chip and peak rates of 175 accelerators, with a citation a row",
    files=(SourceFile(FILE, "https://epoch.ai/data/ml_hardware.csv", "original", floor=800),),
    derived_from=("techpowerup-gpu-database",),  # cited in 82 of 175 rows
)

NAME, MAKER = "Hardware name", "Manufacturer"
MEMORY, PRICE, LINK = "Memory (bytes)", "Release price (USD)", "Intranode bandwidth (byte/s)"
TENSOR, FP8, FP4 = "Tensor-FP16/BF16 performance (FLOP/s)", "FP8 performance (FLOP/s)", "FP4 performance (FLOP/s)"
FP64, FP32 = "FP64 (double precision) performance (FLOP/s)", "FP32 (single precision) performance (FLOP/s)"
TF32, FP16 = "TF32 (TensorFloat-32) performance (FLOP/s)", "FP16 (half precision) performance (FLOP/s)"
INT8, CORES = "INT8 performance (OP/s)", "Tensor cores"

# Their column → our field, and the unit of their column.
FIELD_OF = {
    "Release date": ("launch_date", ""),
    "Memory bandwidth (byte/s)": ("memory_bandwidth_gb_s", "byte/s"),
    "TDP (W)": ("board_power_w", "W"),
    "Die Size (mm^2)": ("die_size_mm2", "mm^2"),
    "Base clock (MHz)": ("base_clock_mhz", "MHz"),
    "Boost clock (MHz)": ("boost_clock_mhz", "MHz"),
    "Memory bus (bit)": ("memory_bus_bit", "bit"),
    "Process size (nm)": ("process_nm", "nm"),
    "Transistors (millions)": ("transistors_millions", "million"),
}
# Columns with a rule of their own below, and their unit.
WITH_RULE = {
    MEMORY: "byte",
    PRICE: "USD",
    LINK: "byte/s",
    CORES: "",
    TENSOR: "FLOP/s",
    FP8: "FLOP/s",
    FP4: "FLOP/s",
    FP64: "FLOP/s",
    FP32: "FLOP/s",
    TF32: "FLOP/s",
    FP16: "FLOP/s",
    INT8: "OP/s",
}
IGNORED = {
    "Type": "'GPU' also for Trainium, Ascend and Maia",
    "Notes": "text",
    "Internode bandwidth (bit/s)": "the network of the server, not a figure of the GPU",
    "Memory clock (MHz)": "the factor to the data rate depends on the kind of memory, which the table leaves out",
    "INT16 performance (OP/s)": "not a format of the schema",
    "INT4 performance (OP/s)": "not a format of the schema",
    "Foundry": "not a field of the schema",
    "Link to datasheet": "the citation, found by row",
    "Source for the price": "the citation, found by row",
    "ML models": "text",
    "Last modified": "bookkeeping",
    "Max performance": "computed upstream",
    "Energy efficiency": "computed upstream",
    "Total processing performance (bit-OP/s)": "computed upstream",
    "Price-performance": "computed upstream",
    "ML OP/s": "computed upstream",
}
MAKERS = ("NVIDIA", "AMD", "Intel", "Google", "Amazon AWS")

# What stands in a name but is no part of it, or is misspelled.
NAME_CLEANING = (
    (" (Blackwell Ultra)", ""),
    ("PCle", "PCIe"),  # a lower-case L
    ("HGX H20", "H20"),
    ("Habana ", ""),
    ("Radeon Instinct", "Instinct"),
)
# Families with several memory sizes whose row names none: the size is taken from the memory column.
SEVERAL_MEMORIES = re.compile(r"\b(A100|A800|H100|H800|V100|P100|GH200|M40)\b|RTX 3080$")
# Launch prices announced by the maker; for data-centre boards the column holds resellers' and analysts' figures
# (its citations: a reseller for L20, an estimate from a server's price for H100).
ANNOUNCED_PRICE = re.compile(r"GeForce|TITAN|Titan|Quadro|NVIDIA RTX|Radeon RX")
# For NVIDIA and AMD the link column is the total of both directions (V100 300, A100 600, H100 900, MI250X 800 GB/s).
LINK_IS_TOTAL = ("NVIDIA", "AMD")
PCIE_RATE = 64e9  # bytes/s; at or below it the column holds the host bus (V100 PCIe: 32e9)
# A TPU's "tensor cores" (1 or 2) are whole processors, Gaudi's are vector units.
HAS_TENSOR_CORES = re.compile(r"NVIDIA|AMD|Intel Data Center GPU Max")
# One FP32 rate a chip, or a vector rate by the vendor's word. Others do not say vector or matrix.
VECTOR_FP32 = re.compile(r"NVIDIA|AMD|Intel Data Center GPU Max")
NO_TF32 = {"AMD Instinct MI250X": "CDNA 2 has no TF32: AMD's own table of the MI250 lists none"}

# The tensor column stands for FP16 and BF16. These makers' units multiply BF16 (Gaudi 3 is slower in FP16).
BF16_MAKERS = ("Google", "Intel", "Amazon AWS")
# Tensor FP16 against vector FP32 of the same row tells accumulate type and sparsity apart, because NVIDIA's chips
# have fixed ratios. GeForce halves the rate with FP32 accumulate: RTX 4090 330 / 82.6 = 4 is FP16 accumulate,
# 165.2 / 82.6 = 2 would be FP32. Boards for work and data centre keep the full rate (A40 149.7 / 37.4 = 4), but
# L40, L20 and L2 are sold with half (L40 181 / 90.5 = 2).
TENSOR_RATIOS: tuple[tuple[re.Pattern[str], dict[int, str]], ...] = (
    (re.compile(r"GeForce RTX 20"), {8: "fp16", 4: "fp32"}),
    (re.compile(r"GeForce RTX [345]0"), {4: "fp16", 2: "fp32"}),
    (re.compile(r"RTX \d000 Ada|\bL4\b|\bL40\b|\bL20\b|\bL2\b|\bA40\b"), {4: "fp32", 2: "fp32"}),
)
# Everything else here (V100, A100, H100, B200, Instinct, Gaudi, TPU) multiplies matrices with FP32 accumulate only,
# or at the same rate.
VECTOR_FP16_RATIOS = (1 / 64, 1, 2, 4)  # Pascal GeForce, Ampere and Ada, Volta and Turing, A100
ADA_FP8_RATIO = 8  # RTX 6000 Ada: 729 / 91.06, dense; sparse would be 16
AMPERE_INT8_RATIO = 8  # RTX 3090: 284 / 35.58, dense; also Ada
NEAR = 0.06  # relative; published rates of one row are rounded differently


def parse(snapshots: Snapshots) -> Rows:
    """Yield the claims of every row whose maker the guide covers."""
    snapshot = snapshots.get(FILE)
    if snapshot is None:
        return
    needed = [NAME, MAKER, *FIELD_OF, *WITH_RULE]
    for number, row in table.rows(snapshot, needed):
        refuse_unknown_columns(snapshot, row, (*needed, *IGNORED))
        where = f"row {number} ({row[NAME]})"
        if row[MAKER] not in MAKERS:
            yield snapshot.skip(row[NAME], where, f"maker outside the guide: {row[MAKER] or 'not stated'}")
            continue
        name, found = _name(row), False
        for column, field, value, unit in _figures(snapshot, row, where):
            found = True
            yield snapshot.claim(name, field, value, f"{where}, column {column}", unit)
        reasons = [f"{column}: {reason}" for column, (field, reason) in _verdicts(row).items() if not field and reason]
        if reasons or not found:
            yield snapshot.skip(name, where, "; ".join(reasons) or "no figures in the row")


def _name(row: dict[str, str]) -> str:
    name = row[NAME]
    for noise, clean in NAME_CLEANING:
        name = name.replace(noise, clean)
    memory = row[MEMORY]
    if memory and SEVERAL_MEMORIES.search(name) and not re.search(r"\d ?GB", name):
        return f"{name} {float(memory) / 1e9:g}GB"
    return name


Figure = tuple[str, str, object, str]


def _figures(snapshot: Snapshot, row: dict[str, str], where: str) -> Iterator[Figure]:
    for column, (field, unit) in FIELD_OF.items():
        if row[column]:
            value = row[column] if field == "launch_date" else _number(snapshot, row, column, where)
            yield column, field, value, unit
    for column, (field, _) in _verdicts(row).items():
        if field:
            number = _number(snapshot, row, column, where)
            value, unit = _memory(number) if column == MEMORY else (number, WITH_RULE[column])
            yield column, field, value, unit


def _number(snapshot: Snapshot, row: dict[str, str], column: str, where: str) -> float:
    try:
        return float(row[column])
    except ValueError:
        raise SourceError(
            f"{SOURCE.id}/{snapshot.file} {where}, column {column}: {row[column]!r} is not a number; "
            f"add it as an unknown mark in pipeline/intake/sources/epoch_ml_hardware.py if it is one"
        ) from None


def _memory(size_bytes: float) -> tuple[float, str]:
    """Mostly 80e9 for "80 GB"; TPU v1 counts 2^30, GTX 280 (1024e6) counts 10^6 for a MiB."""
    if size_bytes % 2**30 == 0:
        return size_bytes / 2**30, "GiB"
    if size_bytes < 4e9 and size_bytes % 1e9 and size_bytes % 256e6 == 0:
        return size_bytes / 1e6, "MiB"
    return size_bytes, "byte"


Verdict = tuple[str, str]  # the field, or "" and the reason


def _verdicts(row: dict[str, str]) -> dict[str, Verdict]:
    """Decide for every filled column with a rule which field it is, or why it is not taken."""
    rules = (
        (MEMORY, _any_memory),
        (PRICE, _price),
        (LINK, _link),
        (CORES, _cores),
        (TENSOR, _tensor),
        (FP8, _fp8),
        (FP4, _fp4),
        (FP64, _fp64),
        (FP32, _fp32),
        (TF32, _tf32),
        (FP16, _fp16),
        (INT8, _int8),
    )
    return {column: rule(row) for column, rule in rules if row[column]}


def _any_memory(_: dict[str, str]) -> Verdict:
    return "memory_gb", ""


def _price(row: dict[str, str]) -> Verdict:
    if ANNOUNCED_PRICE.search(row[NAME]):
        return "launch_price_usd", ""
    return "", "a data-centre board has no announced price; this is a reseller's or an analyst's figure"


def _link(row: dict[str, str]) -> Verdict:
    if row[MAKER] not in LINK_IS_TOTAL:
        return "", "not stated whether one or both directions"
    if float(row[LINK]) <= PCIE_RATE:
        return "", "the rate of the host bus, not of a link between GPUs"
    return "link_gb_s", ""


def _cores(row: dict[str, str]) -> Verdict:
    if HAS_TENSOR_CORES.match(row[NAME]):
        return "tensor_cores", ""
    return "", "another kind of unit than the tensor cores of a GPU"


def _ratio(row: dict[str, str], column: str, base: str) -> float | None:
    return float(row[column]) / float(row[base]) if row[base] else None


def _is(ratio: float, expected: float) -> bool:
    return abs(ratio / expected - 1) < NEAR


def _tensor(row: dict[str, str]) -> Verdict:
    if row[MAKER] in BF16_MAKERS:
        return peak("bf16", "fp32"), ""
    ratios = next((ratios for pattern, ratios in TENSOR_RATIOS if pattern.search(row[NAME])), None)
    if ratios is None:
        return peak("fp16", "fp32"), ""
    ratio = _ratio(row, TENSOR, FP32) or 0.0
    for expected, accumulate in ratios.items():
        if _is(ratio, expected):
            return peak("fp16", accumulate), ""
    return "", f"{ratio:.1f} times the vector FP32 rate; dense would be {' or '.join(map(str, ratios))} times"


def _fp8(row: dict[str, str]) -> Verdict:
    against_tensor, against_fp32 = _ratio(row, FP8, TENSOR), _ratio(row, FP8, FP32)
    if against_tensor is not None:
        dense = against_tensor <= 2 * (1 + NEAR)
    else:
        dense = "Ada" in row[NAME] and against_fp32 is not None and _is(against_fp32, ADA_FP8_RATIO)
    return (peak("fp8", "fp32"), "") if dense else ("", "nothing beside it shows it to be dense")


def _fp4(row: dict[str, str]) -> Verdict:
    # Blackwell Ultra runs FP4 at six times FP16 (15 000 against 2 500); a sparse figure would be 8 times or more.
    ratio = _ratio(row, FP4, TENSOR)
    dense = ratio is not None and ratio < 7
    return (peak("fp4", "fp32"), "") if dense else ("", "nothing beside it shows it to be dense")


def _fp64(row: dict[str, str]) -> Verdict:
    ratio = _ratio(row, FP64, FP32)
    if ratio is not None and ratio <= 1:  # a matrix FP64 rate would be above the vector FP32 rate
        return peak("fp64", "fp64", engine="vector"), ""
    return "", "no vector FP32 rate beside it that shows vector or matrix"


def _fp32(row: dict[str, str]) -> Verdict:
    if VECTOR_FP32.match(row[NAME]):
        return peak("fp32", "fp32", engine="vector"), ""
    return "", "not stated whether vector or matrix"


def _tf32(row: dict[str, str]) -> Verdict:
    if _name(row) in NO_TF32:
        return "", NO_TF32[_name(row)]
    ratio = _ratio(row, TF32, TENSOR)
    if ratio is not None and ratio <= 0.5 * (1 + NEAR):
        return peak("tf32", "fp32"), ""
    return "", "more than half of the FP16 tensor rate, or none beside it: no dense TF32 rate"


def _fp16(row: dict[str, str]) -> Verdict:
    if row[FP16] == row[TENSOR] or (row[TENSOR] and _is(_ratio(row, FP16, TENSOR) or 0, 1)):
        return "", ""  # the tensor rate once more
    ratio = _ratio(row, FP16, FP32)
    if ratio is not None and any(_is(ratio, known) for known in VECTOR_FP16_RATIOS):
        return peak("fp16", "fp16", engine="vector"), ""
    return "", "neither a vector rate of this chip nor its dense tensor rate"


def _int8(row: dict[str, str]) -> Verdict:
    if "P4" in row[NAME].split():
        return peak("int8", "int32", engine="vector"), ""  # Pascal: dot products on the shader cores
    against_tensor, against_fp32 = _ratio(row, INT8, TENSOR), _ratio(row, INT8, FP32)
    if against_tensor is not None:
        dense = against_tensor <= 2 * (1 + NEAR)
    elif row[MAKER] == "Google":  # TPUs have no sparse mode; the first one knows nothing but INT8
        dense = True
    else:
        dense = against_fp32 is not None and _is(against_fp32, AMPERE_INT8_RATIO)
    if dense:
        return peak("int8", "int32"), ""
    return "", "more than twice the dense FP16 rate (then sparse), or nothing beside it that decides"
