"""Drawings: what is in them, that nothing overlaps, and how they are asked for."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("matplotlib")
nx = pytest.importorskip("networkx")

from test_cli import run

import latticework as lw
from latticework import draw
from latticework.promotion import RULES

NAMES = lw.rule_names()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("every", [False, True])
def test_layout(name: str, every: bool) -> None:
    rules = RULES[name]
    graph = draw.covering(rules, every)
    where, ways = draw.place(rules, graph)
    assert {*graph} <= {*where}
    for a, b in itertools.combinations(where, 2):
        (x, y), (u, v) = where[a], where[b]
        assert y != v or abs(x - u) > (0.44, 0.74, 0.99)[isinstance(a, str) + isinstance(b, str)], (a, b)
    assert sorted((w[0], w[-1]) for w in ways) == sorted(graph.edges)
    for way in ways:
        assert [where[m][1] - where[n][1] for n, m in itertools.pairwise(way)] == [1.0] * (len(way) - 1)
    for a, b in itertools.permutations(graph, 2):
        assert nx.has_path(graph, a, b) is (b in rules.above[a])


def test_the_join_and_the_ways_to_it_are_marked() -> None:
    rules = RULES["jax"]
    graph = draw.covering(rules)
    result, nodes, edges = draw._marked(rules, graph, (lw.int32, lw.float16))
    assert result is not None and result.dtype is lw.float16
    assert nodes == {"int32", "int64", "float*", "float16"}
    assert edges == {("int32", "int64"), ("int64", "float*"), ("float*", "float16")}
    assert draw._marked(RULES["strict"], draw.covering(RULES["strict"]), (lw.int32, lw.float16))[0] is None


def labels(figure: object) -> list[str]:
    return [t.get_text() for t in figure.axes[0].texts]


def test_what_is_drawn() -> None:
    shown = labels(draw.lattice("jax", (lw.int32, lw.float16)))
    words = {"jax", "int32 + float16  →  float16", "dashed: weak dtypes, of Python scalars"}
    assert {*map(str, lw.all_dtypes), "int*", "float*", "complex*", *words} == {*shown}
    assert "int32 + float16: refused" in labels(draw.lattice("strict", (lw.int32, lw.float16)))
    assert "int32 + Python float 1.5  →  weak float64" in labels(draw.lattice("jax", (lw.int32, 1.5)))
    cells = labels(draw.table("torch"))
    refused = sum(c is None for c in RULES["torch"].table(lw.all_dtypes).values())
    assert cells.count("×") == refused + 1  # and in the legend
    mine = lw.Rules("mine", "int32 -> float32")
    assert {*labels(draw.lattice(mine))} >= {"int32", "float32", "mine"}


def contrast(one: object, two: object) -> float:
    """What WCAG calls contrast: 4.5 or more can be read."""
    from matplotlib.colors import to_rgb

    def luminance(colour: object) -> float:
        parts = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in to_rgb(colour)]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    light, dark = sorted((luminance(one), luminance(two)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize(
    "drawn",
    [lambda: draw.table("torch"), lambda: draw.lattice("jax", (lw.int32, lw.float16)), lambda: draw.lattice("max")],
)
def test_letters_can_be_read(drawn: Callable[[], Any]) -> None:
    """On their own ground, which is opaque: so on a dark page as on a light one."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    figure = drawn()
    assert figure.get_facecolor() == (1, 1, 1, 1)
    axes = figure.axes[0]
    renderer = FigureCanvasAgg(figure).get_renderer()
    boxes = [(p.get_window_extent(renderer), p.get_facecolor()) for p in axes.patches if p.get_fill()]
    for text in axes.texts:
        x, y = text.get_window_extent(renderer).get_points().mean(0)
        ground = [face for box, face in boxes if box.contains(x, y)]
        assert contrast(text.get_color(), ground[-1] if ground else "white") >= 4.5, text.get_text()


def test_the_legend_of_a_heat_map_has_each_width_and_the_refusal() -> None:
    def swatches(rules: object, dtypes: object) -> tuple[list[str], set[object]]:
        figure = draw.table(rules, dtypes)
        patches, words = figure.axes[0].patches, labels(figure)
        count = len(dtypes)
        return words[count**2 + 2 * count + 2 :], {p.get_facecolor() for p in patches[count**2 :]}

    words, faces = swatches("torch", [lw.bool, lw.uint8, lw.uint64, lw.float16, lw.float64])
    assert words == ["bool", "unsigned", "floating", "×", "refused", "darker: wider"]
    assert len(faces) == 6
    words, faces = swatches("unified", [lw.int8, lw.int16, lw.int32, lw.int64])
    assert words == ["signed", "darker: wider"] and len(faces) == 4


@pytest.mark.parametrize(
    "drawn",
    [
        lambda: draw.lattice("numpy", every=True),
        lambda: draw.lattice("max"),
        lambda: draw.table("jax"),
        lambda: draw.table("torch"),
        lambda: draw.table("torch", RULES["torch"].dtypes[-12:]),
    ],
)
def test_no_labels_overlap(drawn: Callable[[], Any]) -> None:
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    figure = drawn()
    renderer = FigureCanvasAgg(figure).get_renderer()
    boxes = [(t.get_text(), t.get_window_extent(renderer)) for t in figure.axes[0].texts if t.get_text()]
    for (a, box), (b, other) in itertools.combinations(boxes, 2):
        assert not box.overlaps(other), (a, b)


def test_the_same_drawing_has_the_same_bytes(tmp_path: Path) -> None:
    one, two = (draw.draw_lattice("mlx", tmp_path / f"{i}.svg").read_bytes() for i in (1, 2))
    assert one == two
    assert b"float16" in one  # letters stay letters


def test_the_command(tmp_path: Path) -> None:
    out = tmp_path / "jax.svg"
    assert run("draw", "jax", "--join", "int32,float16", "--out", str(out)) == (0, f"{out}\n")
    assert out.read_text().startswith("<?xml")
    out = tmp_path / "t.png"
    assert run("draw", "jax", "--table", "--out", str(out))[0] == 0
    assert out.read_bytes().startswith(b"\x89PNG")
    one, two = out.read_bytes(), draw.draw_table("jax", tmp_path / "again.png").read_bytes()
    assert one == two and len(one) < 100_000
    code, output = run("draw", "jax", "--out", str(tmp_path / "jax.txt"))
    assert code == 2 and "a drawing is written as one of" in output
    code, output = run("draw", "jax", "--join", "int32,flaot16", "--out", str(out))
    assert code == 2 and "did you mean 'float16'?" in output


@pytest.mark.parametrize("missing", ["networkx", "matplotlib"])
def test_without_the_extra_one_line_says_what_to_install(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    code, output = run("draw", "jax")
    assert code == 2
    command = "pip install 'latticework[draw]' (from a clone: pip install '.[draw]')"
    assert output == f"Drawing needs {missing}: {command}\n"
