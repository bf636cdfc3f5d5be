"""Prices that people read or contribute: `data/price-sets/<set>.csv` with the rows, `<set>.yml` with their origin.

Use it for what no source module reads: a shop's page, a maker's price list, a report. The format stands in
data/price-sets/README.md. A broken cell stops the build with file, row, column, value and the next step; what the other
cells say is held to the same rules as the prices of a source (pipeline/record/validate/observations.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator

from pipeline.core import currencies, documents
from pipeline.core.documents import UNREAD_URL, ReadDay, SetLicence, Strict, Text, Url, wrong_place
from pipeline.core.measured.cells import number_or_none
from pipeline.core.schema import BASES, KINDS, RENT_KINDS, Price
from pipeline.intake.hand_sets import Form

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
# What stands for a cell that cannot be read, so that the rules still look at the others; the build stops all the same.
STAND_IN = {"kind": "retail", "product": "?", "provider": "?", "price": "1", "currency": "USD", "gpus": "1"}
NOT_READ = "not read"


COUNTRY = re.compile(r"[A-Z]{2}")
MOST_TAX = 30  # per cent; the highest sales tax of the European Union is Hungary's 27
LONGEST = 200  # letters of a product or a provider; more is a description
# What people write into an empty column: none of it says why a row must not count.
NO_REASON = ("none", "no", "ok", "-", "--", "n/a", "na", "nil", "null", "false", "0")


class PriceSetError(ValueError):
    """A set of prices that cannot be read; the message names file, row, column, value and the next step."""


def wrong_country(text: str) -> str:
    """What is wrong with a country, "" where nothing is."""
    if text == "UK":
        return "is no code of a country; write GB for the United Kingdom"
    return (
        "" if not text or COUNTRY.fullmatch(text) else "is no country in two capital letters, as US or GR; correct it"
    )


def wrong_tax(per_cent: float | None) -> str:
    """What is wrong with a sales tax, "" where nothing is."""
    if per_cent is None or per_cent == 0 or 1 <= per_cent <= MOST_TAX:
        return ""
    if 0 < per_cent < 1:
        return f"is a share, and no sales tax in per cent; write {per_cent * 100:g} for {per_cent * 100:g} %"
    return f"is no sales tax in per cent, 0 to {MOST_TAX}; leave out what is not known"


def _country(text: str) -> str:
    if wrong := wrong_country(text):
        raise ValueError(wrong)
    return text


def _tax(per_cent: float | None) -> float | None:
    if wrong := wrong_tax(per_cent):
        raise ValueError(wrong)
    return per_cent


class PriceSet(Strict):
    """What a set's YAML must say; `country`, `tax` and `url` hold for rows that name none."""

    id: Text
    title: Text
    publisher: Text
    url: Url
    kind: Literal[KINDS]  # type: ignore[valid-type]
    licence: SetLicence
    read: ReadDay
    basis: Literal[BASES]  # type: ignore[valid-type]
    country: Annotated[str, AfterValidator(_country)] = ""
    tax: Annotated[float | None, AfterValidator(_tax)] = None


def names(folder: Path) -> Iterator[str]:
    """The names of the sets of a folder, which are the `source` of their rows."""
    return (path.stem for path in sorted(folder.glob("*.csv")))


def sound(path: Path) -> tuple[list[Price], list[str]]:
    """The prices of one set, and everything that is wrong with its two files, by row, column and value."""
    where = f"data/price-sets/{path.name}"
    origin, rows, problems = FORM.read(path, UNREAD)
    problems += (f"{where}:{line}: {message}" for line, message in _twice(rows))
    prices = []
    for line, cells in rows:
        wrong = dict(_wrong(cells))
        problems += [f"{where}:{line}: {message}" for message in wrong.values()]
        if cells["gpu"]:
            readable = {**cells, **{column: STAND_IN.get(column, "") for column in wrong}}
            flag = NOT_READ if wrong or origin is UNREAD else cells["flag"]
            prices.append(_price(readable, origin, path, line, flag))
    return prices, problems


def about(path: Path) -> PriceSet:
    """Read where a set comes from; PriceSetError names the field and the value that are wrong."""
    return FORM.origin(path)


FORM = Form("price-sets", PriceSet, "id", COLUMNS, STEP, PriceSetError)
UNREAD = PriceSet(
    id="unread",
    title="?",
    publisher="?",
    url=UNREAD_URL,
    kind="community",
    licence="?",
    read=documents.FIRST_READING,
    basis="asked",
)


def _wrong(row: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The columns of a row whose cells cannot be read, each with what to do."""
    needed = {column: row[column] for column in NEEDED}
    if row["kind"] in RENT_KINDS:
        needed["gpus"] = row["gpus"]
    for column, cell in needed.items():
        if not cell:
            who = f"every price of kind {row['kind']!r}" if column == "gpus" else "every price"
            yield column, f"column {column!r} is empty; {who} needs it, {STEP}"
    yield from _wrong_words(row)
    yield from _wrong_texts(row)
    yield from _wrong_numbers(row)


def _wrong_words(row: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    listed = {
        "kind": (KINDS_OF_SETS, f"one of {', '.join(KINDS_OF_SETS)}; a launch price goes to data/gpus"),
        "currency": (currencies.load(), "a currency of data/currencies.yml; correct it, or add its rate there"),
    }
    for column, (words, told) in listed.items():
        if row[column] and row[column] not in words:
            yield column, _must_be(row, column, told + documents.meant(row[column], list(words)))


def _wrong_texts(row: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    if row["flag"].casefold().strip("' .") in NO_REASON:
        step = "it says why a price must not count; leave it empty where the price counts"
        yield "flag", f"column 'flag' holds {row['flag']!r}, which is no reason: {step}"
    if wrong := wrong_place(row["locator"]) if row["locator"] else "":
        yield "locator", f"column 'locator' {wrong}"
    for column in ("product", "provider"):
        if len(row[column]) > LONGEST:
            told = f"has {len(row[column])} letters, and at most {LONGEST} may stand; keep the name, the rest is a note"
            yield column, f"column {column!r} holds {row[column][:40] + ' …'!r}: it {told}"


def _twice(rows: Sequence[tuple[int, Mapping[str, str]]]) -> Iterator[tuple[int, str]]:
    """The lines that state a price again, each with what to do; place on the page and notes may differ."""
    first: dict[tuple[str, ...], int] = {}
    for line, row in rows:
        before = first.setdefault(tuple(row[column] for column in COLUMNS if column not in BESIDE), line)
        if before != line:
            step = "take one out, or write in 'product' what tells the two apart"
            yield (
                line,
                f"column 'price' holds {row['price']!r}: the same price of {row['gpu']} as in row {before}; {step}",
            )


BESIDE = ("url", "locator", "note", "flag")


def _wrong_numbers(row: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for column, told in NUMBERS.items():
        try:
            amount = number_or_none(row[column])
        except ValueError:
            yield column, _must_be(row, column, f"{told}: digits with a point, as 1299.5")
            continue
        if amount is not None and amount <= 0 and column != "tax":
            yield column, _must_be(row, column, f"{told} above zero; leave out what is not known")


NUMBERS = {"price": "an amount", "tax": "per cent of sales tax", "gpus": "a number of GPUs"}


def _must_be(row: Mapping[str, str], column: str, needed: str) -> str:
    return f"column {column!r} holds {row[column]!r}; it must be {needed}"


def _price(row: Mapping[str, str], origin: PriceSet, path: Path, line: int, flag: str) -> Price:
    price, gpus, tax = (number_or_none(row[column]) for column in ("price", "gpus", "tax"))
    rent = row["kind"] in RENT_KINDS
    rate = currencies.load()[row["currency"]]
    amount = price or 0.0
    day = row["date"] or origin.read.isoformat()
    return Price(
        gpu=row["gpu"],
        kind=row["kind"],
        provider=row["provider"],
        region=row["country"] or origin.country,
        gpus=gpus,
        usd_per_gpu_hour=round(rate.to_usd(amount) / gpus, 6) if rent and gpus else None,
        usd_per_machine_hour=rate.to_usd(amount) if rent else None,
        usd_per_unit=None if rent else rate.to_usd(amount),
        currency=rate.code,
        date=day,
        source=path.stem,
        flag=flag,
        offer=f"{row['provider']} / {row['product']}",
        includes=row["note"],
        url=row["url"] or origin.url,
        locator=f"{path.name}, row {line}: {row['locator']}",
        retrieved=day if origin is UNREAD else origin.read.isoformat(),
        licence=origin.licence,
        snapshot="",
        amount=amount / gpus if rent and gpus else amount,
        country=row["country"] or origin.country,
        tax=origin.tax if tax is None else tax,
        basis=row["basis"] or origin.basis,
        condition=row["condition"],
        product=row["product"],
    )
