"""The command line: help that names the commands, exit codes that scripts can use, errors with the next step."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from samples import SOUND, Tree, claim

from pipeline import __main__ as cli
from pipeline import dataset
from pipeline.commands import whole
from pipeline.core import currencies, files, makers, paths
from pipeline.core.paths import ROOT
from pipeline.intake.sources import MODULES

PROBLEM_EXIT, USAGE_EXIT, STALE_EXIT, SOURCE_EXIT = 1, 2, 3, 4


@pytest.fixture
def run(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> object:
    """Run a command on the data tree of the test."""
    monkeypatch.setattr(paths, "DATA", tree.data)
    monkeypatch.setattr(dataset.Dataset, "load", lambda folder=tree.data.clean: LOAD(folder))
    for check in (
        "check_questions",
        "check_guide",
        "check_statements",
        "check_coverage",
    ):  # they speak of the real dataset
        monkeypatch.setattr(whole, check, lambda _: [])
    return lambda *words: CliRunner().invoke(cli.main, words)


LOAD = dataset.Dataset.load


def test_help_names_every_command_and_the_exit_codes() -> None:
    text = CliRunner().invoke(cli.main, ["--help"]).output
    for word in ("build", "refresh", "check", "show", "diff", "Exit codes"):
        assert word in text


def test_build_then_check_then_show(run: object) -> None:
    assert _ok(run("build")).startswith("data/clean: 1 GPUs, 16 peaks")  # type: ignore[operator]
    assert "1 GPUs, 11 claims, 0 fields in dispute, newest reading 2026-11-20" in _ok(run("check"))  # type: ignore[operator]
    shown = _ok(run("show", "rtx 4090"))  # type: ignore[operator]
    assert "memory_bandwidth_gb_s" in shown
    assert "wikipedia-gpu-info, gpu.json, row 1, read 2026-11-20" in shown


def test_a_problem_in_the_data_is_exit_code_1_and_changes_nothing(run: object, tree: Tree) -> None:
    tree.claims("wikipedia-gpu-info", (*SOUND, claim("length_mm", "0 mm")))
    before = tree.state()
    answer = run("build")  # type: ignore[operator]
    assert answer.exit_code == PROBLEM_EXIT
    assert "length_mm = '0'" in answer.output
    assert "1 problem(s); nothing was changed" in answer.output
    assert tree.state() == before


def test_an_outdated_dataset_is_exit_code_3_and_names_the_command(run: object, tree: Tree) -> None:
    run("build")  # type: ignore[operator]
    tree.claims("wikipedia-gpu-info", SOUND[:-1])
    answer = run("check")  # type: ignore[operator]
    assert answer.exit_code == STALE_EXIT
    assert "data/clean/peaks.csv is out of date" in answer.output
    assert "make data" in answer.output


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("show", "rtx 9999"), "no GPU is called 'rtx 9999'"),
        (("refresh", "--only", "nobody"), "unknown source 'nobody'"),
        (("refresh", "--mirror", "/no/such/folder"), "does not exist"),
    ],
)
def test_wrong_usage_is_exit_code_2(run: object, words: tuple[str, ...], message: str) -> None:
    run("build")  # type: ignore[operator]
    answer = run(*words)  # type: ignore[operator]
    assert answer.exit_code == USAGE_EXIT
    assert message in answer.output


def test_a_mirror_without_its_files_is_exit_code_4_and_the_data_stays(run: object, tree: Tree, tmp_path: Path) -> None:
    mirror = tmp_path / "mirror"
    mirror.mkdir()
    (mirror / "MANIFEST.csv").write_text("source_id,file,upstream_url,upstream_date,retrieved,sha256\n")
    before = {p: b for p, b in tree.state().items() if p.startswith("claims")}
    answer = run("refresh", "--mirror", str(mirror), "--only", MODULES[0].SOURCE.id)  # type: ignore[operator]
    assert answer.exit_code == SOURCE_EXIT
    assert "FAILED" in answer.output
    assert {p: b for p, b in tree.state().items() if p.startswith("claims")} == before


def _ok(answer: Result) -> str:
    assert answer.exit_code == 0, answer.output
    return answer.output


HEAVY = {"dask", "numpy", "pandas", "pint", "plotly", "pyarrow", "requests", "scipy"}


@pytest.mark.parametrize(
    ("words", "needs"),
    [
        (["show", "rtx-4090"], {"numpy"}),
        pytest.param(["check", "data/gpus/nvidia-l4.yml"], set(), marks=pytest.mark.full),
    ],
    ids=["show", "check"],
)
def test_a_command_imports_nothing_that_it_can_do_without(words: list[str], needs: set[str]) -> None:
    told = (
        "import sys; from click.testing import CliRunner; from pipeline import __main__ as cli;"
        f"answer = CliRunner().invoke(cli.main, {words!r});"
        f"print(answer.exit_code, *sorted({HEAVY!r} & set(sys.modules)))"
    )
    ran = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, cwd=ROOT, check=True)
    assert ran.stdout.split() == ["0", *sorted(needs)]


@pytest.mark.parametrize("command", ["build", "check", "refresh", "refresh --sheets --accept"])
def test_two_commands_at_once_do_not_mix(run: object, tree: Tree, command: str) -> None:
    run("build")  # type: ignore[operator]
    before = tree.state()
    with files.alone(tree.data.data):
        answer = run(*command.split())  # type: ignore[operator]
    assert answer.exit_code == PROBLEM_EXIT
    assert "another command is changing data/; wait until it has ended" in answer.output
    assert tree.state() == before
    if "refresh" not in command:  # it would ask the network
        assert run(command).exit_code == 0  # type: ignore[operator]


def test_check_finishes_what_a_killed_build_had_decided(
    run: object, tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("build")  # type: ignore[operator]
    tree.claims("wikipedia-gpu-info", SOUND[:-1])

    replace = os.replace

    def killed(staged: Path, target: Path) -> None:  # as soon as the decision is written down
        if target.name != files.MARKER:
            raise KeyboardInterrupt
        replace(staged, target)

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", killed)
        run("build")  # type: ignore[operator]
    assert (tree.data.data / files.STAGE / files.MARKER).exists()
    assert run("check").exit_code == 0  # type: ignore[operator]
    assert not (tree.data.data / files.STAGE).exists()


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EACCES, errno.EROFS])
def test_a_full_disk_or_a_folder_that_may_not_be_written_is_said_and_changes_nothing(
    run: object, tree: Tree, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    run("build")  # type: ignore[operator]
    tree.claims("wikipedia-gpu-info", SOUND[:-1])
    before = tree.state()

    def full(descriptor: int) -> None:
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        answer = run("build")  # type: ignore[operator]
    assert answer.exit_code == PROBLEM_EXIT
    assert os.strerror(number) in answer.output
    assert "nothing was changed" in answer.output
    run("check")  # type: ignore[operator]
    assert tree.state() == before
    assert _ok(run("build"))  # type: ignore[operator]


def test_check_of_a_file_that_is_no_gpus_looks_at_it(run: object, tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    tree.write("currencies.yml", "EUR: {word: euros}\n")
    tree.write("cloud.yml", "")
    monkeypatch.setattr(whole, "READERS", (lambda: currencies.load(tree.data.data / "currencies.yml"),))
    answer = run("check", str(tree.data.data / "currencies.yml"))  # type: ignore[operator]
    assert answer.exit_code == PROBLEM_EXIT
    assert "data/currencies.yml:1: EUR, sign: is missing" in answer.output
    answer = run("check", str(tree.data.data / "cloud.yml"))  # type: ignore[operator]
    assert answer.output.startswith("data/cloud.yml: a file that was not touched is wrong now, perhaps because of ")
    assert "1 problem(s)" in answer.output
    monkeypatch.setattr(whole, "READERS", ())
    assert _ok(run("check", str(tree.data.data / "cloud.yml"))) == "1 file(s): no problems\n"  # type: ignore[operator]


def test_check_of_a_table_of_the_build_names_what_to_change_instead(run: object, tree: Tree) -> None:
    run("build")  # type: ignore[operator]
    answer = run("check", str(tree.data.clean / "gpus.csv"))  # type: ignore[operator]
    assert answer.exit_code == PROBLEM_EXIT
    assert "data/clean/gpus.csv: is written by the build" in answer.output


def test_check_of_prose_reads_the_tables_as_a_build_would_write_them(
    run: object, tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    chapter = tree.data.data.parent / "docs" / "chapter.md"
    chapter.parent.mkdir()
    chapter.write_text("text", encoding="utf-8")
    seen: list[int] = []
    monkeypatch.setattr(whole, "READERS", ())
    monkeypatch.setattr(whole, "check_guide", lambda data: seen.append(len(data.gpus)) or ["docs/chapter.md:1: old"])
    answer = run("check", str(chapter))  # type: ignore[operator]
    assert (answer.exit_code, seen) == (PROBLEM_EXIT, [1])
    assert "docs/chapter.md:1: old" in answer.output


def test_a_list_that_cannot_be_read_when_the_program_starts_is_told_without_a_trace(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(_: str) -> object:
        raise makers.MakerError("data/makers.yml:3: Acme is no maker")

    monkeypatch.setattr(cli, "import_module", broken)
    answer = CliRunner().invoke(cli.main, ["check", "data/makers.yml", "--since", "HEAD"])
    assert answer.exit_code == PROBLEM_EXIT
    assert answer.output == "data/makers.yml:3: Acme is no maker\n1 problem(s); nothing was changed\n"
    answer = CliRunner().invoke(cli.main, ["check", "--format", "github"])
    assert answer.exit_code == PROBLEM_EXIT
    assert answer.stdout == "::error file=data/makers.yml,line=3::Acme is no maker\n"
