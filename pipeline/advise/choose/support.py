"""Whether the software of a task runs on a card today: supported, experimental (and why), or not at all.

Which engine runs which weight format on which architecture is the estimator's sourced table (`data/support.yml`); what
makers say of PyTorch is in the dataset (`software_support`, `last_supported_driver_or_toolkit`). `of` joins both for a
task. What no row covers nobody has documented, and nobody is told to buy a card for it: unknown counts as no.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pipeline.advise.choose.need import TASKS, TRAINING
from pipeline.advise.estimate import Card
from pipeline.advise.estimate.support import format_of, verdict
from pipeline.dataset import Dataset, GpuRecord

# Cards that llama.cpp is known to drive or not by their line; the calculators of the estimator ask it.
LLAMA_VENDORS = ("NVIDIA", "AMD", "Intel", "Apple")
NOT_FOR_LLAMA = ("Gaudi",)
PYTORCH_WORDS: Mapping[str, tuple[str, ...]] = {"NVIDIA": ("CUDA",), "AMD": ("ROCm",), "Intel": ("PyTorch",)}
# Language models are trained in BF16, whose range FP16 lacks; NVIDIA's matrix units support it from Ampere on.
NO_BF16 = ("Kepler", "Maxwell", "Pascal", "Volta", "Turing")
NO_LONGER = ("deprecated", "no longer", "not supported")
# The engines that answer, in the words of the table and in those of a reader.
ANSWERING: Mapping[str, str] = {"llama.cpp": "llama.cpp", "vllm": "vLLM"}
FORMATS = ("16-bit", "gguf", "fp8", "int8", "int4", "nvfp4", "mxfp4")
WRITTEN: Mapping[str, str] = {"16-bit": "16-bit"}  # in a sentence; every other one in capitals
LEVELS: Mapping[str, str] = {"yes": "supported", "experimental": "experimental", "no": "none"}
# QLoRA holds its frozen base in the 4-bit format of bitsandbytes.
QLORA = ("bitsandbytes", "nf4")


@dataclass(frozen=True, slots=True)
class Support:
    """A level and the sentence that says why."""

    level: str  # supported, experimental, none
    says: str = ""


FULL = Support("supported")


def trained_on(dataset: Dataset) -> frozenset[str]:
    """The architectures on which a published result of training was measured."""
    rows = (row for row in dataset.benchmarks if row.workload == "training" and row.value)
    gpus = {row.gpu for row in rows} & set(dataset.gpus)
    return frozenset(dataset.gpus[gpu].architecture for gpu in gpus)


def key(task: str, engine: str, quant: str | None) -> str:
    """Under which name the support of a task stands: engine and weight format where an engine of the table runs it."""
    return f"{engine} {format_of(quant)}" if quant and engine in ANSWERING else task


def by_task(gpu: GpuRecord, card: Card, trained: frozenset[str]) -> dict[str, Support]:
    """The support of every task on a card, with the architectures on which somebody published training."""
    own = {task: of(gpu, card, task, trained) for task, rule in TASKS.items() if rule["engine"] not in ANSWERING}
    return own | {f"{engine} {kind}": _of_table(engine, card, kind) for engine in ANSWERING for kind in FORMATS}


def of(gpu: GpuRecord, card: Card, task: str, trained: frozenset[str] = frozenset()) -> Support:
    """The support of a task that PyTorch does: by what its maker states, the table, and what was measured."""
    stack = gpu.software_support
    if task in TRAINING and gpu.architecture in NO_BF16:
        return Support("none", "it has no matrix units that take BF16, in which language models are trained")
    stated = any(word in stack for word in PYTORCH_WORDS.get(gpu.vendor, ()))
    if not stated and (gpu.vendor != "NVIDIA" or stack):
        return Support("none", "no source says that PyTorch runs on it")
    four_bit = _of_table(*QLORA[:1], card, QLORA[1]) if task == "qlora" else FULL
    if four_bit.level != "supported":
        return four_bit
    if task in TRAINING and gpu.architecture not in trained:
        return Support(
            "experimental", f"no training result known here was measured on its architecture ({gpu.architecture})"
        )
    return FULL


def _of_table(engine: str, card: Card, kind: str) -> Support:
    row, named = verdict(engine, card, kind), ANSWERING.get(engine, engine)
    if row is None:
        return Support(
            "none", f"no document read here says that {named} runs {WRITTEN.get(kind, kind.upper())} weights on it"
        )
    if row.verdict == "yes":
        return FULL
    return Support(LEVELS[row.verdict], row.reason or f"the documentation of {named} rules it out")


def ended(gpu: GpuRecord) -> str:
    """The sentence about a card whose maker ended its support; "" where none says so."""
    last = gpu.last_supported_driver_or_toolkit
    if not last:
        return ""
    return last if any(word in last for word in NO_LONGER) else f"support ended with {last}"
