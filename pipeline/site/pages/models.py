"""A page for each language model: how much memory it takes, what holds it, how fast, and what that costs.

"How much VRAM for Llama 70B?" is the question that most people bring; here the answer stands in the first line.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pipeline.advise.estimate import (
    Card,
    EstimateError,
    Interval,
    Model,
    Request,
    coefficients,
    estimate,
    inputs,
    models,
)
from pipeline.advise.estimate.memory import required
from pipeline.core.wording import quantity, slug
from pipeline.dataset import Dataset
from pipeline.derive.prices.quote import Quote, quotes
from pipeline.site.charts.what_fits import FORMATS, SIZES_GB
from pipeline.site.pages import addresses
from pipeline.site.render import Page

CONTEXTS = (4096, 8192, 32_768, 131_072)
CONTEXT = 8192  # of the first line and of the tables of cards, as in the chart of what fits
QUANT = "q4_k_m"
SHOWN = 8  # cards in a table: the cheapest that hold the model
COUNTS = (1, 2, 4, 8)  # GPUs of one machine
# Machines of more cards are shown only where fewer than so many of fewer cards hold the model.
USUAL, ENOUGH = (2, 4), 3
ANY_CARD = Card("", "", "", "datacenter", "", None, "", None, {})  # what a model needs does not depend on the card


@dataclass(frozen=True, slots=True)
class Holder:
    """Cards of one kind that hold a model together, what they cost and how fast one answer is written."""

    gpu: str
    name: str
    vendor: str
    count: int
    quote: Quote
    cost: float  # of all of them, to buy or an hour
    spare_gib: float
    speed: Interval | None


@dataclass(frozen=True, slots=True)
class Need:
    """What one number format takes at each length of context, in GiB; None beyond what the model was made for."""

    format: str
    weights: float
    totals: tuple[float | None, ...]


def pages(dataset: Dataset) -> Iterator[Page]:
    """A page for each language model, and their list, the smallest first."""
    registry = models.load()
    shown = sorted(
        (model for model in registry.models.values() if model.is_language),
        key=lambda model: (needed(model, QUANT, CONTEXT), model.id),
    )
    ask = Asking(dataset)
    for model in shown:
        yield _page(model, dataset, ask)
    rows = [(model, [needed(model, quant, CONTEXT) for quant in FORMATS], least(model)) for model in shown]
    yield Page(
        "models/index",
        "models.html.j2",
        {"rows": rows, "formats": list(FORMATS.values()), "context": CONTEXT},
        "How much memory a language model needs",
        f"Memory of {len(rows)} language models by number format, and the smallest card that holds each.",
        "pipeline/site/pages/models.py",
        hide=("toc",),
    )


def address(model: Model) -> str:
    """Where the model's page stands."""
    return f"models/{slug(model.id)}"


def needed(model: Model, quant: str, context: int) -> float:
    """GiB for one user: weights, cache at this context, and what the engine takes."""
    return required(ANY_CARD, model, Request(quant=quant, context=context)).total


def least(model: Model) -> int | None:
    """The smallest common memory size that holds the model at four bit; None where no single card does."""
    request = Request(quant=QUANT, context=CONTEXT)
    return next((size for size in SIZES_GB if required(ANY_CARD, model, replace(request, memory_gb=size)).fits), None)


def needs(model: Model) -> list[Need]:
    """The table of memory: formats by contexts."""
    longest = model.context or max(CONTEXTS)
    found = []
    for quant, label in FORMATS.items():
        parts = required(ANY_CARD, model, Request(quant=quant, context=CONTEXT)).parts
        totals = tuple(needed(model, quant, tokens) if tokens <= longest else None for tokens in CONTEXTS)
        found.append(Need(label, parts["weights"], totals))
    return found


class Asking:
    """The cards of a dataset that can be had today, with what the estimator needs to answer for each."""

    def __init__(self, dataset: Dataset) -> None:
        self._book = quotes(dataset)
        self._cards = inputs.cards(dataset)
        self._coefficients = coefficients.load()
        self._measured = inputs.points(dataset, models.load()).measured
        # The price of a machine sold whole is that of its smallest memory, which may not be the one that is needed.
        to_buy = [self._book.to_buy(gpu) for gpu in dataset.gpus]
        self.bought = [quote for quote in to_buy if quote.value is not None and quote.kind != "system"]
        self.rented = [quote for gpu in dataset.gpus if (quote := self._book.quote(gpu, "rent")).value is not None]

    def holders(self, model: Model, offers: Sequence[Quote]) -> list[Holder]:
        """The cheapest machines that hold the model at four bit for one user, of few cards where there are enough."""
        found = [holder for quote in offers if (holder := self._holder(model, quote))]
        usual = next((few for most in USUAL if len(few := [h for h in found if h.count <= most]) >= ENOUGH), found)
        cheapest = sorted(usual, key=lambda holder: (holder.cost, holder.gpu))[:SHOWN]
        return [replace(holder, speed=self._speed(model, holder)) for holder in cheapest]

    def _holder(self, model: Model, quote: Quote) -> Holder | None:
        card = self._cards[quote.gpu]
        if card.memory_gb is None or quote.value is None:
            return None
        for count in COUNTS:
            memory = required(card, model, Request(quant=QUANT, context=CONTEXT, gpus=count))
            if memory.fits:
                cost = quote.value * count
                return Holder(quote.gpu, card.name, card.vendor, count, quote, cost, memory.room or 0.0, None)
        return None

    def _speed(self, model: Model, holder: Holder) -> Interval | None:
        request = Request(quant=QUANT, context=CONTEXT, gpus=holder.count)
        try:
            answer = estimate(self._cards[holder.gpu], model, request, self._coefficients, self._measured)
        except EstimateError:
            return None
        return answer.decode_tokens_per_s


def summary(model: Model) -> str:
    """The answer in one sentence."""
    four, sixteen = needed(model, QUANT, CONTEXT), needed(model, "f16", CONTEXT)
    size = least(model)
    card = f"a card with {size} GB holds it" if size else "no single card holds it"
    held = f"{quantity(four, 'GB')} at 4 bit with {CONTEXT:,} tokens of context, so {card}"
    return f"{held}; {quantity(sixteen, 'GB')} at 16 bit."


def _page(model: Model, dataset: Dataset, ask: Asking) -> Page:
    file = models.load().files[model.id]
    context = {
        "model": model,
        "summary": summary(model),
        "needs": needs(model),
        "contexts": CONTEXTS,
        "cards_context": CONTEXT,
        "bought": ask.holders(model, ask.bought),
        "rented": ask.holders(model, ask.rented),
        "documents": list(file.documents.values()),
        "repository": file.repository,
        "addresses": addresses,
        "newest": dataset.newest_reading,
    }
    title = f"How much memory does {model.name} need?"
    said = f"{model.name}: {summary(model)} Cards that hold it, with speed and price."
    return Page(
        address(model), "model.html.j2", context, title, said, f"data/models/{model.id}.yml", hide=("navigation", "toc")
    )
