"""The linalg extension: what the decompositions have to satisfy, and NumPy's answers in double precision."""

from __future__ import annotations

import itertools
import pickle
import tracemalloc
from collections.abc import Callable
from math import inf
from typing import Any

import numpy as np
import pytest
from cases import Shapes, crossed, drawn, due, for_case, for_dtype, in_turn, sampled
from support import IMMUTABLE, NUMPY, check, check_equal, dtypes, extremes, layouts, values, wide

import latticework as lw
from latticework import linalg
from latticework.core.dtypes import complex_of, real_of

FULL = [lw.float32, lw.float64, lw.complex64, lw.complex128]
NARROW = [lw.bfloat16, lw.float16]
SQUARE = Shapes([(5, 5), (2, 3, 3), (0, 0), (0, 3, 3)], [(1, 1), (2, 2), (2, 1, 4, 4), (2, 0, 0)])
MATRICES = Shapes(
    [*SQUARE.few, (2, 3), (4, 2), (2, 3, 4), (0, 3), (2, 0, 3)],
    [*SQUARE.more, (1, 5), (6, 1), (3, 0), (0, 2, 3)],
)
#: Errors of the routines, in units of the last place of the matrices' size.
ULPS = 64


def matrices(dtype: lw.Dtype, shape: tuple[int, ...], *, seed: int = 0) -> np.ndarray:
    """Matrices that are well conditioned where they are square: random ones and something on the diagonal."""
    x = values(dtype, shape, seed=seed, low=-1, high=1)
    return (x + 4 * np.eye(*shape[-2:], dtype=x.dtype)).astype(x.dtype)


def hermitian(dtype: lw.Dtype, shape: tuple[int, ...]) -> np.ndarray:
    """Hermitian and positive definite."""
    x = matrices(dtype, shape)
    return (x @ adjoint(x)).astype(x.dtype)


def adjoint(x: np.ndarray) -> np.ndarray:
    return np.conj(np.swapaxes(x, -1, -2))


def eye_like(x: lw.Array, n: int) -> np.ndarray:
    return np.broadcast_to(np.eye(n), (*x.shape[:-2], n, n))


def orthonormal(columns: lw.Array) -> None:
    """Assert that the columns of each matrix have length 1 and are at right angles."""
    dtype = columns.dtype
    product = lw.matmul(lw.conj(columns.mT), columns)
    check(product, eye_like(columns, columns.shape[-1]), dtype, ulps=ULPS, scale=1)


# --- decompositions -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", FULL)
def test_cholesky(backend: str, dtype: lw.Dtype) -> None:
    for shape in for_dtype(dtype, SQUARE, FULL, "linalg.cholesky"):
        x = hermitian(dtype, shape)
        lower = np.linalg.cholesky(wide(x))
        for _, a in layouts(x):
            check(linalg.cholesky(a), lower, dtype, ulps=ULPS, scale=8)
            check(linalg.cholesky(a, upper=True), adjoint(lower), dtype, ulps=ULPS, scale=8)
        assert (np.triu(np.asarray(linalg.cholesky(lw.asarray(x))), 1) == 0).all()
        # the other triangle is not read
        check(linalg.cholesky(lw.asarray(np.tril(x))), lower, dtype, ulps=ULPS, scale=8)
        check(linalg.cholesky(lw.asarray(np.triu(x)), upper=True), adjoint(lower), dtype, ulps=ULPS, scale=8)


@pytest.mark.parametrize("dtype", FULL)
def test_eigh(backend: str, dtype: lw.Dtype) -> None:
    for shape in for_dtype(dtype, SQUARE, FULL, "linalg.eigh", "linalg.eigvalsh"):
        x = hermitian(dtype, shape)
        expected = np.linalg.eigvalsh(wide(x))
        for _, a in layouts(x):
            made = linalg.eigh(a)
            assert made._fields == ("eigenvalues", "eigenvectors")
            check(made.eigenvalues, expected, real_of(dtype), ulps=ULPS, scale=30)
            check(linalg.eigvalsh(a), expected, real_of(dtype), ulps=ULPS, scale=30)
            orthonormal(made.eigenvectors)
            scaled = made.eigenvectors * lw.astype(made.eigenvalues, dtype)[..., None, :]
            check(scaled @ lw.conj(made.eigenvectors.mT), x, dtype, ulps=ULPS, scale=30)
        check(linalg.eigvalsh(lw.asarray(np.tril(x))), expected, real_of(dtype), ulps=ULPS, scale=30)


@pytest.mark.parametrize("dtype", FULL)
def test_eig(backend: str, dtype: lw.Dtype) -> None:
    made_in = complex_of(dtype)
    for shape in for_dtype(dtype, SQUARE, FULL, "linalg.eig", "linalg.eigvals"):
        x = matrices(dtype, shape)
        for _, a in layouts(x):
            made = linalg.eig(a)
            assert made._fields == ("eigenvalues", "eigenvectors")
            values_, vectors = made
            assert values_.dtype is vectors.dtype is made_in
            left = lw.astype(a, made_in) @ vectors
            check(left, wide(vectors) * wide(values_)[..., None, :], made_in, ulps=ULPS, scale=8)
            lengths = linalg.vector_norm(vectors, axis=-2)
            check(lengths, np.ones(lengths.shape), real_of(dtype), ulps=ULPS)
            alone = linalg.eigvals(a)
            ordered = np.sort_complex(np.round(wide(alone), 3)), np.sort_complex(np.round(wide(values_), 3))
            np.testing.assert_allclose(*ordered, atol=3e-3)
            check(alone, wide(alone), made_in)
    # complex eigenvalues of a real matrix, and real ones that are complex numbers all the same
    turn = lw.asarray(np.array([[0, -1], [1, 0]], NUMPY[dtype]))
    np.testing.assert_allclose(sorted(wide(linalg.eigvals(turn)).imag), [-1, 1], atol=1e-6)
    check(linalg.eigvals(lw.asarray(np.eye(2, dtype=NUMPY[dtype]))), [1, 1], made_in)


@pytest.mark.parametrize("dtype", FULL)
def test_qr(backend: str, dtype: lw.Dtype) -> None:
    cases = itertools.product([*MATRICES, (70, 40), (40, 70)], ("reduced", "complete"))
    for shape, mode in for_dtype(dtype, cases, FULL, "linalg.qr"):
        x, (m, n) = matrices(dtype, shape), shape[-2:]
        k = min(m, n) if mode == "reduced" else m
        for _, a in layouts(x):
            made = linalg.qr(a, mode=mode)
            assert made._fields == ("Q", "R")
            assert made.Q.shape == (*shape[:-2], m, k)
            assert made.R.shape == (*shape[:-2], k, n)
            orthonormal(made.Q)
            check(made.Q @ made.R, x, dtype, ulps=ULPS, scale=6)
            check_equal(made.R, lw.triu(made.R))
            if dtype.kind == "c":
                check(lw.imag(linalg.diagonal(made.R)), np.zeros((*shape[:-2], min(k, n))), real_of(dtype))
            # up to the signs there is one answer
            expected = np.abs(np.linalg.qr(wide(x), mode).R)
            check(lw.abs(made.R), expected, real_of(dtype), ulps=4 * ULPS, scale=8)


@pytest.mark.parametrize("dtype", [lw.float32, lw.complex64])
def test_qr_of_awkward_matrices(backend: str, dtype: lw.Dtype) -> None:
    zeros = np.zeros((3, 3), NUMPY[dtype])
    Q, R = linalg.qr(lw.asarray(zeros))
    orthonormal(Q)
    check(R, zeros, dtype)
    Q, R = linalg.qr(lw.asarray(np.eye(4, 3, dtype=NUMPY[dtype])), mode="complete")
    orthonormal(Q)
    check(lw.abs(R), np.eye(4, 3), real_of(dtype))
    broken = np.eye(3, dtype=NUMPY[dtype])
    broken[1, 1] = np.nan
    assert lw.isnan(linalg.qr(lw.asarray(broken)).R[1, 1]).item()
    for size in (1e30, 1e-30):  # whose squares are out of range
        x = matrices(dtype, (4, 3)) * NUMPY[dtype].type(size)
        Q, R = linalg.qr(lw.asarray(x))
        orthonormal(Q)
        check((Q @ (R / size)), x / size, dtype, ulps=ULPS, scale=6)


@pytest.mark.parametrize("dtype", FULL)
def test_svd(backend: str, dtype: lw.Dtype) -> None:
    for shape in for_dtype(dtype, MATRICES, FULL, "linalg.svd", "linalg.svdvals"):
        x, (m, n), k = matrices(dtype, shape), shape[-2:], min(shape[-2:])
        expected = np.linalg.svd(wide(x), compute_uv=False)
        for _, a in layouts(x):
            made = linalg.svd(a)
            assert made._fields == ("U", "S", "Vh")
            assert made.U.shape == (*shape[:-2], m, m)
            assert made.Vh.shape == (*shape[:-2], n, n)
            orthonormal(made.U)
            orthonormal(lw.conj(made.Vh.mT))
            U, S, Vh = linalg.svd(a, full_matrices=False)
            assert U.shape == (*shape[:-2], m, k)
            assert Vh.shape == (*shape[:-2], k, n)
            check((U * lw.astype(S, dtype)[..., None, :]) @ Vh, x, dtype, ulps=ULPS, scale=6)
            for found in (made.S, S, linalg.svdvals(a)):
                check(found, expected, real_of(dtype), ulps=ULPS, scale=6)


# --- determinants, inverses, solvers --------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", FULL)
def test_det_and_slogdet(backend: str, dtype: lw.Dtype) -> None:
    for shape in for_dtype(dtype, SQUARE, FULL, "linalg.det", "linalg.slogdet"):
        x = matrices(dtype, shape)
        x[..., :1, :] *= -1
        sign, log = np.linalg.slogdet(wide(x))
        for _, a in layouts(x):
            check(linalg.det(a), np.linalg.det(wide(x)), dtype, ulps=ULPS, scale=4.0 ** shape[-1])
            made = linalg.slogdet(a)
            assert made._fields == ("sign", "logabsdet")
            check(made.sign, sign, dtype, ulps=ULPS, scale=1)
            check(made.logabsdet, log, real_of(dtype), ulps=ULPS, scale=1)
    zero = lw.asarray(np.zeros((2, 2), NUMPY[dtype]))
    check(linalg.det(zero), 0, dtype)
    check(linalg.slogdet(zero).sign, 0, dtype)
    check(linalg.slogdet(zero).logabsdet, -inf, real_of(dtype))
    check(linalg.det(lw.asarray(np.zeros((0, 0), NUMPY[dtype]))), 1, dtype)


@pytest.mark.parametrize("dtype", FULL)
def test_inv(backend: str, dtype: lw.Dtype) -> None:
    for shape in for_dtype(dtype, SQUARE, FULL, "linalg.inv"):
        x = matrices(dtype, shape)
        for _, a in layouts(x):
            check(linalg.inv(a), np.linalg.inv(wide(x)), dtype, ulps=ULPS, scale=1)


SOLVE = [
    ((3, 3), (3,)), ((3, 3), (3, 2)), ((2, 3, 3), (3,)), ((2, 3, 3), (3, 3)), ((3, 3, 3), (3, 3)), ((3, 3), (2, 3, 1)),
    ((2, 1, 3, 3), (4, 3, 2)), ((0, 0), (0,)), ((0, 0), (0, 2)), ((3, 3), (3, 0)), ((0, 3, 3), (3,)),
    ((0, 3, 3), (3, 2)), ((2, 2, 2), (2, 2)), ((3, 2, 2), (2,)), ((4, 3, 2, 2), (3, 2, 2)),
]  # fmt: skip


@pytest.mark.parametrize("shapes", SOLVE, ids=str)
def test_solve(backend: str, shapes: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    """x2 is a vector where it has one axis and a stack of matrices else, whatever the lengths."""
    for dtype in for_case(shapes, SOLVE, FULL, "linalg.solve"):
        x1, x2 = matrices(dtype, shapes[0]), values(dtype, shapes[1], seed=1)
        inverse = np.linalg.inv(wide(x1))
        expected = inverse @ wide(x2)
        for _, a in layouts(x1):
            for _, b in layouts(x2):
                check(linalg.solve(a, b), expected, dtype, ulps=ULPS, scale=4)


@pytest.mark.parametrize("dtype", FULL)
def test_pinv_and_matrix_rank(backend: str, dtype: lw.Dtype) -> None:
    for shape in for_dtype(dtype, MATRICES, FULL, "linalg.pinv", "linalg.matrix_rank"):
        x = matrices(dtype, shape)
        for _, a in layouts(x):
            check(linalg.pinv(a), np.linalg.pinv(wide(x)), dtype, ulps=ULPS, scale=1)
            check(linalg.matrix_rank(a), np.full(shape[:-2], min(shape[-2:])), lw.int32)
    x = np.zeros((2, 3, 2), NUMPY[dtype])
    x[0, 0, 0], x[1, 0, 0], x[1, 1, 1] = 2, 4, 1
    a, real = lw.asarray(x), NUMPY[real_of(dtype)]
    check(linalg.matrix_rank(a), [1, 2], lw.int32)
    check(linalg.pinv(a), np.linalg.pinv(wide(x)), dtype, ulps=ULPS)
    # rtol: a number, an array of each precision, one for each matrix
    check(linalg.matrix_rank(a, rtol=0.5), [1, 1], lw.int32)
    check(linalg.matrix_rank(a, rtol=0.25), [1, 1], lw.int32)  # what is equal counts as 0
    check(linalg.matrix_rank(a, rtol=2), [0, 0], lw.int32)
    for rtol in (np.float32(0.5), np.array([0.5, 0.1], real), np.array([0.5, 0.1])):
        want = np.linalg.matrix_rank(wide(x), rtol=np.asarray(rtol, np.float64))
        check(linalg.matrix_rank(a, rtol=lw.asarray(rtol)), want, lw.int32)
        want = np.linalg.pinv(wide(x), rcond=np.asarray(rtol, np.float64))
        check(linalg.pinv(a, rtol=lw.asarray(rtol)), want, dtype, ulps=ULPS)
    with lw.using(default_int="int64"):
        check(linalg.matrix_rank(a), [1, 2], lw.int64)


@pytest.mark.parametrize("dtype", [*NARROW, *FULL])
def test_matrix_power(backend: str, dtype: lw.Dtype) -> None:
    for shape in for_dtype(dtype, SQUARE, [*NARROW, *FULL], "linalg.matrix_power"):
        x = matrices(dtype, shape)
        for n in (0, 1, 2, 3, 6, *((-1, -2) if dtype in FULL else ())):
            expected = np.linalg.matrix_power(wide(x), n)
            scale = float(np.max(np.linalg.matrix_power(np.abs(wide(x)), abs(n)), initial=1))
            for _, a in layouts(x):
                check(linalg.matrix_power(a, n), expected, dtype, ulps=ULPS, scale=scale)
    x = lw.asarray(matrices(dtype, (2, 2)))
    made = linalg.matrix_power(x, 1)
    made[0, 0] = 0
    assert x[0, 0].item() != 0


# --- products and diagonals -----------------------------------------------------------------------------------------


CROSS = [
    ((3,), (3,), -1), ((2, 3), (2, 3), -1), ((3, 2), (3, 2), -2), ((3, 2), (3, 2), 0), ((2, 3), (3,), -1),
    ((3,), (4, 2, 3), -1), ((2, 1, 3), (4, 3), -1), ((3, 1), (2, 3, 5), -2), ((0, 3), (3,), -1),
]  # fmt: skip


@pytest.mark.parametrize(("shape1", "shape2", "axis"), CROSS)
def test_cross(backend: str, shape1: Any, shape2: Any, axis: int) -> None:
    for dtype in for_case((shape1, shape2, axis), CROSS, dtypes("numeric"), "linalg.cross"):
        x1, x2 = values(dtype, shape1), values(dtype, shape2, seed=1)
        n = axis if axis < 0 else axis - x1.ndim
        a, b = (np.moveaxis(wide(x), n, -1) for x in (x1, x2))
        with np.errstate(all="ignore"):
            parts = [a[..., i - 2] * b[..., i - 1] - a[..., i - 1] * b[..., i - 2] for i in range(3)]
        expected = np.stack(parts, axis=n)
        expected = expected.astype(x1.dtype) if dtype.kind in "iu" else expected
        for _, y in layouts(x1):
            check(linalg.cross(y, lw.asarray(x2), axis=axis), expected, dtype, scale=32)


@pytest.mark.parametrize("dtype", dtypes("numeric"))
def test_outer(backend: str, dtype: lw.Dtype) -> None:
    for n, m in [(3, 4), (1, 1), (0, 3), (3, 0)]:
        x1, x2 = values(dtype, (n,)), values(dtype, (m,), seed=1)
        for _, a in layouts(x1):
            check(linalg.outer(a, lw.asarray(x2)), np.multiply.outer(wide(x1), wide(x2)).astype(x1.dtype), dtype)


@pytest.mark.parametrize("dtype", dtypes("all"))
def test_diagonal(backend: str, dtype: lw.Dtype) -> None:
    shapes = [(3, 3), (2, 4), (4, 2), (2, 3, 4), (0, 3), (3, 0), (0, 2, 2)]
    cases = itertools.product(shapes, (0, 1, -1, 2, -3, 9, -9))
    for shape, offset in for_dtype(dtype, cases, lw.all_dtypes, "linalg.diagonal"):
        x = values(dtype, shape)
        for _, a in layouts(x):
            check(linalg.diagonal(a, offset=offset), np.diagonal(x, offset, -2, -1), dtype)
    if backend in IMMUTABLE:
        return
    x = lw.asarray(values(dtype, (2, 2)), copy=True)
    x.diagonal()[...] = lw.zeros((2,), dtype=dtype)
    check(x, np.asarray(values(dtype, (2, 2))) * np.array([[0, 1], [1, 0]], NUMPY[dtype]), dtype)


@pytest.mark.parametrize("dtype", dtypes("numeric"))
def test_trace(backend: str, dtype: lw.Dtype) -> None:
    default = {"i": lw.int32, "u": lw.uint32}.get(dtype.kind)
    summed = default if default and default.bits > dtype.bits else dtype
    shapes = [(3, 3), (2, 4), (2, 3, 4), (0, 3), (3, 0), (0, 2, 2), (2, 0, 0)]
    cases = itertools.product(shapes, (0, 1, -1, 9))
    for shape, offset in for_dtype(dtype, cases, dtypes("numeric"), "linalg.trace"):
        x = values(dtype, shape)
        expected = np.trace(wide(x), offset, -2, -1)
        for _, a in layouts(x):
            check(linalg.trace(a, offset=offset), expected, summed, scale=12)
    check(lw.asarray(values(dtype, (3, 3))).trace(), np.trace(wide(values(dtype, (3, 3)))), summed, scale=12)
    wider = {"i": lw.int64, "u": lw.uint64, "f": lw.float64, "c": lw.complex128}[dtype.kind]
    x = extremes(dtype) if dtype.kind in "iu" else values(dtype, (5,))
    expected = np.sum(x.astype(NUMPY[wider]), dtype=NUMPY[wider])
    check(linalg.trace(lw.asarray(np.diag(x)), dtype=wider), expected, wider)


# --- norms ----------------------------------------------------------------------------------------------------------


def norm(x: np.ndarray, axis: Any, order: float, keepdims: bool) -> np.ndarray:
    """Of the definition, in double precision."""
    sizes = np.abs(wide(x))
    with np.errstate(all="ignore"):
        if abs(order) == inf:
            return np.asarray((np.max if order > 0 else np.min)(sizes, axis=axis, keepdims=keepdims))
        if order == 0:
            return np.asarray(np.sum(sizes != 0, axis=axis, keepdims=keepdims))
        return np.asarray(np.sum(sizes**order, axis=axis, keepdims=keepdims) ** (1 / order))


ORDERS = [2, 1, 0, inf, -inf, -1, -2, 3, 0.5, 3.5, -1.5]
NORMED: dict[tuple[int, ...], list[Any]] = {
    (2, 3): [None, 0, -1, (0, 1), (1,)], (): [None], (4,): [None, 0, -1], (2, 3, 4): [-1, (1,)], (0, 3): [-1, (1,)],
}  # fmt: skip


@pytest.mark.parametrize("order", ORDERS)
def test_vector_norm(backend: str, order: float) -> None:
    places = [(shape, axis) for shape in NORMED for axis in NORMED[shape]]
    cases = [(*place, k) for place in places for k in drawn((False, True), order, place)]
    cases = [*sampled(cases, 6, order)]
    for (shape, axis, keepdims), dtype in crossed(cases, [*NARROW, *FULL], "linalg.vector_norm"):
        x = values(dtype, shape)
        for _, a in layouts(x):
            made = linalg.vector_norm(a, axis=axis, keepdims=keepdims, ord=order)
            expected = norm(x, axis, order, keepdims)
            check(made, expected, real_of(dtype), ulps=16, scale=float(np.max(expected, initial=0)))
    for dtype in due(FULL, "linalg.vector_norm"):
        x = values(dtype, (2, 3))
        made = linalg.vector_norm(lw.asarray(x), axis=(), ord=order)
        check(made, norm(x[None], 0, order, False), real_of(dtype))


def test_vector_norm_of_16_bits_keeps_their_range(backend: str) -> None:
    x = np.full(100, 1000, np.float16)
    check(linalg.vector_norm(lw.asarray(x)), 10000, lw.float16)
    check(linalg.vector_norm(lw.asarray(x / 1e5)), np.linalg.norm((x / 1e5).astype(np.float64)), lw.float16)
    ones = np.ones(10000, NUMPY[lw.bfloat16])
    check(linalg.vector_norm(lw.asarray(ones)), 100, lw.bfloat16)
    check(linalg.vector_norm(lw.asarray(ones), ord=1), 10000, lw.bfloat16)


def test_norms_of_special_values(backend: str) -> None:
    for dtype in [*NARROW, *FULL]:
        x = lw.asarray(np.array([1, np.inf, np.nan], NUMPY[dtype]))
        check(lw.isnan(linalg.vector_norm(x)), True, lw.bool)
        check(linalg.vector_norm(x[:2]), inf, real_of(dtype))
        check(linalg.vector_norm(x * 0, ord=0), 2, real_of(dtype))  # nan is not 0
        check(linalg.vector_norm(lw.zeros_like(x)), 0, real_of(dtype))
        check(linalg.vector_norm(lw.zeros_like(x), ord=-1), 0, real_of(dtype))
        check(linalg.vector_norm(x[:0]), 0, real_of(dtype))
        for order in (inf, -inf, -1):
            with pytest.raises(ValueError, match="vector_norm: there is no norm"):
                linalg.vector_norm(x[:0], ord=order)


MATRIX_ORDERS = ["fro", None, "nuc", 1, -1, 2, -2, inf, -inf]


@pytest.mark.parametrize("order", MATRIX_ORDERS)
def test_matrix_norm(backend: str, order: Any) -> None:
    taken = [*NARROW, *FULL] if order not in ("nuc", 2, -2) else FULL
    shapes = [(2, 3), (1, 1), (3, 2), (2, 3, 4), (0, 2, 2), (2, 1, 3, 3)]
    cases = sampled([*itertools.product(shapes, (True, False))], 4, order)
    for (shape, keepdims), dtype in crossed(cases, taken, "linalg.matrix_norm"):
        x = values(dtype, shape)
        expected = np.asarray(np.linalg.norm(wide(x), order, axis=(-2, -1), keepdims=keepdims))
        for _, a in layouts(x):
            scale = float(np.max(expected, initial=1))
            made = linalg.matrix_norm(a, ord=order, keepdims=keepdims)
            check(made, expected, real_of(dtype), ulps=16, scale=scale)
    for shape in [(0, 3), (3, 0), (0, 0), (2, 0, 3)]:
        x = lw.zeros(shape)
        if order is None or order in ("fro", "nuc") or order > 0:
            check(linalg.matrix_norm(x, ord=order), np.zeros(shape[:-2]), lw.float32)


# --- for all of them ------------------------------------------------------------------------------------------------

LAPACK: dict[str, Callable[[lw.Array], Any]] = {
    "cholesky": linalg.cholesky, "det": linalg.det, "eig": linalg.eig, "eigh": linalg.eigh, "eigvals": linalg.eigvals,
    "eigvalsh": linalg.eigvalsh, "inv": linalg.inv, "matrix_rank": linalg.matrix_rank, "pinv": linalg.pinv,
    "qr": linalg.qr, "slogdet": linalg.slogdet, "solve": lambda x: linalg.solve(x, x), "svd": linalg.svd,
    "svdvals": linalg.svdvals,
}  # fmt: skip


@pytest.mark.parametrize("name", LAPACK)
def test_16_bits_are_refused(backend: str, name: str) -> None:
    for dtype in NARROW:
        with pytest.raises(TypeError, match=rf"linalg\.{name}: .*{dtype}.*Cast first: lw.astype\(x, lw.float32\)"):
            LAPACK[name](lw.asarray(np.eye(2, dtype=NUMPY[dtype])))
        function = getattr(linalg, name)
        assert dtype in lw.function_unsupported_dtypes(function)
        assert lw.float32 in lw.function_supported_dtypes(function)


@pytest.mark.parametrize("name", [*LAPACK, "matrix_norm", "vector_norm", "matrix_power"])
def test_integers_become_the_default_float(backend: str, name: str) -> None:
    square = lambda x: linalg.matrix_power(x, 2)  # noqa: E731
    f = square if name == "matrix_power" else LAPACK.get(name) or getattr(linalg, name)
    for dtype in due(dtypes("integral"), f"linalg.{name}"):
        x = lw.asarray(np.array([[2, 1], [1, 3]], NUMPY[dtype]))
        for default in (lw.float32, lw.float64):
            with lw.using(default_float=default):
                made, expected = f(x), f(lw.astype(x, default))
            for m, e in zip(*((r if isinstance(r, tuple) else (r,)) for r in (made, expected)), strict=True):
                check_equal(m, e)


@pytest.mark.parametrize("name", ["cholesky", "det", "eig", "eigh", "eigvals", "eigvalsh", "inv", "slogdet", "solve"])
def test_matrices_have_to_be_square(backend: str, name: str) -> None:
    for shape in [(), (3,), (2, 3), (2, 3, 4)]:
        with pytest.raises(ValueError, match=rf"linalg.{name}: takes square matrices.*\({str(shape)[1:-1]}\)"):
            LAPACK[name](lw.asarray(np.ones(shape, np.float32)))
    with pytest.raises(ValueError, match="matrix_power: takes square matrices"):
        linalg.matrix_power(lw.zeros((2, 3)), 0)


@pytest.mark.parametrize("name", ["qr", "svd", "svdvals", "pinv", "matrix_rank", "diagonal", "trace", "matrix_norm"])
def test_matrices_have_two_axes(backend: str, name: str) -> None:
    for shape in [(), (3,)]:
        with pytest.raises(ValueError, match=rf"linalg.{name}: needs 2 axes or more; got shape"):
            getattr(linalg, name)(lw.asarray(np.ones(shape, np.float32)))


def test_what_lapack_cannot_do(backend: str) -> None:
    assert issubclass(linalg.LinAlgError, ValueError)
    assert linalg.LinAlgError.__module__ == "latticework.errors"
    for dtype in in_turn(FULL, 1, backend):
        zeros, one = lw.zeros((2, 2), dtype=dtype), lw.eye(2, dtype=dtype)
        stack = lw.stack([one, zeros, one])
        for x in (zeros, stack):
            with pytest.raises(linalg.LinAlgError, match="linalg.inv: .*singular"):
                linalg.inv(x).compute()
            with pytest.raises(linalg.LinAlgError, match="linalg.solve: .*singular"):
                linalg.solve(x, one).compute()
            with pytest.raises(linalg.LinAlgError, match="linalg.solve: .*singular"):
                linalg.solve(x, one[0]).compute()
            with pytest.raises(linalg.LinAlgError, match="linalg.cholesky: .*not positive.definite"):
                linalg.cholesky(-one if x is zeros else x).compute()
            with pytest.raises(linalg.LinAlgError, match="singular"):
                linalg.matrix_power(x, -1).compute()
        for f in (linalg.eig, linalg.eigvals):
            with pytest.raises(linalg.LinAlgError):
                f(lw.asarray(np.array([[np.nan, 1], [1, np.inf]], NUMPY[dtype])))[0].compute()
        bad = [np.nan, np.inf] if dtype.kind == "f" else [np.nan, np.inf, complex(0, np.nan), complex(0, np.inf)]
        for value, f in itertools.product(bad, (linalg.eig, linalg.eigvals, linalg.svd, linalg.svdvals)):
            x = np.array([[[1, 2], [3, 4]], [[value, 1], [1, 1]]], NUMPY[dtype])
            for given in (x, x[1]):
                try:
                    made = f(lw.asarray(given))
                    values = np.asarray(made if isinstance(made, lw.Array) else made[f is linalg.svd])
                except linalg.LinAlgError:
                    continue
                assert np.isnan(values[1] if given is x else values).any()


def test_solvers_find_the_error_by_the_class_that_they_know(backend: str) -> None:
    """NumPy's, and the framework's own where it has one."""
    classes: list[type[Exception]] = [np.linalg.LinAlgError]
    if backend == "torch":
        import torch

        classes += [torch.linalg.LinAlgError, torch._C._LinAlgError]
    for call in (lambda: linalg.inv(lw.zeros((2, 2))), lambda: linalg.eig(lw.full((2, 2), float("nan")))[0]):
        for kind in classes:
            with pytest.raises(kind) as caught:
                call().compute()
            assert isinstance(caught.value, linalg.LinAlgError)
        again = pickle.loads(pickle.dumps(caught.value))
        assert type(again) is linalg.LinAlgError
        assert str(again) == str(caught.value)


#: Matrices with nan and infinities, the last with nan where functions of Hermitian matrices do not read.
NOT_FINITE = {
    "nan": [[2, np.nan], [np.nan, 3]], "nan on the diagonal": [[np.nan, 0], [0, 3]], "inf": [[2, inf], [inf, 3]],
    "inf on the diagonal": [[inf, 0], [0, 3]], "above the diagonal": [[2, np.nan], [0, 3]],
}  # fmt: skip


@pytest.mark.parametrize("name", NOT_FINITE)
def test_nan_and_infinities(backend: str, name: str) -> None:
    """Errors of cholesky, and of svd where there is nan; nan for eigenvalues, inverses, and singular values of inf. A
    matrix beside them in a stack is not affected where there is no error."""
    unit = np.eye(2, dtype=np.float32)
    x = lw.asarray(np.stack([unit, np.asarray(NOT_FINITE[name], np.float32)]))
    if name == "above the diagonal":
        np.testing.assert_allclose(np.asarray(linalg.cholesky(x))[1], np.diag([2, 3]) ** 0.5, rtol=1e-6)
        np.testing.assert_allclose(np.asarray(linalg.eigvalsh(x))[1], [2, 3], rtol=1e-6)
    else:
        with pytest.raises(linalg.LinAlgError, match="not positive.definite"):
            linalg.cholesky(x).compute()
        values, vectors = linalg.eigh(x)
        for made in (linalg.eigvalsh(x), values, vectors):
            assert np.isfinite(np.asarray(made)[0]).all()
            assert np.isnan(np.asarray(made)[1]).all()
    if name.startswith("inf"):
        for made in (linalg.svdvals(x), linalg.svd(x).S):
            assert np.isnan(np.asarray(made)[1]).all()
        assert not np.isnan(np.asarray(linalg.inv(x))).any()
    else:
        for f in (linalg.svdvals, linalg.svd):
            with pytest.raises(linalg.LinAlgError):
                lw.asarray(f(x)[0]).compute()
        inverse = np.asarray(linalg.inv(x))
        np.testing.assert_array_equal(inverse[0], unit)
        assert np.isnan(inverse[1]).any()


def test_singular_values_come_to_an_end(backend: str) -> None:
    """LAPACK's routine goes on for ever on the first of these."""
    nans, infs = np.zeros((2, 2, 3, 3), np.complex64)
    nans[0] = [[complex(inf, 1.25), inf, 3.75j], [complex(0, np.nan), -1.25 - 1.75j, complex(np.nan, 1.75)],
               [-1.75 - 0.25j, complex(-0.75, inf), -1.5]]  # fmt: skip
    infs[0] = np.where(np.isnan(nans[0]), 1, nans[0])
    for f in (linalg.svdvals, linalg.svd):
        with pytest.raises(linalg.LinAlgError):
            lw.asarray(f(lw.asarray(nans))[0]).compute()
    values = np.asarray(linalg.svdvals(lw.asarray(infs)))
    assert np.isnan(values[0]).all()
    np.testing.assert_array_equal(values[1], 0)


def test_the_norm_of_a_number(backend: str) -> None:
    x = lw.asarray(-2.0)
    for order in (2, 1, inf, -inf, 3):
        assert float(linalg.vector_norm(x, ord=order)) == pytest.approx(2)
    assert float(linalg.vector_norm(x, ord=0)) == 1
    assert linalg.vector_norm(x, axis=()).shape == linalg.vector_norm(x, keepdims=True).shape == ()
    with pytest.raises(lw.errors.AxisError, match="linalg.vector_norm: axis 0 is out of bounds"):
        linalg.vector_norm(x, axis=0)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda x: linalg.solve(x, x[:, :2].mT), r"linalg.solve: shapes \(3, 3\) and \(2, 3\)"),
        (lambda x: linalg.solve(x, x[0, :2]), r"linalg.solve: shapes \(3, 3\) and \(2,\)"),
        (lambda x: linalg.solve(lw.stack([x, x]), lw.stack([x, x, x])), r"\(2, 3, 3\) and \(3, 3, 3\)"),
        (lambda x: linalg.cross(x[:, :2], x[:, :2]), r"linalg.cross: takes vectors of 3 elements"),
        (lambda x: linalg.cross(x[:, :1], x), r"linalg.cross: shapes \(3, 1\) and \(3, 3\)"),
        (lambda x: linalg.cross(x, x[0], axis=0), r"linalg.cross: axis 0 is ambiguous"),
        (lambda x: linalg.cross(x, x, axis=5), r"linalg.cross: axis 5 is out of bounds"),
        (lambda x: linalg.outer(x, x[0]), r"linalg.outer: takes two vectors; got shapes \(3, 3\) and \(3,\)"),
        (lambda x: linalg.qr(x, mode="r"), r"linalg.qr: mode is 'reduced' or 'complete'; got 'r'"),
        (lambda x: linalg.matrix_norm(x, ord=3), r"linalg.matrix_norm: ord is one of .*; got 3"),
        (lambda x: linalg.matrix_norm(x, ord="max"), r"linalg.matrix_norm: ord is one of .*; got 'max'"),
        (lambda x: linalg.vector_norm(x, axis=2), r"linalg.vector_norm: axis 2 is out of bounds"),
        (
            lambda x: linalg.matrix_rank(x, rtol=lw.zeros((2,))),
            r"linalg.matrix_rank: rtol of shape \(2,\) does not fit",
        ),
    ],
)
def test_errors_say_what_is_wrong(backend: str, call: Callable[[lw.Array], Any], words: str) -> None:
    x = lw.asarray(matrices(lw.float32, (3, 3)))
    if "matrix_rank" in words:
        x = lw.stack([x, x, x])
    with pytest.raises(ValueError, match=words):
        call(x)


def test_bool_is_refused_where_numbers_are_asked_for(backend: str) -> None:
    x = lw.asarray([[True, False, True]])
    for f in (lambda x: linalg.cross(x, x), lambda x: linalg.outer(x[0], x[0]), linalg.trace):
        with pytest.raises(TypeError, match="takes numeric dtypes"):
            f(x)


#: How much memory besides the operand a function of a float32 matrix may take, in units of it: what it returns, and
#: copies of the same size. An intermediate result in float64 takes 2 of them more.
SPACE: dict[str, tuple[Callable[[lw.Array], Any], float]] = {
    "inv": (linalg.inv, 1.2),
    "cholesky": (linalg.cholesky, 1.2),
    "solve": (lambda x: linalg.solve(x, x), 1.2),
    "eigh": (linalg.eigh, 1.2),
    "svd": (linalg.svd, 2.2),
    "svdvals": (linalg.svdvals, 0.2),
    "det": (linalg.det, 0.2),
    "slogdet": (linalg.slogdet, 0.2),
    "eigvals": (linalg.eigvals, 0.5),
    "qr": (linalg.qr, 4.2),
    "vector_norm": (linalg.vector_norm, 2.2),
    "matrix_norm": (linalg.matrix_norm, 2.2),
    "matrix_rank": (linalg.matrix_rank, 0.2),
    "pinv": (linalg.pinv, 4.2),
    "tensordot": (lambda x: linalg.tensordot(x, x, axes=1), 1.2),
}


@pytest.mark.parametrize("name", SPACE)
def test_float32_takes_no_room_of_float64(name: str) -> None:
    f, allowed = SPACE[name]
    with lw.using(backend="numpy"):
        x = lw.asarray(hermitian(lw.float32, (200, 200)) / 100)  # so that the determinant is in range
        f(x)
        tracemalloc.start()
        f(x)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < allowed * x.nbytes, f"{peak / x.nbytes:.2f} times the operand"


@pytest.mark.parametrize("name", ["inv", "solve", "cholesky", "qr", "svd", "eigh", "det"])
def test_float32_is_computed_in_float32(backend: str, name: str) -> None:
    """The result differs from the one in float64 in most of the last places: rounded from that, it would not."""
    x = hermitian(lw.float32, (50, 50)) / 20
    made = LAPACK[name](lw.asarray(x))
    exact = LAPACK[name](lw.asarray(x.astype(np.float64)))
    rounded = [np.asarray(r if name == "det" else r[0] if isinstance(r, tuple) else r) for r in (made, exact)]
    assert not np.array_equal(rounded[0], rounded[1].astype(np.float32))


def test_names() -> None:
    standard = """cholesky cross det diagonal eig eigh eigvals eigvalsh inv matmul matrix_norm matrix_power matrix_rank
        matrix_transpose outer pinv qr slogdet solve svd svdvals tensordot trace vecdot vector_norm""".split()
    assert {*standard, "LinAlgError"} <= {*linalg.__all__}
    assert all(hasattr(linalg, name) for name in linalg.__all__)
    for name in ("matmul", "matrix_transpose", "tensordot", "vecdot"):
        assert getattr(linalg, name) is getattr(lw, name)


def test_the_inverse_of_infinity_is_no_number(backend: str) -> None:
    """LAPACK finds no singular values: where that is no error, they are nan, and so is what is made of them."""
    for dtype in FULL:
        x = lw.asarray(np.asarray([[inf, 1], [1, 1]], NUMPY[dtype]))
        try:
            made = np.asarray(linalg.pinv(x))
        except linalg.LinAlgError:
            continue
        assert np.isnan(made).all()
