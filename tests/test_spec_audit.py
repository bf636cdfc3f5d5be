"""630 cells written down before the look: the dataset shows them, or says where NVIDIA's papers differ."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from samples import committed

from pipeline.core.schema import DecidedClaim
from pipeline.record.reconcile import agree

CELLS = Path(__file__).parent / "spec_audit" / "cells.csv"
# Read in the makers' own texts and drawn by lot, a day later.
DRAWN = Path(__file__).parent / "spec_audit" / "drawn.csv"
# Read off the cards themselves by nvidia-smi and deviceQuery, and from tables of makers' sheets; drawn by lot.
READ_OFF = Path(__file__).parent / "spec_audit" / "read_off.csv"
# Read in eleven papers of the makers that the dataset had not used, all of their cells.
PAPERS = Path(__file__).parent / "spec_audit" / "papers.csv"
# Drawn by lot over all cards and fields, then looked up; "(none)" where the card has no such rate.
BY_LOT = Path(__file__).parent / "spec_audit" / "by_lot.csv"
# Cells once wrong or doubted: what they show now; empty where no document can be trusted.
DOUBTFUL = Path(__file__).parent / "spec_audit" / "doubtful.csv"
# Where the maker's papers differ, and which of them is shown.
TWO_PAPERS = {
    ("nvidia-t4", "memory_bandwidth_gb_s"): "the data sheet says 320+ GB/s, the product page 300",
    ("nvidia-b200", "memory_bandwidth_gb_s"): "the page of HGX says 8 TB/s, AIConfigurator 7.7 for the module",
    ("nvidia-b300", "memory_gb"): "the data sheet says 270 GB usable of the 288 GB that the reference architecture has",
    (
        "nvidia-b300",
        "memory_bandwidth_gb_s",
    ): "the page of HGX says 8 TB/s, AIConfigurator 7.75 for the module",
    ("nvidia-rtx-pro-6000-blackwell-server", "memory_bandwidth_gb_s"): "the data sheet of the server card says 1,597 "
    "GB/s, the white paper 1,792 for the workstation card beside it",
}
# Not shown although the sheet prints a figure: it names neither the format nor the type of the sums.
NOT_SAID = {("nvidia-quadro-rtx-5000", "peak:fp16:fp32:dense:tensor")}
# Where a list is not the maker: NVIDIA gave the P4 a lower boost clock than its driver allows, Intel names a larger
# supply; and of a laptop's lanes no document speaks, only that the chip has eight.
NOT_THE_LIST = {
    ("nvidia-p4", "boost_clock_mhz"),
    ("intel-arc-pro-b50", "recommended_psu_w"),
    ("nvidia-geforce-rtx-5050-laptop", "pcie_lanes"),
}
# Google's documentation says 95 GB, its paper in IEEE Micro 96 GiB.
GOOGLE = {("google-tpu-v5p", "memory_gb")}


@pytest.mark.parametrize(
    ("table", "size", "known"),
    [
        (CELLS, 151, set(TWO_PAPERS)),
        (DRAWN, 70, NOT_SAID),
        (READ_OFF, 60, set()),
        (PAPERS, 288, GOOGLE),
        (BY_LOT, 61, NOT_THE_LIST),
    ],
)
def test_the_cells_of_an_audit_are_shown_or_known_to_differ(
    table: Path, size: int, known: set[tuple[str, str]]
) -> None:
    dataset = committed()
    with table.open(encoding="utf-8", newline="") as file:
        cells = list(csv.DictReader(file))
    off = {
        (c["gpu"], c["field"]) for c in cells if not _shown(dataset.gpus[c["gpu"]].chosen(c["field"]), c["expected"])
    }
    assert len(cells) == size
    assert off == known


def test_a_cell_once_doubted_shows_what_its_document_states_or_nothing() -> None:
    dataset = committed()
    with DOUBTFUL.open(encoding="utf-8", newline="") as file:
        cells = list(csv.DictReader(file))
    assert len(cells) > 50
    for cell in cells:
        claim = dataset.gpus[cell["gpu"]].chosen(cell["field"])
        shown = claim.value if claim else ""
        assert shown == cell["shown"], f"{cell['gpu']} {cell['field']} shows {shown or 'nothing'}, not {cell['shown']}"


def _shown(claim: DecidedClaim | None, expected: str) -> bool:
    if claim is None or expected == "(none)":
        return claim is None and expected == "(none)"
    return agree(claim.field, claim.value, expected)
