"""The fft extension against NumPy's transforms in double precision."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
import scipy.fft
from cases import Shapes, crossed, drawn, due, examples, for_dtype
from hypothesis import given, settings
from hypothesis import strategies as st
from support import NUMPY, check, dtypes, layouts, values, wide

import latticework as lw
from latticework import fft
from latticework.core.dtypes import complex_of, real_of

FULL = [lw.float32, lw.float64, lw.complex64, lw.complex128]
REAL, COMPLEX = FULL[:2], FULL[2:]
NORMS = ["backward", "ortho", "forward"]
#: name -> the dtypes that it is meant for, and the dtype of its result
ONE = {"fft": (FULL, complex_of), "ifft": (FULL, complex_of), "rfft": (REAL, complex_of), "ihfft": (REAL, complex_of),
       "irfft": (COMPLEX, real_of), "hfft": (COMPLEX, real_of)}  # fmt: skip
MANY = {"fftn": (FULL, complex_of), "ifftn": (FULL, complex_of), "rfftn": (REAL, complex_of),
        "irfftn": (COMPLEX, real_of)}  # fmt: skip


@pytest.mark.parametrize("name", ONE)
def test_along_one_axis(backend: str, name: str) -> None:
    ours, numpys = getattr(fft, name), getattr(np.fft, name)
    taken, made_in = ONE[name]
    shapes = Shapes([(8,), (1,), (3, 4)], [(2,), (7,), (5, 2, 3)])
    places = [(shape, axis) for shape in shapes for axis in {-1, 0, len(shape) - 1}]
    cases = [
        (shape, axis, n) for shape, axis in places
        for n in (*drawn((None, 1), name, shape, axis), *drawn((3, 5, 10), name, shape, axis))
        if n is not None or shape[axis] > 1 or name not in ("irfft", "hfft")
    ]  # fmt: skip
    for (shape, axis, n), (dtype, norm) in crossed(cases, itertools.product(taken, NORMS), f"fft.{name}"):
        x = values(dtype, shape)
        expected = numpys(wide(x), n=n, axis=axis, norm=norm)
        scale = float(np.max(np.abs(expected), initial=1))
        check(ours(lw.asarray(x), n=n, axis=axis, norm=norm), expected, made_in(dtype), ulps=16, scale=scale)
    for shape, dtype in crossed(shapes, taken, f"fft.{name}"):
        x = values(dtype, shape)
        expected = numpys(wide(x), n=4)
        for _, a in layouts(x):
            check(ours(a, n=4), expected, made_in(dtype), ulps=16, scale=float(np.max(np.abs(expected))))


@pytest.mark.parametrize("name", MANY)
def test_along_many_axes(backend: str, name: str) -> None:
    ours, numpys = getattr(fft, name), getattr(np.fft, name)
    taken, made_in = MANY[name]
    cases: list[tuple[tuple[int, ...], Any, Any]] = [
        ((4,), None, None), ((3, 4), None, None), ((3, 4), None, (0,)), ((3, 4), None, (1, 0)),
        ((3, 4), (5, 2), (0, 1)), ((3, 4), (2,), (-2,)), ((2, 3, 4), None, (0, 2)), ((2, 3, 4), (4, 6), (-1, 0)),
        ((2, 3, 4), [3, 3, 3], [0, 1, 2]),
    ]  # fmt: skip
    for (shape, s, axes), (dtype, norm) in crossed(cases, itertools.product(taken, NORMS), f"fft.{name}"):
        x = values(dtype, shape)
        expected = numpys(wide(x), s=s, axes=axes, norm=norm)
        scale = float(np.max(np.abs(expected), initial=1))
        for _, a in layouts(x):
            check(ours(a, s=s, axes=axes, norm=norm), expected, made_in(dtype), ulps=16, scale=scale)
    for dtype in taken:
        # -1 is the length that it would be without s
        x = lw.asarray(values(dtype, (3, 4)))
        expected = ours(x)
        check(ours(x, s=(-1, -1), axes=(0, 1)), np.asarray(expected), expected.dtype)


@settings(max_examples=examples(20), deadline=None)
@given(n=st.integers(1, 40), m=st.integers(0, 40), norm=st.sampled_from(NORMS), data=st.data())
def test_inverses(n: int, m: int, norm: Any, data: st.DataObject) -> None:
    """Every inverse gives back what was transformed, cut to or padded to the length, on every backend."""
    dtype = data.draw(st.sampled_from(FULL))
    x = values(dtype, (2, m))
    padded = np.zeros((2, n), x.dtype)
    padded[:, : min(m, n)] = x[:, :n]
    for backend in [b.name for b in lw.backends() if b.installed]:
        with lw.using(backend=backend):
            a = lw.asarray(x)
            there = fft.fft(a, n=n, norm=norm)
            check(fft.ifft(there, norm=norm), padded + 0j, complex_of(dtype), ulps=64, scale=8)
            check(fft.fft(fft.ifft(a, n=n, norm=norm), norm=norm), padded + 0j, complex_of(dtype), ulps=64, scale=8)
            if dtype in REAL:
                check(fft.irfft(fft.rfft(a, n=n, norm=norm), n=n, norm=norm), padded, dtype, ulps=64, scale=8)
                check(fft.hfft(fft.ihfft(a, n=n, norm=norm), n=n, norm=norm), padded, dtype, ulps=64, scale=8)
                both = {"s": (3, n), "axes": (0, 1), "norm": norm}
                made = fft.irfftn(fft.rfftn(a, **both), **both)
                check(made, np.concatenate([padded, np.zeros((1, n), x.dtype)]), dtype, ulps=64, scale=8)


def test_stacks_of_nothing(backend: str) -> None:
    for dtype in FULL:
        x = lw.asarray(values(dtype, (0, 4)))
        for name, (taken, made_in) in ONE.items():
            if dtype in taken:
                expected = getattr(np.fft, name)(np.zeros((0, 4), NUMPY[dtype]), n=6)
                check(getattr(fft, name)(x, n=6), expected, made_in(dtype))
                # nothing but padding
                check(getattr(fft, name)(x, n=3, axis=0), getattr(np.fft, name)(np.zeros((3, 4)), n=3, axis=0),
                      made_in(dtype))  # fmt: skip
        for name, (taken, made_in) in MANY.items():
            if dtype in taken:
                expected = getattr(np.fft, name)(np.zeros((0, 4), NUMPY[dtype]), axes=(1,))
                check(getattr(fft, name)(x, axes=(1,)), expected, made_in(dtype))
    for name in ("fftn", "ifftn"):
        for shape in [(), (2, 3)]:
            x = values(lw.float32, shape)
            check(getattr(fft, name)(lw.asarray(x), axes=()), x + 0j, lw.complex64)


def test_other_dtypes(backend: str) -> None:
    """Integers become the default float, real numbers complex ones, and 16 bits are refused."""
    for name, (taken, made_in) in {**ONE, **MANY}.items():
        for dtype in due(dtypes("integral")):  # the cast is of all functions alike
            x = values(dtype, (6,))
            f, expected = getattr(fft, name), getattr(np.fft, name)(wide(x))
            check(f(lw.asarray(x)), expected, made_in(taken[0] if taken == COMPLEX else lw.float32), ulps=16, scale=16)
            with lw.using(default_float="float64"):
                assert f(lw.asarray(x)).dtype is made_in(taken[1])
    x = lw.asarray(values(lw.float64, (6,)))
    for name in ("irfft", "hfft", "irfftn"):
        assert getattr(fft, name)(x).dtype is lw.float64
    for name in [*ONE, *MANY]:
        for dtype in (lw.float16, lw.bfloat16):
            if "irfft" in name or name == "hfft":
                continue  # they take complex numbers, and those begin at complex64
            with pytest.raises(TypeError, match=rf"fft\.{name}: .*Cast first: lw.astype\(x, lw.float32\)"):
                getattr(fft, name)(lw.astype(x, dtype))
            assert dtype in lw.function_unsupported_dtypes(getattr(fft, name))
    for name in ("rfft", "ihfft", "rfftn"):
        with pytest.raises(TypeError, match=rf"fft\.{name}: takes real floating dtypes"):
            getattr(fft, name)(lw.astype(x, lw.complex64))


@pytest.mark.parametrize("dtype", dtypes("real floating"))
def test_frequencies(backend: str, dtype: lw.Dtype) -> None:
    for n in for_dtype(dtype, (7, 1, 2, 3, 4, 8, 1000), dtypes("real floating"), "fft.fftfreq", "fft.rfftfreq"):
        for d in (1.0, 0.1, 4):
            check(fft.fftfreq(n, d=d, dtype=dtype), np.fft.fftfreq(n, d), dtype, ulps=1)
            check(fft.rfftfreq(n, d=d, dtype=dtype), np.fft.rfftfreq(n, d), dtype, ulps=1)
    check(fft.fftfreq(200_000, dtype=dtype), np.fft.fftfreq(200_000), dtype, ulps=1)
    with lw.using(default_float=dtype, default_dtype="int32"):
        check(fft.fftfreq(4), [0, 0.25, -0.5, -0.25], dtype)
        check(fft.rfftfreq(4), [0, 0.25, 0.5], dtype)


def test_frequencies_on_a_device(backend: str) -> None:
    device = lw.zeros(1).device
    with lw.using(backend="numpy"):
        for f in (fft.fftfreq, fft.rfftfreq):
            assert f(5, device=device).backend == backend
            assert f(5, device=device).device == device


@pytest.mark.parametrize("dtype", dtypes("all"))
def test_shifts(backend: str, dtype: lw.Dtype) -> None:
    shapes = [(3, 4), (), (1,), (4,), (5,), (2, 0, 3)]
    for shape in for_dtype(dtype, shapes, dtypes("all"), "fft.fftshift", "fft.ifftshift"):
        x = values(dtype, shape)
        for axes in [None, *([0, (0,), -1] if shape else []), *([(0, 1), [-1]] if len(shape) > 1 else [])]:
            for _, a in layouts(x):
                check(fft.fftshift(a, axes=axes), np.fft.fftshift(x, axes) if shape else x, dtype)
                check(fft.ifftshift(a, axes=axes), np.fft.ifftshift(x, axes) if shape else x, dtype)
                check(fft.ifftshift(fft.fftshift(a, axes=axes), axes=axes), x, dtype)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda x: fft.fft(x, n=0), r"fft.fft: needs 1 element or more; got 0 along axis -1 of shape \(2, 3\)"),
        (lambda x: fft.ifft(x, n=-1), r"fft.ifft: needs 1 element or more; got -1"),
        (lambda x: fft.rfft(lw.real(x), n=0), r"fft.rfft: needs 1 element or more"),
        (lambda x: fft.irfft(x[:, :1]), r"fft.irfft: needs 1 element or more; got 0"),
        (lambda x: fft.hfft(x[:1], axis=0), r"fft.hfft: needs 1 element or more; got 0"),
        (lambda x: fft.ihfft(lw.real(x[:, :0])), r"fft.ihfft: needs 1 element or more"),
        (lambda x: fft.fft(x[:0], axis=0), r"fft.fft: needs 1 element or more; got 0"),
        (lambda x: fft.fft(x, axis=2), r"fft.fft: axis 2 is out of bounds"),
        (lambda x: fft.fft(x[0, 0]), r"fft.fft: axis -1 is out of bounds.*no axes"),
        (lambda x: fft.fft(x, norm="half"), r"fft.fft: norm is one of 'backward', 'ortho', 'forward'; got 'half'"),
        (lambda x: fft.fftn(x, norm="half"), r"fft.fftn: norm is one of"),
        (lambda x: fft.fftn(x, s=(2, 2)), r"fft.fftn: s needs as many axes.*got s=\(2, 2\) and axes=None"),
        (lambda x: fft.irfftn(x, s=(2,), axes=(0, 1)), r"fft.irfftn: s needs as many axes"),
        (lambda x: fft.ifftn(x, s=(0,), axes=(0,)), r"fft.ifftn: needs 1 element or more; got 0 along axis 0"),
        (lambda x: fft.fftn(x, axes=(0, -2)), r"fft.fftn: axes \(0, -2\) name one axis twice"),
        (lambda x: fft.fftn(x, axes=(0, 5)), r"fft.fftn: axis 5 is out of bounds"),
        (lambda x: fft.fftn(x[:, :0]), r"fft.fftn: needs 1 element or more; got 0 along axis 1"),
        (lambda x: fft.rfftn(lw.real(x), axes=()), r"fft.rfftn: there is no axis"),
        (lambda x: fft.irfftn(x[0, 0]), r"fft.irfftn: there is no axis"),
        (lambda x: fft.irfftn(x[:, :1]), r"fft.irfftn: needs 1 element or more; got 0 along axis 1"),
        (lambda x: fft.fftshift(x, axes=2), r"fft.fftshift: axis 2 is out of bounds"),
        (lambda x: fft.fftfreq(0), r"fft.fftfreq: n has to be 1 or more; got 0"),
        (lambda x: fft.rfftfreq(-3), r"fft.rfftfreq: n has to be 1 or more; got -3"),
    ],
)
def test_errors_say_what_is_wrong(backend: str, call: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call(lw.asarray(values(lw.complex64, (2, 3))))


def test_frequencies_are_real(backend: str) -> None:
    for f in (fft.fftfreq, fft.rfftfreq):
        for dtype in (lw.int32, lw.complex64):
            with pytest.raises(TypeError, match="dtype has to be a real floating one"):
                f(4, dtype=dtype)
        with pytest.raises(TypeError):
            f(2.5)


def test_names() -> None:
    standard = """fft ifft fftn ifftn rfft irfft rfftn irfftn hfft ihfft fftfreq rfftfreq fftshift ifftshift""".split()
    assert {*standard, "fft2", "ifft2", "rfft2", "irfft2", "dct", "idct"} == {*fft.__all__}


# --- beyond the standard --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["fft2", "ifft2", "rfft2", "irfft2"])
def test_two_axes(backend: str, name: str) -> None:
    accepted = {"rfft2": [lw.float32, lw.float64], "irfft2": [lw.complex64, lw.complex128]}
    kinds = accepted.get(name, [lw.float32, lw.float64, lw.complex64, lw.complex128])
    cases = [((3, 4), {}), ((2, 3, 4), {"s": (5, 2)}), ((2, 3, 4), {"axes": (0, 1), "norm": "ortho"})]
    for (shape, options), dtype in crossed(cases, kinds, f"fft.{name}"):
        x = values(dtype, shape)
        result = real_of(dtype) if name == "irfft2" else complex_of(dtype)
        expected = getattr(np.fft, name)(wide(x), **options)
        check(getattr(fft, name)(lw.asarray(x), **options), expected, result, ulps=16, scale=16)
    with pytest.raises(ValueError, match=f"fft.{name}: an axis|axes .* name one axis twice|fft.{name}"):
        getattr(fft, name)(lw.ones((2, 3)), axes=(0, 0))


@pytest.mark.parametrize("kind", [1, 2, 3, 4])
def test_cosine_transforms(backend: str, kind: int) -> None:
    cases = [
        ((2, 5), {}), ((4,), {"norm": "ortho"}), ((2, 5), {"n": 3, "norm": "forward"}), ((3, 2), {"axis": 0, "n": 4}),
        ((2, 0, 4), {"axis": -1}),
    ]  # fmt: skip
    for (shape, options), dtype in crossed(cases, [lw.float32, lw.float64], "fft.dct"):
        x = values(dtype, shape)
        for ours, theirs in ((fft.dct, scipy.fft.dct), (fft.idct, scipy.fft.idct)):
            expected = theirs(wide(x), kind, **options) if x.size else wide(x)
            check(ours(lw.asarray(x), type=kind, **options), expected, dtype, ulps=16, scale=16)


def test_cosine_transforms_refuse_what_has_none() -> None:
    x = lw.ones((2, 1))
    for call, words in (
        (lambda: fft.dct(x, type=5), "fft.dct: type is 1, 2, 3 or 4; got 5"),
        (lambda: fft.idct(x, norm="other"), "fft.idct: norm is None, 'backward', 'ortho' or 'forward'; got 'other'"),
        (
            lambda: fft.dct(x, type=1),
            r"fft.dct: type 1 needs 2 or more elements; got 1 along axis -1 of shape \(2, 1\)",
        ),
        (lambda: fft.dct(x, axis=2), "fft.dct: axis 2 is out of bounds"),
    ):
        with pytest.raises(ValueError, match=words):
            call()
    with pytest.raises(TypeError, match="fft.dct: takes real floating dtypes"):
        fft.dct(lw.asarray([1j]))
