"""Names for the types of PyTorch, which is imported only when the kit runs: to the type checker they are anything."""

from __future__ import annotations

from typing import Any, TypeAlias

Torch: TypeAlias = Any  # the module itself
Tensor: TypeAlias = Any
Model: TypeAlias = Any
Data: TypeAlias = Any  # a tensor, or several
Opaque: TypeAlias = Any  # devices, number formats, properties: passed on, never looked into
