"""A page for each language model: how much memory it takes, what holds it, how fast, and what that costs.

"How much VRAM for Llama 70B?" is the question that most people bring; here the answer stands in the first line.
"""

from __future__ import annotations

from collections.abc import Iterator

from pipeline.advise import holding
from pipeline.advise.estimate import Model, models
from pipeline.core.wording import quantity, slug
from pipeline.dataset import Dataset
from pipeline.derive.prices.rules import MARKETS
from pipeline.site.charts.what_fits import FORMATS
from pipeline.site.pages import addresses
from pipeline.site.render import Page, Shared

BOOST = 8.0  # who asks for a model's memory asks for its page before the chapters


def pages(dataset: Dataset) -> Iterator[Page]:
    """A page for each language model, and their list, the smallest first."""
    shown = sorted(paged(), key=lambda model: (_needed(model, holding.QUANT), model.id))
    offers = holding.Offers(dataset)
    for model in shown:
        yield _page(model, dataset, offers)
    rows = [(model, [_needed(model, quant) for quant in FORMATS], holding.least_gb(model)) for model in shown]
    yield Page(
        "models/index",
        "models.html.j2",
        {"rows": rows, "formats": list(FORMATS.values()), "context": holding.CONTEXT},
        "How much memory a language model needs",
        f"Memory of {len(rows)} language models by number format, and the smallest card that holds each.",
        "pipeline/site/pages/models.py",
        hide=("toc",),
    )


def paged() -> list[Model]:
    """The networks that have a page: language models; the others have no context whose memory it could tell."""
    return [model for model in models.load().models.values() if model.is_language]


def address(model: Model) -> str:
    """Where the model's page stands."""
    return f"models/{slug(model.id)}"


def summary(model: Model) -> str:
    """The answer in one sentence."""
    size = holding.least_gb(model)
    card = f"a card with {size} GB holds it" if size else "no single card holds it"
    four, sixteen = (quantity(_needed(model, quant), "GB") for quant in (holding.QUANT, "f16"))
    return f"{four} at 4 bit with {holding.asked_context(model):,} tokens of context, so {card}; {sixteen} at 16 bit."


def _needed(model: Model, quant: str) -> float:
    return holding.needed_gib(model, quant, holding.asked_context(model))


def _page(model: Model, dataset: Dataset, offers: holding.Offers) -> Page:
    file = models.load().files[model.id]
    context = {
        "model": model,
        "summary": summary(model),
        "needs": holding.needs(model, tuple(FORMATS)),
        "formats": FORMATS,
        "contexts": holding.CONTEXTS,
        "cards_context": holding.asked_context(model),
        "bought": {market: offers.holders(model, quotes) for market, quotes in offers.bought.items()},
        "rented": {market: offers.holders(model, quotes) for market, quotes in offers.rented.items()},
        "markets": MARKETS,
        "documents": list(file.documents.values()),
        "repository": file.repository,
        "addresses": addresses,
        "newest": dataset.newest_reading,
    }
    title = f"How much memory does {model.name} need?"
    said = f"{model.name}: {summary(model)} Cards that hold it, with speed and price."
    return Page(
        address(model),
        "model.html.j2",
        context,
        title,
        said,
        f"data/models/{model.id}.yml",
        hide=("navigation", "toc"),
        boost=BOOST,
        shared=Shared(title, tuple((form, quantity(_needed(model, quant), "GB")) for quant, form in FORMATS.items())),
    )
