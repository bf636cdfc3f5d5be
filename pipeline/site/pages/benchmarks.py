"""Every measured result that several cards share, as experiments to choose from: one page, one JSON a set."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pipeline.core.schema import Result
from pipeline.core.wording import count, quantity, short, slug, words
from pipeline.dataset import Dataset
from pipeline.derive.experiments import Experiment, by_experiment
from pipeline.site.pages import addresses, embeds
from pipeline.site.pages.facts import source_title
from pipeline.site.render import Asset, Page, Shared
from pipeline.site.shared import MOST_FIGURES

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
ID = "benchmarks"  # of its page and its frame


@dataclass(frozen=True, slots=True)
class Comparison:
    """An experiment that several cards share, with the best result of each, best first."""

    of: Experiment
    rows: tuple[Result, ...]

    @property
    def bars(self) -> list[tuple[Result, str]]:
        """Each result with the width of its bar, against the largest value."""
        most = max(row.number for row in self.rows)
        return [(row, f"{BAR * row.number / most:.1f}") for row in self.rows]


def pages(dataset: Dataset) -> Iterator[Page | Asset]:
    """The explorer and a JSON for each set."""
    found = comparisons(dataset.benchmarks)
    sets: dict[str, list[Comparison]] = defaultdict(list)
    for comparison in found:
        sets[comparison.of.set].append(comparison)
    context: dict[str, Any] = {
        "sets": [(name, source_title(own[0].rows[0].source), len(own)) for name, own in sorted(sets.items())],
        "first": _first(found),
        "all": len(found),
        "results": sum(len(comparison.rows) for comparison in found),
        "gpus": dataset.gpus,
        "bar": BAR,
        "source_title": source_title,
        "set_name": set_name,
        "addresses": addresses,
    }
    chart = _chart(dataset, context["first"]) if context["first"] else None
    context["frame"] = embeds.frame_of(chart) if chart else ""
    yield Page(
        "charts/benchmarks",
        "benchmarks.html.j2",
        context,
        "Benchmark explorer",
        f"Measured speed of GPUs: {count(len(found), 'experiment')} to choose from, each with its source; "
        f"results of two sets are never mixed.",
        "pipeline/site/pages/benchmarks.py",
        hide=("toc",),
        embed=embeds.answer_of(ID) if chart else "",
        shared=Shared(chart["finding"], _shared_figures(dataset, context["first"])) if chart else None,
    )
    if chart:
        yield from embeds.of_chart(chart)
    for name, own in sorted(sets.items()):
        yield Asset(f"charts/benchmarks/{slug(name)}.json", _json(dataset, own))


def _chart(dataset: Dataset, first: Comparison) -> dict[str, Any]:
    """The experiment that shows first, as a chart that other people's pages may show."""
    of, best = first.of, first.rows[0]
    return {
        "id": ID,
        "finding": f"{of.model} at {of.precision}, {words(of.metric)}: of {count(len(first.rows), 'card')} the best is "
        f"{short(dataset.gpus[best.gpu].name)}, {quantity(best.number, of.unit)}",
        "experiment": first,
        "gpus": dataset.gpus,
        "bar": BAR,
        "addresses": addresses,
        "newest": dataset.newest_reading,
    }


def _shared_figures(dataset: Dataset, first: Comparison) -> tuple[tuple[str, str], ...]:
    """What a link to the explorer shows: the best cards of its first experiment."""
    best = first.rows[:MOST_FIGURES]
    return tuple((short(dataset.gpus[row.gpu].name), quantity(row.number, first.of.unit)) for row in best)


def set_name(name: str) -> str:
    """What people call a set: MLPerf inference v5.1, open."""
    return SET_NAMES.get(name) or name.replace("mlperf", "MLPerf").replace("-open", ", open").replace("-", " ")


def comparisons(rows: Iterable[Result]) -> list[Comparison]:
    """Every experiment with enough cards, in a fixed order."""
    found = (Comparison(experiment, tuple(own)) for experiment, own in by_experiment(rows).items())
    return sorted((c for c in found if len(c.rows) >= ENOUGH), key=_order)


def _order(comparison: Comparison) -> tuple[object, ...]:
    e = comparison.of
    return (e.set, e.model, e.metric, e.precision, e.gpus, e.batch, e.kind)


def _first(found: Sequence[Comparison]) -> Comparison | None:
    """The experiment that shows first: the wanted one with the most cards, else the one with the most."""
    wanted = [c for c in found if (c.of.set, c.of.model, c.of.precision, c.of.metric, c.of.gpus) == FIRST]
    return max(wanted or found, key=lambda c: len(c.rows), default=None)


def conditions(experiment: Experiment) -> str:
    """What else is the same in all results of an experiment, in words: batch, division, sparsity, engine."""
    return ", ".join(filter(None, (experiment.batch, *experiment.kind)))


def _json(dataset: Dataset, own: Sequence[Comparison]) -> str:
    """A set for the browser: experiments with their results, texts that repeat as numbers of a list."""
    texts: dict[str, int] = {}

    def at(text: str) -> int:
        return texts.setdefault(text, len(texts))

    listed = [
        {
            "model": c.of.model,
            "metric": words(c.of.metric),
            "precision": c.of.precision,
            "unit": c.of.unit,
            "gpus": c.of.gpus,
            "batch": conditions(c.of),
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
                for row in c.rows
            ],
        }
        for c in own
    ]
    cards = {id: [gpu.name, slug(gpu.vendor)] for id in texts if (gpu := dataset.gpus.get(id))}
    made = {"workload": own[0].of.workload, "experiments": listed, "texts": list(texts), "cards": cards}
    return json.dumps(made, ensure_ascii=False, separators=(",", ":")) + "\n"
