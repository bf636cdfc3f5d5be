"""All charts that have a page, in the order of the navigation. To add one: a module, and a line here."""

from __future__ import annotations

from pipeline.site.charts import (
    launch_price,
    measured_peak,
    memory_bandwidth,
    over_time,
    performance_per_watt,
    price_performance,
    rent_over_time,
    what_fits,
    work_per_dollar,
)
from pipeline.site.charts.chart import Chart

CHARTS: tuple[Chart, ...] = (
    work_per_dollar.ANSWERS.chart,
    work_per_dollar.TUNING.chart,
    work_per_dollar.IMAGES.chart,
    price_performance.CHART,
    rent_over_time.CHART,
    launch_price.CHART,
    memory_bandwidth.CHART,
    performance_per_watt.CHART,
    measured_peak.CHART,
    *(chart.chart for chart in over_time.CHARTS),
    what_fits.CHART,
)
IN_CHAPTERS = frozenset(chart.id for chart in CHARTS if chart.in_chapters)
