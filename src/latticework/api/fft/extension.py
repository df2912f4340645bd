"""The Fourier transform extension: transforms along one axis and several, and their frequencies.

All take and give float32, float64 and the complex dtypes of the same precision. `norm` says where the factor 1/n
goes, for n the number of elements transformed: to the inverse (``"backward"``), to the forward transform
(``"forward"``), or its root to both (``"ortho"``).
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, Literal, Never

from ...core.dtypes import Dtype, DtypeLike, float32
from ...core.registry import functions as lw
from ...engine.arrays.array import Array
from ...engine.declare import composed, op
from ...engine.plans.advice import unexpected
from ...policy import as_dtype, current, unified_rules
from ..linear_algebra import extents

__all__ = [
    "fft",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "ifft",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfftn",
    "rfft",
    "rfftfreq",
    "rfftn",
]

Norm = Literal["backward", "ortho", "forward"]


# --- along one axis -----------------------------------------------------------------------------------------------


@op("floating", out="complex", shape="fft")
def fft(x: Array, /, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Array:
    """Discrete Fourier transform along an axis.

    Parameters
    ----------
    x: float32, float64 or complex; integers are taken as the default float.
    n: how many elements to transform: x is cut to it or padded with zeros. All by default.
    axis: the axis to transform along.
    norm: ``"backward"`` for no factor, ``"ortho"`` for 1/sqrt(n), ``"forward"`` for 1/n.

    Returns
    -------
    The shape of x with n elements along the axis; the complex dtype of x's precision.

    Raises
    ------
    ValueError: n is less than 1, or there is nothing to transform.
    TypeError: float16 or bfloat16.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.fft.fft(lw.asarray([1.0, 2.0, 3.0, 4.0]))
    Array([10.+0.j, -2.+2.j, -2.+0.j, -2.-2.j], dtype=complex64)
    """
    ...


@op("floating", out="complex", shape="fft")
def ifft(x: Array, /, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Array:
    """Inverse of `fft`.

    Parameters
    ----------
    x: float32, float64 or complex; integers are taken as the default float.
    n: how many elements to transform: x is cut to it or padded with zeros. All by default.
    axis: the axis to transform along.
    norm: ``"backward"`` for the factor 1/n, ``"ortho"`` for 1/sqrt(n), ``"forward"`` for none.

    Returns
    -------
    The shape of x with n elements along the axis; the complex dtype of x's precision.

    Raises
    ------
    ValueError: n is less than 1, or there is nothing to transform.
    TypeError: float16 or bfloat16.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.fft.ifft(lw.asarray([4.0, 0.0, 0.0, 0.0]))
    Array([1.+0.j, 1.+0.j, 1.+0.j, 1.+0.j], dtype=complex64)
    """
    ...


@op("real floating", out="complex", shape="rfft")
def rfft(x: Array, /, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Array:
    """Discrete Fourier transform of real numbers along an axis: the half that determines the other.

    Parameters
    ----------
    x: float32 or float64; integers are taken as the default float.
    n: how many elements to transform: x is cut to it or padded with zeros. All by default.
    axis: the axis to transform along.
    norm: ``"backward"`` for no factor, ``"ortho"`` for 1/sqrt(n), ``"forward"`` for 1/n.

    Returns
    -------
    The shape of x with n//2 + 1 elements along the axis; the complex dtype of x's precision.

    Raises
    ------
    ValueError: n is less than 1, or there is nothing to transform.
    TypeError: complex input, float16 or bfloat16.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.fft.rfft(lw.asarray([1.0, 2.0, 3.0, 4.0]))
    Array([10.+0.j, -2.+2.j, -2.+0.j], dtype=complex64)
    """
    ...


@op("complex floating", out="real", shape="irfft")
def irfft(x: Array, /, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Array:
    """Inverse of `rfft`.

    Parameters
    ----------
    x: complex; real numbers and integers are taken as complex ones.
    n: how many elements the result has: x is cut to n//2 + 1 or padded with zeros. 2*(M - 1) for M elements of x
        by default; an odd n has to be given.
    axis: the axis to transform along.
    norm: ``"backward"`` for the factor 1/n, ``"ortho"`` for 1/sqrt(n), ``"forward"`` for none.

    Returns
    -------
    The shape of x with n elements along the axis; the real dtype of x's precision.

    Raises
    ------
    ValueError: n is less than 1, given or by default.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.fft.irfft(lw.asarray([10 + 0j, -2 + 2j, -2 + 0j]))
    Array([1., 2., 3., 4.], dtype=float32)
    """
    ...


@op("complex floating", out="real", shape="irfft")
def hfft(x: Array, /, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Array:
    """Discrete Fourier transform of a signal with Hermitian symmetry, given by its first half.

    Parameters
    ----------
    x: complex; real numbers and integers are taken as complex ones.
    n: how many elements the result has: x is cut to n//2 + 1 or padded with zeros. 2*(M - 1) for M elements of x
        by default; an odd n has to be given.
    axis: the axis to transform along.
    norm: ``"backward"`` for no factor, ``"ortho"`` for 1/sqrt(n), ``"forward"`` for 1/n.

    Returns
    -------
    The shape of x with n elements along the axis; the real dtype of x's precision.

    Raises
    ------
    ValueError: n is less than 1, given or by default.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.fft.hfft(lw.asarray([1 + 0j, 1 + 0j, 1 + 0j]))
    Array([4., 0., 0., 0.], dtype=float32)
    """
    ...


@op("real floating", out="complex", shape="rfft")
def ihfft(x: Array, /, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Array:
    """Inverse of `hfft`: the first half of a signal with Hermitian symmetry.

    Parameters
    ----------
    x: float32 or float64; integers are taken as the default float.
    n: how many elements to transform: x is cut to it or padded with zeros. All by default.
    axis: the axis to transform along.
    norm: ``"backward"`` for the factor 1/n, ``"ortho"`` for 1/sqrt(n), ``"forward"`` for none.

    Returns
    -------
    The shape of x with n//2 + 1 elements along the axis; the complex dtype of x's precision.

    Raises
    ------
    ValueError: n is less than 1, or there is nothing to transform.
    TypeError: complex input, float16 or bfloat16.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.real(lw.fft.ihfft(lw.asarray([4.0, 0.0, 0.0, 0.0])))
    Array([1., 1., 1.], dtype=float32)
    """
    ...


# --- along several axes -------------------------------------------------------------------------------------------


@op("floating", out="complex", shape="fftn")
def fftn(
    x: Array, /, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: Norm = "backward"
) -> Array:
    """Discrete Fourier transform along several axes.

    Parameters
    ----------
    x: float32, float64 or complex; integers are taken as the default float.
    s: how many elements to transform along each of `axes`, which have to be given with it: x is cut to them or
        padded with zeros; -1 for all.
    axes: the axes to transform along, each once; all by default.
    norm: ``"backward"`` for no factor, ``"ortho"`` for 1/sqrt(n), ``"forward"`` for 1/n, where n is the product
        of s.

    Returns
    -------
    The shape of x with s elements along the axes; the complex dtype of x's precision.

    Raises
    ------
    ValueError: s without axes or of another length; less than 1 element along an axis; an axis named twice.
    TypeError: float16 or bfloat16.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.fft.fftn(lw.asarray([[1.0, 2.0], [3.0, 4.0]]))
    Array([[10.+0.j, -2.+0.j],
           [-4.+0.j,  0.+0.j]], dtype=complex64)
    """
    ...


@op("floating", out="complex", shape="fftn")
def ifftn(
    x: Array, /, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: Norm = "backward"
) -> Array:
    """Inverse of `fftn`.

    Parameters
    ----------
    x: float32, float64 or complex; integers are taken as the default float.
    s: how many elements to transform along each of `axes`, which have to be given with it: x is cut to them or
        padded with zeros; -1 for all.
    axes: the axes to transform along, each once; all by default.
    norm: ``"backward"`` for the factor 1/n, ``"ortho"`` for 1/sqrt(n), ``"forward"`` for none, where n is the
        product of s.

    Returns
    -------
    The shape of x with s elements along the axes; the complex dtype of x's precision.

    Raises
    ------
    ValueError: s without axes or of another length; less than 1 element along an axis; an axis named twice.
    TypeError: float16 or bfloat16.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.fft.ifftn(lw.asarray([[4.0, 0.0], [0.0, 0.0]]))
    Array([[1.+0.j, 1.+0.j],
           [1.+0.j, 1.+0.j]], dtype=complex64)
    """
    ...


@op("real floating", out="complex", shape="rfftn")
def rfftn(
    x: Array, /, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: Norm = "backward"
) -> Array:
    """Discrete Fourier transform of real numbers along several axes, of which the last is halved.

    Parameters
    ----------
    x: float32 or float64; integers are taken as the default float.
    s: how many elements to transform along each of `axes`, which have to be given with it: x is cut to them or
        padded with zeros; -1 for all.
    axes: the axes to transform along, each once and at least one; all by default.
    norm: ``"backward"`` for no factor, ``"ortho"`` for 1/sqrt(n), ``"forward"`` for 1/n, where n is the product
        of s.

    Returns
    -------
    The shape of x with s elements along the axes, but s//2 + 1 along the last of them; the complex dtype of x's
    precision.

    Raises
    ------
    ValueError: s without axes or of another length; less than 1 element along an axis; an axis named twice.
    TypeError: complex input, float16 or bfloat16.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.fft.rfftn(lw.asarray([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]])).shape
    (2, 2)
    """
    ...


@op("complex floating", out="real", shape="irfftn")
def irfftn(
    x: Array, /, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: Norm = "backward"
) -> Array:
    """Inverse of `rfftn`.

    Parameters
    ----------
    x: complex; real numbers and integers are taken as complex ones.
    s: how many elements the result has along each of `axes`, which have to be given with it. By default, and for
        -1, as many as x, but 2*(M - 1) for M elements along the last of them, so that an odd number has to be given.
    axes: the axes to transform along, each once and at least one; all by default.
    norm: ``"backward"`` for the factor 1/n, ``"ortho"`` for 1/sqrt(n), ``"forward"`` for none, where n is the
        product of s.

    Returns
    -------
    The shape of x with s elements along the axes; the real dtype of x's precision.

    Raises
    ------
    ValueError: s without axes or of another length; less than 1 element along an axis; an axis named twice.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.fft.irfftn(lw.asarray([[4 + 0j, 0j], [0j, 0j]]))
    Array([[1., 1.],
           [1., 1.]], dtype=float32)
    """
    ...


# --- frequencies --------------------------------------------------------------------------------------------------


@composed
def fftfreq(
    n: int, /, d: float = 1.0, *, dtype: DtypeLike | None = None, device: Any = None, **unknown: Never
) -> Array:
    """Frequencies that the elements of `fft` stand for: from 0 up, then the negative ones from the least up.

    Parameters
    ----------
    n: how many elements were transformed.
    d: the distance between two samples.
    dtype: a real floating dtype; the default float if not given.
    device: its device; a `Device` of an array brings its backend with it.

    Returns
    -------
    Shape (n,).

    Raises
    ------
    ValueError: n is less than 1.
    TypeError: another dtype.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.fft.fftfreq(4, d=0.5)
    Array([ 0. ,  0.5, -1. , -0.5], dtype=float32)
    """
    if unknown:
        raise unexpected("fft.fftfreq", unknown)
    n, result = _length("fftfreq", n), _real("fftfreq", dtype)
    counts = [lw.arange(0, n - n // 2, dtype=_exact(result), device=device)]
    if n > 1:
        counts.append(lw.arange(-(n // 2), 0, dtype=_exact(result), device=device))
    with unified_rules():  # some rules take no Python scalar
        return lw.astype(lw.concat(counts) / (n * d), result, copy=False)


@composed
def rfftfreq(
    n: int, /, d: float = 1.0, *, dtype: DtypeLike | None = None, device: Any = None, **unknown: Never
) -> Array:
    """Frequencies that the elements of `rfft` stand for, from 0 up.

    Parameters
    ----------
    n: how many elements were transformed.
    d: the distance between two samples.
    dtype: a real floating dtype; the default float if not given.
    device: its device; a `Device` of an array brings its backend with it.

    Returns
    -------
    Shape (n//2 + 1,).

    Raises
    ------
    ValueError: n is less than 1.
    TypeError: another dtype.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.fft.rfftfreq(4, d=0.5)
    Array([0. , 0.5, 1. ], dtype=float32)
    """
    if unknown:
        raise unexpected("fft.rfftfreq", unknown)
    n, result = _length("rfftfreq", n), _real("rfftfreq", dtype)
    counts = lw.arange(0, n // 2 + 1, dtype=_exact(result), device=device)
    with unified_rules():
        return lw.astype(counts / (n * d), result, copy=False)


def _length(name: str, n: Any) -> int:
    length: int = operator.index(n)
    if length < 1:
        raise ValueError(f"fft.{name}: n has to be 1 or more; got {n}")
    return length


def _real(name: str, dtype: Any) -> Dtype:
    result = current().own("f") if dtype is None else as_dtype(dtype)
    if result.kind != "f":
        raise TypeError(f"fft.{name}: dtype has to be a real floating one; got {result}")
    return result


def _exact(dtype: Dtype) -> Dtype:
    """Return float32 for dtypes of 16 bits, which hold no counts beyond some hundreds or thousands."""
    return float32 if dtype.bits == 16 else dtype


@composed
def fftshift(x: Array, /, axes: int | Sequence[int] | None = None, **unknown: Never) -> Array:
    """Roll the element of frequency 0 to the middle.

    Parameters
    ----------
    x: any shape and dtype.
    axes: the axes to roll along, by half their length; all by default.

    Returns
    -------
    The shape and dtype of x.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.fft.fftshift(lw.asarray([0, 1, 2, -2, -1]))
    Array([-2, -1,  0,  1,  2], dtype=int32)
    """
    if unknown:
        raise unexpected("fft.fftshift", unknown)
    along = _axes("fftshift", x, axes)
    return _roll(x, tuple([n // 2 for n in extents("fft.fftshift", x, along)]), along)


@composed
def ifftshift(x: Array, /, axes: int | Sequence[int] | None = None, **unknown: Never) -> Array:
    """Roll the element of frequency 0 from the middle to the front: the inverse of `fftshift`.

    Parameters
    ----------
    x: any shape and dtype.
    axes: the axes to roll along, by half their length; all by default.

    Returns
    -------
    The shape and dtype of x.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.fft.ifftshift(lw.asarray([-2, -1, 0, 1, 2]))
    Array([ 0,  1,  2, -2, -1], dtype=int32)
    """
    if unknown:
        raise unexpected("fft.ifftshift", unknown)
    along = _axes("ifftshift", x, axes)
    return _roll(x, tuple([-(n // 2) for n in extents("fft.ifftshift", x, along)]), along)


def _roll(x: Array, shift: tuple[int, ...], axes: tuple[int, ...]) -> Array:
    return lw.roll(x, shift, axis=axes) if axes else lw.asarray(x, copy=True)


def _axes(name: str, x: Array, axes: int | Sequence[int] | None) -> tuple[int, ...]:
    if axes is None:
        return tuple(range(x.ndim))
    along = tuple(axes) if isinstance(axes, (tuple, list)) else (axes,)
    for a in along:
        if not -x.ndim <= a < x.ndim:
            raise lw.errors.AxisError(f"fft.{name}: axis {a} is out of bounds for array of shape {x.shape}")
    return along
