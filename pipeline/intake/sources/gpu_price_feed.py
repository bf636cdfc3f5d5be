"""Rental prices per GPU and hour from daily lines of the gpu-price-feed (cheapest offer of eight providers)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from pipeline.core.schema import Price, Row, Rows, Skipped
from pipeline.intake.price_list import mark_implausible, provider
from pipeline.intake.sources import table
from pipeline.intake.sources.base import Snapshot, Snapshots, Source, SourceError, SourceFile

SOURCE = Source(
    id="gpu-price-feed",
    title="GPU price feed",
    publisher="Toolshed Labs",
    home="https://github.com/toolshedlabs-hash/gpu-price-feed",
    licence="MIT",
    kind="community",
    gives="cheapest on-demand price a GPU hour by provider and day, eight providers",
    files=(
        SourceFile(
            "history_v2_selected_days.jsonl",
            "https://raw.githubusercontent.com/toolshedlabs-hash/gpu-price-feed/main/data/history/v2/2026-10.jsonl",
            "same-format",
            100,
        ),
    ),
)
SCHEMA = 2

# What a provider's prices are, beyond "on demand, without storage, traffic and tax" → for `includes`.
EVERYWHERE = "cheapest offer; without storage, traffic and tax"
REMARKS = {
    "scaleway": "converted from EUR by the feed",
    "vastai": "one host's asking price at one moment",
}
# Where the cheapest offer is that of one private host, and says where prices begin.
ONE_HOST = frozenset(("vastai",))
# The feed keeps the lower of RunPod's two markets and does not say which: private hosts ask less wherever both let a
# card (RunPod's list of 2026-09-09), so the offer counts as theirs.
HEADS = {"runpod": "community cloud, or the secure one where it asks less"}
# Cards whose price in the feed is that of RunPod's secure cloud (its list of 2026-09-09, and of 2026-10-05).
SECURE = frozenset(("A40 48GB", "MI300X 192GB"))
# Names that the feed passes on as its provider spells them → the card.
NAMES = {
    "GTX 1650 S": "GTX 1650 SUPER",
    "Q RTX 5000": "Quadro RTX 5000",
    "Q RTX 4000": "Quadro RTX 4000",
    "RTX 2060S": "RTX 2060 SUPER",
    "RTX 2070S": "RTX 2070 SUPER",
    "MI350X 294GB": "MI350X 288GB",  # the 288 GB part counted in other gigabytes
}
UNSTATED = re.compile(r" \(form unstated\)$")
# Names of what is no product of a maker, or not a whole one → why they are left out.
LEFT_OUT = (
    (re.compile(r".* MIG$"), "a slice of the card (MIG)"),
    (re.compile(r".* Mobile$"), "laptop part"),
)


def parse(snapshots: Snapshots) -> Rows:
    """Yield a price a day, provider and GPU; implausible ones are flagged against the day's others."""
    for snapshot in snapshots.values():
        for number, line in enumerate(table.text_of(snapshot).splitlines(), start=1):
            if line.strip():
                rows = list(_day(snapshot, number, line))
                yield from (row for row in rows if isinstance(row, Skipped))
                yield from mark_implausible(row for row in rows if isinstance(row, Price))


def _day(snapshot: Snapshot, number: int, line: str) -> Iterator[Row]:
    day = _read(snapshot, number, line)
    for who, offers in day["cheapest"].items():
        for key, amount in offers.items():
            where = f"line {number} ({day['collected_at'][:10]}), {who}, {key}"
            reason = next((why for pattern, why in LEFT_OUT if pattern.fullmatch(key)), "")
            if reason:
                yield snapshot.skip(key, where, reason)
                continue
            head = "" if key in SECURE else HEADS.get(who)
            yield snapshot.price(
                NAMES.get(key, UNSTATED.sub("", key)),
                where,
                kind="on_demand",
                provider=provider(who),
                gpus=1.0,
                usd_per_gpu_hour=float(amount),
                date=day["collected_at"][:10],
                basis="floor" if who in ONE_HOST else "",
                offer=f"{who} / {key}",
                includes="; ".join(filter(None, (head, EVERYWHERE, REMARKS.get(who)))),
            )


def _read(snapshot: Snapshot, number: int, line: str) -> dict[str, Any]:
    where = f"{SOURCE.id}/{snapshot.file} line {number}"
    try:
        day: dict[str, Any] = json.loads(line)
        version, _, _ = day["schema_version"], day["cheapest"], day["collected_at"]
    except (ValueError, KeyError) as error:
        raise SourceError(f"{where}: not a day of the feed ({error!r}); fetch it again") from None
    if version != SCHEMA:
        raise SourceError(f"{where}: schema_version {version}, its module reads {SCHEMA}; look what changed")
    return day
