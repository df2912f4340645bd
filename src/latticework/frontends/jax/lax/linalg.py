"""`jax.lax.linalg`: decompositions of matrices."""

from __future__ import annotations

from typing import Any

from .. import numpy as jnp
from ..core import as_array, dialect, ops


def _symmetrized(x: Any) -> Any:
    return (x + ops.conj(ops.matrix_transpose(x))) / 2


def cholesky(x: Any, *, symmetrize_input: bool = True) -> Any:
    x = as_array(x, "cholesky")
    return jnp.tril(jnp.linalg.cholesky(_symmetrized(x) if symmetrize_input else x))


def qr(x: Any, *, pivoting: bool = False, full_matrices: bool = True, use_magma: bool | None = None) -> Any:
    if pivoting:
        raise NotImplementedError("qr: pivoting is not there in this dialect")
    found = jnp.linalg.qr(as_array(x, "qr"), mode="complete" if full_matrices else "reduced")
    return found[0], found[1]


def svd(
    x: Any, *, full_matrices: bool = True, compute_uv: bool = True, subset_by_index: Any = None, algorithm: Any = None
) -> Any:
    if subset_by_index is not None:
        raise NotImplementedError("svd: subset_by_index is not there in this dialect")
    found = jnp.linalg.svd(as_array(x, "svd"), full_matrices=full_matrices, compute_uv=compute_uv)
    return tuple(found) if compute_uv else found


def eigh(
    x: Any, *, lower: bool = True, symmetrize_input: bool = True, sort_eigenvalues: bool = True,
    subset_by_index: Any = None, implementation: Any = None,
) -> Any:  # fmt: skip
    if subset_by_index is not None:
        raise NotImplementedError("eigh: subset_by_index is not there in this dialect")
    x = as_array(x, "eigh")
    found = jnp.linalg.eigh(
        _symmetrized(x) if symmetrize_input else x, UPLO="L" if lower else "U", symmetrize_input=False
    )
    return found[1], found[0]


def lu_pivots_to_permutation(pivots: Any, permutation_size: int) -> Any:
    pivots = as_array(pivots)
    places = jnp.arange(permutation_size, dtype="int32")
    permutation = jnp.broadcast_to(places, (*pivots.shape[:-1], permutation_size))
    for i in range(pivots.shape[-1]):
        j = pivots[..., i : i + 1]
        here, there = permutation[..., i : i + 1], jnp.take_along_axis(permutation, j, axis=-1)
        permutation = jnp.where(places == j, here, jnp.where(places == i, there, permutation))
    return permutation


def triangular_solve(
    a: Any, b: Any, *, left_side: bool = False, lower: bool = False, transpose_a: bool = False,
    conjugate_a: bool = False, unit_diagonal: bool = False,
) -> Any:  # fmt: skip
    from ..scipy.linalg import solve_triangular

    a, b = as_array(a, "triangular_solve"), as_array(b, "triangular_solve")
    if conjugate_a:
        a = ops.conj(a)
    vector = a.ndim == b.ndim + 1
    if vector:
        b = b[..., None] if left_side else b[..., None, :]
    if transpose_a:
        a, lower = ops.matrix_transpose(a), not lower
    if left_side:
        found = solve_triangular(a, b, lower=lower, unit_diagonal=unit_diagonal)
    else:
        turned = solve_triangular(
            ops.matrix_transpose(a), ops.matrix_transpose(b), lower=not lower, unit_diagonal=unit_diagonal
        )
        found = ops.matrix_transpose(turned)
    return (found[..., 0] if left_side else found[..., 0, :]) if vector else found


def tridiagonal_solve(dl: Any, d: Any, du: Any, b: Any, *, perturb_singular: bool = False) -> Any:
    dl, d, du, b = (as_array(x, "tridiagonal_solve") for x in (dl, d, du, b))
    n = d.shape[-1]
    tops, rights = [], []
    before, y = jnp.zeros_like(d[..., 0]), jnp.zeros_like(b[..., 0, :])
    for i in range(n):
        pivot = d[..., i] - dl[..., i] * before
        before = du[..., i] / pivot
        y = (b[..., i, :] - dl[..., i, None] * y) / pivot[..., None]
        tops.append(before)
        rights.append(y)
    found = [rights[-1]]
    for i in range(n - 2, -1, -1):
        found.append(rights[i] - tops[i][..., None] * found[-1])
    return jnp.stack(found[::-1], axis=-2)


dialect.finish(globals(), view="jax.lax.linalg")
