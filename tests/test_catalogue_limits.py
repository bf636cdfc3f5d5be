"""What the chooser prepares of a card: its watts, its slots, its rate by its kin, and what waiting costs."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from samples import price, record, result

from pipeline.advise.choose import catalogue
from pipeline.advise.choose.catalogue import MATRIX, VECTOR
from pipeline.advise.estimate.types import Card, Request
from pipeline.dataset import Dataset


def chip(id: str, bandwidth: float | None, power: float | None, **about: Any) -> Any:
    return record(id=id, memory_bandwidth_gb_s=bandwidth, board_power_w=power, **{"form_factor": "SoC"} | about)


KIN = (chip("small", 100.0, 30.0), chip("middle", 200.0, 60.0), chip("fast", 400.0, 90.0), chip("cool", 400.0, 80.0))


@pytest.mark.parametrize(
    ("bandwidth", "power", "watts"),
    [
        (150.0, 45.0, 45.0),  # its own
        (150.0, None, 60.0),  # of the next with at least its bandwidth
        (200.0, None, 60.0),
        (201.0, None, 90.0),  # of two alike the hungrier
        (401.0, None, 90.0),  # none has as much: the hungriest
        (None, None, 90.0),
    ],
)
def test_unknown_watts_are_those_of_the_next_chip_of_its_maker_and_form(
    bandwidth: float | None, power: float | None, watts: float
) -> None:
    others = (*KIN, chip("other", 150.0, 1.0, vendor="AMD"), chip("card", 150.0, 1.0, form_factor="PCIe card"))
    assert catalogue.load_w(chip("asked", bandwidth, power), others) == watts
    assert catalogue.load_w(chip("alone", 100.0, None), ()) is None


@pytest.mark.parametrize(
    ("known", "slots"),
    [
        ({"slot_width": 2.5, "board_power_w": 900.0}, 2.5),
        ({"board_power_w": 321.0}, 3.0),
        ({"board_power_w": 320.0}, 2.0),
        ({}, 2.0),
    ],
)
def test_a_card_of_unknown_width_is_wide_above_the_watts_of_the_rules(known: dict[str, float], slots: float) -> None:
    assert catalogue.card_facts(record(**known))["slots"] == slots


@pytest.mark.parametrize(
    ("known", "passive"),
    [
        ({"cooling": "passive"}, True),
        ({"cooling": "fan", "segment": "datacenter"}, False),
        ({"segment": "datacenter"}, True),
        ({}, False),
    ],
)
def test_a_card_of_a_data_centre_has_no_fan_unless_a_source_says_so(known: dict[str, str], passive: bool) -> None:
    assert catalogue.card_facts(record(**known))["passive"] is passive


@pytest.mark.parametrize(
    ("form", "link", "bridge", "linked"),
    [("PCIe card", 112.5, True, False), ("SXM5", 900.0, False, True), ("PCIe card", None, False, False)],
)
def test_a_link_is_a_bridge_between_cards_and_part_of_a_board_between_modules(
    form: str, link: float | None, bridge: bool, linked: bool
) -> None:
    facts = catalogue.card_facts(record(form_factor=form, link_gb_s=link))
    assert (facts["bridge"], facts["linked"]) == (bridge, linked)


@pytest.mark.parametrize(
    ("name", "form", "label"),
    [("M4 Max", "SoC", "M4 Max, 64 GB"), ("M4 Max 64GB", "SoC", "M4 Max 64GB"), ("RTX", "PCIe card", "RTX")],
)
def test_a_chip_that_is_sold_with_several_memories_is_called_by_one(name: str, form: str, label: str) -> None:
    assert catalogue.card_facts(record(name=name, form_factor=form, memory_gb=64.0))["label"] == label


def card(name: str, segment: str = "consumer", architecture: str = "Ada", **peaks: float) -> Card:
    rates = {{"matrix": MATRIX, "vector": VECTOR}[kind]: rate for kind, rate in peaks.items()}
    return Card(name, name, "NVIDIA", segment, architecture, 8.0, "GDDR6", 500.0, rates)


def completed(*cards: Card) -> dict[str, float | None]:
    made = catalogue.with_matrix_rates({one.name: one for one in cards})
    return {name: one.peaks.get(MATRIX) for name, one in made.items()}


@pytest.mark.parametrize(("second", "rate"), [(210.0, 102.5), (210.1, None), (200.0, 100.0)])
def test_a_card_has_the_rate_of_its_kin_where_they_agree_within_a_twentieth(second: float, rate: float | None) -> None:
    one, two = card("one", matrix=200.0, vector=100.0), card("two", matrix=second, vector=100.0)
    found = completed(one, two, card("three", vector=50.0), card("rack", "datacenter", vector=50.0))
    assert found["three"] == (pytest.approx(rate) if rate else None)
    assert found["rack"] is None, "of another segment"
    assert (found["one"], found["two"]) == (200.0, second)


def test_its_sister_with_another_memory_comes_before_its_kin_and_cards_without_matrix_units_have_none() -> None:
    sister, kin = card("RTX X 8GB", matrix=300.0, vector=100.0), card("RTX Y", matrix=200.0, vector=100.0)
    plain = card("NVIDIA GTX 1660", vector=50.0)
    small = card("NVIDIA T1000", vector=50.0)
    found = completed(sister, kin, card("RTX X 16GB", vector=50.0), plain, small, card("RTX Z"))
    assert found["RTX X 16GB"] == 150.0
    assert (found["NVIDIA GTX 1660"], found["NVIDIA T1000"], found["RTX Z"]) == (None, None, None)


@pytest.mark.parametrize(
    ("gpus", "stage", "link", "seconds"),
    [
        (1, 3, 100.0, 0.0),
        (2, 2, 100.0, 0.0),
        (2, 3, 100.0, 3 * 2 * 1e9 / 2 / 50e9),  # half of what is moved, one way
        (4, 3, 100.0, 3 * 2 * 1e9 * 3 / 4 / 50e9),
    ],
)
def test_gpus_that_share_all_out_wait_for_three_times_the_weights(
    gpus: int, stage: int, link: float, seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalogue, "parameters", lambda _: 1e9)
    made: Any = SimpleNamespace(link=lambda _: link)
    none: Any = None
    assert catalogue._exchange_seconds(made, none, Request(gpus=gpus, zero_stage=stage)) == pytest.approx(seconds)


@pytest.mark.parametrize(
    ("segment", "form", "link"),
    [("consumer", "PCIe card", None), ("workstation", "PCIe card", None), ("consumer", "SoC", 112.5)],
)
def test_a_card_is_counted_without_its_bridge(segment: str, form: str, link: float | None) -> None:
    one = Card("x", "X", "NVIDIA", segment, "Ampere", 24.0, "GDDR6X", 936.0, {}, link_gb_s=112.5, form_factor=form)
    assert catalogue.unbridged(one).link_gb_s == link


def test_a_card_is_known_by_all_who_sell_or_measured_it() -> None:
    rows = (price(provider="A"), price(provider="A"), price(provider="B"))
    known = record(id="known", prices=rows)
    runs = (result(gpu="known", source="lab"), result(gpu="known", source="A"), result(gpu="gone"))
    found = catalogue.known_to(Dataset({"known": known, "x-y": record()}, benchmarks=runs, prices=rows))
    assert found == {"known": 3, "x-y": 0}


def test_prices_in_another_currency_are_divided_by_its_rate() -> None:
    euro: Any = SimpleNamespace(usd=1.25)
    quotes: Any = {"a": catalogue.market.RankedQuote(1000.0, "retail", "", "", True, "", lowest_usd=500.0)}
    made = catalogue._priced_in(euro, quotes)["a"]
    assert (made.usd, made.lowest_usd) == (800.0, 400.0)
    quotes = {"a": catalogue.market.RankedQuote(1000.0, "retail", "", "", True, "")}
    assert catalogue._priced_in(euro, quotes)["a"].lowest_usd is None


@pytest.mark.parametrize(
    ("heads", "splits"), [(32, (1, 2, 4, 8)), (24, (1, 2, 3, 4, 6, 8)), (7, (1,)), (None, (1, 2, 3, 4, 6, 8))]
)
def test_a_model_is_shared_out_over_what_divides_its_heads(heads: int | None, splits: tuple[int, ...]) -> None:
    on: Any = SimpleNamespace(registry=SimpleNamespace(models={"m": SimpleNamespace(attention_heads=heads)}))
    assert catalogue.Shelf.splits(on, "m") == splits
    assert catalogue.Shelf.splits(on, "unknown") == catalogue.COUNTS
