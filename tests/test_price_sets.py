"""Prices that people read or contribute are checked like claims, and a wrong price can be withdrawn."""

from __future__ import annotations

import csv

import pytest
import yaml
from samples import Tree, price

from pipeline.core import files
from pipeline.core.schema import Price, columns
from pipeline.intake import price_sets
from pipeline.intake.price_sets import COLUMNS, PriceSetError
from pipeline.record import build

CARD = "nvidia-geforce-rtx-4090"
ABOUT = {
    "title": "Prices of one shop",
    "publisher": "Shop",
    "url": "https://example.org/list",
    "kind": "community",
    "licence": "CC BY-SA 4.0",
    "read": "2026-11-22",
    "basis": "asked",
    "country": "DE",
    "tax": 19,
}
ROW = {
    "gpu": CARD,
    "kind": "retail",
    "product": "ASUS TUF RTX 4090",
    "provider": "Shop",
    "price": "2000",
    "currency": "EUR",
    "date": "2026-11-20",
    "locator": "first row",
}


def add(tree: Tree, about: dict[str, object] | None = None, **changes: str) -> None:
    row = {**dict.fromkeys(COLUMNS, ""), **ROW, **changes}
    tree.write("price-sets/mine.csv", files.csv_text(COLUMNS, [[row[c] for c in COLUMNS]]))
    tree.write("price-sets/mine.yml", yaml.safe_dump({**ABOUT, **(about or {})}))
    tree.write("snapshots.csv", "source,file,url,form,retrieved\na,b,c,original,2026-11-21\n")


def built(tree: Tree) -> list[dict[str, str]]:
    build.build(tree.data)
    with (tree.data.clean / "prices.csv").open(encoding="utf-8", newline="") as file:
        return [row for row in csv.DictReader(file) if row["kind"] != "launch"]


def test_a_sound_set_enters_the_dataset_with_currency_country_tax_and_product(tree: Tree) -> None:
    add(tree)
    (row,) = built(tree)
    assert (row["amount"], row["currency"], row["usd_per_unit"]) == ("2000", "EUR", "2339.8")
    assert (row["country"], row["tax"], row["basis"]) == ("DE", "19", "asked")
    assert (row["product"], row["source"], row["locator"]) == (ROW["product"], "mine", "mine.csv, row 2: first row")


def test_the_rent_of_a_machine_is_stored_by_the_gpu(tree: Tree) -> None:
    add(tree, kind="on_demand", price="16", currency="USD", gpus="8", country="", tax="0")
    (row,) = built(tree)
    assert (row["usd_per_machine_hour"], row["usd_per_gpu_hour"], row["amount"]) == ("16", "2", "2")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"gpu": "rtx-9999"}, "unknown GPU name 'rtx-9999'"),
        ({"currency": "XXX"}, "row 2: column 'currency' holds 'XXX'"),
        ({"price": "-5"}, "row 2: column 'price' holds '-5'"),
        ({"price": "nan"}, "row 2: column 'price' holds 'nan'"),
        ({"price": ""}, "row 2: column 'price' is empty"),
        ({"kind": "launch"}, "row 2: column 'kind' holds 'launch'"),
        ({"kind": "spot"}, "row 2: column 'gpus' holds ''"),
        ({"url": "javascript:alert(1)"}, "no address as https"),
        ({"date": "2027-11-20"}, "in the future"),
        ({"date": "last week"}, "no day as 2026-11-21"),
        ({"tax": "190"}, "no sales tax"),
        ({"country": "Germany"}, "two capital letters"),
        ({"basis": "guessed"}, "basis = 'guessed'"),
        ({"condition": "broken"}, "condition = 'broken'"),
    ],
)
def test_a_wrong_row_is_refused_with_place_value_and_next_step(
    tree: Tree, changes: dict[str, str], message: str
) -> None:
    add(tree, **changes)
    with pytest.raises((build.BuildError, PriceSetError), match=message):
        build.build(tree.data)


@pytest.mark.parametrize(
    ("about", "message"),
    [
        ({"licence": ""}, r"mine.yml:\d+: licence"),
        ({"url": "javascript:alert(1)"}, r"mine.yml:\d+: url"),
        ({"kind": "rumour"}, r"mine.yml:\d+: kind"),
        ({"basis": "guessed"}, r"mine.yml:\d+: basis"),
        ({"read": "2027-11-22"}, "more than 31 days after the newest snapshot"),
    ],
)
def test_a_set_of_unclear_origin_is_refused(tree: Tree, about: dict[str, object], message: str) -> None:
    add(tree, about)
    with pytest.raises((build.BuildError, PriceSetError), match=message):
        build.build(tree.data)


@pytest.mark.parametrize(("day", "sound"), [("2026-12-22", True), ("2026-12-23", False)])
def test_a_typed_day_moves_the_clock_by_a_month_at_most(tree: Tree, day: str, sound: bool) -> None:
    add(tree, {"read": day})
    if sound:
        assert built(tree)
    else:
        with pytest.raises(build.BuildError, match="2026-12-23"):
            build.build(tree.data)


def test_a_set_without_its_yaml_or_with_other_columns_is_refused(tree: Tree) -> None:
    add(tree)
    tree.data.price_sets.joinpath("mine.yml").unlink()
    with pytest.raises(PriceSetError, match="each set needs its YAML"):
        list(price_sets.load(tree.data.price_sets))
    add(tree)
    tree.write("price-sets/mine.csv", "gpu,price\na,1\n")
    with pytest.raises(PriceSetError, match="columns are"):
        list(price_sets.load(tree.data.price_sets))


def machine_row(tree: Tree, month: str = "2026-08", **changes: object) -> None:
    row = price(**changes)
    tree.write(f"prices/{month}.csv", files.csv_text(columns(Price), [[getattr(row, c) for c in columns(Price)]]))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"source": "a-friend"}, "source = 'a-friend'"),
        ({"currency": "XXX"}, "currency = 'XXX'"),
        ({"licence": ""}, "licence = ''"),
        ({"url": "javascript:alert(1)"}, "url = 'javascript"),
        ({"date": "2026-09-01"}, r"prices/2026-08.csv row 2: column 'date' holds '2026-09-01'"),
    ],
)
def test_a_row_typed_into_a_machine_file_is_checked_too(tree: Tree, changes: dict[str, object], message: str) -> None:
    machine_row(tree, **changes)
    with pytest.raises(build.BuildError, match=message):
        build.build(tree.data)


def test_a_file_written_before_the_newer_columns_is_read_and_completed_from_its_source(tree: Tree) -> None:
    old = columns(Price)[: columns(Price).index("amount")]
    row = price(source="buttke-ebay-gpu-prices", kind="used", usd_per_unit=500.0, date="2026-08")
    tree.write("prices/2026-08.csv", files.csv_text(old, [[getattr(row, c) for c in old]]))
    (read,) = built(tree)
    assert (read["basis"], read["country"], read["tax"]) == ("sold", "US", "0")


WITHDRAWAL = {
    "source": "gpu-price-feed",
    "gpu": CARD,
    "kind": "on_demand",
    "date": "2026-08-22",
    "expect": 0.5,
    "reason": "a slice of the card",
}


def test_a_withdrawn_price_stays_with_its_reason_and_counts_nowhere(tree: Tree) -> None:
    machine_row(tree)
    tree.write("corrections.yml", yaml.safe_dump({"prices": [WITHDRAWAL]}))
    (row,) = built(tree)
    assert row["flag"] == "withdrawn: a slice of the card"


@pytest.mark.parametrize("change", [{"expect": 0.7}, {"offer": "another"}, {"date": "2026-08-23"}])
def test_a_withdrawal_that_matches_nothing_stops_the_build(tree: Tree, change: dict[str, object]) -> None:
    machine_row(tree)
    tree.write("corrections.yml", yaml.safe_dump({"prices": [WITHDRAWAL | change]}))
    with pytest.raises(build.BuildError, match="take the correction out"):
        build.build(tree.data)
