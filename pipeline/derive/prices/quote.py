"""What a card or machine costs now: the only place where a price is worked out, whoever asks.

    book = quotes(dataset)
    book.quote("nvidia-geforce-rtx-4090", "used", "us").value   # dollars, or None with a reason
    book.quote("nvidia-h100-sxm5-80gb", "rent", "eu").low       # the cheapest provider's, in euros an hour

Table, tile, card page, pairs, compare, chooser, calculators, picks, prose, charts and the API ask `quote`; nothing
else computes a price (tests/test_one_price.py). Kinds, markets, limits and definitions stand in `rules`.

A quote with a `value` is of now. One without says in `reason` why there is none, and may hold in `last` what was last
seen, which is history: show it with its month and never rank it. `firm` says whether it may decide an answer alone.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from statistics import median, median_high, median_low
from typing import NamedTuple

import numpy as np

from pipeline.core import currencies
from pipeline.core.once import once
from pipeline.core.schema import Price
from pipeline.core.wording import between, count, day, money, percent
from pipeline.dataset import Dataset, GpuRecord
from pipeline.derive.prices import history, staleness
from pipeline.derive.prices.observe import (
    LONE_ASK,
    Seen,
    among_cheapest,
    amount,
    configuration,
    doubted_by_source,
    each_once,
    in_market,
    is_hyperscaler,
    is_module,
    last_day,
    machines,
    memory_bought,
    near,
    of_clouds,
    of_hyperscalers,
    of_now,
    outbid,
    replaced_on,
)
from pipeline.derive.prices.rules import (
    APART_TIMES,
    BASIS_WORDS,
    BEST_BASIS,
    BETTER_DAYS,
    BUY_CLASS_TIMES,
    BUY_SIBLING_TIMES,
    BUYING,
    CLASS_CARDS,
    CLASS_TIMES,
    CONFIDENCE_WORDS,
    DEFAULT_MARKET,
    ENOUGH,
    LEFTOVER_NOTES,
    MARKETS,
    OBSERVED,
    OFFER_HIGH,
    OFFER_LOW,
    OLD_CARD_DAYS,
    OLD_STOCK_PAST_TIMES,
    OLD_STOCK_TIMES,
    ON_DEMAND,
    REFUSING,
    RENTING,
    SIBLING_BANDWIDTH,
    SIBLING_HIGH,
    SIBLING_LOW,
    TOLD_APART,
    WORDS,
    Kind,
    Market,
)
from pipeline.intake.price_list import FAR_TIMES, JUMP

# How the name of a card tells its memory, where it is made with several: "GeForce RTX 5060 Ti 16GB".
NAMED_MEMORY = re.compile(r" \d+ ?GB\b")


@dataclass(frozen=True, slots=True)
class Quote:
    """One price of one kind in one market, with what it rests on; or the reason why there is none."""

    gpu: str
    kind: Kind
    market: Market
    currency: str
    value: float | None = None  # of a unit (to buy) or of an hour of one GPU (to rent)
    low: float | None = None
    high: float | None = None
    count: int = 0  # independent products, indexes or providers
    country: str = ""
    tax: float | None = None  # per cent in the price
    basis: str = ""  # asked, sold or floor, the lowest asked
    day: str = ""  # of the price: the day or month of the reading that makes it, of two in the middle the older
    first_day: str = ""  # the oldest among those that count
    read: str = ""  # the day on which we read it
    age: str = ""  # fresh, ageing, stale or withdrawn
    confidence: str = ""  # good, fair or weak
    doubts: tuple[str, ...] = ()
    reason: str = ""  # why there is no value
    seen: tuple[Seen, ...] = ()  # what counts, the cheapest first
    configurations: tuple[Seen, ...] = ()  # of a whole machine all that are sold, the cheapest first
    hyperscalers: tuple[Seen, ...] = ()  # what they ask to rent on demand; counted only where no cloud lets the card
    left_out: tuple[str, ...] = ()  # offers that do not count, with the reason
    later: str = ""  # the newest reading of its kind, in words, where the price is of an older day
    last: Quote | None = field(default=None, repr=False)  # without a value: what was last seen

    @property
    def firm(self) -> bool:
        """Whether it may decide an answer alone: of now and without doubt."""
        return self.value is not None and not self.doubts

    @property
    def told(self) -> bool:
        """Whether there is anything to tell: a price of now, one last seen, or offers that do not count."""
        return self.value is not None or self.last is not None or bool(self.left_out)

    @property
    def confidence_words(self) -> str:
        """How well it is founded, in words; "" without a value."""
        return CONFIDENCE_WORDS.get(self.confidence, "")

    @property
    def who(self) -> str:
        """On whom it rests, in words: "median of 4 providers", "mean of 2 readings, 25 % apart", "one source: eBay"."""
        if not self.seen:
            return ""
        things = "providers" if self.kind in RENTING else "machines" if self.kind == "system" else "readings"
        if self.count == 2 and (apart := max(self.amounts) / min(self.amounts) - 1) >= TOLD_APART:
            return f"mean of 2 {things}, {percent(apart)} apart"
        if self.count > 1:
            return f"median of {self.count} {things}"
        only = self.seen[0].price
        return f"{self.alone}: {only.provider or only.source}"

    @property
    def alone(self) -> str:
        """Where one decides, which: "one provider", or "one source" or "one listing" of a price to buy; else ""."""
        if self.count != 1:
            return ""
        if self.kind in RENTING:
            return "one provider"
        return "one listing" if LONE_ASK in self.seen[0].price.includes else "one source"

    @property
    def cautions(self) -> tuple[str, ...]:
        """What speaks against leaning on it, in a word each: one decides, it is a floor, it ages, it is in doubt."""
        lowest = "lowest asked" if self.begins else ""
        ageing = "ageing" if self.value is not None and self.age != "fresh" else ""
        return tuple(filter(None, (self.alone, lowest, ageing, "in doubt" if self.doubts else "")))

    @property
    def amounts(self) -> list[float]:
        """What counts, each product or provider once, the cheapest first."""
        return [seen.amount for seen in self.seen]

    @property
    def lowest(self) -> Seen | None:
        """The cheapest of what counts, with the month in which it stands."""
        return self.seen[0] if self.seen else None

    @property
    def lowest_words(self) -> str:
        """The cheapest offer to rent with the month in which it stands: "from $0.34 at RunPod in October 2026"."""
        if self.kind not in RENTING or self.count < 2 or self.lowest is None:
            return ""
        price = self.lowest.price
        return f"from {money(self.low, self.currency)} at {price.provider} in {_month(self.lowest.month)}"

    @property
    def gpus(self) -> int:
        """How many GPUs the value pays for: more than one only in a machine that is sold whole."""
        return int(self.seen[0].price.gpus or 1) if self.seen and self.kind == "system" else 1

    @property
    def hyperscaler_words(self) -> str:
        """What hyperscalers ask beside the clouds that count: "the hyperscaler AWS asks $6.88"; "" without either."""
        if not self.hyperscalers or not self.clouds:
            return ""
        low, high = (money(self.hyperscalers[end].amount, self.currency) for end in (0, -1))
        names = [one.who for one in self.hyperscalers]
        told = " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
        several = len(self.hyperscalers) > 1
        return f"the hyperscaler{'s' if several else ''} {told} ask{'' if several else 's'} {between(low, high)}"

    @property
    def clouds(self) -> tuple[Seen, ...]:
        """Of the providers that count, those that are no hyperscalers."""
        return tuple(seen for seen in self.seen if not is_hyperscaler(seen.price))

    @property
    def words(self) -> str:
        """Kind, basis and day as a reader sees them: "used, asked, median of 3 readings, August 2026"."""
        return f"{self.kind_words}, {self._rests_on}"

    @property
    def grounds(self) -> str:
        """The same where the kind stands beside it, as in a table's row: "asked, median of 3 readings, August 2026"."""
        return ", ".join(filter(None, (self.configuration, self._rests_on)))

    @property
    def _rests_on(self) -> str:
        return ", ".join(filter(None, (self.basis_words, self.who, self._lowest_among, _month(self.day))))

    @property
    def configuration(self) -> str:
        """Which machine the price buys: "96 GB machine"; "" of a card, and where a chip is sold with one memory."""
        return configuration(self.seen[0].price) if self.seen and self.kind == "system" else ""

    @property
    def module(self) -> bool:
        """Whether it buys a module, which does not start without a board, in place of a machine."""
        return bool(self.seen) and self.kind == "system" and is_module(self.seen[0].price)

    def holds(self, memory_gb: float | None) -> bool:
        """Whether it buys that much memory: not where a chip is sold with several and the price is of another one."""
        return not self.configuration or self.module or memory_bought(self.seen[0].price) == memory_gb

    @property
    def kind_words(self) -> str:
        """The kind as a reader sees it, of a machine with its configuration: "used", "as a 96 GB machine"."""
        known = self.configuration
        if known and (self.module or memory_bought(self.seen[0].price)):
            return f"as a {known}"
        return ", ".join(filter(None, (WORDS[self.kind], known)))

    @property
    def basis_words(self) -> str:
        """Whether it was sold, asked, or is only the lowest asked, where that differs between cards."""
        return BASIS_WORDS.get(self.basis, self.basis) if self.kind == "used" or self.begins else ""

    @property
    def begins(self) -> bool:
        """Whether it says where prices begin, and not what is usual."""
        return self.basis == "floor"

    @property
    def _lowest_among(self) -> str:
        """Whose cheapest host stands among providers that ask everybody the same: "at Vast.ai the cheapest host"."""
        lowest = [one.who for one in self.seen if one.price.basis == "floor"]
        return (
            f"at {', '.join(lowest)} the cheapest host" if self.kind in RENTING and lowest and not self.begins else ""
        )

    @property
    def tax_words(self) -> str:
        """What of sales tax is in it: "with 24 % tax (GR)", "without tax"."""
        if self.tax is None:
            return "tax not known"
        return f"with {self.tax:g} % tax ({self.country})" if self.tax else "without tax"

    @property
    def without_tax(self) -> float | None:
        """The value with its sales tax taken out, to be held beside rents and American prices."""
        return None if self.value is None else self.value / (1 + (self.tax or 0) / 100)


class SourcePrice(NamedTuple):
    """What one source says of a card now: US dollars without sales tax."""

    source: str
    basis: str
    usd: float


class Book:
    """All quotes of a dataset; what is held against siblings and the rest of the market is worked out once."""

    def __init__(self, dataset: Dataset, until: str = "") -> None:
        """Everything known of a dataset, or what was known of it at the end of the month `until` (2026-05)."""
        self.dataset = dataset
        self.newest = min(dataset.newest_reading, last_day(until)) if until else dataset.newest_reading
        self.prices = {
            gpu.id: [one for one in gpu.prices if one.date[:7] <= until] if until else gpu.prices
            for gpu in dataset.gpus.values()
        }
        self._then: dict[str, Book] = {}
        self._dearer: dict[Kind, str] = {}
        self._known: dict[tuple[str, Kind, Market, int | None], Quote] = {}
        self._bought: dict[tuple[str, Market, bool], Quote] = {}
        self._rented: dict[tuple[str, Market], Quote] = {}
        self._months: dict[tuple[str, Kind, Market], list[history.Month]] = {}
        self._alike: dict[str, list[GpuRecord]] = {}
        self._sources: dict[tuple[str, Kind], list[SourcePrice]] = {}
        self._classes: dict[tuple[str, Kind], tuple[float, ...] | None] = {}
        # What each test asks of a card, its siblings and its class ask again: found once.
        self._observed: dict[tuple[str, Kind, Market], list[Price]] = {}
        self._counting: dict[tuple[str, Kind, Market], list[Price]] = {}
        self._everybody: dict[tuple[str, Market], list[Seen]] = {}
        self._used: dict[str, tuple[float, str] | None] = {}

    def quote(self, gpu: str, kind: Kind, market: Market = DEFAULT_MARKET, most: int | None = None) -> Quote:
        """The price of a card or machine; a KeyError names an unknown GPU.

        With `most` by the offers of machines with at most so many GPUs: who rents one does not rent eight.
        """
        key = (gpu, kind, market, most)
        if key not in self._known:
            self._known[key] = self._worked_out(self.dataset.gpus[gpu], kind, market, most)
        return self._known[key]

    def to_buy(self, gpu: str, market: Market = DEFAULT_MARKET, used: bool = True) -> Quote:
        """The cheapest way to own it now, used if allowed; without a price of now, the newest that was ever seen."""
        key = (gpu, market, used)
        if key not in self._bought:
            self._bought[key] = self._best_to_buy(gpu, market, used)
        return self._bought[key]

    def _best_to_buy(self, gpu: str, market: Market, used: bool) -> Quote:
        kinds = [kind for kind in BUYING if used or kind != "used"]
        found = [self.quote(gpu, kind, market) for kind in kinds]
        now = [quote for quote in found if quote.value is not None]
        if now:
            return min(now, key=lambda quote: (not quote.firm, quote.value or 0.0))
        past = [quote for quote in found if quote.last is not None]
        return max(past, key=_last_seen, default=found[0])

    def to_rent(self, gpu: str, market: Market = DEFAULT_MARKET) -> Quote:
        """What an hour costs on demand, at clouds or on a marketplace: of the two what a reader can best act on now.

        Without a price of now, what was last seen.
        """
        key = (gpu, market)
        if key not in self._rented:
            self._rented[key] = self._best_to_rent(gpu, market)
        return self._rented[key]

    def _best_to_rent(self, gpu: str, market: Market) -> Quote:
        found = [self.quote(gpu, kind, market) for kind in ON_DEMAND]
        now = [quote for quote in found if quote.value is not None]
        past = [quote for quote in found if quote.last is not None]
        return min(now, key=_standing, default=max(past, key=_last_seen, default=found[0]))

    def both_to_rent(self, one: str, two: str, market: Market = DEFAULT_MARKET) -> tuple[Quote, Quote] | None:
        """What an hour of two cards costs at houses of one kind: marketplaces ask less than clouds for any card.

        Where both kinds let both cards, the one of which the weaker price stands better; None where neither does.
        """
        pairs = [(self.quote(one, kind, market), self.quote(two, kind, market)) for kind in ON_DEMAND]
        known = [pair for pair in pairs if all(quote.value is not None for quote in pair)]
        return min(known, key=lambda pair: max(map(_standing, pair)), default=None)

    def months(self, gpu: str, kind: Kind, market: Market = DEFAULT_MARKET) -> list[history.Month]:
        """The months in which a price of a kind was seen, oldest first."""
        key = (gpu, kind, market)
        if key not in self._months:
            self._months[key] = history.of_observed(self._in_market(gpu, kind, market), kind, market)
        return self._months[key]

    def month(self, gpu: str, kind: Kind, month: str, market: Market = DEFAULT_MARKET) -> Quote | None:
        """What it cost in a month or year (2026-05, 2026), by what was read then; None where nothing was.

        Whatever would have been said against it at the end of that month stands among its doubts, also what would have
        left it out.
        """
        known = of_clouds(self._in_market(gpu, kind, market), kind)
        rows = [row for row in known if row.date.startswith(month)]
        if not rows:
            return None
        newest = max(row.date[:7] for row in rows)
        of_month = [row for row in rows if row.date[:7] == newest]
        seen = each_once(of_month, kind, market)
        then, record = self.then(newest), self.dataset.gpus[gpu]
        quote = _of(_with_machines(Quote(gpu, kind, market, MARKETS[market].currency), of_month), seen, then.newest)
        _, left_out = then.sound(record, kind, market, seen)
        old_stock = then.old_stock(record, quote) if kind == "new" else ""
        doubts = (*filter(None, (*left_out, old_stock)), *then.doubts(record, quote))
        return replace(quote, doubts=doubts, confidence=_confidence(quote, doubts))

    def then(self, month: str) -> Book:
        """The book as it stood at the end of a month, by what had been read of it until then."""
        if month not in self._then:
            self._then[month] = Book(self.dataset, month)
        return self._then[month]

    def asked_after(self, gpu: str, month: str) -> tuple[float, float, str] | None:
        """The least and the most that American sellers of a used card asked after a month, and the last month of it."""
        later = [
            (row.usd_per_unit, row.date[:7])
            for row in self.prices[gpu]
            if (row.kind, row.country, row.flag) == ("used", "US", "") and row.basis != "sold" and row.usd_per_unit
            if row.date[:7] > month
        ]
        amounts = [usd for usd, _ in later]
        return (min(amounts), max(amounts), max(month for _, month in later)) if later else None

    def against_launch(self, gpu: str) -> float | None:
        """How many times its launch price the card costs now in the United States, where both are known."""
        now, launch = self.to_buy(gpu), self.dataset.gpus[gpu].launch_price_usd
        return now.value / launch if now.value is not None and launch and now.kind != "system" else None

    def _worked_out(self, gpu: GpuRecord, kind: Kind, market: Market, most: int | None) -> Quote:
        empty = Quote(gpu.id, kind, market, MARKETS[market].currency)
        found = self._in_market(gpu.id, kind, market)
        now = self._of_now(gpu.id, kind, market)
        if most and now:  # a larger machine that was seen since makes an old offer of a small one no younger
            now = [row for row in near(now) if (row.gpus or 1) <= most]
        seen = each_once(now, kind, market, self._configuration(gpu.id, kind, market))
        if not seen:
            return self._past(empty, of_clouds(found, kind))
        standing, left_out = self.sound(gpu, kind, market, seen)
        if kind == "used":
            left_out = [_outbid(row, market) for row in outbid(near(now), market)]
        if not standing:
            return replace(empty, reason="; ".join(left_out), left_out=tuple(left_out))
        quote = replace(_of(_with_machines(empty, now), standing, self.newest), left_out=tuple(left_out))
        if kind == "new" and (why := self.old_stock(gpu, quote)):
            return replace(empty, reason=why, last=quote)
        tests = self._tests(gpu, quote)
        doubts = tuple(doubt for test in tests for doubt in test)
        quote = replace(quote, doubts=doubts, confidence=_confidence(quote, doubts))
        if why := _refused(quote, tests):
            return replace(empty, reason=why, last=quote)
        houses = of_hyperscalers(of_now(found, self.newest), market) if kind in RENTING else ()
        told = replace(quote, hyperscalers=tuple(houses))
        return replace(told, later=_later(told, found))

    def doubts(self, gpu: GpuRecord, quote: Quote) -> Iterator[str]:
        """What speaks against a price that stands, by everything this book knows."""
        for test in self._tests(gpu, quote):
            yield from test

    def _tests(self, gpu: GpuRecord, quote: Quote) -> list[tuple[str, ...]]:
        """What each test of a price says against it; one that found two months or two sources at fault is one test."""
        tests: list[Iterable[str]] = [
            self._jumps(quote),
            _far_apart(quote),
            _unsure(quote),
        ]
        if quote.kind in BUYING:
            tests.append(self._left_out_since(gpu, quote))
        if quote.kind == "new":
            tests.append((_one_shop(quote),))
            tests.append((_rest_of_stock(quote), self._leftover(gpu)))  # both say that it is no longer made
            tests.append((self._against_past(gpu, quote),))
        if quote.kind in ("new", "used"):
            tests += [self._unlike_siblings(gpu, quote), self._unlike_class(gpu, quote)]
            tests.append(self._dearer_than_larger(gpu, quote))
        if quote.kind == "used":
            tests += [self._dearer_than_new(gpu, quote), self._under_the_cheapest(gpu, quote)]
        if quote.kind in RENTING and not quote.clouds:
            tests.append((self._dear_houses(quote.kind),))
        if quote.kind == "rent":
            tests.append(self._asked_for_a_lesser(gpu, quote))
        return [said for test in tests if (said := tuple(filter(None, test)))]

    def _jumps(self, quote: Quote) -> Iterator[str]:
        """Changes of more than a third while one source states the price: a second one is needed."""
        if quote.count >= ENOUGH or len({one.price.source for one in quote.seen}) > 1:
            return
        months = [
            month
            for month in self.months(quote.gpu, quote.kind, quote.market)
            if staleness.state(OBSERVED[quote.kind], month.month, self.newest) in staleness.NOW
        ]
        for before, after in pairwise(months):
            change = history.change(before, after)
            if change is not None and round(abs(change), 6) > round(JUMP, 6):
                yield (
                    f"{'rose' if change > 0 else 'fell'} by {percent(abs(change))} from {_month(before.month)} to "
                    f"{_month(after.month)}, and one source states it"
                )

    def _past(self, empty: Quote, found: Sequence[Price]) -> Quote:
        """Nothing of now: the newest month that was seen, as history."""
        if not found:
            return replace(empty, reason=f"none of our sources states what it costs {WORDS[empty.kind]} here")
        newest = max(row.date[:7] for row in found)
        past = self.month(empty.gpu, empty.kind, newest, empty.market)
        if past:  # as old as it is today: nothing of it is of now
            past = replace(past, age=staleness.state(OBSERVED[empty.kind], past.day, self.newest))
        reason = f"no current price; last seen in {_month(newest)}"
        gone = max(replaced_on(row) for row in found if row.date[:7] == newest)
        if "" < gone <= self.newest:
            reason = f"replaced on {gone}, so this is no price of now; last seen in {_month(newest)}"
        return replace(empty, reason=reason, last=past)

    def _configuration(self, gpu: str, kind: Kind, market: Market) -> str:
        """The configuration of a machine that every market prices, as far as it is sold there: that of the first."""
        first = kind == "system" and market != DEFAULT_MARKET
        return self.quote(gpu, kind, DEFAULT_MARKET).configuration if first else ""

    def sound(self, gpu: GpuRecord, kind: Kind, market: Market, seen: Sequence[Seen]) -> tuple[list[Seen], list[str]]:
        """What stands, and what is left out with the reason."""
        if kind not in ON_DEMAND:
            return list(seen), []
        everybody = self._on_demand(gpu, market)
        standing, left_out = [], []
        for one in seen:
            why = _against_others(one, everybody) or self._against_class(gpu, one, everybody, market)
            if why:
                left_out.append(why)
            else:
                standing.append(one)
        return standing, left_out

    def _in_market(self, gpu: str, kind: Kind, market: Market) -> Sequence[Price]:
        key = (gpu, kind, market)
        if key not in self._observed:
            self._observed[key] = in_market(self.prices[gpu], kind, market)
        return self._observed[key]

    def _of_now(self, gpu: str, kind: Kind, market: Market) -> Sequence[Price]:
        key = (gpu, kind, market)
        if key not in self._counting:
            self._counting[key] = of_now(of_clouds(self._in_market(gpu, kind, market), kind), self.newest)
        return self._counting[key]

    def _on_demand(self, gpu: GpuRecord, market: Market) -> Sequence[Seen]:
        """Every provider of a card, clouds and marketplaces together."""
        key = (gpu.id, market)
        if key not in self._everybody:
            found = ((kind, self._of_now(gpu.id, kind, market)) for kind in ON_DEMAND)
            self._everybody[key] = [one for kind, now in found for one in each_once(now, kind, market)]
        return self._everybody[key]

    def _against_class(self, gpu: GpuRecord, one: Seen, everybody: Sequence[Seen], market: Market) -> str:
        if len(everybody) >= ENOUGH:
            return ""
        usual = self._sibling_rent(gpu, market)
        if usual and not SIBLING_LOW <= one.amount / usual <= SIBLING_HIGH:
            return f"{_offer(one)} is {one.amount / usual:.2g} times what its siblings rent for"
        expected = self._expected_rent(gpu, market)
        if expected and not 1 / CLASS_TIMES <= one.amount / expected <= CLASS_TIMES:
            return f"{_offer(one)} is {one.amount / expected:.2g} times what its memory and bandwidth rent for"
        return ""

    def _asked_for_a_lesser(self, gpu: GpuRecord, quote: Quote) -> Iterator[str]:
        """The doubt about a lone cloud's offer that is to the cent what it asks for a lesser card of the same maker.

        Where everybody else asks far more, a list has slipped by a row: a tracker gave Crusoe's price of the MI300X for
        the MI355X, for which its own page has none.
        """
        only, houses = quote.seen[0], of_hyperscalers(self._rented_now(gpu.id, quote.market), quote.market)
        others = [one.amount for one in houses if one.who != only.who]
        if quote.count > 1 or not others or median(others) <= APART_TIMES * only.amount:
            return
        for other in (card for card in self._of_maker_and_use(gpu) if _lesser(card, gpu)):
            asked = [
                amount(row, quote.market)
                for row in self._rented_now(other.id, quote.market)
                if row.provider == only.price.provider
            ]
            if round(only.amount, 2) in {round(one, 2) for one in asked}:
                told = f"{money(only.amount, quote.currency)} that {only.price.provider} asks for the {other.name}"
                yield (
                    f"it is exactly the {told}, a lesser card, while others ask {median(others) / only.amount:.2g} "
                    "times as much: its source may have slipped by a row"
                )
                return

    def _rented_now(self, gpu: str, market: Market) -> list[Price]:
        """What every cloud asks for a card now, hyperscalers among them."""
        return of_now(self._in_market(gpu, "rent", market), self.newest)

    def _siblings_of(self, gpu: GpuRecord) -> list[GpuRecord]:
        """The other cards that are its siblings, found once for all its offers."""
        if gpu.id not in self._alike:
            chip = self._of_chip_and_memory[_chip_and_memory(gpu)]
            self._alike[gpu.id] = [other for other in chip if other.id != gpu.id and _siblings(gpu, other)]
        return self._alike[gpu.id]

    @cached_property
    def _of_chip_and_memory(self) -> Mapping[tuple[object, ...], Sequence[GpuRecord]]:
        return _alike_by(self.dataset.gpus.values(), _chip_and_memory)

    @cached_property
    def _of_name(self) -> Mapping[tuple[object, ...], Sequence[GpuRecord]]:
        return _alike_by(self.dataset.gpus.values(), _name_without_memory)

    @cached_property
    def _makers(self) -> Mapping[tuple[object, ...], Sequence[GpuRecord]]:
        return _alike_by(self.dataset.gpus.values(), _maker_and_use)

    def _of_maker_and_use(self, gpu: GpuRecord) -> Sequence[GpuRecord]:
        return self._makers[_maker_and_use(gpu)]

    def _sibling_rent(self, gpu: GpuRecord, market: Market) -> float | None:
        """The median over what siblings rent for, as far as several providers ask it."""
        rents = [[one.amount for one in self._on_demand(other, market)] for other in self._siblings_of(gpu)]
        known = [median(found) for found in rents if len(found) > 1]
        return median(known) if known else None

    def _expected_rent(self, gpu: GpuRecord, market: Market) -> float | None:
        figures = _figures(gpu)
        if figures is None or self._rents is None:
            return None
        usd = math.exp(float(np.dot(self._rents, figures)))
        return usd / _usd(market)

    @cached_property
    def _rents(self) -> tuple[float, ...] | None:
        """Rent by memory and bandwidth, a straight line in logarithms over cards of which several providers ask."""
        points = []
        for gpu in self.dataset.gpus.values():
            amounts = [one.amount for one in self._on_demand(gpu, "us")]
            figures = _figures(gpu)
            if len(amounts) > 1 and figures:
                points.append((*figures, math.log(median(amounts))))
        return _line(points) if len(points) >= 2 * ENOUGH else None

    def _unlike_siblings(self, gpu: GpuRecord, quote: Quote) -> Iterator[str]:
        """Why a price that nobody else states is doubted against its siblings, as far as these are like their class."""
        siblings = [
            usual
            for other in self._siblings_of(gpu)
            if gpu.form_factor == other.form_factor
            and (usual := self._usual(other.id, quote.kind)) is not None
            and not self._off_class(other, quote.kind, usual)
        ]
        usd = _net_usd(quote)
        apart = siblings and not 1 / BUY_SIBLING_TIMES <= usd / median(siblings) <= BUY_SIBLING_TIMES
        if apart and self._nobody_else_states(gpu, quote):
            yield f"{usd / median(siblings):.2g} times what its siblings cost, and nobody else states it"

    def _unlike_class(self, gpu: GpuRecord, quote: Quote) -> Iterator[str]:
        """The same against its class."""
        times = self._off_class(gpu, quote.kind, _net_usd(quote))
        if times and self._nobody_else_states(gpu, quote):
            yield (
                f"{times:.2g} times what cards of its use, memory, bandwidth and year cost, and nobody else states it"
            )

    def _nobody_else_states(self, gpu: GpuRecord, quote: Quote) -> bool:
        """Whether one product of one source makes a price, and no other source states nearly the same."""
        usd, sources = _net_usd(quote), {one.price.source for one in quote.seen}
        others = (other.usd for other in self._stated(gpu.id, quote.kind) if other.source not in sources)
        return quote.count == 1 and not any(round(abs(other / usd - 1), 6) <= round(JUMP, 6) for other in others)

    def _off_class(self, gpu: GpuRecord, kind: Kind, usd: float) -> float | None:
        """How many times its class costs it costs, where that is too far off; None where it is like its class."""
        expected = self._expected_price(gpu, kind)
        return usd / expected if expected and not 1 / BUY_CLASS_TIMES <= usd / expected <= BUY_CLASS_TIMES else None

    def _dearer_than_new(self, gpu: GpuRecord, quote: Quote) -> Iterator[str]:
        """Why a used price is doubted where the same market sells the card new for less: nobody pays it."""
        new = each_once(self._of_now(gpu.id, "new", quote.market), "new", quote.market)
        usual = median(one.amount for one in new) if new else math.inf
        if quote.value is not None and quote.value > usual:
            yield f"dearer than a new one, which costs {money(usual, quote.currency)}"

    def _under_the_cheapest(self, gpu: GpuRecord, quote: Quote) -> Iterator[str]:
        """Why a price that buyers paid is doubted where the cheapest few sellers asked more in the same month."""
        if quote.basis != "sold":
            return
        asked = [
            amount(row, quote.market)
            for row in self._of_now(gpu.id, "used", quote.market)
            if row.basis == "floor" and LONE_ASK not in row.includes and row.date[:7] == quote.day[:7]
        ]
        if asked and quote.value is not None and quote.value < min(asked):
            yield f"less than the cheapest sellers asked in the same month, {money(min(asked), quote.currency)}"

    def _left_out_since(self, gpu: GpuRecord, quote: Quote) -> Iterator[str]:
        """Why a price is doubted of which the same source states another one since, far off, that does not count."""
        sources = {(one.price.source, one.price.country) for one in quote.seen}
        for row in self.prices[gpu.id]:
            since = row.kind == OBSERVED[quote.kind] and row.date > quote.day and row.date[:7] <= self.newest[:7]
            if not (since and row.flag and (row.source, row.country) in sources and quote.value):
                continue
            times = amount(row, quote.market) / quote.value
            if round(max(times, 1 / times), 6) > round(1 + JUMP, 6):
                asked = money(amount(row, quote.market), quote.currency)
                yield f"its source has {asked} for {day(row.date)}, which does not count here: {row.flag}"

    def _dearer_than_larger(self, gpu: GpuRecord, quote: Quote) -> Iterator[str]:
        """Why a price is doubted where the same card with more memory costs less: nobody pays more for half of it."""
        for other in self._of_name[_name_without_memory(gpu)]:
            if (other.memory_gb or 0.0) > (gpu.memory_gb or math.inf):
                seen = each_once(self._of_now(other.id, quote.kind, quote.market), quote.kind, quote.market)
                usual = median(one.amount for one in seen) if seen else math.inf
                if quote.value is not None and quote.value > usual:
                    told = f"the {other.name.removeprefix(f'{other.vendor} ')} costs {money(usual, quote.currency)}"
                    yield f"dearer than the same card with more memory: {told}"

    def _stated(self, gpu: str, kind: Kind) -> list[SourcePrice]:
        """Each source with what it states of a card now, in any market: US dollars without sales tax."""
        key = (gpu, kind)
        if key not in self._sources:
            self._sources[key] = [
                SourcePrice(
                    one.price.source,
                    one.price.basis,
                    one.amount * _usd(market) / (1 + (one.price.tax or 0.0) / 100),
                )
                for market in MARKETS
                for of_source in self._by_source(gpu, kind, market)
                for one in each_once(of_source, kind, market)
            ]
        return self._sources[key]

    def _by_source(self, gpu: str, kind: Kind, market: Market) -> Iterable[Sequence[Price]]:
        """Prices of now, each source apart: that another one stated it a season ago bears a price out."""
        sources: dict[str, list[Price]] = defaultdict(list)
        for price in self._of_now(gpu, kind, market):
            sources[price.source].append(price)
        return sources.values()

    def _usual(self, gpu: str, kind: Kind) -> float | None:
        """What a card costs by all who state it on the best basis: what a shop asks second hand is no sale on eBay."""
        stated = self._stated(gpu, kind)
        best = next((basis for basis in BEST_BASIS if any(one.basis == basis for one in stated)), "")
        known = [one.usd for one in stated if one.basis == best]
        return median(known) if known else None

    def _expected_price(self, gpu: GpuRecord, kind: Kind) -> float | None:
        """What a card of its use, memory, bandwidth and year costs, by a straight line in logarithms over its class."""
        figures = _figures_of_year(gpu)
        key = (gpu.segment, kind)
        if key not in self._classes:
            points = [
                (*known, math.log(usual))
                for other in self.dataset.gpus.values()
                if other.segment == gpu.segment
                and (known := _figures_of_year(other))
                and (usual := self._usual(other.id, kind)) is not None
            ]
            self._classes[key] = _line(points) if len(points) >= CLASS_CARDS else None
        line = self._classes[key]
        return math.exp(float(np.dot(line, figures))) if line and figures else None

    def _dear_houses(self, kind: Kind) -> str:
        """The doubt about a rent that only hyperscalers state, with what they ask where clouds let a card too."""
        if kind not in self._dearer:
            times = []
            for gpu in self.dataset.gpus.values():
                rows = of_now(self._in_market(gpu.id, kind, "us"), self.newest)
                houses = [one.amount for one in of_hyperscalers(rows, "us")]
                clouds = [one.amount for one in each_once(rows, kind, "us") if not is_hyperscaler(one.price)]
                if houses and clouds:
                    times.append(median(houses) / median(clouds))
            known = (
                f": where clouds let a card too, these ask {median(times):.2g} times as much"
                if times and median(times) > 1
                else ""
            )
            self._dearer[kind] = f"only the list price of hyperscalers is known{known}"
        return self._dearer[kind]

    def old_stock(self, gpu: GpuRecord, quote: Quote) -> str:
        """Why a new price is leftover stock: far above what the card, or a better one of its time, sells for used."""
        known = self._cheapest_used(gpu)
        if known is not None:
            second_hand, day = known
            times = _net_usd(quote) / second_hand
            if times > FAR_TIMES:
                return f"far above everything else known of it: {times:.2g} times what it costs used ({_month(day)})"
            left = f"old stock: what is left as new is {times:.2g} times what the card costs used ({_month(day)})"
            return f"{left}, tax taken out of both" if times > OLD_STOCK_TIMES else ""
        return self._against_better(gpu, quote) if self._no_longer_made(gpu) else ""

    def _cheapest_used(self, gpu: GpuRecord) -> tuple[float, str] | None:
        """What a card costs used, in the market where that is least: US dollars without sales tax, and the day."""
        if gpu.id not in self._used:
            used = [self.quote(gpu.id, "used", market) for market in MARKETS]
            now = ((_net_usd(one), one.day) for one in used if one.value is not None)
            self._used[gpu.id] = min(now, default=None)
        return self._used[gpu.id]

    def _against_better(self, gpu: GpuRecord, quote: Quote) -> str:
        """The same by the cheapest used card of its maker and time that has as much memory and bandwidth."""
        better = [other for other in self._of_maker_and_use(gpu) if _better(other, gpu)]
        known = [(*found, other.name) for other in better if (found := self._cheapest_used(other)) is not None]
        if not known:
            return ""
        second_hand, day, name = min(known)
        times = _net_usd(quote) / second_hand
        left = f"old stock: what is left as new is {times:.2g} times what the {name}, which does more, costs used"
        return f"{left} ({_month(day)}), tax taken out of both" if times > OLD_STOCK_TIMES else ""

    def _no_longer_made(self, gpu: GpuRecord) -> bool:
        launched = gpu.launch_date
        known = len(launched) >= len("2026-11") and gpu.segment == "consumer"
        return known and staleness.age_days(launched, self.newest) > OLD_CARD_DAYS

    def _against_past(self, gpu: GpuRecord, quote: Quote) -> str:
        """The doubt about a new card for data centres far above what it sold for used within a year, but not now."""
        if gpu.segment != "datacenter" or self._cheapest_used(gpu) is not None:
            return ""
        last = (self.quote(gpu.id, "used", market).last for market in MARKETS)
        past = [one for one in last if one is not None and not one.doubts and staleness.answers(one.day, self.newest)]
        if not past:
            return ""
        least = min(past, key=_net_usd)
        times = _net_usd(quote) / _net_usd(least)
        left = f"old stock, it seems: {times:.2g} times what the card last cost used ({_month(least.day)})"
        return left if times > OLD_STOCK_PAST_TIMES else ""

    def _leftover(self, gpu: GpuRecord) -> str:
        """The doubt about a new consumer card that is no longer made, where no used price tells what it is worth."""
        if not self._no_longer_made(gpu) or self._cheapest_used(gpu) is not None:
            return ""
        return f"leftover stock of a card of {gpu.launch_date[:4]}; no used price is known to hold it against"


@once
def quotes(dataset: Dataset) -> Book:
    """The book of a dataset, made once."""
    return Book(dataset)


def quote(dataset: Dataset, gpu: str, kind: Kind, market: Market = DEFAULT_MARKET) -> Quote:
    """What a card or machine costs now, of one kind, in one market."""
    return quotes(dataset).quote(gpu, kind, market)


def _with_machines(quote: Quote, prices: Sequence[Price]) -> Quote:
    """With all configurations that stand behind it, of a whole machine."""
    return replace(quote, configurations=tuple(machines(prices, quote.market))) if quote.kind == "system" else quote


def _standing(quote: Quote) -> tuple[bool, bool, bool]:
    """How well a price of now stands, the best first: nothing speaks against it, it is fresh, several ask it."""
    return bool(quote.doubts), quote.age != "fresh", bool(quote.alone)


def _last_seen(quote: Quote) -> str:
    return quote.last.day if quote.last else ""


def _of(empty: Quote, seen: Sequence[Seen], newest: str) -> Quote:
    amounts = sorted(one.amount for one in seen)
    prices = [one.price for one in seen]
    made_on = _day_of_median(seen)
    return replace(
        empty,
        value=median(amounts),
        low=amounts[0],
        high=amounts[-1],
        count=len(seen),
        country=prices[0].country if empty.kind in BUYING else "",
        tax=prices[0].tax,
        basis="floor" if all(map(among_cheapest, prices)) else _basis(prices),
        day=made_on,
        first_day=min(price.date for price in prices),
        read=max(price.retrieved for price in prices),
        age=staleness.state(OBSERVED[empty.kind], made_on, newest),
        seen=tuple(sorted(seen, key=lambda one: (one.amount, one.who))),
    )


def _basis(prices: Sequence[Price]) -> str:
    """What they rest on together: one that is more than a lowest ask makes the whole more than that."""
    return min((price.basis for price in prices), key=lambda basis: (*BEST_BASIS, basis).index(basis))


def _outbid(row: Price, market: Market) -> str:
    """What no longer counts, since sellers of a later month ask more: "the $295 sold in September 2026 ..."."""
    usd = f"the {money(amount(row, market), MARKETS[market].currency)} {BASIS_WORDS[row.basis]} in {_month(row.date)}"
    return f"{usd} no longer counts, as all asks of a later month lie above it"


def _later(quote: Quote, found: Sequence[Price]) -> str:
    """The newest reading of its kind, whatever it rests on: "$3,990 at eBay on 11 August 2026, lowest asked"."""
    newest = max(found, key=lambda row: (last_day(row.date), -amount(row, quote.market)))
    if last_day(newest.date) <= last_day(quote.day):
        return ""
    asked = f"{money(amount(newest, quote.market), quote.currency)} at {newest.provider or newest.source}"
    what = BASIS_WORDS[newest.basis] if quote.kind == "used" or newest.basis == "floor" else ""
    when = f"{'on' if len(newest.date) > len('2026-11') else 'in'} {day(newest.date)}"
    return ", ".join(filter(None, (f"{asked} {when}", what)))


def _day_of_median(seen: Sequence[Seen]) -> str:
    """When somebody asked the price: the day of the reading in the middle; of two in the middle, the older."""
    amounts = [one.amount for one in seen]
    return min(max(one.day for one in seen if one.amount == of(amounts)) for of in (median_low, median_high))


def _refused(quote: Quote, tests: Sequence[Sequence[str]]) -> str:
    """Why a price to buy is none of now: few stand behind it, and several tests speak against it.

    A rent is left to its doubts: whoever takes the offer pays it.
    """
    if quote.kind not in BUYING or quote.count >= ENOUGH or len(tests) < REFUSING:
        return ""
    against = "; ".join(test[0] for test in tests)
    return f"no current price: {count(len(tests), 'test')} speak against the newest one ({against})"


def _confidence(quote: Quote, doubts: Sequence[str]) -> str:
    """Good from ENOUGH independent and fresh prices on, not the lowest alone; weak where one decides, or in doubt."""
    if doubts or quote.count == 1:
        return "weak"
    return "good" if quote.count >= ENOUGH and quote.age == "fresh" and not quote.begins else "fair"


def _far_apart(quote: Quote) -> Iterator[str]:
    """The doubt about a mean of two to which neither comes near: they do not bear each other out.

    What two houses let differs more, and for longer, than what two sell.
    """
    if quote.count != 2:
        return
    low, high = sorted(quote.seen, key=lambda one: one.amount)
    if round(high.amount / low.amount, 6) > round(1 + JUMP if quote.kind in BUYING else APART_TIMES, 6):
        asked = [f"{one.who} {money(one.amount, quote.currency)}" for one in (low, high)]
        yield f"{asked[0]} and {asked[1]} lie too far apart for their mean to be what it costs"


def _unsure(quote: Quote) -> Iterator[str]:
    """The doubt about a price that rests on a figure in which its own source has little confidence."""
    for one in quote.seen:
        if why := doubted_by_source(one.price):
            yield f"its own source has little confidence in it: {why}"


def _one_shop(quote: Quote) -> str:
    """The doubt about the one product that is known, where the next shop asks over a third more for it."""
    only = quote.seen[0]
    if quote.count > 1 or only.next is None or round(only.next / only.amount - 1, 6) <= round(JUMP, 6):
        return ""
    return (
        f"{only.price.provider} alone asks it: the next shop asks {money(only.next, quote.currency)} for the same card"
    )


def _rest_of_stock(quote: Quote) -> str:
    """The doubt about a new card of which the shop itself says that it sells what is left."""
    said = [one for one in quote.seen if any(note in one.price.includes.casefold() for note in LEFTOVER_NOTES)]
    return f"{said[0].price.provider} sells what is left of a card that is no longer made" if said else ""


def _against_others(one: Seen, everybody: Sequence[Seen]) -> str:
    """Why an offer is a slip or a test, where at least two other providers ask for the card."""
    others = [other.amount for other in everybody if other.who != one.who]
    if len(others) < ENOUGH - 1:
        return ""
    usual = median(others)
    if OFFER_LOW * usual <= one.amount <= OFFER_HIGH * usual:
        return ""
    return f"{_offer(one)} is {one.amount / usual:.2g} times what the other {count(len(others), 'provider')} ask"


def _offer(one: Seen) -> str:
    return f"{one.price.provider}'s offer of {one.amount:.3g} an hour"


def _alike_by(
    cards: Iterable[GpuRecord], by: Callable[[GpuRecord], tuple[object, ...]]
) -> Mapping[tuple[object, ...], Sequence[GpuRecord]]:
    """Cards of a kind together, so that one is held against its like and not against all others."""
    groups: dict[tuple[object, ...], list[GpuRecord]] = defaultdict(list)
    for card in cards:
        groups[by(card)].append(card)
    return groups


def _chip_and_memory(gpu: GpuRecord) -> tuple[object, ...]:
    return gpu.segment, gpu.architecture, gpu.memory_gb


def _name_without_memory(gpu: GpuRecord) -> tuple[object, ...]:
    """What cards share that differ in memory alone: "T1000 4GB" and "T1000 8GB"."""
    return gpu.vendor, NAMED_MEMORY.sub("", gpu.name)


def _maker_and_use(gpu: GpuRecord) -> tuple[object, ...]:
    return gpu.vendor, gpu.segment


def _siblings(one: GpuRecord, other: GpuRecord) -> bool:
    """Of cards of the same use, architecture and memory: nearly the same bandwidth."""
    mine, theirs = one.memory_bandwidth_gb_s, other.memory_bandwidth_gb_s
    return bool(mine and theirs and abs(mine / theirs - 1) <= SIBLING_BANDWIDTH)


def _better(other: GpuRecord, gpu: GpuRecord) -> bool:
    """Whether another card of the same maker and use, of about its time or later, has as much memory and bandwidth."""
    if other.id == gpu.id or len(other.launch_date) < len("2026-11"):
        return False
    mine, theirs = _figures(gpu), _figures(other)
    more = mine is not None and theirs is not None and all(b >= a for a, b in zip(mine, theirs, strict=True))
    return more and staleness.age_days(other.launch_date, f"{gpu.launch_date}-01"[:10]) <= BETTER_DAYS


def _lesser(other: GpuRecord, gpu: GpuRecord) -> bool:
    """Whether another card of the same maker and use has no more memory and bandwidth, and less of one of them."""
    mine, theirs = _figures(gpu), _figures(other)
    if not mine or not theirs:
        return False
    return theirs != mine and all(b <= a for a, b in zip(mine, theirs, strict=True))


def _figures(gpu: GpuRecord) -> tuple[float, float, float] | None:
    memory, bandwidth = gpu.memory_gb, gpu.memory_bandwidth_gb_s
    return (1.0, math.log(memory), math.log(bandwidth)) if memory and bandwidth else None


def _figures_of_year(gpu: GpuRecord) -> tuple[float, ...] | None:
    figures = _figures(gpu)
    return (*figures, float(gpu.launch_date[:4])) if figures and gpu.launch_date else None


def _line(points: Sequence[Sequence[float]]) -> tuple[float, ...]:
    """The straight line of least squares through points whose last figure is the one to be explained."""
    table = np.array(points)
    found, *_ = np.linalg.lstsq(table[:, :-1], table[:, -1], rcond=None)
    return tuple(float(number) for number in found)


def _month(date: str) -> str:
    return day(date[:7])


def _net_usd(quote: Quote) -> float:
    return (quote.without_tax or 0.0) * _usd(quote.market)


def _usd(market: Market) -> float:
    return currencies.load()[MARKETS[market].currency].usd


__all__ = ["Book", "Quote", "amount", "quote", "quotes"]
