"""AWS's list price of p5.48xlarge (eight H100), read day by day: per GPU, by month and at each change.

Of 487 daily lines with a price, those stay that say something new: the first of each month, and the first and last
day of each price. What the others repeat is counted in `includes`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from pipeline.core.schema import Row, Rows
from pipeline.intake.price_list import per_gpu
from pipeline.intake.sources import table
from pipeline.intake.sources.base import Snapshot, Snapshots, Source, SourceError, SourceFile

SOURCE = Source(
    id="aws-p5-price-history",
    title="AWS GPU price tracker",
    publisher="amorton45",
    home="https://github.com/amorton45/aws-gpu-price-tracker",
    licence="not stated",
    kind="community",
    gives="AWS on-demand list price of p5.48xlarge in us-east-1 over time",
    files=(
        SourceFile(
            "gpu_prices.csv",
            "https://raw.githubusercontent.com/amorton45/aws-gpu-price-tracker/main/gpu_prices.csv",
            "original",
            10,
        ),
    ),
)
# The file names the machine only. A public list of AWS machines (github.com/tsaol/aws-gpu, data/p5_family_all.js, read
# 2026-11-21) gives p5.48xlarge eight H100 with 80 GB of HBM3; of the H100 with 80 GB only the SXM5 module has HBM3.
MACHINES = {"p5.48xlarge": ("H100 SXM5 80GB", 8)}

Day = tuple[str, int, str, float]  # date, row number, machine, price


def parse(snapshots: Snapshots) -> Rows:
    """Yield what is new in the price history, in the order of days."""
    for snapshot in snapshots.values():
        days: list[Day] = []
        for number, row in table.rows(snapshot, ["timestamp", "instance", "price_usd"]):
            if row["price_usd"]:
                days.append(_day(snapshot, number, row))
            else:
                where = f"row {number} ({row['timestamp']})"
                yield snapshot.skip(row["instance"], where, "no price: a placeholder line")
        yield from _news(snapshot, sorted(days))


def _news(snapshot: Snapshot, days: list[Day]) -> Iterator[Row]:
    for (machine, amount), run in groupby(days, key=lambda day: (day[2], day[3])):
        spell = list(run)
        months = [next(group) for _, group in groupby(spell, key=lambda day: day[0][:7])]
        kept = list(dict.fromkeys([*months, spell[-1]]))
        for date, number, _, _ in kept:
            gpu, gpus = MACHINES[machine]
            yield snapshot.price(
                gpu,
                f"row {number} ({date})",
                kind="on_demand",
                provider="AWS",
                region="us-east-1",
                date=date,
                gpus=float(gpus),
                usd_per_gpu_hour=per_gpu(amount, gpus),
                usd_per_machine_hour=amount,
                offer=machine,
                includes=f"the same price on {len(spell)} daily lines from {spell[0][0]} to {spell[-1][0]}",
            )


def _day(snapshot: Snapshot, number: int, row: dict[str, str]) -> Day:
    if row["instance"] not in MACHINES:
        where = f"{SOURCE.id}/{snapshot.file} row {number}"
        raise SourceError(f"{where}: unknown instance {row['instance']!r}; add it to MACHINES in its module")
    return row["timestamp"][:10], number, row["instance"], table.number(snapshot, number, row, "price_usd")
