"""GPU names as a driver prints them: which product is meant, given the memory that the driver shows beside the name.

For sources whose rows come from users' machines. A name that stands for no single product of ours (laptop parts,
graphics inside a processor, slices, a bin of an Apple chip) gives the reason why its rows are left out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

# Parts of names that the catalogue does not follow.
LEFT_OUT: Mapping[str, str] = {
    r"laptop|mobile|max-q design|notebook|\d{3,4}M\b|\bMX\d": "laptop part",
    r"radeon (graphics|\d{3}M|vega|8\d{3}S)|AMD Radeon$|iris|uhd|Arc( \d+V)?$|\[0x": "graphics inside a processor",
    r"MIG|vGPU|GRID|VF\b|-\d+Q$": "a slice of a GPU",
    r"GT 1030|GTX 1050$|GTX 1650 Ti|RTX 2050|P102|P2200|^Orin$": "a part that the catalogue does not follow",
    r"^(0GB|cpu|unknown)?$": "no card is named",
}
# Names that are sold with several memory sizes; the driver shows one to two GB less than the box says.
SIZES: Mapping[str, tuple[int, ...]] = {
    "RTX 3050": (6, 8),
    "RTX 3060": (8, 12),
    "RTX 3080": (10, 12),
    "RTX 4060 Ti": (8, 16),
    "RTX 5060 Ti": (8, 16),
    "RTX A2000": (6, 12),
    "RTX 2060": (6, 12),
    "GTX 1060": (3, 6),
    "Arc A770": (8, 16),
    "RX 9060 XT": (8, 16),
}
# Graphics cores of the largest variant of each chip: the only one that our entries describe.
APPLE_CORES: Mapping[str, int] = {
    "M1": 8,
    "M1 Pro": 16,
    "M1 Max": 32,
    "M1 Ultra": 64,
    "M2": 10,
    "M2 Pro": 19,
    "M2 Max": 38,
    "M2 Ultra": 76,
    "M3": 10,
    "M3 Pro": 18,
    "M3 Max": 40,
    "M3 Ultra": 80,
    "M4": 10,
    "M4 Pro": 20,
    "M4 Max": 40,
}
MARKS = re.compile(r"\((?:R|TM)\)")
APPLE = re.compile(r"Apple (?P<chip>M\d(?: \w+)?) [\dPE+]+\+(?P<cores>\d+)GPU")
# Spellings of drivers → ours, where the memory beside them does not decide.
SPELLINGS: Mapping[str, str] = {
    "NVIDIA H100 80GB HBM3": "H100 SXM 80GB",
    "NVIDIA A100-SXM4-80GB": "A100 SXM4 80GB",
    "NVIDIA A100-SXM4-40GB": "A100 SXM4 40GB",
    "NVIDIA A100 80GB PCIe": "A100 PCIe 80GB",
    "NVIDIA A100-PCIE-40GB": "A100 PCIe 40GB",
    "NVIDIA H200": "H200 SXM 141GB",
    "NVIDIA H100 NVL": "H100 NVL 94GB",
    "NVIDIA H100 PCIe": "H100 PCIe 80GB",
    "Tesla V100-SXM2-32GB": "V100 SXM2 32GB",
    "Tesla V100-SXM2-16GB": "V100 SXM2 16GB",
    "Tesla P100-SXM2-16GB": "P100 SXM2 16GB",
    "Tesla P100-PCIE-16GB": "P100 PCIe 16GB",
    "NVIDIA RTX PRO 6000 Blackwell Workstation Edition": "RTX PRO 6000 Blackwell Workstation Edition",
}


def product(name: str, memory_gb: float | None) -> tuple[str, str]:
    """The name of the product, or "" and why its rows are left out."""
    plain = re.sub(r"(?<=\w) (Graphics|GPU)$", "", " ".join(MARKS.sub(" ", name).split()))
    for pattern, reason in LEFT_OUT.items():
        if re.search(pattern, plain, re.IGNORECASE):
            return "", reason
    chip = APPLE.fullmatch(plain)
    if chip:
        whole = APPLE_CORES.get(chip["chip"]) == int(chip["cores"])
        return (f"Apple {chip['chip']}", "") if whole else ("", "a smaller variant of the chip")
    if plain in SPELLINGS:
        return SPELLINGS[plain], ""
    for short, sizes in SIZES.items():
        if re.search(rf"{short}$", plain):
            near = [size for size in sizes if memory_gb and size - 2 < memory_gb <= size + 0.5]
            return (f"{short} {near[0]}GB", "") if near else ("", "sold with several memory sizes, and none is stated")
    return plain, ""
