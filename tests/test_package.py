"""The Python package answers with sources, asks where rows differ, never guesses a name, and needs nothing else."""

from __future__ import annotations

import ast
import doctest
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import almanac
import gpu_almanac
import numpy as np
import pytest
from gpu_almanac import __main__ as command
from gpu_almanac import store
from samples import committed

from pipeline.core import identity
from pipeline.core.paths import ROOT
from pipeline.derive.prices.quote import quotes
from pipeline.site.pages import gpu as gpu_pages

PACKAGE = ROOT / "pipeline" / "package"


@pytest.fixture(autouse=True)
def bundled(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    folder = tmp_path_factory.getbasetemp() / "package-data"
    if not folder.exists():
        almanac.write_bundle(folder)
    monkeypatch.setattr(store, "CHECKOUT", folder)
    store.table.cache_clear()
    yield
    store.table.cache_clear()


def test_the_examples_of_the_readme_hold() -> None:
    outcome = doctest.testfile(
        str(PACKAGE / "README.md"), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE
    )
    assert outcome.attempted > 10
    assert outcome.failed == 0


def test_a_peak_names_its_document_its_clock_and_its_day() -> None:
    peak = gpu_almanac.peak_tflops("H100 SXM", input="bf16")
    assert (peak.gpu, float(peak), peak.unit) == ("nvidia-h100-sxm5-80gb", 989.0, "TFLOPS")
    assert peak.source.url.startswith("https://")
    assert peak.source.locator
    assert peak.source.read <= peak.version == committed().newest_reading
    assert "1,830 MHz" in peak.clock


def test_rows_that_differ_in_the_sum_are_asked_for() -> None:
    with pytest.raises(gpu_almanac.AmbiguousPeakError, match=r"accumulate='fp32': 165\.2"):
        gpu_almanac.peak_tflops("RTX 4090", "fp16")
    assert gpu_almanac.peak_tflops("RTX 4090", "fp16", accumulate="fp16").tflops == 330.3


def test_of_rates_that_agree_the_one_that_sums_as_training_does_is_given() -> None:
    both = [
        row for row in gpu_almanac.peaks("A40") if (row.input, row.sparsity, row.engine) == ("fp16", "dense", "tensor")
    ]
    assert sorted((row.accumulate, row.tflops) for row in both) == [("fp16", 149.7), ("fp32", 149.7)]
    assert gpu_almanac.peak_tflops("A40", "fp16").accumulate == "fp32"
    assert gpu_almanac.peak_tflops("A40", "fp16", accumulate="fp16").accumulate == "fp16"


def test_a_size_that_stands_apart_from_its_letter_is_one_word_of_a_name() -> None:
    for written in ("PCIe A100 80 G", "PCIe A100 80 GB", "PCIe A100 80G"):  # in an order that no source has
        with pytest.raises(gpu_almanac.UnknownGpuError) as wrong:
            gpu_almanac.resolve(written)
        assert wrong.value.suggestions == ("nvidia-a100-pcie-80gb",), written


def test_a_size_in_short_names_every_variant_that_has_it() -> None:
    with pytest.raises(gpu_almanac.AmbiguousGpuError, match="say which") as shared:
        gpu_almanac.resolve("A100 80G")
    assert {"nvidia-a100-pcie-80gb", "nvidia-a100-sxm4-80gb"} <= set(shared.value.variants)
    assert all("80" in id for id in shared.value.variants)


def test_rows_that_differ_in_the_units_are_asked_for() -> None:
    with pytest.raises(gpu_almanac.AmbiguousPeakError, match="say engine"):
        gpu_almanac.peak_tflops("H100 SXM", "fp64")
    assert gpu_almanac.peak_tflops("H100 SXM", "fp64", engine="vector").tflops == 34


def test_a_sparse_rate_is_never_given_for_a_dense_one() -> None:
    dense = gpu_almanac.peak_tflops("H100 SXM", "bf16")
    sparse = gpu_almanac.peak_tflops("H100 SXM", "bf16", sparsity="sparse")
    assert (dense.sparsity, sparse.sparsity) == ("dense", "sparse")
    assert sparse.tflops == pytest.approx(2 * dense.tflops, rel=0.01)


def test_arithmetic_stands_for_a_missing_rate_only_when_asked() -> None:
    words = ("RTX 3080 Ti", "tf32", "fp32", "sparse")
    with pytest.raises(gpu_almanac.UnknownFigureError, match="pass computed=True"):
        gpu_almanac.peak_tflops(*words)
    found = gpu_almanac.peak_tflops(*words, computed=True)
    assert (found.basis, found.source.kind != "vendor") == ("computed", True)


@pytest.mark.parametrize("peak", ["bf16", "fp8", "int8"])
def test_every_peak_has_an_anchor_on_its_page(peak: str) -> None:
    dataset = committed()
    found = [p for p in gpu_almanac.peaks("H100 SXM") if p.input == peak]
    assert found
    page = next(iter(gpu_pages.pages(dataset, [found[0].gpu]))).text()
    for one in found:
        assert f'id="{one.address.partition("#")[2]}"' in page


def test_a_citation_survives_tex() -> None:
    entry = gpu_almanac.peak_tflops("L4", "bf16").bibtex
    assert entry.startswith("@misc{gpu-almanac-nvidia-l4-bf16-fp32-dense-tensor,")
    assert entry.count("{") == entry.count("}")
    note = entry.partition("note   =")[2].partition("url    =")[0]
    assert all(note[place - 1] == "\\" for place, sign in enumerate(note) if sign in "&%$#_")


def test_a_shared_name_lists_its_variants_and_a_wrong_one_the_nearest() -> None:
    with pytest.raises(gpu_almanac.AmbiguousGpuError, match="NVIDIA H100 PCIe 80GB") as shared:
        gpu_almanac.resolve("H100")
    assert "nvidia-h100-sxm5-80gb" in shared.value.variants
    with pytest.raises(gpu_almanac.UnknownGpuError, match="did you mean") as wrong:
        gpu_almanac.resolve("GeForce RTX 40900")
    assert wrong.value.suggestions[0] == "nvidia-geforce-rtx-4090"


def test_another_makers_card_of_that_name_is_not_meant() -> None:
    assert gpu_almanac.resolve("Apple M4") == "apple-m4"
    with pytest.raises(gpu_almanac.AlmanacError):
        gpu_almanac.resolve("NVIDIA M4")


def test_names_are_compared_as_the_pipeline_compares_them() -> None:
    from gpu_almanac import names

    dataset = committed()
    for card in dataset.gpus.values():
        for spelling in (card.id, card.name, *card.aliases):
            assert names.key(spelling) == identity.key(spelling)
            assert gpu_almanac.resolve(spelling) == card.id


def test_an_unknown_figure_is_none_and_never_zero() -> None:
    card = gpu_almanac.gpu("RTX 4090")
    assert card.get("memory_gb") == 24
    assert card.get("no_such_figure") is None
    values = [f.value for id in gpu_almanac.gpus() for f in gpu_almanac.gpu(id).figures.values()]
    assert [value for value in values if value == 0 and value is not False] == []


def test_the_figures_are_those_of_the_dataset() -> None:
    for card in committed().gpus.values():
        found = gpu_almanac.gpu(card.id)
        assert found.get("memory_gb") == card.memory_gb
        stated = {peak.tflops for peak in found.peaks if peak.basis == "stated"}
        assert stated == set(card.peaks.values())


def test_utilisation_counts_six_operations_a_parameter_and_token() -> None:
    used = gpu_almanac.mfu("H100 SXM", tokens_per_second=80_000, parameters=8e9, gpus=8)
    assert used.achieved_tflops == pytest.approx(3840)
    assert float(used) == pytest.approx(3840 / (8 * 989))
    with pytest.raises(ValueError, match="either tflops"):
        gpu_almanac.mfu("H100 SXM")


@pytest.mark.parametrize(
    ("written", "word"),
    [
        ("bfloat16", "bf16"),
        ("torch.bfloat16", "bf16"),
        ("float16", "fp16"),
        ("half", "fp16"),
        ("FP-16", "fp16"),
        ("fp8_e4m3", "fp8"),
        ("float8_e4m3fn", "fp8"),
        ("torch.float8_e5m2", "fp8"),
        ("E4M3", "fp8"),
        ("float32", "fp32"),
        ("double", "fp64"),
        ("TF32", "tf32"),
        ("i8", "int8"),
    ],
)
def test_a_format_is_found_by_the_names_of_frameworks_and_papers(written: str, word: str) -> None:
    engine = "vector" if word in ("fp32", "fp64") else "tensor"
    assert gpu_almanac.peak_tflops("H100 SXM", written, engine=engine).input == word


def test_a_data_type_of_a_framework_stands_for_its_name() -> None:
    assert gpu_almanac.peak_tflops("H100 SXM", np.float16).input == "fp16"  # type: ignore[arg-type]
    assert gpu_almanac.peak_tflops("H100 SXM", np.dtype("float16")).input == "fp16"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"input": "bf61"}, "no number format is called bf61; did you mean bf16? There are: fp64, "),
        ({"input": "posit"}, "no number format is called posit"),
        ({"input": "fp16", "accumulate": "fp23"}, "no type of the sums is called fp23; did you mean fp32?"),
        ({"sparsity": "sparsed"}, "did you mean sparse?"),
        ({"engine": "tensors"}, "did you mean tensor?"),
    ],
)
def test_a_word_that_no_table_has_is_answered_in_plain_words(asked: dict[str, str], told: str) -> None:
    with pytest.raises(gpu_almanac.UnknownFigureError) as wrong:
        gpu_almanac.peak_tflops("H100 SXM", **asked)  # type: ignore[arg-type]
    assert told in str(wrong.value)
    assert "\\" not in str(wrong.value)


def test_a_figure_that_does_not_exist_is_a_key_error_with_suggestions() -> None:
    with pytest.raises(KeyError) as wrong:
        _ = gpu_almanac.gpu("RTX 4090")["memory_bandwith_gb_s"]
    told = (
        "NVIDIA GeForce RTX 4090: no source states a figure called memory_bandwith_gb_s; did you mean memory_bandwidth"
    )
    assert str(wrong.value).startswith(told)


@pytest.mark.parametrize("name", [None, "", "  ", 4090, True])
def test_what_is_no_name_is_answered_in_words(name: object) -> None:
    with pytest.raises(gpu_almanac.UnknownGpuError, match="a GPU's name is a text"):
        gpu_almanac.resolve(name)  # type: ignore[arg-type]


@pytest.mark.parametrize("amount", [float("nan"), float("inf"), -1, 0, True, "400"])
@pytest.mark.parametrize("word", ["tflops", "tokens_per_second", "parameters"])
def test_a_utilisation_of_no_amount_is_refused(word: str, amount: object) -> None:
    given = {"tflops": amount} if word == "tflops" else {"tokens_per_second": 1e4, "parameters": 8e9, word: amount}
    with pytest.raises(ValueError, match=f"{word} = .*write a number"):
        gpu_almanac.mfu("H100 SXM", **given)  # type: ignore[arg-type]


@pytest.mark.parametrize("size", [8, 7.6, 8000, 999_999])
def test_a_network_of_a_few_parameters_is_asked_back(size: float) -> None:
    with pytest.raises(ValueError, match="write the count itself, as 8e9 for 8 billion"):
        gpu_almanac.mfu("H100 SXM", tokens_per_second=1e4, parameters=size)
    assert gpu_almanac.mfu("H100 SXM", tokens_per_second=1e4, parameters=1_000_000)


@pytest.mark.parametrize("gpus", [0, -8, True, 2.5, None, "8"])
def test_a_utilisation_of_no_count_of_gpus_is_refused(gpus: object) -> None:
    with pytest.raises(ValueError, match="write how many GPUs took part"):
        gpu_almanac.mfu("H100 SXM", tflops=400, gpus=gpus)  # type: ignore[arg-type]


def test_more_than_the_peak_is_a_wrong_denominator_or_a_wrong_count() -> None:
    assert float(gpu_almanac.mfu("H100 SXM", tflops=989)) == 1
    at_the_peak = {"tokens_per_second": 989e12 * (1 + 1e-12) / 6 / 8e9, "parameters": 8e9}
    assert float(gpu_almanac.mfu("H100 SXM", **at_the_peak)) == pytest.approx(1)
    with pytest.raises(ValueError, match=r"989\.9 TFLOPS are a little more than 100% of 1 x 989: no run is faster"):
        gpu_almanac.mfu("H100 SXM", tflops=989.9)
    with pytest.raises(ValueError, match=r"are 202% of 1 x 989: .*The denominator is wrong .*or the count of FLOPs"):
        gpu_almanac.mfu("H100 SXM", tflops=2000)
    with pytest.raises(ValueError, match="either tflops"):
        gpu_almanac.mfu("H100 SXM", tflops=400, tokens_per_second=1e4)


def test_a_price_has_its_day_its_market_and_what_it_rests_on() -> None:
    rent = gpu_almanac.price("H100 SXM", "rent")
    assert (rent.kind, rent.market, rent.currency) == ("rent", "us", "USD")
    assert rent.day
    assert rent.words.startswith("to rent on demand")
    assert gpu_almanac.price("H100 SXM", "on-demand", "US") == rent
    with pytest.raises(gpu_almanac.UnknownFigureError, match=r"known are: .*rent in us"):
        gpu_almanac.price("H100 SXM", "new", "uk")
    with pytest.raises(gpu_almanac.UnknownFigureError, match=r"called lease.* There are: new, used, system, rent"):
        gpu_almanac.price("H100 SXM", "lease")
    with pytest.raises(gpu_almanac.UnknownFigureError, match=r"no market is called jp\. There are: us, eu, uk"):
        gpu_almanac.price("H100 SXM", "rent", "jp")


def test_a_price_is_the_one_that_the_site_quotes() -> None:
    book = quotes(committed())
    seen = 0
    for id in gpu_almanac.gpus():
        quote = book.quote(id, "used", "us")
        if quote.value is not None:
            seen += 1
            assert float(gpu_almanac.price(id, "used")) == pytest.approx(quote.value, rel=1e-5)
    assert seen > 20


NVIDIA_SMI = "NVIDIA A100-SXM4-80GB, 81920\nNVIDIA A100-PCIE-40GB, 40960\nNVIDIA Imagined, 1024\n"


def test_the_gpus_of_a_machine_are_found_by_what_the_driver_says() -> None:
    def answers(words: Sequence[str]) -> str:
        return NVIDIA_SMI if words[0] == "nvidia-smi" else ""

    found = gpu_almanac.detect(answers)
    assert [one.gpu for one in found] == ["nvidia-a100-sxm4-80gb", "nvidia-a100-pcie-40gb", None]
    assert found[0].memory_gb == 80
    assert gpu_almanac.detect(lambda _: "") == ()


def test_the_memory_tells_variants_of_one_name_apart() -> None:
    def answers(words: Sequence[str]) -> str:
        return "A100 SXM, 40960\n" if words[0] == "nvidia-smi" else ""

    (one,) = gpu_almanac.detect(answers)
    assert one.gpu == "nvidia-a100-sxm4-40gb"


@pytest.mark.parametrize("words", [("show", "rtx 4090"), ("peaks", "rtx 4090"), ("compare", "rtx 4090", "rtx 5090")])
def test_the_command_answers_in_text_and_in_json(words: Sequence[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(words) == 0
    assert "4090" in capsys.readouterr().out
    assert command.main((*words, "--json")) == 0
    assert json.loads(capsys.readouterr().out)[0]["id"] == "nvidia-geforce-rtx-4090"


def test_the_command_says_what_to_type_instead(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(("show", "H100")) == 1
    assert "say which" in capsys.readouterr().err


def started(*words: str, **changes: str) -> subprocess.Popen[bytes]:
    """The command as a shell starts it."""
    command_line = [sys.executable, "-m", "gpu_almanac", *words]
    return subprocess.Popen(
        command_line, cwd=PACKAGE, env={**os.environ, **changes}, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


@pytest.mark.parametrize("words", [("show", "rtx 4090"), ("peaks", "l4"), ("show", "l4", "--json"), ("show", "é→")])
def test_a_terminal_without_our_signs_is_answered(words: Sequence[str]) -> None:
    answer = started(*words, LC_ALL="C", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    out, err = answer.communicate(timeout=60)
    assert (out + err).isascii()
    assert b"Traceback" not in err
    assert answer.returncode == (words[1] == "é→")


@pytest.mark.parametrize("words", [("show", "rtx 4090", "--json"), ("show", "rtx 4090")])
def test_a_reader_that_has_enough_ends_the_command_quietly(words: Sequence[str]) -> None:
    answer = started(*words)
    assert answer.stdout
    assert answer.stderr
    answer.stdout.close()  # before the first line is written: what "| head" does to the last ones
    assert answer.stderr.read() == b""
    assert answer.wait(timeout=60) == 0
    answer.stderr.close()


def test_an_empty_name_is_told_and_is_not_the_gpu_of_this_machine(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(("show", "")) == 1
    assert "a GPU's name is a text, as 'RTX 4090'; '' is none" in capsys.readouterr().err


def test_the_command_names_the_day_of_its_data(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        command.main(("--version",))
    assert end.value.code == 0
    assert capsys.readouterr().out == f"gpu-almanac, data of {gpu_almanac.version()}\n"


@pytest.mark.parametrize(("name", "said"), [("h100 sxm5 80gb", "yes"), ("radeon pro w5500", "no")])
def test_what_a_card_has_or_lacks_is_yes_or_no(name: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    command.main(("show", name))
    (line,) = (line for line in capsys.readouterr().out.splitlines() if line.lstrip().startswith("ECC memory"))
    assert line.split()[2] == said


def test_a_comparison_shows_a_format_that_one_card_lacks(capsys: pytest.CaptureFixture[str]) -> None:
    command.main(("compare", "v100 sxm2 16gb", "rtx 5090"))
    rows = {line.split("  ")[0]: line.split()[-2:] for line in capsys.readouterr().out.splitlines()}
    (fp4,) = (cells for label, cells in rows.items() if label.startswith("FP4 -> FP32, dense"))
    assert fp4[0] == "-"
    assert float(fp4[1]) > 0


def test_the_modules_use_the_standard_library_alone() -> None:
    for path in (PACKAGE / "gpu_almanac").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            named = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            named += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for name in named:
                root = name.partition(".")[0]
                assert root in sys.stdlib_module_names or root == "gpu_almanac", f"{path.name} imports {name}"


def test_the_wheel_holds_the_package_and_its_data_and_needs_nothing(tmp_path: Path) -> None:
    built = almanac.wheel(tmp_path)
    with zipfile.ZipFile(built) as archive:
        held = archive.namelist()
        metadata = archive.read(next(name for name in held if name.endswith("METADATA"))).decode()
    assert {name.partition("/")[0] for name in held if ".dist-info" not in name} == {"gpu_almanac"}
    assert "gpu_almanac/py.typed" in held
    assert {name for name in held if name.endswith(".json")} == {
        f"gpu_almanac/data/{name}.json" for name in ("about", "names", "sources", "gpus", "peaks", "prices")
    }
    assert [line for line in metadata.splitlines() if line.startswith("Requires-Dist") and "extra ==" not in line] == []
    code = "from gpu_almanac import peak_tflops; print(peak_tflops('H100 SXM', input='bf16').tflops)"
    alone = [sys.executable, "-I", "-S", "-c", f"import sys; sys.path.insert(0, {str(built)!r}); {code}"]
    assert subprocess.run(alone, check=True, capture_output=True, text=True).stdout.strip() == "989.0"
