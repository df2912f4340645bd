"""Linear algebra beyond the standard's extension, against NumPy's and SciPy's in double precision."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from functools import partial
from itertools import product
from math import inf
from typing import Any

import numpy as np
import pytest
import scipy.linalg
from cases import crossed, due, sampled
from scipy.spatial.distance import cdist
from support import NUMPY, check, dtypes, skip_lazy, values, wide

import latticework as lw
from latticework import linalg
from latticework.core.dtypes import real_of
from latticework.core.registry import OPS

FULL = [lw.float32, lw.float64, lw.complex64, lw.complex128]
NARROW = [lw.bfloat16, lw.float16]
#: Errors of the routines, in units of the last place of the matrices' size.
ULPS = 64


def matrices(dtype: lw.Dtype, shape: tuple[int, ...], seed: int = 0) -> np.ndarray:
    """Matrices that are well conditioned where they are square."""
    x = values(dtype, shape, seed=seed, low=-1, high=1)
    return (x + 4 * np.eye(*shape[-2:], dtype=x.dtype)).astype(x.dtype)


def adjoint(x: np.ndarray) -> np.ndarray:
    return np.conj(np.swapaxes(x, -1, -2))


def each(f: Callable[..., Any], x: np.ndarray) -> Any:
    """A function of SciPy's of one matrix, on each of a stack."""
    found = [f(m) for m in x.reshape(-1, *x.shape[-2:])]
    if isinstance(found[0], tuple):
        return [np.stack(parts).reshape(*x.shape[:-2], *parts[0].shape) for parts in zip(*found, strict=True)]
    return np.stack(found).reshape(*x.shape[:-2], *np.shape(found[0]))


# --- norms ----------------------------------------------------------------------------------------------------------

NORMS: list[tuple[tuple[int, ...], dict[str, Any]]] = [
    ((3, 4), {}), ((2, 3, 4), {}), ((), {}), ((0,), {}), ((4,), {"ord": 1}), ((4,), {"ord": -inf}), ((4,), {"ord": 3}),
    ((3, 4), {"ord": "nuc"}), ((3, 4), {"ord": 2}), ((3, 4), {"ord": -2}), ((3, 4), {"ord": 1}), ((3, 4), {"ord": inf}),
    ((3, 4), {"axis": 0}), ((3, 4), {"axis": (1,), "ord": 0}), ((2, 3, 4), {"axis": -1, "keepdims": True}),
    ((2, 3, 4), {"axis": (0, 2)}), ((2, 3, 4), {"axis": (2, 0), "ord": 1, "keepdims": True}),
    ((2, 3, 4), {"axis": (-1, 0), "ord": -inf}), ((2, 3, 4), {"axis": (0, 1), "ord": "nuc"}),
    ((3, 4), {"ord": "fro", "keepdims": True}), ((2, 3, 4), {"axis": 1, "ord": inf}), ((3, 4), {"keepdims": True}),
    ((2, 3, 4), {"axis": 1, "ord": 0.5}),
]  # fmt: skip


def test_norm(backend: str) -> None:
    for (shape, options), dtype in crossed(NORMS, [*NARROW, *FULL], "linalg.norm"):
        if dtype in NARROW and options.get("ord") in ("nuc", 2, -2):
            continue
        x = values(dtype, shape)
        expected = np.linalg.norm(wide(x), **options)
        check(linalg.norm(lw.asarray(x), **options), expected, real_of(dtype), ulps=16, scale=4)
    check(linalg.norm(lw.asarray([3, 4])), 5, lw.float32)
    check(linalg.norm(lw.asarray([[3, 4]]), 1, 1), [7], lw.float32)  # by position, as in NumPy


def test_norm_of_special_values(backend: str) -> None:
    x = lw.asarray([[inf, 1.0], [np.nan, 1.0], [0.0, 0.0]])
    check(linalg.norm(x, axis=1), [inf, np.nan, 0], lw.float32)
    check(linalg.norm(lw.full((300,), 300.0, dtype=lw.float16)), 300 * 300**0.5, lw.float16)  # the squares overflow


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda x: linalg.norm(x, 2), r"linalg.norm: a norm of order 2 is of a vector or a matrix; got shape"),
        (lambda x: linalg.norm(x, axis=(0, 1, 2)), r"linalg.norm: axis is one axis for vectors or two for matrices"),
        (lambda x: linalg.norm(x, axis=(0, 0)), r"linalg.norm: an axis is given twice"),
        (lambda x: linalg.norm(x, axis=3), r"linalg.norm: axis 3 is out of bounds"),
        (lambda x: linalg.norm(x, 3, axis=(0, 1)), r"linalg.norm: ord is one of 'fro', 'nuc'.*got 3"),
        (lambda x: linalg.lstsq(x, x.mT), r"linalg.lstsq: shapes .* do not fit together: b is a vector of 3 elements"),
        (lambda x: linalg.solve_triangular(x, x), r"linalg.solve_triangular: takes square matrices"),
        (linalg.expm, r"linalg.expm: takes square matrices"),
        (lambda x: linalg.cond(x, 1), r"linalg.cond: takes square matrices for p=1"),
        (lambda x: linalg.lu(x[0, 0]), r"linalg.lu: needs 2 axes or more; got shape \(4,\)"),
        (lambda x: linalg.cdist(x, x[..., :2]), r"linalg.cdist: takes matrices of rows of the same length"),
        (lambda x: linalg.cdist(x, x[..., :1]), r"linalg.cdist: takes matrices of rows of the same length"),
        (lambda x: linalg.cdist(x, x, p=-1), r"linalg.cdist: p is a number from 0 to inf; got -1"),
        (lambda x: linalg.multi_dot([x]), r"linalg.multi_dot: takes two arrays or more; got 1"),
        (linalg.tensorinv, r"linalg.tensorinv: the first 2 axes have to have as many elements"),
        (lambda x: linalg.diagonal_set(x, x), r"linalg.diagonal_set: .*The diagonals have shape \(2, 3\)"),
        (lambda x: linalg.polar(x, side="top"), r"linalg.polar: side is 'right' or 'left'; got 'top'"),
        (linalg.null_space, r"linalg.null_space: takes one matrix; got shape \(2, 3, 4\)"),
        (lambda x: linalg.eigh_tridiagonal(x, x), r"linalg.eigh_tridiagonal: takes diagonals of n and n - 1 elements"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_in_our_words(call: Callable[[lw.Array], Any], words: str) -> None:
    x = lw.zeros((2, 3, 4))
    with pytest.raises(ValueError, match=words):
        call(x)
    with pytest.raises(ValueError, match=words):
        lw.infer(call, lw.spec((2, 3, 4)))


def test_cond(backend: str) -> None:
    for (shape, p), dtype in crossed(
        [((4, 4), None), ((2, 3, 3), 1), ((3, 3), "fro"), ((3, 3), "nuc"), ((3, 5), -2), ((3, 3), -inf)],
        FULL,
        "linalg.cond",
    ):
        x = matrices(dtype, shape)
        check(linalg.cond(lw.asarray(x), p), np.linalg.cond(wide(x), p), real_of(dtype), ulps=4 * ULPS)
    zeros = lw.zeros((2, 2))
    for p in (None, "fro", 1):
        check(linalg.cond(zeros, p), inf, lw.float32)
    check(linalg.cond(lw.asarray([[1.0, 2.0], [2.0, 4.0]]), 1) > 1e6, True, lw.bool)


@pytest.mark.parametrize("p", [2, 1, inf, 0, 3])
def test_cdist(backend: str, p: float) -> None:
    for (a, b), dtype in crossed(
        [((3, 2), (4, 2)), ((2, 3, 2), (4, 2)), ((0, 2), (4, 2)), ((3, 0), (4, 0))],
        dtypes("real floating"),
        "linalg.cdist",
    ):
        x1, x2 = values(dtype, a), values(dtype, b, seed=1)
        apart = np.abs(wide(x1)[..., :, None, :] - wide(x2)[..., None, :, :])
        expected = np.linalg.norm(apart, p, -1) if apart.shape[-1] else np.zeros(apart.shape[:-1])
        if apart.ndim == 3 and apart.size and p not in (0, inf):
            np.testing.assert_allclose(expected, cdist(wide(x1), wide(x2), "minkowski", p=p))
        check(linalg.cdist(lw.asarray(x1), lw.asarray(x2), p), expected, dtype, ulps=16, scale=8)


@pytest.mark.parametrize(("first", "second"), [((2, 1), (2, 3)), ((2, 3), (2, 1)), ((0, 1), (0, 0)), ((2, 1), (2, 0))])
def test_distances_of_rows_of_other_lengths_are_refused(
    backend: str, first: tuple[int, ...], second: tuple[int, ...]
) -> None:
    with pytest.raises(ValueError, match="takes matrices of rows of the same length; got shapes"):
        linalg.cdist(lw.ones(first), lw.ones(second))


def test_distances_lose_no_digits_and_take_bounded_memory(backend: str) -> None:
    x = (
        np.arange(90, dtype=np.float32).reshape(30, 3) * 2.0**-10 + 4096
    )  # the square of a distance is below the last place
    check(linalg.cdist(lw.asarray(x), lw.asarray(x)), cdist(wide(x), wide(x)), lw.float32)


# --- solvers --------------------------------------------------------------------------------------------------------

LSTSQ = [
    ((4, 3), (4, 2)), ((4, 3), (4,)), ((3, 5), (3, 2)), ((2, 4, 3), (2, 4, 1)), ((2, 4, 3), (4,)), ((4, 3), (2, 4, 2)),
    ((4, 3), (4, 0)), ((0, 3), (0, 2)),
]  # fmt: skip


def test_lstsq(backend: str) -> None:
    for (a, b), dtype in crossed(LSTSQ, FULL, "linalg.lstsq"):
        x, y = matrices(dtype, a), values(dtype, b, seed=1)
        found = linalg.lstsq(lw.asarray(x), lw.asarray(y))
        right = wide(y)[:, None] if y.ndim == 1 else wide(y)
        expected = np.linalg.pinv(wide(x)) @ right
        rest = right - wide(x) @ expected
        check(found.solution, expected[..., 0] if y.ndim == 1 else expected, dtype, ulps=ULPS, scale=2)
        check(found.residuals, (np.abs(rest) ** 2).sum(-2), real_of(dtype), ulps=ULPS, scale=16)
        check(found.rank, np.full(a[:-2], min(a[-2:])), lw.int32)
        check(found.singular_values, np.linalg.svd(wide(x), compute_uv=False), real_of(dtype), ulps=ULPS, scale=6)


def test_lstsq_without_full_rank_is_the_shortest_solution(backend: str) -> None:
    x, y = values(lw.float64, (5, 4)), values(lw.float64, (5, 2), seed=1)
    x[:, 3] = x[:, 0] - 2 * x[:, 1]
    theirs = np.linalg.lstsq(x, y)
    ours = linalg.lstsq(lw.asarray(x), lw.asarray(y))
    check(ours.solution, theirs[0], lw.float64, ulps=ULPS, scale=16)
    check(ours.rank, 3, lw.int32)
    for rcond in (0.5, -1):
        theirs = np.linalg.lstsq(x, y, rcond=rcond)
        check(linalg.lstsq(lw.asarray(x), lw.asarray(y), rcond).rank, theirs[2], lw.int32)
    check(linalg.lstsq(lw.zeros((2, 2)), lw.ones((2,))).solution, [0, 0], lw.float32)
    with lw.using(default_int="int64"):
        check(linalg.lstsq(lw.asarray(x), lw.asarray(y)).rank, 3, lw.int64)


TRIANGULAR = [((3, 3), (3,)), ((3, 3), (3, 2)), ((2, 3, 3), (3,)), ((2, 1, 3, 3), (4, 3, 2)), ((0, 0), (0, 2))]


def test_solve_triangular(backend: str) -> None:
    options = [*product((False, True), repeat=3)]
    for ((a, b), chosen), dtype in crossed(product(TRIANGULAR, options), FULL, "linalg.solve_triangular"):
        if chosen not in sampled(options, 3, a, b):
            continue
        upper, transpose, unit = chosen
        x, y = matrices(dtype, a), values(dtype, b, seed=1)
        matrix = (np.triu if upper else np.tril)(wide(x))
        if unit:
            matrix = matrix - matrix * np.eye(a[-1]) + np.eye(a[-1])
        matrix = np.swapaxes(matrix, -1, -2) if transpose else matrix
        found = linalg.solve_triangular(
            lw.asarray(x), lw.asarray(y), upper=upper, transpose=transpose, unit_diagonal=unit
        )
        check(found, np.linalg.inv(matrix) @ wide(y), dtype, ulps=4 * ULPS, scale=16)


def test_zeros_on_the_diagonal(backend: str) -> None:
    x = lw.asarray([[1.0, 5.0], [5.0, 0.0]])
    skip_lazy(backend, "it is found when it is computed")
    with pytest.raises(linalg.LinAlgError, match="linalg.solve_triangular: (in linalg.solve: )?a matrix is singular"):
        linalg.solve_triangular(x, lw.ones(2))
    check(linalg.solve_triangular(x, lw.ones(2), unit_diagonal=True), [1, -4], lw.float32)


def test_factors_solve(backend: str) -> None:
    for (a, b), dtype in crossed([((3, 3), (3, 2)), ((2, 3, 3), (3,)), ((3, 3), (2, 3, 1))], FULL, "linalg.lu_factor"):
        x, y = matrices(dtype, a), values(dtype, b, seed=1)
        hermitian = (x @ adjoint(x)).astype(x.dtype)
        expected = np.linalg.inv(wide(hermitian)) @ wide(y)
        for upper in (False, True):
            factor = linalg.cholesky(lw.asarray(hermitian), upper=upper)
            check(linalg.cho_solve(factor, lw.asarray(y), upper=upper), expected, dtype, ulps=8 * ULPS, scale=1)
        found = linalg.lu_solve(linalg.lu_factor(lw.asarray(x)), lw.asarray(y))
        check(found, np.linalg.inv(wide(x)) @ wide(y), dtype, ulps=4 * ULPS, scale=4)


def test_lu(backend: str) -> None:
    shapes = [(3, 3), (2, 3, 4), (4, 2), (2, 0, 0), (0, 3)]
    for shape, dtype in crossed(shapes, FULL, "linalg.lu", "linalg.lu_factor"):
        x = values(dtype, shape, low=-1, high=1)
        P, L, U = linalg.lu(lw.asarray(x))
        m, n = shape[-2:]
        check(P @ L @ U, x, dtype, ulps=16, scale=4)
        check(lw.sum(lw.real(P), axis=-2), np.ones(shape[:-1]), real_of(dtype))
        check(L, np.tril(np.asarray(L), -1) + np.eye(m, min(m, n)), dtype)
        check(U, np.triu(np.asarray(U)), dtype)
        assert (np.abs(np.asarray(L)) <= 1.42).all()  # of complex numbers, the sum of the components is the greatest
        if x.ndim == 2 and x.size and dtype.kind == "f":  # which complex number is the largest, routines differ in
            theirs = scipy.linalg.lu_factor(wide(x))
            factors, pivots = linalg.lu_factor(lw.asarray(x))
            check(factors, theirs[0], dtype, ulps=16, scale=8)
            check(pivots, theirs[1], lw.int32)


def test_lu_of_singular_matrices(backend: str) -> None:
    for x in (np.zeros((2, 2)), np.ones((3, 3)), np.array([[0.0, 1.0], [0.0, 2.0]])):
        P, L, U = linalg.lu(lw.asarray(x))
        check(P @ L @ U, x, lw.float64)
        check(lw.min(lw.abs(linalg.diagonal(U))), 0, lw.float64)


def test_systems_of_arrays(backend: str) -> None:
    for dtype in due(FULL, "linalg.tensorinv"):
        x = (values(dtype, (2, 3, 6)) + 8 * np.eye(6).reshape(2, 3, 6)).astype(NUMPY[dtype])
        check(linalg.tensorinv(lw.asarray(x)), np.linalg.tensorinv(wide(x)), dtype, ulps=4 * ULPS, scale=1)
        b = values(dtype, (2, 3), seed=1)
        check(
            linalg.tensorsolve(lw.asarray(x), lw.asarray(b)), np.linalg.tensorsolve(wide(x), wide(b)), dtype,
            ulps=4 * ULPS, scale=1,
        )  # fmt: skip
    y = np.moveaxis(wide(x), 2, 0)
    check(
        linalg.tensorsolve(lw.asarray(y), lw.asarray(wide(b)), axes=(0,)), np.linalg.tensorsolve(y, wide(b), axes=(0,)),
        lw.complex128, ulps=4 * ULPS, scale=1,
    )  # fmt: skip


# --- functions of matrices ------------------------------------------------------------------------------------------


def test_expm(backend: str) -> None:
    for (shape, size), dtype in crossed(
        [((3, 3), 1), ((2, 4, 4), 1), ((3, 3), 1e-3), ((3, 3), 12), ((0, 0), 1)], FULL, "linalg.expm"
    ):
        x = (values(dtype, shape, low=-1, high=1) * size).astype(NUMPY[dtype])
        expected = scipy.linalg.expm(wide(x)) if x.size else x
        found = linalg.expm(lw.asarray(x))
        scale = float(np.abs(expected).max(initial=1))
        check(found, expected, dtype, ulps=16 * ULPS if size > 1 else ULPS, scale=scale)
    nilpotent = np.array([[0, 1e4], [0, 0]])
    check(linalg.expm(lw.asarray(nilpotent)), np.eye(2) + nilpotent, lw.float64, ulps=2**12, scale=1)  # many squarings
    decaying = np.array([np.diag([-1e7, -1.0]), [[0, 1e-9], [0, 0]], [[-3e5, 1e5], [0, -1e6]]])
    expected = [np.diag([0, np.exp(-1)]), [[1, 1e-9], [0, 1]], np.zeros((2, 2))]
    compute = lw.linalg.expm if backend in ("jax", "torch", "tensorflow") else OPS["linalg.expm"].body
    assert compute is not None
    np.testing.assert_allclose(np.asarray(compute(lw.asarray(decaying))), expected, atol=1e-8)
    assert linalg.matrix_exp is linalg.expm


def test_roots_and_logarithms(backend: str) -> None:
    for shape, dtype in crossed([(3, 3), (2, 4, 4), (0, 0)], FULL, "linalg.sqrtm", "linalg.logm"):
        x = matrices(dtype, shape)
        root, log = linalg.sqrtm(lw.asarray(x)), linalg.logm(lw.asarray(x))
        check(root, each(scipy.linalg.sqrtm, wide(x)) if x.size else x, dtype, ulps=4 * ULPS, scale=3)
        check(log, each(scipy.linalg.logm, wide(x)) if x.size else x, dtype, ulps=8 * ULPS, scale=2)
    for matrix in (np.diag([1e-8, 1.0, 1e8]), np.array([[2.0, 1e3], [0, 2.0]]), np.array([[0.0, -1.0], [1.0, 0.0]])):
        check(
            linalg.sqrtm(lw.asarray(matrix)) @ linalg.sqrtm(lw.asarray(matrix)), matrix, lw.float64, ulps=1e5, scale=1
        )
        scale = float(np.abs(matrix).max())
        check(linalg.logm(lw.asarray(matrix)), scipy.linalg.logm(matrix), lw.float64, ulps=1e5, scale=scale)


def test_roots_and_logarithms_of_reflections(backend: str) -> None:
    """A matrix with an eigenvalue on the negative real axis has a complex root and logarithm, and no real one."""
    rng = np.random.default_rng(5)
    found = [np.linalg.qr(rng.normal(size=(4, 4)))[0] for _ in range(6)]
    matrices = np.stack([q * np.where(np.arange(4) == 0, -np.linalg.det(q), 1) for q in found])
    x = lw.asarray(matrices, dtype=lw.complex128)
    root, log = linalg.sqrtm(x), linalg.logm(x)
    np.testing.assert_allclose(np.asarray(root @ root), matrices, atol=1e-9)
    np.testing.assert_allclose(np.asarray(linalg.expm(log)), matrices, atol=1e-9)
    assert float(lw.max(lw.abs(lw.imag(linalg.eigvals(log))))) < np.pi + 1e-6
    real = lw.asarray(np.stack([matrices[0], np.eye(4), -np.eye(4)]))
    for result in (linalg.sqrtm(real), linalg.logm(real)):
        assert np.isnan(np.asarray(result)).all((1, 2)).tolist() == [True, False, True]


def test_logdet(backend: str) -> None:
    for dtype in due(FULL, "linalg.logdet"):
        x = matrices(dtype, (2, 3, 3))
        sign, log = np.linalg.slogdet(wide(x))
        expected = log + 1j * np.angle(sign) if dtype.kind == "c" else log
        check(linalg.logdet(lw.asarray(x)), expected, dtype, ulps=ULPS, scale=1)
    check(linalg.logdet(lw.asarray([[[-1.0]], [[0.0]], [[1.0]]])), [np.nan, -inf, 0], lw.float32)


def test_polar(backend: str) -> None:
    for (shape, side), dtype in crossed(
        [((3, 3), "right"), ((2, 4, 3), "left"), ((2, 3, 4), "right")], FULL, "linalg.polar"
    ):
        x = matrices(dtype, shape)
        found = linalg.polar(lw.asarray(x), side=side)
        for part, expected in zip(found, each(partial(scipy.linalg.polar, side=side), wide(x)), strict=True):
            check(part, expected, dtype, ulps=ULPS, scale=6)


def test_schur(backend: str) -> None:
    if backend in ("torch", "tensorflow"):  # SciPy has no derivatives of it, and sees no values of compiled functions
        x = lw.asarray(matrices(lw.float64, (3, 3)))
        for call in (lw.grad(lambda x: lw.sum(linalg.schur(x)[0])), *([lw.jit(linalg.schur)] * (backend != "torch"))):
            with pytest.raises(NotImplementedError, match="linalg.schur: .* SciPy computes it"):
                call(x)
    for dtype in due(FULL, "linalg.schur"):
        x = matrices(dtype, (2, 4, 4))
        T, Z = linalg.schur(lw.asarray(x))
        check(Z @ T @ lw.conj(Z.mT), x, dtype, ulps=ULPS, scale=6)
        check(lw.conj(Z.mT) @ Z, np.broadcast_to(np.eye(4), (2, 4, 4)), dtype, ulps=ULPS, scale=1)
        check(T, np.triu(np.asarray(T), 0 if dtype.kind == "c" else -1), dtype)


def test_spaces(backend: str) -> None:
    for dtype in due(FULL, "linalg.null_space", "linalg.orth"):
        x = values(dtype, (5, 3))
        x[:, 2] = x[:, 0] + x[:, 1]
        for matrix in (x, np.ascontiguousarray(x.T)):
            for ours, theirs in ((linalg.null_space, scipy.linalg.null_space), (linalg.orth, scipy.linalg.orth)):
                found, expected = ours(lw.asarray(matrix)), theirs(wide(matrix), rcond=1e-5)
                check(found @ lw.conj(found.mT), expected @ adjoint(expected), dtype, ulps=ULPS, scale=1)


def test_tridiagonal_matrices(backend: str) -> None:
    for (d, e), dtype in crossed(
        [((4,), (3,)), ((2, 3), (2, 2)), ((1,), (0,))], [lw.float32, lw.float64], "linalg.eigh"
    ):
        x, y = values(dtype, d), values(dtype, e, seed=1, low=1)
        n = d[-1]
        full = wide(x)[..., None] * np.eye(n)
        full[..., range(1, n), range(n - 1)] = full[..., range(n - 1), range(1, n)] = wide(y)
        w, v = linalg.eigh_tridiagonal(lw.asarray(x), lw.asarray(y))
        check(w, np.linalg.eigvalsh(full), dtype, ulps=ULPS, scale=8)
        check(v * w[..., None, :] @ v.mT, full, dtype, ulps=ULPS, scale=8)
    assert linalg.eig_tridiagonal is linalg.eigh_tridiagonal


# --- matrices of a given structure ----------------------------------------------------------------------------------


def test_structures(backend: str) -> None:
    for dtype in due(dtypes("numeric"), "linalg.matrix_band_part", "linalg.toeplitz", "linalg.block_diag"):
        x, v = values(dtype, (2, 3, 4)), values(dtype, (3,), seed=1)
        a = lw.asarray(x)
        for lower, upper in ((0, 1), (-1, 0), (1, -1), (-1, -1), (9, 0)):
            mask = np.tri(3, 4, 9 if upper < 0 else upper) * (1 - np.tri(3, 4, -10 if lower < 0 else -lower - 1))
            check(linalg.matrix_band_part(a, lower, upper), np.where(mask, x, 0), dtype)
        check(linalg.toeplitz(lw.asarray(v)), scipy.linalg.toeplitz(wide(v)), dtype)
        expected = np.stack([scipy.linalg.toeplitz(wide(m)[:, 0], wide(v)) for m in x])
        check(linalg.toeplitz(a[..., 0], lw.asarray(v)), expected, dtype)
        expected = np.stack([scipy.linalg.block_diag(wide(m), wide(v), wide(v)[0]) for m in x])
        check(linalg.block_diag(a, lw.asarray(v), lw.asarray(v[0])), expected, dtype)
        for offset in (0, 1, -1, 3, -3):
            diagonal = values(dtype, (np.diagonal(x[0], offset).size,), seed=2)
            expected = np.array(x)
            rows = np.arange(diagonal.size) + max(-offset, 0)
            expected[:, rows, rows + offset] = diagonal
            check(linalg.diagonal_set(a, lw.asarray(diagonal), offset=offset), expected, dtype)


def test_products_of_several(backend: str) -> None:
    for dtype in due(dtypes("numeric"), "matmul"):
        parts = [values(dtype, s, seed=i, low=-2, high=2) for i, s in enumerate([(2, 3), (3, 1), (1, 4), (4,)])]
        expected = parts[0].astype(wide(parts[0]).dtype)
        for part in parts[1:]:
            expected = expected @ wide(part)
        check(linalg.multi_dot([lw.asarray(x) for x in parts]), expected.astype(NUMPY[dtype]), dtype, scale=64)
    with lw.using(backend="numpy"):
        arrays = [lw.ones(s) for s in ((5,), (5, 2), (2, 100), (100, 3))]
        check(linalg.multi_dot(arrays), np.full(3, 1000), lw.float32)


# --- inside transformations -------------------------------------------------------------------------------------------


def test_stacks_are_what_vmap_gives(backend: str) -> None:
    skip_lazy(backend, "blocks of a stack are computed together anyway")
    x = lw.asarray(matrices(lw.float64, (3, 4, 4)))
    functions: list[Callable[[lw.Array], lw.Array]] = [
        linalg.norm, linalg.expm, lambda m: linalg.solve_triangular(m, m[:, 0]), lambda m: linalg.lstsq(m, m[:, 0])[0],
        lambda m: linalg.lu_solve(linalg.lu_factor(m), m[:, 0]), lambda m: linalg.cdist(m, m),
        lambda m: linalg.toeplitz(m[0]), lambda m: linalg.eigh_tridiagonal(m[0], m[1, 1:]).eigenvalues,
    ]  # fmt: skip
    for f in sampled(functions, 4, "vmap"):
        expected = np.stack([np.asarray(f(x[i])) for i in range(3)])
        np.testing.assert_allclose(np.asarray(lw.vmap(f)(x)), expected, rtol=1e-10, atol=1e-12)


# --- what is composed, and what it costs ------------------------------------------------------------------------------

#: Functions that NumPy's arrays are computed by SciPy or by NumPy itself for, with samples.
BY_SCIPY: dict[str, Callable[[lw.Array], tuple[Any, ...]]] = {
    "expm": lambda x: (x,), "lu_factor": lambda x: (x,), "sqrtm": lambda x: (x @ x.mT,), "logm": lambda x: (x @ x.mT,),
    "solve_triangular": lambda x: (x, x[:, 0]), "norm": lambda x: (x,), "lstsq": lambda x: (x, x[:, 0]),
    "eigh_tridiagonal": lambda x: (x[0], x[1, 1:]),
}  # fmt: skip


@pytest.mark.parametrize("name", BY_SCIPY)
def test_compositions_give_what_scipy_gives(name: str) -> None:
    """The bodies that run where SciPy is not installed."""
    with lw.using(backend="numpy"):
        arguments = BY_SCIPY[name](lw.asarray(matrices(lw.float64, (4, 4))))
        ours: Any = OPS[f"linalg.{name}"].body(*arguments)
        theirs = getattr(linalg, name)(*arguments)
        for x, y in zip(*[r if isinstance(r, tuple) else (r,) for r in (ours, theirs)], strict=True):
            if x.ndim == 2 and name == "eigh_tridiagonal":
                x, y = lw.abs(x), lw.abs(y)
            np.testing.assert_allclose(np.asarray(x), np.asarray(y), rtol=1e-9, atol=1e-11)


def test_without_scipy() -> None:
    program = """
import importlib.util
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name.partition(".")[0] == "scipy" else found(name, *rest)
import sys
import latticework as lw
x = lw.asarray([[4.0, 1.0], [2.0, 3.0]])
assert lw.plan(lw.linalg.expm, x).how == "composed", lw.plan(lw.linalg.expm, x)
P, L, U = lw.linalg.lu(x)
assert lw.allclose(P @ L @ U, x)
assert lw.allclose(lw.linalg.logm(lw.linalg.expm(x)), x, atol=1e-4)
assert lw.allclose(lw.linalg.solve_triangular(x, lw.asarray([4.0, 5.0])), lw.asarray([1.0, 1.0]))
try:
    lw.linalg.schur(x)
except lw.errors.BackendError as error:
    assert "pip install 'latticework[numpy]' (from a clone: pip install '.[numpy]')" in str(error), error
else:
    raise AssertionError("it has no Schur decomposition")
assert "scipy" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def calls_of(name: str, *arguments: Any, **options: Any) -> list[str]:
    """The functions of ours that a composition calls, one for each kernel of the framework."""
    called: list[str] = []

    def note(frame: Any, event: str, _: Any) -> None:
        if event == "call" and "/backends/numpy/" in frame.f_code.co_filename:
            called.append(frame.f_code.co_name)

    function = getattr(linalg, name)
    function(*arguments, **options)
    before = sys.getprofile()
    sys.setprofile(note)
    try:
        function(*arguments, **options)
    finally:
        sys.setprofile(before)
    return [n for n in called if n not in ("<lambda>", "_norm_when", "_when")]


def test_norms_in_a_requested_dtype(backend: str) -> None:
    x = matrices(lw.float32, (3, 4))
    a = lw.asarray(x)
    for f in (linalg.norm, linalg.matrix_norm, linalg.vector_norm):
        check(f(a, dtype="float64"), np.linalg.norm(x.astype(np.float64)), lw.float64)
    check(linalg.norm(a, 1, axis=0, dtype="float64"), np.abs(x.astype(np.float64)).sum(0), lw.float64)
    with pytest.raises(TypeError, match="linalg.norm: dtype must be one of the floating dtypes"):
        linalg.norm(a, dtype="int32")


def test_a_norm_is_one_native_call() -> None:
    with lw.using(backend="numpy"):
        x = lw.asarray(matrices(lw.float32, (3, 3)))
        assert calls_of("norm", x) == calls_of("norm", x, axis=1) == ["norm"]
        assert calls_of("lstsq", x, x).count("lstsq") == 1
        assert calls_of("cho_solve", x, x).count("solve_triangular") == 2
