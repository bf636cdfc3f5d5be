"""Contributed result sets are read strictly and judged against theory before they enter the dataset."""

from __future__ import annotations

import pytest
import yaml
from samples import SOUND, Tree, claim

from pipeline.core.measured.metrics import COLUMNS
from pipeline.core.paths import ROOT
from pipeline.intake import result_sets
from pipeline.intake.results import METRICS
from pipeline.record import build

ABOUT = {
    "set": "mine",
    "title": "My card",
    "source": "me",
    "kind": "community",
    "url": "https://e.org/mine",
    "licence": "CC BY-SA 4.0",
    "date": "2026-11-20",
}
ROW = {
    "gpu": "nvidia-geforce-rtx-4090",
    "gpu_count": "1",
    "workload": "microbenchmark",
    "model": "matmul-8192",
    "precision": "fp16",
    "batch": "",
    "metric": "matmul_rate",
    "value": "150",
    "p10": "149",
    "p90": "151",
    "repetitions": "50",
    "unit": "TFLOPS",
    "higher_is_better": "yes",
    "software": "PyTorch 2.13.0",
    "date": "2026-11-20",
    "flag": "",
    "note": "",
}


def add(tree: Tree, name: str = "mine", about: dict[str, str] | None = None, **changes: str) -> None:
    row = {**ROW, **changes}
    tree.write(f"benchmarks/{name}.csv", f"{','.join(COLUMNS)}\n{','.join(row[c] for c in COLUMNS)}\n")
    tree.write(f"benchmarks/{name}.yml", yaml.safe_dump({**ABOUT, "set": name, **(about or {})}))


def test_a_sound_set_enters_the_dataset_with_its_source(tree: Tree) -> None:
    add(tree)
    build.build(tree.data)
    table = (tree.data.clean / "benchmarks.csv").read_text()
    assert "matmul_rate,150,TFLOPS,true,PyTorch 2.13.0,2026-11-20,mine" in table
    assert '"mine.csv, row 2"' in table


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"value": "400", "p10": "", "p90": ""}, "400 TFLOPS is above theory"),
        ({"metric": "stream_triad", "unit": "GB/s", "value": "1500", "p10": "", "p90": ""}, "a cache was measured"),
        ({"gpu": "rtx-9999"}, "'rtx-9999': no GPU has this id"),
        ({"value": "0"}, "a failed run has an empty value and a flag"),
        ({"precision": "fp17"}, "fp17"),
        ({"date": "yesterday"}, "date"),
    ],
)
def test_an_impossible_set_is_refused_with_the_reason(tree: Tree, changes: dict[str, str], message: str) -> None:
    add(tree, **changes)
    with pytest.raises(build.BuildError, match=message):
        build.build(tree.data)


@pytest.mark.parametrize(
    ("path", "text", "message"),
    [
        ("benchmarks/mine.csv", "gpu,value\na,1\n", "the columns are"),
        ("benchmarks/mine.yml", "set: other", "title"),
        ("benchmarks/mine.yml", yaml.safe_dump({**ABOUT, "set": "other"}), "must be the file's name"),
        ("benchmarks/lone.csv", f"{','.join(COLUMNS)}\n", "each set needs its YAML"),
    ],
)
def test_a_broken_set_is_named(tree: Tree, path: str, text: str, message: str) -> None:
    add(tree)
    tree.write(path, text)
    with pytest.raises(build.BuildError, match=message):
        build.build(tree.data)


def test_the_readme_lists_every_metric_with_its_units_and_direction() -> None:
    text = (ROOT / "data" / "benchmarks" / "README.md").read_text(encoding="utf-8")
    for name, metric in METRICS.items():
        line = next(line for line in text.splitlines() if line.startswith(f"| `{name}` |"))
        assert all(f"`{unit}`" in line for unit in metric.units)
        assert line.endswith("| yes |" if metric.higher_is_better else "| no |")


def test_a_set_far_below_its_peers_is_asked_about_and_not_refused(tree: Tree) -> None:
    add(tree, "peer")
    add(tree, value="60", p10="59", p90="61")
    build.build(tree.data)
    (question,) = result_sets.questions(tree.data.benchmark_sets)
    assert "40%" in question


def test_theory_comes_from_the_decided_record(tree: Tree) -> None:
    add(tree, value="170", p10="", p90="")
    build.build(tree.data)
    lower = tuple(claim(c.field, "100 TFLOPS") if c.field.startswith("peak:fp16") else c for c in SOUND)
    tree.claims("wikipedia-gpu-info", lower)
    with pytest.raises(build.BuildError, match="above theory, 100"):
        build.build(tree.data)


def test_a_run_on_a_processor_is_accepted_and_enters_no_table(tree: Tree) -> None:
    add(tree, gpu="")
    build.build(tree.data)
    assert "mine" not in (tree.data.clean / "benchmarks.csv").read_text()


def test_a_run_on_a_processor_is_judged_all_the_same(tree: Tree) -> None:
    add(tree, gpu="", value="0")
    with pytest.raises(build.BuildError, match="a failed run has an empty value"):
        build.build(tree.data)
