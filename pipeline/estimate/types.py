"""What an estimate is made of: a card, a network, a request in; memory, speed and their basis out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

GIB = 2**30
Task = Literal["serve", "train", "lora", "qlora"]
MemoryClass = Literal["gddr", "hbm", "unified"]


class EstimateError(ValueError):
    """Input that no estimate can be made for; the message is one sentence for the person who asked."""


@dataclass(frozen=True, slots=True)
class Card:
    """One GPU as the formulas need it; `None` is unknown."""

    id: str
    name: str
    vendor: str
    segment: str
    architecture: str
    memory_gb: float | None
    memory_type: str
    memory_bandwidth_gb_s: float | None
    peaks: Mapping[str, float]  # field of the peak (peak:fp16:fp32:dense:tensor) → TFLOPS
    link_gb_s: float | None = None
    pcie_gen: float | None = None

    @property
    def memory_class(self) -> MemoryClass:
        """The class of memory that decides how much of the bandwidth an engine reaches."""
        kind = self.memory_type.upper()
        if kind.startswith("HBM"):
            return "hbm"
        shared = self.vendor == "Apple" or self.segment == "integrated" or kind.startswith(("LPDDR", "DDR"))
        return "unified" if shared else "gddr"  # a card whose memory type no source states is a card with GDDR


@dataclass(frozen=True, slots=True)
class Model:
    """A neural network's shapes, counted from its configuration; `None` where a field does not apply."""

    id: str
    name: str
    kind: str  # language, diffusion, vision
    layers: int | None = None
    hidden_size: int | None = None
    attention_heads: int | None = None
    key_value_heads: int | None = None
    head_size: int | None = None
    feed_forward_size: int | None = None
    vocabulary: int | None = None
    context: int | None = None
    tied_embeddings: bool = False
    attention_bias: bool = False
    window_tokens: int | None = None
    window_layers: int = 0
    experts: int | None = None
    experts_active: int | None = None
    shared_experts: int = 0
    expert_feed_forward_size: int | None = None
    expert_bias: bool = False
    dense_layers: int = 0
    latent_size: int | None = None
    latent_rope_size: int | None = None
    latent_query_size: int | None = None
    latent_nope_size: int | None = None
    latent_value_size: int | None = None
    stored_weights: str | None = None  # the precision in which the publisher's files come, where not 16 bit
    stored_experts: str | None = None
    stated_parameters_billion: float | None = None
    stated_active_parameters_billion: float | None = None
    text_encoder_parameters_billion: float | None = None
    forward_gmacs: float | None = None
    licence: str = ""
    aliases: tuple[str, ...] = ()

    @property
    def is_language(self) -> bool:
        """Whether it writes tokens, with a cache that grows."""
        return self.kind == "language"


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked of a card and a network."""

    quant: str = "f16"
    engine: str = "llama.cpp"
    context: int = 2048
    batch: int = 1
    gpus: int = 1
    task: Task = "serve"
    prompt_tokens: int = 512
    kv_bits: int = 16
    layout: Literal["auto", "layers", "tensor"] = "auto"  # how several GPUs share the network
    memory_gb: float | None = None  # where the buyer chooses the memory (Apple, Strix Halo)
    display_gib: float = 0.0
    lora_rank: int = 16
    zero_stage: int = 0
    optimizer: Literal["adam", "adam8bit"] = "adam"
    recompute: bool = False


@dataclass(frozen=True, slots=True)
class Interval:
    """A central estimate with the 10th and 90th percentile of what was measured on comparable points."""

    median: float
    p10: float
    p90: float


@dataclass(frozen=True, slots=True)
class Memory:
    """Need by part, of all GPUs together, and what they offer, in GiB."""

    parts: Mapping[str, float]
    usable: float | None

    @property
    def total(self) -> float:
        """The sum of the parts."""
        return sum(self.parts.values())

    @property
    def fits(self) -> bool | None:
        """Whether the need stays within what is usable; unknown where the memory is."""
        return None if self.usable is None else self.total <= self.usable

    @property
    def room(self) -> float | None:
        """Usable memory that is left (negative: missing)."""
        return None if self.usable is None else self.usable - self.total


@dataclass(frozen=True, slots=True)
class Basis:
    """Why to trust a number: measured or estimated, from which points, by which coefficients."""

    kind: Literal["measured", "estimated"]
    statement: str
    points: tuple[str, ...] = ()
    coefficients: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Estimate:
    """The answer."""

    card: Card
    model: Model
    request: Request
    memory: Memory
    decode_tokens_per_s: Interval | None
    prefill_tokens_per_s: Interval | None
    decode_basis: Basis | None
    prefill_basis: Basis | None
    warnings: tuple[str, ...] = ()
