"""The weight and speed of the built site by kind of page; a page over its budget is an error.

    python -m pipeline.tools.bench.site site --rounds 3 --minutes 4.5 --only home,gpu

One Chromium reads an example of each kind of page, round after round, from a server of our own, gzip on, nothing
cached. Of its times and weights the median of the rounds counts, of its shifts the worst. The sample, the rounds and
what was left out are said above the table. A run ends in time: when its minutes are over, or at Ctrl-C, the rounds that
are not finished are left out and the table is printed from what was read.

How long a page blocks the main thread is counted in processor time, unslowed and then multiplied by four. Even this
time grows when other programs share the processor's core and caches, so each visit also works through a loop that is
always the same: what the visit took is divided by how much longer its loop took than the fastest of the run. Both
figures are printed, and the one at the fastest rate is judged.

The few pages whose budget is the time of a paint are painted besides with a processor slowed to a quarter. Such times
drift from machine to machine: the ratios to a plain `fig.to_html` page of the same run are what to read.
"""

from __future__ import annotations

import argparse
import gzip
import json
import mimetypes
import os
import re
import signal
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import median
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, Error, Page, ViewportSize, sync_playwright

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
ROUNDS, MINUTES, SLOWDOWN, SETTLE_MS, FLUSH_MS, CHANGES = 3, 4.5, 4, 400, 100, 12
ONCE = ("to_html",)  # takes as long as five pages, and only its order of magnitude counts
PAINTED = ("home", "gpu", "chart", "chart, no picture", "to_html")
# The budgets, from the plan's measurements of the first line.
CHART_KB, TOUCH_KB, TABLE_KB, CHOOSE_KB = 140, 450, 200, 250
CHARTED = ("home", "chart", "lines", "measured", "gpu")
PAINT_RATIO, EARLIER, BLOCKED_S, SHIFT, ANSWER_MS, TASK_MS = 1.25, 8, 0.25, 0.02, 100, 200
PHONE: ViewportSize = {"width": 390, "height": 844}
TASKS, MARKS, LONG_S = "disabled-by-default-devtools.timeline", "blink.user_timing", 0.05
# Always the same work, in a task of its own that a mark names; about 20 ms of an idle processor.
LOOP = (
    """() => { performance.mark("loop"); let x = 0; for (let i = 0; i < 8e6; i++) x = (x * 31 + i) | 0; return x; }"""
)
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


class UnreadableError(Exception):
    """A visit whose record lacks its beginning or its end, as that of a browser that gets too little of a processor."""


@dataclass(frozen=True, slots=True)
class PageReading:
    """One page: of one visit, or of all its visits together."""

    kind: str
    kb: float
    requests: int
    paint_s: float  # 0 where the page has no budget for it
    largest_s: float
    blocked_s: float
    shift: float
    touch_kb: float | None = None  # what Plotly brings besides when it takes over
    task_ms: float | None = None  # the longest task of that, on a phone
    loop_ms: float = 0.0  # processor time of the loop
    rate: float = 1.0  # of the processor, 1 being its fastest of the run


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


@dataclass
class SiteBench:
    """What a run has read so far, and when it has to end."""

    kinds: Mapping[str, str]  # those that the site has
    rounds: int
    pages: int  # of the whole site
    read: dict[str, list[PageReading]] = field(default_factory=dict)
    answers: list[list[float]] = field(default_factory=list)  # of the chooser, milliseconds, a list a round
    worked: list[list[float]] = field(default_factory=list)
    ends: float = float("inf")
    failed: dict[str, str] = field(default_factory=dict)  # what could not be read, and why
    why: str = ""  # it ended early
    load: float = field(default_factory=lambda: os.getloadavg()[0])

    def over(self) -> bool:
        """Whether the run ends here."""
        if not self.why and monotonic() > self.ends:
            self.why = "the minutes were over"
        return bool(self.why)

    def readings(self) -> list[PageReading]:
        """Each page that was read, its rounds together, at the processor's fastest rate of the run."""
        fastest = min((v.loop_ms for visits in self.read.values() for v in visits if v.loop_ms), default=0.0)
        return [together([at_rate(visit, fastest) for visit in visits]) for visits in self.read.values()]

    def heads(self) -> Iterator[str]:
        """What was read and what was not."""
        counts = sorted({len(visits) for kind, visits in self.read.items() if kind not in ONCE}) or [0]
        rounds = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
        yield (
            f"{len(self.read)} of {self.pages} pages, one of each kind; {rounds} rounds of {self.rounds}, "
            f"{', '.join(ONCE)} once; medians; processor slowed {SLOWDOWN} times"
        )
        if self.why:
            yield f"Ended early, for {self.why}; each row tells of the rounds that it had."
        if left := [kind for kind in self.kinds if kind not in self.read]:
            yield f"Not read: {', '.join(left)}"
        for kind, said in self.failed.items():
            yield f"Failed in a round: {kind}: {said}"
        if loops := [v.loop_ms for visits in self.read.values() for v in visits if v.loop_ms]:
            yield (
                f"The same loop took {min(loops):.0f} to {max(loops):.0f} ms of processor time, {median(loops):.0f} in "
                f"the middle: blocked times are those of the fastest."
            )
        if self.busy:
            yield (
                f"This machine has {os.cpu_count()} processors and work for {self.load:.0f}: paint times are too long, "
                "and the chooser is judged by the processor time of its answers."
            )

    @property
    def busy(self) -> bool:
        """Whether the machine had more to do than it has processors for."""
        return self.load > (os.cpu_count() or 1)


def main(arguments: Sequence[str]) -> int:
    """Measure, print, judge."""
    parser = argparse.ArgumentParser(prog="python -m pipeline.tools.bench.site")
    parser.add_argument("folder", type=Path, nargs="?", default=ROOT / "site", help="the built site")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"how often each page is read ({ROUNDS})")
    parser.add_argument("--minutes", type=float, default=MINUTES, help=f"the run ends after so long ({MINUTES:g})")
    parser.add_argument("--only", default="", help=f"kinds of page, with commas: {', '.join(KINDS)}")
    asked = parser.parse_args(arguments)
    if not (asked.folder / "index.html").is_file():
        sys.stderr.write(f"{asked.folder}/index.html is not there; run: make site\n")
        return 2
    bench = measure(asked.folder, asked.rounds, asked.minutes, [name for name in asked.only.split(",") if name])
    readings = bench.readings()
    over = {r.kind: list(problems(r)) for r in readings}
    answers, worked = middle(bench.answers), middle(bench.worked)
    sys.stdout.write("\n".join((*bench.heads(), *table(readings, over))) + "\n")
    if answers:
        sys.stdout.write(
            f"chooser: {len(answers)} changes, answered in {median(answers):.0f} ms in the middle, "
            f"{max(answers):.0f} ms at worst; of that its own work {median(worked):.0f} and {max(worked):.0f} ms\n"
        )
    late = list(too_late({r.kind: r for r in readings}))
    told = [*(line for lines in over.values() for line in lines), *late, *slow(worked if bench.busy else answers)]
    sys.stdout.write("\n".join(told or ["All budgets hold."]) + "\n")
    return 1 if told else 0


def measure(folder: Path, rounds: int, minutes: float, only: Sequence[str] = ()) -> SiteBench:
    """Read every kind of page that the site has, round after round, with the chooser's times and work in each."""
    points = memory_bandwidth.rows(Dataset.load())
    site = ServedSite(folder, html_page(points, memory_bandwidth.SPEC))
    kinds = {kind: at for kind, at in KINDS.items() if (not only or kind in only) and site.has(at)}
    bench = SiteBench(kinds, rounds, sum(1 for _ in folder.rglob("index.html")), ends=monotonic() + 60 * minutes)
    with _served(site) as base, sync_playwright() as playwright, _stopped_gently(bench):
        browser = playwright.chromium.launch(
            executable_path=str(chromium_path()), args=list(LAUNCH_ARGS), handle_sigint=False, handle_sigterm=False
        )
        for at in range(1, rounds + 1):
            _round(bench, browser, base, at)
        browser.close()
    return bench


def _round(bench: SiteBench, browser: Browser, base: str, at: int) -> None:
    """Every kind once, each told when it is read: the table, which holds all rounds together, comes at the end."""
    for kind, address in bench.kinds.items():
        if bench.over():
            return
        if at > 1 and kind in ONCE:
            continue
        try:
            reading = _read(browser, base, kind, address, with_plotly=at == 1)
        except (Error, UnreadableError) as error:
            bench.failed[kind] = str(error).splitlines()[0]
            sys.stderr.write(f"round {at} of {bench.rounds}: {kind} could not be read: {bench.failed[kind]}\n")
            continue
        bench.read.setdefault(kind, []).append(reading)
        said = f"{reading.kb:.0f} kB, blocked {reading.blocked_s:.2f} s, loop {reading.loop_ms:.0f} ms"
        sys.stderr.write(f"round {at} of {bench.rounds}: {kind}, {said}\n")
    if "choose" in bench.kinds and not bench.over():
        try:
            answers, worked = _answers(browser, base), _worked(browser, base)
        except Error as error:
            bench.failed["the chooser's answers"] = str(error).splitlines()[0]
            return
        bench.answers.append(answers)
        bench.worked.append(worked)


@contextmanager
def _stopped_gently(bench: SiteBench) -> Iterator[None]:
    """Ctrl-C, or a request to end, ends the run after the page that is being read; a second one at once."""

    def stop(number: int, _: object) -> None:
        bench.why = f"it was stopped ({signal.Signals(number).name})"
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def table(readings: Sequence[PageReading], over: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """The readings as lines of text, with the ratio to the plain Plotly page and whether the budgets of a row hold."""
    slow = next((r for r in readings if r.kind == "to_html"), None)
    yield (
        f"{'page':18} {'kB':>5} {'requests':>8} {'Plotly kB':>9} {'its task ms':>11} {'paint s':>8} {'largest s':>9} "
        f"{'than to_html':>12} {'blocked s':>9} {'as read':>8} {'shift':>6}  verdict"
    )
    for r in readings:
        touch = f"+{r.touch_kb:.0f}" if r.touch_kb is not None else ""
        task = f"{r.task_ms:.0f}" if r.task_ms is not None else ""
        earlier = f"{slow.largest_s / r.largest_s:.1f}x" if slow and r.largest_s else ""
        paint, largest = (f"{time:.2f}" if time else "" for time in (r.paint_s, r.largest_s))
        verdict = "to compare with" if r.kind == "to_html" else "OVER" if over.get(r.kind) else "holds"
        yield (
            f"{r.kind:18} {r.kb:5.0f} {r.requests:8} {touch:>9} {task:>11} {paint:>8} {largest:>9} "
            f"{earlier:>12} {r.blocked_s:9.2f} {r.blocked_s / r.rate:8.2f} {r.shift:6.3f}  {verdict}"
        )


def problems(r: PageReading) -> Iterator[str]:
    """Every budget of a page that does not hold, with both figures."""
    limits = {**dict.fromkeys(CHARTED, CHART_KB), "table": TABLE_KB, "choose": CHOOSE_KB}
    if r.kind == "to_html":
        return
    if r.kb > limits.get(r.kind, r.kb):
        yield f"over budget: {r.kind} transfers {r.kb:.0f} kB, at most {limits[r.kind]}"
    if r.blocked_s > BLOCKED_S:
        yield f"over budget: {r.kind} blocks for {r.blocked_s:.2f} s, at most {BLOCKED_S}"
    if r.shift > SHIFT:
        yield f"over budget: {r.kind} shifts by {r.shift:.3f}, at most {SHIFT}"
    if r.touch_kb is not None and r.touch_kb > TOUCH_KB:
        yield f"over budget: Plotly brings {r.kind} {r.touch_kb:.0f} kB, at most {TOUCH_KB}"
    if r.task_ms is not None and r.task_ms > TASK_MS:
        yield f"over budget: a task of {r.kind} takes {r.task_ms:.0f} ms when Plotly takes over, at most {TASK_MS}"


def slow(answers: Sequence[float]) -> Iterator[str]:
    """The chooser's budget, where it does not hold."""
    if answers and max(answers) > ANSWER_MS:
        yield (
            f"over budget: the chooser answers within {max(answers):.0f} ms at worst, {median(answers):.0f} in the "
            f"middle, at most {ANSWER_MS}"
        )


def too_late(read: Mapping[str, PageReading]) -> Iterator[str]:
    """The budgets of the largest paint, which are ratios to other pages of the same run."""
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


def _read(browser: Browser, base: str, kind: str, address: str, *, with_plotly: bool) -> PageReading:
    """One page in a browser of its own, nothing cached; painted besides where that has a budget."""
    paint, largest = _painted(browser, base, kind, address) if kind in PAINTED else (0.0, 0.0)
    context = browser.new_context(viewport=PHONE)
    page = context.new_page()
    page.add_init_script(OBSERVE)
    page.add_init_script(SAVES_DATA)
    browser.start_tracing(page=page, categories=[TASKS, MARKS])
    page.goto(base + address, wait_until="load")
    if kind == "to_html":
        _drawn_ms(page)
    page.wait_for_timeout(SETTLE_MS)
    page.evaluate(LOOP)
    page.wait_for_timeout(FLUSH_MS)
    tasks, loop = phone_tasks(json.loads(browser.stop_tracing())["traceEvents"])
    if not loop or not sum(tasks):
        context.close()
        raise UnreadableError("the browser's record of the visit is not complete")
    seen: dict[str, Any] = page.evaluate(READ)
    kb = sum(seen["entries"]) / 1000
    task, touch = _plotly(browser, page, kb) if with_plotly else (None, None)
    context.close()
    blocked = sum(max(0.0, one - LONG_S) for one in tasks)
    ms = 1000 * loop / SLOWDOWN
    return PageReading(kind, kb, len(seen["entries"]), paint, largest, blocked, seen["shift"], touch, task, ms)


def _painted(browser: Browser, base: str, kind: str, address: str) -> tuple[float, float]:
    """The first and the largest paint with a processor slowed to a quarter, in seconds."""
    context, page = _slowed(browser)
    page.add_init_script(OBSERVE)
    page.add_init_script(SAVES_DATA)
    page.goto(base + address, wait_until="load")
    drawn = _drawn_ms(page) if kind == "to_html" else 0.0
    page.wait_for_timeout(SETTLE_MS)
    seen: dict[str, Any] = page.evaluate(READ)
    context.close()
    return seen["paint"] / 1000, (seen["largest"] or seen["paint"] or drawn) / 1000


def _plotly(browser: Browser, page: Page, before_kb: float) -> tuple[float | None, float | None]:
    """Of Plotly's taking over: the longest task in milliseconds and the kilobytes; None without a chart in view."""
    button = page.locator("[data-chart-start]:visible")  # one that a phone folds away is not the page's first
    if not button.count():
        return None, None
    browser.start_tracing(page=page, categories=[TASKS, MARKS])
    button.first.click()
    page.wait_for_selector("[data-state=drawn]", timeout=60_000)
    tasks, _ = phone_tasks(json.loads(browser.stop_tracing())["traceEvents"])
    return 1000 * max(tasks), sum(page.evaluate(READ)["entries"]) / 1000 - before_kb


def phone_tasks(events: Sequence[Mapping[str, Any]]) -> tuple[list[float], float]:
    """Of a trace, the seconds that each task of the page's main thread takes on a phone, and those of the loop."""
    named = {
        (e["pid"], e["tid"]) for e in events if e["name"] == "thread_name" and e["args"]["name"] == "CrRendererMain"
    }
    marks = [e for e in events if e["name"] == "loop" and e.get("cat") == MARKS]
    threads: dict[tuple[int, int], list[float]] = {thread: [] for thread in named}
    loop = 0.0
    for event in events:
        thread = (event["pid"], event["tid"])
        if event["name"] != "RunTask" or event["ph"] != "X" or thread not in named:
            continue
        seconds = SLOWDOWN * event.get("tdur", 0) / 1e6
        if any((m["pid"], m["tid"]) == thread and 0 <= m["ts"] - event["ts"] <= event["dur"] for m in marks):
            loop = seconds
        else:
            threads[thread].append(seconds)
    return max(threads.values(), key=sum), loop


def at_rate(visit: PageReading, fastest_ms: float) -> PageReading:
    """A visit as it would have been at the processor's fastest rate."""
    if not visit.loop_ms:
        return visit
    rate = fastest_ms / visit.loop_ms
    task = visit.task_ms * rate if visit.task_ms is not None else None
    return replace(visit, blocked_s=visit.blocked_s * rate, task_ms=task, rate=rate)


def _drawn_ms(page: Page) -> float:
    """When the plain page shows its chart: its picture is no text and no image, which the browser would report."""
    page.wait_for_selector(".main-svg .points path", timeout=60_000)
    return float(page.evaluate("performance.now()"))


def _open_chooser(page: Page, base: str) -> None:
    """The chooser, once it hears what is changed and has fetched its figures."""
    page.goto(base + CHOOSE, wait_until="load")
    page.wait_for_selector("form[data-choose][data-ready]", state="attached", timeout=60_000)
    page.locator("form[data-choose] select").first.focus()
    page.wait_for_load_state("networkidle")


def _answers(browser: Browser, base: str) -> list[float]:
    """The chooser's answer times, change after change."""
    context, page = _slowed(browser)
    _open_chooser(page, base)
    times = [float(time) for time in page.evaluate(ANSWERS, CHANGES)]
    context.close()
    return times


def _worked(browser: Browser, base: str) -> list[float]:
    """What the chooser's page works for each answer: processor time, which other work here hardly lengthens."""
    context = browser.new_context(viewport=PHONE)
    page = context.new_page()
    _open_chooser(page, base)
    browser.start_tracing(page=page, categories=[TASKS, MARKS])
    page.evaluate(ANSWERS, CHANGES)
    times = worked_ms(json.loads(browser.stop_tracing())["traceEvents"])
    context.close()
    return times


def middle(rounds: Sequence[Sequence[float]]) -> list[float]:
    """Of each change the median of its rounds."""
    return [median(times) for times in zip(*rounds, strict=False)]


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


def together(visits: Sequence[PageReading]) -> PageReading:
    """The medians of a page's visits, and the worst shift."""
    touches = [visit.touch_kb for visit in visits if visit.touch_kb is not None]
    tasks = [visit.task_ms for visit in visits if visit.task_ms is not None]
    return replace(
        visits[0],
        kb=median(v.kb for v in visits),
        paint_s=median(v.paint_s for v in visits),
        largest_s=median(v.largest_s for v in visits),
        blocked_s=median(v.blocked_s for v in visits),
        shift=max(v.shift for v in visits),
        touch_kb=median(touches) if touches else None,
        task_ms=median(tasks) if tasks else None,
        rate=median(v.rate for v in visits),
    )


@contextmanager
def _served(site: ServedSite) -> Iterator[str]:
    """The site on a port of this machine, each file compressed as a host does it, once."""

    @cache
    def compressed(target: str) -> tuple[int, str, bytes]:
        code, kind, body = site.answer(target)
        return code, kind, gzip.compress(body, 6, mtime=0)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            code, kind, packed = compressed(self.path)
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
