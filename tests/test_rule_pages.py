"""The pages of docs/rules: their generated parts and drawings are those of the rule sets as they are."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

import latticework as lw
from latticework.promotion import RULES

ROOT = Path(__file__).parents[1]
PAGES = ROOT / "docs" / "rules"


def rule_pages() -> object:
    spec = importlib.util.spec_from_file_location("rule_pages", ROOT / "tools" / "rule_pages.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["index", *lw.rule_names()])
def test_generated_parts_are_up_to_date(name: str) -> None:
    text = (PAGES / f"{name}.md").read_text()
    assert rule_pages().page(name, text) == text, "run python tools/rule_pages.py"


def test_there_is_a_page_and_a_small_drawing_for_each_and_no_other() -> None:
    names = {*lw.rule_names()}
    assert {p.stem for p in PAGES.glob("*.md")} == names | {"index"}
    assert {p.stem for p in PAGES.glob("*.svg")} == names
    assert all(p.stat().st_size < 60_000 for p in PAGES.glob("*.svg"))


@pytest.mark.parametrize("name", lw.rule_names())
def test_each_page_has_what_it_should(name: str) -> None:
    text, rules = (PAGES / f"{name}.md").read_text(), RULES[name]
    assert rules.source in text and rules.version in text and f"({name}.svg)" in text
    surprises = text.partition("## Surprises")[2].partition("## ")[0]
    assert surprises.count(">>> ") >= 2


@pytest.mark.parametrize("name", lw.rule_names())
def test_drawings_are_up_to_date(name: str, tmp_path: Path) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    pytest.importorskip("networkx")
    from latticework import draw

    svg = (PAGES / f"{name}.svg").read_text()
    assert {*re.findall(r">([^<>]+)</text>", svg)} >= {*draw.covering(RULES[name])}
    starred = [str(n) for n in draw.covering(RULES[name]) if type(n) is not lw.Dtype]
    assert ("dashed: weak dtypes" in svg) == any(n not in RULES[name].becomes for n in starred)
    assert all(f"{n} is {RULES[name].becomes[n]}" in svg for n in starred if n in RULES[name].becomes)
    if f"Matplotlib v{matplotlib.__version__}," in svg:  # another version places things a little differently
        assert draw.draw_lattice(name, tmp_path / "new.svg").read_text() == svg, "run python tools/rule_pages.py"
