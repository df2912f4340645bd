"""Dtypes: one object per name, their limits against the frameworks', and the functions that are asked about them."""

from __future__ import annotations

import copy
import inspect
import itertools
import operator
import pickle
import re
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np
import pytest
import scipy._lib._array_api as scipy_api
from support import NUMPY

import latticework as lw
from latticework.core import dtypes
from latticework.core.dtypes import CATEGORIES, Dtype, category, complex_of, real_of
from latticework.policy import as_dtype

NAMES = [
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "bfloat16", "float16", "float32", "float64", "complex64", "complex128",
]  # fmt: skip
FLOATS = ["bfloat16", "float16", "float32", "float64"]
INTEGERS = [n for n in NAMES if "int" in n]


# --- Dtype -----------------------------------------------------------------------------------------------------------


def test_there_are_fifteen() -> None:
    assert [str(d) for d in lw.all_dtypes] == NAMES
    for name in NAMES:
        assert getattr(lw, name) is Dtype(name)


@pytest.mark.parametrize("name", NAMES)
def test_a_dtype_is_its_name_and_one_object(name: str) -> None:
    d = getattr(lw, name)
    assert isinstance(d, lw.Dtype) and d == name and name == d and hash(d) == hash(name)
    assert Dtype(name) is Dtype(str(name)) is Dtype(d) is d
    assert {name: 1}[d] == 1 and {d: 1}[name] == 1
    assert str(d) == f"{d}" == name
    assert repr(d) == f"lw.{name}" and eval(repr(d)) is d
    assert not isinstance(d, str) and not isinstance(d, Sequence)


@pytest.mark.parametrize("name", NAMES)
def test_copies_and_pickles_are_the_same_object(name: str) -> None:
    d = Dtype(name)
    assert copy.copy(d) is copy.deepcopy(d) is d
    assert copy.deepcopy({"x": [d]})["x"][0] is d
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(d, protocol)) is d


def test_a_pickle_is_read_by_another_process() -> None:
    code = "import sys, pickle, latticework as lw; print(pickle.load(sys.stdin.buffer) is lw.bfloat16)"
    pickled = pickle.dumps(lw.bfloat16)
    done = subprocess.run([sys.executable, "-c", code], input=pickled, capture_output=True, check=True)
    assert done.stdout.split() == [b"True"]


@pytest.mark.parametrize(
    ("name", "hint"),
    [("flaot32", "float32"), ("int", "int8"), ("unit8", "uint8"), ("complex", "complex64"), ("Float32", "float32"),
     ("float 32", "float32"), ("bfloat", "bfloat16"), ("xyzzy", None), ("", None), ("f4", None)],
)  # fmt: skip
def test_a_name_that_is_no_dtype_is_refused(name: str, hint: str | None) -> None:
    for make in (Dtype, as_dtype):
        with pytest.raises(TypeError) as caught:
            make(name)
        assert f"{name!r} is no dtype" in str(caught.value)
        assert ("did you mean" in str(caught.value)) is (hint is not None)
        assert hint is None or hint[:3] in str(caught.value).lower()


@pytest.mark.parametrize("value", [3, 1.5, None, [], {}, object, b"float32", ("float32",), operator.index])
def test_what_is_no_name_is_refused(value: Any) -> None:
    for make in (Dtype, as_dtype):
        with pytest.raises(TypeError, match="is no dtype"):
            make(value)


def test_dtypes_that_only_rules_know() -> None:
    """They are dtypes by name, and in no category, no hint and no backend."""
    assert not {d for name in CATEGORIES for d in category(name)} - {*lw.all_dtypes, *lw.extended_dtypes}
    for name in ("index", "complex32", "bits1x8", "int4", "uint2", "longdouble", "bits8"):
        d = Dtype(name)
        assert d == name and Dtype(name) is d is eval(repr(d)) and not hasattr(lw, name)
        assert pickle.loads(pickle.dumps(d)) is d is copy.deepcopy(d)
        with pytest.raises(TypeError, match=f"has no {name}"):
            lw.asarray([1], dtype=name)
        with pytest.raises(TypeError):
            lw.finfo(name) if d == "longdouble" else lw.iinfo(lw.float32)
    with pytest.raises(TypeError, match="did you mean 'int8'"):
        Dtype("int9")
    with pytest.raises(TypeError, match="'qint9' is no dtype$"):
        Dtype("qint9")
    assert (lw.iinfo("int4").min, lw.iinfo("uint2").max, lw.finfo("complex32")) == (-8, 3, lw.finfo(lw.float16))


def test_a_dtype_never_changes() -> None:
    limits: list[Any] = [lw.finfo(lw.float32), lw.iinfo(lw.int8), *map(Dtype, ("float32", "int8", "index"))]
    for x in limits:
        before = x.bits
        for change in (
            lambda x=x: setattr(x, "bits", 3),
            lambda x=x: setattr(x, "spam", 3),
            lambda x=x: delattr(x, "bits"),
        ):
            with pytest.raises(AttributeError):
                change()
        assert x.bits == before


def test_text_of_a_dtype() -> None:
    """It is formatted, sorted and added to text as its name is."""
    d = lw.float32
    assert f"{d:>10}|{d:<9}|{d!r}" == "   float32|float32  |lw.float32" and "%s" % d == "float32"  # noqa: UP031
    assert d + "s" == "float32s" and "two " + d == "two float32" and d.name == "float32" and type(d.name) is str
    shuffled: list[Any] = [lw.uint8, "float33", lw.int8, lw.float32, "int16"]
    assert sorted(shuffled) == ["float32", "float33", "int16", "int8", "uint8"]
    assert lw.int16 <= "int16" <= lw.int16 < lw.int8 and lw.int8 >= lw.int8 > "int16" and not lw.int8 < "int16"
    for wrong in (lambda: d + 1, lambda: 1 + d, lambda: d < 1, lambda: "-".join([d]), d):  # type: ignore
        with pytest.raises(TypeError):
            wrong()
    with pytest.raises(TypeError, match=re.escape("Use lw.asarray(obj, dtype=lw.float32)")):
        d(1.5)


def test_a_dtype_is_looked_up_without_python() -> None:
    """Calls look up the dtype that they are given: its hash is no Python function, and it is itself, not an equal."""
    assert not inspect.isfunction(Dtype.__hash__)
    assert lw.float32 not in {np.dtype("float32"), np.float32}  # equal, and of another hash
    assert lw.float32 == np.dtype("float32")


def test_dtypes_are_compared_by_identity_within(monkeypatch: pytest.MonkeyPatch) -> None:
    compared, equal = [], Dtype.__eq__

    def note(d: Dtype, other: object) -> bool:
        caller = sys._getframe(1)
        compared.append((d, other, caller.f_code.co_filename, caller.f_lineno))
        return equal(d, other)

    x = lw.asarray([1, 2], dtype=lw.int8)
    monkeypatch.setattr(Dtype, "__eq__", note)
    for rules in lw.rule_names():
        for operands in ((lw.int8, lw.float16), (lw.uint64, lw.int64, float), (lw.bool, lw.bool)):
            lw.explain(*operands, rules=rules)
        lw.explain(lw.int8, lw.float16, rules=rules, operation="add")
    with lw.using(rules="torch"):
        y = lw.add(x, lw.ones(2, dtype=lw.float16))
    lw.astype(lw.sum(y + 1.5, dtype=lw.float64), lw.int32)
    lw.promote_types(lw.int16, lw.bfloat16), lw.finfo(y), lw.isdtype(y.dtype, (lw.int8, lw.float16))
    lw.asarray([1, 2], dtype=lw.uint16)[0] = 3
    assert not compared


# --- libraries that a dtype is given to ------------------------------------------------------------------------------


def test_numpy_takes_dtypes(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [*NAMES, "float8_e4m3fn", "float8_e5m2", "int4", "float6_e2m3fn"]:
        native = np.dtype(getattr(ml_dtypes, name, name))
        assert np.dtype(Dtype(name)) is native and np.zeros(3, dtype=Dtype(name)).dtype is native  # type: ignore
        assert native == Dtype(name) and Dtype(name) == native and Dtype(name) == native.type
    assert np.ones(2).astype(lw.int8).dtype == np.result_type(lw.int8, lw.bool) == lw.int8  # type: ignore[call-overload]
    for name in ("index", "tensor_float32", "int3", "qint8"):
        with pytest.raises(TypeError):
            np.dtype(Dtype(name))
    assert not hasattr(lw.float32, "dtype")  # what has one may be taken for an array
    monkeypatch.setattr(np, "__version__", "2.3.5")
    assert lw.bfloat16.dtype is np.dtype(ml_dtypes.bfloat16)
    with pytest.raises(TypeError, match=re.escape("Give its dtype: x.dtype")):
        np.dtype(lw.ones(2))  # type: ignore[call-overload]


def test_other_libraries_take_dtypes(backend: str) -> None:
    x = lw.asarray([1.5, 2.5], dtype=lw.bfloat16, backend=backend)
    for d in (x.dtype, lw.float32, lw.int8):
        assert d == lw.as_native_dtype(d, backend=backend) and lw.as_native_dtype(d, backend=backend) == d
    assert scipy_api.xp_result_type(lw.asarray([1]), x, xp=lw) is lw.bfloat16
    assert scipy_api._asarray([1, 2], dtype=lw.int8, xp=lw).dtype is lw.int8
    if backend == "jax":
        from jax import numpy as jnp

        assert x.dtype == jnp.bfloat16 and jnp.bfloat16 == x.dtype and lw.bool == jnp.bool_ != lw.int8
        for ours in (x, lw.asarray(x, backend="numpy")):
            made = jnp.asarray(ours)
            assert made.dtype == lw.bfloat16 and made.tolist() == [1.5, 2.5]
            assert jnp.asarray(ours, dtype=lw.float32).dtype == jnp.zeros(2, dtype=lw.float32).dtype == jnp.float32
        assert type(made + x) is type(x + made) is lw.Array  # which __jax_array__ would take away
    if backend == "tensorflow":
        import tensorflow as tf

        assert tf.zeros(2, dtype=x.dtype).dtype is tf.convert_to_tensor(x, dtype=x.dtype).dtype is tf.bfloat16
    if backend == "dask":
        import dask.array as da

        assert da.zeros(2, dtype=lw.int8).dtype == lw.int8
    if backend == "torch":
        import torch

        assert torch.asarray(x).dtype is torch.bfloat16


# --- categories ------------------------------------------------------------------------------------------------------

MEMBERS = {
    "bool": "bool",
    "signed integer": "int8 int16 int32 int64",
    "unsigned integer": "uint8 uint16 uint32 uint64",
    "integral": "int8 int16 int32 int64 uint8 uint16 uint32 uint64",
    "real floating": "bfloat16 float16 float32 float64",
    "complex floating": "complex64 complex128",
    "numeric": " ".join(NAMES[1:]),
    "floating": "bfloat16 float16 float32 float64 complex64 complex128",
    "real numeric": " ".join(NAMES[1:-2]),
    "integral or bool": "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64",
    "all": " ".join(NAMES),
}


def test_categories() -> None:
    assert {name: " ".join(map(str, category(name))) for name in MEMBERS} == MEMBERS
    assert {*MEMBERS} <= {*CATEGORIES}
    assert lw.all_numeric_dtypes == category("numeric") and lw.all_int_dtypes == category("integral")
    assert lw.all_uint_dtypes == category("unsigned integer") and lw.all_float_dtypes == category("real floating")
    assert lw.all_complex_dtypes == category("complex floating")


def test_isdtype() -> None:
    for kind, members in MEMBERS.items():
        assert [d for d in NAMES if lw.isdtype(d, kind)] == members.split()
    for a, b in itertools.product(NAMES, repeat=2):
        assert lw.isdtype(a, Dtype(b)) is (a == b)
    assert lw.isdtype(lw.int8, ("real floating", lw.int8)) and not lw.isdtype(lw.int8, ("real floating", lw.int16))
    assert lw.isdtype(lw.int8, (("bool", ("integral",)),)) and not lw.isdtype(lw.int8, ())
    assert lw.isdtype(np.int8, "integral") and lw.isdtype(lw.int8, np.dtype("int8"))
    with pytest.raises(ValueError, match="'intgral' is neither a dtype nor a category; did you mean 'integral'?"):
        lw.isdtype(lw.int8, "intgral")
    with pytest.raises(TypeError):
        lw.isdtype("int9", "integral")
    with pytest.raises(TypeError):
        lw.isdtype(lw.int8, 3)


def test_kind_predicates() -> None:
    for name, members in {
        "bool": "bool", "int": "integral", "uint": "unsigned integer", "float": "real floating",
        "complex": "complex floating",
    }.items():  # fmt: skip
        check = getattr(lw, f"is_{name}_dtype")
        assert [d for d in NAMES if check(d)] == MEMBERS[members].split()
        assert [d for d in lw.all_dtypes if check(lw.asarray([1], dtype=d))] == MEMBERS[members].split()
    assert lw.is_bool_dtype(True) and lw.is_int_dtype(1) and lw.is_float_dtype(1.0) and lw.is_complex_dtype(1j)
    assert not lw.is_int_dtype(True) and not lw.is_uint_dtype(1) and lw.is_uint_dtype(np.uint8(1))
    assert lw.check_float(1.5) == 1.5
    with pytest.raises(TypeError, match="check_float"):
        lw.check_float(1)


def test_complex_and_real_partners() -> None:
    pairs = {"bfloat16": "complex64", "float16": "complex64", "float32": "complex64", "float64": "complex128"}
    assert {d: complex_of(Dtype(d)) for d in FLOATS} == pairs
    assert (real_of(lw.complex64), real_of(lw.complex128)) == (lw.float32, lw.float64)
    assert complex_of(lw.complex128) is lw.complex128 and real_of(lw.float16) is lw.float16


# --- limits ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FLOATS)
def test_finfo_is_numpys_and_torchs(name: str) -> None:
    found = lw.finfo(name)
    assert found.dtype == Dtype(name) and not isinstance(found.dtype, str)  # the backend's own, as NumPy has it
    assert all(type(v) is float for v in found[1:5])
    theirs = ml_dtypes.finfo(name)
    names = ("bits", "eps", "max", "min", "smallest_normal")
    assert found[:5] == tuple(float(getattr(theirs, n)) for n in names)
    if name != "bfloat16":
        assert found[:5] == tuple(float(getattr(np.finfo(name), n)) for n in names)
    torch = pytest.importorskip("torch")
    assert found[:5] == tuple(float(getattr(torch.finfo(getattr(torch, name)), n)) for n in names)


def test_finfo_of_complex_is_that_of_the_components() -> None:
    assert lw.finfo(lw.complex64) == lw.finfo(lw.float32) and lw.finfo("complex128") == lw.finfo(lw.float64)


@pytest.mark.parametrize("name", INTEGERS)
def test_iinfo_is_numpys_and_torchs(name: str) -> None:
    found = lw.iinfo(name)
    assert all(type(v) is int for v in found[:3]) and found.dtype == Dtype(name)
    assert found[:3] == (np.iinfo(name).bits, np.iinfo(name).max, np.iinfo(name).min)
    torch = pytest.importorskip("torch")
    theirs = torch.iinfo(getattr(torch, name))
    assert found[:3] == (theirs.bits, theirs.max, theirs.min)


@pytest.mark.parametrize("name", [str(d) for d in lw.all_dtypes])
def test_equal_to_the_frameworks_own(backend: str, name: str) -> None:
    ours = Dtype(name)
    for native in (lw.as_native_dtype(name), lw.as_native_dtype(name, backend="numpy")):
        assert ours == native
        # np.dtype compares by reading the other as a dtype, and NumPy reads no "bfloat16"
        assert native == ours or (name == "bfloat16" and isinstance(native, np.dtype))
        assert (ours != native) is False
        assert [d for d in lw.all_dtypes if d == native] == [ours]
    assert (ours == NUMPY[ours].type) is True
    for other in (None, 3, float, int, complex, [], "no dtype", lw):
        assert ours != other
    assert (ours == bool) is (ours is lw.bool)  # noqa: E721 - one dtype, where float and int are a setting


def test_limits_of_arrays_and_what_has_none(backend: str) -> None:
    assert lw.finfo(lw.asarray([1.0], dtype=lw.float16)).bits == 16
    assert lw.iinfo(lw.asarray([1], dtype=lw.int8)).max == 127
    for wrong in (lw.bool, lw.int8):
        with pytest.raises(TypeError, match=f"finfo: takes floating dtypes; got {wrong}"):
            lw.finfo(wrong)
    for wrong in (lw.bool, lw.float32, lw.complex64):
        with pytest.raises(TypeError, match=f"iinfo: takes integer dtypes; got {wrong}"):
            lw.iinfo(wrong)


def test_bits() -> None:
    for name in NAMES:
        size = 16 if name == "bfloat16" else 8 * np.dtype(name).itemsize
        assert lw.dtype_bits(name) == Dtype(name).bits == size


# --- from everything that names a dtype ------------------------------------------------------------------------------


def test_as_dtype_of_numpys() -> None:
    for name in NAMES[:-2]:
        native = np.dtype(getattr(ml_dtypes, name)) if name == "bfloat16" else np.dtype(name)
        for given in (native, native.type, native.type(1), np.zeros(2, native), np.zeros((), native), name):
            assert as_dtype(given) is Dtype(name)
    for given, name in [(np.dtype(">f4"), "float32"), (np.intp, "int64"), (np.double, "float64")]:
        assert as_dtype(given) is Dtype(name)
    assert as_dtype(np.str_("int8")) is lw.int8
    with pytest.raises(TypeError, match="datetime64.* is no dtype"):
        as_dtype(np.datetime64)
    with pytest.raises(TypeError, match=r"dtype\('<U7'\)|array"):
        as_dtype(np.array(["float32"]))


def test_as_dtype_of_torchs() -> None:
    torch = pytest.importorskip("torch")
    for name in NAMES:
        native = getattr(torch, name)
        assert as_dtype(native) is as_dtype(torch.zeros(2, dtype=native)) is Dtype(name)
    assert (as_dtype(torch.half), as_dtype(torch.long), as_dtype(torch.cfloat)) == ("float16", "int64", "complex64")
    assert as_dtype(torch.qint8) == "qint8"


def test_as_dtype_of_jaxs() -> None:
    jax = pytest.importorskip("jax")
    for name in NAMES:
        native = getattr(jax.numpy, "bool_" if name == "bool" else name)
        assert as_dtype(native) is as_dtype(jax.numpy.dtype(native)) is Dtype(name)
    assert as_dtype(jax.numpy.zeros(2, "bfloat16")) is lw.bfloat16


def test_as_dtype_of_tensorflows() -> None:
    tf = pytest.importorskip("tensorflow")
    for name in NAMES:
        native = getattr(tf, name)
        assert as_dtype(native) is as_dtype(tf.zeros(2, native)) is Dtype(name)


def test_as_dtype_of_array_api_strict() -> None:
    xp = pytest.importorskip("array_api_strict")
    for name in (n for n in NAMES if "float16" not in n):
        assert as_dtype(getattr(xp, name)) is as_dtype(xp.zeros(2, dtype=getattr(xp, name))) is Dtype(name)


def test_as_dtype_of_arrays_and_scalar_types(backend: str) -> None:
    for d in lw.all_dtypes:
        x = lw.asarray([1], dtype=d)
        assert as_dtype(x) is as_dtype(x.data) is as_dtype(lw.as_native_dtype(d)) is d
    assert [as_dtype(t) for t in (bool, int, float, complex)] == ["bool", "int32", "float32", "complex64"]
    with lw.using(default_float="float64", default_int="int16"):
        assert [as_dtype(t) for t in (int, float, complex)] == ["int16", "float64", "complex128"]


def test_native_dtypes(backend: str) -> None:
    for d in lw.all_dtypes:
        assert lw.valid_dtype(d) is not lw.invalid_dtype(d)
        if lw.valid_dtype(d):
            assert lw.asarray([1], dtype=d).data.dtype == lw.as_native_dtype(d)
            assert lw.closest_valid_dtype(d) is d
    with pytest.raises(ValueError, match="no backend 'nump'; did you mean 'numpy'?"):
        lw.as_native_dtype("int8", backend="nump")


# --- defaults --------------------------------------------------------------------------------------------------------


def test_the_default_dtype_in_four_steps(backend: str) -> None:
    x = lw.asarray([1], dtype=lw.int8)
    assert lw.default_dtype(dtype="float16", item=x) is lw.float16  # 1: the argument
    assert lw.default_dtype(item=x) is lw.int8  # 2: the array
    for item, expected in [(True, "bool"), (3, "int32"), (1.5, "float32"), (1j, "complex64")]:  # 3: the scalar
        assert lw.default_dtype(item=item) == lw.default_dtype(item=[item]) == expected
    assert lw.default_dtype() is lw.float32  # 4: the global default
    with lw.using(default_int="int64", default_float="float16"):
        assert (lw.default_dtype(item=3), lw.default_dtype(item=[1, 2.5]), lw.default_dtype()) == (
            "int64", "float16", "float16"
        )  # fmt: skip
        assert lw.default_dtype(item=x) is lw.int8
    with lw.using(default_dtype="int16"):
        assert lw.default_dtype() is lw.int16
        assert lw.default_dtype(item=1.5) is lw.float32
    assert lw.default_dtype(item=[[1, 2], [3, 4.0]]) is lw.float32
    assert lw.default_dtype(item=[]) is lw.float32
    assert lw.default_dtype(item=np.float64(1)) is lw.float64
    assert lw.default_dtype(item=x.data) is lw.int8
    assert lw.default_dtype(as_native=True) == lw.as_native_dtype(lw.float32)


def test_creation_follows_the_four_steps(backend: str) -> None:
    assert lw.asarray([1, 2.5]).dtype is lw.float32
    assert lw.asarray([1, 2.5], dtype=lw.int8).dtype is lw.int8
    assert lw.asarray(3).dtype is lw.int32 and lw.asarray(3j).dtype is lw.complex64
    with lw.using(default_float="float64", default_int="int64"):
        assert (lw.asarray([1, 2.5]).dtype, lw.asarray([1]).dtype, lw.asarray(1j).dtype) == (
            "float64", "int64", "complex128"
        )  # fmt: skip


def test_the_default_of_a_kind() -> None:
    assert lw.default_float_dtype(item=np.float16(1)) is lw.float16
    assert lw.default_float_dtype(item=1) is lw.float32
    assert lw.default_int_dtype(item=lw.asarray([1], dtype=lw.int8)) is lw.int8
    assert lw.default_int_dtype(item=lw.asarray([1], dtype=lw.uint8)) is lw.int32
    assert lw.default_uint_dtype(item=lw.asarray([1], dtype=lw.uint8)) is lw.uint8
    assert lw.default_complex_dtype(item=[1j, 2]) is lw.complex64
    assert lw.default_float_dtype(item=[np.float64(1), 2]) is lw.float64


def test_the_dtype_of_a_thing(backend: str) -> None:
    for d in lw.all_dtypes:
        assert lw.dtype(lw.asarray([1], dtype=d)) is d
    assert [lw.dtype(v) for v in (True, 1, 1.5, 1j)] == ["bool", "int32", "float32", "complex64"]


# --- import ----------------------------------------------------------------------------------------------------------


def test_importing_the_dtypes_loads_no_framework() -> None:
    code = "import sys, latticework.core.dtypes; print(sorted({'numpy', 'torch', 'ml_dtypes', 'jax'} & {*sys.modules}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert done.stdout.strip() == "[]"


def test_only_the_rules_in_force_are_loaded() -> None:
    code = (
        "import sys, latticework; from latticework.promotion import RULES; "
        "print([n for n in RULES if f'latticework.promotion.{n}' in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert done.stdout.strip() == "['unified']"


def test_dtypes_module_has_nothing_that_the_rows_do_not_say() -> None:
    for d in lw.all_dtypes:
        assert getattr(dtypes, "bool_" if d == "bool" else d.name) is d
