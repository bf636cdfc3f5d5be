"""Today's picks by need and budget, one machine for each tier: every line is the chooser's answer of this build."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pipeline.advise import denoise, rules
from pipeline.advise.choose.answer import HOSTED, Answer, Option, by_cost, options, same_until
from pipeline.advise.choose.catalogue import shelf
from pipeline.advise.choose.market import KIND_WORDS, OBSERVED_AS
from pipeline.advise.choose.need import CONSTANTS, RULES, Need
from pipeline.advise.choose.presenter import OPTION, assumptions, view
from pipeline.advise.choose.questions import Question
from pipeline.advise.estimate import models
from pipeline.advise.estimate.tensors import parameters
from pipeline.advise.picks import (
    PROMPT,
    QUESTIONS,
    TIERS,
    Changed,
    Pick,
    Picks,
    Tier,
    TierMachine,
    expected,
    is_offloaded,
    is_worked_out,
    living,
    offloaded,
    picks,
    prompt_seconds,
)
from pipeline.core import constants
from pipeline.core.once import once
from pipeline.core.wording import SIGNS, UNKNOWN, between, day, money
from pipeline.dataset import Dataset
from pipeline.derive.prices.quote import quotes
from pipeline.derive.prices.rules import BASIS_WORDS, DEFAULT_MARKET, MARKETS, Kind, Market
from pipeline.site.pages import addresses
from pipeline.site.render import Page, Shared

PATH = "guide/picks"
KIND_OF: Mapping[str, Kind] = {observed: kind for kind, observed in OBSERVED_AS.items()} | {"module": "system"}
SHORT = "short of the standard"
WORDS = rules.room("picks")  # the sentences of the pages
REMARKS = [row for row in RULES["remarks"] if row.get("picks", True)]  # the others have a place of their own here
LOOK_BELOW = ": look for one below it"
SOLD = "sold-"  # begins the name of a range of used prices in data/constants.yml
# What no reader can change about an option, so that it comes closest to nothing.
NO_WAY_OUT = {"price", "form", "kind of machine"}
TRAINED_ON_CARDS = RULES["training"]
# What a GPU does in each task, as a sentence goes on from "it" or "they"; the estimator's unit follows.
DOES: Mapping[str, tuple[str, str]] = {
    "chat": ("generates", "generate"),
    "serve": ("generates", "generate"),
    "image": ("computes", "compute"),
}
WORKS = ("trains at", "train at")  # in every other task: a run that is over at some time
DISK_HOUR, DISK_GB, MONTH_HOURS = "hyperstack-volume-hour", 50, 730  # disks are compared in steps of so many GB
PROGRAMS_GB = 30  # a model, its data and the programs around it
# Bytes for each weight in a checkpoint of a run of all weights, with 32-bit and with 8-bit states of Adam: 16-bit
# weights, and with the former their 32-bit copy and two states of 32 bits, with the latter two of 8 bits.
STATES: Mapping[str, tuple[float, float]] = dict.fromkeys(("full", "train"), (2 + 4 + 4 + 4, 2 + 1 + 1))
UNSUPPORTED = "software"  # what no money and no other count mends
LEVEL = 1.05  # so little above its price of today that the two options are as good as equal
TOP = 0.95  # so far up a range that it is its upper end
FAR = 1.5  # so far above it that nothing comes near
MOST_PASSED = 2  # so many options that were passed over are named at once
MONEY = ("budget", "monthly budget")  # what a little more of makes up for
CLEARLY = 1.3  # so many times as long that a reader notices it
THIN = 25  # a market of which fewer cards have a price is too thin to rank
TYPE_YOURS = "; type yours"  # an invitation of the chooser, which has a field for it
# What a pick says where nothing meets its question: prices that nobody states are no verdict on the cards.
UNMET = {
    "buy": "No card of which our sources state a price to buy in {place} meets the need",
    "rent": "No card that our sources see for rent meets the need",
    "both": "No card of which our sources state a price in {place} meets the need",
}


@dataclass(frozen=True, slots=True)
class ChoiceLine:
    """One of the three choices, as a line shows it; `told` holds every sentence of the chooser about it."""

    name: str
    gpu: str
    vendor: str
    several: bool
    way: str
    amount: float  # in the currency of the market
    kind: str  # of the quote
    kind_words: str
    market: Market
    currency: str
    seen: str  # new or used, where, when
    date: str
    speed: str  # as it was measured, or the ends of an estimate in two digits, since they are not known to a third
    does: str  # how fast it is and how sure that is, as a sentence goes on from "it" or "they"
    told: Mapping[str, Any]
    aged: str = ""  # that the price is old for one of now, and why it counts all the same
    basis_words: str = ""  # that it is only the lowest asked
    remarks: tuple[str, ...] = ()  # what is said of it besides its numbers
    basis: str = ""  # whether its speed was measured or is estimated

    @property
    def seen_short(self) -> str:
        """The kind of its price, whether it is only the lowest asked, and the month, for a cell of a table."""
        old = "over 90 days old" * bool(self.aged)
        return ", ".join(filter(None, (self.kind_words, self.basis_words, self.date[:7], old)))


@dataclass(frozen=True, slots=True)
class Turn:
    """What takes the place of a pick, and at which price of the pick."""

    above: str  # an amount of one GPU, or of its hour
    then: ChoiceLine
    level: bool  # whether that price is hardly above the one of today
    far: bool  # whether it is far above, and nothing costs less already
    over: bool  # whether the budget ends there
    because: str  # what both would then come to, as a sentence goes on
    dear: str  # why what costs less to buy takes its place no earlier, "" for nothing
    lone: bool  # whether several of it are counted at the price of a single listing
    beyond: bool  # whether nobody would pay that price: a new one costs less, or it lies far above that of today
    passed: tuple[str, ...]  # what costs less than what takes its place, and why that comes first all the same


@dataclass(frozen=True, slots=True)
class Other:
    """A GPU beside the pick: one of the other two choices, or one after which readers ask and that is no choice."""

    line: ChoiceLine
    role: str  # the title of the choice, "" where it is none
    why: str  # what it costs, brings and lacks beside the pick, or what keeps it from being a choice
    worth: str  # when it is the better one, going on from "take it"
    month: str  # what it comes to a month; "" where it does not meet the need
    room: str  # memory that stays free, likewise
    meets: bool
    well: bool

    @property
    def name(self) -> str:
        """As a line of the page says it."""
        return self.line.name

    @property
    def gpu(self) -> str:
        """Whose page explains it."""
        return self.line.gpu


@dataclass(frozen=True, slots=True)
class Install:
    """Which programs a reader installs, and where the guide says how."""

    words: str
    chapter: str


@dataclass(frozen=True, slots=True)
class ChangeLine:
    """What a pick becomes if one thing of its question is otherwise."""

    words: str
    pick: ChoiceLine | None
    same: bool  # whether it is the pick of the question itself, at the same price
    short: str  # of which points of the standard it falls short, "" for none
    near: str  # where there is none, what comes closest, and what it misses; "" where prices alone are missing
    look: str  # where there is none, the pick of the United States, of which no price is known here


@dataclass(frozen=True, slots=True)
class QuestionLine:
    """One question with its three choices, or with the nearest way out."""

    question: Question
    budget: float | None
    market: Market
    choices: tuple[ChoiceLine, ...]  # each option once
    best: str  # what the first choice is: the cheapest that does it well, or where it falls short
    turn: Turn | None  # of the first choice
    meeting: str
    nothing: str  # why there is no pick, "" where there is one
    way_out: str  # where nothing meets the need
    why: str = ""  # why the pick is it
    lacks: str = ""  # what a reader gives up with it
    passed: tuple[str, ...] = ()  # why what is cheaper, or as cheap and faster, is not the pick
    offloaded: str = ""  # far cheaper, with part of the experts in main memory
    sure: tuple[str, ...] = ()  # how far its price and its speed may be trusted
    others: tuple[Other, ...] = ()
    unpriced: tuple[str, ...] = ()  # GPUs after which readers ask and whose price nobody states here
    install: Install | None = None
    range: str = ""  # of a used price: between which two figures it was sold
    living: tuple[str, ...] = ()  # of the first choice: parts, programs, whom one buys from
    wait: str = ""  # until its first word
    changes: tuple[ChangeLine, ...] = ()
    once: bool = False  # whether it is asked for a single run, so that nothing is paid by the month
    reading: str = ""  # the question in full, with the model and the format of its weights
    elsewhere: str = ""  # where few or no prices decide here, what it would be in the United States
    thin: str = ""  # how few prices the pick was made from, where they are too few to trust
    assumptions: tuple[str, ...] = ()

    @property
    def pick(self) -> ChoiceLine | None:
        """The cheapest that does it well."""
        return self.choices[0] if self.choices else None

    @property
    def currency(self) -> str:
        """In which its amounts are."""
        return MARKETS[self.market].currency

    @property
    def span(self) -> str:
        """What an amount of cost is for, as the head of a column."""
        return "The run" if self.once else "A month"

    @property
    def place(self) -> str:
        """Its market, as a sentence goes on."""
        return f"in {MARKETS[self.market].place}"

    @property
    def instead(self) -> Other | None:
        """The obvious other: of those that do it well here, the first that the question says when to take."""
        known = {one.gpu: one for one in self.others if one.well}
        return next((known[gpu] for gpu in self.question.worth if gpu in known), None)


@dataclass(frozen=True, slots=True)
class Whole:
    """The one machine for everything of a tier."""

    machine: TierMachine
    currency: str
    first: ChoiceLine | None
    runner_up: ChoiceLine | None
    nothing: str  # why there is no machine, "" where there is one
    barely: ChoiceLine | None  # what does everything for less, short of the standard in some


@dataclass(frozen=True, slots=True)
class TierGroup:
    """A tier: its machine and its lines, each in every market."""

    tier: Tier
    machines: Mapping[Market, Whole]
    lines: tuple[Mapping[Market, QuestionLine], ...]


@dataclass(frozen=True, slots=True)
class MarketCards:
    """How many cards a source states a price to buy of, in a market, and how many sources that price rests on alone."""

    place: str
    cards: int
    alone: int  # cards whose price rests on one source
    greek: int  # of a market of several countries: cards whose price comes from Greek shops, of which most are known


def priced(dataset: Dataset, market: Market) -> int:
    """How many GPUs have a current price to buy in a market."""
    return sum(quotes(dataset).to_buy(gpu, market).value is not None for gpu in dataset.gpus)


def known_in(dataset: Dataset, market: Market) -> MarketCards:
    """What the prices of a market rest on."""
    found = [quotes(dataset).to_buy(gpu, market) for gpu in dataset.gpus]
    known = [one for one in found if one.value is not None]
    alone = sum(bool(one.alone) for one in known)
    return MarketCards(MARKETS[market].place, len(known), alone, sum(one.country == "GR" for one in known))


def pages(dataset: Dataset) -> Iterator[Page]:
    """The page of all picks, and one of each pick, which can be quoted and shared."""
    found = {market: picks(dataset, market) for market in MARKETS}
    groups = [_group(dataset, place, tier, found) for place, tier in enumerate(TIERS)]
    lines = [one for group in groups for by_market in group.lines for one in by_market.values()]
    dates = sorted(one.pick.date for one in lines if one.pick and one.pick.date)
    taken = {market: _taken(made) for market, made in found.items()}
    context = {
        "groups": groups,
        "questions": len(QUESTIONS),
        "tiers": len(TIERS),
        "dates": (dates[0], dates[-1]) if dates else None,
        "known": {market: known_in(dataset, market) for market in MARKETS},
        "newest": dataset.newest_reading,
        "newest_bought": dataset.newest_price("retail", "used", "system"),
        "newest_rented": dataset.newest_price("on_demand", "spot"),
        "assumptions": taken,
        "standard": [*RULES["standard"], RULES["fewer"]],
        "edit": addresses.edit("data/questions.yml"),
        "addresses": addresses,
    }
    yield Page(
        PATH,
        "picks.html.j2",
        context,
        "Today’s picks",
        "Which GPU today, by need and budget: the cheapest that does it well, its price and speed, and the runner-up.",
        "data/questions.yml",
        hide=("toc",),
        shared=Shared("Today’s picks: which GPU, by need and budget", _shared_figures(lines)),
    )
    newer = denoise.table(dataset, _picked_for_pictures(found.values()))
    yield from (_page(by_market, newer) for group in groups for by_market in group.lines)


def _picked_for_pictures(found: Iterable[Picks]) -> dict[str, float]:
    """The cards picked for pictures in any market, with the steps a second that each is counted with."""
    firsts = [pick.answer.first for made in found for pick in made.picks if pick.question.asked.get("task") == "image"]
    return {first.gpu: first.env["able"]["rate"] for first in firsts if first is not None and first.count == 1}


def _taken(made: Picks) -> list[str]:
    """What the picks of a market take for granted, less what each question sets for itself."""
    return list(dict.fromkeys(one for pick in made.picks for one in assumptions(pick.answer, whole=False)))


def _page(line: Mapping[Market, QuestionLine], newer: denoise.Table | None) -> Page:
    """One pick: its answer, the reasons, and what would change it; for pictures also the models after SDXL."""
    known = line[DEFAULT_MARKET]
    first = known.pick
    # What it falls short in takes sentences, which the page has room for.
    best = "short of the standard in some points" if first and first.told["narrow"] else known.best
    words = f"{first.name}, to {first.way}: {best}" if first else known.nothing
    return Page(
        addresses.pick(known.question.id).removesuffix("/"),
        "pick.html.j2",
        {
            "line": line,
            "assumptions": {market: one.assumptions for market, one in line.items()},
            "cards": known.choices[:1],
            "newer": newer if known.question.asked.get("task") == "image" else None,
            "alike": [q for q in QUESTIONS if q.tier == known.question.tier and q.id != known.question.id],
            "addresses": addresses,
        },
        f"{known.question.words}: which GPU?",
        f"{known.question.words}: {words}, with the reasons and the price at which another card takes its place.",
        "data/questions.yml",
        shared=Shared(known.question.words, _figures_of(known), first.vendor if first else ""),
    )


def _figures_of(line: QuestionLine) -> tuple[tuple[str, str], ...]:
    """What a link to a pick shows: its choices with their prices, and how fast the first is."""
    first = line.pick
    if first is None:
        return ()
    speed = ((str(first.told["unit"]), first.speed),)
    return tuple((f"{c.told['title']}, {_price(c)}", c.name) for c in line.choices) + speed


def _price(choice: ChoiceLine) -> str:
    paid = money(choice.amount, choice.currency)
    return f"{paid} an hour" if choice.way == "rent" else f"{paid} each" if choice.several else paid


def _shared_figures(shown: Sequence[QuestionLine]) -> tuple[tuple[str, str], ...]:
    """What a link to the page shows: the picks of the first page in the United States."""
    home = {line.question.id: line.pick for line in shown if line.question.home and line.currency == "USD"}
    return tuple((f"to {pick.way}, {money(pick.amount, pick.currency)}", pick.name) for pick in home.values() if pick)


@once
def lines(dataset: Dataset) -> list[dict[Market, QuestionLine]]:
    """Every pick in every market, in the order of the questions; the page of all picks and the home page show them."""
    found = {market: picks(dataset, market).picks for market in MARKETS}
    return [
        {market: line(made[place], dataset, found[DEFAULT_MARKET][place]) for market, made in found.items()}
        for place in range(len(QUESTIONS))
    ]


def line(pick: Pick, dataset: Dataset | None = None, home: Pick | None = None) -> QuestionLine:
    """A pick as the pages show it; with a dataset also why not the cards after which readers ask.

    `home` is the same question in the United States, of which most prices are known.
    """
    need, shown = pick.answer.need, view(pick.answer)
    first = shown["choices"][0] if shown["choices"] else None
    option = pick.answer.first
    best = ""
    if first:
        best = f"{SHORT}: {first['narrow']}" if first["narrow"] else next(_told(WORDS["best"], _named_env(pick)))
    turned = turn(pick, need.where.id, dataset)
    way_out = shown["ways_out"][0] if shown["ways_out"] else None
    pairs = zip(pick.answer.choices, shown["choices"], strict=True)
    beside = others(dataset, pick, shown["choices"]) if dataset else []
    return QuestionLine(
        question=pick.question,
        budget=need.budget_usd,
        market=need.where.id,
        choices=tuple(choice(made.option, told, need.where.id) for made, told in pairs if not told["same"]),
        best=best,
        turn=turned,
        meeting=shown["meeting"],
        nothing="" if first else without(dataset, need.where.id) or UNMET[need.prefer].format(place=need.where.place),
        way_out=f"{way_out['change']}. {way_out['words']}" if way_out else "",
        why=why(pick),
        lacks=_listed(_told(WORDS["lacks"], option.env)) if option else "",
        passed=tuple(passed_over(pick)),
        offloaded=with_main_memory(pick),
        sure=tuple(sure(option, turned)) if option else (),
        others=tuple(one for one in beside if one.line.amount),
        unpriced=tuple(one.name for one in beside if not one.line.amount),
        install=install(option) if option else None,
        range=". ".join(filter(None, _used_prices(dataset, option, need.where.id))) if option else "",
        living=(*million(option, need), *living(option), *storage(option, need)) if option else (),
        wait=wait(dataset, option, need) if dataset and option else "",
        changes=tuple(
            change_line(one, option, home.changed[place] if home else None, dataset)
            for place, one in enumerate(pick.changed)
        ),
        elsewhere=elsewhere(dataset, need.where.id, home)
        if dataset and home and not (option and priced(dataset, need.where.id) >= THIN)
        else "",
        thin=thin(dataset, need.where.id) if dataset and option and option.way == "buy" else "",
        assumptions=tuple(assumptions(pick.answer)),
        once=bool(need.rule["run"]) and need.runs_per_month == 1,
        reading=reading(pick),
    )


def why(pick: Pick) -> str:
    """Why the pick is it: what it has over the cheapest, or that it is the cheapest; "" where nothing is picked."""
    return next(_told(WORDS["why"], _named_env(pick)), "") if pick.answer.choices else ""


def passed_over(pick: Pick) -> Iterator[str]:
    """Why what is cheaper than the pick, or counts as no dearer and is faster, is not it, less what `why` says."""
    made = pick.answer.choices[0] if pick.answer.choices else None
    if made is None:
        return
    first, told = made.option, {made.option.gpu, made.cheapest.gpu if made.cheapest else ""}
    if not first.well:
        as_fast = [o for o in pick.answer.meeting if o.speed * (1 + CONSTANTS["step"]) >= first.speed]
        yield from _passed([o for o in as_fast if o.month < first.month and o.gpu not in told][:1], first, "lesser")
        return
    pool = [o for o in sorted(pick.answer.pool, key=by_cost) if o.gpu not in told]
    yield from _passed([o for o in pool if o.month < first.month], first, "cheaper")
    most, least = same_until(made.cheapest or first), first.env["able"]["rate"] * (1 + CONSTANTS["step"])
    near = [o for o in pool if first.month <= o.month <= most and o.way == first.way]
    yield from _passed([o for o in near if o.env["able"]["rate"] >= least], first, "faster")


def _passed(options: Iterable[Option], first: Option, room: str) -> Iterator[str]:
    """Why the first comes before each of the options, at most `MOST_PASSED` of them."""
    missed = {failure.name for failure in first.narrow}
    for one in [*options][:MOST_PASSED]:
        more = "; ".join(failure.text for failure in one.narrow if failure.name not in missed)
        told = {"named": _named(one), "per": _per_of(one), "other": first.compared, "more": more}
        yield from list(_told(WORDS["passed"][room], {**one.env, **told}))[:1]


def with_main_memory(pick: Pick) -> str:
    """The far cheaper card with part of the experts in main memory, its kind first; "" where there is none."""
    there = offloaded(pick.answer)
    if there is None:
        return ""
    told = {"change": rules.sentence(HOSTED["says"])(there.env), "named": _named(there), "does": does(there)}
    return rules.sentence(WORDS["offloaded"])({**there.env, **told})


def _named_env(pick: Pick) -> dict[str, Any]:
    """What the sentences about a pick may ask for: the option, what costs a little less, and what costs next less."""
    first, under = pick.answer.choices[0].option, pick.answer.choices[0].cheapest
    pool = pick.answer.pool if first.well else pick.answer.meeting
    second = next((one for one in sorted(pool, key=by_cost) if (one.gpu, one.way) != (first.gpu, first.way)), None)
    beside = {
        name: None if one is None else {**one.compared, "named": _named(one), "until": same_until(one)}
        for name, one in {"cheapest": under, "second": second}.items()
    }
    # The cheapest that works misses nothing but what the pick misses too.
    missed = {failure.name for failure in first.narrow}
    works = min((o for o in pick.answer.meeting if {failure.name for failure in o.narrow} <= missed), key=by_cost)
    beside["works"] = (
        None
        if works.key == first.key
        else {"named": _named(works), "price": (works.env["price"] or {}).get("usd", 0.0)}
    )
    told = {"n": len(pool), "named": _named(first), "well": first.well, "per": _per(pick.answer.need)}
    return {**first.env, **beside, **told, "offloaded": offloaded(pick.answer) is not None}


def reading(pick: Pick) -> str:
    """The question in full: its model and the format of its weights by name, and what was assumed."""
    need = pick.answer.need
    model = models.load().models.get(need.model)
    if model is None:
        return pick.question.reading
    told = _told_runs(pick.question.reading, need)
    form = f" ({need.quant.upper()})" if need.quant and need.rule["kind"] == "language" else ""
    return f"{model.name}{form}: {told}"


def _told_runs(reading: str, need: Need) -> str:
    """A reading with the runs a month that are counted, where it says how often in other words."""
    runs = need.runs_per_month
    if not need.rule["run"] or runs in (None, 1) or " a month" in reading:
        return reading
    return f"{reading}, counted as {rules.three(runs)} runs a month"


def _per(need: Need) -> str:
    """What a month's cost is for: the month, or the one run in it."""
    return _per_month(bool(need.rule["run"]), need.runs_per_month)


def _per_of(option: Option) -> str:
    return _per_month(option.env["task"]["run"], option.env["need"]["runs_per_month"])


def _per_month(run: bool, runs: float | None) -> str:
    return "for the run" if run and runs == 1 else "a month"


def sure(option: Option, turned: Turn | None) -> Iterator[str]:
    """How far the price and the speed of the pick may be trusted."""
    unit = " a GPU-hour" if option.way == "rent" else " each" * (option.count > 1)
    limit = f"{turned.above}{unit}" if turned and not turned.beyond else ""
    env = {**_speed_env(option), "limit": limit, "over": bool(turned and turned.over)}
    return _told(WORDS["sure"], {**env, "bound": rules.sentence(WORDS["bound"])(env)})


def storage(option: Option, need: Need) -> Iterator[str]:
    """What keeping data between two sessions costs on top of a rent, at the one cloud of which a price is known."""
    known = constants.load().get(DISK_HOUR)
    if option.way == "rent" and known is not None:
        checkpoint = checkpoint_gb(need)
        disk = DISK_GB * math.ceil((2 * checkpoint + PROGRAMS_GB) / DISK_GB)
        month = need.tax.added(known.value * disk * MONTH_HOURS / need.money.usd)
        told = {"disk_gb": disk, "disk_month": month, "checkpoint_gb": checkpoint}
        yield rules.sentence(WORDS["storage"])({**option.env, **told})


def million(option: Option, need: Need) -> Iterator[str]:
    """What a million tokens of a service cost, beside what a provider asks for as many."""
    if need.task == "serve":
        known = constants.load().get(WORDS["hosted"].get(need.model, ""))
        told = {"hosted": known.text if known else "", "hosted_in": day(known.month or known.read) if known else ""}
        yield rules.sentence(WORDS["million"])({**option.env, **told})


def checkpoint_gb(need: Need) -> float:
    """What a run of all weights writes to come back to: the weights and the optimiser's states; 0 of other work."""
    if need.task not in STATES:
        return 0.0
    return parameters(models.load().models[need.model]) * STATES[need.task][need.optimizer != "adam"] / 1e9


def install(option: Option) -> Install:
    """The programs that a reader installs for this task on this card."""
    rule = next(rule for rule in WORDS["install"] if rules.formula(rule["when"])(option.env))
    return Install(rules.sentence(rule["says"])(option.env), rule["chapter"])


def _told(rows: Sequence[Mapping[str, Any]], env: Mapping[str, Any]) -> Iterator[str]:
    """The sentences of a room's rows that apply."""
    return (rules.sentence(row["says"])(env) for row in _applying(rows, env))


def _applying(rows: Sequence[Mapping[str, Any]], env: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    return (row for row in rows if rules.formula(row["when"])(env))


def sold_for(option: Option, market: Market) -> str:
    """Between which two figures a used card was sold, where a list of its price's month says so and they enclose it.

    The list's constants are named for their cards: sold-rtx-3060-12gb.
    """
    price = option.env["price"]
    if option.way == "rent" or not price or price["kind"] != "used" or market != DEFAULT_MARKET:
        return ""
    known = constants.load().get(f"{SOLD}{option.gpu.removeprefix('nvidia-geforce-')}")
    if known is None or known.most is None or known.month != price["date"][:7]:
        return ""
    place = (price["usd"] - known.value) / (known.most - known.value)
    if not 0 <= place <= 1:
        return ""
    sold = f"By weekly averages of sales, used cards went for {known.text} in the month of this price"
    if place > TOP:
        return f"{sold}, so this price is the upper end{LOOK_BELOW}"
    where = "near the lower end of" if place < 1 / 3 else "near the upper end of" if place > 2 / 3 else "within"
    return f"{sold}, and this price lies {where} that range"


def _used_prices(dataset: Dataset | None, option: Option, market: Market) -> tuple[str, str]:
    """Where a used price lies among the sales of its month, and what sellers asked after it."""
    since = asked_since(dataset, option, market) if dataset else ""
    sold = sold_for(option, market)
    # Nobody finds one below what sellers ask by now.
    return (sold.removesuffix(LOOK_BELOW) if since else sold), since


def asked_since(dataset: Dataset, option: Option, market: Market) -> str:
    """What sellers of a used card asked in the months after its price; "" where they asked no more or none is known."""
    price = option.env["price"]
    if option.way == "rent" or not price or price["kind"] != "used" or market != DEFAULT_MARKET:
        return ""
    later = quotes(dataset).asked_after(option.gpu, price["date"][:7])
    if not later or later[0] <= price["usd"]:
        return ""
    least, most, month = later
    ends = between(*(money(end, MARKETS[market].currency) for end in (least, most)))
    env = option.env
    budget, fits = env["need"]["budget_usd"], env["host_price"] + least * env["bought"]
    beyond = budget is not None and fits > budget
    more = f" and more than the budget of {money(budget, MARKETS[market].currency)} allows" if beyond else ""
    return f"In {day(month)} sellers asked {ends}, so expect to pay more than that price{more}"


def does(option: Option) -> str:
    """How fast an option is and how sure that is, as a sentence goes on from "it" or "they"."""
    one, several = DOES.get(option.env["need"]["task"], WORKS)
    verb = one if option.count == 1 else several
    said = f"{verb} {next(_told(WORDS['speed'], _speed_env(option)))}"
    return f"{said}, {_taken_by(option)}" if _taken_by(option) else said


def _speed_env(option: Option) -> dict[str, Any]:
    """What the sentences about a speed ask for: the speed in words, and whether a run of its own tells it."""
    return {
        **option.env,
        "told": _speed(option),
        "told_each": _speed(option, option.env["people"]),
        "worked_out": is_worked_out(option),
    }


def _taken_by(option: Option) -> str:
    """What the speed means to whoever waits: a picture, or the run that was asked for; "" where it is plain."""
    able, need = option.env["able"], option.env["need"]
    if need["task"] == "image" and able["low"]:
        ends = ("rate",) if able["measured"] else ("high", "low")
        seconds = (_digits(denoise.RULES["sdxl_steps"] / able[end], able["measured"]) for end in ends)
        return f"which is a picture in {' to '.join(dict.fromkeys(seconds))} seconds"
    return rules.sentence(WORDS["run_takes"])(option.env) if option.env["task"]["run"] else ""


def turn(pick: Pick, market: Market, dataset: Dataset | None = None) -> Turn | None:
    """What takes the place of a pick when its price rises; None where nothing does."""
    if not pick.answer.choices or pick.answer.choices[0].turns is None:
        return None
    (above, then, over), first = pick.answer.choices[0].turns, pick.answer.choices[0].option
    currency, price = MARKETS[market].currency, first.env["price"]["usd"]
    # An hour often turns by less than a cent.
    words = str(rules.amount(above, SIGNS[currency])) if first.way == "rent" else money(above, currency)
    words += " with tax" * bool(first.env["price"].get("listed"))
    at = first.month + first.env["slope"] * (above - price)
    named = {name: value for name, value in _named_env(pick).items() if name in ("cheapest", "per")}
    env = {
        **then.env,
        "other": {**first.env, **first.compared},
        "at": at,
        "over": over,
        "until": same_until(then),
        **named,
    }
    reason = next(_applying(WORDS["turns"], env))
    saves = then.way == first.way == "buy" and then.env["outlay"] < above * first.env["bought"]
    dear = _listed(_told(WORDS["dear"], env)) if saves and not reason.get("weighed") else ""
    lone = then.count > 1 and then.env["price"]["alone"] == "one listing"
    pool = [o for o in sorted(pick.answer.pool, key=by_cost) if o.gpu not in (first.gpu, then.gpu)]
    return Turn(
        words,
        choice(then, {}, market),
        above < LEVEL * price,
        above > FAR * price and pick.answer.choices[0].cheapest is None,
        over,
        rules.sentence(reason["says"])(env),
        dear,
        lone,
        not over and _nobody_pays(above, first, market, dataset),
        tuple(_passed([o for o in pool if o.month < then.month], then, "cheaper")) if then.well else (),
    )


def _nobody_pays(above: float, first: Option, market: Market, dataset: Dataset | None) -> bool:
    """Whether a card is never bought at a price: its own new price lies below, or for a new one that of today does."""
    price = first.env["price"]
    if first.way == "rent" or dataset is None:
        return False
    new = quotes(dataset).quote(first.gpu, "new", market).value if price["kind"] == "used" else price["usd"] * FAR
    return new is not None and above > new


def wait(dataset: Dataset, option: Option, need: Need) -> str:
    """How long the first word of a chat takes after a long prompt, both ends of the estimate; "" where unknown."""
    seconds = prompt_seconds(dataset, option, need)
    if seconds is None:
        return ""
    ends = between(*(_digits(end, measured=False) for end in (seconds.p10, seconds.p90)))
    return f"A prompt of {PROMPT:,} tokens is read in {ends} seconds, by estimate, before the first word comes"


def change_line(
    changed: Changed, first: Option | None, home: Changed | None = None, dataset: Dataset | None = None
) -> ChangeLine:
    """One change of a question, with what is picked then; `home` is the same change in the United States."""
    then, market = changed.first, changed.need.where.id
    same = bool(then and first and (then.key, then.env["price"]) == (first.key, first.env["price"]))
    return ChangeLine(
        _condition(changed, first) if not same else changed.change.by_market[market],
        choice(then, {}, market) if then else None,
        same,
        "; ".join(failure.text for failure in then.narrow) if then else "",
        _nearest(changed.unmet) if changed.unmet else "",
        _look_for(home.first, dataset, market) if not then and home and home.first and dataset else "",
    )


def _condition(changed: Changed, first: Option | None) -> str:
    """The change in words; where the pick runs CUDA and another card is taken for CUDA, what the pick lacks of it."""
    words = changed.change.by_market[changed.need.where.id]
    if not first or changed.change.asked.get("runs_on") != "cuda":
        return words
    return next(_told(WORDS["more_of_cuda"], {**first.env, "short": _short(first)}), words)


def _look_for(home: Option, dataset: Dataset, market: Market) -> str:
    """The pick of the United States where no source states what that card costs in this market; "" where one does."""
    if home.way == "rent" or quotes(dataset).to_buy(home.gpu, market).value is not None:
        return ""
    price = money(home.env["price"]["usd"], "USD") + " each" * (home.count > 1)
    return f"in the United States it is {_named(home)} at {price}, of which we know no price here"


def _nearest(unmet: Answer) -> str:
    """What comes nearest to a need that nothing meets: what a little more money buys, else the first with a price."""

    def held(option: Option) -> bool:
        room = shelf(unmet.dataset).ability(option.gpu, option.count, unmet.need).room_gib
        return room is not None and room >= 0

    little = [o for o in unmet.lost if all(f.name in MONEY and f.gap <= CONSTANTS["close"] for f in o.failures)]
    dearer = sorted(filter(held, little), key=lambda o: max(f.gap for f in o.failures))
    for option in (*dearer, *(o for o in unmet.lost if o not in little)):
        missed = {failure.name for failure in option.failures}
        first = option.failures[0]
        unmeasured = first.name == "speed" and option.env["able"]["rate"] is None  # a gap of ours, not of the card
        if option.env["price"] and not unmeasured and not missed & NO_WAY_OUT and _answers(option, unmet.need):
            return f"{_short(option)} comes closest ({first.text.removesuffix(TYPE_YOURS)})"
    return ""


def _answers(option: Option, need: Need) -> bool:
    """Whether a GPU is of the kind that was asked for: no board computer where a PC with its power supply stands."""
    card = option.env["card"]
    into_pc = need.psu_w is not None or need.slots is not None or need.length_mm is not None
    return not (card["segment"] == "edge" or (card["form"] == "SoC" and (into_pc or need.task in TRAINED_ON_CARDS)))


def elsewhere(dataset: Dataset, market: Market, home: Pick) -> str:
    """The pick of the United States for a market in which no source states what that card costs; "" where one does."""
    option = home.answer.first
    if option is None or option.way == "rent" or quotes(dataset).to_buy(option.gpu, market).value is not None:
        return ""
    place, then = MARKETS[market].place, choice(option, {}, DEFAULT_MARKET)
    each = " each" if then.several else ""
    return (
        f"In the United States it is {_named(option)}, {money(then.amount, then.currency)}{each} ({then.seen}); "
        f"we found no current price for it in {place}, so look for one there before you buy anything else"
    )


def thin(dataset: Dataset, market: Market) -> str:
    """That too few cards, or hardly any used one, have a price in a market for a pick to be more than a start."""
    book, place, cards = quotes(dataset), MARKETS[market].place, priced(dataset, market)
    used = sum(book.quote(gpu, "used", market).value is not None for gpu in dataset.gpus)
    if cards < THIN:
        return f"We know prices in {place} for only {cards} cards, so take this as a start and not as a ranking"
    if used < THIN:
        return f"We know used prices in {place} for only {used} cards, so look for a used card of this class too"
    return ""


def without(dataset: Dataset | None, market: Market) -> str:
    """That no source states a price to buy in a market, so that nothing can be picked there; "" where some does."""
    if dataset is None or priced(dataset, market):
        return ""
    return f"No source of ours states what a card costs to buy in {MARKETS[market].place}"


def choice(option: Option, told: Mapping[str, Any], market: Market) -> ChoiceLine:
    """An option with a price, as a line shows it."""
    price, judged = option.env["price"] or {}, "people" in option.env  # what fails by its form or price never is
    return ChoiceLine(
        name=_short(option),
        gpu=option.gpu,
        vendor=option.vendor,
        several=option.count > 1,
        way=option.way,
        amount=price.get("usd", 0.0),
        kind=KIND_OF.get(price.get("kind", ""), ""),
        kind_words=KIND_WORDS.get(price.get("kind", ""), ""),
        market=market,
        currency=MARKETS[market].currency,
        seen=str(OPTION["source"](option.env)) if judged else "",
        date=price.get("date", ""),
        speed=_speed(option),
        does=does(option) if judged else "",
        told=told,
        aged=price.get("aged", ""),
        basis_words=BASIS_WORDS["floor"] if price.get("basis") == "floor" else "",
        remarks=tuple(_told(REMARKS, option.env)) if judged else (),
        basis=next(_told(WORDS["basis"], _speed_env(option))) if judged and option.env.get("able") else "",
    )


def _speed(option: Option, people: int = 1) -> str:
    """How fast it is, or how fast for each of several people: what was measured, or the ends of an estimate."""
    able = option.env.get("able")
    if not able or able["low"] is None:
        return UNKNOWN
    if able["measured"]:
        return _digits(able["rate"] / people, measured=True)
    return between(*(_digits(able[end] / people, able["measured"]) for end in ("low", "high")))


def _digits(value: float, measured: bool) -> str:
    """A speed as a reader reads it: two digits where it is an estimate."""
    return rules.three(value if measured else float(f"{value:.2g}")) or ""


def others(dataset: Dataset, pick: Pick, told: Sequence[Mapping[str, Any]]) -> list[Other]:
    """The other two choices, and the GPUs after which readers ask with what keeps each from being a choice."""
    first, need = pick.answer.first, pick.answer.need
    titles = {
        made.option.gpu: words["title"]
        for made, words in zip(pick.answer.choices[1:], told[1:], strict=True)
        if not words["same"]
    }
    chosen = [one.option for one in pick.answer.choices if one.option.gpu in titles and one.option is not first]
    asked = expected(dataset, pick)
    # Whatever a sentence of the page weighs against the pick stands beside it.
    made = pick.answer.choices[0] if pick.answer.choices else None
    weighed = {
        str(WORDS["offloaded_role"]): offloaded(pick.answer),
        "costs the least": made and made.cheapest,
        "next in line": made and made.turns and made.turns[1],
    }
    named = {one.gpu for one in (*chosen, *asked)}
    for role, one in weighed.items():
        if one and one.gpu not in named and first and one.gpu != first.gpu:
            chosen.append(one)
            titles.setdefault(one.gpu, role)
            named.add(one.gpu)
    return [_other(dataset, one, first, need, pick.question, titles.get(one.gpu, "")) for one in (*chosen, *asked)]


def _other(dataset: Dataset, option: Option, first: Option | None, need: Need, question: Question, role: str) -> Other:
    month, room = (str(OPTION[name](option.env)) if option.meets else "" for name in ("month", "room"))
    firm = option.env["price"] if not any(one.name == "price" for one in option.failures) else None
    made = choice(option, {}, need.where.id)
    line = made if firm else replace(made, amount=0.0)
    against = _against(dataset, option, first, need)
    hopeless = any(one.name == UNSUPPORTED for one in option.failures)
    worth = "" if hopeless else question.worth.get(option.gpu, "")
    return Other(line, role, against, worth, month, room, option.meets, option.meets and option.well)


def _against(dataset: Dataset, option: Option, first: Option | None, need: Need) -> str:
    if option.failures or first is None:
        return _missed(dataset, option, need) if option.failures else ""
    lacks = "; ".join(one.text for one in option.narrow) if first.well else ""
    other = {**first.compared, "bf16": first.env["card"]["bf16"]}
    env = {**option.env, "other": other, "per": _per(need), "offloaded": is_offloaded(option)}
    parts = [*_told(WORDS["beside"], env), *_reads(dataset, option, first, need)] or [str(WORDS["even"])]
    subject = "it" if option.count == 1 else "the pair" if option.count == 2 else "the set"
    told = f"{subject} {_listed(parts)}"
    return f"{told}, but falls short: {lacks}" if lacks else told


def _missed(dataset: Dataset, option: Option, need: Need) -> str:
    """What keeps a card from being a choice; of a budget that is missed by little also the price at which it is not."""
    first = option.failures[0]
    if first.name != "budget" or option.way != "buy" or first.gap > CONSTANTS["close"] or need.budget_usd is None:
        return first.text.removesuffix(TYPE_YOURS)
    on, fits = shelf(dataset), (need.budget_usd - option.env["host_price"]) / option.env["bought"]
    cheaper = replace(need, own_prices={option.gpu: fits}, max_gpus=option.count)
    found = [one for one in options(on.priced_in(need.money), cheaper, only=(option.gpu,)) if one.key == option.key]
    each, price = " each" * (option.count > 1), money(fits, need.where.currency)
    month = f" and cost {OPTION['month'](found[0].env)} a month" if found and found[0].meets else ""
    fit = "they would fit" if option.count > 1 else "it would fit"
    return f"{first.text}; at {price}{each} {fit}{month}"


def _listed(parts: Iterable[str]) -> str:
    """Parts of a sentence, with commas and an "and" before the last."""
    *before, last = [*parts] or [""]
    return f"{', '.join(before)} and {last}" if before else last


def _reads(dataset: Dataset, option: Option, first: Option, need: Need) -> Iterator[str]:
    """How long it takes to read a prompt beside the pick, where one of the two takes clearly longer."""
    mine, other = (prompt_seconds(dataset, one, need) for one in (option, first))
    if mine and other and max(mine.median, other.median) > CLEARLY * min(mine.median, other.median):
        told, beside = (between(_digits(one.p10, False), _digits(one.p90, False)) for one in (mine, other))
        yield f"reads a prompt of {PROMPT:,} tokens in {told} seconds against {beside}"


def _short(option: Option) -> str:
    """Its name without the maker, which a dot shows, and how many of it."""
    name = str(option.env["card"]["name"]).removeprefix(f"{option.vendor} ")
    return name if option.count == 1 else f"{option.count} × {name}"


def _named(option: Option) -> str:
    """Its name in a sentence: several of a card take no article."""
    return _short(option) if option.count > 1 else f"the {_short(option)}"


def _group(dataset: Dataset, place: int, tier: Tier, found: Mapping[Market, Picks]) -> TierGroup:
    machines = {market: _whole(dataset, made.machines[place], market) for market, made in found.items()}
    return TierGroup(tier, machines, tuple(by for by in lines(dataset) if by[DEFAULT_MARKET].question.tier == tier.id))


def _whole(dataset: Dataset, machine: TierMachine, market: Market) -> Whole:
    made = (machine.first, machine.runner_up, machine.barely)
    first, second, barely = (choice(one, {}, market) if one else None for one in made)
    none = "No GPU with a price that still counts meets all the questions above"
    nothing = "" if first else without(dataset, market) or none
    return Whole(machine, MARKETS[market].currency, first, second, nothing, barely)
