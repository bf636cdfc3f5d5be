"""The page of a language model: memory by format and context, and the cheapest cards that hold it."""

from __future__ import annotations

from functools import lru_cache

import pytest

from pipeline.advise.estimate import Request, models
from pipeline.advise.estimate.memory import required
from pipeline.dataset import Dataset
from pipeline.site.pages import models as pages
from pipeline.site.render import Page


@lru_cache(maxsize=1)
def written() -> dict[str, Page]:
    return {page.path: page for page in pages.pages(Dataset.load())}


def test_every_language_model_has_a_page_and_a_row_in_the_list() -> None:
    language = [model for model in models.load().models.values() if model.is_language]
    assert len(written()) == len(language) + 1
    listed = written()["models/index"].text()
    for model in language:
        assert pages.address(model) in written()
        assert f'models/{pages.address(model).split("/")[1]}/"' in listed


def test_longer_contexts_and_finer_formats_need_more() -> None:
    for model in models.load().models.values():
        if model.is_language:
            table = pages.needs(model)
            for need in table:
                known = [total for total in need.totals if total is not None]
                assert known == sorted(known)
            assert [need.weights for need in table] == sorted(need.weights for need in table)


def test_the_smallest_card_holds_the_model_and_the_next_smaller_one_does_not() -> None:
    for model in models.load().models.values():
        size = pages.least(model) if model.is_language else None
        if size:
            smaller = [other for other in pages.SIZES_GB if other < size]
            request = Request(quant=pages.QUANT, context=pages.CONTEXT)
            held = [
                required(pages.ANY_CARD, model, pages.replace(request, memory_gb=memory)).fits
                for memory in (*smaller[-1:], size)
            ]
            assert held[-1] is True
            assert True not in held[:-1]


@pytest.mark.parametrize("name", ["llama-3.1-8b-instruct", "llama-3.3-70b-instruct", "qwen3-235b-a22b"])
def test_the_cards_of_a_page_hold_the_model_and_the_cheapest_comes_first(name: str) -> None:
    context = written()[pages.address(models.load().models[name])].context
    for rows in (context["bought"], context["rented"]):
        costs = [row.cost for row in rows]
        assert costs == sorted(costs)
        assert all(row.spare_gib >= 0 for row in rows)
        assert all(row.quote.value is not None for row in rows)
