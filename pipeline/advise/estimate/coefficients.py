"""`data/estimator/coefficients.json` in and out: fitted numbers with engine, build, points and interval."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from pipeline.advise.estimate.types import Coefficient, EstimateError
from pipeline.core.paths import DATA

PATH = DATA.data / "estimator" / "coefficients.json"
# An interval that rests on few points or sources, or on those of a wider class, is so much wider, on the logarithmic
# scale.
ROUGH = 1.25
EXPERTS = "decode experts"


@dataclass(frozen=True, slots=True)
class Spread:
    """How far measured values lie from estimates: quantiles of log(measured / estimated), each GPU left out."""

    p10: float
    p90: float
    points: int
    gpus: int
    sources: int = 1
    rough: bool = False  # too few points or sources: widened, and the answer says so


@dataclass(frozen=True, slots=True)
class PointSet:
    """The points of one source in the fit; predictions.csv names each of them."""

    engine: str
    build: str
    date: str
    points: int


@dataclass(frozen=True, slots=True)
class Coefficients:
    """Everything that the fit command wrote."""

    values: Mapping[str, Coefficient]
    spreads: Mapping[str, Spread]
    sets: Mapping[str, PointSet]

    def find(self, name: str) -> str | None:
        """The name under which this coefficient was fitted: its own, or the longest part of its path that has one."""
        while name not in self.values:
            name, _, last = name.rpartition(", ")
            if not last or not name:
                return None
        return name

    def borrowed(self, names: Iterable[str]) -> tuple[tuple[str, str], ...]:
        """Coefficients that no point of this engine build stands behind, with what stands in for them."""
        pairs = ((name, self.find(name)) for name in names)
        return tuple((name, other) for name, other in pairs if other is not None and other != name)

    def spread_name(self, *names: str) -> str:
        """The first class that has points; EstimateError when none has."""
        for name in names:
            if name in self.spreads:
                return name
        raise EstimateError(f"no measured point for {names[-1]}; run: python -m pipeline estimator-fit")

    def spread(self, *names: str) -> Spread:
        """The spread of the first class that has points, wider where one that pools others stands in for the first.

        Few points and standing in are two things not known: a rough class that stands in is widened for both. Sources
        left out of fit and width score 1.35 so, and 1.37 where a rough class is wide enough already (see `fit.spread`).
        """
        name = self.spread_name(*names)
        found = self.spreads[name]
        return wider(found) if name != names[0] and pools(name) else found


def wider(spread: Spread) -> Spread:
    """A spread as it holds for a class that has too few points of its own."""
    return replace(spread, p10=spread.p10 * ROUGH, p90=spread.p90 * ROUGH)


def pools(name: str) -> bool:
    """Whether a class pools what has efficiencies of its own: engines, back ends at work on prompts, kinds of memory.

    Of one dense stream of llama.cpp memory decides, and the class is that of its memory: with each GPU left out, 86 to
    100 % of the single streams for which it stands in lie inside as they are; of prompts and servers, 33 to 81 %
    (2026-11-27).
    """
    return not name.startswith("decode ") or name == EXPERTS


@lru_cache(maxsize=4)
def load(path: Path = PATH) -> Coefficients:
    """Read what the fit wrote; EstimateError says how to make it."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise EstimateError(
            "data/estimator/coefficients.json is not there; run: python -m pipeline estimator-fit"
        ) from None
    return Coefficients(
        {k: Coefficient(**_tuples(v)) for k, v in content["values"].items()},
        {k: Spread(**v) for k, v in content["spreads"].items()},
        {k: PointSet(**_tuples(v)) for k, v in content["sets"].items()},
    )


def text_of(coefficients: Coefficients) -> str:
    """Write them: sorted, rounded to what the points can tell, so that two fits of the same points are equal."""
    return json.dumps(_rounded(asdict(coefficients)), indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def _rounded(value: object) -> object:
    if isinstance(value, float):
        return float(f"{value:.4g}")
    if isinstance(value, dict):
        return {k: _rounded(v) for k, v in value.items()}
    return [_rounded(v) for v in value] if isinstance(value, list | tuple) else value


def _tuples(row: dict[str, Any]) -> dict[str, Any]:
    return {k: tuple(v) if isinstance(v, list) else v for k, v in row.items()}
