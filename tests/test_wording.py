"""How numbers, prices, days and names are written, at each place where the form changes."""

from __future__ import annotations

import pytest

from pipeline.core import suggest, wording


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"), (None, "–"), ("", "–"), (1234567, "1,234,567"), (1008, "1,008"), (999.4, "999"), (99.95, "100"),
        (99.94, "99.9"), (9.995, "9.99"), (0.04567, "0.0457"), (0.1, "0.1"), (-12.345, "-12.3"), ("24", "24"),
        (100.0, "100"), (10, "10"), (1.5e-7, "0.00000015"),
    ],
)  # fmt: skip
def test_a_number_has_three_digits_and_every_one_before_the_point(value: object, text: str) -> None:
    assert wording.number(value) == text  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("9999", "9999"), ("10000", "10,000"), ("-12345", "-12,345"), ("1234.5", "1,234.5"), ("123.4", "123.4"),
        ("12345.678", "12,345.678"), ("GDDR6X", "GDDR6X"), ("2022-10", "2022-10"), ("1234", "1234"),
    ],
)  # fmt: skip
def test_an_exact_value_keeps_its_digits_thousands_apart_from_five_on(value: str, text: str) -> None:
    assert wording.exact(value) == text


@pytest.mark.parametrize(
    ("share", "digits", "sign", "text"),
    [
        (0.824, 0, "-", "82 %"),
        (0.8249, 1, "-", "82.5 %"),
        (0.82, 1, "-", "82 %"),
        (0.1, 0, "+", "+10 %"),
        (-0.1, 0, "+", "-10 %"),
        (0.004, 0, "-", "0 %"),
    ],
)
def test_a_share_is_told_in_per_cent(share: float, digits: int, sign: str, text: str) -> None:
    assert wording.percent(share, digits, sign).replace("\u00a0", " ") == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (99.99, "$99.99"),
        (99.996, "$100.00"),
        (100, "$100"),
        (1599.5, "$1,600"),
        (972.5, "$973"),
        (0.34, "$0.34"),
        (None, "–"),
    ],
)
def test_a_price_has_cents_below_a_hundred(value: float | None, text: str) -> None:
    assert wording.money(value) == text
    assert wording.dollars(value) == text
    assert wording.money(value, "EUR") == text.replace("$", "€")
    assert wording.money(value, "GBP") == text.replace("$", "£")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("2022-10-02", "2 October 2022"), ("2022-01-31", "31 January 2022"), ("2022-12", "December 2022"),
        ("2022", "2022"), ("", "–"),
    ],
)  # fmt: skip
def test_a_day_is_told_as_far_as_it_is_known(text: str, told: str) -> None:
    assert wording.day(text) == told


@pytest.mark.parametrize(("amount", "told"), [(0, "0 cards"), (1, "1 card"), (2, "2 cards"), (1234, "1,234 cards")])
def test_one_is_told_by_its_noun_and_all_others_by_its_plural(amount: int, told: str) -> None:
    assert wording.count(amount, "card") == told
    assert wording.count(amount, "chassis", "chassis") == told.replace("cards", "chassis").replace("card", "chassis")


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("NVIDIA GeForce RTX 4090", "RTX 4090"), ("AMD Radeon VII", "Radeon VII"),
        ("AMD Radeon RX 7900 XTX", "RX 7900 XTX"),
        ("AMD Instinct MI300X", "MI300X"), ("Intel Arc B580", "Arc B580"), ("Google TPU v5e", "TPU v5e"),
        ("Apple M4 Max", "Apple M4 Max"), ("Amazon Trainium2", "Trainium2"),
    ],
)  # fmt: skip
def test_a_card_is_called_without_its_maker_and_its_line(name: str, short: str) -> None:
    assert wording.short(name) == short


def test_what_else_is_written_everywhere() -> None:
    assert wording.quantity(24, "GB") == "24\u00a0GB"
    assert (wording.quantity(24, ""), wording.quantity(None, "GB"), wording.quantity("", "GB")) == ("24", "–", "–")
    assert wording.quantity(609, "mm2") == "609\u00a0mm²"
    assert (wording.between("a", "b"), wording.between("a", "a")) == ("a to b", "a")
    assert (wording.ratio(1.849), wording.ratio(12.3), wording.ratio(None)) == ("1.8×", "12×", "–")
    assert wording.slug(" RTX 4090 (24 GB) ") == "rtx-4090-24-gb"
    assert (wording.web_address("https://e.org"), wording.web_address("javascript:x")) == ("https://e.org", "#")
    assert wording.cell("a|b\n<i>`c`") == "a\\|b &lt;i>'c'"
    assert wording.plain('<a b="c">\n&') == "‹a b=”c”› ＆"
    assert wording.words("on_demand") == "on demand"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("rtx 4090", ["rtx 4090", "rtx 4080", "rtx 4070"]),
        ("h100", ["h100", "h200", "a100"]),
        ("", ["a100", "gtx", "h100"]),
    ],
)
def test_the_nearest_names_share_most_pairs_of_letters_and_at_a_tie_the_first_by_name_leads(
    text: str, found: list[str]
) -> None:
    names = ["rtx 4090", "rtx 4080", "rtx 4070", "gtx", "h100", "h200", "a100"]
    assert suggest.nearest(text, names)[:1] == found[:1]
    assert len(suggest.nearest(text, names)) == 3
    assert suggest.nearest(text, names, 1) == found[:1]


@pytest.mark.parametrize(
    ("one", "other", "alike"), [("ab", "ab", 1.0), ("ab", "cd", 0.0), ("ab", "ac", 2 / 6), ("aaa", "aa", 6 / 7)]
)
def test_two_names_are_as_alike_as_their_pairs_of_letters(one: str, other: str, alike: float) -> None:
    assert suggest._alike(suggest._pairs(one), suggest._pairs(other)) == pytest.approx(alike)


@pytest.mark.parametrize(
    ("text", "begun"), [("the only one", "The only one"), ("vLLM's table", "vLLM's table"), ("", "")]
)
def test_a_sentence_begins_with_a_capital_but_for_the_name_of_a_program(text: str, begun: str) -> None:
    assert wording.capital(text) == begun
    assert wording.small("Best value") == "best value"
