"""Charts and figures for other people's pages: a frame with one chart, its oEmbed answer, and badges of figures."""

from __future__ import annotations

import json
from collections.abc import Iterator
from textwrap import wrap
from typing import Any

from pipeline.core.templates import template
from pipeline.dataset import Dataset, GpuRecord
from pipeline.derive import metrics
from pipeline.site.charts.base import HUES, OTHER_HUE, WIDE
from pipeline.site.charts.rent_over_time import LinePicture
from pipeline.site.pages import addresses
from pipeline.site.pages.facts import Fact, facts
from pipeline.site.render import Asset

# A frame holds the picture at its full size, its caption above and the line of the source below.
FRAME_WIDTH, FRAME_HEIGHT = WIDE.width, WIDE.height + 110
BADGE_FIGURES = ("memory_gb", "memory_bandwidth_gb_s")
# A letter of the badge's type, in pixels, on average.
LETTER = 6.6
# Of a chart as a file: letters on a line of its title, and in pixels its lines, the row of its legend, its foot.
TITLE_LETTERS, TITLE_PX, LEGEND_PX, KEY_PX, FOOT_PX = 64, 26, 22, 30, 30


def frame_of(chart: dict[str, Any]) -> str:
    """What somebody pastes into a page to show a chart there."""
    context = {"chart": chart, "site": addresses.SITE, "width": FRAME_WIDTH, "height": FRAME_HEIGHT}
    return str(template("embed_frame.html.j2").render(context)).strip()


def answer_of(chart: str) -> str:
    """Where the oEmbed answer of a chart lies, below the site's root."""
    return f"embed/{chart}.json"


def of_chart(chart: dict[str, Any]) -> Iterator[Asset]:
    """The frame's page and the oEmbed answer of one chart."""
    page = template("embed.html.j2").render({"chart": chart, "site": addresses.SITE})
    yield Asset(f"embed/{chart['id']}.html", f"{page}\n")
    answer = {
        "version": "1.0",
        "type": "rich",
        "title": chart["finding"],
        "provider_name": "GPU Almanac",
        "provider_url": addresses.SITE,
        "width": FRAME_WIDTH,
        "height": FRAME_HEIGHT,
        "html": frame_of(chart),
    }
    yield Asset(answer_of(chart["id"]), json.dumps(answer, ensure_ascii=False) + "\n")


def file_of(chart: dict[str, Any]) -> Iterator[Asset]:
    """The wide picture of a chart as a file of its own, with title, legend and source; a table has none."""
    picture = next((one for one in chart.get("pictures", ()) if one.size.name == WIDE.name), None)
    if picture is None:
        return
    title = [{"text": text, "y": TITLE_PX * row} for row, text in enumerate(wrap(chart["finding"], TITLE_LETTERS), 1)]
    rows = [
        [{"text": maker, "maker": maker} for maker in chart.get("vendors", ())],
        [{"text": segment, "path": path} for segment, path in chart.get("shapes", {}).items()],
        [{"text": chart["axis"]}] if "axis" in chart else [],
    ]
    top = TITLE_PX * len(title) + 10
    legend = []
    for row in filter(None, rows):
        top += LEGEND_PX
        x = 22.0
        for key in row:
            legend.append({**key, "x": round(x), "y": top - LEGEND_PX // 2})
            x += KEY_PX + LETTER * len(key["text"])
    context = {
        "chart": chart,
        "picture": picture,
        "lines": isinstance(picture, LinePicture),
        "hues": HUES,
        "other_hue": OTHER_HUE,
        "title": title,
        "legend": legend,
        "top": top,
        "width": picture.size.width,
        "height": top + picture.size.height + FOOT_PX,
        "address": f"{addresses.SITE.removeprefix('https://')}charts/{chart['id']}/",
    }
    yield Asset(f"charts/{chart['id']}.svg", f"{template('chart.svg.j2').render(context)}\n")


def pages(dataset: Dataset) -> Iterator[Asset]:
    """A badge of the memory, the bandwidth and the 16-bit peak of each GPU that states them."""
    for gpu in dataset.gpus.values():
        known = facts(gpu)
        rate = metrics.sixteen_bit(gpu)
        named = {name: name for name in BADGE_FIGURES} | ({"peak": rate.key.field} if rate else {})
        for name, field in named.items():
            if field in known:
                yield Asset(f"badges/{gpu.id}-{name}.svg", badge(gpu, known[field], dataset.newest_reading))


def badge(gpu: GpuRecord, fact: Fact, newest: str) -> str:
    """One figure as a small picture that names the card, the value and, to whoever points at it, the source."""
    label, value = f"{gpu.name} {fact.label}", f"{fact.shown} {fact.unit}".strip()
    split = round(len(label) * LETTER) + 12
    context = {
        "label": label,
        "value": value,
        "split": split,
        "width": split + round(len(value) * LETTER) + 12,
        "source": fact.chosen.source,
        "newest": newest,
    }
    return f"{template('badge.svg.j2').render(context)}\n"
