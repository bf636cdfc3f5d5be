"""Kyuz0's llama-bench logs of 2026 on Strix Halo, Radeon AI PRO R9700, Tesla P100 and Arc Pro B70.

Every driver and back end is a row upstream, up to nine times apart; the best of each test is taken and named.
"""

from __future__ import annotations

import re

from pipeline.core.schema import Rows
from pipeline.intake.sources import table
from pipeline.intake.sources.base import Snapshots, Source, SourceError, SourceFile

SOURCE = Source(
    id="kyuz0-toolboxes",
    title="AI toolboxes: llama-bench results",
    publisher="kyuz0",
    home="https://github.com/kyuz0/amd-strix-halo-toolboxes",
    licence="not stated",
    kind="community",
    gives="llama.cpp speeds of 2026 on AMD, Intel and old NVIDIA cards, short and long context, one to four cards",
    files=(
        SourceFile(
            "llama_bench_runs.csv",
            # The runs of other cards stand in amd-r9700-, nvidia-p100- and intel-b70-ai-toolboxes beside it.
            "https://github.com/kyuz0/amd-strix-halo-toolboxes/tree/main/benchmark",
            "extract",
            200,
        ),
    ),
)
NAMES = {
    "Ryzen AI Max+ 395 (Radeon 8060S)": "Ryzen AI Max+ 395",
    "Radeon AI PRO R9700": "Radeon AI PRO R9700",
    "Tesla P100 PCIe 16GB": "P100 PCIe 16GB",
    "Arc Pro B70": "Arc Pro B70",
}
TEST = re.compile(r"(?P<phase>pp|tg)(?P<tokens>\d+)(?: @ d(?P<depth>\d+))?")
QUANT = re.compile(r"[-.](?P<quant>(?:UD-)?(?:Q\d\w*|IQ\d\w*|BF16|F16|mxfp4))$", re.IGNORECASE)
METRICS = {"pp": "prompt_speed", "tg": "generation_speed"}


def parse(snapshots: Snapshots) -> Rows:
    """Yield the best result of each machine, model and test."""
    for snapshot in snapshots.values():
        best: dict[tuple[str, ...], tuple[float, int, dict[str, str]]] = {}
        for number, row in table.rows(snapshot, ["hardware", "gpus_in_name", "model", "backend", "test", "tok_s"]):
            if "RPC" in row["backend"]:
                yield snapshot.skip(row["hardware"], f"row {number}", "several machines over a network")
                continue
            rate = float(row["tok_s"].split("±")[0])
            key = (row["hardware"], row["gpus_in_name"].removesuffix(".0") or "1", row["model"], row["test"])
            if rate > best.get(key, (0.0, 0, row))[0]:
                best[key] = (rate, number, row)
        for (hardware, gpus, model, test), (rate, number, row) in best.items():
            where = f"row {number} ({hardware}, {model}, {test})"
            parts, quant = TEST.fullmatch(test), QUANT.search(model)
            if not parts or not quant or hardware not in NAMES:
                raise SourceError(f"{SOURCE.id}/{snapshot.file} {where}: cannot be read; correct its module")
            yield snapshot.result(
                NAMES[hardware],
                f"{where}, the best of all drivers: {row['backend']}, {row['environment']}",
                gpu_count=int(gpus),
                set="kyuz0-toolboxes",
                workload="inference",
                model=model[: quant.start()],
                precision=quant["quant"],
                batch=f"{parts['tokens']} tokens after {parts['depth'] or 0}",
                metric=METRICS[parts["phase"]],
                value=rate,
                unit="tokens/s",
                higher_is_better=True,
                software=f"llama.cpp {row['build']} ({row['backend']})",
                date=snapshot.published or snapshot.retrieved,
            )
