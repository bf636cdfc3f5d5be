"""Our prices are held against prices collected by hand that no source of ours gives."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from samples import committed

from pipeline.core.paths import DATA
from pipeline.tools import price_audit
from pipeline.tools.price_audit import COLUMNS, AuditError, Collected

ROW = {"card": "nvidia-geforce-rtx-4090", "market": "us", "kind": "used", "low": "100", "high": "200"}


def written(folder: Path, **changes: str) -> Path:
    path = folder / "prices.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, restval="")
        writer.writeheader()
        writer.writerow({**ROW, **changes})
    return path


@pytest.mark.parametrize(("value", "right"), [(84.9, False), (85.1, True), (229.9, True), (230.1, False)])
def test_a_range_is_widened_by_15_per_cent_at_both_ends(value: float, right: bool) -> None:
    price = Collected("a", "us", "used", 100, 200, "2026-09", "https://e.org", "")
    assert price.holds(value) is right


@pytest.mark.parametrize(("value", "right"), [(49.9, False), (50.1, True), (229.9, True), (230.1, False)])
def test_a_price_that_says_where_prices_begin_may_lie_under_the_range_by_half(value: float, right: bool) -> None:
    price = Collected("a", "us", "used", 100, 200, "2026-09", "https://e.org", "")
    assert price.holds(value, begins=True) is right


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"market": "mars"}, "no market or kind 'mars'"),
        ({"kind": "stolen"}, "no market or kind 'us', 'stolen'"),
        ({"low": "cheap"}, "'cheap' to '200' is no range"),
        ({"low": "300"}, "300 to 200 is no range"),
        ({"low": "0"}, "0 to 200 is no range"),
    ],
)
def test_a_row_that_is_no_price_is_named(tmp_path: Path, changes: dict[str, str], words: str) -> None:
    with pytest.raises(AuditError, match=f"row 2: {words}"):
        price_audit.collection(written(tmp_path, **changes))


COLLECTIONS = (
    ("prices",),
    ("by_month",),
    ("by_month_2",),
    ("by_month_3", "prices_2", "prices_3"),
    ("by_month_4", "prices_4", "by_month_5", "prices_5", "by_month_6", "prices_6"),
)
# The fifth holds 215 prices of 33 cards: its README says where documents were sought, what it lacks and what left it.
# Of the fourth, 46 cards of 51 are left.
SMALLER = {COLLECTIONS[-1]: (215, 33), COLLECTIONS[-2]: (150, 46)}


def test_every_file_belongs_to_one_collection() -> None:
    files = {path.stem for path in (*price_audit.NOW, *price_audit.BY_MONTH)}
    assert sorted(files) == sorted(name for names in COLLECTIONS for name in names)


@pytest.mark.parametrize("names", COLLECTIONS)
def test_a_collection_is_large_spread_and_of_known_cards(names: tuple[str, ...]) -> None:
    paths = [path for path in (*price_audit.NOW, *price_audit.BY_MONTH) if path.stem in names]
    by_file = {path: price_audit.collection(path) for path in paths}
    cards = {price.card for prices in by_file.values() for price in prices}
    prices_asked, cards_asked = SMALLER.get(names, (150, 50))
    assert sum(map(len, by_file.values())) >= prices_asked
    assert len(cards) >= cards_asked
    assert {card for card in cards if not (DATA.gpus / f"{card}.yml").is_file()} == set()
    for path, prices in by_file.items():
        monthly = path in price_audit.BY_MONTH
        months = {price.day[:7] if monthly else "" for price in prices}
        assert months == {""} or min(months) >= "2025-11"
        once = {(price.card, price.market, price.kind, price.day[:7] * monthly) for price in prices}
        assert len(once) == len(prices)


def test_a_later_part_of_the_fifth_collection_draws_nothing_that_an_earlier_one_holds() -> None:
    drawn: dict[str, set[tuple[str, str, str, str]]] = {}
    for path in (*price_audit.NOW, *price_audit.BY_MONTH):
        for price in price_audit.collection(path):
            drawn.setdefault(path.stem[-2:], set()).add((price.card, price.market, price.kind, price.day[:7]))
    assert drawn["_4"] & drawn["_5"] == set()
    assert (drawn["_4"] | drawn["_5"]) & drawn["_6"] == set()


def test_every_range_of_a_later_part_rests_on_two_houses_or_listings_or_on_a_page_that_states_it() -> None:
    for path in (*price_audit.NOW, *price_audit.BY_MONTH):
        for price in price_audit.collection(path) if path.stem.endswith(("_5", "_6")) else ():
            words = price.note.split(": ")[0].split()
            assert words == ["range"] or (words[1] in ("houses", "listings") and int(words[0]) >= 2), price


def test_no_collected_price_is_one_of_a_price_set() -> None:
    ours = set()
    for path in DATA.price_sets.glob("*.csv"):
        with path.open(encoding="utf-8", newline="") as file:
            ours |= {(row["gpu"], float(row["price"]), row["url"]) for row in csv.DictReader(file)}
    paths = (*price_audit.NOW, *price_audit.BY_MONTH)
    collected = [price for path in paths for price in price_audit.collection(path)]
    both = {(price.card, amount, price.url) for price in collected for amount in (price.low, price.high)}
    assert both & ours == set()


@pytest.mark.full
def test_every_quote_outside_its_range_is_explained() -> None:
    why = price_audit.explanations()
    rows = [row for of_one in price_audit.held(committed()).values() for row in of_one]
    missed = {row.key for row in rows if row.compared and not row.right}
    assert missed - why.keys() == set()
    assert why.keys() - missed == set(), "no miss any more: take the explanation out of misses.csv"


def test_every_range_of_the_fifth_collection_rests_on_two_houses_or_more() -> None:
    paths = [path for path in (*price_audit.NOW, *price_audit.BY_MONTH) if path.stem.endswith("_4")]
    prices = [price for path in paths for price in price_audit.collection(path)]
    for price in prices:
        count, houses = price.note.split("; also ")[0].split(" houses: ")
        named = [part.split()[0] for part in houses.split("; ")]
        assert len(set(named)) == len(named) == int(count) >= 2, price


def test_no_file_of_the_fifth_collection_was_read_for_an_earlier_one() -> None:
    by_round: dict[bool, set[str]] = {True: set(), False: set()}
    for path in (*price_audit.NOW, *price_audit.BY_MONTH):
        for price in price_audit.collection(path):
            by_round[path.stem.endswith("_4")] |= {price.url.split("/blob/")[-1].partition("/")[2] or price.url}
    assert by_round[True] & by_round[False] == set()
