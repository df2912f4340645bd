"""The generated parts of the pages on dialects, packages and plug-ins are up to date."""

from __future__ import annotations

import json
import sys
import tomllib
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "tools"))

import dialect_page
import packages
import packages_page
import pages
import plugins_page

import plugins
from latticework.backend.facts import CONTRACT, GROUP, Facts
from latticework.core.registry import OPS, load


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


def test_the_page_of_plugins_is_up_to_date() -> None:
    assert pages.out_of_date(plugins_page.made()) == [], "run make pages"
    record = plugins.record()
    assert {*record["packages"]} <= {*plugins.packages()}
    load()
    assert not {name for name in record["groups"]["Functions"] if name not in OPS}, "measured functions that are gone"


@pytest.mark.parametrize("name", plugins.packages())
def test_a_package_in_plugins_says_what_its_files_are(name: str) -> None:
    package = f"latticework_{name}"
    folder = plugins.ROOT / "plugins" / f"{plugins.PREFIX}{name}"
    wanted = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))
    assert wanted["project"]["name"] == folder.name
    assert wanted["project"]["entry-points"][GROUP] == {name: package}
    assert wanted["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"] == [f"src/{package}"]
    facts = json.loads((folder / "src" / package / "backend.json").read_text(encoding="utf-8"))
    assert facts["contract"] == CONTRACT
    assert facts.keys() <= {*Facts._fields}
