"""The difference of two datasets names each changed figure, as Markdown that outside text cannot break."""

from __future__ import annotations

import pytest

from pipeline.record import difference

OLD = {"gpus": "id,name,memory_gb\na,A,24\nb,B,8\n", "claims": "gpu\na\n"}
NEW = {"gpus": "id,name,memory_gb\na,A,32\nc,C|<b>,16\n", "claims": "gpu\na\nc\n"}


def test_changed_new_and_lost_figures_stand_in_the_table() -> None:
    text = difference.markdown(OLD, NEW)
    assert "| a | memory_gb | 24 | 32 |" in text
    assert "| b | memory_gb | 8 | – |" in text
    assert "| c | memory_gb | – | 16 |" in text
    assert "- claims: 1 → 2 rows" in text


def test_text_from_outside_cannot_break_the_table() -> None:
    assert "C\\|&lt;b>" in difference.markdown(OLD, NEW)


def test_no_change_is_said_in_words() -> None:
    assert difference.markdown(OLD, OLD).startswith("No chosen figure changed.")


@pytest.mark.parametrize(
    ("changes", "more"), [(0, ""), (1, "| … | and 1 more | | |"), (200, "| … | and 200 more | | |")]
)
def test_a_difference_is_cut_and_counted_from_its_first_line_too_many(changes: int, more: str) -> None:
    count = difference.MOST_LINES + changes
    text = difference.markdown({}, {"gpus": "id,memory_gb\n" + "".join(f"g{i:04},{i}\n" for i in range(count))})
    assert text.count("| memory_gb |") == difference.MOST_LINES
    assert more in text
    assert ("…" in text) is bool(changes)
