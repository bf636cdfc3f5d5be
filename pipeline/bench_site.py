"""The built site in, its weight and speed by kind of page out; a page over its budget is an error.

Chromium with a processor slowed to a quarter reads each page from a server of our own, gzip on, nothing cached.
Times drift from machine to machine: the ratios to a plain `fig.to_html` page of the same run are what to read.
"""

from __future__ import annotations

import gzip
import mimetypes
import re
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Page, sync_playwright

from pipeline.charts import memory_bandwidth
from pipeline.charts.base import html_page
from pipeline.dataset import Dataset
from pipeline.paths import ROOT
from pipeline.setup.browser import LAUNCH_ARGS, chromium_path

BELOW = "/gpu-almanac/"
CHART = "charts/memory-bandwidth/"
PLAIN = "?plain"  # the same page without its chart
TO_HTML = "to-html"
# Every kind of page by one example; a page that the site does not have yet is left out.
KINDS: Mapping[str, str] = {
    "home": "", "table": "gpus/", "gpu": "gpus/nvidia-geforce-rtx-4090/", "chart": CHART,
    "chart, no picture": CHART + PLAIN, "lines": "charts/rent-over-time/", "benchmarks": "charts/benchmarks/",
    "what fits": "charts/what-fits/", "prices": "prices/", "compare": "compare/?g=rtx-5090,rtx-4090",
    "pair": "compare/rtx-4090-vs-rtx-5090/", "choose": "choose/", "guide": "guide/classes/", "to_html": TO_HTML,
}  # fmt: skip
RUNS, SLOWDOWN, SETTLE_MS = 3, 4, 700
# The budgets, from the plan's measurements of the first line.
CHART_KB, TOUCH_KB, TABLE_KB, CHOOSE_KB = 140, 450, 200, 250
CHARTED = ("home", "chart", "lines", "gpu")
PAINT_RATIO, EARLIER, BLOCKED_S, SHIFT = 1.25, 8, 0.25, 0.02
OBSERVE = """
window.seen = {blocked: 0, shift: 0, paint: 0, largest: 0};
const watch = (type, take) =>
  new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({type, buffered: true});
watch("longtask", (e) => { seen.blocked += Math.max(0, e.duration - 50); });
watch("layout-shift", (e) => { if (!e.hadRecentInput) seen.shift += e.value; });
watch("paint", (e) => { if (e.name === "first-contentful-paint") seen.paint = e.startTime; });
watch("largest-contentful-paint", (e) => { seen.largest = e.startTime; });
"""
READ = """() => ({...window.seen, entries: [...performance.getEntriesByType("navigation"),
  ...performance.getEntriesByType("resource")].map((e) => e.transferSize)})"""


@dataclass(frozen=True, slots=True)
class Reading:
    """One page: medians of the runs."""

    kind: str
    kb: float
    requests: int
    paint_s: float
    largest_s: float
    blocked_s: float
    shift: float
    touch_kb: float | None = None  # what a touch of its chart brings besides


@dataclass(frozen=True)
class Site:
    """What the server serves: the built site, and the plain Plotly page to compare with."""

    folder: Path
    to_html: str

    def answer(self, target: str) -> tuple[int, str, bytes]:
        """The code, type and body of an address below the site's root."""
        parts = urlsplit(target)
        path = parts.path.removeprefix(BELOW)
        if path == TO_HTML:
            return 200, "text/html; charset=utf-8", self.to_html.encode()
        file = self.folder / (path + "index.html" if path.endswith("/") or not path else path)
        if not file.is_file() or self._root not in file.resolve().parents:
            return 404, "text/plain", b""
        body = file.read_bytes()
        if parts.query == PLAIN.removeprefix("?"):
            body = re.sub(rb'<figure class="ga-chart".*?</figure>', b"", body, flags=re.DOTALL)
        return 200, mimetypes.guess_type(file.name)[0] or "application/octet-stream", body

    def has(self, address: str) -> bool:
        """Whether the site holds a page."""
        return self.answer(BELOW + address)[0] == 200

    @cached_property
    def _root(self) -> Path:
        return self.folder.resolve()


def main(arguments: Sequence[str]) -> int:
    """Measure, print, judge."""
    folder = Path(arguments[0]) if arguments else ROOT / "site"
    if not (folder / "index.html").is_file():
        sys.stderr.write(f"{folder}/index.html is not there; run: make site\n")
        return 2
    readings = measure(folder)
    sys.stdout.write("\n".join(table(readings)) + "\n")
    over = list(problems({r.kind: r for r in readings}))
    sys.stdout.write("\n".join(over or ["All budgets hold."]) + "\n")
    return 1 if over else 0


def measure(folder: Path) -> list[Reading]:
    """Read every kind of page that the site has."""
    points = memory_bandwidth.rows(Dataset.load())
    site = Site(folder, html_page(points, memory_bandwidth.SPEC))
    with _served(site) as base, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(chromium_path()), args=list(LAUNCH_ARGS))
        readings = [_median([_read(browser, base, kind, address) for _ in range(RUNS)])
                    for kind, address in KINDS.items() if site.has(address)]  # fmt: skip
        browser.close()
    return readings


def table(readings: Sequence[Reading]) -> Iterator[str]:
    """The readings as lines of text, with the ratio to the plain Plotly page."""
    slow = next((r for r in readings if r.kind == "to_html"), None)
    yield (f"{'page':18} {'kB':>7} {'after touch':>11} {'requests':>8} {'paint s':>8} {'largest s':>9} "
           f"{'blocked s':>9} {'shift':>6} {'earlier than to_html':>20}")  # fmt: skip
    for r in readings:
        touch = f"+{r.touch_kb:.0f}" if r.touch_kb is not None else ""
        earlier = f"{slow.largest_s / r.largest_s:.1f}x" if slow and r.largest_s else ""
        yield f"{r.kind:18} {r.kb:7.0f} {touch:>11} {r.requests:8} {r.paint_s:8.2f} {r.largest_s:9.2f} " \
              f"{r.blocked_s:9.2f} {r.shift:6.3f} {earlier:>20}"  # fmt: skip


def problems(read: Mapping[str, Reading]) -> Iterator[str]:
    """Every budget that does not hold, with both figures."""
    limits = {**dict.fromkeys(CHARTED, CHART_KB), "table": TABLE_KB, "choose": CHOOSE_KB}
    for kind, r in read.items():
        if kind == "to_html":
            continue
        if r.kb > limits.get(kind, r.kb):
            yield f"over budget: {kind} transfers {r.kb:.0f} kB, at most {limits[kind]}"
        if r.blocked_s > BLOCKED_S:
            yield f"over budget: {kind} blocks for {r.blocked_s:.2f} s, at most {BLOCKED_S}"
        if r.shift > SHIFT:
            yield f"over budget: {kind} shifts by {r.shift:.3f}, at most {SHIFT}"
        if r.touch_kb is not None and r.touch_kb > TOUCH_KB:
            yield f"over budget: a touch of {kind} brings {r.touch_kb:.0f} kB, at most {TOUCH_KB}"
    yield from _late(read)


def _late(read: Mapping[str, Reading]) -> Iterator[str]:
    chart, plain, slow = (read.get(kind) for kind in ("chart", "chart, no picture", "to_html"))
    if chart and plain and chart.largest_s > PAINT_RATIO * plain.largest_s:
        yield (f"over budget: largest paint of chart {chart.largest_s:.2f} s, at most {PAINT_RATIO} times the "
               f"{plain.largest_s:.2f} s without its picture")  # fmt: skip
    if chart and slow and chart.largest_s * EARLIER > slow.largest_s:
        yield (f"over budget: largest paint of chart {chart.largest_s:.2f} s, to be {EARLIER} times earlier than the "
               f"{slow.largest_s:.2f} s of to_html")  # fmt: skip


def _read(browser: Browser, base: str, kind: str, address: str) -> Reading:
    """One page in a browser of its own, nothing cached."""
    context = browser.new_context(viewport={"width": 390, "height": 844})
    page = context.new_page()
    page.add_init_script(OBSERVE)
    context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": SLOWDOWN})
    page.goto(base + address, wait_until="networkidle")
    drawn = _drawn_ms(page) if kind == "to_html" else 0.0
    page.wait_for_timeout(SETTLE_MS)
    seen: dict[str, Any] = page.evaluate(READ)
    kb = sum(seen["entries"]) / 1000
    touch = _touch(page, kb)
    context.close()
    largest = seen["largest"] or seen["paint"] or drawn
    return Reading(kind, kb, len(seen["entries"]), seen["paint"] / 1000, largest / 1000,
                   seen["blocked"] / 1000, seen["shift"], touch)  # fmt: skip


def _drawn_ms(page: Page) -> float:
    """When the plain page shows its chart: its picture is no text and no image, which the browser would report."""
    page.wait_for_selector(".main-svg .points path", timeout=60_000)
    return float(page.evaluate("performance.now()"))


def _touch(page: Page, before_kb: float) -> float | None:
    """Kilobytes that a touch of the chart brings; None for a page without one."""
    button = page.locator("[data-chart-start]")
    if not button.count():
        return None
    button.first.click()
    page.wait_for_selector("[data-state=drawn]", timeout=60_000)
    entries: list[float] = page.evaluate(READ)["entries"]
    return float(sum(entries)) / 1000 - before_kb


def _median(runs: Sequence[Reading]) -> Reading:
    def middle(name: str) -> float:
        return float(median(getattr(run, name) for run in runs))

    touches = [run.touch_kb for run in runs if run.touch_kb is not None]
    return Reading(runs[0].kind, middle("kb"), runs[0].requests, middle("paint_s"), middle("largest_s"),
                   middle("blocked_s"), middle("shift"), median(touches) if touches else None)  # fmt: skip


@contextmanager
def _served(site: Site) -> Iterator[str]:
    """The site on a port of this machine, compressed as a host does it."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            code, kind, body = site.answer(self.path)
            packed = gzip.compress(body, 6, mtime=0)
            self.send_response(code)
            for name, value in (("Content-Type", kind), ("Content-Encoding", "gzip"),
                                ("Content-Length", str(len(packed)))):  # fmt: skip
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(packed)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing: the table is the answer."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}{BELOW}"
    server.shutdown()
    server.server_close()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
