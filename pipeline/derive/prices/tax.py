"""What a private buyer pays on top of a price that is listed without sales tax, by market.

Prices to buy are listed with the tax of their country in Europe and the United Kingdom; rents, and the machines around
the cards, are listed without it everywhere. Wherever the two stand in one ranking, the tax of the reader's market is
added to what lacks it, so that both are what one pays. The rates are constants of data/constants.yml.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from pipeline.core import constants
from pipeline.core.constants import ConstantError
from pipeline.derive.prices.rules import MARKETS


@dataclass(frozen=True, slots=True)
class SalesTax:
    """The standard rate of a market, whose it is, and where that is read."""

    percent: float  # 0 where prices are listed without tax
    country: str  # in words
    source: str = ""
    url: str = ""
    read: str = ""

    def added(self, listed: float) -> float:
        """What a private buyer pays where so much is listed without tax."""
        return listed * (1 + self.percent / 100)


@lru_cache(maxsize=2)
def load(path: Path = constants.PATH) -> Mapping[str, SalesTax]:
    """The tax of every market; ConstantError names a constant that is missing."""
    known = constants.load(path)
    found: dict[str, SalesTax] = {}
    for market, rule in MARKETS.items():
        if not rule.with_tax:
            found[market] = SalesTax(0.0, rule.tax_country)
            continue
        one = known.get(rule.tax_rate)
        if one is None:
            raise ConstantError(
                f"data/{path.name}: {rule.tax_rate} is missing, on which rankings with tax rest; add it"
            )
        found[market] = SalesTax(one.value, rule.tax_country, one.source, str(one.url), one.read.isoformat())
    return found
