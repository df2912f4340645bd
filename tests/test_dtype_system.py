"""The dtype system: which dtypes there are and are valid, whose they are, what is taken where none is given, casts.

Comments name the place in "Data Types", a page of Ivy's Deep Dive that describes such a system, which says what a test
is about. What `Dtype` itself is, and the limits of each, is in test_dtypes.py, promotion in test_promotion.py.
"""

from __future__ import annotations

import ast
import asyncio
import inspect
import itertools
import math
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import hypothesis
import numpy as np
import pytest
from cases import COMPILING, drawn, due, examples, few, for_case, one_of_each_kind, sampled, staged
from conftest import BACKENDS
from hypothesis import strategies as st
from support import NUMPY, check, checked_by_mypy, values

import latticework as lw
from latticework.backend import Backend, get
from latticework.contents import CHAPTERS
from latticework.core.dtypes import CATEGORIES, Dtype, category, complex_of, int_limits
from latticework.core.registry import OPS
from latticework.errors import BackendError, ValueLossError

ROOT = Path(__file__).parents[1]
INSTALLED = [b.name for b in lw.backends() if b.installed]
CATEGORY_OF = {
    "dtypes": "all", "numeric_dtypes": "numeric", "int_dtypes": "integral", "uint_dtypes": "unsigned integer",
    "float_dtypes": "real floating", "complex_dtypes": "complex floating",
}  # fmt: skip
INTEGERS, FLOATS = category("integral"), category("real floating")


def natives(name: str) -> list[Any]:
    """A dtype as each installed framework has it."""
    return [lw.as_native_dtype(name, backend=b) for b in BACKENDS]


# --- which there are: no backend set ---------------------------------------------------------------------------------
# Data Types, the list at its beginning, and the first four paragraphs after it.


def test_before_a_backend_is_set_all_are_valid_and_the_native_ones_are_ours() -> None:
    for name, kind in CATEGORY_OF.items():
        everything = category(kind)
        assert getattr(lw, f"all_{name}") == getattr(lw, f"valid_{name}") == everything
        assert getattr(lw, f"invalid_{name}") == ()
    for d in lw.all_dtypes:
        assert getattr(lw, f"native_{d}") is getattr(lw, str(d)) is d
    assert inspect.isclass(lw.NativeDtype) and not [n for n in vars(lw.NativeDtype) if n[0] != "_"]
    assert not isinstance(lw.float32, lw.NativeDtype)


def test_a_policy_that_sets_something_else_sets_no_backend() -> None:
    with lw.using(rules="precise", default_float="float64"):
        assert lw.native_float32 is lw.float32


# --- which there are: with a backend ---------------------------------------------------------------------------------
# Data Types, the fifth and sixth paragraphs.


def assert_set(backend: str) -> None:
    framework = get(backend)
    for d in lw.all_dtypes:
        ours, native = getattr(lw, str(d)), getattr(lw, f"native_{d}")
        assert ours is d
        assert native is framework.native_dtypes[d] and isinstance(native, lw.NativeDtype) and native == d
    have = set(framework.native_dtypes)
    for name, kind in CATEGORY_OF.items():
        assert getattr(lw, f"all_{name}") == category(kind)
        assert getattr(lw, f"valid_{name}") == tuple(d for d in category(kind) if d in have)
        assert getattr(lw, f"invalid_{name}") == tuple(d for d in category(kind) if d not in have)


def test_with_a_backend_set_they_are_the_frameworks(backend: str) -> None:
    assert_set(backend)
    classes = {"numpy": "numpy.dtype", "dask": "numpy.dtype", "jax": "numpy.dtype", "torch": "torch.dtype",
               "tensorflow": "tensorflow.python.framework.dtypes.DType"}  # fmt: skip
    assert f"{lw.NativeDtype.__module__}.{lw.NativeDtype.__qualname__}" == classes[backend]
    for d in lw.all_dtypes:
        assert lw.zeros(2, dtype=d).data.dtype == getattr(lw, f"native_{d}")


def test_setting_and_unsetting_the_process_default() -> None:
    for name in BACKENDS:
        lw.set_backend(name)
        try:
            assert_set(name)
            with lw.using(backend="numpy"):
                assert_set("numpy")
            assert_set(name)
        finally:
            lw.unset_backend()
        assert lw.native_float32 is lw.float32 and lw.invalid_dtypes == () and lw.valid_dtypes == lw.all_dtypes


def test_numpy_set_is_not_no_backend() -> None:
    with lw.using(backend="numpy"):
        assert lw.native_float32 == np.dtype("float32") and type(lw.native_float32) is not Dtype
    assert type(lw.native_float32) is Dtype


def test_threads_see_their_own() -> None:
    ready = threading.Barrier(len(BACKENDS))

    def look(name: str) -> Any:
        with lw.using(backend=name):
            ready.wait()
            seen = lw.NativeDtype, lw.native_int8
            ready.wait()
            return seen

    with ThreadPoolExecutor(len(BACKENDS)) as pool:
        found = list(pool.map(look, BACKENDS))
    for name, (kind, native) in zip(BACKENDS, found, strict=True):
        assert kind is get(name).dtype_class and native is get(name).native_dtypes[lw.int8]
    assert lw.native_int8 is lw.int8


def test_tasks_see_their_own() -> None:
    async def look(name: str) -> Any:
        with lw.using(backend=name):
            await asyncio.sleep(0)
            return lw.native_int8

    async def all_of_them() -> list[Any]:
        return await asyncio.gather(*map(look, BACKENDS))

    assert asyncio.run(all_of_them()) == [get(b).native_dtypes[lw.int8] for b in BACKENDS]


def test_they_can_be_completed() -> None:
    assert {"valid_dtypes", "invalid_uint_dtypes", "NativeDtype", "native_bool", "float64"} <= {*dir(lw)}
    with pytest.raises(AttributeError, match=r"no attribute 'valid_dtype_s'; did you mean 'valid_dtype'"):
        lw.valid_dtype_s  # noqa: B018
    with pytest.raises(AttributeError, match="no attribute 'inv'; did you mean 'linalg.inv'"):
        lw.inv  # noqa: B018
    with pytest.raises(AttributeError, match="no attribute 'native_float31'; did you mean 'native_float32'"):
        lw.native_float31  # noqa: B018


_X32 = """
import threading, warnings
import latticework as lw

WIDE = ("int64", "uint64", "float64", "complex128")
assert {*WIDE} <= {*vars(lw)} and "__all__" in vars(lw)  # plain globals
lw.set_backend("torch")
assert {*WIDE} <= {*vars(lw)}
lw.unset_backend()

lw.set_backend("jax", x64=False)
import jax
assert lw.invalid_dtypes == WIDE and lw.invalid_int_dtypes == WIDE[:2] and lw.invalid_complex_dtypes == WIDE[3:]
assert len(lw.valid_dtypes) == 11 and lw.all_dtypes[4] == "int64" and lw.Dtype("int64") == "int64"
for name, nearest in zip(WIDE, ("int32", "uint32", "float32", "complex64")):
    for asked in (name, "native_" + name):
        try:
            getattr(lw, asked)
        except AttributeError as error:
            assert asked in str(error) and "JAX" in str(error) and str(error).endswith("lw." + nearest), error
        else:
            raise AssertionError(asked)
    assert not hasattr(lw, name) and name not in dir(lw) and lw.valid_dtype(name) is False
    assert lw.closest_valid_dtype(name) == nearest
    try:
        exec("from latticework import " + name)
    except ImportError:
        pass
    else:
        raise AssertionError(name)
names = {}
exec("from latticework import *", names)
assert not {*WIDE} & {*names} and {"int32", "add", "using"} <= {*names}
assert lw.float32 == "float32" and lw.native_float32 == "float32"

# Other contexts have their own.
seen = []
def look():
    with lw.using(backend="numpy"):
        seen.append(lw.int64)
thread = threading.Thread(target=look)
thread.start(), thread.join()
with lw.using(backend="torch"):
    assert lw.float64 is seen.append(lw.float64) or lw.float64
    from latticework import int64
assert seen == ["int64", "float64"] and int64 == "int64"
assert not hasattr(lw, "int64")

# The index is int32 there, sums are not wrong but refused.
assert lw.argmax(lw.asarray([1, 2])).dtype == "int32"
with lw.using(default_int="int64"):
    for f in (lw.sum, lw.prod, lw.cumulative_sum, lw.cumulative_prod):
        try:
            f(lw.ones(3, dtype=lw.int8))
        except TypeError as error:
            assert "64-bit switch is off" in str(error)
        else:
            raise AssertionError(f)
assert lw.astype(lw.asarray([-1.0, 300.0, float("nan")]), lw.uint8).tolist() == [0, 255, 0]
assert lw.astype(lw.asarray([3e9, -3e9]), lw.int32).tolist() == [2**31 - 1, -(2**31)]

# The switch by itself, and back.
with jax.enable_x64(True):
    assert lw.int64 == "int64" and lw.invalid_dtypes == () and "int64" in lw.__all__
    assert lw.argmax(lw.asarray([1, 2])).dtype == "int64"
assert not hasattr(lw, "int64")
lw.unset_backend()
assert lw.int64 == "int64" and lw.valid_dtypes == lw.all_dtypes and "int64" in lw.__all__ and "int64" in dir(lw)
lw.set_backend("jax")
assert lw.int64 == "int64" and lw.native_float64 == "float64" and lw.invalid_dtypes == ()
print("done")
"""


# Data Types, the seventh paragraph: what the backend lacks is not to be had from the namespace.
@pytest.mark.skipif("jax" not in INSTALLED, reason="it is about JAX's 64-bit switch")
def test_a_dtype_that_the_backend_lacks_cannot_be_reached() -> None:
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", _X32], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "done", done.stderr[-2000:]


def test_the_package_itself_reaches_for_no_dtype_through_the_namespace() -> None:
    """It would fail with a backend that lacks it."""
    names = {str(d) for d in lw.all_dtypes}
    for path in (ROOT / "src/latticework").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "lw":
                wide = node.attr in names and (node.attr.endswith("64") or node.attr == "complex128")
                assert not wide or node.attr == "complex64", f"{path}:{node.lineno}: import it from dtypes"


_TYPED = """
import latticework as lw
reveal_type(lw.valid_dtypes)
reveal_type(lw.invalid_float_dtypes)
reveal_type(lw.float64)
reveal_type(lw.native_float32)
def f(d: lw.NativeDtype) -> lw.Dtype:
    return lw.as_dtype(d)
lw.no_such_name
"""


def test_type_checkers_see_all_names(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    snippet = tmp_path / "snippet.py"
    snippet.write_text(_TYPED)
    found = checked_by_mypy(snippet)
    lines = [line.partition(": ")[2] for line in found.splitlines() if "snippet.py" in line]
    assert [line.partition('"')[2].rstrip('"').replace("builtins.", "") for line in lines[:4]] == [
        "tuple[latticework.core.dtypes.Dtype, ...]",
        "tuple[latticework.core.dtypes.Dtype, ...]",
        "latticework.core.dtypes.Dtype",
        "Any",
    ], found  # fmt: skip
    assert len(lines) == 5 and 'Module has no attribute "no_such_name"' in lines[4]


# --- the functions ---------------------------------------------------------------------------------------------------
# Data Type Module, all three paragraphs, and Data Type Promotion, the third.

D5 = """
    astype broadcast_to broadcast_arrays can_cast result_type isdtype finfo iinfo dtype dtype_bits as_native_dtype
    as_dtype is_bool_dtype is_int_dtype is_uint_dtype is_float_dtype is_complex_dtype check_float closest_valid_dtype
    default_dtype default_int_dtype default_uint_dtype default_float_dtype default_complex_dtype
    set_default_dtype set_default_int_dtype set_default_uint_dtype set_default_float_dtype set_default_complex_dtype
    unset_default_dtype unset_default_int_dtype unset_default_uint_dtype unset_default_float_dtype
    unset_default_complex_dtype promote_types type_promote_arrays promote_types_of_inputs function_supported_dtypes
    function_unsupported_dtypes valid_dtype invalid_dtype
""".split()


def test_all_are_there_with_an_example() -> None:
    for name in D5:
        assert ">>> " in inspect.getdoc(getattr(lw, name)), name


@pytest.mark.parametrize("name", [str(d) for d in lw.all_dtypes])
def test_every_form_of_a_dtype_will_do(backend: str, name: str) -> None:
    d = Dtype(name)
    x = lw.ones((2, 1), dtype=d)
    scalar = NUMPY[d].type(1)
    forms = [d, name, *natives(name), x, x.data, scalar]
    for form in forms:
        assert lw.as_dtype(form) is d
        assert lw.as_native_dtype(form) == get(backend).native_dtypes[d]
        assert lw.dtype_bits(form) == d.bits
        assert lw.valid_dtype(form) and not lw.invalid_dtype(form) and lw.closest_valid_dtype(form) is d
        for kind, kinds in CATEGORIES.items():
            assert lw.isdtype(form, kind) is (d.kind in kinds)
        assert lw.isdtype(d, form) and lw.isdtype(form, (lw.bool, form))
        asked = (lw.is_bool_dtype, lw.is_int_dtype, lw.is_uint_dtype, lw.is_float_dtype, lw.is_complex_dtype)
        assert tuple(f(form) for f in asked) == tuple(d.kind in kinds for kinds in ("b", "iu", "u", "f", "c"))
        assert lw.can_cast(form, d) and lw.can_cast(d, form)
        assert lw.result_type(form) is lw.result_type(form, d) is lw.promote_types(form, d) is d
        assert lw.default_dtype(dtype=form, item=1.5) is d
        assert lw.astype(x, form).dtype is d
        if d.kind in "fc":
            assert lw.finfo(form).bits == lw.finfo(d).bits
        if d.kind in "iu":
            assert lw.iinfo(form)[:3] == int_limits(d)[:3]
        setter = {"f": "float", "i": "int", "u": "uint", "c": "complex"}.get(d.kind)
        if setter:
            with lw.using(**{f"default_{setter}": form}):
                assert getattr(lw, f"default_{setter}_dtype")() is d
            getattr(lw, f"set_default_{setter}_dtype")(form)
            try:
                assert getattr(lw, f"default_{setter}_dtype")() is d
            finally:
                getattr(lw, f"unset_default_{setter}_dtype")()
    for form in (d, name, *natives(name)):
        assert lw.zeros(2, dtype=form).dtype is lw.full(2, 1, dtype=form).dtype is d
        assert d.kind == "b" or lw.sum(x, dtype=form).dtype is d
    for form in (x, x.data, scalar):
        assert lw.dtype(form) is lw.default_dtype(item=form) is d
        assert lw.dtype(form, as_native=True) == get(backend).native_dtypes[d]
        if d.kind == "f":
            assert lw.check_float(form) is form
        else:
            with pytest.raises(TypeError, match="check_float"):
                lw.check_float(form)


def test_what_moves_arrays(backend: str) -> None:
    for d in lw.all_dtypes:
        x = lw.ones((2, 1), dtype=d)
        check(lw.broadcast_to(x, (3, 2, 4)), np.ones((3, 2, 4)), d)
        first, second = lw.broadcast_arrays(x, lw.ones(3, dtype=lw.int8))
        check(first, np.ones((2, 3)), d)
        check(second, np.ones((2, 3)), lw.int8)
        for other in due(lw.all_dtypes):
            y = lw.ones(2, dtype=other)
            common = lw.promote_types(d, other)
            for a in (*lw.type_promote_arrays(x, y), *lw.promote_types_of_inputs(x, y)):
                assert a.dtype is common and a.backend == backend
        assert all(a is x for a in lw.type_promote_arrays(x, x))


def test_convenience_functions_touch_no_array(backend: str) -> None:
    x = lw.asarray([1, 2], dtype=lw.int8)
    before = x._data
    lw.can_cast(x, lw.float32), lw.dtype(x), lw.result_type(x, 1.5), lw.default_dtype(item=x), lw.is_int_dtype(x)
    assert x._data is before


@pytest.mark.parametrize(
    "name",
    "as_native_dtype closest_valid_dtype valid_dtype dtype_bits finfo iinfo set_default_dtype".split(),
)
def test_a_name_that_is_no_dtype(name: str) -> None:
    with pytest.raises(TypeError, match="'float33' is no dtype; did you mean 'float32'?"):
        getattr(lw, name)("float33")


def test_defaults_of_the_wrong_kind_are_refused_and_change_nothing() -> None:
    kinds = {"float": lw.int8, "int": lw.uint8, "uint": lw.int8, "complex": lw.float32}
    for name, unheard in (("int", "int4"), ("float", "float8_e5m2"), ("uint", "uint2"), ("complex", "complex32")):
        with pytest.raises(TypeError, match=f"default_{name} must be a dtype that arrays .* in; got {unheard}"):
            getattr(lw, f"set_default_{name}_dtype")(unheard)
    with pytest.raises(TypeError, match="default_dtype must be a dtype that arrays are computed in; got int4"):
        lw.set_default_dtype("int4")
    for name, wrong in kinds.items():
        before = getattr(lw, f"default_{name}_dtype")()
        with pytest.raises(TypeError, match=f"default_{name} must be .* got {wrong}"):
            getattr(lw, f"set_default_{name}_dtype")(wrong)
        with pytest.raises(TypeError, match=f"default_{name} must be"), lw.using(**{f"default_{name}": wrong}):
            pass
        assert getattr(lw, f"default_{name}_dtype")() is before
        getattr(lw, f"unset_default_{name}_dtype")()  # there is nothing to unset
        assert getattr(lw, f"default_{name}_dtype")() is before


# --- what is taken where no dtype is given ---------------------------------------------------------------------------
# Arguments in other Functions, the third paragraph and its list of four steps.


def test_the_four_steps(backend: str) -> None:
    x = lw.asarray([1], dtype=lw.int16)
    native = get(backend).native_dtypes
    with lw.using(default_int="int8", default_float="bfloat16", default_complex="complex128", default_dtype="float64"):
        steps = [
            ({"dtype": "uint8", "item": x}, lw.uint8),
            ({"item": x}, lw.int16),
            ({"item": x.data}, lw.int16),
            ({"item": 3}, lw.int8),
            ({"item": 3.0}, lw.bfloat16),
            ({"item": 3j}, lw.complex128),
            ({"item": True}, lw.bool),
            ({}, lw.float64),
        ]  # fmt: skip
        for options, expected in steps:
            assert lw.default_dtype(**options) is expected
            assert lw.default_dtype(**options, as_native=True) == native[expected]
        for name, expected in [("int", "int8"), ("uint", "uint8"), ("float", "bfloat16"), ("complex", "complex128")]:
            default = getattr(lw, f"default_{name}_dtype")
            assert default() == expected and default(as_native=True) == native[Dtype(expected)]
            assert default(item=x) == ("int16" if name == "int" else expected)


class Level(int):
    """A Python int by another name."""


def test_nested_sequences(backend: str) -> None:
    half = lw.asarray(1.0, dtype=lw.float16)
    cases: list[tuple[Any, str]] = [
        ([True, False], "bool"), ([True, 2], "int8"), ([1, 2.5], "bfloat16"), ([[1], [2.5]], "bfloat16"),
        ([True, 2, 2.5, 1j], "complex64"), ((1, 2), "int8"), (range(3), "int8"), ([[1, 2], range(2)], "int8"),
        ([Level(3), 1], "int8"), ([half, half], "float16"), ([half, 1.5], "float16"),
        ([[half, 2], [3, half]], "float16"), ([half, 1j], "complex64"),
        ([np.int16(1), 2], "int16"), ([np.float64(1), half], "float64"),
        ([], "float64"), ([[], []], "float64"),
    ]  # fmt: skip
    with lw.using(default_int="int8", default_float="bfloat16", default_dtype="float64"):
        for nested, expected in cases:
            assert lw.default_dtype(item=nested) == expected, nested
            assert lw.asarray(nested).dtype == expected, nested


def test_creation_follows_the_steps(backend: str) -> None:
    with lw.using(default_int="int16", default_float="bfloat16", default_dtype="float64"):
        made: list[tuple[lw.Array, str]] = [
            (lw.zeros(2), "float64"), (lw.ones((2, 3)), "float64"), (lw.empty(2), "float64"),
            (lw.eye(2, 3, k=1), "float64"), (lw.full(2, 3), "int16"), (lw.full((2, 2), 3.0), "bfloat16"),
            (lw.full(2, True), "bool"),
            (lw.full(2, 1j), "complex64"), (lw.full(2, lw.asarray(1, dtype=lw.uint8)), "uint8"),
            (lw.full(2, np.float16(1)), "float16"), (lw.full(2, Level(3)), "int16"),
            (lw.arange(3), "int16"), (lw.arange(3.0), "bfloat16"), (lw.arange(0, 3, 0.5), "bfloat16"),
            (lw.arange(0, 2.0), "bfloat16"), (lw.linspace(0, 1, 3), "bfloat16"), (lw.linspace(0, 1j, 3), "complex64"),
            (lw.asarray(3), "int16"), (lw.asarray([0.5]), "bfloat16"),
            (lw.full_like(lw.zeros(2, dtype="int8"), 3), "int8"),
            (lw.zeros_like(lw.zeros(2, dtype="int8")), "int8"), (lw.zeros(2, dtype="int8"), "int8"),
        ]  # fmt: skip
    for i, (x, expected) in enumerate(made):
        assert x.dtype == expected and x.data.dtype == get(backend).native_dtypes[Dtype(expected)], i


def test_setting_and_unsetting_defaults(backend: str) -> None:
    kinds = [("float", "float16", 0.5), ("int", "int8", 3), ("complex", "complex128", 1j)]
    for name, given, item in kinds:
        before = lw.asarray(item).dtype
        getattr(lw, f"set_default_{name}_dtype")(given)
        try:
            assert lw.asarray(item).dtype == lw.full(2, item).dtype == lw.default_dtype(item=item) == given
        finally:
            getattr(lw, f"unset_default_{name}_dtype")()
        assert lw.asarray(item).dtype is before
        with lw.using(**{f"default_{name}": given}):
            assert lw.asarray(item).dtype == given
        assert lw.asarray(item).dtype is before
    for given in ("int16", "float64", "uint8", "complex128"):  # an integer too: the fourth step of the list
        lw.set_default_dtype(given)
        try:
            assert lw.zeros(2).dtype == lw.default_dtype() == given
        finally:
            lw.unset_default_dtype()
        assert lw.zeros(2).dtype is lw.float32


# Arguments in other Functions, the first paragraph.

#: Functions of which every option is called here. Of others those are that take no more than an array.
CHAPTERS_OF_THE_STANDARD = """
    elementwise creation conversion manipulation statistical linear_algebra searching sorting sets indexing utility
    data_types numpy_names einsum linalg.extension fft.extension
""".split()
OF_THE_STANDARD = {
    name
    for name, o in OPS.items()
    if o.function.__module__.removeprefix("latticework.api.") in CHAPTERS_OF_THE_STANDARD
} | {name for chapter in CHAPTERS_OF_THE_STANDARD for name in CHAPTERS.get(f"api.{chapter}", "").split()}

#: Functions whose result is of positions, whatever they are asked for.
OF_POSITIONS = ("diag_indices", "indices", "tril_indices", "triu_indices")
#: What a function is about, which is no option and comes first.
SUBJECTS = """
    astype bitcast
    isdtype dtype_bits as_native_dtype as_dtype closest_valid_dtype valid_dtype invalid_dtype set_default_dtype
    spec set_default_int_dtype set_default_uint_dtype set_default_float_dtype set_default_complex_dtype
""".split()


def public() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Every public function, of the extensions as well."""
    for prefix, namespace in (("", lw), ("linalg.", lw.linalg), ("fft.", lw.fft)):
        for name, value in sorted(vars(namespace).items()):
            if name[0] != "_" and inspect.isfunction(value):
                yield prefix + name, value


def test_dtype_arguments_are_keyword_only() -> None:
    for name, function in public():
        for p in inspect.signature(function).parameters.values():
            if p.name == "dtype" and name not in SUBJECTS:
                assert p.kind is p.KEYWORD_ONLY and p.default is None, name
    creation = "arange asarray empty empty_like eye full full_like linspace ones ones_like zeros zeros_like".split()
    for name in (*creation, "sum", "prod", "cumulative_sum", "cumulative_prod", "mean", "fft.fftfreq", "linalg.trace"):
        assert "dtype" in inspect.signature(dict(public())[name]).parameters, name
    for name in "add cos matmul max sort where clip".split():
        assert "dtype" not in inspect.signature(getattr(lw, name)).parameters


# Arguments in other Functions, the paragraphs on the two signatures of `zeros` and on `full`.
def test_backends_are_given_resolved_dtypes(backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, list[Any]] = {}
    whole = Backend.function

    def function(self: Any, name: str, dtype: Dtype | None = None) -> Any:
        call = whole(self, name, dtype)
        if call is None or not (OPS[name].kind == "creation" or (OPS[name].has_dtype and OPS[name].operands)):
            return call

        def spy(*args: Any, **options: Any) -> Any:
            seen.setdefault(name, []).append(options.get("dtype"))
            assert "device" in options or OPS[name].kind != "creation"
            return call(*args, **options)

        return spy

    monkeypatch.setattr(Backend, "function", function)
    with lw.using(default_uint="uint16", default_complex="complex128"):  # a policy under which nothing is known yet
        x = lw.asarray([[1, 2], [3, 4]], dtype=lw.int8)
        (
            lw.zeros(2),
            lw.ones(2),
            lw.empty(2),
            lw.eye(2),
            lw.full(2, 3),
            lw.full(2, 0.5),
            lw.arange(3),
            lw.linspace(0, 1, 3),
        )
        lw.zeros_like(x), lw.full_like(x, 3), lw.zeros(2, dtype="uint8"), lw.ones(2, dtype=bool), lw.fft.fftfreq(4)
        for f in (lw.sum, lw.prod, lw.linalg.trace):
            f(x), f(x, dtype=lw.float32), f(x, dtype="int64")
        lw.cumulative_sum(x, axis=0), lw.cumulative_prod(x, axis=0, dtype=lw.int64)
        kind = lw.NativeDtype
    assert {"zeros", "ones", "empty", "eye", "_full", "_count", "sum", "prod", "cumulative_sum"} <= {*seen}
    for name, given in seen.items():
        assert all(isinstance(d, kind) for d in given), (name, given)


# Arguments in other Functions, the third step: scalars that say what the values are, and those that do not.

#: (function, option) -> that decides the dtype where no dtype and no array is given.
RELEVANT = {("arange", "start"), ("arange", "stop"), ("arange", "step"), ("linspace", "start"), ("linspace", "stop"),
            ("full", "fill_value"), ("asarray", "obj"), ("array", "object")}  # fmt: skip
#: What an option may be, the first that a function takes.
TRIED: list[Any] = [1, 0, 2, (0,), (0, 1), (1, 0), (3, 3), 0.5]


#: Options that need operands of their own: with them, and arrays that are neither of a default dtype.
HARDER: dict[str, Callable[[lw.Array], Any]] = {
    "nonzero.fill_value": lambda x: lw.nonzero(x, size=3, fill_value=7),
    "partition.axis": lambda x: lw.partition(x, 1, axis=0),
    "argpartition.axis": lambda x: lw.argpartition(x, 1, axis=0),
    "array_split.axis": lambda x: lw.array_split(x, 2, axis=1),
    "fft.hfft.axis": lambda x: lw.fft.hfft(x, axis=0),
    "fft.irfft.axis": lambda x: lw.fft.irfft(x, axis=0),
    "full.shape": lambda x: [lw.full(shape, x[0, 0]) for shape in (3, (3, 3), ())],
    "isclose.atol": lambda x: lw.isclose(x, x, atol=1),
    "linspace.num": lambda x: [lw.linspace(x[0, 0], x[0, 1], num=n) for n in (0, 1, 4)],
    "moveaxis.source": lambda x: [lw.moveaxis(x, 0, 1), lw.moveaxis(x, (0, 1), (1, 0))],
    "moveaxis.destination": lambda x: [lw.moveaxis(x, 0, -1), lw.moveaxis(x, (0, 1), (1, 0))],
    "repeat.axis": lambda x: lw.repeat(x, 2, axis=1),
    "split.axis": lambda x: lw.split(x, 3, axis=1),
    "squeeze.axis": lambda x: [lw.squeeze(x[None], axis=0), lw.squeeze(x[None, :, None], axis=(0, 2))],
    "swapaxes.axis1": lambda x: lw.swapaxes(x, 1, 0),
    "swapaxes.axis2": lambda x: lw.swapaxes(x, 0, 1),
    "take.axis": lambda x: lw.take(x, lw.asarray([2, 0], dtype=lw.int8), axis=1),
    "take_along_axis.axis": lambda x: lw.take_along_axis(x, lw.asarray([[2], [0], [1]], dtype=lw.int64), axis=1),
    "fft.fft.n": lambda x: lw.fft.fft(x, n=2),
    "fft.fft.axis": lambda x: lw.fft.fft(x, axis=0),
    "fft.fftn.s": lambda x: lw.fft.fftn(x, s=(2, 2), axes=(0, 1)),
    "fft.fftn.axes": lambda x: lw.fft.fftn(x, axes=(0,)),
    "fft.ifft.n": lambda x: lw.fft.ifft(x, n=2),
    "fft.ifft.axis": lambda x: lw.fft.ifft(x, axis=0),
    "fft.ifftn.s": lambda x: lw.fft.ifftn(x, s=(2, 2), axes=(0, 1)),
    "fft.ifftn.axes": lambda x: lw.fft.ifftn(x, axes=(0,)),
    "fft.ihfft.n": lambda x: lw.fft.ihfft(x, n=2),
    "fft.ihfft.axis": lambda x: lw.fft.ihfft(x, axis=0),
    "fft.irfftn.s": lambda x: lw.fft.irfftn(x, s=(2, 2), axes=(0, 1)),
    "fft.irfftn.axes": lambda x: lw.fft.irfftn(x, axes=(0,)),
    "fft.rfft.n": lambda x: lw.fft.rfft(x, n=2),
    "fft.rfft.axis": lambda x: lw.fft.rfft(x, axis=0),
    "fft.rfftn.s": lambda x: lw.fft.rfftn(x, s=(2, 2), axes=(0, 1)),
    "fft.rfftn.axes": lambda x: lw.fft.rfftn(x, axes=(0,)),
}
#: Options of functions that give no array, so that there is no dtype to decide.
NOT_OF_AN_ARRAY = ["allclose.rtol", "allclose.atol"]


def result_dtypes(x: Any) -> tuple[Dtype, ...]:
    if isinstance(x, lw.Array):
        return (x.dtype,)
    return tuple(d for part in x for d in result_dtypes(part)) if isinstance(x, (list, tuple)) else ()


def options_of(function: Callable[..., Any]) -> Iterator[inspect.Parameter]:
    """Its options that take numbers, and are no operands."""
    for p in inspect.signature(function).parameters.values():
        words = set(re.findall(r"\w+", str(p.annotation)))
        if "Array" not in words and words & {"int", "float", "complex"} and p.kind is not p.VAR_POSITIONAL:
            yield p


def attempt(function: Callable[..., Any], given: dict[str, Any]) -> tuple[Dtype, ...] | None:
    """The dtypes of the results, of arrays of float16 for all operands; None where it is not to be called like that."""
    args, kw = [], {}
    for p in inspect.signature(function).parameters.values():
        if p.name in given:
            value = given[p.name]
        elif p.default is not p.empty:
            continue
        elif "Sequence[Array" in str(p.annotation):
            value = [OPERAND[0], OPERAND[0]]
        elif "Array" in str(p.annotation):
            value = OPERAND[0]
        elif "int" in str(p.annotation):
            value = 3
        else:
            return None
        if p.kind is p.VAR_POSITIONAL or (p.kind is p.KEYWORD_ONLY):
            kw[p.name] = value
        elif p.kind is p.POSITIONAL_ONLY or not kw:
            args.append(value)
        else:
            kw[p.name] = value
    if any(
        p.name in given and p.name not in kw for p in list(inspect.signature(function).parameters.values())[len(args) :]
    ):
        return None
    try:
        return result_dtypes(function(*args, **kw))
    except Exception:
        return None


OPERAND: list[lw.Array] = []


def test_no_irrelevant_scalar_decides_a_dtype(backend: str) -> None:
    """Every option of every function that takes numbers, called under two sets of defaults."""
    exercised: set[tuple[str, str]] = set()
    staged(partial(options_tried, exercised))
    narrow, single = lw.ones((3, 3), dtype=lw.float16), lw.ones((3, 3), dtype=lw.float32)
    for option, call in HARDER.items():
        x = single if option.startswith("fft.") else narrow
        found = []
        for changed in ({}, {"default_int": "int64", "default_float": "float64"}):
            with lw.using(**changed):
                found.append(result_dtypes(call(x)))
        assert found[0] and found[0] == found[1], option
        exercised.add(tuple(option.rsplit(".", 1)))
    every = {(name, p.name) for name, function in public() for p in options_of(function) if name != "spec"}
    left = {option for option in every - exercised - RELEVANT if option[0] in OF_THE_STANDARD}
    assert {".".join(option) for option in left} == {*NOT_OF_AN_ARRAY}, left ^ {
        tuple(option.rsplit(".", 1)) for option in NOT_OF_AN_ARRAY
    }
    assert len(exercised) > 90


def options_tried(exercised: set[tuple[str, str]]) -> None:
    """Call each function with each of its options, and add what could be called like that."""
    OPERAND[:] = [lw.ones((3, 3), dtype=lw.float16)]
    for name, function in public():
        if name in ("function_supported_dtypes", "function_unsupported_dtypes", "using", "broadcast_shapes", "spec"):
            continue
        if name in OF_POSITIONS:
            continue
        arrays = "Array" in "".join(str(p.annotation) for p in inspect.signature(function).parameters.values())
        for p in options_of(function):
            if (name, p.name) in RELEVANT:
                continue
            for value in TRIED:
                found = []
                for changed in ({}, {"default_int": "int64", "default_float": "float64"}):
                    with lw.using(**changed):
                        found.append((attempt(function, {p.name: value}), attempt(function, {}), lw.default_dtype()))
                (first, plain, _), (second, plain_too, wide) = found
                if not first or not second:
                    continue
                exercised.add((name, p.name))
                if p.default is not p.empty and plain is not None:
                    assert (first, second) == (plain, plain_too), (name, p.name, value)
                elif arrays:
                    assert first == second, (name, p.name, value)
                else:
                    assert set(second) <= {wide, complex_of(wide)}, (name, p.name, value)
                break


# --- indices, integers given to floating functions, sums --------------------------------------------------------------


def test_an_index_is_int64_everywhere(backend: str) -> None:
    x = lw.asarray([[3.0, 1.0], [2.0, 3.0]])
    for changed in ({}, {"default_int": "int16"}):
        with lw.using(**changed):
            row = lw.asarray([1.0, 3.0])
            found = {
                "argmax": lw.argmax(x), "argmin": lw.argmin(x, axis=0), "argsort": lw.argsort(x),
                "searchsorted": lw.searchsorted(row, row), "count_nonzero": lw.count_nonzero(x, axis=1),
                "counts": lw.unique_counts(x).counts, "all indices": lw.unique_all(x).indices,
                "all inverse": lw.unique_all(x).inverse_indices, "all counts": lw.unique_all(x).counts,
                "inverse": lw.unique_inverse(x).inverse_indices,
                **{f"nonzero {i}": n for i, n in enumerate(lw.nonzero(x))},
            }  # fmt: skip
        for name, result in found.items():
            assert result.dtype is lw.int64, name
            assert result.data.dtype == get(backend).native_dtypes[lw.int64], name


FLOATING = [
    name for name, o in sorted(OPS.items())
    if o.accepts in ("floating", "real floating") and o.kind != "creation" and o.operands and not o.sequence
    and "join" in o.roles(len(o.operands)) and not name.rpartition(".")[2].startswith("_")
]  # fmt: skip


# Superset Data Type Support, the only paragraph: cosines of integers.
@pytest.mark.parametrize("default", ["float32", "float64", "bfloat16"])
def test_integers_become_the_default_float_of_every_floating_function(backend: str, default: str) -> None:
    integers = {d: lw.ones((2, 2), dtype=d) for d in (*INTEGERS, lw.bool)}
    plain = lw.ones((2, 2), dtype=default)

    def planned(name: str, x: lw.Array) -> Any:
        operands = [
            lw.asarray(1) if role in ("index", "bool") else x for role in OPS[name].roles(len(OPS[name].operands))
        ]
        try:
            return lw.plan(name, *operands)
        except (BackendError, TypeError, ValueError) as error:  # or one whose operands have other shapes
            return type(error)

    with lw.using(default_float=default):
        for name in FLOATING:
            as_float = planned(name, plain)
            for d, x in integers.items():
                found = planned(name, x)
                if isinstance(as_float, type):
                    assert found is as_float, (name, d)
                else:
                    assert found.computed == default and found.out == as_float.out, (name, d)
    assert len(FLOATING) > 40


def test_integers_given_to_floating_functions_are_computed(backend: str) -> None:
    for default in (lw.float32, lw.float64):
        with lw.using(default_float=default):
            for d in due(INTEGERS):
                x = lw.asarray([0, 1], dtype=d)
                check(lw.cos(x), np.cos([0.0, 1.0]), default)
                check(x / x[1], np.asarray([0.0, 1.0]), default)
                check(lw.mean(x), np.asarray(0.5), default)
    staged(integers_are_taken_as_the_default_float)


#: Functions that take no such matrix, or whose result has a shape that values decide.
OF_OTHER_ARRAYS = ("linalg.null_space", "linalg.orth", "linalg.tensorinv", "logcumsumexp", "nn.interpolate", "roots")


def integers_are_taken_as_the_default_float() -> None:
    for default in (lw.float32, lw.float64):
        with lw.using(default_float=default):
            for name in FLOATING:
                o = OPS[name]
                if len(o.operands) != 1 or o.wrap is not lw.Array:
                    continue
                if any(p.default is p.empty for p in list(o.signature.parameters.values())[1:]):
                    continue
                namespace = getattr(lw, o.namespace) if o.namespace else lw
                if name in OF_OTHER_ARRAYS:
                    continue
                for d in drawn((lw.int8, lw.uint64), name, default):
                    x = lw.asarray([[1, 0], [0, 1]], dtype=d)
                    function = getattr(namespace, name.rpartition(".")[2])
                    assert function(x).dtype is function(lw.astype(x, default)).dtype, (name, d)


ACCUMULATED = {  # default int -> dtype -> what it is summed in
    "int32": "int32 int32 int32 int64 uint32 uint32 uint32 uint64",
    "int64": "int64 int64 int64 int64 uint64 uint64 uint64 uint64",
    "int16": "int16 int16 int32 int64 uint16 uint16 uint32 uint64",
}


# Supported and Unsupported Data Types, the paragraph on `prod` of uint8.
@pytest.mark.parametrize("default", ACCUMULATED)
def test_small_integers_are_summed_in_the_default_width(backend: str, default: str) -> None:
    with lw.using(default_int=default):
        computed = for_case(default, ACCUMULATED, INTEGERS, "sum", "prod", "cumulative_sum", "cumulative_prod")
        for d, expected in zip(INTEGERS, ACCUMULATED[default].split(), strict=True):
            x = lw.asarray(np.asarray([100, 100, 2], NUMPY[d]))
            wide = Dtype(expected)
            for function in (lw.sum, lw.prod, lw.cumulative_sum, lw.cumulative_prod):
                assert lw.plan(function, x).out == (wide,)
            if d not in computed:
                continue
            exact = NUMPY[wide].type
            check(lw.sum(x), np.asarray(202, exact), wide)
            check(lw.cumulative_sum(x), np.asarray([100, 200, 202], exact), wide)
            product = np.asarray([100, 10000, 20000], exact)
            check(lw.prod(x), product[-1], wide)
            check(lw.cumulative_prod(x), product, wide)
            check(lw.linalg.trace(lw.asarray([[100, 0], [0, 100]], dtype=d)), np.asarray(200, exact), wide)
            for chosen in drawn((lw.float32, lw.int64, "uint64"), d, default):
                assert lw.sum(x, dtype=chosen).dtype == lw.prod(x, dtype=chosen).dtype == chosen
        assert lw.sum(lw.asarray([True, True])).dtype == default


def test_floats_are_summed_as_integers_by_the_rule_of_casts(backend: str) -> None:
    """Where an integer dtype is asked for: each is cast first, as `astype` does it."""
    for source in FLOATS:
        x = lw.asarray([1.5, 300.0, -2.0, math.inf, math.nan], dtype=source)
        matrix = lw.asarray([[1.5, 0.0], [0.0, 300.0]], dtype=source)
        for target in (lw.int8, lw.uint8, lw.int32, lw.uint64):
            whole = lw.astype(x, target)
            for f in (lw.sum, lw.prod, lw.cumulative_sum, lw.cumulative_prod):
                check(f(x, dtype=target), np.asarray(f(whole, dtype=target)), target)
            diagonal = lw.astype(lw.linalg.diagonal(matrix), target)
            check(lw.linalg.trace(matrix, dtype=target), np.asarray(lw.sum(diagonal, dtype=target)), target)


def test_nothing_is_summed_as_bool(backend: str) -> None:
    x = lw.asarray([1.0, 0.0])
    for f, way_out in ((lw.sum, "lw.any"), (lw.prod, "lw.all"), (lw.cumulative_sum, "Cast the result")):
        with pytest.raises(TypeError, match=f"dtype must be a numeric one; got bool.*{way_out}"):
            f(x, dtype=lw.bool)


# --- casts -----------------------------------------------------------------------------------------------------------
# Data Type Module, the first paragraph: astype.

WHOLE = [
    0.0, -0.0, 1.0, -1.0, 1.9, -1.9, -0.5, 127.0, 127.9, 128.0, -128.9, -129.0, 200.0, 255.0, 255.9,
    256.0, 300.0, -300.0, 32767.0, 32768.0, -32769.0, 65504.0, 65535.9, 65536.0, 70000.0, 2147483520.0,
    2147483647.0, 2147483648.0, -2147483648.0, -2147483649.0, 4294967040.0, 4294967295.0, 4294967296.0,
    1e10, -1e10, 2.0**62, 2.0**63 - 1024, 2.0**63, 1.5 * 2.0**63, -(2.0**63), -(2.0**63) - 2048, 2.0**64
    - 2048, 2.0**64, 1e30, -1e30, 1e300, -1e300, math.inf, -math.inf, math.nan
]  # fmt: skip


def saturated(value: float, target: Dtype) -> int:
    """What a float is as an integer."""
    limits = int_limits(target)
    if math.isnan(value):
        return 0
    if math.isinf(value):
        return limits.max if value > 0 else limits.min
    return min(max(int(value), limits.min), limits.max)


def wrapped(value: int, target: Dtype) -> int:
    limits = int_limits(target)
    return (value - limits.min) % 2**target.bits + limits.min


def of(data: Any, dtype: Dtype) -> np.ndarray:
    with np.errstate(all="ignore"):
        return np.asarray(data).astype(NUMPY[dtype])


@pytest.mark.parametrize("source", [str(d) for d in FLOATS])
def test_floats_to_integers(backend: str, source: str) -> None:
    x = of(WHOLE, Dtype(source))
    layouts = {
        "vector": x,
        "a long one": np.resize(x, 67),  # kernels take several at once, and the rest one by one
        "matrix": x[:48].reshape(6, 8),
        "within": of([0.0, 1.9, -0.0, 100.0], Dtype(source)),
        "empty": x[:0],
    }
    compiles = few() and backend in COMPILING  # for every shape
    if compiles:
        layouts = {"vector": x, "empty": x[:0]}
    for target in INTEGERS:
        for data in layouts.values():
            expected = np.array([saturated(float(v), target) for v in data.ravel()], NUMPY[target]).reshape(data.shape)
            check(lw.astype(lw.asarray(data), target), expected, target)
        if not compiles:
            flipped = lw.flip(lw.asarray(x))[::2]
            expected = np.array([saturated(float(v), target) for v in x[::-1][::2]], NUMPY[target])
            check(lw.astype(flipped, target), expected, target)
        for value in (-1.0, 300.0, math.inf, -math.inf, math.nan, 7.5):
            made = lw.astype(lw.asarray(value, dtype=source), target)
            check(made, np.asarray(saturated(value, target), NUMPY[target]), target)
        assert lw.asarray(lw.asarray(x), dtype=target).tolist() == [saturated(float(v), target) for v in x]


@hypothesis.settings(max_examples=examples(25), deadline=None)
@hypothesis.given(data=st.data())
def test_any_floats_to_integers(data: st.DataObject) -> None:
    source, target = data.draw(st.sampled_from(FLOATS)), data.draw(st.sampled_from(INTEGERS))
    floats = data.draw(st.lists(st.floats(width=64) | st.floats(-70000, 70000), min_size=5, max_size=5))
    x = of(floats, source)
    expected = [saturated(float(v), target) for v in x]
    for backend in BACKENDS:
        with lw.using(backend=backend), np.errstate(all="ignore"):
            assert lw.astype(lw.asarray(x), target).tolist() == expected, backend


def test_integers_to_integers_wrap(backend: str) -> None:
    for source, target in itertools.product(INTEGERS, INTEGERS):
        limits = int_limits(source)
        whole = [limits.min, limits.min + 1, 0, 1, 100, limits.max - 1, limits.max, limits.max // 3]
        made = lw.astype(lw.asarray(np.array(whole, NUMPY[source])), target)
        check(made, np.array([wrapped(v, target) for v in whole], NUMPY[target]), target)


def test_everything_to_bool_and_bool_to_everything(backend: str) -> None:
    for d in lw.all_dtypes:
        x = of([0, 1, 2 if d.kind != "b" else 1], d)
        check(lw.astype(lw.asarray(x), lw.bool), np.array([False, True, True]), lw.bool)
        check(lw.astype(lw.asarray([False, True]), d), of([0, 1], d), d)
        if d.kind == "f":
            odd = lw.asarray(of([math.nan, math.inf, -0.0, 0.25], d))
            check(lw.astype(odd, lw.bool), np.array([True, True, False, True]), lw.bool)
        if d.kind == "c":
            check(lw.astype(lw.asarray(of([1j, 0j], d)), lw.bool), np.array([True, False]), lw.bool)


def test_to_floats(backend: str) -> None:
    for source in lw.all_dtypes:
        x = values(source, (7,), low=-100, high=100)
        for target in (*FLOATS, lw.complex64, lw.complex128):
            if source.kind == "c" and target.kind == "f":
                with pytest.raises(TypeError, match=f"astype: {source} to {target} would drop the imaginary part"):
                    lw.astype(lw.asarray(x), target)
                continue
            check(lw.astype(lw.asarray(x), target), of(x, target), target, ulps=0)
    for narrow in (lw.float16, lw.float32):
        big = lw.astype(lw.asarray([1e300, -1e300, math.inf, math.nan], dtype=lw.float64), narrow)
        check(big, np.array([math.inf, -math.inf, math.inf, math.nan]), narrow)


@pytest.mark.needs("torch", "jax", "tensorflow")
def test_casts_where_a_program_is_only_looked_at() -> None:
    """No branch can be taken there, and the numbers are the same."""
    given, expected = [-1.0, 300.0, math.inf, math.nan, 7.5], [0, 255, 255, 0, 7]

    def cast(data: Any) -> Any:
        return lw.astype(lw.asarray(data), lw.uint8).data

    if "torch" in BACKENDS:
        import torch

        x = torch.tensor(given)
        assert torch.func.vmap(cast)(x).tolist() == expected
        for wide in (torch.uint16, torch.uint64, torch.int32, torch.int64):
            compared = torch.func.vmap(lambda v, d=wide: lw.astype(lw.asarray(v), d).data)(x)
            assert compared.tolist() == [saturated(v, lw.as_dtype(wide)) for v in given]
        recorded = torch._dynamo.nonstrict_trace(lambda v: lw.astype(lw.asarray(v), lw.int32).data)
        compiled = torch.compile(lambda v: recorded(v) + 0, fullgraph=True, backend="eager")
        assert compiled(x).tolist() == [saturated(v, lw.int32) for v in given]
        assert cast(x.requires_grad_(True)).tolist() == expected
    if "jax" in BACKENDS:
        import jax

        assert jax.jit(cast)(jax.numpy.asarray(given, dtype="float32")).tolist() == expected
    if "tensorflow" in BACKENDS:
        import tensorflow as tf

        assert tf.function(cast)(tf.constant(given)).numpy().tolist() == expected


def test_casting_what_fits_and_what_does_not_warns_of_nothing() -> None:
    with np.errstate(all="raise"):
        for given in ([1.0, 2.0], [1e20, math.nan]):
            for target in INTEGERS:
                lw.astype(lw.asarray(given, dtype=lw.float64), target)


# --- casts that are checked ------------------------------------------------------------------------------------------

SAMPLES = {
    "b": [False, True],
    "i": [0, 1, -1, 100, -128, 2**11 + 1, 2**15 - 1, 2**24 + 1, 2**31 - 1, -(2**31), 2**53 + 1,
          2**62, 2**63 - 1, -(2**63)],
    "u": [0, 1, 200, 255, 2**11 + 1, 2**16 - 1, 2**24 + 1, 2**32 - 1, 2**53 + 1, 2**63, 2**64 - 1],
    "f": [0.0, -0.0, 1.0, -1.0, 0.5, 1.5, -128.0, 128.0, 255.0, 256.0, 2.0**31, -(2.0**31), 2.0**63, -(2.0**63),
          2.0**64, 65504.0, 1e30, 1e300, -1e300, math.inf, -math.inf, math.nan],
}  # fmt: skip


def samples(source: Dtype) -> list[Any]:
    """Values that the dtype holds exactly."""
    if source.kind == "c":
        parts = samples(Dtype("float32" if source == "complex64" else "float64"))
        return [complex(v, w) for v in parts for w in (0.0, 1.0)]
    if source.kind in "iu":
        limits = int_limits(source)
        return [v for v in SAMPLES[source.kind] if limits.min <= v <= limits.max]
    return [v for v in SAMPLES[source.kind] if v != v or float(of(v, source)) == v]


def lost(value: Any, source: Dtype, target: Dtype) -> bool:
    """Whether a value is no longer itself, rounding from float to float apart."""
    if source is target or source.kind == "b":
        return False
    if target.kind == "b":
        return value not in (0, 1)
    if isinstance(value, complex):
        real = Dtype("float32" if source == "complex64" else "float64")
        if target.kind != "c":
            return value.imag != 0 or lost(value.real, real, target)
        return lost(value.real, real, target) or lost(value.imag, real, target)
    if target.kind == "c":
        target = Dtype("float32" if target == "complex64" else "float64")
    if target.kind in "iu":
        limits = int_limits(target)
        return not math.isfinite(value) or value != int(value) or not limits.min <= int(value) <= limits.max
    made = float(of(value, target))
    if isinstance(value, float):
        return math.isfinite(value) and math.isinf(made)
    return math.isinf(made) or int(made) != value


@pytest.mark.parametrize("source", [str(d) for d in lw.all_dtypes])
def test_checked_casts(backend: str, source: str) -> None:
    d = Dtype(source)
    everything = samples(d)
    targets: Sequence[Dtype] = lw.all_dtypes
    if few():  # a dtype of each kind to one of each, the others to some
        usual = one_of_each_kind(lw.all_dtypes)
        targets = usual if d in usual else sampled(usual, 2, source)
    for target in targets:
        kept = [v for v in everything if not lost(v, d, target)]
        x = lw.asarray(np.resize(np.array(kept, NUMPY[d]), len(everything)))  # of one shape, for JAX compiles for each
        made = lw.astype(x, target, check=True)
        real = d.kind == "c" and target.kind in "iuf"
        expected = lw.astype(lw.real(x) if real else x, target)
        assert made.dtype is target and made.tolist().__repr__() == expected.tolist().__repr__()
        bad = [v for v in everything if lost(v, d, target)]
        for value in bad[:: max(1, len(bad) // 3)]:
            x = lw.asarray(np.resize(np.array([everything[1], value], NUMPY[d]), len(everything)))
            before = repr(x.tolist())
            with pytest.raises(ValueLossError, match=rf"astype: \d+ of \d+ elements would lose .* value as {target}"):
                lw.astype(x, target, check=True)
            assert repr(x.tolist()) == before


def test_what_a_checked_cast_says(backend: str) -> None:
    x = lw.asarray([[1.0, 300.0], [math.nan, 2.5]])
    text = r"^astype: 3 of 4 elements .* as uint8\. The first is 300\.0, at index \(0, 1\): unchecked it becomes 255$"
    with pytest.raises(ValueError, match=text):
        lw.astype(x, lw.uint8, check=True)
    with pytest.raises(ValueLossError, match=r"The first is \(1\+2j\), at index \(\)$"):
        lw.astype(lw.asarray(1 + 2j), lw.float32, check=True)
    for wrong in (1.5, [1.5]):
        with pytest.raises(TypeError, match="astype: takes an array"):
            lw.astype(wrong, lw.int8, check=True)
    for empty in (lw.zeros((0, 2)), lw.zeros(0, dtype=lw.int64)):
        assert lw.astype(empty, lw.uint8, check=True).shape == empty.shape


def test_checked_casts_under_other_rules(backend: str) -> None:
    for rules in ("strict", "precise", "numpy", "torch"):
        with lw.using(rules=rules):
            assert lw.astype(lw.asarray([1.0, 2.0]), lw.int8, check=True).tolist() == [1, 2]
            with pytest.raises(ValueLossError):
                lw.astype(lw.asarray([-1, 2]), lw.uint8, check=True)


@hypothesis.settings(max_examples=examples(40), deadline=None)
@hypothesis.given(data=st.data())
def test_any_checked_cast(data: st.DataObject) -> None:
    source, target = data.draw(st.sampled_from((*INTEGERS, *FLOATS))), data.draw(st.sampled_from(lw.all_dtypes))
    if source.kind == "f":
        value: Any = float(of(data.draw(st.floats(width=64) | st.integers(-300, 300).map(float)), source))
    else:
        limits = int_limits(source)
        value = data.draw(st.integers(limits.min, limits.max))
    for backend in BACKENDS:
        with lw.using(backend=backend), np.errstate(all="ignore"):
            x = lw.asarray(np.array([value], NUMPY[source]))
            try:
                made = lw.astype(x, target, check=True)
            except ValueLossError:
                assert lost(value, source, target), (backend, value, source, target)
            else:
                assert not lost(value, source, target), (backend, value, source, target)
                assert made.dtype is target


def test_a_dtype_that_has_no_hash_is_read_all_the_same() -> None:
    given = np.asarray([1.0])
    assert lw.zeros(2, dtype=given).dtype is lw.sum(lw.asarray([1, 2]), dtype=given).dtype is lw.float64


#: What `result_type` is asked with: the same again is found, and what only looks the same is told apart.
ASKED: list[tuple[Any, ...]] = [
    (lw.int32, lw.float32), (lw.int8, lw.uint8, lw.float16), (lw.bool,), ("int8", lw.uint8), (lw.float32, 1.5),
    (lw.float32, True), (lw.float32, 1), (lw.int8, 1.0), (lw.int8, True), (lw.int8, 1), (lw.int8, 1j), (1, 1.5),
    (lw.int8, np.float64(1.0)), (lw.int8, np.dtype("int16")),
]  # fmt: skip


@pytest.mark.parametrize("rules", ["unified", "numpy", "torch", "jax", "numpy1", "tensorflow", "strict"])
def test_what_was_asked_before_is_answered_alike(rules: str) -> None:
    x, zero = lw.asarray([1, 2], dtype=lw.int16), lw.asarray(2.0, dtype=lw.float64)
    asked = [*ASKED, (x, lw.int8), (x, zero), (zero, x), (x, 1.5), (zero, lw.int8), (x, 300), (x, 2)]

    def answers(rules: str | None) -> list[Any]:
        found = []
        for operands in asked:
            try:
                found.append(lw.result_type(*operands, rules=rules))
            except (TypeError, ValueError, OverflowError) as error:
                found.append(type(error))
        return found

    for default in ("float32", "float64"):
        with lw.using(rules=rules, default_float=default):
            first = answers(None)
            assert first == answers(None) == answers(rules)
            for _ in range(2):
                with pytest.raises(TypeError):
                    lw.result_type((int,), lw.int8)
                with pytest.raises(TypeError):
                    lw.result_type([1], lw.int8)
                assert not lw.can_cast(lw.float32, lw.int8)
                assert lw.can_cast(x, lw.int16) is lw.can_cast("int16", "int16") is True


def test_what_was_asked_before_follows_the_process_default() -> None:
    def asked() -> tuple[Any, ...]:
        return lw.result_type(lw.int32, 1.5), lw.result_type(lw.asarray([1]), 1.5), lw.can_cast(lw.int32, lw.float32)

    before = asked()
    with lw.using(rules="numpy"):
        inside = asked()
        assert asked() == inside
    assert asked() == before
    assert inside != before


def test_kinds_that_were_asked_for_before() -> None:
    for _ in range(2):
        assert lw.isdtype(lw.int8, ("bool", "integral"))
        assert not lw.isdtype(lw.int8, ("bool", lw.int16))
        assert lw.isdtype("int8", "int8")
        with pytest.raises(ValueError, match="neither a dtype nor a category"):
            lw.isdtype(lw.int8, "integer")
        with pytest.raises(TypeError):
            lw.isdtype(lw.int8, ["integral"])
        assert lw.finfo(lw.float32) == lw.finfo("float32")
        assert lw.finfo(lw.complex64).dtype == lw.float32
        assert lw.iinfo(lw.asarray([1], dtype=lw.uint8)).max == 255
