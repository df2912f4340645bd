"""Syntax trees of functions, as a source has them: its names, no annotations, no code that is never reached."""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
import types
from typing import Any

from ...core.dtypes import Dtype
from ...errors import TraceError

__all__ = ["Folded", "Plain", "Renamer", "always_calls", "bound_names", "definition", "is_wrapper"]


class Plain(ast.NodeTransformer):
    """Drop annotations of variables. In a class, where they make the fields of a named tuple, they become `object`."""

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        self.generic_visit(node)
        if node.value is None:
            return ast.Pass()
        return ast.Assign(targets=[node.target], value=node.value)

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        fields = [
            ast.AnnAssign(s.target, ast.Name("object", ast.Load()), s.value, 1)
            for s in node.body
            if isinstance(s, ast.AnnAssign)
        ]
        others = [self.visit(s) for s in node.body if not isinstance(s, ast.AnnAssign)]
        node.body = [*fields, *others] or [ast.Pass()]
        return node


class Folded(ast.NodeTransformer):
    """Drop code that a source never reaches: branches where NumPy computes in the framework's place, via latticework.

    The functions that these branches ask have the attribute `in_source`: their answer in a source.
    """

    def __init__(self, names: dict[str, Any], local: set[str]) -> None:
        self.names, self.local = names, local

    def visit_Call(self, node: ast.Call) -> Any:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id not in self.local:
            answer = getattr(self.names.get(node.func.id), "in_source", None)
            if isinstance(answer, bool):
                return ast.Constant(answer)
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Any:
        self.generic_visit(node)
        known = _known(node.operand)
        return ast.Constant(not known) if isinstance(node.op, ast.Not) and known is not None else node

    def visit_BoolOp(self, node: ast.BoolOp) -> Any:
        self.generic_visit(node)
        decides = isinstance(node.op, ast.Or)
        node.values = [x for x in node.values if _known(x) is not (not decides)] or [ast.Constant(not decides)]
        if any(_known(x) is decides for x in node.values):
            return ast.Constant(decides)
        return node if len(node.values) > 1 else node.values[0]

    def visit_If(self, node: ast.If) -> Any:
        self.generic_visit(node)
        known = _known(node.test)
        if known is not None:
            return node.body if known else node.orelse
        node.body = node.body or [ast.Pass()]
        return node

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        self.generic_visit(node)
        known = _known(node.test)
        return node if known is None else node.body if known else node.orelse


def _known(x: ast.expr) -> bool | None:
    return x.value if isinstance(x, ast.Constant) and isinstance(x.value, bool) else None


def always_calls(f: ast.FunctionDef, names: set[str]) -> bool:
    """Return whether each call of a function calls one of these names, unless it fails before."""
    for part in f.body:
        branches = isinstance(part, (ast.If, ast.For, ast.While, ast.Try))
        if not branches and any(
            isinstance(x, ast.Call) and isinstance(x.func, ast.Name) and x.func.id in names for x in ast.walk(part)
        ):
            return True
        if branches and any(isinstance(x, ast.Return) for x in ast.walk(part)):
            return False
    return False


class Renamer(ast.NodeTransformer):
    """Give global names, and names of closures, their names in the source."""

    def __init__(self, to: Any, names: dict[str, Any], local: set[str], name: str, old: str | None) -> None:
        self.to, self.names, self.local, self.name, self.old = to, names, local, name, old

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        """Replace ``windows.convolved``, of a module of latticework, by the function itself."""
        if isinstance(node.value, ast.Name) and node.value.id not in self.local and node.value.id in self.names:
            owner = self.names[node.value.id]
            if isinstance(owner, types.ModuleType) and owner.__name__.startswith("latticework"):
                return ast.parse(self.to.reference(getattr(owner, node.attr)), mode="eval").body
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> Any:
        found = self.renamed(node)
        if isinstance(found, ast.Name) and found is not node and found.id in self.local:
            return ast.Name(self.to.alias(found.id), ast.Load())
        return found

    def renamed(self, node: ast.Name) -> Any:
        if node.id in self.local or not isinstance(node.ctx, ast.Load):
            return node
        if node.id not in self.names:
            return node
        value = self.names[node.id]
        if isinstance(value, types.ModuleType):
            return ast.copy_location(ast.Name(self.to.spelling.module(value.__name__), ast.Load()), node)
        if isinstance(value, (bool, int, float, str, type(None))) and type(value) in (
            bool,
            int,
            float,
            str,
            type(None),
        ):
            return ast.parse(self.to.spelling.expression(value), mode="eval").body
        if isinstance(value, (types.FunctionType, type, Dtype)) or is_wrapper(value):
            return ast.parse(self.to.reference(value), mode="eval").body
        short = self.to.spelling.short(value)
        path = self.to.path(value) if callable(value) else None
        if path is not None:
            module, _, last = path.rpartition(".")
            return ast.parse(f"{self.to.spelling.module(module)}.{last}", mode="eval").body
        if short is not None:
            return ast.parse(self.to.name(value, node.id), mode="eval").body
        return ast.Name(self.to.name(value, node.id), ast.Load())


def bound_names(node: ast.AST) -> set[str]:
    """Return the names that a definition binds itself."""
    found: set[str] = set()
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and isinstance(part.ctx, (ast.Store, ast.Del)):
            found.add(part.id)
        elif isinstance(part, ast.arg):
            found.add(part.arg)
        elif isinstance(part, (ast.FunctionDef, ast.ClassDef, ast.ExceptHandler)) and part is not node and part.name:
            found.add(part.name)
        elif isinstance(part, (ast.Import, ast.ImportFrom)):
            found |= {(a.asname or a.name).partition(".")[0] for a in part.names}
    return found


def definition(f: types.FunctionType) -> ast.AST:
    """Return the syntax tree of a function."""
    try:
        lines, _ = inspect.getsourcelines(f.__code__)
        tree = ast.parse(textwrap.dedent("".join(lines)))
    except (OSError, TypeError):
        raise TraceError(f"source: {f.__qualname__} has no text") from None
    except SyntaxError:
        tree = ast.parse(inspect.getsource(sys.modules[f.__module__]))
    name = f.__code__.co_name
    if name != "<lambda>":
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and node.name == name:
                return node
    tree = ast.parse(inspect.getsource(sys.modules[f.__module__]))
    positions = [p for p in f.__code__.co_positions() if p[0] is not None and p[2] is not None]
    for node in ast.walk(tree):
        if isinstance(node, ast.Lambda) and node.lineno <= f.__code__.co_firstlineno <= (node.end_lineno or 0):
            body = node.body
            inside = [p for p in positions if (body.lineno, body.col_offset) <= (p[0], p[2])]
            ends = [p for p in inside if (p[1], p[3]) <= (body.end_lineno, body.end_col_offset)]
            if ends and len(ends) >= len(positions) - 2:
                return node
    raise TraceError(f"source: the text of {f.__qualname__} is not found")


def is_wrapper(x: Any) -> bool:
    """Return whether a cache or a compiler made x from a function. The function is written, with its decorators."""
    if not isinstance(getattr(x, "__wrapped__", None), types.FunctionType) or isinstance(x, type):
        return False
    return not (isinstance(x, types.FunctionType) and x.__globals__.get("__name__", "").startswith("latticework"))
