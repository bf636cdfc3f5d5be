"""The cards that people weigh against a card: next up and down, the generations beside it, same money, another maker.

    rivals = Rivals(dataset)
    rivals.of(dataset.gpus["nvidia-geforce-rtx-4090"])   # RTX 3090 before it, RTX 5090 after it, RTX 4080 Super below …

The card pages show them and the pair pages are made from them. Nearness by figures alone names variants that nobody
chooses between (the 4090 D beside the 4090); the order here is the one in which people ask.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np
import numpy.typing as npt

from pipeline.dataset import Dataset, GpuRecord
from pipeline.derive import metrics
from pipeline.derive.prices.quote import quotes
from pipeline.derive.prices.rules import ON_DEMAND

UP, DOWN, BEFORE, AFTER = "next up", "next down", "the generation before", "the generation after"
MONEY, MAKER = "for the same money", "from another maker"
# Two prices that one budget covers.
SAME_MONEY = 1.2
# Generations lie so far apart: closer ones are one with a refresh, and further ones are two steps away.
GENERATION_YEARS, MOST_GENERATION_YEARS = 0.9, 3.2
# Cards of one maker are weighed against another's, and cards for the same money, while they are of one time.
SAME_TIME_YEARS = 3.5
# A figure that is unknown of one of two cards counts as twice as much, and so does one that is more than that.
UNKNOWN_APART = math.log(2)
ROUNDING = 1e-9
# Variants for one country's export rules and for laptops: nobody who has the choice weighs them.
SPECIAL = re.compile(r"\b(?:D|D v2|H800|H20|A800|L20|L2|MI308X|B30A|Laptop|Mobile|Max-Q)\b")
# The number by which a maker tells the class of a card: the 90 of RTX 4090, the 9 of RX 7900, the 6 of RTX A6000.
CLASS_NUMBER = re.compile(r"\b(?:[A-Z]{1,3})?(\d)(\d)?0?(\d0|\d{2})\b")
GRADES = ("Ti Super", "Super", "Ti", "XTX", "XT", "GRE")
# For the method page.
RULE = (
    "Six cards at most. Of the generation before and of the one after, the card in the same place: of those of the "
    "same form that are sold or rented today first, the one with the same class number and grade in its name (the 90 "
    "and the Ti of RTX 3090 Ti), of several the nearest in launch price, memory and bandwidth. From its own generation "
    "the next stronger and the next weaker card, by bandwidth times the square root of memory. From another maker the "
    "card that is nearest in launch price, memory and bandwidth (least sum of their ratios as logarithms, a figure "
    f"that is unknown counting as {math.exp(UNKNOWN_APART):g} times as much), among cards for the same use that "
    f"launched within {SAME_TIME_YEARS:g} years of it and are sold or rented today; beside a rented card for data "
    "centres one that is rented too. For the same money the strongest by that product, among cards launched within "
    f"the same years, where the dearer of the two costs at most {100 * (SAME_MONEY - 1):.0f} % more today: to rent for "
    "data centres, else to buy."
)


@dataclass(frozen=True, slots=True)
class Rival:
    """A card beside another, and why people weigh it."""

    gpu: GpuRecord
    role: str


@dataclass(frozen=True, slots=True)
class Generation:
    """Cards that launched together, the cards of the generations beside it, and its ladder, the weakest first."""

    before: Sequence[GpuRecord]
    after: Sequence[GpuRecord]
    ladder: Sequence[GpuRecord]
    strengths: Sequence[tuple[float, float, str]]


class Rivals:
    """The rivals of every card of a dataset; groups, ladders and columns are worked out once.

    A card is held against all others of its use in one step, and only the few that are left are looked at one by one:
    thousands of cards cost little more for each than hundreds.
    """

    def __init__(self, dataset: Dataset) -> None:
        self._book = quotes(dataset)
        rented = {id for id in dataset.gpus if self._book.to_rent(id).value is not None}
        self._rented = frozenset(id for id in rented if dataset.gpus[id].segment == "datacenter")
        self._to_have = rented | {id for id in dataset.gpus if self._book.to_buy(id).value is not None}
        self._generations: dict[str, Generation] = {}  # by card
        for groups in _grouped(dataset.gpus.values()).values():
            family = sorted(groups.values(), key=_launched_together)
            for own in family:
                self._generations |= dict.fromkeys([card.id for card in own], _generation_of(family, own))
        self._like: dict[tuple[int, str, str, str], list[GpuRecord]] = {}
        uses: dict[str, list[GpuRecord]] = {}
        for gpu in dataset.gpus.values():
            uses.setdefault(metrics.use_of(gpu), []).append(gpu)
        self._uses = {use: self._columns(cards) for use, cards in uses.items()}

    def of(self, gpu: GpuRecord) -> list[Rival]:
        """The rivals of a card in the order in which people ask; each card once."""
        found: dict[str, Rival] = {}
        for role, other in self._candidates(gpu):
            if other is not None and other.id != gpu.id:
                found.setdefault(other.id, Rival(other, role))
        return list(found.values())

    def _candidates(self, gpu: GpuRecord) -> Iterator[tuple[str, GpuRecord | None]]:
        own = self._generations[gpu.id]
        # A variant for one country stands on no ladder: its neighbours are those of the place that it would have.
        weaker = bisect_left(own.strengths, _strength(gpu))
        stronger = weaker if _is_special(gpu) else weaker + 1
        yield AFTER, self._counterpart(gpu, own.after)
        yield BEFORE, self._counterpart(gpu, own.before)
        yield UP, own.ladder[stronger] if stronger < len(own.ladder) else None
        yield DOWN, own.ladder[weaker - 1] if weaker else None
        yield MAKER, self._of_another_maker(gpu)
        yield MONEY, self._for_the_same_money(gpu)

    def _counterpart(self, gpu: GpuRecord, others: Sequence[GpuRecord]) -> GpuRecord | None:
        """The card of another generation in the same place: form, class and grade first, then price and memory."""
        place = (id(others), gpu.form_factor[:3], _class_number(gpu), _grade(gpu))
        if place not in self._like:  # found once for all cards of one place
            self._like[place] = _least([card for card in others if not _is_special(card)], partial(self._unlike, gpu))
        return min(self._like[place], key=lambda card: _unlike(gpu, card), default=None)

    def _unlike(self, gpu: GpuRecord, card: GpuRecord) -> tuple[bool, bool, bool, bool]:
        """In what a card of another generation has another place than this one."""
        same_class = _class_number(card) == _class_number(gpu)
        return (
            card.form_factor[:3] != gpu.form_factor[:3],
            card.id not in self._to_have,
            not same_class,
            same_class and _grade(card) != _grade(gpu),
        )

    def _of_another_maker(self, gpu: GpuRecord) -> GpuRecord | None:
        """Of those sold or rented today and of its time the most alike in price, memory and bandwidth.

        Beside a card of the data centre that is rented stands one that is rented too, where there is one: the MI300X
        beside the H100, and not an MI210 that is only sold second hand.
        """
        on = self._uses[metrics.use_of(gpu)]
        near = on.comparable(gpu) & (on.vendor != gpu.vendor) & ~on.special
        of_its_time = near & on.of_the_time_of(gpu)
        to_have = of_its_time & on.to_have
        rented = to_have & on.rented & (gpu.id in self._rented)
        pool = next((found for found in (rented, to_have, of_its_time) if found.any()), near)
        return min(on.most_alike(gpu, pool), key=lambda card: _unlike(gpu, card), default=None)

    def _for_the_same_money(self, gpu: GpuRecord) -> GpuRecord | None:
        """Of the cards of its time that cost as much now, to rent in the data centre and to buy elsewhere, the
        one that moves most data.
        """
        on = self._uses[metrics.use_of(gpu)]
        asked = np.array(self._asked(gpu), float)[:, None]
        alike = (np.maximum(on.asked, asked) / np.minimum(on.asked, asked) <= SAME_MONEY).any(axis=0)
        found = np.flatnonzero(alike & on.of_the_time_of(gpu) & ~on.special).tolist()
        strongest = (on.cards[place] for place in reversed(found))
        return next((card for card in strongest if card.id != gpu.id and self._cost_alike(gpu, card)), None)

    def _cost_alike(self, one: GpuRecord, two: GpuRecord) -> bool:
        book = self._book
        pair = (
            book.both_to_rent(one.id, two.id)
            if one.segment == "datacenter"
            else (book.to_buy(one.id), book.to_buy(two.id))
        )
        first, second = (quote.value for quote in pair) if pair else (None, None)
        return bool(first and second and _times(first, second) <= SAME_MONEY)

    def _asked(self, gpu: GpuRecord) -> tuple[float | None, float | None]:
        """The prices of which one must be alike: of both kinds of houses that rent, or what it costs to buy."""
        if gpu.segment != "datacenter":
            return self._book.to_buy(gpu.id).value, None
        clouds, hosts = (self._book.quote(gpu.id, kind).value for kind in ON_DEMAND)
        return clouds, hosts

    def _columns(self, cards: Iterable[GpuRecord]) -> Columns:
        ordered = sorted(cards, key=_strength)
        return Columns(
            ordered,
            np.array([card.vendor for card in ordered]),
            np.array([_is_special(card) for card in ordered], bool),
            np.array([card.id in self._to_have for card in ordered], bool),
            np.array([card.id in self._rented for card in ordered], bool),
            np.array([_year(card) for card in ordered], float),
            np.array([metrics.known_figures(card) for card in ordered], bool).T,
            np.array([_logs(card) for card in ordered], float).T,
            np.array([self._asked(card) for card in ordered], float).T,
        )


@dataclass(frozen=True, slots=True)
class Columns:
    """The cards of one use, the weakest first, and what is asked of them, in columns; what is unknown is no number."""

    cards: Sequence[GpuRecord]
    vendor: npt.NDArray[np.str_]
    special: npt.NDArray[np.bool_]
    to_have: npt.NDArray[np.bool_]
    rented: npt.NDArray[np.bool_]
    year: npt.NDArray[np.float64]
    known: npt.NDArray[np.bool_]  # a row a figure
    logs: npt.NDArray[np.float64]  # the same, of launch price, memory and bandwidth
    asked: npt.NDArray[np.float64]  # the same, of the prices that may be alike

    def comparable(self, gpu: GpuRecord) -> npt.NDArray[np.bool_]:
        """Where enough figures are known of both."""
        own = np.array(metrics.known_figures(gpu), bool)[:, None]
        return np.asarray((self.known & own).sum(axis=0) >= metrics.NEIGHBOUR_FIGURES)

    def of_the_time_of(self, gpu: GpuRecord) -> npt.NDArray[np.bool_]:
        """Where both launched within the years of one time."""
        return np.asarray(np.abs(self.year - _year(gpu)) <= SAME_TIME_YEARS)

    def most_alike(self, gpu: GpuRecord, pool: npt.NDArray[np.bool_]) -> list[GpuRecord]:
        """Those of a pool among which the most alike is, to what two ways of rounding may differ in."""
        places = np.flatnonzero(pool)
        if not places.size:
            return []
        apart = np.abs(self.logs[:, places] - np.array(_logs(gpu), float)[:, None])
        apart = np.where(apart < UNKNOWN_APART, apart, UNKNOWN_APART).sum(axis=0)
        return [self.cards[place] for place in places[apart <= apart.min() + ROUNDING].tolist()]


def _grouped(gpus: Iterable[GpuRecord]) -> dict[tuple[str, str], dict[str, list[GpuRecord]]]:
    groups: dict[tuple[str, str], dict[str, list[GpuRecord]]] = {}
    for gpu in gpus:
        groups.setdefault(_family(gpu), {}).setdefault(_generation(gpu), []).append(gpu)
    return groups


def _family(gpu: GpuRecord) -> tuple[str, str]:
    return gpu.vendor, gpu.segment


def _generation(gpu: GpuRecord) -> str:
    """What launched together: a line for the desk; in the data centre lines go on while architectures change."""
    return gpu.architecture if gpu.segment == "datacenter" else gpu.line


def _beside(
    generations: Sequence[list[GpuRecord]], own: list[GpuRecord]
) -> tuple[Sequence[GpuRecord], Sequence[GpuRecord]]:
    """The generation before and the one after; a refresh within the year is passed over."""
    when = _launched_together(own)
    years = [(_launched_together(cards) - when, cards) for cards in generations]
    earlier = [card for away, cards in years if GENERATION_YEARS <= -away <= MOST_GENERATION_YEARS for card in cards]
    later = [card for away, cards in years if GENERATION_YEARS <= away <= MOST_GENERATION_YEARS for card in cards]
    return earlier, later


def _strength(gpu: GpuRecord) -> tuple[float, float, str]:
    """The place of a card among others: bandwidth and, half as much, memory; of equal ones the faster shaders."""
    reach = (gpu.memory_bandwidth_gb_s or 1.0) * math.sqrt(gpu.memory_gb or 1.0)
    return reach, gpu.peak("fp32", "fp32", engine="vector") or 0.0, gpu.id


def _unlike(one: GpuRecord, two: GpuRecord) -> tuple[float, str]:
    """How far two cards lie apart in launch price, memory and bandwidth; what is unknown counts as twice as much."""
    figures = ((card.launch_price_usd, card.memory_gb, card.memory_bandwidth_gb_s) for card in (one, two))
    return sum(min(_apart(a, b), UNKNOWN_APART) for a, b in zip(*figures, strict=True)), two.id


def _logs(gpu: GpuRecord) -> tuple[float | None, ...]:
    """The same figures as logarithms, to hold a card against all others in one step."""
    figures = (gpu.launch_price_usd, gpu.memory_gb, gpu.memory_bandwidth_gb_s)
    return tuple(math.log(figure) if figure else None for figure in figures)


def _least(cards: Iterable[GpuRecord], key: Callable[[GpuRecord], tuple[bool, ...]]) -> list[GpuRecord]:
    """All that share the least key."""
    keyed = [(key(card), card) for card in cards]
    least = min((found for found, _ in keyed), default=None)
    return [card for found, card in keyed if found == least]


def _generation_of(family: Sequence[list[GpuRecord]], own: list[GpuRecord]) -> Generation:
    before, after = _beside(family, own)
    ladder = sorted((card for card in own if not _is_special(card)), key=_strength)
    return Generation(before, after, ladder, [_strength(card) for card in ladder])


def _launched_together(cards: Sequence[GpuRecord]) -> float:
    years = sorted(metrics.year_of(card.launch_date) for card in cards if card.launch_date)
    return years[len(years) // 2] if years else 0.0


def _year(gpu: GpuRecord) -> float:
    """When it launched; no number where that is unknown, so that nothing is of its time."""
    return metrics.year_of(gpu.launch_date) if gpu.launch_date else math.nan


def _is_special(gpu: GpuRecord) -> bool:
    return _named_special(gpu.name)


@lru_cache(maxsize=4096)  # the rivals of a card ask it of each other card
def _named_special(name: str) -> bool:
    return SPECIAL.search(name) is not None


def _class_number(gpu: GpuRecord) -> str:
    found = CLASS_NUMBER.search(gpu.name)
    if found is None:
        return ""
    return found[3] if gpu.line.startswith("GeForce") else found[2] or found[1]


def _grade(gpu: GpuRecord) -> str:
    return next((grade for grade in GRADES if re.search(rf"\b{grade}\b", gpu.name)), "")


def _times(one: float, two: float) -> float:
    return max(one, two) / min(one, two)


def _apart(one: float | None, two: float | None) -> float:
    return math.log(_times(one, two)) if one and two else math.inf


def pairs(dataset: Dataset, cards: Sequence[GpuRecord]) -> list[tuple[GpuRecord, GpuRecord]]:
    """Each of the cards with each of its rivals, once; the earlier launch stands first, as people ask."""
    rivals = Rivals(dataset)
    found: dict[frozenset[str], tuple[GpuRecord, GpuRecord]] = {}
    for gpu in cards:
        for rival in rivals.of(gpu):
            one, two = sorted((gpu, rival.gpu), key=lambda card: (card.launch_date, card.id))
            found.setdefault(frozenset((one.id, two.id)), (one, two))
    return list(found.values())
