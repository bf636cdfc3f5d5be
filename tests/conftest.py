"""Fixtures that all tests share."""

from __future__ import annotations

from pathlib import Path

import pytest
from samples import Tree


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """A sound data tree in a temporary folder."""
    return Tree(tmp_path)
