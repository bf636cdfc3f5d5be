"""Which product a driver's name means, by the memory beside it, and what stands for no single one."""

from __future__ import annotations

import pytest

from pipeline.intake import drivers


@pytest.mark.parametrize(
    ("name", "memory_gb", "product"),
    [
        ("NVIDIA GeForce RTX 3060", 12.0, "RTX 3060 12GB"),
        ("NVIDIA GeForce RTX 3060", 12.5, "RTX 3060 12GB"),
        ("NVIDIA GeForce RTX 3060", 12.6, ""),
        ("NVIDIA GeForce RTX 3060", 10.1, "RTX 3060 12GB"),  # a driver shows up to two less
        ("NVIDIA GeForce RTX 3060", 10.0, ""),
        ("NVIDIA GeForce RTX 3060", 8.5, "RTX 3060 8GB"),
        ("NVIDIA GeForce RTX 3060", 6.1, "RTX 3060 8GB"),
        ("NVIDIA GeForce RTX 3060", 6.0, ""),
        ("NVIDIA GeForce RTX 3060", None, ""),
        ("NVIDIA GeForce RTX 3060 Ti", 8.0, "NVIDIA GeForce RTX 3060 Ti"),
        ("NVIDIA H200", None, "H200 SXM 141GB"),
        ("Intel(R) Arc(TM) A770 Graphics", 16.0, "Arc A770 16GB"),
        ("NVIDIA GeForce RTX 4090", None, "NVIDIA GeForce RTX 4090"),
        ("Apple M2 Max 8P+4E+38GPU", 96.0, "Apple M2 Max"),
        ("Apple M2 Max 8P+4E+30GPU", 96.0, ""),
        ("Apple M2 8+10GPU", 16.0, "Apple M2"),
        ("NVIDIA GeForce RTX 4090 Laptop GPU", 16.0, ""),
        ("AMD Radeon Graphics", 8.0, ""),
        ("GRID T4-8Q", 8.0, ""),
        ("NVIDIA A100-SXM4-80GB MIG 1g.10gb", 10.0, ""),
        ("GTX 1050", 2.0, ""),
        ("GTX 1050 Ti", 4.0, "GTX 1050 Ti"),
        ("", None, ""),
        ("cpu", None, ""),
    ],
)
def test_a_driver_s_name_means_the_product_that_its_memory_tells(
    name: str, memory_gb: float | None, product: str
) -> None:
    found, why = drivers.product(name, memory_gb)
    assert found == product
    assert bool(why) is not bool(product)


def test_a_name_is_left_out_with_its_reason() -> None:
    names = ("GeForce MX450", "Intel Iris Xe", "RTX 3060", "Apple M2 8+8GPU")
    told = {name: drivers.product(name, None)[1] for name in names}
    assert list(told.values()) == [
        "laptop part", "graphics inside a processor", "sold with several memory sizes, and none is stated",
        "a smaller variant of the chip",
    ]  # fmt: skip
