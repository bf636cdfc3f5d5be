"""How a value is chosen and what each derived number means: the tables of the code as a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from pipeline.advise.choose import electricity
from pipeline.advise.choose.catalogue import shelf
from pipeline.core import schema
from pipeline.core.paths import DATA
from pipeline.core.schema import Price
from pipeline.dataset import Dataset
from pipeline.derive import metrics, rivals
from pipeline.derive.prices import tax
from pipeline.derive.prices.rules import BASIS_WORDS, DEFINITIONS, MARKETS, OLD_STOCK_TIMES
from pipeline.intake import price_sets
from pipeline.record import reconcile
from pipeline.site.pages.facts import source_titles
from pipeline.site.render import Page


def pages(dataset: Dataset) -> Iterator[Page]:
    """The methodology page."""
    # Fields by how far two sources may differ and still agree, in percent
    numeric = [f for f in (*schema.FIELDS.values(), schema.PEAK) if f.type in ("number", "integer")]
    steps = sorted({f.tolerance for f in numeric})
    tolerances = [(f"{step * 100:g} %", [f.label for f in numeric if f.tolerance == step]) for step in steps]
    context = {
        "kinds": [(name, schema.KIND_MEANING[name]) for name in schema.KINDS],
        "tolerances": tolerances,
        "rules": {**metrics.RULES, "rivals": rivals.RULE},
        "prices": DEFINITIONS,
        "worth": shelf(dataset).kept,
        "tariffs": [(rule, electricity.load()[market]) for market, rule in MARKETS.items()],
        "taxes": [(rule, rate) for market, rule in MARKETS.items() if (rate := tax.load()[market]).percent],
        "asked": list(_asked(dataset.prices)),
        "old_stock": OLD_STOCK_TIMES,
        "launch_days": reconcile.LAUNCH_DAYS,
        "newest": dataset.newest_reading,
        "peak": schema.PEAK,
    }
    yield Page(
        "data/method",
        "method.html.j2",
        context,
        "Method",
        "How a value is chosen among sources, what counts as agreement, and how derived numbers are made.",
        "pipeline/record/reconcile.py",
        hide=("toc",),
    )


@dataclass(frozen=True, slots=True)
class AskedOrSold:
    """What prices of one kind from one source are: asked or sold, where, with how much tax."""

    source: str
    kind: str
    basis: str
    places: tuple[str, ...]  # countries with their tax; nothing of clouds, which ask the same everywhere without tax
    count: int
    newest: str


def _asked(prices: Sequence[Price]) -> Iterator[AskedOrSold]:
    """Every source of prices by kind and basis; launch prices are announced, neither asked nor sold."""
    sets = {name: price_sets.about(DATA.price_sets / f"{name}.yml").title for name in price_sets.names(DATA.price_sets)}
    titles = {**sets, **source_titles()}
    rows = sorted((price for price in prices if price.kind != "launch"), key=_source_of)
    for (source, kind, basis), of_source in groupby(rows, key=_source_of):
        found = list(of_source)
        places = sorted({f"{row.country}, {_tax_words(row.tax)}" for row in found if row.country})
        newest = max(row.date for row in found)
        yield AskedOrSold(
            titles.get(source, source), kind, BASIS_WORDS.get(basis, basis), tuple(places), len(found), newest
        )


def _source_of(price: Price) -> tuple[str, str, str]:
    return price.source, price.kind, price.basis


def _tax_words(tax: float | None) -> str:
    if tax is None:
        return "tax not known"
    return f"with {tax:g} % tax" if tax else "without tax"
