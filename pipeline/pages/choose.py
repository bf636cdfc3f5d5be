"""The dataset in, the chooser's page with its first answer and the data for every other one out."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from pipeline.choose import Need, browser_data, choose, currency
from pipeline.choose.need import TASKS, as_words
from pipeline.choose.questions import QUESTIONS
from pipeline.choose.shelf import shelf
from pipeline.choose.view import COMMAND, lost, view
from pipeline.choose.words import LOST_SHOWN
from pipeline.dataset import Dataset
from pipeline.estimate import Model
from pipeline.estimate.tensors import parameters
from pipeline.render import Asset, Page

DATA = "choose/data.json"
TITLE = "Which GPU?"
# What the page answers before anybody touches it: nothing behind "more" is set, so that no hidden limit stays behind
# when somebody changes the task.
FIRST = Need("qlora", units=5e6, deadline_hours=5, budget_usd=800)
# What each task is called in the sentence; TASKS of pipeline/choose/need.py says what it means.
TASK_WORDS: Mapping[str, str] = {
    "chat": "chat alone with", "serve": "serve several people with", "qlora": "fine-tune (QLoRA)",
    "lora": "fine-tune (LoRA)", "full": "fine-tune every weight of", "train": "train from scratch", "cnn": "train",
}  # fmt: skip
MODEL_GROUPS: Mapping[str, str] = {"language": "Language models", "vision": "Image networks (task: train)"}
GIGA = 1e9

Choices = Sequence[tuple[str, str]]
YES: Choices = (("", "no"), ("yes", "yes"))


@dataclass(frozen=True, slots=True)
class Field:
    """One input behind "more"; its name is that of a need."""

    name: str
    label: str
    unit: str = ""
    choices: Choices = ()
    hint: str = ""  # what counts where nothing is typed
    money: bool = False  # an amount in the currency of the question; the unit says per what


@dataclass(frozen=True, slots=True)
class Group:
    """Inputs that belong together."""

    title: str
    fields: Sequence[Field]


MORE: Sequence[Group] = (
    Group("The work", (
        Field("context", "Context", "tokens", hint="of the task"),
        Field("batch", "People at once, or sequences on each GPU", hint="1"),
        Field("quant", "Weights", choices=(("", "usual for the task"), *((q, q) for q in (
            "f16", "q8_0", "q6_k", "q5_k_m", "q4_k_m", "q3_k_m", "q2_k", "mxfp4", "fp8", "int4", "nvfp4")))),
        Field("kv_bits", "Key-value cache", choices=(("", "16 bit"), ("8", "8 bit"), ("4", "4 bit"))),
        Field("least_rate", "Slowest that serves", "a second", hint="10 each"),
        Field("objective", "Best is", choices=(("", "usual for the task"), ("cheapest", "the cheapest"),
                                               ("fastest", "the fastest"),
                                               ("cheapest_work", "the cheapest million tokens"))),
    )),
    Group("The machine", (
        Field("max_gpus", "GPUs at most", hint="8"),
        Field("min_memory_gb", "Memory of each, at least", "GB"),
        Field("max_power_w", "Power of the GPUs, at most", "W"),
        Field("psu_w", "Power supply", "W"),
        Field("slots", "Slots", hint="any"),
        Field("length_mm", "Length, at most", "mm"),
        Field("quiet", "Quiet", choices=YES),
        Field("rack", "Server with its own air flow", choices=YES),
    )),
    Group("Which cards", (
        Field("runs_on", "Software", choices=(("", "any"), ("cuda", "CUDA only"), ("no-nvidia", "no NVIDIA"))),
        Field("used", "Used cards", choices=(("", "allowed"), ("only", "only used"), ("no", "only new"))),
        Field("current_software", "Cards whose support ended", choices=(("", "leave out"), ("no", "take them too"))),
    )),
    Group("Money", (
        Field("budget_per_month_usd", "Budget a month", money=True),
        Field("hours_per_week", "Use", "hours a week", hint="20"),
        Field("electricity_usd_per_kwh", "Electricity", "a kWh", hint="0.2", money=True),
        Field("horizon_months", "Kept for", "months", hint="24"),
        Field("resale_share", "Share of the price when sold", hint="0.5"),
        Field("host_usd", "Machine around the GPUs", hint="by count", money=True),
    )),
)  # fmt: skip


def pages(dataset: Dataset) -> Iterator[Page | Asset]:
    """The page, and the data of the browser's chooser."""
    description = "What you want to do and what you have in, the GPU to buy or rent out, with reasons and alternatives."
    yield Page("choose/index", "choose.html.j2", context(dataset), TITLE, description, "pipeline/pages/choose.py",
               hide=("toc",))  # fmt: skip
    yield Asset(DATA, json.dumps(browser_data(dataset), ensure_ascii=False, separators=(",", ":")) + "\n")


def context(dataset: Dataset) -> dict[str, Any]:
    """All that the page shows."""
    answer = choose(dataset, FIRST)
    reasons = lost(answer)
    return {
        "title": TITLE, "need": FIRST, "words": as_words(FIRST), "view": view(answer),
        "lost": reasons[:LOST_SHOWN], "lost_count": len(reasons), "read": dataset.newest_reading, "command": COMMAND,
        "task_words": TASK_WORDS[FIRST.task], "model_name": shelf(dataset).registry.models[FIRST.model].name,
        "tasks": [(name, TASK_WORDS[name], rule.words) for name, rule in TASKS.items()],
        "currencies": list(currency.load().values()),
        "models": _models(shelf(dataset).registry.models.values()), "more": MORE,
        "questions": [(q, f"?{urlencode(as_words(q.need))}") for q in QUESTIONS],
    }  # fmt: skip


def _models(known: Any) -> list[tuple[str, list[tuple[str, str]]]]:  # noqa: ANN401
    """The networks that a need can name: language models by size, and the image network of the benchmarks."""
    groups: dict[str, list[Model]] = {kind: [m for m in known if m.kind == kind] for kind in MODEL_GROUPS}
    return [
        (words, [(m.id, m.name) for m in sorted(groups[kind], key=lambda m: (parameters(m), m.id))])
        for kind, words in MODEL_GROUPS.items()
    ]
