"""Rules on single claims: each has its source, speaks of a known GPU, and fits its field."""

from __future__ import annotations

from collections.abc import Iterator

from pipeline.core.documents import meant, page_of
from pipeline.core.schema import KINDS, Claim, Price, Result, SchemaError, canonical, field_of
from pipeline.core.theory import matches
from pipeline.core.units import UnitError, is_number
from pipeline.core.wording import slug
from pipeline.record.reconcile import agree
from pipeline.record.validate.base import Check, Evidence, Problem, by_hand, is_day, problem_of


def claim_has_source(evidence: Evidence) -> Iterator[Problem]:
    """Each claim names who says it, where, on which day and under which licence."""
    for claim in evidence.claims:
        for column in ("source", "url", "locator", "retrieved", "licence"):
            if not getattr(claim, column).strip():
                yield problem_of(
                    claim,
                    f"the claim has no {column}; a value without it is not shown, add it",
                )
        if claim.url and not claim.url.startswith(("https://", "http://")):
            yield problem_of(claim, f"the address {claim.url!r} is no web address; correct it")
        if claim.kind not in KINDS:
            yield problem_of(claim, f"the kind {claim.kind!r} is not one of {', '.join(KINDS)}")
        if not is_day(claim.retrieved):
            yield problem_of(
                claim,
                f"the date {claim.retrieved!r} is no day as 2026-11-21; correct it",
            )


def gpu_is_known(evidence: Evidence) -> Iterator[Problem]:
    """Each row speaks of a GPU that has its file."""
    step = "add data/gpus/<id>.yml, or put the name into the aliases of the GPU it means"
    for claim in evidence.claims:
        if claim.gpu not in evidence.gpus:
            yield problem_of(claim, f"unknown GPU name {claim.gpu!r}; {step}")
    rows: list[Result | Price] = [*evidence.results, *evidence.prices]
    for row in rows:
        if row.gpu not in evidence.gpus:
            guess = meant(row.gpu, sorted(evidence.ids or evidence.gpus)) or _ending_in(row.gpu, evidence)
            told = f"unknown GPU name {row.gpu!r}{guess}; {step}"
            if row.source in evidence.price_sets | evidence.benchmark_sets:
                told = f"no GPU has this id{guess}; write the name of a file of data/gpus without .yml, or add the card"
            yield Problem(f"{row.source} ({row.locator})", "gpu", row.gpu, told)


def _ending_in(name: str, evidence: Evidence) -> str:
    """The one id that ends as people call the card, 'RTX 4090' for nvidia-geforce-rtx-4090; "" for none or several."""
    ending = f"-{slug(name)}"
    found = [id for id in evidence.ids or evidence.gpus if id.endswith(ending)]
    return f"; did you mean {found[0]!r}?" if len(found) == 1 else ""


def gpu_has_evidence(evidence: Evidence) -> Iterator[Problem]:
    """Somebody says something of each GPU: a name alone is no entry."""
    spoken_of = {claim.gpu for claim in evidence.claims}
    for gpu in evidence.gpus.values():
        if gpu.id not in spoken_of:
            step = "no document and no source says anything of it; read a value from a document and add both"
            yield Problem(f"data/gpus/{gpu.id}.yml", "documents", "", step, gpu.id)


def claim_fits_field(evidence: Evidence) -> Iterator[Problem]:
    """Each value is in the written form, unit and range of its field; a zero is never an unknown."""
    for claim in evidence.claims:
        try:
            field = field_of(claim.field)
            written = canonical(claim.field, claim.value, claim.unit or None)
        except (SchemaError, UnitError, ValueError) as error:
            yield problem_of(claim, f"{error}; correct the value or its unit")
            continue
        if claim.unit != field.unit:
            yield problem_of(
                claim,
                f"the unit is {claim.unit!r}, the field's is {field.unit!r}; convert it",
            )
        elif written != claim.value:
            yield problem_of(claim, f"not in written form; write {written!r}")
        else:
            own = evidence.architectures.range(claim.gpu, claim.field)
            low, high = (own.low, own.high) if own else (field.low, field.high)
            if low is not None and high is not None and not low <= float(written) <= high:
                step = "leave an unknown value out" if float(written) == 0 else "check unit and digits at the source"
                yield problem_of(claim, f"outside {low:g} to {high:g} {field.unit}; {step}")


def ranges_are_needed(evidence: Evidence) -> Iterator[Problem]:
    """A range of a card's own stands in the table only while a value needs it."""
    needed = {
        own
        for claim in evidence.claims
        if (own := evidence.architectures.range(claim.gpu, claim.field)) and _beyond(claim)
    }
    for own in evidence.architectures.ranges:
        if own not in needed and any(matches(gpu, own.gpus) for gpu in evidence.gpus):
            where = f"data/architectures.yml: ranges ({own.locator}) on {', '.join(own.gpus)}"
            step = "no value of these cards lies outside the schema's range; take the entry out"
            yield Problem(where, own.field, f"{own.low:g} to {own.high:g}", step)


def document_states_a_field_once(evidence: Evidence) -> Iterator[Problem]:
    """Of what somebody read by hand, a document states one value of a field: the second is a slip or another field."""
    first: dict[tuple[str, str, str], Claim] = {}
    for claim in evidence.claims:
        before = first.setdefault((claim.gpu, claim.field, claim.source), claim)
        if before is not claim and by_hand(claim, evidence):
            yield problem_of(
                claim,
                f"the same document states {before.value} {before.unit}".rstrip()
                + f" at {before.locator}; keep the one that the field means, or give the other its own field",
            )


def address_is_one_document(evidence: Evidence) -> Iterator[Problem]:
    """One address is one document: read by hand under two titles, it states a value once and is no second witness."""
    first: dict[tuple[str, str, str], Claim] = {}
    for claim in evidence.claims:
        before = first.setdefault((claim.gpu, claim.field, page_of(claim.url)), claim)
        if before.source != claim.source and by_hand(claim, evidence) and agree(claim.field, before.value, claim.value):
            step = "keep the reading whose place in the document is named best, and take the other out"
            yield problem_of(claim, f"{before.source} states it from the same address; {step}")


CHECKS: tuple[Check, ...] = (claim_has_source, gpu_is_known, gpu_has_evidence, claim_fits_field, ranges_are_needed)
# On claims that have their form: what is found here keeps no claim from the other rules.
PAIRED: tuple[Check, ...] = (document_states_a_field_once, address_is_one_document)


def _beyond(claim: Claim) -> bool:
    """Whether a value lies outside the range that the schema gives its field."""
    field = field_of(claim.field)
    if field.low is None or field.high is None or not is_number(claim.value):
        return False
    return not field.low <= float(claim.value) <= field.high
