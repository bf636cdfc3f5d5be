"""A page for each maker, product line and architecture: its cards side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pipeline import metrics
from pipeline.dataset import Dataset, GpuRecord
from pipeline.pages import addresses, table
from pipeline.render import Page, count, number


@dataclass(frozen=True, slots=True)
class Kind:
    """One way to put cards together."""

    column: str
    folder: str
    name: str
    address: Callable[[GpuRecord], str]


KINDS = (
    Kind("vendor", "vendors", "maker", addresses.vendor),
    Kind("line", "lines", "product line", addresses.line),
    Kind("architecture", "architectures", "architecture", addresses.architecture),
)


def pages(dataset: Dataset) -> Iterator[Page]:
    """A page for each family, and the page that lists them."""
    records = list(dataset.gpus.values())
    families = {kind.folder: _families(kind, records) for kind in KINDS}
    yield Page("gpus/families", "families.html.j2", {"families": families, "kinds": KINDS, "addresses": addresses},
               "Makers, lines and architectures", "GPUs by maker, product line and architecture.",
               "pipeline/pages/families.py", hide=("toc",))  # fmt: skip
    for kind in KINDS:
        for _, text, own in families[kind.folder]:
            yield _page(kind, text, own, dataset.newest_reading)


def _families(kind: Kind, records: list[GpuRecord]) -> list[tuple[str, str, list[GpuRecord]]]:
    groups = addresses.grouped(records, kind.column)
    return [(vendor, text, sorted(own, key=_by_launch)) for (vendor, text), own in groups.items()]


def _page(kind: Kind, text: str, own: list[GpuRecord], newest: str) -> Page:
    title = _title(own[0].text("vendor"), text)
    ranked = sorted(own, key=lambda gpu: not table.to_have(gpu, newest))
    context = {
        "kind": kind,
        "title": title,
        "vendor": own[0].text("vendor"),
        "rows": [(gpu, metrics.sixteen_bit(gpu), table.price_cells(gpu, newest)) for gpu in ranked],
        "prices": table.PRICES,
        "lines": addresses.grouped(own, "line"),
        "architectures": addresses.grouped(own, "architecture"),
        "summary": _summary(own),
        "addresses": addresses,
    }
    # A line, an architecture and a card may share a name; a list of search results must tell them apart.
    return Page(kind.address(own[0]).rstrip("/"), "family.html.j2", context, f"{title}, {kind.name}",
                f"{title}: {_summary(own)}", "pipeline/pages/families.py")  # fmt: skip


def _title(vendor: str, text: str) -> str:
    """A family's name with its maker's, once."""
    return text if text.startswith(vendor) else f"{vendor} {text}"


def _summary(own: list[GpuRecord]) -> str:
    """How many cards, from when to when, with how much memory."""
    years = sorted(gpu.text("launch_date")[:4] for gpu in own if gpu.text("launch_date"))
    memory = sorted(size for gpu in own if (size := gpu.number("memory_gb")))
    parts = [count(len(own), "card")]
    if years:
        parts.append(f"launched in {years[0]}" if years[0] == years[-1] else f"launched from {years[0]} to {years[-1]}")
    if memory:
        low, high = number(memory[0]), number(memory[-1])
        parts.append(f"with {low} GB" if low == high else f"with {low} to {high} GB of memory")
    return ", ".join(parts) + "."


def _by_launch(gpu: GpuRecord) -> tuple[float, str]:
    launched = gpu.text("launch_date")
    return (-metrics.year_of(launched) if launched else 0.0, gpu.id)
