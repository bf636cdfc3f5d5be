"""Bytes and seconds of an estimate, part by part, of a network and a card in round numbers."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from pipeline.advise.estimate import core
from pipeline.advise.estimate.types import GIB, Card, Request

CARD = Card("card", "Card", "NVIDIA", "datacenter", "Test", 80.0, "HBM3", 1000.0, {}, link_gb_s=100.0)


def shape(**known: float) -> Any:
    usual = {
        "language": True, "parameters": 1e9, "active": 1e9, "expert_share": 0.0, "layers": 10.0, "hidden": 1000.0,
        "vocabulary": 100_000.0, "heads": 16.0, "width": 2048.0, "active_width": 4096.0, "cache": 1000.0,
        "window_cache": 0.0, "window": 0.0, "window_layers": 0.0, "split": 8.0, "adapter": 0.0,
    }  # fmt: skip
    return SimpleNamespace(**usual | known)


def form(**known: Any) -> Any:
    marks = dict.fromkeys(("wide", "packed", "low", "eight", "nested"), False)
    return SimpleNamespace(**{"weights": 8e9, "lookup": 1e9, "dense": 7e9, "experts": 0.0} | marks | known)


def engine(family: str = "llama.cpp", **known: Any) -> Any:
    usual = {
        "frees_window": True, "micro_batch": 512, "flash_attention": True, "lookup_on_host": True, "overhead_gib": 1.0,
        "limit": 0.9,
    }  # fmt: skip
    return SimpleNamespace(family=family, **usual | known)


@pytest.mark.parametrize(
    ("of", "asked", "by", "cells"),
    [
        (shape(), Request(context=4096, batch=2), engine(), 8192),
        (shape(), Request(context=4096, gpus=16), engine("vllm"), 8192),  # of eight groups each stands twice
        (shape(), Request(context=4096, gpus=8), engine("vllm"), 4096),
        (shape(), Request(context=4096, gpus=4), engine("vllm"), 4096),
        (shape(), Request(context=4096, gpus=16), engine(), 4096),
    ],
)
def test_a_cache_holds_all_tokens_of_all_streams_and_copies_where_its_heads_are_fewer_than_gpus(
    of: Any, asked: Request, by: Any, cells: float
) -> None:
    assert core.cache_bytes(of, asked, by, asked.batch) == 1000 * cells


@pytest.mark.parametrize(
    ("context", "window", "frees", "cells"),
    [
        (4096, 1000.0, True, 1536),  # 1,000 + 512, padded to 256
        (4096, 1024.0, True, 1536),
        (4096, 1025.0, True, 1792),
        (1024, 1000.0, True, 1024),  # never more than the whole length
        (4096, 1000.0, False, 4096),
        (4096, 0.0, True, 4096),
    ],
)
def test_a_window_costs_what_it_holds_padded_and_never_more_than_the_length(
    context: int, window: float, frees: bool, cells: float
) -> None:
    of = shape(cache=0.0, window_cache=10.0, window=window)
    assert core.cache_bytes(of, Request(context=context), engine(frees_window=frees), 1) == 10 * cells


@pytest.mark.parametrize(("tokens", "read"), [(500, 500 * 1010), (1000, 1000 * 1010), (3000, 3000 * 1000 + 1000 * 10)])
def test_a_step_reads_no_further_back_than_the_window(tokens: float, read: float) -> None:
    of = shape(window_cache=10.0, window=1000.0)
    assert core.attended_bytes(of, tokens, 16) == read
    assert core.attended_bytes(of, tokens, 8) == read / 2
    assert core.attended_bytes(shape(window_cache=10.0), tokens, 16) == tokens * 1010


def test_a_network_at_work_takes_weights_cache_buffers_and_the_engine() -> None:
    asked = Request(context=4096, gpus=2)
    parts = core.serving_bytes(shape(), form(), asked, engine())
    assert parts == {
        "weights": 7e9, "kv_cache": 4096e3, "activations": 4 * 512 * 1e5, "engine": 2.0 * GIB,
    }  # fmt: skip
    scores = 4 * 512 * 16 * 65536
    plain = engine(flash_attention=False)
    assert core.serving_bytes(shape(), form(), Request(context=65536), plain)["activations"] == scores
    assert core.serving_bytes(shape(), form(), Request(context=65536, gpus=2), plain)["activations"] == 2 * scores
    few = core.serving_bytes(shape(), form(), Request(context=4096), plain)["activations"]
    assert few == 4 * 512 * 1e5, "the logits where they are more"
    served = core.serving_bytes(shape(), form(), asked, engine("vllm", lookup_on_host=False))
    assert (served["weights"], served["activations"]) == (8e9, 0.0)


@pytest.mark.parametrize(
    ("asked", "gib"),
    [
        (Request(), 80 * 0.9),
        (Request(gpus=2), 160 * 0.9),
        (Request(memory_gb=40.0), 40 * 0.9),
        (Request(task="full"), 80.0),
        (Request(display_gib=2.0), 80 * 0.9 - 2),
        (Request(memory_gb=1.0, display_gib=2.0), 0.0),
    ],
)
def test_what_is_usable_is_what_the_driver_shows_and_the_engine_takes(asked: Request, gib: float) -> None:
    share = core.DRIVER_SHARE["hbm"]
    took = gib if gib == 0 else (gib + asked.display_gib) * share - asked.display_gib
    assert core.usable_gib(CARD, asked, engine()) == pytest.approx(took)
    none: Any = SimpleNamespace(memory_gb=None)
    assert core.usable_gib(none, Request(), engine()) is None


@pytest.mark.parametrize(
    ("usable_gib", "share"), [(100.0, 0.0), (30.0, 0.3), (20.0, 0.5), (19.9, 0.6), (1.0, 1.0), (0.0, 1.0), (None, 0.0)]
)
def test_experts_of_as_few_layers_as_leave_room_stay_in_main_memory(usable_gib: float | None, share: float) -> None:
    of = form(weights=40.0 * GIB, lookup=0.0, dense=0.0, experts=40.0 * GIB)
    asked, quiet = Request(context=128, host_gb_s=50.0), engine(overhead_gib=0.0)
    small = shape(cache=0.0, vocabulary=0.0)
    assert core.host_share(small, of, asked, quiet, usable_gib) == pytest.approx(share)
    assert core.host_share(small, of, Request(context=128), quiet, 1.0) == 0.0
    assert core.host_share(small, form(), asked, quiet, 1.0) == 0.0, "nothing to put there"
    assert core.host_share(small, of, asked, engine("vllm"), 1.0) == 0.0
    assert core.host_share(small, of, Request(context=128, host_share=0.25), quiet, None) == 0.25


@pytest.mark.parametrize(("room", "streams"), [(8.0, 4.0), (4.0, 4.0), (2.5, 2.5), (1.0, 1.0), (0.5, 1.0), (-3.0, 1.0)])
def test_so_many_streams_run_as_the_cache_has_room_for_and_one_at_least(room: float, streams: float) -> None:
    of, quiet = shape(cache=GIB / 1024, vocabulary=0.0), engine(overhead_gib=0.0)
    weights = form(weights=float(GIB), lookup=0.0)
    asked = Request(context=1024, batch=4)
    assert core.streams(of, weights, asked, quiet, 1 + room) == pytest.approx(streams)
    assert core.streams(of, weights, asked, quiet, None) == 4.0
    assert core.streams(shape(language=False), weights, asked, quiet, 1.0) == 4.0


@pytest.mark.parametrize(
    ("gpus", "layout", "family", "together"),
    [
        (1, "tensor", "vllm", False), (2, "auto", "vllm", True), (2, "auto", "llama.cpp", False),
        (2, "tensor", "llama.cpp", True), (2, "layer", "vllm", False),
    ],
)  # fmt: skip
def test_several_gpus_share_a_token_where_the_engine_or_the_reader_says_so(
    gpus: int, layout: Any, family: str, together: bool
) -> None:
    assert core.shares_tensors(Request(gpus=gpus, layout=layout), engine(family)) is together


def step(of: Any = None, weights: Any = None, batch: float = 1.0, family: str = "llama.cpp", **asked: Any) -> Any:
    request = Request(**{"context": 4096} | asked)
    return core.step(CARD, of or shape(), weights or form(), request, engine(family), 1000.0, batch)


def test_a_step_reads_the_weights_and_the_cache_at_the_memory_s_rate() -> None:
    found = step()
    assert found["read"] == pytest.approx(7e9 / 1e12)
    assert found["cache"] == pytest.approx(1e6 / 1e12)
    assert (found["layer"], found["sequence"], found["output"]) == pytest.approx((1e-5, 1e-6, 1e-6))
    assert (found["hop"], found["together"], found["exchange"]) == (0.0, 0.0, 0.0)
    assert step(batch=4.0)["cache"] == pytest.approx(4e6 / 1e12)
    two = step(gpus=2)
    assert (two["hop"], two["read"]) == (pytest.approx(1e-6), pytest.approx(7e-3)), "one behind the other"
    both = step(gpus=2, family="vllm")
    assert (both["hop"], both["read"], both["together"]) == (0.0, pytest.approx(3.5e-3), pytest.approx(1e-5))
    assert both["exchange"] > 0


@pytest.mark.parametrize(("batch", "touched"), [(0.4, 0.25), (1.0, 0.25), (2.0, 1 - 0.75**2), (2.4, 1 - 0.75**2)])
def test_more_streams_touch_more_experts(batch: float, touched: float) -> None:
    weights = form(dense=0.0, experts=4e9)
    found = step(shape(expert_share=0.25), weights, batch)
    assert found["read"] == pytest.approx(4e9 * touched / 1e12)
    assert found["expert layer"] == pytest.approx(1e-5)
    assert step(weights=weights)["read"] == 0.0, "a network without experts touches none"
    away = step(shape(expert_share=0.25), weights, batch, host_share=0.5, host_gb_s=50.0)
    assert away["read"] == pytest.approx(2e9 * touched / 1e12)
    assert away["host read"] == pytest.approx(2e9 * touched / 50e9)
    assert away["host layer"] == pytest.approx(5e-6)
    assert step(shape(expert_share=0.25), form(experts=4e9, eight=True), batch)["narrow experts"] == pytest.approx(
        4e9 * touched / 1e12
    )


@pytest.mark.parametrize(
    ("gpus", "tokens", "gain"),
    [(1, 512, 1.0), (1, 5120, 1.0), (2, 512, 1.0), (2, 5120, 20 / 11), (4, 5120, 40 / 13), (2, 100, 1.0)],
)
def test_a_prompt_goes_through_several_gpus_in_pieces(gpus: int, tokens: float, gain: float) -> None:
    asked = Request(context=8192, gpus=gpus)
    found = core.prompt(CARD, shape(), form(), asked, engine(), tokens)
    pieces = max(1, -(-tokens // 512))
    assert found["prompt layer"] == pytest.approx(pieces * 10e-6 / gain)
    served = core.prompt(CARD, shape(), form(), asked, engine("vllm"), tokens)
    assert served["prompt layer"] == 0.0


def test_a_request_costs_its_share_of_the_step_and_of_its_prompt() -> None:
    asked = Request(context=2048, prompt_tokens=1024)
    args = (CARD, shape(), form(), asked, engine("vllm", flash_attention=False))
    alone = core.serving(*args, 1.0, 100.0)
    shared = core.serving(*args, 4.0, 100.0)
    assert shared["layer"] == pytest.approx(alone["layer"] / 4)
    assert alone["cache"] == pytest.approx(1000 * (1024 + 50) / 1e12)
    scores = 4.0 * 10 * 16 * 1024**2 / 1e12
    assert (alone["scores"], shared["scores"]) == pytest.approx((scores / 100, scores / 100))


def test_slots_add_up_with_their_coefficients() -> None:
    assert core.total({"a": 2.0, "b": 3.0, "c": 5.0}, {"a": 1.0, "b": 0.5}) == 3.5


@pytest.mark.parametrize(("tokens", "seconds"), [(1.0, 2 * 10 * 1000 * 2 / 100e9), (8.0, 2 * 10 * 8000 * 2 / 100e9)])
def test_gpus_exchange_two_sums_a_layer(tokens: float, seconds: float) -> None:
    linked: Any = SimpleNamespace(link=lambda _: 100.0)
    alone: Any = SimpleNamespace(link=lambda _: None)
    assert core._exchanged(linked, shape(), Request(gpus=2), tokens) == pytest.approx(seconds)
    assert core._exchanged(alone, shape(), Request(gpus=2), tokens) == 0.0


@pytest.mark.parametrize(
    ("eight", "able", "tokens", "seconds"),
    [(False, True, 1.0, 2e-5), (True, True, 1.0, 1e-5), (True, False, 1.0, 2e-5), (False, True, -5.0, 0.0)],
)
def test_a_server_multiplies_at_the_tensor_cores_rate_and_eight_bits_at_twice(
    eight: bool, able: bool, tokens: float, seconds: float
) -> None:
    card: Any = SimpleNamespace(tensor=100.0, eight=able, vector=0.0)
    assert core._operations(card, shape(), form(eight=eight), engine("vllm"), tokens) == pytest.approx(seconds)
    none: Any = SimpleNamespace(tensor=0.0, eight=False, vector=0.0)
    assert core._operations(none, shape(), form(), engine("vllm"), 1.0) == 0.0
