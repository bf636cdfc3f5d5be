"""What a comparison says of its cards: from made-up records, at both sides of every limit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pytest

from pipeline.advise import comparison

MARKET = "us"
NOTHING = {"value": None}


def card(name: str, prices: Mapping[str, Mapping[str, Any]] | None = None, **figures: float | str) -> dict[str, Any]:
    """A card's record as gpus/<id>.json has it, with these figures and prices only."""
    kinds = dict.fromkeys(comparison.KINDS, NOTHING) | dict(prices or {})
    return {
        "id": name.lower().replace(" ", "-"),
        "name": f"NVIDIA {name}",
        "vendor": "NVIDIA",
        "figures": {
            field.replace("__", ":"): {
                "value": f"{value}",
                "shown": f"{value} shown",
                "anchor": f"claim-{field}",
                "source": "sheet",
                "kind": "vendor",
                "retrieved": "2026-11-01",
            }
            for field, value in figures.items()
        },
        "prices": {MARKET: {**kinds, "to_rent": "rent", "currency": "USD"}},
    }


def price(value: float, *doubts: str) -> dict[str, Any]:
    said = {"configuration": "", "cautions": [], "day": "2026-11-20", "who": "a shop"}
    return {"value": value, "doubts": list(doubts), **said}


def experiment(label: str, gpus: int = 1, **rows: float) -> dict[str, Any]:
    """An experiment of a set of the same first word; `rows`: place of a card → its result."""
    return {
        "label": label,
        "set": label.partition(" ")[0],
        "model": label,
        "metric": "speed",
        "precision": "fp16",
        "batch": "",
        "gpus": gpus,
        "higher": True,
        "rows": [[int(place[1:]), value, "2026-01"] for place, value in rows.items()],
    }


def said(work: str, *records: dict[str, Any]) -> str:
    return {one["work"]: one["said"] for one in comparison.meanings(records)}[work]


@pytest.mark.parametrize(
    ("one", "other", "sentence"),
    [
        (1099, 1000, "the A and the B are even."),
        (1100, 1000, "the A is up to 1.1× as fast as the B."),
        (1000, 2500, "the B is up to 2.5× as fast as the A."),
    ],
)
def test_two_cards_are_even_below_a_tenth_of_bandwidth(one: float, other: float, sentence: str) -> None:
    records = [card("A", memory_bandwidth_gb_s=one), card("B", memory_bandwidth_gb_s=other)]
    assert said("Inference, one user", *records).endswith(sentence)


def test_a_card_without_the_figure_is_named_and_two_with_it_are_needed() -> None:
    known = [card("A", memory_bandwidth_gb_s=1000), card("B", memory_bandwidth_gb_s=500)]
    assert said("Inference, one user", *known, card("C")).endswith(" Not known of the C.")
    assert said("Inference, one user", known[0], card("C")).startswith("Too few of these cards")
    assert said("Fine-tuning", card("A", memory_gb=24), card("B")).startswith("Too few of these cards")


def test_memories_are_listed_from_the_largest_and_compared_with_the_next() -> None:
    records = [card("A", memory_gb=24), card("B", memory_gb=80), card("C", memory_gb=24)]
    assert "80 GB on the B, 24 GB on the A, 24 GB on the C. The B holds" in said("Fine-tuning", *records)
    assert "3.3× as large as the next" in said("Fine-tuning", *records)
    two, three = (records[0], records[2]), (records[0], records[2], card("D", memory_gb=24))
    assert said("Fine-tuning", *two).endswith("with 24 GB each, both hold models of the same size.")
    assert said("Fine-tuning", *three).endswith("with 24 GB each, all 3 hold models of the same size.")
    assert "The first two hold models of the same size." in said("Fine-tuning", *two, card("E", memory_gb=12))


def test_the_16_bit_formats_are_named_only_where_the_cards_differ_in_them() -> None:
    bf16 = [card(name, peak__bf16__fp32__dense__tensor=value) for name, value in (("A", 100), ("B", 200))]
    fp16 = card("C", peak__fp16__fp32__dense__tensor=50)
    assert "(" not in said("Training", *bf16)
    assert "(BF16 on the B, FP16 on the C)" in said("Training", bf16[1], fp16)
    assert said("Training", *bf16, card("D")).endswith(
        "No source states a dense 16-bit matrix peak of the D, so nothing is said of it."
    )


@pytest.mark.parametrize(("one", "other", "told"), [(1049, 1000, "5 %"), (1050, 1000, "1.1×"), (80, 24, "3.3×")])
def test_a_lead_is_told_in_per_cent_where_a_ratio_would_read_one(one: float, other: float, told: str) -> None:
    assert comparison.lead(one, other) == comparison.lead(other, one) == told


def leads(better: str, *values: float | None) -> list[str]:
    cells = [
        None if value is None else {"number": value, "text": "", "note": "", "href": "", "when": "", "kind": ""}
        for value in values
    ]
    row = {"group": "g", "label": "", "better": better, "cells": cells}
    return [cell.get("lead", "none") for cell in comparison._shown(row, "", MARKET)]


def test_the_best_cell_leads_the_next_best_and_equal_ones_lead_nothing() -> None:
    assert leads("higher", 10, 30, 20, None) == ["", "1.5× more", "", "none"]
    assert leads("lower", 10, 30, 20) == ["2× less", "", ""]
    assert leads("higher", 30, 30, 20) == ["", "", ""]
    assert leads("", 10, 30) == leads("higher", 10, None)[:1] * 2 == ["", ""]


def kept(experiments: Iterable[dict[str, Any]], cards: str = "ab") -> list[str]:
    records = [card(name) for name in cards]
    return [row["label"] for row in comparison.measured(records, {"ids": list("abc"), "experiments": experiments})]


def test_an_experiment_is_shown_from_two_cards_on_those_of_more_cards_and_fewer_gpus_first() -> None:
    some = [
        experiment("x one", p0=1.0),
        experiment("y eight", gpus=8, p0=1.0, p1=2.0),
        experiment("z two", p0=1.0, p1=2.0),
        experiment("w three", p0=1.0, p1=2.0, p2=3.0),
    ]
    assert kept(some) == ["w three", "z two", "y eight"]
    assert kept(some, "abc") == ["w three", "z two", "y eight"]
    assert kept(some, "ad") == []


def test_at_most_eight_experiments_are_shown_two_of_one_set_and_each_work_once() -> None:
    many = [experiment(f"set{n // 3} {n}", p0=1.0, p1=2.0) for n in range(30)]
    assert kept(many) == [f"set{n // 3} {n}" for n in (0, 1, 3, 4, 6, 7, 9, 10)]
    assert kept([experiment("x one", p0=1.0, p1=2.0)] * 2) == ["x one"]


def test_a_doubtful_price_is_shown_but_leads_nothing_and_bars_are_in_the_market_s_currency() -> None:
    one = card("A", {"new": price(1000), "rent": price(2.0), "marketplace": price(0.5)})
    two = card("B", {"new": price(500, "far below the others"), "rent": price(1.0)})
    rows = [{"group": "first", "field": "memory_gb", "label": "Memory", "unit": "GB", "better": "higher"}]
    found = comparison.compared([one, two], rows, {"ids": [], "experiments": []}, MARKET, "/")
    (prices,) = found["groups"]
    new = next(row for row in prices["rows"] if row["label"] == "New, USD")
    assert [(cell["text"], cell["lead"]) for cell in new["cells"]] == [("1,000", ""), ("500", "")]
    (rent,) = found["bars"]
    assert rent["label"] == "Rent on demand, median, USD an hour"
    assert [(line["shown"], line["width"]) for line in rent["lines"]] == [("2", "100.0"), ("1", "50.0")]


def test_a_bar_never_draws_the_rent_of_a_marketplace_as_that_of_a_provider() -> None:
    both = {"rent": price(0.61), "marketplace": price(0.34)}, {"rent": price(0.5), "marketplace": price(0.18)}
    bars = comparison.bars([card("A", both[0]), card("B", both[1])], MARKET)
    assert [(bar["label"], [line["shown"] for line in bar["lines"]]) for bar in bars] == [
        ("Rent on demand, median, USD an hour", ["0.61", "0.5"]),
        ("Rent on a marketplace, USD an hour", ["0.34", "0.18"]),
    ]


def test_the_price_of_a_machine_says_which_one_it_buys() -> None:
    machine = {**price(5499), "configuration": "96 GB machine"}
    rows = [{"group": "first", "field": "memory_gb", "label": "Memory", "unit": "GB", "better": "higher"}]
    found = comparison.compared([card("A", {"system": machine})], rows, {"ids": [], "experiments": []}, MARKET, "/")
    cells = [cell for group in found["groups"] for row in group["rows"] for cell in row["cells"] if cell.get("kind")]
    assert [cell["when"] for cell in cells] == ["96 GB machine, 2026-11"]


def test_the_table_to_save_holds_each_figure_with_its_day_and_source() -> None:
    one, two = card("A", {"new": price(1000)}, memory_gb=24), card("B", launch_date="2022-10-12")
    rows = [
        {"group": "first", "field": name, "label": name, "unit": "", "better": ""}
        for name in ("memory_gb", "launch_date")
    ]
    found = comparison.compared([one, two], rows, {"ids": [], "experiments": []}, MARKET, "/")
    assert found["saved"] == [
        ["Group", "Figure", *(f"NVIDIA {name}{column}" for name in "AB" for column in ("", ", date", ", source"))],
        ["first", "memory_gb", "24", "", "sheet (vendor), read 2026-11-01", "", "", ""],
        ["first", "launch_date", "", "", "", "2022-10-12", "", "sheet (vendor), read 2026-11-01"],
        [comparison.PRICES, "New, USD", "1000", "2026-11", "a shop", "", "", ""],
    ]  # fmt: skip
