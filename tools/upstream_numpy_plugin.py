"""A pytest plugin for `tools/upstream.py`: NumPy's own tests, with NumPy's dialect where they import numpy.

A module of tests is run with an `__import__` of its own. `numpy` and its public modules are the dialect's there.
`numpy.testing` is NumPy's own, on values that are brought to this machine. Of a private module, such as
`numpy._core.numeric`, the functions that are public elsewhere are the dialect's, and the rest is NumPy's.

A test that fails is out where a rule says that it needs what the dialect leaves out: by the error, which says so
itself, or by what is in its source, in the functions of its module that it calls, and in its parameters. The class of
an error has to be NumPy's; its words are our own, and are not looked at.
"""

from __future__ import annotations

import ast
import builtins
import functools
import inspect
import re
import sys
from importlib import import_module
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy
import pytest
from _pytest.assertion.rewrite import rewrite_asserts
from upstream_tests import (
    Missing,
    judged_by,
    message_of,
    note,
    pytest_addoption,
    pytest_collection_modifyitems,
    pytest_collectreport,
    pytest_configure,
    pytest_runtest_call,
    pytest_runtest_makereport,
    pytest_sessionfinish,
    run_statement,
    told,
)

from latticework.frontends import numpy as dialect
from latticework.frontends.numpy.base import to_numpy

__all__ = [
    "pytest_addoption", "pytest_collection_modifyitems", "pytest_collectreport", "pytest_configure",
    "pytest_runtest_call", "pytest_runtest_makereport", "pytest_sessionfinish",
]  # fmt: skip

#: The public modules of NumPy that the dialect has, and those whose public functions private modules are asked for.
PUBLIC = ("numpy", *(f"numpy.{name}" for name in dialect.SUBMODULES))
#: Why the modules that NumPy tests its C code with are out.
OF_C = "details of C and of memory"
TESTING = ("numpy.testing", "numpy.ma.testutils")
PLACES = ("numpy", "numpy.linalg", "numpy.fft", "numpy.random", "numpy.lib.stride_tricks")


# --- NumPy's modules, as the tests see them -------------------------------------------------------------------------


class Shadow(ModuleType):
    """A module of NumPy as the tests see it."""

    loading = 0

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._real = import_module(name)
        self._ours: Any = dialect if name == "numpy" else None
        if name in PUBLIC[1:]:
            self._ours = import_module(f"latticework.frontends.{name}")

    def __getattr__(self, name: str) -> Any:
        real = getattr(self._real, name, None)
        inner = real.__name__ if isinstance(real, ModuleType) else ""
        private = self._ours is None or inner.rpartition(".")[2].startswith("_")
        if inner.startswith("numpy.") and (private or inner in PUBLIC):
            return shadow(inner)
        if self._ours is None:
            return self.private(name)
        if name == "assert_raises_regex":
            return raises
        try:
            return getattr(self._ours, name)
        except AttributeError as error:
            if self.__name__ == "numpy.testing":
                return converting(getattr(self._real, name))
            if name.startswith("_") and real is not None:
                return real
            if Shadow.loading and real is not None:
                return Missing(error)
            raise

    def private(self, name: str) -> Any:
        """A name of a private module: the dialect's, if it is a public function of NumPy."""
        real = getattr(self._real, name)
        if self.__name__.startswith(TESTING):
            return converting(real)
        for place in PLACES:
            if getattr(sys.modules.get(place), name, None) is real:
                try:
                    return getattr(shadow(place), name)
                except AttributeError as error:
                    return Missing(error)
        return real


class OfC(ModuleType):
    """A module that NumPy tests its C code with, which ends the process where it is given other arrays."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Missing(AttributeError(f"{self.__name__}.{name}: no such name: {OF_C}"))


def converting(real: Any) -> Any:
    """A function of `numpy.testing` that the dialect lacks, on values that are brought to this machine."""
    if not isinstance(real, FunctionType) or inspect.isgeneratorfunction(real):
        return real

    def call(*args: Any, **kw: Any) -> Any:
        return real(*to_numpy(args), **to_numpy(kw))

    return call


def raises(error: Any, words: Any, *args: Any, **kw: Any) -> Any:
    """`numpy.testing.assert_raises_regex`, without a look at the words."""
    return numpy.testing.assert_raises(error, *args, **kw)


_SHADOWS: dict[str, ModuleType] = {}


def shadow(name: str) -> ModuleType:
    """The module of NumPy with this name, as the tests see it."""
    if name not in _SHADOWS:
        _SHADOWS[name] = OfC(name) if re.search(r"\._\w*_tests$", name) else Shadow(name)
    return _SHADOWS[name]


class Pytest(ModuleType):
    """pytest as the tests see it: the class of an error is NumPy's, its words are our own."""

    def __getattr__(self, name: str) -> Any:
        return getattr(pytest, name)

    def raises(self, *args: Any, match: Any = None, **kw: Any) -> Any:
        """`pytest.raises`, without a look at the words."""
        return pytest.raises(*args, **kw)  # noqa: PT010

    def warns(self, *args: Any, match: Any = None, **kw: Any) -> Any:
        """`pytest.warns`, without a look at the words."""
        return pytest.warns(*args, **kw)


_PYTEST = Pytest("pytest")


def importing(name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> Any:  # noqa: A002
    """`__import__` in a module of tests."""
    in_c = type(fromlist) is list and not fromlist  # code in C imports so
    if name == "pytest" and not fromlist:
        return _PYTEST
    if level or in_c or name.partition(".")[0] != "numpy":
        return builtins.__import__(name, globals, locals, fromlist, level)
    import_module(name)
    if not fromlist:
        return shadow("numpy")
    for part in fromlist:
        full = f"{name}.{part}"
        if not hasattr(sys.modules[name], part):
            import_module(full)
    return shadow(name)


class Redirected(pytest.Module):
    """A module of tests, loaded with the dialect in NumPy's place."""

    def _getobj(self) -> ModuleType:
        source = self.path.read_bytes()
        tree = ast.parse(source, filename=str(self.path))
        rewrite_asserts(tree, source, str(self.path), self.config)
        tree = Attempts().visit(tree)
        package = f"numpy.{self.path.parents[1].name}.tests"
        module = ModuleType(f"{package}.{self.path.stem}")
        module.__file__, module.__package__ = str(self.path), package
        names = {"__import__": importing, ATTEMPT: attempt, GIVEN: given, MISSING: Missing}
        module.__dict__["__builtins__"] = {**vars(builtins), **names}
        sys.modules[module.__name__] = module
        Shadow.loading += 1
        try:
            for statement in tree.body:
                run_statement(statement, module)
        finally:
            Shadow.loading -= 1
        return module


#: The names by which a module of tests calls `attempt`, `given` and `Missing`.
ATTEMPT, GIVEN, MISSING = "__upstream_attempt__", "__upstream_given__", "__upstream_missing__"


class Attempts(ast.NodeTransformer):
    """Puts calls of NumPy's functions in decorators behind `attempt`: one of many parameters may need what is out."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.decorator_list = [_Calls().visit(d) for d in node.decorator_list]
        if not node.name.startswith("test") and any(isinstance(part, ast.Yield) for part in ast.walk(node)):
            node.body = [_Calls().visit(part) for part in node.body]  # it gives the parameters of tests
            node.decorator_list.append(ast.copy_location(ast.Name(GIVEN, ast.Load()), node.body[0]))
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        node.decorator_list = [_Calls().visit(d) for d in node.decorator_list]
        node.body = [tried(part) if isinstance(part, ast.Assign) else self.visit(part) for part in node.body]
        return node


def tried(assignment: ast.Assign) -> ast.stmt:
    """An assignment in the body of a class, whose name stands for what is missing where it fails."""
    names = [target.id for target in assignment.targets if isinstance(target, ast.Name)]
    if len(names) != len(assignment.targets):
        return assignment
    text = f"try: pass\nexcept Exception as error: {' = '.join(names)} = {MISSING}(error)"
    made = ast.parse(text).body[0]
    assert isinstance(made, ast.Try)
    for part in ast.walk(made):
        if "lineno" in part._attributes:
            ast.copy_location(part, assignment)
    made.body = [assignment]
    return made


class _Calls(ast.NodeTransformer):
    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        root: ast.expr = node.func
        while isinstance(root, ast.Attribute):
            root = root.value
        if not (isinstance(root, ast.Name) and root.id == "np"):
            return node
        nothing = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
        call = ast.Call(ast.Name(ATTEMPT, ast.Load()), [ast.Lambda(nothing, node)], [])
        return ast.fix_missing_locations(ast.copy_location(call, node))


def attempt(make: Any) -> Any:
    """What a call gives, or what stands for it where it fails while tests are collected."""
    try:
        return make()
    except Exception as error:
        if told.collected:
            raise
        return Missing(error)


def given(f: Any) -> Any:
    """A generator of parameters, which ends where it fails while tests are collected."""

    @functools.wraps(f)
    def parameters(*args: Any, **kw: Any) -> Any:
        try:
            for found in f(*args, **kw):  # what holds what is out is left out
                if not any(isinstance(part, Missing) for part in (found if isinstance(found, tuple) else ())):
                    yield found
        except Exception as error:
            if told.collected:
                raise
            note(f"{told.part}::{f.__qualname__}", message_of(error), "")

    return parameters


# --- what is out ----------------------------------------------------------------------------------------------------

#: Why -> what is in the source of a test that needs what is out: patterns, one a word.
BY_SOURCE = {
    "objects": r"""
        \bdtype\s*=\s*object \bobject_?\b ['"]O['"] \|O\d \bDecimal\b \bFraction\b typecodes\[ \.typecodes\b sctypeDict
    """,
    "dates": r"datetime64 timedelta64 ['\"][<>|=]?[mM]8 \bisnat\b NaT\b busday",
    "strings": r"""
        \bstr_\b \bbytes_\b dtype=str\b ['"][<>|=]?[SUaTV]\d*['"] StringDType chararray np\.char\b np\.strings
    """,
    "records": r"dtype\(\[ dtype=\[ \brecarray np\.rec\b \bvoid\b \[\(['\"]\w*['\"],",
    "long doubles": r"longdouble longcomplex float128 complex256 float96 float80 ['\"][gG]['\"]",
    OF_C: r"""
        _umath_tests _multiarray_tests _rational_tests _operand_flag_tests _multiarray_umath \bctypes getrefcount
        HAS_REFCOUNT setrecursionlimit gc\.collect weakref PyObject extobj bufsize memoryview pickle
    """,
    "protocols between classes of arrays": r"""
        __array_interface__ __array_struct__ __array_finalize__ __array_wrap__ __array_priority__ __array_prepare__
        __array_ufunc__ __array_function__
    """,
    "subclasses of ndarray": r"""
        \(np\.ndarray\) \(ndarray\): np\.matrix np\.ma\b MaskedArray masked_array \bma\. subok asmatrix \bmatrix\(
        \bbmat\b memmap
    """,
    "the layout of memory": r"""
        \.flags\b strides order=['"][FAK] asfortranarray ascontiguousarray F_CONTIGUOUS as_strided byteorder setflags
        ['"]>[a-z]\d \.aligned \.base\b nditer writeable byteswap __setstate__ shares_memory
    """,
    "classes of polynomials": r"poly1d np\.polynomial",
}
#: What an error says where what is out was asked for -> why.
BY_ERROR = {
    r"no such name: (.*)": "a name that the dialect leaves out",
    r"is none of an array's dtypes here": "objects, strings, dates, records or long doubles",
    r"FloatingPointError": "errors of floating-point arithmetic, which only NumPy counts",
}
judged_by(BY_SOURCE, BY_ERROR)


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> pytest.Module | None:
    return None if told.itself else Redirected.from_parent(parent, path=module_path)
