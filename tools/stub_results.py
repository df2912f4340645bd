"""Find the types of the results of dialects' functions, for their stubs: run the samples of the tests and look.

A type is written in the words of the stub: ``Tensor``, ``tuple[Tensor, Tensor]``, ``bool``; ``max(values: Tensor,
indices: Tensor)`` is a named tuple. A function that gives results of several types has the type ``Any``.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import sys
import warnings
from collections.abc import Iterable
from contextlib import nullcontext, suppress
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

import latticework as lw
from latticework.frontends import dialect_named

TESTS = Path(__file__).parents[1] / "tests"

#: The dtypes on which a sample runs, as far as it takes them.
_DTYPES = "float32 int64 complex64 bool"
_PLAIN = (bool, int, float, complex, str, bytes)
_OPERANDS = "x y z p q u v w n m h s t e r img ker sig i j k b c"


class Results:
    """The types of the results of a dialect's functions, methods and properties.

    Parameters
    ----------
    name: the dialect.
    classes: the names of the classes that stubs have, by class.
    """

    def __init__(self, name: str, classes: dict[type, str]) -> None:
        self.name, self.classes = name, classes
        self.array: Any = dialect_named(name).array
        self.of_functions: dict[int, set[str]] = {}
        self.of_methods: dict[str, set[str]] = {}

    def measure(self) -> None:
        """Run the samples, and read the properties of arrays."""
        sys.path.insert(0, str(TESTS))
        answers: Any = importlib.import_module("dialect_answers")
        real = answers.framework(self.name)
        found = [importlib.import_module(file.stem) for file in sorted(TESTS.glob(f"samples_{self.name}*.py"))]
        for sample in [s for module in found for s in answers.parsed(module.SAMPLES)]:
            code = _recorded(sample.text)
            chosen = [d for d in _DTYPES.split() if d in sample.dtypes] or list(sample.dtypes[:1])
            switch = f"latticework.frontends.{real.switch}" if real.switch else ""
            with importlib.import_module(switch).enable_x64(sample.x64) if switch else nullcontext():
                for dtype in chosen:
                    self._run(code, self._names(answers, real, sample.text, dtype))
        for dtype in _DTYPES.split():
            for operand in ("x", "s", "m"):
                self._read_properties(self._names(answers, real, operand, dtype)[operand])

    def _read_properties(self, x: Any) -> None:
        for name in dir(self.array):
            if isinstance(inspect.getattr_static(self.array, name), property):
                with suppress(Exception):  # some arrays do not have it, or only under a switch
                    self._note(self.of_methods, f"{self.classes[self.array]}.{name}", getattr(x, name))

    def _names(self, answers: Any, real: Any, text: str, dtype: str) -> dict[str, Any]:
        """Return the modules and operands of a sample, by name."""
        names: dict[str, Any] = {
            n: importlib.import_module(f"latticework.frontends.{module}")
            for n, module in real.modules.items()
            if f"{n}." in text and "." not in n
        }
        make: Any = lambda x: dialect_named(self.name).wrapped(lw.asarray(x.copy()))  # noqa: E731
        if real.makes:
            module, _, function = real.makes.rpartition(".")
            make = getattr(importlib.import_module(f"latticework.frontends.{module}"), function)
        return names | {n: make(x) for n, x in answers.operands(dtype, dtype).items() if n in text}

    def _run(self, code: Any, names: dict[str, Any]) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                exec(code, names | {"_call_": self._call})
            except Exception:  # what a sample says is that the call is refused
                return

    def _call(self, owner: Any, name: str, /, *args: Any, **kw: Any) -> Any:
        """Call an attribute of an object, and note the type of the result."""
        f = getattr(owner, name)
        kind = owner if isinstance(owner, type) else type(owner)
        result = f(*args, **kw)
        if isinstance(owner, ModuleType):
            self._note(self.of_functions, id(f), result)
        elif kind in self.classes:
            self._note(self.of_methods, f"{self.classes[kind]}.{name}", result)
        return result

    def _note(self, where: dict[Any, set[str]], key: Any, result: Any) -> None:
        where.setdefault(key, set()).add(self.type_of(result))

    def type_of(self, x: Any) -> str:
        """Return the type of a value, in the words of the stub."""
        if x is None:
            return "None"
        if type(x) in self.classes or isinstance(x, self.array):
            return self.classes.get(type(x), self.classes[self.array])
        if type(x) in _PLAIN:
            return type(x).__name__
        if isinstance(x, tuple) and hasattr(x, "_fields"):
            fields = ", ".join([f"{n}: {self.type_of(v)}" for n, v in zip(x._fields, x, strict=True)])
            return f"{type(x).__name__}({fields})"
        if type(x) in (tuple, list):
            of = [self.type_of(v) for v in x]
            if type(x) is tuple and of:
                return f"tuple[{', '.join(of)}]"
            return f"{type(x).__name__}[{one(of) if of else '?'}]"
        kinds = {np.dtype: "NumpyDtype", np.ndarray: "NumpyArray", FunctionType: "Callable[..., Any]"}
        return next((word for kind, word in kinds.items() if isinstance(x, kind)), "Any")


def one(types: Iterable[str]) -> str:
    """Return the one type that stands for several: ``Any`` where they have nothing in common."""
    found = {*types}
    known = {t for t in found if "?" not in t} or {t.replace("?", "Any") for t in found}
    if len(known) == 1:
        return known.pop()
    arguments = [t.removeprefix("tuple[").removesuffix("]") for t in known if t.startswith("tuple[")]
    if known and len(arguments) == len(known):  # tuples of several lengths
        flat = {part for text in arguments for part in text.removesuffix(", ...").split(", ")}
        if len(flat) == 1 and not any(c in text for text in flat for c in "[("):
            return f"tuple[{flat.pop()}, ...]"
    if known in ({"int", "float"}, {"bool", "int", "float"}):
        return "float"
    return "Any"


class _Calls(ast.NodeTransformer):
    """Replaces ``owner.name(arguments)`` by a call that notes the type of the result."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute):
            given = [node.func.value, ast.Constant(node.func.attr), *node.args]
            node = ast.Call(ast.Name("_call_", ast.Load()), given, node.keywords)
        return node


def _recorded(text: str) -> Any:
    return compile(ast.fix_missing_locations(_Calls().visit(ast.parse(text))), "<sample>", "exec")
