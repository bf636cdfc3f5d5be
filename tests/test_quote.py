"""One quote by card, kind and market: what counts, what is left out and why, at the boundary of each rule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta

import pytest
from samples import price, record

from pipeline.core.schema import Price
from pipeline.core.wording import day as in_words
from pipeline.dataset import Dataset, GpuRecord
from pipeline.derive.prices import changes, history, rules
from pipeline.derive.prices.observe import in_market
from pipeline.derive.prices.quote import Book, Quote, quotes
from pipeline.derive.prices.rules import Kind, Market

TODAY = "2026-11-22"
CARD = "card"


def ago(days: int) -> str:
    return (date.fromisoformat(TODAY) - timedelta(days)).isoformat()


def bought(usd: float, product: str = "", days: int = 10, **changes: object) -> Price:
    """A price to buy in the United States."""
    base = price(
        kind="retail",
        provider="Shop",
        usd_per_gpu_hour=None,
        usd_per_machine_hour=None,
        usd_per_unit=usd,
        gpus=None,
        date=ago(days),
        country="US",
        tax=0.0,
        basis="asked",
        product=product,
    )
    return replace(base, **changes)  # type: ignore[arg-type]


def greek(euros: float, product: str = "", **changes: object) -> Price:
    """A price in a Greek shop."""
    base = bought(round(euros * 1.1699, 4), product, currency="EUR", amount=euros, country="GR", tax=24.0)
    return replace(base, **changes)  # type: ignore[arg-type]


def rented(usd: float, provider: str, days: int = 10, **changes: object) -> Price:
    """An offer on demand."""
    base = price(provider=provider, gpus=1.0, usd_per_gpu_hour=usd, usd_per_machine_hour=usd, date=ago(days))
    return replace(base, **changes)  # type: ignore[arg-type]


def card(prices: Sequence[Price], id: str = CARD, **known: object) -> GpuRecord:
    return record(id=id, name=id, prices=tuple(replace(one, gpu=id) for one in prices), **known)


def dataset(*cards: GpuRecord) -> Dataset:
    return Dataset({one.id: one for one in cards}, prices=(price(retrieved=TODAY),))


def quoted(prices: Sequence[Price], kind: Kind = "new", market: Market = "us", **known: object) -> Quote:
    return quotes(dataset(card(prices, **known))).quote(CARD, kind, market)


def test_a_board_partners_card_counts_once_however_many_shops_list_it() -> None:
    asus = [bought(900, "ASUS TUF", provider=shop) for shop in ("A", "B", "C")]
    found = quoted([*asus, bought(1000, "asus  tuf", provider="D"), bought(1100, "MSI"), bought(1300, "Zotac")])
    assert (found.value, found.low, found.high, found.count) == (1100, 900, 1300, 3)


def test_of_each_shop_the_newest_price_of_a_product_counts() -> None:
    found = quoted([bought(700, "ASUS", days=40), bought(900, "ASUS", days=5)])
    assert found.value == 900


def test_of_two_prices_of_a_product_in_one_shop_on_one_day_the_lower_counts() -> None:
    assert quoted([bought(900, "ASUS"), bought(800, "ASUS"), bought(850, "ASUS")]).value == 800


@pytest.mark.parametrize(("days", "count"), [(10 + rules.SPAN_DAYS, 2), (11 + rules.SPAN_DAYS, 1)])
def test_readings_far_older_than_the_newest_do_not_count(days: int, count: int) -> None:
    assert quoted([bought(900, "ASUS"), bought(500, "MSI", days=days)]).count == count


def test_a_price_carries_no_month_in_which_nobody_asked_it() -> None:
    """RTX 5090, autumn 2026: two shops on 13 August, a mean of September; their median stood as one of September."""
    shops = [bought(4079.99, "PNY", date="2026-08-13"), bought(4329.99, "ASUS", date="2026-08-13")]
    found = quoted([*shops, bought(5258, date="2026-09")])
    assert (found.value, found.day, found.count) == (5258, "2026-09", 1)


@pytest.mark.parametrize(("day", "count"), [("2026-08-29", 1), ("2026-08-30", 2), ("2026-09-01", 2), ("2026-09", 2)])
def test_a_month_may_be_any_day_of_it_and_the_farthest_counts(day: str, count: int) -> None:
    assert quoted([bought(900, "a", date="2026-09"), bought(950, "b", date=day)]).count == count


@pytest.mark.parametrize(("days", "count"), [(10 + rules.SPAN_DAYS, 2), (11 + rules.SPAN_DAYS, 1)])
def test_a_rent_is_of_the_same_weeks_at_all_its_providers(days: int, count: int) -> None:
    """A40, October 2026: 0.49 was asked then, and 1.00 shown, which was of August beside an offer of July."""
    assert quoted([rented(0.49, "RunPod"), rented(1.0, "E2E Networks", days)], "rent").count == count


@pytest.mark.parametrize(
    ("readings", "value", "day"),
    [
        ([(1.0, 10), (2.0, 40), (3.0, 10)], 2.0, 40),  # the one in the middle
        ([(1.0, 40), (2.0, 10), (3.0, 40)], 2.0, 10),
        ([(2.0, 10), (2.0, 40), (3.0, 12)], 2.0, 10),  # two ask it: the newer says that it is still asked
        ([(1.0, 10), (2.0, 30), (3.0, 20), (4.0, 10)], 2.5, 30),  # of two in the middle the older
    ],
)
def test_a_price_is_of_the_day_of_the_reading_that_makes_it(
    readings: list[tuple[float, int]], value: float, day: int
) -> None:
    rows = [rented(usd, f"Cloud {place}", days) for place, (usd, days) in enumerate(readings)]
    found = quoted(rows, "rent")
    assert (found.value, found.day) == (value, ago(day))


def test_age_and_confidence_follow_that_day() -> None:
    newer = [rented(1.0, "A", 50), rented(3.0, "B", 50)]
    old, fresh = (quoted([*newer, rented(2.0, "C", days)], "rent") for days in (61, 60))
    assert (old.age, old.confidence, old.cautions) == ("ageing", "fair", ("ageing",))
    assert (fresh.age, fresh.confidence) == ("fresh", "good")


def test_a_lowest_ask_of_now_counts_before_what_shops_asked_in_another_month() -> None:
    found = quoted([bought(4080, "PNY", date="2026-08-13"), bought(5258, date="2026-09", basis="floor")])
    assert (found.value, found.begins) == (5258, True)


@pytest.mark.parametrize(("days", "age"), [(60, "fresh"), (61, "ageing"), (180, "ageing")])
def test_a_price_of_now_is_fresh_or_ageing(days: int, age: str) -> None:
    assert quoted([bought(900, days=days)]).age == age


def test_what_is_older_is_history_and_never_now() -> None:
    found = quoted([bought(900, days=181)])
    assert found.value is None and "no current price" in found.reason
    assert found.last is not None and found.last.value == 900


def test_without_any_price_the_reason_says_so() -> None:
    assert "none of our sources" in quoted([]).reason


def test_sold_prices_come_before_asked_ones() -> None:
    found = quoted([bought(300, "a", kind="used"), bought(240, "b", kind="used", basis="sold")], "used")
    assert (found.value, found.basis, found.count) == (240, "sold", 1)


def test_of_what_is_asked_for_a_used_card_the_lowest_asks_are_a_part() -> None:
    """RTX 5080, September 2026: 1,530 asked on average stood alone, though the three cheapest asked 1,233."""
    lowest = bought(400, "cheapest listings", kind="used", basis="floor", source="one")
    usual = bought(500, "median of the listings", kind="used", source="two")
    both = quoted([lowest, usual], "used")
    assert (both.value, both.low, both.high, both.basis, both.begins) == (450, 400, 500, "asked", False)
    same = quoted([replace(lowest, source="two"), usual], "used")
    assert (same.value, same.count) == (500, 1), "a tracker that states both states its median"
    alone = quoted([lowest], "used")
    assert (alone.value, alone.begins, alone.confidence) == (400, True, "weak")
    assert alone.words.startswith("used, lowest asked") and "lowest asked" in alone.cautions
    several = [replace(lowest, source="three", usd_per_unit=390.0, amount=390.0), lowest, usual]
    assert quoted(several, "used").value == 445, "of several lowest asks the lowest"
    listed = replace(lowest, includes="the one ask that passed")
    assert quoted([listed, usual], "used").value == 500, "one listing is no market"


def test_the_same_words_of_two_trackers_are_two_readings_of_the_market() -> None:
    """RTX 3090, October 2026: an index of 1,199, lowest asks of 1,207 and a median of 1,619 made a mean of 1,409."""
    rows = [
        bought(1199, "RTX 3090, any board", kind="used", source="index-2026-10"),
        bought(1619, "RTX 3090, any board", kind="used", source="videos-2026-10"),
        bought(1600, "RTX 3090, any board", kind="used", source="videos-2026-09", days=30),
        bought(1207, "", kind="used", source="poet", basis="floor"),
    ]
    found = quoted(rows, "used")
    assert (found.value, found.count, found.basis) == (1207, 3, "asked")


@pytest.mark.parametrize(
    ("month", "basis", "product", "value"),
    [
        ("2026-09", "sold", "any board", 295),
        ("2026-09", "floor", "", 332.5),  # an index over the month
        ("2026-09", "asked", "one card", 370),  # it may be of any day
        ("2026-08", "sold", "any board", 370),
    ],
)
def test_what_a_used_card_sold_for_in_a_month_stands_in_its_middle(
    month: str, basis: str, product: str, value: float
) -> None:
    """RTX 3060, autumn 2026: 295 dollars were paid in September, and 370 asked on 10 October stood in their place."""
    rows = [bought(295, product, kind="used", basis=basis, date=month, source="sales")]
    assert quoted([*rows, bought(370, "any board", kind="used", date="2026-10-10")], "used").value == value


def test_what_two_trackers_say_stands_below_the_lowest_ask_of_a_third() -> None:
    """RTX 3060: sold for 295 in September, an index of 300 on the 30th; one tracker kept nothing under 340."""
    sold = bought(295, "any board", kind="used", basis="sold", source="sales", days=20)
    index = bought(300, "index", kind="used", source="index", days=20)
    floor = bought(340, "cheapest", kind="used", basis="floor", source="third")
    assert quoted([sold, index, floor], "used").value == 295
    assert quoted([sold, floor], "used").value == 340
    assert quoted([index, floor], "used").value == 340


@pytest.mark.parametrize(
    ("usual", "basis", "date", "value", "told"),
    [
        (370, "asked", "2026-10-10", 370, 2),
        (290, "asked", "2026-10-10", 295, 0),  # not all lie above
        (370, "asked", "2026-09-28", 295, 0),  # of the same month
    ],
)
def test_a_used_price_is_none_of_now_once_all_asks_of_a_later_month_two_or_more_lie_above_it(
    usual: float, basis: str, date: str, value: float, told: int
) -> None:
    """RTX 3060: sold for 295 in September, an index of 300 on the 30th; in October 62 sellers asked 340 and more."""
    rows = [
        bought(295, "any board", kind="used", basis="sold", source="sales", date="2026-09"),
        bought(300, "index", kind="used", source="index", date="2026-09-30"),
        bought(340, "cheapest", kind="used", basis="floor", source="third", date="2026-10-10"),
        bought(usual, "any board", kind="used", basis=basis, source="third", date=date),
    ]
    found = quoted(rows, "used")
    assert (found.value, len(found.left_out)) == (value, told)
    assert not told or found.left_out[0] == (
        "the $295 sold in September 2026 no longer counts, as all asks of a later month lie above it"
    )


@pytest.mark.parametrize(("usd", "doubts"), [(36000, 0), (36001, 1), (20250, 0), (20249, 1)])
def test_a_price_of_which_its_source_has_since_stated_another_that_does_not_count_is_in_doubt(
    usd: float, doubts: int
) -> None:
    """H200 NVL: 27,000 in August; the same source has 36,300 for September, left out for its qualification samples."""
    august = bought(27000, kind="used", basis="floor", date="2026-09")
    since = bought(usd, kind="used", basis="floor", date="2026-10", flag="rests on samples")
    found = quoted([august, since], "used")
    assert (found.value, len(found.doubts)) == (27000, doubts)
    assert usd != 36001 or found.doubts == (
        "its source has $36,001 for October 2026, which does not count here: rests on samples",
    )
    assert not quoted([august, replace(since, date="2026-08")], "used").doubts
    assert not quoted([august, replace(since, source="another")], "used").doubts


UNSURE = "range 1032 to 1499; low confidence by its source: the trackers disagree; one of them"


@pytest.mark.parametrize(("days", "value"), [(10 + rules.SPAN_DAYS, 1207), (11 + rules.SPAN_DAYS, 1032)])
def test_a_figure_that_its_own_source_mistrusts_comes_after_everything_else_of_its_weeks(days: int, value: int) -> None:
    """RTX 3090, September 2026: trackers from 1,032 to 1,499; the lowest of them stood as what a week's buyers paid."""
    sold = bought(1032, "any board", kind="used", basis="sold", includes=UNSURE)
    found = quoted([sold, bought(1207, kind="used", basis="floor", days=days)], "used")
    assert found.value == value
    assert found.firm or found.doubts[0] == "its own source has little confidence in it: the trackers disagree"
    assert found.firm == (value == 1207)


@pytest.mark.parametrize(
    ("asked", "includes", "days", "doubts"),
    [
        (1033, "mean of the 3 cheapest asking prices", 10, 1),
        (1032, "mean of the 3 cheapest asking prices", 10, 0),
        (1033, "the one ask that passed; without shipping", 10, 0),  # one seller is no bottom of a market
        (1033, "mean of the 3 cheapest asking prices", 31, 0),  # of the month before
    ],
)
def test_a_price_that_buyers_paid_under_the_cheapest_asks_of_its_month_is_in_doubt(
    asked: float, includes: str, days: int, doubts: int
) -> None:
    sold = bought(1032, "any board", kind="used", basis="sold")
    found = quoted([sold, bought(asked, kind="used", basis="floor", includes=includes, days=days)], "used")
    assert (found.value, len(found.doubts)) == (1032, doubts)
    assert not doubts or found.doubts == ("less than the cheapest sellers asked in the same month, $1,033",)


@pytest.mark.parametrize(("days", "value"), [(10 + rules.SPAN_DAYS, 920), (11 + rules.SPAN_DAYS, 800)])
def test_all_that_count_lie_within_the_span_of_the_newest_reading_whatever_they_rest_on(days: int, value: int) -> None:
    """Titan RTX, 2026: 920 asked in July counted before the asks of 11 August, from 800 dollars."""
    old = bought(920, "any", kind="used", days=days)
    assert quoted([old, bought(800, "a card", kind="used", basis="floor")], "used").value == value


def test_a_price_says_what_was_read_of_its_kind_since() -> None:
    """RTX 5070 Ti in the United Kingdom: 930 pounds at one shop on 4 August, 1,135 at another for it on 22 August."""
    shops = [bought(930, "a", provider="Novatech", date="2026-11-04"), bought(1135, "a", provider="AWD-IT")]
    assert quoted(shops).later == "$1,135 at AWD-IT on 12 November 2026"
    assert quoted([bought(930, "a", date="2026-11"), shops[1]]).later == ""  # the month may be any day of it
    sold = bought(3650, kind="used", basis="sold", days=30)
    asked = bought(3400, "a listing", kind="used", basis="floor", provider="eBay")
    assert quoted([sold, asked], "used").later == "$3,400 at eBay on 12 November 2026, lowest asked"


@pytest.mark.parametrize(
    ("lowest", "days", "value", "basis"),
    [
        (519.0, 5, 519.0, "floor"),
        (510.0, 5, 510.0, "floor"),
        (509.99, 5, 509.99, "asked"),  # their mean is not below it
        (519.0, 30, 509.99, "asked"),  # of the same day
    ],
)
def test_of_a_new_card_no_ask_stands_below_the_newest_lowest_ask_read_after_it(
    lowest: float, days: int, value: float, basis: str
) -> None:
    """RX 9060 XT 16 GB: asked at 499.99 and 519.99 dollars in September 2026; the cheapest board stood at 519 later."""
    asked = [bought(499.99, "a", days=30), bought(519.99, "b", days=30)]
    found = quoted([*asked, bought(lowest, "cheapest", days=days, basis="floor")])
    assert (found.value, found.basis) == (value, basis)


@pytest.mark.parametrize(
    ("asked", "days", "value"),
    [(3990, 10, 3990), (3650, 10, 3650), (3990, 30, 3650), (3990, 31, 3650)],
)
def test_no_price_stands_below_the_newest_lowest_ask_read_after_it(asked: float, days: int, value: float) -> None:
    """RTX A6000, 2026: sold for 3,650 dollars until 22 July; on 11 August the cheapest sellers asked 3,990."""
    sold = bought(3650, kind="used", basis="sold", days=30)
    floor = bought(asked, "cheapest", kind="used", basis="floor", days=days)
    assert quoted([sold, floor], "used").value == value
    listed = replace(floor, includes="the one ask that passed")
    assert quoted([sold, listed], "used").value == 3650
    month = replace(sold, date="2026-11")  # it may be of any day of its month
    assert quoted([month, replace(floor, date=ago(10))], "used").value == 3650
    later = bought(4100, "index", kind="used", basis="asked", days=9, source="index")
    assert quoted([sold, floor, later], "used").value == (4045 if value == 3990 else 3650)


def test_what_a_shop_asks_for_a_product_is_what_anybody_read_there_last() -> None:
    """Mac mini with M6: 899 dollars at Apple in August by one source and in October by another."""
    before = bought(899, "Mac mini", days=20, source="one", provider="Apple")
    after = bought(999, "Mac mini", days=9, source="two", provider="Apple")
    assert quoted([before, after]).value == 999
    same = quoted([before, replace(after, usd_per_unit=899.0, amount=899.0)])
    assert (same.value, same.day) == (899, ago(9))
    shops = quoted([before, replace(after, usd_per_unit=899.0, amount=899.0, provider="Shop")])
    assert (shops.value, shops.day) == (899, ago(9))


def test_each_configuration_of_a_machine_has_a_newest_reading_of_its_own() -> None:
    """Mac mini with M6: October's list names the smallest machine alone; that of 32 GB was last read in August."""
    small = bought(899, "Mac mini 16GB", days=5, kind="system")
    large = bought(1799, "Mac mini 32GB", days=45, kind="system")
    assert [one.amount for one in quoted([small, large], "system").configurations] == [899, 1799]
    older = replace(small, date=ago(45), amount=949.0, usd_per_unit=949.0)
    assert [one.amount for one in quoted([small, older], "system").configurations] == [899]


def test_machines_with_the_memory_of_the_chip_stand_before_one_with_less() -> None:
    """DGX Spark, October 2026: 64 GB for 4,999 dollars beside the usual 128 GB for 6,950."""
    usual = bought(6950, "DGX Spark 4TB", kind="system")
    half = bought(4999, "DGX Spark 64GB", kind="system")
    found = quoted([usual, half], "system")
    assert (found.value, found.configuration) == (6950, "")
    assert [one.amount for one in found.configurations] == [4999, 6950]
    assert quoted([half], "system").value == 4999
    module = bought(999, "DGX module", kind="system", includes="a module that needs a carrier board")
    assert quoted([half, module], "system").value == 4999


def test_of_several_lowest_asks_the_lowest_counts() -> None:
    """A100 PCIe 80GB, August 2026: from 12,604 and from 15,888; nobody asked their mean of 14,246."""
    floors = [bought(usd, name, kind="used", basis="floor") for usd, name in ((15888, "a"), (12604, "b"))]
    found = quoted(floors, "used")
    assert (found.value, found.count, found.alone) == (12604, 1, "one source")


def test_the_ask_of_a_single_seller_says_that_it_is_one_listing() -> None:
    """Nine used cards, autumn 2026: "one source" did not say that it was one listing of one seller."""
    found = quoted([bought(3115, kind="used", basis="floor", includes="the one ask that passed")], "used")
    assert (found.alone, found.who, found.cautions[0]) == ("one listing", "one listing: Shop", "one listing")


@pytest.mark.parametrize(("german", "country"), [(2811, "DE"), (2813, "GR")])
def test_of_two_countries_with_as_many_products_the_cheaper_stands_for_europe(german: float, country: str) -> None:
    """RTX 4500 Ada, autumn 2026: 2,812 euros in Greece in October, 2,432 in Germany a fortnight before."""
    other = greek(german, "a", country="DE", tax=19.0, date="2026-09-24")
    assert quoted([greek(2812, "b", date="2026-10-07"), other], "new", "eu").country == country


def test_a_new_card_of_which_only_the_cheapest_board_is_known_says_so() -> None:
    """RX 9070, October 2026: a note states the cheapest board alone, 649 dollars."""
    board = bought(649, "RX 9070, cheapest board", basis="floor")
    alone = quoted([board])
    assert (alone.value, alone.begins) == (649, True)
    assert alone.words.startswith("new, lowest asked, one source") and "lowest asked" in alone.cautions
    both = quoted([board, bought(699, "Gigabyte")])
    assert (both.value, both.begins, "lowest asked" in both.words) == (699, False, False)


@pytest.mark.parametrize(("used", "doubts"), [(4330, 0), (4331, 1)])
def test_a_used_card_that_costs_more_than_a_new_one_is_in_doubt(used: float, doubts: int) -> None:
    """RTX 5090, September 2026: 4,795 dollars used, where shops ask 4,330 for a new one."""
    rows = [bought(4080, "a"), bought(4330, "b"), bought(5258, "c"), bought(used, "d", kind="used")]
    found = quoted(rows, "used")
    assert len(found.doubts) == doubts
    assert not doubts or found.doubts == ("dearer than a new one, which costs $4,330",)
    assert not quoted(
        [*rows[:3], bought(used, "d", kind="used", country="GR", currency="EUR", amount=used)], "used"
    ).value


@pytest.mark.parametrize(("marks", "begins"), [((4, 5), True), ((4, 0), False)])
def test_the_cheapest_of_many_listings_are_the_lowest_asked(marks: tuple[int, int], begins: bool) -> None:
    """RTX 5070, October 2026: the median over three of 122 Greek listings stood as a well founded price."""
    told = [f"new; one of the 3 cheapest of {listed} listings" if listed else "new" for listed in (*marks, 122)]
    rows = [greek(800 + place, f"product {place}", includes=words) for place, words in enumerate(told)]
    found = quoted(rows, "new", "eu")
    assert (found.value, found.begins, found.confidence) == (801, begins, "fair" if begins else "good")
    assert ("lowest asked" in found.cautions) == begins


@pytest.mark.parametrize(("next_shop", "doubts"), [(1333, 0), (1334, 1)])
def test_a_card_that_one_shop_sells_for_far_less_than_the_next_is_in_doubt(next_shop: float, doubts: int) -> None:
    """RTX 6000 Ada, October 2026: 7,989 euros at one shop, 10,910 and 11,208 at the others for the same card."""
    rows = [bought(1000, "a", provider="one"), bought(next_shop, "a", provider="two"), bought(1500, "a", provider="3")]
    found = quoted(rows)
    assert (found.value, len(found.doubts)) == (1000, doubts)
    assert not doubts or found.doubts == ("one alone asks it: the next shop asks $1,334 for the same card",)
    assert not quoted([*rows, bought(1010, "b")]).doubts


@pytest.mark.parametrize(("larger", "doubts"), [(601, 0), (600.99, 1)])
def test_a_card_that_costs_more_than_the_same_with_more_memory_is_in_doubt(larger: float, doubts: int) -> None:
    """T1000, October 2026: 601 euros with 4 GB, 569 with 8."""
    small = replace(card([bought(601, "a")], "small", memory_gb=4.0), name="T1000 4GB")
    large = replace(card([bought(larger, "b")], "large", memory_gb=8.0), name="T1000 8GB")
    other = replace(card([bought(100, "c")], "other", memory_gb=16.0), name="T400 16GB")
    book = quotes(dataset(small, large, other))
    found = book.quote("small", "new").doubts
    assert len(found) == doubts
    assert not doubts or found[0].startswith("dearer than the same card with more memory: the T1000 8GB costs $601")
    assert not book.quote("large", "new").doubts


@pytest.mark.parametrize(
    ("dearer", "who"), [(110, "mean of 2 readings, 10\u00a0% apart"), (109, "median of 2 readings")]
)
def test_a_mean_of_two_prices_that_lie_apart_says_that_nobody_asks_it(dearer: float, who: str) -> None:
    """Arc Pro R9700, autumn 2026: 1,530 between 1,360 and 1,700."""
    assert quoted([bought(100, "a"), bought(dearer, "b")]).who == who


def test_prices_with_and_without_tax_are_never_in_one_ranking() -> None:
    rows = [bought(1000, "a"), greek(1500, "b"), greek(1400, "c", tax=None), bought(5, "d", tax=20.0)]
    us, eu, uk = (quoted(rows, "new", market) for market in rules.MARKETS)
    assert (us.value, us.currency, us.tax) == (1000, "USD", 0)
    assert (eu.value, eu.currency, eu.tax_words) == (1500, "EUR", "with 24 % tax (GR)")
    assert uk.value is None
    assert eu.without_tax == pytest.approx(1500 / 1.24)


def test_a_used_price_in_europe_is_what_the_buyer_pays_and_a_new_one_says_its_tax() -> None:
    asked = greek(700, "a", tax=None)
    used = replace(asked, kind="used", basis="sold")
    without = replace(used, amount=500, tax=0.0)
    assert in_market([asked], "new", "eu") == []
    assert in_market([used, without], "used", "eu") == [used]
    assert in_market([replace(used, country="US", currency="USD")], "used", "us") == []


def test_one_country_speaks_for_europe_as_each_holds_its_own_tax() -> None:
    rows = [greek(1500, "a"), greek(1400, "b"), greek(900, "c", country="DE", tax=19.0)]
    assert (quoted(rows, "new", "eu").country, quoted(rows, "new", "eu").count) == ("GR", 2)


def german(euros: float, product: str, **changes: object) -> Price:
    return greek(euros, product, **{"country": "DE", "tax": 19.0, **changes})


@pytest.mark.parametrize(
    ("others", "country", "value"),
    [
        ([german(298, "a", date=ago(40)), german(309, "b", date=ago(40))], "DE", 303.5),  # two products against one
        (
            [german(298, "a", date=ago(40)), german(330, "a", date=ago(40), provider="2nd")],
            "DE",
            298,
        ),  # one, twice: as many, and cheaper
        ([german(298, "a", date=ago(71)), german(309, "b", date=ago(71))], "GR", 339),  # of another time
        ([german(298, "a", date=ago(60))], "GR", 339),  # as many, but older
        ([german(298, "a")], "DE", 298),  # as many and as new: the cheaper
    ],
)
def test_of_several_countries_that_of_most_products_speaks(others: list[Price], country: str, value: float) -> None:
    """RX 7600, autumn 2026: one Greek card at 339 euros, three in German shops from 298."""
    found = quoted([greek(339, "gigabyte"), *others], "new", "eu")
    assert (found.country, found.value) == (country, value)


def test_an_offer_that_its_provider_has_replaced_does_not_survive_in_another_source() -> None:
    """RTX 4090, autumn 2026: 0.13 of August in one list, 0.33 of October in another, both Vast.ai's."""
    rows = [rented(0.13, "Vast.ai", 92, source="lexsi-gpu-price-dashboard"), rented(0.33, "Vast.ai", 50)]
    found = quoted(rows, "marketplace")
    assert (found.value, found.low) == (0.33, 0.33)
    assert found.lowest is not None and found.lowest.month == ago(50)[:7]


def test_each_provider_counts_once_with_its_cheapest_whole_gpu_of_its_newest_day() -> None:
    rows = [rented(2.0, "A"), rented(3.0, "A"), rented(0.5, "A", gpus=0.25), rented(4.0, "B"), rented(9.0, "B", 30)]
    found = quoted(rows, "rent")
    assert (found.value, found.low, found.high, found.count) == (3.0, 2.0, 4.0, 2)


@pytest.mark.parametrize(
    ("provider", "others", "value"),
    [
        ("Vast.ai", {11: 0.30, 12: 0.34}, 0.34),  # three days: the median, whatever the newest hour says
        ("Vast.ai", {11: 0.30}, 3.39),  # two days bear nobody out: the newest
        ("Vast.ai", {11: 0.30, 10 + rules.USUAL_DAYS: 0.34}, 0.34),
        ("Vast.ai", {11: 0.30, 11 + rules.USUAL_DAYS: 0.34}, 3.39),  # the third day is another time
        ("Lambda", {11: 0.30, 12: 0.34}, 3.39),  # a cloud's price list: the newest is what it asks
    ],
)
def test_one_hour_on_a_marketplace_decides_nothing(provider: str, others: dict[int, float], value: float) -> None:
    """RTX 4090 D on 1 October 2026: 3.39, and on no other day."""
    rows = [rented(3.39, provider, 10), *(rented(usd, provider, days) for days, usd in others.items())]
    found = quoted(rows, "marketplace" if provider == "Vast.ai" else "rent")
    assert (found.value, found.day) == (value, ago(10))


def test_of_an_even_number_of_days_the_lower_of_the_middle_two_is_an_offer_that_stood() -> None:
    days = {10: 0.40, 11: 0.30, 12: 0.36, 13: 0.33}
    found = quoted([rented(usd, "Vast.ai", day) for day, usd in days.items()], "marketplace")
    assert found.lowest is not None and (found.value, found.lowest.price.date, found.lowest.days) == (0.33, ago(13), 4)


def test_of_each_day_of_a_marketplace_the_cheapest_offer_counts_once() -> None:
    rows = [rented(usd, "Vast.ai", day) for day, usd in ((10, 0.2), (10, 0.5), (11, 0.3), (12, 0.4), (12, 0.9))]
    assert quoted(rows, "marketplace").value == 0.3


def test_what_one_host_asks_says_that_it_is_the_lowest_and_a_mean_names_it() -> None:
    """RTX 3090, October 2026: the cheapest host at Vast.ai 0.13, RunPod's community cloud 0.22 for everybody."""
    host = rented(0.13, "Vast.ai", basis="floor")
    alone = quoted([host], "marketplace")
    assert (alone.begins, "lowest asked" in alone.cautions) == (True, True)
    assert alone.words == "to rent on a marketplace, lowest asked, one provider: Vast.ai, " + in_words(ago(10)[:7])
    both = quoted([host, rented(0.22, "RunPod", includes="community cloud", basis="asked")], "marketplace")
    assert (both.begins, "lowest asked" in both.cautions) == (False, False)
    assert both.grounds.partition("apart, ")[2] == "at Vast.ai the cheapest host, " + in_words(ago(10)[:7])


def test_hyperscalers_clouds_and_marketplaces_are_told_apart() -> None:
    rows = [rented(4.0, "AWS"), rented(2.0, "Lambda"), rented(1.0, "Vast.ai")]
    rows.append(rented(1.1, "RunPod", includes="community cloud (private host)"))
    rent, market = quoted(rows, "rent"), quoted(rows, "marketplace")
    assert [seen.who for seen in rent.hyperscalers] == ["AWS"] and [seen.who for seen in rent.clouds] == ["Lambda"]
    assert [seen.who for seen in market.seen] == ["Vast.ai", "RunPod"]


def test_hyperscalers_stand_beside_the_price_of_clouds_and_count_where_no_cloud_lets_the_card() -> None:
    """H100 NVL, October 2026: RunPod 3.19 and Azure 6.98 are no 5.08."""
    azure = rented(6.98, "Azure")
    found = quoted([rented(3.19, "RunPod"), azure, rented(9.0, "AWS")], "rent")
    assert (found.value, found.high, found.count) == (3.19, 3.19, 1)
    assert found.hyperscaler_words == "the hyperscalers Azure and AWS ask $6.98 to $9.00"
    assert quoted([rented(3.19, "RunPod"), azure], "rent").hyperscaler_words == "the hyperscaler Azure asks $6.98"
    alone = quoted([azure], "rent")
    assert (alone.value, alone.hyperscaler_words) == (6.98, "")


@pytest.mark.parametrize("kind", ["spot", "reserved"])
def test_hyperscalers_count_no_more_among_spot_and_reserved_prices(kind: Kind) -> None:
    """H200 as spot, August 2026: 5.38 at Google, 2.00 at Verda."""
    dear = rented(5.38, "GCP", kind=kind)
    found = quoted([dear, rented(2.0, "Verda", kind=kind)], kind)
    assert (found.value, found.firm) == (2.0, True)
    alone = quoted([dear], kind)
    assert alone.value == 5.38 and alone.doubts == ("only the list price of hyperscalers is known",)


def test_the_lowest_bid_on_a_marketplace_counts_as_spot_only_where_no_cloud_lets_the_card_so() -> None:
    """H100 SXM, August 2026: 1.63 at Verda and a bid of 0.40 at Vast are no 1.01."""
    bid = rented(0.4, "Vast.ai", kind="spot")
    found = quoted([bid, rented(1.63, "Verda", kind="spot")], "spot")
    assert (found.value, found.count) == (1.63, 1)
    assert quoted([bid, rented(8.17, "Azure", kind="spot")], "spot").value == 0.4


@pytest.mark.parametrize(("days", "value"), [(375, None), (376, 8.39)])
def test_a_hyperscalers_price_counts_only_a_year_away_from_a_clouds(days: int, value: float | None) -> None:
    """H200: 8.39 at Azure and Google in May 2026, 4.00 at clouds in July, is no fall."""
    rows = [rented(8.39, "Azure", 10), rented(4.0, "Verda", days)]
    assert quoted(rows, "rent").value == value
    months = quotes(dataset(card(rows))).months(CARD, "rent")
    assert [month.value for month in months] == ([4.0] if value is None else [4.0, 8.39])


def test_a_machine_with_a_larger_drive_is_the_same_machine() -> None:
    """ASUS Ascent GX10, September 2026: 5,999 with 1 TB, 6,999 with 2, 7,999 with 4."""
    drives = [bought(price, f"Ascent GX10 {tb}TB", kind="system") for price, tb in ((5999, 1), (6999, 2), (7999, 4))]
    found = quoted([*drives, bought(6499, "EdgeXpert", kind="system")], "system")
    assert (found.low, found.high, found.count) == (5999, 6499, 2)
    assert (
        len(quoted([bought(3000, f"Mac Studio {gb}GB", kind="system") for gb in (64, 128)], "system").configurations)
        == 2
    )


def test_a_past_month_carries_the_doubts_of_its_own_time() -> None:
    rows = [bought(price, date=month) for month, price in (("2026-05", 500), ("2026-06", 900), ("2026-07", 910))]
    book = quotes(dataset(card(rows)))
    june, july = book.month(CARD, "new", "2026-06"), book.month(CARD, "new", "2026-07")
    assert june is not None and june.value == 900 and june.doubts[0].startswith("rose by 80\u00a0%")
    assert june.cautions == ("one source", "in doubt") and june.age == "fresh" and june.confidence == "weak"
    assert july is not None and july.doubts == june.doubts
    may = book.month(CARD, "new", "2026-05")
    assert may is not None and not may.doubts  # what came later was not known


def test_what_would_have_been_left_out_of_a_past_month_is_a_doubt_about_it() -> None:
    rows = [rented(9.0, "Oddhost", date="2026-03"), *(rented(1.0, name, date="2026-03") for name in ("A", "B", "C"))]
    month = quotes(dataset(card(rows))).month(CARD, "rent", "2026-03")
    assert month is not None and month.doubts == (
        "Oddhost's offer of 9 an hour is 9 times what the other 3 providers ask",
    )


def test_what_was_last_seen_carries_its_doubts_and_its_age_of_today() -> None:
    old = [bought(500, date="2025-05"), bought(900, date="2025-06")]
    last = quoted(old).last
    assert last is not None and last.doubts and last.age == "stale"


def test_a_rent_that_only_a_hyperscaler_states_is_doubted_with_what_it_asks_elsewhere() -> None:
    """MI355X at 8.60 and GB200 at 16 an hour, where Oracle alone was known."""
    both = card([rented(2, "Lambda"), rented(4, "Nebius"), rented(9, "AWS")], "both")
    alone = quotes(dataset(card([rented(8.6, "Oracle Cloud")]), both)).quote(CARD, "rent")
    assert alone.value == 8.6 and not alone.firm
    assert alone.doubts == (
        "only the list price of hyperscalers is known: where clouds let a card too, these ask 3 times as much",
    )
    assert quotes(dataset(both)).quote("both", "rent").firm


@pytest.mark.parametrize(
    ("lesser", "hyperscaler", "memory", "doubted"),
    [(3.45, 6.91, 192.0, True), (3.45, 6.9, 192.0, False), (3.44, 8.6, 192.0, False), (3.45, 8.6, 288.0, False)],
)
def test_a_lone_offer_that_is_the_price_of_a_lesser_card_is_in_doubt(
    lesser: float, hyperscaler: float, memory: float, doubted: bool
) -> None:
    """MI355X, August 2026: a list that had slipped by a row gave it the 3.45 that Crusoe asks for the MI300X."""
    figures = {"memory_gb": 288.0, "memory_bandwidth_gb_s": 8000.0}
    mine = card([rented(3.45, "Crusoe"), rented(hyperscaler, "Oracle Cloud")], **figures)
    other = card([rented(lesser, "Crusoe", 60)], "lesser", memory_gb=memory, memory_bandwidth_gb_s=8000.0)
    found = quotes(dataset(mine, other)).quote(CARD, "rent")
    assert (found.value, found.firm) == (3.45, not doubted)
    assert not doubted or found.doubts == (
        "it is exactly the $3.45 that Crusoe asks for the lesser, a lesser card, while others ask 2 times as much: "
        "its source may have slipped by a row",
    )


def test_one_provider_is_named_and_the_confidence_weak() -> None:
    """MI355X at 8.60 and GB200 at 16: one provider is the whole median."""
    found = quoted([rented(8.60, "Oracle Cloud")], "rent")
    assert (found.who, found.count, found.confidence) == ("one provider: Oracle Cloud", 1, "weak")


def test_what_speaks_against_a_price_is_said_in_the_same_words_everywhere() -> None:
    one = quoted([rented(8.60, "Nebius")], "rent")
    assert quoted([rented(8.60, "Oracle Cloud")], "rent").cautions == ("one provider", "in doubt")
    two = quoted([rented(8.60, "Nebius", days=90), rented(8.0, "Lambda", days=90)], "rent")
    assert (one.cautions[0], two.cautions) == ("one provider", ("ageing",))
    assert quoted([bought(900, "a card")]).cautions[0] == "one source"
    assert quoted([bought(900, kind="used")], "used").who.startswith("one source: ")
    assert quoted([bought(900, "a"), bought(950, "b"), bought(990, "c")]).cautions == ()


@pytest.mark.parametrize(
    ("count", "days", "confidence"), [(1, 5, "weak"), (2, 5, "fair"), (3, 60, "good"), (3, 61, "fair")]
)
def test_confidence_grows_with_independent_and_fresh_prices(count: int, days: int, confidence: str) -> None:
    found = quoted([bought(900 + n, f"p{n}", days=days) for n in range(count)])
    assert found.confidence == confidence
    assert found.confidence_words == rules.CONFIDENCE_WORDS[confidence]


@pytest.mark.parametrize(("usd", "stands"), [(0.2498, False), (0.25, True), (4.0, True), (4.01, False)])
def test_an_offer_far_from_the_other_providers_is_left_out(usd: float, stands: bool) -> None:
    """Quadro RTX 6000 at 0.13 and A10 at 0.23, where two others ask 1.10 and 1.29."""
    found = quoted([rented(1.0, "A"), rented(1.0, "B"), rented(usd, "C")], "rent")
    assert (found.count == 3) == stands
    assert any("C's offer" in why for why in found.left_out) != stands


@pytest.mark.parametrize(("usd", "stands"), [(3.0, True), (3.01, False), (3.39, False), (0.25, True), (0.249, False)])
def test_a_lone_offer_is_held_against_its_siblings(usd: float, stands: bool) -> None:
    """RTX 4090 D at 3.39 an hour beside the RTX 4090."""
    figures = {"architecture": "Ada", "memory_gb": 24.0, "memory_bandwidth_gb_s": 1008.0}
    sibling = card([rented(0.9, "A"), rented(1.1, "B")], "sibling", **figures)
    found = quotes(dataset(card([rented(usd, "Vast.ai")], **figures), sibling)).quote(CARD, "marketplace")
    assert (found.value is not None) == stands
    assert stands or "siblings" in found.reason


@pytest.mark.parametrize(("providers", "stands"), [("XY", False), ("XYZ", True)])
def test_three_providers_that_agree_need_no_sibling(providers: str, stands: bool) -> None:
    figures = {"architecture": "Ada", "memory_gb": 24.0, "memory_bandwidth_gb_s": 1008.0}
    sibling = card([rented(0.9, "A"), rented(1.1, "B")], "sibling", **figures)
    dear = card([rented(3.39, provider) for provider in providers], **figures)
    assert (quotes(dataset(dear, sibling)).quote(CARD, "rent").value is not None) == stands


@pytest.mark.parametrize(("usd", "stands"), [(0.499, True), (0.51, False), (0.0201, True), (0.0199, False)])
def test_a_lone_offer_is_held_against_memory_and_bandwidth(usd: float, stands: bool) -> None:
    """GTX 1650 Super at 0.68 an hour: cards of its memory and bandwidth rent for a tenth."""
    others = [
        card(
            [rented(memory / 40, "A"), rented(memory / 40, "B")],
            f"c{memory}",
            architecture=f"a{memory}",
            memory_gb=float(memory),
            memory_bandwidth_gb_s=float(width),
        )
        for memory, width in ((8, 300), (12, 350), (16, 500), (24, 900), (32, 1500), (48, 900), (80, 2000))
    ]
    mine = card([rented(usd, "Vast.ai")], architecture="x", memory_gb=4.0, memory_bandwidth_gb_s=192.0)
    found = quotes(dataset(mine, *others)).quote(CARD, "marketplace")
    assert (found.value is not None) == stands


@pytest.mark.parametrize(("new", "stands"), [(525.0, True), (525.1, False), (1017.0, False)])
def test_leftover_stock_far_above_the_used_price_is_no_price_of_a_new_card(new: float, stands: bool) -> None:
    """RTX 3070 Ti at 1,017 against 290; RTX 3080 at 789 against 350."""
    found = quoted([bought(new, "a"), bought(300, "b", kind="used")])
    assert (found.value is not None) == stands
    assert stands or ("old stock" in found.reason and found.last is not None)


@pytest.mark.parametrize(
    ("new", "words"), [(1500.0, "old stock"), (1501.0, "far above everything else known of it: 5 t")]
)
def test_an_absurd_price_is_no_old_stock_and_no_new_price_of_one_source(new: float, words: str) -> None:
    found = quoted([bought(new, "a"), bought(300, "b", kind="used")])
    assert found.value is None and found.reason.startswith(words)


@pytest.mark.parametrize(
    "note", ["discontinued; what is left of the stock", "Discontinued", "what is left of the stock"]
)
def test_what_a_shop_sells_as_the_rest_is_in_doubt_in_any_segment(note: str) -> None:
    """T4, July 2026: 885 dollars at a shop that says so itself."""
    found = quoted([bought(885, "T4", includes=note)])
    assert found.value == 885 and not found.firm
    assert found.doubts == ("Shop sells what is left of a card that is no longer made",)
    assert quoted([bought(885, "T4", includes="in stock")]).firm


@pytest.mark.parametrize(("new", "doubts"), [(404, 0), (405, 1)])
def test_a_card_for_data_centres_is_held_against_what_it_last_cost_used(new: float, doubts: int) -> None:
    """T4, July 2026: 885 dollars, where it sold for 202 in March."""
    rows = [bought(new, "T4"), bought(202, kind="used", date="2026-03")]
    found = quoted(rows, segment="datacenter")
    assert len(found.doubts) == doubts and found.value == new
    assert not doubts or found.doubts[0].endswith("2 times what the card last cost used (March 2026)")
    assert not quoted(rows, segment="workstation").doubts
    assert not quoted([rows[0], bought(202, kind="used", date="2025-11-21")], segment="datacenter").doubts


def test_old_stock_is_held_against_used_without_tax_and_across_markets() -> None:
    euros = 300 * 1.75 / 1.1699 * 1.24
    rows = [greek(euros - 1, "a"), bought(300, "b", kind="used")]
    assert quoted(rows, "new", "eu").value is not None
    rows[0] = greek(euros + 1, "a")
    assert quoted(rows, "new", "eu").value is None


@pytest.mark.parametrize(("days", "doubts"), [(4 * 365, 0), (4 * 365 + 1, 1)])
def test_a_card_of_long_ago_without_a_used_price_is_doubted(days: int, doubts: int) -> None:
    found = quoted([bought(1017, "a")], launch_date=ago(days))
    assert len(found.doubts) == doubts and found.firm != bool(doubts)


@pytest.mark.parametrize(
    ("new", "better", "stands"),
    [
        (175, {}, True),
        (176, {}, False),
        (176, {"vendor": "AMD"}, True),  # another maker's software
        (176, {"memory_gb": 5.0}, True),
        (176, {"memory_bandwidth_gb_s": 191.0}, True),
        (176, {"segment": "workstation"}, True),
        (176, {"launch_date": "2019-01-01"}, False),
        (176, {"launch_date": "2018-12-31"}, True),  # of a time before
    ],
)
def test_leftover_stock_is_held_against_a_better_card_of_its_time(
    new: float, better: dict[str, object], stands: bool
) -> None:
    """GTX 1660, October 2026: 538 euros new in Greece, where a GTX 1660 Ti costs 103 dollars used."""
    figures = {"vendor": "NVIDIA", "segment": "consumer", "memory_gb": 6.0, "memory_bandwidth_gb_s": 192.0}
    mine = card([bought(new, "Palit")], **figures, launch_date="2020-12-31")
    other = card([bought(100, "any", kind="used")], "other", **{**figures, "launch_date": "2020-12-31", **better})
    found = quotes(dataset(mine, other)).quote(CARD, "new")
    assert (found.value is not None) == stands
    assert stands or "1.8 times what the other, which does more, costs used" in found.reason


def test_a_card_that_is_still_made_is_held_against_no_other() -> None:
    figures = {"segment": "consumer", "memory_gb": 6.0, "memory_bandwidth_gb_s": 192.0, "launch_date": ago(4 * 365)}
    other = card([bought(100, "any", kind="used")], "other", **figures)
    assert quotes(dataset(card([bought(538, "Palit")], **figures), other)).quote(CARD, "new").firm


@pytest.mark.parametrize(("after", "jumps"), [(4000.0, 0), (4001.0, 1), (2000.0, 0), (1999.0, 1)])
def test_a_jump_of_more_than_a_third_asks_for_a_second_source(after: float, jumps: int) -> None:
    """Resale of the H100 PCIe in 2026: 38,000, 19,000, 32,700."""
    rows = [bought(3000, kind="used", date="2026-09"), bought(after, kind="used", date="2026-10")]
    assert len(quoted(rows, "used").doubts) == jumps
    second = bought(after, kind="used", date="2026-10", source="teoampatzis-gpu-prices-gr")
    assert quoted([*rows, second], "used").doubts == ()


def test_flagged_prices_count_nowhere() -> None:
    assert quoted([bought(8960, flag="component of a machine built to order")]).value is None


def test_a_machine_sold_whole_is_a_kind_of_its_own() -> None:
    found = quoted([bought(4000, "DGX Spark", kind="system"), bought(3000, "Ascent GX10", kind="system")], "system")
    assert (found.value, found.low) == (3500, 3000)


def test_the_cheapest_way_to_own_a_card_prefers_a_price_without_doubt() -> None:
    book = quotes(dataset(card([bought(900, "a"), bought(700, "b", kind="used")])))
    assert book.to_buy(CARD).kind == "used"
    assert book.to_buy(CARD, used=False).kind == "new"


@pytest.mark.parametrize(
    ("clouds", "hosts", "kind"),
    [
        ({"Lambda": 60}, {"Vast.ai": 10}, "rent"),  # as fresh and as alone: the cloud
        ({"Lambda": 61}, {"Vast.ai": 10}, "marketplace"),  # the cloud's offer is ageing
        ({"Lambda": 61, "Crusoe": 61}, {"Vast.ai": 60}, "marketplace"),  # however many ask it
        ({"Lambda": 61}, {"Vast.ai": 61}, "rent"),  # both ageing
        ({"Lambda": 10}, {"Vast.ai": 10, "Salad": 10}, "marketplace"),  # one cloud against several
        ({"Lambda": 10, "Crusoe": 10}, {"Vast.ai": 10, "Salad": 10}, "rent"),
        ({"Lambda": 180}, {"Vast.ai": 181}, "rent"),  # an old offer is no price of now
        ({"Lambda": 181}, {"Vast.ai": 180}, "marketplace"),
        ({"Lambda": 200}, {"Vast.ai": 190}, "marketplace"),  # neither is of now: what was seen last
        ({"Lambda": 190}, {"Vast.ai": 200}, "rent"),
        ({}, {"Vast.ai": 10}, "marketplace"),
        ({"AWS": 10}, {"Vast.ai": 170}, "marketplace"),  # the list of a hyperscaler alone is doubted
        ({}, {}, "rent"),
    ],
)
def test_the_rent_of_a_card_is_that_on_which_a_reader_can_best_act(
    clouds: dict[str, int], hosts: dict[str, int], kind: Kind
) -> None:
    offers = [rented(1.0, who, days) for who, days in clouds.items()]
    offers += [rented(0.5, who, days) for who, days in hosts.items()]
    # The dataset's own today is its newest reading.
    assert quotes(dataset(card(offers), card([bought(1, days=0)], "other"))).to_rent(CARD).kind == kind


@pytest.mark.parametrize(("dearer", "doubted"), [(2.0, False), (2.01, True)])
def test_a_mean_of_two_that_lie_far_apart_is_in_doubt(dearer: float, doubted: bool) -> None:
    found = quoted([rented(1.0, "A"), rented(dearer, "B")], "rent")
    told = ("A $1.00 and B $2.01 lie too far apart for their mean to be what it costs",) if doubted else ()
    assert (found.doubts, found.firm) == (told, not doubted)
    assert not quoted([rented(1.0, "A"), rented(dearer, "B"), rented(1.0, "C")], "rent").doubts


@pytest.mark.parametrize(("dearer", "doubted"), [(1200, False), (1201, True)])
def test_a_mean_of_two_prices_to_buy_is_in_doubt_from_a_third_on(dearer: float, doubted: bool) -> None:
    """RTX 3090, October 2026: the mean of 1,199 and 1,619 dollars stood without a doubt."""
    assert bool(quoted([bought(900, "a"), bought(dearer, "b")]).doubts) == doubted
    assert not quoted([bought(900, "a"), bought(dearer, "b"), bought(900, "c")]).doubts


def test_two_cards_are_compared_by_rents_of_one_kind() -> None:
    cloud, host = rented(1.0, "Lambda"), rented(0.5, "Vast.ai")
    stale = rented(1.0, "Lambda", 61)
    today = card([bought(1, days=0)], "today")

    def kinds(one: Sequence[Price], two: Sequence[Price]) -> set[Kind]:
        pair = quotes(dataset(card(one, "one"), card(two, "two"), today)).both_to_rent("one", "two")
        return {quote.kind for quote in pair or ()}

    assert kinds([cloud, host], [cloud, host]) == {"rent"}
    assert kinds([stale, host], [cloud, host]) == {"marketplace"}
    assert kinds([stale, host], [cloud]) == {"rent"}
    assert kinds([cloud], [host]) == set()


def test_the_months_of_a_series_leave_gaps_open() -> None:
    rows = [bought(900, date="2026-05"), bought(950, date="2026-06"), bought(990, date="2026-09")]
    months = history.monthly(rows, "new", "us")
    assert [month.value for month in months] == [900, 950, 990]
    runs = history.unbroken(months, lambda month: month.month)
    assert [[month.month for month in run] for run in runs] == [["2026-05", "2026-06"], ["2026-09"]]


def test_what_moved_holds_like_against_like() -> None:
    rows = [bought(1000, "a", date="2026-09"), bought(1100, "a", date="2026-10"), bought(3000, "b", date="2026-10")]
    (moved,) = changes.changes(quotes(dataset(card(rows))))
    assert moved.percent == pytest.approx(10)
    assert moved.sources == ""


def test_another_shops_price_of_a_product_is_no_move() -> None:
    """RTX 5070 Ti, United Kingdom: 990 pounds at one shop in July, 930 at another in August, told as a fall."""
    rows = [
        bought(990, "RTX 5070 Ti", provider="AWD-IT", date="2026-09"),
        bought(930, "RTX 5070 Ti", provider="Novatech", date="2026-10"),
        bought(1135, "RTX 5070 Ti", provider="AWD-IT", date="2026-10"),
    ]
    (moved,) = changes.changes(quotes(dataset(card(rows))))
    assert moved.share is None and "other sellers or providers of the same source" in moved.sources


def test_what_moved_is_the_price_of_now_with_its_doubts_or_is_not_told() -> None:
    month = [bought(1000, "a", date="2026-10"), bought(1100, "a", date="2026-11-05")]
    both = quotes(dataset(card([*month, bought(1300, "b", date="2026-11-20"), bought(1200, "c", date="2026-10-31")])))
    assert both.quote(CARD, "new").day == "2026-10-31"
    assert changes.changes(both) == []  # the median is a reading of the month before
    rest = [replace(one, includes="discontinued") for one in month]
    (moved,) = changes.changes(quotes(dataset(card(rest))))
    assert moved.value == 1100 and moved.doubts == ("Shop sells what is left of a card that is no longer made",)


def test_a_change_of_source_is_told_as_such_and_not_as_a_change_of_price() -> None:
    rows = [bought(1000, date="2026-09"), bought(1500, date="2026-10", source="teoampatzis-gpu-prices-gr")]
    (moved,) = changes.changes(quotes(dataset(card(rows))))
    assert (moved.share, moved.percent) == (None, 0)
    assert "teoampatzis-gpu-prices-gr states it now" in moved.sources


@pytest.mark.parametrize(("after", "told"), [(1009.0, 0), (1010.0, 1)])
def test_a_change_under_a_hundredth_is_not_told(after: float, told: int) -> None:
    rows = [bought(1000, "a", date="2026-09"), bought(after, "a", date="2026-10")]
    assert len(changes.changes(quotes(dataset(card(rows))))) == told


def sibling(id: str, usd: float, **known: object) -> GpuRecord:
    """A used card with the figures of its family."""
    figures = {"segment": "datacenter", "architecture": "Hopper", "memory_gb": 80.0, "memory_bandwidth_gb_s": 2000.0}
    return card([bought(usd, id, kind="used")], id, **{**figures, "form_factor": "PCIe", **known})


@pytest.mark.parametrize(("usd", "doubts"), [(1999, 0), (2001, 1), (501, 0), (499, 1)])
def test_a_price_to_buy_that_nobody_else_states_is_held_against_its_siblings(usd: float, doubts: int) -> None:
    found = quotes(dataset(sibling(CARD, usd), sibling("other", 1000), sibling("module", 9, form_factor="SXM5")))
    assert len(found.quote(CARD, "used").doubts) == doubts


@pytest.mark.parametrize(("usd", "doubts"), [(2240, 0), (2260, 1), (450, 0), (440, 1)])
def test_a_price_to_buy_that_nobody_else_states_is_held_against_its_class(usd: float, doubts: int) -> None:
    found = of_a_class(sibling(CARD, usd, architecture="own", **WORKSTATION)).quote(CARD, "used")
    assert len(found.doubts) == doubts


WORKSTATION = {"segment": "workstation", "memory_gb": 48.0, "memory_bandwidth_gb_s": 900.0, "launch_date": "2022-10"}


def of_a_class(*cards: GpuRecord) -> Book:
    """The book of cards beside 200 of their class that cost 1,000 dollars used, none of which is a sibling."""
    others = [sibling(f"other-{n}", 1000, architecture=f"{n}", **WORKSTATION) for n in range(200)]
    return quotes(dataset(*cards, *others))


@pytest.mark.parametrize(("usd", "value", "doubts"), [(2240, 2240, 1), (2260, None, 2)])
def test_a_lone_price_that_two_tests_speak_against_is_history(usd: float, value: float | None, doubts: int) -> None:
    """RTX 6000 Ada, August 2026: one ask of 10,153 dollars, 2.4 times its sibling's and 2.3 times its class."""
    found = of_a_class(sibling(CARD, usd, **WORKSTATION), sibling("sister", 1000, **WORKSTATION)).quote(CARD, "used")
    told = found if value else found.last
    assert (found.value, told and told.value, told and len(told.doubts)) == (value, usd, doubts)
    assert value or found.reason.startswith("no current price: 2 tests speak against the newest one (2.3 times what ")
    assert not found.firm


@pytest.mark.parametrize(("products", "value"), [(1, None), (2, None), (3, 890)])
def test_from_three_products_on_no_test_makes_a_price_history(products: int, value: float | None) -> None:
    """T4, July 2026: one shop asks 885 dollars for what it has left of a card that sold for 202 in March."""
    rows = [bought(usd, f"board {usd}", includes="discontinued") for usd in (885, 890, 895)[:products]]
    found = quoted([*rows, bought(202, kind="used", date="2026-03")], segment="datacenter")
    told = found if value else found.last
    assert found.value == value
    assert told and len(told.doubts) == 2


def test_one_test_that_finds_two_faults_makes_no_price_history() -> None:
    """A jump is one test, however often the price jumped, and so is all that says that a card is no longer made."""
    found = quoted([bought(usd, "a", days=days) for usd, days in ((1000, 10), (500, 40), (1000, 70))])
    assert len(found.doubts) == 2 and found.value == 1000
    rest = quoted([bought(885, "T4", includes="discontinued")], launch_date=ago(4 * 365 + 1))
    assert len(rest.doubts) == 2 and rest.value == 885


def test_a_rent_stays_one_of_now_whatever_speaks_against_it() -> None:
    """Who takes an offer pays it: two hyperscalers far apart are two offers."""
    found = quoted([rented(2.0, "AWS"), rented(5.0, "Azure")], "rent")
    assert len(found.doubts) == 2 and found.value == 3.5


@pytest.mark.parametrize(("sister", "doubts"), [(2240, 1), (2260, 0)])
def test_a_sibling_that_is_unlike_its_class_casts_no_doubt(sister: float, doubts: int) -> None:
    """RTX 5880 Ada, August 2026: 4,300 dollars were doubted against the 10,153 of the RTX 6000 Ada."""
    cards = sibling(CARD, 1000, **WORKSTATION), sibling("sister", sister, **WORKSTATION)
    assert len(of_a_class(*cards).quote(CARD, "used").doubts) == doubts


def test_a_class_of_few_cards_judges_nobody() -> None:
    others = [sibling(f"other-{n}", 1000, architecture=f"{n}", launch_date="2022-10") for n in range(10)]
    assert not quotes(dataset(sibling(CARD, 9000, launch_date="2022-10"), *others)).quote(CARD, "used").doubts


def test_a_second_source_in_another_market_lifts_the_doubt() -> None:
    alone = sibling(CARD, 3000)
    abroad = replace(greek(2900, kind="used"), gpu=CARD, source="shops")
    other = sibling("other", 1000)
    assert quotes(dataset(alone, other)).quote(CARD, "used").doubts
    assert not quotes(dataset(replace(alone, prices=(*alone.prices, abroad)), other)).quote(CARD, "used").doubts


def test_what_a_shop_asks_second_hand_is_no_usual_price_where_sales_are_known() -> None:
    """RTX 3060 Ti, September 2026: sold for 248 dollars beside the RTX 3070, sold for 260 and at a French shop 497."""
    mine = sibling(CARD, 248)
    sold = replace(bought(260, "other", kind="used"), gpu="other", basis="sold")
    asked = replace(greek(730, kind="used"), gpu="other", source="shops", tax=None)
    other = replace(sibling("other", 1), prices=(sold, asked))
    assert not quotes(dataset(mine, other)).quote(CARD, "used").doubts
    assert quotes(dataset(mine, replace(other, prices=(asked,)))).quote(CARD, "used").doubts


# ---------------------------------------------------------------- whole machines: which one a price buys


def machine(usd: float, product: str, days: int = 10, **changes: object) -> Price:
    return bought(usd, product, days, kind="system", **changes)


MODULE = "list price, a module that needs a carrier board"


@pytest.mark.parametrize(
    ("products", "value", "configuration"),
    [
        ({"Mac Studio M5 Max 36GB": 2499, "Mac Studio M5 Max 64GB": 3099}, 2499, "36 GB machine"),  # no mean of both
        ({"Mac mini M6 16GB 256GB": 899, "Mac mini M6 16GB 512GB": 1099}, 899, "16 GB machine"),  # one, two drives
        ({"Mac Studio 128GB": 2000, "Mac Studio 64GB": 2001}, 2000, "128 GB machine"),  # the cheapest, not the smallest
        ({"EVO-X2 128GB": 3600, "MS-S1 MAX 128GB": 3800}, 3700, "128 GB machine"),  # one configuration, two makers
        ({"Ascent GX10 1TB": 5999, "ThinkStation PGX": 6999}, 6499, ""),  # a chip with one memory
    ],
)
def test_a_price_of_a_whole_machine_is_of_one_configuration_which_it_names(
    products: dict[str, float], value: float, configuration: str
) -> None:
    found = quoted([machine(usd, product) for product, usd in products.items()], "system")
    assert (found.value, found.configuration) == (value, configuration)
    assert configuration in found.grounds and configuration in found.words
    month = quotes(dataset(card([machine(usd, name) for name, usd in products.items()]))).month(
        CARD, "system", "2026-11"
    )
    assert month is not None and month.value == value


@pytest.mark.parametrize(
    ("product", "includes", "holds"),
    [("Mac 96GB", "", False), ("Mac 512GB 1TB", "", True), ("Spark 4TB", "", True), ("Air", "smallest memory", False)],
)
def test_a_price_of_a_machine_stands_beside_the_memory_of_its_chip_only_where_it_buys_it(
    product: str, includes: str, holds: bool
) -> None:
    """M5 Ultra, November 2026: 512 GB for 5,499 dollars, which was the price of 96 GB."""
    found = quoted([machine(5499, product, includes=includes)], "system", memory_gb=512.0)
    assert found.holds(512.0) is holds
    assert quoted([bought(900, "RTX 96GB")]).holds(24.0)  # a card has one memory


def test_machines_whose_memory_no_source_states_are_no_median_of_different_products() -> None:
    smallest = {"includes": "smallest memory, 512 GB; dearer with more"}
    found = quoted([machine(1299, "MacBook Air", **smallest), machine(1999, "MacBook Pro", **smallest)], "system")
    assert (found.value, found.configuration) == (1299, "MacBook Air, smallest memory")


@pytest.mark.parametrize(
    ("abroad", "value", "configuration"),
    [
        ({36: 3200.0, 64: 3100.0}, 3200, "36 GB machine"),  # that of the United States, though another is cheaper
        ({64: 3100.0, 128: 5000.0}, 3100, "64 GB machine"),  # not sold there: the cheapest that is
    ],
)
def test_every_market_prices_the_same_configuration_where_it_can(
    abroad: dict[int, float], value: float, configuration: str
) -> None:
    here = [machine(2499, "Mac 36GB"), machine(3099, "Mac 64GB")]
    there = [greek(euros, f"Mac {gb}GB", kind="system") for gb, euros in abroad.items()]
    found = quoted([*here, *there], "system", "eu")
    assert (found.value, found.configuration) == (value, configuration)
    assert {one.amount for one in found.configurations} == set(abroad.values())  # for the chooser, which names its own


@pytest.mark.parametrize(("replaced", "of_now"), [(ago(0), False), (ago(-1), True), (ago(90), False)])
def test_a_machine_that_its_maker_has_replaced_has_no_price_of_now(replaced: str, of_now: bool) -> None:
    old = machine(5299, "Mac Studio M3 Ultra 96GB", 100, includes=f"96 GB of memory; replaced on {replaced}")
    found = quoted([old], "system")
    assert (found.value is not None) == of_now
    if not of_now:
        assert found.reason.startswith(f"replaced on {replaced}") and found.last is not None
        assert found.last.value == 5299 and found.last.configuration == "96 GB machine"
        assert quoted([old, machine(5499, "Mac Studio M5 Ultra 96GB")], "system").value == 5499


def test_a_module_that_needs_a_carrier_board_is_not_told_as_a_whole_machine() -> None:
    found = quoted([machine(999, "Orin NX 16GB module", includes=MODULE)], "system")
    assert found.module and found.configuration == "module that needs a carrier board"
    assert "whole machine" not in found.words and "as a module that needs a carrier board" in found.words
    both = quoted([machine(999, "NX 16GB module", includes=MODULE), machine(1200, "NX 16GB kit")], "system")
    assert (both.value, both.module) == (1200, False)  # the machine, though the module is cheaper
