"""The Dask backend: nothing is computed before it is asked for, chunks stay, extents may be unknown, and a cluster of
worker processes computes more than one of them could hold."""

from __future__ import annotations

import os
import pickle
import signal
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from support import NUMPY, check, dtypes, values

import latticework as lw

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")

from latticework import fft, linalg

X = values(lw.float32, (6, 4))


@pytest.fixture(autouse=True)
def _on_dask() -> Iterator[None]:
    with dask.config.set(scheduler="synchronous"), lw.using(backend="dask"), np.errstate(all="ignore"):
        yield


class Computed(BaseException):
    """Nothing catches it by accident."""


def refuse(*args: Any, **options: Any) -> None:
    raise Computed


def chunked(data: Any, chunks: Any = 2) -> lw.Array:
    return lw.asarray(da.from_array(np.asarray(data), chunks=chunks))


def of_dtype(dtype: lw.Dtype, shape: tuple[int, ...] = (6, 4)) -> lw.Array:
    """Of positive numbers: nothing is out of a function's domain."""
    return chunked(values(dtype, shape, low=1, high=3))


# --- nothing is computed ---------------------------------------------------------------------------------------------

A, B = lw.Array, lw.Array
SQUARE = np.eye(4, dtype=np.float32) * 3 + 1
#: name -> what is done with x, float32 of shape (6, 4) in chunks of (2, 2); y, of the same kind; and i, int64 in it.
CALLS: dict[str, Callable[[Any, Any, Any], Any]] = {
    **{
        name: (lambda x, y, i, f=getattr(lw, name): f(x))
        for name in """abs acos acosh asin asinh atan atanh ceil conj cos cosh exp expm1 floor imag isfinite isinf isnan
        log log10 log1p log2 negative positive real reciprocal round sign signbit sin sinh sqrt square tan tanh trunc
        all any argmax argmin argsort count_nonzero cumulative_sum diff max mean min nonzero prod sort std sum var
        unique_all unique_counts unique_inverse unique_values flip empty_like ones_like zeros_like tril triu
        matrix_transpose isclose nan_to_num ravel transpose logical_not""".split()
        if name not in ("cumulative_sum", "isclose")
    },
    **{
        name: (lambda x, y, i, f=getattr(lw, name): f(x, y))
        for name in """add atan2 copysign divide equal floor_divide greater greater_equal hypot less less_equal logaddexp
        maximum minimum multiply nextafter not_equal pow remainder subtract logical_and logical_or logical_xor isin
        isclose vecdot""".split()
    },
    **{
        name: (lambda x, y, i, f=getattr(lw, name): f(i, i))
        for name in "bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor".split()
    },
    "bitwise_invert": lambda x, y, i: lw.bitwise_invert(i),
    "scalars": lambda x, y, i: (x + 1, 2 * x, x**0.5, x == 1, lw.clip(x, 1, 2.5), lw.where(x > 1, x, 0.0)),
    "in place": lambda x, y, i: x.__iadd__(y).__imul__(2),
    "astype": lambda x, y, i: [lw.astype(x, d) for d in dtypes("all")],
    "around": lambda x, y, i: lw.around(x, decimals=1),
    "clip": lambda x, y, i: lw.clip(x, y, None),
    "where": lambda x, y, i: lw.where(x > y, x, y),
    "reductions along an axis": lambda x, y, i: [
        f(x, axis=a, keepdims=k)
        for f in (lw.sum, lw.prod, lw.max, lw.min, lw.mean, lw.var, lw.std, lw.all, lw.any, lw.count_nonzero, lw.argmax)
        for a in (0, -1) for k in (True, False)
    ],
    "cumulative": lambda x, y, i: [
        f(x, axis=a, include_initial=n) for f in (lw.cumulative_sum, lw.cumulative_prod) for a in (0, 1)
        for n in (True, False)
    ],
    "sort": lambda x, y, i: (lw.sort(x, axis=0, descending=True), lw.argsort(x, axis=0)),
    "searchsorted": lambda x, y, i: lw.searchsorted(x[:, 0], y),
    "broadcasting": lambda x, y, i: (lw.broadcast_to(x, (2, 6, 4)), lw.broadcast_arrays(x, y[0]), x + y[:, :1]),
    "joining": lambda x, y, i: (lw.concat([x, y]), lw.concat([x, y], axis=None), lw.stack([x, y], axis=1), lw.hstack([x, y])),
    "taking apart": lambda x, y, i: (lw.unstack(x), lw.split(x, 2, axis=1)),
    "shapes": lambda x, y, i: (
        lw.reshape(x, (4, 6)), lw.reshape(x, (-1,), order="F"), lw.expand_dims(x, axis=(0, -1)), lw.permute_dims(x, (1, 0)),
        lw.squeeze(x[:1], axis=0), lw.moveaxis(x, 0, 1), lw.roll(x, 1), lw.roll(x, (1, 2), axis=(0, 1)), lw.tile(x, (2, 1)),
        lw.repeat(x, 2, axis=0), lw.repeat(x, lw.asarray([1, 2, 3, 0]), axis=1), lw.repeat(x, i[:, 0], axis=0), lw.pad(x, 1),
    ),
    "creation": lambda x, y, i: (
        lw.zeros((3, 4)), lw.ones(3), lw.empty(2), lw.full((2, 2), 7), lw.eye(3), lw.arange(9), lw.linspace(0, 1, 5),
        lw.full_like(x, 2), lw.full((2, 4), x[0]), lw.meshgrid(x[:, 0], y[0]), lw.asarray([1, 2]), lw.asarray([x[0, 0], y[0, 0]]),
        lw.asarray(X), lw.asarray(x, copy=True), x.copy(),
    ),
    "reading": lambda x, y, i: (
        x[0], x[0, 1], x[::-1, ::2], x[..., None], x[1:3, lw.asarray([0, -1])], x[i[:, 0] % 6], x[i % 6, i % 4], x[x > 0],
        x[x[:, 0] > 0], x[:, x[0] > 0], x[i[0, 0] % 6], lw.take(x, i[:, 0] % 6, axis=0), lw.take_along_axis(x, i % 6, axis=0),
    ),
    "writing": lambda x, y, i: [
        x.__setitem__(key, value)
        for key, value in [
            (0, 1.0), (..., y), (slice(None), y[0]), ((slice(1, 3), 0), y[1:3, 1]), (x > 0, 0.0), (i[:, 0] % 6, y),
            ((i % 6, i % 4), 1), (lw.asarray([0, 2]), y[:2]), (y > 0, y[0, 0]), (x[:, 0] > 0, 3),
        ]
    ],
    "products": lambda x, y, i: (x @ y.T, y.T @ x, lw.tensordot(x, y), lw.tensordot(x, y, axes=((0,), (0,))), x[0] @ y[0]),
    "linalg": lambda x, y, i: [
        f(lw.asarray(da.from_array(SQUARE, chunks=2)))
        for f in (linalg.cholesky, linalg.det, linalg.diagonal, linalg.eig, linalg.eigh, linalg.eigvals, linalg.eigvalsh,
                  linalg.inv, linalg.matrix_norm, linalg.matrix_rank, linalg.pinv, linalg.qr, linalg.slogdet, linalg.svd,
                  linalg.svdvals, linalg.trace, linalg.vector_norm)
    ],
    "more linalg": lambda x, y, i: (
        linalg.svd(x, full_matrices=False), linalg.qr(x.data.rechunk((2, -1))), linalg.solve(chunked(SQUARE), y[:4]),
        linalg.matrix_power(chunked(SQUARE), 3), linalg.cross(x[:, :3], y[:, :3]), linalg.outer(x[0], y[0]),
    ),
    "fft": lambda x, y, i: (
        fft.fft(x), fft.ifft(x, axis=0), fft.rfft(x), fft.irfft(x + 0j), fft.hfft(x + 0j), fft.ihfft(x), fft.fftn(x),
        fft.ifftn(x), fft.rfftn(x), fft.irfftn(x + 0j), fft.fftshift(x), fft.ifftshift(x), fft.fftfreq(5), fft.rfftfreq(5),
    ),
    "looking at it": lambda x, y, i: (
        repr(x), str(x[x > 0]), x.shape, x.size, x.nbytes, x.dtype, x.device, x.ndim, len(x), x.data, x[x > 0].shape, x.T,
        x.mT, lw.plan(lw.add, x, y), pickle.dumps(x), lw.asarray(x.data), x.to_device("cpu"), x.__dlpack_device__(),
        x.__array_namespace__(),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_nothing_is_computed(name: str) -> None:
    x, y, i = chunked(X), chunked(values(lw.float32, (6, 4), seed=1)), chunked(values(lw.int64, (6, 4), low=0))
    with dask.config.set(scheduler=refuse):
        made = CALLS[name](x, y, i)
        for one in made if isinstance(made, (tuple, list)) else [made]:
            assert not isinstance(one, lw.Array) or one.backend == "dask"


def test_what_computes() -> None:
    one = chunked([[2.0]])
    asked: list[Callable[[lw.Array], Any]] = [
        bool, float, int, complex, np.asarray, lambda x: x.item(), lambda x: x.tolist(), lambda x: x.compute(),
        lambda x: x.data.compute(), dask.compute, lambda x: 2.0 in x, lambda x: lw.asarray(x, backend="numpy"),
        np.from_dlpack,
    ]  # fmt: skip
    for ask in asked:
        x = one[0, 0] if ask in (float, int, complex) else one
        with dask.config.set(scheduler=refuse), pytest.raises(Computed):
            ask(x)
        ask(x)
    assert (bool(one), float(one[0, 0]), one.item(), one.tolist()) == (True, 2.0, 2.0, [[2.0]])


def test_repr_shows_dtype_shape_and_chunks() -> None:
    assert repr(chunked(X)) == "Array(<dask>, shape=(6, 4), chunks=(2, 2), dtype=float32)"
    assert repr(chunked(X, ((1, 5), (4,)))) == "Array(<dask>, shape=(6, 4), chunks=((1, 5), 4), dtype=float32)"
    x = chunked([1, 2, 3])
    assert repr(x[x > 1]) == "Array(<dask>, shape=(None,), chunks=((None, None),), dtype=int64)"
    assert repr(lw.asarray(1)) == "Array(<dask>, shape=(), chunks=(), dtype=int32)"


# --- chunks and dtypes -----------------------------------------------------------------------------------------------


def test_chunks_are_kept() -> None:
    chunks = ((1, 3, 2), (3, 1))
    x = chunked(X, chunks)
    y = x + 1
    for made in (
        x + y, x * 2, lw.exp(x), lw.astype(x, lw.int8), x > 0, lw.where(x > 0, x, y), lw.clip(x, 0, 1), lw.isnan(x), x + y[0],
        lw.tril(x), lw.roll(x, 2, axis=0), lw.cumulative_sum(x, axis=0), lw.isin(x, y), lw.searchsorted(y[0], x), x.copy(),
        lw.sum(x[None], axis=0), x.T.T, x[None][0], lw.concat([x[:1], x[1:]]),
    ):  # fmt: skip
        assert made.data.chunks == chunks
    assert lw.sum(x, axis=0).data.chunks == chunks[1:]
    assert lw.mean(x, axis=1, keepdims=True).data.chunks == (chunks[0], (1,))
    assert lw.sort(x, axis=0).data.chunks == ((6,), chunks[1])
    assert (x @ y.T).data.chunks == (chunks[0], chunks[0])
    for key, value in [(0, 1), ((slice(1, 4), 2), 5), (x > 0, 0), (lw.asarray([0, 5]), y[:2]), (..., y)]:
        z = x.copy()
        z[key] = value
        assert z.data.chunks == chunks
    x += 1
    assert x.data.chunks == chunks
    assert lw.zeros((6, 4)).data.chunks == ((6,), (4,))
    with dask.config.set({"array.chunk-size": "64B"}):
        assert max(map(len, lw.ones((6, 4)).data.chunks)) > 1
        assert max(map(len, lw.asarray(np.ones((60, 4))).data.chunks)) > 1
        check(lw.arange(100), np.arange(100), lw.int32)
        check(lw.eye(12, 15, k=2), np.eye(12, 15, k=2), lw.float32)


def test_reductions_go_in_a_tree() -> None:
    data = np.random.default_rng(0).normal(3, 2, (240, 6)).astype(np.float32)
    x = chunked(data, (1, 2))
    wide = data.astype(float)
    for axis in (None, 0, 1, (0, 1)):
        for name in ("sum", "mean", "var", "std", "max", "min"):
            for keepdims in (True, False):
                made = getattr(lw, name)(x, axis=axis, keepdims=keepdims)
                check(made, getattr(np, name)(wide, axis=axis, keepdims=keepdims), lw.float32, ulps=16)
        check(lw.any(x > 8, axis=axis), (data > 8).any(axis=axis), lw.bool)
        check(lw.count_nonzero(x > 3, axis=axis), np.count_nonzero(data > 3, axis=axis), lw.int64)
    most = max(len(task.dependencies) for task in dict(lw.sum(x).data.dask).values() if hasattr(task, "dependencies"))
    assert most <= 16
    ones = lw.ones((5000,), dtype=lw.float16)
    check(lw.sum(lw.asarray(ones.data.rechunk(7))), 5000, lw.float16)
    check(lw.cumulative_sum(lw.asarray(ones.data.rechunk(700)))[-1], 5000, lw.float16)
    check(lw.mean(lw.asarray(ones.data.rechunk(7) * np.float16(60000))), 60000, lw.float16)
    check(lw.var(chunked(data.astype(complex), 7)), np.var(data), lw.float64, ulps=2**32)


def test_the_first_of_equal_places() -> None:
    data = np.array([[0, 5, 1, 5], [5, 0, 0, 0], [2, 5, 0, -1]])
    for chunks in ((1, 2), (2, 1), (3, 4), (2, 3)):
        x = chunked(data, chunks)
        for axis in (None, 0, 1):
            check(lw.argmax(x, axis=axis), np.argmax(data, axis=axis), lw.int64)
            check(lw.argmin(x, axis=axis, keepdims=True), np.argmin(data, axis=axis, keepdims=True), lw.int64)
    with_nan = np.array([1.0, np.nan, 3.0, np.nan], dtype=np.float32)
    check(lw.argmax(chunked(with_nan, 1)), 1, lw.int64)


def test_sixteen_bits_in_chunks() -> None:
    for dtype in (lw.float16, lw.bfloat16):
        a, b = values(dtype, (6, 50), low=-1, high=1), values(dtype, (50, 5), low=-1, high=1)
        want = a.astype(float) @ b.astype(float)
        check(chunked(a, (2, 7)) @ chunked(b, (7, 3)), want, dtype, ulps=1)
        check(lw.tensordot(chunked(a, (2, 7)), chunked(b, (7, 3)), axes=1), want, dtype, ulps=1)


def test_tall_matrices_stay_in_chunks() -> None:
    rng = np.random.default_rng(0)
    for dtype in (lw.float32, lw.float64, lw.complex64, lw.complex128):
        data = rng.normal(size=(40, 6)) + (1j * rng.normal(size=(40, 6)) if dtype.kind == "c" else 0)
        data = data.astype(NUMPY[dtype])
        tol = 1e3 * lw.finfo(dtype).eps
        for rows in ((10,) * 4, (3, 20, 17), (2,) * 20):
            x = chunked(data, (rows, 6))
            Q, R = linalg.qr(x)
            U, S, Vh = linalg.svd(x, full_matrices=False)
            assert Q.data.chunks == U.data.chunks == (rows, (6,))
            assert (R.shape, S.shape, Vh.shape) == ((6, 6), (6,), (6, 6))
            np.testing.assert_allclose(np.asarray(Q @ R), data, atol=tol)
            np.testing.assert_allclose(np.asarray((U * S) @ Vh), data, atol=tol)
            np.testing.assert_allclose(np.asarray(U.T.conj() @ U), np.eye(6), atol=tol)
            np.testing.assert_allclose(np.asarray(S), np.linalg.svd(data)[1], rtol=tol)
            np.testing.assert_allclose(np.asarray(linalg.svdvals(x)), np.asarray(S), rtol=tol)
            assert not np.tril(np.asarray(R), -1).any()
            U, S, Vh = linalg.svd(x.T, full_matrices=False)
            assert Vh.data.chunks == ((6,), rows)
            np.testing.assert_allclose(np.asarray((U * S) @ Vh), data.T, atol=tol)
            kept = x[chunked(np.arange(40) % 3 > 0, 7)]
            np.testing.assert_allclose(np.asarray(linalg.svdvals(kept)), np.linalg.svd(data[np.arange(40) % 3 > 0])[1],
                                       rtol=tol)  # fmt: skip


def test_dask_arrays_are_taken_as_they_are() -> None:
    native = da.from_array(X, chunks=(4, 3))
    x = lw.asarray(native)
    assert x.backend == "dask"
    assert x.data is native
    assert lw.add(native, native).data.chunks == native.chunks
    check(x + np.float32(1), X + 1, lw.float32)
    with lw.using(backend="numpy"):
        assert lw.asarray(native).backend == "dask"
        assert lw.asarray(native, backend="numpy").backend == "numpy"
    y = lw.asarray(native, copy=True)
    y[0] = 0
    check(lw.asarray(native), X, lw.float32)
    swapped = lw.asarray(da.from_array(X.astype(">f4"), chunks=2))
    check(swapped, X, lw.float32)
    with pytest.raises(TypeError, match="MaskedArray cannot be used"):
        lw.asarray(da.ma.masked_array(native))
    with pytest.raises(lw.errors.BackendError, match="arrays of two backends"):
        lw.add(x, lw.asarray(X, backend="numpy"))


# --- unknown extents -------------------------------------------------------------------------------------------------


def test_unknown_extents() -> None:
    x = chunked(X)
    some = x[x > 0]
    want = X[X > 0]
    assert (some.shape, some.size, some.nbytes, some.ndim) == ((None,), None, None, 1)
    doubled = some * 2 + some
    check(doubled, want * 3, lw.float32)
    check(lw.sum(some), want.sum(), lw.float32, ulps=16)
    check(lw.mean(some), want.mean(), lw.float32, ulps=16)
    check(lw.std(some), want.std(), lw.float32, ulps=16)
    check(lw.max(some), want.max(), lw.float32)
    check(lw.sort(some), np.sort(want), lw.float32)
    check(lw.cumulative_sum(some), np.cumsum(want), lw.float32, ulps=16)
    check(lw.concat([some, some]), np.concatenate([want, want]), lw.float32)
    check(lw.astype(some, lw.float64)[:, None] * chunked(np.ones((1, 3))), want[:, None] * np.ones(3), lw.float64)
    check(some[some > 1], want[want > 1], lw.float32)
    check(lw.unique_values(some), np.unique(want), lw.float32)
    check(lw.reshape(some, (-1,)), want, lw.float32)
    check(x[lw.nonzero(x)], X[X.nonzero()], lw.float32)
    rows = x[x[:, 0] > 0]
    assert rows.shape == (None, 4)
    check(lw.sum(rows, axis=0), X[X[:, 0] > 0].sum(axis=0), lw.float32)
    check(rows @ x.T, X[X[:, 0] > 0] @ X.T, lw.float32, scale=50)
    check(rows[:, 1:3], X[X[:, 0] > 0][:, 1:3], lw.float32)
    some += 1
    check(some, want + 1, lw.float32)
    some[some > 2] = 0
    check(some, np.where(want + 1 > 2, 0, want + 1), lw.float32)
    assert x[chunked(X) == X.max()].item() == X.max()
    assert bool(chunked([1, 0])[chunked([True, False])])


def test_extents_that_are_written_down_are_known() -> None:
    x = chunked(X)
    assert x[lw.asarray([True, False, True] * 2)].shape == (4, 4)
    assert x[lw.asarray(X > 0)].shape == (int((X > 0).sum()),)
    assert lw.repeat(x, lw.asarray([1, 2, 0, 3]), axis=1).shape == (6, 6)
    with pytest.raises(IndexError, match="index 6 is out of bounds for axis 0 of extent 6"):
        x[lw.asarray([0, 6])]


def test_what_needs_an_extent_is_refused() -> None:
    some = chunked(X)[chunked(X) > 0]
    for ask in (
        lambda: some[0], lambda: some[1:], lambda: lw.flip(some), lambda: lw.reshape(some, (2, -1)), lambda: lw.roll(some, 1),
        lambda: lw.zeros_like(some), lambda: lw.unstack(some), lambda: fft.fft(some), lambda: lw.argmax(lw.stack([some, some])),
        lambda: some.__setitem__(0, 1.0), lambda: lw.broadcast_to(some, (3, 4)), lambda: some + chunked([1.0, 2.0, 3.0], 3),
        lambda: linalg.det(lw.stack([some, some])),
    ):  # fmt: skip
        with pytest.raises(ValueError, match="not known"):
            ask()
    with pytest.raises(TypeError, match="not known"):
        len(some)
    some.data.compute_chunk_sizes()
    assert some.shape == (int((X > 0).sum()),)
    check(some[0], X[X > 0][0], lw.float32)


def test_positions_are_checked_when_they_are_computed() -> None:
    x, i = chunked(X), chunked([0, 5]) + 1
    made = [x[i], lw.take(x, i, axis=0), lw.take_along_axis(x, i[:, None] + lw.zeros((2, 4), dtype=lw.int64), axis=0)]
    y = x.copy()
    y[i] = 1.0
    for late in (*made, y):
        with pytest.raises(IndexError, match="out of bounds"):
            np.asarray(late)
    with pytest.raises(linalg.LinAlgError, match="linalg.inv: a matrix is singular"):
        linalg.inv(chunked(np.zeros((4, 4)))).compute()


# --- a collection of Dask's ------------------------------------------------------------------------------------------


def test_it_is_a_collection() -> None:
    x = chunked(values(lw.bfloat16, (5, 3)))
    y = x + 1
    assert dask.is_dask_collection(x)
    assert not dask.is_dask_collection(lw.asarray(X, backend="numpy"))
    one, other = dask.compute(x, {"y": y})
    assert (one.backend, one.dtype, other["y"].dtype) == ("numpy", lw.bfloat16, lw.bfloat16)
    check(other["y"], np.asarray(y), lw.bfloat16)
    (kept,) = dask.persist(y)
    assert (kept.backend, kept.data.chunks) == ("dask", y.data.chunks)
    check(kept, np.asarray(y), lw.bfloat16)
    assert y.compute().backend == "numpy"
    assert dask.base.tokenize(x) == dask.base.tokenize(lw.asarray(x.data))
    here = lw.asarray([1, 2], backend="numpy")
    assert here.compute() is here
    with pytest.raises(AttributeError, match="'Array' object has no attribute 'nope'"):
        _ = here.nope


def test_what_is_shared_is_computed_once() -> None:
    calls: list[int] = []

    def count(block: np.ndarray) -> np.ndarray:
        calls.append(1)
        return block

    x = lw.asarray(da.from_array(X, chunks=(2, -1)).map_blocks(count, dtype=X.dtype, meta=X[:0, :0]))
    dask.compute(lw.mean(x), lw.std(x, axis=0), linalg.svd(x, full_matrices=False).S, lw.unique_counts(x).counts)
    assert len(calls) == 3


def test_pickles() -> None:
    for made in (chunked(X), chunked(X) * 2, lw.sum(chunked(X), axis=0), linalg.svd(chunked(X), full_matrices=False).S):
        check(pickle.loads(pickle.dumps(made)), np.asarray(made), lw.float32)


# --- a cluster -------------------------------------------------------------------------------------------------------

ROWS, COLUMNS, BLOCK = 1_600_000, 48, 25_000  # 614 MB of float64, in blocks of 10 MB
LIMIT = 320 << 20


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    """Two worker processes, each of which may hold about half of the array."""
    distributed = pytest.importorskip("distributed")
    with (
        dask.config.set(
            {"distributed.worker.memory.recent-to-old-time": "0s", "distributed.comm.timeouts.connect": "60s"}
        ),
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            memory_limit=LIMIT,
            host="127.0.0.1",
            dashboard_address=None,
            silence_logs=50,
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def source() -> da.Array:
    """Normal numbers with columns of different spread and correlated, made where they are computed."""
    rng = da.random.default_rng(7)
    native = rng.standard_normal((ROWS, COLUMNS), chunks=(BLOCK, COLUMNS))
    spread = np.linspace(1, 3, COLUMNS)
    return native * spread + native[:, :1] * np.cos(np.arange(COLUMNS))


def pca(x: lw.Array, k: int, compute: Callable[..., Any]) -> tuple[Any, Any, Any]:
    """Latticework code: components, singular values, and of the projected data the sum of each column's squares."""
    mean, std = (lw.asarray(m, backend="dask") for m in compute(lw.mean(x, axis=0), lw.std(x, axis=0)))
    z = (x - mean) / std
    _, S, Vh = linalg.svd(z, full_matrices=False)
    signs = lw.sign(lw.take_along_axis(Vh, lw.argmax(lw.abs(Vh), axis=1, keepdims=True), axis=1))
    S, Vh = (lw.asarray(m, backend="dask") for m in compute(S, Vh * signs))
    scores = z @ Vh[:k, :].T
    return (*compute(Vh[:k, :], S[:k], lw.sum(scores * scores, axis=0)),)


def by_hand(blocks: Iterator[np.ndarray], k: int) -> tuple[np.ndarray, np.ndarray]:
    """The same of the covariance, which NumPy adds up of the blocks."""
    total, products = np.zeros(COLUMNS), np.zeros((COLUMNS, COLUMNS))
    for block in blocks:
        total += block.sum(axis=0)
        products += block.T @ block
    mean = total / ROWS
    covariance = products / ROWS - np.outer(mean, mean)
    std = np.sqrt(np.diag(covariance))
    eigenvalues, vectors = np.linalg.eigh(covariance / np.outer(std, std))
    components = vectors[:, ::-1].T[:k]
    signs = np.sign(np.take_along_axis(components, np.abs(components).argmax(axis=1, keepdims=True), axis=1))
    return components * signs, np.sqrt(eigenvalues[::-1][:k] * ROWS)


def test_pca_on_a_cluster(client: Any) -> None:
    native = source()
    assert native.nbytes > 1.5 * LIMIT
    reference = by_hand((np.asarray(b.compute(scheduler="synchronous")) for b in native.blocks), 3)
    with dask.config.set(scheduler="distributed"):
        x = lw.asarray(native)
        components, singular, squares = pca(x, 3, dask.compute)
        check(components, reference[0], lw.float64, ulps=2**24)
        check(singular, reference[1], lw.float64, ulps=2**20)
        check(squares, reference[1] ** 2, lw.float64, ulps=2**20)

        pids = client.run(os.getpid)
        made = client.compute(lw.sum(lw.sqrt(lw.abs(x)) @ components_of(components)))
        scheduler = client.cluster.scheduler
        wait_for(lambda: sum(t.state == "memory" for t in scheduler.tasks.values()) > 2)
        os.kill(next(iter(pids.values())), signal.SIGKILL)
        wait_for(lambda: set(client.run(os.getpid, on_error="ignore").values()) != {*pids.values()})
        got = made.result(timeout=60)
        assert type(got) is lw.Array
    want = sum(
        float((np.sqrt(np.abs(b.compute(scheduler="synchronous"))) @ reference[0].T).sum()) for b in native.blocks
    )
    check(got, want, lw.float64, ulps=2**24)


def components_of(components: lw.Array) -> lw.Array:
    return lw.asarray(components.T, backend="dask")


def wait_for(condition: Callable[[], bool], seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_arrays_go_to_workers_and_back(client: Any) -> None:
    with lw.using(backend="numpy"):
        for dtype in lw.all_dtypes:
            x = lw.asarray(values(dtype, (2, 3)))
            check(client.submit(lw.reshape, x, (3, 2)).result(), values(dtype, (2, 3)).reshape(3, 2), dtype)
    with dask.config.set(scheduler="distributed"):
        check(chunked(X) * 2, X * 2, lw.float32)
        check(client.compute(chunked(X) * 2).result(), X * 2, lw.float32)
        check(client.persist(chunked(X) * 2), X * 2, lw.float32)
