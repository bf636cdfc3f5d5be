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


@pytest.mark.parametrize(
    ("text", "written"),
    [("=1+1", "'=1+1"), ("-5", "'-5"), ("a=1", "a=1"), ("a,b", '"a,b"'), ('a"b', '"a""b"'), ("a\nb", '"a\nb"')],
)
def test_a_text_of_a_saved_table_begins_no_formula_and_breaks_no_row(page: Page, text: str, written: str) -> None:
    assert page.evaluate('async (text) => (await import("/csv.js")).safe(text)', text) == written
