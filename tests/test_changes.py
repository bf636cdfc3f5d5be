"""The comment on a pull request says what changes for a reader, and nothing that a stranger wrote can act in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import astuple, replace
from types import SimpleNamespace

import pytest
import yaml
from samples import GPU, SOUND, Tree, claim, price, record, result

from pipeline.core import files
from pipeline.core.paths import ROOT
from pipeline.core.schema import Price, Result, columns
from pipeline.dataset import Dataset
from pipeline.record import build
from pipeline.tools import changes

RECORDED = ROOT / "tests" / "recorded" / "changes"
THIRD = {"source": "third", "locator": "row 9", "kind": "community"}
OTHER = {"source": "other", "locator": "row 2", "kind": "community"}
Change = Callable[[Tree], None]


def write_prices(tree: Tree, *rows: Price) -> None:
    tree.write("prices/2026-08.csv", files.csv_text(columns(Price), map(astuple, rows)))


def write_results(tree: Tree, *rows: Result) -> None:
    tree.write("results/lab.csv", files.csv_text(columns(Result), map(astuple, rows)))


def third(tree: Tree, bandwidth: str, cores: int | None) -> None:
    """What a source that we show nothing of states; 16,384 cores are shown."""
    said = (("memory_bandwidth_gb_s", bandwidth), ("shader_cores", cores))
    tree.claims("third", tuple(claim(field, value, **THIRD) for field, value in said if value))


def before(tree: Tree) -> None:
    third(tree, "1008 GB/s", 16000)
    write_prices(
        tree,
        price(date="2026-08-22"),
        price(date="2026-08-22", provider="Second", usd_per_gpu_hour=0.7, usd_per_machine_hour=1.4),
    )
    write_results(tree, result())


def new_card(tree: Tree) -> None:
    tree.gpu("nvidia-rtx-new", {**GPU, "name": "NVIDIA New", "aliases": ["New"]})
    tree.claims("other", (claim("memory_gb", "24 GB", gpu="nvidia-rtx-new", **OTHER),))


WITHDRAWN = {
    "source": "gpu-price-feed",
    "gpu": "nvidia-geforce-rtx-4090",
    "kind": "on_demand",
    "date": "2026-08-22",
    "expect": 0.7,
    "reason": "a slice of the card",
}
WITHDRAWN_VALUE = {
    "source": "wikipedia-gpu-info",
    "gpu": "nvidia-geforce-rtx-4090",
    "field": "board_power_w",
    "expect": "450",
    "reason": "the power of a board partner's card",
}
WITHDRAWN_CORES = {
    "source": "third",
    "gpu": "nvidia-geforce-rtx-4090",
    "field": "shader_cores",
    "expect": "16000",
    "reason": "the cores of an engineering sample",
}
CHANGES: Mapping[str, Change] = {
    "value": lambda tree: tree.claims(
        "wikipedia-gpu-info", (*(c for c in SOUND if c.field != "board_power_w"), claim("board_power_w", "425 W"))
    ),
    "conflict": lambda tree: tree.claims("other", (claim("board_power_w", "500 W", **OTHER),)),
    "statement": lambda tree: third(tree, "1010 GB/s", 16000),
    "statement-contradicts": lambda tree: third(tree, "960 GB/s", 16000),
    "statement-gone": lambda tree: third(tree, "", 16000),
    "conflict-gone": lambda tree: third(tree, "1008 GB/s", 16384),
    "conflict-withdrawn": lambda tree: tree.write("corrections.yml", yaml.safe_dump({"withdrawn": [WITHDRAWN_CORES]})),
    "price": lambda tree: write_prices(tree, price(date="2026-08-22", usd_per_gpu_hour=0.4, usd_per_machine_hour=0.8)),
    "result": lambda tree: write_results(tree, result(value=120.0), result(locator="b.csv, row 3", batch="32")),
    "card": new_card,
    "new-price": lambda tree: write_prices(
        tree,
        price(date="2026-08-22"),
        price(date="2026-08-22", provider="Second", usd_per_gpu_hour=0.7, usd_per_machine_hour=1.4),
        price(
            date="2026-08-21",
            kind="used",
            usd_per_gpu_hour=None,
            usd_per_machine_hour=None,
            usd_per_unit=1740.0,
            gpus=None,
            provider="Shop",
            product="Imagined RTX 4090 OC",
            url="https://e.org/4090",
        ),
    ),
    "withdrawn-price": lambda tree: tree.write("corrections.yml", yaml.safe_dump({"prices": [WITHDRAWN]})),
    "withdrawn-value": lambda tree: (
        tree.claims("other", (claim("board_power_w", "450 W", **OTHER),)),
        tree.write("corrections.yml", yaml.safe_dump({"withdrawn": [WITHDRAWN_VALUE]})),
    )[0],
}


def chapter(text: str) -> SimpleNamespace:
    return SimpleNamespace(source=SimpleNamespace(name="prices-now"), markdown=text)


def pick(first: str, second: str) -> SimpleNamespace:
    options = [SimpleNamespace(name=name, way="buy") for name in (first, second)]
    return SimpleNamespace(
        question=SimpleNamespace(id="q", words="Which card for chat under 1,000 dollars?"),
        answer=SimpleNamespace(ranked=options),
    )


@pytest.fixture
def states(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Build the tree before and after a change and compare; guide and picks are small ones of the test."""

    def compared(change: Change, guides: tuple[str, str] = ("", ""), chosen: tuple[object, object] = ((), ())) -> str:
        before(tree)
        build.build(tree.data)
        old = Dataset.load(tree.data.clean)
        change(tree)
        build.build(tree.data)
        new = Dataset.load(tree.data.clean)
        texts, answers = {id(old): guides[0], id(new): guides[1]}, {id(old): chosen[0], id(new): chosen[1]}
        read = lambda dataset, _: SimpleNamespace(chapters=[chapter(texts[id(dataset)])])  # noqa: E731
        monkeypatch.setattr(changes.guide, "read", read)
        monkeypatch.setattr(changes.picks, "picks", lambda dataset: SimpleNamespace(picks=answers[id(dataset)]))
        return changes.markdown(old, new)

    return compared


def recorded(name: str) -> str:
    return (RECORDED / f"{name}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_of_the_data_is_told_as_recorded(states: Callable[..., str], name: str) -> None:
    assert states(CHANGES[name]) == recorded(name)


@pytest.mark.parametrize(("usd", "told"), [(1.79, False), (1.81, True), (0.21, False), (0.19, True)])
def test_a_price_that_comes_far_from_the_one_shown_is_pointed_out(
    states: Callable[..., str], usd: float, told: bool
) -> None:
    """Shown was 0.60 dollars, the middle of 0.50 and 0.70: three times and a third of it are the boundaries."""
    comes = price(date="2026-08-22", provider="New", usd_per_gpu_hour=usd, usd_per_machine_hour=2 * usd)
    text = states(lambda tree: write_prices(tree, price(date="2026-08-22"), comes))
    assert ("#### Prices to look at twice" in text) == told
    assert not told or f"| New | us | 0.6 USD | {usd:g} USD, " in text


@pytest.mark.parametrize(("usd", "told"), [(3000.0, False), (3010.0, True), (334.0, False), (333.0, True)])
def test_a_price_that_comes_far_from_the_last_one_seen_is_pointed_out_where_there_is_none_of_now(
    usd: float, told: bool
) -> None:
    """Two years ago the card cost 1,000 dollars used, and nobody has been seen selling it since."""
    about = {"kind": "used", "usd_per_gpu_hour": None, "usd_per_machine_hour": None, "gpus": None, "country": "US"}
    gone = price(gpu="x-y", date="2024-11-10", usd_per_unit=1000.0, tax=0.0, basis="asked", **about)
    comes = replace(gone, date="2026-11-10", usd_per_unit=usd)
    old, new = (
        Dataset({"x-y": record(prices=rows)}, benchmarks=(result(),), prices=rows) for rows in ((gone,), (gone, comes))
    )
    found = [row[:5] for row in changes.surprises(old, new) if row[3] == "us"]
    assert found == [("x-y", "used", "Cloud", "us", "1,000 USD")] * told


def test_a_sentence_that_reads_otherwise_is_told_as_recorded(states: Callable[..., str]) -> None:
    was = "Of the cards that one can buy used, the RTX 3090 costs <span>$1,032</span> in September 2026."
    assert states(lambda _: None, (was, was.replace("1,032", "871"))) == recorded("sentence")


def test_a_pick_that_changes_is_told_as_recorded(states: Callable[..., str]) -> None:
    chosen = [pick("RTX 3090", "RX 7900 XTX")], [pick("RX 7900 XTX", "RTX 3090")]
    assert states(lambda _: None, chosen=chosen) == recorded("pick")


def test_no_change_is_one_sentence(states: Callable[..., str]) -> None:
    assert states(lambda _: None).split("\n\n")[1].strip().startswith("Nothing that is worked out from the data: ")


HOSTILE = (
    "[click](https://evil.example) ![x](http://evil.example/x.png) @everyone | `rm` <img src=x> #1 www.evil.example"
)


def test_a_strangers_text_can_neither_link_nor_call_nor_draw() -> None:
    shown = changes.quoted(HOSTILE)
    assert "](" not in shown.replace("\\", "#")
    assert "@everyone" not in shown
    assert "://e" not in shown
    assert "<img" not in shown
    assert not any(sign in shown.replace(f"\\{sign}", "") for sign in "[]()!|`#")


def test_a_long_section_is_cut_and_counted() -> None:
    section = changes._section("x", ("a",), [(str(n),) for n in range(500)])
    assert len(section.rows) + section.more == 500
    assert section.more > 0
