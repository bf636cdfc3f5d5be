"""Peak rates and measured matmul rates from the tables of the accelerator chapter of "Machine Learning Engineering"."""

from __future__ import annotations

import re

from pipeline.core.schema import Rows, peak
from pipeline.intake.sources import table
from pipeline.intake.sources.base import Snapshot, Snapshots, Source, SourceFile, refuse_unknown_columns

CHAPTER = "https://raw.githubusercontent.com/stas00/ml-engineering/master/compute/accelerator/README.md"
TFLOPS, MEMORY, POWER, CLOCK = "tflops_spec.csv", "memory_spec.csv", "power_spec.csv", "clock_spec.csv"
MEASURED = {"mamf_bf16.csv": "bf16", "mamf_fp8.csv": "fp8"}
SOURCE = Source(
    id="stas00-ml-engineering",
    title="Machine Learning Engineering: Accelerators",
    publisher="Stas Bekman",
    home="https://github.com/stas00/ml-engineering/blob/master/compute/accelerator/README.md",
    licence="CC BY-SA 4.0",
    kind="reference",
    gives="dense peak rates, memory, power and clock of data-centre parts; best matmul rates measured in PyTorch",
    files=(
        SourceFile(TFLOPS, CHAPTER, "extract", floor=90),
        SourceFile(MEMORY, CHAPTER, "extract", floor=60),
        SourceFile(POWER, CHAPTER, "extract", floor=15),
        SourceFile(CLOCK, CHAPTER, "extract", floor=6),
        SourceFile("mamf_bf16.csv", CHAPTER, "extract", floor=10),
        SourceFile("mamf_fp8.csv", CHAPTER, "extract", floor=7),
    ),
)

MAKERS = ("NVIDIA", "AMD", "Intel", "Google", "AWS")
OTHER_MAKER = "maker outside the guide"
UNKNOWN = ("?", "X", "V", "N/A", "not disclosed", "")  # unknown, not supported, supported without a number

# The page says that its theoretical rates are dense. Matrix units of all these chips add in FP32 (INT8: in INT32)
# at the rates given: H100 989, A100 312 and MI250X 383 stand in Epoch and ROCm as such too.
PEAK_OF = {
    "tf32": peak("tf32", "fp32"),
    "fp16": peak("fp16", "fp32"),
    "bf16": peak("bf16", "fp32"),
    "fp8": peak("fp8", "fp32"),
    "int8": peak("int8", "int32"),
    "fp6": peak("fp6", "fp32"),
    "fp4": peak("fp4", "fp32"),
}
# FP32 is the vector rate of NVIDIA's and AMD's chips (H100 67; MI250 45.3, as AMD's own table says). Of Gaudi 3's 229
# and Trainium 2's 181 the page does not say which.
FP32_MAKERS = ("NVIDIA", "AMD")
FP32_FIELD = peak("fp32", "fp32", engine="vector")
FP32_REASON = "not stated whether vector or matrix"
# Words in the notes that say what the clock is. A maximum that a device reports is not the clock the maker rates.
DEVICE_CLOCK = "device-reported"
IGNORED = {
    "nvfp4": "the same operands as fp4 with another rounding of the vendor's figure (B200 10000 against 9000)",
    "Notes": "numbers of footnotes and the vendor's words",
    "Vendor term": "the vendor's word for its power limit",
    "table": "splits parts on the market from announced ones",
}
ANNOUNCED = "announced"
# What stands in a name but is no part of it: the page's own counting, the server around the chip.
NAME_CLEANING = ((re.compile(r" \(\d\)$"), ""), (re.compile(r" / Ultra$"), ""))
PLURALS = {"Google TPUs": "all TPUs in one row"}
# One size each on the page: "NVIDIA A100 SXM" is the 80 GB part. GH200 stands there twice, told apart by memory.
SEVERAL_MEMORIES = re.compile(r"A100|H100|GH200")
IN_NOTES = re.compile(r"(\d+)GiB")


def parse(snapshots: Snapshots) -> Rows:
    """Yield claims of the four specification tables, then the measured rates."""
    sizes = _sizes(snapshots.get(MEMORY))
    for name, rows in ((TFLOPS, _tflops), (MEMORY, _memory), (POWER, _power), (CLOCK, _clock)):
        if name in snapshots:
            yield from rows(snapshots[name], sizes)
    for name, precision in MEASURED.items():
        if name in snapshots:
            yield from _measured(snapshots[name], precision, sizes)


Sizes = dict[str, set[str]]  # memory sizes that the page gives a name


def _sizes(snapshot: Snapshot | None) -> Sizes:
    sizes: Sizes = {}
    if snapshot:
        for _, row in table.rows(snapshot, ["Accelerator", "Memory (GB)"]):
            sizes.setdefault(_cleaned(row["Accelerator"]), set()).add(row["Memory (GB)"])
    return sizes


def _cleaned(name: str) -> str:
    for pattern, clean in NAME_CLEANING:
        name = pattern.sub(clean, name)
    return name


def _variant(name: str, sizes: Sizes, own: str = "") -> str:
    """Add the memory size where a family has several and the page, or the row itself, gives one."""
    name = _cleaned(name)
    known = {own} if own else sizes.get(name, set())
    if SEVERAL_MEMORIES.search(name) and len(known) == 1:
        return f"{name} {min(known)}GB"
    return name


def _tflops(snapshot: Snapshot, sizes: Sizes) -> Rows:
    key = "Accelerator \\ TFLOPS"
    for number, row in table.rows(snapshot, [key, "fp32", *PEAK_OF, "table"]):
        refuse_unknown_columns(snapshot, row, (key, "fp32", *PEAK_OF, *IGNORED))
        where, name = f"row {number} ({row[key]})", _variant(row[key], sizes)
        if not name.startswith(MAKERS):
            yield snapshot.skip(name, where, OTHER_MAKER)
            continue
        for column, field in PEAK_OF.items():
            if row[column] not in UNKNOWN:
                yield snapshot.claim(name, field, row[column], f"{where}, column {column}", "TFLOPS")
        if row["fp32"] in UNKNOWN:
            continue
        if name.startswith(FP32_MAKERS) and row["table"] != ANNOUNCED:
            yield snapshot.claim(name, FP32_FIELD, row["fp32"], f"{where}, column fp32", "TFLOPS")
        else:
            yield snapshot.skip(name, f"{where}, column fp32", FP32_REASON)


def _memory(snapshot: Snapshot, sizes: Sizes) -> Rows:
    size, kind, rate = "Memory (GB)", "Type", "Peak Bandwidth (TBps)"
    for number, row in table.rows(snapshot, ["Accelerator", size, kind, rate, "table"]):
        refuse_unknown_columns(snapshot, row, ("Accelerator", size, kind, rate, *IGNORED))
        where, name = f"row {number} ({row['Accelerator']})", _variant(row["Accelerator"], sizes, row[size])
        if not name.startswith(MAKERS):
            yield snapshot.skip(name, where, OTHER_MAKER)
            continue
        columns = ((size, "memory_gb", "GB"), (kind, "memory_type", None), (rate, "memory_bandwidth_gb_s", "TBps"))
        for column, field, unit in columns:
            if row[column] not in UNKNOWN:
                yield snapshot.claim(name, field, row[column], f"{where}, column {column}", unit)
        if row["table"] == ANNOUNCED:
            yield snapshot.claim(name, "status", ANNOUNCED, f"{where}, column table")


def _power(snapshot: Snapshot, sizes: Sizes) -> Rows:
    column = "Power spec (W)"
    for number, row in table.rows(snapshot, ["Accelerator", column, "table"]):
        refuse_unknown_columns(snapshot, row, ("Accelerator", column, *IGNORED))
        name, where = _variant(row["Accelerator"], sizes), f"row {number} ({row['Accelerator']}), column {column}"
        if row["Accelerator"] in PLURALS:
            yield snapshot.skip(name, where, PLURALS[row["Accelerator"]])
        elif row[column] in UNKNOWN:
            yield snapshot.skip(name, where, f"unknown in the source: {row[column]}")
        else:
            yield snapshot.claim(name, "board_power_w", row[column], where, "W")


def _clock(snapshot: Snapshot, sizes: Sizes) -> Rows:
    column = "Compute Clock (MHz)"
    for number, row in table.rows(snapshot, ["Accelerator", column, "Notes", "table"]):
        refuse_unknown_columns(snapshot, row, ("Accelerator", column, *IGNORED))
        name, where = _variant(row["Accelerator"], sizes), f"row {number} ({row['Accelerator']}), column {column}"
        if row[column] in UNKNOWN:
            yield snapshot.skip(name, where, f"unknown in the source: {row[column]}")
        elif DEVICE_CLOCK in row["Notes"]:
            yield snapshot.skip(name, where, "a clock that the device reports, not the one the maker rates")
        else:
            yield snapshot.claim(name, "boost_clock_mhz", row[column], where, "MHz")


def _measured(snapshot: Snapshot, precision: str, sizes: Sizes) -> Rows:
    shape, version = "Best Shape MxNxK", "torch version"
    for number, row in table.rows(snapshot, ["Accelerator", "MAMF", shape, version, "Notes"]):
        stated = IN_NOTES.search(row["Notes"])
        name = _variant(row["Accelerator"], sizes, stated[1] if stated else "")
        where = f"row {number} ({row['Accelerator']}), column MAMF"
        if row["MAMF"] in UNKNOWN:
            yield snapshot.skip(name, where, "no measurement in the row")
            continue
        yield snapshot.result(
            name,
            where,
            gpu_count=1,
            set="mamf",
            workload="matmul",
            model="",
            precision=precision,
            batch=row[shape],
            metric="tflops",
            value=table.number(snapshot, number, row, "MAMF"),
            unit="TFLOPS",
            higher_is_better=True,
            software=f"PyTorch {row[version]}",
            date=snapshot.published,
        )
