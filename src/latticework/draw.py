"""Drawings of rule sets: the diagram as a layered graph, and the table as a heat map.

They need networkx and matplotlib, which the extra `draw` installs. They are read from the rule set, so a user's own
rule set is drawn like any other. A file's suffix decides its format: ``.svg``, ``.png``, ``.pdf``.
"""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .core.dtypes import Dtype, bool_
from .errors import install
from .policy import current
from .promotion import Rules, rules_named
from .promotion.rules import KIND_OF, WEAK, Node, Result, canonical

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["COLOURS", "draw_lattice", "draw_table", "lattice", "short", "table"]

#: The colour of each kind, here and in the terminal.
COLOURS = {
    "b": "#8a8f98", "u": "#1f9e89", "i": "#3b7dd8", "f": "#e08a1e", "c": "#a05cc5", "V": "#b08968", "": "#d64550",
}  # fmt: skip

_INK, _GREY, _CHOSEN, _REFUSED = "#20242c", "#9aa1ac", "#d6246e", "#a3222e"
_DPI = 120
_LEGEND_WIDTH = 5.2  # inches, for all kinds of dtypes and a refusal
STYLE: Any = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "svg.fonttype": "none",  # letters stay letters: small files, that can be searched
    "svg.hashsalt": "latticework",
    "figure.facecolor": "white",
}
_PREFIXES = (("tensor_float", "tf"), ("bfloat", "bf"), ("float8_", ""), ("float6_", ""), ("float4_", ""))
_KINDS = (("float", "f"), ("complex", "c"), ("uint", "u"), ("int", "i"))


def check_installed() -> None:
    """Check that networkx and matplotlib are installed.

    Raises
    ------
    ModuleNotFoundError: one of them is not; the message has the command that installs it.
    """
    for module in ("networkx", "matplotlib"):
        if find_spec(module) is None:
            raise ModuleNotFoundError(f"Drawing needs {module}: {install('draw')}", name=module)


def short(dtype: Node) -> str:
    """Write a dtype in a few letters: ``bf16`` for bfloat16, ``u8`` for uint8, ``e4m3fn`` for float8_e4m3fn.

    Examples
    --------
    >>> [short(d) for d in ("uint8", "bfloat16", "complex128", "bool", "float8_e5m2", "float*")]
    ['u8', 'bf16', 'c128', 'bool', 'e5m2', 'float*']
    """
    name = str(dtype)
    for long, brief in _PREFIXES:
        if name.startswith(long):
            return brief + name.removeprefix(long)
    for long, brief in _KINDS:
        if name.startswith(long) and name[len(long) :].isdigit():
            return brief + name.removeprefix(long)
    return name


def kind(rules: Rules, node: Node) -> str:
    """Return the kind of a node of a diagram, also of a weak node and of a node that becomes a dtype."""
    if type(node) is Dtype:
        return node.kind
    return KIND_OF[str(node)] if node in KIND_OF else rules.becomes[node].kind


# --- where the nodes of a diagram lie --------------------------------------------------------------------------------


def covering(rules: Rules, every: bool = False) -> Any:
    """Return the diagram's covering edges as a `networkx.DiGraph`, of the executable and weak dtypes or of all."""
    import networkx as nx

    nodes = [n for n in rules.above if every or type(n) is not Dtype or n.use == "compute"]
    graph = nx.DiGraph()
    graph.add_nodes_from(nodes)
    graph.add_edges_from((a, b) for a in nodes for b in sorted(rules.above[a], key=str) if a is not b and b in graph)
    reduced = nx.DiGraph()  # in an order that is always the same
    reduced.add_nodes_from(nodes)
    reduced.add_edges_from(sorted(nx.transitive_reduction(graph).edges))
    return reduced


def place(rules: Rules, graph: Any) -> tuple[dict[Any, tuple[float, float]], list[list[Any]]]:
    """Return coordinates for every node of a diagram, and for each edge the nodes that it passes, ends included."""

    def usual(n: Any) -> tuple[int, int, str]:
        node = n[1] if isinstance(n, tuple) else n
        return "uifcbV".index(kind(rules, node)), node.bits if type(node) is Dtype else 0, str(node)

    return place_nodes(graph, usual)


def place_nodes(graph: Any, usual: Callable[[Any], Any]) -> tuple[dict[Any, tuple[float, float]], list[list[Any]]]:
    """Return coordinates for every node, and for each edge the nodes that it passes, ends included.

    Layers by longest path; an edge that skips layers gets a place of its own in each; crossings are reduced by
    barycentres, and each layer is then spread as near to its neighbours as its order and spacing allow.

    Parameters
    ----------
    graph: a directed graph without cycles, whose nodes are no tuples.
    usual: the sort key for the nodes of a layer at the start. It also gets tuples of the two ends and the layer, for
        edges that pass a layer.
    """
    import networkx as nx

    alone = [n for n in graph if graph.degree(n) == 0]
    rank = {n: i for i, layer in enumerate(nx.topological_generations(graph)) for n in layer if n not in alone}
    for n in rank:  # a node with nothing below it stands right under its successors
        if graph.in_degree(n) == 0:
            rank[n] = min(rank[m] for m in graph.successors(n)) - 1
    least = min(rank.values(), default=0)
    layers: list[list[Any]] = [[] for _ in range(max(rank.values(), default=-1) - least + 1)]
    for n in rank:
        layers[rank[n] - least].append(n)
    ways = []
    for a, b in graph.edges:
        passed = [(a, b, i) for i in range(rank[a] + 1, rank[b])]
        for _, _, i in passed:
            layers[i - least].append((a, b, i))
        ways.append([a, *passed, b])
    up: dict[Any, list[Any]] = {}
    down: dict[Any, list[Any]] = {}
    for way in ways:
        for n, m in pairwise(way):
            up.setdefault(n, []).append(m)
            down.setdefault(m, []).append(n)

    for layer in layers:
        layer.sort(key=usual)
    best, fewest = [[*layer] for layer in layers], _crossings(layers, up)
    for sweep in range(30):
        upwards = sweep % 2 == 0
        near = down if upwards else up
        in_turn = layers if upwards else layers[::-1]
        for layer, fixed in zip(in_turn[1:], in_turn, strict=False):
            at = {n: i / max(len(fixed) - 1, 1) for i, n in enumerate(fixed)}
            own = {n: i / max(len(layer) - 1, 1) for i, n in enumerate(layer)}
            wanted_at = {n: _mean([at[m] for m in near.get(n, ())] or [own[n]]) for n in layer}
            layer.sort(key=wanted_at.__getitem__)
        if (found := _crossings(layers, up)) < fewest:
            best, fewest = [[*layer] for layer in layers], found
    x: dict[Any, float] = {}
    for layer in best:
        x |= zip(layer, _spread(layer, [0.0] * len(layer)), strict=True)
    for sweep in range(60):
        for layer in best if sweep % 2 else best[::-1]:
            wanted = [_mean([x[m] for m in (*up.get(n, ()), *down.get(n, ()))] or [x[n]]) for n in layer]
            x |= zip(layer, _spread(layer, wanted), strict=True)
    where = {n: (x[n], float(i)) for i, layer in enumerate(best) for n in layer}
    middle = (min(x.values(), default=0.0) + max(x.values(), default=0.0)) / 2
    width = max(4, round(max(x.values(), default=0.0) - min(x.values(), default=0.0)) + 1)
    alone.sort(key=usual)
    for i, n in enumerate(alone):  # rows of nodes that promote to themselves alone, below the rest
        row, column = divmod(i, width)
        columns = min(width, len(alone) - row * width)
        where[n] = (middle + column - (columns - 1) / 2, -1.3 - 0.7 * row)
    return where, ways


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _crossings(layers: list[list[Any]], up: dict[Any, list[Any]]) -> int:
    """Count the pairs of edges between neighbouring layers that cross."""
    count = 0
    for layer, above in pairwise(layers):
        at = {n: i for i, n in enumerate(above)}
        ends = [(i, at[m]) for i, n in enumerate(layer) for m in up.get(n, ())]
        count += sum((a - c) * (b - d) < 0 for i, (a, b) in enumerate(ends) for c, d in ends[:i])
    return count


def _spread(layer: list[Any], wanted: list[float]) -> list[float]:
    """Return the places nearest to the wanted ones, in this order, that keep their distances: isotonic regression."""
    offsets = [0.0]
    for n, m in pairwise(layer):
        boxes = (not isinstance(n, tuple)) + (not isinstance(m, tuple))  # the others are edges on their way
        offsets.append(offsets[-1] + (0.45, 0.75, 1.0)[boxes])
    blocks: list[list[float]] = []  # the sum and the number of each
    for place_, offset in zip(wanted, offsets, strict=True):
        blocks.append([place_ - offset, 1])
        while len(blocks) > 1 and blocks[-2][0] / blocks[-2][1] > blocks[-1][0] / blocks[-1][1]:
            total, number = blocks.pop()
            blocks[-1][0] += total
            blocks[-1][1] += number
    flat = [total / number for total, number in blocks for _ in range(int(number))]
    return [at + offset for at, offset in zip(flat, offsets, strict=True)]


# --- the drawings ----------------------------------------------------------------------------------------------------


def lattice(rules: Rules | str, join: Sequence[Any] = (), *, every: bool = False, title: str | None = None) -> Figure:
    """Draw the diagram of a rule set, narrow dtypes at the bottom; each arrow goes from a dtype to one it promotes to.

    Parameters
    ----------
    rules: a rule set or its name.
    join: operands whose join is marked, with the ways that lead to it.
    every: whether all dtypes that the rules know are drawn, and not the fifteen executable ones alone.
    title: written above; the name of the rules and their version by default.

    Raises
    ------
    ModuleNotFoundError: networkx or matplotlib is not installed.
    """
    check_installed()
    import matplotlib as mpl
    from matplotlib.figure import Figure
    from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

    rules = rules_named(rules)
    graph = covering(rules, every or any(_beyond(x) for x in join))
    where, ways = place(rules, graph)
    result, marked, edges = _marked(rules, graph, join)
    box = (0.082 * max(len(str(n)) for n in graph) + 0.14, 0.3)
    step_x, step_y = max(1.0, box[0] + 0.14), 0.62
    widest = max(map([y for _, y in where.values()].count, {y for _, y in where.values()}))
    step_y += 0.06 * max(widest - 5, 0)  # a wide layer makes for flat arrows
    box_y = -1.3 + 0.3 / step_y  # where the row below the diagram has its caption
    xs, ys = zip(*((x * step_x, y * step_y) for x, y in where.values()), strict=True)
    left, right, low, high = min(xs) - box[0] / 2 - 0.2, max(xs) + box[0] / 2 + 0.2, min(ys) - 0.35, max(ys) + 0.95
    legend = _legend(rules, graph)
    low -= 0.2 * len(legend)
    if (narrow := 4.4 - (right - left)) > 0:
        left, right = left - narrow / 2, right + narrow / 2
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(right - left, high - low))
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set(xlim=(left, right), ylim=(low, high))
        axes.axis("off")
        for way in ways:
            ends = (way[0], way[-1])
            chosen = ends in edges
            points = [(where[n][0] * step_x, where[n][1] * step_y) for n in way]
            axes.add_patch(
                FancyArrowPatch(
                    path=_curve(points, box[1] / 2), arrowstyle="-|>", mutation_scale=10 if chosen else 8,
                    color=_CHOSEN if chosen else _GREY, linewidth=2.2 if chosen else 1.0, zorder=2 if chosen else 1,
                    shrinkA=0, shrinkB=0, joinstyle="miter", capstyle="butt",
                )
            )  # fmt: skip
        for n in graph:
            x, y = where[n][0] * step_x, where[n][1] * step_y
            colour, weak, top = COLOURS[kind(rules, n)], type(n) is not Dtype, result is not None and n is _top(result)
            axes.add_patch(
                FancyBboxPatch(
                    (x - box[0] / 2 + 0.06, y - box[1] / 2 + 0.06), box[0] - 0.12, box[1] - 0.12,
                    boxstyle="round,pad=0.06,rounding_size=0.1", zorder=3,
                    facecolor=_CHOSEN if top else _tint(colour, 0.08 if weak else 0.2),
                    edgecolor=_CHOSEN if n in marked else colour, linewidth=2.2 if n in marked else 1.1,
                    linestyle=(0, (3, 2)) if weak else "-",
                )
            )  # fmt: skip
            axes.text(
                x, y - 0.01, n, ha="center", va="center", fontsize=9, zorder=4, color="white" if top else _INK,
                style="italic" if weak else "normal", weight="bold" if top else "normal",
            )  # fmt: skip
        if any(y < 0 for _, y in where.values()) and any(y >= 0 for _, y in where.values()):
            axes.text((left + right) / 2, box_y * step_y, "outside the diagram", ha="center", va="center",
                      fontsize=7.5, color="#666c77", style="italic")  # fmt: skip
        for i, line in enumerate(reversed(legend)):
            axes.text((left + right) / 2, low + 0.14 + 0.2 * i, line, ha="center", va="center", fontsize=7.5,
                      color="#666c77")  # fmt: skip
        heading = title if title is not None else rules.name
        axes.text((left + right) / 2, high - 0.3, heading, ha="center", va="center", fontsize=13, weight="bold",
                  color=_INK)  # fmt: skip
        below = _caption(rules, join, result) if join else rules.version
        axes.text((left + right) / 2, high - 0.56, below, ha="center", va="center", fontsize=8.5,
                  color=_CHOSEN if join else "#666c77")  # fmt: skip
    return figure


def _legend(rules: Rules, graph: Any) -> list[str]:
    """Return lines that explain the starred nodes: one for the weak dtypes, one for nodes that stand for a dtype."""
    starred = [str(n) for n in graph if type(n) is not Dtype]
    stand_in = [f"{n} is {rules.becomes[n]}" for n in starred if n in rules.becomes]
    lines = ["dashed: weak dtypes, of Python scalars"] if any(n not in rules.becomes for n in starred) else []
    return [*lines, *([f"no dtype of its own: {', '.join(stand_in)}"] if stand_in else [])]


def _beyond(x: Any) -> bool:
    """Return whether an operand's dtype is not one of the executable dtypes."""
    dtype = getattr(x, "dtype", x)
    return type(dtype) is Dtype and dtype.use != "compute"


def _top(result: Result) -> Node:
    return canonical(result.node or result.dtype)


def _marked(rules: Rules, graph: Any, join: Sequence[Any]) -> tuple[Result | None, set[Node], set[tuple[Node, Node]]]:
    """Return the result of a join, the nodes to mark, and the edges on the ways up."""
    import networkx as nx

    from .errors import PromotionError

    if not join:
        return None, set(), set()
    starts = [n if n in graph or n is not WEAK["b"] else bool_ for n in map(rules.node, join)]
    nodes = {n for n in starts if n in graph}
    try:
        result = rules.result(join, current().default)
    except PromotionError:
        return None, nodes, set()
    edges: set[tuple[Node, Node]] = set()
    top = _top(result)
    if top not in graph:
        return result, nodes, edges
    for start in nodes:
        if start is not top and nx.has_path(graph, start, top):
            way = nx.shortest_path(graph, start, top)
            edges |= {*pairwise(way)}
    return result, {*nodes, top}.union(*edges), edges


def _caption(rules: Rules, join: Sequence[Any], result: Result | None) -> str:
    from .promotion.rules import describe

    words = " + ".join(describe(x).removeprefix("a ") for x in join)
    if result is None:
        return f"{words}: refused"
    return f"{words}  →  {'weak ' * result.weak}{result.dtype}"


def _curve(points: list[tuple[float, float]], half: float) -> Any:
    """Return a smooth path upwards through these points, from the top of the first box to the bottom of the last.

    Where `half`, half the height of a box, is negative, the path goes downwards.
    """
    from matplotlib.path import Path as Curve

    (first, bottom), *between, (last, top) = points
    points = [(first, bottom + half), *between, (last, top - half - math.copysign(0.01, half))]
    # Upright at both ends, and elsewhere as upright as the more upright of the two sides: it never overshoots.
    sides = [(c - a) / (d - b) for (a, b), (c, d) in pairwise(points)]
    slopes = [min(p, q, key=abs) if p * q > 0 else 0.0 for p, q in pairwise(sides)]
    slopes = [0.0, *slopes, 0.0]
    vertices, codes = [points[0]], [Curve.MOVETO]
    for (a, b), (c, d), leaving, arriving in zip(points, points[1:], slopes, slopes[1:], strict=False):
        bend = (d - b) * 0.35
        vertices += [(a + leaving * bend, b + bend), (c - arriving * bend, d - bend), (c, d)]
        codes += [Curve.CURVE4] * 3
    return Curve(vertices, codes)


def _tint(colour: str, strength: float) -> tuple[float, ...]:
    """Mix a colour with white."""
    parts = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return tuple(1 - strength * (1 - p) for p in parts)


def _shade(colour: str) -> tuple[float, ...]:
    """Make a colour dark enough for letters on white."""
    return tuple(0.62 * int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))


def table(rules: Rules | str, operands: Sequence[Any] | None = None, *, title: str | None = None) -> Figure:
    """Draw the table of a rule set as a heat map: the colour is the result's kind, and darker is wider.

    Parameters
    ----------
    rules: a rule set or its name.
    operands: the operands to pair with one another; by default the executable dtypes that the rules know.
    title: written above; the name of the rules and their version by default.

    Raises
    ------
    ModuleNotFoundError: networkx or matplotlib is not installed.
    """
    check_installed()
    import matplotlib as mpl
    from matplotlib.figure import Figure
    from matplotlib.patches import Rectangle

    rules = rules_named(rules)
    chosen = [d for d in rules.dtypes if d.use == "compute"] if operands is None else [*operands]
    cells = rules.table(chosen, current().default)
    names = [x.__name__ if isinstance(x, type) else short(x) for x in chosen]
    count, longest = len(chosen), max(map(len, names), default=0)
    widest = max((len(short(c)) for c in cells.values() if c), default=0)
    size = min(max(0.46, 0.075 * widest + 0.12), 0.62)
    margin, head = 0.09 * longest + 0.25, 0.75
    slant = longest * 0.085 > size
    above = margin if slant else 0.32
    right = max(count * size, _LEGEND_WIDTH - margin) + 0.2
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(margin + right, head + above + count * size + 0.55))
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set(xlim=(-margin, right), ylim=(count * size + 0.55, -head - above))
        axes.axis("off")
        for i, a in enumerate(chosen):
            for j, b in enumerate(chosen):
                found = cells[a, b]
                word = short(found) if found else "×"
                axes.add_patch(Rectangle((j * size, i * size), size, size, facecolor=_face(found), edgecolor="white"))
                axes.text((j + 0.5) * size, (i + 0.53) * size, word, ha="center", va="center",
                          fontsize=min(8, (size * 72 - 5) / (0.62 * len(word))),
                          color=_INK if found else _REFUSED)  # fmt: skip
        for i, (x, name) in enumerate(zip(chosen, names, strict=True)):
            own = _shade(COLOURS[x.kind]) if type(x) is Dtype else _INK
            axes.text(-0.1, (i + 0.53) * size, name, ha="right", va="center", fontsize=8.5, color=own, weight="bold")
            axes.text((i + 0.5) * size, -0.12, name, ha="center", va="bottom", fontsize=8.5, color=own, weight="bold",
                      rotation=90 if slant else 0)  # fmt: skip
        middle = (right - margin) / 2
        axes.text(middle, -head - above + 0.3, title if title is not None else rules.name, ha="center", va="center",
                  fontsize=13, weight="bold", color=_INK)  # fmt: skip
        axes.text(middle, -head - above + 0.56, rules.version, ha="center", va="center", fontsize=8.5, color="#666c77")
        _table_legend(axes, {*cells.values()}, middle, count * size + 0.28)
    return figure


def _table_legend(axes: Any, results: set[Dtype | None], middle: float, y: float) -> None:
    """Draw a swatch for each width of each kind among the results, narrow to wide, and the mark of a refusal."""
    from matplotlib.patches import Rectangle

    entries: list[tuple[list[Dtype | None], str]] = []
    for word, kind in (("bool", "b"), ("signed", "i"), ("unsigned", "u"), ("floating", "f"), ("complex", "c")):
        by_shade = {_strength(d): d for d in results if d and d.kind == kind}
        if by_shade:
            entries.append(([by_shade[shade] for shade in sorted(by_shade)], word))
    if None in results:
        entries.append(([None], "refused"))
    word_width, swatch, gap = 0.066, 0.16, 0.2
    widths = [swatch * len(dtypes) + 0.06 + word_width * len(word) + gap for dtypes, word in entries]
    note = "darker: wider" if any(len(dtypes) > 1 for dtypes, _ in entries) else ""
    at = middle - (sum(widths) - gap + (gap + word_width * len(note)) * bool(note)) / 2
    for (dtypes, word), width in zip(entries, widths, strict=True):
        for i, dtype in enumerate(dtypes):
            face = _face(dtype)
            axes.add_patch(
                Rectangle((at + i * swatch, y - swatch / 2), swatch, swatch, facecolor=face, edgecolor="white")
            )
            if dtype is None:
                axes.text(at + swatch / 2, y, "×", ha="center", va="center", fontsize=7.5, color=_REFUSED)
        axes.text(at + swatch * len(dtypes) + 0.06, y, word, ha="left", va="center", fontsize=7.5, color=_INK)
        at += width
    axes.text(at, y, note, ha="left", va="center", fontsize=7.5, color="#666c77", style="italic")


def _face(result: Dtype | None) -> Any:
    """Return the colour of a cell, on which black letters can be read; a light grey where the pair is refused."""
    return _tint(COLOURS[result.kind], _strength(result)) if result else "#f0f0f3"


def _strength(dtype: Dtype) -> float:
    """Return the strength of a dtype's colour: the wider, the darker."""
    bits = dtype.bits // (2 if dtype.kind == "c" else 1)
    return 0.3 if dtype.kind == "b" else {64: 0.78, 32: 0.5, 16: 0.3}.get(min(bits, 64), 0.15)


@cache
def _suffixes() -> tuple[str, ...]:
    from matplotlib.figure import Figure

    return tuple(Figure().canvas.get_supported_filetypes())


def save(figure: Figure, path: str | Path, note: str = "") -> Path:
    """Write a drawing; the same one gives the same bytes. `note` is kept in the metadata of a PNG.

    Raises
    ------
    ValueError: for a suffix that is no format of a picture; the message lists the formats.
    """
    import matplotlib as mpl

    path = Path(path)
    suffix = path.suffix.removeprefix(".")
    if suffix not in _suffixes():
        raise ValueError(f"{path}: a drawing is written as one of {', '.join(_suffixes())}")
    with mpl.rc_context(STYLE):
        if suffix == "png":
            _save_png(figure, path, note)
        else:
            figure.savefig(path, dpi=_DPI, metadata={"Date": None} if suffix in ("svg", "svgz") else None)
    return path


def _save_png(figure: Figure, path: Path, note: str) -> None:
    """Write a PNG of few colours, a fifth of the size of matplotlib's."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from PIL import Image
    from PIL.PngImagePlugin import PngInfo

    figure.set_dpi(_DPI)
    canvas: Any = FigureCanvasAgg(figure)
    canvas.draw()
    width, height = canvas.get_width_height()
    picture = Image.frombuffer("RGBA", (width, height), canvas.buffer_rgba()).convert("RGB")
    about = PngInfo()
    about.add_text("Description", note)
    picture.quantize(256, dither=Image.Dither.NONE).save(path, optimize=True, pnginfo=about, dpi=(_DPI, _DPI))


def svg_of(figure: Figure) -> str:
    """Write a drawing as the text of an SVG; the same one gives the same text."""
    import matplotlib as mpl

    text = io.StringIO()
    with mpl.rc_context(STYLE):
        figure.savefig(text, format="svg", metadata={"Date": None})
    return text.getvalue()


def draw_lattice(rules: Rules | str, path: str | Path, join: Sequence[Any] = (), *, every: bool = False) -> Path:
    """Write `lattice` to a file."""
    return save(lattice(rules, join, every=every), path)


def draw_table(rules: Rules | str, path: str | Path, operands: Iterable[Any] | None = None) -> Path:
    """Write `table` to a file."""
    return save(table(rules, None if operands is None else [*operands]), path)
