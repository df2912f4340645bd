"""Apply functions along axes, and to single elements; what NumPy writes with square brackets; texts of arrays."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

import latticework as lw

from ..core import as_array, dialect, ops
from .creation import _ranged, asarray
from .shaping import _atleast, concatenate

__all__ = ["c_", "index_exp", "printoptions", "r_", "s_"]


def apply_along_axis(func1d: Any, axis: int, arr: Any, *args: Any, **kwargs: Any) -> Any:
    from .. import transformations

    arr = as_array(arr, "apply_along_axis")
    axis = operator.index(axis) % arr.ndim
    moved = ops.moveaxis(arr, axis, -1)
    lead = moved.shape[:-1]
    flat = ops.reshape(moved, (-1, moved.shape[-1]))
    found = transformations.vmap(lambda x: as_array(func1d(x, *args, **kwargs)))(flat)
    extra = found.ndim - 1
    found = ops.reshape(found, (*lead, *found.shape[1:]))
    for k in range(extra):
        found = ops.moveaxis(found, len(lead) + k, axis + k)
    return found


def apply_over_axes(func: Any, a: Any, axes: Any) -> Any:
    a = as_array(a, "apply_over_axes")
    for axis in axes if isinstance(axes, (tuple, list)) else (axes,):
        b = func(a, axis=axis)
        if b.ndim == a.ndim - 1:
            b = ops.expand_dims(b, axis)
        elif b.ndim != a.ndim:
            raise ValueError("function is not returning an array of the correct shape")
        a = b
    return a


def vectorize(pyfunc: Any, *, excluded: Any = frozenset(), signature: str | None = None) -> Any:
    if any(not isinstance(n, (str, int)) for n in excluded):
        raise TypeError(f"jax.numpy.vectorize can only exclude integer or string arguments, but excluded={excluded!r}")

    @wraps(pyfunc)
    def call(*args: Any, **kwargs: Any) -> Any:
        kept = {i for i in excluded if isinstance(i, int)}
        named = {k: v for k, v in kwargs.items() if k not in excluded}
        if named:
            raise NotImplementedError("vectorize: arguments by name are those that are excluded")
        places = [i for i in range(len(args)) if i not in kept]

        def f(*mapped: Any) -> Any:
            full = list(args)
            for i, x in zip(places, mapped, strict=True):
                full[i] = x
            return pyfunc(*full, **kwargs)

        arrays = [as_array(args[i], "vectorize") for i in places]
        return _vectorized(f, arrays, signature)

    return call


def _vectorized(f: Callable[..., Any], arrays: list[Any], signature: str | None) -> Any:
    from .. import transformations

    cores = [0] * len(arrays)
    if signature is not None:
        if "->" not in signature:
            raise ValueError(f"not a valid gufunc signature: {signature}")
        inputs = signature.replace(" ", "").split("->")[0]
        parts = inputs[1:-1].split("),(")
        cores = [len([n for n in part.split(",") if n]) for part in parts]
        if len(cores) != len(arrays):
            raise TypeError(f"wrong number of positional arguments: expected {len(cores)}, got {len(arrays)}")
        for x, n in zip(arrays, cores, strict=True):
            if x.ndim < n:
                raise ValueError(
                    f"input with shape {x.shape} does not have enough dimensions for signature {signature}"
                )
    leading = [x.shape[: x.ndim - n] for x, n in zip(arrays, cores, strict=True)]
    shape = lw.broadcast_shapes(*leading)
    if not shape:
        return f(*arrays)
    flat = [
        ops.reshape(ops.broadcast_to(x, (*shape, *x.shape[x.ndim - n :])), (-1, *x.shape[x.ndim - n :]))
        for x, n in zip(arrays, cores, strict=True)
    ]
    found = transformations.vmap(f)(*flat)
    one = lambda y: ops.reshape(y, (*shape, *y.shape[1:]))  # noqa: E731
    return tuple(one(y) for y in found) if isinstance(found, tuple) else one(found)


def frompyfunc(func: Any, /, nin: int, nout: int, *, identity: Any = None) -> Any:
    from .ufuncs import give_ufunc_methods

    del nout

    @wraps(func)
    def call(*args: Any) -> Any:
        if len(args) != nin:
            raise TypeError(f"expected {nin} arguments, got {len(args)}")
        arrays = [as_array(x) for x in args]
        return _vectorized(func, arrays, None)

    if nin == 2:
        give_ufunc_methods(getattr(func, "__name__", "function"), call, None, identity)
    return call


# --- square brackets ------------------------------------------------------------------------------------------------

s_ = np.s_
index_exp = np.index_exp


class _Joined:
    """``r_[1:3, 0]``: ranges and values in a row, or side by side."""

    def __init__(self, axis: int, ndmin: int, trans1d: int) -> None:
        self.axis, self.ndmin, self.trans1d = axis, ndmin, trans1d

    def __getitem__(self, key: Any) -> Any:
        keys = key if isinstance(key, tuple) else (key,)
        axis, ndmin, trans1d = self.axis, self.ndmin, self.trans1d
        if isinstance(keys[0], str):
            if keys[0] in ("r", "c"):
                raise NotImplementedError("r_ and c_ of text 'r' or 'c' are not there in this dialect")
            numbers = [int(n) for n in keys[0].split(",")]
            axis, ndmin, trans1d = (numbers + [ndmin, trans1d][len(numbers) - 1 :])[:3]
            keys = keys[1:]
        parts = []
        for k in keys:
            x = _ranged(k) if isinstance(k, slice) else asarray(k)
            rank = x.ndim
            x = _atleast("atleast_1d", 1, (x,))
            if x.ndim < ndmin:
                missing = ndmin - x.ndim
                x = ops.reshape(x, (1,) * missing + x.shape)
                if trans1d != -1 and rank < ndmin:
                    order = [*range(missing, ndmin)]
                    place = trans1d % ndmin
                    rest = [*range(missing)]
                    x = ops.permute_dims(x, tuple(rest[:place] + order + rest[place:]))
            parts.append(x)
        return concatenate(parts, axis)


r_, c_ = _Joined(0, 1, -1), _Joined(-1, 2, 0)

# --- texts ----------------------------------------------------------------------------------------------------------

printoptions = np.printoptions


def array_repr(
    arr: Any, max_line_width: int | None = None, precision: int | None = None, suppress_small: bool | None = None
) -> str:
    with np.printoptions(
        **{k: v for k, v in (("precision", precision), ("suppress", suppress_small)) if v is not None}
    ):
        return repr(as_array(arr))


def array_str(
    a: Any, max_line_width: int | None = None, precision: int | None = None, suppress_small: bool | None = None
) -> str:
    return np.array_str(np.asarray(as_array(a)), max_line_width, precision, suppress_small)


def load(file: Any, *args: Any, **kwargs: Any) -> Any:
    found = np.load(file, *args, **kwargs)
    if not isinstance(found, np.ndarray):
        return found  # several arrays by name
    if found.dtype == np.dtype("V2"):  # the file of an array of bfloat16 does not say so
        import ml_dtypes

        found = found.view(ml_dtypes.bfloat16)
    return asarray(found)


dialect.finish(globals(), view="jax.numpy")
