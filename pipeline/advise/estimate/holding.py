"""How much memory a network needs, by format and context, and which cards hold it at which speed.

For the pages "how much memory for X": one table of needs for a network, one of the cards that hold it in a format.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pipeline.advise.estimate import estimate
from pipeline.advise.estimate.coefficients import Coefficients
from pipeline.advise.estimate.memory import required
from pipeline.advise.estimate.points import Point
from pipeline.advise.estimate.types import Card, Estimate, Model, Request

# The formats that people run, largest first, and the contexts of a question, a long talk and a whole book.
FORMATS = ("f16", "q8_0", "q6_k", "q5_k_m", "q4_k_m", "q3_k_m", "q2_k")
CONTEXTS = (4096, 8192, 32_768, 131_072)
# A card only to count on: what a network needs is no matter of the card.
NO_CARD = Card("", "", "", "", "", None, "", None, {})


@dataclass(frozen=True, slots=True)
class Need:
    """The memory of one format at one context, in GiB."""

    quant: str
    context: int
    weights_gib: float
    cache_gib: float
    total_gib: float


def needs(model: Model, formats: Sequence[str] = FORMATS, contexts: Sequence[int] = CONTEXTS) -> list[Need]:
    """What a network needs in each format at each context that it allows, with llama.cpp and one stream."""
    found = []
    longest = model.context or max(contexts)
    for quant in formats:
        for context in (c for c in contexts if c <= longest):
            memory = required(NO_CARD, model, Request(quant=quant, context=context))
            parts = memory.parts
            found.append(Need(quant, context, parts["weights"], parts["kv_cache"], memory.total))
    return found


def holders(
    model: Model,
    cards: Iterable[Card],
    coefficients: Coefficients,
    points: Sequence[Point],
    *,
    quant: str = "q4_k_m",
    context: int = 8192,
    gpus: int = 1,
) -> list[Estimate]:
    """The cards of which `gpus` hold a network whole, the least memory first; each with its speed and the basis."""
    asked = Request(quant=quant, context=min(context, model.context or context), gpus=gpus)
    answers = (estimate(card, model, asked, coefficients, points) for card in cards)
    held = [answer for answer in answers if answer.memory.fits]
    return sorted(held, key=lambda answer: (answer.card.memory_gb or 0.0, answer.card.id))
