"""Differences, histograms, correlation, interpolation, rounding, and comparisons of whole arrays."""

from __future__ import annotations

import builtins
from typing import Any

import numpy

from .base import NO_VALUE, as_array, cast, dialect, known, ops, tells, to_numpy, write
from .shaping import by_numpy, ravel


def _given(name: str, out: Any, result: Any) -> Any:
    return result if out is None else write(name, out, result)


# --- element by element ---------------------------------------------------------------------------------------------


def round(a, decimals=0, out=None):
    a = as_array(a)
    if type(decimals) is int and not decimals and a._array.dtype.kind == "f":
        return _given("round", out, ops.round(a))
    return _given("round", out, ops.round(a, decimals=decimals))


def around(a, decimals=0, out=None):
    return round(a, decimals, out)


def fix(x, out=None):
    return _given("fix", out, ops.trunc(as_array(x)))


def clip(a, a_min = NO_VALUE, a_max = NO_VALUE, out = None, *, min = NO_VALUE,
         max = NO_VALUE, **kwargs):  # fmt: skip
    if (a_min is NO_VALUE) != (a_max is NO_VALUE):
        raise TypeError("clip: takes both a_min and a_max, or neither. Take min or max for one bound")
    low = next((x for x in (a_min, min) if x is not NO_VALUE), None)
    high = next((x for x in (a_max, max) if x is not NO_VALUE), None)
    if a_min is not NO_VALUE and not (min is max is NO_VALUE):
        raise ValueError("clip: a bound is given twice, as a_min or a_max and as min or max")
    a = as_array(a)
    if low is None and high is None:
        found = ops.positive(a)
    elif type(low) in (int, type(None)) and type(high) in (int, type(None)) and a._array.dtype.kind in "iu":
        found = ops.clip(a, low, high)  # which takes bounds beyond the dtype
    elif low is None:
        found = ops.minimum(a, high)
    elif high is None:
        found = ops.maximum(a, low)
    else:
        found = ops.clip(a, *[x if type(x) in (int, float, bool) else as_array(x) for x in (low, high)])
    return _given("clip", out, found)


def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    found = ops.nan_to_num(as_array(x), nan=nan, posinf=posinf, neginf=neginf)
    if not copy and type(x) is dialect.array:
        x[...] = found
        return x
    return found


def _parts(val: Any, part: str) -> Any:
    return getattr(val if type(val) in (bool, int, float, complex) else as_array(val), part)


# fmt: off
def real(val): return _parts(val, "real")
def imag(val): return _parts(val, "imag")
def angle(z, deg=False): return ops.angle(as_array(z), deg)
def sinc(x): return ops.sinc(as_array(x))
def i0(x): return ops.i0(as_array(x) if as_array(x)._array.dtype.kind == "f" else as_array(x, float))
def isreal(x): return ops.equal(as_array(x).imag, 0)
def iscomplex(x): return ops.not_equal(as_array(x).imag, 0)
def isposinf(x, out=None): return _given("isposinf", out, ops.isposinf(as_array(x)))
def isneginf(x, out=None): return _given("isneginf", out, ops.isneginf(as_array(x)))
# fmt: on


def real_if_close(a, tol=100):
    a = as_array(a)
    if a._array.dtype.kind != "c":
        return a
    if tol > 1:
        tol = float(numpy.finfo(a.dtype).eps) * tol
    return ops.real(a) if tells(ops.all(ops.abs(ops.imag(a)) < tol)) else a


# --- comparisons of whole arrays ------------------------------------------------------------------------------------


def isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    options = {"rtol": to_numpy(rtol), "atol": to_numpy(atol)}
    if any(numpy.ndim(x) for x in options.values()):
        a, b, rtol, atol = [as_array(x) for x in (a, b, rtol, atol)]
        near = (ops.abs(a - b) <= atol + rtol * ops.abs(b)) & ops.isfinite(b)
        return near | (a == b) | (ops.isnan(a) & ops.isnan(b) if equal_nan else False)
    return ops.isclose(as_array(a), as_array(b), equal_nan=equal_nan, **options)


def allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    return builtins.bool(ops.all(isclose(a, b, rtol, atol, equal_nan)))


def array_equal(a1, a2, equal_nan=False):
    try:
        a1, a2 = as_array(a1), as_array(a2)
    except (TypeError, ValueError):
        return False
    return a1.shape == a2.shape and builtins.bool(ops.array_equal(a1, a2, equal_nan))


def array_equiv(a1, a2):
    a1, a2 = as_array(a1), as_array(a2)
    try:
        numpy.broadcast_shapes(a1.shape, a2.shape)
    except ValueError:
        return False
    return builtins.bool(ops.all(a1 == a2))


# --- along an axis --------------------------------------------------------------------------------------------------


def diff(a, n=1, axis=-1, prepend=NO_VALUE, append=NO_VALUE):
    a = as_array(a)
    if n == 0:
        return a
    if n < 0:
        raise ValueError(f"diff: the order is at least 0; got {n}")
    if not a.ndim:
        raise ValueError("diff: takes an array of one axis or more; got none")
    ends = {}
    for name, value in (("prepend", prepend), ("append", append)):
        if value is not NO_VALUE:
            value = as_array(value)
            if not value.ndim:
                shape = [1 if i == axis % a.ndim else extent for i, extent in enumerate(a.shape)]
                value = ops.broadcast_to(value, tuple(shape))
            ends[name] = value
    if a._array.dtype.kind == "b":
        return _changes(
            ops.concat([x for x in (ends.get("prepend"), a, ends.get("append")) if x is not None], axis=axis), n, axis
        )
    return ops.diff(a, n=n, axis=axis, **ends)


def _changes(a: Any, n: int, axis: int) -> Any:
    """Return where neighbours differ, n times: NumPy's differences of bools."""
    before = (slice(None),) * (axis % a.ndim)
    for _i in range(n):
        a = ops.not_equal(a[(*before, slice(1, None))], a[(*before, slice(None, -1))])
    return a


def ediff1d(ary, to_end=None, to_begin=None):
    ary = ravel(ary)
    ends = [None if x is None else as_array(x) for x in (to_end, to_begin)]
    for x, name in zip(ends, ("to_end", "to_begin"), strict=True):
        if x is not None and not numpy.can_cast(x.dtype, ary.dtype, "same_kind"):
            raise TypeError(f"ediff1d: {name} of {x.dtype} does not go into {ary.dtype}")
    middle = ary[1:] - ary[:-1]
    parts = [ends[1], middle, ends[0]]
    return ops.concat([cast(ravel(x), ary.dtype, copy=False) for x in parts if x is not None])


def gradient(f, *varargs, axis=None, edge_order=1):
    f = as_array(f)
    spacing = [x if type(x) in (int, float) else as_array(x) for x in varargs]
    axis = tuple(axis) if isinstance(axis, list) else axis
    count = f.ndim if axis is None else len(axis) if isinstance(axis, tuple) else 1
    if len(spacing) not in (0, count) and not (len(spacing) == 1 and not getattr(spacing[0], "ndim", 0)):
        raise TypeError(f"gradient: takes one number, or a spacing for each of {count} axes; got {len(spacing)}")
    found = ops.gradient(f, *spacing, axis=axis, edge_order=edge_order)
    to = f.dtype if f._array.dtype.kind in "fc" else numpy.float64
    if isinstance(found, (list, tuple)):
        return tuple([cast(x, to, copy=False) for x in found])
    return cast(found, to, copy=False)


def trapezoid(y, x=None, dx=1.0, axis=-1):
    return ops.trapezoid(as_array(y), None if x is None else as_array(x), dx, axis)


def unwrap(p, discont=None, axis=-1, *, period=6.283185307179586):
    p = as_array(p)
    found = ops.unwrap(p, discont, axis, period=period)
    return (
        cast(found, numpy.result_type(p.dtype, int), copy=False)
        if p.dtype.kind in "iu" and type(period) is int
        else found
    )


def _no_mode(name: str, mode: Any) -> None:
    if mode is None:
        raise TypeError(f"{name}: mode is 'full', 'same' or 'valid'; got None")


def convolve(a, v, mode="full"):
    _no_mode("convolve", mode)
    a, v = as_array(a), as_array(v)
    if not a.size or not v.size:
        raise ValueError("convolve: takes arrays of one element or more")
    return ops.convolve(ravel(a) if not a.ndim else a, ravel(v) if not v.ndim else v, mode)


def correlate(a, v, mode="valid"):
    _no_mode("correlate", mode)
    a, v = as_array(a), as_array(v)
    return ops.correlate(ravel(a) if not a.ndim else a, ravel(v) if not v.ndim else v, mode)


def interp(x, xp, fp, left=None, right=None, period=None):
    xp, fp = known(as_array(xp, float)), known(as_array(fp))
    to = complex if fp._array.dtype.kind == "c" else float
    found = ops.interp(as_array(x, float), xp, as_array(fp, to), left, right, period)
    return cast(found, to, copy=False)


# --- of samples -----------------------------------------------------------------------------------------------------


def cov(m, y = None, rowvar = True, bias = False, ddof = None, fweights = None,
        aweights = None, *, dtype = None):  # fmt: skip
    if ddof is not None and ddof != int(ddof):
        raise ValueError(f"cov: ddof is an integer; got {ddof}")
    correction = (0 if bias else 1) if ddof is None else ddof
    weights = {"fweights": fweights, "aweights": aweights}
    weights = {n: as_array(w) for n, w in weights.items() if w is not None}
    observations = as_array(m).shape[-1 if rowvar or as_array(m).ndim < 2 else 0] if as_array(m).ndim else 1
    for n, w in weights.items():
        if n == "fweights" and w._array.dtype.kind == "f" and tells(ops.any(w != ops.round(w))):
            raise TypeError("cov: fweights are counts, whole numbers")
        if w.ndim != 1 or w.shape[0] != observations:
            raise RuntimeError(f"cov: {n} has one axis, of {observations} observations; got shape {w.shape}")
        if tells(ops.any(w < 0)):
            raise ValueError(f"cov: {n} are at least 0")
    found = ops.cov(as_array(m), None if y is None else as_array(y), rowvar, correction=correction, **weights)
    return found if dtype is None else cast(found, dtype)


def corrcoef(x, y=None, rowvar=True, *, dtype=None):
    found = ops.corrcoef(as_array(x), None if y is None else as_array(y), rowvar)
    return found if dtype is None else cast(found, dtype)


def bincount(x, /, weights=None, minlength=0):
    x = as_array(x)
    if not x.size:
        x = cast(x, int)
    if not numpy.can_cast(x.dtype, int):
        raise TypeError(f"bincount: {x.dtype} is not cast to int64 safely. Cast it: x.astype(int)")
    return ops.bincount(x, None if weights is None else as_array(weights, float), minlength)


def digitize(x, bins, right=False):
    bins = as_array(bins)
    if bins.ndim == 1 and tells(ops.any(bins[1:] < bins[:-1]) & ops.any(bins[1:] > bins[:-1])):
        raise ValueError("digitize: the bins increase or decrease from one to the next")
    return ops.digitize(as_array(x), bins, right)


def histogram(a, bins=10, range=None, density=None, weights=None):
    if type(bins) is int and weights is None and not density and as_array(a)._array.dtype.kind != "b":
        return tuple(ops.histogram(as_array(a), bins, range))
    return by_numpy(numpy.histogram)(as_array(a), to_numpy(bins), range, density, to_numpy(weights))


def histogram_bin_edges(a, bins=10, range=None, weights=None):
    return by_numpy(numpy.histogram_bin_edges)(as_array(a), to_numpy(bins), range, to_numpy(weights))


def histogram2d(x, y, bins=10, range=None, density=None, weights=None):
    return by_numpy(numpy.histogram2d)(
        as_array(x), as_array(y), to_numpy(bins), to_numpy(range), density, to_numpy(weights)
    )


def histogramdd(sample, bins=10, range=None, density=None, weights=None):
    return by_numpy(numpy.histogramdd)(to_numpy(sample), to_numpy(bins), to_numpy(range), density, to_numpy(weights))


# --- fast paths over `lw.Array` ---------------------------------------------------------------------------------------


dialect.finish(globals(), view="numpy")
