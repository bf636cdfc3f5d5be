"""A need in, the whole answer out: the pick, why, what binds, alternatives, when it flips, why the others lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from pipeline.choose.flip import SOFT, Flip, WorkloadFlip, flip, wins_at, workload
from pipeline.choose.judge import Option, money, options, rank_key, ranked, unit
from pipeline.choose.need import Need, checked
from pipeline.choose.shelf import Shelf, shelf
from pipeline.dataset import Dataset
from pipeline.metrics import BUY_KINDS, newest_price

ALTERNATIVES, UNPRICED, WAYS_OUT = 3, 4, 6
FASTER, ROOMIER_GIB = 1.3, 4.0
THINKABLE_SHARE, THINKABLE_USD = 0.5, 100.0
# What asks for less memory, dearest first.
QUANTS = {"llama.cpp": ("f16", "q8_0", "q6_k", "q5_k_m", "q4_k_m", "iq4_xs", "q3_k_m", "q2_k"),
          "vllm": ("f16", "fp8", "int4")}  # fmt: skip
LIGHTER_TASK = {"full": "lora", "lora": "qlora"}
LEAST_CONTEXT, MOST_GPUS = 1024, 8
LIFTED: dict[str, object] = {
    "budget_usd": None, "budget_per_month_usd": None, "max_power_w": None, "psu_w": None, "slots": None,
    "length_mm": None, "quiet": False, "least_rate": None, "deadline_hours": None,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Binding:
    """The constraint without which another option would be first, or that most options fail."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Alternative:
    """Another option, why one would take it and what it gives up."""

    option: Option
    why: str
    gives_up: str
    wins_below: float | None  # the price at which it would be first


@dataclass(frozen=True, slots=True)
class WayOut:
    """A change of the need under which something meets it."""

    change: str
    option: Option


@dataclass(frozen=True, slots=True)
class Answer:
    """Everything that a page or a command shows."""

    need: Need
    newest_reading: str
    first: Option | None
    ranked: tuple[Option, ...]  # the best count of each GPU and way
    binding: Binding
    alternatives: tuple[Alternative, ...]
    flip: Flip | None
    workload: WorkloadFlip | None
    unpriced: tuple[tuple[Option, float], ...]  # fit for it, without a price; first below this one
    lost: tuple[tuple[Option, str], ...]  # one of each GPU and way, with the reason
    nearest: tuple[Option, ...]  # where nothing meets the need
    ways_out: tuple[WayOut, ...]
    offload: str  # where nothing meets the need for lack of memory: what would lie outside the GPU


def choose(dataset: Dataset, need: Need) -> Answer:
    """Answer a need; NeedError in one sentence when it cannot be."""
    asked = checked(need, shelf(dataset).registry, dataset)
    on = shelf(dataset).priced_in(asked.money)
    judged = options(on, asked)
    order = ranked(judged, asked)
    first = order[0] if order else None
    best = _best_counts(order)
    return Answer(
        asked, dataset.newest_reading, first, tuple(best), _binding(judged, first, asked),
        tuple(_alternatives(judged, best, asked)), flip(on, asked, judged, order), workload(asked, order),
        tuple(_unpriced(judged, first, asked)), tuple(_lost(judged, best, asked)),
        () if first else tuple(_near_misses(judged, asked))[:ALTERNATIVES],
        () if first else tuple(_ways_out(on, asked, judged))[:WAYS_OUT],
        "" if first else _offload(judged, asked),
    )  # fmt: skip


def _best_counts(order: Sequence[Option]) -> list[Option]:
    seen: dict[tuple[str, str], Option] = {}
    for option in order:
        seen.setdefault((option.gpu.id, option.way), option)
    return list(seen.values())


def _binding(judged: Sequence[Option], first: Option | None, need: Need) -> Binding:
    """The constraint that keeps the best excluded option out; else the one that most options fail."""
    single = [o for o in judged if len({f.name for f in o.failures}) == 1 and _priced(o)]
    better = [o for o in single if first is None or rank_key(o, need) < rank_key(first, need)]
    if better:
        name = min(better, key=lambda o: rank_key(o, need)).failures[0].name
        out = min((o for o in better if o.failures[0].name == name), key=lambda o: (o.failures[0].gap, o.key))
        failure = out.failures[0]
        text = f"{failure.name} decides: {out.name} to {out.way} would be first, but {failure.text}"
        return Binding(failure.name, text)
    counted = Counter(o.failures[0].name for o in judged if o.failures and o.failures[0].name != "price")
    if not counted:
        return Binding("price", "price decides: every option with a price meets the need")
    name, count = min(counted.items(), key=lambda pair: (-pair[1], pair[0]))
    tail = ", none of which would be first" if first is not None else ""
    return Binding(name, f"{name} rules out most: {count} of {len(judged)} options{tail}")


def _priced(option: Option) -> bool:
    return option.quote is not None and option.quote.firm and option.ability.rate is not None


def _alternatives(judged: Sequence[Option], best: Sequence[Option], need: Need) -> Iterator[Alternative]:
    """Three that differ in kind first, then the next in order, then those that miss by the least."""
    first = best[0] if best else None
    taken: set[tuple[str, str]] = {(first.gpu.id, first.way)} if first else set()
    shown = 0
    candidates = [*(_by_kind(first, best, need) if first else ()), *(("next in order", o) for o in best[1:]),
                  *(("a near miss", o) for o in _near_misses(judged, need))]  # fmt: skip
    for why, option in candidates:
        if shown < ALTERNATIVES and (option.gpu.id, option.way) not in taken:
            taken.add((option.gpu.id, option.way))
            shown += 1
            yield Alternative(option, why, _gives_up(first, option, need), _wins_below(option, first, need))


def _wins_below(option: Option, first: Option | None, need: Need) -> float | None:
    return wins_at(option, first, need) if option.meets or all(f.name in SOFT for f in option.failures) else None


def _by_kind(first: Option, best: Sequence[Option], need: Need) -> Iterator[tuple[str, Option]]:
    """The best of each kind that differs from the first choice, in order of the objective."""
    rate, room = _rate(first), first.ability.room_gib or 0.0
    kinds: tuple[tuple[str, Callable[[Option], bool]], ...] = (
        (f"to {'rent' if first.way == 'buy' else 'buy'}", lambda o: o.way != first.way),
        ("faster", lambda o: o.way == first.way and _rate(o) >= FASTER * rate),
        ("cheaper", lambda o: need.ranked_by == "fastest" and (o.total_usd or 0) <= 0.7 * (first.total_usd or 0)),
        ("more room", lambda o: o.way == first.way and (o.ability.room_gib or 0.0) >= room + ROOMIER_GIB),
        ("new, with a warranty", lambda o: _kind(first) == "used" and _kind(o) == "retail"),
        ("another maker", lambda o: o.gpu.text("vendor") != first.gpu.text("vendor")),
    )
    for why, rule in kinds:
        found = next((option for option in best[1:] if rule(option)), None)
        if found is not None:
            yield why, found


def _near_misses(judged: Sequence[Option], need: Need) -> list[Option]:
    """Options with a price that fail the fewest constraints by the least, one of each GPU and way."""
    failing = [o for o in judged if o.failures and _priced(o)]
    failing.sort(key=lambda o: (len({f.name for f in o.failures}), max(f.gap for f in o.failures), rank_key(o, need)))
    return _best_counts(failing)


def _gives_up(first: Option | None, option: Option, need: Need) -> str:
    """What one loses by taking it in place of the first choice."""
    if first is None:
        return "; ".join(failure.text for failure in option.failures)
    parts = [failure.text for failure in option.failures]
    more = (option.total_usd or 0.0) - (first.total_usd or 0.0)
    if more > 0:
        parts.append(f"{money(more, need)} more {period(need)}")
    ratio = _rate(option) / _rate(first) if _rate(first) else 1.0
    if ratio < 0.97:
        parts.append(f"speed: {ratio:.0%} of the first choice's")
    room = (first.ability.room_gib or 0.0) - (option.ability.room_gib or 0.0)
    if room >= 0.5:
        parts.append(f"{room:.1f} GiB less to spare")
    if _kind(option) == "used" and _kind(first) == "retail":
        parts.append("the warranty of a new one")
    if option.gpu.text("vendor") != "NVIDIA" and first.gpu.text("vendor") == "NVIDIA":
        parts.append("CUDA")
    if option.way == "rent" and first.way == "buy":
        parts.append("a card of your own")
    return "; ".join(parts) or "nothing that this answer counts"


def _unpriced(judged: Sequence[Option], first: Option | None, need: Need) -> list[tuple[Option, float]]:
    """Options that lack nothing but a price of today, dearest allowed first."""
    found = [
        (option, price)
        for option in judged
        if option.failures and all(f.name == "price" for f in option.failures) and option.ability.rate is not None
        if (price := wins_at(option, first, need)) is not None and _thinkable(option, price * need.money.usd)
    ]
    found.sort(key=lambda pair: (_unlikely(*pair), -_rate(pair[0]), pair[0].key))
    seen: dict[str, tuple[Option, float]] = {}
    for option, price in found:
        whole_machine = option.gpu.text("form_factor") == "SoC"  # one of each maker says enough
        seen.setdefault(option.gpu.text("vendor") if whole_machine else option.gpu.id, (option, price))
    return list(seen.values())[:UNPRICED]


def _thinkable(option: Option, wins_below_usd: float) -> bool:
    """Whether it might cost so little: half of what it ever cost, or a hundred dollars where nothing was seen."""
    rows = (newest_price(option.gpu, kind) for kind in BUY_KINDS)
    seen = [float(row["usd_per_unit"]) for row in rows if row is not None]
    launch = option.gpu.number("launch_price_usd")
    cheapest = min([*seen, *([launch] if launch else [])], default=None)
    return wins_below_usd >= (THINKABLE_USD if cheapest is None else THINKABLE_SHARE * cheapest)


def _unlikely(option: Option, wins_below: float) -> int:
    """A card that once cost less than it may cost now, a whole machine that nobody prices, then the rest."""
    if option.quote is not None and option.quote.usd <= wins_below:
        return 0
    return 1 if option.gpu.text("form_factor") == "SoC" else 2


def _lost(judged: Sequence[Option], best: Sequence[Option], need: Need) -> Iterator[tuple[Option, str]]:
    """One reason for each GPU and way that is not first: dearer or slower, or the first constraint it fails."""
    first = best[0] if best else None
    meeting = {(o.gpu.id, o.way) for o in best}
    for option in best[1:]:
        yield option, _gives_up(first, option, need)
    failing = [o for o in judged if o.failures and (o.gpu.id, o.way) not in meeting]
    failing.sort(key=lambda o: (len({f.name for f in o.failures}), max(f.gap for f in o.failures), o.key))
    for option in _best_counts(failing):
        # What no price would mend is the better reason.
        yield option, next((f.text for f in option.failures if f.name != "price"), option.failures[0].text)


def _ways_out(on: Shelf, need: Need, judged: Sequence[Option]) -> Iterator[WayOut]:
    """Changes of the need that bring an answer, the mildest first; several at once where no single one does."""
    found = False
    for change, other in _changes(need):
        order = ranked(options(on, other), other)
        if order:
            found = True
            yield WayOut(change, order[0])
    for change, other in () if found else _together(need):
        order = ranked(options(on, other), other)
        if order:
            yield WayOut(change, order[0])
            break
    dearer = [o for o in judged if o.failures and all(f.name in SOFT for f in o.failures) and _priced(o)]
    if dearer:
        out = min(dearer, key=lambda o: (max(f.gap for f in o.failures), o.key))
        yield WayOut(f"pay {out.failures[0].text.partition(' over')[0]} more than the budget", out)


def _together(need: Need) -> Iterator[tuple[str, Need]]:
    """Changes one upon the other, the last of them lifting every limit."""
    ladder = QUANTS.get(need.rule.engine, ())
    smallest = ladder[-1] if need.quant in ladder else need.quant
    steps: tuple[tuple[str, dict[str, object]], ...] = (
        ("use more GPUs", {"max_gpus": MOST_GPUS}),
        ("buy or rent", {"prefer": "both"}),
        ("take any maker's cards, new or used", {"runs_on": "any", "used": "allowed", "min_memory_gb": None}),
        (f"quantise to {smallest}", {"quant": smallest}),
        (f"shorten the context to {LEAST_CONTEXT:,} tokens", {"context": min(need.context or 1, LEAST_CONTEXT)}),
        ("lift every limit of budget, power, size, speed and time", LIFTED),
    )
    done: list[str] = []
    for words, values in steps:
        if any(getattr(need, name) != value for name, value in values.items()):
            need = replace(need, **values)  # type: ignore[arg-type]
            done.append(words)
            if len(done) > 1:
                yield ", ".join(done), need


def _offload(judged: Sequence[Option], need: Need) -> str:
    """What the option that lacks the least memory would have to keep in main memory."""
    only = [o for o in judged if {f.name for f in o.failures} == {"memory"} and _priced(o)]
    lacking = [o for o in only if (o.ability.room_gib or 0.0) < 0]
    if need.rule.engine != "llama.cpp" or not lacking:
        return ""
    option = max(lacking, key=lambda o: (o.ability.room_gib or 0.0, o.key))
    missing = -(option.ability.room_gib or 0.0)
    share = missing / option.ability.needed_gib
    return (f"{option.name} to {option.way} runs it with {missing:.1f} GiB ({share:.0%}) in the machine's main memory; "
            "that part runs at main memory's speed, which is not estimated here")  # fmt: skip


def _changes(need: Need) -> Iterator[tuple[str, Need]]:
    ladder = QUANTS.get(need.rule.engine, ())
    if need.quant in ladder:
        yield from ((f"quantise to {q}", replace(need, quant=q)) for q in ladder[ladder.index(need.quant) + 1 :][:2])
    for applies, change, other in (
        (need.task in LIGHTER_TASK, f"train by {LIGHTER_TASK.get(need.task, '')} in place of {need.task}",
         {"task": LIGHTER_TASK.get(need.task)}),
        (need.task != "cnn" and (need.context or 0) >= 2 * LEAST_CONTEXT,
         f"shorten the context to {LEAST_CONTEXT:,} tokens", {"context": LEAST_CONTEXT}),
        (need.prefer == "buy", "rent in place of buying", {"prefer": "rent"}),
        (need.prefer == "rent", "buy in place of renting", {"prefer": "buy"}),
        (need.max_gpus < MOST_GPUS, "use more GPUs", {"max_gpus": MOST_GPUS}),
        (need.used == "only", "take new cards too", {"used": "allowed"}),
        (need.used == "no", "take used cards too", {"used": "allowed"}),
        (need.runs_on != "any", "take another maker's cards", {"runs_on": "any"}),
        (need.least_rate is not None, f"be content with half the speed ({(need.least_rate or 0) / 2:g} {unit(need)})",
         {"least_rate": (need.least_rate or 0) / 2}),
        (need.deadline_hours is not None, "give it five times as long",
         {"deadline_hours": (need.deadline_hours or 0) * 5}),
    ):  # fmt: skip
        if applies:
            yield change, replace(need, **other)


def period(need: Need) -> str:
    """Over what the total cost is counted."""
    return "for the run" if need.rule.once else "a month"


def _kind(option: Option) -> str:
    return option.quote.kind if option.quote else ""


def _rate(option: Option) -> float:
    return option.ability.rate.median if option.ability.rate else 0.0
