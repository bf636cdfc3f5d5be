"""Limits and orders of the scripts written by hand, asked of their functions themselves in a page without a site."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page
from scripts import page_of_scripts

pytestmark = pytest.mark.browser

CARDS = {
    "gpus": ["a", "b", "c"],
    "currencies": {"us": "US dollars"},
    "figures": {
        "memory_gb": {"title": "Memory, GB", "values": [24, 16, None]},
        "board_power_w": {"title": "Power, W", "values": [450, None, 75]},
    },
    "prices": {"to_buy": {"title": "Price, {currency}", "values": {"us": [1000, 1500, 800]}}},
}
TRACE = {
    "x": [1, 2, 3],
    "y": [4, 5, 6],
    "text": ["A: 1", "B: 2", "C: 3"],
    "customdata": ["a", "b", "c"],
    "meta": {"segments": ["consumer"] * 3},
}
BELOW_A_PEAK = {**TRACE, "meta": {"key": "measured"}}
TABLE = """<table><thead><tr><th>Card</th><th class="n">GB</th></tr></thead><tbody>{}</tbody></table>"""


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    page = page_of_scripts(browser)
    yield page
    page.close()


def asked(**wanted: str) -> dict[str, str]:
    return dict.fromkeys(("memory", "price", "x", "y"), "") | wanted


def drawn(page: Page, wanted: dict[str, str], *traces: dict[str, Any]) -> Any:
    """The traces of a chart with filters and other axes."""
    return page.evaluate(
        """async ([cards, wanted, traces]) => {
          const { filtered } = await import("/measures.js");
          const measures = { ...cards, at: new Map(cards.gpus.map((gpu, at) => [gpu, at])) };
          return filtered(traces, measures, wanted);
        }""",
        [CARDS, wanted, list(traces)],
    )


@pytest.mark.parametrize(
    ("wanted", "left"),
    [
        ({"memory": "24"}, [1, None, None]),
        ({"memory": "16"}, [1, 2, None]),  # the card of which nothing is known is left out
        ({"price": "1000"}, [1, None, 3]),
        ({"price": "999"}, [None, None, 3]),
        ({"memory": "16", "price": "1000"}, [1, None, None]),
    ],
)
def test_a_card_at_the_limit_of_a_filter_stays_in_a_chart(page: Page, wanted: dict[str, str], left: list[Any]) -> None:
    (trace,) = drawn(page, asked(**wanted), TRACE)
    assert trace["x"] == left
    assert [value is None for value in trace["y"]] == [value is None for value in left]


def test_another_figure_on_an_axis_takes_the_place_of_the_chart_s_own_and_what_is_below_a_peak_goes(page: Page) -> None:
    (trace,) = drawn(page, asked(y="board_power_w"), TRACE, BELOW_A_PEAK)
    assert (trace["x"], trace["y"]) == ([1, 2, 3], [450, None, 75])
    assert trace["text"] == ["A, Power, W: 450", "B", "C, Power, W: 75"]
    assert len(drawn(page, asked(memory="16"), TRACE, BELOW_A_PEAK)) == 2


@pytest.mark.parametrize(
    ("cells", "direction", "order"),
    [
        (["8", "–", "24"], "ascending", "ACB"),
        (["8", "–", "24"], "descending", "CAB"),
        (["24", "24", "8"], "descending", "ABC"),  # equal ones keep their order
        (["1,024", "80", ""], "descending", "ABC"),
    ],
)
def test_a_table_sorts_with_what_is_unknown_last_either_way(
    page: Page, cells: list[str], direction: str, order: str
) -> None:
    rows = "".join(
        f'<tr><td>{name}</td><td class="n">{cell}</td></tr>' for name, cell in zip("ABC", cells, strict=True)
    )
    found = page.evaluate(
        """async ([html, direction]) => {
          const { sort } = await import("/table.js");
          document.body.innerHTML = html;
          const table = document.querySelector("table");
          sort(table, 1, direction);
          return [...table.tBodies[0].rows].map((row) => row.cells[0].textContent).join("");
        }""",
        [TABLE.format(rows), direction],
    )
    assert found == order


@pytest.mark.parametrize(("kept", "compared"), [(1, None), (2, "0,1"), (6, "0,1,2,3,4,5"), (8, "2,3,4,5,6,7")])
def test_of_the_cards_that_are_kept_the_newest_six_stand_side_by_side(
    page: Page, kept: int, compared: str | None
) -> None:
    link = page.evaluate(
        """async (kept) => {
          const { start } = await import("/saved.js");
          const cards = Array.from({ length: kept }, (_, at) => ({ id: String(at), name: `Card ${at}` }));
          window.localStorage.setItem("ga-saved", JSON.stringify(cards));
          document.body.innerHTML = "<div data-saved><ul></ul><a data-saved-compare></a><p data-saved-none></p></div>";
          start(document, new URL("http://scripts/"));
          const together = document.querySelector("[data-saved-compare]");
          return together.hidden ? null : new URL(together.href).searchParams.get("g");
        }""",
        kept,
    )
    assert link == compared


NAMES = [
    ["rtx-4090", "NVIDIA GeForce RTX 4090"],
    ["rtx-4080", "NVIDIA GeForce RTX 4080"],
    ["h100-sxm5-80gb", "NVIDIA H100 SXM5 80GB"],
    ["gh200", "NVIDIA GH200"],
]


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("4090", ["rtx-4090"]),  # another number is another card
        ("rxt 4090", ["rtx-4090"]),  # two letters that changed places are one mistake
        ("h10", ["h100-sxm5-80gb"]),
        ("hx0", []),  # three letters may hold no mistake
        ("h100zzm", ["h100-sxm5-80gb"]),  # seven letters may hold two mistakes
        ("h10zzx", []),  # six may not
        ("rtx 4091", ["rtx-4090", "rtx-4080"]),  # unless nothing else fits
        ("", []),
    ],
)
def test_a_typed_name_finds_the_cards_that_it_may_mean(page: Page, typed: str, found: list[str]) -> None:
    ask = 'async ([names, typed]) => (await import("/names.js")).find(names, typed).map(({ id }) => id)'
    assert page.evaluate(ask, [NAMES, typed]) == found


SIZES = [["a100-pcie-40gb", "NVIDIA A100 PCIe 40GB"], ["a100-pcie-80gb", "NVIDIA A100 PCIe 80GB"]]


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("a100 pcie 80gx", ["a100-pcie-80gb"]),  # one slip in the letters, and both numbers fit
        ("a100 pcie 40gx", ["a100-pcie-40gb"]),
        ("a100 pcie", ["a100-pcie-40gb", "a100-pcie-80gb"]),
        ("a100 pcie 60gb", ["a100-pcie-40gb", "a100-pcie-80gb"]),  # nobody makes it: those that come near
    ],
)
def test_of_two_numbers_in_a_typed_name_both_tell_the_card(page: Page, typed: str, found: list[str]) -> None:
    ask = 'async ([names, typed]) => (await import("/names.js")).find(names, typed).map(({ id }) => id)'
    assert page.evaluate(ask, [SIZES, typed]) == found


@pytest.mark.parametrize(
    ("text", "written"),
    [("=1+1", "'=1+1"), ("-5", "'-5"), ("a=1", "a=1"), ("a,b", '"a,b"'), ('a"b', '"a""b"'), ("a\nb", '"a\nb"')],
)
def test_a_text_of_a_saved_table_begins_no_formula_and_breaks_no_row(page: Page, text: str, written: str) -> None:
    assert page.evaluate('async (text) => (await import("/csv.js")).safe(text)', text) == written


EXPLORER = """<form data-benchmarks="http://scripts/sets/">
  <select name="set"><option value="one">one</option><option value="two">two</option></select>
  <select name="model"></select><select name="metric"></select><select name="precision"></select>
  <select name="gpus"></select><select name="batch"></select></form>
  <p data-benchmark-note hidden></p>
  <table data-benchmark-table><caption><span data-benchmark-title>{}</span></caption>
  <thead><tr><th data-benchmark-unit></th></tr></thead><tbody><tr><td>of the page</td></tr></tbody></table>"""
TEXTS = ["rtx-4090", "h100", "one at a time", "vLLM 0.10", "2026-10", "https://e.org/1", "row 7", "javascript:alert(1)"]
ROW_4090, ROW_H100 = [0, 61.54, 2, 3, 4, 5, 6], [1, 100.0, 2, 3, 4, 7, 6]


def experiment(rows: list[list[float]], gpus: int = 1, **about: str) -> dict[str, Any]:
    usual = {"model": "llama", "metric": "decode", "precision": "fp16", "batch": "1", "unit": "tokens/s"}
    return usual | about | {"gpus": gpus, "rows": rows}


BOTH, ALONE = [ROW_H100, ROW_4090], [ROW_4090]
EXPERIMENTS = [
    experiment(ALONE, precision="fp8"),
    experiment(BOTH),
    experiment(ALONE, gpus=2, batch=""),
    experiment(BOTH, model="qwen"),
    experiment([*BOTH, ROW_4090], model="qwen", metric="prefill"),
]


def explored(
    page: Page, query: str = "", shown: str = "", experiments: list[Any] = EXPERIMENTS, status: int = 200
) -> Any:
    """What the explorer of benchmarks shows for an address; `shown` is the caption that the page came with."""
    cards = {"rtx-4090": ["RTX 4090", "nvidia"], "h100": ["H100", "nvidia"]}
    return page.evaluate(
        """async ([html, query, data, status]) => {
          const { start } = await import("/benchmarks.js");
          document.body.innerHTML = html;
          history.replaceState(null, "", `/python.js${query}`);
          const asked = [];
          window.fetch = async (address) => {
            asked.push(new URL(address).pathname);
            return new Response(JSON.stringify(data), { status });
          };
          start(document, new URL("http://scripts/"));
          await new Promise((done) => setTimeout(done, 20));
          const selects = [...document.querySelectorAll("select")].slice(1);
          return {
            asked,
            title: document.querySelector("[data-benchmark-title]").textContent,
            unit: document.querySelector("[data-benchmark-unit]").textContent,
            note: document.querySelector("[data-benchmark-note]").textContent,
            options: selects.map((select) => [...select.options].map((option) => option.textContent).join("|")),
            fixed: selects.map((select) => select.disabled),
            cells: [...document.querySelectorAll("tbody tr")].map(({ cells }) => [...cells].map((c) => c.textContent)),
            widths: [...document.querySelectorAll("rect")].map((bar) => bar.getAttribute("width")),
            links: [...document.querySelectorAll("tbody a")].map((link) => link.getAttribute("href")),
          };
        }""",
        [EXPLORER.format(shown), query, {"texts": TEXTS, "cards": cards, "experiments": experiments}, status],
    )


@pytest.mark.parametrize(
    ("query", "title"),
    [
        ("?set=two&model=llama&metric=decode&precision=fp8&gpus=1&batch=1", "llama, fp8, decode, 1 GPU, 1"),
        ("?set=two&model=llama", "llama, fp16, decode, 1 GPU, 1"),  # in FP16 there are more cards than in FP8
        ("?set=two&model=llama&gpus=2", "llama, fp16, decode, 2 GPUs"),
        ("?set=two&model=llama&precision=fp16&gpus=2", "llama, fp16, decode, 2 GPUs"),
        ("?set=two", "qwen, fp16, prefill, 1 GPU, 1"),  # nothing is wanted: three rows, more than two
        ("?set=two&model=qwen&metric=decode", "qwen, fp16, decode, 1 GPU, 1"),
        ("?set=two&model=gemma", "qwen, fp16, prefill, 1 GPU, 1"),
    ],
)
def test_the_explorer_shows_what_is_wanted_as_far_as_there_is_such_a_thing_and_else_the_most_cards(
    page: Page, query: str, title: str
) -> None:
    found = explored(page, query)
    assert (found["title"], found["asked"]) == (title, ["/sets/two.json"])


def test_of_experiments_with_as_many_cards_the_first_is_shown(page: Page) -> None:
    alike = [experiment(ALONE, model=name) for name in ("b", "a")]
    assert explored(page, "?set=one", experiments=alike)["title"].startswith("b,")


def test_a_set_of_which_nothing_is_asked_stays_as_the_page_shows_it(page: Page) -> None:
    shown = "llama, fp8, decode, 1 GPU, 1"
    found = explored(page, shown=shown)
    assert (found["asked"], found["title"], found["cells"]) == (["/sets/one.json"], shown, [["of the page"]])
    assert found["options"] == ["llama|qwen", "decode", "fp8|fp16", "1", "1"]
    assert explored(page, "?set=none", shown=shown)["cells"] == [["of the page"]]
    assert explored(page, shown="gone")["title"] == "qwen, fp16, prefill, 1 GPU, 1"


def test_a_choice_without_another_is_fixed_and_a_batch_that_nobody_names_was_chosen_for_each_card(page: Page) -> None:
    found = explored(page, "?set=one&model=llama&precision=fp16&gpus=2")
    assert found["options"] == ["llama|qwen", "decode", "fp8|fp16", "1|2", "chosen for each card"]
    assert found["fixed"] == [False, True, False, False, True]


def test_a_result_stands_beside_a_bar_of_the_highest_with_its_card_and_no_address_that_runs(page: Page) -> None:
    found = explored(page, "?set=one&model=llama&precision=fp16&gpus=1")
    about = ["one at a time", "vLLM 0.10", "2026-10", "source"]
    assert found["cells"] == [["H100", "100", "", *about], ["RTX 4090", "61.5", "", *about]]
    assert (found["widths"], found["unit"]) == (["100.0", "61.5"], "tokens/s")
    cards = [f"http://scripts/gpus/{id}/#measured" for id in ("h100", "rtx-4090")]
    assert found["links"] == [cards[0], "#", cards[1], "https://e.org/1"]


def test_results_that_do_not_load_are_told_and_leave_the_page_as_it_is(page: Page) -> None:
    found = explored(page, "?set=one", status=404)
    assert found["note"].startswith("The results could not be loaded.")
    assert found["cells"] == [["of the page"]]


FIELDS_OF_FILTERS = ("card", "vendor", "segment", "form", "mem", "power", "year", "price", "now", "software")
COLUMNS = {
    "name": "RTX 4090",
    "segment": "consumer",
    "form": "PCIe card",
    "memory": "24",
    "power": "450",
    "year": "2022",
    "launch": "1,599",
    "retail": "2,800",
    "used": "2,100",
    "software": "CUDA",
}


@pytest.mark.parametrize(
    ("name", "kept", "out"),
    [
        ("mem", "24", "25"),
        ("power", "450", "449"),
        ("year", "2022", "2023"),
        ("price", "1599", "1598"),
        ("now", "2100", "2099"),  # used is as good as new
        ("card", "4090", "4080"),
        ("vendor", "NVIDIA", "AMD"),
        ("software", "cuda", "ROCm"),
    ],
)
def test_a_card_at_the_limit_of_a_filter_stays_in_the_table(page: Page, name: str, kept: str, out: str) -> None:
    heads = "".join(
        f'<th class="{"n" if at in range(3, 9) else ""}" data-key="{key}">{key}</th>' for at, key in enumerate(COLUMNS)
    )
    cells = "".join(
        f'<td class="{"n" if at in range(3, 9) else ""}">{text}</td>' for at, text in enumerate(COLUMNS.values())
    )
    fields = "".join(f'<input name="{field}">' for field in FIELDS_OF_FILTERS)
    boxes = "".join(f'<input type="checkbox" name="col" value="{key}" checked>' for key in COLUMNS)
    form = f'<form data-filters="cards">{fields}{boxes}</form>'
    row = f'<tr data-vendor="NVIDIA" data-id="rtx-4090">{cells}</tr>'
    table = f'<table id="cards" data-sortable data-filtered><thead><tr>{heads}</tr></thead><tbody>{row}</tbody></table>'
    html = f"<div><p data-count></p>{form}</div>{table}"
    found = page.evaluate(
        """async ([html, queries]) => {
          const { start } = await import("/table.js");
          return queries.map((query) => {
            document.body.innerHTML = html;
            history.replaceState(null, "", `/python.js?${query}`);
            start(document);
            return document.querySelector("[data-count] span").textContent;
          });
        }""",
        [html, [f"{name}={kept}", f"{name}={out}"]],
    )
    assert found == ["1 of 1 cards", "No card fits. Clear a filter to see more."]


@pytest.mark.parametrize(("shown", "note"), [("rtx-4090", None), ("rtx-4090,rtx-4080", "At most 2 cards")])
def test_a_comparison_takes_as_many_cards_as_fit_side_by_side(page: Page, shown: str, note: str | None) -> None:
    html = """<div data-compare data-most="2"><div></div></div><button data-compare-csv></button>
      <form data-compare-add><input value="gh200"></form><p data-compare-said></p>"""
    found = page.evaluate(
        """async ([html, names, shown]) => {
          const { start } = await import("/compare.js");
          document.body.innerHTML = html;
          history.replaceState(null, "", `/python.js?g=${shown}`);
          window.fetch = async (address) => {
            const { pathname } = new URL(address);
            if (pathname.startsWith("/compare/")) return new Response("[]");
            if (pathname === "/gpus/names.json") return new Response(JSON.stringify(names));
            return new Response("", { status: 404 });
          };
          const settled = () => new Promise((done) => setTimeout(done, 50));
          await start(document, new URL("http://scripts/"));
          await settled();
          document.querySelector("form").requestSubmit();
          await settled();
          return [document.querySelector("[data-compare-said]").textContent, window.location.search];
        }""",
        [html, NAMES, shown],
    )
    assert found[1] == (f"?g={shown}" if note else f"?g={shown},gh200")
    assert found[0].startswith(note or "The figures could not be loaded")


PRICED = {"value": None, "currency": "USD"}


@pytest.mark.parametrize(("shown", "hidden"), [("rtx-4090", True), ("rtx-4090,rtx-4080", False)])
def test_a_comparison_for_a_job_needs_two_cards(page: Page, shown: str, hidden: bool) -> None:
    cards = {
        id: {
            "id": id,
            "name": name,
            "vendor": "NVIDIA",
            "segment": "consumer",
            "figures": {},
            "prices": {
                "us": {"currency": "USD"} | dict.fromkeys(("new", "used", "system", "rent", "marketplace"), PRICED)
            },
        }
        for id, name in NAMES[:2]
    }
    html = """<div data-compare data-most="6"><div></div></div><button data-compare-csv></button>
      <form data-compare-add><input></form><p data-compare-said></p>
      <div data-compare-job><select><option value="chat"></option></select></div>"""
    rows = [{"group": "What matters first", "label": "Memory", "unit": "GB", "better": "higher", "field": "memory_gb"}]
    found = page.evaluate(
        """async ([html, shown, names, cards, rows]) => {
          const { start } = await import("/compare.js");
          document.body.innerHTML = html;
          history.replaceState(null, "", `/python.js?g=${shown}`);
          window.requestIdleCallback = () => {};
          window.fetch = async (address) => {
            const { pathname } = new URL(address);
            const files = {
              "/compare/rows.json": rows,
              "/compare/measured.json": { ids: [], experiments: [] },
              "/gpus/names.json": names,
              ...Object.fromEntries(Object.entries(cards).map(([id, card]) => [`/gpus/${id}.json`, card])),
            };
            return new Response(JSON.stringify(files[pathname]), { status: pathname in files ? 200 : 404 });
          };
          await start(document, new URL("http://scripts/"));
          const [job, said] = ["job", "said"].map((name) => document.querySelector(`[data-compare-${name}]`));
          const moment = () => new Promise((done) => setTimeout(done, 50));
          for (let turn = 0; !said.textContent && turn < 200; turn += 1) await moment();
          return [job.hidden, said.textContent];
        }""",
        [html, shown, NAMES, cards, rows],
    )
    assert found == [hidden, f"Side by side: {', '.join(cards[id]['name'] for id in shown.split(','))}"]


@pytest.mark.parametrize(
    ("ticked", "hidden", "text", "closed"),
    [(1, True, "Compare 1 cards", 0), (2, False, "Compare 2 cards", 0), (3, False, "Compare 3 cards", 1)],
)
def test_cards_of_a_table_are_compared_from_two_to_as_many_as_fit(
    page: Page, ticked: int, hidden: bool, text: str, closed: int
) -> None:
    rows = "".join(f'<tr data-id="card-{at}"><th>Card {at}</th></tr>' for at in range(4))
    html = f"""<form><button type="button" data-pick></button><a data-pick-compare data-most="3"></a></form>
      <table><tbody>{rows}</tbody></table>"""
    found = page.evaluate(
        """async ([html, ticked]) => {
          const { offer } = await import("/pick.js");
          document.body.innerHTML = html;
          const [form, table] = ["form", "table"].map((name) => document.querySelector(name));
          offer(table, form, new URL("http://scripts/"));
          form.querySelector("button").click();
          const boxes = [...table.querySelectorAll("input")];
          for (const box of boxes.slice(0, ticked)) box.click();
          const { hidden, textContent } = form.querySelector("a");
          return [hidden, textContent, boxes.filter((box) => box.disabled).length];
        }""",
        [html, ticked],
    )
    assert found == [hidden, text, closed]


@pytest.mark.parametrize(
    ("typed", "card", "others"),
    [
        ("rtx 4090", "rtx-4090", []),
        ("rtx", "rtx-4090", ["rtx-4080"]),
        ("rtx 40", "rtx-4090", ["rtx-4080"]),
        ("h100", "h100-sxm5-80gb", []),
        ("nothing", None, []),
    ],
)
def test_a_name_means_the_best_known_card_and_names_the_others_that_bear_it(
    page: Page, typed: str, card: str | None, others: list[str]
) -> None:
    ask = """async ([names, typed]) => {
      const { card, others } = (await import("/names.js")).meant(names, typed);
      return [card?.id ?? null, others.map(({ id }) => id)];
    }"""
    assert page.evaluate(ask, [NAMES, typed]) == [card, others]


@pytest.mark.parametrize(
    ("kept", "listed"),
    [
        ('[{"id": "a", "name": "A"}]', ["A"]),
        ('[{"id": "a"}, {"name": "B"}, null]', []),
        ('{"id": "a"}', []),
        ("no", []),
    ],
)
def test_of_what_the_browser_kept_only_cards_are_listed(page: Page, kept: str, listed: list[str]) -> None:
    found = page.evaluate(
        """async (kept) => {
          const { start } = await import("/saved.js");
          window.localStorage.setItem("ga-saved", kept);
          document.body.innerHTML = "<div data-saved><ul></ul><a data-saved-compare></a><p data-saved-none></p></div>";
          start(document, new URL("http://scripts/"));
          const links = [...document.querySelectorAll("li a")].map((link) => link.textContent);
          return [links, document.querySelector("[data-saved-none]").hidden];
        }""",
        kept,
    )
    assert found == [listed, bool(listed)]


def test_how_many_cards_a_filter_leaves_is_said_without_those_that_have_no_figure(page: Page) -> None:
    ask = """async ([cards, wanted, traces]) => {
      const { saidOf } = await import("/measures.js");
      const measures = { ...cards, at: new Map(cards.gpus.map((gpu, at) => [gpu, at])) };
      return saidOf(traces, measures, wanted);
    }"""
    said = page.evaluate(ask, [CARDS, asked(memory="16"), [TRACE, BELOW_A_PEAK]])
    assert said.startswith("2 of 3 cards are shown")
    said = page.evaluate(ask, [CARDS, asked(y="board_power_w"), [TRACE, BELOW_A_PEAK]])
    assert said.startswith("2 of 3 cards are shown")


@pytest.mark.parametrize(
    ("market", "query", "written"),
    [
        ("us", "market=eu&g=a,b", "?g=a,b"),
        ("eu", "g=a,b", "?g=a,b&market=eu"),
        ("us", "market=eu", ""),
        ("eu", "", "?market=eu"),
    ],
)
def test_an_address_names_a_market_that_is_not_the_usual_one(page: Page, market: str, query: str, written: str) -> None:
    ask = """async ([market, query]) => {
      const { withMarket } = await import("/market-choice.js");
      document.documentElement.dataset.market = market;
      const text = withMarket(query);
      delete document.documentElement.dataset.market;
      return text;
    }"""
    assert page.evaluate(ask, [market, query]) == written


QUESTION = """<form data-choose>
  <input type="hidden" name="market"><input type="hidden" name="own"><input type="hidden" name="own_prices">
  <input type="hidden" name="own_rents"><input name="units"><input name="deadline_hours">
  <select name="task"><option value="chat" data-kind="language" data-model="m"></option>
  <option value="serve" data-kind="language" data-model="m"></option></select>
  <select name="model"><optgroup data-kind="language"><option value="m"></option></optgroup></select>
  <p data-set></p><p data-run-fields></p><details data-own><select data-own-way></select><input data-own-gpu>
  <input data-own-usd><p data-own-says></p><p data-own-for></p><datalist></datalist>
  <ul data-each="owned"><template><li></li></template></ul></details></form>
  <div data-choose-answer></div><p data-choose-status></p><p data-choose-refused hidden></p>"""


@pytest.mark.parametrize(
    ("query", "market", "asked"), [("", "us", False), ("?task=serve", "us", True), ("", "eu", True), ("?", "us", False)]
)
def test_the_chooser_answers_what_the_address_or_another_market_asks_and_keeps_its_own_answer_else(
    page: Page, query: str, market: str, asked: bool
) -> None:
    """Its files are not there, so that an answer is the word that they could not be loaded."""
    said = page.evaluate(
        """async ([html, query, market, asked]) => {
          const { start } = await import("/choose-page.js");
          document.body.innerHTML = html;
          document.documentElement.dataset.market = market;
          history.replaceState(null, "", `/python.js${query}`);
          window.fetch = async () => new Response("", { status: 404 });
          start(document, new URL("http://scripts/"));
          const refused = document.querySelector("[data-choose-refused]");
          const moment = () => new Promise((done) => setTimeout(done, 50));
          for (let turn = 0; !refused.textContent && turn < (asked ? 400 : 6); turn += 1) await moment();
          delete document.documentElement.dataset.market;
          return refused.textContent;
        }""",
        [QUESTION, query, market, asked],
    )
    assert said.startswith("The figures could not be loaded") == asked


@pytest.mark.parametrize(
    ("rows", "sort", "laid_out", "first", "more"),
    [
        (500, "", 500, "0", None),
        (501, "", 500, "0", "Show all 501"),
        (3, "-name", 3, "2", None),  # the first column sorts too
        (3, "name", 3, "0", None),
        (3, "unknown", 3, "0", None),
    ],
)
def test_of_more_rows_than_five_hundred_the_rest_is_laid_out_when_asked_for(
    page: Page, rows: int, sort: str, laid_out: int, first: str, more: str | None
) -> None:
    fields = "".join(f'<input name="{field}">' for field in FIELDS_OF_FILTERS)
    boxes = '<input type="checkbox" name="col" value="name" checked><input type="checkbox" name="col" value="second">'
    form = f'<form data-filters="cards">{fields}{boxes}</form>'
    body = "".join(f'<tr data-id="{at}"><td class="n">{at}</td><td>x</td></tr>' for at in range(rows))
    head = '<thead><tr><th data-key="name">name</th><th data-key="second">second</th></tr></thead>'
    table = f'<table id="cards" data-sortable data-filtered>{head}<tbody>{body}</tbody></table>'
    found = page.evaluate(
        """async ([html, sort]) => {
          const { start } = await import("/table.js");
          document.body.innerHTML = html;
          history.replaceState(null, "", `/python.js${sort && `?sort=${sort}`}`);
          start(document);
          const rows = [...document.querySelectorAll("tbody tr")], more = document.querySelector("[data-count] button");
          const shown = () => rows.filter((row) => !row.hidden).length;
          const before = [shown(), rows[0].dataset.id, more.hidden ? null : more.textContent];
          more.click();
          return [...before, shown(), rows[0].cells[1].hidden, rows[0].cells[0].hidden];
        }""",
        [f"<div><p data-count></p>{form}</div>{table}", sort],
    )
    assert found == [laid_out, first, more, rows, True, False]


def test_a_saved_table_has_the_columns_and_rows_in_view_and_numbers_without_commas(page: Page) -> None:
    head = '<th>Card</th><th class="n" data-seen="yes">USD</th><th hidden>GB</th>'
    rows = """<tr><td>=A</td><td class="n" data-seen="2026-10">1,599</td><td>24</td></tr>
      <tr class="ga-out"><td>B</td><td class="n">1</td><td>2</td></tr>
      <tr><td>C</td><td class="n">2,000 <span class="ga-when">2026-09</span></td><td>8</td></tr>"""
    found = page.evaluate(
        """async (html) => {
          const { toCsv } = await import("/table.js");
          document.body.innerHTML = html;
          return toCsv(document.querySelector("table"));
        }""",
        f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>",
    )
    assert found == "Card,USD,yes\n'=A,1599,2026-10\nC,2000 2026-09,2026-09\n"


@pytest.mark.parametrize(
    ("typed", "key"),
    [
        ("NVIDIA GeForce RTX 4090", "rtx4090"),
        ("nvidai rtx 4090", "rtx4090"),  # a long name of a maker may be mistyped
        ("intle arc", "arc"),
        ("amdd 7900", "amdd7900"),  # a short one may not
        ("geforcexx 4090", "4090"),  # two letters more
        ("geforcexxx 4090", "geforcexxx4090"),
        ("nvidia", "nvidia"),  # nothing else is left
        ("A2.5", "a25"),
    ],
)
def test_what_was_typed_means_the_same_with_its_maker_and_without(page: Page, typed: str, key: str) -> None:
    assert page.evaluate('async (typed) => (await import("/names.js")).key(typed)', typed) == key


def test_at_most_eight_cards_are_suggested_and_as_many_as_are_asked_for(page: Page) -> None:
    ask = """async (names) => {
      const { find } = await import("/names.js");
      return [find(names, "rtx"), find(names, "rtx", 5), find(names, "id-1")].map((found) => found.map(({ id }) => id));
    }"""
    names = [[f"id-{at}", f"RTX {at}0"] for at in range(9)]
    ids = [id for id, _ in names]
    assert page.evaluate(ask, names) == [ids[:8], ids[:5], ["id-1"]]


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("/gpus/rtx-4080-vs-rtx-4090/", ["compare/?g=rtx-4080,rtx-4090"]),
        ("/gpus/rtx-4090-vs-rtx-4090.html", []),  # a card against itself
        ("/gpus/h100.html", ["gpus/h100-sxm5-80gb/"]),
        ("/rtx/", ["gpus/rtx-4090/", "gpus/rtx-4080/"]),
    ],
)
def test_a_page_that_does_not_exist_guesses_the_card_or_the_two_that_were_meant(
    page: Page, path: str, found: list[str]
) -> None:
    links = page.evaluate(
        """async ([path, names]) => {
          const { start } = await import("/guess.js");
          document.body.innerHTML = "<ul data-guess></ul><p data-guess-lede></p>";
          window.fetch = async (address) =>
            new URL(address).pathname === "/gpus/names.json"
              ? new Response(JSON.stringify(names)) : new Response("", { status: 404 });
          history.replaceState(null, "", path);
          await start(document, new URL("http://scripts/"));
          history.replaceState(null, "", "/python.js");
          return [...document.querySelectorAll("li a")].map((link) => link.href.replace("http://scripts/", ""));
        }""",
        [path, NAMES],
    )
    assert links == found


@pytest.mark.parametrize(
    ("query", "market", "field", "asked"),
    [("", "us", "market", False), ("?a=1", "us", "none", True), ("", "eu", "market", True), ("", "eu", "none", False)],
)
def test_a_calculator_answers_an_address_or_another_market_whose_electricity_counts(
    page: Page, query: str, market: str, field: str, asked: bool
) -> None:
    said = page.evaluate(
        """async ([query, market, field]) => {
          const { start } = await import("/calculators.js");
          document.body.innerHTML = `<form data-calculator="x"><input type="hidden" name="${field}"></form>
            <div data-calculator-answer>as it was</div><p data-calculator-status></p>`;
          document.documentElement.dataset.market = market;
          history.replaceState(null, "", `/python.js${query}`);
          window.fetch = async () => new Response("", { status: 404 });
          start(document, new URL("http://scripts/"));
          const place = document.querySelector("[data-calculator-answer]");
          const moment = () => new Promise((done) => setTimeout(done, 20));
          for (let turn = 0; place.textContent === "as it was" && turn < 10; turn += 1) await moment();
          delete document.documentElement.dataset.market;
          return place.textContent;
        }""",
        [query, market, field],
    )
    assert said.startswith("The figures could not be loaded." if asked else "as it was")


@pytest.mark.parametrize(("lines", "rows"), [(2, 2), (12, 12), (13, 12)])
def test_a_text_to_be_copied_by_hand_stands_in_at_most_twelve_lines(page: Page, lines: int, rows: int) -> None:
    ask = """async (lines) => {
      const { copied } = await import("/elements.js"), said = document.createElement("p");
      document.body.replaceChildren(said);
      await copied(Array(lines).fill("x").join("\\n"), said);
      return said.firstElementChild.rows;
    }"""
    assert page.evaluate(ask, lines) == rows


def test_an_answer_fills_a_page_hides_what_it_lacks_and_repeats_what_it_has_several_of(page: Page) -> None:
    html = """<div><p data-t="said"></p><p data-if="none"></p><p data-if="no"></p><p data-if="some"></p>
      <a data-href="to"></a><a data-gpu="gpu"></a><i data-vendor="maker"></i>
      <b data-attr="title:said lang:gone"></b>
      <ul data-each="rows"><template><li data-t="name"></li></template><li>old</li></ul>
      <ol data-each="rows" data-kept><template><li data-t="name"></li></template><li data-t="name">old</li></ol>
      <section data-after><p data-t="said">as it was</p></section></div>"""
    there = {"said": "read on 2026-10-04, of 2026-11", "some": "x", "gpu": "a", "maker": "AMD"}
    values = there | {"none": [], "no": 0, "to": "", "gone": "", "rows": [{"name": "one"}, {"name": "two"}]}
    found = page.evaluate(
        """async ([html, values]) => {
          const { fill } = await import("/fill.js");
          document.body.innerHTML = html;
          const [all, ask] = [document.body.firstElementChild, (name) => document.querySelector(name)];
          fill(all, values, new URL("http://scripts/"));
          const shown = [...document.querySelectorAll("[data-if]")].map(({ hidden }) => hidden);
          const days = [...document.querySelectorAll(".ga-whole")].map(({ textContent }) => textContent);
          const lists = ["ul", "ol"].map((name) => [...ask(name).querySelectorAll("li")].map((li) => li.textContent));
          const [vendor, attr, gpu, to] = ["i", "b", "[data-gpu]", "[data-href]"].map(ask);
          return [shown, days, lists, vendor.className, attr.outerHTML.split(" data-attr")[0], attr.title,
            gpu.getAttribute("href"), to.hasAttribute("href"), ask("section").textContent];
        }""",
        [html, values],
    )
    lists = [["one", "two"], ["one", "two"]]
    said = [there["said"], "http://scripts/gpus/a/", False, "as it was"]
    assert found == [[True, True, False], ["2026-10-04", "2026-11"], lists, "ga-dot ga-v-amd", "<b", *said]


LOOKED_UP = {
    "truly([])": False, "truly([0])": True, "truly({})": False, "truly({ a: 0 })": True, "truly(0)": False,
    "truly(new Map())": True,
    "same([1, [2]], [1, [2]])": True, "same([1], [1, 2])": False, "same([1, 2], [1])": False,
    "same({ a: 1 }, { b: 1 })": False, "same(null, undefined)": True, "same([], {})": False,
    "compare([1, 2], [1, 3])": -1, "compare([2], [1, 9])": 1, "compare([1], [1, 0])": -1, "compare([1], [1])": 0,
    "compare('b', 'a')": 1,
    "has([[1]], [1])": True, "has('abc', 'b')": True, "has(set([[1, 2]]), [1, 2])": True, "has({ a: 1 }, 'b')": False,
    "cut('abc', 1, null)": "bc", "cut([1, 2, 3], null, -1)": [1, 2], "at([1, 2], -1)": 2, "plus([1], [2])": [1, 2],
    "pairwise([1, 2, 3])": [[1, 2], [2, 3]], "range(2)": [0, 1], "range(1, 3)": [1, 2], "range(3, 1)": [],
    "sorted([3, 1, 2], (x) => -x)": [3, 2, 1], "sorted([10, 9])": [9, 10],
    "min([3, 1, 2], (x) => -x)": 3, "max([1, 3, 2])": 3, "min([], null, 7)": 7,
    "min([[1, 'a'], [1, 'b']], (x) => x[0])": [1, "a"], "max([[1, 'a'], [1, 'b']], (x) => x[0])": [1, "a"],
    "median([3, 1, 10])": 3, "median([4, 1, 2, 10])": 3, "sum([1, true])": 2,
    "strip('--a-', '-')": "a", "rstrip('1.00', '0')": "1.", "rstrip('000', '0')": "", "starts('ab', ['b', 'a'])": True,
    "ends('ab', ['a'])": False, "split(' a  b ')": ["a", "b"], "partition('a-b-c', '-')": ["a", "-", "b-c"],
    "partition('a', '-')": ["a", "", ""], "rpartition('a-b-c', '-')": ["a-b", "-", "c"],
    "rpartition('a', '-')": ["", "", "a"], "rpartition('-a', '-')": ["", "-", "a"],
    "removeprefix('aab', 'a')": "ab", "removesuffix('baa', 'a')": "ba", "removesuffix('ab', '')": "ab",
    "named('{} of {total:,}: {}', { 0: 1, 1: 'x', total: 1234 })": "1 of 1,234: x",
    "float(' 1e3 ')": 1000, "float('.5')": 0.5, "int(-1.9)": -1,
    "round(0.5)": 0, "round(1.5)": 2, "round(-0.5) + 0": 0, "round(2.5)": 2, "round(2.675, 2)": 2.67,
    "round(0.125, 2)": 0.12, "round(0.375, 2)": 0.38,
    "fixed(0.5)": "0", "fixed(1.5)": "2", "fixed(2.5)": "2", "fixed(0.25, 1)": "0.2", "fixed(0.35, 1)": "0.3",
    "fixed(1e21, 1)": "1e+21", "fixed(1 / 0)": "inf", "fixed(-1 / 0)": "-inf", "fixed(0 / 0)": "nan",
    "format(0.0001, 'g')": "0.0001", "format(0.00001, 'g')": "1e-05", "format(999999, 'g')": "999999",
    "format(1000000, 'g')": "1e+06", "format(1234567, ',')": "1,234,567", "format(1234.5, ',.1f')": "1,234.5",
    "format(1234.5, '.2e')": "1.23e+03", "format(1.5, '.1g')": "2", "format(2.5, '.1g')": "2", "format(0, 'g')": "0",
    "format(99.95, '.3g')": "100", "format(100, '.2g')": "1e+02", "format('a', '.1f')": "a", "format(1.5, '')": "1.5",
    "format(-1234, ',')": "-1,234", "format(1, '.1f')": "1.0",
    "grouped('123')": "123", "grouped('1234.5678')": "1,234.5678",
    "str(null)": "None", "str(true)": "True", "str(1 / 0)": "inf",
    "repr('a')": "'a'", 'repr("it\'s")': '"it\'s"', "repr('\\'\"')": "'\\'\"'",
}  # fmt: skip


def test_what_python_brings_answers_in_the_browser_as_python_does(page: Page) -> None:
    ask = """async (asked) => {
      const python = await import("/python.js"), names = Object.keys(python);
      return asked.map((text) => new Function(...names, `return ${text}`)(...names.map((name) => python[name])));
    }"""
    found = dict(zip(LOOKED_UP, page.evaluate(ask, list(LOOKED_UP)), strict=True))
    wrong = {text: (found[text], value) for text, value in LOOKED_UP.items() if found[text] != value}
    assert not wrong


@pytest.mark.parametrize("text", ["min([], null)", "float('1,5')", "float('')", "float('1 2')"])
def test_what_python_refuses_the_browser_refuses_too(page: Page, text: str) -> None:
    ask = """async (text) => {
      const python = await import("/python.js"), names = Object.keys(python);
      try {
        return String(new Function(...names, `return ${text}`)(...names.map((name) => python[name])));
      } catch (error) {
        return error instanceof python.ValueError ? "refused" : String(error);
      }
    }"""
    assert page.evaluate(ask, text) == "refused"


BOXES = '<input data-gpu-input name="one"><input data-gpu-input name="two">'


def test_a_look_up_suggests_and_the_arrows_go_round_the_list(page: Page) -> None:
    found = page.evaluate(
        """async ([html, names]) => {
          const { start } = await import("/lookup.js");
          document.body.innerHTML = html;
          window.fetch = async () => new Response(JSON.stringify(names));
          start(document, new URL("http://scripts/"));
          const input = document.querySelector("input"), list = document.querySelector("ul");
          const moment = () => new Promise((done) => setTimeout(done, 20));
          const press = (key) => {
            input.dispatchEvent(new KeyboardEvent("keydown", { key, cancelable: true }));
            return [...list.children].findIndex((one) => one.getAttribute("aria-selected") === "true");
          };
          input.focus();
          input.value = "rtx";
          input.dispatchEvent(new Event("input"));
          for (let turn = 0; list.hidden && turn < 50; turn += 1) await moment();
          press("Enter"); // nothing is chosen yet
          const before = [list.children.length, list.hidden];
          const turns = [press("ArrowUp"), press("ArrowDown"), press("ArrowDown"), press("ArrowDown")];
          press("Enter");
          return [...before, ...turns, input.value, input.dataset.id, list.hidden];
        }""",
        [f'<form data-lookup="compare">{BOXES}</form>', NAMES],
    )
    assert found == [2, False, 0, 1, 0, 1, "NVIDIA GeForce RTX 4080", "rtx-4080", True]


def test_enter_in_the_first_box_of_a_comparison_leads_on_to_the_second(page: Page) -> None:
    found = page.evaluate(
        """async (html) => {
          const { start } = await import("/lookup.js");
          document.body.innerHTML = html;
          start(document, new URL("http://scripts/"));
          const [one] = document.querySelectorAll("input");
          one.value = "rtx 4090";
          document.querySelector("form").requestSubmit();
          await new Promise((done) => setTimeout(done, 20));
          return [document.activeElement.name, window.location.pathname];
        }""",
        f'<form data-lookup="compare">{BOXES}</form>',
    )
    assert found == ["two", "/python.js"]
