"""Layouts and slips of real sheets: machines of several GPUs, split heads, prose beside tables, odd files."""

from __future__ import annotations

import pytest
from test_sheet_samples import Stroke, Text, csv, drafted, html, pdf, table_pdf, values

from pipeline.tools.sheet import Draft, SheetError

SPARSE_NOTE = "<p>* With sparsity</p>"


def unplaced(draft: Draft) -> str:
    return "\n".join(draft.unplaced)


# ---------------------------------------------------------------- the totals of machines are no GPU's figures


@pytest.mark.parametrize(
    ("title", "rows"),
    [
        ("NVIDIA DGX B200", [("GPU Memory", "1,440GB"), ("FP64", "320 TFLOPS")]),
        ("NVIDIA HGX H200", [("Form Factor", "8x NVIDIA H200 SXM"), ("FP32", "536 TFLOPS")]),
        ("NVIDIA GB200 NVL72", [("GPU Memory", "13.4 TB"), ("FP32", "5,760 TFLOPS")]),
        ("NVIDIA GB200 Superchip", [("GPU Memory", "372 GB"), ("FP32", "160 TFLOPS")]),
        ("AMD Instinct MI300X Platform", [("Memory size", "1.5 TB"), ("FP64 Vector", "653.6 TFLOPs")]),
        ("NVIDIA B200", [("GPU", "8x NVIDIA B200 GPUs"), ("GPU Memory", "1,440GB")]),
        ("NVIDIA B200", [("Configuration", "36 Grace CPU : 72 Blackwell GPUs"), ("FP32", "5,760 TFLOPS")]),
        ("NVIDIA B200", [("Number of GPUs", "8"), ("GPU Memory", "1,440GB")]),
    ],
)
def test_a_sheet_of_a_machine_is_refused_with_what_shows_it(title: str, rows: list[tuple[str, str]]) -> None:
    with pytest.raises(SheetError, match=r"a machine with several GPUs \('.*read the sheet of the single GPU"):
        drafted(html(title, rows), "m.html")


def test_the_column_of_a_machine_is_listed_and_the_gpu_beside_it_is_read() -> None:
    rows = [("GPU Memory", "186 GB", "13.4 TB"), ("FP32", "80 TFLOPS", "5,760 TFLOPS")]
    draft = drafted(html("NVIDIA Blackwell", rows, head=("", "B200", "GB200 NVL72")), "b.html")
    assert values(draft, "nvidia-b200") == {"memory_gb": "186 GB", "peak:fp32:fp32:dense:vector": "80 TFLOPS"}
    assert len(draft.gpus) == 1
    assert "'5,760 TFLOPS': the figures of a machine" in unplaced(draft)


def test_a_table_that_takes_the_machine_apart_gives_its_gpu() -> None:
    rows = [("", "HGX B200"), ("Blackwell GPUs", "8"), ("GPU Memory", "180 GB")]
    page = html("NVIDIA Blackwell", rows).replace("<table>", "<h2>Individual Blackwell GPU Specifications</h2><table>")
    assert values(drafted(page, "b.html"), "nvidia-b200") == {"memory_gb": "180 GB"}


@pytest.mark.parametrize("name", ["RTX PRO 6000 Blackwell Server Edition", "GeForce RTX 4090", "Apple M4 Max"])
def test_words_that_only_look_like_a_machine_are_no_machine(name: str) -> None:
    draft = drafted(html(name, [("GPU", "40-core GPU"), ("Memory bandwidth", "546 GB/s")]), "g.html")
    assert values(draft)["memory_bandwidth_gb_s"] == "546 GB/s"
    assert "'40-core GPU': not the name of a product" in unplaced(draft)


def test_a_footnote_at_a_head_that_pairs_two_boards_takes_all_its_figures() -> None:
    rows = [("GPU memory", "80GB", "188GB"), ("FP64", "34 TFLOPS", "68 TFLOPS")]
    note = "<p><sup>1</sup> Specifications shown for 2x H100 NVL PCIe cards paired with NVLink Bridge.</p>"
    draft = drafted(html("NVIDIA H100", rows, note, ("", "H100 SXM", "H100 NVL<sup>1</sup>")), "h.html")
    assert values(draft, "nvidia-h100-sxm")["memory_gb"] == "80GB"
    assert values(draft, "nvidia-h100-nvl") == {}


# ---------------------------------------------------------------- what stands over the columns


def test_dense_and_sparse_columns_below_two_products_are_told_apart() -> None:
    rows = [
        ("", '<td colspan="2">H100 SXM</td>', '<td colspan="2">H100 PCIe</td>'),
        ("", "Dense", "Sparse", "Dense", "With sparsity"),
        ("BF16 Tensor Core (TFLOPS)", "989.4", "1,978.9", "756", "1,513"),
        ("GPU Memory", '<td colspan="2">80 GB</td>', '<td colspan="2">80 GB</td>'),
    ]
    draft = drafted(html("NVIDIA H100", rows), "h.html")
    assert values(draft, "nvidia-h100-pcie") == {
        "memory_gb": "80 GB",
        "peak:bf16:fp32:dense:tensor": "756 TFLOPS",
        "peak:bf16:fp32:sparse:tensor": "1,513 TFLOPS",
    }


def test_columns_of_engines_say_on_which_unit_a_rate_runs() -> None:
    rows = [
        ("Peak performance", "Vector", "Matrix", "Matrix with sparsity"),
        ("FP64", "78.6 TFLOPS", "78.6 TFLOPS", ""),
        ("FP16", "157.3 TFLOPS", "2.5 PFLOPS", "5.0 PFLOPS"),
    ]
    found = values(drafted(html("AMD Instinct MI355X", rows), "m.html"))
    assert found["peak:fp64:fp64:dense:tensor"] == found["peak:fp64:fp64:dense:vector"] == "78.6 TFLOPS"
    assert found["peak:fp16:fp32:sparse:tensor"] == "5.0 PFLOPS"
    assert found["peak:fp16:fp16:dense:vector"] == "157.3 TFLOPS"


def test_a_head_with_sparsity_beside_the_product_is_both() -> None:
    head = ("", "H100 SXM (dense)", "H100 SXM (with sparsity)")
    rows = [("BF16 Tensor Core", "989.4 TFLOPS", "1,979 TFLOPS")]
    found = values(drafted(html("NVIDIA", rows, head=head), "h.html"), "nvidia-h100-sxm")
    assert found == {"peak:bf16:fp32:dense:tensor": "989.4 TFLOPS", "peak:bf16:fp32:sparse:tensor": "1,979 TFLOPS"}


def test_a_table_with_a_head_that_is_not_understood_does_not_take_the_products_of_the_table_above() -> None:
    second = "<table><tr><td></td><td>Minimum</td><td>Maximum</td></tr><tr><td>Max TDP</td><td>300 W</td><td>400 W</td>"
    page = html(
        "NVIDIA A100", [("GPU Memory", "80GB", "40GB")], f"{second}</tr></table>", ("", "A100 PCIe", "A100 SXM")
    )
    draft = drafted(page, "a.html")
    assert values(draft, "nvidia-a100-sxm") == {"memory_gb": "40GB"}
    assert "'400 W': a column without a product's name" in unplaced(draft)


def test_a_column_whose_form_factor_contradicts_its_head_refuses_the_sheet() -> None:
    rows = [
        ("Property", "A100 80GB SXM", "A100 80GB PCIe"),
        ("Form Factor", "PCIe", "SXM"),
        ("Max TDP", "300 W", "400 W"),
    ]
    with pytest.raises(SheetError, match=r"column 'A100 80GB SXM' has the form factor 'PCIe'; heads or cells"):
        drafted(csv(rows), "a.csv")


def test_tables_below_the_names_of_two_products_are_two_gpus() -> None:
    tables = "".join(
        f"<h2>A100 {size}GB</h2><table><tr><td>GPU Memory</td><td>{size} GB</td></tr></table>" for size in (40, 80)
    )
    draft = drafted(f"<!doctype html><body><h1>NVIDIA A100 | NVIDIA</h1>{tables}</body>", "a.html")
    assert values(draft, "nvidia-a100-40gb") == {"memory_gb": "40 GB"}
    assert values(draft, "nvidia-a100-80gb") == {"memory_gb": "80 GB"}


def test_lists_in_sections_of_a_page_stay_one_product() -> None:
    page = """<!doctype html><body><h1>AMD Instinct™ MI300X Accelerators</h1>
    <dl><dt>Name</dt><dd>AMD Instinct™ MI300X</dd><dt>Family</dt><dd>Instinct</dd>
    <dt>Compute Units</dt><dd>304</dd></dl>
    <h2>Board</h2><dl><dt>GPU Form Factor</dt><dd>OAM Module</dd><dt>TBP</dt><dd>750W</dd></dl></body>"""
    draft = drafted(page, "m.html")
    assert values(draft, "amd-instinct-mi300x") == {"compute_units": "304", "board_power_w": "750W"}


# ---------------------------------------------------------------- figures that mislead


@pytest.mark.parametrize(
    ("label", "text"),
    [
        ("GPU memory", "40/80 GB"),
        ("Memory Bandwidth", "> 2 TB/s"),
        ("NVLink", "7.2 TB/s (8 GPUs)"),
        ("Bus interface", "PCI Express 3.0 / 4.0"),
        ("Dimensions", "267 mm x 111 mm x 40 mm"),
        ("Peak Single Precision (TF32 Matrix) Performance", "653.7 TFLOPS"),
        ("BF16 Tensor Core (dense)", "1.979 TFLOPS"),
    ],
)
def test_a_figure_that_could_mean_two_things_is_listed(label: str, text: str) -> None:
    draft = drafted(html("NVIDIA H100 PCIe", [("Max TDP", "350 W"), (label, text)]), "h.html")
    assert values(draft) == {"board_power_w": "350 W"}
    assert text in unplaced(draft)


def test_a_dot_before_three_digits_is_a_decimal_point_where_the_sheet_shows_it() -> None:
    rows = [("FP64 (dense)", "1.413 TFLOPS"), ("FP32", "91.6 TFLOPS")]
    assert values(drafted(html("NVIDIA L40S", rows), "l.html"))["peak:fp64:fp64:dense:vector"] == "1.413 TFLOPS"


def test_a_footnote_changed_to_its_contrary_is_seen_in_a_pair() -> None:
    rows = [("GPU memory", "80 GB"), ("TF32 Tensor Core", "156 | 312* TFLOPS")]
    draft = drafted(html("NVIDIA A100 SXM", rows, "<p>* Without sparsity</p>"), "a.html")
    assert values(draft) == {"memory_gb": "80 GB"}
    assert "mark or footnote may have changed" in unplaced(draft)


@pytest.mark.parametrize(
    ("label", "text", "field", "value"),
    [
        ("GPU Memory", "96 GB GDDR7 with error-correcting code (ECC)", "ecc", "yes"),
        ("Power Consumption", "Total board power: 600 W", "board_power_w", "600 W"),
        ("Length", '11" (280 mm)', "length_mm", "280 mm"),
        ("PCI Express Gen 4", "Yes", "pcie_gen", "4"),
        ("HBM capacity per chip (GiB)", "95", "memory_gb", "95 GiB"),
        ("ICI bandwidth per chip bidirectional (GBps)", "1200", "link_gb_s", "1200 GB/s"),
        ("INT8 Tensor (dense)", "130 INT8 TOPS", "peak:int8:int32:dense:tensor", "130 TOPS"),
        ("FP4 Tensor Core (dense)", "9 PFLOPS", "peak:fp4:fp32:dense:tensor", "9 PFLOPS"),
        ("Turing Tensor Cores", "320", "tensor_cores", "320"),
    ],
)
def test_more_wordings_of_sheets_are_read(label: str, text: str, field: str, value: str) -> None:
    assert values(drafted(html("NVIDIA B200", [("Base Clock", "1 GHz"), (label, text)]), "b.html"))[field] == value


# ---------------------------------------------------------------- pages and files of other kinds


@pytest.mark.parametrize(
    "row",
    [
        '<div class="row"><div class="label">{}</div><div class="data">{}</div></div>',
        "<li><span>{}</span><span>{}</span></li>",
        "<p>{}: {}</p>",
    ],
)
def test_a_page_that_writes_label_and_figure_side_by_side_is_read(row: str) -> None:
    rows = [("Xe-cores", "20"), ("TBP", "190 W"), ("Memory", "12 GB GDDR6"), ("Weight", "1 kg")]
    body = "".join(row.format(*pair) for pair in rows)
    draft = drafted(f"<!doctype html><body><h1>Intel® Arc™ B580 Graphics</h1><div>{body}</div></body>", "b.html")
    assert values(draft, "intel-arc-b580") == {
        "compute_units": "20",
        "board_power_w": "190 W",
        "memory_gb": "12 GB",
        "memory_type": "GDDR6",
    }


def test_prose_beside_a_table_of_a_pdf_does_not_hide_it() -> None:
    texts: list[Text] = [(60, 60, 18, "NVIDIA L4")]
    strokes: list[Stroke] = [(310, 116, 540, 116)]
    for at, (label, text) in enumerate([("GPU Memory", "24 GB"), ("Max TDP", "72 W"), ("FP32", "30.3 TFLOPS")]):
        y = 120 + 18 * at
        texts += [(60, y, 8, "Runs 24 GB of video in every server, at 72 W"), (314, y, 8, label), (430, y, 8, text)]
        strokes.append((310, y + 14, 540, y + 14))
    assert values(drafted(pdf((texts, strokes)), "l4.pdf")) == {
        "memory_gb": "24 GB",
        "board_power_w": "72 W",
        "peak:fp32:fp32:dense:vector": "30.3 TFLOPS",
    }


def test_lines_of_label_and_figure_in_a_pdf_are_read() -> None:
    texts = [(60, 60, 18, "NVIDIA T4"), (60, 120, 8, "GPU Memory: 16 GB"), (60, 140, 8, "Max Power ......... 70 W")]
    assert values(drafted(pdf((texts, ())), "t4.pdf")) == {"memory_gb": "16 GB", "board_power_w": "70 W"}


def test_a_figure_across_the_line_between_two_shaded_rows_is_a_merged_cell() -> None:
    texts = [(60, 60, 18, "NVIDIA L40S")]
    strokes = []
    for at, (label, text) in enumerate(
        [("GPU Memory", "48 GB"), ("BF16 Tensor Core", ""), ("FP16 Tensor Core", ""), ("Max TDP", "350 W")]
    ):
        texts += [(60, 120 + 18 * at, 8, label)] + ([(260, 120 + 18 * at, 8, text)] if text else [])
        strokes += [(56, 133 + 18 * at, 500, 133 + 18 * at)]
    texts.append((260, 147, 8, "362 TFLOPS dense"))
    draft = drafted(pdf((texts, [(56, 115, 500, 115), *strokes])), "l.pdf")
    assert values(draft) == {"memory_gb": "48 GB", "board_power_w": "350 W"}
    assert "a merged cell" in unplaced(draft)


def test_one_lone_figure_of_a_sheet_is_not_taken_for_all_columns() -> None:
    rows = [("GPU Memory", "24 GB", "48 GB"), ("FP64", "1.4 TFLOPS", ""), ("Max TDP", "150 W", "300 W")]
    draft = drafted(table_pdf("NVIDIA", ("", "A10", "A40"), rows), "two.pdf")
    assert values(draft, "nvidia-a10")["peak:fp64:fp64:dense:vector"] == "1.4 TFLOPS"
    assert "peak:fp64:fp64:dense:vector" not in values(draft, "nvidia-a40")
    assert "blank, or a merged cell" in unplaced(draft)


def test_shared_figures_of_a_layout_say_in_the_draft_that_they_are_taken_from_it() -> None:
    rows = [("GPU Memory", "24 GB", ""), ("FP64", "1.4 TFLOPS", ""), ("Max TDP", "150 W", "300 W")]
    draft = drafted(table_pdf("NVIDIA", ("", "A10", "A40"), rows), "two.pdf")
    assert values(draft, "nvidia-a40")["memory_gb"] == "24 GB"
    assert draft.gpus[1].yaml.count("check that none is left empty") == 2


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b'{"gpu": "L4"}', "JSON, not a sheet"),
        (b"PK\x03\x04rest", "a ZIP, Word or Excel file"),
        (b"\x89PNG\r\n\x1a\n", "a PNG picture"),
        (
            pdf(([(60, 60, 18, "NVIDIA L4"), (60, 90, 8, "A fast card")], ())),
            "no table and no line of label and figure",
        ),
    ],
)
def test_a_file_of_another_kind_is_named(data: bytes, said: str) -> None:
    with pytest.raises(SheetError, match=said):
        drafted(data, "s.bin")


def test_text_that_stands_sideways_is_said_to_be_that() -> None:
    upright = pdf(([(60, 60, 18, "NVIDIA A40"), (60, 120, 8, "GPU Memory"), (260, 120, 8, "48 GB")], ()))
    turned = upright.replace(b"/MediaBox", b"/Rotate 90 /MediaBox")
    with pytest.raises(SheetError, match="page 1: text that stands sideways is not read; turn the page"):
        drafted(turned, "a40.pdf")


def test_pages_in_utf_16_and_with_a_wrong_declaration_are_read() -> None:
    page = html("NVIDIA L4", [("GPU Memory", "24\u00a0GB"), ("Memory Interface", "192\u2011bit")])
    wanted = {"memory_gb": "24 GB", "memory_bus_bit": "192-bit"}
    assert values(drafted(page.encode("utf-16"), "l4.html")) == wanted
    declared = page.replace("<html>", '<html><head><meta charset="iso-8859-1"></head>')
    assert values(drafted(declared.encode(), "l4.html")) == wanted


def test_a_footnote_row_below_a_table_of_one_gpu_a_row_is_no_gpu() -> None:
    rows = [
        ("GPU", "Memory", "BF16 Tensor Core*"),
        ("A100 PCIe", "80 GB", "624 TFLOPS"),
        ("L40S", "48 GB", "733 TFLOPS"),
        ("* With sparsity", "", ""),
    ]
    draft = drafted(csv(rows), "rows.csv")
    assert values(draft, "nvidia-l40s") == {"memory_gb": "48 GB", "peak:bf16:fp32:sparse:tensor": "733 TFLOPS"}
    assert len(draft.gpus) == 2 and not draft.unplaced


def test_a_column_of_an_unknown_product_is_listed_and_the_others_are_read() -> None:
    rows = [("Property", "L40S", "Widget 9", "L4"), ("Memory", "48 GB", "99 GB", "24 GB")]
    page = html("Cards", rows[1:], head=("Product", *rows[0][1:]))
    draft = drafted(page, "w.html")
    assert [gpu.id for gpu in draft.gpus] == ["nvidia-l40s", "nvidia-l4"]
    assert "product 'Widget 9': no line of products has such names" in unplaced(draft)
    assert "(1 figures not drafted)" in unplaced(draft)


def test_two_columns_that_lead_to_one_gpu_are_listed_and_the_others_are_read() -> None:
    page = html("Cards", [("Memory", "48 GB", "46 GB", "24 GB")], head=("", "NVIDIA L40S", "L40S GPU", "L4"))
    draft = drafted(page, "w.html")
    assert [gpu.id for gpu in draft.gpus] == ["nvidia-l4"]
    assert "two columns lead to nvidia-l40s" in unplaced(draft)
