"""PyTorch's reductions, and sums and products along an axis."""

from __future__ import annotations

from math import inf as _inf
from typing import Any

from .areas import doubled_areas, whole
from .core import complete, default_float, dialect, ops
from .named import named
from .tensor import Tensor

# fmt: off

_MAX, _MIN, _MEDIAN, _NANMEDIAN = (named(n, "values", "indices") for n in ("max", "min", "median", "nanmedian"))
_CUMMAX, _CUMMIN = (named(n, "values", "indices") for n in ("cummax", "cummin"))
_AMINMAX, _HISTOGRAM = named("aminmax", "min", "max"), named("histogram", "hist", "bin_edges")

def amax(input, dim=(), keepdim=False, *, out=None): return _extreme(ops.max, input, dim, keepdim)
def amin(input, dim=(), keepdim=False, *, out=None): return _extreme(ops.min, input, dim, keepdim)
def argmax(input, dim=None, keepdim=False, *, out=None): return _position(ops.argmax, input, dim, keepdim)
def argmin(input, dim=None, keepdim=False, *, out=None): return _position(ops.argmin, input, dim, keepdim)
def count_nonzero(input, dim=None): return ops.astype(ops.count_nonzero(input, axis=_dims(dim)), "int64")
def cumprod(input, dim, *, dtype=None, out=None):
    return _up_to_each("prod", input, dim, dtype)
def cumsum(input, dim, *, dtype=None, out=None): return _up_to_each("sum", input, dim, dtype)
def dist(input, other, p=2): return norm(ops.subtract(input, other), p)
def log_softmax(input, dim, dtype=None, *, out=None): return ops.nn.log_softmax(_cast(input, dtype), dim)
def logcumsumexp(input, dim, *, out=None):
    if input._array.dtype.kind == "c":
        return _complex_logsumexp(input, dim, True, ops.cumulative_sum)
    return ops.logcumsumexp(input, axis=dim)
def logsumexp(input, dim, keepdim=False, *, out=None):
    if input._array.dtype.kind == "c":
        return _complex_logsumexp(input, _dims(dim), keepdim)
    return ops.special.logsumexp(_floating(input), axis=_dims(dim), keepdims=keepdim)
def nanmean(input, dim=None, keepdim=False, *, dtype=None, out=None):
    return ops.nanmean(input, axis=_dims(dim), keepdims=keepdim, dtype=dtype)
def nansum(input, dim=None, keepdim=False, *, dtype=None, out=None):
    return ops.nansum(input, axis=_dims(dim), keepdims=keepdim, dtype=dtype)
def softmax(input, dim, dtype=None, *, out=None):
    return ops.softmax(input, dim) if dtype is None else ops.softmax(_cast(input, dtype), dim)
def trapz(y, x=None, *, dx=1, dim=-1): return trapezoid(y, x, dx=dx, dim=dim)
# fmt: on


def _up_to_each(name: str, input: Any, dim: Any, dtype: Any) -> Any:
    """Sums or products of the elements up to each. JAX's cumsum has another dtype than its cumulative_sum."""
    f = getattr(ops, f"cum{name}" if dialect.is_audited else f"cumulative_{name}")
    return f(_within(input, dtype), axis=dim, dtype=dtype)


def _dims(dim: Any) -> Any:
    """The axes of a reduction: an empty sequence means all of them."""
    if dim is None or type(dim) is int:
        return dim
    if isinstance(dim, (list, tuple)):
        return tuple(dim) or None
    raise TypeError(f"argument 'dim' must be tuple of ints, not {type(dim).__name__}")


def _cast(input: Any, dtype: Any) -> Any:
    return input if dtype is None else input._to(dtype)


def _within(input: Any, dtype: Any) -> Any:
    """Complex numbers in a real dtype that was requested: PyTorch drops the imaginary components."""
    if dtype is None or input._array.dtype.kind != "c" or dialect.dtype_of(dtype).kind == "c":
        return input
    return input._to(dtype)


def _floating(input: Any) -> Any:
    """Integers in the default dtype."""
    kind = input._array.dtype.kind
    return input._to(default_float()) if kind in "biu" else input


def sum(input, dim=None, keepdim=False, *, dtype=None, out=None):
    if not keepdim and dtype is None:
        if dim is None:
            return ops.sum(input)
        if type(dim) is int:
            return ops.sum(input, axis=dim)
    return ops.sum(_within(input, dtype), axis=_dims(dim), keepdims=keepdim, dtype=dtype)


def mean(input, dim=None, keepdim=False, *, dtype=None, out=None):
    if dtype is None and (dim is None or type(dim) is int):
        if keepdim:
            return ops.mean(input, axis=dim, keepdims=True)
        return ops.mean(input) if dim is None else ops.mean(input, axis=dim)
    if dtype is not None:
        input = input._to(dtype)
    return ops.mean(input, axis=_dims(dim), keepdims=keepdim)


def prod(input, dim=None, keepdim=False, *, dtype=None, out=None):
    return ops.prod(_within(input, dtype), axis=_dims(dim), keepdims=keepdim, dtype=dtype)


def all(input, dim=None, keepdim=False, *, out=None):
    return _bytes(input, ops.all(input) if dim is None else ops.all(input, axis=_axes(dim), keepdims=keepdim))


def any(input, dim=None, keepdim=False, *, out=None):
    return _bytes(input, ops.any(input) if dim is None else ops.any(input, axis=_axes(dim), keepdims=keepdim))


def _axes(dim: Any) -> Any:
    return tuple(dim) if isinstance(dim, list) else dim


def _bytes(input: Any, result: Any) -> Any:
    """Of uint8 PyTorch's all and any are uint8."""
    return result._to("uint8") if input._array.dtype.name == "uint8" else result


def _extreme(f: Any, input: Any, dim: Any, keepdim: bool) -> Any:
    if input._array.size == 0:
        axes = range(input._array.ndim) if _dims(dim) is None else [input._axis(d) for d in _tuple(dim)]
        if [d for d in axes if input._array.shape[d] == 0]:
            raise IndexError("Expected reduction dim to be specified for input.numel() == 0, and to have elements")
    return f(input, axis=_dims(dim), keepdims=keepdim)


def _tuple(dim: Any) -> tuple[int, ...]:
    return tuple(dim) if isinstance(dim, (list, tuple)) else (dim,)


def _position(f: Any, input: Any, dim: Any, keepdim: bool) -> Any:
    if dim is None:
        if input._array.size == 0:
            raise IndexError("Expected reduction dim to be specified for input.numel() == 0.")
        found = f(input)
        return ops.reshape(found, (1,) * input._array.ndim) if keepdim else found
    if input._array.ndim and input._array.shape[input._axis(dim)] == 0:
        raise IndexError(f"Expected reduction dim {dim} to have non-zero size.")
    return f(input, axis=dim, keepdims=keepdim)


def _of_dim(kind: Any, position: Any, input: Any, dim: int, keepdim: bool) -> Any:
    """The values along an axis and where they are."""
    if isinstance(dim, bool) or not hasattr(dim, "__index__"):
        raise TypeError(f"argument 'dim' must be int, not {type(dim).__name__}")
    axis = input._axis(dim)
    if input._array.dtype.kind == "c":
        raise RuntimeError("max() and min() do not support complex input")
    if not input._array.ndim:
        return kind(ops.copy(input), ops.zeros((), dtype="int64"))
    if input._array.shape[axis] == 0:
        raise IndexError(f"Expected reduction dim {dim} to have non-zero size.")
    signed = input._to("uint8") if input._array.dtype.kind == "b" else input
    where = position(signed, axis=axis, keepdims=True)
    values = ops.take_along_axis(input, where, axis)
    return kind(values, where) if keepdim else kind(ops.squeeze(values, axis), ops.squeeze(where, axis))


def _maximum(name: str, input: Any, args: tuple[Any, ...], kw: dict[str, Any]) -> Any:
    """The three forms of max and min: of all elements, along an axis, of two tensors."""
    largest = name == "max"
    other, dim, keepdim = kw.pop("other", None), kw.pop("dim", None), kw.pop("keepdim", False)
    if kw or len(args) > 2:
        raise TypeError(f"{name}() received an invalid combination of arguments: {', '.join(kw)}")
    if args and type(args[0]) is Tensor:
        other, args = args[0], args[1:]
    dim, keepdim = (*args, *(dim, keepdim)[len(args) :]) if args else (dim, keepdim)
    if other is not None:
        if dim is not None:
            raise TypeError(f"{name}() received an invalid combination of arguments: other and dim")
        return (ops.maximum if largest else ops.minimum)(input, other)
    if dim is not None:
        kind, position = (_MAX, ops.argmax) if largest else (_MIN, ops.argmin)
        return _of_dim(kind, position, input, dim, keepdim)
    if input._array.size == 0:
        raise RuntimeError(f"{name}(): Expected reduction dim to be specified for input.numel() == 0.")
    return (ops.max if largest else ops.min)(input)


def max(input, *args, out=None, **kw):
    return _maximum("max", input, args, kw) if args or kw or not input._array.size else ops.max(input)


def min(input, *args, out=None, **kw):
    return _maximum("min", input, args, kw) if args or kw or not input._array.size else ops.min(input)


def aminmax(input, *, dim=None, keepdim=False, out=None):
    if dim is None and not input._array.size:
        raise RuntimeError(
            "aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity."
        )
    return _AMINMAX(ops.min(input, axis=dim, keepdims=keepdim), ops.max(input, axis=dim, keepdims=keepdim))


def _complex_logsumexp(input: Any, axes: Any, keepdim: bool, add: Any = None) -> Any:
    """The logarithm of the sum of exponentials, with the largest real component taken out."""
    most = ops.max(ops.real(input), axis=axes, keepdims=True)
    small = ops.exp(ops.subtract(input, most))
    total = ops.log(ops.sum(small, axis=axes, keepdims=True) if add is None else add(small, axis=axes))
    found = ops.add(total, most)
    if keepdim:
        return found
    return ops.squeeze(found, axis=tuple(range(found._array.ndim)) if axes is None else axes)


# --- statistics -----------------------------------------------------------------------------------------------------


def _correction(dim: Any, unbiased: Any, correction: Any) -> tuple[Any, float]:
    """The axes and the correction: ``std(x, True)`` and ``std(x, 1, False)`` say by a bool whether it is 1."""
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    if isinstance(unbiased, bool):
        return _dims(dim), 1.0 if unbiased else 0.0
    return _dims(dim), 1.0 if correction is None else correction


def _spread(f: Any, input: Any, dim: Any, unbiased: Any, keepdim: Any, correction: Any) -> Any:
    axes, by = _correction(dim, unbiased, correction)
    return f(input, axis=axes, correction=by, keepdims=keepdim)


# fmt: off
def std(input, dim=None, unbiased=None, keepdim=False, *, correction=None, out=None):
    return _spread(ops.std, input, dim, unbiased, keepdim, correction)
def var(input, dim=None, unbiased=None, keepdim=False, *, correction=None, out=None):
    return _spread(ops.var, input, dim, unbiased, keepdim, correction)
def std_mean(input, dim=None, unbiased=None, keepdim=False, *, correction=None):
    return _spread(ops.std, input, dim, unbiased, keepdim, correction), _mean(input, dim, keepdim)
def var_mean(input, dim=None, unbiased=None, keepdim=False, *, correction=None):
    return _spread(ops.var, input, dim, unbiased, keepdim, correction), _mean(input, dim, keepdim)
def median(input, dim=None, keepdim=False, *, out=None): return _middle(_MEDIAN, input, dim, keepdim, True)
def nanmedian(input, dim=None, keepdim=False, *, out=None): return _middle(_NANMEDIAN, input, dim, keepdim, False)
def quantile(input, q, dim=None, keepdim=False, *, interpolation="linear", out=None):
    return _quantile(ops.quantile, input, q, dim, keepdim, interpolation)
def nanquantile(input, q, dim=None, keepdim=False, *, interpolation="linear", out=None):
    return _quantile(ops.nanquantile, input, q, dim, keepdim, interpolation)
# fmt: on


def _mean(input: Any, dim: Any, keepdim: bool) -> Any:
    return ops.mean(input, axis=_correction(dim, None, None)[0], keepdims=keepdim)


def _middle(kind: Any, input: Any, dim: Any, keepdim: bool, keeps_nan: bool) -> Any:
    """The lower one of the two elements in the middle, which is an element, and where it is."""
    flat = dim is None
    x = ops.reshape(input, (-1,)) if flat or not input._array.ndim else input
    axis = 0 if flat or not input._array.ndim else input._axis(dim)
    order = ops.argsort(x, axis=axis)
    count = x._array.shape[axis]
    if not count:
        if flat:
            return ops.full((), float("nan"), dtype=x.dtype)
        raise IndexError(f"median(): Expected reduction dim {dim} to have non-zero size.")
    where = ops.take(order, ops.asarray([(count - 1) // 2]), axis=axis)
    if x._array.dtype.kind == "f":
        missing = ops.isnan(x)
        numbers = ops.sum(ops.astype(ops.logical_not(missing), "int64"), axis=axis, keepdims=True)
        if keeps_nan:
            first = ops.argmax(ops.astype(missing, "uint8"), axis=axis, keepdims=True)
            where = ops.where(ops.any(missing, axis=axis, keepdims=True), first, where)
        else:
            middle = ops.clip(ops.floor_divide(ops.subtract(numbers, 1), 2), 0, None)
            where = ops.take_along_axis(order, middle, axis)
    values = ops.take_along_axis(x, where, axis)
    if flat and input.requires_grad:  # equal elements share the slope, as those of a greatest element do
        missing = ops.isnan(x)
        if ops.any(ops.isnan(values)):
            values = ops.divide(ops.sum(ops.where(missing, x, 0)), ops.sum(missing))
        else:
            values = ops.max(ops.where(ops.equal(x, values), x, -_inf))
    if flat:
        return ops.reshape(values, ())
    if not input._array.ndim:
        return kind(ops.reshape(values, ()), ops.reshape(where, ()))
    return kind(values, where) if keepdim else kind(ops.squeeze(values, axis), ops.squeeze(where, axis))


def _quantile(f: Any, input: Any, q: Any, dim: Any, keepdim: bool, interpolation: str) -> Any:
    if input._array.dtype.name not in ("float32", "float64"):
        raise RuntimeError(f"quantile() input tensor must be either float or double dtype; got {input.dtype}")
    if type(q) is Tensor:
        if q._array.dtype is not input._array.dtype:
            raise RuntimeError("quantile() q tensor must be same dtype as the input tensor")
        if q._array.ndim > 1:
            raise RuntimeError("quantile() q must be a scalar or 1D tensor")
    elif not 0 <= q <= 1:
        raise RuntimeError(f"quantile() q must be in the range [0, 1] but got {q}")
    if not input._array.size:
        raise RuntimeError("quantile() input tensor must be non-empty")
    result = f(input, q, axis=dim, keepdims=keepdim, method=interpolation)
    return result._to(input.dtype)


def cov(input, *, correction=1, fweights=None, aweights=None):
    return ops.cov(input, correction=correction, fweights=fweights, aweights=aweights)


def corrcoef(input):
    return ops.corrcoef(input)


def histc(input, bins=100, min=0, max=0, *, out=None):
    if input._array.dtype.kind != "f":
        raise NotImplementedError(f"histc: not implemented for {input.dtype}")
    low, high = (min, max) if min != max else (ops.min(input).item(), ops.max(input).item())
    if low == high:
        low, high = low - 1, high + 1
    counts = ops.histogram(ops.reshape(input, (-1,)), bins=bins, range=(low, high))[0]
    return counts._to(input.dtype)


def histogram(input, bins, *, range=None, weight=None, density=False, out=None):
    flat = ops.reshape(input, (-1,))
    weights = None if weight is None else ops.reshape(weight, (-1,))
    counts, edges = ops.histogram(flat, bins=bins, range=range, weights=weights, density=density)
    return _HISTOGRAM(counts._to(input.dtype), edges._to(input.dtype))


def bincount(input, weights=None, minlength=0):
    if input._array.dtype.kind not in "iu":
        raise NotImplementedError(f"bincount: PyTorch has no kernel of this function for {input.dtype}")
    if input._array.ndim != 1:
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    result = ops.bincount(input, weights, minlength)
    if weights is None or not input._array.size:
        return result._to("int64")
    return result if weights._array.dtype.name == "float32" else result._to("float64")


# --- along an axis --------------------------------------------------------------------------------------------------


def _running(kind: Any, better: Any, input: Any, dim: int) -> Any:
    """The largest or smallest so far, and where the latest of them is."""
    axis = input._axis(dim)
    if not input._array.ndim:
        return kind(ops.copy(input), ops.zeros((), dtype="int64"))
    values = (ops.cummax if better is ops.greater_equal else ops.cummin)(input, axis=axis)
    count = input._array.shape[axis]
    shape = [1] * input._array.ndim
    shape[axis] = count
    at = ops.reshape(ops.arange(count, dtype="int64"), tuple(shape))
    reached = ops.equal(input, values)
    if input._array.dtype.kind == "f":
        reached = ops.logical_or(reached, ops.isnan(input))
    where = ops.cummax(ops.where(reached, at, 0), axis=axis)
    return kind(values._to(input.dtype), where)


def cummax(input, dim, *, out=None):
    return _running(_CUMMAX, ops.greater_equal, input, dim)


def cummin(input, dim, *, out=None):
    return _running(_CUMMIN, ops.less_equal, input, dim)


def diff(input, n=1, dim=-1, prepend=None, append=None, *, out=None):
    if not input._array.ndim:
        raise RuntimeError("diff expects input to be at least one-dimensional")
    if n == 0:  # PyTorch joins nothing then
        return ops.asarray(input, copy=True)
    if input._array.dtype.kind != "b":
        return ops.diff(input, axis=dim, n=n, prepend=prepend, append=append)
    parts = [x for x in (prepend, input, append) if x is not None]
    x = ops.concat(parts, axis=dim) if len(parts) > 1 else input
    axis = x._axis(dim)
    for _ in range(n):
        key = (slice(None),) * axis
        x = ops.bitwise_xor(x[(*key, slice(1, None))], x[(*key, slice(None, -1))])
    return x


def gradient(input, *, spacing=1, dim=None, edge_order=1):
    axes = None if dim is None else _tuple(dim)
    count = input._array.ndim if axes is None else len(axes)
    if input._array.dtype.name in ("bool", "uint8"):
        raise RuntimeError(f"torch.gradient does not support {input.dtype} input.")
    spacing = 1 if spacing is None else spacing
    steps = list(spacing) if isinstance(spacing, (list, tuple)) else [spacing] * count
    result = ops.gradient(_floating(input), *steps, axis=axes, edge_order=edge_order)
    return tuple(result) if isinstance(result, (list, tuple)) else (result,)


def trapezoid(y, x=None, *, dx=1, dim=-1):
    if whole(y, x, dim):
        if x is None:
            ends = ops.multiply(ops.add(y.select(dim, 0), y.select(dim, -1)), 0.5)
            return ops.multiply(ops.subtract(ops.sum(y, axis=dim), ends), dx)
        return ops.divide(ops.sum(doubled_areas(y, x, dim), axis=dim), 2)
    return ops.trapezoid(y, axis=dim, dx=dx) if x is None else ops.trapezoid(y, _as_wide(x, y), axis=dim)


def cumulative_trapezoid(y, x=None, *, dx=1, dim=-1):
    if whole(y, x, dim):
        areas = ops.divide(ops.cumulative_sum(doubled_areas(y, x, dim), axis=dim), 2)
        return ops.multiply(areas, dx if x is None else 1)
    if x is None:
        return ops.cumulative_trapezoid(y, axis=dim, dx=dx)
    return ops.cumulative_trapezoid(y, _as_wide(x, y), axis=dim)


def _as_wide(x: Any, y: Any) -> Any:
    """The points of an integral, for each of several rows."""
    return x if x._array.ndim < 2 or x._array.ndim != y._array.ndim else ops.broadcast_to(x, y._array.shape)


# --- norms ----------------------------------------------------------------------------------------------------------


def norm(input, p="fro", dim=None, keepdim=False, out=None, dtype=None):
    if dtype is not None:
        input = input._to(dtype)
    if input._array.dtype.kind not in "fc":
        raise RuntimeError(f"norm: the input must be floating point or complex; got {input.dtype}")
    axes = _dims(dim)
    if p == "nuc":
        return ops.linalg.matrix_norm(input, ord="nuc", keepdims=keepdim)
    order = 2.0 if p in ("fro", None) else float(p)
    if axes is None:
        flat = ops.linalg.vector_norm(ops.reshape(input, (-1,)), ord=order)
        return ops.reshape(flat, (1,) * input._array.ndim) if keepdim else flat
    return ops.linalg.vector_norm(input, axis=axes, ord=order, keepdims=keepdim)


def renorm(input, p, dim, maxnorm, *, out=None):
    axes = tuple(i for i in range(input._array.ndim) if i != input._axis(dim))
    found = ops.linalg.vector_norm(input, axis=axes, ord=float(p), keepdims=True)
    factor = ops.where(ops.greater(found, maxnorm), ops.divide(maxnorm, ops.add(found, 1e-7)), 1.0)
    return ops.multiply(input, factor)


_scalars = (
    "all amax amin any argmax argmin count_nonzero cumprod cumsum log_softmax logcumsumexp logsumexp mean nanmean"
    " nansum norm prod softmax std std_mean sum var var_mean aminmax quantile nanquantile"
)
complete(globals(), scalars=_scalars)
