"""One page and one JSON for each GPU: the answer first, then how we know it."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from pipeline.advise.choose.market import on_a_board
from pipeline.advise.estimate import models
from pipeline.core import theory
from pipeline.core.identity import load_names
from pipeline.core.paths import DATA
from pipeline.core.schema import FIELDS, PRICE_KINDS, PeakKey, Price, Result
from pipeline.core.theory import Architectures, Theory
from pipeline.core.wording import day, money, quantity, short
from pipeline.dataset import Dataset, GpuRecord
from pipeline.derive import metrics, rivals
from pipeline.derive.experiments import Experiment, experiment
from pipeline.derive.prices import staleness
from pipeline.derive.prices.changes import of_card
from pipeline.derive.prices.observe import MODULE
from pipeline.derive.prices.quote import Book, Quote, quotes
from pipeline.derive.prices.rules import DEFAULT_MARKET, KINDS, MARKETS, WORDS, Market
from pipeline.intake import licences
from pipeline.site.charts import measured_peak
from pipeline.site.charts.fits_on import FitsOn, FitsOnCards
from pipeline.site.charts.measured_peak import PeakShare
from pipeline.site.charts.percentile import Standing
from pipeline.site.charts.roofline import roofline
from pipeline.site.charts.spark import Spark, spark
from pipeline.site.pages import addresses, machines, peaks, schema_org
from pipeline.site.pages.facts import INPUT_NAMES, Fact, facts, source_title, withdrawn
from pipeline.site.pages.peaks import Computed
from pipeline.site.pages.price_history import price_history
from pipeline.site.pages.table import known_by
from pipeline.site.quotes import rounded
from pipeline.site.render import Asset, Page, Shared

# What decides whether a card can be used at all, in the order in which people fail.
USE_FIELDS = (
    "slot_width",
    "length_mm",
    "power_connectors",
    "recommended_psu_w",
    "cooling",
    "pcie_gen",
    "link_gb_s",
    "pcie_peer_to_peer",
    "power_limit_min_w",
    "power_limit_max_w",
    "idle_power_w",
    "native_formats",
    "partitions",
    "ecc",
    "software_support",
    "driver_support",
    "last_supported_driver_or_toolkit",
    "compute_capability",
    "llvm_target",
    "licence_terms",
    "warranty",
    "status",
)
# Of these a missing source is told; the others mean nothing on many cards.
MISSED_FIELDS = ("slot_width", "length_mm", "power_connectors", "recommended_psu_w", "cooling", "software_support")
MISSED_ANYWHERE = ("software_support",)
# More experiments than this are folded away, and more than that stand only in benchmarks.csv.
RESULTS_SHOWN, RESULTS_LISTED = 3, 60
# What readers ask of a card first: how fast a language model writes on it, for many or for one, then how fast it reads.
ASKED_FIRST = ("output_throughput", "generation_speed", "prompt_speed")
# A name leads to its card before the chapters that mention it, and to the best-known card before its variants:
# each source that priced or measured a card adds to it.
BOOST, EACH_SOURCE = 7.0, 2.0
# The chip of a machine that is sold whole is called by its code name, which chapters use often: Strix Halo.
BOOST_OF_MACHINE = 9.0
# Names that people use; spellings of one file (brackets, underscores, settings of a server) only help the search.
SPOKEN = re.compile(r"[^()\[\]_-]+(-[^()\[\]_-]+)?")
NAMES_SHOWN = 6
# What a figure for power is where it is not the maker's limit, by GPU or maker; the locator of the claim says more.
POWER_IS = {"Apple": "whole chip, users’ estimate", "google-tpu-v4": "highest measured"}


@dataclass(frozen=True, slots=True)
class NewestOffer:
    """The lowest of one provider's newest prices of one kind."""

    row: Price
    offers: int
    old: bool


@dataclass(frozen=True, slots=True)
class ComparedRival:
    """A card that people weigh, why, and how its figures compare."""

    gpu: GpuRecord
    role: str
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
        yield machines.of_card(gpu, known.values(), str(page.context["summary"]), joined.book, joined.licences)
        yield Asset(f"gpus/{gpu.id}.json", _json(gpu, known, computed, joined, page.context["summary"]))


class Joined:
    """What the pages of all GPUs share, worked out once."""

    def __init__(self, dataset: Dataset) -> None:
        self.newest = dataset.newest_reading
        self.licences = licences.load(DATA.licences)
        self.book = quotes(dataset)
        self.rivals = rivals.Rivals(dataset)
        self.standing = Standing(dataset)
        self.families: dict[str, list[str]] = defaultdict(list)  # names that several cards share: Strix Halo, A100
        for entry in (entry for file in load_names(DATA.names) for entry in file.ambiguous):
            for gpu in entry.could_be:
                self.families[gpu].append(entry.name)
        self.fits = FitsOnCards(models.load().models)
        self.table = theory.load()
        self.shares: dict[str, list[PeakShare]] = defaultdict(list)
        for share in measured_peak.rows(dataset):
            self.shares[share.gpu.id].append(share)


def _page(gpu: GpuRecord, known: Mapping[str, Fact], computed: Mapping[PeakKey, Theory], joined: Joined) -> Page:
    fits = joined.fits.of(gpu)
    summary = summary_of(gpu, joined.book, fits)
    edit = f"data/gpus/{gpu.id}.yml"
    called = [name for name in gpu.aliases if SPOKEN.fullmatch(name)][:NAMES_SHOWN]
    context = {
        "gpu": gpu,
        "called": called,
        "spelled": [*(name for name in gpu.aliases if name not in called), *joined.families[gpu.id], *joined_up(gpu)],
        "power_is": POWER_IS.get(gpu.id, POWER_IS.get(gpu.vendor, "maker’s limit")),
        "facts": known,
        "support": Counter(fact.support for fact in known.values()),
        "summary": summary,
        "figures_said": _figures_phrase(gpu, fits),
        "prices_said": {market: _price_phrase(gpu, joined.book, market) for market in MARKETS},
        "addresses": addresses,
        "edit": addresses.edit(edit),
        "report": addresses.report(gpu.name),
        "use": [known[name] for name in USE_FIELDS if name in known],
        "not_known": [FIELDS[name].label for name in _missed(gpu) if name not in known],
        "fits": fits,
        "weights": metrics.weights_that_fit(gpu),
        "standing": joined.standing.of(gpu),
        "rivals": [_rival(gpu, other) for other in joined.rivals.of(gpu)],
        "disputed": [fact for fact in known.values() if fact.differing],
        "withdrawn": list(withdrawn(gpu)),
        "source_title": source_title,
    }
    rate = _rate(gpu, known)
    context["cited"], context["bibtex"] = rate, machines.cite(gpu, rate, joined.newest) if rate else ""
    context |= _speed(gpu, known, computed, joined) | _money(gpu, joined.book)
    return Page(
        f"gpus/{gpu.id}",
        "gpu.html.j2",
        context,
        gpu.name,
        f"{gpu.name}: {summary}",
        edit,
        boost=BOOST + BOOST_OF_MACHINE * (gpu.form_factor == "SoC") + EACH_SOURCE * known_by(gpu, joined.newest),
        about=_for_search_engines(gpu, known, summary),
        trail=schema_org.trail(
            ("GPUs", "gpus/"),
            (gpu.vendor, addresses.vendor(gpu)),
            (gpu.line, addresses.line(gpu)),
            (gpu.name, addresses.gpu(gpu.id)),
        ),
        shared=Shared(gpu.name, _shared_figures(gpu, known, joined.book), gpu.vendor),
    )


def _shared_figures(gpu: GpuRecord, known: Mapping[str, Fact], book: Book) -> tuple[tuple[str, str], ...]:
    """What a link to the card shows: the key figures that have a source, and its price in the United States."""
    rate = _rate(gpu, known)
    told = [("Memory", known.get("memory_gb")), ("Bandwidth", known.get("memory_bandwidth_gb_s"))]
    figures = [(label, f"{fact.shown} {fact.unit}") for label, fact in told if fact]
    if rate:
        figures.append((rate.label, f"{rate.shown} {rate.unit}"))
    for quote, each in ((book.to_buy(gpu.id), ""), (book.to_rent(gpu.id), " an hour")):
        if quote.value is not None:
            return (*figures, (quote.words, f"{money(quote.value, quote.currency)}{each}"))
    return tuple(figures)


def _for_search_engines(gpu: GpuRecord, known: Mapping[str, Fact], summary: str) -> dict[str, object]:
    """The card in the words of schema.org. No offer: we sell nothing."""
    return {
        "@context": schema_org.CONTEXT,
        "@type": "Product",
        "name": gpu.name,
        "description": summary,
        "url": f"{addresses.SITE}{addresses.gpu(gpu.id)}",
        "image": f"{addresses.SITE}{addresses.gpu(gpu.id)}shared.png",
        "brand": {"@type": "Brand", "name": gpu.vendor},
        "category": f"{gpu.segment} GPU",
        **({"releaseDate": gpu.launch_date} if gpu.launch_date else {}),
        "additionalProperty": [
            {"@type": "PropertyValue", "name": fact.label, "value": fact.chosen.value, "unitText": fact.unit}
            for name in ("memory_gb", "memory_bandwidth_gb_s", "board_power_w")
            if (fact := known.get(name))
        ],
    }


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


def _money(gpu: GpuRecord, book: Book) -> dict[str, object]:
    """What it costs to buy and to rent in each market, now and over time."""
    buy = {market: book.to_buy(gpu.id, market) for market in MARKETS}
    rent = {market: book.to_rent(gpu.id, market) for market in MARKETS}
    return {
        "markets": MARKETS,
        "buy": buy,
        "rent": rent,
        "buy_line": {market: _line(quote, book) for market, quote in buy.items()},
        "rent_line": _line(rent[DEFAULT_MARKET], book),  # converted at one rate, so that it looks the same everywhere
        "quoted": {kind: {market: book.quote(gpu.id, kind, market) for market in MARKETS} for kind in KINDS},
        "kind_words": {**WORDS, "system": _sold_as(book, gpu)},
        "launch_usd": gpu.launch_price_usd,
        "prices": offers(gpu, book.newest),
        "all_prices": len(gpu.prices),
        "history": price_history(gpu, book),
        "moves": bool(of_card(book, gpu.id)),
    }


def _sold_as(book: Book, gpu: GpuRecord) -> str:
    """How a row of prices calls what is bought: a whole machine, or a module where no market has a machine."""
    quoted = [book.quote(gpu.id, "system", market) for market in MARKETS]
    known = [one for quote in quoted if (one := quote if quote.value is not None else quote.last) is not None]
    return f"as a {MODULE}" if known and all(one.module for one in known) else WORDS["system"]


def _line(quote: Quote, book: Book) -> Spark | None:
    return spark(book.months(quote.gpu, quote.kind, quote.market), book.newest)


def _missed(gpu: GpuRecord) -> tuple[str, ...]:
    """What a buyer must know and no source tells; a module or a chip on a board has no slots and plugs."""
    return MISSED_FIELDS if gpu.form_factor.startswith("PCIe") else MISSED_ANYWHERE


def summary_of(gpu: GpuRecord, book: Book, fits: FitsOn | None = None) -> str:
    """One line that says what the card is good for, from its figures alone."""
    told = "; ".join(filter(None, (_figures_phrase(gpu, fits), _price_phrase(gpu, book, DEFAULT_MARKET))))
    return f"{told}." if told else "No source of ours gives its figures yet."


def _figures_phrase(gpu: GpuRecord, fits: FitsOn | None) -> str:
    memory = _memory_phrase(gpu) + _holds_phrase(fits)
    rate = metrics.sixteen_bit(gpu)
    rate_phrase = f"{quantity(rate.tflops, 'TFLOPS')} dense {INPUT_NAMES[rate.key.input]} peak" if rate else ""
    power = gpu.board_power_w
    power_phrase = quantity(power, "W") if power else ""
    return "; ".join(filter(None, (memory, rate_phrase, power_phrase)))


def _memory_phrase(gpu: GpuRecord) -> str:
    memory, bandwidth = gpu.memory_gb, gpu.memory_bandwidth_gb_s
    if memory is None:
        return f"memory at {quantity(bandwidth, 'GB/s')}" if bandwidth else ""
    return quantity(memory, "GB") + (f" at {quantity(bandwidth, 'GB/s')}" if bandwidth else " of memory")


def _holds_phrase(fits: FitsOn | None) -> str:
    """The largest of our language models at the fewest bits, which says more than a number of gigabytes."""
    row = fits.rows[-1] if fits else None
    if not row or not row.largest:
        return ""
    return f": {'just ' if row.tight else ''}holds {row.largest.name} at {row.name}"


def _price_phrase(gpu: GpuRecord, book: Book, market: Market) -> str:
    buy, rent = book.to_buy(gpu.id, market), book.to_rent(gpu.id, market)
    if buy.value is not None:
        doubt = " (in doubt)" if buy.doubts else ""
        module = f", as a {MODULE}," if on_a_board(gpu) else ""
        return f"{money(buy.value, buy.currency)} {buy.kind_words}{module} in {day(buy.day[:7])}{doubt}"
    return f"rents from {money(rent.low, rent.currency)} an hour ({day(rent.seen[0].month)})" if rent.seen else ""


def results(gpu: GpuRecord) -> list[Result]:
    """One sound result of each experiment, of one GPU first: what readers ask first, then like beside like."""
    sound = [row for row in gpu.benchmarks if row.value and not row.flag]
    sound.sort(key=lambda row: (row.date, row.batch, row.locator), reverse=True)
    sound.sort(key=lambda row: row.gpu_count)
    one: dict[Experiment, Result] = {}
    for row in sound:
        one.setdefault(_whatever_the_batch(row), row)
    return sorted(one.values(), key=lambda row: (row.gpu_count > 1, _asked(row.metric), *_whatever_the_batch(row)))


def _asked(metric: str) -> int:
    return ASKED_FIRST.index(metric) if metric in ASKED_FIRST else len(ASKED_FIRST)


def _whatever_the_batch(row: Result) -> Experiment:
    return experiment(row)._replace(gpus=0, batch="")


def _beside(rows: list[Result], shares: list[PeakShare]) -> list[Result]:
    """The results that do not stand beside a peak already."""
    told = [share.row for share in shares]
    return [row for row in rows if not any(row is other for other in told)]


def offers(gpu: GpuRecord, newest: str) -> list[NewestOffer]:
    """Of each kind and provider the lowest price of its newest day: what a buyer or renter can compare."""
    groups: dict[tuple[str, str, str, bool], list[Price]] = defaultdict(list)
    for row in gpu.prices:
        groups[row.kind, row.provider, row.source, bool(row.flag)].append(row)
    found = []
    for rows in groups.values():
        last = max(row.date for row in rows)
        of_the_day = [row for row in rows if row.date == last]
        lowest = min(of_the_day, key=lambda r: (_usd(r), r.offer))
        found.append(
            NewestOffer(lowest, len(of_the_day), staleness.state(lowest.kind, last, newest) not in staleness.NOW)
        )
    return sorted(
        found,
        key=lambda o: (
            PRICE_KINDS.index(o.row.kind),
            bool(o.row.flag),
            o.old,
            _usd(o.row),
            o.row.provider,
            o.row.source,
        ),
    )


def _usd(row: Price) -> float:
    return row.usd_per_gpu_hour or row.usd_per_unit or row.usd_per_machine_hour or 0.0


def joined_up(gpu: GpuRecord) -> list[str]:
    """Names as people type them without a space, which the search takes for another word: rtx4090, rx7900xtx."""
    names = [short(name) for name in (gpu.name, *gpu.aliases)]
    return sorted({re.sub(r"[^a-z0-9]", "", name.lower()) for name in names if " " in name})


def _rate(gpu: GpuRecord, known: Mapping[str, Fact]) -> Fact | None:
    """The 16-bit peak, or the vector FP32 rate of a card that has no matrix units."""
    rate = metrics.sixteen_bit(gpu)
    field = rate.key.field if rate else PeakKey("fp32", "fp32", "dense", "vector").field
    return known.get(field)


def _worked_rate(gpu: GpuRecord, table: Architectures, computed: Mapping[PeakKey, Theory]) -> Computed | None:
    """The 16-bit peak by arithmetic, where no source states one."""
    worked = (computed[key] for key in metrics.SIXTEEN_BIT if key in computed)
    return None if metrics.sixteen_bit(gpu) else peaks.computed(table, next(worked, None))


def _rival(gpu: GpuRecord, rival: rivals.Rival) -> ComparedRival:
    other = rival.gpu
    return ComparedRival(
        other,
        rival.role,
        metrics.quotient(other.memory_gb, gpu.memory_gb),
        metrics.quotient(other.memory_bandwidth_gb_s, gpu.memory_bandwidth_gb_s),
        metrics.quotient(metrics.sixteen_bit_tflops(other), metrics.sixteen_bit_tflops(gpu)),
        metrics.quotient(other.board_power_w, gpu.board_power_w),
    )


def _json(
    gpu: GpuRecord, known: Mapping[str, Fact], computed: Mapping[PeakKey, Theory], joined: Joined, summary: str
) -> str:
    """The record for the compare page and for re-users; text as in data/clean."""
    figures = {
        fact.field: {
            "value": gpu.claims[fact.field][0].value,
            "shown": fact.shown,
            "unit": fact.unit,
            "source": fact.chosen.source_id,
            "kind": fact.chosen.kind,
            "url": fact.chosen.url,
            "locator": fact.chosen.locator,
            "retrieved": fact.chosen.retrieved,
            "licence": fact.chosen.licence,
            "independent": fact.independent,
            "differing": len(fact.differing),
            "anchor": fact.anchor,
        }
        for fact in known.values()
    }
    record = {
        "id": gpu.id,
        "name": gpu.name,
        "aliases": gpu.aliases,
        "vendor": gpu.vendor,
        "segment": gpu.segment,
        "line": gpu.line,
        "architecture": gpu.architecture,
        "form_factor": gpu.form_factor,
        "summary": summary,
        "figures": figures,
        "prices": {market: _quotes(gpu, joined.book, market) for market in MARKETS},
        "theory": peaks.as_json(computed, joined.table),
        "licence": "CC BY-SA 4.0",
    }
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n"


def _quotes(gpu: GpuRecord, book: Book, market: Market) -> dict[str, object]:
    """Every kind of price in one market as the compare page and re-users read it; without a value, the reason."""
    found = {kind: book.quote(gpu.id, kind, market) for kind in KINDS}
    return {kind: _quoted(quote) for kind, quote in found.items()} | {
        "to_buy": book.to_buy(gpu.id, market).kind,
        "to_rent": book.to_rent(gpu.id, market).kind,
        "currency": MARKETS[market].currency,
    }


def _quoted(quote: Quote) -> dict[str, object]:
    if quote.value is None:
        return {"value": None, "reason": quote.reason}
    return {
        "value": rounded(quote.value),
        "low": rounded(quote.low),
        "high": rounded(quote.high),
        "count": quote.count,
        "who": quote.who,
        "configuration": quote.configuration,
        "basis": quote.basis,
        "tax": quote.tax,
        "country": quote.country,
        "day": quote.day,
        "read": quote.read,
        "age": quote.age,
        "confidence": quote.confidence,
        "doubts": list(quote.doubts),
        "cautions": list(quote.cautions),
        "url": quote.seen[0].price.url if quote.count == 1 else "",
    }
