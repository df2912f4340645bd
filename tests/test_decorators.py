"""What a function declares of itself: dtypes and devices, for each version of a framework.

Comments name the place in the Ivy document's "Data Types" chapter that says what a test is about.
"""

from __future__ import annotations

import functools
import pickle
import subprocess
import sys
from importlib import metadata

import numpy as np
import pytest
from support import frames

import latticework as lw
from latticework.backend import versions
from latticework.errors import BackendError
from latticework.support import decorators

ALL = {
    "with_supported_dtypes": {"2.0": ("float32",)},
    "with_unsupported_dtypes": {"2.0": ("float32",)},
    "with_supported_devices": {"2.0": ("cpu",)},
    "with_unsupported_devices": {"2.0": ("gpu",)},
    "with_supported_device_and_dtypes": {"2.0": {"cpu": ("float32",)}},
    "with_unsupported_device_and_dtypes": {"2.0": {"cpu": ("float16",)}},
}


def half(x):
    return x / 2


@lw.with_supported_dtypes({"2.0 and below": ("float32",), "2.1 and above": ("float",)}, "2.13.0")
def at_module_level(x):
    """Half of it."""
    return x / 2


# --- versions -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        ("1.12.1", ["1.12.1", "1.12.1.0"], ["1.12", "1.12.2", "2.0"]),
        ("2.0.1 and below", ["2.0.1", "2.0", "1.13", "0.1"], ["2.0.2", "2.1"]),
        ("1.12.1 and above", ["1.12.1", "1.13", "2.0", "10.0"], ["1.12", "1.9", "0.1"]),
        ("1.11 to 1.13", ["1.11", "1.11.5", "1.12", "1.13", "1.13.0"], ["1.10.9", "1.13.1", "2.0"]),
        ("  2.0   and   below ", ["1.9"], ["2.0.1"]),
    ],
)
def test_forms_of_versions(text: str, inside: list[str], outside: list[str]) -> None:
    given = versions.parse(text)
    assert all(versions.order(v) in given for v in inside)
    assert not any(versions.order(v) in given for v in outside)


@pytest.mark.parametrize(
    "text",
    ["", "2.0.1 and later", "2.0.1+", "below 2.0", "v2.0", "2.0 to", "2.x", ">=2", "1.0 to 2.0 to 3.0", 2.0, None],
)
def test_other_forms_are_refused_at_once(text: object) -> None:
    with pytest.raises(ValueError, match="is no version or range of versions; write '2.0.1', '2.0.1 and below'"):
        lw.with_supported_dtypes({text: ("float32",)}, "2.0")


def test_a_range_without_versions_is_refused() -> None:
    with pytest.raises(ValueError, match="holds no version"):
        lw.with_supported_dtypes({"2.0 to 1.0": ()}, "2.0")


@pytest.mark.parametrize("build", ["2.13.0+cpu", "2.13.0.dev1", "2.13.0rc2", "2.13.0"])
def test_a_build_counts_as_its_release(build: str) -> None:
    limited = lw.with_supported_dtypes({"2.13": ("float64",), "2.0": ()}, build)(half)
    assert limited.supported_dtypes == (lw.float64,)


# --- dtypes -------------------------------------------------------------------------------------------------------


# Supported and Unsupported Data Types, the paragraph on classes of dtypes.
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("valid", lw.all_dtypes),
        ("numeric", lw.all_numeric_dtypes),
        ("float", lw.all_float_dtypes),
        ("integer", lw.all_int_dtypes),
        ("unsigned", lw.all_uint_dtypes),
        ("complex", lw.all_complex_dtypes),
        ("bool", (lw.Dtype("bool"),)),
        (lw.float32, (lw.float32,)),
    ],
)
def test_classes_of_dtypes(name: str, expected: tuple[lw.Dtype, ...]) -> None:
    only = lw.with_supported_dtypes({"2.0": (name,)}, "2.0")(half)
    assert only.supported_dtypes == expected
    assert {*only.supported_dtypes, *only.unsupported_dtypes} == {*lw.all_dtypes}
    without = lw.with_unsupported_dtypes({"2.0": (name,)}, "2.0")(half)
    assert without.unsupported_dtypes == expected
    assert not {*without.supported_dtypes} & {*expected}


# Supported and Unsupported Data Types, the example after that paragraph.
def test_a_class_and_names_together() -> None:
    limited = lw.with_unsupported_dtypes({"2.0.1 and below": ("unsigned", "bfloat16", "float16")}, "2.0.1")(half)
    assert limited.unsupported_dtypes == (*lw.all_uint_dtypes, lw.bfloat16, lw.float16)
    assert lw.int8 in limited.supported_dtypes


# Supported and Unsupported Data Types, the first paragraph: what is not mentioned.
def test_supported_and_unsupported_dtypes_are_refused_and_taken() -> None:
    only = lw.with_supported_dtypes({"2.0": ("float32", "float64")}, "2.0")(half)
    without = lw.with_unsupported_dtypes({"2.0": ("float32", "float64")}, "2.0")(half)
    for dtype in lw.all_dtypes:
        x = lw.ones(2, dtype=dtype)
        taking, refusing = (only, without) if dtype in (lw.float32, lw.float64) else (without, only)
        assert taking(x).shape == (2,)
        for _ in range(2):  # it is remembered, and still refused
            with pytest.raises(BackendError, match=f"^half: .* {dtype}.*Cast first: lw.astype"):
                refusing(x)


def test_the_error_names_function_dtype_version_and_the_way_out() -> None:
    with pytest.raises(TypeError) as caught:
        at_module_level(lw.asarray([1]))
    assert str(caught.value) == (
        "at_module_level: takes bfloat16, float16, float32 and float64 in version 2.13.0 (2.1 and above); got int32. "
        "Cast first: lw.astype(x, lw.float64). Or allow a cast: lw.using(casting='cross') computes in float32"
    )
    limited = lw.with_unsupported_dtypes({"1.0": ("float16",)}, "2.0")(half)
    with pytest.raises(TypeError) as caught:
        limited(lw.asarray([1.0], dtype=lw.float16))
    assert str(caught.value) == (
        "half: does not take float16 in version 2.0 (not listed: as 1.0). Cast first: lw.astype(x, lw.float32). "
        "Or allow a cast: lw.using(casting='up') computes in float32"
    )
    narrow = lw.with_unsupported_dtypes({"1.0": ("float64",)}, "1.0")(half)
    with pytest.raises(
        TypeError, match=r"Cast first: lw.astype\(x, lw.float32\).*casting='down'\) computes in float32"
    ):
        narrow(lw.asarray([1.0], dtype=lw.float64))
    nothing = lw.with_supported_dtypes({"1.0": ()}, "1.0")(half)
    with pytest.raises(TypeError, match=r"takes no dtype .* Cast first: lw.astype\(x, dtype\)"):
        nothing(lw.asarray([1.0]))


def test_arrays_of_every_kind_are_looked_at() -> None:
    @lw.with_supported_dtypes({"1.0": ("float32",)}, "1.0")
    def take(*args, **kw):
        return len(args) + len(kw)

    fine, bad = lw.asarray([1.0]), lw.asarray([1])
    assert take(fine, 3, None, "text", [fine, (fine, 2)], y=fine, z=np.float32(1)) == 7
    for arguments in ((bad,), (fine, bad), ([fine, bad],), (np.asarray([1]),), ([(np.asarray([1.0]),)],)):
        with pytest.raises(TypeError, match="take: takes float32"):
            take(*arguments)
    with pytest.raises(TypeError, match="take: takes float32"):
        take(fine, y=bad)


# --- which version counts -----------------------------------------------------------------------------------------

LISTED = {
    "1.12.1": ("int8",), "2.0.1 and below": ("int16",), "2.1 to 2.3": ("int32",), "2.6 and above": ("int64",),
}  # fmt: skip


# Supported and Unsupported Data Types, the second paragraph.
# Backend Data Type Bugs, the last example and the sentences after it.
@pytest.mark.parametrize(
    ("version", "dtype"),
    [
        ("0.1", "int16"), ("2.0.1", "int16"), ("1.12.1", "int8"), ("1.12.2", "int16"), ("2.1", "int32"),
        ("2.3", "int32"), ("2.6", "int64"), ("9.0", "int64"),
        # not listed: as the last one before
        ("2.4", "int32"), ("2.3.1", "int32"), ("2.5.9", "int32"), ("2.0.2", "int16"),
    ],
)  # fmt: skip
def test_the_line_that_a_version_falls_under(version: str, dtype: str) -> None:
    for given in (version, {"version": version}):
        assert lw.with_supported_dtypes(LISTED, given)(half).supported_dtypes == (dtype,)
        assert lw.with_unsupported_dtypes(LISTED, given)(half).unsupported_dtypes == (dtype,)


# Backend Data Type Bugs, the last example: a bug came with one version, and a later one is listed nowhere.
def test_a_bug_of_some_versions() -> None:
    listed = {"2.0.1 and below": ("uint8", "bfloat16", "float16"), "1.12.1": ()}
    for version, expected in (
        ("1.12.1", ()), ("1.12", listed["2.0.1 and below"]), ("1.13", listed["2.0.1 and below"]),
        ("2.0.1", listed["2.0.1 and below"]), ("2.13.0+cpu", listed["2.0.1 and below"]),
    ):  # fmt: skip
        assert lw.with_unsupported_dtypes(listed, version)(half).unsupported_dtypes == expected, version


# Backend Data Type Bugs, the paragraph before the last: devices, and what is supported, in the same way.
@pytest.mark.parametrize("name", ALL)
def test_each_kind_goes_by_versions(name: str) -> None:
    (given,) = ALL[name].values()
    some, others = (given, {"gpu": ()}) if isinstance(given, dict) else (given, ())
    listed = {"2.0.1 and below": some, "2.1 to 2.3": others}
    attribute = name.removeprefix("with_")
    as_before = getattr(getattr(lw, name)({"1.0": some}, "1.0")(half), attribute)
    for version, first in (("0.5", True), ("2.0.1", True), ("2.0.9", True), ("2.2", False), ("9.0", False)):
        made = getattr(getattr(lw, name)(listed, version)(half), attribute)
        assert (made == as_before) is first, version


def test_a_version_before_all_listed_behaves_as_the_first() -> None:
    listed = {"2.0": ("int8",), "3.0 and above": ("int16",)}
    assert lw.with_supported_dtypes(listed, "1.0")(half).supported_dtypes == ("int8",)
    assert lw.with_supported_dtypes(listed, "2.5")(half).supported_dtypes == ("int8",)


# Supported and Unsupported Data Types, the third paragraph, on frontend functions.
def test_a_framework_by_name_is_looked_up_when_it_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def version(name: str) -> str:
        asked.append(name)
        return "2.2.0+cu118"

    monkeypatch.setattr(metadata, "version", version)
    limited = lw.with_unsupported_dtypes(LISTED, "torch")(half)
    assert not asked
    with pytest.raises(TypeError, match=r"does not take int32 with torch 2.2.0 \(2.1 to 2.3\)"):
        limited(lw.asarray([1]))
    assert limited(lw.asarray([1.0])) == 0.5
    assert limited.unsupported_dtypes == ("int32",)
    assert asked == ["torch"]


def test_a_framework_that_is_not_installed_behaves_as_its_last_version(monkeypatch: pytest.MonkeyPatch) -> None:

    def version(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", version)
    limited = lw.with_supported_dtypes(LISTED, "paddle")(half)
    assert limited.supported_dtypes == ("int64",)
    with pytest.raises(TypeError, match="with paddle, which is not installed, .not listed: as 2.6 and above"):
        limited(lw.asarray([1.0]))


def test_it_imports_no_framework() -> None:
    code = """
import sys, latticework as lw
assert not any(name.startswith("latticework.support") for name in sys.modules)
@lw.with_unsupported_dtypes({"9.0 and below": ("float16",)}, "torch")
def f(x): return x
assert f.unsupported_dtypes in (("float16",), ())
assert not {"torch", "numpy", "jax", "tensorflow"} & {*sys.modules}, "imported"
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


@pytest.mark.parametrize(
    ("version", "message"),
    [("trch", "'trch' is no version and no framework; did you mean 'torch'"), (2.0, "the version must be a string"),
     ({"release": "2.0"}, "the version must be a string"), ("", "'' is no version and no framework")],
)  # fmt: skip
def test_what_is_no_version_is_refused_at_once(version: object, message: str) -> None:
    for name, listed in ALL.items():
        with pytest.raises(TypeError, match=f"{name}: {message}"):
            getattr(lw, name)(listed, version)


# --- misuse ---------------------------------------------------------------------------------------------------------


# Supported and Unsupported Data Types, the first paragraph: only one of the two.
@pytest.mark.parametrize("name", ALL)
def test_only_one_of_each_kind(name: str) -> None:
    kind = name.partition("supported_")[2]
    limited = getattr(lw, name)(ALL[name], "2.0")(half)
    for other in ("with_supported_", "with_unsupported_"):
        message = f"{other}{kind}: half is decorated with {name} already; only one of them can hold"
        with pytest.raises(TypeError, match=message):
            getattr(lw, other + kind)(ALL[other + kind], "2.0")(limited)
        wrapped = functools.wraps(limited)(lambda x: limited(x) + 0)
        with pytest.raises(TypeError, match=message):
            getattr(lw, other + kind)(ALL[other + kind], "2.0")(wrapped)
    others = [n for n in ALL if not n.endswith(f"supported_{kind}")]
    assert callable(getattr(lw, others[0])(ALL[others[0]], "2.0")(limited))  # of another kind


@pytest.mark.parametrize("name", ["with_supported_dtypes", "with_unsupported_dtypes"])
def test_unknown_dtypes_are_refused_at_once(name: str) -> None:
    for listed, message in (
        (("flaot32",), "'flaot32' is no dtype and no class of them; did you mean 'float32'"),
        (("floats",), "'floats' is no dtype and no class of them; did you mean 'float'"),
        ((32,), "32 is no dtype and no class of them"),
        (("int4",), "'int4' is no dtype"),  # one of promotion rules only
        ("float32", "dtypes are given in a tuple or list; got 'float32'"),
        (None, "dtypes are given in a tuple or list"),
    ):
        with pytest.raises(TypeError, match=f"{name}: {message}"):
            getattr(lw, name)({"2.0": listed}, "2.0")


def test_unknown_devices_are_refused_at_once() -> None:
    with pytest.raises(TypeError, match="with_supported_devices: 'cdua' is no kind of device; did you mean 'cuda'"):
        lw.with_supported_devices({"2.0": ("cdua",)}, "2.0")
    with pytest.raises(TypeError, match="'gpus' is no kind of device; did you mean 'gpu'"):
        lw.with_unsupported_device_and_dtypes({"2.0": {"gpus": ("float32",)}}, "2.0")
    with pytest.raises(TypeError, match="dtypes are given for each device, as"):
        lw.with_supported_device_and_dtypes({"2.0": ("float32",)}, "2.0")
    with pytest.raises(TypeError, match="devices are given in a tuple or list"):
        lw.with_supported_devices({"2.0": "cpu"}, "2.0")


@pytest.mark.parametrize("name", ALL)
def test_what_is_no_dict_or_function_is_refused(name: str) -> None:
    for listed in (("float32",), {}, None):
        with pytest.raises(TypeError, match=f"{name}: takes a dict from versions"):
            getattr(lw, name)(listed, "2.0")
    decorate = getattr(lw, name)(ALL[name], "2.0")
    for what in (3, int, None):
        with pytest.raises(TypeError, match=f"{name}: decorates functions and methods; got"):
            decorate(what)
    for what in (staticmethod(half), classmethod(half)):
        with pytest.raises(TypeError, match=f"Put @{type(what).__name__} above it"):
            decorate(what)


# --- devices --------------------------------------------------------------------------------------------------------


# Backend Data Type Bugs, the paragraph before the last.
def test_devices() -> None:
    x = lw.asarray([1.0, 2.0])
    assert lw.with_supported_devices({"2.0": ("cpu", "gpu")}, "2.0")(half)(x)[0] == 0.5
    limited = lw.with_supported_devices({"2.0": ("gpu", "cuda:0")}, "2.0")(half)
    assert limited.supported_devices == ("gpu", "cuda")
    with pytest.raises(
        BackendError, match=r"half: works on gpu and cuda only in version 2.0 \(2.0\); got an array on cpu"
    ):
        limited(x)
    limited = lw.with_unsupported_devices({"2.0": ("cpu",)}, "2.0")(half)
    assert limited.unsupported_devices == ("cpu",)
    with pytest.raises(BackendError, match="does not take arrays on cpu .* Move it first: x.to_device"):
        limited(np.asarray([1.0]))
    assert lw.function_supported_devices(limited, backend="numpy") == ()
    assert lw.function_unsupported_devices(limited, backend="numpy") == ("cpu",)
    assert decorators.kinds_of("cuda:1") == ("cuda", "gpu") and decorators.kinds_of("/device:GPU:0") == ("gpu",)


def test_devices_and_dtypes_together() -> None:
    x = lw.asarray([1.0])
    only = lw.with_supported_device_and_dtypes({"2.0": {"cpu": ("float32",), "gpu": ("float16",)}}, "2.0")(half)
    assert only.supported_device_and_dtypes == {"cpu": (lw.float32,), "gpu": (lw.float16,)}
    assert only(x) == 0.5
    with pytest.raises(BackendError, match="takes float32 on cpu in version 2.0 .2.0.; got float16. Cast first"):
        only(lw.astype(x, lw.float16))
    without = lw.with_unsupported_device_and_dtypes({"2.0": {"cpu": ("complex",), "gpu": ("float",)}}, "2.0")(half)
    assert without.unsupported_device_and_dtypes["cpu"] == lw.all_complex_dtypes
    assert without(x) == 0.5
    with pytest.raises(BackendError, match="half: does not take complex64 on cpu in version 2.0"):
        without(lw.asarray([1j]))
    assert lw.function_unsupported_dtypes(without, backend="numpy") == lw.all_complex_dtypes


# --- what it is put on ----------------------------------------------------------------------------------------------


def test_it_keeps_name_text_and_signature_and_pickles() -> None:
    import inspect

    assert at_module_level.__name__ == "at_module_level" and at_module_level.__doc__ == "Half of it."
    assert [*inspect.signature(at_module_level).parameters] == ["x"]
    assert pickle.loads(pickle.dumps(at_module_level)) is at_module_level


def test_methods() -> None:
    class Layer:
        dtype = "int8"  # no array's

        @lw.with_supported_dtypes({"2.0": ("float32",)}, "2.0")
        def call(self, x):
            return lw.floor(x)

        @staticmethod
        @lw.with_unsupported_dtypes({"2.0": ("float16",)}, "2.0")
        def plain(x):
            return lw.floor(x)

    layer = Layer()
    assert layer.call(lw.asarray([1.5])) == 1
    assert Layer.plain(lw.asarray([1.5])) == 1
    with pytest.raises(TypeError, match="call: takes float32"):
        layer.call(lw.asarray([1.5], dtype=lw.float64))
    assert lw.function_supported_dtypes(layer.call, backend="numpy") == (lw.float32,)
    assert lw.float16 not in lw.function_supported_dtypes(Layer.plain, backend="numpy")


def test_what_is_declared_limits_what_is_read(backend: str) -> None:
    @lw.with_unsupported_dtypes({"1.0 and above": ("float16", "int8")}, backend)
    def f(x):
        return lw.sort(x)

    def g(x):
        return f(x) + 1

    expected = [d for d in lw.function_supported_dtypes(lw.sort) if d not in (lw.float16, lw.int8)]
    assert [*lw.function_supported_dtypes(f)] == expected
    assert [*lw.function_supported_dtypes(g)] == expected
    decorated = lw.with_supported_dtypes({"1.0": ("float",)}, "1.0")(g)
    assert lw.function_supported_dtypes(decorated) == (lw.bfloat16, lw.float32, lw.float64)


def test_a_function_without_source_is_what_it_declares() -> None:
    sine = lw.with_supported_dtypes({"2.0 and above": ("float32", "float64")}, "numpy")(np.sin)
    assert lw.function_supported_dtypes(sine, backend="numpy") == (lw.float32, lw.float64)
    assert lw.function_supported_dtypes(lambda x: -sine(x), backend="numpy") == (lw.float32, lw.float64)
    assert sine(np.asarray([0.0]))[0] == 0


def test_a_warm_call_costs_one_function_more() -> None:
    limited = lw.with_supported_dtypes({"2.0": ("float32",)}, "2.0")(half)
    x = lw.asarray([1.0, 2.0])
    assert len(frames(lambda: limited(x))) == len(frames(lambda: half(x))) + 1
