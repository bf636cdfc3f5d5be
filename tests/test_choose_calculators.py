from __future__ import annotations

import gzip
import json
import math
from dataclasses import replace

import pytest

from pipeline.choose import Need, NeedError, browser_data
from pipeline.choose import cnn as images
from pipeline.choose.browser import COLUMNS
from pipeline.choose.calculators import (
    AT_ONCE,
    NEVER,
    break_even,
    measured_watts,
    running_cost,
    several_gpus,
    training_cost,
    upgrade,
    what_fits,
)
from pipeline.choose.shelf import shelf, with_matrix_rates
from pipeline.dataset import Dataset, GpuRecord
from pipeline.estimate import Card
from pipeline.estimate.training import peak

CHAT = Need("chat", "qwen2.5-32b-instruct", "q4_k_m")


@pytest.fixture(scope="module")
def dataset() -> Dataset:
    return Dataset.load()


def test_break_even_is_what_is_kept_over_what_an_hour_saves() -> None:
    found = break_even(1200, 600, 100, 0.5, 0.2, 0.5, pue=1.5, upkeep_usd_per_hour=0.05)
    assert found.hours == pytest.approx((1200 - 600 + 100) / (0.5 - 0.2 * 0.5 * 1.5 - 0.05))


def test_renting_under_the_price_of_electricity_never_costs_more() -> None:
    assert break_even(1200, 600, 0, 0.10, 0.2, 0.5).words == NEVER
    assert break_even(1200, 600, 0, 0.10, 0.2, 0.5).hours is None
    assert break_even(500, 600, 0, 0.5, 0.2, 0.5).words == AT_ONCE


@pytest.mark.parametrize("price", [math.nan, math.inf, -1.0])
def test_break_even_refuses_what_is_no_price(price: float) -> None:
    with pytest.raises(NeedError, match="price is"):
        break_even(price, 0, 0, 1, 0.2, 0.5)


def test_running_cost_is_watts_times_hours_times_tariff(dataset: Dataset) -> None:
    gpu = dataset.gpus["nvidia-geforce-rtx-4090"]
    found = running_cost(gpu, 10, 0.3, count=2, pue=1.2)
    assert found.power_w == 900
    assert found.kwh_per_month == pytest.approx(0.9 * 10 * 52 / 12 * 1.2)
    assert found.usd_per_year == pytest.approx(found.kwh_per_month * 0.3 * 12)
    with pytest.raises(NeedError, match="hours a week is 200"):
        running_cost(gpu, 200, 0.3)


def test_measured_watts_are_energy_times_throughput_and_win() -> None:
    base = {"set": "s", "workload": "training", "model": "m", "precision": "fp16", "batch": "64", "gpu_count": "1",
            "flag": ""}  # fmt: skip
    rows = ({**base, "metric": "throughput", "value": "500", "unit": "images/s"},
            {**base, "metric": "energy", "value": "0.5", "unit": "J/image"})  # fmt: skip
    gpu = GpuRecord({"id": "x-y", "name": "X", "board_power_w": "300"}, {}, {}, rows, ())
    assert measured_watts(gpu) == 250
    assert running_cost(gpu, 10, 0.3).kind == "measured"
    assert running_cost(replace(gpu, benchmarks=()), 10, 0.3).power_w == 300


def test_what_fits_names_the_best_quantization_and_one_better_does_not_fit(dataset: Dataset) -> None:
    found = {fit.model: fit for fit in what_fits(dataset, "rtx-3090")}
    assert found["llama-3.1-8b-instruct"].quant == "f16"
    assert found["qwen2.5-32b-instruct"].quant == "q5_k_m"
    assert found["llama-3.1-405b-instruct"].quant is None
    better = shelf(dataset).ability("nvidia-geforce-rtx-3090", 1, replace(CHAT, quant="q6_k", context=4096))
    assert better.room_gib is not None and better.room_gib < 0
    assert all(fit.room_gib is None or fit.room_gib >= 0 for fit in found.values())


def test_layers_on_several_gpus_hold_more_but_answer_no_faster(dataset: Dataset) -> None:
    rows = {row.count: row for row in several_gpus(dataset, "rtx-3090", Need("chat", "llama-3.3-70b-instruct"))}
    assert rows[1].times_one is None
    assert rows[2].times_one == 1
    assert rows[8].times_one is not None and rows[8].times_one < 1
    assert "112.5 GB/s" in rows[2].link


def test_an_upgrade_makes_possible_or_faster_or_neither(dataset: Dataset) -> None:
    assert upgrade(dataset, "rtx-3080-10gb", "rtx-3090", CHAT).verdict.startswith("makes it possible")
    faster = upgrade(dataset, "rtx-3090", "rtx-5090", CHAT)
    assert faster.times is not None and faster.times[0] < faster.times[1] < faster.times[2]
    assert faster.verdict.startswith("worth it")
    assert faster.net_usd is not None and faster.net_usd > 0
    assert upgrade(dataset, "rtx-3090", "rtx-3080-10gb", CHAT).verdict.startswith("not worth it")
    with pytest.raises(NeedError, match="no GPU of the dataset"):
        upgrade(dataset, "rtx-9999", "rtx-3090", CHAT)


def test_training_cost_is_gpus_times_hours_times_price(dataset: Dataset) -> None:
    need = Need("train", "llama-3.2-1b-instruct", units=20e9)
    found = training_cost(dataset, "h100-sxm", 8, need)
    hourly = shelf(dataset).rents["nvidia-h100-sxm5-80gb"].usd
    assert found.rent_usd is not None
    assert found.rent_usd[1] == pytest.approx(found.hours[1] * 8 * hourly)
    assert found.hours[0] < found.hours[1] < found.hours[2]
    with pytest.raises(NeedError, match="needs a size"):
        training_cost(dataset, "h100-sxm", 8, replace(need, units=None))
    with pytest.raises(NeedError, match="count is 3"):
        training_cost(dataset, "h100-sxm", 3, need)


def test_waiting_for_one_another_makes_gpus_without_a_link_slower(dataset: Dataset) -> None:
    on, need = shelf(dataset), Need("full", "qwen2.5-7b-instruct", context=2048)
    card = on.cards["nvidia-h100-sxm5-80gb"]
    one = on.ability(card.id, 4, need).rate
    plain = shelf(dataset).cards["nvidia-h100-pcie-80gb"]
    assert card.link_gb_s and one is not None
    slow = replace(on, cards={**on.cards, card.id: replace(card, link_gb_s=None)}, _abilities={})
    other = slow.ability(card.id, 4, need).rate
    assert other is not None and other.median < one.median
    assert plain.id in on.cards


def test_a_measured_image_rate_wins_and_another_maker_has_none(dataset: Dataset) -> None:
    on = shelf(dataset)
    found = images.rate(on.cards["nvidia-geforce-rtx-4090"], 1, on.images)
    assert found is not None and found.measured and found.interval.median == 1301
    estimated = images.rate(on.cards["nvidia-geforce-rtx-5090"], 1, on.images)
    assert estimated is not None and not estimated.measured
    assert estimated.interval.p10 < estimated.interval.median < estimated.interval.p90
    assert images.rate(on.cards["amd-radeon-rx-7900-xtx"], 1, on.images) is None
    assert images.rate(on.cards["nvidia-geforce-gtx-1660"], 1, on.images) is None


def test_image_rates_are_predicted_within_their_interval_for_eight_of_ten(dataset: Dataset) -> None:
    on = shelf(dataset)
    logs = []
    for (gpu, count), rate in on.images.measured.items():
        figures = images._figures(on.cards[gpu])
        if count == 1 and figures is not None:
            logs.append(math.log(rate.interval.median) - images._log_rate(figures, on.images.exponents))
    low, high = on.images.spread
    assert 0.7 <= sum(low <= value <= high for value in logs) / len(logs) <= 0.97
    assert -0.5 < low < 0 < high < 0.5


def test_a_missing_matrix_rate_is_that_of_kin_that_agree() -> None:
    vector, matrix = "peak:fp32:fp32:dense:vector", "peak:fp16:fp32:dense:tensor"

    def card(name: str, segment: str, peaks: dict[str, float]) -> Card:
        return Card(name, name, "NVIDIA", segment, "Ada Lovelace", 16, "GDDR6", 500, peaks)

    cards = {c.id: c for c in (
        card("a", "consumer", {vector: 40, matrix: 80}), card("b", "consumer", {vector: 20}),
        card("c", "datacenter", {vector: 40, matrix: 80}), card("d", "datacenter", {vector: 40, matrix: 160}),
        card("e", "datacenter", {vector: 20}), card("GTX f", "consumer", {vector: 20}),
    )}  # fmt: skip
    done = with_matrix_rates(cards)
    assert peak(done["b"]) == 40
    assert matrix not in done["e"].peaks
    assert matrix not in done["GTX f"].peaks


def test_the_browser_gets_every_card_and_price_in_under_200_kb(dataset: Dataset) -> None:
    data = browser_data(dataset)
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    assert len(gzip.compress(text.encode(), 9)) < 200_000
    assert len(data["cards"]) == len(dataset.gpus)
    assert all(len(row) == len(COLUMNS["cards"]) for row in data["cards"])
    assert all(len(row) == len(COLUMNS["decode"]) for row in data["decode"])
    assert all(len(row) == len(COLUMNS["rent"]) for row in data["rent"].values())
    assert all(len(row) == len(COLUMNS["buy"]) for by in data["buy"].values() for row in by.values())
    assert data["models"]["llama-3.1-8b-instruct"]["layers"] == 32
    assert text == json.dumps(browser_data(Dataset.load()), separators=(",", ":"))
