"""What the code says of twelve recorded GPUs, area by area: pages, charts, prices, answers, estimates.

Only `told.py` imports this, once the data are the recorded ones, and keeps the marks of what it says.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from functools import partial
from importlib import import_module

from ten import FOLDER, ten

from pipeline.advise import comparison
from pipeline.advise.choose import NeedError, calculators, choose, parse
from pipeline.advise.choose.presenter import as_text, view
from pipeline.advise.choose.questions import questions
from pipeline.advise.estimate import EstimateError, Request, coefficients, estimate, inputs, models
from pipeline.advise.verdict import verdict
from pipeline.core.schema import Claim, Result
from pipeline.dataset import GpuRecord
from pipeline.derive import experiments, metrics, news, quality, rivals
from pipeline.derive.prices.quote import BUYING, ON_DEMAND, quotes
from pipeline.derive.prices.rules import MARKETS
from pipeline.editorial import guide
from pipeline.intake.sources import MODULES
from pipeline.record import build
from pipeline.record.reconcile import reconcile
from pipeline.site.charts.listed import CHARTS
from pipeline.site.pages import listed
from pipeline.site.render import Page

# Pages that are about the sources and the project and not about these GPUs.
OTHER_PAGES = frozenset(
    f"pipeline.site.pages.{name}"
    for name in ("guide", "statements", "downloads", "sources", "unplaced", "how_we_test", "dictionary", "validation")
)
TRANSLATED = "javascripts/"
# The tables of the rooms that decide: factors, bits, widths, generations and what an amount may be.
TABLES: Mapping[str, str] = {
    "advise.choose.answer": "CONSTANTS CIRCUITS",
    "advise.choose.calculators.picture": "STEPS",
    "advise.choose.picture": "STEPS",
    "advise.estimate.core": "CACHE_BITS",
    "advise.estimate.engines": "TIMES DRIVER_SHARE",
    "advise.estimate.fit": "AT_LEAST",
    "advise.estimate.inputs": "FASTEST_GDDR",
    "advise.estimate.memory": "OPTIMIZER_BYTES",
    "advise.estimate.speed": "ROOFS BUSY_FROM",
    "advise.estimate.types": "PEAKS TRAINED_SUMS PCIE_GB_S",
    "advise.estimate.validation": "BYTES TARGETS GOALS",
    "advise.estimate.weights": "BITS",
    "core.constants": "SCALES",
    "core.measured.plausible": "BYTES_OF",
    "core.networks": "LIMITS",
    "core.schema": "PRECISIONS",
    "core.suggest": "MOST",
    "core.units": "NOMINAL",
    "derive.metrics": "WEIGHT_BYTES",
    "intake.drivers": "SIZES APPLE_CORES",
    "intake.price_list": "TOO_LOW",
    "intake.sources.anycloud_catalog": "AZURE_FRACTIONS GCP_HOSTS CORES_PER_CHIP",
    "intake.sources.aws_p5_price_history": "MACHINES",
    "intake.sources.fsdl_cloud_gpus": "CHIPS_PER_BOARD",
    "intake.sources.lambda_deeplearning_benchmark": "V100_FORMS",
    "intake.sources.lincoln_ai_accelerators": "FLOORS",
    "intake.sources.wikipedia_gpu_info": "SLOTS",
    "package.gpu_almanac.local": "MEMORY_TOLERANCE",
    "package.gpu_almanac.lookup": "FEWEST_PARAMETERS ROUNDING",
    "package.gpu_almanac.names": "SUGGESTIONS LIKENESS",
    "record.difference": "MOST_LINES",
    "record.judge": "GIB WEIGHT_BYTES",
    "record.reconcile": "KIND_RANK",
    "record.validate.memory": "CHIP_GB STACK_GB CHIP_SINCE",
    "record.validate.physics": "PIN_RATE_GBPS FP32_OPS_PER_CORE_CLOCK AGAINST_FP16",
    "record.validate.products": "PCIE_GENERATIONS",
    "record.validate.silicon": "DENSITY PROCESSES",
    "site.charts.fits_on": "LOW HIGH TICKS",
    "site.charts.history": "ROOM",
    "site.charts.measured_peak": "BAR",
    "site.charts.roofline": "WORK",
    "site.charts.work_per_dollar": "UNITS",
    "site.pages.benchmarks": "FIRST BAR",
    "site.pages.picks": "LEVEL FAR THIN",
    "site.pages.preview": "FEW",
    "site.pages.table": "LISTED_FIRST",
    "site.pages.unplaced": "NAMES_SHOWN",
    "site.shared": "MOST_FIGURES FAINT",
    "tools.sheet.words": "FP32_BY_RATIO DENSE_OVER_16_BIT",
}
# Lists of chapters are made of the recorded chapters too.
guide.written = partial(guide.written, FOLDER / "guide")

Told = Iterator[tuple[str, object]]  # what it is → anything that its words or figures show


def pages() -> Told:
    """Every page and file, a part of a page for itself.

    What is translated for the browser is left out: it changes with the name of a helper, and `test_scripts.py` holds
    its answers to those of Python.
    """
    for kind in listed.PAGES:
        if kind.__module__ not in OTHER_PAGES:
            for file in kind(ten()):
                if file.file.startswith(TRANSLATED):
                    continue
                text = file.text()
                if isinstance(file, Page):
                    for number, part in enumerate(re.split(r"(?=<h2)", text)):
                        named = re.search(r'<h2[^>]* id="([^"]+)"', part)
                        yield f"{file.file} {named[1] if named else number}", part
                else:
                    yield file.file, text


def charts() -> Told:
    """The rows behind every chart and its finding."""
    for chart in CHARTS:
        drawn = chart.draw(ten())
        yield chart.id, [drawn.finding, drawn.heads, list(drawn.rows)]


def prices() -> Told:
    """What every GPU costs in every market, new, used and by the hour, now and month by month."""
    book = quotes(ten())
    for gpu, market in itertools.product(ten().gpus, MARKETS):
        for kind in (*BUYING, *ON_DEMAND):
            quote = book.quote(gpu, kind, market)
            yield (
                f"{gpu} {market} {kind}",
                [quote, quote.words, quote.alone, quote.cautions, quote.tax_words, book.months(gpu, kind, market)],
            )
        yield f"{gpu} {market}", [book.to_buy(gpu, market), book.to_rent(gpu, market), book.against_launch(gpu)]


def pairs() -> Told:
    """Every card against every other."""
    for one, two in itertools.permutations(ten().gpus.values(), 2):
        yield f"{one.id} {two.id}", [verdict(ten(), one, two), quotes(ten()).both_to_rent(one.id, two.id)]


def answers() -> Told:
    """Every written question, in every market that it is asked in."""
    for question in questions():
        try:
            answer = choose(ten(), parse(question.asked))
        except NeedError as error:
            yield question.id, str(error)
        else:
            yield question.id, [view(answer), as_text(answer)]


def calculated() -> Told:
    """Every calculator, for every card with its first question, and with each choice of its inputs."""
    prepared = calculators.known(ten())
    for name, calculator in calculators.CALCULATORS.items():
        cards = [{"gpu": gpu} for gpu in prepared.stated]
        choices = [{field.name: word} for field in calculator.fields for word, _ in field.choices]
        for asked in ({}, *cards, *choices):
            try:
                told: object = [calculators.answered(name, asked, prepared), calculators.ranked(name, asked, prepared)]
            except NeedError as error:
                told = str(error)
            yield f"{name} {asked}", told


REQUESTS = (
    Request(quant="q4_k_m"),
    Request(quant="f16", engine="vllm", batch=16, context=4096),
    Request(quant="int4", engine="vllm", batch=65, gpus=2, context=2048),
    Request(quant="q4_k_m", gpus=4, context=32_768, kv_bits=8),
    Request(quant="f16", task="full", gpus=8),
    Request(quant="int4", task="qlora"),
)


def estimates() -> Told:
    """Memory and speed of every card for some networks and requests, and the measured points that are read."""
    cards, known = inputs.cards(ten()), models.load()
    points = inputs.points(ten(), known)
    yield "points", points
    fitted = coefficients.load()
    for card, model in itertools.product(cards.values(), ("llama-3.1-8b-instruct", "qwen3-30b-a3b", "llama-3.3-70b")):
        for number, request in enumerate(REQUESTS):
            try:
                told: object = estimate(card, known.find(model), request, fitted, points.measured)
            except (EstimateError, KeyError) as error:
                told = str(error)
            yield f"{card.id} {model} {number}", told


def measured(gpu: GpuRecord) -> list[Result]:
    """Its results that hold a figure."""
    return [row for row in gpu.benchmarks if row.value is not None]


def derived() -> Told:
    """What follows from the figures of every GPU."""
    for gpu in ten().gpus.values():
        yield (
            gpu.id,
            [
                metrics.sixteen_bit(gpu),
                metrics.memory_bandwidth(gpu),
                metrics.weights_that_fit(gpu),
                metrics.sweeps_per_second(gpu),
                metrics.operations_per_byte(gpu),
                quality.grade(gpu),
                sorted(quality.price_dates(gpu)),
                [experiments.best_of_each(runs) for runs in experiments.by_experiment(measured(gpu)).values()],
            ],
        )
    yield "quality", [list(quality.counts(ten(), list(ten().gpus.values()))), sorted(quality.flags(ten()).items())]
    yield "news", [[gpu.id for gpu in news.new_cards(ten())], news.corrected(ten())]
    yield "rivals", [(one.id, two.id) for one, two in rivals.pairs(ten(), list(ten().gpus.values()))]


def decided() -> Told:
    """Every field anew from what the sources say."""
    claims = [Claim(**{field.name: getattr(row, field.name) for field in fields(Claim)}) for row in ten().claims]
    for gpu, record in reconcile(claims, build.ancestry(MODULES)).items():
        for field, decision in record.items():
            yield f"{gpu} {field}", decision


def compared() -> Told:
    """By how much one figure leads another, in words; the rest of the compare page is among `pages`."""
    for one, other in ((1.0, 1.0), (1.04, 1.0), (1.06, 1.0), (2.0, 1.0), (1.0, 3.0)):
        yield f"{one} {other}", comparison.lead(one, other)


def tables() -> Told:
    """Each entry of the tables that decide something."""
    for module, names in TABLES.items():
        for name in names.split():
            table = getattr(import_module(f"pipeline.{module}"), name)
            rows = (
                table.items()
                if isinstance(table, Mapping)
                else enumerate(table if isinstance(table, tuple) else [table])
            )
            yield from ((f"{module}.{name} {key}", value) for key, value in rows)


AREAS: Mapping[str, Callable[[], Told]] = {
    told.__name__: told
    for told in (pages, charts, prices, pairs, answers, calculated, estimates, derived, decided, compared, tables)
}
