"""GPU Almanac for Python: peak rates, figures and prices of GPUs for deep learning, each with its source.

Use it where a script needs a denominator, a memory size or a price that somebody can look up again. It needs no other
package and no network: the data of one day is bundled, and every answer names that day.

>>> from gpu_almanac import peak_tflops
>>> peak = peak_tflops("H100 SXM", input="bf16")
>>> peak.gpu
'nvidia-h100-sxm5-80gb'
"""

from gpu_almanac.answers import Figure, Gpu, Peak, Price, Source, Utilisation
from gpu_almanac.errors import (
    AlmanacError,
    AmbiguousGpuError,
    AmbiguousPeakError,
    UnknownFigureError,
    UnknownGpuError,
)
from gpu_almanac.local import Local, detect
from gpu_almanac.lookup import gpu, gpus, mfu, peak_tflops, peaks, price, version
from gpu_almanac.names import resolve

__all__ = [
    "AlmanacError",
    "AmbiguousGpuError",
    "AmbiguousPeakError",
    "Figure",
    "Gpu",
    "Local",
    "Peak",
    "Price",
    "Source",
    "UnknownFigureError",
    "UnknownGpuError",
    "Utilisation",
    "detect",
    "gpu",
    "gpus",
    "mfu",
    "peak_tflops",
    "peaks",
    "price",
    "resolve",
    "version",
]
