"""After how many hours of use a bought card has cost less than a rented one.

Break-even hours = (price − resale + host) / (rent per hour − tariff × kW × PUE − upkeep per hour).
"""

from __future__ import annotations

import math
from typing import Any

from pipeline.advise.choose import electricity
from pipeline.advise.choose.calculators.card_facts import CardPrice, Facts, Known, best_price, buy_price, rent_price
from pipeline.advise.choose.calculators.fields import MARKET, amount, whole
from pipeline.advise.choose.calculators.fields import CalculatorInput as Input
from pipeline.advise.choose.calculators.picture import CostLine, drawn
from pipeline.advise.choose.calculators.sheet import AnswerTable, CalculatorAnswer, card, number, source, words
from pipeline.advise.choose.calculators.words import dollars, figure, money, times
from pipeline.advise.choose.costs import HOST_USD, REST_OF_MACHINE_W
from pipeline.advise.choose.need import Need, NeedError
from pipeline.core import currencies
from pipeline.derive.prices.rules import MARKETS

NEVER = "renting never costs more"
AT_ONCE = "buying is cheaper from the first hour"
WEEKS_A_MONTH, HOURS_A_WEEK, MONTHS_A_YEAR = 52 / 12, 168, 12
WATTS_A_KW = 1000
PLAIN = Need()
# What every calculator of money asks. Without a tariff, what households of the reader's market pay counts.
TARIFF = amount("tariff", "Electricity", None, 0, 10, "dollars a kWh")
PUE = amount("pue", "PUE of the building", 1.0, 1, 3)
HOURS = amount("hours_per_week", "Hours a week", PLAIN.hours_per_week, 0.1, 168)
MONTHS = amount("months", "Months until sold", PLAIN.horizon_months, 1, 120)
RESALE = amount("resale", "Brings then", None, 0, 100, "% of the price")
FIELDS: tuple[Input, ...] = (
    Input("gpu", "GPU", "gpu", "nvidia-geforce-rtx-3090"),
    whole("gpus", "How many", 1, 1, 8),
    amount("price", "Price of one", None, 1, 1e6, "dollars"),
    amount("rent", "Rent of one", None, 0.001, 1000, "dollars an hour"),
    HOURS,
    MONTHS,
    RESALE,
    TARIFF,
    MARKET,
    PUE,
    amount("watts", "Power of one", None, 1, 20_000, "W"),
    amount("host", "Machine around it", None, 0, 1e6, "dollars"),
    amount("upkeep", "Upkeep", 0.0, 0, 1000, "dollars an hour"),
)

_HOSTS = ", ".join(f"{usd:,.0f} dollars for {size}" for size, usd in HOST_USD.items())
ASSUMED = (
    "Electricity costs what households in your market pay, and a card brings what used ones have kept by age; a new "
    "one falls to the price of a used one first. The answer names both. Assumptions of ours, type your own: the limit "
    f"of the board as its power, {REST_OF_MACHINE_W:g} W for the rest of the machine, and around the cards a machine "
    f"of {_HOSTS}. Not counted: your time, noise, tax, moving data, a card that fails."
)


def break_even(kept_usd: float, saved_usd_per_hour: float) -> tuple[float | None, str]:
    """Hours of use after which buying has cost less (None: never), and the words for it."""
    if saved_usd_per_hour <= 0:
        return None, NEVER
    if kept_usd <= 0:
        return 0.0, AT_ONCE
    after = kept_usd / saved_usd_per_hour
    return after, f"after {figure(after)} hours of use buying costs less"


def answer(asked: dict[str, Any], known: Known) -> CalculatorAnswer:
    """Work out the break-even, and both bills over the months that the card is kept."""
    facts, count = known.facts[asked["gpu"]], asked["gpus"]
    bought, rented = buy_price(facts, asked["price"]), rent_price(facts, asked["rent"])
    kw = (power_each(facts, asked["watts"]) * count + REST_OF_MACHINE_W) / WATTS_A_KW
    host = asked["host"] if asked["host"] is not None else host_usd(count)
    resale = bought.usd * count * kept_share(facts, known, asked)
    kept = bought.usd * count - resale + host
    hourly, power = rented.usd * count, tariff_usd(asked) * kw * asked["pue"]
    running = power + asked["upkeep"]
    after, said = break_even(kept, hourly - running)
    used = asked["hours_per_week"] * WEEKS_A_MONTH * asked["months"]
    rent_all, buy_all = hourly * used, kept + running * used
    name = times(facts.card.name, count)
    return CalculatorAnswer(
        f"{name}: {said}. {_bill(asked, used, rent_all, buy_all)}",
        (
            _when(after, asked),
            _how(kept, hourly, power, asked["upkeep"]),
            *resale_note(facts, known, asked),
            *tariff_note(asked),
        ),
        (
            _bills(asked, (bought.usd * count, host, resale, power * used, asked["upkeep"] * used), rent_all),
            prices_table(facts, (("to buy", bought), ("to rent, an hour", rented))),
        ),
        drawn(
            f"{name}: what renting and buying cost by hours of use",
            CostLine("rent", "renting", 0.0, hourly),
            CostLine("buy", "buying", kept, running),
            after,
            used,
        ),
        {
            "hours": after,
            "kept_usd": kept,
            "saved_usd_per_hour": hourly - running,
            "used_hours": used,
            "rent_usd": rent_all,
            "buy_usd": buy_all,
            "kw": kw,
        },
    )


def kept_share(facts: Facts, known: Known, asked: dict[str, Any]) -> float:
    """What is left of a card's price when it is sold: typed, or what used cards kept, after a new one's first drop."""
    typed: float | None = asked["resale"]
    if typed is not None:
        return typed / 100
    best = best_price(facts)
    share = best.first_share if best else 1.0
    return share * math.pow(known.on.kept.a_year, asked["months"] / MONTHS_A_YEAR)


def resale_note(facts: Facts, known: Known, asked: dict[str, Any]) -> tuple[str, ...]:
    """What the card was taken to bring, where nobody typed it."""
    if asked["resale"] is not None:
        return ()
    best, share = best_price(facts), kept_share(facts, known, asked)
    drop = (
        f", after a new one falls to {figure(100 * best.first_share)} % as soon as it is used"
        if best and best.first_share < 1
        else ""
    )
    yearly = figure(100 * known.on.kept.a_year)
    return (f"Sold for {figure(100 * share)} % of its price: used cards have kept {yearly} % a year{drop}.",)


def tariff_usd(asked: dict[str, Any]) -> float:
    """Dollars for a kilowatt-hour: typed, or what households of the market pay."""
    typed: float | None = asked["tariff"]
    return electricity.load()[asked["market"]].usd if typed is None else typed


def tariff_note(asked: dict[str, Any]) -> tuple[str, ...]:
    """What a kilowatt-hour was counted with, where nobody typed it, and whose price it is."""
    if asked["tariff"] is not None:
        return ()
    found = electricity.load()[asked["market"]]
    coin = currencies.load()[MARKETS[asked["market"]].currency]
    own = "" if coin.usd == 1 else f" ({coin.sign}{found.per_kwh:.3f} at {coin.usd:g} dollars)"
    return (f"Electricity costs ${found.usd:.3f} a kWh{own}, {found.words}.",)


def host_usd(count: int) -> float:
    """The machine around so many cards, by the table of the recommender: that of the next size there."""
    return HOST_USD[min(size for size in HOST_USD if size >= count)]


def power_each(facts: Facts, typed: float | None) -> float:
    """Watts of one card: typed, or the board's limit; NeedError where neither is known."""
    if typed is not None:
        return typed
    if facts.power_w is None:
        raise NeedError(f"no source states the power of {facts.card.name}; type it")
    return facts.power_w


def prices_table(facts: Facts, used: tuple[tuple[str, CardPrice], ...]) -> AnswerTable:
    """Every price that an answer rests on, with who asked it and when."""
    rows = [
        [words(what), number(money(price.usd), "price"), words(price.date), words(price.kind), source_of(facts, price)]
        for what, price in used
    ]
    heads = (("Price of one", None), ("USD", ""), ("Seen", None), ("Kind", None), ("Who", None))
    return AnswerTable("Prices", heads, rows)


def source_of(facts: Facts, price: CardPrice) -> Any:  # noqa: ANN401 - a Cell
    """Who asked a price, leading to the document or to the card's page, which lists all offers."""
    if price.url:
        return source(price.who, price.url)
    return card(price.who, facts.card.id) if price.date else words(price.who)


def _bill(asked: dict[str, Any], used: float, rent: float, buy: float) -> str:
    less, more, gap = ("renting", "buying", buy - rent) if rent <= buy else ("buying", "renting", rent - buy)
    share = figure(100 * asked["hours_per_week"] / HOURS_A_WEEK)
    return (
        f"At {figure(asked['hours_per_week'])} hours a week ({share} % of the time) for {figure(asked['months'])} "
        f"months ({figure(used)} hours) {less} costs {dollars(gap)} less than {more}."
    )


def _when(after: float | None, asked: dict[str, Any]) -> str:
    if after is None:
        return "An hour of rent costs no more than an hour of electricity and upkeep, so the price never comes back."
    if after == 0:
        return "What the card sells for at the end pays for it."
    weekly, kept = after / (asked["months"] * WEEKS_A_MONTH), figure(asked["months"])
    if weekly > HOURS_A_WEEK:
        return f"Renting costs less even if the card works day and night for {kept} months."
    return f"Over {kept} months buying costs less from {figure(weekly)} hours a week on."


def _how(kept: float, hourly: float, power: float, upkeep: float) -> str:
    return (
        f"Break-even = what the card loses and the machine costs ({dollars(kept)}) / (rent {money(hourly)} − "
        f"electricity {money(power)} − upkeep {money(upkeep)} dollars an hour)."
    )


def _bills(asked: dict[str, Any], parts: tuple[float, float, float, float, float], rent: float) -> AnswerTable:
    price, host, resale, energy, upkeep = parts
    rows = (
        ("Price", price, None),
        ("Machine around it", host, None),
        ("Electricity", energy, 0.0),
        ("Upkeep", upkeep, 0.0),
        ("Sold again", -resale, None),
        ("Rent", None, rent),
        ("Sum", price + host + energy + upkeep - resale, rent),
    )
    cells = [[words(what), *(number("–" if v is None else money(v)) for v in both)] for what, *both in rows]
    title = f"Both bills after {figure(asked['months'])} months"
    return AnswerTable(title, (("Item", None), ("Buy", "USD"), ("Rent", "USD")), cells)
