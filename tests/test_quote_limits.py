"""Of what counts now and what was last seen: which reading of several speaks, and which of two pairs."""

from __future__ import annotations

from test_quote import bought, card, dataset, machine, quoted, rented

from pipeline.derive.prices.quote import quotes


def test_that_a_machine_was_replaced_is_told_by_its_newest_reading_alone() -> None:
    name, gone = "Mac Studio M3 Ultra 96GB", "96 GB of memory; replaced on 2026-01-05"
    newest = machine(5299, name, 700)
    told = quoted([newest, machine(5299, name, 900, includes=gone)], "system")
    assert told.value is None
    assert told.reason.startswith("no current price; last seen in ")
    assert quoted([machine(5299, name, 700, includes=gone), machine(5299, name, 900)], "system").reason.startswith(
        "replaced on 2026-01-05"
    )


def test_a_pair_of_rents_is_as_good_as_the_weaker_of_the_two() -> None:
    """A fresh price beside an ageing one stands behind two that are fresh, though one of the first is of several."""
    several = [rented(1.0, "Lambda"), rented(1.1, "Verda"), rented(1.2, "Scaleway")]
    ageing, host = [rented(1.0, "Lambda", 61)], [rented(0.5, "Vast.ai")]
    today = card([bought(1, days=0)], "today")
    pair = quotes(dataset(card([*several, *host], "one"), card([*ageing, *host], "two"), today)).both_to_rent(
        "one", "two"
    )
    assert pair is not None
    assert {quote.kind for quote in pair} == {"marketplace"}


def test_of_what_was_last_seen_to_buy_the_newest_is_told() -> None:
    old, older = bought(900, "a", days=300), bought(500, "b", kind="used", days=400)
    prices = quotes(dataset(card([old, older])))
    assert prices.to_buy("card").kind == "new"
    swapped = quotes(dataset(card([bought(900, "a", days=400), bought(500, "b", kind="used", days=300)])))
    assert swapped.to_buy("card").kind == "used"
    assert (
        quotes(dataset(card([bought(900, "a", days=400), bought(500, "b", kind="used", days=300)])))
        .to_buy("card", used=False)
        .kind
        == "new"
    )


def test_of_two_machines_that_were_replaced_the_last_day_is_told() -> None:
    name = "Mac Studio M3 Ultra 96GB"
    gone = [machine(5299, name, 900, includes=f"96 GB; replaced on 2026-01-{day:02}") for day in (5, 9)]
    assert quoted(gone, "system").reason.startswith("replaced on 2026-01-09")
