"""Holds our quotes against prices collected by hand that no source gives (tests/price_audit/README.md).

Use it after every change of a rule or a source of prices: `python -m pipeline price-audit` prints the share of quotes
in range by kind, and every miss with what both sides rest on. Some files are held against our prices of now, the
others, which go by months, against our prices of each row's month.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

from pipeline.core.paths import ROOT
from pipeline.dataset import Dataset
from pipeline.derive.prices.quote import Quote, quotes
from pipeline.derive.prices.rules import KINDS, MARKETS, Kind, Market

FOLDER = ROOT / "tests" / "price_audit"
NOW = tuple(FOLDER / f"{name}.csv" for name in ("prices", *(f"prices_{number}" for number in range(2, 7))))
BY_MONTH = tuple(FOLDER / f"{name}.csv" for name in ("by_month", *(f"by_month_{number}" for number in range(2, 7))))
EXPLAINED = FOLDER / "misses.csv"
COLUMNS = ("card", "market", "kind", "low", "high", "day", "url", "note")
# A range is widened by this share at both ends: prices move between the day of the audit and that of the quote.
WIDER = 0.15
# A price "from" says where prices begin: half to four fifths of the median asked, in the five cards for which a source
# states both of one month (GPU Poet, January 2026). It is held against that share of a range's lower end.
BEGINS = 0.5

Key = tuple[str, str, str, str, str]


class AuditError(ValueError):
    """A collection that cannot be read; the message names file, row, column and value."""


@dataclass(frozen=True, slots=True)
class Collected:
    """One collected price: what an honest quote of a card, kind and market may be, in the market's currency."""

    card: str
    market: Market
    kind: Kind
    low: float
    high: float
    day: str
    url: str
    note: str

    def holds(self, value: float, begins: bool = False) -> bool:
        """Whether a quote lies in the widened range; one that only says where prices begin may lie below it."""
        least = self.low * (BEGINS if begins else 1 - WIDER)
        return least <= value <= self.high * (1 + WIDER)


@dataclass(frozen=True, slots=True)
class Held:
    """A collected price beside our quote."""

    collected: Collected
    quote: Quote | None  # of its month; None where we know none of that month
    collection: str  # the file, without ".csv"
    month: str = ""  # "" is now

    @property
    def key(self) -> Key:
        """Collection, card, market, kind and month."""
        return self.collection, self.collected.card, self.collected.market, self.collected.kind, self.month

    @property
    def value(self) -> float | None:
        """What we quote."""
        return self.quote.value if self.quote else None

    @property
    def compared(self) -> bool:
        """Whether we quote a price at all."""
        return self.value is not None

    @property
    def doubted(self) -> bool:
        """Whether our price says that something speaks against it."""
        return bool(self.quote and self.quote.doubts)

    @property
    def right(self) -> bool:
        """Whether the quote lies in the range."""
        return self.value is not None and self.collected.holds(self.value, self._begins)

    @property
    def kind(self) -> str:
        """The kind of price, with those that only say where prices begin told apart."""
        return f"{self.collected.kind}, from" if self._begins else self.collected.kind

    @property
    def _begins(self) -> bool:
        return bool(self.quote and self.quote.begins)


def collection(path: Path) -> list[Collected]:
    """Read the collected prices; AuditError for a row that is no price."""
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file, strict=True)
        if tuple(reader.fieldnames or ()) != COLUMNS:
            raise AuditError(f"{path.name}: columns are {reader.fieldnames}; they must be {', '.join(COLUMNS)}")
        return [_collected(row, f"{path.name} row {number}") for number, row in enumerate(reader, start=2)]


def _collected(row: dict[str, str], where: str) -> Collected:
    market = next((known for known in MARKETS if known == row["market"]), None)
    kind = next((known for known in KINDS if known == row["kind"]), None)
    if market is None or kind is None:
        raise AuditError(f"{where}: no market or kind {row['market']!r}, {row['kind']!r}; see tests/price_audit")
    try:
        low, high = float(row["low"]), float(row["high"])
    except ValueError:
        raise AuditError(f"{where}: {row['low']!r} to {row['high']!r} is no range; write two amounts") from None
    if not 0 < low <= high:
        raise AuditError(f"{where}: {low:g} to {high:g} is no range; the lower amount comes first, above zero")
    return Collected(row["card"], market, kind, low, high, row["day"], row["url"], row["note"])


def explanations(path: Path = EXPLAINED) -> dict[Key, str]:
    """Why a quote misses its range, by collection, card, market, kind and month ("" is now), as a person found it."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, strict=True)
        return {(row["collection"], row["card"], row["market"], row["kind"], row["month"]): row["why"] for row in rows}


def held(dataset: Dataset) -> dict[str, list[Held]]:
    """By collection our quote beside each collected price: of now, or of its month."""
    book = quotes(dataset)
    by_collection: dict[str, list[Held]] = {}
    for path in (*NOW, *BY_MONTH):
        rows = by_collection.setdefault(path.stem, [])
        for price in collection(path):
            month = price.day[:7] if path in BY_MONTH else ""
            card, kind, market = price.card, price.kind, price.market
            quote = book.month(card, kind, month, market) if month else book.quote(card, kind, market)
            rows.append(Held(price, quote, path.stem, month))
    return by_collection
