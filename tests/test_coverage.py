"""Every name of the old articles leads to a page or heading that is there; a removed one is reported."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from browsing import SITE
from playwright.sync_api import Browser
from samples import Tree, committed
from sampling import Some

from pipeline.dataset import Dataset
from pipeline.editorial import coverage, guide
from pipeline.editorial.coverage import CoverageError, Missing, OldTopic
from pipeline.record import build
from pipeline.site.pages import addresses

HEAD = "section,name,target\n"


@pytest.fixture
def dataset(tree: Tree) -> Dataset:
    build.build(tree.data)
    return Dataset.load(tree.data.clean)


def report(
    dataset: Dataset, folder: Path, *targets: str, chapter: str = "## ECC\n"
) -> tuple[list[OldTopic], list[Missing]]:
    rows = "".join(f"Cards,name {number},{target}\n" for number, target in enumerate(targets))
    (folder / "coverage.csv").write_text(HEAD + rows, encoding="utf-8")
    (folder / "glossary.md").write_text(chapter, encoding="utf-8")
    header = "id,quote,source_title,source_url,read,subject,verdict,since,facts,expect,gap,finding,evidence\n"
    row = "C001,a quote,An article,,2026-11-21,,cannot be verified,,,,,So it is.,\n"
    (folder / "statements.csv").write_text(header + row, encoding="utf-8")
    return coverage.report(dataset, folder / "coverage.csv", folder, folder / "statements.csv")


def test_every_kind_of_target_is_found(dataset: Dataset, tmp_path: Path) -> None:
    found, missing = report(
        dataset,
        tmp_path,
        "gpus/nvidia-geforce-rtx-4090",
        "vendors/nvidia",
        "architectures/nvidia-ada-lovelace",
        "guide/glossary.md",
        "guide/glossary.md#ecc",
        "data/statements#C001",
        "clouds/aws-p3",
        "left out: a processor",
    )
    assert [str(one) for one in missing] == []
    assert [entry.left_out for entry in found][-1] == "a processor"


@pytest.mark.parametrize(
    ("target", "why"),
    [
        ("gpus/nvidia-none", "no GPU has this id"),
        ("clouds/aws-p99", "no cloud family has this id"),
        ("lines/nvidia-none", "no GPU of the dataset belongs there"),
        ("guide/none.md", "docs/guide/none.md is not there"),
        ("guide/glossary.md#gone", "docs/guide/glossary.md has no heading for #gone"),
        ("data/statements#C999", "data/statements.csv has no such id"),
        ("left out:", "says no reason"),
        ("somewhere", "is no target"),
        ("", "is no target"),
    ],
)
def test_a_target_that_is_not_there_is_missing_with_the_reason(
    dataset: Dataset, tmp_path: Path, target: str, why: str
) -> None:
    found, (missing,) = report(dataset, tmp_path, target)
    assert found == []
    assert str(missing).startswith("data/coverage.csv:2: 'name 0'")
    assert why in missing.message


def test_a_heading_that_is_taken_out_of_a_chapter_is_reported(dataset: Dataset, tmp_path: Path) -> None:
    assert report(dataset, tmp_path, "guide/glossary.md#ecc")[1] == []
    (missing,) = report(dataset, tmp_path, "guide/glossary.md#ecc", chapter="## Error correction\n")[1]
    assert "no heading for #ecc" in missing.message


def test_other_columns_are_refused(tmp_path: Path) -> None:
    (tmp_path / "coverage.csv").write_text("name,page\nECC,x\n", encoding="utf-8")
    with pytest.raises(CoverageError, match="the first line must be: section,name,target"):
        coverage.entries(tmp_path / "coverage.csv")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("A,ECC\n", r"coverage.csv:2: this row has 2 cells, .* from 'target' on, are missing"),
        ("A,ECC,x,y\n", r"coverage.csv:2: this row has 4 cells, and there are 3 columns"),
        ('A,"ECC,x\n', r"coverage.csv:2: a quote \(\"\) that opens here is never closed"),
        ("A,ECC,x\nA,ECC,y\n", r"coverage.csv:3: 'ECC' of A stands in line 2; keep one"),
    ],
)
def test_a_row_that_is_none_or_stands_twice_is_told_without_a_trace(tmp_path: Path, rows: str, message: str) -> None:
    (tmp_path / "coverage.csv").write_text(f"section,name,target\n{rows}", encoding="utf-8")
    with pytest.raises(CoverageError, match=message):
        coverage.entries(tmp_path / "coverage.csv")


def test_the_mark_of_a_spreadsheet_before_the_heads_is_no_fault(tmp_path: Path) -> None:
    (tmp_path / "coverage.csv").write_text("\ufeffsection,name,target\nA,ECC,x\n", encoding="utf-8")
    assert [entry.name for entry in coverage.entries(tmp_path / "coverage.csv")] == ["ECC"]


def test_every_name_of_the_list_is_found() -> None:
    found, missing = coverage.report(committed())
    assert [str(one) for one in missing] == []
    assert len(found) == len(list(coverage.entries()))


def test_no_name_stands_twice_in_a_section() -> None:
    names = [(entry.section, entry.name) for entry in coverage.entries()]
    assert len(names) == len(set(names))


def test_a_heading_removed_from_the_real_guide_is_reported(tmp_path: Path) -> None:
    for path in guide.FOLDER.glob("*.md"):
        (tmp_path / path.name).write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    chapter = tmp_path / "software.md"
    text = chapter.read_text(encoding="utf-8").replace("{: #opencl-opengl-directx }", "")
    chapter.write_text(text.replace("## OpenCL, OpenGL, DirectX, NumPy", ""), encoding="utf-8")
    missing = coverage.report(committed(), chapters=tmp_path)[1]
    assert {one.entry.name for one in missing} == {"OpenCL", "OpenGL", "DirectX", "NumPy"}


def test_no_name_leads_to_a_line_of_the_glossary_alone() -> None:
    assert [entry.name for entry in coverage.entries() if entry.target.startswith("guide/glossary.md")] == []


def test_families_stand_at_the_addresses_of_their_pages() -> None:
    dataset = committed()
    ours = set(coverage._families(dataset))
    for gpu in dataset.gpus.values():
        for address in (addresses.vendor(gpu), addresses.line(gpu), addresses.architecture(gpu)):
            assert address.rstrip("/") in ours


# The site's own search, asked as its page asks it: the worker of the theme with the index of the site.
ASK = """async ([worker, index, names]) => {
  const read = await (await fetch(index)).json();
  const search = new Worker(worker);
  const ask = (message) => new Promise((answer, fail) => {
    search.onmessage = (event) => answer(event.data);
    search.onerror = (event) => fail(new Error(event.message));
    search.postMessage(message);
  });
  await ask({ type: 0, data: { config: read.config, docs: read.docs, options: { suggest: false } } });
  const found = [];
  for (const name of names) {
    const { data } = await ask({ type: 2, data: name });
    found.push(data.items.map((group) => group.map((section) => section.location)));
  }
  return found;
}"""
SEEN = 10  # results that a reader looks through
NUMBERS = "Numbers to settle in the text"  # "350 GB" is the memory of many cards, too: the page need not come first


def entries_leading_to(target: str) -> list[str]:
    """The glossary's entries that link to a section: who finds one is a click away from it."""
    text = (guide.FOLDER / "glossary.md").read_text(encoding="utf-8")
    entries = [entry.partition("\n") for entry in re.split(r"^##+ ", text, flags=re.MULTILINE)[1:]]
    link = f"]({target.removeprefix('guide/')})"
    stated = re.compile(r"\{: #([\w-]+)\}")  # an entry whose anchor is not made of its heading
    named = ((found[1] if (found := stated.search(head)) else guide.anchor(head), body) for head, _, body in entries)
    return [f"guide/glossary.md#{anchor}" for anchor, body in named if link in body]


@pytest.mark.browser
def test_the_sites_search_finds_the_place_of_every_name(site: str, browser: Browser, some: Some) -> None:
    entries = some((entry for entry in coverage.entries() if not entry.left_out), 60)
    worker = next(SITE.glob("assets/javascripts/workers/search.*.js"))
    page = browser.new_page()
    page.goto(f"{site}search/search_index.json")
    addresses = [f"{site}{worker.relative_to(SITE).as_posix()}", f"{site}search/search_index.json"]
    answers = page.evaluate(ASK, [*addresses, [entry.name for entry in entries]])
    page.close()
    lost = [
        e.name
        for e, groups in zip(entries, answers, strict=True)
        if e.section != NUMBERS
        and not any(_holds(target, groups[:SEEN]) for target in (e.target, *entries_leading_to(e.target)))
    ]
    assert not lost, ", ".join(lost)
    numbers = {
        e.name
        for e, groups in zip(entries, answers, strict=True)
        if e.section == NUMBERS and _holds("data/statements#numbers", groups)
    }
    assert numbers == {entry.name for entry in entries if entry.section == NUMBERS}


def _holds(target: str, groups: list[list[str]]) -> bool:
    """Whether a page or heading is among the results."""
    path, _, anchor = target.partition("#")
    page = f"{path.removesuffix('.md').removesuffix('index').rstrip('/')}/"
    return any((f"{page}#{anchor}" if anchor else page) in group for group in groups)
