"""How old a price may be: fresh, ageing, stale or withdrawn, counted from the dataset's own today.

The build has no clock: age counts from the newest reading in the data. The limits stand in `rules.AGES`.
"""

from __future__ import annotations

from datetime import date
from functools import lru_cache

from pipeline.derive.prices.rules import AGES as POLICY
from pipeline.derive.prices.rules import AgeLimits

STATES = ("fresh", "ageing", "stale", "withdrawn")
# A price of now is in one of these.
NOW = ("fresh", "ageing")
# An answer that asks for money is held to less than a year, whatever the kind.
ANSWER_DAYS = 365
MEANING = {
    "fresh": "a price of now",
    "ageing": "a price of now, shown with its date",
    "stale": "history: shown as last seen, in no price of now",
    "withdrawn": "history of long ago: the same",
}


def age_days(day: str, newest: str) -> int:
    """Days from an observation (a day or a month, of which the last day is not known: its first counts) to today."""
    return _ordinal(newest) - _ordinal(f"{day}-01"[:10])


@lru_cache(maxsize=4096)  # a few hundred days, asked of every price by every test of it
def _ordinal(day: str) -> int:
    return date.fromisoformat(day).toordinal()


def answers(day: str, newest: str) -> bool:
    """Whether a price is young enough to be ranked in an answer; a year alone is not."""
    return len(day) >= len("2026-11") and age_days(day, newest) <= ANSWER_DAYS


@lru_cache(maxsize=8192)
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


__all__ = ["POLICY", "AgeLimits"]
