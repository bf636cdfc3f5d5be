"""A configuration and a need in, what it costs out: every cost is a straight line in the price of one GPU."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pipeline.choose.market import Way
from pipeline.choose.need import Need
from pipeline.choose.shelf import HOUR, Ability

# What a machine for that many GPUs costs beyond one that the reader already has: one card goes into a PC that stands
# there; two need a larger power supply; four an open frame or workstation board with lanes for all; eight a server.
# Round assumptions of this project, no source: type your own (host_usd).
HOST_USD: Mapping[int, float] = {1: 0.0, 2: 300.0, 4: 2_000.0, 8: 8_000.0}
# A bought machine at work takes this besides the GPUs: processor, memory, fans, losses (an assumption).
REST_OF_MACHINE_W = 100.0
ONE_HOUR_BILLED = 1.0  # a rental is paid from start to stop, and loading model and data takes time: at least an hour


@dataclass(frozen=True, slots=True)
class Line:
    """fixed + slope × price of one GPU (or GPU-hour)."""

    fixed: float
    slope: float

    def at(self, price: float) -> float:
        """The cost at this price."""
        return self.fixed + self.slope * price

    def price_for(self, cost: float) -> float:
        """The price at which it costs this."""
        return (cost - self.fixed) / self.slope


@dataclass(frozen=True, slots=True)
class Cost:
    """What an option costs: at once, over the period that the need names, and for a million of its work."""

    paid: Line  # upfront to buy; for one run, or over the horizon, to rent
    total: Line  # of one run, or of a month
    per_million: Line | None  # tokens or images, at full load
    monthly: Line  # for the budget per month
    run_hours: float | None
    run_hours_range: tuple[float, float] | None
    power_w: float | None
    energy_usd: float  # of the run or the month; 0 to rent
    used_hours: float  # of the run or of a month


def host_usd(count: int, need: Need) -> float:
    """What the machine around bought GPUs costs."""
    return need.host_usd if need.host_usd is not None else HOST_USD[count] / need.money.usd


def cost(way: Way, count: int, ability: Ability, board_w: float | None, need: Need) -> Cost:
    """Work out the cost lines of a configuration."""
    hours, span = _run_hours(ability, need)
    used = (hours if hours is not None else 1.0) if need.rule.once else need.hours_per_month
    billed = max(used, ONE_HOUR_BILLED) if way == "rent" and need.rule.once else used
    power = None if board_w is None else board_w * count
    energy = 0.0 if way == "rent" else energy_usd(power or 0.0, used, need.electricity_usd_per_kwh)
    paid, total, monthly = _rent(count, billed, need) if way == "rent" else _buy(count, energy, need)
    return Cost(paid, total, _per_million(total, used, ability), monthly, hours, span, power, energy, used)


def energy_usd(gpus_w: float, used_hours: float, usd_per_kwh: float) -> float:
    """Electricity of a bought machine at work: (GPUs + rest of the machine) × hours × tariff."""
    return (gpus_w + REST_OF_MACHINE_W) / 1000 * used_hours * usd_per_kwh


def _run_hours(ability: Ability, need: Need) -> tuple[float | None, tuple[float, float] | None]:
    if need.units is None or ability.rate is None:
        return None, None
    rate = ability.rate
    hours = [need.units / value / HOUR for value in (rate.median, rate.p90, rate.p10)]
    return hours[0], (hours[1], hours[2])


def _rent(count: int, billed: float, need: Need) -> tuple[Line, Line, Line]:
    total = Line(0.0, count * billed)
    paid = total if need.rule.once else Line(0.0, count * billed * need.horizon_months)
    return paid, total, total


def _buy(count: int, energy: float, need: Need) -> tuple[Line, Line, Line]:
    host = host_usd(count, need)
    spread = 1.0 if need.rule.once else need.horizon_months
    lost = count * (1 - need.resale_share) / spread
    total = Line(host * (1 - need.resale_share) / spread + energy, lost)
    return Line(host, float(count)), total, total


def _per_million(total: Line, used: float, ability: Ability) -> Line | None:
    if ability.rate is None or used <= 0:
        return None
    millions = ability.rate.median * used * HOUR / 1e6
    return Line(total.fixed / millions, total.slope / millions)
