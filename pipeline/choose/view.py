"""An answer in, every word and number of the chooser's page out as text: the page and the browser only lay it out."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

from pipeline.choose.answer import Alternative, Answer, period
from pipeline.choose.judge import Option, gib, hours, money, unit
from pipeline.choose.need import OBJECTIVES, Need, as_words
from pipeline.choose.words import RANKED_SHOWN, assumptions, flip_words, option_words, three

COMMAND = "python -m pipeline choose"
RANKED_FIRST = 5  # of those that meet the need; the next ones wait behind a door of their own
WORTH_SAYING = 0.1  # nobody sells at under this share of today's price
Plain = dict[str, Any]


def view(answer: Answer) -> Plain:
    """The answer as the page shows it; "" is unknown or not asked."""
    need = answer.need
    return {
        "pick": card(answer.first, need) if answer.first else None,
        "why": OBJECTIVES[need.ranked_by],
        "binding": answer.binding.text,
        "money": need.money.word, "sign": need.money.sign, "rate": need.money.rate_words,
        "flip": flip_words(answer.flip, need) if answer.flip else "",
        "workload": _workload(answer),
        "alternatives": [
            {**card(a.option, need), "why": a.why, "gives_up": a.gives_up,
             "below": _below(a, need)}
            for a in answer.alternatives
        ],
        "unpriced": [
            {"gpu": o.gpu.id, "vendor": o.gpu.text("vendor"), "name": o.name, "card": o.gpu.name,
             "reason": o.failures[0].text, "below": amount(price)}
            for o, price in answer.unpriced
        ],
        "ranked": [card(option, need) for option in answer.ranked[:RANKED_FIRST]],
        "further": [card(option, need) for option in answer.ranked[RANKED_FIRST:RANKED_SHOWN]],
        "further_words": _further(len(answer.ranked)),
        "total_is": period(need), "speed_unit": unit(need).removesuffix(" each"),
        "nearest": [
            {**card(o, need), "misses": "; ".join(f.text for f in o.failures)} for o in answer.nearest
        ],
        "ways_out": [{"change": way.change, "words": option_words(way.option, need)} for way in answer.ways_out],
        "offload": answer.offload,
        "assumptions": list(assumptions(need)),
        "command": command(as_words(need)),
    }  # fmt: skip


def lost(answer: Answer) -> list[Plain]:
    """Why each other GPU and way is not first."""
    return [{"gpu": o.gpu.id, "vendor": o.gpu.text("vendor"), "name": f"{o.name} to {o.way}", "reason": reason}
            for o, reason in answer.lost]  # fmt: skip


def card(option: Option, need: Need) -> Plain:
    """One option: its price and where that comes from, speed, room and costs."""
    cost, quote, able, room = option.cost, option.quote, option.ability, option.ability.room_gib
    spot, rate = option.price, option.ability.rate
    return {
        "gpu": option.gpu.id, "vendor": option.gpu.text("vendor"), "name": option.name, "way": option.way,
        "count": option.count, "card": option.gpu.name,
        "price": amount(spot) if quote else "", "each": _each(option),
        "from": quote.words if quote else "", "url": quote.url if quote else "",
        "speed": f"{three(rate.p10)} to {three(rate.p90)}" if rate else "",
        "middle": three(rate.median) if rate else "",
        "basis": "measured" if able.measured else "estimated", "basis_from": able.statement,
        "room": _room(room), "room_words": _room_words(room),
        "run": hours(cost.run_hours) if cost.run_hours is not None else "",
        "paid": amount(cost.paid.at(spot)) if quote else "",
        "total": amount(cost.total.at(spot)) if quote else "",
        "hour": amount(cost.total.at(spot) / cost.used_hours) if quote else "",
        "million": amount(cost.per_million.at(spot)) if quote and cost.per_million else "",
        "total_words": f"{money(cost.total.at(spot), need)} {period(need)}" if quote else "",
        "caveats": list(option.caveats),
    }  # fmt: skip


def amount(value: float) -> str:
    """Money in a table: whole from a hundred on, cents from one on, three digits below."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.2f}" if value >= 1 else three(value)


def command(words: Mapping[str, str]) -> str:
    """The command that prints the same answer."""
    return " ".join((COMMAND, *(shlex.quote(f"{name}={text}") for name, text in words.items())))


def _further(meeting: int) -> str:
    more = min(meeting, RANKED_SHOWN) - RANKED_FIRST
    return f"{more} more of the {meeting} that meet the need" if more > 0 else ""


def _below(other: Alternative, need: Need) -> str:
    price = other.wins_below
    if price is None or price < WORTH_SAYING * other.option.price:
        return ""
    return f"{amount(price)} {need.money.word} {_each(other.option)}"


def _each(option: Option) -> str:
    return "each" if option.way == "buy" else "a GPU-hour"


def _room(room: float | None) -> str:
    return "" if room is None else f"{room:.1f}"


def _room_words(room: float | None) -> str:
    if room is None:
        return ""
    return f"fits with {gib(room)} to spare" if room >= 0 else f"{gib(-room)} too little"


def _workload(answer: Answer) -> str:
    flow = answer.workload
    if flow is None:
        return ""
    return f"below {flow.amount:,.0f} {flow.unit} renting {flow.rent} is cheaper, above it buying {flow.buy}"
