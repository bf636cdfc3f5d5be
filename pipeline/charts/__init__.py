"""All charts of points, one line each: `rows(dataset)` computes, `plotly_json` and `picture` draw; pages read this."""

from __future__ import annotations

from pipeline.charts import launch_price, memory_bandwidth, over_time, performance_per_watt, price_performance
from pipeline.charts.base import Chart
from pipeline.charts.work_per_dollar import ANSWERS, IMAGES, TUNING

# A chart is a module or an entry with ID, NAME, SPEC, HOW, NOT_SHOWN, rows(dataset) and finding(rows).
CHARTS: tuple[Chart, ...] = (
    ANSWERS,
    TUNING,
    IMAGES,
    price_performance,
    launch_price,
    memory_bandwidth,
    performance_per_watt,
    over_time.PERFORMANCE,
    over_time.MEMORY,
    over_time.MEMORY_PER_DOLLAR,
    over_time.PEAK_PER_DOLLAR,
)
