"""Rental prices from Full Stack Deep Learning's cloud price tables (2023 to 2025): history, no offer of today."""

from __future__ import annotations

import re
from collections import Counter

from pipeline.core.schema import Row, Rows
from pipeline.intake.price_list import per_gpu, provider
from pipeline.intake.sources import table
from pipeline.intake.sources.base import Snapshot, Snapshots, Source, SourceError, SourceFile

FOLDER = "https://raw.githubusercontent.com/the-full-stack/website/main/docs/cloud-gpus/"
SOURCE = Source(
    id="fsdl-cloud-gpus",
    title="Cloud GPU comparison",
    publisher="Full Stack Deep Learning",
    home="https://fullstackdeeplearning.com/cloud-gpus/",
    licence="MIT",
    kind="community",
    gives="hourly prices of cloud machines with GPUs, 2023 to 2025: history",
    files=(
        SourceFile("cloud-gpus.csv", FOLDER + "cloud-gpus.csv", "original", 200),
        SourceFile("serverless-gpus.csv", FOLDER + "serverless-gpus.csv", "original", 50),
    ),
)

# File → columns of provider, machine price, spot price of the machine, name of the machine.
COLUMNS = {
    "cloud-gpus.csv": ("Cloud", "On-demand", "Spot", "Name"),
    "serverless-gpus.csv": ("Vendor", "Per-Hour", "", ""),
}
# Rows carry no date of their own and most are of 2023, so none may speak for today.
HISTORY = "history: most rows of this list are from 2023"
# The GPU Type with its brackets → the card it means.
NAMES = {
    "3080Ti (12 GB)": "RTX 3080 Ti",
    "A4000 (16 GB)": "RTX A4000",
    "A5000 (24 GB)": "RTX A5000",
    "A6000 (48 GB)": "RTX A6000",
    "RTX4000 (8 GB)": "Quadro RTX 4000",  # Turing, 8 GB: GPU Arch and GPU RAM say so
    "RTX5000 (16 GB)": "Quadro RTX 5000",
    "H100 HGX (80GB)": "H100 SXM 80GB",  # HGX boards carry SXM modules
    "K80 (12 GB)": "K80",
}
# AWS, Azure and GCP count the two chips of a K80 board (12 GB each) as two GPUs; a GPU here is a board.
CHIPS_PER_BOARD = {"K80": 2}
SLICES = {"A100 (20 GB)": "20 of 40 or 80 GB: a slice of the card"}


def parse(snapshots: Snapshots) -> Rows:
    """Yield an on-demand price a row, and a spot price where the row has one."""
    for file, snapshot in snapshots.items():
        seen: Counter[tuple[str, ...]] = Counter()
        offers: Counter[str] = Counter()
        for number, row in table.rows(snapshot, ["GPU Type", "GPUs", "GPU RAM", "Per-GPU", *COLUMNS[file][:2]]):
            seen[tuple(row.values())] += 1
            if seen[tuple(row.values())] > 1:
                yield snapshot.skip(row["GPU Type"], _where(number, row), "the same line stands above")
            else:
                yield from _prices(snapshot, number, row, offers)


def _prices(snapshot: Snapshot, number: int, row: dict[str, str], offers: Counter[str]) -> Rows:
    if row["GPU Type"] in SLICES:
        yield snapshot.skip(row["GPU Type"], _where(number, row), SLICES[row["GPU Type"]])
        return
    _, price, spot, _ = COLUMNS[snapshot.file]
    # Exoscale's later rows leave On-demand empty and put the machine's price under Per-GPU: there it grows with
    # the number of GPUs (0.92, 1.71, 3.14 for 1, 2, 4).
    column = price if row[price] else "Per-GPU"
    offer = _offer(snapshot.file, row, offers)
    yield _price(snapshot, number, row, "on_demand", column, offer)
    if spot and row[spot]:
        yield _price(snapshot, number, row, "spot", spot, offer)


def _offer(file: str, row: dict[str, str], offers: Counter[str]) -> str:
    """Name an offer: two machines of one provider can differ in processors and memory only, or in nothing stated."""
    who, _, _, machine = COLUMNS[file]
    words = (row[who], row.get(machine, ""), f"{row['GPUs']}x {row['GPU Type']}", row["vCPUs"], row["RAM"])
    name = " / ".join(word for word in words if word)
    offers[name] += 1
    return name if offers[name] == 1 else f"{name} / {offers[name]}"


def _price(snapshot: Snapshot, number: int, row: dict[str, str], kind: str, column: str, offer: str) -> Row:
    who = COLUMNS[snapshot.file][0]
    name = _name(row)
    gpus = int(row["GPUs"]) / CHIPS_PER_BOARD.get(name, 1)
    amount = _amount(snapshot, number, column, row[column])
    parts = [f"{row['vCPUs']} vCPUs, {row['RAM']} GB RAM"] if row["RAM"] not in ("", "0") else []
    if snapshot.file.startswith("serverless"):
        parts.append("serverless")
    if name in CHIPS_PER_BOARD:
        parts.append(f"{row['GPUs']} chips of 12 GB in the source, {CHIPS_PER_BOARD[name]} make a board")
    includes = "; ".join(parts)
    return snapshot.price(
        name,
        f"{_where(number, row)}, column {column}",
        kind=kind,
        provider=provider(row[who]),
        gpus=gpus,
        usd_per_gpu_hour=per_gpu(amount, gpus),
        usd_per_machine_hour=amount,
        date=snapshot.published or snapshot.retrieved,
        offer=f"{offer} / {kind}",
        includes=includes,
        flag=HISTORY,
    )


def _name(row: dict[str, str]) -> str:
    text = row["GPU Type"]
    if text in NAMES:
        return NAMES[text]
    match = re.fullmatch(r"(?:Nvidia )?(?P<gpu>.*?)(?: \((?P<memory>\d+) ?GB\))?", text)
    assert match is not None  # the pattern takes any text
    each = match["memory"] or str(int(float(row["GPU RAM"].removesuffix("GB"))) // int(row["GPUs"]))
    return f"{match['gpu']} {each}GB"


def _amount(snapshot: Snapshot, number: int, column: str, text: str) -> float:
    try:
        return float(text.removeprefix("$"))
    except ValueError:
        raise SourceError(
            f"{SOURCE.id}/{snapshot.file} row {number}: column {column} holds {text!r}, not a price; look at the file"
        ) from None


def _where(number: int, row: dict[str, str]) -> str:
    return f"row {number} ({row.get('Cloud') or row.get('Vendor')}, {row['GPUs']}x {row['GPU Type']})"
