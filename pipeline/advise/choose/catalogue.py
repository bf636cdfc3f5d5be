"""What choosing needs of a dataset, prepared once: cards, prices, machines around them, measured points, speeds.

`shelf` prepares it; `Shelf.ability` says what a configuration does with a workload and remembers it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import median
from typing import Any

from pipeline.advise import rules
from pipeline.advise.choose import cnn, hosts, market, resale, support
from pipeline.advise.choose.need import CONSTANTS, MEASURED, RULES, TRAINING, Need
from pipeline.advise.estimate import (
    Card,
    EstimateError,
    Interval,
    Model,
    Request,
    coefficients,
    estimate,
    inputs,
    models,
    training,
)
from pipeline.advise.estimate.coefficients import Coefficients
from pipeline.advise.estimate.core import host_share, usable_gib
from pipeline.advise.estimate.engines import find
from pipeline.advise.estimate.memory import required
from pipeline.advise.estimate.points import Point, Tuned
from pipeline.advise.estimate.shapes import format_of, shape_of
from pipeline.advise.estimate.speed import PCIE_GB_S
from pipeline.advise.estimate.tensors import parameters
from pipeline.advise.estimate.types import GIB, Memory
from pipeline.advise.estimate.weights import canonical_quant
from pipeline.core.currencies import Currency
from pipeline.core.once import once
from pipeline.dataset import Dataset, GpuRecord
from pipeline.derive.prices.quote import quotes
from pipeline.derive.prices.rules import DEFAULT_MARKET, MARKETS

COUNTS: tuple[int, ...] = tuple(rules.room("choose")["counts"])
HOUR = 3600
SLOWEST_LINK = PCIE_GB_S["3"]  # of modules whose link no source states
# Where the need of memory is not counted: the smallest measured card held the work, so nine tenths of it are enough.
PROVEN = 0.9
# What training moves between GPUs for each micro step: with everything shared out (ZeRO stage 3) the 16-bit weights are
# gathered twice and the gradients summed once (ZeRO, arXiv 1910.02054, section 7.2.2). Waiting is counted whole: what
# a framework hides behind arithmetic would only make it faster.
SHARED_OUT_TIMES = 3
# A card whose 16-bit matrix rate no source states has that of its kin (same maker, architecture and segment) in
# relation to the FP32 rate, where all kin agree within this.
KIN_AGREE = 0.05
MATRIX, VECTOR = "peak:fp16:fp32:dense:tensor", "peak:fp32:fp32:dense:vector"
# Whoever trains every weight keeps the activations where they leave the headroom of the standard, and works them out
# anew where they do not; tools that train adapters work them out anew as they come.
KEEP = ("train", "full")
# The formula of that headroom, asked of the rules: the browser has it under its text.
HEADROOM = next(row["holds"] for row in RULES["standard"] if row["name"] == "headroom")
LONG_CONTEXT = 16_384  # tokens from which the wait for a long prompt is worked out too
PCIE_CARD = "PCIe card"
NOT_SLOW: Mapping[str, None] = {"experts_share": None, "experts_on": None}
NO_SERVING = "none of these runs used {vendor} cards"


@dataclass(frozen=True, slots=True)
class Ability:
    """What a configuration does with a workload: memory, speed of the whole configuration, and on what that rests."""

    needed_gib: float
    usable_gib: float | None
    rate: Interval | None  # tokens or images a second
    measured: bool
    statement: str
    problem: str = ""  # why there is no speed
    indivisible_gib: float = 0.0  # a layer lies on one GPU: where layers are shared out, room for one must be left
    first_s: float | None = None  # until the first token, in a service and where somebody asks for it
    read_s: float | None = None  # to read a prompt that fills most of a long context

    @property
    def room_gib(self) -> float | None:
        """Memory that is left (negative: missing)."""
        return None if self.usable_gib is None else self.usable_gib - self.needed_gib


def fits(ability: Ability) -> bool:
    """Whether the memory is known and enough."""
    return (ability.room_gib if ability.room_gib is not None else -1.0) >= 0


@dataclass
class Shelf:
    """Everything prepared once for one dataset; abilities are worked out once for each workload."""

    dataset: Dataset
    registry: models.Registry
    coefficients: Coefficients
    cards: Mapping[str, Card]
    points: Mapping[str, tuple[Point, ...]]  # by GPU
    steps: Mapping[str, tuple[Tuned, ...]]  # of training, by GPU
    same_chip: Mapping[str, Sequence[str]]  # by GPU the others with its chip that have such steps
    shares: tuple[training.KeptShare, ...]
    images: cnn.RateTable
    rents: Mapping[str, market.RankedQuote]  # what stands for a card on its page
    lets: Mapping[str, Mapping[str, Sequence[market.RankedQuote]]]  # what an answer ranks, by how it is rented
    markets: Mapping[
        str, Mapping[str, Mapping[str, market.RankedQuote]]
    ]  # to buy, by market and what is said of used cards
    measured: Mapping[str, cnn.RateTable] = field(default_factory=dict)  # tasks whose speed was measured as such
    facts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # of each card, as the rules ask for them
    supports: Mapping[str, Mapping[str, support.Support]] = field(default_factory=dict)  # by card and task
    headroom: rules.Value = field(default_factory=lambda: rules.formula(HEADROOM))
    kept: resale.Kept = resale.UNKNOWN
    serving_vendors: frozenset[str] = frozenset()  # on whose cards serving was measured
    _abilities: dict[tuple[object, ...], Ability] = field(default_factory=dict)
    _others: dict[str, Shelf] = field(default_factory=dict)  # the same with prices in another currency

    @property
    def buys(self) -> Mapping[str, Mapping[str, market.RankedQuote]]:
        """Prices to buy in the United States, by what is said of used cards."""
        return self.markets[DEFAULT_MARKET]

    def rented(self, how: str) -> Mapping[str, Sequence[market.RankedQuote]]:
        """Prices to rent on demand, from clouds alone, as spot or reserved; of a card by the size of the machine."""
        return self.lets[how]

    def priced_in(self, currency: Currency) -> Shelf:
        """The same with every price in units of a currency."""
        if currency.usd == 1.0:
            return self
        if currency.code not in self._others:
            markets = {
                where: {used: _priced_in(currency, quotes) for used, quotes in known.items()}
                for where, known in self.markets.items()
            }
            lets = {
                how: {gpu: [_in(currency, one) for one in offers] for gpu, offers in known.items()}
                for how, known in self.lets.items()
            }
            rents = _priced_in(currency, self.rents)
            self._others[currency.code] = replace(self, markets=markets, rents=rents, lets=lets, _others={})
        return self._others[currency.code]

    def splits(self, model: str) -> tuple[int, ...]:
        """The numbers of GPUs over which tensor parallelism shares a model out: those that divide its heads."""
        known = self.registry.models.get(model)
        heads = known.attention_heads if known else None
        return tuple(count for count in COUNTS if heads is None or heads % count == 0)

    def ability(self, gpu: str, count: int, need: Need, near: float | None = None) -> Ability:
        """Memory and speed of `count` of this GPU for the workload of a checked need; `near` as in `ability_of`."""
        waits = need.first_token_s is not None
        work = (need.task, need.model, need.quant, need.context, need.batch, need.kv_bits, need.optimizer, need.engine)
        key = (gpu, count, near, *work, waits, need.answer_tokens if need.requests_per_s is not None else None)
        found = self._abilities.get(key)
        if found is None:
            if len(self._abilities) > 50_000:
                self._abilities.clear()
            found = self._abilities[key] = ability_of(self, self.card(gpu), count, need, near)
        return found

    def card(self, gpu: str) -> Card:
        """The estimator's card; of a chip that is sold as a whole machine, the configuration that has a price."""
        card, machine = self.cards[gpu], hosts.machines().get(gpu)
        if machine is None:
            return card
        bandwidth = machine.memory_bandwidth_gb_s
        if bandwidth is None:
            return replace(card, memory_gb=machine.memory_gb)
        # Another bandwidth is another chip: what was measured on the larger one does not hold.
        return replace(
            card, id=f"{gpu}, {machine.product}", memory_gb=machine.memory_gb, memory_bandwidth_gb_s=bandwidth
        )


def _priced_in(currency: Currency, quotes: Mapping[str, market.RankedQuote]) -> dict[str, market.RankedQuote]:
    return {gpu: _in(currency, quote) for gpu, quote in quotes.items()}


def _in(currency: Currency, quote: market.RankedQuote) -> market.RankedQuote:
    lowest = None if quote.lowest_usd is None else quote.lowest_usd / currency.usd
    return replace(quote, usd=quote.usd / currency.usd, lowest_usd=lowest)


def watts(gpu: GpuRecord) -> float | None:
    """Power of one GPU at work: the board's limit, an upper bound (no source measures single boards yet)."""
    return gpu.board_power_w


def load_w(gpu: GpuRecord, gpus: Iterable[GpuRecord]) -> float | None:
    """Watts that its electricity is counted with: its own power, else that of the next chip of its maker and form.

    The next one has at least its memory bandwidth; where none has, the hungriest counts. Unknown is never nothing.
    """
    own, rate = watts(gpu), gpu.memory_bandwidth_gb_s
    kin = [other for other in gpus if (other.vendor, other.form_factor) == (gpu.vendor, gpu.form_factor)]
    known = [(other.memory_bandwidth_gb_s or 0.0, power) for other in kin if (power := watts(other)) is not None]
    if own is not None or not known:
        return own
    larger = [(reach, -power) for reach, power in known if rate is not None and reach >= rate]
    return -min(larger)[1] if larger else max(power for _, power in known)


@once
def shelf(dataset: Dataset) -> Shelf:
    """What the chooser knows of a dataset, prepared once."""
    registry, book = models.load(), quotes(dataset)
    cards = with_matrix_rates(inputs.cards(dataset))
    points: dict[str, list[Point]] = {}
    steps: dict[str, list[Tuned]] = {}
    known = inputs.points(dataset, registry)
    for point in known.measured:
        points.setdefault(point.card.id, []).append(point)
    for step in known.steps:
        steps.setdefault(step.card.id, []).append(step)
    gpus = dataset.gpus.values()
    buys: dict[str, dict[str, dict[str, market.RankedQuote]]] = {
        where: {
            used: {gpu.id: quote for gpu in gpus if (quote := market.to_buy(book, gpu, used, where)) is not None}
            for used in ("allowed", "only", "no")
        }
        for where in MARKETS
    }
    kept = resale.kept(dataset)
    ages = {gpu.id: resale.age_of(gpu, dataset.newest_reading) for gpu in gpus}
    buys = {where: market.with_first_drop(found, kept.first, ages) for where, found in buys.items()}
    standing = ((gpu, book.to_rent(gpu.id)) for gpu in gpus)
    rents = {gpu.id: market.let(quote, gpu, book.newest) for gpu, quote in standing if quote.value is not None}
    lets = {
        how: {gpu.id: offers for gpu in gpus if (offers := market.to_rent(book, gpu, how))} for how in market.RENTED
    }
    shares = tuple(training.all_shares(dataset, cards, registry))
    by_gpu = {gpu: tuple(found) for gpu, found in points.items()}
    vendors = frozenset(one.card.vendor for one in known.serving)
    trained = support.trained_on(dataset)
    seen = known_to(dataset)
    fitted = coefficients.load()
    apart = fitted.spread("repeated")
    slow = slow_with_experts(known.measured, fitted)
    measured = {task: cnn.table(dataset, cards, apart, work) for task, work in MEASURED.items()}
    return Shelf(
        dataset,
        registry,
        fitted,
        cards,
        by_gpu,
        {gpu: tuple(found) for gpu, found in steps.items()},
        training.same_chip(dataset, steps),
        shares,
        measured["cnn"],
        rents,
        lets,
        buys,
        measured,
        {
            gpu.id: {
                **card_facts(gpu),
                "load_w": load_w(gpu, gpus),
                "known": seen[gpu.id],
                **slow.get(training.family(cards[gpu.id]), NOT_SLOW),
            }
            for gpu in gpus
        },
        {gpu.id: support.by_task(gpu, cards[gpu.id], trained) for gpu in gpus},
        kept=kept,
        serving_vendors=vendors,
    )


def slow_with_experts(points: Iterable[Point], fitted: Coefficients) -> dict[str, dict[str, Any]]:
    """The chips whose measured runs of mixtures of experts lie below the interval of the estimate, with their share.

    Such runs are rare, and one estimate stands for all makers: where the median run of an architecture says that it is
    too high, no card of that architecture is recommended on the word of it.
    """
    found: dict[str, list[tuple[float, bool, str]]] = {}
    for point in points:
        asked, longest = point.request, point.model.context or math.inf
        told_of = point.model.experts and asked.batch == 1 and asked.engine.startswith("llama.cpp")
        if told_of and asked.context <= longest:
            got = estimate(point.card, point.model, asked, fitted, reading=False).decode_tokens_per_s
            if got is not None:
                told = (point.value / got.median, point.value < got.p10, point.card.name)
                found.setdefault(training.family(point.card), []).append(told)
    middle = {chips: sorted(runs)[(len(runs) - 1) // 2] for chips, runs in found.items()}
    return {chips: {"experts_share": share, "experts_on": name} for chips, (share, low, name) in middle.items() if low}


def known_to(dataset: Dataset) -> dict[str, int]:
    """By how many a GPU was measured or sold: the more, the likelier a reader asks why it is not among the choices."""
    names = {gpu.id: {price.provider for price in gpu.prices} for gpu in dataset.gpus.values()}
    for row in dataset.benchmarks:
        if row.gpu in names:
            names[row.gpu].add(row.source)
    return {gpu: len(who) for gpu, who in names.items()}


def card_facts(gpu: GpuRecord) -> dict[str, Any]:
    """A card as formulas of the rules ask for it."""
    power, width = watts(gpu), gpu.slot_width
    wide = rules.room("choose")["constants"]["wide_w"]["is"]
    machine = hosts.machines().get(gpu.id)
    passive = gpu.cooling == "passive" or (gpu.segment == "datacenter" and not gpu.cooling)
    memory_gb = machine.memory_gb if machine else gpu.memory_gb
    # A chip is sold with several memories: what it is called says which one is meant.
    several = gpu.form_factor == "SoC" and memory_gb is not None and "GB" not in gpu.name
    return {
        "id": gpu.id,
        "name": gpu.name,
        "label": f"{gpu.name}, {memory_gb:g} GB" if several else gpu.name,
        "vendor": gpu.vendor,
        "segment": gpu.segment,
        "form": gpu.form_factor,
        "status": gpu.status,
        "memory_gb": memory_gb,
        "power_w": power,
        "slots": width or (3.0 if (power or 0.0) > wide else 2.0),
        "length_mm": gpu.length_mm,
        "passive": passive,
        "bf16": gpu.architecture not in support.NO_BF16,
        "psu_w": gpu.recommended_psu_w,
        "ended": support.ended(gpu),
        "bridge": bool(gpu.link_gb_s) and gpu.form_factor == PCIE_CARD,
        "linked": bool(gpu.link_gb_s) and gpu.form_factor != PCIE_CARD,
    }


def with_matrix_rates(cards: Mapping[str, Card]) -> dict[str, Card]:
    """Give each card without a stated 16-bit matrix rate that of its sister with another memory, else of its kin."""
    ratios: dict[tuple[str, ...], list[float]] = {}
    for card in cards.values():
        rate, vector = _matrix(card), card.peaks.get(VECTOR)
        if rate is not None and vector:
            for group in (_sisters(card), _kin(card)):
                ratios.setdefault(group, []).append(rate / vector)
    sure = {kin: median(found) for kin, found in ratios.items() if max(found) <= min(found) * (1 + KIN_AGREE)}
    return {name: _completed(card, sure.get(_sisters(card)) or sure.get(_kin(card))) for name, card in cards.items()}


def _kin(card: Card) -> tuple[str, ...]:
    """Maker, architecture and segment."""
    # Cards of the GTX 16 line, and the T1000, are of Turing, without its matrix units.
    without = "GTX" in card.name or re.match(r"NVIDIA T\d{3,4}\b", card.name)
    return card.vendor, card.architecture, "no matrix units" if without else card.segment


def _sisters(card: Card) -> tuple[str, ...]:
    """Maker, architecture and name without the memory."""
    return card.vendor, card.architecture, "named", re.sub(r" \d+GB$", "", card.name)


def _matrix(card: Card) -> float | None:
    known = ((f, share) for f, share in training.PEAKS if f.endswith("tensor"))
    return next((card.peaks[f] * share for f, share in known if f in card.peaks), None)


def _completed(card: Card, ratio: float | None) -> Card:
    vector = card.peaks.get(VECTOR)
    if ratio is None or not vector or _matrix(card) is not None:
        return card
    return replace(card, peaks={**card.peaks, MATRIX: ratio * vector})


def ability_of(on: Shelf, card: Card, count: int, need: Need, near: float | None = None) -> Ability:
    """Memory and speed of `count` of a card for a checked need's workload; the sentence where nothing can be said.

    With `near` no speed is worked out where the memory is short by more than that share of it.
    """
    if need.task in MEASURED:
        return measured_ability(on, card, count, need.task)
    model = on.registry.models[need.model]
    card = unbridged(card)
    try:
        if need.task in TRAINING:
            return _training(on, card, count, model, need, near)
        return _answering(on, card, count, model, need, near)
    except EstimateError as error:
        return Ability(0.0, None, None, False, "", str(error))


def unbridged(card: Card) -> Card:
    """A card as it is sold and let, without the bridge that could join two of them.

    A price must hold what its speed needs: a bridge is sold apart, no source here states what one costs but for two
    RTX 3090, and no offer to rent says whether one is there. What it would add is told beside the price.
    """
    return replace(card, link_gb_s=None) if card.form_factor == PCIE_CARD and card.link_gb_s else card


def _answering(on: Shelf, card: Card, count: int, model: Model, need: Need, near: float | None) -> Ability:
    context, engine = need.context or need.rule["context"], need.engine or str(need.rule["engine"])
    prompt = min(512, max(1, context // 2))
    if need.requests_per_s is not None:  # the answers' length is known
        context = min(context, prompt + need.answer_tokens)
    request = Request(
        need.quant or "f16", engine, context, need.batch, count, kv_bits=need.kv_bits, prompt_tokens=prompt
    )
    reading = need.first_token_s is not None or need.task == "serve"
    got = estimate(card, model, request, on.coefficients, on.points.get(card.id, ()), reading=reading, near=near)
    if got.memory.short_by(near):
        return Ability(got.memory.total, got.memory.usable, None, False, "")
    wait = (
        (got.request.prompt_tokens or 1) / got.prefill_tokens_per_s.median
        if reading and got.prefill_tokens_per_s
        else None
    )
    full, read_s = context - context // 8, None
    if need.task == "chat" and context >= LONG_CONTEXT:  # answers are written behind a prompt that fills most of it
        got = estimate(
            card, model, replace(request, prompt_tokens=full), on.coefficients, on.points.get(card.id, ()), reading=True
        )
        read_s = full / got.prefill_tokens_per_s.median if got.prefill_tokens_per_s else None
    basis, memory, rate = got.decode_basis, got.memory, got.decode_tokens_per_s
    if rate is None or basis is None:
        return Ability(memory.total, memory.usable, None, False, "", got.warnings[0] if got.warnings else "no speed")
    statement = basis.statement
    if need.batch > 1 and card.vendor not in on.serving_vendors:
        statement = f"{statement}; {NO_SERVING.format(vendor=card.vendor)}"
    whole_layers = count > 1 and engine == "llama.cpp"
    layer = memory.parts["weights"] / (model.layers or 1) if whole_layers else 0.0
    return Ability(memory.total, memory.usable, rate, basis.kind == "measured", statement, "", layer, wait, read_s)


def hosted_ability(on: Shelf, card: Card, need: Need, host_gb_s: float) -> tuple[Ability, float]:
    """Memory and speed of one card with experts in main memory that reads so much, and the GiB of them that stay there.

    So many layers keep theirs there that the headroom of the standard stays free; 0 where the card holds all.
    """
    model, engine = on.registry.models[need.model], find(need.engine)
    context = need.context or need.rule["context"]
    request = Request(
        need.quant or "f16", need.engine, context, kv_bits=need.kv_bits, prompt_tokens=512, host_gb_s=host_gb_s
    )
    shape, form = shape_of(model), format_of(model, canonical_quant(request.quant))
    usable = usable_gib(card, request, engine)
    free = None if usable is None else usable * (1 - need.rule["headroom"])
    away = host_share(shape, form, request, engine, free)
    got = estimate(card, model, replace(request, host_share=away), on.coefficients, reading=False)
    rate, memory, basis = got.decode_tokens_per_s, got.memory, got.decode_basis
    statement = basis.statement if basis else ""
    return Ability(memory.total, memory.usable, rate, False, statement), form.experts * away / GIB


def _training(on: Shelf, card: Card, count: int, model: Model, need: Need, near: float | None) -> Ability:
    request = Request(
        "f16",
        "llama.cpp",
        need.context or 2048,
        need.batch,
        count,
        need.task,  # type: ignore[arg-type]
        optimizer=need.optimizer,  # type: ignore[arg-type]
        master_weights=need.optimizer == "adam",  # tools that keep 8-bit states train in pure 16 bit
        recompute=True,
    )
    if count > 1 and (need.task in ("train", "full") or required(card, model, request).fits is False):
        request = replace(request, zero_stage=3)
    memory = required(card, model, request)
    if model.context and need.context and need.context > model.context:
        return Ability(memory.total, memory.usable, None, False, "", "the context is longer than the model's")
    if memory.short_by(near):
        return Ability(memory.total, memory.usable, None, False, "")
    kept = replace(request, recompute=False)
    if need.task in KEEP and roomy(on, required(card, model, kept), count, need):
        request, memory = kept, required(card, model, kept)
    tuned = _tuned(on, card, model, request)
    own = tuned is not None and tuned.card.id == card.id
    if tuned is not None:
        measured_on = unbridged(on.cards[tuned.card.id])
        each = training.carried(tuned, measured_on, card, model, request, on.coefficients)
        statement = training.measured_statement(tuned, measured_on, card, count)
    else:
        hours = training.gpu_hours(card, model, 1e9, request, on.shares, on.coefficients)
        each = Interval(*(1e9 / (h * HOUR) for h in (hours.median, hours.p90, hours.p10)))
        others = _steps_of_kin(on, card, model, request)
        each, limit = training.held(each, others, card, model, request, on.coefficients)
        said = training.statement(card, request, on.shares, on.coefficients)
        statement = f"{said}; {limit}" if limit else said
    # Several GPUs whose steps were measured have waited for one another, by the links that they have.
    waits = tuned is None or not own or tuned.request.gpus == 1
    step = need.batch * (need.context or 2048) * count  # tokens of one micro step, all GPUs together
    wait = _exchange_seconds(card, model, request) / step if waits else 0.0
    alone = [1 / (1 / rate / count + wait) for rate in (each.median, each.p10, each.p90)]
    measured = own and (count == 1 or not waits)
    return Ability(memory.total, memory.usable, Interval(*alone), measured, statement)


def _tuned(on: Shelf, card: Card, model: Model, request: Request) -> Tuned | None:
    """The measured step that is near: of this card, else of another one with its chip; None where none is."""
    for gpu in [card.id, *on.same_chip.get(card.id, ())]:
        found = training.measured_step(model, request, on.steps.get(gpu, ()))
        if found is not None:
            return found
    return None


def _steps_of_kin(on: Shelf, card: Card, model: Model, request: Request) -> list[tuple[Tuned, Card]]:
    """Of each other card of its maker and kind of memory the measured step that is near, with the card."""
    found = []
    for gpu, steps in on.steps.items():
        other = on.cards[gpu]
        if (other.vendor, other.memory_class) == (card.vendor, card.memory_class):
            near = training.measured_step(model, request, steps)
            found += [] if near is None else [(near, other)]
    return found


def roomy(on: Shelf, memory: Memory, count: int, need: Need) -> bool:
    """Whether the headroom of the standard stays free."""
    if memory.usable is None:
        return False
    room = memory.usable - memory.total
    asked = {"room_share": room / memory.usable, "able": {"room": room, "usable": memory.usable}, "count": count}
    free: bool = on.headroom({**asked, "task": need.rule, "c": CONSTANTS})
    return free


def _exchange_seconds(card: Card, model: Model, request: Request) -> float:
    """Seconds of one micro step in which GPUs wait for one another."""
    if request.gpus == 1 or request.zero_stage < 3:
        return 0.0
    link = card.link(request.gpus) or SLOWEST_LINK  # both directions
    moved = SHARED_OUT_TIMES * 2 * parameters(model) * (request.gpus - 1) / request.gpus
    return moved / (link / 2 * 1e9)


def _measured_memory(on: Shelf, card: Card, task: str) -> float:
    """GiB on each GPU: counted for image networks, the estimator's for a known network, else proven by a run."""
    if task == "cnn":
        return cnn.memory_gib(1)
    model = on.registry.models.get(MEASURED[task].get("memory_of", ""))
    if model is not None:
        return required(card, model, Request("f16", "vllm")).total
    return (on.measured[task].smallest_gb or 0.0) * 0.98 * PROVEN


def measured_ability(on: Shelf, card: Card, count: int, task: str) -> Ability:
    """A task whose speed was measured as such, on this card or on its peers."""
    known = on.measured[task]
    usable = card.memory_gb * 0.98 * count if card.memory_gb else None
    needed = _measured_memory(on, card, task) * count
    found = cnn.rate(card, count, known)
    if found is None:
        others = known.vendors and card.vendor not in known.vendors
        problem = (cnn.UNKNOWN_MAKER if others else cnn.NO_FIGURES if known.vendors else cnn.TOO_FEW).format(
            vendor=card.vendor, what=MEASURED[task]["what"]
        )
        return Ability(needed, usable, None, False, "", problem)
    return Ability(needed, usable, found.interval, found.measured, found.statement)
