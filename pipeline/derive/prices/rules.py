"""The rules of prices in one place: markets, ages, limits, and their definitions in the words of the method page.

Change a limit here and nowhere else; tests/test_quote.py and tests/test_staleness.py stand at each boundary.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from pipeline.core.currencies import EURO_AREA

Kind = Literal["new", "used", "system", "rent", "marketplace", "spot", "reserved"]
KINDS: tuple[Kind, ...] = get_args(Kind)
BUYING: tuple[Kind, ...] = ("new", "used", "system")
RENTING: tuple[Kind, ...] = ("rent", "marketplace", "spot", "reserved")
# An hour on demand, the better first where both stand equally well: a cloud runs its machines and keeps its price.
ON_DEMAND: tuple[Kind, ...] = ("rent", "marketplace")
# Kind of quote → kind of observation.
OBSERVED: Mapping[Kind, str] = {
    "new": "retail",
    "used": "used",
    "system": "system",
    "rent": "on_demand",
    "marketplace": "on_demand",
    "spot": "spot",
    "reserved": "reserved",
}
WORDS: Mapping[Kind, str] = {
    "new": "new",
    "used": "used",
    "system": "as a whole machine",
    "rent": "to rent on demand",
    "marketplace": "to rent on a marketplace",
    "spot": "to rent as spot",
    "reserved": "to rent reserved",
}
# What a used price rests on, the better first, in the words of a reader.
BEST_BASIS = ("sold", "asked", "floor")
BASIS_WORDS: Mapping[str, str] = {"sold": "sold", "asked": "asked", "floor": "lowest asked"}
# How well a price is founded, in the words of a reader.
CONFIDENCE_WORDS: Mapping[str, str] = {
    "good": "well founded",
    "fair": "fairly well founded",
    "weak": "weakly founded",
}
Market = Literal["us", "eu", "uk"]


@dataclass(frozen=True, slots=True)
class MarketRule:
    """Where a reader buys: in which currency, and whether prices there hold sales tax."""

    id: Market
    name: str
    currency: str
    with_tax: bool
    countries: frozenset[str]
    tax_words: str
    place: str  # within a sentence
    label: str  # as the switch in the header of every page says it: place, currency, tax
    tax_country: str  # whose standard rate is added to what is listed without tax, in words
    tax_rate: str = ""  # the constant that holds it; "" where prices are listed without tax


OTHER_EU = "CZ DK HU PL RO SE"
MARKETS: Mapping[Market, MarketRule] = {
    "us": MarketRule(
        "us",
        "United States",
        "USD",
        False,
        frozenset(("US",)),
        "without sales tax",
        "the United States",
        "US: $, no tax",
        "the United States",
    ),
    "eu": MarketRule(
        "eu",
        "Europe",
        "EUR",
        True,
        frozenset(f"{EURO_AREA} {OTHER_EU}".split()),
        "with sales tax",
        "Europe",
        "EU: €, with tax",
        "Germany",
        "vat-germany",
    ),
    "uk": MarketRule(
        "uk",
        "United Kingdom",
        "GBP",
        True,
        frozenset(("GB",)),
        "with 20 % VAT",
        "the United Kingdom",
        "UK: £, with VAT",
        "the United Kingdom",
        "vat-uk",
    ),
}
DEFAULT_MARKET: Market = "us"


@dataclass(frozen=True, slots=True)
class AgeLimits:
    """Days until an observation is no longer fresh, no longer ageing, and no longer used at all."""

    fresh: int
    ageing: int
    stale: int


# Rental lists change by the week, spot prices by the hour, cards by the month; a launch price is a fact of history.
AGES: Mapping[str, AgeLimits | None] = {
    "spot": AgeLimits(14, 60, 180),
    "on_demand": AgeLimits(60, 180, 365),
    "reserved": AgeLimits(90, 365, 730),
    "retail": AgeLimits(60, 180, 550),
    "used": AgeLimits(60, 180, 550),
    "system": AgeLimits(60, 180, 550),
    "launch": None,
}
# Readings that are this much older than the newest say nothing of the same time, whether to buy or to rent: in August
# 2026 shops asked 4,080 and 4,330 dollars for an RTX 5090, in September 5,258, and nobody asked the median of the three
# in the month that it carried. So many days are a month: readings of which only the month is known stand together with
# all others of that month.
SPAN_DAYS = 31
# Hosts on a marketplace change what they ask by the hour: from ENOUGH days on, the median over so many days counts.
USUAL_DAYS = 30
# From so many independent products or providers on, none of them decides alone.
ENOUGH = 3
# The median of two prices is their mean, which nobody asks: from so far apart on the price says so.
TOLD_APART = 0.1
# Where one of two lets a card for more than so many times the other, neither bears the other out; of two that sell it,
# from a jump (price_list.JUMP) on.
APART_TIMES = 2.0
# New cards at this many times what the same card sells for used are leftover stock, whatever the shop calls them.
OLD_STOCK_TIMES = 1.75
# A card for data centres at more than so many times its used price of the last year is in doubt, where that is too old
# to be one of now: a T4 at 885 dollars in July, sold used for 202 in March 2026.
OLD_STOCK_PAST_TIMES = 2.0
# How a row says that what a shop has is the rest: "discontinued; what is left of the stock".
LEFTOVER_NOTES = ("discontinued", "left of the stock")
# A consumer card launched longer ago is no longer made: where no used price is known, what shops have left as new
# stands with that doubt.
OLD_CARD_DAYS = 4 * 365
# Such a card is held against what a better one of its maker costs used, launched at most so many days before it.
BETTER_DAYS = 2 * 365
# A rental offer under this share of the other providers' median, or so many times it, is a slip or a test.
OFFER_LOW, OFFER_HIGH = 0.25, 4.0
# Where fewer than ENOUGH providers stand behind a rent, it is held against what cards of its memory and bandwidth cost
# to rent: beyond this factor it is left out.
CLASS_TIMES = 5.0
# Two cards are siblings when they share use, architecture and memory and their bandwidth differs by no more than this.
SIBLING_BANDWIDTH = 0.15
SIBLING_LOW, SIBLING_HIGH = 0.25, 3.0
# A price to buy that one source states for one product is doubted beyond these factors: against siblings of the same
# form, and against what cards of its use, memory, bandwidth and year cost. Where two sources agree, none is further off
# than 2.33 times (RTX 5090).
BUY_SIBLING_TIMES, BUY_CLASS_TIMES = 2.0, 2.25
# So many cards make a class.
CLASS_CARDS = 12
# A price to buy behind which fewer than ENOUGH stand is none of now where so many different tests speak against it: a
# lone ask of 10,153 dollars for a used RTX 6000 Ada was 2.4 times what its sibling cost and 2.3 times its class.
REFUSING = 2

# In plain words, for the method page and for whoever asks what a price means.
DEFINITIONS: Mapping[str, str] = {
    "new": "The median over distinct products of what each was last asked for. The card of one board partner counts "
    "once, however many shops list it, with the cheapest of them; readings more than "
    f"{SPAN_DAYS} days older than the newest are left out. A card "
    f"whose new price is over {OLD_STOCK_TIMES:g} times its used one is leftover stock: it has no price as new. Where "
    "no used price is known of a consumer card that is no longer made, a better one of its maker and time stands in "
    "for it. Where only the cheapest board or the cheapest few listings are known, the price says “lowest asked”: of "
    "Greek shops, from which most European prices come, our source keeps the three cheapest listings of a card, "
    "however many there are, so that a shop in another country may ask less.",
    "used": "What buyers paid, where a source records sales of these weeks; else what sellers ask, the lowest asks "
    "among it, since a buyer pays less than the usual ask and no less than the lowest; and where only the cheapest few "
    "listings are known, those, told as “lowest asked”: the median asked is 1.2 to 2 times as much where a source "
    "states both. Of several lowest asks the lowest counts, and a tracker that states both by its median alone. The "
    "price says which. The median over the trackers, sellers or indexes of the newest reading of each. What was paid "
    "in a month, and an index over the listings of a month, stand in the middle of it. What a single tracker says was "
    "paid or asked before the newest lowest ask, and lies below it, says what a card has cost, and not what it costs: "
    "it does not count; where two trackers agree below it, they do, until at least two asks of a later month are known "
    "and all lie above. "
    "A card that a dealer has "
    "refurbished, with a warranty, costs more than a used one from its owner and does not count. "
    "A figure in which its own source has little confidence, and a single listing, count only where "
    "nothing else of the same weeks is known. In "
    "Europe it is what the buyer pays: most sellers are private and charge no sales tax, so the tax is not known.",
    "system": "The price of a whole machine that cannot be had without its GPU (a DGX Spark, a Mac). It is the price "
    "of one configuration, which stands beside it (“96 GB machine”), and that may hold less than the most memory with "
    "which the chip is sold: the cheapest of now in the United States, in every market where it is sold, else the "
    "cheapest there; machines with all memory of the chip, where their names tell none, stand before one with less. "
    "Over the products of that configuration it is the median of what each was last asked for. A "
    "machine with a larger drive is the same machine: the cheapest counts. One that its maker has replaced has no "
    "price of now, however young its last one is. A module that needs a carrier board (most Jetsons) is told as "
    "such, and the chooser does not count it among machines. No source of ours states a dated public price of one "
    "server of eight GPUs: their makers sell them by quotation, and articles give ranges, so none is shown.",
    "rent": "The median over clouds of the cheapest whole GPU, on demand, on the newest day on which each was seen: an "
    "older offer of the same provider never counts, whichever source reported it. Hyperscalers sell a platform around "
    "the card and ask several times as much: they are named beside it, and count only where no cloud has let the card "
    "within a year. "
    "Hosts on marketplaces are a kind of their own. “From” is the cheapest of these offers, with the month in which "
    f"it stands. An offer that was last seen more than {SPAN_DAYS} days before the newest of the card is left out.",
    "day": "A price carries the day or month of the reading that makes it: of three products or providers that of the "
    "one in the middle, of four the older of the two in the middle, and not that of the newest. Its age and how well "
    f"it is founded follow that day. All that count lie within {SPAN_DAYS} days of the newest reading of the card; "
    "where only the month of one is known, it may be of any day of it, and the farthest is taken. What moved, the feed "
    "and the price of the same month are one value.",
    "marketplace": "The same over marketplaces, where private hosts set their price by the hour: of each marketplace "
    f"the median over the days of the last {USUAL_DAYS} of what was its cheapest offer, where at least {ENOUGH} days "
    "were read; of fewer days the newest, which is what one host asked at one moment. Such a price says “lowest "
    "asked”, and a mean of it and of what another marketplace asks everybody names where it is the cheapest host’s. "
    "Where sources state the median over all offers of a marketplace instead, as some do of Vast.ai for cards of data "
    "centres, that counts alone.",
    "on demand": "Where one rent stands for a card (in the table, in a comparison, in a chapter), it "
    "is that of clouds or that of marketplaces, never a mixture, and says which. The better founded of the two counts: "
    "first the one against which nothing speaks, then a fresh one before an ageing one, then one that rests on several "
    "houses before one that rests on a single house; where both stand equally well, that of clouds, which run their "
    "own machines and keep a price for longer than an hour. Two cards are compared by rents of the same kind. The "
    "chooser and the picks name a house instead, since a reader takes one offer and nobody asks a median: for work "
    "that can be repeated the cheapest of clouds and marketplaces, for a service that several people use the cheapest "
    "cloud. What the cheapest host of a marketplace asks stands there only where no house asks everybody the same, and "
    "an offer of a machine with more GPUs than are wanted does not count.",
    "spot": "The same over offers that the provider may take back at any moment. The lowest bid on a marketplace "
    "counts only where no cloud has let the card as spot within a year. Whoever can do with a machine that is taken "
    "away can do with one that is not: where a card costs less on demand, the chooser takes that.",
    "reserved": "The same over offers that bind for months or years.",
    "age": "A price is of now while it is fresh (to buy and to rent on demand: "
    f"{AGES['retail'].fresh} days) or ageing ({AGES['retail'].ageing} days), counted from "  # type: ignore[union-attr]
    "the newest reading of the dataset. What is older is history: it is drawn over time and shown as last seen, with "
    "its month, and never as a current price. A launch price is none either.",
    "confidence": f"A price is well founded where {ENOUGH} or more products or providers stand behind it, one of them "
    "was seen in its fresh time, it is no lowest ask, and nothing speaks against it; weakly founded where a single one "
    "decides or something speaks against it; fairly well founded otherwise. The table of prices on a card’s page says "
    "which.",
    "cautions": "“One provider” or “one source” stands beside a price that rests on one alone, “one "
    "listing” beside one that a single seller asks; “lowest asked” beside "
    "one of which only the cheapest listings or hosts are known; “ageing” "
    f"beside one that was last seen over {AGES['retail'].fresh} days before the newest reading (spot: "  # type: ignore[union-attr]
    f"{AGES['spot'].fresh}; reserved: {AGES['reserved'].fresh}); “in doubt” beside one "  # type: ignore[union-attr]
    "against which something speaks, which the card’s page says.",
    "market": "The switch in the header of every page chooses whose prices show. United States: "
    "dollars without sales tax. Europe: euros with the sales tax of the country named, which is the one of which most "
    "products are known, since each holds its own tax. United Kingdom: pounds with VAT. A price of one market is never "
    "ranked with one of another. Rates are dated and stand in data/currencies.yml.",
    "mean": "The median of two is their mean, which neither asks: where they lie "
    f"{100 * TOLD_APART:.0f} % or more apart, the price says how far. The table of prices on a card’s page names both.",
    "tax in a ranking": "Rents are listed without tax everywhere, and so are the machines around the cards; where they "
    "stand alone they are only converted. Where they are ranked with prices to buy, in the chooser and the picks, both "
    "are what a private person pays: in Europe and the United Kingdom the sales tax of the market is added to them, "
    "and the answer names the rate and what is listed. For Europe it is the rate of Germany, its largest market; the "
    "price of a new card holds that of the country named beside it, which may be higher. A price that you type counts "
    "as you type it. The calculators count American prices without tax on both sides.",
    "doubt": "A price that jumped by more than a third while one source states it is shown with that doubt; so is one "
    "that nobody else states, at over twice (or under half) what those of its siblings cost that are like their class, "
    "or at over "
    f"{BUY_CLASS_TIMES:g} times (or under {1 / BUY_CLASS_TIMES:.2g} of) what cards of its use, memory, bandwidth and "
    "year cost; so is a new card of which one shop asks over a third less than the next; so is a used price above "
    "that of a new card, one that buyers are said to have paid although the cheapest few sellers asked more in the "
    "same month, one in which its own source has little confidence, a price above that of the same card with more "
    "memory, one of which its own source has since stated another, more than a third off, that does not count, a mean "
    "of two of which one asks over a third more than the other to buy, or over "
    f"{APART_TIMES:g} times what the other does to rent, and a rent that only "
    "hyperscalers state. So is what a lone cloud asks, "
    "where it is to the cent what it asks for a lesser card of the same maker and hyperscalers ask over "
    f"{APART_TIMES:g} times as much. A month of asking prices "
    "that lies more than a third from the months around it counts only where another source bears it out. A price to "
    f"buy that rests on fewer than {ENOUGH} products is none of now where two of these tests speak against it: it is "
    "shown as last seen, with what they say, and is neither ranked nor counted. An offer is "
    "left out when it is under a quarter or over four times the median of the other providers, or when few providers "
    "stand behind it and it is over "
    f"{CLASS_TIMES:g} times, or under a fifth of, what cards of its memory and bandwidth rent for.",
}
