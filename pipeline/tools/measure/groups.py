"""The groups of measurements, in the order in which they run: one module each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from pipeline.tools.measure import capacity, inference, matmul, memory, training
from pipeline.tools.measure.bench import Bench, Case


@dataclass(frozen=True)
class Group:
    """What a group measures, and the function that lists its cases."""

    meaning: str
    cases: Callable[[Bench], Iterable[Case]]


GROUPS: Mapping[str, Group] = {
    "matmul": Group("matrix products by number format and size, best and sustained, beside the CPU", matmul.cases),
    "memory": Group("memory bandwidth, transfers to and from the host, kernel launches", memory.cases),
    "inference": Group("prefill and decode of transformers of known size with a key-value cache", inference.cases),
    "training": Group("training steps of CNN, transformer, LSTM, RNN and GAN", training.cases),
    "capacity": Group("largest batch that fits", capacity.cases),
}
