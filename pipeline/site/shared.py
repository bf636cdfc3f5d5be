"""The picture that a link to a page shows elsewhere, drawn with the page's own figures.

Services that show one take PNG of 1200 by 630 and no SVG. Text is written in the type that Pillow brings, so that the
picture is the same on every machine; there are no fetched fonts. To draw one takes about 6 ms, so docs/hooks.py keeps
each by what it shows.
"""

from __future__ import annotations

import io
from functools import cache

from PIL import Image, ImageDraw, ImageFont

from pipeline.site.charts.base import HUES, OTHER_HUE
from pipeline.site.render import Shared

FILE = "shared.png"  # beside the page
WIDTH, HEIGHT, MARGIN = 1200, 630, 60
PAPER, INK, HOUSE = (252, 250, 245), (33, 30, 24), (125, 33, 48)
# Shades from paper to ink, then the house's colour and one for each maker.
SHADES = 200
LARGE, SMALLER = (66, 3), (46, 2)  # a title's type in pixels, and its lines at most
MARKS_TOP, DOT_PX = 290, 6
FIGURE_PX, LABEL_PX, SMALL_PX = 50, 27, 28
MOST_FIGURES = 4
FAINT = 0.66  # of the ink
GAP_PX = 26
# The type that Pillow brings has no sign for these.
SPELLED = str.maketrans({"×": "x", "→": "to", "\xa0": " ", "…": "..."})


def picture(shared: Shared) -> bytes:
    """The picture as PNG; the same for the same words."""
    image = _frame(_hue(shared.maker)).copy()
    draw = ImageDraw.Draw(image)
    _title(draw, shared.title, *(SMALLER if shared.marks else LARGE))
    figures = shared.figures[:MOST_FIGURES]
    # They stand side by side, in as many columns as there are; a long one is written smaller.
    column = (WIDTH - 2 * MARGIN) / max(len(figures), 1)
    room = column - GAP_PX
    for at, (label, value) in enumerate(figures):
        left, figure = MARGIN + round(at * column), _spelled(value)
        px = next((px for px in range(FIGURE_PX, LABEL_PX, -2) if draw.textlength(figure, _font(px)) <= room), LABEL_PX)
        draw.rectangle((left, 440, left + room, 442), fill=SHADES - 1)
        draw.text((left, 508), figure, font=_font(px), fill=SHADES - 1, anchor="ls")
        for row, line in enumerate(_wrapped(draw, label, LABEL_PX, room, 2)):
            draw.text((left, 526 + row * LABEL_PX * 1.2), line, font=_font(LABEL_PX), fill=round(SHADES * FAINT))
    for x, y, maker in shared.marks:
        at_x, at_y = MARGIN + x * (WIDTH - 2 * MARGIN), MARKS_TOP + y * (HEIGHT - MARKS_TOP - MARGIN)
        draw.ellipse((at_x - DOT_PX, at_y - DOT_PX, at_x + DOT_PX, at_y + DOT_PX), fill=_hue(maker))
    coloured = Image.frombytes("P", image.size, image.tobytes())
    coloured.putpalette(_palette())
    file = io.BytesIO()
    coloured.save(file, "PNG", compress_level=2)  # a seventh larger than at 4, in half the time
    return file.getvalue()


@cache
def _frame(hue: int) -> Image.Image:
    """The site's name between its rules, and a bar in the maker's hue or the house's; drawn once for all of a maker."""
    image = Image.new("L", (WIDTH, HEIGHT), 0)
    draw = ImageDraw.Draw(image)
    draw.text((MARGIN, 44), "GPU Almanac", font=_font(34), fill=SHADES - 1)
    said = "every figure names its source"
    draw.text((WIDTH - MARGIN, 50), said, font=_font(SMALL_PX), fill=round(SHADES * FAINT), anchor="ra")
    draw.rectangle((MARGIN, 100, WIDTH - MARGIN, 101), fill=SHADES - 1)
    draw.rectangle((MARGIN, 106, WIDTH - MARGIN, 107), fill=SHADES - 1)
    draw.rectangle((0, 0, 17, HEIGHT), fill=hue)
    return image


def _title(draw: ImageDraw.ImageDraw, title: str, px: int, most: int) -> None:
    """The title on as many lines as there is room for."""
    for row, line in enumerate(_wrapped(draw, title, px, WIDTH - 2 * MARGIN, most)):
        draw.text((MARGIN, 150 + row * px * 1.22), line, font=_font(px), fill=SHADES - 1)


def _wrapped(draw: ImageDraw.ImageDraw, text: str, px: int, room: float, most: int) -> list[str]:
    """A text in lines that fit, at most so many; what is longer ends in dots."""
    lines = [""]
    for word in _spelled(text).split():
        longer = f"{lines[-1]} {word}".strip()
        if not lines[-1] or draw.textlength(longer, _font(px)) <= room:
            lines[-1] = longer
        else:
            lines.append(word)
    if len(lines) <= most:
        return lines
    last = lines[most - 1]
    while draw.textlength(f"{last} ...", _font(px)) > room and " " in last:
        last = last.rpartition(" ")[0]
    return [*lines[: most - 1], f"{last} ..."]


def _spelled(text: str) -> str:
    """A text in the characters that the type has."""
    return text.translate(SPELLED)


def _hue(maker: str) -> int:
    """The place of a maker's hue in the palette; without a maker, the house's colour."""
    if not maker:
        return SHADES
    return SHADES + 1 + (list(HUES).index(maker) if maker in HUES else len(HUES))


@cache
def _palette() -> list[int]:
    shades = [
        round(paper + (ink - paper) * shade / (SHADES - 1))
        for shade in range(SHADES)
        for paper, ink in zip(PAPER, INK, strict=True)
    ]
    hues = [int(hue[at : at + 2], 16) for hue in (*HUES.values(), OTHER_HUE) for at in (1, 3, 5)]
    return [*shades, *HOUSE, *hues]


@cache
def _font(px: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(px)
