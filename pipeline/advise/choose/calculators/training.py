"""The hours and the money of one training run on a card, and the cheapest offers for the same run.

Training time = 6 · parameters · tokens / (cards · share · peak) (Kaplan et al., arXiv 2001.08361, section 2.1; 4 where
the base is frozen), the share as measured steps reach it, or whole published runs on more than one machine.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pipeline.advise.choose.calculators.buy_or_rent import (
    HOURS,
    MONTHS,
    PUE,
    RESALE,
    TARIFF,
    WATTS_A_KW,
    WEEKS_A_MONTH,
    kept_share,
    prices_table,
    resale_note,
    source_of,
    tariff_note,
    tariff_usd,
)
from pipeline.advise.choose.calculators.card_facts import Facts, Known, best_price, own
from pipeline.advise.choose.calculators.fields import MARKET, amount, choice, whole
from pipeline.advise.choose.calculators.fields import CalculatorInput as Input
from pipeline.advise.choose.calculators.sheet import (
    AnswerTable,
    CalculatorAnswer,
    TableCell,
    card,
    known,
    number,
    words,
)
from pipeline.advise.choose.calculators.words import dollars, figure, gib, hours, money, money_span, span, times
from pipeline.advise.choose.catalogue import COUNTS, HOUR, Ability, fits
from pipeline.advise.choose.costs import REST_OF_MACHINE_W, START_HOURS
from pipeline.advise.choose.need import Need, NeedError

TASKS = {
    "qlora": "QLoRA, 4-bit base",
    "lora": "LoRA, 16-bit base",
    "full": "all weights",
    "train": "from scratch",
}
DOES = {
    "qlora": "QLoRA fine-tuning of",
    "lora": "LoRA fine-tuning of",
    "full": "Fine-tuning every weight of",
    "train": "Training from scratch",
}
MILLION, MOST_TOKENS = 1e6, 1e15
OFFERS = 10
CHEAPER = 1 - 1e-6  # more cards for the same money are not taken: sharing the work out may cost something
FIELDS: tuple[Input, ...] = (
    Input("model", "Model", "model", "llama-3.1-8b-instruct"),
    choice("task", "Train", "qlora", TASKS),
    whole("examples", "Examples", 10_000, 1, 1e12),
    whole("each", "Tokens in each", 512, 1, 1e8),
    amount("epochs", "Times over", 3.0, 0.01, 10_000),
    amount("tokens", "Or tokens in all", None, 0.001, 1e9, "million"),
    Input("gpu", "GPU", "gpu", "nvidia-geforce-rtx-3090"),
    whole("gpus", "How many", 1, 1, 1024),
    whole("context", "Longest example", 2048, 1, 1e7, "tokens"),
    whole("batch", "Batch on each", 1, 1, 65_536),
    amount("rent", "Rent of one", None, 0.001, 1000, "dollars an hour"),
    amount("price", "Price of one", None, 1, 1e6, "dollars"),
    TARIFF,
    MARKET,
    PUE,
    HOURS,
    MONTHS,
    RESALE,
)

ASSUMED = (
    "Time = 6 operations for each parameter and token (4 where the base is frozen), and 2 more where activations are "
    "recomputed, with what a step moves through memory, as measured steps tell; a run from scratch on more than eight "
    "GPUs keeps the share of the 16-bit peak that whole published runs kept. Several cards wait for one another over "
    "their link where the model is shared out. Not counted: preparing data, trial runs, storage and traffic."
)


@dataclass(frozen=True, slots=True)
class RunHours:
    """Hours of a run: middle, fast end, slow end."""

    middle: float
    fast: float
    slow: float


def answer(asked: dict[str, Any], known: Known) -> CalculatorAnswer:
    """Hours as an interval, what they cost to rent and of one's own, and who does it for the least."""
    facts, count, model = known.facts[asked["gpu"]], asked["gpus"], known.models[asked["model"]]
    tokens = _tokens(asked)
    ability = does(known, facts, count, asked)
    run = _run(facts, ability, tokens)
    rented = own(asked["rent"]) if asked["rent"] is not None else facts.rent
    rent = None if rented is None else rented.usd * count
    paid = None if rent is None else rent * billed(run.middle)
    what = f"{DOES[asked['task']]} {model.name} on {figure(tokens / MILLION)} million tokens with"
    name = times(facts.card.name, count)
    lead = f"{what} {name}: {_lead(facts, ability, run, paid)}"
    bought = own(asked["price"]) if asked["price"] is not None else best_price(facts)
    energy = _energy_usd(facts, count, run.middle, asked)
    share = None if bought is None else _share(bought.usd * count, kept_share(facts, known, asked), run.middle, asked)
    used = tuple((what, price) for what, price in (("to rent, an hour", rented), ("to buy", bought)) if price)
    return CalculatorAnswer(
        lead,
        (*_notes(facts, ability), *(resale_note(facts, known, asked) if bought else ()), *tariff_note(asked)),
        (
            _costs(run, rent, energy, share),
            _offers(known, tokens, asked),
            *((prices_table(facts, used),) if used else ()),
        ),
        None,
        {
            "hours": run.middle,
            "hours_fast": run.fast,
            "hours_slow": run.slow,
            "room_gib": ability.room_gib,
            "rent_usd": paid,
            "energy_usd": energy,
            "share_usd": share,
        },
    )


def does(known: Known, facts: Facts, count: int, asked: dict[str, Any]) -> Ability:
    """Memory and speed of the recommender for this training."""
    need = Need(asked["task"], asked["model"], context=asked["context"], batch=asked["batch"])
    return known.on.ability(facts.card.id, count, need)


def billed(hours: float) -> float:
    """Hours that a rental is paid for: those in which the machine starts come before the run."""
    return hours + START_HOURS


def _tokens(asked: dict[str, Any]) -> float:
    if asked["tokens"] is not None:
        return float(asked["tokens"] * MILLION)
    tokens = float(asked["examples"] * asked["each"] * asked["epochs"])
    if tokens > MOST_TOKENS:
        raise NeedError(f"Examples × tokens in each × times over is {tokens:g} tokens; the most is {MOST_TOKENS:g}")
    return tokens


def _run(facts: Facts, ability: Ability, tokens: float) -> RunHours:
    if ability.rate is None:
        raise NeedError(f"{facts.card.name}: {ability.problem or 'its speed is not known'}")
    rates = (ability.rate.median, ability.rate.p90, ability.rate.p10)
    ends = [tokens / rate / HOUR if rate > 0 else math.inf for rate in rates]
    if not all(map(math.isfinite, ends)):
        raise NeedError(f"{figure(tokens)} tokens never end on {facts.card.name}; take fewer tokens")
    return RunHours(*ends)


def _lead(facts: Facts, ability: Ability, run: RunHours, paid: float | None) -> str:
    took = f"{hours(run.middle)} ({hours(run.fast)} to {hours(run.slow)})"
    if ability.usable_gib is None:
        return f"{took}, if it fits: the memory of {facts.card.name} is the buyer’s choice or not known."
    if not fits(ability):
        missing = gib(ability.needed_gib - ability.usable_gib)
        return f"it does not fit, {missing} of {gib(ability.needed_gib)} are missing; it would take {took}."
    return f"{took}." if paid is None else f"{took} and {dollars(paid)} to rent."


def _notes(facts: Facts, ability: Ability) -> Iterator[str]:
    if facts.no_training:
        yield f"{facts.card.name}: {facts.no_training}."
    if ability.usable_gib is not None and fits(ability):
        yield f"It fits, with {gib(ability.usable_gib - ability.needed_gib)} of memory to spare."
    yield f"The hours are {ability.statement}."
    if facts.inferred:
        yield "No source states its 16-bit matrix rate; related cards have it in the same ratio to the FP32 rate."


def _energy_usd(facts: Facts, count: int, run_hours: float, asked: dict[str, Any]) -> float | None:
    if facts.power_w is None:
        return None
    kw = (facts.power_w * count + REST_OF_MACHINE_W) / WATTS_A_KW
    return float(kw * run_hours * tariff_usd(asked) * asked["pue"])


def _share(price: float, kept: float, run_hours: float, asked: dict[str, Any]) -> float:
    """What the run uses up of a bought card: its part of all the hours until the card is sold."""
    life = asked["hours_per_week"] * WEEKS_A_MONTH * asked["months"]
    return float(price * (1 - kept) * min(1.0, run_hours / life))


def _costs(run: RunHours, rent: float | None, energy: float | None, share: float | None) -> AnswerTable:
    ends = None if rent is None else [rent * billed(h) for h in (run.middle, run.fast, run.slow)]
    mine = None if energy is None or share is None else energy + share
    rows = [
        [
            words("Rent it"),
            known(money(ends[0]) if ends else None),
            number(money_span(ends[1], ends[2]) if ends else ""),
            words(f"the whole run, with {hours(START_HOURS)} in which the machine starts"),
        ],
        [
            words("Your own: electricity"),
            known(None if energy is None else money(energy)),
            number(""),
            words(f"the board’s limit and {REST_OF_MACHINE_W:g} W for the machine"),
        ],
        [
            words("Your own: the card’s share"),
            known(None if share is None else money(share)),
            number(""),
            words("its loss of value by hours of use"),
        ],
        [words("Your own: together"), known(None if mine is None else money(mine)), number(""), words("")],
    ]
    return AnswerTable("What the run costs", (("What", None), ("Cost", "USD"), ("Range", "USD"), ("How", None)), rows)


def _offers(known: Known, tokens: float, asked: dict[str, Any]) -> AnswerTable:
    """Of each card the cheapest count that holds it, the cheapest card first."""
    best: dict[str, tuple[float, float, str, int, RunHours]] = {}
    for gpu, facts in known.facts.items():
        for count in COUNTS if facts.rent and not facts.no_training else ():
            found = _offer(known, facts, count, tokens, asked)
            if found and (gpu not in best or found[0] < best[gpu][0] * CHEAPER):
                best[gpu] = found
    ranked = sorted(best.values(), key=lambda offer: offer[:4])[:OFFERS]
    heads = (
        ("Cheapest to rent", None),
        ("Cost", "USD"),
        ("Seen", None),
        ("Hours", ""),
        ("80 % interval", "hours"),
        ("One GPU-hour", "USD"),
        ("Who", None),
    )
    return AnswerTable("The cheapest offers that hold it", heads, [_offer_row(known.facts[o[2]], o) for o in ranked])


def _offer(
    known: Known, facts: Facts, count: int, tokens: float, asked: dict[str, Any]
) -> tuple[float, float, str, int, RunHours] | None:
    rent = facts.rent
    if rent is None or count < rent.least_gpus or (rent.most_gpus is not None and count > rent.most_gpus):
        return None
    ability = does(known, facts, count, asked)
    if ability.rate is None or not fits(ability):
        return None
    try:
        run = _run(facts, ability, tokens)
    except NeedError:
        return None
    return rent.usd * count * billed(run.middle), run.middle, facts.card.id, count, run


def _offer_row(facts: Facts, offer: tuple[float, float, str, int, RunHours]) -> list[TableCell]:
    cost, _, gpu, count, run = offer
    rent = facts.rent
    assert rent is not None  # only what is offered is ranked
    return [
        card(times(facts.card.name, count), gpu),
        number(money(cost), "computed"),
        words(rent.date),
        number(figure(run.middle)),
        number(span(run.fast, run.slow), "estimated"),
        number(money(rent.usd), "price"),
        source_of(facts, rent),
    ]
