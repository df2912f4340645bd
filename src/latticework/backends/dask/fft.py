"""The Fourier transform extension on Dask. An axis is one block during its transform. Several axes are transformed one
after the other, so that there is never one block of all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import dask.array as da
import numpy as np

from ...backend.arguments import check_norm
from ...backend.unsupported import refused
from .blocks import along, axis_of, complex_dtype, kernel, real_dtype, require_known
from .core import REFUSED
from .linear_algebra import check


def _along_one(
    name: str, result: Callable[[np.dtype], np.dtype], extent: Callable[[int, int | None], int]
) -> Callable[..., da.Array]:
    def call(x: da.Array, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> da.Array:
        check(f"fft.{name}", x, n=n, axis=axis, norm=norm)
        axis = axis_of(x, axis)
        require_known(x, (axis,))
        extents = [extent(x.shape[axis], n)]
        return along(kernel(f"fft.{name}", x), x, [axis], result(x.dtype), extents, n=n, axis=axis, norm=norm)

    call.__name__ = call.__qualname__ = name
    return call


def _all(m: int, n: int | None) -> int:
    return m if n is None else n


def _half(m: int, n: int | None) -> int:
    return _all(m, n) // 2 + 1


def _double(m: int, n: int | None) -> int:
    return 2 * (m - 1) if n is None else n


fft = _along_one("fft", complex_dtype, _all)
ifft = _along_one("ifft", complex_dtype, _all)
rfft = _along_one("rfft", complex_dtype, _half)
irfft = _along_one("irfft", real_dtype, _double)
hfft = _along_one("hfft", real_dtype, _double)
ihfft = _along_one("ihfft", complex_dtype, _half)


def _along_many(name: str, first: Callable[..., da.Array], last: Callable[..., da.Array]) -> Callable[..., da.Array]:
    """Transform along each axis in turn, like NumPy: `first` from the last axis on, `last` at the end."""

    def call(
        x: da.Array, *, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: str = "backward"
    ) -> da.Array:
        if axes is None or len(axes) or "r" in name:  # the complex ones along no axis leave the array as it is
            check(f"fft.{name}", x, s=s, axes=axes, norm=norm)
        if s is not None and axes is None:
            raise ValueError("s is given without axes")
        along_axes = range(x.ndim) if axes is None else [axis_of(x, a) for a in axes]
        if len({*along_axes}) != len(along_axes):
            raise ValueError(f"axes {tuple(along_axes)} name one axis twice")
        require_known(x, tuple(along_axes))
        extents = [None if n == -1 else n for n in s] if s is not None else [None] * len(along_axes)
        steps = [*zip(along_axes, extents, strict=True)]
        if not steps:
            check_norm(norm)
            return x if x.dtype.kind == "c" and name != "irfftn" else x.astype(complex_dtype(x.dtype))
        *others, (axis, n) = steps
        if name == "rfftn":
            x = first(x, n=n, axis=axis, norm=norm)
            others.reverse()
        elif name != "irfftn":
            others = steps[::-1]
        for a, m in others:
            x = last(x, n=m, axis=a, norm=norm)
        return first(x, n=n, axis=axis, norm=norm) if name == "irfftn" else x

    call.__name__ = call.__qualname__ = name
    return call


fftn = _along_many("fftn", fft, fft)
ifftn = _along_many("ifftn", ifft, ifft)
rfftn = _along_many("rfftn", rfft, fft)
irfftn = _along_many("irfftn", irfft, ifft)

REFUSED.update(refused("fft"))
