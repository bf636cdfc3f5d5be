"""An answer in, plain JSON or plain text out: the same facts, rounded to what they are worth."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from pipeline.choose.answer import Alternative, Answer, period
from pipeline.choose.costs import HOST_USD, REST_OF_MACHINE_W, host_usd
from pipeline.choose.flip import Flip
from pipeline.choose.judge import Option, hours, money, unit
from pipeline.choose.market import PRICE_RULES
from pipeline.choose.need import OBJECTIVES, Need

RANKED_SHOWN, LOST_SHOWN = 25, 40


def as_json(answer: Answer) -> dict[str, Any]:
    """The answer as plain JSON, amounts in dollars but those of the need and of sentences; unknown is null."""
    need = answer.need
    return {
        "need": asdict(need),
        "currency": {"code": need.money.code, "usd": need.money.usd, "date": need.money.date or None},
        "newest_reading": answer.newest_reading,
        "objective": OBJECTIVES[need.ranked_by],
        "assumptions": list(assumptions(need)),
        "first": _option(answer.first, need) if answer.first else None,
        "binding_constraint": {"name": answer.binding.name, "text": answer.binding.text},
        "alternatives": [_alternative(a, need) for a in answer.alternatives],
        "flip": None if answer.flip is None else _flip(answer.flip, need),
        "workload_flip": None if answer.workload is None else asdict(answer.workload),
        "ranked": [_option(option, need) for option in answer.ranked[:RANKED_SHOWN]],
        "without_price": [
            {**_option(option, need), "first_below_usd": _usd(price, need)} for option, price in answer.unpriced
        ],
        "lost": [
            {"gpu": option.gpu.id, "count": option.count, "way": option.way, "reason": reason}
            for option, reason in answer.lost
        ],
        "nearest": [
            {**_option(option, need), "misses": [f.text for f in option.failures]} for option in answer.nearest
        ],
        "offload": answer.offload or None,
        "ways_out": [{"change": way.change, **_option(way.option, need)} for way in answer.ways_out],
    }


def as_text(answer: Answer) -> str:
    """The answer as text that can be pasted into a message."""
    return "\n".join(_lines(answer)) + "\n"


def assumptions(need: Need) -> Iterator[str]:
    """What was taken for granted and can be typed over."""
    word = need.money.word
    machine = money(need.host_usd, need) if need.host_usd is not None else ", ".join(
        f"{host_usd(count, need):,.0f} with {count}" for count in HOST_USD)  # fmt: skip
    if need.money.rate_words:
        yield need.money.rate_words
    yield f"the machine around the GPUs costs, in {word} beyond what you have: {machine}"
    yield f"electricity {need.electricity_usd_per_kwh:g} {word} a kWh, {REST_OF_MACHINE_W:.0f} W besides the GPUs"
    yield f"what you buy brings {need.resale_share:.0%} of its price when you sell it"
    if not need.rule.once:
        yield f"{need.hours_per_week:g} hours a week for {need.horizon_months:g} months"
    yield "power is the board's limit, an upper bound"


def option_words(option: Option, need: Need) -> str:
    """One line about an option: price and its date, speed, room, cost."""
    parts = [f"{option.name} to {option.way}"]
    if option.quote is not None:
        each = "each" if option.way == "buy" else "a GPU-hour"
        parts.append(f"{_price(option.quote.usd, need)} {each} ({option.quote.words})")
    rate = option.ability.rate
    if rate is not None:
        kind = "measured" if option.ability.measured else "estimated"
        parts.append(f"{three(rate.p10)} to {three(rate.p90)} {unit(need).removesuffix(' each')} ({kind})")
    room = option.ability.room_gib
    if room is not None:
        parts.append(f"{room:.1f} GiB to spare" if room >= 0 else f"{-room:.1f} GiB too little")
    if option.cost.run_hours is not None:
        parts.append(f"a run takes {hours(option.cost.run_hours)}")
    if option.total_usd is not None:
        parts.append(f"{money(option.total_usd, need)} {period(need)}")
    return "; ".join(parts)


def _lines(answer: Answer) -> Iterator[str]:
    need = answer.need
    yield f"What: {need.rule.words}, {need.model}" + (f", {need.quant}" if need.rule.engine else "")
    if answer.first is None:
        yield "Pick: nothing meets the need"
        for option in answer.nearest:
            yield f"  nearest: {option_words(option, need)}; {'; '.join(f.text for f in option.failures)}"
        if answer.offload:
            yield f"  way out: {answer.offload}"
        yield from (f"  way out: {way.change} → {option_words(way.option, need)}" for way in answer.ways_out)
    else:
        yield f"Pick: {option_words(answer.first, need)}"
        yield f"Why: {OBJECTIVES[need.ranked_by]}"
        yield from (f"  note: {caveat}" for caveat in answer.first.caveats)
        yield f"  speed: {answer.first.ability.statement}"
    yield f"What decides: {answer.binding.text}"
    yield "Alternatives:"
    for other in answer.alternatives:
        yield f"  {other.why}: {option_words(other.option, need)}"
        yield f"    gives up: {other.gives_up}"
    yield from _turning_points(answer)
    yield "Why others lost:"
    yield from (f"  {o.name} to {o.way}: {reason}" for o, reason in answer.lost[:LOST_SHOWN])
    yield "Taken for granted: " + "; ".join(assumptions(need))
    yield f"Prices: {PRICE_RULES['street']}. Rent: {PRICE_RULES['rent']}. Newest reading {answer.newest_reading}."


def _turning_points(answer: Answer) -> Iterator[str]:
    if answer.flip is not None:
        yield f"Turns: {flip_words(answer.flip, answer.need)}"
    flow = answer.workload
    if flow is not None:
        below, above = f"renting {flow.rent} is cheaper", f"buying {flow.buy}"
        yield f"Buy or rent: below {flow.amount:,.0f} {flow.unit} {below}, above it {above}"
    for option, price in answer.unpriced:
        why = option.failures[0].text
        yield f"  {option.name} has no price of today ({why}); it would be first below {_price(price, answer.need)}"


def flip_words(flip: Flip, need: Need) -> str:
    """The sentence about the price at which the pick changes."""
    each = "each" if flip.way == "buy" else "a GPU-hour"
    then = flip.then or "nothing meets the need"
    now = "no price now" if flip.price_now is None else f"now {_price(flip.price_now, need)}"
    # "then B; B costs the same" says B once.
    because = "" if flip.then and flip.because.startswith(flip.then) else f"; {flip.because}"
    return f"{flip.direction} {_price(flip.threshold, need)} {each} for {flip.name} ({now}): then {then}{because}"


def _option(option: Option, need: Need) -> dict[str, Any]:
    cost, quote, rate, spot = option.cost, option.quote, option.ability.rate, option.price
    known = quote is not None
    return {
        "gpu": option.gpu.id, "name": option.gpu.name, "count": option.count, "way": option.way,
        "price_usd": _usd(spot, need) if known else None, "price_kind": quote.kind if quote else None,
        "price_date": quote.date if quote else None, "price_from": quote.who if quote else None,
        "price_rankable": bool(quote and quote.firm), "lowest_usd": _usd(quote.lowest_usd, need) if quote else None,
        "providers": quote.providers if quote and option.way == "rent" else None,
        "host_usd": _usd(host_usd(option.count, need), need) if option.way == "buy" else 0.0,
        "needed_gib": _digits(option.ability.needed_gib), "usable_gib": _digits(option.ability.usable_gib),
        "room_gib": _digits(option.ability.room_gib),
        "rate": None if rate is None else {k: _digits(getattr(rate, k)) for k in ("p10", "median", "p90")},
        "rate_unit": unit(need).removesuffix(" each"),
        "rate_basis": "measured" if option.ability.measured else "estimated", "rate_from": option.ability.statement,
        "paid_usd": _usd(cost.paid.at(spot), need) if known else None,
        "total_usd": _usd(option.total_usd, need), "total_is": period(need),
        "usd_per_hour": _usd(cost.total.at(spot) / cost.used_hours, need) if known else None,
        "usd_per_month": _usd(cost.monthly.at(spot), need) if known and not need.rule.once else None,
        "usd_per_million": _usd(cost.per_million.at(spot), need) if known and cost.per_million else None,
        "run_hours": None if cost.run_hours is None or cost.run_hours_range is None else
            {"median": _digits(cost.run_hours), "p10": _digits(cost.run_hours_range[0]),
             "p90": _digits(cost.run_hours_range[1])},
        "power_w": cost.power_w, "energy_usd": _usd(cost.energy_usd, need), "caveats": list(option.caveats),
    }  # fmt: skip


def _alternative(other: Alternative, need: Need) -> dict[str, Any]:
    extra = {"why": other.why, "gives_up": other.gives_up, "first_below_usd": _usd(other.wins_below, need)}
    return {**_option(other.option, need), **extra}


def _flip(flip: Flip, need: Need) -> dict[str, Any]:
    now = None if flip.price_now is None else flip.price_now * need.money.usd
    amounts = {"price_now": now, "threshold": flip.threshold * need.money.usd}
    return {**asdict(flip), **amounts, "unit": flip.unit, "step_usd": flip.step, "text": flip_words(flip, need)}


def three(value: float) -> str:
    """Three significant digits, without an exponent."""
    return f"{float(f'{value:.3g}'):,g}"


def _usd(value: float | None, need: Need) -> float | None:
    return None if value is None else _digits(value * need.money.usd)


def _digits(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.6g}")


def _price(amount: float, need: Need) -> str:
    return f"{amount:,.{0 if amount >= 100 else 3}f} {need.money.word}"
