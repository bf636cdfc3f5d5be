"""What is known of inference engines: the visible, dated table that memory and speed read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from pipeline.advise.estimate.types import MATRIX_TIMES, Card, EstimateError


@dataclass(frozen=True, slots=True)
class Engine:
    """One build of an engine, and how it uses memory."""

    name: str
    build: str
    date: str
    overhead_gib: float  # a GPU: context, libraries, workspace
    overhead_low_gib: float
    overhead_high_gib: float
    limit: float  # share of the visible memory that it lets itself use
    flash_attention: bool
    frees_window: bool  # whether sliding-window layers keep only their window
    lookup_on_host: bool  # whether an embedding that is only looked up stays in the host's memory
    micro_batch: int  # prompt tokens worked on at a time: sizes its buffers
    source: str
    code: str  # the engine build whose code it runs: its name in the coefficients

    @property
    def family(self) -> str:
        """The engine whose code it runs, of whatever build."""
        return self.code.partition(" ")[0]


# Overheads: start-up logs of these builds, as collected when the project was planned (2026-11).
# Window layers: llama.cpp reserves window * sequences + micro batch cells, padded to 256, but never more than the
# context (src/llama-kv-cache-iswa.cpp at commit 02c28f5, read 2026-11-21); that came after May 2024. vLLM 0.12 asks
# for the full length when it admits a request. Ollama runs llama.cpp's code in a server of its own, which takes some
# time more a layer (24 to 48 layers on one RTX 4060 Ti: all about 0.1 ms slower a layer than llama-bench).
ENGINES: tuple[Engine, ...] = (
    Engine(
        "llama.cpp",
        "2026-07",
        "2026-07-28",
        0.5,
        0.3,
        0.8,
        1.0,
        True,
        True,
        True,
        512,
        "llmfit submissions of July and August 2026",
        "llama.cpp 2026-07",
    ),
    Engine(
        "llama.cpp",
        "2024-05",
        "2024-05-15",
        0.5,
        0.3,
        0.8,
        1.0,
        False,
        False,
        True,
        512,
        "XiongjieDai's tables of May 2024",
        "llama.cpp 2024-05",
    ),
    Engine(
        "ollama",
        "2026-08",
        "2026-08-18",
        0.5,
        0.3,
        0.8,
        1.0,
        True,
        True,
        True,
        512,
        "runs of February 2025 to August 2026; memory as llama.cpp, whose code it runs",
        "llama.cpp 2026-07",
    ),
    Engine(
        "vllm",
        "0.12",
        "2025-12-18",
        1.2,
        0.9,
        1.5,
        0.9,
        True,
        False,
        False,
        2048,
        "Holtmann's serving runs of December 2025",
        "vllm 0.12",
    ),
    # The three servers below are taken to use memory as vLLM does: no start-up log of theirs was read.
    Engine(
        "sglang",
        "0.5",
        "2026-01-19",
        1.2,
        0.9,
        1.5,
        0.9,
        True,
        False,
        False,
        2048,
        "InferenceMAX runs of December 2025 and January 2026; memory as vLLM",
        "sglang 0.5",
    ),
    Engine(
        "tensorrt-llm",
        "1.2",
        "2026-01-19",
        1.2,
        0.9,
        1.5,
        0.9,
        True,
        False,
        False,
        2048,
        "NVIDIA's performance overview and InferenceMAX runs; memory as vLLM",
        "tensorrt-llm 1.2",
    ),
    Engine(
        "atom",
        "2026-01",
        "2026-01-19",
        1.2,
        0.9,
        1.5,
        0.9,
        True,
        False,
        False,
        2048,
        "InferenceMAX runs of January 2026 (AMD's server); memory as vLLM",
        "atom 2026-01",
    ),
)
ENGINE_ALIASES: Mapping[str, str] = {
    "llamacpp": "llama.cpp",
    "llama-cpp": "llama.cpp",
    "llamafile": "llama.cpp",
    "tensorrt": "tensorrt-llm",
    "trt-llm": "tensorrt-llm",
}
# Back ends of llama.cpp that are a code of their own, so that their work for each layer has a time of its own: Apple's
# Metal, with half the time a layer since the M4; ROCm, Vulkan and SYCL, slow on Intel's first cards (an Arc A770 reads
# a model at 0.37 of its bandwidth, a B580 at 0.64); and CUDA on cards older than Ampere, where a build launches each
# kernel by itself (CUDA graphs came with Ampere only until pull request 25749 of July 2026 turned them on for Volta and
# Turing). A vendor and an architecture, or a vendor; the rest is CUDA with graphs.
METAL_SINCE_M4 = ("M4", "M4 Pro", "M4 Max", "M5", "M5 Pro", "M5 Max")
BACK_ENDS: Mapping[str, Mapping[str, str]] = {
    "llama.cpp": {
        "Apple": "Metal",
        **{f"Apple Apple {chip}": "Metal since M4" for chip in METAL_SINCE_M4},
        "AMD": "ROCm or Vulkan",
        "Intel": "ROCm or Vulkan",
        "Intel Xe-HPG": "SYCL on Xe-HPG",
        "NVIDIA Kepler": "without graphs",
        "NVIDIA Maxwell": "without graphs",
        "NVIDIA Pascal": "without graphs",
        "NVIDIA Volta": "without graphs",
        "NVIDIA Turing": "without graphs",
    },
}
# What multiplies quantized weights in llama.cpp: matrix cores, instructions for dot products of 8-bit integers, or
# neither. NVIDIA's cards have such instructions since compute capability 6.1 (the GP100, the Pascal with HBM, is 6.0),
# AMD's with gfx906 and RDNA 2 (V_DOT4 in LLVM's guide to the AMDGPU back end); of Intel's, llama.cpp's Vulkan uses the
# matrix cores from Xe2 on (pull request 14001). A vendor and an architecture, or a vendor; the rest has matrix cores,
# but for the Turing cards in TURING_WITHOUT.
MATRIX, DOT, NEITHER = "matrix cores", "dot products", "shaders alone"
TURING_WITHOUT = ("GTX 16", "T1000")
MULTIPLIERS: Mapping[str, str] = {
    "Apple": NEITHER,
    "NVIDIA Kepler": NEITHER,
    "NVIDIA Maxwell": NEITHER,
    "NVIDIA Pascal": DOT,
    "AMD GCN 3": NEITHER,
    "AMD GCN 4": NEITHER,
    "AMD GCN 5": NEITHER,
    "AMD GCN 5.1": DOT,
    "AMD RDNA": NEITHER,
    "AMD RDNA 2": DOT,
    "Intel Xe-HPG": DOT,
}
# How many multiplications these do for each one of the shaders in FP32, in 8 bit and in 16 bit: an instruction for dot
# products of 8-bit integers does four. Matrix cores differ by chip: what the dataset's peaks say of a card stands in
# `Card.times`, these of most NVIDIA's with GDDR memory where no peak of its architecture is known.
TIMES: Mapping[str, tuple[float, float]] = {NEITHER: (1, 1), DOT: (4, 1), MATRIX: MATRIX_TIMES}
# Share of the stated memory that programs get. Discrete: the 496 labels allow 0.979 to 0.998 at 0.5 GiB overhead (at
# 0.98 they allow 0.3 to 0.5 GiB overhead). Unified: what macOS lets the GPU keep resident; the one card at its limit
# (M1 with 8 GB: 4,096 tokens run, 8,192 do not) allows 0.69 to 0.79.
DRIVER_SHARE: Mapping[str, float] = {"gddr": 0.98, "hbm": 0.98, "unified": 0.74}


@lru_cache(maxsize=256)
def find(text: str) -> Engine:
    """Find an engine's newest build, or the build named behind an @ ("llama.cpp@2024-05")."""
    name, _, build = text.strip().lower().partition("@")
    name = ENGINE_ALIASES.get(name, name)
    fitting = [e for e in ENGINES if e.name == name and build in ("", e.build)]
    if not fitting:
        known = ", ".join(f"{e.name}@{e.build}" for e in ENGINES)
        raise EstimateError(f"unknown engine {text[:40]!r}; known: {known}")
    return fitting[0]


def multiplier(card: Card) -> str:
    """What multiplies quantized weights on a card: a part of the name of what unpacking them costs."""
    if card.architecture == "Pascal" and card.memory_class == "hbm":
        return NEITHER
    if card.architecture == "Turing" and any(word in card.name for word in TURING_WITHOUT):
        return DOT
    return MULTIPLIERS.get(f"{card.vendor} {card.architecture}") or MULTIPLIERS.get(card.vendor) or MATRIX


def times_shaders(card: Card, *, packed: bool) -> float:
    """How many multiplications a card does for each one of its shaders: of quantized weights, or in 16 bit."""
    kind = multiplier(card)
    eight, sixteen = card.times if kind == MATRIX else TIMES[kind]
    return eight if packed else sixteen


def backend(engine: Engine, card: Card) -> str:
    """The engine build and back end as the coefficients call them."""
    own = BACK_ENDS.get(engine.family, {})
    kind = own.get(f"{card.vendor} {card.architecture}") or own.get(card.vendor, "")
    return " ".join(filter(None, (engine.code, kind)))
