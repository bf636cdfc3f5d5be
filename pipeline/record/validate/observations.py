"""Rules on results and prices: positive or flagged, dated, once, and near what others saw."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import date, timedelta
from statistics import median

from pipeline.core import currencies
from pipeline.core.schema import BASES, CONDITIONS, PRICE_KINDS, Price, Result
from pipeline.intake.results import METRICS
from pipeline.record.validate.base import Check, Evidence, Problem, is_day, problem_of

# A rental offer this many times off the median of its GPU is a mistake in unit, count or currency. Marketplaces let
# cards for a twentieth of what a large cloud asks (A10, July 2026), nobody asks six times the median.
OFFER_AGAINST_MEDIAN = (1 / 25, 6)
ENOUGH_OFFERS = 5
# Currencies that a source converts by a dated rate of its own file, beside those of data/currencies.yml.
CONVERTED_BY_SOURCE = ("INR",)
ADDRESS = re.compile(r"https?://[^\s<>\"']+")
COUNTRY = re.compile(r"[A-Z]{2}")
MOST_TAX = 30  # per cent; the highest sales tax of the European Union is Hungary's 27
TYPED_DAYS_AHEAD = 31


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


def price_is_sourced(evidence: Evidence) -> Iterator[Problem]:
    """A price names a source that we list, a licence and a web address."""
    known = evidence.ancestry.order.keys() | evidence.price_sets
    for price in evidence.prices:
        where = f"{price.source} ({price.locator})"
        if price.source not in known:
            step = "no source of pipeline/intake/sources and no set of data/price-sets; add the row to a set there"
            yield Problem(where, "source", price.source, step)
        if not price.licence:
            yield Problem(where, "licence", "", "empty; name the licence, or write: not stated; facts only")
        if not ADDRESS.fullmatch(price.url):
            yield Problem(where, "url", price.url, "no address as https://example.org/list; correct it")


def price_is_comparable(evidence: Evidence) -> Iterator[Problem]:
    """Currency, country, tax, basis and condition of a price are such that it can be held against others."""
    listed = {"currency": {*currencies.load(), *CONVERTED_BY_SOURCE}, "basis": BASES, "condition": ("", *CONDITIONS)}
    for price in evidence.prices:
        where = f"{price.source} ({price.locator})"
        for column, words in listed.items():
            if getattr(price, column) not in words:
                step = f"not one of {', '.join(sorted(words))}; correct it"
                yield Problem(where, column, getattr(price, column), step)
        if price.tax is not None and not 0 <= price.tax <= MOST_TAX:
            yield Problem(where, "tax", f"{price.tax:g}", f"no sales tax in per cent, 0 to {MOST_TAX}; correct it")
        if price.country and not COUNTRY.fullmatch(price.country):
            yield Problem(where, "country", price.country, "no country in two capital letters, as US or GR; correct it")


def typed_days_are_near(evidence: Evidence) -> Iterator[Problem]:
    """A day of reading that a person typed lies no further ahead than the newest day that a machine wrote allows.

    The age of every price counts from the newest reading: a far day would make all others old.
    """
    if not evidence.newest_snapshot:
        return
    last = (date.fromisoformat(evidence.newest_snapshot) + timedelta(TYPED_DAYS_AHEAD)).isoformat()
    for price in evidence.prices:
        if price.source in evidence.price_sets and price.retrieved > last:
            step = (
                f"more than {TYPED_DAYS_AHEAD} days after the newest snapshot ({evidence.newest_snapshot}); correct it"
            )
            yield Problem(f"{price.source} ({price.locator})", "read", price.retrieved, step)
    for claim in evidence.claims:
        if claim.retrieved > last and claim.gpu in evidence.gpus and claim.source in evidence.gpus[claim.gpu].documents:
            step = f"the day of reading ({claim.retrieved}) lies in the future of the data; correct 'read'"
            yield problem_of(claim, step)


def _machine_price(where: str, price: Price) -> Iterator[Problem]:
    machine, each, gpus = price.usd_per_machine_hour, price.usd_per_gpu_hour, price.gpus
    if machine and each and gpus and abs(each * gpus / machine - 1) > 0.02 and not price.flag:
        yield Problem(
            where,
            "usd_per_gpu_hour",
            f"{each:g}",
            f"{gpus:g} GPUs at that make {each * gpus:.4g}, not {machine:g} a machine-hour: "
            f"a machine's price stored as a GPU's? Correct it, or flag the row with the reason",
        )


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
                f"{price.source} ({price.locator})",
                "usd_per_gpu_hour",
                f"{amount:g}",
                f"{amount / usual:.2g} times the median of {usual:.3g} USD: a machine's price, another currency or "
                f"a slice? Correct it, or flag the row with the reason",
                price.gpu,
            )


CHECKS: tuple[Check, ...] = (
    result_is_sound,
    metric_is_known,
    price_is_sound,
    price_is_sourced,
    price_is_comparable,
    typed_days_are_near,
    dates_are_past,
    rent_is_plausible,
)
