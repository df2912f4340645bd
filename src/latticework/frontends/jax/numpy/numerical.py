"""Differences, integrals, interpolation, polynomials and windows."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

import latticework as lw

from ..core import as_array, canonical, dialect, ops, our_dtype
from .creation import asarray
from .data_types import float_of, result_type


def _floating(*xs: Any) -> list[Any]:
    """Arrays cast to the floating dtype that they promote to."""
    arrays = [as_array(x) for x in xs]
    dtype = our_dtype(float_of(*arrays))
    return [ops.astype(x, dtype) for x in arrays]


# --- differences and integrals --------------------------------------------------------------------------------------


def diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Any:
    a = as_array(a, "diff")
    if n < 0:
        raise ValueError(f"order must be non-negative but got {n}")
    if not a.ndim:
        raise ValueError("diff requires input that is at least one dimensional; got a scalar")
    ends = {"prepend": prepend, "append": append}
    shape = (*a.shape[: axis % a.ndim], 1, *a.shape[axis % a.ndim + 1 :])
    more = {}
    for name, x in ends.items():
        if x is not None:
            x = as_array(x)
            more[name] = ops.broadcast_to(x, shape) if not x.ndim else x
    if not n:
        return a
    return ops.diff(a, n=n, axis=axis, **more)


def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    ary = ops.reshape(as_array(ary, "ediff1d"), (-1,))
    found = ary[1:] - ary[:-1]
    if to_begin is not None:
        found = ops.concat([ops.astype(ops.reshape(asarray(to_begin), (-1,)), found._array.dtype), found])
    if to_end is not None:
        found = ops.concat([found, ops.astype(ops.reshape(asarray(to_end), (-1,)), found._array.dtype)])
    return found


def gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: int | None = None) -> Any:
    if edge_order is not None:
        raise NotImplementedError("The 'edge_order' argument to jnp.gradient is not supported.")
    (f,) = _floating(f)
    spacing = [as_array(x) for x in varargs]
    axes = range(f.ndim) if axis is None else axis if isinstance(axis, (tuple, list)) else (axis,)
    if wrong := [n for n in axes if not -f.ndim <= n < f.ndim]:
        raise ValueError(f"axis {wrong[0]} is out of bounds for array of dimension {f.ndim}")
    if len(spacing) not in (0, 1, len([*axes])):
        raise TypeError(f"Invalid number of spacing arguments {len(spacing)} for axis={axis}")
    if any(f.shape[n] < 2 for n in axes):
        raise ValueError(
            "Shape of array too small to calculate a numerical gradient, at least 2 elements are required."
        )
    found = ops.gradient(f, *spacing, axis=axis)
    return list(found) if isinstance(found, (tuple, list)) else found


def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
    if x is None:
        y, steps = _floating(y)[0], as_array(dx)
        axis = operator.index(axis) % y.ndim if y.ndim else axis
        before = (slice(None),) * axis
        return 0.5 * ops.sum(steps * (y[(*before, slice(1, None))] + y[(*before, slice(None, -1))]), axis=axis)
    y, x = _floating(y, x)
    dx_array = ops.diff(x) if x.ndim == 1 else ops.moveaxis(ops.diff(x, axis=axis), axis, -1)
    y = ops.moveaxis(y, axis, -1)
    return 0.5 * ops.sum(dx_array * (y[..., 1:] + y[..., :-1]), axis=-1)


def interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None) -> Any:
    if as_array(xp).shape != as_array(fp).shape or as_array(xp).ndim != 1:
        raise ValueError("xp and fp must be one-dimensional arrays of equal size")
    straight = object()  # stands for a straight line beyond an end
    if wrong := next((end for end in (left, right) if isinstance(end, str) and end != "extrapolate"), None):
        raise ValueError(f"interp: the only word for left and right is 'extrapolate'; got {wrong!r}")
    left, right = [straight if isinstance(end, str) else end for end in (left, right)]
    x, xp = _floating(x, xp)
    fp = _floating(fp)[0]
    if period is not None:
        if as_array(period).ndim:
            raise ValueError(f"period must be a scalar; got {period}")
        period = abs(as_array(period))
        x, xp = ops.remainder(x, period), ops.remainder(xp, period)
        order = ops.argsort(xp)
        xp, fp = xp[order], fp[order]
        xp = ops.concat([xp[-1:] - period, xp, xp[:1] + period])
        fp = ops.concat([fp[-1:], fp, fp[:1]])
    i = ops.clip(ops.searchsorted(xp, x, side="right"), 1, xp.shape[0] - 1)
    df, dx, delta = fp[i] - fp[i - 1], xp[i] - xp[i - 1], x - xp[i - 1]
    tiny = float(np.spacing(np.finfo("float64" if x.dtype.name == "float64" else "float32").eps))
    flat = ops.abs(dx) <= tiny
    found = ops.where(flat, fp[i - 1], fp[i - 1] + (delta / ops.where(flat, 1, dx)) * df)
    if period is None:
        if left is not straight:
            found = ops.where(x < xp[0], fp[0] if left is None else left, found)
        if right is not straight:
            found = ops.where(x > xp[-1], fp[-1] if right is None else right, found)
    return found


# --- polynomials ----------------------------------------------------------------------------------------------------


def _aligned(a1: Any, a2: Any, name: str) -> list[Any]:
    """Two polynomials of the same length."""
    a1, a2 = as_array(a1, name), as_array(a2, name)
    dtype = our_dtype(result_type(a1, a2))
    n = max(a1.shape[0], a2.shape[0])
    return [ops.pad(ops.astype(x, dtype), [(n - x.shape[0], 0)]) for x in (a1, a2)]


def polyadd(a1: Any, a2: Any) -> Any:
    a, b = _aligned(a1, a2, "polyadd")
    return a + b


def polysub(a1: Any, a2: Any) -> Any:
    a, b = _aligned(a1, a2, "polysub")
    return a - b


def polymul(a1: Any, a2: Any, *, trim_leading_zeros: bool = False) -> Any:
    from .products import convolve

    a1, a2 = _floating(a1, a2)
    if trim_leading_zeros and (a1.size > 1 or a2.size > 1):
        a1, a2 = ops.trim_zeros(a1, "f"), ops.trim_zeros(a2, "f")
    return convolve(a1 if a1.size else asarray([0.0]), a2 if a2.size else asarray([0.0]))


def polydiv(u: Any, v: Any, *, trim_leading_zeros: bool = False) -> tuple[Any, Any]:
    u, v = _floating(u, v)
    m, n = u.shape[0] - 1, v.shape[0] - 1
    if m < n:
        return ops.zeros((1,), dtype=u._array.dtype), u
    scale = 1.0 / v[0]
    parts = []
    rest = u
    for k in range(m - n + 1):
        d = scale * rest[k]
        parts.append(d)
        rest = rest.at[k : k + n + 1].add(-d * v)
    rest = ops.trim_zeros(rest, "f") if trim_leading_zeros else rest
    return ops.stack(parts), rest


def polyval(p: Any, x: Any, *, unroll: int = 16) -> Any:
    p, x = as_array(p, "polyval"), as_array(x, "polyval")
    dtype = our_dtype(result_type(p, x))
    p, x = ops.astype(p, dtype), ops.astype(x, dtype)
    found = ops.zeros(lw.broadcast_shapes(x.shape, p.shape[1:]), dtype=x._array.dtype)
    for i in range(p.shape[0]):
        found = found * x + p[i]
    return found


def polyder(p: Any, m: int = 1) -> Any:
    (p,) = _floating(p)
    m = operator.index(m)
    if m < 0:
        raise ValueError("Order of derivative must be positive")
    if not m:
        return p
    if m >= p.shape[0]:
        return ops.zeros((0,), dtype=p._array.dtype)
    powers = np.arange(p.shape[0], dtype="float64")[::-1]
    factors = np.prod([powers[:-m] - i for i in range(m)], axis=0)
    return p[:-m] * asarray(factors, dtype=p.dtype)


def polyint(p: Any, m: int = 1, k: Any = None) -> Any:
    m = operator.index(m)
    k = 0 if k is None else k
    p, k = _floating(p, asarray(k))
    if m < 0:
        raise ValueError("Order of integral must be positive (see polyder)")
    k = ops.broadcast_to(ops.reshape(k, (-1,)), (m,)) if k.size == 1 else k
    if k.shape != (m,):
        raise ValueError("k must be a scalar or a rank-1 array of length 1 or m.")
    if not m:
        return p
    powers = np.arange(p.shape[0] + m, dtype="float64")[::-1]
    divisors = np.prod([np.maximum(powers - i, 1) for i in range(m)], axis=0)
    return ops.concat([p, k]) / asarray(divisors, dtype=p.dtype)


def polyfit(
    x: Any, y: Any, deg: int, rcond: float | None = None, full: bool = False, w: Any = None, cov: Any = False
) -> Any:
    x, y = _floating(x, y)
    deg = operator.index(deg)
    if deg < 0:
        raise ValueError("expected deg >= 0")
    if x.ndim != 1:
        raise TypeError("expected 1D vector for x")
    if not x.size:
        raise TypeError("expected non-empty vector for x")
    if y.ndim not in (1, 2):
        raise TypeError("expected 1D or 2D array for y")
    if x.shape[0] != y.shape[0]:
        raise TypeError("expected x and y to have same length")
    weights = None if w is None else ops.astype(as_array(w), x._array.dtype)
    if not full and not cov:
        return ops.polyfit(x, y, deg, rcond, w=weights)
    return _fitted(x, y, deg, rcond, weights, full, cov)


def _fitted(x: Any, y: Any, deg: int, rcond: float | None, w: Any, full: bool, cov: Any) -> Any:
    """A fit with what there is to know of it: residuals, rank and singular values, or the covariances."""
    from .linalg import lstsq

    columns, right = ops.vander(x, deg + 1), y
    if w is not None:
        columns, right = columns * w[:, None], right * (w[:, None] if y.ndim == 2 else w)
    scale = ops.sqrt(ops.sum(columns * columns, axis=0))
    rcond = x.shape[0] * float(lw.finfo(x._array.dtype).eps) if rcond is None else rcond
    found, residuals, rank, values = lstsq(columns / scale, right, rcond)
    found = found / (scale[:, None] if y.ndim == 2 else scale)
    if full:
        return found, residuals, rank, values, as_array(rcond)
    base = ops.linalg.inv(ops.matmul(ops.matrix_transpose(columns), columns))
    factor: Any = 1
    if cov != "unscaled":
        if x.shape[0] <= deg + 1:
            raise ValueError("polyfit: covariances that are scaled need more points than coefficients")
        factor = residuals / (x.shape[0] - deg - 1)
    return found, base[:, :, None] * factor if y.ndim == 2 else base * factor


def poly(seq_of_zeros: Any) -> Any:
    (zeros,) = _floating(seq_of_zeros)
    if zeros.ndim == 0:
        zeros = ops.reshape(zeros, (1,))
    if zeros.ndim == 2:
        zeros = ops.linalg.eigvals(zeros)
    if zeros.ndim != 1:
        raise ValueError("input must be 1d or non-empty square 2d array.")
    from .products import convolve

    one = ops.ones((1,), dtype=zeros._array.dtype)
    found = one
    for i in range(zeros.shape[0]):
        found = convolve(found, ops.concat([one, ops.reshape(-zeros[i], (1,))]))
    return found


def roots(p: Any, *, strip_zeros: bool = True) -> Any:
    (p,) = _floating(p)
    return ops.roots(p, strip_zeros=strip_zeros)


def vander(x: Any, N: int | None = None, increasing: bool = False) -> Any:
    x = as_array(x, "vander")
    if x.ndim != 1:
        raise ValueError("x must be a one-dimensional array")
    n = x.shape[0] if N is None else operator.index(N)
    if n < 0:
        raise ValueError("N must be nonnegative")
    powers = ops.arange(n) if increasing else ops.flip(ops.arange(n))
    return ops.pow(ops.expand_dims(x, 1), ops.astype(powers, x._array.dtype) if x.dtype.kind in "iu" else powers)


# --- windows --------------------------------------------------------------------------------------------------------


def _window(name: str, m: int, *args: Any) -> Any:
    m = operator.index(m)
    wide = canonical("float64")
    if m < 0:
        raise TypeError(f"{name}: a window has no negative length; got {m}")
    if m <= 1:
        return ops.ones((m,), dtype=lw.as_dtype(wide.name))
    return asarray(getattr(np, name)(m, *args).astype("float64"), dtype=wide)


# fmt: off
def bartlett(M: int) -> Any: return _window("bartlett", M)
def blackman(M: int) -> Any: return _window("blackman", M)
def hamming(M: int) -> Any: return _window("hamming", M)
def hanning(M: int) -> Any: return _window("hanning", M)
def kaiser(M: int, beta: Any) -> Any: return _window("kaiser", M, float(beta))
# fmt: on


# --- bits -----------------------------------------------------------------------------------------------------------


def packbits(a: Any, axis: int | None = None, bitorder: str = "big") -> Any:
    a = as_array(a, "packbits")
    if a.dtype.kind not in "biu":
        raise TypeError("Expected an input array of integer or boolean data type")
    if bitorder not in ("little", "big"):
        raise ValueError("'order' must be either 'little' or 'big'")
    a = ops.astype(ops.not_equal(a, 0) if a.dtype.kind != "b" else a, lw.uint8)
    if axis is None:
        a, axis = ops.reshape(a, (-1,)), 0
    a = ops.moveaxis(a, axis, -1)
    a = ops.pad(a, [(0, 0)] * (a.ndim - 1) + [(0, -a.shape[-1] % 8)])
    a = ops.reshape(a, (*a.shape[:-1], a.shape[-1] // 8, 8))
    shifts = asarray(np.arange(8)[::-1] if bitorder == "big" else np.arange(8), dtype="uint8")
    found = ops.sum(ops.left_shift(a, shifts), axis=-1, dtype=lw.uint8)
    return ops.moveaxis(found, -1, axis)


def unpackbits(a: Any, axis: int | None = None, count: int | None = None, bitorder: str = "big") -> Any:
    a = as_array(a, "unpackbits")
    if a.dtype.name != "uint8":
        raise TypeError("Expected an input array of unsigned byte data type")
    if bitorder not in ("little", "big"):
        raise ValueError("'order' must be either 'little' or 'big'")
    if axis is None:
        a, axis = ops.reshape(a, (-1,)), 0
    shifts = asarray(np.arange(8)[::-1] if bitorder == "big" else np.arange(8), dtype="uint8")
    a = ops.moveaxis(a, axis, -1)
    bits = ops.bitwise_and(ops.right_shift(ops.expand_dims(a, -1), shifts), asarray(1, dtype="uint8"))
    bits = ops.reshape(bits, (*a.shape[:-1], a.shape[-1] * 8))
    if count is not None:
        bits = (
            bits[..., :count]
            if count <= bits.shape[-1]
            else ops.pad(bits, [(0, 0)] * (bits.ndim - 1) + [(0, count - bits.shape[-1])])
        )
    return ops.moveaxis(bits, -1, axis)


dialect.finish(globals(), view="jax.numpy")
