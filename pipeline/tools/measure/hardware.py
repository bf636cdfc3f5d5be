"""What a device is and what runs it: the provenance that every result carries."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from pipeline.tools.measure.device import Device
from pipeline.tools.measure.output import Yaml
from pipeline.tools.measure.power import nvidia_id

NVIDIA_FIELDS: dict[str, str] = {
    "driver": "driver_version",
    "memory_total_mib": "memory.total",
    "power_limit_w": "power.limit",
    "core_clock_max_mhz": "clocks.max.sm",
    "memory_clock_max_mhz": "clocks.max.mem",
    "pcie_generation": "pcie.link.gen.max",
    "pcie_lanes": "pcie.link.width.max",
    "ecc": "ecc.mode.current",
}
NOT_TOLD = ("", "[N/A]", "[Not Supported]", "N/A")


def name(device: Device) -> str:
    """Give the device's own name."""
    if device.kind in ("cuda", "xpu"):
        return str(device.properties.name)
    return host_cpu()  # an Apple chip's GPU has the name of the chip


def host_cpu() -> str:
    """Give the processor's name, as exactly as the system tells it."""
    if platform.system() == "Darwin":
        return _answer(["sysctl", "-n", "machdep.cpu.brand_string"]) or platform.machine()
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8", errors="replace").splitlines() if info.is_file() else []
    named = (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    return next(named, "") or platform.processor() or platform.machine()


def facts(device: Device) -> dict[str, Yaml]:
    """Describe the hardware; what cannot be read is left out."""
    memory = device.memory()
    counts = (getattr(device.properties, label, None) for label in ("multi_processor_count", "gpu_eu_count"))
    compute_units = next((int(count) for count in counts if count), None)
    return {
        "device": name(device),
        "backend": device.backend,
        "memory_gib": round(memory[1] / 2**30, 2) if memory else None,
        **_driver_facts(device),
        "compute_units": compute_units,
        "host_cpu": host_cpu(),
        "host_cpu_threads": os.cpu_count(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
    }


def software(device: Device) -> dict[str, Yaml]:
    """Name what the measurements ran on."""
    torch = device.torch
    return {
        "python": platform.python_version(),
        "torch": str(torch.__version__),
        "cuda": torch.version.cuda,
        "rocm": torch.version.hip,
        "xpu": getattr(torch.version, "xpu", None),
        "threads": torch.get_num_threads() if not device.is_gpu else None,
    }


def label(device: Device) -> str:
    """Name the software in one cell of a table."""
    torch = device.torch
    below = {"cuda": f"CUDA {torch.version.cuda}", "rocm": f"ROCm {torch.version.hip}", "mps": "MPS", "xpu": "XPU"}
    version = str(torch.__version__).split("+", maxsplit=1)[0]
    return f"PyTorch {version}, {below.get(device.backend, 'CPU')}"


def _driver_facts(device: Device) -> dict[str, Yaml]:
    if device.backend == "cuda" and shutil.which("nvidia-smi"):
        fields = ",".join(NVIDIA_FIELDS.values())
        line = _answer(
            ["nvidia-smi", f"--id={nvidia_id(device)}", f"--query-gpu={fields}", "--format=csv,noheader,nounits"]
        )
        values = [value.strip() for value in line.split(",")]
        if len(values) != len(NVIDIA_FIELDS):
            return {}
        return {key: value for key, value in zip(NVIDIA_FIELDS, values, strict=True) if value not in NOT_TOLD}
    if device.backend == "rocm":
        module = Path("/sys/module/amdgpu/version")
        return {"driver": module.read_text(encoding="utf-8").strip() if module.is_file() else None}
    if device.backend == "xpu":
        return {"driver": str(getattr(device.properties, "driver_version", "")) or None}
    return {"driver": platform.mac_ver()[0] or None} if device.backend == "mps" else {}


def _answer(command: Sequence[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True)  # noqa: S603
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip().splitlines()[0] if done.stdout.strip() else ""
