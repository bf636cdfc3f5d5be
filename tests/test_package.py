"""The Python package answers with sources, asks where rows differ, never guesses a name, and needs nothing else."""

from __future__ import annotations

import ast
import doctest
import json
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import almanac
import gpu_almanac
import pytest
from gpu_almanac import __main__ as command
from gpu_almanac import store

from pipeline.core import identity
from pipeline.core.paths import ROOT
from pipeline.dataset import Dataset
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
    assert peak.source.read <= peak.version == Dataset.load().newest_reading
    assert "1,830 MHz" in peak.clock


def test_rows_that_differ_in_the_sum_are_asked_for() -> None:
    with pytest.raises(gpu_almanac.AmbiguousPeakError, match=r"accumulate='fp32': 165\.2"):
        gpu_almanac.peak_tflops("RTX 4090", "fp16")
    assert gpu_almanac.peak_tflops("RTX 4090", "fp16", accumulate="fp16").tflops == 330.3


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
    dataset = Dataset.load()
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

    dataset = Dataset.load()
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
    for card in Dataset.load().gpus.values():
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


def test_a_price_has_its_day_its_market_and_what_it_rests_on() -> None:
    rent = gpu_almanac.price("H100 SXM", "rent")
    assert (rent.kind, rent.market, rent.currency) == ("rent", "us", "USD")
    assert rent.day
    assert rent.words.startswith("to rent on demand")
    with pytest.raises(gpu_almanac.UnknownFigureError, match=r"known are: .*rent in us"):
        gpu_almanac.price("H100 SXM", "lease")


def test_a_price_is_the_one_that_the_site_quotes() -> None:
    book = quotes(Dataset.load())
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
