"""The weight and speed of the built site by kind of page; a page over its budget is an error.

Chromium with a processor slowed to a quarter reads each page from a server of our own, gzip on, nothing cached.
Every page is read once in each round, and of its times the shortest counts: whatever else the machine does meanwhile
only ever adds. How long the main thread is blocked is counted in processor time, unslowed and then
multiplied, which other work of the machine stretches far less. Times drift from machine to machine all the same: the
ratios to a plain `fig.to_html` page of the same run are what to read.
"""

from __future__ import annotations

import gzip
import json
import mimetypes
import os
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

from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, sync_playwright

from pipeline.core.paths import ROOT
from pipeline.dataset import Dataset
from pipeline.site.charts import memory_bandwidth
from pipeline.site.charts.base import html_page
from pipeline.tools.setup.browser import LAUNCH_ARGS, chromium_path

BELOW = "/gpu-almanac/"
CHART = "charts/memory-bandwidth/"
PLAIN = "?plain"  # the same page without its chart
TO_HTML = "to-html"
CHOOSE = "choose/"
# Every kind of page by one example; a page that the site does not have yet is left out.
KINDS: Mapping[str, str] = {
    "home": "",
    "table": "gpus/",
    "gpu": "gpus/nvidia-geforce-rtx-4090/",
    "chart": CHART,
    "chart, no picture": CHART + PLAIN,
    "lines": "charts/rent-over-time/",
    "benchmarks": "charts/benchmarks/",
    "measured": "charts/measured-peak/",
    "what fits": "charts/what-fits/",
    "prices": "prices/",
    "compare": "compare/?g=rtx-5090,rtx-4090",
    "pair": "compare/rtx-4090-vs-rtx-5090/",
    "choose": CHOOSE,
    "calculator": "calculators/memory/",
    "picks": "guide/picks/",
    "guide": "guide/classes/",
    "to_html": TO_HTML,
}
ROUNDS, SLOWDOWN, SETTLE_MS, CHANGES, PASSES = 5, 4, 600, 30, 3
# The budgets, from the plan's measurements of the first line.
CHART_KB, TOUCH_KB, TABLE_KB, CHOOSE_KB = 140, 450, 200, 250
CHARTED = ("home", "chart", "lines", "measured", "gpu")
PAINT_RATIO, EARLIER, BLOCKED_S, SHIFT, ANSWER_MS = 1.25, 8, 0.25, 0.02, 100
UNHURRIED = ("table",)  # hundreds of rows are its content, and it holds no chart
PHONE: ViewportSize = {"width": 390, "height": 844}
TASKS, MARKS, LONG_S = "disabled-by-default-devtools.timeline", "blink.user_timing", 0.05
# A reader who saves data: Plotly waits to be asked for, so that the page and the library are weighed apart.
SAVES_DATA = "Object.defineProperty(navigator, 'connection', { value: { saveData: true } })"
OBSERVE = """
window.seen = {shift: 0, paint: 0, largest: 0};
const watch = (type, take) =>
  new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({type, buffered: true});
watch("layout-shift", (e) => { if (!e.hadRecentInput) seen.shift += e.value; });
watch("paint", (e) => { if (e.name === "first-contentful-paint") seen.paint = e.startTime; });
watch("largest-contentful-paint", (e) => { seen.largest = e.startTime; });
"""
READ = """() => ({...window.seen, entries: [...performance.getEntriesByType("navigation"),
  ...performance.getEntriesByType("resource")].map((e) => e.transferSize)})"""
# Changes one control of the chooser after the other; a time runs from the change to the frame that shows the answer.
ANSWERS = """async (changes) => {
  const page = document.querySelector("section.ga");
  const every = [...page.querySelectorAll("form select, form input[type=number]")];
  const controls = every.filter((control) => control.checkVisibility());
  const frame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  const times = [];
  for (let at = 0; at < 4 * changes && times.length < changes && controls.length; at++) {
    const control = controls[at % controls.length];
    const before = control.value;
    if (control.options) control.selectedIndex = (control.selectedIndex + 1) % control.options.length;
    else control.value = String(Math.round(Number(control.value || 100) * 1.3) + 1);
    let changed = false;
    const watch = new MutationObserver(() => { changed = true; });
    watch.observe(page, { childList: true, characterData: true, subtree: true });
    performance.mark(`asked ${at}`);
    const start = performance.now();
    for (const type of ["input", "change"]) control.dispatchEvent(new Event(type, { bubbles: true }));
    await frame();
    while (!changed && performance.now() - start < 1000) await frame();
    if (changed) {
      times.push(performance.now() - start);
      performance.mark(`shown ${at}`);
    }
    watch.disconnect();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return times;
}"""


@dataclass(frozen=True, slots=True)
class PageReading:
    """One page: of one visit, or of all its visits together."""

    kind: str
    kb: float
    requests: int
    paint_s: float
    largest_s: float
    blocked_s: float
    shift: float
    touch_kb: float | None = None  # what a touch of its chart brings besides


@dataclass(frozen=True)
class ServedSite:
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
    readings, answers, worked = measure(folder)
    sys.stdout.write("\n".join(table(readings)) + "\n")
    over = [*problems({r.kind: r for r in readings}), *slow(answers)]
    load, processors = os.getloadavg()[0], os.cpu_count() or 1
    if load > processors:
        sys.stdout.write(f"This machine has {processors} processors and work for {load:.0f}: times are too long.\n")
    if answers:
        sys.stdout.write(
            f"chooser: {len(answers)} changes, answered in {median(answers):.0f} ms in the middle, "
            f"{max(answers):.0f} ms at worst; of that its own work {median(worked):.0f} and {max(worked):.0f} ms\n"
        )
    sys.stdout.write("\n".join(over or ["All budgets hold."]) + "\n")
    return 1 if over else 0


def measure(folder: Path) -> tuple[list[PageReading], list[float], list[float]]:
    """Read every kind of page that the site has, round after round; then the chooser's times and work, milliseconds."""
    points = memory_bandwidth.rows(Dataset.load())
    site = ServedSite(folder, html_page(points, memory_bandwidth.SPEC))
    kinds = {kind: address for kind, address in KINDS.items() if site.has(address)}
    with _served(site) as base, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(chromium_path()), args=list(LAUNCH_ARGS))
        rounds = [list(_round(browser, base, kinds, at)) for at in range(1, ROUNDS + 1)]
        answers, worked = (_answers(browser, base), _worked(browser, base)) if "choose" in kinds else ([], [])
        browser.close()
    return [_together(visits) for visits in zip(*rounds, strict=True)], answers, worked


def _round(browser: Browser, base: str, kinds: Mapping[str, str], at: int) -> Iterator[PageReading]:
    """Every kind once, each told when it is read: the table, which holds all rounds together, comes at the end."""
    for kind, address in kinds.items():
        reading = _read(browser, base, kind, address)
        largest, blocked = f"largest paint {reading.largest_s:.2f} s", f"blocked {reading.blocked_s:.2f} s"
        sys.stderr.write(f"round {at} of {ROUNDS}: {kind}, {reading.kb:.0f} kB, {largest}, {blocked}\n")
        yield reading


def table(readings: Sequence[PageReading]) -> Iterator[str]:
    """The readings as lines of text, with the ratio to the plain Plotly page."""
    slow = next((r for r in readings if r.kind == "to_html"), None)
    yield (
        f"{'page':18} {'kB':>7} {'after touch':>11} {'requests':>8} {'paint s':>8} {'largest s':>9} "
        f"{'blocked s':>9} {'shift':>6} {'earlier than to_html':>20}"
    )
    for r in readings:
        touch = f"+{r.touch_kb:.0f}" if r.touch_kb is not None else ""
        earlier = f"{slow.largest_s / r.largest_s:.1f}x" if slow and r.largest_s else ""
        yield (
            f"{r.kind:18} {r.kb:7.0f} {touch:>11} {r.requests:8} {r.paint_s:8.2f} {r.largest_s:9.2f} "
            f"{r.blocked_s:9.2f} {r.shift:6.3f} {earlier:>20}"
        )


def problems(read: Mapping[str, PageReading]) -> Iterator[str]:
    """Every budget that does not hold, with both figures."""
    limits = {**dict.fromkeys(CHARTED, CHART_KB), "table": TABLE_KB, "choose": CHOOSE_KB}
    for kind, r in read.items():
        if kind == "to_html":
            continue
        if r.kb > limits.get(kind, r.kb):
            yield f"over budget: {kind} transfers {r.kb:.0f} kB, at most {limits[kind]}"
        if r.blocked_s > BLOCKED_S and kind not in UNHURRIED:
            yield f"over budget: {kind} blocks for {r.blocked_s:.2f} s, at most {BLOCKED_S}"
        if r.shift > SHIFT:
            yield f"over budget: {kind} shifts by {r.shift:.3f}, at most {SHIFT}"
        if r.touch_kb is not None and r.touch_kb > TOUCH_KB:
            yield f"over budget: a touch of {kind} brings {r.touch_kb:.0f} kB, at most {TOUCH_KB}"
    yield from _late(read)


def slow(answers: Sequence[float]) -> Iterator[str]:
    """The chooser's budget, where it does not hold."""
    if answers and max(answers) > ANSWER_MS:
        yield (
            f"over budget: the chooser answers within {max(answers):.0f} ms at worst, {median(answers):.0f} in the "
            f"middle, at most {ANSWER_MS}"
        )


def _late(read: Mapping[str, PageReading]) -> Iterator[str]:
    chart, plain, slow = (read.get(kind) for kind in ("chart", "chart, no picture", "to_html"))
    if chart and plain and chart.largest_s > PAINT_RATIO * plain.largest_s:
        yield (
            f"over budget: largest paint of chart {chart.largest_s:.2f} s, at most {PAINT_RATIO} times the "
            f"{plain.largest_s:.2f} s without its picture"
        )
    if chart and slow and chart.largest_s * EARLIER > slow.largest_s:
        yield (
            f"over budget: largest paint of chart {chart.largest_s:.2f} s, to be {EARLIER} times earlier than the "
            f"{slow.largest_s:.2f} s of to_html"
        )


def _read(browser: Browser, base: str, kind: str, address: str) -> PageReading:
    """One page in a browser of its own, nothing cached."""
    context, page = _slowed(browser)
    page.add_init_script(OBSERVE)
    page.add_init_script(SAVES_DATA)
    page.goto(base + address, wait_until="load")
    drawn = _drawn_ms(page) if kind == "to_html" else 0.0
    page.wait_for_timeout(SETTLE_MS)
    seen: dict[str, Any] = page.evaluate(READ)
    kb = sum(seen["entries"]) / 1000
    touch = _touch(page, kb)
    context.close()
    blocked_s = _blocked_s(browser, base, kind, address)
    largest = seen["largest"] or seen["paint"] or drawn
    return PageReading(
        kind,
        kb,
        len(seen["entries"]),
        seen["paint"] / 1000,
        largest / 1000,
        blocked_s,
        seen["shift"],
        touch,
    )


def _blocked_s(browser: Browser, base: str, kind: str, address: str) -> float:
    """How long tasks hold the main thread past 50 ms each: processor time, times what a phone is slower."""
    context = browser.new_context(viewport=PHONE)
    page = context.new_page()
    page.add_init_script(SAVES_DATA)
    browser.start_tracing(page=page, categories=[TASKS])
    page.goto(base + address, wait_until="load")
    if kind == "to_html":
        _drawn_ms(page)
    page.wait_for_timeout(SETTLE_MS)
    events = json.loads(browser.stop_tracing())["traceEvents"]
    context.close()
    return blocked_s(events)


def blocked_s(events: Sequence[Mapping[str, Any]]) -> float:
    """Of a trace, the busiest main thread: what each of its tasks takes past 50 ms on a phone, in seconds."""
    named = {
        (e["pid"], e["tid"]) for e in events if e["name"] == "thread_name" and e["args"]["name"] == "CrRendererMain"
    }
    threads: dict[tuple[int, int], list[float]] = {thread: [] for thread in named}
    for event in events:
        if event["name"] == "RunTask" and event["ph"] == "X" and (event["pid"], event["tid"]) in named:
            threads[event["pid"], event["tid"]].append(SLOWDOWN * event.get("tdur", 0) / 1e6)
    busiest = max(threads.values(), key=sum)
    return sum(max(0.0, task - LONG_S) for task in busiest)


def _drawn_ms(page: Page) -> float:
    """When the plain page shows its chart: its picture is no text and no image, which the browser would report."""
    page.wait_for_selector(".main-svg .points path", timeout=60_000)
    return float(page.evaluate("performance.now()"))


def _touch(page: Page, before_kb: float) -> float | None:
    """Kilobytes that the interactive chart brings; None for a page without one."""
    button = page.locator("[data-chart-start]:visible")  # one that a phone folds away is not the page's first
    if not button.count():
        return None
    button.first.click()
    page.wait_for_selector("[data-state=drawn]", timeout=60_000)
    entries: list[float] = page.evaluate(READ)["entries"]
    return float(sum(entries)) / 1000 - before_kb


def _answers(browser: Browser, base: str) -> list[float]:
    """The chooser's answer times: of several passes over the same changes the shortest time of each."""
    passes = []
    for _ in range(PASSES):
        context, page = _slowed(browser)
        page.goto(base + CHOOSE, wait_until="networkidle")
        passes.append([float(time) for time in page.evaluate(ANSWERS, CHANGES)])
        context.close()
    return [min(times) for times in zip(*passes, strict=False)]


def _worked(browser: Browser, base: str) -> list[float]:
    """What the chooser's page works for each answer: processor time, which other work here hardly lengthens."""
    passes = []
    for _ in range(PASSES):
        context = browser.new_context(viewport=PHONE)
        page = context.new_page()
        page.goto(base + CHOOSE, wait_until="networkidle")
        browser.start_tracing(page=page, categories=[TASKS, MARKS])
        page.evaluate(ANSWERS, CHANGES)
        passes.append(worked_ms(json.loads(browser.stop_tracing())["traceEvents"]))
        context.close()
    return [min(times) for times in zip(*passes, strict=False)]


def worked_ms(events: Sequence[Mapping[str, Any]]) -> list[float]:
    """Of a trace, the milliseconds of a phone that the tasks between each change and the frame with its answer take."""
    marks = {event["name"]: event for event in events if event.get("cat") == MARKS}
    found = []
    for name, shown in marks.items():
        asked = marks.get(name.replace("shown", "asked"))
        if asked is None or asked is shown:
            continue
        during = (
            event.get("tdur", 0)
            for event in events
            if event["name"] == "RunTask"
            and event["ph"] == "X"
            and (event["pid"], event["tid"]) == (shown["pid"], shown["tid"])
            and asked["ts"] < event["ts"] + event["dur"]
            and event["ts"] < shown["ts"]
        )
        found.append(SLOWDOWN * sum(during) / 1000)
    return found


def _slowed(browser: Browser) -> tuple[BrowserContext, Page]:
    context = browser.new_context(viewport=PHONE)
    page = context.new_page()
    context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": SLOWDOWN})
    return context, page


def _together(visits: Sequence[PageReading]) -> PageReading:
    """The shortest times, the middle of the weights, the worst shift."""
    first = visits[0]
    touches = [visit.touch_kb for visit in visits if visit.touch_kb is not None]
    return PageReading(
        first.kind,
        median(v.kb for v in visits),
        first.requests,
        min(v.paint_s for v in visits),
        min(v.largest_s for v in visits),
        min(v.blocked_s for v in visits),
        max(v.shift for v in visits),
        median(touches) if touches else None,
    )


@contextmanager
def _served(site: ServedSite) -> Iterator[str]:
    """The site on a port of this machine, compressed as a host does it."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            code, kind, body = site.answer(self.path)
            packed = gzip.compress(body, 6, mtime=0)
            self.send_response(code)
            for name, value in (
                ("Content-Type", kind),
                ("Content-Encoding", "gzip"),
                ("Content-Length", str(len(packed))),
                ("Cache-Control", "max-age=600"),  # as the site's own host says
            ):
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
