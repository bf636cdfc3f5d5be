"""Where sources contradict each other: every disputed figure with both sides, the widest gap first."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from pipeline.core.schema import DecidedClaim, Result, field_of
from pipeline.core.wording import short, slug
from pipeline.dataset import Dataset, GpuRecord
from pipeline.record import judge
from pipeline.site.pages import addresses
from pipeline.site.pages.facts import Said, heading, said, source_title
from pipeline.site.render import Page


@dataclass(frozen=True, slots=True)
class Dispute:
    """One figure on which a source differs beyond the field's tolerance."""

    id: str  # of its row: stays when other rows come and go
    gpu: GpuRecord
    short: str  # the card's name without its maker's
    field: str
    label: str
    anchor: str
    chosen: Said
    other: Said
    gap: float | None  # the larger over the smaller; None for text and dates


def pages(dataset: Dataset) -> Iterator[Page]:
    """One page with all of them."""
    found = disputes(dataset)
    context = {
        "disputes": found,
        "claims": len(dataset.claims),
        "addresses": addresses,
        "figures": len({(d.gpu.id, d.field) for d in found}),
        "worst": next((d for d in found if d.gap), None),
        "refused": refused(dataset),
        "gpus": dataset.gpus,
        "source_title": source_title,
    }
    yield Page(
        "data/conflicts",
        "conflicts.html.j2",
        context,
        "Conflicts",
        "Figures on which sources differ, which value we show and why.",
        "pipeline/record/reconcile.py",
    )


def refused(dataset: Dataset) -> list[tuple[str, list[Result]]]:
    """The results that theory refused or doubted, by source, the source with the most of them first."""
    by_source: dict[str, list[Result]] = defaultdict(list)
    for result in dataset.benchmarks:
        if result.flag.startswith(judge.FLAGS):
            by_source[result.source].append(result)
    return sorted(by_source.items(), key=lambda entry: (-len(entry[1]), entry[0]))


def disputes(dataset: Dataset) -> list[Dispute]:
    """Every claim that differs, the widest gap first."""
    found = [
        _dispute(gpu, field, chosen, other)
        for gpu in dataset.gpus.values()
        for field in gpu.claims
        if (chosen := gpu.chosen(field))
        for other in said(gpu.differing(field))
    ]
    ordered = sorted(found, key=lambda d: (-(d.gap or 0), d.gpu.id, d.field, d.other.source_id, d.other.locator))
    return list(_told_apart(ordered))


def _dispute(gpu: GpuRecord, field: str, chosen: DecidedClaim, other: Said) -> Dispute:
    label, _, anchor = heading(field)
    row = f"{gpu.id}-{anchor.removeprefix('claim-')}-{slug(other.source_id)}"
    return Dispute(
        row,
        gpu,
        short(gpu.name),
        field,
        label,
        anchor,
        said([chosen])[0],
        other,
        _gap(field, chosen.value, other.value.replace(",", "")),
    )


def _told_apart(found: Iterable[Dispute]) -> Iterator[Dispute]:
    """A source that differs twice on one figure gets a number behind its second row."""
    seen: Counter[str] = Counter()
    for dispute in found:
        seen[dispute.id] += 1
        again = seen[dispute.id]
        yield dispute if again == 1 else replace(dispute, id=f"{dispute.id}-{again}")


def _gap(field: str, one: str, other: str) -> float | None:
    if field_of(field).type not in ("number", "integer"):
        return None
    low, high = sorted((float(one), float(other)))
    return high / low if low > 0 else None
