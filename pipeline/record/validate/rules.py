"""Every rule that the dataset must obey; all of them run, and all problems are told together."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace

from pipeline.core.documents import meant
from pipeline.record.corrections import Accepted
from pipeline.record.validate import (
    boards,
    claims,
    families,
    memory,
    observations,
    physics,
    products,
    silicon,
    structure,
    votes,
)
from pipeline.record.validate.base import Check, Evidence, Problem, file_of

# Claims that have no form cannot be reconciled: the second group looks at the others.
FIRST: tuple[Check, ...] = claims.CHECKS
# A value of another size breaks every rule that it stands in: it is told once, and left out of the rest.
OF_ANOTHER_SIZE: tuple[Check, ...] = (
    products.no_slipped_digit,
    observations.launch_price_is_plausible,
    physics.sparse_is_twice_dense,
)
BUILT: tuple[Check, ...] = (*silicon.CHECKS, *boards.CHECKS, *memory.CHECKS, *families.CHECKS, *votes.CHECKS)
THEN: tuple[Check, ...] = (
    *claims.PAIRED,
    *physics.CHECKS,
    *structure.CHECKS,
    *BUILT,
    *products.CHECKS,
    *observations.CHECKS,
)


# What one check finds on a value follows from what the other found on it.
FOLLOWS = {"vector_fp32_names_its_clock": "fp32_matches_cores"}
# What they find may be true of a chip all the same: the message says how to accept it.
ODDITIES = frozenset(
    check.__name__ for check in (*physics.CHECKS, physics.sparse_is_twice_dense, *structure.CHECKS, *BUILT)
)


def problems(evidence: Evidence, accepted: Sequence[Accepted] = ()) -> list[str]:
    """Run every check and say what they find, in their order; an accepted problem that is gone is one too."""
    known = set(map(_accepts, accepted))
    found = _run(FIRST, evidence)
    rest = _without(found, evidence, known)
    for check in OF_ANOTHER_SIZE:
        slipped = _run((check,), rest)
        found += slipped
        rest = _without(slipped, rest, known)
    found += _run(THEN, rest)
    needed = {_key(problem) for problem in found}
    told = {(problem.check, problem.claim) for problem in found if _key(problem) not in known}
    found = [problem for problem in found if (FOLLOWS.get(problem.check, ""), problem.claim) not in told]
    return [
        *(_idle(number, entry, evidence) for number, entry in enumerate(accepted, 1) if _accepts(entry) not in needed),
        *(_said(problem, evidence) for problem in found if _key(problem) not in known),
    ]


def _without(found: Sequence[Problem], evidence: Evidence, known: Set[tuple[str, str, str, str]]) -> Evidence:
    """What is left to look at: nothing follows from a value that is wrong in itself, unless it is accepted."""
    wrong = {problem.claim for problem in found if problem.claim and _key(problem) not in known}
    return replace(evidence, claims=[claim for claim in evidence.claims if claim not in wrong]) if wrong else evidence


def _run(checks: Sequence[Check], evidence: Evidence) -> list[Problem]:
    return [replace(problem, check=check.__name__) for check in checks for problem in check(evidence)]


def _accepts(entry: Accepted) -> tuple[str, str, str, str]:
    return entry.check, entry.gpu, entry.field, entry.value


def _idle(number: int, entry: Accepted, evidence: Evidence) -> str:
    """Why an accepted problem is none, and what to do."""
    where = f"data/corrections.yml: accepted, entry {number}: "
    checks = [check.__name__ for check in (*FIRST, *OF_ANOTHER_SIZE, *THEN)]
    if entry.check not in checks:
        return f"{where}check: {entry.check!r} is no check{meant(entry.check, checks)}"
    if entry.gpu not in evidence.gpus:
        return f"{where}gpu: {entry.gpu!r} is no card of data/gpus{meant(entry.gpu, list(evidence.gpus))}"
    return f"{where}{entry.check} of {entry.gpu}, {entry.field} = {entry.value!r}, is no problem any more; take it out"


def _key(problem: Problem) -> tuple[str, str, str, str]:
    return problem.check, problem.gpu, problem.field, problem.value


def _said(problem: Problem, evidence: Evidence) -> str:
    file = file_of(problem, evidence)
    step = f" (where both figures are printed so: accept {problem.check}, see CONTRIBUTING.md)" if _odd(problem) else ""
    return f"{file}: {problem}{step}" if file else f"{problem}{step}"


def _odd(problem: Problem) -> bool:
    """Whether a problem may be how the maker built or printed it, so that somebody may accept it."""
    return bool(problem.gpu) and problem.check in ODDITIES
