"""From what people and frameworks call a number format, a price or a market to the word of the tables."""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import get_close_matches

from gpu_almanac.errors import UnknownFigureError

# Each word of the tables with the other names for it: of PyTorch, NumPy and JAX, of papers, and of data sheets.
INPUTS: Mapping[str, tuple[str, ...]] = {
    "fp64": ("float64", "double", "f64"),
    "fp32": ("float32", "float", "single", "f32"),
    "tf32": ("tensorfloat32", "tensorfloat"),
    "bf16": ("bfloat16", "bfloat", "brainfloat16"),
    "fp16": ("float16", "half", "f16"),
    "fp8": ("float8", "f8", "e4m3", "e4m3fn", "e4m3fnuz", "e5m2", "e5m2fnuz", "mxfp8"),
    "int8": ("i8",),
    "fp6": ("float6", "e3m2", "e2m3", "mxfp6"),
    "fp4": ("float4", "e2m1", "nvfp4", "mxfp4"),
}
ACCUMULATES: Mapping[str, tuple[str, ...]] = {
    **{word: INPUTS[word] for word in ("fp64", "fp32", "fp16")},
    "int32": ("i32", "int"),
}
SPARSITIES: Mapping[str, tuple[str, ...]] = {
    "dense": ("none", "no"),
    "sparse": ("structured", "sparsity", "2:4", "24"),
}
ENGINES: Mapping[str, tuple[str, ...]] = {
    "tensor": ("matrix", "tensorcore", "tensorcores", "matrixcore", "matrixcores", "mma", "xmx", "wmma", "mfma"),
    "vector": ("cuda", "cudacore", "cudacores", "shader", "shaders", "simd"),
}
PRICE_KINDS: Mapping[str, tuple[str, ...]] = {
    "new": ("retail", "buy", "shop"),
    "used": ("secondhand", "ebay"),
    "system": ("machine",),
    "rent": ("rental", "ondemand"),
    "marketplace": ("community",),
    "spot": ("interruptible", "preemptible"),
    "reserved": ("reservation", "committed"),
}
MARKETS: Mapping[str, tuple[str, ...]] = {"us": ("usa",), "eu": ("europe",), "uk": ("gb", "britain")}
LIBRARIES = re.compile(r"^(?:torch|np|numpy|jnp|jax\.numpy|tf|cupy|ml_dtypes)\.")


def word_of(text: object, known: Mapping[str, tuple[str, ...]], what: str) -> str:
    """The word of a table that a text means, as "bf16" for "torch.bfloat16" or "FP8 E4M3" for "fp8".

    UnknownFigureError suggests the nearest and lists all. A data type of a framework may stand for its name.
    """
    plain = re.sub(r"[\s_-]+", "", LIBRARIES.sub("", str(getattr(text, "__name__", text)).strip().casefold()))
    spelled = {spelling: word for word, others in known.items() for spelling in (word, *others)}
    # An exact name, or a format with the layout behind it: fp8e4m3, float8e5m2.
    layouts = {word + layout: word for word, others in known.items() for layout in others if layout[0] == "e"}
    layouts |= {f"float{spelling.removeprefix('fp')}": word for spelling, word in layouts.items()}
    found = (spelled | layouts).get(plain)
    if found is None:
        near = get_close_matches(plain, spelled, n=1, cutoff=0.6)
        hint = f"; did you mean {spelled[near[0]]}?" if near else "."
        raise UnknownFigureError(f"no {what} is called {text}{hint} There are: {', '.join(known)}")
    return found
