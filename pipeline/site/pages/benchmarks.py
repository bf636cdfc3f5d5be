"""Every measured result that several cards share, as experiments to choose from: one page, one JSON a set."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pipeline.core.schema import Result
from pipeline.core.wording import count, slug, words
from pipeline.dataset import Dataset
from pipeline.site.pages import addresses
from pipeline.site.pages.facts import source_title
from pipeline.site.render import Asset, Page

# What makes two results one experiment. Results of two sets are never one: each set has its own rules.
# Sets in which whoever measured picked the best batch for each card; elsewhere the batch belongs to the experiment.
BATCH_IS_TUNED = ("lambda-", "mlperf-", "mamf", "nvidia-", "gpu-stream")
ENOUGH = 3  # cards
# What people call a set that its own short name does not tell; the others go by their name.
SET_NAMES = {
    "gpu-stream": "gpu-stream: memory bandwidth",
    "hholtmann-vllm-agentic": "vLLM serving: agentic",
    "hholtmann-vllm-api": "vLLM serving: API",
    "hholtmann-vllm-rag": "vLLM serving: RAG",
    "lambda-pytorch-2022-07": "Lambda, PyTorch, July 2022",
    "lambda-pytorch-v1": "Lambda, PyTorch, version 1",
    "lambda-pytorch-v2": "Lambda, PyTorch, version 2",
    "llmfit-community": "llmfit: runs of its users",
    "mamf": "MAMF: best matrix multiplication",
    "nvidia-megatron-bridge": "NVIDIA Megatron Bridge: training",
    "nvidia-tensorrt-llm": "NVIDIA TensorRT-LLM: inference",
    "xiongjiedai-llama3-2024-05": "llama.cpp, LLaMA 3, May 2024",
}
FIRST = ("xiongjiedai-llama3-2024-05", "LLaMA 3 8B", "Q4_K_M", "generation_speed", 1)  # shown without a choice
BAR = 100


@dataclass(frozen=True, slots=True)
class Experiment:
    """Results that may be compared: the best of each card, best first."""

    set: str
    workload: str
    model: str
    precision: str
    metric: str
    unit: str
    gpus: int
    batch: str
    kind: tuple[str, ...]  # what else is the same in all of them: open division, sparsity, engine
    rows: tuple[Result, ...]

    @property
    def bars(self) -> list[tuple[Result, str]]:
        """Each result with the width of its bar, against the largest value."""
        most = max(row.number for row in self.rows)
        return [(row, f"{BAR * row.number / most:.1f}") for row in self.rows]


def pages(dataset: Dataset) -> Iterator[Page | Asset]:
    """The explorer and a JSON for each set."""
    found = experiments(dataset.benchmarks)
    sets: dict[str, list[Experiment]] = defaultdict(list)
    for experiment in found:
        sets[experiment.set].append(experiment)
    context = {
        "sets": [(name, source_title(own[0].rows[0].source), len(own)) for name, own in sorted(sets.items())],
        "first": _first(found),
        "all": len(found),
        "results": sum(len(experiment.rows) for experiment in found),
        "gpus": dataset.gpus,
        "bar": BAR,
        "source_title": source_title,
        "set_name": set_name,
        "addresses": addresses,
    }
    yield Page(
        "charts/benchmarks",
        "benchmarks.html.j2",
        context,
        "Benchmark explorer",
        f"Measured speed of GPUs: {count(len(found), 'experiment')} to choose from, each with its source; "
        f"results of two sets are never mixed.",
        "pipeline/site/pages/benchmarks.py",
        hide=("toc",),
    )
    for name, own in sorted(sets.items()):
        yield Asset(f"charts/benchmarks/{slug(name)}.json", _json(dataset, own))


def set_name(name: str) -> str:
    """What people call a set: MLPerf inference v5.1, open."""
    return SET_NAMES.get(name) or name.replace("mlperf", "MLPerf").replace("-open", ", open").replace("-", " ")


def experiments(rows: Sequence[Result]) -> list[Experiment]:
    """Every experiment with enough cards, in a fixed order."""
    groups: dict[Experiment, list[Result]] = defaultdict(list)
    for row in rows:
        if row.value is not None and not row.flag:
            groups[_experiment(row)].append(row)
    found = (replace(experiment, rows=tuple(_best_of_each(own))) for experiment, own in groups.items())
    return sorted((e for e in found if len(e.rows) >= ENOUGH), key=_order)


def _experiment(row: Result) -> Experiment:
    """What a result may be compared with; its rows are still to be found."""
    batch = "" if row.set.startswith(BATCH_IS_TUNED) else row.batch
    # The closed division of MLPerf fixes the network and leaves the program free; elsewhere the program is part of it.
    engine = "" if row.division == "closed" else row.engine
    kind = tuple(word for word in (row.division, row.sparsity, engine) if word and word != "closed")
    return Experiment(
        row.set,
        row.workload,
        f"{row.model} for {row.entered_as}" if row.entered_as else row.model,
        row.format.upper(),
        row.metric,
        row.unit,
        row.gpu_count,
        batch,
        kind,
        rows=(),
    )


def _best_of_each(rows: Sequence[Result]) -> list[Result]:
    """Of each card its best result, the best card first; equal ones in the order of ids and locators."""
    sign = -1 if rows[0].higher_is_better else 1
    best: dict[str, Result] = {}
    for row in sorted(rows, key=lambda row: (sign * row.number, row.gpu, row.locator)):
        best.setdefault(row.gpu, row)
    return list(best.values())


def _order(e: Experiment) -> tuple[object, ...]:
    return (e.set, e.model, e.metric, e.precision, e.gpus, e.batch, e.kind)


def _first(found: Sequence[Experiment]) -> Experiment | None:
    """The experiment that shows first: the wanted one with the most cards, else the one with the most."""
    wanted = [e for e in found if (e.set, e.model, e.precision, e.metric, e.gpus) == FIRST]
    return max(wanted or found, key=lambda e: len(e.rows), default=None)


def _json(dataset: Dataset, own: Sequence[Experiment]) -> str:
    """A set for the browser: experiments with their results, texts that repeat as numbers of a list."""
    texts: dict[str, int] = {}

    def at(text: str) -> int:
        return texts.setdefault(text, len(texts))

    listed = [
        {
            "model": e.model,
            "metric": words(e.metric),
            "precision": e.precision,
            "unit": e.unit,
            "gpus": e.gpus,
            "batch": ", ".join((e.batch, *e.kind) if e.batch else e.kind),
            "rows": [
                [
                    at(row.gpu),
                    row.number,
                    at(row.batch),
                    at(row.software),
                    at(row.date),
                    at(row.url),
                    at(row.locator),
                ]
                for row in e.rows
            ],
        }
        for e in own
    ]
    cards = {id: [gpu.name, slug(gpu.vendor)] for id in texts if (gpu := dataset.gpus.get(id))}
    made = {"workload": own[0].workload, "experiments": listed, "texts": list(texts), "cards": cards}
    return json.dumps(made, ensure_ascii=False, separators=(",", ":")) + "\n"
