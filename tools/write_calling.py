"""Write latticework/engine/calls/dispatchers.py from the texts in `calling.py`.

    python tools/write_calling.py            write it
    python tools/write_calling.py --check    write nothing; fail if it is out of date

The classes of `calling.py` are the kinds of arrays: their functions are macros. So are the functions marked ``@part``.
Those marked ``@form(kind, …)`` are the texts. The body of a macro takes the place of its call: where the call is a
statement or what ``return`` gives, all its statements; where it is a part of an expression, what the macro returns. The
arguments take the places of the parameters as they are written. ``with tried:`` is a ``try`` block that goes on below
where the kind has an exception, and nothing elsewhere: its statements end the text then.
"""

from __future__ import annotations

import ast
import copy
import subprocess
import sys
from pathlib import Path

import pages

TEXTS = Path(__file__).parent / "calling.py"
MODULE = pages.DOCS.parent / "src" / "latticework" / "engine" / "calls" / "dispatchers.py"
HEAD = '''\
"""The dispatchers: what runs on every call, between its arguments and its kernel. Written by `make pages`.

The texts are those of `tools/calling.py`, for three kinds of arrays: `lw.Array`, a framework's own arrays, and the
arrays of a dialect. Nothing calls these functions as they are: `dispatch.with_names` copies them, and gives each copy
the names below that it reads.
"""

# mypy: disable-error-code="no-untyped-def, no-any-return, unreachable"

from __future__ import annotations

from typing import Any

from ...core.registry import MISSING, functions
from ...errors import is_signal
from ...policy import NOWHERE, active

get = active.get
policy: Any = NOWHERE
$names
'''
#: What the dispatchers read that has a value in the module itself.
GIVEN = {"get", "policy", "functions", "MISSING", "is_signal"}

Macros = dict[str, ast.FunctionDef]


class _Inlined(ast.NodeTransformer):
    """Put macros in the place of their calls."""

    def __init__(self, macros: Macros, tried: ast.expr | None) -> None:
        self.macros, self.tried = macros, tried

    def visit_Call(self, node: ast.Call) -> ast.AST:
        body = self._body(node)
        if body is None:
            return self.generic_visit(node)
        if len(body) != 1 or not isinstance(body[0], ast.Return):
            raise ValueError(f"{ast.unparse(node)}: a part of an expression, where the macro has several statements")
        return self.visit(body[0].value)

    def visit_With(self, node: ast.With) -> ast.AST | list[ast.stmt]:
        """``with tried:``"""
        body = self._all(node.body)
        if self.tried is None:
            return body
        caught = ast.ExceptHandler(self.tried, "error", ast.parse("if is_signal(error): raise").body)
        return ast.Try(body, [caught], [], [])

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.body = self._all(node.body)
        ends = [i for i, statement in enumerate(node.body) if isinstance(statement, ast.Return)]
        node.body = node.body[: ends[0] + 1] if ends else node.body  # nothing runs below
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.AST | list[ast.stmt]:
        body = self._body(node.value)
        return self.generic_visit(node) if body is None else self._all(body)

    def visit_Return(self, node: ast.Return) -> ast.AST | list[ast.stmt]:
        body = self._body(node.value)
        return self.generic_visit(node) if body is None else self._all(body)

    def _all(self, body: list[ast.stmt]) -> list[ast.stmt]:
        made: list[ast.stmt] = []
        for statement in body:
            found = self.visit(statement)
            made += found if isinstance(found, list) else [found]
        return made

    def _body(self, node: ast.expr | None) -> list[ast.stmt] | None:
        """The body of the macro that is called, with the arguments; None where no macro is."""
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id not in self.macros:
            return None
        macro = self.macros[node.func.id]
        names = [a.arg for a in macro.args.args]
        given: dict[str, ast.expr | list[ast.expr]] = dict(zip(names, node.args, strict=False))
        if macro.args.vararg is not None:
            given[macro.args.vararg.arg] = node.args[len(names) :]
        body = macro.body[1:] if ast.get_docstring(macro) else macro.body
        return [_Given(given).visit(copy.deepcopy(statement)) for statement in body]


class _Given(ast.NodeTransformer):
    """Put arguments in the place of parameters."""

    def __init__(self, given: dict[str, ast.expr | list[ast.expr]]) -> None:
        self.given = given

    def visit_Name(self, node: ast.Name) -> ast.AST:
        found = self.given.get(node.id)
        if not isinstance(found, ast.expr):
            return node
        found = copy.deepcopy(found)
        if isinstance(found, ast.Name):
            found.ctx = node.ctx
        return found

    def visit_Call(self, node: ast.Call) -> ast.AST:
        args: list[ast.expr] = []
        for a in node.args:
            rest = self.given.get(a.value.id) if isinstance(a, ast.Starred) and isinstance(a.value, ast.Name) else None
            args += rest if isinstance(rest, list) else [a]
        node.args = args
        return self.generic_visit(node)


class _SameName(ast.NodeTransformer):
    """Leave out ``h = x``, and read x for h from there on."""

    def __init__(self) -> None:
        self.same: dict[str, str] = {}

    def visit_Assign(self, node: ast.Assign) -> ast.AST | None:
        (target,) = node.targets
        if isinstance(target, ast.Name) and target.id.startswith("h") and isinstance(node.value, ast.Name):
            self.same[target.id] = node.value.id
            return None
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.copy_location(ast.Name(self.same.get(node.id, node.id), node.ctx), node)


class _Kind:
    """A kind of arrays: the macros of a class, and what ``with tried:`` catches."""

    def __init__(self, of: ast.ClassDef) -> None:
        self.prefix = f"{of.name.removesuffix('Array').lower()}_"
        self.macros: Macros = {f.name: f for f in of.body if isinstance(f, ast.FunctionDef)}
        self.tried: ast.expr | None = None
        for node in of.body:
            if isinstance(node, ast.Assign):
                name, value = ast.unparse(node.targets[0]), node.value
                if isinstance(value, ast.Lambda):
                    body: list[ast.stmt] = [ast.Return(value.body)]
                    self.macros[name] = ast.FunctionDef(name, value.args, body, [])
                elif isinstance(value, ast.Name):
                    self.tried = value


def dispatchers(tree: ast.Module) -> list[ast.FunctionDef]:
    """Make the dispatchers that the texts say: those of a kind together, in the order of the texts."""
    kinds = {node.name: _Kind(node) for node in tree.body if isinstance(node, ast.ClassDef)}
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    parts = {f.name: f for f in functions if isinstance(f.decorator_list[0], ast.Name)}
    made = []
    for name, kind in kinds.items():
        for f in functions:
            mark = f.decorator_list[0]
            if isinstance(mark, ast.Call) and name in map(ast.unparse, mark.args):
                f = copy.deepcopy(f)
                f.decorator_list, f.name = [], kind.prefix + f.name
                f = _SameName().visit(_Inlined(parts | kind.macros, kind.tried).visit(f))
                made.append(ast.fix_missing_locations(_typed(f)))
    return made


def _typed(f: ast.FunctionDef) -> ast.FunctionDef:
    for argument in ast.walk(f.args):
        if isinstance(argument, ast.arg):
            argument.annotation = ast.Name("Any", ast.Load())
    f.returns = ast.Name("Any", ast.Load())
    return f


def made() -> dict[Path, str]:
    """The module, as ruff writes it."""
    functions = dispatchers(ast.parse(TEXTS.read_text(encoding="utf-8")))
    names = sorted(_read(functions) - GIVEN)
    text = HEAD.replace("$names", "\n".join(f"{name}: Any = None" for name in names))
    text += "\n\n" + "\n\n\n".join(map(ast.unparse, functions)) + "\n"
    ruff = [sys.executable, "-m", "ruff", "format", "--stdin-filename", str(MODULE), "-"]
    formatted = subprocess.run(ruff, input=text, capture_output=True, text=True, check=True, cwd=pages.DOCS.parent)
    return {MODULE: formatted.stdout}


def _read(functions: list[ast.FunctionDef]) -> set[str]:
    """The names that the functions read and nobody gives them: the globals of their copies."""
    import builtins

    found: set[str] = set()
    for f in functions:
        names = [node for node in ast.walk(f) if isinstance(node, ast.Name)]
        own = {node.id for node in names if isinstance(node.ctx, ast.Store)}
        own |= {node.arg for node in ast.walk(f) if isinstance(node, ast.arg)}
        own |= {node.name for node in ast.walk(f) if isinstance(node, ast.ExceptHandler) and node.name}
        found |= {node.id for node in names} - own
    return found - {*dir(builtins)} - {"Any"}


def main() -> int:
    """Write the module, or only compare; 1 where it is out of date."""
    return pages.write(made(), check=pages.options(__doc__).check)


if __name__ == "__main__":
    sys.exit(main())
