"""The known errors of sources (`data/corrections.yml`): claims to withdraw, and oddities that are accepted."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import ValidationError

from pipeline.core import documents
from pipeline.core.documents import Strict, Text
from pipeline.core.schema import Claim, Price

WITHDRAWN = "withdrawn: "  # how the flag of a price begins that a correction takes out


class CorrectionError(ValueError):
    """A corrections file that cannot be read."""


class Correction(Strict):
    """One claim of one source that is known to be wrong; `expect` is the value that it must still state."""

    source: Text
    gpu: Text
    field: Text
    expect: Text
    reason: Text


class PriceCorrection(Strict):
    """One observed price that is known to be wrong; `expect` is the amount that its row must still state."""

    source: Text
    gpu: Text
    kind: Text
    date: Text
    offer: Text | None = None  # needed where a source states several of the day
    expect: float
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
    prices: tuple[PriceCorrection, ...] = ()
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
    where = f"data/{path.name}"
    text = documents.text_of(path, where, CorrectionError)
    try:
        return Corrections.model_validate(documents.load(text, where, CorrectionError) or {})
    except ValidationError as error:
        raise CorrectionError("\n".join(documents.told(where, text, error, Corrections))) from None


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


def withdraw(prices: Iterable[Price], corrections: Sequence[PriceCorrection]) -> tuple[list[Price], list[str]]:
    """Flag the prices that are withdrawn, so that nothing counts them; second, the corrections without use."""
    wanted: dict[tuple[str, str, str, str], list[PriceCorrection]] = defaultdict(list)
    for entry in corrections:
        wanted[entry.source, entry.gpu, entry.kind, entry.date].append(entry)
    used: set[PriceCorrection] = set()
    kept: list[Price] = []
    for price in prices:
        entries = wanted.get((price.source, price.gpu, price.kind, price.date), ())
        found = next((entry for entry in entries if _states(price, entry)), None)
        if found:
            used.add(found)
        kept.append(replace(price, flag=f"{WITHDRAWN}{found.reason}") if found else price)
    return kept, [_idle_price(entry) for entry in corrections if entry not in used]


def _states(price: Price, entry: PriceCorrection) -> bool:
    amounts = (price.amount, price.usd_per_unit, price.usd_per_gpu_hour, price.usd_per_machine_hour)
    return entry.expect in amounts and entry.offer in (None, price.offer)


def _idle_price(entry: PriceCorrection) -> str:
    return (
        f"data/corrections.yml: prices: {entry.source} no longer states {entry.expect:g} as the {entry.kind} price of "
        f"{entry.gpu} on {entry.date}; take the correction out, or set expect and offer to what its row says now"
    )


def _idle(correction: Correction) -> str:
    return (
        f"data/corrections.yml: {correction.source} no longer says {correction.field} = {correction.expect} "
        f"for {correction.gpu}; take the correction out, or set expect to what it says now"
    )
