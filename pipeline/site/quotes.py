"""The quotes that leave the site, for the Python package and the API: what is of now, or what was last seen."""

from __future__ import annotations

from collections.abc import Iterator

from pipeline.dataset import Dataset
from pipeline.derive.prices.quote import Quote, quotes
from pipeline.derive.prices.rules import KINDS, MARKETS, Kind, Market
from pipeline.intake.licences import Licences


def told(dataset: Dataset, licences: Licences) -> Iterator[tuple[str, dict[str, object]]]:
    """Each GPU's quotes by kind and market; one that rests on a source whose rows stay here is not handed out."""
    book = quotes(dataset)
    for gpu in dataset.gpus:
        for kind in KINDS:
            for market in MARKETS:
                quote = book.quote(gpu, kind, market)
                current = quote if quote.value is not None else quote.last
                if current and current.value is not None and may_leave(current, licences):
                    yield gpu, _row(kind, market, quote, current)


def _row(kind: Kind, market: Market, quote: Quote, current: Quote) -> dict[str, object]:
    return {
        "kind": kind,
        "market": market,
        "currency": current.currency,
        "value": rounded(current.value),
        "low": rounded(current.low),
        "high": rounded(current.high),
        "count": current.count,
        "tax": current.tax,
        "day": current.day,
        "who": current.who,
        "confidence": current.confidence,
        "doubts": list(current.doubts),
        "current": quote.value is not None,
        "words": current.words,
    }


def may_leave(quote: Quote, licences: Licences) -> bool:
    """Whether every row that a quote rests on may be handed on."""
    return all(licences.of(seen.price.source).released for seen in quote.seen)


def rounded(value: float | None) -> float | None:
    """A price to six digits: more are noise of the conversion."""
    return None if value is None else float(f"{value:.6g}")
