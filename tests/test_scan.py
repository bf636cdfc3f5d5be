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
        "700 bucks",
        "Seven hundred bucks",
        "300 pounds",
        "1.5 grand",
        "5 seconds",
        "20 minutes",
        "85 °C",
        "16 GT/s",
    ],
)
def test_a_typed_figure_is_found_with_its_line(figure: str) -> None:
    (found,) = typed_figures(f"First line.\nThe card has {figure}, they say.\n")
    assert (found.line, found.figure) == (2, figure.removeprefix("Seven "))


TABLE = "| GPU | Memory, GB |\n| :-- | --: |\n| RTX 4090 | {} |\n"


@pytest.mark.parametrize("cell", ["24", "1,008", "16.5", "about 24", "~24", "12 to 24", "24+", "1.5k"])
def test_a_number_alone_in_a_cell_of_a_table_is_found_though_its_unit_stands_in_the_head(cell: str) -> None:
    (found,) = typed_figures(TABLE.format(cell))
    assert (found.line, found.figure) == (3, cell)


@pytest.mark.parametrize(
    "table",
    [
        TABLE.format('{{ fact("rtx-4090", "memory_gb") }}'),
        TABLE.format("`24`"),
        TABLE.format("–"),
        "| Users | 1 | 16 |\n| :-- | --: | --: |\n",  # the head names the columns
        "| Users | Each |\n| --: | --: |\n| 16 | {{ calc('a', a=x) }} |\n",  # the first cell names the row
    ],
)
def test_a_cell_that_is_bound_or_names_its_row_or_column_is_left_alone(table: str) -> None:
    assert list(typed_figures(table)) == []


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
        "five seconds of film",
        "it takes ten minutes",
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
