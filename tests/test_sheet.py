"""What a sheet's draft says, over layouts, makers and wordings: the variations a reader must get right."""

from __future__ import annotations

import pytest
import yaml
from test_sheet_samples import csv, drafted, html, pdf, table_pdf, values

from pipeline.tools.sheet import Draft, SheetError

WITH_SPARSITY = "* With sparsity"
A100_ROWS = [
    ("FP64", "9.7 TFLOPS", ""),
    ("FP64 Tensor Core", "19.5 TFLOPS", ""),
    ("Tensor Float 32 (TF32)", "156 TFLOPS | 312 TFLOPS*", ""),
    ("BFLOAT16 Tensor Core", "312 TFLOPS | 624 TFLOPS*", ""),
    ("FP16 Tensor Core", "312 TFLOPS | 624 TFLOPS*", ""),
    ("INT8 Tensor Core", "624 TOPS | 1248 TOPS*", ""),
    ("GPU Memory", "80GB HBM2e", "80GB HBM2e"),
    ("GPU Memory Bandwidth", "2,039 GB/s", "1,935 GB/s"),
    ("Max Thermal Design Power (TDP)", "400W", "300W"),
]
H100_HEAD = ("Form Factor", "H100 SXM", "H100 NVL")


def unplaced(draft: Draft) -> str:
    return "\n".join(draft.unplaced)


def one_row(label: str, text: str, notes: str = "", title: str = "NVIDIA H100 SXM") -> Draft:
    """A sheet with a memory row, so that it is one, and the row under test."""
    return drafted(html(title, [("GPU memory", "80 GB"), (label, text)], notes), "page.html")


# ---------------------------------------------------------------- which column is which GPU


def test_columns_in_another_order_give_each_gpu_its_own_figures() -> None:
    draft = drafted(
        table_pdf("NVIDIA A100 TENSOR CORE GPU", ("", "A100 80GB SXM", "A100 80GB PCIe"), A100_ROWS, [WITH_SPARSITY]),
        "a100.pdf",
    )
    sxm, pcie = values(draft, "nvidia-a100-80gb-sxm"), values(draft, "nvidia-a100-80gb-pcie")
    assert (sxm["memory_bandwidth_gb_s"], pcie["memory_bandwidth_gb_s"]) == ("2,039 GB/s", "1,935 GB/s")
    assert (sxm["board_power_w"], pcie["board_power_w"]) == ("400W", "300W")
    assert sxm["peak:fp64:fp64:dense:vector"] == pcie["peak:fp64:fp64:dense:vector"] == "9.7 TFLOPS"
    assert sxm["peak:int8:int32:sparse:tensor"] == "1248 TOPS"
    assert sxm["peak:int8:int32:dense:tensor"] == "624 TOPS"


def test_a_head_of_forms_only_takes_the_family_from_the_title() -> None:
    draft = drafted(
        html("NVIDIA H100 Tensor Core GPU", [("GPU memory", "80GB", "94GB")], head=("", "SXM", "NVL")), "h.html"
    )
    assert [gpu.id for gpu in draft.gpus] == ["nvidia-h100-sxm", "nvidia-h100-nvl"]
    assert values(draft, "nvidia-h100-nvl")["memory_gb"] == "94GB"


def test_a_first_row_called_form_factor_that_names_products_is_the_head() -> None:
    draft = drafted(html("NVIDIA H100", [H100_HEAD, ("GPU memory", "80GB", "94GB")]), "h.html")
    assert values(draft, "nvidia-h100-nvl")["memory_gb"] == "94GB"


def test_labels_between_two_products_are_found() -> None:
    rows = [
        ("H100 SXM", "Feature", "H200 SXM"),
        ("80 GB", "GPU Memory", "141 GB"),
        ("3.35TB/s", "GPU Memory Bandwidth", "4.8TB/s"),
    ]
    draft = drafted(html("Comparison", rows), "c.html")
    assert values(draft, "nvidia-h100-sxm")["memory_bandwidth_gb_s"] == "3.35TB/s"
    assert values(draft, "nvidia-h200-sxm")["memory_gb"] == "141 GB"


def test_three_framed_columns_share_a_cell_over_all_of_them() -> None:
    page = html(
        "AMD Instinct",
        [
            ("", "MI300X", "MI325X", "MI355X"),
            ("Form factor", '<td colspan="3">OAM</td>'),
            ("Memory size", "192 GB HBM3", "256 GB HBM3E", "288 GB HBM3E"),
            ("Peak memory bandwidth", "5.3 TB/s", '<td colspan="2">8 TB/s</td>'),
        ],
    )
    draft = drafted(page, "mi.html")
    assert [values(draft, f"amd-mi{x}x")["memory_bandwidth_gb_s"] for x in (300, 325, 355)] == [
        "5.3 TB/s",
        "8 TB/s",
        "8 TB/s",
    ]
    assert all("form_factor: OAM module" in gpu.yaml for gpu in draft.gpus)
    assert "columns 3 to 4 (one cell)" in draft.gpus[1].yaml


def test_a_framed_pdf_with_three_products_is_read_cell_by_cell() -> None:
    rows = [("GPU Memory", "24 GB GDDR6", "48 GB GDDR6", "24 GB GDDR6"), ("Max TDP", "150 W", "300 W", "72 W")]
    data = table_pdf("NVIDIA", ("Specification", "A10", "A40", "L4"), rows, lefts=(60, 200, 320, 440), frame=True)
    draft = drafted(data, "three.pdf")
    assert {gpu.id: values(draft, gpu.id)["board_power_w"] for gpu in draft.gpus} == {
        "nvidia-a10": "150 W",
        "nvidia-a40": "300 W",
        "nvidia-l4": "72 W",
    }


def test_one_figure_of_three_free_columns_is_no_common_figure_where_the_sheet_leaves_blanks() -> None:
    rows = [
        ("GPU Memory", "24 GB", "48 GB", "24 GB"),
        ("Max TDP", "150 W", "", "72 W"),
        ("CUDA Cores", "9,216", "", ""),
    ]
    draft = drafted(table_pdf("NVIDIA", ("", "A10", "A40", "L4"), rows, lefts=(60, 200, 320, 440)), "three.pdf")
    assert values(draft, "nvidia-a10")["shader_cores"] == "9,216"
    assert "shader_cores" not in values(draft, "nvidia-a40")
    assert "merged cell" in unplaced(draft)


def test_a_csv_with_a_column_a_product_and_units_of_their_own_is_read() -> None:
    rows = [
        ("Category", "Parameter", "Unit", "RTX A4000", "RTX A6000"),
        ("Memory", "Memory size", "GB", "16", "48"),
        ("", "Memory bandwidth", "GB/s", "448", "768"),
        ("Power", "Max power consumption", "W", "140", "300"),
    ]
    draft = drafted(csv(rows, ";"), "export.csv")
    assert values(draft, "nvidia-rtx-a6000")["memory_bandwidth_gb_s"] == "768 GB/s"
    assert 'section "Memory"' in draft.gpus[0].yaml
    assert values(draft, "nvidia-rtx-a4000")["board_power_w"] == "140 W"


GPUS_BY_ROW = """
GPU hardware
============

.. list-table::
   :header-rows: 1

   * - Model
     - Architecture
     - LLVM target name
     - VRAM (GiB)
     - Compute Units
     - L2 Cache (MiB)
   * - Radeon RX 7900 XTX
     - RDNA3
     - gfx1100
     - 24
     - 96
     - 6
   * - MI300X
     - CDNA3
     - gfx942
     - 192
     - 304
     - 32
"""


def test_one_gpu_a_row_with_units_in_the_head_is_turned() -> None:
    draft = drafted(GPUS_BY_ROW, "gpus.rst")
    assert values(draft, "amd-radeon-rx-7900-xtx") == {
        "llvm_target": "gfx1100",
        "memory_gb": "24 GiB",
        "compute_units": "96",
        "l2_cache_mb": "6 MiB",
    }
    assert values(draft, "amd-mi300x")["memory_gb"] == "192 GiB"
    assert 'row 3 "MI300X", column 4 "VRAM (GiB)"' in draft.gpus[1].yaml


def test_a_grid_table_with_a_span_and_footnotes_is_read() -> None:
    text = """
NVIDIA H100
===========

+------------------+---------------+---------------+
|                  | H100 SXM      | H100 PCIe     |
+==================+===============+===============+
| FP64             | 34 TFLOPS     | 26 TFLOPS     |
+------------------+---------------+---------------+
| TF32 Tensor Core | 989 TFLOPS    | 756 TFLOPS    |
|                  | [1]_          | [1]_          |
+------------------+---------------+---------------+
| GPU memory       | 80 GB                         |
+------------------+---------------+---------------+

.. [1] Shown with sparsity. Specifications are one-half lower
   without sparsity.
"""
    draft = drafted(text, "h100.rst")
    pcie = values(draft, "nvidia-h100-pcie")
    assert pcie == {
        "memory_gb": "80 GB",
        "peak:fp64:fp64:dense:vector": "26 TFLOPS",
        "peak:tf32:fp32:sparse:tensor": "756 TFLOPS",
    }


def test_a_simple_table_and_a_csv_table_are_read() -> None:
    rule = "============  ========"
    simple = f"NVIDIA L4\n=========\n\n{rule}\nGPU Memory    24 GB\nMax TDP       72 W\n{rule}\n"
    assert values(drafted(simple, "l4.rst")) == {"memory_gb": "24 GB", "board_power_w": "72 W"}
    rows = '   :header: "Property", "Value"\n\n   "GPU Memory", "24 GB"\n   "Max TDP", "72 W"\n'
    table = f"NVIDIA L4\n=========\n\n.. csv-table::\n{rows}"
    assert values(drafted(table, "l4.rst")) == {"memory_gb": "24 GB", "board_power_w": "72 W"}


# ---------------------------------------------------------------- dense against sparse


@pytest.mark.parametrize(
    ("cell", "note"),
    [
        ("1,979 TFLOPS*", "<p>* With sparsity</p>"),
        (
            "1,979 TFLOPS<sup>1</sup>",
            "<p><sup>1</sup> Shown with sparsity. Specifications 1/2 lower without sparsity.</p>",
        ),
        ("1,979 teraFLOPS†", "<p>† Effective rate using the structured sparsity feature</p>"),
        ("1,979 TFLOPS [2]", "<ol><li>[2] With 2:4 structured sparsity</li></ol>"),
        ("1,979 TFLOPS with sparsity", ""),
        ("1,979 TFLOPS (sparse)", ""),
        ("1,979 TFLOPS²", "<p>2. Specifications in sparse. Dense is one-half of the sparse figure shown.</p>"),
        ("1,979 TFLOPS", "<p>All Tensor Core figures are shown with sparsity.</p>"),
        ("1,979 TFLOPS (1)", "<p>(1) with sparsity enabled</p>"),
    ],
)
def test_a_rate_marked_in_any_way_as_sparse_is_sparse_and_nothing_else(cell: str, note: str) -> None:
    found = values(one_row("BFLOAT16 Tensor Core", cell, note))
    assert found.pop("peak:bf16:fp32:sparse:tensor").startswith("1,979 ")
    assert found == {"memory_gb": "80 GB"}


@pytest.mark.parametrize(
    "label", ["BFLOAT16 Tensor Core*", "BFLOAT16 Tensor Core with sparsity", "Sparse BF16 Tensor Core"]
)
def test_a_row_marked_as_sparse_is_sparse(label: str) -> None:
    assert (
        values(one_row(label, "1,979 TFLOPS", "<p>* With sparsity</p>"))["peak:bf16:fp32:sparse:tensor"]
        == "1,979 TFLOPS"
    )


def test_a_section_or_a_column_marked_as_sparse_makes_its_rates_sparse() -> None:
    section = html(
        "NVIDIA H100 SXM",
        [
            ("GPU memory", "80 GB"),
            ('<td colspan="2">Tensor Core rates (with sparsity)</td>',),
            ("BFLOAT16 Tensor Core", "1,979 TFLOPS"),
        ],
    )
    assert "peak:bf16:fp32:sparse:tensor" in values(drafted(section, "s.html"))
    column = html(
        "NVIDIA",
        [("GPU memory", "80 GB"), ("BFLOAT16 Tensor Core", "1,979 TFLOPS")],
        "<p>* With sparsity</p>",
        head=("", "H100 SXM*"),
    )
    assert "peak:bf16:fp32:sparse:tensor" in values(drafted(column, "c.html"))


@pytest.mark.parametrize(
    ("cell", "note"),
    [
        ("1,979* | 989 TFLOPS", "<p>* With sparsity</p>"),
        ("989 | 1,979 TFLOPS<sup>1</sup>", "<p><sup>1</sup> With sparsity</p>"),
        ("989 TFLOPS / 1,979 TFLOPS*", "<p>*With structured sparsity.</p>"),
        ("1,979 | 989 TFLOPS<sup>1</sup>", "<p><sup>1</sup> Specification in Sparse | Dense</p>"),
        ("989 TFLOPS<br>1,979 TFLOPS*", "<p>* With sparsity</p>"),
        ("989 TFLOPS (1,979 TFLOPS with sparsity)", ""),
        ("989 TFLOPS dense | 1,979 TFLOPS sparse", ""),
    ],
)
def test_a_pair_is_told_apart_by_its_marks_in_either_order(cell: str, note: str) -> None:
    found = values(one_row("BF16 Tensor Core", cell, note))
    assert found["peak:bf16:fp32:dense:tensor"] == "989 TFLOPS"
    assert found["peak:bf16:fp32:sparse:tensor"] == "1,979 TFLOPS"


def test_a_label_can_give_the_order_of_a_pair() -> None:
    found = values(one_row("TF32 Tensor Core (Dense | Sparse)", "495 | 989 TFLOPS"))
    assert found["peak:tf32:fp32:dense:tensor"] == "495 TFLOPS"


@pytest.mark.parametrize(
    ("cell", "note", "said"),
    [
        ("989 | 1,979 TFLOPS", "<p>* With sparsity</p>", "does not say whether it is dense or with sparsity"),
        ("989 | 1,979* TFLOPS", "", "its text is not in the file"),
        ("989 | 1,979* TFLOPS", "<p>* Preliminary, may change</p>", "does not speak of sparsity"),
        ("1,979* | 989* TFLOPS", "<p>* With sparsity</p>", "several values"),
        ("989* | 1,979 TFLOPS", "<p>* With sparsity</p>", "the mark may have moved"),
        ("1,979 TFLOPS", "", "does not say whether it is dense or with sparsity"),
        ("1,979 TFLOPS*", "<p>* With sparsity</p><p>* Without sparsity</p>", "several texts"),
        ("1,979 TFLOPS*", "<p>* All rates with sparsity except BF16, which is dense</p>", "not clear"),
        ("1,979 TFLOPS", "<p><sup>1</sup> With sparsity</p>", "no figure points"),
    ],
)
def test_without_clear_marks_a_rate_is_listed_and_never_dense(cell: str, note: str, said: str) -> None:
    draft = one_row("BF16 Tensor Core", cell, note)
    assert not any(":dense:" in field for field in values(draft))
    assert said in unplaced(draft)


def test_marks_of_two_lengths_are_two_footnotes() -> None:
    note = "<p>* With sparsity</p><p>** Without sparsity</p>"
    found = values(one_row("BF16 Tensor Core", "989 TFLOPS**", note))
    assert found["peak:bf16:fp32:dense:tensor"] == "989 TFLOPS"


def test_raised_small_figures_of_a_pdf_are_marks_and_no_digits() -> None:
    texts = [
        (60, 60, 18, "NVIDIA H100"),
        (60, 120, 8, "GPU memory"),
        (260, 120, 8, "80 GB"),
        (60, 140, 8, "BF16 Tensor Core"),
        (260, 140, 8, "1,979 TFLOPS"),
        (315, 138, 5, "1"),
        (60, 160, 8, "FP64 Tensor Core"),
        (260, 160, 8, "67 TFLOPS"),
        (60, 220, 5, "1"),
        (64, 221, 7, "With sparsity"),
    ]
    assert values(drafted(pdf((texts, [])), "h.pdf"))["peak:bf16:fp32:sparse:tensor"] == "1,979 TFLOPS"


def test_a_footnote_over_two_lines_keeps_its_second_line() -> None:
    data = table_pdf(
        "NVIDIA H100 SXM",
        ("", "H100 SXM"),
        [("GPU memory", "80 GB"), ("BF16 Tensor Core", "1,979 TFLOPS*")],
        ["* Measured in the laboratory of the maker and shown", "with sparsity"],
        lefts=(60, 260),
    )
    assert "peak:bf16:fp32:sparse:tensor" in values(drafted(data, "h.pdf"))


def test_hardware_without_sparsity_needs_no_mark_to_be_dense() -> None:
    draft = one_row("INT8 Tensor Core", "130 TOPS", title="NVIDIA T4")
    assert values(draft)["peak:int8:int32:dense:tensor"] == "130 TOPS"


def test_a_row_with_sparsity_beside_it_shows_that_the_plain_row_is_dense_and_on_the_matrix_unit() -> None:
    rows = [
        ("GPU Architecture", "CDNA3"),
        ("Peak Half Precision (FP16) Performance", "1,307.4 TFLOPs"),
        ("Peak Half Precision (FP16) Performance with Structured Sparsity", "2,614.9 TFLOPs"),
        ("Peak Single Precision (FP32) Performance", "163.4 TFLOPs"),
        ("Peak Single Precision Matrix (FP32) Performance", "163.4 TFLOPs"),
        ("Peak Eight-bit Precision (FP8) Performance (E5M2, E4M3)", "2,614.9 TFLOPs"),
        ("Peak INT8 Performance", "2,614.9 TOPs"),
    ]
    draft = drafted(html("AMD Instinct™ MI300X Accelerators", rows), "mi300x.html")
    found = values(draft, "amd-instinct-mi300x")
    assert found["peak:fp16:fp32:dense:tensor"] == "1,307.4 TFLOPs"
    assert found["peak:fp16:fp32:sparse:tensor"] == "2,614.9 TFLOPs"
    assert found["peak:fp32:fp32:dense:vector"] == found["peak:fp32:fp32:dense:tensor"] == "163.4 TFLOPs"
    assert found["peak:fp8:fp32:dense:tensor"] == "2,614.9 TFLOPs"
    assert "int8: the label does not say whether int8 runs on the vector or the matrix unit" in unplaced(draft)
    assert "dense: unmarked beside marked rows, and 2 × the sheet's dense FP16 rate" in draft.yaml


def test_an_unmarked_rate_is_not_measured_against_one_with_fp16_accumulate() -> None:
    rows = [
        ("FP16 Tensor Core with FP16 accumulate", "330.3 | 660.6 TFLOPS (sparse)"),
        ("FP8 Tensor Core", "660.6 TFLOPS"),
    ]
    said = unplaced(drafted(html("GeForce RTX 4090", rows), "4090.html"))
    assert "fp8: the sheet does not say whether it is dense or with sparsity" in said


@pytest.mark.parametrize(
    ("label", "text"),
    [("FP8", "5,229.8 TFLOPs"), ("INT8", "5,229.8 TOPs"), ("BF16", "2,614.9 TFLOPs"), ("FP6", "5,229.8 TFLOPs")],
)
def test_an_unmarked_rate_that_its_bits_do_not_explain_stays_unplaced(label: str, text: str) -> None:
    rows = [
        ("FP16 Matrix", "1,307.4 TFLOPs"),
        ("FP16 Matrix with Structured Sparsity", "2,614.9 TFLOPs"),
        (f"{label} Matrix", text),
    ]
    draft = drafted(html("AMD Instinct MI300X", rows), "mi300x.html")
    assert not any(field.startswith(f"peak:{label.casefold()}") for field in values(draft))
    assert "the sheet does not say whether it is dense or with sparsity" in unplaced(draft)


# ---------------------------------------------------------------- engines and accumulators


def test_matrix_and_vector_words_of_intel_choose_the_engine() -> None:
    rows = [
        ("Memory size", "16 GB"),
        ("FP32 Vector TFLOPs", "14.3"),
        ("INT8 XMX TOPS (dense)", "1,835"),
        ("FP16 XMX TFLOPS (dense)", "918"),
    ]
    draft = drafted(html("Intel Arc A770", rows), "arc.html")
    found = values(draft)
    assert found["peak:fp32:fp32:dense:vector"] == "14.3 TFLOPS"
    assert found["peak:int8:int32:dense:tensor"] == "1,835 TOPS"
    assert "does not say in which format it accumulates" in unplaced(draft)


def test_gaudi_has_neither_sparsity_nor_a_second_accumulator() -> None:
    page = html("Intel Gaudi 3", [("HBM capacity", "128 GB"), ("BF16 Matrix TFLOPs", "1,835"), ("TDP", "900 W")])
    assert values(drafted(page, "gaudi.html"))["peak:bf16:fp32:dense:tensor"] == "1,835 TFLOPS"


def test_fp16_with_an_unsaid_accumulator_is_placed_only_where_it_equals_bf16() -> None:
    rows = [("Memory", "24 GB"), ("BF16 Tensor (dense)", "165.2 TFLOPS"), ("FP16 Tensor (dense)", "330.3 TFLOPS")]
    draft = drafted(html("NVIDIA GeForce RTX 4090", rows), "4090.html")
    assert not any(field.startswith("peak:fp16") for field in values(draft))
    assert "FP16 or FP32" in unplaced(draft)


def test_a_label_that_names_the_accumulator_is_believed() -> None:
    rows = [
        ("Peak FP16 Tensor TFLOPS with FP16 Accumulate", "330.3 | 660.6*"),
        ("Peak FP16 Tensor TFLOPS with FP32 Accumulate", "165.2 | 330.4*"),
    ]
    found = values(drafted(html("NVIDIA GeForce RTX 4090", rows, "<p>* With sparsity</p>"), "4090.html"))
    assert found["peak:fp16:fp16:dense:tensor"] == "330.3 TFLOPS"
    assert found["peak:fp16:fp32:dense:tensor"] == "165.2 TFLOPS"
    assert found["peak:fp16:fp32:sparse:tensor"] == "330.4 TFLOPS"


def test_two_formats_in_one_label_have_the_same_rate() -> None:
    rows = [
        ("FP16/BF16 Tensor Core", "2.25 | 4.5* PFLOPS"),
        ("FP8/FP6 Tensor Core", "4.5 | 9* PFLOPS"),
        ("FP64/FP64 Tensor Core", "37 TFLOPS"),
    ]
    found = values(drafted(html("NVIDIA B200", rows, "<p>* With sparsity</p>"), "b200.html"))
    assert found["peak:fp6:fp32:dense:tensor"] == "4.5 PFLOPS"
    assert found["peak:bf16:fp32:sparse:tensor"] == "4.5 PFLOPS"
    assert found["peak:fp64:fp64:dense:vector"] == found["peak:fp64:fp64:dense:tensor"] == "37 TFLOPS"


@pytest.mark.parametrize(
    "label", ["Total FP4 Tensor Core", "FP16 Tensor Core per server", "RT Core performance", "AI TOPS"]
)
def test_a_rate_under_a_label_that_is_not_fully_understood_is_listed(label: str) -> None:
    draft = one_row(label, "1,440 TFLOPS")
    assert values(draft) == {"memory_gb": "80 GB"}
    assert "1,440 TFLOPS" in unplaced(draft)


def test_a_rate_without_unit_takes_it_only_from_a_table_with_one_unit() -> None:
    alone = one_row("FP64", "34")
    assert "no unit is printed" in unplaced(alone)
    beside = drafted(html("NVIDIA H100", [("FP64", "34"), ("FP32", "67 TFLOPS")]), "h.html")
    assert values(beside)["peak:fp64:fp64:dense:vector"] == "34 TFLOPS"
    assert 'taken from row "FP32"' in beside.gpus[0].yaml
    mixed = drafted(
        html("NVIDIA H100", [("FP64", "34"), ("FP32", "67 TFLOPS"), ("FP64 Tensor Core", "0.067 PFLOPS")]), "h.html"
    )
    assert "peak:fp64:fp64:dense:vector" not in values(mixed)


# ---------------------------------------------------------------- quantities


def test_two_quantities_in_one_cell_are_split() -> None:
    barred = drafted(
        html("NVIDIA GB200", [("GPU Memory | Bandwidth", "186GB HBM3E | 8TB/s"), ("CUDA Cores", "1")]), "g.html"
    )
    assert values(barred)["memory_bandwidth_gb_s"] == "8TB/s"
    page = html("NVIDIA H100 SXM", [("Memory", "80 GB HBM3 3.35 TB/s"), ("Max TDP", "700 W")])
    found = values(drafted(page, "h.html"))
    assert found == {
        "memory_gb": "80 GB",
        "memory_type": "HBM3",
        "memory_bandwidth_gb_s": "3.35 TB/s",
        "board_power_w": "700 W",
    }


def test_fixed_spaces_and_typographic_signs_do_not_change_a_figure() -> None:
    rows = [
        ("Memory Bandwidth", "2\u00a0039\u00a0GB/s"),
        ("Memory Size", "80\u202fGiB"),
        ("Memory Interface", "5120\u2011bit"),
        ("Memory Type", "HBM2e"),
        ("Base Clock", "1.41\u2009GHz"),
    ]
    assert values(drafted(html("NVIDIA A100", rows), "a.html")) == {
        "memory_bandwidth_gb_s": "2039 GB/s",
        "memory_gb": "80 GiB",
        "memory_bus_bit": "5120-bit",
        "memory_type": "HBM2e",
        "base_clock_mhz": "1.41 GHz",
    }


@pytest.mark.parametrize(
    ("label", "text", "value"),
    [
        ("Max Thermal Design Power (TDP)", "Up to 700W (configurable)", "700W"),
        ("Max Thermal Design Power (TDP)", "Configurable up to 1,200 W", "1,200 W"),
        ("Thermal Design Power", "Up to 700W", None),
        ("Max Thermal Design Power (TDP)", "300-350W (configurable)", None),
        ("TDP", "300 – 350 W", None),
        ("TDP", "300W or 350W", None),
        ("TDP", "~350 W", None),
        ("TDP", "350", None),
        ("TDP (W)", "350", "350 W"),
        ("TDP", "350 GB", None),
    ],
)
def test_a_bound_or_a_range_of_power_is_no_figure_unless_the_label_asks_for_the_maximum(
    label: str, text: str, value: str | None
) -> None:
    draft = one_row(label, text)
    assert values(draft).get("board_power_w") == value
    assert value is not None or text in unplaced(draft)
    assert ("a range or a choice" in unplaced(draft)) == (value is None and "350" in text and "300" in text)


@pytest.mark.parametrize(
    ("label", "text"),
    [
        ("GPU Memory Bandwidth", "864 GB"),
        ("GPU Memory Bandwidth", "2.039 GB/s"),
        ("Memory Clock", "2400 MHz"),
        ("Memory size", "4x 16 GB GDDR6"),
        ("Memory size", "96 GB (48 GB per GPU)"),
        ("CUDA Cores", "2x 2496"),
        ("NVLink", "50 GB/s per direction"),
        ("Infinity Fabric", "128 GB/s"),
        ("Process", "TSMC 4N"),
        ("Process", "Intel 7"),
        ("Launch Date", "04/05/2022"),
        ("Graphics Clock", "2100 MHz"),
        ("Recommended Customer Price", "$349.00"),
    ],
)
def test_what_does_not_fit_its_field_is_listed_with_its_text(label: str, text: str) -> None:
    draft = drafted(html("NVIDIA L40S", [("Max TDP", "350 W"), (label, text)]), "l.html")
    assert values(draft) == {"board_power_w": "350 W"}
    assert text in unplaced(draft)


@pytest.mark.parametrize(
    ("label", "text", "field", "value"),
    [
        ("NVLink", "Fifth-generation NVLink: 1.8 TB/s", "link_gb_s", "1.8 TB/s"),
        ("PCIe", "Gen5 x16", "pcie_gen", "5"),
        ("Interconnect", "PCIe Gen5: 128GB/s", "pcie_gen", "5"),
        ("Process", "TSMC N6", "process_nm", "6 nm"),
        ("Process Size", "5 nm", "process_nm", "5 nm"),
        ("Launch Date", "October 12, 2022", "launch_date", "2022-10-12"),
        ("Launch Date", "Q3 2023", "launch_date", "2023"),
        ("Width", "2-Slot", "slot_width", "2"),
        ("ECC memory", "Yes", "ecc", "yes"),
        ("Transistors (billion)", "76.3", "transistors_millions", "76.3 billion"),
        ("Die size", "608.5 mm²", "die_size_mm2", "608.5 mm2"),
        ("CUDA Compute Capability", "8.9", "compute_capability", "8.9"),
        ("Compute Units", "304 (38 per XCD)", "compute_units", "304"),
        ("L2 Cache (MiB)", "32 (4 per XCD)", "l2_cache_mb", "32 MiB"),
        ("Thermal Solution", "Active fan", "cooling", "active"),
    ],
)
def test_single_fields_are_read_as_sheets_print_them(label: str, text: str, field: str, value: str) -> None:
    assert values(one_row(label, text, title="NVIDIA GeForce RTX 4090"))[field] == value


def test_a_decimal_comma_is_refused_with_its_place() -> None:
    page = html("NVIDIA A100", [("FP64", "9,7 TFLOPS"), ("GPU Memory Bandwidth", "1.935 GB/s")])
    with pytest.raises(SheetError, match=r"a\.html: table 1, row 1, column 2: '9,7 TFLOPS' has a decimal comma"):
        drafted(page, "a.html")


def test_a_figure_for_several_boards_by_footnote_is_listed() -> None:
    draft = one_row("GPU Memory Bandwidth", "26.8 TB/s*", "<p>* Aggregate for eight GPUs</p>")
    assert "memory_bandwidth_gb_s" not in values(draft)
    assert "not the figure of one GPU" in unplaced(draft)


def test_a_condition_in_a_footnote_stays_with_its_figure() -> None:
    draft = one_row("Max TDP", "700 W*", "<p>* Standard configuration</p>")
    assert values(draft)["board_power_w"] == "700 W"
    assert "footnote *: Standard configuration" in draft.gpus[0].yaml


# ---------------------------------------------------------------- sheets that cannot be read to the end


def test_a_cell_merged_over_rows_is_listed_with_its_place() -> None:
    rows = [("GPU memory", "80 GB"), ("BF16 Tensor Core", '<td rowspan="2">1,979 TFLOPS*</td>'), ("FP8 Tensor Core",)]
    draft = drafted(html("NVIDIA H100 SXM", rows, "<p>* With sparsity</p>"), "h.html")
    assert values(draft) == {"memory_gb": "80 GB"}
    assert "table 1, row 2" in unplaced(draft) and "a merged cell" in unplaced(draft)


def test_a_rule_that_stops_short_of_a_column_of_a_pdf_is_a_merged_cell() -> None:
    texts = [(60, 60, 18, "NVIDIA H100 SXM"), (260, 104, 8, "H100 SXM")]
    rows = [
        ("GPU memory", "80 GB"),
        ("BF16 Tensor Core", "1,979 TFLOPS*"),
        ("FP8 Tensor Core", ""),
        ("Max TDP", "700 W"),
    ]
    strokes = []
    for at, (label, text) in enumerate(rows):
        texts += [(60, 122 + 18 * at, 8, label)] + ([(260, 122 + 18 * at, 8, text)] if text else [])
        strokes.append((56, 117 + 18 * at, 220 if label.startswith("FP8") else 500, 117 + 18 * at))
    texts.append((60, 230, 7, "* With sparsity"))
    draft = drafted(pdf((texts, [*strokes, (56, 189, 500, 189)])), "h.pdf")
    assert values(draft) == {"memory_gb": "80 GB", "board_power_w": "700 W"}
    assert "page 1, table 1, row 3" in unplaced(draft) and "a merged cell" in unplaced(draft)


def test_a_cell_merged_over_label_and_figure_is_listed() -> None:
    rows = [("GPU memory", "80 GB"), ('<td colspan="2">Max TDP 700 W</td>',)]
    draft = drafted(html("NVIDIA H100 SXM", rows), "h.html")
    assert values(draft) == {"memory_gb": "80 GB"}
    assert "'Max TDP 700 W': a label and its figure in one cell" in unplaced(draft)


def test_a_blank_beside_a_figure_is_listed_for_its_gpu() -> None:
    rows = [("Property", "H100 SXM", "H100 NVL"), ("GPU memory", "80 GB", "94 GB"), ("FP64", "34 TFLOPS", "")]
    draft = drafted(csv(rows), "h.csv")
    assert "peak:fp64:fp64:dense:vector" not in values(draft, "nvidia-h100-nvl")
    assert 'row 3 "FP64", column 3 "H100 NVL"' in unplaced(draft) and "left empty" in unplaced(draft)


def test_a_second_page_goes_on_with_the_columns_of_the_first() -> None:
    first = [
        (60, 60, 18, "NVIDIA H100"),
        (200, 100, 8, "H100 SXM"),
        (400, 100, 8, "H100 NVL"),
        (60, 120, 8, "GPU Memory"),
        (200, 120, 8, "80GB"),
        (400, 120, 8, "94GB"),
        (60, 140, 8, "FP64"),
        (200, 140, 8, "34 TFLOPS"),
        (400, 140, 8, "30 TFLOPS"),
    ]
    second = [
        (60, 60, 8, "Max TDP"),
        (200, 60, 8, "700W"),
        (400, 60, 8, "400W"),
        (60, 80, 8, "GPU Memory Bandwidth"),
        (200, 80, 8, "3.35TB/s"),
        (400, 80, 8, "3.9TB/s"),
    ]
    draft = drafted(pdf((first, ()), (second, ())), "h.pdf")
    assert values(draft, "nvidia-h100-nvl")["board_power_w"] == "400W"
    assert "page 2, table 1, row 1" in draft.gpus[1].yaml


def test_a_label_without_a_figure_is_listed() -> None:
    draft = drafted(html("NVIDIA H100 SXM", [("GPU memory", "80 GB"), ("FP8 Tensor Core", "")]), "h.html")
    assert "no figure beside the label" in unplaced(draft)


def test_a_scan_is_refused_and_a_scanned_page_among_others_is_listed() -> None:
    with pytest.raises(SheetError, match=r"scan\.pdf: page 1: .*no text \(a scan\)"):
        drafted(pdf(((), ())), "scan.pdf")
    texts = [
        (60, 60, 18, "NVIDIA L4"),
        (60, 120, 8, "GPU Memory"),
        (260, 120, 8, "24 GB"),
        (60, 140, 8, "Max TDP"),
        (260, 140, 8, "72 W"),
    ]
    draft = drafted(pdf((texts, ()), ((), ())), "half.pdf")
    assert values(draft)["memory_gb"] == "24 GB"
    assert "page 2" in unplaced(draft) and "a scan" in unplaced(draft)


def test_labels_over_two_lines_of_a_free_pdf_are_joined() -> None:
    texts = [
        (60, 60, 18, "NVIDIA L4"),
        (60, 120, 8, "GPU Memory"),
        (260, 120, 8, "24 GB"),
        (60, 136, 8, "Max Thermal Design"),
        (260, 136, 8, "72 W"),
        (60, 146, 8, "Power (TDP)"),
        (60, 162, 8, "Interconnect"),
        (260, 162, 8, "PCIe Gen4 x16:"),
        (260, 172, 8, "64 GB/s"),
    ]
    assert values(drafted(pdf((texts, ())), "l4.pdf")) == {
        "memory_gb": "24 GB",
        "board_power_w": "72 W",
        "pcie_gen": "4",
    }


def test_a_page_without_tables_a_broken_file_and_an_unknown_product_say_what_to_do() -> None:
    with pytest.raises(SheetError, match="no table and no definition list"):
        drafted("<html><body><p>GPU memory 80 GB</p></body></html>", "p.html")
    with pytest.raises(SheetError, match="not a readable PDF"):
        drafted(b"%PDF-1.7 broken", "b.pdf")
    with pytest.raises(SheetError, match="no line of products"):
        drafted(html("Widget Nine", [("GPU memory", "80 GB")]), "w.html")
    with pytest.raises(SheetError, match="not UTF-8"):
        drafted("GPU memory;80 GB\xa0\n".encode("latin-1"), "x.csv")
    with pytest.raises(SheetError, match="empty file"):
        drafted(b"", "x.csv")


def test_a_draft_is_yaml_whatever_the_sheet_says() -> None:
    evil = "8-pin # }\n- field: memory_gb\u2028  value: '1 GB'\x07 \"quoted\": [x"
    draft = one_row("Power connector", evil.replace("\n", "<br>") + "*", "<p>* a: b\u2028# c\x85- d</p>")
    content = yaml.safe_load(draft.gpus[0].yaml)
    assert [value["field"] for value in content["values"]] == ["memory_gb", "power_connectors"]


def test_the_document_is_the_vendors_only_when_its_address_is() -> None:
    page = html("NVIDIA L4", [("GPU memory", "24 GB")]).encode()
    for address, kind in (
        ("https://resources.nvidia.com/l4.html", "vendor"),
        ("https://shop.e.org/nvidia.com", "datasheet-copy"),
    ):
        draft = drafted(page, address)
        assert yaml.safe_load(draft.gpus[0].yaml)["documents"]["data-sheet"] == {
            "title": "NVIDIA L4",
            "kind": kind,
            "url": address,
            "read": draft_day(),
            "licence": "not stated",
        }


def draft_day() -> object:
    return yaml.safe_load("2026-11-21")
