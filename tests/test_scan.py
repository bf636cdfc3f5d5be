"""A figure typed into the prose is found; references, code and names of formats are left alone."""

from __future__ import annotations

import pytest

from pipeline.editorial.typed_figures import typed_figures, unbound_ratios


@pytest.mark.parametrize(
    "figure",
    [
        "24 GB",
        "1,008 GB/s",
        "312 TFLOPS",
        "$1,599",
        "€ 599",
        "450 W",
        "2.5×",
        "three times",
        "10 to 100 times",
        "40%",
        "18 tokens a second",
        "16,384 cores",
        "175 billion",
        "355 years",
        "7 nm",
        "1.41 GHz",
        "800 dollars",
        "24 gigabytes",
        "twenty-four gigabytes",
        "10k cores",
        "750-watt",
    ],
)
def test_a_typed_figure_is_found_with_its_line(figure: str) -> None:
    (found,) = typed_figures(f"First line.\nThe card has {figure}, they say.\n")
    assert (found.line, found.figure) == (2, figure)


@pytest.mark.parametrize(
    "text",
    [
        'It has {{ fact("rtx-4090", "memory_gb") }}.',
        '{{ calc("a * 24 GB", a=x) }}',
        "Use `24 GB` here.",
        "```python\nx = 24  # 24 GB\n```",
        "a 4-bit model in FP16",
        "the RTX 4090 and the GTX 1080 Ti",
        "[a page](https://e.org/24 GB)",
        '<a title="24 GB">it</a>',
        "---\ntitle: 24 GB\n---\ntext",
        "Version 3.5 of CUDA 12",
        "Chapter 2",
        "up to 2026",
    ],
)
def test_what_is_no_typed_figure_is_left_alone(text: str) -> None:
    assert list(typed_figures(text)) == []


def test_lines_are_counted_through_references_over_several_lines() -> None:
    (found,) = typed_figures("{{ calc(\n 'a'\n) }}\n\nIt draws 450 W.")
    assert found.line == 5


@pytest.mark.parametrize(
    "ratio",
    [
        "twice as fast",
        "Three times as much",
        "half the price",
        "a third of the memory",
        "doubles the bandwidth",
        "two thirds of its rate",
        "tenfold",
    ],
)
def test_a_ratio_in_words_is_found_unless_its_line_binds_it(ratio: str) -> None:
    (found,) = unbound_ratios(f"First line.\nIt is {ratio}, they say.\n")
    assert (found.line, found.figure) == (2, ratio)
    assert list(unbound_ratios(f'It is {ratio}.{{{{ holds("a > 2 * b", a=1, b=2) }}}}')) == []


@pytest.mark.parametrize(
    "text", ["the first half of the layers", "`half the price`", "cut in half", "half of the users"]
)
def test_what_is_no_ratio_of_a_measure_is_left_alone(text: str) -> None:
    assert list(unbound_ratios(text)) == []
