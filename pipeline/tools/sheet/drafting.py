"""Drafts GPUs from a vendor's sheet (PDF, HTML, CSV or reStructuredText): the YAML, and what it could not place."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from pipeline.core import gpus as gpu_files
from pipeline.core.gpus import Gpu
from pipeline.core.identity import NameFile, Names, load_names
from pipeline.core.paths import DATA
from pipeline.tools.sheet import products, read_csv, read_html, read_pdf, read_rst, write
from pipeline.tools.sheet.fields import DraftValue
from pipeline.tools.sheet.form import Sheet, SheetError
from pipeline.tools.sheet.interpret import GpuReading, interpret
from pipeline.tools.sheet.layout import is_label

MAX_BYTES = 20_000_000
# First bytes of files that an address may answer with in place of a sheet.
NOT_READ = {
    b"{": "JSON",
    b"[": "JSON",
    b"PK\x03\x04": "a ZIP, Word or Excel file",
    b"\x89PNG": "a PNG picture",
    b"\xff\xd8\xff": "a JPEG picture",
    b"GIF8": "a GIF picture",
    b"RIFF": "a WebP picture",
    b"\x1f\x8b": "a gzip file",
    b"\xd0\xcf\x11\xe0": "an old Word or Excel file",
}


# Makers print 180, 186 and 192 GB of one board; 80 and 94, or 10 and 12, are two boards.
SAME_MEMORY = 0.1
# What a name adds for its form.
SHORT_FORMS = {"SXM module": "SXM", "OAM module": "OAM", "PCIe card": "PCIe"}


@dataclass(frozen=True, slots=True)
class GpuDraft:
    """The draft of one GPU: the text of its file, and what the sheet says of it that has no place there."""

    id: str
    exists: bool
    yaml: str
    unplaced: tuple[str, ...]
    values: tuple[DraftValue, ...] = ()


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


def draft(
    source: bytes | Path,
    name: str = "",
    *,
    read: date,
    url: str = "",
    gpus: Mapping[str, Gpu] | None = None,
    name_files: list[NameFile] | None = None,
) -> Draft:
    """Draft the GPUs of a sheet that was read on a day; SheetError says what the sheet lacks and what to do.

    `name` is the file's name or address; `url` its public address if that is another. `gpus` are the GPUs that
    exist, those of `data/gpus` unless given.
    """
    data = _bytes(source) if isinstance(source, Path) else source
    name = name or (source.name if isinstance(source, Path) else "sheet")
    if len(data) > MAX_BYTES:
        raise SheetError(f"{name}: {len(data)} bytes, at most {MAX_BYTES} are read; cut the sheet out of the document")
    known = gpu_files.load(DATA.gpus) if gpus is None else gpus
    names = Names(known, load_names(DATA.names) if name_files is None and gpus is None else name_files or [])
    sheet = read_sheet(data, name)
    readings, general = interpret(sheet)
    address = url or (name if re.match(r"https?://", name) else "")
    drafts, refused = _drafts(readings, sheet, names, known, address, read)
    if not drafts:
        raise SheetError(refused[0])
    return Draft(tuple(drafts), (*refused, *(f"{sheet.file}: {problem}" for problem in general)))


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        hint = "give the file of a sheet, or an address that starts with https://"
        raise SheetError(f"{path}: {error.strerror}; {hint}") from None


def read_sheet(data: bytes, name: str) -> Sheet:
    """Read a sheet with the reader of its kind, which its first bytes tell."""
    start = data[:2000].lstrip(b"\xef\xbb\xbf \t\r\n")
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        start = data[:4000].decode("utf-16", "ignore").lstrip().encode()
    if not start:
        raise SheetError(f"{name}: an empty file; fetch it again")
    if start.startswith(b"%PDF"):
        return read_pdf.read(data, name, is_label)
    other = next((kind for magic, kind in NOT_READ.items() if start.startswith(magic)), "")
    if other:
        raise SheetError(f"{name}: {other}, not a sheet that can be read; give PDF, HTML, CSV or reStructuredText")
    if re.match(rb"<(!doctype|html|\?xml|table|body|div|section|!--|head|main|article|dl)", start, re.IGNORECASE):
        return read_html.read(data, name, is_label)
    text = read_csv.decoded(data, name)
    if name.casefold().endswith((".rst", ".rst.txt")) or read_rst.LOOKS_LIKE.search(text):
        return read_rst.read(data, name)
    return read_csv.read(data, name)


def _drafts(
    readings: list[GpuReading], sheet: Sheet, names: Names, known: Mapping[str, Gpu], url: str, read: date
) -> tuple[list[GpuDraft], list[str]]:
    """Draft each GPU; a column that leads to none, or to the same as another, is listed and the others stay."""
    drafts: list[GpuDraft] = []
    refused: list[str] = []
    for reading in readings:
        try:
            drafts.append(_gpu_draft(reading, sheet, names, known, url, read))
        except SheetError as error:
            refused.append(f"{error} ({len(reading.values)} figures not drafted)")
    counts = Counter(gpu.id for gpu in drafts)
    refused += [
        f"{sheet.file}: two columns lead to {gpu}; the heads of the columns do not tell them apart"
        for gpu, count in counts.items()
        if count > 1
    ]
    return [gpu for gpu in drafts if counts[gpu.id] == 1], refused


def _gpu_draft(
    reading: GpuReading, sheet: Sheet, names: Names, known: Mapping[str, Gpu], url: str, read: date
) -> GpuDraft:
    # Find the GPU that exists under the sheet's name, alone or with the memory and the form the sheet prints
    memory = [value.converted for value in reading.values if value.field == "memory_gb"]
    form = {SHORT_FORMS[kind] for kind in products.kinds_of_form(reading.form)}
    called = [reading.name, *products.part_numbers(reading.name), products.with_family(reading.name, sheet.title)]
    bare = products.without_part_number(reading.name)
    called += [f"{name} {word}" for name in (*called, bare) for word in form if len(form) == 1]
    called += [bare] if products.kinds_of_form(bare) else []  # without its number a board is known by its form only
    spellings = [*(f"{name} {size}" for name in called for size in memory), *called]
    found = next((match for match in (names.find(spelling) for spelling in spellings) if match), None)
    gpu = known.get(found) if found else None
    product = products.describe(reading.name, sheet.title, reading.form)
    if gpu is not None:
        product = products.Product(gpu.id, gpu.name, gpu.vendor, gpu.segment, gpu.line, gpu.form_factor)
    if product is None:
        raise SheetError(
            f"{sheet.file}: product {reading.name!r}: no line of products has such names; "
            f"add one to LINES in pipeline/tools/sheet/products.py"
        )
    title = f"{reading.name} data sheet" if not sheet.title else sheet.title
    shared = _other_memory(reading, gpu) if gpu else _shared_by(reading.name, names)
    document = write.document_of(title, url, read)
    text = write.text_of(product, gpu, reading.architecture, document, reading.values, shared)
    write.check(product.id, text)
    unplaced = (*([shared] if shared else []), *(str(problem) for problem in reading.problems))
    return GpuDraft(product.id, gpu is not None, text, unplaced, tuple(reading.values))


def _other_memory(reading: GpuReading, gpu: Gpu) -> str:
    """Say that a sheet prints another memory than the file of its name: it may be of another variant."""
    printed = [value.converted for value in reading.values if value.field == "memory_gb"]
    cited = [claim.value for claim in gpu_files.claims(gpu) if claim.field == "memory_gb"]
    sizes = [float(size) for size in cited]
    for size in printed:
        if sizes and not any(abs(float(size.split()[0]) / one - 1) <= SAME_MEMORY for one in sizes):
            return f"data/gpus/{gpu.id}.yml has {cited[0]} GB and the sheet {size}; see whether it is another variant"
    return ""


def _shared_by(name: str, names: Names) -> str:
    """Say that several GPUs share a name, whole or up to its last model word ("GH200 Grace Hopper Superchip")."""
    shorter = re.sub(r"(\s+[^\s\d]+)+$", "", name)
    for called in (name, shorter):
        match = names.resolve("sheet", called)
        if match.verdict == "ambiguous":
            return f"the name {called!r} is shared: {match.reason}; put the values into the file of the right one"
    return ""
