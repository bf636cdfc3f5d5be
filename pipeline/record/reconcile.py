"""Decides each field of each GPU between the claims of its sources: which is chosen, which lost, and why."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date

from pipeline.core.documents import page_of
from pipeline.core.schema import KINDS, Claim, DecidedClaim, Verdict, field_of

# The same launch told as a day and as a month, or an announcement and the first sale, is one launch.
LAUNCH_DAYS = 31
# A peak that lies farther from another than this share of it, and is it in fewer digits, was rounded.
ROUNDED = 0.001
KIND_RANK = {kind: rank for rank, kind in enumerate(KINDS)}
# What stands between the parts of a list in one cell: "1x 8-pin + 1x 6-pin", "1x 8-pin and 1x 6-pin".
BETWEEN_PARTS = re.compile(r"\s*(?:\+|,|\band\b)\s*")


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided on one field of one GPU."""

    field: str
    chosen: Claim
    agreeing: tuple[Claim, ...]  # within the field's tolerance, without the chosen one
    differing: tuple[Claim, ...]
    independent_sources: int  # chosen and those that confirm it, shared ancestry counted once

    @property
    def disputed(self) -> bool:
        """Whether a source differs beyond the field's tolerance."""
        return bool(self.differing)


@dataclass(frozen=True, slots=True)
class Ancestry:
    """Which source is derived from which, and the order of sources within one kind."""

    derived_from: Mapping[str, tuple[str, ...]]
    order: Mapping[str, int]

    def roots(self, source: str) -> frozenset[str]:
        """The sources from which a source's figures really come: itself, where it is derived from none."""
        parents = self.derived_from.get(source, ())
        return frozenset().union(*(self.roots(parent) for parent in parents)) if parents else frozenset((source,))

    def independent(self, claims: Iterable[Claim]) -> int:
        """Count the sources of claims, those with a common root or of one document's address once."""
        every = tuple(claims)
        if len(every) == 1:  # two fields of three
            return 1
        groups: list[set[str]] = []
        for claim in every:
            known_by = {*self.roots(claim.source), page_of(claim.url)}
            touching = [group for group in groups if group & known_by]
            groups = [group for group in groups if not group & known_by]
            groups.append(known_by.union(*touching))
        return len(groups)


Records = dict[str, dict[str, Decision]]


def reconcile(claims: Iterable[Claim], ancestry: Ancestry) -> Records:
    """Decide every field of every GPU; records and fields come out sorted.

    The best kind of source wins, and within it the value that most independent sources state.
    """
    grouped: dict[tuple[str, str], list[Claim]] = defaultdict(list)
    for claim in claims:
        grouped[claim.gpu, claim.field].append(claim)
    records: Records = defaultdict(dict)
    for (gpu, field), group in sorted(grouped.items()):
        best_kind = min(KIND_RANK[claim.kind] for claim in group)
        leaders = [claim for claim in group if KIND_RANK[claim.kind] == best_kind]
        support = {
            claim: ancestry.independent(other for other in group if agree(field, claim.value, other.value))
            for claim in leaders
        }
        # Hand-read documents stand in no list: they come before the listed sources of their kind.
        leader = min(
            leaders, key=lambda c: (-support[c], ancestry.order.get(c.source, -1), c.source, c.locator, c.value)
        )
        agreeing = [claim for claim in group if agree(field, leader.value, claim.value)]
        chosen = _most_precise(field, leader, agreeing)
        confirming = agreeing
        if field_of(field).type == "date":  # an announcement weeks before agrees, and backs no day of sale
            both = [(claim, claim.value, chosen.value) for claim in agreeing]
            confirming = [claim for claim, one, two in both if one.startswith(two) or two.startswith(one)]
        records[gpu][field] = Decision(
            field,
            chosen,
            tuple(claim for claim in agreeing if claim != chosen),
            tuple(claim for claim in group if claim not in agreeing),
            ancestry.independent(confirming),
        )
    return dict(records)


def decided(
    records: Records, withdrawn: Iterable[tuple[Claim, str]], titles: Mapping[tuple[str, str], str]
) -> Iterator[DecidedClaim]:
    """Every claim with what became of it and why in a few words, those withdrawn last with their own reason.

    `titles` are what sources are called, by GPU and source.
    """
    names = [one.name for one in fields(Claim)]

    def of(claim: Claim, verdict: Verdict, reason: str, sources: int | None = None) -> DecidedClaim:
        title = titles.get((claim.gpu, claim.source), claim.source)
        return DecidedClaim(
            **{name: getattr(claim, name) for name in names},
            chosen=verdict == "chosen",
            verdict=verdict,
            reason=f"{verdict}{reason}",
            independent_sources=sources,
            source_title=title,
        )

    for decision in (decision for record in records.values() for decision in record.values()):
        winner, sources = decision.chosen, decision.independent_sources
        yield of(winner, "chosen", f": {winner.kind}, {sources} independent source(s) agree", sources)
        for claim in decision.agreeing:
            yield of(claim, "agrees", f" with the chosen {winner.value} of {winner.source}")
        for claim in decision.differing:
            why = f"more sources, or one listed first, agree with {winner.source}"
            if KIND_RANK[claim.kind] != KIND_RANK[winner.kind]:
                why = f"{winner.kind} ({winner.source}) outranks {claim.kind}"
            yield of(claim, "differs", f": {why}")
    for claim, reason in withdrawn:
        yield of(claim, "withdrawn", f": {reason}")


def agree(field: str, left: str, right: str) -> bool:
    """Whether two canonical values of a field mean the same, within its tolerance."""
    if left == right:
        return True
    spec = field_of(field)
    if spec.type in ("number", "integer"):
        a, b = float(left), float(right)
        return abs(a - b) <= spec.tolerance * max(abs(a), abs(b)) + 1e-9
    if spec.type == "date":
        return _same_launch(left, right)
    if field == "power_connectors":
        return _parts(left) == _parts(right)
    return _squeezed(left) == _squeezed(right)


def _most_precise(field: str, leader: Claim, agreeing: Sequence[Claim]) -> Claim:
    """For a date a day beats the month or year that it refines, and the release beats the announcement before it.

    Tables that are not the maker's mix both days up; of days that agree, the later one is the release. The first of a
    month beats no source that knows the month only. A peak in round figures yields to the exact one of a source of its
    kind: 2,500 TFLOPS to 2,516.6.
    """
    if field.startswith("peak:"):
        exact = [claim for claim in agreeing if claim.kind == leader.kind and _is_rounded(leader.value, claim.value)]
        return max(exact, key=lambda claim: (len(_digits(claim.value)), claim.source, claim.locator), default=leader)
    if field_of(field).type != "date":
        return leader
    finer = [claim for claim in agreeing if claim.value.startswith(leader.value) or leader.kind != "vendor"]
    months = {claim.value for claim in agreeing}
    known = [claim for claim in finer if not (first_of_a_month(claim) and claim.value[:-3] in months)]
    return max(
        known or finer, key=lambda c: (len(c.value), c.value, c is leader, -KIND_RANK[c.kind], c.source, c.locator)
    )


def _is_rounded(round_figure: str, exact: str) -> bool:
    """Whether one number is the other to a few digits: 4600 of 4614, but not of 4690, and 39.32 not of 39.3216."""
    told, meant = float(round_figure), float(exact)
    shifted = abs(told - meant) > ROUNDED * abs(meant)
    return shifted and any(float(f"{meant:.{digits}g}") == told for digits in range(1, len(_digits(round_figure)) + 1))


def _digits(number: str) -> str:
    """The digits that a number states, without the zeros in front and, of a whole number, at its end."""
    shown = number.replace(".", "").lstrip("-0")
    return shown if "." in number else shown.rstrip("0")


def first_of_a_month(claim: Claim) -> bool:
    """Whether a date may stand for its month: tables write its first day where they do not know the day."""
    return (
        claim.kind in ("reference", "community") and len(claim.value) == len("2022-10-01") and claim.value[8:] == "01"
    )


def _same_launch(left: str, right: str) -> bool:
    if left.startswith(right) or right.startswith(left):
        return True
    if min(len(left), len(right)) < len("2022-10-12"):
        return False
    return abs((date.fromisoformat(left) - date.fromisoformat(right)).days) <= LAUNCH_DAYS


def _parts(text: str) -> list[str]:
    """The plugs of a card in an order of their own: sources name the larger or the smaller one first."""
    return sorted(_squeezed(part) for part in BETWEEN_PARTS.split(text))


def _squeezed(text: str) -> str:
    return "".join(text.casefold().split())
