"""Whether a text shows its value: rounded, in another unit, between two ends or as a product."""

from __future__ import annotations

from contextlib import nullcontext

import pytest
from pydantic import ValidationError

from pipeline.core import constants
from pipeline.core.documents import meant, page_of, without_comma, wrong_place
from pipeline.core.findings import Finding, stated
from pipeline.core.schema import known_part, whole_day


@pytest.mark.parametrize(
    ("text", "value", "shown"),
    [
        ("384,400 km", 384400, True), ("384,400 km", 384401, False),
        ("about 1.5 million", 1.5e6, True), ("about 1.5 million", 1.54e6, True), ("about 1.5 million", 1.56e6, False),
        ("3 to 5 years", 4, True), ("3 to 5 years", 3, True), ("3 to 5 years", 5, True), ("3 to 5 years", 6, False),
        ("3 and 5 years", 4, False), ("14 min 30 s", 870, True), ("14 min 31 s", 100, False),
        ("16 × 8 × 16", 2048, True), ("16 × 8 × 16", 2049, False),
        ("4.33 × 10^19", 4.33e19, False), ("4.33 · 10¹⁹", 4.33e19, True), ("4.33 · 10¹⁹", 4.34e19, False),
        ("two", 2, True), ("two", 3, False), ("nothing", 2, False),
    ],
)  # fmt: skip
def test_a_text_shows_the_value_to_the_digit_that_it_is_rounded_to(text: str, value: float, shown: bool) -> None:
    assert constants._shows(text, value) is shown


@pytest.mark.parametrize(("most", "sound"), [(295, True), (296, False), (212, False), (211, False)])
def test_the_upper_end_of_a_range_stands_in_its_text_above_the_value(most: float, sound: bool) -> None:
    stated = {"value": 212, "text": "$212 to $295", "source": "a list", "url": "https://a.org/b", "locator": "row 1"}
    with nullcontext() if sound else pytest.raises(ValidationError, match="is not the upper end of"):
        constants.Constant(**stated, read="2026-11-27", most=most, month="2026-09")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("day", "whole", "precision"),
    [
        ("2022-10-12", "2022-10-12", "day"),
        ("2022-10", "2022-10-01", "month"),
        ("2022", "2022-01-01", "year"),
        ("", "", ""),
    ],
)
def test_a_date_is_whole_on_the_first_day_that_it_can_be(day: str, whole: str, precision: str) -> None:
    assert whole_day(day) == (whole, precision)
    assert known_part(whole, precision) == day


@pytest.mark.parametrize(
    ("found", "written"),
    [
        ("1,5", "1.5"), ("1,234", "1234, or 1.234 if the comma stands before the decimals"), ("1,234,567", "1234567"),
        ("1,234.5", "1234.5"), ("0,234", "0.234"), ("12", ""), (1.5, ""), ("a,b", ""),
    ],
)  # fmt: skip
def test_a_number_with_a_comma_is_shown_as_it_is_to_be_written(found: object, written: str) -> None:
    assert without_comma(found) == written


@pytest.mark.parametrize(
    ("word", "said"),
    [("memroy_gb", "; did you mean 'memory_gb'?"), ("MEMORY_GB", "; did you mean 'memory_gb'?"), ("xyz", "")],
)
def test_the_nearest_known_word_is_asked_after(word: str, said: str) -> None:
    assert meant(word, ["memory_gb", "board_power_w"]) == said


@pytest.mark.parametrize(
    ("one", "two", "same"),
    [
        ("https://www.e.org/a/", "http://E.org/a#page=2", True), ("https://e.org/a?x=1", "https://e.org/a", False),
        ("https://e.org/a", "https://e.org/A", False), ("https://e.org/a", "https://f.org/a", False),
    ],
)  # fmt: skip
def test_two_addresses_are_of_one_page_but_for_their_writing(one: str, two: str, same: bool) -> None:
    assert (page_of(one) == page_of(two)) is same


@pytest.mark.parametrize(
    ("locator", "right"), [("page 3", True), ("https://e.org/x", False), ("https://e.org/x, table 2", True)]
)
def test_an_address_is_no_place_in_a_document(locator: str, right: bool) -> None:
    assert (wrong_place(locator) == "") is right


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        ("data/gpus/a.yml:12: wrong", ("data/gpus/a.yml", 12, "wrong")),
        ("data/a.csv row 7: wrong", ("data/a.csv", 7, "wrong")),
        ("docs/guide/a.md: wrong", ("docs/guide/a.md", 0, "wrong")), ("wrong", ("", 0, "wrong")),
    ],
)  # fmt: skip
def test_a_problem_is_found_by_file_and_line(text: str, finding: tuple[str, int, str]) -> None:
    assert stated(text) == Finding(*finding)


@pytest.mark.parametrize(("line", "told"), [(0, ",line=1:"), (1, ",line=1:"), (7, ",line=7:")])
def test_the_host_is_told_a_line_from_one_on(line: int, told: str) -> None:
    assert told in Finding("data/a.yml", line, "wrong").annotation
