"""What a calculator needs of each card from the dataset: power, prices with their sources, what runs on it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from pipeline.advise.choose import support
from pipeline.advise.choose.calculators.words import dollars
from pipeline.advise.choose.catalogue import Shelf, shelf, watts
from pipeline.advise.choose.market import KIND_WORDS, RankedQuote
from pipeline.advise.choose.need import NeedError
from pipeline.advise.estimate import Card, Model, inputs
from pipeline.core.once import once
from pipeline.core.schema import Result
from pipeline.dataset import Dataset, GpuRecord

ENERGY_UNITS = ("J/image", "J/sequence", "J/token", "J/sample")


@dataclass(frozen=True, slots=True)
class CardPrice:
    """USD for one card, or for one GPU-hour, with who asked it and when; `firm`: young enough to answer with."""

    usd: float
    kind: str  # new, used, launch price, on demand, your price
    who: str
    date: str
    firm: bool
    url: str  # "": the card's own page lists the observations
    most_gpus: int | None = None
    least_gpus: int = 1  # in one machine, as most_gpus
    first_share: float = 1.0  # of a new one: what it sells for as soon as it is used, as a share of this price


@dataclass(frozen=True, slots=True)
class MeasuredPower:
    """Watts for each GPU that somebody measured; `machine`: the whole server's, shared out."""

    watts: float
    machine: bool
    words: str
    url: str


@dataclass(frozen=True, slots=True)
class Facts:
    """What the calculators need of one GPU."""

    card: Card
    power_w: float | None
    psu_w: float | None
    measured: MeasuredPower | None
    new: CardPrice | None
    used: CardPrice | None
    rent: CardPrice | None
    no_training: str  # why language models are not trained on it; "" where they are
    inferred: bool  # the 16-bit rate is that of its kin


@dataclass(frozen=True)
class Known:
    """All cards, and the shelf with models, coefficients, points and runs.

    `stated`: each card with the rates that a source states, as the three calculators of the estimator take it;
    `no_llama`: the GPUs for which llama.cpp, the engine of most estimates, has no backend.
    """

    facts: Mapping[str, Facts]
    on: Shelf
    stated: Mapping[str, Card] = field(default_factory=dict)
    no_llama: Collection[str] = ()

    @property
    def models(self) -> Mapping[str, Model]:
        """The networks by id."""
        return self.on.registry.models


@once
def known(dataset: Dataset) -> Known:
    """What the calculators know of a dataset."""
    on, stated = shelf(dataset), inputs.cards(dataset)
    facts = {gpu.id: _facts(gpu, on, stated[gpu.id]) for gpu in dataset.gpus.values()}
    return Known(facts, on, stated, no_llama(dataset))


def no_llama(dataset: Dataset) -> list[str]:
    """The GPUs for which llama.cpp has no backend."""
    return [
        gpu.id
        for gpu in dataset.gpus.values()
        if gpu.vendor not in support.LLAMA_VENDORS or gpu.line.startswith(support.NOT_FOR_LLAMA)
    ]


def best_price(facts: Facts) -> CardPrice | None:
    """The cheaper of the prices of today, new or used."""
    firm = [price for price in (facts.new, facts.used) if price is not None and price.firm]
    return min(firm, key=lambda price: price.usd, default=None)


def buy_price(facts: Facts, typed: float | None) -> CardPrice:
    """The price that counts: typed, or the cheaper of today's; NeedError where there is none."""
    found = own(typed) if typed is not None else best_price(facts)
    if found is None:
        raise NeedError(f"no price of the last 12 months to buy {facts.card.name} is known; type yours{_older(facts)}")
    return found


def rent_price(facts: Facts, typed: float | None) -> CardPrice:
    """The price of one GPU-hour that counts; NeedError where there is none."""
    found = own(typed) if typed is not None else facts.rent
    if found is None:
        raise NeedError(f"no offer of the last 12 months to rent {facts.card.name} is known; type a price")
    return found


def own(usd: float) -> CardPrice:
    """A price that the reader typed."""
    return CardPrice(usd, KIND_WORDS["own"], "you", "", True, "")


def measured_watts(gpu: GpuRecord) -> float | None:
    """Mean watts of the board where the measuring kit has both: J for one unit of work times units a second."""
    good = [row for row in gpu.benchmarks if row.value and not row.flag]
    rates = {_work(row): row.number for row in good if row.metric == "throughput"}
    found = [
        row.number * rates[_work(row)]
        for row in good
        if row.metric == "energy" and row.unit in ENERGY_UNITS and _work(row) in rates
    ]
    return sum(found) / len(found) if found else None


def measured_power(gpu: GpuRecord) -> MeasuredPower | None:
    """What was measured: of the board alone first, else of whole servers."""
    board = measured_watts(gpu)
    if board is not None:
        return MeasuredPower(board, False, "mean of measured energy × throughput of the board", "")
    rows = [row for row in gpu.benchmarks if row.metric == "system_power" and row.value and not row.flag]
    if not rows:
        return None
    mean = sum(row.number / row.gpu_count for row in rows) / len(rows)
    newest = max(rows, key=lambda row: (row.date, row.locator))
    text = f"mean of {len(rows)} MLPerf inference runs, whole server shared out, newest {newest.date}"
    return MeasuredPower(mean, True, text, newest.url)


def _work(row: Result) -> tuple[str | int, ...]:
    return (row.set, row.workload, row.model, row.format, row.batch, row.gpu_count)


def _facts(gpu: GpuRecord, on: Shelf, stated: Card) -> Facts:
    card = on.cards[gpu.id]
    return Facts(
        card,
        watts(gpu),
        gpu.recommended_psu_w,
        measured_power(gpu),
        _price(on.buys["no"].get(gpu.id)),
        _price(on.buys["only"].get(gpu.id)),
        _price(on.rents.get(gpu.id)),
        _no_training(gpu, card),
        card.peaks != stated.peaks,
    )


def _price(quote: RankedQuote | None) -> CardPrice | None:
    if quote is None:
        return None
    kind = KIND_WORDS[quote.kind]
    sizes = (quote.most_gpus, quote.least_gpus)
    return CardPrice(quote.usd, kind, quote.who, quote.date, quote.firm, quote.url, *sizes, quote.first_share)


def _no_training(gpu: GpuRecord, card: Card) -> str:
    """Why no language model is trained on it, by the chooser's rules on software; "" where one is."""
    found = support.of(gpu, card, "full")
    return support.ended(gpu) or (found.says if found.level == "none" else "")


def _older(facts: Facts) -> str:
    old = next((price for price in (facts.used, facts.new) if price is not None), None)
    return f" (the newest known: {dollars(old.usd)}, {old.kind}, {old.date})" if old else ""
