"""A page over its budget is told with both figures, and noise never counts against a page."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from time import monotonic

import pytest

from pipeline.core.paths import ROOT
from pipeline.tools.bench import pages, site, verdicts
from pipeline.tools.bench.pages import GrowthStep
from pipeline.tools.bench.site import PageReading
from pipeline.tools.bench.verdicts import BenchFigure

GOOD = PageReading("chart", 100.0, 12, 0.3, 0.4, 0.1, 0.0, 400.0, 150.0)
SLOW = PageReading("to_html", 1500.0, 2, 4.8, 4.8, 4.0, 0.0)
STEP = GrowthStep(250, 0.5, 0.7, 0.3, 12.0, 70.0, None)


def problems(**changes: float) -> list[str]:
    chart = replace(GOOD, **changes)  # type: ignore[arg-type]
    read = {"chart": chart, "chart, no picture": replace(GOOD, kind="chart, no picture"), "to_html": SLOW}
    return [*(line for one in read.values() for line in site.problems(one)), *site.too_late(read)]


def test_a_page_within_its_budgets_has_no_problem() -> None:
    assert problems() == []


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"kb": 141.0}, "chart transfers 141 kB, at most 140"),
        ({"touch_kb": 451.0}, "Plotly brings chart 451 kB, at most 450"),
        ({"task_ms": 201.0}, "a task of chart takes 201 ms when Plotly takes over, at most 200"),
        ({"blocked_s": 0.26}, "chart blocks for 0.26 s, at most 0.25"),
        ({"shift": 0.021}, "chart shifts by 0.021, at most 0.02"),
        ({"largest_s": 0.51}, "largest paint of chart 0.51 s, at most 1.25 times the 0.40 s"),
        ({"largest_s": 0.61}, "8 times earlier than the 4.80 s of to_html"),
    ],
)
def test_each_budget_that_does_not_hold_is_told_with_both_figures(changes: dict[str, float], told: str) -> None:
    assert any(told in line for line in problems(**changes))


def test_one_slow_answer_of_the_chooser_is_over_budget() -> None:
    assert list(site.slow([20.0, 30.0, 100.0])) == []
    assert "within 101 ms at worst, 30 in the middle, at most 100" in next(site.slow([20.0, 30.0, 101.0]))


def test_the_work_of_an_answer_is_the_processor_time_of_the_pages_tasks_until_it_is_shown() -> None:
    def mark(name: str, at: int) -> dict[str, object]:
        return {"name": name, "cat": site.MARKS, "ph": "I", "pid": 1, "tid": 1, "ts": at}

    def task(at: int, lasts: int, works: int, thread: int = 1) -> dict[str, object]:
        return {"name": "RunTask", "cat": "", "ph": "X", "pid": 1, "tid": thread, "ts": at, "dur": lasts, "tdur": works}

    events = [
        mark("asked 0", 1_000), task(900, 9_000, 3_000), task(12_000, 50_000, 2_000), mark("shown 0", 70_000),
        task(20_000, 9_000, 8_000, thread=2), task(71_000, 9_000, 9_000), mark("asked 1", 99_000),
    ]  # fmt: skip
    assert site.worked_ms(events) == [site.SLOWDOWN * 5.0]  # of two tasks; the second change never got an answer


def test_of_several_visits_the_median_counts_and_the_worst_shift() -> None:
    noisy = replace(GOOD, blocked_s=2.0, largest_s=3.0, kb=130.0, shift=0.01, task_ms=900.0)
    together = site.together([noisy, GOOD, GOOD])
    assert (together.blocked_s, together.largest_s, together.kb, together.shift) == (0.1, 0.4, 100.0, 0.01)
    assert together.task_ms == 150.0
    assert site.middle([[10.0, 90.0], [30.0, 20.0], [20.0, 30.0]]) == [20.0, 30.0]


def test_each_row_says_whether_its_budgets_hold() -> None:
    slower = replace(GOOD, kind="home", blocked_s=0.3)
    rows = list(site.table([GOOD, slower, SLOW], {r.kind: list(site.problems(r)) for r in (GOOD, slower, SLOW)}))
    assert [row.split("  ")[-1].strip() for row in rows] == ["verdict", "holds", "OVER", "to compare with"]


def test_a_run_whose_minutes_are_over_or_that_is_stopped_keeps_what_it_has_and_says_what_is_missing() -> None:
    bench = site.SiteBench({"chart": "charts/", "home": ""}, 3, 900, {"chart": [GOOD, GOOD]}, load=0.0)
    assert not bench.over()
    with site._stopped_gently(bench):
        os.kill(os.getpid(), signal.SIGTERM)
        assert bench.over()
    told = list(bench.heads())
    assert told[0].startswith("1 of 900 pages, one of each kind; 2 rounds of 3")
    assert "it was stopped (SIGTERM)" in told[1]
    assert told[2:] == ["Not read: home"]
    bench.failed["home"] = "it did not answer"
    assert list(bench.heads())[-1] == "Failed in a round: home: it did not answer"
    late = site.SiteBench({}, 3, 900, ends=monotonic() - 1)
    assert late.over()
    assert late.why == "the minutes were over"


@pytest.mark.full
@pytest.mark.browser
def test_a_site_is_read_in_the_rounds_that_were_asked_for(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<title>x</title><p>A page", encoding="utf-8")
    command = [sys.executable, "-m", "pipeline.tools.bench.site", str(tmp_path), "--rounds", "2", "--only", "home"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)  # a browser of its own
    assert ran.returncode == 0, ran.stderr
    out = ran.stdout.splitlines()
    assert out[0].startswith("1 of 1 pages, one of each kind; 2 rounds of 2")
    assert re.match(r"home .* holds$", next(line for line in out if line.startswith("home")))
    assert out[-1] == "All budgets hold."


def test_only_tasks_of_the_pages_main_thread_count_and_the_loop_apart_from_them() -> None:
    def task(thread: int, ms: float) -> dict[str, object]:
        return {"name": "RunTask", "ph": "X", "pid": 1, "tid": thread, "ts": 0, "dur": 9, "tdur": 1000 * ms}

    def named(thread: int, name: str) -> dict[str, object]:
        return {"name": "thread_name", "ph": "M", "pid": 1, "tid": thread, "args": {"name": name}}

    def mark(ts: int) -> dict[str, object]:
        return {"name": "loop", "cat": site.MARKS, "ph": "I", "pid": 1, "tid": 1, "ts": ts}

    loop = task(1, 20.0) | {"ts": 500, "dur": 100}
    events = [named(1, "CrRendererMain"), named(2, "Compositor"), task(1, 12.0), task(1, 30.0), task(2, 500.0)]
    assert site.phone_tasks([*events, loop, mark(510)]) == (pytest.approx([0.048, 0.12]), pytest.approx(0.08))


def test_what_a_slow_moment_of_the_machine_adds_is_taken_off() -> None:
    bench = site.SiteBench({"chart": ""}, 3, 900, load=0.0)
    bench.read["chart"] = [
        replace(GOOD, loop_ms=20.0),
        *[replace(GOOD, blocked_s=0.3, task_ms=450.0, loop_ms=60.0)] * 2,
    ]
    (reading,) = bench.readings()
    assert (reading.blocked_s, reading.task_ms) == (pytest.approx(0.1), pytest.approx(150.0))
    assert reading.blocked_s / reading.rate == pytest.approx(0.3)
    assert "20 to 60 ms of processor time, 60 in the middle" in list(bench.heads())[1]


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"building_s": 0.8}, r"one GPU page more, ms +5\.20 +5 +– +OVER"),
        ({"frame_kb": 31.0}, r"HTML around a GPU page, kB +31\.00 +30 +– +OVER"),
        ({"index_kb": 1.6}, r"search index a GPU page, kB +1\.60 +1\.5 +– +OVER"),
        ({"memory_mb": 251.0}, r"memory at 250 pages, MB +251\.00 +250 +– +OVER"),
    ],
)
def test_each_budget_of_the_build_is_judged(changes: dict[str, float], told: str) -> None:
    assert [row.verdict for row in pages.rows([STEP])] == ["holds"] * 4
    over = [row for row in pages.rows([replace(STEP, **changes)]) if row.over]  # type: ignore[arg-type]
    assert re.fullmatch(told, list(verdicts.lines(over))[-1])


def test_a_row_has_its_ratio_to_the_floor_of_the_same_run_and_one_without_a_budget_no_verdict() -> None:
    judged, free = BenchFigure("build", 3.0, "s", 3.0, 0.5), BenchFigure("prices", 9.0, "s")
    heads, first, second = verdicts.lines([judged, free])
    assert heads == verdicts.HEADS
    assert first.split() == ["build,", "s", "3.00", "3", "6.0", "holds"]
    assert second.split()[-4:] == ["–", "–", "no", "budget"]


def test_the_cost_of_a_page_more_leaves_out_what_every_build_costs() -> None:
    grown = replace(STEP, pages=1250, making_s=2.5, building_s=1.7)
    assert list(pages.lines([STEP, grown]))[-1] == "one page more: 3.0 ms"
    assert not any(row.over for row in pages.rows([STEP, grown]))
