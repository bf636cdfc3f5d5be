"""One card's dated prices to buy in; the picture, the sentence and the rows of its price history out."""

from __future__ import annotations

from dataclasses import dataclass

from pipeline import metrics
from pipeline.charts.history import HistoryPicture, history
from pipeline.dataset import GpuRecord, Row
from pipeline.render import day, dollars, ratio

KINDS = ("launch", "retail", "used")
NAMES = {"launch": "launch price", "retail": "new", "used": "used"}
OPEN_ROWS = 8  # a longer table is folded


@dataclass(frozen=True, slots=True)
class PriceHistory:
    """What the page of a card shows of its price over time."""

    title: str
    rows: tuple[Row, ...]  # newest first, as in prices.csv
    picture: HistoryPicture | None  # None where there is nothing but a launch price
    old: bool
    names: dict[str, str]
    open_rows: int = OPEN_ROWS


def price_history(gpu: GpuRecord, newest: str) -> PriceHistory | None:
    """The price history of a card; None for a card without any price to buy."""
    rows = history_rows(gpu)
    if not rows:
        return None
    seen = [row for row in rows if row["kind"] != "launch"]
    drawn = history(rows, gpu.number("launch_price_usd"), newest) if seen else None
    last = metrics.price_to_buy(gpu, newest)
    return PriceHistory(_title(gpu, newest, bool(seen)), tuple(reversed(rows)), drawn,
                        last is not None and metrics.is_old(last["date"], newest), NAMES)  # fmt: skip


def history_rows(gpu: GpuRecord) -> list[Row]:
    """Every dated price to buy, oldest first, in a fixed order within a day."""
    rows = [row for row in gpu.prices if row["kind"] in KINDS and row["usd_per_unit"] and row["date"]]
    return sorted(rows, key=lambda r: (r["date"], KINDS.index(r["kind"]), float(r["usd_per_unit"]), r["offer"]))


def _title(gpu: GpuRecord, newest: str, seen: bool) -> str:
    """The finding: today's price against the launch price, or what is missing."""
    now, last = metrics.against_launch(gpu, newest), metrics.price_to_buy(gpu, newest)
    if now:
        kind = {"retail": "new", "used": "used"}[now.row["kind"]]
        return (f"{dollars(round(float(now.row['usd_per_unit'])))} {kind} in {day(now.row['date'][:7])}: "
                f"{ratio(now.ratio)} its launch price of {dollars(now.launch_usd)}")  # fmt: skip
    if last and last["currency"] != "USD":
        return (f"{dollars(round(float(last['usd_per_unit'])))} {NAMES[last['kind']]} in {day(last['date'][:7])}, "
                f"{last['provider']}, tax included")  # fmt: skip
    if last:
        return (f"{dollars(round(float(last['usd_per_unit'])))} {NAMES[last['kind']]} in {day(last['date'][:7])}; "
                f"no launch price has a source yet")  # fmt: skip
    if seen:
        return "No price of the last 18 months: these show what it cost then"
    return "Only the launch price is known: no shop's and no used price has been read yet"
