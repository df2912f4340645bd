"""Discrete cosine transforms of the types 1 to 4."""

from __future__ import annotations

import math
from typing import Any, Literal

from ...core.dtypes import int32
from ...core.registry import functions as lw
from ...engine.arrays.array import Array
from ...engine.declare import op
from ...engine.shapes.extents import Shape, as_int, one_axis, replace_axis
from ..linear_algebra import extents
from .extension import fft, irfft, rfft

__all__ = ["dct", "idct"]

CosineNorm = Literal["backward", "ortho", "forward"] | None
_INVERSE = {1: 1, 2: 3, 3: 2, 4: 4}


def _dct_shape(x: Shape, *, type: Any = 2, n: Any = None, axis: Any = -1, norm: Any = None, **_: Any) -> Shape:
    """Transform n elements along the axis, by default all."""
    if type not in _INVERSE or isinstance(type, bool):
        raise ValueError(f"type is 1, 2, 3 or 4; got {type!r}")
    if norm not in (None, "backward", "ortho", "forward"):
        raise ValueError(f"norm is None, 'backward', 'ortho' or 'forward'; got {norm!r}")
    a = one_axis(axis, x)
    length = x[a] if n is None else as_int(n, "a number of elements is an int")
    least = 2 if type == 1 else 1
    if length is not None and length < least:
        raise ValueError(f"type {type} needs {least} or more elements; got {length} along axis {axis} of shape {x}")
    return replace_axis(x, a, length)


@op("real floating", shape=_dct_shape)
def dct(x: Array, /, type: int = 2, n: int | None = None, axis: int = -1, norm: CosineNorm = None) -> Array:
    """Discrete cosine transform along an axis.

    Parameters
    ----------
    x: float32 or float64; integers are taken as the default float.
    type: 1, 2, 3 or 4: which transform.
    n: how many elements to transform: x is cut to it or padded with zeros. All by default.
    axis: the axis to transform along.
    norm: None or ``"backward"`` for no factor, ``"forward"`` for the inverse of 2*n (2*(n - 1) for type 1), ``"ortho"``
        for an orthogonal transform.

    Returns
    -------
    The shape of x with n elements along the axis, and its dtype.

    Raises
    ------
    ValueError: n is less than 1, or than 2 for type 1; another type or norm.
    TypeError: complex input, float16 or bfloat16.

    Notes
    -----
    The definitions are those of `scipy.fft.dct`: type 2 is ``y[k] = 2 * sum(x[j] * cos(pi * k * (2*j + 1) / (2*n)))``.
    Made of a Fourier transform of 2*n elements. JAX has type 2 alone.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.around(lw.fft.dct(lw.asarray([1.0, 1.0])), 4)
    Array([4., 0.], dtype=float32)
    """
    _dct_shape(x.shape, type=type, n=n, axis=axis, norm=norm)
    return _transformed(x, type, n, axis, norm, inverse=False)


@op("real floating", shape=_dct_shape)
def idct(x: Array, /, type: int = 2, n: int | None = None, axis: int = -1, norm: CosineNorm = None) -> Array:
    """Inverse of `dct`.

    Parameters
    ----------
    x: float32 or float64; integers are taken as the default float.
    type: 1, 2, 3 or 4: which transform it is the inverse of.
    n: how many elements to transform: x is cut to it or padded with zeros. All by default.
    axis: the axis to transform along.
    norm: None or ``"backward"`` for the inverse of 2*n as factor (2*(n - 1) for type 1), ``"forward"`` for none,
        ``"ortho"`` for an orthogonal transform.

    Returns
    -------
    The shape of x with n elements along the axis, and its dtype.

    Raises
    ------
    ValueError: n is less than 1, or than 2 for type 1; another type or norm.
    TypeError: complex input, float16 or bfloat16.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.around(lw.fft.idct(lw.fft.dct(lw.asarray([1.0, 2.0, 4.0]))), 4)
    Array([1., 2., 4.], dtype=float32)
    """
    _dct_shape(x.shape, type=type, n=n, axis=axis, norm=norm)
    opposite: Any = {None: "forward", "backward": "forward", "forward": "backward"}.get(norm, norm)
    return _transformed(x, _INVERSE[type], n, axis, opposite, inverse=True)


def _transformed(x: Array, type: int, n: int | None, axis: int, norm: CosineNorm, *, inverse: bool) -> Array:
    """Transform along the last axis, where the axis is moved to."""
    last = axis in (-1, x.ndim - 1)
    y = x if last else lw.moveaxis(x, axis, -1)
    (have,) = extents("fft.idct" if inverse else "fft.dct", y, (-1,))
    n = have if n is None else n
    if n < have:
        y = y[..., :n]
    elif n > have:
        y = lw.concat([y, lw.zeros((*extents("fft.dct", y)[:-1], n - have), dtype=y.dtype, device=y.device)], axis=-1)
    count = 2 * (n - 1) if type == 1 else 2 * n
    if norm == "ortho":
        y = _KERNELS[type](_ends_scaled(y, type, n, math.sqrt(2), before=True), n)
        y = _ends_scaled(y / math.sqrt(count), type, n, math.sqrt(0.5), before=False)
    else:
        y = _KERNELS[type](y, n)
        y = y / count if norm == "forward" else y
    return y if last else lw.moveaxis(y, -1, axis)


def _ends_scaled(y: Array, type: int, n: int, factor: float, *, before: bool) -> Array:
    """Scale the first element, for type 1 the last one as well, as an orthogonal transform needs it."""
    if not (type == 1 or type == (3 if before else 2)):
        return y
    places = lw.arange(n, dtype=int32, device=y.device)
    ends = (places == 0) | (places == n - 1) if type == 1 else places == 0
    return y * lw.where(ends, lw.asarray(factor, dtype=y.dtype, device=y.device), 1.0)


def _turns(y: Array, n: int, step: float, start: float = 0.0) -> Array:
    """Return numbers on the unit circle: ``exp(1j * (start + step * k))`` for k from 0 to n."""
    angles = lw.arange(n, dtype=y.dtype, device=y.device) * step + start
    return lw.exp(angles * 1j)


def _type_1(y: Array, n: int) -> Array:
    return lw.real(rfft(lw.concat([y, lw.flip(y[..., 1:-1], axis=-1)], axis=-1)))


def _type_2(y: Array, n: int) -> Array:
    half = rfft(y, n=2 * n)[..., :n]
    return lw.real(half * _turns(y, n, -math.pi / (2 * n))) * 2


def _type_3(y: Array, n: int) -> Array:
    return irfft(y * _turns(y, n, math.pi / (2 * n)), n=2 * n, norm="forward")[..., :n]


def _type_4(y: Array, n: int) -> Array:
    whole = fft(y * _turns(y, n, -math.pi / (2 * n)), n=2 * n)[..., :n]
    return lw.real(whole * _turns(y, n, -math.pi / (2 * n), -math.pi / (4 * n))) * 2


_KERNELS = {1: _type_1, 2: _type_2, 3: _type_3, 4: _type_4}
