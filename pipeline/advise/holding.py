"""How much memory a language model needs, by format and context, and the cheapest machines that hold it today.

For the pages "how much memory for X". Everything is for one user and llama.cpp with a 16-bit cache; memory is in GiB.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pipeline.advise.choose.need import RULES
from pipeline.advise.estimate import EstimateError, Interval, Model, Request, coefficients, estimate, inputs, models
from pipeline.advise.estimate.engines import find
from pipeline.advise.estimate.memory import required, usable_gib
from pipeline.advise.estimate.types import Card
from pipeline.dataset import Dataset
from pipeline.derive.prices.quote import Quote, quotes
from pipeline.derive.prices.rules import MARKETS

# The contexts of a question, a long talk, a report and a whole book.
CONTEXTS = (4096, 8192, 32_768, 131_072)
CONTEXT = 8192  # of one-line answers; a model made for less is asked with its own
QUANT = "q4_k_m"
COMMON_SIZES_GB = (8, 12, 16, 24, 32, 48, 80, 96, 128, 141, 192, 288)
COUNTS = (1, 2, 4, 8)  # GPUs of one machine
SHOWN = 8  # the cheapest machines of a list
# Machines of more cards are listed only where fewer than so many of fewer cards hold the model.
USUAL, ENOUGH = (2, 4), 3
# What fits is tight where the chooser would not call it done well: less is free than this share, or than so many GB.
TIGHT_SHARE: float = RULES["tasks"]["chat"]["headroom"]
TIGHT_GIB: float = RULES["constants"]["few_gib"]["is"]
TIGHT = f"less than {TIGHT_SHARE * 100:g} % of the memory or {TIGHT_GIB:g} GB a card to spare"
# A card only to count on: what a network needs is no matter of the card.
NO_CARD = Card("", "", "", "", "", None, "", None, {})


@dataclass(frozen=True, slots=True)
class FormatNeed:
    """What one number format takes at each of CONTEXTS, in GiB; None beyond what the model was made for."""

    quant: str
    weights_gib: float
    totals_gib: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class Holder:
    """Cards of one kind that hold a model together, what they cost and how fast one answer is written."""

    gpu: str
    name: str
    vendor: str
    count: int
    quote: Quote
    cost: float  # of all of them, to buy or an hour, in the currency of the quote
    spare_gib: float
    speed: Interval | None  # tokens/s


def asked_context(model: Model) -> int:
    """The context, in tokens, that one-line answers about a model are for."""
    return min(CONTEXT, model.context or CONTEXT)


def needed_gib(model: Model, quant: str, context: int) -> float:
    """Weights, cache at this context, and what the engine takes."""
    return required(NO_CARD, model, Request(quant=quant, context=context)).total


def needs(model: Model, formats: Sequence[str]) -> list[FormatNeed]:
    """What a model takes in each format at each of CONTEXTS."""
    longest = model.context or max(CONTEXTS)
    found = []
    for quant in formats:
        weights = required(NO_CARD, model, Request(quant=quant, context=asked_context(model))).parts["weights"]
        totals = (needed_gib(model, quant, tokens) if tokens <= longest else None for tokens in CONTEXTS)
        found.append(FormatNeed(quant, weights, tuple(totals)))
    return found


def is_tight(room: float, usable: float, gpus: int = 1) -> bool:
    """Whether what fits leaves so few GiB of what is usable that a longer prompt or a display would take them."""
    return room < TIGHT_SHARE * usable or room < TIGHT_GIB * gpus


def least_gb(model: Model) -> int | None:
    """The smallest common memory size that holds a model at four bit; None where no single card does."""
    request = Request(quant=QUANT, context=asked_context(model))
    return next((size for size in COMMON_SIZES_GB if required(card_with(size), model, request).fits), None)


def card_with(memory_gb: float) -> Card:
    """A card of which nothing is known but its memory."""
    return Card("", "", "", "consumer", "", memory_gb, "GDDR6", None, {})


class Offers:
    """The cards of a dataset that can be had today in each market, with what the estimator needs to answer for each."""

    def __init__(self, dataset: Dataset) -> None:
        book = quotes(dataset)
        self._cards = inputs.cards(dataset)
        self._coefficients = coefficients.load()
        self._measured = inputs.points(dataset, models.load()).measured
        # The price of a machine sold whole is that of its smallest memory, which may not be the one that is needed.
        self.bought = {
            market: [quote for gpu in dataset.gpus if (quote := book.to_buy(gpu, market)).kind != "system"]
            for market in MARKETS
        }
        self.rented = {market: [book.to_rent(gpu, market) for gpu in dataset.gpus] for market in MARKETS}
        self._needed: dict[tuple[str, int], float] = {}
        self._fewest: dict[tuple[str, str], tuple[int, float] | None] = {}
        self._speeds: dict[tuple[str, str, int], Interval | None] = {}

    def holders(self, model: Model, offers: Sequence[Quote]) -> list[Holder]:
        """The cheapest machines among `offers` that hold a model at four bit, of few cards where there are enough."""
        found = [holder for quote in offers if (holder := self._holder(model, quote))]
        usual = next((few for most in USUAL if len(few := [h for h in found if h.count <= most]) >= ENOUGH), found)
        cheapest = sorted(usual, key=lambda holder: (holder.cost, holder.gpu))[:SHOWN]
        return [replace(holder, speed=self._speed(model, holder)) for holder in cheapest]

    def _holder(self, model: Model, quote: Quote) -> Holder | None:
        if quote.value is None:
            return None
        key, card = (model.id, quote.gpu), self._cards[quote.gpu]
        if key not in self._fewest:
            self._fewest[key] = self._fewest_that_hold(model, card)
        fewest = self._fewest[key]
        if fewest is None:
            return None
        count, spare = fewest
        return Holder(quote.gpu, card.name, card.vendor, count, quote, quote.value * count, spare, None)

    def _fewest_that_hold(self, model: Model, card: Card) -> tuple[int, float] | None:
        """How many of a card hold a model, and the GiB to spare; None where eight do not."""
        if card.memory_gb is None:
            return None
        for count in COUNTS:
            request = Request(quant=QUANT, context=asked_context(model), gpus=count)
            # What a model needs is the same on every card: worked out once.
            if (model.id, count) not in self._needed:
                self._needed[model.id, count] = required(NO_CARD, model, request).total
            room = (usable_gib(card, request, find(request.engine)) or 0.0) - self._needed[model.id, count]
            if room >= 0:
                return count, room
        return None

    def _speed(self, model: Model, holder: Holder) -> Interval | None:
        key = (model.id, holder.gpu, holder.count)
        if key not in self._speeds:
            self._speeds[key] = self._estimated(model, holder)
        return self._speeds[key]

    def _estimated(self, model: Model, holder: Holder) -> Interval | None:
        request = Request(quant=QUANT, context=asked_context(model), gpus=holder.count)
        try:
            answer = estimate(self._cards[holder.gpu], model, request, self._coefficients, self._measured)
        except EstimateError:
            return None
        return answer.decode_tokens_per_s
