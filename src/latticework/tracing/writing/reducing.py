"""Sums, means and extrema of elementwise results as loops that numba compiles: the elements are never stored.

A reduction of a result that nothing else uses becomes part of the loop that computes the elements. Along a last axis of
more than a few elements, 1,024 are computed at a time and added up in eight sums, so that the whole rounds about as
NumPy's sum does. Along other axes elements are added in NumPy's order.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

from ..nodes import Block, Node, Value, values_in
from .calls import BY_NAME
from .fast import Fused
from .loops import _fresh, _functions, _is_number, _operands, _scalar
from .numba_text import PERIODIC, is_compiled, literal, text_of, wide

__all__ = ["Reduced", "with_reductions"]

#: The elements that are in work at once, and those that are put together before others are added.
_LANES, _CHUNK = 8, 1_024
#: The most elementwise nodes that are computed twice, for the reduction and for what else needs them.
_TWICE = 16
#: The most axes of the elements.
_AXES = 6
#: The most elements along the last axis that are put together one after the other, and of which a loop alone computes
#: the reduction.
_SHORT = _NARROW = 32


class Reduction(NamedTuple):
    """A reduction over some axes.

    Attributes
    ----------
    kind: ``"sum"``, ``"mean"``, ``"max"``, ``"min"``, ``"argmax"`` or ``"argmin"``.
    axes: the axes that it leaves out, from the first.
    keeps: whether the result has them with the extent 1.
    """

    kind: str
    axes: tuple[int, ...]
    keeps: bool


class Reduced(Fused):
    """The function of a node that stands for elementwise nodes and a reduction of their result.

    Attributes
    ----------
    last: the node of the reduction.
    """

    def __init__(self, nodes: list[Node], last: Node, functions: bool) -> None:
        super().__init__(nodes, (last.result,), functions)
        self.last = last
        #: The shape of the elements.
        self.shape: tuple[int, ...] = last.args[0].shape


def reduction_of(node: Node) -> Reduction | None:
    """Return the reduction that a node computes of floats; None for any other node."""
    place = node.name in ("argmax", "argmin")
    if node.name not in ("sum", "mean", "max", "min") and not place:
        return None
    if node.writes is not None or node.blocks or not node.args:
        return None
    x, result = node.args[0], node.result
    if type(x) is not Value or type(result) is not Value or not x.shape:
        return None
    if (str(result.dtype) != "int64" or not result.shape) if place else x.dtype is not result.dtype:
        return None
    if str(x.dtype) not in ("float32", "float64") or len(node.args) > 2 or {*node.kwargs} - {"axis", "keepdims"}:
        return None
    ufunc = getattr(getattr(node.function, "__self__", None), "__name__", "")
    expected = {"sum": "add", "max": "maximum", "min": "minimum"}.get(node.name)
    if expected is not None and (ufunc != expected or node.function.__name__ != "reduce"):
        return None
    axis = node.args[1] if len(node.args) == 2 else node.kwargs.get("axis", 0 if expected is not None else None)
    rank = len(x.shape)
    taken = range(rank) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    if not all(type(a) is int and -rank <= a < rank for a in taken):
        return None
    axes = tuple(sorted({a % rank for a in taken}))
    if place and axes != (rank - 1,):
        return None
    return Reduction(node.name, axes, bool(node.kwargs.get("keepdims", False))) if axes else None


def with_reductions(block: Block, *, functions: bool) -> Block:
    """Return a block where elementwise nodes and the reduction of a result that nothing else uses are one node.

    Parameters
    ----------
    functions: whether loops have the functions of `numba_parts`. Periodic ones are left out: they may refuse a number.
    """
    uses = Counter([id(v) for node in block.nodes for v in node.uses()])
    uses.update([id(v) for v in values_in(block.outputs)])
    makers: dict[int, int] = {}
    for i, node in enumerate(block.nodes):
        for v in node.function.outputs if node.name == "fused" else (node.result,):  # type: ignore[attr-defined]
            makers[id(v)] = i
    ends: dict[int, list[int]] = {}  # the place of a maker -> those of the reductions of its results
    for i, node in enumerate(block.nodes):
        if reduction_of(node) is not None and uses[id(node.args[0])] == 1 and id(node.args[0]) in makers:
            ends.setdefault(makers[id(node.args[0])], []).append(i)
    taken: set[int] = set()
    nodes: list[Node] = []
    for i, node in enumerate(block.nodes):
        if i in taken:
            continue
        made = [(k, _as_one(node, block.nodes[k], functions)) for k in ends.get(i, ())]
        found = {k: one for k, one in made if one is not None}
        taken |= {*found}
        nodes += found.values()
        gone = {id(block.nodes[k].args[0]) for k in found}
        nodes += _without(node, gone, functions) if gone else [_alone(node, functions) or node]
    return Block(block.inputs, nodes, block.outputs)


def _as_one(maker: Node, last: Node, functions: bool) -> Node | None:
    """Make one node of a reduction and the elementwise nodes that it needs of those of a node; None where no loop may
    compute them, or where too many would be computed twice."""
    whole = maker.function.nodes if maker.name == "fused" else [maker]  # type: ignore[attr-defined]
    inside = _needed(whole, {id(last.args[0])})
    twice = len(whole) > len(inside) > _TWICE
    if twice or len(inside[0].result.shape) > _AXES or not all(_is_computed(n, functions) for n in inside):
        return None
    made = {id(n.result) for n in inside}
    outer = {id(v): v for n in inside for v in n.operands if id(v) not in made}
    if not any(v.shape for v in outer.values()):
        return None
    one = Reduced([n.replaced(out=None) for n in inside], last, functions)
    return Node(one, "reduced", tuple(outer.values()), {}, (last.result,))


def _alone(node: Node, functions: bool) -> Node | None:
    """Make a loop of a reduction of an array with few elements along the last axis, where NumPy takes as long for each
    row as for many elements. None for any other node."""
    found = reduction_of(node)
    shape: tuple[int, ...] = node.args[0].shape if found is not None else ()
    if found is None or not 1 < len(shape) <= _AXES or len(found.axes) == len(shape) or not 0 < shape[-1] <= _NARROW:
        return None
    return Node(Reduced([], node, functions), "reduced", (node.args[0],), {}, (node.result,))


def _is_computed(node: Node, functions: bool) -> bool:
    return is_compiled(node) or (functions and wide(node) != "" and wide(node) not in PERIODIC)


def _needed(nodes: list[Node], wanted: set[int]) -> list[Node]:
    """Return the nodes that compute values with these ids."""
    wanted = {*wanted}
    found = []
    for node in reversed(nodes):
        if id(node.result) in wanted:
            found.append(node)
            wanted.update([id(v) for v in node.operands])
    return found[::-1]


def _without(node: Node, gone: set[int], functions: bool) -> list[Node]:
    """Return the nodes that are left of a node when some of its results are needed no more."""
    if node.name != "fused":
        return []
    whole: Fused = node.function  # type: ignore[assignment]
    outputs = tuple([v for v in whole.outputs if id(v) not in gone])
    nodes = _needed(whole.nodes, {id(v) for v in outputs})
    if len(nodes) < 2:
        return nodes
    made = {id(n.result) for n in nodes}
    outer = {id(v): v for n in nodes for v in n.operands if id(v) not in made}
    return [Node(Fused(nodes, outputs, functions), "fused", tuple(outer.values()), {}, outputs)]


# --- the text ---------------------------------------------------------------------------------------------------------


def write_reduced(w: Any, node: Node) -> None:
    """Write the loop above the function, and its call."""
    reduced: Reduced = node.function  # type: ignore[assignment]
    s, last = w.spelling, reduced.last
    s.module("numba")
    np = s.module("numpy")
    found = reduction_of(last)
    assert found is not None
    names = {id(v): w.name(v) for v in node.args}
    outer = {id(v): v for v in node.args if not _is_number(v)}
    local = {key: names[key] if names[key].isidentifier() else s.fresh("operand") for key in outer}
    shape = reduced.shape
    arrays = [v for v in outer.values() if v.shape]
    result = w.name(last.result)
    kept = [_extent(k, shape, arrays, names) for k in range(len(shape)) if k not in found.axes]
    if found.keeps:
        kept = ["1" if k in found.axes else _extent(k, shape, arrays, names) for k in range(len(shape))]
    extents = f"({', '.join(kept)}{',' * (len(kept) == 1)})"
    w.line(f"{result} = {np}.empty({extents}, {s.expression(w.backend.native_dtypes[last.result.dtype])})")
    name = s.fresh(f"{w.main}_{found.kind}")
    _write_loop(w, name, reduced, found, outer, local)
    arguments = ", ".join([*[_scalar(v, names[key]) for key, v in outer.items()], result])
    w.line(f"if not {name}({arguments}):  # shapes that broadcast otherwise, or no elements")
    w.depth += 1
    before, w.blocks, w.fast = (w.blocks, w.fast), False, False
    inside = [id(n.result) for n in reduced.nodes]  # other loops may compute them too, and have names for them
    named, inlined = {key: w.names.pop(key) for key in inside if key in w.names}, {*w.inlined}
    w.block(Block([], [*reduced.nodes, last.replaced(out=None)], [last.result]))
    for key in inside:
        w.names.pop(key, None)
    w.names |= named
    w.inlined = inlined
    w.blocks, w.fast = before
    w.depth -= 1
    if not last.result.shape:
        w.line(f"{result} = {result}[()]")


def _extent(axis: int, shape: tuple[int, ...], arrays: list[Value], names: dict[int, str]) -> str:
    """Write the extent of an axis of the elements: of an operand that has it."""
    n, back = shape[axis], axis - len(shape)
    v = next((v for v in arrays if len(v.shape) >= -back and v.shape[back] == n), None)
    return "1" if v is None or n == 1 else f"{names[id(v)]}.shape[{len(v.shape) + back}]"


def _write_loop(
    w: Any, name: str, reduced: Reduced, found: Reduction, outer: dict[int, Value], local: dict[int, str]
) -> None:
    """Write the function of an element, and the loop that puts elements together."""
    dtype, shape, elements = reduced.last.result.dtype, reduced.shape, reduced.last.args[0].dtype
    arrays = {key: v for key, v in outer.items() if v.shape}
    njit = f'@{w.spelling.module("numba")}.njit(error_model="numpy")\n'
    element = w.spelling.fresh(f"{name}_element") if reduced.nodes else ""
    given = [local[key] for key in outer]
    taken = {*given, "np", "numba", element}
    functions = _functions(w, reduced)
    lines = [f"def {element}({', '.join(given)}):"]
    variables = {key: local[key] for key in outer}
    at = None
    for k, node in enumerate(reduced.nodes, 1):
        location = node.operation.location if node.operation else None
        if w.comments and location is not None and location != at and location.text:
            lines.append(f"    # {location.text}")
            at = location
        variables[id(node.result)] = _fresh(f"v{k}", taken)
        text_here = text_of(node, _operands(node, variables), functions)
        lines.append(f"    {variables[id(node.result)]} = {text_here}")
    lines.append(f"    return {variables[id(reduced.last.args[0])]}")
    if reduced.nodes:
        inlined = njit.replace(")", ", forceinline=True)")  # else several elements are not computed at once
        w.definitions.append(inlined + "\n".join(lines))

    taken = {*given, "np", "numba", element}
    out = _fresh("result", taken)
    extents = [_fresh(f"n{k}", taken) for k in range(len(shape))]
    index = [_fresh("ijklmn"[k], taken) for k in range(len(shape))]
    total, start, chunk, sums = (_fresh(x, taken) for x in ("total", "start", "part", "s"))
    text = [f"def {name}({', '.join([*given, out])}):"]
    for k, n in enumerate(extents):
        text.append(f"    {n} = {_extent(k, shape, [*arrays.values()], local)}")
    fits = []
    for key, v in arrays.items():
        for k, n in enumerate(v.shape):
            axis = len(shape) - len(v.shape) + k
            wanted = "1" if n == 1 != shape[axis] else extents[axis]
            if _extent(axis, shape, [*arrays.values()], local) != f"{local[key]}.shape[{k}]" or wanted == "1":
                fits.append(f"{local[key]}.shape[{k}] == {wanted}")
    fits += [f"{extents[k]} > 0" for k in found.axes]
    text += [f"    if not ({' and '.join(fits)}):", "        return False"]

    def call() -> str:
        parts = []
        for key, v in outer.items():
            places = []
            for k, n in enumerate(v.shape):
                axis = len(shape) - len(v.shape) + k
                places.append("0" if n == 1 != shape[axis] else index[axis])
            parts.append(f"{local[key]}[{', '.join(places)}]" if places else local[key])
        return f"{element}({', '.join(parts)})" if element else parts[0]

    first = {"max": literal(float("-inf"), elements), "min": literal(float("inf"), elements)}.get(found.kind, "")
    first = first or literal(0, elements)
    sign = {"max": ">=", "min": "<="}.get(found.kind)

    def joined(a: str, b: str) -> str:
        return f"{a} + {b}" if sign is None else f"{a} if ({a} {sign} {b}) | ({a} != {a}) else {b}"

    kept = [k for k in range(len(shape)) if k not in found.axes]
    places = ["0" if k in found.axes else i for k, i in enumerate(index) if found.keeps or k in kept]
    place = ", ".join(places) or "()"
    count = " * ".join(extents[k] for k in found.axes)
    divisor = f"np.{dtype}({count})"
    inner = len(shape) - 1
    if inner not in found.axes:  # added up in the array of the results
        text.append(f"    {out}[...] = {first}")
        for k in range(len(shape)):
            text.append("    " * (k + 1) + f"for {index[k]} in range({extents[k]}):")
        indent = "    " * (len(shape) + 1)
        text += [f"{indent}{chunk} = {call()}", f"{indent}{total} = {out}[{place}]"]
        text.append(f"{indent}{out}[{place}] = {joined(total, chunk)}")
        if found.kind == "mean":
            text.append(f"    {out} /= {divisor}")
    elif found.kind in ("argmax", "argmin"):
        for k in range(inner):
            text.append("    " * (k + 1) + f"for {index[k]} in range({extents[k]}):")
        indent, sign = "    " * (inner + 1), "<" if found.kind == "argmin" else ">"
        text += [f"{indent}{total} = np.{elements}({'-' * (sign == '>')}np.inf)", f"{indent}{start} = 0"]
        text += [f"{indent}for {index[inner]} in range({extents[inner]}):", f"{indent}    {chunk} = {call()}"]
        text.append(f"{indent}    if ({chunk} {sign} {total}) | (({chunk} != {chunk}) & ({total} == {total})):")
        text += [f"{indent}        {total} = {chunk}", f"{indent}        {start} = {index[inner]}"]
        text.append(f"{indent}{out}[{place}] = {start}")
    else:
        depth = 1
        for k in kept:
            text.append("    " * depth + f"for {index[k]} in range({extents[k]}):")
            depth += 1
        outside = "    " * depth
        text.append(f"{outside}{total} = {first}")
        for k in found.axes[:-1]:
            text.append("    " * depth + f"for {index[k]} in range({extents[k]}):")
            depth += 1
        indent, i, n = "    " * depth, index[inner], extents[inner]
        if shape[inner] <= _SHORT:
            text += [f"{indent}for {i} in range({n}):", f"{indent}    {chunk} = {call()}"]
            text.append(f"{indent}    {total} = {joined(total, chunk)}")
        else:  # a chunk of elements first, for which the compiler takes several at once
            lanes = [f"{sums}{k}" for k in range(_LANES)]
            more = indent + "    "
            stop, whole, lane, buffer = (_fresh(x, taken) for x in ("stop", "whole", "k", "buffer"))
            text.insert(3 + len(shape), f"    {buffer} = np.empty({_CHUNK}, np.{dtype})")
            text += [f"{indent}for {start} in range(0, {n}, {_CHUNK}):", f"{more}{stop} = min({start} + {_CHUNK}, {n})"]
            text += [f"{more}for {i} in range({start}, {stop}):", f"{more}    {buffer}[{i} - {start}] = {call()}"]
            text += [f"{more}{stop} -= {start}", f"{more}{whole} = {stop} // {_LANES} * {_LANES}"]
            text += [f"{more}{' = '.join(lanes)} = {first}", f"{more}for {lane} in range(0, {whole}, {_LANES}):"]
            for k, one in enumerate(lanes):
                text.append(f"{more}    {chunk} = {buffer}[{lane}{f' + {k}' * bool(k)}]")
                text.append(f"{more}    {one} = {joined(one, chunk)}")
            text.append(f"{more}for {lane} in range({whole}, {stop}):")
            text += [f"{more}    {chunk} = {buffer}[{lane}]", f"{more}    {lanes[0]} = {joined(lanes[0], chunk)}"]
            while len(lanes) > 1:
                half = len(lanes) // 2
                text += [f"{more}{a} = {joined(a, b)}" for a, b in zip(lanes[:half], lanes[half:], strict=True)]
                lanes = lanes[:half]
            text.append(f"{more}{total} = {joined(total, lanes[0])}")
        text.append(f"{outside}{out}[{place}] = {total}{f' / {divisor}' * (found.kind == 'mean')}")
    text.append("    return True")
    w.definitions.append(njit + "\n".join(text))


BY_NAME["reduced"] = write_reduced
