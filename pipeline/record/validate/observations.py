"""Rules on results and prices: positive or flagged, dated, once, and near what others saw."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from statistics import median

from pipeline.core import currencies
from pipeline.core.documents import UNREAD_URL, unreachable
from pipeline.core.schema import BASES, CONDITIONS, PRICE_KINDS, Price, Result
from pipeline.core.units import is_number
from pipeline.core.wording import number
from pipeline.intake.price_sets import NOT_READ, wrong_country, wrong_tax
from pipeline.intake.results import METRICS
from pipeline.record import outliers
from pipeline.record.validate.base import Check, Evidence, Problem, by_hand, is_day, problem_of

# A rental offer this many times off the median of its GPU is a mistake in unit, count or currency. Marketplaces let
# cards for a twentieth of what a large cloud asks (A10, July 2026), nobody asks six times the median.
OFFER_AGAINST_MEDIAN = (1 / 25, 6)
ENOUGH_OFFERS = 5
# Currencies that a source converts by a dated rate of its own file, beside those of data/currencies.yml.
CONVERTED_BY_SOURCE = ("INR",)
ADDRESS = re.compile(r"https?://[^\s<>\"']+")
TYPED_DAYS_AHEAD = 31
# The year of the oldest price that any source states (P4, February 2018).
FIRST_PRICES = "2018"
# Of all prices to buy here the cheapest is 0.22 times what anybody else states of its card (GTX 1080 Ti, used, against
# its launch price), and the dearest of a contributed set 1.1 times. A lost digit is a tenth, cents a hundredfold.
BUYING_AGAINST_KNOWN = (1 / 5, 5)
LAUNCH_AGAINST_KNOWN = (1 / 10, 10)
# US dollars for each GB of memory, where nothing else is known of a card: half the least and twice the most of the
# prices to buy and at launch of the class, in round figures.
USD_PER_GB = {
    "consumer": (5, 500),
    "workstation": (10, 600),
    "datacenter": (3, 800),
    "edge": (20, 170),
    "integrated": (5, 150),
}
# A price of a machine and that of its GPUs are rounded each for itself.
MACHINE_TOLERANCE = 0.02
CARDS = ("retail", "used")
# What is sold around a card, in the words of shops; no card of the dataset is called so.
WHOLE_MACHINE = re.compile(
    r"\b(?:(?:gaming|desktop|tower|mini) (?:pc|computer)|pc with|prebuilt|laptop|notebook|bundle|combo|server with)\b",
    re.IGNORECASE,
)
BUYING = (*CARDS, "system")
# What shops of a country ask, as far as data/currencies.yml has it.
CURRENCY_OF = {"US": "USD", "GB": "GBP", **dict.fromkeys(currencies.EURO_AREA.split(), "EUR")}


def result_is_sound(evidence: Evidence) -> Iterator[Problem]:
    """A result is positive, or flagged as failed; it has a date and a known metric, and stands once."""
    counted = Counter((r.source, r.locator, r.gpu, r.metric) for r in evidence.results)
    for result in _of_sources(evidence):
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


def _of_sources(evidence: Evidence) -> Iterator[Result]:
    """The results of sources; those that people contribute are judged cell by cell (pipeline/intake/result_sets.py)."""
    return (result for result in evidence.results if result.source not in evidence.benchmark_sets)


def metric_is_known(evidence: Evidence) -> Iterator[Problem]:
    """A result's metric is a word of the table, and runs in its direction."""
    for result in _of_sources(evidence):
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
        machine, each, gpus = price.usd_per_machine_hour, price.usd_per_gpu_hour, price.gpus
        if machine and each and gpus and abs(each * gpus / machine - 1) > MACHINE_TOLERANCE and not price.flag:
            yield Problem(
                where,
                "usd_per_gpu_hour",
                f"{each:g}",
                f"{gpus:g} GPUs at that make {each * gpus:.4g}, not {machine:g} a machine-hour: "
                f"a machine's price stored as a GPU's? Correct it, or flag the row with the reason",
            )


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
            yield Problem(where, "url", price.url, "is no web address; it begins with https:// and has no spaces")
        elif wrong := unreachable(price.url):
            yield Problem(where, "url", price.url, wrong)


def price_is_comparable(evidence: Evidence) -> Iterator[Problem]:
    """Currency, country, tax, basis and condition of a price are such that it can be held against others."""
    listed = {"currency": {*currencies.load(), *CONVERTED_BY_SOURCE}, "basis": BASES, "condition": ("", *CONDITIONS)}
    for price in evidence.prices:
        where = f"{price.source} ({price.locator})"
        for column, words in listed.items():
            if getattr(price, column) not in words:
                step = f"not one of {', '.join(sorted(filter(None, words)))}; correct it"
                yield Problem(where, column, getattr(price, column), step)
        if wrong := wrong_tax(price.tax):
            yield Problem(where, "tax", f"{price.tax:g}", wrong)
        if wrong := wrong_country(price.country):
            yield Problem(where, "country", price.country, wrong)


def product_is_of_its_card(evidence: Evidence) -> Iterator[Problem]:
    """What a contributed row sells is its card: the product names no other one, and to buy it names this one."""
    names = evidence.names
    if names is None:
        return
    for price in _typed(evidence):
        where = f"{price.source} ({price.locator})"
        named = [(name, cards) for name, cards in names.named_in(price.product) if _is_told(name, cards, price)]
        if any(price.gpu in cards for _, cards in names.named_in(price.provider)):
            step = "names the card, and not who sells it: product and provider changed places? Correct both"
            yield Problem(where, "provider", price.provider, step, price.gpu)
        elif named and not any(price.gpu in cards for _, cards in named):
            others = ", ".join(sorted({card for _, cards in named for card in cards})[:3])
            step = f"names {others}, and the row is of {price.gpu}; correct one of the two"
            yield Problem(where, "product", price.product, step, price.gpu)
        elif price.kind in CARDS and (whole := WHOLE_MACHINE.search(price.product)):
            step = f"is a machine, as {whole[0]!r} says, and no card; write kind system, or leave the row out"
            yield Problem(where, "product", price.product, step, price.gpu)
        elif not named and price.kind in CARDS:
            step = (
                f"names no card, and the row is of {price.gpu}; write the product as listed, with the card's name in "
                f"it, or add the name to aliases in data/gpus/{price.gpu}.yml"
            )
            yield Problem(where, "product", price.product, step, price.gpu)


def _typed(evidence: Evidence) -> Iterator[Price]:
    """The rows of contributed sets whose cells could be read, of cards that there are."""
    for price in evidence.prices:
        if price.source in evidence.price_sets and price.flag != NOT_READ and price.gpu in evidence.gpus:
            yield price


def _is_told(name: str, cards: frozenset[str], price: Price) -> bool:
    """Whether a name in a product speaks of a card; in a machine "M5" may be the model of another maker's box."""
    makers = {card.partition("-")[0] for card in cards}
    return price.kind != "system" or " " in name or price.gpu.partition("-")[0] in makers


def cells_belong_together(evidence: Evidence) -> Iterator[Problem]:
    """The cells of a contributed row say one thing: tax and currency are its country's, its day is after the launch."""
    for price in _typed(evidence):
        where = f"{price.source} ({price.locator})"
        # The day, month or year in which a card came, "" where it is unknown
        record = evidence.records.get(price.gpu, {})
        launch = record["launch_date"].chosen.value if "launch_date" in record else ""
        near = min(len(launch), len(price.date))
        money = CURRENCY_OF.get(price.country, price.currency)
        if (price.tax or 0) > 0 and price.country == "US":
            step = "prices in the United States are listed without tax; write 0, or correct the country"
            yield Problem(where, "tax", f"{price.tax:g}", step, price.gpu)
        if price.kind == "retail" and price.condition not in ("", "new"):
            step = "retail is what new cards cost; write kind used, or correct the condition"
            yield Problem(where, "condition", price.condition, step, price.gpu)
        if price.kind in CARDS and (price.gpus or 1) > 1:
            step = "the price of one card stands without it; write the price of one, or kind system for a machine"
            yield Problem(where, "gpus", f"{price.gpus:g}", step, price.gpu)
        if price.kind in BUYING and price.currency != money:
            step = f"shops in {price.country} ask {money}; correct the currency or the country"
            yield Problem(where, "currency", price.currency, step, price.gpu)
        if is_day(price.date) and price.date[:near] < launch[:near]:
            step = f"before the launch of {price.gpu} ({launch}); correct the day or the card"
            yield Problem(where, "date", price.date, step, price.gpu)
        elif is_day(price.date) and price.date < FIRST_PRICES:
            step = f"before the first prices of this dataset ({FIRST_PRICES}); correct the day"
            yield Problem(where, "date", price.date, step, price.gpu)


def typed_days_are_near(evidence: Evidence) -> Iterator[Problem]:
    """A day of reading that a person typed lies no further ahead than the newest day that a machine wrote allows.

    The age of every price counts from the newest reading: a far day would make all others old.
    """
    if not evidence.newest_snapshot:
        return
    last = (date.fromisoformat(evidence.newest_snapshot) + timedelta(TYPED_DAYS_AHEAD)).isoformat()
    for file, field, day in dict.fromkeys(_typed_days(evidence)):
        if day > last:
            step = (
                f"lies in the future: it is more than {TYPED_DAYS_AHEAD} days after the newest day on which a file was "
                f"fetched ({evidence.newest_snapshot}); correct it"
            )
            yield Problem(file, field, day, step)


def _typed_days(evidence: Evidence) -> Iterator[tuple[str, str, str]]:
    """The days of reading that people typed, each with its file and the name of its line there."""
    for price in evidence.prices:
        if price.source in evidence.price_sets:
            yield f"data/price-sets/{price.source}.yml", "read", price.retrieved
    for result in evidence.results:
        if result.source in evidence.benchmark_sets:
            # While the YAML cannot be read, the day of the row stands in for that of the document.
            ending = "csv" if result.url == UNREAD_URL else "yml"
            yield f"data/benchmarks/{result.source}.{ending}", "date", result.retrieved
    for claim in evidence.claims:
        if by_hand(claim, evidence):
            yield f"data/gpus/{claim.gpu}.yml", "read", claim.retrieved


def price_to_buy_is_plausible(evidence: Evidence) -> Iterator[Problem]:
    """A contributed price to buy lies near what others know of the card, else near what its class costs by memory."""
    known: dict[tuple[str, bool], list[tuple[str, float]]] = defaultdict(list)
    for price in evidence.prices:
        if price.kind in BUYING and price.usd_per_unit and not price.flag:
            known[price.gpu, price.kind == "system"].append((price.source, _each(price)))
    for gpu, record in evidence.records.items():
        if "launch_price_usd" in record:
            known[gpu, False].append(("", float(record["launch_price_usd"].chosen.value)))
    for price in _typed(evidence):
        if price.kind not in BUYING or not price.usd_per_unit or (price.flag and not outliers.is_ours(price.flag)):
            continue
        others = [usd for source, usd in known[price.gpu, price.kind == "system"] if source != price.source]
        if why := _far(_each(price), others, BUYING_AGAINST_KNOWN) or _off_class(
            price.gpu, _each(price), evidence, others
        ):
            yield Problem(
                f"{price.source} ({price.locator})",
                "price",
                f"{price.amount:.10g} {price.currency}",
                f"{why}: a lost or an added digit, cents, or 2.500 for 2500? Correct it; if it is right, add a second "
                f"source that states it, or an entry under accepted: in data/corrections.yml",
                price.gpu,
            )


def launch_price_is_plausible(evidence: Evidence) -> Iterator[Problem]:
    """A launch price is of the order of what the card costs new and its variants cost at launch, else of its class."""
    known: dict[str, list[float]] = defaultdict(list)
    for price in evidence.prices:  # of a contributed set the launch price judges the row, and not the row it
        if price.kind == "retail" and price.usd_per_unit and not price.flag and price.source not in evidence.price_sets:
            known[price.gpu].append(price.usd_per_unit)
    launched = {
        gpu: float(record["launch_price_usd"].chosen.value)
        for gpu, record in evidence.records.items()
        if "launch_price_usd" in record
    }
    for claim in evidence.claims:
        if claim.field != "launch_price_usd" or not is_number(claim.value):
            continue
        variants = [launched[other] for other in evidence.siblings.get(claim.gpu, ()) if other in launched]
        others, usd = [*known[claim.gpu], *variants], float(claim.value)
        if why := _far(usd, others, LAUNCH_AGAINST_KNOWN) or _off_class(claim.gpu, usd, evidence, others):
            step = "cents, or a slipped digit? Correct it; if it is right, add an entry under accepted: in"
            yield problem_of(claim, f"{why}: {step} data/corrections.yml")


def _each(price: Price) -> float:
    """What one GPU costs, of a machine that is sold whole its share."""
    return price.unit_usd / ((price.gpus or 1) if price.kind == "system" else 1)


def _far(usd: float, others: Sequence[float], times: tuple[float, float]) -> str:
    """How a price lies outside everything else known of its card, "" where it does not or nothing is known."""
    if not others or times[0] * min(others) <= usd <= times[1] * max(others):
        return ""
    near, word = (min(others), "least") if usd < min(others) else (max(others), "most")
    return f"{number(usd / near, 2)} times the {word} that anybody else states of this card ({near:,.0f} USD)"


def _off_class(gpu: str, usd: float, evidence: Evidence, others: Sequence[float]) -> str:
    """How a price of a card of which nothing else is known lies outside what its class costs by memory."""
    memory, segment = (
        evidence.records.get(gpu, {}).get("memory_gb"),
        evidence.gpus[gpu].segment if gpu in evidence.gpus else "",
    )
    if others or memory is None or segment not in USD_PER_GB:
        return ""
    low, high = USD_PER_GB[segment]
    each = usd / float(memory.chosen.value)
    if low <= each <= high:
        return ""
    return f"{number(each)} USD for each GB of its memory, and {segment} cards cost {low} to {high}"


def dates_are_past(evidence: Evidence) -> Iterator[Problem]:
    """No result and no price is of a day after the newest reading."""
    rows: list[Result | Price] = [*evidence.results, *evidence.prices]
    for row in rows:
        where = f"{row.source} ({row.locator})"
        typed = row.source in evidence.price_sets or row.source in evidence.benchmark_sets
        if not is_day(row.date):  # another rule tells it
            continue
        if row.date > evidence.newest_reading:
            step = f"in the future of the newest reading ({evidence.newest_reading}); correct it"
            yield Problem(where, "date", row.date, step)
        elif typed and row.date > row.retrieved:
            day = "on which its set was read" if isinstance(row, Price) else "that the YAML of its set states as date"
            step = f"after the day {day} ({row.retrieved}); correct one of the two"
            yield Problem(where, "date", row.date, step)


def no_set_repeats_another(evidence: Evidence) -> Iterator[Problem]:
    """A contributed row stands in one set: in two it would count as two that bear each other out."""
    rows: list[tuple[tuple[object, ...], Price | Result]] = [
        ((p.gpu, p.date, p.kind, p.provider.casefold(), p.product.casefold(), p.currency, p.gpus, p.amount), p)
        for p in _typed(evidence)
    ]
    for r in evidence.results:
        if r.source in evidence.benchmark_sets:
            what = (r.gpu, r.date, r.gpu_count, r.model, r.precision, r.batch, r.metric, r.software, r.value)
            rows.append((what, r))
    first: dict[tuple[object, ...], Price | Result] = {}
    for cells, row in rows:
        before = first.setdefault(cells, row)
        if before.source != row.source:
            step = f"stands in {before.source} too ({before.locator}); take it out of one of the two sets"
            field = row.metric if isinstance(row, Result) else "price"
            yield Problem(f"{row.source} ({row.locator})", field, f"{cells[-1]}", step)


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
                f"{number(amount / usual, 2)} times the median of {usual:.3g} USD: a machine's price, another currency "
                f"or a slice? Correct it, or flag the row with the reason",
                price.gpu,
            )


CHECKS: tuple[Check, ...] = (
    result_is_sound,
    metric_is_known,
    price_is_sound,
    price_is_sourced,
    price_is_comparable,
    product_is_of_its_card,
    cells_belong_together,
    typed_days_are_near,
    dates_are_past,
    no_set_repeats_another,
    rent_is_plausible,
    price_to_buy_is_plausible,
)
