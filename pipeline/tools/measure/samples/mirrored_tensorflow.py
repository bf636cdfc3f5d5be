"""Data parallelism in TensorFlow: a strategy copies the model to every card and averages the gradients."""

from __future__ import annotations

import argparse

import tensorflow as tf


def build(strategy: tf.distribute.Strategy, width: int) -> tf.keras.Model:
    """Make the model inside the strategy's scope, so that every card gets a copy of its variables."""
    with strategy.scope():
        model = tf.keras.Sequential([tf.keras.layers.Dense(width, activation="gelu"), tf.keras.layers.Dense(1)])
        model.compile(optimizer="adam", loss="mse")
    return model


def train(model: tf.keras.Model, inputs: tf.Tensor, targets: tf.Tensor, batch: int) -> list[float]:
    """Train for ten epochs; `batch` is that of all cards together, and each card gets its share of it."""
    data = tf.data.Dataset.from_tensor_slices((inputs, targets)).batch(batch).prefetch(tf.data.AUTOTUNE)
    return [float(error) for error in model.fit(data, epochs=10, verbose=0).history["loss"]]


def main() -> None:
    """Read the command line and train on all cards of this machine."""
    parser = argparse.ArgumentParser(description="Train on all cards with TensorFlow.")
    parser.add_argument("--tiny", action="store_true")
    args = parser.parse_args()
    width, count = (16, 256) if args.tiny else (4096, 65536)
    strategy = tf.distribute.MirroredStrategy()
    inputs = tf.random.stateless_normal((count, width), seed=(0, 1))
    targets = tf.reduce_sum(inputs, axis=1, keepdims=True)
    errors = train(build(strategy, width), inputs, targets, 64 * strategy.num_replicas_in_sync)
    print(f"{strategy.num_replicas_in_sync} cards, loss: {errors[0]:.3f} at first, {errors[-1]:.3f} at last")


if __name__ == "__main__":
    main()
# ruff: noqa: T201
