"""How much memory a network needs, and which cards hold it: the data of the pages by model."""

from __future__ import annotations

import pytest

from pipeline.advise.estimate import coefficients
from pipeline.advise.estimate.holding import holders, needs
from pipeline.advise.estimate.memory import required
from pipeline.advise.estimate.models import load
from pipeline.advise.estimate.types import Card, Request

VECTOR = {"peak:fp32:fp32:dense:vector": 30.0}
CARDS = [
    Card(f"card-{gb}", f"Card {gb}", "NVIDIA", "consumer", "Ampere", float(gb), "GDDR6", 600.0, VECTOR)
    for gb in (24, 8, 48, 12)
]
LLAMA = load().find("llama-3.1-8b-instruct")


def test_fewer_bits_and_shorter_contexts_need_less_and_no_context_is_longer_than_the_network_allows() -> None:
    found = {(n.quant, n.context): n for n in needs(LLAMA)}
    assert found["q4_k_m", 4096].total_gib < found["q8_0", 4096].total_gib < found["f16", 4096].total_gib
    assert found["q4_k_m", 4096].cache_gib < found["q4_k_m", 131_072].cache_gib
    short = load().find("gemma-2-9b-it")
    assert max(n.context for n in needs(short)) == short.context == 8192


def test_a_need_is_the_number_that_every_other_page_says() -> None:
    one = needs(LLAMA, ("q4_k_m",), (8192,))[0]
    assert one.total_gib == pytest.approx(required(CARDS[0], LLAMA, Request(quant="q4_k_m", context=8192)).total)


def test_the_cards_that_hold_a_network_come_smallest_first_with_a_speed() -> None:
    found = holders(LLAMA, CARDS, coefficients.load(), (), quant="q8_0")
    assert [answer.card.id for answer in found] == ["card-12", "card-24", "card-48"]
    assert all(answer.decode_tokens_per_s is not None for answer in found)
    assert next(iter(holders(LLAMA, CARDS, coefficients.load(), (), quant="q8_0", gpus=2))).card.id == "card-8"
