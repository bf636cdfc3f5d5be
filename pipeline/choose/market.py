"""A GPU's price observations in, one price to buy and one to rent out, each with its date and its rule."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median
from typing import Literal

from pipeline import staleness
from pipeline.dataset import GpuRecord, Row
from pipeline.metrics import newest_price, rental_offers

Way = Literal["buy", "rent"]
# Every price of an answer comes from the first of these lines that applies.
PRICE_RULES: Mapping[str, str] = {
    "own": "the price that you typed",
    "street": "the newest unflagged retail or used observation, not older than 12 months; of the kinds that you allow "
    "the cheaper one",
    "rent": "the median over the providers of each provider's median unflagged on-demand offer of whole GPUs that is "
    "fresh or ageing (a stale one only where nothing newer is known), so that one provider with many regions counts "
    "once; the lowest is kept beside it",
    "old": "an observation older than 12 months: shown, never ranked; type the price of today",
    "launch": "launch price only: shown, never ranked; type the price of today",
}
# Several GPUs are rented only where a machine with as many was seen; modules come eight to a machine.
MODULE_WORDS, MODULES_A_MACHINE = ("SXM", "OAM"), 8
BUY_KINDS = ("retail", "used")
KIND_WORDS: Mapping[str, str] = {
    "retail": "new", "used": "used", "own": "your price", "launch": "launch price", "on_demand": "on demand",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Quote:
    """One price: USD for a GPU or for a GPU-hour, what it rests on, and whether it may be ranked."""

    usd: float
    kind: str
    date: str
    who: str
    firm: bool
    note: str
    lowest_usd: float | None = None
    providers: int = 0
    most_gpus: int | None = None  # to rent: in one machine
    url: str = ""  # of one observation; "" for a median, a launch price and the reader's own

    @property
    def words(self) -> str:
        """How a reader sees where the price comes from."""
        if self.kind == "own":
            return "your price"
        return f"{KIND_WORDS[self.kind]}, {self.who}, {self.date}"


def to_buy(gpu: GpuRecord, newest: str, used: str) -> Quote | None:
    """The price to buy one of this GPU; None where there is no observation of a kind that is allowed."""
    allowed = [kind for kind in BUY_KINDS if used == "allowed" or (used == "only") == (kind == "used")]
    seen = [quote for kind in allowed if (quote := _street(newest_price(gpu, kind), kind, newest)) is not None]
    fresh = [quote for quote in seen if quote.firm]
    if fresh:
        return min(fresh, key=lambda quote: (quote.usd, quote.kind))
    if seen:
        return max(seen, key=lambda quote: (quote.date, quote.kind))
    launch = gpu.number("launch_price_usd")
    if launch is None or used == "only":
        return None
    when = gpu.text("launch_date") or "date not known"
    return Quote(launch, "launch", when, "the maker", False, PRICE_RULES["launch"])


def to_rent(gpu: GpuRecord, newest: str) -> Quote | None:
    """What an hour of one GPU costs on demand; None where no offer is young enough to count."""
    offers: dict[str, list[Row]] = defaultdict(list)
    for row in rental_offers(gpu, newest):
        offers[row["provider"]].append(row)
    if not offers:
        return None
    rows = [row for found in offers.values() for row in found]
    usual = median(median(_hour(row) for row in found) for found in offers.values())
    who = f"median of {len(offers)} providers" if len(offers) > 1 else next(iter(offers))
    modules = any(word in gpu.text("form_factor") for word in MODULE_WORDS)
    most = MODULES_A_MACHINE if modules else int(max(float(row["gpus"] or 1) for row in rows))
    return Quote(usual, "on_demand", max(row["date"] for row in rows), who, True, PRICE_RULES["rent"],
                 min(_hour(row) for row in rows), len(offers), most)  # fmt: skip


def own(usd: float, known: Quote | None) -> Quote:
    """A price that the reader typed in place of the known one."""
    return Quote(usd, "own", "", "you", True, PRICE_RULES["own"], most_gpus=known.most_gpus if known else None)


def _street(row: Row | None, kind: str, newest: str) -> Quote | None:
    if row is None:
        return None
    fresh = staleness.answers(row["date"], newest)
    note = row["includes"] if fresh else PRICE_RULES["old"]
    return Quote(float(row["usd_per_unit"]), kind, row["date"], row["provider"], fresh, note, url=row["url"])


def _hour(row: Row) -> float:
    return float(row["usd_per_gpu_hour"])
