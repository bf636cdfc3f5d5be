"""Prices that people read or contribute: `data/price-sets/<set>.csv` with the rows, `<set>.yml` with their origin.

Use it for what no source module reads: a shop's page, a maker's price list, a report. The format stands in
data/price-sets/README.md. A broken set stops the build with file, row, column, value and the next step; what a row
says is then held to the same rules as the prices of a source (pipeline/record/validate/observations.py).
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Literal

from pipeline.core import currencies, documents
from pipeline.core.documents import Strict, Text, Url, read
from pipeline.core.rows import number_or_none
from pipeline.core.schema import BASES, KINDS, RENT_KINDS, Price

COLUMNS = (
    "gpu",
    "kind",
    "product",
    "provider",
    "country",
    "price",
    "currency",
    "tax",
    "gpus",
    "basis",
    "condition",
    "date",
    "url",
    "locator",
    "note",
    "flag",
)
NEEDED = ("gpu", "kind", "product", "provider", "price", "currency", "date", "locator")
KINDS_OF_SETS = ("retail", "used", "system", *RENT_KINDS)
STEP = "see data/price-sets/README.md"


class PriceSetError(ValueError):
    """A set of prices that cannot be read; the message names file, row, column, value and the next step."""


class PriceSet(Strict):
    """What a set's YAML must say; `country`, `tax` and `url` hold for rows that name none."""

    id: Text
    title: Text
    publisher: Text
    url: Url
    kind: Literal[KINDS]  # type: ignore[valid-type]
    licence: Text
    read: date
    basis: Literal[BASES]  # type: ignore[valid-type]
    country: str = ""
    tax: float | None = None


def names(folder: Path) -> Iterator[str]:
    """The names of the sets of a folder, which are the `source` of their rows."""
    return (path.stem for path in sorted(folder.glob("*.csv")))


def load(folder: Path) -> Iterator[Price]:
    """Read every set of a folder; PriceSetError for a broken one."""
    for path in sorted(folder.glob("*.csv")):
        yield from load_set(path)


def load_set(path: Path) -> Iterator[Price]:
    """Read one set; PriceSetError names row, column and value."""
    yield from _rows(path, about(path.with_suffix(".yml")))


def about(path: Path) -> PriceSet:
    """Read where a set comes from; PriceSetError names the field and the value that are wrong."""
    where = f"data/price-sets/{path.name}"
    if not path.exists():
        raise PriceSetError(f"{where} is not there; each set needs its YAML, {STEP}")
    return read(path, where, PriceSet, STEP, PriceSetError)


def _rows(path: Path, origin: PriceSet) -> Iterator[Price]:
    where = f"data/price-sets/{path.name}"
    documents.text_of(path, where, PriceSetError)
    try:
        with path.open(encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file, strict=True)
            documents.check_heads(where, reader.fieldnames, COLUMNS, PriceSetError)
            for number, row in enumerate(reader, start=2):
                if None in row or None in row.values():
                    raise PriceSetError(f"{where} row {number}: not {len(COLUMNS)} cells; quote cells that hold commas")
                yield _price(row, origin, f"{where} row {number}", f"{path.name}, row {number}: {row['locator']}")
    except (csv.Error, UnicodeDecodeError) as error:
        raise PriceSetError(f"{where}: {error}; save it as CSV in UTF-8") from None


def _price(row: dict[str, str], origin: PriceSet, where: str, locator: str) -> Price:
    for column in NEEDED:
        if not row[column]:
            raise PriceSetError(f"{where}: column {column!r} is empty; every price needs it, {STEP}")
    if row["kind"] not in KINDS_OF_SETS:
        raise _wrong(where, row, "kind", f"one of {', '.join(KINDS_OF_SETS)}; a launch price goes to data/gpus")
    if row["currency"] not in currencies.load():
        raise _wrong(where, row, "currency", "a currency of data/currencies.yml; correct it, or add its rate there")
    price, gpus, tax = (_number(where, row, column) for column in ("price", "gpus", "tax"))
    if price is None or price <= 0:
        raise _wrong(where, row, "price", "an amount above zero; leave an unknown price out")
    rent = row["kind"] in RENT_KINDS
    if rent and not gpus:
        raise _wrong(where, row, "gpus", "the number of GPUs in the machine that this price rents")
    rate = currencies.load()[row["currency"]]
    return Price(
        gpu=row["gpu"],
        kind=row["kind"],
        provider=row["provider"],
        region=row["country"] or origin.country,
        gpus=gpus,
        usd_per_gpu_hour=round(rate.to_usd(price) / gpus, 6) if rent and gpus else None,
        usd_per_machine_hour=rate.to_usd(price) if rent else None,
        usd_per_unit=None if rent else rate.to_usd(price),
        currency=rate.code,
        date=row["date"],
        source=origin.id,
        flag=row["flag"],
        offer=f"{row['provider']} / {row['product']}",
        includes=row["note"],
        url=row["url"] or origin.url,
        locator=locator,
        retrieved=origin.read.isoformat(),
        licence=origin.licence,
        snapshot="",
        amount=price / gpus if rent and gpus else price,
        country=row["country"] or origin.country,
        tax=origin.tax if tax is None else tax,
        basis=row["basis"] or origin.basis,
        condition=row["condition"],
        product=row["product"],
    )


def _number(where: str, row: dict[str, str], column: str) -> float | None:
    try:
        return number_or_none(row[column])
    except ValueError:
        raise _wrong(where, row, column, "a number as 1299.5") from None


def _wrong(where: str, row: dict[str, str], column: str, needed: str) -> PriceSetError:
    return PriceSetError(f"{where}: column {column!r} holds {row[column]!r}; it must be {needed}")
