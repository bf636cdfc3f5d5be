"""Memory and speed of a neural network on GPUs: the front door of the estimator."""

from pipeline.advise.estimate.estimator import (
    MOST_BATCH,
    MOST_GPUS,
    MOST_HOST_GB_S,
    around,
    as_json,
    checked,
    estimate,
    held_tokens,
    hosted,
    spread_of,
)
from pipeline.advise.estimate.types import Basis, Card, Estimate, EstimateError, Interval, Memory, Request
from pipeline.core.networks import Model

__all__ = [
    "MOST_BATCH",
    "MOST_GPUS",
    "MOST_HOST_GB_S",
    "Basis",
    "Card",
    "Estimate",
    "EstimateError",
    "Interval",
    "Memory",
    "Model",
    "Request",
    "around",
    "as_json",
    "checked",
    "estimate",
    "held_tokens",
    "hosted",
    "spread_of",
]
