"""How far the dataset can be trusted: coverage, agreement, age, and a grade for each GPU."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from pipeline.core.schema import FIELDS
from pipeline.dataset import Dataset, GpuRecord
from pipeline.derive.prices import staleness
from pipeline.derive.prices.quote import quotes
from pipeline.derive.prices.rules import MARKETS

# What a reader needs of every GPU; a dense peak of any format counts as one field.
CORE_FIELDS = ("memory_gb", "memory_bandwidth_gb_s", "board_power_w", "launch_date")
# What decides a purchase beside size and speed; few sources state it, so that what is missing is counted.
BUYERS_FIELDS = (
    "power_limit_min_w",
    "idle_power_w",
    "pcie_peer_to_peer",
    "partitions",
    "driver_support",
    "licence_terms",
    "warranty",
)
RENT_KINDS = ("on_demand", "spot", "reserved")
BUY_KINDS = ("retail", "used")
# Prices young enough to be ranked in an answer (staleness.ANSWER_DAYS); the older ones are history.
RECENT = {
    "with a rental offer under 12 months old": RENT_KINDS,
    "with a retail or used price under 12 months old": BUY_KINDS,
}
# What the classes are called in a count.
CLASS_WORDS = {"datacenter": "data centre", "edge": "edge boards", "integrated": "machines sold whole"}
HISTORY_DATES = 3
NUMBER = re.compile(r"\d[\d.,-]*")  # in the reason for a flag
OF_THE_MAKER = ("vendor", "datasheet-copy")
# The first TPU is a card in a PCI Express slot of its host and talks to no other.
WITHOUT_LINK = ("google-tpu-v1",)
# The grade of a GPU is the first line whose rule it meets.
GRADES: tuple[tuple[str, str, Callable[[GpuRecord], bool]], ...] = (
    (
        "A",
        "every core field filled, each with two independent sources or the maker's own, and measured results",
        lambda gpu: _filled(gpu) == 1 and _well_sourced(gpu) == 1 and bool(gpu.benchmarks),
    ),
    (
        "B",
        "every core field filled, most of them with two independent sources or the maker's own",
        lambda gpu: _filled(gpu) == 1 and _well_sourced(gpu) >= 0.5,
    ),
    ("C", "at least four of five core fields filled", lambda gpu: _filled(gpu) >= 0.8),
    ("D", "fewer", lambda _: True),
)


@dataclass(frozen=True, slots=True)
class Count:
    """One count of the data-quality page: how many of how many, and what is counted."""

    name: str
    found: int
    of: int

    @property
    def share(self) -> float:
        """The share as a number from 0 to 1; 0 of 0 counts as 0."""
        return self.found / self.of if self.of else 0.0


def counts(dataset: Dataset, listed: Sequence[GpuRecord] = ()) -> Iterator[Count]:
    """Count what the check prints and the page shows; `listed` are the cards on top of the table."""
    gpus = list(dataset.gpus.values())
    yield Count("GPUs", len(gpus), len(gpus))
    for name in CORE_FIELDS:
        yield Count(
            f"with {FIELDS[name].label.lower()}", sum(gpu.value(FIELDS[name]) is not None for gpu in gpus), len(gpus)
        )
    for name in BUYERS_FIELDS:
        yield Count(f"with {_in_a_phrase(FIELDS[name].label)}", sum(name in gpu.claims for gpu in gpus), len(gpus))
    yield Count("with a dense peak", sum(_has_dense_peak(gpu) for gpu in gpus), len(gpus))
    core = [support for gpu in gpus for support in _core_support(gpu)]
    yield Count("core figures with two or more independent sources", sum(n >= 2 for n in core), len(core))
    yield from _provenance(gpus)
    yield from _papers(listed)
    yield Count(
        "with benchmark results", sum(any(r.value is not None for r in gpu.benchmarks) for gpu in gpus), len(gpus)
    )
    yield Count(
        "with rental offers",
        sum(any(row.kind in RENT_KINDS and not row.flag for row in gpu.prices) for gpu in gpus),
        len(gpus),
    )
    for name, kinds in RECENT.items():
        yield Count(name, sum(_has_recent_price(gpu, kinds, dataset.newest_reading) for gpu in gpus), len(gpus))
    yield from _to_buy(dataset)
    history = sum(len(price_dates(gpu)) >= HISTORY_DATES for gpu in gpus)
    yield Count(f"with a price history of {HISTORY_DATES} or more dates", history, len(gpus))
    claims = dataset.claims
    sourced = sum(all((claim.source, claim.url, claim.locator, claim.retrieved)) for claim in claims)
    yield Count("claims with source, address, locator and date", sourced, len(claims))


def _to_buy(dataset: Dataset) -> Iterator[Count]:
    """Count what a reader can buy today, the card or its machine, in all and by class: few large cards are sold singly.

    That is what the quotes hold, which drop a price after half a year.
    """
    book = quotes(dataset)
    priced = {gpu for gpu in dataset.gpus if any(book.to_buy(gpu, market).value is not None for market in MARKETS)}
    name = "with a price to buy, of card or machine, under six months old"
    yield Count(name, len(priced), len(dataset.gpus))
    for segment in sorted({gpu.segment for gpu in dataset.gpus.values()}):
        of_it = {gpu.id for gpu in dataset.gpus.values() if gpu.segment == segment}
        yield Count(f"{name}: {CLASS_WORDS.get(segment, segment)}", len(priced & of_it), len(of_it))


def _in_a_phrase(label: str) -> str:
    """A label behind other words: its first letter small, names such as PCIe as they are."""
    return label[0].lower() + label[1:]


def _provenance(gpus: Sequence[GpuRecord]) -> Iterator[Count]:
    """Where the shown values come from, how many rest on one source, and how many links are known."""
    shown = [claim for gpu in gpus for field in gpu.claims if (claim := gpu.chosen(field))]
    makers = sum(claim.kind in OF_THE_MAKER for claim in shown)
    yield Count("shown values from the maker's own papers", makers, len(shown))
    single = sum((claim.independent_sources or 0) < 2 for claim in shown)
    yield Count("shown values that rest on one source", single, len(shown))
    linked = [gpu for gpu in gpus if gpu.segment == "datacenter" and _has_link(gpu)]
    known = sum(gpu.link_gb_s is not None for gpu in linked)
    yield Count("data-centre products with a link whose rate is known", known, len(linked))


def _papers(listed: Sequence[GpuRecord]) -> Iterator[Count]:
    """Where the shown values of the cards on top of the table come from: the maker itself, and copies of its papers."""
    shown = [claim for gpu in listed for field in gpu.claims if (claim := gpu.chosen(field))]
    for kind, name in zip(
        OF_THE_MAKER, ("from the maker's own pages", "from copies of the maker's papers"), strict=True
    ):
        found = sum(claim.kind == kind for claim in shown)
        if listed:
            yield Count(f"shown values of the first {len(listed)} cards of the table {name}", found, len(shown))


def _has_link(gpu: GpuRecord) -> bool:
    """Whether the product has a link of its own: a module has one, a card where a source states kind or rate."""
    if gpu.link_gb_s is not None or gpu.link_type not in ("", "none"):
        return True
    return gpu.link_type != "none" and gpu.form_factor != "PCIe card" and gpu.id not in WITHOUT_LINK


def grade(gpu: GpuRecord) -> str:
    """Grade a GPU by GRADES."""
    return next(letter for letter, _, rule in GRADES if rule(gpu))


def price_dates(gpu: GpuRecord) -> set[str]:
    """The dates on which a price to buy was seen: launch, retail or used, flagged ones left out."""
    return {row.date for row in gpu.prices if row.kind in ("launch", *BUY_KINDS) and row.date and not row.flag}


def flags(dataset: Dataset) -> Counter[str]:
    """Count the flagged results and prices by the first words of the reason, whatever the numbers in them."""
    told = (*(row.flag for row in dataset.benchmarks), *(row.flag for row in dataset.prices))
    reasons = Counter(flag.split(":")[0].split(" (")[0] for flag in told if flag)
    alike: dict[str, list[str]] = {}
    for reason in reasons:
        alike.setdefault(NUMBER.sub("…", reason), []).append(reason)
    return Counter(
        {same if len(own) > 1 else own[0]: sum(reasons[reason] for reason in own) for same, own in alike.items()}
    )


def _has_dense_peak(gpu: GpuRecord) -> bool:
    return any(key.sparsity == "dense" for key in gpu.peaks)


def _filled(gpu: GpuRecord) -> float:
    found = len(_filled_fields(gpu)) + _has_dense_peak(gpu)
    return found / (len(CORE_FIELDS) + 1)


def _filled_fields(gpu: GpuRecord) -> list[str]:
    return [name for name in CORE_FIELDS if gpu.value(FIELDS[name]) is not None]


def _core_fields(gpu: GpuRecord) -> list[str]:
    """The core fields that are filled, each dense peak among them."""
    return [*_filled_fields(gpu), *(k.field for k in gpu.peaks if k.sparsity == "dense")]


def _core_support(gpu: GpuRecord) -> list[int]:
    """How many independent sources stand behind each core figure; of the peaks the best-sourced one counts."""
    supports = {name: _support(gpu, name) for name in _core_fields(gpu)}
    peaks = [support for name, support in supports.items() if name.startswith("peak:")]
    return [s for name, s in supports.items() if not name.startswith("peak:")] + ([max(peaks)] if peaks else [])


def _support(gpu: GpuRecord, field: str) -> int:
    claim = gpu.chosen(field)
    return claim.independent_sources or 0 if claim else 0


def _well_sourced(gpu: GpuRecord) -> float:
    fields = _core_fields(gpu)
    good = sum(_well_supported(gpu, name) for name in fields)
    return good / len(fields) if fields else 0.0


def _well_supported(gpu: GpuRecord, field: str) -> bool:
    """Two independent sources, or the maker."""
    claim = gpu.chosen(field)
    return claim is not None and (claim.kind == "vendor" or (claim.independent_sources or 0) >= 2)


def _has_recent_price(gpu: GpuRecord, kinds: tuple[str, ...], newest: str) -> bool:
    rows = (row for row in gpu.prices if row.kind in kinds and not row.flag)
    return any(staleness.answers(row.date, newest) for row in rows)
