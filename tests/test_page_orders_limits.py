"""The order in which the pages list things: what a reader should look at first stands first, ties have an order too."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from samples import price, record, result

from pipeline.advise.estimate.points import Excluded
from pipeline.advise.estimate.validation import Breakdown, SizeRow
from pipeline.core.schema import DecidedClaim
from pipeline.dataset import Dataset
from pipeline.derive.news import Corrected
from pipeline.intake.sources import MODULES
from pipeline.record import judge
from pipeline.site.pages import (
    calculators,
    compare,
    conflicts,
    home,
    price_history,
    sources,
    table,
    unplaced,
    validation,
)
from pipeline.site.pages import gpu as card_page
from pipeline.site.pages import models as model_pages


def group(name: str, error: float = 0.0, covered: float = 1.0) -> Breakdown:
    return Breakdown(name, 3, error, 0.0, covered)


def test_the_groups_that_the_estimator_hits_worst_come_first() -> None:
    weak = {"b": [group("y", 0.26), group("x", 0.4)], "a": [group("z", 0.4), group("even", validation.WEAK)]}
    assert [(name, one.group) for name, one in validation._weak(weak)] == [("a", "z"), ("b", "x"), ("b", "y")]
    low, _ = validation.validation.TARGETS["share of decode points inside their 80 % interval"]
    narrow = {"b": [group("y", covered=0.5), group("x", covered=0.4)], "a": [group("z", covered=0.5)]}
    narrow["a"].append(group("just enough", covered=low))
    assert [(name, one.group) for name, one in validation._narrow(narrow)] == [("b", "x"), ("a", "z"), ("b", "y")]


def test_the_size_that_is_furthest_off_comes_first_whichever_way() -> None:
    rows = [SizeRow(name, 1e9, counted, "", "") for name, counted in (("b", 1.1e9), ("low", 0.8e9), ("a", 1.1e9))]
    assert [(row.name, found, counted) for row, found, counted in validation._by_error(rows)] == [
        ("low", 1.0, 0.8), ("a", 1.0, 1.1), ("b", 1.0, 1.1),
    ]  # fmt: skip


def test_the_reason_for_which_most_points_are_left_out_comes_first_with_the_points_that_share_it() -> None:
    rows = [
        Excluded("p1", "set-b", "no date"),
        Excluded("p3", "set-a", "unknown model 'x'; add it"),
        Excluded("p2", "set-a", "unknown model 'y'; add it"),
        Excluded("p4", "set-a", "no date"),
    ]
    found = validation.excluded_groups(rows)
    assert [(one.set, one.reason) for one in found] == [
        ("set-a", "a model that the registry does not hold"), ("set-a", "no date"), ("set-b", "no date"),
    ]  # fmt: skip
    assert found[0].keys == ["p2 (unknown model 'y')", "p3 (unknown model 'x')"]


def said(gpu: str, source: str, watts: str, verdict: Any) -> DecidedClaim:
    origin = (source, "community", f"https://{source}.e.org/", "row 1", "2026-11-20", "MIT")
    return DecidedClaim(gpu, "board_power_w", watts, "W", *origin, verdict == "chosen", verdict, "", None, source)


def test_the_widest_contradiction_comes_first_and_is_as_wide_above_as_below() -> None:
    cards = {
        id: record(id=id, claims={"board_power_w": (said(id, "maker", "400", "chosen"), *others)})
        for id, others in {
            "a": (said("a", "shop", "200", "differs"),),
            "b": (said("b", "shop", "900", "differs"), said("b", "den", "800", "differs")),
            "c": (said("c", "shop", "390", "agrees"),),
        }.items()
    }
    found = conflicts.disputes(Dataset(cards))
    assert [(one.gpu.id, one.other.value, one.gap) for one in found] == [
        ("b", "900", 2.25), ("a", "200", 2.0), ("b", "800", 2.0),
    ]  # fmt: skip


def test_the_source_of_which_theory_refused_most_results_comes_first() -> None:
    refused = [result(source=source, flag=f"{judge.REFUSED}: too fast") for source in ("b", "a", "c", "b")]
    sound = [result(source="c"), result(source="c", flag="a slip of ours")]
    found = conflicts.refused(Dataset({}, benchmarks=(*refused, *sound)))
    assert [(source, len(rows)) for source, rows in found] == [("b", 2), ("a", 1), ("c", 1)]


def test_the_source_with_the_most_rows_comes_first() -> None:
    first, second, third, *_ = sorted(module.SOURCE.id for module in MODULES)
    measured = tuple(result(source=source, locator=f"row {at}") for at, source in enumerate((third, second, third)))
    asked = (price(source=third), price(source=second), price(source=first))
    (page,) = sources.pages(Dataset({"x-y": record()}, benchmarks=measured, prices=asked))
    listed = [(one.source.id, one.claims + one.benchmarks + one.prices) for one in page.context["sources"]]
    assert listed[:4] == [(third, 3), (second, 2), (first, 1), (min({id for id, rows in listed if not rows}), 0)]


@pytest.mark.parametrize(("names", "shown"), [(400, 400), (401, 400)])
def test_names_without_a_place_are_counted_by_verdict_and_four_hundred_of_a_source_are_shown(
    names: int, shown: int, tmp_path: Path
) -> None:
    verdicts = ["unknown"] * (names - 1) + ["ambiguous"]
    rows = [f"card {at},{verdict}" for at, verdict in enumerate(verdicts)]
    for source, lines in {"b": rows, "a": ["x,ignored"], "empty": []}.items():
        (tmp_path / f"{source}.csv").write_text("\n".join(["name,verdict", *lines, ""]), encoding="utf-8")
    (page,) = unplaced.pages(Dataset({}), tmp_path)
    told = [(source, counts, len(listed), count) for source, _, counts, listed, count in page.context["sources"]]
    assert told == [
        ("a", [("ignored", 1)], 1, 1),
        ("b", [("ambiguous", 1), ("unknown", names - 1)], shown, names),
    ]
    assert page.context["total"] == names + 1


def test_the_models_are_listed_from_the_smallest_to_the_largest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_pages.holding, "Offers", lambda _: SimpleNamespace(bought={}, rented={}))
    alone = Dataset({"x-y": record()}, benchmarks=(result(),))
    *_, index = model_pages.pages(alone)
    at_four_bit = [min(needs) for _, needs, _ in index.context["rows"]]
    assert at_four_bit == sorted(at_four_bit)
    assert len(at_four_bit) == len(model_pages.paged()) > 10


def test_a_list_of_cards_to_choose_from_is_ordered_by_name_without_the_maker() -> None:
    rows = [("NVIDIA", "z", "NVIDIA A40"), ("NVIDIA", "a", "NVIDIA T4"), ("AMD", "m", "AMD MI210")]
    assert calculators._grouped(rows) == [("AMD", [("m", "MI210")]), ("NVIDIA", [("z", "A40"), ("a", "T4")])]


def test_prices_of_one_day_are_listed_by_kind_then_the_cheapest_first() -> None:
    about = {"usd_per_gpu_hour": None, "usd_per_machine_hour": None, "gpus": None}
    rows = [
        price(kind=kind, usd_per_unit=usd, date=day, offer=offer, **about)
        for kind, usd, day, offer in (
            ("system", 1.0, "2026-11-01", "s"), ("used", 9.0, "2026-11-01", "b"), ("used", 9.0, "2026-11-01", "a"),
            ("used", 8.0, "2026-11-01", "u"), ("retail", 99.0, "2026-11-01", "r"), ("used", 5.0, "2026-10-30", "o"),
        )
    ]  # fmt: skip
    unfit = [price(), price(kind="used", usd_per_unit=0.0, **about), price(kind="used", usd_per_unit=1.0, date="")]
    found = price_history.history_rows(record(prices=(*rows, *unfit)))
    assert "".join(row.offer for row in found) == "oruabs"


def test_only_american_prices_without_tax_are_drawn_over_time_and_a_launch_price_alone_is_none() -> None:
    about = {"kind": "used", "usd_per_unit": 900.0, "usd_per_gpu_hour": None, "usd_per_machine_hour": None}
    launch = price(**{**about, "kind": "launch", "date": "2022-10-12"}, offer="launch", country="US")
    untaxed = price(**about, offer="plain", country="US", tax=0.0)
    unknown = price(**about, offer="unsaid", country="US", tax=None)
    taxed = price(**about, offer="taxed", country="US", tax=8.0)
    greek = price(**about, offer="greek", country="GR", tax=24.0)
    drawn = price_history.drawn_rows(record(prices=(greek, taxed, untaxed, unknown, launch)))
    assert [row.offer for row in drawn] == ["launch", "plain", "unsaid"]
    assert price_history.drawn_rows(record(prices=(greek, taxed, launch))) == []


def test_the_home_page_tells_of_each_card_the_figure_that_was_furthest_off_and_no_change_of_source(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cards = {id: record(id=id) for id in ("a", "b")}
    rows = (("a", "3000", "30"), ("b", "60", "30"), ("a", "40", "30"), ("b", "3", ""))
    put_right = [Corrected(cards[id], "board_power_w", *said, "W", "shop", "2026-11-20", "") for id, *said in rows]
    moves = [SimpleNamespace(gpu="a", share=share) for share in (0.5, None, -0.1)]
    monkeypatch.setattr(home.news, "corrected", lambda _: put_right)
    monkeypatch.setattr(home, "changes", lambda _: moves)
    told = home._moved(Dataset(cards, prices=(price(),)))
    assert [(one.gpu.id, one.stated) for one, *_ in told["corrected"]] == [("a", "3000"), ("b", "60")]
    assert told["all_corrected"] == 4
    assert [move.share for _, move in told["moves"]] == [0.5, -0.1]
    assert told["all_moves"] == 2


def test_a_look_up_knows_the_best_known_card_first() -> None:
    measured = {"a": (), "b": (result(source="one"), result(source="two")), "c": (result(source="one"),)}
    cards = {id: record(id=id, name=f"Card {id}", aliases=(id * 3,), benchmarks=own) for id, own in measured.items()}
    names = json.loads(table.names(Dataset(cards, benchmarks=(result(),))))
    assert names == [["b", "Card b", "bbb"], ["c", "Card c", "ccc"], ["a", "Card a", "aaa"]]


def test_the_rows_of_a_comparison_stand_by_sparsity_then_format_then_unit_matrix_first() -> None:
    keys = [key for key in compare._peak_keys() if key.input in ("bf16", "fp32") and key.accumulate == "fp32"]
    assert [(key.sparsity, key.input, key.engine) for key in keys] == [
        ("dense", "bf16", "tensor"), ("dense", "bf16", "vector"), ("dense", "fp32", "tensor"),
        ("dense", "fp32", "vector"), ("sparse", "bf16", "tensor"), ("sparse", "bf16", "vector"),
        ("sparse", "fp32", "tensor"), ("sparse", "fp32", "vector"),
    ]  # fmt: skip
    sums = [key.accumulate for key in compare._peak_keys() if (key.input, key.engine) == ("fp16", "tensor")]
    assert sums == ["fp32", "fp16", "int32", "fp64"] * 2


@pytest.mark.parametrize(
    ("sold", "words"),
    [
        ({"us": True, "eu": True, "uk": None}, "as a module that needs a carrier board"),
        ({"us": True, "eu": False, "uk": None}, "as a whole machine"),  # one market has a machine
        ({"us": None, "eu": "last seen", "uk": None}, "as a module that needs a carrier board"),
        ({"us": None, "eu": None, "uk": None}, "as a whole machine"),
    ],
)
def test_what_every_market_sells_as_a_module_is_called_one(sold: dict[str, Any], words: str) -> None:
    def quote(_: str, __: str, market: str) -> Any:
        module = sold[market]
        last = SimpleNamespace(module=True) if module == "last seen" else None
        return SimpleNamespace(value=900.0 if isinstance(module, bool) else None, module=module is True, last=last)

    book: Any = SimpleNamespace(quote=quote)
    assert card_page._sold_as(book, record()) == words
