"""What a link shows elsewhere: a picture with the page's own figures, and what search engines are told."""

from __future__ import annotations

import io
import json
from functools import cache

import pytest
from PIL import Image, ImageDraw
from samples import committed

from pipeline.site import shared
from pipeline.site.pages import addresses, charts, gpu, home, machines, models, pairs, picks
from pipeline.site.render import Page, Shared

PAGES = (home.pages, gpu.pages, pairs.pages, charts.pages, models.pages, picks.pages)


@cache
def pages() -> tuple[Page, ...]:
    dataset = committed()
    return tuple(file for make in PAGES for file in make(dataset) if isinstance(file, Page))


def page(path: str) -> Page:
    return next(page for page in pages() if page.path == path)


def told(page: Page) -> Shared:
    assert page.shared is not None
    return page.shared


def drawn(told: Shared) -> Image.Image:
    return Image.open(io.BytesIO(shared.picture(told)))


def colours(image: Image.Image) -> set[tuple[int, ...]]:
    found = image.convert("RGB").getcolors(image.width * image.height) or []
    return {colour for _, colour in found if isinstance(colour, tuple)}


def test_a_picture_is_as_services_want_it_and_the_same_each_time() -> None:
    card = told(page("gpus/nvidia-geforce-rtx-4090"))
    image = drawn(card)
    assert (image.format, image.size) == ("PNG", (1200, 630))
    assert shared.picture(card) == shared.picture(card)
    assert len(shared.picture(card)) < 60_000


def test_a_picture_changes_with_its_figures_and_wears_its_maker_s_hue() -> None:
    card = told(page("gpus/amd-instinct-mi300x"))
    other = Shared(card.title, (*card.figures[1:], ("Memory", "193 GB")), card.maker)
    assert shared.picture(card) != shared.picture(other)
    assert (0xD1, 0x48, 0x0B) in colours(drawn(card))
    assert shared.HOUSE in colours(drawn(Shared("no maker")))


def test_a_card_shows_its_own_figures_and_a_pair_its_ratios() -> None:
    figures = dict(told(page("gpus/nvidia-geforce-rtx-4090")).figures)
    assert figures["Memory"] == "24 GB"
    assert figures["Bandwidth"] == "1,008 GB/s"
    assert any(value.startswith("$") for value in figures.values())
    assert {label.split(":")[0] for label, _ in told(page("compare/rtx-3090-vs-rtx-4090")).figures} >= {"Memory"}


def test_a_chart_s_picture_holds_all_its_points_inside_the_frame() -> None:
    chart = page("charts/memory-bandwidth")
    marks = told(chart).marks
    assert len(marks) == len(chart.context["points"])
    assert all(0 <= x <= 1 and 0 <= y <= 1 for x, y, _ in marks)


def test_no_line_of_a_title_runs_past_the_frame() -> None:
    draw = ImageDraw.Draw(Image.new("L", (shared.WIDTH, shared.HEIGHT)))
    room = shared.WIDTH - 2 * shared.MARGIN
    for page in (page for page in pages() if page.shared):
        px, most = shared.SMALLER if told(page).marks else shared.LARGE
        lines = shared._wrapped(draw, told(page).title, px, room, most)
        assert len(lines) <= most, page.path
        assert max(draw.textlength(line, shared._font(px)) for line in lines) <= room, page.path


def test_every_picture_is_written_in_signs_that_the_type_has() -> None:
    texts = {text for page in pages() if page.shared for pair in page.shared.figures for text in pair}
    texts |= {page.shared.title for page in pages() if page.shared}
    font = shared._font(40)
    empty = bytes(font.getmask("\uffff"))
    missing = {sign for text in texts for sign in shared._spelled(text) if bytes(font.getmask(sign)) == empty}
    assert len(texts) > 500
    assert missing == set()


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("gpus/nvidia-geforce-rtx-4090", "Product"),
        ("compare/rtx-3090-vs-rtx-4090", "WebPage"),
        ("charts/memory-bandwidth", "Dataset"),
    ],
)
def test_search_engines_are_told_what_a_page_is(path: str, kind: str) -> None:
    about = json.loads(json.dumps(page(path).about))
    assert about["@context"] == "https://schema.org"
    assert about["@type"] == kind
    assert about["url"].endswith(f"/{path}/")
    assert about["description"]


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("gpus/nvidia-geforce-rtx-4090", ["GPUs", "NVIDIA", "GeForce RTX 40 series", "NVIDIA GeForce RTX 4090"]),
        ("compare/rtx-3090-vs-rtx-4090", ["Compare", "Popular comparisons", "RTX 3090 vs RTX 4090"]),
    ],
)
def test_search_engines_are_told_the_way_to_a_page(path: str, names: list[str]) -> None:
    steps = json.loads(json.dumps(page(path).trail))["itemListElement"]
    assert [step["name"] for step in steps] == names
    assert [step["position"] for step in steps] == list(range(1, len(names) + 1))
    assert steps[-1]["item"] == f"{addresses.SITE}{path}/"


def test_no_page_says_its_title_twice() -> None:
    titles = [page.title for page in pages()]
    assert len(set(titles)) == len(titles)
    assert "GPU Almanac" not in titles  # the site's name follows each


def test_robots_are_told_where_the_map_is() -> None:
    text = next(file.text() for file in machines.pages(committed()) if file.file == "robots.txt")
    assert text.splitlines()[-1] == "Sitemap: https://gpu-almanac.github.io/gpu-almanac/sitemap.xml"
