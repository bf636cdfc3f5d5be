"""The recipes of CONTRIBUTING, replayed: each ends in data that builds, and touches the files that it names alone."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import astuple
from fnmatch import fnmatchcase

import pytest
import yaml
from click.testing import CliRunner
from samples import GPU, SOUND, Tree, claim
from test_sheet_samples import html

from pipeline import __main__ as cli
from pipeline.commands.console import USAGE
from pipeline.core import files, makers, paths
from pipeline.core.paths import ROOT
from pipeline.core.schema import Claim, columns
from pipeline.dataset import Dataset
from pipeline.intake.price_sets import COLUMNS as PRICE_COLUMNS
from pipeline.intake.result_sets import COLUMNS as RESULT_COLUMNS
from pipeline.intake.sources import MODULES
from pipeline.record import build
from pipeline.site.charts.listed import CHARTS
from pipeline.tools import new_gpu, schemas

TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
ID = "nvidia-geforce-rtx-4090"
DOCUMENT = {"title": "Sheet", "kind": "vendor", "url": "https://e.org/s", "read": "2026-11-20", "licence": "not stated"}


def touches(recipe: str) -> list[str]:
    """The files that a recipe names, as patterns."""
    section = re.split(r"(?m)^## ", TEXT.split(f"## {recipe}\n", 1)[1])[0]
    named = re.search(r"Touches: (.+?)\n\n", section, re.DOTALL)
    assert named, f"the recipe {recipe!r} names no files"
    given = re.findall(r"`([^`]+)`", named[1])
    return [re.sub(r"<[^>]+>", "*", path) + ("*" if path.endswith("/") else "") for path in given]


def csv(heads: tuple[str, ...], **cells: object) -> str:
    return files.csv_text(heads, [[cells.get(name, "") for name in heads]])


def card(tree: Tree, id: str = "nvidia-rtx-new", vendor: str = "NVIDIA") -> None:
    """Fill in what `new-gpu` writes, as its comments ask."""
    text = new_gpu.empty(id)
    filled = {
        "<the name as the maker writes it, with form and memory where there are several>": f"{vendor} New",
        "<maker>": vendor,
        "<segment>": "consumer",
        "<product line, as GeForce RTX 50 series>": "New series",
        "<the maker's name of the chip generation, spelled as in the other files>": "New",
        "<PCIe card, SXM5 module, OAM module, chip>": "PCIe card",
        "<a short name, as shops and drivers write it>": f"New {vendor}",
        "<title of the page or sheet>": "Sheet",
        "<https://...>": "https://e.org/new",
        "<the day you read it, as 2026-11-22>": "2026-11-20",
        "<80 GB>": "80 GB",
        "<989 TFLOPS>": "989 TFLOPS",
        '<table "Specifications", row "GPU memory">': "row 1",
        '<table "Specifications", row "BFLOAT16">': "row 2",
    }
    for gap, words in filled.items():
        text = text.replace(gap, words)
    assert "<" not in re.sub(r"(?m)#.*$", "", text)
    tree.write(f"gpus/{id}.yml", text)


def price(tree: Tree) -> None:
    row = {"gpu": ID, "kind": "retail", "product": "ASUS RTX 4090", "provider": "Shop", "country": "US", "price": 1999}
    row |= {"currency": "USD", "date": "2026-11-19", "locator": "row 1"}
    tree.write("price-sets/shop.csv", csv(PRICE_COLUMNS, **row))
    about = {"title": "Shop", "publisher": "Shop", "url": "https://e.org", "kind": "community", "licence": "not stated"}
    tree.write("price-sets/shop.yml", yaml.safe_dump(about | {"read": "2026-11-20", "basis": "asked"}))


def correction(tree: Tree) -> None:
    values = [{"field": "board_power_w", "value": "450 W", "document": "sheet", "locator": "row Power"}]
    tree.gpu(ID, {**GPU, "documents": {"sheet": DOCUMENT}, "values": values})


def withdrawal(tree: Tree) -> None:
    entry = {"source": "other", "gpu": ID, "field": "board_power_w", "expect": "900", "reason": "power of two cards"}
    tree.write("corrections.yml", yaml.safe_dump({"withdrawn": [entry]}))


def oddity(tree: Tree) -> None:
    entry = {
        "check": "sparse_is_twice_dense",
        "gpu": ID,
        "field": "peak:fp16:fp32:sparse:tensor",
        "value": "500",
        "reason": "the maker's sheet states it so",
    }
    tree.write("corrections.yml", yaml.safe_dump({"accepted": [entry]}))


def benchmark_set(tree: Tree) -> None:
    row = {"gpu": ID, "gpu_count": 1, "workload": "training", "model": "resnet50", "precision": "fp16", "batch": 64}
    row |= {"metric": "throughput", "value": 900, "repetitions": 5, "unit": "images/s", "higher_is_better": "yes"}
    tree.write("benchmarks/mine.csv", csv(RESULT_COLUMNS, **row, software="PyTorch 2", date="2026-11-01"))
    about = {"set": "mine", "title": "Mine", "source": "me", "kind": "community", "url": "https://e.org"}
    tree.write("benchmarks/mine.yml", yaml.safe_dump(about | {"licence": "CC BY-SA 4.0", "date": "2026-11-01"}))


def wrong_source(tree: Tree) -> None:
    """What the withdrawal answers: a source with a figure that the checks refuse."""
    rows = [claim("board_power_w", "900 W", source="other", locator="row 2", kind="community")]
    tree.write("claims/other.csv", files.csv_text(columns(Claim), map(astuple, rows)))


def odd_figures(tree: Tree) -> None:
    """What the accepted oddity answers: figures of a maker that do not fit together."""
    tree.claims("wikipedia-gpu-info", (*SOUND, claim("peak:fp16:fp32:sparse:tensor", "500 TFLOPS")))


def nothing(_: Tree) -> None:
    """Most recipes begin with sound data."""


RECIPES: dict[str, tuple[Callable[[Tree], None], Callable[[Tree], None]]] = {
    "Add a GPU": (nothing, card),
    "Add a price": (nothing, price),
    "Correct a figure": (nothing, correction),
    "Withdraw what a source says": (wrong_source, withdrawal),
    "Accept an oddity": (odd_figures, oddity),
    "Add a benchmark set": (nothing, benchmark_set),
}


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_recipe_ends_in_data_that_builds_and_touches_only_its_files(tree: Tree, recipe: str) -> None:
    prepare, follow = RECIPES[recipe]
    prepare(tree)
    before = tree.state()
    follow(tree)
    after = tree.state()
    changed = {f"data/{path}" for path in after if after[path] != before.get(path)}
    patterns = touches(recipe)
    assert changed
    assert [path for path in changed if not any(fnmatchcase(path, pattern) for pattern in patterns)] == []
    assert [pattern for pattern in patterns if not any(fnmatchcase(path, pattern) for path in changed)] == []
    build.build(tree.data)


def test_an_oddity_that_nobody_accepted_is_refused_with_the_name_of_its_check(tree: Tree) -> None:
    odd_figures(tree)
    assert any("accept sparse_is_twice_dense, see CONTRIBUTING.md" in problem for problem in build.survey(tree.data)[2])


def test_a_card_of_a_maker_that_is_not_listed_is_told_the_recipe(tree: Tree) -> None:
    with pytest.raises(new_gpu.NewGpuError, match=r"'foo-bar' begins with no maker .*nvidia, amd.*'Add a maker'"):
        new_gpu.checked("foo-bar", tree.data)
    assert new_gpu.checked("nvidia-bar", tree.data) == "gpus/nvidia-bar.yml"


def test_a_new_maker_is_a_line_in_a_file(tree: Tree) -> None:
    assert touches("Add a maker") == ["data/makers.yml", "data/gpus/*.yml"]
    tree.write("makers.yml", makers.FILE.read_text(encoding="utf-8") + "Imagined: [imagined, imago]\n")
    assert makers.load(tree.data.data / "makers.yml")["Imagined"] == ("imagined", "imago")


@pytest.mark.parametrize("line", ["Imagined: [amd]", "Imagined: [NVIDIA]", "nvidia: [nvda]"])
def test_a_word_means_one_maker(tree: Tree, line: str) -> None:
    tree.write("makers.yml", f"NVIDIA: [nvidia]\nAMD: [amd]\n{line}\n")
    with pytest.raises(makers.MakerError, match=r"stands for (?:AMD|NVIDIA) already; a word means one maker"):
        makers.load(tree.data.data / "makers.yml")


@pytest.mark.parametrize(
    "text", ["Imagined: imagined\n", "Imagined: []\n", "- Imagined\n", "", "Imagined [imagined\n", "Imagined:\n"]
)
def test_a_maker_without_its_list_of_words_is_refused(tree: Tree, text: str) -> None:
    tree.write("makers.yml", text)
    with pytest.raises(makers.MakerError, match=r"data/makers.yml(:1)?: .*write a line for each maker, as NVIDIA"):
        makers.load(tree.data.data / "makers.yml")


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.SOURCE.id)
def test_a_source_is_the_files_that_its_recipe_names(module: object) -> None:
    patterns = touches("Add a source")
    source = module.SOURCE.id  # type: ignore[attr-defined]
    path = f"{module.__name__.replace('.', '/')}.py"  # type: ignore[attr-defined]
    assert fnmatchcase(path, patterns[0])
    assert (ROOT / "tests" / "recorded" / source / "expected.csv").exists()
    assert fnmatchcase(f"tests/recorded/{source}/expected.csv", patterns[2])
    assert path.rpartition("/")[2][:-3] in (ROOT / patterns[1]).read_text(encoding="utf-8")


def test_a_chart_is_a_module_and_a_line() -> None:
    module, listed = touches("Add a chart")
    text = (ROOT / listed).read_text(encoding="utf-8")
    assert len(CHARTS) > 5
    for name in re.findall(r"\b(\w+)\.CHART\b", text):
        assert fnmatchcase(f"pipeline/site/charts/{name}.py", module)
        assert (ROOT / "pipeline/site/charts" / f"{name}.py").exists()


def test_the_schemas_for_editors_are_current() -> None:
    for path, text in schemas.contents().items():
        assert (ROOT / "data" / path).read_text(encoding="utf-8") == text, "run: python -m pipeline schemas"


def test_the_schema_takes_a_sound_file_and_refuses_a_wrong_one() -> None:
    import json

    from jsonschema import Draft202012Validator

    schema = Draft202012Validator(json.loads(schemas.contents()["schemas/gpu.json"]))
    for path in sorted((ROOT / "data" / "gpus").glob("nvidia-l*.yml")):
        content = json.loads(json.dumps(yaml.safe_load(path.read_text(encoding="utf-8")), default=str))
        assert schema.is_valid(content), path.name
        assert not schema.is_valid(content | {"segmnt": "consumer"})
        assert not schema.is_valid(content | {"vendor": "NVIDA"})


def test_a_file_that_is_not_filled_in_is_refused_in_words(tree: Tree) -> None:
    tree.write("gpus/nvidia-rtx-new.yml", new_gpu.empty("nvidia-rtx-new"))
    problems = [problem for problem in build.survey(tree.data)[2] if "rtx-new" in problem]
    assert any("is no day" in problem for problem in problems)


@pytest.mark.parametrize(("id", "said"), [("RTX 9090", "is no id"), ("../x-y", "is no id"), (ID, "is there already")])
def test_new_gpu_refuses_what_can_be_no_new_file(
    tree: Tree, monkeypatch: pytest.MonkeyPatch, id: str, said: str
) -> None:
    monkeypatch.setattr(paths, "DATA", tree.data)
    before = tree.state()
    answer = CliRunner().invoke(cli.main, ["new-gpu", id])
    assert answer.exit_code == USAGE
    assert said in " ".join(answer.output.split())
    assert tree.state() == before


def sheet_of(tree: Tree, *names: str) -> str:
    """A page of a maker with one column of figures for each product."""
    head = ("", *names) if len(names) > 1 else ()
    text = html(names[0], [("GPU memory", *("48 GB" for _ in names))], head=head)
    path = tree.data.data.parent / "page.html"
    path.write_text(text, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("id", "names", "said"),
    [
        (
            "nvidia-test-product",
            ["NVIDIA GeForce RTX 4090"],
            f"add the document and the values .* to data/gpus/{ID}.yml",
        ),
        ("nvidia-zz-test", ["GeForce RTX 5080", "GeForce RTX 5090"], "describes 2 products, and one file is one"),
        ("nvidia-radeon-new", ["AMD Radeon RX 9090"], "names another maker .* run: python -m pipeline new-gpu amd-"),
        ("nvidia-rtx-4090", [], f"means .*, which data/gpus/{ID}.yml holds already"),
    ],
)
def test_a_product_that_has_a_file_or_would_share_one_is_told_and_nothing_is_written(
    tree: Tree, monkeypatch: pytest.MonkeyPatch, id: str, names: list[str], said: str
) -> None:
    tree.gpu(ID, GPU)
    monkeypatch.setattr(paths, "DATA", tree.data)
    words = ["--sheet", sheet_of(tree, *names)] if names else []
    before = tree.state()
    answer = CliRunner().invoke(cli.main, ["new-gpu", id, *words])
    assert answer.exit_code == USAGE
    assert re.search(said, " ".join(answer.output.split())), answer.output
    assert tree.state() == before


@pytest.mark.parametrize("names", [["NVIDIA GeForce RTX 5090"], ["GeForce RTX 5080", "GeForce RTX 5090"]])
def test_a_sheet_gives_the_one_file_that_was_asked_for(
    tree: Tree, monkeypatch: pytest.MonkeyPatch, names: list[str]
) -> None:
    monkeypatch.setattr(paths, "DATA", tree.data)
    answer = CliRunner().invoke(cli.main, ["new-gpu", "nvidia-geforce-rtx-5090", "--sheet", sheet_of(tree, *names)])
    assert answer.exit_code == 0, answer.output
    text = (tree.data.gpus / "nvidia-geforce-rtx-5090.yml").read_text(encoding="utf-8")
    assert text.startswith("# data/gpus/nvidia-geforce-rtx-5090.yml\n")
    assert yaml.safe_load(text)["values"][0]["value"] == "48 GB"


@pytest.mark.parametrize("command", ["sheet", "new-gpu"])
def test_names_that_clash_are_told_in_words_by_every_command(
    tree: Tree, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    tree.gpu(ID, GPU)
    tree.gpu("nvidia-twin-x", GPU)
    monkeypatch.setattr(paths, "DATA", tree.data)
    page = sheet_of(tree, "NVIDIA GeForce RTX 5090")
    answer = CliRunner().invoke(
        cli.main, ["sheet", page] if command == "sheet" else ["new-gpu", "nvidia-x-1", "--sheet", page]
    )
    assert isinstance(answer.exception, SystemExit), answer.exception
    assert re.search(
        r"data/gpus/nvidia-twin-x.yml: name: '.*RTX 4090' .* delete the other", " ".join(answer.output.split())
    ), answer.output


def test_the_dataset_of_the_recipes_is_read_like_any_other(tree: Tree) -> None:
    card(tree)
    build.build(tree.data)
    assert Dataset.load(tree.data.clean).gpus["nvidia-rtx-new"].memory_gb == 80


def test_the_schema_that_a_file_names_for_editors_is_there() -> None:
    named = 0
    for path in sorted((ROOT / "data").rglob("*.yml")):
        first = path.read_text(encoding="utf-8").partition("\n")[0]
        found = re.fullmatch(r"# yaml-language-server: \$schema=(\S+)", first)
        if found:
            named += 1
            assert (path.parent / found[1]).resolve().exists(), path
    assert named > 300
