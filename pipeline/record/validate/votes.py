"""Rule on the vote of sources: a figure that stands against several others has a reason to be shown."""

from __future__ import annotations

from collections.abc import Iterator

from pipeline.core.schema import Claim
from pipeline.record.reconcile import Decision, agree
from pipeline.record.validate.base import Check, Evidence, Problem, problem_of

ENOUGH = 2  # independent sources that say another thing together


def no_outvoted_figure(evidence: Evidence) -> Iterator[Problem]:
    """No chosen value is contradicted by as many independent sources as speak for it, two at least, with one voice.

    A maker's document outranks lists, and a slip of the finger in it would outrank them too. Where the maker is right
    and the lists are not, the problem is accepted with the reason, or what the lists say is withdrawn.
    """
    for decision in (decision for record in evidence.records.values() for decision in record.values()):
        against = _loudest(decision, evidence)
        if len(against) >= ENOUGH and evidence.ancestry.independent(against) >= max(
            ENOUGH, decision.independent_sources
        ):
            chosen, sources = decision.chosen, ", ".join(sorted({claim.source for claim in against}))
            yield problem_of(
                chosen,
                f"{against[0].value} stands in {sources}, which do not know of one another; a slip, or another "
                f"variant? Correct it, or withdraw the others in data/corrections.yml",
            )


CHECKS: tuple[Check, ...] = (no_outvoted_figure,)


def _loudest(decision: Decision, evidence: Evidence) -> list[Claim]:
    """Of the claims that differ, those that agree with one another and have the most independent sources."""
    groups = [
        [other for other in decision.differing if agree(decision.field, claim.value, other.value)]
        for claim in decision.differing
    ]
    return max(groups, key=evidence.ancestry.independent, default=[])
