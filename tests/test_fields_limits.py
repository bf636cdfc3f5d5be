"""How a cell of a sheet becomes a value: ranges of a field, dates either way round, two units, dots and commas."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from pipeline.core.schema import field_of
from pipeline.tools.sheet import drafting, fields, figures, read_csv
from pipeline.tools.sheet.form import SheetError


@pytest.mark.parametrize(
    ("printed", "written"),
    [
        ("10/12/2022", ""),  # either way round
        ("12/13/2022", "2022-12-13"),
        ("13/12/2022", "2022-12-13"),
        ("12/12/2022", "2022-12-12"),
        ("13/13/2022", ""),
        ("02/30/2022", ""),
        ("1/31/2022", "2022-01-31"),
        ("October 12, 2022", "2022-10-12"),
        ("12 Oct 2022", "2022-10-12"),
        ("Oct. 1st, 2022", "2022-10-01"),
        ("March 2022", "2022-03"),
        ("Sept. 2022", "2022-09"),
        ("Q4 2022", "2022"),
        ("Q4'22", "2022"),
        ("2022-10", "2022-10"),
        ("soon", ""),
    ],
)
def test_a_date_is_read_where_day_and_month_are_certain(printed: str, written: str) -> None:
    entry: Any = SimpleNamespace(text=printed)
    (found,) = fields._date(entry, "launch_date", "")
    assert (found[1] if isinstance(found, tuple) else "") == written


@pytest.mark.parametrize("field", ["memory_gb", "board_power_w", "shader_cores"])
def test_a_value_may_lie_at_either_end_of_its_field_and_not_beyond(field: str) -> None:
    spec = field_of(field)
    assert spec.low is not None
    assert spec.high is not None
    for at, beyond in ((spec.low, spec.low * 0.9 - 1), (spec.high, spec.high * 1.1 + 1)):
        assert fields.problem_with(field, f"{at:.6f} {spec.unit}".replace(".000000", "").strip()) == ""
        assert fields.problem_with(field, f"{beyond:.0f} {spec.unit}".strip()) != ""


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("11 in (280 mm)", 1), ("11 in (285 mm)", 1), ("11 in (286 mm)", 2), ("11 in (267 mm)", 2),
        ("280 mm 267 mm", 2),
        ("280 mm", 1),
    ],
)  # fmt: skip
def test_two_figures_that_say_the_same_in_two_units_are_one(text: str, kept: int) -> None:
    reading = fields._one_of_two_units(figures.read(text), "length_mm")
    assert len(reading.figures) == kept
    assert kept != 1 or reading.figures[0].unit == "mm"


@pytest.mark.parametrize(
    ("cells", "unclear"),
    [
        ([("1.979", "GB/s"), ("3.350", "GB/s")], True),
        ([("1.979", "GB/s"), ("3.35", "GB/s")], False),
        ([("1.979", "GB/s"), ("3,350", "GB/s")], False),
        ([("1.979", "GB/s"), ("3,350", "GB/s"), ("450", "W")], False),
        ([("80", "GB"), ("450", "W")], False),
        ([("1.979", "")], False),
    ],
)
def test_dots_may_group_thousands_where_all_look_so_and_no_comma_does(
    cells: list[tuple[str, str]], unclear: bool
) -> None:
    assert figures.dots_are_unclear(cells) is unclear
    assert figures.has_unclear_dot("1.979 and 80", "GB/s")
    assert not figures.has_unclear_dot("1.97 and 80", "GB/s")


@pytest.mark.parametrize(
    ("label", "words", "unit"),
    [
        ("Memory bandwidth (GB/s)", "Memory bandwidth", "GB/s"), ("Power, W", "Power", "W"),
        ("Clock in MHz", "Clock", "MHz"),
        ("Memory", "Memory", ""), ("GB (memory) size", "GB (memory) size", ""),
        ("Peak [TFLOPS] dense", "Peak dense", "TFLOPS"),
    ],
)  # fmt: skip
def test_a_label_is_parted_from_its_unit(label: str, words: str, unit: str) -> None:
    assert figures.unit_in_label(label) == (words, unit)


def test_a_figure_measures_what_its_unit_says() -> None:
    reading = figures.read("80 GB at 3350 GB/s")
    kinds = [figure.measures for figure in reading.figures]
    assert len(set(kinds)) == 2
    assert all(reading.has(kind) for kind in kinds)
    assert not reading.has("power")


@pytest.mark.parametrize(
    ("stated", "printed", "told"),
    [(["24"], "24 GB", False), (["24"], "26.4 GB", False), (["24"], "26.5 GB", True), (["24"], "21.6 GB", False),
     (["24"], "21.5 GB", True), (["24", "48"], "48 GB", False), ([], "48 GB", False)],
)  # fmt: skip
def test_another_memory_than_that_of_the_file_is_told_from_a_tenth_on(
    stated: list[str], printed: str, told: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    claims = [SimpleNamespace(field="memory_gb", value=size) for size in stated]
    monkeypatch.setattr(drafting.gpu_files, "claims", lambda _: claims)
    reading: Any = SimpleNamespace(values=[SimpleNamespace(field="memory_gb", converted=printed)])
    gpu: Any = SimpleNamespace(id="card")
    assert bool(drafting._other_memory(reading, gpu)) is told


@pytest.mark.parametrize(
    ("text", "lines", "cells"),
    [
        ("Memory,80\nPower,700\n", [], [("Memory", 1, 1), ("80", 1, 2), ("Power", 2, 1), ("700", 2, 2)]),
        ("H100\nMemory,80\n", ["H100"], [("Memory", 2, 1), ("80", 2, 2)]),
        ("H100,,x\nMemory,80,90\n", ["H100", "x"], [("Memory", 2, 1), ("80", 2, 2), ("90", 2, 3)]),
        ("H100,x,\nA,80,90\n", [], [("H100", 1, 1), ("x", 1, 2), ("", 1, 3), ("A", 2, 1), ("80", 2, 2), ("90", 2, 3)]),
        ("Memory;80\nPower;1,5\n", [], [("Memory", 1, 1), ("80", 1, 2), ("Power", 2, 1), ("1,5", 2, 2)]),
    ],
)  # fmt: skip
def test_rows_above_the_table_are_lines(text: str, lines: list[str], cells: list[tuple[str, int, int]]) -> None:
    sheet = read_csv.read(text.encode(), "a.csv")
    assert [line.text for line in sheet.lines] == lines
    assert [(cell.text, cell.top, cell.left) for cell in sheet.grids[0].cells] == cells


@pytest.mark.parametrize("data", [b"Memory\nPower\n", b"\xff\xfe\xfa", b"\xe9,1\n"])
def test_what_is_no_table_in_utf_8_is_refused(data: bytes) -> None:
    with pytest.raises(SheetError):
        read_csv.read(data, "a.csv")
    assert read_csv.decoded("\ufeffé".encode("utf-16"), "a.csv").strip("\ufeff") == "é"
