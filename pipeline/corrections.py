"""Known errors of sources: `data/corrections.yml` in, the claims without them and the oddities we accept out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml
from pydantic import ValidationError

from pipeline.documents import Strict, Text
from pipeline.schema import Claim


class CorrectionError(ValueError):
    """A corrections file that cannot be read."""


class Correction(Strict):
    """One claim of one source that is known to be wrong; `expect` is the value that it must still state."""

    source: Text
    gpu: Text
    field: Text
    expect: Text
    reason: Text


class Accepted(Strict):
    """One problem that a check finds and that we know to be real: the maker's own figures do not fit together."""

    check: Text
    gpu: Text
    field: Text
    reason: Text


class Corrections(Strict):
    """The whole file."""

    withdrawn: tuple[Correction, ...] = ()
    accepted: tuple[Accepted, ...] = ()


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """A claim that a correction takes out, kept with the reason."""

    claim: Claim
    reason: str


def load(path: Path) -> Corrections:
    """Read the corrections; CorrectionError names entry and field."""
    if not path.exists():
        return Corrections()
    try:
        return Corrections.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")) or {})
    except (yaml.YAMLError, ValidationError) as error:
        raise CorrectionError(f"data/{path.name}: {' '.join(str(error).split())}") from None


def apply(claims: Iterable[Claim], corrections: Sequence[Correction]) -> tuple[list[Claim], list[Withdrawn], list[str]]:
    """Split claims into those that stand and those withdrawn; the third part lists corrections without use."""
    wanted = {(c.source, c.gpu, c.field, c.expect): c for c in corrections}
    used = set()
    standing: list[Claim] = []
    withdrawn: list[Withdrawn] = []
    for claim in claims:
        found = (claim.source, claim.gpu, claim.field, claim.value)
        if found in wanted:
            used.add(found)
            withdrawn.append(Withdrawn(claim, wanted[found].reason))
        else:
            standing.append(claim)
    return (
        standing,
        withdrawn,
        [_idle(wanted[key]) for key in sorted(wanted.keys() - used)],
    )


def _idle(correction: Correction) -> str:
    return (
        f"data/corrections.yml: {correction.source} no longer says {correction.field} = {correction.expect} "
        f"for {correction.gpu}; take the correction out, or set expect to what it says now"
    )
