"""Source in which each expression tells its operands and its result to a probe, without a change of what it does.

``x * y`` becomes ``P.result(7, P.operand(7, 0, x) * P.operand(7, 1, y))``: the operands are handed on as they are, and
the operation stays in the frame of the program.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

__all__ = ["PROBE", "Part", "Site", "rewritten"]

#: The name under which the rewritten source finds the probe, among the builtins.
PROBE = "__latticework_probe__"

#: Operators -> the functions that they call.
_OPERATORS: dict[type, str] = {
    ast.Add: "add", ast.Sub: "subtract", ast.Mult: "multiply", ast.Div: "divide", ast.FloorDiv: "floor_divide",
    ast.Mod: "remainder", ast.Pow: "pow", ast.MatMult: "matmul",
}  # fmt: skip

#: Functions that look at the frame that calls them, and those that no array is made by.
_LEFT_ALONE = frozenset(
    """
    super locals globals vars dir eval exec print isinstance issubclass len range type id repr str hasattr callable
    """.split()
)


@dataclass(frozen=True)
class Part:
    """An operand of a site: its number on the stack, or a constant, with the place of the source that it has.

    Attributes
    ----------
    index: the number under which it is told; -1 for a constant.
    constant: the constant.
    name: the name of a keyword argument, ``**`` for several; empty for others.
    starred: whether it is several arguments, as ``*x``.
    span: the first line, an offset in bytes, and the last line and the offset there.
    """

    index: int
    constant: Any
    name: str
    starred: bool
    span: tuple[int, int, int, int]


@dataclass(frozen=True)
class Site:
    """An expression that is told.

    Attributes
    ----------
    kind: ``"operator"``, ``"call"`` or ``"part"`` (of an array).
    operation: the function of an operator, and the name of a method or of a module's function; else empty.
    parts: its operands.
    span: its place.
    """

    kind: str
    operation: str
    parts: tuple[Part, ...]
    span: tuple[int, int, int, int]
    file: str

    @cached_property
    def told(self) -> int:
        """How many things are told of it."""
        return sum(p.index >= 0 for p in self.parts) + (self.kind == "call")


def _span(node: Any) -> tuple[int, int, int, int]:
    return node.lineno, node.col_offset, node.end_lineno, node.end_col_offset


class _Rewriter(ast.NodeTransformer):
    def __init__(self, file: str, sites: list[Site], without_asserts: bool) -> None:
        self.file, self.sites, self.without_asserts = file, sites, without_asserts

    def _told(self, method: str, key: int, at: ast.expr, *args: ast.expr) -> ast.expr:
        probe = ast.Attribute(ast.Name(PROBE, ast.Load()), method, ast.Load())
        call = ast.Call(probe, [ast.Constant(key), *args], [])
        for node in (probe.value, probe, call, call.args[0]):
            ast.copy_location(node, at)
        for node in args:
            if not hasattr(node, "lineno"):
                ast.copy_location(node, at)
        return call

    def _operand(self, key: int, parts: list[Part], node: ast.expr, name: str = "") -> ast.expr:
        span = _span(node)
        negative = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)
        constant = node.operand if isinstance(node, ast.UnaryOp) else node
        if isinstance(constant, ast.Constant):
            value: Any = constant.value
            if constant is not node:
                value = -value if negative and isinstance(value, (int, float, complex)) else None
            parts.append(Part(-1, value, name, False, span))
            return node
        index = sum(p.index >= 0 for p in parts)
        parts.append(Part(index, None, name, isinstance(node, ast.Starred), span))
        inner = node.value if isinstance(node, ast.Starred) else node
        told = self._told("operand", key, inner, ast.Constant(index), self.visit(inner))
        return ast.copy_location(ast.Starred(told, ast.Load()), node) if isinstance(node, ast.Starred) else told

    def _new(self) -> int:
        self.sites.append(None)  # type: ignore[arg-type]
        return len(self.sites) - 1

    def _result(self, key: int, kind: str, operation: str, parts: list[Part], node: ast.expr) -> ast.expr:
        self.sites[key] = Site(kind, operation, tuple(parts), _span(node), self.file)
        return self._told("result", key, node, node)

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        operation = _OPERATORS.get(type(node.op))
        if operation is None:
            return self.generic_visit(node)
        key, parts = self._new(), list[Part]()
        node.left = self._operand(key, parts, node.left)
        node.right = self._operand(key, parts, node.right)
        return node if all(p.index < 0 for p in parts) else self._result(key, "operator", operation, parts, node)

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        operation = _OPERATORS.get(type(node.op))
        if operation is None or not isinstance(node.target, ast.Name):
            return self.generic_visit(node)
        key, parts = self._new(), list[Part]()
        read = ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target)
        before = ast.copy_location(ast.Expr(self._operand(key, parts, read)), node)
        node.value = self._operand(key, parts, node.value)
        again = ast.copy_location(ast.Name(node.target.id, ast.Load()), node)
        self.sites[key] = Site("in place", operation, tuple(parts), _span(node), self.file)
        after = ast.copy_location(ast.Expr(self._told("result", key, again, again)), node)
        return [before, node, after]

    def visit_Call(self, node: ast.Call) -> Any:
        if isinstance(node.func, ast.Name) and node.func.id in _LEFT_ALONE:
            return self.generic_visit(node) if node.func.id not in ("super", "locals", "vars", "dir") else node
        key, parts = self._new(), list[Part]()
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        node.func = self._told("function", key, node.func, self.visit(node.func))
        node.args = [self._operand(key, parts, a) for a in node.args]
        for k in node.keywords:
            k.value = self._operand(key, parts, k.value, k.arg or "**")
        return self._result(key, "call", name, parts, node)

    def visit_Subscript(self, node: ast.Subscript) -> Any:
        if not isinstance(node.ctx, ast.Load):
            return self.generic_visit(node)
        key, parts = self._new(), list[Part]()
        node.value = self._operand(key, parts, node.value)
        node.slice = self.visit(node.slice)
        return node if parts[0].index < 0 else self._result(key, "part", "", parts, node)

    # What is no expression that is evaluated here:

    def visit_Assert(self, node: ast.Assert) -> Any:
        return node if self.without_asserts else self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        if node.value is not None:
            node.value = self.visit(node.value)
        return node

    def visit_match_case(self, node: ast.match_case) -> Any:
        node.guard = self.visit(node.guard) if node.guard else None
        node.body = self._statements(node.body)
        return node

    def _statements(self, body: list[ast.stmt]) -> list[ast.stmt]:
        found: list[ast.stmt] = []
        for statement in body:
            new = self.visit(statement)
            found += new if isinstance(new, list) else [new]
        return found

    def visit_FunctionDef(self, node: Any) -> Any:
        node.body = self._statements(node.body)
        return node

    def visit_AsyncFunctionDef(self, node: Any) -> Any:
        return self.visit_FunctionDef(node)

    def visit_Lambda(self, node: ast.Lambda) -> Any:
        node.body = self.visit(node.body)
        return node


def rewritten(source: str, file: str, sites: list[Site], asserts: Callable[..., None] | None = None) -> Any:
    """Return the code of a module in which each expression is told to the probe.

    Parameters
    ----------
    source, file: the text of the module, and the name of its file.
    sites: the list to which the sites of the module are added. Their numbers in it are the keys that the probe gets.
    asserts: rewrites the assertions of a tree, as pytest does. They are left alone then.

    Raises
    ------
    SyntaxError: the text is no Python.
    """
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the source, which was compiled before
        tree = _Rewriter(file, sites, asserts is not None).visit(ast.parse(source, file))
        if asserts is not None:
            asserts(tree, source, file)
        return compile(tree, file, "exec", dont_inherit=True)
