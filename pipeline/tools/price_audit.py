"""Holds our quotes against prices collected by hand that no source gives (tests/price_audit/README.md).

Use it after every change of a rule or a source of prices: `python -m pipeline price-audit` prints the share of quotes
in range by kind, and every miss with what both sides rest on.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pipeline.core.paths import ROOT
from pipeline.dataset import Dataset
from pipeline.derive.prices.quote import Quote, quote
from pipeline.derive.prices.rules import KINDS, MARKETS, Kind, Market

COLLECTED = ROOT / "tests" / "price_audit" / "prices.csv"
EXPLAINED = COLLECTED.with_name("misses.csv")
COLUMNS = ("card", "market", "kind", "low", "high", "day", "url", "note")
# A range is widened by this share at both ends: prices move between the day of the audit and that of the quote.
WIDER = 0.15
# A price "from" says where prices begin: half to four fifths of the median asked, in the five cards for which a source
# states both of one month (GPU Poet, January 2026). It is held against that share of a range's lower end.
BEGINS = 0.5


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
    quote: Quote

    @property
    def key(self) -> tuple[str, str, str]:
        """Card, market and kind."""
        return self.collected.card, self.collected.market, self.collected.kind

    @property
    def compared(self) -> bool:
        """Whether we quote a price at all."""
        return self.quote.value is not None

    @property
    def right(self) -> bool:
        """Whether the quote lies in the range."""
        return self.quote.value is not None and self.collected.holds(self.quote.value, self.quote.begins)

    @property
    def kind(self) -> str:
        """The kind of price, with those that only say where prices begin told apart."""
        return f"{self.collected.kind}, from" if self.quote.begins else self.collected.kind


def collection(path: Path = COLLECTED) -> list[Collected]:
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


def explanations(path: Path = EXPLAINED) -> dict[tuple[str, str, str], str]:
    """Why a quote misses its range, by card, market and kind, as a person found it."""
    with path.open(encoding="utf-8", newline="") as file:
        return {(row["card"], row["market"], row["kind"]): row["why"] for row in csv.DictReader(file, strict=True)}


def held(dataset: Dataset, prices: Sequence[Collected]) -> Iterator[Held]:
    """Set our quote beside each collected price."""
    for price in prices:
        yield Held(price, quote(dataset, price.card, price.kind, price.market))
