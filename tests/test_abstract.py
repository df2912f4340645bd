"""Arrays without data: every function gives the dtypes, shapes and errors that it gives on arrays with data."""

# ruff: noqa: PLW0108 - programs are lambdas, though one calls a single function

from __future__ import annotations

import math
import operator
import re
import sys
import time
import tracemalloc
import warnings
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pytest
from cases import EXHAUSTIVE, examples, in_turn
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
from latticework.core.registry import ALIASES, OPS
from latticework.engine.arrays.array import Array, wrapped
from latticework.errors import LinAlgError, NoDataError
from latticework.promotion import RULES as RULE_SETS
from latticework.support import samples

#: The line that an error names at its end.
LINE = re.compile(r" \(\S+:\d+\)$")

RULES = ("unified", "strict", "numpy", "torch", "jax")


class Case(NamedTuple):
    """A call, with a `Spec` in the place of each array."""

    function: Callable[..., Any]
    args: tuple[Any, ...] = ()
    kw: dict[str, Any] = {}  # noqa: RUF012 - nothing writes to it


def case(function: Callable[..., Any], *args: Any, **kw: Any) -> Case:
    return Case(function, args, kw)


# --- with data and without --------------------------------------------------------------------------------------------


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
    with lw.using(rules="unified"):  # some have no complex numbers
        if spec.dtype.kind in "iu":
            x = lw.zeros(shape, dtype=spec.dtype)
        elif len(shape) < 2:
            x = lw.ones(shape, dtype=spec.dtype)
        else:
            x = lw.asarray(lw.broadcast_to(lw.eye(*shape[-2:], dtype=spec.dtype), shape), copy=True)
    return wrapped(x._data, x._sig.weakly) if spec.weak else x


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
            return wrapped(x._data, x._sig.weakly) if spec.weak else x

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
        same = LINE.sub("", str(found)) == LINE.sub("", str(expected))
        return type(found) is type(expected) and (same or not worded(expected))
    if isinstance(expected, Spec):
        return (
            isinstance(found, Spec)
            and (found.dtype, found.weak) == (expected.dtype, expected.weak)
            and fits(found.shape, expected.shape)
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
    if isinstance(expected, LinAlgError):
        return  # a matrix is singular by its values
    assert agrees(found, expected), f"{name_of(call)}\nwithout data: {found!r}\nwith data:    {expected!r}"


def name_of(call: Case) -> str:
    name = getattr(call.function, "__name__", str(call.function))
    return f"{name}{mapped((call.args, call.kw), (Spec,), str)}"


# --- every function, on every dtype -----------------------------------------------------------------------------------

#: Functions whose results have extents that values decide, which JAX does not trace.
BY_VALUE = frozenset(
    """
    nonzero repeat unique_all unique_counts unique_inverse unique_values
    argwhere bincount compress extract flatnonzero intersect1d ix_ linalg.null_space linalg.orth setdiff1d setxor1d
    union1d unique
    """.split()
)
#: Functions that JAX traces in complex numbers and does not compile.
COMPILED = frozenset(("argmax", "argmin"))
#: Rules that look at the values of arrays without axes, which samples have.
BY_VALUES = frozenset(name for name in lw.rule_names() if "value" in RULE_SETS[name].needs)
#: Functions that give a Python bool, which is a value.
GIVE_VALUES = frozenset(("allclose", "array_equal", "roots", "trim_zeros"))


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


def compare_dtypes(name: str, backend: str, dtypes: Iterable[lw.Dtype]) -> None:
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
            assert type(expected) is not TypeError
        else:
            assert agrees(found, expected), (name, dtype, found, expected)


def rules_on(backend: str) -> tuple[str, ...]:
    """The rule sets that are compared on a backend; the sweep compares all of them on each."""
    return {"numpy": RULES, "torch": ("unified", "torch")}.get(backend, ("unified",))


def test_every_function_on_every_dtype(backend: str) -> None:
    for rules in rules_on(backend):
        with lw.using(rules=rules):
            for name in samples.names():
                few = backend == "jax" and name in BY_VALUE
                compare_dtypes(name, backend, (lw.float32,) if few else in_turn(lw.all_dtypes, 4, name, rules, backend))


@pytest.mark.sweep
@pytest.mark.parametrize("rules", [r for r in lw.rule_names() if r not in BY_VALUES])
def test_every_function_on_every_dtype_by_every_rules(rules: str, backend: str) -> None:
    with lw.using(rules=rules):
        for name in samples.names():
            compare_dtypes(name, backend, lw.all_dtypes)


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
    examples = {"numpy": 30, "torch": 10}.get(backend, 4)
    compare_shapes(name, backend, examples if EXHAUSTIVE else max(examples // 3, 2))


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


@pytest.mark.sweep
@pytest.mark.parametrize("name", PLANNED)
def test_every_shape_by_every_rules(name: str, backend: str) -> None:
    compare_shapes(name, backend, {"numpy": 400, "torch": 200}.get(backend, 40), RULES)


# --- functions that are composed, and what is no array ----------------------------------------------------------------


def s(*shape: int | None, dtype: str = "float32", weak: bool = False) -> Spec:
    return lw.spec(shape, dtype, weak=weak)


X, N, B, Z = s(2, 3), s(2, 3, dtype="int8"), s(2, 3, dtype="bool"), s(2, 3, dtype="complex64")
V, P = s(3), s(4, dtype="int64")

CASES: dict[str, list[Case]] = {
    "asarray": [
        case(lw.asarray, X), case(lw.asarray, X, dtype="int8"), case(lw.asarray, X, copy=True),
        case(lw.asarray, [V, V]), case(lw.asarray, [s(), 1.5, 2]), case(lw.asarray, [V, s(2)]), case(lw.asarray, 1.5),
        case(lw.asarray, [[1, 2], [3, 4]]), case(lw.asarray, [[1], [2, 3]]), case(lw.asarray, 300, dtype="uint8"),
        case(lw.asarray, [300], dtype="uint8"), case(lw.asarray, [1j], dtype="int8"), case(lw.asarray, "text"),
        case(lw.asarray, np.zeros((2, 1))), case(lw.asarray, Z, dtype="float32"), case(lw.asarray, []),
    ],
    "array": [case(lw.array, X), case(lw.array, X, dtype=lw.float64), case(lw.array, [1, True])],
    "astype": [
        *[case(lw.astype, x, d) for x in (X, N, B, Z) for d in lw.all_dtypes], case(lw.astype, X, "no dtype"),
        case(lw.astype, X, lw.float32, copy=False), case(lw.astype, 1.0, lw.float32), case(lw.astype, X, [1]),
    ],
    "from_dlpack": [case(lw.from_dlpack, X), case(lw.from_dlpack, 1)],
    "full": [
        case(lw.full, (2, 3), 1), case(lw.full, 2, True), case(lw.full, (), 1j), case(lw.full, (2,), 1.5, dtype="int8"),
        case(lw.full, (2, 3), V), case(lw.full, (3, 2), V), case(lw.full, (2,), 300, dtype="uint8"),
        case(lw.full, (2, 3), V, dtype="float64"), case(lw.full, (2,), 2**40), case(lw.full, (2, -1), 1),
    ],
    "full_like": [
        case(lw.full_like, X, 1), case(lw.full_like, N, 1.5), case(lw.full_like, N, 300), case(lw.full_like, X, V),
        case(lw.full_like, X, 1, dtype="int16"), case(lw.full_like, 1.0, 1),
    ],
    **{
        f"{name}_like": [case(f, X), case(f, N, dtype="float64"), case(f, s()), case(f, s(dtype="int8", weak=True))]
        for name, f in (("empty", lw.empty_like), ("ones", lw.ones_like), ("zeros", lw.zeros_like))
    },
    "arange": [
        case(lw.arange, 5), case(lw.arange, 1, 5), case(lw.arange, 1.5), case(lw.arange, 5, 1, -2),
        case(lw.arange, 5, dtype="float16"), case(lw.arange, 300, dtype="uint8"), case(lw.arange, 0, 5, 0),
        case(lw.arange, math.inf), case(lw.arange, True), case(lw.arange, 1j),
        case(lw.arange, 3, dtype="complex64"), case(lw.arange, 3.5, dtype="int8"),
    ],
    "linspace": [
        case(lw.linspace, 0, 1, 5), case(lw.linspace, 0, 1j, 5), case(lw.linspace, 0, 1, 5, dtype="int8"),
        case(lw.linspace, 0, 1, -1), case(lw.linspace, 0, 1, 0), case(lw.linspace, 0, 1, 3, endpoint=False),
        case(lw.linspace, 0, 1j, 3, dtype="float32"), case(lw.linspace, 0, 1, 3, dtype="bfloat16"),
    ],
    "eye": [case(lw.eye, 3), case(lw.eye, 3, 2, dtype="int8"), case(lw.eye, 3, k=1, dtype="bool")],
    "meshgrid": [
        case(lw.meshgrid), case(lw.meshgrid, V), case(lw.meshgrid, V, P), case(lw.meshgrid, V, P, indexing="ij"),
        case(lw.meshgrid, V, X), case(lw.meshgrid, V, indexing="other"), case(lw.meshgrid, s(), V, s(0)),
    ],
    "broadcast_arrays": [
        case(lw.broadcast_arrays, X, V), case(lw.broadcast_arrays, X, s(2)), case(lw.broadcast_arrays),
        case(lw.broadcast_arrays, N, s(1, 3, dtype="bool"), s()),
    ],
    "broadcast_shapes": [
        case(lw.broadcast_shapes, (2, 1), (3,)), case(lw.broadcast_shapes, (2,), (3,)), case(lw.broadcast_shapes),
    ],
    "transpose": [
        case(lw.transpose, s(2, 3, 4)), case(lw.transpose, X, (1, 0)), case(lw.transpose, X, (0, 0)),
        case(lw.transpose, X, (0, 2)), case(lw.transpose, s()),
    ],
    "swapaxes": [case(lw.swapaxes, s(2, 3, 4), 0, -1), case(lw.swapaxes, X, 0, 2), case(lw.swapaxes, V, 0, 0)],
    "ravel": [case(lw.ravel, X), case(lw.ravel, s()), case(lw.ravel, X, "F"), case(lw.ravel, X, "other")],
    "atleast_1d": [case(lw.atleast_1d, s()), case(lw.atleast_1d, X, s())],
    "atleast_2d": [case(lw.atleast_2d, s()), case(lw.atleast_2d, V, X), case(lw.atleast_2d)],
    "atleast_3d": [case(lw.atleast_3d, s()), case(lw.atleast_3d, V), case(lw.atleast_3d, X), case(lw.atleast_3d, s(0))],
    "flipud": [case(lw.flipud, X), case(lw.flipud, s())],
    "fliplr": [case(lw.fliplr, X), case(lw.fliplr, V)],
    "concatenate": [
        case(lw.concatenate, [X, N]), case(lw.concatenate, [X, V]), case(lw.concatenate, [X, X], 1),
        case(lw.concatenate, [X, V], None), case(lw.concatenate, []), case(lw.concatenate, X),
    ],
    "split": [
        case(lw.split, X, 2), case(lw.split, X, 2, 1), case(lw.split, X, 3, -1), case(lw.split, X, [1]),
        case(lw.split, X, 2, 2), case(lw.split, X, 0), case(lw.split, s(7), (2, 2, 9)),
    ],
    "array_split": [
        case(lw.array_split, X, 2, 1), case(lw.array_split, X, 5), case(lw.array_split, X, 0),
        case(lw.array_split, s(7), 3), case(lw.array_split, s(), 3),
    ],
    "pad": [
        case(lw.pad, X, 1), case(lw.pad, X, ((1, 2), (0, 3))), case(lw.pad, X, (1, 2), "edge"),
        case(lw.pad, X, (1, 0), "reflect"), case(lw.pad, X, 2, "wrap"), case(lw.pad, X, 2, "symmetric"),
        case(lw.pad, X, 1, "other"), case(lw.pad, X, -1), case(lw.pad, X, ((1, 2),) * 3), case(lw.pad, s(0), 1, "edge"),
        case(lw.pad, N, 1, constant_values=((1, 2), (3, 4))), case(lw.pad, N, 1, constant_values=300),
        case(lw.pad, s(), 1),
        case(lw.pad, X, 0), case(lw.pad, X, 0, "edge"),
    ],
    "amax": [case(lw.amax, X, 0), case(lw.amax, s(0)), case(lw.amax, X, 1, keepdims=True), case(lw.amax, Z)],
    "amin": [case(lw.amin, X, 0), case(lw.amin, X, 2)],
    "cumsum": [case(lw.cumsum, X), case(lw.cumsum, N, 1), case(lw.cumsum, X, 2), case(lw.cumsum, N, dtype="float64")],
    "cumprod": [case(lw.cumprod, X), case(lw.cumprod, N, -1), case(lw.cumprod, Z, 0, dtype="float32")],
    "nan_to_num": [
        *[case(lw.nan_to_num, x) for x in (X, N, B, Z)], case(lw.nan_to_num, Z, nan=1.5, posinf=math.inf),
        case(lw.nan_to_num, X, copy=False), case(lw.nan_to_num, N, copy=False),
    ],
    "isclose": [
        case(lw.isclose, X, N), case(lw.isclose, N, N), case(lw.isclose, X, 1.5), case(lw.isclose, X, s(2)),
        case(lw.isclose, Z, X, equal_nan=True), case(lw.isclose, 1.0, 2.0), case(lw.isclose, B, B),
    ],
    "array_equal": [case(lw.array_equal, X, V)],
    "dot": [
        case(lw.dot, X, V), case(lw.dot, X, s()), case(lw.dot, s(2, 3), s(3, 4)), case(lw.dot, s(2, 3), s(5, 3, 4)),
        case(lw.dot, X, X), case(lw.dot, N, V), case(lw.dot, B, B), case(lw.dot, s(2, 3), s(5, 2, 4)),
    ],
    "einsum": [
        case(lw.einsum, "ij,j->i", X, V), case(lw.einsum, "ij->ji", N), case(lw.einsum, "ij,j", X, s(2)),
        case(lw.einsum, "ii", s(3, 3)), case(lw.einsum, "i,i,i->i", V, V, V), case(lw.einsum, "...j,j", s(5, 2, 3), V),
        case(lw.einsum, "ij,j->k", X, V), case(lw.einsum, ",i", 2.5, N), case(lw.einsum, "i"),
        case(lw.einsum, "ij,jk,kl->il", X, s(3, 4), s(4, 5)), case(lw.einsum, "i,j->ij", B, B),
    ],
    "clip": [
        case(lw.clip, X, 0, 1), case(lw.clip, N, -300, 300), case(lw.clip, N, 300, None), case(lw.clip, X, None, V),
        case(lw.clip, X, s(2), 1), case(lw.clip, Z, 0, 1), case(lw.clip, N, 0.5, None), case(lw.clip, X),
        case(lw.clip, 1, 0),
    ],
    "around": [case(lw.around, X), case(lw.around, X, decimals=2), case(lw.around, N, decimals=-1)],
    "diff": [case(lw.diff, X, prepend=s(2, 1)), case(lw.diff, X, append=V), case(lw.diff, X, n=2, append=s(2, 2))],
    "searchsorted": [
        case(lw.searchsorted, V, X), case(lw.searchsorted, V, 1.0), case(lw.searchsorted, X, V),
        case(lw.searchsorted, V, X, side="right", sorter=s(3, dtype="int64")),
        case(lw.searchsorted, V, X, side="middle"),
        case(lw.searchsorted, V, X, sorter=V),
        case(lw.searchsorted, s(0, dtype="complex64"), 1.0, sorter=s(dtype="int64")),
    ],
    "where": [case(lw.where, B, X, 1.5), case(lw.where, B, 1, 2), case(lw.where, B, X, s(2)), case(lw.where, X, X, X)],
    "isin": [case(lw.isin, X, N), case(lw.isin, N, 3), case(lw.isin, 3, N, invert=True), case(lw.isin, N, 300)],
    "take": [case(lw.take, X, P, axis=0), case(lw.take, X, P), case(lw.take, X, s(2), axis=0),
    case(lw.take, V, s(2, 2, dtype="uint8"))],
    "repeat": [case(lw.repeat, X, 2), case(lw.repeat, X, 2, axis=1), case(lw.repeat, X, -1), case(lw.repeat, X, 1.5)],
    "prod": [case(lw.prod, N, dtype="float64"), case(lw.prod, B), case(lw.prod, Z, dtype="float32")],
    "sum": [
        case(lw.sum, X, dtype="int8"), case(lw.sum, B, dtype="bool"), case(lw.sum, N, axis=(0, 1), keepdims=True),
        case(lw.sum, X, axis=2), case(lw.sum, X, axes=0), case(lw.sum, [1, 2]), case(lw.sum, X, dtype="no dtype"),
    ],
    "trace": [case(lw.linalg.trace, N), case(lw.linalg.trace, X, dtype="float64"), case(lw.linalg.trace, B)],
    "matrix_power": [case(lw.linalg.matrix_power, s(3, 3), -2), case(lw.linalg.matrix_power, X, 2),
    case(lw.linalg.matrix_power, s(3, 3), 1.5)],
    "lu_solve": [
        case(lw.linalg.lu_solve, (s(3, 3), s(3, dtype="int32")), s(3)), case(lw.linalg.lu_solve, X, V),
        case(lw.linalg.lu_solve, (s(3, 3), s(3, dtype="int32")), X),
    ],
    "fftfreq": [
        case(lw.fft.fftfreq, 5), case(lw.fft.fftfreq, 5, d=0.5, dtype="float64"), case(lw.fft.rfftfreq, 4),
        case(lw.fft.fftfreq, 0), case(lw.fft.fftfreq, 3, dtype="int8"), case(lw.fft.rfftfreq, 3, dtype="complex64"),
    ],
    "fftshift": [case(lw.fft.fftshift, X), case(lw.fft.ifftshift, X, axes=(0,)), case(lw.fft.fftshift, X, axes=2)],
    "promote": [
        case(lw.promote_types_of_inputs, X, N), case(lw.promote_types_of_inputs, N, 1.5),
        case(lw.type_promote_arrays, X, Z), case(lw.type_promote_arrays, s(2, dtype="uint64"), P),
    ],
    "about dtypes": [
        case(lw.result_type, X, N), case(lw.result_type, X, 1j), case(lw.promote_types, lw.int8, lw.uint8),
        case(lw.can_cast, N, lw.float32), case(lw.can_cast, X, lw.int8), case(lw.dtype, X), case(lw.dtype, 1.5),
        case(lw.is_float_dtype, X), case(lw.is_int_dtype, X), case(lw.is_uint_dtype, N), case(lw.is_bool_dtype, B),
        case(lw.is_complex_dtype, Z), case(lw.check_float, 1.0), case(lw.default_dtype, item=X), case(lw.default_dtype),
        case(lw.default_float_dtype, item=X), case(lw.default_int_dtype), case(lw.default_uint_dtype),
        case(lw.default_complex_dtype),
        case(lw.isdtype, lw.int8, "integral"), case(lw.valid_dtype, lw.int8), case(lw.invalid_dtype, lw.int8),
        case(lw.closest_valid_dtype, lw.int8),
    ],
}  # fmt: skip

#: Public names whose answers have to do with no array, or with functions and rules.
ABOUT_OTHERS = frozenset(
    """
    e inf nan newaxis pi dtype_bits finfo iinfo current_backend kernel_count plan Spec infer spec as_native_dtype
    __array_namespace_info__ check_laws diff_rules explain Explanation Laws operation_result RuleDifferences to_numpy
    associative_scan checkpoint cond custom_gradient derivative_of fori_loop grad hessian jacfwd jacrev jit jvp map scan
    stop_gradient switch value_and_grad vjp vmap while_loop array_namespace native compile explain_retraces load
    trace
    """.split()
)


@pytest.mark.parametrize("name", CASES)
def test_functions_and_options(name: str, backend: str) -> None:
    for rules in rules_on(backend):
        with lw.using(rules=rules):
            for call in CASES[name]:
                compare(call, backend, by_value=name == "asarray")


@pytest.mark.sweep
@pytest.mark.parametrize("name", CASES)
def test_functions_and_options_by_every_rules(name: str, backend: str) -> None:
    for rules in {*lw.rule_names()} - BY_VALUES:
        with lw.using(rules=rules):
            for call in CASES[name]:
                compare(call, backend, by_value=name == "asarray")


def test_every_public_function_is_compared() -> None:
    names = {name for module, listed in CHAPTERS.items() if module.startswith("api.") for name in listed.split()}
    functions = {call.function for calls in CASES.values() for call in calls}
    functions |= {getattr(sys.modules[OPS[n].function.__module__], OPS[n].function.__name__, None) for n in OPS}
    for space, listed in ((lw, names), *((s, {*s.__all__}) for s in (lw.linalg, lw.fft, lw.nn))):
        for name in listed - ABOUT_OTHERS:
            found = getattr(space, ALIASES.get(name, name))
            assert found in functions or isinstance(found, type), name


# --- operators, methods -----------------------------------------------------------------------------------------------

OPERATORS = [
    operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow,
    operator.matmul, operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift, operator.lt,
    operator.le, operator.gt, operator.ge, operator.eq, operator.ne, divmod,
]  # fmt: skip
IN_PLACE = [
    operator.iadd, operator.isub, operator.imul, operator.itruediv, operator.ifloordiv, operator.imod, operator.ipow,
    operator.iand, operator.ior, operator.ixor, operator.ilshift, operator.irshift,
]  # fmt: skip
UNARY = [operator.neg, operator.pos, operator.abs, operator.invert, round]
SCALARS: list[Any] = [True, 1, -1, 300, 2**40, 2**63, 1.5, 1j, None, "text", [1, 2]]


@pytest.mark.parametrize("rules", RULES)
def test_operators(rules: str, backend: str) -> None:
    dtypes = lw.all_dtypes if backend in ("numpy", "torch") else (lw.bool, lw.int8, lw.uint32, lw.float16, lw.complex64)
    if rules not in rules_on(backend):
        return
    with lw.using(rules=rules):
        for i, dtype in in_turn(enumerate(dtypes), 3, rules, backend):
            x = s(2, 2, dtype=dtype)
            for f in UNARY:
                compare(case(f, x), backend)
            for n, f in enumerate((*OPERATORS, *IN_PLACE)):
                other = dtypes[(i + n) % len(dtypes)]
                compare(case(f, x, s(2, dtype=other)), backend)
                compare(case(f, s(dtype=other), x), backend)
                scalar = SCALARS[(i + n) % len(SCALARS)]
                compare(case(f, x, scalar), backend)
                if f not in IN_PLACE:
                    compare(case(f, scalar, x), backend)
                if rules == "jax" and dtype.kind != "b":
                    compare(case(f, s(2, 2, dtype=dtype, weak=True), s(2, dtype=other)), backend)
        compare(case(operator.add, X, s(2)), backend)
        compare(case(operator.iadd, V, X), backend)


@pytest.mark.sweep
@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("function", [*OPERATORS, *IN_PLACE], ids=lambda f: f.__name__)
def test_operators_of_all_pairs(function: Callable[..., Any], rules: str, backend: str) -> None:
    with lw.using(rules=rules):
        for dtype in lw.all_dtypes:
            for other in lw.all_dtypes:
                compare(case(function, s(2, 2, dtype=dtype), s(2, 2, dtype=other)), backend)
                compare(case(function, s(dtype=dtype), s(2, 2, dtype=other)), backend)
            for scalar in SCALARS:
                # A value refuses it: integers have no negative powers, and 2**63 may wrap to one.
                refused = function in (operator.pow, operator.ipow) and dtype.kind in "biu" and scalar in (-1, 2**63)
                if not refused:
                    compare(case(function, s(2, 2, dtype=dtype), scalar), backend)
                if function not in IN_PLACE:
                    compare(case(function, scalar, s(2, 2, dtype=dtype)), backend)


METHODS: list[Callable[[Any], Any]] = [
    lambda x: x.T, lambda x: x.mT, lambda x: x.real, lambda x: x.imag, lambda x: (x.ndim, x.size, x.shape, x.dtype),
    lambda x: (x.itemsize, x.nbytes, len(x), x.device == "cpu", x.weak), lambda x: [*x], lambda x: x.astype("int8"),
    lambda x: x.reshape(3, -1), lambda x: x.reshape((6,)), lambda x: x.reshape(4), lambda x: x.ravel(),
    lambda x: x.flatten(), lambda x: x.transpose(), lambda x: x.transpose(0, 1), lambda x: x[None].squeeze(),
    lambda x: x.squeeze(0), lambda x: x.swapaxes(0, 1), lambda x: x.take(lw.zeros(2, dtype="int64", device=x.device)),
    lambda x: x.repeat(2), lambda x: x.sum(), lambda x: x.sum(axis=1, dtype="float64", keepdims=True),
    lambda x: x.sum(axis=2), lambda x: x.prod(0), lambda x: x.cumsum(), lambda x: x.cumprod(1), lambda x: x.mean(),
    lambda x: x.mean(dtype="float64"), lambda x: x.std(ddof=1), lambda x: x.var(0), lambda x: x.max(),
    lambda x: x.min(1),
    lambda x: x.any(), lambda x: x.all(axis=0), lambda x: x.argmax(), lambda x: x.argmin(1, keepdims=True),
    lambda x: x.argsort(), lambda x: x.clip(0, 1), lambda x: x.conj(), lambda x: x.round(1), lambda x: x.diagonal(),
    lambda x: x.trace(), lambda x: x.dot(x.T), lambda x: x.copy(), lambda x: x.fill(1), lambda x: x.sum(out=x),
    lambda x: round(x, 1), lambda x: float(x), lambda x: int(x), lambda x: x.item(), lambda x: f"{x:.2f}", hash,
    lambda x: x.to_device("cpu"), lambda x: x.to_device("nowhere"), lambda x: x.no_such_name, lambda x: x(),
    lambda x: x.__array_namespace__() is lw, lambda x: bool(x), lambda x: range(x), lambda x: "a" in x,
]  # fmt: skip


def test_methods(backend: str) -> None:
    dtypes = lw.all_dtypes if backend == "numpy" else (lw.bool, lw.int8, lw.uint16, lw.float32, lw.complex64)
    for method in METHODS:
        for dtype in dtypes:
            compare(case(method, s(2, 3, dtype=dtype)), backend)
    compare(case(lambda x: x.nonzero(), X), backend, by_value=True)


# --- keys -------------------------------------------------------------------------------------------------------------


def as_specs(key: Any) -> Any:
    """A key with its index arrays as arrays of latticework, on NumPy."""
    return mapped(key, (np.ndarray,), lambda k: lw.asarray(k, backend="numpy"))


def read(x: lw.Array, key: Any) -> lw.Array:
    return x[moved(key, x)]


def write(x: lw.Array, key: Any, value: Any) -> lw.Array:
    x[moved(key, x)] = value
    return x


def moved(key: Any, x: lw.Array) -> Any:
    return mapped(key, (Array,), lambda k: lw.asarray(k, backend=x.backend))


def selects(key: Any) -> bool:
    """Whether a key has index arrays, whose values decide."""
    return any(isinstance(k, (Array, list)) for k in (key if isinstance(key, tuple) else (key,)))


def in_bounds(x: tuple[int, ...], key: Any) -> bool:
    """Whether it is not the values of an index array that a key is refused for."""
    from latticework.engine.keys.reading import IndexArray, read_key

    def describe(k: Any, values: bool) -> IndexArray | None:
        if not isinstance(k, np.ndarray):
            return None
        kind = "b" if k.dtype == bool else "i"
        return IndexArray(k.shape, kind, k, lambda: (k.min(), k.max()) if k.size else None, lambda: int(k.sum()))

    try:
        read_key(x, key, lambda k: describe(k, False))
    except (IndexError, ValueError):
        return True
    try:
        read_key(x, key, lambda k: describe(k, True), values=True, count=True)
    except (IndexError, ValueError):
        return False
    return True


@pytest.mark.parametrize("assign", [False, True])
def test_keys(assign: bool, backend: str) -> None:
    @settings(max_examples={"numpy": 300, "torch": 100}.get(backend, 30), deadline=None)
    @given(shapes_and_keys(), st.data())
    def check(found: tuple[tuple[int, ...], Any], data: Any) -> None:
        shape, key = found
        if not in_bounds(shape, key):
            return
        x, key = s(*shape), as_specs(key)
        if not assign:
            compare(case(read, x, key), backend, by_value=selects(key))
            return
        value = data.draw(
            st.sampled_from([1, 1.5, 1j, 2**70, "text", [1, 2], s(), N, s(1), s(2), s(dtype="float64"), s(2, 3)])
        )
        if selects(key) and isinstance(inferred(case(read, x, key), backend), Spec):
            selected = inferred(case(read, x, key), backend).shape
            if None in selected and isinstance(value, (Spec, list)) and value not in (s(), s(1)):
                return  # how many elements a mask selects decides whether the value fits
        compare(case(write, x, key, value), backend, by_value=selects(key))

    check()


@pytest.mark.parametrize(
    "key", [1.5, "0", 2, -3, (0, 0, 0), (..., ...), slice(None, None, 0), [0, 5], V, slice(0.5), [[0, 1]], []]
)
def test_keys_that_do_not_fit(key: Any, backend: str) -> None:
    compare(case(lambda x, key: x[key], X, key), backend, by_value=True)


# --- sizes ------------------------------------------------------------------------------------------------------------

#: Functions whose samples have a shape among their arguments, or extents that are multiples of others, are of integers
#: alone, or give an array for each index.
OF_ONE_SHAPE = frozenset(
    """
    broadcast_to dsplit histogramdd hsplit lexsort reshape setitem unstack vsplit
    linalg.eigh_tridiagonal linalg.lu_solve
    """.split()
)
OF_ONE_SHAPE |= {f"nn.{name}" for name in "gru_cell layer_norm lstm_cell multi_hot one_hot rms_norm".split()}
#: Functions whose samples do not fit together any more when each is huge.
OF_FITTING_SHAPES = frozenset("split array_split bincount nn.affine_grid nn.fold scatter_nd signal.istft".split())
#: Extents of 10**12 elements and more, for samples whose extents are 3 and more.
HUGE = 10**6


def stretched(x: lw.Array, name: str) -> Spec:
    """The dtype and shape of a sample with its extents of 3 made huge."""
    if name in ("linalg.cross", "cross"):
        return Spec((HUGE, HUGE, 3), x.dtype)
    return Spec(tuple([{1: 1, 2: 2}.get(n, HUGE) for n in x.shape]), x.dtype)


@pytest.mark.parametrize("name", [n for n in samples.names() if n not in GIVE_VALUES | OF_ONE_SHAPE])
def test_huge_arrays_cost_nothing(name: str) -> None:
    dtype = next(
        (d for d in (lw.float32, lw.int32, lw.complex64, lw.bool) if d in category(OPS[name].accepts)), lw.float32
    )
    function, arrays = sampled(name, dtype)
    specs = [stretched(x, name) for x in arrays]
    inferred(Case(function, ([Spec(x.shape, x.dtype) for x in arrays],)), None)  # what is made once, is made
    tracemalloc.start()
    start = time.process_time()
    found = inferred(Case(function, (specs,)), None)
    took, (_, peak) = time.process_time() - start, tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert not isinstance(found, Exception) or name in OF_FITTING_SHAPES, found
    assert took < 1
    assert peak < 2**20


def test_huge_results() -> None:
    assert lw.infer(lw.zeros, (10**6, 10**6)) == lw.spec((10**6, 10**6))
    assert lw.infer(lambda: lw.arange(10**12, dtype="int64")) == lw.spec(10**12, "int64")
    assert lw.infer(lw.linspace, 0, 1, 10**12) == lw.spec(10**12)
    x = lw.spec((10**6, 10**6), "float16")
    assert lw.infer(lambda x: lw.pad(x[::2] @ x.T, 1), x) == lw.spec((5 * 10**5 + 2, 10**6 + 2), "float16")
    assert lw.infer(lambda x: (x.size, x.nbytes), x) == (10**12, 2 * 10**12)


# --- extents that are not known ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", [n for n in CASES if n not in ("about dtypes", "arange", "linspace", "eye", "fftfreq")]
)
def test_unknown_extents_stand_for_any(name: str) -> None:
    """What is inferred of unknown extents is what is inferred of known ones, or says that an extent has to be known."""
    for call in CASES[name]:
        exact = inferred(call, None)
        if isinstance(exact, Exception):
            continue
        args, kw = mapped((call.args, call.kw), (Spec,), lambda x: x._replace(shape=(None,) * len(x.shape)))
        found = inferred(Case(call.function, args, kw), None)
        if isinstance(found, Exception):
            assert isinstance(found, ValueError), (name_of(call), found)
            assert "not known" in str(found), (name_of(call), found)
        else:
            assert agrees(found, exact), (name_of(call), found, exact)


def test_unknown_extents_are_carried() -> None:
    """The extents that a program's results share with its arguments, and those that values decide."""
    x = lw.spec((None, 64), "float16")

    def normalise(x: lw.Array) -> lw.Array:
        return (x - lw.mean(x, axis=-1, keepdims=True)) / (lw.std(x, axis=-1, keepdims=True) + 1e-6)

    assert lw.infer(normalise, x) == x
    assert lw.infer(lambda x: x.T @ x, x) == lw.spec((64, 64), "float16")
    assert lw.infer(lambda x: lw.pad(x, ((1, 2), (3, 4))), x) == lw.spec((None, 71), "float16")
    assert lw.infer(lambda x: x[x[:, 0] > 0], x) == x
    assert lw.infer(lambda x: lw.reshape(x, (-1, 8, 8)), x) == lw.spec((None, 8, 8), "float16")
    assert lw.infer(lambda x: lw.concat([x, lw.zeros((2, 64), dtype=x.dtype)]), x) == x
    assert lw.infer(lambda x: lw.zeros_like(x) + lw.ones(x.shape, dtype=x.dtype), x) == x
    assert lw.infer(lambda x: lw.meshgrid(x[:, 0], x[0]), x) == (lw.spec((64, None), "float16"),) * 2
    assert lw.infer(lambda x: lw.einsum("ij,ik->jk", x, x), x) == lw.spec((64, 64), "float16")
    assert lw.infer(lambda x: lw.linalg.vector_norm(x, axis=0), x) == lw.spec((64,), "float16")
    assert lw.infer(lambda x: lw.argmax(x, axis=0) * lw.nonzero(x)[0][0], x) == lw.spec((64,), "int64")
    assert lw.infer(lambda x: (x.size, x.nbytes, x.shape), x) == (None, None, (None, 64))


@settings(max_examples=examples(60), deadline=None)
@given(data=st.data())
def test_programs_of_unknown_extents(data: Any) -> None:
    """A program of several steps on unknown extents gives what it gives on any known ones."""
    steps: list[Callable[[lw.Array], lw.Array]] = [
        lambda x: x + x, lambda x: x - lw.mean(x, axis=0), lambda x: x.mT, lambda x: lw.concat([x, x], axis=-1),
        lambda x: lw.sum(x, axis=0, keepdims=True) * x, lambda x: x[::2], lambda x: x[..., None] * x[:, None, :],
        lambda x: lw.matmul(x, x.mT), lambda x: lw.astype(x, "int8"), lambda x: lw.stack([x, x]), lambda x: lw.sort(x),
        lambda x: lw.where(x > 0, x, 0), lambda x: lw.cumulative_sum(x, axis=-1, include_initial=True),
        lambda x: lw.expand_dims(x, 0), lambda x: lw.flip(x), lambda x: lw.pad(x, 1), lambda x: x[-1:, :],
        lambda x: lw.reshape(x, (-1, 1)), lambda x: lw.tile(x, (2, 1)), lambda x: lw.repeat(x, 3, axis=0),
    ]  # fmt: skip
    chosen = data.draw(st.lists(st.sampled_from(steps), max_size=4))

    def program(x: lw.Array) -> lw.Array:
        for step in chosen:
            x = step(x)
        return x

    shape = data.draw(st.lists(st.integers(1, 4), min_size=2, max_size=3).map(tuple))
    partly = tuple([None if data.draw(st.booleans()) else n for n in shape])
    exact, found = (inferred(case(program, s(*x)), "numpy") for x in (shape, partly))
    assert agrees(exact, computed(case(program, s(*shape)))), (exact, computed(case(program, s(*shape))))
    if not isinstance(exact, Exception):
        assert agrees(found, exact), (found, exact)


# --- programs ---------------------------------------------------------------------------------------------------------


def test_the_demo(backend: str) -> None:
    """All intermediate results of the demo's program, as they are on arrays with data."""
    from latticework.demo import program

    pixels = s(48, 64, dtype="uint8")
    call = case(partial(program.learn, steps=1), pixels, s(48, dtype="int64"))
    with np.errstate(all="ignore"):
        found = inferred(call, backend)
    assert found["accuracy"] == lw.spec(())
    assert found["held out"] == lw.spec(48, "bool")
    assert found["features"].dtype is found["components"].dtype is lw.float32
    assert found["random bits"] == lw.spec(2048, "uint32")
    assert {found[n].shape[0] for n in ("features", "probabilities", "correct")} == {None}


class Layer:
    """A layer that keeps running statistics, as layers of neural networks do."""

    def __init__(self) -> None:
        self.mean, self.calls, self.last = lw.zeros(3), 0, None
        self.cache: list[Any] = []

    def __call__(self, x: lw.Array) -> lw.Array:
        self.mean[...] = 0.5 * self.mean + 0.5 * lw.mean(x, axis=0)
        self.mean += 1
        self.calls += 1
        self.last: Any = x
        self.cache.append(x)
        return x - self.mean


def test_objects_keep_their_state(backend: str) -> None:
    layer = Layer()
    assert lw.infer(layer, s(2, 3)) == s(2, 3)
    assert lw.infer(layer.__call__, s(None, 3)) == s(None, 3)
    assert (layer.calls, layer.last, layer.cache) == (0, None, [])
    assert layer.mean.backend == backend
    assert layer.mean.tolist() == [0, 0, 0]
    with pytest.raises(ValueError, match="do not fit together"):
        lw.infer(layer, s(2, 4))
    assert layer.mean.tolist() == [0, 0, 0]
    assert layer(lw.ones((2, 3))).shape == (2, 3)
    assert layer.calls == 1


def test_trees() -> None:
    def split(batch: dict[str, Any], *, scale: float) -> Any:
        return {"x": batch["x"] * scale, "rest": (batch["pair"][0], [batch["pair"][1]], "text", None)}

    found = lw.infer(split, {"x": s(2), "pair": (N, B)}, scale=2.0)
    assert found == {"x": s(2), "rest": (N, [B], "text", None)}
    assert isinstance(lw.infer(lw.linalg.svd, s(3, 2)), lw.linalg.SVDResult)
    assert lw.infer(lambda: None) is None
    assert str(lw.infer(lw.linalg.svd, s(3, 2)).S) == "float32[2]"


def test_arrays_with_data_beside_arrays_without(backend: str) -> None:
    weights = lw.ones((3, 4), dtype="float64")
    assert lw.infer(lambda x: x @ weights, s(None, 3)) == s(None, 4, dtype="float64")
    assert lw.infer(lambda x: weights @ x, s(4)) == s(3, dtype="float64")
    assert lw.infer(lambda x: lw.concat([weights, x]), s(2, 4)) == s(5, 4, dtype="float64")
    assert lw.infer(lambda x: weights[x], s(5, dtype="int64")) == s(5, 4, dtype="float64")
    assert lw.infer(lambda x: x + np.ones(3), s(3)) == s(3, dtype="float64")
    assert lw.infer(lambda x: lw.add(x, weights.data), s(4)) == s(3, 4, dtype="float64")
    assert lw.infer(lw.add, weights, s(4)) == s(3, 4, dtype="float64")
    assert lw.infer(lambda x: lw.linalg.solve(weights[:, :3], x), s(3)) == s(3, dtype="float64")
    assert weights.tolist() == [[1] * 4] * 3

    def write(x: lw.Array) -> lw.Array:
        weights[0] = x
        return weights

    assert lw.infer(write, s(4)) == s(3, 4, dtype="float64")
    assert weights.tolist() == [[1] * 4] * 3


# --- errors of values -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("program", "words"),
    [
        (lambda x: 1 if lw.sum(x) > 0 else 2, r"bool\[\] .* asks for its value.*lw\.where"),
        (lambda x: float(lw.sum(x)), r"float32\[\] .* asks for its value"),
        (lambda x: lw.max(x).item(), "asks for its value"),
        (lambda x: f"{lw.sum(x):.2f}", "asks for its value"),
        (lambda x: [0] * int(lw.count_nonzero(x)), r"int64\[\]"),
        (lambda x: x.tolist(), r"float32\[2, 3\] .* asks for its elements"),
        (lambda x: np.asarray(x), "asks for its elements"),
        (lambda x: np.from_dlpack(x), "hands it to another framework"),
        (lambda x: lw.asarray(x, backend="numpy"), "asks for its elements"),
        (lambda x: lw.allclose(x, x), "asks for its value"),
        (lambda x: 1.0 in x, "asks for its value"),
        (lambda x: x[lw.argmax(x[0]).item()], "asks for its value"),
        (lambda x: lw.arange(lw.max(x)), "asks for its value"),
        (lambda x: lw.astype(x, "int8", check=True), "asks for its value"),
    ],
)
def test_values_that_are_asked_for(program: Callable[[Any], Any], words: str) -> None:
    with pytest.raises(NoDataError, match=words) as error:
        lw.infer(program, X)
    assert "test_abstract.py:" in str(error.value)  # the line that asks


def test_loops_over_unknown_extents() -> None:
    assert lw.infer(lambda x: [row + 0 for row in x], X) == [V, V]
    for program in (len, lambda x: [*x], lambda x: lw.unstack(x), lambda x: lw.split(x, 2)):
        with pytest.raises((TypeError, ValueError), match="not known"):
            lw.infer(program, s(None, 3))


def test_constants_have_values() -> None:
    """What a program writes as a list has values as long as nothing is computed of it."""
    assert lw.infer(lambda x: x[[True, False]], X) == s(1, 3)
    assert lw.infer(lambda x: x[[1, 0, 0]], X) == s(3, 3)
    with pytest.raises(IndexError, match="index 5 is out of bounds"):
        lw.infer(lambda x: x[[1, 5]], X)

    def written(x: lw.Array) -> Any:
        y = lw.asarray([1, 2])
        y[0] = 5
        return y.tolist()

    with pytest.raises(NoDataError):
        lw.infer(written, X)


def test_how_they_are_shown() -> None:
    assert lw.infer(repr, s(None, 3)) == "Array(<no data>, shape=(None, 3), dtype=float32)"
    assert lw.infer(repr, X, backend="torch" if has("torch") else "numpy").startswith("Array(<no data, as ")
    assert str(s(None, 3, weak=True)) == "weak float32[?, 3]"


def has(name: str) -> bool:
    return any(b.name == name and b.installed for b in lw.backends())


# --- devices, backends, switches --------------------------------------------------------------------------------------


def test_devices(backend: str) -> None:
    call = case(lambda x: (x.to_device("cpu"), lw.zeros(2, device=x.device), lw.asarray([1], device=x.device)), X)
    compare(call, backend)
    compare(case(lambda x: lw.zeros(2, device="nowhere"), X), backend)
    assert lw.infer(lambda x: x.device == "cpu", X, backend=backend)


def test_what_a_backend_does_not_have(backend: str) -> None:
    if backend == "torch":
        assert lw.infer(lambda x: x.to_device("meta"), X, backend="torch").device == "meta"
        with pytest.raises(TypeError, match=r"^linalg.inv: there is no routine for float16.*casting='up'"):
            lw.infer(lw.linalg.inv, s(2, 2, dtype="float16"), backend="torch")
    with lw.using(casting="up"):
        compare(case(lw.linalg.inv, s(2, 2, dtype="float16")), backend)
    compare(case(lw.linalg.inv, s(2, 2, dtype="float16")), backend)
    assert lw.infer(lw.linalg.inv, s(2, 2, dtype="float16")) == s(2, 2, dtype="float16")


def test_unknown_backends() -> None:
    with pytest.raises(ValueError, match="there is no backend 'torhc'; did you mean 'torch'"):
        lw.infer(lw.abs, X, backend="torhc")


def test_the_switch_of_jax() -> None:
    jax = pytest.importorskip("jax")
    for on, index in ((True, lw.int64), (False, lw.int32), (True, lw.int64)):
        with jax.enable_x64(on):
            assert lw.infer(lw.argmax, V, backend="jax") == lw.spec((), index)
            found = inferred(case(lw.add, P, P), "jax")
            assert (found == P) is on
            assert on or "64-bit switch is off" in str(found)


# --- random programs --------------------------------------------------------------------------------------------------


@settings(max_examples=examples(150), deadline=None)
@given(data=st.data())
def test_random_programs(data: Any) -> None:
    """Programs of a few steps, on arrays of any dtypes, under any rules: the same result, or the same error."""
    unary = [lw.abs, lw.sqrt, lw.negative, lw.exp, lw.isnan, lw.any, lw.argmax, lw.linalg.matrix_norm]
    binary = [lw.add, lw.divide, lw.pow, lw.less, lw.bitwise_or, lw.matmul, lw.logical_and, lw.concat, lw.where]
    steps = data.draw(
        st.lists(st.tuples(st.sampled_from(unary + binary), st.integers(0, 9), st.integers(0, 9)), max_size=6)
    )

    def program(*arrays: lw.Array) -> list[Any]:
        values: list[Any] = [*arrays, 2, 1.5]
        for f, i, j in steps:
            x, y = values[i % len(values)], values[j % len(values)]
            if f is lw.concat:
                values.append(lw.concat([x, y]))
            elif f is lw.where:
                values.append(lw.where(lw.astype(x, "bool") if isinstance(x, Array) else x, x, y))
            else:
                values.append(f(x) if f in unary else f(x, y))
        return values

    dtype = st.sampled_from(lw.all_dtypes)
    arrays = [s(2, 2, dtype=data.draw(dtype)), s(2, dtype=data.draw(dtype)), s(dtype=data.draw(dtype))]
    with lw.using(rules=data.draw(st.sampled_from(RULES)), backend="numpy"), np.errstate(all="ignore"):
        compare(Case(program, tuple(arrays)), "numpy")
