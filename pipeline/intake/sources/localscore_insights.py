"""LocalScore's results as users sent them in (llamafile, March to July 2025): speeds of three models.

One machine can fill many rows, so a card's result is the median of its rows of a model; nothing here is reviewed. Where
the rows of one card lie far apart, their median tells of the machines rather than of the card, and is flagged.
"""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from statistics import median

from pipeline.core.schema import Rows
from pipeline.intake import drivers
from pipeline.intake.sources import table
from pipeline.intake.sources.base import Snapshots, Source, SourceFile, require_columns

SOURCE = Source(
    id="localscore-insights",
    title="LocalScore results",
    publisher="LocalScore users, collected by d893a",
    home="https://github.com/d893a/localscore-insights",
    licence="not stated (results sent in by users to localscore.ai)",
    kind="community",
    gives="tokens a second of three models with llamafile on consumer cards and Macs, sent in by users",
    files=(
        SourceFile(
            "localscore_results.tsv",
            "https://raw.githubusercontent.com/d893a/localscore-insights/master/assets/localscore_results.tsv",
            "original",
            300,
        ),
    ),
)
# The three models of the test; every other one is named as its file happens to be called.
MODELS = ("Llama 3.2 1B Instruct", "Meta Llama 3.1 8B Instruct", "Qwen2.5 14B Instruct")
APART = 2.0  # times the slowest run; more than drivers, clocks or the processor explain
METRICS = {"gen_tps": "generation_speed", "prompt_tps": "prompt_speed"}


def parse(snapshots: Snapshots) -> Rows:
    """Yield a card's median of each of the two speeds of each model."""
    for snapshot in snapshots.values():
        reader = csv.DictReader(io.StringIO(table.text_of(snapshot)), delimiter="\t")
        require_columns(snapshot, list(reader.fieldnames or ()), ["model_name", "accel_name", "accel_ram", *METRICS])
        runs: dict[tuple[str, str], list[dict[str, str]]] = defaultdict(list)
        for row in reader:
            if row["accel_type"] != "GPU" or row["model_name"] not in MODELS:
                continue
            gpu, reason = drivers.product(row["accel_name"], float(row["accel_ram"]))
            if reason:
                yield snapshot.skip(row["accel_name"], f"test {row['test_num']}", reason)
            else:
                runs[gpu, row["model_name"]].append(row)
        for (gpu, model), rows in runs.items():
            where = f"median of {len(rows)} tests, first {rows[0]['test_num']} ({rows[0]['accel_name']}, {model})"
            for column, metric in METRICS.items():
                speeds = sorted(float(row[column]) for row in rows)
                slow, fast = speeds[0], speeds[-1]
                yield snapshot.result(
                    gpu,
                    f"{where}, column {column}",
                    gpu_count=1,
                    set="localscore-insights",
                    workload="inference",
                    model=model,
                    precision="Q4_K_M",
                    batch="1 stream",
                    metric=metric,
                    value=float(f"{median(speeds):.5g}"),
                    unit="tokens/s",
                    higher_is_better=True,
                    software="llamafile",
                    flag=f"its runs lie far apart, from {slow:g} to {fast:g}" if fast > APART * slow else "",
                    date=max(row["test_date"] for row in rows)[:10].replace(".", "-"),
                )
