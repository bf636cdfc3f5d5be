"""No cell of a sheet is lost without a line in the list, whatever stands over its column."""

from __future__ import annotations

from datetime import date

import pytest

from pipeline.tools import sheet

URL = "https://www.nvidia.com/en-us/data-center/l4/"


def drafted(text: str) -> sheet.Draft:
    return sheet.draft(text.encode(), "l4.csv", read=date(2026, 11, 20), url=URL)


def test_a_second_column_that_is_called_like_labels_holds_the_values() -> None:
    text = "Specification,Description\nGPU,NVIDIA L4\nGPU Memory,24 GB\nMax Thermal Design Power,72 W\n"
    found = drafted(text)
    assert "value: 24 GB" in found.yaml
    assert "value: 72 W" in found.yaml


# What stands over the third column, in which the figures lie.
HEADS = ("", "Notes", "Remarks", "Unit", "Comment", "Category", "Feature", "Max", "Release 2")


@pytest.mark.parametrize("head", HEADS)
def test_a_figure_under_an_empty_or_another_head_is_drafted_or_listed(head: str) -> None:
    rows = ["GPU Memory,,24 GB", "Memory Bandwidth,300 GB/s,", "FP8 Tensor Core,,485 TFLOPS", "Board Power,,72 W"]
    found = drafted("\n".join((f"Specification,NVIDIA L4,{head}", *rows, "")))
    listed = "\n".join(map(str, found.unplaced))
    for figure in ("24 GB", "485 TFLOPS", "72 W"):
        assert figure in found.yaml or figure in listed, listed


def test_what_only_explains_a_figure_is_not_listed_as_one() -> None:
    text = "Specification,NVIDIA L4,Notes\nGPU Memory,24 GB,GDDR6 at 6.25 GHz\nMax Thermal Design Power,72 W,\n"
    assert not any("holds no values" in str(line) for line in drafted(text).unplaced)


TWO = (
    "<table><tr><th>Specification</th><th>NVIDIA L4</th><th>NVIDIA L40S</th></tr>"
    "<tr><td>GPU Memory</td><td>24 GB</td><td>48 GB</td></tr></table>"
)


@pytest.mark.parametrize(
    "row",
    [
        "<td>Max Thermal Design Power</td><td>72 W</td>",
        "<td>72 W</td><td>350 W</td>",
        "<th>NVIDIA L4</th><th>72 W</th>",
    ],
)
def test_a_table_of_one_row_that_names_no_product_is_listed_and_the_others_are_read(row: str) -> None:
    page = f"<html><body>{TWO}<table><tr>{row}</tr></table></body></html>"
    found = sheet.draft(page.encode(), "l4.html", read=date(2026, 11, 20), url=URL)
    assert "value: 24 GB" in found.yaml
    assert "72 W" not in found.yaml
    assert any("table 2" in str(line) and "72 W" in str(line) for line in found.unplaced), found.unplaced
