"""NumPy's universal functions on `Array`s, with their options and methods."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from ...backend import get, of
from ...core.dtypes import SCALARS
from ...core.registry import functions as lw
from .operands import LeftToNumPy, by_numpy, dtype_of_ours, operand, reduction, write

__all__ = ["array_ufunc"]

#: NumPy's universal functions that latticework has under the same name.
_SAME_NAME = """
    absolute add arccos arccosh arcsin arcsinh arctan arctan2 arctanh bitwise_and bitwise_or bitwise_xor ceil conjugate
    copysign cos cosh divide equal exp expm1 floor floor_divide greater greater_equal hypot invert isfinite isinf isnan
    left_shift less less_equal log log10 log1p log2 logaddexp logical_and logical_not logical_or logical_xor matmul
    maximum minimum multiply negative nextafter not_equal positive power reciprocal remainder right_shift sign signbit
    sin sinh sqrt square subtract tan tanh trunc vecdot
""".split()

#: Universal functions that have another name in latticework, or are two functions of it.
_OTHER_NAME = {"rint": "round", "divmod": ""}

#: Universal functions whose option `dtype` is not the dtype that their operands are cast to.
_OWN_DTYPE = frozenset(
    """
    absolute equal greater greater_equal isfinite isinf isnan less less_equal logical_and logical_not logical_or
    logical_xor not_equal signbit
""".split()
)

#: The functions for the methods `reduce` and `accumulate` of a universal function.
_REDUCED = {
    "add": "sum", "multiply": "prod", "maximum": "max", "minimum": "min", "logical_and": "all", "logical_or": "any",
}  # fmt: skip
_ACCUMULATED = {"add": "cumulative_sum", "multiply": "cumulative_prod"}


def array_ufunc(self: Any, ufunc: Any, method: str, *inputs: Any, **kw: Any) -> Any:
    """Answer NumPy's call of a universal function, or of one of its methods, with an `Array` among the operands.

    `np.add(x, 1)`, and `a + x` where `a` is a NumPy array or scalar. Options mean what they mean in NumPy. An operand
    of a class that has a hook of its own, as a pandas Series has, gets the turn.
    """
    call, name = _METHODS.get(method), _named().get(ufunc)
    if call is _call and name is not None and not kw:
        Array: Any = type(self)
        ndarray, plain = _plain(Array)
        if all(type(x) in plain or (type(x) is ndarray and x.ndim and x.dtype in plain) for x in inputs):
            return _ours(name)(*inputs)  # as operators come here: without a look at what else there may be
    if any(_has_a_hook(x) for x in inputs):
        return NotImplemented
    try:
        if call is not None and name is not None:
            return call(self, name, inputs, kw)
    except LeftToNumPy:
        pass
    return by_numpy(type(self), getattr(ufunc, method), inputs, kw, places=(0,) if method == "at" else ())


def _has_a_hook(x: Any) -> bool:
    theirs = getattr(type(x), "__array_ufunc__", None)
    return theirs is not None and theirs is not array_ufunc and of(x) is None


@cache
def _named() -> dict[Any, str]:
    """Map NumPy's universal functions that latticework answers to their names."""
    import numpy as np

    return {getattr(np, name): name for name in (*_SAME_NAME, *_OTHER_NAME)}


@cache
def _plain(Array: Any) -> tuple[Any, frozenset[Any]]:
    """Return NumPy's array class, and the operand types and NumPy dtypes that lw's functions take as they are."""
    import numpy as np

    dtypes = get("numpy").dtypes
    return np.ndarray, frozenset((Array, *SCALARS, *(d.type for d in dtypes), *dtypes))


@cache
def _ours(name: str) -> Callable[..., Any]:
    if name == "divmod":
        return lambda x1, x2: (lw.floor_divide(x1, x2), lw.remainder(x1, x2))
    found: Callable[..., Any] = getattr(lw, _OTHER_NAME.get(name, name))
    return found


def _call(self: Any, name: str, inputs: tuple[Any, ...], kw: dict[str, Any]) -> Any:
    """Answer `np.add(x, y)`, with `out`, `where` and `dtype`; and `vecdot` with `axis`."""
    operands = [operand(self, x) for x in inputs]
    if not kw:
        return _ours(name)(*operands)
    kw = {n: v for n, v in kw.items() if v is not None and n not in ("subok", "order")}
    out, where, dtype = kw.pop("out", None), kw.pop("where", True), dtype_of_ours(kw.pop("dtype", None))
    if kw.pop("casting", "same_kind") != "same_kind" or not kw.keys() <= ({"axis"} if name == "vecdot" else set()):
        raise LeftToNumPy
    if out is not None and any(o is not None and type(o) is not type(self) for o in out):
        raise LeftToNumPy
    if dtype is not None:
        if name in _OWN_DTYPE:
            raise LeftToNumPy
        operands = [lw.astype(lw.asarray(x), dtype) if hasattr(x, "dtype") else x for x in operands]
    result = _ours(name)(*operands, **kw)
    if out is None:
        return result  # what NumPy gives where `where` is False is undefined
    results = result if isinstance(result, tuple) else (result,)
    written = [r if o is None else write(o, r, where) for o, r in zip(out, results, strict=True)]
    return tuple(written) if isinstance(result, tuple) else written[0]


def _reduce(self: Any, name: str, inputs: tuple[Any, ...], kw: dict[str, Any]) -> Any:
    """Answer `np.add.reduce(x, axis=0)`."""
    return _along_axis(self, _REDUCED, name, inputs, ("axis", "dtype", "out", "keepdims", "initial", "where"), kw)


def _accumulate(self: Any, name: str, inputs: tuple[Any, ...], kw: dict[str, Any]) -> Any:
    """Answer `np.add.accumulate(x, axis=0)`."""
    return _along_axis(self, _ACCUMULATED, name, inputs, ("axis", "dtype", "out"), kw)


def _along_axis(
    self: Any, table: dict[str, str], name: str, inputs: tuple[Any, ...], names: tuple[str, ...], kw: dict[str, Any]
) -> Any:
    if name not in table or type(inputs[0]) is not type(self):
        raise LeftToNumPy
    options = {"axis": 0, **kw, **dict(zip(names, inputs[1:], strict=False))}
    if isinstance(options.get("out"), tuple):
        (options["out"],) = options["out"]
    options = {n: v for n, v in options.items() if n == "axis" or v is not None}
    if "dtype" in options:
        if table[name] not in ("sum", "prod", *_ACCUMULATED.values()):
            raise LeftToNumPy
        options["dtype"] = dtype_of_ours(options["dtype"])
    return reduction(table[name], inputs[0], options)


def _outer(self: Any, name: str, inputs: tuple[Any, ...], kw: dict[str, Any]) -> Any:
    """Answer `np.add.outer(x, y)`: every element of x with every element of y."""
    x, y = (lw.asarray(operand(self, v), backend=self.backend) for v in inputs)
    return _call(self, name, (lw.reshape(x, (*x.shape, *(1,) * y.ndim)), y), kw)


_METHODS: dict[str, Callable[..., Any]] = {
    "__call__": _call, "reduce": _reduce, "accumulate": _accumulate, "outer": _outer
}  # fmt: skip
