"""Capacity: the largest batch that trains or decodes before the memory is full, found by trying."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from pipeline.tools.measure import inference, training
from pipeline.tools.measure.bench import Bench, Case, Repetitions
from pipeline.tools.measure.device import NotMeasured

# Beyond this the search would measure patience, not memory.
LIMIT = 2**16
TRAINED = ("cnn", "transformer")


def cases(bench: Bench) -> Iterator[Case]:
    """List the searches."""
    precision, size = bench.device.half, bench.plan.training_sizes[-1]
    for name in TRAINED:
        yield Case(
            "training",
            f"kit-{name}-{size}",
            precision,
            "largest_batch",
            training.UNITS[name],
            partial(trained, bench, name, size, precision),
            mode="eager",
        )
    decoder = bench.plan.decoders[0]
    yield Case(
        "inference",
        decoder,
        precision,
        "largest_batch",
        "sequences",
        partial(decoded, bench, decoder, precision),
        mode="eager",
    )


def trained(bench: Bench, name: str, size: str, precision: str) -> Repetitions:
    """Search the largest batch of a training step."""

    def attempt(batch: int) -> None:
        step = training.make_step(bench.device, name, size, batch, precision)
        step()
        step()  # the second one also holds the optimizer's state

    return _searched(bench, attempt, training.UNITS[name], "mixed precision; the optimizer's state counted")


def decoded(bench: Bench, name: str, precision: str) -> Repetitions:
    """Search the largest batch of a decoding step."""
    context = bench.plan.context_tokens

    def attempt(batch: int) -> None:
        with bench.device.torch.inference_mode():
            inference.make_step(bench.device, inference.build(bench, name, precision), batch, context)()

    return _searched(bench, attempt, "sequences", f"after {context} tokens of context")


def _searched(bench: Bench, attempt: Callable[[int], None], unit: str, note: str) -> Repetitions:
    if bench.plan.bisections < 0:
        raise NotMeasured(f"the {bench.plan.name} run does not search for it")
    if bench.device.kind not in ("cuda", "xpu"):
        raise NotMeasured("the memory is shared with the system, and filling it would stop other programs")
    most = largest(lambda batch: fits(bench, attempt, batch), bench.plan.bisections)
    if not most:
        raise NotMeasured("not even a batch of 1 fits")
    return Repetitions([float(most)], unit, f"{note}; the search stops at {LIMIT}" if most == LIMIT else note)


def fits(bench: Bench, attempt: Callable[[int], None], batch: int) -> bool:
    """Try one batch; a full memory is the answer "no", anything else is an error."""
    try:
        attempt(batch)
        bench.device.wait()
    except Exception as error:
        if not bench.device.is_out_of_memory(error):
            raise
        return False
    finally:
        # Outside the handler the failed attempt's tensors are free to go.
        bench.device.free_memory()
    return True


def largest(works: Callable[[int], bool], bisections: int, limit: int = LIMIT) -> int:
    """Double until it fails, then halve the gap so many times; 0 when nothing works."""
    good = 0
    bad = 1
    while bad <= limit and works(bad):
        good, bad = bad, 2 * bad
    if bad > limit:
        return good
    for _ in range(bisections):
        middle = (good + bad) // 2
        if middle in (good, bad):
            break
        good, bad = (middle, bad) if works(middle) else (good, middle)
    return good
