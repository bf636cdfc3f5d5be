"""How long a picture takes with an image model that nobody measured over several cards, for chapters and picks.

One measured run is carried over: to another model by the work of a pass through it, and to another card by the rates at
which both cards run SDXL. Which run, models and cards those are, and the formulas, stands in the rules.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Protocol, TypeVar

from pipeline.advise import rules
from pipeline.advise.estimate import models
from pipeline.core import constants
from pipeline.dataset import Dataset

Number = TypeVar("Number")
RULES: Mapping[str, Any] = rules.room("picks")["pictures"]
SDXL: Mapping[str, str] = rules.room("choose")["measured_tasks"]["image"]
MEASURED: Mapping[str, Any] = RULES["measured"]


class KnownRates(Protocol[Number]):
    """Where the figures come from: plain numbers for a pick, figures with their sources for a chapter."""

    def model(self, name: str, measure: str) -> Number:
        """A measure of a neural network."""
        ...

    def constant(self, name: str) -> Number:
        """A figure of data/constants.yml."""
        ...

    def rate(self, gpu: str) -> Number:
        """The measured steps a second of SDXL."""
        ...

    def worked(self, expression: str, **values: Number | float) -> Number:
        """What an expression of the rules comes to."""
        ...


def seconds(of: KnownRates[Number], gpu: str, model: str) -> Number:
    """The denoising of one picture on a GPU, estimated; the text encoder and the image decoder come on top."""
    of_run = model == MEASURED["model"]
    row = MEASURED if of_run else next(row for row in RULES["models"] if row["model"] == model)
    return of.worked(
        RULES["seconds"],
        passes=1 if of_run else row["passes"],
        steps=row["steps"] if of_run else of.constant(row["steps"]),
        work=1 if of_run else work(of, row),
        base=1 if of_run else work(of, MEASURED),
        rate=of.constant(MEASURED["rate"]),
        there=of.rate(MEASURED["gpu"]),
        here=of.rate(gpu),
    )


def rough(value: float) -> float:
    """The two digits that such an estimate is worth."""
    return float(f"{value:.2g}")


def work(of: KnownRates[Number], row: Mapping[str, Any]) -> Number:
    """The operations of one pass through a model, for one picture."""
    tokens = of.worked(
        RULES["tokens"], side=RULES["side"], k=of.constant("flux-token-side"), x=of.constant("flux-text-tokens")
    )
    shape = {"l": "layers", "h": "hidden_size", "f": "feed_forward_size"}
    shown = {name: of.model(row["model"], measure) for name, measure in shape.items()}
    return of.worked(RULES["work"], n=tokens, m=row["m"], **shown)


@dataclass(frozen=True, slots=True)
class Line:
    """A model and the seconds of one picture with it on each card."""

    name: str
    licence: str
    gib: float | None  # of its weights at `bits`; None of the measured models, whose cards hold them in more
    steps: int
    twice: bool  # whether a step is known to run the network with the words and without them
    seconds: tuple[float, ...]
    measured: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """The estimates beside what was measured."""

    cards: tuple[tuple[str, str], ...]  # id and name
    lines: tuple[Line, ...]
    side: int
    bits: float


def table(dataset: Dataset, picked: Mapping[str, float] = MappingProxyType({})) -> Table | None:
    """The measured models, then the estimated ones, on the picks and the cards that the rules name, the slowest first.

    `picked` holds the steps a second of SDXL that a pick is counted with, where no source measured them. None without
    the figures of the models.
    """
    plain, known = Plain(dataset, picked), models.load().models
    named = dict.fromkeys((*RULES["cards"], *picked))
    shown = tuple(sorted((gpu for gpu in named if gpu in picked or plain.has_rate(gpu)), key=plain.rate))
    names = {row["model"] for row in RULES["models"]} | {MEASURED["model"], SDXL["memory_of"]}
    if not plain.has_rate(MEASURED["gpu"]) or not names <= set(known):
        return None
    cards = tuple((gpu, dataset.gpus[gpu].name.removeprefix(f"{dataset.gpus[gpu].vendor} ")) for gpu in shown)
    return Table(
        cards, (_sdxl(plain, shown), _flux(plain, shown), *_estimated(plain, shown)), RULES["side"], RULES["bits"]
    )


def _sdxl(plain: Plain, gpus: tuple[str, ...]) -> Line:
    found = models.load().models[SDXL["memory_of"]]
    measured = tuple(map(plain.has_rate, gpus))
    taken = [RULES["sdxl_steps"] / plain.rate(gpu) for gpu in gpus]
    shown = tuple(one if known else rough(one) for one, known in zip(taken, measured, strict=True))
    return Line(found.name, found.licence, None, RULES["sdxl_steps"], False, shown, measured)


def _flux(plain: Plain, gpus: tuple[str, ...]) -> Line:
    """The measured run itself and those of single owners; where nobody measured it, it is carried over as well."""
    found, own = models.load().models[MEASURED["model"]], MEASURED["own"]

    def taken(gpu: str) -> float:
        if gpu in own:
            return plain.constant(own[gpu])
        carried = seconds(plain, gpu, MEASURED["model"])
        return carried if gpu == MEASURED["gpu"] else rough(carried)

    measured = tuple(gpu in own or gpu == MEASURED["gpu"] for gpu in gpus)
    return Line(found.name, found.licence, None, MEASURED["steps"], False, tuple(map(taken, gpus)), measured)


def _estimated(plain: Plain, gpus: tuple[str, ...]) -> tuple[Line, ...]:
    def line(row: Mapping[str, Any]) -> Line:
        found = models.load().models[row["model"]]
        gib = (found.stated_parameters_billion or 0) * 1e9 * RULES["bits"] / 8 / 2**30
        taken = tuple(rough(seconds(plain, gpu, row["model"])) for gpu in gpus)
        steps, twice = int(plain.constant(row["steps"])), row["passes"] > 1
        return Line(found.name, found.licence, gib, steps, twice, taken, (False,) * len(gpus))

    return tuple(map(line, RULES["models"]))


@dataclass(frozen=True, slots=True)
class Plain:
    """The figures as numbers."""

    dataset: Dataset
    picked: Mapping[str, float] = field(default_factory=dict)  # steps a second of SDXL where none was measured

    def model(self, name: str, measure: str) -> float:
        """As `KnownRates` says."""
        return float(getattr(models.load().models[name], measure))

    def constant(self, name: str) -> float:
        """As `KnownRates` says."""
        return constants.load()[name].value

    def rate(self, gpu: str) -> float:
        """As `KnownRates` says."""
        measured = next((r.number for r in self.dataset.gpus[gpu].benchmarks if _is_sdxl(r)), None)
        return self.picked[gpu] if measured is None else measured

    def has_rate(self, gpu: str) -> bool:
        """Whether a source measured it."""
        return gpu in self.dataset.gpus and any(map(_is_sdxl, self.dataset.gpus[gpu].benchmarks))

    def worked(self, expression: str, **values: float) -> float:
        """As `KnownRates` says."""
        return float(rules.formula(expression)(values))


def _is_sdxl(result: Any) -> bool:  # noqa: ANN401 (a row of the benchmarks)
    named = (result.set, result.model, result.batch) == (SDXL["source"], SDXL["model"], SDXL["batch"])
    return named and result.gpu_count == 1 and result.value is not None and not result.flag
