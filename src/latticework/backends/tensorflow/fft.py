"""The Fourier transform extension on TensorFlow, whose kernels transform along the last axis: others are moved
there."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf
from tensorflow import raw_ops as ops

from ...backend.arguments import check_norm
from ...backend.unsupported import refused
from .core import REFUSED, ints, order_to_end, permuted, places, scalar
from .indexing import sliced

_COMPLEX = {tf.float32: tf.complex64, tf.float64: tf.complex128}


def _length(x: Any, n: int | None, axis: int, halved: bool = False) -> int:
    """Return the number of elements to transform."""
    extent = x.shape[axis]
    if n is None and extent is None:
        raise ValueError(f"the extent of axis {axis} is not known inside tf.function. Give n")
    length = n if n is not None else 2 * (extent - 1) if halved else extent
    if length < 1:
        raise ValueError(f"needs 1 element or more; got {length} along axis {axis}")
    return length


def _fitted(x: Any, n: int) -> tf.Tensor:
    """Cut x to n elements along the last axis, or pad it with zeros."""
    extent = x.shape[-1]
    if extent == n:
        return x
    x = sliced(x, (..., slice(None, n)))
    if extent is None:
        missing = n - tf.shape(x)[-1]
    elif extent > n:
        return x
    else:
        missing = n - extent
    pad = ops.Pad(input=x, paddings=[*([[0, 0]] * (x.shape.rank - 1)), [0, missing]])
    pad.set_shape([*x.shape[:-1], n])
    return pad


def _scaled(x: Any, n: int, norm: str, inverse: bool) -> tf.Tensor:
    """Scale by the norm: the kernels put the factor 1/n into the inverse."""
    if norm not in _OPPOSITE:
        raise ValueError(f"norm is one of {', '.join(map(repr, _OPPOSITE))}; got {norm!r}")
    if norm == ("forward" if not inverse else "backward"):
        factor = 1 / n if not inverse else None
    elif norm == "ortho":
        factor = math.sqrt(n) if inverse else 1 / math.sqrt(n)
    else:
        factor = n if inverse else None
    return x if factor is None else ops.Mul(x=x, y=scalar(x.dtype)(factor))


def _turned(x: Any, axis: int) -> tuple[tf.Tensor, tuple[int, ...]]:
    """Move the axis to the end, and return the order that moves it back too."""
    order, back = order_to_end(axis, x.shape.rank)
    return permuted(x, order), back


def _complex(x: Any) -> tf.Tensor:
    return x if x.dtype.is_complex else ops.Cast(x=x, DstT=_COMPLEX[x.dtype])


def _transform(x: Any, n: int | None, axis: int, norm: str, kernel: Callable[..., Any], inverse: bool) -> tf.Tensor:
    x, back = _turned(_complex(x), axis)
    length = _length(x, n, -1)
    return permuted(_scaled(kernel(input=_fitted(x, length)), length, norm, inverse), back)


def fft(x: Any, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> tf.Tensor:
    return _transform(x, n, axis, norm, ops.FFT, inverse=False)


def ifft(x: Any, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> tf.Tensor:
    return _transform(x, n, axis, norm, ops.IFFT, inverse=True)


def rfft(x: Any, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> tf.Tensor:
    x, back = _turned(x, axis)
    length = _length(x, n, -1)
    result = ops.RFFT(input=_fitted(x, length), fft_length=ints((length,)), Tcomplex=_COMPLEX[x.dtype])
    return permuted(_scaled(result, length, norm, inverse=False), back)


def irfft(x: Any, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> tf.Tensor:
    x, back = _turned(_complex(x), axis)
    length = _length(x, n, -1, halved=True)
    result = ops.IRFFT(input=_fitted(x, length // 2 + 1), fft_length=ints((length,)), Treal=x.dtype.real_dtype)
    return permuted(_scaled(result, length, norm, inverse=True), back)


_OPPOSITE = {"backward": "forward", "forward": "backward", "ortho": "ortho"}


def hfft(x: Any, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> tf.Tensor:
    return irfft(ops.Conj(input=_complex(x)), n=n, axis=axis, norm=_OPPOSITE.get(norm, norm))


def ihfft(x: Any, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> tf.Tensor:
    return ops.Conj(input=rfft(x, n=n, axis=axis, norm=_OPPOSITE.get(norm, norm)))


# --- along several axes -------------------------------------------------------------------------------------------


def _plan(x: Any, s: Sequence[int] | None, axes: Sequence[int] | None, least: int = 0) -> list[tuple[int, int | None]]:
    """Return the axes, each with its length, where given."""
    if s is not None and (axes is None or len(s) != len(axes)):
        raise ValueError("s needs as many axes, each given")
    along = places(None if axes is None else tuple(axes), x.shape.rank)
    if len(along) < least:
        raise ValueError("there is no axis to transform along")
    return [(a, None if s is None or s[i] == -1 else s[i]) for i, a in enumerate(along)]


def _along(f: Callable[..., Any], x: Any, plan: list[tuple[int, int | None]], norm: str) -> Any:
    check_norm(norm)
    for axis, n in reversed(plan):
        x = f(x, n=n, axis=axis, norm=norm)
    return x


def fftn(
    x: Any, *, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: str = "backward"
) -> tf.Tensor:
    return _along(fft, _complex(x), _plan(x, s, axes), norm)


def ifftn(
    x: Any, *, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: str = "backward"
) -> tf.Tensor:
    return _along(ifft, _complex(x), _plan(x, s, axes), norm)


def rfftn(
    x: Any, *, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: str = "backward"
) -> tf.Tensor:
    *first, (axis, n) = _plan(x, s, axes, least=1)
    return _along(fft, rfft(x, n=n, axis=axis, norm=norm), first, norm)


def irfftn(
    x: Any, *, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: str = "backward"
) -> tf.Tensor:
    *first, (axis, n) = _plan(x, s, axes, least=1)
    return irfft(_along(ifft, x, first, norm), n=n, axis=axis, norm=norm)


REFUSED.update(refused("fft"))
