"""A page for each maker, product line and architecture: its cards side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pipeline.core.wording import count, number
from pipeline.dataset import Dataset, GpuRecord
from pipeline.derive import metrics
from pipeline.derive.prices.quote import Book, quotes
from pipeline.site.pages import addresses, table
from pipeline.site.render import Page


@dataclass(frozen=True, slots=True)
class Kind:
    """One way to put cards together."""

    id: str
    folder: str
    name: str
    text: Callable[[GpuRecord], str]
    address: Callable[[GpuRecord], str]


BOOST = 8.0  # who types the name of a line wants its page, not the cards in it
KINDS = (
    Kind("vendor", "vendors", "maker", lambda gpu: gpu.vendor, addresses.vendor),
    Kind("line", "lines", "product line", lambda gpu: gpu.line, addresses.line),
    Kind("architecture", "architectures", "architecture", lambda gpu: gpu.architecture, addresses.architecture),
)


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
    for kind in KINDS:
        for _, text, own in families[kind.folder]:
            yield _page(kind, text, own, book)


def _families(kind: Kind, records: list[GpuRecord]) -> list[tuple[str, str, list[GpuRecord]]]:
    groups = addresses.grouped(records, kind.text)
    return [(vendor, text, sorted(own, key=_by_launch)) for (vendor, text), own in groups.items()]


def _page(kind: Kind, text: str, own: list[GpuRecord], book: Book) -> Page:
    title = _title(own[0].vendor, text)
    ranked = sorted(own, key=lambda gpu: not table.to_have(gpu, book))
    context = {
        "kind": kind,
        "title": title,
        "vendor": own[0].vendor,
        "rows": [(gpu, metrics.sixteen_bit(gpu), table.price_cells(gpu, book)) for gpu in ranked],
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


def _title(vendor: str, text: str) -> str:
    """A family's name with its maker's, once."""
    return text if text.startswith(vendor) else f"{vendor} {text}"


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
