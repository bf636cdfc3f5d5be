"""Timm's rates of image models: inference on RTX 3090, 4090, 5090 and PRO 6000 Max-Q, training on RTX 3090 (2022).

The catalogue keeps a dozen well-known models at their usual size; upstream lists more than a thousand.
"""

from __future__ import annotations

import re

from pipeline.core.schema import Rows
from pipeline.intake.sources import table
from pipeline.intake.sources.base import Snapshots, Source, SourceError, SourceFile

RESULTS = "https://raw.githubusercontent.com/huggingface/pytorch-image-models/main/results"
FILES = (
    "benchmark-infer-amp-nchw-pt240-cu124-rtx3090.csv",
    "benchmark-infer-amp-nchw-pt291-cu128-4090.csv",
    "benchmark-infer-amp-nchw-pt291-cu130-5090.csv",
    "benchmark-infer-amp-nchw-pt291-cu130-pro6000maxq.csv",
    "benchmark-train-amp-nchw-pt112-cu113-rtx3090.csv",
)
SOURCE = Source(
    id="timm-benchmarks",
    title="timm benchmark results",
    publisher="Hugging Face (Ross Wightman)",
    home="https://github.com/huggingface/pytorch-image-models",
    licence="Apache-2.0",
    kind="first-party",
    gives="images a second of well-known vision models, inference on four cards, training on one",
    files=tuple(SourceFile(name, f"{RESULTS}/{name}", "original", 4) for name in FILES),
)
NAMES = {
    "rtx3090": "RTX 3090",
    "4090": "RTX 4090",
    "5090": "RTX 5090",
    "pro6000maxq": "RTX PRO 6000 Blackwell Max-Q",
}
MODELS = (
    "resnet18",
    "resnet50",
    "resnet152",
    "efficientnet_b0",
    "convnext_tiny",
    "convnext_base",
    "vit_small_patch16_224",
    "vit_base_patch16_224",
    "swin_tiny_patch4_window7_224",
)
NAME = re.compile(r"benchmark-(?P<task>infer|train)-amp-nchw-pt(?P<torch>\d+)-cu(?P<cuda>\d+)-(?P<gpu>\w+)\.csv")
TASKS = {"infer": "inference", "train": "training"}
TORCH = {"112": "1.12", "240": "2.4", "291": "2.9"}


def parse(snapshots: Snapshots) -> Rows:
    """Yield one result a kept model and file."""
    for snapshot in snapshots.values():
        parts = NAME.fullmatch(snapshot.file)
        if not parts:
            raise SourceError(f"{SOURCE.id}/{snapshot.file}: a name that its module cannot read")
        rate, size, batch = (f"{parts['task']}_{part}" for part in ("samples_per_sec", "img_size", "batch_size"))
        for number, row in table.rows(snapshot, ["model", rate, size, batch]):
            if row["model"].split(".")[0] in MODELS:
                yield snapshot.result(
                    NAMES[parts["gpu"]],
                    f"row {number} ({row['model']}, {row[size]} pixels), column {rate}",
                    gpu_count=1,
                    set=f"timm-{TASKS[parts['task']]}",
                    workload=TASKS[parts["task"]],
                    model=row["model"],
                    precision="amp",
                    batch=f"{row[batch]} images, {row[size]} x {row[size]}",
                    metric="throughput",
                    value=table.number(snapshot, number, row, rate),
                    unit="images/s",
                    higher_is_better=True,
                    software=f"PyTorch {TORCH[parts['torch']]}, timm",
                    date=snapshot.published or snapshot.retrieved,
                )
