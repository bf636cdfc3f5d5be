"""Which of several rows a reference of a chapter means, and on which side of a boundary a condition is true."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from samples import price, record, result

from pipeline.dataset import Dataset
from pipeline.editorial.prose import Prose, ProseError

GPU = "x-y"


def prose(prices: Any = (), results: Any = (), samples: Path = Path(), charts: frozenset[str] = frozenset()) -> Prose:
    rows = tuple(prices)
    card = record(prices=rows, benchmarks=tuple(results))
    newest = price(retrieved="2026-11-20")
    dataset = Dataset({GPU: card}, prices=(*rows, newest))
    return Prose(dataset, lambda number, unit: f"{number:.6g} {unit}".strip(), {}, samples=samples, charts=charts)


def shown(text: str, of: Prose) -> str:
    """What a reader sees of a reference."""
    html = of.render(f"{{{{ {text} }}}}", "x.md", "")
    return html.partition(">")[2].partition("</")[0]


def bought(usd: float, date: str, **changes: Any) -> Any:
    usual = {"kind": "retail", "usd_per_unit": usd, "usd_per_gpu_hour": None, "usd_per_machine_hour": None}
    about = {"provider": "Shop", "country": "US", "tax": 0.0, "basis": "asked", "gpus": None, "product": "A"}
    return price(gpu=GPU, date=date, **usual | about | changes)


def run(**changes: Any) -> Any:
    about = {"model": "vit", "precision": "fp16", "value": 7.0, "locator": "runs.csv, row 5", "flag": ""}
    return result(gpu=GPU, **about | changes)


OTHERS = [
    run(model="vit-large", value=1.0), run(gpu_count=2, value=2.0), run(value=None), run(flag="throttled", value=3.0),
    run(precision="int8", value=4.0), run(locator="runs.csv, row 9", value=5.0), run(metric="latency", value=6.0),
]  # fmt: skip
NAMED = f'bench("{GPU}", "vit", precision="fp16", metric="throughput", row="row 5"'


@pytest.mark.parametrize(
    ("text", "number"),
    [
        (NAMED + ")", "7"),
        (f'bench("{GPU}", "vit", gpus=2)', "2"),
        (f'bench("{GPU}", "vit", flagged="thr")', "3"),
        (f'bench("{GPU}", "vit-large")', "1"),
        (f'bench("{GPU}", "vit", precision="int8")', "4"),
        (f'bench("{GPU}", "vit", metric="latency")', "6"),
        (f'bench("{GPU}", "vit", row="row 9")', "5"),
    ],
)
def test_a_result_is_named_by_its_columns_and_no_other_row_is_taken_for_it(text: str, number: str) -> None:
    assert shown(text, prose(results=[*OTHERS, run()])) == f"{number} images/s"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f'bench("{GPU}", "vit", precision="fp16")', "has 3 results of 'vit'"),
        (f'bench("{GPU}", "vit", flagged="slow")', "has 0 results"),
        (f'bench("{GPU}", "vit", gpu_count="1")', "bench knows set, precision, metric, batch; not gpu_count"),
        (f'rent("{GPU}", "spot")', "rent knows the kinds rent, marketplace; not 'spot'"),
        (f'price("{GPU}", "spot")', "price knows the kinds retail, used, system and launch; not 'spot'"),
        (f'price("{GPU}", "retail", market="de")', "markets are us, eu, uk; not 'de'"),
        ('total("names")', "no table is called 'names'"),
        ('calc("2 > 1")', "is a comparison; use holds"),
        ('calc("10.0 ** 999")', "its result is too large"),
        ('calc("1 < 2 < 3")', "is not allowed"),
    ],
)
def test_what_a_reference_does_not_tell_apart_is_an_error(text: str, message: str) -> None:
    with pytest.raises(ProseError) as error:
        shown(text, prose(results=[*OTHERS, run()]))
    assert message in str(error.value)


MONTHS = [bought(900, "2026-11-10"), bought(1000, "2026-09-10"), bought(800, "2026-11-01", flag="a slip")]


@pytest.mark.parametrize(
    ("text", "rows", "said"),
    [
        ("", MONTHS, "900 USD (retail, 2026-11)"),
        (', at="2026-09"', MONTHS, "1000 USD (retail, 2026-09)"),
        (", brief=True", MONTHS, "900 USD (2026\u201111)"),
        (", old=True", MONTHS, "900 USD (retail, last seen 2026-11)"),
        ("", [bought(700, "2025-11-10")], "700 USD (retail, 2025-11)"),  # history, where nothing is of now
        ("", [bought(700, "2026-11-10", basis="floor")], "700 USD (retail, lowest asked, 2026-11)"),
    ],
)
def test_a_price_is_that_of_today_or_of_the_month_that_is_asked_for(text: str, rows: list[Any], said: str) -> None:
    of = prose(rows)
    assert shown(f'price("{GPU}", "retail"{text})', of) == said
    month = "@2026-09" if "at=" in text else ""
    assert of.used == [("price", GPU, f"retail{month}")]
    assert [one.said for one in of.aged] == ([] if month else ["old" in text])


def rented(usd: float, provider: str, date: str = "2026-11-10", **changes: Any) -> Any:
    about = {"gpus": 1.0, "usd_per_machine_hour": usd, "country": "US"} | changes
    return price(gpu=GPU, provider=provider, usd_per_gpu_hour=usd, date=date, **about)


LET = [rented(3.0, "Cloud"), rented(1.0, "Vast.ai")]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('"rent"', "3 USD an hour (on demand, 2026-11)"),
        ('"marketplace"', "1 USD an hour (on a marketplace, 2026-11)"),
        ('"rent", old=True', "3 USD an hour (on demand, last seen 2026-11)"),
        ('"rent", brief=True', "3 USD (2026\u201111)"),
        ("brief=True", "3 USD (cloud, 2026\u201111)"),
    ],
)
def test_a_rent_says_where_unless_the_head_of_a_table_does(text: str, said: str) -> None:
    assert shown(f'rent("{GPU}", {text})', prose(LET)) == said


def test_an_offer_of_one_kind_is_the_lowest_sound_one_of_the_newest_day_on_demand() -> None:
    rows = [
        rented(5.0, "Cloud", includes="secure cloud"), rented(4.0, "Cloud", includes="community"),
        rented(3.0, "Cloud", flag="a slip"), rented(2.0, "Cloud", kind="spot"), rented(1.0, "Cloud", "2026-11-09"),
        rented(0.5, "Clouds"),
    ]  # fmt: skip
    assert shown(f'offer("{GPU}", "Cloud")', prose(rows)) == "4 USD (2026-11)"
    assert shown(f'offer("{GPU}", "Cloud", within="secure")', prose(rows)) == "5 USD (2026-11)"
    assert shown(f'offer("{GPU}", "Cloud", old=True)', prose(rows)) == "4 USD (last seen 2026-11)"


@pytest.mark.parametrize(
    ("condition", "true"),
    [
        ("2 > 1", True), ("1 > 1", False), ("1 >= 1", True), ("1 >= 2", False), ("1 < 2", True), ("1 < 1", False),
        ("1 <= 1", True), ("2 <= 1", False), ("2 + 3 > 4.9", True), ("5 - 3 < 2.1", True), ("2 * 3 >= 6", True),
        ("3 / 2 <= 1.5", True), ("2 ** 3 >= 8", True), ("-1 < 0", True), ("2 + 3", False),
    ],
)  # fmt: skip
def test_a_condition_is_true_on_its_side_of_the_boundary(condition: str, true: bool) -> None:
    of = prose()
    text = f'{{{{ holds("{condition}") }}}}'
    if true:
        assert of.render(text, "x.md", "") == ""
        assert of.held == 1
    else:
        with pytest.raises(ProseError, match="no longer true"):
            of.render(text, "x.md", "")


@pytest.mark.parametrize(("number", "whole", "said"), [("7 / 2", "", "3.5"), ("8 / 3", ", whole=True", "3")])
def test_a_worked_figure_is_exact_unless_a_whole_one_is_asked_for(number: str, whole: str, said: str) -> None:
    assert shown(f'calc("{number}"{whole})', prose()) == said


SAMPLE = "import a\n\n\n@a.b\n@a.c\ndef first() -> None:\n    return None\n\n\nclass Second:\n    x = 1\n"


def test_a_part_of_a_sample_begins_with_its_decorators_and_ends_with_its_last_line(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text(SAMPLE, encoding="utf-8")
    of = prose(samples=tmp_path)
    parts = of.render('{{ sample("one.py", "Second", "first") }}', "x.md", "")
    assert parts == "```python\nclass Second:\n    x = 1\n\n\n@a.b\n@a.c\ndef first() -> None:\n    return None\n```"
    assert of.render('{{ sample("one.py") }}', "x.md", "") == f"```python\n{SAMPLE.strip()}\n```"


@pytest.mark.parametrize(
    ("text", "rows", "drawn"),
    [
        ('"memory"', [], True),
        ('"price-history"', [], False),  # of which card?
        (f'"memory", "{GPU}"', MONTHS, False),
        (f'"price-history", "{GPU}"', MONTHS[:1], True),
        (f'"price-history", "{GPU}"', MONTHS[2:], False),  # nothing but a slip
        (f'"price-history", "{GPU}"', [bought(900, "2026-11-10", kind="launch")], False),
        (f'"price-history", "{GPU}"', LET, False),
    ],
)
def test_a_chart_is_one_of_the_site_or_the_history_of_a_card_that_has_a_price(
    text: str, rows: list[Any], drawn: bool
) -> None:
    of = prose(rows, charts=frozenset({"memory"}))
    if drawn:
        assert of.render(f"{{{{ chart({text}) }}}}", "x.md", "").startswith("<!--chart ")
    else:
        with pytest.raises(ProseError):
            of.render(f"{{{{ chart({text}) }}}}", "x.md", "")
