"""The watts of a machine: whose they are, and which power supply gives them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from pipeline.advise.choose.calculators import power
from pipeline.advise.choose.need import NeedError


@pytest.mark.parametrize(
    ("share", "watts"), [(1.0, 550.0), (1.001, 650.0), (0.9, 550.0), (0.0, 450.0), (2.909, 1600.0), (2.91, None)]
)
def test_a_supply_is_the_next_size_of_the_shops_that_gives_enough(share: float, watts: float | None) -> None:
    assert power.supply_w(550 * power.PSU_SHARE * share) == watts


def card(power_w: float | None = 450.0, measured: Any = None, psu_w: float | None = 850.0) -> Any:
    return SimpleNamespace(card=SimpleNamespace(name="Card"), power_w=power_w, measured=measured, psu_w=psu_w)


MEASURED = SimpleNamespace(watts=390.0, machine=True, words="MLPerf")


@pytest.mark.parametrize(
    ("facts", "typed", "watts", "machine", "kind"),
    [
        (card(measured=MEASURED), 300.0, 300.0, False, "computed"),
        (card(measured=MEASURED), 0.0, 0.0, False, "computed"),
        (card(measured=MEASURED), None, 390.0, True, "measured"),
        (card(), None, 450.0, False, "computed"),
    ],
)
def test_watts_are_typed_then_measured_then_the_limit(
    facts: Any, typed: float | None, watts: float, machine: bool, kind: str
) -> None:
    assert power._watts(facts, typed)[:3] == (watts, machine, kind)


def test_unknown_watts_are_asked_for() -> None:
    with pytest.raises(NeedError, match="type it"):
        power._watts(card(power_w=None), None)


@pytest.mark.parametrize(("count", "psu_w", "recommended"), [(1, 850.0, True), (2, 850.0, False), (1, None, False)])
def test_the_maker_recommends_a_supply_for_one_card(count: int, psu_w: float | None, recommended: bool) -> None:
    (said,) = power._supply(card(psu_w=psu_w), count, 500.0)
    assert ("The maker recommends 850 W" in said) is recommended


def test_what_is_drawn_at_most_is_the_limit_or_what_was_typed_and_the_larger_rest() -> None:
    facts = {"card": card(), "hot": card(power_w=300.0)}
    known: Any = SimpleNamespace(facts=facts)
    usual = {"gpu": "card", "gpus": 2, "watts": None, "rest": 100.0, "hours_per_week": 10.0, "pue": 1.0, "tariff": 0.2}

    def worked(**changes: Any) -> dict[str, Any]:
        return dict(power.answer(usual | changes, known).values)

    found = worked()
    assert (found["watts"], found["most_w"]) == (1000.0, 900.0 + max(power.REST_W, 100.0))
    assert found["kwh_per_year"] == pytest.approx(520.0)
    assert found["usd_per_year"] == pytest.approx(104.0)
    assert worked(watts=500.0)["most_w"] == 1000.0 + max(power.REST_W, 100.0), "more was typed than the board may draw"
    assert worked(rest=power.REST_W + 50)["most_w"] == 900.0 + power.REST_W + 50
    assert worked(pue=1.5)["kwh_per_year"] == pytest.approx(780.0)
