"""Holds a result against its float64 reference: a wrong result raises CheckFailed and has no rate."""

from __future__ import annotations

from collections.abc import Mapping

from pipeline.tools.measure.device import CheckFailed
from pipeline.tools.measure.kinds import Tensor

# Root mean square of the error over that of the reference. A format's rounding of inputs and result sets the scale
# (TF32 keeps 10 bits, BF16 7, FP16 10; FP8 inputs are rounded before the reference is made, so only sums and the
# BF16 result differ). FP32 is far below what TF32 would give, so TF32 left on by mistake fails here.
MATMUL_TOLERANCE: Mapping[str, float] = {
    "fp64": 1e-12,
    "fp32": 2e-5,
    "tf32": 2e-3,
    "fp16": 4e-3,
    "bf16": 1e-2,
    "fp8": 2e-2,
}
# Whole networks add up many roundings. In gradients a rounding also turns a few ReLUs over, which moves them by far
# more (CNN with batch normalisation in BF16: 0.2); a wrong gradient is off by 1 and more.
LOSS_TOLERANCE: Mapping[str, float] = {"fp32": 1e-4, "tf32": 2e-2, "fp16": 2e-2, "bf16": 5e-2}
GRADIENT_TOLERANCE: Mapping[str, float] = {"fp32": 2e-2, "tf32": 0.2, "fp16": 0.3, "bf16": 0.5}
SCORE_TOLERANCE: Mapping[str, float] = {"fp32": 1e-4, "tf32": 1e-2, "fp16": 1e-2, "bf16": 5e-2}


def relative_error(result: Tensor, reference: Tensor) -> float:
    """Compare two tensors: root mean square of the difference over that of the reference."""
    exact = _wide(reference.detach())  # first to the processor: Apple's GPUs have no float64
    size = exact.square().mean().sqrt().item()
    if not size > 0:
        raise CheckFailed("the reference is zero or no number; the inputs were not random")
    return float((_wide(result.detach()) - exact).square().mean().sqrt().item() / size)


def must_agree(result: Tensor, reference: Tensor, tolerance: float, what: str) -> float:
    """Refuse a result further from its reference than the tolerance; a NaN is as far as can be."""
    error = relative_error(result, reference)
    if not error <= tolerance:
        raise CheckFailed(f"{what}: off by {error:.2g} of the float64 reference, {tolerance:g} is allowed")
    return error


def must_be_random(tensor: Tensor) -> None:
    """Refuse inputs that are all alike: zeros cost less power and run faster than numbers do."""
    values = tensor.float()
    if not values.std().item() > 0:
        raise CheckFailed("the inputs are all alike; measure with random ones")


def check_product(a: Tensor, b: Tensor, result: Tensor, precision: str) -> float:
    """Check a matrix product at 64 rows and 64 columns, spread over it, against float64 on the processor."""
    must_be_random(a)
    must_be_random(b)
    rows = slice(None, None, max(1, a.shape[0] // 64))
    columns = slice(None, None, max(1, b.shape[1] // 64))
    exact = _wide(a[rows]) @ _wide(b[:, columns])
    return must_agree(result[rows][:, columns], exact, MATMUL_TOLERANCE[precision], f"{precision} product")


def _wide(tensor: Tensor) -> Tensor:
    """Bring a tensor to float64 on the processor; one-byte formats go through FP32, which loses nothing."""
    near = tensor.cpu()
    return (near.float() if near.element_size() == 1 else near).double()
