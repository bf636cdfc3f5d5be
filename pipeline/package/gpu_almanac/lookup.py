"""The questions that the package answers: a card, a peak, the share of a peak that a run used, a price."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from gpu_almanac.answers import Figure, Gpu, Peak, Price, Source, Utilisation
from gpu_almanac.errors import AmbiguousPeakError, UnknownFigureError
from gpu_almanac.formats import ACCUMULATES, ENGINES, INPUTS, MARKETS, PRICE_KINDS, SPARSITIES, word_of
from gpu_almanac.names import resolve
from gpu_almanac.store import table

# At these widths people mean the matrix units; FP32 and FP64 have a rate on either kind of unit.
MATRIX_INPUTS = ("tf32", "bf16", "fp16", "fp8", "int8", "fp6", "fp4")
# Operations that a training step spends on each parameter and token: two forward, four backward.
OPERATIONS_PER_PARAMETER_AND_TOKEN = 6
# A network with fewer is none that anyone trains here: somebody wrote 8 for 8 billion.
FEWEST_PARAMETERS = 1_000_000
ROUNDING = 1e-9  # what a product of floats may add to a share of exactly 100 %


def version() -> str:
    """The day of the bundled data, as "2026-11-22": the newest day on which a source was read."""
    found: str = table("about")["version"]
    return found


def gpus() -> tuple[str, ...]:
    """The ids of all GPUs, sorted."""
    return tuple(table("gpus"))


def gpu(name: str) -> Gpu:
    """Find one GPU by id, name or alias, with every figure and its source."""
    id = resolve(name)
    card = table("gpus")[id]
    identity = {name: card[name] for name in ("name", "vendor", "segment", "line", "architecture", "form_factor")}
    figures = {name: _figure(id, name, cells) for name, cells in card["figures"].items()}
    return Gpu(id=id, **identity, figures=figures, peaks=tuple(_peaks(id)), version=version(), address=_page(id))


def peaks(name: str) -> tuple[Peak, ...]:
    """Every peak rate of a GPU, stated and computed."""
    return tuple(_peaks(resolve(name)))


def peak_tflops(
    name: str,
    input: str = "bf16",
    accumulate: str | None = None,
    sparsity: str = "dense",
    engine: str | None = None,
    *,
    computed: bool = False,
) -> Peak:
    """Find the one peak rate that a name and the words of a rate mean.

    `input` is the type that is multiplied (fp64 fp32 tf32 bf16 fp16 fp8 int8 fp6 fp4), `accumulate` the type of the
    sums (fp64 fp32 fp16 int32), `sparsity` dense or sparse, `engine` tensor (matrix units) or vector; other names of
    a format work as well (bfloat16, half, torch.float16, fp8_e4m3). A word that is
    left out is asked for, with AmbiguousPeakError, where rows differ in it: an RTX 4090 sums FP16 products at half
    rate in FP32. `computed=True` also takes a rate by arithmetic where no source states one.
    """
    id = resolve(name)
    input = word_of(input, INPUTS, "number format")
    sparsity = word_of(sparsity, SPARSITIES, "kind of sparsity")
    accumulate = None if accumulate is None else word_of(accumulate, ACCUMULATES, "type of the sums")
    engine = None if engine is None else word_of(engine, ENGINES, "kind of unit")
    rows = [row for row in _peaks(id) if row.input == input and row.sparsity == sparsity]
    stated = [row for row in rows if row.basis == "stated"]
    wanted = _narrowed(stated, accumulate, engine, input) or (
        _narrowed([row for row in rows if row.basis == "computed"], accumulate, engine, input) if computed else []
    )
    if not wanted:
        raise UnknownFigureError(_nothing(id, input, accumulate, sparsity, engine, rows))
    if len({row.tflops for row in wanted}) > 1:
        raise AmbiguousPeakError(_which_rate(wanted, input))
    # Rows that agree: the one that sums in FP32, as training does.
    return min(wanted, key=lambda row: (row.accumulate != "fp32", row.accumulate))


def mfu(
    name: str,
    *,
    tflops: float | None = None,
    tokens_per_second: float | None = None,
    parameters: float | None = None,
    gpus: int = 1,
    input: str = "bf16",
    accumulate: str | None = None,
    computed: bool = False,
) -> Utilisation:
    """Work out the model FLOPs utilisation of a run against the dense peak of its GPU.

    Give what the run reached on all `gpus` together: either `tflops`, or `tokens_per_second` and the model's
    `parameters` (those that are active for a token), which count as 6 operations a parameter and token. ValueError for
    what is no amount above zero, for fewer than a million parameters, and for more than 100 %: then the denominator
    or the count of FLOPs is wrong.
    """
    counted = {"tokens_per_second": tokens_per_second, "parameters": parameters}
    given = [word for word, amount in counted.items() if amount is not None]
    if (tflops is not None and given) or (tflops is None and len(given) < len(counted)):
        raise ValueError("give either tflops, or tokens_per_second and parameters")
    if type(gpus) is not int or gpus < 1:  # a flag is no count
        raise ValueError(f"gpus = {gpus}: write how many GPUs took part, a whole number from 1 on")
    peak = peak_tflops(name, input, accumulate, computed=computed)
    if tflops is None:
        rate, size = (_above_zero(word, amount) for word, amount in counted.items())
        if size < FEWEST_PARAMETERS:
            raise ValueError(f"parameters = {size:g}: write the count itself, as 8e9 for 8 billion parameters")
        reached = OPERATIONS_PER_PARAMETER_AND_TOKEN * rate * size / 1e12
    else:
        reached = _above_zero("tflops", tflops)
    used = Utilisation(reached / (gpus * peak.tflops), reached, gpus, peak)
    if used.share > 1 + ROUNDING:
        share = f"{used.share:.0%}" if round(used.share, 2) > 1 else "a little more than 100%"
        raise ValueError(
            f"{reached:,.6g} {peak.unit} are {share} of {gpus} x {peak.tflops:g}: no run is faster than the peak. "
            f"The denominator is wrong ({peak.label}; is it this GPU, so many of them, this format?), or the count of "
            f"FLOPs (parameters active for a token; tokens of all GPUs together; recomputed work left out)"
        )
    return used


def _above_zero(word: str, amount: object) -> float:
    """An amount as a plain number; ValueError for a flag, a text, nan, infinity and what is not above zero."""
    if isinstance(amount, (bool, str)) or not hasattr(amount, "__float__"):
        raise ValueError(f"{word} = {amount}: write a number")
    number = float(amount)
    if not (math.isfinite(number) and number > 0):
        raise ValueError(f"{word} = {number:g}: write a number above zero")
    return number


def price(name: str, kind: str = "new", market: str = "us") -> Price:
    """Find what a GPU costs: `kind` is new, used, system, rent, marketplace, spot or reserved.

    `market` is us (dollars without sales tax), eu (euros with it) or uk (pounds with it). A rent is for an hour of one
    GPU. UnknownFigureError lists what is known where nobody was seen asking such a price.
    """
    id = resolve(name)
    kind = word_of(kind, PRICE_KINDS, "kind of price")
    market = word_of(market, MARKETS, "market")
    rows = table("prices").get(id, [])
    for row in rows:
        if (row["kind"], row["market"]) == (kind, market):
            told = row | {"doubts": tuple(row["doubts"])}
            return Price(gpu=id, **told, version=version(), address=f"{_page(id)}#prices")
    known = ", ".join(f"{row['kind']} in {row['market']}" for row in rows) or "none"
    raise UnknownFigureError(f"{id}: no price of the kind {kind} in the market {market}; known are: {known}")


def _figure(id: str, name: str, cells: Sequence[Any]) -> Figure:
    value, source, locator, read, differing = cells
    label, unit = table("about")["fields"][name]
    return Figure(name, label, value, unit, _source(source, locator, read), differing, f"{_page(id)}#claim-{name}")


def _peaks(id: str) -> Iterator[Peak]:
    card = table("gpus")[id]
    for row in table("peaks").get(id, ()):
        field, tflops, basis, clock_mhz, clock, source, locator, read = row
        input, accumulate, sparsity, engine = field.split(":")
        anchor = f"#claim-peak-{field.replace(':', '-')}" if basis == "stated" else "#peaks"
        yield Peak(
            id,
            card["name"],
            input,
            accumulate,
            sparsity,
            engine,
            tflops,
            basis,
            clock,
            clock_mhz,
            _source(source, locator, read),
            version(),
            f"{_page(id)}{anchor}",
        )


def _narrowed(rows: Sequence[Peak], accumulate: str | None, engine: str | None, input: str) -> list[Peak]:
    """The rows that fit the words; at 16 bit and below those of the matrix units, unless a word says otherwise."""
    fitting = [row for row in rows if accumulate in (None, row.accumulate) and engine in (None, row.engine)]
    matrix = [row for row in fitting if row.engine == "tensor"]
    return matrix if engine is None and matrix and input in MATRIX_INPUTS else fitting


def _source(number: int, locator: str, read: str) -> Source:
    title, kind, url, licence = table("sources")[number]
    return Source(title, kind, url, locator, read, licence)


def _page(id: str) -> str:
    return f"{table('about')['site']}gpus/{id}/"


def _which_rate(rows: Sequence[Peak], input: str) -> str:
    asked = [word for word in ("accumulate", "engine") if len({getattr(row, word) for row in rows}) > 1]
    listed = "; ".join(
        f"{', '.join(f'{word}={getattr(row, word)!r}' for word in asked)}: {row.tflops:g} {row.unit}" for row in rows
    )
    sums = " Sums of training run in FP32." if "accumulate" in asked else ""
    return f"{rows[0].name} has several {input.upper()} rates; say {' and '.join(asked)}. {listed}.{sums}"


def _nothing(
    id: str, input: str, accumulate: str | None, sparsity: str, engine: str | None, rows: Sequence[Peak]
) -> str:
    name = table("gpus")[id]["name"]
    asked = " ".join(
        word for word in (sparsity, input.upper(), accumulate and f"-> {accumulate.upper()}", engine) if word
    )
    worked = [row for row in rows if row.basis == "computed" and accumulate in (None, row.accumulate)]
    known = sorted({f"{row.input} {row.sparsity}" for row in _peaks(id) if row.basis == "stated"})
    if worked:
        step = f"by arithmetic it is {worked[0].tflops:g} {worked[0].unit}; pass computed=True to take it"
    else:
        step = f"stated are: {', '.join(known)}" if known else "no source states any peak of it"
    return f"{name}: no source states a {asked} rate; {step}"
