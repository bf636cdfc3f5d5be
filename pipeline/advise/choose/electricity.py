"""What a kilowatt-hour costs a household, by market: the constants that pipeline/advise/rules.yml names.

The chooser, the picks and the calculators count with it where a reader types no price of their own; the browser gets
the same table with the translated formulas.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from pipeline.advise import rules
from pipeline.core import constants, currencies
from pipeline.core.constants import ConstantError
from pipeline.derive.prices.rules import MARKETS


@dataclass(frozen=True, slots=True)
class Tariff:
    """The price of a kilowatt-hour in the currency of a market, and whose it is, in words."""

    per_kwh: float
    usd: float  # the same in dollars
    words: str
    source: str
    url: str


@lru_cache(maxsize=2)
def load(path: Path = constants.PATH) -> Mapping[str, Tariff]:
    """The tariff of every market; ConstantError names a constant that is missing."""
    known, money = constants.load(path), currencies.load()
    found = {}
    for market, rule in rules.room("choose")["electricity"].items():
        one = known.get(rule["constant"])
        if one is None:
            raise ConstantError(f"data/{path.name}: {rule['constant']} is missing, on which electricity rests; add it")
        usd = one.value * money[MARKETS[market].currency].usd
        found[market] = Tariff(one.value, usd, rule["words"], one.source, str(one.url))
    return found
