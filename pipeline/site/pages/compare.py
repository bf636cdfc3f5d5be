"""The page that puts two to six cards side by side in the browser, and the table of what it compares."""

from __future__ import annotations

import json
from collections.abc import Iterator

from pipeline.advise import comparison
from pipeline.advise.choose.catalogue import shelf
from pipeline.advise.choose.need import FIELDS as FIELDS_OF_NEED
from pipeline.advise.choose.need import TASKS
from pipeline.core.schema import ENGINES, FIELDS, SPARSITIES, PeakKey, parse_peak
from pipeline.core.wording import slug, words
from pipeline.dataset import Dataset
from pipeline.derive.experiments import Experiment
from pipeline.site.pages import pairs
from pipeline.site.pages.benchmarks import comparisons, conditions
from pipeline.site.pages.facts import heading
from pipeline.site.render import Asset, Page

# Which way is better, where one is; a count of cores or a clock says nothing between two makers.
HIGHER = ("memory_gb", "memory_bandwidth_gb_s", "link_gb_s", "l2_cache_mb")
LOWER = ("launch_price_usd", "board_power_w")
FIRST = ("memory_gb", "memory_bandwidth_gb_s", "board_power_w", "launch_price_usd", "launch_date")
# Peaks in the order in which people ask for them.
INPUT_ORDER = ("bf16", "fp16", "tf32", "fp8", "int8", "fp4", "fp6", "fp32", "fp64")
ACCUMULATE_ORDER = ("fp32", "fp16", "int32", "fp64")
GROUPS = {"dense": "Dense peak rates", "sparse": "Sparse peak rates (two of four weights zero)"}
POPULAR = 24
# What a comparison is asked first: a task of the chooser and its model; the one for cards of data centres is marked.
JOBS = (
    ("chat", "llama-3.1-8b-instruct"),
    ("chat", "qwen2.5-32b-instruct"),
    ("chat", "llama-3.3-70b-instruct"),
    ("serve", "llama-3.1-8b-instruct"),
    ("serve", "llama-3.3-70b-instruct"),
    ("qlora", "llama-3.1-8b-instruct"),
    ("qlora", "llama-3.3-70b-instruct"),
    ("full", "llama-3.1-8b-instruct"),
    ("train", "llama-3.2-1b-instruct"),
    ("cnn", "resnet-50"),
    ("image", ""),
)
IN_DATA_CENTRES = ("serve", "llama-3.3-70b-instruct")
MEASURES = {"tflops": "best matrix multiplication", "stream_triad": "memory bandwidth"}  # what a metric's name hides
# What an empty page offers to begin with, and what each comparison answers.
EXAMPLES = (
    (
        ("nvidia-geforce-rtx-4090", "nvidia-geforce-rtx-3090"),
        "The same memory, two generations: what does the newer card do faster, and is that worth its price?",
    ),
    (
        ("nvidia-geforce-rtx-5090", "nvidia-rtx-a6000"),
        "Speed against memory: a fast card for games, or an older one for work that holds a larger model?",
    ),
    (
        ("nvidia-h100-sxm5-80gb", "nvidia-h200-sxm-141gb", "nvidia-b200", "amd-instinct-mi355x"),
        "Four modules of a data centre: which to rent for a job, and what one run costs on each?",
    ),
)


def pages(dataset: Dataset) -> Iterator[Page | Asset]:
    """The compare page, rows.json and measured.json."""
    yield Page(
        "compare/index",
        "compare.html.j2",
        {
            "most": comparison.MOST,
            "examples": [([dataset.gpus[id] for id in ids if id in dataset.gpus], asks) for ids, asks in EXAMPLES],
            "jobs": list(_jobs(dataset)),
            "popular": pairs.pairs(dataset)[:POPULAR],
            "hours": FIELDS_OF_NEED["hours_per_week"]["default"],
            "months": FIELDS_OF_NEED["horizon_months"]["default"],
        },
        "Compare GPUs",
        "Put two to six GPUs side by side: which is better at what, and by how much.",
        "pipeline/site/pages/compare.py",
    )
    yield Asset("compare/rows.json", _compact(_rows(dataset)))
    yield Asset("compare/measured.json", _compact(_measured(dataset)))


def _jobs(dataset: Dataset) -> Iterator[tuple[str, str, str, bool]]:
    """Each job: task, model, what it is in words, whether cards of data centres are asked it first."""
    known = shelf(dataset).registry.models
    for task, model in JOBS:
        name = f" {known[model].name}" if model else ""
        yield task, model, f"{TASKS[task]['short']}{name}", (task, model) == IN_DATA_CENTRES


def _rows(dataset: Dataset) -> list[dict[str, str]]:
    """The rows in their order: what matters first, then the peaks that exist, then the rest."""
    peaks = [key.field for key in _peak_keys() if any(key in gpu.peaks for gpu in dataset.gpus.values())]
    rest = [name for name in FIELDS if name not in FIRST]
    return [_row(name) for name in (*FIRST, *peaks, *rest)]


def _peak_keys() -> Iterator[PeakKey]:
    for sparsity in SPARSITIES:
        for input in INPUT_ORDER:
            for engine in reversed(ENGINES):
                for accumulate in ACCUMULATE_ORDER:
                    yield PeakKey(input, accumulate, sparsity, engine)


def _row(name: str) -> dict[str, str]:
    peak = name.startswith("peak:")
    better = "higher" if peak or name in HIGHER else "lower" if name in LOWER else ""
    label, unit, _ = heading(name)
    return {
        "field": name,
        "label": label.replace(" dense", "").replace(" sparse", ""),
        "unit": unit,
        "better": better,
        "group": _group(name),
    }


def _measured(dataset: Dataset) -> dict[str, object]:
    """Every experiment that several cards share: what it is, where the explorer has it, and each card's result."""
    ids = list(dataset.gpus)
    at = {id: place for place, id in enumerate(ids)}
    found = [
        {
            "label": _experiment(c.of),
            "set": slug(c.of.set),
            "model": c.of.model,
            "metric": words(c.of.metric),
            "precision": c.of.precision,
            "gpus": c.of.gpus,
            "batch": conditions(c.of),
            "higher": c.rows[0].higher_is_better,
            "rows": [[at[row.gpu], row.number, row.date] for row in c.rows],
        }
        for c in comparisons(dataset.benchmarks)
    ]
    return {"ids": ids, "experiments": found}


def _experiment(e: Experiment) -> str:
    together = f"{e.gpus} GPUs together" if e.gpus != 1 else ""
    parts = (words(e.model), e.precision, MEASURES.get(e.metric, words(e.metric)), together, e.batch, e.unit)
    return ", ".join(part for part in parts if part)


def _compact(made: object) -> str:
    return json.dumps(made, ensure_ascii=False, separators=(",", ":")) + "\n"


def _group(name: str) -> str:
    if name.startswith("peak:"):
        return GROUPS[parse_peak(name).sparsity]
    return "What matters first" if name in FIRST else "Everything else"
