"""The cards that people weigh against a card: next up and down, the generations beside it, same money, another maker.

    rivals = Rivals(dataset)
    rivals.of(dataset.gpus["nvidia-geforce-rtx-4090"])   # RTX 3090 before it, RTX 5090 after it, RTX 4080 Super below …

The card pages show them and the pair pages are made from them. Nearness by figures alone names variants that nobody
chooses between (the 4090 D beside the 4090); the order here is the one in which people ask.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from pipeline.dataset import Dataset, GpuRecord
from pipeline.derive import metrics
from pipeline.derive.prices.quote import quotes

UP, DOWN, BEFORE, AFTER = "next up", "next down", "the generation before", "the generation after"
MONEY, MAKER = "for the same money", "from another maker"
# Two prices that one budget covers.
SAME_MONEY = 1.2
# Generations lie so far apart: closer ones are one with a refresh, and further ones are two steps away.
GENERATION_YEARS, MOST_GENERATION_YEARS = 0.9, 3.2
# Cards of one maker are weighed against another's, and cards for the same money, while they are of one time.
SAME_TIME_YEARS = 3.5
# Variants for one country's export rules and for laptops: nobody who has the choice weighs them.
SPECIAL = re.compile(r"\b(?:D|D v2|H800|H20|A800|L20|L2|MI308X|B30A|Laptop|Mobile|Max-Q)\b")
# The number by which a maker tells the class of a card: the 90 of RTX 4090, the 9 of RX 7900, the 6 of RTX A6000.
CLASS_NUMBER = re.compile(r"\b(?:[A-Z]{1,3})?(\d)(\d)?0?(\d0|\d{2})\b")
GRADES = ("Ti Super", "Super", "Ti", "XTX", "XT", "GRE")


@dataclass(frozen=True, slots=True)
class Rival:
    """A card beside another, and why people weigh it."""

    gpu: GpuRecord
    role: str


class Rivals:
    """The rivals of every card of a dataset; groups and neighbours are worked out once."""

    def __init__(self, dataset: Dataset) -> None:
        self._book = quotes(dataset)
        self._near = metrics.Neighbours(dataset)
        self._generations: dict[tuple[str, str], list[list[GpuRecord]]] = {}
        for key, cards in _grouped(dataset.gpus.values()).items():
            self._generations[key] = sorted(cards.values(), key=_launched_together)
        rented = {id for id in dataset.gpus if self._book.to_rent(id).value is not None}
        self._rented = frozenset(id for id in rented if dataset.gpus[id].segment == "datacenter")
        self._to_have = rented | {id for id in dataset.gpus if self._book.to_buy(id).value is not None}

    def of(self, gpu: GpuRecord) -> list[Rival]:
        """The rivals of a card in the order in which people ask; each card once."""
        found: dict[str, Rival] = {}
        for role, other in self._candidates(gpu):
            if other is not None and other.id != gpu.id:
                found.setdefault(other.id, Rival(other, role))
        return list(found.values())

    def _candidates(self, gpu: GpuRecord) -> Iterator[tuple[str, GpuRecord | None]]:
        generations = self._generations[_family(gpu)]
        own = next(cards for cards in generations if gpu in cards)
        ladder = sorted((card for card in own if card is gpu or not _is_special(card)), key=_strength)
        place = ladder.index(gpu)
        before, after = _beside(generations, own)
        yield AFTER, self._counterpart(gpu, after)
        yield BEFORE, self._counterpart(gpu, before)
        yield UP, ladder[place + 1] if place + 1 < len(ladder) else None
        yield DOWN, ladder[place - 1] if place else None
        yield MAKER, self._of_another_maker(gpu)
        yield MONEY, self._for_the_same_money(gpu)

    def _counterpart(self, gpu: GpuRecord, others: Sequence[GpuRecord]) -> GpuRecord | None:
        """The card of another generation in the same place: form, class and grade first, then price and memory."""
        found = [card for card in others if not _is_special(card)]
        return min(
            found,
            key=lambda card: (
                card.form_factor[:3] != gpu.form_factor[:3],
                card.id not in self._to_have,
                _class_number(card) != _class_number(gpu),
                _class_number(card) == _class_number(gpu) and _grade(card) != _grade(gpu),
                *_unlike(gpu, card),
            ),
            default=None,
        )

    def _of_another_maker(self, gpu: GpuRecord) -> GpuRecord | None:
        """Of those sold or rented today and of its time the most alike in price, memory and bandwidth.

        Beside a card of the data centre that is rented stands one that is rented too, where there is one: the MI300X
        beside the H100, and not an MI210 that is only sold second hand.
        """
        near = [card for card in self._near.ranked(gpu) if card.vendor != gpu.vendor and not _is_special(card)]
        of_its_time = [card for card in near if _years_apart(gpu, card) <= SAME_TIME_YEARS]
        to_have = [card for card in of_its_time if card.id in self._to_have]
        rented = [card for card in to_have if card.id in self._rented] if gpu.id in self._rented else []
        return min(rented or to_have or of_its_time or near, key=lambda card: _unlike(gpu, card), default=None)

    def _for_the_same_money(self, gpu: GpuRecord) -> GpuRecord | None:
        """Of the cards of its time that cost as much now, to rent in the data centre and to buy elsewhere, the
        one that moves most data.
        """
        others = [card for card in self._near.group(gpu) if card is not gpu and not _is_special(card)]
        of_its_time = [card for card in others if _years_apart(gpu, card) <= SAME_TIME_YEARS]
        affordable = [card for card in of_its_time if self._cost_alike(gpu, card)]
        return max(affordable, key=_strength, default=None)

    def _cost_alike(self, one: GpuRecord, two: GpuRecord) -> bool:
        book = self._book
        pair = (
            book.both_to_rent(one.id, two.id)
            if one.segment == "datacenter"
            else (book.to_buy(one.id), book.to_buy(two.id))
        )
        first, second = (quote.value for quote in pair) if pair else (None, None)
        return bool(first and second and _times(first, second) <= SAME_MONEY)


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
    return sum(min(_apart(a, b), math.log(2)) for a, b in zip(*figures, strict=True)), two.id


def _launched_together(cards: Sequence[GpuRecord]) -> float:
    years = sorted(metrics.year_of(card.launch_date) for card in cards if card.launch_date)
    return years[len(years) // 2] if years else 0.0


def _years_apart(one: GpuRecord, two: GpuRecord) -> float:
    if not one.launch_date or not two.launch_date:
        return math.inf
    return abs(metrics.year_of(one.launch_date) - metrics.year_of(two.launch_date))


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
