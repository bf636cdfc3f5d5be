"""The price history on a card's page: the picture, the sentence and the rows."""

from __future__ import annotations

from dataclasses import dataclass

from pipeline.core.schema import Price
from pipeline.core.wording import day, dollars, money, ratio
from pipeline.dataset import GpuRecord
from pipeline.derive.prices.quote import Book
from pipeline.derive.prices.rules import BUYING, MARKETS, OBSERVED
from pipeline.site.charts.history import HistoryPicture, called, history

KINDS = ("launch", "retail", "used", "system")
NAMES = {"launch": "launch price", "retail": "new", "used": "used", "system": "whole machine"}
OPEN_ROWS = 8  # a longer table is folded


@dataclass(frozen=True, slots=True)
class PriceHistory:
    """What the page of a card shows of its price over time."""

    title: str
    rows: tuple[Price, ...]  # newest first, as in prices.csv
    picture: HistoryPicture | None  # of prices without tax; None where there is nothing but a launch price
    old: bool
    names: dict[str, str]
    open_rows: int = OPEN_ROWS

    def called(self, row: Price) -> str:
        """What a row priced: of a machine which one."""
        return called(row) if row.kind == "system" else self.names[row.kind]


def price_history(gpu: GpuRecord, book: Book) -> PriceHistory | None:
    """The price history of a card; None for a card without any price to buy."""
    rows = history_rows(gpu)
    if not rows:
        return None
    seen = [row for row in rows if row.kind != "launch"]
    untaxed = drawn_rows(gpu)
    quoted = {OBSERVED[kind]: book.quote(gpu.id, kind) for kind in BUYING}
    drawn = history(untaxed, gpu.launch_price_usd, book.newest, quoted) if untaxed else None
    now = any(book.to_buy(gpu.id, market).value is not None for market in MARKETS)
    return PriceHistory(_title(gpu, book, bool(seen)), tuple(reversed(rows)), drawn, bool(seen) and not now, NAMES)


def history_rows(gpu: GpuRecord) -> list[Price]:
    """Every dated price to buy, oldest first, in a fixed order within a day."""
    rows = [row for row in gpu.prices if row.kind in KINDS and row.usd_per_unit and row.date]
    return sorted(rows, key=lambda r: (r.date, KINDS.index(r.kind), r.unit_usd, r.offer))


def drawn_rows(gpu: GpuRecord) -> list[Price]:
    """The prices that the picture, its CSV and its interactive chart draw: American ones, without tax; none where only
    the launch price is left.
    """
    rows = [
        row
        for row in history_rows(gpu)
        if row.kind == "launch" or (row.country in MARKETS["us"].countries and not row.tax)
    ]
    return rows if any(row.kind != "launch" for row in rows) else []


def _title(gpu: GpuRecord, book: Book, seen: bool) -> str:
    """The finding: today's price against the launch price, or what is missing."""
    now, times, launch = book.to_buy(gpu.id), book.against_launch(gpu.id), gpu.launch_price_usd
    if now.value is not None:
        what = f"{money(now.value)} {now.kind_words} in {day(now.day[:7])}"
        return f"{what}: {ratio(times)} its launch price of {dollars(launch)}" if times else what
    abroad = [book.to_buy(gpu.id, market) for market in MARKETS]
    for quote in abroad:
        if quote.value is not None:
            said = f"{money(quote.value, quote.currency)} {quote.kind_words} in {day(quote.day[:7])}"
            return f"{said}, {quote.tax_words}; no price of now from the United States"
    if seen:
        return "No price of the last half-year: these show what it cost then"
    return "Only the launch price is known: no shop's and no used price has been read yet"
