"""AMD's hardware tables of the ROCm documentation: claims from two states of the page and the peak rates."""

from __future__ import annotations

import re
from collections.abc import Iterator

from docutils import nodes
from docutils.core import publish_doctree
from docutils.parsers.rst import Directive, directives, roles
from docutils.utils import SystemMessage

from pipeline.core.schema import Rows, peak
from pipeline.intake.sources import table
from pipeline.intake.sources.base import Snapshot, Snapshots, Source, SourceError, SourceFile

ROCM = "https://raw.githubusercontent.com/ROCm/ROCm"
PAGES = ("gpu-arch-specs.rst", "gpu-arch-specs.2025-02.rst")
PEAKS = "peak_performance_mi100_mi250_mi300x.csv"
SOURCE = Source(
    id="amd-rocm-gpu-arch-specs",
    title="ROCm documentation: GPU hardware specifications",
    publisher="AMD",
    home="https://rocm.docs.amd.com/en/latest/reference/gpu-arch-specs.html",
    licence="MIT",
    kind="vendor",
    gives="memory, compute units, L2 cache and LLVM target of AMD's GPUs; peak rates of MI100, MI250 and MI300X",
    files=(
        SourceFile(PAGES[0], f"{ROCM}/develop/docs/reference/gpu-arch-specs.rst", "same-format", floor=180),
        SourceFile(
            PAGES[1],
            f"{ROCM}/0c6f660d592b2432803f6e5841b7851ac5fc0eb4/docs/reference/gpu-arch-specs.rst",
            "original",
            floor=140,
        ),
        SourceFile(PEAKS, f"{ROCM}/develop/docs/conceptual/gpu-arch/mi300.md", "extract", floor=20),
    ),
)

NAME_COLUMNS = ("Name", "Model")  # the newer and the older page
# Their column → our field, and the unit of their column.
FIELD_OF = {
    "VRAM (GiB)": ("memory_gb", "GiB"),
    "Compute Units": ("compute_units", ""),
    "L2 Cache (MiB)": ("l2_cache_mb", "MiB"),
    "LLVM target name": ("llvm_target", None),
}
IGNORED = {
    "Graphics model": "the graphics unit's own name; the table is by processor",
    "Architecture": "stands in data/gpus",
    "Wavefront Size": "not a field of the schema",
    "LDS (KiB)": "not a field of the schema",
    "L3 Cache (MiB)": "not a field of the schema; the same idea as Infinity Cache",
    "Infinity Cache (MiB)": "not a field of the schema; the same idea as L3",
    "Graphics L1 Cache (KiB)": "not a field of the schema",
    "L1 Vector Cache (KiB)": "not a field of the schema",
    "L1 Scalar Cache (KiB)": "not a field of the schema",
    "L1 Instruction Cache (KiB)": "not a field of the schema",
    "L0 Vector Cache (KiB)": "not a field of the schema",
    "L0 Scalar Cache (KiB)": "not a field of the schema",
    "L0 Instruction Cache (KiB)": "not a field of the schema",
    "VGPR File (KiB)": "not a field of the schema",
    "SGPR File (KiB)": "not a field of the schema",
    "GFXIP Major version": "part of the LLVM target",
    "GFXIP Minor version": "part of the LLVM target",
}
# Marks for "none", and for memory that a processor borrows from the host.
UNKNOWN = ("", "N/A", "Dynamic + carveout")
# "304 (38 per XCD)": the figure of the whole package, and in brackets its share.
WITH_SHARE = re.compile(r"(\d+(?:\.\d+)?)(?: \(\d+ per [A-Z]+\))?")
# Sold with two sizes, of which the table holds one: the size becomes part of the name.
SEVERAL_MEMORIES = ("Radeon RX 9060 XT",)
MISSPELLED = {"AMD Ryzen Al 7 350": "AMD Ryzen AI 7 350"}  # a lower-case L

# CDNA matrix instructions add FP16, BF16 and FP8 products in FP32 and INT8 products in INT32 (their names say so:
# V_MFMA_F32_*, V_MFMA_I32_*). The tables print dense rates: MI300X FP16 1 307.4 = 304 units x 2 048 x 2.1 GHz.
PEAK_OF = {
    "Vector FP64": peak("fp64", "fp64", engine="vector"),
    "Matrix FP64": peak("fp64", "fp64"),
    "Vector FP32": peak("fp32", "fp32", engine="vector"),
    "Matrix FP32": peak("fp32", "fp32"),
    "Vector TF32": peak("tf32", "fp32"),  # a matrix rate: 1 024 a clock and unit, four times the matrix FP32 rate
    "Matrix FP16": peak("fp16", "fp32"),
    "Matrix BF16": peak("bf16", "fp32"),
    "Matrix FP8": peak("fp8", "fp32"),
    "Matrix INT8": peak("int8", "int32"),
}
IGNORED_PEAKS = {"Packed FP32": "a second vector FP32 rate, for code that pairs its instructions; Vector FP32 is taken"}


def parse(snapshots: Snapshots) -> Rows:
    """Yield the claims of both states of the page, then the peak rates."""
    for page in PAGES:
        if page in snapshots:
            snapshot = snapshots[page]
            for title, header, rows in _tables(snapshot):
                name_column = _checked(snapshot, title, header)
                for cells in rows:
                    if len(cells) != len(header):
                        raise SourceError(
                            f"{SOURCE.id}/{snapshot.file}, table {title!r}, row {cells[0]!r}: {len(cells)} cells under "
                            f"{len(header)} headings; look whether AMD changed the table"
                        )
                    yield from _row(snapshot, title, dict(zip(header, cells, strict=True)), name_column)
    if PEAKS in snapshots:
        yield from _peaks(snapshots[PEAKS])


def _row(snapshot: Snapshot, title: str, row: dict[str, str], name_column: str) -> Rows:
    name = MISSPELLED.get(row[name_column], row[name_column])
    if name in SEVERAL_MEMORIES:
        name = f"{name} {row['VRAM (GiB)']}GB"
    for column, (field, unit) in FIELD_OF.items():
        cell = row[column]
        if cell in UNKNOWN:
            continue
        where = f"table {title}, row {row[name_column]}, column {column}"
        match = WITH_SHARE.fullmatch(cell)
        if unit is not None and not match:
            raise SourceError(
                f"{SOURCE.id}/{snapshot.file}, {where}: cannot read {cell!r}; "
                f"teach WITH_SHARE or UNKNOWN in pipeline/intake/sources/amd_rocm_gpu_arch_specs.py"
            )
        yield snapshot.claim(name, field, match[1] if match else cell, where, unit)


def _checked(snapshot: Snapshot, title: str, header: list[str]) -> str:
    """Give the name of the first column; every other column must be known."""
    known = (*NAME_COLUMNS, *FIELD_OF, *IGNORED)
    strange = [column for column in header if column not in known]
    missing = [column for column in FIELD_OF if column not in header]
    if strange or missing or not header or header[0] not in NAME_COLUMNS:
        raise SourceError(
            f"{SOURCE.id}/{snapshot.file}, table {title!r}: unknown columns {strange}, missing {missing}, first column "
            f"{header[:1]}; add new ones to FIELD_OF, or to IGNORED with a reason"
        )
    return header[0]


class _Tab(Directive):
    """A tab of the page (sphinx-design), which docutils does not know: its content stands where it is."""

    has_content = True
    optional_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        """Read what is in the tab."""
        tab = nodes.container()
        self.state.nested_parse(self.content, self.content_offset, tab)
        return [tab]


def _tables(snapshot: Snapshot) -> Iterator[tuple[str, list[str], list[list[str]]]]:
    """Yield (name, header, rows) of every table; SourceError where the page is no reStructuredText any more."""
    for name in ("tab-set", "tab-item"):
        directives.register_directive(name, _Tab)
    for name in ("ref", "doc"):  # links of Sphinx within the same documentation
        roles.register_generic_role(name, nodes.inline)
    settings = {"report_level": 5, "halt_level": 3, "file_insertion_enabled": False, "raw_enabled": False}
    settings["warning_stream"] = False  # what is wrong is raised, not printed
    try:
        page = publish_doctree(table.text_of(snapshot), settings_overrides=settings)
    except SystemMessage as wrong:
        said = str(wrong).splitlines()[0]
        raise SourceError(f"{SOURCE.id}/{snapshot.file}: {said}; look whether AMD changed the page") from None
    for found in page.findall(nodes.table):
        rows = [
            [" ".join(cell.astext().split()) for cell in row.findall(nodes.entry)] for row in found.findall(nodes.row)
        ]
        yield " ".join(found["names"]), rows[0], rows[1:]


def _peaks(snapshot: Snapshot) -> Rows:
    name_column, kind_column, rate_column = "accelerator", "Computation and Data Type", "Peak TFLOPS"
    for number, row in table.rows(snapshot, [name_column, kind_column, rate_column]):
        name, kind = row[name_column], row[kind_column]
        where = f"row {number} ({name}, {kind}), column {rate_column}"
        if kind in IGNORED_PEAKS:
            yield snapshot.skip(name, where, IGNORED_PEAKS[kind])
        elif kind in PEAK_OF:
            yield snapshot.claim(name, PEAK_OF[kind], row[rate_column], where, "TFLOPS")
        else:
            raise SourceError(
                f"{SOURCE.id}/{snapshot.file} {where}: unknown kind {kind!r}; "
                f"add it to PEAK_OF, or to IGNORED_PEAKS with a reason"
            )
