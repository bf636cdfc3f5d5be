"""A card as the formulas get it: every figure from its own field."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from samples import record, result

from pipeline.advise.estimate import inputs
from pipeline.advise.estimate.types import Request
from pipeline.core.schema import parse_peak

PEAK = "peak:fp16:fp32:dense:tensor"


def test_each_figure_of_a_card_comes_from_its_own_field() -> None:
    gpu = record(
        id="x", name="X", vendor="AMD", segment="datacenter", architecture="CDNA 3", memory_gb=192.0,
        memory_type="HBM3", memory_bandwidth_gb_s=5300.0, peaks={parse_peak(PEAK): 1300.0}, link_gb_s=896.0,
        pcie_gen=5.0, form_factor="OAM",
    )  # fmt: skip
    card = inputs.card(gpu)
    assert (card.id, card.name, card.vendor, card.segment) == ("x", "X", "AMD", "datacenter")
    assert (card.architecture, card.memory_gb, card.memory_type) == ("CDNA 3", 192.0, "HBM3")
    assert (card.memory_bandwidth_gb_s, card.link_gb_s, card.pcie_gen) == (5300.0, 896.0, 5.0)
    assert (card.form_factor, dict(card.peaks)) == ("OAM", {PEAK: 1300.0})


@pytest.mark.parametrize(
    ("context", "asked", "bandwidth", "reason"),
    [
        (2048, {}, 1000.0, ""),  # a network that reads no more is held with no more
        (None, {}, 1000.0, "does not fit whole with 8192 tokens"),
        (131_072, {}, 1000.0, "does not fit whole with 8192 tokens"),
        (2048, {"gpus": 2}, 1000.0, "several GPUs"),
        (2048, {}, None, "bandwidth of X is not known"),
    ],
)
def test_a_run_of_a_reader_counts_where_the_network_fits_whole(
    context: int | None, asked: dict[str, Any], bandwidth: float | None, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inputs, "required", lambda on, of, asked: SimpleNamespace(fits=asked.context <= 2048))
    card: Any = SimpleNamespace(id="x", name="X", memory_bandwidth_gb_s=bandwidth)
    model: Any = SimpleNamespace(context=context)
    told = inputs._llmfit_reason(result(value=10.0, flag=""), card, model, Request(**asked))
    assert told.startswith(reason) or reason in told
    assert bool(told) is bool(reason)


def test_a_run_without_a_value_is_left_out_by_its_flag(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs, "required", lambda *_: SimpleNamespace(fits=True))
    card: Any = SimpleNamespace(id="x", name="X", memory_bandwidth_gb_s=1000.0)
    flagged = result(value=None, flag="failed")
    model: Any = SimpleNamespace(context=1)
    assert inputs._llmfit_reason(flagged, card, model, Request(gpus=2)) == "failed"
