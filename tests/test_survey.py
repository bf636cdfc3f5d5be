"""A file that cannot be read is left out with all that is said of its card, and the rest is judged as before."""

from __future__ import annotations

from dataclasses import astuple, replace

from samples import GPU, Tree, claim, price, result

from pipeline.core.files import csv_text
from pipeline.core.schema import Claim, Price, Result, columns
from pipeline.record import build

CARD, BROKEN = "nvidia-geforce-rtx-4090", "nvidia-broken"


def test_nothing_is_judged_of_a_card_whose_file_cannot_be_read(tree: Tree) -> None:
    tree.gpu(CARD, GPU)
    tree.write(f"gpus/{BROKEN}.yml", "name: [")
    both = (CARD, BROKEN)
    tables = {
        "claims/wikipedia-gpu-info": (Claim, [replace(claim("memory_gb", "24 GB"), gpu=gpu) for gpu in both]),
        "results/lambda-deeplearning-benchmark": (Result, [result(gpu=gpu) for gpu in both]),
        "prices/2026-08": (Price, [price(gpu=gpu) for gpu in both]),
    }
    for path, (kind, rows) in tables.items():
        tree.write(f"{path}.csv", csv_text(columns(kind), map(astuple, rows)))
    evidence, _, problems = build.survey(tree.data)
    assert [{row.gpu for row in rows} for rows in (evidence.claims, evidence.results, evidence.prices)] == [{CARD}] * 3
    assert evidence.ids == {CARD, BROKEN}
    assert any(BROKEN in problem for problem in problems)
    assert not any("unknown GPU" in problem for problem in problems)
