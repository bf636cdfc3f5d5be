"""The verdict on a pair: measured ratios over the same experiments, and what a dollar buys."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from samples import committed

from pipeline.advise import verdict
from pipeline.core.wording import short
from pipeline.dataset import Dataset, GpuRecord
from pipeline.derive.prices.quote import quotes
from pipeline.derive.prices.rules import BASIS_WORDS
from pipeline.site.pages.pairs import pages, pairs


@pytest.fixture(scope="module")
def dataset() -> Dataset:
    return committed()


@pytest.fixture
def cards(dataset: Dataset) -> tuple[GpuRecord, GpuRecord]:
    return dataset.gpus["nvidia-geforce-rtx-3090"], dataset.gpus["nvidia-geforce-rtx-4090"]


def test_a_ratio_counts_only_experiments_that_both_cards_ran(cards: tuple[GpuRecord, GpuRecord]) -> None:
    one, two = cards
    found = verdict.measured(one, two, "inference", verdict.ANSWERING)
    assert found
    row = found.example
    assert row in two.benchmarks
    other_set = replace(two, benchmarks=tuple(replace(r, set="another") for r in two.benchmarks))
    assert verdict.measured(one, other_set, "inference", verdict.ANSWERING) is None
    flagged = replace(two, benchmarks=tuple(replace(r, flag="impossible") for r in two.benchmarks))
    assert verdict.measured(one, flagged, "inference", verdict.ANSWERING) is None


def test_where_nobody_measured_both_the_text_says_so(dataset: Dataset, cards: tuple[GpuRecord, GpuRecord]) -> None:
    one, two = cards
    found = verdict.verdict(dataset, one, replace(two, benchmarks=()))
    assert "(by bandwidth)" in found.sentence
    assert "nobody measured both" in found.uses[0].said


@pytest.mark.parametrize(("faster", "said"), [(verdict.EVEN, "as fast as it can"), (1.05, "neither memory nor speed")])
def test_the_dearer_card_is_worth_it_from_the_limit_on(
    cards: tuple[GpuRecord, GpuRecord], faster: float, said: str
) -> None:
    one, two = cards
    assert said in verdict._worth(one, two, faster)


def test_more_memory_is_worth_it_for_models_that_need_it(dataset: Dataset) -> None:
    small, large = dataset.gpus["nvidia-geforce-rtx-4060-ti-8gb"], dataset.gpus["nvidia-geforce-rtx-4060-ti-16gb"]
    assert "needs more than 8\u00a0GB" in verdict._worth(small, large, 1.0)


def test_a_pair_page_opens_with_its_verdict(dataset: Dataset) -> None:
    written = {page.path: page for page in pages(dataset)}
    text = written["compare/rtx-4090-vs-rtx-5090"].text()
    assert "For the money" in text
    assert "Beside the RTX 4090, the RTX 5090" in text
    assert len(written) > 150


def test_every_pair_page_has_a_sentence_without_an_impossible_ratio(dataset: Dataset) -> None:
    for pair in pairs(dataset):
        found = verdict.verdict(dataset, pair.one, pair.two)
        assert found.sentence.endswith(".")
        for use in found.uses:
            assert use.times
            assert 0.02 < use.times < 50, (pair.title, use)


def test_sram_of_a_chip_is_not_compared_with_memory_that_holds_a_model(dataset: Dataset) -> None:
    card, chip = dataset.gpus["nvidia-b200"], dataset.gpus["nvidia-groq-3-lpu"]
    assert {use.name for use in verdict.verdict(dataset, card, chip).uses} <= {"Training"}
    assert "memory" not in verdict.verdict(dataset, card, chip).sentence


def test_a_pair_page_marks_each_price_with_the_cautions_of_its_quote(dataset: Dataset) -> None:
    seen = set()
    for page in list(pages(dataset))[:-1]:
        text = page.text()
        rows = {
            "To buy, now": page.context["buy"],
            "To rent, an hour": page.context["rent"],
        }
        for head, cards in rows.items():
            row = text.partition(f'<th scope="row">{head}</th>')[2].partition("</tr>")[0]
            for cell, by_market in zip(row.split('<td class="n">')[1:], cards, strict=True):
                for market, q in by_market.items():
                    said = cell.rpartition(f'ga-market--{market}">')[2].partition('<span class="ga-market ')[0]
                    # What its basis says stands once, in words.
                    told = {q.alone, BASIS_WORDS["floor"]}
                    wanted = [one for one in q.cautions if one not in told] if q.value is not None else []
                    assert (BASIS_WORDS["floor"] in said) == (q.value is not None and q.begins), page.path
                    assert re.findall(r'<span class="ga-flag"[^>]*>([^<]*)</span>', said) == wanted, page.path
                    seen |= set(wanted)
    assert {"ageing"} <= seen


def test_a_verdict_without_money_says_of_which_card_no_price_is_known(dataset: Dataset) -> None:
    book, without = quotes(dataset), 0
    for pair in pairs(dataset):
        money = verdict.verdict(dataset, pair.one, pair.two).money
        if re.search(r"\$\d", money):
            continue
        without += 1
        for gpu in (pair.one, pair.two):
            priced = book.to_buy(gpu.id).value is not None or book.to_rent(gpu.id).value is not None
            assert priced or f"the {short(gpu.name)}" in money, (pair.title, money)
        assert money.endswith(("to rent.", "both now.")), (pair.title, money)
    assert without
    text = next(page.text() for page in pages(dataset) if "no source of ours states what" in page.text())
    assert "For the money" in text
