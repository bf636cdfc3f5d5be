"""Prices for an answer: what a GPU costs to buy and to rent in a reader's market, and whether the price may be ranked.

This is the chooser's only door to prices. Every figure comes from `pipeline.derive.prices.quote`; what is added here is
which of its quotes an answer takes, from how many sellers it comes, and which configuration of a machine it buys.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from pipeline.advise.choose import hosts
from pipeline.advise.choose.resale import FirstDrop
from pipeline.core import currencies
from pipeline.core.schema import Price
from pipeline.core.wording import day
from pipeline.dataset import GpuRecord
from pipeline.derive.prices import quote as prices
from pipeline.derive.prices import staleness
from pipeline.derive.prices.observe import Seen, in_market, of_now
from pipeline.derive.prices.quote import Book
from pipeline.derive.prices.rules import (
    BASIS_WORDS,
    BUYING,
    DEFAULT_MARKET,
    MARKETS,
    ON_DEMAND,
    TOLD_APART,
    Kind,
    Market,
)
from pipeline.derive.prices.tax import SalesTax

Way = Literal["buy", "rent"]
# Every price of an answer comes from the first of these lines that applies.
PRICE_RULES: Mapping[str, str] = {
    "own": "the price that you typed",
    "street": "what it costs in your market by the definitions of the method page; of the kinds that you allow the "
    "cheaper one",
    "rent": "what the cheapest house by name asks: of clouds and marketplaces for work that can be repeated, of clouds "
    "alone for a service; what the cheapest host of a marketplace asks only where no house asks everybody the same. A "
    "machine of eight GPUs is no offer for who wants one; where spot machines will do, so do cheaper ones on demand",
    "old": "last seen too long ago, of a machine that its maker has replaced, of old stock, or doubted twice: shown, "
    "never ranked; type the current price",
    "launch": "launch price only: shown, never ranked; type the current price",
}
# Several GPUs are rented only where a machine with as many was seen; modules come eight to a machine.
MODULE_WORDS, MODULES_A_MACHINE = ("SXM", "OAM"), 8
# What the chooser and its answers call the kinds of a quote.
OBSERVED_AS: Mapping[Kind, str] = {
    "new": "retail",
    "used": "used",
    "system": "system",
    "rent": "on_demand",
    "marketplace": "marketplace",
    "spot": "spot",
}
KIND_WORDS: Mapping[str, str] = {
    "retail": "new",
    "used": "used",
    "system": "whole machine",
    "module": "module that needs a carrier board",
    "marketplace": "on a marketplace",
    "own": "your price",
    "launch": "launch price",
    "on_demand": "on demand",
    "spot": "spot",
}
# How a reader may rent → the kinds of a quote that serve; no source states a price for a reservation. Who can do with
# a machine that is taken away can do with one that is not.
RENTED: Mapping[str, tuple[Kind, ...]] = {
    "on_demand": ON_DEMAND,
    "cloud": ("rent",),
    "spot": (*ON_DEMAND, "spot"),
    "reserved": (),
}
LISTED = 3  # so many asked prices stand for what a used card sells for
NEW = ("retail", "system", "module")  # what nobody owned before
AGED_DAYS = 90  # an answer that rests on an older price says so
COUNTED_DAYS = 183  # prices of half a year tell whether a card can be bought from more than one seller


@dataclass(frozen=True, slots=True)
class RankedQuote:
    """One price: USD for a GPU or for a GPU-hour, what it rests on, and whether it may be ranked."""

    usd: float
    kind: str
    date: str
    who: str
    firm: bool
    note: str
    lowest_usd: float | None = None  # as it is listed
    count: int = 0  # products or providers on which it rests
    alone: str = ""  # where that is one: "one provider", "one source", "one listing"
    most_gpus: int | None = None  # to rent: in one machine
    least_gpus: int = 1  # to rent: CoreWeave lets an L40 as a machine of eight and not by the card
    past_gpus: int = 0  # to rent: in the largest machine of an offer that is too old to count, where that is larger
    past_seen: str = ""  # the month of the newest such offer
    url: str = ""  # of one observation; "" for a median, a launch price and the reader's own
    sellers: int = 0  # that asked a price of this kind within half a year; to rent, of either kind of house
    listings: int = 0
    doubt: str = ""  # why it decides nothing alone
    aged: str = ""  # that it is old for a price of now, and since when
    basis: str = ""  # sold, asked or floor, the lowest asked
    first_share: float = 1.0  # what a new card sells for as soon as it is used, as a share of this price
    dearer: float = 1.0  # of two readings far apart, whose mean this is, the dearer one, as a share of it
    listed: float | None = None  # where sales tax was added: what it is listed at without

    @property
    def words(self) -> str:
        """How a reader sees where the price comes from."""
        if self.kind == "own":
            return "your price"
        lowest = f"{BASIS_WORDS[self.basis]}, " if self.basis == "floor" else ""
        aged = f", over {AGED_DAYS} days old" if self.aged else ""
        return f"{KIND_WORDS[self.kind]}, {lowest}{self.who}, {self.date}{aged}"


def to_buy(book: Book, gpu: GpuRecord, used: str, market: Market = "us") -> RankedQuote | None:
    """The price to buy one of this GPU, or the machine that cannot be had without it; None where nothing is known."""
    allowed = [kind for kind in BUYING if used == "allowed" or (used == "only") == (kind == "used")]
    machine = hosts.machines().get(gpu.id)
    if machine is not None:
        return _configured(book.quote(gpu.id, "system", market), machine, book.newest) if "system" in allowed else None
    found = [book.quote(gpu.id, kind, market) for kind in allowed]
    now = [quote for quote in found if quote.value is not None]
    if now:
        # An old price gives way to a current one: nobody can be sent to buy at what was asked months ago.
        best = min(now, key=lambda q: (not q.firm, bool(_aged(q.day, book.newest)), _each(q), q.kind))
        sellers, listings = _sellers(gpu, book.newest, best.kind, market)
        ranked = _ranked(best, book.newest)
        return replace(ranked, sellers=sellers, listings=listings)
    past = [quote.last for quote in found if quote.last is not None]
    if past:
        newest = _ranked(max(past, key=lambda quote: (quote.day, quote.kind)), book.newest)
        return replace(newest, firm=False, note=PRICE_RULES["old"])
    launch = gpu.launch_price_usd
    if launch is None or used == "only":
        return None
    when = gpu.launch_date or "date not known"
    return RankedQuote(launch, "launch", when, "the maker", False, PRICE_RULES["launch"])


def to_rent(book: Book, gpu: GpuRecord, how: str = "on_demand") -> tuple[RankedQuote, ...]:
    """What a GPU-hour costs as it may be rented: in the smallest machine that is let, and in each larger, cheaper one.

    Nothing where no offer is young enough to count.
    """
    rows = [row for kind in RENTED[how] for row in in_market(book.prices[gpu.id], kind, DEFAULT_MARKET)]
    sizes = sorted({_gpus(row) for row in of_now(rows, book.newest)})
    seen = [_gpus(one.price) for kind in RENTED[how] for one in book.quote(gpu.id, kind).seen]
    most = MODULES_A_MACHINE if on_a_board(gpu) else max(seen, default=1)
    larger = [row for row in _on_demand(book, gpu) if _gpus(row) > most]
    past = max(map(_gpus, larger), default=0)
    last = day(max(row.date for row in larger)[:7]) if larger else ""
    found: list[RankedQuote] = []
    for size in sizes:
        offer = _offer(book, gpu, how, None if size == sizes[-1] else size)
        if offer is not None and (not found or offer.usd < found[-1].usd):
            sized = replace(offer, least_gpus=size, most_gpus=max(most, size))
            found.append(replace(sized, past_gpus=past, past_seen=last))
    return tuple(found)


def _on_demand(book: Book, gpu: GpuRecord) -> Iterator[Price]:
    """What houses of either kind ever asked for a GPU."""
    return (row for kind in ON_DEMAND for row in in_market(book.prices[gpu.id], kind, DEFAULT_MARKET))


def for_count(offers: Sequence[RankedQuote], count: int) -> RankedQuote | None:
    """Of what `to_rent` found the offer for so many GPUs; where none is let in so small a machine, the smallest."""
    small = [offer for offer in offers if offer.least_gpus <= count]
    return small[-1] if small else offers[0] if offers else None


def _offer(book: Book, gpu: GpuRecord, how: str, most: int | None) -> RankedQuote | None:
    """The cheapest offer of machines with at most so many GPUs, of any where it is None, by the name of its house.

    Nobody asks a median: a reader takes one offer, and a card must not lose to another because it was looked up at
    the dearer kind of house. Everyone who lets the card in a way that serves counts as a seller.
    """
    found = [quote for kind in RENTED[how] if (quote := book.quote(gpu.id, kind, most=most)).value is not None]
    offers = [(quote, seen) for quote in found for seen in _to_everybody(quote)]
    if not offers:
        return None
    quote, seen = min(offers, key=lambda one: (bool(one[0].doubts), _is_aged(one[1], book), one[1].amount))
    houses = {one.price.provider for quote in found for one in quote.seen}
    who = f"{seen.price.provider}, one of {len(houses)} providers" if len(houses) > 1 else f"one provider: {seen.who}"
    return RankedQuote(
        seen.amount,
        OBSERVED_AS[quote.kind],
        seen.day,
        who,
        True,
        PRICE_RULES["rent"],
        lowest_usd=min(one.low or one.value or 0.0 for one in found),
        count=1,
        alone="one provider",
        url=seen.price.url,
        sellers=len(houses),
        listings=sum(quote.count for quote in found),
        doubt="; ".join(quote.doubts),
        aged=_aged(seen.day, book.newest, quote.later),
        basis=seen.price.basis,
    )


def _to_everybody(quote: prices.Quote) -> Sequence[Seen]:
    """The offers that anybody may take; the cheapest host of a marketplace only where there is no other."""
    return [seen for seen in quote.seen if seen.price.basis != "floor"] or quote.seen


def _is_aged(seen: Seen, book: Book) -> bool:
    return bool(_aged(seen.day, book.newest))


def _gpus(price: Price) -> int:
    return int(price.gpus or 1)


def let(quote: prices.Quote, gpu: GpuRecord, newest: str) -> RankedQuote:
    """A price to rent as an answer needs it, with the fewest and the most GPUs that one machine was seen to hold."""
    most = MODULES_A_MACHINE if on_a_board(gpu) else max(_gpus(seen.price) for seen in quote.seen)
    least = min(_gpus(seen.price) for seen in quote.seen)
    ranked = _ranked(quote, newest)
    return replace(ranked, lowest_usd=quote.low, most_gpus=most, least_gpus=least)


def on_a_board(gpu: GpuRecord) -> bool:
    """Whether it is a module that only the board of a server takes."""
    return any(word in gpu.form_factor for word in MODULE_WORDS)


def own(usd: float, known: RankedQuote | None) -> RankedQuote:
    """A price that the reader typed in place of the known one; it loses as much as that when it is new."""
    typed = RankedQuote(usd, "own", "", "you", True, PRICE_RULES["own"])
    if known is None:
        return typed
    sized = replace(typed, most_gpus=known.most_gpus, past_gpus=known.past_gpus, past_seen=known.past_seen)
    return replace(sized, first_share=known.first_share)


def with_tax(quote: RankedQuote, rate: SalesTax) -> RankedQuote:
    """What a private buyer pays where sales tax is not in the price, to be ranked with prices that hold theirs."""
    return replace(quote, usd=rate.added(quote.usd), listed=quote.usd) if rate.percent else quote


def with_first_drop(
    buys: Mapping[str, Mapping[str, RankedQuote]], drop: FirstDrop, ages: Mapping[str, float | None]
) -> dict[str, dict[str, RankedQuote]]:
    """The prices of a market with what each new card sells for as a used one: at its own used price, else by age.

    Its own used price counts where cards were sold at it or several were asked; a single asked price sells nothing.
    """

    def lost(gpu: str, quote: RankedQuote) -> RankedQuote:
        if quote.kind not in NEW:
            return quote
        used = buys["only"].get(gpu)
        known = used is not None and used.firm and not used.doubt and (used.basis == "sold" or used.listings >= LISTED)
        share = min(1.0, used.usd / quote.usd) if used is not None and known else drop.at(ages[gpu])
        return replace(quote, first_share=share)

    return {used: {gpu: lost(gpu, quote) for gpu, quote in quotes.items()} for used, quotes in buys.items()}


def _configured(quote: prices.Quote, machine: hosts.WholeMachine, newest: str) -> RankedQuote | None:
    """The price of one configuration of a machine that is sold in several; one that was replaced is never ranked."""
    known = quote if quote.value is not None else quote.last
    seen = [one for one in known.configurations if one.price.product == machine.product] if known else []
    if known is None or not seen:
        return None
    of_now = quote.value is not None
    lowest, usd = min(seen, key=lambda one: one.amount), currencies.load()[quote.currency].usd
    price = lowest.price
    return RankedQuote(
        lowest.amount * usd,
        "system",
        price.date,
        f"{machine.product}, {price.provider}",
        of_now,
        PRICE_RULES["street" if of_now else "old"],
        url=price.url,
        sellers=len(known.configurations),
        listings=len(known.configurations),
        doubt="; ".join(known.doubts),
        aged=_aged(price.date, newest, known.later),
    )


def _sellers(gpu: GpuRecord, newest: str, kind: Kind, market: Market) -> tuple[int, int]:
    """How many sellers asked a price of a kind within half a year, and how many prices they asked.

    Shops that sell a card new say nothing of what it costs used.
    """
    rows = [row for row in in_market(gpu.prices, kind, market) if staleness.age_days(row.date, newest) <= COUNTED_DAYS]
    # An index over two marketplaces stands for both.
    names = {name for row in rows for name in row.provider.split(" and ")}
    return len(names), len(rows)


def _ranked(quote: prices.Quote, newest: str) -> RankedQuote:
    note = PRICE_RULES["street"] if quote.kind in BUYING else PRICE_RULES["rent"]
    url = quote.seen[0].price.url if quote.count == 1 else ""
    usd = _each(quote) * currencies.load()[MARKETS[quote.market].currency].usd
    kind, doubt = "module" if quote.module else OBSERVED_AS[quote.kind], "; ".join(quote.doubts)
    aged = _aged(quote.day, newest, quote.later)
    ranked = RankedQuote(usd, kind, quote.day, quote.who, True, note, url=url, doubt=doubt, aged=aged)
    two = quote.count == 2 and max(quote.amounts) >= (1 + TOLD_APART) * min(quote.amounts)
    dearer = max(quote.amounts) / (quote.value or 1.0) if two else 1.0
    return replace(ranked, count=quote.count, alone=quote.alone, basis=quote.basis, dearer=dearer)


def _aged(date: str, newest: str, later: str = "") -> str:
    """That a price is over AGED_DAYS old, and what was read of its kind since."""
    if staleness.age_days(date, newest) <= AGED_DAYS:
        return ""
    dates = f"its price dates from {day(date[:7])}"
    return f"{dates}; the newest reading is {later}" if later else f"{dates}, and none of our sources has a newer one"


def _each(quote: prices.Quote) -> float:
    """The price of one GPU: of a machine that holds several, its share."""
    return (quote.value or 0.0) / quote.gpus
