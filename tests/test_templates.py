"""A template is compiled once for all builds, and anew when its text or the code behind its filters is another."""

from __future__ import annotations

from pathlib import Path

import pytest
from jinja2 import Environment

from pipeline.core import templates


def filled(text: str, made_by: Path, compiled: list[str]) -> str:
    """A text filled by a process of its own, as it were; `compiled` takes what had to be compiled."""
    environment = Environment(autoescape=True, bytecode_cache=templates.Compiled("tests", made_by))
    environment.filters["twice"] = lambda told: eval(made_by.read_text(), {"told": told})
    compile = environment.compile

    def counted(source: str) -> object:
        compiled.append(source)
        return compile(source)

    environment.compile = counted  # type: ignore[method-assign, assignment]
    return templates.template_of(text, environment).render()


@pytest.fixture
def code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(templates, "COMPILED", tmp_path / "kept")
    (tmp_path / "filters.py").write_text("told * 2")
    return tmp_path / "filters.py"


def test_a_template_is_compiled_once_for_all_processes(code: Path) -> None:
    compiled: list[str] = []
    assert [filled("{{ 'ab' | twice }}", code, compiled) for _ in range(3)] == ["abab"] * 3
    assert len(compiled) == 1
    assert filled("{{ 'cd' | twice }}", code, compiled) == "cdcd"
    assert len(compiled) == 2


def test_another_code_of_a_filter_compiles_anew_and_drops_the_old(code: Path, tmp_path: Path) -> None:
    compiled: list[str] = []
    assert filled("{{ 'ab' | twice }}", code, compiled) == "abab"
    code.write_text("told * 3")
    assert filled("{{ 'ab' | twice }}", code, compiled) == "ababab"
    assert len(compiled) == 2
    assert len(list((tmp_path / "kept" / "tests").iterdir())) == 1


def test_where_nothing_can_be_written_templates_are_filled_all_the_same(code: Path, tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("a file where a folder should be")
    assert filled("{{ 'ab' | twice }}", code, []) == "abab"
