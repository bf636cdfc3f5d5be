"""A cell of a sheet counts for a field whose figures have its kind of unit."""

from __future__ import annotations

import pytest

from pipeline.tools.sheet import fields, words


@pytest.mark.parametrize("unit", sorted({unit for unit, _ in words.UNITS.values()}))
def test_a_unit_has_the_kind_of_its_spellings(unit: str) -> None:
    kinds = {kind for spelling, kind in words.UNITS.values() if spelling == unit}
    assert {fields._measure(unit)} == kinds


def test_an_unknown_unit_has_no_kind() -> None:
    assert fields._measure("parsec") == ""
