"""GPU Poet's specification files: claims from two CSVs with two conventions for peak rates."""

from __future__ import annotations

import re

from pipeline.core.schema import Rows, peak
from pipeline.intake.sources import table
from pipeline.intake.sources.base import Snapshot, Snapshots, Source, SourceFile

FILES = ("gpu_specs.csv", "gpu_specs_gpu-agent.csv")
SOURCE = Source(
    id="gpu-poet-specs",
    mirrored_as="gpu-poet",
    title="GPU Poet: specification files",
    publisher="GPU Poet",
    home="https://gpupoet.com",
    licence="not stated",
    kind="community",
    gives="memory, bandwidth, power, launch price, date and peak rates of 80 cards, with the pages they were read from",
    files=(
        SourceFile(FILES[0], "https://github.com/activescott/gpu-poet/tree/main/data/gpu-data", "extract", floor=280),
        SourceFile(FILES[1], "https://github.com/activescott/gpu-agent/tree/main/data/gpu-data", "extract", floor=240),
    ),
)

# Their column → our field, and the unit of their column.
FIELD_OF = {
    "releaseDate": ("launch_date", None),
    "tensorCoreCount": ("tensor_cores", ""),
    "memoryCapacityGB": ("memory_gb", "GB"),
    "memoryBandwidthGBs": ("memory_bandwidth_gb_s", "GB/s"),
    "maxTDPWatts": ("board_power_w", "W"),
}
PRICE, CAPABILITY, CATEGORY = "msrpUSD", "supportedCUDAComputeCapability", "category"
ANNOUNCED_PRICE = "gaming"  # of data-centre and workstation cards it is some reseller's list price
WRONG_CAPABILITY = {"12.8": "the CUDA version; the capability of GeForce 50 is 12.0"}
FP32, FP16, INT8, FP8, FP4 = "fp32TFLOPS", "fp16TFLOPS", "int8TOPS", "fp8TFLOPS", "fp4TFLOPS"
SEVERAL_MEMORIES = re.compile(r"RTX (3050|3060|3080|4060 Ti|5060 Ti)$|RX 9060 XT$|Arc A770$")

# What a peak is follows from the note of its row; a note that begins otherwise says too little. In the first file
# "fp32" is mostly TF32 on tensor cores, and NVIDIA's "fp16" is sparse; in the second FP32 is vector, FP16 mixed.
FP32_NOTES = (
    (r"TF32 (tensor|matrix), dense", peak("tf32", "fp32")),
    (r"FP32 vector", peak("fp32", "fp32", engine="vector")),
)
FP16_NOTES = (
    (r"tensor \(FP16 accumulate\), sparse", peak("fp16", "fp16", "sparse")),
    (r"matrix, sparse", peak("fp16", "fp32", "sparse")),
    (r"matrix \(WMMA\), dense", peak("fp16", "fp32")),
    (r"vector, 2:1 to FP32", peak("fp16", "fp16", engine="vector")),
)
# "tensor, sparse" without the accumulate type: GeForce cards carry the FP16 rate (RTX 3090 285.5 = 8 x 35.58 vector
# FP32), the others are equally fast with FP32 (A10 250, twice the 125 that Wikipedia's column names FP32 accumulate).
SPARSE_NOTE = re.compile(r"tensor, sparse")
SPARSE_OF = {
    "gaming": peak("fp16", "fp16", "sparse"),
    "workstation": peak("fp16", "fp32", "sparse"),
    "datacenter": peak("fp16", "fp32", "sparse"),
}
INT8_DENSE = re.compile(r"dense|matrix, dense|WMMA, 1:1 with FP16; dense")
INT8_FIELD, FP4_FIELD = peak("int8", "int32"), peak("fp4", "fp32")
# FP8 runs as fast as INT8; on GeForce cards with FP16 accumulate (half of it with FP32).
FP8_OF = {"gaming": peak("fp8", "fp16"), "workstation": peak("fp8", "fp32"), "datacenter": peak("fp8", "fp32")}
NEAR = 0.01

IGNORED = {
    "file": "the upstream file of the row",
    "commit": "the upstream commit of the row",
    "gpuArchitecture": "stands in data/gpus",
    "lastModified": "bookkeeping",
    "references": "the pages the row was read from, found by row",
}
NOTES = {FP32: "fp32_note", FP16: "fp16_note", INT8: "int8_note"}


def parse(snapshots: Snapshots) -> Rows:
    """Yield the claims of both files."""
    needed = ["label", CATEGORY, *FIELD_OF, PRICE, CAPABILITY, FP8, FP4, *NOTES, *NOTES.values(), *IGNORED]
    for name in FILES:
        if name in snapshots:
            for number, row in table.rows(snapshots[name], needed):
                yield from _row(snapshots[name], row, f"row {number} ({row['label']})")


def _row(snapshot: Snapshot, row: dict[str, str], where: str) -> Rows:
    several = SEVERAL_MEMORIES.search(row["label"])
    name = f"{row['label']} {row['memoryCapacityGB']}GB" if several else row["label"]
    reasons = []
    for column, (field, unit) in FIELD_OF.items():
        if row[column]:
            yield snapshot.claim(name, field, row[column], f"{where}, column {column}", unit)
    for column, (field, reason) in _verdicts(row).items():
        if field:
            unit = "USD" if column == PRICE else None if column == CAPABILITY else "TFLOPS"
            whole = column == CAPABILITY and "." not in row[column]  # the file writes 8.0 as 8
            value = f"{row[column]}.0" if whole else row[column]
            yield snapshot.claim(name, field, value, f"{where}, column {column}", unit)
        else:
            reasons.append(f"{column}: {reason}")
    if reasons:
        yield snapshot.skip(name, where, "; ".join(reasons))


Verdict = tuple[str, str]  # the field, or "" and the reason


def _verdicts(row: dict[str, str]) -> dict[str, Verdict]:
    rules = (
        (PRICE, _price),
        (CAPABILITY, _known_capability),
        (FP32, _fp32),
        (FP16, _fp16),
        (INT8, _int8),
        (FP8, _fp8),
        (FP4, _fp4),
    )
    return {column: rule(row) for column, rule in rules if row[column]}


def _price(row: dict[str, str]) -> Verdict:
    if row[CATEGORY] == ANNOUNCED_PRICE:
        return "launch_price_usd", ""
    return "", "some reseller's list price, not an announced one"


def _known_capability(row: dict[str, str]) -> Verdict:
    reason = WRONG_CAPABILITY.get(row[CAPABILITY], "")
    return "" if reason else "compute_capability", reason


def _fp32(row: dict[str, str]) -> Verdict:
    return _by_note(row[NOTES[FP32]], FP32_NOTES)


def _fp16(row: dict[str, str]) -> Verdict:
    if SPARSE_NOTE.match(row[NOTES[FP16]]) and row[CATEGORY] in SPARSE_OF:
        return SPARSE_OF[row[CATEGORY]], ""
    return _by_note(row[NOTES[FP16]], FP16_NOTES)


def _by_note(note: str, rules: tuple[tuple[str, str], ...]) -> Verdict:
    field = next((field for pattern, field in rules if re.match(pattern, note)), "")
    return field, "" if field else f"the note does not say what it is ({note})"


def _int8(row: dict[str, str]) -> Verdict:
    if INT8_DENSE.match(row[NOTES[INT8]]):
        return INT8_FIELD, ""
    return "", f"the note does not say what it is ({row[NOTES[INT8]]})"


def _fp8(row: dict[str, str]) -> Verdict:
    if _int8(row)[0] and row[CATEGORY] in FP8_OF and _is(row, FP8, 1):
        return FP8_OF[row[CATEGORY]], ""
    return "", "no dense INT8 rate beside it that it equals"


def _fp4(row: dict[str, str]) -> Verdict:
    if _int8(row)[0] and _is(row, FP4, 2):
        return FP4_FIELD, ""
    return "", "not twice a dense INT8 rate beside it"


def _is(row: dict[str, str], column: str, times: float) -> bool:
    return bool(row[INT8]) and abs(float(row[column]) / float(row[INT8]) / times - 1) < NEAR
