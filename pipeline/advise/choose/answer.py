"""The answer to a question: every option judged, the curve of cost against speed, and three named choices on it.

`choose` is the front door. An option is one GPU in one count, bought or rented. It must meet every constraint of the
rules; it does the task well when it also passes the written standard. Of those that do it well, *least* costs the least
a month, *most* is the last step up within the budget that is worth its money, and *value* is the knee of the curve
between them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

from pipeline.advise import rules
from pipeline.advise.choose import hosts, market, support
from pipeline.advise.choose.catalogue import COUNTS, Ability, Shelf, hosted_ability, shelf
from pipeline.advise.choose.market import RankedQuote
from pipeline.advise.choose.need import CONSTANTS, RULES, TRAINING, Need, NeedError, Way, as_plain, checked
from pipeline.advise.estimate import Interval, models
from pipeline.advise.estimate.tensors import parameters
from pipeline.dataset import Dataset
from pipeline.derive.prices.rules import DEFAULT_MARKET

CIRCUITS: Mapping[str, float] = {market: one["is"] for market, one in RULES["constants"]["circuit_w"].items()}
CHOICES: tuple[str, ...] = tuple(RULES["choices"])
ALTERNATIVES = 3
BEYOND = 1 + 1e-9  # so little more than a price at which a choice turns
# Of cards that are no choice so many are told, of one kind of reason so many, and of so many without a price it is
# worked out whether they would do it.
PASSED_SHOWN, PASSED_ALIKE, PASSED_TRIED = 8, 4, 12
# What somebody owns is kept where it misses nothing but this point of the standard: memory that is tight costs nothing.
KEPT = "headroom"
WHOLE, BOARD = "SoC", "edge"  # the form of what is sold as a whole machine, and the segment of boards for robots
MIXED = "estimated from each card alone, by its share of the memory, because they work one after the other"


@dataclass(frozen=True, slots=True)
class Check:
    """A constraint or a point of the standard, its formulas ready to be worked out."""

    name: str
    holds: rules.Value
    gap: rules.Value
    says: Any
    weight: int = 1  # of a point of the standard: for how many it counts
    lasting: bool = False  # whether more of the same GPU miss it too


def _checks(rows: Sequence[Mapping[str, Any]]) -> tuple[Check, ...]:
    return tuple(
        Check(
            row["name"],
            rules.formula(row["holds"]),
            rules.formula(row.get("gap", "1")),
            rules.sentence(row["says"]),
            row.get("weight", 1),
            row.get("lasting", False),
        )
        for row in rows
    )


CONSTRAINTS = {per: _checks([r for r in RULES["constraints"] if r["per"] == per]) for per in ("offer", "count", "able")}
STANDARD = _checks(RULES["standard"])
HOSTED: Mapping[str, Any] = RULES["hosted"]
STEP, LEADS, OFFERS, SAME_UNTIL = (rules.formula(RULES[name]) for name in ("step", "leads", "offers", "same_until"))
EARLY, LATE = rules.facts(RULES["facts"]["early"]), rules.facts(RULES["facts"]["late"])


@dataclass(frozen=True, slots=True)
class Failure:
    """One constraint that an option does not meet, how far it is off, and the sentence that says so."""

    check: Check
    env: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The name of the constraint."""
        return self.check.name

    @property
    def gap(self) -> float:
        """Relative: 0.1 is a tenth too much or too little; 1 where it cannot be counted."""
        gap = self.check.gap(self.env)
        return 1.0 if gap is None else float(gap)

    @property
    def text(self) -> str:
        """What a reader is told; worked out when it is asked for, because few of thousands ever are."""
        return str(self.check.says(self.env))


@dataclass(frozen=True, slots=True)
class Option:
    """One GPU in one count to buy or to rent, judged; `env` holds every fact that the rules know of it."""

    gpu: str
    count: int
    way: Way
    env: Mapping[str, Any]
    stage: int  # how far it came: offer, count, able, met
    failures: tuple[Failure, ...]
    narrow: tuple[Failure, ...]  # points of the standard that it misses

    @property
    def key(self) -> tuple[str, int, Way]:
        """What makes an option the same option."""
        return self.gpu, self.count, self.way

    @property
    def name(self) -> str:
        """As a reader says it."""
        return str(self.env["name"])

    @property
    def vendor(self) -> str:
        """Its maker."""
        return str(self.env["card"]["vendor"])

    @property
    def meets(self) -> bool:
        """Whether it fails no constraint."""
        return not self.failures

    @property
    def well(self) -> bool:
        """Whether it passes the standard too."""
        return not self.failures and not self.narrow

    @property
    def shortfall(self) -> float:
        """How far it falls short of the standard: what it misses of each point as a share of it, by its weight."""
        return sum(max(failure.gap, 0.0) * failure.check.weight for failure in self.narrow)

    @property
    def at_hand(self) -> bool:
        """Whether somebody owns it already, so that there is nothing to pay for it."""
        return self.stage > 0 and self.way == "buy" and self.env["bought"] == 0

    @property
    def month(self) -> float:
        """Cost of a month, in the currency of the question."""
        return float(self.env["month"])

    @property
    def rate(self) -> float:
        """Work a second, in the middle of the estimate."""
        return float(self.env["able"]["rate"])

    @property
    def speed(self) -> float:
        """The same up to what is enough for the task: more of it is worth nothing."""
        return float(self.env["speed"])

    @property
    def compared(self) -> Mapping[str, Any]:
        """What the rules that hold another option beside this one may ask of it."""
        able = self.env["able"]
        told = {name: able[name] for name in ("rate", "low", "high", "room", "measured")}
        price = self.env["price"] or {}
        kind = "" if self.at_hand else price.get("kind", "")
        named = {"count": self.count, "vendor": self.vendor, "way": self.way, "kind": kind}
        return {**told, **named, **{name: self.env[name] for name in ("month", "speed", "paid")}}


@dataclass(frozen=True, slots=True)
class Candidates:
    """What the three choices were taken from, and the options that they are."""

    judged: Sequence[Option]
    pool: Sequence[Option]
    reach: Sequence[Option]
    curve: Sequence[Option]
    taken: Mapping[str, Option]


@dataclass(frozen=True)
class Choice:
    """One of the three named choices.

    What binds it, when it turns and what else there is are reasons that a page folds away: worked out when asked for.
    """

    id: str
    option: Option
    same_as: str  # the choice before it that is the same option
    cheapest: Option | None  # of the least money: what costs a little less and is clearly slower
    sure: Option | None  # where its speed is an estimate: what was measured to be no slower for little more
    among: Candidates

    @cached_property
    def binds(self) -> tuple[Option, Failure] | None:
        """The cheaper option that comes nearest, and what it misses."""
        least_money = self.id == "least" and not self.option.at_hand
        return _binds(self.among.judged, self.option) if least_money else None

    @cached_property
    def turns(self) -> tuple[float, Option, bool] | None:
        """The price of one GPU above which another option is taken, which, and whether the budget ends there."""
        return _turns(self.option, self.among) if self.id == "least" else None

    @cached_property
    def alternatives(self) -> tuple[Option, ...]:
        """Other cards that have something over every choice, the nearest to this one first."""
        chosen = {o.gpu for o in self.among.taken.values()}
        order = (o for o in one_of_each(_nearest(self.id, self.among)) if o.gpu not in chosen)
        return _worth_naming(order, self.among.taken.values())


@dataclass(frozen=True, slots=True)
class WayOut:
    """A change of the question under which something meets it."""

    change: str
    option: Option
    lent: bool = False  # compared by another task, of whose model the memory that stays free says nothing of this one


@dataclass(frozen=True, slots=True)
class Aside:
    """What costs far less than the first choice: with a small change of the question, or short of one point."""

    change: str  # "" where the question stays as it is
    option: Option


@dataclass(frozen=True, slots=True)
class Passed:
    """A card that a reader may expect among the choices, and why it is none."""

    option: Option
    reason: str


@dataclass(frozen=True)
class Answer:
    """Everything that a page or a command shows; what few readers look at is worked out when it is asked for."""

    need: Need
    newest_reading: str
    kept_words: str
    kept_a_year: float
    first_words: str  # on what the first drop of a new card rests
    meeting: tuple[Option, ...]  # by cost
    pool: tuple[Option, ...]  # what the choices were made from: those that fall least short of the standard
    frontier: tuple[Option, ...]
    choices: tuple[Choice, ...]
    owned: Option | None  # the best of what costs nothing to get, unless it is a choice already
    dataset: Dataset
    judged: tuple[Option, ...]  # every option, also those that do not meet the need

    @cached_property
    def ranked(self) -> tuple[Option, ...]:
        """The best count of each GPU and way: first those that do it well."""
        meeting = self.meeting
        return tuple(one_of_each([*(o for o in meeting if o.well), *(o for o in meeting if not o.well)]))

    @property
    def lost_count(self) -> int:
        """How many pairs of a GPU and a way meet the need in no count."""
        return len({(o.gpu, o.way) for o in self.judged}) - len({(o.gpu, o.way) for o in self.meeting})

    @cached_property
    def lost(self) -> tuple[Option, ...]:
        """Of each GPU and way that meets the need in no count, the count that came furthest and misses the least."""
        return tuple(_lost(self.judged))

    @cached_property
    def passed(self) -> tuple[Passed, ...]:
        """Well-known cards that are no choice, the best known first."""
        on = shelf(self.dataset).priced_in(self.need.money)
        return tuple(_passed(on, self.need, self.judged, self.choices))

    @cached_property
    def asides(self) -> tuple[Aside, ...]:
        """What costs far less than the first choice; each is a question of its own, so a page works it out last."""
        return tuple(_asides(self.dataset, self.need, self.meeting, self.choices))

    @cached_property
    def ways_out(self) -> tuple[WayOut, ...]:
        """Changes of the question that bring an answer, where nothing meets it."""
        return tuple(way for way in tried(self) if way is not None)

    @property
    def first(self) -> Option | None:
        """The least money that does it well; None where nothing meets the need."""
        return self.choices[0].option if self.choices else None

    @property
    def narrow(self) -> bool:
        """Whether nothing does it well, so that the choices pass only narrowly."""
        return bool(self.choices) and not any(o.well for o in self.pool)


def choose(dataset: Dataset, need: Need) -> Answer:
    """Answer a question; NeedError in one sentence when it cannot be."""
    asked = checked(need, shelf(dataset).registry, dataset)
    on = shelf(dataset).priced_in(asked.money)
    judged = list(options(on, asked))
    meeting = sorted((o for o in judged if o.meets), key=by_cost)
    pool = pool_of(meeting)
    reach = within(pool, asked)
    curve = frontier(reach, least(reach)) if reach else []
    choices = tuple(_choices(judged, pool, reach, curve)) if reach else ()
    return Answer(
        asked,
        dataset.newest_reading,
        on.kept.words,
        on.kept.a_year,
        on.kept.first.words,
        tuple(meeting),
        tuple(pool),
        tuple(curve),
        choices,
        _owned(judged, choices),
        dataset,
        tuple(judged),
    )


def first_choice(dataset: Dataset, need: Need, last: bool = False) -> Option | None:
    """The least money that does it well, as `choose` takes it, without the rest of an answer; None where nothing does.

    For whoever asks many questions and shows one option of each: what misses a constraint is looked at no further.
    With `last` the last step up that is worth its money.
    """
    asked = checked(need, shelf(dataset).registry, dataset)
    meeting = sorted(options(shelf(dataset).priced_in(asked.money), asked, meeting=True), key=by_cost)
    reach = within(pool_of(meeting), asked)
    if not reach:
        return None
    return frontier(reach, least(reach))[-1] if last else least(reach)


# ---------------------------------------------------------------- options


def options(
    on: Shelf,
    need: Need,
    only: Collection[str] | None = None,
    *,
    every_count: bool = False,
    meeting: bool = False,
) -> Iterator[Option]:
    """Every GPU up to the count that does it well, to buy and to rent; an offer that no count can mend stands once.

    `only` names the GPUs that are asked about; None means all. `every_count` goes on where fewer do it well already.
    `meeting` gives only those that meet every constraint: the first that is missed ends the look at an option.
    """
    shared = _shared(on, need)
    ways: tuple[Way, ...] = ("buy", "rent") if need.prefer == "both" else (need.prefer,)  # type: ignore[assignment]
    for gpu in (gpu for gpu in on.dataset.gpus if only is None or gpu in only):
        for way in ways:
            quote = quote_of(on, gpu, way, need)
            if way == "buy" or quote is not None:
                yield from _offer(on, gpu, way, quote, need, shared, every_count, meeting)
    if len(need.own) > 1 and "buy" in ways and only is None:
        yield from (option for option in _mixed(on, need, shared) if option.meets or not meeting)


def _shared(on: Shelf, need: Need) -> dict[str, Any]:
    """What the rules know of every option of a question."""
    forms = [on.facts[gpu]["form"] for gpu in need.own]
    model = on.registry.models.get(need.model)
    return {
        **about(need),
        "kept": on.kept.a_year,
        "circuit": CIRCUITS[need.market],
        "splits": on.splits(need.model),
        "experts": bool(model and model.experts),
        "cloud": None,
        "only_laptops": bool(forms) and all(form == "laptop module" for form in forms),
    }


def quote_of(on: Shelf, gpu: str, way: Way, need: Need, count: int = 1) -> RankedQuote | None:
    """The price of one of so many that counts: the reader's own before any observation."""
    typed = (need.own_prices if way == "buy" else need.own_rents).get(gpu)
    if way == "buy":
        known = on.markets[need.market][need.used].get(gpu)
    else:
        listed = market.for_count(on.rented(need.rented).get(gpu, ()), count)
        known = None if listed is None else market.with_tax(listed, need.tax)
    return known if typed is None else market.own(typed, known)


def _cloud_of(on: Shelf, gpu: str, quote: RankedQuote | None, need: Need, count: int) -> dict[str, Any] | None:
    """What the cheapest cloud asks for as many, where a marketplace is cheapest; None where none lets so few."""
    found = market.for_count(on.rented("cloud").get(gpu, ()), count)
    if quote is None or quote.kind != "marketplace" or found is None or found.least_gpus > count:
        return None
    return priced(market.with_tax(found, need.tax))


def _offer(
    on: Shelf,
    gpu: str,
    way: Way,
    quote: RankedQuote | None,
    need: Need,
    shared: Mapping[str, Any],
    every_count: bool,
    meeting: bool,
) -> Iterator[Option]:
    offer = _offered(on, gpu, way, quote, need, shared)
    hopeless = _failures(CONSTRAINTS["offer"], offer, meeting)
    if hopeless and meeting:
        return
    if hopeless:  # most of all offers: no count mends them
        offer["count"], offer["name"], offer["able"] = 1, offer["card"]["label"], None
        yield Option(gpu, 1, way, offer, 0, hopeless, ())
        return
    for count in COUNTS:
        if count > need.max_gpus:
            return
        option = _option(on, gpu, count, way, offer, need, meeting)
        if option.meets or not meeting:
            yield option
        # More of a card mend neither that no machine holds so many nor a doubt of its price or its software.
        more_would_do = any(not failure.check.lasting for failure in (*option.failures, *option.narrow))
        if option.failures and not more_would_do:
            return
        # Who needs one does not rent eight; a run gets shorter with every GPU that the budget allows.
        if not more_would_do and not every_count and not (need.rule["run"] and need.budget_usd is not None):
            return


def _offered(
    on: Shelf, gpu: str, way: Way, quote: RankedQuote | None, need: Need, shared: Mapping[str, Any]
) -> dict[str, Any]:
    """What the rules know of a GPU to buy or to rent, in whatever count."""
    return {
        **shared,
        "card": on.facts[gpu],
        "way": way,
        "price": None if quote is None else priced(quote),
        "cloud": _cloud_of(on, gpu, quote, need, 1),
        "support": plain(on.supports[gpu][support.key(need.task, need.engine, need.quant)]),
        "owned": int(need.own.get(gpu, 0)),
    }


def _option(on: Shelf, gpu: str, count: int, way: Way, offer: Mapping[str, Any], need: Need, meeting: bool) -> Option:
    name = f"{'' if count == 1 else f'{count} × '}{offer['card']['label']}"
    env = {**offer, "count": count, "name": name, "able": None}
    if way == "rent" and count > 1:  # larger machines are let at prices of their own
        quote = quote_of(on, gpu, way, need, count)
        env["price"] = None if quote is None else priced(quote)
        env["cloud"] = _cloud_of(on, gpu, quote, need, count)
    # What has far too little memory is told by that alone, unless somebody owns it.
    near = None if offer["owned"] else CONSTANTS["far_short"]
    return _judged(env, gpu, count, way, need, lambda: on.ability(gpu, count, need, near), meeting)


def _judged(
    env: dict[str, Any],
    gpu: str,
    count: int,
    way: Way,
    need: Need,
    ability: Callable[[], Ability],
    meeting: bool = False,
) -> Option:
    """An option that no count would rule out; the estimator is asked only where nothing else does."""
    # Who owns a laptop has no place for a card.
    at = replace(need, host="new") if env["only_laptops"] and not env["owned"] else need
    env["host"] = host_in(env["card"], count, way, at)
    EARLY(env)
    early = _failures(CONSTRAINTS["count"], env, meeting)
    if early:
        return Option(gpu, count, way, env, 1, early, ())
    env["able"] = _able(ability(), env["slowed"])
    LATE(env)
    late = _failures(CONSTRAINTS["able"], env, meeting)
    if env["able"]["rate"] is None and not env["able"]["problem"]:  # only its memory was looked at
        late = tuple([failure for failure in late if failure.name == "memory"])
    return Option(gpu, count, way, env, 2 if late else 3, late, () if late else _failures(STANDARD, env))


def _mixed(on: Shelf, need: Need, shared: Mapping[str, Any]) -> Iterator[Option]:
    """Cards of several kinds that somebody owns, at work together under llama.cpp.

    Each holds as many layers as its memory has room for and waits for the others, so the time for a token is that of
    each card alone on the whole model, by its share of the memory.
    """
    owned = [(on.facts[gpu], int(number), on.ability(gpu, 1, need)) for gpu, number in need.own.items()]
    held = [(number * one.usable_gib, one.rate) for _, number, one in owned if one.usable_gib and one.rate]
    if need.engine != "llama.cpp" or len(held) < len(owned):
        return
    count, usable = sum(number for _, number, _ in owned), sum(gib for gib, _ in held)
    speeds = {
        part: 1 / sum(gib / usable / getattr(rate, part) for gib, rate in held) for part in ("median", "p10", "p90")
    }
    cards = [card for card, number, _ in owned for _ in range(number)]
    first = max(cards, key=lambda card: card["memory_gb"])
    makers = {card["vendor"] for card in cards}
    gpu, name = "+".join(need.own), " and ".join(f"{number} × {card['label']}" for card, number, _ in owned)
    card = {
        **first,
        "name": name,
        "label": name,
        "vendor": first["vendor"] if len(makers) == 1 else "several makers",
        "ended": next((card["ended"] for card in cards if card["ended"]), ""),
        "memory_gb": min(card["memory_gb"] for card in cards),
        **{power: _mean([card[power] for card in cards]) for power in ("power_w", "load_w")},
        "slots": sum(card["slots"] for card in cards) / count,
        "psu_w": None,
        "bridge": False,
    }
    needed = max(on.ability(one, count, need).needed_gib for one in need.own)
    able = Ability(
        needed, usable, Interval(speeds["median"], speeds["p10"], speeds["p90"]), measured=False, statement=MIXED
    )
    level = support.key(need.task, need.engine, need.quant)
    worst = next((on.supports[one][level] for one in need.own if on.supports[one][level].level != "supported"), None)
    env = {
        **shared,
        "card": card,
        "way": "buy",
        "price": None,
        "support": plain(worst or on.supports[first["id"]][level]),
        "owned": count,
        "count": count,
        "name": name,
        "able": None,
    }
    hopeless = _failures(CONSTRAINTS["offer"], env)
    yield (
        Option(gpu, count, "buy", env, 0, hopeless, ())
        if hopeless
        else _judged(env, gpu, count, "buy", need, lambda: able)
    )


def hosted(on: Shelf, need: Need) -> list[Option]:
    """Single cards with part of a mixture's experts in main memory, those that meet the need; none for other models."""
    shared = _shared(on, need)
    if not rules.formula(HOSTED["when"])(shared):
        return []
    found = [_hosted(on, gpu, need, shared) for gpu in on.dataset.gpus]
    return [option for option in found if option is not None and option.meets]


def _hosted(on: Shelf, gpu: str, need: Need, shared: Mapping[str, Any]) -> Option | None:
    """One card so; None where it cannot be had, or holds all experts by itself."""
    offer = _offered(on, gpu, "buy", quote_of(on, gpu, "buy", need), need, shared)
    if not rules.formula(HOSTED["cards"]["when"])(offer) or _failures(CONSTRAINTS["offer"], offer, True):
        return None
    able, away = hosted_ability(on, on.cards[gpu], need, HOSTED["gb_s"])
    size = next((size for size in HOSTED["sizes_gb"] if size >= away + HOSTED["spare_gb"]), None)
    if not away or size is None or able.rate is None:
        return None
    env = {**offer, "count": 1, "name": offer["card"]["label"], "able": None, "away": away, "size": size}
    return _judged(env, gpu, 1, "buy", need, lambda: able, True)


def _mean(values: Sequence[float | None]) -> float | None:
    """The mean of values that are all known."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if len(known) == len(values) else None


def host_in(card: Mapping[str, Any], count: int, way: Way, need: Need) -> dict[str, Any] | None:
    """The machine around so many cards; None for a rented one, and where none takes them."""
    if way == "rent":
        return None
    variant = "rack" if need.rack else need.host
    place = hosts.host_for(variant, card["form"], count, card["slots"] * count, hosts.drawn_w(card, count))
    return None if place is None else {"name": place.name, "price": need.tax.added(place.usd / need.money.usd)}


def _able(able: Ability, slowed: float) -> dict[str, Any]:
    rate = able.rate
    return {
        "needed": able.needed_gib,
        "usable": able.usable_gib,
        "room": able.room_gib,
        "indivisible": able.indivisible_gib,
        "rate": rate.median * slowed if rate else None,
        "low": rate.p10 * slowed if rate else None,
        "high": rate.p90 * slowed if rate else None,
        "measured": able.measured,
        "statement": able.statement,
        "problem": able.problem,
        "first_s": None if able.first_s is None else able.first_s / slowed,
        "read_s": None if able.read_s is None else able.read_s / slowed,
    }


def _failures(checks: Sequence[Check], env: Mapping[str, Any], first: bool = False) -> tuple[Failure, ...]:
    """The constraints that are not met, or the first of them; what cannot be told is not met."""
    if first:
        missed = next((one for one in checks if not one.holds(env)), None)
        return () if missed is None else (Failure(missed, env),)
    return tuple([Failure(one, env) for one in checks if not one.holds(env)])


def priced(quote: RankedQuote) -> dict[str, Any]:
    """A price as formulas ask for it, with where it comes from in words."""
    return {**plain(quote), "words": quote.words}


def plain(one: Any) -> dict[str, Any]:  # noqa: ANN401 (a dataclass with slots)
    """A data class as formulas ask for it."""
    return {name: getattr(one, name) for name in one.__dataclass_fields__}  # `fields` would look at each again


# ---------------------------------------------------------------- the curve and the choices


def by_cost(option: Option) -> tuple[float, float, str, int, str]:
    """The order of cost: at equal cost the faster one, then by name, so that it never depends on the data's order."""
    return option.month, -option.rate, *option.key


def pool_of(meeting: Sequence[Option]) -> list[Option]:
    """What the choices are made from: what does it well, and what is tight but owned already.

    Where nothing does it well, what falls least short; shortfalls that differ by less than a step are the same.
    """
    if any(o.well for o in meeting):
        return [o for o in meeting if o.well or _tight_but_owned(o)]
    most = min((o.shortfall for o in meeting), default=0.0) + CONSTANTS["step"]
    return [o for o in meeting if o.shortfall < most or _tight_but_owned(o)]


def _tight_but_owned(option: Option) -> bool:
    return option.at_hand and [failure.name for failure in option.narrow] == [KEPT]


def within(pool: Sequence[Option], need: Need) -> list[Option]:
    """What the fastest choice may cost: the budget decides; without one, a few times the least."""
    if not pool or need.budget_usd is not None or need.budget_per_month_usd is not None:
        return list(pool)
    cheapest = min(pool, key=by_cost)
    most = max(cheapest.month * CONSTANTS["without_budget"], same_until(cheapest))
    return [o for o in pool if o.month <= most]


def frontier(pool: Sequence[Option], start: Option | None = None) -> list[Option]:
    """The steps worth taking from an option, else from the cheapest: each clearly faster than the step before it."""
    order = sorted(pool, key=by_cost)
    found = [start or order[0]] if pool else []
    for option in order:
        if option.month >= found[0].month and beside(STEP, option, found[-1]):
            found.append(option)
    return found


def beside(rule: rules.Value, option: Option, other: Option) -> bool:
    """Whether a rule that holds two options against each other is met."""
    return bool(rule({**option.env, "other": other.compared}))


def knee(curve: Sequence[Option]) -> Option:
    """Where the curve bends: the point highest above the line from its first to its last, on scales by ratio.

    With two points only it is the second where that does far more for the money.
    """
    first, last = curve[0], curve[-1]
    wide = _log(last.month) - _log(first.month)
    tall = _log(last.speed) - _log(first.speed)
    if not wide or not tall:
        return last

    if len(curve) == 2 and tall >= wide + _log(CONSTANTS["bargain"]):
        return last

    def above(option: Option) -> float:
        return (_log(option.speed) - _log(first.speed)) / tall - (_log(option.month) - _log(first.month)) / wide

    return max(curve, key=lambda o: (round(above(o), 9), -o.month))


def _log(value: float) -> float:
    return math.log(max(value, 0.01))


def _choices(
    judged: Sequence[Option], pool: Sequence[Option], reach: Sequence[Option], curve: Sequence[Option]
) -> Iterator[Choice]:
    start = curve[0]
    taken = {"least": start, "value": knee(curve), "most": curve[-1]}
    among = Candidates(judged, pool, reach, curve, taken)
    cheapest = min(reach, key=by_cost)
    seen: dict[tuple[str, int, Way], str] = {}
    for id in CHOICES:
        option = taken[id]
        yield Choice(
            id,
            option,
            seen.setdefault(option.key, id) if option.key in seen else "",
            cheapest if id == "least" and cheapest.month < start.month and not start.at_hand else None,
            _sure(option, reach),
            among,
        )
        seen.setdefault(option.key, id)


def _nearest(id: str, among: Candidates) -> list[Option]:
    """The options in the order in which they are looked at beside a choice."""
    if id == "least":
        return sorted(among.pool, key=by_cost)
    if id == "value":
        month = among.taken["value"].month
        return sorted(among.curve, key=lambda o: abs(_log(o.month) - _log(month)))
    return sorted(among.reach, key=lambda o: (-o.speed, *by_cost(o)))


def _worth_naming(order: Iterable[Option], chosen: Iterable[Option]) -> tuple[Option, ...]:
    """The first options of an order that have something over each of the choices, and over those named before them."""
    named = list(chosen)
    found: list[Option] = []
    for option in order:
        if len(found) == ALTERNATIVES:
            break
        if all(beside(OFFERS, option, other) for other in named):
            found.append(option)
            named.append(option)
    return tuple(found)


def least(reach: Sequence[Option]) -> Option:
    """The least money: whoever owns a card that does it buys no other to save on electricity.

    Of what costs nearly the same and is clearly faster than the cheapest, the cheapest is taken that is about as fast
    as any of it; who would own the cheapest rents nothing instead. A rent that costs nearly as much as a card of
    one's own and is not clearly faster gives way to it: storage and minimum terms come on top of the rent, and the card
    is there at any hour.
    """
    own = [o for o in reach if o.at_hand]
    first = min(own or reach, key=by_cost)
    if first.way == "rent":
        near, slowest = first.month * (1 + CONSTANTS["same_money"]), first.speed / (1 + CONSTANTS["step"])
        bought = [o for o in reach if o.way == "buy" and o.month <= near and o.speed >= slowest]
        first = min(bought, key=by_cost, default=first)
    most = same_until(first)
    same_way = [o for o in reach if o.way == first.way and o.month <= most and o.key != first.key]
    faster = [o for o in same_way if not own and beside(LEADS, o, first)]
    quickest = max((o.speed for o in faster), default=0.0)
    return min((o for o in faster if o.speed * (1 + CONSTANTS["step"]) >= quickest), key=by_cost, default=first)


def same_until(option: Option) -> float:
    """The most that another option costs a month for it to be about the same money as this one."""
    return float(SAME_UNTIL(option.env))


def _sure(option: Option, reach: Sequence[Option]) -> Option | None:
    """Beside an estimate the cheapest option that was measured to be no slower than its middle, for little more."""
    if option.env["able"]["measured"] or option.at_hand:
        return None
    most = max(option.month * CONSTANTS["sure_money"], same_until(option))
    found = [o for o in reach if o.env["able"]["measured"] and o.speed >= option.speed and o.month <= most]
    return min(found, key=by_cost, default=None)


def _asides(dataset: Dataset, need: Need, meeting: Sequence[Option], choices: Sequence[Choice]) -> Iterator[Aside]:
    """Who is told of a dear card wants to know what a far cheaper one lacks, and what a small change would bring."""
    first = choices[0].option if choices else None
    if first is None or (first.at_hand and first.well):
        return
    # What is about the same money is not far cheaper.
    most = min(first.month * CONSTANTS["far_cheaper"], 2 * first.month - same_until(first))
    near = [o for o in meeting if len(o.narrow) == 1 and o.month <= most and not o.at_hand]
    if first.well and near:
        yield Aside("", knee(frontier(near)))
    yield from _own_beside_rent(first, meeting)
    on = shelf(dataset)
    there = [o for o in hosted(on.priced_in(need.money), need) if o.well and o.month <= most]
    if there:
        best = least(there)
        yield Aside(rules.sentence(HOSTED["says"])(best.env), best)
    for row, other in changes(need, RULES["eased"]):
        asked = checked(other, on.registry, dataset)
        only = {"owned": need.own, "same": (first.gpu,)}.get(row.get("only", ""))
        limit = first.month if only and first.gpu in only and first.at_hand else most
        found = options(on.priced_in(asked.money), asked, only=only, meeting=True)
        well = [o for o in found if o.well and o.month <= limit]
        if well:
            best = least(well)
            yield Aside(rules.sentence(row["says"])({**about(need), "best": best.env}), best)


def _own_beside_rent(first: Option, meeting: Sequence[Option]) -> Iterator[Aside]:
    """The card of one's own for whoever rents often, where it costs little more than the rent."""
    rule, most = RULES["own_beside_rent"], first.month * CONSTANTS["own_instead"]
    own = [o for o in meeting if o.way == "buy" and o.well and o.month <= most]
    if own and first.way == "rent" and rules.formula(rule["when"])(first.env):
        yield Aside(rule["says"], least(own))


def _owned(judged: Sequence[Option], choices: Sequence[Choice]) -> Option | None:
    """What somebody owns already, as far as it comes: first what meets the need and misses little of the standard."""
    own = [o for o in judged if o.at_hand and o.stage >= 2]

    def short(option: Option) -> tuple[float, int, float, str]:
        lacks = max((failure.gap for failure in option.failures), default=0.0)
        return lacks, len(option.narrow), -_log(option.env["able"]["rate"] or 0.0), option.gpu

    best = min(own, key=short, default=None)
    return None if best is None or any(best.key == choice.option.key for choice in choices) else best


def _binds(judged: Sequence[Option], first: Option) -> tuple[Option, Failure] | None:
    """The cheaper option that comes nearest: one constraint or point of the standard keeps it from being first."""
    near = [o for o in judged if o.stage >= 2 and len(o.failures) + len(o.narrow) == 1 and o.env["month"] is not None]
    cheaper = [o for o in near if o.month < first.month * (1 - CONSTANTS["near"]) and o.gpu != first.gpu]
    missed = [((*o.failures, *o.narrow)[0], o) for o in cheaper]
    close = [(o, f) for f, o in missed if f.gap <= CONSTANTS["close"]]
    found = sorted(close, key=lambda one: (one[1].gap, one[0].month, one[0].key))
    return next(((o, f) for o, f in found if o.narrow or well_otherwise(o)), None)


def well_otherwise(option: Option) -> bool:
    """Whether what misses one constraint by little would do the task well but for that; only this is worth a word."""
    missed = option.failures[0]
    only = len(option.failures) == 1 and missed.gap <= CONSTANTS["close"] and option.stage >= 2
    return only and all(one.name == missed.name for one in _failures(STANDARD, option.env))


def _turns(first: Option, among: Candidates) -> tuple[float, Option, bool] | None:
    """The price of one GPU above which another option is taken, which, and whether only the budget says so.

    An owned card has none. Where no other is as good, what falls least short besides it takes its place.
    """
    price, slope = first.env["price"], first.env["slope"]
    if price is None or not slope:
        return None
    others, limit = _besides(first, among.pool), _affordable(first)
    if not others:
        rest = pool_of(_besides(first, [o for o in among.judged if o.meets])) if limit < math.inf else []
        return (limit, least(rest), True) if rest else None
    # Where a cost passes that of another option, or comes near it, another may be taken: nowhere else.
    apart, near, cents = CONSTANTS["same_month"], 1 + CONSTANTS["same_money"], 1 + CONSTANTS["same_cents"]
    months = sorted(
        {
            month
            for o in others
            for month in (
                o.month / cents,
                o.month / near,
                o.month - apart,
                o.month,
                o.month * near,
                o.month * cents,
                o.month + apart,
            )
        }
    )
    for month in months:
        if month >= first.month:
            taken = least([replace(first, env={**first.env, "month": month * BEYOND}), *others])
            if taken.gpu != first.gpu or taken.way != first.way:
                at = price["usd"] + (month - first.month) / slope
                return (at, taken, False) if at <= limit else (limit, least(others), True)
    return (limit, least(others), True) if others and limit < math.inf else None


def _besides(first: Option, options: Sequence[Option]) -> list[Option]:
    return [o for o in options if (o.gpu, o.way) != (first.gpu, first.way)]


def _affordable(option: Option) -> float:
    """The most that one of its GPUs, or an hour of it, may cost within the budget; infinity without one."""
    env, need = option.env, option.env["need"]
    once, monthly, slope = need["budget_usd"], need["budget_per_month_usd"], env["slope"]
    limits = [math.inf]
    if once is not None and option.way == "buy":
        limits.append((once - env["host_price"]) / env["bought"])
    months = [once / need["horizon_months"]] if once is not None and option.way == "rent" else []
    months += [monthly] if monthly is not None else []
    limits += [env["price"]["usd"] + (month - option.month) / slope for month in months]
    return min(limits)


def one_of_each(order: Sequence[Option]) -> list[Option]:
    """The first option of each GPU and way."""
    seen: dict[tuple[str, str], Option] = {}
    for option in order:
        seen.setdefault((option.gpu, option.way), option)
    return list(seen.values())


def _lost(judged: Sequence[Option]) -> list[Option]:
    meeting = {(o.gpu, o.way) for o in judged if o.meets}
    failing = [o for o in judged if (o.gpu, o.way) not in meeting]
    failing.sort(key=lambda o: (-o.stage, len(o.failures), max(f.gap for f in o.failures), *_repute(o)))
    return one_of_each(failing)


# ---------------------------------------------------------------- why not another one


def _passed(on: Shelf, need: Need, judged: Sequence[Option], choices: Sequence[Choice]) -> Iterator[Passed]:
    """Why the best known of the other cards is no choice: a reader who expects one of them finds it here.

    Told are those that cost no more than the dearest choice, and of one reason only a few. Whoever wants to chat may
    think of a whole machine, such as a Mac, so one of those is told wherever none is named.
    """
    alike: dict[str, int] = {}
    told = {o.gpu for choice in choices for o in (choice.option, *choice.alternatives)}
    for option in _expected(judged, choices, need) if choices else ():
        if sum(alike.values()) >= PASSED_SHOWN:
            break
        why = _why_not(on, need, option, choices)
        if why is not None and alike.get(why[0], 0) < PASSED_ALIKE:
            alike[why[0]] = alike.get(why[0], 0) + 1
            told.add(option.gpu)
            yield Passed(option, why[1])
    if choices and need.task == "chat" and not any(on.facts[gpu]["form"] == WHOLE for gpu in told if gpu in on.facts):
        yield from _whole_machine(on, need, judged, choices)


def _whole_machine(on: Shelf, need: Need, judged: Sequence[Option], choices: Sequence[Choice]) -> Iterator[Passed]:
    """The whole machine that a reader may think of: the cheapest that does it well, else one without a price."""
    whole = [o for o in judged if o.way == "buy" and not o.at_hand and o.env["card"]["form"] == WHOLE]
    whole = [o for o in whole if o.env["card"]["segment"] != BOARD]
    well = min((o for o in whole if o.well), key=by_cost, default=None)
    if well is not None:
        why = _why_no_choice(well, choices)
        yield from [Passed(well, why[1])] if why else []
        return
    sold = on.markets[DEFAULT_MARKET]["allowed"]  # makers sell a machine in all markets at a time
    unpriced = [o for o in whole if [f.name for f in o.failures] == ["price"] and o.gpu in sold]
    cheap_first = sorted(unpriced, key=lambda o: (sold[o.gpu].usd, o.gpu))
    fitting = next((o for o in cheap_first if _would_do_it(on, o, need)), None)
    meeting = min((o for o in whole if o.meets), key=lambda o: (len(o.narrow), by_cost(o)), default=None)
    if fitting is not None:
        yield Passed(fitting, fitting.failures[0].text)
    elif meeting is not None:
        yield Passed(meeting, "; ".join(failure.text for failure in meeting.narrow))


def _expected(judged: Sequence[Option], choices: Sequence[Choice], need: Need) -> list[Option]:
    """The best option of each card that is named nowhere else: those that only need measuring, then the best known."""
    also = [o for choice in choices for o in (choice.sure, choice.cheapest) if o]
    named = {o.gpu for o in (*also, *(o for choice in choices for o in (choice.option, *choice.alternatives)))}
    of_card: dict[str, list[Option]] = {}
    for option in judged:
        if option.gpu not in named and (option.meets or len(option.failures) == 1):
            of_card.setdefault(option.gpu, []).append(option)
    best = [min(found, key=lambda o: (not o.meets, -o.stage, len(o.narrow), o.count)) for found in of_card.values()]
    known = sorted(best, key=_repute)
    dearest = max(choice.option.env["paid_all"] for choice in choices)
    unpriced = [o.gpu for o in known if o.stage == 0 and _only_unknown(o, dearest, need)][:PASSED_TRIED]
    shown = [o for o in known if o.stage > 0 or o.gpu in unpriced]
    return sorted(shown, key=lambda o: o.env["price"]["usd"] if _unmeasured(o) else math.inf)


def _why_not(on: Shelf, need: Need, option: Option, choices: Sequence[Choice]) -> tuple[str, str] | None:
    """The kind of the reason and its words; None where nobody would expect the card."""
    dearest = max(choices, key=lambda choice: choice.option.month).option
    if option.meets:  # what costs far more is expected by nobody
        return _why_no_choice(option, choices) if option.month <= dearest.month * CONSTANTS["sure_money"] else None
    if option.stage > 0:
        return _why_short(option, dearest)
    failure = option.failures[0]
    if _unmeasured(option):
        return _why_measure(on, need, option, dearest)
    return (failure.name, failure.text) if _would_do_it(on, option, need) else None


def _unmeasured(option: Option) -> bool:
    """Whether only a length that no source states speaks against a card with a price of now."""
    missed = [failure.name for failure in option.failures]
    return missed == ["length"] and option.env["card"]["length_mm"] is None and option.env["price"] is not None


def _why_measure(on: Shelf, need: Need, option: Option, dearest: Option) -> tuple[str, str] | None:
    """What a card would cost that does it well if it fits; None for one that does not, or costs far more."""
    free = options(on, replace(need, length_mm=None, prefer="buy"), only=(option.gpu,))
    fitting = next((o for o in free if o.well and o.month <= dearest.month * CONSTANTS["sure_money"]), None)
    if fitting is None:
        return None
    failure = option.failures[0]
    return failure.name, rules.sentence(RULES["measure"])({**fitting.env, "failure": failure.text})


def _repute(option: Option) -> tuple[float, float, str, int, str]:
    """The best known card first; of cards that are equally known the one with the most memory."""
    card = option.env["card"]
    return -card["known"], -(card["memory_gb"] or 0.0), *option.key


def _why_no_choice(option: Option, choices: Sequence[Choice]) -> tuple[str, str] | None:
    """Why what meets the need is no choice: the kind of the reason and its words; None where no rule tells one."""
    if option.narrow and option.shortfall > choices[0].option.shortfall:
        return option.narrow[0].name, "; ".join(failure.text for failure in option.narrow)
    below = max((c.option for c in choices if c.option.month <= option.month), key=by_cost, default=choices[0].option)
    other = {**below.compared, "name": below.name}
    env = {**option.env, "other": other}
    row = next((row for row in RULES["passed"] if rules.formula(row["when"])(env)), None)
    return None if row is None else (row["name"], rules.sentence(row["says"])(env))


def _why_short(option: Option, dearest: Option) -> tuple[str, str] | None:
    """Why what misses one constraint is no choice; None where nobody would expect it, for it misses it by far."""
    failure, paid = option.failures[0], option.env["paid"]
    cheap = option.way == "buy" and paid is not None and paid <= dearest.env["paid_all"]
    far = CONSTANTS["far_short"] if cheap else CONSTANTS["close"]
    # That too many cards do not fit into one machine tells nobody anything of the card.
    return (failure.name, failure.text) if failure.gap <= far and failure.name != "form" else None


def _only_unknown(option: Option, dearest: float, need: Need) -> bool:
    """Whether only an unknown price or length speaks against one card, and no old price says that it is dear."""
    unknown = option.failures[0].name == "price" or (
        option.failures[0].name == "length" and option.env["card"]["length_mm"] is None
    )
    if not unknown or option.way == "rent":
        return False
    price = option.env["price"]
    if price is not None and price["usd"] > dearest * CONSTANTS["sure_money"]:
        return False
    env = {**option.env, "host": host_in(option.env["card"], 1, "buy", need)}
    EARLY(env)
    return all(one.name in ("price", "budget") for one in _failures(CONSTRAINTS["count"], env))


def _would_do_it(on: Shelf, option: Option, need: Need) -> bool:
    """Whether one card has the memory and the speed of the standard."""
    able = on.ability(option.gpu, 1, need)
    if able.rate is None or able.room_gib is None or able.usable_gib is None:
        return False
    each = able.rate.median / (need.batch if need.task == "serve" else 1)
    return able.room_gib >= need.rule["headroom"] * able.usable_gib and each >= (need.rule["enjoy"] or 0)


# ---------------------------------------------------------------- nothing meets the need


def tried(answer: Answer) -> Iterator[WayOut | None]:
    """Changes of the question, the mildest first: those that bring an answer, and None for each that brings none.

    Every limit is lifted only where nothing milder does. Each change is a question of its own, so that a browser can
    let go of the page after each.
    """
    if answer.meeting:
        return
    need, on = answer.need, shelf(answer.dataset)
    found: list[WayOut] = []
    there = hosted(on.priced_in(need.money), need)
    if there:
        best = least(pool_of(there))
        found.append(WayOut(rules.sentence(HOSTED["says"])(best.env), best))
        yield found[0]
    for change in _milder(on, need):
        # The fastest card by a lent task may be the cheapest too, which is named already.
        lent = [one.option.key for one in found if one.lent]
        way = None if change is not None and change.lent and change.option.key in lent else change
        yield way
        if way is not None:
            found.append(way)
        if len(found) == RULES["most_ways_out"]:
            return
    named = {(way.option.gpu, way.option.way) for way in found}
    for row, other in changes(need, RULES["lifted"] if len(found) < RULES["lifted_after"] else ()):
        way = _way_out(on, need, row, other)
        # Nothing is said that a milder change brings too.
        yield None if way is None or (way.option.gpu, way.option.way) in named else way


def _milder(on: Shelf, need: Need) -> Iterator[WayOut | None]:
    """Of each kind of change the first value with which something does it well, else the first that brings anything."""
    done: set[str] = set()
    narrow: dict[str, WayOut] = {}
    rows = list(changes(need, RULES["ways_out"]))
    for place, (row, other) in enumerate(rows):
        says = row["says"]
        if says in done:
            continue
        way = _way_out(on, need, row, other)
        well = way is not None and way.option.well
        if way is not None and not well:
            narrow.setdefault(says, way)
        last = place + 1 == len(rows) or rows[place + 1][0]["says"] != says
        if well or last:
            done.add(says)
            yield way if well else narrow.get(says)
        else:
            yield None


def _way_out(on: Shelf, need: Need, row: Mapping[str, Any], other: Need) -> WayOut | None:
    """What meets a changed question best; None where nothing does."""
    try:
        asked = checked(other, on.registry, on.dataset)
    except NeedError:
        return None
    meeting = list(options(on.priced_in(asked.money), asked, meeting=True))
    if not meeting:
        return None
    best = min(meeting, key=lambda o: (-o.rate, by_cost(o))) if row.get("fastest") else least(pool_of(meeting))
    says = rules.sentence(row["says"])({**about(need), "one": row["one"], "best": best.env})
    return WayOut(says, best, bool(row.get("lent", False)))


def changes(need: Need, rows: Sequence[Mapping[str, Any]]) -> Iterator[tuple[Mapping[str, Any], Need]]:
    """Each change of the rules that applies, and the changed question; a row with `each` makes one of every value."""
    env = about(need)
    for row in rows:
        if rules.formula(row["when"])(env):
            for one in env[row["each"]] if "each" in row else (None,):
                values = {
                    name: rules.formula(str(formula))({**env, "one": one}) for name, formula in row["set"].items()
                }
                if "task" in values:  # a lighter task brings its own usual format
                    values["quant"] = None
                yield {**row, "one": one}, replace(need, **values)


def about(need: Need) -> dict[str, Any]:
    """What the sentences and formulas about a question ask for."""
    ladder = RULES["smaller"].get(need.engine, [])
    place = ladder.index(need.quant) + 1 if need.quant in ladder else len(ladder)
    return {
        "need": as_plain(need),
        "owns": bool(need.own),
        "training": TRAINING,
        "power_curve": RULES["power_curves"][need.rule["power"]]["points"],
        "task": need.rule,
        "c": CONSTANTS,
        "market": _market(need),
        "money": {"sign": need.money.sign, "rate": need.money.rate_words},
        "smaller": ladder[place] if place < len(ladder) else None,
        "smaller_models": smaller_models(need.model),
    }


def _market(need: Need) -> dict[str, Any]:
    """What rules say of the market: its name, its money, and what a household pays for electricity there."""
    where, tariff = need.where, need.tariff
    told = {"name": where.name, "currency": where.currency, "tax_words": where.tax_words}
    taxed = {"tax": need.tax.percent, "tax_country": need.tax.country}
    return {**told, **taxed, "kwh": tariff.per_kwh, "kwh_words": tariff.words}


@lru_cache(maxsize=512)
def smaller_models(model: str) -> tuple[str, ...]:
    """The well-known models that have fewer parameters than a model, from large to small."""
    known = models.load().models
    asked = parameters(known[model]) if model in known and known[model].is_language else 0.0
    return tuple(one for one in RULES["ladder"] if parameters(known[one]) < asked)
