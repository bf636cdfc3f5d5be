"""The first page: its sentence is a question that the chooser understands, and what moved follows from dated rows."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from pipeline import moves
from pipeline.choose import parse
from pipeline.choose.need import checked
from pipeline.choose.shelf import shelf
from pipeline.dataset import Dataset, GpuRecord, Row
from pipeline.pages import home

RTX_4090, RTX_3090 = "nvidia-geforce-rtx-4090", "nvidia-geforce-rtx-3090"


@cache
def real() -> Dataset:
    return Dataset.load()


def price(usd: float, date: str, **changes: str) -> Row:
    return {
        "kind": "used", "usd_per_unit": str(usd), "date": date, "flag": "", "source": "an-index", "provider": "eBay",
        "currency": "USD", **changes,
    }  # fmt: skip


def with_gpus(*gpus: GpuRecord) -> Dataset:
    return replace(real(), gpus={gpu.id: gpu for gpu in gpus})


def card(gpu: str = RTX_4090, **changes: object) -> GpuRecord:
    return replace(real().gpus[gpu], **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize("task", [task for task, _ in home.TASKS])
@pytest.mark.parametrize("model", [model for model, _ in home.MODELS])
def test_every_sentence_of_the_form_is_a_question_that_the_chooser_understands(task: str, model: str) -> None:
    need = parse({"task": task, "model": model, "budget_usd": str(home.BUDGET_USD)})
    assert checked(need, shelf(real()).registry, real()).model == model


def test_the_page_holds_the_doors_the_picks_and_what_moved() -> None:
    (page,) = home.pages(real())
    text = page.text()
    assert 'action="./choose/"' in text
    assert all(f'name="{name}"' in text for name in ("task", "model", "budget_usd", "card", "a", "b"))
    moved = moves.price_moves(real())[0]
    assert f"{moved.usd:,.0f}" in text
    assert text.count('href="./guide/picks/#') == len(page.context["lines"])
    assert text.index('id="choose"') < text.index('id="picks"') < text.index('id="moved"') < text.index("<svg")


def test_a_price_moves_between_the_two_newest_days_of_one_seller() -> None:
    rows = (
        price(900, "2026-07"), price(1000, "2026-08"), price(1200, "2026-09"), price(1400, "2026-09"),
        price(9999, "2026-10", provider="elsewhere"), price(1, "2026-10", flag="doubtful"),
    )  # fmt: skip
    (move,) = moves.price_moves(with_gpus(card(prices=rows)))
    assert (move.before, move.usd_before, move.day, move.usd) == ("2026-08", 1000, "2026-09", 1300)
    assert move.percent == pytest.approx(30)


def test_an_old_price_does_not_move_and_the_largest_change_comes_first() -> None:
    old = card(RTX_3090, prices=(price(900, "2022-07"), price(1000, "2022-08")))
    small = card(prices=(price(100, "2026-08"), price(110, "2026-09")))
    assert moves.price_moves(with_gpus(old)) == []
    halved = card(RTX_3090, prices=(price(900, "2026-08"), price(450, "2026-09")))
    assert [move.gpu.id for move in moves.price_moves(with_gpus(small, halved))] == [RTX_3090, RTX_4090]


def test_a_new_card_was_launched_in_the_year_before_the_newest_reading() -> None:
    def launched(day: str) -> Dataset:
        return with_gpus(card(row={**card().row, "launch_date": day}))

    year = int(real().newest_reading[:4])
    assert [gpu.id for gpu in moves.new_cards(launched(f"{year}-01-30"))] == [RTX_4090]
    assert moves.new_cards(launched(f"{year - 2}-01-30")) == []
    assert moves.new_cards(launched(f"{year + 1}-01-30")) == []
    assert moves.new_cards(launched(str(year))) == []
    announced = card(row={**card().row, "launch_date": f"{year}-01-30", "status": "announced"})
    assert moves.new_cards(with_gpus(announced)) == []


def test_a_corrected_figure_is_one_that_a_source_states_and_we_do_not_show() -> None:
    for one in moves.corrected(real()):
        assert one.stated != one.chosen
        assert one.reason
    gaps = [one.gap for one in moves.corrected(real())]
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[0] > 2
