"""The judged options in, the price (or the workload) at which the first choice changes out, solved exactly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pipeline.choose.judge import Option, ceiling, money, options, ranked
from pipeline.choose.market import Way
from pipeline.choose.need import Need
from pipeline.choose.shelf import Shelf

# The step across the threshold that must change the answer: a dollar for a card, a cent for a GPU-hour.
STEP_USD = {"buy": 1.0, "rent": 0.01}
PRICE_UNIT = {"buy": "USD each", "rent": "USD per GPU-hour"}
SOFT = ("budget", "monthly budget")


@dataclass(frozen=True, slots=True)
class Flip:
    """Up to this price of one GPU the first choice stands, above it another one does (or, below, a choice appears)."""

    gpu: str
    name: str
    way: Way
    price_now: float | None
    threshold: float
    direction: str  # above, below: on which side of the threshold the answer changes
    then: str  # the first choice on that side; "" when nothing meets the need there
    because: str

    @property
    def step(self) -> float:
        """How far a test moves the price across the threshold."""
        return STEP_USD[self.way]

    @property
    def unit(self) -> str:
        """What the threshold is counted in."""
        return PRICE_UNIT[self.way]


def flip(on: Shelf, need: Need, judged: Sequence[Option], order: Sequence[Option]) -> Flip | None:
    """The nearest price of the first choice at which another option becomes first; None where no price does."""
    if not order:
        return _appears(on, need, judged)
    first = order[0]
    found = [(price, why) for price, why in _crossings(first, order, need) if price >= first.price]
    if not found:
        return None
    threshold, why = min(found)
    then = first_at(on, need, first, threshold + STEP_USD[first.way])
    return Flip(first.gpu.id, first.gpu.name, first.way, first.price, threshold, "above", _name(then), why)


def first_at(on: Shelf, need: Need, option: Option, price: float) -> Option | None:
    """The first choice when this GPU costs that much."""
    order = ranked(options(on, with_price(need, option.gpu.id, option.way, price)), need)
    return order[0] if order else None


def with_price(need: Need, gpu: str, way: Way, price: float) -> Need:
    """The same need with the reader's own price of one GPU."""
    if way == "buy":
        return replace(need, own_prices={**need.own_prices, gpu: price})
    return replace(need, own_rents={**need.own_rents, gpu: price})


def wins_at(option: Option, first: Option | None, need: Need) -> float | None:
    """The price of one GPU below which an option that is fit for the need would be first; None where none would."""
    limit = ceiling(option, need)
    if first is None:
        return limit
    if need.ranked_by == "fastest":
        faster = _rate(option) > _rate(first)
        return limit if faster else None
    mine, best = (o.cost.per_million if need.ranked_by == "cheapest_work" else o.cost.total for o in (option, first))
    if mine is None or best is None:
        return None
    price = mine.price_for(best.at(first.price))
    price = price if limit is None else min(price, limit)
    return price if price > 0 else None


@dataclass(frozen=True, slots=True)
class WorkloadFlip:
    """How much work makes buying cheaper than renting."""

    amount: float
    unit: str  # hours a week, runs
    buy: str
    rent: str
    below: str  # what is cheaper below it


def workload(need: Need, order: Sequence[Option]) -> WorkloadFlip | None:
    """The hours a week (or runs) at which the best option to buy and the best to rent cost the same."""
    buy = next((o for o in order if o.way == "buy"), None)
    rent = next((o for o in order if o.way == "rent"), None)
    if buy is None or rent is None or buy.total_usd is None or rent.total_usd is None:
        return None
    energy = buy.cost.energy_usd
    kept, worked = buy.total_usd - energy, rent.total_usd - energy
    if worked <= 0:
        return None  # renting costs less than the electricity of the bought card
    times = kept / worked
    if need.rule.once:
        return WorkloadFlip(times, "runs", buy.name, rent.name, "rent")
    return WorkloadFlip(times * need.hours_per_week, "hours a week", buy.name, rent.name, "rent")


def _crossings(first: Option, order: Sequence[Option], need: Need) -> Iterator[tuple[float, str]]:
    limit = ceiling(first, need)
    if limit is not None:
        yield limit, "it leaves the budget"
    for other in order[1:]:
        if need.ranked_by == "fastest" and _rate(other) < _rate(first):
            continue
        price = _equal_price(first, other, need)
        if price is not None:
            yield price, f"{other.name} to {other.way} costs the same"


def _equal_price(first: Option, other: Option, need: Need) -> float | None:
    """The price at which two options cost the same; options of one GPU move together."""
    work = need.ranked_by == "cheapest_work"
    mine, theirs = (o.cost.per_million if work else o.cost.total for o in (first, other))
    if mine is None or theirs is None:
        return None
    if (other.gpu.id, other.way) != (first.gpu.id, first.way):
        return mine.price_for(theirs.at(other.price))
    slope = mine.slope - theirs.slope
    return (theirs.fixed - mine.fixed) / slope if slope > 0 else None


def _appears(on: Shelf, need: Need, judged: Sequence[Option]) -> Flip | None:
    """Where nothing meets the need: the option that is nearest to the budget, and the price at which it would."""
    near = [(o, limit) for o in judged if _only(o, SOFT) and (limit := ceiling(o, need)) is not None and limit > 0]
    lacking = (o for o in judged if _only(o, ("price",)))
    unpriced = [(o, limit) for o in lacking if (limit := ceiling(o, need)) is not None and limit > 0]
    if near:
        option, limit = min(near, key=lambda pair: (pair[0].price / pair[1], pair[0].key))
    elif unpriced:
        option, limit = max(unpriced, key=lambda pair: (pair[1], pair[0].key))
    else:
        return None
    then = first_at(on, need, option, limit - STEP_USD[option.way]) if limit > STEP_USD[option.way] else None
    if then is None:
        return None
    now = option.quote.usd if option.quote else None
    why = f"then it is within the budget of {money(need.budget_usd or need.budget_per_month_usd or 0, need)}"
    return Flip(option.gpu.id, option.gpu.name, option.way, now, limit, "below", _name(then), why)


def _only(option: Option, names: Sequence[str]) -> bool:
    return bool(option.failures) and all(failure.name in names for failure in option.failures)


def _rate(option: Option) -> float:
    return option.ability.rate.median if option.ability.rate else 0.0


def _name(option: Option | None) -> str:
    return f"{option.name} to {option.way}" if option else ""
