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

from pipeline.derive.prices import history
from pipeline.derive.prices.history import Month
from pipeline.derive.prices.quote import Book, Quote
from pipeline.derive.prices.rules import MARKETS, Kind, Market

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
    value: float  # in the newest month: of the price of now, that price
    doubts: tuple[str, ...] = ()  # about the price of now

    @property
    def before_value(self) -> float:
        """The same before, so that both together give the share."""
        return self.before.value if self.share is None else self.value / (1 + self.share)

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
        return f"{who}, {' and '.join(old)} stated {self.before.value:,.4g} before"


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
    """The move that led to the price of now; what no price rests on (old stock, lesser grounds) is no move of it."""
    now = _month_of_now(book.quote(gpu, kind, market))
    yield from (move for move in _moves(book, gpu, kind, market) if move.after.month == now)


def _month_of_now(quote: Quote) -> str:
    """The month of the price of now; "" without one, and where its median spans two months: it is a move of neither."""
    newest = max((one.day[:7] for one in quote.seen), default="")
    return newest if quote.value is not None and quote.day.startswith(newest) else ""


def _moves(book: Book, gpu: str, kind: Kind, market: Market) -> Iterator[Change]:
    """Changes between neighbouring months that a price was seen in."""
    quote = book.quote(gpu, kind, market)
    now = _month_of_now(quote)
    for before, after in pairwise(book.months(gpu, kind, market)):
        share = history.change(before, after)
        if share is not None and round(abs(share), 6) < LEAST:
            continue
        if after.month == now and quote.value is not None:
            yield Change(gpu, kind, market, before, after, share, quote.value, quote.doubts)
        else:
            yield Change(gpu, kind, market, before, after, share, after.value)
