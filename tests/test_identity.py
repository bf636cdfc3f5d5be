"""Names lead to one GPU, to an ambiguity or to nothing: never to a guess."""

from __future__ import annotations

import pytest
from samples import GPU

from pipeline.core.gpus import Gpu
from pipeline.core.identity import Ambiguous, Ignored, NameFile, Names, NamesError, key, too_wide

H100_SXM = {**GPU, "id": "nvidia-h100-sxm5-80gb", "name": "NVIDIA H100 SXM5 80GB", "aliases": ["H100 SXM"]}
H100_PCIE = {**GPU, "id": "nvidia-h100-pcie-80gb", "name": "NVIDIA H100 PCIe 80GB", "aliases": ["H100 PCIe"]}
FAMILY = Ambiguous(
    name="H100", could_be=("nvidia-h100-sxm5-80gb", "nvidia-h100-pcie-80gb"), reason="form factor not stated"
)
LAPTOPS = Ignored(pattern=".*Laptop.*", sources=("shop",), reason="laptop part")


def gpus(*entries: dict[str, object]) -> dict[str, Gpu]:
    return {str(entry["id"]): Gpu.model_validate(entry) for entry in entries}


@pytest.fixture
def names() -> Names:
    return Names(gpus(H100_SXM, H100_PCIE), [NameFile(ambiguous=(FAMILY,), ignored=(LAPTOPS,))])


@pytest.mark.parametrize(
    "spelling",
    ["NVIDIA H100 SXM", "h100-sxm", "H100\u00a0SXM", "Tesla H100 SXM", "nvidia-h100-sxm5-80gb", "H100_SXM"],
)
def test_spellings_of_one_name_lead_to_one_gpu(names: Names, spelling: str) -> None:
    assert names.resolve("shop", spelling).gpu == "nvidia-h100-sxm5-80gb"


def test_within_a_longer_text_the_longest_name_counts() -> None:
    cards = gpus(
        {**GPU, "id": "nvidia-rtx-4070", "name": "NVIDIA RTX 4070", "aliases": ["RTX 4070"]},
        {**GPU, "id": "nvidia-rtx-4070-ti", "name": "NVIDIA RTX 4070 Ti", "aliases": ["RTX 4070 Ti"]},
        H100_SXM,
        H100_PCIE,
    )
    known = Names(cards, [NameFile(ambiguous=(FAMILY,))])
    assert known.named_in("ASUS Dual RTX 4070 Ti OC, 12 GB") == [("RTX 4070 Ti", frozenset({"nvidia-rtx-4070-ti"}))]
    assert known.named_in("ASUS Dual RTX 4070 OC") == [("RTX 4070", frozenset({"nvidia-rtx-4070"}))]
    assert known.named_in("two H100 of a friend") == [("H100", frozenset(FAMILY.could_be))]
    assert known.named_in("a shop") == []


def test_a_family_name_never_becomes_a_variant(names: Names) -> None:
    match = names.resolve("shop", "NVIDIA H100")
    assert (match.gpu, match.verdict) == (None, "ambiguous")
    assert "nvidia-h100-pcie-80gb" in match.reason


def test_an_unknown_name_is_reported_with_the_nearest_one_and_the_next_step(names: Names) -> None:
    match = names.resolve("shop", "H100 PCIe 96GB")
    assert (match.gpu, match.verdict) == (None, "unknown")
    assert "data/gpus" in match.reason
    assert "H100 PCIe" in match.reason


def test_an_ignored_name_is_ignored_only_in_the_sources_named(names: Names) -> None:
    assert names.resolve("shop", "RTX 4090 Laptop").verdict == "ignored"
    assert names.resolve("other", "RTX 4090 Laptop").verdict == "unknown"


def test_words_that_tell_products_apart_stay_in_the_key() -> None:
    assert key("Quadro RTX 6000") != key("RTX 6000 Ada")
    assert key("Radeon VII") != key("Radeon Pro VII")


def test_two_gpus_cannot_share_an_alias() -> None:
    with pytest.raises(NamesError, match=r"nvidia-h100-sxm5-80gb.yml: aliases: 'H100 PCIe' already means"):
        Names(gpus({**H100_PCIE}, {**H100_SXM, "aliases": ["H100 PCIe"]}))


def test_an_ambiguous_name_cannot_be_an_alias_too() -> None:
    with pytest.raises(
        NamesError, match=r"also a name of NVIDIA H100 SXM5 80GB in data/gpus/nvidia-h100-sxm5-80gb\.yml"
    ):
        Names(gpus({**H100_SXM, "aliases": ["H100"]}, H100_PCIE), [NameFile(ambiguous=(FAMILY,))])


def test_an_ignore_pattern_that_matches_nothing_any_more_is_reported(names: Names) -> None:
    assert names.idle_patterns({"shop": ["RTX 4090 Laptop"]}) == []
    assert "take it out" in names.idle_patterns({"shop": ["RTX 4090"]})[0]


def test_a_house_in_the_name_of_a_product_is_one_of_its_makers() -> None:
    lpu = {**GPU, "id": "nvidia-groq-3-lpu", "name": "NVIDIA Groq 3 LPU", "aliases": ["Groq 3 LPU"]}
    cards = gpus(lpu)
    assert list(too_wide(cards)) == []
    assert {Names(cards).resolve("shop", name).gpu for name in ("Groq 3 LPU", "NVIDIA Groq 3 LPU")} == {lpu["id"]}
    assert Names(cards).resolve("shop", "AMD 3 LPU").gpu is None


def test_a_name_that_says_another_maker_is_not_ours() -> None:
    m4 = {**GPU, "id": "apple-m4", "name": "Apple M4", "vendor": "Apple", "aliases": ["M4"]}
    index = Names(gpus(m4))
    assert index.resolve("shop", "M4").gpu == "apple-m4"
    assert index.resolve("shop", "Tesla M4").verdict == "unknown"
    assert index.resolve("shop", "NVIDIA M4").verdict == "unknown"
