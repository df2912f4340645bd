"""Calls of latticework's functions by `tf.experimental.numpy`: under NumPy's promotion, on the same tensors."""

from __future__ import annotations

from typing import Any

from .. import behaviour, dtypes
from ..arguments import extents, number
from ..errors import translated_of_numpy
from ..taping import TensorFlow
from ..tensor import OF_SEQUENCES, Tensor, as_tensor, watchful

__all__ = ["asarray", "axis_of", "dtype_of", "floating", "named", "nops", "numpy_dialect", "pair", "sizes"]


def _operand(x: Any, beside: Any) -> Any:
    return asarray(x)


#: The dialect of the same tensors under NumPy's promotion.
numpy_dialect = TensorFlow(_operand, "tensorflow.experimental.numpy", "tensorflow-numpy", translated_of_numpy)
numpy_dialect.array, numpy_dialect.wrapped = Tensor, Tensor.dialect.wrapped
numpy_dialect.with_dtypes(dtypes.DTYPES)
nops = numpy_dialect.ops


for _function in OF_SEQUENCES.split():
    setattr(nops, _function, watchful(numpy_dialect, _function))


def dtype_of(dtype: Any) -> dtypes.DType:
    """A dtype as NumPy means it: ``float`` is float64, and float32 where that is preferred."""
    import numpy as np

    if isinstance(dtype, dtypes.DType):
        return dtype
    if dtype in (float, int, complex):
        narrow = behaviour.prefer_float32()
        return {float: dtypes.float32 if narrow else dtypes.float64, int: dtypes.int32 if narrow else dtypes.int64,
                complex: dtypes.complex64 if narrow else dtypes.complex128}[dtype]  # fmt: skip
    return dtypes.as_dtype(np.dtype(dtype).name)


def asarray(x: Any, dtype: Any = None) -> Any:
    """A tensor of a value, with NumPy's default dtypes for Python's numbers."""
    from ..conversion import cast

    wanted = None if dtype is None else dtype_of(dtype)
    if isinstance(x, Tensor) or hasattr(x, "_read") or hasattr(x, "dtype"):
        found = as_tensor(x)
    else:
        found = as_tensor(x)
        default = {"float32": float, "int32": int, "complex128": complex}.get(found.dtype.name)
        if wanted is None and default is not None and not _held(x):
            found = as_tensor(x, dtype_of(default)) if default is not complex else cast(found, dtype_of(default))
    return found if wanted is None else cast(found, wanted)


def _held(x: Any) -> bool:
    """Return whether a sequence contains tensors, which have a dtype of their own."""
    return isinstance(x, (list, tuple)) and any(hasattr(v, "dtype") or _held(v) for v in x)


def pair(x1: Any, x2: Any) -> tuple[Any, Any]:
    """Two operands: a Python number beside a tensor stays as it is, and gives way."""
    plain = (bool, int, float, complex)
    if isinstance(x1, Tensor):
        return x1, (x2 if type(x2) in plain else asarray(x2))
    if isinstance(x2, Tensor):
        return (x1 if type(x1) in plain else asarray(x1)), x2
    return asarray(x1), asarray(x2)


def axis_of(axis: Any) -> Any:
    """Axes as Python ints."""
    return tuple([number(n) for n in axis]) if isinstance(axis, (list, tuple)) else number(axis)


def sizes(shape: Any) -> tuple[int, ...]:
    """A shape as Python ints."""
    return extents(shape)


def named(f: Any, a: Any, axis: Any, keepdims: Any, **options: Any) -> Any:
    """A reduction of a value."""
    a = asarray(a)
    if axis is None and not keepdims and not options:
        return _narrowed(f(a), a)
    return _narrowed(f(a, axis=axis_of(axis), keepdims=bool(keepdims), **options), a)


def _narrowed(found: Any, a: Any) -> Any:
    """A result that became 64 bits wide, in 32 where these are preferred."""
    wide = {"int64": "int32", "uint64": "uint32", "float64": "float32"}
    if not behaviour.prefer_float32() or a.dtype.size == 8 or found.dtype.name not in wide:
        return found
    return nops.astype(found, wide[found.dtype.name])


def floating(x: Any) -> Any:
    """A tensor of floats or complex numbers: integers become the default float."""
    x = asarray(x)
    return x if x._array.dtype.kind in "fc" else asarray(x, float)
