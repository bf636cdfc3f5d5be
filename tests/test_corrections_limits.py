"""Which rows a correction takes out, when one is idle, and how many words give a reason."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError
from samples import claim, price

from pipeline.record import corrections
from pipeline.record.corrections import Correction, PriceCorrection

GPU = "nvidia-geforce-rtx-4090"
WHY = "figure of another card"


def known(expect: float = 900.0, offer: str | None = None, **about: Any) -> PriceCorrection:
    usual = {"source": "shop", "gpu": GPU, "kind": "retail", "date": "2026-08-22"}
    return PriceCorrection(**usual | about, expect=expect, offer=offer, reason=WHY)


def sold(usd: float = 900.0, **about: Any) -> Any:
    usual = {"source": "shop", "kind": "retail", "usd_per_unit": usd, "usd_per_gpu_hour": None, "offer": "a"}
    return price(**usual | {"usd_per_machine_hour": None, "amount": None} | about)


@pytest.mark.parametrize(("reason", "enough"), [("of another card", False), ("it is another card", True)])
def test_a_reason_has_four_words(reason: str, enough: bool) -> None:
    about = {"source": "s", "gpu": GPU, "field": "memory_gb", "expect": "24", "reason": reason}
    if enough:
        assert Correction(**about).reason == reason
    else:
        with pytest.raises(ValidationError, match="does not say why"):
            Correction(**about)


@pytest.mark.parametrize(
    ("entry", "taken"),
    [
        (known(), [0, 1]),
        (known(offer="b"), [1]),
        (known(offer="c"), []),
        (known(800.0), [2]),
        (known(700.0), [3]),  # as it was asked, in another currency
        (known(date="2026-08-23"), []),
        (known(kind="used"), []),
        (known(source="another"), []),
    ],
)
def test_a_price_is_taken_out_by_source_day_amount_and_offer(entry: PriceCorrection, taken: list[int]) -> None:
    rows = [sold(), sold(offer="b"), sold(800.0), sold(750.0, amount=700.0, currency="EUR")]
    kept, idle = corrections.withdraw(rows, [entry])
    assert [at for at, row in enumerate(kept) if row.flag] == taken
    assert all(row.flag in ("", f"withdrawn: {WHY}") for row in kept)
    assert bool(idle) is not bool(taken)


def test_only_the_corrections_without_use_are_told_with_their_numbers() -> None:
    entries = [known(), known(5.0), known(5.0, "b")]
    _, idle = corrections.withdraw([sold()], entries)
    assert [line.partition(": shop says ")[0][-7:] for line in idle] == ["entry 2", "entry 3"]
    assert idle[0].partition("; ")[0].endswith(f"= 900 (a) of {GPU}, not 5 (any offer)")
    assert ", not 5 (b)" in idle[1]


def test_of_claims_too() -> None:
    about = {"gpu": GPU, "field": "memory_gb", "reason": WHY}
    entries = [Correction(source="a", expect="24", **about), Correction(source="b", expect="48", **about)]
    said = [claim("memory_gb", 24, source="a"), claim("memory_gb", 24, source="b"), claim("memory_gb", 48, source="c")]
    standing, withdrawn, idle = corrections.apply(said, entries)
    assert [(one.source, one.value) for one in standing] == [("b", "24"), ("c", "48")]
    assert [(one.claim.source, one.reason) for one in withdrawn] == [("a", WHY)]
    assert [line.partition(": b says")[0] for line in idle] == ["data/corrections.yml: withdrawn, entry 2"]


@pytest.mark.parametrize(("count", "told"), [(2, "a, b"), (8, "a, b, c, d, e, f, g, h"), (9, ", h and 1 more")])
def test_of_the_words_that_would_fit_eight_are_told(count: int, told: str) -> None:
    words = list("ihgfedcba")[-count:]
    assert corrections._few(words).endswith(told)
    assert corrections._few(words).startswith("a, b")
