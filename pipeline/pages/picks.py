"""Today's picks by need and budget, one machine for each tier: every line is the recommender's answer of this build."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pipeline.choose.answer import period
from pipeline.choose.flip import Flip
from pipeline.choose.judge import Option, unit
from pipeline.choose.need import Need
from pipeline.choose.words import assumptions
from pipeline.dataset import Dataset
from pipeline.estimate import Interval
from pipeline.pages import addresses
from pipeline.picks import TIERS, Machine, Pick, Question, at_the_slow_end, expected, picks
from pipeline.render import Page, ratio

PATH = "guide/picks"
BEST: Mapping[str, str] = {
    "cheapest": "the cheapest", "fastest": "the fastest", "cheapest_work": "the cheapest for the work done",
}  # fmt: skip
EACH: Mapping[str, str] = {"buy": "each", "rent": "a GPU-hour"}
SAME = 0.01  # costs that differ by less are called the same: prices are not known any better
TYPE_YOURS = "; type yours"  # an invitation of the chooser, which has a field for it


@dataclass(frozen=True, slots=True)
class Choice:
    """A GPU in a count, with its price, as a line shows it."""

    name: str
    gpu: str
    vendor: str
    several: bool
    way: str
    usd: float
    each: str
    seen: str  # new or used, where, when
    date: str
    rate: Interval | None
    rate_unit: str
    measured: bool
    room_gib: float | None
    total_usd: float | None
    period: str


@dataclass(frozen=True, slots=True)
class Other:
    """A GPU in a count that is not the pick, and why; or the price below which it would be."""

    name: str
    gpu: str
    why: str
    below_usd: float | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """One question with its pick, or with what comes nearest."""

    question: Question
    budget_usd: float | None
    pick: Choice | None
    best: str  # "the cheapest of 7 that meet the need"
    decides: str
    caveats: tuple[str, ...]
    runner_up: Choice | None
    same_cost: bool  # the runner-up costs as much
    gives_up: str
    safe: bool  # the pick meets the need at the slow end of its estimate too
    sure: Choice | None  # the first that does, where the pick does not
    in_one: tuple[Other, ...]
    flip: Flip | None
    flip_each: str
    way_out: str  # where nothing meets the need


@dataclass(frozen=True, slots=True)
class Group:
    """A tier: its machine and its lines."""

    machine: Machine
    first: Choice | None
    runner_up: Choice | None
    lines: tuple[Line, ...]


def pages(dataset: Dataset) -> Iterator[Page]:
    """The one page of the picks."""
    found = picks(dataset)
    groups = [_group(machine, [line(pick) for pick in found.of(machine.tier)]) for machine in found.machines]
    need = found.picks[0].answer.need
    dates = sorted(one.pick.date for group in groups for one in group.lines if one.pick)
    context = {
        "groups": groups,
        "questions": len(found.picks),
        "tiers": len(TIERS),
        "dates": (dates[0], dates[-1]) if dates else None,
        "newest": dataset.newest_reading,
        "assumptions": list(assumptions(need)),
        "why_not": {pick.question.id: why_not(dataset, pick) for pick in found.picks},
        "edit": addresses.edit("pipeline/picks.py"),
    }
    yield Page(PATH, "picks.html.j2", context, "Today’s picks",
               "Which GPU today, by need and budget, with the reason, the runner-up and what would change it.",
               "pipeline/picks.py", hide=("toc",))  # fmt: skip


def line(pick: Pick) -> Line:
    """A pick as the pages show it."""
    answer, need = pick.answer, pick.answer.need
    first, runner_up, flip = answer.first, pick.runner_up, answer.flip
    meeting = len(answer.ranked)
    alone = "the only one that meets the need"
    safe, same = first is not None and at_the_slow_end(first, need), _same_cost(pick)
    return Line(
        pick.question, need.budget_usd, choice(first, need) if first else None,
        f"{BEST[need.ranked_by]} of {meeting} that meet the need" if meeting > 1 else alone,
        answer.binding.text, first.caveats if first else (), choice(runner_up, need) if runner_up else None,
        same, _gives_up(pick, same), safe, choice(pick.sure, need) if pick.sure and not safe else None,
        tuple(Other(option.name, option.gpu.id, "", below) for option, below in pick.in_one),
        flip, EACH[flip.way] if flip else "",
        f"{answer.ways_out[0].change}: {answer.ways_out[0].option.name}" if answer.ways_out else "",
    )  # fmt: skip


def why_not(dataset: Dataset, pick: Pick) -> tuple[Other, ...]:
    """The options after which readers ask, each with what keeps it from being the pick."""
    first, need = pick.answer.first, pick.answer.need
    return tuple(Other(_short(o), o.gpu.id, _against(o, first, need)) for o in expected(dataset, pick))


def _against(option: Option, first: Option | None, need: Need) -> str:
    """What it fails, or how its cost and speed compare with the pick's."""
    if option.failures or first is None:
        return "; ".join(failure.text.removesuffix(TYPE_YOURS) for failure in option.failures)
    parts = [f"{_times(_cost(option, need) / _cost(first, need))} cost {_per(need)}"]
    if option.ability.rate and first.ability.rate:
        parts.append(f"{_times(option.ability.rate.median / first.ability.rate.median)} speed")
    return ", ".join(parts)


def _cost(option: Option, need: Need) -> float:
    """The cost by which the objective ranks: of the work, or of the run or month."""
    if need.ranked_by == "cheapest_work" and option.cost.per_million:
        return option.cost.per_million.at(option.price)
    return option.cost.total.at(option.price)


def _per(need: Need) -> str:
    return "of a million tokens" if need.ranked_by == "cheapest_work" else period(need)


def _times(factor: float) -> str:
    return "the same" if abs(factor - 1) < SAME else f"{ratio(factor)} the"


def _same_cost(pick: Pick) -> bool:
    first, other, need = pick.answer.first, pick.runner_up, pick.answer.need
    if first is None or other is None:
        return False
    return abs(_cost(other, need) / _cost(first, need) - 1) < SAME


def _gives_up(pick: Pick, same_cost: bool) -> str:
    """What the runner-up gives up; a cent a month is nothing."""
    parts = pick.gives_up.split("; ")
    return "; ".join(part for part in parts if not (same_cost and part.endswith(f"more {period(pick.answer.need)}")))


def choice(option: Option, need: Need) -> Choice:
    """An option with a price, as a line shows it."""
    quote, ability = option.quote, option.ability
    if quote is None:
        raise ValueError(f"{option.name} has no price; only options that meet a need are shown")
    return Choice(
        _short(option), option.gpu.id, option.gpu.text("vendor"), option.count > 1,
        option.way, quote.usd, EACH[option.way], quote.words, quote.date, ability.rate,
        unit(need).removesuffix(" each"), ability.measured, ability.room_gib, option.total_usd, period(need),
    )  # fmt: skip


def _short(option: Option) -> str:
    """Its name without the maker, which a dot shows, and how many of it."""
    name = option.gpu.name.removeprefix(f"{option.gpu.text('vendor')} ")
    return name if option.count == 1 else f"{option.count} × {name}"


def _group(machine: Machine, lines: list[Line]) -> Group:
    first, runner_up = (choice(option, Need()) if option else None for option in (machine.first, machine.runner_up))
    return Group(machine, first, runner_up, tuple(lines))
