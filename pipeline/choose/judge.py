"""Options and a need in, a judgement of each out: which constraints it fails, by how much, and its place."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from pipeline.choose import market
from pipeline.choose.costs import Cost, cost, host_usd
from pipeline.choose.market import Quote, Way
from pipeline.choose.need import TRAINING, Need
from pipeline.choose.shelf import COUNTS, Ability, Shelf, watts
from pipeline.dataset import GpuRecord

# What runs an estimate's engine: llama.cpp runs on every maker's graphics cards and on Apple's and AMD's chips; vLLM
# and PyTorch need CUDA, or a card that ROCm or Intel's PyTorch names as supported.
LLAMA_VENDORS = ("NVIDIA", "AMD", "Intel", "Apple")
NOT_FOR_LLAMA = ("Gaudi",)
PYTORCH_WORDS: Mapping[str, tuple[str, ...]] = {"NVIDIA": ("CUDA",), "AMD": ("ROCm",), "Intel": ("PyTorch",)}
# Language models are trained in BF16, whose range FP16 lacks; NVIDIA's matrix units know it from Ampere on.
NO_BF16 = ("Kepler", "Maxwell", "Pascal", "Volta", "Turing")
MOST_GAMING_CARDS = 4  # wider than a server's slots, and no board for desktops has more with enough lanes
NO_LONGER = ("deprecated", "no longer", "not supported")
# Power supply: the rest of a PC under load takes about REST_W (processor, board, fans), and 0.8 of what is printed on
# the supply may be drawn for long: cards draw more than their limit for moments. Assumptions of this project.
REST_W, PSU_SHARE = 180.0, 0.8
# Quiet: at most this heat, at most this many cards, and a fan of its own. An assumption of this project, since no
# source here states a noise figure: it leaves out what no cooler of two or three slots carries away slowly.
QUIET_W, QUIET_CARDS = 360.0, 1
QUIET_WORDS = (
    "no source here states how loud it is: quiet is taken as one card with a fan of its own and at most "
    f"{QUIET_W:.0f} W; read a test of the very model before you buy"
)
# A card whose width no source states: two slots, three above this power.
WIDE_W = 320.0
TO_BUY = ("PCIe card", "SoC")


@dataclass(frozen=True, slots=True)
class Failure:
    """One constraint that an option does not meet, how far it is off, and the sentence that says so."""

    name: str
    gap: float  # relative: 0.1 is a tenth too much or too little
    text: str


@dataclass(frozen=True, slots=True)
class Option:
    """One GPU in one count to buy or to rent, judged."""

    gpu: GpuRecord
    count: int
    way: Way
    quote: Quote | None
    ability: Ability
    cost: Cost
    failures: tuple[Failure, ...]
    caveats: tuple[str, ...]

    @property
    def key(self) -> tuple[str, int, Way]:
        """What makes an option the same option."""
        return self.gpu.id, self.count, self.way

    @property
    def name(self) -> str:
        """As a reader says it."""
        return f"{'' if self.count == 1 else f'{self.count} × '}{self.gpu.name}"

    @property
    def meets(self) -> bool:
        """Whether it has a price that may be ranked and fails nothing."""
        return not self.failures

    @property
    def price(self) -> float:
        """USD for one GPU or GPU-hour; only asked where there is one."""
        return self.quote.usd if self.quote else float("inf")

    @property
    def total_usd(self) -> float | None:
        """Cost of the run or the month."""
        return self.cost.total.at(self.quote.usd) if self.quote else None


def options(on: Shelf, need: Need) -> list[Option]:
    """Every GPU in every count, to buy and to rent, judged; a GPU without any price to rent is not listed to rent."""
    ways: tuple[Way, ...] = ("buy", "rent") if need.prefer == "both" else (need.prefer,)
    return [
        _judged(on, gpu, count, way, quote, need)
        for gpu in on.dataset.gpus.values()
        for way in ways
        for quote in (quote_of(on, gpu.id, way, need),)
        if way == "buy" or quote is not None
        for count in COUNTS
        if count <= need.max_gpus
    ]


def quote_of(on: Shelf, gpu: str, way: Way, need: Need) -> Quote | None:
    """The price that counts: the reader's own before any observation."""
    typed = (need.own_prices if way == "buy" else need.own_rents).get(gpu)
    known = on.buys[need.used].get(gpu) if way == "buy" else on.rents.get(gpu)
    return known if typed is None else market.own(typed, known)


def rank_key(option: Option, need: Need) -> tuple[float, float, str, int, str]:
    """The order of the objective, with a name at the end so that it never depends on the order of the data."""
    rate = option.ability.rate.median if option.ability.rate else 0.0
    total = option.cost.total.at(option.price)
    per_million = option.cost.per_million.at(option.price) if option.cost.per_million else float("inf")
    first, second = {
        "cheapest": (total, -rate), "fastest": (-rate, total), "cheapest_work": (per_million, -rate),
    }[need.ranked_by]  # fmt: skip
    return first, second, option.gpu.id, option.count, option.way


def ranked(judged: list[Option], need: Need) -> list[Option]:
    """The options that meet the need, best first."""
    return sorted((o for o in judged if o.meets), key=lambda o: rank_key(o, need))


Rule = Callable[[GpuRecord, int, Way, Quote | None, Ability, Cost, Need], Failure | None]


def _judged(on: Shelf, gpu: GpuRecord, count: int, way: Way, quote: Quote | None, need: Need) -> Option:
    ability = on.ability(gpu.id, count, need)
    priced = cost(way, count, ability, watts(gpu), need)
    failures = tuple(f for rule in RULES[way] if (f := rule(gpu, count, way, quote, ability, priced, need)) is not None)
    caveats = () if failures else tuple(_caveats(gpu, count, way, ability, priced, need))
    return Option(gpu, count, way, quote, ability, priced, failures, caveats)


def _maker(gpu: GpuRecord, _c: int, _w: Way, _q: Quote | None, _a: Ability, _k: Cost, need: Need) -> Failure | None:
    cuda = gpu.text("vendor") == "NVIDIA"
    if need.runs_on == "cuda" and not cuda:
        return Failure("CUDA", 1.0, f"{gpu.text('vendor')} runs no CUDA")
    if need.runs_on == "no-nvidia" and cuda:
        return Failure("no NVIDIA", 1.0, "NVIDIA is ruled out")
    return None


def _software(gpu: GpuRecord, _c: int, _w: Way, _q: Quote | None, _a: Ability, _k: Cost, need: Need) -> Failure | None:
    last = gpu.text("last_supported_driver_or_toolkit")
    if need.current_software and last:
        words = last if any(word in last for word in NO_LONGER) else f"support ended with {last}"
        return Failure("software", 1.0, words)
    vendor, stack = gpu.text("vendor"), gpu.text("software_support")
    if need.rule.engine == "llama.cpp":
        runs = vendor in LLAMA_VENDORS and not gpu.row["line"].startswith(NOT_FOR_LLAMA)
        return None if runs else Failure("software", 1.0, "llama.cpp has no backend for it")
    words_for = PYTORCH_WORDS.get(vendor, ())
    if need.task in TRAINING and gpu.row["architecture"] in NO_BF16:
        return Failure("software", 1.0, "its matrix units know no BF16, in which language models are trained")
    runs = any(word in stack for word in words_for) or (vendor == "NVIDIA" and not stack)
    if runs and not (need.rule.engine == "vllm" and vendor == "Intel"):
        return None
    what = "vLLM" if need.rule.engine == "vllm" else "PyTorch"
    return Failure("software", 1.0, f"no source says that {what} runs on it")


def _used(gpu: GpuRecord, _c: int, _w: Way, quote: Quote | None, _a: Ability, _k: Cost, need: Need) -> Failure | None:
    if quote is None:
        kind = {"only": "used price", "no": "price of a new one", "allowed": "price to buy"}[need.used]
        state = "announced, and no" if gpu.text("status") == "announced" else "no"
        return Failure("price", 1.0, f"{state} {kind} was seen; type yours")
    if quote.firm:
        return None
    start = "launch price only" if quote.kind == "launch" else "newest price is old"
    return Failure("price", 1.0, f"{start} ({quote.usd:,.0f} {need.money.word}, {quote.date}); type yours")


def _offered(_g: GpuRecord, count: int, _w: Way, quote: Quote | None, _a: Ability, _k: Cost,
             _n: Need) -> Failure | None:  # fmt: skip
    most = quote.most_gpus if quote else None
    if most is None or count <= most:
        return None
    seen = "one" if most == 1 else f"{most}"
    return Failure("offer", count / most - 1, f"no machine with {count} was seen for rent, at most {seen}")


def _form(gpu: GpuRecord, count: int, _w: Way, _q: Quote | None, _a: Ability, _k: Cost, _n: Need) -> Failure | None:
    form = gpu.text("form_factor")
    if form not in TO_BUY:
        return Failure("form", 1.0, f"comes as {form}, not as a card or a whole machine")
    if form == "SoC" and count > 1:
        return Failure("form", 1.0, "is a whole machine; several do not share one model here")
    if gpu.text("segment") == "consumer" and count > MOST_GAMING_CARDS:
        return Failure("form", count / MOST_GAMING_CARDS - 1, f"{count} gaming cards do not go into one machine")
    return None


def _heat(gpu: GpuRecord, count: int, _w: Way, _q: Quote | None, _a: Ability, _k: Cost, need: Need) -> Failure | None:
    passive = gpu.text("cooling") == "passive" or (gpu.text("segment") == "datacenter" and not gpu.text("cooling"))
    if passive and not need.rack:
        return Failure("cooling", 1.0, "has no fan of its own and needs a server's air flow")
    if need.quiet and count > QUIET_CARDS:
        return Failure("quiet", 1.0, f"{count} cards side by side are not quiet")
    heat = watts(gpu) or 0.0
    if need.quiet and heat > QUIET_W:
        return Failure(
            "quiet", heat / QUIET_W - 1, f"{heat:.0f} W, {QUIET_W:.0f} W are taken as the most that stays quiet"
        )
    return None


def _least_memory(gpu: GpuRecord, _c: int, _w: Way, _q: Quote | None, _a: Ability, _k: Cost,
                  need: Need) -> Failure | None:  # fmt: skip
    has = gpu.number("memory_gb")
    if need.min_memory_gb is None or (has is not None and has >= need.min_memory_gb):
        return None
    stated = "unknown" if has is None else f"{has:g} GB"
    return Failure("memory asked", 1.0 if not has else need.min_memory_gb / has - 1,
                   f"{stated} of memory, {need.min_memory_gb:g} GB are asked")  # fmt: skip


def _fits(_g: GpuRecord, _c: int, _w: Way, _q: Quote | None, ability: Ability, _k: Cost, _n: Need) -> Failure | None:
    if ability.needed_gib == 0.0 and ability.problem:
        return Failure("speed", 1.0, ability.problem)
    if ability.room_gib is None:
        return Failure("memory", 1.0, "its memory is not known")
    missing = ability.indivisible_gib - ability.room_gib
    if missing <= 0:
        return None
    words = f"{gib(missing)} too little to share whole layers out"
    if ability.room_gib < 0:
        words = f"{gib(-ability.room_gib)} of memory too little"
    return Failure("memory", missing / max(ability.usable_gib or 0.0, 0.1), words)


def _speed(_g: GpuRecord, _c: int, _w: Way, _q: Quote | None, ability: Ability, priced: Cost,
           need: Need) -> Failure | None:  # fmt: skip
    if ability.rate is None:
        return Failure("speed", 1.0, ability.problem) if ability.needed_gib else None
    each = ability.rate.median / (need.batch if need.task == "serve" else 1)
    if need.least_rate is not None and each < need.least_rate:
        return Failure("speed", need.least_rate / each - 1, f"{each:.3g} {unit(need)}, {need.least_rate:g} are asked")
    if need.deadline_hours is not None and priced.run_hours is not None and priced.run_hours > need.deadline_hours:
        return Failure("time", priced.run_hours / need.deadline_hours - 1,
                       f"a run takes {hours(priced.run_hours)}, {hours(need.deadline_hours)} are given")  # fmt: skip
    return None


def _power(_g: GpuRecord, _c: int, _w: Way, _q: Quote | None, _a: Ability, priced: Cost,
           need: Need) -> Failure | None:  # fmt: skip
    if need.max_power_w is None and need.psu_w is None:
        return None
    if priced.power_w is None:
        return Failure("power", 1.0, "its power is not known")
    if need.max_power_w is not None and priced.power_w > need.max_power_w:
        return Failure("power", priced.power_w / need.max_power_w - 1,
                       f"{priced.power_w:.0f} W, {need.max_power_w:.0f} W are allowed")  # fmt: skip
    if need.psu_w is not None and priced.power_w + REST_W > need.psu_w * PSU_SHARE:
        left = max(need.psu_w * PSU_SHARE - REST_W, 1.0)
        return Failure("power supply", priced.power_w / left - 1,
                       f"{priced.power_w:.0f} W, a {need.psu_w:.0f} W supply leaves {left:.0f} W")  # fmt: skip
    return None


def _size(gpu: GpuRecord, count: int, _w: Way, _q: Quote | None, _a: Ability, _k: Cost, need: Need) -> Failure | None:
    if gpu.text("form_factor") != "PCIe card":
        return None
    slots, length = slot_width(gpu) * count, gpu.number("length_mm")
    if need.slots is not None and slots > need.slots:
        return Failure("slots", slots / need.slots - 1, f"takes {slots:g} slots, {need.slots:g} are there")
    if need.length_mm is not None and length is not None and length > need.length_mm:
        text = f"{length:.0f} mm long, {need.length_mm:.0f} mm are there"
        return Failure("length", length / need.length_mm - 1, text)
    return None


def _budget(_g: GpuRecord, count: int, way: Way, quote: Quote | None, _a: Ability, priced: Cost,
            need: Need) -> Failure | None:  # fmt: skip
    if quote is None or not quote.firm:
        return None
    for name, budget, line in (("budget", need.budget_usd, priced.paid),
                               ("monthly budget", need.budget_per_month_usd, priced.monthly)):  # fmt: skip
        amount = line.at(quote.usd)
        if budget is not None and amount > budget:
            host = f" with {host_usd(count, need):,.0f} for the machine" if way == "buy" and line.fixed else ""
            over = f"{money(amount - budget, need)} over the {name} ({money(amount, need)}{host})"
            return Failure(name, amount / budget - 1, over)
    return None


RULES: Mapping[Way, tuple[Rule, ...]] = {
    "buy": (_maker, _software, _used, _form, _heat, _least_memory, _fits, _speed, _power, _size, _budget),
    "rent": (_maker, _software, _offered, _least_memory, _fits, _speed, _budget),
}


def slot_width(gpu: GpuRecord) -> float:
    """Slots of one card; where no source states them, two, or three for a hot one."""
    return gpu.number("slot_width") or (3.0 if (watts(gpu) or 0.0) > WIDE_W else 2.0)


def ceiling(option: Option, need: Need) -> float | None:
    """The highest price of one GPU at which an option stays within the budgets; None without any."""
    limits = [
        line.price_for(budget)
        for budget, line in ((need.budget_usd, option.cost.paid), (need.budget_per_month_usd, option.cost.monthly))
        if budget is not None
    ]
    return min(limits, default=None)


def _caveats(gpu: GpuRecord, count: int, way: Way, ability: Ability, priced: Cost, need: Need) -> Iterator[str]:
    room, span = ability.room_gib, priced.run_hours_range
    if room is not None and ability.usable_gib and room < 0.05 * ability.usable_gib:
        yield f"only {room:.1f} GiB to spare"
    if span is not None and need.deadline_hours is not None and span[1] > need.deadline_hours:
        yield f"at the slow end a run takes {hours(span[1])}"
    if ability.rate is not None and need.least_rate is not None:
        slow = ability.rate.p10 / (need.batch if need.task == "serve" else 1)
        if slow < need.least_rate:
            yield f"at the slow end {slow:.3g} {unit(need)}"
    if way == "buy":
        yield from _buyer_caveats(gpu, count, need)


def _buyer_caveats(gpu: GpuRecord, count: int, need: Need) -> Iterator[str]:
    if need.quiet:
        yield QUIET_WORDS
    if need.length_mm is not None and gpu.number("length_mm") is None:
        yield "no source states its length: measure before you buy"
    supply = gpu.number("recommended_psu_w")
    # A maker's figure is for a machine with one card; whoever named a supply only hears of one that is too small.
    if supply is not None and (count == 1 if need.psu_w is None else supply > need.psu_w):
        yield f"the maker recommends a {supply:.0f} W power supply"
    if gpu.text("segment") == "consumer" and count >= 4:
        yield "four and more of these need an open frame, risers and more than one circuit"


def unit(need: Need) -> str:
    """The unit of a rate that is asked for."""
    if need.task == "cnn":
        return "images/s"
    return "tokens/s each" if need.task == "serve" else "tokens/s"


def gib(amount: float) -> str:
    """An amount of memory as a reader reads it."""
    return f"{amount:.1f} GiB" if amount >= 0.1 else "under 0.1 GiB"


def money(amount: float, need: Need) -> str:
    """An amount in the currency of a need, as a reader reads it."""
    return f"{amount:,.{0 if abs(amount) >= 100 else 2}f} {need.money.word}"


def hours(value: float) -> str:
    """A time as a reader reads it."""
    if value < 1:
        return f"{value * 60:.0f} minutes"
    days = value / 24
    if days < 3:
        return f"{value:.3g} hours"
    return f"{days:.3g} days" if days < 2 * 365 else f"{float(f'{days / 365:.3g}'):,.12g} years"
