"""The first page: what this is, the doors as working tools, today's picks, what moved, one chart, counts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pipeline import moves, picks
from pipeline.charts import memory_bandwidth
from pipeline.dataset import Dataset
from pipeline.pages import addresses
from pipeline.pages.charts import drawing
from pipeline.pages.conflicts import disputes
from pipeline.pages.facts import label_of, source_title
from pipeline.pages.picks import PATH as PICKS_PATH
from pipeline.pages.picks import line
from pipeline.render import Page
from pipeline.schema import field_of

# The sentence to fill in: what the chooser's address calls it, and how it reads. The first of each is chosen already.
TASKS = (
    ("qlora", "fine-tune (QLoRA)"),
    ("chat", "chat with"),
    ("lora", "fine-tune (LoRA)"),
    ("full", "fine-tune every weight of"),
    ("train", "train from nothing"),
)
MODELS = (
    ("llama-3.1-8b-instruct", "an 8 B model"),
    ("qwen2.5-14b-instruct", "a 14 B model"),
    ("qwen2.5-32b-instruct", "a 32 B model"),
    ("llama-3.3-70b-instruct", "a 70 B model"),
    ("llama-3.2-1b-instruct", "a 1 B model"),
)
BUDGET_USD = 800
MOVES, NEW, CORRECTED = 6, 6, 4


def pages(dataset: Dataset) -> Iterator[Page]:
    """The home page."""
    context = {
        "gpus": len(dataset.gpus),
        "figures": sum(row["chosen"] == "yes" for row in dataset.tables["claims"]),
        "claims": len(dataset.tables["claims"]),
        "results": len(dataset.tables["benchmarks"]),
        "prices": len(dataset.tables["prices"]),
        "conflicts": len(disputes(dataset)),
        "newest": dataset.newest_reading,
        "tasks": TASKS,
        "models": MODELS,
        "budget": BUDGET_USD,
        "lines": [line(pick) for pick in picks.picks(dataset).picks if pick.question.home],
        "picks_path": PICKS_PATH,
        **_moved(dataset),
        "chart": drawing(memory_bandwidth, dataset),
        "vendors": _vendors(dataset),
        "addresses": addresses,
    }
    yield Page("index", "home.html.j2", context, "GPU Almanac",
               "An open guide to choosing a GPU for deep learning, in which every figure names its source.",
               "docs/templates/home.html.j2")  # fmt: skip


def _moved(dataset: Dataset) -> dict[str, Any]:
    prices, corrected = moves.price_moves(dataset), moves.corrected(dataset)
    numeric = [one for one in corrected if field_of(one.field).type in ("number", "integer") and one.chosen]
    return {
        "moves": prices[:MOVES],
        "all_moves": len(prices),
        "new_cards": moves.new_cards(dataset)[:NEW],
        "corrected": [(one, label_of(one.field), _unit(one.field)) for one in numeric[:CORRECTED]],
        "all_corrected": len(corrected),
        "source_title": source_title,
    }


def _unit(field: str) -> str:
    return "TOPS" if field.startswith("peak:int") else field_of(field).unit  # integers are no floating-point operations


def _vendors(dataset: Dataset) -> list[tuple[str, str, int]]:
    groups = {vendor: records for (vendor, _), records in addresses.grouped(dataset.gpus.values(), "vendor").items()}
    return [(vendor, addresses.vendor(records[0]), len(records)) for vendor, records in groups.items()]
