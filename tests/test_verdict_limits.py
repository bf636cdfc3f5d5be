"""Which of two cards a verdict favours, from where on it calls them even, and what it says of either."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from samples import record, result

from pipeline.advise import verdict
from pipeline.advise.verdict import Use

ONE = record(id="nvidia-one", name="NVIDIA One")
TWO = record(id="nvidia-two", name="NVIDIA Two")


def ran(card: Any, *rows: dict[str, object]) -> Any:
    return replace(card, benchmarks=tuple(result(gpu=card.id, **row) for row in rows))


@pytest.mark.parametrize(
    ("times", "even"), [(1.0, True), (1.0999, True), (1.1, False), (0.9, False), (1 / 1.0999, True), (0.95, True)]
)
def test_less_than_a_tenth_apart_is_even_either_way(times: float, even: bool) -> None:
    assert verdict._even(times) is even
    said = verdict._faster(ONE, TWO, times)
    assert (said == "The two are even") is even


def test_the_faster_card_is_named_with_how_many_times() -> None:
    assert verdict._faster(ONE, TWO, 2.0) == "The Two is 2× as fast"
    assert verdict._faster(ONE, TWO, 0.5) == "The One is 2× as fast"


def test_the_median_of_shared_experiments_counts_and_the_newest_is_the_example() -> None:
    rows = [{"model": name, "value": 100.0} for name in ("a", "b", "c", "d")]
    other = [
        {"model": "a", "value": 110.0, "date": "2026-01"},
        {"model": "b", "value": 200.0, "date": "2026-03"},
        {"model": "c", "value": 150.0, "date": "2026-02"},
        {"model": "e", "value": 900.0, "date": "2026-09"},
    ]
    found = verdict.measured(ran(ONE, *rows), ran(TWO, *other), "training", verdict.TRAINING)
    assert found
    assert (found.times, found.experiments, found.example.model) == (1.5, 3, "b")
    assert found.example.gpu == TWO.id
    back = verdict.measured(ran(TWO, *other), ran(ONE, *rows), "training", verdict.TRAINING)
    assert back
    assert back.times == pytest.approx(1 / 1.5)
    assert verdict.measured(ran(ONE, *rows), ran(TWO, *other), "inference", verdict.TRAINING) is None
    assert verdict.measured(ran(ONE, *rows), ran(TWO, *other), "training", verdict.ANSWERING) is None


def test_one_experiment_and_several_are_told_apart() -> None:
    row = result(model="resnet50", precision="fp16", software="PyTorch 2 (nightly), CUDA 12")
    one, two = verdict.MeasuredSpeedup(2.0, 1, row), verdict.MeasuredSpeedup(2.0, 2, row)
    assert verdict._experiment_words(one) == "measured in the one experiment that both ran: resnet50, fp16, PyTorch 2"
    assert verdict._experiment_words(two) == (
        "measured in 2 experiments that both ran, such as resnet50, fp16, PyTorch 2"
    )


def quote(value: float, held: float | None = None, currency: str = "USD") -> Any:
    return SimpleNamespace(
        value=value, currency=currency, words=f"{value:g} asked", kind_words="in a machine of 64 GB",
        holds=lambda memory: held is None or memory == held,
    )  # fmt: skip


def money(times: float | None, first: float, second: float, way: str = "to buy", currency: str = "USD") -> str:
    prices = (quote(first, currency=currency), quote(second, currency=currency), way)
    return verdict._money(ONE, TWO, Use("Answering", times, ""), prices)


def test_the_card_that_gives_more_for_a_dollar_is_named() -> None:
    assert "a dollar buys 2× the speed on the Two." in money(2.0, 1000, 1000)
    assert "a dollar buys 2× the speed on the One." in money(1.0, 1000, 2000)
    assert "a dollar buys 1.5× the speed on the One." in money(2.0, 1000, 3000)
    assert "a euro buys about the same speed on both" in money(1.5, 1000, 1500, currency="EUR")
    assert "a pound buys about the same" in money(1.5, 1000, 1400, currency="GBP")
    assert "a dollar buys 1.2× the speed on the Two." in money(1.5, 1000, 1250)
    assert "how much speed a dollar buys is not known" in money(None, 1000, 1250)
    assert verdict._money(ONE, TWO, Use("Answering", 2.0, ""), None) == ""


def test_what_both_cost_is_told_by_the_hour_where_they_are_rented() -> None:
    assert money(2.0, 1000, 3000).startswith("$1,000 for the One (1000 asked), $3,000 for the Two (3000 asked): ")
    rented = money(2.0, 1, 3, "to rent")
    assert " an hour for the One (1 asked), " in rented
    assert " an hour for the Two (3 asked): " in rented
    assert " an hour" not in money(2.0, 1000, 3000)


def test_the_other_card_is_worth_it_where_it_is_faster_than_the_better_one() -> None:
    assert money(2.0, 1000, 3000).endswith("The Two is worth it when one card has to be as fast as it can.")
    assert money(0.5, 3000, 1000).endswith("The One is worth it when one card has to be as fast as it can.")
    assert money(0.5, 1000, 1000).endswith("neither memory nor speed is a reason to choose the Two.")


def test_software_is_a_reason_only_between_makers() -> None:
    other = replace(TWO, vendor="AMD")
    assert verdict._worth(ONE, other, 1.0).endswith("when your software runs better on AMD hardware.")
    assert "neither" in verdict._worth(ONE, TWO, 1.0)
    assert "as fast as it can" in verdict._worth(ONE, other, verdict.EVEN)


def test_a_sentence_joins_what_differs_and_what_it_costs() -> None:
    answering = Use("Answering", 2.0, "")
    assert verdict._sentence(ONE, TWO, answering, (quote(1000), quote(1500), "to buy")) == (
        "Beside the One, the Two answers 2× as fast (by bandwidth) and costs 1.5× as much to buy."
    )
    even = Use("Answering", 1.05, "", verdict.MeasuredSpeedup(1.05, 1, result()))
    assert verdict._sentence(ONE, TWO, even, (quote(1000), quote(1050), "to rent")) == (
        "Beside the One, the Two answers as fast (measured) and costs about the same to rent."
    )
    assert verdict._sentence(ONE, TWO, answering, None) == (
        "Beside the One, the Two answers 2× as fast (by bandwidth)."
    )
    none = Use("Answering", None, "")
    assert verdict._sentence(ONE, TWO, none, None).startswith("Too few figures are known of the One and the Two")


def test_the_machine_that_a_price_buys_is_told_where_it_is_another_than_is_compared() -> None:
    assert verdict._of_which(ONE, TWO, quote(1), quote(1)) == ""
    assert verdict._of_which(ONE, TWO, quote(1, held=64), quote(1)) == " (the One in a machine of 64 GB)"
    assert verdict._of_which(ONE, TWO, quote(1, 64), quote(1, 64)) == (
        " (the One in a machine of 64 GB and the Two in a machine of 64 GB)"
    )


def test_parts_are_listed_with_commas_and_one_and() -> None:
    assert verdict._listed(["a"]) == "a"
    assert verdict._listed(["a", "b"]) == "a and b"
    assert verdict._listed(["a", "b", "c"]) == "a, b and c"
