"""However a sheet is laid out, and whatever is lost of its marks, a sparse figure never comes out as dense."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest
import yaml
from hypothesis import strategies as st
from sampling import examples
from test_sheet_samples import csv, drafted, html, table_pdf

from pipeline.tools.sheet import SheetError
from pipeline.tools.sheet.sparsity import stance

# Odd figures are dense, their doubles are sparse: a figure's last digit says what it is.
LABELS = (
    "TF32 Tensor Core",
    "BFLOAT16 Tensor Core",
    "BF16 Tensor",
    "INT8 Tensor Core",
    "FP16/BF16 Tensor Core",
    "FP8 Tensor Core",
)
PRODUCTS = ("A100 80GB SXM", "H100 NVL", "L40S", "RTX 6000 Ada", "B200")
MARKS = ("*", "**", "†", "‡", "¹", "²")
NOTES = (
    "With sparsity",
    "Shown with sparsity. Specifications are one-half lower without sparsity.",
    "with structured sparsity",
    "Effective rates using the sparsity feature",
    "Sparse",
    "Sparsity enabled",
)
SPOILED = ("Preliminary", "Peak rates", "See the white paper")


@dataclass(frozen=True)
class Case:
    """A sheet to lay out: products, rows of (label, dense figures), how pairs are written and what is lost."""

    products: tuple[str, ...]
    rows: tuple[tuple[str, tuple[int, ...]], ...]
    mark: str
    note: str
    pair: str  # both, sparse only, sparse first
    at: str  # figure, label, column, words
    bar: str
    lost: str  # nothing, mark, note, note's words
    form: str


def cases() -> st.SearchStrategy[Case]:
    figure = st.integers(50, 1500).map(lambda number: 2 * number + 1)
    products = st.lists(st.sampled_from(PRODUCTS), min_size=1, max_size=3, unique=True).map(tuple)
    rows = st.lists(
        st.tuples(st.sampled_from(LABELS), st.tuples(figure, figure, figure)),
        min_size=1,
        max_size=4,
        unique_by=lambda row: row[0],
    )
    return st.builds(
        Case,
        products,
        rows.map(tuple),
        st.sampled_from(MARKS),
        st.sampled_from(NOTES),
        st.sampled_from(("both", "sparse only", "sparse first")),
        st.sampled_from(("figure", "label", "column", "words")),
        st.sampled_from((" | ", " / ", "|", "\n")),
        st.sampled_from(("nothing", "mark", "note", "words")),
        st.sampled_from(("html", "csv", "pdf", "framed")),
    )


def laid_out(case: Case) -> tuple[bytes | str, str]:
    """Write the sheet of a case."""
    mark = "" if case.lost == "mark" else case.mark
    note = f"{case.mark} {SPOILED[len(case.note) % 3] if case.lost == 'words' else case.note}"
    notes = [] if case.lost == "note" else [note]
    heads = ["", *(name + (mark if case.at == "column" else "") for name in case.products)]
    rows = [("GPU Memory", *("48 GB" for _ in case.products))]
    for label, numbers in case.rows:
        unit = "TOPS" if "INT8" in label else "TFLOPS"
        cells = [_cell(case, number, unit, mark) for number in numbers[: len(case.products)]]
        rows.append((label + (mark if case.at == "label" else ""), *cells))
    if case.form == "html":
        page = [tuple(cell.replace("\n", "<br>") for cell in row) for row in rows]
        return html("NVIDIA", page, "".join(f"<p>{text}</p>" for text in notes), heads), "s.html"
    if case.form == "csv":
        return csv(
            [["Property", *heads[1:]], *rows, *[[text, *("" for _ in case.products)] for text in notes]]
        ), "s.csv"
    lefts = (60, 200, 330, 460)[: len(heads)]
    return table_pdf("NVIDIA", heads, rows, notes, lefts, frame=case.form == "framed"), "s.pdf"


def _cell(case: Case, number: int, unit: str, mark: str) -> str:
    behind = mark if case.at == "figure" else " with sparsity" if case.at == "words" and case.lost != "mark" else ""
    dense, sparse = f"{number:,} {unit}", f"{2 * number:,} {unit}{behind}"
    both = {"both": f"{dense}{case.bar}{sparse}", "sparse first": f"{sparse}{case.bar}{dense}"}
    return both.get(case.pair, sparse)


@examples(40, 120, cases())
def test_a_sparse_figure_never_comes_out_as_dense(case: Case) -> None:
    data, name = laid_out(case)
    try:
        draft = drafted(data, name)
    except SheetError:
        return
    for gpu in draft.gpus:
        for value in yaml.safe_load(gpu.yaml)["values"]:
            if ":dense:" in value["field"]:
                number = int(value["value"].split()[0].replace(",", ""))
                assert number % 2 == 1, (case, value)
            if ":sparse:" in value["field"]:
                number = int(value["value"].split()[0].replace(",", ""))
                assert number % 2 == 0, (case, value)


# What a matrix unit does of each format, as multiples of its dense BF16 rate.
GROWTH = {
    "tf32": ("TF32", 0.5),
    "bf16": ("BF16", 1),
    "fp16": ("FP16", 1),
    "fp8": ("FP8", 2),
    "int8": ("INT8", 2),
    "fp4": ("FP4", 4),
}
WAYS = ("pair", "pair unmarked", "sparse", "sparse unmarked", "dense", "dense unmarked", "left out")


@examples(
    50,
    150,
    st.sampled_from((180, 362, 990, 1307.4)),
    st.lists(st.sampled_from(WAYS), min_size=len(GROWTH), max_size=len(GROWTH)),
    st.sampled_from(("NVIDIA H100 SXM", "NVIDIA L40S", "AMD Instinct MI300X", "GeForce RTX 4090")),
)
def test_rates_that_grow_as_hardwares_do_are_right_or_listed(base: float, ways: list[str], product: str) -> None:
    rows = [("GPU Memory", "80 GB")]
    truth = {}
    for (format_, (name, factor)), way in zip(GROWTH.items(), ways, strict=True):
        unit = "TOPS" if format_ == "int8" else "TFLOPS"
        dense, sparse = f"{base * factor:g} {unit}", f"{2 * base * factor:g} {unit}"
        truth |= {(format_, "dense"): dense, (format_, "sparse"): sparse}
        star = "" if "unmarked" in way else "*"
        said = {
            "pair": f"{dense} | {sparse}{star}",
            "sparse": f"{sparse}{star}",
            "dense": f"{dense}{star and ' dense'}",
        }
        if way != "left out":
            rows.append((f"{name} Tensor Core", said[way.split()[0]]))
    try:
        draft = drafted(html(product, rows, "<p>* With sparsity</p>"), "s.html")
    except SheetError:
        return
    for value in yaml.safe_load(draft.gpus[0].yaml)["values"]:
        if value["field"].startswith("peak"):
            _, format_, _, sparsity, _ = value["field"].split(":")
            assert value["value"] == truth[format_, sparsity], (rows, value)


@examples(20, 60, cases())
def test_a_sheet_with_all_its_marks_gives_every_pair_of_every_gpu(case: Case) -> None:
    case = replace(
        case,
        lost="nothing",
        at="figure",
        rows=tuple(row for row in case.rows if "FP" not in row[0].replace("BFLOAT", ""))
        or (("TF32 Tensor Core", (101, 103, 105)),),
    )
    data, name = laid_out(case)
    draft = drafted(data, name)
    assert len(draft.gpus) == len(case.products)
    for at, gpu in enumerate(draft.gpus):
        found = {value["field"]: value["value"] for value in yaml.safe_load(gpu.yaml)["values"]}
        for sparsity, factor in (("sparse", 2), ("dense", 1)):
            got = {value for field, value in found.items() if f":{sparsity}:" in field}
            wanted = {
                f"{factor * numbers[at]:,} {'TOPS' if 'INT8' in label else 'TFLOPS'}"
                for label, numbers in case.rows
                if "BF" not in label or sum("BF" in other for other, _ in case.rows) == 1
            }
            assert wanted <= got or (sparsity == "dense" and case.pair == "sparse only"), (case, draft.unplaced)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("With sparsity", "sparse"),
        ("Without sparsity", "dense"),
        ("Dense", "dense"),
        ("Non-sparse", "dense"),
        ("Shown with sparsity. Half of that without sparsity", "sparse"),
        ("One-half lower without sparsity", "sparse"),
        ("Dense; doubled with sparsity", "dense"),
        ("Specification in Sparse | Dense", "sparse first"),
        ("With sparsity | without sparsity", "sparse first"),
        ("Dense/Sparse", "dense first"),
        ("Sparsity is not used", "unclear"),
        ("With sparsity except FP4", "unclear"),
        ("With and without sparsity", "unclear"),
        ("Preliminary", ""),
        ("Half precision with structured sparsity", "sparse"),
        ("2x with sparsity", "unclear"),
    ],
)
def test_words_on_sparsity_are_understood_or_called_unclear(text: str, said: str) -> None:
    assert stance(text) == said
