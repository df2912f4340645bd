"""Drawings of traced programs: a box for each native call, from the arguments above to the results below.

They are laid out, coloured and saved like the diagrams of rule sets (see `draw`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..draw import _CHOSEN, _GREY, _INK, COLOURS, STYLE, _curve, _tint, check_installed, place_nodes, save, svg_of
from .nodes import Constant, Node, Value, values_in

if TYPE_CHECKING:
    import os
    from pathlib import Path

    from matplotlib.figure import Figure

    from .graph import Graph

__all__ = ["LARGEST", "draw_graph", "figure_of", "svg"]

#: The most boxes that a drawing has.
LARGEST = 300
_LONGEST = 30  # letters in a line of a box


class Box(NamedTuple):
    """The contents of a box.

    Attributes
    ----------
    title: the name of the call or of the argument.
    about: the dtype and shape of its result.
    kind: the kind of the dtype of its first result, for the colour; "" without a result.
    call: whether it is a call, not an argument or a constant.
    returned: whether the program returns one of its results.
    """

    title: str
    about: str
    kind: str
    call: bool
    returned: bool


def flow(graph: Graph) -> tuple[Any, list[Box]]:
    """Return the calls of a graph as a `networkx.DiGraph` of the numbers of boxes, and the boxes."""
    import networkx as nx

    found = nx.DiGraph()
    boxes: list[Box] = []
    maker: dict[int, int] = {}  # the id of a value -> the box that gives it
    returned = {id(v) for v in values_in(graph.block.outputs)}

    def add(title: str, values: list[Value], call: bool) -> int:
        about = ", ".join(map(str, values))
        boxes.append(Box(
            _short(title), _short(about), values[0].dtype.kind if values else "", call,
            any(id(v) in returned for v in values),
        ))  # fmt: skip
        for v in values:
            maker[id(v)] = len(boxes) - 1
        found.add_node(len(boxes) - 1)
        return len(boxes) - 1

    for name, value in zip(graph.parameters, graph.block.inputs, strict=True):
        add(name, [value], False)
    for node in graph.nodes:
        sources = []
        for v in node.uses():
            if isinstance(v, Constant) and id(v) not in maker and v.shape:
                add("constant", [v], False)
            if id(v) in maker:
                sources.append(maker[id(v)])
        box = add(_title(node), [v for v in node.results if id(v) not in maker], True)
        found.add_edges_from((source, box) for source in sources)
        if node.writes is not None:
            maker[id(node.writes)] = box  # who reads it later reads what was written
            boxes[box] = boxes[box]._replace(about=_short(str(node.writes)), kind=node.writes.dtype.kind)
    return found, boxes


def _title(node: Node) -> str:
    """Return the name of a call, with the numbers among its arguments."""
    if node.blocks:
        calls = sum(1 for block in node.blocks for _ in block.all_nodes())
        return f"{node.name} of {calls} calls"
    given = [*node.args, *(f"{key}={x}" for key, x in node.kwargs.items() if isinstance(x, (bool, int, float, tuple)))]
    numbers = [_plain(x) for x in given if not isinstance(x, (Value, list, tuple, dict)) or _is_number(x)]
    return f"{node.name}  {', '.join(n for n in numbers if n)}".strip()


def _is_number(x: Any) -> bool:
    return isinstance(x, Constant) and not x.shape


def _plain(x: Any) -> str:
    if _is_number(x):
        return f"{x.native:.4g}" if x.dtype.kind in "fc" else f"{x.native}"
    if isinstance(x, float):
        return f"{x:.4g}"
    return str(x) if isinstance(x, (bool, int, complex, str)) else ""


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def figure_of(graph: Graph) -> Figure:
    """Draw a graph.

    Raises
    ------
    ValueError: it has too many calls to be seen.
    ModuleNotFoundError: networkx or matplotlib is not installed.
    """
    check_installed()
    import matplotlib as mpl
    from matplotlib.figure import Figure
    from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

    if len(graph.nodes) > LARGEST:
        raise ValueError(
            f"draw: {graph.name} has {len(graph.nodes):,} native calls, and {LARGEST} can be seen. "
            f"print(graph) shows all"
        )
    network, boxes = flow(graph)
    where, ways = place_nodes(network, lambda n: n[1] if isinstance(n, tuple) else n)
    width = 0.078 * max((len(t) for box in boxes for t in (box.title, box.about)), default=8) + 0.34
    height, step_x, step_y = 0.46, width + 0.16, 0.86
    points = {n: (x * step_x, -y * step_y) for n, (x, y) in where.items()}
    xs, ys = [x for x, _ in points.values()] or [0.0], [y for _, y in points.values()] or [0.0]
    left, right = min(xs) - width / 2 - 0.2, max(xs) + width / 2 + 0.2
    low, high = min(ys) - 0.75, max(ys) + 0.95
    if (narrow := 4.6 - (right - left)) > 0:
        left, right = left - narrow / 2, right + narrow / 2
    middle = (left + right) / 2
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(right - left, high - low))
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set(xlim=(left, right), ylim=(low, high))
        axes.axis("off")
        for way in ways:
            axes.add_patch(FancyArrowPatch(
                path=_curve([points[n] for n in way], -height / 2), arrowstyle="-|>", mutation_scale=8, color=_GREY,
                linewidth=1.0, zorder=1, shrinkA=0, shrinkB=0, joinstyle="miter", capstyle="butt",
            ))  # fmt: skip
        for n, box in enumerate(boxes):
            x, y = points[n]
            colour = COLOURS.get(box.kind, COLOURS[""])
            axes.add_patch(FancyBboxPatch(
                (x - width / 2 + 0.06, y - height / 2 + 0.06), width - 0.12, height - 0.12,
                boxstyle="round,pad=0.06,rounding_size=0.1", zorder=3,
                facecolor=_tint(colour, 0.2 if box.call else 0.06), edgecolor=_CHOSEN if box.returned else colour,
                linewidth=2.2 if box.returned else 1.1, linestyle="-" if box.call else (0, (3, 2)),
            ))  # fmt: skip
            axes.text(x, y + (0.085 if box.about else 0), box.title, ha="center", va="center", fontsize=9, zorder=4,
                      color=_INK, weight="bold" if box.call else "normal", parse_math=False)  # fmt: skip
            axes.text(x, y - 0.1, box.about, ha="center", va="center", fontsize=7.5, zorder=4, color="#555b66")
        counts = graph.counts
        axes.text(middle, high - 0.3, graph.name, ha="center", va="center", fontsize=13, weight="bold", color=_INK,
                  parse_math=False)  # fmt: skip
        about = f"{graph.backend}: {_of(counts.calls, 'native call')}, {_of(counts.inserted, 'cast')} inserted"
        axes.text(middle, high - 0.56, about, ha="center", va="center", fontsize=8.5, color="#666c77")
        legend = "dashed: arguments and constants; red: returned"
        axes.text(middle, low + 0.2, legend, ha="center", va="center", fontsize=7.5, color="#666c77")
    return figure


def _of(n: int, what: str) -> str:
    return f"{n:,} {what}{'s' * (n != 1)}"


def draw_graph(graph: Graph, path: str | os.PathLike[str]) -> Path:
    """Write the drawing of a graph to a file."""
    from pathlib import Path

    return save(figure_of(graph), Path(path))


def svg(graph: Graph) -> str:
    """Return the drawing of a graph as the text of an SVG."""
    return svg_of(figure_of(graph))
