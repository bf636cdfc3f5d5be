"""Where in a chapter a figure counts as typed: in prose and in the cells of a table, but in no code or reference."""

from __future__ import annotations

import pytest

from pipeline.editorial.typed_figures import typed_figures, unbound_ratios


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It has 24 GB.", [(1, "24 GB")]),
        ("one\n\nIt has 24 GB and 450 W.", [(3, "24 GB"), (3, "450 W")]),
        ("---\ntitle: 24 GB\n---\nIt has 8 GB.", [(4, "8 GB")]),
        ("```\n24 GB\n```\n8 GB", [(4, "8 GB")]),
        ("`24 GB` {{ fact('24 GB') }} <b title='24 GB'> [a](24 GB) https://e.org/24 GB", []),
        ("24-bit colour, FP16, v1.24 GBase", []),
        ("$1,599 or 5 seconds or five seconds", [(1, "$1,599"), (1, "5 seconds")]),
    ],
)  # fmt: skip
def test_a_figure_is_found_in_prose_with_its_line(text: str, found: list[tuple[int, str]]) -> None:
    assert [(one.line, one.figure) for one in typed_figures(text)] == found


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        ("| 16 users | 24 |", [(3, "24")]),  # the first cell names the row
        ("| 16 | 24 |", [(3, "24")]),  # also by a number alone
        ("| a | 24 | b | 1,000 |", [(3, "24"), (3, "1,000")]),
        ("| a | about 24 | ~8 | 5k | 8+ | 3 to 5 |", [(3, "about 24"), (3, "~8"), (3, "5k"), (3, "8+"), (3, "3 to 5")]),
        ("| a | 24x7 | {{ fact() }} | `24` |", []),
        ("| a | 24", [(3, "24")]),
    ],
)
def test_a_cell_that_is_a_number_is_a_figure_and_the_head_of_a_table_is_none(
    rows: str, found: list[tuple[int, str]]
) -> None:
    text = f"| head | 2024 |\n|---|---|\n{rows}\n"
    assert [(one.line, one.figure) for one in typed_figures(text)] == found


@pytest.mark.parametrize(
    ("line", "bound"),
    [
        ("It is twice as fast.", False), ("It is twice as fast {{ holds('a > b') }}.", True),
        ("{{ calc('a / b') }}: twice as fast", True), ("It holds half of the memory.", False),
        ("half of the layers", True),
    ],
)  # fmt: skip
def test_a_ratio_in_words_is_bound_on_its_own_line(line: str, bound: bool) -> None:
    assert (not list(unbound_ratios(f"{{{{ calc('x') }}}}\n{line}\n"))) is bound
    assert [one.line for one in unbound_ratios(f"one\n{line}\n")] == [2] * (not bound)
