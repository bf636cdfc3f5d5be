"""Strange but real ways of sheets: marks hardly raised, rows of a CPU, heads of two rows, labels beside the middle."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_sheet_samples import READ, Stroke, Text, csv, drafted, html, pdf, values

from pipeline.core import gpus
from pipeline.core.paths import DATA
from pipeline.tools import sheet
from pipeline.tools.sheet import Draft, SheetError

SPARSE = "<p>* With sparsity</p>"


def unplaced(draft: Draft) -> str:
    return "\n".join(draft.unplaced)


def of_page(title: str, *rows: tuple[str, ...], notes: str = "", head: tuple[str, ...] = ()) -> dict[str, str]:
    """The values of the only GPU of a page."""
    return values(drafted(html(title, rows, notes, head), "page.html"))


def lines_pdf(title: str, texts: list[Text], strokes: list[Stroke] | None = None) -> Draft:
    return drafted(pdf(([(60, 60, 18, title), *texts], strokes or [])), "lines.pdf")


# ---------------------------------------------------------------- footnotes


def test_a_mark_that_is_hardly_smaller_but_raised_is_a_mark_and_no_digit() -> None:
    texts: list[Text] = [
        (200, 120, 8, "H200 SXM"),
        (236.5, 118, 6.8, "1"),
        (360, 120, 8, "H200 NVL"),
        (396, 118, 6.8, "1"),
        (60, 140, 8, "GPU Memory"),
        (200, 140, 8, "141GB"),
        (360, 140, 8, "141GB"),
        (60, 160, 8, "BFLOAT16 Tensor Core"),
        (145, 158, 6.8, "2"),
        (200, 160, 8, "1,979 TFLOPS"),
        (360, 160, 8, "1,671 TFLOPS"),
        (60, 200, 7, "1. Preliminary."),
        (60, 214, 7, "2. With sparsity."),
    ]
    draft = lines_pdf("NVIDIA H200", texts, [(56, y, 520, y) for y in (133.0, 153.0, 173.0)])
    assert [gpu.id for gpu in draft.gpus] == ["nvidia-h200-sxm", "nvidia-h200-nvl"]
    assert values(draft, "nvidia-h200-nvl") == {"memory_gb": "141GB", "peak:bf16:fp32:sparse:tensor": "1,671 TFLOPS"}


@pytest.mark.parametrize("marks", ["1,2", "2,1", "2</sup><sup>1"])
def test_a_figure_with_two_footnotes_is_sparse_by_the_one_that_says_so(marks: str) -> None:
    notes = "<p><sup>1</sup> Preliminary. <sup>2</sup> With structural sparsity enabled.</p>"
    rows = [("BF16 Tensor Core", f"990 TFLOPS | 1,979 TFLOPS<sup>{marks}</sup>"), ("FP32", "67 TFLOPS<sup>1</sup>")]
    found = of_page("NVIDIA H100 SXM", *rows, notes=notes)
    assert found["peak:bf16:fp32:sparse:tensor"] == "1,979 TFLOPS"
    assert found["peak:bf16:fp32:dense:tensor"] == "990 TFLOPS"
    assert found["peak:fp32:fp32:dense:vector"] == "67 TFLOPS"


def test_a_mark_at_the_heading_puts_every_matrix_rate_and_no_other_under_sparsity() -> None:
    note = "<p><sup>1</sup> All Tensor Core numbers with sparsity unless otherwise noted.</p>"
    page = html(
        "NVIDIA B200",
        [
            ("FP8 Tensor Core", "9 PFLOPS"),
            ("FP64/FP64 Tensor Core", "37 TFLOPS"),
            ("BF16 Tensor Core (dense)", "2,250 TFLOPS"),
        ],
        note,
    )
    page = page.replace("<table>", "<h2>Technical Specifications<sup>1</sup></h2><table>")
    found = values(drafted(page, "b200.html"))
    assert {field: value for field, value in found.items() if ":fp64:" in field} == {
        "peak:fp64:fp64:dense:vector": "37 TFLOPS",
        "peak:fp64:fp64:dense:tensor": "37 TFLOPS",
    }
    assert found["peak:bf16:fp32:dense:tensor"] == "2,250 TFLOPS"
    assert "peak:fp8:fp32:dense:tensor" not in found


@pytest.mark.parametrize(
    ("label", "text"), [("AI Performance", "4000 AI TOPS<sup>2</sup>"), ("AI TOPS<sup>2</sup>", "4000")]
)
def test_a_row_without_format_takes_it_from_its_footnote(label: str, text: str) -> None:
    note = "<p><sup>2</sup> Effective FP4 TOPS with sparsity.</p>"
    assert of_page("NVIDIA RTX PRO 6000 Blackwell", (label, text), notes=note)["peak:fp4:fp32:sparse:tensor"]


def test_a_row_without_format_whose_footnote_names_none_or_two_is_listed() -> None:
    for said in ("Peak rates based on GPU boost clock.", "Effective FP4 or FP8 TOPS with sparsity."):
        page = html(
            "NVIDIA RTX PRO 6000 Blackwell",
            [("GPU memory", "96 GB"), ("AI TOPS<sup>2</sup>", "4000 TOPS")],
            f"<p><sup>2</sup> {said}</p>",
        )
        draft = drafted(page, "pro.html")
        assert not any(field.startswith("peak") for field in values(draft))
        assert "neither the row nor a footnote at it names one number format" in unplaced(draft)


def test_footnotes_that_start_with_a_bare_number_are_found_where_a_figure_has_it_as_mark() -> None:
    texts: list[Text] = [
        (60, 120, 8, "Single-Precision Performance"),
        (260, 120, 8, "91.1 TFLOPS"),
        (308, 118, 5, "1"),
        (60, 134, 8, "GPU Memory"),
        (260, 134, 8, "48GB GDDR6"),
        (60, 148, 8, "Memory Bandwidth"),
        (260, 148, 8, "960 GB/s"),
        (60, 180, 7, "1 Peak rates based on GPU Boost Clock. 2 With sparsity."),
    ]
    draft = lines_pdf("NVIDIA RTX 6000 Ada", texts)
    assert values(draft)["peak:fp32:fp32:dense:vector"] == "91.1 TFLOPS"
    assert "footnote 1: Peak rates based on GPU Boost Clock." in draft.yaml
    assert "2 With sparsity.': a footnote to which no figure points" in unplaced(draft)


# ---------------------------------------------------------------- pairs, formats, accumulators


@pytest.mark.parametrize(
    ("text", "dense", "sparse"),
    [
        ("183 I 366*", "183", "366"),
        ("1100 / 2200 TFLOPS (dense / sparse)", "1100", "2200"),
        ("2200 | 1100 TFLOPS (sparse | dense)", "1100", "2200"),
    ],
)
def test_a_pair_is_read_in_the_ways_pages_print_it(text: str, dense: str, sparse: str) -> None:
    found = of_page("NVIDIA B200", ("TF32 Tensor Core (TFLOPS)", text), notes=SPARSE)
    assert found["peak:tf32:fp32:dense:tensor"].split()[0] == dense
    assert found["peak:tf32:fp32:sparse:tensor"].split()[0] == sparse


def test_two_labels_in_one_cell_take_a_line_of_figures_each() -> None:
    found = of_page(
        "NVIDIA L40S", ("Peak INT8 Tensor TOPS<br>TF32 Tensor TFLOPS", "733 | 1,466*<br>183 | 366*"), notes=SPARSE
    )
    assert (found["peak:int8:int32:dense:tensor"], found["peak:tf32:fp32:sparse:tensor"]) == ("733 TOPS", "366 TFLOPS")


def test_two_formats_without_sparse_rates_take_their_two_figures_in_order() -> None:
    assert of_page("NVIDIA A30", ("FP64 | FP64 Tensor Core", "5.2 TF | 10.3 TF")) == {
        "peak:fp64:fp64:dense:vector": "5.2 TFLOPS",
        "peak:fp64:fp64:dense:tensor": "10.3 TFLOPS",
    }
    found = of_page("NVIDIA A30", ("BF16 | FP16 Tensor Core", "165 TF | 330 TF*"), ("FP32", "10.3 TF"), notes=SPARSE)
    assert found["peak:bf16:fp32:dense:tensor"] == found["peak:fp16:fp32:dense:tensor"] == "165 TFLOPS"


def test_a_rate_in_the_ratio_of_fp32_sums_to_the_tf32_rate_adds_in_fp32() -> None:
    rows = [("TF32 Tensor Core", "82.6 TFLOPS"), ("FP8 Tensor Core", "330.3 TFLOPS | 660.6 TFLOPS (sparse)")]
    for rate, place in (("165.2", True), ("330.3", False)):
        found = of_page(
            "GeForce RTX 4090", *rows, (("FP16 Tensor Core (dense)"), f"{rate} TFLOPS"), ("TF32 dense", "82.6 TFLOPS")
        )
        assert ("peak:fp16:fp32:dense:tensor" in found) is place, rate
        assert found["peak:fp8:fp32:sparse:tensor"] == "660.6 TFLOPS", "it accumulates as its dense partner does"


def test_a_chip_with_one_rate_needs_no_word_on_its_accumulator() -> None:
    rows = [("FP16 Tensor Core", "312 TFLOPS | 624 TFLOPS*"), ("FP8 Tensor Core", "1 TFLOPS | 2 TFLOPS*")]
    found = of_page("NVIDIA A100 80GB PCIe", *rows, notes=SPARSE)
    assert found["peak:fp16:fp32:dense:tensor"] == "312 TFLOPS"
    assert "peak:fp8:fp32:dense:tensor" not in found
    assert "peak:fp8:fp32:dense:tensor" in of_page("NVIDIA H100 SXM", rows[1], notes=SPARSE)


def test_a_tpu_is_read_by_the_heads_of_its_columns_with_its_matrix_rate() -> None:
    rows = [
        ("Peak compute per chip (BF16) (TFLOPs)", "459", "2307"),
        ("HBM bandwidth per chip (GB/s)", "2765", "7380"),
        ("Bi-directional inter-chip interconnect (ICI) bandwidth per chip (GB/s)", "1200", "1200"),
    ]
    draft = drafted(html("TPU7x (Ironwood)", rows, head=("Specification", "v5p", "TPU7x (Ironwood)")), "tpu.html")
    assert [gpu.id for gpu in draft.gpus] == ["google-tpu-v5p", "google-tpu7x-ironwood"]
    found = values(draft, "google-tpu-v5p")
    assert (found["memory_bandwidth_gb_s"], found["link_gb_s"]) == ("2765 GB/s", "1200 GB/s")
    assert found["peak:bf16:fp32:dense:tensor"] == "459 TFLOPS"


# ---------------------------------------------------------------- machines and CPUs around a GPU


def test_totals_above_the_figures_of_one_gpu_are_listed_and_never_the_gpus() -> None:
    rows = [
        ("", "GB200 NVL72"),
        ("Total Memory Bandwidth", "16TB/s"),
        ("Total FP32", "5,760 TFLOPS"),
        ('<td colspan="2">Individual Blackwell GPU Specifications</td>',),
        ("GPU Memory | Bandwidth", "186GB HBM3E | 8TB/s"),
        ("FP32", "80 TFLOPS"),
    ]
    draft = drafted(html("NVIDIA Blackwell", rows), "gb200.html")
    found = values(draft, "nvidia-gb200")
    assert (found["memory_bandwidth_gb_s"], found["peak:fp32:fp32:dense:vector"]) == ("8TB/s", "80 TFLOPS")
    assert "'16TB/s': the figures of a machine" in unplaced(draft)


def test_beside_the_rows_of_a_cpu_a_figure_counts_only_where_it_says_that_it_is_the_gpus() -> None:
    rows = [
        ("CPU core count", "72 Arm cores"),
        ("L2 cache", "1 MB"),
        ("LPDDR5X size", "480 GB"),
        ("Memory bandwidth", "512 GB/s"),
        ("TDP", "1000 W"),
        ("HBM capacity", "96 GB HBM3"),
        ("FP32", "67 TFLOPS"),
    ]
    draft = drafted(html("NVIDIA GH200", rows), "gh200.html")
    assert set(values(draft)) == {"memory_gb", "memory_type", "peak:fp32:fp32:dense:vector"}
    assert unplaced(draft).count("the sheet also has the rows of a CPU") == 3


def test_of_two_rows_with_one_label_neither_counts_where_one_could_not_be_read() -> None:
    page = html(
        "NVIDIA GH200",
        [("Memory bandwidth", "512 GB/s"), ("FP32", "67 TFLOPS"), ("Memory bandwidth", "4 TB/s HBM3 | 4.9 TB/s HBM3e")],
    )
    draft = drafted(page, "gh200.html")
    assert "memory_bandwidth_gb_s" not in values(draft)
    assert "another row 'Memory bandwidth' could not be read" in unplaced(draft)


def test_figures_under_the_heading_of_the_cpu_are_listed() -> None:
    page = html("NVIDIA GH200", [("Memory bandwidth", "4.9 TB/s")])
    cpu = "<h2>Grace CPU</h2><table><tr><td>Memory bandwidth</td><td>512 GB/s</td></tr></table><h2>GPU</h2><table>"
    draft = drafted(page.replace("<table>", cpu), "gh200.html")
    assert values(draft) == {"memory_bandwidth_gb_s": "4.9 TB/s"}
    assert "'512 GB/s': it stands under the heading of the CPU or the host" in unplaced(draft)


def test_the_memory_behind_nvl_is_no_count_of_gpus() -> None:
    assert of_page("NVIDIA H100 NVL 94 GB", ("Max TDP", "400 W")) == {"board_power_w": "400 W"}


@pytest.mark.parametrize("text", ["Air cooled or liquid cooled", "Air / liquid", "Passive or active"])
def test_a_choice_of_coolings_is_no_cooling(text: str) -> None:
    assert "cooling" not in of_page("NVIDIA GH200", ("FP32", "67 TFLOPS"), ("Thermal solution", text))


def test_a_name_that_several_gpus_share_says_which_files_to_look_at_first() -> None:
    page = html("NVIDIA GH200 Grace Hopper Superchip", [("FP32", "67 TFLOPS")]).encode()
    draft = sheet.draft(page, "gh200.html", read=READ)
    assert "# Look first: the name 'NVIDIA GH200' is shared" in draft.yaml
    assert "nvidia-gh200-96gb, nvidia-gh200-144gb" in unplaced(draft)


@pytest.mark.parametrize(
    ("form", "gpu"), [("SXM", "nvidia-h100-sxm5-80gb"), ("PCIe dual-slot", "nvidia-h100-pcie-80gb")]
)
def test_the_form_that_a_sheet_prints_settles_a_shared_name(form: str, gpu: str) -> None:
    page = html("NVIDIA H100", [("GPU memory", "80GB"), ("Form factor", form)]).encode()
    assert [one.id for one in sheet.draft(page, "h100.html", read=READ).gpus] == [gpu]


# ---------------------------------------------------------------- heads


def test_a_head_of_two_rows_over_one_gpu_a_row_is_joined() -> None:
    rows = [
        ('<th rowspan="2">Model</th>', '<th colspan="2">Memory</th>', '<th colspan="2">TF32 Tensor (TFLOPS)</th>'),
        ("<th>Size (GB)</th>", "<th>Bandwidth (GB/s)</th>", "<th>Dense</th>", "<th>Sparse</th>"),
        ("NVIDIA A30", "24", "933", "82", "165"),
        ("NVIDIA A2", "16", "200", "9", "18"),
    ]
    draft = drafted(html("Server boards", rows), "boards.html")
    assert values(draft, "nvidia-a2") == {
        "memory_gb": "16 GB",
        "memory_bandwidth_gb_s": "200 GB/s",
        "peak:tf32:fp32:dense:tensor": "9 TFLOPS",
        "peak:tf32:fp32:sparse:tensor": "18 TFLOPS",
    }


def test_heads_of_rates_with_a_pair_of_units_give_each_format_its_own() -> None:
    rows = [("TF32", "653.7", "1,307.4"), ("INT8 matrix", "2,614.9", "5,229.8")]
    found = of_page("AMD Instinct MI300X", *rows, head=("Data type", "Peak (TFLOPS/TOPS)", "With structured sparsity"))
    assert found == {
        "peak:tf32:fp32:dense:tensor": "653.7 TFLOPS",
        "peak:tf32:fp32:sparse:tensor": "1,307.4 TFLOPS",
        "peak:int8:int32:dense:tensor": "2,614.9 TOPS",
        "peak:int8:int32:sparse:tensor": "5,229.8 TOPS",
    }


def test_a_head_that_is_only_a_unit_belongs_to_its_column() -> None:
    page = html("NVIDIA L40", [("TF32 Tensor Core (dense)", "90.5")], head=("Format", "TFLOPS"))
    assert values(drafted(page, "l40.html")) == {"peak:tf32:fp32:dense:tensor": "90.5 TFLOPS"}


def test_a_product_over_the_labels_names_the_column_of_values() -> None:
    assert values(drafted(csv([("NVIDIA A40", "Value"), ("Memory size", "48 GB")]), "a40.csv"), "nvidia-a40")


def test_tables_that_begin_with_the_name_of_their_product_are_two_gpus() -> None:
    page = html("NVIDIA A10 and A16", [('<td colspan="2">NVIDIA A10</td>',), ("Max TDP", "150W")])
    second = '<table><tr><td colspan="2">NVIDIA A16</td></tr><tr><td>Max TDP</td><td>250W</td></tr></table></body>'
    draft = drafted(page.replace("</body>", second), "two.html")
    assert values(draft, "nvidia-a10") == {"board_power_w": "150W"}
    assert values(draft, "nvidia-a16") == {"board_power_w": "250W"}


def test_a_label_that_its_group_alone_makes_known_is_read_with_it() -> None:
    rows = [
        ("Group", "Specification", "MI300X", "MI325X"),
        ('<td rowspan="2">FP64</td>', "Vector", "81.7 TFLOPS", "81.7 TFLOPS"),
        ("Matrix", "163.4 TFLOPS", "163.4 TFLOPS"),
        ('<td rowspan="2">Memory</td>', "Capacity", "192 GB", "256 GB"),
        ("Bandwidth", "5.3 TB/s", "6 TB/s"),
    ]
    draft = drafted(html("AMD Instinct MI300 Series", rows), "mi300.html")
    assert values(draft, "amd-mi325x") == {
        "memory_gb": "256 GB",
        "memory_bandwidth_gb_s": "6 TB/s",
        "peak:fp64:fp64:dense:vector": "81.7 TFLOPS",
        "peak:fp64:fp64:dense:tensor": "163.4 TFLOPS",
    }


def test_a_row_without_figures_heads_the_rows_that_need_it() -> None:
    rows = [
        ("Property", "L40S", "L40"),
        ("Memory", "", ""),
        ("Size", "48 GB", "48 GB"),
        ("Bandwidth", "864 GB/s", "800 GB/s"),
    ]
    found = values(drafted(csv(rows), "l40.csv"), "nvidia-l40")
    assert found == {"memory_gb": "48 GB", "memory_bandwidth_gb_s": "800 GB/s"}


def test_boards_named_by_their_part_numbers_take_the_family_from_the_title() -> None:
    page = html(
        "Intel Gaudi 3 AI Accelerator",
        [("MME BF16", "1835 TFLOPS", "1835 TFLOPS"), ("TDP", "900W", "600W")],
        head=("Feature", "HL-325L (OAM)", "HL-338 (PCIe CEM)"),
    )
    ids = [gpu.id for gpu in sheet.draft(page.encode(), "gaudi.html", read=READ).gpus]
    assert ids == ["intel-gaudi-3", "intel-gaudi-3-pcie"]


# ---------------------------------------------------------------- cells


def test_a_family_in_the_corner_of_a_table_belongs_to_the_forms_beside_it() -> None:
    rows = [
        ("Intel Gaudi 3 accelerator", "HL-325L", "HL-338"),
        ("HBM capacity", "128 GB", "128 GB"),
        ("TDP", "900 W", "600 W"),
    ]
    ids = [gpu.id for gpu in sheet.draft(csv(rows).encode(), "gaudi.csv", read=READ).gpus]
    assert ids == ["intel-gaudi-3", "intel-gaudi-3-pcie"]


def test_a_column_called_by_a_part_of_the_titles_name_is_found_by_the_whole() -> None:
    page = html(
        "NVIDIA Jetson AGX Orin",
        [("Memory", "64GB 256-bit LPDDR5<br>204.8GB/s", "32GB 256-bit LPDDR5")],
        head=("", "AGX Orin 64GB", "AGX Orin 32GB"),
    )
    ids = [gpu.id for gpu in sheet.draft(page.encode(), "orin.html", read=READ).gpus]
    assert ids == ["nvidia-jetson-agx-orin-64gb", "nvidia-jetson-agx-orin-32gb"]


@pytest.mark.parametrize("bits", ["8-bit", "Eight-bit"])
def test_a_format_in_brackets_says_more_than_the_bits_before_it(bits: str) -> None:
    rows = [
        (f"Peak {bits} Precision (FP8 Matrix) Performance (dense)", "2,614.9 TFLOPs"),
        (f"Peak {bits} Precision (INT8 Matrix) Performance (dense)", "2,615 TOPs"),
    ]
    found = of_page("AMD Instinct MI325X", *rows)
    assert found == {"peak:fp8:fp32:dense:tensor": "2,614.9 TFLOPs", "peak:int8:int32:dense:tensor": "2,615 TOPs"}


@pytest.mark.parametrize(
    "text",
    [
        "NVLink: 900GB/s PCIe<br>Gen5: 128GB/s",
        "2- or 4-way NVIDIA NVLink bridge:<br>900GB/s per GPU<br>PCIe Gen5: 128GB/s",
    ],
)
def test_links_broken_over_lines_are_joined(text: str) -> None:
    assert of_page("NVIDIA H200 NVL", ("Interconnect", text)) == {"link_gb_s": "900GB/s", "pcie_gen": "5"}


def test_a_rate_on_the_line_after_a_bare_link_is_not_taken_for_that_link() -> None:
    assert "link_gb_s" not in of_page("NVIDIA A40", ("GPU memory", "48 GB"), ("Interconnect", "NVLink<br>64 GB/s PCIe"))


def test_what_one_die_has_in_brackets_does_not_hide_the_boards_memory() -> None:
    rows = [("Memory Size", "128GB HBM2e (64GB per GCD)"), ("Memory bandwidth", "3.2 TB/s (1.6 TB/s per GCD)")]
    assert of_page("AMD Instinct MI250X", *rows) == {
        "memory_gb": "128GB",
        "memory_type": "HBM2e",
        "memory_bandwidth_gb_s": "3.2 TB/s",
    }


def test_struck_and_hidden_text_of_a_cell_is_no_figure() -> None:
    rows = [("TDP", "<s>180 W</s>150 W"), ("Memory bandwidth", '600 GB/s<span style="display:none"> 999 GB/s</span>')]
    assert of_page("NVIDIA A10", *rows) == {"board_power_w": "150 W", "memory_bandwidth_gb_s": "600 GB/s"}


def test_a_numbered_citation_of_a_wiki_is_no_footnote_and_a_lettered_note_is() -> None:
    cite = '<sup class="reference">[12]</sup>'
    draft = drafted(
        html("NVIDIA A10", [("TDP", f"150 W{cite}"), ("FP32", f"31.2 TFLOPS{cite.replace('12', 'a')}")]), "w.html"
    )
    assert values(draft) == {"board_power_w": "150 W"}
    assert "footnote a is marked here" in unplaced(draft)


def test_a_substitution_of_a_document_is_put_in_its_place() -> None:
    text = """AMD GPUs
========

.. |inst| replace:: AMD Instinct
.. |tm| unicode:: U+2122

.. list-table::

   * - Name
     - VRAM (GiB)
     - Board power (W)
   * - |inst|\\ |tm| MI325X
     - 256
     - 1000
   * - |unknown| MI300X
     - 192
     - 750
"""
    assert next(gpu.id for gpu in drafted(text, "specs.rst").gpus) == "amd-instinct-mi325x"


# ---------------------------------------------------------------- where things stand in a PDF


def test_a_label_beside_the_middle_of_its_figures_and_a_figure_beside_the_middle_of_its_label_are_one_row() -> None:
    texts: list[Text] = [
        (60, 120, 8, "GPU memory"),
        (260, 120, 8, "24GB HBM2"),
        (60, 134, 8, "GPU memory bandwidth"),
        (260, 134, 8, "933GB/s"),
        (260, 148, 8, "PCIe Gen4: 64GB/s"),
        (60, 152.8, 8, "Interconnect"),
        (260, 157.6, 8, "NVLink: 200GB/s"),
        (60, 171, 8, "Ampere Architecture CUDA"),
        (260, 175.8, 8, "3,584"),
        (60, 180.6, 8, "Cores"),
        (260, 194, 8, "Up to 4 MIGs"),
        (60, 203.6, 8, "Multi-Instance GPU"),
        (260, 203.6, 8, "@ 6GB each"),
        (260, 213.2, 8, "or 2 @ 12GB"),
        (60, 227, 8, "TDP"),
        (260, 227, 8, "165W"),
    ]
    assert values(lines_pdf("NVIDIA A30", texts)) == {
        "memory_gb": "24GB",
        "memory_type": "HBM2",
        "memory_bandwidth_gb_s": "933GB/s",
        "pcie_gen": "4",
        "link_gb_s": "200GB/s",
        "shader_cores": "3,584",
        "board_power_w": "165W",
    }


def test_a_figure_in_the_middle_of_columns_that_start_at_the_left_is_shared() -> None:
    texts: list[Text] = [
        (250, 120, 8, "H100 SXM"),
        (420, 120, 8, "H100 PCIe"),
        (60, 140, 8, "FP64"),
        (250, 140, 8, "34 TFLOPS"),
        (420, 140, 8, "26 TFLOPS"),
        (60, 160, 8, "FP32"),
        (250, 160, 8, "67 TFLOPS"),
        (420, 160, 8, "51 TFLOPS"),
        (60, 180, 8, "GPU Memory"),
        (395, 180, 8, "80GB"),
        (60, 200, 8, "Max TDP"),
        (250, 200, 8, "700W"),
        (420, 200, 8, "350W"),
    ]
    strokes: list[Stroke] = [(56, y, 560, y) for y in (133.0, 153.0, 173.0, 193.0, 213.0)]
    draft = lines_pdf("NVIDIA H100", texts, strokes)
    assert [values(draft, gpu.id)["memory_gb"] for gpu in draft.gpus] == ["80GB", "80GB"]


def test_a_scanned_page_behind_a_page_of_prose_is_named() -> None:
    words: list[Text] = [(60, 60, 18, "NVIDIA A40"), (60, 120, 8, "The most powerful card for visual computing.")]
    with pytest.raises(SheetError, match=r"no table .*; page 2: the page holds a picture and no text \(a scan\)"):
        drafted(pdf((words, []), ([], [])), "scan.pdf")


@pytest.mark.parametrize("texts", [[], [(300, 770, 7, "Page 1 of 1")]])
def test_a_page_that_is_a_picture_but_for_its_number_is_said_to_be_a_scan(texts: list[Text]) -> None:
    page = pdf((texts, [])).replace(
        b"endstream", b"\nq 612 0 0 700 0 0 cm\nBI /W 1 /H 1 /CS /G /BPC 8 ID \x00 EI\nQ\nendstream"
    )
    with pytest.raises(SheetError, match=r"page 1: .*\(a scan\); run it through text recognition"):
        drafted(page, "scan.pdf")


# Widths of letters in Helvetica, in parts of its size.
WIDTHS = dict.fromkeys("0123456789L", 0.556) | {
    "G": 0.778,
    "B": 0.667,
    "T": 0.611,
    "F": 0.611,
    "O": 0.778,
    "P": 0.667,
    "S": 0.667,
    " ": 0.278,
    "/": 0.278,
    "s": 0.5,
    "W": 0.944,
    ".": 0.278,
}


def test_a_lone_figure_of_right_aligned_columns_is_shared_as_in_left_aligned_ones() -> None:
    rows = [
        ("FP64", "34 TFLOPS", "26 TFLOPS"),
        ("FP32", "67 TFLOPS", "51 TFLOPS"),
        ("Max TDP", "700W", "350W"),
        ("GPU Memory Bandwidth", "3.35TB/s", "2TB/s"),
        ("GPU Memory", "", "80GB"),
        ("Multi-Instance GPU", "", "7"),
    ]
    texts: list[Text] = [(260, 120, 8, "H100 SXM"), (417, 120, 8, "H100 PCIe")]
    for at, (label, *cells) in enumerate(rows):
        texts += [(60, 140 + 20 * at, 8, label)]
        texts += [
            (end - 8 * sum(WIDTHS[letter] for letter in cell), 140 + 20 * at, 8, cell)
            for end, cell in zip((300, 460), cells, strict=True)
            if cell
        ]
    draft = lines_pdf("NVIDIA H100", texts, [(56, 133 + 20 * at, 470, 133 + 20 * at) for at in range(7)])
    assert [values(draft, gpu.id)["memory_gb"] for gpu in draft.gpus] == ["80GB", "80GB"]
    assert "taken for all columns as in other rows" in draft.yaml


def test_without_rules_a_figure_beside_one_that_has_no_label_is_listed() -> None:
    texts: list[Text] = [
        (60, 120, 8, "GPU Memory"),
        (260, 120, 8, "80GB"),
        (260, 138, 8, "9.7 TFLOPS"),
        (60, 156, 8, "FP64"),
        (260, 156, 8, "19.5 TFLOPS"),
        (60, 174, 8, "Max TDP"),
        (260, 174, 8, "400W"),
    ]
    draft = lines_pdf("NVIDIA A100 80GB SXM", texts)
    assert not any(field.startswith("peak") for field in values(draft))
    assert "'19.5 TFLOPS': the figure above or below it has no label" in unplaced(draft)


def test_a_bare_model_in_a_head_takes_the_family_of_the_title() -> None:
    page = html("AMD Radeon PRO W7900 and W7800", [("Memory size", "48 GB", "32 GB")], head=("", "W7900", "W7800"))
    ids = [gpu.id for gpu in sheet.draft(page.encode(), "pro.html", read=READ).gpus]
    assert ids == ["amd-radeon-pro-w7900", "amd-radeon-pro-w7800"]


def test_a_memory_of_another_variant_than_the_file_of_that_name_is_said() -> None:
    known = gpus.load(DATA.gpus)
    own = {
        claim.gpu: float(claim.value)
        for gpu in known.values()
        for claim in gpus.claims(gpu)
        if claim.field == "memory_gb"
    }["nvidia-l40s"]
    for size, said in ((own, False), (1.05 * own, False), (2 * own, True)):
        page = html("NVIDIA L40S", [("GPU memory", f"{size:g} GB")]).encode()
        draft = sheet.draft(page, "l40s.html", read=READ, gpus=known)
        assert ("see whether it is another variant" in unplaced(draft)) is said, size


def test_a_file_that_is_not_there_or_no_file_is_named_with_what_to_give(tmp_path: Path) -> None:
    for path in (tmp_path / "none.pdf", tmp_path):
        with pytest.raises(SheetError, match=rf"^{path}: .*; give the file of a sheet, or an address"):
            sheet.draft(path, read=READ, gpus={})
