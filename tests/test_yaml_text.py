"""A hand-written file is read in one pass, and means what PyYAML's own two passes make of it."""

from __future__ import annotations

import pytest
import yaml

from pipeline.core import yaml_text
from pipeline.core.paths import ROOT

FILES = sorted((ROOT / "data").rglob("*.yml"))
TEXTS = (
    "", "~", "text", "- a\n- b", "a: b", "a:", "a: {b: [1, {c: 2}], d: []}", "[]", "{}", "- - - deep",
    "a: 1\nb: '1'\nc: 1.0\nd: 1e3\ne: 1.0e+3\nf: 0x1f\ng: 0o17\nh: 1_000\ni: 1:30\nj: .inf\nk: -1\nl: 017",
    "a: yes\nb: 'yes'\nc: No\nd: true\ne: null\nf: ~\ng: \"~\"\nh: on\ni: y",
    "a: 2026-02-28\nb: 2026-02-30\nc: '2026-02-28'\nd: 2026-02\ne: 2026-02-28 10:00:00",
    "a: |\n  two\n  lines\nb: >\n  one\n  line\nc: 'it''s'\nd: \"tab\\t\"\ne: two\n  lines",
    "1: one\n2.5: half\nyes: true\n2026-02-28: day\n'1x': text", "1: one\n0x1: other",
    "- \"two\n  lines\"\n- |\n  block", "a: é – “quoted”\n", "a: b # remark\n# remark\n", "a: =\n",
    "- a: 1\n  b: 2\n- a: 3\n  b: 4\n", "a: b: c", "a: [", "a: 'open", "a: 1\na: 2", "'1': a\n1: b", "a: &x 1\nb: *x",
    "a: !!str 1", "a: !x 1", "<<: {a: 1}\nb: 2", "? [a, b]\n: c", "- two\n  lines", "a\n---\nb", "\ta: 1", "a:b",
    "a: \x07", "=: 1", "[" * 20 + "]" * 20, "[" * 21 + "]" * 21, "{a: " * 20 + "1" + "}" * 20, "{a: " * 21 + "}" * 21,
)  # fmt: skip


def slowly(text: str) -> object:
    """What the two passes of PyYAML make of a text, or what they say against it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(yaml_text, "_usual", unusual)
        return told(text)


def unusual(_: str) -> object:
    raise ValueError


def told(text: str) -> object:
    try:
        return repr(yaml_text.load(text, "file.yml", ValueError))
    except ValueError as error:
        return str(error)


@pytest.mark.parametrize("text", TEXTS)
def test_a_text_means_the_same_or_is_refused_in_the_same_words_in_one_pass(text: str) -> None:
    assert told(text) == slowly(text)


def test_every_file_of_ours_is_read_in_one_pass_and_means_the_same() -> None:
    for path in FILES:
        text = path.read_text(encoding="utf-8")
        assert repr(yaml_text._usual(text)) == repr(yaml.load(text, Loader=yaml_text._Loader)), path.name


@pytest.mark.parametrize(
    "text", ["a: &x 1", "a: *x", "a: !!str 1", "a: 1\na: 2", "<<: {}", "- two\n  lines", "a\n---\nb"]
)
def test_what_hand_written_files_do_not_hold_is_left_to_the_two_passes(text: str) -> None:
    with pytest.raises((ValueError, yaml.YAMLError)):
        yaml_text._usual(text)
