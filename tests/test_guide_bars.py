"""What a picture of a chapter holds at most and at least, and on which side a name stands."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from pipeline.editorial import pictures


def figure(number: float) -> Any:
    return SimpleNamespace(number=number, shown=f"{number:g}")


def test_a_limit_s_name_stands_on_the_side_that_has_room() -> None:
    limits = [("half", figure(50)), ("more", figure(51))]
    made = pictures.bars([("row", [figure(100)], "100")], ["part"], limits, False)
    assert [limit.anchor for limit in made.limits] == ["start", "end"]


def test_parts_have_a_key_from_two_on() -> None:
    one = pictures.bars([("row", [figure(1)], "1")], ["part"], [], False)
    two = pictures.bars([("row", [figure(1), figure(2)], "3")], ["part", "other"], [], False)
    assert (len(one.keys), len(two.keys)) == (0, 2)
    with pytest.raises(pictures.PictureError):
        pictures.bars([("row", [figure(1), figure(2)], "3")], ["part"], [], False)
    with pytest.raises(pictures.PictureError):
        pictures.bars([("row", [figure(0)], "0")], ["part"], [], True)


@pytest.mark.parametrize(("processors", "tiles", "drawn"), [(2000, 1, True), (2001, 1, False), (10, 0, False)])
def test_waves_hold_as_many_processors_as_can_be_drawn(processors: int, tiles: int, drawn: bool) -> None:
    if drawn:
        assert len(pictures.waves([("case", tiles)], processors).waves) == 1
    else:
        with pytest.raises(pictures.PictureError):
            pictures.waves([("case", tiles)], processors)


@pytest.mark.parametrize(
    ("xs", "log", "drawn"), [((0, 1), False, True), ((1, 2), True, True), ((1,), False, False), ((0, 1), True, False)]
)
def test_a_curve_needs_two_places_and_positive_ones_by_ratio(xs: tuple[float, ...], log: bool, drawn: bool) -> None:
    lines = [("c", [(x, figure(1)) for x in xs])]
    if drawn:
        assert pictures.curve(lines, "x", "y", log)
    else:
        with pytest.raises(pictures.PictureError):
            pictures.curve(lines, "x", "y", log)
