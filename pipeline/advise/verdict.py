"""What the difference between two cards means, with money in it: the verdict that a pair's page opens with.

    verdict(dataset, one, two).sentence
    "The RTX 4090 answers 1.3× as fast as the RTX 3090, by measurement, and costs 2.1× as much: …"

A measured ratio comes from experiments that both cards ran, of each card its best result. Where there is none the ratio
is the one of bandwidth or of peaks, and the text says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from statistics import median

from pipeline.core.once import once
from pipeline.core.schema import Result
from pipeline.core.wording import count, money, quantity, ratio, short
from pipeline.dataset import Dataset, GpuRecord
from pipeline.derive import metrics
from pipeline.derive.experiments import Experiment, by_experiment
from pipeline.derive.prices.quote import Quote, quotes
from pipeline.derive.prices.rules import DEFAULT_MARKET, MARKETS, Market

# Under this two cards are near enough to call it even; over EVEN as well, what a dollar buys differs.
EVEN = 1.1
ANSWERING = ("generation_speed", "output_throughput")
TRAINING = ("throughput",)
COINS = {"USD": "a dollar", "EUR": "a euro", "GBP": "a pound"}


@dataclass(frozen=True, slots=True)
class MeasuredSpeedup:
    """How many times as fast the second card is, over the experiments that both ran."""

    times: float
    experiments: int
    example: Result  # of the second card: the newest


@dataclass(frozen=True, slots=True)
class Use:
    """One use: what decides it, how many times as good the second card is, and in words."""

    name: str
    times: float | None
    said: str
    measured: MeasuredSpeedup | None = None


@dataclass(frozen=True, slots=True)
class PairVerdict:
    """The difference in one sentence, by use, and in money."""

    sentence: str
    uses: tuple[Use, ...]
    money: str


def verdict(dataset: Dataset, one: GpuRecord, two: GpuRecord, market: Market = DEFAULT_MARKET) -> PairVerdict:
    """Weigh the second card against the first in a market; what is not known is left out of the sentence."""
    answering = _answering(one, two)
    training = _training(one, two)
    uses = tuple(use for use in (answering, _memory(one, two), training) if use.said)
    prices = _prices(dataset, one, two, market)
    return PairVerdict(
        _sentence(one, two, answering, prices),
        uses,
        _money(one, two, answering, prices) or _unpriced(dataset, one, two, market),
    )


def measured(one: GpuRecord, two: GpuRecord, workload: str, names: Iterable[str]) -> MeasuredSpeedup | None:
    """The median ratio over the experiments that both cards ran."""
    first, second = (_experiments(gpu, workload, frozenset(names)) for gpu in (one, two))
    shared = sorted(first.keys() & second.keys())
    if not shared:
        return None
    ratios = [second[key].number / first[key].number for key in shared]
    newest = max((second[key] for key in shared), key=lambda row: (row.date, row.model, row.locator))
    return MeasuredSpeedup(median(ratios), len(shared), newest)


@once
def _experiments(gpu: GpuRecord, workload: str, names: frozenset[str]) -> dict[Experiment, Result]:
    found = by_experiment(row for row in gpu.benchmarks if row.workload == workload and row.metric in names)
    return {experiment: best for experiment, (best,) in found.items()}


def _answering(one: GpuRecord, two: GpuRecord) -> Use:
    """One user's answer is written at the speed of memory, as long as the model fits."""
    found = measured(one, two, "inference", ANSWERING)
    by_bandwidth = metrics.quotient(*map(metrics.memory_bandwidth, (two, one)))
    times = found.times if found else by_bandwidth
    if times is None:
        return Use("Answering", None, "")
    basis = _experiment_words(found) if found else "by memory bandwidth, which decides it; nobody measured both"
    return Use("Answering", times, f"{_faster(one, two, times)}, {basis}.", found)


def _training(one: GpuRecord, two: GpuRecord) -> Use:
    """Large batches keep the matrix units busy."""
    found = measured(one, two, "training", TRAINING)
    rates = [metrics.sixteen_bit(gpu) for gpu in (one, two)]
    by_peak = rates[1].tflops / rates[0].tflops if rates[0] and rates[1] else None
    times = found.times if found else by_peak
    if times is None:
        return Use("Training", None, "")
    basis = _experiment_words(found) if found else "by the makers’ dense 16-bit peaks, which nobody reaches"
    return Use("Training", times, f"{_faster(one, two, times)}, {basis}.", found)


def _memory(one: GpuRecord, two: GpuRecord) -> Use:
    """Memory decides what can be run or tuned at all."""
    times = metrics.quotient(*map(metrics.memory, (two, one)))
    if times is None:
        return Use("Memory", None, "")
    if times == 1:
        return Use("Memory", 1.0, f"Both have {quantity(one.memory_gb, 'GB')} and hold the same models.")
    more, less = (two, one) if times > 1 else (one, two)
    said = f"{quantity(more.memory_gb, 'GB')} on the {short(more.name)} against {quantity(less.memory_gb, 'GB')}"
    return Use("Memory", times, f"{said}: it holds models {ratio(max(times, 1 / times))} as large.")


def _prices(dataset: Dataset, one: GpuRecord, two: GpuRecord, market: Market) -> tuple[Quote, Quote, str] | None:
    """What both cost now, to buy, else to rent by the hour; None where the market knows only one of them."""
    book = quotes(dataset)
    to_buy = book.to_buy(one.id, market), book.to_buy(two.id, market)
    if all(quote.value is not None for quote in to_buy):
        return *to_buy, "to buy"
    to_rent = book.both_to_rent(one.id, two.id, market)
    return (*to_rent, "to rent") if to_rent else None


def _sentence(one: GpuRecord, two: GpuRecord, answering: Use, prices: tuple[Quote, Quote, str] | None) -> str:
    parts = list(_differences(one, two, answering))
    if prices:
        first, second, way = prices
        times = (second.value or 0) / (first.value or 1)
        cost = "costs about the same" if _even(times) else f"costs {ratio(times)} as much"
        parts.append(f"{cost} {way}{_of_which(one, two, first, second)}")
    if not parts:
        return f"Too few figures are known of the {short(one.name)} and the {short(two.name)} to weigh them."
    return f"Beside the {short(one.name)}, the {short(two.name)} {_listed(parts)}."


def _of_which(one: GpuRecord, two: GpuRecord, first: Quote, second: Quote) -> str:
    """Which machine a price buys, where its memory is not the one that is compared."""
    both = ((one, first), (two, second))
    told = [f"the {short(gpu.name)} {quote.kind_words}" for gpu, quote in both if not quote.holds(gpu.memory_gb)]
    return f" ({' and '.join(told)})" if told else ""


def _differences(one: GpuRecord, two: GpuRecord, answering: Use) -> Iterator[str]:
    memory = metrics.quotient(*map(metrics.memory, (two, one)))
    if memory:
        yield "has the same memory" if memory == 1 else f"has {ratio(memory)} the memory"
    if answering.times:
        how = "measured" if answering.measured else "by bandwidth"
        yield (
            f"answers as fast ({how})"
            if _even(answering.times)
            else f"answers {ratio(answering.times)} as fast ({how})"
        )


def _money(one: GpuRecord, two: GpuRecord, answering: Use, prices: tuple[Quote, Quote, str] | None) -> str:
    """Which of the two gives more speed for a dollar, and when the other is worth it all the same."""
    if prices is None:
        return ""
    first, second, way = prices
    cost = (second.value or 0) / (first.value or 1)
    unit = "" if way == "to buy" else " an hour"
    told = (
        f"{money(first.value, first.currency)}{unit} for the {short(one.name)} ({first.words}), "
        f"{money(second.value, second.currency)}{unit} for the {short(two.name)} ({second.words})"
    )
    coin = COINS[first.currency]
    if not answering.times:
        return f"{told}: how much speed {coin} buys is not known, for the bandwidth of both is not."
    for_a_dollar = answering.times / cost
    if _even(for_a_dollar):
        return f"{told}: {coin} buys about the same speed on both, so memory, power and warranty decide."
    better, other = (two, one) if for_a_dollar > 1 else (one, two)
    gain = ratio(max(for_a_dollar, 1 / for_a_dollar))
    faster = answering.times if other is two else 1 / answering.times
    return f"{told}: {coin} buys {gain} the speed on the {short(better.name)}. {_worth(better, other, faster)}"


def _unpriced(dataset: Dataset, one: GpuRecord, two: GpuRecord, market: Market) -> str:
    """Why the two are not weighed by money in a market: of whom no price of now is known."""
    book, where = quotes(dataset), MARKETS[market].name
    lacking = [
        f"the {short(gpu.name)}"
        for gpu in (one, two)
        if book.to_buy(gpu.id, market).value is None and book.to_rent(gpu.id, market).value is None
    ]
    if lacking:
        return f"{where}: no source of ours states what {' or '.join(lacking)} costs now, to buy or to rent."
    return f"{where}: no price of one kind, to buy or to rent, is known of both now."


def _worth(better: GpuRecord, other: GpuRecord, faster: float) -> str:
    """When the card that gives less for a dollar is worth it all the same; `faster`: than the better one."""
    name = short(other.name)
    more = metrics.quotient(*map(metrics.memory, (other, better)))
    if more and more > 1:
        return f"The {name} is worth it when a model needs more than {quantity(better.memory_gb, 'GB')}."
    if faster >= EVEN:
        return f"The {name} is worth it when one card has to be as fast as it can."
    if other.vendor != better.vendor:
        return f"The {name} is worth it when your software runs better on {other.vendor} hardware."
    return f"At these prices neither memory nor speed is a reason to choose the {name}."


def _experiment_words(found: MeasuredSpeedup) -> str:
    row = found.example
    what = ", ".join(filter(None, (row.model, row.precision, row.software.split(",")[0].partition(" (")[0])))
    if found.experiments == 1:
        return f"measured in the one experiment that both ran: {what}"
    return f"measured in {count(found.experiments, 'experiment')} that both ran, such as {what}"


def _faster(one: GpuRecord, two: GpuRecord, times: float) -> str:
    if _even(times):
        return "The two are even"
    return f"The {short((two if times > 1 else one).name)} is {ratio(max(times, 1 / times))} as fast"


def _even(times: float) -> bool:
    return max(times, 1 / times) < EVEN


def _listed(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
