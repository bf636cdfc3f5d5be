"""The support table: what engines refuse, what they only try, and where each statement stands."""

from __future__ import annotations

from pathlib import Path

import pytest
from samples import committed

from pipeline.advise.choose.support import by_task
from pipeline.advise.estimate import inputs, support
from pipeline.advise.estimate.types import EstimateError

CARDS = inputs.cards(committed())


@pytest.mark.parametrize(
    ("engine", "gpu", "quant", "expected"),
    [
        ("vllm", "nvidia-t4", "fp8", "experimental"),  # weights only, as the newest document says
        ("vllm", "nvidia-v100-sxm2-32gb", "f16", "no"),
        ("vllm", "nvidia-tesla-k80", "f16", "no"),
        ("vllm", "amd-instinct-mi300x", "int4", "no"),  # AWQ
        ("vllm", "amd-instinct-mi300x", "fp8", "yes"),
        ("vllm", "amd-radeon-rx-7900-xtx", "fp8", "no"),
        ("vllm", "nvidia-geforce-rtx-5090", "int4", "yes"),
        ("vllm", "nvidia-h100-sxm5-80gb", "fp8", "yes"),
        ("vllm", "intel-arc-b580", "f16", "experimental"),
        ("llama.cpp", "google-tpu-v5e", "q4_k_m", "no"),
        ("llama.cpp", "amd-radeon-rx-7900-xtx", "q4_k_m", "yes"),
        ("llama.cpp", "nvidia-geforce-rtx-4090", "fp8", "no"),
        ("ollama", "nvidia-tesla-k80", "q4_k_m", "no"),
        ("tensorrt-llm", "amd-instinct-mi300x", "fp8", "no"),
        ("bitsandbytes", "nvidia-tesla-m40-24gb", "nf4", "no"),
    ],
)
def test_engines_take_and_refuse_what_their_documents_say(engine: str, gpu: str, quant: str, expected: str) -> None:
    found = support.verdict(engine, CARDS[gpu], quant)
    assert found is not None
    assert found.verdict == expected


def test_a_row_that_names_the_architecture_wins_over_one_that_names_the_vendor() -> None:
    found = support.verdict("llama.cpp", CARDS["intel-gaudi-3"], "q4_k_m")
    assert found is not None
    assert "Intel Gaudi 3" in found.gpus


def test_a_refusal_names_engine_card_and_reason_and_silence_is_no_refusal() -> None:
    refused = support.refusal("vllm", CARDS["nvidia-tesla-k80"], "f16")
    assert refused == "vllm does not run on NVIDIA Tesla K80: vLLM asks for compute capability 7.5"
    assert support.verdict("sglang", CARDS["nvidia-t4"], "int4") is None
    assert support.refusal("sglang", CARDS["nvidia-t4"], "int4") == ""


@pytest.mark.parametrize(
    ("gpu", "asked", "says"),
    [
        ("amd-radeon-rx-9070-xt", "vllm fp8", "no document read here says that vLLM runs FP8 weights on it"),
        ("tenstorrent-wormhole-n300d", "vllm 16-bit", "no document read here says that vLLM runs 16-bit weights on it"),
    ],
)
def test_a_format_of_which_no_document_speaks_counts_as_one_that_does_not_run(gpu: str, asked: str, says: str) -> None:
    engine, kind = asked.split()
    assert support.verdict(engine, CARDS[gpu], kind) is None
    found = by_task(committed().gpus[gpu], CARDS[gpu], frozenset())[asked]
    assert (found.level, found.says) == ("none", says)


def test_every_architecture_of_the_table_is_that_of_a_card() -> None:
    known = {c.vendor for c in CARDS.values()} | {f"{c.vendor} {c.architecture}" for c in CARDS.values()}
    assert {place for row in support.load().rows for place in row.gpus} <= known


def test_every_listed_document_is_used_and_every_refusal_has_its_reason() -> None:
    table = support.load()
    assert {row.document for row in table.rows} == set(table.documents)
    assert [row for row in table.rows if row.verdict != "yes" and not row.reason] == []


def test_a_row_whose_document_is_missing_is_named(tmp_path: Path) -> None:
    path = tmp_path / "support.yml"
    path.write_text(
        "documents: {}\nrows: [{engine: vllm, gpus: [AMD], verdict: 'no', document: nowhere, locator: x}]", "utf-8"
    )
    with pytest.raises(EstimateError, match=r"row 1 \(vllm\): document 'nowhere' is not listed"):
        support.load(path)
