"""The pages of the language models: one each, with the cheapest cards that hold it, and their list."""

from __future__ import annotations

from functools import lru_cache

import pytest
from samples import committed

from pipeline.advise.estimate import models
from pipeline.site.pages import models as pages
from pipeline.site.render import Page


@lru_cache(maxsize=1)
def written() -> dict[str, Page]:
    return {page.path: page for page in pages.pages(committed())}


def test_every_language_model_has_a_page_and_a_row_in_the_list() -> None:
    language = [model for model in models.load().models.values() if model.is_language]
    assert len(written()) == len(language) + 1
    listed = written()["models/index"].text()
    for model in language:
        assert pages.address(model) in written()
        assert f'models/{pages.address(model).split("/")[1]}/"' in listed


@pytest.mark.parametrize("name", ["llama-3.1-8b-instruct", "llama-3.3-70b-instruct", "qwen3-235b-a22b"])
def test_the_cards_of_a_page_hold_the_model_and_the_cheapest_comes_first(name: str) -> None:
    context = written()[pages.address(models.load().models[name])].context
    for market, rows in (*context["bought"].items(), *context["rented"].items()):
        costs = [row.cost for row in rows]
        assert costs == sorted(costs)
        assert all(row.quote.market == market for row in rows)
        assert all(row.spare_gib >= 0 for row in rows)
        assert all(row.quote.value is not None for row in rows)


def test_a_model_made_for_a_short_context_is_asked_with_its_own() -> None:
    text = written()[pages.address(models.load().find("tinyllama-1.1b-chat-v1.0"))].text()
    assert "with 2,048 tokens of context" in text
    assert "8,192 tokens of context" not in text
