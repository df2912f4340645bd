"""The linear algebra extension on TensorFlow.

Inside `tf.function` there are no values to look at: instead of a LinAlgError, TensorFlow raises at run time, or leaves
nan.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf
from numpy.linalg import LinAlgError
from tensorflow import raw_ops as ops

from ....backend.arguments import check_mode, of_numbers, of_sides
from ....backend.unsupported import refused
from ....core.dtypes import SCALARS
from ....engine.shapes.extents import known_extent
from ..core import REFUSED, chosen, custom_gradient, differentiated, eager, ints, recorded, reshaped, scalar
from ..elementwise import imag
from ..indexing import sliced


def _square(x: Any) -> Any:
    if x.shape.rank < 2 or not x.shape[-1:].is_compatible_with(x.shape[-2:-1]):
        raise ValueError(f"the matrices are not square: shape {tuple(x.shape)}")
    return x


def _matrices(x: Any) -> Any:
    if x.shape.rank < 2:
        raise ValueError(f"needs two axes or more; got shape {tuple(x.shape)}")
    return x


def _guarded(kernel: Callable[..., Any], why: str, **options: Any) -> Any:
    try:
        return kernel(**options)
    except tf.errors.InvalidArgumentError as error:
        raise LinAlgError(why) from error


def _check_finite(x: Any, why: str) -> None:
    """Raise a LinAlgError for infinities and nan: the kernels give nan for them, those of complex numbers zeros."""
    if eager(x):
        for component in (_real(x), imag(x)) if x.dtype.is_complex else (x,):
            _guarded(ops.CheckNumerics, why, tensor=component, message=why)


def _check_no_nan(x: Any, why: str) -> None:
    """Raise a LinAlgError for nan, like LAPACK, which gives nan for infinities."""
    if eager(x) and chosen(ops.NotEqual(x=x, y=x, incompatible_shape_error=True)):
        raise LinAlgError(why)


def _finite(x: Any) -> Any:
    """Return the mask of the matrices that have neither infinities nor nan."""
    finite = ops.IsFinite(x=_real(x))
    if x.dtype.is_complex:
        finite = ops.LogicalAnd(x=finite, y=ops.IsFinite(x=imag(x)))
    return ops.All(input=finite, axis=ints((-2, -1)), keep_dims=False)


def _all_finite(x: Any) -> bool:
    return eager(x) and not chosen(ops.LogicalNot(x=_finite(x)))


def _chosen_matrices(x: Any, finite: Any, other: Any, axes: int = 2) -> Any:
    """Select `finite` for the matrices of x that are finite, and `other` for those with infinities or nan."""
    condition = _finite(x)
    for _ in range(axes):
        condition = ops.ExpandDims(input=condition, axis=-1)
    return ops.SelectV2(condition=condition, t=finite, e=other)


def _where_finite(x: Any, result: Any, axes: int) -> Any:
    """Return nan for matrices with infinities or nan; `axes` is the number of the last axes of `result`."""
    return result if _all_finite(x) else _chosen_matrices(x, result, tf.constant(math.nan, result.dtype), axes)


def _made_finite(x: Any) -> Any:
    """Replace matrices with infinities or nan by the unit matrix: the kernels raise errors for them."""
    return x if _all_finite(x) else _chosen_matrices(x, x, tf.eye(x.shape[-1], dtype=x.dtype))


def _inverted(kernel: Callable[[Any], Any], x: Any) -> Any:
    """Call a kernel that inverts matrices: nan for those with nan, as LAPACK does."""
    try:
        return kernel(x)
    except tf.errors.InvalidArgumentError as error:
        if not eager(x) or _all_finite(x):
            raise LinAlgError(_SINGULAR) from error
    try:
        return _where_finite(x, kernel(_made_finite(x)), 2)
    except tf.errors.InvalidArgumentError as error:
        raise LinAlgError(_SINGULAR) from error


_NO_CONVERGENCE = "the eigenvalues do not converge"
_NO_SINGULAR_VALUES = "the singular values do not converge"
_SINGULAR = "a matrix is singular"


def _adjoint(x: Any) -> tf.Tensor:
    n = x.shape.rank
    kernel = ops.ConjugateTranspose if x.dtype.is_complex else ops.Transpose
    return kernel(x=x, perm=ints((*range(n - 2), n - 1, n - 2)))


def cholesky(x: Any, *, upper: bool = False) -> tf.Tensor:
    """Decompose by the kernel. It reads the lower triangle, and reports no failure: it leaves nan, or complex zeros
    (https://github.com/tensorflow/tensorflow/issues/61916)."""
    _square(x)
    result = ops.Cholesky(input=_adjoint(x) if upper else x)
    pivots = _real(ops.MatrixDiagPart(input=result))
    failed = ops.LogicalNot(x=ops.LogicalAnd(x=ops.Greater(x=pivots, y=0), y=ops.Less(x=pivots, y=math.inf)))
    if eager(failed):
        if chosen(failed):
            raise LinAlgError("a matrix is not positive definite")
    else:
        failed = tf.reduce_any(failed, axis=-1)[..., None, None]
        result = tf.where(failed, tf.constant(float("nan"), result.dtype), result)
    return _adjoint(result) if upper else result


def det(x: Any) -> tf.Tensor:
    """Compute the determinant. The kernel's derivative is for real matrices, and an error for singular ones."""
    return _differentiable_det(_square(x)) if recorded() else ops.MatrixDeterminant(input=_square(x))


def _det_and_back(x: Any) -> Any:
    def back(cotangent: Any) -> tf.Tensor:
        return cotangent[..., None, None] * _adjoint(_adjugate(x))

    return ops.MatrixDeterminant(input=x), back


_differentiable_det = custom_gradient(_det_and_back)


def _adjugate(x: Any) -> tf.Tensor:
    """Return the adjugate, ``det(x) * inv(x)``, which singular matrices have too."""
    unit = tf.eye(x.shape[-1], dtype=x.dtype)
    singular = (ops.MatrixDeterminant(input=x) == 0)[..., None, None]
    if eager(singular) and not chosen(singular):
        return det(x)[..., None, None] * ops.MatrixInverse(input=x)
    regular = tf.where(singular, unit, x)
    others = _adjugate_of_singular(tf.where(singular, x, unit))
    return tf.where(singular, others, det(regular)[..., None, None] * ops.MatrixInverse(input=regular))


#: The most rows for which the adjugate of a singular matrix is computed by products.
_FEW_ROWS = 8


def _adjugate_of_singular(x: Any) -> tf.Tensor:
    """Compute the adjugate by Faddeev's and Leverrier's recurrence, which has derivatives of all orders; for many rows,
    where that cancels, by singular values."""
    n = x.shape[-1]
    if n is not None and n <= _FEW_ROWS:
        result = unit = tf.eye(n, dtype=x.dtype) + tf.zeros_like(x)
        for i in range(1, n):
            product = x @ result
            result = product - unit * (tf.linalg.trace(product) / i)[..., None, None]
        return result if n % 2 else -result
    values, u, v = ops.Svd(input=x, full_matrices=True)
    others = tf.cast(
        tf.math.cumprod(values, -1, exclusive=True) * tf.math.cumprod(values, -1, exclusive=True, reverse=True), x.dtype
    )
    factor = ops.MatrixDeterminant(input=u) * tf.math.conj(ops.MatrixDeterminant(input=v))
    return factor[..., None, None] * ((v * others[..., None, :]) @ _adjoint(u))


def slogdet(x: Any) -> tuple[tf.Tensor, tf.Tensor]:
    """Compute sign and logarithm. The kernel has no derivative of the sign, which complex matrices have."""
    _square(x)
    sign, log = (_differentiable_slogdet if x.dtype.is_complex and recorded() else _slogdet)(x)
    singular = ops.Equal(x=log, y=-math.inf)  # where the sign would be -0.0
    return ops.SelectV2(condition=singular, t=tf.zeros((), sign.dtype), e=sign), log


def _slogdet(x: Any) -> tuple[tf.Tensor, tf.Tensor]:
    sign, log = ops.LogMatrixDeterminant(input=x)
    return sign, _real(log)


def _slogdet_and_back(x: Any) -> Any:
    """Differentiate the complex logarithm of the determinant: its parts are the second result and the angle."""

    def back(of_sign: Any, of_log: Any) -> tf.Tensor:
        sign, _ = _differentiable_slogdet(x)
        of_angle = imag(of_sign * tf.math.conj(sign))
        return tf.complex(of_log, of_angle)[..., None, None] * _adjoint(ops.MatrixInverse(input=x))

    return _slogdet(x), back


_differentiable_slogdet = custom_gradient(_slogdet_and_back)


def inv(x: Any) -> tf.Tensor:
    return _inverted(lambda x: ops.MatrixInverse(input=x), _square(x))


def solve(x1: Any, x2: Any) -> tf.Tensor:
    _square(x1)
    vector = x2.shape.rank == 1
    right = ops.ExpandDims(input=x2, axis=1) if vector else x2
    if not right.shape[-2:-1].is_compatible_with(x1.shape[-1:]):
        raise ValueError(f"shapes {tuple(x1.shape)} and {tuple(x2.shape)} do not fit together")
    if x1.shape[:-2] != right.shape[:-2]:  # the kernel does not broadcast
        stack = tf.broadcast_dynamic_shape(tf.shape(x1)[:-2], tf.shape(right)[:-2])
        x1 = tf.broadcast_to(x1, tf.concat([stack, tf.shape(x1)[-2:]], 0))
        right = tf.broadcast_to(right, tf.concat([stack, tf.shape(right)[-2:]], 0))
    result = _inverted(lambda x: ops.MatrixSolve(matrix=x, rhs=right), x1)
    return ops.Squeeze(input=result, axis=[-1]) if vector else result


def _eig(x: Any, **options: Any) -> Any:
    _check_finite(_square(x), _NO_CONVERGENCE)
    dtype = tf.complex64 if x.dtype in (tf.float32, tf.complex64) else tf.complex128
    return _guarded(ops.Eig, _NO_CONVERGENCE, input=x, Tout=dtype, **options)


def eig(x: Any) -> Any:
    values, vectors = _eig(x)
    return _where_finite(x, values, 1), _where_finite(x, vectors, 2)


def eigvals(x: Any) -> tf.Tensor:
    return _where_finite(x, _eig(x, compute_v=False)[0], 1)


def _real(x: Any) -> tf.Tensor:
    return ops.Real(input=x, Tout=x.dtype.real_dtype) if x.dtype.is_complex else x


def _lower(x: Any) -> Any:
    """Return the lower triangles. Their derivatives are made symmetric, as those of the Cholesky factor are."""
    x = _symmetric(x) if recorded() else x
    return ops.MatrixBandPart(input=x, num_lower=-1, num_upper=0)


def _symmetric(x: Any) -> Any:
    @custom_gradient
    def same(x: Any) -> Any:
        return tf.identity(x), lambda g: (g + _adjoint(g)) / 2

    return same(x)


def eigh(x: Any) -> tuple[tf.Tensor, tf.Tensor]:
    x = _lower(_square(x))
    values, vectors = _guarded(ops.SelfAdjointEigV2, _NO_CONVERGENCE, input=_made_finite(x))
    values = _real(values)
    return _where_finite(x, values, 1), _where_finite(x, _of_distinct(values, vectors), 2)


def _of_distinct(values: Any, vectors: Any) -> tf.Tensor:
    """Return the vectors of eigenvalues or singular values, with the derivative nan where values are equal but for
    rounding: there is none, and TensorFlow leaves out what would be divided by 0."""
    if not recorded():
        return vectors

    @custom_gradient
    def guarded(vectors: Any) -> Any:
        def back(g: Any) -> tf.Tensor:
            apart = tf.abs(values[..., 1:] - values[..., :-1])
            greatest = tf.reduce_max(tf.abs(values), axis=-1, keepdims=True)
            least = 8 * np.finfo(values.dtype.as_numpy_dtype).eps * greatest
            equal = tf.reduce_any(apart <= least, axis=-1)[..., None, None]
            return g * tf.where(equal, tf.constant(math.nan, g.dtype), tf.constant(1, g.dtype))

        return tf.identity(vectors), back

    return guarded(vectors)


def eigvalsh(x: Any) -> tf.Tensor:
    x = _lower(_square(x))
    values = _guarded(ops.SelfAdjointEigV2, _NO_CONVERGENCE, input=_made_finite(x), compute_v=False)[0]
    return _where_finite(x, _real(values), 1)


def qr(x: Any, *, mode: str = "reduced") -> Any:
    check_mode(mode)
    unit = _unit(_matrices(x))
    if unit is None:
        return ops.Qr(input=x, full_matrices=mode == "complete")
    q, r = ops.Qr(input=x / unit, full_matrices=mode == "complete")
    return q, r * unit


def _unit(x: Any) -> Any:
    """Return powers of two near the largest elements, where their squares, as in the kernel, may leave the range."""
    size = ops.ComplexAbs(x=x, Tout=x.dtype.real_dtype) if x.dtype.is_complex else ops.Abs(x=x)
    largest = ops.Max(input=size, axis=ints((-2, -1)), keep_dims=True)
    if eager(x):
        values = np.asarray(largest)
        safe = 2.0 ** (48 if size.dtype == tf.float32 else 448)
        if ((values < safe) & (values > 1 / safe) | (values == 0)).all():
            return None
    exponents = tf.round(tf.math.log(largest) / math.log(2))
    unit = tf.where(tf.math.is_finite(exponents), tf.pow(tf.constant(2, size.dtype), exponents), 1)
    return tf.cast(unit, x.dtype)


def svd(x: Any, *, full_matrices: bool = True) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
    _check_no_nan(_matrices(x), _NO_SINGULAR_VALUES)
    values, u, v = ops.Svd(input=x, full_matrices=full_matrices)
    values = _real(values)
    u, v = _of_distinct(values, u), _of_distinct(values, v)
    return _where_finite(x, u, 2), _where_finite(x, values, 1), _adjoint(_where_finite(x, v, 2))


def pinv(x: Any, *, rtol: Any = None) -> tf.Tensor:
    """Compute the pseudo-inverse, with the derivative of Golub and Pereyra (1973) for a rank that stays as it is.

    TensorFlow differentiates its own through the singular vectors, which have no derivative for equal singular values.
    """
    _check_no_nan(_matrices(x), _NO_SINGULAR_VALUES)
    if rtol is None:
        longest = max(known_extent(tuple(x.shape), x.shape.rank + axis) for axis in (-2, -1))
        rtol = longest * np.finfo(x.dtype.real_dtype.as_numpy_dtype).eps
    return _pseudo_inverse(x, rtol)


pinv.when = of_numbers("rtol")  # type: ignore[attr-defined]


def _pseudo_inverse(x: Any, rtol: Any) -> tf.Tensor:
    @custom_gradient
    def by_singular_values(x: Any) -> Any:
        values, u, v = ops.Svd(input=x, full_matrices=False)
        values = _real(values)
        small = values <= tf.cast(rtol, values.dtype)[..., None] * values[..., :1]
        reciprocal = ops.Reciprocal(x=ops.SelectV2(condition=small, t=scalar(values.dtype)(math.inf), e=values))
        found = _where_finite(x, v * tf.cast(reciprocal, x.dtype)[..., None, :] @ _adjoint(u), 2)

        def back(g: Any) -> tf.Tensor:
            p = _pseudo_inverse(x, rtol)
            p_h, g_h = _adjoint(p), _adjoint(g)
            tall, wide = g_h @ p, p @ g_h
            return (tall - x @ (p @ tall)) @ p_h + p_h @ (wide - (wide @ p) @ x) - p_h @ g @ p_h

        return found, back

    return by_singular_values(x)


# --- polar factors ------------------------------------------------------------------------------------------------
# The derivatives look at no singular vectors, which have none for equal singular values: as in derivatives/linalg.py.


def _hermitian(x: Any) -> tf.Tensor:
    return (x + _adjoint(x)) / 2


def _between(p: Any, c: Any) -> tf.Tensor:
    """Solve ``p @ y + y @ p = c`` for Hermitian p. The derivative is of the same kind: no eigenvectors are in it."""

    @custom_gradient
    def by_eigenvectors(p: Any, c: Any) -> Any:
        values, v = ops.SelfAdjointEigV2(input=p)
        sums = values[..., :, None] + values[..., None, :]
        inner = _adjoint(v) @ c @ v / tf.where(sums == 0, scalar(sums.dtype)(math.nan), sums)

        def back(g: Any) -> tuple[tf.Tensor, tf.Tensor]:
            by_c, y_h = _between(p, g), _adjoint(_between(p, c))
            return -(by_c @ y_h + y_h @ by_c), by_c

        return v @ inner @ _adjoint(v), back

    return by_eigenvectors(p, c)


def _by_unitary_factor(x: Any, unit: Any, t: Any) -> tf.Tensor:
    """Bring the tangent of a matrix to that of its unitary factor. The map is its own transpose, for cotangents."""
    rows, columns = (known_extent(tuple(x.shape), x.shape.rank + axis) for axis in (-2, -1))
    if rows < columns:
        return _adjoint(_by_unitary_factor(_adjoint(x), _adjoint(unit), _adjoint(t)))
    inner, p = _adjoint(unit) @ t, _hermitian(_adjoint(unit) @ x)
    found = unit @ _between(p, inner - _adjoint(inner))
    return found + (t - unit @ inner) @ tf.linalg.inv(p) if rows > columns else found


def polar(x: Any, side: str = "right") -> tuple[tf.Tensor, tf.Tensor]:
    right = side == "right"

    @custom_gradient
    def by_singular_values(x: Any) -> Any:
        u, s, vh = svd(x, full_matrices=False)
        sizes = tf.cast(s, x.dtype)[..., None, :]
        unit, size = u @ vh, (_adjoint(vh) * sizes) @ vh if right else (u * sizes) @ _adjoint(u)

        def back(g: Any, h: Any) -> tf.Tensor:
            unit, h = polar(x, side)[0], _hermitian(h)
            found = _by_unitary_factor(x, unit, g + (x @ h if right else h @ x))
            return found + (unit @ h if right else h @ unit)

        return (unit, size), back

    unit, size = by_singular_values(x)
    return unit, size


polar.when = of_sides  # type: ignore[attr-defined]


def svdvals(x: Any) -> tf.Tensor:
    _check_no_nan(_matrices(x), _NO_SINGULAR_VALUES)
    return _where_finite(x, _real(ops.Svd(input=x, compute_uv=False)[0]), 1)


def diagonal(x: Any, *, offset: int = 0) -> tf.Tensor:
    rows, columns = _matrices(x).shape[-2:]
    if None not in (rows, columns) and min(rows + min(offset, 0), columns - max(offset, 0)) <= 0:
        return reshaped(sliced(x, (..., slice(0, 0), slice(0, 1))), (*x.shape[:-2], 0))
    return ops.MatrixDiagPartV3(input=x, k=offset, padding_value=tf.zeros((), x.dtype))


def vector_norm(x: Any, *, axis: Any = None, keepdims: bool = False, ord: float = 2) -> tf.Tensor:
    """Compute the Euclidean norm, with gradient 0 at 0: that of `tf.norm` is nan."""
    along = ints(tuple(range(x.shape.rank) if axis is None else axis if isinstance(axis, (tuple, list)) else (axis,)))
    if not differentiated():
        return ops.EuclideanNorm(input=x, axis=along, keep_dims=keepdims)
    total = ops.Sum(input=ops.Square(x=x), axis=along, keep_dims=keepdims)
    nothing = ops.Equal(x=total, y=scalar(x.dtype)(0))
    root = ops.Sqrt(x=ops.SelectV2(condition=nothing, t=scalar(x.dtype)(1), e=total))
    return ops.SelectV2(condition=nothing, t=total, e=root)


def _vector_norm_when(x: Any, *, axis: Any = None, ord: float = 2, **_: Any) -> bool:
    """Tell whether x is of real numbers of more than 16 bits and ord is the number 2."""
    return isinstance(ord, SCALARS) and ord == 2 and x.dtype in (tf.float32, tf.float64)


vector_norm.when = _vector_norm_when  # type: ignore[attr-defined]

REFUSED.update(refused("linalg"))
