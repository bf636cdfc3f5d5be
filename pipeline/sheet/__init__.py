"""Drafts GPUs from a vendor's sheet: its bytes (PDF, HTML, CSV, reStructuredText) in, YAML and the rest out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from pipeline import gpus as gpu_files
from pipeline.gpus import Gpu
from pipeline.identity import NameFile, Names, load_names
from pipeline.paths import DATA
from pipeline.sheet import products, read_csv, read_html, read_pdf, read_rst, write
from pipeline.sheet.form import Problem, Sheet, SheetError
from pipeline.sheet.interpret import Reading, interpret
from pipeline.sheet.layout import is_label

__all__ = ["Draft", "GpuDraft", "SheetError", "draft"]

MAX_BYTES = 20_000_000


@dataclass(frozen=True, slots=True)
class GpuDraft:
    """The draft of one GPU: the text of its file, and what the sheet says of it that has no place there."""

    id: str
    exists: bool
    yaml: str
    unplaced: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Draft:
    """What a sheet gives: one draft a GPU, and what belongs to none of them."""

    gpus: tuple[GpuDraft, ...]
    general: tuple[str, ...]

    @property
    def yaml(self) -> str:
        """All drafts, one YAML document a GPU."""
        return "---\n".join(gpu.yaml for gpu in self.gpus)

    @property
    def unplaced(self) -> tuple[str, ...]:
        """Everything that has no place in a draft, with where it stands and why."""
        return (*(f"{gpu.id}: {line}" for gpu in self.gpus for line in gpu.unplaced), *self.general)


def draft(source: bytes | Path, name: str = "", *, read: date, url: str = "",
          gpus: Mapping[str, Gpu] | None = None, name_files: list[NameFile] | None = None) -> Draft:  # fmt: skip
    """Draft the GPUs of a sheet that was read on a day; SheetError says what the sheet lacks and what to do.

    `name` is the file's name or address; `url` its public address if that is another. `gpus` are the GPUs that
    exist, those of `data/gpus` unless given.
    """
    data = source.read_bytes() if isinstance(source, Path) else source
    name = name or (source.name if isinstance(source, Path) else "sheet")
    if len(data) > MAX_BYTES:
        raise SheetError(f"{name}: {len(data)} bytes, at most {MAX_BYTES} are read; cut the sheet out of the document")
    known = gpu_files.load(DATA.gpus) if gpus is None else gpus
    names = Names(known, load_names(DATA.names) if name_files is None and gpus is None else name_files or [])
    sheet = read_sheet(data, name)
    readings, general = interpret(sheet)
    address = url or (name if re.match(r"https?://", name) else "")
    drafts = [_gpu_draft(reading, sheet, names, known, address, read) for reading in readings]
    _refuse_doubles(drafts, sheet)
    return Draft(tuple(drafts), tuple(f"{sheet.file}: {problem}" for problem in general))


def read_sheet(data: bytes, name: str) -> Sheet:
    """Read a sheet with the reader of its kind, which its first bytes tell."""
    start = data[:2000].lstrip(b"\xef\xbb\xbf \t\r\n")
    if not start:
        raise SheetError(f"{name}: an empty file; fetch it again")
    if start.startswith(b"%PDF"):
        return read_pdf.read(data, name, is_label)
    if re.match(rb"<(!doctype|html|\?xml|table|body|div|section|!--|head|main|article|dl)", start, re.IGNORECASE):
        return read_html.read(data, name)
    text = read_csv.decoded(data, name)
    if name.casefold().endswith((".rst", ".rst.txt")) or read_rst.LOOKS_LIKE.search(text):
        return read_rst.read(data, name)
    return read_csv.read(data, name)


def _gpu_draft(
    reading: Reading, sheet: Sheet, names: Names, known: Mapping[str, Gpu], url: str, read: date
) -> GpuDraft:
    gpu = _resolve(reading, names, known)
    product = products.describe(reading.name, sheet.title, reading.form)
    if gpu is not None:
        product = products.Product(gpu.id, gpu.name, gpu.vendor, gpu.segment, gpu.line, gpu.form_factor)
    if product is None:
        raise SheetError(f"{sheet.file}: product {reading.name!r}: no line of products has such names; "
                         f"add one to LINES in pipeline/sheet/products.py")  # fmt: skip
    title = f"{reading.name} data sheet" if not sheet.title else sheet.title
    text = write.text_of(product, gpu, reading.architecture, write.document_of(title, url, read), reading.values)
    write.check(product.id, text)
    return GpuDraft(product.id, gpu is not None, text, tuple(_line(problem) for problem in reading.problems))


def _line(problem: Problem) -> str:
    return str(problem)


def _resolve(reading: Reading, names: Names, known: Mapping[str, Gpu]) -> Gpu | None:
    """Find the GPU that exists under the sheet's name, alone or with the memory the sheet prints."""
    memory = [value.converted for value in reading.values if value.field == "memory_gb"]
    spellings = [reading.name, *(f"{reading.name} {size}" for size in memory)]
    found = next((match for match in (names.find(spelling) for spelling in spellings) if match), None)
    return known.get(found) if found else None


def _refuse_doubles(drafts: list[GpuDraft], sheet: Sheet) -> None:
    ids = [gpu.id for gpu in drafts]
    double = next((gpu for gpu in ids if ids.count(gpu) > 1), None)
    if double:
        raise SheetError(f"{sheet.file}: two columns lead to {double}; the heads of the columns do not tell them apart")
