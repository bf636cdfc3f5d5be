"""What machines that read get: `robots.txt`, `llms.txt`, and each card as Markdown beside its page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pipeline.core.templates import template
from pipeline.dataset import Dataset, GpuRecord
from pipeline.site.pages import addresses
from pipeline.site.pages.facts import Fact
from pipeline.site.render import Asset


def pages(dataset: Dataset) -> Iterator[Asset]:
    """The list of everything; the cards' own texts come with their pages."""
    context = {
        "gpus": list(dataset.gpus.values()),
        "site": addresses.SITE,
        "newest": dataset.newest_reading,
    }
    yield Asset("llms.txt", template("llms.txt.j2").render(context) + "\n")
    yield Asset("robots.txt", f"User-agent: *\nAllow: /\nSitemap: {addresses.SITE}sitemap.xml\n")


def of_card(gpu: GpuRecord, known: Iterable[Fact], summary: str, newest: str) -> Asset:
    """A card's figures as Markdown. It ends in .txt, because MkDocs would make a page of a .md file."""
    listed = list(known)
    context = {
        "gpu": gpu,
        "facts": listed,
        "disputed": [fact for fact in listed if fact.differing],
        "summary": summary,
        "site": addresses.SITE,
        "newest": newest,
    }
    return Asset(f"gpus/{gpu.id}.txt", template("gpu.txt.j2").render(context) + "\n")
