"""Prices to buy that no other source bears out: flagged, so that no price of now and no drawn history counts them.

What sellers ask can be one listing: a month of one source that lies more than a third (`price_list.JUMP`) from the
median of its own months around it needs a second source of any kind of price for the same card. What buyers paid is a
mean over many sales and is left as it is. Outliers of rent are judged where offers are compared: derive/prices/quote.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median

from pipeline.core.schema import Price
from pipeline.intake.price_list import FAR_TIMES, JUMP

BUYING = ("retail", "used", "system")
MONTH = re.compile(r"(\d{4})-(\d{2})")
# Months before and after from which the usual price is taken, and how many of them must be known.
AROUND, KNOWN = 3, 2
# Another source speaks of the same time when its month is no further away than this.
NEAR = 1
# What lies further than `FAR_TIMES` from all that so many other sources state within a year is no price of the card: of
# the real ones none does.
ENOUGH_OTHERS, YEAR = 2, 12
FAR_FLAG = "far from everything else known of the card: a slip, or another product"
FLAG = "more than a third from the {usual:,.0f} of the months around it, and no other source bears it out"


@dataclass(frozen=True, slots=True)
class SaidPrice:
    """What one source said of a card in one month: US dollars without sales tax."""

    source: str
    month: int
    usd: float


def flagged(prices: Iterable[Price]) -> list[Price]:
    """The same prices, those without support flagged with the reason; a reason already given stands."""
    rows = list(prices)
    said = _said(rows)
    usual = dict(_unsupported(rows, said))
    far = set(map(id, _far(rows)))
    return [
        replace(row, flag=FLAG.format(usual=usual[key]))
        if (key := _place(row)) in usual
        else replace(row, flag=FAR_FLAG)
        if id(row) in far
        else row
        for row in rows
    ]


def is_ours(flag: str) -> bool:
    """Whether a flag was given here, and not by the source or by the person who typed the row."""
    return flag == FAR_FLAG or flag.startswith(FLAG.partition("{")[0])


def _far(rows: Sequence[Price]) -> Iterator[Price]:
    """Prices of cards beyond `FAR_TIMES` of everything that other sources, two at least, state of them that year."""
    stated: dict[str, list[SaidPrice]] = defaultdict(list)
    for row in rows:
        if row.kind != "system" and (month := _month(row)) is not None:
            stated[row.gpu].append(SaidPrice(row.source, month, _net(row)))
    for row in rows:
        month = _month(row)
        if month is None or row.kind == "system":
            continue
        others = [one for one in stated[row.gpu] if one.source != row.source and abs(one.month - month) <= YEAR]
        if len({one.source for one in others}) < ENOUGH_OTHERS:
            continue
        least, most = min(one.usd for one in others), max(one.usd for one in others)
        if not least / FAR_TIMES <= _net(row) <= most * FAR_TIMES:
            yield row


Series = tuple[str, str, str, str]
Place = tuple[Series, int]


def _place(price: Price) -> Place | None:
    """Which month of which series a price stands in; None for what is not judged here."""
    month = _month(price)
    if month is None or price.basis == "sold":
        return None
    return (price.gpu, price.kind, price.source, price.country), month


def _said(rows: Sequence[Price]) -> Mapping[str, list[SaidPrice]]:
    found: dict[str, list[SaidPrice]] = defaultdict(list)
    for row in rows:
        if (month := _month(row)) is not None:
            found[row.gpu].append(SaidPrice(row.source, month, _net(row)))
    return found


def _unsupported(rows: Sequence[Price], said: Mapping[str, Sequence[SaidPrice]]) -> Iterator[tuple[Place, float]]:
    """Each month that its neighbours contradict and nobody else bears out, with what is usual around it."""
    series: dict[Series, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        if place := _place(row):
            series[place[0]][place[1]].append(_net(row))
    for of, months in series.items():
        for month, amounts in months.items():
            around = [median(months[other]) for other in months if 0 < abs(other - month) <= AROUND]
            if len(around) < KNOWN:
                continue
            usd, usual = median(amounts), median(around)
            others = (one for one in said[of[0]] if one.source != of[2] and abs(one.month - month) <= NEAR)
            if _apart(usd, usual) and all(_apart(one.usd, usd) for one in others):
                yield (of, month), usual


def _apart(one: float, other: float) -> bool:
    return round(abs(one / other - 1), 6) > round(JUMP, 6)


def _net(price: Price) -> float:
    return price.unit_usd / (1 + (price.tax or 0.0) / 100)


def _month(price: Price) -> int | None:
    """The month of a sound price to buy, counted from year 0; None for another kind and for a day that is none."""
    found = MONTH.match(price.date)
    counts = price.kind in BUYING and not price.flag and (price.usd_per_unit or 0) > 0
    return int(found[1]) * 12 + int(found[2]) if found and counts else None
