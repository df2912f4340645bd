"""Arrays without data: every function gives the dtypes, shapes and errors that it gives on arrays with data."""

from __future__ import annotations

import math
import operator
import sys
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_key_reader import shapes_and_keys
from test_shapes import CALLS, DIFFERENCES, PLANNED, call_of
from test_shapes import Call as Shapes
from test_shapes import Spec as OfShape

import latticework as lw
from latticework.api.inference import Spec
from latticework.contents import CHAPTERS
from latticework.core.dtypes import category
from latticework.core.registry import OPS
from latticework.engine.array import Array
from latticework.errors import NoDataError
from latticework.support import samples

RULES = ("unified", "strict", "numpy", "torch", "jax")


class Case(NamedTuple):
    """A call, with a `Spec` in the place of each array."""

    function: Callable[..., Any]
    args: tuple[Any, ...] = ()
    kw: dict[str, Any] = {}  # noqa: RUF012 - nothing writes to it


def case(function: Callable[..., Any], *args: Any, **kw: Any) -> Case:
    return Case(function, args, kw)


# --- with data and without ------------------------------------------------------------------------------------------


def mapped(tree: Any, kinds: tuple[type, ...], change: Callable[[Any], Any]) -> Any:
    """A copy of lists, tuples and dicts, with what is of these types changed."""
    if isinstance(tree, kinds):
        return change(tree)
    if isinstance(tree, dict):
        return {key: mapped(x, kinds, change) for key, x in tree.items()}
    if isinstance(tree, (list, tuple)):
        parts = [mapped(x, kinds, change) for x in tree]
        return type(tree)(*parts) if hasattr(tree, "_fields") else type(tree)(parts)
    return tree


def with_data(spec: Spec) -> lw.Array:
    """An array that no function refuses for its values: floating matrices have an inverse, integers are positions."""
    shape: Any = spec.shape
    if spec.dtype.kind in "iu":
        x = lw.zeros(shape, dtype=spec.dtype)
    elif len(shape) < 2:
        x = lw.ones(shape, dtype=spec.dtype)
    else:
        x = lw.asarray(lw.broadcast_to(lw.eye(*shape[-2:], dtype=spec.dtype), shape), copy=True)
    if spec.weak:
        x._sig = x._sig.weakly
    return x


def described(tree: Any) -> Any:
    """A result, with the dtype and shape of each array in its place."""
    return mapped(tree, (Array,), lambda x: Spec(x.shape, x.dtype, x.weak))


def attempt(call: Callable[[], Any]) -> Any:
    """What a call gives, or the error that it raises."""
    try:
        with warnings.catch_warnings(action="ignore"):
            return call()
    except Exception as error:
        return error


def computed(call: Case) -> Any:
    """What a call gives on arrays with data."""
    args, kw = mapped((call.args, call.kw), (Spec,), with_data)
    return attempt(lambda: described(call.function(*args, **kw)))


def traced(call: Case) -> Any:
    """What a call gives on JAX's tracers: as `computed`, without a kernel that has to be compiled."""
    import jax

    specs: list[Spec] = []
    mapped((call.args, call.kw), (Spec,), specs.append)
    result: list[Any] = []

    def run(*native: Any) -> int:
        arrays = iter(native)

        def of(spec: Spec) -> lw.Array:
            x = lw.asarray(next(arrays))
            return x if not spec.weak else lw.Array.__copy__(x)

        args, kw = mapped((call.args, call.kw), (Spec,), of)
        result.append(described(call.function(*args, **kw)))
        return 0

    found = attempt(lambda: jax.eval_shape(run, *[jax.ShapeDtypeStruct(s.shape, str(s.dtype)) for s in specs]))
    return result[0] if result else found


def inferred(call: Case, backend: str | None) -> Any:
    """What a call gives on arrays without data."""
    return attempt(lambda: lw.infer(call.function, *call.args, backend=backend, **call.kw))


def agrees(found: Any, expected: Any) -> bool:
    """Whether what is inferred is what is computed: None stands for any extent."""
    if isinstance(expected, Exception) or isinstance(found, Exception):
        return type(found) is type(expected) and (found.args == expected.args or not worded(expected))
    if isinstance(expected, Spec):
        return isinstance(found, Spec) and (found.dtype, found.weak) == (expected.dtype, expected.weak) and fits(
            found.shape, expected.shape
        )
    if isinstance(expected, (list, tuple)):
        return type(found) is type(expected) and len(found) == len(expected) and all(map(agrees, found, expected))
    if isinstance(expected, dict):
        return found.keys() == expected.keys() and all(agrees(found[k], x) for k, x in expected.items())
    return bool(found == expected) and type(found) is type(expected)


def fits(shape: tuple[int | None, ...], other: tuple[int | None, ...]) -> bool:
    return len(shape) == len(other) and all(m == n or m is None for m, n in zip(shape, other, strict=True))


def worded(error: Exception) -> bool:
    """Whether the words of an error are ours, and not those of a framework."""
    return " Got " not in str(error)


def compare(call: Case, backend: str, *, by_value: bool = False) -> None:
    """Assert that a call gives the same with data and without. `by_value`: whether JAX needs values for it."""
    run = traced if backend == "jax" and not by_value else computed
    expected, found = run(call), inferred(call, backend)
    assert agrees(found, expected), f"{name_of(call)}\nwithout data: {found!r}\nwith data:    {expected!r}"


def name_of(call: Case) -> str:
    name = getattr(call.function, "__name__", str(call.function))
    return f"{name}{mapped((call.args, call.kw), (Spec,), str)}"


# --- every function, on every dtype ----------------------------------------------------------------------------------

#: Functions whose results have extents that values decide, which JAX does not trace.
BY_VALUE = frozenset("nonzero repeat unique_all unique_counts unique_inverse unique_values".split())
#: Functions that JAX traces in complex numbers and does not compile.
COMPILED = frozenset(("argmax", "argmin"))
#: Functions that give a Python bool, which is a value.
GIVE_VALUES = frozenset(("allclose", "array_equal"))


def sampled(name: str, dtype: lw.Dtype) -> tuple[Callable[..., Any], list[lw.Array]]:
    """A function of a list of arrays that calls a function of ours on samples, and these arrays, on NumPy."""
    arrays: list[lw.Array] = []
    call = samples.call_of(name)

    def collect(values: Any, dtype: lw.Dtype) -> lw.Array:
        arrays.append(lw.asarray(values, dtype=dtype, backend="numpy"))
        return arrays[-1]

    with lw.using(backend="numpy"):
        attempt(lambda: call(collect, dtype))

    def again(arrays: list[lw.Array]) -> Any:
        taken = iter(arrays)
        return call(lambda values, dtype: next(taken), dtype)

    again.__name__ = f"{name} {dtype}"
    return again, arrays


def compare_dtypes(name: str, backend: str, dtypes: tuple[lw.Dtype, ...]) -> None:
    for dtype in dtypes:
        function, arrays = sampled(name, dtype)
        specs = [Spec(x.shape, x.dtype) for x in arrays]
        found = inferred(Case(function, (specs,)), backend)
        if backend == "jax" and name not in BY_VALUE and not (name in COMPILED and dtype.kind == "c"):
            expected = traced(Case(function, (specs,)))
        else:
            given = [lw.asarray(x, backend=backend) for x in arrays]
            expected = attempt(partial(lambda f, given: described(f(given)), function, given))
        if name in GIVE_VALUES and isinstance(found, NoDataError):
            assert not isinstance(expected, TypeError)
        else:
            assert agrees(found, expected), (name, dtype, found, expected)


@pytest.mark.parametrize("rules", RULES)
def test_every_function_on_every_dtype(rules: str, backend: str) -> None:
    """All functions and dtypes, on JAX and Dask under our own rules and those of two frameworks."""
    if backend in ("jax", "dask", "tensorflow") and rules in ("strict", "torch"):
        pytest.skip("in the sweep")
    with lw.using(rules=rules):
        for name in samples.names():
            few = backend == "jax" and name in BY_VALUE
            compare_dtypes(name, backend, (lw.float32,) if few else lw.all_dtypes)


# --- shapes -----------------------------------------------------------------------------------------------------------


def as_case(name: str, shapes: Shapes, dtype: lw.Dtype) -> Case:
    """A call of the table of shapes as a call on arrays of a dtype, with positions where the function takes them."""
    o = OPS[name]
    roles = o.roles(len(shapes.operands))

    def spec(x: OfShape, place: int) -> Spec:
        position = roles[place : place + 1] == ("index",) or (place == -1 and name == "searchsorted")
        return Spec(x.shape, lw.int64 if position else lw.bool if roles[place : place + 1] == ("bool",) else dtype)

    operands, args, kw = shapes.with_arrays(spec)
    if name == "_einsum":  # which takes the letters that `einsum` finds
        return Case(lw.einsum, (kw["subscripts"], *operands))
    function = getattr(sys.modules[o.function.__module__], o.function.__name__)
    return Case(function, (list(operands), *args) if o.sequence and not o.spread else (*operands, *args), kw)


@pytest.mark.parametrize("name", PLANNED)
def test_every_shape(name: str, backend: str) -> None:
    compare_shapes(name, backend, {"numpy": 60, "torch": 20}.get(backend, 5))


def compare_shapes(name: str, backend: str, examples: int, rules: tuple[str, ...] = ("unified",)) -> None:
    differences = [d for d in DIFFERENCES if d.name == name and backend in d.backends.split()]
    dtypes = category(OPS[name].accepts) if rules == ("unified",) else lw.all_dtypes

    @settings(max_examples=examples if name in CALLS else max(examples // 3, 1), deadline=None)
    @given(data=st.data())
    def check(data: Any) -> None:
        shapes = call_of(name, data.draw)
        if any(d.applies(shapes) for d in differences):
            return
        with lw.using(rules=data.draw(st.sampled_from(rules))):
            compare(as_case(name, shapes, data.draw(st.sampled_from(dtypes))), backend, by_value=name in BY_VALUE)

    check()
