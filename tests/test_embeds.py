"""Badges, frames and texts for other pages and programs say what the dataset says, with the source, and run nothing."""

from __future__ import annotations

import json
import re
from functools import cache
from html import unescape
from xml.etree import ElementTree

import pytest
from samples import committed

from pipeline.core.paths import DATA, ROOT
from pipeline.core.wording import cell, slug
from pipeline.derive import cloud
from pipeline.derive.prices.quote import quotes
from pipeline.intake import licences
from pipeline.intake.sources import MODULES
from pipeline.site.charts.base import HUES
from pipeline.site.charts.listed import CHARTS
from pipeline.site.pages import addresses, benchmarks, charts, embeds, gpu, machines
from pipeline.site.pages import models as model_pages
from pipeline.site.render import Asset, Page

BY_ID = [module.SOURCE.id for module in MODULES]
SVG = "{http://www.w3.org/2000/svg}"


@cache
def badges() -> dict[str, str]:
    return {asset.file: asset.text() for asset in embeds.pages(committed())}


@cache
def of_charts() -> dict[str, Page | Asset]:
    return {made.file: made for module in (charts, benchmarks) for made in module.pages(committed())}


def test_a_badge_shows_the_value_and_names_its_source() -> None:
    drawn = ElementTree.fromstring(badges()["badges/nvidia-l4-memory_gb.svg"])
    texts = [text.text for text in drawn.iter(f"{SVG}text")]
    assert texts == ["NVIDIA L4 Memory", "24\u00a0GB".replace("\u00a0", " ")]
    title = drawn.findtext(f"{SVG}title") or ""
    assert committed().gpus["nvidia-l4"].claims["memory_gb"][0].source_title in title


def test_every_badge_is_well_formed_and_a_missing_figure_has_none() -> None:
    for text in badges().values():
        ElementTree.fromstring(text)
    without = [card.id for card in committed().gpus.values() if card.memory_gb is None]
    assert [id for id in without if f"badges/{id}-memory_gb.svg" in badges()] == []


@pytest.mark.parametrize("chart", [*(chart.id for chart in CHARTS), benchmarks.ID])
def test_a_chart_answers_oembed_with_a_frame_that_is_there_and_its_page_offers_it(chart: str) -> None:
    files = of_charts()
    page = files[f"charts/{chart}.md"].text()
    assert f'embed: "embed/{chart}.json"' in page
    answer = json.loads(files[f"embed/{chart}.json"].text())
    assert (answer["version"], answer["type"]) == ("1.0", "rich")
    assert answer["html"] in unescape(page)
    frame = ElementTree.fromstring(answer["html"])
    assert frame.attrib["src"] == f"{addresses.SITE}embed/{chart}.html"
    assert int(frame.attrib["width"]) == answer["width"]


@pytest.mark.parametrize("chart", [*(chart.id for chart in CHARTS), benchmarks.ID])
def test_a_frame_shows_the_chart_runs_no_script_and_leads_back(chart: str) -> None:
    text = of_charts()[f"embed/{chart}.html"].text()
    assert "<script" not in text
    assert text.count("<path") > 10 or text.count("<tr") > 10
    assert f'<link rel="canonical" href="{addresses.SITE}charts/{chart}/">' in text
    assert not re.search(r'href="(?!https?://|\.\./stylesheets/)', text)


@pytest.mark.parametrize("chart", [chart.id for chart in CHARTS if chart.kind != "table"])
def test_a_chart_is_a_file_too_that_needs_no_style_sheet_and_names_title_makers_and_source(chart: str) -> None:
    drawn = ElementTree.fromstring(of_charts()[f"charts/{chart}.svg"].text())
    page = of_charts()[f"charts/{chart}.md"]
    assert isinstance(page, Page)
    texts = [text.text or "" for text in drawn.iter(f"{SVG}text")]
    said = " ".join(text.text or "" for text in drawn.iter(f"{SVG}text") if text.get("class") == "title")
    assert said == page.context["finding"] == drawn.findtext(f"{SVG}title")
    assert any(f"charts/{chart}/" in text and "CC BY-SA 4.0" in text for text in texts)
    assert set(page.context.get("vendors", ())) <= set(texts)
    style = drawn.findtext(f"{SVG}style") or ""
    assert all(f".ga-v-{slug(maker)} {{ color: {hue}; }}" in style for maker, hue in HUES.items())
    assert "var(--" not in style
    assert f'charts/{chart}.svg" download' in page.text()


def test_every_chart_but_a_table_shows_its_marks_or_its_best_cards_where_it_is_shared() -> None:
    for chart in [*(chart.id for chart in CHARTS if chart.kind != "table"), benchmarks.ID]:
        page = of_charts()[f"charts/{chart}.md"]
        assert isinstance(page, Page)
        assert page.shared is not None, chart
        assert all(0 <= x <= 1 and 0 <= y <= 1 for x, y, _ in page.shared.marks), chart
        assert page.shared.marks or page.shared.figures, chart


def test_llms_txt_leads_to_every_card() -> None:
    asset = next(machines.pages(committed()))
    text = asset.text()
    assert text.startswith("# GPU Almanac\n\n> ")
    assert all(f"gpus/{id}.txt)" in text for id in committed().gpus)


def test_llms_txt_leads_to_every_page_that_a_machine_may_want() -> None:
    asset = next(machines.pages(committed()))
    told = set(re.findall(rf"\({re.escape(addresses.SITE)}([^)]*)\)", asset.text()))
    wanted = {f"guide/{path.stem}/" for path in (ROOT / "docs" / "guide").glob("*.md") if path.stem != "index"}
    wanted |= {f"charts/{chart.id}/" for chart in CHARTS} | {f"clouds/{family.id}/" for family in cloud.load().families}
    networks = {f"{model_pages.address(model)}/" for model in model_pages.paged()}
    assert wanted - told == set()
    assert {address for address in told if address.startswith("models/") and address != "models/"} == networks


def test_a_cards_text_has_prices_names_and_an_entry_for_each_peak() -> None:
    dataset = committed()
    card = dataset.gpus["nvidia-h100-sxm5-80gb"]
    made = {file.file: file for file in gpu.pages(dataset, [card.id])}
    text = made[f"gpus/{card.id}.txt"].text()
    assert f"Also called: {card.aliases[0]}, " in text
    assert "- United States, without sales tax: $" in text
    anchors = re.findall(rf"gpus/{card.id}/#(claim-peak-[a-z0-9-]+)\}}", text)
    assert len(anchors) == text.count("@misc{") > 5
    page = made[f"gpus/{card.id}.md"].text()
    assert all(f'id="{anchor}"' in page for anchor in anchors)
    assert page.count("@misc{gpu-almanac-") == 1


def test_a_price_whose_source_stays_here_is_in_no_cards_text() -> None:
    card, dataset = "nvidia-l4", committed()
    nothing = licences.Licences(
        [licences.Licence(source, "left out", "a test", "", "") for source in (licences.BY_HAND, *BY_ID)]
    )
    book = quotes(dataset)
    text = machines.of_card(dataset.gpus[card], [], "", book, nothing).text()
    sound = machines.of_card(dataset.gpus[card], [], "", book, licences.load(DATA.licences)).text()
    assert "## Prices" in sound
    assert "## Prices" not in text


def test_a_cards_text_holds_every_figure_with_its_source() -> None:
    dataset = committed()
    card = dataset.gpus["nvidia-h100-sxm5-80gb"]
    text = next(made.text() for made in gpu.pages(dataset, [card.id]) if made.file.endswith(".txt"))
    assert text.startswith(f"# {card.name}\n")
    for field in card.claims:
        claim = card.chosen(field)
        if claim:
            assert claim.url in text
            assert cell(claim.locator) in text
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert {line.replace("\\|", "").count("|") for line in rows} == {6}
