"""How much memory each GPU has, and how fast it reads it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from pipeline.core.wording import number, ratio, short
from pipeline.dataset import Dataset
from pipeline.derive import metrics
from pipeline.site.charts.base import BANDWIDTH, BANDWIDTH_HIDES, Axis, ChartPoint, PointsChart, Spec, point

SPEC = Spec(Axis("memory_gb", "Memory, GB (log)", True), BANDWIDTH)
HOW = (
    "Each point is one GPU with both figures known: the makers’ memory size and peak bandwidth, as chosen from "
    "our sources."
)
DESKTOP = ("consumer", "workstation")
ENOUGH = 5  # a memory size with fewer cards tells nothing about its spread


def rows(dataset: Dataset) -> list[ChartPoint]:
    """A point for each GPU with both figures, in the order of their ids."""
    found = ((gpu, gpu.memory_gb, metrics.memory_bandwidth(gpu)) for gpu in dataset.gpus.values())
    return [
        point(gpu, memory, bandwidth, f"{number(memory)} GB", f"{number(bandwidth)} GB/s", bandwidth)
        for gpu, memory, bandwidth in found
        if memory and bandwidth
    ]


def finding(points: Sequence[ChartPoint]) -> str:
    """The memory size at which desktop cards differ most in speed."""
    sizes: dict[float, list[ChartPoint]] = defaultdict(list)
    for p in points:
        if p.segment in DESKTOP:
            sizes[p.x].append(p)
    spread = {
        size: (max(p.y for p in same) / min(p.y for p in same)) for size, same in sizes.items() if len(same) >= ENOUGH
    }
    if not spread:
        return "Memory size does not tell how fast the memory is"
    size = max(spread, key=lambda s: (spread[s], s))
    fastest = max(sizes[size], key=lambda p: (p.y, p.gpu))
    slowest = min(sizes[size], key=lambda p: (p.y, p.gpu))
    return (
        f"Two desktop cards with {number(size)} GB can differ {ratio(spread[size])} in bandwidth: "
        f"{short(fastest.name)} and {short(slowest.name)}"
    )


CHART = PointsChart(
    id="memory-bandwidth",
    name="Memory size and bandwidth",
    menu="Memory and bandwidth",
    kind="points",
    how=HOW,
    not_shown=BANDWIDTH_HIDES,
    edit="pipeline/site/charts/memory_bandwidth.py",
    spec=SPEC,
    rows=rows,
    finding=finding,
)
