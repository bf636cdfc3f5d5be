"""Makes the prices of sources comparable: per GPU, in US dollars, with implausible offers flagged."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median

from pipeline.core.schema import Price

# One provider under one name, so that two sources that read the same list count once. Left: how a source writes it.
PROVIDERS: Mapping[str, str] = {
    "AWS (Mumbai ap-south)": "AWS",
    "Akamai (Linode)": "Akamai",
    "Datacrunch": "Verda",  # DataCrunch renamed itself to Verda in 2025
    "JarvisLabs": "Jarvislabs",
    "Oracle OCI": "Oracle Cloud",
    "Verda (DataCrunch)": "Verda",
    "akamai": "Akamai",
    "datacrunch": "Verda",
    "digitalocean": "DigitalOcean",
    "lambdalabs": "Lambda",
    "runpod": "RunPod",
    "scaleway": "Scaleway",
    "vastai": "Vast.ai",
    "vultr": "Vultr",
}

# An offer is implausible against the median of the on-demand offers of its GPU, when there are at least ENOUGH of
# them: a host that tests the market, a slice listed as a card, a machine's price read as a GPU's. The factors leave
# room for what is real: hyperscalers at three times the median, Azure's spot price at a sixteenth (2026-05-20). A
# spot offer is also implausible when it is not above an on-demand offer that is.
ENOUGH = 5
TOO_LOW = {"on_demand": 0.25, "spot": 0.05}
TOO_HIGH = 4.0

# A price that moved by more than this against the same source's months around it asks for a second source.
JUMP = 1 / 3
# A price to buy this many times all others of its card is a slip or another product, and no old stock.
FAR_TIMES = 5
# A street price is the median of the CHEAPEST listings: what a patient buyer pays. More of them would drag in the
# dear variants, fewer would let one mistaken listing speak.
CHEAPEST = 3
# Under this share of the listed products still on sale the card is discontinued, and what is left is old stock.
ON_SALE_SHARE = 1 / 3


@dataclass(frozen=True, slots=True)
class ExchangeRate:
    """The rate at which a source itself converts: US dollars for one unit of a currency on a day."""

    currency: str
    usd: float
    date: str
    source: str

    def to_usd(self, amount: float) -> float:
        """Convert an amount, to a hundredth of a cent."""
        return round(amount * self.usd, 4)

    def note(self, amount: float) -> str:
        """Say what was converted and how, for the price's `includes`."""
        return f"{amount:g} {self.currency} at {self.usd:.6g} USD of {self.date} ({self.source})"


@dataclass(frozen=True, slots=True)
class Street:
    """The street price of one GPU on one day, and what it rests on."""

    usd: float
    includes: str
    flag: str


def provider(name: str) -> str:
    """Give a provider the name under which all sources are joined."""
    return PROVIDERS.get(name, name)


def per_gpu(machine_hour: float, gpus: float) -> float:
    """Divide a machine's hourly price by its GPUs; a slice of a GPU is a fraction of one."""
    return round(machine_hour / gpus, 6)


def mark_implausible(prices: Iterable[Price]) -> list[Price]:
    """Flag rental offers that are far off the median of their GPU in the same list; none is dropped."""
    rows = list(prices)
    on_demand: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        if row.kind == "on_demand" and row.usd_per_gpu_hour is not None and not row.flag:
            on_demand[row.gpu].append(row.usd_per_gpu_hour)
    usual = {gpu: _usual(amounts) for gpu, amounts in on_demand.items() if len(amounts) >= ENOUGH}
    return [_marked(row, *usual[row.gpu]) if row.gpu in usual else row for row in rows]


def _usual(on_demand: Sequence[float]) -> tuple[float, float]:
    """The median of a GPU's on-demand offers, and the dearest of those that are implausibly cheap (0: none)."""
    middle = median(on_demand)
    return middle, max((amount for amount in on_demand if amount < TOO_LOW["on_demand"] * middle), default=0.0)


def _marked(row: Price, usual: float, doubted: float) -> Price:
    amount = row.usd_per_gpu_hour
    if amount is None or row.flag or row.kind not in TOO_LOW:
        return row
    as_cheap = row.kind == "spot" and amount <= doubted
    if TOO_LOW[row.kind] * usual <= amount <= TOO_HIGH * usual and not as_cheap:
        return row
    ratio = f"{amount / usual:.2g} times the median on-demand offer of {usual:.4g} USD in this list"
    return replace(row, flag=f"implausible: {ratio}")


def street_price(listings: Sequence[tuple[str, float]], listed: int) -> Street:
    """Work out the street price from (product, USD) of the listings with a price, out of `listed` products.

    One product in two colours at one price counts once.
    """
    distinct = sorted({(name, amount) for name, amount in listings}, key=lambda pair: (pair[1], pair[0]))
    cheapest = [amount for _, amount in distinct[:CHEAPEST]]
    basis = (
        f"median of the {len(cheapest)} cheapest of {len(distinct)} offers" if len(cheapest) > 1 else "the only offer"
    )
    return Street(
        round(median(cheapest), 2), f"{basis}; {listed} products listed", _stock(len(distinct), len(listings), listed)
    )


def _stock(distinct: int, on_sale: int, listed: int) -> str:
    if distinct < CHEAPEST:
        return f"fewer than {CHEAPEST} offers"
    if on_sale < ON_SALE_SHARE * listed:
        return f"old stock: only {on_sale} of {listed} listed products are still sold"
    return ""


@dataclass(frozen=True, slots=True)
class Offer:
    """One line of a catalogue: a machine with GPUs, at a price, in a region."""

    name: str
    kind: str
    instance: str
    gpus: float
    machine_hour: float
    region: str
    row: int
    includes: str = ""
    flag: str = ""


def merged(offers: Iterable[Offer]) -> Iterator[tuple[Offer, list[Offer]]]:
    """Count offers, not lines: lines that differ in region only are one offer, in the order of first appearance."""
    groups: dict[Offer, list[Offer]] = {}
    for offer in offers:
        groups.setdefault(replace(offer, region="", row=0), []).append(offer)
    yield from groups.items()


def lines(rows: Sequence[int], name: str, alike: str = "with the same price") -> str:
    """Say in which lines of a file one thing stands: the first, and how many more."""
    first = f"row {rows[0]} ({name})" if name else f"row {rows[0]}"
    return first if len(rows) == 1 else " ".join(filter(None, (first, f"and {len(rows) - 1} more", alike)))


def places(regions: Sequence[str], named: int = 3) -> str:
    """Name the regions in which one offer stands: all of them when few, else how many and the first."""
    distinct = list(dict.fromkeys(region for region in regions if region))
    if len(distinct) <= named:
        return "; ".join(distinct)
    return f"{len(distinct)} regions, e.g. {'; '.join(distinct[:named])}"
