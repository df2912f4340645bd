"""`tf.experimental.numpy`: NumPy's functions, and the switch that gives tensors its promotion and methods."""

from __future__ import annotations

import builtins
from typing import Any

from .. import conversion, reductions, shaping, switching
from ..arguments import only
from ..errors import InvalidArgumentError
from ..tensor import Tensor, ops
from . import calls
from .calls import axis_of, dtype_of, floating, named, nops, numpy_dialect, sizes

#: Functions that are latticework's by another name, see `renaming`.
_TABLE = """
(x) -> ours(asarray(x))
    abs absolute=abs conj conjugate=conj isfinite isinf isnan isneginf isposinf isreal iscomplex logical_not
    negative positive reciprocal signbit square bitwise_not=bitwise_invert
(x) -> ours(floating(x))
    arccos=acos arccosh=acosh arcsin=asin arcsinh=asinh arctan=atan arctanh=atanh cbrt ceil cos cosh deg2rad exp
    exp2 expm1 fix floor log log10 log1p log2 sin sinc sinh sqrt tan tanh
(x1, x2) -> ours(*_pair(x1, x2))
    add arctan2=atan2 bitwise_and bitwise_or bitwise_xor float_power=pow greater greater_equal heaviside hypot
    less less_equal logaddexp logaddexp2 logical_and logical_or logical_xor maximum nextafter not_equal
    remainder true_divide=divide
(shape, dtype=float) -> ours(sizes(shape), dtype=dtype_of(dtype))
    empty=zeros ones zeros
(a, axis=None) -> ours(asarray(a), axis=axis_of(axis))
    argmax argmin count_nonzero
(tup) -> ours([asarray(a) for a in tup])
    hstack vstack dstack
(a, b) -> ours(*_arrays(a, b))
    inner dot vdot kron
"""

__all__ = ["e", "inf", "ndarray", "newaxis", "pi"]

_pair = calls.pair
_KINDS = {builtins.bool: "biufc", int: "iufc", float: "fc", builtins.complex: "c"}

ndarray = Tensor
e, pi, inf, newaxis = 2.718281828459045, 3.141592653589793, float("inf"), None


def experimental_enable_numpy_behavior(prefer_float32: Any = False, dtype_conversion_mode: Any = "legacy") -> None:
    """Give all tensors NumPy's methods, and promotion rules, for the rest of the process.

    Parameters
    ----------
    prefer_float32: whether Python's numbers become float32 and int32 in `tf.experimental.numpy`.
    dtype_conversion_mode: ``"legacy"`` for NumPy's rules, ``"all"`` and ``"safe"`` for TensorFlow's own, with weak
        dtypes of Python's numbers, ``"off"`` for none.

    Raises
    ------
    ValueError: there is no such mode.

    Examples
    --------
    >>> import latticework.frontends.tensorflow as tf
    >>> from latticework.frontends.tensorflow import switching
    >>> tf.experimental.numpy.experimental_enable_numpy_behavior(dtype_conversion_mode="all")
    >>> (tf.constant([1, 2]) + tf.constant([1.5], tf.float16)).dtype
    tf.float16
    >>> switching.disable()
    """
    switching.enable(bool(prefer_float32), dtype_conversion_mode)


# fmt: off
# --- element by element ---------------------------------------------------------------------------------------------

def fabs(x: Any) -> Any: return nops.abs(only(asarray(x), "ifc"))
def rad2deg(x: Any) -> Any:
    x = floating(x)
    return nops.multiply(x, 180 / pi) if x._array.dtype.kind == "c" else nops.rad2deg(x)

def divide(x1: Any, x2: Any) -> Any: return nops.divide(*_pair(x1, x2))
def equal(x1: Any, x2: Any) -> Any: return nops.equal(*_pair(x1, x2))
def floor_divide(x1: Any, x2: Any) -> Any: return nops.floor_divide(*_pair(x1, x2))
def gcd(x1: Any, x2: Any) -> Any: return nops.gcd(*_integers(x1, x2))
def lcm(x1: Any, x2: Any) -> Any: return nops.lcm(*_integers(x1, x2))
def minimum(x1: Any, x2: Any) -> Any: return nops.minimum(*_pair(x1, x2))
def mod(x1: Any, x2: Any) -> Any: return nops.remainder(*_pair(x1, x2))
def multiply(x1: Any, x2: Any) -> Any: return nops.multiply(*_pair(x1, x2))
def power(x1: Any, x2: Any) -> Any: return nops.pow(*_pair(x1, x2))
def subtract(x1: Any, x2: Any) -> Any: return nops.subtract(*_pair(x1, x2))
def matmul(x1: Any, x2: Any) -> Any:
    try:
        return nops.matmul(*_pair(x1, x2))
    except InvalidArgumentError as error:
        raise ValueError(str(error)) from None
def around(a: Any, decimals: Any = 0) -> Any: return ops.round(asarray(a), decimals)
def clip(a: Any, a_min: Any, a_max: Any) -> Any: return nops.clip(asarray(a), a_min, a_max)
def divmod(x1: Any, x2: Any) -> Any: return floor_divide(x1, x2), mod(x1, x2)
def imag(val: Any) -> Any: return nops.imag(asarray(val))
def real(val: Any) -> Any: return nops.real(asarray(val)) if asarray(val)._array.dtype.kind == "c" else asarray(val)
def round(a: Any, decimals: Any = 0) -> Any: return ops.round(asarray(a), decimals)
def sign(x: Any, out: Any = None, where: Any = None, **kwargs: Any) -> Any: return nops.sign(asarray(x))
def isclose(a: Any, b: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: Any = False) -> Any:
    return nops.isclose(*_pair(a, b), rtol=rtol, atol=atol, equal_nan=equal_nan)
def allclose(a: Any, b: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: Any = False) -> Any:
    return all(isclose(a, b, rtol, atol, equal_nan))
def array_equal(a1: Any, a2: Any) -> Any: return all(equal(a1, a2)) if shape(a1) == shape(a2) else asarray(False)
def where(condition: Any, x: Any = None, y: Any = None) -> Any:
    if x is None and y is None:
        return nonzero(condition)
    return nops.where(nops.astype(asarray(condition), "bool"), *_pair(x, y))

def angle(z: Any, deg: Any = False) -> Any:
    z = asarray(z)
    found = nops.angle(z, deg=builtins.bool(deg))
    return found if z._array.dtype.kind == "c" else nops.astype(found, "float32")

# --- new tensors ----------------------------------------------------------------------------------------------------

def array(val: Any, dtype: Any = None, copy: Any = True, ndmin: Any = 0) -> Any:
    return _deep(asarray(val, dtype), ndmin)
def asarray(a: Any, dtype: Any = None) -> Any: return calls.asarray(a, dtype)
def asanyarray(a: Any, dtype: Any = None) -> Any: return calls.asarray(a, dtype)
def ascontiguousarray(a: Any, dtype: Any = None) -> Any: return _deep(asarray(a, dtype), 1)
def copy(a: Any) -> Any: return nops.copy(asarray(a))
def empty_like(a: Any, dtype: Any = None) -> Any: return zeros_like(a, dtype)
def eye(N: Any, M: Any = None, k: Any = 0, dtype: Any = float) -> Any: return nops.eye(N, M, k=k, dtype=dtype_of(dtype))
def identity(n: Any, dtype: Any = float) -> Any: return nops.eye(n, dtype=dtype_of(dtype))
def full(shape: Any, fill_value: Any, dtype: Any = None) -> Any:
    return nops.broadcast_to(asarray(fill_value, dtype), sizes(shape))
def full_like(
    a: Any, fill_value: Any, dtype: Any = None, order: Any = "K", subok: Any = True, shape: Any = None,
) -> Any:
    if order not in ("K", "A"):
        raise ValueError(f"Non-standard orders are not supported; got {order!r}.")
    if shape is not None:
        raise ValueError("Overriding the shape is not supported.")
    return full(asarray(a).shape, fill_value, asarray(a).dtype if dtype is None else dtype)
def ones_like(a: Any, dtype: Any = None) -> Any:
    return nops.ones_like(asarray(a), dtype=None if dtype is None else dtype_of(dtype))
def zeros_like(a: Any, dtype: Any = None) -> Any:
    return nops.zeros_like(asarray(a), dtype=None if dtype is None else dtype_of(dtype))
def tri(N: Any, M: Any = None, k: Any = 0, dtype: Any = None) -> Any:
    return nops.tri(N, M, k, dtype=dtype_of(float if dtype is None else dtype))
def vander(x: Any, N: Any = None, increasing: Any = False) -> Any:
    x = asarray(x)
    if x.ndim > 1:
        raise ValueError("x must be a one-dimensional array")
    return nops.vander(x, N, increasing)
def diag(v: Any, k: Any = 0) -> Any:
    v = asarray(v)
    if v.ndim > 2:
        raise ValueError(f"Shape {v.shape} must have rank at most 2")
    return nops.diag(v, k)
def diagflat(v: Any, k: Any = 0) -> Any: return nops.diag(ravel(v), k)

# --- along axes -----------------------------------------------------------------------------------------------------

def all(a: Any, axis: Any = None, keepdims: Any = None) -> Any:
    return named(nops.all, nops.astype(asarray(a), "bool"), axis, keepdims)
def any(a: Any, axis: Any = None, keepdims: Any = None) -> Any:
    return named(nops.any, nops.astype(asarray(a), "bool"), axis, keepdims)
def amax(a: Any, axis: Any = None, out: Any = None, keepdims: Any = None) -> Any:
    return named(nops.max, a, axis, keepdims)
def amin(a: Any, axis: Any = None, out: Any = None, keepdims: Any = None) -> Any:
    return named(nops.min, a, axis, keepdims)
def max(a: Any, axis: Any = None, keepdims: Any = None) -> Any: return named(nops.max, a, axis, keepdims)
def min(a: Any, axis: Any = None, keepdims: Any = None) -> Any: return named(nops.min, a, axis, keepdims)
def mean(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = None) -> Any:
    if dtype is not None and dtype_of(dtype).is_integer:
        return reductions.reduce_mean(asarray(a, dtype), axis_of(axis), builtins.bool(keepdims))
    return named(nops.mean, asarray(a, dtype), axis, keepdims)
def prod(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = None) -> Any:
    return _of_dtype(named(nops.prod, asarray(a, dtype), axis, keepdims), dtype)
def sum(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = None) -> Any:
    return _of_dtype(named(nops.sum, asarray(a, dtype), axis, keepdims), dtype)
def std(a: Any, axis: Any = None, keepdims: Any = None) -> Any: return named(nops.std, a, axis, keepdims)
def var(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: Any = 0, keepdims: Any = None) -> Any:
    a = asarray(a)
    if dtype is not None and dtype_of(dtype).is_integer and a._array.dtype.kind not in "fc":
        raise TypeError(f"Input must be either real or complex. Received integer type {a.dtype!r}.")
    a = a if dtype is None or dtype_of(dtype).is_integer else asarray(a, dtype)
    return _of_dtype(named(nops.var, a, axis, keepdims, correction=ddof), dtype)
def ptp(a: Any, axis: Any = None, keepdims: Any = None) -> Any:
    return subtract(max(a, axis, keepdims), min(a, axis, keepdims))
def nansum(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False) -> Any:
    return _of_dtype(named(nops.nansum, asarray(a, dtype), axis, keepdims), dtype)
def nanprod(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False) -> Any:
    return _of_dtype(named(nops.nanprod, asarray(a, dtype), axis, keepdims), dtype)
def nanmean(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = None) -> Any:
    return named(nops.nanmean, asarray(a, dtype), axis, keepdims)
def cumprod(a: Any, axis: Any = None, dtype: Any = None) -> Any:
    return _cumulative(nops.cumulative_prod, a, axis, dtype)
def cumsum(a: Any, axis: Any = None, dtype: Any = None) -> Any: return _cumulative(nops.cumulative_sum, a, axis, dtype)
def diff(a: Any, n: Any = 1, axis: Any = -1) -> Any: return nops.diff(asarray(a), n=n, axis=axis)
def average(a: Any, axis: Any = None, weights: Any = None, returned: Any = False) -> Any:
    return _average(a, axis, weights, returned)
def sort(a: Any, axis: Any = -1, kind: Any = "quicksort", order: Any = None) -> Any:
    return _ordered(nops.sort, a, axis, kind, order, "quicksort")
def argsort(a: Any, axis: Any = -1, kind: Any = "quicksort", order: Any = None) -> Any:
    return _ordered(nops.argsort, a, axis, kind, order, "quicksort", "stable")

# --- shapes ---------------------------------------------------------------------------------------------------------

def shape(a: Any) -> Any: return asarray(a).shape
def ndim(a: Any) -> Any: return asarray(a).ndim
def ravel(a: Any) -> Any: return nops.reshape(asarray(a), (-1,))
def flatten(a: Any, order: Any = "C") -> Any: return nops.flatten(asarray(a), order)
def reshape(a: Any, newshape: Any, order: Any = "C") -> Any:
    return nops.reshape(asarray(a), sizes(newshape), order=order)
def transpose(a: Any, axes: Any = None) -> Any: return nops.transpose(asarray(a), None if axes is None else sizes(axes))
def swapaxes(a: Any, axis1: Any, axis2: Any) -> Any: return nops.swapaxes(asarray(a), axis1, axis2)
def moveaxis(a: Any, source: Any, destination: Any) -> Any:
    return nops.moveaxis(asarray(a), axis_of(source), axis_of(destination))
def expand_dims(a: Any, axis: Any) -> Any: return nops.expand_dims(asarray(a), axis_of(axis))
def squeeze(a: Any, axis: Any = None) -> Any:
    return nops.squeeze(asarray(a), _ones(asarray(a)) if axis is None else axis_of(axis))
def broadcast_to(array: Any, shape: Any) -> Any: return nops.broadcast_to(asarray(array), sizes(shape))
def broadcast_arrays(*args: Any, **kwargs: Any) -> Any: return list(nops.broadcast_arrays(*[asarray(a) for a in args]))
def flip(m: Any, axis: Any = None) -> Any:
    m = asarray(m)
    return nops.flip(m, axis=axis_of(axis)) if m.ndim else m
def fliplr(m: Any) -> Any: return flip(m, 1)
def flipud(m: Any) -> Any: return flip(m, 0)
def rot90(m: Any, k: Any = 1, axes: Any = (0, 1)) -> Any: return nops.rot90(asarray(m), k, axes)
def roll(a: Any, shift: Any, axis: Any = None) -> Any:
    return nops.roll(asarray(a), axis_of(shift)) if axis is None else shaping.roll(asarray(a), shift, axis)
def repeat(a: Any, repeats: Any, axis: Any = None) -> Any: return shaping.repeat(asarray(a), repeats, axis)
def tile(a: Any, reps: Any) -> Any: return nops.tile(asarray(a), sizes(reps))
def concatenate(arys: Any, axis: Any = 0) -> Any:
    found = [asarray(a) for a in (arys if isinstance(arys, (list, tuple)) else [arys])]
    return found[0] if len(found) == 1 else nops.concat(found, axis=axis)
def stack(arrays: Any, axis: Any = 0) -> Any: return nops.stack([asarray(a) for a in arrays], axis=axis)
def split(ary: Any, indices_or_sections: Any, axis: Any = 0) -> Any:
    return list(nops.split(asarray(ary), indices_or_sections, axis=axis))
def hsplit(ary: Any, indices_or_sections: Any) -> Any: return _split_along(ary, indices_or_sections, 1)
def vsplit(ary: Any, indices_or_sections: Any) -> Any: return _split_along(ary, indices_or_sections, 0)
def dsplit(ary: Any, indices_or_sections: Any) -> Any: return _split_along(ary, indices_or_sections, 2)
def append(arr: Any, values: Any, axis: Any = None) -> Any:
    return concatenate([ravel(arr), ravel(values)]) if axis is None else concatenate([arr, values], axis)
def atleast_1d(*arys: Any) -> Any: return _several(1, arys)
def atleast_2d(*arys: Any) -> Any: return _several(2, arys)
def atleast_3d(*arys: Any) -> Any:
    found = nops.atleast_3d(*[asarray(a) for a in arys])
    return found if len(arys) == 1 else list(found)
def tril(m: Any, k: Any = 0) -> Any: return nops.tril(_matrices(m, "tril"), k)
def triu(m: Any, k: Any = 0) -> Any: return nops.triu(_matrices(m, "triu"), k)
def diagonal(a: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1) -> Any:
    return nops.diagonal(asarray(a), offset, axis1, axis2)
def trace(a: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1, dtype: Any = None) -> Any:
    return sum(diagonal(a, offset, axis1, axis2), axis=-1, dtype=dtype)

# --- choose and multiply --------------------------------------------------------------------------------------------

def nonzero(a: Any) -> Any: return [nops.astype(x, "int64") for x in nops.nonzero(nops.atleast_1d(asarray(a)))]
def compress(condition: Any, a: Any, axis: Any = None) -> Any:
    condition = asarray(condition)
    if condition.ndim != 1:
        raise ValueError("condition must be a 1-d array.")
    return nops.compress(nops.astype(condition, "bool"), asarray(a), axis=axis)
def take_along_axis(arr: Any, indices: Any, axis: Any) -> Any:
    return nops.take_along_axis(asarray(arr), asarray(indices), axis=axis)
def select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    return nops.select([asarray(c) for c in condlist], [asarray(c) for c in choicelist], default=default)
def ix_(*args: Any) -> Any:
    found = [asarray(a) for a in args]
    for i, x in enumerate(found):
        if x.ndim != 1:
            raise ValueError(f"Arguments must be 1-d, got arg {i} of rank {x.ndim}")
        if x._array.dtype.kind not in "biu":
            raise ValueError(f"Only integer and bool dtypes are supported, got {x.dtype!r}")
    return list(nops.ix_(*found))
def outer(a: Any, b: Any) -> Any: return nops.outer(ravel(a), ravel(b))
def tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    a, b = _arrays(a, b)
    if isinstance(axes, int) and not 0 <= axes <= a.ndim:
        raise ValueError(f"`axes` must lie between 0 and the number of dimensions of tensor {a.shape}; got {axes}")
    if isinstance(axes, (list, tuple)) and len(axes) != 2:
        raise ValueError(f"`axes` must be an integer or have length 2. Received {axes}.")
    return nops.tensordot(a, b, axes=axes)
def einsum(subscripts: Any, *operands: Any, **kwargs: Any) -> Any:
    return nops.einsum(subscripts, *[asarray(a) for a in operands])
def isscalar(num: Any) -> Any: return asarray(num).ndim == 0
def iscomplexobj(x: Any) -> Any: return asarray(x).dtype.is_complex
def isrealobj(x: Any) -> Any: return not asarray(x).dtype.is_complex
# fmt: on


def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None) -> Any:
    if not step:
        raise ValueError("step must be non-zero")
    found = nops.arange(start, stop, step) if stop is not None else nops.arange(start)
    return asarray(found, float if found.dtype.is_floating and dtype is None else int if dtype is None else dtype)


def linspace(
    start: Any, stop: Any, num: Any = 50, endpoint: Any = True, retstep: Any = False, dtype: Any = float, axis: Any = 0
) -> Any:
    first, last = floating(start), floating(stop)
    found = nops.linspace(first, last, num, endpoint=builtins.bool(endpoint), axis=axis)
    return (found, divide(subtract(last, first), num - builtins.bool(endpoint))) if retstep else found


def logspace(
    start: Any, stop: Any, num: Any = 50, endpoint: Any = True, base: Any = 10.0, dtype: Any = None, axis: Any = 0
) -> Any:
    found = linspace(start, stop, num, endpoint, axis=axis)
    return power(asarray(asarray(base, float), found.dtype), found)


def meshgrid(*xi: Any, **kwargs: Any) -> Any:
    if kwargs.get("sparse") or not kwargs.get("copy", True):
        raise ValueError("meshgrid doesn't support sparse=True or copy=False")
    return conversion.meshgrid(*[ravel(x) for x in xi], indexing=kwargs.get("indexing", "xy"))


def take(a: Any, indices: Any, axis: Any = None, out: Any = None, mode: Any = "clip") -> Any:
    if mode not in ("raise", "clip", "wrap"):
        raise ValueError(f"Invalid mode {mode!r} for take")
    a = ravel(a) if axis is None else asarray(a)
    indices, along = only(asarray(indices), "i", "int8 int16"), 0 if axis is None else axis
    if not -a.ndim <= along < a.ndim:
        raise InvalidArgumentError(None, None, f"axis {axis} does not lie in the shape {a.shape}")
    length = a._array.shape[along]
    indices = nops.remainder(indices, length) if mode == "wrap" else nops.clip(indices, 0, length - 1)
    return nops.take(a, indices, axis=along)


def pad(array: Any, pad_width: Any, mode: Any, **kwargs: Any) -> Any:
    if mode not in ("constant", "reflect", "symmetric"):
        raise ValueError(f"Unsupported padding mode: {mode}.")
    widths = [tuple(row) for row in asarray(pad_width)._array.tolist()]
    value = kwargs.get("constant_values", 0) if mode == "constant" else 0
    return nops.pad(asarray(array), widths, mode=mode, constant_values=value)


def cross(a: Any, b: Any, axisa: Any = -1, axisb: Any = -1, axisc: Any = -1, axis: Any = None) -> Any:
    axisa, axisb, axisc = (axisa, axisb, axisc) if axis is None else (axis, axis, axis)
    found = nops.linalg.cross(moveaxis(a, axisa, -1), moveaxis(b, axisb, -1))
    return moveaxis(found, -1, axisc)


def size(x: Any, axis: Any = None) -> Any:
    import numpy as np

    if axis is not None:
        raise NotImplementedError("axis argument is not supported in the current `np.size` implementation")
    count = asarray(x).shape.num_elements()
    return np.int64(count) if isinstance(x, Tensor) else count


def promote_types(type1: Any, type2: Any) -> Any:
    import numpy as np

    return np.dtype(numpy_dialect.function(_promoted)(dtype_of(type1), dtype_of(type2)).as_numpy_dtype)


def _promoted(type1: Any, type2: Any) -> Any:
    import latticework as lw

    return lw.promote_types(type1, type2)


def _of_dtype(x: Any, dtype: Any) -> Any:
    """A result in the dtype that was asked for."""
    return x if dtype is None else asarray(x, dtype)


def _matrices(m: Any, name: str) -> Any:
    m = asarray(m)
    if m.ndim < 2:
        raise ValueError(f"Argument to {name} must have rank at least 2")
    return m


def _split_along(ary: Any, cuts: Any, axis: int) -> list[Any]:
    """The parts along an axis, which is the only one of a vector for the second too."""
    a = asarray(ary)
    axis = 0 if a.ndim == 1 and axis == 1 else axis
    if axis >= a.ndim:
        raise ValueError(f"axis {axis} is out of bound for shape {a.shape}")
    if isinstance(cuts, int) and a._array.shape[axis] % cuts:
        raise ValueError("array split does not result in an equal division")
    return list(nops.split(a, cuts, axis=axis))


def _integers(x1: Any, x2: Any) -> list[Any]:
    for x in (x1, x2):
        if asarray(x)._array.dtype.kind in "fc":
            raise ValueError("Arguments to gcd must be integers.")
    return [only(x, "i") if isinstance(x, Tensor) else x for x in _pair(x1, x2)]


def _arrays(a: Any, b: Any) -> tuple[Any, Any]:
    """Two tensors: a Python number becomes one of the other's dtype, if that has numbers of its kind."""
    return _beside(a, b), _beside(b, a)


def _beside(value: Any, other: Any) -> Any:
    if isinstance(other, Tensor) and type(value) in _KINDS and other._array.dtype.kind in _KINDS[type(value)]:
        return asarray(value, other.dtype)
    return asarray(value)


def _deep(x: Any, ndmin: int) -> Any:
    lack = ndmin - x.ndim
    return nops.reshape(x, (1,) * lack + x._array.shape) if lack > 0 else x


def _several(ndmin: int, arys: Any) -> Any:
    found = [_deep(asarray(a), ndmin) for a in arys]
    return found[0] if len(found) == 1 else found


def _ones(x: Any) -> tuple[int, ...]:
    return tuple([i for i, n in enumerate(x._array.shape) if n == 1])


def _cumulative(f: Any, a: Any, axis: Any, dtype: Any) -> Any:
    a = asarray(a, dtype)
    return _of_dtype(f(ravel(a), axis=0) if axis is None else f(a, axis=axis), dtype)


def _average(a: Any, axis: Any, weights: Any, returned: Any) -> Any:
    a = asarray(a)
    a = a if a._array.dtype.kind in "fc" else asarray(a, float)
    if weights is None:
        found = mean(a, axis)
        count = (
            ones_like(found) if not returned else full_like(found, a.shape.num_elements() // found.shape.num_elements())
        )
        return (found, count) if returned else found
    weights = asarray(weights)
    if weights.shape != a.shape:
        weights = nops.reshape(weights, tuple([-1 if i == axis % a.ndim else 1 for i in range(a.ndim)]))
        weights = nops.broadcast_to(weights, a._array.shape)
    total = sum(weights, axis)
    found = divide(sum(multiply(a, weights), axis), total)
    return (found, total) if returned else found


def _ordered(f: Any, a: Any, axis: Any, kind: Any, order: Any, *kinds: str) -> Any:
    if kind not in kinds:
        raise ValueError(
            f"Invalid value for argument `kind`. Only kind={kinds[0]!r} is supported. Received: kind={kind}"
        )
    if order is not None:
        raise ValueError("The `order` argument to sort is not supported.")
    a = asarray(a)
    return f(ravel(a)) if axis is None else f(a, axis=axis)


numpy_dialect.finish(globals(), _TABLE, view="tf.experimental.numpy")
