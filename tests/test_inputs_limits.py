"""A card as the formulas get it: every figure from its own field."""

from __future__ import annotations

from samples import record

from pipeline.advise.estimate import inputs
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
