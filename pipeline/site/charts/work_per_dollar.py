"""What an hour of each GPU costs on demand, and how much of one kind of work it does: a chart for each workload.

With three results of one experiment the spread is theirs, with fewer it is the estimator's interval, drawn differently.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median

from pipeline.advise.choose.catalogue import Ability, Shelf, shelf
from pipeline.advise.choose.need import Need
from pipeline.core.wording import dollars, number, short
from pipeline.dataset import Dataset, GpuRecord
from pipeline.derive import metrics
from pipeline.derive.prices.quote import Quote, quotes
from pipeline.site.charts.base import (
    ESTIMATED,
    IN_DOLLARS,
    MEASURED,
    SELDOM,
    Axis,
    ChartPoint,
    PointsChart,
    Spec,
    point,
)
from pipeline.site.charts.price_performance import RENT, Rank, ranking

HOUR = 3600
HOW = (
    "Each point is one GPU with a price to rent on demand: the median over clouds of the newest offer of each. The "
    "line across holds them from the 10th to the 90th percentile; under three providers there is none. {speed} A "
    "filled mark is measured. Its broad upright line holds its results from the 10th to the 90th percentile; with one "
    "or two results there is no such spread, and a thin broken line shows the estimator’s interval. A hollow mark is "
    "the estimator’s answer with its interval. Cards whose spreads of work per dollar overlap by more than half show "
    f"no clear difference. {IN_DOLLARS}"
)
NOT_SHOWN = (
    "Several GPUs together; hours in which the rented card waits. Spot and reserved prices, network, disk and tax."
)


@dataclass(frozen=True, slots=True)
class WorkPerDollar:
    """One workload: the results that count as measured, and the need whose estimate stands in for the others."""

    id: str
    name: str
    menu: str
    workload: str
    spec: Spec
    speed: str  # how the work is told
    about: str  # the work in a few words
    work: str  # what a dollar buys, in the finding
    per: float  # of that, so many make one
    unit: str
    experiment: tuple[str, str, str, str]  # start of the set, model, precision, metric; nothing: never measured
    need: Need

    @property
    def chart(self) -> PointsChart:
        """Its entry in the list of charts."""
        return PointsChart(
            id=self.id,
            name=self.name,
            menu=self.menu,
            kind="points",
            how=HOW.format(speed=self.speed),
            not_shown=NOT_SHOWN,
            edit="pipeline/site/charts/work_per_dollar.py",
            workload=self.workload,
            spec=self.spec,
            rows=self.rows,
            finding=self.finding,
            more=self._more,
        )

    def rows(self, dataset: Dataset) -> list[ChartPoint]:
        """A point for each GPU with a price and a speed that holds the work alone, in the order of their ids."""
        on = shelf(dataset)
        # The shelf without its results, so that an ability is the estimator's answer for every card
        ready = replace(on, points={}, images=replace(on.images, measured={}), _abilities={})
        book = quotes(dataset)
        found = (self._point(gpu, ready, book.to_rent(gpu.id)) for gpu in dataset.gpus.values())
        return [made for made in found if made]

    def finding(self, points: Sequence[ChartPoint]) -> str:
        """The card that does the most work for a dollar, of those with three providers or more."""
        if not points:
            return f"{self.name}: no card has both a price and a speed yet"
        ranked = self.ranking(points)
        best = ranked[0].point
        even = f"; no clear difference from {short(ranked[1].point.name)}" if ranked[1:] and ranked[1].unclear else ""
        basis = " (estimated)" if best.basis == ESTIMATED else ""
        return f"{self.work}: {short(best.name)}, {number(best.weight)} {UNITS[self.per].strip()}{basis}{even}"

    @property
    def per_dollar(self) -> str:
        """The unit of what a dollar buys."""
        return f"{UNITS[self.per]}{self.unit.removesuffix('/s')} for a dollar"

    def ranking(self, points: Sequence[ChartPoint]) -> list[Rank]:
        """The cards by work for a dollar."""
        return ranking(points, HOUR / self.per)

    def _more(self, _: Dataset, points: Sequence[ChartPoint]) -> dict[str, object]:
        return {"ranking": self.ranking(points), "about": self.about, "per_dollar": self.per_dollar}

    def _point(self, gpu: GpuRecord, ready: Shelf, rent: Quote) -> ChartPoint | None:
        ability = ready.ability(gpu.id, 1, self.need)
        if rent.value is None or (ability.room_gib is not None and ability.room_gib < 0):
            return None
        known = _speed(self._results(gpu), ability)
        if not known:
            return None
        rate, spread, basis = known
        made = point(
            gpu,
            rent.value,
            rate,
            f"{dollars(rent.value)} an hour",
            f"{number(rate)} {self.unit}",
            rate * HOUR / rent.value / self.per,
            metrics.band(rent.amounts),
        )
        return replace(made, y_band=spread, basis=basis)

    def _results(self, gpu: GpuRecord) -> list[float]:
        if not self.experiment[0]:
            return []
        start, *rest = self.experiment
        return [
            row.number
            for row in gpu.benchmarks
            if row.set.startswith(start)
            and [row.model, row.format, row.metric] == rest
            and row.gpu_count == 1
            and row.value
            and not row.flag
        ]


def _speed(results: Sequence[float], ability: Ability) -> tuple[float, metrics.Band | None, str] | None:
    """The speed, its spread and what both rest on."""
    guess = metrics.Band(ability.rate.p10, ability.rate.p90) if ability.rate else None
    if len(results) >= metrics.BAND_OFFERS:
        return median(results), metrics.band(results), MEASURED
    if results:
        rate = median(results)
        return rate, guess and metrics.Band(min(guess.low, rate), max(guess.high, rate)), SELDOM
    return (ability.rate.median, guess, ESTIMATED) if ability.rate else None


UNITS = {1.0: "", 1e3: "thousand ", 1e6: "million "}
ANSWERS = WorkPerDollar(
    "answers-per-dollar",
    "Answers for a dollar of rent",
    "Answers for a dollar",
    "answers",
    Spec(RENT, Axis("tokens_s", "Tokens a second, one user (log)", True), 16, band=True, y_band=True),
    "The speed is that of LLaMA 3 8B at 4 bit (Q4_K_M) writing for one user with llama.cpp; measured are answers of "
    "512 to 8,192 tokens.",
    "LLaMA 3 8B at 4 bit writes for one user",
    "Most tokens for a dollar of rent",
    1e6,
    "tokens/s",
    ("xiongjiedai-", "LLaMA 3 8B", "q4_k_m", "generation_speed"),
    Need("chat", "meta-llama-3-8b-instruct", "q4_k_m", context=4096),
)
IMAGES = WorkPerDollar(
    "images-per-dollar",
    "Training images for a dollar of rent",
    "Training images for a dollar",
    "training on images",
    Spec(RENT, Axis("images_s", "ResNet-50 images a second in training, FP16 (log)", True), 16, band=True, y_band=True),
    "The speed is that of training ResNet-50 at FP16, as Lambda’s benchmark ran it, at the batch that each card "
    "liked best.",
    "ResNet-50 is trained at FP16",
    "Most training images for a dollar of rent",
    1e6,
    "images/s",
    ("lambda-", "resnet50", "fp16", "throughput"),
    Need("cnn", "resnet-50"),
)
TUNING = WorkPerDollar(
    "tuning-per-dollar",
    "Fine-tuning tokens for a dollar of rent",
    "Fine-tuning for a dollar",
    "fine-tuning",
    Spec(
        RENT, Axis("tuning_tokens_s", "Tokens a second, LoRA on an 8 B model (log)", True), 16, band=True, y_band=True
    ),
    "The speed is that of fine-tuning adapters (LoRA) on a 16-bit 8 B model with 2,048 tokens a sequence; nobody "
    "measured enough cards, so every speed is estimated from the share of the peak that published runs kept.",
    "LoRA on an 8 B model at 16 bit",
    "Most fine-tuning tokens for a dollar of rent",
    1e6,
    "tokens/s",
    ("", "", "", ""),
    Need("lora", "llama-3.1-8b-instruct", context=2048),
)
