"""Rules on single claims: each has its source, speaks of a known GPU, and fits its field."""

from __future__ import annotations

from collections.abc import Iterator

from pipeline.core.schema import KINDS, Price, Result, SchemaError, canonical, field_of
from pipeline.core.units import UnitError
from pipeline.record.validate.base import Check, Evidence, Problem, is_day, problem_of


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
            yield Problem(f"{row.source} ({row.locator})", "gpu", row.gpu, f"unknown GPU name {row.gpu!r}; {step}")


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
        elif field.low is not None and field.high is not None and not field.low <= float(written) <= field.high:
            step = "leave an unknown value out" if float(written) == 0 else "check unit and digits at the source"
            yield problem_of(claim, f"outside {field.low:g} to {field.high:g} {field.unit}; {step}")


CHECKS: tuple[Check, ...] = (claim_has_source, gpu_is_known, gpu_has_evidence, claim_fits_field)
