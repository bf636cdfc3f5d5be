"""The measuring kit without PyTorch: its words, files, names, statistics, and how results are judged."""

from __future__ import annotations

import ast
import csv
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

from pipeline.core import identity
from pipeline.core.measured import metrics, plausible
from pipeline.core.measured.decoders import DECODERS
from pipeline.core.measured.plausible import CardLimits
from pipeline.intake import result_sets
from pipeline.tools.measure import capacity, cli, device, names, output, pack, plan, power, stats
from pipeline.tools.measure.groups import GROUPS

KIT = Path(cli.__file__).parent
MEASURED = Path(metrics.__file__).parent
GPU = "maker-test-gpu"


def row(**changes: str) -> dict[str, str]:
    """Make a sound row of a result file, then change some cells."""
    sound = {
        "gpu": GPU,
        "gpu_count": "1",
        "workload": "microbenchmark",
        "model": "matmul-4096",
        "precision": "fp32",
        "batch": "",
        "metric": "matmul_rate",
        "value": "10",
        "p10": "9.5",
        "p90": "10.2",
        "repetitions": "20",
        "unit": "TFLOPS",
        "higher_is_better": "yes",
        "software": "PyTorch 2.13.0, CUDA 13.0",
        "date": "2026-11-21",
        "flag": "",
        "note": "",
    }
    return {**sound, **changes}


LIMITS = {GPU: CardLimits({"fp32": 12.0, "tf32": 48.0, "bf16": 96.0}, memory_bandwidth_gb_s=500.0)}


def judged(**changes: str) -> list[str]:
    return plausible.problems([row(**changes)], LIMITS)


def test_a_sound_row_is_accepted():
    assert judged() == []
    assert judged(precision="bf16", value="95", p10="90", p90="96") == []
    assert judged(model="stream", metric="stream_copy", unit="GB/s", value="480", p10="470", p90="481") == []


@pytest.mark.parametrize(
    ("reason", "changes"),
    [
        ("above theory, 96 for bf16", {"precision": "bf16", "value": "120", "p10": "119", "p90": "121"}),
        ("TF32 was on", {"value": "40", "p10": "39", "p90": "41"}),
        ("above theory, 12 for fp32", {"value": "90", "p10": "89", "p90": "91"}),
        ("memory that gives 500", {"metric": "stream_copy", "unit": "GB/s", "value": "900", "p10": "", "p90": ""}),
        ("a failed run has an empty value", {"value": "0", "p10": "", "p90": ""}),
        ("a failed run has an empty value", {"value": "-3", "p10": "", "p90": ""}),
        ("no finite number", {"value": "nan", "p10": "", "p90": ""}),
        ("no finite number", {"value": "inf", "p10": "", "p90": ""}),
        ("no finite number", {"value": "fast", "p10": "", "p90": ""}),
        ("no flag says why", {"value": "", "p10": "", "p90": ""}),
        ("outside its own", {"value": "9.4"}),
        ("outside its own", {"value": "10.3"}),
        ("one of them is empty", {"p90": ""}),
        ("must be finite numbers", {"p10": "low"}),
        ("precision = 'half'", {"precision": "half"}),
        ("workload = 'games'", {"workload": "games"}),
        ("write the day", {"date": ""}),
        ("write the day", {"date": "21.11.2026"}),
        ("software is missing", {"software": " "}),
        ("unit is missing", {"unit": "", "metric": "something_else"}),
        ("matmul_rate is in TFLOPS", {"unit": "GFLOPS"}),
        ("wrong way round", {"higher_is_better": "no"}),
    ],
)
def test_an_impossible_result_is_refused_with_the_reason(reason: str, changes: dict[str, str]):
    found = judged(**changes)
    assert any(reason in problem for problem in found)
    assert all(problem.startswith("row 2 (") for problem in found)


def test_clocks_above_the_specification_are_no_reason_to_refuse():
    assert judged(value="13.5", p10="13", p90="13.7") == []


def test_decoding_faster_than_the_weights_can_be_read_is_refused():
    model = "kit-decoder-8b"
    fastest = 500e9 / (DECODERS[model].weights_read * 2)  # bf16 weights at 500 GB/s
    cells = {
        "workload": "inference",
        "model": model,
        "precision": "bf16",
        "metric": "generation_speed",
        "unit": "tokens/s",
        "p10": "",
        "p90": "",
    }
    assert judged(**cells, batch="1", value=f"{fastest * 0.9:.4f}") == []
    assert "a cache was measured" in judged(**cells, batch="1", value=f"{fastest * 1.1:.4f}")[0]
    assert judged(**cells, batch="8", value=f"{fastest * 7:.4f}") == []


def test_the_same_measurement_twice_is_refused():
    assert plausible.problems([row(), row(value="9.9")], LIMITS) == [
        f"row 3 ({GPU}, 1, microbenchmark, matmul-4096, fp32, matmul_rate, PyTorch 2.13.0, CUDA 13.0, 2026-11-21): "
        "row 2 is of the same measurement; keep one of the two"
    ]
    assert plausible.problems([row(), row(date="2026-11-22")], LIMITS) == []


def test_a_failed_run_with_its_reason_is_accepted():
    assert judged(value="", p10="", p90="", repetitions="", flag="out of memory") == []


def test_a_gpu_without_known_limits_is_still_checked_for_all_else():
    assert plausible.problems([row(value="1e6", p10="", p90="")], {}) == []
    assert plausible.problems([row(value="0", p10="", p90="")]) != []


def test_a_rate_far_below_its_peers_is_asked_about_and_not_refused():
    peers = [row(value=value) for value in ("10", "11", "12")]
    slow = row(value="5", p10="4.9", p90="5.1")
    assert plausible.problems([slow], LIMITS) == []
    assert "45% of what 3 other result(s) reach" in plausible.flags([slow], peers)[0]
    assert plausible.flags([row(value="9")], peers) == []


def test_peers_are_of_the_same_kind():
    slow = row(value="5")
    for change in (
        {"gpu": "another"},
        {"precision": "tf32"},
        {"model": "matmul-64"},
        {"batch": "8"},
        {"software": "PyTorch, torch.compile inductor"},
        {"flag": "super-linear"},
    ):
        assert plausible.flags([slow], [row(value="10", **change)]) == []


def test_where_less_is_better_the_slower_one_is_asked_about():
    cells = {"metric": "launch_latency", "unit": "us", "higher_is_better": "no"}
    assert plausible.flags([row(value="20", **cells)], [row(value="5", **cells)]) != []
    assert plausible.flags([row(value="5", **cells)], [row(value="20", **cells)]) == []


def test_quantiles_lie_straight_between_neighbours():
    found = stats.summary([5.0, 1.0, 2.0, 3.0, 4.0])
    assert (found.median, found.p10, found.p90, found.repetitions) == (3.0, 1.4, 4.6, 5)
    assert stats.quantile([1.0, 2.0], 0.5) == 1.5


@pytest.mark.parametrize("values", [[], [1.0, float("nan")], [float("inf")]])
def test_no_summary_is_made_of_what_is_no_number(values: list[float]):
    with pytest.raises(ValueError, match="must be numbers"):
        stats.summary(values)


def test_two_rounds_are_compared_by_their_medians():
    assert stats.difference_percent([[1.0, 1.0, 9.0], [1.0, 1.1, 1.0]]) == 0
    assert stats.difference_percent([[100.0], [104.0]]) == pytest.approx(3.92, abs=0.01)
    assert stats.difference_percent([[1.0]]) is None


def result_row(**changes: object) -> output.ResultRow:
    cells = {
        "gpu": GPU,
        "workload": "microbenchmark",
        "model": "matmul-64",
        "precision": "fp32",
        "metric": "matmul_rate",
        "unit": "TFLOPS",
        "software": "PyTorch",
        "date": "2026-11-21",
        "summary": stats.summary([1.0, 2.0, 3.0]),
        "rounds": ((1.0, 2.0), (3.0,)),
    }
    return output.ResultRow(**{**cells, **changes})  # type: ignore[arg-type]


FACTS = {
    "set": "a-set",
    "title": "t",
    "source": "s",
    "kind": "community",
    "url": "https://e.org/a",
    "licence": "CC BY-SA 4.0",
    "date": "2026-11-21",
}


def test_the_columns_are_those_that_the_pipeline_reads():
    assert metrics.COLUMNS == result_sets.COLUMNS


def test_the_pipeline_reads_what_the_kit_writes(tmp_path: Path):
    failed = result_row(model="matmul-128", summary=None, rounds=(), flag="out of memory")
    output.write(tmp_path, "a-set", [result_row(), failed], FACTS)
    (good, bad), problems = result_sets.sound(tmp_path / "a-set.csv")
    assert problems == []
    assert (good.gpu, good.value, good.unit, good.licence) == (GPU, 2.0, "TFLOPS", "CC BY-SA 4.0")
    assert (bad.value, bad.flag) == (None, "out of memory")
    assert not list(tmp_path.glob("*.part"))


def test_every_repetition_stands_in_the_raw_file(tmp_path: Path):
    output.write(tmp_path, "a-set", [result_row()], FACTS)
    with (tmp_path / "a-set.raw.csv").open(newline="") as file:
        raw = [(r["round"], r["repetition"], r["value"]) for r in csv.DictReader(file)]
    assert raw == [("1", "1", "1"), ("1", "2", "2"), ("2", "1", "3")]


def test_a_cell_never_begins_a_formula_or_a_new_line():
    cells = result_row(note="=HYPERLINK(1)", flag="\t+cmd\nnext").cells()
    assert (cells["note"], cells["flag"]) == ("HYPERLINK(1)", "cmd next")


def test_a_value_of_one_repetition_has_no_spread():
    cells = result_row(summary=stats.summary([2.5])).cells()
    assert (cells["value"], cells["p10"], cells["p90"], cells["repetitions"]) == ("2.5", "", "", "1")


TEXTS = [
    "plain",
    "no",
    "1e3",
    "2026-11-21",
    "",
    "a: b # c",
    '"quoted"',
    "- x",
    "line\nnext\ttab",
    "\u2028\x85\x7f\ufeff",
    "\\",
    "{x}",
    "é ® 漢",
    "null",
    "~",
    "\ufffe",
]


def test_yaml_gives_back_every_text_as_text():
    facts = {"texts": TEXTS, "nested": {"deeper": {"text": "yes", "list": ["a"]}}, "odd key": "x", "yes": "key"}
    read = yaml.safe_load(output.yaml_text(facts))
    assert read["texts"] == TEXTS
    assert read["nested"] == {"deeper": {"text": "yes", "list": ["a"]}}
    assert read["odd key"] == "x"


def test_yaml_leaves_out_what_is_unknown_and_keeps_numbers():
    facts = {"unknown": None, "empty": "", "none": [], "whole": 3, "part": 0.25, "large": 1e20, "on": True}
    read = yaml.safe_load(output.yaml_text({f"x_{key}": value for key, value in facts.items()}))
    assert read == {"x_whole": 3, "x_part": 0.25, "x_large": 1e20, "x_on": True}


def test_an_earlier_result_is_never_overwritten(tmp_path: Path):
    assert output.free_name(tmp_path, "a") == "a"
    (tmp_path / "a.csv").touch()
    (tmp_path / "a-2.csv").touch()
    assert output.free_name(tmp_path, "a") == "a-3"


NAMES = names.index(
    [
        {"id": "nvidia-geforce-rtx-4090", "name": "GeForce RTX 4090", "aliases": "RTX 4090"},
        {"id": "nvidia-geforce-rtx-3060-12gb", "name": "GeForce RTX 3060 12GB", "aliases": ""},
        {"id": "nvidia-geforce-rtx-3060-8gb", "name": "GeForce RTX 3060 8GB", "aliases": ""},
        {"id": "nvidia-h100-sxm5-80gb", "name": "H100 SXM5 80GB", "aliases": "NVIDIA H100 80GB HBM3"},
        {"id": "intel-arc-b580", "name": "Arc B580", "aliases": ""},
        {"id": "one", "name": "One", "aliases": "Shared"},
        {"id": "two", "name": "Two", "aliases": "Shared"},
    ]
)


@pytest.mark.parametrize(
    ("name", "gib", "expected"),
    [
        ("NVIDIA GeForce RTX 4090", 23.6, "nvidia-geforce-rtx-4090"),
        ("NVIDIA GeForce RTX 3060", 11.6, "nvidia-geforce-rtx-3060-12gb"),
        ("NVIDIA GeForce RTX 3060", 7.7, "nvidia-geforce-rtx-3060-8gb"),
        ("NVIDIA H100 80GB HBM3", 79.1, "nvidia-h100-sxm5-80gb"),
        ("Intel(R) Arc(TM) B580 Graphics", 11.9, "intel-arc-b580"),
    ],
)
def test_a_drivers_name_leads_to_the_id(name: str, gib: float, expected: str):
    assert names.find(name, int(gib * 2**30), NAMES).gpu == expected


@pytest.mark.parametrize("name", ["NVIDIA GeForce RTX 3060", "Shared", "NVIDIA GeForce RTX 4090 D", "Tesla"])
def test_a_name_that_fits_none_or_several_is_never_guessed(name: str):
    found = names.find(name, None, NAMES)
    assert found.gpu is None
    assert "--gpu" in found.reason


def test_without_a_table_of_names_the_next_step_is_told():
    assert "--names" in names.find("NVIDIA L4", None, {}).reason


@pytest.mark.parametrize("name", ["NVIDIA GeForce RTX 4090", "AMD Instinct MI300X", "Intel® Arc™ A770", "Tesla T4"])
def test_names_are_compared_as_the_pipeline_compares_them(name: str):
    assert names.key(name) == identity.key(name)


def test_a_reading_of_power_is_told_from_a_refusal():
    read = power.nvidia_reading("312.45, 1980, 2619, 61\n", 5.0)
    assert read == power.PowerReading(5.0, 312.45, 1980.0, 2619.0, 61.0)
    assert power.nvidia_reading("[N/A], 1980, 2619, 61\n", 5.0) is None
    assert power.nvidia_reading("NVIDIA-SMI has failed\n", 5.0) is None


@pytest.mark.parametrize(
    ("text", "watts"),
    [
        ('{"card0": {"Average Graphics Package Power (W)": "210.0"}}', 210.0),
        ('{"card0": {"Max Graphics Package Power (W)": "9", "Current Socket Graphics Package Power (W)": "1.5"}}', 1.5),
        ('{"card0": {"Average Graphics Package Power (W)": "N/A"}}', None),
        ("WARNING: no card", None),
    ],
)
def test_rocm_smi_answers_are_read_whatever_the_chip_calls_its_power(text: str, watts: float | None):
    assert power.rocm_watts(text) == watts


def test_a_mean_of_too_few_readings_is_unknown():
    meter = power.Meter(lambda _: iter(()), "test")
    meter.readings = [power.PowerReading(float(second), 100.0 + second) for second in range(10)]
    assert meter.mean_watts(0, 9) == 104.5
    assert meter.mean_watts(5, 9) == 107.0, "five readings are enough"
    assert meter.mean_watts(6, 9) is None


@pytest.mark.parametrize("fits", [0, 1, 2, 3, 7, 8, 100, 1000])
def test_the_search_finds_the_largest_batch_that_fits(fits: int):
    assert capacity.largest(lambda batch: batch <= fits, bisections=20) == fits


def test_the_search_ends_where_everything_fits_and_tries_no_more_than_told():
    tried: list[int] = []
    assert capacity.largest(lambda batch: not tried.append(batch), bisections=3, limit=64) == 64
    assert tried == [1, 2, 4, 8, 16, 32, 64]
    assert capacity.largest(lambda batch: batch <= 100, bisections=0) == 64


def test_each_length_of_run_has_its_plan():
    assert plan.choose(quick=False, tiny=False, gpu=True) is plan.FULL
    assert plan.choose(quick=True, tiny=False, gpu=True) is plan.QUICK
    assert plan.choose(quick=True, tiny=False, gpu=False) is plan.QUICK_CPU
    assert plan.choose(quick=True, tiny=True, gpu=True) is plan.TINY
    for each in (plan.FULL, plan.QUICK, plan.FULL_CPU, plan.QUICK_CPU, plan.TINY):
        assert len(each.training_sizes) == len(each.training_batches)
        assert set(each.decoders) <= set(DECODERS)


def test_the_groups_are_listed_without_pytorch(capsys: pytest.CaptureFixture[str]):
    assert cli.main(["--list"]) == cli.OK
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == list(GROUPS)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--only", "matmul,games"], "unknown group 'games'"),
        (["--set", "../escape"], "use small letters"),
        (["--gpu", "RTX 4090"], "is no id"),
        (["--url", "javascript:x"], "https://"),
        (["--device", "tpu"], "invalid choice"),
    ],
)
def test_wrong_usage_is_told_and_exits_with_2(arguments: list[str], reason: str, capsys: pytest.CaptureFixture[str]):
    assert cli.main(arguments) == cli.USAGE
    assert reason in capsys.readouterr().err


def test_without_pytorch_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    def missing(_: str) -> None:
        raise ModuleNotFoundError("No module named 'torch'")

    monkeypatch.setattr(device, "import_module", missing)
    assert cli.main(["--quick"]) == cli.NO_DEVICE
    assert "PyTorch is needed" in capsys.readouterr().err


def test_a_pytorch_that_is_too_old_is_told(monkeypatch: pytest.MonkeyPatch):
    for version in ("2.4.1", "1.13.0+cu117"):
        monkeypatch.setattr(device, "import_module", lambda _, v=version: SimpleNamespace(__version__=v))
        with pytest.raises(device.NoDeviceError, match="too old"):
            device.load_torch()
    for version in ("2.5.0", "2.13.0+rocm7.2", "3.0.0a0+git123"):
        monkeypatch.setattr(device, "import_module", lambda _, v=version: SimpleNamespace(__version__=v))
        assert device.load_torch().__version__ == version


def imported(path: Path) -> set[str]:
    """Name the top packages that a file imports; its own package is ""."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        if isinstance(node, ast.ImportFrom):
            found.add("" if node.level else (node.module or "").split(".")[0])
    return found


TAKEN_ALONG = [path for path in (*KIT.glob("*.py"), *MEASURED.glob("*.py")) if path.name != "pack.py"]


def test_the_kit_imports_the_standard_library_and_itself_alone():
    for path in TAKEN_ALONG:
        assert imported(path) <= {*sys.stdlib_module_names, "pipeline"}, path.name


def test_the_kit_takes_along_what_it_imports():
    texts = [path.read_text(encoding="utf-8") for path in TAKEN_ALONG]
    packages = {".".join(name.split(".")[:3]) for text in texts for name in re.findall(r"from (pipeline[.\w]*)", text)}
    assert packages == {"pipeline.core.measured", "pipeline.tools.measure"}


FRAMEWORK = {"mesh_jax": {"jax"}, "mirrored_tensorflow": {"tensorflow"}, "tiles": {"torch", "triton"}}


def test_a_sample_stands_alone_with_its_framework():
    for path in sorted((KIT / "samples").glob("*.py")):
        assert imported(path) <= {*sys.stdlib_module_names, *FRAMEWORK.get(path.stem, {"torch"})}, path.name


def test_the_kit_packed_into_one_file_runs_by_itself_and_knows_the_names(tmp_path: Path):
    packed = tmp_path / "measure.pyz"
    pack.pack(packed)
    find = (
        "from pipeline.tools.measure import names; print(names.find('NVIDIA GeForce RTX 4090', None, names.load()).gpu)"
    )
    environment = {**os.environ, "PYTHONPATH": str(packed)}
    calm = {"cwd": tmp_path, "env": environment, "capture_output": True, "text": True}
    listed = subprocess.run([sys.executable, "-SP", str(packed), "--list"], check=False, **calm)
    named = subprocess.run([sys.executable, "-SP", "-c", find], check=False, **calm)
    assert (listed.returncode, listed.stderr) == (0, "")
    assert "matmul" in listed.stdout
    assert named.stdout == "nvidia-geforce-rtx-4090\n", named.stderr


def test_the_packed_kit_holds_every_module_and_every_sample(tmp_path: Path):
    pack.pack(tmp_path / "measure.pyz")
    held = set(zipfile.ZipFile(tmp_path / "measure.pyz").namelist())
    needed = {path.relative_to(KIT.parents[2]).as_posix() for path in (*TAKEN_ALONG, *(KIT / "samples").glob("*.py"))}
    assert needed - held == set()


def test_two_packings_are_equal(tmp_path: Path):
    pack.pack(tmp_path / "one.pyz")
    pack.pack(tmp_path / "two.pyz")
    assert (tmp_path / "one.pyz").read_bytes() == (tmp_path / "two.pyz").read_bytes()


@pytest.mark.parametrize(
    ("kind", "arch", "capability", "lacking"),
    [
        ("cuda", "", (7, 5), {"tf32", "bf16", "fp8"}),
        ("cuda", "", (8, 6), {"fp8"}),
        ("cuda", "", (8, 9), set()),
        ("rocm", "gfx90a:sramecc+:xnack-", (9, 0), {"tf32", "fp8"}),
        ("rocm", "gfx942:sramecc+:xnack-", (9, 4), {"tf32"}),
        ("mps", "", None, {"tf32", "fp8"}),
        ("xpu", "", None, {"tf32", "fp8"}),
    ],
)
def test_a_number_format_is_measured_only_where_the_hardware_has_it(
    kind: str, arch: str, capability: tuple[int, int] | None, lacking: set[str]
):
    cuda = SimpleNamespace(
        get_device_capability=lambda _: capability,
        get_device_properties=lambda _: SimpleNamespace(gcnArchName=arch),
    )
    torch = SimpleNamespace(cuda=cuda, xpu=cuda, version=SimpleNamespace(hip="7.2" if kind == "rocm" else None))
    found = device.Device(torch, "cuda" if kind == "rocm" else kind)
    assert {word for word in ("fp32", "tf32", "fp16", "bf16", "fp8") if found.lacks(word)} == lacking


def test_amds_older_chips_have_an_fp8_of_their_own():
    def chip(arch: str) -> device.Device:
        cuda = SimpleNamespace(get_device_properties=lambda _: SimpleNamespace(gcnArchName=arch))
        return device.Device(
            SimpleNamespace(
                cuda=cuda, version=SimpleNamespace(hip="7.2"), float8_e4m3fn="e4m3fn", float8_e4m3fnuz="e4m3fnuz"
            ),
            "cuda",
        )

    assert chip("gfx942:xnack-").dtype("fp8") == "e4m3fnuz"
    assert chip("gfx950").dtype("fp8") == "e4m3fn"
