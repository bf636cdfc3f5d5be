"""The first page: what this is, the doors as working tools, today's picks, what moved, one chart, counts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pipeline.core import currencies
from pipeline.core.schema import field_of
from pipeline.dataset import Dataset
from pipeline.derive import news
from pipeline.derive.prices.changes import changes
from pipeline.derive.prices.quote import quotes
from pipeline.derive.prices.rules import DEFAULT_MARKET, MARKETS, WORDS
from pipeline.site.charts import memory_bandwidth
from pipeline.site.pages import addresses
from pipeline.site.pages.charts import described
from pipeline.site.pages.conflicts import disputes
from pipeline.site.pages.facts import heading, source_title
from pipeline.site.pages.picks import PATH as PICKS_PATH
from pipeline.site.pages.picks import lines
from pipeline.site.render import Page, Shared

# The sentence to fill in: what the chooser's address calls it, and how it reads. The first of each is chosen already.
TASKS = (
    ("qlora", "fine-tune (QLoRA)"),
    ("chat", "chat with"),
    ("lora", "fine-tune (LoRA)"),
    ("full", "fine-tune every weight of"),
    ("train", "train from scratch"),
)
MODELS = (
    ("llama-3.1-8b-instruct", "an 8 B model"),
    ("qwen2.5-14b-instruct", "a 14 B model"),
    ("qwen2.5-32b-instruct", "a 32 B model"),
    ("llama-3.3-70b-instruct", "a 70 B model"),
    ("llama-3.2-1b-instruct", "a 1 B model"),
)
BUDGET_USD = 800
MOVES, NEW, CORRECTED = 6, 6, 2


def pages(dataset: Dataset) -> Iterator[Page]:
    """The home page."""
    groups = {
        vendor: records
        for (vendor, _), records in addresses.grouped(dataset.gpus.values(), lambda gpu: gpu.vendor).items()
    }
    vendors = [(vendor, addresses.vendor(records[0]), len(records)) for vendor, records in groups.items()]
    context = {
        "gpus": len(dataset.gpus),
        "figures": sum(row.chosen for row in dataset.claims),
        "claims": len(dataset.claims),
        "results": len(dataset.benchmarks),
        "prices": len(dataset.prices),
        "conflicts": len(disputes(dataset)),
        "newest": dataset.newest_reading,
        "tasks": TASKS,
        "models": MODELS,
        "budget": BUDGET_USD,
        "lines": [by for by in lines(dataset) if by[DEFAULT_MARKET].question.home],
        "currency_words": {market: currencies.load()[rule.currency].word for market, rule in MARKETS.items()},
        "picks_path": PICKS_PATH,
        "cards": dataset.gpus,
        **_moved(dataset),
        "chart": described(memory_bandwidth.CHART, memory_bandwidth.CHART.draw(dataset), dataset),
        "vendors": vendors,
        "addresses": addresses,
    }
    yield Page(
        "index",
        "home.html.j2",
        context,
        "Which GPU, and how we know",
        "An open guide to choosing a GPU for deep learning, in which every figure names its source.",
        "docs/templates/home.html.j2",
        shared=Shared(
            "Which GPU, and how we know",
            (
                ("GPUs", f"{context['gpus']}"),
                ("statements", f"{context['claims']:,}"),
                ("measured results", f"{context['results']:,}"),
                ("dated prices", f"{context['prices']:,}"),
            ),
        ),
    )


def _moved(dataset: Dataset) -> dict[str, Any]:
    moved = [change for change in changes(quotes(dataset)) if change.share is not None]
    corrected = news.corrected(dataset)
    numeric = [one for one in corrected if field_of(one.field).type in ("number", "integer") and one.chosen]
    first = {one.gpu.id: one for one in reversed(numeric)}  # each card once: its widest gap
    shown = [one for one in numeric if first[one.gpu.id] is one]
    return {
        "moves": [(dataset.gpus[change.gpu], change) for change in moved[:MOVES]],
        "all_moves": len(moved),
        "markets": MARKETS,
        "kind_words": WORDS,
        "new_cards": news.new_cards(dataset)[:NEW],
        "corrected": [(one, *heading(one.field)[:2]) for one in shown[:CORRECTED]],
        "all_corrected": len(corrected),
        "source_title": source_title,
    }
