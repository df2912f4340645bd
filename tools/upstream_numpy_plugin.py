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
import json
import re
import signal
import sys
from collections.abc import Generator
from importlib import import_module
from pathlib import Path
from types import FrameType, FunctionType, ModuleType
from typing import Any

import numpy
import pytest
from _pytest.assertion.rewrite import rewrite_asserts

import latticework as lw
from latticework.frontends import numpy as dialect
from latticework.frontends.numpy.base import to_numpy
from latticework.frontends.numpy.coverage import ABSENT

#: A test that takes longer is ended, and has failed.
SECONDS = 120

#: The public modules of NumPy that the dialect has, and those whose public functions private modules are asked for.
PUBLIC = ("numpy", *(f"numpy.{name}" for name in dialect.SUBMODULES))
#: Why the modules that NumPy tests its C code with are out.
OF_C = "details of C and of memory"
TESTING = ("numpy.testing", "numpy.ma.testutils")
PLACES = ("numpy", "numpy.linalg", "numpy.fft", "numpy.random", "numpy.lib.stride_tricks")


# --- NumPy's modules, as the tests see them -------------------------------------------------------------------------


class Missing:
    """Stands for a name that the dialect does not have, where a module of tests asks for it while it is loaded."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise self._error

    def __call__(self, *args: Any, **kw: Any) -> Any:
        raise self._error

    def _stays(self, *args: Any) -> Any:
        if _told.collected:
            raise self._error
        return self

    __getitem__ = __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __neg__ = _stays

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise self._error

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[type, ...]:
        return ()


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


def run_statement(statement: ast.stmt, module: ModuleType) -> None:
    """Run one statement of a module of tests. One that fails is noted, and the module's other tests are run."""
    code = compile(ast.Module([statement], []), str(module.__file__), "exec", dont_inherit=True)
    try:
        exec(code, module.__dict__)
    except Exception as error:
        name = getattr(statement, "name", None)
        if name is not None:
            note(f"{_told.part}::{name}", message_of(error), ast.unparse(statement))


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
        if _told.collected:
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
            if _told.collected:
                raise
            note(f"{_told.part}::{f.__qualname__}", message_of(error), "")

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
_RULES = {reason: re.compile("|".join(words.split())) for reason, words in BY_SOURCE.items()}
#: What an error says where what is out was asked for -> why.
BY_ERROR = {
    r"no such name: (.*)": "a name that the dialect leaves out",
    r"is none of an array's dtypes here": "objects, strings, dates, records or long doubles",
    r"FloatingPointError": "errors of floating-point arithmetic, which only NumPy counts",
}


def sources(item: pytest.Item) -> str:
    """The source of a test and of what it uses in its module, and its parameters."""
    function, module = item.function, item.module  # type: ignore[attr-defined]
    seen: dict[int, str] = {}

    def add(f: Any) -> None:
        f = inspect.unwrap(getattr(f, "__func__", f))
        if not isinstance(f, (FunctionType, type)) or id(f) in seen:
            return
        if getattr(f, "__module__", "") != module.__name__:
            return
        try:
            text = inspect.getsource(f)
        except (OSError, TypeError):
            return
        seen[id(f)] = text
        for name in set(re.findall(r"\b(?:self\.)?(\w+)\b", text)):
            add(getattr(module, name, None))
            add(getattr(getattr(item, "cls", None), name, None))

    add(function)
    for name in ("setup_method", "setup_class", "setUp"):
        add(getattr(getattr(item, "cls", None), name, None))
    params = getattr(getattr(item, "callspec", None), "params", {})
    return "\n".join([*seen.values(), *(repr(v) for v in params.values())])


def out(text: str, message: str) -> str | None:
    """Why a test that failed is out; None where it has to pass."""
    for pattern, reason in BY_ERROR.items():
        if found := re.search(pattern, message):
            return found[1] if found.groups() else reason
    return next((reason for reason, pattern in _RULES.items() if pattern.search(text)), None)


# --- the run --------------------------------------------------------------------------------------------------------


class _Outcomes:
    """What pytest's options said, and what came of the tests."""

    def __init__(self) -> None:
        self.part = self.backend = self.report = ""
        self.collected = False
        self.passed: list[str] = []
        self.failed: dict[str, str] = {}
        self.out: dict[str, str] = {}
        self.skipped: list[str] = []


_told = _Outcomes()


def message_of(error: BaseException) -> str:
    """An error in a line."""
    return re.sub(r"\s+", " ", f"{type(error).__name__}: {error}")


def note(name: str, message: str, text: str) -> None:
    """Note a test that failed, with what it said, and with the source that it is judged by."""
    why = out(text, message)
    (_told.failed if why is None else _told.out)[name] = message[:400] if why is None else why


def pytest_addoption(parser: pytest.Parser) -> None:
    for name in ("part", "backend", "report"):
        parser.addoption(f"--upstream-{name}", default="")


def pytest_configure(config: pytest.Config) -> None:
    for name in ("part", "backend", "report"):
        setattr(_told, name, config.getoption(f"upstream_{name}"))
    if _told.backend != "numpy itself":
        lw.set_backend(_told.backend)


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> pytest.Module | None:
    if _told.backend == "numpy itself":
        return None
    return Redirected.from_parent(parent, path=module_path)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    _told.collected = True
    for item in items:
        if item.get_closest_marker("slow") or item.get_closest_marker("leaks_references"):
            item.add_marker(pytest.mark.skip(reason="slow"))


def _ended(number: int, frame: FrameType | None) -> None:
    raise TimeoutError(f"took more than {SECONDS} seconds")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    signal.signal(signal.SIGALRM, _ended)
    signal.alarm(SECONDS)
    try:
        return (yield)
    finally:
        signal.alarm(0)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[Any]) -> Generator[None, Any, Any]:
    report = yield
    name = f"{_told.part}::{item.nodeid.partition('::')[2]}"
    if report.failed and name not in _told.out and name not in _told.failed:
        error = call.excinfo
        message = message_of(error.value) if error else str(report.longrepr)
        note(name, message, sources(item))
    elif report.skipped:
        _told.skipped.append(name)
    elif report.when == "call" and report.passed:
        _told.passed.append(name)
    return report


def pytest_collectreport(report: pytest.CollectReport) -> None:
    if report.failed:
        _told.failed[f"{_told.part}::"] = re.sub(r"\s+", " ", str(report.longrepr))[-400:]


def pytest_sessionfinish() -> None:
    passed = [n for n in _told.passed if n not in _told.failed and n not in _told.out]
    found = {"passed": passed, "failed": _told.failed, "out": _told.out, "skipped": _told.skipped}
    Path(_told.report).write_text(json.dumps(found), encoding="utf-8")


_ = (numpy, ABSENT)
