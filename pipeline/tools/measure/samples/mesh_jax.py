"""Data parallelism in JAX: lay the batch out over a mesh of devices, and let the compiler insert the exchange."""

from __future__ import annotations

import argparse

import jax
from jax import numpy as jnp
from jax.sharding import Mesh, NamedSharding, PartitionSpec


def laid_out(weights: jax.Array, inputs: jax.Array, targets: jax.Array) -> tuple[jax.Array, ...]:
    """Copy the weights to every device and cut the batch into as many parts as there are devices."""
    mesh = Mesh(jax.devices(), ("data",))
    everywhere, cut = NamedSharding(mesh, PartitionSpec()), NamedSharding(mesh, PartitionSpec("data"))
    return jax.device_put(weights, everywhere), jax.device_put(inputs, cut), jax.device_put(targets, cut)


def loss(weights: jax.Array, inputs: jax.Array, targets: jax.Array) -> jax.Array:
    """The mean over the whole batch: because its parts lie on several devices, it costs an exchange."""
    return jnp.mean((inputs @ weights - targets) ** 2)


def train_step(weights: jax.Array, inputs: jax.Array, targets: jax.Array) -> tuple[jax.Array, jax.Array]:
    """One step of gradient descent, to be compiled with jax.jit; nothing in it speaks of devices."""
    error, gradient = jax.value_and_grad(loss)(weights, inputs, targets)
    return weights - 0.1 * gradient, error


def main() -> None:
    """Read the command line and train on all devices there are."""
    parser = argparse.ArgumentParser(description="Train on all devices with JAX.")
    parser.add_argument("--tiny", action="store_true")
    args = parser.parse_args()
    width, batch = (16, 64) if args.tiny else (4096, 8192)
    keys = jax.random.split(jax.random.key(0), 2)
    inputs = jax.random.normal(keys[0], (batch, width))
    targets = inputs @ jax.random.normal(keys[1], (width, 1))
    weights, inputs, targets = laid_out(jnp.zeros((width, 1)), inputs, targets)
    step, errors = jax.jit(train_step), []
    for _ in range(10):
        weights, error = step(weights, inputs, targets)
        errors.append(float(error))
    print(f"{jax.device_count()} devices, loss: {errors[0]:.3f} at first, {errors[-1]:.3f} after {len(errors)} steps")


if __name__ == "__main__":
    main()
# ruff: noqa: T201
