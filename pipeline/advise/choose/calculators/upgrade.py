"""What a newer card brings for a model, what that costs, and whether it is worth it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pipeline.advise.choose.calculators.buy_or_rent import (
    HOURS,
    TARIFF,
    WATTS_A_KW,
    source_of,
    tariff_note,
    tariff_usd,
)
from pipeline.advise.choose.calculators.card_facts import CardPrice, Facts, Known, best_price, own
from pipeline.advise.choose.calculators.fields import MARKET, QUANT, amount, choice, context
from pipeline.advise.choose.calculators.fields import CalculatorInput as Input
from pipeline.advise.choose.calculators.power import WEEKS_A_YEAR
from pipeline.advise.choose.calculators.sheet import (
    AnswerTable,
    CalculatorAnswer,
    TableCell,
    card,
    known,
    number,
    words,
)
from pipeline.advise.choose.calculators.training import TASKS
from pipeline.advise.choose.calculators.words import dollars, figure, gib, money, span
from pipeline.advise.choose.catalogue import Ability, fits
from pipeline.advise.choose.need import Need, NeedError
from pipeline.advise.estimate import Model, Request
from pipeline.advise.estimate import checked as request_checked
from pipeline.advise.estimate.memory import required
from pipeline.advise.estimate.tensors import parameters

WORTH_FASTER = 1.5  # a speed-up that one notices without a clock (an assumption)
# What newly fits: these are tried, the best first; the first that fits counts.
QUANTS = ("f16", "q8_0", "q6_k", "q5_k_m", "q4_k_m", "q3_k_m", "q2_k")
WORK = {"chat": "answer", **{task: f"train: {words}" for task, words in TASKS.items()}}
RULE = (
    f"The rule: worth it where the new card holds your model and the old one does not, or where it is at least "
    f"{WORTH_FASTER:g} times as fast in the middle and no slower at the low end of the interval; else not."
)
FIELDS: tuple[Input, ...] = (
    Input("gpu", "From", "gpu", "nvidia-geforce-rtx-3080-10gb"),
    Input("to", "To", "gpu", "nvidia-geforce-rtx-3090"),
    Input("model", "My model", "model", "qwen2.5-32b-instruct"),
    QUANT,
    choice("task", "To", "chat", WORK),
    context(4096),
    amount("price", "Price of the new", None, 1, 1e6, "dollars"),
    amount("brings", "The old one brings", None, 0, 1e6, "dollars"),
    HOURS,
    TARIFF,
    MARKET,
)

ASSUMED = (
    f"{WORTH_FASTER:g} times is what one notices without a clock: an assumption of ours. What newly fits is "
    "judged in llama.cpp with one stream, from F16 down to Q2_K."
)


@dataclass(frozen=True, slots=True)
class UpgradeVerdict:
    """Whether it is worth it, and why in one sentence."""

    worth: bool
    sentence: str


def answer(asked: dict[str, Any], known: Known) -> CalculatorAnswer:
    """What becomes possible, how much faster, the cost after selling the old card, and the verdict."""
    a, b, model = known.facts[asked["gpu"]], known.facts[asked["to"]], known.models[asked["model"]]
    if a is b:
        raise NeedError(f"both are {a.card.name}; choose two cards")
    able = [_does(known, facts, asked) for facts in (a, b)]
    times = _times(*able)
    verdict = _verdict(a, b, model, able, times)
    sold = own(asked["brings"]) if asked["brings"] is not None else a.used if a.used and a.used.firm else None
    bought = own(asked["price"]) if asked["price"] is not None else best_price(b)
    net = None if bought is None or sold is None else bought.usd - sold.usd
    gain = able[1].rate.median - able[0].rate.median if able[0].rate and able[1].rate and times else None
    watts = None if a.power_w is None or b.power_w is None else b.power_w - a.power_w
    year = None if watts is None else watts / WATTS_A_KW * asked["hours_per_week"] * WEEKS_A_YEAR * tariff_usd(asked)
    newly = _newly(known, a, b, asked["context"])
    return CalculatorAnswer(
        f"{a.card.name} to {b.card.name}: {verdict.sentence}",
        (_price_words(a, b, net, bought, sold), *_gain_words(net, gain, a, b), *tariff_note(asked), RULE),
        (_compared(a, b, able, watts, year), _prices(a, b, bought, sold), _newly_table(newly)),
        None,
        {
            "times": times[1] if times else None,
            "low": times[0] if times else None,
            "high": times[2] if times else None,
            "net_usd": net,
            "watts": watts,
            "usd_per_year": year,
            "newly": float(sum(old is None for _, old, _ in newly)),
            "worth": float(verdict.worth),
        },
    )


def _does(known: Known, facts: Facts, asked: dict[str, Any]) -> Ability:
    quant = asked["quant"] if asked["task"] == "chat" else None
    need = Need(asked["task"], asked["model"], quant, context=asked["context"])
    ability = known.on.ability(facts.card.id, 1, need)
    if ability.needed_gib == 0.0 and ability.problem:
        raise NeedError(f"{facts.card.name}: {ability.problem}")
    return ability


def _times(old: Ability, new: Ability) -> tuple[float, float, float] | None:
    """How many times as fast: low, middle, high; None where one does not hold it or its speed is not known."""
    a, b = old.rate, new.rate
    if a is None or b is None or not fits(old) or not fits(new):
        return None
    return b.p10 / a.p90, b.median / a.median, b.p90 / a.p10


def _verdict(
    a: Facts, b: Facts, model: Model, able: Sequence[Ability], times: tuple[float, float, float] | None
) -> UpgradeVerdict:
    for facts, ability in zip((a, b), able, strict=True):
        if ability.room_gib is None:
            said = f"nobody can say: the memory of {facts.card.name} is the buyer’s choice or not known."
            return UpgradeVerdict(False, said)
    if not fits(able[1]):
        too = " either" if not fits(able[0]) else ""
        missing = gib(-(able[1].room_gib or 0.0))
        return UpgradeVerdict(
            False, f"not worth it. The new card does not hold {model.name}{too}: {missing} are missing."
        )
    if not fits(able[0]):
        room = gib(able[1].room_gib or 0.0)
        return UpgradeVerdict(True, f"worth it. Only the new card holds {model.name}, with {room} to spare.")
    if times is None:
        return UpgradeVerdict(False, "nobody can say: the speed of one of them is not known.")
    low, middle, high = times
    worth = middle >= WORTH_FASTER and low >= 1
    ratio = f"{figure(middle)} times as fast with {model.name} ({span(low, high)})"
    return UpgradeVerdict(
        worth, f"worth it. It is {ratio}." if worth else f"not worth it for the speed. It is {ratio}."
    )


def _price_words(a: Facts, b: Facts, net: float | None, bought: CardPrice | None, sold: CardPrice | None) -> str:
    if bought is None:
        return f"No price of the last 12 months to buy {b.card.name} is known; type yours."
    if sold is None:
        return (
            f"The new card costs {dollars(bought.usd)}; no used price of the last 12 months of {a.card.name} is "
            "known, type what yours brings."
        )
    return (
        f"It costs {dollars(net or 0.0)} after selling the old one: {dollars(bought.usd)} less {dollars(sold.usd)}"
        "; asking prices, a seller keeps less."
    )


def _gain_words(net: float | None, gain: float | None, a: Facts, b: Facts) -> list[str]:
    if net is None or net <= 0:
        return []
    said = []
    if gain is not None and gain > 0:
        said.append(f"{dollars(net / gain)} for each further token a second")
    more = (b.card.memory_gb or 0.0) - (a.card.memory_gb or 0.0)
    if a.card.memory_gb and b.card.memory_gb and more > 0:
        said.append(f"{dollars(net / more)} for each further GB of memory")
    return [f"That is {' and '.join(said)}."] if said else []


def _newly(known: Known, a: Facts, b: Facts, context: int) -> list[tuple[Model, str | None, str]]:
    """Models that the new card holds at a better quantization, or at all; the largest first."""
    found = []
    for model in known.models.values():
        if model.is_language:
            old, new = (best_quant(facts, model, context) for facts in (a, b))
            if new is not None and (old is None or QUANTS.index(new) < QUANTS.index(old)):
                found.append((model, old, new))
    return sorted(found, key=lambda entry: (entry[1] is not None, -parameters(entry[0]), entry[0].id))


def best_quant(facts: Facts, model: Model, tokens: int) -> str | None:
    """The best quantization at which a card holds a model, at most its own context long."""
    length = min(tokens, model.context or tokens)
    for quant in QUANTS:
        asked = request_checked(Request(quant, context=length, prompt_tokens=1), model)
        if required(facts.card, model, asked).fits:
            return quant
    return None


def _compared(a: Facts, b: Facts, able: Sequence[Ability], watts: float | None, year: float | None) -> AnswerTable:
    rates = [
        [words("Speed, tokens/s"), *(_rate(one) for one in able), number(_ratio(able))],
        [
            words("80 % interval"),
            *(number(span(o.rate.p10, o.rate.p90) if o.rate and fits(o) else "–") for o in able),
            number(""),
        ],
    ]
    return AnswerTable(
        "Side by side",
        (("What", None), ("Now", ""), ("New", ""), ("Difference", "")),
        [
            [
                words("Room for your model, GB"),
                *(known(None if o.room_gib is None else f"{o.room_gib:.1f}") for o in able),
                known(_room_difference(able)),
            ],
            *rates,
            [
                words("Memory, GB"),
                *(known(None if f.card.memory_gb is None else figure(f.card.memory_gb)) for f in (a, b)),
                number(""),
            ],
            [
                words("Board power, W"),
                *(known(None if f.power_w is None else figure(f.power_w)) for f in (a, b)),
                known(None if watts is None else figure(watts)),
            ],
            [words("Electricity a year, USD"), number(""), number(""), known(None if year is None else money(year))],
        ],
    )


def _rate(one: Ability) -> TableCell:
    if one.rate is None or not fits(one):
        return number("–")
    return number(figure(one.rate.median), "measured" if one.measured else "estimated")


def _ratio(able: Sequence[Ability]) -> str:
    times = _times(able[0], able[1])
    return "–" if times is None else f"× {figure(times[1])}"


def _room_difference(able: Sequence[Ability]) -> str | None:
    old, new = able[0].room_gib, able[1].room_gib
    return None if old is None or new is None else f"{new - old:.1f}"


def _prices(a: Facts, b: Facts, bought: CardPrice | None, sold: CardPrice | None) -> AnswerTable:
    rows = [
        [
            card(f"{what} {facts.card.name}", facts.card.id),
            number(money(price.usd), "price"),
            words(price.date),
            words(price.kind),
            source_of(facts, price),
        ]
        for what, facts, price in (("Buy", b, bought), ("Sell", a, sold))
        if price is not None
    ]
    heads = (("Deal", None), ("USD", ""), ("Seen", None), ("Kind", None), ("Who", None))
    return AnswerTable("Prices", heads, rows)


def _newly_table(newly: Sequence[tuple[Model, str | None, str]]) -> AnswerTable:
    rows = [
        [words(model.name), number(figure(parameters(model) / 1e9)), words(old or "–"), words(new)]
        for model, old, new in newly
    ]
    heads = (("Model", None), ("Parameters", "billion"), ("Before", None), ("After", None))
    return AnswerTable("What newly fits, or fits better", heads, rows)
