"""An answer in the words of the rules: what the page shows, and the same as plain text and as JSON for a command.

`view` is everything that the page lays out; the browser has it translated (pipeline/site/scripts).
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pipeline.advise import rules
from pipeline.advise.choose.answer import Answer, Aside, Choice, Option, WayOut, about, well_otherwise
from pipeline.advise.choose.market import PRICE_RULES
from pipeline.advise.choose.need import MEASURED, RULES, as_words
from pipeline.advise.choose.picture import picture

COMMAND = "python -m pipeline choose"
RANKED_SHOWN, LOST_SHOWN = 25, 40
Plain = dict[str, Any]
SHOWS: Mapping[str, Any] = RULES["shows"]
OPTION = {name: rules.sentence(text) for name, text in SHOWS["option"].items()}


def view(answer: Answer) -> Plain:
    """The answer as the page shows it; "" is unknown or not asked."""
    choices = [{**_choice(choice, answer), **_reasons(choice)} for choice in answer.choices]
    return {"choices": choices, **_besides(answer), **rest(answer)}


def opening(answer: Answer) -> Plain:
    """What a reader sees first: a browser shows it before it works out the rest."""
    return {"choices": [_choice(choice, answer) for choice in answer.choices], **_besides(answer)}


def reasons(answer: Answer) -> list[Plain]:
    """Of each choice what a page folds away: what to mind, what binds it, when it turns, and what else there is."""
    return [_reasons(choice) for choice in answer.choices]


def rest(answer: Answer, ways_out: Sequence[WayOut] | None = None) -> Plain:
    """What stands below: what costs far less, the curve, the ranking, why not another one, and ways out.

    Whoever has tried the ways out one by one hands them over.
    """
    need = answer.need
    return {
        "asides": [{"words": _aside(one)} for one in answer.asides],
        "meeting": _said("meeting", n=len(answer.meeting), well=sum(o.well for o in answer.meeting)),
        "chart": picture(answer.pool, answer.frontier, answer.choices, need) if answer.choices else None,
        "chart_words": _said("chart", n=len(answer.pool)),
        "sign": need.money.sign,
        "speed_unit": need.rule["unit"],
        "ranked": [row(option) for option in answer.ranked[:RANKED_SHOWN]],
        "ways_out": [
            {"change": way.change, "words": noted(way.option, None, way.lent)}
            for way in (answer.ways_out if ways_out is None else ways_out)
        ],
        "assumptions": list(assumptions(answer)),
        "command": command(as_words(need)),
        "lost_count": answer.lost_count,
        "passed": [{**_named(one.option), "reason": one.reason} for one in answer.passed],
    }


def lost(answer: Answer) -> list[Plain]:
    """Why each other GPU does not meet the need."""
    return [{**_named(option), "reason": option.failures[0].text} for option in answer.lost]


def option_words(option: Option) -> Plain:
    """Every text of an option."""
    return {name: says(option.env) for name, says in OPTION.items()}


def row(option: Option) -> Plain:
    """An option as a line of the ranking; what it misses of the standard comes with it."""
    return {**_named(option), **option_words(option), "narrow": "; ".join(f.text for f in option.narrow)}


def line(option: Option, lent: bool = False) -> str:
    """One line about an option; of a task that is lent without the memory that its model leaves free."""
    told = {**option.env, **option_words(option)}
    return rules.sentence(SHOWS["line"])({**told, "room": ""} if lent else told)


def given_up(option: Option, other: Option) -> list[str]:
    """What speaks against an option beside the chosen one, each as a sentence that goes on from "it"."""
    env = {**option.env, "other": other.compared}
    parts = [rules.sentence(r["says"])(env) for r in RULES["gives_up"] if rules.formula(r["when"])(env)]
    return parts or [str(RULES["nothing_given_up"])]


def gives_up(option: Option, other: Option) -> str:
    """The same in one sentence."""
    return ", ".join(given_up(option, other))


def remarks(option: Option) -> list[str]:
    """What is said of a chosen option besides its numbers."""
    return [rules.sentence(r["says"])(option.env) for r in RULES["remarks"] if rules.formula(r["when"])(option.env)]


def carried(option: Option, beside: Option | None = None) -> str:
    """What is said of an option wherever it is named, less what the chosen one's own remarks have said already."""
    said = remarks(beside) if beside else []
    rows = [r for r in RULES["remarks"] if r.get("carried") and rules.formula(r["when"])(option.env)]
    told = [rules.sentence(r["says"])(option.env) for r in rows]
    return "; ".join(text for text in told if text not in said)


def noted(option: Option, beside: Option | None = None, lent: bool = False) -> str:
    """One line about an option, with what it misses of the standard and what is said of it wherever it is named.

    Beside a chosen option the points of the standard stay out: the choices miss as many.
    """
    narrow = "" if beside else "; ".join(failure.text for failure in option.narrow)
    return _said("noted", line=line(option, lent), narrow=narrow, notes=carried(option, beside))


def binding(choice: Choice) -> str:
    """What keeps a cheaper option from being the choice; "" where nothing does."""
    if choice.binds is None:
        return ""
    best, failure = choice.binds
    return rules.sentence(SHOWS["binds"])({**best.env, "best": best.name, "failure": failure.text})


def turning(choice: Choice) -> str:
    """The price at which another option takes the place of the choice; "" where none does."""
    if choice.turns is None:
        return ""
    price, then, over = choice.turns
    told = {"then": then.name, "over": over, "notes": turn_notes(choice)}
    asked = {name: OPTION[name](then.env) for name in ("asked", "source")}
    return rules.sentence(SHOWS["flips"])({**choice.option.env, "at": price, **told, **asked})


def turn_notes(choice: Choice) -> str:
    """What to know of the option that takes the place of a choice, and why it does not do so at its own price."""
    if choice.turns is None:
        return ""
    (at, then, over), option = choice.turns, choice.option.env
    other = {"outlay": at * option["bought"], **{name: option[name] for name in ("kept_share", "energy", "speed")}}
    env = {**then.env, "other": other}
    bought = choice.option.way == "buy" and not over  # beyond the budget nothing is weighed
    why = (
        [] if not bought else [rules.sentence(r["says"])(env) for r in RULES["turned"] if rules.formula(r["when"])(env)]
    )
    return "; ".join([*why, *filter(None, [carried(then, choice.option)])])


def sure(choice: Choice) -> str:
    """Beside an estimated speed, which option with a measured one costs little more; "" where none does."""
    if choice.sure is None:
        return ""
    told = rules.sentence(SHOWS["sure"])({**choice.sure.env, **option_words(choice.sure)})
    return _said("noted", line=told, narrow="", notes=carried(choice.sure, choice.option))


def assumptions(answer: Answer, whole: bool = True) -> Iterator[str]:
    """What was taken for granted and can be typed over; without what each question sets for itself unless `whole`."""
    rows = [r for r in RULES["assumptions"] if whole or not r.get("of_question")]
    told = {"kept": answer.kept_a_year, "kept_words": answer.kept_words, "first_words": answer.first_words}
    env = {**about(answer.need), **told}
    yield from (rules.sentence(r["says"])(env) for r in rows if rules.formula(r["when"])(env))


def command(words: Mapping[str, str]) -> str:
    """The command that prints the same answer."""
    return " ".join((COMMAND, *(shlex.quote(f"{name}={text}") for name, text in words.items())))


def _besides(answer: Answer) -> Plain:
    """What stands above the choices, or in their place."""
    return {
        "only_narrow": RULES["only_narrow"] if answer.narrow else "",
        "owned": _owned(answer.owned) if answer.owned else "",
        "nothing": "" if answer.choices else _nothing(answer),
    }


def _choice(choice: Choice, answer: Answer) -> Plain:
    option = choice.option
    under = choice.cheapest
    cheapest = {**under.compared, "name": under.name} if under else None
    # Only what somebody owns is at hand, so nobody else waits for the asides here.
    eased = bool(answer.need.own) and any(aside.option.at_hand for aside in answer.asides)
    env = {
        **option.env,
        "n": len(answer.pool),
        "well": option.well or not (answer.narrow or option.at_hand),
        "cheapest": cheapest,
        "eased": eased,
    }
    same = _title(choice.same_as, env) if choice.same_as else ""
    return {
        "id": choice.id,
        "title": _title(choice.id, env),
        **_named(option),
        **option_words(option),
        "why": rules.sentence(RULES["choices"][choice.id]["why"])(env),
        "same": rules.sentence(RULES["same"])({"title": same}) if same else "",
        "narrow": "; ".join(f.text for f in option.narrow),
        "sure": sure(choice),
        "url": (option.env["price"] or {}).get("url", ""),
    }


def _reasons(choice: Choice) -> Plain:
    option = choice.option
    return {
        "remarks": "; ".join(remarks(option)),
        "binds": binding(choice),
        "turns": turning(choice),
        "alternatives": [
            {**_named(o), "words": noted(o, option), "gives_up": gives_up(o, option)} for o in choice.alternatives
        ],
    }


def _title(id: str, env: Mapping[str, Any]) -> str:
    return str(rules.sentence(RULES["choices"][id]["title"])(env))


def _aside(aside: Aside) -> str:
    narrow = "; ".join(failure.text for failure in aside.option.narrow)
    told = _said("eased" if aside.change else "cheaper", line=line(aside.option), narrow=narrow, change=aside.change)
    return _said("noted", line=told, narrow="", notes=carried(aside.option))


def _nothing(answer: Answer) -> str:
    close = next((o for o in answer.lost if well_otherwise(o)), None)
    near = close or (answer.lost[0] if answer.lost else None)
    told = {"best": near.name, "way": near.way, "failure": near.failures[0].text} if near else {"best": None}
    offered = any(o.way == "rent" for o in answer.lost)
    priced = any(o.way == "buy" and o.env["price"] and o.env["price"]["firm"] for o in answer.lost)
    asked = {name: about(answer.need)[name] for name in ("need", "market")}
    unmeasured = near is not None and near.failures[0].name == "speed" and answer.need.task in MEASURED
    asked["elsewhere"] = MEASURED[answer.need.task].get("elsewhere") if unmeasured else None
    return _said("nothing", **asked, offered=offered, priced=priced, close=close is not None, **told)


def _owned(option: Option) -> str:
    missed = "; ".join(failure.text for failure in (*option.failures, *option.narrow))
    return _said(
        "owned",
        meets=option.meets,
        well=option.well,
        name=option.name,
        line=line(option) if option.meets else "",
        missed=missed,
    )


def _named(option: Option) -> Plain:
    return {
        "gpu": option.env["card"]["id"],
        "vendor": option.vendor,
        "name": option.name,
        "card": option.env["card"]["name"],
        "way": option.way,
        "count": option.count,
    }


def _said(which: str, **env: object) -> str:
    return rules.sentence(SHOWS[which])(env)


# ---------------------------------------------------------------- for commands


def as_text(answer: Answer) -> str:
    """The answer as text that can be pasted into a message."""
    return "\n".join(_lines(answer)) + "\n"


def _lines(answer: Answer) -> Iterator[str]:
    shown, need = view(answer), answer.need
    what = ", ".join(filter(None, (need.rule["words"], need.model, need.quant if need.engine else "")))
    yield f"What: {what}"
    yield from ([f"{shown['owned']}."] if shown["owned"] else [])
    yield from (f"{one['words']}." for one in shown["asides"])
    yield from ([f"{shown['only_narrow']}:"] if shown["only_narrow"] else [])
    for choice, made in zip(shown["choices"], answer.choices, strict=True):
        yield f"{choice['title']}: {line(made.option)}"
        if choice["same"]:
            continue
        yield from ([f"  narrowly: {choice['narrow']}"] if choice["narrow"] else [])
        yield f"  why: {choice['why']}; {choice['parts']}"
        yield from (f"  {label}: {choice[name]}" for label, name in TOLD.items() if choice[name])
        yield from (
            f"  or: {other['words']}; beside the choice it {other['gives_up']}" for other in choice["alternatives"]
        )
    if not answer.choices:
        yield shown["nothing"]
        yield from (f"  way out: {way['change']} → {way['words']}" for way in shown["ways_out"])
    else:
        yield shown["meeting"]
        yield from (f"Why not {one['name']} to {one['way']}: {one['reason']}." for one in shown["passed"])
    yield "Why others lost:"
    yield from (f"  {one['name']} to {one['way']}: {one['reason']}" for one in lost(answer)[:LOST_SHOWN])
    yield "Taken for granted: " + "; ".join(shown["assumptions"])
    yield f"Prices: {PRICE_RULES['street']}. Rent: {PRICE_RULES['rent']}. Newest reading {answer.newest_reading}."


TOLD: Mapping[str, str] = {
    "measured": "sure",
    "mind": "remarks",
    "binds": "binds",
    "turns": "turns",
    "speed": "statement",
}


def as_json(answer: Answer) -> Plain:
    """The answer as plain JSON, amounts in the currency of the question; unknown is null."""
    need = answer.need
    return {
        "need": as_words(need) | {"model": need.model},
        "currency": {"code": need.money.code, "usd": need.money.usd, "date": need.money.date or None},
        "newest_reading": answer.newest_reading,
        "choices": {
            choice.id: {
                **_figures(choice.option),
                "narrowly": [f.text for f in choice.option.narrow],
                "turns_above": choice.turns[0] if choice.turns else None,
                "alternatives": [_figures(o) for o in choice.alternatives],
            }
            for choice in answer.choices
        },
        "frontier": [_figures(o) for o in answer.frontier],
        "ranked": [_figures(o) for o in answer.ranked[:RANKED_SHOWN]],
        "lost": [{"gpu": o.gpu, "count": o.count, "way": o.way, "reason": o.failures[0].text} for o in answer.lost],
        "ways_out": [
            {"change": way.change, **_figures(way.option), **({"room_gib": None} if way.lent else {})}
            for way in answer.ways_out
        ],
        "assumptions": list(assumptions(answer)),
    }


def _figures(option: Option) -> Plain:
    env, able = option.env, option.env["able"]
    price = env["price"] or {}
    return {
        "gpu": option.gpu,
        "name": option.name,
        "count": option.count,
        "way": option.way,
        "price": _digits(price.get("usd")),
        "price_listed": _digits(price.get("listed")),  # without the sales tax that was added to rank it
        "price_kind": price.get("kind"),
        "price_date": price.get("date"),
        "price_from": price.get("who"),
        "host": _digits(env["host_price"]),
        "rate": {name: _digits(able[name]) for name in ("low", "rate", "high")},
        "rate_unit": env["task"]["unit"],
        "rate_basis": "measured" if able["measured"] else "estimated",
        "room_gib": _digits(able["room"]),
        "month": _digits(env["month"]),
        "paid": _digits(env["paid_all"]),
        "million": _digits(env["million"]),
        "run_hours": _digits(env["run_hours"]),
        "power_w": env["watts"],
        "well": option.well,
    }


def _digits(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.6g}")
