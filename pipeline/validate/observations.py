"""Rules on results and prices: positive or flagged, dated, once, and near what others saw."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from statistics import median

from pipeline.benchmarks import METRICS
from pipeline.schema import PRICE_KINDS, Price, Result
from pipeline.validate.base import Check, Evidence, Problem, is_day

# A rental offer this many times off the median of its GPU is a mistake in unit, count or currency. Marketplaces let
# cards for a twentieth of what a large cloud asks (A10, July 2026), nobody asks six times the median.
OFFER_AGAINST_MEDIAN = (1 / 25, 6)
ENOUGH_OFFERS = 5


def result_is_sound(evidence: Evidence) -> Iterator[Problem]:
    """A result is positive, or flagged as failed; it has a date and a known metric, and stands once."""
    counted = Counter((r.source, r.locator, r.gpu, r.metric) for r in evidence.results)
    for result in evidence.results:
        where, value = f"{result.source} ({result.locator})", result.value
        if value is None and not result.flag:
            yield Problem(where, result.metric, "", "no value and no flag that says why; add the flag")
        if value is not None and value <= 0:
            yield Problem(where, result.metric, f"{value:g}", "not above zero; a failed run has no value but a flag")
        if result.gpu_count < 1:
            yield Problem(where, "gpu_count", f"{result.gpu_count}", "at least one GPU took part; correct the count")
        if not is_day(result.date):
            yield Problem(where, "date", result.date, "no day as 2026, 2026-11 or 2026-11-21; correct it")
        if counted[result.source, result.locator, result.gpu, result.metric] > 1:
            yield Problem(where, result.metric, f"{value}", "stands twice; drop one, or give them different locators")


def metric_is_known(evidence: Evidence) -> Iterator[Problem]:
    """A result's metric is a word of the table, and runs in its direction."""
    for result in evidence.results:
        where, known = f"{result.source} ({result.locator})", METRICS.get(result.metric)
        if known is None:
            yield Problem(where, "metric", result.metric, f"not one of {', '.join(METRICS)}")
        elif known.higher_is_better != result.higher_is_better:
            step = f"the wrong direction of {result.metric}; correct one of the two"
            yield Problem(where, "higher_is_better", f"{result.higher_is_better}", step)


def price_is_sound(evidence: Evidence) -> Iterator[Problem]:
    """A price is positive, of a known kind, dated, and its per-GPU and per-machine figures belong together."""
    for price in evidence.prices:
        where = f"{price.source} ({price.locator})"
        amounts = (
            price.usd_per_gpu_hour,
            price.usd_per_machine_hour,
            price.usd_per_unit,
        )
        if price.kind not in PRICE_KINDS:
            yield Problem(where, "kind", price.kind, f"not one of {', '.join(PRICE_KINDS)}")
        if not any(amount is not None for amount in amounts):
            yield Problem(where, "price", "", "no amount at all; leave the row out")
        for amount in amounts:
            if amount is not None and amount <= 0:
                yield Problem(
                    where,
                    "price",
                    f"{amount:g}",
                    "not above zero; leave an unknown price out",
                )
        if not is_day(price.date):
            yield Problem(
                where,
                "date",
                price.date,
                "no day as 2026-11-21 or month as 2026-11; correct it",
            )
        yield from _machine_price(where, price)


def _machine_price(where: str, price: Price) -> Iterator[Problem]:
    machine, each, gpus = price.usd_per_machine_hour, price.usd_per_gpu_hour, price.gpus
    if machine and each and gpus and abs(each * gpus / machine - 1) > 0.02 and not price.flag:
        yield Problem(
            where, "usd_per_gpu_hour", f"{each:g}",
            f"{gpus:g} GPUs at that make {each * gpus:.4g}, not {machine:g} a machine-hour: "
            f"a machine's price stored as a GPU's? Correct it, or flag the row with the reason",
        )  # fmt: skip


def dates_are_past(evidence: Evidence) -> Iterator[Problem]:
    """No result and no price is of a day after the newest reading."""
    rows: list[Result | Price] = [*evidence.results, *evidence.prices]
    for row in rows:
        if row.date > evidence.newest_reading:
            where = f"{row.source} ({row.locator})"
            yield Problem(where, "date", row.date, f"in the future of the newest reading ({evidence.newest_reading})")


def rent_is_plausible(evidence: Evidence) -> Iterator[Problem]:
    """An offer that is far off the median of its GPU is flagged by its source, or refused here."""
    offers: dict[str, list[float]] = defaultdict(list)
    for price in evidence.prices:
        if price.kind == "on_demand" and price.usd_per_gpu_hour and not price.flag:
            offers[price.gpu].append(price.usd_per_gpu_hour)
    medians = {gpu: median(amounts) for gpu, amounts in offers.items() if len(amounts) >= ENOUGH_OFFERS}
    for price in evidence.prices:
        usual, amount = medians.get(price.gpu), price.usd_per_gpu_hour
        if not (usual and amount) or price.flag or price.kind != "on_demand":
            continue
        if not OFFER_AGAINST_MEDIAN[0] <= amount / usual <= OFFER_AGAINST_MEDIAN[1]:
            yield Problem(
                    f"{price.source} ({price.locator})", "usd_per_gpu_hour", f"{amount:g}",
                    f"{amount / usual:.2g} times the median of {usual:.3g} USD: a machine's price, another currency or "
                    f"a slice? Correct it, or flag the row with the reason", price.gpu,
                )  # fmt: skip


CHECKS: tuple[Check, ...] = (result_is_sound, metric_is_known, price_is_sound, dates_are_past, rent_is_plausible)
