"""What kind of run a result was: its number format in one spelling, its division, its engine, the model that ran.

Sources write these in words of their own ("F16", "MXFP4", "{'fp8'}"). The tables below turn them into ours, in one
place for all sources; a word that stands in no table fails the build.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from pipeline.core.measured.metrics import PACKED
from pipeline.core.schema import Result

# A source's word for a number format, in lower case → our format, and how the weights are packed in it where the
# format alone does not say. `mixed` has several formats in one network.
PRECISIONS: Mapping[str, tuple[str, str]] = {
    "": ("", ""),
    "fp64": ("fp64", ""),
    "fp32": ("fp32", ""),
    "float32": ("fp32", ""),
    "f32": ("fp32", ""),
    "tf32": ("tf32", ""),
    "bf16": ("bf16", ""),
    "bfloat16": ("bf16", ""),
    "fp16": ("fp16", ""),
    "f16": ("fp16", ""),
    "float16": ("fp16", ""),
    "fp8": ("fp8", ""),
    "float8": ("fp8", ""),
    "f8": ("fp8", ""),
    "mxfp8": ("fp8", "mxfp8"),
    "fp6": ("fp6", ""),
    "fp4": ("fp4", ""),
    "nvfp4": ("fp4", "nvfp4"),
    "mxfp4": ("fp4", "mxfp4"),
    "int8": ("int8", ""),
    "8bit": ("int8", "8bit"),
    "q8_0": ("int8", "q8_0"),
    "w8a8": ("int8", "w8a8"),
    "int4": ("int4", ""),
    "uint4": ("int4", ""),
    "4bit": ("int4", "4bit"),
    "awq": ("int4", "awq"),
    "gptq": ("int4", "gptq"),
    "w4a16": ("int4", "w4a16"),
    "amp": ("fp16", ""),  # PyTorch's automatic mixed precision: the 16-bit format, as in data/benchmarks/README.md
    "mixed": ("mixed", ""),
}
WHOLE = re.compile(r"int[1-8]")
SEVERAL = re.compile(r"[,:/]")
MARKS = re.compile(r"\s*([,:])\s*")
# The program in a result's description of its software: the first pattern that is found names it.
ENGINES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), engine)
    for pattern, engine in (
        (r"deepsparse", "DeepSparse"),
        (r"sglang", "SGLang"),
        (r"\bvllm", "vLLM"),
        (r"tensorrt-llm", "TensorRT-LLM"),
        (r"tensorrt", "TensorRT"),
        (r"^ollama", "Ollama"),
        (r"llama\.cpp|llama-bench|llamafile", "llama.cpp"),
        (r"\bmlx\b", "MLX"),
        (r"exllama", "ExLlama"),
        (r"openvino", "OpenVINO"),
        (r"onnx", "ONNX Runtime"),
        (r"xdit|xfuser", "xDiT"),
        (r"kiss-v", "KISS-V"),
        (r"megatron|nemo", "NeMo"),
        (r"maxtext", "MaxText"),
        (r"\bjax\b", "JAX"),
        (r"tensorflow", "TensorFlow"),
        (r"gpu-stream", "gpu-stream"),
        (r"pytorch|\btorch\b", "PyTorch"),
    )
)
DIVISION = re.compile(r"mlperf-(?:inference|training)-v[\d.]+(?P<open>-open)?")
# Adapters on a base in four bits: the precision of such a result is that of the adapters and of the sums.
FOUR_BIT_BASE = re.compile(r"\bq-?lora\b", re.IGNORECASE)
# A format that the name of a network says: "llama3_1-70b-fp8_dyn", "laguna-xs-2.1:mxfp8".
NAMED = re.compile(r"(?:^|[-_ :/])(mxfp[48]|nvfp4|fp(?:4|8|16)|bf16)(?=$|[-_ ,:.])", re.IGNORECASE)
SPARSE = re.compile(r"\bspars(?:e|ity)\b", re.IGNORECASE)


class ResultError(ValueError):
    """A result in words that no table knows; the message names the place, the word and the next step."""


def classified(results: Iterable[Result]) -> Iterator[Result]:
    """Give every result our words for what kind of run it was; ResultError for a format that no table knows."""
    for result in results:
        precision, quantisation = _precision(result)
        yield replace(
            result,
            precision=precision,
            quantisation=result.quantisation or quantisation or _base(result),
            division=result.division or _division(result.set),
            sparsity=result.sparsity or ("sparse" if SPARSE.search(result.software) else ""),
            engine=result.engine
            or next((engine for pattern, engine in ENGINES if pattern.search(result.software)), ""),
        )


def _precision(result: Result) -> tuple[str, str]:
    word = result.precision.lower().strip()
    if not word and result.workload == "inference" and (named := NAMED.search(result.model)):
        word = named[1].lower()
    if word in PRECISIONS:
        return PRECISIONS[word]
    if WHOLE.fullmatch(word):
        return word, ""
    packed = PACKED.fullmatch(word)
    if packed:
        return f"int{packed['bits']}", word
    if SEVERAL.search(word):
        return "mixed", MARKS.sub(r"\1 ", word)
    raise ResultError(
        f"{result.source} ({result.locator}): precision = {result.precision!r} is no format that we know; "
        f"add it to PRECISIONS in pipeline/record/results.py"
    )


def _base(result: Result) -> str:
    return "4bit" if any(FOUR_BIT_BASE.search(words) for words in (result.model, result.batch)) else ""


def _division(set: str) -> str:
    found = DIVISION.fullmatch(set)
    return "" if not found else "open" if found["open"] else "closed"
