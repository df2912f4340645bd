"""NumPy's functions on arrays of ours: ours where there is one, else NumPy's, with the values that NumPy gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support import LAZY

import latticework as lw
from latticework.engine.numpy_calls import functions, ufuncs

RNG = np.random.default_rng(0)
X = RNG.uniform(0.1, 0.9, (3, 4))
I = RNG.integers(1, 5, (3, 4))  # noqa: E741
MASK = X > 0.4
S = X[:, :3] @ X[:, :3].T + np.eye(3)
#: Numbers of their own for functions that have no answer for those in X.
DOMAIN = {"arccosh": X + 1, "matmul": X[:, :3]}


def values(x: Any) -> list[Any]:
    return list(x) if isinstance(x, (tuple, list)) else [x]


def same(call: Callable[..., Any], *arrays: np.ndarray, ours: bool = True, dtype: bool = True) -> None:
    """The call gives what NumPy gives, as arrays of ours or of NumPy's."""
    want = values(call(*[a.copy() for a in arrays]))
    got = values(call(*[lw.asarray(a) for a in arrays]))
    for g, w in zip(got, want, strict=True):
        if isinstance(w, (np.ndarray, np.generic)):
            assert isinstance(g, lw.Array) is ours, type(g)
            assert not dtype or str(g.dtype) == str(w.dtype)
        np.testing.assert_allclose(np.asarray(g), w, rtol=1e-9, atol=1e-12)


def in_64_bits() -> Any:
    return lw.using(default_float="float64", default_int="int64", default_complex="complex128")


def test_universal_functions_by_name() -> None:
    """Every one in the table, on floats and integers. NumPy's reciprocal of integers is 0; ours is a float."""
    for name in (*ufuncs._SAME_NAME, *ufuncs._OTHER_NAME):
        ufunc = getattr(np, name)
        for x in (DOMAIN.get(name, X), I[:, :3]):
            types = tuple([x.dtype] * ufunc.nin + [None] * ufunc.nout)
            try:
                ufunc.resolve_dtypes(types)
            except TypeError:
                continue
            if name == "reciprocal" and x.dtype.kind == "i":
                continue
            with in_64_bits(), np.errstate(all="ignore"):
                same(ufunc, *[x] * ufunc.nin, dtype=name != "rint")


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "all": lambda x: np.all(x, axis=0),
    "any": lambda x: np.any(x > 0.5, axis=(0, 1), keepdims=True),
    "argmax": lambda x: np.argmax(x, axis=1),
    "argsort": lambda x: [np.argsort(x, axis=0, kind="stable"), np.argsort(x, axis=None)],
    "around": lambda x: [np.around(x, 1), np.round(x, 2), np.round(x)],
    "array_equal": lambda x: [np.array_equal(x, x), np.allclose(x, X, equal_nan=True)],
    "astype": lambda x: np.astype(x, np.complex128),
    "broadcast": lambda x: [np.broadcast_to(x, (2, 3, 4)), *np.broadcast_arrays(x, x[0])],
    "clip": lambda x: [np.clip(x, 0.3, 0.6), np.clip(x, a_min=0.3, a_max=None), np.clip(x, max=0.3)],
    "concatenate": lambda x: [np.concatenate([x, x]), np.concatenate((x, x), 1), np.concatenate([x, x[0]], axis=None)],
    "copy": np.copy,
    "count_nonzero": lambda x: np.count_nonzero(x > 0.5, axis=0),
    "cross": lambda x: np.cross(x[:, :3], x[::-1, :3]),
    "cumsum": lambda x: [np.cumsum(x), np.cumprod(x, 1), np.cumulative_sum(x, axis=0, include_initial=True)],
    "diagonal": lambda x: [np.diagonal(x, 1), np.trace(x)],
    "diff": lambda x: [np.diff(x, axis=0), np.diff(x, 2), np.diff(x, prepend=x[:, :1])],
    "dot": lambda x: [np.dot(x, x.T), np.tensordot(x, x, axes=([1], [1])), np.outer(x[0], [1.0, 2.0])],
    "einsum": lambda x: np.einsum("ij,kj->ik", x, x, optimize=True),
    "fft": lambda x: [np.fft.fft(x), np.fft.rfft(x, n=3, axis=0, norm="ortho"), np.fft.fftshift(x, axes=0)],
    "flip": lambda x: [np.flip(x), np.flip(x, 1), np.fliplr(x), np.roll(x, 1, axis=1)],
    "full_like": lambda x: [np.zeros_like(x, order="C"), np.ones_like(x, dtype=int), np.full_like(x, 3, dtype="int32")],
    "isin": lambda x: [np.isin(x, x[0]), np.isin(x, [0.5, 0.6], invert=True), np.isclose(x, x)],
    "linalg": lambda x: [np.linalg.norm(x), np.linalg.norm(x, axis=1), np.linalg.norm(x, "fro"), np.linalg.norm(x, 2)],
    "max": lambda x: [np.max(x, 0), np.amax(x, axis=1, initial=0.5, where=MASK), np.min(x, axis=-1, keepdims=True)],
    "mean": lambda x: [np.mean(x, axis=1), np.mean(x, dtype=float), np.std(x, ddof=1, axis=0), np.var(x, correction=1)],
    "meshgrid": lambda x: np.meshgrid(x[0], x[1], indexing="ij"),
    "pad": lambda x: [np.pad(x, 1), np.pad(x, ((1, 0), (0, 2)), constant_values=2), np.pad(x, 1, mode="edge")],
    "reshape": lambda x: [np.reshape(x, (4, 3)), np.reshape(x, -1), np.transpose(x), np.permute_dims(x, (1, 0))],
    "repeat": lambda x: [np.repeat(x, 2, axis=0), np.repeat(x[:, 0], [1, 2, 0]), np.tile(x, 2), np.tile(x, (2, 1))],
    "searchsorted": lambda x: np.searchsorted(np.sort(x[0]), x[1], side="right"),
    "shape": lambda x: [np.shape(x)[0], np.ndim(x), np.size(x), np.iscomplexobj(x), np.isrealobj(x)],
    "sort": lambda x: [np.sort(x), np.sort(x, axis=None), np.sort(x, 0, kind="stable")],
    "squeeze": lambda x: [np.squeeze(x[None]), np.expand_dims(x, (0, 1)), np.moveaxis(x, 0, 1), np.swapaxes(x, 0, 1)],
    "split": lambda x: [*np.split(x, [1, 2]), *np.array_split(x, 2, axis=1), *np.unstack(x, axis=1)],
    "stack": lambda x: [np.stack([x, x], axis=-1), np.hstack([x, x]), np.vstack([x, x]), np.column_stack([x, x])],
    "sum": lambda x: [np.sum(x), np.sum(x, 0, keepdims=True), np.sum(x, axis=1, where=MASK, initial=3.0), np.prod(x)],
    "take": lambda x: [np.take(x, [0, 1], axis=1), np.take(x, [0, 5]), np.take_along_axis(x, np.argsort(x), axis=1)],
    "tril": lambda x: [np.tril(x), np.triu(x, 1), np.real(x), np.imag(x), np.nan_to_num(x)],
    "unique": lambda x: [np.unique(x), np.unique_values(x), *np.unique_all(x)],
    "where": lambda x: [np.where(x > 0.5, x, 0), *np.where(x > 0.5), *np.nonzero(x > 0.5)],
    "operators": lambda x: [np.exp(1j * x), np.float64(2) * x, np.float64(0.5) < x, np.add(x, [1, 2, 3, 4])],
    "dtype": lambda x: [np.add(x, 1, dtype=np.complex128), np.sum(x, dtype="complex128")],
    "divmod": lambda x: np.divmod(x, 0.3),
    "reduce": lambda x: [np.add.reduce(x), np.multiply.reduce(x, 1, keepdims=True), np.maximum.reduce(x, axis=None)],
    "accumulate": lambda x: [np.add.accumulate(x, axis=1), np.multiply.accumulate(x)],
    "outer": lambda x: [np.subtract.outer(x[0], x[1]), np.multiply.outer(x[0], x)],
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name: str) -> None:
    """On one backend: which function of ours is called does not depend on it."""
    with in_64_bits():
        same(FUNCTIONS[name], X, dtype=name != "around")


def test_linear_algebra() -> None:
    names = (
        "det eigvalsh inv cholesky slogdet svdvals pinv matrix_rank matrix_norm vector_norm matrix_transpose".split()
    )
    with in_64_bits():
        for name in names:
            same(getattr(np.linalg, name), S)
        same(np.linalg.solve, S, S[:, :1])
        same(lambda x: np.linalg.svd(x, compute_uv=False), S)
        same(lambda x: np.linalg.matrix_power(x, 2), S)
        same(lambda x: [np.abs(v) for v in np.linalg.qr(x)], S)
        same(lambda x: np.linalg.qr(x, mode="raw"), S, ours=False)


def test_the_tables_name_functions_that_there_are() -> None:
    """A name that NumPy or latticework does not have would never be met."""
    for name in functions._SAME_NAME:
        chapter, _, last = name.rpartition(".")
        for module in (np, lw):
            assert callable(getattr(getattr(module, chapter) if chapter else module, last)), name
    for name in (*functions._SPECIAL, *functions.WRITING):
        chapter, _, last = name.rpartition(".")
        assert callable(getattr(getattr(np, chapter) if chapter else np, last)), name


def test_ours_on_each_backend(backend: str) -> None:
    with in_64_bits():
        x, y = lw.asarray(X), lw.asarray(X)
        for got, want in [
            (np.sqrt(x), np.sqrt(X)), (np.add(x, 1), X + 1), (np.exp(1j * x), np.exp(1j * X)), (np.mean(x), np.mean(X)),
            (np.concatenate([x, y]), np.concatenate([X, X])), (np.add.reduce(x, axis=1), X.sum(1)),
            (np.float64(2) * x, 2 * X), (np.float64(0.5) < x, X > 0.5),
        ]:  # fmt: skip
            assert isinstance(got, lw.Array)
            assert got.backend == backend
            np.testing.assert_allclose(np.asarray(got), want, rtol=1e-12)
        for got, want in [
            (np.cbrt(x), np.cbrt(X)), (np.median(x, axis=0), np.median(X, axis=0)), (np.atleast_2d(x), X),
            (np.add.reduceat(x, [0, 1]), np.add.reduceat(X, [0, 1])),
        ]:  # fmt: skip
            assert type(got) is np.ndarray
            np.testing.assert_allclose(got, want, rtol=1e-12)


def test_what_numpy_writes(backend: str) -> None:
    """`out=` gets the result and is returned; so is what other functions write into their first argument."""
    with in_64_bits():
        x = lw.asarray(X)
        out = lw.zeros_like(x)
        assert np.add(x, 1, out=out) is out
        np.testing.assert_allclose(np.asarray(out), X + 1)
        assert np.multiply(x, 2, out=out, where=x > 0.5) is out
        np.testing.assert_allclose(np.asarray(out), np.where(X > 0.5, X * 2, X + 1))
        row = lw.zeros(4)
        assert np.sum(x, axis=0, out=row) is row
        np.testing.assert_allclose(np.asarray(row), X.sum(0))
        assert np.median(x, axis=0, out=row) is row
        np.testing.assert_allclose(np.asarray(row), np.median(X, axis=0))
        np.add.at(row, [0, 0], 1.0)
        np.testing.assert_allclose(np.asarray(row), np.median(X, axis=0) + np.asarray([2, 0, 0, 0]))
        np.copyto(row, x[0])
        np.testing.assert_allclose(np.asarray(row), X[0])
        narrow = lw.zeros((3, 4), dtype=lw.float32)
        np.add(x, 1, out=narrow)
        assert narrow.dtype is lw.float32
        with pytest.raises(TypeError, match=r"out: an array of int64 does not take a result of float64\. Give"):
            np.add(x, 1, out=lw.zeros((3, 4), dtype=lw.int64))
        theirs = np.zeros((3, 4))
        assert np.add(x, 1, out=theirs) is theirs
        theirs += x
        np.testing.assert_allclose(theirs, 2 * X + 1)


def test_nothing_is_computed_for_a_shape(backend: str) -> None:
    if backend not in LAZY:
        pytest.skip("computes at once")
    import dask

    def refuse(*_: Any, **__: Any) -> Any:
        raise AssertionError("computed")

    x = lw.asarray(X)
    with dask.config.set(scheduler=refuse):
        assert np.shape(x) == (3, 4)
        assert np.result_type(x, np.float32) == np.float64
        assert np.sqrt(x).shape == (3, 4)


class Other:
    """An array class with hooks of its own."""

    def __array_ufunc__(self, *_: Any, **__: Any) -> str:
        return "the other's"

    def __array_function__(self, *_: Any, **__: Any) -> str:
        return "the other's"


def test_whose_turn_it_is() -> None:
    x = lw.asarray([1.0, 2.0])
    assert np.add(x, Other()) == "the other's"
    assert np.concatenate([x, Other()]) == "the other's"
    with pytest.raises(TypeError):
        np.add(x, "text")
    assert np.add(np.asarray(["a"], dtype=object), np.asarray(["b"])).dtype == object


@pytest.mark.needs("torch")
def test_an_array_of_numpys_is_of_a_backend() -> None:
    with lw.using(backend="torch"), pytest.raises(lw.errors.BackendError, match="two backends, numpy and torch"):
        np.ones(2) + lw.asarray([1.0, 2.0])


def test_a_call_that_is_wrong_says_so() -> None:
    x = lw.asarray([1.0, 2.0])
    with pytest.raises(TypeError, match="unexpected keyword argument 'axes'"):
        np.sum(x, axes=0)
    with pytest.raises(lw.errors.AxisError, match="sum: axis 3"):
        np.sum(x, axis=3)
    with pytest.raises(ValueError, match="add: shapes"):
        np.add(x, lw.ones(3))
