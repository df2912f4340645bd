"""The linear algebra extension on JAX.

JAX reports a failure by nan or infinities. Where the values are known, which they are not inside jax.jit, a result with
any of these is checked again, and a failure is an error.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from numpy.linalg import LinAlgError

from ....backend.arguments import check_mode, of_numbers, of_sides
from ....backend.slopes import own_slopes as _own_slopes
from ....backend.unsupported import refused
from ..core import REFUSED, root
from ..elementwise import abs as _abs
from ..statistical import max as _max
from ..statistical import min as _min


def _all_finite(*arrays: jax.Array) -> jax.Array:
    return jnp.asarray([jnp.isfinite(x).all() for x in arrays]).all()


@jax.jit
def _is_finite(x: jax.Array) -> jax.Array:
    return _all_finite(x)


@jax.jit
def _is_singular(x: jax.Array) -> jax.Array:
    factors, _, _ = jax.lax.linalg.lu(x)
    return (jnp.diagonal(factors, 0, -2, -1) == 0).any()


def _checked(f: Callable[..., Any], message: str, failed: Callable[[jax.Array], Any]) -> Callable[..., Any]:
    """Make a function that raises where the result is not finite and `failed` finds why in the first operand."""

    @partial(jax.jit, static_argnames=("upper", "full_matrices", "rtol"))
    def compiled(*operands: jax.Array, **options: Any) -> Any:
        result = f(*operands, **options)
        return result, _all_finite(*jax.tree.leaves(result))

    def call(x: jax.Array, *operands: jax.Array, **options: Any) -> Any:
        result, finite = compiled(x, *operands, **options)
        if not isinstance(finite, jax.core.Tracer) and not finite and failed(x):
            raise LinAlgError(message)
        return result

    call.__name__ = call.__qualname__ = f.__name__
    return call


def _always(x: jax.Array) -> bool:
    return True


def _unless_infinite(x: jax.Array) -> jax.Array:
    """Return whether to raise, like LAPACK: it raises for nan, and gives nan for a matrix with infinities."""
    return jnp.isnan(x).any() | jnp.isfinite(x).all()


_NO_CONVERGENCE = "the eigenvalues do not converge"


@jax.custom_jvp
def _symmetric(x: jax.Array) -> jax.Array:
    """Return the matrices as they are. Their derivatives are made symmetric: the routines read one triangle."""
    return x


@_symmetric.defjvp
def _made_symmetric(primals: tuple[jax.Array], tangents: tuple[jax.Array]) -> tuple[jax.Array, jax.Array]:
    return _symmetric(primals[0]), (tangents[0] + jnp.conj(tangents[0].mT)) / 2


def _cholesky(x: jax.Array, *, upper: bool = False) -> jax.Array:
    x = _symmetric(x)
    if upper:  # JAX reads the lower triangle in any case
        return jnp.conj(jnp.linalg.cholesky(jnp.conj(x.mT), symmetrize_input=False).mT)
    return jnp.linalg.cholesky(x, symmetrize_input=False)


def _hermitian(x: jax.Array) -> jax.Array:
    """Return the Hermitian matrices with the given lower triangle."""
    if x.ndim > 1 and x.shape[-1] != x.shape[-2]:  # a row and its transpose would broadcast
        raise ValueError("takes square matrices")
    x = _symmetric(x)
    return jnp.tril(x) + jnp.conj(jnp.tril(x, -1).mT)


def _where_finite(x: jax.Array, result: jax.Array, axes: int) -> jax.Array:
    """Return nan for matrices with infinities or nan in the lower triangle: LAPACK gives any number."""
    finite = jnp.isfinite(jnp.tril(x)).all((-2, -1))
    return jnp.where(finite[(..., *[None] * axes)], result, jnp.nan)


def _eigh(x: jax.Array) -> Any:
    values, vectors = jnp.linalg.eigh(_hermitian(x), "L", symmetrize_input=False)
    return _where_finite(x, values, 1), _where_finite(x, vectors, 2)


def _eigvalsh(x: jax.Array) -> jax.Array:
    return _where_finite(x, jnp.linalg.eigvalsh(_hermitian(x), "L", symmetrize_input=False), 1)


def _of_finite(f: Callable[[jax.Array], Any], x: jax.Array) -> Any:
    """Call a routine with the finite matrices, nan for the others: LAPACK need not end on infinities or nan."""
    if x.ndim < 2:
        return f(x)
    finite = jnp.isfinite(x).all((-2, -1))
    results = f(jnp.where(finite[..., None, None], x, 0))
    return jax.tree.map(lambda r: jnp.where(finite[(..., *[None] * (r.ndim - finite.ndim))], r, jnp.nan), results)


def _svd(x: jax.Array, *, full_matrices: bool = True) -> Any:
    return _of_finite(lambda x: tuple(jnp.linalg.svd(x, full_matrices)), x)


def _svdvals(x: jax.Array) -> jax.Array:
    return _of_finite(jnp.linalg.svdvals, x)


def _pinv(x: jax.Array, *, rtol: Any = None) -> jax.Array:
    """Compute the pseudo-inverse by JAX's function: its derivative looks at no singular vectors."""
    least = max(x.shape[-2:]) * jnp.finfo(x.dtype).eps if rtol is None else rtol
    return _of_finite(lambda x: jnp.linalg.pinv(x, rtol=least), x)


cholesky = _checked(_cholesky, "a matrix is not positive definite", _always)
eig = _checked(jnp.linalg.eig, _NO_CONVERGENCE, _always)
eigh = _checked(_eigh, _NO_CONVERGENCE, _is_finite)
eigvals = _checked(jnp.linalg.eigvals, _NO_CONVERGENCE, _always)
eigvalsh = _checked(_eigvalsh, _NO_CONVERGENCE, _is_finite)
svd = _checked(_svd, "the singular values do not converge", _unless_infinite)
svdvals = _checked(_svdvals, "the singular values do not converge", _unless_infinite)
pinv = _checked(_pinv, "the singular values do not converge", _unless_infinite)
pinv.when = of_numbers("rtol")  # type: ignore[attr-defined]
inv = _checked(jnp.linalg.inv, "a matrix is singular", _is_singular)
solve = _checked(jnp.linalg.solve, "a matrix is singular", _is_singular)
det = jnp.linalg.det
slogdet = jnp.linalg.slogdet


# --- polar factors ------------------------------------------------------------------------------------------------
# The derivatives look at no singular vectors, which have none for equal singular values: as in derivatives/linalg.py.


def _adjoint(x: jax.Array) -> jax.Array:
    return jnp.conj(x.mT)


def _made_hermitian(x: jax.Array) -> jax.Array:
    return (x + _adjoint(x)) / 2


def _between(p: jax.Array, c: jax.Array) -> jax.Array:
    """Solve ``p @ y + y @ p = c`` for Hermitian p. JAX does not differentiate the way to solve it."""

    def by_eigenvectors(p: jax.Array, c: jax.Array) -> jax.Array:
        values, v = jnp.linalg.eigh(p)
        sums = values[..., :, None] + values[..., None, :]
        return v @ (_adjoint(v) @ c @ v / jnp.where(sums == 0, jnp.nan, sums)) @ _adjoint(v)

    return jax.lax.custom_linear_solve(
        lambda y: p @ y + y @ p, c, lambda _, c: by_eigenvectors(p, c), lambda _, c: by_eigenvectors(p.mT, c)
    )


@partial(jax.custom_jvp, nondiff_argnums=(1,))
def _polar(x: jax.Array, right: bool) -> tuple[jax.Array, jax.Array]:
    u, s, vh = svd(x, full_matrices=False)
    sizes = s.astype(x.dtype)[..., None, :]
    return u @ vh, (_adjoint(vh) * sizes) @ vh if right else (u * sizes) @ _adjoint(u)


@_polar.defjvp
def _along_polar(right: bool, primals: Any, tangents: Any) -> Any:
    (x,), (t,) = primals, tangents
    unit, size = _polar(x, right)
    found = _moved_unit(x, unit, t)
    moved = _adjoint(found) @ x + _adjoint(unit) @ t if right else t @ _adjoint(unit) + x @ _adjoint(found)
    return (unit, size), (found, _made_hermitian(moved))


def _moved_unit(x: jax.Array, unit: jax.Array, t: jax.Array) -> jax.Array:
    """Bring the tangent of a matrix to that of its unitary factor."""
    if x.shape[-2] < x.shape[-1]:
        return _adjoint(_moved_unit(_adjoint(x), _adjoint(unit), _adjoint(t)))
    inner, p = _adjoint(unit) @ t, _made_hermitian(_adjoint(unit) @ x)
    found = unit @ _between(p, inner - _adjoint(inner))
    return found + (t - unit @ inner) @ jnp.linalg.inv(p) if x.shape[-2] > x.shape[-1] else found


def polar(x: jax.Array, side: str = "right") -> tuple[jax.Array, jax.Array]:
    return _polar(x, side == "right")


polar.when = of_sides  # type: ignore[attr-defined]


def qr(x: jax.Array, *, mode: str = "reduced") -> Any:
    check_mode(mode)
    return jnp.linalg.qr(x, mode)


def diagonal(x: jax.Array, *, offset: int = 0) -> jax.Array:
    return jnp.diagonal(x, offset, -2, -1)


def vector_norm(x: jax.Array, *, axis: Any = None, keepdims: bool = False, ord: float = 2) -> jax.Array:
    if ord is None:
        raise TypeError("ord is a number")  # JAX takes None for 2
    return _vector_norm(x, tuple(axis) if isinstance(axis, list) else axis, keepdims, ord)


@partial(jax.jit, static_argnums=(1, 2, 3))
def _vector_norm(x: jax.Array, axis: Any, keepdims: bool, ord: float) -> jax.Array:
    sizes = x if ord == 2 or jnp.iscomplexobj(x) else _abs(x)  # whose slope at 0 is latticework's
    return _norm_of(sizes, axis, keepdims, ord)


def _norm_natively(x: jax.Array, *, axis: Any = None, keepdims: bool = False, ord: float = 2) -> jax.Array:
    if ord is None:
        raise TypeError("ord is a number")
    return _native_norm(x, tuple(axis) if isinstance(axis, list) else axis, keepdims, ord)


@partial(jax.jit, static_argnums=(1, 2, 3))
def _native_norm(x: jax.Array, axis: Any, keepdims: bool, ord: float) -> jax.Array:
    return _norm_of(x, axis, keepdims, ord)


def _norm_of(x: jax.Array, axis: Any, keepdims: bool, ord: float) -> jax.Array:
    """Compute the norm, with gradient 0 at 0: that of jnp.linalg.vector_norm is nan."""
    if ord in (jnp.inf, -jnp.inf):
        return (_max if ord > 0 else _min)(jnp.abs(x), axis=axis, keepdims=keepdims)
    if ord in (0, 1):
        return jnp.linalg.vector_norm(x, axis=axis, keepdims=keepdims, ord=ord)
    if ord == 2:
        squares = jnp.square(x.real) + jnp.square(x.imag) if jnp.iscomplexobj(x) else x * x
        return root(jnp.sum(squares, axis=axis, keepdims=keepdims))
    sizes = jnp.abs(x)
    if ord < 0:  # 0 where one of the absolute values is 0, and so are its derivatives there
        zero = sizes == 0
        total = jnp.sum(jnp.where(zero, 1, sizes) ** ord, axis=axis, keepdims=keepdims)
        nothing = jnp.any(zero, axis=axis, keepdims=keepdims) & ~jnp.isnan(total)
        return jnp.where(nothing, 0, total ** (1 / ord))
    if ord < 1:  # whose powers have infinite derivatives at 0
        zero = sizes == 0
        powers = jnp.where(zero, 0, jnp.where(zero, 1, sizes) ** ord)
    else:
        powers = sizes**ord
    total = jnp.sum(powers, axis=axis, keepdims=keepdims)
    nothing = total == 0
    return jnp.where(nothing, 0, jnp.where(nothing, 1, total) ** (1 / ord))


def _when(x: jax.Array, **options: Any) -> bool:
    """Tell whether x has more than 16 bits and some elements.

    JAX would soon leave the range of float16, and has a number for the greatest of no elements."""
    return x.dtype.itemsize > 2 and x.size > 0


vector_norm.when = _norm_natively.when = _when  # type: ignore[attr-defined]
_own_slopes(vector_norm, _norm_natively)

REFUSED.update(refused("linalg"))
