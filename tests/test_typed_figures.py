"""Every word that makes a typed number a figure, and every word that makes a ratio one: none is lost from a list."""

from __future__ import annotations

import pytest

from pipeline.editorial.typed_figures import typed_figures, unbound_ratios

WORDS = """
GB GiB MB MiB TB TiB kB gigabyte gigabytes terabytes megabytes kilobytes GB/s TB/s MB/s Gbps TFLOPS TFLOP/s PFLOPS
TOPS W kW kWh watt watts MHz GHz nm mm ms µs token/s tokens/s image/s images/s USD EUR dollar dollars euro euros cent
cents % percent times × x hour hours day days month months year years core cores slot slots billion million trillion

two three four five six seven eight nine ten eleven twelve thirteen fifteen sixteen twenty thirty forty fifty sixty
seventy eighty ninety hundred thousand

speed rate bandwidth memory price rent power cost time performance throughput energy arithmetic weights size peak
tokens heat money watts gigabytes
"""
UNITS, NUMBERS, MEASURES = (block.split() for block in WORDS.split("\n\n"))
PHRASES = ("tokens a second", "tokens per second", "images a second", "images per second", "per cent")
PARTS = (
    "half",
    "a third",
    "a quarter",
    "two fifths",
    "three sixths",
    "one seventh",
    "one eighth",
    "a ninth",
    "a tenth",
)


@pytest.mark.parametrize("unit", [*UNITS, *PHRASES])
def test_a_number_with_a_unit_is_a_figure(unit: str) -> None:
    assert [found.figure for found in typed_figures(f"It is 8 {unit}, they say.")] == [f"8 {unit}"]


@pytest.mark.parametrize("number", NUMBERS)
def test_a_number_in_words_is_a_figure_and_a_factor(number: str) -> None:
    assert [found.figure for found in typed_figures(f"It has {number} cores.")] == [f"{number} cores"]
    assert [found.figure for found in typed_figures(f"It has {number}-one cores.")] == [f"{number}-one cores"]
    assert [found.figure for found in unbound_ratios(f"It is {number} times as fast.")] == [f"{number} times as fast"]
    assert [found.figure for found in unbound_ratios(f"It grew {number}fold.")] == [f"{number}fold"]


@pytest.mark.parametrize("measure", MEASURES)
def test_a_share_of_what_is_measured_is_a_ratio(measure: str) -> None:
    for said in ("twice the", "half of its", "double their", "triples the", "halves the total"):
        assert [found.figure for found in unbound_ratios(f"It has {said} {measure}.")] == [f"{said} {measure}"]


@pytest.mark.parametrize("part", PARTS)
def test_a_part_is_a_ratio_where_something_is_compared(part: str) -> None:
    assert [found.figure for found in unbound_ratios(f"It has {part} of the memory.")] == [f"{part} of the memory"]
    assert list(unbound_ratios(f"It holds {part} of the layers.")) == []
