"""What moved: the newest change of each card's price, told apart from a change of who states it.

A price that rose because another source took over is no rise: like is held against like, over the products or
providers of one source that stand in both months. Where there is none, the row says which source came in place of
which.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from pipeline.derive.prices import history, staleness
from pipeline.derive.prices.history import Month
from pipeline.derive.prices.quote import Book
from pipeline.derive.prices.rules import MARKETS, OBSERVED, Kind, Market

# A change under this is rounding, or the exchange rate.
LEAST = 0.01
# Rents are the same in every market but for the exchange rate: they are told once.
TOLD: tuple[tuple[Kind, Market], ...] = (
    *((kind, market) for market in MARKETS for kind in ("new", "used", "system")),
    ("rent", "us"),
    ("marketplace", "us"),
)


@dataclass(frozen=True, slots=True)
class Change:
    """One price in its newest month and in the month before in which it was seen."""

    gpu: str
    kind: Kind
    market: Market
    before: Month
    after: Month
    share: float | None  # of like against like; None where nothing stands in both months

    @property
    def value(self) -> float:
        """What like cost in the newest month."""
        return self.after.value

    @property
    def before_value(self) -> float:
        """The same before, so that both together give the share."""
        return self.before.value if self.share is None else self.after.value / (1 + self.share)

    @property
    def percent(self) -> float:
        """The change in per cent; 0 where only the source changed."""
        return 0.0 if self.share is None else 100 * self.share

    @property
    def sources(self) -> str:
        """Which source came in place of which; "" where like stands against like."""
        if self.share is not None:
            return ""
        new, old = sorted(self.after.sources), sorted(self.before.sources)
        who = "other sellers or providers of the same source" if new == old else f"{' and '.join(new)} states it now"
        return f"not a change of price: {who}, {' and '.join(old)} stated {self.before.value:,.4g} before"


def changes(book: Book) -> list[Change]:
    """The newest change of each card, kind and market, the largest first; changes of source come last."""
    found = [
        change for gpu in book.dataset.gpus for kind, market in TOLD for change in _newest(book, gpu, kind, market)
    ]
    return sorted(found, key=lambda change: (-abs(math.log1p(change.share or 0.0)), change.gpu, change.kind))


def of_card(book: Book, gpu: str) -> list[Change]:
    """Every change of one card's prices from month to month, the newest first."""
    found = [change for kind, market in TOLD for change in _moves(book, gpu, kind, market)]
    return sorted(found, key=lambda change: (change.after.month, change.kind, change.market), reverse=True)


def _newest(book: Book, gpu: str, kind: Kind, market: Market) -> Iterator[Change]:
    moves = list(_moves(book, gpu, kind, market, last=1))
    if moves and staleness.state(OBSERVED[kind], moves[0].after.month, book.newest) in staleness.NOW:
        yield moves[0]


def _moves(book: Book, gpu: str, kind: Kind, market: Market, last: int = 0) -> Iterator[Change]:
    """Changes between neighbouring months that a price was seen in; of `last` only so many of the newest."""
    months = book.months(gpu, kind, market)
    for before, after in list(pairwise(months))[-last:]:
        share = history.change(before, after)
        if share is None or round(abs(share), 6) >= LEAST:
            yield Change(gpu, kind, market, before, after, share)
