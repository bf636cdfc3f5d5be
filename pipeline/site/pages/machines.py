"""What machines that read get: `robots.txt`, `llms.txt`, and each card as Markdown beside its page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gpu_almanac.answers import Source, bibtex

from pipeline.core.templates import template
from pipeline.dataset import Dataset, GpuRecord
from pipeline.derive import cloud
from pipeline.derive.prices.quote import Book
from pipeline.derive.prices.rules import KINDS, MARKETS
from pipeline.editorial import guide
from pipeline.intake.licences import Licences
from pipeline.site.charts.listed import CHARTS
from pipeline.site.pages import addresses
from pipeline.site.pages import models as model_pages
from pipeline.site.pages.facts import Fact, withdrawn
from pipeline.site.quotes import may_leave
from pipeline.site.render import Asset


def pages(dataset: Dataset) -> Iterator[Asset]:
    """The list of everything; the cards' own texts come with their pages."""
    context = {
        "chapters": guide.written().values(),
        "charts": CHARTS,
        "models": [(model.name, model_pages.address(model)) for model in model_pages.paged()],
        "families": cloud.load().families,
        "gpus": list(dataset.gpus.values()),
        "site": addresses.SITE,
        "newest": dataset.newest_reading,
    }
    yield Asset("llms.txt", template("llms.txt.j2").render(context) + "\n")
    yield Asset("robots.txt", f"User-agent: *\nAllow: /\nSitemap: {addresses.SITE}sitemap.xml\n")


def of_card(gpu: GpuRecord, known: Iterable[Fact], summary: str, book: Book, licences: Licences) -> Asset:
    """A card's figures as Markdown. It ends in .txt, because MkDocs would make a page of a .md file."""
    listed = list(known)
    quoted = [(rule, book.quote(gpu.id, kind, market)) for kind in KINDS for market, rule in MARKETS.items()]
    context = {
        "gpu": gpu,
        "facts": listed,
        "disputed": [fact for fact in listed if fact.differing],
        "withdrawn": list(withdrawn(gpu)),
        "summary": summary,
        "prices": [(rule, quote) for rule, quote in quoted if quote.value is not None and may_leave(quote, licences)],
        "cites": [cite(gpu, fact, book.newest) for fact in listed if fact.field.startswith("peak:")],
        "site": addresses.SITE,
        "newest": book.newest,
    }
    return Asset(f"gpus/{gpu.id}.txt", template("gpu.txt.j2").render(context) + "\n")


def cite(gpu: GpuRecord, fact: Fact, newest: str) -> str:
    """A BibTeX entry for one figure of a card: its place on the site, and the document behind it."""
    claim = fact.chosen
    return bibtex(
        key=f"gpu-almanac-{gpu.id}-{fact.field.removeprefix('peak:').replace(':', '-')}",
        title=f"{gpu.name}: {fact.label.replace('→', '->')}, {claim.value} {fact.unit}",
        version=newest,
        source=Source(claim.source, claim.kind, claim.url, claim.locator, claim.retrieved, claim.licence),
        address=f"{addresses.SITE}{addresses.gpu(gpu.id)}#{fact.anchor}",
    )
