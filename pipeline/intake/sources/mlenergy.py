"""The ML.ENERGY leaderboard: vLLM serving, image and video generation on one to eight H100 and B200, with power.

Form factor and memory of the two GPUs are not stated upstream: the data centre's usual SXM parts are meant where a
model needs 80 GB, so rows name them so. Tokens are output tokens of one task each; compare inside one task.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from pipeline.core.schema import Result, Rows
from pipeline.intake.sources import table
from pipeline.intake.sources.base import Snapshot, Snapshots, Source, SourceError, SourceFile

TASKS = "https://raw.githubusercontent.com/ml-energy/leaderboard/master/public/data/tasks"
SOURCE = Source(
    id="mlenergy",
    title="ML.ENERGY leaderboard",
    publisher="ML.ENERGY",
    home="https://ml.energy/leaderboard",
    licence="not stated (ML.ENERGY asks to cite the NeurIPS 2025 paper)",
    kind="first-party",
    gives="throughput of LLM serving, image and video generation by batch on H100 and B200",
    files=(
        SourceFile("lm-arena-chat.json", f"{TASKS}/lm-arena-chat.json", "original", 100),
        SourceFile("gpqa.json", f"{TASKS}/gpqa.json", "original", 60),
        SourceFile("text-to-image.json", f"{TASKS}/text-to-image.json", "original", 30),
        SourceFile("text-to-video.json", f"{TASKS}/text-to-video.json", "original", 20),
    ),
)
NAMES = {"H100": "H100 SXM 80GB", "B200": "B200"}
FORMATS = {"bfloat16": "bf16", "fp8": "fp8", "mxfp4": "mxfp4"}
Configuration = Mapping[str, str | float]


def parse(snapshots: Snapshots) -> Rows:
    """Yield one result a configuration; of image and video generation the fastest way to share out the GPUs."""
    for snapshot in snapshots.values():
        try:
            content = json.loads(table.text_of(snapshot))
            configurations = list(enumerate(content["configurations"]))
        except (json.JSONDecodeError, KeyError) as error:
            raise SourceError(f"{SOURCE.id}/{snapshot.file}: {error}; fetch it again") from None
        reader = _serving if "max_num_seqs" in content["configurations"][0] else _diffusion
        yield from reader(snapshot, configurations)


def _serving(snapshot: Snapshot, configurations: list[tuple[int, Configuration]]) -> Iterator[Result]:
    for number, row in configurations:
        streams, answered = float(row["avg_batch_size"]), float(row["avg_output_len"])
        # How many answers a GPU works on is what counts; the limit is often far above it.
        yield _result(
            snapshot,
            number,
            row,
            batch=f"{streams:.0f} streams, {answered:.0f} out, TP{row['tensor_parallel']} EP{row['expert_parallel']} "
            f"DP{row['data_parallel']}",
            metric="output_throughput",
            value=float(row["output_throughput_tokens_per_sec"]),
            unit="tokens/s",
            software="vLLM",
        )


def _diffusion(snapshot: Snapshot, configurations: list[tuple[int, Configuration]]) -> Iterator[Result]:
    images = "throughput_images_per_sec" in configurations[0][1]
    kind, column = ("image", "throughput_images_per_sec") if images else ("video", "throughput_videos_per_sec")
    best: dict[tuple[str | float, ...], tuple[int, Configuration]] = {}
    for number, row in configurations:
        key = tuple(row[name] for name in ("model_id", "gpu_model", "num_gpus", "batch_size"))
        if key not in best or float(row[column]) > float(best[key][1][column]):
            best[key] = (number, row)
    for number, row in best.values():
        size = f"{row[f'{kind}_width']} x {row[f'{kind}_height']}"
        frames = "" if images else f", {row['num_frames']} frames"
        yield _result(
            snapshot,
            number,
            row,
            batch=f"{row['batch_size']} {kind}s, {size}{frames}, {row['inference_steps']} steps",
            metric="throughput",
            value=float(row[column]),
            unit=f"{kind}s/s",
            software="Diffusers with xDiT",
        )


def _result(
    snapshot: Snapshot,
    number: int,
    row: Configuration,
    *,
    batch: str,
    metric: str,
    value: float,
    unit: str,
    software: str,
) -> Result:
    gpu = str(row["gpu_model"])
    if gpu not in NAMES:
        raise SourceError(f"{SOURCE.id}/{snapshot.file} configuration {number}: unknown GPU {gpu!r}; add it to NAMES")
    return snapshot.result(
        NAMES[gpu],
        f"configuration {number} ({row['nickname']}, {row['num_gpus']} x {gpu}), form factor not stated",
        gpu_count=int(row["num_gpus"]),
        set=f"mlenergy-{snapshot.file.removesuffix('.json')}",
        workload="inference",
        model=str(row["model_id"]).split("/")[-1],
        precision=FORMATS[str(row["weight_precision"])],
        batch=batch,
        metric=metric,
        value=float(f"{value:.6g}"),
        unit=unit,
        higher_is_better=True,
        software=software,
        date=snapshot.published or snapshot.retrieved,
    )
