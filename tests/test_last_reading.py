"""Damage that still parses is stopped: a reading is held against the last one, and a person asked where it differs."""

from __future__ import annotations

import csv
import io
import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from types import ModuleType

import pytest
from samples import Tree, claim, price, result
from test_refresh import Shelf, module, raising, run
from test_sources import MIRROR

from pipeline.core.paths import DATA, DataPaths
from pipeline.intake import last_reading, refresh
from pipeline.intake.last_reading import doubts
from pipeline.intake.snapshots import Mirror
from pipeline.intake.sources import MODULES
from pipeline.intake.sources.base import Snapshot, Source, SourceFile
from pipeline.record import build

LAST = [
    price(gpu=f"gpu-{n}", usd_per_gpu_hour=1.0 + n, date="2026-11-20", locator=f"list.csv, row {n}") for n in range(100)
]


def dearer(factor: float, share: float = 1.0) -> list[last_reading.Observation]:
    many = int(share * len(LAST))
    return [replace(p, usd_per_gpu_hour=p.gpu_hour_usd * factor) for p in LAST[:many]] + LAST[many:]


def test_the_same_reading_raises_no_doubt() -> None:
    assert doubts(LAST, LAST) == []


@pytest.mark.parametrize(("rows", "doubted"), [(80, False), (79, True)])
def test_a_fifth_of_the_rows_may_go_and_not_more(rows: int, doubted: bool) -> None:
    assert bool(doubts(LAST, LAST[:rows])) == doubted


@pytest.mark.parametrize(("rows", "doubted"), [(75, False), (76, True)])
def test_three_quarters_more_rows_may_come_and_not_more(rows: int, doubted: bool) -> None:
    assert bool(doubts(LAST, LAST + LAST[:rows])) == doubted


@pytest.mark.parametrize(("kept", "doubted"), [(75, False), (74, True)])
def test_a_quarter_of_the_things_may_be_exchanged_and_not_more(kept: int, doubted: bool) -> None:
    new = LAST[:kept] + [replace(p, gpu=f"other-{p.gpu}") for p in LAST[kept:]]
    assert bool(doubts(LAST, new)) == doubted


@pytest.mark.parametrize(("factor", "doubted"), [(1.5, False), (1.51, True), (0.67, False), (0.66, True)])
def test_the_median_price_may_move_by_a_half_and_not_more(factor: float, doubted: bool) -> None:
    assert bool(doubts(LAST, dearer(factor))) == doubted


@pytest.mark.parametrize(("factor", "doubted"), [(4.9, False), (5.0, True), (0.21, False), (0.2, True)])
def test_a_single_price_may_not_jump_fivefold(factor: float, doubted: bool) -> None:
    assert bool(doubts(LAST, dearer(factor, share=0.01))) == doubted


@pytest.mark.parametrize(("factor", "doubted"), [(1.05, False), (1.073741824, True)])
def test_the_figures_of_specifications_do_not_move_and_gb_for_gib_is_seen(factor: float, doubted: bool) -> None:
    last = [claim("memory_gb", 24, gpu=f"gpu-{n}") for n in range(9)]
    assert bool(doubts(last, [replace(c, value=str(24 * factor)) for c in last])) == doubted


@pytest.mark.parametrize(("value", "doubted"), [("35.9", False), ("36", True), ("16.1", False), ("16", True)])
def test_one_figure_of_a_specification_may_not_change_by_half(value: str, doubted: bool) -> None:
    last = [claim("memory_gb", 24, gpu=f"gpu-{n}") for n in range(9)]
    assert bool(doubts(last, [replace(last[0], value=value), *last[1:]])) == doubted


@pytest.mark.parametrize(("value", "doubted"), [(124.0, False), (125.0, True), (81.0, False), (80.0, True)])
def test_one_result_without_a_day_may_not_change_by_a_quarter(value: float, doubted: bool) -> None:
    last = [result(gpu=f"gpu-{n}", date="") for n in range(9)]
    assert bool(doubts(last, [replace(last[0], value=value), *last[1:]])) == doubted


@pytest.mark.parametrize(
    ("day", "doubted"),
    [
        ("2022-11-12", False),
        ("2022-11-13", True),
        ("2022-12-10", True),
        ("2022-11", False),
        ("2022-09-11", False),
        ("2022-09-10", True),
    ],
)
def test_a_launch_day_may_not_move_by_more_than_a_month(day: str, doubted: bool) -> None:
    last = [claim("launch_date", "2022-10-12")]
    assert bool(doubts(last, [replace(last[0], value=day)])) == doubted


PRICE = "p.json, on_demand nvidia-geforce-rtx-4090 on_demand Cloud eu"
RUN = "b.csv, throughput nvidia-geforce-rtx-4090 1 training resnet50 fp16 64 PyTorch 2 throughput"


@pytest.mark.parametrize(
    ("day", "doubted"), [("2026-11-09", True), ("2026-11-10", False), ("2026-10", True), ("2026-11", False)]
)
def test_a_price_of_a_day_that_was_over_does_not_change(day: str, doubted: bool) -> None:
    last = [price(usd_per_gpu_hour=1.99, date=day, retrieved="2026-11-10")]
    assert doubts(last, last) == []
    found = doubts(last, [replace(last[0], usd_per_gpu_hour=1.97, retrieved="2026-11-20")])
    assert found == ([f"{PRICE} of {day}: 1.97, it was 1.99"] if doubted else [])


def test_a_second_offer_of_an_old_day_is_none_of_these() -> None:
    last = [price(usd_per_gpu_hour=1.99, date="2026-09-01", retrieved="2026-11-10")]
    assert doubts(last, [*last, replace(last[0], usd_per_gpu_hour=2.4)]) == []


def test_a_price_is_compared_as_it_was_asked_and_not_by_our_rates() -> None:
    last = [price(usd_per_gpu_hour=1.99, amount=1.7, currency="EUR", date="2026-09-01", retrieved="2026-11-10")]
    assert doubts(last, [replace(last[0], usd_per_gpu_hour=1.97)]) == []
    assert doubts(last, [replace(last[0], amount=1.71)]) != []


def test_a_result_of_a_day_does_not_change_nor_move_to_the_day_that_is_its_month() -> None:
    last = [result(date="2026-06-09", value=12.3114)]
    assert doubts(last, [replace(last[0], value=12.2429)]) == [f"{RUN} of 2026-06-09: 12.2429, it was 12.3114"]
    moved = replace(last[0], date="2026-09-06")
    assert doubts(last, [moved]) == [f"{RUN} of 2026-06-09 is of 2026-09-06 now: the month in the day's place"]
    assert doubts(last, [replace(moved, value=13.0)]) == []  # a run of another day
    assert doubts([*last, moved], [moved]) == []  # it stood there before


def test_results_times_ten_are_seen() -> None:
    last = [result(gpu=f"gpu-{n}") for n in range(9)]
    assert doubts(last, [replace(r, value=1000.0) for r in last])


@pytest.mark.parametrize(("text", "doubted"), [("Café GPU", False), ("CafÃ© GPU", True), ("price â‚¬", True)])
def test_doubly_encoded_text_is_seen(text: str, doubted: bool) -> None:
    assert bool(doubts(LAST, [*LAST[1:], replace(LAST[0], includes=text)])) == doubted


@pytest.mark.parametrize(("rows", "doubted"), [(7, False), (8, True)])
def test_of_very_few_rows_none_says_that_others_are_missing(rows: int, doubted: bool) -> None:
    assert bool(doubts(LAST[:rows], LAST[:1])) == doubted


@pytest.mark.parametrize(("bytes_now", "doubted"), [(80, False), (79, True), (175, False), (176, True)])
def test_a_file_may_lose_a_fifth_of_its_bytes_or_gain_three_quarters(bytes_now: int, doubted: bool) -> None:
    assert bool(last_reading.doubts_of_size({"list.csv": (1000, 10 * bytes_now)})) == doubted
    assert not last_reading.doubts_of_size({"list.csv": (499, bytes_now)}), "a file too small to say anything"


def cards(tree: Tree, price: Callable[[int], float]) -> str:
    """A list of the tree's GPUs, in several regions' rows, at made prices."""
    return "name,memory,price\n" + "".join(f"RTX 4090,24,{price(n)}\n" for n in range(12))


def test_a_doubtful_reading_keeps_the_last_rows_until_a_person_accepts_it(tree: Tree) -> None:
    sound, damaged = cards(tree, lambda n: 1.0 + n), cards(tree, lambda n: 100.0 + 100 * n)
    run(tree, module(), Shelf({"0.csv": sound}))
    before = tree.state()
    outcome = run(tree, module(), Shelf({"0.csv": damaged}))
    assert "looks damaged beside its last reading" in outcome.problem
    assert "python -m pipeline refresh --only shop --accept-change" in outcome.problem
    assert tree.state() == before
    assert run(tree, module(), Shelf({"0.csv": damaged}), accept_change=True).problem == ""
    assert tree.state() != before


@pytest.mark.parametrize("wrong", ["nan", "inf", "-1", "0"])
def test_what_is_no_positive_number_is_no_price(tree: Tree, wrong: str) -> None:
    outcome = run(tree, module(), Shelf({"0.csv": f"name,memory,price\nRTX 4090,24,{wrong}\n"}))
    assert "is no price or result; last good rows kept" in outcome.problem


@pytest.mark.parametrize("error", [OverflowError("x"), ZeroDivisionError("x"), RecursionError("x"), RuntimeError("x")])
def test_whatever_a_module_ends_in_the_other_sources_are_read(tree: Tree, error: Exception) -> None:
    modules = [module(raising(error)), module()]
    found = refresh.refresh(modules, Shelf(), build.load_names(tree.data), tree.data, lambda _: None)  # type: ignore[arg-type]
    assert type(error).__name__ in found[0].problem
    assert not found[1].problem


# ---- real sources, damaged as bytes ----


@dataclass(frozen=True)
class Prices:
    """Where a source writes its prices, and the columns that may change places unseen by a parser."""

    numbers: tuple[str, ...]
    swapped: tuple[str, str]


PRICES = {
    "anycloud-catalog": Prices(("Price", "SpotPrice"), ("Price", "SpotPrice")),
    "aws-p5-price-history": Prices(("price_usd",), ("price_usd", "timestamp")),
    "buttke-ebay-gpu-prices": Prices(("eBay Price",), ("eBay Price", "QTY Sold")),
    "docyx-pc-part-dataset": Prices(("price",), ("price", "core_clock")),
    "fsdl-cloud-gpus": Prices(("On-demand", "Per-GPU", "Spot", "Per-Hour"), ("On-demand", "Spot")),
    "gpu-poet": Prices(("price_usd",), ("price_usd", "gpu")),
    "gpu-price-feed": Prices((), ("", "")),
    "lexsi-gpu-price-dashboard": Prices(("usd_per_hr", "inr_per_hr"), ("usd_per_hr", "inr_per_hr")),
    "skypilot-catalog": Prices(("Price", "SpotPrice"), ("Price", "SpotPrice")),
    "teoampatzis-gpu-prices-gr": Prices(("price",), ("price", "shopCount")),
    "united-compute-amazon": Prices(("buy_box_usd",), ("buy_box_usd", "date")),
}
Cell = Callable[[str, object], object]


def each_number(factor: float) -> Callable[[bytes, Prices], bytes]:
    def damaged(content: bytes, prices: Prices) -> bytes:
        def cell(head: str, value: object) -> object:
            if prices.numbers and head not in prices.numbers:
                return value
            if isinstance(value, float) or (isinstance(value, int) and prices.numbers):
                return value * factor
            if isinstance(value, str) and prices.numbers:
                bare = value.replace("$", "").replace(",", "")
                try:
                    return value[: value.startswith("$")] + f"{float(bare) * factor:.6g}"
                except ValueError:
                    return value
            return value

        return _over_rows(content, lambda row: {head: cell(head, value) for head, value in row.items()})

    return damaged


def swapped(content: bytes, prices: Prices) -> bytes:
    one, other = prices.swapped

    def exchanged(row: dict[str, object]) -> dict[str, object]:
        if one not in row or other not in row:
            return row
        return {**row, one: row[other], other: row[one]}

    return _over_rows(content, exchanged)


def doubly_encoded(content: bytes, prices: Prices) -> bytes:
    return content.decode("utf-8").encode("utf-8").decode("latin-1").encode("utf-8")


def doubled(content: bytes, prices: Prices) -> bytes:
    return _lists(content, lambda rows: rows + rows)


def a_quarter_gone(content: bytes, prices: Prices) -> bytes:
    return _lists(content, lambda rows: [row for number, row in enumerate(rows) if number % 4])


def cut_at_a_row(content: bytes, prices: Prices) -> bytes:
    return _lists(content, lambda rows: rows[: len(rows) * 6 // 10])


DAMAGES: dict[str, Callable[[bytes, Prices], bytes]] = {
    "all prices x 100": each_number(100),
    "all prices x 10": each_number(10),
    "all prices halved": each_number(0.5),
    "all prices / 10": each_number(0.1),
    "two columns swapped": swapped,
    "doubly encoded text": doubly_encoded,
    "all rows doubled": doubled,
    "a quarter of the rows gone": a_quarter_gone,
    "cut at a row's end": cut_at_a_row,
}


def _over_rows(content: bytes, change: Callable[[dict[str, object]], dict[str, object]]) -> bytes:
    """A CSV or JSON with each row, or each object, changed."""
    if content.lstrip()[:1] in (b"{", b"["):

        def walked(value: object) -> object:
            if isinstance(value, dict):
                return {k: walked(v) for k, v in change(value).items()}
            return [walked(v) for v in value] if isinstance(value, list) else value

        return b"\n".join(json.dumps(walked(part)).encode() for part in _parts(content))
    heads, *rows = csv.reader(io.StringIO(content.decode("utf-8"), newline=""))
    changed = []
    for row in rows:
        after = change(dict(zip(heads, row, strict=False)))
        changed.append([str(after[head]) for head in heads[: len(row)]] + row[len(heads) :])
    return _csv([heads, *changed])


def _lists(content: bytes, change: Callable[[list[object]], list[object]]) -> bytes:
    """A CSV with other rows, or a JSON whose lists and maps of prices have other members."""
    if content.lstrip()[:1] not in (b"{", b"["):
        heads, *rows = csv.reader(io.StringIO(content.decode("utf-8"), newline=""))
        return _csv([heads, *change(list(rows))])  # type: ignore[list-item]

    def walked(value: object) -> object:
        if isinstance(value, list):
            return change(value) if value and isinstance(value[0], dict) else value
        if isinstance(value, dict):
            if value and all(isinstance(v, float | int) for v in value.values()) and len(value) > 3:
                return dict(change(list(value.items())))  # type: ignore[arg-type]
            return {k: walked(v) for k, v in value.items()}
        return value

    return b"\n".join(json.dumps(walked(part)).encode() for part in _parts(content))


def _parts(content: bytes) -> Iterator[object]:
    try:
        yield json.loads(content)
    except ValueError:
        yield from (json.loads(line) for line in content.splitlines())


def _csv(rows: list[list[str]]) -> bytes:
    out = io.StringIO(newline="")
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue().encode()


@dataclass
class Damaged:
    """The mirror, with the bytes of every file damaged."""

    mirror: Mirror
    damage: Callable[[bytes, Prices], bytes]

    def get(self, source: Source, file: SourceFile) -> Snapshot:
        snapshot = self.mirror.get(source, file)
        return replace(snapshot, content=self.damage(snapshot.content, PRICES[source.id]))


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> DataPaths:
    """A data tree with our names, and the price sources as the mirror has them."""
    if not (MIRROR / "MANIFEST.csv").is_file():
        pytest.skip(f"no mirror of the real files at {MIRROR}")
    data = DataPaths(tmp_path_factory.mktemp("good") / "data")
    for folder in ("gpus", "names"):
        shutil.copytree(DATA.data / folder, data.data / folder)
    shutil.copy(DATA.data / "currencies.yml", data.data)
    outcomes = refresh.refresh(price_modules(), Mirror.open(MIRROR), build.load_names(data), data, lambda _: None)
    assert [o.problem for o in outcomes if o.problem] == []
    return data


def price_modules() -> list[ModuleType]:
    return [module for module in MODULES if module.SOURCE.id in PRICES]


@pytest.mark.full
@pytest.mark.parametrize("name", DAMAGES)
def test_damage_to_a_real_price_source_is_stopped_or_changes_no_price(good: DataPaths, name: str) -> None:
    names = build.load_names(good)
    entered = []
    for price_source in price_modules():
        store = Damaged(Mirror.open(MIRROR), DAMAGES[name])
        outcome = refresh.read_source(price_source, store, names)
        if not outcome.problem and not refresh.doubts(price_source, outcome, good):
            sound = refresh.read_source(price_source, Mirror.open(MIRROR), names)
            entered += [price_source.SOURCE.id] if amounts(outcome) != amounts(sound) else []
    assert entered == []


def amounts(outcome: refresh.Outcome) -> set[object]:
    return {(p.gpu, p.kind, p.provider, p.region, p.date, p.usd_per_gpu_hour, p.usd_per_unit) for p in outcome.prices}
