"""Today's picks by need and budget, one machine for each tier: every line is the chooser's answer of this build."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pipeline.advise.choose.answer import Option
from pipeline.advise.choose.need import RULES
from pipeline.advise.choose.presenter import assumptions, gives_up, view
from pipeline.advise.choose.questions import Question
from pipeline.advise.picks import TIERS, Machine, Pick, expected, picks
from pipeline.dataset import Dataset
from pipeline.site.pages import addresses
from pipeline.site.render import Page

PATH = "guide/picks"
TYPE_YOURS = "; type yours"  # an invitation of the chooser, which has a field for it


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the three choices, as a line shows it; `told` holds every sentence of the chooser about it."""

    name: str
    gpu: str
    vendor: str
    several: bool
    way: str
    usd: float
    seen: str  # new or used, where, when
    date: str
    told: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Other:
    """A GPU that is no choice, and why."""

    name: str
    gpu: str
    why: str


@dataclass(frozen=True, slots=True)
class Line:
    """One question with its three choices, or with the nearest way out."""

    question: Question
    budget_usd: float | None
    choices: tuple[Choice, ...]  # each option once
    best: str  # what the first choice is: the least money that does it well, or only narrowly
    meeting: str
    way_out: str  # where nothing meets the need

    @property
    def pick(self) -> Choice | None:
        """The least money that does it well."""
        return self.choices[0] if self.choices else None


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
    dates = sorted(one.pick.date for group in groups for one in group.lines if one.pick and one.pick.date)
    context = {
        "groups": groups,
        "questions": len(found.picks),
        "tiers": len(TIERS),
        "dates": (dates[0], dates[-1]) if dates else None,
        "newest": dataset.newest_reading,
        "assumptions": list(assumptions(found.picks[0].answer)),
        "standard": [*RULES["standard"], RULES["fewer"]],
        "why_not": {pick.question.id: why_not(dataset, pick) for pick in found.picks},
        "edit": addresses.edit("data/questions.yml"),
    }
    yield Page(
        PATH,
        "picks.html.j2",
        context,
        "Today’s picks",
        "Which GPU today, by need and budget: the least money that does it well, the best value, the fastest.",
        "data/questions.yml",
        hide=("toc",),
    )


def line(pick: Pick) -> Line:
    """A pick as the pages show it."""
    shown = view(pick.answer)
    first = shown["choices"][0] if shown["choices"] else None
    best = f"only narrowly: {first['narrow']}" if first and first["narrow"] else "the least money that does it well"
    way_out = shown["ways_out"][0] if shown["ways_out"] else None
    pairs = zip(pick.answer.choices, shown["choices"], strict=True)
    return Line(
        pick.question,
        pick.answer.need.budget_usd,
        tuple(choice(made.option, told) for made, told in pairs if not told["same"]),
        best,
        shown["meeting"],
        f"{way_out['change']}: {way_out['words']}" if way_out else "",
    )


def choice(option: Option, told: Mapping[str, Any]) -> Choice:
    """An option with a price, as a line shows it."""
    price = option.env["price"] or {}
    return Choice(
        _short(option),
        option.gpu,
        option.vendor,
        option.count > 1,
        option.way,
        price.get("usd", 0.0),
        price.get("words", "yours"),
        price.get("date", ""),
        told,
    )


def why_not(dataset: Dataset, pick: Pick) -> tuple[Other, ...]:
    """The GPUs after which readers ask, each with what keeps it from being a choice."""
    first = pick.answer.first
    return tuple(Other(_short(o), o.gpu, _against(o, first)) for o in expected(dataset, pick))


def _against(option: Option, first: Option | None) -> str:
    if option.failures or first is None:
        return option.failures[0].text.removesuffix(TYPE_YOURS) if option.failures else ""
    if option.narrow:
        return "; ".join(one.text for one in option.narrow)
    return gives_up(option, first)


def _short(option: Option) -> str:
    """Its name without the maker, which a dot shows, and how many of it."""
    name = str(option.env["card"]["name"]).removeprefix(f"{option.vendor} ")
    return name if option.count == 1 else f"{option.count} × {name}"


def _group(machine: Machine, lines: list[Line]) -> Group:
    first, runner_up = (choice(option, {}) if option else None for option in (machine.first, machine.runner_up))
    return Group(machine, first, runner_up, tuple(lines))
