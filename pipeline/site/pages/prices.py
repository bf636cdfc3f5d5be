"""What every card costs now: new, used, as a whole machine and to rent, by market, as one page, and what moved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pipeline.core import currencies
from pipeline.core.wording import count, ratio, short
from pipeline.dataset import Dataset, GpuRecord
from pipeline.derive.prices.changes import changes
from pipeline.derive.prices.quote import Book, Quote, quotes
from pipeline.derive.prices.rules import DEFINITIONS, MARKETS, WORDS, Kind, Market
from pipeline.site.pages import addresses, schema_org
from pipeline.site.render import Page

# The columns: buying first, then renting.
SHOWN: tuple[Kind, ...] = ("new", "used", "system", "rent", "marketplace")
MOVED = 40  # rows of the table of what moved

BOOST = 8.0  # who types the name of a currency wants prices, not a chapter that converts one


@dataclass(frozen=True, slots=True)
class PriceRow:
    """One card of the page."""

    gpu: GpuRecord
    quoted: Mapping[Kind, Mapping[Market, Quote]]
    against_launch: float | None

    @property
    def of_now(self) -> bool:
        """Whether there is a price of now in any market."""
        return any(quote.value is not None for by_market in self.quoted.values() for quote in by_market.values())


def pages(dataset: Dataset) -> Iterator[Page]:
    """The price page."""
    book = quotes(dataset)
    rows = lines(book)
    moved = changes(book)
    context = {
        "lines": rows,
        "finding": finding(rows),
        "newest": dataset.newest_reading,
        "kinds": {kind: WORDS[kind] for kind in SHOWN},
        "markets": MARKETS,
        "currency_words": {market: currencies.load()[rule.currency].word for market, rule in MARKETS.items()},
        "rules": list(DEFINITIONS.items()),
        "rates": [rate for rate in currencies.load().values() if rate.rate_words],
        "moved": [change for change in moved if change.share is not None][:MOVED],
        "other_source": [change for change in moved if change.share is None][:MOVED],
        "gpus": dataset.gpus,
        "kind_words": WORDS,
        "addresses": addresses,
    }
    yield Page(
        "prices/index",
        "prices.html.j2",
        context,
        "GPU prices now: new, used and to rent",
        f"{finding(rows)} Every price with its day and its source.",
        "pipeline/site/pages/prices.py",
        boost=BOOST,
        about=schema_org.dataset(
            "GPU prices",
            "Prices of GPUs for deep learning, new, used and to rent, each with its day and its source.",
            "prices/",
            dataset.newest_reading,
            [schema_org.table("data/prices.csv")],
        ),
    )


def lines(book: Book) -> list[PriceRow]:
    """Every card with a price of now: the dearest against its launch price first, then by name."""
    found = [_line(gpu, book) for gpu in book.dataset.gpus.values()]
    return sorted((line for line in found if line.of_now), key=lambda line: (-(line.against_launch or 0), line.gpu.id))


def finding(rows: Sequence[PriceRow]) -> str:
    """How many cards cost more than at launch, and which the most."""
    known = [(line.gpu, line.against_launch) for line in rows if line.against_launch]
    if not known:
        return f"{count(len(rows), 'card')} with a price of now; none with a launch price beside it."
    dearer = sum(times > 1 for _, times in known)
    gpu, most = max(known, key=lambda entry: (entry[1], entry[0].id))
    return (
        f"{dearer} of {count(len(known), 'card')} with a price of the last half-year in the United States cost more "
        f"than at launch; the most: {short(gpu.name)}, {ratio(most)} its launch price."
    )


def _line(gpu: GpuRecord, book: Book) -> PriceRow:
    quoted = {kind: {market: book.quote(gpu.id, kind, market) for market in MARKETS} for kind in SHOWN}
    return PriceRow(gpu, quoted, book.against_launch(gpu.id))
