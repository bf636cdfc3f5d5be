"""How long a picture takes with models that nobody measured over several cards (`pipeline/advise/denoise.py`)."""

from __future__ import annotations

import pytest

from pipeline.advise import denoise
from pipeline.core import constants
from pipeline.dataset import Dataset

RTX_4090, RTX_3090 = "nvidia-geforce-rtx-4090", "nvidia-geforce-rtx-3090"


@pytest.fixture(scope="module")
def table() -> denoise.Table:
    found = denoise.table(Dataset.load())
    assert found is not None
    return found


def seconds(table: denoise.Table, model: str, gpu: str) -> float:
    line = next(line for line in table.lines if line.name.startswith(model))
    return line.seconds[[card for card, _ in table.cards].index(gpu)]


def test_an_estimate_comes_near_a_run_that_it_was_not_made_from(table: denoise.Table) -> None:
    known = constants.load()
    steps = known["qwen-image-4090-steps"].value / known["qwen-image-steps"].value
    assert seconds(table, "Qwen-Image", RTX_4090) * steps == pytest.approx(
        known["qwen-image-4090-picture"].value, rel=0.1
    )


def test_the_measured_run_gives_itself_back_and_only_measured_figures_are_marked_as_such(table: denoise.Table) -> None:
    known = constants.load()
    assert seconds(table, "FLUX.1", RTX_4090) == pytest.approx(20 / known["flux-4090-rate"].value)
    assert seconds(table, "FLUX.1", RTX_3090) == known["flux-3090-20-steps"].value
    marked = {line.name: sum(line.measured) for line in table.lines}
    assert marked.pop("Stable Diffusion XL 1.0") == len(table.cards)
    assert marked.pop("FLUX.1 [dev]") == 2
    assert set(marked.values()) == {0}


def test_twice_the_width_is_at_least_four_times_the_work_of_the_weights() -> None:
    class Given(denoise.Plain):
        def model(self, name: str, measure: str) -> float:
            return {"layers": 10, "hidden_size": float(name), "feed_forward_size": 4 * float(name)}[measure]

    plain = Given(Dataset.load())
    thin, wide = (denoise.work(plain, {"model": width, "m": 2}) for width in ("100", "200"))
    attention = 4 * 10 * 100 * (1024**2 / 16**2 + 512) ** 2
    assert wide - 2 * attention == pytest.approx(4 * (thin - attention))


def test_a_dataset_without_the_models_shows_no_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(denoise, "SDXL", {**denoise.SDXL, "memory_of": "no-such-model"})
    assert denoise.table(Dataset.load()) is None


def test_a_pick_for_pictures_has_a_column_of_its_own_measured_or_not(table: denoise.Table) -> None:
    dataset = Dataset.load()
    picked = {"nvidia-geforce-rtx-3080-ti": 3.0, "amd-radeon-rx-9070-xt": 9.0}
    found = denoise.table(dataset, picked)
    assert found is not None
    assert {card for card, _ in found.cards} == {card for card, _ in table.cards} | set(picked)
    first, places = found.lines[0], [card for card, _ in found.cards]
    sdxl = {card: (first.seconds[at], first.measured[at]) for at, card in enumerate(places)}
    assert sdxl["nvidia-geforce-rtx-3080-ti"] == (10.0, False)
    assert sdxl["amd-radeon-rx-9070-xt"][1]  # what was measured counts and not what the pick is counted with
    assert sdxl["amd-radeon-rx-9070-xt"][0] > 8
    assert list(found.lines[0].seconds) == sorted(found.lines[0].seconds, reverse=True)
