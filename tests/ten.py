"""A dataset of twelve GPUs as it stood on one day, for tests that are about the code and not about the data.

Beside the tables lie the hand-written files that answers about these GPUs rest on, trimmed to them, so that the folder
is a data tree of its own. `PYTHONPATH=.:tests python tests/ten.py` takes it anew from data/, where a table has got
another column or the code reads another file; what the tests say of it is then recorded anew too (tests/told.py).
"""

from __future__ import annotations

import csv
import shutil
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from pipeline.advise import rules
from pipeline.core import files, paths, theory
from pipeline.core.paths import ROOT
from pipeline.dataset import Dataset
from pipeline.derive.prices.rules import MARKETS

FOLDER = Path(__file__).parent / "recorded" / "ten"
FROZEN = paths.DataPaths(FOLDER)
# One of every kind: two generations of one line, a small card, three makers, a workstation card, a laptop, data centre
# on a card and on a module, a TPU, a chip of a whole machine.
GPUS = (
    "nvidia-geforce-rtx-4090", "nvidia-geforce-rtx-3090", "nvidia-geforce-rtx-3060-12gb", "amd-radeon-rx-7900-xtx",
    "intel-arc-b580", "nvidia-rtx-a6000", "nvidia-a100-pcie-80gb", "nvidia-h100-sxm5-80gb", "amd-instinct-mi300x",
    "nvidia-l4", "google-tpu-v5e", "apple-m4-max",
)  # fmt: skip
# Of the long tables so many rows a GPU and set, or GPU, kind and provider: the newest.
RESULTS, PRICES = 8, 3
# Files that hold for every GPU alike, taken whole.
WHOLE = (
    "currencies.yml", "hosts.yml", "licences.csv", "makers.yml", "providers.yml", "questions.yml", "support.yml",
    "estimator/coefficients.json", "estimator/split.yml", "estimator/training_runs.yml",
)  # fmt: skip
POINTS = ("decode_points", "hosted_points", "prompt_points")  # of the estimator, a row a GPU


@cache
def ten() -> Dataset:
    """The dataset, read once for the tests of a process."""
    return Dataset.load(FROZEN.clean)


def _rows(table: str) -> Iterator[dict[str, str]]:
    """The rows of a table that are kept."""
    with (paths.DATA.clean / f"{table}.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if (row.get("gpu") or row["id"]) in GPUS]
    kept = Counter[tuple[str, ...]]()
    for row in sorted(rows, key=lambda row: row.get("date") or "", reverse=True) if table in MANY else rows:
        names, most = MANY.get(table, ((), len(rows)))
        key = tuple(row[name] for name in names)
        kept[key] += 1
        if kept[key] <= most:
            yield row


MANY = {"benchmarks": (("gpu", "set", "metric"), RESULTS), "prices": (("gpu", "kind", "provider", "country"), PRICES)}


def _table(rows: Iterable[Mapping[str, str]]) -> str:
    rows = list(rows)
    return files.csv_text(list(rows[0]), [list(row.values()) for row in rows])


def _hand() -> Iterator[tuple[str, str]]:
    """The hand-written files below data/, each with what is kept of it."""
    data = paths.DATA.data
    for name in WHOLE:
        yield name, (data / name).read_text(encoding="utf-8")
    for name in POINTS:
        yield f"estimator/{name}.csv", _table(_points(name))
    sources = {row.source for row in ten().prices}
    for path in sorted(path for path in paths.DATA.price_sets.glob("*.yml") if path.stem in sources):
        yield f"price-sets/{path.name}", path.read_text(encoding="utf-8")
    for path in sorted(paths.DATA.names.glob("*.yml")):
        entries = (_content(path) or {}).get("ambiguous", ())
        kept = [entry for entry in entries if set(GPUS) & set(entry["could_be"])]
        if kept:
            yield f"names/{path.name}", _written({"ambiguous": kept})
    for path in sorted(path for path in paths.DATA.models.glob("*.yml") if path.stem in _models()):
        yield f"models/{path.name}", path.read_text(encoding="utf-8")
    counted = {rule["constant"] for rule in rules.room("choose")["electricity"].values()}
    counted |= {market.tax_rate for market in MARKETS.values()}
    yield (
        "constants.yml",
        _written({name: one for name, one in _content(data / "constants.yml").items() if name in counted}),
    )
    yield "architectures.yml", _written(_architectures(_content(data / "architectures.yml")))
    yield "cloud.yml", _written(_cloud(_content(data / "cloud.yml")))
    for path in sorted((ROOT / "docs" / "guide").glob("*.md")):  # of a chapter what lists of chapters say of it
        _, head, _ = path.read_text(encoding="utf-8").split("---\n", 2)
        yield f"guide/{path.name}", f"---\n{head}---\n"


def _points(name: str) -> list[dict[str, str]]:
    """The measured points of these GPUs in a list of the estimator; its first where there is none."""
    with (paths.DATA.data / "estimator" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [row for row in rows if row["gpu"] in GPUS] or rows[:1]


def _models() -> set[str]:
    """The networks that a question, a point or result of these GPUs or the code names, and one of every kind."""
    from pipeline.advise.estimate import models
    from pipeline.core.networks import key

    registry = models.load()
    data = paths.DATA.data
    written = [data / "questions.yml", data / "estimator/training_runs.yml", Path(__file__).parent / "telling.py"]
    written += [path for end in ("py", "yml") for path in (ROOT / "pipeline").rglob(f"*.{end}")]
    words = set(" ".join(path.read_text(encoding="utf-8") for path in written).replace('"', " ").split())
    named = {registry.spellings.get(key(word.strip(",;:()[]{}"))) for word in words}
    named |= {row["model"] for name in POINTS for row in _points(name)}
    run = {registry.spellings.get(key(row.model)) for row in ten().benchmarks}
    kinds = {file.kind: id for id, file in reversed(registry.files.items())}
    return {id for id in {*named, *run, *kinds.values()} if id}


def _architectures(content: dict[str, Any]) -> dict[str, Any]:
    """The groups of these GPUs, and of every other list what names one of them."""
    table = theory.load()
    groups = {group.name for gpu in ten().gpus.values() if (group := table.group(gpu))}
    kept = {name: value for name, value in content.items() if name not in ("documents", "groups")}
    kept = {
        name: [entry for entry in entries if "gpus" not in entry or _is_for_one(entry["gpus"])]
        if isinstance(entries, list)
        else entries
        for name, entries in kept.items()
    }
    return _cited(content, {**kept, "groups": [group for group in content["groups"] if group["name"] in groups]})


def _is_for_one(patterns: Collection[str]) -> bool:
    return any(theory.matches(gpu, tuple(patterns)) for gpu in GPUS)


def _cloud(content: dict[str, Any]) -> dict[str, Any]:
    """The families that rent one of these GPUs, with the machines that hold them."""
    families = []
    for family in content["families"]:
        series = [
            one | {"machines": [machine for machine in one.get("machines", ()) if machine["gpu"] in GPUS]}
            for one in family["series"]
        ]
        names = {machine["name"] for one in series for machine in one["machines"]}
        prices = [price for price in family.get("prices", ()) if price["machine"] in names]
        if names:
            families.append(family | {"series": [one for one in series if one["machines"]], "prices": prices})
    return _cited(content, content | {"families": families})


def _cited(whole: dict[str, Any], kept: dict[str, Any]) -> dict[str, Any]:
    """The same with the documents alone that what is kept refers to."""
    rest = {name: value for name, value in kept.items() if name != "documents"}
    named = set(_strings(rest))
    return {"documents": {name: about for name, about in whole["documents"].items() if name in named}, **rest}


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _strings(one)


def _content(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def _written(content: object) -> str:
    return yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=120)


def main() -> None:
    """Take the tables anew from data/clean, then what the answers rest on beside them."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    for table in ("gpus", "peaks", "claims", "benchmarks", "prices"):
        _write(f"clean/{table}.csv", _table(_rows(table)))
    for name, text in _hand():
        _write(name, text)


def _write(name: str, text: str) -> None:
    path = FOLDER / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="")


if __name__ == "__main__":
    main()
