"""Transforms along two axes: those of several axes, which take the last two by default."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...engine.arrays.array import Array
from ...engine.declare import op
from ...engine.shapes.extents import Shape
from ...engine.shapes.linalg import fftn as _shape_of_fftn
from ...engine.shapes.linalg import irfftn as _shape_of_irfftn
from ...engine.shapes.linalg import rfftn as _shape_of_rfftn
from .extension import Norm, fftn, ifftn, irfftn, rfftn

__all__ = ["fft2", "ifft2", "irfft2", "rfft2"]


def _fft2_shape(x: Shape, *, s: Any = None, axes: Any = (-2, -1), norm: Any = "backward", **_: Any) -> Shape:
    """Transform s elements along the axes."""
    return _shape_of_fftn(x, s=s, axes=axes, norm=norm)


def _rfft2_shape(x: Shape, *, s: Any = None, axes: Any = (-2, -1), norm: Any = "backward", **_: Any) -> Shape:
    """Transform s real elements along the axes."""
    return _shape_of_rfftn(x, s=s, axes=axes, norm=norm)


def _irfft2_shape(x: Shape, *, s: Any = None, axes: Any = (-2, -1), norm: Any = "backward", **_: Any) -> Shape:
    """Transform to s real elements along the axes."""
    return _shape_of_irfftn(x, s=s, axes=axes, norm=norm)


@op("floating", out="complex", shape=_fft2_shape)
def fft2(x: Array, /, s: Sequence[int] | None = None, axes: Sequence[int] = (-2, -1), norm: Norm = "backward") -> Array:
    """Discrete Fourier transform along two axes.

    Parameters
    ----------
    x: float32, float64 or complex; integers are taken as the default float.
    s: how many elements to transform along each of `axes`: x is cut to them or padded with zeros; -1 for all.
    axes: the axes to transform along, each once.
    norm: ``"backward"`` for no factor, ``"ortho"`` for 1/sqrt(n), ``"forward"`` for 1/n, where n is the product of
        s.

    Returns
    -------
    The shape of x with s elements along the axes; the complex dtype of x's precision.

    Raises
    ------
    ValueError: fewer than two axes; s of another length; less than 1 element along an axis; an axis named twice.
    TypeError: float16 or bfloat16.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.fft.fft2(lw.asarray([[1.0, 2.0], [3.0, 4.0]]))
    Array([[10.+0.j, -2.+0.j],
           [-4.+0.j,  0.+0.j]], dtype=complex64)
    """
    return fftn(x, s=s, axes=axes, norm=norm)


@op("floating", out="complex", shape=_fft2_shape)
def ifft2(
    x: Array, /, s: Sequence[int] | None = None, axes: Sequence[int] = (-2, -1), norm: Norm = "backward"
) -> Array:
    """Inverse of `fft2`.

    Parameters
    ----------
    x: float32, float64 or complex; integers are taken as the default float.
    s: how many elements to transform along each of `axes`: x is cut to them or padded with zeros; -1 for all.
    axes: the axes to transform along, each once.
    norm: ``"backward"`` for the factor 1/n, ``"ortho"`` for 1/sqrt(n), ``"forward"`` for none, where n is the
        product of s.

    Returns
    -------
    The shape of x with s elements along the axes; the complex dtype of x's precision.

    Raises
    ------
    ValueError: fewer than two axes; s of another length; less than 1 element along an axis; an axis named twice.
    TypeError: float16 or bfloat16.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.fft.ifft2(lw.asarray([[4.0, 0.0], [0.0, 0.0]]))
    Array([[1.+0.j, 1.+0.j],
           [1.+0.j, 1.+0.j]], dtype=complex64)
    """
    return ifftn(x, s=s, axes=axes, norm=norm)


@op("real floating", out="complex", shape=_rfft2_shape)
def rfft2(
    x: Array, /, s: Sequence[int] | None = None, axes: Sequence[int] = (-2, -1), norm: Norm = "backward"
) -> Array:
    """Discrete Fourier transform of real numbers along two axes, of which the last is halved.

    Parameters
    ----------
    x: float32 or float64; integers are taken as the default float.
    s: how many elements to transform along each of `axes`: x is cut to them or padded with zeros; -1 for all.
    axes: the axes to transform along, each once.
    norm: ``"backward"`` for no factor, ``"ortho"`` for 1/sqrt(n), ``"forward"`` for 1/n, where n is the product of
        s.

    Returns
    -------
    The shape of x with s elements along the axes, but s//2 + 1 along the last of them; the complex dtype of x's
    precision.

    Raises
    ------
    ValueError: fewer than two axes; s of another length; less than 1 element along an axis; an axis named twice.
    TypeError: complex input, float16 or bfloat16.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.fft.rfft2(lw.asarray([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]])).shape
    (2, 2)
    """
    return rfftn(x, s=s, axes=axes, norm=norm)


@op("complex floating", out="real", shape=_irfft2_shape)
def irfft2(
    x: Array, /, s: Sequence[int] | None = None, axes: Sequence[int] = (-2, -1), norm: Norm = "backward"
) -> Array:
    """Inverse of `rfft2`.

    Parameters
    ----------
    x: complex; real numbers and integers are taken as complex ones.
    s: how many elements the result has along each of `axes`. By default, and for -1, as many as x, but
        2*(M - 1) for M elements along the last of them, so that an odd number has to be given.
    axes: the axes to transform along, each once.
    norm: ``"backward"`` for the factor 1/n, ``"ortho"`` for 1/sqrt(n), ``"forward"`` for none, where n is the
        product of s.

    Returns
    -------
    The shape of x with s elements along the axes; the real dtype of x's precision.

    Raises
    ------
    ValueError: fewer than two axes; s of another length; less than 1 element along an axis; an axis named twice.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.fft.irfft2(lw.asarray([[4 + 0j, 0j], [0j, 0j]]))
    Array([[1., 1.],
           [1., 1.]], dtype=float32)
    """
    return irfftn(x, s=s, axes=axes, norm=norm)
