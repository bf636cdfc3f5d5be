"""The pairs of cards that people compare most: a static page each that search engines can read, and their list."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from pipeline import metrics
from pipeline.charts.base import short
from pipeline.dataset import Dataset, GpuRecord
from pipeline.pages import addresses
from pipeline.pages.facts import Fact, facts
from pipeline.render import Page, number, quantity, ratio, slug

# Written by hand: what people ask for. The second card is the one that they think of moving to, or the rival.
PAIRS: tuple[tuple[str, str], ...] = (
    ("nvidia-geforce-rtx-4090", "nvidia-geforce-rtx-5090"),
    ("nvidia-geforce-rtx-3090", "nvidia-geforce-rtx-4090"),
    ("nvidia-geforce-rtx-3090", "nvidia-geforce-rtx-5090"),
    ("nvidia-geforce-rtx-3090", "nvidia-geforce-rtx-3090-ti"),
    ("nvidia-geforce-rtx-3060-12gb", "nvidia-geforce-rtx-4060-ti-16gb"),
    ("nvidia-geforce-rtx-4060-ti-16gb", "nvidia-geforce-rtx-5060-ti-16gb"),
    ("nvidia-geforce-rtx-4080", "nvidia-geforce-rtx-5080"),
    ("nvidia-geforce-rtx-4090", "nvidia-geforce-rtx-5080"),
    ("nvidia-geforce-rtx-4070-ti-super", "nvidia-geforce-rtx-5070-ti"),
    ("amd-radeon-rx-7900-xtx", "nvidia-geforce-rtx-4090"),
    ("amd-radeon-rx-7900-xtx", "nvidia-geforce-rtx-3090"),
    ("amd-radeon-rx-9070-xt", "nvidia-geforce-rtx-5070-ti"),
    ("nvidia-rtx-a6000", "nvidia-rtx-6000-ada"),
    ("nvidia-geforce-rtx-4090", "nvidia-rtx-6000-ada"),
    ("nvidia-a100-sxm4-80gb", "nvidia-h100-sxm5-80gb"),
    ("nvidia-h100-pcie-80gb", "nvidia-h100-sxm5-80gb"),
    ("nvidia-h100-sxm5-80gb", "nvidia-h200-sxm-141gb"),
    ("nvidia-h200-sxm-141gb", "nvidia-b200"),
    ("nvidia-h100-sxm5-80gb", "amd-instinct-mi300x"),
    ("nvidia-l40s", "nvidia-a100-pcie-80gb"),
    ("nvidia-t4", "nvidia-l4"),
    ("nvidia-v100-sxm2-32gb", "nvidia-a100-sxm4-80gb"),
)
EVEN = 1.05  # under this a ratio of two digits would read 1×
CLOSE = 1.1  # under this the two are near enough to call it even
ROWS = ("memory_gb", "memory_bandwidth_gb_s", "board_power_w", "launch_price_usd", "launch_date", "memory_type",
        "form_factor", "slot_width", "link_gb_s", "architecture")  # fmt: skip
LOWER_IS_BETTER = ("board_power_w", "launch_price_usd")
NO_BETTER = ("launch_date", "memory_type", "form_factor", "slot_width", "architecture")


@dataclass(frozen=True, slots=True)
class Line:
    """One figure of both cards; `better` is 0 or 1 where one is, else None."""

    label: str
    facts: tuple[Fact | None, Fact | None]
    better: int | None
    lead: str  # of the better one: 1.3×, or 4 % where a ratio would read 1×


@dataclass(frozen=True, slots=True)
class Pair:
    """Two cards side by side."""

    one: GpuRecord
    two: GpuRecord

    @property
    def address(self) -> str:
        """Where its page stands."""
        return f"compare/{slug(short(self.one.name))}-vs-{slug(short(self.two.name))}"

    @property
    def title(self) -> str:
        """The pair as people search for it."""
        return f"{short(self.one.name)} vs {short(self.two.name)}"


def pages(dataset: Dataset) -> Iterator[Page]:
    """A page for each pair of the list, and the list."""
    known = pairs(dataset)
    for pair in known:
        yield _page(pair, dataset)
    yield Page("compare/pairs", "pairs.html.j2",
               {"pairs": [(pair, answer(pair)) for pair in known], "addresses": addresses}, "Popular comparisons",
               "The comparisons that people ask for most, each on a page of its own.", "pipeline/pages/pairs.py",
               hide=("toc",))  # fmt: skip


def pairs(dataset: Dataset) -> list[Pair]:
    """The pairs whose two cards are in the dataset, in the order of the list."""
    return [Pair(dataset.gpus[one], dataset.gpus[two]) for one, two in PAIRS if {one, two} <= set(dataset.gpus)]


def answer(pair: Pair) -> str:
    """The difference in one sentence: the second card beside the first."""
    told = [
        _times(found, what)
        for what, found in (
            ("memory", _quotient(pair, _memory)),
            ("bandwidth", _quotient(pair, _bandwidth)),
            ("dense 16-bit peak", _quotient(pair, _peak)),
            ("power", _quotient(pair, _power)),
        )
        if found
    ]
    if not told:
        return f"{pair.title}: too few figures known of both."
    return f"Beside the {short(pair.one.name)}, the {short(pair.two.name)} has {', '.join(told)}."


def meanings(pair: Pair) -> list[tuple[str, str]]:
    """What the difference means for each kind of work; nothing where a figure is missing."""
    found = (("Inference, one user", _inference(pair)), ("Fine-tuning", _tuning(pair)), ("Training", _training(pair)))
    return [(work, said) for work, said in found if said]


def lines(pair: Pair) -> list[Line]:
    """Figures side by side: of one kind only."""
    one, two = facts(pair.one), facts(pair.two)
    made = [_line(name, one.get(name), two.get(name), pair) for name in ROWS if name in one or name in two]
    rates = [metrics.sixteen_bit(gpu) for gpu in (pair.one, pair.two)]
    if all(rates):
        keys = [rate.key.field for rate in rates if rate]
        made.insert(2, _line("16-bit peak, dense", one.get(keys[0]), two.get(keys[1]), pair))
    return made


def _page(pair: Pair, dataset: Dataset) -> Page:
    newest = dataset.newest_reading
    context = {
        "pair": pair,
        "answer": answer(pair),
        "meanings": meanings(pair),
        "lines": lines(pair),
        "buy": [metrics.price_to_buy(gpu, newest) for gpu in (pair.one, pair.two)],
        "rent": [metrics.rent(gpu, newest) for gpu in (pair.one, pair.two)],
        "others": [other for other in pairs(dataset) if other != pair and _related(pair, other)],
        "addresses": addresses,
    }
    return Page(pair.address, "pair.html.j2", context, f"{pair.title} for deep learning",
                f"{pair.title} for training, fine-tuning and inference. {answer(pair)}", "pipeline/pages/pairs.py",
                hide=("navigation", "toc"))  # fmt: skip


def _line(name: str, one: Fact | None, two: Fact | None, pair: Pair) -> Line:
    label = next((fact.label for fact in (one, two) if fact), name)
    better, lead = None, ""
    if one and two and name not in NO_BETTER:
        a, b = (
            float(gpu.claims[fact.field][0]["value"])
            for gpu, fact in zip((pair.one, pair.two), (one, two), strict=True)
        )
        lead = _lead(max(a, b) / min(a, b))
        lower = name in LOWER_IS_BETTER
        better = None if a == b else int((b < a) if lower else (b > a))
    return Line(label if name != "16-bit peak, dense" else name, (one, two), better, lead)


def _lead(times: float) -> str:
    return f"{number(100 * (times - 1), 1)} %" if times < EVEN else ratio(times)


def _memory(gpu: GpuRecord) -> float | None:
    return gpu.number("memory_gb")


def _bandwidth(gpu: GpuRecord) -> float | None:
    return gpu.number("memory_bandwidth_gb_s")


def _power(gpu: GpuRecord) -> float | None:
    return gpu.number("board_power_w")


def _peak(gpu: GpuRecord) -> float | None:
    rate = metrics.sixteen_bit(gpu)
    return rate.tflops if rate else None


def _quotient(pair: Pair, read: Callable[[GpuRecord], float | None]) -> float | None:
    return metrics.quotient(read(pair.two), read(pair.one))


def _times(value: float, what: str) -> str:
    return f"the same {what}" if ratio(value) == ratio(1) else f"{ratio(value)} the {what}"


def _inference(pair: Pair) -> str:
    """One user's answer is written at the speed of memory, as long as the model fits."""
    speed, room = _quotient(pair, _bandwidth), _quotient(pair, _memory)
    if not speed or not room:
        return ""
    faster = _faster(pair, speed)
    size = (
        "Both hold models of the same size."
        if room == 1
        else f"The {_winner(pair, room)} holds models {ratio(max(room, 1 / room))} as large."
    )
    return f"Bandwidth decides how fast an answer is written: {faster}. {size}"


def _tuning(pair: Pair) -> str:
    """Memory decides what can be tuned at all."""
    weights = [metrics.weights_that_fit(gpu).get("4 bit") for gpu in (pair.one, pair.two)]
    if not all(weights):
        return ""
    told = [f"{quantity(gpu.number('memory_gb'), 'GB')} on the {short(gpu.name)}" for gpu in (pair.one, pair.two)]
    return f"Memory decides what can be tuned at all: {' against '.join(told)}, for weights, adapters and activations."


def _training(pair: Pair) -> str:
    """Large batches use the matrix units."""
    peak = _quotient(pair, _peak)
    if not peak:
        return ""
    return f"Large batches keep the matrix units busy, and there by its peak {_faster(pair, peak)}."


def _faster(pair: Pair, value: float) -> str:
    if max(value, 1 / value) < CLOSE:
        return "the two are even"
    return f"the {_winner(pair, value)} is up to {ratio(max(value, 1 / value))} as fast"


def _winner(pair: Pair, value: float) -> str:
    return short((pair.two if value > 1 else pair.one).name)


def _related(pair: Pair, other: Pair) -> bool:
    return bool({pair.one.id, pair.two.id} & {other.one.id, other.two.id})


def missing(dataset: Dataset) -> Sequence[str]:
    """Ids of the list that the dataset does not hold: a test keeps it empty."""
    return [id for pair in PAIRS for id in pair if id not in dataset.gpus]
