"""The pages of docs/rules: their generated parts and drawings are those of the rule sets as they are."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "tools"))

import pages
import rule_pages

import latticework as lw
from latticework.promotion import RULES

PAGES = rule_pages.PAGES


@pytest.mark.parametrize("name", ["index", *lw.rule_names()])
def test_generated_parts_are_up_to_date(name: str) -> None:
    assert pages.out_of_date(rule_pages.made(name)) == [], "run python tools/rule_pages.py"


def test_there_is_a_page_and_small_drawings_for_each_and_no_other() -> None:
    names = {*lw.rule_names()}
    assert {p.stem for p in PAGES.glob("*.md")} == names | {"index"}
    pictures = {f"{name}{what}" for name in names for what in ("", "-table")}
    for suffix, most in (("svg", 120_000), ("png", 60_000)):
        found = {p.stem: p.stat().st_size for p in PAGES.glob(f"*.{suffix}")}
        assert {*found} == pictures and max(found.values()) < most


@pytest.mark.parametrize("name", lw.rule_names())
def test_each_page_has_what_it_should(name: str) -> None:
    text, rules = (PAGES / f"{name}.md").read_text(), RULES[name]
    assert rules.source in text and rules.version in text
    assert all(f"({picture.name})" in text for picture in rule_pages.drawings(name))
    surprises = text.partition("## Surprises")[2].partition("## ")[0]
    assert surprises.count(">>> ") >= 2


def numbered(svg: str) -> str:
    """A drawing with its frames numbered. Matplotlib names each by its place to the last bit, where machines differ."""
    names = dict.fromkeys(re.findall(r'<clipPath id="(\w+)">', svg))
    for i, name in enumerate(names):
        svg = svg.replace(name, f"frame {i}")
    return svg


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
        made = draw.draw_lattice(name, tmp_path / "new.svg").read_text()
        assert numbered(made) == numbered(svg), "run python tools/rule_pages.py"


@pytest.mark.parametrize("name", lw.rule_names())
def test_heat_maps_are_up_to_date(name: str, tmp_path: Path) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    pytest.importorskip("networkx")
    from latticework import draw

    svg = (PAGES / f"{name}-table.svg").read_text()
    cells = RULES[name].table([d for d in RULES[name].dtypes if d.use == "compute"])
    words = re.findall(r">([^<>]+)</text>", svg)
    assert words[: len(cells)] == [draw.short(c) if c else "×" for c in cells.values()], (
        "run python tools/rule_pages.py"
    )
    if name in ("torch", "max-2024", "numpy1") and f"Matplotlib v{matplotlib.__version__}," in svg:
        assert draw.draw_table(name, tmp_path / "new.svg").read_text() == svg, "run python tools/rule_pages.py --draw"


def test_each_png_was_made_with_the_svg_beside_it() -> None:
    pictures = pytest.importorskip("PIL.Image")
    for path in PAGES.glob("*.png"):
        with pictures.open(path) as picture:
            note, size = picture.info["Description"], picture.size
        svg = path.with_suffix(".svg")
        assert note == rule_pages.note(svg), f"{path.name}: run python tools/rule_pages.py --draw"
        width, height = (
            float(n) for n in re.search(r'width="([\d.]+)pt" height="([\d.]+)pt"', svg.read_text()).groups()
        )
        assert size == pytest.approx((width / 72 * 120, height / 72 * 120), abs=1)


def test_a_png_is_the_figure_and_is_drawn_alike_each_time(tmp_path: Path) -> None:
    """The colours of its cells are those of the results."""
    matplotlib = pytest.importorskip("matplotlib")
    pytest.importorskip("networkx")
    pictures = pytest.importorskip("PIL.Image")
    from latticework import draw

    path = PAGES / "mlx-table.png"
    if f"Matplotlib v{matplotlib.__version__}," in path.with_suffix(".svg").read_text():
        note = rule_pages.note(path.with_suffix(".svg"))
        assert draw.save(draw.table("mlx"), tmp_path / "new.png", note).read_bytes() == path.read_bytes()
    rules = lw.Rules("mine", "int32 -> float32", exceptions="float32 float32 -> refused")
    with pictures.open(draw.draw_table(rules, tmp_path / "mine.png", [lw.int32, lw.float32])) as picture:
        picture = picture.convert("RGB")
        colours = {colour for _, colour in picture.getcolors(1 << 16)}
    for result in (lw.int32, lw.float32, None):
        face = [round(255 * part) for part in matplotlib.colors.to_rgb(draw._face(result))]
        assert any(colour == pytest.approx(face, abs=2) for colour in colours), result
