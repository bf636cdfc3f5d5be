"""What a rule looks at, and how it tells what it found."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property

from pipeline.core import theory
from pipeline.core.gpus import Gpu
from pipeline.core.identity import Names
from pipeline.core.schema import Claim, Price, Result, whole_day
from pipeline.core.theory import Architectures
from pipeline.record.reconcile import Ancestry, Records, reconcile


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong: where, which field, which value, and what to do next."""

    where: str
    field: str
    value: str
    message: str
    gpu: str = ""
    check: str = ""
    claim: Claim | None = None

    def __str__(self) -> str:
        return f"{self.where}: {self.field} = {self.value!r}: {self.message}"


@dataclass(frozen=True)
class Evidence:
    """All that the rules look at; records are worked out when a rule first asks for them."""

    gpus: Mapping[str, Gpu]
    claims: Sequence[Claim]  # without the withdrawn ones
    ancestry: Ancestry
    results: Sequence[Result]
    prices: Sequence[Price]
    siblings: Mapping[str, frozenset[str]]  # GPU → variants that share a family name with it
    price_sets: frozenset[str] = frozenset()  # names of contributed sets of prices
    benchmark_sets: frozenset[str] = frozenset()  # names of contributed sets of results
    newest_snapshot: str = ""  # the newest day that a machine wrote, against days that people type
    ids: frozenset[str] = frozenset()  # of all GPUs, where `gpus` are some of them
    architectures: Architectures = field(default_factory=theory.load)
    clauses: frozenset[tuple[str, str]] = frozenset()  # document and field of what is said of whole families
    names: Names | None = None  # None while the names of cards contradict one another
    images: Mapping[str, float] = field(default_factory=dict)  # billions of multiply-adds an image takes, by network

    @cached_property
    def records(self) -> Records:
        """What was decided on each field of each GPU."""
        return reconcile(self.claims, self.ancestry)

    def judged(self, results: Sequence[Result]) -> Evidence:
        """The same evidence with other results. No field is decided anew, since results take no part in that."""
        same = replace(self, results=results)
        vars(same)["records"] = self.records
        return same

    @cached_property
    def newest_reading(self) -> str:
        """The newest day on which anything was read or fetched: nothing in the data can be later."""
        rows: list[Claim | Result | Price] = [*self.claims, *self.results, *self.prices]
        return max((self.newest_snapshot, *(row.retrieved for row in rows)))


def file_of(problem: Problem, evidence: Evidence) -> str:
    """The file in which a problem is mended, "" where it stands in no single one."""
    claim = problem.claim
    if claim is None:
        source = problem.where.partition(" (")[0]
        if source in evidence.price_sets:
            return f"data/price-sets/{source}.csv"
        return f"data/benchmarks/{source}.csv" if source in evidence.benchmark_sets else ""
    if (claim.source, claim.field) in evidence.clauses:
        return "data/clauses.yml"
    return f"data/gpus/{claim.gpu}.yml" if by_hand(claim, evidence) else f"data/claims/{claim.source}.csv"


def by_hand(claim: Claim, evidence: Evidence) -> bool:
    """Whether a person read the value and typed it into the GPU's file."""
    gpu = evidence.gpus.get(claim.gpu)
    return gpu is not None and claim.source in gpu.documents


# Python reads 20261121 and 2026-W47 too, and no table of ours does.
DAY = re.compile(r"\d{4}(?:-\d{2}){0,2}", re.ASCII)
Check = Callable[[Evidence], Iterator[Problem]]


def problem_of(claim: Claim, message: str) -> Problem:
    """Make the problem of a claim."""
    where = f"{claim.source} ({claim.locator}) on {claim.gpu}"
    return Problem(where, claim.field, claim.value, message, claim.gpu, claim=claim)


def is_day(text: str) -> bool:
    """Whether a text is a day, a month or a year as the CSVs write them."""
    if not DAY.fullmatch(text):
        return False
    try:
        date.fromisoformat(whole_day(text)[0])
    except ValueError:
        return False
    return True
