"""A card and a few numbers in, one calculator's answer out: pure functions on the same estimates as the recommender.

Formulas: break-even hours = (price − resale + host) / (rent per hour − tariff × kW × PUE − upkeep per hour); power in
kWh = W / 1000 × hours × PUE; training time = 6·P·D / (n · share · peak) (Kaplan et al., arXiv 2001.08361, section 2.1),
the share from published runs; memory and decode speed as in pipeline/estimate.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from pipeline.choose.judge import Option, hours, options, usd
from pipeline.choose.need import Need, NeedError, checked
from pipeline.choose.shelf import COUNTS, HOUR, Ability, shelf, watts
from pipeline.dataset import Dataset, GpuRecord
from pipeline.estimate import Interval

NEVER = "renting never costs more"
AT_ONCE = "buying is cheaper from the first hour"
WEEKS_A_MONTH = 52 / 12
# What fits: these are tried, the best first; the first that fits is the answer.
QUANTS = ("f16", "q8_0", "q6_k", "q5_k_m", "q4_k_m", "q3_k_m", "q2_k")
ENERGY_UNITS = ("J/image", "J/sequence", "J/token", "J/sample")
WORTH_FASTER = 1.5  # a speed-up that one notices without a clock (an assumption)


@dataclass(frozen=True, slots=True)
class BreakEven:
    """Hours of use after which buying has cost less than renting; None when that never comes."""

    hours: float | None
    words: str


def break_even(
    price_usd: float,
    resale_usd: float,
    host_usd: float,
    rent_usd_per_hour: float,
    usd_per_kwh: float,
    power_kw: float,
    pue: float = 1.0,
    upkeep_usd_per_hour: float = 0.0,
) -> BreakEven:
    """(price − resale + host) / (rent − tariff × kW × PUE − upkeep); 0 or less below: renting never costs more.

    Source: the row "buy or rent" of the project's table of formulas; PUE is what the building takes for each watt.
    """  # fmt: skip
    numbers = {"price": price_usd, "resale": resale_usd, "host": host_usd, "rent": rent_usd_per_hour,
               "tariff": usd_per_kwh, "power": power_kw, "upkeep": upkeep_usd_per_hour}  # fmt: skip
    for name, value in numbers.items():
        _sensible(name, value, 0.0)
    _sensible("pue", pue, 1.0)
    kept = price_usd - resale_usd + host_usd
    saved = rent_usd_per_hour - usd_per_kwh * power_kw * pue - upkeep_usd_per_hour
    if saved <= 0:
        return BreakEven(None, NEVER)
    if kept <= 0:
        return BreakEven(0.0, AT_ONCE)
    after = kept / saved
    how = f"{usd(kept)} / {saved:.3f} dollars an hour"
    return BreakEven(after, f"after {after:,.0f} hours of use ({how}) buying costs less")


@dataclass(frozen=True, slots=True)
class Running:
    """What running a GPU takes: power with its kind, energy and money a month and a year."""

    power_w: float
    kind: str  # measured, limit
    statement: str
    kwh_per_month: float
    usd_per_month: float
    usd_per_year: float


def running_cost(gpu: GpuRecord, hours_per_week: float, usd_per_kwh: float, count: int = 1,
                 pue: float = 1.0) -> Running:  # fmt: skip
    """kWh = W / 1000 × hours × PUE; W measured where a source measured the board, else the board's limit."""
    _sensible("hours a week", hours_per_week, 0.0, 168.0)
    _sensible("tariff", usd_per_kwh, 0.0)
    _sensible("pue", pue, 1.0)
    limit = watts(gpu)
    measured = measured_watts(gpu)
    power = measured if measured is not None else limit
    if power is None:
        raise NeedError(f"no source states the power of {gpu.name}; see its page")
    kind = "limit" if measured is None else "measured"
    words = {"limit": "the board's limit, an upper bound", "measured": "mean of the measured energy × throughput"}[kind]
    kwh = power * count / 1000 * hours_per_week * WEEKS_A_MONTH * pue
    return Running(power * count, kind, words, kwh, kwh * usd_per_kwh, kwh * usd_per_kwh * 12)


def measured_watts(gpu: GpuRecord) -> float | None:
    """Mean watts of the board where the measuring kit has both: J for one unit of work times units a second."""
    good = [row for row in gpu.benchmarks if row["value"] and not row["flag"]]
    rates = {_work(row): float(row["value"]) for row in good if row["metric"] == "throughput"}
    found = [
        float(row["value"]) * rates[_work(row)]
        for row in good
        if row["metric"] == "energy" and row["unit"] in ENERGY_UNITS and _work(row) in rates
    ]
    return sum(found) / len(found) if found else None


@dataclass(frozen=True, slots=True)
class Fit:
    """The best quantization at which a model fits, what is left, and how fast it runs."""

    model: str
    name: str
    quant: str | None  # None: it fits at none
    room_gib: float | None
    rate: Interval | None
    measured: bool


def what_fits(dataset: Dataset, gpu: str, context: int = 4096, count: int = 1) -> list[Fit]:
    """The reverse index: every language model with the least quantization that it needs on this card."""
    _sensible("context", context, 1)
    card = _gpu(dataset, gpu)
    if count not in COUNTS:
        raise NeedError(f"count is {count}; it is one of {', '.join(map(str, COUNTS))}")
    return [
        _best_fit(dataset, card.id, count, model.id, min(context, model.context or context))
        for model in shelf(dataset).registry.models.values()
        if model.is_language
    ]


@dataclass(frozen=True, slots=True)
class Several:
    """What a count of GPUs does for one model."""

    count: int
    ability: Ability
    times_one: float | None  # speed against the least count that fits
    link: str


def several_gpus(dataset: Dataset, gpu: str, need: Need) -> list[Several]:
    """Counts 1, 2, 4, 8 of a card for one workload, with the link over which they talk."""
    on, card = shelf(dataset), _gpu(dataset, gpu)
    asked = checked(need, on.registry, dataset)
    rows = [(count, on.ability(card.id, count, asked)) for count in COUNTS]
    base = next((a.rate.median for _, a in rows if a.rate and (a.room_gib or -1.0) >= 0), None)
    return [
        Several(n, a, a.rate.median / base if a.rate and base and (a.room_gib or -1.0) >= 0 else None, link_words(card))
        for n, a in rows
    ]


def link_words(gpu: GpuRecord) -> str:
    """How GPUs of this kind talk to one another."""
    own, generation = gpu.number("link_gb_s"), gpu.number("pcie_gen")
    if own:
        return f"its own link, {own:g} GB/s in both directions"
    return f"PCI Express {generation:g}" if generation else "PCI Express, generation not known"


@dataclass(frozen=True, slots=True)
class Upgrade:
    """Whether to go from one card to another for a workload."""

    times: tuple[float, float, float] | None  # speed-up: low, middle, high
    net_usd: float | None  # price of the new less what the old brings
    verdict: str


def upgrade(dataset: Dataset, old: str, new: str, need: Need) -> Upgrade:
    """Compare two cards for one workload: what becomes possible, how much faster, the cost after selling the old."""
    on = shelf(dataset)
    asked = checked(need, on.registry, dataset)
    a, b = (_one(dataset, _gpu(dataset, text), asked) for text in (old, new))
    before, after = a.ability.rate, b.ability.rate
    used = on.buys["only"].get(a.gpu.id)
    brings = used.usd if used is not None and used.firm else None
    net = b.quote.usd - (brings or 0.0) if b.quote is not None and b.quote.firm else None
    fits = [(o.ability.room_gib or -1.0) >= 0 for o in (a, b)]
    if not fits[1]:
        return Upgrade(None, net, f"not worth it: {b.gpu.name} does not hold it either" if not fits[0] else
                       f"not worth it: {b.gpu.name} does not hold it")  # fmt: skip
    if not fits[0]:
        return Upgrade(None, net, f"makes it possible: {a.gpu.name} does not hold it, {b.gpu.name} does{_cost(net)}")
    if before is None or after is None:
        return Upgrade(None, net, "nobody can say: the speed of one of them is not known")
    times = (after.p10 / before.p90, after.median / before.median, after.p90 / before.p10)
    word = "worth it if the speed matters" if times[1] >= WORTH_FASTER else "not worth it"
    return Upgrade(times, net, f"{word}: {times[1]:.2f} times as fast ({times[0]:.2f} to {times[2]:.2f}){_cost(net)}")


@dataclass(frozen=True, slots=True)
class TrainingCost:
    """Hours, energy and money of one training run."""

    hours: tuple[float, float, float]  # fast end, middle, slow end
    rent_usd: tuple[float, float, float] | None
    energy_usd: float | None
    room_gib: float | None
    words: str


def training_cost(dataset: Dataset, gpu: str, count: int, need: Need) -> TrainingCost:
    """Time = tokens / rate; rent = GPUs × hours × price; energy = W × hours × tariff."""
    on, card = shelf(dataset), _gpu(dataset, gpu)
    asked = checked(need, on.registry, dataset)
    if asked.units is None:
        raise NeedError("a run needs a size; say how many tokens or images it has (units)")
    if count not in COUNTS:
        raise NeedError(f"count is {count}; it is one of {', '.join(map(str, COUNTS))}")
    ability = on.ability(card.id, count, asked)
    if ability.rate is None:
        raise NeedError(ability.problem or f"the speed of {card.name} is not known")
    fast, middle, slow = (asked.units / r / HOUR for r in (ability.rate.p90, ability.rate.median, ability.rate.p10))
    quote, power = on.rents.get(card.id), watts(card)
    hourly = None if quote is None else quote.usd * count
    rent = None if hourly is None else (hourly * fast, hourly * middle, hourly * slow)
    energy = None if power is None else power * count / 1000 * middle * asked.electricity_usd_per_kwh
    words = f"{hours(middle)} ({hours(fast)} to {hours(slow)})"
    return TrainingCost((fast, middle, slow), rent, energy, ability.room_gib, words)


def _sensible(name: str, value: float, low: float, high: float = 1e12) -> None:
    if not math.isfinite(value) or not low <= value <= high:
        raise NeedError(f"{name} is {value!r}; it must be a number from {low:g} to {high:g}")


def _gpu(dataset: Dataset, text: str) -> GpuRecord:
    found = dataset.find(text)
    if found is None:
        raise NeedError(f"{text[:60]!r} is no GPU of the dataset; see data/gpus")
    return found


def _work(row: object) -> tuple[str, ...]:
    return tuple(row[c] for c in ("set", "workload", "model", "precision", "batch", "gpu_count"))  # type: ignore[index]


def _best_fit(dataset: Dataset, gpu: str, count: int, model: str, context: int) -> Fit:
    on = shelf(dataset)
    name = on.registry.models[model].name
    for quant in QUANTS:
        ability = on.ability(gpu, count, Need("chat", model, quant, context=context))
        if ability.room_gib is not None and ability.room_gib >= ability.indivisible_gib:
            return Fit(model, name, quant, ability.room_gib, ability.rate, ability.measured)
    return Fit(model, name, None, None, None, False)


def _one(dataset: Dataset, gpu: GpuRecord, need: Need) -> Option:
    judged = options(shelf(dataset), replace(need, prefer="buy", max_gpus=1))
    return next(option for option in judged if option.gpu.id == gpu.id)


def _cost(net_usd: float | None) -> str:
    return "" if net_usd is None else f", for {usd(net_usd)} after selling the old one"
