"""NumPy's dialect itself: its rules, dtypes and errors, and how it makes arrays of what NumPy takes for arrays."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import update_wrapper
from typing import TYPE_CHECKING, Any

import ml_dtypes
import numpy

import latticework as lw

from ...core.dtypes import SCALARS, Dtype, complex128, float64, int64
from ...engine.arrays.array import Array
from ...errors import AxisError, BackendError, NoDataError, PromotionError
from ...policy import current
from ..dialect import Dialect
from .staying import StayingArrays

if TYPE_CHECKING:
    from ...engine.op import Op

__all__ = [
    "NO_VALUE", "as_array", "cast", "dialect", "dtype_or_none", "fitting", "is_array", "known", "native", "of_numpy",
    "on_values", "ops",
    "scalar", "shape_of", "staying", "tells", "to_numpy",
]  # fmt: skip

#: The default of options that NumPy tells apart from None.
NO_VALUE: Any = numpy._NoValue


class UFuncTypeError(TypeError):
    """A universal function cannot cast an operand or its result to the dtype that it needs."""


def _errors(error: Exception, name: str) -> Exception:
    """Return NumPy's error for an error of latticework; the text says which rule decided."""
    if isinstance(error, BackendError) and not isinstance(error, PromotionError):
        return error
    if isinstance(error, PromotionError):
        if "have no common dtype" in str(error):
            return numpy.exceptions.DTypePromotionError(str(error))
        no_loop = name in ("positive", "sign", "gcd", "lcm") or "does not go into" in str(error)
        return (UFuncTypeError if no_loop else TypeError)(str(error))
    if isinstance(error, AxisError):
        return numpy.exceptions.AxisError(str(error))
    square = name.startswith("linalg.") and type(error) is ValueError and "square" in str(error)
    return numpy.linalg.LinAlgError(str(error)) if square else error


def _operand(x: Any, beside: Any) -> Any:
    """Convert the second operand of an operator to an array, also a sequence, as NumPy does."""
    if isinstance(x, (list, tuple, numpy.ndarray, numpy.generic)):
        return as_array(x)
    return NotImplemented


class NumPyDialect(Dialect):
    """NumPy's dialect: sequences stand for arrays wherever an array is meant."""

    array: Any

    def dtype_of(self, dtype: Any) -> Any:
        """Return latticework's dtype of anything that NumPy takes for a dtype."""
        try:
            return _OF_TYPES[dtype]
        except (KeyError, TypeError):  # or it has no hash
            pass
        if isinstance(dtype, Dtype):
            return dtype
        theirs = numpy.dtype(dtype)
        found = self._ours.get(theirs if theirs.isnative else theirs.newbyteorder("="))
        if found is None:
            raise TypeError(
                f"dtype: {theirs} is none of an array's dtypes here. They are bool, integers, floats and complex "
                f"numbers; strings, dates, objects and records are not arrays of a framework"
            )
        return found

    def operated(self, kernels: Any, x1: Any, x2: Any, reflected: bool = False) -> Any:
        """Like `Dialect.operated`. Beside an array that stays NumPy's own, NumPy computes."""
        try:
            found = super().operated(kernels, x1, x2, reflected)
        except TypeError:
            if not staying.becomes(x2):
                raise
            found = NotImplemented
        if found is not NotImplemented or not staying.becomes(x2):
            return found
        return staying.computed(kernels.op.name, *((x2, x1) if reflected else (x1, x2)))

    def body(self, f: Callable[..., Any], module: str) -> Callable[..., Any]:
        """Return a function that leaves to NumPy the arrays that stay its own, see `StayingArrays`."""
        return staying.left(f, module)

    def operands(self, o: Op, args: tuple[Any, ...], kw: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Make arrays of the lists that stand for operands."""
        if o.sequence and not o.spread:
            if args and isinstance(args[0], (list, tuple)):
                args = ([as_array(x) for x in args[0]], *args[1:])
            return args, kw
        count = len(args) if o.sequence else len(o.operands)
        given = args[:count]
        if current().backend != "numpy":
            # NumPy's arrays are computed where arrays are made; so are its scalars, if no array is beside them
            alone = not any(type(x) is self.array for x in given)
            theirs = (numpy.ndarray, numpy.generic) if alone else numpy.ndarray
            given = tuple([as_array(x) if isinstance(x, theirs) else x for x in given])
        args = (*[_argument(x) for x in given], *args[count:])
        names = (*o.optional, *o.array_options)
        return args, {n: _argument(x) if n in names else x for n, x in kw.items()}


def _argument(x: Any) -> Any:
    return as_array(x) if isinstance(x, (list, tuple)) or staying.of_subclass(x) else x


dialect = NumPyDialect("numpy", "numpy", errors=_errors, operand=_operand)
_DTYPES = """
    bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128
""".split()
dialect.with_dtypes({getattr(lw, name): numpy.dtype(name) for name in _DTYPES})
dialect.with_dtypes({lw.bfloat16: numpy.dtype(ml_dtypes.bfloat16)})
ops = dialect.ops

#: Latticework's dtypes of NumPy's and Python's scalar types.
_OF_TYPES: dict[Any, Dtype] = {
    **{numpy.dtype(name).type: getattr(lw, name) for name in _DTYPES},
    bool: lw.bool, int: int64, float: float64, complex: complex128,
}  # fmt: skip

#: NumPy's dtypes of Python's numbers.
dialect.numbers = lambda: {float: float64, int: int64}


def is_array(x: Any) -> bool:
    """Return whether x is an array of the dialect."""
    return type(x) is dialect.array


def native(dtype: Any) -> Any:
    """Return NumPy's dtype object of a latticework dtype."""
    return dialect.dtypes[dtype]


def dtype_or_none(dtype: Any) -> Any:
    """Return latticework's dtype of the argument `dtype`, or None where it is not given."""
    return None if dtype is None else dialect.dtype_of(dtype)


def to_numpy(x: Any) -> Any:
    """A tree whose arrays of the dialect are arrays of NumPy."""
    if type(x) is dialect.array:
        return x._array.compute().to_numpy()
    if type(x) in (list, tuple):
        return type(x)([to_numpy(v) for v in x])
    if type(x) is dict:
        return {n: to_numpy(v) for n, v in x.items()}
    return x


def on_values(real: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a function of NumPy's, so that it gets the values of arrays of the dialect, brought to this machine."""

    def call(*args: Any, **kw: Any) -> Any:
        return real(*to_numpy(args), **to_numpy(kw))

    return update_wrapper(call, real)


def of_numpy(x: Any) -> Any:
    """A tree whose arrays of NumPy are arrays of the dialect, on the backend in force."""
    if type(x) is numpy.ndarray:
        return ops.asarray(x) if x.dtype in dialect._ours else x
    if type(x) in (list, tuple):
        return type(x)([of_numpy(v) for v in x])
    if isinstance(x, tuple) and hasattr(x, "_fields"):
        return type(x)(*[of_numpy(v) for v in x])
    return x


#: Tells the arrays that stay NumPy's own.
staying = StayingArrays(dialect._ours, to_numpy, of_numpy)


def as_array(x: Any, dtype: Any = None) -> Any:
    """An array of the dialect of anything that NumPy takes for an array; itself if it is one, of that dtype."""
    if type(x) is dialect.array:
        return x if dtype is None else cast(x, dtype, copy=False)
    if type(x) is Array:
        return as_array(dialect.wrapped(x), dtype)
    if type(x) is list and dtype is None:
        found = dialect.of_numbers(x)
        if found is not None:
            return found
    if staying.of_subclass(x):
        raise TypeError(
            f"{type(x).__name__}: an array of a subclass stays NumPy's own, and functions that meet one are NumPy's. "
            f"Make an array of its values: np.asarray(numpy.asarray(x))"
        )
    if isinstance(x, (list, tuple)) and _holds_arrays(x):
        return _stacked(x, dtype)
    if dialect.is_foreign and dtype is None and isinstance(x, (list, tuple, *SCALARS)):
        return ops.asarray(x)  # the rules say of which dtype
    values = numpy.asarray(x, dtype=None if dtype is None else native(dialect.dtype_of(dtype)))
    return ops.asarray(values, dtype=dialect.dtype_of(values.dtype))


def cast(x: Any, dtype: Any, copy: bool = True) -> Any:
    """An array of the dialect cast without a check, as NumPy casts it: imaginary parts are dropped."""
    dtype = dialect.dtype_of(dtype)
    if x._array.dtype.kind == "c" and dtype.kind in "iuf":
        x = ops.real(x)
    return ops.astype(x, dtype, copy=copy)


def fitting(value: Any, dtype: Any) -> Any:
    """Convert a value to write into an `lw.Array` of a dtype: to an array of it, or a Python scalar of its kind."""
    if type(value) in SCALARS:
        return _KINDS[dtype.kind](value)
    return as_array(value, dtype)._array


_KINDS: dict[str, Any] = {"b": bool, "i": int, "u": int, "f": float, "c": complex}


def _holds_arrays(x: Any) -> bool:
    kinds = (dialect.array, Array)
    return any(_holds_arrays(v) if isinstance(v, (list, tuple)) else isinstance(v, kinds) for v in x)


def _stacked(x: Any, dtype: Any) -> Any:
    """An array of nested sequences, some of whose parts are arrays."""
    parts = [as_array(v) for v in x]
    shapes = {p.shape for p in parts}
    if len(shapes) > 1:
        raise ValueError(f"array: the parts of a sequence have one shape each; got {', '.join(map(str, shapes))}")
    return as_array(ops.stack(parts), dtype)


def known(x: Any) -> Any:
    """An array whose extents are known: of an array that is computed later, which lacks one, the computed values."""
    return of_numpy(to_numpy(x)) if None in x.shape else x


def tells(condition: Any) -> bool:
    """Return whether a condition is known to hold. False in a trace or without data: values are not refused then."""
    try:
        return bool(condition)
    except NoDataError:
        return False


def shape_of(shape: Any) -> tuple[int, ...]:
    """A shape of an integer, or of a sequence or an array of integers."""
    if isinstance(shape, (list, tuple)) or getattr(shape, "ndim", False):
        return tuple([operator.index(n) for n in shape])
    return (operator.index(shape),)


def scalar(x: Any) -> bool:
    """Return whether x is a Python or NumPy scalar."""
    return isinstance(x, (*SCALARS, numpy.generic))


def write(name: str, out: Any, result: Any, where: Any = True, casting: str = "same_kind") -> Any:
    """Write a result into `out`, where `where` is true, and give `out`."""
    if type(out) is not dialect.array:
        raise TypeError(f"{name}: out takes an array; got {type(out).__name__}")
    result = as_array(result)
    if not numpy.can_cast(result.dtype, out.dtype, casting):
        raise UFuncTypeError(
            f"{name}: a result of {result.dtype} does not go into an array of {out.dtype} by the casting rule "
            f"{casting!r}. Make the array of {result.dtype}, or take casting='unsafe'"
        )
    if numpy.broadcast_shapes(result.shape, out.shape) != out.shape:
        raise ValueError(f"{name}: a result of shape {result.shape} does not fit into an array of shape {out.shape}")
    out[...] = result if where is True else ops.where(where, result, out)
    return out
