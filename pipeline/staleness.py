"""How old a price may be: a date and the dataset's own today in, fresh, ageing, stale or withdrawn out.

The build has no clock: age counts from the newest reading in the data.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date

STATES = ("fresh", "ageing", "stale", "withdrawn")
# States that a median counts, the first of these groups with an observation deciding; withdrawn is in none.
COUNTED = (("fresh", "ageing"), ("stale",))


@dataclass(frozen=True, slots=True)
class Limits:
    """Days until an observation is no longer fresh, no longer ageing, and no longer used at all."""

    fresh: int
    ageing: int
    stale: int


# Rental lists change by the week, spot prices by the hour, cards by the month; a launch price is a fact of history.
POLICY: Mapping[str, Limits | None] = {
    "spot": Limits(14, 60, 180),
    "on_demand": Limits(60, 180, 365),
    "reserved": Limits(90, 365, 730),
    "retail": Limits(60, 180, 550),
    "used": Limits(60, 180, 550),
    "launch": None,
}
# An answer that asks for money is held to less than a year, whatever the kind.
ANSWER_DAYS = 365
MEANING = {
    "fresh": "shown and counted",
    "ageing": "shown with its date, counted",
    "stale": "shown as old, counted only where nothing newer is known",
    "withdrawn": "history: drawn in charts over time, in no median and no answer",
}


def age_days(day: str, newest: str) -> int:
    """Days from an observation (a day or a month, of which the last day is not known: its first counts) to today."""
    return (date.fromisoformat(newest) - date.fromisoformat(f"{day}-01"[:10])).days


def counted(rows: Iterable[Mapping[str, str]], newest: str) -> list[Mapping[str, str]]:
    """The observations (with `kind` and `date`) that a median may count: the stale ones only if there is no newer."""
    states = [(state(row["kind"], row["date"], newest), row) for row in rows]
    groups = ([row for name, row in states if name in group] for group in COUNTED)
    return next((group for group in groups if group), [])


def answers(day: str, newest: str) -> bool:
    """Whether a price is young enough to be ranked in an answer; a year alone is not."""
    return len(day) >= len("2026-11") and age_days(day, newest) <= ANSWER_DAYS


def state(kind: str, day: str, newest: str) -> str:
    """Say how old an observation of a kind is; KeyError for a kind that POLICY does not know."""
    limits = POLICY[kind]
    if limits is None:
        return "fresh"
    if len(day) < len("2026-11"):
        return "withdrawn"  # a year alone says too little
    age = age_days(day, newest)
    bounds = zip(STATES, (limits.fresh, limits.ageing, limits.stale), strict=False)
    return next((name for name, most in bounds if age <= most), "withdrawn")
