"""What an estimate is made of: the card and the request that it is for; memory, speed and their basis in its answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from pipeline.core.networks import Model

GIB = 2**30
# To train is to start from scratch; full, LoRA and QLoRA tune a network that exists.
Task = Literal["serve", "train", "full", "lora", "qlora"]
MemoryClass = Literal["gddr", "hbm", "unified"]
Optimizer = Literal["adam", "adam8bit", "paged_adam8bit", "sgd"]


VECTOR = "peak:fp32:fp32:dense:vector"
# The dense 16-bit rate with 32-bit sums: stated, or worked out from a neighbour (GeForce cards state 16-bit sums and
# reach half of that with 32 bits; FP8 and FP4 run at two and four times the 16-bit rate, sparse at twice a
# dense one).
PEAKS: tuple[tuple[str, float], ...] = (
    ("peak:bf16:fp32:dense:tensor", 1.0),
    ("peak:fp16:fp32:dense:tensor", 1.0),
    ("peak:bf16:fp32:sparse:tensor", 0.5),
    ("peak:fp16:fp32:sparse:tensor", 0.5),
    ("peak:fp16:fp16:dense:tensor", 0.5),
    ("peak:fp8:fp32:dense:tensor", 0.5),
    ("peak:fp4:fp32:dense:tensor", 0.25),
    ("peak:fp4:fp32:sparse:tensor", 0.125),
    ("peak:fp16:fp16:dense:vector", 1.0),
    ("peak:fp32:fp32:dense:vector", 1.0),
)
# Multiplications of matrix cores for each one of the shaders in FP32, in 8 and in 16 bit, where no source tells.
MATRIX_TIMES = (8.0, 4.0)
# Of NVIDIA's chips with GDDR memory, cards for workstations and servers take 32-bit sums at the full rate and GeForce
# cards at half of it, which is so many times the FP32 rate. Training hardly ever sees the full rate, because these
# cards draw less power and read no faster: BERT-base trains on an RTX A5000 at 0.92 of the speed of an RTX 3090 and
# on an RTX 6000 Ada at 0.86 of that of an RTX 4090 (lambda-deeplearning-benchmark, FP16, 2022 and 2024), where the
# sheets promise 1.6 and 2.2. So every one of them is counted with the rate of the GeForce. Of the fine-tuning runs
# that no fit saw, those on two and four RTX 6000 Ada are then missed by 3 and 11 % and no longer by 67 and 90, those
# of a 70 B network on four and eight RTX A5000 by 45 and 40 % instead of 8 and 0.
TRAINED_SUMS: Mapping[str, float] = {"Ampere": 2.0, "Ada Lovelace": 2.0, "Blackwell": 2.0}
# 16 lanes of PCIe, both directions (2.5, 5, 8, 16, 32 and 64 GT/s a lane for generations 1 to 6), GB/s.
PCIE_GB_S: Mapping[str, float] = {"1": 8.0, "2": 16.0, "3": 32.0, "4": 64.0, "5": 128.0, "6": 256.0}


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
    form_factor: str = ""
    times: tuple[float, float] = MATRIX_TIMES  # multiplications of matrix cores for one of the shaders, 8 and 16 bit

    @property
    def vector(self) -> float:
        """The FP32 rate of the shader cores, TFLOPS; 0 where no source states it."""
        return self.peaks.get(VECTOR, 0.0)

    @property
    def tensor(self) -> float:
        """The dense 16-bit rate with 32-bit sums, TFLOPS; 0 where no source lets it be worked out."""
        return next((self.peaks[field] * factor for field, factor in PEAKS if field in self.peaks), 0.0)

    @property
    def trained(self) -> float:
        """The dense 16-bit rate that training is counted with, TFLOPS; 0 where no source lets it be worked out."""
        sums = TRAINED_SUMS.get(self.architecture) if self.vendor == "NVIDIA" and self.memory_class == "gddr" else None
        return min(self.tensor, sums * self.vector) if sums and self.vector else self.tensor

    @property
    def eight(self) -> bool:
        """Whether its tensor cores take 8-bit floating point at twice the 16-bit rate."""
        return any(field.startswith("peak:fp8") for field in self.peaks)

    def link(self, gpus: int) -> float:
        """GB/s between several of it, both directions; 0 where no source states it.

        A bridge between cards joins two; more of them, and cards without one, talk over PCIe. A module's link is never
        taken for PCIe: where no source states it, it is not known.
        """
        card = not self.form_factor or self.form_factor == "PCIe card"
        if self.link_gb_s and (gpus == 2 or not card or not self.form_factor):
            return self.link_gb_s
        return PCIE_GB_S.get(f"{self.pcie_gen or 3:.0f}", 32.0) if card else 0.0

    @property
    def memory_class(self) -> MemoryClass:
        """The class of memory that decides how much of the bandwidth an engine reaches."""
        kind = self.memory_type.upper()
        if kind.startswith("HBM"):
            return "hbm"
        shared = self.vendor == "Apple" or self.segment == "integrated" or kind.startswith(("LPDDR", "DDR"))
        return "unified" if shared else "gddr"  # a card whose memory type no source states is a card with GDDR


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked of a card and a network."""

    quant: str = "f16"
    engine: str = "llama.cpp"
    context: int = 2048
    batch: int = 1
    gpus: int = 1
    task: Task = "serve"
    prompt_tokens: int | None = None  # None: half of the context, at most 512; the answer says which
    kv_bits: int = 16
    layout: Literal["auto", "layers", "tensor"] = "auto"  # how several GPUs share the network
    memory_gb: float | None = None  # where the buyer chooses the memory (Apple, Strix Halo)
    display_gib: float = 0.0
    host_gb_s: float | None = None  # bandwidth of the main memory, where experts that do not fit may stay
    host_share: float | None = None  # of the experts that stay there; None: as few layers as leave room
    lora_rank: int = 16
    zero_stage: int = 0
    optimizer: Optimizer = "adam"
    master_weights: bool = True  # a 32-bit copy of the weights, as mixed precision keeps
    fused_backward: bool = False  # each layer is updated as soon as its gradient is there, which is then freed
    recompute: bool | None = None  # None: yes for QLoRA, as its tools do, no otherwise


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

    def short_by(self, share: float | None) -> bool:
        """Whether more is missing than this share of what is usable; never without a share."""
        return share is not None and self.usable is not None and self.total - self.usable > share * self.usable


@dataclass(frozen=True, slots=True)
class Coefficient:
    """One fitted number: what it multiplies, the range it takes when any one GPU is left out, and its points."""

    value: float
    unit: str
    low: float
    high: float
    points: int
    sets: tuple[str, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Basis:
    """Why to trust a number: measured or estimated, from which points, by which coefficients."""

    kind: Literal["measured", "estimated"]
    statement: str
    runs: tuple[str, ...] = ()  # the measured ones
    terms: Mapping[str, Coefficient] = field(default_factory=dict)

    @property
    def points(self) -> tuple[str, ...]:
        """The measured runs, or the sets of those that the coefficients were fitted to."""
        return self.runs or tuple(sorted({name for term in self.terms.values() for name in term.sets}))

    @property
    def coefficients(self) -> dict[str, float]:
        """The fitted numbers by name."""
        return {name: self.terms[name].value for name in sorted(self.terms)}


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
