"""How numbers, dates, prices and names are written, on every page and in every computed sentence."""

from __future__ import annotations

import math
import re
from functools import lru_cache

MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
          "November", "December")  # fmt: skip
SIGNIFICANT = 3
# The theme prints titles and descriptions without escaping them; these characters cannot break out of a tag.
PLAIN = str.maketrans({"<": "‹", ">": "›", '"': "”", "&": "＆", "\n": " ", "\r": " "})
UNKNOWN = "–"


def plain(text: str) -> str:
    """Text for places that the theme does not escape."""
    return " ".join(text.translate(PLAIN).split())


def number(value: float | str | None, significant: int = SIGNIFICANT) -> str:
    """Three significant digits, every digit before the point, thousands apart, no trailing zeros."""
    if value is None or value == "":
        return UNKNOWN
    amount = float(value)
    if amount == 0:
        return "0"
    decimals = max(0, significant - 1 - math.floor(math.log10(abs(amount))))
    written = f"{amount:,.{decimals}f}"
    return written.rstrip("0").rstrip(".") if "." in written else written


def exact(value: str) -> str:
    """A value with all digits of its source, thousands apart; other text as it is."""
    if re.fullmatch(r"-?\d{5,}(\.\d+)?", value) or re.fullmatch(r"-?\d{4}\.\d+", value):
        whole, _, rest = value.partition(".")
        return f"{int(whole):,}" + (f".{rest}" if rest else "")
    return value


def quantity(value: float | str | None, unit: str) -> str:
    """A number with its unit behind a space that does not break."""
    return f"{number(value)}\u00a0{nice_unit(unit)}" if value not in (None, "") and unit else number(value)


def nice_unit(unit: str) -> str:
    """A unit as people print it."""
    return {"mm2": "mm²", "million": "million"}.get(unit, unit)


def percent(share: float, digits: int = 0, sign: str = "-") -> str:
    """A share as "82 %", or with the `sign` + as "+82 %"; of a whole number of percent no empty decimal is shown."""
    written = f"{100 * share:{sign}.{digits}f}"
    return f"{written.removesuffix('.0')}\u00a0%"


def between(low: str, high: str) -> str:
    """Two ends of a range in words; one where both read the same."""
    return low if low == high else f"{low} to {high}"


def dollars(value: float | str | None) -> str:
    """A price: cents below 100 dollars, whole dollars above."""
    return UNKNOWN if value is None or value == "" else f"${amount(float(value))}"


SIGNS = {"USD": "$", "EUR": "€", "GBP": "£"}


def money(value: float | None, currency: str = "USD") -> str:
    """A price in its currency: cents below 100, whole units above."""
    return UNKNOWN if value is None else f"{SIGNS[currency]}{amount(value)}"


def amount(value: float) -> str:
    """A price without its currency: cents below 100, whole units above."""
    # A half goes up, as in the computed sentences.
    return f"{value:,.2f}" if value < 100 else f"{math.floor(value + 0.5):,.0f}"


@lru_cache(maxsize=4096)  # a page of a card writes a hundred dates, all of them among a few hundred
def day(text: str) -> str:
    """A date as people write it: 12 October 2022, October 2022 or 2022."""
    parts = text.split("-")
    if len(parts) < 2:
        return text or UNKNOWN
    return " ".join((*(str(int(p)) for p in parts[2:3]), MONTHS[int(parts[1]) - 1], parts[0]))


def ratio(value: float | None) -> str:
    """How many times as much, with two digits: 1.8×."""
    return UNKNOWN if value is None else f"{number(value, 2)}×"


def count(amount: int, one: str, many: str = "") -> str:
    """A count with its noun: 1 source, 2 sources."""
    return f"{amount:,} {one if amount == 1 else many or one + 's'}"


def words(text: str) -> str:
    """A name of the dataset as words: on_demand → on demand."""
    return text.replace("_", " ")


def web_address(text: str) -> str:
    """An address that may stand in a link; anything but http(s) leads nowhere."""
    return text if text.startswith(("https://", "http://")) else "#"


def cell(text: str) -> str:
    """Text that cannot break out of a cell of a Markdown table or run as markup there."""
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;").replace("`", "'")


def slug(text: str) -> str:
    """A name as part of an address: lower-case letters, digits and hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def short(name: str) -> str:
    """A card's name without its maker and, where a number is left to tell it by, its line: "RTX 4090", "Radeon VII"."""
    for word in ("NVIDIA ", "AMD ", "Intel ", "Google ", "Amazon "):
        name = name.removeprefix(word)
    for line in ("GeForce ", "Radeon ", "Instinct "):
        rest = name.removeprefix(line)
        name = rest if re.search(r"\d", rest) else name
    return name


SPELLED_SMALL = ("llama.cpp", "vLLM")  # names of programs that keep their small letter


def capital(text: str) -> str:
    """A text as a sentence begins."""
    return text if text.startswith(SPELLED_SMALL) else text[:1].upper() + text[1:]


def small(text: str) -> str:
    """A title within a sentence."""
    return text[:1].lower() + text[1:]


FILTERS = {
    f.__name__: f
    for f in (
        *(number, exact, quantity, nice_unit, dollars, money, day, ratio, count, words, web_address, slug, plain),
        *(short, cell, between, percent, capital, small),
    )
}
