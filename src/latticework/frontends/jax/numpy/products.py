"""Products of vectors and matrices, convolutions, covariances."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

import latticework as lw

from ..core import as_array, dialect, ops, our_dtype
from ..scalars import above
from .data_types import float_of, result_type


def _preferred(found: Any, dtype: Any) -> Any:
    return found if dtype is None else ops.astype(found, our_dtype(dtype))


def preferring(f: Any, a: Any, b: Any, dtype: Any) -> Any:
    """A product of operands that are cast first to the dtype that is preferred for it."""
    if dtype is None:
        return f(a, b)
    dtype = our_dtype(dtype)
    of = our_dtype(result_type(a, b))
    if dtype.kind in "biu" and of.kind in "iufc" and dtype.bits < of.bits and (dtype.kind == "b" or of.kind in "iu"):
        raise TypeError(f"`preferred_element_type` must not be narrower than the dtype {of}; got {dtype}")
    narrow = dtype.kind in "fc" and a.dtype.kind != "c" and b.dtype.kind != "c"
    return f(ops.astype(a, dtype), ops.astype(b, dtype)) if narrow else above.cast(f(a, b), dtype)


def matmul(
    a: Any, b: Any, *, precision: Any = None, preferred_element_type: Any = None, out_sharding: Any = None
) -> Any:
    a, b = as_array(a, "matmul"), as_array(b, "matmul")
    if not a.ndim or not b.ndim:
        raise ValueError("matmul input operand must have ndim at least 1, but it has ndim 0")
    return preferring(ops.matmul, a, b, preferred_element_type)


def dot(a: Any, b: Any, *, precision: Any = None, preferred_element_type: Any = None, out_sharding: Any = None) -> Any:
    if type(a) is not dialect.array or type(b) is not dialect.array:
        a, b = as_array(a, "dot"), as_array(b, "dot")
    if preferred_element_type is None and 0 < a.ndim < 3 and 0 < b.ndim < 3:
        return ops.matmul(a, b)
    return preferring(_dot, a, b, preferred_element_type)


def _dot(a: Any, b: Any) -> Any:
    if not a.ndim or not b.ndim:
        return ops.tensordot(a, b, 0)
    if a.ndim == 1 and b.ndim == 1:
        return ops.matmul(a, b)
    return ops.tensordot(a, b, ((a.ndim - 1,), (max(b.ndim - 2, 0),)))


def vdot(a: Any, b: Any, *, precision: Any = None, preferred_element_type: Any = None) -> Any:
    a, b = ops.reshape(as_array(a, "vdot"), (-1,)), ops.reshape(as_array(b, "vdot"), (-1,))
    return preferring(_dot, ops.conj(a) if a.dtype.kind == "c" else a, b, preferred_element_type)


def inner(a: Any, b: Any, *, precision: Any = None, preferred_element_type: Any = None) -> Any:
    a, b = as_array(a, "inner"), as_array(b, "inner")

    if not a.ndim or not b.ndim:
        return _preferred(ops.multiply(a, b), preferred_element_type)

    def product(a: Any, b: Any) -> Any:
        return ops.tensordot(a, b, ((-1,), (-1,)))

    return preferring(product, a, b, preferred_element_type)


def vecdot(x1: Any, x2: Any, /, *, axis: int = -1, precision: Any = None, preferred_element_type: Any = None) -> Any:
    x1, x2 = as_array(x1, "vecdot"), as_array(x2, "vecdot")
    if not x1.ndim or not x2.ndim:
        raise ValueError("vecdot requires arrays of at least one axis")
    if x1.shape[axis] != x2.shape[axis]:
        raise ValueError(f"axes must match; got shapes {x1.shape} and {x2.shape} with axis={axis}")
    last = [ops.moveaxis(x, axis, -1) for x in (x1, x2)] if axis >= 0 else [x1, x2]
    end = -1 if axis >= 0 else axis
    return preferring(lambda a, b: ops.vecdot(a, b, axis=end), last[0], last[1], preferred_element_type)


def matvec(x1: Any, x2: Any, /) -> Any:
    x1, x2 = as_array(x1, "matvec"), as_array(x2, "matvec")
    if x1.ndim < 2 or not x2.ndim or x1.shape[-1] != x2.shape[-1]:
        raise ValueError(f"matvec: shapes {x1.shape} and {x2.shape} do not fit (n,m),(m)->(n)")
    return ops.squeeze(ops.matmul(x1, ops.expand_dims(x2, -1)), -1)


def vecmat(x1: Any, x2: Any, /) -> Any:
    x1, x2 = as_array(x1, "vecmat"), as_array(x2, "vecmat")
    if x2.ndim < 2 or not x1.ndim or x1.shape[-1] != x2.shape[-2]:
        raise ValueError(f"vecmat: shapes {x1.shape} and {x2.shape} do not fit (n),(n,m)->(m)")
    x1 = ops.conj(x1) if x1.dtype.kind == "c" else x1
    return ops.squeeze(ops.matmul(ops.expand_dims(x1, -2), x2), -2)


def tensordot(
    a: Any,
    b: Any,
    axes: Any = 2,
    *,
    precision: Any = None,
    preferred_element_type: Any = None,
    out_sharding: Any = None,
) -> Any:
    a, b = as_array(a, "tensordot"), as_array(b, "tensordot")
    if isinstance(axes, int) and axes > min(a.ndim, b.ndim):
        raise TypeError(f"tensordot: axes={axes} is more than the dimensions of {a.shape} or {b.shape}")
    if isinstance(axes, str) or (not isinstance(axes, int) and any(isinstance(x, str) for x in axes)):
        raise TypeError(f"tensordot: axes is an int, or two ints or lists of them; got {axes!r}")
    axes = (
        tuple(tuple(x) if isinstance(x, (list, tuple)) else (x,) for x in axes) if not isinstance(axes, int) else axes
    )
    if isinstance(axes, tuple) and len(axes) == 2 and len(axes[0]) != len(axes[1]):
        raise TypeError(f"tensordot: takes as many axes of each operand; got {axes!r}")
    return preferring(lambda x, y: ops.tensordot(x, y, axes), a, b, preferred_element_type)


def outer(a: Any, b: Any, out: None = None) -> Any:
    if out is not None:
        raise NotImplementedError("The 'out' argument to jnp.outer is not supported.")
    a, b = as_array(a, "outer"), as_array(b, "outer")
    return ops.multiply(ops.reshape(a, (-1, 1)), ops.reshape(b, (1, -1)))


def kron(a: Any, b: Any) -> Any:
    a, b = as_array(a, "kron"), as_array(b, "kron")
    n = max(a.ndim, b.ndim)
    if a.dtype.kind == b.dtype.kind == "b":
        raise TypeError("kron takes no two arrays of bools")
    a, b = (ops.reshape(x, (1,) * (n - x.ndim) + x.shape) for x in (a, b))
    wide_a = ops.reshape(a, tuple(m for n in a.shape for m in (n, 1)))
    wide_b = ops.reshape(b, tuple(m for n in b.shape for m in (1, n)))
    return ops.reshape(ops.multiply(wide_a, wide_b), tuple(p * q for p, q in zip(a.shape, b.shape, strict=True)))


def _place(axis: Any) -> Any:
    """An axis, also one that is a bool."""
    return int(axis) if isinstance(axis, bool) else axis


def cross(a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None) -> Any:
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = as_array(a, "cross"), as_array(b, "cross")
    a, b = ops.moveaxis(a, _place(axisa), -1), ops.moveaxis(b, _place(axisb), -1)
    if a.shape[-1] not in (2, 3) or b.shape[-1] not in (2, 3):
        raise ValueError("Dimension must be either 2 or 3 for cross product")
    if a.shape[-1] == b.shape[-1] == 2:
        return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    a, b = (x if x.shape[-1] == 3 else ops.concat([x, ops.zeros_like(x[..., :1])], -1) for x in (a, b))
    a, b = ops.broadcast_arrays(a, b)
    return ops.moveaxis(ops.linalg.cross(a, b), -1, axisc)


def trace(a: Any, offset: Any = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: None = None) -> Any:
    if out is not None:
        raise NotImplementedError("The 'out' argument to jnp.trace is not supported.")
    a = as_array(a, "trace")
    if a.ndim < 2:
        raise ValueError("trace requires an array of at least two dimensions.")
    from .reductions import sum as sum_of

    return sum_of(ops.diagonal(a, operator.index(offset), axis1, axis2), axis=-1, dtype=dtype)


# --- einsum ---------------------------------------------------------------------------------------------------------


def _given(subscripts: Any, operands: tuple[Any, ...]) -> tuple[str, list[Any]]:
    """The text and the arrays, also where each array comes with a list of numbers."""
    if isinstance(subscripts, str):
        return subscripts, [as_array(x, "einsum") for x in operands]
    pairs = (subscripts, *operands)
    arrays, lists = list(pairs[0 : len(pairs) // 2 * 2 : 2]), list(pairs[1::2])
    out = pairs[-1] if len(pairs) % 2 else None
    name = lambda axes: "".join("..." if n is Ellipsis else chr(97 + n) for n in axes)  # noqa: E731
    text = ",".join(name(axes) for axes in lists)
    return text if out is None else f"{text}->{name(out)}", [as_array(x, "einsum") for x in arrays]


def einsum(
    subscripts: Any, /, *operands: Any, out: None = None, optimize: Any = "auto", precision: Any = None,
    preferred_element_type: Any = None, _dot_general: Any = object(), out_sharding: Any = None,  # noqa: B008
) -> Any:  # fmt: skip
    if out is not None:
        raise NotImplementedError("The 'out' argument to jnp.einsum is not supported.")
    text, arrays = _given(subscripts, operands)
    if not arrays:
        raise ValueError("einsum needs operands")
    dtype = our_dtype(result_type(*arrays) if preferred_element_type is None else preferred_element_type)
    weak = preferred_element_type is None and all(x.weak_type for x in arrays)
    if dtype.kind == "b":  # sums of products are whether any is true
        return ops.not_equal(ops.einsum(text, *[ops.astype(x, lw.int32) for x in arrays]), 0)
    found = ops.einsum(text, *[ops.astype(x, dtype) for x in arrays])
    if weak:
        from .creation import _weakened

        return _weakened(found)
    return found


def einsum_path(subscripts: Any, /, *operands: Any, optimize: Any = "auto") -> Any:
    text, arrays = _given(subscripts, operands)
    plain = [np.broadcast_to(np.zeros((), "float32"), x.shape) for x in arrays]
    return np.einsum_path(text, *plain, optimize="greedy" if optimize in (True, "auto") else optimize)


# --- convolutions and covariances -----------------------------------------------------------------------------------


def _convolution(name: str, a: Any, v: Any, mode: str, dtype: Any) -> Any:
    a, v = as_array(a, name), as_array(v, name)
    if a.ndim != 1 or v.ndim != 1:
        raise ValueError(f"{name}() only support 1-dimensional inputs.")
    if not a.size or not v.size:
        raise ValueError(f"{name}: inputs cannot be empty, got shapes {a.shape} and {v.shape}.")
    if mode not in ("full", "same", "valid"):
        raise ValueError("mode must be one of ['full', 'same', 'valid']")
    wide = our_dtype(float_of(a, v))
    a, v = ops.astype(a, wide), ops.astype(v, wide)
    found = getattr(ops, name)(a, v, mode)
    return _preferred(found, dtype)


def convolve(a: Any, v: Any, mode: str = "full", *, precision: Any = None, preferred_element_type: Any = None) -> Any:
    return _convolution("convolve", a, v, mode, preferred_element_type)


def correlate(a: Any, v: Any, mode: str = "valid", *, precision: Any = None, preferred_element_type: Any = None) -> Any:
    return _convolution("correlate", a, v, mode, preferred_element_type)


def cov(
    m: Any, y: Any = None, rowvar: bool = True, bias: bool = False, ddof: int | None = None, fweights: Any = None,
    aweights: Any = None, dtype: Any = None,
) -> Any:  # fmt: skip
    m = as_array(m, "cov")
    if dtype is not None and our_dtype(dtype).kind not in "fc":
        raise ValueError(f"cov: dtype must be one of floats or complex numbers; got {dtype}")
    wide = our_dtype(float_of(*[x for x in (m, y) if x is not None])) if dtype is None else our_dtype(dtype)
    if m.ndim > 2:
        raise ValueError("m has more than 2 dimensions")
    more = {name: as_array(w) for name, w in (("fweights", fweights), ("aweights", aweights)) if w is not None}
    correction = (0 if bias else 1) if ddof is None else ddof
    y = None if y is None else ops.astype(as_array(y), wide)
    return ops.cov(ops.astype(m, wide), y, rowvar, correction=correction, **more)


def corrcoef(x: Any, y: Any = None, rowvar: bool = True, dtype: Any = None) -> Any:
    if dtype is not None and our_dtype(dtype).kind not in "fc":
        raise ValueError(f"corrcoef: dtype must be one of floats or complex numbers; got {dtype}")
    c = cov(x, y, rowvar, dtype=dtype)
    if not c.ndim:
        return ops.divide(c, c)
    root = ops.sqrt(ops.real(ops.diag(c)) if c.dtype.kind == "c" else ops.diag(c))
    c = c / root[:, None] / root[None, :]
    if c.dtype.kind == "c":
        return ops.clip(ops.real(c), -1, 1) + ops.clip(ops.imag(c), -1, 1) * 1j
    return ops.clip(c, -1, 1)


dialect.finish(globals(), view="jax.numpy", helpers="preferring")
