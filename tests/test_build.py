"""The dataset is built whole and equal each time, and refused as a whole when anything is wrong."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import astuple

import pytest
from samples import GPU, SOUND, Tree, claim, price, result

from pipeline.core import files
from pipeline.core.schema import Price, Result, columns
from pipeline.record import build

GPU_ID = "nvidia-geforce-rtx-4090"


def replaced(field: str, value: object, **changes: str) -> tuple[object, ...]:
    """The sound claims with one field of them replaced."""
    return tuple(claim(field, value, **changes) if c.field == field else c for c in SOUND)


def test_two_builds_are_equal_byte_for_byte(tree: Tree) -> None:
    build.build(tree.data)
    first = tree.state()
    for path in tree.data.clean.iterdir():
        path.unlink()
    build.build(tree.data)
    assert tree.state() == first
    assert {p.name for p in tree.data.clean.iterdir()} == {
        "gpus.csv",
        "peaks.csv",
        "claims.csv",
        "benchmarks.csv",
        "prices.csv",
        "schema.json",
    }


def test_the_order_of_rows_in_the_claims_does_not_change_the_dataset(tree: Tree) -> None:
    build.build(tree.data)
    first = tree.state()["clean/claims.csv"]
    tree.claims("wikipedia-gpu-info", SOUND[::-1])
    build.build(tree.data)
    assert tree.state()["clean/claims.csv"] == first


def test_a_chosen_value_a_peak_and_a_launch_price_reach_the_tables(tree: Tree) -> None:
    build.build(tree.data)
    with (tree.data.clean / "gpus.csv").open(encoding="utf-8") as file:
        (row,) = csv.DictReader(file)
    assert (row["id"], row["memory_gb"], row["length_mm"]) == (GPU_ID, "24", "")
    assert f"{GPU_ID},fp16,fp32,dense,tensor,165.2" in (tree.data.clean / "peaks.csv").read_text()
    assert f"{GPU_ID},launch,,,,,,1599,USD,2022-10-12" in (tree.data.clean / "prices.csv").read_text()


def test_stale_files_are_named(tree: Tree) -> None:
    build.build(tree.data)

    def stale() -> list[str]:
        return files.differing(tree.data.data, build.compile_dataset(tree.data).contents)

    assert stale() == []
    tree.claims("wikipedia-gpu-info", replaced("board_power_w", "425 W"))  # type: ignore[arg-type]
    assert stale() == ["clean/claims.csv", "clean/gpus.csv"]


# Each seeded error: how to break the tree, and what the message must name.
Break = Callable[[Tree], None]


def _claims(*rows: object) -> Break:
    return lambda tree: tree.claims("wikipedia-gpu-info", rows)  # type: ignore[arg-type]


def _extra(*rows: object) -> Break:
    return _claims(*SOUND, *rows)


def _results(*rows: Result) -> Break:
    return lambda tree: tree.write("results/lab.csv", files.csv_text(columns(Result), map(astuple, rows)))


def _prices(*rows: Price) -> Break:
    text = files.csv_text(columns(Price), map(astuple, rows))
    return lambda tree: tree.write(f"prices/{rows[0].date[:7]}.csv", text)


def _yaml(**changes: object) -> Break:
    return lambda tree: tree.gpu(GPU_ID, {**GPU, **changes})


OTHER = {"source": "other", "locator": "row 2", "kind": "community"}
SEEDED: dict[str, tuple[Break, tuple[str, ...]]] = {
    "bus width halved": (_claims(*replaced("memory_bus_bit", "192 bit")), ("memory_bus_bit", "'192'", "halved bus")),
    "bus width halved in a claim that loses": (
        _extra(claim("memory_bus_bit", "192 bit", **OTHER)),
        ("memory_bus_bit", "'192'", "other (row 2)"),
    ),
    "one die's bandwidth": (
        _extra(claim("memory_bandwidth_gb_s", "504 GB/s", **OTHER)),
        ("memory_bandwidth_gb_s", "'504'", "corrections.yml"),
    ),
    "sparse peak stored as dense": (
        _extra(claim("peak:fp16:fp32:dense:tensor", "330.4 TFLOPS", **OTHER)),
        ("peak:fp16:fp32:dense:tensor", "'330.4'", ":sparse:"),
    ),
    "sparse peak that is not twice the dense": (
        _extra(claim("peak:fp16:fp32:sparse:tensor", "660.6 TFLOPS")),
        ("'660.6'", "not twice the dense 165.2"),
    ),
    "zero for a missing value": (
        _extra(claim("length_mm", "0 mm")),
        ("length_mm", "'0'", "leave an unknown value out"),
    ),
    "MiB kept as GB": (_claims(*replaced("memory_gb", "24576 GB")), ("memory_gb", "'24576'", "outside")),
    "vector FP32 doubled": (
        _claims(*replaced("peak:fp32:fp32:dense:vector", "165.2 TFLOPS")),
        ("peak:fp32", "'165.2'", "16384 cores"),
    ),
    "value stripped of its source": (
        _claims(*replaced("board_power_w", "450 W", url="")),
        ("board_power_w", "'450'", "no url"),
    ),
    "value without a date": (
        _claims(*replaced("board_power_w", "450 W", retrieved="")),
        ("board_power_w", "no retrieved"),
    ),
    "value without a locator": (
        _claims(*replaced("board_power_w", "450 W", locator="")),
        ("board_power_w", "no locator"),
    ),
    "unknown GPU name in claims": (_extra(claim("memory_gb", "24 GB", gpu="RTX 4099")), ("RTX 4099", "add data/gpus")),
    "unknown GPU in results": (_results(result(gpu="RTX 4099")), ("b.csv, row 2", "RTX 4099")),
    "failed run as zero": (_results(result(value=0.0)), ("throughput", "'0'", "flag")),
    "failed run without a reason": (_results(result(value=None)), ("throughput", "no flag")),
    "result that stands twice": (_results(result(), result()), ("throughput", "stands twice")),
    "machine price as GPU price": (_prices(price(usd_per_gpu_hour=1.0)), ("usd_per_gpu_hour", "'1'", "machine-hour")),
    "spot price of zero": (_prices(price(kind="spot", usd_per_gpu_hour=0.0)), ("price", "'0'", "not above zero")),
    "price of an unknown kind": (_prices(price(kind="rumour")), ("kind", "'rumour'", "not one of")),
    "wrong unit in a GPU's YAML": (
        _yaml(
            documents={
                "d": {"title": "t", "kind": "vendor", "url": "https://e.org", "read": "2026-11-21", "licence": "x"}
            },
            values=[{"field": "board_power_w", "value": "450 GB", "document": "d", "locator": "p. 1"}],
        ),
        (f"data/gpus/{GPU_ID}.yml", "board_power_w", "450 GB", "does not fit"),
    ),
    "duplicate alias": (
        lambda tree: tree.gpu("nvidia-rtx-4090-twin", {**GPU, "name": "Twin"}),
        ("aliases: 'RTX 4090'", "already means"),
    ),
    "broken CSV": (
        lambda tree: tree.write("claims/wikipedia-gpu-info.csv", 'gpu,field\n"nvidia'),
        ("wikipedia-gpu-info.csv", "restore"),
    ),
    "CSV cut short": (
        lambda tree: tree.write("claims/wikipedia-gpu-info.csv", "gpu,field,value\na,b,c\n"),
        ("wikipedia-gpu-info.csv", "no column 'unit'", "restore"),
    ),
    "text where a number belongs": (
        lambda tree: tree.write(
            "prices/2026-08.csv", files.csv_text(columns(Price), [astuple(price())]).replace("0.5", "cheap")
        ),
        ("usd_per_gpu_hour", "'cheap'"),
    ),
    "correction that matches nothing": (
        lambda tree: tree.write(
            "corrections.yml",
            "withdrawn: [{source: epoch, gpu: a-b, field: memory_gb, expect: '1', reason: figure of another card}]",
        ),
        ("corrections.yml", "'a-b' is no card", "correct the id"),
    ),
    "ignore pattern that matches nothing": (
        lambda tree: tree.write("names/x.yml", "ignored: [{pattern: Foo, sources: [wiki], reason: r}]"),
        ("'Foo'", "take it out"),
    ),
}


@pytest.mark.parametrize("error", SEEDED)
def test_a_seeded_error_is_refused_and_nothing_changes(tree: Tree, error: str) -> None:
    build.build(tree.data)
    seed, named = SEEDED[error]
    seed(tree)
    before = tree.state()
    with pytest.raises(build.BuildError) as refused:
        build.build(tree.data)
    for part in named:
        assert part in str(refused.value)
    assert tree.state() == before


def test_all_problems_are_told_together(tree: Tree) -> None:
    _claims(*replaced("memory_bus_bit", "192 bit"), claim("length_mm", "0 mm"))(tree)
    with pytest.raises(build.BuildError) as refused:
        build.build(tree.data)
    assert {"memory_bus_bit", "length_mm"} <= {
        word.strip(":") for line in refused.value.problems for word in line.split()
    }


def test_a_correction_withdraws_a_wrong_claim_and_keeps_it_with_the_reason(tree: Tree) -> None:
    wrong = claim("memory_bus_bit", "192 bit", source="other", locator="row 2")
    _extra(wrong)(tree)
    entry = (
        f"withdrawn: [{{source: other, gpu: {GPU_ID}, field: memory_bus_bit, expect: '192', reason: half of the bus}}]"
    )
    tree.write("corrections.yml", entry)
    build.build(tree.data)
    assert "false,withdrawn,withdrawn: half of the bus" in (tree.data.clean / "claims.csv").read_text()


def test_an_accepted_problem_passes_and_fails_once_it_is_gone(tree: Tree) -> None:
    checks = ("fp32_matches_cores", "vector_fp32_names_its_clock")
    about = f"gpu: {GPU_ID}, field: 'peak:fp32:fp32:dense:vector', value: '70', reason: as the maker prints"
    tree.write("corrections.yml", f"accepted: [{', '.join(f'{{check: {check}, {about}}}' for check in checks)}]")
    with pytest.raises(build.BuildError, match="is no problem any more"):
        build.build(tree.data)
    _claims(*replaced("peak:fp32:fp32:dense:vector", "70 TFLOPS"))(tree)
    build.build(tree.data)
    _claims(*replaced("peak:fp32:fp32:dense:vector", "700 TFLOPS"))(tree)
    with pytest.raises(build.BuildError, match="= '700'"):  # what was accepted is one value, not the field
        build.build(tree.data)
