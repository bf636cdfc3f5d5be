"""How much memory a network needs, and the least that holds it: the data of the pages by model."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pipeline.advise import holding
from pipeline.advise.estimate import Model, Request
from pipeline.advise.estimate.memory import required
from pipeline.advise.estimate.models import load
from pipeline.site.charts import what_fits

LANGUAGE = [model for model in load().models.values() if model.is_language]
FORMATS = ("q4_k_m", "q8_0", "f16")
LLAMA = load().find("llama-3.1-8b-instruct")


@pytest.mark.parametrize("model", LANGUAGE, ids=lambda model: model.id)
def test_longer_contexts_and_finer_formats_need_more(model: Model) -> None:
    table = holding.needs(model, FORMATS)
    for need in table:
        known = [total for total in need.totals_gib if total is not None]
        assert known == sorted(set(known))
    assert [need.weights_gib for need in table] == sorted({need.weights_gib for need in table})


def test_no_context_is_longer_than_the_network_allows() -> None:
    short = replace(LLAMA, context=holding.CONTEXTS[1])
    (need,) = holding.needs(short, ("f16",))
    assert [total is None for total in need.totals_gib] == [False, False, True, True]
    assert holding.asked_context(replace(LLAMA, context=2048)) == 2048
    assert holding.asked_context(LLAMA) == holding.CONTEXT


def test_a_need_is_the_number_that_every_other_page_says() -> None:
    card = holding.card_with(24)
    total = required(card, LLAMA, Request(quant="q4_k_m", context=8192)).total
    assert holding.needed_gib(LLAMA, "q4_k_m", 8192) == pytest.approx(total)


@pytest.mark.parametrize("model", LANGUAGE, ids=lambda model: model.id)
def test_the_least_memory_holds_the_model_and_the_next_smaller_one_does_not(model: Model) -> None:
    least = holding.least_gb(model)
    request = Request(quant=holding.QUANT, context=holding.asked_context(model))
    fits = {size: required(holding.card_with(size), model, request).fits for size in holding.COMMON_SIZES_GB}
    assert [size for size, fit in fits.items() if fit] == [s for s in fits if least is not None and s >= least]


@pytest.mark.parametrize(
    ("room", "usable", "gpus", "tight"),
    [(7.99, 100, 1, True), (8.0, 100, 1, False), (0.49, 6, 1, True), (0.5, 6, 1, False), (0.99, 12, 2, True)],
)
def test_what_fits_is_tight_on_every_page_where_the_chooser_would_not_call_it_done_well(
    room: float, usable: float, gpus: int, *, tight: bool
) -> None:
    assert holding.is_tight(room, usable, gpus) == tight
    assert "less than 8 % of the memory or 0.5 GB a card" in what_fits.HOW
