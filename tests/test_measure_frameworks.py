"""The code samples of JAX, TensorFlow and Triton; each runs where its framework is installed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from pipeline.tools.measure import cli

SAMPLES = Path(cli.__file__).parent / "samples"
CALM = {**os.environ, "OMP_NUM_THREADS": "1", "TF_CPP_MIN_LOG_LEVEL": "3"}


def losses(name: str, **environment: str) -> tuple[int, float, float]:
    """Run a sample in its small size: how many devices it used, its first loss and its last."""
    command = [sys.executable, str(SAMPLES / f"{name}.py"), "--tiny"]
    done = subprocess.run(
        command, env={**CALM, **environment}, capture_output=True, text=True, timeout=300, check=False
    )
    found = re.search(r"(\d+) (?:devices|cards), loss: ([\d.]+) at first, ([\d.]+)", done.stdout)
    assert found, done.stderr
    return int(found[1]), float(found[2]), float(found[3])


def test_the_sample_of_jax_learns_the_same_on_one_device_and_on_four() -> None:
    pytest.importorskip("jax")
    one, first, last = losses("mesh_jax")
    four, *same = losses("mesh_jax", XLA_FLAGS="--xla_force_host_platform_device_count=4")
    assert (one, four) == (1, 4)
    assert last < 0.5 * first
    assert same == pytest.approx([first, last], rel=1e-2)


def test_the_sample_of_tensorflow_learns() -> None:
    pytest.importorskip("tensorflow")
    cards, first, last = losses("mirrored_tensorflow")
    assert cards >= 1
    assert last < 0.9 * first


def test_the_sample_of_triton_agrees_with_the_library() -> None:
    pytest.importorskip("triton")
    command = [sys.executable, str(SAMPLES / "tiles.py"), "--device", "cpu", "--tiny"]
    interpreted = {**CALM, "TRITON_INTERPRET": "1"}
    done = subprocess.run(command, env=interpreted, capture_output=True, text=True, timeout=300, check=False)
    found = re.search(r"largest difference from the library ([\d.e-]+)", done.stdout)
    assert found, done.stderr
    assert float(found[1]) < 1e-4
