"""A refresh replaces what a source says, keeps what it could not read, and drops no name in silence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest
from samples import Tree

from pipeline.core import files
from pipeline.core.schema import Rows
from pipeline.intake import refresh
from pipeline.intake.snapshots import Manual
from pipeline.intake.sources import table
from pipeline.intake.sources.base import Snapshot, Snapshots, Source, SourceFile
from pipeline.record import build

LIST = "name,memory,price\nGeForce RTX 4090,24,0.5\nRTX 4099,99,0.7\nRTX 4099,99,0.8\n"
OTHER = "name,memory,price\nRTX 4090,24,0.6\n"


def parse(snapshots: Snapshots) -> Rows:
    for snapshot in snapshots.values():
        for number, row in table.rows(snapshot, ["name", "memory", "price"]):
            where = f"row {number}"
            if not row["price"]:
                yield snapshot.skip(row["name"], where, "no price")
                continue
            yield snapshot.claim(row["name"], "memory_gb", row["memory"], where, "GB")
            yield snapshot.price(
                row["name"],
                where,
                kind="on_demand",
                provider="Shop",
                date="2026-08-22",
                offer=where,
                gpus=1,
                usd_per_gpu_hour=float(row["price"]),
            )


def module(
    parse: Callable[[Snapshots], Rows] = parse, forms: tuple[str, ...] = ("original",), floor: int = 1
) -> object:
    files = tuple(SourceFile(f"{n}.csv", f"https://e.org/{n}", form, floor) for n, form in enumerate(forms))
    about = Source("shop", "Shop", "Shop", "https://e.org", "MIT", "reference", "prices", files)
    return SimpleNamespace(SOURCE=about, parse=parse)


@dataclass
class Shelf:
    """A store of texts by file name; a text of None is a file that people read."""

    texts: dict[str, str | None] = field(default_factory=lambda: {"0.csv": LIST})

    def get(self, source: Source, file: SourceFile) -> Snapshot:
        text = self.texts[file.name]
        if text is None:
            raise Manual(f"{source.id}/{file.name}: read by hand")
        return Snapshot(source, file.name, file.url, text.encode(), "2026-11-20", "", source.licence)


def run(tree: Tree, module: object, shelf: Shelf, accept_change: bool = False) -> refresh.Outcome:
    names = build.load_names(tree.data)
    (outcome,) = refresh.refresh([module], shelf, names, tree.data, lambda outcome: None, accept_change)  # type: ignore[list-item]
    return outcome


def prices(tree: Tree) -> list[tuple[str, str]]:
    return [(row["offer"], row["usd_per_gpu_hour"]) for row in files.read_rows(tree.data.prices / "2026-08.csv")]


def test_claims_and_prices_arrive_under_our_id(tree: Tree) -> None:
    outcome = run(tree, module(), Shelf())
    assert not outcome.problem
    (line,) = (tree.data.claims / "shop.csv").read_text().splitlines()[1:]
    assert line.startswith("nvidia-geforce-rtx-4090,memory_gb,24,GB,shop,reference,https://e.org/0,")
    assert prices(tree) == [("row 2", "0.5")]


def test_an_unknown_name_is_reported_with_file_row_and_count(tree: Tree) -> None:
    run(tree, module(), Shelf())
    (row,) = files.read_rows(tree.data.unresolved / "shop.csv")
    assert (row["name"], row["verdict"], row["rows"]) == ("RTX 4099", "unknown", "4")
    assert (row["file"], row["locator"]) == ("0.csv", "row 3")
    assert "data/gpus" in row["reason"]


def test_a_second_refresh_changes_nothing(tree: Tree) -> None:
    run(tree, module(), Shelf())
    before = tree.state()
    run(tree, module(), Shelf())
    assert tree.state() == before


def test_reading_a_snapshot_again_replaces_its_prices_and_another_one_adds(tree: Tree) -> None:
    run(tree, module(), Shelf())
    run(tree, module(), Shelf({"0.csv": OTHER.replace("RTX 4090,24,0.6", ",,\nRTX 4090,24,0.6")}), accept_change=True)
    assert prices(tree) == [("row 2", "0.5"), ("row 3", "0.6")], "another snapshot, another offer"
    run(tree, module(), Shelf({"0.csv": LIST.replace("0.5", "0.4")}), accept_change=True)
    assert prices(tree) == [("row 2", "0.4"), ("row 3", "0.6")], "the same offer of the same day, read again"


def raising(error: Exception) -> Callable[[Snapshots], Rows]:
    def parse(snapshots: Snapshots) -> Rows:
        raise error
        yield  # a generator, as every parse is

    return parse


@pytest.mark.parametrize(
    ("broken", "text", "message"),
    [
        (module(), "title,memory,price\nRTX 4090,24,1\n", "no column 'name'"),
        (module(), "name,memory,price\n", "0 rows, at least 1 expected"),
        (module(floor=50), LIST, "at least 50 expected"),
        (module(), "name,memory,price\nRTX 4090,24\n", "row 2: 2 cells under 3 headings"),
        (module(), 'name,memory,price\n"RTX', "broken CSV"),
        (module(raising(KeyError("memory"))), LIST, "KeyError"),
    ],
)
def test_a_source_that_fails_keeps_its_last_good_rows(tree: Tree, broken: object, text: str, message: str) -> None:
    run(tree, module(), Shelf())
    before = tree.state()
    outcome = run(tree, broken, Shelf({"0.csv": text}))
    assert message in outcome.problem
    assert tree.state() == before


def test_a_file_read_by_hand_keeps_its_claims_when_the_others_are_read(tree: Tree) -> None:
    two = module(forms=("original", "extract"))
    run(tree, two, Shelf({"0.csv": OTHER, "1.csv": OTHER}))
    before = tree.state()["claims/shop.csv"]
    assert before.count(b"1.csv") == 1
    outcome = run(tree, two, Shelf({"0.csv": OTHER, "1.csv": None}))
    assert outcome.manual == ["1.csv"]
    assert tree.state()["claims/shop.csv"] == before


def test_a_row_that_is_skipped_is_listed_with_its_reason(tree: Tree) -> None:
    run(tree, module(), Shelf({"0.csv": LIST + "RTX 4090 D,24,\n"}))
    assert "RTX 4090 D,skipped,1,0.csv,row 5,no price" in (tree.data.unresolved / "shop.csv").read_text()


def test_what_was_read_when_is_noted(tree: Tree) -> None:
    run(tree, module(), Shelf())
    (line,) = files.read_rows(tree.data.snapshots)
    assert (line["source"], line["file"], line["retrieved"], line["rows"]) == (
        "shop",
        "0.csv",
        "2026-11-20",
        "6",
    )
