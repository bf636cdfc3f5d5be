"""Inference: prefill and decode of transformers of known size from random weights, with a key-value cache."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from pipeline.core.measured.decoders import DECODERS
from pipeline.tools.measure.bench import Bench, Case, Repetitions
from pipeline.tools.measure.device import Device, NotMeasured
from pipeline.tools.measure.kinds import Model, Tensor
from pipeline.tools.measure.reference import SCORE_TOLERANCE, must_agree, must_be_random

# Beside the weights there must be room for the cache and for what a step takes for itself.
ROOM = 1.5


def cases(bench: Bench) -> Iterator[Case]:
    """List the measurements."""
    plan, precision = bench.plan, bench.device.half
    for name in plan.decoders:
        for batch in plan.decode_batches:
            yield Case(
                "inference",
                name,
                precision,
                "generation_speed",
                "tokens/s",
                partial(decode, bench, name, precision, batch),
                str(batch),
                "eager",
                batch == 1,
            )
        for batch in plan.prefill_batches:
            yield Case(
                "inference",
                name,
                precision,
                "prompt_speed",
                "tokens/s",
                partial(prefill, bench, name, precision, batch),
                str(batch),
                "eager",
                batch == 1,
            )
    if plan.compile_backend:
        name, mode = plan.decoders[0], f"torch.compile {plan.compile_backend}"
        yield Case(
            "inference",
            name,
            precision,
            "generation_speed",
            "tokens/s",
            partial(decode, bench, name, precision, 1, plan.compile_backend),
            "1",
            mode,
        )


def decode(bench: Bench, name: str, precision: str, batch: int, compiler: str = "") -> Repetitions:
    """Measure steps that add one token to each sequence, after a context of the plan's length."""
    bench.once(f"check decoder {precision}", lambda: check(bench.device, precision))
    context = bench.plan.context_tokens
    with bench.device.exactly(precision), bench.device.torch.inference_mode():
        with bench.compiling(compiler):
            step = make_step(bench.device, build(bench, name, precision, compiler), batch, context)
            scores = step()
        must_be_random(scores)
        seconds = bench.seconds(step)
        joules = bench.joules(step) if batch == 1 and not compiler else None  # of one token
    note = f"after {context} tokens of context; random weights"
    return Repetitions([batch / each for each in seconds], "tokens/s", note, joules, "J/token")


def make_step(device: Device, model: Model, batch: int, context: int) -> Callable[[], Tensor]:
    """Fill a cache with random keys and values and give the step that decodes one more token."""
    cache = model.new_cache(batch, context + 1)
    for pair in cache:
        for tensor in pair:
            tensor.normal_()
    tokens = device.torch.randint(model.size.vocabulary, (batch, 1), device=device.place)
    return lambda: model(tokens, context, cache)


def prefill(bench: Bench, name: str, precision: str, batch: int) -> Repetitions:
    """Measure reading a prompt of the plan's length into the cache."""
    bench.once(f"check decoder {precision}", lambda: check(bench.device, precision))
    context, torch = bench.plan.context_tokens, bench.device.torch
    with bench.device.exactly(precision), torch.inference_mode():
        model = build(bench, name, precision)
        cache = model.new_cache(batch, context)
        tokens = torch.randint(model.size.vocabulary, (batch, context), device=bench.device.place)
        must_be_random(model(tokens, 0, cache))
        seconds = bench.seconds(lambda: model(tokens, 0, cache))
    note = f"prompts of {context} tokens; random weights"
    return Repetitions([batch * context / each for each in seconds], "tokens/s", note)


def build(bench: Bench, name: str, precision: str, compiler: str = "") -> Model:
    """Build a decoder with random weights in the given format, right on the device; the next case finds it again."""
    return bench.keep((name, precision, compiler), partial(_built, bench, name, precision, compiler))


def _built(bench: Bench, name: str, precision: str, compiler: str) -> Model:
    needed = DECODERS[name].weights * 2 * ROOM
    memory = bench.device.memory()
    if memory and needed > memory[0]:
        raise NotMeasured(f"{name} needs about {needed / 2**30:.0f} GiB, free are {memory[0] / 2**30:.1f}")
    model = _random_model(bench.device, name, precision)
    if compiler:
        model.compile(backend=compiler)
    return model


def _random_model(device: Device, name: str, precision: str) -> Model:
    from pipeline.tools.measure.samples import transformer

    torch, d = device.torch, DECODERS[name]
    size = transformer.Size(d.layers, d.hidden, d.heads, d.kv_heads, d.feed_forward, d.vocabulary)
    before = torch.get_default_dtype()
    torch.manual_seed(2)
    try:
        torch.set_default_dtype(device.dtype(precision))
        with torch.device(device.place):
            return transformer.Transformer(size).eval()
    finally:
        torch.set_default_dtype(before)


def check(device: Device, precision: str) -> None:
    """Compare the last scores of cached decoding on the device with an uncached pass in float64 on the processor."""
    from pipeline.tools.measure.samples import transformer

    torch = device.torch
    torch.manual_seed(3)
    exact = transformer.build("tiny").double()
    tokens = transformer.make_batch("tiny", 2, torch.device("cpu"))
    length = tokens.shape[1]
    model = transformer.build("tiny")
    model.load_state_dict(exact.state_dict())
    model = model.to(device.place, device.dtype(precision))
    there = tokens.to(device.place)
    with torch.inference_mode():
        reference = exact(tokens)[:, -1]
        cache = model.new_cache(2, length)
        model(there[:, :-1], 0, cache)
        scores = model(there[:, -1:], length - 1, cache)[:, -1]
    must_agree(scores, reference, SCORE_TOLERANCE[precision], f"cached decoding in {precision}")
