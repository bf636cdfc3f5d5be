"""Every page renders from the dataset; figures lead to their sources; hostile text stays text; builds are equal."""

from __future__ import annotations

import csv
import html
import io
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from functools import cache
from html.parser import HTMLParser
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from mkdocs.commands.build import build as mkdocs_build
from mkdocs.config import load_config
from samples import GPU, Texts, Tree, book, claim, committed, price, result
from sampling import Some

from pipeline.advise.estimate import models
from pipeline.advise.estimate.inputs import card
from pipeline.advise.estimate.memory import required
from pipeline.advise.estimate.types import Request
from pipeline.core import files, schema, theory
from pipeline.core.paths import ROOT
from pipeline.core.schema import Price
from pipeline.dataset import Dataset
from pipeline.derive import metrics
from pipeline.derive.prices.quote import quotes
from pipeline.derive.rivals import MAKER, MONEY, Rivals
from pipeline.intake.sources import MODULES
from pipeline.record import build
from pipeline.site.charts import measured_peak, measures
from pipeline.site.charts.fits_on import FitsOnCards
from pipeline.site.charts.percentile import Standing, Strip
from pipeline.site.pages import conflicts, families, guide, method, statements, table
from pipeline.site.pages.dictionary import column_meaning
from pipeline.site.pages.facts import facts
from pipeline.site.pages.gpu import _price_phrase, offers, results, summary_of
from pipeline.site.pages.listed import PAGES, File, every_file
from pipeline.site.pages.peaks import best, peak_lines, traps
from pipeline.site.quotes import told
from pipeline.site.render import Page

SAMPLE = 40  # pages
HOSTILE = "<script>alert('x')</script>\"&"


@cache
def pages() -> Mapping[str, str]:
    """Every page of the committed dataset by its file."""
    return Texts({file.file: file for file in every_file(committed())})


class Read(HTMLParser):
    """Collects what a page links to, what can be linked to, and what must not be there."""

    def __init__(self) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.forbidden: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        if named.get("id"):
            self.ids.append(str(named["id"]))
        # In a drawing it is xlink:href: the theme takes every other address for that of an HTML element.
        address = named.get("href") or named.get("xlink:href")
        if tag == "a" and address:
            self.links.append(str(address))
        handlers = [name for name in named if name.startswith("on") or name == "style"]
        self.forbidden += [f"{tag}.{name}" for name in handlers] + (
            [tag] if tag in ("script", "style", "iframe") else []
        )


def read(text: str) -> Read:
    reader = Read()
    reader.feed(text)
    return reader


@cache
def read_page(file: str) -> Read:
    """A page of the committed dataset, read once for all that is asked of it."""
    return read(pages()[file])


def page_files() -> list[str]:
    return [file for file in pages() if file.endswith(".md")]


def dataset_of(tree: Tree, /, **tables: list[dict[str, object]]) -> Dataset:
    """The sound dataset of the tests, with rows put in place of a table's own (what a check would refuse, too)."""
    build.build(tree.data)
    for name, rows in tables.items():
        text = files.csv_text(list(rows[0]), [list(row.values()) for row in rows])
        (tree.data.clean / f"{name}.csv").write_text(text, encoding="utf-8")
    return Dataset.load(tree.data.clean)


def rows_of(tree: Tree, name: str, /, **changes: str) -> list[dict[str, object]]:
    """The rows of a table with some columns replaced."""
    build.build(tree.data)
    with (tree.data.clean / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return [{**row, **changes} for row in csv.DictReader(file)]


@pytest.fixture
def hostile(tree: Tree) -> Dataset:
    """A dataset in which every text from outside tries to break out of its place."""
    names = ("name", "line", "architecture", "form_factor", "note", "aliases", "memory_type")
    said = ("source", "locator", "licence")
    return dataset_of(
        tree,
        gpus=rows_of(tree, "gpus", **dict.fromkeys(names, HOSTILE)),
        claims=rows_of(tree, "claims", **dict.fromkeys(said, HOSTILE), url="javascript:alert(1)"),
        benchmarks=[{**asdict(result(model=HOSTILE, software=HOSTILE, precision=HOSTILE, url="javascript:alert(1)"))}],
        prices=[{**asdict(price(provider=HOSTILE, source=HOSTILE, region=HOSTILE, url="javascript:alert(1)"))}],
    )


def all_but_prose(dataset: Dataset) -> Iterator[File]:
    """Every page and file but the prose, which speaks of cards that a small dataset does not hold."""
    for kind in PAGES:
        if kind not in (guide.pages, statements.pages):
            yield from kind(dataset)


def gpu_pages() -> list[str]:
    return [f"gpus/{id}.md" for id in committed().gpus]


def test_every_gpu_has_a_page_and_a_json(some: Some) -> None:
    assert len(committed().gpus) >= 60
    assert set(gpu_pages()) <= set(pages())
    for id in some(committed().gpus, SAMPLE):
        assert json.loads(pages()[f"gpus/{id}.json"])["id"] == id


def test_every_mark_beside_a_figure_leads_to_a_source_on_its_page(some: Some) -> None:
    marks = looked = 0
    for file in some(gpu_pages(), SAMPLE):
        looked += 1
        found = read_page(file)
        wanted = {link[1:] for link in found.links if link.startswith("#")}
        assert wanted <= set(found.ids), file
        marks += sum(link.startswith("#claim-") for link in found.links)
    assert marks > 8 * looked


def test_every_source_row_names_source_address_place_and_day(some: Some) -> None:
    for id in some(committed().gpus, SAMPLE):
        gpu, text = committed().gpus[id], pages()[f"gpus/{id}.md"]
        for fact in facts(gpu).values():
            row = re.search(rf'<tr id="{fact.anchor}">.*?</tr>', text, re.DOTALL)
            assert row, (gpu.id, fact.field)
            assert re.search(r'href="https?://', row[0]), (gpu.id, fact.field)
            assert re.search(r"; read \d{0,2} ?[A-Z][a-z]+ \d{4}", row[0]), (gpu.id, fact.field)


def test_no_id_stands_twice_on_a_page(some: Some) -> None:
    for file in some(page_files(), SAMPLE):
        ids = read_page(file).ids
        assert len(ids) == len(set(ids)), file


def test_every_link_inside_the_site_leads_to_a_page_or_file(some: Some) -> None:
    known = {
        file.removesuffix(".md").removesuffix("index") + ("" if "index" in file else "/") for file in page_files()
    } | {f for f in pages() if not f.endswith(".md")}
    for file in some(page_files(), SAMPLE):
        here = file.removesuffix(".md").split("/")
        folder = here[:-1] if here[-1] == "index" else here
        for link in read_page(file).links:
            if link.startswith(("#", "http")):
                continue
            path = [*folder]
            for part in link.split("#")[0].split("?")[0].split("/"):
                path = path[:-1] if part == ".." else path if part == "." else [*path, part]
            assert "/".join(path) in known, (file, link)


def test_no_page_holds_a_script_an_inline_handler_or_an_inline_style(some: Some) -> None:
    for file in some(page_files(), SAMPLE):
        assert read_page(file).forbidden == [], file


def test_two_renderings_of_one_dataset_are_equal(some: Some) -> None:
    again, kinds = Dataset.load(), {kind.__module__: kind for kind in PAGES}
    for kind in some(kinds, 2):
        for file in kinds[kind](again):
            assert file.text() == pages()[file.file], file.file


def test_hostile_names_stay_text(hostile: Dataset) -> None:
    seen = 0
    for file in all_but_prose(hostile):
        text = file.text()
        assert re.fullmatch(r"[a-z0-9._/-]+", file.file), file.file
        if isinstance(file, Page):
            assert "<script" not in text, file.file
            assert read(text).forbidden == [], file.file
            seen += "&lt;script&gt;" in text
    assert seen >= 5


def test_an_address_that_is_no_web_address_gives_no_link(hostile: Dataset) -> None:
    for file in all_but_prose(hostile):
        if isinstance(file, Page):
            assert not [link for link in read(file.text()).links if link.startswith("javascript")], file.file


def test_an_unknown_figure_is_a_dash_with_its_reason_and_never_zero(tree: Tree) -> None:
    sheet = {
        "title": "A sheet",
        "kind": "vendor",
        "url": "https://e.org",
        "read": "2026-11-19",
        "licence": "none",
    }
    slots = {"field": "slot_width", "value": 2, "document": "sheet", "locator": "page 1"}
    known = {"documents": {"sheet": sheet}, "values": [slots]}
    tree.gpu("nvidia-empty-card", {**GPU, "name": "Empty Card", "aliases": [], **known})
    texts = {file.file: file.text() for file in all_but_prose(dataset_of(tree))}
    page = texts["gpus/nvidia-empty-card.md"]
    assert page.count("no source yet") >= 4
    assert not re.search(r"<dd>\s*0", page)
    assert "No source of ours gives its figures yet." in page


def test_spellings_of_one_file_only_help_the_search() -> None:
    head = pages()["gpus/amd-instinct-mi300x.md"].partition("<!--finished-->")[0]
    said, _, hidden = head.partition("<span hidden>")
    assert "MI300X-NPS1" in hidden
    assert "NPS1" not in said
    assert "Instinct MI300X" in said


def test_power_that_no_maker_states_is_not_called_the_makers_limit() -> None:
    known = pages()
    assert "maker’s limit" in known["gpus/nvidia-geforce-rtx-3090.md"]
    for gpu in ("apple-m1", "google-tpu-v4"):
        assert "maker’s limit" not in known[f"gpus/{gpu}.md"], gpu


def test_the_search_reads_names_and_summary_but_no_table(some: Some) -> None:
    for file in some(gpu_pages(), SAMPLE):
        head, _, body = pages()[file].partition("<!--finished-->")
        assert "<table" not in head, file
        assert "data-search-exclude" in body[:200], file
        # Neither the front matter nor a picture has a word for the search.
        read = re.sub(r"<svg.*?</svg>", "", re.sub(r"\A---\n.*?\n---\n", "", head, flags=re.DOTALL))
        assert len(read) < 1500, file


def test_the_hook_takes_the_body_out_and_puts_the_same_back() -> None:
    spec = spec_from_file_location("hooks", ROOT / "docs" / "hooks.py")
    assert spec is not None
    assert spec.loader is not None
    hooks = module_from_spec(spec)
    spec.loader.exec_module(hooks)
    text = pages()["gpus/nvidia-geforce-rtx-4090.md"]
    page = SimpleNamespace(file=SimpleNamespace(content_string=text, src_uri="gpus/some.md"), meta={})
    body = text.partition("<!--finished-->\n")[2].partition("\n<!--/finished-->")[0]
    light = hooks.on_page_markdown(text, page=page)
    assert "<table" not in light
    assert hooks.on_post_page(f"<html>{light}</html>", page=page) == (
        f"<html>{text.replace(f'<!--finished-->{chr(10)}{body}{chr(10)}<!--/finished-->', body)}</html>"
    )
    assert hooks.on_post_page("untouched", page=page) == "untouched"


SHOWN = (
    "index.md",
    "gpus/index.md",
    "gpus/nvidia-geforce-rtx-4090.md",
    "gpus/nvidia-geforce-rtx-3090.md",
    "compare/index.md",
    "compare/rtx-3090-vs-rtx-4090.md",
    "lines/nvidia-geforce-rtx-20-series.md",
    "models/llama-3-1-8b-instruct.md",
    "data/quality.md",
    "guide/memory.md",
)
IN_MENU = ("gpus/index.md", "compare/index.md", "guide/memory.md")


def built(folder: Path, hooks: str) -> dict[str, bytes]:
    """Some pages built by MkDocs in a folder, with hooks of that text."""
    for file in SHOWN:
        (folder / "docs" / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / "docs" / file).write_text(pages()[file], encoding="utf-8")
    (folder / "hooks").mkdir()
    (folder / "hooks" / "hooks.py").write_text(hooks, encoding="utf-8")
    config = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    config["theme"]["custom_dir"] = str(ROOT / "docs" / "templates" / "theme")
    config |= {"nav": [*IN_MENU], "plugins": ["search"], "hooks": ["hooks/hooks.py"], "watch": []}
    (folder / "mkdocs.yml").write_text(yaml.safe_dump(config), encoding="utf-8")
    mkdocs_build(load_config(str(folder / "mkdocs.yml"), site_dir=str(folder / "site")))
    return {
        str(path.relative_to(folder / "site")): path.read_bytes()
        for path in (folder / "site").rglob("*")
        if path.suffix in (".html", ".json")
    }


def test_what_the_hooks_write_once_for_all_is_what_each_page_would_write(tmp_path: Path) -> None:
    """Where no page is taken for finished, each goes through Markdown and the whole theme by itself."""
    hooks = (ROOT / "docs" / "hooks.py").read_text(encoding="utf-8")
    each_alone = hooks
    for short_cut, none in (
        ("HEAD_OF_PAGE, ID = '<div", "HEAD_OF_PAGE, ID = '<no page begins so"),
        ("def on_page_read_source", "def never_asked"),
    ):
        assert short_cut in each_alone
        each_alone = each_alone.replace(short_cut, none)
    for name in ("once", "alone"):
        (tmp_path / name).mkdir()
    alone = built(tmp_path / "alone", each_alone)
    assert len(alone) > len(SHOWN)
    assert built(tmp_path / "once", hooks) == alone


def test_no_body_holds_a_section_of_its_own(some: Some) -> None:
    for file in some(page_files(), SAMPLE):
        if "<!--finished-->" in pages()[file]:
            assert pages()[file].count("<section") == 1, file


def test_a_page_says_who_differs(tree: Tree) -> None:
    tree.claims("shop", (claim("board_power_w", "425 W", source="shop", kind="community"),))
    page = next(f for f in all_but_prose(dataset_of(tree)) if f.file == "gpus/nvidia-geforce-rtx-4090.md").text()
    assert "Where sources disagree" in page
    assert "425 W" in page
    assert "ga-src--disputed" in page


def test_a_mark_shows_whether_a_figure_rests_on_one_source(tree: Tree) -> None:
    def page() -> str:
        return next(f for f in all_but_prose(dataset_of(tree)) if f.file == "gpus/nvidia-geforce-rtx-4090.md").text()

    def power(text: str) -> str:
        return next(tag for tag in re.findall(r'<a class="ga-src[^>]*>', text) if "Source of Board power" in tag)

    assert "ga-src--shared" not in power(page())
    tree.claims("shop", (claim("board_power_w", "450 W", source="shop", kind="community"),))
    assert "ga-src--shared" in power(page())


def test_a_withdrawn_claim_is_told_and_not_counted_as_a_conflict(tree: Tree) -> None:
    tree.claims("shop", (claim("board_power_w", "425 W", source="shop", kind="community"),))
    rows = rows_of(tree, "claims")
    next(row for row in rows if row["value"] == "425").update(verdict="withdrawn", reason="withdrawn: another card")
    dataset = dataset_of(tree, claims=rows)
    page = next(f for f in all_but_prose(dataset) if f.file.endswith("rtx-4090.md")).text()
    assert "Corrections so far" in page
    assert "Where sources disagree" not in page


def with_prices(tree: Tree, *rows: Price) -> Dataset:
    launch = rows_of(tree, "prices")
    return dataset_of(tree, prices=[*launch, *map(asdict, rows)])


def test_rent_is_of_unflagged_whole_on_demand_offers_of_which_each_providers_newest_counts(tree: Tree) -> None:
    dataset = with_prices(
        tree,
        price(offer="a", provider="Lambda", usd_per_gpu_hour=0.4),
        price(offer="b", provider="Verda", usd_per_gpu_hour=0.8),
        price(offer="c", provider="Vultr", usd_per_gpu_hour=0.6),
        price(offer="old", provider="Lambda", usd_per_gpu_hour=0.1, date="2026-07-22"),
        price(offer="spot", usd_per_gpu_hour=0.1, kind="spot"),
        price(offer="flagged", usd_per_gpu_hour=0.1, flag="host extra"),
        price(offer="slice", usd_per_gpu_hour=0.1, gpus=0.125),
    )
    rent = quotes(dataset).to_rent("nvidia-geforce-rtx-4090")
    assert (rent.day[:7], rent.low, rent.value, rent.count) == ("2026-08", 0.4, 0.6, 3)


def buy(**changes: object) -> Price:
    in_shops = {"usd_per_gpu_hour": None, "usd_per_machine_hour": None, "gpus": None, "country": "US", "tax": 0.0}
    return price(**{**in_shops, **changes})


def test_an_old_price_is_history_and_stands_in_no_summary(tree: Tree) -> None:
    dataset = with_prices(tree, buy(kind="used", usd_per_unit=900.0, date="2023-09"))
    gpu = dataset.gpus["nvidia-geforce-rtx-4090"]
    assert "900" not in summary_of(gpu, book(gpu))
    assert "$900 used in September 2023" in summary_of(gpu, book(gpu, today="2023-10-01"))
    page = next(f for f in all_but_prose(dataset) if f.file == f"gpus/{gpu.id}.md").text()
    assert "no current price; last seen in September 2023: $900" in page


def test_the_table_begins_with_the_cards_that_are_sold_or_rented_now(tree: Tree) -> None:
    dataset = committed()
    shown = re.findall(r'<tr data-id="([^"]+)"', pages()["gpus/index.md"])
    now = [table.to_have(dataset.gpus[id], quotes(dataset)) for id in shown]
    assert 0 < now.index(False) == sum(now) < len(now)
    assert f"First the {sum(now)} that were sold" in pages()["gpus/index.md"]
    known = [table.known_by(dataset.gpus[id], dataset.newest_reading) for id in shown[: sum(now)]]
    racks = [dataset.gpus[id].segment == "datacenter" for id in shown[: sum(now)]]
    for rack in (True, False):
        own = [count for count, in_rack in zip(known, racks, strict=True) if in_rack == rack]
        assert own == sorted(own, reverse=True)
    assert racks[:20] == [False, True] * 10
    half_a_year = {"used": ("2026-06", "2026-04"), "on_demand": ("2026-06-01", "2026-04-01")}
    for kind, dates in half_a_year.items():
        made = (buy(kind=kind, usd_per_unit=900.0, date=day) if kind == "used" else price(date=day) for day in dates)
        found = [with_prices(tree, one).gpus["nvidia-geforce-rtx-4090"] for one in made]
        assert [table.to_have(gpu, book(gpu)) for gpu in found] == [True, False]


def test_a_price_in_a_table_says_what_it_is_and_when_it_was_seen(tree: Tree) -> None:
    dataset = with_prices(tree, buy(kind="used", usd_per_unit=1234.5, date="2026-08"), price(provider="Vast.ai"))
    bought, rented = table.price_cells(dataset.gpus["nvidia-geforce-rtx-4090"], quotes(dataset))
    here, let = bought.markets["us"], rented.markets["us"]
    assert (here.text, here.exact, here.note) == ("1,234", "1234.5", "used, 2026-08, one source, ageing")
    assert (let.text, let.exact, let.note) == ("0.5", "0.5", "marketplace, 2026-08, one provider, ageing")
    family = next(f for f in all_but_prose(dataset) if f.file == "vendors/nvidia.md").text()
    assert re.search(
        r'data-v="1234.5">1,234 <span class="ga-when">used, <span class="ga-whole">2026-08</span>, one source, ageing<',
        family,
    )


SAID_OF_MACHINES = (
    "gpus/nvidia-geforce-rtx-4090.md",
    "gpus/nvidia-geforce-rtx-4090.txt",
    "gpus/index.md",
    "prices/index.md",
)


def test_the_price_of_a_machine_says_on_every_page_which_one_it_buys(tree: Tree) -> None:
    """M5 Ultra, November 2026: 512 GB in one column and, unsaid, the price of 96 GB in the next."""
    mac = {"kind": "system", "product": "Mac Studio 12GB 512GB", "date": "2026-08-20"}
    dataset = with_prices(
        tree, buy(usd_per_unit=5499.0, **mac), buy(usd_per_unit=9999.0, **{**mac, "product": "Mac 64GB"})
    )
    gpu, known = dataset.gpus["nvidia-geforce-rtx-4090"], quotes(dataset)
    cells = {cell.key: cell.markets["us"] for cell in table.cells(gpu, known) if cell.key in ("buy", "system")}
    assert [cells[key].text for key in cells] == ["5,499", "5,499"]
    assert all(cell.note.startswith("12 GB machine, 2026-08") for cell in cells.values())
    made = {f.file: f.text() for f in all_but_prose(dataset) if f.file in SAID_OF_MACHINES}
    assert set(made) == set(SAID_OF_MACHINES)
    assert "<td>64 GB machine</td>" in made["gpus/nvidia-geforce-rtx-4090.md"]  # in the history
    for file, text in made.items():
        assert "12 GB machine" in text, file
    priced = measures.table(dataset)["prices"]["to_buy"]["values"]["us"]  # type: ignore[index]
    assert priced == [None] * len(priced)  # no point at the 24 GB that it does not buy


@pytest.mark.parametrize(
    ("includes", "said"),
    [
        ("96 GB; replaced on 2026-08-21", "last seen in August 2026: $999 (16 GB machine)"),
        ("96 GB; replaced on 2026-08-21", "replaced on 2026-08-21, so this is no price of now"),
        ("a module that needs a carrier board", "as a module that needs a carrier board"),
    ],
)
def test_a_card_page_says_that_a_machine_was_replaced_or_is_a_module(tree: Tree, includes: str, said: str) -> None:
    one = buy(usd_per_unit=999.0, kind="system", product="Box 16GB", date="2026-08-20", includes=includes)
    dataset = with_prices(tree, one, price(retrieved="2026-08-22", date="2026-08-22"))
    text = next(f for f in all_but_prose(dataset) if f.file == "gpus/nvidia-geforce-rtx-4090.md").text()
    assert said in text
    free = SimpleNamespace(of=lambda _: SimpleNamespace(released=True))
    rows = [row for _, row in told(dataset, free) if row["kind"] == "system"]  # type: ignore[arg-type]
    assert [row["current"] for row in rows] == ["module" in includes]


def test_a_price_with_another_countrys_tax_is_no_price_in_dollars(tree: Tree) -> None:
    abroad = buy(usd_per_unit=1000.0, kind="retail", currency="EUR", amount=855.0, country="GR", tax=24.0)
    dataset = with_prices(tree, abroad)
    buy_now = next(c for c in table.cells(dataset.gpus["nvidia-geforce-rtx-4090"], quotes(dataset)) if c.key == "buy")
    assert {market: one.text for market, one in buy_now.markets.items()} == {"us": "", "eu": "855", "uk": ""}


def test_the_prices_of_a_card_say_how_well_they_are_founded_and_why_a_market_has_none(tree: Tree) -> None:
    """GTX 1660, October 2026: new in Europe alone, and there as leftover stock: the row says why it has no price."""
    euros = {"currency": "EUR", "country": "GR", "tax": 24.0, "date": "2026-08-20"}
    dear = buy(usd_per_unit=585.0, kind="retail", amount=500.0, product="Palit", **euros)
    dataset = with_prices(tree, dear, buy(kind="used", usd_per_unit=250.0, date="2026-08-20", basis="sold"))
    text = next(f for f in all_but_prose(dataset) if f.file == "gpus/nvidia-geforce-rtx-4090.md").text()
    assert re.search(r"one source: [^<;]*August 2026[^;]{0,160}; weakly founded", text)
    assert "old stock: what is left as new is 1.9 times what the card costs used" in text


def test_the_address_of_a_conflict_stays_when_a_wider_one_comes(tree: Tree) -> None:
    tree.claims("shop", (claim("board_power_w", "425 W", source="shop", kind="community"),))
    before = [one.id for one in conflicts.disputes(dataset_of(tree))]
    tree.claims("den", (claim("board_power_w", "300 W", source="den", kind="community"),))
    tree.claims(
        "shop",
        (
            claim("board_power_w", "425 W", source="shop", kind="community"),
            claim("board_power_w", "400 W", source="shop", kind="community"),
        ),
    )
    after = [one.id for one in conflicts.disputes(dataset_of(tree))]
    assert before == ["nvidia-geforce-rtx-4090-board_power_w-shop"]
    assert set(before) < set(after)
    assert len(set(after)) == len(after) == 3


def test_the_quality_page_names_the_gpu_of_which_least_is_known() -> None:
    page = pages()["data/quality.md"]
    rows = re.findall(r'<tr id="([^"]+)"><th scope="row"><a [^>]*>[^<]*</a>.*?<td class="ga-wrap">([^<]*)</td>', page)
    missing = [0 if told.startswith("nothing") else told.count(",") + 1 for _, told in rows]
    assert missing == sorted(missing, reverse=True)
    assert f'Least is known of <a href="#{rows[0][0]}">' in page


def test_of_each_provider_and_kind_the_lowest_price_of_its_newest_day_is_listed(tree: Tree) -> None:
    dataset = with_prices(
        tree,
        price(offer="a", usd_per_gpu_hour=0.5),
        price(offer="b", usd_per_gpu_hour=0.4),
        price(offer="c", usd_per_gpu_hour=0.1, date="2026-07-22"),
        price(offer="d", usd_per_gpu_hour=0.3, kind="spot"),
    )
    found = offers(dataset.gpus["nvidia-geforce-rtx-4090"], "2026-11-20")
    told = [(o.row.kind, o.row.offer, o.offers, o.old) for o in found]
    assert told[1:] == [("on_demand", "b", 2, False), ("spot", "d", 1, True)]  # spot prices age by the hour
    assert told[0][0] == "launch"


def test_of_each_experiment_one_sound_result_is_shown(tree: Tree) -> None:
    rows = [
        result(value=100.0),
        result(value=120.0, date="2026-05"),
        result(value=900.0, gpu_count=8, date="2026-06"),
        result(value=None, flag="out of memory", model="vgg16"),
        result(value=50.0, flag="failed", model="vgg16"),
    ]
    shown = results(dataset_of(tree, benchmarks=list(map(asdict, rows))).gpus["nvidia-geforce-rtx-4090"])
    assert [(row.value, row.gpu_count) for row in shown] == [(120, 1)]


def test_results_of_the_open_division_are_marked_in_the_table_of_a_card() -> None:
    rows = re.findall(r"<tr><th scope=.*?</tr>", pages()["gpus/nvidia-geforce-rtx-4090.md"])
    of_open = [row for row in rows if "(GATEOverflow, open, " in row]  # as the source's own record says
    assert of_open, "the card shows no result of the open division: ask another card"
    assert [row for row in rows if ", open division</span>" in row] == of_open


def test_dense_and_sparse_of_one_format_stand_in_one_line(tree: Tree) -> None:
    tree.claims("more", (claim("peak:fp16:fp32:sparse:tensor", "330.4 TFLOPS"),))
    gpu = dataset_of(tree).gpus["nvidia-geforce-rtx-4090"]
    lines = {(line.input, line.accumulate, line.engine): line for line in peak_lines(gpu, facts(gpu))}
    both = lines["FP16", "FP32", "tensor"]
    assert both.dense is not None
    assert both.sparse is not None
    assert (both.dense.shown, both.sparse.shown) == ("165", "330")
    assert lines["FP32", "FP32", "vector"].sparse is None


def cell_rows(id: str, label: str) -> list[list[str]]:
    """The rows of one table of a card's page as plain text."""
    found = re.search(rf'aria-label="{label}"><table.*?</table>', pages()[f"gpus/{id}.md"], re.DOTALL)
    assert found, (id, label)
    rows = re.findall(r"<tr.*?</tr>", found[0], re.DOTALL)
    cells = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL) for row in rows]
    return [[html.unescape(re.sub(r"<[^>]+>", " ", cell)).strip() for cell in row] for row in cells]


def test_theory_stands_beside_the_makers_figure_with_its_arithmetic() -> None:
    rows = {
        row[0].split()[0] + row[0].split()[2]: row
        for row in cell_rows("nvidia-geforce-rtx-4090", "Peak rates")[1:]
        if row[0].endswith("matrix")
    }
    assert rows["FP16FP32"][1] == "165"
    assert "128 SM × 512 × 2.52\u00a0GHz = 165\u00a0TFLOPS" in rows["FP16FP32"][2]
    assert "128 SM × 1,024 × 2.52\u00a0GHz = 330\u00a0TFLOPS" in rows["FP16FP16"][2]


def test_a_peak_that_no_source_states_is_computed_and_marked_as_computed() -> None:
    gpu = committed().gpus["nvidia-geforce-rtx-3060-12gb"]
    page = pages()[f"gpus/{gpu.id}.md"]
    keys = page.partition('<dl class="ga-keys ')[2].partition("</dl>")[0]
    assert metrics.sixteen_bit(gpu) is None
    assert re.search(r'25\.5&nbsp;TFLOPS</a></dd><dd class="ga-sub">\s*<abbr class="ga-kind ga-kind--computed"', keys)


def test_a_makers_page_shows_every_peak_that_a_cards_page_states_or_computes() -> None:
    dataset, computed = committed(), 0
    for page in families.pages(dataset):
        if not isinstance(page, Page) or "parts" not in page.context:
            continue
        text = page.text()
        for gpu, _, _ in (row for part in page.context["parts"] for row in part):
            row = text.partition(f'gpus/{gpu.id}/">')[2].partition("</tr>")[0]
            cell = row.split('<td class="n">')[3].partition("</td>")[0]
            worked = set(theory.theory(gpu, theory.load())) & set(metrics.SIXTEEN_BIT)
            stated = metrics.sixteen_bit(gpu)
            assert ("ga-unknown" in cell) == (stated is None and not worked), (page.path, gpu.id)
            assert ("computed" in cell) == (stated is None and bool(worked)), (page.path, gpu.id)
            computed += "computed" in cell
    assert computed > 10


def test_a_figure_off_theory_is_told_with_ratio_reason_and_fitting_clock() -> None:
    text = pages()["gpus/nvidia-l40.md"]
    note = re.search(r'<p class="ga-off">.*?</p>', text, re.DOTALL)
    assert note
    assert "0.5×" in note[0]
    assert "half the matrix rates" in note[0]
    assert "1.2" in note[0].rpartition("would fit")[2]
    assert "ga-off" not in pages()["gpus/nvidia-geforce-rtx-4090.md"]


def test_a_trap_never_holds_a_stated_figure_against_a_computed_one() -> None:
    table, worked = theory.load(), {}
    for id in ("nvidia-l40", "nvidia-geforce-rtx-3060-12gb", "nvidia-geforce-rtx-4090"):
        gpu = committed().gpus[id]
        worked[id] = " ".join(traps(gpu, theory.theory(gpu, table))).replace("\u00a0", " ")
    assert "accumulates in FP16" not in worked["nvidia-l40"]
    assert "51 TFLOPS when it accumulates in FP16 and 25.5 TFLOPS when" in worked["nvidia-geforce-rtx-3060-12gb"]
    assert "330 TFLOPS when it accumulates in FP16 and 165 TFLOPS when" in worked["nvidia-geforce-rtx-4090"]


def test_the_best_multiplication_stands_beside_the_peak_of_its_format() -> None:
    shares = [s for s in measured_peak.rows(committed()) if s.gpu.id == "nvidia-h100-sxm5-80gb"]
    bf16 = next(s for s in shares if s.what == measured_peak.order_first())
    rows = {row[0]: row for row in cell_rows("nvidia-h100-sxm5-80gb", "Measured beside the peak")}
    assert rows[bf16.what][1] == f"{100 * bf16.share:.0f}\u00a0%"
    line = next(row for row in cell_rows("nvidia-h100-sxm5-80gb", "Peak rates") if row[0].startswith("BF16"))
    assert line[3].endswith(f"{100 * bf16.share:.0f}\u00a0%")
    slower = replace(bf16, peak=2 * bf16.peak)
    assert best([slower, *shares], "peak:bf16:fp32:dense:tensor") is bf16


def strips_of(id: str) -> list[Strip]:
    return Standing(committed()).of(committed().gpus[id])


def test_a_strip_counts_the_cards_of_the_class_that_have_less() -> None:
    desk = [
        gpu.memory_gb
        for gpu in committed().gpus.values()
        if gpu.segment in ("consumer", "workstation") and gpu.memory_gb
    ]
    less = sum(memory < 24 for memory in desk if memory)
    strips = {strip.label: strip.text for strip in strips_of("nvidia-geforce-rtx-4090")}
    assert strips["Memory"] == f"24\u00a0GB: more than {less} of {len(desk) - 1} other desktop and workstation cards"


def test_what_fits_is_the_estimators_answer() -> None:
    language = [model for model in models.load().models.values() if model.is_language]
    for id in ("nvidia-geforce-rtx-3060-12gb", "nvidia-geforce-rtx-4090", "amd-instinct-mi300x"):
        gpu = committed().gpus[id]
        fits = FitsOnCards(models.load().models).of(gpu)
        assert fits
        for row, quant in zip(fits.rows, ("f16", "q8_0", "q4_k_m"), strict=True):
            asked = [(m, Request(quant=quant, context=min(8192, m.context or 8192))) for m in language]
            rooms = sorted(required(card(gpu), model, request).room or 0.0 for model, request in asked)
            assert row.largest
            assert row.spare == pytest.approx(next(room for room in rooms if room >= 0))
            assert row.short == pytest.approx(min(-room for room in rooms if room < 0))


def test_no_model_is_placed_on_a_chip_that_the_estimators_engines_do_not_run_on() -> None:
    assert FitsOnCards(models.load().models).of(committed().gpus["google-tpu-v5e"]) is None
    assert "Weights alone, in billions" in pages()["gpus/google-tpu-v5e.md"]


def test_a_module_misses_no_slots_and_plugs(some: Some) -> None:
    assert "No source yet: Slots" not in pages()["gpus/nvidia-h100-sxm5-80gb.md"]
    modules = [id for id, gpu in committed().gpus.items() if not gpu.form_factor.startswith("PCIe")]
    assert all(
        "Slots" not in pages()[f"gpus/{id}.md"].partition("No source yet:")[2].partition("</p>")[0]
        for id in some(modules, 10)
    )


def test_the_json_of_a_card_holds_theory_with_every_factor() -> None:
    record = json.loads(pages()["gpus/nvidia-geforce-rtx-4090.json"])
    entry = next(e for e in record["theory"] if e["peak"] == "fp16:fp16:dense:tensor")
    assert (entry["units"], entry["operations_per_unit_and_clock"], entry["clock_mhz"]) == (128, 1024, 2520)
    assert entry["tflops"] == pytest.approx(128 * 1024 * 2520 / 1e6, rel=1e-5)
    assert entry["source"].startswith("https://")


def test_a_rival_of_another_maker_or_for_the_same_money_is_another_card_of_the_same_use() -> None:
    known, desk = Rivals(committed()), {"consumer", "workstation"}
    for gpu in committed().gpus.values():
        for rival in known.of(gpu):
            if rival.role in (MAKER, MONEY):
                assert rival.gpu.id != gpu.id
                assert rival.gpu.segment == gpu.segment or {rival.gpu.segment, gpu.segment} <= desk


def test_every_column_of_the_dataset_is_explained() -> None:
    assert len(pages()["data/dictionary.md"]) > 1000
    for columns in schema.TABLES.values():
        for column in columns:
            assert column_meaning(column)
    for name in schema.FIELDS:
        assert f'id="{name}"' in pages()["data/dictionary.md"]


def test_the_method_page_says_of_every_source_of_prices_whether_it_asks_or_was_sold() -> None:
    dataset = committed()
    (page,) = method.pages(dataset)
    told = page.context["asked"]
    rows = [price for price in dataset.prices if price.kind != "launch"]
    assert sum(row.count for row in told) == len(rows)
    assert len({(row.source, row.kind, row.basis) for row in told}) == len(told)  # no two sources of one title
    assert len({row.source for row in told}) == len({price.source for price in rows})
    assert {row.basis for row in told} == {"asked", "sold", "lowest asked"}
    (ebay,) = [row for row in told if "eBay" in row.source and row.basis == "sold" and row.count > 100]
    assert ebay.places == ("US, without tax",)


def test_every_source_of_the_list_is_on_the_sources_page() -> None:
    for module in MODULES:
        assert f'id="{module.SOURCE.id}"' in pages()["data/sources.md"]


def test_the_downloads_are_the_files_of_the_dataset() -> None:
    for path in sorted(path for path in (ROOT / "data" / "clean").iterdir() if path.is_file()):
        assert pages()[f"data/{path.name}"] == path.read_text(encoding="utf-8")


def test_the_table_holds_every_gpu_with_the_numbers_of_the_dataset() -> None:
    text = pages()["gpus/index.md"]
    for gpu in committed().gpus.values():
        row = re.search(rf'<tr data-id="{re.escape(gpu.id)}".*?</tr>', text, re.DOTALL)
        assert row, gpu.id
        cells = re.findall(r"<td([^>]*)>(.*?)</td>", row[0])
        rate, worked = metrics.sixteen_bit(gpu), theory.theory(gpu, theory.load())
        computed = next((worked[key].tflops for key in metrics.SIXTEEN_BIT if key in worked), None)
        assert ("computed" in cells[6][1]) == (rate is None and computed is not None), gpu.id
        for index, expected in ((2, gpu.memory_gb), (6, rate.tflops if rate else computed)):
            attributes, shown = cells[index]
            exact = re.search(r'data-v="([^"]+)"', attributes)
            told = exact[1] if exact else re.sub(r"<[^>]+>|,|–", "", shown)
            assert bool(told) == bool(expected), gpu.id
            assert float(told or 0) == pytest.approx(expected or 0, rel=1e-6), gpu.id


def test_the_look_up_knows_every_name() -> None:
    known = {entry[0]: entry[1:] for entry in json.loads(pages()["gpus/names.json"])}
    for gpu in committed().gpus.values():
        assert known[gpu.id] == [gpu.name, *gpu.aliases]


def test_the_charts_csv_begins_no_cell_with_a_formula(hostile: Dataset) -> None:
    for file in all_but_prose(hostile):
        if file.file.endswith(".csv"):
            for row in csv.reader(io.StringIO(file.text())):
                assert not any(cell.startswith(("=", "+", "@")) for cell in row), file.file


def test_the_price_of_a_module_says_in_the_first_line_that_it_needs_a_board() -> None:
    """H100 SXM5, 2026: "$11,500 used" beside a PCIe card of 29,200 reads as a bargain."""
    dataset = committed()
    for gpu, module in (("nvidia-h100-sxm5-80gb", True), ("nvidia-h100-pcie-80gb", False)):
        said = _price_phrase(dataset.gpus[gpu], quotes(dataset), "us")
        assert ("used, as a module that needs a carrier board, in" in said) == module
