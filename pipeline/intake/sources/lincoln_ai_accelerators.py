"""Lincoln Laboratory's yearly survey of AI accelerators: claims on peak rate and power of GPUs from five CSVs."""

from __future__ import annotations

import re

from pipeline.core.schema import Rows, peak
from pipeline.intake.sources import table
from pipeline.intake.sources.base import Snapshot, Snapshots, Source, SourceError, SourceFile

REPOSITORY = "https://raw.githubusercontent.com/areuther/ai-accelerators/main"
FLOORS = {2019: 4, 2020: 8, 2021: 16, 2022: 18, 2023: 28}
NAME_OF_YEAR = {year: f"peak_accelerators_ieee_hpec_{year}.csv" for year in FLOORS}
SOURCE = Source(
    id="lincoln-ai-accelerators",
    title="AI accelerator survey (IEEE HPEC 2019 to 2023)",
    publisher="MIT Lincoln Laboratory",
    home="https://github.com/areuther/ai-accelerators",
    licence="not stated (copyright MIT, asks to cite the papers)",
    kind="reference",
    gives="peak rate and power of data-centre GPUs and TPUs, with a reference a row",
    files=tuple(
        SourceFile(name, f"{REPOSITORY}/{name}", "original", floor=FLOORS[year]) for year, name in NAME_OF_YEAR.items()
    ),
)

COLUMNS = ["Company", "Product", "PeakPerformance", "Precision", "Power", "FormFactor"]
MAKERS = ("NVIDIA", "AMD", "Intel", "Habana", "Google", "Amazon")
# What stands in a product name but is no part of it: the architecture, another spelling of the version.
NAME_CLEANING = (
    (re.compile(r"^(Ampere|Volta|Pascal|Turing) "), ""),
    (re.compile(r"^TPU(\d\w?)$"), r"TPU v\1"),
    (re.compile(r"^Flex(\d+)$"), r"Data Center GPU Flex \1"),
)
BOARD, CHIP = "Card", "Chip"
NOT_A_BOARD = "a whole system, not a GPU"
OTHER_KIND = re.compile(r"Xeon|Arria|Movidius|Mobileye|Lake Crest|Spring Crest|Goya|Greco|Inferentia|TPU Edge")
OTHER_REASON = "neither a GPU nor a training chip of the guide"
PRODUCT_OF = {"Volta NVMe": "V100", "Pascal NVMe": "P100"}  # 2019; the label of the row names the product

# "fp16.32" multiplies in FP16 and adds in FP32. Where the survey leaves the adding out ("fp16"), vector and matrix
# rates are mixed (L40 90.5, MI250 362), so those are not taken. TPUs and T4 know no sparse mode: their INT8 is dense.
PEAK_OF = {
    "fp16.32": peak("fp16", "fp32"),
    "bf16.32": peak("bf16", "fp32"),
    "int8": peak("int8", "int32"),
    "float": peak("fp32", "fp32", engine="vector"),  # 2019, Tesla K80
}
NO_SPARSE_MODE = re.compile(r"TPU|T4|Flex")
NO_TENSOR_CORES = re.compile(r"P100")
NOT_DECIDED = {
    "AI": "2019's word, no number format",
    "half": "vector or matrix is not said",
    "double": "vector or matrix is not said",
    "fp16": "what it adds in is not said; vector and matrix rates are mixed",
    "fp32": "vector or matrix is not said",
    "int16": "not a format of the schema",
    "": "no figure",
}


def parse(snapshots: Snapshots) -> Rows:
    """Yield the claims of every year's file; products repeat from year to year."""
    for name in NAME_OF_YEAR.values():
        if name in snapshots:
            yield from _year(snapshots[name])


def _year(snapshot: Snapshot) -> Rows:
    for number, row in table.rows(snapshot, COLUMNS):
        name, where = _name(row), f"row {number} ({row['Company']} {row['Product']})"
        if row["Company"] not in MAKERS:
            yield snapshot.skip(name, where, f"maker outside the guide: {row['Company']}")
        elif row["FormFactor"] not in (BOARD, CHIP):
            yield snapshot.skip(name, where, NOT_A_BOARD)
        elif OTHER_KIND.search(row["Product"]):
            yield snapshot.skip(name, where, OTHER_REASON)
        else:
            if row["FormFactor"] == BOARD and row["Power"]:
                yield snapshot.claim(name, "board_power_w", row["Power"], f"{where}, column Power", "W")
            reason = _reason_against(snapshot, row, where)
            if reason:
                yield snapshot.skip(name, f"{where}, column PeakPerformance", reason)
            else:
                field = PEAK_OF[row["Precision"]]
                yield snapshot.claim(name, field, row["PeakPerformance"], f"{where}, column PeakPerformance", "FLOP/s")


def _reason_against(snapshot: Snapshot, row: dict[str, str], where: str) -> str:
    precision, product = row["Precision"], row["Product"]
    if precision in NOT_DECIDED:
        return f"precision {precision!r}: {NOT_DECIDED[precision]}"
    if precision not in PEAK_OF:
        raise SourceError(
            f"{SOURCE.id}/{snapshot.file} {where}: unknown precision {precision!r}; add it to PEAK_OF or NOT_DECIDED"
        )
    if precision == "int8" and not NO_SPARSE_MODE.search(product):
        return "dense or sparse is not said"
    if precision == "fp16.32" and row["Company"] == "Google":
        return "the survey corrects this to bf16.32 from 2021 on"
    if precision == "fp16.32" and NO_TENSOR_CORES.search(product):
        return "a chip without tensor cores: its vector FP16 rate"
    return ""


def _name(row: dict[str, str]) -> str:
    product = PRODUCT_OF.get(row["Product"], row["Product"])
    for pattern, clean in NAME_CLEANING:
        product = pattern.sub(clean, product)
    company = "Intel" if row["Company"] == "Habana" else row["Company"]
    return product if product.startswith(company) else f"{company} {product}"
