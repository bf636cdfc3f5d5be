"""What was seen of a card's price, made comparable: in one market, in its currency, each product or provider once.

`quote` works out the price of now from this, `history` the months; nobody else sorts prices.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from statistics import median, median_low
from typing import TypeVar
from urllib.parse import urlsplit

from pydantic import model_validator

from pipeline.core import currencies
from pipeline.core.documents import Strict, Text, meant, placed, read
from pipeline.core.paths import DATA
from pipeline.core.schema import Price
from pipeline.derive.prices import staleness
from pipeline.derive.prices.rules import (
    BEST_BASIS,
    BUYING,
    ENOUGH,
    MARKETS,
    OBSERVED,
    ON_DEMAND,
    RENTING,
    SPAN_DAYS,
    USUAL_DAYS,
    Kind,
    Market,
)

PROVIDERS = DATA.data / "providers.yml"
ALIKE = 0.85  # names that differ by a slip; two houses may well have names as near as 0.7
# How the name of a machine tells its drive: "ASUS Ascent GX10 4TB", "with 512 GB SSD", "Mac mini M6 16GB 512GB".
DRIVE = re.compile(r"(?<=\dGB )\d+GB\b|\b(\d+(\.\d+)?\s?TB( SSD)?|\d+\s?GB SSD)(?!\w)", re.IGNORECASE)
# What a product's name and the words of its source say of a machine.
MEMORY = re.compile(r"\b(\d+)\s?GB\b", re.IGNORECASE)
SMALLEST = "smallest memory"
# How a source says that it keeps but a few of the listings of a card.
CHEAPEST = re.compile(r"\bone of the \d+ cheapest of \d+ listings\b")
# How a row says that it is what is usual on a marketplace, and not the cheapest offer there.
MIDDLE = re.compile(r"median of (\d+|all verified) offers\b")
# How a row says that its own source has little confidence in it, and why.
UNSURE = re.compile(r"\blow confidence by its source: ([^;]+)")
# How a row says that it is the ask of a single seller, which is no bottom of a market.
LONE_ASK = "the one ask that passed"
# How the name of a set tells its month.
SET_MONTH = re.compile(r"-\d{4}-\d\d$")
Key = TypeVar("Key")
MODULE = "module that needs a carrier board"
REPLACED = re.compile(r"\breplaced on (\d{4}-\d\d-\d\d)\b")


@dataclass(frozen=True, slots=True)
class Seen:
    """One product or provider with its newest price, in the currency of a market."""

    who: str
    amount: float
    price: Price
    days: int = 1  # on how many days it was read of which this is the one that counts
    newest: str = ""  # the last of them, where that is another day
    next: float | None = None  # what the next cheapest shop asks for the same product

    @property
    def day(self) -> str:
        """The last day or month on which it was asked or sold."""
        return self.newest or self.price.date

    @property
    def month(self) -> str:
        """The month in which it stands."""
        return self.price.date[:7]


class ProviderError(ValueError):
    """data/providers.yml cannot be read; the message names line, value and the next step."""


class _Houses(Strict):
    """The file: names of providers, and how the names of community clouds begin."""

    hyperscaler: tuple[Text, ...]
    marketplace: tuple[Text, ...]
    marketplace_marks: tuple[Text, ...]

    @model_validator(mode="after")
    def _once(self) -> _Houses:
        named = Counter((*self.hyperscaler, *self.marketplace))
        if twice := [provider for provider, times in named.items() if times > 1]:
            raise ValueError(f"{twice[0]!r} stands twice; a provider is one kind of house, so take one of the two out")
        return self


@lru_cache(maxsize=2)
def houses(path: Path = PROVIDERS) -> Mapping[str, tuple[str, ...]]:
    """Which providers are hyperscalers and marketplaces, from data/providers.yml."""
    found = read(path, f"data/{path.name}", _Houses, "it lists providers by what kind of house they are", ProviderError)
    return dict(found)


def misspelt(prices: Iterable[Price], path: Path = PROVIDERS) -> list[str]:
    """Names of the list that no price has, while one that is not listed is spelled nearly so, each with its line."""
    seen = {price.provider for price in prices if price.usd_per_gpu_hour}
    listed = {kind: names for kind, names in houses(path).items() if kind != "marketplace_marks"}
    other = sorted(seen - {name for names in listed.values() for name in names})
    found = [
        ((kind, place), f"{kind}: no price is of {name!r}{near}; write the provider as the prices do")
        for kind, names in listed.items()
        for place, name in enumerate(names)
        if name not in seen and (near := meant(name, other, ALIKE))
    ]
    return placed(f"data/{path.name}", path.read_text(encoding="utf-8"), found)


def is_marketplace(price: Price) -> bool:
    """Whether a private host sets the price."""
    known = houses()
    return price.provider in known["marketplace"] or price.includes.startswith(known["marketplace_marks"])


def is_hyperscaler(price: Price) -> bool:
    """Whether the provider sells a whole platform around its GPUs."""
    return price.provider in houses()["hyperscaler"]


def in_market(prices: Iterable[Price], kind: Kind, market: Market) -> list[Price]:
    """The sound observations of a kind that hold in a market: right country, right tax, whole GPUs, with a month."""
    rule = MARKETS[market]
    rows = (price for price in prices if price.kind == OBSERVED[kind] and not price.flag and len(price.date) >= 7)
    if kind in BUYING:
        return [
            price
            for price in _smallest_machine(rows)
            if price.country in rule.countries and _as_asked_there(price, rule.with_tax)
        ]
    whole = [price for price in rows if price.usd_per_gpu_hour and (price.gpus is None or price.gpus >= 1)]
    if kind in ON_DEMAND:
        return [price for price in whole if is_marketplace(price) == (kind == "marketplace")]
    return whole


def _as_asked_there(price: Price, with_tax: bool) -> bool:
    """Whether sales tax is in the price as a buyer there expects; most who sell a used card charge none."""
    if price.tax is None:
        return with_tax and price.kind == "used"
    return (price.tax > 0) == with_tax


def _smallest_machine(prices: Iterable[Price]) -> list[Price]:
    """Of machines sold whole those with the fewest GPUs: a server of eight is no price of a server of four."""
    rows = list(prices)
    least = min((price.gpus or 1 for price in rows), default=1)
    return [price for price in rows if (price.gpus or 1) == least]


def amount(price: Price, market: Market) -> float:
    """The price in the currency of a market: as asked where it was asked in that currency, else converted."""
    currency = MARKETS[market].currency
    if price.currency == currency and price.amount is not None:
        return price.amount
    usd = price.usd_per_unit if price.usd_per_unit is not None else price.usd_per_gpu_hour
    if usd is None:
        raise ValueError(f"{price.source} ({price.locator}): no amount for a unit or a GPU-hour")
    return usd / currencies.load()[currency].usd


def of_now(prices: Iterable[Price], newest: str) -> list[Price]:
    """Those fresh or ageing by the table of ages, on the day `newest`, and not of a machine replaced by then."""
    return [
        price
        for price in prices
        if staleness.state(price.kind, price.date, newest) in staleness.NOW and not "" < replaced_on(price) <= newest
    ]


def each_once(prices: Sequence[Price], kind: Kind, market: Market, wanted: str = "") -> list[Seen]:
    """Each product (to buy) or provider (to rent) once, with the newest it was asked for; cheapest first.

    Of a whole machine one configuration alone: the one `wanted`, where it is among them, else the cheapest.
    """
    if kind == "system":
        return _one_configuration(machines(prices, market), wanted)
    if not prices:
        return []
    found = _providers(near(prices), market) if kind in RENTING else _products(prices, kind, market)
    return sorted(found, key=lambda seen: (seen.amount, seen.who))


def among_cheapest(price: Price) -> bool:
    """Whether its source keeps but the cheapest of the listings that it found: what is usual is not among them."""
    return bool(CHEAPEST.search(price.includes))


def machines(prices: Sequence[Price], market: Market) -> list[Seen]:
    """Whole machines in all their configurations, each product once; cheapest first.

    Each configuration has a newest reading of its own: a list of October that names the smallest machine alone says
    nothing of what a larger one costs.
    """
    found = [seen for alike in _grouped(prices, configuration).values() for seen in _products(alike, "system", market)]
    return sorted(found, key=lambda seen: (seen.amount, seen.who))


def _one_configuration(seen: Sequence[Seen], wanted: str) -> list[Seen]:
    """A median over 36 and 64 GB is a price of no machine; a module counts only where no machine has a price."""
    if not seen:
        return []
    kept = [one for one in seen if configuration(one.price) == wanted]
    first = (kept or sorted(seen, key=lambda one: is_module(one.price)))[0]
    return [one for one in seen if configuration(one.price) == configuration(first.price)]


def configuration(price: Price) -> str:
    """Which of its configurations the price of a machine buys; "" where all have the memory of the chip."""
    if is_module(price):
        return MODULE
    if memory := memory_bought(price):
        return f"{memory:g} GB machine"
    # A source that states no memory says of which product this is the smallest: no two products are one machine.
    return f"{DRIVE.sub('', price.product)}, {SMALLEST}" if price.includes.startswith(SMALLEST) else ""


def memory_bought(price: Price) -> float | None:
    """How much memory the name of a machine tells in GB; None where it tells none."""
    named = MEMORY.search(DRIVE.sub("", price.product))
    return float(named[1]) if named else None


def is_module(price: Price) -> bool:
    """Whether the price buys a module, which does not start without a board that the buyer has to add."""
    return MODULE in price.includes


def replaced_on(price: Price) -> str:
    """The day on which its maker put another machine in its place; "" where the source names none."""
    return _named(REPLACED, price.includes)


@lru_cache(maxsize=4096)  # a few notes, each on many prices
def _named(pattern: re.Pattern[str], includes: str) -> str:
    """What the first group of a pattern finds in the note of a price; "" where it finds nothing."""
    found = pattern.search(includes)
    return found[1] if found else ""


def of_clouds(prices: Sequence[Price], kind: Kind) -> list[Price]:
    """Without what hyperscalers ask within a year of a cloud's offer of the same card: they sell a platform around it.

    A month in which only their price lists were read says nothing of what a card costs that clouds let too: without
    this, the H200 would have fallen from 8.39 to 4.00 dollars when a second list was read. To rent as spot, the lowest
    bid on a marketplace stands apart too: its mean with a cloud's spot price (H100 0.40 and 1.63) is asked by nobody.
    """
    if kind not in RENTING:
        return list(prices)
    others = _unless_others(prices, is_hyperscaler)
    return _unless_others(others, is_marketplace) if kind == "spot" else others


def _unless_others(prices: Sequence[Price], apart: Callable[[Price], bool]) -> list[Price]:
    """Without what houses of one sort ask within a year of an offer of any other house."""
    days = [price.date for price in prices if not apart(price)]
    return [
        price
        for price in prices
        if not apart(price)
        or all(abs(staleness.age_days(price.date, f"{day}-01"[:10])) > staleness.ANSWER_DAYS for day in days)
    ]


def of_hyperscalers(prices: Sequence[Price], market: Market) -> list[Seen]:
    """What hyperscalers ask for an hour of a card, each once, cheapest first."""
    found = _providers([price for price in prices if is_hyperscaler(price)], market)
    return sorted(found, key=lambda seen: (seen.amount, seen.who))


def _providers(prices: Sequence[Price], market: Market) -> list[Seen]:
    """Of each provider the cheapest offer of the newest day on which any source saw it; of a marketplace the usual."""
    found = []
    for who, of_house in _grouped(prices, lambda price: price.provider).items():
        rows = _typical(of_house)
        newest = max(row.date for row in rows)
        days = [_cheapest(who, of_day, market) for of_day in _grouped(rows, lambda price: price.date).values()]
        last = next(one for one in days if one.price.date == newest)
        lately = [one for one in days if staleness.age_days(one.price.date, f"{newest}-01"[:10]) <= USUAL_DAYS]
        found.append(_usual(lately) if is_marketplace(last.price) and len(lately) >= ENOUGH else last)
    return found


def _typical(prices: Sequence[Price]) -> Sequence[Price]:
    """Of a marketplace the medians over its offers, where a source states one of the newest weeks: no lone cheapest."""
    newest = max(row.date for row in prices)
    middle = [row for row in prices if is_marketplace(row) and MIDDLE.match(row.includes)]
    lately = any(staleness.age_days(row.date, f"{newest}-01"[:10]) <= USUAL_DAYS for row in middle)
    return middle if lately else prices


def _usual(days: Sequence[Seen]) -> Seen:
    """The median over days of what was the cheapest offer: one hour's reading decides nothing.

    Of an even number of days the lower of the two in the middle, so that it is an offer that somebody made.
    """
    middle = median_low(one.amount for one in days)
    last = max((one for one in days if one.amount == middle), key=lambda one: one.price.date)
    return replace(last, days=len(days), newest=max(one.price.date for one in days))


def _products(prices: Sequence[Price], kind: Kind, market: Market) -> list[Seen]:
    """Of each product the cheapest of the shops' newest prices, in one country; nothing far older than the newest.

    An index over many listings (no product named) stands for itself once.
    """
    # A lowest ask of this month says more than what a card was sold or asked for in another.
    best = _best_of_used if kind == "used" else _not_overtaken
    chosen = _of_one_country(best(near(prices), market), kind, market)
    found = []
    # "RTX 3090, any board" at two trackers are two readings of the market.
    whose = _tracker if kind == "used" else _anybody
    for (who, _), listed in _grouped(chosen, lambda price: (_product(price, kind), whose(price))).items():
        # Whoever read it last says what a shop asks for a product; a machine with another drive is another offer.
        shops = _grouped(listed, lambda price: f"{price.provider} / {price.product or price.source}")
        last = [max(of_shop, key=lambda row: (row.date, -amount(row, market))) for of_shop in shops.values()]
        dearer = sorted(amount(row, market) for row in last)[1:2]
        found.append(replace(_cheapest(who, last, market), next=dearer[0] if dearer else None))
    # Of several lowest asks the lowest: their mean is asked by nobody, and is not where prices begin.
    floors = [one for one in found if kind == "used" and one.price.basis == "floor"]
    return [one for one in found if one not in floors] + sorted(floors, key=lambda one: one.amount)[:1]


def near(prices: Sequence[Price]) -> list[Price]:
    """Those read within SPAN_DAYS of the newest: what is older says nothing of what it costs now.

    A reading of which only the month is known may be of any day of it: the farthest counts. What a used card sold for
    in a month, and an index over its listings, are of all its days: they stand in its middle.
    """
    newest = max(last_day(row.date) for row in prices)
    return [row for row in prices if staleness.age_days(_stands_on(row), newest) <= SPAN_DAYS]


def _stands_on(price: Price) -> str:
    over_the_month = price.kind == "used" and (price.basis == "sold" or not price.product)
    return f"{price.date}-15" if over_the_month and len(price.date) == len("2026-11") else price.date


@lru_cache(maxsize=4096)
def last_day(date: str) -> str:
    """The last day that a day or month may be."""
    return date if len(date) > len("2026-11") else f"{date}-{monthrange(int(date[:4]), int(date[5:7]))[1]:02}"


def _of_best_basis(prices: Sequence[Price]) -> Sequence[Price]:
    """What buyers paid; where nobody says, what sellers ask; where only that is known, the lowest that is asked.

    A figure in which its own source has little confidence comes last, whatever it rests on.
    """
    sure = [row for row in prices if not doubted_by_source(row)] or prices
    return next(filter(None, ([row for row in sure if row.basis == basis] for basis in BEST_BASIS)), sure)


def _best_of_used(prices: Sequence[Price], market: Market) -> Sequence[Price]:
    """Of a used card what was paid; where nobody says, what is asked, the lowest asks among it.

    A buyer pays less than the median of what sellers ask and no less than the lowest of it: both count. A figure in
    which its own source has little confidence comes last, whatever it rests on.
    """
    gone = outbid(prices, market)
    sure = [row for row in prices if row not in gone and not doubted_by_source(row)] or list(prices)
    older = [row for row in sure if row.basis != "floor" and amount(row, market) < _floor_after(row, sure, market)]
    # The cheapest that one tracker keeps is no bottom of the market where two others agree below it: of the RTX 3060
    # one kept nothing under 340 dollars in October 2026, while it had sold for 295 and an index stood at 300. Where
    # what is usual there is known too (370 dollars over 62 sellers), the two asks decide: `outbid`.
    left = [row for row in sure if row not in older or len(set(map(_tracker, older))) > 1]
    return [row for row in left if row.basis == "sold"] or _asked(left)


def outbid(prices: Sequence[Price], market: Market) -> list[Price]:
    """What a used card cost before months in which all that was read, at least two asks of it, lay above that."""
    found = []
    for row in prices:
        since = [one for one in prices if one.date[:7] > row.date[:7] and one.country == row.country]
        sure = [one for one in since if LONE_ASK not in one.includes and not doubted_by_source(one)]
        asks = [one for one in sure if one.basis != "sold"]
        if len(asks) > 1 and min(amount(one, market) for one in sure) > amount(row, market):
            found.append(row)
    return found


def _asked(prices: Sequence[Price]) -> Sequence[Price]:
    """What sellers ask, each tracker by what is usual there; one listing alone only where nobody saw more."""
    usual = {_tracker(row) for row in prices if row.basis != "floor"}
    asked = [row for row in prices if row.basis != "floor" or _tracker(row) not in usual]
    return [row for row in asked if LONE_ASK not in row.includes] or asked


def _tracker(price: Price) -> str:
    """Who read a price, in whatever month: "videos github.com" of "videos-2026-10"."""
    return f"{SET_MONTH.sub('', price.source)} {urlsplit(price.url).netloc}"


def _anybody(_: Price) -> str:
    return ""


def _not_overtaken(prices: Sequence[Price], market: Market) -> Sequence[Price]:
    """Those on the best basis, without what was read before the newest lowest ask where that is above them.

    A new RX 9060 XT 16 GB was asked at 499.99 and 519.99 dollars on 17 September 2026; on 2 October the cheapest board
    stood at 519. What was asked before says then what a card has cost, and not what it costs.
    """
    left = list(prices)
    while True:
        chosen = _of_best_basis(left)
        older = [row for row in chosen if _floor_after(row, left, market)]
        usual = median(amount(row, market) for row in chosen)
        if not any(usual < _floor_after(row, left, market) for row in older):
            return chosen
        left = [row for row in left if row not in older]


def _floor_after(price: Price, prices: Sequence[Price], market: Market) -> float:
    """The newest lowest ask in its country, where it was read after a price that rests on more than that; else 0."""
    floors = [one for one in prices if (one.basis, one.country) == ("floor", price.country)]
    known = [one for one in floors if LONE_ASK not in one.includes and not doubted_by_source(one)]
    newest = max((one.date for one in known), default="")
    if price.basis == "floor" or f"{newest}-01"[:10] <= last_day(price.date):
        return 0.0
    return min(amount(one, market) for one in known if one.date == newest)


def doubted_by_source(price: Price) -> str:
    """Why its own source has little confidence in a price; "" where it does not say so."""
    return _named(UNSURE, price.includes)


def _of_one_country(prices: Sequence[Price], kind: Kind, market: Market) -> Sequence[Price]:
    """Prices of one country only, as each holds its own tax: that of most products; of two, the cheaper."""

    def known(rows: Sequence[Price]) -> tuple[int, float, str, str]:
        products = len({_product(row, kind) for row in rows})
        least = min(amount(row, market) for row in rows)
        return products, -least, max(row.date[:7] for row in rows), rows[0].country

    return max(_grouped(prices, lambda price: price.country).values(), key=known)


def _product(price: Price, kind: Kind) -> str:
    if price.product:
        # A machine with a larger drive is the same machine: of its drives the cheapest counts.
        named = DRIVE.sub("", price.product) if kind == "system" else price.product
        return " ".join(named.casefold().split())
    # A month's index of second-hand prices is one series, whatever marketplaces it covers that month.
    return price.source if kind == "used" else f"{price.source} {price.provider}"


def _cheapest(who: str, rows: Sequence[Price], market: Market) -> Seen:
    least = min(amount(row, market) for row in rows)
    # Of shops that ask the same, the one that was read last says how old the price is.
    newest = max(row.date for row in rows if amount(row, market) == least)
    same = [row for row in rows if (amount(row, market), row.date) == (least, newest)]
    first = min(same, key=lambda row: (row.offer, row.locator))
    return Seen(who, least, first)


def _grouped(prices: Iterable[Price], key: Callable[[Price], Key]) -> dict[Key, list[Price]]:
    groups: dict[Key, list[Price]] = defaultdict(list)
    for price in prices:
        groups[key(price)].append(price)
    return groups
