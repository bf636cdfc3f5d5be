"""The recipes that touch code or lists of the project, replayed in a copy of it with the real commands."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
import yaml
from test_recipes import touches

from pipeline.core.paths import ROOT

pytestmark = pytest.mark.full  # each builds the whole dataset, or begins Python several times
COPIED = (
    "pipeline",
    "data",
    "docs/templates",
    "docs/gen_pages.py",
    "docs/guide",
    "docs/javascripts",
    "tests",
    "pyproject.toml",
)
NOT_COPIED = shutil.ignore_patterns("__pycache__", "price_audit", "spec_audit")


SOURCE_TEXT = '''"""A list that does not exist: power by card."""

from __future__ import annotations

from pipeline.core.schema import Rows
from pipeline.intake.sources import table
from pipeline.intake.sources.base import Snapshots, Source, SourceFile

FILE = "list.csv"
SOURCE = Source(
    id="imagined-list",
    title="Imagined list",
    publisher="Nobody",
    home="https://e.org",
    licence="MIT",
    kind="community",
    gives="power of cards",
    files=(SourceFile(FILE, "https://e.org/list.csv", "original", floor=1),),
)


def parse(snapshots: Snapshots) -> Rows:
    """Yield the power of every card."""
    snapshot = snapshots.get(FILE)
    if snapshot is not None:
        for number, row in table.rows(snapshot, ["GPU", "Watts"]):
            yield snapshot.claim(row["GPU"], "board_power_w", row["Watts"] + " W", f"row {number}, column Watts")
'''


class Copy:
    """A copy of the project in which a contributor works."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for name in COPIED:
            source = ROOT / name
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, root / name, ignore=NOT_COPIED)
            else:
                shutil.copy(source, root / name)

    def write(self, path: str, text: str) -> None:
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text, encoding="utf-8")

    def change(self, path: str, old: str, new: str) -> None:
        text = (self.root / path).read_text(encoding="utf-8")
        assert old in text
        self.write(path, text.replace(old, new, 1))

    def run(self, *words: str) -> str:
        answer = subprocess.run(
            [sys.executable, *words],
            cwd=self.root,
            env={"PATH": "/usr/bin:/bin"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert answer.returncode == 0, answer.stdout + answer.stderr
        return answer.stdout

    def state(self) -> dict[str, bytes]:
        written = (p for p in self.root.rglob("*") if p.is_file() and "__pycache__" not in p.parts)
        return {p.relative_to(self.root).as_posix(): p.read_bytes() for p in written}


def maker(copy: Copy) -> None:
    text = (copy.root / "data/makers.yml").read_text(encoding="utf-8")
    copy.write("data/makers.yml", f"{text.rstrip()}\nImagined: [imagined, imago]\n")
    about = {
        "name": "Imagined X1",
        "vendor": "Imagined",
        "segment": "datacenter",
        "line": "X",
        "architecture": "One",
        "form_factor": "PCIe card",
        "aliases": ["Imago X1"],
        "documents": {
            "page": {
                "title": "Imagined X1",
                "kind": "vendor",
                "url": "https://e.org/x1",
                "read": "2026-11-20",
                "licence": "not stated",
            }
        },
        "values": [{"field": "memory_gb", "value": "96 GB", "document": "page", "locator": "row Memory"}],
    }
    copy.write("data/gpus/imagined-x1.yml", yaml.safe_dump(about, sort_keys=False))


def maker_holds(copy: Copy) -> None:
    copy.run("-m", "pipeline", "check", "data/gpus/imagined-x1.yml", "data/makers.yml")
    copy.run("-m", "pipeline", "build")
    assert "Imagined X1  (imagined-x1)" in copy.run("-m", "pipeline", "show", "imago x1")


def source(copy: Copy) -> None:
    package = "pipeline/intake/sources/__init__.py"
    copy.write("pipeline/intake/sources/imagined_list.py", SOURCE_TEXT)
    copy.change(package, '    "kyuz0_toolboxes",\n', '    "imagined_list",\n    "kyuz0_toolboxes",\n')
    folder = "tests/recorded/imagined-list"
    copy.write(f"{folder}/list.csv", "GPU,Watts\nGeForce RTX 4090,450\n")
    copy.write(
        f"{folder}/expected.csv",
        "type,gpu,field_or_metric,value,unit,locator,note\n"
        'claim,GeForce RTX 4090,board_power_w,450,W,"list.csv, row 2, column Watts",\n',
    )


def source_holds(copy: Copy) -> None:
    told = copy.run("-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/test_sources.py", "-k", "imagined")
    assert " passed" in told
    copy.run("-m", "pipeline", "check", "data/licences.csv")


def chart(copy: Copy) -> None:
    text = (copy.root / "pipeline/site/charts/launch_price.py").read_text(encoding="utf-8")
    text = text.replace('"launch-price"', '"imagined-chart"').replace("launch_price.py", "imagined_chart.py")
    copy.write("pipeline/site/charts/imagined_chart.py", text)
    listed = "pipeline/site/charts/listed.py"
    copy.change(listed, "    launch_price,\n", "    imagined_chart,\n    launch_price,\n")
    copy.change(listed, "    launch_price.CHART,\n", "    launch_price.CHART,\n    imagined_chart.CHART,\n")


def chart_holds(copy: Copy) -> None:
    asked = (
        "from pipeline.dataset import Dataset; from pipeline.site.pages import charts;"
        "print(*(file.file for file in charts.pages(Dataset.load()) if 'imagined' in file.file))"
    )
    made = copy.run("-c", asked).split()
    assert {"charts/imagined-chart.md", "charts/imagined-chart.csv"} <= set(made), made


# The new field of a GPU, and the GPU of which it is stated.
FIELD, GPU = "standby_power_w", "nvidia-geforce-rtx-4090"
FIELD_TEXT = f"""    {FIELD}: Annotated[float | None, Field(
        "Standby power", "Power of the board while the machine sleeps", "W", 1, 500, 0.1)] = None
"""


def field(copy: Copy) -> None:
    copy.change("pipeline/core/schema.py", "    status: Annotated", f"{FIELD_TEXT}    status: Annotated")


def field_holds(copy: Copy) -> None:
    path = f"data/gpus/{GPU}.yml"
    about = yaml.safe_load((copy.root / path).read_text(encoding="utf-8"))
    document = {"title": "Meter", "kind": "press", "url": "https://e.org/m", "read": "2026-11-20", "licence": "MIT"}
    about.setdefault("documents", {})["meter"] = document
    about.setdefault("values", []).append({"field": FIELD, "value": "21.5 W", "document": "meter", "locator": "row 1"})
    copy.write(path, yaml.safe_dump(about, sort_keys=False, allow_unicode=True))
    copy.run("-m", "pipeline", "check", path)
    copy.run("-m", "pipeline", "build")
    asked = (
        "from pipeline.dataset import Dataset; from pipeline.site.pages import dictionary, gpu; d = Dataset.load();"
        f"page, _, data = gpu.pages(d, ['{GPU}']);"
        f"print(d.gpus['{GPU}'].{FIELD}, page.text().count('Standby power') > 0, '{FIELD}' in data.text(),"
        " any('while the machine sleeps' in page.text() for page in dictionary.pages(d)))"
    )
    assert copy.run("-c", asked).split() == ["21.5", "True", "True", "True"]
    copy.run("-m", "pipeline", "schemas")
    assert f'"{FIELD}"' in (copy.root / "data/schemas/gpu.json").read_text(encoding="utf-8")


def task(copy: Copy) -> None:
    rules = "pipeline/advise/rules.yml"
    text = (copy.root / rules).read_text(encoding="utf-8")
    chat = next(line for line in text.splitlines(keepends=True) if line.startswith("    chat: {words: "))
    like = chat.replace(
        "    chat: {words: one person chats with a model", "    code: {words: one person writes programs"
    )
    copy.change(rules, chat, chat + like.replace("context: 8192", "context: 16384"))


def task_holds(copy: Copy) -> None:
    told = copy.run("-m", "pipeline", "choose", "task=code", "budget_usd=2000")
    assert told.startswith("What: one person writes programs, ")
    assert "Cheapest that does it well: " in told
    asked = (
        "from pipeline.dataset import Dataset; from pipeline.site.pages import choose;"
        "from pipeline.site.scripts import listed;"
        "page, *_ = choose.pages(Dataset.load()); told = 'one person writes programs';"
        "print(told in page.text(), any(told in text for text in listed.modules().values()))"
    )
    assert copy.run("-c", asked).split() == ["True", "True"]


TILES = (
    "from pipeline.dataset import Dataset; from pipeline.site.pages import gpu; import re;"
    f"page, *_ = gpu.pages(Dataset.load(), ['{GPU}']); keys = page.text().split('ga-keys')[1].split('</dl>')[0];"
    "print(*re.findall('<dt>(.+?)</dt>', keys), sep=chr(10))"
)


def tile(copy: Copy) -> None:
    path = "docs/templates/gpu.html.j2"
    text = (copy.root / path).read_text(encoding="utf-8")
    power = next(line for line in text.splitlines(keepends=True) if line.startswith("<div><dt>Board power</dt>"))
    first = next(line for line in text.splitlines(keepends=True) if line.startswith("<div><dt>Memory</dt>"))
    copy.write(path, text.replace(power, "").replace(first, power + first))


def tile_holds(copy: Copy) -> None:
    before = Copy(copy.root / "before").run("-c", TILES).splitlines()
    after = copy.run("-c", TILES).splitlines()
    assert len(before) == 6
    assert after == ["Board power", *(name for name in before if name != "Board power")]


RECIPES: dict[str, tuple[Callable[[Copy], None], Callable[[Copy], None]]] = {
    "Add a maker": (maker, maker_holds),
    "Add a source": (source, source_holds),
    "Add a chart": (chart, chart_holds),
    "Add a field of a GPU": (field, field_holds),
    "Add a task to the chooser": (task, task_holds),
    "Move a tile of a card's page": (tile, tile_holds),
}


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_recipe_followed_in_a_copy_works_and_touches_only_its_files(tmp_path: Path, recipe: str) -> None:
    follow, holds = RECIPES[recipe]
    copy = Copy(tmp_path)
    before = copy.state()
    follow(copy)
    after = copy.state()
    changed = {path for path in after if after[path] != before.get(path)}
    patterns = touches(recipe)
    assert [path for path in changed if not any(fnmatchcase(path, pattern) for pattern in patterns)] == []
    assert [pattern for pattern in patterns if not any(fnmatchcase(path, pattern) for path in changed)] == []
    holds(copy)
