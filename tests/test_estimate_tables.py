"""A slip in a hand-written table of the estimator is told by its row; an unknown card is not passed over."""

from __future__ import annotations

import shutil
from functools import cache
from pathlib import Path

import pytest

from pipeline.advise.estimate import models, tables
from pipeline.core.paths import DATA

# What is done wrong: the table, what is exchanged for what, and what is said.
SLIPS: dict[str, tuple[str, str, str, str]] = {
    "a card that does not exist": (
        "decode_points.csv",
        "amd-instinct-mi100,",
        "amd-instinct-mi1000,",
        "decode_points.csv:2: gpu: no GPU has the id 'amd-instinct-mi1000'; did you mean 'amd-instinct-mi100'?",
    ),
    "a speed with a comma": (
        "decode_points.csv",
        "146.21",
        '"146,21"',
        "tokens_per_s: '146,21' holds a comma; write 146",
    ),
    "a speed that a comma takes apart": (
        "decode_points.csv",
        "146.21",
        "146,21",
        "this row has 13 cells, and there are 12",
    ),
    "a word for whether it is fitted": (
        "decode_points.csv",
        ",hip,test,",
        ",hip,trial,",
        "use: 'trial' is none of fit",
    ),
    "a network that does not exist": (
        "decode_points.csv",
        "llama-3.1-8b-instruct",
        "llama-3.1-9b",
        "model: unknown model 'llama-3.1-9b'; did you mean",
    ),
    "a packing that does not exist": ("prompt_points.csv", ",q4_0,", ",q4_9,", "unknown quantization 'q4_9'"),
    "a day in another order": (
        "prompt_points.csv",
        "2026-06-04,",
        "4.6.2026,",
        "'4.6.2026' is no day as 2026-11-21 or month",
    ),
    "a rate in words": ("hosted_points.csv", ",89.6,", ",eighty,", "host_gb_s: 'eighty' is no number"),
    "a unit of another name": ("file_sizes.csv", ",GiB,", ",gigs,", "unit: 'gigs' is none of B, GiB, bits a weight"),
    "a case that neither fits nor fails": (
        "memory_cases.csv",
        ",yes,2026",
        ",maybe,2026",
        "fits: 'maybe' is none of yes",
    ),
    "a place that is none": ("cache_sizes.csv", '"log of turn 9', '"page"\n#', "cache_sizes.csv:4: "),
    "a column too few": ("cache_sizes.csv", ",locator\n", "\n", "cache_sizes.csv:1: the columns are not those"),
    "a run on no card": (
        "training_runs.yml",
        "gpu: nvidia-a100-sxm4-80gb",
        "gpu: nvidia-a100-sxm4-80",
        "Llama 2 7B: gpu: no GPU has the id 'nvidia-a100-sxm4-80'; did you mean 'nvidia-a100-sxm4-80gb'?",
    ),
    "GPU-hours with a comma": (
        "training_runs.yml",
        "gpu_hours: 184320",
        "gpu_hours: 184,320",
        "runs, entry 1: '320' stands here without a value: a comma parts entries",
    ),
}


@cache
def gpus() -> frozenset[str]:
    return frozenset(path.stem for path in DATA.gpus.glob("*.yml"))


def told(folder: Path) -> list[str]:
    try:
        return tables.problems(gpus(), models.load(), folder)
    except ValueError as error:  # the list of runs is read by its own module
        return str(error).splitlines()


def test_nothing_is_wrong_with_the_tables_that_are_there() -> None:
    assert told(tables.FOLDER) == []


@pytest.mark.parametrize("slip", SLIPS)
def test_a_slip_in_a_table_is_told_by_its_row(tmp_path: Path, slip: str) -> None:
    name, old, new, words = SLIPS[slip]
    for path in (tables.FOLDER / one for one in (*tables.TABLES, tables.RUNS)):
        shutil.copy(path, tmp_path)
    text = (tmp_path / name).read_text(encoding="utf-8")
    assert old in text
    (tmp_path / name).write_text(text.replace(old, new, 1), encoding="utf-8")
    found = told(tmp_path)
    assert any(words in one for one in found), found
    assert all(one.startswith(f"data/estimator/{name}:") for one in found)
