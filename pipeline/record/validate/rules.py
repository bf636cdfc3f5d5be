"""Every rule that the dataset must obey; all of them run, and all problems are told together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pipeline.record.corrections import Accepted
from pipeline.record.validate import claims, observations, physics, products, structure
from pipeline.record.validate.base import Check, Evidence, Problem, file_of

# Claims that have no form cannot be reconciled: the second group looks at the others.
FIRST: tuple[Check, ...] = claims.CHECKS
THEN: tuple[Check, ...] = (*physics.CHECKS, *structure.CHECKS, *products.CHECKS, *observations.CHECKS)


def problems(evidence: Evidence, accepted: Sequence[Accepted] = ()) -> list[str]:
    """Run every check and say what they find, in their order; an accepted problem that is gone is one too."""
    malformed = _run(FIRST, evidence)
    broken = {problem.claim for problem in malformed}
    rest = replace(evidence, claims=[c for c in evidence.claims if c not in broken]) if broken else evidence
    found = [*malformed, *_run(THEN, rest)]
    known = {(entry.check, entry.gpu, entry.field) for entry in accepted}
    idle = sorted(known - {_key(problem) for problem in found})
    return [
        *(f"data/corrections.yml: accepted {' '.join(key)} is no problem any more; take it out" for key in idle),
        *(_said(problem, evidence) for problem in found if _key(problem) not in known),
    ]


def _run(checks: Sequence[Check], evidence: Evidence) -> list[Problem]:
    return [replace(problem, check=check.__name__) for check in checks for problem in check(evidence)]


def _key(problem: Problem) -> tuple[str, str, str]:
    return problem.check, problem.gpu, problem.field


def _said(problem: Problem, evidence: Evidence) -> str:
    file = file_of(problem, evidence)
    return f"{file}: {problem} [{problem.check}]" if file else f"{problem} [{problem.check}]"
