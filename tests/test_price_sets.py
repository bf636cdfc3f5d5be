"""Prices that people read or contribute are checked like claims, and a wrong price can be withdrawn."""

from __future__ import annotations

import csv
from dataclasses import replace

import pytest
import yaml
from samples import GPU, SOUND, Tree, claim, price

from pipeline.core import files
from pipeline.core.schema import Claim, Price, columns
from pipeline.intake import price_sets
from pipeline.intake.price_sets import COLUMNS
from pipeline.record import build
from pipeline.record.validate.observations import BUYING_AGAINST_KNOWN

CARD = "nvidia-geforce-rtx-4090"
OTHER = "nvidia-geforce-rtx-4080"
ABOUT = {
    "title": "Prices of one shop",
    "publisher": "Shop",
    "url": "https://e.org/list",
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
        ({"gpu": "rtx-9999"}, "'rtx-9999': no GPU has this id"),
        ({"currency": "XXX"}, ":2: column 'currency' holds 'XXX'"),
        ({"price": "-5"}, ":2: column 'price' holds '-5'"),
        ({"price": "nan"}, ":2: column 'price' holds 'nan'"),
        ({"price": ""}, ":2: column 'price' is empty"),
        ({"kind": "launch"}, ":2: column 'kind' holds 'launch'"),
        ({"kind": "spot"}, ":2: column 'gpus' is empty"),
        ({"url": "javascript:alert(1)"}, "is no web address; it begins with https"),
        ({"date": "2027-11-20"}, "in the future"),
        ({"date": "last week"}, "no day as 2026-11-21"),
        ({"tax": "190"}, "no sales tax"),
        ({"country": "Germany"}, "two capital letters"),
        ({"basis": "guessed"}, "basis = 'guessed'"),
        ({"condition": "broken"}, "condition = 'broken': not one of new, open box, refurbished, used; correct it"),
        ({"tax": "0.19"}, "tax = '0.19': is a share, and no sales tax in per cent; write 19"),
        ({"country": "US", "currency": "USD", "tax": "8"}, "tax = '8': prices in the United States are listed without"),
        ({"condition": "used"}, "condition = 'used': retail is what new cards cost"),
        ({"country": "UK", "currency": "GBP"}, "country = 'UK': .*write GB"),
        ({"currency": "GBP"}, "currency = 'GBP': shops in DE ask EUR"),
        ({"date": "2022-10-11"}, "date = '2022-10-11': before the launch of nvidia-geforce-rtx-4090"),
        ({"flag": "none"}, ":2: column 'flag' holds 'none', which is no reason"),
        ({"flag": "-"}, ":2: column 'flag' holds .*-.*, which is no reason"),
        ({"product": "RTX 4090 " + "x" * 192}, ":2: column 'product' .* has 201 letters, and at most 200"),
        ({"product": "ASUS TUF"}, "product = 'ASUS TUF': names no card"),
        ({"product": "ASUS TUF RTX 4080"}, "names nvidia-geforce-rtx-4080, and the row is of nvidia-geforce-rtx-4090"),
        ({"product": "Shop", "provider": "ASUS TUF RTX 4090"}, "provider = .*product and provider changed places"),
        ({"price": "1"}, "price = '1 EUR': .*0.00073 times the least that anybody else states of this card"),
        ({"price": "2.500"}, "price = '2.5 EUR': .*or 2.500 for 2500"),
        (
            {"price": "250000"},
            "price = '250000 EUR': .*183 times the most that anybody else states of this card .1,599 USD",
        ),
        (
            {"kind": "system", "product": "Box with RTX 4080", "price": "3000"},
            "product = .*names nvidia-geforce-rtx-4080",
        ),
    ],
)
def test_a_wrong_row_is_refused_with_place_value_and_next_step(
    tree: Tree, changes: dict[str, str], message: str
) -> None:
    released(tree)
    add(tree, **changes)
    with pytest.raises(build.BuildError, match=message):
        build.build(tree.data)


def released(tree: Tree) -> None:
    """The tests' card with its day of launch and another card beside it."""
    launch = claim("launch_date", "2022-10-12")
    write_claims(tree, launch, *(replace(one, gpu=OTHER) for one in (*SOUND, launch)))
    tree.gpu(OTHER, {**GPU, "name": "NVIDIA GeForce RTX 4080", "aliases": ["RTX 4080"]})


def write_claims(tree: Tree, *further: Claim) -> None:
    told = {(one.gpu, one.field) for one in further}
    rows = (
        [getattr(one, name) for name in columns(Claim)]
        for one in (*(one for one in SOUND if (one.gpu, one.field) not in told), *further)
    )
    tree.write("claims/wikipedia-gpu-info.csv", files.csv_text(columns(Claim), rows))


def without(tree: Tree, field: str) -> None:
    rows = ([getattr(one, name) for name in columns(Claim)] for one in SOUND if one.field != field)
    tree.write("claims/wikipedia-gpu-info.csv", files.csv_text(columns(Claim), rows))


def test_a_set_is_sound_beside_another_card_and_after_the_launch(tree: Tree) -> None:
    released(tree)
    add(tree, date="2022-10-12")
    assert built(tree)
    add(tree, kind="system", product="Tower of a small house")
    assert built(tree)


def test_the_same_price_twice_in_a_set_is_refused(tree: Tree) -> None:
    add(tree)
    path = tree.data.price_sets / "mine.csv"
    head, row = path.read_text(encoding="utf-8").splitlines()
    path.write_text(f"{head}\n{row}\n{row.replace('first row', 'another row')}\n", encoding="utf-8")
    with pytest.raises(build.BuildError, match=r"mine.csv:3: .*the same price of nvidia-geforce-rtx-4090 as in row 2"):
        build.build(tree.data)
    path.write_text(f"{head}\n{row}\n{row.replace('TUF', 'ROG')}\n", encoding="utf-8")
    assert len(built(tree)) == 2


@pytest.mark.parametrize(
    ("price", "sound"), [("120", True), ("119", False), ("12000", True), ("12010", False), ("1", False), ("2.5", False)]
)
def test_a_card_of_which_nothing_is_known_costs_what_its_class_does(tree: Tree, price: str, sound: bool) -> None:
    without(tree, "launch_price_usd")
    add(tree, price=price, currency="USD", country="US", tax="0")
    if sound:
        assert built(tree)
        return
    with pytest.raises(build.BuildError, match="USD for each GB of its memory, and consumer cards cost 5 to 500"):
        build.build(tree.data)


LEAST, MOST = BUYING_AGAINST_KNOWN


@pytest.mark.parametrize(
    ("times", "sound"), [(LEAST, True), (LEAST * 0.99, False), (MOST, True), (MOST * 1.01, False), (0.01, False)]
)
def test_a_price_to_buy_lies_near_what_others_know_of_the_card(tree: Tree, times: float, sound: bool) -> None:
    write_claims(tree, claim("launch_price_usd", "1600 USD"))
    add(tree, price=f"{1600 * times:g}", currency="USD", country="US", tax="0")
    if sound:
        assert built(tree)
        return
    with pytest.raises(build.BuildError, match=r"mine.csv: mine .*times the (least|most) that anybody else states"):
        build.build(tree.data)


def test_a_far_price_stands_once_a_second_source_states_it_or_it_is_accepted(tree: Tree) -> None:
    write_claims(tree, claim("launch_price_usd", "1600 USD"))
    add(tree, price="9000", currency="USD", country="US", tax="0")
    about = {"gpu": CARD, "field": "price", "value": "9000 USD"}
    entry = {"check": "price_to_buy_is_plausible", **about, "reason": "the gilded edition only"}
    tree.write("corrections.yml", yaml.safe_dump({"accepted": [entry]}))
    assert built(tree)
    tree.write("corrections.yml", "")
    feed = {"kind": "retail", "gpus": None, "usd_per_gpu_hour": None, "usd_per_machine_hour": None}
    machine_row(tree, usd_per_unit=8500.0, **feed)
    assert len(built(tree)) == 2


def test_a_wrong_price_of_a_set_is_told_of_the_set_alone(tree: Tree) -> None:
    add(tree, price="2.5")
    with pytest.raises(build.BuildError) as told:
        build.build(tree.data)
    assert [problem.partition(":")[0] for problem in told.value.problems] == ["data/price-sets/mine.csv"]


def test_a_day_before_the_first_prices_is_refused(tree: Tree) -> None:
    without(tree, "launch_date")
    add(tree, date="2017-12-31")
    with pytest.raises(build.BuildError, match="before the first prices of this dataset"):
        build.build(tree.data)


def test_the_model_of_another_makers_machine_is_no_card(tree: Tree) -> None:
    tree.gpu("apple-m5", {**GPU, "name": "Apple M5", "vendor": "Apple", "architecture": "M5", "aliases": ["M5"]})
    write_claims(tree, *(replace(one, gpu="apple-m5") for one in SOUND))
    add(tree, kind="system", product="Tower M5")
    assert built(tree)
    add(tree, kind="system", product="Tower with Apple M5")
    with pytest.raises(build.BuildError, match="names apple-m5, and the row is of nvidia-geforce-rtx-4090"):
        build.build(tree.data)


def test_a_far_price_of_a_set_is_refused_however_many_sources_flag_it(tree: Tree) -> None:
    rows = [
        price(kind="retail", gpus=None, usd_per_gpu_hour=None, usd_per_machine_hour=None, usd_per_unit=1800.0, source=s)
        for s in ("gpu-poet", "gpu-price-feed")
    ]
    text = files.csv_text(columns(Price), [[getattr(row, c) for c in columns(Price)] for row in rows])
    tree.write("prices/2026-08.csv", text)
    add(tree, price="199999", date="2026-09-01")
    with pytest.raises(build.BuildError, match=r"price = '199999 EUR': .*that anybody else states of this card"):
        build.build(tree.data)


@pytest.mark.parametrize(
    ("usd", "beside", "message"),
    [
        ("159900", 0.0, "6,662 USD for each GB of its memory"),
        ("19000", 1800.0, "11 times the most that anybody else states of this card .1,800 USD"),
        ("170", 1800.0, "0.094 times the least"),
    ],
)
def test_a_launch_price_in_cents_is_refused(tree: Tree, usd: str, beside: float, message: str) -> None:
    write_claims(tree, claim("launch_price_usd", f"{usd} USD"))
    if beside:
        feed = {"kind": "retail", "gpus": None, "usd_per_gpu_hour": None, "usd_per_machine_hour": None}
        machine_row(tree, usd_per_unit=beside, **feed)
    with pytest.raises(build.BuildError, match=message):
        build.build(tree.data)


@pytest.mark.parametrize(
    ("about", "message"),
    [
        ({"id": "yours"}, "mine.yml: id: 'yours' must be the file's name, 'mine'"),
        ({"tax": 0.19}, r"mine.yml:\d+: tax: is a share"),
        ({"country": "UK"}, r"mine.yml:\d+: country: is no code of a country; write GB"),
        ({"licence": ""}, r"mine.yml:\d+: licence"),
        ({"url": "javascript:alert(1)"}, r"mine.yml:\d+: url"),
        ({"kind": "rumour"}, r"mine.yml:\d+: kind"),
        ({"basis": "guessed"}, r"mine.yml:\d+: basis"),
        ({"read": "2027-11-22"}, "more than 31 days after the newest day on which a file was fetched"),
    ],
)
def test_a_set_of_unclear_origin_is_refused(tree: Tree, about: dict[str, object], message: str) -> None:
    add(tree, about)
    with pytest.raises(build.BuildError, match=message):
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
    assert "each set needs its YAML" in price_sets.sound(tree.data.price_sets / "mine.csv")[1][0]
    add(tree)
    tree.write("price-sets/mine.csv", "gpu,price\na,1\n")
    assert "the columns are" in price_sets.sound(tree.data.price_sets / "mine.csv")[1][0]


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
