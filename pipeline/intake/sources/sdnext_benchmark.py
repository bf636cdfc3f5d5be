"""Stable Diffusion speeds that users of SD.Next and the AUTOMATIC1111 web UI sent in: iterations a second.

Only rows that state pipeline and size compare; the best row of a card counts, since slow settings are many.
"""

from __future__ import annotations

import re

from pipeline.core.schema import Rows
from pipeline.intake import drivers
from pipeline.intake.sources import table
from pipeline.intake.sources.base import Snapshots, Source, SourceFile

SOURCE = Source(
    id="sdnext-benchmark",
    title="SD.Next System Info benchmark",
    publisher="SD.Next users, collected by vladmandic",
    home="https://github.com/vladmandic/sd-data",
    licence="not stated (the extension that collects it: MIT)",
    kind="community",
    gives="iterations a second of Stable Diffusion 1.5 and XL on consumer cards, sent in by users",
    files=(
        SourceFile(
            "benchmark_2025.csv",
            # benchmark-raw-2025-01.json to benchmark-raw-2026-01.json
            "https://github.com/vladmandic/sd-data/tree/main/input",
            "extract",
            100,
        ),
    ),
)
# Their pipelines → the network; LatentDiffusion may be SD 1.5 or 2 and stays out.
PIPELINES = {
    "StableDiffusionPipeline": "stable-diffusion-v1-5",
    "StableDiffusion": "stable-diffusion-v1-5",
    "StableDiffusionXLPipeline": "stable-diffusion-xl-base-1.0",
    "StableDiffusionXL": "stable-diffusion-xl-base-1.0",
    "DiffusionEngine": "stable-diffusion-xl-base-1.0",
}
SIZES = ("512", "1024")
SLOW = re.compile(r"lowvram|medvram|zluda|directml", re.IGNORECASE)


def parse(snapshots: Snapshots) -> Rows:
    """Yield the best single-image rate of every card, network and size."""
    for snapshot in snapshots.values():
        best: dict[tuple[str, str, str], tuple[float, int, dict[str, str]]] = {}
        for number, row in table.rows(snapshot, ["time", "device", "its", "pipeline", "width", "height", "flags"]):
            width = row["width"].removesuffix(".0")
            if row["pipeline"] not in PIPELINES or width not in SIZES or row["height"] != row["width"]:
                continue
            gpu, reason = drivers.product(row["device"], float(row["vram_gb"] or 0))
            if not reason and SLOW.search(f"{row['flags']} {row['layer']}"):
                reason = "a setting that trades speed for memory, or a translation layer"
            if reason:
                yield snapshot.skip(row["device"], f"row {number}", reason)
                continue
            rate = float(row["its"].split("/")[0])
            key = (gpu, PIPELINES[row["pipeline"]], width)
            if rate > best.get(key, (0.0, 0, row))[0]:
                best[key] = (rate, number, row)
        for (gpu, model, width), (rate, number, row) in best.items():
            yield snapshot.result(
                gpu,
                f"row {number} ({row['device']}, {row['pipeline']}), first of column its, best row of this card",
                gpu_count=1,
                set="sdnext-benchmark",
                workload="inference",
                model=model,
                precision="",
                batch=f"1 image, {width} x {width}",
                metric="throughput",
                value=rate,
                unit="iterations/s",
                higher_is_better=True,
                software=" ".join(filter(None, (row["app"], f"torch {row['torch']}"))),
                date=row["time"][:10],
            )
