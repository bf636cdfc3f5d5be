"""Prices over time, rent, measured shares, what fits, experiments and pairs hold the numbers of the dataset."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace

import pytest
from samples import committed

from pipeline.advise.estimate import models
from pipeline.advise.verdict import verdict
from pipeline.core import files
from pipeline.core.templates import environment
from pipeline.core.wording import dollars
from pipeline.derive import metrics
from pipeline.derive.prices.quote import quotes
from pipeline.derive.prices.rules import BUYING, MARKETS, OBSERVED
from pipeline.site.charts import history, measured_peak, price_performance, rent_over_time, roofline, what_fits
from pipeline.site.charts.svg import LETTER_PX
from pipeline.site.pages import benchmarks, pairs, prices
from pipeline.site.pages.price_history import history_rows, price_history

CARD = "nvidia-geforce-rtx-5090"


def test_the_price_history_of_every_card_holds_each_of_its_rows_of_the_price_table() -> None:
    for gpu in committed().gpus.values():
        told = [
            row
            for row in committed().prices
            if row.gpu == gpu.id
            and row.kind in ("launch", "retail", "used", "system")
            and row.usd_per_unit
            and row.date
        ]
        assert sorted(history_rows(gpu), key=str) == sorted(told, key=str)
        made = price_history(gpu, quotes(committed()))
        assert (made is None) == (not told)


def test_a_flagged_price_is_drawn_hollow_and_every_other_one_full() -> None:
    gpu = committed().gpus[CARD]
    rows = history_rows(gpu)
    drawn = history.history(rows, gpu.launch_price_usd, committed().newest_reading)
    assert any(mark.flagged for mark in drawn.marks)
    for mark in drawn.marks:
        assert mark.flagged == bool(mark.row.flag)
        assert drawn.size.left <= float(mark.x) <= drawn.right
        assert drawn.size.top <= float(mark.y) <= drawn.bottom
    assert len(drawn.marks) == len(rows) - sum(row.kind == "launch" for row in rows) + 1


def test_the_labels_beside_a_price_history_end_inside_the_picture() -> None:
    longest = 0
    for gpu in committed().gpus.values():
        made = price_history(gpu, quotes(committed()))
        for label in made.picture.labels if made and made.picture else ():
            assert made.picture.right + 4 + len(label.text) * LETTER_PX <= made.picture.size.width, (gpu.id, label.text)
            longest = max(longest, len(label.text))
    assert longest * LETTER_PX > history.FRAME.right  # or the committed prices no longer show the case


def test_the_rtx_5090_costs_more_than_twice_its_launch_price_and_its_picture_says_so() -> None:
    gpu = committed().gpus[CARD]
    made = price_history(gpu, quotes(committed()))
    times = quotes(committed()).against_launch(gpu.id)
    assert made is not None
    assert made.picture is not None
    assert made.picture.twice
    assert times is not None and times > 2
    assert "its launch price" in made.title


def test_the_labels_beside_the_picture_say_what_the_page_quotes() -> None:
    book = quotes(committed())
    labelled = 0
    for gpu in committed().gpus.values():
        made = price_history(gpu, book)
        for label in made.picture.labels if made and made.picture else ():
            quoted = [book.quote(gpu.id, kind) for kind in BUYING if OBSERVED[kind] == label.kind]
            for quote in quoted:
                if quote.value is not None:
                    assert label.text.endswith(f"{'from ' * quote.begins}{dollars(round(quote.value))}")
                    labelled += 1
    assert labelled > 50


def test_a_card_with_only_a_launch_price_says_so_and_draws_nothing() -> None:
    only = [gpu for gpu in committed().gpus.values() if {row.kind for row in history_rows(gpu)} == {"launch"}]
    assert only
    for gpu in only:
        made = price_history(gpu, quotes(committed()))
        assert made is not None
        assert made.picture is None
        assert made.title.startswith("Only the launch price is known")


def test_the_price_page_shows_the_quotes_of_every_card_with_a_price_of_now() -> None:
    book = quotes(committed())
    told = {line.gpu.id: line for line in prices.lines(book)}
    for id in committed().gpus:
        now = any(book.quote(id, kind, market).value is not None for kind in prices.SHOWN for market in MARKETS)
        assert (id in told) == now
    assert all(line.quoted["new"]["us"] is book.quote(id, "new", "us") for id, line in told.items())


def test_the_lines_of_rent_are_those_of_its_csv() -> None:
    months = rent_over_time.rows(committed())
    text = files.csv_text(rent_over_time.HEADS, rent_over_time.csv_rows(months))
    told = {(r["gpu"], r["month"]): float(r["median_usd_per_gpu_hour"]) for r in csv.DictReader(io.StringIO(text))}
    drawn = {
        (gpu, month): usd
        for trace in json.loads(rent_over_time.figure(months))["data"]
        for gpu, month, usd in zip(trace["customdata"], trace["x"], trace["y"], strict=True)
        if usd is not None  # a gap: months in which nobody asked a price
    }
    assert len(drawn) >= 20
    assert drawn.items() <= told.items()
    picture = rent_over_time.picture(months, rent_over_time.NARROW)
    assert sum(len(line.dots) for line in picture.lines) == len(drawn)


def test_a_measured_share_is_the_result_over_the_peak_of_the_same_format() -> None:
    shares = measured_peak.rows(committed())
    assert len(shares) >= 15
    for share in shares:
        assert share.row in committed().benchmarks
        assert 0.2 < share.share <= 1
        if share.row.precision == "bf16":
            assert share.peak == share.gpu.peak("bf16", "fp32")


def test_more_memory_never_makes_a_model_not_fit() -> None:
    fits = what_fits.rows(models.load().models)
    assert len(fits) >= 60
    rank = {"no": 0, "tight": 1, "fits": 2}
    for fit in fits:
        states = [rank[cell.state] for cell in fit.cells]
        assert states == sorted(states)
        assert all(fit.needed <= cell.usable for cell in fit.cells if cell.state != "no")


def test_an_experiment_never_mixes_sets_metrics_or_numbers_of_gpus() -> None:
    found = benchmarks.comparisons(committed().benchmarks)
    assert len(found) >= 100
    for experiment in found:
        alike = {
            (row.set, row.workload, row.model, row.precision, row.metric, row.unit, row.gpu_count)
            for row in experiment.rows
        }
        assert len(alike) == 1
        assert len({row.gpu for row in experiment.rows}) == len(experiment.rows)
        assert not any(row.flag for row in experiment.rows)


def test_the_best_result_of_an_experiment_stands_first_also_where_less_is_better() -> None:
    for experiment in benchmarks.comparisons(committed().benchmarks):
        values = [row.value for row in experiment.rows]
        assert values == sorted(values, reverse=experiment.rows[0].higher_is_better)


def test_every_pair_of_the_list_is_in_the_dataset_and_has_an_answer() -> None:
    assert not pairs.missing(committed())
    known = pairs.pairs(committed())
    assert [(pair.one.id, pair.two.id) for pair in known[: len(pairs.PAIRS)]] == list(pairs.PAIRS)
    assert len({pair.address for pair in known}) == len(known) >= 150
    for pair in known:
        assert pairs.lines(pair)


def test_a_pair_s_bars_lead_to_the_card_that_has_more_and_turn_with_it() -> None:
    for pair in pairs.pairs(committed()):
        drawn = pairs.picture(pair, verdict(committed(), pair.one, pair.two).uses)
        other = pairs.Pair(pair.two, pair.one)
        turned = pairs.picture(other, verdict(committed(), pair.two, pair.one).uses)
        assert (drawn is None) == (turned is None)
        if drawn is None or turned is None:
            continue
        memory = metrics.quotient(pair.two.memory_gb, pair.one.memory_gb)
        for bar, back in zip(drawn.bars, turned.bars, strict=True):
            assert bar.label == back.label
            assert 0 <= float(bar.start) <= float(bar.start) + float(bar.width) <= drawn.width
            if bar.text != "even":
                assert bar.second != back.second
            if bar.label == "Memory" and memory is not None:
                assert bar.second == (memory >= 1)


def test_every_form_factor_wears_a_glyph_and_one_that_is_new_a_chip() -> None:
    glyph = environment().get_template("glyphs.html.j2").module.glyph  # type: ignore[attr-defined]
    drawn = {gpu.form_factor: str(glyph(gpu)) for gpu in committed().gpus.values()}
    assert len(set(drawn.values())) >= 6
    assert drawn["PCIe card"] != drawn["SoC"]
    new = replace(committed().gpus[CARD], form_factor="a form of tomorrow", vendor="Apple")
    assert re.sub("ga-v-[a-z]+", "", str(glyph(new))) == re.sub("ga-v-[a-z]+", "", drawn["SoC"])


@pytest.mark.parametrize(
    ("one", "other", "unclear"),
    [((1, 3), (2, 4), False), ((1, 3), (1.5, 4), True), ((1, 2), (3, 4), False), ((1, 4), (2, 2), True)],
)
def test_two_spreads_that_overlap_by_more_than_half_of_the_narrower_show_no_clear_difference(
    one: tuple[float, float], other: tuple[float, float], unclear: bool
) -> None:
    assert metrics.Band(*one).unclear(metrics.Band(*other)) == unclear


def test_under_three_offers_there_is_no_spread() -> None:
    assert metrics.band([1.0, 2.0]) is None
    assert metrics.band([1.0, 2.0, 3.0]) == metrics.Band(1.2, 2.8)
    for point in price_performance.rows(committed()):
        rent = quotes(committed()).to_rent(point.gpu)
        assert (point.band is None) == (rent.count < metrics.BAND_OFFERS)


def test_work_on_the_roof_never_passes_bandwidth_or_peak() -> None:
    gpu = committed().gpus["nvidia-geforce-rtx-4090"]
    made, rate, bandwidth = roofline.roofline(gpu), metrics.sixteen_bit(gpu), gpu.memory_bandwidth_gb_s
    assert made is not None
    assert rate is not None
    assert bandwidth is not None
    for work in made.works:
        assert work.tflops == pytest.approx(min(rate.tflops, work.intensity * bandwidth / 1000))
        assert made.size.top <= float(work.y) <= made.bottom


def test_a_measured_run_on_the_roof_is_what_its_result_says_and_stays_below_the_roof() -> None:
    runs = [(made, run) for gpu in committed().gpus.values() if (made := roofline.roofline(gpu)) for run in made.runs]
    assert len({made.peak for made, _ in runs}) >= 8
    for made, run in runs:
        assert run.row in committed().benchmarks
        assert run.tflops <= 1.02 * min(made.peak, run.intensity * made.bandwidth / 1000)
        assert made.size.top <= float(run.y) <= made.bottom


def test_a_matrix_multiplication_has_the_operations_for_each_byte_of_its_shape() -> None:
    gpu = committed().gpus["nvidia-h100-sxm5-80gb"]
    made = roofline.roofline(gpu)
    assert made is not None
    best = max(made.runs, key=lambda run: run.tflops)
    m, n, k = (int(side) for side in best.row.batch.split("x"))
    assert best.intensity == pytest.approx(2 * m * n * k / (2 * (m * k + k * n + m * n)))
    assert best.tflops == best.row.value


def test_the_interactive_prices_of_a_card_are_all_its_rows_and_flagged_ones_are_hollow() -> None:
    gpu = committed().gpus[CARD]
    rows = history_rows(gpu)
    figure = json.loads(history.figure(rows, gpu.launch_price_usd))
    drawn = [(kind, date) for t in figure["data"] for kind, date in zip(t["customdata"], t["x"], strict=True) if date]
    assert sorted(drawn) == sorted((row.kind, row.date) for row in rows)
    hollow = sum(len(list(filter(None, t["x"]))) for t in figure["data"] if t["marker"]["symbol"].endswith("-open"))
    assert hollow == sum(bool(row.flag) for row in rows)
    assert figure["layout"]["shapes"][0]["y0"] == gpu.launch_price_usd
