"""The currencies in which prices are asked and shown, each with its dated rate in dollars (`data/currencies.yml`)."""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, RootModel, field_validator, model_validator

from pipeline.core import documents
from pipeline.core.paths import DATA

# The countries whose shops ask euros.
EURO_AREA = "AT BE BG CY DE EE ES FI FR GR HR IE IT LT LU LV MT NL PT SI SK"
PATH = DATA.data / "currencies.yml"
# How a locator says that a rate was worked out from two others: "1.1418 dollars a euro over 0.85205 pounds a euro".
QUOTIENT = re.compile(r"(\d+\.?\d*)[^\d]+ over (\d+\.?\d*)", re.ASCII)
ROUNDED = 0.001


class CurrencyError(ValueError):
    """A file of rates that cannot be read."""


@dataclass(frozen=True, slots=True)
class Currency:
    """A currency's words, and US dollars for one unit of it on a day."""

    code: str
    word: str
    sign: str
    usd: float
    date: str
    source: str
    url: str

    @property
    def rate_words(self) -> str:
        """The rate with its day and where it is read; "" of the dollar."""
        if self.code == DOLLAR.code:
            return ""
        return f"1 {self.code} = {self.usd:g} dollars on {self.date} ({self.source})"

    def to_usd(self, amount: float) -> float:
        """Convert an amount, to a hundredth of a cent."""
        return round(amount * self.usd, 4)


DOLLAR = Currency("USD", "dollars", "$", 1.0, "", "", "")


class _Row(BaseModel):
    """One entry of the file."""

    model_config = ConfigDict(extra="forbid", strict=True)

    word: documents.Text
    sign: documents.Text
    usd: Annotated[float, Field(gt=0, allow_inf_nan=False)]
    date: datetime.date
    source: documents.Text
    url: documents.Url
    locator: documents.Locator
    read: documents.ReadDay

    @model_validator(mode="after")
    def _as_worked_out(self) -> _Row:
        found = QUOTIENT.search(self.locator)
        worked = float(found[1]) / float(found[2]) if found else self.usd
        if abs(self.usd / worked - 1) > ROUNDED:
            raise ValueError(f"usd: {self.usd:g} is not what the locator gives, {found and found[0]}: {worked:.5g}")
        return self


class _Rows(RootModel[dict[str, _Row]]):
    """The file: an entry a currency."""

    @field_validator("root")
    @classmethod
    def _codes(cls, rows: dict[str, _Row]) -> dict[str, _Row]:
        odd = [code for code in rows if not re.fullmatch(r"[A-Z]{3}", code, re.ASCII) or code == DOLLAR.code]
        if odd:
            raise ValueError(f"{odd[0]!r} is no code of another currency; write its three letters, as EUR")
        return rows


@lru_cache(maxsize=2)
def load(path: Path = PATH) -> Mapping[str, Currency]:
    """Every currency by its code, the dollar first."""
    rows = documents.read(path, f"data/{path.name}", _Rows, "see data/README.md", CurrencyError).root
    found = {
        code: Currency(code, row.word, row.sign, row.usd, row.date.isoformat(), row.source, row.url)
        for code, row in rows.items()
    }
    return {DOLLAR.code: DOLLAR, **found}
