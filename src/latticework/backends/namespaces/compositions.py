"""Functions that a namespace may lack, made of functions of the standard.

The private ones are not in the standard. The public ones are in it, and not in every namespace. Each gets arrays of one
dtype, as a backend's functions do.
"""

from __future__ import annotations

import math
from math import prod
from typing import Any

from .functions import Functions, made

__all__: list[str] = []

# --- creation ---------------------------------------------------------------------------------------------------------


@made()
def _full(f: Functions, shape: Any, fill_value: Any, *, dtype: Any, device: Any = None) -> Any:
    backend = f._backend
    kind: Any = {"b": bool, "f": float, "c": complex}.get(backend.dtypes[dtype].kind, int)
    where = {} if backend.places is None or device is None else {"device": device}
    return f.of_xp("full")(shape, kind(fill_value), dtype=dtype, **where)


@made()
def _count(f: Functions, n: int, first: int, step: int, *, dtype: Any, device: Any = None) -> Any:
    where = {} if f._backend.places is None or device is None else {"device": device}
    return f.of_xp("arange")(first, first + n * step, step, dtype=dtype, **where)


@made()
def empty(f: Functions, shape: Any, *, dtype: Any, device: Any = None) -> Any:
    return f.zeros(shape, dtype=dtype, device=device)


@made("equal", "reshape")
def eye(f: Functions, n_rows: int, n_cols: int | None = None, *, k: int = 0, dtype: Any, device: Any = None) -> Any:
    backend = f._backend
    whole = backend.native_dtypes[backend.index_dtype]
    rows = f._count(n_rows, k, 1, dtype=whole, device=device)
    columns = f._count(n_rows if n_cols is None else n_cols, 0, 1, dtype=whole, device=device)
    return backend.astype(f.equal(f.reshape(rows, (-1, 1)), columns), dtype)


# --- elementwise ------------------------------------------------------------------------------------------------------


@made("maximum", "minimum")
def _clip(f: Functions, x: Any, low: Any, high: Any) -> Any:
    return f.minimum(f.maximum(x, low), high)


@made()
def square(f: Functions, x: Any) -> Any:
    return x * x


@made()
def positive(f: Functions, x: Any) -> Any:
    return f._backend.duplicate(x)


@made()
def reciprocal(f: Functions, x: Any) -> Any:
    return f.divide(f._backend.number(1, x), x)


@made("where")
def trunc(f: Functions, x: Any) -> Any:
    return f.where(x < 0, f.ceil(x), f.floor(x))


@made("where")
def signbit(f: Functions, x: Any) -> Any:
    """The sign, of zeros too: that of a nan shows in its bits alone."""
    if f._backend.views_bits:
        return _signed_bits(f, x) < 0
    one = f._backend.number(1, x)
    return (x < 0) | ((x == 0) & (f.divide(one, x) < 0))


def _signed_bits(f: Functions, x: Any) -> Any:
    """View floats as signed integers."""
    backend = f._backend
    name = f"int{backend.dtypes[backend.dtype_of(x)].bits}"
    return backend.reinterpret(x, next(n for n, d in backend.dtypes.items() if str(d) == name))


@made("signbit", "where", "abs")
def copysign(f: Functions, x1: Any, x2: Any) -> Any:
    size = f.abs(x1)
    return f.where(f.signbit(x2), -size, size)


@made("reinterpret", "where")
def nextafter(f: Functions, x1: Any, x2: Any) -> Any:
    """Step by one in the order of the bits, which is that of the numbers of a sign."""
    backend = f._backend
    dtype = backend.dtype_of(x1)
    x1, x2 = f.broadcast_to(x1, _joint(x1, x2)), f.broadcast_to(x2, _joint(x1, x2))
    bits = _signed_bits(f, x1)
    one = backend.number(1, bits)
    up = x2 > x1
    step = f.where((x1 > 0) == up, one, -one)
    moved = backend.reinterpret(bits + step, dtype)
    least = backend.reinterpret(f.ones(tuple(x1.shape), dtype=backend.dtype_of(bits), device=None), dtype)
    moved = f.where(x1 == 0, f.where(up, least, -least), moved)
    return f.where((x1 != x1) | (x2 != x2), x1 + x2, f.where(x1 == x2, x2, moved))


def _joint(*arrays: Any) -> tuple[int, ...]:
    from ...engine.shapes.extents import broadcast_shapes

    shape: Any = broadcast_shapes(*[tuple(x.shape) for x in arrays])
    return tuple(shape)


@made("abs", "sqrt", "where")
def hypot(f: Functions, x1: Any, x2: Any) -> Any:
    """The larger side times a root near 1: no square leaves the range."""
    backend = f._backend
    a, b = f.abs(x1), f.abs(x2)
    large, small = f.maximum(a, b), f.minimum(a, b)
    one, inf = backend.number(1, large), backend.number(float("inf"), large)
    ratio = f.divide(small, f.where(large == 0, one, large))
    found = large * f.sqrt(one + ratio * ratio)
    return f.where((a == inf) | (b == inf), inf, found)


@made("atan", "copysign", "signbit", "where")
def atan2(f: Functions, x1: Any, x2: Any) -> Any:
    """The angle below 45 degrees, turned to its octant."""
    backend = f._backend
    a, b = f.abs(x1), f.abs(x2)
    large, small = f.maximum(a, b), f.minimum(a, b)
    one = backend.number(1, large)
    angle = f.atan(f.divide(f.where(small == float("inf"), one, small), f.where(
        large == 0, one, f.where(small == float("inf"), one, large))))  # fmt: skip
    angle = f.where(a > b, backend.number(math.pi / 2, angle) - angle, angle)
    angle = f.where(f.signbit(x2), backend.number(math.pi, angle) - angle, angle)
    return f.copysign(angle, f.broadcast_to(x1, tuple(angle.shape)))


@made("exp", "log1p", "maximum", "where")
def logaddexp(f: Functions, x1: Any, x2: Any) -> Any:
    large = f.maximum(x1, x2)
    gap = -f.abs(x1 - x2)
    return f.where(x1 == x2, x1 + f._backend.number(0.6931471805599453, x1), large + f.log1p(f.exp(gap)))


@made("real", "imag")
def conj(f: Functions, x: Any) -> Any:
    backend = f._backend
    dtype = backend.dtype_of(x)
    return backend.astype(f.real(x), dtype) - backend.astype(f.imag(x), dtype) * backend.scalar(dtype)(1j)


@made("where", "abs")
def frexp(f: Functions, x: Any) -> tuple[Any, Any]:
    """Halve and double by powers of two, the largest first: each step is exact."""
    backend = f._backend
    from ...core.dtypes import float_limits

    int32 = next(n for n, d in backend.dtypes.items() if str(d) == "int32")
    limits = float_limits(backend.dtypes[backend.dtype_of(x)])
    finite = (x == x) & (f.abs(x) <= limits.max) & (x != 0)
    part = f.where(finite, x, backend.number(0.5, x))
    exponent = f.zeros(tuple(x.shape), dtype=int32, device=None)
    k, most = 1, math.frexp(limits.max)[1]
    while 2 * k < most:
        k *= 2
    for _ in range(2):  # of the least numbers, the first round leaves some
        step = k
        while step:
            large, tiny = f.abs(part) >= 2.0**step, f.abs(part) < 2.0**-step
            factor = f.where(large, backend.number(2.0**-step, part), backend.number(1, part))
            part = part * f.where(tiny, backend.number(2.0**step, part), factor)
            moved = backend.astype(large, int32) - backend.astype(tiny, int32)
            exponent = exponent + moved * step
            step //= 2
    for _ in range(2):
        large, tiny = f.abs(part) >= 1, f.abs(part) < 0.5
        factor = f.where(large, backend.number(0.5, part), backend.number(1, part))
        part = part * f.where(tiny, backend.number(2, part), factor)
        exponent = exponent + backend.astype(large, int32) - backend.astype(tiny, int32)
    none = f.zeros(tuple(x.shape), dtype=int32, device=None)
    return f.where(finite, part, x), f.where(finite, exponent, none)


@made("cos", "sin")
def polar(f: Functions, abs: Any, angle: Any) -> Any:
    """The components, in a dtype that has a complex one."""
    backend = f._backend
    dtypes = {str(d): n for n, d in backend.dtypes.items()}
    wide = str(backend.dtypes[backend.dtype_of(abs)]) == "float64"
    real, whole = (dtypes[n] for n in (("float64", "complex128") if wide else ("float32", "complex64")))
    abs, angle = (x if backend.dtype_of(x) == real else backend.astype(x, real) for x in (abs, angle))
    re, im = abs * f.cos(angle), abs * f.sin(angle)
    if backend.views_bits:
        return f.reshape(backend.reinterpret(f.stack([re, im], axis=-1), whole), tuple(re.shape))
    return backend.astype(re, whole) + backend.astype(im, whole) * backend.scalar(whole)(1j)


@made("bitwise_and", "bitwise_right_shift")
def bitwise_count(f: Functions, x: Any) -> Any:
    backend = f._backend
    dtype = backend.dtypes[backend.dtype_of(x)]
    uint8 = next(n for n, d in backend.dtypes.items() if str(d) == "uint8")
    x = f.where(x < 0, -x, x) if dtype.kind == "i" else x
    one = backend.number(1, x)
    total = f.zeros(tuple(x.shape), dtype=uint8, device=None)
    for i in range(dtype.bits):
        total = total + backend.astype(f.bitwise_and(f.bitwise_right_shift(x, backend.number(i, x)), one), uint8)
    return total


# --- shapes -----------------------------------------------------------------------------------------------------------


@made()
def matrix_transpose(f: Functions, x: Any) -> Any:
    return f.permute_dims(x, (*range(x.ndim - 2), x.ndim - 1, x.ndim - 2))


@made("multiply", "sum")
def vecdot(f: Functions, x1: Any, x2: Any, *, axis: int = -1) -> Any:
    if x1.shape[axis] != x2.shape[axis]:
        raise ValueError(f"{x1.shape[axis]} and {x2.shape[axis]} elements along the axis")
    first = f.conj(x1) if f._backend.dtypes[f._backend.dtype_of(x1)].kind == "c" else x1
    return f.sum(first * x2, axis=axis, dtype=f._backend.dtype_of(x1), keepdims=False)


@made()
def unstack(f: Functions, x: Any, *, axis: int = 0) -> tuple[Any, ...]:
    rest = (*x.shape[: axis % x.ndim], *x.shape[axis % x.ndim + 1 :])
    moved = f.moveaxis(x, axis, 0)
    return tuple([f.reshape(moved[i : i + 1, ...], rest) for i in range(x.shape[axis])])


@made()
def moveaxis(f: Functions, x: Any, source: Any, destination: Any) -> Any:
    source, destination = (
        [a % x.ndim for a in (axes if isinstance(axes, (tuple, list)) else (axes,))] for axes in (source, destination)
    )
    order = [a for a in range(x.ndim) if a not in source]
    for to, of in sorted(zip(destination, source, strict=True)):
        order.insert(to, of)
    return f.permute_dims(x, tuple(order))


@made()
def tile(f: Functions, x: Any, repetitions: Any) -> Any:
    repetitions = tuple(repetitions) if isinstance(repetitions, (tuple, list)) else (repetitions,)
    ndim = max(x.ndim, len(repetitions))
    shape = (1,) * (ndim - x.ndim) + tuple(x.shape)
    times = (1,) * (ndim - len(repetitions)) + repetitions
    pairs = [p for n, t in zip(shape, times, strict=True) for p in (t, n)]
    wide = f.broadcast_to(f.reshape(x, tuple(p for n in shape for p in (1, n))), tuple(pairs))
    return f.reshape(wide, tuple(n * t for n, t in zip(shape, times, strict=True)))


@made()
def stack(f: Functions, arrays: Any, *, axis: int = 0) -> Any:
    return f.concat([f.expand_dims(x, axis) for x in arrays], axis=axis)


@made("take")
def take_along_axis(f: Functions, x: Any, indices: Any, *, axis: int = -1) -> Any:
    backend = f._backend
    axis %= x.ndim
    dtype = backend.native_dtypes[backend.index_dtype]
    full = [m if i != axis else n for i, (n, m) in enumerate(zip(x.shape, indices.shape, strict=True))]
    x = f.broadcast_to(
        x, tuple(max(n, m) if i != axis else n for i, (n, m) in enumerate(zip(x.shape, full, strict=True)))
    )
    indices = f.broadcast_to(indices, tuple(n if i != axis else indices.shape[axis] for i, n in enumerate(x.shape)))
    places: Any = f._positions(indices, n=x.shape[axis], axis=axis) * prod(x.shape[axis + 1 :])
    for i in range(x.ndim):
        if i != axis:
            along = f._count(x.shape[i], 0, 1, dtype=dtype, device=None) * prod(x.shape[i + 1 :])
            places = places + f.reshape(along, (-1, *(1 for _ in range(x.ndim - i - 1))))
    return f.reshape(f.take(f.reshape(x, (-1,)), f.reshape(places, (-1,)), axis=0), tuple(indices.shape))


@made("concat")
def cumulative_prod(f: Functions, x: Any, *, axis: int | None = None, dtype: Any, **options: Any) -> Any:
    """Multiply by what lies 1, 2, 4, … places before."""
    from ...backend.arguments import only_axis, with_ends

    axis = only_axis(x.ndim) if axis is None else axis
    if not -x.ndim <= axis < x.ndim:
        raise IndexError(f"axis {axis} is out of bounds for {x.ndim} axes")
    before = (slice(None),) * (axis % x.ndim)
    x = x if f._backend.dtype_of(x) == dtype else f._backend.cast(dtype)(x)
    step = 1
    while step < x.shape[axis]:
        first, rest, others = ((*before, s, ...) for s in (slice(0, step), slice(step, None), slice(0, -step)))
        x = f.concat([x[first], x[rest] * x[others]], axis=axis % x.ndim)
        step *= 2
    if options.get("include_initial"):
        one = f._backend.number(1, x)
        return with_ends(x, axis, one, None, f.broadcast_to, lambda parts, a: f.concat(parts, axis=a % x.ndim))
    return x


# --- linear algebra, Fourier transforms -------------------------------------------------------------------------------


@made("linalg.svd", name="linalg.svdvals")
def _svdvals(f: Functions, x: Any) -> Any:
    return f.linalg.svd(x, full_matrices=False)[1]


@made("linalg.eigh", name="linalg.eigvalsh")
def _eigvalsh(f: Functions, x: Any) -> Any:
    return f.linalg.eigh(x)[0]


@made("linalg.eig", name="linalg.eigvals")
def _eigvals(f: Functions, x: Any) -> Any:
    return f.linalg.eig(x)[0]


@made("take", name="linalg.diagonal")
def _diagonal(f: Functions, x: Any, *, offset: int = 0) -> Any:
    backend = f._backend
    rows, columns = x.shape[-2:]
    n = max(min(rows + min(offset, 0), columns - max(offset, 0)), 0)
    first = max(-offset, 0) * columns + max(offset, 0) if n else 0
    dtype = backend.native_dtypes[backend.index_dtype]
    places = f._count(n, first, columns + 1, dtype=dtype, device=None)
    flat = f.reshape(x, (*x.shape[:-2], rows * columns))
    return f.take(flat, places, axis=-1)


@made("fft.irfft", name="fft.hfft")
def _hfft(f: Functions, x: Any, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Any:
    return f.fft.irfft(f.conj(x), n=n, axis=axis, norm=_TURNED.get(norm, norm))


@made("fft.rfft", name="fft.ihfft")
def _ihfft(f: Functions, x: Any, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Any:
    return f.conj(f.fft.rfft(x, n=n, axis=axis, norm=_TURNED.get(norm, norm)))


_TURNED = {"backward": "forward", "forward": "backward"}


# --- special functions ------------------------------------------------------------------------------------------------


@made(name="random._erf")
def _erf(f: Functions, x: Any) -> Any:
    """latticework's own composition."""
    from ...core.registry import functions as lw
    from ...engine.arrays.array import wrapped

    return lw.special.erf(wrapped(x, f._backend.sig_of(x)))._data


@made("log1p", "sqrt", "where", name="random._erfinv")
def _erfinv(f: Functions, x: Any) -> Any:
    from ...backend import rejection

    backend = f._backend
    dtypes = {str(d): n for n, d in backend.dtypes.items()}
    double = str(backend.dtypes[backend.dtype_of(x)]) == "float64"
    wide = x if double else backend.astype(x, dtypes["float32"])
    found = rejection.erfinv(wide, f.log1p, f.sqrt, f.where, double=double)
    found = f.where(f.abs(wide) == 1, wide * float("inf"), found)
    return found if backend.dtype_of(found) == backend.dtype_of(x) else backend.astype(found, backend.dtype_of(x))
