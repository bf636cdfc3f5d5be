"""Results of sources held against theory: what no card can do is refused, and says why in its flag.

A result is refused when the weights alone do not fit into the memory of the cards, when reading them once a token
takes more bandwidth than the memory has, or when the arithmetic of its tokens or images takes more than the peak.
A format of a closed round that cannot be in many of its rows is doubted in all of them.
Writing that is far slower than on lesser cards of the same experiment was held back by something other than the card,
and is flagged too. Such results stay in `benchmarks.csv` with their flag; whoever draws, compares or fits reads results
without a flag only.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from statistics import median

from pipeline.core.measured.plausible import SETTINGS
from pipeline.core.networks import plain
from pipeline.core.schema import PeakKey, Result, parse_peak
from pipeline.core.theory import Theory
from pipeline.record.chips import figure
from pipeline.record.reconcile import Decision, Records

REFUSED = "refused by theory"
DOUBTED = "format doubted by theory"
ON_HOST = ("llama.cpp", "Ollama", "MLX")  # engines that leave to the processor what the card cannot hold
HOST = "part of the weights in the host's memory"
HELD_BACK = "held back by something other than its bandwidth"
FLAGS = (REFUSED, DOUBTED, SETTINGS, HOST, HELD_BACK)  # how the flag of a judged result begins
# Cards run above the clock that their peak is stated for; sheets round the bandwidth.
CLOCK_MARGIN, BANDWIDTH_MARGIN = 1.15, 1.02
# Writing is bound by the memory's bandwidth: at least so many cards with less of it, and a share of their median speed.
LESSER_CARDS, HELD_BACK_SHARE = 5, 0.7
# One submitter's slip says nothing of the others; where the format cannot be in a quarter of a round's rows, it is the
# word that is wrong.
DOUBTED_SHARE = 0.25
GIB = 2**30
# Bytes of a weight at least: packed formats keep scales besides, which only makes it more.
WEIGHT_BYTES: Mapping[str, float] = {"fp64": 8, "fp32": 4, "tf32": 4, "bf16": 2, "fp16": 2, "fp8": 1, "int8": 1}
SMALLEST = 0.5  # of a format that is not stated, or that mixes several: four bits, the narrowest that is run
PACKED = re.compile(r"int([1-8])")
# The peaks that a run in a format may use: its own, and those of narrower formats that kernels fall back from never.
SAME_RATE: Mapping[str, tuple[str, ...]] = {
    "fp32": ("fp32", "tf32"),
    "tf32": ("tf32",),
    "bf16": ("bf16", "fp16"),
    "fp16": ("fp16", "bf16"),
}
WIDE, NARROW = ("fp32", "tf32", "bf16", "fp16"), ("fp4", "int4", "fp6")
# Parameters in billions, as the network's own name says them: all, and those that a token passes through ("30B A3B").
EXPERTS = re.compile(r"(\d+(?:\.\d+)?)b[ _-]a(\d+(?:\.\d+)?)b", re.IGNORECASE)
SIZE = re.compile(r"(?<![0-9])(\d+(?:[._]\d+)?)b(?![a-z])", re.IGNORECASE)
# Families in which a token passes through every parameter; in others it may meet a few experts only, and the size in
# the name says nothing of the work.
DENSE = re.compile(
    r"llama(?!\.cpp|[ _-]?v?4)|qwen[ _-]?2|qwen[ _-]?3[ _:-](?:\d+\.)?\d+b(?![ _-]a)|"
    r"qwen[ _-]?3\.5[ _:-]\d(?:\.\d)?b(?![ _-]a)|"  # up to 9 billion; the larger ones of that family have experts too
    r"mistral[ _:-]7b|gemma[ _-]?[23][ _:-]\d|phi[ _-]|falcon|flan|distill-qwen",
    re.IGNORECASE,
)
# MLPerf counts these in samples; its accuracy rule asks at least 90 % of 294.45 tokens of each (inference policy).
TOKENS_A_SAMPLE: Mapping[str, float] = {"llama2-70b": 265.0}
ONE_TOKEN = ("generation_speed",)  # every step reads all weights once; one sequence unless the batch says more
STREAMED = ("output_throughput", "output_throughput_per_gpu")  # the same, where the batch says how many sequences
# "16", "16 streams, 128 in", "batch 16"; what else stands there says nothing of it.
SEQUENCES = re.compile(
    r"(?:^|batch(?: size)?|bs|concurrency)[ =:]*(\d+)(?:$|,)|"
    r"(\d+) (?:parallel |concurrent )?(?:streams?|sequences?|users?|clients?|requests?|prompts?)\b",
    re.ASCII | re.IGNORECASE,
)
TOKENS = ("output_throughput", "offline_throughput", "server_throughput", "interactive_throughput", "prompt_speed")
EACH = {"output_throughput_per_gpu", "training_throughput_per_gpu", "model_rate_per_gpu"}  # already by card
OPS_INFERENCE, OPS_TRAINING, OPS_ADAPTER = 2, 6, 4  # a parameter and token: forward, with backward, with frozen weights
# A multiply-add is two operations; a step of training does twice the forward work again backward.
OPS_IMAGE, OPS_IMAGE_TRAINED = 2, 6
# The fewest multiplications that a library spends: 36 in place of 144 on tiles of 4 × 4 outputs of a 3 × 3 filter.
FAST_CONVOLUTION = 4
# The multiply-adds of an image are counted at this side in pixels; they grow with the area.
SIDE = 224
# Where a library appends the weights to a name, or a person the version: "resnet50.a1_in1k", "ResNet-50 v1.5".
NAME_END = re.compile(r"[\s,.(]")
PIXELS = re.compile(r"(?<![\d.])(\d{1,5}) ?[x×] ?(\d{1,5})(?![\d.])", re.ASCII)
RATES = ("tflops", "model_rate_per_gpu", "matmul_rate", "matmul_rate_best", "matmul_rate_sustained")


Worked = Mapping[str, Mapping[PeakKey, Theory]]  # by GPU
NO_IMAGES: Mapping[str, float] = {}


@dataclass(frozen=True, slots=True)
class CardTheory:
    """What theory knows of one card."""

    memory_gb: float | None
    bandwidth_gb_s: float | None
    dense: Mapping[str, float]  # by input, over accumulators and engines the highest, stated or by theory
    sparse: Mapping[str, float]
    whole: bool  # whether the peaks of its matrix units are among them


Rule = Callable[[Result, CardTheory], str]  # the reason against a result, or nothing


def judged(
    results: Iterable[Result], records: Records, worked: Worked, images: Mapping[str, float] = NO_IMAGES
) -> Iterator[Result]:
    """Flag the results that theory refuses; those that have a flag keep it.

    `images` holds the billions of multiply-adds that an image takes, by network: see `networks.multiply_adds`.
    """
    cards = {gpu: _card(record, worked.get(gpu, {})) for gpu, record in records.items()}
    able = []
    for result in results:
        reason = "" if result.flag or result.value is None else _reason(result, cards.get(result.gpu), images)
        able.append(replace(result, flag=reason) if reason else result)
    able = list(_doubted_alike(able))
    slow = dict(_held_back(able, cards))
    yield from (replace(one, flag=slow[place]) if place in slow else one for place, one in enumerate(able))


def _doubted_alike(results: Sequence[Result]) -> Iterator[Result]:
    """The rules of a round fix the network: a format that cannot be on many of its cards is doubted on the others."""
    runs: dict[tuple[str, ...], list[Result]] = defaultdict(list)
    for one in results:
        if one.division == "closed":
            runs[_run(one)].append(one)
    doubted = {}
    for run, rows in runs.items():
        proved = [one for one in rows if one.flag.startswith(DOUBTED)]
        if proved and len(proved) >= DOUBTED_SHARE * len(rows):
            doubted[run] = proved[0].gpu
    for one in results:
        other = "" if one.flag or one.value is None or one.division != "closed" else doubted.get(_run(one), "")
        yield replace(one, flag=f"{DOUBTED}: in the same round the weights do not fit on {other}") if other else one


def _run(result: Result) -> tuple[str, ...]:
    return result.source, result.set, result.model, result.precision


def _held_back(results: Sequence[Result], cards: Mapping[str, CardTheory]) -> Iterator[tuple[int, str]]:
    """Place and flag of each result that writes far slower than cards with less bandwidth in its experiment."""
    groups: dict[tuple[object, ...], list[tuple[int, float, float]]] = defaultdict(list)
    for place, one in enumerate(results):
        rate = cards[one.gpu].bandwidth_gb_s if one.gpu in cards else None
        if one.metric in ONE_TOKEN and one.gpu_count == 1 and rate and one.value and not one.flag:
            groups[one.set, one.source, one.model, one.format, one.batch, one.engine].append((place, rate, one.value))
    for group in groups.values():
        for place, rate, speed in group:
            lesser = {results[other].gpu: value for other, less, value in group if less < rate}
            if len(lesser) >= LESSER_CARDS and speed < HELD_BACK_SHARE * (usual := median(lesser.values())):
                yield (
                    place,
                    f"{HELD_BACK}: {len(lesser)} cards with less bandwidth write {usual:.3g} tokens/s in the middle",
                )


def refused(
    results: Iterable[Result], records: Records, worked: Worked, images: Mapping[str, float] = NO_IMAGES
) -> Iterator[tuple[Result, str]]:
    """The results without a flag that no card can have reached, each with the reason."""
    cards = {gpu: _card(record, worked.get(gpu, {})) for gpu, record in records.items()}
    for result in results:
        reason = "" if result.flag or result.value is None else _reason(result, cards.get(result.gpu), images)
        if reason.startswith((REFUSED, DOUBTED)):
            yield result, reason


def _reason(result: Result, card: CardTheory | None, images: Mapping[str, float]) -> str:
    rules: tuple[Rule, ...] = (*RULES, partial(_images_fit, images=images))
    return next((reason for rule in rules if card and (reason := rule(result, card))), "")


def _weights_fit(result: Result, card: CardTheory) -> str:
    parameters, _ = _parameters(result.model)
    if not parameters or not card.memory_gb or result.workload != "inference":
        return ""
    needed, held = parameters * 1e9 * _bytes(result), result.gpu_count * card.memory_gb * GIB
    if needed <= held:
        return ""
    weights = f"the weights alone take {needed / 1e9:.3g} GB in {result.precision}, the memory holds {held / 1e9:.3g}"
    if result.engine in ON_HOST:
        return f"{HOST}: {weights}"
    # The rules of the closed division fix the network, so it is the stated format that cannot be.
    return f"{DOUBTED if result.division == 'closed' else REFUSED}: {weights}"


def _reads_fit(result: Result, card: CardTheory) -> str:
    _, active = _parameters(result.model)
    sequences = _sequences(result)
    if not sequences or not active or not card.bandwidth_gb_s or result.value is None:
        return ""
    cards = result.gpu_count if result.metric in EACH else 1
    needed = result.value * cards / sequences * active * _bytes(result)
    held = card.bandwidth_gb_s * result.gpu_count * BANDWIDTH_MARGIN
    return f"{REFUSED}: reads {needed:.3g} GB/s, the memory gives {held:.3g}" if needed > held else ""


def _sequences(result: Result) -> int | None:
    """How many sequences a run wrote at once at most; None where it wrote none or does not tell."""
    told = SEQUENCES.search(result.batch)
    if result.metric in ONE_TOKEN or (result.metric in STREAMED and told):
        return max(int(told[1] or told[2]), 1) if told else 1
    return None


def _work_fits(result: Result, card: CardTheory) -> str:
    needed, held = _tflops(result), _peak(result, card)
    if not needed or not held or needed <= held * CLOCK_MARGIN:
        return ""
    return f"{REFUSED}: takes {needed:.3g} TFLOPS a card, the peak is {held:.3g}"


def _stream_fits(result: Result, card: CardTheory) -> str:
    if not result.metric.startswith("stream_") or not card.bandwidth_gb_s or result.value is None:
        return ""
    if result.value <= card.bandwidth_gb_s * BANDWIDTH_MARGIN:
        return ""
    return f"{REFUSED}: {result.value:.4g} GB/s, the memory gives {card.bandwidth_gb_s:.4g}"


def _images_fit(result: Result, card: CardTheory, *, images: Mapping[str, float]) -> str:
    """Images a second against the peak; an image of another size than the usual one is taken from the batch."""
    gmacs, held = images.get(plain(NAME_END.split(result.model.strip(), maxsplit=1)[0])), _peak(result, card)
    if result.unit != "images/s" or not gmacs or not held or result.value is None:
        return ""
    told = PIXELS.search(result.batch)
    width, height = (int(told[1]), int(told[2])) if told else (SIDE, SIDE)
    operations = OPS_IMAGE_TRAINED if result.workload == "training" else OPS_IMAGE
    cards = 1 if result.metric in EACH else result.gpu_count
    needed = result.value * gmacs * operations / 1e3 / FAST_CONVOLUTION * width * height / SIDE**2 / cards
    if needed <= held * CLOCK_MARGIN:
        return ""
    return f"{REFUSED}: takes {needed:.3g} TFLOPS a card at {width} × {height} pixels, the peak is {held:.3g}"


RULES: tuple[Rule, ...] = (_weights_fit, _reads_fit, _work_fits, _stream_fits)


def _tflops(result: Result) -> float | None:
    """The arithmetic a card does at least in a second, in TFLOPS; None where the result does not tell."""
    if result.value is None:
        return None
    if result.metric in RATES:
        return result.value
    _, active = _parameters(result.model)
    tokens = _tokens(result)
    if not active or not tokens:
        return None
    training = result.workload == "training"
    adapter = training and "lora" in result.model.lower()
    operations = OPS_ADAPTER if adapter else OPS_TRAINING if training else OPS_INFERENCE
    cards = 1 if result.metric in EACH else result.gpu_count
    return tokens * active * 1e9 * operations / cards / 1e12


def _tokens(result: Result) -> float | None:
    """Tokens a second; None for another unit of work."""
    if result.value is None or result.metric not in (*TOKENS, *EACH):
        return None
    if result.unit.startswith("tokens/s"):
        return result.value
    asked = result.entered_as or result.model
    a_sample = next((tokens for name, tokens in TOKENS_A_SAMPLE.items() if asked.startswith(name)), None)
    return result.value * a_sample if a_sample and result.unit in ("samples/s", "queries/s") else None


def _peak(result: Result, card: CardTheory) -> float | None:
    peaks = card.sparse if result.sparsity == "sparse" and card.sparse else card.dense
    own = [peaks[name] for name in SAME_RATE.get(result.precision, (result.precision,)) if name in peaks]
    if result.metric in RATES and own:
        return max(own)
    if not card.whole:
        return None
    # What a source calls the format of a run is often that of its weights, and the arithmetic may be narrower: down to
    # eight bits where the weights have sixteen or more. Eight bits run at half the rate of fewer at most.
    wide = result.precision in WIDE and not result.quantisation
    return max((rate / 2 if wide and name in NARROW else rate for name, rate in peaks.items()), default=None)


def _bytes(result: Result) -> float:
    packed = PACKED.fullmatch(result.precision)
    if packed:
        return int(packed[1]) / 8
    return 0.5 if result.precision == "fp4" else WEIGHT_BYTES.get(result.precision, SMALLEST)


def _parameters(model: str) -> tuple[float | None, float | None]:
    """Parameters in billions by the name of a network: all, and those of one token; None where it says nothing."""
    experts = EXPERTS.search(model)
    if experts:
        return float(experts[1]), float(experts[2])
    found = SIZE.search(model)
    total = float(found[1].replace("_", ".")) if found else None
    return total, total if DENSE.search(model) else None


def _card(record: Mapping[str, Decision], worked: Mapping[PeakKey, Theory]) -> CardTheory:
    rates = {parse_peak(name): float(d.chosen.value) for name, d in record.items() if name.startswith("peak:")}
    peaks: dict[str, dict[str, float]] = {"dense": {}, "sparse": {}}
    for key, rate in ({key: theory.tflops for key, theory in worked.items()} | rates).items():
        own = peaks[key.sparsity]
        own[key.input] = max(own.get(key.input, 0.0), rate)
    for input, rate in peaks["sparse"].items():  # where only the sparse rate is stated, the dense one is half of it
        peaks["dense"][input] = max(peaks["dense"].get(input, 0.0), rate / 2)
    whole = "tensor_cores" not in record or any(key.engine == "tensor" for key in (*rates, *worked))
    return CardTheory(
        figure(record, "memory_gb"), figure(record, "memory_bandwidth_gb_s"), peaks["dense"], peaks["sparse"], whole
    )
