"""Pictures of the guide: where each mark stands follows from the bound figures, and what cannot be drawn is named."""

from __future__ import annotations

import html
import itertools
import re
from dataclasses import dataclass

import pytest
from samples import committed

from pipeline.editorial import pictures
from pipeline.editorial.pictures import PictureError


@dataclass(frozen=True)
class Shown:
    number: float
    shown: str = ""


def test_a_bar_is_as_long_as_its_figure_and_its_parts_follow_one_another() -> None:
    made = pictures.bars(
        [("one", [Shown(30), Shown(10)], "40"), ("two", [Shown(80)], "80")], ["a", "b"], [("limit", Shown(20))], False
    )
    one, two = made.bars
    first, second = one.segments
    assert first.width == pytest.approx(3 * second.width, abs=0.2)
    assert second.x == pytest.approx(first.x + first.width, abs=0.2)
    assert two.segments[0].width == pytest.approx(pictures.WIDTH - 8)
    assert made.limits[0].x == pytest.approx(1 + (pictures.WIDTH - 8) / 4, abs=0.2)


def test_on_a_logarithmic_scale_each_factor_of_ten_has_the_same_length() -> None:
    rows = [(str(n), [Shown(n)], "") for n in (1000.0, 100.0, 10.0, 1.0)]
    lengths = [bar.segments[0].width for bar in pictures.bars(rows, [], [], True).bars]
    steps = [a - b for a, b in itertools.pairwise(lengths)]
    assert steps == pytest.approx([steps[0]] * 3, abs=0.3)
    assert lengths[-1] > 0


def test_a_curve_starts_at_zero_and_its_ticks_are_round() -> None:
    made = pictures.curve([("line", [(1, Shown(70.0)), (2, Shown(0.0)), (4, Shown(35.0))])], "x", "y", True)
    assert [tick.name for tick in made.y_ticks] == ["0", "20", "40", "60", "80"]
    assert [tick.at for tick in made.y_ticks] == [
        pytest.approx(made.bottom - (made.bottom - made.top) * n / 4, abs=0.1) for n in range(5)
    ]
    assert [tick.name for tick in made.x_ticks] == ["1", "2", "4"]
    first, second, third = made.lines[0].dots
    assert second.y == made.bottom
    assert second.x - first.x == pytest.approx(third.x - second.x, abs=0.2)
    assert first.y == pytest.approx(made.bottom - (made.bottom - made.top) * 70 / 80, abs=0.2)


def test_names_of_curves_that_end_together_stand_on_either_side_of_the_steepest_stretch() -> None:
    over = [(1, Shown(50.0)), (2, Shown(90.0)), (3, Shown(100.0))]
    under = [(1, Shown(20.0)), (2, Shown(85.0)), (3, Shown(100.0))]
    one, two = pictures.curve([("one", over), ("two", under)], "x", "y", False).lines
    assert abs(one.y - two.y) > 16
    assert (one.x, one.anchor) == (pytest.approx(one.dots[1].x - 8), "end")
    assert (two.x, two.anchor) == (pytest.approx(two.dots[0].x + 8), "start")
    (alone,) = pictures.curve([("one", over)], "x", "y", False).lines
    assert (alone.x, alone.anchor) == (alone.dots[-1].x, "end")


def test_a_lane_keeps_the_proportions_of_its_times() -> None:
    made = pictures.time_line([("a", [(0, 10, 0), (10, 30, 1)]), ("b", [(20, 20, 1)])], ["p", "d"], "40 ms")
    first, second = made.lanes[0].spans
    assert (second.width + 1) / (first.width + 1) == pytest.approx(3, abs=0.01)
    assert made.lanes[1].spans[0].x == pytest.approx(1 + (pictures.WIDTH - 4) / 2, abs=0.1)


@pytest.mark.parametrize(
    ("tiles", "busy", "words"),
    [(64, 64, "64 tiles, wave 1 of 1"), (108, 108, "wave 1 of 1"), (121, 13, "wave 2 of 2"), (1024, 52, "10 of 10")],
)
def test_the_last_wave_holds_the_tiles_that_are_left(tiles: int, busy: int, words: str) -> None:
    (wave,) = pictures.waves([("case", tiles)], 108).waves
    assert (wave.busy.count("z"), wave.idle.count("z")) == (busy, 108 - busy)
    assert words in wave.name


@pytest.mark.parametrize(
    "draw",
    [
        lambda: pictures.bars([], [], [], False),
        lambda: pictures.bars([("a", [Shown(1), Shown(2)], "")], ["one"], [], False),
        lambda: pictures.bars([("a", [Shown(0)], "")], [], [], True),
        lambda: pictures.curve([("a", [(1, Shown(1))])], "x", "y", False),
        lambda: pictures.curve([("a", [(0, Shown(1)), (1, Shown(1))])], "x", "y", True),
        lambda: pictures.waves([("a", 0)], 108),
    ],
)
def test_what_cannot_be_drawn_is_named(draw: object) -> None:
    with pytest.raises(PictureError):
        draw()  # type: ignore[operator]


def test_the_decision_path_ends_at_every_question_of_the_picks_and_the_chooser_understands_it() -> None:
    from urllib.parse import parse_qsl, urlsplit

    from pipeline.advise.choose import parse
    from pipeline.advise.picks import QUESTIONS
    from pipeline.editorial import guide
    from pipeline.editorial.prose import BRANCHES

    assert {task for tasks, _, _ in BRANCHES for task in tasks} == {one.asked["task"] for one in QUESTIONS}
    prose = guide.prose_of(committed(), frozenset())
    made = prose.render('{{ decision("Where to") }}', "index.md", "../")
    links = [html.unescape(link) for link in re.findall(r'href="([^"]+)"', made)]
    assert sorted(links) == sorted(f"../{one.address}" for one in QUESTIONS)
    for link in links:
        parse(dict(parse_qsl(urlsplit(link).query)))


def test_a_branch_without_an_end_is_named() -> None:
    with pytest.raises(PictureError):
        pictures.decision([("Run it", "memory", [])])
