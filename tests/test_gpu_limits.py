"""What a card's page takes of its prices and results, in which order, and how it says them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from samples import book, price, record, result

from pipeline.core.schema import PeakKey
from pipeline.site.pages import gpu

TODAY = "2026-11-20"


def sold(usd: float, date: str = "2026-11-01", **changes: Any) -> Any:
    about = {"kind": "retail", "usd_per_unit": usd, "usd_per_gpu_hour": None, "usd_per_machine_hour": None}
    market = {"gpus": None, "country": "US", "tax": 0.0, "basis": "asked", "provider": "Shop"}
    return price(date=date, **about | market | changes)


def let(usd: float, date: str = "2026-11-01", **changes: Any) -> Any:
    return price(usd_per_gpu_hour=usd, gpus=1.0, date=date, **changes)


def test_of_each_kind_and_provider_the_lowest_price_of_its_newest_day_is_listed() -> None:
    rows = (
        let(2.0, "2026-11-02"), let(1.5, "2026-11-02"), let(1.0, "2026-11-01"), let(0.5, flag="a slip"),
        let(0.9, provider="Rack"), let(0.1, "2026-05-23", provider="Old"), sold(900, "2026-10-01"),
        let(0.7, kind="spot"),
    )  # fmt: skip
    found = gpu.offers(record(prices=rows), TODAY)
    told = [(one.row.kind, one.row.provider, gpu._usd(one.row), one.old, bool(one.row.flag)) for one in found]
    assert told == [
        ("retail", "Shop", 900, False, False),
        ("on_demand", "Rack", 0.9, False, False),
        ("on_demand", "Cloud", 1.5, False, False),
        ("on_demand", "Old", 0.1, True, False),  # half a year and a day
        ("on_demand", "Cloud", 0.5, False, True),
        ("spot", "Cloud", 0.7, False, False),
    ]
    assert [one.offers for one in found if one.row.provider == "Cloud"] == [2, 1, 1]


def test_of_an_experiment_the_newest_result_on_the_fewest_gpus_is_shown_and_one_gpu_first() -> None:
    rows = (
        result(value=1.0, date="2026-01", locator="a"),
        result(value=2.0, date="2026-02", locator="b"),
        result(value=3.0, date="2026-03", gpu_count=8),
        result(value=4.0, date="2026-03", flag="broken"),
        result(value=None, date="2026-03"),
        result(value=5.0, gpu_count=2, model="alexnet"),
        result(value=6.0, date="2026-02", batch="128", locator="c"),
    )
    # Whatever the batch, it is one experiment; alexnet comes before resnet50, but on two GPUs.
    assert [row.value for row in gpu.results(record(benchmarks=rows))] == [2.0, 5.0]


def test_how_fast_a_language_model_writes_is_told_before_other_measurements() -> None:
    metrics = ("throughput", "prompt_speed", "generation_speed", "output_throughput")
    rows = tuple(result(value=1.0 + at, metric=metric) for at, metric in enumerate(metrics))
    eight = result(value=9.0, metric="output_throughput", model="other", gpu_count=8)
    assert [row.value for row in gpu.results(record(benchmarks=(eight, *rows)))] == [4.0, 3.0, 2.0, 1.0, 9.0]


def test_what_stands_beside_a_peak_is_not_told_again() -> None:
    one, two = result(value=1.0), result(value=1.0)
    shares: Any = [SimpleNamespace(row=one)]
    assert gpu._beside([one, two], shares) == [two]
    assert gpu._beside([one, two], shares)[0] is two


@pytest.mark.parametrize(
    ("known", "said"),
    [
        ({"memory_gb": 24.0, "memory_bandwidth_gb_s": 1008.0}, "24 GB at 1,008 GB/s"),
        ({"memory_gb": 24.0}, "24 GB of memory"),
        ({"memory_bandwidth_gb_s": 1008.0}, "memory at 1,008 GB/s"),
        ({}, ""),
    ],
)
def test_memory_and_bandwidth_are_said_as_far_as_they_are_known(known: dict[str, float], said: str) -> None:
    assert gpu._memory_phrase(record(**known)).replace("\u00a0", " ") == said


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([], ""),
        ([("16 bit", "Large", False), ("4 bit", "Larger", False)], ": holds Larger at 4 bit"),
        ([("4 bit", "Larger", True)], ": just holds Larger at 4 bit"),
        ([("16 bit", "Large", False), ("4 bit", None, False)], ""),
    ],
)
def test_the_largest_model_at_the_fewest_bits_is_named(rows: list[Any], said: str) -> None:
    made = [
        SimpleNamespace(name=bits, largest=name and SimpleNamespace(name=name), tight=tight)
        for bits, name, tight in rows
    ]
    fits: Any = SimpleNamespace(rows=made) if rows else None
    assert gpu._holds_phrase(fits) == said


@pytest.mark.parametrize(
    ("prices", "form", "said"),
    [
        ((sold(900), let(2.0)), "PCIe card", "$900 new in November 2026"),  # to own it comes first
        ((let(2.0), let(1.0, provider="Rack")), "PCIe card", "rents from $1.00 an hour (November 2026)"),
        ((sold(900),), "SXM5", "$900 new, as a module that needs a carrier board, in November 2026"),
        ((sold(900, "2026-05-23"),), "PCIe card", ""),
        ((sold(900, basis="sold", kind="used"),), "PCIe card", "$900 used in"),
    ],
)
def test_a_card_is_said_to_cost_what_it_is_sold_for_or_else_let_for(prices: Any, form: str, said: str) -> None:
    known = record(prices=prices, form_factor=form)
    told = gpu._price_phrase(known, book(known, today=TODAY), "us")
    assert told.startswith(said) if said else told == ""


def test_a_card_of_which_nothing_is_known_says_so() -> None:
    known = record(board_power_w=450.0, peaks={PeakKey("fp16", "fp32", "dense", "tensor"): 165.2})
    prices = book(known, today=TODAY)
    assert gpu.summary_of(known, prices).replace("\u00a0", " ") == "165 TFLOPS dense FP16 peak; 450 W."
    assert gpu.summary_of(record(), prices) == "No source of ours gives its figures yet."


@pytest.mark.parametrize(
    ("form", "missed"), [("PCIe card", 6), ("PCIe x16 board", 6), ("SXM5", 1), ("SoC", 1), ("laptop module", 1)]
)
def test_only_of_a_card_for_a_slot_a_missing_length_is_told(form: str, missed: int) -> None:
    assert len(gpu._missed(record(form_factor=form))) == missed


def test_a_name_is_spelled_as_one_word_too_where_it_has_several() -> None:
    known = record(name="NVIDIA GeForce RTX 4090", aliases=("RTX 4090", "AD102-300", "4090 GPU"))
    assert gpu.joined_up(known) == ["4090gpu", "rtx4090"]


def test_a_price_is_written_to_six_digits_with_the_address_where_one_decides() -> None:
    known = record(prices=(sold(1234.5678, product="A"),))
    made = gpu._quoted(book(known, today=TODAY).quote("x-y", "new", "us"))
    assert (made["value"], made["url"], made["count"]) == (1234.57, "https://e.org/p", 1)
    two = record(prices=(sold(900, product="A"), sold(1000, product="B")))
    assert gpu._quoted(book(two, today=TODAY).quote("x-y", "new", "us"))["url"] == ""
    none = gpu._quoted(book(record(), today=TODAY).quote("x-y", "new", "us"))
    assert list(none) == ["value", "reason"]
