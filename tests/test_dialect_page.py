"""The generated part of the page on dialects is up to date."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "tools"))

import dialect_page
import pages


def test_the_page_is_up_to_date() -> None:
    for framework in dialect_page.ARRAYS:
        pytest.importorskip(framework)
    assert pages.out_of_date(dialect_page.made()) == [], "run make pages"
