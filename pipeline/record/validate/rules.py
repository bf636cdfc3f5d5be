"""Every rule that the dataset must obey; all of them run, and all problems are told together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pipeline.core.documents import meant
from pipeline.record.corrections import Accepted
from pipeline.record.validate import claims, observations, physics, products, structure
from pipeline.record.validate.base import Check, Evidence, Problem, file_of

# Claims that have no form cannot be reconciled: the second group looks at the others.
FIRST: tuple[Check, ...] = claims.CHECKS
THEN: tuple[Check, ...] = (
    *claims.PAIRED,
    *physics.CHECKS,
    *structure.CHECKS,
    *products.CHECKS,
    *observations.CHECKS,
)


# What they find may be true of a chip all the same: the message says how to accept it.
ODDITIES = frozenset(check.__name__ for check in (*physics.CHECKS, *structure.CHECKS))


def problems(evidence: Evidence, accepted: Sequence[Accepted] = ()) -> list[str]:
    """Run every check and say what they find, in their order; an accepted problem that is gone is one too."""
    malformed = _run(FIRST, evidence)
    broken = {problem.claim for problem in malformed}
    rest = replace(evidence, claims=[c for c in evidence.claims if c not in broken]) if broken else evidence
    found = [*malformed, *_run(THEN, rest)]
    known = set(map(_accepts, accepted))
    needed = {_key(problem) for problem in found}
    return [
        *(_idle(number, entry, evidence) for number, entry in enumerate(accepted, 1) if _accepts(entry) not in needed),
        *(_said(problem, evidence) for problem in found if _key(problem) not in known),
    ]


def _run(checks: Sequence[Check], evidence: Evidence) -> list[Problem]:
    return [replace(problem, check=check.__name__) for check in checks for problem in check(evidence)]


def _accepts(entry: Accepted) -> tuple[str, str, str]:
    return entry.check, entry.gpu, entry.field


def _idle(number: int, entry: Accepted, evidence: Evidence) -> str:
    """Why an accepted problem is none, and what to do."""
    where = f"data/corrections.yml: accepted, entry {number}: "
    checks = [check.__name__ for check in (*FIRST, *THEN)]
    if entry.check not in checks:
        return f"{where}check: {entry.check!r} is no check{meant(entry.check, checks)}"
    if entry.gpu not in evidence.gpus:
        return f"{where}gpu: {entry.gpu!r} is no card of data/gpus{meant(entry.gpu, list(evidence.gpus))}"
    return f"{where}{entry.check} of {entry.gpu}, {entry.field}, is no problem any more; take it out"


def _key(problem: Problem) -> tuple[str, str, str]:
    return problem.check, problem.gpu, problem.field


def _said(problem: Problem, evidence: Evidence) -> str:
    file = file_of(problem, evidence)
    step = f" (where both figures are printed so: accept {problem.check}, see CONTRIBUTING.md)" if _odd(problem) else ""
    return f"{file}: {problem}{step}" if file else f"{problem}{step}"


def _odd(problem: Problem) -> bool:
    """Whether a problem may be how the maker built or printed it, so that somebody may accept it."""
    return bool(problem.gpu) and problem.check in ODDITIES
