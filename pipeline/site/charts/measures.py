"""The figures that a reader may put on either axis of a chart, or filter its cards by."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pipeline.dataset import Dataset, GpuRecord
from pipeline.derive import metrics
from pipeline.derive.metrics import quotient
from pipeline.derive.prices.quote import Book, Quote, quotes
from pipeline.derive.prices.rules import MARKETS, Market

FILE = "charts/measures.json"  # fetched only when somebody asks for another figure or filters by one


@dataclass(frozen=True, slots=True)
class Measure:
    """A figure that every card may have; `title` is that of an axis, with the unit."""

    id: str
    title: str
    read: Callable[[GpuRecord], float | None]


@dataclass(frozen=True, slots=True)
class PriceMeasure:
    """A price of now, in each market's currency; the title names it as {currency}."""

    id: str
    title: str
    read: Callable[[Book, str, Market], Quote]


FIGURES = (
    Measure("memory_gb", "Memory, GB", lambda gpu: gpu.memory_gb),
    Measure("memory_bandwidth_gb_s", "Memory bandwidth, GB/s", lambda gpu: gpu.memory_bandwidth_gb_s),
    Measure("sixteen_bit_tflops", "Dense 16-bit peak, TFLOPS", metrics.sixteen_bit_tflops),
    Measure("board_power_w", "Board power, W", lambda gpu: gpu.board_power_w),
    Measure(
        "tflops_per_w",
        "Dense 16-bit peak, TFLOPS a watt",
        lambda gpu: quotient(metrics.sixteen_bit_tflops(gpu), gpu.board_power_w),
    ),
    Measure("gb_s_per_w", "Bandwidth, GB/s a watt", lambda gpu: quotient(gpu.memory_bandwidth_gb_s, gpu.board_power_w)),
    Measure("launch_price_usd", "Launch price, USD", lambda gpu: gpu.launch_price_usd),
)
PRICES = (
    PriceMeasure("to_buy", "Price to buy now in {currency}", lambda book, gpu, market: book.to_buy(gpu, market)),
    PriceMeasure(
        "to_rent", "Rent of an hour on demand in {currency}", lambda book, gpu, market: book.to_rent(gpu, market)
    ),
)
CHOICES = tuple((measure.id, measure.title) for measure in (*FIGURES, *PRICES))


def table(dataset: Dataset) -> Mapping[str, object]:
    """Every measure of every card in the order of `gpus`; None is not known. Prices stand apart by market."""
    book, gpus = quotes(dataset), list(dataset.gpus.values())
    return {
        "gpus": [gpu.id for gpu in gpus],
        "currencies": {id: market.currency for id, market in MARKETS.items()},
        "figures": {
            measure.id: {"title": measure.title, "values": [measure.read(gpu) for gpu in gpus]} for measure in FIGURES
        },
        "prices": {
            measure.id: {
                "title": measure.title,
                "values": {id: [_firm(measure.read(book, gpu.id, id), gpu) for gpu in gpus] for id in MARKETS},
            }
            for measure in PRICES
        },
    }


def _firm(quote: Quote, gpu: GpuRecord) -> float | None:
    """What no doubt is cast upon, to the cent; that of a machine with less memory is no price of the chip's figures."""
    known = quote.value is not None and quote.firm and quote.holds(gpu.memory_gb)
    return round(quote.value or 0.0, 2) if known else None
