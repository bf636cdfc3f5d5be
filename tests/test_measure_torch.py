"""The measuring kit with PyTorch on the processor, in tiny size: the whole run, its checks, and every sample."""

from __future__ import annotations

import csv
import os
import runpy
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median

import pytest
import yaml
from samples import Tree

from pipeline.core.measured import plausible
from pipeline.core.measured.decoders import DECODERS
from pipeline.intake import result_sets
from pipeline.record import build
from pipeline.tools.measure import bench as benches
from pipeline.tools.measure import capacity, cli, inference, matmul, plan, reference, runner, training
from pipeline.tools.measure.bench import Bench, Case, Repetitions
from pipeline.tools.measure.device import CheckFailed, Device, NoDeviceError, NotMeasured, find
from pipeline.tools.measure.groups import GROUPS, Group

torch = pytest.importorskip("torch")
# PyTorch's own warnings are not ours to answer for.
pytestmark = [pytest.mark.torch, pytest.mark.filterwarnings("default")]

ROOT = Path(cli.__file__).parents[3]
# Threads on a busy machine wait for one another far longer than they work.
CALM = {**os.environ, "OMP_NUM_THREADS": "1"}
SAMPLES = Path(cli.__file__).parent / "samples"


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Compute with one thread, as the processes with CALM do."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def bench() -> Bench:
    return Bench(Device(torch, "cpu"), plan.TINY)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[subprocess.CompletedProcess[str], Path]:
    """Measure this machine's processor once, as a stranger would: by the command line."""
    out = tmp_path_factory.mktemp("measured")
    command = [
        sys.executable,
        "-m",
        "pipeline.tools.measure",
        "--quick",
        "--tiny",
        "--device",
        "cpu",
        "--set",
        "tiny-run",
        "--gpu",
        "maker-test-gpu",
        "--by",
        "a test",
        "--out",
        str(out),
    ]
    return subprocess.run(command, cwd=ROOT, env=CALM, capture_output=True, text=True, timeout=300, check=False), out


def rows_of(out: Path) -> list[dict[str, str]]:
    with (out / "tiny-run.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_the_whole_kit_runs_on_a_processor(run):
    done, out = run
    assert done.returncode == cli.OK, done.stdout + done.stderr
    assert sorted(path.name for path in out.iterdir()) == ["tiny-run.csv", "tiny-run.raw.csv", "tiny-run.yml"]


def test_the_projects_check_accepts_what_it_wrote(run, tree: Tree):
    for path in run[1].iterdir():
        # Without --gpu a processor has no id; the run above names one to test that it is passed on.
        tree.write(f"benchmarks/{path.name}", path.read_text(encoding="utf-8").replace("maker-test-gpu", ""))
    build.build(tree.data)


def test_what_it_measured_is_accepted(run):
    rows = rows_of(run[1])
    assert plausible.problems(rows) == []
    assert all(row["value"] and not row["flag"] for row in rows)
    assert sum(len(result_sets.sound(path)[0]) for path in result_sets.sets(run[1])) == len(rows)


def test_every_kind_of_measurement_is_there(run):
    rows = rows_of(run[1])
    measured = {(row["workload"], row["metric"]) for row in rows}
    assert measured == {
        *(
            ("microbenchmark", metric)
            for metric in (
                "matmul_rate",
                "matmul_rate_best",
                "matmul_rate_sustained",
                "matmul_time_host_cpu",
                "stream_copy",
                "stream_triad",
                "launch_latency",
                "launch_interval",
            )
        ),
        ("training", "throughput"),
        ("inference", "generation_speed"),
        ("inference", "prompt_speed"),
    }
    trained = {
        (row["model"], row["precision"], row["software"].split(", ")[-1])
        for row in rows
        if row["workload"] == "training"
    }
    assert trained == {
        (f"kit-{name}-tiny", *how)
        for name in training.TASKS
        for how in (("fp32", "eager"), ("bf16", "eager"), ("bf16", "torch.compile eager"))
    }


def test_the_value_is_the_median_of_the_raw_repetitions_and_main_rates_have_two_rounds(run):
    with (run[1] / "tiny-run.raw.csv").open(newline="", encoding="utf-8") as file:
        raw = [row for row in csv.DictReader(file) if row["model"] == "stream" and row["metric"] == "stream_copy"]
    row = next(row for row in rows_of(run[1]) if row["metric"] == "stream_copy")
    assert float(row["value"]) == pytest.approx(median(float(r["value"]) for r in raw), rel=1e-4)
    assert int(row["repetitions"]) == len(raw)
    assert {r["round"] for r in raw} == {"1", "2"}


def test_the_yaml_says_who_measured_what_on_what(run):
    facts = yaml.safe_load((run[1] / "tiny-run.yml").read_text(encoding="utf-8"))
    assert (facts["source"], facts["kind"], facts["licence"]) == ("a test", "community", "CC BY-SA 4.0")
    assert facts["hardware"]["host_cpu"]
    assert facts["software"]["torch"].startswith("2.")
    assert facts["repeatability"]["worst_percent"] >= 0
    assert any("TF32 is a format of NVIDIA" in left_out for left_out in facts["not_measured"])


def test_the_run_says_whether_two_rounds_agree(run):
    assert "repeatability: " in run[0].stdout


def test_a_run_with_impossible_results_is_refused(run):
    limits = {"maker-test-gpu": plausible.CardLimits({"fp32": 1e-9, "bf16": 1e-9}, memory_bandwidth_gb_s=1e-6)}
    found = " ".join(plausible.problems(rows_of(run[1]), limits))
    assert "above theory, 1e-09 for fp32" in found
    assert "stream_copy): " in found
    assert "kit-decoder-tiny" in found


@pytest.mark.parametrize("precision", ["fp32", "fp16", "bf16", "fp8"])
def test_a_right_product_passes_and_a_wrong_one_fails(bench: Bench, precision: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(Device, "lacks", lambda *_: "")
    a, b = matmul.matrices(bench, precision, 256)
    result = matmul.product(bench, precision, a, b)()
    assert reference.check_product(a, b, result, precision) > 0
    wrong = result.clone()
    wrong[::4] = 0  # a quarter of the rows was never computed
    for bad in (wrong, result * 1.1, torch.full_like(result, float("nan"))):
        with pytest.raises(CheckFailed, match=f"{precision} product: off by"):
            reference.check_product(a, b, bad, precision)


def test_a_product_in_tf32_does_not_pass_for_fp32():
    """TF32 keeps 10 bits of the fraction: so are the inputs cut here, as a tensor core would."""
    a, b = torch.randn(256, 256), torch.randn(256, 256)
    cut = [(m.view(torch.int32) & ~0x1FFF).view(torch.float32) for m in (a, b)]
    result = cut[0] @ cut[1]
    assert reference.check_product(a, b, result, "tf32") < 2e-3
    with pytest.raises(CheckFailed, match="fp32 product"):
        reference.check_product(a, b, result, "fp32")


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_inputs_that_are_all_alike_are_refused(value: float):
    same = torch.full((64, 64), value)
    with pytest.raises(CheckFailed, match="all alike"):
        reference.check_product(same, torch.randn(64, 64), same @ same, "fp32")


@pytest.mark.parametrize("name", training.TASKS)
def test_a_network_that_computes_something_else_fails_its_check(name: str, monkeypatch: pytest.MonkeyPatch):
    device = Device(torch, "cpu")
    training.check(device, name, "bf16")
    original = training._loss_and_gradient

    def broken(torch_: object, model: object, *rest: object) -> tuple[object, object]:
        loss, gradient = original(torch_, model, *rest)
        return loss, gradient if rest[-1] is None else gradient.roll(1)

    monkeypatch.setattr(training, "_loss_and_gradient", broken)
    with pytest.raises(CheckFailed, match=f"{name} gradient"):
        training.check(device, name, "bf16")


def test_decoding_that_forgets_the_cache_fails_its_check(monkeypatch: pytest.MonkeyPatch):
    from pipeline.tools.measure.samples import transformer

    device = Device(torch, "cpu")
    inference.check(device, "bf16")
    original = transformer.Attention.forward
    monkeypatch.setattr(
        transformer.Attention, "forward", lambda self, x, angles, start, _: original(self, x, angles, start, None)
    )
    with pytest.raises(CheckFailed, match="cached decoding"):
        inference.check(device, "bf16")


def test_a_failed_check_is_reported_and_has_no_rate(bench: Bench, monkeypatch: pytest.MonkeyPatch):
    right = matmul.product
    monkeypatch.setattr(matmul, "product", lambda *args: lambda: right(*args)() * 2)
    result = runner.run(bench, ["matmul"], "", "2026-11-21", lambda *_: None)
    rates = [row for row in result.rows if row.metric == "matmul_rate"]
    assert rates
    assert all(row.summary is None and "off by" in row.flag for row in rates)


def alone(run: Callable[[], Repetitions]) -> dict[str, Group]:
    case = Case("training", "m", "fp32", "throughput", "images/s", run, main=True)
    return {"only": Group("one case", lambda _: [case])}


def outcome(bench: Bench, monkeypatch: pytest.MonkeyPatch, run: Callable[[], Repetitions]) -> runner.MeasuringResult:
    monkeypatch.setattr(runner, "GROUPS", alone(run))
    return runner.run(bench, ["only"], "", "2026-11-21", lambda *_: None)


def test_a_full_memory_is_an_outcome_and_not_a_crash(bench: Bench, monkeypatch: pytest.MonkeyPatch):
    def full() -> Repetitions:
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2 GiB")

    (row,) = outcome(bench, monkeypatch, full).rows
    assert (row.summary, row.flag) == (None, "out of memory")


def test_an_unknown_error_is_the_result_of_its_case(bench: Bench, monkeypatch: pytest.MonkeyPatch):
    def broken() -> Repetitions:
        raise RuntimeError("no kernel\nimage")

    (row,) = outcome(bench, monkeypatch, broken).rows
    assert row.flag == "failed: RuntimeError: no kernel image"


def test_rounds_that_differ_by_three_percent_are_named(bench: Bench, monkeypatch: pytest.MonkeyPatch):
    rounds = iter([Repetitions([100.0, 100.0], "images/s"), Repetitions([104.0, 104.0], "images/s")])
    result = outcome(bench, monkeypatch, lambda: next(rounds))
    assert result.unsteady == ("m fp32 throughput: 3.9 %",)
    rounds = iter([Repetitions([100.0, 100.0], "images/s"), Repetitions([102.0, 102.0], "images/s")])
    steady = outcome(bench, monkeypatch, lambda: next(rounds))
    assert (steady.unsteady, steady.rows[0].summary.repetitions) == ((), 4)


def test_a_stopped_run_keeps_what_it_has(bench: Bench, monkeypatch: pytest.MonkeyPatch):
    calls = []

    def stopped() -> Repetitions:
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return Repetitions([5.0], "images/s")

    result = outcome(bench, monkeypatch, stopped)
    assert result.interrupted
    assert result.rows[0].summary.median == 5.0


def test_nothing_new_begins_after_the_time_of_the_run(bench: Bench, monkeypatch: pytest.MonkeyPatch):
    times = iter(range(0, 100000, 1000))
    bench.clock = lambda: next(times)
    result = outcome(bench, monkeypatch, lambda: Repetitions([5.0], "images/s"))
    assert (result.rows, result.skipped) == ((), ("m fp32 throughput: the time of this run was spent",))


def test_training_takes_a_smaller_batch_where_the_memory_is_full(bench: Bench, monkeypatch: pytest.MonkeyPatch):
    original = training.make_step

    def small_card(device: Device, name: str, size: str, batch: int, *rest: str) -> Callable[[], object]:
        if batch > 2:
            raise torch.OutOfMemoryError("out of memory")
        return original(device, name, size, batch, *rest)

    monkeypatch.setattr(training, "make_step", small_card)
    assert training.measure(bench, "rnn", "tiny", 8, "fp32", "").batch == "2"


def test_where_nothing_compiles_the_reason_is_told(bench: Bench):
    with pytest.raises(NotMeasured, match=r"torch\.compile does not work here"):
        training.measure(bench, "rnn", "tiny", 2, "fp32", "no-such-compiler")


def test_the_search_for_the_largest_batch_survives_a_full_memory(bench: Bench):
    def attempt(batch: int) -> None:
        if batch > 12:
            raise torch.OutOfMemoryError("out of memory")

    assert capacity.largest(lambda batch: capacity.fits(bench, attempt, batch), bisections=5) == 12


def test_other_errors_are_no_full_memory(bench: Bench):
    def attempt(_: int) -> None:
        raise RuntimeError("device-side assert")

    with pytest.raises(RuntimeError, match="device-side assert"):
        capacity.fits(bench, attempt, 1)


def test_energy_is_power_times_time_by_call(bench: Bench, monkeypatch: pytest.MonkeyPatch):
    from pipeline.tools.measure.power import Meter, PowerReading

    times = iter([0.0, 1.0, 2.0, 3.0, 4.0])
    meter = Meter(lambda _: iter(()), "test", [PowerReading(at / 10, 200.0) for at in range(50)])
    measured = Bench(bench.device, bench.plan, meter, clock=lambda: next(times))
    assert measured.joules(lambda: None, seconds=4.0) == 200.0  # four calls of a second each
    assert bench.joules(lambda: None, seconds=4.0) is None
    assert benches.LAG_SECONDS == 1.0


def test_a_device_that_is_not_there_is_told():
    with pytest.raises(NoDeviceError, match=r"sees no mps device|--index 7"):
        find(torch, "cpu" if torch.backends.mps.is_available() else "mps", 7)
    with pytest.raises(NoDeviceError, match="--index 3"):
        find(torch, "cpu", 3)


def test_tf32_is_on_only_where_it_is_measured():
    device = Device(torch, "cpu")
    before = torch.get_float32_matmul_precision(), torch.backends.cudnn.allow_tf32
    with device.exactly("fp32"):
        assert (torch.get_float32_matmul_precision(), torch.backends.cudnn.allow_tf32) == ("highest", False)
    with device.exactly("tf32"):
        assert (torch.get_float32_matmul_precision(), torch.backends.cudnn.allow_tf32) == ("high", True)
    assert (torch.get_float32_matmul_precision(), torch.backends.cudnn.allow_tf32) == before


@pytest.mark.parametrize("name", ["kit-decoder-tiny", "kit-decoder-100m"])
def test_the_number_of_weights_is_that_of_the_network(name: str):
    with torch.device("meta"):
        model = inference._random_model(Device(torch, "meta"), name, "fp32")
    assert sum(weight.numel() for weight in model.parameters()) == DECODERS[name].weights
    cache = model.new_cache(3, 7)
    assert sum(part.numel() for pair in cache for part in pair) * 2 == DECODERS[name].cache_bytes(7, 3, 2)


def test_every_group_has_cases(bench: Bench):
    for name, group in GROUPS.items():
        assert list(group.cases(bench)), name


# ddp starts processes of its own; the last three are of other frameworks (tests/test_measure_frameworks.py)
APART = ("__init__", "ddp", "mesh_jax", "mirrored_tensorflow", "tiles")
NAMES = sorted(path.stem for path in SAMPLES.glob("*.py") if path.stem not in APART)


@pytest.mark.parametrize("name", NAMES)
def test_a_sample_runs_by_itself(name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    path = SAMPLES / f"{name}.py"
    monkeypatch.setattr(sys, "argv", [str(path), "--device", "cpu", "--tiny"])
    runpy.run_path(str(path), run_name="__main__")
    assert capsys.readouterr().out


@pytest.mark.parametrize("name", ["cnn", "rnn", "lstm", "transformer"])
def test_a_sample_learns(name: str):
    losses = training.TASKS[name].sample.train("tiny", torch.device("cpu"))
    assert losses[-1] < losses[0]


def test_the_discriminator_of_the_gan_learns():
    losses = training.TASKS["gan"].sample.train("tiny", torch.device("cpu"), steps=20)
    assert losses[-1][0] < losses[0][0]


@pytest.mark.parametrize("number_format", ["fp32", "bf16", "fp16"])
def test_mixed_precision_learns(number_format: str):
    from pipeline.tools.measure.samples import mixed_precision

    losses = mixed_precision.train(True, torch.device("cpu"), mixed_precision.FORMATS[number_format])
    assert losses[-1] < losses[0] / 2


def test_a_step_over_parts_of_different_length_is_the_step_over_the_whole_batch():
    from pipeline.tools.measure.samples.gradient_accumulation import IGNORED, accumulate_tokens

    inputs, labels = torch.randint(0, 11, (4, 8)), torch.randint(0, 11, (4, 8))
    for text, length in enumerate((8, 2, 5, 1)):
        labels[text, length:] = IGNORED
    weights, losses = [], []
    for parts in (1, 4):
        torch.manual_seed(0)
        model = torch.nn.Sequential(torch.nn.Embedding(11, 6), torch.nn.Linear(6, 11))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
        scaler = torch.amp.GradScaler("cpu", enabled=False)
        pairs = list(zip(inputs.chunk(parts), labels.chunk(parts), strict=True))
        losses.append(accumulate_tokens(model, pairs, optimizer, scaler, longest=0.1))
        weights.append(model[1].weight.detach().clone())
    assert losses[0] == pytest.approx(losses[1], rel=1e-6)
    assert torch.allclose(*weights, atol=1e-7)


def step_of_one_card(rank: int, folder: str, inputs: torch.Tensor, labels: torch.Tensor) -> None:
    """Take the step as one of two processes, each with half of the texts, and leave the loss and the weights."""
    from torch import distributed

    from pipeline.tools.measure.samples.gradient_accumulation import accumulate_tokens

    torch.set_num_threads(1)
    distributed.init_process_group("gloo", init_method=f"file://{folder}/meet", rank=rank, world_size=2)
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Embedding(11, 6), torch.nn.Linear(6, 11))
    parallel = torch.nn.parallel.DistributedDataParallel(model)
    mine = list(zip(inputs.chunk(2)[rank].chunk(2), labels.chunk(2)[rank].chunk(2), strict=True))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    loss = accumulate_tokens(parallel, mine, optimizer, torch.amp.GradScaler("cpu", enabled=False), longest=100)
    torch.save((loss, model[1].weight.detach()), f"{folder}/{rank}")
    distributed.destroy_process_group()


def test_two_cards_with_texts_of_different_length_take_the_step_of_one(tmp_path: Path):
    from pipeline.tools.measure.samples.gradient_accumulation import IGNORED, accumulate_tokens

    inputs, labels = torch.randint(0, 11, (4, 8)), torch.randint(0, 11, (4, 8))
    for text, length in enumerate((8, 7, 2, 1)):  # 15 tokens on one card, 3 on the other
        labels[text, length:] = IGNORED
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Embedding(11, 6), torch.nn.Linear(6, 11))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    # Nothing is clipped, so that a gradient of the right direction and the wrong length shows.
    loss = accumulate_tokens(model, [(inputs, labels)], optimizer, torch.amp.GradScaler("cpu", enabled=False), 100)
    torch.multiprocessing.spawn(step_of_one_card, (str(tmp_path), inputs, labels), nprocs=2)
    for rank in range(2):
        its_loss, weights = torch.load(tmp_path / str(rank))
        assert its_loss == pytest.approx(loss, rel=1e-5)
        assert torch.allclose(weights, model[1].weight, atol=1e-6)


def test_rounded_weights_lie_within_half_a_step_and_take_few_values():
    from pipeline.tools.measure.samples.quantising import bits_stored, quantised

    weights = torch.randn(4, 64, generator=torch.Generator().manual_seed(1))
    rounded = quantised(weights, 4, 32).reshape(-1, 32)
    step = weights.reshape(-1, 32).abs().amax(dim=1, keepdim=True) / 7
    assert ((rounded - weights.reshape(-1, 32)).abs() <= step / 2 + 1e-6).all()
    assert all(len(block.unique()) <= 15 for block in rounded)
    assert bits_stored(4, 32) == 4.5


def test_the_errors_in_the_guide_are_those_of_the_sample():
    from pipeline.tools.measure.samples.quantising import apart, error, rotated_first, with_outliers

    constants = yaml.safe_load((ROOT / "data" / "constants.yml").read_text(encoding="utf-8"))
    weights = with_outliers(4096)
    for bits, block in ((8, 1024), (4, 1024), (4, 128), (4, 32)):
        stated = constants[f"rounding-error-{bits}-bits-{block}"]["value"]
        assert 100 * error(weights, bits, block) == pytest.approx(stated, rel=0.02)
    for block in (1024, 32):
        stated = constants[f"rounding-error-rotated-4-bits-{block}"]["value"]
        assert 100 * apart(rotated_first(weights, 4, block), weights) == pytest.approx(stated, rel=0.02)


def test_a_rotation_changes_no_product_and_is_undone_by_itself():
    from pipeline.tools.measure.samples.quantising import hadamard

    turn = hadamard(64)
    weights, inputs = torch.randn(8, 64), torch.randn(64, 4)
    assert torch.allclose((weights @ turn) @ (turn.T @ inputs), weights @ inputs, atol=1e-4)
    assert torch.allclose(turn @ turn, torch.eye(64), atol=1e-5)


def test_checkpointing_keeps_the_gradients_and_fewer_activations():
    from pipeline.tools.measure.samples.checkpointing import Checkpointed, block, kept

    torch.manual_seed(0)
    blocks = [block(16) for _ in range(3)]
    x = torch.randn(8, 16)
    gradients = []
    for model in (torch.nn.Sequential(*blocks), Checkpointed(blocks)):
        model.zero_grad()
        model(x).square().sum().backward()
        gradients.append(torch.cat([p.grad.flatten() for p in model.parameters()]))
    assert torch.allclose(*gradients, atol=1e-6)
    plain, checkpointed = kept(True, torch.device("cpu"))
    assert checkpointed < plain / 2


def test_selective_checkpointing_keeps_the_gradients_and_repeats_no_product():
    from torch.utils.flop_counter import FlopCounterMode

    from pipeline.tools.measure.samples.checkpointing import Checkpointed, SelectivelyCheckpointed, block

    torch.manual_seed(0)
    blocks = [block(16) for _ in range(3)]
    x = torch.randn(8, 16, requires_grad=True)  # as in the middle of a network
    gradients, operations = [], []
    for model in (torch.nn.Sequential(*blocks), SelectivelyCheckpointed(blocks), Checkpointed(blocks)):
        model.zero_grad()
        with FlopCounterMode(display=False) as counted:
            model(x).square().sum().backward()
        gradients.append(torch.cat([p.grad.flatten() for p in model.parameters()]))
        operations.append(counted.get_total_flops())
    assert torch.allclose(gradients[0], gradients[1], atol=1e-6)
    assert operations[1] == operations[0]
    # The whole forward pass again is a third; PyTorch stops a block's repetition once nothing more is wanted of it.
    assert operations[0] < operations[2] <= operations[0] * 4 / 3


def test_a_sharded_step_is_the_plain_step(tmp_path: Path):
    from torch import distributed

    from pipeline.tools.measure.samples.sharded import shard, step

    distributed.init_process_group("gloo", init_method=f"file://{tmp_path}/meet", rank=0, world_size=1)
    try:
        inputs, targets = torch.randn(8, 6), torch.randint(0, 3, (8,))
        losses = []
        for sharded in (False, True):
            torch.manual_seed(0)
            model = torch.nn.Sequential(torch.nn.Linear(6, 12), torch.nn.GELU(), torch.nn.Linear(12, 3))
            if sharded:
                shard(model, [model[0], model[2]])
            optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
            losses.append([step(model, optimizer, inputs, targets) for _ in range(4)])
        assert losses[1] == pytest.approx(losses[0], rel=0.1)  # one multiplies in 16 bits
        assert losses[1][-1] < losses[1][0]
    finally:
        distributed.destroy_process_group()


def test_attention_in_blocks_is_attention_with_the_table():
    from pipeline.tools.measure.samples.attention import in_blocks, with_table

    tokens = [torch.randn(2, 4, 33, 16) for _ in range(3)]
    assert torch.allclose(with_table(*tokens), in_blocks(*tokens), atol=1e-5)
    early = [t.clone() for t in tokens]
    early[2][:, :, -1] += 1  # what a later token holds, an earlier one must not see
    assert torch.equal(in_blocks(*early)[:, :, :-1], in_blocks(*tokens)[:, :, :-1])


@pytest.mark.parametrize("workers", [0, 2])
def test_the_loader_hands_out_every_picture_once(workers: int):
    from pipeline.tools.measure.samples.loading import Pictures, loader, on_device

    device = torch.device("cpu")
    batches = list(on_device(loader(Pictures(20, 4), 8, workers, device), device))
    assert sorted(torch.cat([labels for _, labels in batches]).tolist()) == list(range(20))
    assert all((pictures == labels.view(-1, 1, 1, 1)).all() for pictures, labels in batches)


def test_a_compiled_step_is_the_step_and_one_that_cannot_be_compiled_is_told():
    from pipeline.tools.measure.samples.compiled import activated, fused

    x, bias = torch.randn(4, 6), torch.randn(6)
    assert torch.allclose(fused(activated, "aot_eager")(x, bias), activated(x, bias), atol=1e-6)
    with pytest.raises(Exception, match=r"[Dd]ynamic control flow|graph break|Data-dependent"):
        fused(lambda a, b: a if a.sum() > 0 else b, "aot_eager")(x, bias)


def test_the_profiler_names_the_product_of_the_step():
    from pipeline.tools.measure.samples.profiling import profiled

    model = torch.nn.Linear(64, 64)
    assert "aten::addmm" in profiled(lambda: model(torch.randn(8, 64)).sum().backward())


def test_accumulated_gradients_are_those_of_the_whole_batch():
    from pipeline.tools.measure.samples import gradient_accumulation

    model = torch.nn.Linear(16, 1)
    inputs, targets = torch.randn(10, 16), torch.randn(10, 1)
    gradients = []
    for parts in (1, 4):  # 10 in 4 parts: unequal ones
        model.zero_grad()
        gradient_accumulation.accumulate(model, inputs, targets, parts)
        gradients.append(model.weight.grad.clone())
    assert torch.allclose(*gradients, atol=1e-6)


def test_generation_with_the_cache_is_that_without():
    from pipeline.tools.measure.samples import transformer

    torch.manual_seed(0)
    model = transformer.build("tiny")
    tokens = transformer.make_batch("tiny", 2, torch.device("cpu"))[:, :5]
    written = transformer.generate(model, tokens, 6)
    for _ in range(6):
        tokens = torch.cat((tokens, model(tokens)[:, -1].argmax(-1, keepdim=True)), dim=1)
    assert torch.equal(written, tokens)


def test_processes_that_train_together_keep_equal_weights():
    command = [sys.executable, str(SAMPLES / "ddp.py"), "--tiny", "--processes", "2"]
    done = subprocess.run(command, env=CALM, capture_output=True, text=True, timeout=120, check=False)
    assert "largest difference between the copies of the weights: 0\n" in done.stdout
