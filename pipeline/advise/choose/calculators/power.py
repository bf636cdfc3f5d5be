"""What a card draws, heats and costs in electricity, and the power supply it asks for."""

from __future__ import annotations

from typing import Any

from pipeline.advise import rules
from pipeline.advise.choose.calculators.buy_or_rent import (
    HOURS,
    MONTHS_A_YEAR,
    PUE,
    TARIFF,
    WATTS_A_KW,
    tariff_note,
    tariff_usd,
)
from pipeline.advise.choose.calculators.card_facts import Facts, Known
from pipeline.advise.choose.calculators.fields import MARKET, amount, whole
from pipeline.advise.choose.calculators.fields import CalculatorInput as Input
from pipeline.advise.choose.calculators.sheet import AnswerTable, CalculatorAnswer, number, words
from pipeline.advise.choose.calculators.words import dollars, figure, money, times
from pipeline.advise.choose.costs import PSU_SHARE, REST_OF_MACHINE_W, REST_W, SUPPLIES_W
from pipeline.advise.choose.need import NeedError

WEEKS_A_YEAR = 52
BTU_A_WATT_HOUR = 3.412
VOLTS = (120, 230)
FIELDS: tuple[Input, ...] = (
    Input("gpu", "GPU", "gpu", "nvidia-geforce-rtx-4090"),
    whole("gpus", "How many", 1, 1, 64),
    HOURS,
    TARIFF,
    MARKET,
    PUE,
    amount("watts", "Power of one", None, 1, 20_000, "W"),
    amount("rest", "Rest of the machine", REST_OF_MACHINE_W, 0, 20_000, "W"),
)

ASSUMED = (
    f"Assumptions of ours: {REST_OF_MACHINE_W:g} W for processor, memory, fans and losses at work and {REST_W:g} "
    f"W at most; a supply gives {100 * PSU_SHARE:g} % of what is printed on it for long. All power ends as heat "
    "in the room. Not counted: hours in which the card idles."
)


def answer(asked: dict[str, Any], known: Known) -> CalculatorAnswer:
    """Energy = W / 1000 × hours × PUE; measured watts where there are any, else the board's limit."""
    facts, count = known.facts[asked["gpu"]], asked["gpus"]
    each, machine, kind, basis = _watts(facts, asked["watts"])
    work = each * count + (0.0 if machine else asked["rest"])
    kwh = work / WATTS_A_KW * asked["hours_per_week"] * WEEKS_A_YEAR * asked["pue"]
    year = kwh * tariff_usd(asked)
    most = max(facts.power_w or 0.0, each) * count + max(REST_W, asked["rest"])
    name = times(facts.card.name, count)
    lead = (
        f"{name} at work {figure(asked['hours_per_week'])} hours a week: {figure(kwh)} kWh and {dollars(year)} "
        f"a year, {dollars(year / MONTHS_A_YEAR)} a month."
    )
    notes = (f"{figure(work)} W with the machine, {basis}.", *tariff_note(asked), *_supply(facts, count, most))
    return CalculatorAnswer(
        lead,
        notes,
        (_energy(work, kind, kwh, year), _wall(most)),
        None,
        {
            "watts": work,
            "kwh_per_year": kwh,
            "usd_per_year": year,
            "heat_btu_per_hour": work * BTU_A_WATT_HOUR,
            "most_w": most,
            "supply_w": supply_w(most),
        },
    )


def supply_w(most_w: float) -> float | None:
    """The supply for a machine that draws this at most, PSU_SHARE of what it gives; None beyond the largest."""
    return rules.size_for(most_w / PSU_SHARE, SUPPLIES_W)


def _watts(facts: Facts, typed: float | None) -> tuple[float, bool, str, str]:
    """Watts of one card, whether the machine is in them, their kind and on what they rest."""
    if typed is not None:
        return typed, False, "computed", "from the power that you typed"
    if facts.measured is not None:
        return facts.measured.watts, facts.measured.machine, "measured", f"measured: {facts.measured.words}"
    if facts.power_w is None:
        raise NeedError(f"no source states the power of {facts.card.name}; type it")
    basis = "from the board’s limit, an upper bound: nobody has measured this card at work for the dataset"
    return facts.power_w, False, "computed", basis


def _supply(facts: Facts, count: int, most: float) -> tuple[str, ...]:
    size = supply_w(most)
    if size is None:
        return (f"{figure(most)} W at most ask for more than one power supply.",)
    said = (
        f"Power supply: {figure(size)} W, so that {figure(most)} W at most stay below "
        f"{figure(100 * PSU_SHARE)} % of what it can give."
    )
    if facts.psu_w is None or count > 1:
        return (said,)
    return (f"{said} The maker recommends {figure(facts.psu_w)} W.",)


def _energy(work: float, kind: str, kwh: float, year: float) -> AnswerTable:
    rows = (
        ("Power at work", work, "W", kind),
        ("Energy a year", kwh, "kWh", "computed"),
        ("Heat", work * BTU_A_WATT_HOUR, "BTU/h", "computed"),
    )
    cells = [[words(what), number(figure(value), of), words(unit)] for what, value, unit, of in rows]
    cells.append([words("Cost a year"), number(money(year), "computed"), words("USD")])
    return AnswerTable("Energy, heat and cost", (("What", None), ("Amount", ""), ("Unit", None)), cells)


def _wall(most: float) -> AnswerTable:
    rows = [[words(f"{volts} V"), number(figure(most / volts), "computed")] for volts in VOLTS]
    return AnswerTable("What it draws from the wall at most", (("Voltage", None), ("Current", "A")), rows)
