"""One page and one JSON for each GPU: the answer first, then how we know it."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from pipeline import metrics, theory
from pipeline.charts import measured_peak
from pipeline.charts.fits_on import FitsOn, FitsOnCards
from pipeline.charts.measured_peak import Share
from pipeline.charts.roofline import roofline
from pipeline.charts.standing import Standing
from pipeline.dataset import Dataset, GpuRecord, Row
from pipeline.estimate import models
from pipeline.pages import addresses, peaks
from pipeline.pages.facts import INPUT_NAMES, Fact, anchor_of, facts, source_title, withdrawn
from pipeline.pages.peaks import Computed
from pipeline.pages.price_history import price_history
from pipeline.render import Asset, Page, day, dollars, quantity, words
from pipeline.schema import FIELDS, PRICE_KINDS, PeakKey
from pipeline.theory import Architectures, Theory

# What decides whether a card can be used at all, in the order in which people fail.
USE_FIELDS = (
    "slot_width", "length_mm", "power_connectors", "recommended_psu_w", "cooling", "pcie_gen", "link_gb_s", "ecc",
    "software_support", "last_supported_driver_or_toolkit", "compute_capability", "llvm_target", "status",
)  # fmt: skip
# Of these a missing source is told; the others mean nothing on many cards.
MISSED_FIELDS = ("slot_width", "length_mm", "power_connectors", "recommended_psu_w", "cooling", "software_support")
MISSED_ANYWHERE = ("software_support",)
# More experiments than this are folded away, and more than that stand only in benchmarks.csv.
RESULTS_SHOWN, RESULTS_LISTED = 12, 60
# What makes two results the same experiment, but for the software's version and the day.
EXPERIMENT = ("workload", "model", "precision", "metric", "unit", "source")
# Names that people use; spellings of one file (brackets, underscores, settings of a server) only help the search.
SPOKEN = re.compile(r"[^()\[\]_-]+(-[^()\[\]_-]+)?")
NAMES_SHOWN = 6
# What a figure for power is where it is not the maker's limit, by GPU or maker; the locator of the claim says more.
POWER_IS = {"Apple": "whole chip, users’ estimate", "google-tpu-v4": "highest measured"}
BUY_LABELS = {"retail": "new, in a shop", "used": "used", "launch": "launch price"}


@dataclass(frozen=True, slots=True)
class BuyPrice:
    """What the card costs, of which kind, when and at whose shop."""

    kind: str
    label: str
    usd: str
    row: Row
    source: str
    old: bool


@dataclass(frozen=True, slots=True)
class Offer:
    """The lowest of one provider's newest prices of one kind."""

    row: Row
    offers: int
    old: bool


@dataclass(frozen=True, slots=True)
class Rival:
    """A neighbour and how its figures compare."""

    gpu: GpuRecord
    memory: float | None
    bandwidth: float | None
    peak: float | None
    power: float | None


def pages(dataset: Dataset, ids: Collection[str] = ()) -> Iterator[Page | Asset]:
    """A page and a JSON for each GPU, or for those named."""
    joined = Joined(dataset)
    for gpu in (dataset.gpus[id] for id in sorted(ids or dataset.gpus)):
        known, computed = facts(gpu), theory.theory(gpu, joined.table)
        page = _page(gpu, known, computed, joined)
        yield page
        yield Asset(f"gpus/{gpu.id}.json", _json(gpu, known, computed, joined, page.context["summary"]))


class Joined:
    """What the pages of all GPUs share, worked out once."""

    def __init__(self, dataset: Dataset) -> None:
        self.newest = dataset.newest_reading
        self.neighbours = metrics.Neighbours(dataset)
        self.standing = Standing(dataset)
        self.fits = FitsOnCards(models.load().models)
        self.table = theory.load()
        self.shares: dict[str, list[Share]] = defaultdict(list)
        for share in measured_peak.rows(dataset):
            self.shares[share.gpu.id].append(share)


def _page(gpu: GpuRecord, known: Mapping[str, Fact], computed: Mapping[PeakKey, Theory], joined: Joined) -> Page:
    fits = joined.fits.of(gpu)
    summary = summary_of(gpu, joined.newest, fits)
    edit = f"data/gpus/{gpu.id}.yml"
    called = [name for name in gpu.aliases if SPOKEN.fullmatch(name)][:NAMES_SHOWN]
    context = {
        "gpu": gpu,
        "called": called,
        "spelled": [name for name in gpu.aliases if name not in called],
        "power_is": POWER_IS.get(gpu.id, POWER_IS.get(gpu.text("vendor"), "maker’s limit")),
        "facts": known,
        "summary": summary,
        "addresses": addresses,
        "edit": addresses.edit(edit),
        "report": addresses.report(gpu.name),
        "use": [known[name] for name in USE_FIELDS if name in known],
        "not_known": [FIELDS[name].label for name in _missed(gpu) if name not in known],
        "fits": fits,
        "weights": metrics.weights_that_fit(gpu),
        "standing": joined.standing.of(gpu),
        "rivals": [_rival(gpu, other) for other in joined.neighbours.of(gpu)],
        "disputed": [fact for fact in known.values() if fact.differing],
        "withdrawn": list(withdrawn(gpu)),
        "source_title": source_title,
    }
    context |= _speed(gpu, known, computed, joined) | _money(gpu, joined.newest)
    return Page(f"gpus/{gpu.id}", "gpu.html.j2", context, gpu.name, f"{gpu.name}: {summary}", edit)


def _speed(
    gpu: GpuRecord, known: Mapping[str, Fact], computed: Mapping[PeakKey, Theory], joined: Joined
) -> dict[str, object]:
    """Peaks, what was measured beside them, and results."""
    shares = joined.shares[gpu.id]
    return {
        "rate": _rate(gpu, known),
        "worked_rate": _worked_rate(gpu, joined.table, computed),
        "sweeps": metrics.sweeps_per_second(gpu),
        "intensity": metrics.operations_per_byte(gpu),
        "results": _beside(results(gpu), shares)[:RESULTS_LISTED],
        "shown": RESULTS_SHOWN,
        "all_results": len(gpu.benchmarks),
        "shares": [share for field in peaks.FIELD_OF.values() if (share := peaks.best(shares, field))],
        "peaks": peaks.peak_lines(gpu, known, joined.table, computed, shares),
        "measured_peaks": any(field and peaks.best(shares, field) for field in peaks.FIELD_OF.values()),
        "theory": bool(computed),
        "sparse": any(key.sparsity == "sparse" for key in gpu.peaks),
        "off_theory": peaks.off_theory(gpu, known, joined.table, computed),
        "traps": list(peaks.traps(gpu, computed)),
        "roof": roofline(gpu),
    }


def _money(gpu: GpuRecord, newest: str) -> dict[str, object]:
    """What it costs to buy and to rent, now and over time."""
    return {
        "buy": buy_prices(gpu, newest),
        "rent": metrics.rent(gpu, newest),
        "prices": offers(gpu, newest),
        "all_prices": len(gpu.prices),
        "history": price_history(gpu, newest),
    }


def _missed(gpu: GpuRecord) -> tuple[str, ...]:
    """What a buyer must know and no source tells; a module or a chip on a board has no slots and plugs."""
    return MISSED_FIELDS if gpu.text("form_factor").startswith("PCIe") else MISSED_ANYWHERE


def summary_of(gpu: GpuRecord, newest: str, fits: FitsOn | None = None) -> str:
    """One line that says what the card is good for, from its figures alone."""
    memory = _memory_phrase(gpu) + _holds_phrase(fits)
    parts = (memory, _rate_phrase(gpu), _power_phrase(gpu), _price_phrase(gpu, newest))
    told = "; ".join(part for part in parts if part)
    return f"{told}." if told else "No source of ours gives its figures yet."


def _memory_phrase(gpu: GpuRecord) -> str:
    memory, bandwidth = gpu.number("memory_gb"), gpu.number("memory_bandwidth_gb_s")
    if memory is None:
        return f"memory at {quantity(bandwidth, 'GB/s')}" if bandwidth else ""
    return quantity(memory, "GB") + (f" at {quantity(bandwidth, 'GB/s')}" if bandwidth else " of memory")


def _holds_phrase(fits: FitsOn | None) -> str:
    """The largest of our language models at the fewest bits, which says more than a number of gigabytes."""
    row = fits.rows[-1] if fits else None
    if not row or not row.largest:
        return ""
    return f": {'just ' if row.tight else ''}holds {row.largest.name} at {row.name}"


def _rate_phrase(gpu: GpuRecord) -> str:
    rate = metrics.sixteen_bit(gpu)
    return f"{quantity(rate.tflops, 'TFLOPS')} dense {INPUT_NAMES[rate.key.input]} peak" if rate else ""


def _power_phrase(gpu: GpuRecord) -> str:
    power = gpu.number("board_power_w")
    return quantity(power, "W") if power else ""


def _price_phrase(gpu: GpuRecord, newest: str) -> str:
    for price in buy_prices(gpu, newest)[:1]:
        if price.kind != "launch" and not price.old:
            return f"{price.usd} {price.label} in {day(price.row['date'][:7])}"
    rent = metrics.rent(gpu, newest)
    return f"rents from {dollars(rent.lowest['usd_per_gpu_hour'])} an hour ({day(rent.month)})" if rent else ""


def buy_prices(gpu: GpuRecord, newest: str) -> list[BuyPrice]:
    """The newest price of each buying kind: recent ones, the newest first; then the launch price, then past ones."""
    found = ((kind, metrics.newest_price(gpu, kind)) for kind in (*metrics.BUY_KINDS, "launch"))
    prices = [
        BuyPrice(kind, _buy_label(row), dollars(row["usd_per_unit"]), row, source_title(row["source"]),
                 kind != "launch" and metrics.is_old(row["date"], newest))
        for kind, row in found
        if row
    ]  # fmt: skip
    prices.sort(key=lambda price: price.row["date"], reverse=True)
    return sorted(
        prices, key=lambda price: 1 if price.kind == "launch" else 2 * metrics.is_past(price.row["date"], newest)
    )


def _buy_label(row: Row) -> str:
    """The kind in words; a price from abroad says that it holds that country's tax."""
    abroad = f", {row['provider']}, tax included" if row["currency"] != "USD" else ""
    return BUY_LABELS[row["kind"]].removesuffix(", in a shop" if abroad else "") + abroad


def results(gpu: GpuRecord) -> list[Row]:
    """One sound result of each experiment: fewest GPUs, then newest; like beside like, one GPU first."""
    sound = [row for row in gpu.benchmarks if row["value"] and not row["flag"]]
    sound.sort(key=lambda row: (row["date"], row["batch"], row["locator"]), reverse=True)
    sound.sort(key=lambda row: int(row["gpu_count"]))
    one: dict[tuple[str, ...], Row] = {}
    for row in sound:
        one.setdefault(tuple(row[key] for key in EXPERIMENT), row)
    return sorted(one.values(), key=lambda row: (int(row["gpu_count"]) > 1, *(row[key] for key in EXPERIMENT)))


def _beside(rows: list[Row], shares: list[Share]) -> list[Row]:
    """The results that do not stand beside a peak already."""
    told = [share.row for share in shares]
    return [row for row in rows if not any(row is other for other in told)]


def offers(gpu: GpuRecord, newest: str) -> list[Offer]:
    """Of each kind and provider the lowest price of its newest day: what a buyer or renter can compare."""
    groups: dict[tuple[str, str, str, bool], list[Row]] = defaultdict(list)
    for row in gpu.prices:
        groups[row["kind"], row["provider"], row["source"], bool(row["flag"])].append(row)
    found = []
    for rows in groups.values():
        last = max(row["date"] for row in rows)
        of_the_day = [row for row in rows if row["date"] == last]
        lowest = min(of_the_day, key=lambda r: (_usd(r), r["offer"]))
        found.append(Offer(lowest, len(of_the_day), lowest["kind"] != "launch" and metrics.is_old(last, newest)))
    return sorted(found, key=lambda o: (PRICE_KINDS.index(o.row["kind"]), bool(o.row["flag"]), o.old, _usd(o.row),
                                        o.row["provider"], o.row["source"]))  # fmt: skip


def _usd(row: Row) -> float:
    text = row["usd_per_gpu_hour"] or row["usd_per_unit"] or row["usd_per_machine_hour"]
    return float(text) if text else 0.0


def _rate(gpu: GpuRecord, known: Mapping[str, Fact]) -> Fact | None:
    """The 16-bit peak, or the vector FP32 rate of a card that has no matrix units."""
    rate = metrics.sixteen_bit(gpu)
    field = rate.key.field if rate else PeakKey("fp32", "fp32", "dense", "vector").field
    return known.get(field)


def _worked_rate(gpu: GpuRecord, table: Architectures, computed: Mapping[PeakKey, Theory]) -> Computed | None:
    """The 16-bit peak by arithmetic, where no source states one."""
    worked = (computed[key] for key in metrics.SIXTEEN_BIT if key in computed)
    return None if metrics.sixteen_bit(gpu) else peaks.computed(table, next(worked, None))


def _rival(gpu: GpuRecord, other: GpuRecord) -> Rival:
    one, two = metrics.sixteen_bit(gpu), metrics.sixteen_bit(other)
    return Rival(
        other,
        metrics.quotient(other.number("memory_gb"), gpu.number("memory_gb")),
        metrics.quotient(other.number("memory_bandwidth_gb_s"), gpu.number("memory_bandwidth_gb_s")),
        metrics.quotient(two.tflops if two else None, one.tflops if one else None),
        metrics.quotient(other.number("board_power_w"), gpu.number("board_power_w")),
    )


def _json(
    gpu: GpuRecord, known: Mapping[str, Fact], computed: Mapping[PeakKey, Theory], joined: Joined, summary: str
) -> str:
    """The record for the compare page and for re-users; text as in data/clean."""
    figures = {
        fact.field: {
            "value": gpu.claims[fact.field][0]["value"], "shown": fact.shown, "unit": fact.unit,
            "source": fact.chosen.source_id, "kind": fact.chosen.kind, "url": fact.chosen.url,
            "locator": fact.chosen.locator, "retrieved": fact.chosen.retrieved, "licence": fact.chosen.licence,
            "independent": fact.independent, "differing": len(fact.differing), "anchor": anchor_of(fact.field),
        }
        for fact in known.values()
    }  # fmt: skip
    newest = joined.newest
    rent = metrics.rent(gpu, newest)
    record = {
        "id": gpu.id, "name": gpu.name, "aliases": gpu.aliases, "vendor": gpu.text("vendor"),
        "segment": gpu.text("segment"), "line": gpu.text("line"), "architecture": gpu.text("architecture"),
        "form_factor": gpu.text("form_factor"), "summary": summary,
        "figures": figures,
        "buy": [{"kind": words(p.kind), "usd": float(p.row["usd_per_unit"]), "date": p.row["date"],
                 "old": p.old, "source": p.row["source"], "url": p.row["url"]} for p in buy_prices(gpu, newest)],
        "rent": rent and {"month": rent.month, "lowest_usd": float(rent.lowest["usd_per_gpu_hour"]),
                          "median_usd": rent.median_usd, "offers": rent.offers},
        "theory": peaks.as_json(computed, joined.table),
        "licence": "CC BY-SA 4.0",
    }  # fmt: skip
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n"
