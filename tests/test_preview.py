"""The preview: what an edit builds at once, and what follows."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from mkdocs.exceptions import PluginError
from samples import committed

from pipeline.core.paths import ROOT, DataPaths
from pipeline.dataset import Dataset
from pipeline.site.pages import gpu, preview
from pipeline.site.pages.listed import File

ONE, TWO = "nvidia-geforce-rtx-4090", "nvidia-geforce-rtx-3090"


@pytest.fixture
def cards() -> Dataset:
    """Two cards: few pages, made in no time."""
    whole = committed()
    return replace(whole, gpus={id: whole.gpus[id] for id in (TWO, ONE)})


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> preview.Preview:
    """A preview of a site that has only the pages of cards."""

    def every_file(dataset: Dataset) -> Iterator[File]:
        yield from gpu.pages(dataset)

    monkeypatch.setattr(preview, "every_file", every_file)
    return preview.Preview()


@pytest.fixture
def hooks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The hooks, with a wish for a second build that comes at once and lies elsewhere."""
    spec = spec_from_file_location("hooks", ROOT / "docs" / "hooks.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    module.SECOND_BUILD, module.SECOND_BUILD_AFTER_S = tmp_path / "rest", 0
    monkeypatch.setattr(preview, "_running", [])
    return module


def wished(hooks: ModuleType, seconds: float) -> bool:
    """Whether the wish for a second build comes within so many seconds."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and not hooks.SECOND_BUILD.exists():
        time.sleep(0.01)
    return bool(hooks.SECOND_BUILD.exists())


def edited(dataset: Dataset, **changes: object) -> Dataset:
    """The dataset after an edit of one card."""
    card = replace(dataset.gpus[ONE], **changes)  # type: ignore[arg-type]
    return replace(dataset, gpus={**dataset.gpus, ONE: card})


def new(shown: preview.Preview, dataset: Dataset) -> set[str]:
    """The files that a build changes."""
    return {file.file for file, is_new in shown.files(dataset) if is_new}


def test_the_first_build_makes_every_file_and_leaves_none_behind(shown: preview.Preview, cards: Dataset) -> None:
    assert {f"gpus/{ONE}.md", f"gpus/{TWO}.md"} <= new(shown, cards)
    assert not shown.behind


def test_an_edit_shows_the_card_s_own_files_at_once_and_the_others_follow(
    shown: preview.Preview, cards: Dataset
) -> None:
    list(shown.files(cards))
    twice = edited(cards, memory_gb=48.0)  # the other card's page tells it as a rival's
    assert {name.split("/")[1].split(".")[0] for name in new(shown, twice)} == {ONE}
    assert shown.behind
    assert f"gpus/{TWO}.md" in new(shown, twice)
    assert not shown.behind


def test_both_builds_together_give_what_a_plain_build_gives(shown: preview.Preview, cards: Dataset) -> None:
    list(shown.files(cards))
    after = edited(cards, memory_gb=48.0)
    list(shown.files(after))
    texts = {file.file: file.text() for file, _ in shown.files(after)}
    assert texts == {file.file: file.text() for file in gpu.pages(after)}


def test_a_build_without_an_edit_changes_nothing(shown: preview.Preview, cards: Dataset) -> None:
    list(shown.files(cards))
    assert new(shown, cards) == set()


def test_the_dataset_is_built_anew_only_after_a_file_was_saved(tmp_path: Path) -> None:
    data = DataPaths(tmp_path)
    for folder in (data.gpus, data.names, data.benchmark_sets):
        folder.mkdir(parents=True)
    data.corrections.write_text("", encoding="utf-8")
    card = data.gpus / "card.yml"
    card.write_text("name: One", encoding="utf-8")
    built: list[DataPaths] = []
    shown = preview.Preview(data)
    shown.compile(built.append)
    assert not built
    card.write_text("name: Two", encoding="utf-8")
    os.utime(card, (0, 0))  # a clock too coarse to tell two saves apart proves nothing
    shown.compile(built.append)
    shown.compile(built.append)
    assert built == [data]


@pytest.mark.parametrize(("command", "dirty"), [("serve", True), ("serve", False), ("build", False)])
def test_only_make_serve_is_a_preview(hooks: ModuleType, command: str, dirty: bool) -> None:
    hooks.on_startup(command=command, dirty=dirty)
    assert (preview.running() is not None) == dirty


def test_a_build_that_leaves_pages_behind_wishes_for_a_second_one(hooks: ModuleType) -> None:
    hooks.running[:] = [SimpleNamespace(behind=True)]
    hooks.on_post_build({"site_dir": "no such folder"})
    assert wished(hooks, 5)


def test_a_whole_build_wishes_for_no_second_one(hooks: ModuleType) -> None:
    hooks.running[:] = [SimpleNamespace(behind=False)]
    hooks.on_post_build({"site_dir": "no such folder"})
    assert not wished(hooks, 0.1)


def test_the_search_script_is_mended_once_and_a_new_one_is_noticed(hooks: ModuleType) -> None:
    script = "function(){for(;i<n;i++){var s=r[i],o=this.edges[s];e=e+s+o.id}return e},t.TokenSet"
    mended = hooks.mended(script, "search.min.js")
    assert 'e=e+s+o.id+","' in mended
    assert hooks.mended(mended, "search.min.js") == mended
    with pytest.raises(PluginError, match=r"search\.min\.js"):
        hooks.mended("another lunr", "search.min.js")
