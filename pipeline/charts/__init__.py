"""All charts, one line each: `rows(dataset)` computes, `figure(rows)` draws; the pages read this list."""

from __future__ import annotations

from types import ModuleType

from pipeline.charts import (
    bandwidth_over_time,
    bandwidth_per_dollar,
    launch_price,
    memory_bandwidth,
    peak_per_dollar,
    performance_over_time,
    performance_per_watt,
    price_performance,
)

# A chart is a module with ID, NAME, SPEC, HOW, NOT_SHOWN, rows(dataset), finding(rows) and figure(rows).
CHARTS: tuple[ModuleType, ...] = (
    price_performance,
    launch_price,
    memory_bandwidth,
    performance_per_watt,
    performance_over_time,
    bandwidth_over_time,
    bandwidth_per_dollar,
    peak_per_dollar,
)
