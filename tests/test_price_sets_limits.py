"""What a cell of a contributed price may hold, at the limit of each rule."""

from __future__ import annotations

import pytest

from pipeline.intake import price_sets

ROW = dict.fromkeys(price_sets.COLUMNS, "") | {
    "kind": "retail", "currency": "USD", "product": "Card", "provider": "Shop", "price": "900", "gpu": "card",
}  # fmt: skip


@pytest.mark.parametrize(
    ("tax", "said"),
    [
        (None, ""), (0, ""), (1, ""), (24, ""), (30, ""), (30.1, "is no sales tax in per cent, 0 to 30"),
        (0.99, "is a share, and no sales tax in per cent; write 99 for 99 %"), (-1, "is no sales tax in per cent"),
        (0.19, "is a share, and no sales tax in per cent; write 19 for 19 %"),
    ],
)  # fmt: skip
def test_a_sales_tax_is_none_or_one_to_thirty_per_cent(tax: float | None, said: str) -> None:
    assert price_sets.wrong_tax(tax).startswith(said)
    assert bool(price_sets.wrong_tax(tax)) is bool(said)


@pytest.mark.parametrize(
    ("country", "right"), [("", True), ("US", True), ("GB", True), ("UK", False), ("us", False), ("USA", False)]
)
def test_a_country_has_two_capital_letters(country: str, right: bool) -> None:
    assert (price_sets.wrong_country(country) == "") is right


@pytest.mark.parametrize(("column", "length", "told"), [("product", 200, 0), ("product", 201, 1), ("provider", 201, 1)])
def test_a_name_has_at_most_two_hundred_letters(column: str, length: int, told: int) -> None:
    found = list(price_sets._wrong_texts(ROW | {column: "x" * length}))
    assert [name for name, _ in found] == [column] * told
    assert all(f"{'x' * 40} …'" in message for _, message in found)


@pytest.mark.parametrize(
    ("column", "text", "wrong"),
    [
        ("price", "0.01", False),
        ("price", "0", True),
        ("price", "-5", True),
        ("price", "1,299", True),
        ("tax", "0", False),
        ("tax", "", False),
        ("gpus", "0", True),
        ("gpus", "8", False),
    ],
)
def test_a_price_and_a_number_of_gpus_lie_above_zero(column: str, text: str, wrong: bool) -> None:
    assert [name for name, _ in price_sets._wrong_numbers(ROW | {column: text})] == [column] * wrong


@pytest.mark.parametrize(
    ("changes", "twice"),
    [
        ({}, [7]),
        ({"note": "x", "locator": "y", "url": "z", "flag": "w"}, [7]),
        ({"product": "B"}, []),
        ({"date": "d"}, []),
    ],
)
def test_a_price_that_stands_again_is_told_at_its_second_line(changes: dict[str, str], twice: list[int]) -> None:
    found = list(price_sets._twice([(2, ROW), (7, ROW | changes)]))
    assert [line for line, _ in found] == twice
    assert all("as in row 2" in message for _, message in found)


@pytest.mark.parametrize(("kind", "wrong"), [("retail", 0), ("retal", 1), ("launch", 1)])
def test_a_kind_is_one_of_the_list(kind: str, wrong: int) -> None:
    assert len(list(price_sets._wrong_words(ROW | {"kind": kind}))) == wrong
    assert len(list(price_sets._wrong_words(ROW | {"kind": kind, "currency": "XXX"}))) == wrong + 1
