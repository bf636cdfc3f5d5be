"""Where things stand on the site and in the repository: ask here before writing an address."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable

from pipeline.core.wording import slug
from pipeline.dataset import GpuRecord

SITE = "https://gpu-almanac.github.io/gpu-almanac/"  # site_url of mkdocs.yml; a test holds both together
REPOSITORY = "https://github.com/gpu-almanac/gpu-almanac"
BRANCH = "main"


def gpu(id: str) -> str:
    """The page of a GPU."""
    return f"gpus/{id}/"


def vendor(record: GpuRecord) -> str:
    """The page of a maker."""
    return f"vendors/{slug(record.vendor)}/"


def line(record: GpuRecord) -> str:
    """The page of a product line; two makers may use the same name."""
    return f"lines/{_with_vendor(record, record.line)}/"


def architecture(record: GpuRecord) -> str:
    """The page of an architecture."""
    return f"architectures/{_with_vendor(record, record.architecture)}/"


def pick(id: str) -> str:
    """The page of one of today's picks."""
    return f"guide/picks/{id}/"


def edit(path: str) -> str:
    """Where a file of the repository is edited in a browser."""
    return f"{REPOSITORY}/edit/{BRANCH}/{path}"


def report(title: str) -> str:
    """The form that reports a wrong figure."""
    return f"{REPOSITORY}/issues/new?template=wrong-figure.yml&title={slug(title)}"


def grouped(records: Iterable[GpuRecord], text: Callable[[GpuRecord], str]) -> dict[tuple[str, str], list[GpuRecord]]:
    """Records by maker and a text of theirs, as their line, sorted."""
    groups: dict[tuple[str, str], list[GpuRecord]] = defaultdict(list)
    for record in records:
        groups[record.vendor, text(record)].append(record)
    return dict(sorted(groups.items()))


def _with_vendor(record: GpuRecord, text: str) -> str:
    maker, name = slug(record.vendor), slug(text)
    return name if name.startswith(f"{maker}-") else f"{maker}-{name}"
