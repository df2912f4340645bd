"""Programs of several loops as one function that numba compiles: it makes the arrays between them, and calls them.

A call of a compiled loop from Python takes about a microsecond, and so do an array that Python makes and a call of
NumPy. For few elements that is more than the loops take.
"""

from __future__ import annotations

import ast
from typing import Any

from ..nodes import Block, Node, Value, values_in
from .fast import of_numbers
from .fusion import LOOPS, Call, Fused, Loop
from .loops import functions_of, is_number, operands_of
from .numba_text import text_of
from .rows import view_axes

__all__ = ["whole_of"]


def whole_of(w: Any, block: Block, calls: list[Call]) -> Call | None:
    """Write one function of all calls of a block above those of the source.

    Parameters
    ----------
    block: the block, with its loops as nodes.
    calls: the calls that were written, in order.

    Returns
    -------
    Its call. None where something else is left that numba does not compile, or where the block is one loop.
    """
    loops = [n for n in block.nodes if n.name in LOOPS]
    if len(block.nodes) < 2 or len(loops) != len(calls) or not all(c.compiled for c in calls):
        return None
    made = {id(v): v for n in block.nodes if n.name in LOOPS or not _is_view(n) for v in values_in(n.result)}
    outputs = [*{id(v): v for v in values_in(block.outputs) if id(v) in made}.values()]
    given = {id(v) for v in block.inputs}
    if not outputs or any(id(v) not in made and id(v) not in given for v in values_in(block.outputs)):
        return None
    return _Whole(w, block, calls, outputs).call()


def _is_view(node: Node) -> bool:
    return node.name not in LOOPS and view_axes(node) is not None


class _Whole:
    """The function that makes the arrays between loops, and calls them.

    Parameters
    ----------
    outputs: the results, which it is given the memory of.
    """

    def __init__(self, w: Any, block: Block, calls: list[Call], outputs: list[Value]) -> None:
        self.w, self.block, self.calls, self.outputs = w, block, calls, outputs
        self.lines: list[str] = []
        self.names: dict[int, str] = {}  # what the function makes, or writes into
        self.read: dict[int, Value] = {}  # what it reads from outside
        self.shapes: dict[str, list[ast.expr]] = {}  # a variable -> its extents, by those of the operands

    def call(self) -> Call | None:
        """Write the function, and return its call."""
        written = iter(self.calls)
        for node in self.block.nodes:
            if node.name in LOOPS:
                self._loop(next(written))
            elif not (self._view(node) if _is_view(node) else self._number(node)):
                return None
        w, s = self.w, self.w.spelling
        name = s.fresh(f"{w.main}_whole")
        operands, results = [*self.read.values()], [self.names[id(v)] for v in self.outputs]
        names = [w.names[id(v)] for v in operands]
        fits = [
            f"{r}.shape[{k}] == {ast.unparse(n)}"
            for r in results for k, n in enumerate(self.shapes[r])
        ]  # fmt: skip
        head = [
            f'@{s.module("numba")}.njit(error_model="numpy")',
            f"def {name}({', '.join([*names, *results])}):",
            *([f"    if not ({' and '.join(fits)}):", "        return False"] if fits else []),
        ]
        w.definitions.append("\n".join([*head, *self.lines, "    return True"]))
        extents = [self._tuple(r) for r in results]
        return Call(Loop(name, name, operands, self.outputs, names, extents), results, compiled=True)

    def _tuple(self, name: str) -> str:
        parts = [ast.unparse(n) for n in self.shapes[name]]
        return f"({', '.join(parts)}{',' * (len(parts) == 1)})"

    def _resolved(self, extents: str) -> list[ast.expr]:
        """Return the extents of an array by those of the operands, from an expression of other arrays too."""
        tree = _Resolving(self.shapes).visit(ast.parse(extents, mode="eval")).body
        return [*tree.elts] if isinstance(tree, ast.Tuple) else [tree]

    def _make(self, v: Value, name: str, extents: str) -> None:
        """Make an array, unless it is a result."""
        self.names[id(v)] = name
        self.shapes[name] = self._resolved(extents)
        if not any(v is x for x in self.outputs):
            np = self.w.spelling.module("numpy")
            self.lines.append(f"    {name} = {np}.empty({extents}, {np}.{v.dtype}{'_' * (v.dtype.kind == 'b')})")

    def _named(self, v: Value) -> str:
        """Return the variable of a value in the source, or a new one where its expression stands where it is used."""
        name: str = self.w.names.get(id(v), "")
        return name if name.isidentifier() else str(self.w.spelling.fresh("t"))

    def _operand(self, v: Value) -> str:
        """Write an operand: what is 0-d is a number, also where it comes from outside."""
        if id(v) in self.names:
            return f"{self.names[id(v)]}{'[()]' * (not v.shape)}"
        self._outer(v)
        return str(self.w.names[id(v)])

    def _outer(self, v: Value) -> None:
        if id(v) not in self.read:
            self.read[id(v)] = v
            name = self.w.name(v)
            self.shapes[name] = [ast.parse(f"{name}.shape[{k}]", mode="eval").body for k in range(len(v.shape))]

    def _loop(self, call: Call) -> None:
        loop = call.loop
        operands = [self._operand(v) for v in loop.operands]
        for v, name, extents in zip(loop.results, call.variables, loop.extents, strict=True):
            self._make(v, name, extents)
        arguments = ", ".join([*dict.fromkeys(operands), *call.variables])
        self.lines += [f"    if not {loop.many}({arguments}):", "        return False"]

    def _view(self, node: Node) -> bool:
        axes, x = view_axes(node), node.args[0]
        assert axes is not None
        of = self._operand(x)
        name = self.names[id(node.result)] = self._named(node.result)
        extents = self.shapes[of]
        self.shapes[name] = [ast.Constant(1) if a is None else extents[a] for a in axes]
        self.lines.append(f"    {name} = {of}{_taken(axes)}")
        return True

    def _number(self, node: Node) -> bool:
        """Write a call of numbers."""
        one = of_numbers(node, functions=self.w.functions)
        if one is None:
            return False
        variables = {id(v): self._operand(v) for v in node.operands if not is_number(v)}
        functions = functions_of(self.w, Fused([one], (one.result,), self.w.functions))
        text = text_of(one, operands_of(one, variables), functions)
        name = self._named(node.result)
        self._make(node.result, name, "()")
        self.lines.append(f"    {name}[()] = {text}")
        return True


def _taken(axes: tuple[int | None, ...]) -> str:
    """Write how a view is made: by an index with new axes, or by a permutation of the axes."""
    if axes == (1, 0):
        return ".T"
    kept = [a for a in axes if a is not None]
    if kept != sorted(kept):
        return f".transpose({axes})"
    return f"[{', '.join(['None' if a is None else ':' for a in axes])}]"


class _Resolving(ast.NodeTransformer):
    """Puts the extents of arrays in the place of their shapes."""

    def __init__(self, shapes: dict[str, list[ast.expr]]) -> None:
        self.shapes = shapes

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        assert isinstance(node.value, ast.Attribute)
        axis: int = ast.literal_eval(node.slice)
        return self._of(node.value)[axis]

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        return ast.Tuple(self._of(node), ast.Load())

    def _of(self, node: ast.Attribute) -> list[ast.expr]:
        assert isinstance(node.value, ast.Name)
        return self.shapes[node.value.id]
