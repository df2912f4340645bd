"""The functions of a program with the code of their rewritten source, for the time of a run."""

from __future__ import annotations

import ast
import builtins
import functools
import inspect
import itertools
import linecache
import operator
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import (
    BuiltinFunctionType,
    CodeType,
    FunctionType,
    MethodDescriptorType,
    MethodType,
    MethodWrapperType,
    ModuleType,
    WrapperDescriptorType,
)  # fmt: skip
from typing import Any

from ..places import Place, is_program, node_at, span_of, span_of_offsets
from ..writing import Names
from .rewriting import PROBE, Site, rewritten
from .values import SCALARS, Value, asks_for_dtype, values, without_arrays
from .watching import Call, Operand, Watch

__all__ = ["Instrumented"]

#: Types of values that hold no functions of the program.
_PLAIN: frozenset[type] = frozenset(
    (*SCALARS, str, bytes, type(None), slice, list, tuple, dict, set, range, BuiltinFunctionType, WrapperDescriptorType,
     MethodWrapperType, MethodDescriptorType)
)  # fmt: skip

#: Types of results that are judged at once.
_NO_ARRAYS = frozenset((*SCALARS, str, bytes, type(None), slice, range, set, FunctionType, type))

#: Functions that ask for a dtype by their name alone.
_BY_NAME = frozenset("astype float64 float32 double single float_ longdouble complex128 cdouble view".split())


class _Local(threading.local):
    """What is told in a thread, and whether the thread is judging a call."""

    def __init__(self) -> None:
        self.stack: list[tuple[int, int, Any, int]] = []
        self.judging = False


class Instrumented:
    """The probe: it hears of each expression, and gives rewritten code to the functions that it meets.

    Parameters
    ----------
    watch: judges the calls.
    inside: packages outside of the program to look into.
    asserts: rewrites the assertions of pytest's modules; None leaves that to no one.
    """

    def __init__(self, watch: Watch, inside: Sequence[str] = (), asserts: Callable[..., None] | None = None) -> None:
        self.watch, self.inside, self._asserts = watch, frozenset(inside), asserts
        self.elsewhere: frozenset[str] = frozenset()  # frameworks whose calls are watched in another way
        self.sites: list[Site] = []
        self._codes: dict[str, dict[Any, list[CodeType]] | None] = {}
        self._swapped: list[tuple[FunctionType, CodeType]] = []
        self._seen: set[int] = set()
        self._kept: list[Any] = []
        self._types: set[type] = set()
        self._inert: set[type] = {*_PLAIN}  # classes whose objects hold no functions
        self._local = _Local()

    @contextmanager
    def running(self) -> Iterator[None]:
        """Let the rewritten code find the probe, and put the functions' own code back at the end."""
        before = getattr(builtins, PROBE, None)
        setattr(builtins, PROBE, self)
        try:
            yield
        finally:
            for function, code in reversed(self._swapped):
                function.__code__ = code
            self._swapped.clear()
            self._seen.clear()
            self._types.clear()
            self._inert = {*_PLAIN}
            if before is None:
                delattr(builtins, PROBE)
            else:
                setattr(builtins, PROBE, before)

    # --- functions ----------------------------------------------------------------------------------------------------

    def _is_program(self, file: str, module: str) -> bool:
        """Return whether a file is of the program, or of a package to look into."""
        return module.partition(".")[0] in self.inside or is_program(file, module)

    def codes_of(self, file: str, names: dict[str, Any]) -> dict[Any, list[CodeType]] | None:
        """Return the rewritten code objects of a file by name and first line; None for a file that is left alone."""
        if file not in self._codes:
            program = self._is_program(file, str(names.get("__name__", "")))
            source = "".join(linecache.getlines(file)) if program else ""
            asserts = self._asserts if "@pytest_ar" in names else None
            self._codes[file] = _by_line(self.module_code(source, file, asserts)) if source else None
        return self._codes[file]

    def module_code(self, source: str, file: str, asserts: Callable[..., None] | None = None) -> CodeType | None:
        """Return the rewritten code of a module; None where its source cannot be read."""
        try:
            code: CodeType = rewritten(source, file, self.sites, asserts)
        except (SyntaxError, ValueError, RecursionError):
            return None
        return code

    def meet(self, x: Any, depth: int = 5) -> None:
        """Give rewritten code to a function, and to what it holds: what it wraps, its closure, its module."""
        kind = type(x)
        if kind in self._inert or depth < 0:
            return
        if kind is FunctionType:
            if id(x) in self._seen:
                return
            self._seen.add(id(x))
            self._kept.append(x)  # an id is of one object as long as that lives
            self._swap(x)
            for cell in x.__closure__ or ():
                try:
                    self.meet(cell.cell_contents, depth - 1)
                except ValueError:
                    continue
            self.meet(x.__dict__.get("__wrapped__"), depth - 1)
        elif kind is MethodType:
            if id(x.__func__) in self._seen:
                return
            self.meet(x.__func__, depth - 1)
            self._meet_class(type(x.__self__) if not isinstance(x.__self__, type) else x.__self__)
        elif isinstance(x, functools.partial):
            for part in (x.func, *x.args):
                self.meet(part, depth - 1)
        elif isinstance(x, (staticmethod, classmethod)):
            self.meet(x.__func__, depth)
        elif isinstance(x, property):
            for part in (x.fget, x.fset, x.fdel):
                self.meet(part, depth)
        elif isinstance(x, functools.cached_property):
            self.meet(x.func, depth)
        elif isinstance(x, type):
            self._meet_class(x)
        else:
            self._meet_class(kind)
            if not callable(x):
                self._inert.add(kind)
                return
            wrapped = getattr(x, "__dict__", {}).get("__wrapped__")
            if wrapped is not None and id(x) not in self._seen:
                self._seen.add(id(x))
                self._kept.append(x)
                for part in (wrapped, *vars(x).values()):  # jax.custom_jvp has a rule besides
                    if callable(part):
                        self.meet(part, depth - 1)
                if hasattr(kind, "clear_cache"):  # jax.jit: what was traced before was not watched
                    x.clear_cache()

    def _meet_class(self, kind: type) -> None:
        if kind in self._types:
            return
        self._types.add(kind)
        for base in kind.__mro__:
            module = sys.modules.get(base.__module__)
            file = str(getattr(module, "__file__", "") or "")
            if base.__module__ in ("builtins", "abc", "typing") or not self._is_program(file or "<>", base.__module__):
                continue
            for value in [*vars(base).values()]:
                if isinstance(value, (FunctionType, staticmethod, classmethod, property, functools.cached_property)):
                    self.meet(value)

    def _swap(self, function: FunctionType) -> None:
        code, names = function.__code__, function.__globals__
        file = code.co_filename
        new_file = file not in self._codes
        codes = self.codes_of(file, names)
        if codes is None:
            return
        found = codes.get((code.co_qualname, code.co_firstlineno), [])
        if len(found) == 1 and found[0].co_freevars == code.co_freevars:
            function.__code__ = found[0]
            self._swapped.append((function, code))
        if new_file:
            self._meet_names(names, file)

    def _meet_names(self, names: dict[str, Any], file: str) -> None:
        """Meet the functions and classes of a module."""
        for value in [*names.values()]:
            if isinstance(value, FunctionType) and value.__code__.co_filename == file:
                self.meet(value)
            elif isinstance(value, type) and value.__module__ == names.get("__name__"):
                self._meet_class(value)

    def meet_named(self, function: Any) -> None:
        """Meet a function and the functions that its code names, of its module and of those that it names."""
        self.meet(function)
        plain = inspect.unwrap(getattr(function, "__func__", function))
        code, names = getattr(plain, "__code__", None), getattr(plain, "__globals__", {})
        used = code.co_names if code else ()
        for value in [names[n] for n in used if n in names]:
            self.meet(value)
            if isinstance(value, ModuleType):
                for n in used:
                    self.meet(vars(value).get(n))

    # --- what the rewritten code calls --------------------------------------------------------------------------------

    def function(self, key: int, function: Any) -> Any:
        """Hear of the function of a call."""
        self.meet(function)
        self._local.stack.append((key, -1, function, self.watch.widened))
        return function

    def operand(self, key: int, index: int, value: Any) -> Any:
        """Hear of an operand."""
        if type(value) not in self._inert:
            self.meet(value)
        self._local.stack.append((key, index, value, self.watch.widened))
        return value

    def result(self, key: int, result: Any) -> Any:
        """Hear of a result, and judge the call."""
        taken, local, kind = self._taken(key), self._local, type(result)
        if taken is None or kind in _NO_ARRAYS or kind in without_arrays or local.judging:
            return result
        local.judging = True
        try:
            self._judge(self.sites[key], *taken, result, sys._getframe(1))
        finally:
            local.judging = False
        return result

    def _taken(self, key: int) -> tuple[dict[int, Any], int] | None:
        """Take what was told of a site from the stack, and how much was widened before its call.

        What lies above it there is of expressions that an error ended.
        """
        stack, site = self._local.stack, self.sites[key]
        first = -1 if site.kind == "call" else 0
        at = len(stack) - site.told
        if at >= 0 and stack[at][0] == key and stack[at][1] == first:  # nothing lies above
            mine = stack[at:]
            del stack[at:]
            return {entry[1]: entry[2] for entry in mine}, mine[-1][3]
        for n in range(len(stack) - 1, -1, -1):
            if stack[n][0] == key and stack[n][1] == first:
                mine = [entry for entry in stack[n:] if entry[0] == key]
                del stack[n:]
                return {entry[1]: entry[2] for entry in mine}, mine[-1][3]
        return None

    def _judge(self, site: Site, told: dict[int, Any], before: int, result: Any, frame: Any) -> None:
        results = [*values(result)]
        if not self.watch.may_be_wide(results) or any(v.framework in self.elsewhere for v in results):
            return
        if self.watch.widened > before:  # in a function of the program, which this one called
            self.watch.came_of_it(results)
        if site.kind == "part":
            self.watch.inherit(told.get(0), result)
            return
        function = told.get(-1)
        operands: list[tuple[Value, Any]] = []
        bound = getattr(function, "__self__", None) if site.kind == "call" else None
        if bound is not None and type(bound) not in _PLAIN:
            operands += [(v, None) for v in values(bound)]
        for part in site.parts:
            value = part.constant if part.index < 0 else told.get(part.index)
            operands += [(v, part) for v in values(value)]
        if any(v.framework in self.elsewhere for v, _ in operands):
            return

        def full() -> Call:
            return self._account(site, told, function, operands, results, frame)

        self.watch.see(full, [v for v, _ in operands], results)

    def _account(
        self,
        site: Site,
        told: dict[int, Any],
        function: Any,
        operands: list[tuple[Value, Any]],
        results: list[Value],
        frame: Any,
    ) -> Call:
        name = frame.f_code.co_name
        place = span_of_offsets(site.span, site.file, name)
        shown: list[Operand] = []
        for part, group in itertools.groupby(operands, key=lambda pair: pair[1]):
            of_part = [v for v, _ in group]
            at = _bound_place(place) if part is None else span_of_offsets(part.span, site.file, name)
            shown += [Operand(v, p) for v, p in zip(of_part, _places(at, len(of_part)), strict=True)]
        asked = site.kind == "call" and self._asked(site, told, function)
        operation = site.operation or str(getattr(function, "__name__", type(function).__name__))
        names = Names(frame.f_globals, frame.f_code.co_names)
        return Call(place, operation, shown, results, asked, names, self._again(site, told, function))

    def _asked(self, site: Site, told: dict[int, Any], function: Any) -> bool:
        if (site.operation or getattr(function, "__name__", "")) in _BY_NAME or asks_for_dtype(function):
            return True
        for part in site.parts:
            value = part.constant if part.index < 0 else told.get(part.index)
            text = isinstance(value, str) and part.name not in ("dtype", "")
            if not text and asks_for_dtype(value):
                return True
            if part.name == "dtype" and value is not None:
                return True
        return False

    def _again(self, site: Site, told: dict[int, Any], function: Any) -> Callable[[Callable[[Any], Any]], Any] | None:
        """Return what makes a call once more; None for a function that may have effects, and where it is not known."""

        def value(part: Any, change: Callable[[Any], Any]) -> Any:
            return _changed(part.constant if part.index < 0 else told.get(part.index), change)

        if site.kind in ("operator", "in place"):
            run = _FUNCTIONS[site.operation]
            return lambda change: run(*(value(p, change) for p in site.parts))
        module = str(getattr(function, "__module__", None) or type(function).__module__)
        known = (
            module.partition(".")[0] in ("numpy", "jax", "jaxlib", "latticework") or type(function).__name__ == "ufunc"
        )
        if not known or "random" in module or any(p.name in ("out", "**") for p in site.parts):
            return None

        def again(change: Callable[[Any], Any]) -> Any:
            given = [(p, value(p, change)) for p in site.parts if not p.name]
            by_position = [y for p, x in given for y in (x if p.starred else (x,))]
            by_name = {p.name: value(p, change) for p in site.parts if p.name}
            bound = getattr(function, "__self__", None)
            called = function
            if bound is not None and change(bound) is not bound:
                called = getattr(change(bound), function.__name__)
            return called(*by_position, **by_name)

        return again


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "divide": operator.truediv,
    "floor_divide": operator.floordiv, "remainder": operator.mod, "pow": operator.pow, "matmul": operator.matmul,
}  # fmt: skip


def _changed(x: Any, change: Callable[[Any], Any]) -> Any:
    new = change(x)
    if new is x and type(x) in (list, tuple):
        return type(x)(_changed(y, change) for y in x)
    return new


def _places(place: Place | None, count: int) -> list[Place | None]:
    """Return the places of the arrays that an argument has: its own, or those of the elements of a list."""
    if count == 1 or place is None:
        return [place] * count
    node = node_at(place)
    elements = node.elts if isinstance(node, (ast.List, ast.Tuple)) else []
    return [span_of(e, place.file) for e in elements] if len(elements) == count else [None] * count


def _bound_place(place: Place) -> Place | None:
    """Return the place of the object whose method is called."""
    node = node_at(place)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return span_of(node.func.value, place.file)
    return None


def _by_line(code: CodeType | None) -> dict[Any, list[CodeType]] | None:
    """Return the code objects in a module's, by their name and first line."""
    if code is None:
        return None
    found: dict[Any, list[CodeType]] = {}
    waiting = [code]
    while waiting:
        for constant in waiting.pop().co_consts:
            if isinstance(constant, CodeType):
                found.setdefault((constant.co_qualname, constant.co_firstlineno), []).append(constant)
                waiting.append(constant)
    return found
