"""A successor of MkDocs gets complete pages, and what it makes of them differs only as listed."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from pipeline.core.paths import ROOT
from pipeline.site.render import Asset
from pipeline.tools.setup import engines

PAGE = (
    "<html><head><title>{title}</title><meta name='description' content='d'>"
    "<link rel='canonical' href='https://e.org/{path}'></head>"
    "<body><article><h1 id='a'>One</h1><a href='{link}'>to</a>{more}</article></body></html>"
)


def site(folder: Path, link: str = "../two/", title: str = "One", more: str = "", path: str = "one") -> Path:
    (folder / path).mkdir(parents=True)
    (folder / path / "index.html").write_text(PAGE.format(title=title, link=link, more=more, path=path), "utf-8")
    return folder


def test_two_sites_that_write_a_link_in_two_ways_do_not_differ(tmp_path: Path) -> None:
    assert engines.differences(site(tmp_path / "a"), site(tmp_path / "b", "../../two/")) == {}


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"link": "../three/"}, {"links"}),
        ({"title": "Two"}, {"title"}),
        ({"more": "<p id='x'>words</p>"}, {"text", "anchors"}),
        ({"more": "<a title='Edit this page' href='https://e.org/edit/main/docs/one.md'></a>"}, {"pencil"}),
        ({"path": "elsewhere"}, {"pages"}),
    ],
)
def test_what_a_reader_would_miss_is_a_difference(tmp_path: Path, changes: dict[str, str], what: set[str]) -> None:
    assert set(engines.differences(site(tmp_path / "a"), site(tmp_path / "b", **changes))) == what


def test_a_difference_must_be_listed_and_a_listed_one_must_be_there() -> None:
    found = {"title": ["one/index.html"]}
    assert engines.unexplained("x", found, {"title": "for a reason"}) == []
    (told,) = engines.unexplained("x", found, {})
    assert "x: title differs on 1 pages, as one/index.html" in told
    (idle,) = engines.unexplained("x", {}, {"title": "for a reason"})
    assert "take it out of docs/engines.yml" in idle


def test_every_listed_difference_is_one_that_is_looked_for_and_says_why() -> None:
    known = yaml.safe_load(engines.KNOWN.read_text(encoding="utf-8"))
    assert known.keys() == engines.ENGINES.keys()
    for name in known:
        listed = engines.listed(name)
        assert listed.keys() <= {"pages", "files", *engines.ASPECTS}
        assert all(len(reason.split()) > 5 for reason in listed.values())


def test_an_engine_that_is_none_is_refused_with_the_names() -> None:
    with pytest.raises(engines.EngineError, match="there are: properdocs, zensical"):
        engines.listed("hugo")


@pytest.mark.parametrize(
    ("page", "link", "seen"),
    [
        ("gpus/nvidia-l4.md", "../../compare/?g=a,b", "../compare/?g=a,b"),
        ("gpus/nvidia-l4.md", "part/", "nvidia-l4/part/"),
        ("gpus/nvidia-l4.md", "../../gpus/nvidia-l4.txt", "nvidia-l4.txt"),
        ("gpus/index.md", "../compare/", "../compare/"),
        ("index.md", "./gpus/", "gpus/"),
        ("measure.md", "../gpus/nvidia-l4/#peaks", "gpus/nvidia-l4/#peaks"),
        ("measure.md", "?g=a", "measure/?g=a"),
        ("measure.md", "https://e.org/x", "https://e.org/x"),
        ("measure.md", "#place", "#place"),
        ("measure.md", "mailto:a@e.org", "mailto:a@e.org"),
    ],
)
def test_a_link_is_seen_from_the_folder_of_the_file(page: str, link: str, seen: str) -> None:
    assert engines.from_source(f'<a class="x" href="{link}">', Path(page)) == f'<a class="x" href="{seen}">'


def test_the_settings_for_an_engine_need_neither_our_plugin_nor_our_hooks() -> None:
    found = engines.settings()
    assert found["plugins"] == ["search"]
    assert "hooks" not in found
    assert [market["id"] for market in found["extra"]["markets"]] == ["us", "eu", "uk"]
    assert "charts/launch-price.md" in yaml.safe_dump(found["nav"])
    assert yaml.safe_load(yaml.safe_dump(found)) == found


def test_a_made_page_gets_its_policy_and_no_pencil(tmp_path: Path) -> None:
    pencil = '<a href="https://e.org/edit/main/docs/x.md" title="Edit this page" class="md-icon" rel="edit">edit</a>'
    for name in ("gpus/x", "measure"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "index.html").write_text(f"<html><head></head><body>{pencil}</body></html>", "utf-8")
    engines.finish(tmp_path, [Asset("gpus/x.md", "")], engines.ENGINES["properdocs"])
    made, written = ((tmp_path / name / "index.html").read_text("utf-8") for name in ("gpus/x", "measure"))
    assert "Content-Security-Policy" in made and "Content-Security-Policy" in written
    assert pencil not in made
    assert pencil.replace(' rel="edit"', "") in written  # the validator knows no such relation


def test_the_workflow_and_the_runbook_name_the_command() -> None:
    assert 'engine ENGINE="$ENGINE"' in (ROOT / ".github/workflows/engines.yml").read_text(encoding="utf-8")
    runbook = (ROOT / ".github/RUNBOOK.md").read_text(encoding="utf-8")
    assert "`make engine ENGINE=properdocs`" in runbook
    assert "1 February 2027" in runbook
