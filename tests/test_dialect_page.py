"""The generated parts of the pages on dialects and packages are up to date."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "tools"))

import dialect_page
import packages
import packages_page
import pages


def test_the_page_is_up_to_date() -> None:
    for framework in dialect_page.ARRAYS:
        pytest.importorskip(framework)
    assert pages.out_of_date(dialect_page.made()) == [], "run make pages"


def test_the_page_of_packages_is_up_to_date() -> None:
    assert pages.out_of_date(packages_page.made()) == [], "run make pages"
    known = {package.name: package for package in packages.PACKAGES}
    for name, entry in packages.record().items():
        assert entry["version"] == known[name].version, name
        assert {packages.ITSELF, "version", "framework"} <= entry.keys(), name
