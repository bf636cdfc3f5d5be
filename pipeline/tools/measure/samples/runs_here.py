"""Ask PyTorch whether this card is in its build, and which of the fast paths it may take."""

from __future__ import annotations

import argparse

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention


def attends(backend: SDPBackend, device: torch.device, number_format: torch.dtype) -> bool:
    """Whether one way of computing attention runs on a device in a number format."""
    q = torch.randn(1, 8, 128, 64, device=device, dtype=number_format)
    try:
        with sdpa_kernel(backend):
            scaled_dot_product_attention(q, q, q, is_causal=True)
    except RuntimeError:
        return False
    return True


def report(device: torch.device) -> list[str]:
    """What to know of a device before you blame your own program, a line each."""
    lines = [f"PyTorch {torch.__version__}, CUDA {torch.version.cuda}, ROCm {torch.version.hip}"]
    if device.type == "cuda":
        lines += [
            f"{torch.cuda.get_device_name(device)}, capability {torch.cuda.get_device_capability(device)}",
            f"chips in this build: {' '.join(torch.cuda.get_arch_list())}",
            f"BF16 in the chip itself: {torch.cuda.is_bf16_supported(including_emulation=False)}",
        ]
    small = torch.randn(256, 256, device=device, dtype=torch.bfloat16)
    lines.append(f"a product in BF16: {(small @ small).float().abs().max().item():.0f}")
    ways = (SDPBackend.FLASH_ATTENTION, SDPBackend.CUDNN_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH)
    for backend in ways:
        lines.append(f"attention by {backend.name.lower()}: {attends(backend, device, torch.bfloat16)}")
    return lines


# ruff: noqa: T201
def main() -> None:
    """Read the command line and report."""
    parser = argparse.ArgumentParser(description="What runs on a device.")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--tiny", action="store_true")
    for line in report(torch.device(parser.parse_args().device)):
        print(line)


if __name__ == "__main__":
    main()
