"""A figure typed into the prose is found; references, code and names of formats are left alone."""

from __future__ import annotations

import pytest

from pipeline.scan import typed_figures


@pytest.mark.parametrize(
    "figure",
    ["24 GB", "1,008 GB/s", "312 TFLOPS", "$1,599", "€ 599", "450 W", "2.5×", "three times", "10 to 100 times", "40%",
     "18 tokens a second", "16,384 cores", "175 billion", "355 years", "7 nm", "1.41 GHz", "800 dollars"],
)  # fmt: skip
def test_a_typed_figure_is_found_with_its_line(figure: str) -> None:
    (found,) = typed_figures(f"First line.\nThe card has {figure}, they say.\n")
    assert (found.line, found.figure) == (2, figure)


@pytest.mark.parametrize(
    "text",
    ['It has {{ fact("rtx-4090", "memory_gb") }}.', '{{ calc("a * 24 GB", a=x) }}', "Use `24 GB` here.",
     "```python\nx = 24  # 24 GB\n```", "a 4-bit model in FP16", "the RTX 4090 and the GTX 1080 Ti",
     "[a page](https://example.org/24 GB)", '<a title="24 GB">it</a>', "---\ntitle: 24 GB\n---\ntext",
     "Version 3.5 of CUDA 12", "Chapter 2", "up to 2026"],
)  # fmt: skip
def test_what_is_no_typed_figure_is_left_alone(text: str) -> None:
    assert list(typed_figures(text)) == []


def test_lines_are_counted_through_references_over_several_lines() -> None:
    (found,) = typed_figures("{{ calc(\n 'a'\n) }}\n\nIt draws 450 W.")
    assert found.line == 5
