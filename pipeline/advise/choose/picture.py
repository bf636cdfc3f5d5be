"""The picture of an answer: cost a month to the right, speed upwards, both by ratio, every option a point.

The shapes are paths and labels in the units of the view box, so that a template and a script only put them down; the
browser has the same functions, translated (pipeline/site/scripts).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pipeline.advise.choose.answer import Choice, Option
    from pipeline.advise.choose.need import Need

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 360, 240, 44, 12, 14, 30
STEPS, MOST_TICKS = ((1, 2, 3, 5, 7), (1, 2, 5), (1,)), 6
Plain = dict[str, Any]


def picture(pool: Sequence[Option], curve: Sequence[Option], choices: Sequence[Choice], need: Need) -> Plain:
    """The points, the line of those that nothing beats, the ticks, and a mark for each choice."""
    across, up = [o.month for o in pool], [o.rate for o in pool]
    x, y = _scale(across, LEFT, WIDTH - RIGHT), _scale(up, HEIGHT - BOTTOM, TOP)
    sign, unit = need.money.sign, need.rule["unit"]
    return {
        "points": "".join(f"M{x(o.month):.1f} {y(o.rate):.1f}h0" for o in pool),
        "line": "M" + "L".join(f"{x(o.month):.1f} {y(o.rate):.1f}" for o in curve),
        "marks": [
            {
                "id": choice.id,
                "x": f"{x(choice.option.month):.1f}",
                "y": f"{y(choice.option.rate):.1f}",
                "label": str(place + 1),
                "shift": f"{float(f'{y(choice.option.rate):.1f}') + 3.5:.1f}",
            }
            for place, choice in enumerate(choices)
            if not choice.same_as
        ],
        "across": [{"at": f"{x(v):.1f}", "text": f"{sign}{v:,.12g}"} for v in _ticks(across)],
        "up": [{"at": f"{y(v):.1f}", "text": f"{v:,.12g}"} for v in _ticks(up)],
        "across_words": f"cost a month, {sign}",
        "up_words": unit,
    }


def _scale(values: Sequence[float], start: float, end: float) -> Any:  # noqa: ANN401 (a function of one number)
    low, high = _log(min(values)), _log(max(values))
    wide = high - low
    # A little air at both ends, so that no point lies on an axis.
    return lambda value: start + (end - start) * (0.04 + 0.92 * ((_log(value) - low) / wide if wide else 0.5))


def _log(value: float) -> float:
    return math.log(max(value, 0.01))


def _ticks(values: Sequence[float]) -> list[float]:
    """Round numbers between the least and the most: as many steps of a power of ten as leave room for their words."""
    low, high = max(min(values), 0.01), max(values)
    for steps in STEPS:
        tens = [(step, power) for power in range(-2, 10) for step in steps]
        round_ones = [step * 10.0**power if power >= 0 else step / 10.0**-power for step, power in tens]
        found = [value for value in round_ones if low <= value <= high]
        if len(found) <= MOST_TICKS:
            break
    return found
