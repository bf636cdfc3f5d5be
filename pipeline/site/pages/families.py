"""A page for each maker, product line and architecture: its cards side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pipeline.core.wording import count, number
from pipeline.dataset import Dataset, GpuRecord
from pipeline.derive import metrics
from pipeline.derive.prices.quote import Book, quotes
from pipeline.site.pages import addresses, table
from pipeline.site.pages.facts import Fact, facts
from pipeline.site.render import Page


@dataclass(frozen=True, slots=True)
class Kind:
    """One way to put cards together."""

    id: str
    folder: str
    name: str
    text: Callable[[GpuRecord], str]
    address: Callable[[GpuRecord], str]


BOOST = 16.0  # who types the name of a line wants its page, not the cards in it
KINDS = (
    Kind("vendor", "vendors", "maker", lambda gpu: gpu.vendor, addresses.vendor),
    Kind("line", "lines", "product line", lambda gpu: gpu.line, addresses.line),
    Kind("architecture", "architectures", "architecture", lambda gpu: gpu.architecture, addresses.architecture),
)


MARKS = str.maketrans("", "", ",.")  # of a number as it is shown
# What tells cards of a family apart beside the figures of the table above, in this order.
TELLING = (
    "memory_type",
    "memory_bus_bit",
    "l2_cache_mb",
    "ecc",
    "shader_cores",
    "tensor_cores",
    "boost_clock_mhz",
    "link_gb_s",
    "pcie_gen",
    "pcie_lanes",
    "slot_width",
    "length_mm",
    "power_connectors",
    "cooling",
    "recommended_psu_w",
    "process_nm",
    "native_formats",
    "compute_capability",
    "llvm_target",
    "software_support",
    "status",
)


@dataclass(frozen=True, slots=True)
class Differences:
    """What all cards of a family have alike, and the figures in which they differ."""

    shared: tuple[tuple[Fact, int], ...]  # any card's, and of how many it is known
    columns: tuple[tuple[Fact, bool], ...]  # of each any card's, for its label and unit, and whether all are numbers
    rows: tuple[tuple[GpuRecord, tuple[Fact | None, ...]], ...]


def pages(dataset: Dataset) -> Iterator[Page]:
    """A page for each family, and the page that lists them."""
    records = list(dataset.gpus.values())
    families = {kind.folder: _families(kind, records) for kind in KINDS}
    yield Page(
        "gpus/families",
        "families.html.j2",
        {"families": families, "kinds": KINDS, "addresses": addresses},
        "Makers, lines and architectures",
        "GPUs by maker, product line and architecture.",
        "pipeline/site/pages/families.py",
        hide=("toc",),
    )
    book = quotes(dataset)
    known = {gpu.id: facts(gpu) for gpu in records}
    for kind in KINDS:
        for _, text, own in families[kind.folder]:
            yield _page(kind, text, own, book, None if kind.id == "vendor" else differences(own, known))


def _families(kind: Kind, records: list[GpuRecord]) -> list[tuple[str, str, list[GpuRecord]]]:
    groups = addresses.grouped(records, kind.text)
    return [(vendor, text, sorted(own, key=_by_launch)) for (vendor, text), own in groups.items()]


def differences(own: Sequence[GpuRecord], known: Mapping[str, Mapping[str, Fact]]) -> Differences | None:
    """What cards share and where they differ; what is known of fewer than half counts as shared by none."""
    if len(own) < 2:
        return None
    shared, columns = [], []
    for name in TELLING:
        told = [known[gpu.id][name] for gpu in own if name in known[gpu.id]]
        alike = len({fact.shown for fact in told}) == 1
        if alike and 2 * len(told) >= len(own):
            shared.append((told[0], len(told)))
        elif not alike and told:
            columns.append((told[0], all(fact.shown.translate(MARKS).isdigit() for fact in told)))
    rows = tuple((gpu, tuple(known[gpu.id].get(column.field) for column, _ in columns)) for gpu in own)
    return Differences(tuple(shared), tuple(columns), rows)


def _page(kind: Kind, text: str, own: list[GpuRecord], book: Book, apart: Differences | None) -> Page:
    vendor = own[0].vendor
    # A family's name with its maker's, once
    title = text if text.startswith(vendor) else f"{vendor} {text}"
    rows = {to_have: [gpu for gpu in own if table.to_have(gpu, book) is to_have] for to_have in (True, False)}
    context = {
        "kind": kind,
        "title": title,
        "vendor": own[0].vendor,
        "first": own[0],
        "parts": [
            [(gpu, table.sixteen_bit(gpu, book), table.price_cells(gpu, book)) for gpu in part]
            for part in rows.values()
        ],
        "apart": apart,
        "prices": table.PRICES,
        "lines": addresses.grouped(own, lambda gpu: gpu.line),
        "architectures": addresses.grouped(own, lambda gpu: gpu.architecture),
        "summary": _summary(own),
        "addresses": addresses,
    }
    # A line, an architecture and a card may share a name; a list of search results must tell them apart.
    return Page(
        kind.address(own[0]).rstrip("/"),
        "family.html.j2",
        context,
        f"{title}, {kind.name}",
        f"{title}: {_summary(own)}",
        "pipeline/site/pages/families.py",
        boost=BOOST,
    )


def _summary(own: list[GpuRecord]) -> str:
    """How many cards, from when to when, with how much memory."""
    years = sorted(gpu.launch_date[:4] for gpu in own if gpu.launch_date)
    memory = sorted(size for gpu in own if (size := gpu.memory_gb))
    parts = [count(len(own), "card")]
    if years:
        parts.append(f"launched in {years[0]}" if years[0] == years[-1] else f"launched from {years[0]} to {years[-1]}")
    if memory:
        low, high = number(memory[0]), number(memory[-1])
        parts.append(f"with {low} GB" if low == high else f"with {low} to {high} GB of memory")
    return ", ".join(parts) + "."


def _by_launch(gpu: GpuRecord) -> tuple[float, str]:
    launched = gpu.launch_date
    return (-metrics.year_of(launched) if launched else 0.0, gpu.id)
