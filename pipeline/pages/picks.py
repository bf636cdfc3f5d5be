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
from pipeline.picks import TIERS, Machine, Pick, Question, picks
from pipeline.render import Page

PATH = "guide/picks"
BEST: Mapping[str, str] = {
    "cheapest": "the cheapest", "fastest": "the fastest", "cheapest_work": "the cheapest for the work done",
}  # fmt: skip
EACH: Mapping[str, str] = {"buy": "each", "rent": "a GPU-hour"}


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
class Line:
    """One question with its pick, or with what comes nearest."""

    question: Question
    budget_usd: float | None
    pick: Choice | None
    best: str  # "the cheapest of 7 that meet the need"
    decides: str
    caveats: tuple[str, ...]
    runner_up: Choice | None
    gives_up: str
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
    return Line(
        pick.question, need.budget_usd, choice(first, need) if first else None,
        f"{BEST[need.ranked_by]} of {meeting} that meet the need" if meeting > 1 else alone,
        answer.binding.text, first.caveats if first else (), choice(runner_up, need) if runner_up else None,
        pick.gives_up, flip, EACH[flip.way] if flip else "",
        f"{answer.ways_out[0].change}: {answer.ways_out[0].option.name}" if answer.ways_out else "",
    )  # fmt: skip


def choice(option: Option, need: Need) -> Choice:
    """An option with a price, as a line shows it."""
    quote, ability = option.quote, option.ability
    if quote is None:
        raise ValueError(f"{option.name} has no price; only options that meet a need are shown")
    vendor = option.gpu.text("vendor")
    short = option.gpu.name.removeprefix(f"{vendor} ")
    return Choice(
        short if option.count == 1 else f"{option.count} × {short}", option.gpu.id, vendor, option.count > 1,
        option.way, quote.usd, EACH[option.way], quote.words, quote.date, ability.rate,
        unit(need).removesuffix(" each"), ability.measured, ability.room_gib, option.total_usd, period(need),
    )  # fmt: skip


def _group(machine: Machine, lines: list[Line]) -> Group:
    first, runner_up = (choice(option, Need()) if option else None for option in (machine.first, machine.runner_up))
    return Group(machine, first, runner_up, tuple(lines))
