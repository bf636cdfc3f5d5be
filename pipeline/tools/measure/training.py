"""Training: steps of the sample networks, small and full size, FP32 and mixed precision, eager and compiled."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from types import ModuleType

from pipeline.tools.measure.bench import Bench, Case, Repetitions
from pipeline.tools.measure.device import CheckFailed, Device
from pipeline.tools.measure.kinds import Data, Model, Opaque, Tensor, Torch
from pipeline.tools.measure.reference import GRADIENT_TOLERANCE, LOSS_TOLERANCE, must_agree


@dataclass(frozen=True)
class Task:
    """A sample network: its module, its optimizer, and which part learns from which loss ("" is the whole)."""

    module: str
    optimizer: str
    losses: tuple[tuple[str, str], ...] = (("", "loss"),)

    @property
    def sample(self) -> ModuleType:
        """The module of samples that holds it."""
        return import_module(f".samples.{self.module}", __package__)


TASKS: Mapping[str, Task] = {
    "cnn": Task("cnn", "SGD"),
    "transformer": Task("transformer", "AdamW"),
    "lstm": Task("lstm", "AdamW"),
    "rnn": Task("rnn", "AdamW"),
    "gan": Task("gan", "Adam", (("discriminator", "discriminator_loss"), ("generator", "generator_loss"))),
}
# A batch that does not fit is tried again at half, a quarter and an eighth.
HALVINGS = 3
UNITS: Mapping[str, str] = {
    "cnn": "images",
    "gan": "images",
    "transformer": "sequences",
    "lstm": "sequences",
    "rnn": "sequences",
}


def cases(bench: Bench) -> Iterator[Case]:
    """List the measurements: eager first, the compiled ones (minutes of compiling) last."""
    plan = bench.plan
    for compiler in ("", plan.compile_backend) if plan.compile_backend else ("",):
        for size, batch in zip(plan.training_sizes, plan.training_batches, strict=True):
            last = size == plan.training_sizes[-1]
            for name in TASKS:
                for precision in ("fp32", bench.device.half):
                    if not compiler or (last and precision != "fp32"):
                        yield _case(bench, name, size, batch, precision, compiler, main=last and not compiler)


def _case(bench: Bench, name: str, size: str, batch: int, precision: str, compiler: str, *, main: bool) -> Case:
    return Case(
        "training",
        f"kit-{name}-{size}",
        precision,
        "throughput",
        f"{UNITS[name]}/s",
        partial(measure, bench, name, size, batch, precision, compiler),
        str(batch),
        f"torch.compile {compiler}" if compiler else "eager",
        main,
    )


def measure(bench: Bench, name: str, size: str, batch: int, precision: str, compiler: str) -> Repetitions:
    """Measure training steps of one network, with a smaller batch where the memory is full."""
    with bench.device.exactly(precision):
        bench.once(f"check {name} {precision}", lambda: check(bench.device, name, precision))
        for _ in range(HALVINGS):
            measured = _if_it_fits(bench, name, size, batch, precision, compiler)
            bench.device.free_memory()
            if measured:
                return measured
            batch = max(1, batch // 2)
        return _measured(bench, name, size, batch, precision, compiler)


def _if_it_fits(bench: Bench, name: str, size: str, batch: int, precision: str, compiler: str) -> Repetitions | None:
    try:
        return _measured(bench, name, size, batch, precision, compiler)
    except Exception as error:
        if bench.device.is_out_of_memory(error):
            return None
        raise


def _measured(bench: Bench, name: str, size: str, batch: int, precision: str, compiler: str) -> Repetitions:
    with bench.compiling(compiler):
        step = make_step(bench.device, name, size, batch, precision, compiler)
        first = step().item()
    seconds = bench.seconds(step)
    joules = bench.joules(step) if not compiler else None
    last = step().item()
    if not (abs(last) < float("inf") and abs(first) < float("inf")):
        raise CheckFailed(f"the loss went from {first:g} to {last:g}")
    note = "mixed precision: autocast, weights in FP32" if precision != "fp32" else "TF32 off"
    unit = UNITS[name]
    rates = [batch / each for each in seconds]
    return Repetitions(rates, f"{unit}/s", note, joules and joules / batch, f"J/{unit[:-1]}", str(batch))


def make_step(
    device: Device, name: str, size: str, batch: int, precision: str, compiler: str = ""
) -> Callable[[], Tensor]:
    """Build a network and give one training step of it: the sample's loss, the sample's mixed-precision step."""
    from pipeline.tools.measure.samples import mixed_precision

    task, torch = TASKS[name], device.torch
    torch.manual_seed(0)
    model = task.sample.build(size).to(device.place)
    data = task.sample.make_batch(size, batch, device.place)
    number_format = None if precision in ("fp32", "tf32") else device.dtype(precision)
    parts = []
    for part, loss in task.losses:
        learns = getattr(model, part) if part else model
        if compiler:
            learns.compile(backend=compiler)
        optimizer = getattr(torch.optim, task.optimizer)(learns.parameters(), lr=1e-4)
        scaler = mixed_precision.make_scaler(device.place, number_format)
        parts.append((getattr(task.sample, loss), optimizer, scaler))

    def step() -> Tensor:
        for compute, optimizer, scaler in parts:
            value = mixed_precision.train_step(
                partial(compute, model, data), optimizer, scaler, device.place, number_format
            )
        return value

    return step


def check(device: Device, name: str, precision: str) -> None:
    """Compare loss and gradient of a tiny copy on the device with the same in float64 on the processor."""
    torch, sample = device.torch, TASKS[name].sample
    torch.manual_seed(1)
    exact = sample.build("tiny").double()
    data = sample.make_batch("tiny", 8, torch.device("cpu"))
    model = copy.deepcopy(exact).float().to(device.place)
    reference = _loss_and_gradient(torch, exact, _moved(data, torch.float64, "cpu"), name, None)
    number_format = None if precision in ("fp32", "tf32") else device.dtype(precision)
    found = _loss_and_gradient(torch, model, _moved(data, torch.float32, device.place), name, number_format)
    must_agree(found[0], reference[0], LOSS_TOLERANCE[precision], f"{name} loss in {precision}")
    must_agree(found[1], reference[1], GRADIENT_TOLERANCE[precision], f"{name} gradient in {precision}")


def _loss_and_gradient(
    torch: Torch, model: Model, data: Data, name: str, number_format: Opaque
) -> tuple[Tensor, Tensor]:
    place = next(model.parameters()).device
    with torch.autocast(place.type, dtype=number_format or torch.bfloat16, enabled=number_format is not None):
        loss = (PROBES.get(name) or TASKS[name].sample.loss)(model, data)
    loss.backward()
    gradients = [parameter.grad.flatten() for parameter in model.parameters() if parameter.grad is not None]
    return loss, torch.cat(gradients)


def _gan_probe(gan: Model, real: Tensor) -> Tensor:
    """Both networks on noise that is the same everywhere: the losses themselves draw new noise each time."""
    noise = real.flatten(1)[:, : gan.noise, None, None]
    return (gan.discriminator(real) + gan.discriminator(gan.generator(noise))).square().mean()


PROBES: Mapping[str, Callable[[Model, Data], Tensor]] = {"gan": _gan_probe}


def _moved(data: Data, floats: Opaque, place: Opaque) -> Data:
    if isinstance(data, tuple):
        return tuple(_moved(part, floats, place) for part in data)
    return data.to(place, floats) if data.is_floating_point() else data.to(place)
