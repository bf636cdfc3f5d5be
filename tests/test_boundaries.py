"""Every number that decides something.

Other tests at a boundary take the number from its module and so prove the comparison; the table proves the number. To
move a limit, move it where it stands and here: somebody reads the reason twice.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date, timedelta
from importlib import import_module
from itertools import starmap
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

import pytest
from samples import book, price, record, result
from test_judge import card as four_cards
from test_judge import flag, run
from test_outliers import flagged, months

from pipeline.advise.choose import hosts, market, resale
from pipeline.advise.choose.calculators import buy_or_rent
from pipeline.advise.estimate import core, fit, inputs, measured, models, points, tensors, training
from pipeline.advise.estimate.engines import find
from pipeline.advise.estimate.points import Point
from pipeline.advise.estimate.shapes import format_of, shape_of
from pipeline.advise.estimate.types import Card, Request
from pipeline.advise.holding import is_tight
from pipeline.advise.rules import gib, room
from pipeline.core import documents, gpus, identity, makers, wording, yaml_text
from pipeline.core.currencies import Currency
from pipeline.core.networks import Model
from pipeline.core.paths import ROOT
from pipeline.core.schema import Claim, parse_peak
from pipeline.dataset import Dataset
from pipeline.derive import experiments, metrics, news, quality, rivals
from pipeline.derive.prices import history, quote, staleness
from pipeline.editorial import guide, pictures, statements
from pipeline.intake import drivers, last_reading, price_list
from pipeline.intake.results import mark_super_linear
from pipeline.intake.sources import wikipedia_gpu_info
from pipeline.package.gpu_almanac import local
from pipeline.record import judge
from pipeline.record.reconcile import Ancestry, agree, reconcile
from pipeline.record.results import classified
from pipeline.record.validate.base import Evidence
from pipeline.record.validate.observations import price_is_sound, rent_is_plausible
from pipeline.record.validate.physics import bus_matches_bandwidth, clocks_are_in_order
from pipeline.site import shared
from pipeline.site.charts import fits_on, what_fits
from pipeline.site.pages import facts, families, pairs, peaks
from pipeline.site.render import Shared
from pipeline.tools.sheet import read_pdf

# Module below `pipeline` → constant → value.
LIMITS: dict[str, dict[str, object]] = {
    "core.documents": {"MAX_BYTES": 2000000, "NEAR": 0.7},
    "core.gpus": {"MAX_LATIN": 127, "SHORTEST_WORD": 5, "SLIP": 2},
    "core.measured.plausible": {"CLOCK_MARGIN": 1.15, "BANDWIDTH_MARGIN": 1.02, "FAR_BELOW": 0.7},
    "core.theory": {"OFF": 0.02},
    "core.identity": {"FAMILY": 5, "SHORTEST": 2, "MOST_WORDS": 9},
    "core.wording": {"SIGNIFICANT": 3},
    "core.yaml_text": {"DEEPEST": 20},
    "intake.last_reading": {
        "FEWEST_ROWS": 0.8,
        "MOST_ROWS": 1.75,
        "FEWEST_KEYS": 0.75,
        "ENOUGH_ROWS": 8,
        "ENOUGH_BYTES": 500,
        "ENOUGH_VALUES": 5,
        "MOST_SHIFT": 1.5,
        "MOST_SHIFT_OF_FACTS": 1.05,
        "MOST_JUMP": 5.0,
        "MOST_JUMP_OF_RESULTS": 1.25,
        "MOST_JUMP_OF_FACTS": 1.5,
        "MOST_DAYS": 31,
    },
    "intake.price_list": {
        "ENOUGH": 5,
        "TOO_HIGH": 4.0,
        "JUMP": 1 / 3,
        "FAR_TIMES": 5,
        "CHEAPEST": 3,
        "ON_SALE_SHARE": 1 / 3,
    },
    "intake.price_sets": {"MOST_TAX": 30, "LONGEST": 200},
    "intake.results": {"SUPER_LINEAR": 1.5},
    "record.corrections": {"FEWEST_WORDS": 4},
    "record.judge": {
        "LESSER_CARDS": 5,
        "OPS_IMAGE": 2,
        "OPS_IMAGE_TRAINED": 6,
        "FAST_CONVOLUTION": 4,
        "SIDE": 224,
        "HELD_BACK_SHARE": 0.7,
        "DOUBTED_SHARE": 0.25,
        "CLOCK_MARGIN": 1.15,
        "BANDWIDTH_MARGIN": 1.02,
        "SMALLEST": 0.5,
        "OPS_INFERENCE": 2,
        "OPS_TRAINING": 6,
        "OPS_ADAPTER": 4,
    },
    "record.outliers": {"AROUND": 3, "KNOWN": 2, "NEAR": 1, "ENOUGH_OTHERS": 2, "YEAR": 12},
    "record.check": {"MANY_PLACES": 5, "SHOWN_FILES": 3},
    "record.reconcile": {"LAUNCH_DAYS": 31, "ROUNDED": 0.001},
    "record.validate.observations": {
        "OFFER_AGAINST_MEDIAN": (0.04, 6),
        "ENOUGH_OFFERS": 5,
        "TYPED_DAYS_AHEAD": 31,
        "BUYING_AGAINST_KNOWN": (0.2, 5),
        "LAUNCH_AGAINST_KNOWN": (0.1, 10),
        "USD_PER_GB": {
            "consumer": (5, 500),
            "workstation": (10, 600),
            "datacenter": (3, 800),
            "edge": (20, 170),
            "integrated": (5, 150),
        },
        "FIRST_PRICES": "2018",
        "MACHINE_TOLERANCE": 0.02,
    },
    "record.validate.physics": {
        "POWER_TOLERANCE": 0.02,
        "MOST_IDLE": 1 / 3,
        "FP32_TOLERANCE": 0.08,
        "BANDWIDTH_TOLERANCE": 0.03,
        "PIN_RATE_TOLERANCE": 0.05,
        "MIX_UP_FACTOR": (1.9, 2.1),
    },
    "record.validate.products": {"LANES": (1, 2, 4, 8, 16), "SLIPPED_DIGIT_FACTOR": 4},
    "record.validate.boards": {
        "SLOT_W": 75,
        "WIDE_W": 600,
        "EPS_W": 300,
        "EIGHT_W": 175,
        "SIX_W": 75,
        "POWER_TOLERANCE": 0.02,
        "SPARE_W": {"NVIDIA": (360, 500), "AMD": (210, 560), "Intel": (200, 420)},
        "SPARE_OLD_W": {"Maxwell": (220, 400), "Pascal": (220, 400)},
    },
    "record.validate.families": {"LEAST_FOR_A_TERAFLOP": 0.82, "MOST_FOR_A_TERAFLOP": 1.3, "FEWEST_OF_A_LINE": 4},
    "record.validate.memory": {"CHIP_BIT": 32, "STACK_BIT": 1024, "USED": 0.88, "NAMED_TOLERANCE": 0.01},
    "record.validate.silicon": {"DENSITY_TOLERANCE": 0.05},
    "record.validate.votes": {"ENOUGH": 2},
    "record.validate.structure": {"RATIO_TOLERANCE": 0.05, "CLOCK_TOLERANCE": 0.03, "ROUNDED": 0.01},
    "derive.metrics": {"GB_BYTES": 1024**3, "NEIGHBOUR_FIGURES": 2, "BAND_OFFERS": 3, "UNCLEAR_SHARE": 0.5},
    "derive.news": {"NEW_CARD_DAYS": 365},
    "derive.prices.changes": {"LEAST": 0.01},
    "derive.prices.rules": {
        "SPAN_DAYS": 31,
        "TOLD_APART": 0.1,
        "APART_TIMES": 2.0,
        "USUAL_DAYS": 30,
        "ENOUGH": 3,
        "OLD_STOCK_TIMES": 1.75,
        "OLD_STOCK_PAST_TIMES": 2.0,
        "OLD_CARD_DAYS": 4 * 365,
        "BETTER_DAYS": 2 * 365,
        "OFFER_LOW": 0.25,
        "OFFER_HIGH": 4.0,
        "CLASS_TIMES": 5.0,
        "SIBLING_BANDWIDTH": 0.15,
        "SIBLING_LOW": 0.25,
        "SIBLING_HIGH": 3.0,
        "BUY_SIBLING_TIMES": 2.0,
        "REFUSING": 2,
        "BUY_CLASS_TIMES": 2.25,
        "CLASS_CARDS": 12,
    },
    "derive.prices.staleness": {"ANSWER_DAYS": 365},
    "derive.quality": {"HISTORY_DATES": 3},
    "derive.rivals": {"SAME_MONEY": 1.2, "GENERATION_YEARS": 0.9, "MOST_GENERATION_YEARS": 3.2, "SAME_TIME_YEARS": 3.5},
    "advise.picks": {"PROMPT": 4096, "SAME_RUN": 0.01},
    "advise.choose.answer": {
        "PASSED_TRIED": 12,
        "PASSED_SHOWN": 8,
        "PASSED_ALIKE": 4,
        "ALTERNATIVES": 3,
        "BEYOND": 1.000000001,
    },
    "advise.choose.calculators.buy_or_rent": {
        "WEEKS_A_MONTH": 52 / 12,
        "HOURS_A_WEEK": 168,
        "MONTHS_A_YEAR": 12,
        "WATTS_A_KW": 1000,
    },
    "advise.choose.calculators.power": {
        "WEEKS_A_YEAR": 52,
        "BTU_A_WATT_HOUR": 3.412,
        "VOLTS": (120, 230),
    },
    "advise.choose.calculators.several": {"NOT_FASTER": 1.05},
    "advise.choose.calculators.training": {
        "MILLION": 1000000.0,
        "MOST_TOKENS": 1000000000000000.0,
        "OFFERS": 10,
        "CHEAPER": 0.999999,
    },
    "advise.choose.calculators.upgrade": {"WORTH_FASTER": 1.5},
    "advise.choose.calculators.what_fits": {
        "GIGA": 1000000000.0,
        "MISSES": 8,
        "SQUEEZED": ("q3_k_m", "q2_k"),
    },
    "advise.choose.catalogue": {
        "HOUR": 3600,
        "LONG_CONTEXT": 16384,
        "COUNTS": (1, 2, 3, 4, 6, 8),
        "PROVEN": 0.9,
        "SHARED_OUT_TIMES": 3,
        "KIN_AGREE": 0.05,
    },
    "advise.choose.cnn": {
        "MOST_BATCH_GB": 32,
        "SOURCES": 1,
        "GIB_PER_IMAGE": 0.0525,
        "IMAGES_AT_A_TIME": 64,
        "FIXED_GIB": 1.6,
        "ENOUGH_GPUS": 8,
    },
    "advise.choose.hosts": {"SERVER_CARDS": 8, "WIDTHS": (1, 2, 4, 8, 16)},
    "core.currencies": {"ROUNDED": 0.001},
    "derive.cloud": {"LEAST_USD": 0.01, "MOST_USD": 100.0},
    "derive.prices.observe": {"ALIKE": 0.85},
    "advise.choose.market": {"MODULES_A_MACHINE": 8, "AGED_DAYS": 90, "COUNTED_DAYS": 183, "LISTED": 3},
    "advise.choose.resale": {
        "YOUNG": 0.3,
        "LEAST_POINTS": 20,
        "UNKNOWN_KEPT": 0.8,
        "LEAST_CARDS": 8,
        "UNKNOWN_FIRST": 0.8,
        "ROUGH_TIMES": 1.25,
    },
    "advise.estimate.estimator": {
        "MOST_GPUS": 16384,
        "MOST_BATCH": 65536,
        "MOST_HOST_GB_S": 2000,
        "NEAR_CONTEXT": 2.0,
        "NEAR_TIME": 1.05,
        "USUAL_PROMPT": 512,
    },
    "advise.estimate.coefficients": {"ROUGH": 1.25},
    "advise.estimate.core": {
        "CARRIED": 0.5,
        "GIGA": 1000000000.0,
        "TERA": 1000000000000.0,
        "MICRO": 1e-06,
        "WINDOW_PAD": 256,
        "PIPELINE_PIECE": 512,
        "LOGIT_BYTES": 4,
    },
    "advise.estimate.fit": {
        "EVEN": 1e-09,
        "READS_AT_MOST": 0.98,
        "MULTIPLIES_AT_MOST": 0.87,
        "SUM_AT_LEAST": 3.7,
        "ROUNDS": 12,
        "HIT": 0.02,
        "UNDETERMINED": 1e-12,
        "COVERED": 0.8,
        "DRAWN": 0.3,
        "READS": 8,
        "UNREPEATED": 0.3,
        "ENOUGH_GPUS": 4,
        "ENOUGH_POINTS": 8,
        "ENOUGH_SOURCES": 3,
        "LONG_STEP": 1024,
    },
    "advise.estimate.inputs": {
        "LLMFIT_TOKENS": 150.0,
        "LLMFIT_CONTEXT": 8192,
        "SLOW_REPEAT": 0.5,
        "LENGTHS": (512, 1024, 4096, 8192),
        "LEAST_SWEEPS": 10,
        "ALIKE": 60,
        "SAME_SPEED": 0.01,
    },
    "advise.estimate.measured": {"SLOW_REPEAT": 0.5, "CHAT_PROMPT": 200, "LEAST_PARAMETERS": 1e9, "LONGEST": 4096},
    "advise.estimate.memory": {
        "WEIGHT_BYTES": 2,
        "GRADIENT_BYTES": 2,
        "MASTER_BYTES": 4,
        "ADAPTER_BYTES": 16,
        "HIDDEN_BYTES": 16,
        "INNER_BYTES": 8,
        "RECOMPUTED_BYTES": 2,
        "LOSS_BYTES": 10,
        "TRAINING_OVERHEAD_GIB": 1.2,
    },
    "advise.estimate.models": {"STATED_TOLERANCE": 0.08},
    "advise.estimate.shapes": {"WHOLE_NIBBLE": 4},
    "advise.estimate.speed": {"FULL": 6, "FROZEN": 4, "RECOMPUTE": 2},
    "advise.estimate.training": {
        "TERA": 1000000000000.0,
        "HOUR": 3600,
        "ENOUGH_RUNS": 3,
        "MACHINE": 8,
        "NEAR_SIZE": 1.07,
        "NEAR_STEP": 4.0,
    },
    "advise.estimate.validation": {
        "IN_RANGE": (0.7, 1.5),
        "COVERED_GOAL": (0.75, 0.88),
        "FAILURE": 0.3,
        "SIZES": ((0.0, 4.0), (4.0, 16.0), (16.0, 80.0), (80.0, 10000.0)),
    },
    "advise.estimate.weights": {"FORMATS_KEPT": 4096, "BLOCK": 256},
    "advise.holding": {
        "CONTEXTS": (4096, 8192, 32768, 131072),
        "TIGHT_SHARE": 0.08,
        "TIGHT_GIB": 0.5,
        "CONTEXT": 8192,
        "COMMON_SIZES_GB": (8, 12, 16, 24, 32, 48, 80, 96, 128, 141, 192, 288),
        "COUNTS": (1, 2, 4, 8),
        "SHOWN": 8,
        "USUAL": (2, 4),
        "ENOUGH": 3,
    },
    "advise.verdict": {"EVEN": 1.1},
    "tools.changes": {"MOST_ROWS": 60, "LONGEST_CELL": 300, "SURPRISE": 3},
    "tools.sheet.drafting": {"MAX_BYTES": 20000000, "SAME_MEMORY": 0.1},
    "tools.sheet.fields": {"SAME_IN_TWO_UNITS": 0.02},
    "tools.sheet.peaks": {"SPARSE_OVER_DENSE": (1.05, 2.3)},
    "tools.sheet.read_html": {"MARK_LENGTH": 5},
    "tools.sheet.read_pdf": {
        "MAX_PAGES": 60,
        "CELL_GAP": 1.1,
        "RAISED": 0.8,
        "HARDLY_SMALLER": 0.95,
        "HIGHER": 0.12,
        "SAME_PARAGRAPH": 2.6,
        "OVERLAP": 0.85,
        "NEARER": 0.85,
        "ALIGNED": 1.5,
        "CENTRED": 9.0,
        "LARGE_PICTURE": 0.25,
    },
    "tools.sheet.words": {"RATIO_TOLERANCE": 0.03},
    "derive.prices.summary": {"CODE_BITS": 21, "HIGHER": 1000000.0},
    "advise.choose.calculators.fields": {"LONGEST": 60},
    "advise.choose.calculators.picture": {"MOST_TICKS": 5, "BEHIND": 1.25, "FAR": 4.0, "HEAD_ROOM": 1.08},
    "advise.choose.calculators.words": {"HOURS_A_DAY": 24, "DAYS_A_YEAR": 365, "SIGNIFICANT": 3, "CENTS_BELOW": 100},
    "advise.choose.need": {"SHOWN": 40, "MOST_COUNT": 8},
    "advise.choose.picture": {"MOST_TICKS": 6},
    "advise.choose.presenter": {"RANKED_SHOWN": 25, "LOST_SHOWN": 40},
    "advise.comparison": {"MOST": 6, "NO_RATIO": 1.05, "EXPERIMENTS": 8, "OF_ONE_SET": 2, "RUN_BY": 2},
    "advise.estimate.types": {"GIB": 1024**3, "MATRIX_TIMES": (8.0, 4.0)},
    "intake.refresh": {"DOUBTS_TOLD": 3},
    "intake.snapshots": {
        "CONNECT_READ_TIMEOUTS_S": (10.0, 60.0),
        "MAX_BYTES": 67108864,
        "MAX_SECONDS": 300.0,
        "CHUNK_BYTES": 65536,
        "SHEET_TIMEOUTS_S": (5.0, 20.0),
    },
    "intake.sources.base": {"LONGEST_ERROR": 600},
    "intake.sources.buildcores_open_db": {"CARDS": 3, "AGREE": 0.9},
    "intake.sources.buttke_ebay_gpu_prices": {"FEW": 1},
    "intake.sources.epoch_ml_hardware": {
        "PCIE_RATE": 64000000000.0,
        "VECTOR_FP16_RATIOS": (1 / 64, 1, 2, 4),
        "ADA_FP8_RATIO": 8,
        "AMPERE_INT8_RATIO": 8,
        "NEAR": 0.06,
    },
    "intake.sources.gpu_poet_specs": {"NEAR": 0.01},
    "intake.sources.gpu_price_feed": {"SCHEMA": 2},
    "intake.sources.localscore_insights": {"APART": 2.0},
    "intake.sources.te42kyfo_gpu_stream": {"FULL": 100.0},
    "intake.sources.teoampatzis_gpu_prices_gr": {"VAT": 24.0, "KEPT": 3, "FEW_LISTINGS": 2},
    "intake.sources.united_compute_amazon": {"FEW": 12},
    "intake.sources.wikipedia_gpu_info": {
        "FIRST_YEAR": 2012,
        "VECTOR_FP16": (1 / 64, 1, 2, 4),
        "MATRIX_FP16": 8,
        "NEAR": 0.06,
    },
    "intake.sources.xiongjiedai_llm_inference": {"BROKEN_SHARE": 0.6},
    "editorial.pictures": {"MAX_CELLS": 2000},
    "editorial.statements": {"LONGEST_QUOTE": 25},
    "site.charts.memory_bandwidth": {"ENOUGH": 5},
    "site.charts.percentile": {"FEWEST": 5},
    "site.charts.rent_over_time": {"ENOUGH_MONTHS": 3, "ENOUGH_PROVIDERS": 3, "MOST": 10},
    "site.charts.roofline": {"LOW": 0.5, "HIGH": 4096.0},
    "site.charts.spark": {"MONTHS": 24},
    "site.charts.work_per_dollar": {"HOUR": 3600},
    "site.pages.benchmarks": {"ENOUGH": 3},
    "site.pages.compare": {"POPULAR": 24},
    "site.pages.feed": {"MOST": 16},
    "site.pages.gpu": {
        "RESULTS_SHOWN": 3,
        "RESULTS_LISTED": 60,
        "NAMES_SHOWN": 6,
        "BOOST": 7.0,
        "EACH_SOURCE": 2.0,
        "BOOST_OF_MACHINE": 9.0,
    },
    "site.pages.home": {"BUDGET_USD": 800, "MOVES": 6, "NEW": 6, "CORRECTED": 2},
    "site.pages.peaks": {"NAMED": 2, "WIDER": 1.2},
    "site.pages.prices": {"MOVED": 40, "BOOST": 8.0},
    "site.pages.table": {"BEST_KNOWN": 48},
    "site.pages.validation": {"WEAK": 0.12, "GIGA": 1000000000.0},
    "tools.measure.bench": {"LAG_SECONDS": 1.0},
    "tools.measure.capacity": {"LIMIT": 65536},
    "tools.measure.cli": {"OK": 0, "FAILED": 1, "USAGE": 2, "NO_DEVICE": 3},
    "tools.measure.device": {"OLDEST": (2, 5)},
    "tools.measure.inference": {"ROOM": 1.5},
    "tools.measure.matmul": {"MEMORY_SHARE": 0.33},
    "tools.measure.memory": {"CACHES": 8, "MEMORY_SHARE": 0.25, "FACTOR": 0.4, "LAUNCHES": 1000},
    "tools.measure.plan": {"MIB": 1048576},
    "tools.measure.power": {"EVERY_SECONDS": 0.1, "FEWEST_READINGS": 5},
    "tools.measure.stats": {"STEADY_PERCENT": 3.0},
    "tools.measure.timing": {"SHORTEST_SECONDS": 0.002},
    "tools.measure.training": {"HALVINGS": 3},
    "tools.price_audit": {"WIDER": 0.15, "BEGINS": 0.5},
    "tools.sheet.vendor_sheets": {"MOST_FAILURES": 3, "SHOWN": 60},
    "tools.sheet.write": {"LONGEST": 500, "LONGEST_ID": 100},
    "core.constants": {"EXACT": 6},
    "site.pages.cloud": {"BOOST": 12.0},
    "site.pages.families": {"BOOST": 16.0},
    "site.pages.guide": {"BOOST": 30.0},
    "site.pages.models": {"BOOST": 8.0},
    "site.pages.pairs": {"BOOST": 0.14, "LISTED_FIRST": 36},
}
# A kind of price → days until it is no longer fresh, no longer ageing, and no longer used.
AGES = {
    "spot": (14, 60, 180),
    "on_demand": (60, 180, 365),
    "reserved": (90, 365, 730),
    "retail": (60, 180, 550),
    "used": (60, 180, 550),
    "system": (60, 180, 550),
}
# Rooms in which every number stands in the table, or here because it decides nothing about a figure.
WHOLE = ("core", "record", "derive", "advise", "intake", "editorial")
PLACED = {"picture", "pictures", "memory_parts"}  # what these hold is where a line or a letter stands
ELSEWHERE = {"once.OBJECTS", "suggest.MOST", "difference.MOST_LINES", "judge.GIB", "rivals.ROUNDING"}


@pytest.mark.parametrize(("module", "name"), [(module, name) for module, own in LIMITS.items() for name in own])
def test_a_limit_is_what_the_table_says(module: str, name: str) -> None:
    assert getattr(import_module(f"pipeline.{module}"), name) == LIMITS[module][name]


@pytest.mark.parametrize("kind", AGES)
def test_a_price_grows_old_on_the_day_that_the_table_says(kind: str) -> None:
    fresh, ageing, stale = AGES[kind]
    for days, state in ((fresh, "fresh"), (fresh + 1, "ageing"), (ageing, "ageing"), (ageing + 1, "stale")):
        assert staleness.state(kind, ago(days), TODAY) == state
    for days, state in ((stale, "stale"), (stale + 1, "withdrawn")):
        assert staleness.state(kind, ago(days), TODAY) == state


def test_no_number_of_the_rooms_that_decide_stands_outside_the_table() -> None:
    known = {f"{module.rpartition('.')[2]}.{name}" for module, own in LIMITS.items() for name in own} | ELSEWHERE
    assert sorted(set(numbers()) - known) == []


def numbers() -> Iterator[str]:
    """The constants of the whole rooms that are written as numbers, by module and name."""
    for path in (
        path for name in WHOLE for path in (ROOT / "pipeline" / name).rglob("*.py") if path.stem not in PLACED
    ):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant | ast.BinOp | ast.Tuple):
                leaves = [leaf for leaf in ast.walk(node.value) if isinstance(leaf, ast.Constant | ast.Name)]
                if all(isinstance(leaf, ast.Constant) and isinstance(leaf.value, int | float) for leaf in leaves):
                    names = [name for target in node.targets for name in ast.walk(target) if isinstance(name, ast.Name)]
                    yield from (
                        f"{path.stem if path.stem != '__init__' else path.parent.name}.{name.id}"
                        for name in names
                        if name.id.isupper()
                    )


TODAY = "2026-11-20"


def ago(days: int) -> str:
    return (date.fromisoformat(TODAY) - timedelta(days)).isoformat()


def supply(spare_w: float) -> hosts.Place | None:
    """Where two cards go that take all that the largest supply gives but for so many watts."""
    rules = room("choose")["constants"]
    largest = max(host.psu_w for host in hosts.load().hosts if host.cards >= 2)
    return hosts.host_for(
        "new", "PCIe card", 2, 2, largest * rules["psu_share"]["is"] - rules["rest_w"]["is"] - spare_w
    )


def kept(*usd: float) -> float:
    """The share that a card keeps a year when its used price over two years was this, month after month."""
    rows = tuple(
        price(
            kind="used", date=f"{2023 + at // 12}-{at % 12 + 1:02}", usd_per_unit=each, gpus=None, country="US", tax=0.0
        )
        for at, each in enumerate(usd)
    )
    card = record(launch_price_usd=1000.0, launch_date="2022-01-01", prices=rows)
    return resale.kept(Dataset({card.id: card}, prices=rows)).a_year


def listed(usd: float, kind: str = "on_demand") -> bool:
    """Whether an offer stands unflagged in a list of which a GPU costs one dollar an hour."""
    rows = [price(kind="on_demand", usd_per_gpu_hour=1.0) for _ in range(5)]
    return price_list.mark_implausible([*rows, price(kind=kind, usd_per_gpu_hour=usd)])[-1].flag == ""


def refused_by_sparse(tflops: float) -> bool:
    """Whether a dense run is refused on a card of which only the sparse rate is stated: 330 TFLOPS."""
    told = Claim(
        "card", "peak:fp16:fp32:sparse:tensor", "330", "TFLOPS", "sheet", "vendor", "https://e.org", "", "", ""
    )
    run = result(gpu="card", metric="tflops", model="GEMM", precision="fp16", value=tflops, unit="TFLOPS", sparsity="")
    (judged,) = judge.judged(classified([run]), reconcile([told], Ancestry({}, {})), {})
    return judged.flag != ""


def chosen_peak(told: str, exact: str) -> str:
    field = "peak:fp16:fp32:dense:tensor"
    claims = [
        Claim("card", field, value, "TFLOPS", source, "reference", f"https://{source}.org", "", "", "")
        for value, source in ((told, "sheet"), (told, "page"), (exact, "paper"))
    ]
    return reconcile(claims, Ancestry({}, {}))["card"][field].chosen.value


def rented_at_most(form: str) -> int:
    card = record(form_factor=form, prices=(price(date=ago(3), gpus=2.0),))
    (rent,) = market.to_rent(book(card, today=TODAY), card)
    return rent.most_gpus or 0


def with_history(days: int) -> int:
    """How many cards have a history of prices when one was seen on so many days."""
    rows = tuple(price(kind="used", date=ago(at)) for at in range(days))
    card = record(prices=rows)
    found = quality.counts(Dataset({card.id: card}, prices=rows))
    return next(count.found for count in found if "price history" in count.name)


def window_cells(micro_batch: int) -> float:
    """Bytes of the cache of a network with a window of 1,024 tokens, by the engine's micro-batch."""
    engine = replace(find("llama.cpp"), micro_batch=micro_batch, frees_window=True)
    return core.cache_bytes(shape_of(models.load().find("gemma-3-12b-it")), Request(context=8192), engine, 1)


def experts_read(streams: float) -> float:
    """The share of its experts that a network with 32 groups of them reads in one step."""
    model = models.load().find("deepseek-v3")
    shape, form = shape_of(model), format_of(model, "q8_0")
    card = inputs.card(record(memory_bandwidth_gb_s=1000.0))
    parts = core.step(card, shape, form, Request(quant="q8_0"), find("llama.cpp"), 1.0, streams)
    return (parts["read"] * 1e12 - form.dense) / form.experts


def clocks(base: int, boost: int) -> int:
    """How many problems a card has whose clocks are these."""
    told = [
        Claim("card", field, str(mhz), "MHz", "sheet", "vendor", "https://e.org", "", "", "")
        for field, mhz in (("base_clock_mhz", base), ("boost_clock_mhz", boost))
    ]
    return len(list(clocks_are_in_order(Evidence({}, told, Ancestry({}, {}), (), (), {}))))


def pins(gbps: float) -> int:
    """How many problems a card has whose GDDR6 would have to run at this rate a pin."""
    told = [
        Claim("card", field, value, "", "sheet", "vendor", "https://e.org", "", "", "")
        for field, value in (
            ("memory_type", "GDDR6"),
            ("memory_bus_bit", "256"),
            ("memory_bandwidth_gb_s", f"{gbps * 32}"),
        )
    ]
    return len(list(bus_matches_bandwidth(Evidence({}, told, Ancestry({}, {}), (), (), {}))))


def machine_s_gpus(times: float) -> int:
    """How many problems an offer has whose two GPUs cost so many times what the machine does."""
    offer = price(gpus=2, usd_per_gpu_hour=times, usd_per_machine_hour=2.0)
    return len(list(price_is_sound(Evidence({}, [], Ancestry({}, {}), (), [offer], {}))))


def power_ratio(watts: float) -> str:
    """What the picture of a pair says of the power of a card beside one of 100 W."""
    pair = pairs.Pair(record(memory_gb=8.0, board_power_w=100.0), record(memory_gb=16.0, board_power_w=watts))
    drawn = pairs.picture(pair, ())
    return drawn.bars[-1].text if drawn else ""


def held(needed: float) -> bool:
    """Whether a card with 8 GiB to use holds a model that needs so many."""
    fit = what_fits.Fit(EXPERTS, "q4_k_m", "4 bit", needed, ())
    return fits_on._row(fits_on._Line("4 bit", "1", [(fit, "M0 0")]), 1.0, 8.0).largest is not None


def far_off_offers(others: int) -> int:
    """How many offers are refused where one asks twenty times what so many others ask."""
    rows = (*(price(usd_per_gpu_hour=1.0) for _ in range(others)), price(usd_per_gpu_hour=20.0))
    return len(list(rent_is_plausible(Evidence({}, [], Ancestry({}, {}), (), rows, {}))))


def spot_beside_a_slip(usd: float) -> bool:
    """Whether a spot offer stands unflagged beside nine at a dollar and one of ten cents that is doubted."""
    rows = [price(kind="on_demand", usd_per_gpu_hour=amount) for amount in (*[1.0] * 9, 0.1)]
    return price_list.mark_implausible([*rows, price(kind="spot", usd_per_gpu_hour=usd)])[-1].flag == ""


def siblings(gb_s: float) -> bool:
    """Whether a card with so much bandwidth is a sibling of one with 1,000 GB/s."""
    card = record(architecture="Ada", memory_gb=24.0, memory_bandwidth_gb_s=1000.0)
    return quote._siblings(replace(card, id="other", memory_bandwidth_gb_s=gb_s), card)


def new(days: int) -> bool:
    """Whether a card is new that was launched so many days before the newest reading."""
    card = record(launch_date=ago(days))
    return card in news.new_cards(book(card, today=TODAY).dataset)


# What is asked, one side of the boundary, the other side.
def shifted(values: int) -> int:
    """How many doubts a reading raises in which so many prices are twice what they were, and no single one jumps."""
    last = [
        price(gpu=f"gpu-{n}", usd_per_gpu_hour=1.0, date=TODAY, locator=f"list.csv, row {n}") for n in range(values)
    ]
    return len(list(last_reading.doubts(last, [replace(one, usd_per_gpu_hour=2.0) for one in last])))


def carried(results: int) -> int:
    """How many runs are carried over to an architecture on which so many results of the task are known."""
    run: Any = None  # which one it is decides nothing here
    own = [training.KeptShare(run, training.REFERENCE, 0.4, date(2026, 1, 1))]
    found = training.carried_over(own, {training.REFERENCE: [0.4] * 3, "Another": [0.5] * results})
    return sum(share.architecture == "Another" for share in found)


def quotation(words: int) -> statements.Statement:
    """A statement whose quotation has so many words, and nothing else to say against it."""
    blank: dict[str, Any] = dict.fromkeys(statements.Statement.model_fields, "")
    return statements.Statement.model_construct(**blank | {"quote": "word " * words})


EXPERTS = Model(
    "m", "M", "language", hidden_size=8, feed_forward_size=16, experts=4, expert_feed_forward_size=8, dense_layers=1
)


def figures_but(at: int) -> Shared:
    """Five figures of a page, one of which is another."""
    return Shared("A card", tuple((f"figure {n}", "no" if n == at else "yes") for n in range(5)))


def makers_of(words: object) -> object:
    """What a file of makers with one line gives, or the start of its refusal."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "makers.yml"
        path.write_text(json.dumps({"NVIDIA": words}), encoding="utf-8")
        try:
            return makers.load(path)
        except makers.MakerError:
            return "refused"


def text_of(size: int) -> str:
    """Whether a hand-written file of so many bytes is read where ten may be."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "card.yml"
        path.write_bytes(b"a" * size)
        try:
            return documents.text_of(path, "card.yml", ValueError, 10)
        except ValueError:
            return "refused"


def usual_of_flagged(flag: str) -> str:
    """What is said of two GPUs that do four times the work of one, where that one's run has such a flag."""
    runs = (result(value=100.0, flag=flag), result(value=400.0, gpu_count=2))
    return "more" if mark_super_linear(runs)[1].flag else "nothing"


def readable(text: str) -> bool:
    try:
        yaml_text.load(text, "a file", ValueError)
    except ValueError:
        return False
    return True


def too_fast(metric: str, unit: str, batch: str, workload: str = "inference") -> Callable[[float], bool]:
    """Whether theory refuses a speed of four cards together, or of each of them where the metric says so."""
    about = {"metric": metric, "unit": unit, "batch": batch, "workload": workload, "gpu_count": 4, "precision": "fp8"}
    return lambda speed: flag(value=speed, **about) == judge.REFUSED


def too_many_images(metric: str) -> Callable[[float], bool]:
    """The same of images a second in training a network of four billion multiply-adds."""

    def refused(speed: float) -> bool:
        about = {"metric": metric, "unit": "images/s", "workload": "training", "model": "resnet50", "batch": "64"}
        trained = run(value=speed, gpu_count=4, precision="fp16", **about)
        (one,) = judge.judged(classified([trained]), four_cards(), {}, {"resnet50": 4.0})
        return bool(one.flag)

    return refused


def ignored(name: str) -> str:
    """What becomes of a name where "RTX 4090" alone is ignored."""
    pattern = identity.Ignored(pattern="RTX 4090", sources=("shop",), reason="sold as parts")
    return identity.Names({}, [identity.NameFile(ignored=(pattern,))]).resolve("shop", name).verdict


def idle(name: str) -> int:
    """How many patterns match nothing where a source has this one name."""
    pattern = identity.Ignored(pattern="RTX 4090", sources=("shop",), reason="sold as parts")
    return len(identity.Names({}, [identity.NameFile(ignored=(pattern,))]).idle_patterns({"shop": [name]}))


def same_money(usd: float) -> bool:
    """Whether one budget covers a card of this price and one of 1,000 dollars."""
    offer = price(kind="retail", usd_per_gpu_hour=None, gpus=None, date=ago(3), country="US", tax=0.0)
    cards = [
        record(id=name, prices=tuple(replace(offer, gpu=name, provider=shop, usd_per_unit=each) for shop in "abc"))
        for name, each in (("one", 1000.0), ("two", usd))
    ]
    return rivals.Rivals(book(*cards, today=TODAY).dataset)._cost_alike(*cards)


def steps_fitted(tokens: int) -> int:
    """How many equations a step of fine-tuning of so many tokens gives."""
    card = inputs.card(record(memory_bandwidth_gb_s=1000.0, peaks={parse_peak("peak:fp16:fp32:dense:tensor"): 100.0}))
    asked = Request(task="lora", context=tokens)
    step = points.Tuned("step", "set", card, asked, 8e9, 32, 1000.0, "2026-01", "PyTorch")
    return len(fit.groups(points.Points((), (), (), (), (), tuned=(step,)))[-1])


def leftover(days: int) -> bool:
    """Whether what is left of a card as new is doubted so many days after its launch, no used price being known."""
    card = record(launch_date=ago(days))
    return bool(book(card, today=TODAY)._leftover(card))


def spoken_for(told: int) -> int:
    """How many figures a family of four shares where so many of them have one, the same."""
    cards = [record(id=f"card-{at}", memory_gb=24.0) for at in range(4)]
    said = facts.Said("24", "GB", "Sheet", "sheet", "vendor", "https://e.org", "e.org", "row", TODAY, "MIT", "")
    fact = facts.Fact("memory_gb", "claim-memory-gb", "Memory", "", "24", "GB", said, 1, (), ())
    found = families.differences(
        cards, {card.id: {families.TELLING[0]: fact} if at < told else {} for at, card in enumerate(cards)}
    )
    assert found is not None
    return len(found.shared)


def named_off_theory(count: int) -> tuple[str, ...]:
    """How a note names so many peaks that are off theory alike."""
    key = SimpleNamespace(field="peak:fp16:fp32:dense:tensor")
    rate = SimpleNamespace(key=key, tflops=100.0, units=100, operations=512)
    card: Any = SimpleNamespace(claims={key.field: [SimpleNamespace(value="110")]})
    entries: Any = [(SimpleNamespace(label=f"peak {n}", shown="110", unit="TFLOPS"), rate, 1.1) for n in range(count)]
    return tuple(peaks._off(card, "", entries).peaks)


def said_of_old_prices(day: str) -> str:
    """The day of the price that is told where a used one of June 2024 and a new one of this day are both too old."""
    offer = price(usd_per_unit=500.0, usd_per_gpu_hour=None, gpus=None, country="US", tax=0.0)
    rows = (replace(offer, kind="used", date="2024-06-15"), replace(offer, kind="retail", date=day))
    card = record(prices=rows)
    found = market.to_buy(book(card, today=TODAY), card, "allowed")
    return found.date if found else ""


BOUNDARIES: dict[str, tuple[Callable[..., Any], tuple[Any, Any], tuple[Any, Any]]] = {
    "an answer takes a price of 365 days": (lambda d: staleness.answers(ago(d), TODAY), (365, True), (366, False)),
    "a peak within a thousandth of its round figure is not replaced": (
        lambda exact: chosen_peak("100", exact),
        ("100.1", "100"),
        ("100.11", "100.11"),
    ),
    "a launch told within 31 days is one launch": (
        lambda day: agree("launch_date", "2022-10-12", day),
        ("2022-11-12", True),
        ("2022-11-13", False),
    ),
    "a tolerance is a share of the larger value": (
        lambda value: agree("memory_bandwidth_gb_s", value, "1000"),
        ("980", True),
        ("979", False),
    ),
    "a third from its neighbours is no outlier yet": (
        lambda usd: flagged(months(75, usd, 75)),
        (100, []),
        (100.01, [100.01]),
    ),
    "a supply may be used up to its share": (lambda spare: supply(spare) is not None, (0, True), (-1, False)),
    "a card that gains value is reckoned to keep it": (
        lambda end: kept(*(500 + (end - 500) * at / 24 for at in range(24))) == 1.0,
        (900, True),
        (300, False),
    ),
    "an amount is converted to a hundredth of a cent": (
        lambda amount: Currency("EUR", "", "", 1.1588, "", "", "").to_usd(amount),
        (0.1234, 0.143),
        (0.0124, 0.0144),
    ),
    "a run over its clock's margin is refused": (
        lambda rate: bool(flag(metric="tflops", model="GEMM", precision="fp16", value=rate, unit="TFLOPS")),
        (165.2 * 1.15, False),
        (165.2 * 1.151, True),
    ),
    "an offer of four times the median stands": (listed, (4.0, True), (4.01, False)),
    "an offer of a quarter of the median stands": (listed, (0.25, True), (0.24, False)),
    "a spot offer of a twentieth stands": (lambda usd: listed(usd, "spot"), (0.05, True), (0.04, False)),
    "three regions are named, four are counted": (
        lambda number: price_list.places([f"r{at}" for at in range(number)]),
        (3, "r0; r1; r2"),
        (4, "4 regions, e.g. r0; r1; r2"),
    ),
    "three offers are a street price": (
        lambda number: price_list.street_price([(f"p{at}", 100.0 + at) for at in range(number)], 3).flag,
        (3, ""),
        (2, "fewer than 3 offers"),
    ),
    "a third still sold is no old stock": (
        lambda products: price_list.street_price([(f"p{at}", 100.0 + at) for at in range(3)], products).flag,
        (9, ""),
        (10, "old stock: only 3 of 10 listed products are still sold"),
    ),
    "where only a sparse rate is stated the dense one is half": (
        refused_by_sparse,
        (165 * 1.15, False),
        (165 * 1.151, True),
    ),
    "modules are rented by the eight, cards as they were offered": (
        rented_at_most,
        ("OAM module", 8),
        ("PCIe card", 2),
    ),
    "three days are a history": (with_history, (3, 1), (2, 0)),
    "a week has 168 hours": (
        lambda weekly: buy_or_rent._when(weekly * 12 * 52 / 12, {"months": 12}),
        (168, "Over 12 months buying costs less from 168 hours a week on."),
        (168.1, "Renting costs less even if the card works day and night for 12 months."),
    ),
    "a window is padded to 256 cells": (
        lambda batch: window_cells(batch) == window_cells(512),
        (257, True),
        (256, False),
    ),
    "a stream reads its own experts, two read more": (
        lambda streams: round(experts_read(streams), 6),
        (1, 0.03125),
        (2, round(1 - (1 - 0.03125) ** 2, 6)),
    ),
    "a base clock may be the boost clock and not above it": (lambda base: clocks(base, 2000), (2000, 0), (2001, 1)),
    "a pin runs a twentieth faster than its memory was made for, and no more": (pins, (22.04, 0), (22.06, 1)),
    "or a twentieth slower": (pins, (9.51, 0), (9.49, 1)),
    "the GPUs of a machine cost 2 % more than the machine at most": (machine_s_gpus, (1.019, 0), (1.021, 1)),
    "or 2 % less": (machine_s_gpus, (0.981, 0), (0.979, 1)),
    "a tenth of a gigabyte is told": (gib, (0.1, "0.1 GB"), (0.0999, "under 0.1 GB")),
    "a ratio that reads more than 1 is told": (power_ratio, (105.0, "1.1×"), (104.9, "even")),
    "a card is full to its last byte": (held, (8.0, True), (8.001, False)),
    "of five offers one can be far off the others": (far_off_offers, (4, 1), (3, 0)),
    "a spot offer as cheap as a doubted one is doubted": (spot_beside_a_slip, (0.101, True), (0.1, False)),
    "siblings have within 15 % of each other's bandwidth": (siblings, (1150, True), (1151, False)),
    "a card is new from its first day": (new, (0, True), (-1, False)),
    "and for a year": (new, (365, True), (366, False)),
    "two letters of a word may be a slip, three are another word": (
        lambda word: gpus._is_slip(word, "Hopper"),
        ("Hoppre", True),
        ("Hxxxer", False),
    ),
    "two gigabytes less than is printed are another size": (
        lambda gb: drivers.product("RTX 3060", gb)[0],
        (10.01, "RTX 3060 12GB"),
        (10.0, ""),
    ),
    "half a gigabyte more than is printed is the size": (
        lambda gb: drivers.product("RTX 3060", gb)[0],
        (8.5, "RTX 3060 8GB"),
        (8.51, ""),
    ),
    "five values have a median to compare": (shifted, (5, 1), (4, 0)),
    "three results of a task carry a run over": (carried, (3, 1), (2, 0)),
    "25 words are a quotation": (
        lambda words: [column for column, _ in statements._problems_of_text(quotation(words), set())],
        (statements.LONGEST_QUOTE, []),
        (statements.LONGEST_QUOTE + 1, ["quote"]),
    ),
    "a figure has three digits": (wording.number, (1.2345, "1.23"), (12.345, "12.3")),
    "January follows December": (
        lambda month: history.ordinal(month) - history.ordinal("2025-12"),
        ("2026-01", 1),
        ("2026-12", 12),
    ),
    "a maker has a list of words": (makers_of, (["GeForce"], {"NVIDIA": ("geforce",)}), ("geforce", "refused")),
    "and at least one word": (makers_of, (["A", "B"], {"NVIDIA": ("a", "b")}), ([], "refused")),
    "a file of the most bytes is read": (text_of, (10, "a" * 10), (11, "refused")),
    "only a sound run says what one GPU does": (usual_of_flagged, ("", "more"), ("doubted", "nothing")),
    "who reaches a record again sets none": (
        lambda value: metrics.records_over_time([("2020", 10.0), ("2021", value)]),
        (10.0, [("2020", 10.0)]),
        (10.1, [("2020", 10.0), ("2021", 10.1)]),
    ),
    "a day that is not told is the middle of what is": (metrics.year_of, ("2020", 2020.5), ("2020-01-01", 2020.0)),
    "memory counts half as much as bandwidth": (
        lambda gb: rivals._strength(record(memory_gb=gb, memory_bandwidth_gb_s=1000.0))[0],
        (16.0, 4000.0),
        (64.0, 8000.0),
    ),
    "the layers before the experts are dense, and no other": (
        lambda layer: next(iter(tensors._feed_forward(EXPERTS, layer))).role,
        (0, "ffn_gate"),
        (1, "router"),
    ),
    "a link's picture shows the first figure and the fourth, and no fifth": (
        lambda at: shared.picture(figures_but(at)) == shared.picture(figures_but(-1)),
        (4, True),
        (0, False),
    ),
    "twenty lists inside one another are read, and no more": (
        lambda depth: readable("[" * depth + "]" * depth),
        (20, True),
        (21, False),
    ),
    "a rate that reads more than the memory gives is refused": (
        lambda rate: bool(flag(metric="stream_triad", model="STREAM", precision="fp64", value=rate, unit="GB/s")),
        (1008 * 1.02, False),
        (1008 * 1.021, True),
    ),
    "a pattern ignores a whole name, not its beginning": (ignored, ("RTX 4090", "ignored"), ("RTX 4090 Ti", "unknown")),
    "and one that only begins a name matches nothing": (idle, ("RTX 4090", 0), ("RTX 4090 Ti", 1)),
    "five letters may hold a slip, four may not": (
        lambda known: gpus._is_slip(f"{known[:-1]}x", known),
        ("Volta", True),
        ("Volt", False),
    ),
    "a card is leftover stock after four years": (leftover, (4 * 365, False), (4 * 365 + 1, True)),
    "half of a family speaks for it, fewer do not": (spoken_for, (2, 1), (1, 0)),
    "of old prices the newest is told": (
        said_of_old_prices,
        ("2024-07-15", "2024-07-15"),
        ("2024-05-15", "2024-06-15"),
    ),
    "a dollar is written with its cents, less than one with three digits": (
        lambda usd: guide.figure_text(usd, "USD"),
        (1.0, "$1.00"),
        (0.999, "$0.999"),
    ),
    "four of five core fields are a C": (
        lambda watts: quality.grade(
            record(memory_gb=24.0, memory_bandwidth_gb_s=1008.0, launch_date="2022-10-12", board_power_w=watts)
        ),
        (450, "C"),
        (None, "D"),
    ),
    "a note names two peaks off theory and counts the others": (
        named_off_theory,
        (2, ("peak 0", "peak 1")),
        (3, ("peak 0", "peak 1", "1 more")),
    ),
    "a server holds eight cards": (
        lambda count: hosts.host_for("rack", "PCIe card", count, 2.0 * count, 2400) is not None,
        (8, True),
        (9, False),
    ),
    "a room of a gigabyte is tight for three cards and not for two": (
        lambda cards: is_tight(1.0, 10.0, cards),
        (2, False),
        (3, True),
    ),
    "a price under 100 has cents": (wording.amount, (99.99, "99.99"), (100, "100")),
    "cards for the same money differ by a fifth": (same_money, (1200.0, True), (1201.0, False)),
    "a step of fine-tuning is long from 1,024 tokens on": (steps_fitted, (1024, 1), (1023, 0)),
    "what four cards write together reads the memory of four": (
        too_fast("output_throughput", "tokens/s", "16 streams"),
        (4 * 16 * 1008 * 1.02 / 7 - 1, False),
        (4 * 16 * 1008 * 1.02 / 7 + 1, True),
    ),
    "what each of four cards writes reads its own": (
        too_fast("output_throughput_per_gpu", "tokens/s/GPU", "16 streams"),
        (16 * 1008 * 1.02 / 7 - 1, False),
        (16 * 1008 * 1.02 / 7 + 1, True),
    ),
    "what four cards read together is shared among them": (
        too_fast("prompt_speed", "tokens/s", ""),
        (4 * 330.3e12 * 1.15 / (2 * 7e9) - 1, False),
        (4 * 330.3e12 * 1.15 / (2 * 7e9) + 1, True),
    ),
    "what each of four cards trains on is its own": (
        too_fast("training_throughput_per_gpu", "tokens/s/GPU", "", "training"),
        (330.3e12 * 1.15 / (6 * 7e9) - 1, False),
        (330.3e12 * 1.15 / (6 * 7e9) + 1, True),
    ),
    "images of four cards are shared among them": (
        too_many_images("throughput"),
        (4 * 330.3e3 * 1.15 * 4 / (6 * 4) - 1, False),
        (4 * 330.3e3 * 1.15 * 4 / (6 * 4) + 1, True),
    ),
    "images of each card are its own": (
        too_many_images("training_throughput_per_gpu"),
        (330.3e3 * 1.15 * 4 / (6 * 4) - 1, False),
        (330.3e3 * 1.15 * 4 / (6 * 4) + 1, True),
    ),
}


@pytest.mark.parametrize("what", BOUNDARIES)
def test_a_boundary_has_two_sides(what: str) -> None:
    work, *sides = BOUNDARIES[what]
    assert list(starmap(lambda given, _: work(given), sides)) == [expected for _, expected in sides]


@pytest.mark.parametrize(
    ("stated", "chosen", "times"), [("8", "4", 2.0), ("4", "-8", 2.0), ("0", "8", 1.0), ("x", "8", 1.0)]
)
def test_a_correction_is_as_large_as_the_ratio_of_its_figures(stated: str, chosen: str, times: float) -> None:
    assert news.Corrected(record(), "memory_gb", stated, chosen, "GB", "", "", "").gap == times


@pytest.mark.parametrize(("higher", "best"), [(True, [400.0, 100.0]), (False, [100.0, 400.0])])
def test_the_best_result_of_each_card_comes_first_where_more_is_better_and_where_less_is(
    higher: bool, best: list[float]
) -> None:
    rows = [result(gpu=gpu, value=value, higher_is_better=higher) for gpu, value in (("a", 100.0), ("b", 400.0))]
    slower = result(gpu="a", value=50.0 if higher else 150.0, higher_is_better=higher)
    assert [row.value for row in experiments.best_of_each([*rows, slower])] == best


def test_a_cheap_offer_is_doubted_up_to_the_dearest_implausible_one() -> None:
    assert price_list._usual([1.0, 2.0, 20.0, 20.0, 20.0]) == (20.0, 2.0)
    assert price_list._usual([20.0, 20.0, 20.0]) == (20.0, 0.0)


def test_what_was_not_put_together_is_told_by_the_line_at_which_it_begins() -> None:
    with pytest.raises(ValueError, match=r"^a file:3: two changes of this file were not put together"):
        yaml_text.load("a: 1\nb: 2\n<<<<<<< mine\n", "a file", ValueError)


@pytest.mark.parametrize(("gigabytes", "told"), [("1038", True), ("1039", False), ("978", True), ("977", False)])
def test_a_memory_rate_of_wikipedia_counts_within_three_per_cent_of_its_bandwidth(gigabytes: str, told: bool) -> None:
    rate, bandwidth = "Clock speeds Memory (GT/s)", "Memory Bandwidth (GB/s)"
    row = {rate: "21", "Memory Bus width (bit)": "384", bandwidth: gigabytes}  # 384 bits at 21 GT/s: 1,008 GB/s
    if told:
        assert [value for _, value, _ in wikipedia_gpu_info._data_rate(row, rate)] == [21.0]
    else:
        with pytest.raises(wikipedia_gpu_info.UnreadError):
            list(wikipedia_gpu_info._data_rate(row, rate))


@pytest.mark.parametrize(("memory_gb", "is_it"), [(21.2, True), (21.1, False), (26.8, True), (26.9, False)])
def test_a_gpu_of_a_machine_is_a_card_whose_memory_differs_by_twelve_per_cent_at_most(
    memory_gb: float,
    is_it: bool,
) -> None:
    assert local._has_memory("nvidia-geforce-rtx-4090", memory_gb) == is_it


@pytest.mark.parametrize(("batch", "kept"), [(64, 1), (65, 2)])
def test_answers_of_other_lengths_compare_up_to_sixty_four_streams(batch: int, kept: int) -> None:
    asked = Request(quant="q4_k_m", engine="vllm", batch=batch, context=1024)
    card = Card("card", "Card", "NVIDIA", "datacenter", "Test", 80, "HBM3", 3000.0, {})
    model = models.load().find("llama-3.1-8b-instruct")
    runs = [
        Point(key, "mlenergy", card, model, replace(asked, context=context), 500.0, speed, "2026-07", "vLLM", "serving")
        for key, context, speed in (("long", 4096, 40.0), ("short", 1024, 100.0))
    ]
    assert len(list(measured._as_fast_as_others(runs))) == kept


@pytest.mark.parametrize(
    ("number", "top", "step"), [(0.9, 1, 0.25), (3.5, 4, 1), (7, 8, 2), (12, 20, 5), (95, 100, 25)]
)
def test_the_axis_of_a_picture_ends_at_the_next_round_number(number: float, top: float, step: float) -> None:
    assert pictures._round_up(number) == (top, step)


@pytest.mark.parametrize(("lines", "heading"), [(6, "Specifications"), (7, "")])
def test_the_heading_of_a_table_stands_within_six_lines_above_it(lines: int, heading: str) -> None:
    title = read_pdf.PrintedRow((read_pdf.Piece("Specifications", 10, 90, 95, 105, 10.0),))
    assert read_pdf._heading_above([title], 100 + 10 * lines - 1) == heading
